// results.h -- the one record of what is known about each choice on this picture: its time, whether
// its result is right, or why it cannot run.
//
// The frames that are shown put their times in, and so do the measurements that the live timer
// makes beside them. The checks of both come here too. Headline, bars, sweeps, heat maps, captions,
// files and predictions all read from here. What is wanted is a list of choices in groups. The
// choices of a group are measured in turns, so that a clock that drifts drifts for all of them;
// then the next group follows.
//
// Figures that are compared with the shown one have to stay comparable when clocks drift for
// minutes. So wishes may ask to be kept: such a choice is measured again and again (results_again).
// A round is one frame with all that is measured beside it. A figure is the median of its samples
// of the last STATS_WINDOW rounds, or of its last STATS_SETTLED ones where those are older.
//
// Does not launch anything and does not know devices. One thread.
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>

#include "base/image.h"
#include "base/stats.h"
#include "filter/choice.h"

struct results;

enum { RESULTS_BOUND = 4096 };  // results kept; those that changed longest ago go first

enum result_state {
    RESULT_UNKNOWN,    // no sample yet
    RESULT_MEASURING,  // fewer than STATS_SETTLED after the dropped ones, or not checked yet
    RESULT_DONE,       // settled, and checked if there is a reference
    RESULT_REFUSED,    // cannot be had: reason says why
};

enum result_check {
    CHECK_UNKNOWN,
    CHECK_NO_REFERENCE,  // nothing can be said about this filter's results
    CHECK_EXACT,
    CHECK_WRONG,
};

struct result {
    enum result_state state;
    struct stats_summary ms;  // of one launch, all its passes; count 0: no sample counts yet
    bool is_settled;          // ms is, whatever the check says
    enum result_check check;
    struct image_difference difference;  // when WRONG; its count is of the samples compared
    char reason[160];                    // when REFUSED: "about 3.2 s a launch: too slow ..."
};

struct results *results_create(void);
void results_destroy(struct results *s);  // accepts NULL

// The picture, the device or the kernels changed: nothing that was measured holds, nothing is
// wanted.
void results_forget(struct results *s);

struct results_wish {
    struct choice point;
    int group;     // ascending
    bool is_kept;  // measured again and again
};

// Replaces what is wanted: fewer than RESULTS_BOUND; cheap when it is the same as before. Results
// of other points stay. What is wanted twice counts once, in the first of its groups. A point that
// is kept from now on, and whose samples are older than the last STATS_WINDOW rounds, starts anew.
void results_want(struct results *s, const struct results_wish *wishes, int count);
// The wanted point to measure next: of the first group that is not done, the one with the fewest
// samples, and of equals the one wanted first. skip: how many candidates in this order to pass over
// (their module is still compiling, say); behind one group come those of the next. False: there is
// none.
bool results_next(const struct results *s, int skip, struct choice *next);
// The kept point that was measured longest ago, before this round. False: there is none.
bool results_again(const struct results *s, struct choice *next);
// Of the wanted points: how many are done or refused, and how many there are.
void results_progress(const struct results *s, int *done, int *wanted);

// A point is shown from now on: its samples start anew, and a refusal is lifted.
void results_begin(struct results *s, const struct choice *point);
void results_next_round(struct results *s);
// A sample of a frame, or of a launch beside it. The first STATS_DROPPED of a point do not count.
void results_add(struct results *s, const struct choice *point, double ms);
// It cannot be had: only the first line of the reason is kept.
void results_refuse(struct results *s, const struct choice *point, const char *reason);
// What a comparison with the reference found. A choice that was wrong once stays wrong.
void results_check(struct results *s, const struct choice *point, struct image_difference found);

struct result results_get(const struct results *s, const struct choice *point);
// The time of choice_naive_of(point), which that of the point is compared with. 0: it is not known,
// or one of the two results is wrong.
double results_naive_ms(const struct results *s, const struct choice *point);
// Counts up with every change of a result: what is drawn from it is drawn again when it differs.
unsigned results_version(const struct results *s);

// In a file's `check` column: "exact", "wrong", "not checked", "no reference".
const char *result_check_name(enum result_check check);

// Milliseconds that a launch will take, from what is known: of the same variant if anything is,
// else of the filter's slowest. Rather too long than too short; 0: nothing is known.
double results_predict(const struct results *s, const struct choice *point);
// Whether that rests on times of the same variant: if not, it may be far too long.
bool results_has_variant(const struct results *s, const struct choice *point);

#endif
