#include "cache.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

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

void cache_write(const char *key, const char *suffix, const void *bytes, size_t size)
{
    char *path = cache_path(key, suffix);
    if (path) g_file_set_contents(path, bytes, (gssize)size, NULL);
    g_free(path);
}
