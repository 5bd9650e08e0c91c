#include "app/app.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "filter/axis.h"

void app_init(struct app *a, const struct filter_list *filters, int picture_count)
{
    *a = (struct app){
        .filters = filters, .picture_count = picture_count, .text_scale = 1, .divider = 0.5};
    for (int side = 0; side < APP_SIDES; side++)
        for (int i = 0; i < filters->count && i < APP_MAX_FILTERS; i++)
            a->sides[side].choices[i].settings.params = filter_defaults(&filters->filters[i]);
}

int app_sides(const struct app *a)
{
    return a->is_comparing ? APP_SIDES : 1;
}

const struct filter *app_side_filter(const struct app *a, int side)
{
    return &a->filters->filters[a->sides[side].filter];
}

struct app_choice *app_side_choice(struct app *a, int side)
{
    return &a->sides[side].choices[a->sides[side].filter];
}

struct choice app_chosen(const struct app *a, int side)
{
    const struct filter *f = app_side_filter(a, side);
    const struct app_choice *c = &a->sides[side].choices[a->sides[side].filter];
    return (struct choice){f, &f->variants[c->variant], c->settings};
}

void app_take(struct app *a, int side, const struct choice *c)
{
    a->sides[side].filter = (int)(c->filter - a->filters->filters);
    *app_side_choice(a, side) = (struct app_choice){
        .variant = (int)(c->variant - c->filter->variants), .settings = c->settings};
}

int app_axis(const struct app *a, int side)
{
    return axis_find(app_side_filter(a, side), a->sides[side].choices[a->sides[side].filter].axis);
}

int app_array(const struct app *a, int side)
{
    return arrays_find(app_side_filter(a, side),
                       a->sides[side].choices[a->sides[side].filter].array);
}

const struct filter *app_filter(const struct app *a)
{
    return app_side_filter(a, a->side);
}

const struct variant *app_variant(const struct app *a)
{
    return app_chosen(a, a->side).variant;
}

static struct app_choice *choice(struct app *a)
{
    return app_side_choice(a, a->side);
}

struct settings *app_settings(struct app *a)
{
    return &choice(a)->settings;
}

// ---- undo ----

struct app_mark app_mark(struct app *a)
{
    return (struct app_mark){.side = a->side,
                             .filter = a->sides[a->side].filter,
                             .choice = *choice(a),
                             .undo_count = a->undo_count};
}

void app_record(struct app *a, const struct app_mark *before)
{
    const struct app_choice *now = choice(a);
    if (a->undo_count != before->undo_count || a->side != before->side) return;
    if (a->sides[a->side].filter == before->filter && now->variant == before->choice.variant &&
        choice_settings_are_same(&now->settings, &before->choice.settings))
        return;
    if (a->undo_count == APP_UNDOS)
        memmove(a->undo, a->undo + 1, (size_t)--a->undo_count * sizeof a->undo[0]);
    a->undo[a->undo_count++] = *before;
}

void app_undo(struct app *a)
{
    if (!a->undo_count) {
        g_strlcpy(a->note, "nothing to undo", sizeof a->note);
        return;
    }
    const struct app_mark *last = &a->undo[--a->undo_count];
    a->side = last->side;
    a->sides[a->side].filter = last->filter;
    struct app_choice before = last->choice;
    memcpy(before.array, choice(a)->array, sizeof before.array);  // it is only looked at
    *choice(a) = before;
}

// ---- filter, variant, params ----

// A variant that is written for one block has that one; the block chosen for the others waits.
static void choose_variant(struct app *a, int index)
{
    struct app_choice *c = choice(a);
    struct settings *s = &c->settings;
    c->variant = index;
    if (launch_is_fixed(app_variant(a))) {
        if (s->block_width) {
            c->kept_width = s->block_width;
            c->kept_height = s->block_height;
        }
        s->block_width = s->block_height = 0;
    } else if (c->kept_width) {
        s->block_width = c->kept_width;
        s->block_height = c->kept_height;
        c->kept_width = c->kept_height = 0;
    }
}

