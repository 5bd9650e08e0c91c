#include "filter/adopt_body.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOKENS = 8192, MAX_STEPS = 2, MAX_INDEXES = 16 };

// ---- tokens ----

static bool is(const struct adopt_body *b, int i, const char *text)
{
    return i >= 0 && i < b->count && c_token_is(b->tokens[i], text);
}

static bool is_mark(const struct adopt_body *b, int i, const char *marks)
{
    return i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_MARK &&
           strchr(marks, *b->tokens[i].start);
}

static bool is_word(const struct adopt_body *b, int i)
{
    return i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_WORD;
}

static bool is_variable(const struct adopt_body *b, int i, const char *name)
{
    return is(b, i, name) && !is(b, i - 1, ".");
}

// The mark that closes the one at i.
static int closing(const struct adopt_body *b, int i)
{
    for (int depth = 0; i < b->count; i++) {
        depth += is_mark(b, i, "([{") - is_mark(b, i, ")]}");
        if (depth <= 0) break;
    }
    return i;
}

// The end of an expression from i on: a mark that closes more than it opens, or ends it.
static int expression_end(const struct adopt_body *b, int i, const char *ends)
{
    for (; i < b->count && !is_mark(b, i, ends) && !is_mark(b, i, ")]}"); i++)
        if (is_mark(b, i, "([{")) i = closing(b, i);
    return MIN(i, b->count);
}

// The argument that is no pointer and has the token's name; -1: there is none.
static int find_int(const struct adopt_body *b, int i)
{
    const struct signature *const s = b->signature;
    for (int k = 0; is_word(b, i) && k < s->argument_count; k++)
        if (!s->arguments[k].is_pointer && *s->arguments[k].name &&
            is_variable(b, i, s->arguments[k].name))
            return b->numbers[k];
    return -1;
}

// Where a variable of the token's name is defined: behind its first =, up to the end of that.
static bool find_definition(const struct adopt_body *b, int word, int *from, int *to)
{
    char name[SIGNATURE_NAME];
    if (!is_word(b, word) || is(b, word - 1, ".") || b->tokens[word].length >= sizeof name)
        return false;
    g_snprintf(name, sizeof name, "%.*s", (int)b->tokens[word].length, b->tokens[word].start);
    for (int i = 0; i + 1 < b->count; i++) {
        if (!is_variable(b, i, name) || !is(b, i + 1, "=") || is(b, i + 2, "=")) continue;
        *from = i + 2;
        *to = expression_end(b, i + 2, ";,");
        return *from > word || *to <= word;  // else it is its own
    }
    return false;
}

// ---- what is compared ----

static unsigned int find_axes(const struct adopt_body *b, int from, int to, int steps)
{
    static const struct {
        const char *word, *member;
        unsigned int axis;
    } known[] = {{"threadIdx", "x", ADOPT_THREAD_X}, {"blockIdx", "x", ADOPT_BLOCK_X},
                 {"threadIdx", "y", ADOPT_THREAD_Y}, {"blockIdx", "y", ADOPT_BLOCK_Y},
                 {"threadIdx", "z", ADOPT_Z},        {"blockIdx", "z", ADOPT_Z}};
    unsigned int axes = 0;
    for (int i = from; i < to; i++) {
        int first, last;
        for (size_t k = 0; k < G_N_ELEMENTS(known); k++)
            if (is(b, i, known[k].word) && is(b, i + 2, known[k].member)) axes |= known[k].axis;
        if (steps && find_definition(b, i, &first, &last))
            axes |= find_axes(b, first, last, steps - 1);
    }
    return axes;
}

// `x < n` or `n > x`, where n is the token i.
static void read_bound(struct adopt_body *b, int i, int argument)
{
    const int sign = is(b, i - 1, "=") ? i - 2 : i - 1;
    struct adopt_bound bound = {.argument = argument, .is_quotient = is(b, i + 1, "/")};
    if (is_mark(b, sign, "<>") && !is_mark(b, sign - 1, "<>-")) {
        bound.from = bound.to = sign;
        while (bound.from > 0 && !is_mark(b, bound.from - 1, "(&|;,{}?=")) bound.from--;
    } else if (is_mark(b, i - 1, "(&|;") && is_mark(b, i + 1, "<>") && !is_mark(b, i + 2, "<>")) {
        bound.from = is(b, i + 2, "=") ? i + 3 : i + 2;
        bound.to = expression_end(b, bound.from, "&|;,?");
    } else {
        return;
    }
    if (bound.from >= bound.to || b->bound_count == ADOPT_MAX_BOUNDS) return;
    bound.axes = find_axes(b, bound.from, bound.to, MAX_STEPS);
    b->bounds[b->bound_count++] = bound;
}

