// Kernels that the processor stops, on the stacks that there are. Each fails the device with one
// line, and the program goes on.
#include "on_device.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cpu/trace_hooks.h"

// Runs the kernel with that body.
static bool run_blocks(struct backend *b, const char *body, struct launch_config config,
                       bool is_fast)
{
    static const char head[] =
        "//! param zero 0 [0, 1]\n"
        "#include \"kernel.h\"\n"
        "extern \"C\" { __device__ void abort(); __device__ int raise(int); }\n"
        "extern __shared__ volatile char bytes[];\n"
        "extern __shared__ volatile int words[];\n"
        "__device__ __noinline__ unsigned deep(unsigned n) {\n"
        "    volatile unsigned char frame[200];\n"
        "    frame[n % 200] = 1;\n"
        "    return n ? deep(n - 1) + frame[n % 200] : 0; }\n"
        "__device__ void holds(int is) { assert(is); }\n";
    g_autofree char *source =
        g_strdup_printf("%s__global__ void k(unsigned *scratch, int zero) { %s }\n", head, body);
    OWNED(rig_free)
    struct rig r = rig_make(b, compile_with(b, source, "k", (struct build){.is_fast = is_fast}),
                            planes_shape(64, 4, MAX(config.grid_depth, 1)), config);
    assert_int_equal(backend_is_fast(r.module), is_fast);
    const bool is_done = rig_runs(&r);
    return is_done;
}

// On 4 blocks of 64 threads.
static bool run_build(struct backend *b, const char *body, int shared_bytes, bool is_fast)
{
    return run_blocks(b, body, (struct launch_config){1, 4, 64, 1, (size_t)shared_bytes}, is_fast);
}

static bool run(struct backend *b, const char *body, int shared_bytes)
{
    return run_build(b, body, shared_bytes, false);
}

static void expect_life(struct backend *b)
{
    must(run(b, "__syncthreads(); words[threadIdx.x] = scratch[threadIdx.x] = 1;", 256));
}

// The kernel fails, and err says why, on a device that was opened after the one before had failed,
// and that has run another one.
static void expect_failure(const char *body, int shared_bytes, bool is_fast)
{
    OWNED(close_backend) struct backend *b = open_device("cpu");
    expect_life(b);
    if (run_build(b, body, shared_bytes, is_fast)) fail_msg("runs: %s", body);
    assert_int_equal(backend_poll(b, NULL), BACKEND_FAILED);
}

static const char deep[] = "fills its stack: its calls are too deep, or its local arrays too large";
static const char wild[] = "reads or writes outside its memory";
static const char division[] = "divides an integer by zero";

