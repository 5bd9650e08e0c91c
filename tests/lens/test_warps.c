// Traced kernels whose lanes part and meet (divergent.cu), with each compiler that is there: the
// counts are worked out by hand.
#include "on_device.h"

#include "device/trace.h"
#include "lens/counting.h"

enum { MANY = 1000000 };

// A kernel, and what one warp of 32 active lanes does.
static const struct row {
    const char *kernel;
    int loads, stores, shared_loads, shared_stores;
    int load_lanes;  // of all loads together
} rows[] = {
    {"divergent_copies", 1, 1, 0, 0, 32},
    {"divergent_branches", 3, 1, 0, 0, 2 * 16 + 32},
    {"divergent_ragged", 15, 1, 0, 0, 3 * (32 + 24 + 16 + 8 + 32)},
    {"divergent_breaks", 8, 1, 0, 0, (32 + 24 + 16 + 8) + (24 + 16 + 8) + 32},
    {"divergent_continues", 6, 1, 0, 0, 4 * 32 + 2 * 16},
    {"divergent_nested", 6, 1, 0, 0, 2 * (32 + 16 + 32)},
    {"divergent_cases", 4, 1, 0, 0, 3 * 8 + 32},
    {"divergent_returns", 3, 2, 0, 0, 16 + 8 + 24},
    {"divergent_tests", 3, 1, 0, 0, 16 + 32},
    {"divergent_barriers", 1, 1, 3, 2, 32},
};

// ---- the device ----

struct bench {
    struct backend *backend;
    struct module *module;
};

static int set_up(void **state)
{
    struct bench *t = g_new0(struct bench, 1);
    g_autofree char *source;
    const char *entries[G_N_ELEMENTS(rows)];
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) entries[i] = rows[i].kernel;
    t->backend = open_device("cpu");
    static const char path[] = TILESCOPE_SOURCE_DIR "/tests/kernels/divergent.cu";
    assert_true(g_file_get_contents(path, &source, NULL, NULL));
    t->module = compile_build(t->backend, (struct build){.path = path,
                                                         .source = source,
                                                         .entries = entries,
                                                         .entry_count = G_N_ELEMENTS(rows),
                                                         .is_traced = true});
    must(t->module != NULL);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    g_autofree struct bench *t = *state;
    backend_unload(t->backend, t->module);
    backend_close(t->backend);
    return 0;
}

// ---- a traced launch ----

static void launch(struct bench *t, int entry, struct planes shape, struct launch_config config,
                   const struct trace *trace)
{
    const int none = 0;
    const struct planes in = planes_at(shape, allocate(t->backend, planes_bytes(shape)));
    const struct planes out = planes_at(shape, allocate(t->backend, planes_bytes(shape)));
    const struct launch l = {.module = t->module,
                             .entry = entry,
                             .config = config,
                             .out = out,
                             .in = in,
                             .params = &none,
                             .params_bytes = sizeof none,
                             .trace = trace};
    must(backend_launch(t->backend, &l, &err) && backend_wait(t->backend, &err));
    backend_free(t->backend, in.pixels);
    backend_free(t->backend, out.pixels);
}

// counts: of each space and kind.
static void trace_kernel(struct bench *t, int entry, int width, int height, int block_width,
                         int block_height, struct lens_counts counts[][LENS_RESULT_KINDS])
{
    struct tracing_watch watch = {0};
    struct lens_pass pass = {.step_count = 0};
    const struct counting_setup setup = {
        .config = {.grid_width = (width - 1) / block_width + 1,
                   .grid_height = (height - 1) / block_height + 1,
                   .grid_depth = 1,
                   .block_width = block_width,
                   .block_height = block_height,
                   .shared_bytes = 4 * (size_t)block_width * (size_t)block_height},
        .is_whole = true,
        .max_events = MANY,
        .watch = &watch};
    struct counting *c = counting_create(&setup);
    g_autoptr(GHashTable) no_lines = g_hash_table_new(NULL, NULL);
    do launch(t, entry, planes_shape(width, height, 1), setup.config, counting_trace(c));
    while (!counting_is_settled(c));
    counting_fill(c, no_lines, &pass);
    memcpy(counts, pass.counts, sizeof pass.counts);
    lens_result_free_pass(&pass);
    counting_destroy(c);
}

// ---- expectations ----

static void assert_count(const char *kernel, const char *what, unsigned long long found,
                         int expected)
{
    if (found != (unsigned long long)expected)
        fail_msg("%s: %llu %s, not %d", kernel, found, what, expected);
}

// Whole warps: 64 x 16 pixels in blocks of 32 x 8 are 32 of them.
TEST(each_way_of_parting)
{
    const int warps = 32;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct row *row = &rows[i];
        struct lens_counts counts[LENS_RESULT_SPACES][LENS_RESULT_KINDS];
        trace_kernel(*state, (int)i, 64, 16, 32, 8, counts);
        const struct lens_counts *global = counts[TRACE_GLOBAL], *shared = counts[TRACE_SHARED];
        assert_count(row->kernel, "loads", global[TRACE_LOAD].requests, row->loads * warps);
        assert_count(row->kernel, "lanes of loads", global[TRACE_LOAD].lanes,
                     row->load_lanes * warps);
        assert_count(row->kernel, "stores", global[TRACE_STORE].requests, row->stores * warps);
        assert_count(row->kernel, "shared loads", shared[TRACE_LOAD].requests,
                     row->shared_loads * warps);
        assert_count(row->kernel, "shared stores", shared[TRACE_STORE].requests,
                     row->shared_stores * warps);
    }
}

// 50 x 11 pixels. In blocks of 32 x 8 a warp is a row of a block: 2 x 11 of them see the picture.
// A block of 7 x 5 has a warp and three threads more, in its last row: all 8 x 3 first warps see
// it; of the others those of two rows of blocks, without the last column.
TEST(edges)
{
    static const struct {
        int width, height, requests;
    } blocks[] = {{32, 8, 2 * 11}, {7, 5, 8 * 3 + 7 * 2}, {1024, 1, 2 * 11}, {1, 1, 50 * 11}};
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
        struct lens_counts counts[LENS_RESULT_SPACES][LENS_RESULT_KINDS];
        trace_kernel(*state, 0, 50, 11, blocks[i].width, blocks[i].height, counts);
        const struct lens_counts *global = counts[TRACE_GLOBAL];
        assert_count("copies", "loads", global[TRACE_LOAD].requests, blocks[i].requests);
        assert_count("copies", "stores", global[TRACE_STORE].requests, blocks[i].requests);
        assert_count("copies", "lanes", global[TRACE_LOAD].lanes, 50 * 11);
        assert_count("copies", "bytes", global[TRACE_STORE].bytes, 50 * 11);
    }
}

int main(void)
{
    return run_with_each_compiler(set_up, tear_down);
}
