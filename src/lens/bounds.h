// bounds.h -- finds the accesses of a traced block that are outside: behind its shared memory, or
// just behind or before a piece of global memory. The lens and the grader share it.
//
// What lies far from a piece, or before shared memory, is not in a trace: the processor stops it,
// or it is another variable. One thread.
#ifndef BOUNDS_H
#define BOUNDS_H

#include "lens/lens_result.h"

// Whether one access of a thread is outside. Only then is it written to o, but for its lines.
bool bounds_look(const struct trace_block *block, int thread, const struct trace_event *e,
                 const struct lens_memory *memory, int memory_count, struct lens_outside *o);

#endif
