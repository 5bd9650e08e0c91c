// This file is long because the queue, its memory and its textures belong to one device, which it
// also finds and opens.
#include "device/cuda/backend_cuda.h"

#include "base/text.h"
#include "device/cuda/nvrtc.h"
#include "device/cuda/shared_object.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A kernel's arguments, as kernels/kernel.h declares them: its struct planes is laid out like ours.
_Static_assert(sizeof(struct planes) == 32 && offsetof(struct planes, pixels) == 0 &&
                   offsetof(struct planes, width) == 8 && offsetof(struct planes, height) == 12 &&
                   offsetof(struct planes, pitch) == 16 && offsetof(struct planes, count) == 20 &&
                   offsetof(struct planes, plane_bytes) == 24,
               "struct planes must stay what kernel.h calls struct planes");

struct textures {
    unsigned long long plane[PLANES_MAX_PLANES];
};
_Static_assert(sizeof(cudaTextureObject_t) == sizeof(unsigned long long), "struct textures");

struct bound_textures {
    struct planes in;
    struct textures textures;
};

// ---- errors ----

bool cuda_check(cudaError_t code, struct error *err, const char *purpose, ...)
{
    if (code == cudaSuccess) return true;
    cudaGetLastError();
    char text[512];
    va_list args;
    va_start(args, purpose);
    vsnprintf(text, sizeof text, purpose, args);
    va_end(args);
    return error_set(err, "%s: %s (%s)", text, cudaGetErrorString(code), cudaGetErrorName(code));
}

void cuda_ignore(cudaError_t code)
{
    if (code != cudaSuccess) cudaGetLastError();
}

static const struct {
    cudaError_t code;
    const char *what;
} faults[] = {
    {cudaErrorIllegalAddress, "a kernel reached outside its memory"},
    {cudaErrorMisalignedAddress, "a kernel used an address that does not suit the word's size"},
    {cudaErrorLaunchTimeout, "a kernel ran so long that the driver's watchdog stopped it"},
    {cudaErrorHardwareStackError, "a kernel overran its stack"},
    {cudaErrorECCUncorrectable, "the memory is damaged"},
    {cudaErrorContextIsDestroyed, "another part of the program reset the device"},
};

// The queue's state after a query or a wait returned code. Anything but success and "not ready" is
// a fault of the context, after which every call fails.
static enum backend_state settle(struct cuda *c, cudaError_t code, struct error *err)
{
    cuda_ignore(code);
    if (!c->has_failed) {
        if (code == cudaSuccess) return BACKEND_IDLE;
        if (code == cudaErrorNotReady) return BACKEND_BUSY;
        const char *what = "the device failed";
        for (size_t i = 0; i < G_N_ELEMENTS(faults); i++)
            if (faults[i].code == code) what = faults[i].what;
        cuda_check(code, &c->fault, "%s: %s", c->base.device.name, what);
        c->has_failed = true;
    }
    error_set(err, "%s", c->fault.text);
    return BACKEND_FAILED;
}

// ---- memory ----

bool cuda_enter(const struct cuda *c, struct error *err)
{
    return cuda_check(cudaSetDevice(c->ordinal), err, "cannot use %s", c->base.device.id);
}

static bool alloc_memory(struct backend *b, size_t bytes, void **memory, struct error *err)
{
    struct cuda *c = cuda_of(b);
    void *fresh = NULL;
    if (!cuda_enter(c, err) ||
        !cuda_check(cudaMalloc(&fresh, bytes), err, "cannot allocate %.1f MB on %s",
                    (double)bytes / 1e6, b->device.name))
        return false;
    g_hash_table_insert(c->allocations, fresh, GSIZE_TO_POINTER(bytes));
    *memory = fresh;
    return true;
}

static void destroy_textures(const struct textures *t)
{
    for (int i = 0; i < PLANES_MAX_PLANES; i++)
        if (t->plane[i]) cuda_ignore(cudaDestroyTextureObject(t->plane[i]));
}

// Drops the textures whose pixels begin within the bytes at memory. The queue must be done with
// them.
static void drop_textures(struct cuda *c, const void *memory, size_t bytes)
{
    for (guint i = c->textures->len; i-- > 0;) {
        struct bound_textures *bound = &g_array_index(c->textures, struct bound_textures, i);
        const size_t offset = (size_t)bound->in.pixels - (size_t)memory;  // wraps when below
        if (offset >= bytes) continue;
        destroy_textures(&bound->textures);
        g_array_remove_index_fast(c->textures, i);
    }
}

