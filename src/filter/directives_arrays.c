#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "filter/directives.h"

static const char expected[] =
    "expected: //! array name [type] in [EXPR] [reads [EXPR]] noise|letter EXPR, EXPR; or counted, "
    "or permutation; or out [EXPR] [shown EXPR, EXPR [grey|ramp|signed]]; or scratch [EXPR]";

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

// ---- behind //! ----

static bool read_part(struct reader *r, struct expr *e, const char *of, const char *text)
{
    struct error why = {""};
    if (strlen(text) >= EXPR_TEXT)
        return directives_fail(r, "%s is longer than %d characters", of, EXPR_TEXT - 1);
    return filter_compile_shape(r->f, e, text, &why) || directives_fail(r, "%s: %s", of, why.text);
}

// [EXPR][EXPR]; text moves behind them.
static bool read_shape(struct reader *r, struct array *a, const char **text)
{
    for (;;) {
        *text += strspn(*text, " \t");
        if (**text != '[') break;
        const size_t length = strcspn(*text, "]");
        if (!(*text)[length]) return directives_fail(r, "%s", expected);
        if (a->dimensions == ARRAYS_MAX_DIMENSIONS)
            return directives_fail(r, "array '%s' has more than %d dimensions", a->name,
                                   ARRAYS_MAX_DIMENSIONS);
        g_autofree char *side = g_strndup(*text + 1, length - 1);
        if (!read_part(r, &a->shape[a->dimensions++], "a side of the array", side)) return false;
        *text += length + 1;
    }
    return a->dimensions > 0 || directives_fail(r, "%s", expected);
}

// `reads [EXPR]`, if it is there; text moves behind it.
static bool read_reads(struct reader *r, struct array *a, const char **text)
{
    int used = 0;
    sscanf(*text, " reads [%n", &used);
    if (!used) return true;
    const char *const begin = *text + used;
    const size_t length = strcspn(begin, "]");
    if (!begin[length]) return directives_fail(r, "%s", expected);
    g_autofree char *count = g_strndup(begin, length);
    const bool is_good = read_part(r, &a->reads, "what is read", count);
    *text = begin + length + 1;
    return is_good;
}

// EXPR, EXPR
static bool read_range(struct reader *r, struct array *a, const char *text)
{
    const char *const comma = directives_comma(text);
    if (!*comma) return directives_fail(r, "%s", expected);
    g_autofree char *low = g_strndup(text, (gsize)(comma - text));
    return read_part(r, &a->low, "the lower value", low) &&
           read_part(r, &a->high, "the higher value", comma + 1);
}

// Words for an in array: how it is filled.
static bool read_fill(struct reader *r, struct array *a, const char *text)
{
    char word[32] = "";
    int used = 0;
    sscanf(text, " %31[a-z]%n", word, &used);
    const bool is_alone = !text[used + (int)strspn(text + used, " \t")];
    const bool is_letter = !strcmp(word, "letter");
    if ((is_letter || !strcmp(word, "noise")) && directives_ends_word(text + used)) {
        a->fill = is_letter ? ARRAY_LETTER : ARRAY_NOISE;
        if (is_letter && a->dimensions != 2)
            return directives_fail(r, "a letter needs rows and columns: [EXPR][EXPR]");
        return read_range(r, a, text + used);
    }
    if (!strcmp(word, "counted") && is_alone)
        a->fill = ARRAY_COUNTED;
    else if (!strcmp(word, "permutation") && is_alone)
        a->fill = ARRAY_PERMUTATION;
    else
        return directives_fail(r, "%s", expected);
    return true;
}

// `from NAME`, if it is there; text moves behind it.
static bool read_from(struct reader *r, struct array *a, const char **text)
{
    char name[ARRAYS_NAME] = "";
    int used = 0;
    if (sscanf(*text, " from %31[A-Za-z0-9_]%n", name, &used) != 1) return true;
    const int from = arrays_find(r->f, name);
    if (from < 0 || r->f->arrays[from].kind != ARRAY_IN || r->f->arrays[from].type != a->type)
        return directives_fail(r, "'%s' is no in array above it of the same type", name);
    a->from = from + 1;
    *text += used;
    return true;
}

static bool read_shown(struct reader *r, struct array *a, const char *text)
{
    int used = 0;
    if (!read_from(r, a, &text)) return false;
    text += strspn(text, " \t");
    if (!*text) return true;
    sscanf(text, "shown%n", &used);
    if (!used || !directives_ends_word(text + used)) return directives_fail(r, "%s", expected);
    g_autofree char *range = g_strchomp(g_strdup(text + used));
    // A word behind the range names a map of colours. Behind an operator it is a param.
    char *word = range + strlen(range);
    while (word > range && g_ascii_islower(word[-1])) word--;
    const char *before = word;
    while (before > range && g_ascii_isspace(before[-1])) before--;
    if (before != word && before != range && !strchr(",(+-*/%?:<>=!&|", before[-1]) &&
        color_map_find(&a->map, word))
        *word = '\0';
    return read_range(r, a, range);
}

