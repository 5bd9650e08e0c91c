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
#define AGREEMENT_LACKS \
    "fast code and threads one by one give different values: a race (see the lens), or our fault"

// True if nothing else tells: the CPU runs the frame, and its file has neither a reference nor
// atomics, whose order is anybody's.
bool agreement_may_lack(const struct frame *frame);
// True if the frame's module has fast code that is to be compared therefore.
bool agreement_is_due(const struct frame *frame);

// A fingerprint (hash.h) of what a frame has written to its out arrays; of those above 16 MB, of
// pieces all over them. One NaN is as good as another. It reads the arrays, so the queue must be
// idle.
bool agreement_print(const struct frame *frame, const struct frame_memory *memory, uint64_t *print,
                     struct error *err);

// Launches a frame over poison, says where, and waits.
typedef bool agreement_launch(void *data, const struct frame *frame, struct frame_memory *memory,
                              struct error *err);
// Launches the fast code and then fibers, if that is due; else nothing, and they agree. *agrees
// false: fibers give other values, and the same ones again, which are in the memory now.
bool agreement_test(const struct frame *frame, agreement_launch *launch, void *data, bool *agrees,
                    struct error *err);
