#include "filter/directives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/suggest.h"

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

bool directives_is_file_name(const char *text)
{
    const size_t length = strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-");
    return length && *text != '-' && !text[length] && length < FILTER_NAME;
}

bool directives_is_identifier(const char *text)
{
    const size_t length = strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_");
    return *text && !g_ascii_isdigit(*text) && !text[length] && length < FILTER_NAME;
}

bool directives_is_keyword(const char *text)
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
    return g_strv_contains(keywords, text);
}

bool directives_ends_word(const char *text)
{
    return !*text || g_ascii_isspace(*text);
}

const char *directives_comma(const char *text)
{
    int depth = 0;
    for (; *text && (*text != ',' || depth); text++) depth += (*text == '(') - (*text == ')');
    return text;
}

// ---- //! filter "Title" [key K], or //! lab ----

static bool read_title(struct reader *r, const char *text, bool is_lab)
{
    struct filter *f = r->f;
    char title[64];
    int used = 0;
    if (f->title[0]) return directives_fail(r, "a second %s line", is_lab ? "lab" : "filter");
    if (sscanf(text, " \"%63[^\"]\" %n", title, &used) != 1 || !used)
        return directives_fail(r, "expected: //! %s \"Title\"", is_lab ? "lab" : "filter");
    const char *rest = text + used;
    char key = 0;
    used = 0;
    if (*rest && (sscanf(rest, "key%*[ \t]%c%n", &key, &used) != 1 || !used || rest[used] ||
                  !g_ascii_isalnum(key)))
        return directives_fail(r, "'%s' is not understood; after the title may stand: key K", rest);
    f->key = key;
    if (!is_lab) arrays_add_pictures(f);
    g_strlcpy(f->title, title, sizeof f->title);
    return true;
}

// ---- //! weights gaussian ----

static bool read_weights(struct reader *r, const char *text)
{
    char name[32];
    int used = 0;
    if (!filter_has_picture(r->f)) return directives_fail(r, "weights are for filters");
    if (r->f->has_weights) return directives_fail(r, "a second weights line");
    if (sscanf(text, " %31s %n", name, &used) != 1 || text[used])
        return directives_fail(r, "expected: //! weights gaussian");
    r->f->has_weights = r->f->has_constants = !strcmp(name, "gaussian");
    r->weights_line = r->line;
    return r->f->has_weights ||
           directives_fail(r, "there are no weights '%s'; known are gaussian", name);
}

