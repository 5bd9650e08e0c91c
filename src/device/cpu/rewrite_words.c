// Words, names and expressions of a kernel.
#include <string.h>

#include "base/c_tokens.h"
#include "device/cpu/rewrite_parts.h"

// ---- words ----

bool rewrite_is(const struct rewriter *r, guint i, const char *text)
{
    const struct word *const w = rewrite_word(r, i);
    return i < r->words->len && w->length == strlen(text) && !strncmp(w->text, text, w->length);
}

bool rewrite_is_any(const struct rewriter *r, guint i, const char *const *texts)
{
    while (*texts && !rewrite_is(r, i, *texts)) texts++;
    return *texts;
}

bool rewrite_is_name(const struct rewriter *r, guint i)
{
    const char first = i < r->words->len ? *rewrite_word(r, i)->text : '\0';
    return g_ascii_isalpha(first) || first == '_';
}

guint rewrite_behind(const struct rewriter *r, guint i, guint to)
{
    int depth = 0;
    for (; i < to; i++) {
        const char mark = rewrite_word(r, i)->length == 1 ? *rewrite_word(r, i)->text : '\0';
        depth += (mark && strchr("([{", mark)) - (mark && strchr(")]}", mark));
        if (depth <= 0) return i + 1;
    }
    return to;
}

guint rewrite_find(const struct rewriter *r, guint i, guint to, const char *marks)
{
    while (i < to) {
        const struct word *const w = rewrite_word(r, i);
        if (w->length == 1 && strchr(marks, *w->text)) return i;
        i = w->length == 1 && strchr("([{", *w->text) ? rewrite_behind(r, i, to) : i + 1;
    }
    return to;
}

struct range rewrite_add_words(struct rewriter *r, const char *start, const char *end)
{
    const struct range all = {r->words->len, 0};
    struct c_tokens tokens = c_tokens_of(start);
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind && token.start < end;) {
        struct word word = {token.start, (unsigned)token.length, token.line, -1, -1};
        if (token.is_directive && token.kind != C_TOKEN_DIRECTIVE) continue;
        if (token.is_directive) word.length = (unsigned)strcspn(token.start, "\n");
        g_array_append_val(r->words, word);
    }
    return (struct range){all.from, r->words->len};
}

// ---- nodes ----

struct node *rewrite_add_node(struct rewriter *r, struct node *parent, enum node_kind kind)
{
    struct node *const n = g_new0(struct node, 1);
    g_ptr_array_add(r->nodes, n);
    n->kind = kind;
    n->parent = parent;
    n->var = -1;
    if (!parent) return n;
    if (parent->last) parent->last->next = n;
    if (!parent->first) parent->first = n;
    parent->last = n;
    return n;
}

void rewrite_mark_above(struct node *n)
{
    bool is_outside = false;  // of the function that returns
    for (struct node *up = n->parent; up; up = up->parent) {
        up->has_barrier |= n->has_barrier;
        up->has_warp |= n->has_warp;
        up->has_return |= n->has_return && !is_outside;
        is_outside |= up->kind == NODE_FUNCTION;
    }
}

// ---- names ----

void rewrite_declare_name(struct reader *p, const char *text, unsigned length, int var)
{
    const struct name name = {text, length, var};
    g_array_append_val(p->scope, name);
}

static int find_name(const struct reader *p, const char *text, unsigned length)
{
    for (guint i = p->scope->len; i-- > 0;) {
        const struct name *const name = &g_array_index(p->scope, struct name, i);
        if (name->length == length && !strncmp(name->text, text, length)) return name->var;
    }
    return -1;
}

int rewrite_add_var(struct rewriter *r, const struct word *name, const char *type)
{
    struct var var = {.name = g_string_chunk_insert_len(r->strings, name->text, name->length),
                      .type = type};
    var.shown = var.name;
    for (guint i = 0; i < r->vars->len && var.shown == var.name; i++)
        if (!strcmp(rewrite_var(r, (int)i)->name, var.name)) {
            g_autofree char *other = g_strdup_printf("%s_%u", var.name, r->vars->len);
            var.shown = g_string_chunk_insert(r->strings, other);
        }
    g_array_append_val(r->vars, var);
    return (int)r->vars->len - 1;
}

// A member's name, and one that is qualified, is no variable.
static bool is_member(const struct rewriter *r, guint i, guint from)
{
    return (i > from && rewrite_is(r, i - 1, ".")) ||
           (i > from + 1 && ((rewrite_is(r, i - 1, ">") && rewrite_is(r, i - 2, "-")) ||
                             (rewrite_is(r, i - 1, ":") && rewrite_is(r, i - 2, ":"))));
}

