#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "filter/directives.h"

// True if a param or a let may have this name.
static bool is_free(struct reader *r, const char *kind, const char *name)
{
    if (!directives_is_identifier(name))
        return directives_fail(r, "%s '%s' is not a name of less than %d letters", kind, name,
                               FILTER_NAME);
    if (directives_is_keyword(name))
        return directives_fail(r, "%s '%s' is a word of C++: give it another name", kind, name);
    if (filter_is_word(r->f, name))
        return directives_fail(r, "%s '%s' means something else in expressions", kind, name);
    const bool is_param = filter_param(r->f, name) >= 0;
    bool is_let = false;
    for (int i = 0; i < r->f->let_count; i++) is_let |= !strcmp(r->f->lets[i].name, name);
    if (!is_param && !is_let) return true;
    const char *const other = is_param ? "param" : "let";
    return strcmp(kind, other) ? directives_fail(r, "%s '%s' is also a %s", kind, name, other)
                               : directives_fail(r, "a second %s '%s'", kind, name);
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

// default [one, two, three]; text begins with the default.
static bool read_names(struct reader *r, struct param *p, const char *text, int *used)
{
    char first[64], name[64];
    int at = 0, next = 0;
    sscanf(text, " %63[a-z0-9_] [%n", first, &at);
    for (char end = ','; end == ','; at += next) {
        if (sscanf(text + at, " %63[a-z0-9_] %c%n", name, &end, &next) != 2 ||
            !directives_is_name(name) || (end != ',' && end != ']'))
            return directives_fail(r, "expected: //! param name default [one, two, three] help");
        if (filter_name_index(p, name) >= 0)
            return directives_fail(r, "a second '%s' in '%s'", name, p->name);
        if (p->name_count == FILTER_MAX_NAMES)
            return directives_fail(r, "more than %d names in '%s'", FILTER_MAX_NAMES, p->name);
        g_strlcpy(p->names[p->name_count++], name, sizeof p->names[0]);
    }
    *used = at;
    p->value = p->cpu_value = filter_name_index(p, first);
    p->min = 0;
    p->max = p->name_count - 1;
    p->step = 1;
    if (p->value < 0)
        return directives_fail(r, "default '%s' of '%s' is not in its list", first, p->name);
    return !p->is_float || directives_fail(r, "'%s' counts names, so it must be an int", p->name);
}

// default [cpu=default] [min, max [step step]]; text begins with the default.
static bool read_limits(struct reader *r, struct param *p, const char *text, int *used)
{
    char letter[2];
    int at = 0, behind = 0;
    sscanf(text, " %lf%n", &p->value, &at);
    p->cpu_value = p->value;
    if (at) sscanf(text + at, " cpu=%lf%n", &p->cpu_value, &behind);
    at += behind;
    p->step = 1;
    *used = behind = 0;
    if (at && sscanf(text + at, " [ %lf , %lf %n", &p->min, &p->max, &behind) == 2 && behind) {
        at += behind;
        behind = 0;
        if (sscanf(text + at, "step %lf %n", &p->step, &behind) == 1) at += behind;
        if (text[at] == ']') *used = at + 1;
    }
    if (*used) return fits_limits(r, p);
    if (sscanf(text, " %*63[a-z0-9_] [ %1[a-z]", letter) == 1) return read_names(r, p, text, used);
    return directives_fail(r, "expected: //! param name default [min, max] help");
}

static bool add_param(struct reader *r, const char *name, bool is_float, const char *text)
{
    enum { MAX_RADIUS = 65535 };
    struct filter *f = r->f;
    struct param p = {.is_float = is_float};
    int used = 0;
    if (!is_free(r, "param", name)) return false;
    if (f->param_count == FILTER_MAX_PARAMS)
        return directives_fail(r, "more than %d params", FILTER_MAX_PARAMS);
    g_strlcpy(p.name, name, sizeof p.name);
    if (!read_limits(r, &p, text, &used)) return false;
    // The radius is counted with: so the picture's size, a window's area and a sweep stay numbers.
    if (!strcmp(name, "radius") && (p.is_float || p.min < 0 || p.max > MAX_RADIUS))
        return directives_fail(r, "a radius must be an int with limits inside [0, %d]", MAX_RADIUS);
    text += used + strspn(text + used, " \t");
    text_copy(p.help, sizeof p.help, text);
    p.gpu_value = p.value;
    f->params[f->param_count++] = p;
    return true;
}

bool directives_read_param(struct reader *r, const char *text)
{
    char name[64];
    int used = 0;
    if (sscanf(text, " %63[a-zA-Z0-9_]%n", name, &used) != 1 || !directives_ends_word(text + used))
        return directives_fail(r, "expected: //! param name default [min, max] help");
    const struct signature_argument *const a = directives_find_argument(r, name);
    // One that no function takes is for EXPRs: there its default tells.
    bool is_float = a ? !strcmp(a->type, "float") || !strcmp(a->type, "double")
                      : memchr(text + used, '.', strcspn(text + used, "[")) != NULL;
    char type[16] = "";  // may stand in the line
    int behind = 0;
    sscanf(text + used, " %15[a-z]%n", type, &behind);
    if (!strcmp(type, "int") || !strcmp(type, "float")) {
        is_float = type[0] == 'f';
        used += behind;
    }
    return add_param(r, name, is_float, text + used);
}

// ---- //! let name = EXPR ----

bool directives_read_let(struct reader *r, const char *text)
{
    struct filter *f = r->f;
    char name[64];
    int used = 0;
    if (sscanf(text, " %63[a-zA-Z0-9_] = %n", name, &used) != 1 || !used)
        return directives_fail(r, "expected: //! let name = EXPR");
    if (!is_free(r, "let", name)) return false;
    if (f->let_count == FILTER_MAX_LETS)
        return directives_fail(r, "more than %d lets", FILTER_MAX_LETS);
    if (strlen(text + used) >= EXPR_TEXT)
        return directives_fail(r, "let %s is longer than %d characters", name, EXPR_TEXT - 1);

    r->let_places[f->let_count] = g_strdup_printf("%s:%d", r->path, r->line);
    struct expr_let *let = &f->lets[f->let_count++];
    g_strlcpy(let->name, name, sizeof let->name);
    g_strlcpy(let->expr.text, text + used, sizeof let->expr.text);
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

// A line of .cu that waits for its kernel does not find it in a header.
static bool read_header_line(struct reader *r, char *line, const struct pass *waiting)
{
    char word[32] = "";
    int used = 0;
    if (!g_str_has_prefix(line, "//!")) return r->pending == waiting || directives_read_function(r);
    if (!g_utf8_validate(line, -1, NULL)) return directives_fail(r, "not UTF-8 text");
    if (directives_is_comment(line + strlen("//!"))) return true;
    sscanf(line, "//! %31s%n", word, &used);
    g_strchomp(line);
    if (!strcmp(word, "let")) return directives_read_let(r, line + used);
    if (!strcmp(word, "untimed")) return directives_read_untimed(r, line + used);
    return directives_fail(r, "a header may hold no directive but let and untimed");
}

// The path of a header, which may not be there. The caller frees it.
static char *find_header(const struct reader *r, const char *name)
{
    g_autofree char *folder = g_path_get_dirname(r->path);
    char *header = g_build_filename(folder, name, NULL);
    g_autofree char *last = g_path_get_basename(folder);
    bool is_inner = false;  // files of filters/ and labs/ include headers of the folder above, too
    for (int i = 0; i < FILTER_FOLDERS; i++) is_inner |= !strcmp(last, filter_folders[i]);
    if (is_inner && !g_file_test(header, G_FILE_TEST_EXISTS)) {
        g_autofree char *above = g_path_get_dirname(folder);
        g_free(header);
        header = g_build_filename(above, name, NULL);
    }
    if (!r->headers || g_file_test(header, G_FILE_TEST_EXISTS)) return header;
    g_free(header);
    return g_build_filename(r->headers, name, NULL);
}

bool directives_read_header(struct reader *r, const char *name)
{
    const char *const path = r->path;
    const int line = r->line;
    const struct pass *const waiting = r->pending;
    g_autofree char *header = find_header(r, name), *text = file_read_text(header, NULL);
    bool is_good = true;
    if (text) {
        g_auto(GStrv) lines = g_strsplit_set(text, "\n", -1);
        GArray *const own = r->functions;
        r->functions = directives_find_functions(text);
        r->path = header;
        r->line = 1;
        for (char **at = lines; is_good && *at; at++, r->line++)
            is_good = read_header_line(r, *at, waiting);
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
