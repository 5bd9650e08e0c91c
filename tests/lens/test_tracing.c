// test_tracing -- counts of whole launches and of single blocks, against figures that were measured
// on an H200 or worked out by hand.
#include "unit.h"

#include <math.h>

#include "bench.h"
#include "endless.h"

static struct tracing_request request_of(const struct bench *b, const char *filter,
                                         const char *variant, int radius)
{
    struct tracing_request r = bench_request(b, filter, variant);
    if (radius >= 0) r.choice.settings.params.v[filter_radius(r.choice.filter)] = radius;
    return r;
}

#define ON_BENCH(name) TEST_OF(struct bench *b, name, NULL, NULL)

ON_BENCH(whole_launches_count_as_an_h200_does)
{
    static const struct {
        const char *filter, *variant;
        int radius, pass;
        unsigned long long loads, load_sectors, stores, store_sectors, shared_loads, shared_stores;
    } measured[] = {
        {"mean", "naive", 1, 0, 73728, 119808, 8192, 8192, 0, 0},
        {"mean", "separable", 4, 0, 16384, 31744, 8192, 32768, 73728, 16384},
        {"mean", "separable", 4, 1, 16384, 65536, 8192, 8192, 73728, 16384},
        {"invert", "vector", -1, 0, 512, 8192, 512, 8192, 0, 0},
        {"flip", "vector", -1, 0, 512, 8192, 512, 8192, 0, 0},
        {"flip", "shared", -1, 0, 8192, 8192, 8192, 8192, 8192, 8192},
    };
    const struct lens_result *result = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(measured); i++) {
        const struct tracing_request r =
            request_of(b, measured[i].filter, measured[i].variant, measured[i].radius);
        // Further passes are of the same launch.
        if (measured[i].pass == 0) result = bench_trace(b, &r);
        assert_non_null(result);
        const struct lens_pass *p = &result->passes[measured[i].pass];
        const struct lens_counts *load = &p->counts[TRACE_GLOBAL][TRACE_LOAD];
        const struct lens_counts *store = &p->counts[TRACE_GLOBAL][TRACE_STORE];
        print_message("%s: %llu/%llu %llu/%llu %llu %llu\n", p->kernel, load->requests,
                      load->sectors, store->requests, store->sectors,
                      p->counts[TRACE_SHARED][TRACE_LOAD].wavefronts,
                      p->counts[TRACE_SHARED][TRACE_STORE].wavefronts);
        assert_int_equal(load->requests, measured[i].loads);
        assert_int_equal(load->sectors, measured[i].load_sectors);
        assert_int_equal(store->requests, measured[i].stores);
        assert_int_equal(store->sectors, measured[i].store_sectors);
        assert_int_equal(p->counts[TRACE_SHARED][TRACE_LOAD].wavefronts, measured[i].shared_loads);
        assert_int_equal(p->counts[TRACE_SHARED][TRACE_STORE].wavefronts,
                         measured[i].shared_stores);
    }
}

// With a worker for each of eight processors a log of such a block has no room.
ON_BENCH(long_blocks_are_traced_one_by_one)
{
    static const char text[] = "//! filter \"Long\"\n"
                               "#include \"kernel.h\"\n"
                               "//! variant long 32x32\n"
                               "__global__ void long_one(plane out, plane in)\n"
                               "{\n"
                               "    unsigned int sum = 0;\n"
                               "    for (int i = 0; i < 2600; i++) sum += load(in, i % 64, 0);\n"
                               "    out.pixels[threadIdx.y * out.pitch + threadIdx.x] = sum;\n"
                               "}\n";
    OWNED(filter_finish) struct filter f = {.calls = NULL};
    must(filter_parse(&f, "long.cu", text, NULL, &err));
    bench_make_picture(b, 64, 64, 1);
    const struct tracing_request r = {
        .is_whole = true,
        .picture = b->picture.planes,
        .choice = {.filter = &f, .variant = f.variants, .settings.params = filter_defaults(&f)}};
    char *before = unit_set("TILESCOPE_THREADS", "8");
    struct tracing *small = tracing_create(TILESCOPE_KERNELS, SHARE_WHOLE, &err);
    unit_restore("TILESCOPE_THREADS", before);
    must(small);
    struct lens_result *result = tracing_run(small, &r, &b->watch, &err);
    must(result);
    assert_int_equal(result->passes[0].counts[TRACE_GLOBAL][TRACE_LOAD].requests, 4 * 32 * 2600);
    lens_result_free(result);
    tracing_destroy(small);
}

