// folder.h -- a folder of a test's own, with what it puts there.
#pragma once

#include <glib.h>

#include "base/file.h"

static inline char *folder_make(void)
{
    return g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
}

// Removes it, and frees its name.
static inline void folder_end(char *path)
{
    file_remove_all(path);
    g_free(path);
}

// A test's set-up and tear-down, with the folder as its state.
static inline int folder_set_up(void **state)
{
    return (*state = folder_make()) ? 0 : -1;
}

static inline int folder_tear_down(void **state)
{
    const int failed = !file_remove_all(*state);
    g_free(*state);
    return failed;
}

// The path of a file in it, which g_free frees. text: what is written there; NULL: nothing.
static inline char *folder_file(const char *in, const char *name, const char *text)
{
    char *path = g_build_filename(in, name, NULL);
    if (text && !g_file_set_contents(path, text, -1, NULL)) g_error("cannot write '%s'", path);
    return path;
}

#ifdef TILESCOPE_CC
// The path of a shared object in it, made of a text of C, which g_free frees.
static inline char *folder_library(const char *in, const char *name, const char *text)
{
    g_autofree char *source = folder_file(in, "library.c", text), *said = NULL;
    char *const path = g_build_filename(in, name, NULL);
    char *argv[] = {(char *)TILESCOPE_CC,
                    (char *)"-shared",
                    (char *)"-fPIC",
                    (char *)"-w",
                    source,
                    (char *)"-o",
                    path,
                    NULL};
    int status = 0;
    const bool is_run =
        g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &said, &status, NULL);
    if (!is_run || status) g_error("%s: %s", argv[0], said);
    return path;
}
#endif
