// This file is long because each guess looks at the same tokens and names.
#include "filter/adopt.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "filter/adopt_notes.h"
#include "filter/directives.h"

enum {
    MAX_ITEMS = 2000,
    MAX_TOKENS = 8192,
    MAX_EXPRESSION = 512,
    MAX_STEPS = 3,
    MOST_EACH = 128,
    MOST_ELEMENTS = 1 << 26
};
enum axes { THREAD_X = 1, BLOCK_X = 2, THREAD_Y = 4, BLOCK_Y = 8, THREAD_Z = 16, BLOCK_Z = 32 };
enum { BLOCKS = BLOCK_X | BLOCK_Y | BLOCK_Z };

// A comparison of the tokens up to `to` with an argument, such as `i < n`.
struct bound {
    int argument, from, to;
};

// What is known of a token's name. Each fact is found once: a body may hold very many names.
struct name {
    bool is_compared, is_changed;  // changed: it gets another value than its first
    int first;             // index of the first token of this name, which holds the other facts
    int from;              // where the first value that it is set to begins; 0: none
    int axes[MAX_STEPS];   // 1 more than find_axes() of that value; 0: not yet known
    int indexes, aliases;  // 1 more than the steps with which one array's use of it is read
    int below;             // a number that it is compared with; 0: none
};

// A kernel's body: its tokens without comments and lines with #.
struct body {
    const struct adopt_kernel *kernel;
    const GArray *constants;
    struct c_token *tokens;
    struct name *names;  // one for each token
    int count;
    struct bound bounds[32];
    int bound_count;
    unsigned int guarded;  // params that are a whole bound
    unsigned int negated;  // params that occur as -n, as a radius does
    unsigned int used;     // params that occur at all
};

// ---- tokens ----

static bool is(const struct body *b, int i, const char *text)
{
    return i >= 0 && i < b->count && c_token_is(b->tokens[i], text);
}

static bool is_mark(const struct body *b, int i, const char *marks)
{
    return i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_MARK &&
           strchr(marks, *b->tokens[i].start);
}

static bool is_word(const struct body *b, int i)
{
    return i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_WORD;
}

// True if the marks at i and i + 1 are one sign, such as ++.
static bool is_double(const struct body *b, int i, const char *marks)
{
    return is_mark(b, i, marks) && is_mark(b, i + 1, marks) &&
           *b->tokens[i].start == *b->tokens[i + 1].start &&
           b->tokens[i].start + 1 == b->tokens[i + 1].start;
}

// The mark that closes the one at i.
static int closing(const struct body *b, int i)
{
    for (int depth = 0; i < b->count; i++) {
        depth += is_mark(b, i, "([{") - is_mark(b, i, ")]}");
        if (depth <= 0) break;
    }
    return i;
}

// The end of the expression at i: a mark in `ends`, an unmatched bracket, or its most tokens.
static int expression_end(const struct body *b, int i, const char *ends)
{
    for (const int from = i;
         i < b->count && i - from < MAX_EXPRESSION && !is_mark(b, i, ends) && !is_mark(b, i, ")]}");
         i++)
        if (is_mark(b, i, "([{")) i = closing(b, i);
    return MIN(i, b->count);
}

// The argument that is the param of this name; -1: none is.
static int find_param(const struct body *b, int i)
{
    const struct signature *const s = &b->kernel->signature;
    for (int k = 0; is_word(b, i) && !is(b, i - 1, ".") && k < s->argument_count; k++)
        if (!s->arguments[k].is_pointer && is(b, i, s->arguments[k].name))
            return b->kernel->numbers[k];
    return -1;
}

static bool is_array(const struct body *b, int i)
{
    const struct signature *const s = &b->kernel->signature;
    bool is_found = false;
    for (int k = 0; is_word(b, i) && !is(b, i - 1, ".") && k < s->argument_count; k++)
        is_found |= s->arguments[k].is_pointer && is(b, i, s->arguments[k].name);
    return is_found;
}

// True if an assignment follows from i on, behind a name and perhaps an index: =, ++ or the like.
static bool is_assigned(const struct body *b, int i)
{
    for (;; i++)
        if (is(b, i, "["))
            i = closing(b, i);
        else if (is(b, i, "."))
            i++;
        else
            break;
    if (is_double(b, i, "+-")) return true;
    if (is(b, i, "=")) return !is(b, i + 1, "=");
    return is_mark(b, i, "+-*/%&|^") ? is(b, i + 1, "=")
                                     : is_double(b, i, "<>") && is(b, i + 2, "=");
}

static struct name *name_of(const struct body *b, int i)
{
    return &b->names[b->names[i].first];
}

// Finds the first value of the variable at `word`. False: none, or the word stands in it.
static bool find_definition(const struct body *b, int word, int *from, int *to)
{
    if (!is_word(b, word) || is(b, word - 1, ".") || !name_of(b, word)->from) return false;
    *from = name_of(b, word)->from;
    *to = expression_end(b, *from, ";,");
    return *from > word || *to <= word;
}

// The axes of the thread's place in an expression, looking through `steps` definitions of names.
// -1: through none, but indexes of arrays count.
static unsigned int find_axes(const struct body *b, int from, int to, int steps)
{
    static const struct {
        const char *word, *member;
        unsigned int axis;
    } known[] = {{"threadIdx", "x", THREAD_X},   {"blockIdx", "x", BLOCK_X},
                 {"threadIdx", "y", THREAD_Y},   {"blockIdx", "y", BLOCK_Y},
                 {"threadIdx", "z", THREAD_Z},   {"blockIdx", "z", BLOCK_Z},
                 {"thread_rank", ")", THREAD_X}, {"this_grid", ")", BLOCK_X},
                 {"group_index", ")", BLOCK_X}};
    unsigned int axes = 0;
    for (int i = from; i < to; i++) {
        int first, last;
        if (steps >= 0 && is_array(b, i) && is(b, i + 1, "[")) {  // an element's value is no place
            i = closing(b, i + 1);
            continue;
        }
        for (size_t k = 0; k < G_N_ELEMENTS(known); k++)
            if (is(b, i, known[k].word) && is(b, i + 2, known[k].member)) axes |= known[k].axis;
        if (steps <= 0 || !find_definition(b, i, &first, &last)) continue;
        int *const known_axes = &name_of(b, i)->axes[steps - 1];
        if (!*known_axes) *known_axes = 1 + (int)find_axes(b, first, last, steps - 1);
        axes |= (unsigned int)*known_axes - 1;
    }
    return axes;
}

