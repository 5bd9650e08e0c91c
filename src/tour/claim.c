#include "tour/claim.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

static const double ABOUT_PERCENT = 10;  // where it is not said

// The last one of a relation is how it is shown.
static const struct {
    const char *written;
    enum claim_relation relation;
} relations[] = {
    {"<=", CLAIM_AT_MOST}, {"≤", CLAIM_AT_MOST}, {">=", CLAIM_AT_LEAST}, {"≥", CLAIM_AT_LEAST},
    {"<", CLAIM_LESS},     {">", CLAIM_MORE},    {"=", CLAIM_EQUAL},     {"≈", CLAIM_ABOUT},
};

// ---- reading ----

struct claim_reader {
    const char *at;
    const struct filter_list *filters;
    struct error *err;
};

#define NUMBER "((?:\\d++\\.?+\\d*+|\\.\\d++)(?![\\d.]))"

// The groups of a pattern that matches what comes next, which is passed over with the blanks behind
// it. NULL: something else comes.
static char **take(struct claim_reader *r, const char *pattern)
{
    g_autofree char *with_rest = g_strconcat(pattern, "\\s*((?s).*)", NULL);
    char **parts = text_match(with_rest, r->at);
    if (parts) r->at += strlen(r->at) - strlen(parts[g_strv_length(parts) - 1]);
    return parts;
}

// NUMBER, {FIGURE}, NUMBER {FIGURE}, NUMBER × {FIGURE}
static bool read_term(struct claim_reader *r, struct claim_term *term)
{
    g_auto(GStrv) parts = take(r, "(?:" NUMBER "\\s*(?:×\\s*)?)?(\\{[^}]*\\}?)?");
    if (!parts) return error_set(r->err, "a claim is too long");
    char *const figure = parts[1], *const brace = strchr(figure, '}');
    *term = (struct claim_term){.factor = *parts[0] ? g_ascii_strtod(parts[0], NULL) : 1,
                                .has_figure = *figure};
    if (!*figure)
        return *parts[0] || error_set(r->err,
                                      "a claim is A < B: SENTENCE, where A and B are figures "
                                      "in braces or numbers; '%s' is neither",
                                      r->at);
    if (!brace) return error_set(r->err, "a brace has no partner; {{ and }} are braces");
    *brace = '\0';
    return tour_figure_read(&term->figure, figure + 1, r->filters, r->err) &&
           (tour_figure_is_number(&term->figure) ||
            error_set(r->err, "{%s} is no number: a claim compares numbers", figure + 1));
}

static bool read_relation(struct claim_reader *r, struct claim *c)
{
    g_auto(GStrv) parts = take(r, "([<>]=|[<>=]|≤|≥|≈)");
    if (!parts)
        return error_set(r->err, "a claim has <, <=, =, >=, > or ≈ between its figures, not '%s'",
                         r->at);
    size_t i = 0;
    while (strcmp(relations[i].written, parts[0]) != 0) i++;
    c->relation = relations[i].relation;
    return true;
}

bool claim_read(struct claim *c, const char *text, const struct filter_list *filters,
                struct error *err)
{
    struct claim_reader r = {text, filters, err};
    struct claim made = {.percent = ABOUT_PERCENT};
    if (!read_term(&r, &made.left) || !read_relation(&r, &made) || !read_term(&r, &made.right))
        return false;
    g_auto(GStrv) within =
        made.relation == CLAIM_ABOUT ? take(&r, "within\\s*(?:" NUMBER "\\s*%)?") : NULL;
    if (within && !*within[0]) return error_set(err, "within what? ≈ B within 5 %%: …");
    if (within) made.percent = g_ascii_strtod(within[0], NULL);
    if (!made.left.has_figure && !made.right.has_figure)
        return error_set(err, "a claim has a figure in braces on one side at least");
    g_auto(GStrv) colon = take(&r, ":");
    if (!colon || !*r.at) return error_set(err, "a claim ends with a colon and its sentence");
    if (!tour_figure_check(r.at, filters, err)) return false;
    made.sentence = g_strdup(r.at);
    *c = made;
    return true;
}

void claim_finish(struct claim *c)
{
    g_free(c->sentence);
    *c = (struct claim){0};
}

int claim_figures(const struct claim *c, struct tour_figure *figures, int max)
{
    const struct claim_term *const terms[] = {&c->left, &c->right};
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(terms); i++)
        if (terms[i]->has_figure && count < max) figures[count++] = terms[i]->figure;
    return count + tour_figure_list(c->sentence, figures + count, max - count);
}

bool claim_is_about_time(const struct claim *c)
{
    return (c->left.has_figure && tour_figure_is_time(&c->left.figure)) ||
           (c->right.has_figure && tour_figure_is_time(&c->right.figure));
}

