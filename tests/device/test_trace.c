// test_trace -- what device/trace.h promises, with each compiler that is there.
#include "on_device.h"

#include <stdio.h>
#include <unistd.h>

#include "device/trace.h"
#include "endless.h"

enum { SIDE = 64, MANY = 100000 };

// ---- kernels ----

// Each does one thing, so that what its threads log can be read off.
static const char source[] =
    "#include \"kernel.h\"\n"
    "__constant__ int constant_weights[129];\n"
    "#define T (threadIdx.y * blockDim.x + threadIdx.x)\n"
    "__global__ void bytes(plane out, plane in) { out.pixels[T] = in.pixels[3 * T]; }\n"
    "__global__ void words(unsigned *scratch) { scratch[T] += 1; }\n"
    "__global__ void vectors(plane out, plane in)\n"
    "{ ((uint4 *)out.pixels)[T] = ((const uint4 *)in.pixels)[T]; }\n"
    "__device__ uint4 twice(uint4 a) { return make_uint4(2 * a.x, a.y, a.z, a.w); }\n"
    "__global__ void returned(plane out, plane in)\n"
    "{ ((uint4 *)out.pixels)[T] = twice(((const uint4 *)in.pixels)[T]); }\n"
    "struct three { float a, b, c; };\n"
    "__global__ void structs(plane out, plane in)\n"
    "{ ((struct three *)out.pixels)[T] = ((const struct three *)in.pixels)[T]; }\n"
    "__global__ void textures(plane out, plane in)\n"
    "{ out.pixels[T] = (unsigned char)(fetch(in, T + 1, 0) + load(in, T, 1)); }\n"
    "__global__ void constants(unsigned *scratch, const int *weights)\n"
    "{ scratch[T] = (unsigned)(constant_weights[T % 3] + weights[T]); }\n"
    "__global__ void dynamic(unsigned *scratch)\n"
    "{\n"
    "    extern __shared__ unsigned row[];\n"
    "    row[T] = T;\n"
    "    __syncthreads();\n"
    "    scratch[T] = row[T ^ 1];\n"
    "}\n"
    "__global__ void arrays(unsigned *scratch)\n"
    "{\n"
    "    __shared__ unsigned short first[3];\n"
    "    __shared__ unsigned second[64];\n"
    "    first[T % 3] = 1;\n"
    "    second[T] = T;\n"
    "    __syncthreads();\n"
    "    scratch[T] = second[T + 1] + first[0];\n"
    "}\n"
    "__global__ void atomics(unsigned *scratch)\n"
    "{\n"
    "    __shared__ unsigned count;\n"
    "    atomicAdd(&count, 1);\n"
    "    atomicMax((int *)scratch + 1, (int)T);\n"
    "    scratch[2] = atomicCAS(&scratch[T], 0, 1);\n"
    "    __threadfence();\n"
    "}\n"
    "__global__ void products(unsigned *scratch)\n"
    "{\n"
    "    uint4 sum = make_uint4(0, 0, 0, 0);\n"
    "    sum = mma_bytes(make_uint4(T, 2, 3, 4), T, 2, sum);\n"
    "    scratch[T] = sum.x;\n"
    "}\n"
    "__global__ void shuffles(unsigned *scratch)\n"
    "{ scratch[T] = __shfl_xor_sync(~0u, scratch[T], 1); }\n"
    "__global__ void waits(unsigned *scratch)\n"
    "{\n"
    "    scratch[T] = 1;\n"
    "    __syncwarp();\n"
    "    __threadfence();\n"
    "    __syncthreads();\n"
    "    scratch[T] = 2;\n"
    "}\n"
    "__global__ void own(plane in, unsigned *scratch)\n"
    "{\n"
    "    int a[4];\n"
    "    for (int i = 0; i < 4; i++) a[i] = T * i;\n"
    "    scratch[0] = a[in.width & 3];\n"
    "}\n"
    "__device__ unsigned global_count = 7;\n"
    "__global__ void device_variable(unsigned *scratch) { scratch[T] = global_count; }\n"
    "__global__ void intrinsics(unsigned *scratch)\n"
    "{ scratch[T] += __vadd4(__byte_perm(T, 2, 3), __brev(__dp4a(1u, T, T))); }\n"
    "__global__ void branches(plane out, unsigned *scratch)\n"
    "{\n"
    "    if (T < 2) scratch[T] = 5;\n"
    "    for (int i = 0; i < (int)T; i++) out.pixels[i] = 1;\n"
    "}\n"
    "__global__ void renamed(unsigned *scratch)\n"
    "{\n"
    "    ((unsigned *)&threadIdx)[1] += 2;\n"
    "    __syncthreads();\n"
    "    scratch[T] = 1;\n"
    "}\n"
    "__global__ void hints(plane out, plane in)\n"
    "{ __stcs(&((uint4 *)out.pixels)[T], __ldg(&((const uint4 *)in.pixels)[T])); }\n"
    "__global__ void hinted_words(unsigned *scratch, const int *weights)\n"
    "{ __stcg(&scratch[T], __ldcs(&weights[T])); }\n"
    "template <int N> struct own_tile { unsigned at[N]; __device__ unsigned &operator[](int i) "
    "{ return at[i]; } };\n"
    "template <class E> static __device__ void put(E *to, const E &from) { *to = from; }\n"
    "template <class E, int N> static __device__ E turned(const E *from) {\n"
    "    __shared__ own_tile<N> row; const auto last = [](int i) { return N - 1 - i; };\n"
    "    row[E(threadIdx.x)] = from[threadIdx.x]; __syncthreads();\n"
    "    return row[last(threadIdx.x)]; }\n"
    "__global__ void generic(unsigned *scratch, const int *weights)\n"
    "{ put(&scratch[T], turned<unsigned, 32>((const unsigned *)weights)); }\n"
    "__global__ void refuses(unsigned *scratch) { scratch[T] = 1; assert(T != 2); }\n"
    "__global__ void endless(unsigned *scratch) { for (;;) scratch[0] = T; }\n"
    "#ifdef __aarch64__\n"
    "#define STAY \"0: b 0b\"\n"
    "#else\n"
    "#define STAY \"0: jmp 0b\"\n"
    "#endif\n"
    "__global__ void stuck(unsigned *scratch) { scratch[0] = 77; __asm__ volatile(STAY); }\n"
    "__global__ void wild(plane in, unsigned *scratch)\n"
    "{ scratch[T] = **(unsigned *const *)in.pixels; }\n"
    "__global__ void faulty(plane out, unsigned *scratch)\n"
    "{\n"
    "    volatile int *const far = (volatile int *)(out.pixels + (1ull << 44));\n"
    "    if (blockIdx.x == 1 && blockIdx.z == 0) *far = 1;\n"
    "    scratch[0] = 1;\n"
    "}\n";

