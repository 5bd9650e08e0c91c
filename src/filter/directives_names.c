#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "filter/directives.h"

// True if a param, array or let may have this name: it is an identifier and no word of C++.
static bool can_be(struct reader *r, const char *kind, const char *name)
{
    static const char *const keywords[] = {
        "alignas",   "alignof",  "and",      "asm",      "auto",     "bool",      "break",
        "case",      "catch",    "char",     "class",    "const",    "constexpr", "continue",
        "decltype",  "default",  "delete",   "do",       "double",   "else",      "enum",
        "explicit",  "export",   "extern",   "false",    "float",    "for",       "friend",
        "goto",      "if",       "inline",   "int",      "long",     "mutable",   "namespace",
        "new",       "noexcept", "not",      "nullptr",  "operator", "or",        "private",
        "protected", "public",   "register", "return",   "short",    "signed",    "sizeof",
        "static",    "struct",   "switch",   "template", "this",     "throw",     "true",
        "try",       "typedef",  "typename", "union",    "unsigned", "using",     "virtual",
        "void",      "volatile", "while",    "xor",      NULL};
    if (!directives_is_identifier(name))
        return directives_fail(r, "%s '%s' is not a name of less than %d letters", kind, name,
                               FILTER_NAME);
    return !g_strv_contains(keywords, name) ||
           directives_fail(r, "%s '%s' is a word of C++: give it another name", kind, name);
}

// True if a param or a let may have this name.
static bool is_free(struct reader *r, const char *name)
{
    if (!can_be(r, r->word, name)) return false;
    if (filter_is_word(r->f, name))
        return directives_fail(r, "%s '%s' means something else in expressions", r->word, name);
    const bool is_param = filter_param(r->f, name) >= 0;
    bool is_let = false;
    for (int i = 0; i < r->f->let_count; i++) is_let |= !strcmp(r->f->lets[i].name, name);
    if (!is_param && !is_let) return true;
    const char *const other = is_param ? "param" : "let";
    return strcmp(r->word, other) ? directives_fail(r, "%s '%s' is also a %s", r->word, name, other)
                                  : directives_fail(r, "a second %s '%s'", r->word, name);
}

// ---- //! param name [type] default [min, max] help ----

static bool fits_limits(struct reader *r, const struct param *p)
{
    const double defaults[] = {p->value, p->cpu_value};
    const struct value_text min = filter_write_value(p, p->min);
    for (int i = 0; i < 2; i++)
        if (!(p->min <= defaults[i] && defaults[i] <= p->max))
            return directives_fail(r, "default %s of '%s' lies outside [%s, %s]",
                                   filter_write_value(p, defaults[i]).text, p->name, min.text,
                                   filter_write_value(p, p->max).text);
    if (p->is_float && p->step != 1)
        return directives_fail(r, "only an int has a step, and '%s' is a float", p->name);
    if (p->is_float)
        return (p->min >= -FLT_MAX && p->max <= FLT_MAX) ||
               directives_fail(r, "limits of '%s' must be finite", p->name);
    if (p->min < INT_MIN || p->max > INT_MAX)
        return directives_fail(r, "limits of int '%s' are beyond 32 bits", p->name);
    if (p->value != floor(p->value) || p->cpu_value != floor(p->cpu_value) ||
        p->min != floor(p->min) || p->max != floor(p->max))
        return directives_fail(r, "default and limits of int '%s' must be whole", p->name);
    if (!(p->step >= 1) || p->step != floor(p->step) || p->step > INT_MAX)
        return directives_fail(r, "the step of '%s' must be a whole number from 1 on", p->name);
    for (int i = 0; i < 2; i++)
        if (defaults[i] != filter_snap(p, defaults[i]))
            return directives_fail(r, "default %s of '%s' is not reached from %s in steps of %s",
                                   filter_write_value(p, defaults[i]).text, p->name, min.text,
                                   filter_write_value(p, p->step).text);
    return true;
}

