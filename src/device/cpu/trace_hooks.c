#include "device/cpu/trace_hooks.h"

#include <stddef.h>

// An event's last eight bytes as one word (little-endian). If its bytes were written one by one,
// the processor would have to wait before it compares them.
typedef unsigned long long word_of_event __attribute__((may_alias));
#define KEY(event) (*(word_of_event *)&(event)->site)

// The hooks are small and called for every access of every thread.
#define INLINED static inline __attribute__((always_inline))

// They hold nothing while they run, so that a block may be left there as in a kernel's own code.
// The linker says where a section with such a name begins and ends.
#define LEAVABLE __attribute__((section("emulator_hooks")))
extern const char __start_emulator_hooks[], __stop_emulator_hooks[];

bool emulator_is_hook(uintptr_t address)
{
    return address - (uintptr_t)__start_emulator_hooks <
           (uintptr_t)__stop_emulator_hooks - (uintptr_t)__start_emulator_hooks;
}

// Returns if the event is the next step of the block that is followed. Most are, so this is what
// tracing costs.
INLINED bool is_next(const void *pointer, unsigned long long key)
{
    const struct emulator_step *const step = emulator_step;
    if (!__builtin_expect(step->pointer == (uintptr_t)pointer && step->key == key, 1)) return false;
    emulator_step = step + 1;
    return true;
}

// Follows or writes an event. range NULL: it has no address.
INLINED void add_event(const struct emulator_range *range, unsigned long long pointer, int kind,
                       int bytes, int is_texture, const void *after)
{
    struct emulator_log *const log = emulator_log;
    const unsigned long long step = EMULATOR_STEP(after, kind, bytes, is_texture);
    if (log->is_followed && emulator_follow(pointer, step)) return;
    if (log->next == log->end) emulator_grow_log();
    struct trace_event *const next = log->next++;
    next->address = range ? pointer - range->start + range->as : 0;
    KEY(next) = (unsigned int)((uintptr_t)after - 1 - log->code) | (unsigned long long)kind << 32 |
                (unsigned long long)bytes << 48 |
                (is_texture ? (unsigned long long)TRACE_TEXTURE << 40 : 0) |
                (range ? range->key : 0);
}

void emulator_log_flow(int barrier, const void *after)
{
    if (emulator_log) add_event(NULL, 0, TRACE_FLOW, barrier, 0, after);
}

// The first range that holds the address.
LEAVABLE static const struct emulator_range *find_range(const struct emulator_log *log,
                                                        uintptr_t address)
{
    const struct emulator_range *range = log->ranges;
    while (range->space != EMULATOR_WILD && address - range->start >= range->bytes) range++;
    return range;
}

// after: where the call that reports the access returns to. bytes: a word's; there are as many
// words as lie in all_bytes. The first range that holds the address counts, but most instructions
// stay in one.
LEAVABLE static __attribute__((noinline)) void
add_words(const void *pointer, int kind, unsigned long all_bytes, int bytes, const void *after)
{
    const uintptr_t address = (uintptr_t)pointer;
    struct emulator_log *const log = emulator_log;
    if (!log) return;
    const struct emulator_range **const recent =
        &log->recent[(uintptr_t)after / 4 % EMULATOR_RECENT];
    const struct emulator_range *range = *recent;
    if (address - range->start >= range->bytes) {
        range = find_range(log, address);
        if (range->space == EMULATOR_OWN) return;
        *recent = range;
    }
    for (unsigned long i = 0; i < all_bytes; i += (unsigned)bytes)
        add_event(range, address + i, kind, bytes, 0, after);
}

INLINED void add_access(const void *pointer, int kind, unsigned long bytes, unsigned long most,
                        const void *after)
{
    const unsigned long largest = bytes & -bytes, word = largest < most ? largest : most;
    if (word == bytes && is_next(pointer, EMULATOR_STEP(after, kind, bytes, 0))) return;
    add_words(pointer, kind, bytes, (int)word, after);
}

