#include "filter.h"

#include <ctype.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"

// Where the parser stands: one line of one file.
struct reader {
    struct filter *f;
    const char *path;
    int line;
    struct pass *pending;  // a variant line that waits for its KERNEL
    char comment[512];     // the comment lines directly above
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

// ---- //! filter "Title" [key K] ----

static bool read_title(struct reader *r, const char *text)
{
    struct filter *f = r->f;
    char title[64], rest[64] = "", key[8];
    if (f->title[0]) return fail(r, "a second filter line");
    if (sscanf(text, " \"%63[^\"]\" %63[^\n]", title, rest) < 1)
        return fail(r, "expected: //! filter \"Title\"");
    if (rest[0]) {
        if (sscanf(rest, "key %7s", key) != 1 || !g_ascii_isalnum(key[0]) || key[1])
            return fail(r, "'%s' is not understood; after the title may stand: key K", rest);
        f->key = key[0];
    }
    g_strlcpy(f->title, title, sizeof f->title);
    return true;
}

// ---- type name;  //! default [min, max] help ----

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
    if (filter_param(f, name) >= 0) return fail(r, "a second param '%s'", name);
    if (f->param_count == FILTER_MAX_PARAMS)
        return fail(r, "more than %d params", FILTER_MAX_PARAMS);

    used = 0;
    if (sscanf(text, " %lf [ %lf , %lf ]%n", &p.value, &p.min, &p.max, &used) != 3 || !used)
        return fail(r, "expected: //! default [min, max] help");
    if (!(p.min <= p.value && p.value <= p.max))
        return fail(r, "default %g of '%s' lies outside [%g, %g]", p.value, name, p.min, p.max);
    p.is_float = type[0] == 'f';
    g_strlcpy(p.name, name, sizeof p.name);
    g_strlcpy(p.help, text + used, sizeof p.help);
    g_strstrip(p.help);
    f->params[f->param_count++] = p;
    return true;
}

// ---- //! variant name WxH [each=XxY] [shared=EXPR] [block=fixed] [multiple_of=N] ----

static bool read_shared(struct reader *r, struct pass *pass, const char *text)
{
    struct expr_name names[4 + FILTER_MAX_PARAMS] = {
        {"bw", 32}, {"bh", 8}, {"width", 640}, {"height", 480}};
    int count = 4;
    for (int i = 0; i < r->f->param_count; i++)
        names[count++] = (struct expr_name){r->f->params[i].name, r->f->params[i].value};
    long long bytes;
    struct error why = {""};
    if (!expr_eval(text, names, count, &bytes, &why)) return fail(r, "shared=: %s", why.text);
    if (g_strlcpy(pass->shared, text, sizeof pass->shared) >= sizeof pass->shared)
        return fail(r, "shared= is longer than %zu characters", sizeof pass->shared - 1);
    return true;
}

static bool read_option(struct reader *r, struct pass *pass, const char *word)
{
    int used = 0;
    if (sscanf(word, "each=%dx%d%n", &pass->each_x, &pass->each_y, &used) == 2 && !word[used])
        return (pass->each_x > 0 && pass->each_y > 0) || fail(r, "each= wants positive numbers");
    if (sscanf(word, "multiple_of=%d%n", &pass->multiple_of, &used) == 1 && !word[used])
        return pass->multiple_of > 0 || fail(r, "multiple_of= wants a positive number");
    if (!strcmp(word, "block=fixed")) return pass->is_fixed = true;
    if (g_str_has_prefix(word, "shared=")) return read_shared(r, pass, word + strlen("shared="));
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

static struct variant *variant_named(struct reader *r, const char *name)
{
    struct filter *f = r->f;
    for (int i = 0; i < f->variant_count; i++)
        if (!strcmp(f->variants[i].name, name)) return &f->variants[i];
    if (f->variant_count == FILTER_MAX_VARIANTS) return NULL;
    struct variant *v = &f->variants[f->variant_count++];
    g_strlcpy(v->name, name, sizeof v->name);
    g_strlcpy(v->note, r->comment, sizeof v->note);
    return v;
}

static bool read_variant(struct reader *r, const char *text)
{
    if (r->pending) return fail(r, "a variant line must be followed by its KERNEL");
    struct pass pass = {.each_x = 1, .each_y = 1, .multiple_of = 1};
    char name[64];
    int used = 0;
    if (sscanf(text, " %63s %dx%d%n", name, &pass.block_width, &pass.block_height, &used) != 3)
        return fail(r, "expected: //! variant name WxH");
    if (!is_name(name)) return fail(r, "variant '%s' is not a lower-case name", name);
    if (pass.block_width < 1 || pass.block_height < 1)
        return fail(r, "block %dx%d has no threads", pass.block_width, pass.block_height);

    bool is_good = !text[used] || isspace((unsigned char)text[used]) ||
                   fail(r, "expected: //! variant name WxH");
    char **words = split_options(text + used);
    for (char **w = words; is_good && *w; w++)
        if (**w) is_good = read_option(r, &pass, *w);
    g_strfreev(words);
    if (!is_good) return false;

    struct variant *v = variant_named(r, name);
    if (!v) return fail(r, "more than %d variants", FILTER_MAX_VARIANTS);
    if (v->pass_count == FILTER_MAX_PASSES)
        return fail(r, "variant '%s' has more than %d passes", name, FILTER_MAX_PASSES);
    r->pending = &v->passes[v->pass_count++];
    *r->pending = pass;
    return true;
}

// ---- lines ----

static bool read_kernel(struct reader *r, const char *line)
{
    char entry[64];
    if (sscanf(line, "KERNEL(%63[a-zA-Z0-9_])", entry) != 1) return true;
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
    if (!strcmp(word, "variant")) return read_variant(r, text + used);
    return fail(r, "unknown directive '%s'; known are filter, variant and a param's limits", word);
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
        return read_directive(r, line, mark + strlen("//!"));
    }
    keep_comment(r, line);
    return read_kernel(r, line);
}

