#include "viewer/watch.h"

#include <glib.h>
#include <sys/stat.h>

static const gint64 LOOK_US = 25000;

struct watch {
    char *folder;
    gint64 looked_us;
    guint64 told, seen;  // fingerprints: of what was last told, and of the last look
};

static bool is_source(const char *name)
{
    static const char *const endings[] = {".cu", ".h", ".vert", ".frag"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (g_str_has_suffix(name, endings[i])) return true;
    return false;
}

// Folders list their files in any order, so the files' hashes are added. Rooms: folders in it are
// looked into, too.
static guint64 fingerprint(const char *folder, bool has_rooms)
{
    guint64 sum = 0;
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        struct stat info;
        const bool is_file = is_source(name);
        if (!is_file && (!has_rooms || name[0] == '.')) continue;
        char *path = g_build_filename(folder, name, NULL);
        if (!is_file) {
            if (g_file_test(path, G_FILE_TEST_IS_DIR)) sum += fingerprint(path, false);
        } else if (stat(path, &info) == 0) {
            char *text = g_strdup_printf("%s %lld %lld.%09ld %llu", name, (long long)info.st_size,
                                         (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                                         (unsigned long long)info.st_ino);
            sum += 1 + g_str_hash(text) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
            g_free(text);
        }
        g_free(path);
    }
    if (dir) g_dir_close(dir);
    return sum;
}

struct watch *watch_create(const char *folder)
{
    struct watch *w = g_new0(struct watch, 1);
    w->folder = g_strdup(folder);
    w->told = w->seen = fingerprint(folder, true);
    w->looked_us = g_get_monotonic_time();
    return w;
}

void watch_destroy(struct watch *w)
{
    if (!w) return;
    g_free(w->folder);
    g_free(w);
}

bool watch_has_changed(struct watch *w)
{
    const gint64 now = g_get_monotonic_time();
    if (now - w->looked_us < LOOK_US) return false;
    w->looked_us = now;
    const guint64 before = w->seen;
    w->seen = fingerprint(w->folder, true);
    if (w->seen != before || w->seen == w->told) return false;  // still moving, or known
    w->told = w->seen;
    return true;
}
