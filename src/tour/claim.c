#include "tour/claim.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

static const double ABOUT_PERCENT = 10;  // where it is not said

// Longer ones first: "<=" begins with "<". The last of a relation is how it is shown.
static const struct {
    const char *written;
    enum claim_relation relation;
} relations[] = {
    {"<=", CLAIM_AT_MOST}, {"≤", CLAIM_AT_MOST}, {">=", CLAIM_AT_LEAST}, {"≥", CLAIM_AT_LEAST},
    {"<", CLAIM_LESS},     {">", CLAIM_MORE},    {"=", CLAIM_EQUAL},     {"≈", CLAIM_ABOUT},
};

// ---- reading ----

struct reader {
    const char *at;
    const struct filter_list *filters;
    struct error *err;
};

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

// A decimal number, without the words that strtod knows, too. False: there is none; it is 1.
static bool read_number(struct reader *r, double *number)
{
    const size_t length = strspn(r->at, "0123456789.");
    g_autofree char *digits = g_strndup(r->at, length);
    char *end;
    *number = g_ascii_strtod(digits, &end);
    const bool is_good = length && end == digits + length;
    if (is_good) r->at += length;
    if (!is_good) *number = 1;
    return is_good;
}

// NUMBER, {FIGURE}, NUMBER {FIGURE}, NUMBER × {FIGURE}
static bool read_term(struct reader *r, struct claim_term *term)
{
    *term = (struct claim_term){.factor = 1};
    skip_blanks(r);
    const bool has_number = read_number(r, &term->factor);
    skip_blanks(r);
    if (has_number && g_str_has_prefix(r->at, "×")) r->at += strlen("×");
    skip_blanks(r);
    term->has_figure = *r->at == '{';
    if (!term->has_figure)
        return has_number || error_set(r->err,
                                       "a claim is A < B: SENTENCE, where A and B are figures "
                                       "in braces or numbers; '%s' is neither",
                                       r->at);
    const size_t length = strcspn(r->at, "}");
    if (!r->at[length]) return error_set(r->err, "a brace has no partner; {{ and }} are braces");
    g_autofree char *word = g_strndup(r->at + 1, length - 1);
    r->at += length + 1;
    return tour_figure_read(&term->figure, word, r->filters, r->err) &&
           (tour_figure_is_number(&term->figure) ||
            error_set(r->err, "{%s} is no number: a claim compares numbers", word));
}

static bool read_relation(struct reader *r, struct claim *c)
{
    skip_blanks(r);
    for (size_t i = 0; i < G_N_ELEMENTS(relations); i++) {
        if (!g_str_has_prefix(r->at, relations[i].written)) continue;
        r->at += strlen(relations[i].written);
        c->relation = relations[i].relation;
        return true;
    }
    return error_set(r->err, "a claim has <, <=, =, >=, > or ≈ between its figures, not '%s'",
                     r->at);
}

// "within 5 %", behind ≈ only.
static bool read_percent(struct reader *r, struct claim *c)
{
    static const char word[] = "within";
    c->percent = ABOUT_PERCENT;
    skip_blanks(r);
    if (c->relation != CLAIM_ABOUT || !g_str_has_prefix(r->at, word)) return true;
    r->at += strlen(word);
    skip_blanks(r);
    const bool is_good = read_number(r, &c->percent);
    skip_blanks(r);
    if (!is_good || *r->at != '%') return error_set(r->err, "within what? ≈ B within 5 %%: …");
    r->at++;
    return true;
}

bool claim_read(struct claim *c, const char *text, const struct filter_list *filters,
                struct error *err)
{
    struct reader r = {text, filters, err};
    struct claim made = {.percent = 0};
    if (!read_term(&r, &made.left) || !read_relation(&r, &made) || !read_term(&r, &made.right) ||
        !read_percent(&r, &made))
        return false;
    if (!made.left.has_figure && !made.right.has_figure)
        return error_set(err, "a claim has a figure in braces on one side at least");
    skip_blanks(&r);
    const char *sentence = *r.at == ':' ? r.at + 1 : "";
    sentence += strspn(sentence, " \t");
    if (!*sentence) return error_set(err, "a claim ends with a colon and its sentence");
    if (!tour_figure_check(sentence, filters, err)) return false;
    made.sentence = g_strdup(sentence);
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
    text_append(text, size, "%s%s", v->text,
                term->has_figure ? tour_figure_unit(&term->figure, v->text) : "");
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
