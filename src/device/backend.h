// backend.h -- runs kernels on a device: CUDA, or the CPU emulating it.
//
// It knows nothing of filters, windows and files. backend.c checks every call once, so the
// implementations may assume valid arguments. A backend is a queue (CUDA's stream): launches,
// copies, fills and marks return at once and run in the order of the calls. Uploads and downloads
// return when their turn has come.
//
// One thread makes all calls. One other thread may call backend_compile and backend_unload
// meanwhile. Memory is valid until it is freed or the backend is closed. The caller unloads all
// modules before he closes the backend.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/library.h"

struct backend;
struct module;  // a compiled kernel file, loaded
struct trace;   // device/trace.h
struct trace_chain;

// An open device's facts; read-only.
struct device {
    char id[16];      // "cuda:0", "cpu": what --device takes
    char name[128];   // "NVIDIA H200"
    char arch[16];    // "sm_90"; empty on cpu
    char driver[64];  // "driver 580.159, CUDA 13.0"; the compiler's name on cpu
    bool is_gpu;
    bool has_watchdog;    // the driver kills kernels that run for seconds
    int multiprocessors;  // CPU threads on cpu
    int clock_mhz;        // the highest clock; 0: not known
    int max_threads;      // of a block
    int max_block_width, max_block_height;
    int max_grid_width, max_grid_height;  // blocks
    size_t max_shared_bytes;              // of a block, with opt-in
    size_t memory_bytes, l2_bytes;        // 0: not known
};

// The compiler's figures for one kernel.
struct kernel_facts {
    int registers;  // of a thread; 0 on cpu
    size_t static_shared_bytes;
    int max_threads;  // of a block of this kernel, as its registers allow
};

// How a kernel is launched.
struct launch_config {
    int grid_width, grid_height;    // blocks
    int block_width, block_height;  // threads; height: the rows of all its layers
    size_t shared_bytes;            // dynamic
    int grid_depth, block_depth;    // layers; 0: one. A picture's grid has one for each plane.
};

// An array of a launch, with a gap behind it that no kernel may touch. bytes 0: only a gap.
struct launch_array {
    char name[32];
    const unsigned char *start;
    size_t bytes, element_bytes, gap_bytes;
};
enum { BACKEND_MAX_GUARDED = 13 };

// One launch, of a filter's kernel or of a lab's. A filter's in and out lie in this backend's
// memory; their width, height and number of planes are equal.
struct launch {
    const struct module *module;
    int entry;  // index into the build's entries
    struct launch_config config;
    struct planes out, in;
    bool is_packed;       // in or out is not planar as in planes.h; in has no texture
    const void *arrays;   // a lab's struct arrays, which the call copies; the kernel takes it and
    size_t arrays_bytes;  // the params only, no out, in, scratch and weights; NULL: a filter's
    void *scratch;        // a 32-bit word a pixel: 4 * width * height * planes bytes, or NULL
    const void *weights;  // ints for kernels that read them, or NULL
    const void *params;   // the kernel's struct params, copied by the call
    size_t params_bytes;
    const struct trace *trace;  // needs a traced module; NULL: nothing is logged
    // Those whose gaps are closed while it runs: an access there fails, and the error names it (cpu
    // only).
    const struct launch_array *guarded;
    int guarded_count;
    bool is_strict;  // run on fibers, which refuse what CUDA leaves undefined (cpu only)
    // Becomes true if backend_cancel or the failure of an earlier launch ended this one early (cpu
    // only). NULL: nobody asks. Valid until the queue is idle.
    atomic_bool *is_cut;
};

// One call of a library's function, in place of a launch.
struct library_call {
    const struct module *module;
    int function;  // index into the build's functions
    struct library_arguments arguments;
};

// The target of backend_translate.
struct build_target {
    int arch;          // 90: sm_90
    int newest_major;  // newest major version of CUDA that the driver loads
    bool wants_ptx;    // also where machine code would be possible
};

// Code that a device loads; g_free frees the bytes.
struct build_code {
    void *bytes;
    size_t size;
};

// A text to compile. Everything is borrowed until backend_compile returns.
struct build {
    const char *path;    // for messages
    const char *source;  // the file's text
    const char *calls;   // stands behind source and calls its functions (launch.h); NULL: none
    const char *const *entries;  // names of the kernels to load; NULL: one that `calls` leaves out
    int entry_count;
    const char *const *kernels;  // as many names for messages, each or all NULL: the entry's
    // Functions of libraries that the module needs; compiling opens the libraries.
    const struct library_function *const *functions;
    int function_count;
    // If set, the text may not call functions whose last bits differ between devices, and this is
    // the remedy that the error names. NULL: it may.
    const char *inexact;
    const char *params;  // this initializer replaces kernel.h's PARAMS; NULL: a launch gives them
    // Kernels are rewritten so that they run faster (cpu only; rewrite.h). A launch that is_strict
    // runs them as they stand.
    bool is_fast;
    // How many threads of a row run at once where neither rows nor blocks run as one: 8 or 16; 0:
    // 32 (cpu only, if is_fast). It changes no result.
    int lanes;
    bool is_traced;  // its launches may have a struct trace, and run slower (cpu only)
    bool has_lines;  // an access to a gap (struct launch_array) is told with its line (cpu only)
    const atomic_bool
        *cancel;  // when it becomes true, compiling fails soon (cpu only); NULL: never
    const struct build_guard *guard;  // NULL: the text is trusted
};