static void free_memory(struct backend *b, void *memory)
{
    struct cuda *c = cuda_of(b);
    const size_t bytes = GPOINTER_TO_SIZE(g_hash_table_lookup(c->allocations, memory));
    cuda_ignore(cudaStreamSynchronize(c->stream));
    drop_textures(c, memory, bytes);
    g_hash_table_remove(c->allocations, memory);
    cuda_ignore(cudaFree(memory));
}

static bool fill(struct backend *b, void *memory, int byte, size_t bytes, struct error *err)
{
    struct cuda *c = cuda_of(b);
    return cuda_enter(c, err) && cuda_check(cudaMemsetAsync(memory, byte, bytes, c->stream), err,
                                            "cannot fill %zu bytes on %s", bytes, b->device.name);
}

// CUDA tells host addresses from the device's.
static bool copy_memory(struct backend *b, void *to, const void *from, size_t bytes,
                        struct error *err)
{
    return cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda_of(b)->stream), err,
                      "cannot copy %zu bytes on %s", bytes, b->device.name);
}

// Copies between host and device.
static bool move_memory(struct backend *b, void *to, const void *from, size_t bytes,
                        struct error *err)
{
    return copy_memory(b, to, from, bytes, err) &&
           cuda_check(cudaStreamSynchronize(cuda_of(b)->stream), err, "cannot copy %zu bytes on %s",
                      bytes, b->device.name);
}

// ---- textures ----

// Textures are kept until the memory is freed or holds a picture of another shape.
static bool find_textures(struct cuda *c, struct planes in, struct textures *textures,
                          struct error *err)
{
    const int *const max = c->properties.maxTexture2DLinear;  // width, height, pitch
    struct bound_textures fresh = {.in = in};
    for (guint i = 0; i < c->textures->len; i++) {
        const struct bound_textures *bound = &g_array_index(c->textures, struct bound_textures, i);
        if (bound->in.pixels != in.pixels) continue;
        if (planes_is_same_shape(bound->in, in)) {
            *textures = bound->textures;
            return true;
        }
        cuda_ignore(cudaStreamSynchronize(c->stream));
        drop_textures(c, in.pixels, 1);
        break;
    }
    if (in.width > max[0] || in.height > max[1] || in.pitch > max[2])
        return error_set(err,
                         "%d x %d pixels are more than the %d x %d that %s's textures can hold",
                         in.width, in.height, max[0], max[1], c->base.device.name);
    // fetch() in kernel.h reads bytes as they are, by unnormalized coordinates, and the nearest
    // edge pixel outside.
    const struct cudaTextureDesc reading = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp},
        .filterMode = cudaFilterModePoint,
        .readMode = cudaReadModeElementType,
    };
    for (int i = 0; i < in.count; i++) {
        const struct cudaResourceDesc resource = {
            .resType = cudaResourceTypePitch2D,
            .res.pitch2D = {.devPtr = in.pixels + (size_t)i * in.plane_bytes,
                            .desc = {.x = 8, .f = cudaChannelFormatKindUnsigned},
                            .width = (size_t)in.width,
                            .height = (size_t)in.height,
                            .pitchInBytes = (size_t)in.pitch},
        };
        if (cuda_check(cudaCreateTextureObject(&fresh.textures.plane[i], &resource, &reading, NULL),
                       err, "cannot make a texture of %d x %d pixels", in.width, in.height))
            continue;
        destroy_textures(&fresh.textures);
        return false;
    }
    g_array_append_val(c->textures, fresh);
    *textures = fresh.textures;
    return true;
}

// ---- the queue ----

// Copies an argument: the driver reads the whole struct params of the kernel, which may be larger
// than the fields that the file declares to the program.
static void take(unsigned char *to, const void *argument, size_t bytes)
{
    memset(to, 0, BACKEND_MAX_ARGUMENT_BYTES);
    if (bytes > 0) memcpy(to, argument, bytes);
}

static bool launch(struct backend *b, const struct launch *l, struct error *err)
{
    struct cuda *c = cuda_of(b);
    const struct launch_config s = l->config;
    struct textures textures = {{0}};
    _Alignas(16) unsigned char params[BACKEND_MAX_ARGUMENT_BYTES];
    _Alignas(16) unsigned char arrays[BACKEND_MAX_ARGUMENT_BYTES];
    if (!cuda_enter(c, err)) return false;
    if (!l->arrays && !l->is_packed && !find_textures(c, l->in, &textures, err)) return false;
    take(params, l->params, l->params_bytes);
    take(arrays, l->arrays, l->arrays_bytes);
    struct planes out = l->out, in = l->in;
    void *scratch = l->scratch;
    const void *weights = l->weights;
    void *of_filter[] = {&out, &in, &textures, &scratch, &weights, params};
    void *of_lab[] = {arrays, params};
    const unsigned int layers = (unsigned int)MAX(s.block_depth, 1);
    const dim3 grid = {(unsigned int)s.grid_width, (unsigned int)s.grid_height,
                       (unsigned int)MAX(s.grid_depth, 1)};
    const dim3 block = {(unsigned int)s.block_width, (unsigned int)s.block_height / layers, layers};
    return cuda_check(cudaLaunchKernel(cuda_kernel(l->module, l->entry), grid, block,
                                       l->arrays ? of_lab : of_filter, s.shared_bytes, c->stream),
                      err, "cannot launch %d x %d blocks of %d x %d threads with %zu shared bytes",
                      s.grid_width, s.grid_height, s.block_width, s.block_height, s.shared_bytes);
}

