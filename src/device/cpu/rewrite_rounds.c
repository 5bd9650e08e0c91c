// Several rounds of a loop as one run, whose lanes keep values in registers.
#include "device/cpu/rewrite_parts.h"

bool rewrite_is_common_change(const struct emitter *e, const struct node *n, struct range range)
{
    for (guint k = 0; k < e->r->changes->len; k++) {
        const struct change *const c = &g_array_index(e->r->changes, struct change, k);
        const struct var *const v = rewrite_var(e->r, c->var);
        if (c->node == n && c->is_whole && c->at >= range.from && c->at < range.to &&
            !rewrite_is_local(v) && (v->kind == VAR_UNIFORM || v->kind == VAR_ROW) && !v->is_shared)
            return true;
    }
    return false;
}

bool rewrite_can_jam(const struct emitter *e, const struct node *n, const struct node *body)
{
    struct range bound;
    bool is_less;
    // An unsigned number that begins just below 0 would have rounds that it does not have.
    const struct var *const v = n->first->var >= 0 ? rewrite_var(e->r, n->first->var) : NULL;
    if (v && strcmp(v->type, "int") != 0 && strcmp(v->type, "long") != 0 &&
        !(v->init.to == v->init.from + 1 &&
          g_ascii_isdigit(*rewrite_word(e->r, v->init.from)->text)))
        return false;
    if (n->has_barrier || n->has_warp || n->has_return || n->has_continue || !body->first ||
        n->step.to > n->step.from + 3 || !rewrite_read_canonical(e, n, &bound, &is_less))
        return false;
    for (const struct node *child = body->first; child; child = child->next)
        if (child->kind != NODE_EXPRESSION || rewrite_is_common_change(e, child, child->words))
            return false;
    return true;
}

bool rewrite_is_accumulating(const struct emitter *e, const struct node *body)
{
    for (const struct node *child = body->first; child; child = child->next) {
        bool is_whole = false;
        for (guint i = child->words.from; i < child->words.to; i++) {  // a call may store
            const struct function *const f = rewrite_function(e->r, i);
            if (rewrite_word(e->r, i)->var < 0 && f && f->facts & READS_MEMORY) return false;
        }
        for (guint k = 0; k < e->r->changes->len; k++) {
            const struct change *const c = &g_array_index(e->r->changes, struct change, k);
            is_whole |= c->node == child && c->is_whole && c->mark != '.';
        }
        if (!is_whole) return false;
    }
    return true;
}

void rewrite_write_jam(struct emitter *e, struct node *n, const struct node *body)
{
    enum { ROUNDS = 4 };
    struct var *const v = rewrite_var(e->r, n->first->var);
    const struct range c = n->condition;
    e->loops[e->loop_count++] = n;
    rewrite_write(e, e->region, IN_STRIP, "for (; %s + %d %w; %s += %d) {\n", v->shown, ROUNDS - 1,
                  (struct range){c.from + 1, c.to}, v->shown, ROUNDS);
    e->jam_var = n->first->var;
    e->is_reading = rewrite_is_accumulating(e, body);
    for (e->jam = 0; e->jam < ROUNDS; e->jam++)
        for (const struct node *child = body->first; child; child = child->next)
            rewrite_write(e, e->run, IN_LANE, "%w;\n", child->words);
    e->jam = 0;
    rewrite_flush_run(e);
    e->is_reading = false;
    g_string_append(e->region, "}\n");
    e->loop_count--;
}
