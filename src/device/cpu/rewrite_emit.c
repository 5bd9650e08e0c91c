// Writes statements: around runs and regions go uniform statements, loops and conditions that
// strips run together, functions that wait, and exchanges between lanes.
#include "device/cpu/rewrite_parts.h"

static void emit(struct emitter *e, struct node *n);

// The text that a statement belongs to.
static enum context context_of(const struct node *n)
{
    return n->has_barrier ? IN_BLOCK : n->is_split ? IN_STRIP : IN_LANE;
}

static void write_declaration(struct emitter *e, GString *to, const struct var *v,
                              enum context context)
{
    const char *const head = v->is_constexpr                 ? "constexpr "
                             : v->is_const && !v->is_pointer ? "const "
                                                             : "";
    rewrite_write(e, to, context, "%s%s%s %s%n", head, v->type,
                  v->is_const && v->is_pointer ? " const" : "", v->shown, v);
    if (v->has_init) rewrite_write(e, to, context, "%s%w", v->is_list ? " " : " = ", v->init);
    g_string_append(to, ";\n");
}

static void declare(struct emitter *e, struct node *n)
{
    static const char numbers[] = "^(u?int|unsigned|float|double|long|bool|short|char|size_t)";
    struct var *const v = rewrite_var(e->r, n->var);
    const enum context around = context_of(n->parent);
    const bool is_block = around == IN_BLOCK;
    if (around == IN_LANE) {
        write_declaration(e, e->run, v, IN_LANE);
    } else if (v->kind == VAR_UNIFORM) {
        // Threads that have left would not compute it.
        const bool has_left = is_block ? e->is_left : e->has_left;
        const bool is_early = !v->has_init || (rewrite_is_pure(e->r, v->init) &&
                                               !(has_left && rewrite_may_fault(e->r, v->init)));
        const bool was_const = v->is_const;
        // Pending text may change the initializer's variables, so it comes first.
        GString *const to = is_early ? rewrite_text_of(e, around) : rewrite_level(e, around);
        v->is_const = was_const && (!v->is_changed || (is_early && e->is_dry));
        write_declaration(e, to, v, around);
        v->is_const = was_const;
    } else if (v->kind == VAR_ROW) {
        if (is_block && v->is_changed)
            g_string_append_printf(e->out, "%s %s_by = 0;\n", v->is_pointer ? "long" : v->type,
                                   v->shown);
        if (!is_block) rewrite_write_row(e, e->region, v);
    } else if (v->kind == VAR_LANE) {
        if (v->is_auto) rewrite_refuse(e->r, "an auto variable that is kept");
        rewrite_note_use(e, v);
        if (!v->has_runs && !v->has_regions) {
            write_declaration(e, e->run, v, IN_LANE);
            return;
        }
        GString *const to = v->has_regions ? e->out : e->region;
        const bool is_large = rewrite_is_array(v) ||
                              (!v->is_pointer && !g_regex_match_simple(numbers, v->type, 0, 0));
        // Arrays and structs for all lanes may not fit on the stack.
        rewrite_write(e, to, v->has_regions ? IN_BLOCK : IN_STRIP, "%s%s %s[%s]%n;\n",
                      is_large ? "static __thread " : "", v->type, v->shown,
                      v->has_regions ? "EMULATOR_STRIPS" : "EMULATOR_LANES", v);
        if (!v->has_init && rewrite_type_facts(e->r, v, IS_MADE) & IS_MADE)
            rewrite_write(e, e->run, IN_LANE,
                          "if constexpr (!__is_trivially_constructible(%s)) {\n%s emulator_new%n;\n"
                          "__builtin_memcpy(&%v, &emulator_new, sizeof emulator_new);\n}\n",
                          v->type, v->type, v, n->var);
        if (!v->has_init) return;
        const bool is_whole =
            rewrite_is_array(v) || v->is_list || rewrite_is(e->r, v->init.from, "{");
        if (is_whole)
            rewrite_write(e, e->run, IN_LANE,
                          "{\nconst %s emulator_new%n%s%w;\n"
                          "__builtin_memcpy(&%v, &emulator_new, sizeof emulator_new);\n}\n",
                          v->type, v, v->is_list ? " " : " = ", v->init, n->var);
        else
            rewrite_write(e, e->run, IN_LANE, "%v = %w;\n", n->var, v->init);
    }
}

