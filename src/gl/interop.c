#include "gl/interop.h"

#include <GL/glew.h>
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "base/watchdog.h"

#ifdef HAVE_CUDA
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#endif

struct interop {
    struct backend *backend;
    enum interop_path path;
    unsigned int buffer;
    struct planes shape;
    bool is_lent;
    bool is_read;                           // what is lent: the host reads the mapped buffer, too
    struct watchdog *watchdog;              // of the path interop
    void *memory;                           // staged: device memory
    struct cudaGraphicsResource *resource;  // interop
};

static const struct {
    const char *name, *about;
} paths[] = {[INTEROP_MAPPED] = {"interop", "interop: PBO mapped, zero copy"},
             [INTEROP_STAGED] = {"staged", "staged: copied through the host"},
             [INTEROP_CPU] = {"cpu", "kernels run on the CPU"}};

// ---- interop: the buffer mapped into CUDA's address space ----

#ifdef HAVE_CUDA

// Fills err and clears the driver's last error, which would otherwise answer for a later launch.
static bool cuda_refused(cudaError_t result, const char *attempt, struct error *err)
{
    cudaGetLastError();
    return error_set(err, "cannot %s: %s (%s)", attempt, cudaGetErrorString(result),
                     cudaGetErrorName(result));
}

static bool mapped_open(struct interop *i, struct error *err)
{
    if (!backend_device(i->backend)->is_gpu)
        return error_set(err, "device %s is no GPU", backend_device(i->backend)->id);
    const cudaError_t result =
        cudaGraphicsGLRegisterBuffer(&i->resource, i->buffer, cudaGraphicsRegisterFlagsNone);
    return result == cudaSuccess || cuda_refused(result, "register the GL buffer", err);
}

static void mapped_close(struct interop *i)
{
    if (i->resource) cudaGraphicsUnregisterResource(i->resource);
    cudaGetLastError();
}

static bool mapped_lend(struct interop *i, void **memory, struct error *err)
{
    cudaStream_t stream = backend_stream(i->backend);
    size_t bytes = 0;
    cudaError_t result = cudaGraphicsMapResources(1, &i->resource, stream);
    if (result != cudaSuccess) return cuda_refused(result, "map the GL buffer", err);
    result = cudaGraphicsResourceGetMappedPointer(memory, &bytes, i->resource);
    if (result == cudaSuccess && bytes >= planes_bytes(i->shape)) return true;
    cudaGraphicsUnmapResources(1, &i->resource, stream);
    return cuda_refused(result, "find the mapped GL buffer", err);
}

static bool mapped_take_back(struct interop *i, struct error *err)
{
    const cudaError_t result =
        cudaGraphicsUnmapResources(1, &i->resource, backend_stream(i->backend));
    return result == cudaSuccess || cuda_refused(result, "unmap the GL buffer", err);
}

int interop_drawing_device(struct error *err)
{
    unsigned int count = 0;
    int devices[8];
    const cudaError_t result = cudaGLGetDevices(&count, devices, 8, cudaGLDeviceListAll);
    if (result == cudaSuccess && count > 0) return devices[0];
    if (result != cudaSuccess)
        cuda_refused(result, "find the GPU that draws the window", err);
    else
        error_set(err, "no CUDA GPU draws the window");
    return -1;
}

#else

static bool mapped_open(struct interop *i, struct error *err)
{
    (void)i;
    return error_set(err, "this build has no CUDA");
}

static void mapped_close(struct interop *i)
{
    (void)i;
}

static bool mapped_lend(struct interop *i, void **memory, struct error *err)
{
    (void)memory;
    return mapped_open(i, err);
}

static bool mapped_take_back(struct interop *i, struct error *err)
{
    return mapped_open(i, err);
}

int interop_drawing_device(struct error *err)
{
    error_set(err, "this build has no CUDA");
    return -1;
}

#endif

// ---- mapping the buffer into the process, for the other two ----

static void *map_buffer(struct interop *i, struct error *err)
{
    const GLbitfield access = i->is_read ? GL_MAP_READ_BIT : GL_MAP_INVALIDATE_BUFFER_BIT;
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, i->buffer);
    void *memory = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, (GLsizeiptr)planes_bytes(i->shape),
                                    GL_MAP_WRITE_BIT | access);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    if (!memory) error_set(err, "cannot map the GL buffer");
    return memory;
}

static bool unmap_buffer(struct interop *i, struct error *err)
{
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, i->buffer);
    const bool is_good = glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return is_good || error_set(err, "cannot unmap the GL buffer");
}

// ---- the front ----

const char *interop_path_name(enum interop_path path)
{
    return paths[path].name;
}

const char *interop_path_about(enum interop_path path)
{
    return paths[path].about;
}

bool interop_path_parse(const char *name, enum interop_path *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
        if (!strcmp(paths[i].name, name)) {
            *path = (enum interop_path)i;
            return true;
        }
    return false;
}

struct interop *interop_create(struct backend *b, enum interop_path path, unsigned int buffer,
                               struct planes shape, struct watchdog *watchdog, struct error *err)
{
    struct interop *i = g_new0(struct interop, 1);
    *i = (struct interop){.backend = b, .path = path, .buffer = buffer, .shape = shape};
    if (path == INTEROP_MAPPED) i->watchdog = watchdog;
    watchdog_begin(i->watchdog);
    const struct device *d = backend_device(b);
    bool is_open = path == INTEROP_MAPPED && mapped_open(i, err);
    if (path == INTEROP_STAGED) is_open = backend_alloc(b, planes_bytes(shape), &i->memory, err);
    if (path == INTEROP_CPU)
        is_open = !d->is_gpu || error_set(err, "device %s cannot write host memory", d->id);
    watchdog_end(i->watchdog);
    if (is_open) return i;
    g_free(i);
    return NULL;
}