// A compiler need not take longer texts in one piece.
static const char more_source[] =
    "__global__ void shifts(unsigned *scratch, const int *weights)\n"
    "{\n"
    "    __shared__ unsigned row[32];\n"
    "    const unsigned i = blockIdx.x * 32 + T;\n"
    "    row[T] = scratch[i] + weights[T];\n"
    "    __syncthreads();\n"
    "    if (blockIdx.x == 5 && T == 17) scratch[i] = 3;\n"
    "    scratch[i] = row[T ^ 1];\n"
    "}\n"
    "struct large { unsigned at[8]; };\n"
    "__global__ void larger(unsigned *scratch, plane out)\n"
    "{\n"
    "    const unsigned i = blockIdx.x * 4 + T;\n"
    "    ((large *)out.pixels)[T] = ((const large *)scratch)[i];\n"
    "}\n"
    "__global__ void rounds(unsigned *scratch, const int *weights)\n"
    "{\n"
    "    unsigned sum = 0;\n"
    "    for (unsigned i = 0; i < 10; i++)\n"
    "        for (unsigned k = 0; k < 30; k++) {\n"
    "            sum += scratch[blockIdx.x * 32 + i * 64 + k * T % 8];\n"
    "            if (T == 17 && blockIdx.x * 41 == i * 30 + k)\n"
    "                sum += weights[k];\n"
    "        }\n"
    "    scratch[blockIdx.x * 32 + T] = sum;\n"
    "}\n"
    "__global__ void longer(unsigned *scratch)\n"
    "{\n"
    "    for (unsigned i = 0; i < min(blockIdx.x, 20); i++)\n"
    "        scratch[blockIdx.x * 32 + T] = i;\n"
    "}\n"
    "__global__ void masks(unsigned *scratch, plane out)\n"
    "{\n"
    "    for (unsigned i = 0; i < (T ? 1 : 900); i++) scratch[blockIdx.x * 32 + T] = i;\n"
    "    __ballot_sync(1u << T % 32 | 0u - (blockIdx.x >> 2), 1);\n"
    "    out.pixels[T] = 1;\n"
    "}\n"
    "__global__ void both_ways(unsigned *scratch, const int *weights)\n"
    "{\n"
    "    const unsigned i = blockIdx.x * blockDim.x + T;\n"
    "    scratch[i] = 1;\n"
    "    if (T == 16)\n"
    "        scratch[i] = T;\n"
    "    else\n"
    "        scratch[i] = T + weights[i];\n"
    "    scratch[i] = weights[T];\n"
    "}\n";

