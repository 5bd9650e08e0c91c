// translator.h -- has NVRTC compile a kernel file in a process of its own, which can be stopped.
// NVRTC itself cannot, and an unrolled loop can keep it for minutes and take gigabytes.
//
// NVRTC reads any file that a text names. If the text is a stranger's, that process opens NVRTC,
// and then sandbox.h shuts it in, so that it can open one folder alone. Before a driver gets the
// answer, its size is checked, and that it is machine code of a GPU or PTX.
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"

struct translation {
    const char *program;  // the file of this program
    struct build build;   // its path, source, calls and params
    const char *include;  // the folder of the shared headers
    struct build_target target;
    const char *readable;       // the only folder that NVRTC may read; NULL: it is not shut in
    bool may_be_open;           // NVRTC may run even if the system cannot shut it in
    const atomic_bool *cancel;  // when it becomes true, NVRTC is stopped; NULL: never
};

// False: err is the compiler's log, or why there is no code. The process has ended.
bool translator_run(const struct translation *t, struct build_code *code, struct error *err);
// The same in this process, which waits for NVRTC.
bool translator_run_here(const struct translation *t, struct build_code *code, struct error *err);

// Runs in that process, with the path of a request. The caller prints the answer, or err.
enum { TRANSLATOR_WORDS = 1 };
bool translator_serve(char *const words[TRANSLATOR_WORDS], GString *answer, struct error *err);

// True if a driver may be given it.
bool translator_is_code(const struct build_code *code);