void interop_destroy(struct interop *i)
{
    if (!i) return;
    if (i->is_lent) interop_return(i, false, NULL);
    watchdog_begin(i->watchdog);
    if (i->path == INTEROP_MAPPED) mapped_close(i);
    watchdog_end(i->watchdog);
    if (i->path == INTEROP_STAGED) backend_free(i->backend, i->memory);
    g_free(i);
}

bool interop_lend(struct interop *i, bool is_read, struct planes *target, struct error *err)
{
    void *memory = i->memory;
    bool is_good = true;
    i->is_read = is_read && i->path == INTEROP_CPU;
    watchdog_begin(i->watchdog);
    if (i->path == INTEROP_MAPPED) is_good = mapped_lend(i, &memory, err);
    watchdog_end(i->watchdog);
    if (i->path == INTEROP_CPU) is_good = (memory = map_buffer(i, err));
    if (!is_good) return false;
    *target = planes_at(i->shape, memory);
    i->is_lent = true;
    return true;
}

bool interop_return(struct interop *i, bool has_result, struct error *err)
{
    bool is_good = true;
    i->is_lent = false;
    watchdog_begin(i->watchdog);
    if (i->path == INTEROP_MAPPED) is_good = mapped_take_back(i, err);
    watchdog_end(i->watchdog);
    if (i->path == INTEROP_CPU) return unmap_buffer(i, err);
    if (i->path == INTEROP_STAGED && has_result) {
        void *mapped = map_buffer(i, err);
        if (!mapped) return false;
        is_good = backend_download(i->backend, planes_at(i->shape, mapped),
                                   planes_at(i->shape, i->memory), err);
        return unmap_buffer(i, err) && is_good;
    }
    return is_good;
}

// ---- the choice ----

static bool is_auto(const char *word)
{
    return !word || !strcmp(word, "auto");
}

// Tries with a small buffer whether this backend can map buffers of this context.
static bool probe(struct backend *b, struct watchdog *watchdog, struct error *err)
{
    const struct planes shape = planes_shape(16, 16, 1);
    struct planes target;
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)planes_bytes(shape), NULL, GL_STREAM_DRAW);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    struct interop *i = interop_create(b, INTEROP_MAPPED, buffer, shape, watchdog, err);
    const bool is_good = i && interop_lend(i, false, &target, err) &&
                         backend_fill(b, target.pixels, 90, planes_bytes(shape), err) &&
                         interop_return(i, true, err);
    interop_destroy(i);
    glDeleteBuffers(1, &buffer);
    return is_good;
}

static void add_reason(struct device_choice *c, const char *name, const char *why)
{
    text_join(c->reasons, sizeof c->reasons, "\n", "%s: %s", name, why);
}

// The GPU that draws the window when there is one: only it can write the window's buffers.
static struct backend *open_best(struct device_choice *c, struct error *err)
{
    char reasons[1024] = "";
    struct error why = {""};
    const int drawing = interop_drawing_device(&why);
    if (drawing >= 0) {
        char device[16];
        g_snprintf(device, sizeof device, "cuda:%d", drawing);
        struct backend *b = backend_open(device, reasons, sizeof reasons, &why);
        if (b) return b;
        add_reason(c, device, why.text);
    }
    struct backend *b = backend_open("auto", reasons, sizeof reasons, err);
    text_join(c->reasons, sizeof c->reasons, "\n", "%s", reasons);
    return b;
}

static bool pick_path(struct device_choice *c, const char *path, struct watchdog *watchdog,
                      struct error *err)
{
    const struct device *d = backend_device(c->backend);
    const bool is_tried = !path || strcmp(path, "staged") != 0, is_gpu = d->is_gpu;
    struct error why = {""};
    char id[16];
    if (!is_gpu) error_set(&why, "device %s is no GPU", d->id);
    // A GPU that is not the drawing one is refused here before the driver gives a black picture.
    const int drawing = is_gpu ? interop_drawing_device(&why) : -1;
    g_snprintf(id, sizeof id, "cuda:%d", drawing);
    c->has_interop = drawing >= 0 && !strcmp(id, d->id);
    if (drawing >= 0 && !c->has_interop) error_set(&why, "%s draws the window, not %s", id, d->id);
    if (c->has_interop && is_tried) c->has_interop = probe(c->backend, watchdog, &why);
    if (is_auto(path)) {
        c->path = c->has_interop ? INTEROP_MAPPED : is_gpu ? INTEROP_STAGED : INTEROP_CPU;
        if (is_gpu && !c->has_interop) add_reason(c, "interop", why.text);
        return true;
    }
    if (!interop_path_parse(path, &c->path))
        return error_set(err, "unknown path '%s'; known are auto, interop, staged and cpu", path);
    if (c->path == INTEROP_MAPPED && !c->has_interop)
        return error_set(err, "cannot take path interop: %s", why.text);
    if (c->path == INTEROP_CPU && is_gpu)
        return error_set(err, "cannot take path cpu: device %s is a GPU", d->id);
    return true;
}

bool device_choice_make(struct device_choice *c, const char *device, const char *path,
                        struct watchdog *watchdog, struct error *err)
{
    struct device_choice found = {0};
    if (is_auto(device) && path && !strcmp(path, "cpu")) device = "cpu";
    found.backend = is_auto(device)
                        ? open_best(&found, err)
                        : backend_open(device, found.reasons, sizeof found.reasons, err);
    if (!found.backend) return false;
    if (!pick_path(&found, path, watchdog, err)) {
        backend_close(found.backend);
        return false;
    }
    *c = found;
    return true;
}
