#include "screen/panel_model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "screen/panel_model_parts.h"

struct panel_model *panel_model_create(void)
{
    struct panel_model *p = g_new0(struct panel_model, 1);
    struct sweep_values all;
    p->points = g_array_new(FALSE, FALSE, sizeof(struct panel_point));
    p->wishes = g_array_new(FALSE, FALSE, sizeof(struct results_wish));
    sweep_parse(&all, "block", "all", NULL);  // widths run first
    for (int i = 0; i < all.count; i++) {
        if (all.heights[i] == all.heights[0])
            p->axes.widths[p->axes.columns++] = (int)all.widths[i];
        if (all.widths[i] == all.widths[0]) p->axes.heights[p->axes.rows++] = all.heights[i];
    }
    return p;
}

void panel_model_destroy(struct panel_model *p)
{
    if (!p) return;
    g_array_unref(p->points);
    g_array_unref(p->wishes);
    g_free(p);
}

// ---- points ----

// The value of the axis, if there is one, that a time is of.
static int timed_at(const struct panel_model *p, const struct results *s,
                    const struct choice *choice)
{
    return p->axes.param ? (int)results_timed(s, choice).settings.params.v[p->axes.index] : 0;
}

bool panel_model_is_at(const struct panel_model *p, const struct overlay_hit *hit, int *value)
{
    const struct param *axis = p->facts.choice.filter ? p->axes.param : NULL;
    if (!axis || p->facts.has_roof || hit->panel != OVERLAY_SWEEP ||
        hit->value < fmin(axis->min, 0))
        return false;
    *value = axis_snap(axis, p->axes.stops, p->axes.stop_count, hit->value);
    return true;
}

static bool is_open(const struct panel_model *p, enum overlay_panel panel)
{
    return p->facts.open & 1u << panel;
}

static bool has_sweep(const struct panel_model *p)
{
    return is_open(p, OVERLAY_SWEEP) && !p->facts.has_roof;
}

const struct panel_point *panel_model_points(const struct panel_model *p, enum overlay_panel panel)
{
    return &g_array_index(p->points, struct panel_point, p->first[panel]);
}

// Groups of wishes are measured one after the other. What is compared with the shown one is kept.
enum { GROUP_COMPARED, GROUP_BARS, GROUP_OTHERS };

static void wish(struct panel_model *p, const struct choice *choice, int group)
{
    const struct results_wish one = {*choice, group, group < GROUP_OTHERS};
    g_array_append_val(p->wishes, one);
}

static void add_point(struct panel_model *p, struct choice choice, int group)
{
    struct panel_point point = {.choice = choice, .result.state = RESULT_REFUSED};
    struct launch_plan plan;
    struct error err = {""};
    point.is_legal = launch_plan(&plan, &choice, p->facts.picture, p->facts.device, NULL, &err);
    text_copy(point.result.reason, sizeof point.result.reason, err.text);
    g_array_append_val(p->points, point);
    if (point.is_legal) wish(p, &choice, group);
}

static void find_axis(struct panel_model *p)
{
    const struct filter *f = p->facts.choice.filter;
    const struct param_values *now = &p->facts.choice.settings.params;
    struct panel_model_axes *const a = &p->axes;
    struct param_values at_stop = *now;
    a->index = axis_find(f, p->facts.axis);
    a->param = a->index < 0 ? NULL : &f->params[a->index];
    a->stop_count = a->param ? axis_stops(a->param, (int)now->v[a->index], a->stops) : 0;
    a->has_one_copy = true;
    for (int i = 0; i < a->stop_count; i++) {
        at_stop.v[a->index] = a->stops[i];
        a->has_one_copy &= arrays_move_alike(f, &at_stop, now);
    }
}

struct choice panel_model_bar(const struct choice *present, int variant, struct planes picture,
                              const struct device *device)
{
    struct choice bar = *present;
    struct launch_plan plan;
    bar.variant = &present->filter->variants[variant];
    return launch_plan(&plan, &bar, picture, device, NULL, NULL)
               ? bar
               : choice_of_variant(present, bar.variant);
}