// The weights need params that stand below them in the file.
static bool fits_weights(struct reader *r)
{
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

// ---- //! goal FIGURE <= N [UNIT] [points N] ----

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

// Reads the words behind the limit: a unit, and how many points.
static bool read_rest(struct reader *r, struct goal *goal, const char *text)
{
    char unit[16] = "";
    int used = 0;
    if (sscanf(text, " points %d %n", &goal->points, &used) != 1 || !used) {
        sscanf(text, " %15[a-z] %n", unit, &used);
        text += used;
        used = 0;
        if (*text && (sscanf(text, " points %d %n", &goal->points, &used) != 1 || !used))
            return directives_fail(r, "'%s' is not understood; expected: points N", text);
    }
    if (text[used]) return directives_fail(r, "'%s' is too much", text + used);
    const int found = find(filter_goal_units, GOAL_UNITS, unit);
    if (found < 0 || !(units_of[goal->figure] >> found & 1))
        return directives_fail(r,
                               "%s is not told in '%s'; known are sectors in ideal and copy, "
                               "conflicts, and time in copy",
                               filter_goal_figures[goal->figure], unit);
    goal->unit = (enum goal_unit)found;
    return (goal->points >= 1 && goal->points <= 100) ||
           directives_fail(r, "points are at least 1 and at most 100");
}

static bool read_goal(struct reader *r, const char *text)
{
    char figure[16], sign[3];
    int used = 0;
    struct goal goal = {.points = FILTER_GOAL_POINTS};
    if (sscanf(text, " %15[a-z] %2[<=] %lf %n", figure, sign, &goal.limit, &used) != 3 || !used)
        return directives_fail(r, "expected: //! goal FIGURE <= N [UNIT] [points N]");
    const int found = find(filter_goal_figures, GOAL_FIGURES, figure);
    if (found < 0)
        return directives_fail(r, "goal '%s' is not one of sectors, conflicts and time", figure);
    if (strcmp(sign, "<=") != 0 && (strcmp(sign, "=") != 0 || goal.limit != 0))
        return directives_fail(r, "a goal is a figure with <= and a limit, or = 0");
    if (!(goal.limit >= 0 && isfinite(goal.limit)))
        return directives_fail(r, "a goal's limit is a number from 0 on");
    goal.figure = (enum goal_figure)found;
    if (!read_rest(r, &goal, text + used)) return false;
    if (r->f->goal_count == FILTER_MAX_GOALS)
        return directives_fail(r, "more than %d goals", FILTER_MAX_GOALS);
    r->f->goals[r->f->goal_count++] = goal;
    return true;
}

// ---- //! tolerance N UNIT ----

static bool read_tolerance(struct reader *r, const char *text)
{
    struct tolerance *const t = &r->f->tolerance;
    char unit[16];
    int used = 0;
    if (filter_has_picture(r->f))
        return directives_fail(r, "a tolerance is for labs; a filter's pixels are exact");
    if (t->unit) return directives_fail(r, "a second tolerance line");
    const bool is_read =
        sscanf(text, " %lf %15[a-z] %n", &t->most, unit, &used) == 2 && used && !text[used];
    const int found = is_read ? find(tolerance_units, G_N_ELEMENTS(tolerance_units), unit) : 0;
    if (found < 1) return directives_fail(r, "expected: //! tolerance N relative, absolute or ulp");
    t->unit = (enum tolerance_unit)found;
    r->tolerance_line = r->line;
    if (!(t->most > 0 && isfinite(t->most)))
        return directives_fail(r, "a tolerance is a number above 0");
    if (t->unit == TOLERANCE_RELATIVE && t->most >= 1)
        return directives_fail(r, "a relative tolerance is below 1");
    return t->unit != TOLERANCE_ULP || t->most == floor(t->most) ||
           directives_fail(r, "a tolerance in ulp is a whole number");
}

// ---- at the end ----

static bool names_untimed(struct reader *r, const struct variant *v, const char *option,
                          const char *entry)
{
    return !*entry || filter_untimed(r->f, entry) >= 0 ||
           directives_fail(r, "%s of '%s' names '%s', which has no //! untimed line", option,
                           v->name, entry);
}

// A lab's first out array is what its launches are planned for.
static bool is_whole(struct reader *r)
{
    const struct filter *f = r->f;
    bool has_floats = false;
    if (arrays_first_out(f) < 0) return directives_fail(r, "no out array");
    for (int i = 0; i < f->array_count; i++)
        has_floats |= f->arrays[i].kind == ARRAY_OUT && array_type_is_real(f->arrays[i].type);
    if (f->tolerance.unit && !has_floats) {
        r->line = r->tolerance_line;
        return directives_fail(r, "a tolerance is for floats, and no out array is of them");
    }
    for (int i = 0; i < f->variant_count; i++) {
        const struct variant *v = &f->variants[i];
        if (!names_untimed(r, v, "prepare=", v->prepare) ||
            !names_untimed(r, v, "finish=", v->finish))
            return false;
        // Only finish= finds the result of what prepare= makes.
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
    g_autofree char *code = c_tokens_blank_comments(source);
    const char *mark = code;
    while ((mark = strstr(mark, "//!")) && directives_is_comment(mark + strlen("//!"))) mark++;
    return mark;
}

static bool read_directive(struct reader *r, const char *before, const char *text)
{
    char word[32] = "";
    int used = 0;
    sscanf(text, " %31s%n", word, &used);
    const bool is_alone = !before[strspn(before, " \t")];
    if (directives_is_comment(text)) return true;
    const bool is_filter = !strcmp(word, "filter"), is_lab = !strcmp(word, "lab");
    if (!is_alone) return directives_fail(r, "nothing may stand before //! in its line");
    if (is_filter || is_lab) return read_title(r, text + used, is_lab);
    if (!r->f->title[0]) return directives_fail(r, "the first directive is: //! filter \"Title\"");
    if (!strcmp(word, "param")) return directives_read_param(r, text + used);
    if (!strcmp(word, "array")) return directives_read_array(r, text + used);
    if (!strcmp(word, "reference")) return directives_read_reference(r, text + used);
    if (!strcmp(word, "weights")) return read_weights(r, text + used);
    if (!strcmp(word, "let")) return directives_read_let(r, text + used);
    if (!strcmp(word, "before")) return directives_read_before(r, text + used);
    if (!strcmp(word, "variant")) return directives_read_variant(r, text + used);
    if (!strcmp(word, "library")) return directives_read_library(r, text + used);
    if (!strcmp(word, "file")) return directives_read_file(r, text + used);
    if (!strcmp(word, "goal")) return read_goal(r, text + used);
    if (!strcmp(word, "tolerance")) return read_tolerance(r, text + used);
    if (!strcmp(word, "untimed")) return directives_read_untimed(r, text + used);
    if (!strcmp(word, "compiled")) return directives_read_compiled(r, text + used);
    static const char names[] = "filter, lab, param, array, reference, tolerance, weights, let, "
                                "file, goal, before, variant, "
                                "library, untimed and compiled";
    struct error why;
    error_set(&why, "unknown directive '%s'; known are %s", word, names);
    suggest(&why, word, names);
    return directives_fail(r, "%s", why.text);
}

// A comment with what a note of a kernel says: without its note, the kernel would not be run.
static bool is_mistyped(const char *line)
{
    int width, height;
    line += strspn(line, " \t");
    if (!g_str_has_prefix(line, "//")) return false;
    line += strspn(line, "/! \t");
    return sscanf(line, "variant %*s %dx%d", &width, &height) == 2 ||
           sscanf(line, "untimed %dx%d", &width, &height) == 2;
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
    const bool is_comment = g_str_has_prefix(line, "// ");
    if (is_mistyped(line)) return directives_fail(r, "a note begins with //! and no blank in it");
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

// Below a brace that nothing closes no kernel is found.
static bool has_open_brace(const char *code)
{
    int braces = 0;
    struct c_tokens tokens = c_tokens_of(code);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        braces += c_token_is(token, "{") - c_token_is(token, "}");
    return braces > 0;
}

static bool read_lines(struct reader *r, const char *code, char **lines)
{
    for (; *lines; lines++, r->line++) {
        if (!g_utf8_validate(*lines, -1, NULL)) return directives_fail(r, "not UTF-8 text");
        if (!read_line(r, g_strchomp(*lines))) return false;
    }
    r->line = 1;
    if (!r->f->title[0]) return directives_fail(r, "no line: //! filter \"Title\"");
    if (!r->f->variant_count) return directives_fail(r, "no line: //! variant name WxH");
    if (!is_whole(r)) return false;
    r->line = r->pending_line;
    if (r->pending)
        return directives_fail(r, "the variant line has no kernel below it%s",
                               has_open_brace(code) ? ": a } is missing" : "");
    r->line = r->reference_line;
    if (*r->reference)
        return directives_fail(r, "the reference of '%s' has no function below it", r->reference);
    return directives_compile_lets(r) && (!r->f->has_weights || fits_weights(r));
}

bool directives_read(struct filter *f, const char *path, const char *source, const char *headers,
                     struct error *err)
{
    struct reader r = {.f = f,
                       .path = path,
                       .headers = headers,
                       .line = 1,
                       .functions = directives_find_functions(source),
                       .calls = g_string_new(NULL),
                       .defined = g_string_new(NULL),
                       .err = err};
    g_autofree char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".cu")) name[strlen(name) - strlen(".cu")] = '\0';
    const bool is_named =
        directives_is_file_name(name) ||
        directives_fail(&r, "'%s' is not a name of less than %d letters, digits, _ and -", name,
                        FILTER_NAME);
    if (is_named) g_strlcpy(f->name, name, sizeof f->name);
    g_autofree char *code = c_tokens_blank_comments(source);
    g_auto(GStrv) lines = g_strsplit_set(code, "\n", -1);
    const bool is_good = is_named && read_lines(&r, code, lines);
    if (is_good) f->calls = directives_write_calls(&r);
    g_array_free(r.functions, TRUE);
    g_string_free(r.calls, TRUE);
    g_string_free(r.defined, TRUE);
    for (int i = 0; i < f->let_count; i++) g_free(r.let_places[i]);
    return is_good;
}
