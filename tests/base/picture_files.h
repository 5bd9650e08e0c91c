// picture_files.h -- a folder of a test's own, and files in it: good pictures, and parts of bad
// ones.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/image.h"

// cmocka's set-up and tear-down, which frees all bytes and pictures that are made here.
int make_folder(void **state);
int remove_folder(void **state);
int count_files(void);

const char *at(const char *name);  // a path in the folder; one at a time
const char *
sample(const char *name);  // of the fuzzers' corpus; ramp.jpg is 40 + x + 2 y + 20 plane
const char *write_file(const char *name, const void *bytes, size_t size);
const char *write_bytes(const char *name, const GByteArray *bytes);
GByteArray *make_bytes(const void *bytes, guint size);
GByteArray *read_file(const char *path);

struct image make_noise(int width, int height, int planes, unsigned int seed);
struct image load(const char *path, bool is_grey);
struct image load_shape(const char *path, int width, int height, int planes);  // has that shape

// image_load() must leave its image alone, and name the file and `what` on one line.
void assert_no_image(const char *path, const char *what);

// The parts of a PNG file, with good checksums.
void append_chunk(GByteArray *bytes, const char *type, const void *data, guint size);
void append_row(GByteArray *bytes, const void *row, guint row_bytes);  // all pixels, and the end
GByteArray *make_png_form(guint32 width, guint32 height, guint8 depth, guint8 colour_type);
GByteArray *make_png_row(guint32 width, guint8 colour_type, const void *row, guint row_bytes);
