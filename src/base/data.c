#include "base/data.h"

#include <glib.h>
#include <stdbool.h>

// The program's own folder.
static char *own_folder(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    return self ? g_path_get_dirname(self) : g_strdup(".");
}

char *data_library_path(const char *name)
{
    static const char *const folders[] = {TILESCOPE_LIBRARIES_FROM_BIN, ".", ".."};
    g_autofree char *here = own_folder(), *file = g_strconcat(name, ".so", NULL);
    char *path = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_free(path);
        path = g_build_filename(here, folders[i], file, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) break;
    }
    return path;
}

char *data_path(const char *name)
{
    g_autofree char *here = own_folder();
    g_autofree char *beside = g_build_filename(here, TILESCOPE_DATA_FROM_BIN, NULL);
    const bool is_installed = g_file_test(beside, G_FILE_TEST_IS_DIR);
    return g_build_filename(is_installed ? beside : TILESCOPE_SOURCE_DIR, name, NULL);
}