static const char *const entries[] = {
    "bytes",     "words",      "vectors",         "returned", "structs",  "textures",
    "constants", "dynamic",    "arrays",          "atomics",  "products", "shuffles",
    "waits",     "own",        "device_variable", "branches", "endless",  "renamed",
    "faulty",    "intrinsics", "stuck",           "wild",     "hints",    "hinted_words",
    "generic",   "refuses",    "shifts",          "larger",   "rounds",   "longer",
    "masks",     "both_ways",
};

// ---- the device ----

struct bench {
    struct rig rig;
    unsigned char *weights;
};

static int set_up(void **state)
{
    struct bench *t = g_new0(struct bench, 1);
    struct backend *const b = open_device("cpu");
    g_autofree char *whole = g_strconcat(source, more_source, NULL);
    t->rig = rig_make(b,
                      compile_build(b, (struct build){.path = "planted.cu",
                                                      .source = whole,
                                                      .entries = entries,
                                                      .entry_count = G_N_ELEMENTS(entries),
                                                      .is_traced = true}),
                      planes_shape(SIDE, SIDE, 2), (struct launch_config){.grid_width = 0});
    t->rig.launch.weights = t->weights = allocate(b, 4 * 129);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    g_autofree struct bench *t = *state;
    backend_free(t->rig.backend, t->weights);
    rig_free(&t->rig);
    backend_close(t->rig.backend);
    return 0;
}

static int entry_of(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++)
        if (!strcmp(entries[i], name)) return (int)i;
    fail_msg("no kernel %s", name);
    return -1;
}

// ---- what is logged ----

enum { SCRATCH_BYTES = 4 * SIDE * SIDE * 2, TABLE_BYTES = 4 * 129 };

struct seen {
    const struct bench *bench;
    unsigned thread;  // of each block
    bool has_flow;
    GMutex lock;
    GString *text;
    int blocks, wanted;  // wanted: after so many it stops; 0: never
    int cut;             // blocks that the processor stopped
};

static void add_place(const struct seen *s, const struct trace_event *e)
{
    static const char *const spaces[] = {"", "shared", "constant", "texture "};
    const struct launch *const l = &s->bench->rig.launch;
    const struct {
        const char *name;
        const unsigned char *start;
        size_t bytes;
    } places[] = {{"in", l->in.pixels, planes_bytes(l->in)},
                  {"out", l->out.pixels, planes_bytes(l->out)},
                  {"scratch", l->scratch, SCRATCH_BYTES},
                  {"weights", s->bench->weights, TABLE_BYTES}};
    g_string_append(s->text, spaces[e->space]);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        const unsigned long long at = e->address - (uintptr_t)places[i].start;
        if (at < places[i].bytes) g_string_append_printf(s->text, "%s+%llu", places[i].name, at);
    }
    if (e->space == TRACE_SHARED) g_string_append_printf(s->text, "+%llu", e->address);
    if (e->is_wild) g_string_append(s->text, "wild");
}

static void add_event(const struct seen *s, const struct trace_event *e)
{
    if (e->kind == TRACE_FLOW && !s->has_flow) return;
    if (s->text->len && s->text->str[s->text->len - 1] != '\n') g_string_append_c(s->text, ' ');
    g_string_append_c(s->text, e->kind ? "|LSA"[e->kind] : "|BWF"[e->bytes]);
    if (e->kind == TRACE_FLOW) return;
    g_string_append_printf(s->text, "%u ", e->bytes);
    add_place(s, e);
}

