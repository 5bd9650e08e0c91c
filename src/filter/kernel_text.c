#include "filter/kernel_text.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "base/c_items.h"

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

// ---- the parts ----

static void add_part(struct collector *c, const struct file *file, const struct c_item *item,
                     enum kernel_text_kind kind)
{
    struct kernel_text_part part = {.kind = kind,
                                    .path = file->path,
                                    .start = item->start,
                                    .length = item->length,
                                    .line = item->line,
                                    .head = item->head_line - item->line,
                                    .body = item->body_line + 1 - item->line};
    for (guint i = 0; i < c->parts->len; i++)
        if (g_array_index(c->parts, struct kernel_text_part, i).start == item->start) return;
    g_snprintf(part.name, sizeof part.name, "%.*s", (int)item->name_length,
               item->name ? item->name : "");
    g_array_append_val(c->parts, part);
}

static void add_kernel(struct collector *c, const struct file *file, const char *name,
                       enum kernel_text_kind kind)
{
    const size_t length = strcspn(name, "<");
    for (int i = 0; i < file->items.count; i++) {
        const struct c_item *item = &file->items.list[i];
        if (item->kind == C_ITEM_KERNEL && c_item_defines(item, name, length))
            add_part(c, file, item, kind);
    }
}

// A header may have it.
static void add_untimed(struct collector *c, const struct filter *f, const char *entry)
{
    const int index = filter_untimed(f, entry);
    for (guint i = 0; index >= 0 && i < c->files->len; i++)
        add_kernel(c, &g_array_index(c->files, struct file, i), f->untimed[index].kernel,
                   KERNEL_TEXT_UNTIMED);
}

// Adds the line that names a library's function, with the comment above it, and the references.
static void add_library(struct collector *c, const struct variant *v)
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
                                .line = first,
                                .head_line = first,
                                .body_line = first};
    add_part(c, file, &item, KERNEL_TEXT_HELPER);
    for (int i = 0; i < file->items.count; i++) {
        const struct c_item *one = &file->items.list[i];
        if (g_strstr_len(one->start, one->head - one->start, "//! reference "))
            add_part(c, file, one, KERNEL_TEXT_HELPER);
    }
}

// Adds the items of one file that a part uses. The array of parts may move while it grows. A word
// that names an array is an argument, even where a reference has its name, too.
static void add_used_by(struct collector *c, const struct filter *f, guint index,
                        const struct file *file)
{
    const struct kernel_text_part part = g_array_index(c->parts, struct kernel_text_part, index);
    struct c_tokens tokens = c_tokens_of(part.start);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        if (token.start >= part.start + part.length) return;
        bool is_helper = token.kind == C_TOKEN_WORD;
        for (int i = 0; i < f->array_count; i++) is_helper &= !c_token_is(token, f->arrays[i].name);
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
    // The file comes first, then the headers that it includes, then those that these include.
    add_file(&c, f->path, f->source);
    for (guint i = 0; i < c.files->len; i++) {
        struct c_tokens tokens = c_tokens_of(g_array_index(c.files, struct file, i).text);
        for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
            const struct header *const header = headers_included(headers, token, tokens);
            if (header) add_file(&c, header->path, header->text);
        }
    }
    if (v->library.function) add_library(&c, v);
    for (int i = 0; i < v->pass_count; i++)
        add_kernel(&c, &g_array_index(c.files, struct file, 0), v->passes[i].kernel,
                   KERNEL_TEXT_PASS);
    add_untimed(&c, f, v->prepare);
    add_untimed(&c, f, v->finish);
    // It goes file by file, because a header's function cannot use the file that includes it.
    for (guint file = 0; file < c.files->len; file++)
        for (guint i = 0; i < c.parts->len; i++)
            add_used_by(&c, f, i, &g_array_index(c.files, struct file, file));
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

// ---- the key ----

static void hash_token(GChecksum *sum, struct c_token token)
{
    const bool is_note =
        token.kind == C_TOKEN_COMMENT && !strncmp(token.start, "//!", MIN(token.length, 3));
    if (token.kind == C_TOKEN_COMMENT && !is_note) return;
    g_checksum_update(sum, (const guchar *)token.start, (gssize)token.length);
    g_checksum_update(sum, (const guchar *)"\n", 1);
}

char *kernel_text_key(const struct filter *f, const struct variant *v,
                      const struct headers *headers)
{
    enum { DIGITS = 16 };
    OWNED(kernel_text_finish) struct kernel_text t;
    OWNED(c_items_finish) struct c_items items;
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    kernel_text_find(&t, f, v, headers);
    c_items_find(&items, f->source);
    const char *skip_until = f->source;
    struct c_tokens tokens = c_tokens_of(f->source);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        for (int i = 0; i < items.count; i++) {
            const struct c_item *item = &items.list[i];
            const char *const end = item->start + item->length;
            bool is_others =
                item->kind == C_ITEM_KERNEL && token.start >= item->start && token.start < end;
            for (int k = 0; k < t.count; k++) is_others &= t.parts[k].start != item->start;
            if (is_others) skip_until = end;
        }
        if (token.start >= skip_until) hash_token(sum, token);
    }
    for (int i = 0; i < t.count; i++) {
        const struct kernel_text_part *part = &t.parts[i];
        if (!strcmp(part->path, f->path)) continue;
        tokens = c_tokens_of(part->start);
        for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END &&
                                   token.start < part->start + part->length;)
            hash_token(sum, token);
    }
    char *key = g_strndup(g_checksum_get_string(sum), DIGITS);
    g_checksum_free(sum);
    return key;
}
