// image.h -- loads, saves and compares pictures in host memory.
//
// It reads PNG, JPEG, WebP, TIFF, BMP, PNM and TGA, whatever a file is called, and writes PNG. It
// drops alpha, reduces 16-bit samples to 8 bits, and rotates a photograph as its EXIF data say. It
// does not know colour profiles, filters, backends or windows. Any thread may call it; the caller
// that initialises an image owns it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/planes.h"

struct image {
    struct planes planes;  // the pixels are owned; {0} is a valid nothing
};

// A text chunk of a PNG file. A screenshot carries its settings and times in them.
struct image_text {
    const char *key;   // Latin-1, 1 to 79 characters
    const char *text;  // UTF-8
};

// Memory for a picture of that shape; pixels and padding are zero. False when there is none.
bool image_init(struct image *image, int width, int height, int planes, struct error *err);
void image_finish(struct image *image);  // accepts a zeroed image
// Gives an image that shape. If its shape differs, its memory is replaced. False: it has no memory
// now.
bool image_fit(struct image *image, struct planes shape, struct error *err);

// Reads a picture. Grey files become one plane, all others three; with is_grey any file becomes one
// plane (Rec. 601 luma, rounded). On failure image is untouched and err names the file and says
// what is wrong: it is missing, a folder, empty, truncated, damaged (also by a checksum), not a
// picture, or a side is longer than PLANES_MAX_SIDE. Sizes are checked before decoding.
bool image_load(struct image *image, const char *path, bool is_grey, struct error *err);

// The SHA-256 of a file's bytes in hex, as sha256sum prints it, to recognise a picture. NULL: it
// cannot be read. The caller frees it.
char *image_checksum(const char *path);

// Writes a grey or RGB PNG with text chunks. The file is written beside the target and renamed, so
// that a failure leaves no half-written file and keeps an existing one.
bool image_save(struct planes planes, const char *path, const struct image_text *texts,
                int text_count, struct error *err);

// The same as the bytes of such a file. The caller frees them.
bool image_encode(struct planes planes, const struct image_text *texts, int text_count,
                  unsigned char **bytes, size_t *size, struct error *err);

// The text chunks of a PNG file in their order. Owns the strings; {0} is a valid nothing.
struct image_texts {
    struct image_text *texts;
    int count;
};

// Reads all text chunks as UTF-8, including those behind the pixels, without decoding the pixels.
// There may be IMAGE_MAX_TEXTS chunks of IMAGE_MAX_TEXT_BYTES each. Of a damaged file it keeps the
// chunks in front of the damage. On failure texts is untouched and err names the file: it is
// missing, a folder, empty, not a PNG file, or damaged before its first chunk.
enum { IMAGE_MAX_TEXTS = 256, IMAGE_MAX_TEXT_BYTES = 1 << 20 };
bool image_read_texts(struct image_texts *texts, const char *path, struct error *err);
const char *image_find_text(const struct image_texts *texts, const char *key);       // or NULL
void image_texts_add(struct image_texts *texts, const char *key, const char *text);  // copies
void image_texts_finish(struct image_texts *texts);  // accepts a zeroed one

struct image_difference {
    long count;       // samples that differ
    int max;          // largest |a - b|
    int x, y, plane;  // where that is first
    double error;     // the largest, also of samples that are right (tolerance.h); of pictures 0
    bool is_outside;  // of a lab: nothing differs, but a kernel wrote behind array `plane`
    const char *elsewhere;  // NULL; or a mistake that shows only at another size; never freed
};

// Compares two pictures of the same width, height and planes; padding does not count.
struct image_difference image_compare(struct planes a, struct planes b);

// Makes `small` a reduced picture: each pixel is the rounded mean of a square of factor × factor
// pixels, plane by plane. Squares at the right and lower edge may be cut. False: there is no
// memory, and small is untouched.
bool image_reduce(struct image *small, struct planes from, int factor, struct error *err);

// Copies a picture's pixels into another one of the same width, height and planes.
void image_copy(struct planes to, struct planes from);

// Fills a picture and its padding with reproducible noise, for tests and benchmarks.
void image_fill_noise(struct planes planes, unsigned int seed);
