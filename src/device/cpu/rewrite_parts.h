// rewrite_parts.h -- what the rewrite*.c files share: a kernel's body as a tree of statements.
//
//     rewrite_words.c         words, names and expressions
//     rewrite_functions.c     what the file's functions, structs and macros do
//     rewrite_variables.c     the file's variables
//     rewrite_place.c         what a text knows of the thread's place; copies that take it
//     rewrite_read.c          text to tree; functions that hold barriers become part of the tree
//     rewrite_members.c       a struct's members that all threads compute alike
//     rewrite_changes.c       where variables change
//     rewrite_flow.c          what all threads compute alike, and which loops go around the threads
//     rewrite_steps.c         how values grow from thread to thread
//     rewrite_targets.c       what pointers that are kept point to
//     rewrite_emit.c          tree to text: statements
//     rewrite_rounds.c        several rounds of a loop as one run
//     rewrite_texts.c         the texts for a block, a strip and a lane
//     rewrite_expressions.c   expressions to text, and the loads that a strip does at once
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/c_items.h"
#include "base/c_tokens.h"
#include "device/cpu/cuda_text.h"

struct word {
    const char *text;  // not terminated
    unsigned length;
    int var;       // of rewriter.vars; -1: none
    int exchange;  // index of the NODE_EXCHANGE whose value it is; -1: none
};

struct range {
    guint from, to;  // of rewriter.words
};

// ---- variables ----

enum var_kind {
    VAR_UNIFORM,  // one value for all threads
    VAR_ROW,      // grows by a fixed step from each thread of a strip to the next
    VAR_AGAIN,    // computed again wherever it is used
    VAR_LANE,     // one for each thread
};
enum { NOT_LINEAR = 1 << 20 };  // a step that is not known

struct var {
    const char *name, *shown;  // in the user's text and in ours
    const char *declared;      // where the user's text has its name
    const char *type;          // without const and without the dimensions
    struct range dimensions, init;
    struct node *home;       // the node that declares it; NULL: a parameter of the kernel
    struct node *block;      // the block that it belongs to
    struct node *scope;      // where it is visible, if not in all of the block
    bool has_init, is_list;  // is_list: { } without =
    bool is_const, is_constexpr, is_shared, is_pointer, is_auto;
    bool is_dynamic;              // extern __shared__
    bool has_twins;               // other calls of its function have the same shared memory
    int twin;                     // the first of them; -1: it is that
    const char *member;           // it stands for this member of a struct; NULL: for none
    int member_of;                // the struct's variable
    bool is_picture;              // a struct plane
    bool is_real;                 // a parameter that is not whole
    bool is_changed, is_exposed;  // exposed: a pointer or reference to it may exist
    bool must_be_lane;            // its uses allow only VAR_LANE
    enum var_kind kind;
    int step;                    // of VAR_ROW, from thread to thread
    int run, region;             // the last that uses it; 0: none yet
    bool has_runs, has_regions;  // several use it
};

// ---- statements ----

enum node_kind {
    NODE_BLOCK,     // { children }
    NODE_FUNCTION,  // a function's body that replaces its call
    NODE_DECLARE,   // one variable
    NODE_SHARED,    // a __shared__ array
    NODE_EXPRESSION,
    NODE_IF,     // children: then, else
    NODE_LOOP,   // children: the body, and what for () declares before it
    NODE_OTHER,  // do, switch, break, continue: copied as it stands
    NODE_RETURN,
    NODE_BARRIER,
    NODE_EXCHANGE,  // between the lanes of a warp
};

// A function by which the lanes of a warp exchange something.
struct exchange {
    const char *word, *take;  // take: what reads a lane's result; NULL: it has none
    bool is_vote;
};