// The number that a token is, or that the file gives to its name; 0: none, or a variable.
static long long find_constant(const struct body *b, int i)
{
    int from, to;
    if (find_param(b, i) >= 0) return 0;  // main's of the same name is only one value of it
    if (i >= 0 && i < b->count && b->tokens[i].kind == C_TOKEN_NUMBER)
        return MIN(g_ascii_strtoll(b->tokens[i].start, NULL, 10), MOST_ELEMENTS + 1LL);
    for (guint k = 0; is_word(b, i) && !is(b, i - 1, ".") && k < b->constants->len; k++) {
        const struct adopt_constant *const c =
            &g_array_index(b->constants, struct adopt_constant, k);
        if (is(b, i, c->name))
            return find_definition(b, i, &from, &to)
                       ? 0
                       : (long long)CLAMP(c->value, -1, MOST_ELEMENTS + 1.0);
    }
    return 0;
}

// The largest product of constants in an expression; 0: it cannot be a size.
static int find_size(const struct body *b, int from, int to)
{
    enum { LEAST = 32 };
    long long most = 0, product = 1;
    for (int i = from; i < to; i++) {
        const long long value = find_constant(b, i);
        const bool is_factor = value > 0 && value <= MOST_ELEMENTS && product <= MOST_ELEMENTS;
        if (is_factor || !is_mark(b, i, "*()")) product = is_factor ? product * value : 1;
        most = MAX(most, product);
    }
    return most >= LEAST && most <= MOST_ELEMENTS ? (int)most : 0;
}

// ---- what a body does ----

// Notes that the params in [first, last) bound the expression in [from, to): `i < n`, or `n > i`.
static void add_bounds(struct adopter *a, struct adopt_kernel *k, struct body *b, int first,
                       int last, int from, int to)
{
    int value = 0, end = 0;  // looks through `int half = n / 2`
    const bool is_name = last - first == 1 && find_param(b, first) < 0 &&
                         find_definition(b, first, &value, &end) && !name_of(b, first)->is_changed;
    for (int i = value; is_name && i <= end; i++) {
        if (is_array(b, i) || find_axes(b, value, end, MAX_STEPS)) break;
        if (i == end) first = value, last = end;
    }
    const unsigned int axes = find_axes(b, from, to, MAX_STEPS);
    for (int i = from; i < to && !axes; i++)
        k->is_square |= is_word(b, i) && name_of(b, i)->is_changed && is(b, first, "gridDim");
    const bool in_x = (axes & BLOCKS) == BLOCK_X, in_y = (axes & BLOCKS) == BLOCK_Y;
    bool is_whole = true;  // else i < n / 16, or i < width * height
    const int size = axes ? find_size(b, first, last) : 0;
    k->most = MAX(k->most, size);
    if (in_x || in_y) k->bound = MAX(k->bound, size);
    for (int i = first; i < last; i++) is_whole &= !is_mark(b, i, "*/%");
    for (int i = first; i < last; i++) {
        const int param = find_param(b, i);
        if (param < 0 || b->bound_count == G_N_ELEMENTS(b->bounds)) continue;
        b->bounds[b->bound_count++] = (struct bound){param, from, to};
        const bool is_less = is(b, i - 1, "-");  // m of `i < n - m`
        a->arguments[param].is_size |= axes && !is_less;
        a->arguments[param].is_guard |= axes & BLOCKS && !is_less;
        for (int at = from; at < to && !axes; at++)
            a->arguments[param].is_looped |= is_word(b, at) && name_of(b, at)->is_changed;
        if (!is_whole) continue;
        b->guarded |= 1u << param;
        if (in_x && k->across < 0) {
            k->across = param;
            k->is_row_a_block = !(axes & THREAD_X);
        }
        if (in_y && k->down < 0) k->down = param;
        if ((axes & BLOCKS) == BLOCK_Z && k->deep < 0) k->deep = param;
    }
}

static void read_comparison(struct adopter *a, struct adopt_kernel *k, struct body *b, int sign)
{
    const int right = is(b, sign + 1, "=") ? sign + 2 : sign + 1;
    const int end = expression_end(b, right, "&|;,?");
    int left = sign;
    while (left > 0 && !is_mark(b, left - 1, "(&|;,{}?=")) left--;
    if (is_double(b, sign, "<>") || is_mark(b, sign - 1, "<>-") || left == sign) return;
    for (int i = left; i < end; i++)
        if (is_array(b, i) && is(b, i + 1, "[")) return;  // it compares an element's value
    for (int i = left; i < end; i++)
        if (is_word(b, i)) name_of(b, i)->is_compared = true;
    if (is(b, sign, "<") && sign - left == 1 && end - right == 1 && is_word(b, left))
        name_of(b, left)->below = (int)CLAMP(find_constant(b, right), 0, MOST_ELEMENTS);
    add_bounds(a, k, b, right, end, left, sign);
    if (sign - left == 1) add_bounds(a, k, b, left, sign, right, end);
}

// True for an index beyond the block's threads: i + blockDim.x, or 2 * i.
static bool is_beyond_block(const struct body *b, int from, int to)
{
    bool is_beyond = is(b, from, "2") && is(b, from + 1, "*");
    for (int i = from; i < to; i++)
        is_beyond |= is(b, i, "blockDim") && (is(b, i - 1, "+") || is(b, i + 3, "+")) &&
                     !is_mark(b, i + 3, "/>");
    return is_beyond;
}

// Bytes of an element of `extern __shared__ float4 s[]`, at least 4, or of two where a thread has
// two; 0: the body does not use the array.
static int find_shared(const struct body *b, int i)
{
    int bytes = 4, at = expression_end(b, i, ";[");
    bool is_used = false, is_twice = false;
    while (at < b->count && !is(b, at, "[")) at++;
    for (int k = at; is_word(b, at - 1) && k < b->count; k++) {
        const bool is_it = is_word(b, k) && name_of(b, k) == name_of(b, at - 1);
        is_used |= is_it;
        is_twice |= is_it && is(b, k + 1, "[") && is_beyond_block(b, k + 2, closing(b, k + 1));
    }
    for (; is_word(b, i) || is_mark(b, i, "()") || find_constant(b, i) > 0; i++) {
        const struct c_token t = b->tokens[i];
        const char last = t.start[t.length - 1];
        if (is(b, i, "double") || is(b, i, "long")) bytes = 8;
        if (is_word(b, i) && last >= '2' && last <= '4') bytes = 4 * (last - '0');
    }
    return is_used ? bytes * (1 + is_twice) : 0;
}

