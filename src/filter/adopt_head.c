// This file is long because it reads all that stands around kernels' bodies.
// adopt_head.c -- reads what stands outside of kernels' bodies: their names and arguments, the
// file's numbers, and how its host code launches them.
#include <glib.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/build_log.h"
#include "filter/adopt_notes.h"
#include "filter/directives.h"
#include "filter/expr.h"

// ---- numbers ----

static gboolean replace_word(const GMatchInfo *match, GString *text, gpointer data)
{
    const GArray *const known = data;
    g_autofree char *word = g_match_info_fetch(match, 0);
    if (g_ascii_isdigit(*word)) {  // without its suffix, if it has only that
        const size_t digits = strspn(word, "0123456789");
        const bool is_whole = !word[digits + strspn(word + digits, "uUlL")];
        g_string_append_len(text, word, is_whole ? (gssize)digits : -1);
        return FALSE;
    }
    const int type = directives_find_type(word);  // of sizeof(float)
    if (type >= 0) g_string_append_printf(text, "%d", (int)array_types[type].bytes);
    if (type >= 0 || !strcmp(word, "sizeof")) return FALSE;
    for (guint i = known->len; i-- > 0;) {
        const struct adopt_constant *const c = &g_array_index(known, struct adopt_constant, i);
        if (strcmp(c->name, word) != 0) continue;
        g_string_append_printf(text, "%.10g", c->value);
        return FALSE;
    }
    g_string_append(text, word);
    return FALSE;
}

static gboolean replace_shift(const GMatchInfo *match, GString *text, gpointer unused)
{
    (void)unused;
    g_autofree char *value = g_match_info_fetch(match, 1), *by = g_match_info_fetch(match, 2);
    g_string_append_printf(text, "%lld", atoll(value) << MIN(atoi(by), 30));
    return FALSE;
}

// The value of an expression of numbers and named numbers, or of a product of reals, such as
// -1.5f / N; 0: it is neither.
static double evaluate_real(const char *text, const GArray *known)
{
    struct expr e;
    const struct expr_scope nothing = {.name_count = 0};
    long long value = 0;
    g_autoptr(GRegex) words = g_regex_new("\\w+", G_REGEX_RAW, 0, NULL);
    g_autoptr(GRegex) shifts = g_regex_new("(\\d{1,8}) *<< *(\\d{1,2})", G_REGEX_RAW, 0, NULL);
    g_autofree char *numbers =
        g_regex_replace_eval(words, text, -1, 0, 0, replace_word, (gpointer)known, NULL);
    g_autofree char *whole =
        g_regex_replace_eval(shifts, numbers, -1, 0, 0, replace_shift, NULL, NULL);
    if (strlen(whole) < EXPR_TEXT && expr_compile(&e, whole, &nothing, NULL) &&
        expr_eval(&e, NULL, &value, NULL) && value > 0)
        return (double)MIN(value, INT_MAX);
    double real = 1;
    const char *at = numbers;
    for (char mark = '*'; strchr("*/", mark); mark = *at++) {
        char *end;
        const double one = g_ascii_strtod(at, &end);
        real = mark == '/' ? real / one : real * one;
        at = end + strspn(end, " \tfF");
        if (!*at) return isfinite(real) ? CLAMP(real, -INT_MAX, INT_MAX) : 0;
    }
    return 0;
}

// The same, if it is a whole number above 0; else 0.
static int evaluate(const char *text, const GArray *known)
{
    const double value = evaluate_real(text, known);
    return value >= 1 && value == floor(value) ? (int)value : 0;
}

// An argument's type in a note; NULL: notes have no such type.
static const char *find_type(const struct adopter *a, const struct adopt_kernel *k,
                             const struct signature_argument *of, struct error *why)
{
    struct array_record record;
    g_autofree char *pattern = g_strdup_printf("\\b(typename|class)\\s+%s\\b", of->type);
    const bool is_templates = g_regex_match_simple(pattern, k->signature.parameters, 0, 0);
    int found = directives_find_type(is_templates                ? "float"
                                     : !strcmp(of->type, "bool") ? "unsigned char"
                                                                 : of->type);
    if (of->stars > 1) return NULL;
    // State_t is another name of State, if there is one.
    g_autofree char *own =
        g_str_has_suffix(of->type, "_t") ? g_strndup(of->type, strlen(of->type) - 2) : g_strdup("");
    for (const char *const *name = (const char *const[]){own, of->type, NULL}; *name; name++)
        if (of->is_pointer && found < 0 &&
            directives_read_record(&record, a->code->str, *name, why))
            return g_intern_string(*name);
    if (of->is_pointer) return found < 0 ? NULL : array_types[found].name;
    if (found < 0 || (!is_templates && g_ascii_isdigit(of->type[strlen(of->type) - 1])))
        return NULL;
    return array_types[found].is_real ? "float" : "int";
}

