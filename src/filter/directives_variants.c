#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/backend.h"
#include "filter/directives.h"

// ---- //! variant name WxH [option=...] ----

// Options whose value is arithmetic. To add one: a row.
static const struct {
    const char *name;
    size_t offset;
} expressions[] = {
    {"columns=", offsetof(struct pass, columns)},
    {"rows=", offsetof(struct pass, rows)},
    {"shared=", offsetof(struct pass, shared)},
    {"pitch=", offsetof(struct pass, pitch)},
};

// The arithmetic must also have a value with the default params in a block of 32x8.
static bool read_expression(struct reader *r, struct expr *kept, const char *option,
                            const char *text)
{
    static const double words[FILTER_WORDS] = {32, 8, 640, 480, 100};
    double values[FILTER_WORDS + FILTER_MAX_PARAMS];
    const struct param_values params = filter_defaults(r->f);
    memcpy(values, words, sizeof words);
    memcpy(values + FILTER_WORDS, params.v, sizeof params.v);
    long long value;
    struct error why = {""};
    if (strlen(text) >= EXPR_TEXT)
        return directives_fail(r, "%s is longer than %d characters", option, EXPR_TEXT - 1);
    if (!filter_compile(r->f, kept, text, &why) || !expr_eval(kept, values, &value, &why))
        return directives_fail(r, "%s: %s", option, why.text);
    return true;
}

enum { MAX_SIDE = 1024 };  // threads of a block, on every device there is

static const struct pass one_thread = {.block_width = 1,
                                       .block_height = 1,
                                       .block_depth = 1,
                                       .each_x = 1,
                                       .each_y = 1,
                                       .multiple_of = 1};

static bool read_entry(struct reader *r, char *entry, const char *option, const char *text)
{
    if (!*text) return directives_fail(r, "%s names no kernel", option);
    if (strlen(text) >= FILTER_ENTRY) return directives_fail(r, "%s is too long", option);
    g_strlcpy(entry, text, FILTER_ENTRY);
    return true;
}

static bool read_option(struct reader *r, struct variant *v, struct pass *pass, const char *word)
{
    int used = 0;
    if (sscanf(word, "each=%dx%d%n", &pass->each_x, &pass->each_y, &used) == 2 && !word[used])
        return (pass->each_x >= 1 && pass->each_x <= MAX_SIDE && pass->each_y >= 1 &&
                pass->each_y <= MAX_SIDE) ||
               directives_fail(r, "each= wants numbers from 1 to %d", MAX_SIDE);
    if (sscanf(word, "multiple_of=%d%n", &pass->multiple_of, &used) == 1 && !word[used])
        return pass->multiple_of > 0 || directives_fail(r, "multiple_of= wants a positive number");
    if (sscanf(word, "planes=%d%n", &pass->planes, &used) == 1 && !word[used])
        return pass->planes == 1 || pass->planes == 3 ||
               directives_fail(r, "planes= is 1, grey, or 3, colour");
    if (!strcmp(word, "block=fixed")) return pass->is_fixed = true;
    if (!strcmp(word, "order=own")) return pass->has_own_order = true;
    if (!strcmp(word, "level=expert")) return v->is_expert = true;
    if (!strcmp(word, "level=floor")) return v->is_floor = true;
    if (g_str_has_prefix(word, "domain=")) {  // one expression, two or three, with commas between
        const char *text = word + strlen("domain=");
        bool is_good = !filter_has_picture(r->f) ||
                       directives_fail(r, "domain= is for labs; a filter's is its picture");
        for (int i = 0; is_good && i < 3; i++) {
            const char *const comma = i < 2 ? directives_comma(text) : text + strlen(text);
            g_autofree char *one = g_strndup(text, (gsize)(comma - text));
            is_good = read_expression(r, &pass->domain[i], "domain=", one);
            text = *comma ? comma + 1 : "1";
        }
        return is_good;
    }
    if (g_str_has_prefix(word, "prepare="))
        return read_entry(r, v->prepare, "prepare=", word + strlen("prepare="));
    if (g_str_has_prefix(word, "finish="))
        return read_entry(r, v->finish, "finish=", word + strlen("finish="));
    for (size_t i = 0; i < G_N_ELEMENTS(expressions); i++)
        if (g_str_has_prefix(word, expressions[i].name))
            return read_expression(r, (struct expr *)(void *)((char *)pass + expressions[i].offset),
                                   expressions[i].name, word + strlen(expressions[i].name));
    return directives_fail(r, "'%s' is not understood in a variant line", word);
}