// Those after a barrier run on stacks of their own.
static const struct {
    const char *body, *why;
    const char *who;  // NULL: any thread
    bool is_fast;
} cases[] = {
    {"scratch[0] = 7 / zero;", division},
    {"__syncthreads(); scratch[0] = 7 % zero;", division},
    {"scratch[0] = 7 / (zero - zero);", division},
    {"__syncthreads(); scratch[0] = 7 % (zero & 0);", division},
    {"*(volatile int *)(size_t)zero = 1;", wild},
    {"__syncthreads(); scratch[(size_t)1 << 44] = 1;", wild},
    {"__builtin_memset((void *)(size_t)(zero + 4096), 1, 1000 + zero);", wild},
    {"scratch[zero + (200 << 10)] = 1;", wild},  // an index that went wrong
    {"__syncthreads(); scratch[zero - (200 << 10)] = 1;", wild},
    {"((void (*)(void))(size_t)zero)();", wild},
    {"scratch[0] = deep(100000000);", deep},
    {"__syncthreads(); scratch[0] = deep(100000000);", deep},
    {"if (threadIdx.x == 40) scratch[0] = deep(100000000); __syncthreads();", deep, "40, 0"},
    {"__syncthreads(); volatile char a[100000]; a[deep(90)] = 1; scratch[0] = a[0] + "
     "deep(1000);",
     deep},
    {"__builtin_trap();", "runs into an illegal instruction"},
    {"abort();", "calls abort()"},
    {"__syncthreads(); if (threadIdx.x == 40) abort();", "calls abort()", "40, 0"},
    {"raise(6);", "calls abort()"},
    {"raise(11);", "sends itself a signal"},
    {"__syncthreads(); raise(8);", "sends itself a signal"},
#if defined(__x86_64__)
    {"__asm__ volatile(\"int3\");", "runs into a breakpoint"},
#endif
    {"raise(5);", "runs into a breakpoint"},
    {"assert(zero > 0);", "fails in text.cu:11: assert(zero > 0)"},
    {"__syncthreads(); assert((threadIdx.x != 40));",
     "fails in text.cu:11: assert((threadIdx.x != 40))", "40, 0"},
    {"assert(threadIdx.x != 40);", "fails in text.cu:11: assert(threadIdx.x != 40)", "40, 0"},
    // What lies behind a local array is the stack of the thread, and a page that nobody may touch.
    {"int a[4]; __builtin_memset(a, 0, zero + 16000); scratch[0] = a[zero];", wild, "0, 0"},
    {"__syncthreads(); int a[4]; if (threadIdx.x == 0) __builtin_memset(a, 0, zero + 16000); "
     "scratch[0] = a[zero];",
     wild, "0, 0"},
    // All threads of a rewritten kernel run as one.
    {"if (threadIdx.x == 40) *(volatile int *)(size_t)zero = 1;", wild, "40, 0", true},
    {"scratch[threadIdx.x] = 7 / (40 - (int)threadIdx.x);", division, "40, 0", true},
    {"holds(threadIdx.x != 40);", "fails in text.cu:10: assert(is)", "40, 0", true},
};

TEST(faults)
{
    leave_faults();
    for (int threads = 1; threads <= 3; threads += 2) {
        char *before = unit_set("TILESCOPE_THREADS", threads == 1 ? "1" : "3");
        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
            expect_failure(cases[i].body, 0, cases[i].is_fast);
            const char *const who = cases[i].who;
            g_autofree char *thread = g_strdup_printf("text.cu: k: thread (%s%s", who ? who : "",
                                                      who ? ") of block (0, " : "");
            if (!g_str_has_prefix(err.text, thread) || !g_str_has_suffix(err.text, cases[i].why))
                fail_msg("%s\n'%s'", cases[i].body, err.text);
        }
        OWNED(close_backend) struct backend *b = open_device("cpu");
        expect_life(b);
        unit_restore("TILESCOPE_THREADS", before);
    }
}

// The threads of a rewritten kernel have changed what would make one fail again.
TEST(a_fault_that_does_not_recur_names_the_block)
{
    leave_faults();
    expect_failure("const bool is_first = scratch[threadIdx.x + 64 * blockIdx.y]++ == 0; if "
                   "(is_first && threadIdx.x == 40) *(volatile int *)(size_t)zero = 1;",
                   0, true);
    if (!g_str_has_prefix(err.text, "text.cu: k: a thread of block (0, ") ||
        !g_str_has_suffix(err.text, wild))
        fail_msg("'%s'", err.text);
}