static int find_name(const struct adopter *a, const char *name)
{
    int i = 0;
    while (i < a->count && strcmp(a->arguments[i].name, name) != 0) i++;
    return i;
}

static bool is_alike(const struct adopt_argument *a, const struct adopt_argument *b)
{
    return a->type == b->type && a->lanes == b->lanes && a->is_array == b->is_array;
}

bool adopt_leave_out(struct adopter *a, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_autofree char *why = g_strdup_vprintf(format, words);
    va_end(words);
    return adopt_guess(a, "%s:%d: %s", build_log_name(a->path), a->line, why);
}

// What a void * points to is known from where it is cast.
static void resolve_void(const struct adopter *a, struct signature_argument *of)
{
    if (strcmp(of->type, "void") != 0) return;
    g_autofree char *cast =
        g_strdup_printf("(?:\\(|_cast <) ((?:\\w+ )+?)(?:const )?\\* (?:const )?"
                        "(?:\\)|> \\() %s\\b",
                        of->name);
    g_auto(GStrv) parts = g_regex_split_simple(cast, a->code->str, G_REGEX_RAW, 0);
    if (!parts[0] || !parts[1]) return;
    const char *const type = parts[1] + (g_str_has_prefix(parts[1], "const ") ? 6 : 0);
    g_strlcpy(of->type, type, sizeof of->type);
    g_strchomp(of->type);
}

static bool is_own_struct(const struct adopter *a, const struct signature_argument *of)
{
    g_autofree char *text = of->is_pointer ? NULL : signature_struct_text(a->code->str, of->type);
    return text;
}

// The index of an argument, which is added if it is new; -1: there cannot be such an argument.
static int take_argument(struct adopter *a, const struct adopt_kernel *k,
                         struct signature_argument *of)
{
    resolve_void(a, of);
    static const char *const words[] = {"bw", "bh", "multiprocessors", NULL};
    const char last = *of->type ? of->type[strlen(of->type) - 1] : '?';
    const bool is_vector = last >= '1' && last <= '4' && directives_find_type(of->type) >= 0;
    const int lanes = of->is_pointer && is_vector ? last - '0' : 1;
    struct error why = {""};
    struct adopt_argument new = {.type = find_type(a, k, of, &why), .is_array = of->is_pointer};
    const char *const kernel = k->signature.name;
    char other[SIGNATURE_NAME + 16];  // its name if another kernel has that one with another type
    int alike = 0, i = 0;
    new.is_bool = !new.is_array && !strcmp(of->type, "bool");
    new.most = strcmp(of->type, "bool") ? 255 : 1;
    new.lanes = lanes;
    if (new.is_array && g_regex_match_simple("mutex|lock$", of->name, G_REGEX_CASELESS, 0))
        new.is_out = new.is_added = true, new.plain = PLAIN_NUMBER;  // one, which begins as 0
    for (int n = 0; n < a->count; n++) alike += a->arguments[n].is_array == new.is_array;
    i = find_name(a, of->name);
    g_autofree char *called = g_strdup_printf("\\b%s \\(", of->name);
    const bool is_function = !of->is_pointer && new.type && !strcmp(new.type, "float") &&
                             directives_find_type(of->type) < 0 &&
                             g_regex_match_simple(called, a->code->str, G_REGEX_RAW, 0);
    // A struct's template, or a type that it is given.
    g_autofree char *form = g_strdup_printf(
        "\\b(?:typename|class) %s\\b[^<>]*> (?:struct|class)|> (?:struct|class) %s \\{", of->type,
        of->type);
    const bool is_template = !new.type &&g_regex_match_simple(form, a->code->str, G_REGEX_RAW, 0);
    if (is_template || of->stars > 1) *why.text = '\0';
    const bool is_other = new.type &&i < a->count && !is_alike(&a->arguments[i], &new);
    g_snprintf(other, sizeof other, is_other ? "%s_%d" : "%s", of->name, a->kernel_count + 1);
    if (is_other) i = find_name(a, other);
    if (!directives_is_identifier(of->name) || g_strv_contains(words, of->name))
        adopt_leave_out(a, "%s is left out: no note can name its argument '%s'", kernel, of->name);
    else if (is_function)
        adopt_leave_out(
            a,
            "%s is left out: its argument '%s' is a function: launch it with a struct of "
            "the file that has an operator(), as plus()",
            kernel, of->name);
    else if (!new.type)
        adopt_leave_out(a, "%s is left out: its argument '%s' is of type %s%.*s%s%s", kernel,
                        of->name, of->type, of->stars, "**", *why.text ? ", and " : "",
                        of->stars > 1 ? ": give it one array of all rows, as a[y * width + x]"
                        : is_template ? ": write a struct without a template in its place"
                        : !*why.text && is_own_struct(a, of)
                            ? ": give a struct by value numbers and pointers alone"
                            : why.text);
    else if (strlen(other) >= sizeof new.name ||
             (i < a->count && !is_alike(&a->arguments[i], &new)))
        adopt_leave_out(a, "%s is left out: its argument '%s' is of another type elsewhere", kernel,
                        of->name);
    else if (i == a->count && alike == (new.is_array ? ARRAYS_MAX : FILTER_MAX_PARAMS))
        adopt_leave_out(
            a, "%s is left out: there would be more than %d %s: move it to a file of its own",
            kernel, alike, new.is_array ? "arrays" : "params");
    else {
        g_strlcpy(new.name, other, sizeof new.name);
        if (i == a->count) a->arguments[a->count++] = new;
        return i;
    }
    return -1;
}

