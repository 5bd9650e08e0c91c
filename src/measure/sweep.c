#include "measure/sweep.h"

#include <glib.h>
#include <limits.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "filter/axis.h"

// ---- one axis as it is typed ----

// The blocks of `--block all`. Those of more than 1024 threads are kept: the table shows that they
// are refused.
static const int all_widths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const int all_heights[] = {1, 2, 4, 8, 16, 32, 64};

enum { LARGEST_RADIUS = 99999 };  // wider than any picture

// The parts of a list, which the caller frees with g_strfreev. NULL: it is given but names nothing,
// which is refused; err names the axis.
static char **split_list(const char *axis, const char *text, struct error *err)
{
    char **items = g_strsplit(text, ",", -1);
    for (char **item = items; *item; item++) g_strstrip(*item);
    if (items[0] && (*items[0] || items[1])) return items;
    error_set(err, "empty sweep: --%s names nothing", axis);
    g_strfreev(items);
    return NULL;
}

static bool add_value(struct sweep_values *v, double width, int height, struct error *err)
{
    for (int i = 0; i < v->count; i++)
        if (v->widths[i] == width && v->heights[i] == height) return true;
    if (v->count == SWEEP_MAX_VALUES)
        return error_set(err, "has more than %d values", SWEEP_MAX_VALUES);
    v->widths[v->count] = width;
    v->heights[v->count++] = height;
    return true;
}

// Adds "4", "1..9", "1..9+4" or "1..64x2"; least: of each number.
static bool add_range(struct sweep_values *v, double least, double most, const char *item,
                      struct error *err)
{
#define NUMBER "(-?\\d+(?:\\^\\d+)?)"
    g_auto(GStrv) parts =
        text_match(NUMBER "(?:\\.\\." NUMBER "(?:\\+" NUMBER "|x" NUMBER ")?)?", item);
    double numbers[] = {0, 0, 0, 1};  // from, to, step, factor
    bool is_good = parts != NULL;
    for (int i = 0; is_good && parts[i]; i++)
        if (*parts[i])
            is_good = number_read(parts[i], &numbers[i]) && numbers[i] >= least &&
                      numbers[i] <= most && (i < 2 || numbers[i] > i - 2);
    if (is_good && !*parts[1]) numbers[1] = numbers[0];
    if (is_good && *parts[3]) is_good = numbers[0] > 0;
    if (is_good && !*parts[2] && !*parts[3]) numbers[2] = 1;
    if (!is_good)
        return error_set(err, "is not understood; expected N, A..B or a list such as 1,2,4");
    if (numbers[1] < numbers[0])
        return error_set(err, "runs backwards: %.0f is less than %.0f", numbers[1], numbers[0]);
    for (double value = numbers[0]; value <= numbers[1]; value = value * numbers[3] + numbers[2])
        if (!add_value(v, value, 0, err)) return false;
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
    const bool is_block = !strcmp(axis, "block"), is_radius = !strcmp(axis, "radius");
    const double least = is_radius ? 0 : INT_MIN, most = is_radius ? LARGEST_RADIUS : INT_MAX;
    struct sweep_values found = {.count = 0};
    g_auto(GStrv) items = split_list(axis, text, err);
    bool is_good = items != NULL;
    for (char **item = items; is_good && *item; item++)
        is_good = (is_block ? add_blocks(&found, *item, err)
                            : add_range(&found, least, most, *item, err)) ||
                  error_prefix(err, "%s '%s' ", axis, text);
    if (is_good) *values = found;
    return is_good;
}

// ---- all axes ----

// The axes as far as they can be read without a filter.
struct plan {
    const struct sweep_axes *axes;
    const struct filter *filters[SWEEP_MAX_VALUES];
    int filter_count;
    char **variants;   // NULL-ended; NULL: all
    const char *axis;  // the param's name; NULL: each filter's own
    struct sweep_values blocks;
    bool is_unrolled, is_both;  // both: unrolled and not
    GArray *cases;              // struct choice
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
        if (filter_has_picture(&filters->filters[i]) != are_labs)
            add_filter(p, &filters->filters[i]);
    if (are_labs && !p->filter_count) return error_set(err, "there are no labs");
    if (is_all(text) || are_labs) return true;
    g_auto(GStrv) names = split_list("filter", text, err);
    bool is_good = names != NULL;
    for (char **name = names; is_good && *name; name++)
        is_good = add_filter(p, choice_read_filter(filters, *name, err));
    return is_good;
}

// True if one of the first `count` filters has it.
static bool is_known(const struct plan *p, int count, const char *variant)
{
    for (int i = 0; i < count; i++)
        if (filter_variant(p->filters[i], variant)) return true;
    return false;
}

