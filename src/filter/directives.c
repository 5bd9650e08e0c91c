#include "filter/directives.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <glib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter/expr.h"

// Where the parser stands: one line of one file.
struct reader {
    struct filter *f;
    const char *path;
    int line;
    struct pass *pending;  // a variant line that waits for its KERNEL
    int pending_line;
    int weights_line;
    bool is_in_params;  // between the braces of struct params
    bool has_rgb24;     // rgb24.h is included
    char comment[512];  // the comment lines directly above
    struct error *err;
};

static bool fail(struct reader *r, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool fail(struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *what = g_strdup_vprintf(format, args);
    va_end(args);
    error_set(r->err, "%s:%d: %s", r->path, r->line, what);
    g_free(what);
    return false;
}

static bool is_name(const char *text)
{
    if (!g_ascii_islower(*text) || strlen(text) >= FILTER_NAME) return false;
    for (; *text; text++)
        if (!g_ascii_islower(*text) && !g_ascii_isdigit(*text) && *text != '_') return false;
    return true;
}

// Takes away the part of a character that a too small place has left at the end.
static void end_whole(char *text)
{
    const char *end;
    g_utf8_validate(text, -1, &end);
    text[end - text] = '\0';
}

// ---- //! filter "Title" [key K] ----

static bool read_title(struct reader *r, const char *text)
{
    struct filter *f = r->f;
    char title[64];
    int used = 0;
    if (f->title[0]) return fail(r, "a second filter line");
    if (sscanf(text, " \"%63[^\"]\" %n", title, &used) != 1 || !used)
        return fail(r, "expected: //! filter \"Title\"");
    const char *rest = text + used;
    char key = 0;
    used = 0;
    if (*rest && (sscanf(rest, "key%*[ \t]%c%n", &key, &used) != 1 || !used || rest[used] ||
                  !g_ascii_isalnum(key)))
        return fail(r, "'%s' is not understood; after the title may stand: key K", rest);
    f->key = key;
    g_strlcpy(f->title, title, sizeof f->title);
    return true;
}

// ---- //! weights KIND ----

static bool read_weights(struct reader *r, const char *text)
{
    char name[32];
    int used = 0;
    if (r->f->weights) return fail(r, "a second weights line");
    if (sscanf(text, " %31s %n", name, &used) != 1 || text[used])
        return fail(r, "expected: //! weights KIND");
    r->f->weights = weights_find(name);
    r->weights_line = r->line;
    return r->f->weights ||
           fail(r, "there are no weights '%s'; known are %s", name, weights_names());
}

// The params that the weights follow from come later in the file.
static bool fits_weights(struct reader *r)
{
    const struct filter *f = r->f;
    r->line = r->weights_line;
    for (int i = 0; i < WEIGHTS_MAX_PARAMS && f->weights->params[i]; i++) {
        const int param = filter_param(f, f->weights->params[i]);
        if (param < 0)
            return fail(r, "the weights '%s' need a param '%s'", f->weights->name,
                        f->weights->params[i]);
        if (f->params[param].min < 0 || (i == 0 && f->params[param].max > WEIGHTS_MAX_RADIUS))
            return fail(r, "the weights '%s' want a %s of at least 0%s", f->weights->name,
                        f->params[param].name, i ? "" : " and at most 64");
    }
    return true;
}

// ---- type name;  //! default [min, max] help ----

static bool fits_limits(struct reader *r, const struct param *p)
{
    if (!(p->min <= p->value && p->value <= p->max))
        return fail(r, "default %g of '%s' lies outside [%g, %g]", p->value, p->name, p->min,
                    p->max);
    if (p->is_float)
        return (p->min >= -FLT_MAX && p->max <= FLT_MAX) ||
               fail(r, "limits of '%s' must be finite", p->name);
    if (p->min < INT_MIN || p->max > INT_MAX)
        return fail(r, "limits of int '%s' are beyond 32 bits", p->name);
    if (p->value != floor(p->value) || p->min != floor(p->min) || p->max != floor(p->max))
        return fail(r, "default and limits of int '%s' must be whole", p->name);
    return true;
}

static bool is_launch_word(const char *name)
{
    static const char *const words[] = {"bw", "bh", "width", "height", NULL};
    return g_strv_contains(words, name);
}

// default [one, two, three]; text begins with the default.
static bool read_names(struct reader *r, struct param *p, const char *text, int *used)
{
    char first[64], name[64];
    int at = 0, next = 0;
    sscanf(text, " %63[a-z0-9_] [%n", first, &at);
    for (char end = ','; end == ','; at += next) {
        if (sscanf(text + at, " %63[a-z0-9_] %c%n", name, &end, &next) != 2 || !is_name(name) ||
            (end != ',' && end != ']'))
            return fail(r, "expected: //! default [one, two, three] help");
        if (filter_name_index(p, name) >= 0) return fail(r, "a second '%s' in '%s'", name, p->name);
        if (p->name_count == FILTER_MAX_NAMES)
            return fail(r, "more than %d names in '%s'", FILTER_MAX_NAMES, p->name);
        g_strlcpy(p->names[p->name_count++], name, sizeof p->names[0]);
    }
    *used = at;
    p->value = filter_name_index(p, first);
    p->min = 0;
    p->max = p->name_count - 1;
    if (p->value < 0) return fail(r, "default '%s' of '%s' is not in its list", first, p->name);
    return !p->is_float || fail(r, "'%s' counts names, so it must be an int", p->name);
}

static bool read_limits(struct reader *r, struct param *p, const char *text, int *used)
{
    *used = 0;
    if (sscanf(text, " %lf [ %lf , %lf ]%n", &p->value, &p->min, &p->max, used) == 3 && *used)
        return fits_limits(r, p);
    char letter[2];
    if (sscanf(text, " %*63[a-z0-9_] [ %1[a-z]", letter) == 1) return read_names(r, p, text, used);
    return fail(r, "expected: //! default [min, max] help");
}

static bool read_param(struct reader *r, const char *field, const char *text)
{
    struct filter *f = r->f;
    struct param p = {0};
    char type[16], name[64];
    int used = 0;
    if (sscanf(field, " %15[a-z] %63[a-zA-Z0-9_] ; %n", type, name, &used) != 2 || !used ||
        field[used])
        return fail(r, "expected a field of struct params before //!, such as: int radius;");
    if (strcmp(type, "int") && strcmp(type, "float"))
        return fail(r, "param '%s' is of type %s; int and float are known", name, type);
    if (!is_name(name)) return fail(r, "param '%s' is not a lower-case name", name);
    if (is_launch_word(name)) return fail(r, "param '%s' means something else in shared=", name);
    if (filter_param(f, name) >= 0) return fail(r, "a second param '%s'", name);
    if (f->param_count == FILTER_MAX_PARAMS)
        return fail(r, "more than %d params", FILTER_MAX_PARAMS);

    p.is_float = type[0] == 'f';
    g_strlcpy(p.name, name, sizeof p.name);
    if (!read_limits(r, &p, text, &used)) return false;
    text += used + strspn(text + used, " \t");
    g_strlcpy(p.help, text, sizeof p.help);
    end_whole(p.help);
    f->params[f->param_count++] = p;
    return true;
}

// A field of struct params without its limits would shift all behind it.
static bool read_field(struct reader *r, const char *line)
{
    int used = 0;
    if (!r->is_in_params) {
        sscanf(line, " struct params %n", &used);
        if (!used || (line[used] && line[used] != '{')) return true;
        r->is_in_params = true;
    }
    const char *mark = line + used + strcspn(line + used, ";}/");
    if (*mark == ';')
        return fail(r, "a field of struct params without its limits; expected: //! default [min, "
                       "max] help");
    if (*mark == '}') r->is_in_params = false;
    return true;
}

// ---- //! variant name WxH [option=...] ----

// Options whose value is arithmetic. To add one: a row.
static const struct {
    const char *name;
    size_t offset;
} expressions[] = {
    {"columns=", offsetof(struct pass, columns)},
    {"rows=", offsetof(struct pass, rows)},
    {"shared=", offsetof(struct pass, shared)},
};

static bool read_expression(struct reader *r, char *kept, const char *option, const char *text)
{
    struct expr_name names[4 + FILTER_MAX_PARAMS] = {
        {"bw", 32}, {"bh", 8}, {"width", 640}, {"height", 480}};
    int count = 4;
    for (int i = 0; i < r->f->param_count; i++)
        names[count++] = (struct expr_name){r->f->params[i].name, r->f->params[i].value};
    long long value;
    struct error why = {""};
    if (!expr_eval(text, names, count, &value, &why)) return fail(r, "%s: %s", option, why.text);
    if (g_strlcpy(kept, text, FILTER_EXPR) >= FILTER_EXPR)
        return fail(r, "%s is longer than %d characters", option, FILTER_EXPR - 1);
    return true;
}

static bool read_layout(struct reader *r, struct pass *pass, const char *layout)
{
    if (strcmp(layout, "rgb24")) return fail(r, "layout=%s is not known; known is rgb24", layout);
    if (!r->has_rgb24) return fail(r, "layout=rgb24 needs a line above: #include \"rgb24.h\"");
    return pass->is_rgb24 = true;
}

enum { MAX_SIDE = 1024 };  // threads of a block, on every device there is

static bool read_option(struct reader *r, struct pass *pass, const char *word)
{
    int used = 0;
    if (sscanf(word, "each=%dx%d%n", &pass->each_x, &pass->each_y, &used) == 2 && !word[used])
        return (pass->each_x >= 1 && pass->each_x <= MAX_SIDE && pass->each_y >= 1 &&
                pass->each_y <= MAX_SIDE) ||
               fail(r, "each= wants numbers from 1 to %d", MAX_SIDE);
    if (sscanf(word, "multiple_of=%d%n", &pass->multiple_of, &used) == 1 && !word[used])
        return pass->multiple_of > 0 || fail(r, "multiple_of= wants a positive number");
    if (!strcmp(word, "block=fixed")) return pass->is_fixed = true;
    if (g_str_has_prefix(word, "layout=")) return read_layout(r, pass, word + strlen("layout="));
    for (size_t i = 0; i < G_N_ELEMENTS(expressions); i++)
        if (g_str_has_prefix(word, expressions[i].name))
            return read_expression(r, (char *)pass + expressions[i].offset, expressions[i].name,
                                   word + strlen(expressions[i].name));
    return fail(r, "'%s' is not understood in a variant line", word);
}

// Splits at blanks outside parentheses, so that shared=(a + b) * c is one word up to the next
// name=.
static char **split_options(const char *text)
{
    char **words = g_regex_split_simple("\\s+(?=[a-z_]+=)", text, 0, 0);
    for (char **w = words; *w; w++) g_strstrip(*w);
    return words;
}

static bool read_options(struct reader *r, struct pass *pass, const char *text)
{
    char **words = split_options(text);
    bool is_good = true;
    for (char **w = words; is_good && *w; w++) {
        const size_t name = strcspn(*w, "=") + 1;
        for (char **before = words; before < w; before++)
            if (**w && !strncmp(*before, *w, name))
                is_good = fail(r, "a second %.*s", (int)name, *w);
        if (is_good && **w) is_good = read_option(r, pass, *w);
    }
    g_strfreev(words);
    if (is_good && pass->block_width % pass->multiple_of)
        return fail(r, "block width %d is not a multiple of %d", pass->block_width,
                    pass->multiple_of);
    return is_good;
}

static struct variant *variant_named(struct reader *r, const char *name)
{
    struct filter *f = r->f;
    for (int i = 0; i < f->variant_count; i++)
        if (!strcmp(f->variants[i].name, name)) return &f->variants[i];
    if (f->variant_count == FILTER_MAX_VARIANTS) return NULL;
    struct variant *v = &f->variants[f->variant_count++];
    g_strlcpy(v->name, name, sizeof v->name);
    g_strlcpy(v->note, r->comment, sizeof v->note);
    end_whole(v->note);
    return v;
}

static bool read_variant(struct reader *r, const char *text)
{
    if (r->pending) return fail(r, "a variant line must be followed by its KERNEL");
    struct pass pass = {.each_x = 1, .each_y = 1, .multiple_of = 1};
    char name[64];
    int used = 0;
    if (sscanf(text, " %63s %dx%d%n", name, &pass.block_width, &pass.block_height, &used) != 3 ||
        (text[used] && !isspace((unsigned char)text[used])))
        return fail(r, "expected: //! variant name WxH");
    if (!is_name(name)) return fail(r, "variant '%s' is not a lower-case name", name);
    if (pass.block_width < 1 || pass.block_height < 1)
        return fail(r, "block %dx%d has no threads", pass.block_width, pass.block_height);

    if (pass.block_width > MAX_SIDE || pass.block_height > MAX_SIDE / pass.block_width)
        return fail(r, "block %dx%d has more than %d threads", pass.block_width, pass.block_height,
                    MAX_SIDE);
    if (!read_options(r, &pass, text + used)) return false;

    struct variant *v = variant_named(r, name);
    if (!v) return fail(r, "more than %d variants", FILTER_MAX_VARIANTS);
    if (v->pass_count == FILTER_MAX_PASSES)
        return fail(r, "variant '%s' has more than %d passes", name, FILTER_MAX_PASSES);
    if (v->pass_count && v->passes[0].is_rgb24 != pass.is_rgb24)
        return fail(r, "the passes of '%s' are of two layouts", name);
    r->pending = &v->passes[v->pass_count++];
    *r->pending = pass;
    r->pending_line = r->line;
    return true;
}

// ---- lines ----

static bool read_kernel(struct reader *r, const char *line)
{
    char entry[64];
    int used = 0;
    sscanf(line, " KERNEL%n", &used);
    if (!used || g_ascii_isalnum(line[used]) || line[used] == '_') return true;
    used = 0;
    if (sscanf(line, " KERNEL ( %63[a-zA-Z0-9_] )%n", entry, &used) != 1 || !used)
        return fail(r, "expected: KERNEL(name)");
    if (!r->pending) return fail(r, "kernel '%s' has no //! variant line directly above it", entry);
    for (int i = 0; i < r->f->variant_count; i++)
        for (int k = 0; k < r->f->variants[i].pass_count; k++)
            if (!strcmp(r->f->variants[i].passes[k].entry, entry))
                return fail(r, "a second kernel '%s'", entry);
    g_strlcpy(r->pending->entry, entry, sizeof r->pending->entry);
    r->pending = NULL;
    return true;
}

static bool read_directive(struct reader *r, const char *before, const char *text)
{
    char word[32] = "";
    int used = 0;
    sscanf(text, " %31s%n", word, &used);
    const bool is_alone = !before[strspn(before, " \t")];
    if (!is_alone)
        return r->f->title[0] ? read_param(r, before, text)
                              : fail(r, "the first directive is: //! filter \"Title\"");
    if (!strcmp(word, "filter")) return read_title(r, text + used);
    if (!r->f->title[0]) return fail(r, "the first directive is: //! filter \"Title\"");
    if (!strcmp(word, "weights")) return read_weights(r, text + used);
    if (!strcmp(word, "variant")) return read_variant(r, text + used);
    return fail(
        r, "unknown directive '%s'; known are filter, weights, variant and a param's limits", word);
}

static void keep_comment(struct reader *r, const char *line)
{
    if (!g_str_has_prefix(line, "// ")) {
        r->comment[0] = '\0';
        return;
    }
    if (r->comment[0]) g_strlcat(r->comment, " ", sizeof r->comment);
    g_strlcat(r->comment, line + strlen("// "), sizeof r->comment);
}

static bool read_line(struct reader *r, char *line)
{
    char *mark = strstr(line, "//!");
    if (mark) {
        *mark = '\0';
        const bool is_good = read_directive(r, line, mark + strlen("//!"));
        r->comment[0] = '\0';
        return is_good;
    }
    keep_comment(r, line);
    r->has_rgb24 |= g_str_has_prefix(line, "#include \"rgb24.h\"");
    return read_field(r, line) && read_kernel(r, line);
}

static bool read_lines(struct reader *r, char **lines)
{
    for (; *lines; lines++, r->line++) {
        if (!g_utf8_validate(*lines, -1, NULL)) return fail(r, "not UTF-8 text");
        if (!read_line(r, g_strchomp(*lines))) return false;
    }
    r->line = 1;
    if (!r->f->title[0]) return fail(r, "no line: //! filter \"Title\"");
    if (!r->f->variant_count) return fail(r, "no line: //! variant name WxH");
    r->line = r->pending_line;
    if (r->pending) return fail(r, "the variant line has no KERNEL");
    return !r->f->weights || fits_weights(r);
}

bool directives_read(struct filter *f, const char *path, const char *source, struct error *err)
{
    struct reader r = {.f = f, .path = path, .line = 1, .err = err};
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".cu")) name[strlen(name) - strlen(".cu")] = '\0';
    const bool is_named = is_name(name) || fail(&r, "'%s' is not a lower-case name", name);
    if (is_named) g_strlcpy(f->name, name, sizeof f->name);
    g_free(name);
    if (!is_named) return false;

    char **lines = g_strsplit(source, "\n", -1);
    const bool is_good = read_lines(&r, lines);
    g_strfreev(lines);
    return is_good;
}
