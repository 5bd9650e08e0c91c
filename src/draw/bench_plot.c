#include "draw/bench_plot.h"

#include <glib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "draw/plot.h"
#include "measure/figures.h"

// The settings that vary in a sweep, so that labels must name them.
struct axes {
    bool has_filters, has_values, has_blocks, has_unrolls;
    bool has_param[FILTER_MAX_PARAMS];  // params other than the axis
    const char *name;                   // of the axis
    bool is_unranked;                   // the times are of no GPU
    bool is_recorded;                   // a missing time then says nothing about a block
};

// 0: it has no such param.
static double value_of(const struct choice *c, const char *name)
{
    const int index = filter_param(c->filter, name);
    return index < 0 ? 0 : c->settings.params.v[index];
}

static struct axes axes_of(const struct sweep *s)
{
    struct axes a = {.name = s->axis};
    const struct choice *first = &s->cases[0];
    for (int i = 1; i < s->count; i++) {
        const struct choice *c = &s->cases[i];
        a.has_filters |= c->filter != first->filter;
        a.has_values |=
            c->filter == c[-1].filter && value_of(c, s->axis) != value_of(c - 1, s->axis);
        for (int k = 0; c->filter == c[-1].filter && k < c->filter->param_count; k++)
            a.has_param[k] |= c->settings.params.v[k] != c[-1].settings.params.v[k] &&
                              strcmp(c->filter->params[k].name, a.name) != 0;
        a.has_blocks |= c->settings.block_width != first->settings.block_width ||
                        c->settings.block_height != first->settings.block_height;
        a.has_unrolls |= c->settings.is_unrolled != first->settings.is_unrolled;
    }
    return a;
}

// Names what tells this row's curve or heat map from the others, but for its unrolling.
static void name_row(char *label, size_t size, const struct axes *a, const struct bench_row *row)
{
    struct words block = {""};
    if (a->has_values && a->has_blocks) block = bench_row_block(row);
    const struct filter *f = row->choice.filter;
    g_snprintf(label, size, "%s%s%s%s%s", a->has_filters ? f->name : "", a->has_filters ? " " : "",
               row->name, *block.text ? " " : "", block.text);
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];
        if (!a->has_param[i]) continue;
        g_autofree char *part = g_strdup_printf(
            " %s %s", p->name, filter_write_value(p, row->choice.settings.params.v[i]).text);
        g_strlcat(label, part, size);
    }
}

static void label_row(char *label, size_t size, const struct axes *a, const struct bench_row *row)
{
    name_row(label, size, a, row);
    if (a->has_unrolls && row->choice.settings.is_unrolled) g_strlcat(label, " unrolled", size);
}

bool bench_plot_check(const struct sweep *sweep, struct error *err)
{
    const struct axes a = axes_of(sweep);
    const bool has_radius = !strcmp(a.name, "radius");
    // How many curves or heat maps the cases make: one a label.
    g_autoptr(GHashTable) labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int i = 0; i < sweep->count; i++) {
        const struct bench_row row = bench_row_of(&sweep->cases[i]);
        char label[128];
        label_row(label, sizeof label, &a, &row);
        g_hash_table_add(labels, g_strdup(label));
    }
    const int count = (int)g_hash_table_size(labels);
    if (a.has_values && count > PLOT_MAX_CURVES)
        return error_set(err, "a plot of %d curves cannot be read; sweep at most %d, or one %s",
                         count, PLOT_MAX_CURVES, has_radius ? "radius" : "value of each param");
    if (!a.has_values && a.has_blocks && count > PLOT_MAX_HEATS)
        return error_set(err, "a plot of %d heat maps cannot be read; sweep at most %d variants",
                         count, PLOT_MAX_HEATS);
    if (a.has_values || a.has_blocks) return true;
    return error_set(err,
                     "nothing to plot: go through several values with --sweep %s, or through "
                     "blocks with --block all",
                     a.name);
}

// ---- curves ----

