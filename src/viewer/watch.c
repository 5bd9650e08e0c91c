#include "viewer/watch.h"

#include <glib.h>
#include <sys/stat.h>

static const gint64 LOOK_US = 75000, LOOK_AGAIN_US = 25000;

struct watch {
    char *path;
    gint64 looked_us;
    guint64 told, seen;  // fingerprints: of what was last told, and of the last look
};

// 0: there is no such file.
static guint64 fingerprint_file(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return 0;
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *text = g_strdup_printf("%s %lld %lld.%09ld %llu", name,
                                            (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                                            info.st_mtim.tv_nsec, (unsigned long long)info.st_ino);
    return 1 + g_str_hash(text) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
}

// Folders list their files in any order, so the files' hashes are added.
static guint64 fingerprint_folder(const char *folder, bool with_inner)
{
    static const char *const endings[] = {".cu", ".h", ".cuh", ".hpp", ".vert", ".frag"};
    guint64 sum = 0;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        bool is_file = false;
        for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
            is_file |= g_str_has_suffix(name, endings[i]);
        if (!is_file && (!with_inner || name[0] == '.')) continue;
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (is_file)
            sum += fingerprint_file(path);
        else if (g_file_test(path, G_FILE_TEST_IS_DIR))
            sum += fingerprint_folder(path, false);
    }
    return sum;
}

static guint64 fingerprint(const char *path)
{
    if (g_str_has_suffix(path, ".cu")) {  // it includes headers beside it
        g_autofree char *folder = g_path_get_dirname(path);
        return fingerprint_folder(folder, false);
    }
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fingerprint_file(path)
                                                     : fingerprint_folder(path, true);
}

struct watch *watch_create(const char *path)
{
    struct watch *w = g_new0(struct watch, 1);
    w->path = g_strdup(path);
    w->told = w->seen = fingerprint(path);
    w->looked_us = g_get_monotonic_time();
    return w;
}

void watch_destroy(struct watch *w)
{
    if (!w) return;
    g_free(w->path);
    g_free(w);
}

bool watch_has_changed(struct watch *w)
{
    const gint64 now = g_get_monotonic_time();
    if (now - w->looked_us < (w->seen == w->told ? LOOK_US : LOOK_AGAIN_US)) return false;
    w->looked_us = now;
    return watch_look(w);
}

bool watch_look(struct watch *w)
{
    const guint64 before = w->seen;
    w->seen = fingerprint(w->path);
    if (w->seen != before || w->seen == w->told) return false;  // still moving, or known
    w->told = w->seen;
    return true;
}