void app_choose_variant(struct app *a, int index)
{
    const struct filter *f = app_filter(a);
    if (index < f->variant_count)
        choose_variant(a, index);
    else
        g_snprintf(a->note, sizeof a->note, "%s has %d variants%s", f->name, f->variant_count,
                   a->is_saved_broken ? "; what is in the files now cannot run" : "");
}

void app_step_variant(struct app *a, int step)
{
    choose_variant(a, number_wrap(choice(a)->variant + step, app_filter(a)->variant_count));
}

void app_step_filter(struct app *a, int step)
{
    int *filter = &a->sides[a->side].filter;
    const bool has_picture = filter_has_picture(app_filter(a));
    do *filter = number_wrap(*filter + step, MIN(a->filters->count, APP_MAX_FILTERS));
    while (filter_has_picture(app_filter(a)) != has_picture);
}

void app_step_axis(struct app *a, int step)
{
    const struct filter *f = app_filter(a);
    const int index = app_axis(a, a->side);
    double *value = &app_settings(a)->params.v[MAX(index, 0)];
    if (index < 0)
        g_snprintf(a->note, sizeof a->note, "%s has no radius", f->name);
    else
        *value = axis_step(&f->params[index], *value, step);
}

// The chosen param, or the first one behind it that is not the filter's own axis; -1: there is
// none.
static int other_param(const struct app *a)
{
    const struct filter *f = app_filter(a);
    for (int i = 0; i < f->param_count; i++) {
        const int index = (a->sides[a->side].param + i) % f->param_count;
        if (index != axis_find(f, NULL)) return index;
    }
    return -1;
}

// Returns the axis, unless the chosen param cannot be one. A param that was chosen for another
// filter may lie behind the last one.
int app_param(const struct app *a)
{
    const struct filter *f = app_filter(a);
    const int param = a->sides[a->side].param, axis = app_axis(a, a->side);
    if (!f->param_count) return -1;
    if (param < f->param_count && !axis_can_be(f, param)) return param;
    return axis >= 0 ? axis : param % f->param_count;
}

static bool has_other_param(struct app *a, int index)
{
    if (index < 0)
        g_snprintf(a->note, sizeof a->note, "%s has no other parameter", app_filter(a)->name);
    return index >= 0;
}

static void tell_param(struct app *a, int index)
{
    const struct param *p = &app_filter(a)->params[index];
    g_snprintf(a->note, sizeof a->note, "%s %s: %s", p->name,
               filter_write_value(p, app_settings(a)->params.v[index]).text, p->help);
    a->sides[a->side].param = index;
}

void app_choose_param(struct app *a, int index)
{
    const struct filter *f = app_filter(a);
    if (axis_can_be(f, index))
        g_strlcpy(choice(a)->axis, f->params[index].name, sizeof choice(a)->axis);
    tell_param(a, index);
}

void app_step_param(struct app *a, int step)
{
    if (has_other_param(a, other_param(a)))
        app_choose_param(a, number_wrap(app_param(a) + step, app_filter(a)->param_count));
}

void app_change_param(struct app *a, int step)
{
    const int index = other_param(a);
    if (!has_other_param(a, index)) return;
    const struct param *p = &app_filter(a)->params[index];
    double *value = &app_settings(a)->params.v[index];
    if (p->name_count)
        *value = number_wrap((int)*value + step, p->name_count);
    else if (p->is_float)
        *value = CLAMP(*value + step * (p->max - p->min) / 256, p->min, p->max);
    else
        *value = axis_step(p, *value, step);
    tell_param(a, index);
}

// ---- block shapes ----

enum { MAX_SIDE = 1024 };

