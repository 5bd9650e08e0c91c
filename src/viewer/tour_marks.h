// tour_marks.h -- the settings that a tour had at a step, to go back to.
//
// A mark is a saved state (app/state.h), the choices that it leaves out because they were not on
// the screen, the requests on which the lens stood, and how far the tour had been played. The
// pinned baseline is a part of the state, so that a tour's P pins again. What belongs to the screen
// and not to the lecture stays as it is: theme, overlay, size of text, full screen, vsync.
#ifndef TOUR_MARKS_H
#define TOUR_MARKS_H

#include <stdbool.h>

#include "app/app.h"
#include "screen/lens_model.h"
#include "tour/tour_play.h"

struct viewer;

// {0} is a valid nothing.
struct tour_mark {
    char *state;  // owned; NULL: there is no mark
    struct app_side sides[APP_SIDES];
    bool has_compared;
    unsigned filters_version;  // that the sides are of
    int picture;
    struct lens_cursor lens_cursors[APP_SIDES];
    int lens_steps[LENS_WAYS];  // from there, which wait for the block to be traced
    struct tour_play play;
};

void tour_marks_set(struct tour_mark *m, const struct viewer *v, const struct tour_play *play);
// False: there is no mark, or (after a reload of kernels) its state cannot be any more.
bool tour_marks_restore(const struct tour_mark *m, struct viewer *v, struct tour_play *play);
void tour_marks_clear(struct tour_mark *m);  // accepts a zeroed one
// Whether the user has chosen something else to run since then.
bool tour_marks_has_left(const struct tour_mark *m, const struct viewer *v);

// What runs at the end of a step, if nobody but the tour presses keys from the mark on; a choice
// without a filter: the mark cannot be read.
struct choice tour_marks_choice(const struct tour_mark *start, const struct viewer *v, int step);

// All settings become those that a window opens with.
void tour_marks_reset(struct viewer *v);

#endif
