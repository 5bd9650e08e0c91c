// lens_model.h -- the contents of a lens dock for a traced block: one request of one of its warps,
// the totals, and the figures of source lines.
//
// The cursor stands on a request of a pass. Steps go through the instructions of its warp, through
// the instances of one instruction, and through the warps. A result of another block keeps the
// cursor's instruction and instance where it has them.
//
// It does not trace: the viewer's job asks lens/traces.h. Pure, but for the text that it writes.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "draw/lens_view.h"
#include "lens/lens_result.h"
#include "screen/overlay.h"

struct lens_cursor {
    int pass, warp, instance;
    unsigned int site;
};

enum lens_way { LENS_INSTRUCTION, LENS_INSTANCE, LENS_WARP, LENS_REQUEST, LENS_ROUND, LENS_WAYS };

// The request that the cursor means, or the nearest: NULL only if the block made none.
const struct lens_step *lens_model_find(const struct lens_result *r, struct lens_cursor *cursor);
// Moves the cursor by steps along one way, and from its end on to its beginning. LENS_REQUEST keeps
// the warp's order. LENS_ROUND only goes ahead: through the warps that make the request, then to
// the next instruction of the block.
void lens_model_go(const struct lens_result *r, struct lens_cursor *cursor, enum lens_way way,
                   int steps);
// Goes to the first request that a source line makes. False: it makes none.
bool lens_model_go_to_line(const struct lens_result *r, struct lens_cursor *cursor,
                           const char *file, int line);

// Fills the view's words and its request. name: what its title begins with.
void lens_model_write(struct lens_view *view, const struct lens_result *r,
                      struct lens_cursor *cursor, const char *name);
// Replaces the totals that were estimated from the block by those of the whole launch.
void lens_model_write_whole(struct lens_view *view, const struct lens_result *whole);

// The cost of one source line in the block, or the whole launch, all passes together. It counts the
// line's own requests and those of functions that are inlined into it. If a line uses several kinds
// of memory, the cost is that of the kind that is furthest from its ideal.
struct lens_figures {
    struct lens_counts counts;
    enum trace_space space;
    unsigned long long excess;  // model_excess()
};
bool lens_model_line(const struct lens_result *r, const char *file, int line,
                     struct lens_figures *figures);
// "392 × 4.1/1.5 s 20 l", or "128 × 32.0 words" of constant memory
void lens_model_write_figures(const struct lens_figures *f, char *text, size_t size);

// "3.1 sectors · 0 conflicts per pixel", of the launch (lens_result.h). And as a column's figures,
// without words: "3.1 · 0", below "sectors · conflicts per pixel".
void lens_model_write_sums(const struct lens_result *r, char *text, size_t size, bool has_words);
void lens_model_write_unit(const struct lens_result *r, char *text, size_t size);
// In two parts: "3.1 sectors" and "0 conflicts per pixel", or "0 conflicts".
void lens_model_write_headline(const struct lens_result *r, struct overlay_side *words,
                               bool has_unit);

// Adds to the view's caveat why the hardware may count otherwise: an architecture that was not
// verified, or the GPU's compiler. device may be NULL.
void lens_model_write_caveat(struct lens_view *view, const struct device *device,
                             const struct variant *variant);

// The place that a lane touches: count pixels from x, y of a picture, or elements from x of an
// array.
struct lens_spot {
    const struct lens_memory *memory;
    long long x, y, count;
};
// False: it touches neither. The place then has the memory alone, if there is one.
bool lens_model_place(const struct lens_result *r, const struct lens_request *request, int lane,
                      struct lens_spot *place);

// ---- corresponding requests of two kernels: those compared, or one and the next ----

// Identifies a request in a way that holds for another kernel, too: the kind of access, the array,
// and which of the warp's instructions of that kind makes it.
struct lens_access {
    enum trace_space space;
    enum trace_kind kind;
    char array[FILTER_NAME];  // also if it is read through a texture; empty: none
    int number;               // of the instruction among those of this kind, from 0
    int warp, instance;
};
// Describes the request at the cursor. False: the block made no request.
bool lens_pair_access(const struct lens_result *r, struct lens_cursor *cursor,
                      struct lens_access *access);
// Goes to the corresponding request. If the warp has fewer such instructions, it takes the last
// one. If the block has fewer warps, it takes the last one or, if that makes no such access, the
// first that does. False: the block makes no such access.
bool lens_pair_go(const struct lens_result *r, struct lens_cursor *cursor,
                  const struct lens_access *access);

// The request that a lens stood on, and its kernel. {0} is a valid beginning.
struct lens_pair {
    struct lens_pair_side {
        const struct variant *variant;  // only compared, never read; NULL: none yet
        unsigned version;               // of the kernels' texts
        struct lens_access access;
    } sides[2];
};

// The present ones: variant and version are those of the results.
struct lens_pair_now {
    const struct lens_result *results[2];  // the second one is NULL: nothing is compared
    const struct variant *variants[2];
    unsigned version;
    struct lens_cursor *cursors;  // of both
    int active;                   // the side on which keys act
    bool has_gone;                // a key has just moved its cursor
};

// A step of the active side moves the other side to the corresponding request. If both kernels are
// new, B goes to A's request. If one is new, it stays on the kind of request that its side stood on
// or, if it makes none, goes to the other side's. A side without such a request stays where it is.
void lens_pair_follow(struct lens_pair *pair, const struct lens_pair_now *now);
