// Which variables a kernel changes, where, and by what.
#include <string.h>

#include "device/cpu/rewrite_parts.h"

bool rewrite_is_mark(const struct rewriter *r, guint i, char mark)
{
    return i < r->words->len && rewrite_word(r, i)->length == 1 &&
           *rewrite_word(r, i)->text == mark;
}

bool rewrite_is_pair(const struct rewriter *r, guint i, char first, char second)
{
    return rewrite_is_mark(r, i, first) && rewrite_is_mark(r, i + 1, second) &&
           rewrite_word(r, i)->text + 1 == rewrite_word(r, i + 1)->text;
}

bool rewrite_is_operand(const struct rewriter *r, guint i)
{
    const char first = *rewrite_word(r, i)->text;
    return first == '\0' || g_ascii_isalnum(first) || strchr("_)].", first);
}

static guint end_of(const struct rewriter *r, guint i, guint to)
{
    while (i < to && !rewrite_is_mark(r, i, ',') && !rewrite_is_mark(r, i, ')') &&
           !rewrite_is_mark(r, i, ']'))
        i = rewrite_is_mark(r, i, '(') || rewrite_is_mark(r, i, '[') || rewrite_is_mark(r, i, '{')
                ? rewrite_behind(r, i, to)
                : i + 1;
    return MIN(i, to);
}

// All variables within, which a function may change.
static void expose(struct rewriter *r, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        if (rewrite_word(r, i)->var >= 0)
            rewrite_var(r, rewrite_word(r, i)->var)->is_exposed = true;
}

static void find_change(struct rewriter *r, struct node *n, struct range whole, guint i)
{
    struct change change = {.var = rewrite_word(r, i)->var, .node = n, .at = i};
    const struct var *const v = rewrite_var(r, change.var);
    const bool is_array = v->dimensions.to > v->dimensions.from;
    guint at = i + 1, from = i;
    bool is_part = false;
    // A picture's pixels lie behind a pointer.
    if (v->is_picture && rewrite_is_mark(r, at, '.') && rewrite_is_mark(r, at + 2, '[')) return;
    while (at < whole.to && (rewrite_is_mark(r, at, '[') || rewrite_is_mark(r, at, '.'))) {
        if (rewrite_is_mark(r, at, '[') && v->is_pointer && !is_array) return;  // what it points to
        is_part = true;
        at = rewrite_is_mark(r, at, '[') ? rewrite_behind(r, at, whole.to) : at + 2;
    }
    if (rewrite_is_pair(r, at, '-', '>')) return;
    const bool is_first = i == whole.from || !rewrite_is_operand(r, i - 1);
    const bool is_and = i > whole.from + 1 && rewrite_is_pair(r, i - 2, '&', '&');
    if (i > whole.from && rewrite_is_mark(r, i - 1, '&') && !is_and &&
        (i - 1 == whole.from || !rewrite_is_operand(r, i - 2)))
        rewrite_var(r, change.var)->is_exposed = true;
    const bool is_before = i > whole.from + 1 && (rewrite_is_pair(r, i - 2, '+', '+') ||
                                                  rewrite_is_pair(r, i - 2, '-', '-'));
    const bool is_behind = rewrite_is_pair(r, at, '+', '+') || rewrite_is_pair(r, at, '-', '-');
    if (!is_before && !is_behind && is_first && i > whole.from && rewrite_is_mark(r, i - 1, '*') &&
        (i - 1 == whole.from || !rewrite_is_operand(r, i - 2)))
        return;  // what it points to
    static const char operators[] = "+-*/%&|^";
    if (is_before || is_behind) {
        change.mark = *rewrite_word(r, is_before ? i - 1 : at)->text;
        if (is_before) from = i - 2;
        if (is_behind) at += 2;
    } else if (rewrite_is_mark(r, at, '=') && !rewrite_is_pair(r, at, '=', '=') && at < whole.to) {
        change.mark = '=';
        change.by = (struct range){at + 1, end_of(r, at + 1, whole.to)};
        at = change.by.to;
    } else if (at + 1 < whole.to && strchr(operators, *rewrite_word(r, at)->text) &&
               rewrite_is_pair(r, at, *rewrite_word(r, at)->text, '=')) {
        change.mark = *rewrite_word(r, at)->text;
        change.by = (struct range){at + 2, end_of(r, at + 2, whole.to)};
        at = change.by.to;
    } else if (at + 2 < whole.to &&
               (rewrite_is_pair(r, at, '<', '<') || rewrite_is_pair(r, at, '>', '>')) &&
               rewrite_is_pair(r, at + 1, *rewrite_word(r, at)->text, '=')) {
        change.mark = *rewrite_word(r, at)->text;
        change.by = (struct range){at + 3, end_of(r, at + 3, whole.to)};
        at = change.by.to;
    } else {
        return;
    }
    if (is_part) change.mark = '.';
    change.is_whole = from == whole.from && at == whole.to;
    rewrite_var(r, change.var)->is_changed = true;
    g_array_append_val(r->changes, change);
}

static void find_changes(struct rewriter *r, struct node *n, struct range whole)
{
    for (guint i = whole.from; i < whole.to; i++) {
        const struct function *const f = rewrite_function(r, i);
        if (rewrite_word(r, i)->var >= 0)
            find_change(r, n, whole, i);
        else if (f && f->changes_arguments && rewrite_is_mark(r, i + 1, '('))
            expose(r, i + 1, rewrite_behind(r, i + 1, whole.to));
    }
}

static void find_all_changes(struct rewriter *r, struct node *n)
{
    find_changes(r, n, n->words);
    find_changes(r, n, n->condition);
    for (guint at = n->step.from; at < n->step.to; at++) {
        const guint end = end_of(r, at, n->step.to);
        find_changes(r, n, (struct range){at, end});
        at = end;
    }
    for (int i = 0; i < 4; i++) find_changes(r, n, n->parts[i]);
    if (n->var >= 0) {
        find_changes(r, n, rewrite_var(r, n->var)->init);
        find_changes(r, n, rewrite_var(r, n->var)->dimensions);
    }
    for (struct node *child = n->first; child; child = child->next) find_all_changes(r, child);
}

void rewrite_find_changes(struct rewriter *r)
{
    find_all_changes(r, r->root);
}
