// Finds where a kernel changes its variables, and what every thread computes alike. It takes each
// variable for uniform until something proves otherwise, and repeats that until nothing changes any
// more. This file is long because all these facts depend on each other.
#include <string.h>

#include "device/cpu/rewrite_parts.h"

// ---- which variables are changed where, and by what ----

bool rewrite_is_simple(const struct rewriter *r, const struct var *v)
{
    const bool is_pointer = v->is_pointer && !rewrite_is_array(v);
    bool is_number = !v->type || is_pointer || v->is_picture;
    struct c_tokens tokens = c_tokens_of(v->type ? v->type : "");
    for (struct c_token token; !is_number && (token = c_tokens_next_code(&tokens)).kind;) {
        if (rewrite_find_function(r, token.start, token.length)) break;
        is_number = !v->is_auto && rewrite_is_number(token);
    }
    return is_number;
}

unsigned rewrite_type_facts(const struct rewriter *r, const struct var *v, unsigned unknown)
{
    if (rewrite_is_simple(r, v)) return 0;
    struct c_tokens tokens = c_tokens_of(v->type);
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind;) {
        const struct function *const f = rewrite_find_function(r, token.start, token.length);
        if (f) return f->facts;
    }
    return unknown;
}

// What stands for a variable's memory or a part of it: v, v.x[3], (v), (c ? v : w).
struct lvalue {
    guint from, to;
    bool is_part, is_target;  // target: it lies behind a pointer
    bool is_called;           // a function of its struct is
    bool may_decay;           // a member, which may be an array, is its last part
};

// True if a bracket encloses it, or a choice that may be it.
static bool enclose(const struct rewriter *r, struct range whole, struct lvalue *l)
{
    static const char *const before[] = {"(", "?", ":", ",", NULL}, *const behind[] = {")", ":",
                                                                                       NULL};
    if (l->from == whole.from || l->to >= whole.to || !rewrite_is_any(r, l->from - 1, before) ||
        !rewrite_is_any(r, l->to, behind))
        return false;
    const guint open = rewrite_before(r, l->from, whole.from);
    if (!rewrite_is(r, open, "(")) return false;
    if (open > whole.from && rewrite_is_operand(r, open - 1)) return false;  // a call's arguments
    l->from = open;
    l->to = rewrite_behind(r, open, whole.to);
    return l->is_part = true;
}

static struct lvalue lvalue_of(const struct rewriter *r, struct range whole, guint i)
{
    const struct var *const v = rewrite_var(r, rewrite_word(r, i)->var);
    struct lvalue l = {.from = i, .to = i + 1};
    do {
        while (l.to < whole.to && (rewrite_is(r, l.to, "[") || rewrite_is(r, l.to, "."))) {
            l.may_decay = rewrite_is(r, l.to, ".");
            if (!l.may_decay && v->is_pointer && !rewrite_is_array(v)) {
                l.is_target = true;
                return l;
            }
            l.is_part = true;
            l.is_called |= l.may_decay &&
                           (rewrite_open_call(r, l.to + 1, whole.to) ||
                            rewrite_is(r, l.to + 1, "template") || rewrite_is(r, l.to + 1, "*"));
            l.to = l.may_decay ? l.to + 2 : rewrite_behind(r, l.to, whole.to);
        }
    } while (enclose(r, whole, &l));
    return l;
}

// True if a function or an operator of its struct may change it, or somebody who knows where the
// array lies that it holds.
static bool may_change_unseen(const struct rewriter *r, const struct var *v, struct lvalue l)
{
    if (v->is_pointer && !rewrite_is_array(v)) return false;  // only its target changes
    if (l.is_called) return true;
    if (v->is_const) return false;
    return (l.may_decay && rewrite_type_facts(r, v, READS_MEMORY) & READS_MEMORY) ||
           (r->has_operators && !rewrite_is_simple(r, v));
}

