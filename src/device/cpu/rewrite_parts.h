// rewrite_parts.h -- what the parts of rewrite.c share: a kernel's body as a tree of statements.
//
//     rewrite_words.c         words, names and expressions; what the file's functions do
//     rewrite_read.c          text to tree; functions that hold barriers become part of the tree
//     rewrite_flow.c          what is changed where, what all threads compute alike, and which
//                             loops stand around them
//     rewrite_emit.c          tree to text
//     rewrite_expressions.c   expressions as text, and the loads that a strip does at once
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/c_items.h"
#include "device/cpu/cuda_text.h"

struct word {
    const char *text;  // not terminated
    unsigned length;
    int line;      // 0: it stands in no line of the user's
    int var;       // of rewriter.vars; -1: none
    int exchange;  // which of rewriter.nodes gives it; -1: none
};

struct range {
    guint from, to;  // of rewriter.words
};

// ---- variables ----

enum var_kind {
    VAR_UNIFORM,  // one value for all threads
    VAR_ROW,      // its value for a strip's first thread, and so much more for each further one
    VAR_AGAIN,    // computed again wherever it is used
    VAR_LANE,     // one for each thread
};
enum { NOT_LINEAR = 1 << 20 };  // in place of a step from thread to thread

struct var {
    const char *name, *shown;  // in the user's text and in ours
    const char *type;          // without const and without the dimensions
    struct range dimensions, init;
    struct node *home;       // that declares it; NULL: a parameter of the kernel
    struct node *block;      // whose variable it is
    struct node *scope;      // where it can be seen, if that is less
    bool has_init, is_list;  // is_list: { } without =
    bool is_const, is_constexpr, is_shared, is_pointer, is_auto;
    bool is_dynamic;              // extern __shared__
    bool is_picture;              // a struct plane
    bool is_changed, is_exposed;  // exposed: somebody may have its address
    bool must_be_lane;            // its uses do not allow for more
    enum var_kind kind;
    int step;                    // of VAR_ROW, from thread to thread
    int run, region;             // where it is used; 0: nowhere yet
    bool has_runs, has_regions;  // in several
};

// ---- statements ----

enum node_kind {
    NODE_BLOCK,     // { children }
    NODE_FUNCTION,  // a function's body in place of its call
    NODE_DECLARE,   // one variable
    NODE_SHARED,    // a __shared__ array
    NODE_EXPRESSION,
    NODE_IF,     // children: then, else
    NODE_LOOP,   // children: the body, and what for () declares before it
    NODE_OTHER,  // do, switch, break, continue: written as it stands
    NODE_RETURN,
    NODE_BARRIER,
    NODE_EXCHANGE,  // between the lanes of a warp
};

// A word that lanes of a warp exchange something by.
struct exchange {
    const char *word, *take;  // take: how each lane has its value then; NULL: none has one
    bool is_vote;
};

struct node {
    enum node_kind kind;
    struct node *parent, *first, *last, *next;
    struct range words;            // NODE_OTHER: all but its children; else the expression
    struct range condition, step;  // of if and loops
    struct range parts[4];         // of NODE_EXCHANGE: its arguments
    const struct exchange *exchange;
    const char *name;   // of NODE_OTHER: "do", "switch", "break" …
    struct node *loop;  // that break and continue are of
    const char *pragma;
    int var;
    int declares;                            // NODE_LOOP: so many of the children
    bool has_barrier, has_warp, has_return;  // in it
    bool has_break, has_continue;            // of it, or of a loop around it
    bool is_uniform, is_split;               // its condition; it stands around the threads
    bool is_strided;                         // and some leave it before others
    bool is_not_worth;                       // its accesses are not to neighbours
    int mask;                                // of a round of a loop, in emitter.masks
    int order;                               // its place among rewriter.nodes, parents first
};

// A load of a picture in a run; or of a byte, whose words are x; or an index, x, that grows by so
// much from thread to thread.
struct load {
    struct range picture, x, y;
    int run, step, jam;
    bool is_byte;
    const struct node *before;  // the outermost loop before which it is checked
};

