// test_tracing -- counts of whole launches and of single blocks, against figures that were measured
// on an H200 or worked out by hand.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/image.h"
#include "filter/filter.h"
#include "lens/tracing.h"

struct bench {
    struct tracing *tracing;
    struct filter_list filters;
    struct tracing_watch watch;
    struct image picture;
    bool is_new;
};

static void make_picture(struct bench *b, int width, int height, int planes)
{
    struct error err = {""};
    image_finish(&b->picture);
    assert_true(image_init(&b->picture, width, height, planes, &err));
    image_fill_noise(b->picture.planes, 1);
    b->is_new = true;
}

static int set_up(void **state)
{
    struct bench *b = g_new0(struct bench, 1);
    struct error err = {""};
    if (!filter_list_load(&b->filters, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err))
        fail_msg("%s", err.text);
    filter_list_use_cpu(&b->filters);
    b->tracing = tracing_create(TILESCOPE_KERNELS, &err);
    if (!b->tracing) fail_msg("%s", err.text);
    make_picture(b, 512, 512, 1);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    tracing_destroy(b->tracing);
    filter_list_finish(&b->filters);
    image_finish(&b->picture);
    g_free(b);
    return 0;
}

static struct tracing_request request_of(const struct bench *b, const char *filter,
                                         const char *variant, int radius)
{
    const struct filter *f = filter_find(&b->filters, filter);
    assert_non_null(f);
    struct tracing_request r = {.picture = b->picture.planes,
                                .is_new_picture = b->is_new,
                                .is_whole = true,
                                .choice = {.filter = f, .variant = filter_variant(f, variant)}};
    assert_non_null(r.choice.variant);
    r.choice.settings.params = filter_defaults(f);
    if (radius >= 0) r.choice.settings.params.v[filter_radius(f)] = radius;
    return r;
}

static struct lens_result *run(struct bench *b, const struct tracing_request *r)
{
    struct error err = {""};
    struct lens_result *result = tracing_run(b->tracing, r, &b->watch, &err);
    if (!result) fail_msg("%s %s: %s", r->choice.filter->name, r->choice.variant->name, err.text);
    assert_string_equal(result->no_lines, "");
    b->is_new = false;
    return result;
}

static void whole_launches_count_as_an_h200_does(void **state)
{
    static const struct {
        const char *filter, *variant;
        int radius, pass;
        unsigned long long loads, load_sectors, stores, store_sectors, shared_loads, shared_stores;
    } measured[] = {
        {"mean", "naive", 1, 0, 73728, 119808, 8192, 8192, 0, 0},
        {"mean", "shared", 4, 0, 32768, 63488, 8192, 8192, 663552, 32768},
        {"mean", "separable", 4, 0, 16384, 31744, 8192, 32768, 73728, 16384},
        {"mean", "separable", 4, 1, 16384, 65536, 8192, 8192, 73728, 16384},
        {"invert", "vector", -1, 0, 512, 8192, 512, 8192, 0, 0},
        {"flip", "vector", -1, 0, 512, 8192, 512, 8192, 0, 0},
        {"flip", "shared", -1, 0, 8192, 8192, 8192, 8192, 8192, 8192},
    };
    struct bench *b = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(measured); i++) {
        const struct tracing_request r =
            request_of(b, measured[i].filter, measured[i].variant, measured[i].radius);
        struct lens_result *result = run(b, &r);
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
        result_free(result);
    }
}

// The grid of a launch over all multiprocessors is that of the device whose launch it is.
static void grids_are_those_of_another_device(void **state)
{
    struct bench *b = *state;
    struct tracing_request r = request_of(b, "histogram", "shared", -1);
    for (int multiprocessors = 2; multiprocessors <= 132; multiprocessors += 130) {
        r.multiprocessors = multiprocessors;
        struct lens_result *result = run(b, &r);
        const struct lens_pass *p = &result->passes[result->pass_count - 1];
        assert_int_equal(p->config.grid_width, multiprocessors * 2048 / 256);
        result_free(result);
    }
}

// ---- block by block ----

