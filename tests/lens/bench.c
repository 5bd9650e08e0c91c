#include "bench.h"

#include "unit.h"

void bench_make_picture(struct bench *b, int width, int height, int planes)
{
    image_finish(&b->picture);
    assert_true(image_init(&b->picture, width, height, planes, &err));
    image_fill_noise(b->picture.planes, 1);
    b->picture_version++;
}

void bench_open(struct bench *b, int width, int height, int planes)
{
    *b = (struct bench){.tracing = tracing_create(TILESCOPE_KERNELS, SHARE_ALONE, &err)};
    must(b->tracing);
    must(filter_list_load(&b->filters, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err));
    filter_list_use_cpu(&b->filters);
    b->results = g_ptr_array_new_with_free_func((GDestroyNotify)lens_result_free);
    bench_make_picture(b, width, height, planes);
}

void bench_close(struct bench *b)
{
    tracing_destroy(b->tracing);
    g_ptr_array_unref(b->results);
    filter_list_finish(&b->filters);
    image_finish(&b->picture);
}

int bench_set_up(void **state)
{
    struct bench *b = g_new0(struct bench, 1);
    bench_open(b, 512, 512, 1);
    *state = b;
    return 0;
}

int bench_tear_down(void **state)
{
    bench_close(*state);
    g_free(*state);
    return 0;
}

struct tracing_request bench_request(const struct bench *b, const char *filter, const char *variant)
{
    const struct filter *f = filter_find(&b->filters, filter);
    assert_non_null(f);
    struct tracing_request r = {.is_whole = true,
                                .choice = {.filter = f, .variant = filter_variant(f, variant)}};
    assert_non_null(r.choice.variant);
    r.choice.settings.params = filter_defaults(f);
    return r;
}

const struct lens_result *bench_trace(struct bench *b, const struct tracing_request *request)
{
    struct tracing_request r = *request;
    r.picture = b->picture.planes;
    r.picture_version = b->picture_version;
    struct lens_result *result = tracing_run(b->tracing, &r, &b->watch, &err);
    if (!result) fail_msg("%s %s: %s", r.choice.filter->name, r.choice.variant->name, err.text);
    g_ptr_array_add(b->results, result);
    assert_string_equal(result->no_lines, "");
    return result;
}
