// fiber.h -- stacks that take turns on one CPU thread; what the emulator parks threads of a block
// on.
//
// fiber_switch() leaves one stack in the middle of a function and goes on where another was left:
// 15 instructions on x86-64 and aarch64, ucontext elsewhere. Sanitizers are told of every switch.
// A zeroed struct fiber is the stack that the CPU thread came with. Fibers never change the CPU
// thread.
//
// Does not schedule: emulator.c decides who is next.
#ifndef FIBER_H
#define FIBER_H

#include <stddef.h>

// FIBER_UCONTEXT: chosen by hand, to test the fallback.
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(FIBER_UCONTEXT)
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
    void *fake_stack;  // ASan's
};

// A fiber that begins with entry() on that stack. entry must not return. The stack of an abandoned
// fiber may be used again.
void fiber_make(struct fiber *f, void *stack, size_t stack_bytes, void (*entry)(void));

// Parks from, which is running, and goes on with to. Returns when somebody switches back.
void fiber_switch(struct fiber *from, struct fiber *to);

// First statement of an entry function.
void fiber_begin(void);

#endif
