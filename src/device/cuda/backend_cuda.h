// backend_cuda.h -- what the parts of the CUDA backend share; only backend_cuda*.c include it.
//
//     backend_cuda.c         memory, textures, launches, faults, life: the table of functions
//     backend_cuda_device.c  which GPUs there are
//     backend_cuda_module.c  from a kernel file to loaded kernels and their occupancy
//
// Uses the runtime API only, which is linked statically, so that the program starts without a
// driver.
#ifndef BACKEND_CUDA_H
#define BACKEND_CUDA_H

#include <cuda_runtime_api.h>
#include <glib.h>

#include "device/backend_impl.h"

struct nvrtc;

struct cuda {
    struct backend base;
    int ordinal, arch;  // arch: 90 is sm_90
    struct cudaDeviceProp properties;
    struct nvrtc *nvrtc;
    cudaStream_t stream;  // NULL: nothing of CUDA exists yet
    cudaEvent_t marks[BACKEND_MARKS];
    GHashTable *allocations;  // address -> bytes
    GArray *textures;         // struct bound_textures, one an address
    GPtrArray *modules;       // loaded; the one thing that two threads change
    GMutex modules_lock;
    bool has_failed;
    struct error fault;  // why, once it has failed
};

static inline struct cuda *cuda_of(struct backend *b)
{
    return (struct cuda *)b;
}

// Refuses with "purpose: CUDA's reason (its name)" unless code is success. The runtime also keeps a
// refusal for the next cudaGetLastError, where it would be blamed on an innocent call; this takes
// it out at once.
bool cuda_check(cudaError_t code, struct error *err, const char *purpose, ...)
    __attribute__((format(printf, 3, 4)));
void cuda_ignore(cudaError_t code);  // for calls whose failure changes nothing

// Several backends may be open; calls without a stream, and launches, go to the thread's device.
bool cuda_enter(const struct cuda *c, struct error *err);

// ---- backend_cuda_device.c; none of these creates a context ----

// driver: the newest CUDA that the driver knows, 13000 for 13.0. False: err says why there is no
// GPU.
bool cuda_count_devices(int *count, int *driver, struct error *err);
bool cuda_read_device(int ordinal, int driver, struct device *d, struct cudaDeviceProp *p,
                      struct error *err);
int cuda_list(struct device *devices, int max, struct error *err);

// ---- backend_cuda_module.c ----

struct module *cuda_compile(struct backend *b, const struct build *build, struct error *err);
void cuda_unload(struct backend *b, struct module *m);
void cuda_unload_all(struct cuda *c);                        // the queue must be done with them
const void *cuda_kernel(const struct module *m, int entry);  // for the runtime's calls
bool cuda_find_constant(struct backend *b, const struct module *m, const char *name, void **memory,
                        size_t *bytes);
struct occupancy cuda_occupancy(struct backend *b, const struct module *m, int entry,
                                const struct launch_config *shape);

#endif
