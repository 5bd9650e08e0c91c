#include "on_device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/planes.h"
#include "device/cpu/emulator.h"

static const char kernel_path[] = TILESCOPE_SOURCE_DIR "/tests/kernels/emulator.cu";

struct fixture {
    char *source;
    struct backend *backend;
    struct module *module;
    struct emulator *emulator;
};

static int set_up(void **state)
{
    struct fixture *f = g_new0(struct fixture, 1);
    assert_true(g_file_get_contents(kernel_path, &f->source, NULL, NULL));
    f->backend = open_device("cpu");
    f->module = compile_one(f->backend, f->source, "everybody");
    must(f->module != NULL);
    f->emulator = emulator_create(3);  // more than cores, and odd
    assert_int_equal(emulator_threads(f->emulator), 3);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    g_autofree struct fixture *f = *state;
    emulator_destroy(f->emulator);
    backend_unload(f->backend, f->module);
    backend_close(f->backend);
    g_free(f->source);
    return 0;
}

// ---- running a kernel of emulator.cu ----

static const struct launch_config configs[] = {
    {1, 1, 1, 1, 0},   {1, 1, 32, 1, 0},       {3, 2, 8, 8, 0},        {2, 2, 7, 5, 0},
    {5, 1, 33, 1, 0},  {1, 3, 1, 64, 0},       {2, 1, 32, 32, 0},      {2, 1, 1024, 1, 0},
    {3, 3, 31, 11, 0}, {2, 1, 5, 12, 0, 0, 3}, {1, 2, 8, 64, 0, 0, 8}, {1, 1, 1, 7, 0, 0, 7},
};
enum { DEPTH = 2, MAX_WORDS = 8192 };

static int threads_of(const struct launch_config *s)
{
    return s->block_width * s->block_height;
}

static int words_of(const struct launch_config *s)
{
    return threads_of(s) * s->grid_width * s->grid_height * DEPTH;
}

static bool run_function(struct emulator *e, emulator_kernel *kernel, const char *name,
                         const struct launch *what, atomic_bool *cancel)
{
    const struct emulator_launch l = {.name = name, .kernel = kernel, .what = what};
    return emulator_run(e, &l, cancel, &err);
}

static bool run(const struct fixture *f, const char *name, struct launch_config config,
                unsigned *words, atomic_bool *cancel)
{
    // A plane of one row, so that kernel.h's scratch is the same for every plane: 0 wide is none.
    static unsigned char pixel[16];
    const struct planes plane = {.pixels = pixel, .pitch = 16, .count = DEPTH};
    const int params = 0;
    config.shared_bytes = 4 * (size_t)threads_of(&config);
    config.grid_depth = DEPTH;
    const struct launch what = {
        .config = config, .out = plane, .in = plane, .scratch = words, .params = &params};
    g_autofree char *launched = g_strconcat("launch_", name, NULL);
    void *symbol = backend_function(f->backend, f->module, launched);
    emulator_kernel *kernel;
    assert_non_null(symbol);
    memcpy(&kernel, &symbol, sizeof symbol);
    return run_function(f->emulator, kernel, name, &what, cancel);
}

// What a thread of a launch should write, by its number in its block, t, its lane, its number in
// the grid, and the launch, whose blocks have n threads.
typedef unsigned expected_word(int t, int lane, int index, int n, const struct launch_config *s);
#define EXPECTED(name, value)                                                              \
    static unsigned name(int t, int lane, int index, int n, const struct launch_config *s) \
    {                                                                                      \
        (void)t, (void)lane, (void)index, (void)n, (void)s;                                \
        return (unsigned)(value);                                                          \
    }

// Runs a kernel in all shapes, and compares with what a thread of a block of that shape should
// write.
static void expect(const struct fixture *f, const char *name, expected_word *expected)
{
    static unsigned words[MAX_WORDS];
    for (size_t i = 0; i < G_N_ELEMENTS(configs); i++) {
        const int count = words_of(&configs[i]), threads = threads_of(&configs[i]);
        assert_true(count <= MAX_WORDS);
        memset(words, 0, sizeof words);
        must(run(f, name, configs[i], words, NULL));
        for (int t = 0; t < count; t++) {
            const int in_block = t % threads;
            const unsigned want = expected(in_block, in_block % 32, t, threads, &configs[i]);
            if (words[t] != want)
                fail_msg("%s, config %zu, thread %d: %x, not %x", name, i, t, words[t], want);
        }
    }
}

