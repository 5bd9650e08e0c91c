#include "measure/bench.h"

#include <glib.h>
#include <stdlib.h>

void bench_finish(struct bench_result *result)
{
    g_free(result->rows);
    *result = (struct bench_result){0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct stats_summary bench_summarize(double *samples, int count)
{
    if (!count) return (struct stats_summary){0};
    qsort(samples, (size_t)count, sizeof *samples, ascending);
    return (struct stats_summary){.count = count,
                                  .median = stats_quantile(samples, count, 0.5),
                                  .lower = stats_quantile(samples, count, 0.25),
                                  .upper = stats_quantile(samples, count, 0.75)};
}

double bench_ms(const struct bench_row *row)
{
    return row->times[row->is_host ? BENCH_TIMER_HOT : BENCH_TIMER_COLD].median;
}

double bench_gpix_per_s(const struct bench_row *row, struct planes picture)
{
    const double pixels = (double)picture.width * picture.height * picture.count;
    return bench_ms(row) > 0 ? pixels / bench_ms(row) * 1e-6 : 0;
}

double bench_gb_per_s(const struct bench_row *row, struct planes picture)
{
    return 2 * bench_gpix_per_s(row, picture);
}

double bench_over_copy(const struct bench_row *row)
{
    return row->copy_ms > 0 ? bench_ms(row) / row->copy_ms : 0;
}

double bench_over_naive(const struct bench_row *row)
{
    return bench_ms(row) > 0 ? row->naive_ms / bench_ms(row) : 0;
}
