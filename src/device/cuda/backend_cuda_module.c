#include "device/cuda/backend_cuda.h"

#include "device/cache.h"
#include "device/cuda/nvrtc.h"

#include <cuda_occupancy.h>

struct cuda_module {
    struct module base;
    cudaLibrary_t library;
    cudaKernel_t kernels[BACKEND_MAX_ENTRIES];
    struct cudaFuncAttributes attributes[BACKEND_MAX_ENTRIES];
};

const void *cuda_kernel(const struct module *m, int entry)
{
    return (const void *)((const struct cuda_module *)m)->kernels[entry];
}

// Reads a kernel's facts, allows it all the shared memory there is, and loads it. The driver would
// otherwise load it in the first launch, whose time would then be wrong.
static bool prepare_kernel(const struct cuda *c, struct cuda_module *m, int i, struct error *err)
{
    const void *const kernel = (const void *)m->kernels[i];
    struct cudaFuncAttributes *const a = &m->attributes[i];
    cudaError_t code = cudaFuncGetAttributes(a, kernel);
    const size_t dynamic = c->properties.sharedMemPerBlockOptin - a->sharedSizeBytes;
    int blocks;
    if (code == cudaSuccess)
        code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic);
    if (code == cudaSuccess)
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 0);
    if (!cuda_check(code, err, "cannot prepare a kernel")) return false;
    a->maxDynamicSharedSizeBytes = (int)dynamic;
    m->base.facts[i] = (struct kernel_facts){.registers = a->numRegs,
                                             .static_shared_bytes = a->sharedSizeBytes,
                                             .max_threads = a->maxThreadsPerBlock};
    return true;
}

static void destroy_module(struct cuda_module *m)
{
    if (m->library) cuda_ignore(cudaLibraryUnload(m->library));
    g_free(m->base.loaded.bytes);
    g_free(m);
}

// Takes over the code's bytes.
static struct cuda_module *load_module(const struct cuda *c, const struct build *build,
                                       struct build_code code, struct error *err)
{
    struct cuda_module *m = g_new0(struct cuda_module, 1);
    m->base.entry_count = build->entry_count;
    m->base.loaded = code;
    bool is_loaded =
        cuda_check(cudaLibraryLoadData(&m->library, code.bytes, NULL, NULL, 0, NULL, NULL, 0), err,
                   "%s: cannot load the compiled kernels", build->path);
    for (int i = 0; i < build->entry_count && is_loaded; i++) {
        const char *const name = build->entries[i];
        if (!name) continue;
        g_autofree char *launched = g_strconcat("launch_", name, NULL);
        const cudaError_t found = cudaLibraryGetKernel(&m->kernels[i], m->library, launched);
        if (found == cudaErrorSymbolNotFound) {
            cudaGetLastError();
            is_loaded = error_set(err, "%s: there is no kernel '%s'", build->path, name);
        } else {
            is_loaded = (cuda_check(found, err, "cannot find the kernel") &&
                         prepare_kernel(c, m, i, err)) ||
                        error_prefix(err, "%s: %s: ", build->path, name);
        }
    }
    if (is_loaded) return m;
    destroy_module(m);
    return NULL;
}

// Loads the kernel from the cache, or compiles it. An entry that does not load is compiled again.
struct module *cuda_compile(struct backend *b, const struct build *build,
                            const struct headers *headers, struct error *err)
{
    const struct cuda *c = cuda_of(b);
    struct cuda_module *m = NULL;
    struct build_code code = {.bytes = NULL};
    if (!cuda_enter(c, err)) return NULL;
    // Code that another process compiled for us is loaded and not kept.
    if (build->guard && build->guard->translate) {
        if (build->guard->translate(build->guard->data, build, &c->target, &code, err))
            m = load_module(c, build, code, err);
        return m ? &m->base : NULL;
    }
    g_autofree char *key = nvrtc_key(c->nvrtc, build, headers);
    if (cache_read(key, ".cubin", &code.bytes, &code.size)) m = load_module(c, build, code, NULL);
    if (!m && nvrtc_compile(c->nvrtc, build, headers, &code, err)) {
        m = load_module(c, build, code, err);
        if (m) cache_write(key, ".cubin", code.bytes, code.size);
    }
    return m ? &m->base : NULL;
}

