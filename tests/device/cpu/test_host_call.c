// Host functions of a kernel file that fault or never end are left, and the program goes on.
#include "unit.h"

#include <signal.h>
#include <time.h>

#include "device/backend.h"
#include "endless.h"

static const char source[] =
    "#include \"kernel.h\"\n"
    "NO_PARAMS;\n"
    "EMULATOR_EXPORT int add(int x) { return x + 1; }\n"
    "EMULATOR_EXPORT int spin(int x) { volatile int n = x; while (n == x) continue; return n; }\n"
    "EMULATOR_EXPORT int slow(int x) { volatile int n = 0; while (n < x) n = n + 1; return n; }\n"
    "EMULATOR_EXPORT int stray(int x) { return *(volatile int *)(unsigned long)(x + 8); }\n"
    "void abort(void);\n"
    "EMULATOR_EXPORT int give_up(int x) { if (x >= 0) abort(); return x; }\n"
    "EMULATOR_EXPORT int divide(int x) { volatile int zero = 0; return x / zero; }\n"
    "EMULATOR_EXPORT int deep(int n) { volatile char frame[999]; frame[n % 999] = 1;\n"
    "                  return n ? deep(n + 1) + frame[n % 999] : 0; }\n"
    "KERNEL(k) { }\n";

static struct suite {
    struct backend *backend;
    struct module *module;
    bool has_sanitizer;  // which listens to faults from the beginning
} suite;

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
                 struct error *err)
{
    void *const address = backend_function(suite.backend, suite.module, name);
    const struct host_call what = {.name = "REFERENCE(b)",
                                   .run = work,
                                   .data = w,
                                   .steps = &w->steps,
                                   .limit_ms = limit_ms,
                                   .stop = stop};
    assert_non_null(address);
    memcpy(&w->function, &address, sizeof address);
    return backend_call(suite.backend, suite.module, &what, err);
}

static void assert_left(const char *name, const char *message)
{
    struct work w = {.times = 1, .argument = 3};
    struct error err = {""};
    assert_false(call(&w, name, 100, NULL, &err));
    assert_string_equal(err.text, message);
}

static void assert_still_works(void)
{
    struct work w = {.times = 1000, .argument = 41};
    struct error err = {""};
    if (!call(&w, "add", 10000, NULL, &err)) fail_msg("%s", err.text);
    assert_int_equal(w.result, 42);
    assert_int_equal(atomic_load(&w.steps), 1000);
}

static void test_endless(void **state)
{
    endless_skip();
    assert_left("spin", "REFERENCE(b) has not come back for 0.1 s");
    assert_still_works();
}

static double own_ms(void)
{
    struct timespec spent;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent), 0);
    return 1e3 * (double)spent.tv_sec + 1e-6 * (double)spent.tv_nsec;
}

// The limit is a step's, not the call's, which computes for longer.
static void test_many_steps(void **state)
{
    enum { LIMIT_MS = 400 };
    double spent_ms = 0;
    for (int times = 200; spent_ms < 1.5 * LIMIT_MS; times *= 2) {
        struct work w = {.times = times, .argument = 1000000};
        struct error err = {""};
        spent_ms = -own_ms();
        if (!call(&w, "slow", LIMIT_MS, NULL, &err)) fail_msg("%s", err.text);
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

static void test_a_stop(void **state)
{
    endless_skip();
    struct work w = {.times = 1, .argument = 3};
    struct stopper s = {.work = &w, .stop = false};
    struct error err = {""};
    GThread *stopper = g_thread_new("stop", stop_what_runs, &s);
    assert_false(call(&w, "spin", G_MAXINT, &s.stop, &err));
    g_thread_join(stopper);
    assert_string_equal(err.text, "REFERENCE(b) was stopped");
    assert_still_works();
}

static void test_faults(void **state)
{
    if (suite.has_sanitizer) {
        print_message("skipped: a sanitizer reports faults itself\n");
        skip();
    }
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    char reasons[1024];
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) signal(numbers[i], SIG_DFL);  // not cmocka's
    struct backend *listens = backend_open("cpu", reasons, sizeof reasons, NULL);
    assert_left("stray", "REFERENCE(b) reads or writes outside its memory");
    assert_left("give_up", "REFERENCE(b) calls abort()");
    assert_left("divide", "REFERENCE(b) divides an integer by zero");
    assert_left("deep", "REFERENCE(b) fills its stack: its calls are too deep, or its local arrays "
                        "too large");
    assert_still_works();
    backend_close(listens);
}

static gpointer call_on_thread(gpointer unused)
{
    (void)unused;
    struct work endless = {.times = 1, .argument = 3}, good = {.times = 9, .argument = 3};
    struct error err = {""};
    assert_false(call(&endless, "spin", 100, NULL, &err));
    if (!call(&good, "add", 10000, NULL, &err)) fail_msg("%s", err.text);
    return NULL;
}

static void test_several_threads(void **state)
{
    endless_skip();
    GThread *threads[4];
    for (int i = 0; i < 4; i++) threads[i] = g_thread_new("caller", call_on_thread, NULL);
    for (int i = 0; i < 4; i++) g_thread_join(threads[i]);
}

int main(void)
{
    char reasons[1024];
    struct error err = {""};
    struct sigaction action;
    suite.has_sanitizer = sigaction(SIGSEGV, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
    suite.backend = backend_open("cpu", reasons, sizeof reasons, &err);
    if (!suite.backend) return g_printerr("%s\n", err.text), 1;
    backend_set_include(suite.backend, TILESCOPE_KERNELS);
    const struct build build = {.path = "text.cu",
                                .source = source,
                                .entries = (const char *const[]){"k"},
                                .entry_count = 1};
    suite.module = backend_compile(suite.backend, &build, &err);
    if (!suite.module) return g_printerr("%s\n", err.text), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endless),         cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_a_stop),          cmocka_unit_test(test_faults),
        cmocka_unit_test(test_several_threads),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_unload(suite.backend, suite.module);
    backend_close(suite.backend);
    return failed;
}
