// Writes expressions as they stand in the kernel, except for variables: one is written as itself,
// as its value in the strip's first thread, or as an element of an array.
#include "device/cpu/rewrite_parts.h"

#include <stdarg.h>

void rewrite_note_use(struct emitter *e, struct var *v)
{
    if (!e->is_dry) return;
    if (v->run && v->run != e->run_number) v->has_runs = true;
    if (v->region && v->region != e->region_number) v->has_regions = true;
    v->run = e->run_number;
    v->region = e->region_number;
}

static void write_var(struct emitter *e, GString *to, int index, enum context context)
{
    struct var *const v = rewrite_var(e->r, index);
    const bool is_lane = v->kind == VAR_LANE && !rewrite_is_local(v) && !v->is_shared;
    if (is_lane && context != IN_LANE)
        rewrite_refuse(e->r, "a value of one thread where all need one");
    if (v->kind == VAR_AGAIN && context != IN_LANE)
        rewrite_refuse(e->r, "a value of one thread where all need one");
    if (is_lane || v->kind == VAR_ROW) rewrite_note_use(e, v);
    if (v->kind == VAR_ROW || v->kind == VAR_AGAIN) {
        if (context == IN_LANE) e->in_run[index] = 1;
        e->in_region[index] = 1;
    }
    if (index == e->jam_var && e->jam) {
        g_string_append_printf(to, "(%s + %d)", v->shown, e->jam);
        return;
    }
    g_string_append(to, v->shown);
    if (v->kind == VAR_ROW && !rewrite_is_local(v) && context != IN_LANE)
        g_string_append(to, context == IN_BLOCK ? "_by" : "_0");
    if (is_lane && v->has_regions)
        g_string_append(to, "[emulator_at]");
    else if (is_lane && v->has_runs)
        g_string_append(to, "[emulator_lane]");
}

static void write_exchange(struct emitter *e, GString *to, const struct node *n,
                           enum context context)
{
    const bool is_vote = n->exchange->is_vote;
    if (is_vote)
        rewrite_write(e, to, context, "emulator_x%d.%s(%w", n->order, n->exchange->take,
                      n->parts[0]);
    else
        rewrite_write(e, to, context,
                      "emulator_x%d.template %s<emulator_scalar<decltype(emulator_value(%w))>>"
                      "(emulator_lane, %w",
                      n->order, n->exchange->take, n->parts[1], n->parts[0]);
    for (int k = 2; k < 4 && !is_vote; k++)
        if (n->parts[k].to > n->parts[k].from) rewrite_write(e, to, context, ", %w", n->parts[k]);
    g_string_append(to, ")");
}

// Writes [index] as the index of the strip's first thread plus a multiple of the lane. Otherwise
// the compiler must assume that blockIdx.x * blockDim.x + threadIdx.x, which is unsigned, may wrap
// to 0.
static bool write_index(struct emitter *e, GString *to, guint open, guint behind)
{
    const struct rewriter *const r = e->r;
    const struct load index = {.x = {open + 1, behind - 1}, .jam = e->jam};
    const int step = rewrite_step(r, index.x);
    if (e->is_mask || step == NOT_LINEAR || step == 0 || !rewrite_is_pure(r, index.x) ||
        rewrite_may_fault(r, index.x) || index.x.to == index.x.from + 1)
        return false;
    g_array_append_val(e->indices, index);
    g_string_append_printf(to, "[emulator_i%d_%u + %d * (int)emulator_lane]", e->run_number,
                           e->indices->len - 1, step);
    return true;
}

