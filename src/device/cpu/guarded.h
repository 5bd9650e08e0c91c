// guarded.h -- memory that lies between pages which nobody may touch, so that a kernel which writes
// behind or far before it faults at that instruction.
//
// Up to 511 bytes behind the end are still its own, because the address is a multiple of 512. It is
// for a few large pieces: each takes two pages more. Under AddressSanitizer, which sees every byte,
// it is ordinary memory.
#pragma once

#include <stddef.h>

// around: how many bytes before and behind it nobody may touch; it is a page at least. NULL: there
// is no memory.
void *guarded_alloc(size_t bytes, size_t around);
void guarded_free(void *memory);  // accepts NULL
static inline size_t guarded_round_up(size_t bytes, size_t step)
{
    return (bytes + step - 1) / step * step;
}
