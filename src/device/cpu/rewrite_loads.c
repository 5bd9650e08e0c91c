// Loads that a strip does at once: 32 neighbours of a row, where all of them are in the picture.
// Whether they are is found out before the loops that lead there, from their ends.
#include "device/cpu/rewrite_emit.h"

#include <string.h>

bool rewrite_read_load(const struct emitter *e, guint i, guint to, struct load *load)
{
    const struct rewriter *const r = e->r;
    guint at = i + 2;
    struct range parts[3];
    if (!rewrite_is(r, i, "load") && !rewrite_is(r, i, "fetch")) return false;
    if (rewrite_word(r, i)->var >= 0 || !rewrite_is(r, i + 1, "(")) return false;
    const guint close = rewrite_behind(r, i + 1, to) - 1;
    for (int k = 0; k < 3; k++) {
        parts[k].from = at;
        parts[k].to = rewrite_find(r, at, close, ",");
        at = parts[k].to + 1;
    }
    const int picture = parts[0].to == parts[0].from + 1 ? rewrite_word(r, parts[0].from)->var : -1;
    if (at <= close || picture < 0 || rewrite_var(r, picture)->kind != VAR_UNIFORM) return false;
    *load = (struct load){parts[0], parts[1], parts[2], rewrite_step(r, parts[1]), e->jam, false};
    return (load->step == 0 || load->step == 1) && rewrite_step(r, parts[2]) == 0 &&
           rewrite_is_pure(r, parts[1]) && rewrite_is_pure(r, parts[2]) &&
           !rewrite_may_fault(r, parts[1]) && !rewrite_may_fault(r, parts[2]);
}

bool rewrite_read_byte(const struct emitter *e, guint i, guint to, struct load *load)
{
    const struct rewriter *const r = e->r;
    const int index = rewrite_word(r, i)->var;
    if (!e->is_reading || !rewrite_is(r, i + 1, "[")) return false;
    const struct var *const v = index >= 0 ? rewrite_var(r, index) : NULL;
    const guint behind = rewrite_behind(r, i + 1, to);
    const int step = rewrite_step(r, (struct range){i + 2, behind - 1});
    bool is_bytes =
        v && v->type &&
        (!strcmp(v->type, "const unsigned char *") || !strcmp(v->type, "unsigned char *"));
    for (guint k = 0; !v && k < r->tiles->len; k++) {
        const struct cuda_tile *const tile = &g_array_index(r->tiles, struct cuda_tile, k);
        is_bytes |= tile->is_of_bytes && rewrite_word(r, i)->length == tile->name.length &&
                    !strncmp(rewrite_word(r, i)->text, tile->name.start, tile->name.length);
    }
    if (!is_bytes || (v && v->kind != VAR_ROW && v->kind != VAR_UNIFORM) || (v && v->is_shared) ||
        !rewrite_is_pure(r, (struct range){i + 2, behind - 1}) ||
        rewrite_may_fault(r, (struct range){i + 2, behind - 1}))
        return false;
    *load = (struct load){{0, 0}, {i, behind}, {0, 0}, 1, e->jam, true};
    return step != NOT_LINEAR && step + (v && v->kind == VAR_ROW ? v->step : 0) == 1;
}

// True if what the words mean does not change within the loop, but for its own variable.
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

// The words with a variable of each of some loops at the one end or the other.
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
            rewrite_write_words(e, to, (struct range){i, i + 1}, IN_STRIP);
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

static void write_check(struct emitter *e, GString *to, const struct check *c,
                        struct node *const *loops, int count)
{
    for (unsigned corner = 0; corner < 1u << count; corner++) {
        rewrite_write(e, to, IN_STRIP, "emulator_inside%d &= emulator_is_inside(%w, ", c->run,
                      c->picture);
        write_corner(e, to, c->x, loops, count, corner);
        g_string_append_printf(to, ", %s, ", c->step ? "(int)emulator_s.count - 1" : "0");
        write_corner(e, to, c->y, loops, count, corner);
        g_string_append(to, ");\n");
    }
}