// The factor of blockIdx.x at i besides the block's width: 2 for blockIdx.x * (blockDim.x * 2).
static int find_across(const struct body *b, int i)
{
    long long factor = 1;
    bool has_width = false;
    while (is_mark(b, i - 1, "*(.") || is(b, i - 1, "blockDim") || is(b, i - 1, "x") ||
           find_constant(b, i - 1) > 0)
        i--;
    for (; is_mark(b, i, "*(.)") || is(b, i, "blockDim") || is(b, i, "blockIdx") || is(b, i, "x") ||
           find_constant(b, i) > 0;
         i++) {
        has_width |= is(b, i, "blockDim");
        if (find_constant(b, i) > 0) factor = MIN(factor, MOST_EACH) * find_constant(b, i);
    }
    return has_width && factor >= 1 && factor <= MOST_EACH ? (int)factor : 1;
}

// Finds the number that multiplies a block's index in the product at i: 16 for by * TILE.
static void find_tile(struct adopt_kernel *k, const struct body *b, int i)
{
    enum { LEAST = 4, MOST = 1024, MOST_SPAN = 1 << 20 };
    const int left = is(b, i - 2, ".") ? i - 3 : i - 1, right = is(b, i + 2, ".") ? i + 4 : i + 2;
    const long long before = find_constant(b, i - 1);
    const int first = i + 1 + is(b, i + 1, "(");
    long long behind = find_constant(b, first);
    int at = first + 1;
    for (; behind && is(b, at, "*") && find_constant(b, at + 1) > 0; at += 2)
        behind = MIN(behind * find_constant(b, at + 1), MOST_SPAN + 1);
    if (first > i + 1 && !is(b, at, ")")) behind = 0;  // a sum
    const unsigned int axes = behind ? find_axes(b, left, i, MAX_STEPS)
                                     : find_axes(b, i + 1, MIN(right, b->count), MAX_STEPS);
    const long long tile = MAX(before, behind);
    if (axes == BLOCK_X && tile > MOST && tile <= MOST_SPAN) k->span = (int)tile;
    if (tile < LEAST || tile > MOST || left < 0) return;
    if (axes == BLOCK_X) k->tile[0] = (int)tile;
    if (axes == BLOCK_Y) k->tile[1] = (int)tile;
}

// Shortens the last tokens: (float *)a or static_cast<float *>(a) is a, and so is (a); a.b is a
// word.
static void shorten(GArray *all, const struct signature *s)
{
    const struct body b = {.tokens = (void *)all->data, .count = (int)all->len};
    const int last = b.count - 1;
    int first = last - 1;
    while (is_word(&b, first - 1)) first--;
    const bool is_cast = is(&b, last - 1, "*") && first < last - 1 && !is_word(&b, first - 2);
    if (is_cast && is(&b, last, ")") && is(&b, first - 1, "("))
        g_array_set_size(all, (guint)first - 1);
    else if (is(&b, last, ">") && is(&b, last - 1, "*") && is(&b, first - 1, "<") &&
             (is(&b, first - 2, "static_cast") || is(&b, first - 2, "reinterpret_cast")))
        g_array_set_size(all, (guint)first - 2);
    else if (is(&b, last, ")") && is_word(&b, last - 1) && is(&b, last - 2, "(") &&
             !is_word(&b, last - 3) && !is_mark(&b, last - 3, "]>")) {
        b.tokens[last - 2] = b.tokens[last - 1];
        g_array_set_size(all, (guint)last - 1);
    }
    // A.width is one word, if it is an argument.
    for (int i = 0; is(&b, last - 1, ".") && i < s->argument_count; i++) {
        const char *const name = s->arguments[i].name, *const dot = strchr(name, '.');
        g_autofree char *owner = dot ? g_strndup(name, (gsize)(dot - name)) : NULL;
        if (!dot || !is(&b, last - 2, owner) || !is(&b, last, dot + 1)) continue;
        b.tokens[last - 2].start = name;
        b.tokens[last - 2].length = strlen(name);
        g_array_set_size(all, (guint)last - 1);
    }
}

// True if the body uses a struct that holds dynamic shared memory, as the CUDA samples' does.
static bool has_shared_struct(const struct adopter *a, const struct body *b)
{
    g_auto(GStrv) parts = g_regex_split_simple(
        "\\b(?:struct|class) (\\w+) (?:< \\w+ > )?\\{ [^;{}]*\\{ extern __shared__ ", a->code->str,
        G_REGEX_RAW, 0);
    bool is_used = false;
    for (int i = 0; i < b->count && parts[0] && parts[1]; i++) is_used |= is(b, i, parts[1]);
    return is_used;
}

static void read_body(struct adopter *a, struct adopt_kernel *k, struct body *b,
                      const struct c_item *item, const char *source)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct c_token));
    struct c_tokens tokens = c_tokens_of(source);
    bool is_kept = false;  // true in the body, and in extern __shared__ before it
    int depth = 0;
    for (struct c_token token;
         (token = c_tokens_next_code(&tokens)).kind && all->len < MAX_TOKENS;) {
        const bool is_before = token.start < item->head;
        if (token.start >= item->start + item->length) break;
        is_kept |= is_before ? !depth && c_token_is(token, "extern") : c_token_is(token, "{");
        if (!token.is_directive && is_kept) g_array_append_val(all, token);
        if (!token.is_directive && is_kept) shorten(all, &k->signature);
        depth += is_before * (c_token_is(token, "{") - c_token_is(token, "}"));
        is_kept &= !is_before || !(c_token_is(token, ";") || c_token_is(token, "{"));
    }
    b->count = (int)all->len;
    b->tokens = (struct c_token *)(void *)g_array_free(all, FALSE);
    // Finds which tokens are the same name, and where each name is set first.
    g_autoptr(GHashTable) firsts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    b->names = g_new0(struct name, b->count);
    for (int i = 0; i < b->count; i++) {
        if (!is_word(b, i)) continue;
        char *text = g_strndup(b->tokens[i].start, b->tokens[i].length);
        const int known = GPOINTER_TO_INT(g_hash_table_lookup(firsts, text));  // 1 more
        b->names[i].first = known ? known - 1 : i;
        g_hash_table_insert(firsts, text, GINT_TO_POINTER(b->names[i].first + 1));
        int *const from = &b->names[b->names[i].first].from;
        const bool is_set = !is(b, i - 1, ".") && is(b, i + 1, "=") && !is(b, i + 2, "=");
        if (is_set && !*from)
            *from = i + 2;
        else
            name_of(b, i)->is_changed |= is_assigned(b, i + 1) || is_double(b, i - 2, "+-");
    }
    if (has_shared_struct(a, b)) k->shared = 8;  // a double, or two floats, for each thread
    for (int i = 0; i < b->count; i++) {
        const int param = find_param(b, i);
        if (is_mark(b, i, "<>")) read_comparison(a, k, b, i);
        if (is(b, i, "*")) find_tile(k, b, i);
        const int shared = is(b, i, "extern") ? find_shared(b, i) : 0;
        if (shared) k->shared = shared;
        if (is(b, i, "blockIdx") && is(b, i + 2, "x")) {
            k->has_wide_blocks |= (is(b, i - 1, "*") && find_param(b, i - 2) < 0) ||
                                  (is(b, i + 3, "*") && find_param(b, i + 4) < 0);
            k->across_each = MAX(k->across_each, find_across(b, i));
        }
        if (is(b, i - 1, "*") && is_word(b, i) && !is(b, i - 3, ".") &&
            find_axes(b, i - 2, i - 1, MAX_STEPS) & BLOCK_Y)
            k->row = MAX(k->row, find_size(b, i, i + 1));
        if (param < 0) continue;
        b->used |= 1u << param;
        // In a call behind an array it is that one's size: sum(in, n), but not atomicAdd(sum, by).
        a->arguments[param].is_size |=
            is(b, i - 1, ",") && is_array(b, i - 2) &&
            !(is_word(b, i - 4) && g_str_has_prefix(b->tokens[i - 4].start, "atomic"));
        if (is(b, i - 1, "-") && (is_mark(b, i - 2, "=(,") || !a->arguments[param].is_guard))
            b->negated |= 1u << param;
    }
}

