// claim.h -- a sentence of a tour that figures prove or refute, on the machine that shows it.
//
//     A < B: SENTENCE      <  <=  =  >=  >, as ≤ and ≥, too
//     A ≈ B: SENTENCE      within 10 percent of B; or ≈ B within 5 %
//
// A and B are a figure in braces (tour_figure.h), a number, or a number times a figure, as in
// "1.5 {ms:shared}". The sentence may hold figures.
//
// docs/tours.md has the marks that stand before it.
//
// Times and what follows from them have a spread: the middle half of the samples. Where the spreads
// overlap, <= >= and = hold. Counters have no spread. A claim about the time of a wrong result does
// not hold. Pure.
#pragma once

#include <stdbool.h>

#include "tour/tour_figure.h"

enum claim_relation {
    CLAIM_LESS,
    CLAIM_AT_MOST,
    CLAIM_EQUAL,
    CLAIM_AT_LEAST,
    CLAIM_MORE,
    CLAIM_ABOUT,
};

// factor × figure, or the factor alone.
struct claim_term {
    double factor;
    bool has_figure;
    struct tour_figure figure;
};

// {0} is a valid nothing.
struct claim {
    struct claim_term left, right;
    enum claim_relation relation;
    double percent;  // of ABOUT
    char *sentence;  // owned; is not empty
};

// Reads "A < B: SENTENCE". On failure err has one line, and c needs no finish.
bool claim_read(struct claim *c, const char *text, const struct filter_list *filters,
                struct error *err);
void claim_finish(struct claim *c);  // accepts a zeroed one

// Lists the figures that it needs, its sentence's among them, at most max. Returns how many.
int claim_figures(const struct claim *c, struct tour_figure *figures, int max);
bool claim_is_about_time(const struct claim *c);

enum claim_verdict {
    CLAIM_PENDING,
    CLAIM_HOLDS,
    CLAIM_FAILS,
    CLAIM_UNCLEAR,  // equal within their spread
    CLAIM_UNKNOWABLE,
};

struct claim_finding {
    enum claim_verdict verdict;
    char figures[200];  // "0.412 ms < 1.40 ms"; empty: not known
    char why[256];      // "shared computes something wrong"; empty: the figures say all
};

// has_gpu_times: device_has_gpu_times(). Without them, nothing that is about a time can be known.
struct claim_finding claim_judge(const struct claim *c, tour_figure_find *find, void *user,
                                 bool has_gpu_times);

const char *claim_mark(enum claim_verdict verdict);  // "✓"

// "✓ a tile beats naive: 0.412 ms < 1.40 ms", on one line. The caller frees it.
char *claim_write(const struct claim *c, const struct claim_finding *found, tour_figure_find *find,
                  void *user);