// The grid of a launch over all multiprocessors is that of the device whose launch it is.
ON_BENCH(grids_are_those_of_another_device)
{
    struct tracing_request r = request_of(b, "histogram", "shared", -1);
    for (int multiprocessors = 2; multiprocessors <= 132; multiprocessors += 130) {
        r.multiprocessors = multiprocessors;
        const struct lens_result *result = bench_trace(b, &r);
        const struct lens_pass *p = &result->passes[result->pass_count - 1];
        assert_int_equal(p->config.grid_width, multiprocessors * 2048 / 256);
    }
}

// ---- block by block ----

// In each variant the second pass reads what the first has written to scratch.
static const char planted[] =
    "//! filter \"Planted\"\n"
    "#include \"kernel.h\"\n"
    "#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)\n"
    "#define IS_INSIDE (X < in.width && Y < in.height)\n"
    "#define WORD scratch[Y * in.width + X]\n"
    "#define OUT out.pixels[Y * out.pitch + X]\n"
    // Where data decides: the second pass writes what it reads, and where that is follows from it.
    "//! variant scattered 8x8\n"
    "__global__ void planted_load(plane in, unsigned int *scratch)\n"
    "{ if (IS_INSIDE) WORD = load(in, X, Y); }\n"
    "//! variant scattered 8x8\n"
    "__global__ void planted_scattered(plane out, plane in, unsigned int *scratch)\n"
    "{\n"
    "    if (!IS_INSIDE) return;\n"
    "    const unsigned int shade = WORD;\n"
    "    if (shade > 100) WORD = shade + 1000;\n"
    "    OUT = load(in, (int)shade % in.width, Y);\n"
    "}\n"
    // A word leads to another one, far away.
    "//! variant linked 8x8\n"
    "__global__ void planted_link(plane in, unsigned int *scratch)\n"
    "{ if (IS_INSIDE) WORD = load(in, X, Y) * 13 % (in.width * in.height); }\n"
    "//! variant linked 8x8\n"
    "__global__ void planted_linked(plane out, plane in, unsigned int *scratch)\n"
    "{\n"
    "    if (!IS_INSIDE) return;\n"
    "    const unsigned int far = scratch[WORD % (in.width * in.height)];\n"
    "    OUT = load(in, (int)(far % 64), Y);\n"
    "}\n"
    // A word is not where its pixel is.
    "//! variant turned 8x8\n"
    "__global__ void planted_turn(plane in, unsigned int *scratch)\n"
    "{ if (IS_INSIDE) scratch[X * in.height + Y] = load(in, X, Y); }\n"
    "//! variant turned 8x8\n"
    "__global__ void planted_turned(plane out, plane in, unsigned int *scratch)\n"
    "{\n"
    "    const int below = (Y + 8) % in.height;\n"
    "    if (IS_INSIDE && scratch[X * in.height + below] > 99) OUT = 1;\n"
    "}\n"
    // Words of one variant lead the other one astray.
    "//! variant large 8x8\n"
    "__global__ void planted_large(plane in, unsigned int *scratch)\n"
    "{ if (IS_INSIDE) WORD = 1u << 31; }\n"
    "//! variant large 8x8\n"
    "__global__ void planted_larger(plane out, plane in, unsigned int *scratch)\n"
    "{ if (IS_INSIDE) OUT = WORD; }\n"
    "//! variant counted 8x8\n"
    "__global__ void planted_count(plane in, unsigned int *scratch)\n"
    "{ if (IS_INSIDE) WORD = load(in, X, Y) % 3; }\n"
    "//! variant counted 8x8\n"
    "__global__ void planted_counted(plane out, plane in, unsigned int *scratch)\n"
    "{\n"
    "    if (!IS_INSIDE) return;\n"
    "    const unsigned int steps = scratch[(Y + 8) % in.height * in.width + X];\n"
    "    if (steps > 2 && X % 2) __syncthreads();  // is refused, where others wait below\n"
    "    for (unsigned int i = 0; i < steps % 4; i++) OUT = i;\n"
    "    __syncthreads();\n"
    "}\n"
    // Far from the block the first pass never ends.
    "//! variant endless 8x8\n"
    "__global__ void planted_endless(plane in, unsigned int *scratch)\n"
    "{\n"
    "    for (volatile int goes_on = X > 40 || Y > 40; goes_on;) ;\n"
    "    if (IS_INSIDE) WORD = load(in, X, Y);\n"
    "}\n"
    "//! variant endless 8x8\n"
    "__global__ void planted_neighbours(plane out, plane in, unsigned int *scratch)\n"
    "{\n"
    "    if (!IS_INSIDE) return;\n"
    "    const int left = X - (X > 0), up = Y - (Y > 0);\n"
    "    OUT = scratch[Y * in.width + left] + scratch[up * in.width + X + 1];\n"
    "}\n"
    // One line reads what many others write, and a second one what its neighbour does.
    "#define AT(i) words[(threadIdx.x + 64 + i) % 64]\n"
    "#define FOUR(i) (AT(i) + AT(i + 1) + AT(i + 2) + AT(i + 3))\n"
    "//! variant racing 64x1 shared=4*64\n"
    "__global__ void planted_racing(plane out, plane in)\n"
    "{\n"
    "    extern __shared__ unsigned int words[];\n"
    "    unsigned int sum = 0;\n"
    "    AT(0) = X;\n"
    "    sum += FOUR(1) + FOUR(5) + FOUR(9) + FOUR(13) + FOUR(17) + FOUR(21);\n"
    "    if (threadIdx.x == 63) sum += AT(-1);\n"
    "    if (IS_INSIDE) OUT = sum;\n"
    "}\n";

