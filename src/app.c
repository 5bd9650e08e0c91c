#include "app.h"

#include <glib.h>
#include <math.h>
#include <string.h>

void app_init(struct app *a, const struct filter_list *filters, int picture_count)
{
    *a = (struct app){.filters = filters, .picture_count = picture_count, .text_scale = 1};
    for (int i = 0; i < filters->count && i < APP_MAX_FILTERS; i++)
        a->choices[i].settings.params = filter_defaults(&filters->filters[i]);
}

// A value that has a name travels by it, and falls back to the default where that name is gone.
static double adopt_name(const struct param *p, const struct param *old, double value)
{
    char name[FILTER_VALUE];
    filter_write_value(old, value, name);
    value = p->value;
    filter_read_value(p, name, &value, NULL);
    return value;
}

// Values travel by name: a param that is new takes its default, one that shrank its nearest limit,
// one that became an int the nearest whole number.
static struct param_values adopt_params(const struct filter *f, const struct filter *old,
                                        const struct param_values *values)
{
    struct param_values found = filter_defaults(f);
    for (int i = 0; i < f->param_count; i++) {
        const int before = filter_param(old, f->params[i].name);
        if (before < 0) continue;
        found.v[i] = CLAMP(values->v[before], f->params[i].min, f->params[i].max);
        if (!f->params[i].is_float) found.v[i] = round(found.v[i]);
        if (f->params[i].name_count)
            found.v[i] = adopt_name(&f->params[i], &old->params[before], values->v[before]);
    }
    return found;
}

void app_adopt(struct app *a, const struct filter_list *filters)
{
    struct app next = *a;
    next.filters = filters;
    next.filter = 0;
    for (int i = 0; i < filters->count && i < APP_MAX_FILTERS; i++) {
        const struct filter *f = &filters->filters[i];
        next.choices[i] = (struct app_choice){.settings.params = filter_defaults(f)};
        const struct filter *old = filter_find(a->filters, f->name);
        if (!old || old - a->filters->filters >= APP_MAX_FILTERS) continue;
        const struct app_choice *was = &a->choices[old - a->filters->filters];
        const struct variant *v = filter_variant(f, old->variants[was->variant].name);
        next.choices[i] = (struct app_choice){.variant = v ? (int)(v - f->variants) : 0,
                                              .settings = was->settings};
        next.choices[i].settings.params = adopt_params(f, old, &was->settings.params);
        if (filter_radius(f) < 0) next.choices[i].settings.is_unrolled = false;
        if (old == app_filter(a)) next.filter = i;
    }
    *a = next;
}

const struct filter *app_filter(const struct app *a)
{
    return &a->filters->filters[a->filter];
}

const struct variant *app_variant(const struct app *a)
{
    return &app_filter(a)->variants[a->choices[a->filter].variant];
}

struct settings *app_settings(struct app *a)
{
    return &a->choices[a->filter].settings;
}

static int wrap(int value, int count)
{
    return (value % count + count) % count;
}

void app_choose_variant(struct app *a, int index)
{
    const struct filter *f = app_filter(a);
    if (index < f->variant_count)
        a->choices[a->filter].variant = index;
    else
        g_snprintf(a->note, sizeof a->note, "%s has %d variants", f->name, f->variant_count);
}

void app_step_variant(struct app *a, int step)
{
    int *variant = &a->choices[a->filter].variant;
    *variant = wrap(*variant + step, app_filter(a)->variant_count);
}

void app_step_filter(struct app *a, int step)
{
    a->filter = wrap(a->filter + step, MIN(a->filters->count, APP_MAX_FILTERS));
}

void app_step_radius(struct app *a, int step)
{
    const struct filter *f = app_filter(a);
    const int radius = filter_radius(f);
    if (radius < 0) {
        g_snprintf(a->note, sizeof a->note, "%s has no radius", f->name);
        return;
    }
    double *value = &app_settings(a)->params.v[radius];
    *value = CLAMP(*value + step, f->params[radius].min, f->params[radius].max);
}

