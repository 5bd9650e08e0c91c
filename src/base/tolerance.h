// tolerance.h -- by how much a number may differ from the one that is wanted.
//
// A NaN is right where a NaN is wanted, and an infinity where one of its sign is: no tolerance
// covers a step from them to a number.
#pragma once

#include <stddef.h>

enum tolerance_unit {
    TOLERANCE_NONE,      // exact
    TOLERANCE_RELATIVE,  // a part of the wanted magnitude; of FLT_MIN where that is smaller, as 0
                         // is
    TOLERANCE_ABSOLUTE,
    TOLERANCE_ULP,  // steps from a float to the next one
};

struct tolerance {
    enum tolerance_unit unit;
    double most;
};

// "relative", "absolute", "ulp"; "" of none.
extern const char *const tolerance_units[TOLERANCE_ULP + 1];

// The error in the tolerance's unit, which is not above `most` where a result is right. 0: they are
// the same; INFINITY: no number tells it, and of none for all that differs.
double tolerance_error(struct tolerance t, double is, double wanted);

// Appends "within 1e-6" (relative), "within ±0.001" or "within 4 ulp"; "exact" of none.
void tolerance_append(char *text, size_t size, struct tolerance t);
// Appends the same with the largest error that was found: "within 1e-6, max 3.2e-7".
void tolerance_append_found(char *text, size_t size, struct tolerance t, double error);