// default [one, two, three] help
static bool read_names(struct reader *r, struct param *p, char **parts)
{
    g_auto(GStrv) names = g_strsplit(parts[1], ",", -1);
    for (char **name = names; *name; name++) {
        if (!directives_is_name(g_strstrip(*name)) || !*parts[2])
            return directives_fail(r, "expected: //! param name default [one, two, three] help");
        if (filter_name_index(p, *name) >= 0)
            return directives_fail(r, "a second '%s' in '%s'", *name, p->name);
        if (p->name_count == FILTER_MAX_NAMES)
            return directives_fail(r, "more than %d names in '%s'", FILTER_MAX_NAMES, p->name);
        g_strlcpy(p->names[p->name_count++], *name, sizeof p->names[0]);
    }
    p->value = p->cpu_value = filter_name_index(p, parts[0]);
    p->max = p->name_count - 1;
    if (p->value < 0)
        return directives_fail(r, "default '%s' of '%s' is not in its list", parts[0], p->name);
    return !p->is_float || directives_fail(r, "'%s' counts names, so it must be an int", p->name);
}

bool directives_read_param(struct reader *r, char **parts)
{
    enum { MAX_RADIUS = 65535 };
    struct filter *f = r->f;
    const char *const name = parts[0], *const type = parts[1], *const rest = parts[2];
    const struct signature_argument *const a = directives_find_argument(r, name);
    struct param p = {.step = 1};
    double *const values[] = {&p.value, &p.cpu_value, &p.min, &p.max, &p.step};
    // If no function takes the param, only EXPRs use it, and its default decides its type.
    p.is_float = *type ? *type == 'f'
                 : a   ? !strcmp(a->type, "float") || !strcmp(a->type, "double")
                       : memchr(rest, '.', strcspn(rest, "[")) != NULL;
    if (!is_free(r, name)) return false;
    if (f->param_count == FILTER_MAX_PARAMS)
        return directives_fail(r, "more than %d params", FILTER_MAX_PARAMS);
    g_strlcpy(p.name, name, sizeof p.name);
    g_auto(GStrv) limits =
        text_match(DIRECTIVES_NUMBER "\\s*(?:cpu=\\s*" DIRECTIVES_NUMBER
                                     "\\s*)?\\[\\s*" DIRECTIVES_NUMBER "\\s*,\\s*" DIRECTIVES_NUMBER
                                     "\\s*(?:step\\s*" DIRECTIVES_NUMBER "\\s*)?\\]\\s*(.*)",
                   rest);
    g_auto(GStrv) names =
        text_match("([a-z0-9_]{1,63})\\s*\\[\\s*([a-z][^]]*)(\\]?)\\s*(.*)", rest);
    if (!limits && !names) return directives_expect(r);
    p.cpu_value = limits ? g_ascii_strtod(limits[0], NULL) : 0;  // unless it is there
    for (size_t i = 0; limits && i < G_N_ELEMENTS(values); i++)
        if (*limits[i]) *values[i] = g_ascii_strtod(limits[i], NULL);
    if (!(limits ? fits_limits(r, &p) : read_names(r, &p, names))) return false;
    // Code counts with the radius: a picture's size, a window's area and a sweep must stay in
    // range.
    const bool is_good = p.is_float ? !filter_has_picture(f) : p.min >= 0 && p.max <= MAX_RADIUS;
    if (!strcmp(name, "radius") && !is_good)
        return directives_fail(r, "a radius must be an int with limits inside [0, %d]", MAX_RADIUS);
    text_copy(p.help, sizeof p.help, limits ? limits[5] : names[3]);
    p.gpu_value = p.value;
    f->params[f->param_count++] = p;
    return true;
}

// ---- //! let name = EXPR ----

bool directives_read_let(struct reader *r, char **parts)
{
    struct filter *f = r->f;
    if (!is_free(r, parts[0])) return false;
    if (f->let_count == FILTER_MAX_LETS)
        return directives_fail(r, "more than %d lets", FILTER_MAX_LETS);
    if (strlen(parts[1]) >= EXPR_TEXT)
        return directives_fail(r, "let %s is longer than %d characters", parts[0], EXPR_TEXT - 1);

    r->let_places[f->let_count] = g_strdup_printf("%s:%d", r->path, r->line);
    struct expr_let *let = &f->lets[f->let_count++];
    g_strlcpy(let->name, parts[0], sizeof let->name);
    g_strlcpy(let->expr.text, parts[1], sizeof let->expr.text);
    return true;
}