struct node {
    enum node_kind kind;
    struct node *parent, *first, *last, *next;
    struct range words;            // the expression; NODE_OTHER: all except its children
    struct range condition, step;  // of if and loops
    struct range parts[4];         // of NODE_EXCHANGE: its arguments
    const struct exchange *exchange;
    const char *name;   // of NODE_OTHER: "do", "switch", "break", "enum" …
    struct node *loop;  // of break and continue
    const char *pragma;
    int var;
    int declares;                            // NODE_LOOP: how many of the children for () declares
    bool has_barrier, has_warp, has_return;  // in it
    bool has_break, has_continue;            // in it, of its own loop or of one around it
    bool is_uniform, is_split;               // its condition is; it goes around the threads
    bool is_masked;     // an if that is split although its condition is not uniform
    bool is_strided;    // split, and some threads leave it before others
    bool is_not_worth;  // not worth a split: it does not access neighbours
    int mask;           // of a loop's rounds: index into emitter.masks
    int order;          // its place among rewriter.nodes, parents first
};

// A load in a run: of a picture's pixel, or of a byte (x is the expression). Also an index x that
// grows by `step` from thread to thread.
struct load {
    struct range picture, x, y;
    int run, step, jam;
    bool is_byte;
    const struct node *before;  // its bounds are checked before this loop, the outermost possible
};

struct change {
    int var;
    struct node *node;
    struct range by;  // the value assigned or added; empty: ++ and --
    char mark;        // '=', '+', '-', or another one
    guint at;         // index of its variable's word
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
    KNOWS_BLOCK = 64,      // in another way than by a thread's column in the grid
    KNOWS_ROWS = 128,      // in another way than by a thread's number in its block, and their count
    MAY_FAULT = 256,       // it may divide by 0, never end, or assert
    MAY_BE_REAL = 512,     // it speaks of numbers that are not whole
    IS_MADE = 1024,        // a struct that a constructor or a member's first value makes
    HOLDS_ADDRESS = 2048,  // a struct with a pointer
    WAITS = HAS_BARRIER | HAS_WARP,
    ALL_OF_CALLED = 4095,  // a caller inherits the facts above
    HAS_LINES = 4096,      // lines that begin with #
    CHANGES_ARGUMENTS = 8192,
    HAS_CHOICE = 16384,  // a macro that may do without its arguments, or do them several times
};

struct function {
    const struct c_item *item;
    const struct c_items *text;  // that it is of
    const char *end, *last;      // last: where the last of its name begins
    unsigned facts;              // of enum function_fact
    bool is_rank;                // it is threadIdx.y * blockDim.x + threadIdx.x
    bool is_one;                 // the only one of its name
    bool is_clashing;            // below it, a name that it has means something else
    const char *why_not;
    const char *why_no_copy;  // that takes threadIdx and the like as arguments
};

// Where an expression has a word that is declared outside of the kernel.
struct use {
    const char *name;
    const struct node *node;  // the block around it
};

struct rewriter {
    GArray *words, *vars, *changes;  // struct word, struct var, struct change
    GArray *checks;                  // struct load: picture loads that are checked before a loop
    GHashTable *functions;           // by name: struct function
    GArray *others;                  // struct use: of words that are no variables
    const GArray *tiles;             // struct cuda_tile
    GStringChunk *strings;
    GPtrArray *nodes;
    struct node *root;
    int depth;
    bool has_warp;        // a strip must be one of CUDA's warps
    bool has_operators;   // the file defines some
    bool has_references;  // a function or a member of a struct may take one that it changes
    const char *why_not;  // the reason for refusing the kernel; NULL: none so far
};

static inline struct word *rewrite_word(const struct rewriter *r, guint i)
{
    return &g_array_index(r->words, struct word, i);
}

static inline struct var *rewrite_var(const struct rewriter *r, int i)
{
    return &g_array_index(r->vars, struct var, i);
}

// The next change of the variable behind c, or the first one if c is NULL; NULL: there is none.
static inline const struct change *rewrite_next_change(const struct rewriter *r, int var,
                                                       const struct change *c)
{
    guint i = c ? (guint)(c - &g_array_index(r->changes, struct change, 0)) + 1 : 0;
    while (i < r->changes->len && g_array_index(r->changes, struct change, i).var != var) i++;
    return i < r->changes->len ? &g_array_index(r->changes, struct change, i) : NULL;
}