static bool see(void *data, int worker, const struct trace_block *block)
{
    struct seen *s = data;
    assert_true(worker >= 0 && worker < TRACE_MAX_WORKERS);
    g_mutex_lock(&s->lock);
    const struct trace_thread *one = &block->threads[s->thread];
    for (size_t i = 0; i < one->count; i++) add_event(s, &one->events[i]);
    g_string_append(s->text, block->is_cut ? " cut\n" : "\n");
    s->cut += block->is_cut;
    const bool goes_on = ++s->blocks != s->wanted;
    g_mutex_unlock(&s->lock);
    return goes_on;
}

struct shape {
    int columns, rows, width, height;
};

static void begin(struct bench *t, const char *kernel, struct shape shape,
                  const struct trace *trace)
{
    t->rig.launch.entry = entry_of(kernel);
    t->rig.launch.config = (struct launch_config){shape.columns,
                                                  shape.rows,
                                                  shape.width,
                                                  shape.height,
                                                  4 * (size_t)(shape.width * shape.height),
                                                  2,
                                                  1};
    t->rig.launch.trace = trace;
    must(backend_launch(t->rig.backend, &t->rig.launch, &err));
}

static void run(struct bench *t, const char *kernel, struct shape shape, const struct trace *trace)
{
    begin(t, kernel, shape, trace);
    must(backend_wait(t->rig.backend, &err));
}

// What a thread of the first block does, for g_free.
static char *log_of(struct bench *t, const char *kernel, unsigned thread, struct shape shape,
                    bool has_flow)
{
    struct seen s = {
        .bench = t, .thread = thread, .has_flow = has_flow, .text = g_string_new(NULL)};
    run(t, kernel, shape, &(struct trace){see, &s, 0, 0, MANY});
    assert_int_equal(s.blocks, 1);
    return g_strchomp(g_string_free(s.text, FALSE));
}

static const struct shape row_of_4 = {1, 1, 4, 1};

// What a thread of a block of 32 does; * stands for any text.
static const struct {
    const char *kernel;
    unsigned thread;
    const char *wanted, *other;  // one of the two; NULL: there is no other
} rows[] = {
    {"bytes", 0, "L1 in+0 S1 out+0"},
    {"bytes", 7, "L1 in+21 S1 out+7"},
    {"words", 3, "L4 scratch+12 S4 scratch+12"},
    // GCC reports the copy of a struct from its end.
    {"vectors", 5, "L16 in+80 S16 out+80", "S16 out+80 L16 in+80"},
    {"structs", 1, "L4 in+12 L4 in+16 L4 in+20 S4 out+12 S4 out+16 S4 out+20",
     "S4 out+12 S4 out+16 S4 out+20 L4 in+12 L4 in+16 L4 in+20"},
    {"returned", 2, "*S16 out+32"},  // what a function returns
    {"textures", 2, "L1 texture in+3 L1 in+130 S1 out+2"},
    {"constants", 4, "L4 constant L4 weights+16 S4 scratch+16"},
    {"hints", 5, "L16 in+80 S16 out+80", "S16 out+80 L16 in+80"},
    {"hinted_words", 2, "L4 weights+8 S4 scratch+8"},
    {"generic", 1, "L4 weights+4 S4 shared+* L4 shared+* S4 scratch+4"},
    {"device_variable", 0, "L4  S4 scratch+0"},
    // An atomic is one access.
    {"atomics", 6, "A4 shared+* A4 scratch+4 A4 scratch+24 S4 scratch+8"},
    // What is no memory of a GPU is left out.
    {"own", 1, "S4 scratch+0"},
    {"products", 9, "S4 scratch+36"},
    {"shuffles", 9, "L4 scratch+36 S4 scratch+36"},
};

static void expect(struct bench *t, const char *kernel, unsigned thread, const char *wanted,
                   const char *other)
{
    g_autofree char *log = log_of(t, kernel, thread, (struct shape){2, 1, 32, 1}, false);
    if (!g_pattern_match_simple(wanted, log) && (!other || strcmp(log, other) != 0))
        fail_msg("%s, thread %u: '%s', not '%s'", kernel, thread, log, wanted);
}

TEST(accesses_are_logged_with_their_place_and_size)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        expect(*state, rows[i].kernel, rows[i].thread, rows[i].wanted, rows[i].other);
}

