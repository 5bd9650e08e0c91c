// The kernel files were read again: what was chosen of the old ones goes on with the new ones.
#include "app/app.h"

#include <math.h>

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
static int adopt_variant(const struct filter *f, const struct filter *old, int was)
{
    const struct variant *v = filter_variant(f, old->variants[was].name);
    if (v) return (int)(v - f->variants);
    return was < f->variant_count && !filter_variant(old, f->variants[was].name) ? was : 0;
}

static struct app_side adopt_side(const struct app_side *was, const struct filter_list *filters,
                                  const struct filter_list *old_filters)
{
    struct app_side next = {.param = was->param};
    for (int i = 0; i < filters->count && i < APP_MAX_FILTERS; i++) {
        const struct filter *f = &filters->filters[i];
        next.choices[i] = (struct app_choice){.settings.params = filter_defaults(f)};
        const struct filter *old = filter_find(old_filters, f->name);
        const ptrdiff_t at = old ? old - old_filters->filters : APP_MAX_FILTERS;
        if (at >= APP_MAX_FILTERS) continue;
        struct app_choice *choice = &next.choices[i];
        *choice = was->choices[at];
        choice->variant = adopt_variant(f, old, was->choices[at].variant);
        choice->settings.params = adopt_params(f, old, &was->choices[at].settings.params);
        if (!filter_can_unroll(f)) choice->settings.is_unrolled = false;
        if (at == was->filter) next.filter = i;
    }
    return next;
}

void app_adopt(struct app *a, const struct filter_list *old, const struct filter_list *filters)
{
    for (int side = 0; side < APP_SIDES; side++)
        a->sides[side] = adopt_side(&a->sides[side], filters, old);
    a->filters = filters;
    a->undo_count = 0;  // variants may have moved
    if (a->menu == APP_MENU_VALUE) a->menu = APP_MENU_NONE;
}