// True for the last argument of a macro, such as OFFSET(row, column, pitch).
static bool is_macros_pitch(const struct body *b, int i)
{
    int commas = 0;
    if (!is(b, i - 1, ",") || !is(b, i + 1, ")")) return false;
    for (int depth = 0; depth >= 0 && i-- > 0;) {
        depth += is_mark(b, i, ")]") - is_mark(b, i, "([");
        commas += !depth && is(b, i, ",");
    }
    return commas > 1 && is_word(b, i - 1) && g_ascii_isupper(*b->tokens[i - 1].start);
}

// Notes that the param at i is a pitch, and what the variable at `row` says: an element's value
// chooses a row, or each thread has a row.
static void note_row(const struct body *b, int i, int row, struct adopt_argument *array)
{
    int first = row, last = row + 1;
    array->pitches |= 1u << find_param(b, i);
    array->pitch = 1 + find_param(b, i);
    const bool is_set = find_definition(b, row, &first, &last);
    array->is_lookup |= is(b, row, "]") || (is_set && is_array(b, first) && is(b, last - 1, "]"));
    bool is_part = false;  // of a thread's number, as i / width
    for (int k = first; k < last; k++) is_part |= is_mark(b, k, "/%>&");
    array->is_row_a_thread |=
        !is_part && find_axes(b, first, last, MAX_STEPS) == (THREAD_X | BLOCK_X);
}

// Tells a param that is a place in an array, as k of `a[i * n + k]` and `a[k * n + j]`, from a
// pitch: it is a term of its own, or so many tiles, and multiplies no variable.
static void note_place(const struct body *b, int i, struct adopt_argument *array)
{
    const unsigned int bit = 1u << find_param(b, i);
    const int sign = is(b, i - 1, "*") ? i - 1 : is(b, i + 1, "*") ? i + 1 : 0;
    const int step = sign < i ? -1 : 1, other = sign + step;  // the other factor
    if (!sign && is_macros_pitch(b, i))
        array->pitches |= bit, array->pitch = 1 + find_param(b, i);
    else if (!sign && is_mark(b, i - 1, "+[=^") && is_mark(b, i + 1, "+-];^")) {
        array->places |= bit;
        array->offsets |= is(b, i - 1, "^") || is(b, i + 1, "^") ? 0 : bit;
    } else if (!sign)
        return;
    else if (find_constant(b, other) && !is(b, other + step, "*"))
        array->places |= bit;
    else if (find_param(b, other) < 0)
        note_row(b, i, other, array);
}

// True if the word at i is a step from a thread's place in the grid, as j of `a[i - r + j]`.
static bool is_step(const struct body *b, int from, int i, int to)
{
    int first = i, last = i + 1;
    if (find_axes(b, i, i + 1, MAX_STEPS) & BLOCKS || is_mark(b, i - 1, "*/%") ||
        is_mark(b, i + 1, "*/%"))
        return false;
    for (int depth = 0; first > from && depth <= 0; first -= depth <= 0)
        depth += is_mark(b, first - 1, "([") - is_mark(b, first - 1, ")]");
    for (int depth = 0; last < to && depth <= 0; last += depth <= 0)
        depth += is_mark(b, last, ")]") - is_mark(b, last, "([");
    return find_axes(b, first, last, MAX_STEPS) & BLOCKS;
}

// The param s of an index that is only `i * s`, with i the thread's place in the grid; -1: none.
static int find_step(const struct body *b, int from, int to, int steps)
{
    for (int side = 0; side < 2; side++) {  // s * i
        const int first = side ? from + 2 : from, last = side ? to : to - 2;
        const int param = find_param(b, side ? from : to - 1);
        const bool is_one =
            last - first == 1 || (is(b, first, "(") && closing(b, first) == last - 1);
        if (param >= 0 && is_one && is(b, side ? from + 1 : to - 2, "*") &&
            find_axes(b, first, last, MAX_STEPS) & BLOCK_X)
            return param;
    }
    int first, last;
    return steps && to - from == 1 && find_definition(b, from, &first, &last) &&
                   !name_of(b, from)->is_changed
               ? find_step(b, first, last, steps - 1)
               : -1;
}

// Notes n of `n + 2`, by which a row's index is multiplied, as where rows have ghost cells.
static bool note_wider(const struct body *b, int from, int to, struct adopt_argument *array)
{
    const int param = find_param(b, from);
    const long long by = to - from == 3 && is(b, from + 1, "+") ? find_constant(b, to - 1) : 0;
    if (param < 0 || by < 1 || by > SHRT_MAX) return false;
    array->factors |= 1u << param;
    array->wider = MAX(array->wider, (int)by);
    return true;
}

