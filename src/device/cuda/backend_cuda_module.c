#include "device/cuda/backend_cuda.h"

#include "device/cache.h"
#include "device/cuda/nvrtc.h"
#include "device/includes.h"

#include <cuda_occupancy.h>
#include <string.h>

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
    const char *const purpose = "cannot prepare a kernel";
    const void *const kernel = (const void *)m->kernels[i];
    struct cudaFuncAttributes *const a = &m->attributes[i];
    if (!cuda_check(cudaFuncGetAttributes(a, kernel), err, "%s", purpose)) return false;

    const size_t dynamic = c->properties.sharedMemPerBlockOptin - a->sharedSizeBytes;
    int blocks;
    if (!cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic),
            err, "%s", purpose) ||
        !cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 0), err,
                    "%s", purpose))
        return false;
    a->maxDynamicSharedSizeBytes = (int)dynamic;
    m->base.facts[i] = (struct kernel_facts){.registers = a->numRegs,
                                             .static_shared_bytes = a->sharedSizeBytes,
                                             .local_bytes = a->localSizeBytes,
                                             .max_threads = a->maxThreadsPerBlock};
    return true;
}

static bool load_kernel(const struct cuda *c, struct cuda_module *m, const struct build *build,
                        int i, struct error *err)
{
    const cudaError_t code = cudaLibraryGetKernel(&m->kernels[i], m->library, build->entries[i]);
    if (code == cudaErrorSymbolNotFound) {
        cudaGetLastError();
        return error_set(err, "%s: there is no kernel '%s'", build->path, build->entries[i]);
    }
    return (cuda_check(code, err, "cannot find the kernel") && prepare_kernel(c, m, i, err)) ||
           error_prefix(err, "%s: %s: ", build->path, build->entries[i]);
}

static void destroy_module(struct cuda_module *m)
{
    if (m->library) cuda_ignore(cudaLibraryUnload(m->library));
    g_free(m);
}

static struct cuda_module *load_module(const struct cuda *c, const struct build *build,
                                       const void *binary, struct error *err)
{
    struct cuda_module *m = g_new0(struct cuda_module, 1);
    m->base.entry_count = build->entry_count;
    bool is_loaded =
        cuda_check(cudaLibraryLoadData(&m->library, binary, NULL, NULL, 0, NULL, NULL, 0), err,
                   "%s: cannot load the compiled kernels", build->path);
    for (int i = 0; i < build->entry_count && is_loaded; i++)
        is_loaded = load_kernel(c, m, build, i, err);
    if (is_loaded) return m;
    destroy_module(m);
    return NULL;
}

// What another process has compiled for us is loaded and kept nowhere.
static struct cuda_module *load_translation(const struct cuda *c, const struct build *build,
                                            struct error *err)
{
    struct build_code code = {.bytes = NULL};
    if (!build->guard->translate(build->guard->data, &c->target, &code, err)) return NULL;
    struct cuda_module *m = load_module(c, build, code.bytes, err);
    g_free(code.bytes);
    return m;
}

// Loads the kernel from the cache, or compiles it. An entry that does not load is compiled again.
static struct cuda_module *make_module(const struct cuda *c, const struct build *build,
                                       const struct nvrtc_job *job, struct error *err)
{
    char *key = nvrtc_key(c->nvrtc, job);
    struct cuda_module *m = NULL;
    void *binary = NULL;
    size_t size = 0;
    if (cache_read(key, ".cubin", &binary, &size)) {
        m = load_module(c, build, binary, NULL);
        g_free(binary);
    }
    if (!m && nvrtc_compile(c->nvrtc, job, &binary, &size, err)) {
        m = load_module(c, build, binary, err);
        if (m) cache_write(key, ".cubin", binary, size);
        g_free(binary);
    }
    g_free(key);
    return m;
}

// ---- for another process ----

struct translator {
    struct nvrtc *nvrtc;
    int arch;
};

struct translator *cuda_open_translator(const struct build_target *target, struct error *err)
{
    struct nvrtc *nvrtc = nvrtc_open_for(target->newest_major, target->arch, err);
    if (!nvrtc) return NULL;
    struct translator *t = g_new0(struct translator, 1);
    *t = (struct translator){nvrtc, target->arch};
    return t;
}

void cuda_close_translator(struct translator *t)
{
    nvrtc_close(t->nvrtc);
    g_free(t);
}

bool cuda_translate(const struct translator *t, const struct build *build, const char *include,
                    struct build_code *code, struct error *err)
{
    struct headers headers = {0};
    const bool is_done = headers_load(&headers, include, err) &&
                         includes_check(build, &headers, err) &&
                         nvrtc_compile(t->nvrtc,
                                       &(struct nvrtc_job){.path = build->path,
                                                           .source = build->source,
                                                           .headers = &headers,
                                                           .arch = t->arch,
                                                           .params = build->params},
                                       &code->bytes, &code->size, err);
    headers_finish(&headers);
    return is_done;
}

static struct cuda_module *compile_here(const struct cuda *c, const struct build *build,
                                        struct error *err)
{
    struct headers headers = {0};
    struct cuda_module *m = NULL;
    const struct nvrtc_job job = {.path = build->path,
                                  .source = build->source,
                                  .headers = &headers,
                                  .arch = c->target.arch,
                                  .params = build->params};
    if (!headers_load(&headers, c->base.include, err))
        error_prefix(err, "cannot compile '%s': ", build->path);
    else if (includes_check(build, &headers, err))
        m = make_module(c, build, &job, err);
    headers_finish(&headers);
    return m;
}

struct module *cuda_compile(struct backend *b, const struct build *build, struct error *err)
{
    struct cuda *c = cuda_of(b);
    if (!cuda_enter(c, err)) return NULL;
    struct cuda_module *m = build->guard && build->guard->translate
                                ? load_translation(c, build, err)
                                : compile_here(c, build, err);
    if (!m) return NULL;
    g_mutex_lock(&c->modules_lock);
    g_ptr_array_add(c->modules, m);
    g_mutex_unlock(&c->modules_lock);
    return &m->base;
}

void cuda_unload(struct backend *b, struct module *m)
{
    struct cuda *c = cuda_of(b);
    cuda_ignore(cudaSetDevice(c->ordinal));
    cuda_ignore(cudaStreamSynchronize(c->stream));
    g_mutex_lock(&c->modules_lock);
    g_ptr_array_remove_fast(c->modules, m);
    g_mutex_unlock(&c->modules_lock);
    destroy_module((struct cuda_module *)m);
}

void cuda_unload_all(struct cuda *c)
{
    for (guint i = 0; i < c->modules->len; i++) destroy_module(g_ptr_array_index(c->modules, i));
    g_ptr_array_set_size(c->modules, 0);
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
