#include "filter/directives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/suggest.h"
#include "base/text.h"
#include "device/headers.h"

bool directives_fail(struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *what = g_strdup_vprintf(format, args);
    va_end(args);
    error_set(r->err, "%s:%d: %s", r->path, r->line, what);
    return false;
}

bool directives_is_name(const char *text)
{
    if (!g_ascii_islower(*text) || strlen(text) >= FILTER_NAME) return false;
    for (; *text; text++)
        if (!g_ascii_islower(*text) && !g_ascii_isdigit(*text) && *text != '_') return false;
    return true;
}

bool directives_is_identifier(const char *text)
{
    const size_t length = strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_");
    return *text && !g_ascii_isdigit(*text) && !text[length] && length < FILTER_NAME;
}

const char *directives_comma(const char *text)
{
    int depth = 0;
    for (; *text && (*text != ',' || depth); text++) depth += (*text == '(') - (*text == ')');
    return text;
}

// ---- notes ----

static bool read_title(struct reader *r, char **parts)
{
    struct filter *f = r->f;
    if (f->title[0]) return directives_fail(r, "a second %s line", r->word);
    if (*parts[2])
        return directives_fail(r, "'%s' is not understood; after the title may stand: key K",
                               parts[2]);
    f->key = *parts[1];
    if (!strcmp(r->word, "filter")) arrays_add_pictures(f);
    g_strlcpy(f->title, parts[0], sizeof f->title);
    return true;
}

static bool read_weights(struct reader *r, char **parts)
{
    if (!filter_has_picture(r->f)) return directives_fail(r, "weights are for filters");
    if (r->f->has_weights) return directives_fail(r, "a second weights line");
    r->f->has_weights = r->f->has_constants = !strcmp(parts[0], "gaussian");
    r->weights_line = r->line;
    return r->f->has_weights ||
           directives_fail(r, "there are no weights '%s'; known are gaussian", parts[0]);
}

const char *const filter_goal_figures[GOAL_FIGURES] = {
    [GOAL_SECTORS] = "sectors", [GOAL_CONFLICTS] = "conflicts", [GOAL_TIME] = "time"};
const char *const filter_goal_units[GOAL_UNITS] = {
    [GOAL_NUMBER] = "", [GOAL_IDEAL] = "ideal", [GOAL_COPY] = "copy"};

// The units that a figure may have, as bits.
static const unsigned int units_of[GOAL_FIGURES] = {
    [GOAL_SECTORS] = 1u << GOAL_IDEAL | 1u << GOAL_COPY,
    [GOAL_CONFLICTS] = 1u << GOAL_NUMBER,
    [GOAL_TIME] = 1u << GOAL_COPY,
};

static int find(const char *const *names, int count, const char *name)
{
    while (count-- && strcmp(names[count], name) != 0) continue;
    return count;
}

static bool read_goal(struct reader *r, char **parts)
{
    const char *const sign = parts[1], *const unit = parts[3], *const rest = parts[5];
    const int figure = find(filter_goal_figures, GOAL_FIGURES, parts[0]);
    const int found = find(filter_goal_units, GOAL_UNITS, unit);
    struct goal goal = {.limit = g_ascii_strtod(parts[2], NULL),
                        .points = *parts[4] ? atoi(parts[4]) : FILTER_GOAL_POINTS};
    if (figure < 0)
        return directives_fail(r, "goal '%s' is not one of sectors, conflicts and time", parts[0]);
    if (strcmp(sign, "<=") != 0 && (strcmp(sign, "=") != 0 || goal.limit != 0))
        return directives_fail(r, "a goal is a figure with <= and a limit, or = 0");
    if (!(goal.limit >= 0 && isfinite(goal.limit)))
        return directives_fail(r, "a goal's limit is a number from 0 on");
    if (*rest)
        return directives_fail(
            r, *parts[4] ? "'%s' is too much" : "'%s' is not understood; expected: points N", rest);
    if (found < 0 || !(units_of[figure] >> found & 1))
        return directives_fail(r,
                               "%s is not told in '%s'; known are sectors in ideal and copy, "
                               "conflicts, and time in copy",
                               parts[0], unit);
    if (goal.points < 1 || goal.points > 100)
        return directives_fail(r, "points are at least 1 and at most 100");
    if (r->f->goal_count == FILTER_MAX_GOALS)
        return directives_fail(r, "more than %d goals", FILTER_MAX_GOALS);
    goal.figure = (enum goal_figure)figure;
    goal.unit = (enum goal_unit)found;
    r->f->goals[r->f->goal_count++] = goal;
    return true;
}

