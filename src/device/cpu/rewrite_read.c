// Reads a kernel's body into a tree. One that it cannot read stays on fibers, with a reason.
// This file is long because each form of a declaration and of a statement has its reader here.
#include "device/cpu/rewrite_parts.h"

enum { MOST_DEPTH = 8 };  // of calls in calls

// ---- declarations ----

static const char *const kept_words[] = {"const",           "constexpr", "register",   "inline",
                                         "extern",          "static",    "__device__", "__host__",
                                         "__forceinline__", NULL};
static const char *const said_words[] = {"volatile", "struct",   "class",
                                         "enum",     "typename", NULL};  // they belong to the type
static const char *const real_types[] = {"float", "double", "half", NULL};
static const char *const alignments[] = {"__align__", "alignas", "__attribute__", NULL};

static guint behind_type(const struct rewriter *r, guint i, guint to)
{
    const guint from = i;
    bool has_type = false, is_own = false;
    for (; i < to;) {
        if (rewrite_is_any(r, i, kept_words) || rewrite_is_any(r, i, said_words) ||
            rewrite_is(r, i, "__shared__")) {
            i++;
        } else if (rewrite_is_any(r, i, alignments)) {
            i = rewrite_behind(r, i + 1, to);
        } else if (rewrite_is_any(r, i, rewrite_own_types) && (!has_type || is_own)) {
            has_type = is_own = true;
            i++;
        } else if (rewrite_is_name(r, i) && !has_type) {
            has_type = true;
            i++;
            while (rewrite_is(r, i, ":") && rewrite_is(r, i + 1, ":")) i += 3;
            if (!rewrite_is(r, i, "<")) continue;
            const guint open = i;
            i = rewrite_behind_angles(r, open, to, ";");
            if (i == open) return from;
        } else {
            break;
        }
    }
    return has_type ? i : from;
}

static bool is_declaration(const struct rewriter *r, guint from, guint to)
{
    guint i = behind_type(r, from, to);
    if (i == from) return false;
    while (i < to && (rewrite_is(r, i, "*") || rewrite_is(r, i, "&") ||
                      rewrite_is_any(r, i, kept_words) || rewrite_is(r, i, "__restrict__")))
        i++;
    const struct word *const next = rewrite_word(r, i + 1);
    return rewrite_is_name(r, i) && i + 1 < to && next->length == 1 &&
           strchr("=;,[{(", *next->text);
}

static const char *join_type(struct rewriter *r, struct range words, guint stars, bool *is_const)
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
        // This const may belong to the pointer's target.
        if (is_left_out && !(rewrite_is(r, i, "const") && stars)) continue;
        g_string_append_printf(type, "%s%.*s", type->len ? " " : "", (int)w->length, w->text);
    }
    for (guint i = 0; i < stars; i++) g_string_append(type, i ? "*" : " *");
    return g_string_chunk_insert(r->strings, type->str);
}

struct var *rewrite_declare(struct rewriter *r, struct node *parent, enum node_kind kind, int index)
{
    struct node *const n = rewrite_add_node(r, parent, kind);
    struct var *const v = rewrite_var(r, index);
    v->home = n;
    v->block = parent;
    n->var = index;
    return v;
}

// A function that is called again finds its shared memory as it left it.
static void share(struct rewriter *r, int first, int again)
{
    struct var *const v = rewrite_var(r, first);
    for (guint i = v->dimensions.from; i < v->dimensions.to; i++)
        if (rewrite_word(r, i)->var >= 0)
            rewrite_refuse(r,
                           "a function that is called twice, with shared memory of its own size");
    v->has_twins = true;
    rewrite_var(r, again)->twin = first;
}

// Reads one variable from its stars on; returns the index of the comma or semicolon behind it.
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
    const char *const words = join_type(r, type, stars, &is_const_type);
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
    struct var *const v = rewrite_declare(r, parent, is_shared ? NODE_SHARED : NODE_DECLARE, index);
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
    for (int k = 0; k < index && is_shared && !v->is_dynamic; k++)
        if (rewrite_var(r, k)->declared == v->declared && rewrite_var(r, k)->twin < 0)
            share(r, k, index);
    rewrite_declare_name(p, rewrite_word(r, name)->text, rewrite_word(r, name)->length, index);
    if (parent->kind == NODE_BLOCK || parent->kind == NODE_FUNCTION)
        rewrite_add_members(r, parent, index);
    return at;
}