static bool resolve_variants(struct plan *p, struct error *err)
{
    const char *text = p->axes->variant;
    if (is_all(text)) return true;
    p->variants = split_list("variant", text, err);
    char **name = p->variants;
    while (name && *name && is_known(p, p->filter_count, *name)) name++;
    if (!name || !*name) return name;
    g_autoptr(GString) known = g_string_new(NULL);
    for (int i = 0; i < p->filter_count; i++)
        for (int k = 0; k < p->filters[i]->variant_count; k++)
            if (!is_known(p, i, p->filters[i]->variants[k].name))
                g_string_append_printf(known, "%s%s", known->len ? ", " : "",
                                       p->filters[i]->variants[k].name);
    error_set(err, "unknown variant '%s' of %s; known are %s", *name,
              p->filter_count == 1 ? p->filters[0]->name : "these filters", known->str);
    return suggest(err, *name, known->str);
}

static bool has_param(const struct plan *p, const char *name)
{
    for (int i = 0; i < p->filter_count; i++)
        if (filter_param(p->filters[i], name) >= 0) return true;
    return false;
}

static bool has_several(const char *text)
{
    return !strcmp(text, "all") || strchr(text, ',') || strstr(text, "..");
}

// "name" of "name=value"; the caller frees it. value is what stands behind the sign; NULL: no sign.
static char *split_pair(const char *pair, const char **value)
{
    const char *sign = strchr(pair, '=');
    *value = sign ? sign + 1 : NULL;
    return g_strndup(pair, sign ? (gsize)(sign - pair) : strlen(pair));
}

// The first param that is given several numbers. Names have no place on an axis.
static const char *first_ranged(const struct plan *p)
{
    for (char *const *pair = p->axes->params; pair && *pair; pair++) {
        const char *value;
        g_autofree char *name = split_pair(*pair, &value);
        for (int i = 0; value && has_several(value) && i < p->filter_count; i++) {
            const int param = filter_param(p->filters[i], name);
            if (param >= 0 && !p->filters[i]->params[param].name_count)
                return p->filters[i]->params[param].name;
            if (param >= 0) break;
        }
    }
    return NULL;
}

static bool resolve_axis(struct plan *p, struct error *err)
{
    const struct sweep_axes *axes = p->axes;
    struct sweep_values unused;
    if (axes->radius && !has_param(p, "radius"))
        return filter_refuse_param(p->filters[0], "radius", err);
    if (axes->radius && !is_all(axes->radius) && !sweep_parse(&unused, "radius", axes->radius, err))
        return false;
    p->axis = axes->sweep ? axes->sweep : axes->radius ? "radius" : first_ranged(p);
    if (!axes->sweep) return true;
    for (int i = 0; i < p->filter_count; i++)
        if (axis_can_be(p->filters[i], filter_param(p->filters[i], axes->sweep))) return true;
    if (!has_param(p, axes->sweep)) return filter_refuse_param(p->filters[0], axes->sweep, err);
    return error_set(err, "%s has no numbers of '%s' to sweep", p->filters[0]->name, axes->sweep);
}

// ---- one filter of them ----

// The values that each param of a filter goes through; none: it keeps one.
struct ranges {
    const struct filter *filter;
    int axis;                                   // its param; -1: it has none
    struct sweep_values of[FILTER_MAX_PARAMS];  // their widths
    bool is_given[FILTER_MAX_PARAMS];           // with one value or several
};

static bool read_range(struct ranges *r, int param, const char *text, struct error *err)
{
    const struct param *p = &r->filter->params[param];
    struct sweep_values *values = &r->of[param];
    values->count = 0;
    r->is_given[param] = true;
    if (strcmp(text, "all") && !p->is_float && !p->name_count)
        return sweep_parse(values, p->name, text, err);
    if (strcmp(text, "all")) {  // names, or numbers that need not be whole
        g_auto(GStrv) items = split_list(p->name, text, err);
        bool is_good = items != NULL;
        for (char **item = items; is_good && *item; item++) {
            double value = 0;
            is_good = filter_read_value(p, *item, &value, err) && add_value(values, value, 0, err);
        }
        return is_good;
    }
    if (p->is_float)
        return error_set(err, "%s 'all' is not understood: it is no whole number", p->name);
    for (double value = p->min; value <= p->max; value += p->step)  // or all names
        if (!add_value(values, value, 0, err)) return error_prefix(err, "%s 'all' ", p->name);
    return true;
}

static bool find_ranges(const struct plan *p, struct ranges *r, struct param_values *values,
                        struct error *err)
{
    const int radius = filter_radius(r->filter);
    for (char *const *pair = p->axes->params; pair && *pair; pair++) {
        const char *text;
        g_autofree char *name = split_pair(*pair, &text);
        const int param = filter_param(r->filter, name);
        if (param < 0 && has_param(p, name)) continue;  // another filter has it
        if (param >= 0) r->is_given[param] = true;
        if (!(param >= 0 && text && has_several(text)
                  ? read_range(r, param, text, err)
                  : choice_set_param(r->filter, values, *pair, err)))
            return false;
    }
    if (!filter_check(r->filter, values, err)) return false;
    if (p->axes->radius && radius >= 0 && !read_range(r, radius, p->axes->radius, err))
        return false;
    r->axis = p->axis ? filter_param(r->filter, p->axis) : axis_find(r->filter, NULL);
    // A sweep that is asked for without values goes through the powers of two.
    if (p->axes->sweep && axis_can_be(r->filter, r->axis) && !r->is_given[r->axis]) {
        int powers[AXIS_MAX_STOPS];
        const int count = axis_powers(&r->filter->params[r->axis], powers);
        for (int i = 0; i < count; i++) add_value(&r->of[r->axis], powers[i], 0, NULL);
    }
    return true;
}

