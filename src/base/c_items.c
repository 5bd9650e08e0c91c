#include "base/c_items.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"

// A definition being read. Its start is NULL: there is none; its name: it has none yet.
struct draft {
    struct c_item item;
    struct c_token first;  // of its tokens
    bool is_value;         // there is a = in it: an array's braces are no body
};

struct finder {
    struct c_tokens tokens;
    const char *line, *line_end;  // of the token that was read last
    GArray *items;
    struct draft draft;
    struct c_braces braces;
    int parentheses;
    GString *scope;            // of the namespaces that are open
    GArray *outer_scopes;      // the scope's length before each of them, and before extern "C" {
    struct c_token comment;    // the first line of the comment that ends directly above
    const char *comment_line;  // where that line begins
    int comment_end;           // the line below that comment; 0: there is none
    struct c_token before;     // the token before this one, comments left out
};

// Tokens come in order. Each line is searched only once, since it may hold very many tokens.
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
    f->draft = (struct draft){.item = {.kind = kind,
                                       .start = is_told ? f->comment_line : f->line,
                                       .line = is_told ? f->comment.line : token.line,
                                       .head = token.start,
                                       .head_line = token.line},
                              .first = token};
    f->comment_end = 0;
    f->parentheses = 0;
}

static void set_name(struct c_item *item, struct c_token token)
{
    item->name = token.start;
    item->name_length = token.length;
}

static void end_draft(struct finder *f, const char *last)
{
    struct c_item *const item = &f->draft.item;
    find_line(f, last);
    item->length = (size_t)(f->line_end - item->start);
    g_strlcpy(item->scope, f->scope->str, sizeof item->scope);
    if (item->name || item->kind == C_ITEM_ENUM) g_array_append_val(f->items, *item);
    item->start = NULL;
}

static bool is_struct(struct c_token token)
{
    return c_token_is(token, "struct") || c_token_is(token, "class");
}

// The name is the last word before parentheses that are not within others: attributes, which may
// have parentheses too, stand before it.
static void read_name(struct finder *f, struct c_token token)
{
    struct draft *d = &f->draft;
    struct c_item *const item = &d->item;
    const bool opens = c_token_is(token, "("), is_outside = f->parentheses == 0;
    const bool is_function = item->kind == C_ITEM_FUNCTION || item->kind == C_ITEM_KERNEL;
    f->parentheses += opens - c_token_is(token, ")");
    d->is_value |= is_outside && c_token_is(token, "=");
    if (item->kind == C_ITEM_FUNCTION && is_struct(token) && c_token_is(f->before, ">"))
        item->kind = C_ITEM_STRUCT;  // template <...> struct
    if (item->kind == C_ITEM_STRUCT && !item->name && token.kind == C_TOKEN_WORD &&
        !is_struct(token))
        set_name(item, token);
    if (item->kind == C_ITEM_FUNCTION && c_token_is(token, "__global__"))
        item->kind = C_ITEM_KERNEL;
    if (is_function && opens && is_outside && f->before.kind == C_TOKEN_WORD) {
        set_name(item, f->before);
        if (c_token_is(d->first, "template")) d->is_value = false;  // an argument has a default
    }
}

// Opens the scope that the draft is the head of: a namespace, or extern "C". False: it is none.
static bool open_scope(struct finder *f)
{
    struct c_tokens tokens = c_tokens_of(f->draft.item.head);
    const guint length = (guint)f->scope->len;
    struct c_token token = c_tokens_next(&tokens);
    if (c_token_is(token, "inline")) token = c_tokens_next(&tokens);
    const bool is_namespace = c_token_is(token, "namespace");
    if (!is_namespace && (!c_token_is(token, "extern") || f->before.kind != C_TOKEN_STRING))
        return false;
    while (is_namespace && !c_token_is(token = c_tokens_next(&tokens), "{"))
        if (token.kind == C_TOKEN_WORD)
            g_string_append_printf(f->scope, "%.*s::", (int)token.length, token.start);
    g_array_append_val(f->outer_scopes, length);
    f->draft.item.start = NULL;
    return true;
}

