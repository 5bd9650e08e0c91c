#include "measure/bench_host.h"

#include <glib.h>

#include "base/number.h"
#include "base/wall.h"

enum { MAX_RUNS = 5 };

static const double STRIP_MS = 50;    // between two questions whether to stop
static const double ENOUGH_MS = 500;  // then one run will do

static struct planes rows_of(struct planes v, int top, int height)
{
    v.pixels = planes_row(v, 0, top);
    v.height = height;
    return v;
}

static double time_rows(const struct bench_host *h, int top, int height)
{
    const double start = wall_ms();
    reference_run_on(h->reference, rows_of(h->out, top, height), rows_of(h->in, top, height),
                     h->threads);
    return wall_ms() - start;
}

// How many rows take about STRIP_MS, and how long one takes.
static int strip_rows(const struct bench_host *h, double *row_ms)
{
    int rows = 1;
    for (;; rows = rows > h->in.height / 2 ? h->in.height : rows * 2) {
        const double ms = time_rows(h, 0, rows);
        *row_ms = ms / rows;
        if (ms > STRIP_MS / 2 || rows == h->in.height) return rows;
    }
}

static bool run_once(const struct bench_host *h, int rows, double *ms, struct error *err)
{
    *ms = 0;
    for (int top = 0; top < h->in.height; top += rows) {
        *ms += time_rows(h, top, MIN(rows, h->in.height - top));
        if (h->stop && h->stop(h->data)) return error_set(err, "stopped");
    }
    return true;
}

static bool refuse(double expected_ms, double limit_ms, struct error *err)
{
    char expected[32], limit[32];
    number_three(expected, sizeof expected, expected_ms * 1e-3);
    number_three(limit, sizeof limit, limit_ms * 1e-3);
    return error_set(err, "too slow: the loop takes about %s s, and the budget leaves %s s here",
                     expected, limit);
}

bool bench_host_run(const struct bench_host *h, struct stats_summary *ms, struct error *err)
{
    double samples[MAX_RUNS], row_ms, spent = 0;
    const int rows = strip_rows(h, &row_ms);
    const double expected = row_ms * h->in.height;
    int count = 0;
    if (expected > h->limit_ms) return refuse(expected, h->limit_ms, err);
    while (count < MAX_RUNS && spent < ENOUGH_MS && spent + expected <= h->limit_ms) {
        if (!run_once(h, rows, &samples[count], err)) return false;
        spent += samples[count++];
    }
    *ms = stats_summarize_all(samples, count);
    return true;
}
