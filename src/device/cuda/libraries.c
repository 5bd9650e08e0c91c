#include "device/cuda/backend_cuda.h"

#include <dlfcn.h>
#include <string.h>

#include "base/data.h"
#include "device/cuda/cub_shim.h"
#include "device/cuda/shared_object.h"

typedef void any_function(void);

enum family { NPP, CUBLAS, CUB, FAMILIES };

struct libraries {
    const struct cuda *cuda;
    GMutex lock;  // while something is opened
    void *objects[FAMILIES];
    any_function *functions[LIBRARY_COUNT];
    void *cublas;  // its handle
    any_function *close_cublas;
    void *temporary;  // CUB's memory between two steps
    size_t temporary_bytes;
};

static any_function *symbol_of(void *object, const char *name)
{
    void *const address = dlsym(object, name);
    any_function *function = NULL;
    memcpy(&function, &address, sizeof function);  // C has no cast between the two
    return function;
}

// ---- NPP ----
//
// Its C interface, as far as it is used here, declared by hand: machines without the toolkit lack
// its headers. A status of 0 is success, and positive ones are warnings.

struct npp_size {
    int width, height;
};

struct npp_point {
    int x, y;
};

struct npp_context {
    cudaStream_t stream;
    int device, multiprocessors, threads_per_multiprocessor, threads_per_block;
    size_t shared_bytes_per_block;
    int major, minor;
    unsigned int stream_flags, reserved;
};

enum { NPP_BORDER_REPLICATE = 2 };

typedef int npp_box(const unsigned char *in, int in_pitch, struct npp_size in_size,
                    struct npp_point offset, unsigned char *out, int out_pitch,
                    struct npp_size out_size, struct npp_size mask, struct npp_point anchor,
                    int border, struct npp_context context);
typedef int npp_gauss(const unsigned char *in, int in_pitch, struct npp_size in_size,
                      struct npp_point offset, unsigned char *out, int out_pitch,
                      struct npp_size out_size, int taps, const float *weights, int border,
                      struct npp_context context);
typedef int npp_threshold(const unsigned char *in, int in_pitch, struct npp_size in_size,
                          struct npp_point offset, unsigned char *out, int out_pitch,
                          struct npp_size out_size, struct npp_size mask, float below,
                          unsigned char greater, unsigned char less, int border,
                          struct npp_context context);

static struct npp_context npp_context(const struct libraries *l)
{
    const struct cudaDeviceProp *p = &l->cuda->properties;
    struct npp_context c = {.stream = l->cuda->stream,
                            .device = l->cuda->ordinal,
                            .multiprocessors = p->multiProcessorCount,
                            .threads_per_multiprocessor = p->maxThreadsPerMultiProcessor,
                            .threads_per_block = p->maxThreadsPerBlock,
                            .shared_bytes_per_block = p->sharedMemPerBlock,
                            .major = p->major,
                            .minor = p->minor};
    if (cudaStreamGetFlags(l->cuda->stream, &c.stream_flags) != cudaSuccess) cudaGetLastError();
    return c;
}

// Calls the function for each plane of a picture. Returns the library's status.
static int call_npp(struct libraries *l, enum library_id id, const struct library_arguments *a)
{
    const int radius = a->values[0].whole, side = 2 * radius + 1;
    const struct npp_size size = {a->in.width, a->in.height}, mask = {side, side};
    const struct npp_point origin = {0, 0}, centre = {radius, radius};
    const struct npp_context context = npp_context(l);
    any_function *const f = l->functions[id];
    // NPP refuses one tap. With five it makes a wrong picture if rows are aligned (13.0, on an
    // H200): values are off by up to 74. With the zeros at the ends both are right.
    const int more = side == 1 || side == 5;
    // NPP compares a pixel with the mean less `below`, in floats, whose last bit is up to chance
    // where both are equal. They differ by 1 / area or more elsewhere, so half of that decides for
    // equality.
    const float below = (float)(a->values[1].whole - 0.5 / ((double)side * side));
    int status = 0;
    for (int plane = 0; plane < a->in.count && status >= 0; plane++) {
        const unsigned char *in = a->in.pixels + (size_t)plane * a->in.plane_bytes;
        unsigned char *out = a->out.pixels + (size_t)plane * a->out.plane_bytes;
        if (id == LIBRARY_BOX)
            status = ((npp_box *)f)(in, a->in.pitch, size, origin, out, a->out.pitch, size, mask,
                                    centre, NPP_BORDER_REPLICATE, context);
        else if (id == LIBRARY_GAUSS)
            status =
                ((npp_gauss *)f)(in, a->in.pitch, size, origin, out, a->out.pitch, size,
                                 side + 2 * more, a->weights - more, NPP_BORDER_REPLICATE, context);
        else
            status = ((npp_threshold *)f)(in, a->in.pitch, size, origin, out, a->out.pitch, size,
                                          mask, below, 255, 0, NPP_BORDER_REPLICATE, context);
    }
    return MIN(status, 0);
}

// ---- cuBLAS ----
//
// cuBLAS stores matrices by columns, so our matrix is the transpose of one of its own.

enum { CUBLAS_N, CUBLAS_T };

typedef int cublas_create(void **handle);
typedef int cublas_destroy(void *handle);
typedef int cublas_set_stream(void *handle, cudaStream_t stream);
typedef int cublas_geam(void *handle, int op_a, int op_b, int rows, int columns, const float *alpha,
                        const float *a, int a_pitch, const float *beta, const float *b, int b_pitch,
                        float *c, int c_pitch);
typedef int cublas_gemv(void *handle, int op, int rows, int columns, const float *alpha,
                        const float *a, int a_pitch, const float *x, int x_step, const float *beta,
                        float *y, int y_step);