// Where data decides: the second pass writes what it reads, and where that is follows from what the
// first has written.
static const char planted[] =
    "//! filter \"Planted\"\n"
    "#include \"kernel.h\"\n"
    "NO_PARAMS;\n"
    "#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)\n"
    "//! variant scattered 8x8\n"
    "KERNEL(planted_first)\n"
    "{\n"
    "    if (X < in.width && Y < in.height) scratch[Y * in.width + X] = load(in, X, Y);\n"
    "}\n"
    "//! variant scattered 8x8\n"
    "KERNEL(planted_second)\n"
    "{\n"
    "    if (X >= in.width || Y >= in.height) return;\n"
    "    unsigned int *const word = scratch + Y * in.width + X;\n"
    "    const unsigned int shade = *word;\n"
    "    if (shade > 100) *word = shade + 1000;\n"
    "    out.pixels[Y * out.pitch + X] = load(in, (int)shade % in.width, Y);\n"
    "}\n";

static void add_pass(struct lens_counts *sums, const struct lens_pass *p)
{
    for (int space = 0; space < RESULT_SPACES; space++)
        for (int kind = 0; kind < RESULT_KINDS; kind++)
            model_add(&sums[space * RESULT_KINDS + kind], &p->counts[space][kind]);
}

// What all blocks count one after the other, in an order of their own, is what the launch counts.
static void expect_sum_of_blocks(struct bench *b, struct tracing_request r)
{
    struct lens_counts sums[FILTER_MAX_PASSES][RESULT_SPACES * RESULT_KINDS] = {{{0}}};
    struct lens_counts all[FILTER_MAX_PASSES][RESULT_SPACES * RESULT_KINDS] = {{{0}}};
    struct lens_result *whole = run(b, &r);
    const struct launch_config c = whole->passes[0].config;
    for (int i = 0; i < whole->pass_count; i++) add_pass(all[i], &whole->passes[i]);
    r.is_whole = r.is_new_picture = false;
    for (int i = 0; i < c.grid_width * c.grid_height; i++) {
        const int block = i * 11 % (c.grid_width * c.grid_height);
        r.x = block % c.grid_width * c.block_width;
        r.y = block / c.grid_width * c.block_height;
        struct lens_result *one = run(b, &r);
        assert_int_equal(one->passes[0].block_x, block % c.grid_width);
        for (int pass = 0; pass < one->pass_count; pass++) add_pass(sums[pass], &one->passes[pass]);
        result_free(one);
    }
    assert_memory_equal(sums, all, sizeof sums);
    result_free(whole);
}

static void blocks_sum_up_to_the_launch(void **state)
{
    struct bench *b = *state;
    struct filter f;
    struct error err = {""};
    make_picture(b, 70, 50, 1);
    expect_sum_of_blocks(b, request_of(b, "mean", "separable", 4));
    expect_sum_of_blocks(b, request_of(b, "mean", "naive", 2));
    if (!filter_parse(&f, "planted.cu", planted, &err)) fail_msg("%s", err.text);
    expect_sum_of_blocks(
        b, (struct tracing_request){.choice = {.filter = &f, .variant = &f.variants[0]},
                                    .picture = b->picture.planes,
                                    .is_new_picture = true,
                                    .is_whole = true});
    filter_finish(&f);
}

// The same choice over another picture, whose pixels decide, is not taken for the first.
static void a_new_picture_is_looked_at(void **state)
{
    struct bench *b = *state;
    struct filter f;
    struct error err = {""};
    if (!filter_parse(&f, "planted.cu", planted, &err)) fail_msg("%s", err.text);
    make_picture(b, 70, 50, 1);
    struct tracing_request r = {.choice = {.filter = &f, .variant = &f.variants[0]},
                                .picture = b->picture.planes,
                                .is_new_picture = true};
    struct lens_result *noise = run(b, &r), *again, *black;
    r.is_new_picture = false;
    again = run(b, &r);
    for (int y = 0; y < 50; y++) memset(planes_row(b->picture.planes, 0, y), 0, 70);
    r.is_new_picture = true;
    black = run(b, &r);
    const struct lens_counts *before = &noise->passes[1].counts[TRACE_GLOBAL][TRACE_STORE];
    const struct lens_counts *after = &black->passes[1].counts[TRACE_GLOBAL][TRACE_STORE];
    assert_memory_equal(before, &again->passes[1].counts[TRACE_GLOBAL][TRACE_STORE],
                        sizeof *before);
    assert_true(after->requests < before->requests);  // no word is written
    result_free(noise);
    result_free(again);
    result_free(black);
    filter_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_launches_count_as_an_h200_does),
        cmocka_unit_test(blocks_sum_up_to_the_launch),
        cmocka_unit_test(a_new_picture_is_looked_at),
        cmocka_unit_test(grids_are_those_of_another_device),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
