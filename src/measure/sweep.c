#include "measure/sweep.h"

#include <glib.h>
#include <string.h>

#include "filter/choice.h"

// The blocks of `--block all`. Those of more than 1024 threads are kept: the table shows that they
// are refused.
static const int all_widths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const int all_heights[] = {1, 2, 4, 8, 16, 32, 64};

enum { LARGEST = 99999 };  // of a typed number

// ---- one axis ----

static bool add_number(struct sweep_numbers *n, const char *axis, const char *text, int value,
                       struct error *err)
{
    for (int i = 0; i < n->count; i++)
        if (n->values[i] == value) return true;
    if (n->count == SWEEP_MAX_VALUES)
        return error_set(err, "%s '%s' has more than %d values", axis, text, SWEEP_MAX_VALUES);
    n->values[n->count++] = value;
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

static bool add_range(struct sweep_numbers *n, const char *axis, const char *text, const char *item,
                      struct error *err)
{
    struct range r;
    if (!parse_range(&r, item))
        return error_set(err, "%s '%s' is not understood; expected N, A..B or a list such as 1,2,4",
                         axis, text);
    if (r.last < r.first)
        return error_set(err, "%s '%s' runs backwards: %d is less than %d", axis, text, r.last,
                         r.first);
    for (long value = r.first; value <= r.last; value = value * r.factor + r.step)
        if (!add_number(n, axis, text, (int)value, err)) return false;
    return true;
}

// Refuses an axis that is given but names nothing.
static bool is_empty(const char *axis, const char *text, struct error *err)
{
    const char *letter = text;
    while (g_ascii_isspace(*letter)) letter++;
    return !*letter && !error_set(err, "empty sweep: --%s names nothing", axis);
}

bool sweep_parse_numbers(struct sweep_numbers *numbers, const char *axis, const char *text,
                         struct error *err)
{
    struct sweep_numbers found = {.count = 0};
    if (is_empty(axis, text, err)) return false;
    char **items = g_strsplit(text, ",", -1);
    bool is_good = true;
    for (char **item = items; is_good && *item; item++)
        is_good = add_range(&found, axis, text, g_strstrip(*item), err);
    g_strfreev(items);
    if (is_good) *numbers = found;
    return is_good;
}

static bool add_block(struct sweep_blocks *b, int width, int height, const char *text,
                      struct error *err)
{
    for (int i = 0; i < b->count; i++)
        if (b->widths[i] == width && b->heights[i] == height) return true;
    if (b->count == SWEEP_MAX_VALUES)
        return error_set(err, "block '%s' has more than %d shapes", text, SWEEP_MAX_VALUES);
    b->widths[b->count] = width;
    b->heights[b->count++] = height;
    return true;
}

static void add_all_blocks(struct sweep_blocks *b)
{
    for (size_t y = 0; y < G_N_ELEMENTS(all_heights); y++)
        for (size_t x = 0; x < G_N_ELEMENTS(all_widths); x++)
            add_block(b, all_widths[x], all_heights[y], "all", NULL);
}

bool sweep_parse_blocks(struct sweep_blocks *blocks, const char *text, struct error *err)
{
    struct sweep_blocks found = {.count = 0};
    if (is_empty("block", text, err)) return false;
    char **items = g_strsplit(text, ",", -1);
    bool is_good = true;
    for (char **item = items; is_good && *item; item++) {
        int width, height;
        if (!strcmp(g_strstrip(*item), "all"))
            add_all_blocks(&found);
        else if (choice_read_size(*item, &width, &height))
            is_good = add_block(&found, width, height, text, err);
        else
            is_good = error_set(
                err, "block '%s' is not understood; expected WxH, such as 32x8, a list or all",
                text);
    }
    g_strfreev(items);
    if (is_good) *blocks = found;
    return is_good;
}

// ---- all axes ----

// The axes as far as they can be read without a filter.
struct plan {
    const struct sweep_axes *axes;
    const struct filter *filters[SWEEP_MAX_VALUES];
    int filter_count;
    char **variants;             // NULL-ended; NULL: all
    struct sweep_numbers radii;  // none: not given
    struct sweep_blocks blocks;
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
    if (p->filter_count < SWEEP_MAX_VALUES) p->filters[p->filter_count++] = f;
    return true;
}

static bool add_named_filter(struct plan *p, const struct filter_list *filters, const char *name,
                             struct error *err)
{
    const struct filter *f = choice_read_filter(filters, name, err);
    return f && add_filter(p, f);
}

static bool resolve_filters(struct plan *p, const struct filter_list *filters, struct error *err)
{
    const char *text = p->axes->filter ? p->axes->filter : "mean";
    if (is_empty("filter", text, err)) return false;
    if (is_all(text)) {
        for (int i = 0; i < filters->count; i++) add_filter(p, &filters->filters[i]);
        return true;
    }
    if (!p->axes->filter) return add_named_filter(p, filters, NULL, err);
    char **names = g_strsplit(text, ",", -1);
    bool is_good = true;
    for (char **name = names; is_good && *name; name++)
        is_good = add_named_filter(p, filters, g_strstrip(*name), err);
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
    g_string_free(known, TRUE);
    return false;
}

static bool resolve_variants(struct plan *p, struct error *err)
{
    const char *text = p->axes->variant;
    if (text && is_empty("variant", text, err)) return false;
    if (is_all(text)) return true;
    p->variants = g_strsplit(text, ",", -1);
    for (char **name = p->variants; *name; name++)
        if (!is_known(p, p->filter_count, g_strstrip(*name))) return refuse_variant(p, *name, err);
    return true;
}

static bool has_param(const struct plan *p, const char *name)
{
    for (int i = 0; i < p->filter_count; i++)
        if (filter_param(p->filters[i], name) >= 0) return true;
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
    if (strcmp(text, "off") != 0 && !has_param(p, "radius"))
        return error_set(err, "%s has no radius to unroll", p->filters[0]->name);
    return true;
}

static bool resolve_radii(struct plan *p, struct error *err)
{
    const char *text = p->axes->radius;
    if (!text) return true;
    if (!has_param(p, "radius"))
        return error_set(err, "%s has no param 'radius'", p->filters[0]->name);
    return is_all(text) || sweep_parse_numbers(&p->radii, "radius", text, err);
}

static bool resolve(struct plan *p, const struct filter_list *filters, struct error *err)
{
    p->blocks.count = 1;  // 0 x 0
    return resolve_filters(p, filters, err) && resolve_variants(p, err) && resolve_unroll(p, err) &&
           resolve_radii(p, err) &&
           (!p->axes->block || sweep_parse_blocks(&p->blocks, p->axes->block, err));
}

// ---- one filter of them ----

// Sets one "name=value" in the filters that have it.
static bool set_param(const struct plan *p, const struct filter *f, const char *pair,
                      struct param_values *values, bool *is_radius, struct error *err)
{
    char **words = g_strsplit(pair, "=", 2);
    bool is_good = true;
    if (!words[0] || !words[1])
        is_good = error_set(err, "'%s' is not understood; expected --param NAME=VALUE", pair);
    else if (filter_param(f, words[0]) >= 0 || !has_param(p, words[0]))
        is_good = filter_set_param(f, values, words[0], words[1], err);
    if (is_good && !strcmp(words[0], "radius")) *is_radius = true;
    g_strfreev(words);
    return is_good;
}

static void default_radii(const struct param *radius, struct sweep_numbers *n)
{
    for (int value = 1; value <= 64; value *= 2)
        if (value >= radius->min && value <= radius->max) n->values[n->count++] = value;
    if (!n->count) n->values[n->count++] = (int)radius->value;
}

static bool all_radii(const struct param *radius, struct sweep_numbers *n, struct error *err)
{
    for (int value = (int)radius->min; value <= (int)radius->max; value++)
        if (!add_number(n, "radius", "all", value, err)) return false;
    return true;
}

// The filter's radii. A filter without a radius gets one value, which means nothing.
static bool find_radii(struct sweep_numbers *n, const struct plan *p, const struct filter *f,
                       bool is_set, const struct param_values *values, struct error *err)
{
    const int index = filter_radius(f);
    *n = (struct sweep_numbers){.count = 0};
    if (index >= 0 && p->radii.count)
        *n = p->radii;
    else if (index >= 0 && p->axes->radius)
        return all_radii(&f->params[index], n, err);
    else if (index >= 0 && !is_set)
        default_radii(&f->params[index], n);
    else
        n->values[n->count++] = index < 0 ? 0 : (int)values->v[index];
    return true;
}

static bool wants_variant(const struct plan *p, const struct variant *v)
{
    return !p->variants || g_strv_contains((const char *const *)p->variants, v->name);
}

static void add_variant(const struct plan *p, struct sweep_case one, GArray *cases)
{
    const bool has_radius = filter_radius(one.filter) >= 0;
    for (int u = 0; u < (has_radius ? p->unroll_count : 1); u++)
        for (int i = 0; i < p->blocks.count; i++) {
            one.settings.is_unrolled = has_radius && p->unrolls[u];
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
    struct sweep_numbers radii;
    if (!filter_check(f, &one.settings.params, err) ||
        !find_radii(&radii, p, f, is_radius_set, &one.settings.params, err))
        return false;
    const int index = filter_radius(f);
    for (int i = 0; i < radii.count; i++) {
        const guint before = cases->len;
        one.group = *group;
        if (index >= 0 && (p->radii.count || !is_radius_set || p->axes->radius))
            one.settings.params.v[index] = radii.values[i];
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
