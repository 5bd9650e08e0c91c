#define EMULATOR_SETS_THREADS
#include "device/cpu/emulated_shared.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cpu/cuda_words.h"
#include "device/cpu/fiber.h"

#if FIBER_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum {
    ALIGNMENT = 16,         // as the widest access needs
    UNDEFINED_BYTE = 0xa5,  // lies behind a launch's own
};

static size_t data_bytes(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (EMULATOR_MAX_SHARED_BYTES + page - 1) / page * page;
}

// The limit ends where the pages behind it begin.
bool emulated_shared_create(struct emulated_shared *s)
{
    const size_t data = data_bytes();
    unsigned char *map =
        mmap(NULL, 2 * data, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return false;
    (void)mprotect(map + data, data, PROT_NONE);
    s->memory = map + data - EMULATOR_MAX_SHARED_BYTES;
    return true;
}

void emulated_shared_destroy(struct emulated_shared *s)
{
    const size_t data = data_bytes();
    if (s->memory) munmap(s->memory + EMULATOR_MAX_SHARED_BYTES - data, 2 * data);
}

// At the end of what there is, so that a thread that reaches behind a launch's own faults there.
// While a launch is traced it lies at the beginning: what lies behind is then seen in the log.
void emulated_shared_enter(struct emulated_shared *s, const struct emulator_launch *l)
{
    const size_t bytes = l->config.shared_bytes;
    const size_t all = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const bool is_first = l->trace || FIBER_HAS_ASAN;
    s->launch = l;
    tile = is_first ? s->memory : s->memory + EMULATOR_MAX_SHARED_BYTES - all;
    s->rounding_bytes = is_first ? 0 : all - bytes;
    memset(tile + bytes, UNDEFINED_BYTE, s->rounding_bytes);
#if FIBER_HAS_ASAN
    __asan_poison_memory_region(s->memory + bytes, EMULATOR_MAX_SHARED_BYTES - bytes);
#endif
}

void emulated_shared_leave(struct emulated_shared *s)
{
#if FIBER_HAS_ASAN
    __asan_unpoison_memory_region(s->memory, EMULATOR_MAX_SHARED_BYTES);
#endif
    s->launch = NULL;
}

bool emulated_shared_check(const struct emulated_shared *s, struct error *err)
{
    const size_t bytes = s->launch->config.shared_bytes;
    for (size_t i = 0; i < s->rounding_bytes; i++)
        if (tile[bytes + i] != UNDEFINED_BYTE)
            return error_set(err,
                             "%s: a thread of block (%u, %u) writes byte %zu of tile, whose "
                             "shared= gives it %zu; the memory lens names the line",
                             s->launch->name, blockIdx.x, blockIdx.y, bytes + i, bytes);
    return true;
}

bool emulated_shared_explain(const struct emulated_shared *s, uintptr_t address, struct error *err)
{
    const size_t at = address - (uintptr_t)tile, bytes = s->launch->config.shared_bytes;
    if (at < bytes || at - bytes >= EMULATOR_MAX_SHARED_BYTES) return false;
    return !error_set(err,
                      "%s: thread (%u, %u) of block (%u, %u) reaches byte %zu of tile, whose "
                      "shared= gives it %zu; the memory lens names the line",
                      s->launch->name, threadIdx.x, threadIdx.y, blockIdx.x, blockIdx.y, at, bytes);
}