static bool read_options(struct reader *r, struct variant *v, struct pass *pass, const char *text)
{
    // At blanks before name=, so that shared=(a + b) * c is one word.
    g_auto(GStrv) words = g_regex_split_simple("\\s+(?=[a-z_]+=)", text, 0, 0);
    bool is_good = true;
    for (char **w = words; *w; w++) g_strstrip(*w);
    for (char **w = words; is_good && *w; w++) {
        const size_t name = strcspn(*w, "=") + 1;
        for (char **before = words; before < w; before++)
            if (**w && !strncmp(*before, *w, name))
                is_good = directives_fail(r, "a second %.*s", (int)name, *w);
        if (is_good && **w) is_good = read_option(r, v, pass, *w);
    }
    if (is_good && pass->block_width % pass->multiple_of)
        return directives_fail(r, "block width %d is not a multiple of %d", pass->block_width,
                               pass->multiple_of);
    return is_good;
}

static bool can_begin(struct reader *r)
{
    if (r->pending) return directives_fail(r, "a variant line must be followed by its kernel");
    r->variant = NULL;
    r->callee[0] = r->given[0] = '\0';
    return directives_compile_lets(r);
}

// Reads [name] WxH [of KERNEL] [option=...]; *name is empty for none.
static bool read_head(struct reader *r, char **parts, struct pass *pass, struct variant *options)
{
    enum { MAX_DEPTH = 64 };
    const char *const name = parts[0], *text = parts[6];
    const int width = atoi(parts[2]), height = atoi(parts[3]);
    const int depth = *parts[4] ? atoi(parts[4]) : 1;
    *options = (struct variant){.pass_count = 0};
    *pass = one_thread;
    pass->block_width = width;
    pass->block_height = height;
    pass->block_depth = depth;
    if (!can_begin(r)) return false;
    if (*name && !directives_is_name(name))
        return directives_fail(r, "variant '%s' is not a lower-case name", name);
    if (width < 1 || height < 1 || depth < 1)
        return directives_fail(r, "block %s has no threads", parts[1]);
    if (depth > MAX_DEPTH || (depth > 1 && filter_has_picture(r->f)))
        return directives_fail(r, "blocks of labs have up to %d layers, and a filter's has one",
                               MAX_DEPTH);
    if (width > MAX_SIDE || height > MAX_SIDE / width || depth > MAX_SIDE / width / height)
        return directives_fail(r, "block %s has more than %d threads", parts[1], MAX_SIDE);
    text += strspn(text, " \t");
    if (!*parts[5]) return read_options(r, options, pass, text);
    // Behind "of" stands `kernel` or `kernel<arguments>`, and what it is given.
    size_t length = strcspn(text, "<( \t");
    int parentheses = 0, open = text[length] == '<';  // a > in parentheses closes nothing
    while (open && text[++length]) {
        parentheses += (text[length] == '(') - (text[length] == ')');
        if (!parentheses) open += (text[length] == '<') - (text[length] == '>');
        if (!open) length++;
    }
    if (open) return directives_fail(r, "of '%s' has no closing >", text);
    const size_t given = text[length] == '(' ? strcspn(text + length, ")") + 1 : 0;
    const char end = text[length + given];
    if (!length || (end && !g_ascii_isspace(end)))
        return directives_fail(r, "expected: of KERNEL, of KERNEL<ARGUMENTS>, and (argument=name)");
    if (length >= sizeof r->callee || given >= sizeof r->given)
        return directives_fail(r, "of '%s' is too long", text);
    g_snprintf(r->callee, sizeof r->callee, "%.*s", (int)length, text);
    g_snprintf(r->given, sizeof r->given, "%.*s", (int)given, text + length);
    return read_options(r, options, pass, text + length + given);
}