static struct filter planted_filter;

static struct tracing_request planted_in(const struct filter *f, const char *variant)
{
    const struct tracing_request r = {
        .choice = {.filter = f, .variant = filter_variant(f, variant)}};
    assert_non_null(r.choice.variant);
    return r;
}

static struct tracing_request planted_request(const char *variant)
{
    return planted_in(&planted_filter, variant);
}

static void add_pass(struct lens_counts *sums, const struct lens_pass *p)
{
    for (int space = 0; space < LENS_RESULT_SPACES; space++)
        for (int kind = 0; kind < LENS_RESULT_KINDS; kind++)
            model_add(&sums[space * LENS_RESULT_KINDS + kind], &p->counts[space][kind]);
}

// What all blocks count one after the other, in an order of their own, is what the launch counts.
// between: what is traced before each of them, so that none finds scratch as it needs it.
static void expect_sum_of_blocks(struct bench *b, struct tracing_request r,
                                 const struct tracing_request *between)
{
    struct lens_counts sums[FILTER_MAX_PASSES][LENS_RESULT_SPACES * LENS_RESULT_KINDS] = {{{0}}};
    struct lens_counts all[FILTER_MAX_PASSES][LENS_RESULT_SPACES * LENS_RESULT_KINDS] = {{{0}}};
    r.is_whole = true;
    const struct lens_result *whole = bench_trace(b, &r);
    const struct launch_config c = whole->passes[0].config;
    for (int i = 0; i < whole->pass_count; i++) add_pass(all[i], &whole->passes[i]);
    r.is_whole = false;
    for (int i = 0; i < c.grid_width * c.grid_height; i++) {
        const int block = i * 11 % (c.grid_width * c.grid_height);
        r.x = block % c.grid_width * c.block_width;
        r.y = block / c.grid_width * c.block_height;
        if (between) bench_trace(b, between);
        const struct lens_result *one = bench_trace(b, &r);
        assert_int_equal(one->passes[0].block_x, block % c.grid_width);
        for (int pass = 0; pass < one->pass_count; pass++) add_pass(sums[pass], &one->passes[pass]);
    }
    assert_memory_equal(sums, all, sizeof sums);
}

