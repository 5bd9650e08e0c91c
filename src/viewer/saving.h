// saving.h -- writes a file on a thread of its own, so that the picture does not wait for it.
//
// The file gets a free name in the folder for screenshots, and carries the settings and the times
// of the moment when its writing began. The job that saves owns the struct; {0} saves nothing.
#ifndef SAVING_H
#define SAVING_H

#include <glib.h>

#include "base/error.h"
#include "base/image.h"

struct viewer;

struct saving {
    GThread *thread;  // NULL: nothing is being written
    gint is_done;
    // Writes what, on the thread, to a path, with text chunks.
    bool (*write)(const void *what, const char *path, const struct image_texts *texts,
                  struct error *err);
    const void *what;  // borrowed until the end
    char *path;
    struct image_texts texts;
    struct error err;
};

// The caller has filled write and what.
void saving_begin(struct saving *s, struct viewer *v, const char *ending);

// True once, when the file is written or has failed, and the user has been told. is_waiting: waits
// for that.
bool saving_end(struct saving *s, struct viewer *v, bool is_waiting);

// A free path in the folder for screenshots, or in the present one:
// tilescope-DATE-TIMEending, with -2, -3 ... if that exists. The caller frees it.
char *saving_free_path(const struct viewer *v, const char *ending);

// Tells the user, on the screen and on the terminal, that a file was saved, or why not.
void saving_tell(struct viewer *v, const char *path, const struct error *err);

#endif
