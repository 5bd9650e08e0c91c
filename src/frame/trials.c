#include "frame/trials.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

enum { MAX_EDGE_BYTES = 16 << 10, MAX_SMALL_BYTES = 256 << 10 };
enum { MAX_BYTES = 24 << 20 };
enum { SMALL_SIDE = 200, LARGE_SIDE = 320 };

// ---- numbers ----

static int prime_at_most(int n)
{
    for (int i = 2; n > 2 && i * i <= n; i++)
        if (n % i == 0) return prime_at_most(n - 1);
    return n;
}

// Small ones as often as large ones.
static int draw_between(GRand *random, int min, int max)
{
    const double low = log(MAX(min, 1)), high = log(MAX(max, 1) + 0.999);
    const int drawn = (int)exp(low + (high - low) * g_rand_double(random));
    return min < 1 && g_rand_int_range(random, 0, 8) == 0 ? min : CLAMP(drawn, min, max);
}

// How a size is drawn: trial 0 has the smallest, the next one primes, the next three lie at an edge
// of blocks, the others anywhere.
static int draw_size(GRand *random, int trial, int min, int max, int edge)
{
    enum { PRIMES = 1, FIRST_EDGE = 2, LAST_EDGE = 4 };
    if (trial == 0) return min;
    const int drawn = draw_between(random, min, max);
    if (trial == PRIMES) return CLAMP(prime_at_most(drawn), min, max);
    if (trial > LAST_EDGE) return drawn;
    const int blocks = MAX(1, drawn / edge);
    return CLAMP(blocks * edge + trial - FIRST_EDGE - 1, min, max);
}

// ---- params ----

static bool plan(const struct filter *f, const struct param_values *values,
                 struct arrays_layout *layout)
{
    const struct choice choice = {.filter = f, .settings.params = *values};
    return arrays_plan(layout, &choice, (struct planes){0}, NULL);
}

bool trials_is_size(const struct filter *f, int param)
{
    const struct param *p = &f->params[param];
    struct param_values less = filter_defaults(f), more = less;
    struct arrays_layout a, b;
    less.v[param] = p->min;
    more.v[param] = MIN(p->max, p->min + 4096);
    if (p->is_float || p->name_count) return false;
    return plan(f, &less, &a) && plan(f, &more, &b) && a.bytes != b.bytes;
}

// Sizes are halved until all arrays take little enough.
static void shrink(const struct filter *f, struct param_values *values, size_t most)
{
    struct arrays_layout layout;
    while (plan(f, values, &layout) && layout.bytes > most) {
        int largest = -1;
        for (int i = 0; i < f->param_count; i++)
            if (trials_is_size(f, i) && values->v[i] > f->params[i].min &&
                (largest < 0 || values->v[i] > values->v[largest]))
                largest = i;
        if (largest < 0) return;
        values->v[largest] = filter_snap(&f->params[largest], values->v[largest] / 2);
    }
}

// A block's edge across or down, for the first and the second size; a library's variant has none.
static int edge_of(const struct variant *v, int size)
{
    if (!v->pass_count) return 1;
    const struct pass *last = &v->passes[v->pass_count - 1];
    return size % 2 ? last->block_width * last->each_x : last->block_height * last->each_y;
}

// The largest sizes that fit together, beside the other params of a trial.
static struct param_values most_sizes(const struct trial *t, const struct filter *f, size_t bytes)
{
    struct param_values most = t->params;
    for (int i = 0; i < f->param_count; i++)
        if (trials_is_size(f, i)) most.v[i] = MIN(f->params[i].max, MAX(f->params[i].cpu_value, 8));
    shrink(f, &most, bytes);
    return most;
}

static void draw_small(struct trial *t, const struct filter *f, const struct variant *v, int number,
                       GRand *random)
{
    int sizes = 0;
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];
        const double highest = MIN(p->max, MAX(4 * p->cpu_value, 8));
        double *value = &t->params.v[i];
        if (p->name_count)
            *value = g_rand_int_range(random, 0, p->name_count);
        else if (number == 0 || trials_is_size(f, i))
            *value = p->min;
        else if (p->is_float)
            *value = g_rand_int_range(random, 0, 2) ? p->cpu_value : p->min;
        else
            *value = filter_snap(p, draw_between(random, (int)p->min, (int)highest));
    }
    const struct param_values most = most_sizes(t, f, MAX_SMALL_BYTES);
    for (int i = 0; i < f->param_count; i++)
        if (trials_is_size(f, i))
            t->params.v[i] =
                filter_snap(&f->params[i], draw_size(random, number, (int)f->params[i].min,
                                                     (int)most.v[i], edge_of(v, ++sizes)));
    if (!filter_has_picture(f)) return;
    t->width = draw_size(random, number, 1, SMALL_SIDE, edge_of(v, 1));
    t->height = draw_size(random, number, 1, SMALL_SIDE, edge_of(v, 2));
    t->planes = number % 4 == 3 ? 3 : 1;
}

