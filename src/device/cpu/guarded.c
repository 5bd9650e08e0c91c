#include "device/cpu/guarded.h"

#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cpu/fiber.h"

enum { ALIGNMENT = 512 };

static size_t round_up(size_t bytes, size_t step)
{
    return (bytes + step - 1) / step * step;
}

// A page that holds the size of the whole, the data at the end of their pages, and empty pages.
void *guarded_alloc(size_t bytes, size_t behind)
{
    void *memory = NULL;
    if (FIBER_HAS_ASAN) return posix_memalign(&memory, ALIGNMENT, bytes) ? NULL : memory;
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), data = round_up(bytes, page);
    const size_t empty = round_up(MAX(behind, 1), page), whole = page + data + empty;
    unsigned char *map =
        mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return NULL;
    memcpy(map, &whole, sizeof whole);
    if (!mprotect(map, page, PROT_NONE) && !mprotect(map + page + data, empty, PROT_NONE))
        return map + page + data - round_up(bytes, ALIGNMENT);
    munmap(map, whole);
    return NULL;
}

void guarded_free(void *memory)
{
    if (FIBER_HAS_ASAN || !memory) {
        free(memory);
        return;
    }
    size_t whole;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *map = (unsigned char *)memory - (uintptr_t)memory % page - page;
    if (mprotect(map, page, PROT_READ)) return;
    memcpy(&whole, map, sizeof whole);
    munmap(map, whole);
}
