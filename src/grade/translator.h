// translator.h -- starts a process that compiles a submission for a GPU, shut in by sandbox.h.
//
// NVRTC reads any file that a text names, so that process has opened NVRTC before it is shut in,
// and after that it can open the submission's folder alone. What it sends is looked at before a
// driver gets it: its size, and whether it is machine code of a GPU or PTX.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/backend.h"

struct translator_words {
    const char *program;                // this one's file
    const char *folder, *given, *name;  // of the submission, as submission_read takes them
    bool may_be_open;                   // it may run where the system cannot shut it in
};

// False: err is the compiler's log, or why there is no code. The process has ended.
bool translator_run(const struct translator_words *words, const struct build_target *target,
                    struct build_code *code, struct error *err);

// That process: the words, "shut" or "open", and the target's numbers. False: err.
enum { TRANSLATOR_WORDS = 6 };
bool translator_serve(char *const words[TRANSLATOR_WORDS], struct error *err);

// True if a driver may be given it.
bool translator_is_code(const struct build_code *code);
