// trace_words.h -- how a kernel that is compiled to be traced writes its log. cuda_words.h includes
// it.
//
// The compiler is asked to instrument every access for the thread sanitizer, and every basic block
// for coverage. Its calls reach the functions below instead of a sanitizer's. They are hidden in
// the kernels' object, so the program itself may run under that sanitizer.
//
// An event that is the next step of the block that is followed (emulated_trace.c) only needs to be
// compared with it. Any other access is looked up in the ranges that the emulator keeps for each
// CPU thread: buffers, shared memory, constants, and what is a thread's own (the stack, threadIdx,
// parameters), which is not logged. Whatever lies elsewhere is logged as wild. The other half is
// emulated_trace.c.
//
// It does not count, and it tells an aggregate that is copied as a whole by its size only: as words
// as large as its size allows.
#pragma once

#include "device/cpu/kernel_interface.h"

#ifndef EMULATOR_IS_TRACED

#define EMULATOR_UNSEEN
#define EMULATOR_SHARED_ALIGNMENT
#define EMULATOR_WHOLE
#define EMULATOR_KEPT
#define EMULATOR_INLINED
#define EMULATOR_NOT_INLINED __attribute__((noinline))
#define EMULATOR_INLINED_BEGIN
#define EMULATOR_INLINED_END
#define EMULATOR_LOG(what)           ((void)0)
#define EMULATOR_LOG_ATOMIC(pointer) ((void)0)
#define EMULATOR_FETCH(pointer)      (*(pointer))

#else

#if defined(__clang__) ? __clang_major__ < 14 : __GNUC__ < 12
#error "the memory lens needs GCC 12 or clang 14, or a newer one"
#endif

#ifdef __clang__
#define EMULATOR_PLAIN \
    __attribute__((unused, disable_sanitizer_instrumentation, no_sanitize("thread", "coverage")))
#else
#define EMULATOR_PLAIN __attribute__((unused, no_sanitize("thread"), no_sanitize_coverage))
#endif
// For functions whose accesses and branches are not a kernel's. They stay functions: where they
// return to is a place in the kernel.
#define EMULATOR_UNSEEN           __attribute__((noinline)) EMULATOR_PLAIN

// CUDA packs a kernel's arrays; here those of other kernels lie between. Whole rows of banks keep
// each array's words in their banks.
#define EMULATOR_SHARED_ALIGNMENT __attribute__((aligned(128)))
// A call that returns a struct would hide the store of it from GCC.
#define EMULATOR_WHOLE            __attribute__((flatten))
// GCC takes everything else for static (compiler.c), so that a kernel which was put into its caller
// is not compiled once more for itself. Variables are none of that: their loads would go.
#ifdef __clang__
#define EMULATOR_KEPT
#else
#define EMULATOR_KEPT __attribute__((externally_visible))
#endif
// A function of its own would lead from each call of it to what follows any other, and lanes would
// meet too late. GCC's flatten puts all into the kernel; clang at -O0 wants to be told for each.
#ifdef __clang__
#define EMULATOR_INLINED __attribute__((always_inline))
#define EMULATOR_INLINED_BEGIN \
    _Pragma("clang attribute push(__attribute__((always_inline)), apply_to = function)")
#define EMULATOR_INLINED_END _Pragma("clang attribute pop")
#else
#define EMULATOR_INLINED
#define EMULATOR_INLINED_BEGIN
#define EMULATOR_INLINED_END
#endif
#define EMULATOR_NOT_INLINED
#define EMULATOR_LOG(what) emulator_##what##_log()

// Half of what tracing takes is spent in the hooks.
#ifdef __clang__
#define EMULATOR_FAST
#else
#define EMULATOR_FAST __attribute__((optimize("O2")))
#endif

// An event's last eight bytes as one word (little-endian). If its bytes were written one by one,
// the processor would have to wait before it compares them.
typedef unsigned long long emulator_word __attribute__((may_alias));
#define EMULATOR_KEY(event) (*(emulator_word *)&(event)->site)

// Returns if the event is the next step of the block that is followed. Most are, so this is what
// tracing costs.
#define EMULATOR_RETURN_IF_NEXT(at, step_key)                                        \
    do {                                                                             \
        const struct emulator_step **const next = &emulator_step;                    \
        const struct emulator_step *const step = *next;                              \
        if (__builtin_expect(step->pointer == (at) && step->key == (step_key), 1)) { \
            *next = step + 1;                                                        \
            return;                                                                  \
        }                                                                            \
    } while (0)

