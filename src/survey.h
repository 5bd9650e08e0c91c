// survey.h -- what launches of this picture took: measured, wanted, refused, predicted.
//
// The frames that are shown put their times in, and so do the side measurements that the runner
// makes between them; bars, sweeps, heat maps, "x naive" and predictions are all read from here.
// What is wanted is a list of points in groups. The points of a group are measured in turns, so
// that a clock that drifts drifts for all of them; then the next group.
//
// Does not launch anything and does not know devices. One thread.
#ifndef SURVEY_H
#define SURVEY_H

#include <stdbool.h>

#include "filter.h"
#include "launch.h"
#include "stats.h"

struct survey;

enum { SURVEY_BOUND = 4096 };  // results kept; those that changed longest ago go first

// What is measured. Two points are the same when they launch the same: a block of 0x0 is the
// variant's default block, and unroll counts only where there is a radius.
struct survey_point {
    const struct filter *filter;
    const struct variant *variant;
    struct settings settings;
};

bool survey_is_same_point(const struct survey_point *a, const struct survey_point *b);

enum survey_state {
    SURVEY_UNKNOWN,    // no sample yet
    SURVEY_MEASURING,  // some, fewer than STATS_SETTLED after the dropped ones
    SURVEY_DONE,
    SURVEY_REFUSED,  // cannot be had: reason says why
};

struct survey_result {
    enum survey_state state;
    struct stats_summary ms;  // of one launch, all its passes; count 0: no sample counts yet
    char reason[160];         // when REFUSED: "about 3.2 s a launch: too slow ..."
};

struct survey *survey_create(void);
void survey_destroy(struct survey *s);  // accepts NULL

// The picture, the device or the kernels changed: nothing that was measured holds, nothing is
// wanted.
void survey_forget(struct survey *s);

struct survey_wish {
    struct survey_point point;
    int group;  // ascending
};

// Replaces what is wanted: fewer than SURVEY_BOUND; cheap when it is the same as before. Results of
// other points stay. What is wanted twice counts once, in the first of its groups.
void survey_want(struct survey *s, const struct survey_wish *wishes, int count);
// The wanted point to measure next: of the first group that is not done, the one with the fewest
// samples, and of equals the one wanted first. skip: how many candidates in this order to pass over
// (their module is still compiling, say); behind one group come those of the next. False: there is
// none.
bool survey_next(const struct survey *s, int skip, struct survey_point *next);
// Of the wanted points: how many are done or refused, and how many there are.
void survey_progress(const struct survey *s, int *done, int *wanted);

// A sample of a launch beside the picture; the first STATS_DROPPED of a point do not count.
void survey_add(struct survey *s, const struct survey_point *point, double ms);
// The settled times of frames that were shown: in place of what was known, samples and refusals.
void survey_set(struct survey *s, const struct survey_point *point, struct stats_summary ms);
// It cannot be had: only the first line of the reason is kept.
void survey_refuse(struct survey *s, const struct survey_point *point, const char *reason);
// Refused points may be tried again (the next kernels may be legal, the user may have more
// patience).
void survey_pardon(struct survey *s);

struct survey_result survey_result(const struct survey *s, const struct survey_point *point);
// Counts up with every change of a result: what is drawn from it is drawn again when it differs.
unsigned survey_version(const struct survey *s);

// The naive variant with the same params and unroll, in its default block: what "x naive" means.
// False: the filter has none, and naive is untouched.
bool survey_naive_of(const struct survey_point *point, struct survey_point *naive);

// Milliseconds that a launch will take, from what is known: of the same variant if anything is,
// else of the filter's slowest. Rather too long than too short; 0: nothing is known.
double survey_predict(const struct survey *s, const struct survey_point *point);
// Whether that rests on times of the same variant: if not, it may be far too long.
bool survey_knows(const struct survey *s, const struct survey_point *point);

#endif
