// results.h -- what launches of this picture took: measured, wanted, refused, predicted.
//
// The frames that are shown put their times in, and so do the side measurements that the live timer
// makes between them; bars, sweeps, heat maps, "x naive" and predictions are all read from here.
// What is wanted is a list of points in groups. The points of a group are measured in turns, so
// that a clock that drifts drifts for all of them; then the next group.
//
// Does not launch anything and does not know devices. One thread.
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>

#include "base/stats.h"
#include "filter/choice.h"

struct results;

enum { RESULTS_BOUND = 4096 };  // results kept; those that changed longest ago go first

enum result_state {
    RESULT_UNKNOWN,    // no sample yet
    RESULT_MEASURING,  // some, fewer than STATS_SETTLED after the dropped ones
    RESULT_DONE,
    RESULT_REFUSED,  // cannot be had: reason says why
};

struct result {
    enum result_state state;
    struct stats_summary ms;  // of one launch, all its passes; count 0: no sample counts yet
    char reason[160];         // when REFUSED: "about 3.2 s a launch: too slow ..."
};

struct results *results_create(void);
void results_destroy(struct results *s);  // accepts NULL

// The picture, the device or the kernels changed: nothing that was measured holds, nothing is
// wanted.
void results_forget(struct results *s);

struct results_wish {
    struct choice point;
    int group;  // ascending
};

// Replaces what is wanted: fewer than RESULTS_BOUND; cheap when it is the same as before. Results
// of other points stay. What is wanted twice counts once, in the first of its groups.
void results_want(struct results *s, const struct results_wish *wishes, int count);
// The wanted point to measure next: of the first group that is not done, the one with the fewest
// samples, and of equals the one wanted first. skip: how many candidates in this order to pass over
// (their module is still compiling, say); behind one group come those of the next. False: there is
// none.
bool results_next(const struct results *s, int skip, struct choice *next);
// Of the wanted points: how many are done or refused, and how many there are.
void results_progress(const struct results *s, int *done, int *wanted);

// A sample of a launch beside the picture; the first STATS_DROPPED of a point do not count.
void results_add(struct results *s, const struct choice *point, double ms);
// The settled times of frames that were shown: in place of what was known, samples and refusals.
void results_set(struct results *s, const struct choice *point, struct stats_summary ms);
// It cannot be had: only the first line of the reason is kept.
void results_refuse(struct results *s, const struct choice *point, const char *reason);
// Refused points may be tried again (the next kernels may be legal, the user may have more
// patience).
void results_pardon(struct results *s);

struct result results_get(const struct results *s, const struct choice *point);
// Counts up with every change of a result: what is drawn from it is drawn again when it differs.
unsigned results_version(const struct results *s);

// Milliseconds that a launch will take, from what is known: of the same variant if anything is,
// else of the filter's slowest. Rather too long than too short; 0: nothing is known.
double results_predict(const struct results *s, const struct choice *point);
// Whether that rests on times of the same variant: if not, it may be far too long.
bool results_has_variant(const struct results *s, const struct choice *point);

#endif
