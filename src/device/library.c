#include "device/library.h"

#include <stddef.h>
#include <string.h>

// Each row: name, symbol (if it differs), object, arguments, and the arguments for people.
static const struct library_function functions[LIBRARY_COUNT] = {
    [LIBRARY_BOX] = {"nppiFilterBoxBorder_8u_C1R_Ctx", NULL, "libnppif", "n", .example = "radius",
                     .is_of_pictures = true},
    [LIBRARY_GAUSS] = {"nppiFilterGaussAdvancedBorder_8u_C1R_Ctx", NULL, "libnppif", "n",
                       .example = "radius", .least = 1, .is_of_pictures = true},
    [LIBRARY_THRESHOLD] = {"nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx", NULL, "libnppif",
                           "nn", .example = "radius, c", .is_of_pictures = true},
    [LIBRARY_TRANSPOSE] = {"cublasSgeam", NULL, "libcublas", "nnfF",
                           .example = "rows, columns, a, b"},
    [LIBRARY_MATRIX_VECTOR] = {"cublasSgemv", "cublasSgemv_v2", "libcublas", "nnffF",
                               .example = "rows, columns, a, x, y"},
    [LIBRARY_MATRIX_PRODUCT] = {"cublasSgemm", "cublasSgemm_v2", "libcublas", "nffF",
                                .example = "n, a, b, c"},
    [LIBRARY_SUM] = {"cub::DeviceReduce::Sum", "tilescope_cub_sum", "libtilescope_cub", "niI",
                     .example = "n, a, s"},
    [LIBRARY_HISTOGRAM] = {"cub::DeviceHistogram::HistogramEven", "tilescope_cub_histogram",
                           "libtilescope_cub", "nbU", .example = "n, x, bins"},
    [LIBRARY_SCAN] = {"cub::DeviceScan::InclusiveSum", "tilescope_cub_scan", "libtilescope_cub",
                      "niI", .example = "n, a, b"},
};

enum library_id library_id_of(const struct library_function *function)
{
    return (enum library_id)(function - functions);
}

const struct library_function *library_of(enum library_id id)
{
    return &functions[id];
}

const struct library_function *library_find(const char *name)
{
    for (int i = 0; i < LIBRARY_COUNT; i++)
        if (!strcmp(functions[i].name, name)) return &functions[i];
    return NULL;
}