static void find_change(struct rewriter *r, struct node *n, struct range whole, guint i)
{
    struct change change = {.var = rewrite_word(r, i)->var, .node = n, .at = i};
    struct var *const v = rewrite_var(r, change.var);
    // A picture's pixels lie behind a pointer.
    if (v->is_picture && rewrite_is(r, i + 1, ".") && rewrite_is(r, i + 3, "[")) return;
    const struct lvalue l = lvalue_of(r, whole, i);
    guint from = l.from, at = l.to;
    v->is_exposed |= may_change_unseen(r, v, l);
    if (l.is_target || rewrite_is_pair(r, at, '-', '>')) return;
    const bool is_first = from == whole.from || !rewrite_is_operand(r, from - 1);
    const bool is_and = from > whole.from + 1 && rewrite_is_pair(r, from - 2, '&', '&');
    const bool is_alone = from < whole.from + 2 || !rewrite_is_operand(r, from - 2) ||
                          rewrite_may_end_cast(r, from - 2);
    if (from > whole.from && rewrite_is(r, from - 1, "&") && !is_and && is_alone)
        v->is_exposed = true;
    const bool is_before = from > whole.from + 1 && (rewrite_is_pair(r, from - 2, '+', '+') ||
                                                     rewrite_is_pair(r, from - 2, '-', '-'));
    const bool is_behind = rewrite_is_pair(r, at, '+', '+') || rewrite_is_pair(r, at, '-', '-');
    if (!is_before && !is_behind && is_first && from > whole.from && rewrite_is(r, from - 1, "*") &&
        is_alone)
        return;  // only its target changes
    // The index of =, behind the operator of a change such as +=.
    const char first = at < whole.to ? *rewrite_word(r, at)->text : '\0';
    const bool is_shift = rewrite_is_pair(r, at, '<', '<') || rewrite_is_pair(r, at, '>', '>');
    const guint equals = is_shift ? at + 2 : first && strchr("+-*/%&|^", first) ? at + 1 : at;
    if (is_before || is_behind) {
        change.mark = *rewrite_word(r, is_before ? from - 1 : at)->text;
        if (is_before) from -= 2;
        if (is_behind) at += 2;
    } else if (equals < whole.to &&
               (equals > at ? rewrite_is_pair(r, equals - 1, first, '=')
                            : rewrite_is(r, at, "=") && !rewrite_is_pair(r, at, '=', '='))) {
        change.mark = first;
        change.by = (struct range){equals + 1, rewrite_find(r, equals + 1, whole.to, ",)]")};
        at = change.by.to;
    } else {
        return;
    }
    if (l.is_part) change.mark = '.';
    change.is_whole = from == whole.from && at == whole.to;
    v->is_changed = true;
    g_array_append_val(r->changes, change);
}

// True if the words from i up to behind may be what = or ++ changes.
static bool is_near_change(const struct rewriter *r, struct range whole, guint i, guint behind)
{
    bool is_near = i >= whole.from + 2 &&
                   (rewrite_is_pair(r, i - 2, '+', '+') || rewrite_is_pair(r, i - 2, '-', '-'));
    for (guint k = behind; k < MIN(behind + 3, whole.to); k++)
        is_near |= rewrite_is(r, k, "=") || rewrite_is_pair(r, k, '+', '+') ||
                   rewrite_is_pair(r, k, '-', '-');
    return is_near;
}

static void expose_all(struct rewriter *r, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        if (rewrite_word(r, i)->var >= 0)
            rewrite_var(r, rewrite_word(r, i)->var)->is_exposed = true;
}

