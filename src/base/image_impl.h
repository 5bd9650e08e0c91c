// image_impl.h -- what image.c and the readers of each format share. Nobody else includes it.
//
// A reader decodes a file whose first bytes show its format. It checks the size in the header with
// image_check_size() before it allocates, never trusts a number in the file, and refuses a damaged
// file. On failure err has the reason without the file's name, and image_load() frees the pixels.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

#define IMAGE_FORMATS "PNG, JPEG, WebP, TIFF, BMP, PNM and TGA"

enum { IMAGE_REASON = 256 };  // bytes of a library's message

struct image_file {
    FILE *file;  // at its beginning
    long long bytes;
};

struct image_raw {
    unsigned char *pixels;  // interleaved, from malloc()
    int width, height, channels;
    int orientation;  // EXIF's: 1 to 8; anything else is 1
    bool is_grey;     // the colours of each pixel are the same
};

bool image_read_png(const struct image_file *f, struct image_raw *raw, struct error *err);
bool image_read_jpeg(const struct image_file *f, struct image_raw *raw, struct error *err);
bool image_read_webp(const struct image_file *f, struct image_raw *raw, struct error *err);
bool image_read_tiff(const struct image_file *f, struct image_raw *raw, struct error *err);
bool image_read_stb(const struct image_file *f, struct image_raw *raw, struct error *err);

// Opens a regular file with something in it. The caller closes it.
bool image_open(struct image_file *f, const char *path, struct error *err);

// Refuses a size that is empty, too long, or larger than the file's bytes can hold at
// pixels_per_byte.
bool image_check_size(double width, double height, const struct image_file *f,
                      double pixels_per_byte, struct error *err);

// Memory for width * height * channels bytes of pixels, of a size that was checked.
bool image_raw_init(struct image_raw *raw, int width, int height, int channels, struct error *err);

// Says that the file is truncated if its end was reached, else damaged. Always returns false.
bool image_refuse_damaged(const struct image_file *f, const char *reason, struct error *err);

// The orientation in EXIF data, which JPEG and some WebP files begin with "Exif"; 1 if there is
// none.
int image_exif_orientation(const unsigned char *exif, size_t size);
