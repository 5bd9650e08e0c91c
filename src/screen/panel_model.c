#include "screen/panel_model.h"

#include <glib.h>
#include <math.h>

#include "screen/panel_model_parts.h"

struct panel_model *panel_model_create(void)
{
    struct panel_model *p = g_new0(struct panel_model, 1);
    struct sweep_values all;
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
    g_array_unref(p->wishes);
    g_free(p);
}

// ---- points ----

static int axis_index(const struct panel_model_facts *f)
{
    return axis_find(f->choice.filter, f->axis);
}

const struct param *panel_model_axis(const struct panel_model_facts *f)
{
    const int index = axis_index(f);
    return index < 0 ? NULL : &f->choice.filter->params[index];
}

int panel_model_timed(const struct panel_model *p, const struct results *s,
                      const struct choice *point)
{
    return (int)results_timed(s, point).settings.params.v[axis_index(&p->facts)];
}

bool panel_model_is_at(const struct panel_model *p, const struct overlay_hit *hit, int *value)
{
    const bool has_axis = p->facts.choice.filter && !p->facts.has_roof;
    const struct param *axis = has_axis ? panel_model_axis(&p->facts) : NULL;
    if (!axis || hit->panel != OVERLAY_SWEEP || hit->value < fmin(axis->min, 0)) return false;
    *value = axis_snap(axis, p->axes.stops, p->axes.stop_count, hit->value);
    return true;
}

bool panel_model_is_legal(const struct panel_model_facts *f, const struct choice *point,
                          struct error *err)
{
    struct launch_plan plan;
    return launch_plan(&plan, point, f->picture, f->device, NULL, err);
}

// The present block for the present variant, and for others where they can have it.
struct choice panel_model_bar_point(const struct panel_model_facts *f, int variant)
{
    struct choice point = f->choice;
    point.variant = &point.filter->variants[variant];
    return panel_model_is_legal(f, &point, NULL) ? point
                                                 : choice_of_variant(&f->choice, point.variant);
}

struct choice panel_model_sweep_point(const struct panel_model_facts *f, int variant, int value)
{
    struct choice point = choice_of_variant(&f->choice, &f->choice.filter->variants[variant]);
    point.settings.params.v[axis_index(f)] = value;
    return point;
}

struct choice panel_model_heat_point(const struct panel_model *p, int cell)
{
    struct choice point = p->facts.choice;
    point.settings.block_width = p->axes.widths[cell % p->axes.columns];
    point.settings.block_height = p->axes.heights[cell / p->axes.columns];
    return point;
}

// ---- what is wanted ----

// Groups in the order in which they are measured. What is compared with the shown one is kept.
enum { GROUP_COMPARED, GROUP_BARS, GROUP_OTHERS };

static void wish(const struct panel_model *p, struct choice point, int group)
{
    const struct results_wish one = {point, group, group < GROUP_OTHERS};
    if (panel_model_is_legal(&p->facts, &point, NULL)) g_array_append_val(p->wishes, one);
}

bool panel_model_has_one_copy(const struct panel_model *p)
{
    const struct param_values *now = &p->facts.choice.settings.params;
    for (int i = 0; i < p->axes.stop_count; i++) {
        const struct choice point = panel_model_sweep_point(&p->facts, 0, p->axes.stops[i]);
        if (!arrays_move_alike(point.filter, &point.settings.params, now)) return false;
    }
    return true;
}

static int wish_sweep(const struct panel_model *p, int group)
{
    const bool has_one_copy = panel_model_has_one_copy(p);
    for (int r = 0; r < p->axes.stop_count; r++) {
        const struct choice point = panel_model_sweep_point(&p->facts, 0, p->axes.stops[r]);
        const struct choice copy = choice_copy_of(has_one_copy ? &p->facts.choice : &point);
        const struct results_wish floor = {copy, group + r, false};
        if (!arrays_picture(point.filter, p->facts.picture).width)
            g_array_append_val(p->wishes, floor);
        for (int i = 0; i < p->facts.choice.filter->variant_count; i++)
            wish(p, panel_model_sweep_point(&p->facts, i, p->axes.stops[r]), group + r);
    }
    return group + p->axes.stop_count;
}

static bool is_open(const struct panel_model *p, enum overlay_panel panel)
{
    return p->facts.open & 1u << panel;
}

static bool has_sweep(const struct panel_model *p)
{
    return is_open(p, OVERLAY_SWEEP) && !p->facts.has_roof;
}

static void make_wishes(struct panel_model *p)
{
    g_array_set_size(p->wishes, 0);
    const bool is_heat_newer = p->panels.opened[OVERLAY_HEAT] > p->panels.opened[OVERLAY_SWEEP];
    int group = GROUP_OTHERS;
    struct choice naive;
    if (choice_naive_of(&p->facts.choice, &naive)) wish(p, naive, GROUP_COMPARED);
    for (int i = 0; i < p->facts.also_count; i++) wish(p, p->facts.also[i], GROUP_COMPARED);
    const bool has_bars = is_open(p, OVERLAY_BARS) || p->facts.has_roof;
    for (int i = 0; has_bars && i < p->facts.choice.filter->variant_count; i++)
        wish(p, panel_model_bar_point(&p->facts, i), GROUP_BARS);
    for (int turn = 0; turn < 2; turn++) {
        const bool is_heat = (turn == 0) == is_heat_newer;
        const int cells = is_heat && is_open(p, OVERLAY_HEAT) ? p->axes.rows * p->axes.columns : 0;
        for (int i = 0; i < cells; i++) wish(p, panel_model_heat_point(p, i), group);
        group += cells > 0;
        if (!is_heat && has_sweep(p)) group = wish_sweep(p, group);
    }
}

// ---- update ----

static bool is_same_choice(const struct panel_model_facts *a, const struct panel_model_facts *b)
{
    bool is_same = choice_is_same(&a->choice, &b->choice) && axis_index(a) == axis_index(b) &&
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
        const struct param *axis = panel_model_axis(&p->facts);
        const int index = axis_index(facts);
        p->axes.stop_count =
            axis ? axis_stops(axis, (int)facts->choice.settings.params.v[index], p->axes.stops) : 0;
        make_wishes(p);
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
    struct error err = {""};
    change->choice = panel_model_heat_point(p, cell);
    if (panel_model_is_legal(&p->facts, &change->choice, &err)) return true;
    g_strlcpy(change->note, err.text, sizeof change->note);
    return false;
}

bool panel_model_click(const struct panel_model *p, const struct choice *present,
                       const struct overlay_hit *hit, struct panel_model_change *change)
{
    int value;
    *change = (struct panel_model_change){.choice = p->facts.choice};
    if (!p->facts.choice.filter || !choice_is_same(&p->facts.choice, present)) return false;
    if (hit->panel == OVERLAY_HEAT && hit->index >= 0)
        return hit->index < p->axes.columns * p->axes.rows && choose_cell(p, hit->index, change);
    const bool is_bar = hit->panel == OVERLAY_BARS && hit->index >= 0 && hit->index < p->bars.count;
    const bool is_value = panel_model_is_at(p, hit, &value);
    if (is_bar) change->choice = panel_model_bar_point(&p->facts, hit->index);
    if (is_value) change->choice.settings.params.v[axis_index(&p->facts)] = value;
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