TEST(a_fault_names_the_block_and_its_layer)
{
    static const struct {
        const char *body, *said;
        int grid_depth, block_depth;
        bool is_fast;
        int grid_width;  // 0: 1
    } rows[] = {
        {"assert(threadIdx.z != 5 || threadIdx.x != 3);",
         "thread (3, 0, 5) of block (0, 0, 0) fails", 1, 8},
        {"if (threadIdx.z == 5 && blockIdx.z == 1) *(volatile int *)(size_t)zero = 1;",
         "thread (0, 0, 5) of block (0, 0, 1) reads", 3, 8, true},
        {"assert(blockIdx.z != 2);", "thread (0, 0, 0) of block (0, 0, 2) fails", 3, 1},
        {"bytes[zero + 10] = 1;", "a thread of block (0, 0, 0) writes byte 10", 3, 1},
        // Blocks side by side run as one.
        {"const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "if (x == 27 && threadIdx.y == 2) *(volatile int *)(size_t)zero = 1;",
         "thread (3, 2) of block (3, 0) reads", 1, 1, true, 64},
        {"const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "if (x == 27 && threadIdx.y == 2 && scratch[0]++ == 0) *(volatile int *)(size_t)zero = 1;",
         "a thread of blocks (0, 0) to (3, 0) reads", 1, 1, true, 64},
    };
    leave_faults();
    char *before = unit_set("TILESCOPE_THREADS", "1");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(close_backend) struct backend *b = open_device("cpu");
        const struct launch_config config = {.grid_width = MAX(rows[i].grid_width, 1),
                                             .grid_height = 1,
                                             .grid_depth = rows[i].grid_depth,
                                             .block_width = 8,
                                             .block_height = 8,
                                             .block_depth = rows[i].block_depth,
                                             .shared_bytes = 10};
        if (run_blocks(b, rows[i].body, config, rows[i].is_fast)) fail_msg("%s", rows[i].body);
        g_autofree char *wanted = g_strdup_printf("text.cu: k: %s ", rows[i].said);
        if (!g_str_has_prefix(err.text, wanted)) fail_msg("'%s', not '%s'", err.text, wanted);
    }
    unit_restore("TILESCOPE_THREADS", before);
}

// A read, a write, on a stack of its own, just behind the end and far behind it. The processor does
// not stop a thread that writes into the rounding, up to a multiple of 16, but the block's end
// does. Those of static memory have an array s.
TEST(shared_memory_ends_where_it_says)
{
#define OWN(body) "__shared__ int s[32]; " body " __syncthreads(); scratch[threadIdx.x] = s[0];"
    static const struct {
        const char *body, *said;
        int bytes;  // dynamic; -1: none
        bool is_fast;
    } outside[] = {
        {"scratch[0] = words[zero + 64 - threadIdx.x];",
         "thread (0, 0) of block (0, 0) reaches byte 256", 256},
        {"words[zero + threadIdx.x] = 1;", "thread (32, 0) of block (0, 0) reaches byte 128", 128},
        {"__syncthreads(); if (threadIdx.x == 5) words[zero + 50000] = 1;",
         "thread (5, 0) of block (0, 0) reaches byte 200000", 256},
        {"if (threadIdx.x == 63) bytes[zero + 232448] = 1;",
         "thread (63, 0) of block (0, 0) reaches byte 232448", 232448},
        {"if (threadIdx.x == 1) bytes[zero] = 1;", "thread (1, 0) of block (0, 0) reaches byte 0",
         0},
        {"if (threadIdx.x == 5) bytes[zero + 130] = 1;", "a thread of block (0, 0) writes byte 130",
         130},
        {"__syncthreads(); if (blockIdx.y == 0) bytes[zero + 143] = 1;",
         "a thread of block (0, 0) writes byte 143", 130},
        {"bytes[zero + 1 + blockIdx.y] = 1;", "a thread of block (0, 0) writes byte 1", 1},
        {OWN("s[threadIdx.x] = 1;"), "thread (32, 0)", -1},
        {OWN("__syncthreads(); if (threadIdx.x == 40) s[32 + zero] = 1;"), "thread (40, 0)", -1},
        {OWN("s[threadIdx.x + 100000] = 1;"), "thread (0, 0)", -1},
        {OWN("s[(int)threadIdx.x - 100000] = 1;"), "thread (0, 0)", -1},
        {OWN("s[zero + 100000] = 1;"), "thread (0, 0)", -1, true},
        {OWN("s[zero - 100000] = 1;"), "thread (0, 0)", -1, true},
    };
    leave_faults();
    char *before = unit_set("TILESCOPE_THREADS", "1");
    for (size_t i = 0; i < G_N_ELEMENTS(outside); i++) {
        const int bytes = outside[i].bytes;
        expect_failure(outside[i].body, MAX(bytes, 0), outside[i].is_fast);
        g_autofree char *end =
            bytes < 0 ? g_strdup(" of block (0, 0) reads or writes outside its __shared__ arrays")
                      : g_strdup_printf(" of tile, whose shared= gives it %d", bytes);
        g_autofree char *wanted = g_strdup_printf(
            "text.cu: k: %s%s; the memory lens names the line", outside[i].said, end);
        assert_string_equal(err.text, wanted);
    }
    OWNED(close_backend) struct backend *b = open_device("cpu");
    must(run(b, "bytes[threadIdx.x % 130] = 1;", 130));
    unit_restore("TILESCOPE_THREADS", before);
}