// ---- barriers ----

EXPECTED(one_more, index + 1)
EXPECTED(next_one, index - t + (t + 1) % n)
EXPECTED(sum_of_all, n *(n - 1) / 2)
EXPECTED(votes_of_block, (n + 2) / 3 << 4 | (n > 5) << 3 | 1 << 1 | (n <= 5))
EXPECTED(left_early, t % 3 == 1 ? 0 : n - 1 - t)
EXPECTED(own_stack, t *(63 * 64 / 2) + t)
EXPECTED(memories, t % 8 * (t % 8) + t % 256 + 1000 + 4)

static unsigned indices(int t, int lane, int index, int n, const struct launch_config *s)
{
    const int block = index / n, x = t % s->block_width, y = t / s->block_width;
    const int bx = block % s->grid_width, by = block / s->grid_width % s->grid_height;
    const int bz = block / s->grid_width / s->grid_height;
    return (unsigned)(x & 255) | (unsigned)x >> 8 << 8 | (unsigned)y << 8 | (unsigned)bx << 16 |
           (unsigned)by << 20 | (unsigned)bz << 24 | (unsigned)(s->block_width % 2) << 28 |
           (unsigned)DEPTH << 29;
}

// ---- warps ----

// What a lane that a shuffle names but that is not there gives.
static const int nobody = (int)0xa5a5a5a5;

// The words of two lanes of t's warp.
static unsigned both(int t, int a, int b, int n)
{
    const int one = t - t % 32 + a, other = t - t % 32 + b;
    return (unsigned)(one < n ? one * 10 : nobody) << 16 |
           (unsigned)(other < n ? other * 10 : nobody);
}

EXPECTED(shuffle_at, both(t, 3, lane / 8 * 8 + (t + 1) % 8, n))
EXPECTED(shuffle_up, both(t, lane < 5 ? lane : lane - 5, lane % 8 < 3 ? lane : lane - 3, n))
EXPECTED(shuffle_down, both(t, lane + 5 > 31 ? lane : lane + 5, lane % 4 == 3 ? lane : lane + 1, n))
// With groups of 8, lane ^ 9 lies in the group before, which may be read, or behind, which may not.
EXPECTED(shuffle_xor, both(t, lane ^ 17, (lane ^ 9) / 8 > lane / 8 ? lane : lane ^ 9, n))
EXPECTED(shuffle_types, (t ^ 1) < n)

static unsigned votes_of_warp(int t, int lane, int index, int n, const struct launch_config *s)
{
    unsigned ballot = 0;
    const int first = t / 32 * 32, end = MIN(first + 32, n);
    for (int i = first; i < end; i++) ballot |= (unsigned)(i % 3 == 0) << i % 32;
    if (first <= 33 && 33 < end) ballot ^= 0x10000000;
    if (end - 1 < 33) ballot ^= 0x20000000;
    return ballot;
}

static unsigned together(int t, int lane, int index, int n, const struct launch_config *s)
{
    unsigned lanes = 0;
    const int first = t / 32 * 32, end = MIN(first + 32, n);
    for (int i = first; i < end; i++)
        lanes |= (unsigned)(i % 3 == t % 3 && (t % 3 == 0 || t % 2 == 0 || i % 2)) << i % 32;
    return t % 3 == 2 ? 0 : lanes;
}