// ---- expressions ----

static const struct exchange *exchange_at(const struct rewriter *r, guint i)
{
    return rewrite_exchange(rewrite_word(r, i)->text, rewrite_word(r, i)->length);
}

// A function that waits becomes part of the tree.
static struct function *waiting_function(const struct rewriter *r, guint i)
{
    struct function *const f = rewrite_function(r, i);
    return f && f->facts & WAITS ? f : NULL;
}

static bool has_choice(const struct rewriter *r, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        if (rewrite_is(r, i, "?") ||
            (i + 1 < to && ((rewrite_is(r, i, "&") && rewrite_is(r, i + 1, "&")) ||
                            (rewrite_is(r, i, "|") && rewrite_is(r, i + 1, "|")))))
            return true;
    return false;
}

int rewrite_read_arguments(struct reader *p, struct node *parent, guint open, guint behind,
                           struct range *parts, int most)
{
    int count = 0;
    for (guint at = open + 1; at < behind - 1 && count < most; count++) {
        const guint end = rewrite_find(p->r, at, behind - 1, ",");
        parts[count] = rewrite_expand(p, parent, (struct range){at, end});
        at = end + 1;
    }
    return count;
}

static void add_exchange(struct reader *p, struct node *parent, guint i, guint behind, GArray *made)
{
    struct rewriter *const r = p->r;
    struct range parts[4] = {{0, 0}};
    rewrite_read_arguments(p, parent, i + 1, behind, parts, G_N_ELEMENTS(parts));
    const int node = (int)r->nodes->len;
    struct node *const n = rewrite_add_node(r, parent, NODE_EXCHANGE);
    memcpy(n->parts, parts, sizeof parts);
    n->exchange = exchange_at(r, i);
    n->number = r->exchanges++;
    n->has_warp = r->has_warp = true;
    rewrite_mark_above(n);
    const struct word word = {"0", 1, 0, -1, n->exchange->take ? node : -1};
    g_array_append_val(made, word);
}

struct range rewrite_expand(struct reader *p, struct node *parent, struct range range)
{
    struct rewriter *const r = p->r;
    bool is_waiting = false;
    for (guint i = range.from; i < range.to; i++)
        is_waiting |= exchange_at(r, i) || waiting_function(r, i);
    if (!is_waiting || r->why_not) return range;
    g_autoptr(GArray) made = g_array_new(FALSE, FALSE, sizeof(struct word));
    for (guint i = range.from; i < range.to && !r->why_not; i++) {
        struct function *const f = waiting_function(r, i);
        if (!f && !exchange_at(r, i)) {
            const struct word word = *rewrite_word(r, i);
            g_array_append_val(made, word);
            continue;
        }
        const guint behind = rewrite_behind(r, i + 1, range.to);
        if (!rewrite_is(r, i + 1, "("))
            rewrite_refuse(r, "a function that waits, without its arguments");
        if (has_choice(r, range.from, i) || has_choice(r, behind, range.to))
            rewrite_refuse(r, "a shuffle, a vote or a barrier that depends on a condition");
        if (f)
            rewrite_read_call(p, parent, f, i + 1, behind, made);
        else
            add_exchange(p, parent, i, behind, made);
        i = behind - 1;
    }
    const struct range all = {r->words->len, r->words->len + made->len};
    g_array_append_vals(r->words, made->data, made->len);
    return all;
}

struct range rewrite_read_expression(struct reader *p, struct node *parent, guint from, guint to)
{
    struct rewriter *const r = p->r;
    for (guint i = from; i < to; i++) {
        const struct word *const w = rewrite_word(r, i);
        if (*w->text == '#') rewrite_refuse(r, "a line with # within a statement");
        if (!rewrite_is_name(r, i)) {
            const bool begins = i == from || (rewrite_word(r, i - 1)->length == 1 &&
                                              strchr("(,=", *rewrite_word(r, i - 1)->text));
            if (*w->text == '[' && begins) rewrite_refuse(r, "a lambda");
            continue;
        }
        const char *const why = rewrite_why_refused(w->text, w->length);
        if (why) rewrite_refuse(r, why);
        const struct function *const f = rewrite_function(r, i);
        const int var = is_member(r, i, from) ? -1 : find_name(p, w->text, w->length);
        if (var < 0 && f && f->why_not) rewrite_refuse(r, f->why_not);
        rewrite_word(r, i)->var = var;
    }
    return rewrite_expand(p, parent, (struct range){from, to});
}
