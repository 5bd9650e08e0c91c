#include "measure/sweep.h"

#include <glib.h>
#include <string.h>

#include "base/suggest.h"
#include "filter/choice.h"

// The blocks of `--block all`. Those of more than 1024 threads are kept: the table shows that they
// are refused.
static const int all_widths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const int all_heights[] = {1, 2, 4, 8, 16, 32, 64};

enum { LARGEST = 99999 };  // of a typed number

// ---- one axis ----

// The parts of a list. NULL: it is given but names nothing, which is refused.
static char **split(const char *axis, const char *text, struct error *err)
{
    char **items = g_strsplit(text, ",", -1);
    for (char **item = items; *item; item++) g_strstrip(*item);
    if (items[0] && (*items[0] || items[1])) return items;
    error_set(err, "empty sweep: --%s names nothing", axis);
    g_strfreev(items);
    return NULL;
}

static bool add_value(struct sweep_values *v, int width, int height, struct error *err)
{
    for (int i = 0; i < v->count; i++)
        if (v->widths[i] == width && v->heights[i] == height) return true;
    if (v->count == SWEEP_MAX_VALUES)
        return error_set(err, "has more than %d values", SWEEP_MAX_VALUES);
    v->widths[v->count] = width;
    v->heights[v->count++] = height;
    return true;
}

// Reads a number at the front of *text and moves *text behind it.
static bool cut_number(const char **text, int *value)
{
    if (!g_ascii_isdigit(**text)) return false;
    char *end;
    const guint64 number = g_ascii_strtoull(*text, &end, 10);
    if (number > LARGEST) return false;
    *text = end;
    *value = (int)number;
    return true;
}

// "4", "1..9", "1..9+4", "1..64x2"
struct range {
    int first, last, step, factor;
};

static bool parse_range(struct range *r, const char *text)
{
    *r = (struct range){.step = 1, .factor = 1};
    if (!cut_number(&text, &r->first)) return false;
    r->last = r->first;
    if (!*text) return true;
    if (!g_str_has_prefix(text, "..")) return false;
    text += 2;
    if (!cut_number(&text, &r->last)) return false;
    if (*text == '+') return text++, cut_number(&text, &r->step) && r->step > 0 && !*text;
    if (*text != 'x') return !*text;
    text++;
    r->step = 0;
    return cut_number(&text, &r->factor) && r->factor > 1 && r->first > 0 && !*text;
}

static bool add_range(struct sweep_values *v, const char *item, struct error *err)
{
    struct range r;
    if (!parse_range(&r, item))
        return error_set(err, "is not understood; expected N, A..B or a list such as 1,2,4");
    if (r.last < r.first)
        return error_set(err, "runs backwards: %d is less than %d", r.last, r.first);
    for (long value = r.first; value <= r.last; value = value * r.factor + r.step)
        if (!add_value(v, (int)value, 0, err)) return false;
    return true;
}

static bool add_blocks(struct sweep_values *v, const char *item, struct error *err)
{
    int width, height;
    if (choice_read_size(item, &width, &height)) return add_value(v, width, height, err);
    if (strcmp(item, "all"))
        return error_set(err, "is not understood; expected WxH, such as 32x8, a list or all");
    for (size_t y = 0; y < G_N_ELEMENTS(all_heights); y++)
        for (size_t x = 0; x < G_N_ELEMENTS(all_widths); x++)
            if (!add_value(v, all_widths[x], all_heights[y], err)) return false;
    return true;
}

bool sweep_parse(struct sweep_values *values, const char *axis, const char *text, struct error *err)
{
    struct sweep_values found = {.count = 0};
    char **items = split(axis, text, err);
    bool is_good = items != NULL;
    for (char **item = items; is_good && *item; item++)
        is_good = (strcmp(axis, "block") ? add_range : add_blocks)(&found, *item, err) ||
                  error_prefix(err, "%s '%s' ", axis, text);
    g_strfreev(items);
    if (is_good) *values = found;
    return is_good;
}

// ---- all axes ----

// The axes as far as they can be read without a filter.
struct plan {
    const struct sweep_axes *axes;
    const struct filter *filters[SWEEP_MAX_VALUES];
    int filter_count;
    char **variants;            // NULL-ended; NULL: all
    struct sweep_values radii;  // none: not given
    struct sweep_values blocks;
    bool unrolls[2];
    int unroll_count;
};

static bool is_all(const char *text)
{
    return !text || !strcmp(text, "all");
}