bool adopt_is_given(const struct adopter *a, const char *name, const char *one, const char *other)
{
    enum { MOST_LETTERS = 300 };
    g_autofree char *form = g_strdup_printf(" %s ,", name);
    for (const char *at = a->code->str; (at = strstr(at, form)); at++) {
        const char *start = at;
        while (start > a->code->str && at - start < MOST_LETTERS && *start != ';') start--;
        g_autofree char *before = g_strndup(start, (gsize)(at - start));
        if (strstr(before, one) || strstr(before, other)) return true;
    }
    return false;
}

// A texture or surface object is an array of what the file reads or writes through it.
static void read_texture(const struct adopter *a, struct signature_argument *of)
{
    const bool is_surface = !strcmp(of->type, "cudaSurfaceObject_t");
    if (!is_surface && strcmp(of->type, "cudaTextureObject_t") != 0) return;
    g_autofree char *read =
        g_strdup_printf("\\b(?:tex|surf)[123]D\\w* < ([\\w ]+) > \\( %s\\b", of->name);
    g_autofree char *given =
        g_strdup_printf("\\bsurf[12]D\\w+ \\( (?:& )?(\\w+) , %s\\b", of->name);
    g_auto(GStrv) parts = g_regex_split_simple(read, a->code->str, G_REGEX_RAW, 0);
    g_auto(GStrv) uses = g_regex_split_simple(given, a->code->str, G_REGEX_RAW, 0);
    if (!(parts[0] && parts[1]) && uses[0] &&
        uses[1]) {  // the type of that variable, which is declared before
        g_autofree char *form =
            g_strdup_printf(".*(?<!unsigned )\\b((?:unsigned )?\\w+) %s [;=]", uses[1]);
        g_strfreev(parts);
        parts = g_regex_split_simple(form, uses[0], G_REGEX_RAW, 0);
    }
    of->is_pointer = true;
    of->is_const = !is_surface || !adopt_is_given(a, of->name, "surf1Dwrite", "surf2Dwrite");
    const bool is_known = parts[0] && parts[1] && directives_find_type(parts[1]) >= 0;
    g_strlcpy(of->type, is_known ? parts[1] : "float", sizeof of->type);
}