// The arrays of a larger object, of the same one again, and of one that has fewer.
TEST(static_shared_memory_is_the_launchs_own)
{
    static const int sizes[] = {10, 5000, 20};
    OWNED(close_backend) struct backend *b = open_device("cpu");
    for (int i = 0; i < 2 * (int)G_N_ELEMENTS(sizes); i++) {
        g_autofree char *body = g_strdup_printf(
            "__shared__ int a[%d]; __shared__ __align__(64) int c[1]; if (threadIdx.x == 0) "
            "{ for (int i = 0; i < %d; i++) a[i] = 1; c[0] = 2; assert((size_t)c %% 64 == 0); } "
            "__syncthreads(); for (int i = 0; i < %d; i++) assert(a[i] == 1); assert(c[0] == 2);",
            sizes[i / 2], sizes[i / 2], sizes[i / 2]);
        must(run_build(b, body, 64, false));
    }
}

// What is no kernel's fault ends the process as if nobody listened.
static int signal_that_ends(void (*misdeed)(void))
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        misdeed();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void write_to_nowhere(void)
{
    volatile uintptr_t nowhere = 16;
    *(volatile int *)nowhere = 1;
}

static void send_to_itself(void)
{
    kill(getpid(), SIGFPE);  // which a process with one thread gets before this returns
}

static void raise_a_breakpoint(void)
{
    raise(SIGTRAP);
}

TEST(faults_of_the_program)
{
    leave_faults();
    OWNED(close_backend) struct backend *b = open_device("cpu");
    must(run(b, "scratch[0] = 1;", 0));
    assert_int_equal(signal_that_ends(write_to_nowhere), SIGSEGV);
    assert_int_equal(signal_that_ends(send_to_itself), SIGFPE);
    assert_int_equal(signal_that_ends(raise_a_breakpoint), SIGTRAP);
    assert_int_equal(signal_that_ends(abort), SIGABRT);
}

// A device's memory lies between pages that nobody may touch.
static volatile unsigned char *place;

static void write_to_place(void)
{
    signal(SIGSEGV, SIG_DFL);
    *place = 1;
}

// An endless kernel that is traced is in a hook nearly always. What may hold a lock is none.
void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___tsan_write16(const void *pointer);
TEST(hooks_may_be_left_as_kernels_may)
{
    assert_true(emulator_is_hook((uintptr_t)__wrap___sanitizer_cov_trace_pc));
    assert_true(emulator_is_hook((uintptr_t)__wrap___tsan_write16 + 8));
    assert_true(emulator_is_hook((uintptr_t)emulator_log_access));
    assert_false(emulator_is_hook((uintptr_t)emulator_grow_log));
    assert_false(emulator_is_hook((uintptr_t)emulator_follow));
}

TEST(nothing_is_behind_memory)
{
    leave_faults();
    OWNED(close_backend) struct backend *b = open_device("cpu");
    unsigned char *memory = allocate(b, 9045);
    place = memory + 9215;
    assert_int_equal(signal_that_ends(write_to_place), 0);
    place = memory + 9216;
    assert_int_equal(signal_that_ends(write_to_place), SIGSEGV);
    place = memory - sysconf(_SC_PAGESIZE);
    assert_int_equal(signal_that_ends(write_to_place), SIGSEGV);
    backend_free(b, memory);
}