// The node whose text makes a change: the loop for a loop's step, else the statement's parent.
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

// True if its declaration stands inside a run.
static inline bool rewrite_is_local(const struct var *v)
{
    return v->home && !v->home->parent->is_split;
}

bool rewrite_is(const struct rewriter *r, guint i, const char *text);
bool rewrite_is_name(const struct rewriter *r, guint i);
// The index behind the > that closes the < at i; i: there is none before one of these marks.
guint rewrite_behind_angles(const struct rewriter *r, guint i, guint to, const char *stops);
// The "(" of a call whose name is at i, behind the arguments of a template; 0: it is no call.
guint rewrite_open_call(const struct rewriter *r, guint i, guint to);
// Finds the first of these marks outside of brackets; returns `to` if there is none.
guint rewrite_find(const struct rewriter *r, guint i, guint to, const char *marks);
// The index behind the bracket that closes the one at i.
guint rewrite_behind(const struct rewriter *r, guint i, guint to);
// The bracket, from `from` on, that is open in front of the word at i; i: there is none.
guint rewrite_before(const struct rewriter *r, guint i, guint from);
struct function *rewrite_function(const struct rewriter *r, guint i);
struct function *rewrite_find_function(const struct rewriter *r, const char *text, size_t length);
struct function *rewrite_named(const struct rewriter *r, struct c_token token);

// ---- what the file's functions do ----

extern const char *const rewrite_own_types[];  // int, float and the like; ends with NULL
extern const char *const rewrite_places[];     // threadIdx and the like; ends with NULL
// The shared memory outside of functions with that name (cuda_text.h); NULL: there is none.
const struct cuda_tile *rewrite_tile(const struct rewriter *r, const char *text, size_t length);
bool rewrite_is_any_token(struct c_token token, const char *const *words);
bool rewrite_has_small_letter(const char *word, size_t length);  // no name of a constant
bool rewrite_is_place(struct c_token token);                     // threadIdx and the like
bool rewrite_is_number(struct c_token token);  // a type of a number, or of up to four
// Why a word keeps a kernel on fibers, in its body or in a function that it calls; NULL: it does
// not.
const char *rewrite_why_refused(const char *word, size_t length, bool is_in_kernel);
void rewrite_add_functions(struct rewriter *r, const struct c_items *items);
// Adds the file's variables that kernels may change, as macros that read and change memory: what
// such a name gives may be another value later. Of arrays, the brackets tell. Also adds what stands
// for a lambda, a reference or a real number.
void rewrite_add_variables(struct rewriter *r, const char *text);
// The exchange that a word stands for; NULL: none.
const struct exchange *rewrite_exchange_of(const char *word, size_t length);
void rewrite_spread(struct rewriter *r);                    // callers inherit facts
const char *rewrite_macro_body(const struct c_item *item);  // behind its name and parameters
// The facts KNOWS_… of a text and of the functions that it calls. Without KNOWS_BLOCK it does the
// same in two neighbouring blocks of a row and in one of twice the width; without KNOWS_ROWS, in a
// block and in one with all of its rows in one.
unsigned rewrite_knowledge(const struct rewriter *r, const char *text, const char *end);
// Writes copies of the functions that use threadIdx and the like, with these as arguments.
void rewrite_write_own(struct rewriter *r, GString *to, const struct c_items *items);