static void set_block(struct app *a, int width, int height)
{
    if (app_variant(a)->library.function) {
        g_snprintf(a->note, sizeof a->note, "%s is a library's, and takes no block",
                   app_variant(a)->name);
        return;
    }
    if (launch_is_fixed(app_variant(a))) {
        launch_block(app_variant(a), app_settings(a), &width, &height);
        g_snprintf(a->note, sizeof a->note, "%s is written for blocks of %d×%d",
                   app_variant(a)->name, width, height);
        return;
    }
    struct settings *s = app_settings(a);
    s->block_width = CLAMP(width, 1, MAX_SIDE);
    s->block_height = CLAMP(height, 1, MAX_SIDE);
}

void app_scale_block(struct app *a, int side)
{
    int sides[2];
    launch_block(app_variant(a), app_settings(a), &sides[0], &sides[1]);
    int *const scaled = &sides[abs(side) - 1];
    *scaled = side > 0 ? *scaled * 2 : *scaled / 2;
    set_block(a, sides[0], sides[1]);
}

// Shapes that courses and samples use, by threads.
static const struct {
    int width, height;
} common_blocks[] = {{8, 8},   {32, 4},  {16, 8}, {128, 1}, {32, 8},  {16, 16}, {64, 4},
                     {256, 1}, {32, 16}, {64, 8}, {32, 32}, {64, 16}, {128, 8}, {1024, 1}};

void app_step_block(struct app *a, int step)
{
    const int count = (int)G_N_ELEMENTS(common_blocks);
    int width, height, at = step > 0 ? -1 : 0;
    launch_block(app_variant(a), app_settings(a), &width, &height);
    for (int i = 0; i < count; i++)
        if (common_blocks[i].width == width && common_blocks[i].height == height) at = i;
    at = number_wrap(at + step, count);
    set_block(a, common_blocks[at].width, common_blocks[at].height);
}

// ---- unrolling, pictures ----

void app_toggle_unroll(struct app *a)
{
    struct settings *s = app_settings(a);
    if (filter_can_unroll(app_filter(a)))
        s->is_unrolled = !s->is_unrolled;
    else
        g_snprintf(a->note, sizeof a->note, "%s has no whole number to unroll",
                   app_filter(a)->name);
}

void app_step_picture(struct app *a, int step)
{
    const struct filter *f = app_filter(a);
    if (!filter_has_picture(f)) {
        const struct choice now = app_chosen(a, a->side);
        const int array =
            number_wrap(arrays_shown(&now, app_array(a, a->side)) + step, f->array_count);
        g_strlcpy(choice(a)->array, f->arrays[array].name, ARRAYS_NAME);
        return;
    }
    if (a->picture_count < 2) g_strlcpy(a->note, "there is one picture", sizeof a->note);
    a->picture = number_wrap(a->picture + step, a->picture_count);
}

// ---- switches that are more than a bool ----

void app_toggle_sweep(struct app *a)
{
    if (!a->has_sweep && app_axis(a, a->side) < 0)
        g_snprintf(a->note, sizeof a->note, "%s has no radius to sweep", app_filter(a)->name);
    else
        a->has_sweep = !a->has_sweep;
    if (!a->has_sweep || !a->has_roof) return;
    a->has_roof = false;
    g_strlcpy(a->note, "the sweep takes the roofline's place", sizeof a->note);
}

void app_toggle_roof(struct app *a)
{
    a->has_roof = !a->has_roof;
    if (!a->has_roof || !a->has_sweep) return;
    a->has_sweep = false;
    g_strlcpy(a->note, "the roofline takes the sweep's place", sizeof a->note);
}

bool app_freeze(struct app *a)
{
    if (a->has_tour) return false;
    a->is_frozen = !a->is_frozen;
    return true;
}

void app_fit(struct app *a)
{
    a->viewport = (struct viewport){0};
}

// ---- closing ----

void app_turn_help(struct app *a)
{
    const bool has_next = a->has_help && a->help_page + 1 < a->help_pages;
    a->help_page = has_next ? a->help_page + 1 : 0;
    a->has_help = has_next || !a->has_help;
}

