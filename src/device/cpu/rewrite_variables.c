// The variables of a file, and what stands for a lambda or a reference.
#include "device/cpu/rewrite_parts.h"

static struct function *add_variable(struct rewriter *r, struct c_token name, unsigned facts)
{
    static const struct c_item item = {.kind = C_ITEM_MACRO, .name = "", .start = "", .head = ""};
    struct function *f = rewrite_named(r, name);
    if (!f) {
        f = g_new0(struct function, 1);
        f->item = &item;
        f->end = item.head;
        g_hash_table_insert(r->functions, g_strndup(name.start, name.length), f);
    }
    f->is_one = false;
    f->facts |= facts;
    return f;
}

// True for __device__ and the like, and for a macro that has it.
static bool is_memory(const struct rewriter *r, struct c_token token)
{
    static const char *const words[] = {"__device__", "__managed__", "__shared__", NULL};
    const struct function *const f = rewrite_named(r, token);
    bool is_found = rewrite_is_any_token(token, words);
    for (const char *const *word = words; *word && f && f->item->kind == C_ITEM_MACRO; word++)
        is_found |= g_strstr_len(f->item->head, f->end - f->item->head, *word) != NULL;
    return is_found;
}

// A declaration of a file, as far as it is read.
struct declaration {
    bool is_memory, is_const, is_function, is_scope, is_real, is_alias, is_reference;
    bool is_value;        // behind = or {, up to the next comma
    int depth;            // of brackets
    struct c_token name;  // of an alias
};

// Adds what is declared, at one of the marks that end a name or at the [ of a lambda.
static void add_declared(struct rewriter *r, const struct declaration *now, struct c_token before,
                         struct c_token second, char mark)
{
    const unsigned all = READS_MEMORY | HAS_EFFECT, real = now->is_real ? MAY_BE_REAL : 0;
    if (now->depth || now->is_function) return;
    if (mark == '[' && c_token_is(before, "=") && second.kind == C_TOKEN_WORD) {
        add_variable(r, second, all | CHANGES_ARGUMENTS | MAY_FAULT | MAY_BE_REAL);
        r->has_references = true;
    } else if (now->is_alias) {
        const struct c_token name = now->name.kind ? now->name : before;
        if (mark == ';' && now->is_reference) add_variable(r, name, CHANGES_ARGUMENTS);
        if (mark == '[') add_variable(r, name, 0)->why_not = "an array's type that has a name";
    } else if (strchr(";,={", mark) && before.kind == C_TOKEN_WORD && !now->is_value) {
        const bool may_change = now->is_memory && !now->is_const;
        if (may_change || real) add_variable(r, before, (may_change ? all : 0) | real);
    }
}

// In `static __device__ int a, b[4], c = 3;` a and c are variables that kernels may change.
void rewrite_add_variables(struct rewriter *r, const char *text)
{
    static const char *const types[] = {"struct", "union", "class", "enum", NULL},
                             *const reals[] = {"float", "double", "half", "auto", NULL},
                             *const no_functions[] = {"alignas", "decltype", NULL};
    static const struct declaration none = {.is_memory = false};
    struct declaration now = none;
    int bodies = 0;  // the open braces of a function or struct
    struct c_tokens tokens = c_tokens_of(text);
    struct c_token token, before = {.kind = C_TOKEN_END}, second = before;
    for (; (token = c_tokens_next_code(&tokens)).kind; second = before, before = token) {
        const char mark = token.kind == C_TOKEN_MARK ? *token.start : ' ';
        const bool is_type = mark == '{' && (rewrite_is_any_token(before, types) ||
                                             rewrite_is_any_token(second, types));
        r->has_operators |= c_token_is(token, "operator");
        if (c_token_is(before, "#undef"))
            add_variable(r, token, 0)->why_not = "a macro that is defined anew";
        if (token.is_directive) continue;
        if (bodies) {
            bodies += (mark == '{') - (mark == '}');
            continue;
        }
        now.is_memory |= is_memory(r, token);
        now.is_const |= c_token_is(token, "const") || c_token_is(token, "constexpr");
        now.is_const &= mark != '*';
        now.is_scope |= c_token_is(token, "namespace");
        now.is_real |= rewrite_is_any_token(token, reals);
        now.is_alias |= c_token_is(token, "using") || c_token_is(token, "typedef");
        now.is_reference |= mark == '&' && !now.depth;
        if (c_token_is(before, "using")) now.name = token;
        // int f(int) is a function, and int g(3) none.
        struct c_tokens ahead = tokens;
        const bool has_round = mark == '(' && !now.depth && before.kind == C_TOKEN_WORD &&
                               *before.start != '_' && !rewrite_is_any_token(before, no_functions),
                   is_made = has_round && c_tokens_next_code(&ahead).kind == C_TOKEN_NUMBER;
        now.is_function |= has_round && !is_made;
        const bool is_body = mark == '{' && !now.depth && !now.is_value &&
                             (!now.is_memory || now.is_function || c_token_is(before, ")"));
        if (!is_type) add_declared(r, &now, before, second, is_made ? ';' : mark);
        if (is_body || (!now.depth && mark == ';')) {
            bodies = is_body && !now.is_scope && before.start[0] != '"';
            now = none;
            continue;
        }
        if (!now.depth)
            now.is_value =
                (now.is_value || mark == '=' || (mark == '{' && !is_type)) && mark != ',';
        now.depth += strchr("([{", mark) || (mark == '<' && now.is_memory && !now.is_value);
        now.depth -=
            now.depth && (strchr(")]}", mark) || (mark == '>' && now.is_memory && !now.is_value));
    }
}
