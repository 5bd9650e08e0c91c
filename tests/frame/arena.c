#include "arena.h"

#include <glib.h>
#include <string.h>

#include "device/cpu/fiber.h"
#include "frame/trials.h"

#if FIBER_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

bool arena_plan(struct arena *arena, struct backend *b, const struct filter *f,
                const struct param_values *params, struct planes picture, struct error *err)
{
    const struct trial trial = {*params, picture.width, picture.height, picture.count, 0, false};
    *arena = (struct arena){.backend = b, .filter = f, .picture = picture};
    return trial_layout(&trial, f, &arena->layout, err);
}

void *arena_before(const struct arena *arena, int array)
{
    return arena->before + arena->layout.places[array].offset;
}

const void *arena_after(const struct arena *arena, int array)
{
    return arena->after + arena->layout.places[array].offset;
}

// ---- guards ----

// Where the guard behind an array begins and ends; -1: the one before all arrays.
static size_t guard_begin(const struct arena *arena, int array)
{
    const struct array_place *places = arena->layout.places;
    return array < 0 ? 0 : places[array].offset + places[array].bytes;
}

static size_t guard_end(const struct arena *arena, int array)
{
    const struct arrays_layout *l = &arena->layout;
    return array + 1 < l->count ? l->places[array + 1].offset : l->bytes;
}

// Under the address sanitizer not even a read may touch a guard while kernels run on the CPU.
static void close_guards(const struct arena *arena)
{
#if FIBER_HAS_ASAN
    if (backend_device(arena->backend)->is_gpu) return;
    for (int i = -1; i < arena->layout.count; i++)
        __asan_poison_memory_region((unsigned char *)arena->memory + guard_begin(arena, i),
                                    guard_end(arena, i) - guard_begin(arena, i));
#else
    (void)arena;
#endif
}

static void open_guards(const struct arena *arena)
{
#if FIBER_HAS_ASAN
    if (arena->memory && !backend_device(arena->backend)->is_gpu)
        __asan_unpoison_memory_region(arena->memory, arena->layout.bytes);
#else
    (void)arena;
#endif
}

// ---- before and after ----

static void fill_noise(unsigned char *bytes, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        bytes[i] = (unsigned char)((unsigned)i * 2654435761u >> 24);
}

bool arena_open(struct arena *arena, const struct frame *frame, struct error *err)
{
    struct backend *const b = arena->backend;
    const size_t bytes = arena->layout.bytes;
    if (!backend_alloc(b, bytes, &arena->memory, err)) return false;
    arena->before = g_malloc(bytes);
    arena->after = g_malloc(bytes);
    const struct frame_memory memory = {.arrays = arena->memory};
    struct frame guarded = *frame;
    guarded.arrays = arena->layout;
    if (!backend_fill(b, arena->memory, 0, bytes, err) || !frame_fill(&guarded, &memory, err) ||
        !backend_wait(b, err) || !backend_read(b, arena->before, arena->memory, bytes, err))
        return false;
    for (int i = -1; i < arena->layout.count; i++) {
        fill_noise(arena->before, guard_begin(arena, i), guard_end(arena, i));
        if (i >= 0 && arena->filter->arrays[i].kind != ARRAY_IN)
            fill_noise(arena->before, arena->layout.places[i].offset, guard_begin(arena, i));
    }
    if (arena->picture.pixels)
        memcpy(arena_before(arena, ARRAYS_IN), arena->picture.pixels, planes_bytes(arena->picture));
    return true;
}

void arena_close(struct arena *arena)
{
    backend_free(arena->backend, arena->memory);
    g_free(arena->before);
    g_free(arena->after);
    arena->memory = arena->before = arena->after = NULL;
}

bool arena_begin(struct arena *arena, struct error *err)
{
    if (!backend_write(arena->backend, arena->memory, arena->before, arena->layout.bytes, err))
        return false;
    close_guards(arena);
    return true;
}

bool arena_end(struct arena *arena, struct error *err)
{
    const bool has_run = backend_wait(arena->backend, err);
    open_guards(arena);
    return has_run &&
           backend_read(arena->backend, arena->after, arena->memory, arena->layout.bytes, err);
}