ON_BENCH(blocks_sum_up_to_the_launch)
{
    static const char *const variants[] = {"scattered", "linked", "turned"};
    bench_make_picture(b, 70, 50, 1);
    expect_sum_of_blocks(b, request_of(b, "mean", "separable", 4), NULL);
    expect_sum_of_blocks(b, request_of(b, "mean", "naive", 2), NULL);
    bench_make_picture(b, 40, 24, 1);
    struct tracing_request large = planted_request("large");
    large.is_whole = true;
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++)
        expect_sum_of_blocks(b, planted_request(variants[i]), &large);
}

// The counts of the second pass.
static void expect_alike(const struct lens_result *a, const struct lens_result *b)
{
    assert_memory_equal(a->passes[1].counts, b->passes[1].counts, sizeof a->passes[1].counts);
}

// The same choice over another picture, whose pixels decide, is not taken for the first.
ON_BENCH(a_new_picture_is_looked_at)
{
    bench_make_picture(b, 70, 50, 1);
    const struct tracing_request r = planted_request("scattered");
    const struct lens_result *noise = bench_trace(b, &r), *again = bench_trace(b, &r), *black;
    for (int y = 0; y < 50; y++) memset(planes_row(b->picture.planes, 0, y), 0, 70);
    b->picture_version++;
    black = bench_trace(b, &r);
    expect_alike(noise, again);
    assert_true(black->passes[1].counts[TRACE_GLOBAL][TRACE_STORE].requests <
                noise->passes[1].counts[TRACE_GLOBAL][TRACE_STORE].requests);  // no word is written
}

// Of the first pass only those blocks run that the block reads.
ON_BENCH(a_block_needs_few_others)
{
    bench_make_picture(b, 70, 50, 1);
    struct tracing_request r = planted_request("endless");
    r.x = r.y = 20;
    const struct lens_result *one = bench_trace(b, &r);
    assert_int_equal(one->passes[1].block_x, 2);
    assert_int_equal(one->passes[1].counts[TRACE_GLOBAL][TRACE_LOAD].requests, 2 * 2);
}

// They make the block fail before the first pass has run in whole.
ON_BENCH(words_of_another_variant_do_no_harm)
{
    bench_make_picture(b, 70, 50, 1);
    struct tracing_request r = planted_request("counted");
    const struct lens_result *before = bench_trace(b, &r);
    struct tracing_request large = planted_request("large");
    large.is_whole = true;
    bench_trace(b, &large);
    const struct lens_result *after = bench_trace(b, &r);
    expect_alike(before, after);
}

static gpointer cancel_when_told(gpointer data)
{
    struct bench *const b = data;
    while (!atomic_load(&b->is_told)) g_usleep(1000);
    atomic_store(&b->watch.cancel, true);
    return NULL;
}

// Traces what is told to be cancelled by itself.
static void cancel(struct bench *b, struct tracing_request r)
{
    err.text[0] = '\0';
    GThread *const canceller = g_thread_new("canceller", cancel_when_told, b);
    r.picture = b->picture.planes;
    assert_null(tracing_run(b->tracing, &r, &b->watch, &err));
    assert_string_equal(err.text, "cancelled");
    g_thread_join(canceller);
    atomic_store(&b->watch.cancel, false);
}

// What is planted, and a variant that empties scratch before its first pass, says so at told and
// then never ends.
static void plant_emptier(struct filter *f, atomic_bool *told)
{
    char *const more = g_strdup_printf("//! untimed 1x1\n"
                                       "__global__ void empty(plane in, unsigned int *scratch)\n"
                                       "{\n"
                                       "    if (blockIdx.x || blockIdx.y) return;\n"
                                       "    const int words = in.width * in.height;\n"
                                       "    for (int i = 0; i < words; i++) scratch[i] = 0;\n"
                                       "    *(volatile unsigned char *)%p = 1;\n"
                                       "    for (volatile int i = 0;; i++) continue;\n"
                                       "}\n"
                                       "//! untimed 1x1\n"
                                       "__global__ void leave() {}\n"
                                       "//! variant stays 8x8 prepare=empty finish=leave\n"
                                       "__global__ void stays_one() {}\n"
                                       "//! variant stays 8x8\n"
                                       "__global__ void stays_two() {}\n",
                                       (void *)told);
    g_autofree char *text = g_strconcat(planted, more, NULL);
    must(filter_parse(f, "emptier.cu", text, NULL, &err));
    g_free(more);
}

