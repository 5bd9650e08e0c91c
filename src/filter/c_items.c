#include "filter/c_items.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"

// A definition that is being read. start NULL: none is.
struct draft {
    enum c_item_kind kind;
    struct c_token name;  // kind END: it has none yet
    const char *start;
    int line;
    bool is_value;  // there is a = in it: an array's braces are no body
};

struct finder {
    struct c_tokens tokens;
    const char *line, *line_end;  // of the token that was read last
    GArray *items;
    struct draft draft;
    int braces, parentheses;
    struct c_token comment;    // the first line of the comment that ends directly above
    const char *comment_line;  // where that line begins
    int comment_end;           // the line below that comment; 0: there is none
    struct c_token before;     // the token before this one, comments left out
};

// Tokens come in their order. A line is looked for once, since it may hold very many of them.
static void find_line(struct finder *f, const char *at)
{
    while (f->line_end < at) {
        f->line = f->line_end + 1;
        f->line_end = f->line + strcspn(f->line, "\n");
    }
}

static void begin_draft(struct finder *f, struct c_token token, enum c_item_kind kind)
{
    const bool is_told = f->comment_end == token.line;
    f->draft = (struct draft){.kind = kind,
                              .start = is_told ? f->comment_line : f->line,
                              .line = is_told ? f->comment.line : token.line};
    f->comment_end = 0;
    f->parentheses = 0;
}

static void end_draft(struct finder *f, const char *last)
{
    const struct draft *d = &f->draft;
    find_line(f, last);
    const char *stop = f->line_end;
    const struct c_item item = {
        d->kind, d->name.start, d->name.length, d->start, (size_t)(stop - d->start), d->line};
    if (d->name.kind || d->kind == C_ITEM_ENUM) g_array_append_val(f->items, item);
    f->draft.start = NULL;
}

// The name is the last word before parentheses that are not within others: attributes, which may
// have parentheses too, stand before it. KERNEL(x) is named x.
static void read_name(struct finder *f, struct c_token token)
{
    struct draft *d = &f->draft;
    const bool opens = c_token_is(token, "("), is_outside = f->parentheses == 0;
    f->parentheses += opens - c_token_is(token, ")");
    d->is_value |= is_outside && c_token_is(token, "=");
    if (d->kind == C_ITEM_STRUCT && !d->name.kind && token.kind == C_TOKEN_WORD &&
        !c_token_is(token, "struct"))
        d->name = token;
    if (d->kind == C_ITEM_FUNCTION && opens && is_outside && f->before.kind == C_TOKEN_WORD) {
        d->name = f->before;
        const bool is_kernel = c_token_is(d->name, "KERNEL") || c_token_is(d->name, "REFERENCE");
        if (is_kernel) d->kind = C_ITEM_KERNEL;
    } else if (d->kind == C_ITEM_KERNEL && f->parentheses == 1 && token.kind == C_TOKEN_WORD) {
        d->name = token;
    }
}

// A struct's or enum's word may also begin a function's type.
static void read_outside(struct finder *f, struct c_token token)
{
    struct draft *d = &f->draft;
    if (!d->start)
        begin_draft(f, token,
                    c_token_is(token, "struct") ? C_ITEM_STRUCT
                    : c_token_is(token, "enum") ? C_ITEM_ENUM
                                                : C_ITEM_FUNCTION);
    if (c_token_is(token, ";")) {
        d->start = NULL;
    } else if (c_token_is(token, "{")) {
        f->braces = 1;
    } else {
        if (d->kind != C_ITEM_FUNCTION && c_token_is(token, "(")) d->kind = C_ITEM_FUNCTION;
        read_name(f, token);
    }
}

// A macro that another definition contains belongs to that one.
static void read_directive(struct finder *f, struct c_token token)
{
    const bool is_define = token.kind == C_TOKEN_DIRECTIVE && token.length >= 6 &&
                           !strncmp(token.start + token.length - 6, "define", 6);
    if (!is_define || f->draft.start) {
        if (!f->draft.start) f->comment_end = 0;
        return;
    }
    begin_draft(f, token, C_ITEM_MACRO);
    f->draft.name = c_tokens_next(&f->tokens);
    const char *last = f->draft.name.start;
    for (struct c_tokens ahead = f->tokens;; f->tokens = ahead) {
        const struct c_token next = c_tokens_next(&ahead);
        if (!next.is_directive || !next.kind || next.kind == C_TOKEN_DIRECTIVE) break;
        last = next.start + next.length;
    }
    end_draft(f, last);
}

void c_items_find(struct c_items *items, const char *text)
{
    struct finder f = {.tokens = c_tokens_of(text),
                       .line = text,
                       .line_end = text + strcspn(text, "\n"),
                       .items = g_array_new(FALSE, FALSE, sizeof(struct c_item))};
    for (struct c_token token; (token = c_tokens_next(&f.tokens)).kind != C_TOKEN_END;) {
        find_line(&f, token.start);
        if (token.kind == C_TOKEN_COMMENT) {
            if (!token.is_first || f.draft.start) continue;
            if (token.line != f.comment_end) {
                f.comment = token;
                f.comment_line = f.line;
            }
            f.comment_end = f.tokens.line + 1;
            continue;
        }
        if (token.is_directive) {
            read_directive(&f, token);
        } else if (f.braces) {
            f.braces += c_token_is(token, "{") - c_token_is(token, "}");
            if (!f.braces && f.draft.is_value) f.draft.start = NULL;
            if (!f.braces && f.draft.start) end_draft(&f, token.start);
        } else {
            read_outside(&f, token);
        }
        f.before = token;
    }
    items->count = (int)f.items->len;
    items->list = (struct c_item *)(void *)g_array_free(f.items, FALSE);
}

void c_items_finish(struct c_items *items)
{
    g_free(items->list);
    *items = (struct c_items){0};
}

// A name of an enum stands behind its brace or a comma.
static bool is_enumerator(const struct c_item *item, const char *word, size_t length)
{
    struct c_token before = {.kind = C_TOKEN_END};
    struct c_tokens tokens = c_tokens_of(item->start);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        if (token.start >= item->start + item->length) break;
        if (token.kind == C_TOKEN_COMMENT) continue;
        if (token.length == length && !strncmp(token.start, word, length) && before.kind &&
            (c_token_is(before, "{") || c_token_is(before, ",")))
            return true;
        before = token;
    }
    return false;
}

bool c_item_defines(const struct c_item *item, const char *word, size_t length)
{
    if (item->kind == C_ITEM_ENUM) return is_enumerator(item, word, length);
    return item->name_length == length && !strncmp(item->name, word, length);
}
