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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_launches_count_as_an_h200_does),
        cmocka_unit_test(grids_are_those_of_another_device),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