LEAVABLE void emulator_log_access(const void *pointer, int kind, unsigned long bytes,
                                  const void *after)
{
    add_access(pointer, kind, bytes, 16, after);
}

// Compilers do not say how a struct is aligned that they copy.
LEAVABLE void emulator_log_struct(const void *pointer, int kind, unsigned long bytes,
                                  const void *after)
{
    if (emulator_log) add_access(pointer, kind, bytes, emulator_log->struct_word, after);
}

LEAVABLE void emulator_log_fetch(const void *pointer, const void *after)
{
    const uintptr_t at = (uintptr_t)pointer;
    if (is_next(pointer, EMULATOR_STEP(after, TRACE_LOAD, 1, 1)) || !emulator_log) return;
    add_event(find_range(emulator_log, at), at, TRACE_LOAD, 1, 1, after);
}

// ---- what the compiler calls ----
// The linker puts __wrap_ before the names that a kernel's object asks for (compiler.c).

// True for most of the kernel's own variables that have an address. No other memory lies so near to
// where its frame begins: behind each stack are 4096 bytes that nobody may touch.
#define IS_LOCAL(pointer) ((uintptr_t)(pointer) - (uintptr_t)__builtin_dwarf_cfa() < 4096)

// A hook's declaration, and its head, which its body follows.
#define HOOK(head) \
    LEAVABLE head; \
    head
#define HOOK_ACCESS(name, kind, bytes, word)                                                 \
    HOOK(void __wrap___tsan_##name(const void *pointer))                                     \
    {                                                                                        \
        const void *const after = __builtin_return_address(0);                               \
        if (bytes == word && is_next(pointer, EMULATOR_STEP(after, kind, bytes, 0))) return; \
        if (!IS_LOCAL(pointer)) add_words(pointer, kind, bytes, word, after);                \
    }
#define HOOKS(bytes)                                   \
    HOOK_ACCESS(read##bytes, TRACE_LOAD, bytes, bytes) \
    HOOK_ACCESS(write##bytes, TRACE_STORE, bytes, bytes)
// The type does not promise that alignment, so a GPU takes words.
#define HOOKS_UNALIGNED(bytes, word)                            \
    HOOK_ACCESS(unaligned_read##bytes, TRACE_LOAD, bytes, word) \
    HOOK_ACCESS(unaligned_write##bytes, TRACE_STORE, bytes, word)
#define HOOK_RANGE(name, kind)                                                          \
    HOOK(void __wrap___tsan_##name(const void *pointer, unsigned long bytes))           \
    {                                                                                   \
        emulator_log_struct(pointer, TRACE_##kind, bytes, __builtin_return_address(0)); \
    }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOKS_UNALIGNED(2, 2)
HOOKS_UNALIGNED(4, 4)
HOOKS_UNALIGNED(8, 4)
HOOKS_UNALIGNED(16, 4)
HOOK_RANGE(read_range, LOAD)
HOOK_RANGE(write_range, STORE)
// For an object whose class has virtual functions.
HOOK_ACCESS(vptr_read, TRACE_LOAD, 8, 8)
HOOK(void __wrap___tsan_vptr_update(const void *pointer, const void *table))
{
    (void)table;
    add_access(pointer, TRACE_STORE, 8, 16, __builtin_return_address(0));
}

HOOK(void __wrap___sanitizer_cov_trace_pc(void))
{
    const void *const after = __builtin_return_address(0);
    if (is_next(NULL, EMULATOR_STEP(after, TRACE_FLOW, TRACE_NO_BARRIER, 0))) return;
    emulator_log_flow(TRACE_NO_BARRIER, after);
}

HOOK(void __wrap___tsan_init(void)) {}
HOOK(void __wrap___tsan_func_entry(const void *caller))
{
    (void)caller;
}
HOOK(void __wrap___tsan_func_exit(void)) {}
HOOK(void __wrap___tsan_atomic_thread_fence(int order))
{
    (void)order;
    emulator_log_flow(TRACE_FENCE, __builtin_return_address(0));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
