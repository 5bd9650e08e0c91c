#include <glib.h>

#include "measure/bench.h"

void bench_finish(struct bench_result *result)
{
    g_free(result->rows);
    *result = (struct bench_result){0};
}

double bench_ms(const struct bench_row *row)
{
    return row->times[row->is_host ? BENCH_TIMER_HOT : BENCH_TIMER_COLD].median;
}