// Replaces a name of the file's own by the type that it stands for: real of `typedef float real;`.
static void resolve_type(const struct adopter *a, char type[SIGNATURE_NAME])
{
    enum { MOST = 3 };
    for (int i = 0; i < MOST && directives_is_identifier(type); i++) {
        if (directives_find_type(type) >= 0) return;
        g_autofree char *form = g_strdup_printf(
            "(?|\\btypedef ((?:\\w+ ){1,4}?)%s ;|\\busing %s = ((?:\\w+ ){1,4});|#define "
            "%s ((?:\\w+ )??\\w+) "
            "|\\btypedef enum (?:\\w+ )?\\{[^{}]{0,1000}+\\} %s ;"
            "|\\benum (?:(?:class|struct) )?%s (?:: ((?:\\w+ ){1,4}))?\\{)",
            type, type, type, type, type);
        g_auto(GStrv) parts = g_regex_split_simple(form, a->code->str, G_REGEX_RAW, 0);
        if (!parts[0] || !parts[1]) return;
        const bool is_enum = !parts[2] || strlen(parts[1]) >= SIGNATURE_NAME;
        g_strlcpy(type, is_enum ? "int" : g_strstrip(parts[1]), SIGNATURE_NAME);
    }
}

// Finds what main's launch gives to a template: map<float, 16><<<…>>>(…), or a functor.
static void choose_parameters(const struct adopter *a, struct adopt_kernel *k, GArray *constants)
{
    struct signature *const s = &k->signature;
    g_autofree char *form = g_strdup_printf(
        "\\b%s (?:< ([^;<>]{0,200}?) > )?< < < (?>[^;]{0,300}?> > > )\\( ([^;]{0,1000}+);",
        s->name);
    g_auto(GStrv) launch = g_regex_split_simple(form, a->code->str, G_REGEX_RAW, 0);
    g_auto(GStrv) given = g_strsplit(launch[0] && launch[1] ? launch[1] : "", ",", -1);
    g_auto(GStrv) parts = g_strsplit(s->parameters, ",", -1);
    for (int n = 0, count = (int)g_strv_length(given); parts[n] && n < ADOPT_MAX_CHOSEN; n++) {
        struct signature members;
        g_auto(GStrv) sides = g_strsplit(parts[n], "=", 2);
        const char *const name = strrchr(g_strstrip(sides[0]), ' '),
                          *value = launch[0] && launch[1] ? launch[2] : "";
        const bool is_type = g_regex_match_simple("^(typename|class)\\b", sides[0], 0, 0);
        char *const own = n < count ? g_strstrip(given[n]) : "", *const to = k->chosen[n];
        struct adopt_constant c = {.is_whole = true};
        if (!name) continue;
        if (!is_type) c.value = evaluate(*own ? own : sides[1] ? sides[1] : "", constants);
        g_autofree char *one_of = g_strdup_printf("\\benum [^{};]*\\{[^{}]* %s [,=}]", own);
        const bool is_enum = directives_is_identifier(own) &&
                             g_regex_match_simple(one_of, a->code->str, G_REGEX_RAW, 0);
        if (is_type
                ? directives_find_type(own) >= 0
                : is_enum || g_regex_match_simple("^(true|false|\\w+( : : \\w+)+)$", own, 0, 0)) {
            g_auto(GStrv) words = g_strsplit(own, " : : ", -1);
            g_autofree char *whole = g_strjoinv("::", words);
            g_strlcpy(to, whole, SIGNATURE_NAME);
        } else if (*own && c.value > 0) {
            g_snprintf(to, SIGNATURE_NAME, "%.0f", c.value);
        }
        if (c.value > 0 && g_strlcpy(c.name, name + 1, sizeof c.name) < sizeof c.name)
            g_array_append_val(constants, c);
        for (int i = 0; is_type && i < s->argument_count; i++) {
            struct signature_argument *const of = &s->arguments[i];
            const char *const end = directives_comma(value);
            g_auto(GStrv) word = text_match("\\s*(\\w+) [({].*", value);  // Plus(), or Plus{}
            const bool is_it = !strcmp(of->type, name + 1);
            if (is_it && !*to && !of->is_pointer && word &&
                signature_read_members(&members, a->code->str, word[0]))
                g_strlcpy(to, word[0], SIGNATURE_NAME);
            if (is_it && *to) g_strlcpy(of->type, to, sizeof of->type);
            value = *end ? end + 1 : end;
        }
    }
}

