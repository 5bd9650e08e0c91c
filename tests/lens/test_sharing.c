// test_sharing -- how many requests, warps and blocks touch a sector, of launches whose answer is
// known: a broadcast, a stencil's halo, columns of a matrix, and two passes over a picture.
#include "unit.h"

#include "bench.h"
#include "lens/counting.h"
#include "lens/share.h"
#include "lens/sharing.h"

CLOSER(sharing, sharing_destroy)

#define ON_BENCH(name) TEST_OF(struct bench *b, name, NULL, NULL)

enum { N = 256, SECTORS = N / 8 };

// Blocks of two warps.
static const char planted[] =
    "//! lab \"Planted\"\n"
    "//! array x in  [256] noise 0, 9\n"
    "//! array y out [256] shown 0, 99\n"
    "#include \"lab.h\"\n"
    "#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)\n"
    "//! variant broadcast 64x1\n"
    "__global__ void planted_broadcast(float *y, const float *x) { y[I] = x[9]; }\n"
    "//! variant stencil 64x1\n"
    "__global__ void planted_stencil(float *y, const float *x)\n"
    "{\n"
    "    float sum = x[I];\n"
    "    if (I > 0) sum += x[I - 1];\n"
    "    if (I < 255) sum += x[I + 1];\n"
    "    y[I] = sum;\n"
    "}\n";
static struct filter planted_lab;

static struct tracing_request planted_request(const char *variant)
{
    const struct tracing_request r = {
        .is_whole = true,
        .has_sectors = true,
        .choice = {.filter = &planted_lab, .variant = filter_variant(&planted_lab, variant)}};
    assert_non_null(r.choice.variant);
    return r;
}

static const struct sharing_array *array_of(const struct lens_result *r, const struct sharing *s,
                                            const char *name)
{
    int i = 0;
    while (i < r->memory_count && strcmp(r->memory[i].name, name)) i++;
    assert_true(s && i < s->array_count);
    return &s->arrays[i];
}

static void expect(const struct sharing_array *a, size_t sector, unsigned int requests,
                   unsigned int warps, unsigned int blocks)
{
    const unsigned int *const found = a->groups[sector];
    if (found[SHARING_REQUESTS] != requests || found[SHARING_WARPS] != warps ||
        found[SHARING_BLOCKS] != blocks)
        fail_msg("sector %zu: %u requests, %u warps, %u blocks", sector, found[SHARING_REQUESTS],
                 found[SHARING_WARPS], found[SHARING_BLOCKS]);
}

ON_BENCH(all_warps_read_one_sector)
{
    const struct tracing_request r = planted_request("broadcast");
    const struct lens_result *whole = bench_trace(b, &r);
    const struct sharing_array *x = array_of(whole, whole->sharing, "x");
    const struct sharing_array *y = array_of(whole, whole->sharing, "y");
    assert_int_equal(x->count, SECTORS);
    for (size_t i = 0; i < SECTORS; i++) {
        if (i == 1)
            expect(x, i, N / 32, N / 32, N / 64);
        else
            expect(x, i, 0, 0, 0);
        expect(y, i, 1, 1, 1);
    }
    assert_int_equal(sharing_most(x, SHARING_WARPS, 0, 4 * N), N / 32);
    assert_int_equal(sharing_most(x, SHARING_WARPS, 31, 1), 0);
    assert_int_equal(sharing_most(x, SHARING_WARPS, 31, 2), N / 32);
    assert_int_equal(sharing_most(x, SHARING_BLOCKS, (size_t)1 << 40, 4), 0);
}

// A warp has four sectors, and reads a word of both neighbours'.
ON_BENCH(a_halo_is_read_by_two_blocks)
{
    const struct tracing_request r = planted_request("stencil");
    const struct lens_result *whole = bench_trace(b, &r);
    const struct sharing_array *x = array_of(whole, whole->sharing, "x");
    for (size_t i = 0; i < SECTORS; i++) {
        const bool is_shared = (i % 4 == 0 && i > 0) || (i % 4 == 3 && i < SECTORS - 1);
        const bool is_halo = is_shared && (i % 8 == 0 || i % 8 == 7);
        expect(x, i, 3 + is_shared, 1 + is_shared, 1 + is_halo);
    }
}

