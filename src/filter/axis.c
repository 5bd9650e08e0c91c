#include "filter/axis.h"

#include <glib.h>
#include <math.h>

enum { WIDE = 256, SMALL_STEP = 2, LARGE_STEP = 8 };

bool axis_can_be(const struct filter *f, int param)
{
    if (param < 0 || param >= f->param_count) return false;
    const struct param *p = &f->params[param];
    return !p->is_float && !p->name_count && p->min < p->max;
}

int axis_find(const struct filter *f, const char *name)
{
    const int chosen = name && *name ? filter_param(f, name) : -1, radius = filter_radius(f);
    if (axis_can_be(f, chosen)) return chosen;
    if (radius >= 0) return radius;
    for (int i = 0; i < f->param_count; i++)
        if (axis_can_be(f, i)) return i;
    return -1;
}

static bool is_wide(const struct param *p)
{
    return p->min >= 0 && p->max > WIDE * fmax(p->min, 1);
}

double axis_step(const struct param *p, double value, int step)
{
    if (!is_wide(p)) return filter_snap(p, value + step * p->step);
    const double factor = ABS(step) > 1 ? LARGE_STEP : SMALL_STEP;
    const double next = step > 0 ? fmax(value * factor, 1) : floor(value / factor);
    // From min, a factor may not reach the param's next value.
    return step > 0 ? fmax(filter_snap(p, next), filter_snap(p, value + p->step))
                    : filter_snap(p, next);
}

// ---- values ----

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct list {
    const struct param *param;
    int *values;  // AXIS_MAX_STOPS of them
    int count;
};

// Adds a new value within the limits, while there is room.
static void add(struct list *l, double value)
{
    if (value < l->param->min || value > l->param->max || l->count == AXIS_MAX_STOPS) return;
    value = filter_snap(l->param, value);
    for (int i = 0; i < l->count; i++)
        if (l->values[i] == (int)value) return;
    l->values[l->count++] = (int)value;
}

static void add_both(struct list *l, double value)
{
    add(l, value);
    add(l, -value);
}

// 1, 2, 4, 8 ... or, densely, 1, 2, 3, 4, 6, 8, 12 ...
static void add_powers(struct list *l, bool is_dense)
{
    for (int power = 0; power < 31; power++) {
        add_both(l, ldexp(1, power));
        if (is_dense && power > 0) add_both(l, ldexp(1.5, power));
    }
}

static int sorted(const struct list *l)
{
    qsort(l->values, (size_t)l->count, sizeof *l->values, compare);
    return l->count;
}

int axis_stops(const struct param *p, int present, int stops[AXIS_MAX_STOPS])
{
    struct list l = {p, stops, 0};
    add(&l, present);
    add(&l, p->min);
    if (!is_wide(p)) add(&l, 0);
    add_powers(&l, fmax(p->max, -p->min) <= WIDE * fmax(p->min, 1));
    return sorted(&l);
}

int axis_powers(const struct param *p, int stops[AXIS_MAX_STOPS])
{
    struct list l = {p, stops, 0};
    if (p->min < 0) add(&l, 0);
    add_powers(&l, false);
    if (!l.count) add(&l, p->value);
    return sorted(&l);
}

int axis_snap(const struct param *p, const int *stops, int count, double value)
{
    if (!is_wide(p) || !count) return (int)filter_snap(p, round(value));
    int best = 0;
    for (int i = 1; i < count; i++)
        if (fabs(log2(stops[i] + 0.5) - log2(value + 0.5)) <
            fabs(log2(stops[best] + 0.5) - log2(value + 0.5)))
            best = i;
    return stops[best];
}
