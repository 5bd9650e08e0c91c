#include "base/stats.h"

#include <stdlib.h>

static int count_of(const struct stats *s)
{
    const int count = s->seen - STATS_DROPPED;
    return count < 0 ? 0 : count > STATS_WINDOW ? STATS_WINDOW : count;
}

void stats_add(struct stats *s, double sample)
{
    if (s->seen >= STATS_DROPPED) s->samples[(s->seen - STATS_DROPPED) % STATS_WINDOW] = sample;
    s->seen++;
}

bool stats_is_settled(const struct stats *s)
{
    return count_of(s) >= STATS_SETTLED;
}

int stats_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_quantile(const double *sorted, int count, double q)
{
    const double at = q * (count - 1);
    const int below = (int)at;
    const int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

struct stats_summary stats_summarize_all(double *samples, int count)
{
    if (!count) return (struct stats_summary){0};
    qsort(samples, (size_t)count, sizeof *samples, stats_compare);
    return (struct stats_summary){.count = count,
                                  .median = stats_quantile(samples, count, 0.5),
                                  .lower = stats_quantile(samples, count, 0.25),
                                  .upper = stats_quantile(samples, count, 0.75)};
}

struct stats_summary stats_summarize(const struct stats *s, int most)
{
    double samples[STATS_WINDOW];
    const int seen = count_of(s), count = seen < most ? seen : most;
    for (int i = 0; i < count; i++)
        samples[i] = s->samples[(s->seen - STATS_DROPPED - 1 - i) % STATS_WINDOW];
    return stats_summarize_all(samples, count);
}