// The cases of one filter with its params.
static bool add_group(struct plan *p, struct choice one, struct error *err)
{
    if (!filter_check(one.filter, &one.settings.params, err)) return false;
    for (int v = 0; v < one.filter->variant_count; v++) {
        one.variant = &one.filter->variants[v];
        if (p->variants && !g_strv_contains((const char *const *)p->variants, one.variant->name))
            continue;
        const bool is_free = choice_can_unroll(&one);
        for (int i = 0; i < (is_free && p->is_both ? 2 : 1) * p->blocks.count; i++) {
            one.settings.is_unrolled = is_free && (p->is_unrolled || i >= p->blocks.count);
            one.settings.block_width = (int)p->blocks.widths[i % p->blocks.count];
            one.settings.block_height = p->blocks.heights[i % p->blocks.count];
            g_array_append_val(p->cases, one);
        }
    }
    return p->cases->len <= SWEEP_MAX_CASES ||
           error_set(err, "the sweep has more than %d cases", SWEEP_MAX_CASES);
}

static int set_digit(const struct ranges *r, int param, int number, struct param_values *values)
{
    const int count = r->of[param].count;
    if (!count) return number;
    values->v[param] = r->of[param].widths[number % count];
    return number / count;
}

// The combinations of all ranges. The axis runs first, then later params before earlier ones.
static bool add_cases(struct plan *p, const struct filter *f, struct error *err)
{
    struct choice one = {.filter = f, .settings.params = filter_defaults(f)};
    g_autofree struct ranges *r = g_new0(struct ranges, 1);
    gint64 count = 1;
    r->filter = f;
    bool is_good = find_ranges(p, r, &one.settings.params, err);
    for (int i = 0; i < f->param_count; i++)
        count = MIN(count * MAX(r->of[i].count, 1), SWEEP_MAX_CASES + 1);
    for (int i = 0; is_good && i < count; i++) {
        int number = i;
        if (r->axis >= 0) number = set_digit(r, r->axis, number, &one.settings.params);
        for (int k = f->param_count; k-- > 0;)
            if (k != r->axis) number = set_digit(r, k, number, &one.settings.params);
        is_good = add_group(p, one, err);
    }
    return is_good;
}

static const char *axis_name(const struct plan *p)
{
    const char *found = p->axis;
    for (int i = 0; i < p->filter_count && !p->axis; i++) {
        const int own = axis_find(p->filters[i], NULL);
        const char *name = own < 0 ? NULL : p->filters[i]->params[own].name;
        if (name && found && strcmp(name, found) != 0) return "radius";
        if (name) found = name;
    }
    return found ? found : "radius";
}

bool sweep_build(struct sweep *sweep, const struct filter_list *filters,
                 const struct sweep_axes *axes, struct error *err)
{
    g_autofree struct plan *p = g_new0(struct plan, 1);
    const char *unroll = axes->unroll ? axes->unroll : "off";
    p->axes = axes;
    p->is_both = !strcmp(unroll, "both");
    p->is_unrolled = !strcmp(unroll, "on");
    p->cases = g_array_new(FALSE, FALSE, sizeof(struct choice));
    p->blocks.count = 1;  // 0 x 0
    bool is_good = resolve_filters(p, filters, err) && resolve_variants(p, err);
    if (is_good && !p->is_both && !p->is_unrolled && strcmp(unroll, "off") != 0)
        is_good = error_set(err, "unroll '%s' is not understood; expected on, off or both", unroll);
    is_good = is_good && resolve_axis(p, err) &&
              (!axes->block || sweep_parse(&p->blocks, "block", axes->block, err));
    for (int i = 0; is_good && i < p->filter_count; i++) is_good = add_cases(p, p->filters[i], err);
    if (is_good) {
        *sweep = (struct sweep){.count = (int)p->cases->len};
        g_strlcpy(sweep->axis, axis_name(p), sizeof sweep->axis);
        sweep->cases = (struct choice *)(void *)g_array_steal(p->cases, NULL);
    }
    g_array_free(p->cases, TRUE);
    g_strfreev(p->variants);
    return is_good;
}

void sweep_finish(struct sweep *sweep)
{
    g_free(sweep->cases);
    *sweep = (struct sweep){0};
}

int sweep_group_end(const struct sweep *sweep, int first)
{
    const struct choice *c = &sweep->cases[first], *end = sweep->cases + sweep->count;
    const struct choice *next = c + 1;
    while (next < end && next->filter == c->filter &&
           !memcmp(&next->settings.params, &c->settings.params, sizeof c->settings.params))
        next++;
    return (int)(next - sweep->cases);
}

int sweep_count_groups(const struct sweep *sweep)
{
    int count = 0;
    for (int first = 0; first < sweep->count; first = sweep_group_end(sweep, first)) count++;
    return count;
}
