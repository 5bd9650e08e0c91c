// number.h -- numbers as people read them.
#pragma once

#include <stdbool.h>

// Wraps a value, also a negative one, into 0 ... count - 1.
static inline int number_wrap(int value, int count)
{
    return (value % count + count) % count;
}

// Three significant figures, without an exponent: "0.0412", "4.12", "412", "41200".
struct number {
    char text[32];
};
struct number number_three(double value);

// Reads a text that is a number, or a power such as 2^24, and nothing else.
bool number_read(const char *text, double *value);

// Replaces spaces by ones where no line breaks: between a figure and its unit, "12 ms", around a
// product's sign, and behind a comparison's, "= 2 × 4.5 ms". The caller frees the result.
char *number_keep_together(const char *text);
