#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "filter/directives.h"

bool directives_can_be(struct reader *r, const char *kind, const char *name)
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
    if (!directives_can_be(r, r->word, name)) return false;
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
    // One that no function takes is for EXPRs: there its default tells.
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
    // The radius is counted with: so the picture's size, a window's area and a sweep stay numbers.
    if (!strcmp(name, "radius") && (p.is_float || p.min < 0 || p.max > MAX_RADIUS))
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

// One may name those above it: an expression knows compiled lets only.
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
    if (text) {
        g_auto(GStrv) lines = g_strsplit_set(text, "\n", -1);
        GArray *const own = r->functions;
        r->functions = directives_find_functions(text);
        r->path = header;
        r->line = 1;
        for (char **at = lines; is_good && *at; at++, r->line++) {
            const bool is_marked = g_str_has_prefix(*at, "//!");
            const char *const note = *at + (is_marked ? strlen("//!") : 0);
            if (!is_marked)  // a line of .cu that waits for its kernel does not find it in a header
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
