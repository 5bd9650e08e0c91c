// By how much a value grows from each thread of a strip to the next. This holds for sums of whole
// numbers: one that is not whole is rounded when the sum becomes an int.
#include <stdlib.h>

#include "device/cpu/rewrite_parts.h"

static const char *const casts[] = {"int", "long", "unsigned", "size_t", NULL};

static struct range trim(const struct rewriter *r, struct range range)
{
    while (range.to > range.from && rewrite_is(r, range.from, "(") &&
           rewrite_behind(r, range.from, range.to) == range.to) {
        range.from++;
        range.to--;
    }
    return range;
}

// The whole number that a word is; 0: it is none.
static long literal_at(const struct rewriter *r, guint i)
{
    g_autofree char *text = g_strndup(rewrite_word(r, i)->text, rewrite_word(r, i)->length);
    char *end = text;
    const long value = strtol(text, &end, 0);
    return end[strspn(end, "uUlL")] ? 0 : value;
}

// True if the words may be an address, which grows by its target's size.
static bool may_be_address(const struct rewriter *r, struct range range)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        if (w->var >= 0
                ? rewrite_var(r, w->var)->is_pointer || rewrite_var(r, w->var)->is_picture ||
                      rewrite_is_array(rewrite_var(r, w->var))
                : rewrite_is_name(r, i) && !rewrite_is(r, i - 1, ".") &&
                      !rewrite_is_any(r, i, rewrite_places) && !rewrite_is_any(r, i, casts) &&
                      !rewrite_function(r, i))
            return true;
    }
    return false;
}

static int step_of_sum(const struct rewriter *r, struct range range);

static int step_of_name(const struct rewriter *r, guint i)
{
    const struct word *const w = rewrite_word(r, i);
    if (w->exchange >= 0) return NOT_LINEAR;
    if (w->var >= 0) {
        const struct var *const v = rewrite_var(r, w->var);
        return v->kind == VAR_UNIFORM ? 0 : v->kind == VAR_ROW ? v->step : NOT_LINEAR;
    }
    if (rewrite_is(r, i, "threadIdx")) return rewrite_is(r, i + 2, "x") ? 1 : 0;
    const struct function *const f = rewrite_function(r, i);
    return f && f->facts & (USES_THREAD | HAS_EFFECT) ? NOT_LINEAR : 0;
}

// A term without + and -, or what is in parentheses.
static int step_of_term(const struct rewriter *r, struct range range)
{
    if (range.from >= range.to) return NOT_LINEAR;
    const struct range inner = trim(r, range);
    if (inner.from != range.from) return step_of_sum(r, inner);
    if (rewrite_is(r, range.from, "(")) {
        const guint behind = rewrite_behind(r, range.from, range.to);
        bool is_cast = behind < range.to;
        for (guint i = range.from + 1; i + 1 < behind; i++) is_cast &= rewrite_is_any(r, i, casts);
        if (is_cast) {
            const struct range value = {behind, range.to};
            const int step = step_of_term(r, value);
            return step && may_be_address(r, value) ? NOT_LINEAR : step;
        }
    }
    if (range.to == range.from + (rewrite_is(r, range.from, "threadIdx") ? 3 : 1))
        return step_of_name(r, range.from);
    const struct function *const f =
        rewrite_word(r, range.from)->var < 0 ? rewrite_function(r, range.from) : NULL;
    if (f && f->is_rank && range.to == range.from + 3) return 1;
    // literal * term, and term * literal
    for (guint i = range.from + 1; i + 1 < range.to; i++) {
        if (!rewrite_is(r, i, "*")) continue;
        const struct range left = {range.from, i}, right = {i + 1, range.to};
        for (int side = 0; side < 2; side++) {
            const struct range literal = side ? right : left, other = side ? left : right;
            const long value = literal_at(r, literal.from);
            if (literal.to != literal.from + 1 || value < 1 || value > 64) continue;
            const int step = step_of_term(r, other);
            if (step != NOT_LINEAR) return (int)value * step;
        }
    }
    // Anything whose parts are uniform or alike in a strip.
    for (guint i = range.from; i < range.to; i++)
        if (step_of_name(r, i) != 0) return NOT_LINEAR;
    return rewrite_is_pure(r, range) ? 0 : NOT_LINEAR;
}

