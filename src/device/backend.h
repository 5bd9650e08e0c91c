// backend.h -- runs kernels on a device: CUDA, or the CPU emulating it.
//
// Does not know filters' meaning, windows or files. Every call is checked here once;
// implementations may assume valid arguments. A backend is a queue (CUDA's stream): launches,
// copies and marks run in the order they were asked for, behind the caller's back; upload and
// download wait for their turn.
//
// All calls come from one thread, except backend_compile and backend_unload, which one other thread
// may use meanwhile. Memory and modules are valid until freed or until backend_close.
#ifndef BACKEND_H
#define BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/planes.h"

struct backend;
struct module;  // a compiled kernel file, loaded

// An open device's facts; read-only.
struct device {
    char id[16];      // "cuda:0", "cpu": what --device takes
    char name[128];   // "NVIDIA H200"
    char arch[16];    // "sm_90"; empty on cpu
    char driver[64];  // "driver 580.159, CUDA 13.0"; the compiler's name on cpu
    bool is_gpu;
    bool has_watchdog;    // the driver kills kernels that run for seconds
    int multiprocessors;  // CPU threads on cpu
    int clock_mhz;        // the highest it runs at; 0: not known
    int max_threads;      // a block
    int max_block_width, max_block_height;
    int max_grid_width, max_grid_height;  // blocks
    int max_threads_resident;             // a multiprocessor; 0 on cpu
    size_t max_shared_bytes;              // a block, with opt-in
    size_t memory_bytes, l2_bytes;        // 0: not known
};

// What the compiler made of one kernel.
struct kernel_facts {
    int registers;  // a thread; 0 on cpu
    size_t static_shared_bytes, local_bytes;
    int max_threads;  // a block of this kernel, as its registers allow
};

// One launch's shape.
struct launch_config {
    int grid_width, grid_height;    // blocks; depth is the picture's planes
    int block_width, block_height;  // threads
    size_t shared_bytes;            // dynamic
};

// One launch. in and out lie in this backend's memory and have one width, height and number of
// planes.
struct launch {
    const struct module *module;
    int entry;  // index into the build's entries
    struct launch_config shape;
    struct planes out, in;
    bool is_packed;       // in or out is not planar as in planes.h: no texture of in
    void *scratch;        // one 32-bit word a pixel: 4 * width * height * planes bytes, or NULL
    const void *weights;  // ints for kernels that read them, or NULL
    const void *params;   // the kernel's struct params, copied by the call
    size_t params_bytes;
};

// What to compile. Strings need only live until backend_compile returns.
struct build {
    const char *path;            // in messages
    const char *source;          // the file's text
    const char *const *entries;  // names of the kernels wanted
    int entry_count;
    int radius;  // RADIUS becomes this literal; -1: it stays p.radius
};

struct occupancy {
    int threads, max_threads;  // resident on a multiprocessor; 0 of 0: not known
    const char *limiter;       // "registers", "shared memory", "threads", "blocks"
};

enum backend_state { BACKEND_IDLE, BACKEND_BUSY, BACKEND_FAILED };
enum { BACKEND_MARKS = 16, BACKEND_MAX_ENTRIES = 80 };

// Whether a text is one of the names that backend_open takes, be there such a device or not.
bool backend_is_name(const char *device);

// Wakes drivers and compilers on a thread of its own while the caller does other things (opens a
// window, say): a later backend_open finds them awake. The end waits for it; accepts NULL.
struct backend_warm_up *backend_warm_up_begin(void);
void backend_warm_up_end(struct backend_warm_up *w);

// Opens "cuda", "cuda:N", "cpu" or "auto" (the first that works, in that order). reasons, of size
// bytes, receives one line for each better device that was not taken and why; empty when the best
// was.
struct backend *backend_open(const char *device, char *reasons, size_t size, struct error *err);
void backend_close(struct backend *b);  // waits for the queue; accepts NULL

const struct device *backend_device(const struct backend *b);

// Folder with kernel.h, for sources compiled from now on; copied.
void backend_set_include(struct backend *b, const char *folder);

bool backend_alloc(struct backend *b, size_t bytes, void **memory,
                   struct error *err);  // 512-aligned
void backend_free(struct backend *b,
                  void *memory);  // after the queue is done with it; accepts NULL
bool backend_upload(struct backend *b, struct planes to, struct planes host, struct error *err);
bool backend_download(struct backend *b, struct planes host, struct planes from, struct error *err);
// Upload of what is not a picture.
bool backend_write(struct backend *b, void *to, const void *host, size_t bytes, struct error *err);
bool backend_fill(struct backend *b, void *memory, int byte, size_t bytes, struct error *err);

// Compiles or takes from the cache, and loads. On failure returns NULL and err holds the compiler's
// log as "file:line: message" lines; modules compiled earlier are untouched. Slow: 20 ms to 1 s.
struct module *backend_compile(struct backend *b, const struct build *build, struct error *err);
void backend_unload(struct backend *b, struct module *m);  // after the queue is done; accepts NULL
// Fills a module's `__constant__` array of that name, waiting for its turn. A module without one is
// left as it is; one of fewer bytes is refused.
bool backend_set_constant(struct backend *b, const struct module *m, const char *name,
                          const void *host, size_t bytes, struct error *err);
const struct kernel_facts *backend_facts(const struct module *m);  // one an entry
struct occupancy backend_occupancy(struct backend *b, const struct module *m, int entry,
                                   const struct launch_config *shape);

// Queued work. False: refused at once (err says why); what fails later is told by poll and wait.
bool backend_launch(struct backend *b, const struct launch *l, struct error *err);
bool backend_copy(struct backend *b, void *to, const void *from, size_t bytes, struct error *err);
bool backend_mark(struct backend *b, int mark, struct error *err);  // 0 ... BACKEND_MARKS - 1

// FAILED is for good (a device fault; err says which): close this backend and open another.
enum backend_state backend_poll(struct backend *b, struct error *err);
bool backend_wait(struct backend *b, struct error *err);
// Milliseconds on the device's clock between two marks, both passed.
bool backend_elapsed(struct backend *b, int from, int to, double *ms, struct error *err);
// Drops launches that have not finished, as far as the device can (cpu only). Outputs are
// undefined.
void backend_cancel(struct backend *b);

void *backend_stream(struct backend *b);  // the cudaStream_t, for interop.c; NULL on cpu

// What this build and machine offer, a line each, for `tilescope devices`. *count devices are
// filled.
void backend_list(struct device *devices, int max, int *count, char *reasons, size_t size);

#endif
