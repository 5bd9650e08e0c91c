// Finds where a kernel changes its variables, by what, and who else may.
#include "device/cpu/rewrite_parts.h"

// False if a variable is, or may be, a struct.
static bool is_simple(const struct rewriter *r, const struct var *v)
{
    const bool is_pointer = v->is_pointer && !rewrite_is_array(v);
    bool is_number = !v->type || is_pointer || v->is_picture;
    struct c_tokens tokens = c_tokens_of(v->type ? v->type : "");
    for (struct c_token token; !is_number && (token = c_tokens_next_code(&tokens)).kind;) {
        if (rewrite_named(r, token)) break;
        is_number = !v->is_auto && rewrite_is_number(token);
    }
    return is_number;
}

unsigned rewrite_type_facts(const struct rewriter *r, const struct var *v, unsigned unknown)
{
    if (is_simple(r, v)) return 0;
    struct c_tokens tokens = c_tokens_of(v->type);
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind;) {
        const struct function *const f = rewrite_named(r, token);
        if (f) return f->facts;
    }
    return unknown;
}

// What stands for a variable's memory or a part of it: v, v.x[3], (v), (c ? v : w).
struct lvalue {
    guint from, to;
    bool is_part, is_target;  // target: it lies behind a pointer
    bool is_called;           // a function of its struct is
    bool may_decay;           // a member, which may be an array, is its last part
};

// True if a bracket encloses it, or a choice that may be it.
static bool enclose(const struct rewriter *r, struct range whole, struct lvalue *l)
{
    static const char *const before[] = {"(", "?", ":", ",", NULL};
    static const char *const behind[] = {")", ":", NULL};
    if (l->from == whole.from || l->to >= whole.to || !rewrite_is_any(r, l->from - 1, before) ||
        !rewrite_is_any(r, l->to, behind))
        return false;
    const guint open = rewrite_before(r, l->from, whole.from);
    if (!rewrite_is(r, open, "(")) return false;
    if (open > whole.from && rewrite_is_operand(r, open - 1)) return false;  // a call's arguments
    l->from = open;
    l->to = rewrite_behind(r, open, whole.to);
    return l->is_part = true;
}

static struct lvalue lvalue_of(const struct rewriter *r, struct range whole, guint i)
{
    const struct var *const v = rewrite_var(r, rewrite_word(r, i)->var);
    struct lvalue l = {.from = i, .to = i + 1};
    do {
        while (l.to < whole.to && (rewrite_is(r, l.to, "[") || rewrite_is(r, l.to, "."))) {
            l.may_decay = rewrite_is(r, l.to, ".");
            if (!l.may_decay && v->is_pointer && !rewrite_is_array(v)) {
                l.is_target = true;
                return l;
            }
            l.is_part = true;
            l.is_called |= l.may_decay &&
                           (rewrite_open_call(r, l.to + 1, whole.to) ||
                            rewrite_is(r, l.to + 1, "template") || rewrite_is(r, l.to + 1, "*"));
            l.to = l.may_decay ? l.to + 2 : rewrite_behind(r, l.to, whole.to);
        }
    } while (enclose(r, whole, &l));
    return l;
}

// True if a function or an operator of its struct may change it, or somebody who knows where the
// array lies that it holds.
static bool may_change_unseen(const struct rewriter *r, const struct var *v, struct lvalue l)
{
    if (v->is_pointer && !rewrite_is_array(v)) return false;  // only its target changes
    if (l.is_called) return true;
    if (v->is_const) return false;
    return (l.may_decay && rewrite_type_facts(r, v, READS_MEMORY) & READS_MEMORY) ||
           (r->has_operators && !is_simple(r, v));
}