static bool read_kind(struct reader *r, struct array *a, const char *text)
{
    static const char *const kinds[] = {
        [ARRAY_IN] = "in", [ARRAY_OUT] = "out", [ARRAY_SCRATCH] = "scratch"};
    char word[16] = "";
    int used = 0, kind = ARRAY_IN;
    sscanf(text, " %15[a-z]%n", word, &used);
    a->is_constant = !strcmp(word, "constant");
    if (a->is_constant) g_strlcpy(word, kinds[ARRAY_IN], sizeof word);
    r->f->has_constants |= a->is_constant;
    while (kind <= ARRAY_SCRATCH && strcmp(word, kinds[kind]) != 0) kind++;
    if (kind > ARRAY_SCRATCH) return directives_fail(r, "%s", expected);
    a->kind = (enum array_kind)kind;
    text += used;
    if (!read_shape(r, a, &text)) return false;
    switch (a->kind) {
    case ARRAY_IN:
        return read_reads(r, a, &text) && read_fill(r, a, text);
    case ARRAY_OUT:
        return read_shown(r, a, text);
    case ARRAY_SCRATCH:
        break;
    }
    return !*text || directives_fail(r, "%s", expected);
}

static bool add_array(struct reader *r, struct array *a, const char *text)
{
    struct filter *f = r->f;
    if (!read_kind(r, a, text)) return false;
    if (arrays_find(f, a->name) >= 0) return directives_fail(r, "a second array '%s'", a->name);
    if (f->array_count == ARRAYS_MAX) return directives_fail(r, "more than %d arrays", ARRAYS_MAX);
    f->arrays[f->array_count++] = *a;
    return true;
}

// The words before in, out or scratch are a type, or else a kernel's argument says it; text moves
// behind them. -1: there is none.
static int read_type(struct reader *r, const struct array *a, const char **text)
{
    char type[SIGNATURE_NAME] = "", word[32] = "";
    int used = 0;
    for (;; *text += used) {
        if (sscanf(*text, " %31[A-Za-z0-9_]%n", word, &used) != 1) {
            directives_fail(r, "%s", expected);
            return -1;
        }
        static const char *const kinds[] = {"in", "constant", "out", "scratch", NULL};
        if (g_strv_contains(kinds, word)) break;
        if (*type) g_strlcat(type, " ", sizeof type);
        g_strlcat(type, word, sizeof type);
    }
    const bool is_told = *type;
    const struct signature_argument *const argument = directives_find_argument(r, a->name);
    if (!is_told && argument) g_strlcpy(type, argument->type, sizeof type);
    const int found = directives_find_type(type);
    if (!is_told && !argument)
        directives_fail(r,
                        "no kernel has an argument '%s'; its type may stand in the line, as in: "
                        "//! array %s float in [n]",
                        a->name, a->name);
    else if (found < 0)
        directives_fail(r,
                        "array '%s' is of type %s; numbers of 8, 16, 32 and 64 bits are known, "
                        "such as unsigned char, half and double%s",
                        a->name, type, is_told ? "" : ", and may stand in the line");
    return found;
}

bool directives_read_array(struct reader *r, const char *text)
{
    struct array a = {0};
    char name[64];
    int used = 0;
    if (filter_has_picture(r->f)) return directives_fail(r, "only a lab has arrays");
    if (sscanf(text, " %63[a-zA-Z0-9_]%n", name, &used) != 1 || !directives_ends_word(text + used))
        return directives_fail(r, "%s", expected);
    if (!directives_is_identifier(name) || strlen(name) >= ARRAYS_NAME)
        return directives_fail(r, "array '%s' is not a name of less than %d letters", name,
                               ARRAYS_NAME);
    if (directives_is_keyword(name))
        return directives_fail(r, "array '%s' is a word of C++: give it another name", name);
    g_strlcpy(a.name, name, sizeof a.name);
    text += used;
    const int type = read_type(r, &a, &text);
    if (type < 0 || !directives_compile_lets(r)) return false;
    a.type = (enum array_type)type;
    return add_array(r, &a, text);
}

// ---- //! reference name ----

bool directives_read_reference(struct reader *r, const char *text)
{
    char name[ARRAYS_NAME];
    int used = 0;
    if (sscanf(text, " %31[A-Za-z0-9_] %n", name, &used) != 1 || text[used])
        return directives_fail(r, "expected: //! reference array");
    if (*r->reference) return directives_fail(r, "the reference line above has no function");
    const int index = arrays_find(r->f, name);
    struct array *a = &r->f->arrays[MAX(index, 0)];
    if (index < 0 || a->kind != ARRAY_OUT)
        return directives_fail(r, "there is no out array '%s'", name);
    if (a->has_reference) return directives_fail(r, "a second reference of '%s'", name);
    g_strlcpy(r->reference, name, sizeof r->reference);
    r->reference_line = r->line;
    return a->has_reference = true;
}

// ---- //! file .bin n radius x -> n radius s ----

bool directives_read_file(struct reader *r, const char *text)
{
    if (r->file_text[0]) return directives_fail(r, "a second file line");
    if (filter_has_picture(r->f)) return directives_fail(r, "file is for labs");
    if (!g_str_has_prefix(g_strstrip((char *)text), ".bin ") || !strstr(text, "->"))
        return directives_fail(r, "expected: //! file .bin param ... array -> param ... array");
    text_copy(r->file_text, sizeof r->file_text, text + strlen(".bin "));
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
    if (!r->file_text[0]) return true;
    r->line = r->file_line;
    g_auto(GStrv) sides = g_strsplit(r->file_text, "->", 2);
    const bool is_good = resolve_side(r, &r->f->file_in, g_strstrip(sides[0]), ARRAY_IN) &&
                         resolve_side(r, &r->f->file_out, g_strstrip(sides[1]), ARRAY_OUT);
    r->f->has_file = is_good;
    return is_good;
}