static bool read_lines(struct reader *r, char **lines)
{
    for (; *lines; lines++, r->line++)
        if (!read_line(r, g_strchomp(*lines))) return false;
    r->line = 1;
    if (!r->f->title[0]) return fail(r, "no line: //! filter \"Title\"");
    if (!r->f->variant_count) return fail(r, "no line: //! variant name WxH");
    if (r->pending) return fail(r, "the last variant line has no KERNEL");
    return true;
}

bool filter_parse(struct filter *f, const char *path, const char *source, struct error *err)
{
    struct filter found = {0};
    struct reader r = {.f = &found, .path = path, .line = 1, .err = err};
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".cu")) name[strlen(name) - strlen(".cu")] = '\0';
    const bool is_named = is_name(name) || fail(&r, "'%s' is not a lower-case name", name);
    if (is_named) g_strlcpy(found.name, name, sizeof found.name);
    g_free(name);
    if (!is_named) return false;

    char **lines = g_strsplit(source, "\n", -1);
    const bool is_good = read_lines(&r, lines);
    g_strfreev(lines);
    if (!is_good) return false;
    found.path = g_strdup(path);
    found.source = g_strdup(source);
    *f = found;
    return true;
}

void filter_finish(struct filter *f)
{
    g_free(f->path);
    g_free(f->source);
    *f = (struct filter){0};
}

// ---- folders ----

static bool load_one(struct filter *f, const char *path, struct error *err)
{
    char *text = NULL;
    GError *why = NULL;
    if (!g_file_get_contents(path, &text, NULL, &why)) {
        error_set(err, "cannot read '%s': %s", path, why->message);
        g_error_free(why);
        return false;
    }
    const bool is_good = filter_parse(f, path, text, err);
    g_free(text);
    return is_good;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct filter *)a)->name, ((const struct filter *)b)->name);
}

bool filter_list_load(struct filter_list *list, const char *folder, struct error *err)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    if (!dir) return error_set(err, "cannot open the kernel folder '%s'", folder);

    struct filter_list found = {0};
    bool is_good = true;
    for (const char *name; is_good && (name = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(name, ".cu") || name[0] == '.') continue;
        char *path = g_build_filename(folder, name, NULL);
        found.filters = g_realloc_n(found.filters, (gsize)found.count + 1, sizeof *found.filters);
        is_good = load_one(&found.filters[found.count], path, err);
        found.count += is_good;
        g_free(path);
    }
    g_dir_close(dir);
    if (is_good && !found.count)
        is_good = error_set(err, "the kernel folder '%s' holds no .cu file", folder);
    if (!is_good) {
        filter_list_finish(&found);
        return false;
    }
    qsort(found.filters, (size_t)found.count, sizeof *found.filters, by_name);
    *list = found;
    return true;
}

void filter_list_finish(struct filter_list *list)
{
    for (int i = 0; i < list->count; i++) filter_finish(&list->filters[i]);
    g_free(list->filters);
    *list = (struct filter_list){0};
}

// ---- look-ups ----

const struct filter *filter_find(const struct filter_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->filters[i].name, name)) return &list->filters[i];
    return NULL;
}

const struct variant *filter_variant(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->variant_count; i++)
        if (!strcmp(f->variants[i].name, name)) return &f->variants[i];
    return NULL;
}

int filter_param(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->param_count; i++)
        if (!strcmp(f->params[i].name, name)) return i;
    return -1;
}

int filter_radius(const struct filter *f)
{
    return filter_param(f, "radius");
}

// ---- values ----

struct param_values filter_defaults(const struct filter *f)
{
    struct param_values values = {{0}};
    for (int i = 0; i < f->param_count; i++) values.v[i] = f->params[i].value;
    return values;
}

bool filter_check(const struct filter *f, const struct param_values *values, struct error *err)
{
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];
        const double v = values->v[i];
        if (!(v >= p->min && v <= p->max))
            return error_set(err, "%s %g is outside [%g, %g] of %s", p->name, v, p->min, p->max,
                             f->name);
        if (!p->is_float && v != floor(v))
            return error_set(err, "%s %g of %s is not a whole number", p->name, v, f->name);
    }
    return true;
}

size_t filter_pack(const struct filter *f, const struct param_values *values, void *bytes)
{
    unsigned char *at = bytes;
    for (int i = 0; i < f->param_count; i++, at += 4) {
        const int whole = (int)values->v[i];
        const float real = (float)values->v[i];
        memcpy(at, f->params[i].is_float ? (const void *)&real : (const void *)&whole, 4);
    }
    if (!f->param_count) memset(at, 0, 4);  // NO_PARAMS: a struct has at least one member
    return f->param_count ? 4 * (size_t)f->param_count : 4;
}
