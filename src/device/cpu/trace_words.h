// trace_words.h -- how a kernel that is compiled to be traced writes its log. cuda_words.h includes
// it.
//
// The compiler is asked to instrument every access for the thread sanitizer, and every basic block
// for coverage. Its calls reach trace_hooks.c instead of a sanitizer: the linker gives them other
// names (compiler.c), so the program itself may run under that sanitizer.
#pragma once

#include "device/cpu/kernel_interface.h"

// GCC takes everything else for static (compiler.c), so that it compiles no kernel that is not
// launched, and none again that it has put into its caller. Variables are none of that: their loads
// would go.
#ifdef __clang__
#define EMULATOR_KEPT
#else
#define EMULATOR_KEPT __attribute__((externally_visible))
#endif

#ifndef EMULATOR_IS_TRACED

#define EMULATOR_UNSEEN
#define EMULATOR_SHARED_ALIGNMENT
#define EMULATOR_WHOLE
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

// clang copies vectors and structs this way. The bytes go one by one: a copy of the whole would be
// this function again.
#ifdef __clang__
#define EMULATOR_HOOK(head)                                     \
    __attribute__((visibility("hidden"))) EMULATOR_UNSEEN head; \
    head
#define EMULATOR_HOOK_COPY(name)                                                           \
    EMULATOR_HOOK(void *name(void *to, const void *from, unsigned long bytes))             \
    {                                                                                      \
        const void *const after = __builtin_return_address(0);                             \
        emulator_log_struct(from, TRACE_LOAD, bytes, after);                               \
        emulator_log_struct(to, TRACE_STORE, bytes, after);                                \
        for (unsigned long i = 0; i < bytes; i++)                                          \
            ((volatile unsigned char *)to)[i] = ((const volatile unsigned char *)from)[i]; \
        return to;                                                                         \
    }
extern "C" {
EMULATOR_HOOK_COPY(memcpy)
EMULATOR_HOOK_COPY(__tsan_memcpy)
EMULATOR_HOOK(void *__tsan_memset(void *to, int byte, unsigned long bytes))
{
    for (unsigned long i = 0; i < bytes; i++)
        ((volatile unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}
}
#endif

// ---- what cuda_words.h calls ----

// In a function that is unseen: where that one returns to is the site.
#define EMULATOR_LOG_ATOMIC(pointer) \
    emulator_log_access(pointer, TRACE_ATOMIC, sizeof *(pointer), __builtin_return_address(0))

EMULATOR_UNSEEN static unsigned char emulator_fetch(const unsigned char *pixel)
{
    emulator_log_fetch(pixel, __builtin_return_address(0));
    return *pixel;
}
#define EMULATOR_FETCH(pointer) emulator_fetch(pointer)

#endif