static bool read_tolerance(struct reader *r, char **parts)
{
    struct tolerance *const t = &r->f->tolerance;
    if (filter_has_picture(r->f))
        return directives_fail(r, "a tolerance is for labs; a filter's pixels are exact");
    if (t->unit) return directives_fail(r, "a second tolerance line");
    t->unit = (enum tolerance_unit)find(tolerance_units, G_N_ELEMENTS(tolerance_units), parts[1]);
    t->most = g_ascii_strtod(parts[0], NULL);
    r->tolerance_line = r->line;
    if (!(t->most > 0 && isfinite(t->most)))
        return directives_fail(r, "a tolerance is a number above 0");
    if (t->unit == TOLERANCE_RELATIVE && t->most >= 1)
        return directives_fail(r, "a relative tolerance is below 1");
    return t->unit != TOLERANCE_ULP || t->most == floor(t->most) ||
           directives_fail(r, "a tolerance in ulp is a whole number");
}

#define TITLE "\"([^\"]{1,63})\"\\s*(?:key[ \t]+([[:alnum:]])|(.*))"
#define BLOCK "(([-+]?\\d+)x([-+]?\\d+)(?:x([-+]?\\d+))?)(?=\\s|$)(?:\\s+(of)(?=\\s|$))?(.*)"

// To add a note: a row, and a line in kernels/README.md. A pattern matches everything behind the
// word.
static const struct {
    const char *word, *form, *pattern;
    bool (*read)(struct reader *r, char **parts);
    bool is_for_headers;
} notes[] = {
    {"filter", "\"Title\"", TITLE, read_title, false},
    {"lab", "\"Title\"", TITLE, read_title, false},
    {"param", "name default [min, max] help",
     "(\\w{1,63})(?:\\s+(int|float)(?![a-z]))?((?:[^\\w].*)?)", directives_read_param, false},
    {"array",
     "name [type] in [EXPR] [reads [EXPR]] noise|letter EXPR, EXPR; or counted, or permutation; or "
     "out [EXPR] [shown EXPR, EXPR [grey|ramp|signed]]; or scratch [EXPR]",
     "(\\w{1,63})\\s+((?:\\w+\\s+){0,8}?)(in|constant|out|scratch)\\s*((?:\\[[^]]*\\]\\s*){1,8})(.*"
     ")",
     directives_read_array, false},
    {"reference", "array", "(\\w{1,31})", directives_read_reference, false},
    {"tolerance", "N relative, absolute or ulp", DIRECTIVES_NUMBER "\\s*(relative|absolute|ulp)",
     read_tolerance, false},
    {"weights", "gaussian", "(\\S{1,31})", read_weights, false},
    {"let", "name = EXPR", "(\\w{1,63})\\s*=\\s*(.*)", directives_read_let, true},
    {"file", ".bin param ... array -> param ... array", "\\.bin\\s(.*?)->(.*)",
     directives_read_file, false},
    {"goal", "FIGURE <= N [UNIT] [points N]",
     "([a-z]{1,15})\\s*([<=]{1,2})\\s*" DIRECTIVES_NUMBER
     "\\s*((?!points\\b)[a-z]{0,15})\\s*(?:points\\s+([-+]?\\d+)\\s*)?(.*)",
     read_goal, false},
    {"before", "[option=...]", "(.*)", directives_read_before, false},
    {"variant", "name WxH", "(\\S+)\\s+" BLOCK, directives_read_variant, false},
    {"library", "name FUNCTION(ARGUMENT, ...)",
     "(\\S{1,63})\\s+([\\w:]{1,95})\\s*\\(([^)]{1,255})\\)\\s*(?:tolerance=([-+]?\\d+)|(.*))",
     directives_read_library, false},
    {"untimed", "WxH", "()" BLOCK, directives_read_untimed, true},
    {"compiled", "what the GPU's compiler does", "(.+)", directives_read_compiled, false},
};