// The places in shared memory of a thread's first two accesses, which the format names.
static void find_places(struct bench *t, const char *kernel, const char *format,
                        unsigned long long places[2])
{
    g_autofree char *log = log_of(t, kernel, 3, row_of_4, false);
    assert_int_equal(sscanf(log, format, &places[0], &places[1]), 2);
}

TEST(shared_memory_has_offsets)
{
    unsigned long long at[2];
    find_places(*state, "dynamic", "S4 shared+%llu L4 shared+%llu S4 scratch+12", at);
    assert_int_equal(at[0] % 128, 12);
    assert_int_equal(at[1], at[0] - 4);
    find_places(*state, "arrays", "S2 shared+%llu S4 shared+%llu", at);
    assert_int_equal(at[0] % 128, 0);
    assert_int_equal(at[1] % 128, 12);
}

// Once for each thread, whether it waits or comes last.
TEST(barriers_are_logged)
{
    for (unsigned thread = 0; thread < 4; thread++) {
        g_autofree char *log = log_of(*state, "waits", thread, row_of_4, true);
        char **words = g_strsplit_set(log, " +|0123456789", -1), *text = g_strjoinv("", words);
        assert_string_equal(text, "SscratchWFBSscratch");
        g_free(text);
        g_strfreev(words);
    }
}

TEST(what_is_no_memory_of_the_device_is_wild)
{
    struct bench *t = *state;
    unsigned host = 7, *const pointer = &host, copied = 0;
    must(backend_write(t->rig.backend, t->rig.launch.in.pixels, &pointer, sizeof pointer, &err));
    expect(t, "wild", 5, "L8 in+0 L4 wild S4 scratch+20", NULL);
    must(backend_read(t->rig.backend, &copied, t->rig.scratch + 5, sizeof copied, &err));
    assert_int_equal(copied, host);
}

// How many basic blocks a thread of a block of 4 enters; whether it stores into scratch.
static int count_steps(struct bench *t, const char *kernel, unsigned thread, bool *has_stored)
{
    g_autofree char *log = log_of(t, kernel, thread, row_of_4, true);
    int steps = 0;
    for (const char *c = log; *c; c++) steps += *c == '|';
    *has_stored = strstr(log, "S4 scratch") != NULL;
    return steps;
}

TEST(the_way_through_the_blocks_is_logged)
{
    int steps[4];
    for (unsigned thread = 0; thread < 4; thread++) {
        bool has_stored;
        steps[thread] = count_steps(*state, "branches", thread, &has_stored);
        assert_int_equal(has_stored, thread < 2);
    }
    assert_true(steps[0] > 0);
    assert_true(steps[3] > steps[2]);  // a turn of the loop is at least a block
}

// Where a GPU has an instruction, our loop over bytes or bits is no way of the kernel's.
TEST(instructions_of_a_gpu_have_no_ways_inside)
{
    bool has_stored;
    const int steps = count_steps(*state, "intrinsics", 1, &has_stored);
    assert_true(has_stored);
    assert_int_equal(steps, count_steps(*state, "words", 1, &has_stored));
}

TEST(blocks_of_the_whole_grid_come_once_each)
{
    struct seen s = {.bench = *state, .thread = 3, .text = g_string_new(NULL)};
    run(*state, "bytes", (struct shape){7, 5, 3, 2}, &(struct trace){see, &s, -1, 0, MANY});
    assert_int_equal(s.blocks, 7 * 5 * 2);  // in both planes
    g_string_free(s.text, TRUE);
}

TEST(a_trace_may_want_no_more)
{
    struct bench *t = *state;
    struct seen s = {.bench = t, .text = g_string_new(NULL), .wanted = 3};
    const struct trace trace = {see, &s, -1, 0, MANY};
    run(t, "words", (struct shape){100, 100, 8, 8}, &trace);
    assert_true(s.blocks >= 3 && s.blocks < 100 * 100);
    assert_int_equal(backend_poll(t->rig.backend, &err), BACKEND_IDLE);
    s.wanted = 0;
    run(t, "words", (struct shape){1, 1, 8, 8}, &trace);
    g_string_free(s.text, TRUE);
}

