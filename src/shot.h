// shot.h -- saves a screenshot without holding up the picture: PNG is packed on a thread of its
// own.
#ifndef SHOT_H
#define SHOT_H

#include <stdbool.h>

#include "caption.h"
#include "error.h"
#include "image.h"

struct shot;

// folder/tilescope-DATE-TIMEending, with -2, -3 ... where that exists already; the caller frees it.
// folder NULL: the present one.
char *shot_free_path(const char *folder, const char *ending);

// Takes the image over and starts to write it to a free path of that folder.
struct shot *shot_begin(struct image *image, const struct caption_texts *texts, const char *folder);

// True when it is written or has failed: then path (size bytes) or err is filled and the shot is
// gone. is_waiting: returns only then.
bool shot_end(struct shot *s, bool is_waiting, char *path, size_t size, struct error *err);

#endif