void adopt_body_read(struct adopt_body *b, const struct signature *s, const int *numbers,
                     const struct c_item *item)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct c_token));
    struct c_tokens tokens = c_tokens_of(item->head);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind && all->len < MAX_TOKENS;) {
        if (token.start >= item->start + item->length) break;
        if (token.kind != C_TOKEN_COMMENT && !token.is_directive) g_array_append_val(all, token);
    }
    *b = (struct adopt_body){.signature = s, .numbers = numbers, .count = (int)all->len};
    b->tokens = (struct c_token *)(void *)g_array_free(all, FALSE);
    b->axes = find_axes(b, 0, b->count, 0);
    unsigned int declared = 0;
    for (int i = 0; i < b->count; i++) {
        const int argument = find_int(b, i);
        if (is(b, i, "blockIdx") && is(b, i + 2, "x"))
            b->has_wide_blocks |= (is(b, i - 1, "*") && find_int(b, i - 2) < 0) ||
                                  (is(b, i + 3, "*") && find_int(b, i + 4) < 0);
        if (argument < 0) continue;
        b->used |= declared & 1u << argument;
        declared |= 1u << argument;
        read_bound(b, i, argument);
        if (is(b, i - 1, "-") && is_mark(b, i - 2, "=(,")) b->negated |= 1u << argument;
    }
}

void adopt_body_finish(struct adopt_body *b)
{
    g_free(b->tokens);
    *b = (struct adopt_body){.count = 0};
}

bool adopt_body_has(const struct adopt_body *b, const char *word)
{
    int i = 0;
    while (i < b->count && !is(b, i, word)) i++;
    return i < b->count;
}

// ---- what is written ----

// True if the two marks at i are one sign, such as ++.
static bool is_double(const struct adopt_body *b, int i, const char *marks)
{
    return is_mark(b, i, marks) && is_mark(b, i + 1, marks) &&
           *b->tokens[i].start == *b->tokens[i + 1].start &&
           b->tokens[i].start + 1 == b->tokens[i + 1].start;
}

// What stands from i on, behind a name, takes an index or a member, and then a value.
static bool is_assigned(const struct adopt_body *b, int i)
{
    const int first = i;
    for (;; i++)
        if (is(b, i, "["))
            i = closing(b, i);
        else if (is(b, i, "."))
            i++;
        else if (!is(b, i, ")"))
            break;
    if (is_double(b, i, "+-")) return i > first && !is(b, i - 1, ")");
    if (is(b, i, "=")) return !is(b, i + 1, "=");
    return is_mark(b, i, "+-*/%&|^") ? is(b, i + 1, "=")
                                     : is_double(b, i, "<>") && is(b, i + 2, "=");
}

// The call of a function that stores through its argument at i: atomicAdd(&a[0], 1).
static bool is_stored_by_call(const struct adopt_body *b, int i)
{
    while (is_mark(b, i - 1, "&*)") || (is(b, i - 1, "(") && !is_word(b, i - 2))) i--;
    if (!is(b, i - 1, "(") || !is_word(b, i - 2)) return false;
    const char *const function = b->tokens[i - 2].start;
    return g_str_has_prefix(function, "atomic") || g_str_has_prefix(function, "__st");
}

// The pointer that is set to what the name at i points to, perhaps behind a cast; -1: none is.
static int find_alias(const struct adopt_body *b, int i)
{
    if (is_mark(b, i + 1, "[") && !is(b, i - 1, "&")) return -1;
    int at = i - 1;
    for (int steps = 0; steps < 12 && (is_mark(b, at, "&()*<>") || is_word(b, at)); steps++) at--;
    const bool is_pointer = is(b, at - 2, "*") || is(b, at - 2, "auto") ||
                            is(b, at - 2, "__restrict__") || is(b, at - 2, "__restrict");
    return is(b, at, "=") && is_word(b, at - 1) && is_pointer ? at - 1 : -1;
}