// A new log has 64 events: those of all threads are more than the bound, and are cut meanwhile.
// A launch of the whole grid leaves none to the next one.
TEST(logs_that_are_cut_hold_what_was_done)
{
    const struct shape shape = {1, 1, 128, 1};
    for (unsigned thread = 0; thread < 128; thread += 31) {
        struct seen s = {
            .bench = *state, .thread = thread, .has_flow = true, .text = g_string_new(NULL)};
        g_autofree char *wanted = log_of(*state, "waits", thread, shape, true);
        run(*state, "waits", shape, &(struct trace){see, &s, -1, 0, MANY});
        g_string_truncate(s.text, 0);
        run(*state, "waits", shape, &(struct trace){see, &s, 0, 0, 2000});
        assert_string_equal(g_strchomp(s.text->str), wanted);
        g_string_free(s.text, TRUE);
    }
}

// ---- blocks that do the same ----

// One CPU thread, block after block.
static struct bench *set_up_alone(void)
{
    struct bench *t;
    g_setenv("TILESCOPE_THREADS", "1", TRUE);
    set_up((void **)&t);
    g_unsetenv("TILESCOPE_THREADS");
    return t;
}

struct told {
    struct seen seen;
    bool is_enough;
    GString *blocks;  // a letter each: l, it had a log; s, it did the same
};

static bool take_log(void *data, int worker, const struct trace_block *block)
{
    struct told *t = data;
    g_string_append_c(t->blocks, 'l');
    return see(&t->seen, worker, block);
}

static bool take_same(void *data, int worker)
{
    const struct told *t = data;
    assert_int_equal(worker, 0);
    if (t->is_enough) g_string_append_c(t->blocks, 's');
    return t->is_enough;
}

// What a thread did in each of the blocks that had a log. scratch_bytes: of the piece.
static char *follow(struct bench *t, const char *kernel, struct shape shape, unsigned thread,
                    bool is_enough, size_t scratch_bytes, char **blocks)
{
    const struct launch *const l = &t->rig.launch;
    const struct trace_piece pieces[] = {
        {(uintptr_t)l->in.pixels, planes_bytes(l->in)},
        {(uintptr_t)l->out.pixels, planes_bytes(l->out)},
        {(uintptr_t)l->scratch, scratch_bytes},
        {(uintptr_t)t->weights, TABLE_BYTES},
    };
    struct told told = {
        {.bench = t, .thread = thread, .has_flow = true, .text = g_string_new(NULL)},
        is_enough,
        g_string_new(NULL)};
    const struct trace trace = {
        .block = take_log,
        .data = &told,
        .only_x = -1,
        .max_events = MANY,
        .same = blocks ? take_same : NULL,
        .pieces = pieces,
        .piece_count = G_N_ELEMENTS(pieces),
    };
    run(t, kernel, shape, &trace);
    if (blocks) *blocks = g_string_free(told.blocks, FALSE);
    if (!blocks) g_string_free(told.blocks, TRUE);
    return g_string_free(told.seen.text, FALSE);
}

// Of the eight blocks of a plane the sixth has a thread that does more. The last one is the same
// even though it reaches the piece's end, but not if it passes that.
TEST(blocks_that_do_the_same_need_no_log)
{
    static const struct {
        size_t blocks;  // whose words the piece has; a plane's are 128
        const char *wanted;
    } cases[] = {{256, "lssssllsssssslls"}, {136, "lssssllsssssslls"}, {135, "lssssllsssssslll"}};
    struct bench *t = set_up_alone();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *blocks = NULL;
        g_autofree char *text = follow(t, "shifts", (struct shape){8, 1, 32, 1}, 17, true,
                                       cases[i].blocks * 128, &blocks);
        if (strcmp(blocks, cases[i].wanted)) fail_msg("%s: %s", blocks, text);
        assert_int_equal(strstr(text, "wild") != NULL, cases[i].blocks == 135);
    }
    tear_down((void **)&t);
}