// Reads a load of the picture whose place is known before the run. False: it is no such load.
static bool read_load(const struct emitter *e, guint i, guint to, struct load *load)
{
    const struct rewriter *const r = e->r;
    guint at = i + 2;
    struct range parts[3];
    if (e->is_mask || (!rewrite_is(r, i, "load") && !rewrite_is(r, i, "fetch"))) return false;
    if (rewrite_word(r, i)->var >= 0 || !rewrite_is(r, i + 1, "(")) return false;
    const guint close = rewrite_behind(r, i + 1, to) - 1;
    for (int k = 0; k < 3; k++) {
        parts[k].from = at;
        parts[k].to = rewrite_find(r, at, close, ",");
        at = parts[k].to + 1;
    }
    const int picture = parts[0].to == parts[0].from + 1 ? rewrite_word(r, parts[0].from)->var : -1;
    if (at <= close || picture < 0 || rewrite_var(r, picture)->kind != VAR_UNIFORM) return false;
    *load = (struct load){.picture = parts[0],
                          .x = parts[1],
                          .y = parts[2],
                          .run = e->run_number,
                          .step = rewrite_step(r, parts[1]),
                          .jam = e->jam};
    return (load->step == 0 || load->step == 1) && rewrite_step(r, parts[2]) == 0 &&
           rewrite_is_pure(r, parts[1]) && rewrite_is_pure(r, parts[2]) &&
           !rewrite_may_fault(r, parts[1]) && !rewrite_may_fault(r, parts[2]);
}

// Reads a load bytes[i] of neighbouring bytes, if nothing in the run writes to them.
static bool read_byte(const struct emitter *e, guint i, guint to, struct load *load)
{
    const struct rewriter *const r = e->r;
    const int index = rewrite_word(r, i)->var;
    if (!e->is_reading || e->is_mask || !rewrite_is(r, i + 1, "[")) return false;
    const struct var *const v = index >= 0 ? rewrite_var(r, index) : NULL;
    const guint behind = rewrite_behind(r, i + 1, to);
    const struct range place = {i + 2, behind - 1};
    const int step = rewrite_step(r, place);
    const struct cuda_tile *const tile =
        v ? NULL : rewrite_tile(r, rewrite_word(r, i)->text, rewrite_word(r, i)->length);
    const bool is_bytes =
        (tile && tile->is_of_bytes) ||
        (v && v->type && g_regex_match_simple("^(const )?unsigned char \\*$", v->type, 0, 0));
    if (!is_bytes || (v && v->kind != VAR_ROW && v->kind != VAR_UNIFORM) || (v && v->is_shared) ||
        !rewrite_is_pure(r, place) || rewrite_may_fault(r, place))
        return false;
    // Where it becomes an int: a call's argument would not.
    const char last = i > 0 ? *rewrite_word(r, i - 1)->text : ' ',
               next = behind < to ? *rewrite_word(r, behind)->text : ' ';
    if (!(last && strchr("+-*/%&|^<>=)", last)) && !(next && strchr("+-*/%&|^<>", next)))
        return false;
    *load = (struct load){.x = {i, behind}, .step = 1, .jam = e->jam, .is_byte = true};
    return step != NOT_LINEAR && step + (v && v->kind == VAR_ROW ? v->step : 0) == 1;
}

static void write_words(struct emitter *e, GString *to, struct range range, enum context context)
{
    const struct rewriter *const r = e->r;
    guint close = 0;  // the bracket that closes the load being written
    int step = 0;     // its step
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct function *const f = w->var < 0 ? rewrite_function(r, i) : NULL;
        const bool is_glued = i > range.from && w[-1].text + w[-1].length == w->text;
        struct load load;
        if (i > range.from && !is_glued) g_string_append_c(to, ' ');
        if (w->exchange >= 0) {
            write_exchange(e, to, g_ptr_array_index(r->nodes, (guint)w->exchange), context);
        } else if (context == IN_LANE && read_byte(e, i, range.to, &load)) {
            g_array_append_val(e->loads, load);
            e->is_reading = false;
            rewrite_write(e, to, context,
                          "(emulator_inside.value ? emulator_row%d_%d[emulator_lane] : %w)",
                          e->run_number, (int)e->loads->len - 1, load.x);
            e->is_reading = true;
            i = load.x.to - 1;
        } else if (context == IN_LANE && i > range.from && rewrite_is(r, i, "[") &&
                   write_index(e, to, i, rewrite_behind(r, i, range.to))) {
            i = rewrite_behind(r, i, range.to) - 1;
        } else if (w->var >= 0) {
            write_var(e, to, w->var, context);
        } else if (f && f->facts & USES_PLACE && f->item->kind == C_ITEM_FUNCTION) {
            const bool is_empty = rewrite_is(r, i + 2, ")");
            g_string_append_printf(to, "emulator_own_%.*s", (int)w->length, w->text);
            if (!rewrite_is(r, i + 1, "("))
                rewrite_refuse(e->r, "a function with a place, without arguments");
            g_string_append_printf(to, "(threadIdx, blockIdx, blockDim, gridDim%s",
                                   is_empty ? "" : ", ");
            i++;
        } else if (context == IN_LANE && read_load(e, i, range.to, &load)) {
            g_array_append_val(e->loads, load);
            step = load.step;
            g_string_append(to, "emulator_load");
            close = rewrite_behind(r, i + 1, range.to) - 1;
        } else {
            if (i == close && close) {
                g_string_append(to, ", emulator_inside");
                if (step)
                    g_string_append_printf(to, ", emulator_row%d_%u[emulator_lane]", e->run_number,
                                           e->loads->len - 1);
                close = 0;
            }
            g_string_append_len(to, w->text, w->length);
        }
    }
}

