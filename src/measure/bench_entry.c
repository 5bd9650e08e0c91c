#include "measure/bench_entry.h"

#include <string.h>

#include "base/number.h"

struct bench_entry *bench_entry_at(GArray *entries, guint index)
{
    return &g_array_index(entries, struct bench_entry, index);
}

// ---- the list ----

// A choice of nothing is the copy.
static void add_entry(GArray *entries, struct choice c, bool is_hidden)
{
    struct bench_entry e = {.frame.choice = c,
                            .row = {.filter = c.filter, .settings = c.settings},
                            .is_hidden = is_hidden};
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++)
        e.samples[i] = g_array_new(FALSE, FALSE, sizeof(double));
    g_strlcpy(e.row.variant, c.variant ? c.variant->name : "copy", sizeof e.row.variant);
    if (c.variant) launch_block(c.variant, &c.settings, &e.row.block_width, &e.row.block_height);
    g_array_append_val(entries, e);
}

static void free_samples(gpointer data)
{
    const struct bench_entry *e = data;
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) g_array_free(e->samples[i], TRUE);
}

// Whether it is naive in its own block, with which the others of that unroll are compared.
static bool is_baseline(const struct bench_entry *e, bool is_unrolled)
{
    const struct pass *first = e->frame.choice.variant ? &e->frame.choice.variant->passes[0] : NULL;
    return first && !strcmp(e->row.variant, "naive") &&
           e->frame.choice.settings.is_unrolled == is_unrolled &&
           e->row.block_width == first->block_width && e->row.block_height == first->block_height;
}

struct bench_entry *bench_entry_baseline(GArray *entries, bool is_unrolled)
{
    for (guint i = 0; i < entries->len; i++) {
        struct bench_entry *e = bench_entry_at(entries, i);
        if (is_baseline(e, is_unrolled)) return e;
    }
    return NULL;
}

static struct choice choice_of(const struct sweep_case *c)
{
    return (struct choice){c->filter, c->variant, c->settings};
}

GArray *bench_entry_list(const struct sweep *sweep, int group)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct bench_entry));
    g_array_set_clear_func(entries, free_samples);
    add_entry(entries, (struct choice){.filter = NULL}, true);
    for (int i = 0; i < sweep->count; i++)
        if (sweep->cases[i].group == group) add_entry(entries, choice_of(&sweep->cases[i]), false);
    for (int i = 0; i < sweep->count; i++) {
        const struct choice c = choice_of(&sweep->cases[i]);
        struct choice naive;
        if (sweep->cases[i].group == group && choice_naive_of(&c, &naive) &&
            !bench_entry_baseline(entries, c.settings.is_unrolled))
            add_entry(entries, naive, true);
    }
    return entries;
}

// ---- samples ----

int bench_entry_samples(const struct bench_entry *e)
{
    return (int)MIN(e->samples[BENCH_TIMER_COLD]->len, e->samples[BENCH_TIMER_HOT]->len);
}

// ---- the budget ----

// A turn prepares once, for its samples of both kinds; so does the check.
double bench_entry_least_cost_ms(const struct bench_entry *e)
{
    return e->expected_ms[BENCH_TIMER_COLD] *
               (BENCH_ENTRY_LEAST * BENCH_TIMER_BUFFERS + 1 + !e->is_probed_whole) +
           e->prepare_ms * (BENCH_ENTRY_LEAST + 1);
}

static int by_cost(gconstpointer a, gconstpointer b)
{
    const double x = bench_entry_least_cost_ms(*(struct bench_entry *const *)a);
    const double y = bench_entry_least_cost_ms(*(struct bench_entry *const *)b);
    return (x > y) - (x < y);
}

// The cases before have spent the budget.
static void skip_one(struct bench_entry *e)
{
    e->row.is_over_budget = true;
    g_strlcpy(e->row.reason, "not reached within the budget", sizeof e->row.reason);
}

static void refuse_slow(struct bench_entry *e, double left_ms)
{
    char cost[32], left[32];
    e->row.is_over_budget = true;
    number_three(cost, sizeof cost, bench_entry_least_cost_ms(e) * 1e-3);
    number_three(left, sizeof left, left_ms * 1e-3);
    g_snprintf(e->row.reason, sizeof e->row.reason,
               "too slow: measuring takes about %s s, and the budget leaves %s s here", cost, left);
}

static void admit_one(struct bench_entry *e, double *left_ms)
{
    if (!e->is_admitted || bench_entry_samples(e) > 0) return;
    e->is_admitted = bench_entry_least_cost_ms(e) <= *left_ms || !e->frame.choice.filter;
    if (e->is_admitted)
        *left_ms -= bench_entry_least_cost_ms(e);
    else if (*left_ms > 0)
        refuse_slow(e, *left_ms);
    else
        skip_one(e);
}

void bench_entry_skip_all(GArray *entries)
{
    for (guint i = 0; i < entries->len; i++) skip_one(bench_entry_at(entries, i));
}

void bench_entry_admit(GArray *entries, double left_ms)
{
    GPtrArray *sorted = g_ptr_array_new();
    for (guint i = 0; i < entries->len; i++) g_ptr_array_add(sorted, bench_entry_at(entries, i));
    g_ptr_array_sort(sorted, by_cost);
    for (guint i = 0; i < sorted->len; i++) admit_one(sorted->pdata[i], &left_ms);
    g_ptr_array_free(sorted, TRUE);
}
