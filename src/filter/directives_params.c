#include "filter/directives_impl.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// ---- type name;  //! default [min, max] help ----

static bool fits_limits(struct reader *r, const struct param *p)
{
    if (!(p->min <= p->value && p->value <= p->max))
        return directives_fail(r, "default %g of '%s' lies outside [%g, %g]", p->value, p->name,
                               p->min, p->max);
    if (p->is_float)
        return (p->min >= -FLT_MAX && p->max <= FLT_MAX) ||
               directives_fail(r, "limits of '%s' must be finite", p->name);
    if (p->min < INT_MIN || p->max > INT_MAX)
        return directives_fail(r, "limits of int '%s' are beyond 32 bits", p->name);
    if (p->value != floor(p->value) || p->min != floor(p->min) || p->max != floor(p->max))
        return directives_fail(r, "default and limits of int '%s' must be whole", p->name);
    return true;
}

// The radius is counted with: so the picture's size, a window's area and a sweep stay numbers.
static bool fits_radius(struct reader *r, const struct param *p)
{
    enum { MAX_RADIUS = 65535 };
    return strcmp(p->name, "radius") != 0 ||
           (!p->is_float && p->min >= 0 && p->max <= MAX_RADIUS) ||
           directives_fail(r, "a radius must be an int with limits inside [0, %d]", MAX_RADIUS);
}

// default [one, two, three]; text begins with the default.
static bool read_names(struct reader *r, struct param *p, const char *text, int *used)
{
    char first[64], name[64];
    int at = 0, next = 0;
    sscanf(text, " %63[a-z0-9_] [%n", first, &at);
    for (char end = ','; end == ','; at += next) {
        if (sscanf(text + at, " %63[a-z0-9_] %c%n", name, &end, &next) != 2 ||
            !directives_is_name(name) || (end != ',' && end != ']'))
            return directives_fail(r, "expected: //! default [one, two, three] help");
        if (filter_name_index(p, name) >= 0)
            return directives_fail(r, "a second '%s' in '%s'", name, p->name);
        if (p->name_count == FILTER_MAX_NAMES)
            return directives_fail(r, "more than %d names in '%s'", FILTER_MAX_NAMES, p->name);
        g_strlcpy(p->names[p->name_count++], name, sizeof p->names[0]);
    }
    *used = at;
    p->value = filter_name_index(p, first);
    p->min = 0;
    p->max = p->name_count - 1;
    if (p->value < 0)
        return directives_fail(r, "default '%s' of '%s' is not in its list", first, p->name);
    return !p->is_float || directives_fail(r, "'%s' counts names, so it must be an int", p->name);
}

static bool read_limits(struct reader *r, struct param *p, const char *text, int *used)
{
    *used = 0;
    if (sscanf(text, " %lf [ %lf , %lf ]%n", &p->value, &p->min, &p->max, used) == 3 && *used)
        return fits_limits(r, p);
    char letter[2];
    if (sscanf(text, " %*63[a-z0-9_] [ %1[a-z]", letter) == 1) return read_names(r, p, text, used);
    return directives_fail(r, "expected: //! default [min, max] help");
}

bool directives_read_param(struct reader *r, const char *field, const char *text)
{
    struct filter *f = r->f;
    struct param p = {0};
    char type[16], name[64];
    int used = 0;
    if (sscanf(field, " %15[a-z] %63[a-zA-Z0-9_] ; %n", type, name, &used) != 2 || !used ||
        field[used])
        return directives_fail(
            r, "expected a field of struct params before //!, such as: int radius;");
    if (strcmp(type, "int") && strcmp(type, "float"))
        return directives_fail(r, "param '%s' is of type %s; int and float are known", name, type);
    if (!directives_is_name(name))
        return directives_fail(r, "param '%s' is not a lower-case name", name);
    if (filter_is_word(name))
        return directives_fail(r, "param '%s' means something else in shared=", name);
    if (filter_param(f, name) >= 0) return directives_fail(r, "a second param '%s'", name);
    if (directives_has_let(f, name)) return directives_fail(r, "param '%s' is also a let", name);
    if (f->param_count == FILTER_MAX_PARAMS)
        return directives_fail(r, "more than %d params", FILTER_MAX_PARAMS);

    p.is_float = type[0] == 'f';
    g_strlcpy(p.name, name, sizeof p.name);
    if (!read_limits(r, &p, text, &used) || !fits_radius(r, &p)) return false;
    text += used + strspn(text + used, " \t");
    text_copy(p.help, sizeof p.help, text);
    f->params[f->param_count++] = p;
    return true;
}

// A field of struct params without its limits would shift all behind it.
bool directives_read_field(struct reader *r, const char *line)
{
    int used = 0;
    if (!r->is_in_params) {
        sscanf(line, " struct params %n", &used);
        if (!used || (line[used] && line[used] != '{')) return true;
        r->is_in_params = true;
    }
    const char *mark = line + used + strcspn(line + used, ";}/");
    if (*mark == ';')
        return directives_fail(
            r, "a field of struct params without its limits; expected: //! default [min, "
               "max] help");
    if (*mark == '}') r->is_in_params = false;
    return true;
}
