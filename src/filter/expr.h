// expr.h -- integer arithmetic in text, for the directives of kernel files: + - * / % ( ),
// min(a, b), max(a, b) and names.
#ifndef EXPR_H
#define EXPR_H

#include <stdbool.h>

#include "base/error.h"

struct expr_name {
    const char *name;
    double value;
};

// Evaluates text with C's precedence in whole numbers. err names the unknown word, the division by
// zero, the result beyond 64 bits, or the place where the text cannot go on.
bool expr_eval(const char *text, const struct expr_name *names, int name_count, long long *value,
               struct error *err);

#endif