static void find_change(struct rewriter *r, struct node *n, struct range whole, guint i)
{
    struct change change = {.var = rewrite_word(r, i)->var, .node = n, .at = i};
    struct var *const v = rewrite_var(r, change.var);
    // A picture's pixels lie behind a pointer.
    if (v->is_picture && rewrite_is(r, i + 1, ".") && rewrite_is(r, i + 3, "[")) return;
    const struct lvalue l = lvalue_of(r, whole, i);
    guint from = l.from, at = l.to;
    v->is_exposed |= may_change_unseen(r, v, l);
    if (l.is_target || rewrite_is_pair(r, at, '-', '>')) return;
    const bool is_first = from == whole.from || !rewrite_is_operand(r, from - 1);
    const bool is_and = from > whole.from + 1 && rewrite_is_pair(r, from - 2, '&', '&');
    const bool is_alone = from == whole.from || rewrite_may_be_unary(r, from - 1, whole.from);
    if (from > whole.from && rewrite_is(r, from - 1, "&") && !is_and && is_alone)
        v->is_exposed = true;
    const bool is_before = from > whole.from + 1 && rewrite_is_step(r, from - 2);
    const bool is_behind = rewrite_is_step(r, at);
    if (!is_before && !is_behind && is_first && from > whole.from && rewrite_is(r, from - 1, "*") &&
        is_alone)
        return;  // only its target changes
    // The index of =, behind the operator of a change such as +=.
    const char first = at < whole.to ? *rewrite_word(r, at)->text : '\0';
    const bool is_shift = rewrite_is_pair(r, at, '<', '<') || rewrite_is_pair(r, at, '>', '>');
    const guint equals = is_shift ? at + 2 : first && strchr("+-*/%&|^", first) ? at + 1 : at;
    if (is_before || is_behind) {
        change.mark = *rewrite_word(r, is_before ? from - 1 : at)->text;
        if (is_before) from -= 2;
        if (is_behind) at += 2;
    } else if (equals < whole.to &&
               (equals > at ? rewrite_is_pair(r, equals - 1, first, '=')
                            : rewrite_is(r, at, "=") && !rewrite_is_pair(r, at, '=', '='))) {
        change.mark = first;
        change.by = (struct range){equals + 1, rewrite_find(r, equals + 1, whole.to, ",)]")};
        at = change.by.to;
    } else {
        return;
    }
    if (l.is_part) change.mark = '.';
    change.is_whole = from == whole.from && at == whole.to;
    v->is_changed = true;
    g_array_append_val(r->changes, change);
}

// True if the words from i up to behind may be what = or ++ changes.
static bool is_near_change(const struct rewriter *r, struct range whole, guint i, guint behind)
{
    bool is_near = i >= whole.from + 2 && rewrite_is_step(r, i - 2);
    for (guint k = behind; k < MIN(behind + 3, whole.to); k++)
        is_near |= rewrite_is(r, k, "=") || rewrite_is_step(r, k);
    return is_near;
}

static void expose_all(struct rewriter *r, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        if (rewrite_word(r, i)->var >= 0)
            rewrite_var(r, rewrite_word(r, i)->var)->is_exposed = true;
}

// True if a function may change its argument of that index, which is a reference.
static bool may_change_argument(const struct rewriter *r, const struct function *f, int index)
{
    struct c_tokens tokens = c_tokens_of(f->item->name);
    int depth = 0, at = 0;
    bool is_reference = false;
    if (f->item->kind != C_ITEM_FUNCTION || !f->is_one) return true;
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind;) {
        const struct function *const alias = rewrite_named(r, token);
        const char mark = token.kind == C_TOKEN_MARK ? *token.start : ' ';
        depth += (strchr("(<[", mark) != NULL) - (strchr(")>]", mark) != NULL);
        if (mark == '.' || mark == '=') return true;  // a pack, or what may have other marks
        if (mark == ')' && !depth) return at < index || is_reference;
        if (mark == ',' && depth == 1) at++;
        is_reference |= at == index &&
                        (mark == '&' || (alias && alias != f && alias->facts & CHANGES_ARGUMENTS));
    }
    return true;
}

static void expose_arguments(struct rewriter *r, const struct function *f, guint open, guint behind)
{
    int index = 0;
    for (guint i = open; i < behind; i++) {  // which commas end an argument is not known then
        const struct function *const used = rewrite_function(r, i);
        if (rewrite_is(r, i, "<") || (used && used->item->kind == C_ITEM_MACRO)) f = NULL;
    }
    for (guint at = open + 1; at < behind; index++) {
        const guint end = rewrite_find(r, at, behind - 1, ",");
        if (!f || may_change_argument(r, f, index)) expose_all(r, at, end);
        at = end + 1;
    }
}