// True if a function may change its argument of that index, which is a reference.
static bool may_change_argument(const struct rewriter *r, const struct function *f, int index)
{
    struct c_tokens tokens = c_tokens_of(f->item->name);
    int depth = 0, at = 0;
    bool is_reference = false;
    if (f->item->kind != C_ITEM_FUNCTION || !f->is_one) return true;
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind;) {
        const struct function *const alias =
            token.kind == C_TOKEN_WORD ? rewrite_find_function(r, token.start, token.length) : NULL;
        const char mark = token.kind == C_TOKEN_MARK ? *token.start : ' ';
        depth += (strchr("(<[", mark) != NULL) - (strchr(")>]", mark) != NULL);
        if (mark == '.' || mark == '=') return true;  // a pack, or what may have other marks
        if (mark == ')' && !depth) return at < index || is_reference;
        if (mark == ',' && depth == 1) at++;
        is_reference |= at == index &&
                        (mark == '&' || (alias && alias != f && alias->facts & CHANGES_ARGUMENTS));
    }
    return true;
}

static void expose_arguments(struct rewriter *r, const struct function *f, guint open, guint behind)
{
    int index = 0;
    for (guint i = open; i < behind; i++) {  // which commas end an argument is not known then
        const struct function *const used = rewrite_function(r, i);
        if (rewrite_is(r, i, "<") || (used && used->item->kind == C_ITEM_MACRO)) f = NULL;
    }
    for (guint at = open + 1; at < behind; index++) {
        const guint end = rewrite_find(r, at, behind - 1, ",");
        if (!f || may_change_argument(r, f, index)) expose_all(r, at, end);
        at = end + 1;
    }
}

static void find_changes_in(struct rewriter *r, struct node *n, struct range whole)
{
    for (guint i = whole.from; i < whole.to; i++) {
        const struct function *const f = rewrite_function(r, i);
        const guint open = rewrite_is_name(r, i) ? rewrite_open_call(r, i, whole.to) : 0;
        const bool is_member =
            i > whole.from && (rewrite_is(r, i - 1, ".") || rewrite_is(r, i - 1, ">"));
        if (rewrite_word(r, i)->var >= 0) {
            find_change(r, n, whole, i);
        } else if (f && f->item->kind == C_ITEM_MACRO && f->facts & CHANGES_ARGUMENTS &&
                   (!open || rewrite_is(r, open + 1, ")"))) {
            expose_all(r, whole.from, whole.to);  // it may be an operator
        } else if (rewrite_is(r, i, "{") && r->has_references) {
            expose_all(r, i, rewrite_behind(r, i, whole.to));
        } else if (open && (f || is_member)) {
            const guint behind = rewrite_behind(r, open, whole.to);
            bool is_change = f && f->facts & CHANGES_ARGUMENTS;
            is_change |= is_member && r->has_references;
            if (f && f->item->kind == C_ITEM_MACRO)  // what it stands for may be assigned to
                is_change |= is_near_change(r, whole, i, behind);
            if (is_change) expose_arguments(r, is_member ? NULL : f, open, behind);
        }
    }
}

static void find_changes(struct rewriter *r, struct node *n)
{
    find_changes_in(r, n, n->words);
    find_changes_in(r, n, n->condition);
    for (guint at = n->step.from; at < n->step.to; at++) {
        const guint end = rewrite_find(r, at, n->step.to, ",)]");
        find_changes_in(r, n, (struct range){at, end});
        at = end;
    }
    for (int i = 0; i < 4; i++) find_changes_in(r, n, n->parts[i]);
    if (n->var >= 0) {
        find_changes_in(r, n, rewrite_var(r, n->var)->init);
        find_changes_in(r, n, rewrite_var(r, n->var)->dimensions);
    }
}

// ---- what is the same for all threads ----

bool rewrite_is_uniform(const struct rewriter *r, struct range range)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct function *const f = rewrite_function(r, i);
        if (w->exchange >= 0 || rewrite_is(r, i, "threadIdx")) return false;
        if (w->var >= 0 && rewrite_var(r, w->var)->kind != VAR_UNIFORM) return false;
        if (w->var < 0 && f && f->facts & (USES_THREAD | HAS_EFFECT)) return false;
        if (rewrite_is_atomic(w->text, w->length)) return false;
    }
    return true;
}