// The params that bound a word; of a step those that bound its sum with a thread's place.
static unsigned int find_bounds(const struct body *b, int i, bool is_step)
{
    unsigned int found = 0;
    const unsigned int own = find_axes(b, i, i + 1, MAX_STEPS) & BLOCKS;
    for (const struct bound *k = b->bounds; k < b->bounds + b->bound_count; k++) {
        const bool is_sum = !own && find_axes(b, k->from, k->to, MAX_STEPS) & BLOCKS;
        if (is_sum != is_step || b->negated >> k->argument & 1) continue;
        for (int at = k->from; at < k->to; at++)
            if (is_word(b, at) && b->names[at].first == b->names[i].first)
                found |= 1u << k->argument;
    }
    return found;
}

// Finds an index's params: factors multiply or divide in it; others bound it or its variables.
static void read_index(const struct body *b, int from, int to, int steps,
                       struct adopt_argument *array)
{
    array->is_deep |= (find_axes(b, from, to, MAX_STEPS) & (THREAD_Z | BLOCK_Z)) != 0;
    for (int i = from; i < to; i++) {
        if (is_array(b, i) && is(b, i + 1, "[")) {
            array->is_indirect |= !is(b, i - 1, "&");
            i = closing(b, i + 1);
            continue;
        }
        const int param = find_param(b, i);
        int first, last;
        const bool is_factor = is(b, i - 1, "*") || is(b, i + 1, "*");
        if ((is(b, i - 1, "*") || is(b, i + 5, "*")) && is(b, i, "(") && is(b, i + 4, ")") &&
            note_wider(b, i + 1, i + 4, array)) {
            i += 4;
            continue;
        }
        if (param >= 0 && is(b, i - 1, "%"))
            array->bounds |= 1u << param;
        else if (param >= 0 &&
                 (is_mark(b, i - 1, "*/") || is(b, i + 1, "*") || is_macros_pitch(b, i)))
            array->factors |= 1u << param;
        if (param >= 0) note_place(b, i, array);
        const bool is_twice = is(b, i - 2, "2") && is(b, i - 1, "*");
        if (param >= 0 && is_twice && is(b, i + 1, "+") && is(b, i + 2, "1"))
            array->radii |= 1u << param;  // so many to both sides of the middle: 2 * r + 1
        if (param >= 0 || !find_definition(b, i, &first, &last)) continue;
        if (is_factor && note_wider(b, first, last, array)) continue;
        if (name_of(b, i)->indexes > steps) continue;
        name_of(b, i)->indexes = steps + 1;
        array->bounds |= find_bounds(b, i, is_step(b, from, i, to));
        const bool was_indirect = array->is_indirect;
        if (steps) read_index(b, first, last, steps - 1, array);
        array->is_run |= array->is_indirect && !was_indirect && name_of(b, i)->is_changed;
    }
}

// The distance between an index and the next one, in elements: 3 for `3 * i`, and for `at + 2` if
// at = 3 * i.
static int find_stride(const struct body *b, int from, int to, int steps)
{
    enum { MOST = 16 };
    int first = -1, last = -1;  // the term that varies
    for (int i = from, end; i < to; i = end + 1) {
        for (end = i; end < to && !is_mark(b, end, "+-"); end++)
            if (is_mark(b, end, "([{")) end = closing(b, end);
        end = MIN(end, to);
        if (end - i == 1 && (b->tokens[i].kind == C_TOKEN_NUMBER || find_constant(b, i))) continue;
        if (first >= 0) return 1;
        first = i;
        last = end;
    }
    if (first < 0) return 1;
    const long long before = is(b, first + 1, "*") ? find_constant(b, first) : 0;
    const long long behind = is(b, last - 2, "*") ? find_constant(b, last - 1) : 0;
    if (MAX(before, behind) > 1) return MAX(before, behind) <= MOST ? (int)MAX(before, behind) : 1;
    if (!steps) return 1;
    if (is(b, first, "(") && closing(b, first) == last - 1)
        return find_stride(b, first + 1, last - 1, steps - 1);
    return last - first == 1 && find_definition(b, first, &first, &last)
               ? find_stride(b, first, last, steps - 1)
               : 1;
}

// Notes how far apart an index's elements lie, and what is a whole index: i * s, or n.
static void note_reach(const struct body *b, int from, int to, struct adopt_argument *array)
{
    const int step = b->bound_count ? -1 : find_step(b, from, to, MAX_STEPS);
    if (step >= 0) array->steps |= 1u << step;
    if (to - from == 1 && find_param(b, from) >= 0) array->ends |= 1u << find_param(b, from);
    array->stride = MAX(array->stride, find_stride(b, from, to, MAX_STEPS));
}

// Tells if an index is only threadIdx.x, blockIdx.x or a number, or a variable that is one of
// these.
static enum adopt_plain find_plain(const struct body *b, int from, int to, int steps,
                                   struct adopt_argument *array)
{
    int first, last;
    if (to - from == 3 && is(b, from + 1, ".") && is(b, from + 2, "x"))
        return is(b, from, "threadIdx")  ? PLAIN_THREAD
               : is(b, from, "blockIdx") ? PLAIN_BLOCK
                                         : PLAIN_OTHER;
    if (to - from != 1) return PLAIN_OTHER;
    const int below = is_word(b, from) ? name_of(b, from)->below : 0;
    if (below && !(find_axes(b, from, to, MAX_STEPS) & BLOCKS)) {
        array->constants = MAX(array->constants, MIN(below, SHRT_MAX));
        return PLAIN_NUMBER;
    }
    if (b->tokens[from].kind == C_TOKEN_NUMBER) {
        const long long index = find_constant(b, from);
        array->constants = MAX(array->constants, (int)MIN(index, SHRT_MAX) + 1);
        return PLAIN_NUMBER;
    }
    return steps && find_definition(b, from, &first, &last) && !name_of(b, from)->is_changed
               ? find_plain(b, first, last, steps - 1, array)
               : PLAIN_OTHER;
}

// How many elements `x - RADIUS` lies in front of the thread's own. If nothing is compared with x,
// the array must begin that much earlier.
static int find_before(const struct body *b, int from, int to)
{
    const long long before = to - from == 3 && is(b, from + 1, "-") ? find_constant(b, to - 1) : 0;
    const bool is_free = before > 0 && is_word(b, from) && !name_of(b, from)->is_compared &&
                         find_axes(b, from, from + 1, MAX_STEPS) == (THREAD_X | BLOCK_X);
    return is_free && before <= SHRT_MAX ? (int)before : 0;
}

// An element from which a letter or digit is taken is one: text[i] - 'a'.
static void find_letters(const struct body *b, int i, struct adopt_argument *array)
{
    const char *const letter = is(b, i, "-") && i + 1 < b->count ? b->tokens[i + 1].start : "";
    if (letter[0] != '\'' || !g_ascii_isalnum(letter[1]) || letter[2] != '\'') return;
    array->least = letter[1];
    array->most = g_ascii_isdigit(letter[1]) ? '9' : g_ascii_islower(letter[1]) ? 'z' : 'Z';
}

