// diff.h -- which lines two texts have in common.
#pragma once

#include <stdbool.h>

// Finds a longest sequence of lines that a and b both hold in this order: a_kept[i] and b_kept[j]
// say which lines belong to it. Time and memory grow as a_count * b_count.
void diff_lines(const char *const *a, int a_count, const char *const *b, int b_count, bool *a_kept,
                bool *b_kept);