// A pure expression reads no memory, so the text may compute it again or earlier.
bool rewrite_is_pure(const struct rewriter *r, struct range range)
{
    static const char *const allowed[] = {"min", "max", "abs", NULL};
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct function *const f = rewrite_function(r, i);
        const char first = *w->text;
        if (w->exchange >= 0 || first == '[' || first == '{' || first == '#' || first == '"')
            return false;
        if (rewrite_is_pair(r, i, '-', '>')) return false;
        const bool is_unary =
            i == range.from || !rewrite_is_operand(r, i - 1) || rewrite_may_end_cast(r, i - 1);
        if (is_unary && (first == '*' || (first == '&' && !rewrite_is(r, i - 1, "&"))))
            return false;
        if (w->var < 0 && f && f->facts & READS_MEMORY) return false;
        if (w->var >= 0 && r->has_operators &&
            rewrite_type_facts(r, rewrite_var(r, w->var), 0) & READS_MEMORY)
            return false;
        if (w->var >= 0 && rewrite_var(r, w->var)->is_shared &&
            !rewrite_is_array(rewrite_var(r, w->var)))
            return false;
        const bool is_member = i > range.from && rewrite_is(r, i - 1, ".");
        const bool is_call = (g_ascii_isalpha(first) || first == '_') && rewrite_is(r, i + 1, "(");
        bool is_known = w->var < 0 && f && !is_member;
        for (const char *const *word = allowed; *word; word++) is_known |= rewrite_is(r, i, *word);
        if (is_call && !is_known) return false;
    }
    return true;
}

bool rewrite_may_fault(const struct rewriter *r, struct range range)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct function *const f = rewrite_function(r, i);
        const struct word *const w = rewrite_word(r, i), *const next = w + (i + 1 < range.to);
        if (w->var < 0 && f && f->facts & MAY_FAULT) return true;
        if (!rewrite_is(r, i, "/") && !rewrite_is(r, i, "%")) continue;
        if (next->var >= 0 || rewrite_open_call(r, i + 1, range.to) || *next->text == '0' ||
            !(g_ascii_isalnum(*next->text) || *next->text == '_'))
            return true;
    }
    return false;
}

// ---- what goes around the threads ----

bool rewrite_is_inside(const struct node *n, const struct node *outer)
{
    while (n && n != outer) n = n->parent;
    return n;
}

bool rewrite_is_changed_in(const struct rewriter *r, int var, const struct node *outer, int from)
{
    for (const struct change *c = NULL; (c = rewrite_next_change(r, var, c));)
        if (rewrite_is_inside(c->node, outer) && c->node->order >= from) return true;
    return false;
}

// True if `holds` is true of all expressions in a node and in its children.
static bool is_all(const struct rewriter *r, const struct node *n,
                   bool (*holds)(const struct rewriter *r, struct range range, bool *found),
                   bool *found)
{
    const struct range ranges[] = {n->words, n->condition, n->step,
                                   n->var >= 0 ? rewrite_var(r, n->var)->init : n->words};
    for (size_t k = 0; k < G_N_ELEMENTS(ranges); k++)
        if (!holds(r, ranges[k], found)) return false;
    for (const struct node *child = n->first; child; child = child->next)
        if (!is_all(r, child, holds, found)) return false;
    return true;
}

// True if the range accesses no array of the thread's own; *found: it accesses memory.
static bool are_accesses(const struct rewriter *r, struct range range, bool *found)
{
    for (guint i = range.from; i < range.to; i++) {
        const int var = rewrite_word(r, i)->var;
        const struct var *const v = var >= 0 ? rewrite_var(r, var) : NULL;
        if (v && !v->is_shared && rewrite_is_array(v)) return false;
        *found |= rewrite_is(r, i, "[") || rewrite_is(r, i, "load") || rewrite_is(r, i, "fetch");
    }
    return true;
}