struct change {
    int var;
    struct node *node;
    struct range by;  // what it is assigned or changed by; empty: ++ and --
    char mark;        // '=', '+', '-', or another one
    guint at;         // its variable's word
    bool is_whole;    // it is all of its statement, or all between two commas of a loop's step
};

// ---- functions of the text ----

enum function_fact {
    USES_PLACE = 1,  // threadIdx and the like
    USES_THREAD = 2,
    HAS_BARRIER = 4,
    HAS_WARP = 8,  // it waits for its warp
    HAS_EFFECT = 16,
    READS_MEMORY = 32,
    WAITS = HAS_BARRIER | HAS_WARP,
    ALL_OF_CALLED = 63,  // the facts above are a caller's, too
    HAS_LINES = 64,      // that begin with #
    CHANGES_ARGUMENTS = 128,
};

struct function {
    const struct c_item *item;
    const char *end;
    unsigned facts;  // of enum function_fact
    bool is_rank;    // it is threadIdx.y * blockDim.x + threadIdx.x
    bool is_one;     // of its name
    const char *why_not;
};

struct rewriter {
    const char *text;
    GArray *words, *vars, *changes;  // struct word, struct var, struct change
    GArray *checks;                  // struct load: those that are checked before a loop
    GHashTable *functions;           // by name: struct function
    const GArray *tiles;             // struct cuda_tile
    GStringChunk *strings;
    GPtrArray *nodes;
    struct node *root;
    int depth;
    bool has_warp;        // the strips must be CUDA's warps
    const char *why_not;  // what it does not understand; NULL: nothing so far
};

static inline struct word *rewrite_word(const struct rewriter *r, guint i)
{
    return &g_array_index(r->words, struct word, i);
}

static inline struct var *rewrite_var(const struct rewriter *r, int i)
{
    return &g_array_index(r->vars, struct var, i);
}

// The change of a variable behind another one, or the first for NULL; NULL: there is none.
static inline const struct change *rewrite_next_change(const struct rewriter *r, int var,
                                                       const struct change *c)
{
    guint i = c ? (guint)(c - &g_array_index(r->changes, struct change, 0)) + 1 : 0;
    while (i < r->changes->len && g_array_index(r->changes, struct change, i).var != var) i++;
    return i < r->changes->len ? &g_array_index(r->changes, struct change, i) : NULL;
}

// The node at whose end a change is made for all that are in it.
static inline const struct node *rewrite_level_of(const struct change *c)
{
    return c->node->kind == NODE_LOOP ? c->node : c->node->parent;
}

static inline bool rewrite_is_atomic(const char *word, size_t length)
{
    return length > strlen("atomic") && g_str_has_prefix(word, "atomic");
}

static inline void rewrite_refuse(struct rewriter *r, const char *why)
{
    if (!r->why_not) r->why_not = why;
}

static inline bool rewrite_is_array(const struct var *v)
{
    return v->dimensions.to > v->dimensions.from;
}

// Of a statement that stands in a run.
static inline bool rewrite_is_local(const struct var *v)
{
    return v->home && !v->home->parent->is_split;
}

bool rewrite_is(const struct rewriter *r, guint i, const char *text);
bool rewrite_is_name(const struct rewriter *r, guint i);
// The first of these marks that no brackets enclose; to: there is none.
guint rewrite_find(const struct rewriter *r, guint i, guint to, const char *marks);
// Behind what ( [ { at i encloses.
guint rewrite_behind(const struct rewriter *r, guint i, guint to);
struct function *rewrite_function(const struct rewriter *r, guint i);

// ---- what the file's functions do ----

const char *rewrite_why_refused(const char *word, size_t length);  // NULL: it is not
void rewrite_add_functions(struct rewriter *r, const struct c_items *items);
void rewrite_spread(struct rewriter *r);  // what a function calls is what it does
// Copies of those that use their place, with the place as arguments.
void rewrite_write_own(struct rewriter *r, GString *to, const struct c_items *items);