// True if a place grows evenly with a loop's variable, so that it is between those of its ends.
static bool is_even(const struct emitter *e, struct range range, const struct node *loop)
{
    struct var *const v = rewrite_var(e->r, loop->first->var);
    const struct var kept = *v;
    v->kind = VAR_ROW;
    v->step = 1;
    const bool is_linear = rewrite_step(e->r, range) != NOT_LINEAR;
    *v = kept;
    return is_linear;
}

// True if a place grows evenly with the variable of an open loop, and nothing else changes it there
// but the loops inside, whose ends the check knows.
static bool can_hoist(const struct emitter *e, struct range range, int loop)
{
    if (!is_even(e, range, e->loops[loop])) return false;
    for (guint i = range.from; i < range.to; i++) {
        bool is_inner = false;
        for (int k = loop; k < e->loop_count; k++)
            is_inner |= rewrite_word(e->r, i)->var == e->loops[k]->first->var;
        if (!is_inner && !is_fixed_in(e, (struct range){i, i + 1}, e->loops[loop])) return false;
    }
    return true;
}

// How many of the open loops, from the innermost on, a check can be made before.
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

void rewrite_place_checks(struct emitter *e)
{
    int hoists = MOST_MASKS;
    for (guint i = 0; i < e->loads->len; i++)
        if (!g_array_index(e->loads, struct load, i).is_byte)
            hoists = MIN(hoists, count_hoists(e, &g_array_index(e->loads, struct load, i)));
    if (!hoists || hoists == MOST_MASKS)
        g_string_append_printf(e->region, "bool emulator_inside%d = true;\n", e->run_number);
    for (guint i = 0; i < e->loads->len; i++) {
        const struct load *const load = &g_array_index(e->loads, struct load, i);
        if (load->is_byte) continue;
        const struct check check = {e->run_number, load->picture, load->x, load->y, load->step};
        // The words of a place mark what they use.
        g_autoptr(GString) unused = g_string_new(NULL);
        const int jam = e->jam;
        e->jam = hoists ? 0 : load->jam;
        write_check(e, hoists ? unused : e->region, &check, e->loops + e->loop_count - hoists,
                    hoists);
        e->jam = jam;
        if (!hoists || !e->is_dry) continue;
        struct node *const loop = e->loops[e->loop_count - hoists];
        if (!loop->checks) loop->checks = g_array_new(FALSE, FALSE, sizeof(struct check));
        g_array_append_val(loop->checks, check);
    }
}

// Before a loop, the checks of the runs in it. Its inner loops are the first statements in it.
void rewrite_write_loop_checks(struct emitter *e, struct node *n)
{
    struct node *loops[2] = {n, NULL};
    int before = -1;
    for (guint i = 0; n->checks && i < n->checks->len && !e->is_dry; i++) {
        const struct check *const c = &g_array_index(n->checks, struct check, i);
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

// Reads neighbouring pixels beforehand, of a whole strip inside the picture.
void rewrite_write_rows(struct emitter *e)
{
    bool is_any = false;
    const int jam = e->jam;
    for (guint i = 0; i < e->indices->len; i++) {
        const struct load *const index = &g_array_index(e->indices, struct load, i);
        e->jam = index->jam;
        rewrite_write(e, e->region, IN_STRIP, "const long emulator_i%d_%d = emulator_index(%w);\n",
                      e->run_number, (int)i, index->x);
    }
    g_array_set_size(e->indices, 0);
    e->jam = jam;
    for (guint i = 0; i < e->loads->len; i++) {
        if (!g_array_index(e->loads, struct load, i).step) continue;
        is_any = true;
        g_string_append_printf(e->region, "int emulator_row%d_%u[EMULATOR_LANES];\n", e->run_number,
                               i);
    }
    if (!is_any) return;
    g_string_append_printf(e->region, "if (emulator_m%d == ~0u && emulator_inside%d) {\n",
                           e->masks[e->depth - 1], e->run_number);
    for (guint i = 0; i < e->loads->len; i++) {
        const struct load *const load = &g_array_index(e->loads, struct load, i);
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
    e->jam = jam;
}
