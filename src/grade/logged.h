// logged.h -- which bytes of a trial's memory its log says were read, and which written; and how
// many of each block's shared memory.
//
// A kernel is judged by its log. What it does beside the log shows here: an array has changed where
// nothing was logged, or more had to be read than was.
//
// One thread makes all calls.
#ifndef LOGGED_H
#define LOGGED_H

#include <stdbool.h>
#include <stddef.h>

#include "device/trace.h"
#include "grade/wire.h"

struct logged;

struct logged *logged_create(void);
void logged_destroy(struct logged *l);  // accepts NULL

// Forgets all, and takes the pieces of memory of another run: at most WIRE_MAX_MEMORY.
void logged_begin(struct logged *l, const struct wire_memory *list, int count);
void logged_add(struct logged *l, const struct trace_event *e);

// Whether each byte that differs has been written. False, too, if the piece is not of this size.
bool logged_has_changes(const struct logged *l, int piece, const unsigned char *before,
                        const unsigned char *after, size_t bytes);
// Whether each byte of a row of a piece has been written.
bool logged_has_row(const struct logged *l, int piece, size_t begin, size_t bytes);
// The number of bytes of a piece that have been read.
size_t logged_count_read(const struct logged *l, int piece);

// Bytes of shared memory, summed over the blocks so far.
struct logged_shared {
    double read, written, both;
};
void logged_begin_block(struct logged *l, size_t shared_bytes);
struct logged_shared logged_shared_sum(const struct logged *l);

#endif