bool app_close(struct app *a)
{
    bool *const open[] = {&a->has_help, &a->has_sweep,      &a->has_roof, &a->has_heat,
                          &a->has_bars, &a->has_difference, &a->has_grid};
    const int side = a->runs_whole[a->side] ? a->side : !a->side;
    if (a->runs_whole[side]) {
        a->has_whole[side] = a->runs_whole[side] = false;
        return true;
    }
    a->help_page = 0;
    if (!a->has_help && (app_is_playing(a) || app_is_covered(a))) {
        *(app_is_playing(a) ? &a->is_playing : &a->has_full_lens) = false;
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(open); i++)
        if (*open[i]) {
            *open[i] = false;
            return true;
        }
    if (app_sharing(a) < SHARING_COUNTS) {
        memset(a->has_sharing, 0, sizeof a->has_sharing);
        return true;
    }
    if (a->has_lens || a->has_source) {
        if (!a->has_lens) a->has_source = a->has_changes = a->has_machine = false;
        app_close_lens(a);
        return true;
    }
    if (a->is_comparing) {
        app_toggle_compare(a);
        return true;
    }
    if (a->is_fullscreen) {
        a->is_fullscreen = false;
        return true;
    }
    if (a->is_leaving && !a->has_tour) return false;
    a->is_leaving = !a->has_tour;
    g_strlcpy(a->note, a->has_tour ? "a tour is played: q quits" : "Esc again to quit",
              sizeof a->note);
    return true;
}

// ---- after a reload ----

// Values travel by name: a param that is new takes its default, one that shrank its nearest limit,
// one that became an int the nearest whole number. A value that has a name travels by that, and
// falls back to the default where it is gone.
static struct param_values adopt_params(const struct filter *f, const struct filter *old,
                                        const struct param_values *values)
{
    struct param_values found = filter_defaults(f);
    for (int i = 0; i < f->param_count; i++) {
        const int before = filter_param(old, f->params[i].name);
        if (before < 0) continue;
        const struct param *p = &f->params[i];
        const double value = values->v[before];
        if (p->name_count)
            filter_read_value(p, filter_write_value(&old->params[before], value).text, &found.v[i],
                              NULL);
        else
            found.v[i] = filter_snap(p, p->is_float ? value : round(value));
    }
    return found;
}

// A variant keeps its name, or where that is gone its place, if one with a new name stands there.
void app_adopt(struct app *a, const struct filter_list *old_filters,
               const struct filter_list *filters)
{
    for (int side = 0; side < APP_SIDES; side++) {
        const struct app_side was = a->sides[side];
        struct app_side *next = &a->sides[side];
        *next = (struct app_side){.param = was.param};
        for (int i = 0; i < filters->count && i < APP_MAX_FILTERS; i++) {
            const struct filter *f = &filters->filters[i];
            struct app_choice *choice = &next->choices[i];
            *choice = (struct app_choice){.settings.params = filter_defaults(f)};
            const struct filter *old = filter_find(old_filters, f->name);
            const ptrdiff_t at = old ? old - old_filters->filters : APP_MAX_FILTERS;
            if (at >= APP_MAX_FILTERS) continue;
            *choice = was.choices[at];
            const int place = choice->variant;
            const struct variant *v = filter_variant(f, old->variants[place].name);
            const bool is_new =
                place < f->variant_count && !filter_variant(old, f->variants[place].name);
            choice->variant = v ? (int)(v - f->variants) : is_new ? place : 0;
            choice->settings.params = adopt_params(f, old, &was.choices[at].settings.params);
            if (!filter_can_unroll(f)) choice->settings.is_unrolled = false;
            if (at == was.filter) next->filter = i;
        }
    }
    a->filters = filters;
    a->undo_count = 0;  // variants may have moved
    if (a->menu == APP_MENU_VALUE) a->menu = APP_MENU_NONE;
}
