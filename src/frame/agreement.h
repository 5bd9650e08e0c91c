// agreement.h -- whether the CPU's fast code (backend.h) writes what fibers write.
//
// A file with a reference is checked in other ways (check.h). For one without, nothing else would
// notice if a kernel was rewritten wrongly, or if it is right on fibers by chance alone. So the out
// arrays of two launches are compared to the bit, by their fingerprints.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "frame/frame.h"

// What is said of a variant that does not agree.
#define AGREEMENT_LACKS "fast code gives other values than threads one by one: a race, or our fault"

// True if nothing else tells: the CPU runs the frame, and its file has neither a reference nor
// atomics, whose order is anybody's.
bool agreement_may_lack(const struct frame *frame);

// A fingerprint (hash.h) of what a frame has written to its out arrays. One NaN is as good as
// another. It reads the arrays, so the queue must be idle.
bool agreement_print(const struct frame *frame, const struct frame_memory *memory, uint64_t *print,
                     struct error *err);