void rewrite_write(struct emitter *e, GString *to, enum context context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            g_string_append_c(to, *at);
        } else if (*++at == 'w') {
            write_words(e, to, va_arg(args, struct range), context);
        } else if (*at == 'v') {
            write_var(e, to, va_arg(args, int), context);
        } else if (*at == 'n') {
            const struct var *const v = va_arg(args, const struct var *);
            const struct range all = v->dimensions, init = v->init;
            const bool is_counted = all.to == all.from + 2 && init.to > init.from + 2;  // [] = {…}
            int count = 1;
            for (guint k = init.from;  // up to the brace and a last comma
                 is_counted && (k = rewrite_find(e->r, k + 1, init.to - 2, ",")) < init.to - 2;)
                count++;
            if (is_counted)
                g_string_append_printf(to, "[%d]", count);
            else
                write_words(e, to, all, context);
        } else if (*at == 'd') {
            g_string_append_printf(to, "%d", va_arg(args, int));
        } else {
            g_string_append(to, va_arg(args, const char *));
        }
    }
    va_end(args);
}

// ---- loads that a strip does at once ----
//
// Such a load reads a strip of neighbours in a row that all lie in the picture. Checks in front of
// the loops around it find that out from the loops' bounds.

// True if the words keep their value within the loop, apart from the loop's own variable.
static bool is_fixed_in(const struct emitter *e, struct range range, const struct node *loop)
{
    const struct rewriter *const r = e->r;
    for (guint i = range.from; i < range.to; i++) {
        const int index = rewrite_word(r, i)->var;
        if (index < 0 || (loop->first && index == loop->first->var)) continue;
        const struct var *const v = rewrite_var(r, index);
        if (v->home && rewrite_is_inside(v->home, loop)) return false;
        if (rewrite_is_changed_in(r, index, loop, 0)) return false;
    }
    return true;
}

bool rewrite_read_canonical(const struct emitter *e, const struct node *n, struct range *bound,
                            bool *is_less)
{
    const struct rewriter *const r = e->r;
    const struct range c = n->condition;
    if (!n->is_uniform || n->declares != 1 || n->first->kind != NODE_DECLARE) return false;
    const struct var *const v = rewrite_var(r, n->first->var);
    if (v->kind != VAR_UNIFORM || !v->has_init || !rewrite_is_pure(r, v->init) ||
        c.to < c.from + 3 || rewrite_word(r, c.from)->var != n->first->var ||
        !rewrite_is(r, c.from + 1, "<"))
        return false;
    *is_less = !rewrite_is(r, c.from + 2, "=");
    *bound = (struct range){c.from + 2 + !*is_less, c.to};
    int changes = 0;
    for (const struct change *change = NULL;
         (change = rewrite_next_change(r, n->first->var, change));) {
        if (++changes > 1 || change->mark != '+' || change->node != n) return false;
        if (change->by.to > change->by.from + 1) return false;
        if (change->by.to > change->by.from &&
            !g_ascii_isdigit(*rewrite_word(r, change->by.from)->text))
            return false;
    }
    for (guint i = bound->from; i < bound->to; i++)
        if (strchr("<>=&|?", *rewrite_word(r, i)->text)) return false;  // more than a bound
    return rewrite_is_pure(r, *bound) && is_fixed_in(e, *bound, n) && is_fixed_in(e, v->init, n);
}

