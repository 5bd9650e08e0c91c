// What is kept apart, what is added up, and that the parts of several workers make the whole.
#include "unit.h"

#include "lens/counting.h"

CLOSER(counting, counting_destroy)

enum { SITES = 150, BASE = 1 << 20 };

static const struct lens_memory memory[] = {
    {.name = "a", .address = BASE, .bytes = 1 << 20, .element_bytes = 4}};
static struct tracing_watch watch;

static struct counting *create_of(bool is_whole)
{
    const struct counting_setup setup = {
        .config = {.grid_width = 4, .grid_height = 1, .grid_depth = 1},
        .is_whole = is_whole,
        .memory = memory,
        .memory_count = 1,
        .watch = &watch};
    return counting_create(&setup);
}

static struct counting *create(void)
{
    return create_of(true);
}

static struct trace_event event(unsigned int site, int space, int kind, int bytes)
{
    return (struct trace_event){.address = BASE,
                                .site = site,
                                .space = (unsigned char)space,
                                .kind = (unsigned char)kind,
                                .bytes = (unsigned char)bytes};
}

enum { LAYER = 1000 };  // blocks

// A block, number `at`, of one thread that does this.
static void add(struct counting *c, int worker, int at, const struct trace_event *events,
                size_t count)
{
    const struct trace_thread thread = {events, count};
    const struct trace_block block = {.x = at % LAYER,
                                      .z = at / LAYER,
                                      .width = 1,
                                      .height = 1,
                                      .threads = &thread,
                                      .shared_bytes = (size_t)BASE + 16};
    const struct trace *t = counting_trace(c);
    assert_true(t->block(t->data, worker, &block));
}

static struct lens_pass fill(struct counting *c)
{
    struct lens_pass pass = {.step_count = 0};
    g_autoptr(GHashTable) no_lines = g_hash_table_new(NULL, NULL);
    counting_fill(c, no_lines, &pass);
    return pass;
}

TEST(nothing)
{
    OWNED(close_counting) struct counting *c = create();
    int count = -1;
    assert_true(counting_is_settled(c));
    counting_rows(c, &count);
    assert_int_equal(count, 0);
    struct lens_pass pass = fill(c);
    assert_int_equal(pass.line_count, 0);
    assert_int_equal(pass.counts[TRACE_GLOBAL][TRACE_LOAD].requests, 0);
    lens_result_free_pass(&pass);
    counting_destroy(NULL);
}

TEST(a_block_of_nothing_has_no_steps)
{
    OWNED(close_counting) struct counting *c = create_of(false);
    struct lens_pass pass = fill(c);
    assert_int_equal(pass.step_count, 0);
    lens_result_free_pass(&pass);
}

TEST(instructions_are_kept_apart)
{
    const struct trace_event events[] = {
        event(900, TRACE_GLOBAL, TRACE_STORE, 4), event(20, TRACE_SHARED, TRACE_LOAD, 4),
        event(20, TRACE_GLOBAL, TRACE_LOAD, 4),   event(20, TRACE_GLOBAL, TRACE_LOAD, 16),
        event(900, TRACE_GLOBAL, TRACE_STORE, 4), event(900, TRACE_GLOBAL, TRACE_ATOMIC, 4),
    };
    static const struct counting_row expected[] = {
        {20, TRACE_LOAD, TRACE_GLOBAL, 4, {.requests = 1}},
        {20, TRACE_LOAD, TRACE_GLOBAL, 16, {.requests = 1}},
        {20, TRACE_LOAD, TRACE_SHARED, 4, {.requests = 1}},
        {900, TRACE_STORE, TRACE_GLOBAL, 4, {.requests = 2}},
        {900, TRACE_ATOMIC, TRACE_GLOBAL, 4, {.requests = 1}},
    };
    OWNED(close_counting) struct counting *c = create();
    add(c, 0, 0, events, G_N_ELEMENTS(events));
    assert_true(counting_is_settled(c));
    int count;
    const struct counting_row *rows = counting_rows(c, &count);
    assert_int_equal(count, 5);
    for (int i = 0; i < count; i++) {
        assert_int_equal(rows[i].site, expected[i].site);
        assert_int_equal(rows[i].kind, expected[i].kind);
        assert_int_equal(rows[i].space, expected[i].space);
        assert_int_equal(rows[i].bytes, expected[i].bytes);
        assert_int_equal(rows[i].counts.requests, expected[i].counts.requests);
    }
    struct lens_pass pass = fill(c);
    const struct lens_counts *loads = &pass.counts[TRACE_GLOBAL][TRACE_LOAD];
    assert_int_equal(loads->requests, 2);
    assert_int_equal(loads->wanted_bytes, 20);
    lens_result_free_pass(&pass);
}