// What a request left in scratch for the next one of its kind does not outlive one of another kind
// that was given up as early as in its prepare=.
ON_BENCH(what_was_cancelled_leaves_nothing)
{
    OWNED(filter_finish) struct filter f;
    endless_skip();
    plant_emptier(&f, &b->is_told);
    bench_make_picture(b, 70, 50, 1);
    const struct tracing_request r = planted_in(&f, "turned");
    const struct lens_result *before = bench_trace(b, &r);
    cancel(b, planted_in(&f, "stays"));
    const struct lens_result *after = bench_trace(b, &r);
    expect_alike(before, after);
}

static int line_of(const struct lens_race *race, enum trace_kind kind)
{
    const struct trace_chain *chain = &race->chain[race->race.kind[1] == kind];
    return chain->places[chain->count - 1].line;
}

// However many instructions a line has, so that there is room for those of other lines.
ON_BENCH(a_pair_of_lines_races_once)
{
    const struct tracing_request r = planted_request("racing");
    const struct lens_result *result = bench_trace(b, &r);
    const struct lens_pass *p = &result->passes[0];
    assert_int_equal(p->race_count, 2);
    assert_int_equal(line_of(&p->races[0], TRACE_STORE), line_of(&p->races[1], TRACE_STORE));
    assert_int_equal(line_of(&p->races[0], TRACE_LOAD), line_of(&p->races[0], TRACE_STORE) + 1);
    assert_int_equal(line_of(&p->races[1], TRACE_LOAD), line_of(&p->races[0], TRACE_LOAD) + 1);
}

static double requests_of(const struct lens_result *r)
{
    double requests = 0;
    for (int pass = 0; pass < r->pass_count; pass++)
        for (int space = 0; space < LENS_RESULT_SPACES; space++)
            for (int kind = 0; kind < LENS_RESULT_KINDS; kind++)
                requests += (double)r->passes[pass].counts[space][kind].requests;
    return requests;
}

// However much a variant's blocks do, one of them tells what the launch costs: of a sum, many
// small blocks or a few large ones; of a picture, one that its edge cuts.
ON_BENCH(a_block_speaks_for_its_launch)
{
    static const struct {
        const char *filter, *variant;
        int x, y;
    } rows[] = {{"sum", "modulo", 300, 0},   {"sum", "vector", 300, 0},
                {"mean", "naive", 40, 20},   {"mean", "naive", 99, 40},
                {"mean", "texture", 99, 69}, {"invert", "vector", 40, 20}};
    bench_make_picture(b, 100, 70, 3);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct tracing_request r = bench_request(b, rows[i].filter, rows[i].variant);
        const struct lens_result *whole = bench_trace(b, &r);
        r.is_whole = false;
        r.x = rows[i].x;
        r.y = rows[i].y;
        const struct lens_result *one = bench_trace(b, &r);
        const struct lens_rates all = lens_result_sum(whole).each, part = lens_result_sum(one).each;
        print_message("%s %s: %g sectors, %g of the launch; %g conflicts, %g\n", rows[i].filter,
                      rows[i].variant, part.sectors, all.sectors, part.conflicts, all.conflicts);
        assert_true(fabs(part.wanted_bytes / all.wanted_bytes - 1) < 0.01);
        // Warps that lie beyond the picture's edge ask for nothing. A texture's requests are those
        // of quads.
        const bool has_texture = strcmp(rows[i].variant, "texture") == 0;
        assert_true(has_texture || fabs(one->launch.requests / requests_of(whole) - 1) < 0.01);
        // Where in its sectors a block of a picture begins is not the same for all.
        if (!filter_has_picture(r.choice.filter))
            assert_true(fabs(part.sectors / all.sectors - 1) < 0.01);
    }
}

static int set_up(void **state)
{
    must(filter_parse(&planted_filter, "planted.cu", planted, NULL, &err));
    return bench_set_up(state);
}

SUITE("tracing", set_up, bench_tear_down)
