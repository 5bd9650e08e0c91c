#include "draw/compare_plot.h"

#include <glib.h>
#include <string.h>

#include "draw/plot.h"

enum side { A, B, SIDES };

struct drawing {
    struct plot_curve curves[PLOT_MAX_CURVES];
    GArray *points[PLOT_MAX_CURVES];  // struct plot_point
    int count;                        // of curves; those of b follow those of a
    double first_x;
    bool has_several_x;
};

// What tells a row's curve from the others: all but the axis.
static void label_row(char *label, size_t size, const struct bench_file_row *row)
{
    char *name = g_strdup_printf("%s %s%s%s %d×%d%s", row->filter, row->variant,
                                 row->params[0] ? " " : "", row->params, row->block_width,
                                 row->block_height, strcmp(row->unroll, "on") ? "" : " unrolled");
    g_strlcpy(label, name, size);
    g_free(name);
}

// The curves of a row: the first of the two. -1: there is no room for more.
static int find_curves(struct drawing *d, const struct bench_file_row *row)
{
    char label[sizeof d->curves[0].label - 4];
    int at = 0;
    label_row(label, sizeof label, row);
    while (at < d->count && strncmp(d->curves[at].label, label, strlen(label)) != 0) at += SIDES;
    if (at + SIDES > PLOT_MAX_CURVES) return -1;
    if (at < d->count) return at;
    for (int side = A; side < SIDES; side++) {
        struct plot_curve *curve = &d->curves[at + side];
        g_snprintf(curve->label, sizeof curve->label, "%s, %c", label, "ab"[side]);
        curve->style = at / SIDES;
        curve->is_dashed = side == B;
        d->points[at + side] = g_array_new(FALSE, FALSE, sizeof(struct plot_point));
    }
    d->count = at + SIDES;
    return at;
}

static void add_point(struct drawing *d, int curve, const struct bench_file_row *row)
{
    const struct plot_point point = {row->value, row->ms.median, row->ms.lower, row->ms.upper,
                                     row->is_wrong};
    g_array_append_val(d->points[curve], point);
}

static bool add_pair(struct drawing *d, const struct bench_compare_pair *p, struct error *err)
{
    if (!p->a || !p->b || p->ratio <= 0 || !p->a->has_value || !p->a->filter[0]) return true;
    const int at = find_curves(d, p->a);
    if (at < 0)
        return error_set(err, "a plot of more than %d curves cannot be read", PLOT_MAX_CURVES);
    if (!d->points[A]->len) d->first_x = p->a->value;
    d->has_several_x |= p->a->value != d->first_x;
    add_point(d, at + A, p->a);
    add_point(d, at + B, p->b);
    return true;
}

static int by_x(gconstpointer a, gconstpointer b)
{
    const struct plot_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

// The name of the axis; "radius, pixels" where the file says so. The caller frees it.
static char *label_axis(const struct bench_compare *c)
{
    for (int i = 0; i < c->count; i++) {
        const struct bench_file_row *row = c->pairs[i].a;
        if (!row || !row->has_value) continue;
        const bool has_unit = g_str_has_suffix(row->axis, "_px");
        return has_unit ? g_strdup_printf("%.*s, pixels", (int)strlen(row->axis) - 3, row->axis)
                        : g_strdup(row->axis);
    }
    return g_strdup("");
}

static bool save(const char *path, struct drawing *d, const struct bench_compare *c,
                 struct error *err)
{
    for (int i = 0; i < d->count; i++) {
        g_array_sort(d->points[i], by_x);
        d->curves[i].points = (struct plot_point *)(void *)d->points[i]->data;
        d->curves[i].count = (int)d->points[i]->len;
    }
    char *axis = label_axis(c);
    const struct plot_curves curves = {
        .x_label = axis, .y_label = "time per launch, ms", .curves = d->curves, .count = d->count};
    char *caption = g_strdup_printf("a: %s, %.10s · b: %s, %.10s", c->a->device, c->a->date,
                                    c->b->device, c->b->date);
    const struct plot plot = {
        .title = "Two runs compared: a solid, b dashed", .caption = caption, .curves = &curves};
    const bool is_saved = plot_save(&plot, path, err);
    g_free(caption);
    g_free(axis);
    return is_saved;
}

bool compare_plot_save(const char *path, const struct bench_compare *c, struct error *err)
{
    struct drawing d = {.count = 0};
    bool is_good = true;
    for (int i = 0; is_good && i < c->count; i++) is_good = add_pair(&d, &c->pairs[i], err);
    if (is_good && !d.has_several_x)
        is_good = error_set(err, "nothing to plot: the runs share no two values of a param");
    is_good = is_good && save(path, &d, c, err);
    for (int i = 0; i < d.count; i++) g_array_free(d.points[i], TRUE);
    return is_good;
}