// Reads a kernel. NULL: r->why_not says why.
struct node *rewrite_read(struct rewriter *r, const struct c_item *item);
void rewrite_find_changes(struct rewriter *r, struct node *n);
// True if a macro's own words, apart from its parameters, name a variable that threads do not share
// or that they change. depth: of macros in macros.
bool rewrite_names_variable(const struct rewriter *r, const struct function *macro, int depth);
// Decides each variable's kind and which nodes are split.
void rewrite_flow(struct rewriter *r);
// True if two marks stand at i without a blank between them.
bool rewrite_is_pair(const struct rewriter *r, guint i, char first, char second);
bool rewrite_is_step(const struct rewriter *r, guint i);     // ++ or --
bool rewrite_is_operand(const struct rewriter *r, guint i);  // + behind it is binary
// True if the operator at i may have one operand: it stands first, or behind another one or what
// may be a cast, as (NAME) may.
bool rewrite_may_be_unary(const struct rewriter *r, guint i, guint from);
// The facts of its struct; `unknown`: it is no number, and the text has no such struct.
unsigned rewrite_type_facts(const struct rewriter *r, const struct var *v, unsigned unknown);
// By how much a value grows from thread to thread; NOT_LINEAR: not known.
int rewrite_step(const struct rewriter *r, struct range range);
// True if it wraps for some threads before it becomes the variable's value.
bool rewrite_may_wrap(const struct rewriter *r, struct range range, const struct var *v);
// False if a kernel stores down columns, say: the longer a strip, the worse that suits caches.
bool rewrite_stores_evenly(const struct rewriter *r);
bool rewrite_is_inside(const struct node *n, const struct node *outer);  // or the same
// True if outer or a node in it, with an order of at least `from`, changes the variable.
bool rewrite_is_changed_in(const struct rewriter *r, int var, const struct node *outer, int from);
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
    struct node *function;  // the one being read; NULL: the kernel itself
    int result;             // the variable that it returns; -1: none
};

bool rewrite_is_any(const struct rewriter *r, guint i, const char *const *texts);
// Appends the words between two places of a text; a line that begins with # is one word.
struct range rewrite_add_words(struct rewriter *r, const char *start, const char *end);
// Adds a node, and notes in all nodes around it what it waits for.
struct node *rewrite_add_node(struct rewriter *r, struct node *parent, enum node_kind kind);
// Once all is read: what is declared outside of the kernel keeps its name, also where a variable of
// that name is in sight of what is written. The second refuses a kernel with a name that is added.
void rewrite_part_names(struct rewriter *r);
void rewrite_look_for_names(struct rewriter *r);
void rewrite_declare_name(struct reader *p, const char *text, unsigned length, int var);
int rewrite_add_var(struct rewriter *r, const struct word *name, const char *type);
// Resolves names, and puts calls that wait into nodes in front. Returns words with their results.
struct range rewrite_read_expression(struct reader *p, struct node *parent, guint from, guint to);
struct range rewrite_expand(struct reader *p, struct node *parent, struct range range);
// The same for each argument of a call, from "(" on; returns how many there are.
int rewrite_read_arguments(struct reader *p, struct node *parent, guint open, guint behind,
                           struct range *parts, int most);
// Adds the statement that declares a variable.
struct var *rewrite_declare(struct rewriter *r, struct node *parent, enum node_kind kind,
                            int index);
// Declares variables for the members of a struct that are the same for all threads (if what made
// it is). The second lets one stand in place of `c.first`, whose first word is at i.
void rewrite_add_members(struct rewriter *r, struct node *parent, int index);
void rewrite_read_member(struct rewriter *r, guint i);
// Appends a function's words. *name: its own one, or *body if there is none; *body: its brace.
struct range rewrite_add_function(struct rewriter *r, const struct c_item *item, guint *name,
                                  guint *body);
// Reads a function's body in place of its call, from "(" on.
void rewrite_read_call(struct reader *p, struct node *parent, struct function *f, guint open,
                       guint behind, GArray *made);

// ---- writing a kernel ----
//
// A statement goes into one of three texts, the later ones inside the earlier:
//
//     out      for the block: what all threads do alike, and loops that hold barriers
//     region   for a strip: for (strips) { … }, from barrier to barrier
//     run      for a lane: emulator_lanes(…) { … }, between split loops and waits
//
// The text is written twice: the first pass (is_dry) finds which variables several runs need.