// Counts the elements in a sum such as `= a * x[i] + y[i]`. Other expressions tell nothing.
static void find_terms(const struct body *b, int at, struct adopt_argument *array)
{
    const bool is_own = is_mark(b, at, "+-");  // +=
    int sums[2] = {is_own, 0}, side = is(b, at, "-");
    at += is_own;
    const bool is_set = is(b, at, "=") && !is(b, at + 1, "=");
    if (!is_set || g_str_has_suffix(array->type, "char")) return;
    for (const int end = expression_end(b, ++at, ";,"); at < end; at++) {
        const bool is_factor = is(b, at - 1, "*") && is(b, at - 2, "]");
        if (is_mark(b, at, "+-")) {
            side = is(b, at, "-");
        } else if (is_word(b, at)) {
            // A product of two elements can be as many values as one has.
            if (is(b, at + 1, "[")) sums[side] += is_factor ? array->most - 1 : 1;
            while (is(b, at + 1, "[")) at = closing(b, at + 1);
        } else if (!is(b, at, "*")) {
            return;
        }
    }
    for (int i = 0; i < 2; i++) array->sums[i] = MAX(array->sums[i], sums[i]);
}

static bool adds_up(const char *call)
{
    return g_str_has_prefix(call, "atomicAdd") || g_str_has_prefix(call, "atomicInc") ||
           g_str_has_prefix(call, "atomicOr") || g_str_has_prefix(call, "atomicMax");
}

// Finds what is done with a pointer's elements. A pointer that goes elsewhere, as into a call or a
// cast, counts as read and written. True: some elements are written.
static bool read_use(const struct body *b, int pointer, int steps, struct adopt_argument *array)
{
    bool is_written = false;
    for (int i = b->names[pointer].first; i < b->count; i++) {
        if (!is_word(b, i) || name_of(b, i) != name_of(b, pointer) || is(b, i - 1, ".")) continue;
        const bool has_index = is(b, i + 1, "[");
        if (is(b, i + 1, "=") && (is_word(b, i - 1) || is_word(b, i - 2))) continue;  // declared
        const bool is_address = is(b, i - 1, "&") && !is(b, i - 2, "&") && !is_word(b, i - 2) &&
                                !is_mark(b, i - 2, ")]");
        int end = has_index ? closing(b, i + 1) : i;
        if (has_index) {
            if (is_mark(b, i - 1, "/%")) array->least = MAX(array->least, 1);
            find_letters(b, end + 1, array);
            note_reach(b, i + 2, end, array);
            read_index(b, i + 2, end, MAX_STEPS, array);
            array->is_indirect &= !(find_axes(b, i + 2, end, MAX_STEPS) & BLOCKS);
            array->plain |= find_plain(b, i + 2, end, MAX_STEPS, array);
            const bool is_int = !strcmp(array->type, "int") || !strcmp(array->type, "unsigned int");
            array->has_end |= is_int && end - i == 5 && is(b, i + 3, "+") && is(b, i + 4, "1") &&
                              find_axes(b, i + 2, i + 3, MAX_STEPS) == (THREAD_X | BLOCK_X);
            if (array->lanes == 1) array->before = MAX(array->before, find_before(b, i + 2, end));
        } else if (is(b, i + 1, "+"))
            read_index(b, i + 2, expression_end(b, i + 2, ";,"), MAX_STEPS, array);
        const bool is_moved = is(b, i + 1, "+") && is(b, i + 2, "=") && !is(b, i - 1, "*");
        if (is_moved) array->plain |= PLAIN_OTHER;  // a += y * width
        if (is_moved) continue;
        int set = i;  // finds an alias: `float *p = &` in front of the name
        while (is_mark(b, set - 1, "&(")) set--;
        const bool has_alias =
            is(b, set - 1, "=") && is_word(b, set - 2) &&
            (is(b, set - 3, "*") || is(b, set - 3, "auto") || is(b, set - 3, "__restrict__"));
        int before = i - 1;  // the call's name
        while (is_mark(b, before, "&(")) before--;
        const bool is_call = is_word(b, before) && is(b, before + 1, "(");
        const char *const call = is_call ? b->tokens[before].start : "";
        const bool is_added = adds_up(call);
        int by = end + 1;  // what is added
        while (is_mark(b, by, "),")) by++;
        array->is_added |= is_added;
        const bool is_number =
            by < b->count && b->tokens[by].kind == C_TOKEN_NUMBER && is(b, by + 1, ")");
        array->is_counter |= is_added && (is_number || is(b, by, "__popc"));
        const bool is_star = is(b, i - 1, "*") && !is_word(b, i - 2) && !is_double(b, i + 1, "+-");
        const bool is_first = is_star || (is(b, i + 1, ",") && g_str_has_prefix(call, "atomic"));
        if (!has_index) array->plain |= is_first ? PLAIN_NUMBER : PLAIN_OTHER;
        if (!has_index && is_first) array->constants = MAX(array->constants, 1);
        if ((!has_index || is_address) && has_alias) {
            struct name *const to = name_of(b, set - 2);
            if (to->aliases >= steps || to == name_of(b, i)) continue;
            to->aliases = steps;
            is_written |= read_use(b, set - 2, steps - 1, array);
            continue;
        }
        const bool is_elsewhere = !has_index || is_address;
        const bool is_set = is_assigned(b, i + 1) || is_double(b, i - 2, "+-");
        is_written |= is_elsewhere || is_set;
        array->is_stored |= has_index && is_set;
        while (has_index && is(b, end + 1, "[")) end = closing(b, end + 1);
        if (has_index) find_terms(b, end + 1, array);
        array->is_read |= !is_added && (is_elsewhere || !is_set || !is(b, end + 1, "="));
    }
    return is_written;
}

