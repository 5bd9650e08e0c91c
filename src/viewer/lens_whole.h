// lens_whole.h -- the whole launches that the memory lens is asked for, at most one a side. They
// run one after the other on a thread of their own, so that the block under the cursor is traced,
// too.
//
// A launch belongs to what its side showed when it was asked for. When the side shows something
// else, the launch is dropped. It knows no cursor and no block, and asks for nothing by itself.
#ifndef LENS_WHOLE_H
#define LENS_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/app.h"
#include "base/planes.h"
#include "lens/lens_result.h"
#include "viewer/lens_wish.h"

struct lens_whole;

struct lens_whole *lens_whole_create(const char *include);  // the folder with kernel.h
void lens_whole_destroy(struct lens_whole *w);              // accepts NULL

// Once a turn for each side, with what it shows: begins what is wanted, and drops what is not.
// is_wanted becomes false if the side now shows something else than the launch was asked for.
// picture: borrowed, until lens_whole_drain.
void lens_whole_follow(struct lens_whole *w, int side, bool *is_wanted, const struct lens_wish *now,
                       struct planes picture);
void lens_whole_drop(struct lens_whole *w, int side);
void lens_whole_close(struct lens_whole *w);  // drops both, and the device
void lens_whole_drain(struct lens_whole *w);  // waits until no picture is read, some milliseconds

bool lens_whole_poll(struct lens_whole *w);           // true: there is something new
bool lens_whole_is_busy(const struct lens_whole *w);  // one runs
bool lens_whole_is_pending(const struct lens_whole *w,
                           int side);  // it runs, or waits for the other
// NULL: not there, or not yet. Valid until the next call for this side, or close.
const struct lens_result *lens_whole_result(const struct lens_whole *w, int side);
const char *lens_whole_failure(const struct lens_whole *w, int side);  // empty: it did not fail
// " · whole launch: 42 %", while it is pending.
void lens_whole_append_state(const struct lens_whole *w, int side, char *text, size_t size);

#endif
