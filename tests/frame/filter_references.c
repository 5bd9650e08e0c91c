#include "filter_references.h"

#include <glib.h>
#include <string.h>

#include "filter/launch.h"

// One output pixel is wanted: of a plane, at x and y. `values` are the params, in the file's order.
struct wanted {
    const struct filter *filter;
    const struct param_values *values;
    struct planes in;
    int plane, x, y;
};

static int at(const struct wanted *w, int x, int y)
{
    x = x < 0 ? 0 : x >= w->in.width ? w->in.width - 1 : x;
    y = y < 0 ? 0 : y >= w->in.height ? w->in.height - 1 : y;
    return planes_row(w->in, w->plane, y)[x];
}

static int param(const struct wanted *w, const char *name)
{
    const int index = filter_param(w->filter, name);
    if (index < 0) g_error("%s has no param '%s'; see filter_references.c", w->filter->name, name);
    return (int)w->values->v[index];
}

// ---- a loop for each filter ----

static long window_sum(const struct wanted *w, int radius)
{
    long sum = 0;
    for (int y = w->y - radius; y <= w->y + radius; y++)
        for (int x = w->x - radius; x <= w->x + radius; x++) sum += at(w, x, y);
    return sum;
}

static int mean(const struct wanted *w)
{
    const int radius = param(w, "radius");
    const long area = (2L * radius + 1) * (2 * radius + 1);
    return (int)((window_sum(w, radius) + area / 2) / area);
}

static int threshold(const struct wanted *w)
{
    const int radius = param(w, "radius"), c = param(w, "c");
    const long area = (2L * radius + 1) * (2 * radius + 1);
    return window_sum(w, radius) - c * area < at(w, w->x, w->y) * area ? 255 : 0;
}

// The weights that test_weights checks.
static int gaussian(const struct wanted *w)
{
    int weights[WEIGHTS_MAX];
    const int radius = param(w, "radius");
    long sum = 0;
    filter_fill_weights(w->filter, w->values, weights);
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum +=
                (long)(weights[radius + dy] * weights[radius + dx]) * at(w, w->x + dx, w->y + dy);
    return (int)((sum + (1 << 23)) >> 24);
}

static int flip(const struct wanted *w)
{
    enum { X, Y, BOTH };
    const int axis = param(w, "axis");
    const int x = axis == X || axis == BOTH ? w->in.width - 1 - w->x : w->x;
    const int y = axis == Y || axis == BOTH ? w->in.height - 1 - w->y : w->y;
    return at(w, x, y);
}

static int invert(const struct wanted *w)
{
    return 255 - at(w, w->x, w->y);
}

static const struct known {
    const char *name;
    int (*pixel)(const struct wanted *w);
} known[] = {{"flip", flip},
             {"gaussian", gaussian},
             {"invert", invert},
             {"mean", mean},
             {"threshold", threshold}};

static const struct known *find(const struct filter *f)
{
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (!strcmp(known[i].name, f->name)) return &known[i];
    return NULL;
}

bool filter_is_known(const struct filter *f)
{
    return find(f);
}

// ---- comparing ----

// The corners, and what random numbers lead to.
static void choose(struct wanted *w, int turn, GRand *random)
{
    w->plane = turn % w->in.count;
    w->x = turn & 1 ? w->in.width - 1 : 0;
    w->y = turn & 2 ? w->in.height - 1 : 0;
    if (turn >= 4 && turn % 3 != 1) w->x = g_rand_int_range(random, 0, w->in.width);
    if (turn >= 4 && turn % 3 != 2) w->y = g_rand_int_range(random, 0, w->in.height);
}

static void compare(const struct known *k, const struct wanted *w, struct planes made,
                    struct image_difference *found)
{
    const int difference = ABS(planes_row(made, w->plane, w->y)[w->x] - k->pixel(w));
    if (difference > found->max)
        *found = (struct image_difference){
            .count = found->count, .max = difference, .x = w->x, .y = w->y, .plane = w->plane};
    found->count += difference > 0;
}

struct image_difference filter_reference_differs(const struct filter *f,
                                                 const struct param_values *values,
                                                 struct planes made, struct planes in,
                                                 double max_taps)
{
    const struct known *k = find(f);
    struct image_difference found = {0};
    struct wanted w = {.filter = f, .values = values, .in = in};
    const double taps = launch_taps(f, &(struct settings){.params = *values});
    const int pixels = in.width * in.height;
    if (!k) return found;
    if (taps * pixels * in.count <= max_taps) {
        for (w.plane = 0; w.plane < in.count; w.plane++)
            for (w.y = 0; w.y < in.height; w.y++)
                for (w.x = 0; w.x < in.width; w.x++) compare(k, &w, made, &found);
        return found;
    }
    GRand *random = g_rand_new_with_seed(1);
    for (int turn = 0; turn < CLAMP((int)(max_taps / taps), 8, 1000); turn++) {
        choose(&w, turn, random);
        compare(k, &w, made, &found);
    }
    g_rand_free(random);
    return found;
}
