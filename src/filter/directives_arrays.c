#include <string.h>

#include "base/text.h"
#include "filter/directives.h"

int directives_find_type(const char *name)
{
    static const struct {
        const char *name;
        enum array_type type;
    } types[] = {
        {"unsigned char", ARRAY_BYTE}, {"uchar", ARRAY_BYTE},
        {"uint8_t", ARRAY_BYTE},       {"int", ARRAY_INT},
        {"int32_t", ARRAY_INT},        {"unsigned int", ARRAY_UINT},
        {"unsigned", ARRAY_UINT},      {"uint", ARRAY_UINT},
        {"uint32_t", ARRAY_UINT},      {"float", ARRAY_FLOAT},
        {"char", ARRAY_CHAR},          {"signed char", ARRAY_CHAR},
        {"int8_t", ARRAY_CHAR},        {"short", ARRAY_SHORT},
        {"int16_t", ARRAY_SHORT},      {"unsigned short", ARRAY_USHORT},
        {"ushort", ARRAY_USHORT},      {"uint16_t", ARRAY_USHORT},
        {"long", ARRAY_LONG},          {"long long", ARRAY_LONG},
        {"int64_t", ARRAY_LONG},       {"longlong", ARRAY_LONG},
        {"long long int", ARRAY_LONG}, {"unsigned long", ARRAY_ULONG},
        {"uint64_t", ARRAY_ULONG},     {"unsigned long long", ARRAY_ULONG},
        {"ulonglong", ARRAY_ULONG},    {"unsigned long long int", ARRAY_ULONG},
        {"size_t", ARRAY_ULONG},       {"half", ARRAY_HALF},
        {"__half", ARRAY_HALF},        {"double", ARRAY_DOUBLE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        const size_t length = strlen(types[i].name);
        const char lanes = g_str_has_prefix(name, types[i].name) ? name[length] : 'x';
        if (!lanes || (lanes >= '1' && lanes <= '4' && !name[length + 1])) return types[i].type;
    }
    return -1;
}

static bool read_part(struct reader *r, struct expr *e, const char *of, const char *text)
{
    struct error why = {""};
    if (strlen(text) >= EXPR_TEXT)
        return directives_fail(r, "%s is longer than %d characters", of, EXPR_TEXT - 1);
    return filter_compile_shape(r->f, e, text, &why) || directives_fail(r, "%s: %s", of, why.text);
}

// EXPR, EXPR
static bool read_range(struct reader *r, struct array *a, const char *text)
{
    const char *const comma = directives_comma(text);
    if (!*comma) return directives_expect(r);
    g_autofree char *low = g_strndup(text, (gsize)(comma - text));
    return read_part(r, &a->low, "the lower value", low) &&
           read_part(r, &a->high, "the higher value", comma + 1);
}

// How an in array is filled.
static bool read_fill(struct reader *r, struct array *a, const char *text)
{
    g_auto(GStrv) parts = text_match("(?:reads\\s*\\[([^]]*)\\]\\s*)?(?:(noise|letter)(?=\\s|$)"
                                     "(.*)|(counted|permutation))",
                                     text);
    if (!parts) return directives_expect(r);
    if (g_str_has_prefix(text, "reads") && !read_part(r, &a->reads, "what is read", parts[0]))
        return false;
    a->fill = *parts[3] == 'c'   ? ARRAY_COUNTED
              : *parts[3] == 'p' ? ARRAY_PERMUTATION
              : *parts[1] == 'l' ? ARRAY_LETTER
                                 : ARRAY_NOISE;
    if (a->fill == ARRAY_LETTER && a->dimensions != 2)
        return directives_fail(r, "a letter needs rows and columns: [EXPR][EXPR]");
    return *parts[3] || read_range(r, a, parts[2]);
}

static bool read_shown(struct reader *r, struct array *a, const char *text)
{
    g_auto(GStrv) parts = text_match("(?:from\\s*(\\w{1,31})\\s*)?(?:(shown)(?=\\s|$)(.*))?", text);
    if (!parts) return directives_expect(r);
    const int from = arrays_find(r->f, parts[0]);
    if (*parts[0] &&
        (from < 0 || r->f->arrays[from].kind != ARRAY_IN || r->f->arrays[from].type != a->type))
        return directives_fail(r, "'%s' is no in array above it of the same type", parts[0]);
    a->from = from + 1;
    if (!*parts[1]) return true;
    // A word behind the range names a map of colours. Behind an operator it is a param.
    char *const range = parts[2], *word = range + strlen(range);
    while (word > range && g_ascii_islower(word[-1])) word--;
    const char *before = word;
    while (before > range && g_ascii_isspace(before[-1])) before--;
    if (before != word && before != range && !strchr(",(+-*/%?:<>=!&|", before[-1]) &&
        color_map_find(&a->map, word))
        *word = '\0';
    return read_range(r, a, range);
}

bool directives_read_array(struct reader *r, char **parts)
{
    const char *const kind = parts[2], *const rest = parts[4];
    struct filter *f = r->f;
    struct array a = {.kind = *kind == 'o'   ? ARRAY_OUT
                              : *kind == 's' ? ARRAY_SCRATCH
                                             : ARRAY_IN,
                      .is_constant = *kind == 'c'};
    if (filter_has_picture(f)) return directives_fail(r, "only a lab has arrays");
    if (!directives_can_be(r, "array", parts[0])) return false;
    g_strlcpy(a.name, parts[0], sizeof a.name);
    // The words before in, out or scratch are a type, or else a kernel's argument says it.
    g_auto(GStrv) words = g_regex_split_simple("\\s+", g_strchomp(parts[1]), 0, 0);
    g_autofree char *told = g_strjoinv(" ", words);
    const struct signature_argument *const argument = directives_find_argument(r, a.name);
    const char *const name = !*told && argument ? argument->type : told;
    const int type = directives_find_type(name);
    if (!*name)
        return directives_fail(r,
                               "no kernel has an argument '%s'; its type may stand in the line, as "
                               "in: //! array %s float in [n]",
                               a.name, a.name);
    if (type < 0)
        return directives_fail(r,
                               "array '%s' is of type %s; numbers of 8, 16, 32 and 64 bits are "
                               "known, such as unsigned char, half and double%s",
                               a.name, name, *told ? "" : ", and may stand in the line");
    if (!directives_compile_lets(r)) return false;
    a.type = (enum array_type)type;
    f->has_constants |= a.is_constant;
    for (char *side = parts[3], *end; (side = strchr(side, '[')); side = end + 1) {
        end = strchr(++side, ']');
        *end = '\0';
        if (a.dimensions == ARRAYS_MAX_DIMENSIONS)
            return directives_fail(r, "array '%s' has more than %d dimensions", a.name,
                                   ARRAYS_MAX_DIMENSIONS);
        if (!read_part(r, &a.shape[a.dimensions++], "a side of the array", side)) return false;
    }
    if ((a.kind == ARRAY_IN && !read_fill(r, &a, rest)) ||
        (a.kind == ARRAY_OUT && !read_shown(r, &a, rest)))
        return false;
    if (a.kind == ARRAY_SCRATCH && *rest) return directives_expect(r);
    if (arrays_find(f, a.name) >= 0) return directives_fail(r, "a second array '%s'", a.name);
    if (f->array_count == ARRAYS_MAX) return directives_fail(r, "more than %d arrays", ARRAYS_MAX);
    f->arrays[f->array_count++] = a;
    return true;
}

bool directives_read_reference(struct reader *r, char **parts)
{
    if (*r->reference) return directives_fail(r, "the reference line above has no function");
    const int index = arrays_find(r->f, parts[0]);
    struct array *a = &r->f->arrays[MAX(index, 0)];
    if (index < 0 || a->kind != ARRAY_OUT)
        return directives_fail(r, "there is no out array '%s'", parts[0]);
    if (a->has_reference) return directives_fail(r, "a second reference of '%s'", parts[0]);
    g_strlcpy(r->reference, parts[0], sizeof r->reference);
    r->reference_line = r->line;
    return a->has_reference = true;
}

// ---- //! file .bin n radius x -> n radius s ----

bool directives_read_file(struct reader *r, char **parts)
{
    if (r->file) return directives_fail(r, "a second file line");
    if (filter_has_picture(r->f)) return directives_fail(r, "file is for labs");
    r->file = g_strdupv(parts);
    r->file_line = r->line;
    return true;
}

// The params' names, and then the array's.
static bool resolve_side(struct reader *r, struct file_form *form, const char *text,
                         enum array_kind kind)
{
    g_auto(GStrv) words = g_regex_split_simple("\\s+", text, 0, 0);
    bool is_good = true;
    form->array = -1;
    for (char **word = words; is_good && *word; word++) {
        const int param = filter_param(r->f, *word), array = arrays_find(r->f, *word);
        bool is_last = !word[1], is_listed = false;
        for (int i = 0; i < form->param_count; i++) is_listed |= form->params[i] == param;
        if (is_last && array >= 0 && r->f->arrays[array].kind == kind)
            form->array = array;
        else if (!is_last && param >= 0 && is_listed)
            is_good = directives_fail(r, "'%s' stands twice before '%s'", *word,
                                      words[g_strv_length(words) - 1]);
        else if (!is_last && param >= 0 && !r->f->params[param].is_float)
            form->params[form->param_count++] = param;
        else
            is_good = directives_fail(r, "'%s' is not %s", *word,
                                      is_last ? kind == ARRAY_IN ? "an in array" : "an out array"
                                              : "an int param");
    }
    return is_good && (form->array >= 0 || directives_fail(r, "the file line names no array"));
}

bool directives_resolve_file(struct reader *r)
{
    if (!r->file) return true;
    r->line = r->file_line;
    r->f->has_file = resolve_side(r, &r->f->file_in, g_strstrip(r->file[0]), ARRAY_IN) &&
                     resolve_side(r, &r->f->file_out, g_strstrip(r->file[1]), ARRAY_OUT);
    return r->f->has_file;
}