// The first param from `from` on, in steps round the list, that is not the radius; -1: there is
// none.
static int other_param(const struct app *a, int from, int step)
{
    const struct filter *f = app_filter(a);
    for (int i = 0; i < f->param_count; i++) {
        const int index = wrap(from + i * step, f->param_count);
        if (index != filter_radius(f)) return index;
    }
    return -1;
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
    char value[FILTER_VALUE];
    filter_write_value(p, app_settings(a)->params.v[index], value);
    g_snprintf(a->note, sizeof a->note, "%s %s: %s", p->name, value, p->help);
    a->param = index;
}

void app_step_param(struct app *a, int step)
{
    const int now = other_param(a, a->param, 1);
    if (has_other_param(a, now)) tell_param(a, other_param(a, now + step, step));
}

void app_change_param(struct app *a, int step)
{
    const int index = other_param(a, a->param, 1);
    if (!has_other_param(a, index)) return;
    const struct param *p = &app_filter(a)->params[index];
    double *value = &app_settings(a)->params.v[index];
    const double size = p->is_float ? (p->max - p->min) / 256 : 1;
    *value = p->name_count ? wrap((int)*value + step, p->name_count)
                           : CLAMP(*value + step * size, p->min, p->max);
    tell_param(a, index);
}

// ---- block shapes ----

enum { MAX_SIDE = 1024 };

static void set_block(struct app *a, int width, int height)
{
    struct settings *s = app_settings(a);
    s->block_width = CLAMP(width, 1, MAX_SIDE);
    s->block_height = CLAMP(height, 1, MAX_SIDE);
}

void app_scale_block_width(struct app *a, int step)
{
    int width, height;
    launch_block(app_variant(a), app_settings(a), &width, &height);
    set_block(a, step > 0 ? width * 2 : width / 2, height);
}

void app_scale_block_height(struct app *a, int step)
{
    int width, height;
    launch_block(app_variant(a), app_settings(a), &width, &height);
    set_block(a, width, step > 0 ? height * 2 : height / 2);
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
    at = wrap(at + step, count);
    set_block(a, common_blocks[at].width, common_blocks[at].height);
}

// ---- switches ----

void app_toggle_unroll(struct app *a, int unused)
{
    (void)unused;
    struct settings *s = app_settings(a);
    if (filter_radius(app_filter(a)) >= 0)
        s->is_unrolled = !s->is_unrolled;
    else
        g_snprintf(a->note, sizeof a->note, "%s has no radius to unroll", app_filter(a)->name);
}

void app_toggle_staged(struct app *a, int unused)
{
    (void)unused;
    a->wants_staged = !a->wants_staged;
}

void app_step_picture(struct app *a, int step)
{
    if (a->picture_count < 2) g_strlcpy(a->note, "there is one picture", sizeof a->note);
    a->picture = wrap(a->picture + step, a->picture_count);
}

void app_ask_screenshot(struct app *a, int unused)
{
    (void)unused;
    a->wants_screenshot = true;
}

void app_ask_reload(struct app *a, int unused)
{
    (void)unused;
    a->wants_reload = true;
}

void app_ask_quit(struct app *a, int unused)
{
    (void)unused;
    if (a->has_help)
        a->has_help = false;
    else
        a->wants_quit = true;
}

void app_toggle_frozen(struct app *a, int unused)
{
    (void)unused;
    a->is_frozen = !a->is_frozen;
}

void app_toggle_vsync(struct app *a, int unused)
{
    (void)unused;
    a->wants_vsync = !a->wants_vsync;
}

void app_toggle_bare(struct app *a, int unused)
{
    (void)unused;
    a->is_bare = !a->is_bare;
}

void app_toggle_theme(struct app *a, int unused)
{
    (void)unused;
    a->is_light = !a->is_light;
}

void app_toggle_help(struct app *a, int unused)
{
    (void)unused;
    a->has_help = !a->has_help;
}

void app_scale_text(struct app *a, int step)
{
    a->text_scale = CLAMP(a->text_scale + 0.125 * step, 0.5, 4);
}