// True if a loop that need not go around the threads may: it ends only by its condition, and
// accesses memory.
static bool can_split(const struct rewriter *r, const struct node *n)
{
    bool has_var = false, has_access = false;
    for (guint i = n->condition.from; i < n->condition.to; i++)
        has_var |= rewrite_word(r, i)->var >= 0;
    return has_var && !n->is_not_worth && !n->has_break && !n->has_continue &&
           is_all(r, n, are_accesses, &has_access) && has_access;
}

static void decide(struct rewriter *r, struct node *n)
{
    const bool is_around = !n->parent || n->parent->is_split, waits = n->has_barrier || n->has_warp;
    n->is_uniform = rewrite_is_uniform(r, n->condition);
    switch (n->kind) {
    case NODE_BLOCK:
    case NODE_FUNCTION:
        n->is_split = is_around;
        break;
    case NODE_IF:
        n->is_split = is_around && (waits || n->is_masked || (n->is_uniform && !n->has_break));
        break;
    case NODE_LOOP:
        n->is_split = is_around && (waits || n->is_strided || (n->is_uniform && can_split(r, n)));
        break;
    default:
        n->is_split = false;
        break;
    }
}

// True if all threads that see the variable make the change together and equally often.
static bool is_together(const struct change *c, const struct var *v)
{
    const struct node *const home =
        v->home && v->home->parent->kind == NODE_LOOP ? v->home->parent : v->block;
    for (const struct node *n = c->node; n && n != home; n = n->parent) {
        if ((n->kind == NODE_IF || n->kind == NODE_LOOP) && !(n->is_split && n->is_uniform))
            return false;
        if (n->kind == NODE_OTHER) return false;
    }
    return c->is_whole && (c->node->kind != NODE_LOOP || c->node->is_split || c->node == home);
}

// A variable that a block's regions share may change only between the regions.
static bool is_on_level(const struct change *c, const struct var *v)
{
    return !v->block->has_barrier || rewrite_level_of(c)->has_barrier;
}

// A member's value depends on the thread only by the arguments of the function that makes its
// struct.
static struct range sources_of(const struct var *v)
{
    return (struct range){v->init.from + (v->member ? 1 : 0), v->init.to};
}

static void find_uniform(struct rewriter *r)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (guint i = 0; i < r->nodes->len; i++) decide(r, g_ptr_array_index(r->nodes, i));
        for (guint i = 0; i < r->vars->len; i++) {
            struct var *const v = rewrite_var(r, (int)i);
            if (v->kind != VAR_UNIFORM || v->is_shared) continue;
            bool is_uniform = !rewrite_is_array(v) && !v->must_be_lane && !v->is_exposed &&
                              !rewrite_is_local(v) && !(rewrite_type_facts(r, v, 0) & HAS_EFFECT) &&
                              (!v->has_init || rewrite_is_uniform(r, sources_of(v)));
            for (const struct change *c = NULL;
                 is_uniform && (c = rewrite_next_change(r, (int)i, c));)
                is_uniform = c->mark != '.' && is_together(c, v) && is_on_level(c, v) &&
                             rewrite_is_uniform(r, c->by);
            if (is_uniform) continue;
            v->kind = VAR_LANE;
            is_changed = true;
        }
    }
}

// ---- what follows from the thread's place ----

// True if the words keep their value wherever the variable is visible.
static bool is_stable(const struct rewriter *r, const struct var *v, struct range range)
{
    for (guint i = range.from; i < range.to; i++) {
        const int input = rewrite_word(r, i)->var;
        if (input >= 0 &&
            rewrite_is_changed_in(r, input, v->scope ? v->scope : v->block, v->home->order))
            return false;
    }
    return true;
}

