// wire.h -- the messages between the grader and the process that runs a submission, over two pipes.
//
// The grader asks; the process answers with any number of MEMORY, PASS and BLOCK messages, and then
// with DONE, CHAINS or FAILED. What a message says is not to be trusted: the reader checks each
// number before it uses it. The elements of arrays and the pixels are not sent; they lie in memory
// that both share: first what a trial begins with, and behind WIRE_HALF what it has left.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/backend.h"
#include "device/trace.h"
#include "filter/filter.h"
#include "grade/submission.h"

enum wire_kind {
    WIRE_LOAD,    // without a payload: compiles, loads and seals; from now on only RUN
    WIRE_RUN,     // struct trial, whose seed and is_counted are withheld
    WIRE_LINES,   // unsigned int sites[]: compiles, and loads nothing
    WIRE_DONE,    // the answer to the first two: a note, or nothing
    WIRE_CHAINS,  // the answer to LINES: struct trace_chain[]
    WIRE_FAILED,  // a text
    WIRE_MEMORY,  // struct wire_memory[]: where the launches' memory is
    WIRE_PASS,    // struct launch_config: a launch begins
    WIRE_BLOCK,   // struct wire_block, then the events of all threads, one behind the other
};

enum { WIRE_HALF = 32 << 20, WIRE_MEMORY_FD = 3 };
enum { WIRE_MAX_THREADS = 1024, WIRE_MAX_EVENTS = 8 << 20, WIRE_MAX_MEMORY = 12 };
enum { WIRE_MAX_SHARED = 1 << 20 };  // bytes of a block

struct wire_head {
    uint32_t kind, unused;
    uint64_t bytes;  // that follow
};

struct wire_memory {
    char name[FILTER_NAME];
    unsigned long long address;
    uint64_t bytes;
};

struct wire_block {
    struct trace_block block;           // without its threads
    uint32_t events[WIRE_MAX_THREADS];  // of each of them
};

// Whole messages, or whole pieces; false: the other end is gone.
bool wire_send(int fd, enum wire_kind kind, const void *payload, size_t bytes);
bool wire_read(int fd, void *to, size_t bytes);
bool wire_write(int fd, const void *from, size_t bytes);

// Those variables of the environment whose names are among the words of kept, or begin with one
// that ends with "_"; and the submission's own folder for temporary files.
char **wire_environment(const struct submission *s, const char *kept);
