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

static bool is_same_size(const struct filter *lab, const struct arrays_layout *a,
                         const struct arrays_layout *b)
{
    for (int i = 0; i < lab->array_count; i++)
        if (is_moved(&lab->arrays[i]) &&
            memcmp(a->places[i].sides, b->places[i].sides, sizeof a->places[i].sides) != 0)
            return false;
    return true;
}

static bool plan(struct arrays_layout *layout, const struct filter *lab,
                 const struct param_values *values)
{
    const struct choice choice = {.filter = lab, .settings.params = *values};
    return arrays_plan(layout, &choice, (struct planes){0}, NULL);
}

static bool keep_sizes(const struct filter *lab, const struct param_values *values, int count,
                       struct arrays_layout *layout)
{
    struct arrays_layout other;
    if (!plan(layout, lab, &values[0])) return false;
    for (int i = 1; i < count; i++)
        if (!plan(&other, lab, &values[i]) || !is_same_size(lab, layout, &other)) return false;
    return true;
}

static void add_sizes(GString *text, const struct filter *lab, const struct arrays_layout *layout)
{
    for (int i = 0; i < lab->array_count; i++) {
        char shape[64];
        if (!is_moved(&lab->arrays[i])) continue;
        array_write_shape(&lab->arrays[i], &layout->places[i], shape, sizeof shape);
        g_string_append_printf(text, "%s%s: %s", text->len ? " · " : "", lab->arrays[i].name,
                               shape);
    }
}

static bool keeps_value(const struct param_values *values, int count, int param)
{
    for (int i = 1; i < count; i++)
        if (values[i].v[param] != values[0].v[param]) return false;
    return true;
}

static void add_params(GString *text, const struct filter *lab, const struct param_values *values,
                       int count, const char *axis)
{
    for (int i = 0; i < lab->param_count; i++) {
        char value[FILTER_VALUE];
        if (!strcmp(lab->params[i].name, axis) || !keeps_value(values, count, i)) continue;
        filter_write_value(&lab->params[i], values[0].v[i], value);
        g_string_append_printf(text, "%s%s %s", text->len ? " · " : "", lab->params[i].name, value);
    }
}

char *subject_of_lab(const struct filter *lab, const struct param_values *values, int count,
                     const char *axis)
{
    struct arrays_layout layout;
    GString *text = g_string_new(NULL);
    if (keep_sizes(lab, values, count, &layout))
        add_sizes(text, lab, &layout);
    else
        add_params(text, lab, values, count, axis);
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
