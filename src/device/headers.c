#include "device/headers.h"

#include "base/file.h"
#include "device/build_log.h"
#include "device/cache.h"

#include <glib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// kernel.h comes first, even if it is missing: reading it then fails with its name.
static GPtrArray *header_names(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".h") && name[0] != '.' && strcmp(name, "kernel.h"))
            g_ptr_array_add(names, g_strdup(name));
    if (dir) g_dir_close(dir);
    g_ptr_array_sort(names, by_name);
    g_ptr_array_insert(names, 0, g_strdup("kernel.h"));
    return names;
}

bool headers_load(struct headers *h, const char *folder, struct error *err)
{
    GPtrArray *names = header_names(folder);
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