// struct or enum may also begin a function's return type.
static void read_outside(struct finder *f, struct c_token token)
{
    struct c_item *const item = &f->draft.item;
    if (!item->start && c_token_is(token, "}")) {  // of a scope
        GArray *const outer = f->outer_scopes;
        if (!outer->len) return;
        g_string_truncate(f->scope, g_array_index(outer, guint, outer->len - 1));
        g_array_set_size(outer, outer->len - 1);
        return;
    }
    if (!item->start)
        begin_draft(f, token,
                    is_struct(token)            ? C_ITEM_STRUCT
                    : c_token_is(token, "enum") ? C_ITEM_ENUM
                                                : C_ITEM_FUNCTION);
    if (c_token_is(token, ";")) {
        item->start = NULL;
    } else if (c_token_is(token, "{")) {
        if (open_scope(f)) return;
        f->braces.depth = 1;
        item->body_line = token.line;
    } else {
        if ((item->kind == C_ITEM_STRUCT || item->kind == C_ITEM_ENUM) && c_token_is(token, "("))
            item->kind = C_ITEM_FUNCTION;
        read_name(f, token);
    }
}

// A macro that another definition contains belongs to that one.
static void read_directive(struct finder *f, struct c_token token)
{
    const bool is_define = token.kind == C_TOKEN_DIRECTIVE && token.length >= 6 &&
                           !strncmp(token.start + token.length - 6, "define", 6);
    if (!is_define || f->draft.item.start) {
        if (!f->draft.item.start) f->comment_end = 0;
        return;
    }
    begin_draft(f, token, C_ITEM_MACRO);
    const struct c_token name = c_tokens_next(&f->tokens);
    if (name.kind) set_name(&f->draft.item, name);
    const char *last = name.start;
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
                       .items = g_array_new(FALSE, FALSE, sizeof(struct c_item)),
                       .scope = g_string_new(NULL),
                       .outer_scopes = g_array_new(FALSE, FALSE, sizeof(guint))};
    for (struct c_token token; (token = c_tokens_next(&f.tokens)).kind != C_TOKEN_END;) {
        find_line(&f, token.start);
        if (token.kind == C_TOKEN_COMMENT) {
            if (!token.is_first || f.draft.item.start) continue;
            if (token.line != f.comment_end) {
                f.comment = token;
                f.comment_line = f.line;
            }
            f.comment_end = f.tokens.line + 1;
            continue;
        }
        const int depth = f.braces.depth;
        if (depth || token.is_directive) c_braces_take(&f.braces, token, f.tokens);
        if (!f.braces.depth && depth && token.is_directive) f.draft.item.start = NULL;
        if (token.is_directive) {
            read_directive(&f, token);
        } else if (depth) {
            if (!f.braces.depth && f.draft.is_value) f.draft.item.start = NULL;
            if (!f.braces.depth && f.draft.item.start) end_draft(&f, token.start);
        } else {
            read_outside(&f, token);
        }
        f.before = token;
    }
    g_string_free(f.scope, TRUE);
    g_array_free(f.outer_scopes, TRUE);
    items->count = (int)f.items->len;
    items->list = (struct c_item *)(void *)g_array_free(f.items, FALSE);
}

void c_items_finish(struct c_items *items)
{
    g_free(items->list);
    *items = (struct c_items){0};
}

bool c_item_defines(const struct c_item *item, const char *word, size_t length)
{
    struct c_token before = {.kind = C_TOKEN_END};
    struct c_tokens tokens = c_tokens_of(item->start);
    if (item->kind != C_ITEM_ENUM)
        return item->name_length == length && !strncmp(item->name, word, length);
    // A name of an enum stands behind its brace or a comma.
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind != C_TOKEN_END;) {
        if (token.start >= item->start + item->length) break;
        if (token.length == length && !strncmp(token.start, word, length) && before.kind &&
            (c_token_is(before, "{") || c_token_is(before, ",")))
            return true;
        before = token;
    }
    return false;
}