static bool open_function(struct backend *b, const struct library_function *function,
                          struct error *err)
{
    struct cuda *c = cuda_of(b);
    return cuda_enter(c, err) && libraries_open(c->libraries, function, err);
}

static bool call_library(struct backend *b, const struct library_function *function,
                         const struct library_arguments *arguments, struct error *err)
{
    struct cuda *c = cuda_of(b);
    return cuda_enter(c, err) && libraries_call(c->libraries, function, arguments, err);
}

static bool mark_queue(struct backend *b, int mark, struct error *err)
{
    struct cuda *c = cuda_of(b);
    return cuda_check(cudaEventRecord(c->marks[mark], c->stream), err, "cannot mark the time on %s",
                      b->device.name);
}

static enum backend_state poll_queue(struct backend *b, struct error *err)
{
    struct cuda *c = cuda_of(b);
    return settle(c, cudaStreamQuery(c->stream), err);
}

static bool wait_queue(struct backend *b, struct error *err)
{
    struct cuda *c = cuda_of(b);
    return settle(c, cudaStreamSynchronize(c->stream), err) == BACKEND_IDLE;
}

static bool read_elapsed(struct backend *b, int from, int to, double *ms, struct error *err)
{
    const struct cuda *c = cuda_of(b);
    float elapsed_ms = 0;
    if (!cuda_check(cudaEventElapsedTime(&elapsed_ms, c->marks[from], c->marks[to]), err,
                    "cannot read the time on %s", b->device.name))
        return false;
    *ms = elapsed_ms;
    return true;
}

static void *get_stream(struct backend *b)
{
    return cuda_of(b)->stream;
}

// ---- the GPUs ----

// None of these creates a context. driver is the newest CUDA that the driver knows: 13000 is 13.0.
// False: err says why there is no GPU.
static bool count_devices(int *count, int *newest, struct error *err)
{
    *count = *newest = 0;  // the calls leave them untouched on failure
    cuda_ignore(cudaDriverGetVersion(newest));
    const int driver = *newest;
    const cudaError_t code = cudaGetDeviceCount(count);
    if (code == cudaSuccess && *count > 0) return true;
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

static bool read_device(int ordinal, int driver, struct device *d, struct cudaDeviceProp *p,
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
        .max_shared_bytes = p->sharedMemPerBlockOptin,
        .memory_bytes = p->totalGlobalMem,
        .l2_bytes = (size_t)p->l2CacheSize,
    };
    snprintf(d->id, sizeof d->id, "cuda:%d", ordinal);
    snprintf(d->name, sizeof d->name, "%.*s", (int)sizeof d->name - 1, p->name);
    snprintf(d->arch, sizeof d->arch, "sm_%d%d", p->major, p->minor);
    // "driver 580.159.03, CUDA 13.0": the kernel module's version, unless the system hides it
    // (WSL), and the newest CUDA that the driver knows.
    g_autofree char *file = NULL;
    g_auto(GStrv) version = g_file_get_contents("/proc/driver/nvidia/version", &file, NULL, NULL)
                                ? text_match("(?s:.*?(\\d+\\.\\d+(?:\\.\\d+)?).*)", file)
                                : NULL;
    snprintf(d->driver, sizeof d->driver, "%s%s%sCUDA %d.%d", version ? "driver " : "",
             version ? version[0] : "", version ? ", " : "", driver / 1000, driver % 1000 / 10);
    return true;
}

static int list_devices(struct device *devices, int max, struct error *err)
{
    int count = 0, driver = 0, filled = 0;
    if (!count_devices(&count, &driver, err)) return 0;
    struct cudaDeviceProp properties;
    for (int i = 0; i < count && filled < max; i++)
        filled += read_device(i, driver, &devices[filled], &properties, err);
    return filled;
}

// ---- life ----