static bool add_filter(struct plan *p, const struct filter *f)
{
    for (int i = 0; i < p->filter_count; i++)
        if (p->filters[i] == f) return true;
    if (f && p->filter_count < SWEEP_MAX_VALUES) p->filters[p->filter_count++] = f;
    return f;
}

static bool resolve_filters(struct plan *p, const struct filter_list *filters, struct error *err)
{
    const char *text = p->axes->filter;
    if (!text) return add_filter(p, choice_read_filter(filters, NULL, err));
    const bool are_labs = !strcmp(text, "labs");
    for (int i = 0; (is_all(text) || are_labs) && i < filters->count; i++)
        if (filters->filters[i].is_lab == are_labs) add_filter(p, &filters->filters[i]);
    if (are_labs && !p->filter_count) return error_set(err, "there are no labs");
    if (is_all(text) || are_labs) return true;
    char **names = split("filter", text, err);
    bool is_good = names != NULL;
    for (char **name = names; is_good && *name; name++)
        is_good = add_filter(p, choice_read_filter(filters, *name, err));
    g_strfreev(names);
    return is_good;
}

// Whether one of the first `count` filters has it.
static bool is_known(const struct plan *p, int count, const char *variant)
{
    for (int i = 0; i < count; i++)
        if (filter_variant(p->filters[i], variant)) return true;
    return false;
}

static bool refuse_variant(const struct plan *p, const char *variant, struct error *err)
{
    GString *known = g_string_new(NULL);
    for (int i = 0; i < p->filter_count; i++)
        for (int k = 0; k < p->filters[i]->variant_count; k++)
            if (!is_known(p, i, p->filters[i]->variants[k].name))
                g_string_append_printf(known, "%s%s", known->len ? ", " : "",
                                       p->filters[i]->variants[k].name);
    error_set(err, "unknown variant '%s' of %s; known are %s", variant,
              p->filter_count == 1 ? p->filters[0]->name : "these filters", known->str);
    suggest(err, variant, known->str);
    g_string_free(known, TRUE);
    return false;
}

static bool resolve_variants(struct plan *p, struct error *err)
{
    const char *text = p->axes->variant;
    if (is_all(text)) return true;
    p->variants = split("variant", text, err);
    for (char **name = p->variants; name && *name; name++)
        if (!is_known(p, p->filter_count, *name)) return refuse_variant(p, *name, err);
    return p->variants;
}

static bool has_param(const struct plan *p, const char *name)
{
    for (int i = 0; i < p->filter_count; i++)
        if (filter_param(p->filters[i], name) >= 0) return true;
    return false;
}

static bool can_unroll(const struct plan *p)
{
    for (int i = 0; i < p->filter_count; i++)
        if (filter_can_unroll(p->filters[i])) return true;
    return false;
}

static bool resolve_unroll(struct plan *p, struct error *err)
{
    const char *text = p->axes->unroll ? p->axes->unroll : "off";
    const bool is_both = !strcmp(text, "both");
    p->unroll_count = is_both ? 2 : 1;
    p->unrolls[0] = !strcmp(text, "on");
    p->unrolls[1] = true;
    if (!is_both && !p->unrolls[0] && strcmp(text, "off") != 0)
        return error_set(err, "unroll '%s' is not understood; expected on, off or both", text);
    if (strcmp(text, "off") != 0 && !can_unroll(p))
        return error_set(err, "%s has no whole number to unroll", p->filters[0]->name);
    return true;
}

static bool resolve_radii(struct plan *p, struct error *err)
{
    const char *text = p->axes->radius;
    if (!text) return true;
    if (!has_param(p, "radius"))
        return error_set(err, "%s has no param 'radius'", p->filters[0]->name);
    return is_all(text) || sweep_parse(&p->radii, "radius", text, err);
}

static bool resolve(struct plan *p, const struct filter_list *filters, struct error *err)
{
    p->blocks.count = 1;  // 0 x 0
    return resolve_filters(p, filters, err) && resolve_variants(p, err) && resolve_unroll(p, err) &&
           resolve_radii(p, err) &&
           (!p->axes->block || sweep_parse(&p->blocks, "block", p->axes->block, err));
}

// ---- one filter of them ----

// Sets one "name=value" in the filters that have it.
static bool set_param(const struct plan *p, const struct filter *f, const char *pair,
                      struct param_values *values, bool *is_radius, struct error *err)
{
    char *name = g_strndup(pair, strcspn(pair, "="));
    const bool is_of_another = filter_param(f, name) < 0 && has_param(p, name);
    *is_radius |= !strcmp(name, "radius");
    g_free(name);
    return is_of_another || choice_set_param(f, values, pair, err);
}