// An instruction has one row, whichever workers have met it and in whatever order. What follows
// another way than before makes the first round void.
TEST(parts_make_the_whole)
{
    struct trace_event falling[100], rising[SITES], other[2];
    for (unsigned int i = 0; i < 100; i++) falling[i] = event(100 - i, TRACE_GLOBAL, TRACE_LOAD, 4);
    for (unsigned int i = 0; i < SITES; i++) rising[i] = event(i + 1, TRACE_GLOBAL, TRACE_LOAD, 4);
    for (unsigned int i = 0; i < 2; i++) other[i] = event(1000 + i, TRACE_GLOBAL, TRACE_FLOW, 0);
    OWNED(close_counting) struct counting *c = create();
    int count, rounds = 0;
    do {
        add(c, 3, 0, falling, 100);
        add(c, 0, 1, rising, SITES);
        add(c, 1, 2, other, 2);
    } while (!counting_is_settled(c) && ++rounds < 3);
    const struct counting_row *rows = counting_rows(c, &count);
    assert_int_equal(count, SITES);
    for (int i = 0; i < count; i++) {
        assert_int_equal(rows[i].site, i + 1);
        assert_int_equal(rows[i].counts.requests, i < 100 ? 2 : 1);
    }
    struct lens_pass pass = fill(c);
    assert_int_equal(pass.counts[TRACE_GLOBAL][TRACE_LOAD].sectors, 250);
    lens_result_free_pass(&pass);
}

// Blocks that are alike count as often as they are, and those that are not, by what they do.
TEST(alike_blocks_count_each)
{
    enum { LANES = 32, BLOCKS = 300 };
    struct trace_event events[LANES];
    struct trace_thread threads[LANES];
    OWNED(close_counting) struct counting *c = create();
    const struct trace *t = counting_trace(c);
    for (int x = 0; x < BLOCKS; x++) {
        for (int i = 0; i < LANES; i++) {
            events[i] = event(1, TRACE_GLOBAL, TRACE_LOAD, 4);
            events[i].address += (unsigned)(4 * i + (x % 3 == 2 ? 16 : 128 * x));
            threads[i] = (struct trace_thread){&events[i], 1};
        }
        const struct trace_block block = {.x = x, .width = LANES, .height = 1, .threads = threads};
        assert_true(t->block(t->data, x % 2, &block));
    }
    assert_true(counting_is_settled(c));
    struct lens_pass pass = fill(c);
    const struct lens_counts *loads = &pass.counts[TRACE_GLOBAL][TRACE_LOAD];
    assert_int_equal(loads->requests, BLOCKS);
    assert_int_equal(loads->sectors, BLOCKS / 3 * (4 + 4 + 5));
    lens_result_free_pass(&pass);
}

// Each is told once, of the first block, whichever worker had that.
TEST(accesses_outside_are_told_once)
{
    struct trace_event events[] = {
        event(7, TRACE_GLOBAL, TRACE_LOAD, 4), event(7, TRACE_GLOBAL, TRACE_LOAD, 4),
        event(8, TRACE_GLOBAL, TRACE_STORE, 4), event(9, TRACE_GLOBAL, TRACE_LOAD, 4)};
    for (size_t i = 0; i < 3; i++) events[i].address = BASE - 4 * (i + 1);
    OWNED(close_counting) struct counting *c = create();
    add(c, 1, LAYER, events, G_N_ELEMENTS(events));
    add(c, 2, 3, events, G_N_ELEMENTS(events));
    add(c, 5, 1, events, G_N_ELEMENTS(events));
    add(c, 0, 2, events, G_N_ELEMENTS(events));
    assert_true(counting_is_settled(c));
    assert_int_equal(counting_outside(c)->block[0], 1);
    struct lens_pass pass = fill(c);
    assert_int_equal(pass.outside_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pass.outside[i].kind, i ? TRACE_STORE : TRACE_LOAD);
        assert_int_equal(pass.outside[i].block[0], 1);
        assert_int_equal(pass.outside[i].at, i ? -12 : -4);
    }
    lens_result_free_pass(&pass);
}

// ---- which accesses are outside, of which array, and how that is said ----

enum { A = 1 << 20, B = A + 1024, FAR = 4096 };

static const struct lens_memory pieces[] = {
    {.name = "b", .address = B, .bytes = 400, .element_bytes = 4},
    {.name = "a", .address = A, .bytes = 1000, .element_bytes = 1},
};