static void add_bars(struct panel_model *p)
{
    const struct panel_model_facts *f = &p->facts;
    for (int i = 0; i < f->choice.filter->variant_count; i++)
        add_point(p, panel_model_bar(&f->choice, i, f->picture, f->device), GROUP_BARS);
}

// Each value of the axis is a group, with its copy.
static void add_sweep(struct panel_model *p, int group)
{
    const struct filter *f = p->facts.choice.filter;
    const bool has_picture = arrays_picture(f, p->facts.picture).width;
    for (int i = 0; i < f->variant_count * p->axes.stop_count; i++) {
        const int stop = i % p->axes.stop_count, variant = i / p->axes.stop_count;
        struct choice point = choice_of_variant(&p->facts.choice, &f->variants[variant]);
        point.settings.params.v[p->axes.index] = p->axes.stops[stop];
        const struct choice copy = choice_copy_of(p->axes.has_one_copy ? &p->facts.choice : &point);
        if (!variant && !has_picture) wish(p, &copy, group + stop);
        add_point(p, point, group + stop);
    }
}

static void add_cells(struct panel_model *p, int group)
{
    for (int i = 0; i < p->axes.rows * p->axes.columns; i++) {
        struct choice point = p->facts.choice;
        point.settings.block_width = p->axes.widths[i % p->axes.columns];
        point.settings.block_height = p->axes.heights[i / p->axes.columns];
        add_point(p, point, group);
    }
}

// Makes what is shown and what is wanted. Of the sweep and the heat map, the one that was opened
// last is measured first.
static void make_points(struct panel_model *p)
{
    const bool is_heat_newer = p->panels.opened[OVERLAY_HEAT] > p->panels.opened[OVERLAY_SWEEP];
    struct choice naive;
    g_array_set_size(p->wishes, 0);
    g_array_set_size(p->points, 0);
    if (choice_naive_of(&p->facts.choice, &naive)) add_point(p, naive, GROUP_COMPARED);
    for (int i = 0; i < p->facts.also_count; i++) add_point(p, p->facts.also[i], GROUP_COMPARED);
    p->first[OVERLAY_BARS] = p->points->len;
    if (is_open(p, OVERLAY_BARS) || p->facts.has_roof) add_bars(p);
    p->first[OVERLAY_SWEEP] = p->points->len;
    if (has_sweep(p)) add_sweep(p, GROUP_OTHERS + is_heat_newer);
    p->first[OVERLAY_HEAT] = p->points->len;
    if (is_open(p, OVERLAY_HEAT))
        add_cells(p, GROUP_OTHERS + (is_heat_newer ? 0 : p->axes.stop_count));
}

// ---- update ----

static bool is_same_choice(const struct panel_model_facts *a, const struct panel_model_facts *b)
{
    bool is_same = choice_is_same(&a->choice, &b->choice) && !strcmp(a->axis, b->axis) &&
                   a->device == b->device && a->open == b->open && a->has_roof == b->has_roof &&
                   planes_is_same_shape(a->picture, b->picture) && a->also_count == b->also_count;
    for (int i = 0; is_same && i < a->also_count; i++)
        is_same = choice_is_same(&a->also[i], &b->also[i]);
    return is_same;
}

void panel_model_forget(struct panel_model *p)
{
    p->facts.choice.filter = NULL;
}

bool panel_model_want(struct panel_model *p, const struct panel_model_facts *facts,
                      struct results *s)
{
    const bool is_new = !p->facts.choice.filter || !is_same_choice(&p->facts, facts);
    if (is_new) {
        for (int i = 0; i < OVERLAY_PANELS; i++)
            if (facts->open & ~p->facts.open & 1u << i) p->panels.opened[i] = ++p->opened;
        p->facts = *facts;
        find_axis(p);
        make_points(p);
    }
    p->facts.lens = facts->lens;
    results_want(s, (const struct results_wish *)(void *)p->wishes->data,
                 results_recording(s) ? 0 : (int)p->wishes->len);
    return is_new || p->has_cursor_moved;
}