enum { MOST_MASKS = 32 };
enum context { IN_BLOCK, IN_STRIP, IN_LANE };

struct emitter {
    struct rewriter *r;
    GString *out, *region, *run;
    bool is_dry, is_reading;     // reading: the run being written stores nothing
    GArray *loads;               // struct load: of the run
    GArray *indices;             // struct load: of the run
    bool is_mask;                // the run is a condition
    guint8 *in_run, *in_region;  // a flag for each variable that must be declared there
    int run_number, region_number, mask_number;
    int masks[MOST_MASKS], depth, base;  // the open masks; base: of the innermost function
    int kept[MOST_MASKS], kept_count;    // masks that must survive barriers
    bool has_left, region_left;          // lanes have left since the last check
    bool is_left;                        // or may leave in the region
    GArray *ends;                        // int: masks whose end a goto leads to
    int jam_var, jam;                    // a loop's variable (-1: none), jam rounds ahead
    struct node *loops[MOST_MASKS];      // the region's open, uniform loops
    int loop_count;
};

// ---- the three texts ----

void rewrite_flush_run(struct emitter *e);
void rewrite_flush_region(struct emitter *e);
GString *rewrite_text_of(struct emitter *e, enum context context);
// The same text, after everything that must stand before is written into it.
GString *rewrite_level(struct emitter *e, enum context context);
void rewrite_write_row(struct emitter *e, GString *to, const struct var *v);
// Writes [&](lane, place, inside) { run } and empties the run.
void rewrite_write_lambda(struct emitter *e, GString *to);
void rewrite_open_mask(struct emitter *e, int number);
void rewrite_close_scope(struct emitter *e, GString *to, int mask);
// Writes a jump for when no lane is left: nothing may be read for lanes that have left.
void rewrite_look_for_lanes(struct emitter *e);
// Writes that the lane, or all lanes of the present mask, leave the masks from the one at `from`
// on.
void rewrite_write_leave(struct emitter *e, const struct node *n, int from);

// ---- several rounds of a loop as one run ----

// True if the words are one change of a variable that all threads change alike.
bool rewrite_is_common_change(const struct emitter *e, const struct node *n, struct range range);
// True if each round of the loop is only a run. Then several rounds can be one run, whose lanes
// keep values in registers instead of loading and storing them in each round.
bool rewrite_can_jam(const struct emitter *e, const struct node *n, const struct node *body);
// True if all statements only change variables, and no memory.
bool rewrite_is_accumulating(const struct emitter *e, const struct node *body);
// Writes for (; i + 3 < n; i += 4) with four rounds in one; a loop for the rest follows.
void rewrite_write_jam(struct emitter *e, struct node *n, const struct node *body);

// ---- expressions in one of the three texts ----

// A printf with %d and %s; %w writes the words of a struct range, %v the variable of an index, %n
// the dimensions of a struct var *.
void rewrite_write(struct emitter *e, GString *to, enum context context, const char *format, ...);
void rewrite_note_use(struct emitter *e, struct var *v);

// ---- which loads of pictures and bytes a strip does at once ----

// True for the form for (int i = A; i < B; i++), or <= B. bound: B; is_less: the sign is <.
bool rewrite_read_canonical(const struct emitter *e, const struct node *n, struct range *bound,
                            bool *is_less);
// Writes, before the run, its loads and the check that they stay inside the picture.
void rewrite_write_loads(struct emitter *e);
// Writes, before a loop, the checks for the runs in it.
void rewrite_write_loop_checks(struct emitter *e, struct node *n);
// Writes something with the number of each of these checks, in that order.
void rewrite_write_flags(struct emitter *e, const struct node *n, const char *format);

// What a pointer that is kept may point to is kept as well.
void rewrite_keep_targets(struct rewriter *r);
// The kernel's body; NULL: r->why_not says why it stays as it is.
char *rewrite_write_kernel(struct rewriter *r);
