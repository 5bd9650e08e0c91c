// What is opened of NVIDIA's libraries, with libraries that stand in for theirs, and no GPU.
#include "unit.h"

#include <glib/gstdio.h>

#include "device/cuda/backend_cuda.h"
#include "folder.h"

// Each function of NPP refuses, as one without a GPU does.
static const char refusing[] =
    "int nppiFilterBoxBorder_8u_C1R_Ctx(void) { return -7; }\n"
    "int nppiFilterGaussAdvancedBorder_8u_C1R_Ctx(void) { return -7; }\n";

// Two filters, one after the other, call a library that is opened once.
TEST(each_function_of_a_library_is_opened)
{
    static const char *const names[] = {"nppiFilterBoxBorder_8u_C1R_Ctx",
                                        "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx"};
    char *folder = folder_make();
    g_autofree char *objects = g_build_filename(folder, "lib64", NULL);
    assert_int_equal(g_mkdir(objects, 0700), 0);
    g_free(folder_library(objects, "libnppc.so.13", refusing));
    g_free(folder_library(objects, "libnppif.so.13", refusing));
    char *before = unit_set("CUDA_HOME", folder);
    const struct cuda c = {.target = {.arch = 90, .newest_major = 13}};
    struct libraries *l = libraries_create(&c);
    const float weights[7] = {0};
    const struct library_arguments arguments = {
        .in = {.count = 1}, .out = {.count = 1}, .values = {{.whole = 3}}, .weights = weights};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const struct library_function *f = library_find(names[i]);
        err.text[0] = '\0';
        must(libraries_open(l, f, &err));
        assert_false(libraries_call(l, f, &arguments, &err));
        g_autofree char *wanted = g_strconcat(names[i], " refuses: status -", NULL);
        assert_true(g_str_has_prefix(err.text, wanted));
    }
    libraries_destroy(l);
    unit_restore("CUDA_HOME", before);
    folder_end(folder);
}