// A log that was followed, and is wanted after all or from some event on, is what it would be
// otherwise. In some blocks of `masks` another thread begins where the steps that are known end.
TEST(logs_that_were_followed_are_those_of_the_block)
{
    static const char *const kernels[] = {
        "shifts",    "bytes",           "vectors", "structs", "textures",
        "constants", "device_variable", "dynamic", "atomics", "shuffles",
        "waits",     "branches",        "rounds",  "longer",  "masks"};
    static const struct shape shapes[] = {{8, 1, 32, 1}, {3, 2, 16, 4}};
    struct bench *t = set_up_alone();
    for (size_t i = 0; i < G_N_ELEMENTS(kernels) * 2 * 3; i++) {
        const char *const kernel = kernels[i / 6];
        const struct shape shape = shapes[i % 2];
        const unsigned thread = (unsigned)(i / 2 % 3) * 8 + 1;
        g_autofree char *blocks = NULL;
        g_autofree char *wanted = follow(t, kernel, shape, thread, false, SCRATCH_BYTES, NULL);
        g_autofree char *text = follow(t, kernel, shape, thread, false, SCRATCH_BYTES, &blocks);
        assert_string_equal(text, wanted);
        assert_int_equal(strlen(blocks), shape.columns * shape.rows * 2);
    }
    tear_down((void **)&t);
}

// After four blocks that differ from the one before, only each sixteenth is followed. Of the forty
// blocks of a plane the last twenty are the same.
TEST(blocks_that_differ_are_hardly_followed)
{
    struct bench *t = set_up_alone();
    g_autofree char *blocks = NULL;
    g_free(follow(t, "longer", (struct shape){40, 1, 32, 1}, 0, true, SCRATCH_BYTES, &blocks));
    assert_int_equal(strlen(blocks), 80);
    for (int i = 0; i < 80; i++) assert_int_equal(blocks[i], i % 40 < 36 ? 'l' : 's');
    tear_down((void **)&t);
}

// A struct has words in a piece and words behind it. They are logged alike with and without a log
// that is followed.
TEST(a_struct_that_passes_the_end_is_not_the_same)
{
    struct bench *t = set_up_alone();
    for (size_t less = 0; less < 32; less += 4) {
        g_autofree char *blocks = NULL;
        g_autofree char *text =
            follow(t, "larger", (struct shape){8, 1, 4, 1}, 3, true, 8 * 128 - less, &blocks);
        if (!g_str_has_prefix(blocks, less ? "lssssssl" : "lsssssss"))
            fail_msg("%zu less: %s: %s", less, blocks, text);
        g_autofree char *late = NULL;
        g_autofree char *whole =
            follow(t, "larger", (struct shape){8, 1, 4, 1}, 3, false, 8 * 128 - less, &late);
        g_autofree char *wanted =
            follow(t, "larger", (struct shape){8, 1, 4, 1}, 3, false, 8 * 128 - less, NULL);
        assert_string_equal(whole, wanted);
    }
    tear_down((void **)&t);
}

TEST(a_module_that_is_traced_runs_without_a_trace)
{
    struct bench *t = *state;
    unsigned word = 0;
    must(backend_fill(t->rig.backend, t->rig.scratch, 0, 4, &err));
    run(t, "words", (struct shape){1, 1, 1, 1}, NULL);
    must(backend_read(t->rig.backend, &word, t->rig.scratch, sizeof word, &err));
    assert_true(word == 1 || word == 2);  // two planes, one scratch each
}

// ---- lines ----

struct sites {
    unsigned int of[8];
    int count;
};

static bool take_sites(void *data, int worker, const struct trace_block *block)
{
    struct sites *s = data;
    for (size_t i = 0; i < block->threads[0].count && s->count < 8; i++)
        if (block->threads[0].events[i].kind != TRACE_FLOW)
            s->of[s->count++] = block->threads[0].events[i].site;
    return true;
}

// Of the kernel's only statement, which is below its head.
static int line_of(const char *kernel)
{
    g_autofree char *head = g_strdup_printf("__global__ void %s(", kernel);
    int line = 2;
    for (const char *c = source; c < strstr(source, head); c++) line += *c == '\n';
    return line;
}

// Finds the lines of all accesses of a kernel's first thread.
static void find_lines(struct bench *t, const char *kernel, struct trace_chain *chains, int count)
{
    struct sites sites = {.count = 0};
    run(t, kernel, (struct shape){1, 1, 1, 1}, &(struct trace){take_sites, &sites, 0, 0, MANY});
    assert_int_equal(sites.count, count);
    must(backend_find_lines(t->rig.backend, t->rig.module, sites.of, count, chains, &err));
}