// What is said of thread 5 of block (1, 2), which is 4 threads wide; empty: it is inside.
static void expect(struct trace_event e, const char *wanted)
{
    const struct trace_block block = {
        .x = 1, .y = 2, .width = 4, .height = 2, .shared_bytes = 96, .static_bytes = 64};
    struct lens_outside o;
    char said[192] = "";
    const bool is_outside = counting_finds_outside(&block, 5, &e, pieces, G_N_ELEMENTS(pieces), &o);
    if (is_outside) lens_result_append_outside(&o, said, sizeof said);
    assert_string_equal(said, wanted);
    assert_int_equal(is_outside, *wanted != '\0');
}

TEST(an_access_outside_names_the_layer)
{
    static const struct {
        int layers, grid_layers;
        const char *wanted;
    } rows[] = {
        {1, 1, "thread (1, 5) of block (1, 2) "},
        {4, 1, "thread (1, 1, 2) of block (1, 2, 3) "},
        {1, 6, "thread (1, 5, 0) of block (1, 2, 3) "},
    };
    const struct trace_event e = {
        .address = B + 400, .kind = TRACE_LOAD, .space = TRACE_GLOBAL, .bytes = 4};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct trace_block block = {.x = 1,
                                          .y = 2,
                                          .z = 3,
                                          .width = 4,
                                          .height = 8,
                                          .layers = rows[i].layers,
                                          .grid_layers = rows[i].grid_layers};
        struct lens_outside o;
        char said[192] = "";
        assert_true(counting_finds_outside(&block, 21, &e, pieces, G_N_ELEMENTS(pieces), &o));
        lens_result_append_outside(&o, said, sizeof said);
        if (!g_str_has_prefix(said, rows[i].wanted)) fail_msg("%s", said);
    }
}

#define WHO "thread (1, 1) of block (1, 2) "

TEST(global_memory_ends_where_its_arrays_do)
{
    static const struct {
        unsigned long long address;
        unsigned char bytes;
        const char *wanted;
    } loads[] = {
        {A, 1, ""},
        {A + 999, 1, ""},
        {A + 998, 4, WHO "reads a[998]; a has 1000 elements"},
        {A + 1000, 1, WHO "reads a[1000]; a has 1000 elements"},
        {B - 1, 1, WHO "reads a[1023]; a has 1000 elements"},
        {B, 16, ""},
        {B + 396, 4, ""},
        {B + 396, 8, WHO "reads b[99]; b has 100 elements"},
        {B + 400, 4, WHO "reads b[100]; b has 100 elements"},
        {B + 400 + FAR - 4, 4, WHO "reads b[1123]; b has 100 elements"},
        {B + 400 + FAR, 4, ""},
        {A - 1, 1, WHO "reads a[-1]; a has 1000 elements"},
        {A - FAR, 4, WHO "reads a[-4096]; a has 1000 elements"},
        {A - FAR - 1, 1, ""},
        {0, 4, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(loads); i++)
        expect((struct trace_event){.address = loads[i].address,
                                    .kind = TRACE_LOAD,
                                    .space = TRACE_GLOBAL,
                                    .bytes = loads[i].bytes},
               loads[i].wanted);
}

TEST(a_wild_access_is_outside_wherever_it_is)
{
    struct trace_event e = {
        .kind = TRACE_STORE, .space = TRACE_GLOBAL, .bytes = 4, .is_wild = 1, .address = 8};
    expect(e, WHO "writes a[-1048568]; a has 1000 elements");
    e.address = B + 400 + FAR;
    expect(e, WHO "writes b[1124]; b has 100 elements");
    e.address = A + 1004;
    expect(e, WHO "writes a[1004]; a has 1000 elements");
    e.address = A + 1020;
    expect(e, WHO "writes b[-1]; b has 100 elements");
    e.address = B + (1ull << 40);
    expect(e, WHO "writes address 0x10000100400, where there is no array");
    e.address = B + 400;
    expect(e, WHO "writes b[100]; b has 100 elements");
}

TEST(shared_memory_ends_behind_the_tile)
{
    struct trace_event e = {.kind = TRACE_STORE, .space = TRACE_SHARED, .bytes = 4};
    e.address = 92;
    expect(e, "");
    e.address = 96;
    expect(e, WHO "writes tile[8]; tile has 32 bytes of shared memory (8 elements)");
    e.kind = TRACE_FLOW;
    expect(e, "");
}

TEST(what_is_before_whole_words_counts_from_minus_one)
{
    const struct lens_outside o = {
        .kind = TRACE_STORE, .array = "b", .at = -1, .array_bytes = 400, .element_bytes = 4};
    char said[192] = "";
    lens_result_append_outside(&o, said, sizeof said);
    assert_string_equal(said, "thread (0, 0) of block (0, 0) writes b[-1]; b has 100 elements");
}