static void declare_shared(struct emitter *e, const struct var *v, enum context around)
{
    GString *const to = rewrite_text_of(e, around);
    const struct range all = v->dimensions, sides = {MIN(all.from + 2, all.to), all.to};
    if (v->is_dynamic)  // a pointer to the start of the block's
        rewrite_write(e, to, around,
                      "%s (*const %s)%w = (%s (*)%w)EMULATOR_TILE_START;\n(void)%s;\n", v->type,
                      v->shown, sides, v->type, sides, v->shown);
    else if (v->has_twins || v->twin >= 0)
        g_string_append_printf(to, "auto &%s = emulator_of_%s;\n", v->shown,
                               v->twin < 0 ? v->shown : rewrite_var(e->r, v->twin)->shown);
    else
        rewrite_write(e, to, around,
                      "EMULATOR_FAST_SHARED %s emulator_of_%s%n;\nauto &%s = emulator_of_%s;\n",
                      v->type, v->shown, v, v->shown, v->shown);
}

static void emit_children(struct emitter *e, struct node *first)
{
    for (struct node *child = first; child && !e->r->why_not; child = child->next) emit(e, child);
}

// Writes a mask of the lanes for which a condition holds.
static void write_mask(struct emitter *e, struct range condition)
{
    g_string_append_printf(e->region, "emulator_mask(emulator_s, emulator_m%d, ",
                           e->masks[e->depth - 1]);
    e->is_mask = true;
    rewrite_write(e, e->run, IN_LANE, "return %w;\n", condition);
    e->is_mask = false;
    rewrite_write_lambda(e, e->region);
    g_string_append(e->region, ")");
}

static bool is_of_split_loop(const struct node *n)
{
    return *n->name == 'c' && n->loop->kind == NODE_LOOP && n->loop->is_split;
}

static void emit_if(struct emitter *e, struct node *n)
{
    struct node *const other = n->first->next;
    if (n->is_split && !n->is_uniform) {
        const int then = ++e->mask_number, rest = ++e->mask_number;
        rewrite_flush_run(e);
        g_string_append_printf(e->region, "{\nunsigned emulator_m%d = ", then);
        write_mask(e, n->condition);
        if (other)
            g_string_append_printf(e->region, ", emulator_m%d = emulator_m%d & ~emulator_m%d", rest,
                                   e->masks[e->depth - 1], then);
        g_string_append(e->region, ";\n");
        for (int side = 0; side < (other ? 2 : 1); side++) {
            const int mask = side ? rest : then;
            g_string_append_printf(e->region, "if (emulator_m%d) {\n{\n", mask);
            rewrite_open_mask(e, mask);
            emit_children(e, side ? other->first : n->first->first);
            rewrite_flush_run(e);
            e->depth--;
            rewrite_close_scope(e, e->region, mask);
            g_string_append(e->region, "}\n");
        }
        g_string_append(e->region, "}\n");
        e->has_left = n->has_return || n->has_continue;
        rewrite_look_for_lanes(e);
    } else {
        const enum context context = context_of(n);
        GString *const to = rewrite_level(e, context);
        rewrite_write(e, to, context, "%s (%w) {\n", n->name, n->condition);
        emit_children(e, n->first->first);
        rewrite_level(e, context);
        g_string_append(to, "}\n");
        if (!other) return;
        g_string_append(to, "else {\n");
        emit_children(e, other->first);
        rewrite_level(e, context);
        g_string_append(to, "}\n");
    }
}

// Writes one half of a loop's step: with is_lane what each lane does by itself, at the body's end;
// else what all threads do alike.
static void write_step(struct emitter *e, const struct node *n, GString *to, enum context context,
                       bool is_lane)
{
    bool is_next = false;
    for (guint at = n->step.from; at < n->step.to;) {
        const guint end = rewrite_find(e->r, at, n->step.to, ",");
        const struct range part = {at, end};
        if (rewrite_is_common_change(e, n, part) != is_lane) {
            rewrite_write(e, to, context, "%s%w%s", is_next && !is_lane ? ", " : "", part,
                          is_lane ? ";\n" : "");
            is_next = true;
        }
        at = end + 1;
    }
}