static guint read_declaration(struct reader *p, struct node *parent, guint from, guint to)
{
    const struct range type = {from, behind_type(p->r, from, to)};
    guint at = type.to;
    do {
        at = read_declarator(p, parent, type, at, to);
    } while (at < to && rewrite_is(p->r, at++, ",") && !p->r->why_not);
    return at;
}

// ---- statements ----

static void read_statement(struct reader *p, struct node *parent);

static void read_body(struct reader *p, struct node *parent)
{
    struct node *const body = rewrite_add_node(p->r, parent, NODE_BLOCK);
    const guint names = p->scope->len;
    if (rewrite_is(p->r, p->at, "{")) {
        p->at++;
        while (p->at < p->to && !rewrite_is(p->r, p->at, "}") && !p->r->why_not)
            read_statement(p, body);
        p->at++;
    } else {
        while (*rewrite_word(p->r, p->at)->text == '#' && !p->r->why_not) read_statement(p, body);
        read_statement(p, body);
    }
    g_array_set_size(p->scope, names);
}

static void read_loop(struct reader *p, struct node *parent)
{
    struct rewriter *const r = p->r;
    struct node *const n = rewrite_add_node(r, parent, NODE_LOOP);
    const bool is_while = rewrite_is(r, p->at, "while");
    const guint names = p->scope->len, open = p->at + 1, behind = rewrite_behind(r, open, p->to);
    const guint first = is_while ? open : rewrite_find(r, open + 1, behind - 1, ";"),
                second = is_while ? behind - 1 : rewrite_find(r, first + 1, behind - 1, ";");
    n->pragma = p->pragma;
    p->pragma = NULL;
    if (!is_while && second >= behind - 1) {
        rewrite_refuse(r, "a loop over a range");
        return;
    }
    if (is_declaration(r, open + 1, first + 1)) {
        read_declaration(p, n, open + 1, first + 1);
        for (const struct node *child = n->first; child; child = child->next) n->declares++;
    } else if (first > open + 1) {
        struct node *const before = rewrite_add_node(r, n, NODE_EXPRESSION);
        before->words = rewrite_read_expression(p, n, open + 1, first);
        n->declares = 1;
    }
    const struct node *const last = n->last;
    n->condition = rewrite_read_expression(p, n, first + 1, second);
    n->step = rewrite_read_expression(p, n, MIN(second + 1, behind - 1), behind - 1);
    if (n->last != last) rewrite_refuse(r, "a loop whose condition waits for other threads");
    p->at = behind;
    read_body(p, n);
    g_array_set_size(p->scope, names);
}

static void read_if(struct reader *p, struct node *parent)
{
    struct rewriter *const r = p->r;
    const bool is_constant = rewrite_is(r, p->at + 1, "constexpr");
    const guint open = p->at + 1 + is_constant, behind = rewrite_behind(r, open, p->to);
    const struct range condition = rewrite_read_expression(p, parent, open + 1, behind - 1);
    struct node *const n = rewrite_add_node(r, parent, NODE_IF);
    n->name = is_constant ? "if constexpr" : "if";
    n->condition = condition;
    p->at = behind;
    read_body(p, n);
    if (!rewrite_is(r, p->at, "else")) return;
    p->at++;
    read_body(p, n);
}

static void read_do_or_switch(struct reader *p, struct node *parent)
{
    struct rewriter *const r = p->r;
    struct node *const n = rewrite_add_node(r, parent, NODE_OTHER);
    const bool is_do = rewrite_is(r, p->at, "do");
    n->name = is_do ? "do" : "switch";
    if (is_do) {
        p->at++;
        read_body(p, n);
        if (!rewrite_is(r, p->at, "while")) rewrite_refuse(r, "do without while");
    }
    const guint behind = rewrite_behind(r, p->at + 1, p->to);
    n->condition = rewrite_read_expression(p, n, p->at + 2, behind - 1);
    p->at = behind + is_do;
    if (!is_do) read_body(p, n);
    if (n->has_barrier || n->has_warp) rewrite_refuse(r, "a barrier or a shuffle in do or switch");
}

static void read_case(struct reader *p, struct node *parent)
{
    const guint end = rewrite_find(p->r, p->at, p->to, ":;");
    struct node *const n = rewrite_add_node(p->r, parent, NODE_OTHER);
    n->name = "case";
    n->words = rewrite_read_expression(p, n, p->at, end);
    p->at = end + 1;
}

