// results.h -- the one record of what is known about each choice on this picture: its time, whether
// its result is right, or why it cannot run.
//
// The engine adds times and checks. Headline, bars, sweeps, heat maps, captions, files and
// predictions read from here. Wishes are choices in groups. The choices of a group are measured in
// turns, so that a drifting clock affects all of them; then the next group follows.
//
// Figures that are compared with the shown one must stay comparable when clocks drift for minutes.
// So a wish may ask to be kept: its choice is measured again and again (results_again). A round is
// one frame with all that is measured behind it. A figure is the median of the samples of the last
// STATS_WINDOW rounds, or of the last STATS_SETTLED samples if those are older.
//
// A point may be the device copy that choices are compared with (choice_copy_of).
//
// It does not launch anything or know devices. One thread uses it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/image.h"
#include "base/stats.h"
#include "filter/choice.h"

struct results;

// The outcome of comparing a choice's result with its reference.
enum result_check {
    CHECK_UNKNOWN,
    CHECK_IMPOSSIBLE,  // there is no reference, or it cannot run: `unchecked` says why
    CHECK_EXACT,
    CHECK_NEAR,  // it differs by no more than its tolerance (filter_tolerance)
    CHECK_WRONG,
};

// EXACT, NEAR or WRONG. Where the file has a tolerance, nothing is EXACT.
enum result_check result_check_of(const struct choice *point, struct image_difference found);
// "max |diff| = 7", "not within 1e-6, max 2e-6", "writes behind b", or "wrong at 33×17: first at
// (32, 4)".
void result_check_write_wrong(char *text, size_t size, const struct choice *point,
                              struct image_difference found);
// "exact", "within 1e-6, max 3.2e-7", "wrong", "not checked".
enum { RESULT_CHECK_WORDS = 64 };
void result_check_write(char *text, size_t size, const struct choice *point,
                        enum result_check check, struct image_difference found);

enum { RESULTS_BOUND = 4096 };  // results kept; the one that changed longest ago goes first

enum result_state {
    RESULT_UNKNOWN,    // no sample yet
    RESULT_MEASURING,  // fewer than STATS_SETTLED samples that count, or not checked
    RESULT_DONE,       // settled, and checked if there is a reference
    RESULT_REFUSED,    // cannot be measured: reason says why
};

struct result {
    enum result_state state;
    struct stats_summary ms;  // of one launch, all its passes; count 0: no sample counts yet
    bool is_settled;          // ms is settled, whatever the check says
    enum result_check check;
    struct image_difference difference;  // when WRONG or NEAR; its count is of the samples compared
    char unchecked[96];                  // when IMPOSSIBLE: why; may be empty
    char reason[160];                    // when REFUSED: "about 3.2 s a launch: too slow ..."
};

struct recording;

struct results *results_create(void);
void results_destroy(struct results *s);  // accepts NULL

// The picture or the kernels changed: forgets all results and wishes.
void results_forget(struct results *s);
// The device stopped: forgets the same, but points that were blamed for it stay refused.
void results_forget_device(struct results *s);

struct results_wish {
    struct choice point;
    int group;     // ascending
    bool is_kept;  // measured again and again
};

// Replaces the wishes, which are fewer than RESULTS_BOUND; cheap if they are the same. Results of
// other points stay. A point that is wanted twice counts once, in the first of its groups. A point
// that is kept from now on, and whose samples are older than the last STATS_WINDOW rounds, starts
// anew with its next sample; until then its old figure stands, because nothing may be measured for
// a while.
void results_want(struct results *s, const struct results_wish *wishes, int count);
// Finds the wanted point to measure next. In the first group that is not done, it is the one with
// the fewest samples, or among equals the one that was wanted first; then come those of the next
// group. skip: how many to pass over, for example because they are still compiled. False: there is
// none.
bool results_next(const struct results *s, int skip, struct choice *next);
// The kept point that was measured longest ago, before this round. False: there is none.
bool results_again(const struct results *s, struct choice *next);
// How many of the wanted points are done or refused, and how many points are wanted.
void results_progress(const struct results *s, int *done, int *wanted);

// Avoids a variant, "filter/variant", whose launch has kept a device for ever. Its points are
// refused in all settings, whatever is forgotten, until one of them is shown. Call it before any is
// measured.
void results_avoid(struct results *s, const char *variant);
bool results_avoids(const struct results *s, const struct choice *point);
char **results_avoided(const struct results *s);  // their names; free with g_strfreev()
void results_avoid_none(struct results *s);       // the kernels were read anew

// A point is shown from now on: its samples start anew, and a refusal is lifted.
void results_begin(struct results *s, const struct choice *point);
void results_next_round(struct results *s);
// A sample of a frame, or of a point. The first STATS_DROPPED of a point do not count.
void results_add(struct results *s, const struct choice *point, double ms);
// The point cannot be measured. Only the first line of the reason is kept.
void results_refuse(struct results *s, const struct choice *point, const char *reason);
// Refuses a point whose launch stopped the device, also after results_forget_device().
void results_blame(struct results *s, const struct choice *point, const char *reason);
// Records a comparison with the reference. The worst of all comparisons of a choice stands.
void results_check(struct results *s, const struct choice *point, struct image_difference found);

// The point's variant is wrong at another size than the shown one (edges.h): none of its points
// counts as right, whatever is forgotten. where: "at 33×17: first at (32, 4)"; NULL: it is right
// there, too.
void results_doubt(struct results *s, const struct choice *point, const char *where);

// The point's result cannot be compared with a reference here: there is no C++ compiler, say. why
// is a line for the screen; NULL: nothing is to be said.
void results_leave_unchecked(struct results *s, const struct choice *point, const char *why);

// The result that is shown: the one measured here or, if there is a recording, the recorded one.
// Then nothing that is wanted is measured, and a point without a recorded time is REFUSED.
struct result results_get(const struct results *s, const struct choice *point);
// All that was measured and compared on this machine, whatever is shown.
struct result results_measured(const struct results *s, const struct choice *point);
// The time of choice_copy_of(point). 0: it is not known, or moves arrays that the variant does not
// take.
double results_copy_ms(const struct results *s, const struct choice *point);
// The time of choice_naive_of(point), with which the point's is compared. 0: it is not known, or
// one of the two results is wrong.
double results_naive_ms(const struct results *s, const struct choice *point);

// ---- times of another device ----

// Shows those of a recording, which must outlive the results; NULL: what is measured here.
void results_set_recording(struct results *s, struct recording *recording);
const struct recording *results_recording(const struct results *s);  // NULL: none
// The point whose time results_get() gives: with a recording, a lab's default sizes become those of
// its device.
struct choice results_timed(const struct results *s, const struct choice *point);
// The device whose times are shown: the recording's, or own.
const struct device *results_device(const struct results *s, const struct device *own);

// Predicts the milliseconds of a launch from the times of the same variant or, without any, of the
// filter's slowest one; rather too many than too few. 0: nothing is known.
double results_predict(const struct results *s, const struct choice *point);
// True if the prediction uses times of the same variant. If not, it may be far too high.
bool results_has_variant(const struct results *s, const struct choice *point);
