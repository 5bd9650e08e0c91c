// What a text knows of the thread's place; copies of a file's functions that take it as arguments
// instead of reading threadIdx.
#include "device/cpu/rewrite_parts.h"

// In words, between operators that bind less: blockIdx.x * blockDim.x + threadIdx.x, and the same
// with another product. Behind + it might be added to a real number.
#define BEHIND        "(?<=[=(,[{;?:<>&|] |\\breturn |\\( int \\) |\\blong \\) |\\( unsigned \\) )"
#define PRODUCT(a, b) "(?:" a " \\* " b "|" b " \\* " a ")"
#define TO_X(product) product " \\+ threadIdx \\. x|threadIdx \\. x \\+ " product
#define SUM(product)  BEHIND "(?:" TO_X(product) "|" TO_X("\\( " product " \\)") ")(?! [*/%\\w])"
#define WIDTH         "blockDim \\. x"
#define COLUMN        SUM(PRODUCT("blockIdx \\. x", WIDTH))
#define RANK_OR_THREADS \
    SUM(PRODUCT("threadIdx \\. y", WIDTH)) "|" BEHIND PRODUCT(WIDTH, "blockDim \\. y")

// True if one of these words is there apart from the known expressions.
static bool is_else(const char *words, const char *known, const char *others)
{
    g_autoptr(GRegex) regex = g_regex_new(known, 0, 0, NULL);
    g_autofree char *rest = g_regex_replace_literal(regex, words, -1, 0, "", 0, NULL);
    return g_regex_match_simple(others, rest, 0, 0);
}

unsigned rewrite_knowledge(const struct rewriter *r, const char *text, const char *end)
{
    enum { MOST_OPEN = 64 };
    unsigned facts = 0;
    bool is_macros[MOST_OPEN] = {false}, is_macro = false;  // which open brackets are a macro's
    int open = 0;
    g_autoptr(GString) words = g_string_new(NULL);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind && token.start < end;) {
        const struct function *const f = rewrite_named(r, token);
        if (f) facts |= f->facts & (KNOWS_BLOCK | KNOWS_ROWS);
        if (c_token_is(token, "__shared__") || rewrite_is_atomic(token.start, token.length) ||
            rewrite_tile(r, token.start, token.length))
            facts |= KNOWS_BLOCK;
        // What a macro makes of its argument may bind more than +, so nothing is known there.
        const char mark = token.length == 1 ? *token.start : '\0';
        if (mark && strchr("([{", mark) && ++open < MOST_OPEN) is_macros[open] = is_macro;
        if (mark && strchr(")]}", mark) && open > 0) open--;
        is_macro = f && f->item->kind == C_ITEM_MACRO;
        g_string_append_printf(words, "%.*s %s", (int)token.length, token.start,
                               open < MOST_OPEN && is_macros[open] ? "# " : "");
    }
    // Most texts have no such word, and to look for sums takes long.
    if (!strstr(words->str, "Idx") && !strstr(words->str, "Dim")) return facts;
    if (is_else(words->str, COLUMN, "\\b(threadIdx|blockIdx|blockDim|gridDim)\\b(?! \\. [yz])"))
        facts |= KNOWS_BLOCK;
    if (is_else(words->str, RANK_OR_THREADS, "\\b(threadIdx|blockDim)\\b(?! \\. z)"))
        facts |= KNOWS_ROWS;
    return facts;
}

void rewrite_write_own(struct rewriter *r, GString *to, const struct c_items *items)
{
    static const char hidden[] =
        "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim";
    for (int i = 0; i < items->count; i++) {
        const struct c_item *const item = &items->list[i];
        if (item->kind != C_ITEM_FUNCTION || !item->name_length) continue;
        const struct function *const own = rewrite_find_function(r, item->name, item->name_length);
        if ((own->facts & (USES_PLACE | WAITS | HAS_LINES)) != USES_PLACE || own->why_not ||
            *item->scope)
            continue;
        struct c_tokens tokens = c_tokens_of(item->head);
        const char *copied = item->head, *const end = item->start + item->length;
        bool is_named = false;
        for (struct c_token token;
             (token = c_tokens_next_code(&tokens)).kind && token.start < end;) {
            const struct function *const f = rewrite_named(r, token);
            struct c_tokens ahead = tokens;
            const bool is_own = token.start == item->name;
            if (!f || !(f->facts & USES_PLACE) || f->item->kind != C_ITEM_FUNCTION ||
                !(is_own || is_named) || !c_token_is(c_tokens_next_code(&ahead), "("))
                continue;
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
        g_string_append_len(to, copied, end - copied);
        g_string_append(to, "\n");
    }
}
