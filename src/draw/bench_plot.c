#include "draw/bench_plot.h"

#include <glib.h>
#include <string.h>

#include "base/number.h"
#include "draw/plot.h"
#include "measure/figures.h"

// What varies in a sweep, and so must be told.
struct axes {
    bool has_filters, has_values, has_blocks, has_unrolls;
    bool has_param[FILTER_MAX_PARAMS];  // params beside the axis
    const char *name;                   // of the axis
    int lines;                          // cases that differ in more than its value
    int panels;                         // or in more than their block
};

static bool is_same_block(const struct settings *a, const struct settings *b)
{
    return a->block_width == b->block_width && a->block_height == b->block_height;
}

static bool is_same_panel(const struct sweep *s, const struct sweep_case *a,
                          const struct sweep_case *b)
{
    if (a->variant != b->variant || a->settings.is_unrolled != b->settings.is_unrolled)
        return false;
    const int axis = filter_param(a->filter, s->axis);
    for (int i = 0; i < a->filter->param_count; i++)
        if (i != axis && a->settings.params.v[i] != b->settings.params.v[i]) return false;
    return true;
}

static bool is_same_line(const struct sweep *s, const struct sweep_case *a,
                         const struct sweep_case *b)
{
    return is_same_panel(s, a, b) && is_same_block(&a->settings, &b->settings);
}

static int count_kinds(const struct sweep *s,
                       bool (*is_same)(const struct sweep *s, const struct sweep_case *a,
                                       const struct sweep_case *b))
{
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        int k = 0;
        while (k < i && !is_same(s, &s->cases[k], &s->cases[i])) k++;
        count += k == i;
    }
    return count;
}

// Which params differ from those of the case before.
static void find_params(struct axes *a, const struct sweep_case *c)
{
    const struct filter *f = c->filter;
    if (c[-1].filter != f) return;
    for (int i = 0; i < f->param_count; i++)
        a->has_param[i] |= c->settings.params.v[i] != c[-1].settings.params.v[i] &&
                           strcmp(f->params[i].name, a->name) != 0;
}

// 0: it has no such param.
static double value_of(const struct sweep_case *c, const char *name)
{
    const int index = filter_param(c->filter, name);
    return index < 0 ? 0 : c->settings.params.v[index];
}

static struct axes axes_of(const struct sweep *s)
{
    struct axes a = {.name = s->axis,
                     .lines = count_kinds(s, is_same_line),
                     .panels = count_kinds(s, is_same_panel)};
    const struct sweep_case *first = &s->cases[0];
    for (int i = 1; i < s->count; i++) {
        const struct sweep_case *c = &s->cases[i];
        a.has_filters |= c->filter != first->filter;
        a.has_values |=
            c->filter == c[-1].filter && value_of(c, s->axis) != value_of(c - 1, s->axis);
        find_params(&a, c);
        a.has_blocks |= !is_same_block(&c->settings, &first->settings);
        a.has_unrolls |= c->settings.is_unrolled != first->settings.is_unrolled;
    }
    return a;
}

bool bench_plot_check(const struct sweep *sweep, struct error *err)
{
    const struct axes a = axes_of(sweep);
    const bool has_radius = !strcmp(a.name, "radius");
    if (a.has_values && a.lines > PLOT_MAX_CURVES)
        return error_set(err, "a plot of %d curves cannot be read; sweep at most %d, or one %s",
                         a.lines, PLOT_MAX_CURVES, has_radius ? "radius" : "value of each param");
    if (!a.has_values && a.has_blocks && a.panels > PLOT_MAX_HEATS)
        return error_set(err, "a plot of %d heat maps cannot be read; sweep at most %d variants",
                         a.panels, PLOT_MAX_HEATS);
    if (a.has_values || a.has_blocks) return true;
    return error_set(err,
                     "nothing to plot: go through several values with --sweep %s, or through "
                     "blocks with --block all",
                     a.name);
}

