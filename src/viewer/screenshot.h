// screenshot.h -- saves a screenshot without holding the picture up: a thread of its own packs the
// PNG.
#ifndef SCREENSHOT_H
#define SCREENSHOT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "viewer/caption.h"

struct screenshot;

// Makes a free path: folder/tilescope-DATE-TIMEending, with -2, -3 ... if that exists. folder NULL:
// the present one. The caller frees the path.
char *screenshot_free_path(const char *folder, const char *ending);

// Takes the image over and starts to write it to a free path in that folder.
struct screenshot *screenshot_begin(struct image *image, const struct caption_texts *texts,
                                    const char *folder);

// True when it is written or has failed. Then path (of size bytes) or err is filled, and the
// screenshot is freed. is_waiting: waits for that.
bool screenshot_end(struct screenshot *s, bool is_waiting, char *path, size_t size,
                    struct error *err);

#endif
