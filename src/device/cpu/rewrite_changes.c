// Which variables a kernel changes, where, and by what.
#include <string.h>

#include "device/cpu/rewrite_parts.h"

static bool is_mark(const struct rewriter *r, guint i, char mark)
{
    return i < r->words->len && rewrite_word(r, i)->length == 1 &&
           *rewrite_word(r, i)->text == mark;
}

bool rewrite_is_pair(const struct rewriter *r, guint i, char first, char second)
{
    return is_mark(r, i, first) && is_mark(r, i + 1, second) &&
           rewrite_word(r, i)->text + 1 == rewrite_word(r, i + 1)->text;
}

bool rewrite_is_operand(const struct rewriter *r, guint i)
{
    const char first = *rewrite_word(r, i)->text;
    return first == '\0' || g_ascii_isalnum(first) || strchr("_)].", first);
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
    guint at = i + 1, from = i;
    bool is_part = false;
    // A picture's pixels lie behind a pointer.
    if (v->is_picture && rewrite_is(r, at, ".") && rewrite_is(r, at + 2, "[")) return;
    while (at < whole.to && (rewrite_is(r, at, "[") || rewrite_is(r, at, "."))) {
        if (rewrite_is(r, at, "[") && v->is_pointer && !rewrite_is_array(v))
            return;  // what it points to
        is_part = true;
        at = rewrite_is(r, at, "[") ? rewrite_behind(r, at, whole.to) : at + 2;
    }
    if (rewrite_is_pair(r, at, '-', '>')) return;
    const bool is_first = i == whole.from || !rewrite_is_operand(r, i - 1);
    const bool is_and = i > whole.from + 1 && rewrite_is_pair(r, i - 2, '&', '&');
    if (i > whole.from && rewrite_is(r, i - 1, "&") && !is_and &&
        (i - 1 == whole.from || !rewrite_is_operand(r, i - 2)))
        rewrite_var(r, change.var)->is_exposed = true;
    const bool is_before = i > whole.from + 1 && (rewrite_is_pair(r, i - 2, '+', '+') ||
                                                  rewrite_is_pair(r, i - 2, '-', '-'));
    const bool is_behind = rewrite_is_pair(r, at, '+', '+') || rewrite_is_pair(r, at, '-', '-');
    if (!is_before && !is_behind && is_first && i > whole.from && rewrite_is(r, i - 1, "*") &&
        (i - 1 == whole.from || !rewrite_is_operand(r, i - 2)))
        return;  // what it points to
    // Where = stands, behind what is done with the old value.
    const char first = at < whole.to ? *rewrite_word(r, at)->text : '\0';
    const bool is_shift = rewrite_is_pair(r, at, '<', '<') || rewrite_is_pair(r, at, '>', '>');
    const guint equals = is_shift ? at + 2 : first && strchr("+-*/%&|^", first) ? at + 1 : at;
    if (is_before || is_behind) {
        change.mark = *rewrite_word(r, is_before ? i - 1 : at)->text;
        if (is_before) from = i - 2;
        if (is_behind) at += 2;
    } else if (equals < whole.to &&
               (equals > at ? rewrite_is_pair(r, equals - 1, first, '=')
                            : is_mark(r, at, '=') && !rewrite_is_pair(r, at, '=', '='))) {
        change.mark = first;
        change.by = (struct range){equals + 1, rewrite_find(r, equals + 1, whole.to, ",)]")};
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
        else if (f && f->facts & CHANGES_ARGUMENTS && rewrite_is(r, i + 1, "("))
            expose(r, i + 1, rewrite_behind(r, i + 1, whole.to));
    }
}

void rewrite_find_changes(struct rewriter *r, struct node *n)
{
    find_changes(r, n, n->words);
    find_changes(r, n, n->condition);
    for (guint at = n->step.from; at < n->step.to; at++) {
        const guint end = rewrite_find(r, at, n->step.to, ",)]");
        find_changes(r, n, (struct range){at, end});
        at = end;
    }
    for (int i = 0; i < 4; i++) find_changes(r, n, n->parts[i]);
    if (n->var >= 0) {
        find_changes(r, n, rewrite_var(r, n->var)->init);
        find_changes(r, n, rewrite_var(r, n->var)->dimensions);
    }
    for (struct node *child = n->first; child; child = child->next) rewrite_find_changes(r, child);
}