// For a text that is not trusted.
struct build_guard {
    void *data;
    // The backend calls it before it loads machine code into this process (cpu only). Nobody can
    // change the code any more.
    void (*before_load)(void *data);
    bool is_never_loaded;  // the module serves only backend_find_lines (cpu only)
    // Limits of each process of the compiler (cpu only); 0: none.
    int compiler_s;  // of processor time
    size_t compiler_bytes;
    // Lets another process compile the text with backend_translate (cuda only).
    bool (*translate)(void *data, const struct build *build, const struct build_target *target,
                      struct build_code *code, struct error *err);
};

struct occupancy {
    int threads, max_threads;  // resident on a multiprocessor; 0 of 0: not known
    const char *limiter;       // "registers", "shared memory", "threads", "blocks"
};

// A call of host functions that a kernel file exports.
struct host_call {
    const char *name;         // for messages: "the reference"
    void (*run)(void *data);  // calls them; a call may never return, so run() must own nothing
    void *data;
    const atomic_uint *steps;  // run() adds one before each function
    int limit_ms;              // of processor time for each step
    const atomic_bool *stop;   // when it becomes true, the call is abandoned; NULL: never
};

enum backend_state { BACKEND_IDLE, BACKEND_BUSY, BACKEND_FAILED };
enum { BACKEND_MARKS = 16, BACKEND_MAX_ENTRIES = 80, BACKEND_MAX_ARGUMENT_BYTES = 128 };
enum { BACKEND_MAX_FUNCTIONS = 4 };  // of libraries, a module

// True if backend_open takes this name. The device itself may be missing.
bool backend_is_name(const char *device);

// Starts drivers and compilers, so that a later backend_open is fast. The caller runs it in a
// thread of its own and meanwhile does other things, such as opening a window.
void *backend_warm_up(void *unused);

// Opens "cuda", "cuda:N", "cpu" or "auto" (the first of these that works). reasons, of size bytes,
// receives a line for each better device that does not work, so it is empty if the best one works.
// It may be NULL.
struct backend *backend_open(const char *device, char *reasons, size_t size, struct error *err);
void backend_close(struct backend *b);  // waits for the queue; accepts NULL

const struct device *backend_device(const struct backend *b);

// True if times measured on the device are a GPU's. An emulator's times say nothing about a GPU:
// callers choose no best variant or block by them, and prove no claim.
bool device_has_gpu_times(const struct device *device);

// Sets the folder with kernel.h for later compilations. The name is copied.
void backend_set_include(struct backend *b, const char *folder);
const char *backend_include(const struct backend *b);

// Memory is aligned to 512 bytes. backend_free waits until the queue no longer uses it, and accepts
// NULL.
bool backend_alloc(struct backend *b, size_t bytes, void **memory, struct error *err);
void backend_free(struct backend *b, void *memory);
bool backend_upload(struct backend *b, struct planes to, struct planes host, struct error *err);
bool backend_download(struct backend *b, struct planes host, struct planes from, struct error *err);
// Upload and download bytes that are not a picture.
bool backend_write(struct backend *b, void *to, const void *host, size_t bytes, struct error *err);
bool backend_read(struct backend *b, void *host, const void *from, size_t bytes, struct error *err);
// Queued like a launch; byte is 0 to 255.
bool backend_fill(struct backend *b, void *memory, int byte, size_t bytes, struct error *err);

// Compiles a file, or finds it in the cache, and loads it: 20 ms to 1 s. On failure err holds the
// compiler's log as "file:line: message" lines, and modules compiled earlier are untouched.
struct module *backend_compile(struct backend *b, const struct build *build, struct error *err);
// Compiles a file for a GPU without opening the GPU, in a process that a sandbox shuts in.
// backend_translator opens all other files that this takes; backend_translate opens only the
// headers in `include`.
struct translator;
struct translator *backend_translator(const struct build_target *target, struct error *err);
bool backend_translate(const struct translator *t, const struct build *build, const char *include,
                       struct build_code *code, struct error *err);