typedef int cublas_gemm(void *handle, int op_a, int op_b, int rows, int columns, int inner,
                        const float *alpha, const float *a, int a_pitch, const float *b,
                        int b_pitch, const float *beta, float *c, int c_pitch);

static int call_cublas(struct libraries *l, enum library_id id, const struct library_arguments *a)
{
    static const float one = 1, zero = 0;
    const union library_value *v = a->values;
    any_function *const f = l->functions[id];
    if (id == LIBRARY_TRANSPOSE) {
        const int rows = v[0].whole, columns = v[1].whole;
        return ((cublas_geam *)f)(l->cublas, CUBLAS_T, CUBLAS_N, rows, columns, &one, v[2].array,
                                  columns, &zero, v[3].array, rows, v[3].array, rows);
    }
    if (id == LIBRARY_MATRIX_VECTOR) {
        const int rows = v[0].whole, columns = v[1].whole;
        return ((cublas_gemv *)f)(l->cublas, CUBLAS_T, columns, rows, &one, v[2].array, columns,
                                  v[3].array, 1, &zero, v[4].array, 1);
    }
    const int n = v[0].whole;  // c = a b is c' = b' a' to it
    return ((cublas_gemm *)f)(l->cublas, CUBLAS_N, CUBLAS_N, n, n, n, &one, v[2].array, n,
                              v[1].array, n, &zero, v[3].array, n);
}

// ---- CUB ----

// CUB's algorithms want memory; called without, they say how much.
static int call_cub(struct libraries *l, enum library_id id, const struct library_arguments *a)
{
    cub_function *const f = (cub_function *)l->functions[id];
    const union library_value *v = a->values;
    size_t bytes = 0;
    int status = f(NULL, &bytes, v[1].array, v[2].array, v[0].whole, l->cuda->stream);
    if (!status && bytes > l->temporary_bytes) {
        cudaFree(l->temporary);
        l->temporary = NULL;
        l->temporary_bytes = 0;
        status = (int)cudaMalloc(&l->temporary, bytes);
        if (!status) l->temporary_bytes = bytes;
    }
    if (!status)
        status = f(l->temporary, &bytes, v[1].array, v[2].array, v[0].whole, l->cuda->stream);
    if (status) cudaGetLastError();
    return status;
}

// ---- all of them ----

// needs: an object in the same folder, which is found there only if it is opened before.
static const struct {
    const char *object, *needs;
    int (*call)(struct libraries *l, enum library_id id, const struct library_arguments *a);
} families[FAMILIES] = {
    [NPP] = {"libnppif", "libnppc", call_npp},
    [CUBLAS] = {"libcublas", "libcublasLt", call_cublas},
    [CUB] = {"libtilescope_cub", NULL, call_cub},
};

static enum family family_of(const struct library_function *function)
{
    enum family family = NPP;
    while (strcmp(families[family].object, function->object) != 0) family++;
    return family;
}

struct libraries *libraries_create(const struct cuda *c)
{
    struct libraries *l = g_new0(struct libraries, 1);
    l->cuda = c;
    g_mutex_init(&l->lock);
    return l;
}

void libraries_destroy(struct libraries *l)
{
    if (!l) return;
    if (l->cublas) ((cublas_destroy *)l->close_cublas)(l->cublas);
    if (cudaFree(l->temporary) != cudaSuccess) cudaGetLastError();
    g_mutex_clear(&l->lock);
    g_free(l);
}

bool libraries_open(struct libraries *l, const struct library_function *function, struct error *err)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&l->lock);
    const enum library_id id = library_id_of(function);
    const enum family family = family_of(function);
    if (l->functions[id]) return true;
    g_autofree char *needed = NULL, *path = NULL;
    const char *needs = families[family].needs;
    if (!l->objects[family] && needs) {
        shared_object_find(NULL, needs, l->cuda->target.newest_major, &needed);
        l->objects[family] =
            shared_object_find(NULL, function->object, l->cuda->target.newest_major, &path);
    } else if (!l->objects[family]) {
        path = data_library_path(function->object);
        l->objects[family] = shared_object_open(path);
    }
    if (!l->objects[family])
        return error_set(err, "needs %s, which is not installed", function->object);
    if (family == CUBLAS && !l->cublas) {
        any_function *const create = symbol_of(l->objects[CUBLAS], "cublasCreate_v2");
        any_function *const set_stream = symbol_of(l->objects[CUBLAS], "cublasSetStream_v2");
        l->close_cublas = symbol_of(l->objects[CUBLAS], "cublasDestroy_v2");
        if (!create || !set_stream || !l->close_cublas)
            return error_set(err, "libcublas is too old");
        int status = ((cublas_create *)create)(&l->cublas);
        if (!status) status = ((cublas_set_stream *)set_stream)(l->cublas, l->cuda->stream);
        if (status && l->cublas) ((cublas_destroy *)l->close_cublas)(l->cublas);
        if (status) l->cublas = NULL;  // it would run on another stream
        if (status) return error_set(err, "libcublas does not start: status %d", status);
    }
    l->functions[id] =
        symbol_of(l->objects[family], function->symbol ? function->symbol : function->name);
    return l->functions[id] ||
           error_set(err, "%s has no function %s", function->object, function->name);
}

bool libraries_call(struct libraries *l, const struct library_function *function,
                    const struct library_arguments *arguments, struct error *err)
{
    const enum library_id id = library_id_of(function);
    const int status = families[family_of(function)].call(l, id, arguments);
    return !status || error_set(err, "%s refuses: status %d", function->name, status);
}