static void find_changes_in(struct rewriter *r, struct node *n, struct range whole)
{
    for (guint i = whole.from; i < whole.to; i++) {
        const struct function *const f = rewrite_function(r, i);
        const guint open = rewrite_is_name(r, i) ? rewrite_open_call(r, i, whole.to) : 0;
        const bool is_member =
            i > whole.from && (rewrite_is(r, i - 1, ".") || rewrite_is(r, i - 1, ">"));
        if (rewrite_word(r, i)->var >= 0) {
            find_change(r, n, whole, i);
        } else if (f && f->item->kind == C_ITEM_MACRO && f->facts & CHANGES_ARGUMENTS &&
                   (!open || rewrite_is(r, open + 1, ")"))) {
            expose_all(r, whole.from, whole.to);  // it may be an operator
        } else if (rewrite_is(r, i, "{") && r->has_references) {
            expose_all(r, i, rewrite_behind(r, i, whole.to));
        } else if (open && (f || is_member)) {
            const guint behind = rewrite_behind(r, open, whole.to);
            bool is_change = f && f->facts & CHANGES_ARGUMENTS;
            is_change |= is_member && r->has_references;
            if (f && f->item->kind == C_ITEM_MACRO)  // what it stands for may be assigned to
                is_change |= is_near_change(r, whole, i, behind);
            if (is_change) expose_arguments(r, is_member ? NULL : f, open, behind);
        }
    }
}

void rewrite_find_changes(struct rewriter *r, struct node *n)
{
    find_changes_in(r, n, n->words);
    find_changes_in(r, n, n->condition);
    for (guint at = n->step.from; at < n->step.to; at++) {
        const guint end = rewrite_find(r, at, n->step.to, ",)]");
        find_changes_in(r, n, (struct range){at, end});
        at = end;
    }
    for (int i = 0; i < 4; i++) find_changes_in(r, n, n->parts[i]);
    if (n->var >= 0) {
        find_changes_in(r, n, rewrite_var(r, n->var)->init);
        find_changes_in(r, n, rewrite_var(r, n->var)->dimensions);
    }
}

// ---- what macros do to the kernel's variables ----

// True if a word of a macro's body is changed there, or may be where the macro stands for it.
static bool may_change(const char *body, struct c_token word, const struct var *v)
{
    const char *from = word.start, *to = word.start + word.length;
    while (from > body && strchr(" (", from[-1])) from--;
    to += strspn(to, " )");
    const bool is_alone = from == body && !v->is_const;
    const char *const last = from - body < 2 ? "" : from - 2;
    return (is_alone && (!*to || strchr(v->home ? "\n.[" : "\n", *to))) ||
           !strncmp(last, "++", 2) || !strncmp(last, "--", 2) || !strncmp(to, "++", 2) ||
           !strncmp(to, "--", 2) || !strncmp(to, "<<=", 3) || !strncmp(to, ">>=", 3) ||
           (*to == '=' && to[1] != '=') || (*to && strchr("+-*/%&|^", *to) && to[1] == '=');
}

bool rewrite_names_variable(const struct rewriter *r, const struct function *macro, int depth)
{
    const char *const parameters = macro->item->name + macro->item->name_length,
                      *const body = rewrite_macro_body(macro->item);
    struct c_tokens tokens = c_tokens_of(macro->item->head);
    struct c_token before = {.kind = C_TOKEN_END};
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind; before = token) {
        if (token.start >= macro->end) break;
        if (token.kind != C_TOKEN_WORD || token.start < body || c_token_is(before, ".")) continue;
        bool is_own = false;
        struct c_tokens own = c_tokens_of(parameters);
        for (struct c_token p; !is_own && (p = c_tokens_next_code(&own)).kind && p.start < body;)
            is_own = c_token_is_same(p, token);
        for (guint i = 0; i < r->vars->len && !is_own; i++) {
            const struct var *const v = rewrite_var(r, (int)i);
            if (v->is_shared || !c_token_is(token, v->name)) continue;
            if (v->kind != VAR_UNIFORM || v->is_changed || v->is_exposed ||
                strcmp(v->name, v->shown) || may_change(body, token, v))
                return true;
        }
        const struct function *const f = rewrite_named(r, token);
        if (!is_own && f && f != macro && f->item->kind == C_ITEM_MACRO && depth < 8 &&
            rewrite_names_variable(r, f, depth + 1))
            return true;
    }
    return false;
}