// What tells this row's curve or panel from the others, but for its unrolling.
static void name_row(char *label, size_t size, const struct axes *a, const struct bench_row *row)
{
    char block[32] = "";
    if (a->has_values && a->has_blocks && row->block_width)
        g_snprintf(block, sizeof block, " %d×%d", row->block_width, row->block_height);
    g_snprintf(label, size, "%s%s%s%s", a->has_filters ? row->filter->name : "",
               a->has_filters ? " " : "", row->variant, block);
    for (int i = 0; i < row->filter->param_count; i++) {
        char value[FILTER_VALUE];
        if (!a->has_param[i]) continue;
        filter_write_value(&row->filter->params[i], row->settings.params.v[i], value);
        char *part = g_strdup_printf(" %s %s", row->filter->params[i].name, value);
        g_strlcat(label, part, size);
        g_free(part);
    }
}

static bool is_twin(const struct axes *a, const struct bench_row *row)
{
    return a->has_unrolls && row->settings.is_unrolled;
}

static void label_row(char *label, size_t size, const struct axes *a, const struct bench_row *row)
{
    name_row(label, size, a, row);
    if (is_twin(a, row)) g_strlcat(label, " unrolled", size);
}

// The param of a row's filter that is the axis; -1: it has none.
static int axis_of(const struct axes *a, const struct bench_row *row)
{
    return filter_param(row->filter, a->name);
}

// ---- curves ----

struct drawing {
    struct plot_curve curves[PLOT_MAX_CURVES];
    GArray *points[PLOT_MAX_CURVES];  // struct plot_point
    bool has_wrong[PLOT_MAX_CURVES];
    int count;
    GPtrArray *names;  // of styles: a variant and its unrolled twin share one
};

static int find_style(struct drawing *d, const char *name)
{
    guint at;
    if (!g_ptr_array_find_with_equal_func(d->names, name, g_str_equal, &at)) {
        at = d->names->len;
        g_ptr_array_add(d->names, g_strdup(name));
    }
    return (int)at;
}

static int find_curve(struct drawing *d, const char *label)
{
    int i = 0;
    while (i < d->count && strcmp(d->curves[i].label, label) != 0) i++;
    if (i == d->count && d->count < PLOT_MAX_CURVES) {
        g_strlcpy(d->curves[i].label, label, sizeof d->curves[i].label);
        d->points[i] = g_array_new(FALSE, FALSE, sizeof(struct plot_point));
        d->count++;
    }
    return i;
}

static void add_point(struct drawing *d, const struct axes *a, const struct bench_row *row)
{
    char label[64], name[64];
    const struct stats_summary *ms = &row->times[row->is_host ? BENCH_TIMER_HOT : BENCH_TIMER_COLD];
    if (!row->filter || axis_of(a, row) < 0 || !ms->count) return;
    label_row(label, sizeof label, a, row);
    const int at = find_curve(d, label);
    if (at == PLOT_MAX_CURVES) return;
    name_row(name, sizeof name, a, row);
    d->curves[at].style = find_style(d, name);
    d->curves[at].is_dashed = is_twin(a, row);
    const struct plot_point point = {row->settings.params.v[axis_of(a, row)], ms->median, ms->lower,
                                     ms->upper, row->check == CHECK_WRONG};
    g_array_append_val(d->points[at], point);
    d->has_wrong[at] |= point.is_wrong;
}

static int by_x(gconstpointer a, gconstpointer b)
{
    const struct plot_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

// "radius, pixels", from the first filter that has it.
static char *label_axis(const struct sweep *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct filter *f = s->cases[i].filter;
        const int index = filter_param(f, s->axis);
        if (index >= 0) return bench_report_axis(&f->params[index]);
    }
    return g_strdup(s->axis);
}

