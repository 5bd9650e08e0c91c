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

// Writes what to a path that was free, with text chunks.
typedef bool saving_write(const void *what, const char *path, const struct image_texts *texts,
                          struct error *err);

struct saving {
    GThread *thread;  // NULL: nothing is being written
    gint is_done;
    saving_write *write;  // on the thread
    const void *what;     // borrowed until the end
    const char *folder, *ending;
    char *path;
    struct image_texts texts;
    struct error err;
};

// The settings and the times that such a file carries, as they are now.
void saving_list(struct image_texts *texts, const struct viewer *v);

// The caller has filled write and what.
void saving_begin(struct saving *s, struct viewer *v, const char *ending);

// True once, when the file is written or has failed, and the user has been told. is_waiting: waits
// for that.
bool saving_end(struct saving *s, struct viewer *v, bool is_waiting);

// Writes at once, to a free path in that folder, or in the present one if it is NULL:
// tilescope-DATE-TIMEending, with -2, -3 ... if that exists. Of two programs that choose one path,
// the later one takes the next. Returns the path; err's text is empty if the file was written. The
// caller frees the path.
char *saving_write_free(const char *folder, const char *ending, saving_write *write,
                        const void *what, const struct image_texts *texts, struct error *err);

// Tells the user, on the screen and on the terminal, that a file was saved, or why not.
void saving_tell(struct viewer *v, const char *path, const struct error *err);

#endif