// Writes the words with the variable of each of these loops at its lower or upper end.
static void write_corner(struct emitter *e, GString *to, struct range range,
                         struct node *const *loops, int count, unsigned corner)
{
    const struct rewriter *const r = e->r;
    for (guint i = range.from; i < range.to; i++) {
        int k = 0;
        while (k < count &&
               (rewrite_word(r, i)->var < 0 || loops[k]->first->var != rewrite_word(r, i)->var))
            k++;
        if (i > range.from) g_string_append_c(to, ' ');
        if (k == count) {
            write_words(e, to, (struct range){i, i + 1}, IN_STRIP);
            continue;
        }
        struct range bound;
        bool is_less;
        rewrite_read_canonical(e, loops[k], &bound, &is_less);
        const bool is_end = corner >> k & 1;
        rewrite_write(e, to, IN_STRIP, "(%w%s)",
                      is_end ? bound : rewrite_var(r, loops[k]->first->var)->init,
                      is_end && is_less ? " - 1" : "");
    }
}

static void write_check(struct emitter *e, GString *to, const struct load *load,
                        struct node *const *loops, int count)
{
    for (unsigned corner = 0; corner < 1u << count; corner++) {
        rewrite_write(e, to, IN_STRIP, "emulator_inside%d &= emulator_is_inside(%w, ", load->run,
                      load->picture);
        write_corner(e, to, load->x, loops, count, corner);
        g_string_append_printf(to, ", %s, ", load->step ? "(int)emulator_s.count - 1" : "0");
        write_corner(e, to, load->y, loops, count, corner);
        g_string_append(to, ");\n");
    }
}

// True if a place grows evenly with the variable of an open loop, so that it lies between its
// values at the loop's ends. Only the loops inside may change it, too, because the check knows
// their ends.
static bool can_hoist(const struct emitter *e, struct range range, int loop)
{
    struct var *const v = rewrite_var(e->r, e->loops[loop]->first->var);
    const struct var kept = *v;
    v->kind = VAR_ROW;
    v->step = 1;
    const bool is_even = rewrite_step(e->r, range) != NOT_LINEAR;
    *v = kept;
    if (!is_even) return false;
    for (guint i = range.from; i < range.to; i++) {
        bool is_inner = false;
        for (int k = loop; k < e->loop_count; k++)
            is_inner |= rewrite_word(e->r, i)->var == e->loops[k]->first->var;
        if (!is_inner && !is_fixed_in(e, (struct range){i, i + 1}, e->loops[loop])) return false;
    }
    return true;
}

// How many of the open loops, from the innermost outwards, the check can move in front of.
static int count_hoists(const struct emitter *e, const struct load *load)
{
    int count = 0;
    for (; count < MIN(e->loop_count, 2); count++) {
        const int at = e->loop_count - 1 - count;
        struct range bound;
        bool is_less;
        if (!rewrite_read_canonical(e, e->loops[at], &bound, &is_less) ||
            !can_hoist(e, load->x, at) || !can_hoist(e, load->y, at))
            break;
        const struct node *const inner = count ? e->loops[at + 1] : NULL;
        if (inner && (!rewrite_read_canonical(e, inner, &bound, &is_less) ||
                      !is_fixed_in(e, bound, e->loops[at]) ||
                      !is_fixed_in(e, rewrite_var(e->r, inner->first->var)->init, e->loops[at])))
            break;
    }
    return count;
}

