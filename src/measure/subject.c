#include "measure/subject.h"

#include <glib.h>
#include <string.h>

#include "filter/choice.h"

char *subject_of_picture(struct planes p, const char *name)
{
    return g_strdup_printf("%d×%d %s %s", p.width, p.height, p.count == 1 ? "grey" : "colour",
                           name);
}

static bool is_moved(const struct array *a)
{
    return a->kind != ARRAY_SCRATCH && a->extent == ARRAY_EXPRESSED;
}

static bool plan(struct arrays_layout *layout, const struct filter *lab,
                 const struct param_values *values)
{
    const struct choice choice = {.filter = lab, .settings.params = *values};
    return arrays_plan(layout, &choice, (struct planes){0}, NULL);
}

// Whether all arrays have the sizes that they have with the first values.
static bool keeps_sizes(const struct arrays_layout *layout, const struct filter *lab,
                        const struct param_values *values)
{
    struct arrays_layout other;
    if (!plan(&other, lab, values)) return false;
    for (int i = 0; i < lab->array_count; i++)
        if (is_moved(&lab->arrays[i]) &&
            memcmp(layout->places[i].sides, other.places[i].sides, sizeof other.places[i].sides))
            return false;
    return true;
}

static bool keeps_value(const struct param_values *values, int count, int param)
{
    for (int i = 1; i < count; i++)
        if (values[i].v[param] != values[0].v[param]) return false;
    return true;
}

static void add_part(GString *text, const char *name, const char *between, const char *words)
{
    g_string_append_printf(text, "%s%s%s%s", text->len ? " · " : "", name, between, words);
}

char *subject_of_lab(const struct filter *lab, const struct param_values *values, int count,
                     const char *axis)
{
    struct arrays_layout layout;
    GString *text = g_string_new(NULL);
    bool is_same = plan(&layout, lab, &values[0]);
    for (int i = 1; is_same && i < count; i++) is_same = keeps_sizes(&layout, lab, &values[i]);
    for (int i = 0; is_same && i < lab->array_count; i++) {
        char shape[64];
        if (!is_moved(&lab->arrays[i])) continue;
        array_write_shape(&lab->arrays[i], &layout.places[i], shape, sizeof shape);
        add_part(text, lab->arrays[i].name, ": ", shape);
    }
    for (int i = 0; !is_same && i < lab->param_count; i++) {
        char value[FILTER_VALUE];
        if (!strcmp(lab->params[i].name, axis) || !keeps_value(values, count, i)) continue;
        filter_write_value(&lab->params[i], values[0].v[i], value);
        add_part(text, lab->params[i].name, " ", value);
    }
    return g_string_free(text, FALSE);
}

char *subject_of_arrays(const struct filter *lab, const struct param_values *values)
{
    struct arrays_layout layout;
    GString *text = g_string_new(NULL);
    const bool is_planned = plan(&layout, lab, values);
    for (int i = 0; is_planned && i < lab->array_count; i++) {
        const struct array *a = &lab->arrays[i];
        if (!is_moved(a)) continue;
        g_string_append_printf(text, "%s%s", text->len ? " " : "", a->name);
        for (int d = 0; d < a->dimensions; d++)
            g_string_append_printf(text, "[%lld]", layout.places[i].sides[d]);
    }
    return g_string_free(text, FALSE);
}
