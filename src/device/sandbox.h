// sandbox.h -- shuts the calling process in, for good: Landlock restricts its files, seccomp its
// system calls, and rlimits its time and memory.
//
//     sandbox_enter   before a text from elsewhere is compiled: one folder may be written, what is
//                     listed may be read and run, no network, no clocks, no other processes. The
//                     names of files below /usr can be listed.
//     sandbox_close   before what was compiled is loaded: it may still read files and make code of
//                     them; anything else beyond what a sealed process may do ends it with SIGSYS
//     sandbox_seal    before what was compiled runs: memory, its open files and its end are all
//                     that it may still ask for; to read another file is refused, and anything
//                     else ends the process with SIGSYS
//
// Where the system lacks one of these, as in some containers, the others still hold; the result is
// then false, and `missing` says what is lacking. A build with sanitizers sets no limits of memory
// and forbids no calls: `missing` says so, and the result is true. No privileges are needed.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SANDBOX_MISSING = 128 };

struct sandbox {
    const char *writable;         // a folder; NULL: none
    const char *const *readable;  // files and folders, up to NULL; those that do not exist are
                                  // skipped
    long cpu_s;
    size_t memory_bytes, file_bytes;
};

// Only the calling thread and those that it starts later are shut in: call it before there are
// others. missing has SANDBOX_MISSING bytes, and is empty if everything holds.
bool sandbox_enter(const struct sandbox *s, char *missing);
// Both shut in all threads.
bool sandbox_close(char *missing);
bool sandbox_seal(char *missing);
