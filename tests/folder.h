// folder.h -- a folder of a test's own, with what it puts there.
#ifndef FOLDER_H
#define FOLDER_H

#include <glib.h>
#include <glib/gstdio.h>

// Removes a file, a link, or a folder with all that it holds. 0: it is gone.
static inline int folder_remove(const char *path)
{
    if (!g_remove(path)) return 0;
    GDir *dir = g_dir_open(path, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        char *inner = g_build_filename(path, name, NULL);
        folder_remove(inner);
        g_free(inner);
    }
    if (dir) g_dir_close(dir);
    return g_remove(path);
}

static inline char *folder_make(void)
{
    return g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
}

// Removes it, and frees its name.
static inline void folder_end(char *path)
{
    folder_remove(path);
    g_free(path);
}

// The path of a file in it, which g_free frees. text: what is written there; NULL: nothing.
static inline char *folder_file(const char *in, const char *name, const char *text)
{
    char *path = g_build_filename(in, name, NULL);
    if (text && !g_file_set_contents(path, text, -1, NULL)) g_error("cannot write '%s'", path);
    return path;
}

#endif