TEST(each_word_of_every_shape)
{
    static const struct {
        const char *kernel;
        expected_word *expected;
    } rows[] = {
        {"everybody", one_more},          {"neighbour", next_one},
        {"reduction", sum_of_all},        {"votes_of_block", votes_of_block},
        {"leave_early", left_early},      {"own_stack", own_stack},
        {"memories", memories},           {"indices", indices},
        {"shuffle_at", shuffle_at},       {"shuffle_up", shuffle_up},
        {"shuffle_down", shuffle_down},   {"shuffle_xor", shuffle_xor},
        {"shuffle_types", shuffle_types}, {"votes_of_warp", votes_of_warp},
        {"together", together},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        expect(*state, rows[i].kernel, rows[i].expected);
}

// Kernels that use all 32 lanes: only in shapes of whole warps.
TEST(whole_warps)
{
    const struct fixture *f = *state;
    const struct launch_config whole = {2, 2, 16, 6, 0};
    static unsigned words[MAX_WORDS];
    must(run(f, "halves", whole, words, NULL));
    for (int t = 0; t < words_of(&whole); t++) {
        // odd lanes sum over the odd lanes of their warp: first + 1, first + 3 ... first + 31
        const unsigned first = (unsigned)(t % threads_of(&whole) / 32 * 32);
        assert_int_equal(words[t], t % 2 ? 16 * first + 256 : 0x55550000);
    }
    must(run(f, "shuffle_and_barrier", whole, words, NULL));
    for (int t = 0; t < words_of(&whole); t++) assert_int_equal(words[t], 96 * 95 / 2);
}

TEST(ended_lanes_hold_nobody)
{
    const struct launch_config config = {1, 1, 50, 1, 0};
    unsigned words[50 * DEPTH] = {0};
    must(run(*state, "shuffle_of_the_rest", config, words, NULL));
    for (int t = 0; t < 50; t++) {
        const int lane = t % 32;
        const bool is_last = lane == 19 || t == 49;
        if (lane < 20) assert_int_equal(words[t], is_last ? (unsigned)nobody : (unsigned)t + 1);
        if (lane >= 20) assert_int_equal(words[t], 0);
    }
}

TEST(atomics_across_blocks)
{
    const struct launch_config config = {13, 7, 32, 3, 0};
    const unsigned n = (unsigned)words_of(&config);
    unsigned words[32] = {[6] = ~0u, [8] = ~0u};
    must(run(*state, "atomics", config, words, NULL));
    unsigned all_xored = 0;
    for (unsigned t = 0; t < n; t++) all_xored ^= t;
    float half;
    unsigned long long wide;
    memcpy(&half, &words[10], sizeof half);
    memcpy(&wide, &words[16], sizeof wide);
    const unsigned wanted[] = {
        2 * n,     -n,        -3 * n, -(n - 1),           n - 1, n - 1, 7, ~0u, 1u << 31,
        all_xored, words[10], n % 7,  (10 - n % 10) % 10, 5 * n};
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) assert_int_equal(words[i], wanted[i]);
    assert_true(half == (float)n / 2);
    assert_int_equal(words[14] + words[15], n * (n + 1) / 2);
    assert_true(wide == ((unsigned long long)n << 32 | n));
}

// ---- what must be refused ----

static int line_of(const struct fixture *f, const char *kernel, const char *which)
{
    g_autofree char *mark = g_strdup_printf("// %s:", kernel);
    int line = 0, found = 0;
    g_auto(GStrv) lines = g_strsplit(f->source, "\n", -1);
    for (; lines[line]; line++) {
        const char *at = strstr(lines[line], mark);
        if (at && strstr(at, which)) found = line + 1;
    }
    assert_true(found > 0);
    return found;
}

static void expect_refused(const struct fixture *f, const char *kernel, const char *why,
                           const char *between)
{
    static unsigned words[MAX_WORDS];
    for (int again = 0; again < 3; again++) {
        assert_false(run(f, kernel, (struct launch_config){4, 3, 32, 4, 0}, words, NULL));
        g_autofree char *message =
            g_strdup_printf("%s: %s line %d%s line %d", kernel, why, line_of(f, kernel, "first"),
                            between, line_of(f, kernel, "second"));
        assert_string_equal(err.text, message);
    }
}