bool adopt_read_head(struct adopter *a, struct adopt_kernel *k, const struct c_item *item,
                     GArray *constants)
{
    struct signature *const s = &k->signature;
    if (!signature_read(&k->signature, item) || strpbrk(s->parameters, ".<"))
        return adopt_leave_out(a, "%.*s is left out: its head cannot be read",
                               (int)item->name_length, item->name);
    for (int i = 0; i < a->kernel_count; i++)
        if (!strcmp(a->kernels[i]->signature.name, s->name))
            return adopt_leave_out(a, "%s is left out where it stands again", s->name);
    if (*s->parameters) choose_parameters(a, k, constants);
    for (int i = 0; i < s->argument_count; i++) {
        struct signature members;
        resolve_type(a, s->arguments[i].type);
        read_texture(a, &s->arguments[i]);
        struct signature_argument of = s->arguments[i];
        const bool is_number = directives_find_type(of.type) >= 0 &&
                               !g_ascii_isdigit(of.type[strlen(of.type) - 1]);  // as in float2
        const bool is_struct =
            !of.is_pointer && !is_number && signature_read_members(&members, a->code->str, of.type);
        const int more = is_struct ? members.argument_count - 1 : 0;
        if (is_struct && s->argument_count + more <= SIGNATURE_MAX_ARGUMENTS) {
            // Each member becomes an argument, A.width.
            memmove(&s->arguments[i] + 1 + more, &s->arguments[i] + 1,
                    sizeof of * (size_t)(s->argument_count - i - 1));
            s->argument_count += more;
            if (more < 0 && i-- >= 0) continue;  // a functor without members
            for (int n = 0; n <= more; n++) {
                s->arguments[i + n] = members.arguments[n];
                g_snprintf(s->arguments[i + n].name, sizeof of.name, "%.31s.%.31s", of.name,
                           members.arguments[n].name);
            }
            of = s->arguments[i];
        }
        g_strdelimit(of.name, ".", '_');
        if ((k->numbers[i] = take_argument(a, k, &of)) < 0) return false;
        k->arguments |= 1u << k->numbers[i];
    }
    g_autofree char *lower = g_ascii_strdown(k->signature.name, -1);
    bool is_free = true;
    g_snprintf(k->variant, sizeof k->variant, "%s%.27s", *lower == '_' ? "k" : "", lower);
    for (int i = 0; i < a->kernel_count; i++)
        is_free &= strcmp(a->kernels[i]->variant, k->variant) != 0;
    if (!is_free)
        g_snprintf(k->variant, sizeof k->variant, "k%d_%.26s", a->kernel_count + 1, lower);
    return true;
}

void adopt_give(struct adopt_kernel *k, bool is_flat)
{
    g_autoptr(GString) given = g_string_new(NULL);
    g_auto(GStrv) parts = g_strsplit(k->signature.parameters, ",", -1);
    for (char **part = parts; *part; part++) {
        const char *const own = strchr(*part, '='), *const chosen =
                                                        part - parts < (int)G_N_ELEMENTS(k->chosen)
                                                            ? k->chosen[part - parts]
                                                            : "";
        if (*chosen) {
            g_string_append_printf(given, "%s%s", given->len ? ", " : "", chosen);
            continue;
        }
        if (own) {  // a type would be deduced from what stands for a pointer, which it cannot be
            bool has_type = false;
            for (char **later = part; *later; later++)
                has_type |= g_regex_match_simple("^\\s*(typename|class)\\b", *later, 0, 0);
            g_autofree char *value = g_strstrip(g_strdup(own + 1));
            if (!has_type || !g_regex_match_simple("^\\w+$", value, 0, 0)) break;
            g_string_append_printf(given, "%s%s", given->len ? ", " : "", value);
            continue;
        }
        const bool is_block = g_regex_match_simple("block|tile|thread", *part, G_REGEX_CASELESS, 0);
        const bool is_type = g_regex_match_simple("^\\s*(typename|class)\\b", *part, 0, 0);
        g_string_append_printf(given, "%s%s", given->len ? ", " : "",
                               is_type                 ? "float"
                               : strstr(*part, "bool") ? "true"
                               : is_block && is_flat   ? "256"
                                                       : "16");
        k->is_fixed |= is_block && !is_type;
    }
    if (*parts) g_snprintf(k->given, sizeof k->given, "<%s>", given->str);
}

// ---- the file's numbers ----