// Reads a kernel. NULL: r->why_not says why.
struct node *rewrite_read(struct rewriter *r, const struct c_item *item);
// Fills in what the tree does not say by itself.
void rewrite_flow(struct rewriter *r);
// Two marks without a blank between them.
bool rewrite_is_pair(const struct rewriter *r, guint i, char first, char second);
bool rewrite_is_operand(const struct rewriter *r, guint i);  // what stands before + is one
// How much more a value becomes from thread to thread; NOT_LINEAR: that is not known.
int rewrite_step(const struct rewriter *r, struct range range);
bool rewrite_is_inside(const struct node *n, const struct node *outer);  // or the same
// True if a node within another one, or that itself, changes a variable; from: of its order.
bool rewrite_is_changed_in(const struct rewriter *r, int var, const struct node *outer, int from);
bool rewrite_is_uniform(const struct rewriter *r, struct range range);
bool rewrite_is_pure(const struct rewriter *r, struct range range);    // it reads no memory
bool rewrite_may_fault(const struct rewriter *r, struct range range);  // it divides by a variable

// ---- reading a kernel ----

struct name {
    const char *text;
    unsigned length;
    int var;
};

struct reader {
    struct rewriter *r;
    guint at, to;
    GArray *scope;  // struct name, the innermost last
    const char *pragma;
    struct node *function;  // that is read; NULL: the kernel itself
    int result;             // the variable that it returns; -1: none
};

bool rewrite_is_any(const struct rewriter *r, guint i, const char *const *texts);
// Appends the words between two places of a text; a line that begins with # is one word.
struct range rewrite_add_words(struct rewriter *r, const char *start, const char *end);
// All nodes around it know then what it waits for.
struct node *rewrite_add_node(struct rewriter *r, struct node *parent, enum node_kind kind);
void rewrite_declare_name(struct reader *p, const char *text, unsigned length, int var);
int rewrite_add_var(struct rewriter *r, const struct word *name, const char *type);
// Finds what the names mean, and has what waits done first: its words then stand for the results.
struct range rewrite_read_expression(struct reader *p, struct node *parent, guint from, guint to);
struct range rewrite_expand(struct reader *p, struct node *parent, struct range range);
// The same for each argument of a call, from "(" on; returns how many there are.
int rewrite_read_arguments(struct reader *p, struct node *parent, guint open, guint behind,
                           struct range *parts, int most);
// The body of a function in place of its call, from "(" on.
void rewrite_read_call(struct reader *p, struct node *parent, struct function *f, guint open,
                       guint behind, GArray *made);

// ---- writing a kernel ----
//
// A statement goes into one of three texts, the later ones inside the earlier:
//
//     out      the block's: what is alike for all threads, and loops with barriers in them
//     region   a strip's: for (strips) { … }, from barrier to barrier
//     run      a lane's: emulator_lanes(…) { … }, statements that no loop or wait parts
//
// The text is written twice: the first time shows which variables several runs need.

enum { MOST_MASKS = 32 };
enum context { IN_BLOCK, IN_STRIP, IN_LANE };

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

// ---- expressions in one of the three texts ----

// As printf, of %d and %s; %w: the words of a struct range; %v: a variable, by its index; %n: the
// dimensions of a struct var *.
void rewrite_write(struct emitter *e, GString *to, enum context context, const char *format, ...);
void rewrite_note_use(struct emitter *e, struct var *v);

// ---- which loads of pictures and bytes a strip does at once ----

// for (int i = A; i < B; i++), or <= B. bound: B; is_less: for <.
bool rewrite_read_canonical(const struct emitter *e, const struct node *n, struct range *bound,
                            bool *is_less);
// Before the run that is written: whether it stays inside the picture, and what it reads.
void rewrite_write_loads(struct emitter *e);
// Before a loop: the checks of the runs in it.
void rewrite_write_loop_checks(struct emitter *e, struct node *n);

// The kernel's body; NULL: r->why_not says why it stays as it is.
char *rewrite_write_kernel(struct rewriter *r);
