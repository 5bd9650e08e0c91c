// An entry is what was written and behind it a hash, in hex, of that and of the entry's name.
// Loaders of shared objects and of cubins pass over what is behind their end.
#define _XOPEN_SOURCE 700  // S_ISVTX
#include "device/cache.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

enum { KEY_LENGTH = 64, SUM_BYTES = 64 };

// To add a kind of entry: its suffix.
static const char *const suffixes[] = {".so", ".cubin"};

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

// Others may not put files in place of ours. In a sticky folder they cannot.
static bool is_safe_folder(const char *folder)
{
    struct stat facts;
    if (stat(folder, &facts)) return false;
    return S_ISDIR(facts.st_mode) && (facts.st_uid == geteuid() || facts.st_uid == 0) &&
           (!(facts.st_mode & (S_IWGRP | S_IWOTH)) || (facts.st_mode & S_ISVTX));
}

char *cache_path(const char *key, const char *suffix)
{
    const char *chosen = g_getenv("TILESCOPE_CACHE");
    if (chosen && !*chosen) return NULL;

    char *folder =
        chosen ? g_strdup(chosen) : g_build_filename(g_get_user_cache_dir(), "tilescope", NULL);
    char *path = NULL;
    if (g_mkdir_with_parents(folder, 0700) == 0 && is_safe_folder(folder)) {
        char *name = g_strconcat(key, suffix, NULL);
        path = g_build_filename(folder, name, NULL);
        g_utime(path, NULL);
        g_free(name);
    }
    g_free(folder);
    return path;
}

// ---- reading ----

static char *sum_of(const char *path, const void *bytes, size_t size)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    char *name = g_path_get_basename(path);
    g_checksum_update(sum, (const guchar *)name, (gssize)strlen(name) + 1);
    g_checksum_update(sum, bytes, (gssize)size);
    char *text = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    g_free(name);
    return text;
}

// Ours alone: nobody else can have written it.
static bool is_own_file(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
           !(facts.st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_whole(const char *path, GMappedFile *file)
{
    const size_t size = g_mapped_file_get_length(file);
    const char *bytes = g_mapped_file_get_contents(file);
    if (size < SUM_BYTES) return false;
    char *sum = sum_of(path, bytes, size - SUM_BYTES);
    const bool is_same = !memcmp(sum, bytes + size - SUM_BYTES, SUM_BYTES);
    g_free(sum);
    return is_same;
}

// A whole entry of ours; NULL: there is none.
static GMappedFile *open_entry(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    GMappedFile *file =
        fd >= 0 && is_own_file(fd) ? g_mapped_file_new_from_fd(fd, FALSE, NULL) : NULL;
    if (fd >= 0) close(fd);
    if (file && !is_whole(path, file)) g_clear_pointer(&file, g_mapped_file_unref);
    return file;
}

char *cache_find(const char *key, const char *suffix)
{
    char *path = cache_path(key, suffix);
    GMappedFile *file = path ? open_entry(path) : NULL;
    if (!file) g_clear_pointer(&path, g_free);
    if (file) g_mapped_file_unref(file);
    return path;
}

bool cache_read(const char *key, const char *suffix, void **bytes, size_t *size)
{
    char *path = cache_path(key, suffix);
    GMappedFile *file = path ? open_entry(path) : NULL;
    g_free(path);
    if (!file) return false;
    *size = g_mapped_file_get_length(file) - SUM_BYTES;
    *bytes = g_malloc(*size + 1);  // there is an address even if there is no byte
    memcpy(*bytes, g_mapped_file_get_contents(file), *size);
    g_mapped_file_unref(file);
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

// An entry's name is a key and a suffix. ".XXXXXX" follows where its writing was broken off.
static bool is_entry(const char *name)
{
    if (strspn(name, "0123456789abcdef") != KEY_LENGTH) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        if (!g_str_has_prefix(name + KEY_LENGTH, suffixes[i])) continue;
        const char *end = name + KEY_LENGTH + strlen(suffixes[i]);
        if (!*end || (*end == '.' && strlen(end) == strlen(".XXXXXX"))) return true;
    }
    return false;
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
        g_unlink(g_array_index(entries, struct entry, i).path);
    g_array_free(entries, TRUE);
}

void cache_write(const char *key, const char *suffix, const void *bytes, size_t size)
{
    char *path = cache_path(key, suffix);
    if (!path) return;
    char *sum = sum_of(path, bytes, size), *entry = g_malloc(size + SUM_BYTES);
    memcpy(entry, bytes, size);
    memcpy(entry + size, sum, SUM_BYTES);
    if (g_file_set_contents_full(path, entry, (gssize)(size + SUM_BYTES),
                                 G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL)) {
        char *folder = g_path_get_dirname(path);
        remove_oldest(folder);
        g_free(folder);
    }
    g_free(entry);
    g_free(sum);
    g_free(path);
}
