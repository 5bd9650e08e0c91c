// lens_pair.h -- the lenses of two kernels that are compared stand on corresponding requests.
//
// Pure.
#pragma once

#include "screen/lens_model.h"

// A request as another kernel may make it, too: the same kind of access to the same array, by an
// instruction that is the same one of those in its warp.
struct lens_access {
    enum trace_space space;
    enum trace_kind kind;
    char array[FILTER_NAME];  // whether through a texture or not; empty: it is to none
    int number;               // of the instruction, from 0
    int warp, instance;
};
// Tells what the cursor means. False: the block made no request.
bool lens_pair_access(const struct lens_result *r, struct lens_cursor *cursor,
                      struct lens_access *access);
// Goes to the corresponding request: of fewer instructions to the last, of fewer warps to the last
// one or, where that makes none, to the first that does. False: the block makes no such access.
bool lens_pair_go(const struct lens_result *r, struct lens_cursor *cursor,
                  const struct lens_access *access);

// The request that a lens stood on, and its kernel. {0} is a valid beginning.
struct lens_pair {
    struct lens_pair_side {
        const struct variant *variant;  // compared only; NULL: none yet
        unsigned version;               // of the kernels' texts
        struct lens_access access;
    } sides[2];
};

// The present ones: variant and version are those of the results.
struct lens_pair_now {
    const struct lens_result *results[2];
    const struct variant *variants[2];
    unsigned version;
    struct lens_cursor *cursors;  // of both
    int active;                   // the side on which keys act
    bool has_gone;                // it has just been moved
};

// Steps of the active side take the other one along, as the first side does where both kernels are
// new. A side with another kernel stays on its kind of request or, without one, goes to the other
// side's. A kernel that makes no such request stays where it is.
void lens_pair_follow(struct lens_pair *pair, const struct lens_pair_now *now);
