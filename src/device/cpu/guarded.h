// guarded.h -- memory between pages that nobody may touch, so that a kernel that writes behind it
// or far before it faults at that instruction.
//
// The address is a multiple of 512, so up to 511 bytes behind the end may be written unnoticed. Use
// it for a few large pieces: each takes two pages more. Under AddressSanitizer, which sees every
// byte, it is ordinary memory.
#pragma once

#include <stddef.h>

// around: the bytes before and behind it that nobody may touch, at least a page. NULL: there is no
// memory.
void *guarded_alloc(size_t bytes, size_t around);
void guarded_free(void *memory);  // accepts NULL
static inline size_t guarded_round_up(size_t bytes, size_t step)
{
    return (bytes + step - 1) / step * step;
}