static bool await_kernel(struct reader *r, struct pass *place, const struct pass *pass)
{
    r->pending = place;
    *r->pending = *pass;
    r->pending_line = r->line;
    return !*r->callee || directives_bind(r, r->callee);
}

bool directives_read_before(struct reader *r, char **parts)
{
    struct pass pass = one_thread;
    struct variant options = {.pass_count = 0};
    if (!can_begin(r)) return false;
    if (*r->f->before.entry) return directives_fail(r, "a second before line");
    if (r->f->variant_count) return directives_fail(r, "the before line stands above all variants");
    if (!read_options(r, &options, &pass, parts[0])) return false;
    if (*options.prepare || *options.finish || pass.planes || pass.pitch.count ||
        options.is_expert || options.is_floor)
        return directives_fail(
            r, "prepare=, finish=, planes=, pitch= and level= do not go with before");
    return await_kernel(r, &r->f->before, &pass);
}

// Adds a variant of that name, with the comment above it; NULL: there are too many.
static struct variant *add_variant(struct reader *r, const char *name)
{
    struct filter *f = r->f;
    if (f->variant_count == FILTER_MAX_VARIANTS) {
        directives_fail(r, "more than %d variants", FILTER_MAX_VARIANTS);
        return NULL;
    }
    struct variant *v = &f->variants[f->variant_count++];
    g_strlcpy(v->name, name, sizeof v->name);
    text_copy(v->note, sizeof v->note, r->comment);
    return v;
}

bool directives_read_variant(struct reader *r, char **parts)
{
    struct filter *f = r->f;
    struct pass pass;
    struct variant options;
    const char *const name = parts[0];
    if (!read_head(r, parts, &pass, &options)) return false;
    if (pass.planes || pass.pitch.count)
        return directives_fail(r, "planes= and pitch= belong to an untimed kernel");
    const struct variant *const known = filter_variant(f, name);
    struct variant *const v = known ? &f->variants[known - f->variants] : add_variant(r, name);
    if (!v) return false;
    if (v->library.function) return directives_fail(r, "'%s' is a library's", name);
    if (v->pass_count == FILTER_MAX_PASSES)
        return directives_fail(r, "variant '%s' has more than %d passes", name, FILTER_MAX_PASSES);
    // Only a variant's first pass may name the kernels before and after all of its passes.
    if (v->pass_count && (*options.prepare || *options.finish))
        return directives_fail(r, "prepare= and finish= belong to the first pass of '%s'", v->name);
    if (!v->pass_count) {
        g_strlcpy(v->prepare, options.prepare, sizeof v->prepare);
        g_strlcpy(v->finish, options.finish, sizeof v->finish);
    }
    if (!v->pass_count && *f->before.entry) {  // the file's first pass, in the variant's block
        struct pass *const first = &v->passes[v->pass_count++];
        *first = f->before;
        first->block_width = pass.block_width;
        first->block_height = pass.block_height;
        first->block_depth = pass.block_depth;
    }
    v->is_expert |= options.is_expert;
    v->is_floor |= options.is_floor;
    r->variant = v;
    return await_kernel(r, &v->passes[v->pass_count++], &pass);
}

bool directives_read_untimed(struct reader *r, char **parts)
{
    struct filter *f = r->f;
    struct pass pass;
    struct variant options;
    if (!read_head(r, parts, &pass, &options)) return false;
    if (*options.prepare || *options.finish)
        return directives_fail(r, "an untimed kernel has no prepare= and no finish=");
    if (!filter_has_picture(f) && (pass.planes || pass.pitch.count))
        return directives_fail(r, "planes= and pitch= are for filters");
    if (f->untimed_count == FILTER_MAX_UNTIMED)
        return directives_fail(r, "more than %d untimed kernels", FILTER_MAX_UNTIMED);
    pass.is_fixed = true;
    return await_kernel(r, &f->untimed[f->untimed_count++], &pass);
}

