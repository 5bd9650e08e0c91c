#include "grade/stopwatch.h"

#include <glib.h>

#include "base/image.h"
#include "measure/bench.h"

enum { WIDTH = 3840, HEIGHT = 2160, BUDGET_S = 20 };

static bool make_picture(const struct filter *f, struct image *picture, struct error *err)
{
    if (f->is_lab) return true;
    if (!image_init(picture, WIDTH, HEIGHT, 1, err)) return false;
    image_fill_noise(picture->planes, 1);
    return true;
}

static bool take_ratio(const struct bench_result *result, double *ratio, struct error *err)
{
    if (*result->failure) return error_set(err, "%s", result->failure);
    for (int i = 0; i < result->count; i++) {
        const struct bench_row *row = &result->rows[i];
        if (!row->filter) continue;
        if (*row->reason) return error_set(err, "%s", row->reason);
        *ratio = row->copy_ms > 0 ? bench_ms(row) / row->copy_ms : 0;
        if (*ratio > 0) return true;
    }
    return error_set(err, "it could not be measured");
}

static bool measure(struct backend *b, const struct submission *s, const struct variant *v,
                    struct planes picture, double *ratio, struct error *err)
{
    struct sweep_case one = {
        .filter = &s->filter, .variant = v, .settings = {.params = filter_defaults(&s->filter)}};
    const struct sweep sweep = {.cases = &one, .count = 1, .group_count = 1};
    const struct bench_job job = {
        .backend = b, .sweep = &sweep, .picture = picture, .budget_s = BUDGET_S};
    struct bench_result result = {.count = 0};
    if (!bench_run(&job, &result, err)) return false;
    const bool is_measured = take_ratio(&result, ratio, err);
    bench_finish(&result);
    return is_measured;
}

bool stopwatch_has_gpu(void)
{
    enum { MAX_DEVICES = 8 };
    struct device devices[MAX_DEVICES];
    char reasons[1024];
    int count = 0;
    bool is_there = false;
    backend_list(devices, MAX_DEVICES, &count, reasons, sizeof reasons);
    for (int i = 0; i < count; i++) is_there |= devices[i].is_gpu;
    return is_there;
}

bool stopwatch_measure(const struct submission *s, const struct variant *v, double *ratio,
                       struct error *err)
{
    char reasons[2048], *include = submission_include(s->folder);
    struct image picture = {.planes = {.pixels = NULL}};
    struct backend *b = backend_open("cuda", reasons, sizeof reasons, NULL);
    bool is_measured = b != NULL || error_set(err, "there is no GPU here");
    if (b) backend_set_include(b, include);
    if (is_measured)
        is_measured =
            make_picture(&s->filter, &picture, err) && measure(b, s, v, picture.planes, ratio, err);
    image_finish(&picture);
    backend_close(b);
    g_free(include);
    return is_measured;
}