// True if the variable can be a VAR_ROW. If several regions use it, changes between them are added
// up.
static bool can_be_row(const struct rewriter *r, int index)
{
    static const char *const integers[] = {"int",
                                           "unsigned int",
                                           "unsigned",
                                           "uint",
                                           "long",
                                           "long long",
                                           "size_t",
                                           "unsigned long",
                                           "unsigned long long",
                                           "int32_t",
                                           "uint32_t",
                                           "int64_t",
                                           "uint64_t",
                                           NULL};
    const struct var *const v = rewrite_var(r, index);
    if (!v->type ||
        !(g_strv_contains(integers, v->type) || (v->is_pointer && g_str_has_suffix(v->type, "*"))))
        return false;
    if (!v->has_init || v->is_exposed || v->must_be_lane || rewrite_is_local(v)) return false;
    if (rewrite_is_array(v) || rewrite_step(r, v->init) == NOT_LINEAR ||
        rewrite_may_wrap(r, v->init, v) || !rewrite_is_pure(r, v->init) ||
        rewrite_may_fault(r, v->init) || !is_stable(r, v, v->init))
        return false;
    for (const struct change *c = NULL; (c = rewrite_next_change(r, index, c));) {
        if (!strchr("+-=", c->mark) || !is_together(c, v)) return false;
        if (c->mark == '=') {
            if (rewrite_level_of(c)->has_barrier ||
                rewrite_step(r, c->by) != rewrite_step(r, v->init) ||
                rewrite_may_wrap(r, c->by, v) || !rewrite_is_pure(r, c->by))
                return false;
            continue;
        }
        if (c->by.to > c->by.from && !rewrite_is_uniform(r, c->by)) return false;
        if (is_on_level(c, v)) continue;
        for (const struct node *n = c->node->parent; n && n != v->block; n = n->parent)
            if (n->has_barrier && n->kind == NODE_LOOP) return false;
    }
    return true;
}

static bool can_be_again(const struct rewriter *r, const struct var *v)
{
    if (v->is_changed || v->is_exposed || !v->has_init || v->is_list || v->must_be_lane ||
        rewrite_is_array(v) || rewrite_is_local(v) || !v->type ||
        rewrite_type_facts(r, v, 0) & HAS_EFFECT)
        return false;
    if (!rewrite_is_pure(r, v->init) || !is_stable(r, v, v->init)) return false;
    for (guint i = v->init.from; i < v->init.to; i++) {
        const int input = rewrite_word(r, i)->var;
        if (input >= 0 && rewrite_var(r, input)->kind == VAR_LANE) return false;
    }
    return true;
}

// True for a loop for (int i = threadIdx.x; i < n; i += blockDim.x): the loop goes around the
// threads, some of which have left it in its last round.
static bool find_strided(struct rewriter *r, struct node *n)
{
    bool is_found = false;
    if (n->kind == NODE_LOOP && n->parent->is_split && !n->is_split && n->declares == 1 &&
        n->first->kind == NODE_DECLARE && can_split(r, n)) {
        n->is_split = n->is_strided = true;  // tries what its variable then is
        is_found = can_be_row(r, n->first->var);
        n->is_split = n->is_strided = is_found;
    }
    return is_found;
}

// True if each access in a range goes to one place or to neighbours; *found: some go to neighbours.
// knows_calls: the compiler may find neighbours where a function gives the index.
static bool are_near(const struct rewriter *r, struct range range, bool knows_calls, bool *found)
{
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct function *const f = w->var < 0 ? rewrite_function(r, i) : NULL;
        if (f && f->facts & HAS_EFFECT) return false;
        if (rewrite_is_atomic(w->text, w->length)) return false;
        if (rewrite_is(r, i, "[") && i > range.from && rewrite_is_operand(r, i - 1)) {
            const struct range index = {i + 1, rewrite_behind(r, i, range.to) - 1};
            int step = rewrite_step(r, index);
            const int base = rewrite_word(r, i - 1)->var;
            if (base >= 0 && rewrite_var(r, base)->kind == VAR_ROW)
                step += rewrite_var(r, base)->step;
            if (base >= 0 && rewrite_var(r, base)->kind == VAR_LANE &&
                !rewrite_var(r, base)->is_shared)
                return false;
            const struct function *const of = knows_calls ? rewrite_function(r, i + 1) : NULL;
            // An unsigned index may wrap to 0 from one thread to the next.
            const bool is_told =
                of && rewrite_is(r, i + 2, "(") &&
                !g_strstr_len(of->item->head, of->item->name - of->item->head, "unsigned");
            if (step >= NOT_LINEAR / 2 && !is_told) return false;
            *found |= step == 1 || step == -1;
        }
        if (rewrite_is(r, i, "load") || rewrite_is(r, i, "fetch")) *found = true;
    }
    return true;
}