bool directives_read_compiled(struct reader *r, char **parts)
{
    struct variant *const v = r->variant;
    if (!v)
        return directives_fail(r, "a compiled line stands between a variant line and its kernel");
    if (*v->compiled) return directives_fail(r, "a second compiled line of '%s'", v->name);
    if (g_strlcpy(v->compiled, parts[0], sizeof v->compiled) >= sizeof v->compiled)
        return directives_fail(r, "compiled is longer than %zu bytes", sizeof v->compiled - 1);
    return true;
}

// ---- //! library name FUNCTION(ARGUMENT, ...) [tolerance=N] ----

bool directives_read_library(struct reader *r, char **parts)
{
    struct filter *f = r->f;
    const char *const name = parts[0], *const function = parts[1];
    struct variant_library l = {.line = r->line, .function = library_find(function)};
    int count = 0;
    const int most = atoi(parts[3]);
    if (!can_begin(r)) return false;
    if (!directives_is_name(name))
        return directives_fail(r, "variant '%s' is not a lower-case name", name);
    if (filter_variant(f, name)) return directives_fail(r, "a second variant '%s'", name);
    for (int i = 0; i < f->variant_count; i++) count += f->variants[i].library.function != NULL;
    if (count == BACKEND_MAX_FUNCTIONS)
        return directives_fail(r, "more than %d libraries", BACKEND_MAX_FUNCTIONS);
    if (!l.function) {
        g_autoptr(GString) names = g_string_new(NULL);
        for (int i = 0; i < LIBRARY_COUNT; i++)
            g_string_append_printf(names, "%s%s", i ? ", " : "",
                                   library_of((enum library_id)i)->name);
        return directives_fail(r, "no library function '%s'; known are %s", function, names->str);
    }
    if (l.function->is_of_pictures != filter_has_picture(f))
        return directives_fail(r, "%s is for %s", function,
                               filter_has_picture(f) ? "labs" : "filters");
    // Each is a param that is a whole number, or an array of the type that the function takes.
    static const char letters[ARRAY_TYPES] = {
        [ARRAY_BYTE] = 'b', [ARRAY_INT] = 'i', [ARRAY_UINT] = 'u', [ARRAY_FLOAT] = 'f'};
    const char *const wanted = l.function->arguments, *const example = l.function->example;
    g_auto(GStrv) names = g_strsplit(parts[2], ",", -1);
    if (g_strv_length(names) != strlen(wanted))
        return directives_fail(r, "expected: %s(%s)", function, example);
    for (int i = 0; names[i]; i++) {
        const int param = filter_param(f, g_strstrip(names[i])), array = arrays_find(f, names[i]);
        const struct array *a = &f->arrays[MAX(array, 0)];
        const char own = a->kind == ARRAY_IN ? letters[a->type] : g_ascii_toupper(letters[a->type]);
        l.arguments[i] = wanted[i] == 'n' ? param : array;
        if (wanted[i] == 'n' ? param < 0 || f->params[param].is_float
                             : array < 0 || own != wanted[i])
            return directives_fail(r, "'%s' does not suit %s(%s)", names[i], function, example);
    }
    if (*parts[4]) return directives_fail(r, "'%s' is not understood in a library line", parts[4]);
    if (*parts[3] && (most < 1 || most > 255 || !filter_has_picture(f)))
        return directives_fail(r, "tolerance= is for filters, from 1 to 255");
    if (*parts[3]) l.tolerance = (struct tolerance){TOLERANCE_ABSOLUTE, most};
    struct variant *const v = add_variant(r, name);
    if (v) v->library = l;
    return v;
}