static void close_gpu(struct backend *b)
{
    struct cuda *c = cuda_of(b);
    if (c->stream) {
        // After a fault most of these calls fail. The reset then destroys the context as a whole,
        // so that the next open makes a fresh one.
        cuda_ignore(cudaSetDevice(c->ordinal));
        const cudaError_t last = cudaStreamSynchronize(c->stream);
        cuda_ignore(last);
        drop_textures(c, NULL, SIZE_MAX);
        libraries_destroy(c->libraries);
        GHashTableIter all;
        void *memory;
        g_hash_table_iter_init(&all, c->allocations);
        while (g_hash_table_iter_next(&all, &memory, NULL)) cuda_ignore(cudaFree(memory));
        for (int i = 0; i < BACKEND_MARKS; i++)
            if (c->marks[i]) cuda_ignore(cudaEventDestroy(c->marks[i]));
        cuda_ignore(cudaStreamDestroy(c->stream));
        if (c->has_failed || last != cudaSuccess) cuda_ignore(cudaDeviceReset());
    }
    nvrtc_close(c->nvrtc);
    g_hash_table_destroy(c->allocations);
    g_array_free(c->textures, TRUE);
    g_free(c);
}

static struct backend *open_one(int ordinal, int driver, struct error *err)
{
    struct cuda *c = g_new0(struct cuda, 1);
    c->base.impl = &backend_cuda;
    c->ordinal = ordinal;
    c->allocations = g_hash_table_new(NULL, NULL);
    c->textures = g_array_new(FALSE, FALSE, sizeof(struct bound_textures));
    if (read_device(ordinal, driver, &c->base.device, &c->properties, err)) {
        c->target = (struct build_target){.arch = c->properties.major * 10 + c->properties.minor,
                                          .newest_major = driver / 1000};
        c->nvrtc = nvrtc_open(&c->target, err);
        const char *const name = c->base.device.name;
        bool is_good = c->nvrtc || error_prefix(err, "%s: ", name);
        is_good = is_good && cuda_enter(c, err) &&
                  cuda_check(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), err,
                             "cannot make a queue on %s", name);
        for (int i = 0; i < BACKEND_MARKS && is_good; i++)
            is_good =
                cuda_check(cudaEventCreate(&c->marks[i]), err, "cannot make a timer on %s", name);
        if (is_good) {
            c->libraries = libraries_create(c);
            return &c->base;
        }
    }
    close_gpu(&c->base);
    return NULL;
}

// CUDA numbers the fastest GPU first, so the first that opens is the best.
static struct backend *open_gpu(int ordinal, struct error *err)
{
    int count = 0, driver = 0;
    if (!count_devices(&count, &driver, err)) return NULL;
    if (ordinal >= count && count == 1)
        error_set(err, "there is no cuda:%d: this machine has 1 GPU (cuda:0)", ordinal);
    else if (ordinal >= count)
        error_set(err, "there is no cuda:%d: this machine has %d GPUs (cuda:0 %s cuda:%d)", ordinal,
                  count, count == 2 ? "and" : "to", count - 1);
    if (ordinal >= count) return NULL;
    if (ordinal >= 0) return open_one(ordinal, driver, err);

    struct backend *b = open_one(0, driver, err);
    for (int i = 1; i < count && !b; i++) b = open_one(i, driver, NULL);
    return b;
}

// A context is made ahead only if there is one GPU. Among several, it is not yet known which one
// draws.
static void warm_up_gpu(void)
{
    int count = 0, driver = 0;
    if (!count_devices(&count, &driver, NULL)) return;
    nvrtc_close(
        nvrtc_open(&(struct build_target){.arch = G_MAXINT, .newest_major = driver / 1000}, NULL));
    if (count > 1) return;
    cuda_ignore(cudaSetDevice(0));
    cuda_ignore(cudaFree(NULL));
}

const struct backend_impl backend_cuda = {
    .name = "cuda",
    .open = open_gpu,
    .close = close_gpu,
    .warm_up = warm_up_gpu,
    .list = list_devices,
    .alloc = alloc_memory,
    .free = free_memory,
    .upload = move_memory,
    .download = move_memory,
    .fill = fill,
    .open_translator = nvrtc_open,
    .translate = nvrtc_compile,
    .close_translator = nvrtc_close,
    .find_program = shared_object_find_program,
    .compile = cuda_compile,
    .unload = cuda_unload,
    .find_constant = cuda_find_constant,
    .occupancy = cuda_occupancy,
    .open_function = open_function,
    .call_library = call_library,
    .launch = launch,
    .copy = copy_memory,
    .mark = mark_queue,
    .poll = poll_queue,
    .wait = wait_queue,
    .elapsed = read_elapsed,
    .stream = get_stream,
};
