// Expressions and statements as they stand in the kernel, but for its variables: they stand for
// themselves, for their value in the strip's first thread, or for an element of an array.
#include "device/cpu/rewrite_emit.h"

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
        rewrite_write(e, to, context, "emulator_x%d.%s(%w", n->number, n->exchange->take,
                      n->parts[0]);
    else
        rewrite_write(e, to, context,
                      "emulator_x%d.template %s<emulator_scalar<emulator_plain<decltype(%w)>>>"
                      "(emulator_lane, %w",
                      n->number, n->exchange->take, n->parts[1], n->parts[0]);
    for (int k = 2; k < 4 && !is_vote; k++)
        if (n->parts[k].to > n->parts[k].from) rewrite_write(e, to, context, ", %w", n->parts[k]);
    g_string_append(to, ")");
}

// [index], which then is that of the strip's first thread and so much more: the compiler cannot
// know that blockIdx.x * blockDim.x + threadIdx.x, which is unsigned, does not begin at 0 again.
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

void rewrite_write_words(struct emitter *e, GString *to, struct range range, enum context context)
{
    const struct rewriter *const r = e->r;
    guint close = 0;  // of the load that is written
    int step = 0;     // and its
    for (guint i = range.from; i < range.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        const struct function *const f = w->var < 0 ? rewrite_function(r, i) : NULL;
        const bool is_glued = i > range.from && w[-1].text + w[-1].length == w->text;
        struct load load;
        if (i > range.from && !is_glued) g_string_append_c(to, ' ');
        if (w->exchange >= 0) {
            write_exchange(e, to, g_ptr_array_index(r->nodes, (guint)w->exchange), context);
        } else if (context == IN_LANE && rewrite_read_byte(e, i, range.to, &load)) {
            g_array_append_val(e->loads, load);
            e->is_reading = false;
            rewrite_write(e, to, context,
                          "emulator_byte(emulator_inside, emulator_row%d_%d[emulator_lane], %w)",
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
        } else if (context == IN_LANE && rewrite_read_load(e, i, range.to, &load)) {
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

// ---- statements in a run ----

static void write_dimensions(struct emitter *e, GString *to, const struct var *v,
                             enum context context)
{
    const struct rewriter *const r = e->r;
    if (v->dimensions.to == v->dimensions.from + 2 && v->init.to > v->init.from + 2) {  // [] = {…}
        int count = 1;
        for (guint i = v->init.from + 1; i < v->init.to - 2; i++) {
            if (rewrite_is(r, i, "(") || rewrite_is(r, i, "{"))
                i = rewrite_behind(r, i, v->init.to) - 1;
            else
                count += rewrite_is(r, i, ",");
        }
        g_string_append_printf(to, "[%d]", count);
        return;
    }
    rewrite_write_words(e, to, v->dimensions, context);
}

void rewrite_write(struct emitter *e, GString *to, enum context context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%')
            g_string_append_c(to, *at);
        else if (*++at == 'w')
            rewrite_write_words(e, to, va_arg(args, struct range), context);
        else if (*at == 'v')
            write_var(e, to, va_arg(args, int), context);
        else if (*at == 'n')
            write_dimensions(e, to, va_arg(args, const struct var *), context);
        else if (*at == 'd')
            g_string_append_printf(to, "%d", va_arg(args, int));
        else
            g_string_append(to, va_arg(args, const char *));
    }
    va_end(args);
}

void rewrite_write_declaration(struct emitter *e, GString *to, const struct var *v,
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

void rewrite_write_shared(struct emitter *e, GString *to, const struct var *v, enum context context)
{
    const struct range sides = {MIN(v->dimensions.from + 2, v->dimensions.to), v->dimensions.to};
    if (v->is_dynamic)  // a pointer to where the block's begins
        rewrite_write(e, to, context,
                      "%s (*const %s)%w = (%s (*)%w)EMULATOR_TILE_START;\n(void)%s;\n", v->type,
                      v->shown, sides, v->type, sides, v->shown);
    else
        rewrite_write(e, to, context,
                      "EMULATOR_FAST_SHARED %s emulator_of_%s%n;\nauto &%s = emulator_of_%s;\n",
                      v->type, v->shown, v, v->shown, v->shown);
}