static void default_radii(const struct param *radius, struct sweep_values *v)
{
    for (int value = 1; value <= 64; value *= 2)
        if (value >= radius->min && value <= radius->max) add_value(v, value, 0, NULL);
    if (!v->count) add_value(v, (int)radius->value, 0, NULL);
}

static bool all_radii(const struct param *radius, struct sweep_values *v, struct error *err)
{
    for (int value = (int)radius->min; value <= (int)radius->max; value++)
        if (!add_value(v, value, 0, err)) return error_prefix(err, "radius 'all' ");
    return true;
}

// The filter's radii. A filter without a radius gets one value, which means nothing.
static bool find_radii(struct sweep_values *v, const struct plan *p, const struct filter *f,
                       bool is_set, const struct param_values *values, struct error *err)
{
    const int index = filter_radius(f);
    *v = (struct sweep_values){.count = 0};
    if (index >= 0 && p->radii.count)
        *v = p->radii;
    else if (index >= 0 && p->axes->radius)
        return all_radii(&f->params[index], v, err);
    else if (index >= 0 && !is_set)
        default_radii(&f->params[index], v);
    else
        return add_value(v, index < 0 ? 0 : (int)values->v[index], 0, err);
    return true;
}

static bool wants_variant(const struct plan *p, const struct variant *v)
{
    return !p->variants || g_strv_contains((const char *const *)p->variants, v->name);
}

static void add_variant(const struct plan *p, struct sweep_case one, GArray *cases)
{
    const bool is_free = filter_can_unroll(one.filter);
    for (int u = 0; u < (is_free ? p->unroll_count : 1); u++)
        for (int i = 0; i < p->blocks.count; i++) {
            one.settings.is_unrolled = is_free && p->unrolls[u];
            one.settings.block_width = p->blocks.widths[i];
            one.settings.block_height = p->blocks.heights[i];
            g_array_append_val(cases, one);
        }
}

static bool add_group(const struct plan *p, struct sweep_case one, GArray *cases, struct error *err)
{
    if (!filter_check(one.filter, &one.settings.params, err)) return false;
    for (int i = 0; i < one.filter->variant_count; i++) {
        one.variant = &one.filter->variants[i];
        if (wants_variant(p, one.variant)) add_variant(p, one, cases);
    }
    if (cases->len > SWEEP_MAX_CASES)
        return error_set(err, "the sweep has more than %d cases", SWEEP_MAX_CASES);
    return true;
}

static bool add_cases(const struct plan *p, const struct filter *f, int *group, GArray *cases,
                      struct error *err)
{
    struct sweep_case one = {.filter = f, .settings.params = filter_defaults(f)};
    bool is_radius_set = false;
    for (char *const *pair = p->axes->params; pair && *pair; pair++)
        if (!set_param(p, f, *pair, &one.settings.params, &is_radius_set, err)) return false;
    struct sweep_values radii;
    if (!filter_check(f, &one.settings.params, err) ||
        !find_radii(&radii, p, f, is_radius_set, &one.settings.params, err))
        return false;
    const int index = filter_radius(f);
    for (int i = 0; i < radii.count; i++) {
        const guint before = cases->len;
        one.group = *group;
        if (index >= 0 && (p->radii.count || !is_radius_set || p->axes->radius))
            one.settings.params.v[index] = radii.widths[i];
        if (!add_group(p, one, cases, err)) return false;
        if (cases->len > before) ++*group;
    }
    return true;
}

bool sweep_build(struct sweep *sweep, const struct filter_list *filters,
                 const struct sweep_axes *axes, struct error *err)
{
    struct plan *p = g_new0(struct plan, 1);
    GArray *cases = g_array_new(FALSE, FALSE, sizeof(struct sweep_case));
    int groups = 0;
    p->axes = axes;
    bool is_good = resolve(p, filters, err);
    for (int i = 0; is_good && i < p->filter_count; i++)
        is_good = add_cases(p, p->filters[i], &groups, cases, err);
    if (is_good) {
        sweep->count = (int)cases->len;
        sweep->group_count = groups;
        sweep->cases = (struct sweep_case *)(void *)g_array_free(cases, FALSE);
    } else {
        g_array_free(cases, TRUE);
    }
    g_strfreev(p->variants);
    g_free(p);
    return is_good;
}

void sweep_finish(struct sweep *sweep)
{
    g_free(sweep->cases);
    *sweep = (struct sweep){0};
}