// Follows or writes an event. range NULL: it has no address.
EMULATOR_PLAIN static inline __attribute__((always_inline)) void
emulator_add_event(const struct emulator_range *range, unsigned long long pointer, int kind,
                   int bytes, int is_texture, const void *after)
{
    struct emulator_log *const log = emulator_log;
    const unsigned long long step = EMULATOR_STEP(after, kind, bytes, is_texture);
    if (log->is_followed && emulator_follow(pointer, step)) return;
    if (log->next == log->end) emulator_grow_log();
    struct trace_event *const next = log->next++;
    next->address = range ? pointer - range->start + range->as : 0;
    EMULATOR_KEY(next) = (unsigned int)((unsigned long long)after - 1 - log->code) |
                         (unsigned long long)kind << 32 | (unsigned long long)bytes << 48 |
                         (is_texture ? (unsigned long long)TRACE_TEXTURE << 40 : 0) |
                         (range ? range->key : 0);
}

EMULATOR_UNSEEN EMULATOR_FAST static void emulator_add_flow(int barrier, const void *after)
{
    if (emulator_log) emulator_add_event(0, 0, TRACE_FLOW, barrier, 0, after);
}

// The first range that holds the address.
EMULATOR_UNSEEN static const struct emulator_range *
emulator_find_range(const struct emulator_log *log, unsigned long long address)
{
    const struct emulator_range *range = log->ranges;
    while (range->space != EMULATOR_WILD && address - range->start >= range->bytes) range++;
    return range;
}

// after: where the call that reports the access returns to. bytes: a word's; there are as many
// words as lie in all_bytes. The first range that holds the address counts, but most instructions
// stay in one.
EMULATOR_UNSEEN EMULATOR_FAST static void emulator_add_words(const void *pointer, int kind,
                                                             unsigned long all_bytes, int bytes,
                                                             const void *after)
{
    const unsigned long long address = (unsigned long long)pointer;
    struct emulator_log *const log = emulator_log;
    if (!log) return;
    const struct emulator_range **const recent =
        &log->recent[(unsigned long long)after / 4 % EMULATOR_RECENT];
    const struct emulator_range *range = *recent;
    if (address - range->start >= range->bytes) {
        range = emulator_find_range(log, address);
        if (range->space == EMULATOR_OWN) return;
        *recent = range;
    }
    for (unsigned long i = 0; i < all_bytes; i += (unsigned)bytes)
        emulator_add_event(range, address + i, kind, bytes, 0, after);
}

EMULATOR_PLAIN static inline __attribute__((always_inline)) void
emulator_add_access(const void *pointer, int kind, unsigned long bytes, unsigned long most,
                    const void *after)
{
    const unsigned long largest = bytes & -bytes, word = largest < most ? largest : most;
    if (word == bytes)
        EMULATOR_RETURN_IF_NEXT((unsigned long long)pointer, EMULATOR_STEP(after, kind, bytes, 0));
    emulator_add_words(pointer, kind, bytes, (int)word, after);
}

// Compilers do not say how a struct is aligned that they copy.
EMULATOR_UNSEEN static void emulator_add_struct(const void *pointer, int kind, unsigned long bytes,
                                                const void *after)
{
    if (emulator_log) emulator_add_access(pointer, kind, bytes, emulator_log->struct_word, after);
}

// ---- what the compiler calls ----
// GCC knows their types; with another one it would instrument them.

// True for most of the kernel's own variables that have an address. No other memory lies so near to
// where its frame begins: behind each stack are 4096 bytes that nobody may touch.
#define EMULATOR_IS_LOCAL(pointer) \
    ((unsigned long long)(pointer) - (unsigned long long)__builtin_dwarf_cfa() < 4096)

// A hook's head, which its body follows.
#define EMULATOR_HOOK(head)                                                                 \
    __attribute__((visibility("hidden"))) EMULATOR_KEPT EMULATOR_UNSEEN EMULATOR_FAST head; \
    head