// Opens a copy of the mask, which may lose lanes for a while; returns its index in masks.
static int open_copy(struct emitter *e, GString *to, bool is_block)
{
    const int mask = ++e->mask_number, before = e->masks[e->depth - 1];
    if (is_block) {
        g_string_append_printf(to,
                               "unsigned emulator_live%d[EMULATOR_STRIPS];\n"
                               "__builtin_memcpy(emulator_live%d, emulator_live%d, sizeof "
                               "emulator_live%d);\n",
                               mask, mask, before, mask);
        e->kept[e->kept_count++] = mask;
    } else {
        g_string_append_printf(to, "unsigned emulator_m%d = emulator_m%d;\n", mask, before);
    }
    g_string_append(to, "{\n");
    rewrite_open_mask(e, mask);
    return e->depth - 1;
}

static void close_copy(struct emitter *e, GString *to, bool is_block)
{
    const int mask = e->masks[--e->depth];
    e->kept_count -= is_block;
    rewrite_close_scope(e, to, mask);
    e->has_left = !is_block;
    if (!is_block) rewrite_look_for_lanes(e);
}

// Writes do, switch, case, break and continue.
static void emit_other(struct emitter *e, struct node *n)
{
    GString *const to = e->run;
    if (!strcmp(n->name, "case")) {
        rewrite_write(e, to, IN_LANE, "%w:\n", n->words);
    } else if (!strcmp(n->name, "enum")) {
        rewrite_write(e, rewrite_text_of(e, context_of(n->parent)), context_of(n->parent), "%w;\n",
                      n->words);
    } else if (!n->first && is_of_split_loop(n)) {
        rewrite_write_leave(e, n, n->loop->mask);
    } else if (!n->first) {
        g_string_append_printf(to, "%s;\n", n->name);
    } else if (!strcmp(n->name, "do")) {
        g_string_append(to, "do ");
        emit(e, n->first);
        rewrite_write(e, to, IN_LANE, "while (%w);\n", n->condition);
    } else {
        rewrite_write(e, to, IN_LANE, "switch (%w) ", n->condition);
        emit(e, n->first);
    }
}

// The outermost loop of a strip is written once and compiled twice: where all lanes take part and
// stay inside the picture, what they sum up stays in registers.
static bool is_nest(const struct emitter *e, const struct node *n)
{
    return n->is_uniform && !e->loop_count && !n->has_barrier && !n->has_warp && !n->has_return &&
           !n->has_break && !n->has_continue;
}

static void open_nest(struct emitter *e, const struct node *n)
{
    g_string_append_printf(e->region, "const auto emulator_nest = [&](const unsigned emulator_m%d",
                           e->masks[e->depth - 1]);
    rewrite_write_flags(e, n, ", const bool emulator_inside%d");
    g_string_append(e->region, ") EMULATOR_INSIDE {\n");
}

static void close_nest(struct emitter *e, const struct node *n)
{
    const int mask = e->masks[e->depth - 1];
    g_string_append_printf(e->region, "};\nif (emulator_m%d == emulator_s.full", mask);
    rewrite_write_flags(e, n, " && emulator_inside%d");
    g_string_append(e->region, ") emulator_nest(emulator_s.full");
    rewrite_write_flags(e, n, ", true");
    g_string_append_printf(e->region, ");\nelse emulator_nest(emulator_m%d", mask);
    rewrite_write_flags(e, n, ", emulator_inside%d");
    g_string_append(e->region, ");\n");
}