// A let may name those above it, because an expression knows only compiled lets.
bool directives_compile_lets(struct reader *r)
{
    for (int i = 0; i < r->f->let_count; i++) {
        struct expr_let *let = &r->f->lets[i];
        struct error why = {""};
        if (!let->expr.count && !filter_compile(r->f, &let->expr, let->expr.text, &why))
            return error_set(r->err, "%s: let %s: %s", r->let_places[i], let->name, why.text);
    }
    return true;
}

// ---- //! array name [type] in, out or scratch [EXPR] … ----

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
        {"clock_t", ARRAY_LONG},       {"__half", ARRAY_HALF},
        {"double", ARRAY_DOUBLE},      {"long int", ARRAY_LONG},
        {"nv_bfloat16", ARRAY_BFLOAT}, {"__nv_bfloat16", ARRAY_BFLOAT},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        const size_t length = strlen(types[i].name);
        const char lanes = g_str_has_prefix(name, types[i].name) ? name[length] : 'x';
        if (!lanes || (lanes >= '1' && lanes <= '4' && !name[length + 1])) return types[i].type;
    }
    return -1;
}

// Adds a struct's fields, and those of its own structs, behind those that are there.
static bool add_fields(struct array_record *to, const char *text, const char *name,
                       const char *before, int *alignment, struct error *err)
{
    enum { MOST_LETTERS = 24, MOST_BYTES = 16 };  // of the names around one; CUDA's alignment
    struct signature members;
    const int length = MAX((int)strlen(before) - 1, 0);
    if (length >= MOST_LETTERS)
        return error_set(err, "'%.*s' lies too deep, or has too long a name", length, before);
    if (!signature_read_members(&members, text, name) || !members.argument_count) {
        g_autofree char *declared = g_strdup_printf(
            "\\b(struct|class|union)\\b[^;{}()]*\\b%s\\b[^;{}()]*\\{|\\}\\s*%s\\s*;", name, name);
        if (*before)
            error_set(err, "'%.*s' is no number and no struct of numbers", length, before);
        else if (g_regex_match_simple(declared, text, G_REGEX_RAW, 0))
            error_set(err,
                      "%s is more than numbers: it has a bit field, union, base, attribute, "
                      "value, virtual function or no constant for a size",
                      name);
        return false;
    }
    *to = (struct array_record){.count = 0};
    g_strlcpy(to->name, name, sizeof to->name);
    *alignment = MAX(members.alignment, 1);
    if (*alignment > MOST_BYTES || *alignment & (*alignment - 1))
        return error_set(err, "%s wants an alignment of %d bytes", name, *alignment);
    for (int i = 0; i < members.argument_count; i++) {
        const struct signature_argument *const m = &members.arguments[i];
        const bool is_bool = !strcmp(m->type, "bool");
        const int type = is_bool ? (int)ARRAY_BYTE : directives_find_type(m->type);
        const char last = m->type[strlen(m->type) - 1];
        const int lanes = g_ascii_isdigit(last) ? last - '0' : 1;
        const int bytes = type < 0 ? 1 : (int)array_types[type].bytes;
        int own = lanes == 3 ? bytes : MIN(bytes * lanes, MOST_BYTES);  // the alignment
        struct array_record inner = {.count = lanes, .bytes = bytes * lanes};
        g_autofree char *both = g_strdup_printf("%s%s.", before, m->name);
        if (m->is_pointer) return error_set(err, "%s has a pointer '%s'", name, m->name);
        if (type < 0 && !add_fields(&inner, text, m->type, both, &own, err)) return false;
        for (int lane = 0; type >= 0 && lane < lanes; lane++) {
            inner.fields[lane].type = (enum array_type)type;
            inner.fields[lane].offset = bytes * lane;
            inner.fields[lane].is_bool = is_bool;
            g_snprintf(inner.fields[lane].name, ARRAYS_NAME, "%s%s%s%.1s", before, m->name,
                       lanes > 1 ? "." : "", lanes > 1 ? &"xyzw"[lane] : "");
        }
        *alignment = MAX(*alignment, own);
        to->bytes = (to->bytes + own - 1) / own * own;
        for (int k = 0; k < inner.count; k++) {
            if (to->count == ARRAYS_MAX_FIELDS)
                return error_set(err, "%s has more than %d numbers", to->name, ARRAYS_MAX_FIELDS);
            to->fields[to->count] = inner.fields[k];
            to->fields[to->count++].offset += to->bytes;
        }
        to->bytes += inner.bytes;
    }
    to->bytes = (to->bytes + *alignment - 1) / *alignment * *alignment;
    to->alignment = *alignment;
    return true;
}

