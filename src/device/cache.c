// An entry holds its bytes and behind them a hash, in hex, of the bytes and the entry's name.
#include "device/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "base/signals.h"

enum { SUM_BYTES = 64 };

// An entry's name is a key and a suffix. ".XXXXXX" follows if the writing was interrupted. To add a
// kind of entry: its suffix.
static const char entry_name[] = "^[0-9a-f]{64}\\.(so|cubin|why)(\\..{6})?$";

char *cache_key(const char *first, ...)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    va_list args;
    va_start(args, first);
    for (const char *text = first; text; text = va_arg(args, const char *))
        g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
    va_end(args);
    return g_strdup(g_checksum_get_string(sum));
}

char *cache_folder(struct error *why)
{
    const char *chosen = g_getenv("TILESCOPE_CACHE");
    if (chosen && !*chosen) {
        error_set(why, "TILESCOPE_CACHE is empty");
        return NULL;
    }
    char *folder =
        chosen ? g_strdup(chosen) : g_build_filename(g_get_user_cache_dir(), "tilescope", NULL);
    // Others must not be able to replace our files. In a sticky folder they cannot.
    struct stat facts;
    if (g_mkdir_with_parents(folder, 0700))
        error_set(why, "cannot make '%s': %s", folder, g_strerror(errno));
    else if (stat(folder, &facts))
        error_set(why, "cannot open '%s'", folder);
    else if (!S_ISDIR(facts.st_mode))
        error_set(why, "'%s' is no folder", folder);
    else if (facts.st_uid != geteuid() && facts.st_uid != 0)
        error_set(why, "'%s' belongs to somebody else", folder);
    else if (facts.st_mode & (S_IWGRP | S_IWOTH) && !(facts.st_mode & S_ISVTX))
        error_set(why, "others may write to '%s'", folder);
    else
        return folder;
    g_free(folder);
    return NULL;
}

char *cache_path(const char *key, const char *suffix)
{
    g_autofree char *folder = cache_folder(NULL);
    if (!folder) return NULL;
    g_autofree char *name = g_strconcat(key, suffix, NULL);
    char *path = g_build_filename(folder, name, NULL);
    g_utime(path, NULL);
    return path;
}

// ---- reading ----

static char *sum_of(const char *path, const void *bytes, size_t size)
{
    g_autofree char *name = g_path_get_basename(path);
    return g_compute_hmac_for_data(G_CHECKSUM_SHA256, (const guchar *)name, strlen(name), bytes,
                                   size);
}

// Reads only a file that nobody else can have written.
bool cache_read(const char *key, const char *suffix, void **bytes, size_t *size)
{
    struct stat facts;
    size_t all = 0;
    g_autofree char *path = cache_path(key, suffix);
    const int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    const bool is_own = fd >= 0 && !fstat(fd, &facts) && S_ISREG(facts.st_mode) &&
                        facts.st_uid == geteuid() && !(facts.st_mode & (S_IWGRP | S_IWOTH));
    g_autofree char *entry = is_own ? g_try_malloc((size_t)facts.st_size + 1) : NULL;
    ssize_t got;
    while (entry && all < (size_t)facts.st_size &&
           (got = read(fd, entry + all, (size_t)facts.st_size - all)) > 0)
        all += (size_t)got;
    if (fd >= 0) close(fd);
    g_autofree char *sum = entry && all >= SUM_BYTES ? sum_of(path, entry, all - SUM_BYTES) : NULL;
    const bool is_there = sum && !memcmp(sum, entry + all - SUM_BYTES, SUM_BYTES);
    if (is_there) {
        *size = all - SUM_BYTES;
        *bytes = g_steal_pointer(&entry);
    }
    return is_there;
}

// ---- waiting for others ----

// A file of the folder whose bytes stand for keys; nothing is written to it. The system lets go of
// a byte when its process ends, however it does.
static int open_turns(void)
{
    g_autofree char *folder = cache_folder(NULL);
    g_autofree char *path = folder ? g_build_filename(folder, "turns", NULL) : NULL;
    return path ? open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600) : -1;
}

bool cache_await(const char *key, const char *suffix, double patience_s, const atomic_bool *cancel,
                 void **bytes, size_t *size, int *turn)
{
    enum { FIRST_DIGITS = 15, NAP_US = 20000 };  // a file has 2^63 places
    *turn = -1;
    if (cache_read(key, suffix, bytes, size)) return true;
    const int fd = open_turns();
    g_autofree char *digits = g_strndup(key, FIRST_DIGITS);
    struct flock place = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)g_ascii_strtoull(digits, NULL, 16),
                          .l_len = 1};
    const gint64 end = g_get_monotonic_time() + (gint64)(patience_s * 1e6);
    while (fd >= 0 && fcntl(fd, F_OFD_SETLK, &place) != 0) {
        if ((errno != EAGAIN && errno != EACCES) || g_get_monotonic_time() >= end ||
            (cancel && atomic_load(cancel)) || signals_came()) {
            close(fd);
            return false;
        }
        g_usleep(NAP_US);
    }
    // The one before may have made it since the first look.
    const bool is_there = cache_read(key, suffix, bytes, size);
    if (is_there)
        close(fd);
    else
        *turn = fd;
    return is_there;
}

// ---- removing the oldest ----

struct entry {
    char *path;
    time_t used;
};

static int by_use(gconstpointer a, gconstpointer b)
{
    const struct entry *p = a, *q = b;
    return (p->used > q->used) - (p->used < q->used);
}

// It counts first, because asking for each file's time costs a hundred times as much as reading the
// names.
static void remove_oldest(const char *folder)
{
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
    g_autoptr(GRegex) form = g_regex_new(entry_name, G_REGEX_RAW | G_REGEX_DOLLAR_ENDONLY, 0, NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        if (!g_regex_match(form, name, 0, NULL)) continue;
        const struct entry e = {g_build_filename(folder, name, NULL), 0};
        g_array_append_val(entries, e);
    }
    struct entry *const list = (struct entry *)entries->data;
    const guint over_much = entries->len - MIN(entries->len, CACHE_ENTRIES);
    GStatBuf about;
    for (guint i = 0; over_much && i < entries->len; i++)
        if (g_stat(list[i].path, &about) == 0) list[i].used = about.st_mtime;
    if (over_much) g_array_sort(entries, by_use);
    for (guint i = 0; i < entries->len; i++) {
        if (i < over_much) g_unlink(list[i].path);
        g_free(list[i].path);
    }
}

void cache_write(const char *key, const char *suffix, const void *bytes, size_t size)
{
    g_autofree char *path = cache_path(key, suffix);
    if (!path) return;
    g_autofree char *sum = sum_of(path, bytes, size), *entry = g_malloc(size + SUM_BYTES);
    memcpy(entry, bytes, size);
    memcpy(entry + size, sum, SUM_BYTES);
    if (g_file_set_contents_full(path, entry, (gssize)(size + SUM_BYTES),
                                 G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL)) {
        g_autofree char *folder = g_path_get_dirname(path);
        remove_oldest(folder);
    }
}
