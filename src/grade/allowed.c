#include "grade/allowed.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "filter/c_items.h"

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
    {"extern", "names something outside of the file; shared memory whose size is known at launch "
               "is called tile"},
    {"__CUDACC__", "tells devices apart; a kernel is the same on each"},
    {"__CUDA_ARCH__", "tells devices apart; a kernel is the same on each"},
};

static bool refuse(struct error *err, const char *name, int line, struct c_token token,
                   const char *why)
{
    return error_set(err, "%s:%d: '%.*s' %s", name, line, (int)token.length, token.start, why);
}

// Compilers disagree about what other control characters are: blanks, ends of lines, or neither.
static bool is_plain(const char *name, const char *text, struct error *err)
{
    int line = 1;
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        if (g_ascii_iscntrl(*c) && *c != '\n' && *c != '\t' && strncmp(c, "\r\n", 2) != 0)
            return error_set(err,
                             "%s:%d: the file has a control character (0x%02x): save it as "
                             "plain text",
                             name, line, (unsigned int)*c);
    }
    return true;
}

static bool has_only_counted_words(const char *name, const char *text, struct error *err)
{
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        for (size_t i = 0; token.kind == C_TOKEN_WORD && i < G_N_ELEMENTS(words); i++)
            if (c_token_is(token, words[i].word))
                return refuse(err, name, token.line, token, words[i].why);
    return true;
}

// Such a function stays one when all others have become part of the kernel. Of a call, GCC does not
// report the structs that are passed, and lanes that return from it meet too late.
static bool calls_itself(const char *name, const struct c_item *item, struct error *err)
{
    bool has_begun = false, is_found = false;
    char *text = g_strndup(item->start, item->length),
         *function = g_strndup(item->name, item->name_length);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; !is_found && (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        struct c_tokens behind = tokens;
        if (!c_token_is(token, function) || !c_token_is(c_tokens_next(&behind), "(")) continue;
        is_found = has_begun;
        has_begun = true;
        if (is_found)
            refuse(err, name, item->line + token.line - 1, token,
                   "calls itself: what it reads and writes cannot be counted; write a loop");
    }
    g_free(text);
    g_free(function);
    return is_found;
}

static bool has_only_loops(const char *name, const char *text, struct error *err)
{
    struct c_items items;
    bool is_good = true;
    c_items_find(&items, text);
    for (int i = 0; is_good && i < items.count; i++)
        is_good = items.list[i].kind != C_ITEM_FUNCTION || !calls_itself(name, &items.list[i], err);
    c_items_finish(&items);
    return is_good;
}

bool allowed_text(const char *name, const char *text, struct error *err)
{
    char *joined = c_tokens_join_lines(text);
    const bool is_good = is_plain(name, text, err) && has_only_counted_words(name, joined, err) &&
                         has_only_loops(name, joined, err);
    g_free(joined);
    return is_good;
}