bool directives_read_record(struct array_record *record, const char *text, const char *name,
                            struct error *err)
{
    int alignment;
    struct array_record made;
    if (!directives_is_identifier(name)) return false;
    if (!add_fields(&made, text, name, "", &alignment, err)) return false;
    *record = made;
    return true;
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
    if (*parts[0] && (from < 0 || r->f->arrays[from].kind != ARRAY_IN ||
                      strcmp(array_type_name(&r->f->arrays[from]), array_type_name(a)) != 0))
        return directives_fail(r, "'%s' is no in array above it of the same type", parts[0]);
    a->from = from + 1;
    if (!*parts[1]) return true;
    // A word behind the range names a colour map; behind an operator it is a param.
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
    if (!can_be(r, "array", parts[0])) return false;
    g_strlcpy(a.name, parts[0], sizeof a.name);
    // The words before in, out or scratch are the type; without them a kernel's argument gives it.
    g_auto(GStrv) words = g_regex_split_simple("\\s+", g_strchomp(parts[1]), 0, 0);
    g_autofree char *told = g_strjoinv(" ", words);
    const struct signature_argument *const argument = directives_find_argument(r, a.name);
    const char *const name = !*told && argument ? argument->type : told;
    int type = directives_find_type(name);
    struct error why = {""};
    if (type < 0 && directives_read_record(&a.record, r->text, name, &why))
        type = (int)a.record.fields[0].type;
    if (!*name)
        return directives_fail(r,
                               "no kernel has an argument '%s'; its type may stand in the line, as "
                               "in: //! array %s float in [n]",
                               a.name, a.name);
    if (type < 0)
        return directives_fail(r,
                               "array '%s' is of type %s; numbers of 8, 16, 32 and 64 bits are "
                               "known, such as unsigned char, half and double%s%s",
                               a.name, name,
                               *why.text ? ", and structs of them; "
                               : *told   ? ""
                                         : ", and may stand in the line",
                               why.text);
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

// ---- headers ----

bool directives_read_header(struct reader *r, const char *name)
{
    const char *const path = r->path;
    const int line = r->line;
    const struct pass *const waiting = r->pending;
    g_autofree char *folder = g_path_get_dirname(path), *last = g_path_get_basename(folder);
    g_autofree char *header = g_build_filename(folder, name, NULL);
    bool is_inner = false;  // files of filters/ and labs/ include headers of the folder above, too
    for (int i = 0; i < FILTER_FOLDERS; i++) is_inner |= !strcmp(last, filter_folders[i]);
    g_autofree char *above = is_inner ? g_path_get_dirname(folder) : NULL;
    const char *const others[] = {above, r->headers};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        if (!others[i] || g_file_test(header, G_FILE_TEST_EXISTS)) continue;
        g_free(header);
        header = g_build_filename(others[i], name, NULL);
    }
    g_autofree char *text = file_read_text(header, NULL);
    bool is_good = true;
    if (text && strstr(text, "//!")) {
        g_auto(GStrv) lines = g_strsplit_set(text, "\n", -1);
        GArray *const own = r->functions;
        r->functions = directives_find_functions(text);
        r->path = header;
        r->line = 1;
        for (char **at = lines; is_good && *at; at++, r->line++) {
            const bool is_marked = g_str_has_prefix(*at, "//!");
            const char *const note = *at + (is_marked ? strlen("//!") : 0);
            if (!is_marked)  // a pending line of the .cu finds no kernel in a header
                is_good = r->pending == waiting || directives_read_function(r);
            else if (!g_utf8_validate(g_strchomp(*at), -1, NULL))
                is_good = directives_fail(r, "not UTF-8 text");
            else
                is_good = directives_is_comment(note) || directives_read_note(r, note, true);
        }
        g_array_free(r->functions, TRUE);
        r->functions = own;
        r->line = r->pending_line;
        if (is_good && r->pending != waiting)
            is_good = directives_fail(r, "the untimed line has no kernel below it");
    }
    r->path = path;
    r->line = line;
    return is_good;
}
