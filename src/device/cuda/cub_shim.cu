#include "device/cuda/cub_shim.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

int tilescope_cub_sum(void *memory, size_t *bytes, const void *in, void *out, int count,
                      cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(memory, *bytes, static_cast<const int *>(in),
                                  static_cast<int *>(out), count, stream);
}

int tilescope_cub_histogram(void *memory, size_t *bytes, const void *in, void *out, int count,
                            cudaStream_t stream)
{
    enum { LEVELS = 257 };  // the ends of 256 bins
    return cub::DeviceHistogram::HistogramEven(memory, *bytes,
                                               static_cast<const unsigned char *>(in),
                                               static_cast<unsigned int *>(out), LEVELS, 0, 256,
                                               count, stream);
}

int tilescope_cub_scan(void *memory, size_t *bytes, const void *in, void *out, int count,
                       cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(memory, *bytes, static_cast<const int *>(in),
                                         static_cast<int *>(out), count, stream);
}