static void read_leave(struct reader *p, struct node *parent)
{
    struct node *const n = rewrite_add_node(p->r, parent, NODE_OTHER);
    n->name = rewrite_is(p->r, p->at, "break") ? "break" : "continue";
    for (struct node *up = parent; up; up = up->parent) {
        up->has_break |= *n->name == 'b';
        up->has_continue |= *n->name == 'c';
        n->loop = up;
        const bool is_switch = up->kind == NODE_OTHER && !strcmp(up->name, "switch");
        if (up->kind == NODE_LOOP || (up->kind == NODE_OTHER && !is_switch)) break;
        if (is_switch && *n->name == 'b') break;
    }
    p->at += 2;
}

// A function that returns a value does so in its last statement.
static void read_return(struct reader *p, struct node *parent)
{
    struct rewriter *const r = p->r;
    const guint end = rewrite_find(r, p->at, p->to, ";");
    const bool is_value = end > p->at + 1;
    if (!is_value) {
        if (p->result >= 0) rewrite_refuse(r, "a function that waits and returns in the middle");
        rewrite_add_node(r, parent, NODE_RETURN);
        p->at = end + 1;
        return;
    }
    if (p->result < 0 || parent != p->function || end + 2 < p->to)
        rewrite_refuse(r, "a function that waits and returns in the middle");
    const struct range value = rewrite_read_expression(p, parent, p->at + 1, end);
    struct node *const n = rewrite_add_node(r, parent, NODE_EXPRESSION);
    const struct word head[] = {{"", 0, p->result, -1}, {"=", 1, -1, -1}, {"(", 1, -1, -1}},
                      tail = {")", 1, -1, -1};
    n->words.from = r->words->len;
    g_array_append_vals(r->words, head, 3);
    for (guint i = value.from; i < value.to; i++) {
        const struct word word = *rewrite_word(r, i);
        g_array_append_val(r->words, word);
    }
    g_array_append_val(r->words, tail);
    n->words.to = r->words->len;
    p->at = end + 1;
}

// Why a declaration of another form than a variable's keeps a kernel on fibers; NULL: there is
// none.
static const char *why_no_variable(const struct rewriter *r, guint from, guint to)
{
    static const char *const types[] = {"struct", "union", "class", NULL};
    static const char *const others[] = {"typedef", "using", "extern", NULL};
    guint at = behind_type(r, from, to);
    const bool has_type = at > from;
    while (rewrite_is(r, at, "&")) at++;
    if (rewrite_is(r, at, "[") && (rewrite_is(r, from, "auto") || rewrite_is(r, from + 1, "auto")))
        return "a structured binding";
    if (has_type && rewrite_is(r, at, "(") && rewrite_is(r, at + 1, "*") &&
        rewrite_is(r, at + 3, ")") && rewrite_find(r, at + 4, at + 5, "[(") == at + 4)
        return "a pointer to an array or to a function";
    if ((rewrite_is_any(r, from, types) &&
         (rewrite_is(r, from + 1, "{") || rewrite_is(r, from + 2, "{"))) ||
        (rewrite_is_any(r, from, others) && !rewrite_is(r, from + 1, "__shared__")))
        return "a declaration of a type or of something else in its body";
    return NULL;
}

// An enum is declared for all threads: it may hide names that the file has.
static void read_enum(struct reader *p, struct node *parent)
{
    struct rewriter *const r = p->r;
    const guint from = p->at, end = rewrite_find(r, from, p->to, ";");
    struct node *const n = rewrite_add_node(r, parent, NODE_OTHER);
    n->name = "enum";
    n->words = rewrite_read_expression(p, n, from, end);
    bool is_known = !rewrite_is(r, end - 1, "}");
    for (guint i = from; i < end; i++) {
        const int var = rewrite_word(r, i)->var;
        const bool is_name = rewrite_is(r, i - 1, "{") || rewrite_is(r, i - 1, ",");
        is_known |= is_name ? var >= 0 || rewrite_function(r, i)
                            : var >= 0 && !rewrite_var(r, var)->is_constexpr;
    }
    if (is_known) rewrite_refuse(r, "an enum with a variable, or with a variable's name");
    p->at = end + 1;
}

