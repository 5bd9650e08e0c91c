// cpu_module.h -- a kernel file that was compiled for the CPU and loaded: its kernels by number,
// its host functions and its source lines.
//
// It does not know the queue: whoever unloads a module makes sure that nothing runs it.
#ifndef CPU_MODULE_H
#define CPU_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/backend_impl.h"
#include "device/cpu/compiler.h"
#include "device/cpu/emulator.h"
#include "device/cpu/object.h"

struct cpu_module {
    struct module module;
    struct object object;
    emulator_kernel *kernels[BACKEND_MAX_ENTRIES];
    char *names[BACKEND_MAX_ENTRIES];  // "mean.cu: mean_naive"
};

// Compiles and loads, as backend_compile does. NULL: err says why not.
struct cpu_module *cpu_module_load(const struct compiler *compiler, const struct build *build,
                                   const char *include, struct error *err);
void cpu_module_unload(struct cpu_module *m);

// What the backend's contract says of these, for its table.
bool cpu_module_find_constant(struct backend *b, const struct module *m, const char *name,
                              void **memory, size_t *bytes);
void *cpu_module_function(struct backend *b, const struct module *m, const char *name);
bool cpu_module_call(const struct module *m, const struct host_call *call, struct error *err);
bool cpu_module_find_lines(const struct module *m, const unsigned int *sites, int count,
                           struct trace_chain *chains, struct error *err);

#endif