// Draws the counted trial: sizes of several hundred are up to three times 64 below their default.
static void draw_large(struct trial *t, const struct filter *f, GRand *random)
{
    enum { STEP = 64, STEPS = 4 };
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];
        const int less = g_rand_int_range(random, 0, STEPS) * STEP;
        const bool is_large = trials_is_size(f, i) && p->cpu_value >= 2 * STEP * STEPS;
        t->params.v[i] = is_large ? filter_snap(p, p->cpu_value - less) : p->cpu_value;
    }
    shrink(f, &t->params, MAX_BYTES);
    t->is_counted = true;
    if (!filter_has_picture(f)) return;
    t->width = LARGE_SIDE - g_rand_int_range(random, 0, 2) * STEP;
    t->height = LARGE_SIDE - g_rand_int_range(random, 0, 2) * STEP;
    t->planes = 1;
}

void trials_draw(struct trial trials[TRIALS_COUNT], const struct filter *f,
                 const struct variant *variant, unsigned int seed)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    for (int i = 0; i < TRIALS_COUNT; i++) {
        trials[i] = (struct trial){.seed = g_rand_int(random)};
        if (i < TRIALS_SMALL)
            draw_small(&trials[i], f, variant, i, random);
        else
            draw_large(&trials[i], f, random);
    }
}

void trials_at_edges(struct trial trials[TRIALS_EDGES], const struct choice *choice)
{
    // One height ends a block early; behind the other one no row of padding follows.
    static const int widths[TRIALS_EDGES] = {33, 67}, heights[TRIALS_EDGES] = {17, 44};
    const struct filter *f = choice->filter;
    for (int k = 0; k < TRIALS_EDGES; k++) {
        struct trial *t = &trials[k];
        int sizes = 0;
        *t = (struct trial){.params = choice->settings.params, .seed = 1};
        const struct param_values most = most_sizes(t, f, MAX_EDGE_BYTES);
        for (int i = 0; i < f->param_count; i++) {
            const struct param *p = &f->params[i];
            const int largest = (int)most.v[i];
            if (!trials_is_size(f, i)) continue;
            // One more than blocks write, if that is not far too much, or prime numbers, which
            // differ: some mistakes are none where rows are as many as columns.
            const int edge = edge_of(choice->variant, ++sizes);
            const int size = k                ? prime_at_most(largest * 3 / (2 + sizes))
                             : largest < edge ? prime_at_most(largest / 2)
                                              : largest / edge * edge + 1;
            t->params.v[i] = filter_snap(p, CLAMP(size, p->min, p->max));
        }
        if (!filter_has_picture(f)) continue;
        t->width = widths[k];
        t->height = heights[k];
        t->planes = 1;
    }
}

// ---- one of them ----

void trial_write_size(const struct trial *t, const struct filter *f, char *text, size_t size)
{
    *text = '\0';
    if (t->width) text_append(text, size, "%d×%d", t->width, t->height);
    for (int i = 0; !t->width && i < f->param_count; i++)
        if (trials_is_size(f, i))
            text_join(text, size, " · ", "%s %s", f->params[i].name,
                      filter_write_value(&f->params[i], t->params.v[i]).text);
}

char *trial_name(const struct trial *t, const struct filter *f)
{
    char exact[64] = "";
    const struct params_text params = filter_write_params(f, &t->params);
    tolerance_append(exact, sizeof exact, f->tolerance);
    if (!trial_picture(t).width) return g_strdup_printf("%s with %s", exact, params.text);
    return g_strdup_printf("exact with %d×%d %s%s%s", t->width, t->height,
                           t->planes == 1 ? "grey" : "colour", *params.text ? " · " : "",
                           params.text);
}

struct planes trial_picture(const struct trial *t)
{
    return planes_shape(t->width, t->height, t->planes);
}

bool trial_layout(const struct trial *t, const struct filter *f, struct arrays_layout *layout,
                  struct error *err)
{
    size_t at = TRIALS_GUARD_BYTES;
    const struct choice choice = {.filter = f, .settings.params = t->params};
    if (!arrays_plan(layout, &choice, trial_picture(t), err)) return false;
    for (int i = 0; i < layout->count; i++) {
        struct array_place *place = &layout->places[i];
        place->offset = at;
        place->is_shared = false;
        at = array_end(place) + TRIALS_GUARD_BYTES;
    }
    layout->bytes = at;
    layout->shared_bytes = 0;
    return true;
}

bool trial_is_intact(const struct filter *f, const struct arrays_layout *l, const void *before,
                     const void *after, struct error *what)
{
    const unsigned char *const was = before, *const is = after;
    for (int i = -1; i < l->count; i++) {
        const size_t begin = i < 0 ? 0 : l->places[i].offset;
        const size_t next = i + 1 < l->count ? l->places[i + 1].offset : l->bytes;
        const size_t end = i < 0 ? 0 : begin + l->places[i].bytes;
        if (memcmp(was + end, is + end, next - end) != 0)
            return error_set(what, "something is written %s %s", i < 0 ? "before" : "behind",
                             f->arrays[MAX(i, 0)].name);
        if (i >= 0 && f->arrays[i].kind == ARRAY_IN && memcmp(was + begin, is + begin, end - begin))
            return error_set(what, "something is written into %s, which is only to be read",
                             f->arrays[i].name);
    }
    return true;
}
