// lab_rounding.h -- whether the order of float additions explains that a lab's result differs.
//
// Sums of the same n numbers in two orders differ by at most about n / 2^24 of the sum of their
// magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). What a lab adds
// up is not known here. So n is the longest side of its in arrays, and the largest magnitude of the
// float in arrays and of what is wanted stands for the sum. No more than a thousandth of it is
// explained. If each wanted element of an array is found in them, too, the lab only moves values,
// and nothing is explained.
#ifndef LAB_ROUNDING_H
#define LAB_ROUNDING_H

#include "frame/check.h"

// The check has compared this frame, whose in arrays are read. It waits.
bool lab_rounding_explains(const struct frame *frame, const struct frame_memory *memory,
                           const struct check *check, bool *is_explained, struct error *err);

#endif
