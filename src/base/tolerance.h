// tolerance.h -- by how much a result may differ from the wanted number.
//
// A NaN is right where a NaN is wanted, and an infinity where one of its sign is: no tolerance
// covers a step from them to a number.
#pragma once

#include <stddef.h>

enum tolerance_unit {
    TOLERANCE_NONE,      // exact
    TOLERANCE_RELATIVE,  // a fraction of the wanted magnitude, or of FLT_MIN if that is larger
    TOLERANCE_ABSOLUTE,
    TOLERANCE_ULP,  // steps from a float to the next one
};

struct tolerance {
    enum tolerance_unit unit;
    double most;
};

// "relative", "absolute", "ulp"; "" for none.
extern const char *const tolerance_units[TOLERANCE_ULP + 1];

// The error in the tolerance's unit; a result is right if it is at most `most`. 0: they are the
// same. INFINITY: no number expresses it, or the unit is none and they differ.
double tolerance_error(struct tolerance t, double is, double wanted);

// Appends "within 1e-6" (relative), "within ±0.001" or "within 4 ulp"; "exact" for none.
void tolerance_append(char *text, size_t size, struct tolerance t);
// Appends the same with the largest error that was found: "within 1e-6, max 3.2e-7".
void tolerance_append_found(char *text, size_t size, struct tolerance t, double error);
