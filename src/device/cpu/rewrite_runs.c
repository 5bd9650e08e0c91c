// Runs become functions of a lane, and regions loops over strips.
#include "device/cpu/rewrite_emit.h"

void rewrite_write_row(struct emitter *e, GString *to, const struct var *v)
{
    rewrite_write(e, to, IN_STRIP, "%s %s_0 = %w", v->type, v->shown, v->init);
    if (v->block->has_barrier && v->is_changed) g_string_append_printf(to, " + %s_by", v->shown);
    g_string_append(to, ";\n");
}

// What the run's variables are made of belongs to it, too.
static void close_over(struct emitter *e, guint8 *flags)
{
    for (guint i = e->r->vars->len; i-- > 0;) {
        const struct var *const v = rewrite_var(e->r, (int)i);
        if (!flags[i] || (v->kind != VAR_AGAIN && flags == e->in_run)) continue;
        for (guint k = v->init.from; k < v->init.to; k++) {
            const int input = rewrite_word(e->r, k)->var;
            if (input < 0) continue;
            const enum var_kind kind = rewrite_var(e->r, input)->kind;
            if (kind == VAR_ROW || kind == VAR_AGAIN) flags[input] = e->in_region[input] = 1;
        }
    }
}

// [&](lane, place) { run }
void rewrite_write_lambda(struct emitter *e, GString *to, bool has_loads)
{
    g_string_append_printf(to,
                           "[&](const unsigned emulator_lane, const uint3 threadIdx%s) "
                           "EMULATOR_INSIDE {\n",
                           has_loads ? ", auto emulator_inside" : "");
    g_string_append(to, "(void)emulator_lane, (void)threadIdx;\n");
    if (e->r->root->has_barrier)
        g_string_append(to, "const unsigned emulator_at = emulator_s.at + emulator_lane;\n"
                            "(void)emulator_at;\n");
    close_over(e, e->in_run);
    for (guint i = 0; i < e->r->vars->len; i++) {
        const struct var *const v = rewrite_var(e->r, (int)i);
        if (!e->in_run[i]) continue;
        g_string_append_printf(to, "%s%s%s %s = ", v->is_pointer ? "" : "const ", v->type,
                               v->is_pointer ? " const" : "", v->shown);
        if (v->kind == VAR_ROW && v->step)
            g_string_append_printf(to, "%s_0 + %d * (int)emulator_lane;\n", v->shown, v->step);
        else if (v->kind == VAR_ROW)
            g_string_append_printf(to, "%s_0;\n", v->shown);
        else
            rewrite_write(e, to, IN_LANE, "%w;\n", v->init);
    }
    g_string_append(to, e->run->str);
    g_string_append(to, "}");
    memset(e->in_run, 0, e->r->vars->len);
    g_string_truncate(e->run, 0);
    e->run_number++;
}

// Once no lane is left, nothing more may be read for them.
void rewrite_look_for_lanes(struct emitter *e)
{
    const int top = e->masks[e->depth - 1];
    bool is_kept = top == 0;
    if (!e->has_left) return;
    e->has_left = false;
    for (int i = 0; i < e->kept_count; i++) is_kept |= e->kept[i] == top;
    if (is_kept)
        g_string_append_printf(e->region, "if (!emulator_m%d) goto emulator_region%d;\n", top,
                               e->region_number);
    else
        g_string_append_printf(e->region, "if (!emulator_m%d) goto emulator_end%d;\n", top, top);
    if (is_kept)
        e->region_left = true;
    else
        g_array_append_val(e->ends, top);
}

void rewrite_close_scope(struct emitter *e, GString *to, int mask)
{
    bool is_used = false;
    for (guint i = 0; i < e->ends->len; i++) is_used |= g_array_index(e->ends, int, i) == mask;
    g_string_append(to, "}\n");
    if (is_used) g_string_append_printf(to, "emulator_end%d:;\n", mask);
}

void rewrite_flush_run(struct emitter *e)
{
    if (!e->run->len) return;
    const bool has_loads = e->loads->len > 0;
    if (has_loads) rewrite_place_checks(e);
    const int number = e->run_number;
    rewrite_write_rows(e);
    g_string_append_printf(e->region, "emulator_lanes(emulator_s, emulator_m%d, ",
                           e->masks[e->depth - 1]);
    if (has_loads) g_string_append_printf(e->region, "emulator_inside%d, ", number);
    rewrite_write_lambda(e, e->region, has_loads);
    g_string_append(e->region, ");\n");
    g_array_set_size(e->loads, 0);
    rewrite_look_for_lanes(e);
}