const struct overlay_panels *panel_model_update(struct panel_model *p, const struct results *s,
                                                const char *grid)
{
    const bool has_bars = is_open(p, OVERLAY_BARS), has_heat = is_open(p, OVERLAY_HEAT);
    if (grid) g_strlcpy(p->grid, grid, sizeof p->grid);
    if (!p->facts.choice.filter) return &p->panels;
    p->has_cursor_moved = false;
    for (guint i = 0; i < p->points->len; i++) {
        struct panel_point *point = &g_array_index(p->points, struct panel_point, i);
        if (point->is_legal) point->result = results_get(s, &point->choice);
        point->timed_at = timed_at(p, s, &point->choice);
    }
    p->axes.timed_at = timed_at(p, s, &p->facts.choice);
    if (has_bars) panel_model_fill_bars(p, s);
    if (has_sweep(p)) panel_model_fill_sweep(p, s);
    if (p->facts.has_roof) panel_model_fill_roof(p, s);
    if (has_heat) panel_model_fill_heat(p, s);
    p->panels.grid = is_open(p, OVERLAY_GRID) ? p->grid : NULL;
    p->panels.bars = has_bars ? &p->bars : NULL;
    p->panels.sweep = is_open(p, OVERLAY_SWEEP) ? &p->sweep.plot : NULL;
    p->panels.heat = has_heat ? &p->heat.plot : NULL;
    return &p->panels;
}

// ---- cursor and clicks ----

bool panel_model_point(struct panel_model *p, const struct overlay_hit *hit)
{
    const bool is_told = hit && (hit->panel == OVERLAY_HEAT || hit->panel == OVERLAY_SWEEP);
    const struct overlay_hit before = p->cursor;
    const bool had_cursor = p->has_cursor;
    p->has_cursor = is_told;
    if (is_told) p->cursor = *hit;
    int from = 0, to = 0;
    bool is_moved = had_cursor != is_told;
    if (is_told)  // it has moved if the panels say something else there
        is_moved |= before.panel != hit->panel || before.index != hit->index ||
                    panel_model_is_at(p, &before, &from) != panel_model_is_at(p, hit, &to) ||
                    from != to;
    p->has_cursor_moved |= is_moved;
    return is_moved;
}

static bool choose_cell(const struct panel_model *p, int cell, struct panel_model_change *change)
{
    const struct panel_point *point = &panel_model_points(p, OVERLAY_HEAT)[cell];
    change->choice = point->choice;
    if (!point->is_legal) g_strlcpy(change->note, point->result.reason, sizeof change->note);
    return point->is_legal;
}

bool panel_model_click(const struct panel_model *p, const struct choice *present,
                       const struct overlay_hit *hit, struct panel_model_change *change)
{
    int value;
    *change = (struct panel_model_change){.choice = p->facts.choice};
    if (!p->facts.choice.filter || !choice_is_same(&p->facts.choice, present)) return false;
    // A panel that is still drawn, but no longer wanted, has no points.
    if (hit->panel == OVERLAY_HEAT && hit->index >= 0)
        return (guint)hit->index < p->points->len - p->first[OVERLAY_HEAT] &&
               choose_cell(p, hit->index, change);
    const bool is_bar = hit->panel == OVERLAY_BARS && hit->index >= 0 &&
                        (guint)hit->index < p->first[OVERLAY_SWEEP] - p->first[OVERLAY_BARS];
    const bool is_value = panel_model_is_at(p, hit, &value);
    if (is_bar) change->choice = panel_model_points(p, OVERLAY_BARS)[hit->index].choice;
    if (is_value) change->choice.settings.params.v[p->axes.index] = value;
    return is_bar || is_value;
}

bool panel_model_best(const struct panel_model *p, struct panel_model_change *change)
{
    *change = (struct panel_model_change){.note = ""};
    if (!p->facts.choice.filter) return false;
    const int best = is_open(p, OVERLAY_HEAT) ? plot_best_cell(&p->heat.map) : -1;
    if (best >= 0) return choose_cell(p, best, change);
    g_strlcpy(change->note,
              device_has_gpu_times(p->facts.device) ? "no block shape is known to be the best yet"
                                                    : "a CPU's times choose no block for a GPU",
              sizeof change->note);
    return false;
}