GArray *adopt_find_constants(struct adopter *a, const char *source)
{
    static const char numbers[] = "(?|#[ \\t]*define[ \\t]+(\\w+)[ \\t]+([^\\n/]{1,80})|"
                                  "\\b(\\w+) *= *([^=;,\\n]{1,80})[;,])";
    enum { MOST = 256 };
    GArray *const all = g_array_new(FALSE, FALSE, sizeof(struct adopt_constant));
    GMatchInfo *match;
    g_autoptr(GRegex) regex = g_regex_new(numbers, G_REGEX_RAW, 0, NULL);
    g_regex_match(regex, source, 0, &match);
    for (; all->len < MOST && g_match_info_matches(match); g_match_info_next(match, NULL)) {
        g_autofree char *name = g_match_info_fetch(match, 1), *text = g_match_info_fetch(match, 2);
        struct adopt_constant c = {.value = evaluate_real(text, all)};
        c.is_whole = c.value == floor(c.value) && !strchr(text, '.');
        if (c.value != 0 && g_strlcpy(c.name, name, sizeof c.name) < sizeof c.name)
            g_array_append_val(all, c);
    }
    if (g_match_info_matches(match))
        adopt_guess(a, "only the first %d numbers with a name are looked at", MOST);
    g_match_info_free(match);
    return all;
}

int adopt_find_number(const GArray *constants, const struct c_token *body, int count,
                      const char *pattern, int most)
{
    for (guint k = 0; k < constants->len; k++) {
        const struct adopt_constant *const c = &g_array_index(constants, struct adopt_constant, k);
        bool is_used = !body;
        for (int i = 0; i < count && !is_used; i++) is_used = c_token_is(body[i], c->name);
        if (is_used && c->is_whole && c->value >= 1 && c->value <= most &&
            g_regex_match_simple(pattern, c->name, G_REGEX_CASELESS, 0))
            return (int)c->value;
    }
    return 0;
}

// ---- coefficients ----

void adopt_find_coefficients(struct adopter *a, const char *source, const GArray *constants)
{
    static const char arrays[] =
        "\\b__constant__\\s+(?:const\\s+)?((?:unsigned\\s+)?\\w+)\\s+(\\w+)\\s*"
        "\\[([^\\]]{1,60})\\]\\s*(?:\\[([^\\]]{1,60})\\]\\s*)?;";
    enum { MOST_BYTES = 65536 };
    GMatchInfo *match;
    g_autoptr(GRegex) regex = g_regex_new(arrays, G_REGEX_RAW, 0, NULL);
    g_regex_match(regex, source, 0, &match);
    for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
        g_autofree char *type = g_match_info_fetch(match, 1), *name = g_match_info_fetch(match, 2);
        g_autofree char *rows = g_match_info_fetch(match, 3), *row = g_match_info_fetch(match, 4);
        const int found = directives_find_type(type);
        const long long count =
            (long long)evaluate(rows, constants) * (row && *row ? evaluate(row, constants) : 1);
        struct adopt_coefficients c = {.count = (int)CLAMP(count, 0, MOST_BYTES)};
        bool is_there = false;
        for (guint i = 0; i < a->coefficients->len; i++)
            is_there |=
                !strcmp(g_array_index(a->coefficients, struct adopt_coefficients, i).name, name);
        if (is_there) continue;
        if (found < 0 || count < 1 || !directives_is_identifier(name) ||
            count * (long long)array_types[found].bytes > MOST_BYTES ||
            g_strlcpy(c.name, name, sizeof c.name) >= sizeof c.name) {
            adopt_guess(a, "%s stays as it begins: no note can fill it", name);
            continue;
        }
        c.type = array_types[found].name;
        g_array_append_val(a->coefficients, c);
    }
    g_match_info_free(match);
}

void adopt_find_sums(struct adopter *a, struct adopt_kernel *k, const struct c_token *tokens,
                     int count)
{
    for (guint n = 0; n < a->coefficients->len; n++) {
        struct adopt_coefficients *c =
            &g_array_index(a->coefficients, struct adopt_coefficients, n);
        for (int i = 0; i < count; i++) {
            if (!c_token_is(tokens[i], c->name)) continue;
            c->is_used = true;
            k->taps = MAX(k->taps, c->count);
        }
    }
    for (int i = 0; i + 1 < count; i++) {
        // True for a * b, both with an index, in the value that is added.
        const bool is_sum = c_token_is(tokens[i], "+") && c_token_is(tokens[i + 1], "=");
        for (int at = i; is_sum && at + 3 < count && !c_token_is(tokens[at], ";"); at++)
            k->has_sums |=
                c_token_is(tokens[at], "[") || g_str_has_prefix(tokens[at].start, "__shfl");
        for (int at = i; is_sum && at + 3 < count && !c_token_is(tokens[at], ";"); at++)
            k->has_products |= c_token_is(tokens[at], "]") && c_token_is(tokens[at + 1], "*") &&
                               tokens[at + 2].kind == C_TOKEN_WORD &&
                               c_token_is(tokens[at + 3], "[");
    }
}

