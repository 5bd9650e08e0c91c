// What the functions, structs and macros of a file do, by their words; and copies of them that are
// given their place instead of looking at threadIdx.
#include <string.h>

#include "base/c_tokens.h"
#include "device/cpu/rewrite_parts.h"

static const char *const places[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};

static struct function *find(const struct rewriter *r, const char *text, size_t length)
{
    g_autofree char *name = g_strndup(text, length);
    return g_hash_table_lookup(r->functions, name);
}

struct function *rewrite_function(const struct rewriter *r, guint i)
{
    return rewrite_is_name(r, i) ? find(r, rewrite_word(r, i)->text, rewrite_word(r, i)->length)
                                 : NULL;
}

// What lanes of a warp give each other. fast_words.h has the names by which they take it.
const struct exchange *rewrite_exchange(const char *word, size_t length)
{
    static const struct exchange table[] = {
        {"__shfl_sync", "at", false},        {"__shfl_up_sync", "up", false},
        {"__shfl_down_sync", "down", false}, {"__shfl_xor_sync", "across", false},
        {"__ballot_sync", "ballot", true},   {"__any_sync", "any", true},
        {"__all_sync", "every", true},       {"__syncwarp", NULL, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (strlen(table[i].word) == length && !strncmp(table[i].word, word, length))
            return &table[i];
    return NULL;
}

static const struct {
    const char *word, *why;
} refused[] = {
    {"__syncthreads_count", "it counts threads at a barrier"},
    {"__syncthreads_or", "it counts threads at a barrier"},
    {"__syncthreads_and", "it counts threads at a barrier"},
    {"__activemask", "it asks which lanes are there"},
    {"__match_any_sync", "__match_any_sync"},
    {"__match_all_sync", "__match_all_sync"},
    {"__reduce_add_sync", "a warp's reduction in one word"},
    {"__reduce_min_sync", "a warp's reduction in one word"},
    {"__reduce_max_sync", "a warp's reduction in one word"},
    {"__reduce_and_sync", "a warp's reduction in one word"},
    {"__reduce_or_sync", "a warp's reduction in one word"},
    {"__reduce_xor_sync", "a warp's reduction in one word"},
    {"asm", "asm"},
    {"goto", "goto"},
    {"try", "try"},
    {"static", "a static variable"},
    {"printf", "printf, whose lines keep their order"},
    {"thread_block", "cooperative groups"},
    {"this_thread_block", "cooperative groups"},
    {"tiled_partition", "cooperative groups"},
    {"coalesced_threads", "cooperative groups"},
    {"this_grid", "cooperative groups"},
    {"this_cluster", "cooperative groups"},
    // In a kernel's body alone.
    {"assert", "assert"},
    {"operator", "an operator of its own"},
};

enum { REFUSED_IN_KERNELS = 2 };  // the last ones

const char *rewrite_why_refused(const char *word, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        if (strlen(refused[i].word) == length && !strncmp(refused[i].word, word, length))
            return refused[i].why;
    return NULL;
}

// Facts that the words of a function show by themselves.
static void look_at(struct function *f)
{
    const bool is_macro = f->item->kind == C_ITEM_MACRO;
    struct c_tokens tokens = c_tokens_of(f->item->head);
    struct c_token token, before = {.kind = C_TOKEN_END};
    bool is_in_body = is_macro, is_operand = false;
    int depth = 0;
    g_autoptr(GString) body = g_string_new(NULL);
    while ((token = c_tokens_next_code(&tokens)).kind && token.start < f->end) {
        for (const char *const *word = places; *word; word++)
            if (c_token_is(token, *word)) f->facts |= USES_PLACE;
        if (c_token_is(token, "threadIdx")) f->facts |= USES_THREAD;
        if (c_token_is(token, "__syncthreads")) f->facts |= HAS_BARRIER;
        if (rewrite_exchange(token.start, token.length)) f->facts |= HAS_WARP;
        for (size_t i = 0; i < G_N_ELEMENTS(refused) - REFUSED_IN_KERNELS && is_in_body; i++)
            if (c_token_is(token, refused[i].word)) f->why_not = refused[i].why;
        if (token.kind == C_TOKEN_DIRECTIVE && !c_token_is(token, "#pragma") && !is_macro)
            f->facts |= HAS_LINES;
        const bool is_atomic =
            token.kind == C_TOKEN_WORD && token.length > 6 && !strncmp(token.start, "atomic", 6);
        const bool is_set = c_token_is(token, "="), is_and = c_token_is(token, "&");
        if (is_atomic || (is_in_body && is_set && (c_token_is(before, "]") || is_macro)))
            f->facts |= HAS_EFFECT | READS_MEMORY;
        if (c_token_is(token, "[") || (c_token_is(token, "*") && !(is_in_body && is_operand)) ||
            (is_in_body && ((c_token_is(before, "-") && c_token_is(token, ">")) ||
                            (is_and && !is_operand && !is_macro))))
            f->facts |= READS_MEMORY;
        if ((is_and && (!is_in_body || is_macro)) ||
            (is_macro && is_set && !c_token_is(before, "=")))
            f->facts |= CHANGES_ARGUMENTS;
        if (is_in_body && depth)
            g_string_append_printf(body, "%.*s ", (int)token.length, token.start);
        depth += c_token_is(token, "{") - c_token_is(token, "}");
        is_in_body |= c_token_is(token, "{");
        is_operand = token.kind == C_TOKEN_WORD || token.kind == C_TOKEN_NUMBER ||
                     c_token_is(token, ")") || c_token_is(token, "]");
        before = token;
    }
    f->is_rank = !strcmp(body->str, "return threadIdx . y * blockDim . x + threadIdx . x ; } ") ||
                 !strcmp(body->str, "return threadIdx . x + threadIdx . y * blockDim . x ; } ");
    if (f->item->kind == C_ITEM_STRUCT && f->facts & (USES_PLACE | WAITS))
        f->why_not = "a struct whose functions use threadIdx or wait";
    if (is_macro && f->facts & WAITS) f->why_not = "a macro that waits";
}

void rewrite_add_functions(struct rewriter *r, const struct c_items *items)
{
    for (int i = 0; i < items->count; i++) {
        const struct c_item *const item = &items->list[i];
        if (item->kind == C_ITEM_KERNEL || item->kind == C_ITEM_ENUM || !item->name_length)
            continue;
        struct function one = {.item = item, .end = item->start + item->length, .is_one = true};
        look_at(&one);
        struct function *const known = find(r, item->name, item->name_length);
        if (!known) {
            g_hash_table_insert(r->functions, g_strndup(item->name, item->name_length),
                                g_memdup2(&one, sizeof one));
            continue;
        }
        known->is_one = false;
        known->facts |= one.facts;
        known->is_rank &= one.is_rank;
        if (!known->why_not) known->why_not = one.why_not;
    }
}

// A function also does what the functions do that it calls.
static bool spread(struct rewriter *r, struct function *f)
{
    const struct function before = *f;
    struct c_tokens tokens = c_tokens_of(f->item->head);
    struct c_token token;
    while ((token = c_tokens_next_code(&tokens)).kind && token.start < f->end) {
        const struct function *const used =
            token.kind == C_TOKEN_WORD ? find(r, token.start, token.length) : NULL;
        if (!used || used == f) continue;
        f->facts |= used->facts & ALL_OF_CALLED;
        if (!f->why_not) f->why_not = used->why_not;
    }
    return before.facts != f->facts || before.why_not != f->why_not;
}

void rewrite_spread(struct rewriter *r)
{
    for (bool is_changed = true; is_changed;) {
        GHashTableIter all;
        gpointer f;
        is_changed = false;
        g_hash_table_iter_init(&all, r->functions);
        while (g_hash_table_iter_next(&all, NULL, &f)) is_changed |= spread(r, f);
    }
}

// A copy of a function that is given its place.
static void write_own(struct rewriter *r, GString *to, const struct c_item *item)
{
    static const char hidden[] =
        "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim";
    struct c_tokens tokens = c_tokens_of(item->head);
    const char *copied = item->head, *const end = item->start + item->length;
    bool is_named = false;
    struct c_token token;
    while ((token = c_tokens_next_code(&tokens)).kind && token.start < end) {
        const struct function *const f =
            token.kind == C_TOKEN_WORD ? find(r, token.start, token.length) : NULL;
        struct c_tokens ahead = tokens;
        const bool is_own = token.start == item->name;
        if (f && f->facts & USES_PLACE && f->item->kind == C_ITEM_FUNCTION &&
            (is_own || is_named) && c_token_is(c_tokens_next_code(&ahead), "(")) {
            struct c_tokens next = ahead;
            struct c_token first = c_tokens_next_code(&next);
            if (is_own && c_token_is(first, "void")) {
                ahead = next;
                first = c_tokens_next_code(&next);
            }
            g_string_append_len(to, copied, token.start - copied);
            g_string_append_printf(to, "emulator_own_%.*s(%s%s", (int)token.length, token.start,
                                   is_own ? hidden : "threadIdx, blockIdx, blockDim, gridDim",
                                   c_token_is(first, ")") ? "" : ", ");
            copied = ahead.at;
            tokens = ahead;
            is_named |= is_own;
        }
    }
    g_string_append_len(to, copied, end - copied);
    g_string_append(to, "\n");
}

void rewrite_write_own(struct rewriter *r, GString *to, const struct c_items *items)
{
    for (int i = 0; i < items->count; i++) {
        const struct c_item *const item = &items->list[i];
        if (item->kind != C_ITEM_FUNCTION || !item->name_length) continue;
        const struct function *const f = find(r, item->name, item->name_length);
        if ((f->facts & (USES_PLACE | WAITS | HAS_LINES)) == USES_PLACE && !f->why_not &&
            !*item->scope)
            write_own(r, to, item);
    }
}
