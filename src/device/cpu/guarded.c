#include "device/cpu/guarded.h"

#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cpu/fiber.h"

enum { ALIGNMENT = 512 };

// The start of the whole, which the page before the data holds.
struct whole {
    void *map;
    size_t bytes;
};

// Layout: empty pages, a page with struct whole, pages with the data at their end, empty pages.
void *guarded_alloc(size_t bytes, size_t around)
{
    void *memory = NULL;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), data = guarded_round_up(bytes, page);
    if (FIBER_HAS_ASAN) return posix_memalign(&memory, page, bytes) ? NULL : memory;
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t empty = guarded_round_up(MAX(around, 1), page);
    struct whole whole = {.bytes = empty + page + data + empty};
    whole.map = mmap(NULL, whole.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole.map == MAP_FAILED) return NULL;
    unsigned char *const first = (unsigned char *)whole.map + empty, *const own = first + page;
    if (!mprotect(first, page + data, PROT_READ | PROT_WRITE)) {
        memcpy(first, &whole, sizeof whole);
        if (!mprotect(first, page, PROT_NONE))
            return own + data - guarded_round_up(bytes, ALIGNMENT);
    }
    munmap(whole.map, whole.bytes);
    return NULL;
}

void guarded_free(void *memory)
{
    if (FIBER_HAS_ASAN || !memory) {
        free(memory);
        return;
    }
    struct whole whole;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *first = (unsigned char *)memory - (uintptr_t)memory % page - page;
    if (mprotect(first, page, PROT_READ)) return;
    memcpy(&whole, first, sizeof whole);
    munmap(whole.map, whole.bytes);
}