static bool are_neighbours(const struct rewriter *r, struct range range, bool *found)
{
    return are_near(r, range, false, found);
}

static bool may_be_neighbours(const struct rewriter *r, struct range range, bool *found)
{
    return are_near(r, range, true, found);
}

// True if the range stores nothing at an index that is a product of the thread's place.
static bool are_even(const struct rewriter *r, struct range range, bool *found)
{
    (void)found;
    for (guint i = range.from; i < range.to; i++) {
        if (!rewrite_is(r, i, "[")) continue;
        const guint behind = rewrite_behind(r, i, range.to);
        const bool is_store = behind < range.to && rewrite_is(r, behind, "=") &&
                              !rewrite_is_pair(r, behind, '=', '=');
        if (is_store && rewrite_find(r, i + 1, behind - 1, "*") < behind - 1 &&
            rewrite_step(r, (struct range){i + 1, behind - 1}) == NOT_LINEAR)
            return false;
    }
    return true;
}

bool rewrite_stores_evenly(const struct rewriter *r)
{
    bool found = false;
    return is_all(r, r->root, are_even, &found);
}

// Puts a loop back inside the threads if it gains nothing outside. True: it did.
static bool put_back(struct rewriter *r, struct node *n)
{
    bool is_any = false;
    if (n->kind != NODE_LOOP || !n->is_split || n->has_barrier || n->has_warp || n->is_not_worth)
        return false;
    n->is_not_worth = !is_all(r, n, may_be_neighbours, &is_any) || !is_any;
    if (n->is_not_worth) n->is_strided = false;
    return n->is_not_worth;
}

// Puts a condition outside of the threads, as a mask of the lanes for which it holds, if it is
// cheap and the compiler would make no vectors of what depends on it. True: it did.
static bool find_masked(struct rewriter *r, struct node *n)
{
    bool is_any = false, has_loop = false;
    if (n->kind != NODE_IF || !n->parent->is_split || n->is_split || n->has_break) return false;
    const bool has_leave = n->has_return || n->has_continue;
    if (!has_leave && !rewrite_is_pure(r, n->condition)) return false;
    for (guint i = (guint)n->order; i < r->nodes->len && !has_loop; i++) {
        const struct node *const inner = g_ptr_array_index(r->nodes, i);
        has_loop = inner->kind == NODE_LOOP && rewrite_is_inside(inner, n);
    }
    n->is_masked = has_leave || has_loop || !is_all(r, n, are_neighbours, &is_any);
    return n->is_masked;
}

// Applies `change` to all nodes, parents first. True: it changed one.
static bool change_any(struct rewriter *r, bool (*change)(struct rewriter *r, struct node *n))
{
    bool is_changed = false;
    for (guint i = 0; i < r->nodes->len; i++)
        is_changed |= change(r, g_ptr_array_index(r->nodes, i));
    return is_changed;
}

// ---- what macros do to the kernel's variables ----

// True if a word of a macro's body is changed there, or may be where the macro stands for it.
static bool may_change(const char *body, struct c_token word, const struct var *v)
{
    const char *from = word.start, *to = word.start + word.length;
    while (from > body && strchr(" (", from[-1])) from--;
    to += strspn(to, " )");
    const bool is_alone = from == body && !v->is_const;
    const char *const last = from - body < 2 ? "" : from - 2;
    return (is_alone && (!*to || strchr(v->home ? "\n.[" : "\n", *to))) ||
           !strncmp(last, "++", 2) || !strncmp(last, "--", 2) || !strncmp(to, "++", 2) ||
           !strncmp(to, "--", 2) || !strncmp(to, "<<=", 3) || !strncmp(to, ">>=", 3) ||
           (*to == '=' && to[1] != '=') || (*to && strchr("+-*/%&|^", *to) && to[1] == '=');
}