// Finds ints that are pitches by their names and because they multiply an array's index. They are
// in bytes if the kernel casts the array to char *.
static void find_pitches(struct adopter *a, struct adopt_kernel *k, const struct c_item *item)
{
    g_autofree char *text = g_strndup(item->start, item->length);
    for (int i = 0; k->across >= 0 && i < k->signature.argument_count; i++) {
        struct adopt_argument *const pitch = &a->arguments[k->numbers[i]];
        if (pitch->is_array || strcmp(pitch->type, "int") != 0 ||
            !g_regex_match_simple("pitch", pitch->name, G_REGEX_CASELESS, 0))
            continue;
        for (int n = 0; n < k->signature.argument_count; n++) {
            const struct adopt_argument *const array = &a->arguments[k->numbers[n]];
            if (!array->is_array || !(array->factors >> k->numbers[i] & 1)) continue;
            g_autofree char *cast = g_strdup_printf("\\bchar\\s*\\*\\s*(\\)|>\\s*\\()[\\s(&]*%s\\b",
                                                    k->signature.arguments[n].name);
            const bool is_cast = g_regex_match_simple(cast, text, G_REGEX_RAW, 0);
            const int type = directives_find_type(array->type);
            const int bytes = is_cast && type >= 0 ? (int)array_types[type].bytes : 1;
            pitch->pitch_of = k->across + 1;
            pitch->pitch_bytes = MAX(pitch->pitch_bytes, bytes);
        }
    }
}

// Finds how the kernel uses its arguments. If it seems to write none, its last non-const one is
// out.
static void look_at(struct adopter *a, struct adopt_kernel *k, const struct body *b)
{
    int last = k->out = k->over = -1, over = 0;
    for (int i = 0; i < k->signature.argument_count; i++) {
        const int number = k->numbers[i];
        struct adopt_argument *const to = &a->arguments[number];
        if (!to->is_array) {
            const bool is_unused = !(b->used >> number & 1);
            to->is_size |= is_unused;  // only the host knows what for
            if (is_unused && !strcmp(to->type, "int") && !to->is_bool) k->unused = number;
            to->is_unguarded |= !(b->guarded >> number & 1);
            continue;
        }
        for (int n = 0; n < b->count; n++) b->names[n].indexes = b->names[n].aliases = 0;
        int at = 0;
        while (at < b->count && !is(b, at, k->signature.arguments[i].name)) at++;
        const enum adopt_plain before = to->plain;
        to->plain = 0;
        const bool is_written = at < b->count && read_use(b, at, MAX_STEPS, to);
        const int rank = to->plain & PLAIN_OTHER ? 2 + is_written + to->is_stored : 1;
        to->plain |= before;
        if (rank > over) k->over = number, over = rank;
        if (k->signature.arguments[i].is_const) continue;
        last = number;
        to->is_out |= is_written;
        if (is_written && k->out < 0) k->out = number;
    }
    if (k->out < 0) k->out = last;
    if (k->out >= 0) a->arguments[k->out].is_out = true;
    if (over == 1 && k->out >= 0) k->over = k->out;
}

// ---- kernels ----

// True if a __shared__ array has that number for a side.
static bool has_side(const struct body *b, long long number)
{
    for (int i = 0; i < b->count; i++) {
        const int end = is(b, i, "__shared__") ? expression_end(b, i, ";") : i;
        for (int k = i; k < end; k++)
            if (is(b, k, "[") && is(b, k + 2, "]") && find_constant(b, k + 1) == number)
                return true;
    }
    return false;
}

// Chooses its block: from a number such as TILE_DIM, perhaps with BLOCK_ROWS, from main's launch,
// or from __launch_bounds__(128).
static void choose_block(struct adopt_kernel *k, const struct body *b, unsigned int axes)
{
    static const char sides[] = "^(?!.*(rows|per_?thread|blocks)).*(block|tile|thread)";
    const bool is_flat = !(axes & THREAD_Y), has_one = !(axes & (THREAD_X | THREAD_Y));
    const bool is_deep = axes & THREAD_Z;
    const int most = is_deep ? 8 : is_flat ? 1024 : 32, *const launched = k->launched_block;
    const int bounds = (int)g_ascii_strtoll(k->signature.bounds, NULL, 10);
    int side = adopt_find_number(b->constants, b->tokens, b->count, sides, most);
    // A block that is wider than its tile loads what lies around that, if there is room for it.
    const bool is_wider = *k->tile && *launched > *k->tile,
               has_halo = is_wider && !has_side(b, *k->tile);
    if (is_wider && !has_halo && !side) side = *k->tile;
    k->is_fixed |= side || bounds;
    const bool is_known = (!side || has_halo) && *launched && (!is_flat || launched[1] == 1) &&
                          (is_deep || launched[2] == 1);
    if (!side && !is_known && !*k->given)
        side = adopt_find_number(b->constants, NULL, 0, sides, most);
    const int rows =
        !is_flat && side ? adopt_find_number(b->constants, b->tokens, b->count, "rows", side) : 0;
    k->is_one_block = !(axes & BLOCKS) && *k->launched <= *launched;
    const int wide = bounds >= 512 ? 32 : 16;
    k->width = side             ? side
               : has_one        ? 1
               : is_deep        ? 8
               : !is_flat       ? wide
               : *k->tile >= 32 ? *k->tile
                                : 256;
    k->height = is_flat ? 1 : rows ? rows : k->width;
    k->depth = is_deep ? k->height : 1;
    k->each = rows ? k->width / rows : 1;
    if (is_known) {
        k->width = launched[0];
        k->height = launched[1];
        k->depth = launched[2];
        if (has_halo) k->each = 1;
    } else if (bounds >= 1 && bounds <= 1024) {
        k->width = is_flat ? bounds : MIN(bounds, k->width);
        k->depth = MIN(k->depth, bounds / k->width);
        k->height = MIN(bounds / k->width / k->depth, is_flat ? 1 : rows ? rows : k->width);
    }
    // Without blockDim, x = blockIdx.x * 32 + threadIdx.x and y = blockIdx.y * 8 + … are a block.
    bool is_tile = !side && !is_known && !is_flat && !is_deep && !bounds && *k->tile &&
                   k->tile[1] && *k->tile * k->tile[1] <= 1024;
    for (int i = 0; i < b->count; i++) is_tile &= !is(b, i, "blockDim") && !is(b, i, "__shared__");
    if (is_tile) {
        k->width = *k->tile;
        k->height = k->tile[1];
        k->is_fixed = true;
    }
    // Threads of a block with rows write more than one element each of a wider tile.
    const bool is_coarse = !is_flat && *k->tile > k->width && !is_deep;
    if (is_coarse && k->tile[1] <= k->height) k->tile[1] = 0;
    if (is_coarse && k->tile[1]) k->each = 1;
    if (!is_coarse && (!has_halo || !is_known)) k->tile[0] = k->tile[1] = 0;
    if (is_flat && k->span % k->width == 0 && k->span / k->width <= MOST_EACH)
        k->across_each = MAX(k->across_each, k->span / k->width);
}

