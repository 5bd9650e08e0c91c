// image.h -- pictures in files and in host memory: load, save, compare.
//
// Reads what stb_image reads (PNG, JPEG, BMP, PNM, TGA, GIF's first frame ...), writes PNG through
// libpng. Alpha is dropped, 16-bit files become 8-bit. Does not know filters, backends or windows.
// Functions may be called from any thread; an image belongs to whoever initialised it.
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"

struct image {
    struct planes planes;  // the pixels are owned; {0} is a valid nothing
};

// A text chunk of a PNG file: settings and times travel with a screenshot.
struct image_text {
    const char *key;   // Latin-1, 1 to 79 characters
    const char *text;  // UTF-8
};

// Memory for a picture of that shape; pixels and padding are zero. False when there is none.
bool image_init(struct image *image, int width, int height, int planes, struct error *err);
void image_finish(struct image *image);  // accepts a zeroed image

// Reads a picture; grey files become one plane, all others three; is_grey makes one plane of any
// (Rec. 601 luma, rounded). On failure image is untouched and err names the file: missing, a
// folder, empty, truncated, not a picture, or wider or higher than PLANES_MAX_SIDE (found before
// decoding).
bool image_load(struct image *image, const char *path, bool is_grey, struct error *err);

// Writes a grey or RGB PNG with its text chunks. Written beside the target and renamed, so a
// failure leaves no half-written file and an existing one as it was.
bool image_save(struct planes planes, const char *path, const struct image_text *texts,
                int text_count, struct error *err);

// What a PNG file says in its text chunks, in its order; the strings are owned. {0}: nothing.
struct image_texts {
    struct image_text *texts;
    int count;
};

// Reads them all (at most IMAGE_MAX_TEXTS of at most IMAGE_MAX_TEXT_BYTES, as UTF-8), those behind
// the pixels too; does not decode the pixels. What stands in front of a damage counts. On failure
// texts is untouched and err names the file: missing, a folder, empty, not a PNG file, or damaged
// and without any text in front of that.
enum { IMAGE_MAX_TEXTS = 256, IMAGE_MAX_TEXT_BYTES = 1 << 20 };
bool image_read_texts(struct image_texts *texts, const char *path, struct error *err);
const char *image_find_text(const struct image_texts *texts, const char *key);  // or NULL
void image_texts_finish(struct image_texts *texts);  // accepts a zeroed one

struct image_difference {
    long count;       // samples that differ
    int max;          // largest |a - b|
    int x, y, plane;  // where that is first
};

// Compares two pictures of one shape, padding excluded.
struct image_difference image_compare(struct planes a, struct planes b);

// A copy of one picture's pixels into another of the same width, height and planes.
void image_copy(struct planes to, struct planes from);

// Fills a picture with reproducible noise, for tests and benchmarks. Padding included.
void image_fill_noise(struct planes planes, unsigned int seed);

#endif
