// picture_load.h -- reads a picture's file on a thread of its own: a large one takes seconds, and
// the window goes on meanwhile.
//
// It decodes and makes the checksum. It does not choose among pictures or show them. One thread
// makes all calls.
#ifndef PICTURE_LOAD_H
#define PICTURE_LOAD_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"

// {0} is a valid nothing.
struct picture_file {
    struct image image;
    char *sha256;  // image_checksum()'s; owned
};

void picture_file_finish(struct picture_file *f);

struct picture_load;

struct picture_load *picture_load_begin(const char *path, bool is_grey);
bool picture_load_is_done(struct picture_load *l);
// Waits for it, frees the load, and hands the file over. On failure there is nothing to finish.
bool picture_load_end(struct picture_load *l, struct picture_file *f, struct error *err);

#endif