static void take_kernel(struct adopter *a, const struct c_item *item, const char *source,
                        GArray *constants)
{
    struct adopt_kernel *k = g_new0(struct adopt_kernel, 1);
    struct body b = {.kernel = k, .constants = constants};
    const int count = a->count;
    const guint file_constants = constants->len;
    a->line = item->head_line;
    k->across = k->down = k->deep = k->unused = -1;
    k->across_each = 1;
    bool is_good = adopt_read_head(a, k, item, constants);
    if (is_good) read_body(a, k, &b, item, source);
    for (int i = 0; i < b.count && is_good; i++)
        if (is_double(&b, i, "<") && is_double(&b, i + 1, "<")) {
            a->line = b.tokens[i].line;
            is_good =
                adopt_leave_out(a,
                                "%s is left out: it launches kernels, which only the host can "
                                "do here: launch them one after the other",
                                k->signature.name);
        }
    const unsigned int axes = find_axes(&b, 0, b.count, -1);
    if (is_good) {
        k->has_rows = axes & (THREAD_Y | BLOCK_Y);
        k->has_layers = axes & (THREAD_Z | BLOCK_Z);
        adopt_give(k, !(axes & THREAD_Y));
        adopt_read_launch(a, k, source, constants);
        look_at(a, k, &b);
        find_pitches(a, k, item);
        choose_block(k, &b, axes);
        for (int i = 0; i < k->signature.argument_count; i++) {
            struct adopt_argument *const one = &a->arguments[k->numbers[i]];
            if (!one->is_array && one->value == 0 &&
                g_regex_match_simple("^r$|radius", one->name, G_REGEX_CASELESS, 0))
                one->value = adopt_find_number(constants, NULL, 0, "radius", 64);
        }
        for (int i = 0; i < k->signature.argument_count && k->is_square; i++)
            a->arguments[k->numbers[i]].is_looped |= a->arguments[k->numbers[i]].is_guard;
        adopt_find_sums(a, k, b.tokens, b.count);
        a->kernels[a->kernel_count++] = k;
    } else {
        a->count = count;
        g_free(k);
    }
    g_array_set_size(constants, file_constants);  // without the template's
    g_free(b.names);
    g_free(b.tokens);
}

// Says why a file has no kernels. source: the file without the lines that an #if leaves out.
static void say_why_none(struct adopter *a, const char *file, const char *source)
{
    struct c_tokens tokens = c_tokens_of(file);
    struct c_token found = {.kind = C_TOKEN_END};
    for (struct c_token t; (t = c_tokens_next_code(&tokens)).kind;) {
        if (!c_token_is(t, "__global__") || t.is_directive) continue;
        found = t;
        if (source[t.start - file] == ' ') break;
    }
    a->line = found.line;
    if (!found.kind)
        adopt_guess(a, "it has no __global__ function");
    else if (source[found.start - file] == ' ')
        adopt_leave_out(a, "an #if leaves out this kernel");
    else
        adopt_leave_out(a, "its kernels have no bodies: open the file that has them");
}

char *adopt_propose(const char *path, const char *beside, const char *file, char **guesses,
                    struct error *err)
{
    g_autofree struct adopter *a = g_new0(struct adopter, 1);
    g_autofree char *name = filter_name_of(path);
    a->path = path;
    OWNED(c_items_finish) struct c_items items;
    g_autofree char *read = adopt_read_lines(beside, file);
    const char *const source = read + strlen(beside);
    struct c_tokens tokens = c_tokens_of(read), all = c_tokens_of(source);
    a->code = g_string_new(NULL);
    for (struct c_token t; (t = c_tokens_next_code(&tokens)).kind != C_TOKEN_END;)
        if (!c_tokens_skip_std(t, &tokens))
            g_string_append_c(g_string_append_len(a->code, t.start, (gssize)t.length), ' ');
    a->notes = g_string_new(NULL);
    a->guesses = g_string_new(NULL);
    g_autoptr(GArray) constants = adopt_find_constants(a, read);
    a->coefficients = g_array_new(FALSE, FALSE, sizeof(struct adopt_coefficients));
    adopt_find_coefficients(a, read, constants);
    c_items_find(&items, source);
    const bool is_long = items.count > MAX_ITEMS;
    if (is_long) adopt_guess(a, "it has more than %d functions", MAX_ITEMS);
    for (int i = 0; i < items.count && !is_long; i++) {
        const struct c_item *const item = &items.list[i];
        if (item->kind != C_ITEM_KERNEL) continue;
        if (a->kernel_count == FILTER_MAX_VARIANTS) {
            a->line = item->head_line;
            adopt_leave_out(a, "%.*s and all behind it are left out: there are %d before",
                            (int)item->name_length, item->name, FILTER_MAX_VARIANTS);
            break;
        }
        take_kernel(a, item, source, constants);
    }
    struct c_token last = {.kind = C_TOKEN_END}, hidden = last;
    for (struct c_token t = c_tokens_next(&all); t.kind != C_TOKEN_END; t = c_tokens_next(&all)) {
        if (t.is_directive && c_token_is(t, "__global__")) hidden = t;
        last = t;
    }
    if (!a->guesses->len && !hidden.kind && !a->kernel_count) say_why_none(a, file, source);
    a->line = hidden.line;
    if (!a->guesses->len && hidden.kind)
        adopt_leave_out(a, "a macro hides kernels: write __global__ out");
    const bool is_open = last.kind == C_TOKEN_COMMENT && g_str_has_prefix(last.start, "/*") &&
                         (last.length < 4 || strncmp(last.start + last.length - 2, "*/", 2) != 0);
    const bool is_good = a->kernel_count > 0 && !is_open;
    if (is_open)
        error_set(err, "its comment in line %d does not end", last.line);
    else if (is_good)
        adopt_write_notes(a, name);
    else
        error_set(err, "it has no notes, and no kernel that runs without%s%.*s",
                  a->guesses->len ? ": " : "", (int)strcspn(a->guesses->str, "\n"),
                  a->guesses->str);
    for (int i = 0; i < a->kernel_count; i++) g_free(a->kernels[i]);
    g_array_free(a->coefficients, TRUE);
    g_string_free(a->code, TRUE);
    *guesses = g_string_free(a->guesses, !is_good);
    return g_string_free(a->notes, !is_good);
}

bool adopt_has_vectors(const char *beside, const char *file)
{
    static const char form[] =
        "(char|short|int|long|float|double|half)\\d?[1-4]\\b|align|asm|async|"
        "wmma|__int128";
    return g_regex_match_simple(form, file, G_REGEX_RAW, 0) ||
           g_regex_match_simple(form, beside, G_REGEX_RAW, 0);
}