extern "C" {
#define EMULATOR_HOOK_ACCESS(name, kind, bytes, most)                                         \
    EMULATOR_HOOK(void name(void *pointer))                                                   \
    {                                                                                         \
        if (EMULATOR_IS_LOCAL(pointer)) return;                                               \
        emulator_add_access(pointer, TRACE_##kind, bytes, most, __builtin_return_address(0)); \
    }
#define EMULATOR_HOOKS(bytes)                                 \
    EMULATOR_HOOK_ACCESS(__tsan_read##bytes, LOAD, bytes, 16) \
    EMULATOR_HOOK_ACCESS(__tsan_write##bytes, STORE, bytes, 16)
// The type does not promise that alignment, so a GPU takes words.
#define EMULATOR_HOOKS_UNALIGNED(bytes)                                \
    EMULATOR_HOOK_ACCESS(__tsan_unaligned_read##bytes, LOAD, bytes, 4) \
    EMULATOR_HOOK_ACCESS(__tsan_unaligned_write##bytes, STORE, bytes, 4)
#define EMULATOR_HOOK_RANGE(name, kind)                                  \
    EMULATOR_HOOK(void name(void *pointer, long bytes))                  \
    {                                                                    \
        emulator_add_struct(pointer, TRACE_##kind, (unsigned long)bytes, \
                            __builtin_return_address(0));                \
    }
EMULATOR_HOOKS(1)
EMULATOR_HOOKS(2)
EMULATOR_HOOKS(4)
EMULATOR_HOOKS(8)
EMULATOR_HOOKS(16)
EMULATOR_HOOKS_UNALIGNED(2)
EMULATOR_HOOKS_UNALIGNED(4)
EMULATOR_HOOKS_UNALIGNED(8)
EMULATOR_HOOKS_UNALIGNED(16)
EMULATOR_HOOK_RANGE(__tsan_read_range, LOAD)
EMULATOR_HOOK_RANGE(__tsan_write_range, STORE)
// For an object whose class has virtual functions.
EMULATOR_HOOK_ACCESS(__tsan_vptr_read, LOAD, 8, 16)
EMULATOR_HOOK(void __tsan_vptr_update(void *pointer, void *table))
{
    (void)table;
    emulator_add_access(pointer, TRACE_STORE, 8, 16, __builtin_return_address(0));
}

EMULATOR_HOOK(void __sanitizer_cov_trace_pc(void))
{
    const void *const after = __builtin_return_address(0);
    EMULATOR_RETURN_IF_NEXT(0, EMULATOR_STEP(after, TRACE_FLOW, TRACE_NO_BARRIER, 0));
    emulator_add_flow(TRACE_NO_BARRIER, after);
}

EMULATOR_HOOK(void __tsan_init(void)) {}
EMULATOR_HOOK(void __tsan_func_entry(void *caller))
{
    (void)caller;
}
EMULATOR_HOOK(void __tsan_func_exit(void *unused))
{
    (void)unused;
}
EMULATOR_HOOK(void __tsan_atomic_thread_fence(int order))
{
    (void)order;
    emulator_add_flow(TRACE_FENCE, __builtin_return_address(0));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// clang copies vectors and structs this way. The bytes go one by one: a copy of the whole would be
// this function again.
#ifdef __clang__
#define EMULATOR_HOOK_COPY(name)                                                           \
    EMULATOR_HOOK(void *name(void *to, const void *from, unsigned long bytes))             \
    {                                                                                      \
        const void *const after = __builtin_return_address(0);                             \
        emulator_add_struct(from, TRACE_LOAD, bytes, after);                               \
        emulator_add_struct(to, TRACE_STORE, bytes, after);                                \
        for (unsigned long i = 0; i < bytes; i++)                                          \
            ((volatile unsigned char *)to)[i] = ((const volatile unsigned char *)from)[i]; \
        return to;                                                                         \
    }
EMULATOR_HOOK_COPY(memcpy)
EMULATOR_HOOK_COPY(__tsan_memcpy)
EMULATOR_HOOK(void *__tsan_memset(void *to, int byte, unsigned long bytes))
{
    for (unsigned long i = 0; i < bytes; i++)
        ((volatile unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}
#endif
}

// ---- what cuda_words.h calls ----

// In a function that is unseen: where that one returns to is the site.
#define EMULATOR_LOG_ATOMIC(pointer) \
    emulator_add_access(pointer, TRACE_ATOMIC, sizeof *(pointer), 16, __builtin_return_address(0))

EMULATOR_PLAIN static inline __attribute__((always_inline)) void
emulator_add_fetch(unsigned long long at, const void *after)
{
    EMULATOR_RETURN_IF_NEXT(at, EMULATOR_STEP(after, TRACE_LOAD, 1, 1));
    if (emulator_log)
        emulator_add_event(emulator_find_range(emulator_log, at), at, TRACE_LOAD, 1, 1, after);
}

EMULATOR_UNSEEN static unsigned char emulator_fetch(const unsigned char *pixel)
{
    emulator_add_fetch((unsigned long long)pixel, __builtin_return_address(0));
    return *pixel;
}
#define EMULATOR_FETCH(pointer) emulator_fetch(pointer)

#endif