static void expect_transpose(struct bench *b, const char *variant, unsigned int reads,
                             unsigned int writes)
{
    struct tracing_request r = bench_request(b, "transpose", variant);
    r.has_sectors = true;
    for (int i = 0; i < r.choice.filter->param_count; i++) r.choice.settings.params.v[i] = 64;
    const struct lens_result *whole = bench_trace(b, &r);
    for (size_t i = 0; i < 64 * 64 / 8; i++) {
        expect(array_of(whole, whole->sharing, "a"), i, reads, reads, 1);
        expect(array_of(whole, whole->sharing, "b"), i, writes, writes, 1);
    }
}

// Blocks of 32×8: the eight warps of one take a word each of a sector, where they go down a column.
ON_BENCH(columns_are_shared_by_warps)
{
    expect_transpose(b, "read_columns", 8, 1);
    expect_transpose(b, "write_columns", 1, 8);
}

// What blocks count one by one, from their requests, adds up to what the launch counts, of both
// passes.
static void expect_sum_of_blocks(struct bench *b, const char *variant)
{
    struct tracing_request r = bench_request(b, "mean", variant);
    r.has_sectors = true;
    const struct lens_result *whole = bench_trace(b, &r);
    assert_non_null(whole->sharing);
    OWNED(close_sharing) struct sharing *sum = sharing_create(whole->memory, whole->memory_count);
    const struct launch_config c = whole->passes[0].config;
    r.is_whole = false;
    for (int i = 0; i < c.grid_width * c.grid_height; i++) {
        r.x = i % c.grid_width * c.block_width;
        r.y = i / c.grid_width * c.block_height;
        const struct lens_result *one = bench_trace(b, &r);
        assert_null(one->sharing);
        OWNED(close_sharing) struct sharing *of_block = sharing_of_block(one);
        assert_non_null(of_block);
        sharing_add(sum, of_block);
    }
    unsigned int halo = 0;
    for (int i = 0; i < sum->array_count; i++) {
        const struct sharing_array *all = &whole->sharing->arrays[i], *a = &sum->arrays[i];
        assert_int_equal(a->count, all->count);
        assert_memory_equal(a->groups, all->groups, a->count * sizeof *a->groups);
        halo = MAX(halo, sharing_most(a, SHARING_BLOCKS, 0, whole->memory[i].bytes));
    }
    assert_true(halo > 1);
}

ON_BENCH(blocks_sum_up_to_the_launch)
{
    bench_make_picture(b, 70, 50, 1);
    expect_sum_of_blocks(b, "naive");
    expect_sum_of_blocks(b, "separable");
    bench_make_picture(b, 512, 512, 1);
}

ON_BENCH(it_is_counted_where_it_was_asked_for)
{
    struct tracing_request r = planted_request("stencil");
    r.has_sectors = false;
    const struct lens_result *whole = bench_trace(b, &r);
    assert_null(whole->sharing);
}

// ---- without a launch ----

