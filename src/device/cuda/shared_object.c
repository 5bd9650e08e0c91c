#include "device/cuda/shared_object.h"

#include <dlfcn.h>
#include <glib.h>
#include <glob.h>

// Folders to search, as patterns below the folder that a variable names. To add one: a row.
static const struct {
    const char *variable, *pattern;
} places[] = {
    {"CUDA_HOME", "/lib64"},
    {"CUDA_PATH", "/lib64"},
    {"CONDA_PREFIX", "/lib"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib"},
    {NULL, "/usr/local/cuda/lib64"},
    {NULL, "/usr/local/cuda-*/lib64"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib"},
};

// NULL: its variable is not set.
static char *place_of(size_t i)
{
    const char *root = places[i].variable ? g_getenv(places[i].variable) : "";
    return root ? g_strconcat(root, places[i].pattern, NULL) : NULL;
}

void *shared_object_open(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_in(const char *folder, const char *file, char **path)
{
    g_autofree char *pattern = g_build_filename(folder, file, NULL);
    glob_t found = {0};
    void *library = NULL;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !library;) {  // the newest comes last
            library = shared_object_open(found.gl_pathv[i]);
            if (library) *path = g_strdup(found.gl_pathv[i]);
        }
    globfree(&found);
    return library;
}

void *shared_object_find(const char *folder, const char *name, int newest_major, char **path)
{
    void *library = NULL;
    *path = NULL;
    for (int major = newest_major; major >= SHARED_OBJECT_OLDEST_MAJOR && !library; major--) {
        g_autofree char *file = g_strdup_printf("%s.so.%d", name, major);
        library = folder ? open_in(folder, file, path) : shared_object_open(file);
        for (size_t i = 0; i < G_N_ELEMENTS(places) && !library && !folder; i++) {
            g_autofree char *place = place_of(i);
            if (place) library = open_in(place, file, path);
        }
    }
    return library;
}

char *shared_object_find_program(const char *name)
{
    char *path = g_find_program_in_path(name);
    for (size_t i = 0; i < G_N_ELEMENTS(places) && !path; i++) {
        glob_t found = {0};
        g_autofree char *folder = place_of(i);
        if (!folder) continue;
        g_autofree char *beside = g_path_get_dirname(folder);
        g_autofree char *pattern = g_build_filename(beside, "bin", name, NULL);
        if (glob(pattern, 0, NULL, &found) == 0)
            path = g_find_program_in_path(found.gl_pathv[found.gl_pathc - 1]);  // the newest
        globfree(&found);
    }
    return path;
}
