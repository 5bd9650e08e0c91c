// fiber.h -- stacks that take turns on one CPU thread. The emulator parks threads of a block on
// them.
//
// fiber_switch() leaves one stack in the middle of a function and continues another where it was
// left. That takes 15 instructions on x86-64 and aarch64; elsewhere ucontext does it. It tells
// AddressSanitizer of every switch. A zeroed struct fiber stands for the CPU thread's own stack. A
// fiber stays on its CPU thread.
//
// It does not schedule: emulated_block.c decides which fiber is next.
#pragma once

#include <stddef.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define FIBER_HAS_ASM 1
#else
#define FIBER_HAS_ASM 0
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_HAS_ASAN 1
#endif
#endif
#ifndef FIBER_HAS_ASAN
#define FIBER_HAS_ASAN 0
#endif

struct fiber {
    void *stack;  // borrowed, lowest address
    size_t stack_bytes;
#if FIBER_HAS_ASM
    void *sp;  // while parked: its registers lie there
#else
    ucontext_t context;
#endif
    void *fake_stack;  // for ASan
};

// Makes a fiber that begins with entry() on that stack. entry must not return. The stack of an
// abandoned fiber may be used again.
void fiber_make(struct fiber *f, void *stack, size_t stack_bytes, void (*entry)(void));

// Parks from, the running fiber, and continues to. Returns when another fiber switches back.
void fiber_switch(struct fiber *from, struct fiber *to);

// An entry function calls this first.
void fiber_begin(void);