// Blocks 0 to 3 of one thread, on several workers; the round that is void counts nothing.
TEST(workers_make_one_count)
{
    enum { BASE = 1 << 20 };
    static const struct lens_memory memory[] = {
        {.name = "a", .address = BASE, .bytes = 256, .element_bytes = 4},
        {.name = "b", .address = BASE + 512, .bytes = 4, .element_bytes = 4}};
    static struct tracing_watch watch;
    OWNED(close_sharing) struct sharing *s = sharing_create(memory, 2);
    const struct counting_setup setup = {
        .config = {.grid_width = 4, .grid_height = 1, .grid_depth = 1},
        .is_whole = true,
        .memory = memory,
        .memory_count = 2,
        .watch = &watch,
        .sharing = s};
    struct trace_event events[4];
    for (unsigned int i = 0; i < 4; i++)
        events[i] = (struct trace_event){.address = BASE + (i < 3 ? 16 * i : 512),
                                         .site = 9 - i,
                                         .space = TRACE_GLOBAL,
                                         .kind = TRACE_LOAD,
                                         .bytes = 4};
    struct counting *c = counting_create(&setup);
    const struct trace_thread thread = {events, 4};
    const struct trace *t = counting_trace(c);
    for (int x = 0; x < 4; x++) {
        const struct trace_block block = {.x = x, .width = 1, .height = 1, .threads = &thread};
        assert_true(t->block(t->data, x % 3, &block));
    }
    assert_true(counting_is_settled(c));
    counting_destroy(c);
    assert_int_equal(s->arrays[0].count, 8);
    assert_int_equal(s->arrays[1].count, 1);
    expect(&s->arrays[0], 0, 8, 4, 4);
    expect(&s->arrays[0], 1, 4, 4, 4);
    expect(&s->arrays[0], 2, 0, 0, 0);
    expect(&s->arrays[1], 0, 4, 4, 4);
    sharing_clear(s);
    expect(&s->arrays[0], 0, 0, 0, 0);
}

// A table of more sectors than fit has one count for several. The second request of the first warp
// touches both sectors of a group, and the second warp one of them.
TEST(large_memory_is_counted_by_groups)
{
    enum { BASE = 1 << 20 };
    struct lens_memory memory[] = {
        {.address = BASE, .bytes = (size_t)SHARE_SECTORS << 20},
        {.address = (unsigned long long)1 << 40, .bytes = 96}};  // begins no group of other memory
    assert_null(sharing_create(memory, 0));
    memory->bytes = memory->bytes / sizeof(unsigned int[SHARING_COUNTS]) * MODEL_SECTOR_BYTES;
    OWNED(close_sharing) struct sharing *s = sharing_create(memory, 1);
    assert_int_equal(s->arrays[0].group, 1);
    sharing_destroy(s);
    s = sharing_create(memory, 2);
    assert_int_equal(s->arrays[0].group, 2);
    g_autoptr(GHashTable) warps = g_hash_table_new(NULL, NULL);
    struct lens_request r = {.active = 1, .kind = TRACE_LOAD, .bytes = 4, .address = {BASE + 192}};
    sharing_count(s, warps, 0, &r);
    r.active = 3;
    r.address[1] = BASE + 224;
    sharing_count(s, warps, 0, &r);
    r.active = 2;
    sharing_count(s, warps, 1, &r);
    r.address[1] = memory[1].address + 64;
    sharing_count(s, warps, 1, &r);
    expect(&s->arrays[0], 2, 0, 0, 0);
    expect(&s->arrays[0], 3, 3, 2, 1);
    expect(&s->arrays[0], 4, 0, 0, 0);
    expect(&s->arrays[1], 0, 0, 0, 0);
    expect(&s->arrays[1], 1, 1, 1, 1);
    assert_int_equal(sharing_most(&s->arrays[0], SHARING_REQUESTS, 0, 192), 0);
    assert_int_equal(sharing_most(&s->arrays[0], SHARING_REQUESTS, 0, 193), 3);
    assert_int_equal(sharing_most(&s->arrays[0], SHARING_WARPS, 192, 1 << 20), 2);
    assert_int_equal(sharing_most(&s->arrays[1], SHARING_WARPS, 95, 1), 1);
    assert_int_equal(sharing_last(&s->arrays[1], 0), 1);
    assert_int_equal(sharing_last(&s->arrays[1], 2), 2);  // it has three
    sharing_clear(s);
    expect(&s->arrays[0], 3, 0, 0, 0);
    sharing_destroy(s);
    memory->bytes *= 4;
    s = sharing_create(memory, 1);
    assert_int_equal(s->arrays[0].group, 4);
    sharing_destroy(NULL);
}

static int set_up(void **state)
{
    must(filter_parse(&planted_lab, "planted.cu", planted, NULL, &err));
    return bench_set_up(state);
}

SUITE("sharing", set_up, bench_tear_down)