bool directives_expect(struct reader *r)
{
    return directives_fail(r, "expected: //! %s %s", r->word, r->form);
}

bool directives_read_note(struct reader *r, const char *text, bool is_header)
{
    char word[32] = "";
    int used = 0;
    size_t i = 0;
    sscanf(text, " %31s%n", word, &used);
    while (i < G_N_ELEMENTS(notes) && strcmp(notes[i].word, word) != 0) i++;
    if (is_header && (i == G_N_ELEMENTS(notes) || !notes[i].is_for_headers))
        return directives_fail(r, "a header may hold no directive but let and untimed");
    if (!is_header && !r->f->title[0] && (i == G_N_ELEMENTS(notes) || notes[i].read != read_title))
        return directives_fail(r, "the first directive is: //! filter \"Title\"");
    if (i == G_N_ELEMENTS(notes)) {
        g_autoptr(GString) names = g_string_new(notes[0].word);
        struct error why;
        for (size_t k = 1; k < G_N_ELEMENTS(notes); k++)
            g_string_append_printf(names, "%s%s", k + 1 < G_N_ELEMENTS(notes) ? ", " : " and ",
                                   notes[k].word);
        error_set(&why, "unknown directive '%s'; known are %s", word, names->str);
        suggest(&why, word, names->str);
        return directives_fail(r, "%s", why.text);
    }
    g_auto(GStrv) parts = text_match(notes[i].pattern, text + used);
    r->word = notes[i].word;
    r->form = notes[i].form;
    return parts ? notes[i].read(r, parts) : directives_expect(r);
}

// ---- at the end ----

// A lab's first out array is what its launches are planned for.
static bool is_whole(struct reader *r)
{
    const struct filter *f = r->f;
    bool has_floats = false;
    if (arrays_first(f, ARRAY_OUT) < 0) return directives_fail(r, "no out array");
    for (int i = 0; i < f->array_count; i++)
        has_floats |= f->arrays[i].kind == ARRAY_OUT && array_has_reals(&f->arrays[i]);
    if (f->tolerance.unit && !has_floats) {
        r->line = r->tolerance_line;
        return directives_fail(r, "a tolerance is for floats, and no out array is of them");
    }
    for (int i = 0; i < f->variant_count; i++) {
        const struct variant *v = &f->variants[i];
        const char *const named[][2] = {{"prepare=", v->prepare}, {"finish=", v->finish}};
        for (size_t k = 0; k < G_N_ELEMENTS(named); k++)
            if (*named[k][1] && filter_untimed(f, named[k][1]) < 0)
                return directives_fail(r, "%s of '%s' names '%s', which has no //! untimed line",
                                       named[k][0], v->name, named[k][1]);
        // Only finish= knows where the result of a prepare= lies.
        if (filter_has_picture(f) && !*v->prepare != !*v->finish)
            return directives_fail(r, "'%s' has only one of prepare= and finish=", v->name);
    }
    return directives_resolve_file(r);
}

// ---- lines ----

bool directives_is_comment(const char *text)
{
    return !g_ascii_islower(text[strspn(text, " \t")]);
}

bool directives_are_in(const char *source)
{
    g_autofree char *code = c_tokens_blank_comments(source, false);
    const char *mark = code;
    while ((mark = strstr(mark, "//!")) && directives_is_comment(mark + strlen("//!"))) mark++;
    return mark;
}