void rewrite_flush_region(struct emitter *e)
{
    rewrite_flush_run(e);
    if (!e->region->len) return;
    close_over(e, e->in_region);
    g_autoptr(GString) rows = g_string_new(NULL);
    for (guint i = 0; i < e->r->vars->len; i++) {
        const struct var *const v = rewrite_var(e->r, (int)i);
        if (e->in_region[i] && v->kind == VAR_ROW && v->block->has_barrier)
            rewrite_write_row(e, rows, v);
    }
    g_string_append(e->out, "for (emulator_strip emulator_s(blockDim); emulator_s.next();) {\n"
                            "const uint3 threadIdx = emulator_s.first();\n(void)threadIdx;\n");
    for (int i = 0; i < e->kept_count; i++)
        g_string_append_printf(e->out,
                               "unsigned emulator_m%d = emulator_live%d[emulator_s.number];\n",
                               e->kept[i], e->kept[i]);
    if (e->kept_count)
        g_string_append_printf(e->out, "if (!emulator_m%d) continue;\n", e->masks[e->depth - 1]);
    if (!e->kept_count) g_string_append_printf(e->out, "unsigned emulator_m0 = emulator_s.all;\n");
    if (e->region_left) g_string_append(e->out, "{\n");
    g_string_append(e->out, rows->str);
    g_string_append(e->out, e->region->str);
    if (e->region_left)
        g_string_append_printf(e->out, "}\nemulator_region%d:;\n", e->region_number);
    for (int i = 0; i < e->kept_count; i++)
        g_string_append_printf(e->out, "emulator_live%d[emulator_s.number] = emulator_m%d;\n",
                               e->kept[i], e->kept[i]);
    g_string_append(e->out, "}\n");
    const int top = e->masks[e->depth - 1];
    if (e->region_left && e->kept_count) {
        g_string_append_printf(e->out, "if (!emulator_any(emulator_live%d, blockDim)) ", top);
        if (top)
            g_string_append_printf(e->out, "goto emulator_end%d;\n", top);
        else
            g_string_append(e->out, "return;\n");
        if (top) g_array_append_val(e->ends, top);
    }
    e->region_left = false;
    g_string_truncate(e->region, 0);
    memset(e->in_region, 0, e->r->vars->len);
    e->region_number++;
}

GString *rewrite_level(struct emitter *e, enum context context)
{
    if (context == IN_BLOCK) rewrite_flush_region(e);
    if (context == IN_STRIP) rewrite_flush_run(e);
    return context == IN_BLOCK ? e->out : context == IN_STRIP ? e->region : e->run;
}

void rewrite_open_mask(struct emitter *e, int number)
{
    if (e->depth == MOST_MASKS) {
        rewrite_refuse(e->r, "too deep");
        return;
    }
    e->masks[e->depth++] = number;
}

void rewrite_write_leave(struct emitter *e, int from)
{
    e->has_left = true;
    g_string_append(e->run, "{ ");
    for (int i = from; i < e->depth; i++)
        g_string_append_printf(e->run, "emulator_m%d &= ~(1u << emulator_lane); ", e->masks[i]);
    g_string_append(e->run, "return; }\n");
}

bool rewrite_is_common_change(const struct emitter *e, const struct node *n, struct range range)
{
    for (guint k = 0; k < e->r->changes->len; k++) {
        const struct change *const c = &g_array_index(e->r->changes, struct change, k);
        if (c->node != n || !c->is_whole) continue;
        const struct var *const v = rewrite_var(e->r, c->var);
        bool is_here = false;
        for (guint i = range.from; i < range.to; i++)
            is_here |= rewrite_word(e->r, i)->var == c->var;
        if (is_here && c->at >= range.from && c->at < range.to && !rewrite_is_local(v) &&
            (v->kind == VAR_UNIFORM || v->kind == VAR_ROW) && !v->is_shared)
            return true;
    }
    return false;
}

bool rewrite_can_jam(const struct emitter *e, const struct node *n, const struct node *body)
{
    struct range bound;
    bool is_less;
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
