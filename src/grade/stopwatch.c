#include "grade/stopwatch.h"

#include <glib.h>

#include "base/image.h"
#include "grade/same_result.h"
#include "measure/bench.h"

enum { WIDTH = 3840, HEIGHT = 2160, BUDGET_S = 20 };

static bool make_picture(const struct filter *f, struct image *picture, struct error *err)
{
    if (f->is_lab) return true;
    if (!image_init(picture, WIDTH, HEIGHT, 1, err)) return false;
    image_fill_noise(picture->planes, 1);
    return true;
}

static enum stopwatch_outcome take_ratio(const struct bench_result *result, double *ratio,
                                         struct error *why)
{
    error_set(why, "%s", *result->failure ? result->failure : "it could not be measured");
    if (*result->failure) return STOPWATCH_REFUSED;
    for (int i = 0; i < result->count; i++) {
        const struct bench_row *row = &result->rows[i];
        if (!row->filter) continue;
        if (*row->reason) error_set(why, "%s", row->reason);
        if (*row->reason) return STOPWATCH_REFUSED;
        *ratio = row->copy_ms > 0 ? bench_ms(row) / row->copy_ms : 0;
        if (*ratio > 0) return STOPWATCH_TIMED;
    }
    return STOPWATCH_FAILED;
}

static enum stopwatch_outcome time_it(struct backend *b, const struct submission *s,
                                      const struct variant *v, struct planes picture, double *ratio,
                                      struct error *why)
{
    struct sweep_case one = {
        .filter = &s->filter, .variant = v, .settings = {.params = filter_defaults(&s->filter)}};
    const struct sweep sweep = {.cases = &one, .count = 1, .group_count = 1};
    const struct bench_job job = {
        .backend = b, .sweep = &sweep, .picture = picture, .budget_s = BUDGET_S};
    struct bench_result result = {.count = 0};
    if (!bench_run(&job, &result, why)) return STOPWATCH_FAILED;
    const enum stopwatch_outcome outcome = take_ratio(&result, ratio, why);
    bench_finish(&result);
    return outcome;
}

static enum stopwatch_outcome check(struct backend *b, const struct filter *given,
                                    const struct submission *s, const struct variant *v,
                                    struct planes picture, struct error *why)
{
    const struct same_result both = {.backend = b,
                                     .given = given,
                                     .submitted = &s->filter,
                                     .variant = v,
                                     .params = filter_defaults(&s->filter),
                                     .picture = picture};
    switch (same_result_check(&both, why)) {
    case SAME_RESULT_YES:
        return STOPWATCH_TIMED;
    case SAME_RESULT_NO:
        error_prefix(why, "at the size that is timed ");
        return STOPWATCH_REFUSED;
    case SAME_RESULT_NOT_KNOWN:
        break;
    }
    return STOPWATCH_FAILED;
}

enum stopwatch_outcome stopwatch_measure_on(struct backend *b, const struct filter *given,
                                            const struct submission *s, const struct variant *v,
                                            double *ratio, struct error *why)
{
    struct image picture = {.planes = {.pixels = NULL}};
    if (!make_picture(given, &picture, why)) return STOPWATCH_FAILED;
    enum stopwatch_outcome outcome = time_it(b, s, v, picture.planes, ratio, why);
    if (outcome == STOPWATCH_TIMED) outcome = check(b, given, s, v, picture.planes, why);
    image_finish(&picture);
    return outcome;
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

enum stopwatch_outcome stopwatch_measure(const struct filter *given, const struct submission *s,
                                         const struct variant *v, double *ratio, struct error *why)
{
    char reasons[2048], *include = submission_include(s->folder);
    struct backend *b = backend_open("cuda", reasons, sizeof reasons, why);
    enum stopwatch_outcome outcome = STOPWATCH_FAILED;
    if (b) {
        backend_set_include(b, include);
        outcome = stopwatch_measure_on(b, given, s, v, ratio, why);
    }
    backend_close(b);
    g_free(include);
    return outcome;
}
