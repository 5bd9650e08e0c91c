// screenshot.h -- saves a screenshot without holding up the picture: PNG is packed on a thread of
// its own.
#ifndef SCREENSHOT_H
#define SCREENSHOT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "viewer/caption.h"

struct screenshot;

// folder/tilescope-DATE-TIMEending, with -2, -3 ... where that exists already; the caller frees it.
// folder NULL: the present one.
char *screenshot_free_path(const char *folder, const char *ending);

// Takes the image over and starts to write it to a free path of that folder.
struct screenshot *screenshot_begin(struct image *image, const struct caption_texts *texts,
                                    const char *folder);

// True when it is written or has failed: then path (size bytes) or err is filled and the shot is
// gone. is_waiting: returns only then.
bool screenshot_end(struct screenshot *s, bool is_waiting, char *path, size_t size,
                    struct error *err);

#endif