// True if a macro's own words, apart from its parameters, name a variable that threads do not share
// or that they change: nothing else looks for variables there.
static bool names_variable(const struct rewriter *r, const struct function *macro, int depth)
{
    const char *const parameters = macro->item->name + macro->item->name_length,
                      *const body = rewrite_macro_body(macro->item);
    struct c_tokens tokens = c_tokens_of(macro->item->head);
    struct c_token before = {.kind = C_TOKEN_END};
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind; before = token) {
        if (token.start >= macro->end) break;
        if (token.kind != C_TOKEN_WORD || token.start < body || c_token_is(before, ".")) continue;
        bool is_own = false;
        struct c_tokens own = c_tokens_of(parameters);
        for (struct c_token p; !is_own && (p = c_tokens_next_code(&own)).kind && p.start < body;)
            is_own = c_token_is_same(p, token);
        for (guint i = 0; i < r->vars->len && !is_own; i++) {
            const struct var *const v = rewrite_var(r, (int)i);
            if (v->is_shared || !c_token_is(token, v->name)) continue;
            if (v->kind != VAR_UNIFORM || v->is_changed || v->is_exposed ||
                strcmp(v->name, v->shown) || may_change(body, token, v))
                return true;
        }
        const struct function *const f = rewrite_find_function(r, token.start, token.length);
        if (!is_own && f && f != macro && f->item->kind == C_ITEM_MACRO && depth < 8 &&
            names_variable(r, f, depth + 1))
            return true;
    }
    return false;
}

void rewrite_flow(struct rewriter *r)
{
    const bool is_first = !r->changes->len;
    for (guint i = 0; i < r->nodes->len && is_first; i++)
        find_changes(r, g_ptr_array_index(r->nodes, i));
    do {
        for (guint i = 0; i < r->vars->len; i++) rewrite_var(r, (int)i)->kind = VAR_UNIFORM;
        find_uniform(r);
        // What follows from the thread's place.
        for (guint i = 0; i < r->vars->len; i++) {
            struct var *const v = rewrite_var(r, (int)i);
            if (v->kind == VAR_UNIFORM || !v->home) continue;
            v->kind = VAR_LANE;
            if (can_be_row(r, (int)i)) {
                v->kind = VAR_ROW;
                v->step = rewrite_step(r, v->init);
            } else if (can_be_again(r, v)) {
                v->kind = VAR_AGAIN;
            }
        }
    } while (change_any(r, find_strided) || change_any(r, find_masked) || change_any(r, put_back));
    for (guint i = 0; i < r->nodes->len; i++) {
        const struct node *const n = g_ptr_array_index(r->nodes, i);
        const bool is_choice = n->kind == NODE_IF || n->kind == NODE_LOOP;
        if (is_choice && n->has_barrier && !n->is_uniform)
            rewrite_refuse(r, n->kind == NODE_IF
                                  ? "a barrier where a condition depends on the thread"
                                  : "a barrier in a loop whose bound depends on the thread");
        if (is_choice && n->has_break && (n->has_barrier || n->has_warp))
            rewrite_refuse(r, "break beside a barrier or a shuffle");
        if (n->kind == NODE_LOOP && n->has_barrier && n->has_return)
            rewrite_refuse(r, "return in a loop with a barrier");
    }
    for (guint i = 0; i < r->words->len; i++) {
        const struct function *const f = rewrite_function(r, i);
        if (f && f->item->kind == C_ITEM_MACRO && names_variable(r, f, 0))
            rewrite_refuse(r, "a macro that names a variable of the kernel");
    }
}
