// The three texts of a kernel: a run becomes a lambda for one lane, and a region a loop over
// strips, with masks of the lanes that have not left.
#include "device/cpu/rewrite_parts.h"

void rewrite_write_row(struct emitter *e, GString *to, const struct var *v)
{
    rewrite_write(e, to, IN_STRIP, "%s %s_0 = %w", v->type, v->shown, v->init);
    if (v->block->has_barrier && v->is_changed) g_string_append_printf(to, " + %s_by", v->shown);
    g_string_append(to, ";\n");
}

// Also marks the variables from which the marked ones are computed.
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

void rewrite_write_lambda(struct emitter *e, GString *to)
{
    g_string_append(to, "[&](const unsigned emulator_lane, const uint3 threadIdx, "
                        "auto emulator_inside) EMULATOR_INSIDE {\n"
                        "(void)emulator_lane, (void)threadIdx, (void)emulator_inside;\n");
    if (e->r->root->has_barrier)
        g_string_append(to, "const long emulator_at = (int)emulator_s.at + (int)emulator_lane;\n"
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

void rewrite_look_for_lanes(struct emitter *e)
{
    const int top = e->masks[e->depth - 1];
    bool is_kept = top == 0;
    if (!e->has_left) return;
    e->has_left = false;
    for (int i = 0; i < e->kept_count; i++) is_kept |= e->kept[i] == top;
    g_string_append_printf(e->region, "if (!emulator_m%d) goto emulator_%s%d;\n", top,
                           is_kept ? "region" : "end", is_kept ? e->region_number : top);
    e->region_left |= is_kept;
    if (!is_kept) g_array_append_val(e->ends, top);
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
    const int mask = e->masks[e->depth - 1];
    rewrite_write_loads(e);
    g_string_append_printf(e->region, "emulator_lanes(emulator_s, emulator_m%d, ", mask);
    if (e->loads->len)
        g_string_append_printf(e->region, "emulator_inside%d, ", e->run_number);
    else
        g_string_append(e->region, "true, ");
    rewrite_write_lambda(e, e->region);
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
    g_string_append(
        e->out, "for (emulator_strip<EMULATOR_LANES> emulator_s(blockDim); emulator_s.next();) {\n"
                "const uint3 threadIdx = emulator_s.thread(0);\n(void)threadIdx;\n");
    for (int i = 0; i < e->kept_count; i++)
        g_string_append_printf(e->out,
                               "unsigned emulator_m%d = emulator_live%d[emulator_s.number];\n",
                               e->kept[i], e->kept[i]);
    const int top = e->masks[e->depth - 1];
    if (e->kept_count)
        g_string_append_printf(e->out, "if (!emulator_m%d) continue;\n", top);
    else
        g_string_append(e->out, "unsigned emulator_m0 = emulator_s.all;\n");
    g_string_append_printf(e->out, "%s%s%s", e->region_left ? "{\n" : "", rows->str,
                           e->region->str);
    if (e->region_left)
        g_string_append_printf(e->out, "}\nemulator_region%d:;\n", e->region_number);
    for (int i = 0; i < e->kept_count; i++)
        g_string_append_printf(e->out, "emulator_live%d[emulator_s.number] = emulator_m%d;\n",
                               e->kept[i], e->kept[i]);
    g_string_append(e->out, "}\n");
    if (e->region_left && e->kept_count) {
        g_string_append_printf(
            e->out, "if (!emulator_any<EMULATOR_LANES>(emulator_live%d, blockDim)) ", top);
        g_string_append_printf(e->out, top ? "goto emulator_end%d;\n" : "return;\n", top);
        if (top) g_array_append_val(e->ends, top);
    }
    e->region_left = e->is_left = false;
    g_string_truncate(e->region, 0);
    memset(e->in_region, 0, e->r->vars->len);
    e->region_number++;
}

GString *rewrite_text_of(struct emitter *e, enum context context)
{
    return context == IN_BLOCK ? e->out : context == IN_STRIP ? e->region : e->run;
}

GString *rewrite_level(struct emitter *e, enum context context)
{
    if (context == IN_BLOCK) rewrite_flush_region(e);
    if (context == IN_STRIP) rewrite_flush_run(e);
    return rewrite_text_of(e, context);
}

void rewrite_open_mask(struct emitter *e, int number)
{
    if (e->depth == MOST_MASKS) {
        rewrite_refuse(e->r, "too deep");
        return;
    }
    e->masks[e->depth++] = number;
}

void rewrite_write_leave(struct emitter *e, const struct node *n, int from)
{
    const int top = e->masks[e->depth - 1];
    e->is_left = true;
    if (!n->parent->is_split) {
        g_string_append(e->run, "{ ");
        for (int i = from; i < e->depth; i++)
            g_string_append_printf(e->run, "emulator_m%d &= ~(1u << emulator_lane); ", e->masks[i]);
        g_string_append(e->run, "return; }\n");
        e->has_left = true;
        return;
    }
    rewrite_flush_run(e);
    for (int i = from; i < e->depth - 1; i++)
        g_string_append_printf(e->region, "emulator_m%d &= ~emulator_m%d;\n", e->masks[i], top);
    const struct node *const around = n->parent->parent;
    if (around && around->is_masked && !around->is_uniform && !n->next)
        return;  // the present mask ends here
    g_string_append_printf(e->region, "emulator_m%d = 0;\n", top);
    e->has_left = true;
    rewrite_look_for_lanes(e);
}