// ---- judging ----

static struct tour_value value_of(const struct claim_term *term, tour_figure_find *find, void *user)
{
    if (term->has_figure) {
        struct tour_value v = find(user, &term->figure);
        v.number *= term->factor;
        v.low *= term->factor;
        v.high *= term->factor;
        return v;
    }
    struct tour_value v = {
        .known = TOUR_KNOWN, .number = term->factor, .low = term->factor, .high = term->factor};
    g_snprintf(v.text, sizeof v.text, "%g", term->factor);
    return v;
}

static enum claim_verdict judge(const struct claim *c, const struct tour_value *a,
                                const struct tour_value *b)
{
    const bool are_whole = a->number == floor(a->number) && b->number == floor(b->number);
    // Numbers that are not whole are compared as they are shown.
    const bool are_apart =
        (a->high < b->low || b->high < a->low) &&
        (are_whole || strcmp(number_three(a->number).text, number_three(b->number).text) != 0);
    const int order = !are_apart ? 0 : a->number < b->number ? -1 : 1;
    const bool is_near = fabs(a->number - b->number) <= c->percent / 100 * fabs(b->number);
    const bool holds[] = {
        [CLAIM_LESS] = order<0, [CLAIM_AT_MOST] = order <= 0, [CLAIM_EQUAL] = order == 0,
                             [CLAIM_AT_LEAST] = order >= 0, [CLAIM_MORE] = order> 0,
        [CLAIM_ABOUT] = is_near,
    };
    if (holds[c->relation]) return CLAIM_HOLDS;
    const bool has_spread = a->low < a->high || b->low < b->high;
    return order == 0 && has_spread ? CLAIM_UNCLEAR : CLAIM_FAILS;
}

// "1.5 × 0.300 ms"
static void append_term(char *text, size_t size, const struct claim_term *term,
                        const struct tour_value *v)
{
    if (term->has_figure && term->factor != 1) text_append(text, size, "%g × ", term->factor);
    text_append(text, size, "%s%s%s", v->text,
                term->has_figure ? tour_figure_unit(&term->figure, v->text) : "",
                v->each ? v->each : "");
}

struct claim_finding claim_judge(const struct claim *c, tour_figure_find *find, void *user,
                                 bool has_gpu_times)
{
    const struct tour_value a = value_of(&c->left, find, user), b = value_of(&c->right, find, user);
    struct claim_finding found = {.verdict = CLAIM_PENDING};
    const char *why = "";
    if (claim_is_about_time(c) && !has_gpu_times) {
        found.verdict = CLAIM_UNKNOWABLE;
        why = "not known without a GPU";
    } else if (a.known == TOUR_NEVER || b.known == TOUR_NEVER) {
        found.verdict = CLAIM_UNKNOWABLE;
        why = a.known == TOUR_NEVER ? a.why : b.why;
    } else if (a.known == TOUR_KNOWN && b.known == TOUR_KNOWN) {
        const bool is_wrong = a.is_wrong || b.is_wrong;
        found.verdict = is_wrong ? CLAIM_FAILS : judge(c, &a, &b);
        const char *sign = NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(relations); i++)
            if (relations[i].relation == c->relation) sign = relations[i].written;
        const size_t size = sizeof found.figures;
        append_term(found.figures, size, &c->left, &a);
        text_append(found.figures, size, found.verdict == CLAIM_HOLDS ? " %s " : ", not %s ", sign);
        append_term(found.figures, size, &c->right, &b);
        if (c->relation == CLAIM_ABOUT)
            text_append(found.figures, size, " within %g %%", c->percent);
        if (is_wrong) why = "the result is wrong";
        if (found.verdict == CLAIM_UNCLEAR) why = "equal within their spread";
    }
    text_copy(found.why, sizeof found.why, why);
    return found;
}

// ---- words ----

const char *claim_mark(enum claim_verdict verdict)
{
    static const char *const marks[] = {
        [CLAIM_PENDING] = "…", [CLAIM_HOLDS] = "✓",      [CLAIM_FAILS] = "✗",
        [CLAIM_UNCLEAR] = "≈", [CLAIM_UNKNOWABLE] = "–",
    };
    return marks[verdict];
}

char *claim_write(const struct claim *c, const struct claim_finding *found, tour_figure_find *find,
                  void *user)
{
    g_autofree char *sentence = tour_figure_fill(c->sentence, find, user);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s %s", claim_mark(found->verdict), sentence);
    if (*found->figures) g_string_append_printf(text, ": %s", found->figures);
    if (*found->why) g_string_append_printf(text, " (%s)", found->why);
    return g_string_free(text, FALSE);
}