// An inner loop is the first statement in its outer one.
void rewrite_write_loop_checks(struct emitter *e, struct node *n)
{
    struct node *loops[2] = {n, NULL};
    int before = -1;
    for (guint i = 0; i < e->r->checks->len && !e->is_dry; i++) {
        const struct load *const c = &g_array_index(e->r->checks, struct load, i);
        if (c->before != n) continue;
        if (c->run != before)
            g_string_append_printf(e->region, "bool emulator_inside%d = true;\n", c->run);
        before = c->run;
        int count = 1;
        for (int side = 0; side < 2; side++) {
            const struct range range = side ? c->y : c->x;
            for (guint w = range.from; w < range.to; w++) {
                const int var = rewrite_word(e->r, w)->var;
                const struct node *const home = var >= 0 ? rewrite_var(e->r, var)->home : NULL;
                if (!home || home->parent == n || !rewrite_is_inside(home, n)) continue;
                loops[1] = home->parent;
                count = 2;
            }
        }
        write_check(e, e->region, c, loops, count);
    }
}

void rewrite_write_flags(struct emitter *e, const struct node *n, const char *format)
{
    int before = -1;
    for (guint i = 0; i < e->r->checks->len && !e->is_dry; i++) {
        const struct load *const c = &g_array_index(e->r->checks, struct load, i);
        if (c->before != n || c->run == before) continue;
        before = c->run;
        g_string_append_printf(e->region, format, c->run);
    }
}

// Reads neighbouring pixels in advance if the whole strip is inside the picture.
void rewrite_write_loads(struct emitter *e)
{
    struct load *const loads = (struct load *)(void *)e->loads->data;
    int hoists = MOST_MASKS;
    bool is_any = false;
    for (guint i = 0; i < e->loads->len; i++)
        if (!loads[i].is_byte) hoists = MIN(hoists, count_hoists(e, &loads[i]));
    if (e->loads->len && (!hoists || hoists == MOST_MASKS))
        g_string_append_printf(e->region, "bool emulator_inside%d = true;\n", e->run_number);
    for (guint i = 0; i < e->loads->len; i++) {
        if (loads[i].is_byte) continue;
        struct node **const around = e->loops + e->loop_count - hoists;
        // Writing a check also marks the variables that it uses.
        g_autoptr(GString) unused = g_string_new(NULL);
        e->jam = hoists ? 0 : loads[i].jam;
        write_check(e, hoists ? unused : e->region, &loads[i], around, hoists);
        // A loop's rounds lie between its ends.
        if (!hoists || !e->is_dry || loads[i].jam) continue;
        loads[i].before = *around;
        g_array_append_val(e->r->checks, loads[i]);
    }
    for (guint i = 0; i < e->indices->len; i++) {
        const struct load *const index = &g_array_index(e->indices, struct load, i);
        e->jam = index->jam;
        rewrite_write(e, e->region, IN_STRIP, "const long emulator_i%d_%d = emulator_index(%w);\n",
                      e->run_number, (int)i, index->x);
    }
    g_array_set_size(e->indices, 0);
    e->jam = 0;
    for (guint i = 0; i < e->loads->len; i++) {
        if (!loads[i].step) continue;
        is_any = true;
        g_string_append_printf(e->region, "int emulator_row%d_%u[EMULATOR_LANES];\n", e->run_number,
                               i);
    }
    if (!is_any) return;
    g_string_append_printf(e->region,
                           "if (emulator_m%d == emulator_s.full && emulator_inside%d) {\n",
                           e->masks[e->depth - 1], e->run_number);
    for (guint i = 0; i < e->loads->len; i++) {
        const struct load *const load = &loads[i];
        if (!load->step) continue;
        e->jam = load->jam;
        rewrite_write(e, e->region, IN_STRIP, "emulator_read(emulator_row%d_%d, &", e->run_number,
                      (int)i);
        if (load->is_byte)
            rewrite_write(e, e->region, IN_STRIP, "%w);\n", load->x);
        else
            rewrite_write(e, e->region, IN_STRIP, "%w.pixels[(%w) * %w.pitch + %w]);\n",
                          load->picture, load->y, load->picture, load->x);
    }
    g_string_append(e->region, "}\n");
    e->jam = 0;
}
