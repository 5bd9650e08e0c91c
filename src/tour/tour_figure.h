// tour_figure.h -- figures in braces, which stand in a tour's captions and claims for what is
// measured, counted or chosen on the machine that shows them.
//
//     {ms}  {x:naive/shared}  {ms:shared@radius=5}  {global_load.sectors/request}  {radius}
//
// docs/tours.md lists them all. {{ and }} are braces. The module does not know any value;
// tour_value.h finds one. Pure.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/choice.h"
#include "filter/filter.h"

enum tour_figure_kind {
    TOUR_MS,
    TOUR_SPEED_UP,  // variant's over other
    TOUR_COPY,
    TOUR_REGISTERS,
    TOUR_SHARED,
    TOUR_OCCUPANCY,
    TOUR_COUNTER,  // of the lens
    TOUR_FRAME,    // from here on it is about no launch
    TOUR_HOST,
    TOUR_DEVICE,  // from here on it is what was chosen
    TOUR_FILTER,
    TOUR_VARIANT,
    TOUR_PARAM
};

enum tour_counter {
    TOUR_SECTORS,  // up to FETCHED per pixel or element
    TOUR_IDEAL_SECTORS,
    TOUR_WANTED,
    TOUR_FETCHED,
    TOUR_REQUESTS,
    TOUR_WAVEFRONTS,
    TOUR_IDEAL_WAVEFRONTS,
    TOUR_CONFLICTS,
    TOUR_SECTORS_A_REQUEST,
    TOUR_WAVEFRONTS_A_REQUEST,
    TOUR_WORDS_A_REQUEST,
};

struct tour_figure {
    enum tour_figure_kind kind;
    enum tour_counter counter;                      // of COUNTER
    int space, access;                              // of COUNTER, as in trace.h; -1: all
    char variant[FILTER_NAME], other[FILTER_NAME];  // that it names; empty: the shown one
    char param[FILTER_NAME];   // for PARAM; for a launch, the one with another value
    char value[FILTER_VALUE];  // that one, as it is typed
};

// Changes settings of a filter to the figure's other value, which is not empty.
bool tour_figure_set(const struct tour_figure *f, const struct filter *filter,
                     struct settings *settings, struct error *err);

// Reads a word between braces and checks that some filter has its variants, its param and value.
bool tour_figure_read(struct tour_figure *f, const char *word, const struct filter_list *filters,
                      struct error *err);

bool tour_figure_has_launch(const struct tour_figure *f);   // it is about one, or two
bool tour_figure_is_time(const struct tour_figure *f);      // or follows from one
bool tour_figure_is_measured(const struct tour_figure *f);  // or counted, and not chosen
bool tour_figure_is_number(const struct tour_figure *f);    // a claim may hold it
// What stands behind the number: " ms", or " sectors", or behind "1" " sector"; may be empty.
const char *tour_figure_unit(const struct tour_figure *f, const char *number);

// ---- texts with figures ----

// Checks the braces of a text and each figure between them.
bool tour_figure_check(const char *text, const struct filter_list *filters, struct error *err);

// Lists the figures of a checked text, at most max. Returns how many.
int tour_figure_list(const char *text, struct tour_figure *figures, int max);

// The state of a figure.
enum tour_known {
    TOUR_PENDING,  // not yet
    TOUR_KNOWN,
    TOUR_NEVER  // why says why
};
struct tour_value {
    enum tour_known known;
    char text[192];    // without its unit; of a wrong result it says so
    double number;     // 0 of a name
    double low, high;  // the middle half of the samples, where it was measured; else the number
    const char *each;  // what a count is divided by, " per pixel"; NULL: nothing
    bool is_wrong;     // a variant that it is about computes something wrong
    char why[200];
};

// Finds a figure's value. Captions and claims ask the same function, so that they agree.
typedef struct tour_value tour_figure_find(void *user, const struct tour_figure *figure);

// Fills the values into a checked text: "…" for one that is not known yet, "–" for one that cannot
// be. The caller frees it.
char *tour_figure_fill(const char *text, tour_figure_find *find, void *user);