struct drawing {
    struct plot_curve curves[PLOT_MAX_CURVES];
    struct plot_point points[PLOT_MAX_CURVES][SWEEP_MAX_VALUES];
    char names[PLOT_MAX_CURVES][64];
    int count, styles;
};

// Inserts a point at its place along x. False: a file has more values than SWEEP_MAX_VALUES.
static bool insert_point(struct plot_point *points, int *count, struct plot_point point)
{
    int at = *count;
    if (at == SWEEP_MAX_VALUES) return false;
    for (; at > 0 && points[at - 1].x > point.x; at--) points[at] = points[at - 1];
    points[at] = point;
    return ++*count;
}

// Adds a point to a curve. Its label is the name and the twin; curves of one name share a style.
static bool add_point(struct drawing *d, const char *name, const char *twin, bool is_dashed,
                      struct plot_point point, struct error *err)
{
    struct plot_curve made = {.is_dashed = is_dashed};
    int at = 0, same = 0;
    g_snprintf(made.label, sizeof made.label, "%s%s", name, twin);
    while (at < d->count && strcmp(d->curves[at].label, made.label) != 0) at++;
    if (at == PLOT_MAX_CURVES)
        return error_set(err, "a plot of more than %d curves cannot be read", PLOT_MAX_CURVES);
    if (at == d->count) {
        while (same < at && strcmp(d->names[same], name) != 0) same++;
        made.points = d->points[at];
        made.style = same < at ? d->curves[same].style : d->styles++;
        g_strlcpy(d->names[at], name, sizeof d->names[at]);
        d->curves[d->count++] = made;
    }
    return insert_point(d->points[at], &d->curves[at].count, point) ||
           error_set(err, "a curve of more than %d points cannot be read", SWEEP_MAX_VALUES);
}

// Finds the copy that each value of a lab was measured with. There are none if one value has
// several copies, because another param changes the bytes, too.
static int find_floors(struct plot_point *floors, const struct axes *a,
                       const struct bench_result *r)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        const struct bench_row *row = &r->rows[i];
        const struct choice *c = &row->choice;
        const int axis = c->filter ? filter_param(c->filter, a->name) : -1;
        if (axis < 0 || row->copy_ms <= 0) continue;
        const double x = c->settings.params.v[axis];
        int at = 0;
        while (at < count && floors[at].x != x) at++;
        if (at < count && floors[at].y != row->copy_ms) return 0;
        const struct plot_point floor = {.x = x, .y = row->copy_ms};
        if (at == count && !insert_point(floors, &count, floor)) return 0;
    }
    return count;
}

static bool save_curves(const char *path, struct plot *plot, const struct axes *a,
                        const struct sweep *s, const struct bench_result *r, struct error *err)
{
    g_autofree struct drawing *d = g_new0(struct drawing, 1);
    char floor_label[64];
    struct plot_point floors[SWEEP_MAX_VALUES];
    const bool has_one = r->count && !r->rows[0].choice.filter;  // a copy of the whole run
    const int floor_count = !has_one && !a->has_filters ? find_floors(floors, a, r) : 0;
    const double copy_ms = has_one ? bench_ms(&r->rows[0]) : 0;
    for (const struct bench_row *row = r->rows; row < r->rows + r->count; row++) {
        const struct choice *const c = &row->choice;
        const struct stats_summary *ms =
            &row->times[c->variant ? BENCH_TIMER_COLD : BENCH_TIMER_HOT];
        const int axis = c->filter ? filter_param(c->filter, a->name) : -1;
        const bool is_twin = a->has_unrolls && c->settings.is_unrolled;
        char name[64];
        if (axis < 0 || !ms->count || *row->reason) continue;
        name_row(name, sizeof name, a, row);
        add_point(d, name, is_twin ? " unrolled" : "", is_twin,
                  (struct plot_point){c->settings.params.v[axis], ms->median, ms->lower, ms->upper,
                                      row->check == CHECK_WRONG},
                  NULL);
    }
    for (int i = 0; i < d->count; i++) {
        int right = 0;
        while (right < d->curves[i].count && !d->points[i][right].is_wrong) right++;
        if (right < d->curves[i].count)
            g_strlcat(d->curves[i].label, ", wrong", sizeof d->curves[i].label);
    }
    g_snprintf(floor_label, sizeof floor_label, "device copy%s%s%s", copy_ms > 0 ? ", " : "",
               copy_ms > 0 ? number_three(copy_ms).text : "", copy_ms > 0 ? " ms" : "");
    g_autofree char *x_label = NULL;  // "radius, pixels", from the first filter that has it
    for (int i = 0; i < s->count && !x_label; i++) {
        const int index = filter_param(s->cases[i].filter, s->axis);
        if (index >= 0) x_label = bench_report_axis(&s->cases[i].filter->params[index]);
    }
    if (!x_label) x_label = g_strdup(s->axis);
    const struct plot_curves curves = {.x_label = x_label,
                                       .y_label = "time per launch, ms",
                                       .curves = d->curves,
                                       .count = d->count,
                                       .floor = copy_ms,
                                       .floors = floors,
                                       .floor_count = floor_count,
                                       .floor_label = floor_label};
    plot->curves = &curves;
    return plot_save(plot, path, err);
}