static bool is_written_at(const struct adopt_body *b, int i)
{
    const bool is_alone = is_mark(b, i + 1, "=+-*/%&|^");  // else it is the pointer that is set
    if (is(b, i + 1, "[") && is_assigned(b, i + 1)) return true;
    if (is(b, i - 1, "*") && is_mark(b, i - 2, ";{})") && is_alone && is_assigned(b, i + 1))
        return true;
    if (is(b, i - 1, "(") && is(b, i - 2, "*") && is(b, i + 1, "+"))
        return is_assigned(b, closing(b, i - 1) + 1);
    return is_double(b, i - 2, "+-") || is_stored_by_call(b, i);
}

// ---- indexes ----

static bool is_factor(const struct adopt_body *b, int i)
{
    const bool is_behind = is(b, i - 1, "*") && (is_word(b, i - 2) || is(b, i - 2, ")"));
    const bool is_before =
        is(b, i + 1, "*") && (is(b, i + 2, "(") || (is_word(b, i + 2) && !is_mark(b, i + 3, "([")));
    return is_behind || is_before || is(b, i - 1, "%") || is(b, i - 1, "/");
}

static void read_index(const struct adopt_body *b, int from, int to, int steps, struct adopt_use *x)
{
    for (int i = from; i < to; i++) {
        const int argument = find_int(b, i);
        int first, last;
        if (argument >= 0 && is_factor(b, i)) x->factors |= 1u << argument;
        if (!is_word(b, i) || is(b, i - 1, ".") || is(b, i + 1, ".")) continue;
        for (int k = 0; k < b->bound_count; k++)
            for (int at = b->bounds[k].from; at < b->bounds[k].to; at++)
                if (b->tokens[at].kind == C_TOKEN_WORD &&
                    b->tokens[at].length == b->tokens[i].length &&
                    !strncmp(b->tokens[at].start, b->tokens[i].start, b->tokens[i].length))
                    x->bounds |= 1u << b->bounds[k].argument;
        if (steps && argument < 0 && find_definition(b, i, &first, &last))
            read_index(b, first, last, steps - 1, x);
    }
}

static void add_use(const struct adopt_body *b, const char *array, int steps, struct adopt_use *use)
{
    for (int i = 0, seen = 0; i < b->count && seen < MAX_INDEXES; i++) {
        if (!is_variable(b, i, array)) continue;
        const bool has_index = is(b, i + 1, "["), is_written = is_written_at(b, i);
        const int end = has_index ? closing(b, i + 1) : i + 1;
        use->is_written |= is_written;
        use->is_read |= has_index && (!is_written || !is(b, end + 1, "="));
        if (has_index)
            read_index(b, i + 2, end, MAX_STEPS, use);
        else if (is(b, i + 1, "+"))
            read_index(b, i + 2, expression_end(b, i + 2, ";,"), MAX_STEPS, use);
        const int alias = steps ? find_alias(b, i) : -1;
        if (alias < 0) continue;
        char *name = g_strndup(b->tokens[alias].start, b->tokens[alias].length);
        if (strcmp(name, array) != 0) add_use(b, name, steps - 1, use);
        g_free(name);
        seen++;
    }
}

struct adopt_use adopt_body_find_use(const struct adopt_body *b, const char *array)
{
    struct adopt_use use = {.factors = 0};
    add_use(b, array, MAX_STEPS, &use);
    use.bounds &= ~b->negated;
    return use;
}

// ---- constants ----

void adopt_constants_find(struct adopt_constants *c, const char *text)
{
    struct c_tokens tokens = c_tokens_of(text);
    struct c_token name = {.kind = C_TOKEN_END}, before = name, token;
    bool is_constant = false;
    c->count = 0;
    while ((token = c_tokens_next(&tokens)).kind && c->count < ADOPT_MAX_CONSTANTS) {
        if (token.kind == C_TOKEN_COMMENT) continue;
        const bool is_defined = token.is_directive && before.kind == C_TOKEN_WORD &&
                                name.kind == C_TOKEN_DIRECTIVE &&
                                g_str_has_prefix(name.start, "#define");
        const bool is_set = is_constant && c_token_is(before, "=") && name.kind == C_TOKEN_WORD;
        if (token.kind == C_TOKEN_NUMBER && (is_defined || is_set)) {
            const struct c_token of = is_defined ? before : name;
            c->list[c->count++] = (struct adopt_constant){of.start, of.length, atoi(token.start)};
        }
        is_constant |= c_token_is(token, "const") || c_token_is(token, "constexpr") ||
                       c_token_is(token, "enum");
        is_constant &= !c_token_is(token, ";") && !c_token_is(token, ")");
        name = before;
        before = token;
    }
}
