#include "filter/choice.h"

#include <glib.h>

#include "base/planes.h"
#include "base/suggest.h"
#include "filter/arrays.h"

static bool is_block_of(const struct pass *p, const struct settings *s)
{
    return (!s->block_width || s->block_width == p->block_width) &&
           (!s->block_height || s->block_height == p->block_height);
}

bool choice_can_unroll(const struct choice *choice)
{
    return !choice->variant->library.function && filter_can_unroll(choice->filter);
}

struct choice choice_normal(const struct choice *choice)
{
    struct choice n = {.filter = choice->filter, .variant = choice->variant};
    const struct settings *s = &choice->settings;
    for (int i = 0; n.filter && i < n.filter->param_count; i++)
        n.settings.params.v[i] = s->params.v[i] + 0.0;  // -0 becomes 0
    if (!n.variant) return n;
    n.settings.is_unrolled = s->is_unrolled && choice_can_unroll(choice);
    // True if the block is the default of all passes that follow the choice.
    bool is_default = true, follows = false;
    for (const struct pass *p = n.variant->passes; p < n.variant->passes + n.variant->pass_count;
         p++) {
        is_default &= p->is_fixed || is_block_of(p, s);
        follows |= !p->is_fixed;
    }
    if (is_default && (follows || is_block_of(n.variant->passes, s))) return n;
    n.settings.block_width = s->block_width;
    n.settings.block_height = s->block_height;
    return n;
}

bool choice_settings_are_same(const struct settings *a, const struct settings *b)
{
    return a->block_width == b->block_width && a->block_height == b->block_height &&
           a->is_unrolled == b->is_unrolled && !memcmp(&a->params, &b->params, sizeof a->params);
}

bool choice_is_same(const struct choice *a, const struct choice *b)
{
    return a->filter == b->filter && a->variant == b->variant &&
           choice_settings_are_same(&a->settings, &b->settings);
}

struct choice choice_of_variant(const struct choice *choice, const struct variant *variant)
{
    struct choice found = *choice;
    if (variant == choice->variant) return found;
    found.variant = variant;
    found.settings.block_width = found.settings.block_height = 0;
    return found;
}

struct choice choice_copy_of(const struct choice *choice)
{
    if (filter_has_picture(choice->filter)) return (struct choice){.filter = NULL};
    return (struct choice){.filter = choice->filter, .settings.params = choice->settings.params};
}

bool choice_common_scale(const struct choice *a, int array_a, const struct choice *b, int array_b,
                         struct array_scale *scale)
{
    struct arrays_layout layouts[2];
    const struct filter *lab = a->filter;
    const int array = arrays_shown(a, array_a);
    const struct planes none = {.pixels = NULL};
    if (filter_has_picture(lab) || b->filter != lab || arrays_shown(b, array_b) != array ||
        !arrays_plan(&layouts[0], a, none, NULL) || !arrays_plan(&layouts[1], b, none, NULL))
        return false;
    const struct array_place *first = &layouts[0].places[array],
                             *second = &layouts[1].places[array];
    *scale = (struct array_scale){MIN(first->low, second->low), MAX(first->high, second->high)};
    return true;
}

bool choice_naive_of(const struct choice *choice, struct choice *naive)
{
    const struct variant *variant = filter_variant(choice->filter, "naive");
    if (!variant) return false;
    *naive = choice_of_variant(choice, variant);
    naive->settings.block_width = naive->settings.block_height = 0;
    return true;
}

// ---- as it is typed ----

bool choice_read_size(const char *text, int *width, int *height)
{
    if (!g_utf8_validate(text, -1, NULL)) return false;
    g_auto(GStrv) sides = g_regex_split_simple("x|X|×", text, 0, 0);
    gint64 w = 0, h = 0;
    const bool is_good = g_strv_length(sides) == 2 &&
                         g_ascii_string_to_signed(sides[0], 10, 1, 1 << 20, &w, NULL) &&
                         g_ascii_string_to_signed(sides[1], 10, 1, 1 << 20, &h, NULL);
    if (!is_good) return false;
    *width = (int)w;
    *height = (int)h;
    return true;
}

bool choice_read_picture_size(const char *text, int *width, int *height, struct error *err)
{
    int w, h;
    if (!choice_read_size(text, &w, &h))
        return error_set(err, "size '%s' is not understood; expected WxH, such as 1920x1080", text);
    if (w > PLANES_MAX_SIDE || h > PLANES_MAX_SIDE)
        return error_set(err, "size %dx%d is beyond the largest, %dx%d", w, h, PLANES_MAX_SIDE,
                         PLANES_MAX_SIDE);
    *width = w;
    *height = h;
    return true;
}

const struct filter *choice_read_filter(const struct filter_list *filters, const char *name,
                                        struct error *err)
{
    const char *const wanted = name ? name : "mean";
    const struct filter *f = filter_find(filters, wanted);
    if (f || filter_is_left_out(filters, wanted, err)) return f;
    if (!name) return &filters->filters[0];
    error_set(err, "unknown filter or lab '%s'", name);
    suggest_known(err, name, filters->filters, filters->count, sizeof *f);
    return NULL;
}

bool choice_set_param(const struct filter *f, struct param_values *values, const char *pair,
                      struct error *err)
{
    g_auto(GStrv) sides = g_strsplit(pair, "=", 2);
    return g_strv_length(sides) == 2
               ? filter_set_param(f, values, sides[0], sides[1], err)
               : error_set(err, "'%s' is not understood; expected --param NAME=VALUE", pair);
}

bool choice_read(struct choice *choice, const struct choice_words *words,
                 const struct filter_list *filters, struct error *err)
{
    struct choice c = {.settings.is_unrolled = words->is_unrolled};
    struct settings *s = &c.settings;
    const struct filter *const f = c.filter = choice_read_filter(filters, words->filter, err);
    if (!f) return false;
    c.variant = words->variant ? filter_variant(f, words->variant) : &f->variants[0];
    if (!c.variant) {
        error_set(err, "unknown variant '%s' of %s", words->variant, f->name);
        return suggest_known(err, words->variant, f->variants, f->variant_count,
                             sizeof *f->variants);
    }
    s->params = filter_defaults(f);
    if (words->radius && !filter_set_param(f, &s->params, "radius", words->radius, err))
        return false;
    for (char *const *pair = words->params; pair && *pair; pair++)
        if (!choice_set_param(f, &s->params, *pair, err)) return false;
    if (!filter_check(f, &s->params, err)) return false;
    if (words->block && !choice_read_size(words->block, &s->block_width, &s->block_height))
        return error_set(err, "block '%s' is not understood; expected WxH, such as 32x8",
                         words->block);
    if (s->is_unrolled && !filter_can_unroll(f))
        return error_set(err, "%s has no whole number to unroll", f->name);
    *choice = c;
    return true;
}
