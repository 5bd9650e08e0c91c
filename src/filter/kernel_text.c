#include "filter/kernel_text.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/c_tokens.h"

// ---- definitions ----

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

// ---- a variant ----

struct file {
    const char *path, *text;
    struct c_items items;
};

struct collector {
    GArray *files;  // struct file
    GArray *parts;  // struct kernel_text_part
};

// ---- the files ----

static void add_file(struct collector *c, const char *path, const char *text)
{
    struct file file = {.path = path, .text = text};
    for (guint i = 0; i < c->files->len; i++)
        if (!strcmp(g_array_index(c->files, struct file, i).path, path)) return;
    c_items_find(&file.items, text);
    g_array_append_val(c->files, file);
}

// Adds the file, then the headers that it includes, then those that these include.
static void add_files(struct collector *c, const struct filter *f, const struct headers *headers)
{
    add_file(c, f->path, f->source);
    for (guint i = 0; i < c->files->len; i++) {
        struct c_tokens tokens = c_tokens_of(g_array_index(c->files, struct file, i).text);
        bool is_include = false;
        for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
            const struct header *header = NULL;
            if (is_include && token.kind == C_TOKEN_STRING && token.length > 2)
                header = headers_find(headers, token.start + 1, token.length - 2);
            if (header) add_file(c, header->path, header->text);
            is_include = c_token_is(token, "#include");
        }
    }
}

// ---- the parts ----

static void add_part(struct collector *c, const struct file *file, const struct c_item *item,
                     enum kernel_text_kind kind)
{
    struct kernel_text_part part = {.kind = kind,
                                    .path = file->path,
                                    .start = item->start,
                                    .length = item->length,
                                    .line = item->line};
    for (guint i = 0; i < c->parts->len; i++)
        if (g_array_index(c->parts, struct kernel_text_part, i).start == item->start) return;
    g_snprintf(part.name, sizeof part.name, "%.*s", (int)item->name_length,
               item->name ? item->name : "");
    g_array_append_val(c->parts, part);
}

static void add_defined(struct collector *c, const struct file *file, const char *name,
                        enum c_item_kind wanted, enum kernel_text_kind kind)
{
    for (int i = 0; i < file->items.count; i++) {
        const struct c_item *item = &file->items.list[i];
        if (item->kind == wanted && c_item_defines(item, name, strlen(name)))
            add_part(c, file, item, kind);
    }
}

// Adds what the file itself defines by that name and kind.
static void add_named(struct collector *c, const char *name, enum c_item_kind wanted,
                      enum kernel_text_kind kind)
{
    add_defined(c, &g_array_index(c->files, struct file, 0), name, wanted, kind);
}

// A header may have it.
static void add_untimed(struct collector *c, const char *name)
{
    for (guint i = 0; *name && i < c->files->len; i++)
        add_defined(c, &g_array_index(c->files, struct file, i), name, C_ITEM_KERNEL,
                    KERNEL_TEXT_UNTIMED);
}

// Adds the line that names a library's function, with the comment above it, and the REFERENCEs.
static void add_library(struct collector *c, const struct filter *f, const struct variant *v)
{
    const struct file *file = &g_array_index(c->files, struct file, 0);
    const char *start = file->text, *at = start;
    int line = 1, first = 1;
    for (; line < v->library.line; line++) {
        const char *next = strchr(at, '\n') + 1;
        if (!g_str_has_prefix(at, "// ")) {
            start = next;
            first = line + 1;
        }
        at = next;
    }
    const size_t length = (size_t)(at - start) + strcspn(at, "\n");
    const struct c_item item = {.name = v->name,
                                .name_length = strlen(v->name),
                                .start = start,
                                .length = length,
                                .line = first};
    add_part(c, file, &item, KERNEL_TEXT_HELPER);
    for (int i = 0; i < f->array_count; i++)
        add_named(c, f->arrays[i].name, C_ITEM_KERNEL, KERNEL_TEXT_HELPER);
}

// Adds the items of one file that a part uses. The array of parts may move while it grows.
static void add_used_by(struct collector *c, guint index, const struct file *file)
{
    static const char *const machinery[] = {"KERNEL", "REFERENCE", "in", "out", "p", "d"};
    const struct kernel_text_part part = g_array_index(c->parts, struct kernel_text_part, index);
    struct c_tokens tokens = c_tokens_of(part.start);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        if (token.start >= part.start + part.length) return;
        bool is_helper = token.kind == C_TOKEN_WORD;
        for (size_t i = 0; i < G_N_ELEMENTS(machinery); i++)
            is_helper &= !c_token_is(token, machinery[i]);
        for (int i = 0; is_helper && i < file->items.count; i++) {
            const struct c_item *item = &file->items.list[i];
            if (item->kind != C_ITEM_KERNEL && c_item_defines(item, token.start, token.length))
                add_part(c, file, item, KERNEL_TEXT_HELPER);
        }
    }
}

void kernel_text_find(struct kernel_text *t, const struct filter *f, const struct variant *v,
                      const struct headers *headers)
{
    struct collector c = {g_array_new(FALSE, FALSE, sizeof(struct file)),
                          g_array_new(FALSE, FALSE, sizeof(struct kernel_text_part))};
    add_files(&c, f, headers);
    if (v->library.function) add_library(&c, f, v);
    for (int i = 0; i < v->pass_count; i++)
        add_named(&c, v->passes[i].entry, C_ITEM_KERNEL, KERNEL_TEXT_PASS);
    add_untimed(&c, v->prepare);
    add_untimed(&c, v->finish);
    add_named(&c, "params", C_ITEM_STRUCT, KERNEL_TEXT_HELPER);
    add_named(&c, "arrays", C_ITEM_STRUCT, KERNEL_TEXT_HELPER);
    // File by file: a header's function cannot use the file that includes it.
    for (guint file = 0; file < c.files->len; file++)
        for (guint i = 0; i < c.parts->len; i++)
            add_used_by(&c, i, &g_array_index(c.files, struct file, file));
    for (guint i = 0; i < c.files->len; i++)
        c_items_finish(&g_array_index(c.files, struct file, i).items);
    g_array_free(c.files, TRUE);
    t->count = (int)c.parts->len;
    t->parts = (struct kernel_text_part *)(void *)g_array_free(c.parts, FALSE);
}

void kernel_text_finish(struct kernel_text *t)
{
    g_free(t->parts);
    *t = (struct kernel_text){0};
}