static void read_statement(struct reader *p, struct node *parent)
{
    static const struct {
        const char *word;
        void (*read)(struct reader *p, struct node *parent);
    } rows[] = {{"{", read_body},         {"for", read_loop},        {"while", read_loop},
                {"if", read_if},          {"do", read_do_or_switch}, {"switch", read_do_or_switch},
                {"case", read_case},      {"default", read_case},    {"break", read_leave},
                {"continue", read_leave}, {"return", read_return},   {"enum", read_enum}};
    struct rewriter *const r = p->r;
    while (rewrite_is_pair(r, p->at, '[', '['))  // an attribute
        p->at = rewrite_behind(r, p->at, p->to);
    const struct word *const w = rewrite_word(r, p->at);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rewrite_is(r, p->at, rows[i].word)) {
            rows[i].read(p, parent);
            return;
        }
    const char *why = why_no_variable(r, p->at, p->to);
    if (!why) why = rewrite_why_refused(w->text, w->length, true);
    if (*w->text == '#') {
        p->pragma = g_string_chunk_insert_len(r->strings, w->text, w->length);
        if (!g_str_has_prefix(p->pragma, "#pragma")) rewrite_refuse(r, "a line with # in its body");
        p->at++;
    } else if (rewrite_is(r, p->at, "__syncthreads") && rewrite_is(r, p->at + 2, ")") &&
               rewrite_is(r, p->at + 3, ";")) {
        rewrite_add_node(r, parent, NODE_BARRIER);
        p->at += 4;
    } else if (why) {
        rewrite_refuse(r, why);
    } else if (is_declaration(r, p->at, p->to)) {
        p->at = read_declaration(p, parent, p->at, p->to);
    } else {
        const guint from = p->at, end = rewrite_find(r, from, p->to, ";");
        const struct range words = rewrite_read_expression(p, parent, from, end);
        const bool is_empty = words.to == words.from ||
                              (words.to == words.from + 1 && rewrite_is(r, words.from, "0"));
        if (!is_empty) rewrite_add_node(r, parent, NODE_EXPRESSION)->words = words;
        p->at = end + 1;
    }
}

// ---- functions ----

// Declares a function's arguments, from "(" on.
static void read_parameters(struct reader *p, struct node *parent, struct range head,
                            const struct range *given, int count)
{
    struct rewriter *const r = p->r;
    int index = 0;
    for (guint at = head.from; at < head.to; index++) {
        const guint end = rewrite_find(r, at, head.to, ",");
        guint name = end;
        while (name-- > at)
            if (rewrite_is_name(r, name)) break;
        if (end == at + 1 && rewrite_is(r, at, "void")) break;
        if (index >= count || (name + 1 < end && !rewrite_is(r, name + 1, "="))) {
            rewrite_refuse(r, "a function that waits, with other arguments than plain ones");
            return;
        }
        bool is_reference = false, is_const = false, is_const_type = false;
        guint stars = 0, behind = behind_type(r, at, name);
        for (guint i = behind; i < name; i++) {
            is_reference |= rewrite_is(r, i, "&");
            is_const |= rewrite_is(r, i, "const");
            stars += rewrite_is(r, i, "*");
        }
        const struct word *const w = rewrite_word(r, name);
        const char *const type =
            join_type(r, (struct range){at, MIN(behind, name)}, stars, &is_const_type);
        if (is_reference) {
            const guint only = given[index].from;
            const int var = given[index].to == only + 1 ? rewrite_word(r, only)->var : -1;
            // A const one of another type refers to a copy.
            if (var < 0 || (is_const_type && g_strcmp0(type, rewrite_var(r, var)->type) != 0))
                rewrite_refuse(r, "a function that waits and takes a reference");
            else
                rewrite_declare_name(p, w->text, w->length, var);
        } else {
            const int var = rewrite_add_var(r, w, type);
            struct var *const v = rewrite_declare(r, parent, NODE_DECLARE, var);
            v->dimensions = (struct range){name, name};
            v->init = given[index];
            v->has_init = true;
            v->is_const = stars ? is_const : is_const_type;
            v->is_pointer = stars > 0;
            v->is_picture = !stars && (!strcmp(type, "plane") || !strcmp(type, "struct plane"));
            rewrite_declare_name(p, w->text, w->length, var);
        }
        at = end + 1;
    }
    if (index < count)
        rewrite_refuse(r, "a function that waits, with other arguments than plain ones");
}