static void emit_loop(struct emitter *e, struct node *n)
{
    struct node *body = n->first;
    const enum context context = context_of(n);
    const bool has_nest = is_nest(e, n);
    GString *const to = rewrite_level(e, context);
    g_string_append(to, "{\n");
    for (int i = 0; i < n->declares; i++, body = body->next) emit(e, body);
    rewrite_level(e, context);
    int mask = 0;
    if (!n->is_split) {
        if (n->pragma) g_string_append_printf(to, "\n%s\n", n->pragma);
        rewrite_write(e, to, IN_LANE, "for (; %w; %w) ", n->condition, n->step);
        emit(e, body);
        g_string_append(to, "}\n");
        return;
    }
    if (n->is_uniform) {
        if (!n->has_barrier) rewrite_write_loop_checks(e, n);
        if (has_nest) open_nest(e, n);
        if (rewrite_can_jam(e, n, body)) rewrite_write_jam(e, n, body);
        rewrite_write(e, to, context, "for (; %w", n->condition);
    } else {
        mask = ++e->mask_number;
        g_string_append_printf(to, "unsigned emulator_m%d = emulator_m%d;\nfor (;", mask,
                               e->masks[e->depth - 1]);
        rewrite_open_mask(e, mask);
    }
    g_string_append(to, "; ");
    write_step(e, n, to, context, false);
    g_string_append(to, ") {\n");
    if (!n->is_uniform) {
        g_string_append_printf(to, "emulator_m%d = ", mask);
        write_mask(e, n->condition);
        g_string_append_printf(to, ";\nif (!emulator_m%d) break;\n{\n", mask);
    }
    const int loops = e->loop_count;
    if (n->has_barrier || !n->is_uniform || e->loop_count == MOST_MASKS)
        e->loop_count = 0;
    else
        e->loops[e->loop_count++] = n;
    if (n->has_continue) n->mask = open_copy(e, to, n->has_barrier);
    e->is_reading = rewrite_can_jam(e, n, body) && rewrite_is_accumulating(e, body);
    emit_children(e, body->first);
    rewrite_level(e, context);
    e->is_reading = false;
    if (n->has_continue) close_copy(e, to, n->has_barrier);
    if (!n->is_uniform) rewrite_close_scope(e, to, mask);
    write_step(e, n, e->run, IN_LANE, true);
    rewrite_level(e, context);
    e->loop_count = loops;
    if (!n->is_uniform) e->depth--;
    g_string_append(to, "}\n");
    if (has_nest) close_nest(e, n);
    g_string_append(to, "}\n");
    e->has_left = n->has_return && !n->has_barrier;
    if (!n->has_barrier) rewrite_look_for_lanes(e);
}

static void emit_exchange(struct emitter *e, const struct node *n)
{
    rewrite_flush_run(e);
    if (!n->exchange->take) return;
    const int lanes = e->masks[e->depth - 1];
    if (n->exchange->is_vote) {
        g_string_append_printf(e->region, "const emulator_vote emulator_x%d = {emulator_m%d, ",
                               n->order, lanes);
        write_mask(e, n->parts[1]);
        g_string_append(e->region, "};\n");
        return;
    }
    g_string_append_printf(e->region, "emulator_exchange emulator_x%d;\n", n->order);
    rewrite_write(e, e->run, IN_LANE,
                  "emulator_x%d.put(emulator_lane, "
                  "(emulator_scalar<decltype(emulator_value(%w))>)(%w));\n",
                  n->order, n->parts[1], n->parts[1]);
    rewrite_flush_run(e);
    g_string_append_printf(e->region, "emulator_x%d.lanes = emulator_m%d;\n", n->order, lanes);
}

static void emit(struct emitter *e, struct node *n)
{
    const enum context around = n->parent ? context_of(n->parent) : IN_BLOCK;
    switch (n->kind) {
    case NODE_BARRIER:
        rewrite_flush_region(e);
        break;
    case NODE_SHARED:
        declare_shared(e, rewrite_var(e->r, n->var), around);
        break;
    case NODE_DECLARE:
        declare(e, n);
        break;
    case NODE_EXPRESSION: {
        const bool is_common = rewrite_is_common_change(e, n, n->words);
        GString *const to = is_common ? rewrite_level(e, around) : e->run;
        rewrite_write(e, to, is_common ? around : IN_LANE, "%w;\n", n->words);
        break;
    }
    case NODE_IF:
        emit_if(e, n);
        break;
    case NODE_LOOP:
        emit_loop(e, n);
        break;
    case NODE_EXCHANGE:
        emit_exchange(e, n);
        break;
    case NODE_BLOCK:
    case NODE_FUNCTION: {
        const bool may_return = n->kind == NODE_FUNCTION && n->has_return;
        const int base = e->base;
        GString *const to = rewrite_level(e, context_of(n));
        g_string_append(to, "{\n");
        if (may_return) e->base = open_copy(e, to, n->has_barrier);
        emit_children(e, n->first);
        rewrite_level(e, context_of(n));
        if (may_return) close_copy(e, to, n->has_barrier);
        e->base = base;
        g_string_append(to, "}\n");
        break;
    }
    case NODE_OTHER:
        emit_other(e, n);
        break;
    case NODE_RETURN:
        rewrite_write_leave(e, n, e->base);
        break;
    }
}

