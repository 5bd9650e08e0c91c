// folder.h -- ends what a test has put into a folder of its own.
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

#endif