static int step_of_sum(const struct rewriter *r, struct range range)
{
    int step = 0, sign = 1;
    guint from = range.from;
    for (guint i = range.from; i <= range.to;) {
        const bool is_end = i == range.to;
        const bool is_sign = !is_end && (rewrite_is(r, i, "+") || rewrite_is(r, i, "-"));
        // Below + and - in precedence: no sum.
        if (!is_end && strchr("<>=?:&|^!~,", *rewrite_word(r, i)->text) &&
            *rewrite_word(r, i)->text)
            return step_of_term(r, range);
        if (is_end || (is_sign && i > from && rewrite_is_operand(r, i - 1))) {
            const int one = step_of_term(r, (struct range){from, i});
            if (one == NOT_LINEAR) return NOT_LINEAR;
            step += sign * one;
            if (is_end) break;
            sign = rewrite_is(r, i, "-") ? -1 : 1;
            from = i + 1;
        } else if (is_sign && i == from) {
            if (rewrite_is(r, i, "-")) sign = -sign;
            from = i + 1;
        }
        i = rewrite_is(r, i, "(") || rewrite_is(r, i, "[") ? rewrite_behind(r, i, range.to) : i + 1;
    }
    return step;
}

// ---- whole numbers ----

// Asked of each word: compiling a pattern would take longer than all the rest.
static const char *const reals[] = {"auto", "float", "double", "half", NULL};

static bool has_real(const char *type)
{
    for (const char *const *word = reals; type && *word; word++)
        if (strstr(type, *word)) return true;
    return false;
}

// True if lanes differ in it.
static bool varies(const struct rewriter *r, struct range range)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct function *const f = w->var < 0 ? rewrite_function(r, i) : NULL;
        if (w->var >= 0 ? rewrite_var(r, w->var)->kind != VAR_UNIFORM
                        : (rewrite_is(r, i, "threadIdx") && rewrite_is(r, i + 2, "x")) ||
                              (f && f->facts & USES_THREAD))
            return true;
    }
    return false;
}

static bool is_real_type(const struct rewriter *r, const struct var *v)
{
    const unsigned facts = rewrite_type_facts(r, v, MAY_BE_REAL);
    if (v->is_pointer) return false;
    return v->is_real || has_real(v->type) ||
           (facts & MAY_BE_REAL &&
            !(v->type && g_regex_match_simple("^(dim3|u?int\\w+)$", v->type, 0, 0)));
}

// False if a word may stand for a number that is not whole, or for several words that bind less
// than what is around them.
static bool is_whole(const struct rewriter *r, guint i)
{
    static const char *const known[] = {"min", "max", "abs", "sizeof", NULL};
    const struct word *const w = rewrite_word(r, i);
    const struct function *const f = w->var < 0 ? rewrite_function(r, i) : NULL;
    g_autofree char *text = g_strndup(w->text, w->length);
    if (w->var >= 0) return !is_real_type(r, rewrite_var(r, w->var));
    if (i > 0 && rewrite_is(r, i - 1, ".")) return true;
    if (g_ascii_isdigit(text[*text == '.']))
        return !strpbrk(text, g_str_has_prefix(text, "0x") ? "." : ".eEfF");
    if (!f)
        return (!rewrite_is_any(r, i, reals + 1) || rewrite_is(r, i + 1, "*")) &&
               (!rewrite_is(r, i + 1, "(") || !rewrite_is_name(r, i) ||
                rewrite_is_any(r, i, known));
    if (f->facts & MAY_BE_REAL || f->item->kind != C_ITEM_MACRO) return !(f->facts & MAY_BE_REAL);
    struct c_tokens tokens = c_tokens_of(f->item->name_length ? rewrite_macro_body(f->item) : "");
    const struct c_token first = c_tokens_next_code(&tokens), second = c_tokens_next_code(&tokens);
    return c_token_is(first, "(") || !second.kind || second.start >= f->end;
}

// ---- what may wrap ----

enum { IS_SIGNED = 1, IS_UNSIGNED = 2, IS_WIDE = 4 };  // wide: of 64 bits