// The copy that each value of a lab was measured with. None where one value has several, because
// another param changes the bytes, too.
static int find_floors(struct plot_point *floors, const struct axes *a,
                       const struct bench_result *r)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        const struct bench_row *row = &r->rows[i];
        if (!row->filter || row->copy_ms <= 0 || axis_of(a, row) < 0) continue;
        const double x = row->settings.params.v[axis_of(a, row)];
        int at = 0;
        while (at < count && floors[at].x < x) at++;
        if (at < count && floors[at].x == x && floors[at].y != row->copy_ms) return 0;
        if (at < count && floors[at].x == x) continue;
        if (count == SWEEP_MAX_VALUES) return 0;
        memmove(&floors[at + 1], &floors[at], (size_t)(count++ - at) * sizeof *floors);
        floors[at] = (struct plot_point){.x = x, .y = row->copy_ms};
    }
    return count;
}

static bool save_curves(const char *path, struct plot *plot, const struct axes *a,
                        const struct sweep *s, const struct bench_result *r, struct error *err)
{
    struct drawing d = {.names = g_ptr_array_new_with_free_func(g_free)};
    char floor_label[64], ms[32];
    struct plot_point floors[SWEEP_MAX_VALUES];
    const bool is_lab = s->cases[0].filter->is_lab;
    const int floor_count = is_lab && !a->has_filters ? find_floors(floors, a, r) : 0;
    const double copy_ms = !is_lab && r->count && !r->rows[0].filter ? bench_ms(&r->rows[0]) : 0;
    for (int i = 0; i < r->count; i++) add_point(&d, a, &r->rows[i]);
    for (int i = 0; i < d.count; i++) {
        g_array_sort(d.points[i], by_x);
        d.curves[i].points = (struct plot_point *)(void *)d.points[i]->data;
        d.curves[i].count = (int)d.points[i]->len;
        if (d.has_wrong[i]) g_strlcat(d.curves[i].label, ", wrong", sizeof d.curves[i].label);
    }
    number_three(ms, sizeof ms, copy_ms);
    g_snprintf(floor_label, sizeof floor_label, "device copy%s%s%s", copy_ms > 0 ? ", " : "",
               copy_ms > 0 ? ms : "", copy_ms > 0 ? " ms" : "");
    char *x_label = label_axis(s);
    const struct plot_curves curves = {.x_label = x_label,
                                       .y_label = "time per launch, ms",
                                       .curves = d.curves,
                                       .count = d.count,
                                       .floor = copy_ms,
                                       .floors = floors,
                                       .floor_count = floor_count,
                                       .floor_label = floor_label};
    plot->curves = &curves;
    const bool is_good = plot_save(plot, path, err);
    for (int i = 0; i < d.count; i++) g_array_free(d.points[i], TRUE);
    g_ptr_array_free(d.names, TRUE);
    g_free(x_label);
    return is_good;
}

// ---- heat maps ----

// Block sides in a result, ascending.
struct sides {
    int widths[SWEEP_MAX_VALUES], heights[SWEEP_MAX_VALUES];
    int columns, rows;
};

static struct sides sides_of(const struct bench_result *r)
{
    struct sides s = {.columns = 0};
    for (int i = 0; i < r->count; i++) {
        if (!r->rows[i].block_width) continue;
        plot_axis_add(s.widths, &s.columns, r->rows[i].block_width);
        plot_axis_add(s.heights, &s.rows, r->rows[i].block_height);
    }
    return s;
}

static double cell_of(const struct bench_row *row)
{
    if (bench_ms(row) > 0) return bench_ms(row);
    return row->is_over_budget ? PLOT_UNKNOWN : PLOT_REFUSED;
}

// What the cells of all heat maps point into.
struct heat_cells {
    double *ms;
    bool *wrong, *alike;
    const struct bench_row **rows;  // NULL: not measured
};

static struct heat_cells heat_cells_create(size_t count)
{
    return (struct heat_cells){.ms = g_new0(double, count),
                               .wrong = g_new0(bool, count),
                               .alike = g_new0(bool, count),
                               .rows = g_new0(const struct bench_row *, count)};
}

