// adopt_body.h -- what the tokens of a kernel's body tell of its arguments, for adopt.c.
//
// Arguments are numbers and bits that the caller chooses. A pointer is followed into variables that
// are derived from it, and an index into the variables it is made of, a few steps far.
#ifndef ADOPT_BODY_H
#define ADOPT_BODY_H

#include "base/c_tokens.h"
#include "filter/signature.h"

enum { ADOPT_MAX_BOUNDS = 32, ADOPT_MAX_CONSTANTS = 32 };
enum adopt_axes {
    ADOPT_THREAD_X = 1,
    ADOPT_BLOCK_X = 2,
    ADOPT_THREAD_Y = 4,
    ADOPT_BLOCK_Y = 8,
    ADOPT_Z = 16
};

// A comparison of something with an int, such as `i < n`.
struct adopt_bound {
    int argument, from, to;  // tokens of what is compared
    unsigned int axes;       // that it follows from
    bool is_quotient;        // it is compared with a part, n / 16
};

struct adopt_body {
    const struct signature *signature;
    const int *numbers;      // of its arguments
    struct c_token *tokens;  // from the head on, without comments and lines with #; owned
    int count;
    struct adopt_bound bounds[ADOPT_MAX_BOUNDS];
    int bound_count;
    unsigned int axes;     // that it uses
    bool has_wide_blocks;  // blockIdx.x is multiplied: a block is more than one element or row
    unsigned int negated;  // arguments that stand as -n, as a radius does
    unsigned int used;     // that stand in it at all
};

// numbers: of the signature's arguments, below 32. It is the item's, and borrowed, as they are.
void adopt_body_read(struct adopt_body *b, const struct signature *s, const int *numbers,
                     const struct c_item *item);
void adopt_body_finish(struct adopt_body *b);

bool adopt_body_has(const struct adopt_body *b, const char *word);

struct adopt_use {
    bool is_written, is_read;      // its elements
    unsigned int factors, bounds;  // arguments that multiply its indexes, and bound their parts
};
struct adopt_use adopt_body_find_use(const struct adopt_body *b, const char *array);

// Numbers that a text names: #define TILE 16, const int threads = 256.
struct adopt_constants {
    struct adopt_constant {
        const char *name;  // borrowed from the text, not terminated
        size_t length;
        int value;
    } list[ADOPT_MAX_CONSTANTS];
    int count;
};
void adopt_constants_find(struct adopt_constants *c, const char *text);

#endif