// ---- heat maps ----

static bool save_heats(const char *path, struct plot *plot, const struct axes *a,
                       const struct bench_result *r, struct error *err)
{
    int widths[SWEEP_MAX_VALUES], heights[SWEEP_MAX_VALUES], columns = 0, rows = 0;  // ascending
    for (int i = 0; i < r->count; i++) {
        if (!r->rows[i].block_width) continue;
        plot_axis_add(widths, &columns, r->rows[i].block_width);
        plot_axis_add(heights, &rows, r->rows[i].block_height);
    }
    const size_t cells = (size_t)columns * (size_t)rows, most = PLOT_MAX_HEATS * cells + 1;
    struct plot_heat heats[PLOT_MAX_HEATS] = {{.columns = 0}};
    g_autofree struct plot_cell *all = g_new0(struct plot_cell, most);
    g_autofree const struct bench_row **all_rows = g_new0(const struct bench_row *, most);
    int count = 0;
    for (const struct bench_row *row = r->rows; row < r->rows + r->count; row++) {
        char label[64];
        int at = 0;
        if (!row->block_width) continue;
        label_row(label, sizeof label, a, row);
        while (at < count && strcmp(heats[at].title, label) != 0) at++;
        if (at == PLOT_MAX_HEATS) continue;
        count = MAX(count, at + 1);
        const size_t first = (size_t)at * cells;
        heats[at] = (struct plot_heat){.widths = widths,
                                       .heights = heights,
                                       .columns = columns,
                                       .rows = rows,
                                       .cells = all + first};
        g_strlcpy(heats[at].title, label, sizeof heats[at].title);
        const int y = plot_axis_add(heights, &rows, row->block_height),
                  x = plot_axis_add(widths, &columns, row->block_width);
        const size_t cell = first + (size_t)(y * columns + x);
        const bool is_unknown = row->is_over_budget || a->is_recorded;
        const double none = is_unknown ? PLOT_UNKNOWN : PLOT_REFUSED;
        all[cell].ms = bench_ms(row) > 0 ? bench_ms(row) : none;
        all[cell].is_wrong = row->check == CHECK_WRONG;
        all_rows[cell] = row;
    }
    for (int i = 0; i < count; i++) {
        heats[i].is_unranked = a->is_unranked;
        const struct bench_row **const own = all_rows + (size_t)i * cells;
        const int best = plot_best_cell(&heats[i]);
        for (size_t k = 0; k < cells && best >= 0; k++)
            all[(size_t)i * cells + k].is_alike =
                own[k] && own[k] != own[best] && heats[i].cells[k].ms > 0 &&
                figures_compare(own[best]->times[BENCH_TIMER_COLD],
                                own[k]->times[BENCH_TIMER_COLD]) != FIGURES_FIRST_IS_FASTER;
    }
    plot->heats = heats;
    plot->heat_count = count;
    return plot_save(plot, path, err);
}