static void heat_cells_finish(struct heat_cells *all)
{
    g_free(all->ms);
    g_free(all->wrong);
    g_free(all->alike);
    g_free(all->rows);
}

static void find_alike(struct heat_cells *all, const struct plot_heat *h)
{
    const size_t first = (size_t)(h->cells - all->ms);
    const int best = plot_best_cell(h);
    for (int i = 0; best >= 0 && i < h->columns * h->rows; i++) {
        const struct bench_row *row = all->rows[first + (size_t)i];
        const struct bench_row *lowest = all->rows[first + (size_t)best];
        all->alike[first + (size_t)i] =
            row && row != lowest && h->cells[i] > 0 &&
            figures_compare(lowest->times[BENCH_TIMER_COLD], row->times[BENCH_TIMER_COLD]) !=
                FIGURES_FIRST_IS_FASTER;
    }
}

static bool save_heats(const char *path, struct plot *plot, const struct axes *a,
                       const struct bench_result *r, struct error *err)
{
    struct sides s = sides_of(r);
    const size_t cells = (size_t)s.columns * (size_t)s.rows;
    struct plot_heat heats[PLOT_MAX_HEATS] = {{.columns = 0}};
    struct heat_cells all = heat_cells_create(PLOT_MAX_HEATS * cells + 1);
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        const struct bench_row *row = &r->rows[i];
        char label[64];
        int at = 0;
        if (!row->block_width) continue;
        label_row(label, sizeof label, a, row);
        while (at < count && strcmp(heats[at].title, label) != 0) at++;
        if (at == PLOT_MAX_HEATS) continue;
        count = MAX(count, at + 1);
        const size_t first = (size_t)at * cells;
        heats[at] = (struct plot_heat){.widths = s.widths,
                                       .heights = s.heights,
                                       .columns = s.columns,
                                       .rows = s.rows,
                                       .cells = all.ms + first,
                                       .wrong = all.wrong + first,
                                       .alike = all.alike + first};
        g_strlcpy(heats[at].title, label, sizeof heats[at].title);
        const int y = plot_axis_add(s.heights, &s.rows, row->block_height),
                  x = plot_axis_add(s.widths, &s.columns, row->block_width);
        const size_t cell = first + (size_t)(y * s.columns + x);
        all.ms[cell] = cell_of(row);
        all.wrong[cell] = row->check == CHECK_WRONG;
        all.rows[cell] = row;
    }
    for (int i = 0; i < count; i++) find_alike(&all, &heats[i]);
    plot->heats = heats;
    plot->heat_count = count;
    const bool is_good = plot_save(plot, path, err);
    heat_cells_finish(&all);
    return is_good;
}

bool bench_plot_save(const char *path, const struct sweep *sweep, const struct bench_result *result,
                     const struct bench_about *about, struct error *err)
{
    const struct axes a = axes_of(sweep);
    const struct filter *f = sweep->cases[0].filter;
    const int axis = filter_param(f, a.name);
    char *line = bench_report_line(about);
    char *caption = g_strdup_printf("%s · cold buffers, medians%s", line,
                                    a.has_values ? " and quartiles" : " in ms");
    const char *whose = a.has_filters ? "Filters" : f->title;
    char *title = a.has_values ? g_strdup_printf("%s: time over %s", whose, a.name)
                  : axis < 0   ? g_strdup_printf("%s: time over block shapes", whose)
                               : g_strdup_printf("%s, %s %.10g: time over block shapes", whose,
                                                 a.name, sweep->cases[0].settings.params.v[axis]);
    struct plot plot = {.title = title, .caption = caption};
    const bool is_good = a.has_values ? save_curves(path, &plot, &a, sweep, result, err)
                                      : save_heats(path, &plot, &a, result, err);
    g_free(title);
    g_free(caption);
    g_free(line);
    return is_good;
}
