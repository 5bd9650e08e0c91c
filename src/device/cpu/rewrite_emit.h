// rewrite_emit.h -- what the parts share that write a kernel's tree as text. A statement goes into
// one of three texts, the later ones inside the earlier:
//
//     out      the block's: what is alike for all threads, and loops with barriers in them
//     region   a strip's: for (strips) { … }, from barrier to barrier
//     run      a lane's: emulator_lanes(…) { … }, statements that no loop or wait parts
//
// The text is written twice: the first time shows which variables several runs need.
#pragma once

#include "device/cpu/rewrite_parts.h"

enum { MOST_MASKS = 32 };
enum context { IN_BLOCK, IN_STRIP, IN_LANE };

// A load of a picture; or of a byte, whose words are x; or an index, x, that grows by so much from
// thread to thread.
struct load {
    struct range picture, x, y;
    int step, jam;
    bool is_byte;
};

struct emitter {
    struct rewriter *r;
    GString *out, *region, *run;
    bool is_dry, is_reading;     // reading: what is written into the run stores nothing
    GArray *loads;               // struct load: of the run
    GArray *indices;             // struct load: of the run
    bool is_mask;                // the run is a condition
    guint8 *in_run, *in_region;  // a flag for each variable: it is to be declared there
    int run_number, region_number, mask_number;
    int masks[MOST_MASKS], depth, base;  // those that are open; the innermost function's
    int kept[MOST_MASKS], kept_count;    // those that live through barriers
    bool has_left, region_left;          // lanes have left since the text last looked for that
    GArray *ends;                        // int: masks whose end a goto leads to
    int jam_var, jam;                    // a loop's variable, in so many rounds from now; -1: none
    struct node *loops[MOST_MASKS];      // of the region, that are open and uniform
    int loop_count;
};

// ---- rewrite_expressions.c: expressions in one of the three places, statements in a run ----

void rewrite_write_words(struct emitter *e, GString *to, struct range range, enum context context);
// As printf, of %d and %s; %w: the words of a struct range; %v: a variable, by its index; %n: the
// dimensions of a struct var *.
void rewrite_write(struct emitter *e, GString *to, enum context context, const char *format, ...);
void rewrite_note_use(struct emitter *e, struct var *v);
void rewrite_write_declaration(struct emitter *e, GString *to, const struct var *v,
                               enum context context);
void rewrite_write_shared(struct emitter *e, GString *to, const struct var *v,
                          enum context context);

// ---- rewrite_loads.c: which loads of pictures and bytes a strip does at once ----

// A load of the picture whose place is known before the run; false: it is none.
bool rewrite_read_load(const struct emitter *e, guint i, guint to, struct load *load);
// bytes[i] of neighbouring bytes, which nothing in the run writes to.
bool rewrite_read_byte(const struct emitter *e, guint i, guint to, struct load *load);
// for (int i = A; i < B; i++), or <= B. bound: B; is_less: for <.
bool rewrite_read_canonical(const struct emitter *e, const struct node *n, struct range *bound,
                            bool *is_less);
// Before the run that is written: whether it stays inside the picture, and what it reads.
void rewrite_place_checks(struct emitter *e);
void rewrite_write_rows(struct emitter *e);
// Before a loop: the checks of the runs in it.
void rewrite_write_loop_checks(struct emitter *e, struct node *n);

// ---- rewrite_runs.c: the three texts ----

void rewrite_write_row(struct emitter *e, GString *to, const struct var *v);
void rewrite_write_lambda(struct emitter *e, GString *to, bool has_loads);
void rewrite_flush_run(struct emitter *e);
void rewrite_flush_region(struct emitter *e);
// The text of the block, of the strip or of the lane, once what belongs before is in it.
GString *rewrite_level(struct emitter *e, enum context context);
void rewrite_open_mask(struct emitter *e, int number);
void rewrite_close_scope(struct emitter *e, GString *to, int mask);
void rewrite_look_for_lanes(struct emitter *e);
void rewrite_write_leave(struct emitter *e, int from);  // the lane leaves the masks from one on

// True if the words are one change, of a variable that all threads change alike.
bool rewrite_is_common_change(const struct emitter *e, const struct node *n, struct range range);
// True if the loop does nothing but a run in each round, so that several rounds can be one run: its
// lanes then keep in registers what they would load and store in each.
bool rewrite_can_jam(const struct emitter *e, const struct node *n, const struct node *body);
// True if all statements change variables, and none memory.
bool rewrite_is_accumulating(const struct emitter *e, const struct node *body);
// for (; i + 3 < n; i += 4), of four rounds each; a loop for the rest follows.
void rewrite_write_jam(struct emitter *e, struct node *n, const struct node *body);

// ---- rewrite_emit.c: the tree ----

// The kernel's body; NULL: r->why_not says why it stays as it is.
char *rewrite_write_kernel(struct rewriter *r);
