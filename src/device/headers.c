#include "device/headers.h"

#include "base/c_tokens.h"
#include "base/file.h"
#include "device/backend.h"
#include "device/build_log.h"
#include "device/cache.h"

#include <glib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool headers_load(struct headers *h, const char *folder, struct error *err)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".h") && name[0] != '.' && strcmp(name, "kernel.h"))
            g_ptr_array_add(names, g_strdup(name));
    if (dir) g_dir_close(dir);
    g_ptr_array_sort(names, by_name);
    // It comes first, even if it is missing: reading it then fails with its name.
    g_ptr_array_insert(names, 0, g_strdup("kernel.h"));
    struct headers found = {.list = g_new0(struct header, names->len)};
    bool is_good = true;
    for (guint i = 0; i < names->len && is_good; i++) {
        struct header *const one = &found.list[found.count++];
        one->path = g_build_filename(folder, g_ptr_array_index(names, i), NULL);
        one->text = file_read_text(one->path, err);
        is_good = one->text != NULL;
    }
    g_ptr_array_free(names, TRUE);
    if (is_good)
        *h = found;
    else
        headers_finish(&found);
    return is_good;
}

void headers_finish(struct headers *h)
{
    for (int i = 0; i < h->count; i++) {
        g_free(h->list[i].path);
        g_free(h->list[i].text);
    }
    g_free(h->list);
    *h = (struct headers){0};
}

const struct header *headers_find(const struct headers *h, const char *name, size_t length)
{
    for (int i = 0; i < h->count; i++) {
        const char *own = build_log_name(h->list[i].path);
        if (strlen(own) == length && !strncmp(own, name, length)) return &h->list[i];
    }
    return NULL;
}

char *headers_key(const struct headers *h)
{
    char *key = g_strdup("");
    for (int i = 0; i < h->count; i++) {
        char *longer = cache_key(key, build_log_name(h->list[i].path), h->list[i].text, NULL);
        g_free(key);
        key = longer;
    }
    return key;
}

// ---- what a file includes ----

static void refuse(struct build_log *log, const char *path, const char *joined, struct c_token name)
{
    static const char why[] = "is not one of the headers that a kernel file may include, which "
                              "are those beside kernel.h";
    const char *line = name.start;
    while (line > joined && line[-1] != '\n') line--;
    const size_t closed = strcspn(name.start, ">\n"), rest = name.start[closed] == '>';
    const size_t length = *name.start == '<' ? closed + rest : name.length;
    char *message = g_strdup_printf("%.*s %s", (int)length, name.start, why);
    build_log_add(log, path, name.line, (int)(name.start - line) + 1, message, NULL);
    g_free(message);
}

static bool begins(struct c_token token, const char *prefix)
{
    const char *word = token.start + 1 + strspn(token.start + 1, " \t");
    return token.kind == C_TOKEN_DIRECTIVE && g_str_has_prefix(word, prefix);
}

// "#if 0" and no more.
static bool switches_off(struct c_token token, struct c_tokens behind)
{
    if (!begins(token, "if") || begins(token, "ifdef") || begins(token, "ifndef")) return false;
    if (!c_token_is(c_tokens_next(&behind), "0")) return false;
    do token = c_tokens_next(&behind);
    while (token.kind == C_TOKEN_COMMENT && !token.is_first);
    return token.kind == C_TOKEN_END || token.is_first;
}

// Skips what "#if 0" switches off, up to where it may be on again.
static void skip_off(struct c_tokens *tokens)
{
    int depth = 1;  // of the #ifs
    while (depth > 0) {
        const struct c_token token = c_tokens_next(tokens);
        if (token.kind == C_TOKEN_END) return;
        if (depth == 1 && begins(token, "el")) return;
        depth += begins(token, "if") - begins(token, "endif");
    }
}

bool headers_check(const struct headers *h, const struct build *build, struct error *err)
{
    struct build_log *log = build_log_create(build->path, build->source, h);
    const struct header file = {(char *)build->path, (char *)build->source};
    GPtrArray *reached = g_ptr_array_new();  // the file, then headers
    g_ptr_array_add(reached, (gpointer)&file);
    for (guint i = 0; i < reached->len; i++) {
        const struct header *const one = g_ptr_array_index(reached, i);
        char *joined = c_tokens_join_lines(one->text);
        struct c_tokens tokens = c_tokens_of(joined);
        for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
            if (switches_off(token, tokens)) skip_off(&tokens);
            if (!begins(token, "include") && !begins(token, "import")) continue;
            const struct c_token name = c_tokens_next(&tokens);
            const struct header *header = name.kind == C_TOKEN_STRING && name.length > 2
                                              ? headers_find(h, name.start + 1, name.length - 2)
                                              : NULL;
            // common.h includes the emulator's where no CUDA compiler reads. The cache's key of the
            // cpu device covers it.
            if (header && !g_ptr_array_find(reached, header, NULL))
                g_ptr_array_add(reached, (gpointer)header);
            else if (!header && (i == 0 || !c_token_is(name, "\"cuda_words.h\"")))
                refuse(log, one->path, joined, name);
        }
        g_free(joined);
    }
    g_ptr_array_free(reached, TRUE);
    const bool is_refused = build_log_take(log, err);
    build_log_free(log);
    return !is_refused;
}
