#include "device/library.h"

#include <stddef.h>
#include <string.h>

static const struct library_function functions[LIBRARY_COUNT] = {
    [LIBRARY_BOX] = {LIBRARY_BOX, "nppiFilterBoxBorder_8u_C1R_Ctx", "libnppif", "n", "radius",
                     true},
    [LIBRARY_GAUSS] = {LIBRARY_GAUSS, "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx", "libnppif", "n",
                       "radius", true},
    [LIBRARY_THRESHOLD] = {LIBRARY_THRESHOLD, "nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx",
                           "libnppif", "nn", "radius, c", true},
    [LIBRARY_TRANSPOSE] = {LIBRARY_TRANSPOSE, "cublasSgeam", "libcublas", "nnfF",
                           "rows, columns, a, b", false},
    [LIBRARY_MATRIX_VECTOR] = {LIBRARY_MATRIX_VECTOR, "cublasSgemv", "libcublas", "nnffF",
                               "rows, columns, a, x, y", false},
    [LIBRARY_MATRIX_PRODUCT] = {LIBRARY_MATRIX_PRODUCT, "cublasSgemm", "libcublas", "nffF",
                                "n, a, b, c", false},
    [LIBRARY_SUM] = {LIBRARY_SUM, "cub::DeviceReduce::Sum", "libtilescope_cub", "niI", "n, a, s",
                     false},
    [LIBRARY_HISTOGRAM] = {LIBRARY_HISTOGRAM, "cub::DeviceHistogram::HistogramEven",
                           "libtilescope_cub", "nbU", "n, x, bins", false},
};

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
