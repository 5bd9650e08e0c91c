// Statements as they stand in the kernel, but for the names of its variables.
#include "device/cpu/rewrite_emit.h"

void rewrite_write_dimensions(struct emitter *e, GString *to, const struct var *v,
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

void rewrite_write_declaration(struct emitter *e, GString *to, const struct var *v,
                               enum context context)
{
    const char *const head = v->is_constexpr                 ? "constexpr "
                             : v->is_const && !v->is_pointer ? "const "
                                                             : "";
    g_string_append_printf(to, "%s%s%s %s", head, v->type,
                           v->is_const && v->is_pointer ? " const" : "", v->shown);
    rewrite_write_dimensions(e, to, v, context);
    if (v->has_init) {
        g_string_append(to, v->is_list ? " " : " = ");
        rewrite_write_words(e, to, v->init, context);
    }
    g_string_append(to, ";\n");
}

void rewrite_write_shared(struct emitter *e, GString *to, const struct var *v, enum context context)
{
    const struct range sides = {MIN(v->dimensions.from + 2, v->dimensions.to), v->dimensions.to};
    if (v->is_dynamic) {  // a pointer to where the block's begins
        g_string_append_printf(to, "%s (*const %s)", v->type, v->shown);
        rewrite_write_words(e, to, sides, context);
        g_string_append_printf(to, " = (%s (*)", v->type);
        rewrite_write_words(e, to, sides, context);
        g_string_append_printf(to, ")EMULATOR_TILE_START;\n(void)%s;\n", v->shown);
        return;
    }
    g_string_append_printf(to, "EMULATOR_FAST_SHARED %s emulator_of_%s", v->type, v->shown);
    rewrite_write_dimensions(e, to, v, context);
    g_string_append_printf(to, ";\nauto &%s = emulator_of_%s;\n", v->shown, v->shown);
}

const struct node *rewrite_of_loop(const struct node *n)
{
    const struct node *up = n->parent;
    while (up->kind != NODE_LOOP && up->kind != NODE_OTHER) up = up->parent;
    return up;
}

bool rewrite_is_of_split_loop(const struct node *n)
{
    return *n->name == 'c' && rewrite_of_loop(n)->kind == NODE_LOOP && rewrite_of_loop(n)->is_split;
}

static void write_loop(struct emitter *e, const struct node *n)
{
    GString *const to = e->run;
    const struct node *child = n->first;
    g_string_append(to, "{\n");
    for (int i = 0; i < n->declares; i++, child = child->next) rewrite_write_simple(e, child);
    if (n->pragma) g_string_append_printf(to, "\n%s\n", n->pragma);
    g_string_append(to, "for (; ");
    rewrite_write_words(e, to, n->condition, IN_LANE);
    g_string_append(to, "; ");
    rewrite_write_words(e, to, n->step, IN_LANE);
    g_string_append(to, ") ");
    rewrite_write_simple(e, child);
    g_string_append(to, "}\n");
}

// do, switch, and what leaves them.
static void write_other(struct emitter *e, const struct node *n)
{
    GString *const to = e->run;
    if (!strcmp(n->name, "case")) {
        rewrite_write_words(e, to, n->words, IN_LANE);
        g_string_append(to, ":\n");
    } else if (!n->first && rewrite_is_of_split_loop(n)) {
        rewrite_write_leave(e, rewrite_of_loop(n)->mask);
    } else if (!n->first) {
        g_string_append_printf(to, "%s;\n", n->name);
    } else if (!strcmp(n->name, "do")) {
        g_string_append(to, "do ");
        rewrite_write_simple(e, n->first);
        g_string_append(to, "while (");
        rewrite_write_words(e, to, n->condition, IN_LANE);
        g_string_append(to, ");\n");
    } else {
        g_string_append(to, "switch (");
        rewrite_write_words(e, to, n->condition, IN_LANE);
        g_string_append(to, ") ");
        rewrite_write_simple(e, n->first);
    }
}

void rewrite_write_simple(struct emitter *e, const struct node *n)
{
    GString *const to = e->run;
    switch (n->kind) {
    case NODE_BLOCK:
        g_string_append(to, "{\n");
        for (const struct node *child = n->first; child; child = child->next)
            rewrite_write_simple(e, child);
        g_string_append(to, "}\n");
        break;
    case NODE_DECLARE:
        rewrite_write_declaration(e, to, rewrite_var(e->r, n->var), IN_LANE);
        break;
    case NODE_SHARED:
        rewrite_write_shared(e, to, rewrite_var(e->r, n->var), IN_LANE);
        break;
    case NODE_EXPRESSION:
        rewrite_write_words(e, to, n->words, IN_LANE);
        g_string_append(to, ";\n");
        break;
    case NODE_IF:
        g_string_append_printf(to, "%s (", n->name);
        rewrite_write_words(e, to, n->condition, IN_LANE);
        g_string_append(to, ") ");
        rewrite_write_simple(e, n->first);
        if (n->first->next) g_string_append(to, "else ");
        if (n->first->next) rewrite_write_simple(e, n->first->next);
        break;
    case NODE_LOOP:
        write_loop(e, n);
        break;
    case NODE_OTHER:
        write_other(e, n);
        break;
    case NODE_RETURN:
        rewrite_write_leave(e, e->base);
        break;
    case NODE_FUNCTION:
    case NODE_BARRIER:
    case NODE_EXCHANGE:
        rewrite_refuse(e->r, "a barrier or a shuffle within a statement");
        break;
    }
}