// ---- launches, as in scan<<<1, 512>>>(out, in, 512) ----
//
// The patterns' repeats are bounded, and what may stand often in them is not tried again: else the
// time grows with the square of the file's length, or more.

// Reads three sides from "256", "dim3(16, 16)" or the name of such a dim3; 0: it is not known.
static void read_sides(const char *text, const char *code, const GArray *constants, int *sides)
{
    g_autofree char *pattern =
        g_strdup_printf("\\bdim3\\b(?>[^;]{0,300}?\\b%s\\s*(?:=\\s*)?(?:dim3\\s*)?[({])"
                        "([^;]{0,300}?)[)}]\\s*[,;]",
                        text);
    g_auto(GStrv) named = directives_is_identifier(text)
                              ? g_regex_split_simple(pattern, code, G_REGEX_RAW, 0)
                              : g_regex_split_simple("^dim3\\s*[({](.*)[)}]$", text, 0, 0);
    const char *at = named && named[0] && named[1] ? named[1] : text;
    for (int i = 0; i < 3; i++) {
        const char *const end = directives_comma(at);
        g_autofree char *side = g_strndup(at, (gsize)(end - at));
        sides[i] = i && !*at ? 1 : evaluate(side, constants);
        at = *end ? end + 1 : end;
    }
}

void adopt_read_launch(struct adopter *a, struct adopt_kernel *k, const char *source,
                       const GArray *constants)
{
    enum {
        MOST_THREADS = 1024,
        MOST_LAYERS = 64,
        MOST_SHARED = 227 * 1024,
        MOST_LAUNCHED = 1 << 26
    };  // of a block
    g_autofree char *pattern =
        g_strdup_printf("\\b%s\\s*(?:<[^;<>]*>\\s*)?<\\s*<\\s*<(?>([^;]{0,300}?)>\\s*>\\s*>)"
                        "\\s*\\(([^;]{0,1000})\\)\\s*;",
                        k->signature.name);
    g_autofree char *code = c_tokens_blank_comments(source, false);
    g_auto(GStrv) parts = g_regex_split_simple(pattern, code, G_REGEX_RAW, 0);
    if (!parts || g_strv_length(parts) < 3) return;
    const struct signature_argument *const named = k->signature.arguments;
    const char *argument = parts[2];
    for (int i = 0; i < k->signature.argument_count && *argument; i++) {
        struct adopt_argument *const one = &a->arguments[k->numbers[i]];
        const char *const end = directives_comma(argument), *const name = named[i].name;
        const char *const dot = strchr(name, '.');
        const bool is_last = !dot || i + 1 == k->signature.argument_count ||
                             strncmp(named[i + 1].name, name, (size_t)(dot - name) + 1) != 0;
        if (!is_last) continue;  // one argument stands for all members of a struct
        g_autofree char *value = g_strstrip(g_strndup(argument, (gsize)(end - argument)));
        if (!one->is_array && !dot && one->value == 0) one->value = evaluate_real(value, constants);
        argument = *end ? end + 1 : end;
    }
    int grid[3], shared[3], *const block = k->launched_block;
    int *const sides[] = {grid, block, shared};
    const char *at = parts[1];
    for (int i = 0; i < 3; i++) {
        const char *const end = directives_comma(at);
        g_autofree char *part = g_strstrip(g_strndup(at, (gsize)(end - at)));
        read_sides(part, code, constants, sides[i]);
        at = *end ? end + 1 : end;
    }
    long long threads = 1;
    for (int i = 0; i < 3; i++) threads *= MIN(block[i], MOST_THREADS + 1);
    if (threads < 1 || threads > MOST_THREADS || block[2] > MOST_LAYERS)
        block[0] = 0;
    else if (k->shared)
        k->shared = MAX(k->shared, (int)((MIN(shared[0], MOST_SHARED) + threads - 1) / threads));
    for (int i = 0; i < 2; i++)
        k->launched[i] = (int)MIN((long long)grid[i] * block[i], MOST_LAUNCHED);
}