// Copies the parameters that the kernel changes.
static void emit_parameters(struct emitter *e)
{
    const struct node *const root = e->r->root;
    for (guint i = 0; i < e->r->vars->len; i++) {
        struct var *const v = rewrite_var(e->r, (int)i);
        if (v->home || (!v->is_changed && !v->is_exposed)) continue;
        g_autofree char *shown = g_strconcat(v->name, "_own", NULL);
        v->shown = g_string_chunk_insert(e->r->strings, shown);
        if (v->kind == VAR_UNIFORM) {
            g_string_append_printf(root->has_barrier ? e->out : e->region, "auto %s = %s;\n",
                                   v->shown, v->name);
            continue;
        }
        rewrite_note_use(e, v);
        GString *const to = v->has_regions ? e->out : e->region;
        if (v->has_regions || v->has_runs)
            g_string_append_printf(to, "decltype(emulator_value(%s)) %s[%s];\n", v->name, v->shown,
                                   v->has_regions ? "EMULATOR_STRIPS" : "EMULATOR_LANES");
        else
            g_string_append(e->run, "auto ");
        rewrite_write(e, e->run, IN_LANE, "%v = %s;\n", (int)i, v->name);
    }
}

static char *write_body(struct rewriter *r, bool is_dry)
{
    struct emitter e = {.r = r,
                        .out = g_string_new(NULL),
                        .region = g_string_new(NULL),
                        .run = g_string_new(NULL),
                        .is_dry = is_dry,
                        .loads = g_array_new(FALSE, FALSE, sizeof(struct load)),
                        .indices = g_array_new(FALSE, FALSE, sizeof(struct load)),
                        .ends = g_array_new(FALSE, FALSE, sizeof(int)),
                        .in_run = g_new0(guint8, r->vars->len + 1),
                        .in_region = g_new0(guint8, r->vars->len + 1),
                        .jam_var = -1,
                        .run_number = 1,
                        .region_number = 1,
                        .depth = 1};
    for (guint i = 0; i < r->vars->len; i++) {
        const struct var *const v = rewrite_var(r, (int)i);
        if (v->has_twins)
            rewrite_write(&e, e.out, IN_BLOCK, "EMULATOR_FAST_SHARED %s emulator_of_%s%n;\n",
                          v->type, v->shown, v);
    }
    for (guint i = 0; i < r->nodes->len && r->root->has_barrier; i++) {
        const struct node *const n = g_ptr_array_index(r->nodes, i);
        e.kept_count |= n->has_continue || n->has_return;
    }
    if (e.kept_count)
        g_string_append(
            e.out, "unsigned emulator_live0[EMULATOR_STRIPS];\n"
                   "for (emulator_strip<EMULATOR_LANES> emulator_s(blockDim); emulator_s.next();)\n"
                   "emulator_live0[emulator_s.number] = emulator_s.all;\n");
    emit_parameters(&e);
    emit_children(&e, r->root->first);
    rewrite_flush_region(&e);
    g_string_free(e.region, TRUE);
    g_string_free(e.run, TRUE);
    g_array_free(e.loads, TRUE);
    g_array_free(e.indices, TRUE);
    g_array_free(e.ends, TRUE);
    g_free(e.in_run);
    g_free(e.in_region);
    return g_string_free(e.out, FALSE);
}

char *rewrite_write_kernel(struct rewriter *r)
{
    for (bool is_changed = true; is_changed && !r->why_not;) {
        for (guint i = 0; i < r->vars->len; i++) {
            struct var *const v = rewrite_var(r, (int)i);
            v->run = v->region = 0;
            v->has_runs = v->has_regions = false;
        }
        g_array_set_size(r->checks, 0);
        rewrite_flow(r);
        if (r->why_not) break;
        g_free(write_body(r, true));
        is_changed = false;
        // The dry pass may find that a variable needs another kind.
        for (guint i = 0; i < r->vars->len; i++) {
            struct var *const v = rewrite_var(r, (int)i);
            if (v->kind != VAR_ROW || !v->has_regions || v->must_be_lane) continue;
            for (const struct change *c = NULL; (c = rewrite_next_change(r, (int)i, c));)
                if (!rewrite_level_of(c)->has_barrier) v->must_be_lane = is_changed = true;
        }
    }
    rewrite_keep_targets(r);
    rewrite_look_for_names(r);
    return r->why_not ? NULL : write_body(r, false);
}
