// backend_impl.h -- the table that an implementation fills in. Only backend.c and backend_*.c
// include it.
//
// backend.c has checked all arguments and the headers that a build includes. An entry is mandatory
// unless its comment says what NULL means.
#pragma once

#include "device/backend.h"
#include "device/headers.h"

// Implementations embed this first in their own struct.
struct backend {
    const struct backend_impl *impl;
    struct device device;
    char include[4096];  // folder with kernel.h
    bool has_mark[BACKEND_MARKS];
    bool has_called[LIBRARY_COUNT];
};

struct module {
    struct kernel_facts facts[BACKEND_MAX_ENTRIES];
    int entry_count;
    struct build_code loaded;  // bytes NULL: the module is machine code of this process
    bool is_traced, is_fast;
    struct module_function {
        const struct library_function *function;
        char missing[160];  // why it cannot be called; empty: it can
    } functions[BACKEND_MAX_FUNCTIONS];
    int function_count;
};

struct backend_impl {
    const char *name;  // "cuda", "cpu"
    // ordinal: which of several devices; -1: the best. err says why there is none.
    struct backend *(*open)(int ordinal, struct error *err);
    void (*close)(struct backend *b);
    void (*warm_up)(void);  // any thread may call; NULL: nothing to start
    // Returns how many devices there are; 0: err says why there is none.
    int (*list)(struct device *devices, int max, struct error *err);

    bool (*alloc)(struct backend *b, size_t bytes, void **memory, struct error *err);
    void (*free)(struct backend *b, void *memory);
    bool (*upload)(struct backend *b, void *to, const void *host, size_t bytes, struct error *err);
    bool (*download)(struct backend *b, void *host, const void *from, size_t bytes,
                     struct error *err);
    bool (*fill)(struct backend *b, void *memory, int byte, size_t bytes, struct error *err);

    char **(*compiler_files)(struct error *err);  // NULL: it compiles in this process
    char *(*rewrite)(const struct build *build, const struct headers *headers, char ***kept,
                     char ***where);
    // NULL: the device loads machine code of this process.
    struct translator *(*open_translator)(const struct build_target *target, struct error *err);
    bool (*translate)(const struct translator *t, const struct build *build,
                      const struct headers *headers, struct build_code *code, struct error *err);
    void (*close_translator)(struct translator *t);
    char *(*find_program)(const char *name);  // NULL: it has none
    struct module *(*compile)(struct backend *b, const struct build *build,
                              const struct headers *headers, struct error *err);
    void (*unload)(struct backend *b, struct module *m);
    // The address of a module's __constant__ variable, for upload. False: it has none.
    bool (*find_constant)(struct backend *b, const struct module *m, const char *name,
                          void **memory, size_t *bytes);
    // open_function opens a function's library, on the thread that compiles; call_library calls the
    // function. NULL: the device has no libraries.
    bool (*open_function)(struct backend *b, const struct library_function *function,
                          struct error *err);
    bool (*call_library)(struct backend *b, const struct library_function *function,
                         const struct library_arguments *arguments, struct error *err);
    // The address of an exported host function; NULL: there is none. NULL: modules export none.
    void *(*function)(const struct module *m, const char *name);
    // Any thread may call. NULL: modules export none.
    bool (*call)(const struct module *m, const struct host_call *call, struct error *err);
    // NULL: occupancy means nothing here.
    struct occupancy (*occupancy)(struct backend *b, const struct module *m, int entry,
                                  const struct launch_config *config);

    // NULL: it traces nothing.
    bool (*find_lines)(const struct module *m, const unsigned int *sites, int count,
                       struct trace_chain *chains, struct error *err);

    bool (*launch)(struct backend *b, const struct launch *l, struct error *err);
    bool (*copy)(struct backend *b, void *to, const void *from, size_t bytes, struct error *err);
    bool (*mark)(struct backend *b, int mark, struct error *err);
    enum backend_state (*poll)(struct backend *b, struct error *err);
    bool (*wait)(struct backend *b, struct error *err);
    void (*rest)(struct backend *b, int us);  // NULL: it sleeps for all of it
    bool (*elapsed)(struct backend *b, int from, int to, double *ms, struct error *err);
    struct backend_work (*work)(struct backend *b);  // NULL: only time passes
    void (*cancel)(struct backend *b);               // NULL: launches cannot be stopped
    void (*give_way)(struct backend *b);             // NULL: the device has no threads of its own
    void *(*stream)(struct backend *b);              // NULL: there is no stream
};

extern const struct backend_impl backend_cpu;
extern const struct backend_impl backend_cuda;  // only where HAVE_CUDA
