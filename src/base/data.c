#include "base/data.h"

#include <glib.h>
#include <stdbool.h>

char *data_path(const char *name)
{
    char *self = g_file_read_link("/proc/self/exe", NULL);
    char *here = self ? g_path_get_dirname(self) : g_strdup(".");
    char *beside = g_build_filename(here, TILESCOPE_DATA_FROM_BIN, NULL);
    const bool is_installed = g_file_test(beside, G_FILE_TEST_IS_DIR);
    char *path = g_build_filename(is_installed ? beside : TILESCOPE_SOURCE_DIR, name, NULL);
    g_free(beside);
    g_free(here);
    g_free(self);
    return path;
}
