// Finds what every thread computes alike, and which loops go around the threads. It takes each
// variable for uniform until something proves otherwise, and repeats that until nothing changes any
// more.
#include "device/cpu/rewrite_parts.h"

// ---- what is the same for all threads ----

static bool is_same_for_all(const struct rewriter *r, struct range range)
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
        if ((first == '*' || (first == '&' && !rewrite_is(r, i - 1, "&"))) &&
            rewrite_may_be_unary(r, i, range.from))
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
        const bool is_known = (w->var < 0 && f && !is_member) || rewrite_is_any(r, i, allowed);
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

// A look at all expressions of a node.
struct look {
    bool knows_calls;  // the compiler may find neighbours where a function gives the index
    bool has_found;    // accesses to memory, or to neighbours
};

// True if `holds` is true of all expressions in a node and in its children.
static bool is_all(const struct rewriter *r, const struct node *n,
                   bool (*holds)(const struct rewriter *r, struct range range, struct look *look),
                   struct look *look)
{
    const struct range ranges[] = {n->words, n->condition, n->step,
                                   n->var >= 0 ? rewrite_var(r, n->var)->init : n->words};
    for (size_t k = 0; k < G_N_ELEMENTS(ranges); k++)
        if (!holds(r, ranges[k], look)) return false;
    for (const struct node *child = n->first; child; child = child->next)
        if (!is_all(r, child, holds, look)) return false;
    return true;
}

// True if the range accesses no array of the thread's own; looks for accesses to memory.
static bool are_accesses(const struct rewriter *r, struct range range, struct look *look)
{
    for (guint i = range.from; i < range.to; i++) {
        const int var = rewrite_word(r, i)->var;
        const struct var *const v = var >= 0 ? rewrite_var(r, var) : NULL;
        if (v && !v->is_shared && rewrite_is_array(v)) return false;
        look->has_found |=
            rewrite_is(r, i, "[") || rewrite_is(r, i, "load") || rewrite_is(r, i, "fetch");
    }
    return true;
}

// True if a loop that need not go around the threads may: it ends only by its condition, and
// accesses memory.
static bool can_split(const struct rewriter *r, const struct node *n)
{
    struct look access = {.has_found = false};
    bool has_var = false;
    for (guint i = n->condition.from; i < n->condition.to; i++)
        has_var |= rewrite_word(r, i)->var >= 0;
    return has_var && !n->is_not_worth && !n->has_break && !n->has_continue &&
           is_all(r, n, are_accesses, &access) && access.has_found;
}

static void decide(struct rewriter *r, struct node *n)
{
    const bool is_around = !n->parent || n->parent->is_split, waits = n->has_barrier || n->has_warp;
    n->is_uniform = is_same_for_all(r, n->condition);
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
                              (!v->has_init || is_same_for_all(r, sources_of(v)));
            for (const struct change *c = NULL;
                 is_uniform && (c = rewrite_next_change(r, (int)i, c));)
                is_uniform = c->mark != '.' && is_together(c, v) && is_on_level(c, v) &&
                             is_same_for_all(r, c->by);
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
    static const char *const integers[] = {"int",       "uint",
                                           "unsigned",  "unsigned int",
                                           "long",      "unsigned long",
                                           "long long", "unsigned long long",
                                           "size_t",    "int32_t",
                                           "uint32_t",  "int64_t",
                                           "uint64_t",  NULL};
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
        if (c->by.to > c->by.from && !is_same_for_all(r, c->by)) return false;
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

// True if each access in a range goes to one place or to neighbours; looks for neighbours.
static bool are_near(const struct rewriter *r, struct range range, struct look *look)
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
            const struct function *const of = look->knows_calls ? rewrite_function(r, i + 1) : NULL;
            // An unsigned index may wrap to 0 from one thread to the next.
            const bool is_told =
                of && rewrite_is(r, i + 2, "(") &&
                !g_strstr_len(of->item->head, of->item->name - of->item->head, "unsigned");
            if (step >= NOT_LINEAR / 2 && !is_told) return false;
            look->has_found |= step == 1 || step == -1;
        }
        look->has_found |= rewrite_is(r, i, "load") || rewrite_is(r, i, "fetch");
    }
    return true;
}

// True if the range stores nothing at an index that is a product of the thread's place.
static bool are_even(const struct rewriter *r, struct range range, struct look *unused)
{
    (void)unused;
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
    return is_all(r, r->root, are_even, NULL);
}

// Puts a loop back inside the threads if it gains nothing outside. True: it did.
static bool put_back(struct rewriter *r, struct node *n)
{
    struct look near = {.knows_calls = true};
    if (n->kind != NODE_LOOP || !n->is_split || n->has_barrier || n->has_warp || n->is_not_worth)
        return false;
    n->is_not_worth = !is_all(r, n, are_near, &near) || !near.has_found;
    if (n->is_not_worth) n->is_strided = false;
    return n->is_not_worth;
}

// Puts a condition outside of the threads, as a mask of the lanes for which it holds, if it is
// cheap and the compiler would make no vectors of what depends on it. True: it did.
static bool find_masked(struct rewriter *r, struct node *n)
{
    struct look near = {.knows_calls = false};
    bool has_loop = false;
    if (n->kind != NODE_IF || !n->parent->is_split || n->is_split || n->has_break) return false;
    const bool has_leave = n->has_return || n->has_continue;
    if (!has_leave && !rewrite_is_pure(r, n->condition)) return false;
    for (guint i = (guint)n->order; i < r->nodes->len && !has_loop; i++) {
        const struct node *const inner = g_ptr_array_index(r->nodes, i);
        has_loop = inner->kind == NODE_LOOP && rewrite_is_inside(inner, n);
    }
    n->is_masked = has_leave || has_loop || !is_all(r, n, are_near, &near);
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

void rewrite_flow(struct rewriter *r)
{
    const bool is_first = !r->changes->len;
    for (guint i = 0; i < r->nodes->len && is_first; i++)
        rewrite_find_changes(r, g_ptr_array_index(r->nodes, i));
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
        if (f && f->item->kind == C_ITEM_MACRO && rewrite_names_variable(r, f, 0))
            rewrite_refuse(r, "a macro that names a variable of the kernel");
    }
}
