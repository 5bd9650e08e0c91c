// prediction.h -- predicts what a launch takes from others of the same filter that were measured.
//
// The closest ones tell: first those of the same variant, then those of the same block (else of the
// default one), then those that are unrolled alike. A prediction is rather too high than too low.
#ifndef PREDICTION_H
#define PREDICTION_H

#include <glib.h>
#include <stdbool.h>

#include "filter/choice.h"

// What one point has cost. A list of costs holds pointers to these, or to structs that begin so.
struct prediction_cost {
    struct choice point;  // in normal form
    double work;          // launch_work()
    double ms;            // 0: not known
};

double prediction_ms(const GList *costs, const struct choice *point);  // 0: nothing is known
bool prediction_has_variant(const GList *costs, const struct choice *point);

#endif