TEST(mistakes_are_refused_and_life_goes_on)
{
    const struct fixture *f = *state;
    static const char *const cases[][3] = {
        {"two_barriers", "not all threads reach", ", some wait in"},
        {"two_barriers_late", "not all threads reach", ", some wait in"},
        {"stuck", "threads of one block wait for each other for ever, in", " and in"},
        {"two_shuffles", "lanes of one warp meet in different operations, in", " and in"},
        {"two_masks", "lanes of one warp meet with different masks, in", " and in"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        expect_refused(f, cases[i][0], cases[i][1], cases[i][2]);
        expect(f, "neighbour", next_one);
    }
    unsigned words[64];
    assert_false(run(f, "not_in_mask", (struct launch_config){1, 1, 32, 1, 0}, words, NULL));
    g_autofree char *message =
        g_strdup_printf("not_in_mask: lane 0 is not in the mask 0x%08x that it passes, in line %d",
                        2, line_of(f, "not_in_mask", "first"));
    assert_string_equal(err.text, message);
    expect(f, "reduction", sum_of_all);
}

// Threads that are abandoned never return: what a sanitizer keeps of their calls must not pile up.
TEST(thousands_of_threads_are_abandoned)
{
    static unsigned words[32 * 32 * DEPTH];
    for (int i = 0; i < 64; i++)
        assert_false(
            run(*state, "two_barriers_late", (struct launch_config){1, 1, 32, 32, 0}, words, NULL));
    expect(*state, "reduction", sum_of_all);
}

// ---- the pool ----

TEST(cancelled_before_the_first_block)
{
    const struct fixture *f = *state;
    const struct launch_config config = {1, 1, 32, 1, 0};
    unsigned words[32 * DEPTH] = {0};
    atomic_bool cancel = true;
    assert_false(run(f, "everybody", config, words, &cancel));
    assert_string_equal(err.text, "everybody: cancelled");
    for (int i = 0; i < 32 * DEPTH; i++) assert_int_equal(words[i], 0);
    atomic_store(&cancel, false);
    must(run(f, "everybody", config, words, &cancel));
    assert_int_equal(words[31], 32);
}

struct interrupter {
    struct emulator *emulator;
    atomic_bool is_over;
};

static gpointer interrupt(gpointer data)
{
    struct interrupter *i = data;
    while (!atomic_load(&i->is_over)) {
        emulator_interrupt(i->emulator);
        g_usleep(20);  // one handler ends before the next one begins
    }
    return NULL;
}

// Also while a thread begins or ends a launch.
TEST(an_interrupt_may_come_at_any_moment)
{
    enum { LAUNCHES = 20000 };
    struct fixture *f = *state;
    const struct launch_config config = {8, 8, 1, 1, 0};
    static unsigned words[8 * 8 * DEPTH];
    struct interrupter i = {.emulator = f->emulator};
    atomic_bool cancel = true;
    GThread *thread = g_thread_new("interrupter", interrupt, &i);
    for (int k = 0; k < LAUNCHES; k++) assert_false(run(f, "everybody", config, words, &cancel));
    atomic_store(&i.is_over, true);
    g_thread_join(thread);
    assert_string_equal(err.text, "everybody: cancelled");
}

TEST(copies_every_byte)
{
    const struct fixture *f = *state;
    static const size_t sizes[] = {1, 4095, 256 * 1024, 256 * 1024 + 1, 3000001};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        g_autofree unsigned char *from = g_malloc(sizes[i]), *to = g_malloc0(sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++) from[k] = (unsigned char)(k * 7 + 1);
        emulator_copy(f->emulator, to, from, sizes[i]);
        assert_memory_equal(to, from, sizes[i]);
    }
}

TEST(one_thread_is_a_pool)
{
    struct fixture alone = *(struct fixture *)*state;
    alone.emulator = emulator_create(1);
    assert_int_equal(emulator_threads(alone.emulator), 1);
    expect(&alone, "neighbour", next_one);
    emulator_destroy(alone.emulator);
    emulator_destroy(NULL);
}

// A kernel of three blocks that meet, so that each of three threads runs one.
static pthread_barrier_t meeting;
static atomic_int sum_of_priorities;

static void add_priority(const struct emulator_args *args)
{
    pthread_barrier_wait(&meeting);
    atomic_fetch_add(&sum_of_priorities, getpriority(PRIO_PROCESS, 0));
}

static int find_priorities(struct emulator *e)
{
    const struct launch what = {.config = {3, 1, 1, 1, 0}, .out = {.count = 1}};
    atomic_store(&sum_of_priorities, 0);
    must(run_function(e, add_priority, "add_priority", &what, NULL));
    return atomic_load(&sum_of_priorities);
}

// On a thread of its own, whose priority stays lowered.
static gpointer give_way(gpointer unused)
{
    struct emulator *e = emulator_create(3);
    emulator_give_way(e);
    const int priorities = find_priorities(e);
    emulator_destroy(e);
    return GINT_TO_POINTER(priorities);
}

TEST(all_its_threads_give_way)
{
    const struct fixture *f = *state;
    const int own = getpriority(PRIO_PROCESS, 0), lowest = 19;
    pthread_barrier_init(&meeting, NULL, 3);
    const gpointer lowered = g_thread_join(g_thread_new("give way", give_way, NULL));
    assert_int_equal(GPOINTER_TO_INT(lowered), 3 * MIN(own + 5, lowest));
    assert_int_equal(find_priorities(f->emulator), 3 * own);
    pthread_barrier_destroy(&meeting);
}

SUITE("emulator", set_up, tear_down)
