// expr.h -- integer arithmetic of kernel files: + - * / % ( ), min(a, b), max(a, b), numbers,
// names.
//
// A text is compiled once, when its file is read, into steps for a stack; a launch only evaluates
// them. A name stands for a value that is given at each evaluation, or for an expression that was
// named before (//! let), whose steps are copied in. Allocates nothing.
#ifndef EXPR_H
#define EXPR_H

#include <stdbool.h>

#include "base/error.h"

enum { EXPR_TEXT = 128, EXPR_MAX_STEPS = 128, EXPR_MAX_NAMES = 16, EXPR_NAME = 32 };

// A compiled expression; {0}: there is none.
struct expr {
    char text[EXPR_TEXT];               // as it was written
    int count;                          // of steps; 0: not compiled
    int height;                         // numbers that are on the stack at once
    unsigned char ops[EXPR_MAX_STEPS];  // what each step does: expr.c has the list
    long long operands[EXPR_MAX_STEPS];
};

struct expr_let {
    char name[EXPR_NAME];
    struct expr expr;
};

// What a text may name. lets that are not compiled yet are not known.
struct expr_scope {
    const char *names[EXPR_MAX_NAMES];  // of the values, in their order
    int name_count;
    const struct expr_let *lets;
    int let_count;
};

// Compiles a text of less than EXPR_TEXT bytes. err names the unknown word, or the place where the
// text cannot go on.
bool expr_compile(struct expr *e, const char *text, const struct expr_scope *scope,
                  struct error *err);

// Evaluates in whole numbers, with C's precedence; values are those of the scope's names. Refuses a
// division by zero and a result beyond 64 bits, and leaves value untouched then.
bool expr_eval(const struct expr *e, const double *values, long long *value, struct error *err);

#endif
