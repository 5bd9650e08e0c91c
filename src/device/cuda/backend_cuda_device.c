#include "device/cuda/backend_cuda.h"

#include <stdio.h>

static bool set_count_error(cudaError_t code, int driver, struct error *err)
{
    const char *visible = g_getenv("CUDA_VISIBLE_DEVICES");
    cudaGetLastError();
    if (driver == 0)
        return error_set(err, "NVIDIA's driver is needed and not installed (no libcuda.so.1)");
    if (code == cudaErrorInsufficientDriver)
        return error_set(err,
                         "the NVIDIA driver knows CUDA %d.%d, which is older than the CUDA %d.%d "
                         "that this program was built with",
                         driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                         CUDART_VERSION % 1000 / 10);
    if (code == cudaSuccess || code == cudaErrorNoDevice)
        return visible ? error_set(err, "no CUDA GPU (CUDA_VISIBLE_DEVICES is '%s')", visible)
                       : error_set(err, "no CUDA GPU");
    return cuda_check(code, err, "cannot count the GPUs");
}

bool cuda_count_devices(int *count, int *driver, struct error *err)
{
    *count = *driver = 0;  // the calls leave them untouched on failure
    cuda_ignore(cudaDriverGetVersion(driver));
    const cudaError_t code = cudaGetDeviceCount(count);
    return (code == cudaSuccess && *count > 0) || set_count_error(code, *driver, err);
}

// "driver 580.159.03, CUDA 13.0": the kernel module's version, unless the system hides it (WSL),
// and the newest CUDA that the driver knows.
static void describe_driver(int driver, char *text, size_t size)
{
    char *file = NULL, *version = NULL;
    if (g_file_get_contents("/proc/driver/nvidia/version", &file, NULL, NULL)) {
        GRegex *pattern = g_regex_new("\\d+\\.\\d+(\\.\\d+)?", 0, 0, NULL);
        GMatchInfo *match = NULL;
        if (g_regex_match(pattern, file, 0, &match)) version = g_match_info_fetch(match, 0);
        g_match_info_free(match);
        g_regex_unref(pattern);
    }
    snprintf(text, size, "%s%s%sCUDA %d.%d", version ? "driver " : "", version ? version : "",
             version ? ", " : "", driver / 1000, driver % 1000 / 10);
    g_free(version);
    g_free(file);
}

bool cuda_read_device(int ordinal, int driver, struct device *d, struct cudaDeviceProp *p,
                      struct error *err)
{
    int has_watchdog = 0, clock_khz = 0;
    if (!cuda_check(cudaGetDeviceProperties(p, ordinal), err, "cannot read the facts of cuda:%d",
                    ordinal))
        return false;
    cuda_ignore(cudaDeviceGetAttribute(&has_watchdog, cudaDevAttrKernelExecTimeout, ordinal));
    cuda_ignore(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, ordinal));

    *d = (struct device){
        .is_gpu = true,
        .has_watchdog = has_watchdog != 0,
        .clock_mhz = clock_khz / 1000,
        .multiprocessors = p->multiProcessorCount,
        .max_threads = p->maxThreadsPerBlock,
        .max_block_width = p->maxThreadsDim[0],
        .max_block_height = p->maxThreadsDim[1],
        .max_grid_width = p->maxGridSize[0],
        .max_grid_height = p->maxGridSize[1],
        .max_threads_resident = p->maxThreadsPerMultiProcessor,
        .max_shared_bytes = p->sharedMemPerBlockOptin,
        .memory_bytes = p->totalGlobalMem,
        .l2_bytes = (size_t)p->l2CacheSize,
    };
    snprintf(d->id, sizeof d->id, "cuda:%d", ordinal);
    snprintf(d->name, sizeof d->name, "%.*s", (int)sizeof d->name - 1, p->name);
    snprintf(d->arch, sizeof d->arch, "sm_%d%d", p->major, p->minor);
    describe_driver(driver, d->driver, sizeof d->driver);
    return true;
}

int cuda_list(struct device *devices, int max, struct error *err)
{
    int count = 0, driver = 0, filled = 0;
    if (!cuda_count_devices(&count, &driver, err)) return 0;
    struct cudaDeviceProp properties;
    for (int i = 0; i < count && filled < max; i++)
        filled += cuda_read_device(i, driver, &devices[filled], &properties, err);
    return filled;
}
