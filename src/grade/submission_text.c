#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/c_items.h"
#include "grade/submission.h"

static const struct refusal {
    const char *word, *why;
} words[] = {
    {"asm", "is not counted; write it in CUDA C"},
    {"__asm", "is not counted; write it in CUDA C"},
    {"__asm__", "is not counted; write it in CUDA C"},
    {"memcpy", "is not counted; assign the elements"},
    {"memset", "is not counted; assign the elements"},
    {"memmove", "is not counted; assign the elements"},
    {"memcmp", "is not counted; compare the elements"},
    {"extern",
     "names something outside of the file; a kernel may be extern \"C\", and shared memory "
     "whose size is known at launch extern __shared__"},
    {"__CUDACC__", "tells devices apart; a kernel is the same on each"},
    {"__CUDA_ARCH__", "tells devices apart; a kernel is the same on each"},
};

static bool refuse(struct error *err, const char *name, int line, struct c_token token,
                   const char *why)
{
    return error_set(err, "%s:%d: '%.*s' %s", name, line, (int)token.length, token.start, why);
}

// One that has the name of another may call that one.
static bool is_overloaded(const struct c_items *items, const struct c_item *item)
{
    int count = 0;
    for (int i = 0; i < items->count; i++)
        count += items->list[i].kind == C_ITEM_FUNCTION &&
                 c_item_defines(&items->list[i], item->name, item->name_length);
    return count > 1;
}

// Such a function stays one when all others have become part of the kernel. Of a call, GCC does not
// report the structs that are passed, and lanes that return from it meet too late. A template that
// names another instantiation, as in sum<N / 2>(x), ends where it is compiled.
static bool calls_itself(const char *name, const struct c_item *item, struct error *err)
{
    bool has_begun = false;
    g_autofree char *text = g_strndup(item->start, item->length),
                    *function = g_strndup(item->name, item->name_length);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        struct c_tokens behind = tokens;
        if (!c_token_is(token, function) || !c_token_is(c_tokens_next(&behind), "(")) continue;
        if (has_begun)
            return !refuse(
                err, name, item->line + token.line - 1, token,
                "calls itself: what it reads and writes cannot be counted; write a loop");
        has_begun = true;
    }
    return false;
}

bool submission_check_text(const char *name, const char *text, struct error *err)
{
    int line = 1;
    // Compilers disagree about what other control characters are: blanks, ends of lines, or
    // neither.
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        if (g_ascii_iscntrl(*c) && *c != '\n' && *c != '\t' && strncmp(c, "\r\n", 2) != 0)
            return error_set(err,
                             "%s:%d: the file has a control character (0x%02x): save it as "
                             "plain text",
                             name, line, (unsigned int)*c);
    }
    g_autofree char *joined = c_tokens_join_lines(text);
    struct c_tokens tokens = c_tokens_of(joined);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        for (size_t i = 0; token.kind == C_TOKEN_WORD && i < G_N_ELEMENTS(words); i++) {
            struct c_tokens behind = tokens;
            const struct c_token next = c_tokens_next_code(&behind);
            const bool is_ours = c_token_is(token, "extern") &&
                                 (c_token_is(next, "__shared__") || next.kind == C_TOKEN_STRING);
            if (c_token_is(token, words[i].word) && !is_ours)
                return refuse(err, name, token.line, token, words[i].why);
        }
    OWNED(c_items_finish) struct c_items items;
    bool is_good = true;
    c_items_find(&items, joined);
    for (int i = 0; is_good && i < items.count; i++)
        is_good = items.list[i].kind != C_ITEM_FUNCTION || is_overloaded(&items, &items.list[i]) ||
                  !calls_itself(name, &items.list[i], err);
    return is_good;
}
