// Declarations of variables in a kernel.
#include <string.h>

#include "device/cpu/rewrite_read.h"

// ---- declarations ----

static const char *const kept_words[] = {"const",  "constexpr", "register",
                                         "inline", "extern",    NULL};
static const char *const said_words[] = {"volatile", NULL};  // they belong to the type
static const char *const own_types[] = {"unsigned", "signed", "int",  "char",   "short", "long",
                                        "float",    "double", "bool", "size_t", "auto",  NULL};
static const char *const structs[] = {"struct", "class", "enum", "typename", NULL};
static const char *const alignments[] = {"__align__", "alignas", "__attribute__", NULL};

guint rewrite_behind_type(const struct rewriter *r, guint i, guint to)
{
    const guint from = i;
    bool has_type = false, is_own = false;
    for (; i < to;) {
        if (rewrite_is_any(r, i, kept_words) || rewrite_is_any(r, i, said_words) ||
            rewrite_is(r, i, "__shared__")) {
            i++;
        } else if (rewrite_is_any(r, i, alignments)) {
            i = rewrite_behind(r, i + 1, to);
        } else if (rewrite_is_any(r, i, structs)) {
            i++;
        } else if (rewrite_is_any(r, i, own_types) && (!has_type || is_own)) {
            has_type = is_own = true;
            i++;
        } else if (rewrite_is_name(r, i) && !has_type) {
            has_type = true;
            i++;
            while (rewrite_is(r, i, ":") && rewrite_is(r, i + 1, ":")) i += 3;
            if (!rewrite_is(r, i, "<")) continue;
            guint end = i;
            for (int depth = 0; end < to; end++) {
                depth += rewrite_is(r, end, "<") - rewrite_is(r, end, ">");
                if (!depth || rewrite_is(r, end, ";")) break;
            }
            if (!rewrite_is(r, end, ">")) return from;
            i = end + 1;
        } else {
            break;
        }
    }
    return has_type ? i : from;
}

bool rewrite_is_declaration(const struct rewriter *r, guint from, guint to)
{
    guint i = rewrite_behind_type(r, from, to);
    if (i == from) return false;
    while (i < to && (rewrite_is(r, i, "*") || rewrite_is(r, i, "&") ||
                      rewrite_is_any(r, i, kept_words) || rewrite_is(r, i, "__restrict__")))
        i++;
    const struct word *const next = rewrite_word(r, i + 1);
    return rewrite_is_name(r, i) && i + 1 < to && next->length == 1 &&
           strchr("=;,[{(", *next->text);
}

const char *rewrite_join_type(struct rewriter *r, struct range words, guint stars, bool *is_const)
{
    g_autoptr(GString) type = g_string_new(NULL);
    for (guint i = words.from; i < words.to; i++) {
        const struct word *const w = rewrite_word(r, i);
        if (rewrite_is(r, i, "const") && is_const) *is_const = true;
        const bool is_left_out = rewrite_is_any(r, i, kept_words) || rewrite_is(r, i, "__shared__");
        if (rewrite_is(r, words.from, "extern") && rewrite_is_any(r, i, alignments)) {
            i = rewrite_behind(r, i + 1, words.to) - 1;
            continue;
        }
        // The target of a pointer may be constant.
        if (is_left_out && !(rewrite_is(r, i, "const") && stars)) continue;
        g_string_append_printf(type, "%s%.*s", type->len ? " " : "", (int)w->length, w->text);
    }
    for (guint i = 0; i < stars; i++) g_string_append(type, i ? "*" : " *");
    return g_string_chunk_insert(r->strings, type->str);
}

// One variable from its stars on; returns where its comma or semicolon stands.
static guint read_declarator(struct reader *p, struct node *parent, struct range type, guint at,
                             guint to)
{
    struct rewriter *const r = p->r;
    guint stars = 0;
    bool is_const = false, is_shared = false, is_constexpr = false, is_auto = false;
    for (; at < to && !(rewrite_is_name(r, at) && !rewrite_is_any(r, at, kept_words) &&
                        !rewrite_is(r, at, "__restrict__"));
         at++) {
        stars += rewrite_is(r, at, "*");
        if (rewrite_is(r, at, "const")) is_const = true;
        if (rewrite_is(r, at, "&")) rewrite_refuse(r, "a reference");
    }
    bool is_const_type = false;
    const char *const words = rewrite_join_type(r, type, stars, &is_const_type);
    for (guint i = type.from; i < type.to; i++) {
        is_shared |= rewrite_is(r, i, "__shared__");
        is_constexpr |= rewrite_is(r, i, "constexpr");
        is_auto |= rewrite_is(r, i, "auto");
    }
    const guint name = at++;
    const int index = rewrite_add_var(r, rewrite_word(r, name), words);
    rewrite_word(r, name)->var = index;
    struct range dimensions = {at, at};
    while (rewrite_is(r, at, "[")) at = rewrite_behind(r, at, to);
    dimensions.to = at;
    rewrite_read_expression(p, parent, dimensions.from + 1,
                            MAX(dimensions.from + 1, dimensions.to));
    struct range init = {at, at};
    const bool is_list = rewrite_is(r, at, "{"), has_init = is_list || rewrite_is(r, at, "=");
    if (rewrite_is(r, at, "(")) rewrite_refuse(r, "a variable that is made by parentheses");
    if (has_init) {
        const guint end = rewrite_find(r, at + !is_list, to, ",;");
        init = rewrite_read_expression(p, parent, at + !is_list,
                                       is_list ? rewrite_behind(r, at, to) : end);
        at = end;
    }
    struct node *const n = rewrite_add_node(r, parent, is_shared ? NODE_SHARED : NODE_DECLARE);
    struct var *const v = rewrite_var(r, index);
    v->dimensions = dimensions;
    v->init = init;
    v->has_init = has_init;
    v->is_list = is_list;
    v->is_const = stars ? is_const : is_const_type || is_constexpr;
    v->is_constexpr = is_constexpr;
    v->is_pointer = stars > 0;
    v->is_auto = is_auto;
    v->is_shared = is_shared;
    v->is_dynamic = rewrite_is(r, type.from, "extern");
    v->home = n;
    v->block = parent;
    n->var = index;
    rewrite_declare_name(p, rewrite_word(r, name)->text, rewrite_word(r, name)->length, index);
    return at;
}

guint rewrite_read_declaration(struct reader *p, struct node *parent, guint from, guint to)
{
    const struct range type = {from, rewrite_behind_type(p->r, from, to)};
    guint at = type.to;
    do {
        at = read_declarator(p, parent, type, at, to);
    } while (at < to && rewrite_is(p->r, at++, ",") && !p->r->why_not);
    return at;
}