void cuda_unload(struct backend *b, struct module *m)
{
    struct cuda *c = cuda_of(b);
    cuda_ignore(cudaSetDevice(c->ordinal));
    cuda_ignore(cudaStreamSynchronize(c->stream));
    destroy_module((struct cuda_module *)m);
}

bool cuda_find_constant(struct backend *b, const struct module *m, const char *name, void **memory,
                        size_t *bytes)
{
    const struct cuda_module *own = (const struct cuda_module *)m;
    return cuda_enter(cuda_of(b), NULL) &&
           cuda_check(cudaLibraryGetGlobal(memory, bytes, own->library, name), NULL,
                      "cannot find '%s'", name);
}

// ---- occupancy ----

// If several resources run out at once, the first of these is named.
static const struct {
    unsigned int factor;
    const char *name;
} limiters[] = {
    {OCC_LIMIT_WARPS, "threads"},
    {OCC_LIMIT_REGISTERS, "registers"},
    {OCC_LIMIT_SHARED_MEMORY, "shared memory"},
    {OCC_LIMIT_BLOCKS, "blocks"},
    {OCC_LIMIT_BARRIERS, "barriers"},
};

// The runtime says how many blocks fit, and NVIDIA's calculator says why no more do. The calculator
// knows only the GPUs of its toolkit; for a newer one the reason stays empty.
static const char *find_limiter(const struct cudaDeviceProp *p, const struct cudaFuncAttributes *a,
                                int threads, size_t shared_bytes)
{
    const struct cudaOccDeviceProp device = {
        .computeMajor = p->major,
        .computeMinor = p->minor,
        .maxThreadsPerBlock = p->maxThreadsPerBlock,
        .maxThreadsPerMultiprocessor = p->maxThreadsPerMultiProcessor,
        .regsPerBlock = p->regsPerBlock,
        .regsPerMultiprocessor = p->regsPerMultiprocessor,
        .warpSize = p->warpSize,
        .sharedMemPerBlock = p->sharedMemPerBlock,
        .sharedMemPerMultiprocessor = p->sharedMemPerMultiprocessor,
        .numSms = p->multiProcessorCount,
        .sharedMemPerBlockOptin = p->sharedMemPerBlockOptin,
        .reservedSharedMemPerBlock = p->reservedSharedMemPerBlock,
    };
    const struct cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = a->maxThreadsPerBlock,
        .numRegs = a->numRegs,
        .sharedSizeBytes = a->sharedSizeBytes,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = (size_t)a->maxDynamicSharedSizeBytes,
        .numBlockBarriers = 1,
    };
    const struct cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    struct cudaOccResult result = {0};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads,
                                                shared_bytes) != CUDA_OCC_SUCCESS)
        return "";
    for (size_t i = 0; i < G_N_ELEMENTS(limiters); i++)
        if (result.limitingFactors & limiters[i].factor) return limiters[i].name;
    return "";
}

struct occupancy cuda_occupancy(struct backend *b, const struct module *m, int entry,
                                const struct launch_config *config)
{
    const struct cuda *c = cuda_of(b);
    const struct cuda_module *own = (const struct cuda_module *)m;
    const int threads = config->block_width * config->block_height;
    int blocks = 0;
    if (!cuda_enter(c, NULL) ||
        !cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, cuda_kernel(m, entry),
                                                                  threads, config->shared_bytes),
                    NULL, "cannot find the occupancy"))
        return (struct occupancy){0};
    return (struct occupancy){
        .threads = blocks * threads,
        .max_threads = c->properties.maxThreadsPerMultiProcessor,
        .limiter =
            find_limiter(&c->properties, &own->attributes[entry], threads, config->shared_bytes),
    };
}
