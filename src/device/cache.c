#include "device/cache.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <utime.h>

enum { KEY_LENGTH = 64 };

char *cache_key(const char *first, ...)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    va_list args;
    va_start(args, first);
    for (const char *text = first; text; text = va_arg(args, const char *))
        g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
    va_end(args);
    char *key = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return key;
}

char *cache_path(const char *key, const char *suffix)
{
    const char *chosen = g_getenv("TILESCOPE_CACHE");
    if (chosen && !*chosen) return NULL;

    char *folder =
        chosen ? g_strdup(chosen) : g_build_filename(g_get_user_cache_dir(), "tilescope", NULL);
    char *path = NULL;
    if (g_mkdir_with_parents(folder, 0755) == 0) {
        char *name = g_strconcat(key, suffix, NULL);
        path = g_build_filename(folder, name, NULL);
        g_utime(path, NULL);
        g_free(name);
    }
    g_free(folder);
    return path;
}

bool cache_read(const char *key, const char *suffix, void **bytes, size_t *size)
{
    char *path = cache_path(key, suffix), *contents = NULL;
    gsize length = 0;
    const bool is_found = path && g_file_get_contents(path, &contents, &length, NULL);
    g_free(path);
    if (!is_found) return false;
    *bytes = contents;
    *size = length;
    return true;
}

// ---- removing the oldest ----

struct entry {
    char *path;
    time_t used;
};

static void free_entry(gpointer data)
{
    struct entry *e = data;
    g_free(e->path);
}

static int by_use(gconstpointer a, gconstpointer b)
{
    const struct entry *p = a, *q = b;
    return (p->used > q->used) - (p->used < q->used);
}

// An entry's name is a key, a dot and a suffix.
static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == KEY_LENGTH && name[KEY_LENGTH] == '.';
}

static GArray *entries_of(const char *folder)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
    g_array_set_clear_func(entries, free_entry);
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        GStatBuf about;
        if (!is_entry(name)) continue;
        struct entry e = {g_build_filename(folder, name, NULL), 0};
        if (g_stat(e.path, &about) == 0) e.used = about.st_mtime;
        g_array_append_val(entries, e);
    }
    if (dir) g_dir_close(dir);
    return entries;
}

static void remove_oldest(const char *folder)
{
    GArray *entries = entries_of(folder);
    if (entries->len > CACHE_ENTRIES) g_array_sort(entries, by_use);
    for (guint i = 0; i + CACHE_ENTRIES < entries->len; i++)
        g_remove(g_array_index(entries, struct entry, i).path);
    g_array_free(entries, TRUE);
}

void cache_write(const char *key, const char *suffix, const void *bytes, size_t size)
{
    char *path = cache_path(key, suffix);
    if (path && g_file_set_contents(path, bytes, (gssize)size, NULL)) {
        char *folder = g_path_get_dirname(path);
        remove_oldest(folder);
        g_free(folder);
    }
    g_free(path);
}
