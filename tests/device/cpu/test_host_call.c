// Host functions of a kernel file that fault or never end are left, and the program goes on.
#include "on_device.h"

#include <time.h>

#include "endless.h"

static const char source[] =
    "#include \"kernel.h\"\n"
    "#define HOST EMULATOR_EXPORT __host__ __device__\n"
    "HOST int add(int x) { return x + 1; }\n"
    "HOST int spin(int x) { volatile int n = x; while (n == x) continue; return n; }\n"
    "HOST int slow(int x) { volatile int n = 0; while (n < x) n = n + 1; return n; }\n"
    "HOST int stray(int x) { return *(volatile int *)(unsigned long)(x + 8); }\n"
    "extern \"C\" __device__ void abort();\n"
    "HOST int give_up(int x) { if (x >= 0) abort(); return x; }\n"
    "HOST int divide(int x) { volatile int zero = 0; return x / zero; }\n"
    "HOST int deep(int n) { volatile char frame[999]; frame[n % 999] = 1;\n"
    "    return n ? deep(n + 1) + frame[n % 999] : 0; }\n"
    "HOST int claim(int x) { assert(x < 3 && \"small\"); return x; }\n"
    "__global__ void k() {}\n";

static struct backend *backend;
static struct module *module;

static int set_up(void **state)
{
    backend = open_device("cpu");
    module = compile_one(backend, source, "k");
    must(module != NULL);
    return 0;
}

static int tear_down(void **state)
{
    backend_unload(backend, module);
    backend_close(backend);
    return 0;
}

struct work {
    int (*function)(int);
    int argument, times, result;
    atomic_uint steps;
};

static void work(void *data)
{
    struct work *w = data;
    for (int i = 0; i < w->times; i++) {
        atomic_fetch_add(&w->steps, 1);
        w->result = w->function(w->argument);
    }
}

static bool call(struct work *w, const char *name, int limit_ms, const atomic_bool *stop,
                 struct error *why)
{
    void *const address = backend_function(backend, module, name);
    const struct host_call what = {.name = "the reference",
                                   .run = work,
                                   .data = w,
                                   .steps = &w->steps,
                                   .limit_ms = limit_ms,
                                   .stop = stop};
    assert_non_null(address);
    memcpy(&w->function, &address, sizeof address);
    return backend_call(backend, module, &what, why);
}

static void assert_left(const char *name, const char *message)
{
    struct work w = {.times = 1, .argument = 3};
    assert_false(call(&w, name, 100, NULL, &err));
    assert_string_equal(err.text, message);
}

static void assert_still_works(void)
{
    struct work w = {.times = 1000, .argument = 41};
    must(call(&w, "add", 10000, NULL, &err));
    assert_int_equal(w.result, 42);
    assert_int_equal(atomic_load(&w.steps), 1000);
}

TEST(endless)
{
    endless_skip();
    assert_left("spin", "the reference has not come back for 0.1 s");
    assert_still_works();
}

static double own_ms(void)
{
    struct timespec spent;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent), 0);
    return 1e3 * (double)spent.tv_sec + 1e-6 * (double)spent.tv_nsec;
}

// The limit is a step's, not the call's, which computes for longer.
TEST(many_steps)
{
    enum { LIMIT_MS = 150 };
    double spent_ms = 0;
    for (int times = 200; spent_ms < 1.5 * LIMIT_MS; times *= 2) {
        struct work w = {.times = times, .argument = 1000000};
        spent_ms = -own_ms();
        must(call(&w, "slow", LIMIT_MS, NULL, &err));
        spent_ms += own_ms();
        assert_int_equal(w.result, 1000000);
    }
}

struct stopper {
    const struct work *work;
    atomic_bool stop;
};

static gpointer stop_what_runs(gpointer data)
{
    struct stopper *s = data;
    while (!atomic_load(&s->work->steps)) g_usleep(100);
    atomic_store(&s->stop, true);
    return NULL;
}

TEST(a_stop)
{
    endless_skip();
    struct work w = {.times = 1, .argument = 3};
    struct stopper s = {.work = &w, .stop = false};
    GThread *stopper = g_thread_new("stop", stop_what_runs, &s);
    assert_false(call(&w, "spin", G_MAXINT, &s.stop, &err));
    g_thread_join(stopper);
    assert_string_equal(err.text, "the reference was stopped");
    assert_still_works();
}

TEST(faults)
{
    leave_faults();
    struct backend *listens = open_device("cpu");
    assert_left("stray", "the reference reads or writes outside its memory");
    assert_left("give_up", "the reference calls abort()");
    assert_left("claim", "the reference fails in text.cu:12: assert(x < 3 && \"small\")");
    assert_left("divide", "the reference divides an integer by zero");
    assert_left("deep", "the reference fills its stack: its calls are too deep, or its local "
                        "arrays too large");
    assert_still_works();
    backend_close(listens);
}

static gpointer call_on_thread(gpointer unused)
{
    struct work endless = {.times = 1, .argument = 3}, good = {.times = 9, .argument = 3};
    struct error why = {""};
    assert_false(call(&endless, "spin", 100, NULL, &why));
    if (!call(&good, "add", 10000, NULL, &why)) fail_msg("%s", why.text);
    return NULL;
}

TEST(several_threads)
{
    endless_skip();
    GThread *threads[4];
    for (int i = 0; i < 4; i++) threads[i] = g_thread_new("caller", call_on_thread, NULL);
    for (int i = 0; i < 4; i++) g_thread_join(threads[i]);
}

SUITE("host_call", set_up, tear_down)