static bool read_line(struct reader *r, char *line)
{
    char *mark = strstr(line, "//!");
    if (mark) {
        const char *const text = mark + strlen("//!");
        const bool is_good = directives_is_comment(text) ||
                             (line + strspn(line, " \t") == mark
                                  ? directives_read_note(r, text, false)
                                  : directives_fail(r, "nothing may stand before //! in its line"));
        r->comment[0] = '\0';
        return is_good;
    }
    const bool is_comment = g_str_has_prefix(line, "// ");
    // A plain comment that reads like a kernel's note is a mistake: the kernel would not run.
    if (strstr(line, "//") && (strstr(line, "variant") || strstr(line, "untimed")) &&
        g_regex_match_simple("^\\s*//[/!\\s]*(variant\\s+\\S+|untimed)\\s+[-+]?\\d+x[-+]?\\d", line,
                             G_REGEX_RAW, 0))
        return directives_fail(r, "a note begins with //! and no blank in it");
    if (!is_comment) r->comment[0] = '\0';
    if (r->comment[0]) g_strlcat(r->comment, " ", sizeof r->comment);
    if (is_comment) g_strlcat(r->comment, line + strlen("// "), sizeof r->comment);
    struct c_tokens tokens = c_tokens_of(line);
    const struct c_token included = c_tokens_included(c_tokens_next_code(&tokens), &tokens);
    const bool is_quoted = included.kind == C_TOKEN_STRING && included.length > 2;
    g_autofree char *name = is_quoted ? g_strndup(included.start + 1, included.length - 2) : NULL;
    return (!name || strchr(name, '/') || directives_read_header(r, name)) &&
           directives_read_function(r);
}

static bool read_lines(struct reader *r, const char *code, char **lines)
{
    for (; *lines; lines++, r->line++) {
        if (!g_utf8_validate(*lines, -1, NULL)) return directives_fail(r, "not UTF-8 text");
        if (!read_line(r, g_strchomp(*lines))) return false;
    }
    r->line = 1;
    if (!r->f->title[0]) return directives_fail(r, "no line: //! filter \"Title\"");
    if (!r->f->variant_count)
        return directives_fail(r, "no line: //! variant name WxH (tilescope adopt proposes notes)");
    if (!is_whole(r)) return false;
    r->line = r->pending_line;
    if (r->pending) {  // an unclosed brace hides the kernels below it
        int braces = 0;
        struct c_tokens tokens = c_tokens_of(code);
        for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
            braces += c_token_is(token, "{") - c_token_is(token, "}");
        return directives_fail(r, "the variant line has no kernel below it%s",
                               braces > 0 ? ": a } is missing" : "");
    }
    r->line = r->reference_line;
    if (*r->reference)
        return directives_fail(r, "the reference of '%s' has no function below it", r->reference);
    if (!directives_compile_lets(r)) return false;
    if (!r->f->has_weights) return true;
    // The weights need params that may stand below them in the file.
    const int radius = filter_radius(r->f), sigma = filter_param(r->f, "sigma");
    const struct param *params = r->f->params;
    r->line = r->weights_line;
    if (radius < 0 || sigma < 0)
        return directives_fail(r, "the weights 'gaussian' need a param '%s'",
                               radius < 0 ? "radius" : "sigma");
    if (params[radius].min < 0 || params[radius].max > WEIGHTS_MAX_RADIUS)
        return directives_fail(r,
                               "the weights 'gaussian' want a radius of at least 0 and at most 64");
    return params[sigma].min >= 0 ||
           directives_fail(r, "the weights 'gaussian' want a sigma of at least 0");
}

bool directives_read(struct filter *f, const struct directives_text *text, struct error *err)
{
    g_autofree char *all = g_strconcat(text->source, "\n", text->beside, NULL);
    struct reader r = {.f = f,
                       .path = text->path,
                       .headers = text->headers,
                       .line = 1,
                       .text = all,
                       .functions = directives_find_functions(text->source),
                       .calls = g_string_new(NULL),
                       .defined = g_string_new(NULL),
                       .err = err};
    g_autofree char *name = filter_name_of(text->path);
    g_strlcpy(f->name, name, sizeof f->name);
    g_autofree char *code = c_tokens_blank_comments(text->source, false);
    g_auto(GStrv) lines = g_strsplit_set(code, "\n", -1);
    const bool is_good = read_lines(&r, code, lines);
    if (is_good) f->calls = directives_write_calls(&r);
    g_array_free(r.functions, TRUE);
    g_string_free(r.calls, TRUE);
    g_string_free(r.defined, TRUE);
    g_strfreev(r.file);
    for (int i = 0; i < f->let_count; i++) g_free(r.let_places[i]);
    return is_good;
}
