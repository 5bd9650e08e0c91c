// expr.h -- the integer arithmetic of kernel files: + - * / % ( ), min(a, b), max(a, b), numbers
// and names.
//
// A text is compiled into steps for a stack once, when its file is read. A launch only evaluates
// them. A name stands for a value that the evaluation gets, or for the expression of an earlier let
// line, whose steps are copied in. Nothing is allocated.
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum { EXPR_TEXT = 128, EXPR_MAX_STEPS = 128, EXPR_MAX_NAMES = 20, EXPR_NAME = 32 };

// A compiled expression; {0}: there is none.
struct expr {
    char text[EXPR_TEXT];               // as it was written
    int count;                          // of steps; 0: not compiled
    unsigned char ops[EXPR_MAX_STEPS];  // what each step does: expr.c has the list
    long long operands[EXPR_MAX_STEPS];
};

struct expr_let {
    char name[EXPR_NAME];
    struct expr expr;
};

// The names that a text may use. It cannot use a let that is not compiled yet.
struct expr_scope {
    const char *names[EXPR_MAX_NAMES];  // for the values, in their order
    int name_count;
    const struct expr_let *lets;
    int let_count;
};

// Compiles a text of less than EXPR_TEXT bytes. err names the unknown word, or the place where the
// text cannot go on.
bool expr_compile(struct expr *e, const char *text, const struct expr_scope *scope,
                  struct error *err);

// Evaluates in whole numbers with C's precedence. values are those of the scope's names. It refuses
// a division by zero and a result beyond 64 bits, and then leaves value untouched.
bool expr_eval(const struct expr *e, const double *values, long long *value, struct error *err);

// True if the expression uses the scope's name of that number, directly or through a let.
bool expr_uses(const struct expr *e, int name);