bool bench_plot_save(const char *path, const struct sweep *sweep, const struct bench_result *result,
                     const struct bench_about *about, struct error *err)
{
    struct axes a = axes_of(sweep);
    a.is_recorded = about->is_recorded;
    a.is_unranked = !device_has_gpu_times(about->device);
    const struct filter *f = sweep->cases[0].filter;
    const int axis = filter_param(f, a.name);
    g_autofree char *line = bench_report_line(about);
    const char *of = !about->is_of_frames                   ? "cold buffers,"
                     : sweep->cases[0].settings.is_unrolled ? "unroll on ·"
                                                            : "unroll off ·";
    g_autofree char *caption =
        g_strdup_printf("%s · %s medians%s", line, of, a.has_values ? " and quartiles" : " in ms");
    const char *whose = a.has_filters ? "Filters" : f->title;
    g_autofree char *title = a.has_values ? g_strdup_printf("%s: time over %s", whose, a.name)
                             : axis < 0
                                 ? g_strdup_printf("%s: time over block shapes", whose)
                                 : g_strdup_printf("%s, %s %.10g: time over block shapes", whose,
                                                   a.name, sweep->cases[0].settings.params.v[axis]);
    struct plot plot = {.title = title, .caption = caption};
    return a.has_values ? save_curves(path, &plot, &a, sweep, result, err)
                        : save_heats(path, &plot, &a, result, err);
}

// ---- two runs ----

// Adds a pair's points to the curves of its case, a solid one of a and a dashed one of b.
static bool add_pair(struct drawing *d, const struct bench_compare_pair *p, struct error *err)
{
    if (!p->a || !p->b || p->ratio <= 0 || !p->a->has_value || !p->a->parts[BENCH_FILE_FILTER][0])
        return true;
    char name[sizeof d->curves[0].label - sizeof ", a" + 1] = "";
    for (int part = 0; part <= BENCH_FILE_BLOCK; part++)
        if (p->a->parts[part][0])
            text_append(name, sizeof name, "%s%s", part ? " " : "", p->a->parts[part]);
    if (!strcmp(p->a->parts[BENCH_FILE_UNROLL], "on")) text_append(name, sizeof name, " unrolled");
    bool is_good = true;
    for (int side = 0; side < 2 && is_good; side++) {
        const struct bench_file_row *row = side ? p->b : p->a;
        is_good = add_point(d, name, side ? ", b" : ", a", side,
                            (struct plot_point){row->value, row->ms.median, row->ms.lower,
                                                row->ms.upper, row->is_wrong},
                            err);
    }
    return is_good;
}

bool bench_plot_save_compared(const char *path, const struct bench_compare *c, struct error *err)
{
    g_autofree struct drawing *d = g_new0(struct drawing, 1);
    bool is_good = true;
    for (int i = 0; is_good && i < c->count; i++) is_good = add_pair(d, &c->pairs[i], err);
    bool has_several_x = false;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->curves[i].count; k++)
            has_several_x |= d->curves[i].points[k].x != d->curves[0].points[0].x;
    if (is_good && !has_several_x)
        is_good = error_set(err, "nothing to plot: the runs share no two values of a param");
    const char *name = "";
    for (int i = c->count; i-- > 0;)
        if (c->pairs[i].a && c->pairs[i].a->has_value) name = c->pairs[i].a->axis;
    g_autofree char *axis = g_str_has_suffix(name, "_px")
                                ? g_strdup_printf("%.*s, pixels", (int)strlen(name) - 3, name)
                                : g_strdup(name);
    g_autofree char *caption = g_strdup_printf("a: %s, %.10s · b: %s, %.10s", c->a->device,
                                               c->a->date, c->b->device, c->b->date);
    const struct plot_curves curves = {
        .x_label = axis, .y_label = "time per launch, ms", .curves = d->curves, .count = d->count};
    const struct plot plot = {
        .title = "Two runs compared: a solid, b dashed", .caption = caption, .curves = &curves};
    return is_good && plot_save(&plot, path, err);
}