void backend_translator_free(struct translator *t);
// The path of a program of CUDA's toolkit, for g_free; NULL: it is not installed.
char *backend_find_program(const char *name);
// Lists the files that the cpu device's compilers read and run, for a process that may open nothing
// else. The list ends with NULL; g_strfreev frees it.
char **backend_compiler_files(struct error *err);
// Returns what a build that is_fast compiles in place of the file's calls, with the headers in
// `include`; g_free frees it. *kept receives pairs of a kernel's name and the reason why it stays
// as it is; *where, which may be NULL, those of another kernel and the blocks for which it does
// ("where …"). g_strfreev frees them.
char *backend_rewrite(const struct build *build, const char *include, char ***kept, char ***where,
                      struct error *err);
void backend_unload(struct backend *b, struct module *m);  // once the queue is done; accepts NULL
// Waits for its turn and fills the module's `__constant__` array of that name. It does nothing if
// the module has no such array, and refuses an array of fewer bytes.
bool backend_set_constant(struct backend *b, const struct module *m, const char *name,
                          const void *host, size_t bytes, struct error *err);
// Waits for the queue and returns the lines that the module's kernels have printed since the last
// call (prints.h); g_free frees them. NULL: they printed nothing. On cpu the lines include those
// before a fault.
char *backend_take_prints(struct backend *b, const struct module *m);
bool backend_has_prints(struct backend *b, const struct module *m);  // they call printf
bool backend_is_fast(const struct module *m);                        // some kernels are rewritten
const struct kernel_facts *backend_facts(const struct module *m);    // one for each entry
// The code for a GPU that a module was loaded from, valid as long as the module; NULL on cpu.
const struct build_code *backend_loaded_code(const struct module *m);
// True if a function of the build's libraries can be called; err says what is missing.
bool backend_has_function(const struct module *m, int function, struct error *err);
// True if it was called before. The first call takes long, because it loads the library's code.
bool backend_has_called(const struct backend *b, const struct module *m, int function);
struct occupancy backend_occupancy(struct backend *b, const struct module *m, int entry,
                                   const struct launch_config *config);

// The address of a host function that a kernel file exports, on cpu; NULL elsewhere, and where
// there is none. It is valid until the module is unloaded.
void *backend_function(struct backend *b, const struct module *m, const char *name);
// Calls functions of one module so that they can neither end the program nor keep the thread.
// False: a function reached memory that is not there, divided by zero, took longer than the limit,
// or was stopped; err says which. Any thread may call it.
bool backend_call(const struct backend *b, const struct module *m, const struct host_call *call,
                  struct error *err);

// Finds the source lines of `count` sites of a traced module, a chain for each; it takes some 10
// ms. False: they cannot be found, and err says what is missing.
bool backend_find_lines(struct backend *b, const struct module *m, const unsigned int *sites,
                        int count, struct trace_chain *chains, struct error *err);

// Queued work. False: it is refused at once, and err says why. Later failures come from poll and
// wait.
bool backend_launch(struct backend *b, const struct launch *l, struct error *err);
bool backend_call_library(struct backend *b, const struct library_call *call, struct error *err);
bool backend_copy(struct backend *b, void *to, const void *from, size_t bytes, struct error *err);
bool backend_mark(struct backend *b, int mark, struct error *err);  // 0 ... BACKEND_MARKS - 1

// FAILED is final: err names the device's fault. Close this backend and open another.
enum backend_state backend_poll(struct backend *b, struct error *err);
bool backend_wait(struct backend *b, struct error *err);
// Waits for so many microseconds; the cpu device less, if the queue is empty sooner.
void backend_rest(struct backend *b, int us);
// Milliseconds between two marks on the device's clock. The queue has passed both.
bool backend_elapsed(struct backend *b, int from, int to, double *ms, struct error *err);
// What the queued work has had so far. Callers compare two answers: a launch that has had little
// time of its own is not slow, and one whose blocks still end is not endless. Ask now and then
// while a launch runs; that costs little.
struct backend_work {
    // cpu: of the thread with most of it: processor time, and waits for anything but a processor.
    // cuda: all time that passes; nothing else is known.
    double own_ms;
    unsigned long long blocks;  // that have ended; cuda: 0
};
struct backend_work backend_work(struct backend *b);

// Stops launches that have not finished, where the device can (cpu only). Their outputs are
// undefined. A kernel that waits in a library cannot be stopped: after a while the device fails,
// the kernel's threads stay there for ever, and the device's memory is never released. The caller
// may take back what he lent to a launch.
void backend_cancel(struct backend *b);
// True if it can. Otherwise a wait for an endless kernel never returns.
bool backend_can_cancel(const struct backend *b);

// Lowers for good the priority of the threads that run the device's kernels (cpu only).
void backend_give_way(struct backend *b);

void *backend_stream(struct backend *b);  // the cudaStream_t, for interop.c; NULL on cpu

// Lists the devices of this build and machine; reasons receives a line for each kind that is
// missing.
void backend_list(struct device *devices, int max, int *count, char *reasons, size_t size);
// The first of these: a GPU if there is one.
struct device backend_best(void);