static int type_of(const char *type)
{
    if (!type) return IS_SIGNED;
    if (strchr(type, '*') || strstr(type, "long") || strstr(type, "size_t") || strstr(type, "64"))
        return IS_WIDE;
    return strstr(type, "unsigned") || strstr(type, "uint") ? IS_UNSIGNED : IS_SIGNED;
}

static int types_in(const struct rewriter *r, struct range range);

// An unsigned number may have passed below 0.
static int types_of_var(const struct rewriter *r, guint i)
{
    const struct var *const v = rewrite_var(r, rewrite_word(r, i)->var);
    if (v->is_pointer || rewrite_is_array(v) || rewrite_is(r, i + 2, "pixels")) return IS_WIDE;
    const int type = type_of(v->type);
    const int init = type == IS_UNSIGNED ? types_in(r, v->init) : 0;
    const bool is_row = v->kind == VAR_ROW,
               may_be_below = type == IS_UNSIGNED &&
                              (is_row ? v->is_changed || init == (IS_SIGNED | IS_UNSIGNED)
                                      : (init & IS_SIGNED) != 0);
    return may_be_below ? IS_SIGNED | IS_UNSIGNED : type;
}

// Which types of numbers are in a range.
static int types_in(const struct rewriter *r, struct range range)
{
    int types = 0;
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct var *const v = w->var >= 0 ? rewrite_var(r, w->var) : NULL;
        const struct function *const f = v ? NULL : rewrite_function(r, i);
        g_autofree char *text = g_strndup(w->text, w->length);
        if (i > range.from && rewrite_is(r, i - 1, "."))
            continue;
        else if (v)
            types |= types_of_var(r, i);
        else if (rewrite_is_any(r, i, rewrite_places))
            types |= IS_UNSIGNED;
        else if (f && f->item->kind == C_ITEM_FUNCTION)
            types |= g_strstr_len(f->item->head, f->item->name - f->item->head, "unsigned")
                         ? IS_UNSIGNED
                         : IS_SIGNED;
        else if (g_ascii_isdigit(*text))
            types |= strpbrk(text, "lL")             ? IS_WIDE
                     : literal_at(r, i) > G_MAXINT32 ? IS_SIGNED | IS_UNSIGNED
                     : strpbrk(text, "uU")           ? IS_UNSIGNED
                                                     : 0;
        else if (rewrite_tile(r, w->text, w->length))
            types |= IS_WIDE;
        else if (rewrite_is_name(r, i) && !rewrite_is(r, i, "int"))
            types |= type_of(text);
        else if (*text == '-')
            types |= IS_SIGNED;
    }
    return types;
}

// True if unsigned numbers of 32 bits may pass below 0 before they become part of wider ones.
static bool may_wrap(const struct rewriter *r, struct range range, bool is_wide)
{
    const int types = types_in(r, range);
    if (!is_wide && !(types & IS_WIDE)) return false;
    if (!(types & IS_SIGNED) || !(types & IS_UNSIGNED)) return false;
    const guint end = rewrite_find(r, range.from + 1, range.to, "+-");
    if (!(types_in(r, (struct range){range.from, end}) & IS_WIDE)) return true;
    for (guint i = range.from; i < range.to; i++) {
        if (rewrite_word(r, i)->var >= 0 && types_of_var(r, i) == (IS_SIGNED | IS_UNSIGNED))
            return true;
        if (!rewrite_is(r, i, "(")) continue;
        const struct range inner = {i + 1, rewrite_behind(r, i, range.to) - 1};
        if (rewrite_find(r, inner.from, inner.to, "+-") < inner.to && may_wrap(r, inner, true))
            return true;
    }
    return false;
}

bool rewrite_may_wrap(const struct rewriter *r, struct range range, const struct var *v)
{
    return varies(r, range) && may_wrap(r, range, v->is_pointer || type_of(v->type) == IS_WIDE);
}

int rewrite_step(const struct rewriter *r, struct range range)
{
    const int step = range.from < range.to ? step_of_sum(r, trim(r, range)) : NOT_LINEAR;
    if (step == NOT_LINEAR || !varies(r, range)) return step;
    for (guint i = range.from; i < range.to; i++)
        if (!is_whole(r, i)) return NOT_LINEAR;
    return may_wrap(r, range, false) ? NOT_LINEAR : step;
}
