// planes.h -- the address and the shape of a picture; both are borrowed and passed by value.
//
// Pictures are planar with 8 bits a sample: grey has one plane, colour three (red, green, blue).
// Host memory, GPU memory and pixel-buffer objects share one layout, so that moving a picture is
// one copy of planes_bytes():
//
//     plane 0: row 0 | padding      pitch      bytes from a row to the next, a multiple of 128
//              row 1 | padding      plane_bytes from a plane to the next, a multiple of 512
//              ...                              (textures want that alignment) and of pitch
//     plane 1: ...
//
// struct planes owns no memory: struct image and the backends do.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { PLANES_MAX_SIDE = 32768, PLANES_MAX_PLANES = 3 };

struct planes {
    unsigned char *pixels;  // host or device memory; NULL: a shape without memory
    int width, height;      // pixels, at least 1
    int pitch;              // bytes
    int count;              // of planes: 1 grey, 3 colour
    size_t plane_bytes;
};

// The layout of a picture of that shape, without memory.
static inline struct planes planes_shape(int width, int height, int planes)
{
    const int pitch = (width + 127) / 128 * 128;
    return (struct planes){.width = width,
                           .height = height,
                           .pitch = pitch,
                           .count = planes,
                           .plane_bytes = (size_t)pitch * (size_t)((height + 3) / 4 * 4)};
}

static inline size_t planes_bytes(struct planes v)
{
    return v.plane_bytes * (size_t)v.count;
}

// The same shape at another address.
static inline struct planes planes_at(struct planes v, void *pixels)
{
    v.pixels = pixels;
    return v;
}

static inline bool planes_is_same_shape(struct planes a, struct planes b)
{
    return a.width == b.width && a.height == b.height && a.count == b.count && a.pitch == b.pitch &&
           a.plane_bytes == b.plane_bytes;
}

// First pixel of a row; host memory only.
static inline unsigned char *planes_row(struct planes v, int plane, int y)
{
    return v.pixels + (size_t)plane * v.plane_bytes + (size_t)y * (size_t)v.pitch;
}
