#include "device/library.h"

#include <stddef.h>
#include <string.h>

static const struct library_function functions[LIBRARY_COUNT] = {
    [LIBRARY_BOX] = {.name = "nppiFilterBoxBorder_8u_C1R_Ctx",
                     .object = "libnppif",
                     .arguments = "n",
                     .example = "radius",
                     .is_of_pictures = true},
    [LIBRARY_GAUSS] = {.name = "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx",
                       .object = "libnppif",
                       .arguments = "n",
                       .example = "radius",
                       .least = 1,
                       .is_of_pictures = true},
    [LIBRARY_THRESHOLD] = {.name = "nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx",
                           .object = "libnppif",
                           .arguments = "nn",
                           .example = "radius, c",
                           .is_of_pictures = true},
    [LIBRARY_TRANSPOSE] = {.name = "cublasSgeam",
                           .object = "libcublas",
                           .arguments = "nnfF",
                           .example = "rows, columns, a, b"},
    [LIBRARY_MATRIX_VECTOR] = {.name = "cublasSgemv",
                               .object = "libcublas",
                               .arguments = "nnffF",
                               .example = "rows, columns, a, x, y"},
    [LIBRARY_MATRIX_PRODUCT] = {.name = "cublasSgemm",
                                .object = "libcublas",
                                .arguments = "nffF",
                                .example = "n, a, b, c"},
    [LIBRARY_SUM] = {.name = "cub::DeviceReduce::Sum",
                     .object = "libtilescope_cub",
                     .arguments = "niI",
                     .example = "n, a, s"},
    [LIBRARY_HISTOGRAM] = {.name = "cub::DeviceHistogram::HistogramEven",
                           .object = "libtilescope_cub",
                           .arguments = "nbU",
                           .example = "n, x, bins"},
    [LIBRARY_SCAN] = {.name = "cub::DeviceScan::InclusiveSum",
                      .object = "libtilescope_cub",
                      .arguments = "niI",
                      .example = "n, a, b"},
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
