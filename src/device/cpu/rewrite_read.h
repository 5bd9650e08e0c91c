// rewrite_read.h -- what the parts share that read a kernel's text.
#pragma once

#include "device/cpu/rewrite_parts.h"

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

// ---- rewrite_words.c ----

bool rewrite_is_any(const struct rewriter *r, guint i, const char *const *texts);
// Appends the words between two places of a text; a line that begins with # is one word.
struct range rewrite_add_words(struct rewriter *r, const char *start, const char *end);
struct node *rewrite_add_node(struct rewriter *r, struct node *parent, enum node_kind kind);
void rewrite_mark_above(struct node *n);  // with what it waits for
void rewrite_declare_name(struct reader *p, const char *text, unsigned length, int var);
int rewrite_add_var(struct rewriter *r, const struct word *name, const char *type);
// Finds what the names mean, and has what waits done first: its words then stand for the results.
struct range rewrite_read_expression(struct reader *p, struct node *parent, guint from, guint to);
struct range rewrite_expand(struct reader *p, struct node *parent, struct range range);

// ---- rewrite_read.c ----

// The body of a function in place of its call, from "(" on.
void rewrite_read_call(struct reader *p, struct node *parent, struct function *f, guint open,
                       guint behind, GArray *made);