struct range rewrite_add_function(struct rewriter *r, const struct c_item *item, guint *name,
                                  guint *body)
{
    const struct range all = rewrite_add_words(r, item->head, item->start + item->length);
    *body = rewrite_find(r, all.from, all.to, "{");
    *name = all.from;
    while (*name < *body && rewrite_word(r, *name)->text != item->name) ++*name;
    return all;
}

void rewrite_read_call(struct reader *p, struct node *parent, struct function *f, guint open,
                       guint behind, GArray *made)
{
    struct rewriter *const r = p->r;
    struct range given[24];
    const int count = rewrite_read_arguments(p, parent, open, behind, given, G_N_ELEMENTS(given));
    guint name, body;
    const struct range all = rewrite_add_function(r, f->item, &name, &body);
    if (rewrite_is(r, all.from, "template")) rewrite_refuse(r, "a template that waits");
    if (!f->is_one) rewrite_refuse(r, "a function that waits and has overloads");
    if (name >= body || ++r->depth > MOST_DEPTH) rewrite_refuse(r, "functions that wait, too deep");
    if (r->why_not) return;
    struct reader inner = {.r = r,
                           .at = body + 1,
                           .to = all.to - 1,
                           .scope = g_array_new(FALSE, FALSE, sizeof(struct name)),
                           .result = -1};
    guint stars = 0;
    for (guint i = all.from; i < name; i++) stars += rewrite_is(r, i, "*");
    const char *const words = join_type(r, (struct range){all.from, name - stars}, stars, NULL);
    if (strcmp(words, "void") != 0) {
        const struct word result = {"result", 6, -1, -1};
        inner.result = rewrite_add_var(r, &result, words);
        struct var *const v = rewrite_declare(r, parent, NODE_DECLARE, inner.result);
        v->dimensions = v->init = (struct range){name, name};
        v->is_pointer = stars > 0;
    }
    const guint close = rewrite_behind(r, name + 1, body) - 1, first = r->vars->len;
    read_parameters(&inner, parent, (struct range){name + 2, close}, given, count);
    struct node *const n = inner.function = rewrite_add_node(r, parent, NODE_FUNCTION);
    for (guint i = first; i < r->vars->len; i++) rewrite_var(r, (int)i)->scope = n;
    while (inner.at < inner.to && !r->why_not) read_statement(&inner, n);
    g_array_free(inner.scope, TRUE);
    r->depth--;
    const struct word word = {inner.result < 0 ? "0" : "", inner.result < 0, inner.result, -1};
    g_array_append_val(made, word);
}

struct node *rewrite_read(struct rewriter *r, const struct c_item *item)
{
    guint name, body;
    const struct range all = rewrite_add_function(r, item, &name, &body);
    struct reader p = {.r = r,
                       .at = body + 1,
                       .to = rewrite_behind(r, body, all.to) - 1,
                       .scope = g_array_new(FALSE, FALSE, sizeof(struct name)),
                       .result = -1};
    const guint close = rewrite_behind(r, name + 1, body) - 1;
    struct node *const root = r->root = rewrite_add_node(r, NULL, NODE_BLOCK);
    for (guint at = name + 2; at < close;) {
        const guint end = rewrite_find(r, at, close, ",");
        guint last = rewrite_find(r, at, end, "=");
        while (last-- > at)
            if (rewrite_is_name(r, last)) break;
        const int var = rewrite_add_var(r, rewrite_word(r, last), NULL);
        rewrite_var(r, var)->block = root;
        if (rewrite_var(r, var)->shown != rewrite_var(r, var)->name)
            rewrite_refuse(r, "an argument named blockDim or gridDim");
        for (guint i = at; i < end; i++) {
            rewrite_var(r, var)->is_pointer |= rewrite_is(r, i, "*") || rewrite_is(r, i, "[");
            rewrite_var(r, var)->is_picture |= rewrite_is(r, i, "plane");
            rewrite_var(r, var)->is_real |= rewrite_is_any(r, i, real_types);
        }
        rewrite_declare_name(&p, rewrite_word(r, last)->text, rewrite_word(r, last)->length, var);
        at = end + 1;
    }
    while (p.at < p.to && !r->why_not) read_statement(&p, root);
    g_array_free(p.scope, TRUE);
    rewrite_part_names(r);
    return r->why_not ? NULL : root;
}