static void assert_place(const struct trace_chain *chain, int place, const char *file, int line)
{
    assert_string_equal(chain->places[place].file, file);
    if (line) assert_int_equal(chain->places[place].line, line);
    assert_true(chain->count > place);
}

TEST(sites_have_lines)
{
    struct trace_chain chains[8];
    const int line = line_of("textures");
    find_lines(*state, "textures", chains, 3);
    for (int i = 0; i < 2; i++) {  // fetch() and load()
        assert_int_equal(chains[i].count, 2);
        assert_place(&chains[i], 0, "kernel.h", 0);
        assert_place(&chains[i], 1, "planted.cu", line);
    }
    assert_true(chains[0].places[0].line != chains[1].places[0].line);
    assert_int_equal(chains[2].count, 1);
    assert_place(&chains[2], 0, "planted.cu", line);
}

// The word that reads is where the kernel uses it.
TEST(a_word_is_in_the_line_that_uses_it)
{
    struct trace_chain chains[8];
    find_lines(*state, "hinted_words", chains, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chains[i].count, 1);
        assert_place(&chains[i], 0, "planted.cu", line_of("hinted_words"));
    }
}

// GCC makes one store of the two at the ends of an if, and gives it no line of its own.
TEST(a_store_at_the_end_of_both_ways_is_in_the_kernel)
{
    struct trace_chain chains[8];
    find_lines(*state, "both_ways", chains, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(chains[i].count, 1);
        assert_place(&chains[i], 0, "planted.cu", 0);
    }
}

// ---- kernels that go wrong ----

// cut: what the first thread of a block that the processor stopped did; NULL: none is stopped.
static void expect_failure(const char *kernel, size_t max_events, const char *why, const char *cut)
{
    struct bench *t;
    set_up((void **)&t);
    struct seen s = {.bench = t, .text = g_string_new(NULL)};
    begin(t, kernel, (struct shape){3, 1, 4, 2}, &(struct trace){see, &s, -1, 0, max_events});
    assert_false(backend_wait(t->rig.backend, &err));
    if (!strstr(err.text, why)) fail_msg("%s: '%s', not '%s'", kernel, err.text, why);
    assert_int_equal(s.cut, cut != NULL);
    if (cut && !strstr(s.text->str, cut)) fail_msg("%s: %s", kernel, s.text->str);
    g_string_free(s.text, TRUE);
    tear_down((void **)&t);
}

TEST(too_much_is_refused)
{
    expect_failure("endless", 5000, " is too long to be traced: it was stopped after ", NULL);
    expect_failure("words", 10, " is too long to be traced", NULL);
}

TEST(an_assertion_ends_the_launch)
{
    expect_failure("refuses", MANY, ", 0) fails in planted.cu:", NULL);
    assert_true(g_str_has_suffix(err.text, ": assert(T != 2)"));
    assert_non_null(strstr(err.text, "refuses: thread (2, 0, 0) of block ("));
}

// Its log would be another thread's. Blocks run side by side, and the first to fail is named.
TEST(a_thread_keeps_its_name)
{
    expect_failure("renamed", MANY, ", 0) changes threadIdx, which is only to be read", NULL);
}

// The thread that ran the stopped launch is abandoned; the next launch runs without a trace, on a
// thread that must find no log of the first.
TEST(a_launch_behind_a_stopped_one_logs_nothing)
{
    endless_skip();
    struct bench *t;
    set_up((void **)&t);
    alarm(300);
    struct seen s = {.bench = t, .text = g_string_new(NULL)};
    const struct trace trace = {see, &s, 0, 0, MANY};
    const volatile unsigned *const begun = (const volatile unsigned *)t->rig.scratch;
    begin(t, "stuck", (struct shape){1, 1, 1, 1}, &trace);
    while (*begun != 77) g_usleep(1000);
    backend_cancel(t->rig.backend);
    must(backend_wait(t->rig.backend, &err));
    run(t, "words", (struct shape){1, 1, 8, 8}, NULL);
    alarm(0);
    g_string_free(s.text, TRUE);
    tear_down((void **)&t);
}

TEST(a_fault_is_survived)
{
    leave_faults();
    expect_failure("faulty", MANY,
                   "thread (0, 0, 0) of block (1, 0, 0) reads or writes outside its memory",
                   "S4 wild cut\n");
}

int main(void)
{
    return run_with_each_compiler(set_up, tear_down);
}
