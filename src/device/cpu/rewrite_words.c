// Words, names and expressions of a kernel; what the file's functions do, and copies of them that
// take the thread's place as arguments instead of reading threadIdx. This file is long because what
// a word means decides all of this.
#include <string.h>

#include "base/c_tokens.h"
#include "device/cpu/rewrite_parts.h"

// ---- words ----

static const char *const own_types[] = {"unsigned", "signed", "int",  "char",   "short", "long",
                                        "float",    "double", "bool", "size_t", "auto",  NULL};

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

bool rewrite_is_pair(const struct rewriter *r, guint i, char first, char second)
{
    const struct word *const w = rewrite_word(r, i);
    return i + 1 < r->words->len && w[0].length == 1 && w[1].length == 1 && *w[0].text == first &&
           *w[1].text == second && w[0].text + 1 == w[1].text;
}

bool rewrite_is_own_type(const struct rewriter *r, guint i)
{
    return rewrite_is_any(r, i, own_types);
}

static bool is_any_of(struct c_token token, const char *const *words)
{
    while (*words && !c_token_is(token, *words)) words++;
    return *words;
}

static bool has_small_letter(const char *word, size_t length)
{
    bool is_found = false;
    for (size_t i = 0; i < length; i++) is_found |= g_ascii_islower(word[i]);
    return is_found;
}

static char mark_at(const struct rewriter *r, guint i)
{
    return rewrite_word(r, i)->length == 1 ? *rewrite_word(r, i)->text : ' ';
}

guint rewrite_before(const struct rewriter *r, guint i, guint from)
{
    guint at = i;
    for (int depth = 1; at > from;) {
        at--;
        depth += (strchr(")]}", mark_at(r, at)) != NULL) - (strchr("([{", mark_at(r, at)) != NULL);
        if (!depth) return at;
    }
    return i;
}

// True for the bracket that ends (int), (float *) or (name), but not (variable) or (CONSTANT).
static bool ends_cast(const struct rewriter *r, guint i)
{
    const guint open = rewrite_before(r, i, 0);
    if (open == i) return false;
    const struct word *const only = rewrite_word(r, open + 1);
    if (open > 0 && rewrite_is_name(r, open - 1)) return false;  // of a call
    if (rewrite_is(r, i - 1, "*")) return true;
    bool is_type = i == open + 2 && has_small_letter(only->text, only->length);
    for (guint k = open + 1; k < i; k++) {
        if (!rewrite_is_name(r, k) || rewrite_word(r, k)->var >= 0) return false;
        is_type |= rewrite_is_own_type(r, k);
    }
    return is_type;
}

bool rewrite_may_end_cast(const struct rewriter *r, guint i)
{
    return i > 1 && rewrite_is(r, i, ")") && rewrite_is(r, i - 2, "(") &&
           rewrite_is_name(r, i - 1) && rewrite_word(r, i - 1)->var < 0 &&
           (i == 2 || !rewrite_is_name(r, i - 3));
}

bool rewrite_is_operand(const struct rewriter *r, guint i)
{
    const char first = *rewrite_word(r, i)->text;
    return first == '\0' || g_ascii_isalnum(first) || strchr("_].", first) ||
           (first == ')' && !ends_cast(r, i));
}

guint rewrite_behind(const struct rewriter *r, guint i, guint to)
{
    int depth = 0;
    for (; i < to; i++) {
        depth += (strchr("([{", mark_at(r, i)) != NULL) - (strchr(")]}", mark_at(r, i)) != NULL);
        if (depth <= 0) return i + 1;
    }
    return to;
}

guint rewrite_open_call(const struct rewriter *r, guint i, guint to)
{
    guint at = i + 1;
    if (rewrite_is(r, at, "<"))
        for (int depth = 0; at < to; at++) {
            depth += rewrite_is(r, at, "<") - rewrite_is(r, at, ">");
            if (!depth || strchr(";&|", *rewrite_word(r, at)->text)) break;
        }
    at += at > i + 1;
    return at < to && rewrite_is(r, at, "(") ? at : 0;
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
    struct node *const n = g_new(struct node, 1);
    bool is_outside = false;  // outside of the function that returns
    *n = (struct node){.kind = kind,
                       .parent = parent,
                       .order = (int)r->nodes->len,
                       .var = -1,
                       .has_barrier = kind == NODE_BARRIER,
                       .has_warp = kind == NODE_EXCHANGE,
                       .has_return = kind == NODE_RETURN};
    g_ptr_array_add(r->nodes, n);
    for (struct node *up = parent; up; up = up->parent) {
        up->has_barrier |= n->has_barrier;
        up->has_warp |= n->has_warp;
        up->has_return |= n->has_return && !is_outside;
        is_outside |= up->kind == NODE_FUNCTION;
    }
    if (!parent) return n;
    if (parent->last) parent->last->next = n;
    if (!parent->first) parent->first = n;
    parent->last = n;
    return n;
}

// ---- names ----

static const char *const places[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};

void rewrite_declare_name(struct reader *p, const char *text, unsigned length, int var)
{
    const struct name name = {text, length, var};
    g_array_append_val(p->scope, name);
}

// Returns -1 for a member's name and a qualified name, which are no variables.
static int find_name(const struct reader *p, const struct node *parent, guint at, guint from)
{
    struct rewriter *const r = p->r;
    const struct word *const w = rewrite_word(r, at);
    if ((at > from && rewrite_is(r, at - 1, ".")) ||
        (at > from + 1 &&
         (rewrite_is_pair(r, at - 2, '-', '>') || rewrite_is_pair(r, at - 2, ':', ':'))))
        return -1;
    for (guint i = p->scope->len; i-- > 0;) {
        const struct name *const name = &g_array_index(p->scope, struct name, i);
        if (name->length == w->length && !strncmp(name->text, w->text, w->length)) return name->var;
    }
    const struct function *const f = rewrite_function(r, at);
    const struct use use = {g_string_chunk_insert_len(r->strings, w->text, w->length), parent};
    if (!f || !(f->facts & (USES_PLACE | WAITS))) g_array_append_val(r->others, use);
    return -1;
}

void rewrite_part_names(struct rewriter *r)
{
    for (guint i = 0; i < r->vars->len; i++) {
        struct var *const v = rewrite_var(r, (int)i);
        for (guint k = 0; k < r->others->len && v->shown == v->name; k++) {
            const struct use *const use = &g_array_index(r->others, struct use, k);
            if (strcmp(use->name, v->name) != 0 || !rewrite_is_inside(use->node, v->block))
                continue;
            g_autofree char *other = g_strdup_printf("%s_%u", v->name, i);
            v->shown = g_string_chunk_insert(r->strings, other);
            if (!v->home) rewrite_refuse(r, "an argument with the name of something else");
        }
    }
}

void rewrite_look_for_names(struct rewriter *r)
{
    static const char *const ends[] = {"", "_0", "_by"};
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < r->others->len; i++)
        g_hash_table_add(names, (gpointer)g_array_index(r->others, struct use, i).name);
    for (guint i = 0; i < r->vars->len; i++)
        g_hash_table_add(names, (gpointer)rewrite_var(r, (int)i)->name);
    for (guint i = 0; i < r->vars->len; i++) {
        const struct var *const v = rewrite_var(r, (int)i);
        const size_t count = v->kind == VAR_ROW ? G_N_ELEMENTS(ends) : 1;
        for (size_t k = v->shown == v->name; k < count; k++) {
            g_autofree char *own = g_strconcat(v->shown, ends[k], NULL);
            if (g_hash_table_contains(names, own))
                rewrite_refuse(r, "a variable with the name of one that would be added");
        }
    }
}

// What is written reads the block's own blockDim beside a variable of that name.
int rewrite_add_var(struct rewriter *r, const struct word *name, const char *type)
{
    struct var var = {.name = g_string_chunk_insert_len(r->strings, name->text, name->length),
                      .declared = name->text,
                      .type = type,
                      .twin = -1};
    var.shown = var.name;
    bool is_taken = g_strv_contains(places, var.name);
    for (guint i = 0; i < r->vars->len && !is_taken; i++)
        is_taken = !strcmp(rewrite_var(r, (int)i)->name, var.name);
    if (is_taken) {
        g_autofree char *other = g_strdup_printf("%s_%u", var.name, r->vars->len);
        var.shown = g_string_chunk_insert(r->strings, other);
    }
    g_array_append_val(r->vars, var);
    return (int)r->vars->len - 1;
}

// ---- what the functions, structs and macros of a file do, by their words ----

bool rewrite_is_place(struct c_token token)
{
    return is_any_of(token, places);
}

bool rewrite_is_number(struct c_token token)
{
    g_autofree char *word = g_strndup(token.start, token.length);
    return is_any_of(token, own_types) ||
           g_regex_match_simple("^(u?(char|short|int|long|longlong|int\\d+_t)|float|double)[1-4]?$",
                                word, 0, 0);
}

struct function *rewrite_find_function(const struct rewriter *r, const char *text, size_t length)
{
    g_autofree char *name = g_strndup(text, length);
    return g_hash_table_lookup(r->functions, name);
}

struct function *rewrite_function(const struct rewriter *r, guint i)
{
    return rewrite_is_name(r, i)
               ? rewrite_find_function(r, rewrite_word(r, i)->text, rewrite_word(r, i)->length)
               : NULL;
}

// The exchange that a word stands for; NULL: none. fast_words.h has the functions in `take`.
static const struct exchange *exchange_of(const char *word, size_t length)
{
    static const struct exchange table[] = {
        {"__shfl_sync", "at", false},        {"__shfl_up_sync", "up", false},
        {"__shfl_down_sync", "down", false}, {"__shfl_xor_sync", "across", false},
        {"__ballot_sync", "ballot", true},   {"__any_sync", "any", true},
        {"__all_sync", "every", true},       {"__syncwarp", NULL, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (strlen(table[i].word) == length && !strncmp(table[i].word, word, length))
            return &table[i];
    return NULL;
}

static const struct {
    const char *word, *why;
} refused[] = {
    {"__syncthreads_count", "it counts threads at a barrier"},
    {"__syncthreads_or", "it counts threads at a barrier"},
    {"__syncthreads_and", "it counts threads at a barrier"},
    {"__activemask", "it asks which lanes are there"},
    {"__match_any_sync", "__match_any_sync"},
    {"__match_all_sync", "__match_all_sync"},
    {"__reduce_add_sync", "a warp's reduction in one word"},
    {"__reduce_min_sync", "a warp's reduction in one word"},
    {"__reduce_max_sync", "a warp's reduction in one word"},
    {"__reduce_and_sync", "a warp's reduction in one word"},
    {"__reduce_or_sync", "a warp's reduction in one word"},
    {"__reduce_xor_sync", "a warp's reduction in one word"},
    {"asm", "asm"},
    {"goto", "goto"},
    {"try", "try"},
    {"static", "a static variable"},
    {"printf", "printf, whose lines keep their order"},
    {"thread_block", "cooperative groups"},
    {"this_thread_block", "cooperative groups"},
    {"tiled_partition", "cooperative groups"},
    {"coalesced_threads", "cooperative groups"},
    {"this_grid", "cooperative groups"},
    {"this_cluster", "cooperative groups"},
    {"and", "an operator that is a word"},
    {"or", "an operator that is a word"},
    {"not", "an operator that is a word"},
    {"xor", "an operator that is a word"},
    {"compl", "an operator that is a word"},
    {"bitand", "an operator that is a word"},
    {"bitor", "an operator that is a word"},
    {"and_eq", "an operator that is a word"},
    {"or_eq", "an operator that is a word"},
    {"xor_eq", "an operator that is a word"},
    {"not_eq", "an operator that is a word"},
    // Only in a kernel's body.
    {"assert", "assert"},
    {"operator", "an operator of its own"},
    {"__syncthreads", "a barrier within an expression"},
    {"for", "a statement within an expression"},
    {"while", "a statement within an expression"},
    {"do", "a statement within an expression"},
    {"if", "a statement within an expression"},
    {"switch", "a statement within an expression"},
};

enum { REFUSED_IN_KERNELS = 8 };  // the last ones

const char *rewrite_why_refused(const char *word, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        if (strlen(refused[i].word) == length && !strncmp(refused[i].word, word, length))
            return refused[i].why;
    return NULL;
}

const char *rewrite_macro_body(const struct c_item *item)
{
    const char *const behind = item->name + item->name_length, *const close =
                                                                   *behind == '('
                                                                       ? strchr(behind, ')')
                                                                       : NULL;
    return close ? close + 1 : behind;
}

// A token of a text, and what is known of those before it.
struct seen {
    struct c_token token, before, last, next, second;  // last, before; next, second
    bool is_in_body, is_macro, is_operand;  // is_operand: an operator behind `before` has two
    bool is_const;                          // the type being read is
    bool is_called;                         // the innermost bracket, the last to open, is
    int depth, brackets;                    // braces and parentheses
};

static bool is_and(const struct seen *s)
{
    return c_token_is(s->token, "&") && !c_token_is(s->before, "&") && !c_token_is(s->next, "&");
}

// What it may divide by 0, and whether it may never end or be a real number.
static unsigned facts_of_numbers(const struct c_item *item, const struct seen *s)
{
    static const char *const faults[] = {"for", "while", "do", "assert", NULL},
                             *const reals[] = {"float", "double", "half", "auto", "template", NULL};
    const struct c_token token = s->token;
    const bool divides = c_token_is(s->before, "/") || c_token_is(s->before, "%"),
               is_word = token.kind == C_TOKEN_WORD, is_number = token.kind == C_TOKEN_NUMBER,
               is_known = is_number ? !c_token_is(token, "0")
                                    : is_word && !has_small_letter(token.start, token.length);
    unsigned facts = divides && !is_known ? MAY_FAULT : 0;
    g_autofree char *text = g_strndup(token.start, token.length);
    if (is_word && g_strv_contains(faults, text)) facts |= MAY_FAULT;
    if (is_word && s->is_in_body && c_token_is(s->next, "(") && item->name_length &&
        item->kind == C_ITEM_FUNCTION && c_item_defines(item, token.start, token.length))
        facts |= MAY_FAULT;  // it calls itself
    if (is_word && g_strv_contains(reals, text)) facts |= MAY_BE_REAL;
    if (is_number && strpbrk(text, text[1] == 'x' || text[1] == 'X' ? "." : ".eEfF"))
        facts |= MAY_BE_REAL;
    return facts;
}

static unsigned facts_of_memory(const struct c_item *item, const struct seen *s)
{
    const bool is_set = c_token_is(s->token, "="), is_macro = s->is_macro,
               takes_address = c_token_is(s->token, "&") && !s->is_operand;
    unsigned facts = 0;
    if (rewrite_is_atomic(s->token.start, s->token.length) ||
        (s->is_in_body && is_set && (c_token_is(s->before, "]") || is_macro)))
        facts |= HAS_EFFECT | READS_MEMORY;
    if (c_token_is(s->token, "[") ||
        (c_token_is(s->token, "*") && !(s->is_in_body && s->is_operand)) ||
        (s->is_in_body && ((c_token_is(s->before, "-") && c_token_is(s->token, ">")) ||
                           (takes_address && !is_macro))))
        facts |= READS_MEMORY;
    if ((c_token_is(s->token, "&") && (!s->is_in_body || is_macro)) ||
        (is_macro && is_set && !c_token_is(s->before, "=")) ||
        (is_macro && strchr("+-", *s->token.start) && s->token.start[-1] == *s->token.start))
        facts |= CHANGES_ARGUMENTS;
    if (item->kind != C_ITEM_STRUCT || s->depth != 1) return facts;
    if (is_and(s) && s->brackets && !s->is_const) facts |= CHANGES_ARGUMENTS;
    if (is_set || c_token_is(s->token, "(")) facts |= IS_MADE;
    if (c_token_is(s->token, "*")) facts |= HOLDS_ADDRESS;
    return facts;
}

// True where a macro's parameter stands before a bracket or another word: it may be the name of a
// function, or an operator.
static bool is_applied(const struct c_item *item, const struct seen *s)
{
    const char *const body = rewrite_macro_body(item);
    struct c_tokens tokens = c_tokens_of(item->name + item->name_length);
    bool is_own = false;
    if (s->token.kind != C_TOKEN_WORD || s->token.start < body) return false;
    for (struct c_token p; (p = c_tokens_next_code(&tokens)).kind && p.start < body;)
        is_own |= c_token_is_same(p, s->token);
    return is_own && (c_token_is(s->next, "(") || s->before.kind == C_TOKEN_WORD ||
                      s->next.kind == C_TOKEN_WORD);
}

// Why a kernel that uses it stays on fibers, and why there can be no copy of it; NULL: it need not.
static void find_reasons(struct function *f, const struct seen *s)
{
    const struct c_token token = s->token, before = s->before, next = s->next;
    for (size_t i = 0; i < G_N_ELEMENTS(refused) - REFUSED_IN_KERNELS && s->is_in_body; i++)
        if (c_token_is(token, refused[i].word)) f->why_not = refused[i].why;
    if (s->is_macro && c_token_is(token, "#") && c_token_is(before, "#"))
        f->why_not = "a macro that joins words";
    if (f->item->kind == C_ITEM_STRUCT && s->depth == 1 && !s->brackets && is_and(s) &&
        next.kind == C_TOKEN_WORD && s->second.kind == C_TOKEN_MARK &&
        strchr(";,={", *s->second.start))
        f->why_not = "a struct with a reference";
    if (f->item->kind == C_ITEM_STRUCT && s->depth == 1 &&
        ((c_token_is(token, "~") && next.kind == C_TOKEN_WORD) ||
         (c_token_is(before, "operator") && c_token_is(token, "=") && !c_token_is(next, "="))))
        f->why_not = "a struct with a destructor or an assignment of its own";
    if (rewrite_is_place(token) && before.kind == C_TOKEN_WORD && !c_token_is(before, "return") &&
        !c_token_is(next, "."))
        f->why_no_copy = "a function with a variable named blockDim or gridDim";
    if (rewrite_is_place(token) && !s->is_in_body)
        f->why_no_copy = "a default argument that uses threadIdx";
    if (s->is_in_body && c_token_is(token, "[") && !s->is_operand && !c_token_is(next, "&") &&
        !c_token_is(next, "=") && !c_token_is(next, "[") && !c_token_is(before, "["))
        f->why_no_copy = "a lambda in a function that uses threadIdx";
}

// Facts that follow from a function's own words.
static void look_at(struct function *f)
{
    const bool is_macro = f->item->kind == C_ITEM_MACRO;
    const char *const body_of_macro = is_macro ? rewrite_macro_body(f->item) : NULL;
    struct c_tokens tokens = c_tokens_of(f->item->head);
    struct seen s = {.before = {.kind = C_TOKEN_END}, .is_in_body = is_macro, .is_macro = is_macro};
    g_autoptr(GString) body = g_string_new(NULL);
    while ((s.token = c_tokens_next_code(&tokens)).kind && s.token.start < f->end) {
        const struct c_token token = s.token;
        struct c_tokens ahead = tokens;
        s.next = c_tokens_next_code(&ahead);
        s.second = c_tokens_next_code(&ahead);
        if (is_macro && token.start >= body_of_macro && s.before.start < body_of_macro)
            s.is_operand = false;
        if (rewrite_is_place(token)) f->facts |= USES_PLACE;
        if (c_token_is(token, "threadIdx")) f->facts |= USES_THREAD;
        if (c_token_is(token, "__syncthreads")) f->facts |= HAS_BARRIER;
        if (exchange_of(token.start, token.length)) f->facts |= HAS_WARP;
        if (token.kind == C_TOKEN_DIRECTIVE && !c_token_is(token, "#pragma") && !is_macro)
            f->facts |= HAS_LINES;
        if (is_macro && is_applied(f->item, &s)) f->facts |= CHANGES_ARGUMENTS;
        if (is_macro && (rewrite_why_refused(token.start, token.length) ||
                         (token.kind == C_TOKEN_MARK && strchr("?{&|", *token.start) &&
                          (strchr("?{", *token.start) || c_token_is_same(token, s.before)))))
            f->facts |= HAS_CHOICE;
        s.is_const = (s.is_const || c_token_is(token, "const")) &&
                     !(token.kind == C_TOKEN_MARK && strchr("(,;{}", *token.start));
        find_reasons(f, &s);
        f->facts |= facts_of_memory(f->item, &s) | facts_of_numbers(f->item, &s);
        if (s.is_in_body && s.depth)
            g_string_append_printf(body, "%.*s ", (int)token.length, token.start);
        s.depth += c_token_is(token, "{") - c_token_is(token, "}");
        s.brackets += c_token_is(token, "(") - c_token_is(token, ")");
        s.is_in_body |= c_token_is(token, "{");
        const bool is_name = c_token_is(s.last, "(") && s.before.kind == C_TOKEN_WORD,
                   ends_type = !is_macro && c_token_is(token, ")") &&
                               (c_token_is(s.before, "*") || is_any_of(s.before, own_types) ||
                                (is_name && !s.is_called));
        if (c_token_is(token, "("))
            s.is_called = s.before.kind == C_TOKEN_WORD && !c_token_is(s.before, "return");
        s.is_operand = (token.kind == C_TOKEN_WORD && !c_token_is(token, "return")) ||
                       token.kind == C_TOKEN_NUMBER || (c_token_is(token, ")") && !ends_type) ||
                       c_token_is(token, "]");
        s.last = s.before;
        s.before = token;
    }
    f->is_rank = !strcmp(body->str, "return threadIdx . y * blockDim . x + threadIdx . x ; } ") ||
                 !strcmp(body->str, "return threadIdx . x + threadIdx . y * blockDim . x ; } ");
    if (is_macro && f->facts & WAITS) f->why_not = "a macro that waits";
}

// In words, between operators that bind less: blockIdx.x * blockDim.x + threadIdx.x, and the same
// with another product. Behind + it might be added to a real number.
#define BEHIND        "(?<=[=(,[{;?:<>&|] |\\breturn |\\( int \\) |\\blong \\) |\\( unsigned \\) )"
#define PRODUCT(a, b) "(?:" a " \\* " b "|" b " \\* " a ")"
#define TO_X(product) product " \\+ threadIdx \\. x|threadIdx \\. x \\+ " product
#define SUM(product)  BEHIND "(?:" TO_X(product) "|" TO_X("\\( " product " \\)") ")(?! [*/%\\w])"
#define WIDTH         "blockDim \\. x"
#define COLUMN        SUM(PRODUCT("blockIdx \\. x", WIDTH))
#define RANK_OR_THREADS \
    SUM(PRODUCT("threadIdx \\. y", WIDTH)) "|" BEHIND PRODUCT(WIDTH, "blockDim \\. y")

// True if one of these words is there apart from the known expressions.
static bool is_else(const char *words, const char *known, const char *others)
{
    g_autoptr(GRegex) regex = g_regex_new(known, 0, 0, NULL);
    g_autofree char *rest = g_regex_replace_literal(regex, words, -1, 0, "", 0, NULL);
    return g_regex_match_simple(others, rest, 0, 0);
}

unsigned rewrite_knowledge(const struct rewriter *r, const char *text, const char *end)
{
    enum { MOST_OPEN = 64 };
    unsigned facts = 0;
    bool is_macros[MOST_OPEN] = {false}, is_macro = false;  // which open brackets are a macro's
    int open = 0;
    g_autoptr(GString) words = g_string_new(NULL);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind && token.start < end;) {
        const struct function *const f =
            token.kind == C_TOKEN_WORD ? rewrite_find_function(r, token.start, token.length) : NULL;
        if (f) facts |= f->facts & (KNOWS_BLOCK | KNOWS_ROWS);
        if (c_token_is(token, "__shared__") || rewrite_is_atomic(token.start, token.length))
            facts |= KNOWS_BLOCK;
        for (guint i = 0; i < r->tiles->len; i++)
            if (c_token_is_same(token, g_array_index(r->tiles, struct cuda_tile, i).name))
                facts |= KNOWS_BLOCK;
        // What a macro makes of its argument may bind more than +, so nothing is known there.
        const char mark = token.length == 1 ? *token.start : '\0';
        if (mark && strchr("([{", mark) && ++open < MOST_OPEN) is_macros[open] = is_macro;
        if (mark && strchr(")]}", mark) && open > 0) open--;
        is_macro = f && f->item->kind == C_ITEM_MACRO;
        g_string_append_printf(words, "%.*s %s", (int)token.length, token.start,
                               open < MOST_OPEN && is_macros[open] ? "# " : "");
    }
    if (is_else(words->str, COLUMN, "\\b(threadIdx|blockIdx|blockDim|gridDim)\\b(?! \\. [yz])"))
        facts |= KNOWS_BLOCK;
    if (is_else(words->str, RANK_OR_THREADS, "\\b(threadIdx|blockDim)\\b(?! \\. z)"))
        facts |= KNOWS_ROWS;
    return facts;
}

void rewrite_add_functions(struct rewriter *r, const struct c_items *items)
{
    for (int i = 0; i < items->count; i++) {
        const struct c_item *const item = &items->list[i];
        if (item->kind == C_ITEM_KERNEL || item->kind == C_ITEM_ENUM || !item->name_length)
            continue;
        struct function one = {.item = item,
                               .text = items,
                               .end = item->start + item->length,
                               .last = item->head,
                               .is_one = item->kind != C_ITEM_MACRO};
        look_at(&one);
        r->has_references |= item->kind == C_ITEM_STRUCT && one.facts & CHANGES_ARGUMENTS;
        struct function *const known = rewrite_find_function(r, item->name, item->name_length);
        if (!known) {
            g_hash_table_insert(r->functions, g_strndup(item->name, item->name_length),
                                g_memdup2(&one, sizeof one));
            continue;
        }
        known->is_one = false;
        known->last = one.last;
        known->facts |= one.facts;
        known->is_rank &= one.is_rank;
        if (!known->why_not) known->why_not = one.why_not;
        if (!known->why_no_copy) known->why_no_copy = one.why_no_copy;
    }
}

static struct function *add_variable(struct rewriter *r, struct c_token name, unsigned facts)
{
    static const struct c_item item = {.kind = C_ITEM_MACRO, .name = "", .start = "", .head = ""};
    struct function *f = rewrite_find_function(r, name.start, name.length);
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
    const struct function *const f =
        token.kind == C_TOKEN_WORD ? rewrite_find_function(r, token.start, token.length) : NULL;
    bool is_found = is_any_of(token, words);
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
        const bool is_type = mark == '{' && (is_any_of(before, types) || is_any_of(second, types));
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
        now.is_real |= is_any_of(token, reals);
        now.is_alias |= c_token_is(token, "using") || c_token_is(token, "typedef");
        now.is_reference |= mark == '&' && !now.depth;
        if (c_token_is(before, "using")) now.name = token;
        // int f(int) is a function, and int g(3) none.
        struct c_tokens ahead = tokens;
        const bool has_round = mark == '(' && !now.depth && before.kind == C_TOKEN_WORD &&
                               *before.start != '_' && !is_any_of(before, no_functions),
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

// A function also does what the functions that it calls do.
void rewrite_spread(struct rewriter *r)
{
    g_autoptr(GList) all = g_hash_table_get_values(r->functions);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (const GList *at = all; at; at = at->next) {
            struct function *const f = at->data, before = *f;
            struct c_tokens tokens = c_tokens_of(f->item->head);
            struct c_token token;
            bool is_in_body = false;
            while ((token = c_tokens_next_code(&tokens)).kind && token.start < f->end) {
                is_in_body |= c_token_is(token, "{");
                const struct function *const used =
                    token.kind == C_TOKEN_WORD ? rewrite_find_function(r, token.start, token.length)
                                               : NULL;
                if (!used || used == f) continue;
                f->facts |= used->facts & ALL_OF_CALLED;
                if (used->item->kind == C_ITEM_FUNCTION && used->text == f->text &&
                    used->item->head > f->item->head)
                    f->facts |= MAY_FAULT;  // what stands below may call it in turn
                if (f->item->kind == C_ITEM_MACRO && used->item->kind == C_ITEM_MACRO)
                    f->facts |= used->facts & HAS_CHOICE;
                if (f->item->kind == C_ITEM_MACRO ||
                    (!is_in_body && used->item->kind == C_ITEM_MACRO))
                    f->facts |= used->facts & CHANGES_ARGUMENTS;
                if (!f->why_not && (is_in_body || used->item->kind != C_ITEM_MACRO))
                    f->why_not = used->why_not;
            }
            if (f->facts & USES_PLACE && !(f->facts & WAITS) && !f->why_not)
                f->why_not = f->why_no_copy;
            if (f->item->kind == C_ITEM_STRUCT && f->facts & (USES_PLACE | WAITS) && !f->why_not)
                f->why_not = "a struct whose functions use threadIdx or wait";
            is_changed |= before.facts != f->facts || before.why_not != f->why_not;
        }
    }
}

void rewrite_write_own(struct rewriter *r, GString *to, const struct c_items *items)
{
    static const char hidden[] =
        "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim";
    for (int i = 0; i < items->count; i++) {
        const struct c_item *const item = &items->list[i];
        if (item->kind != C_ITEM_FUNCTION || !item->name_length) continue;
        const struct function *const own = rewrite_find_function(r, item->name, item->name_length);
        if ((own->facts & (USES_PLACE | WAITS | HAS_LINES)) != USES_PLACE || own->why_not ||
            *item->scope)
            continue;
        struct c_tokens tokens = c_tokens_of(item->head);
        const char *copied = item->head, *const end = item->start + item->length;
        bool is_named = false;
        for (struct c_token token;
             (token = c_tokens_next_code(&tokens)).kind && token.start < end;) {
            const struct function *const f =
                token.kind == C_TOKEN_WORD ? rewrite_find_function(r, token.start, token.length)
                                           : NULL;
            struct c_tokens ahead = tokens;
            const bool is_own = token.start == item->name;
            if (!f || !(f->facts & USES_PLACE) || f->item->kind != C_ITEM_FUNCTION ||
                !(is_own || is_named) || !c_token_is(c_tokens_next_code(&ahead), "("))
                continue;
            struct c_tokens next = ahead;
            struct c_token first = c_tokens_next_code(&next);
            if (is_own && c_token_is(first, "void")) {
                ahead = next;
                first = c_tokens_next_code(&next);
            }
            g_string_append_len(to, copied, token.start - copied);
            g_string_append_printf(to, "emulator_own_%.*s(%s%s", (int)token.length, token.start,
                                   is_own ? hidden : "threadIdx, blockIdx, blockDim, gridDim",
                                   c_token_is(first, ")") ? "" : ", ");
            copied = ahead.at;
            tokens = ahead;
            is_named |= is_own;
        }
        g_string_append_len(to, copied, end - copied);
        g_string_append(to, "\n");
    }
}

// ---- expressions ----

static const struct exchange *exchange_at(const struct rewriter *r, guint i)
{
    return exchange_of(rewrite_word(r, i)->text, rewrite_word(r, i)->length);
}

// Puts a function that waits into the tree, in place of its call.
static struct function *waiting_function(const struct rewriter *r, guint i)
{
    struct function *const f = rewrite_function(r, i);
    return f && f->facts & WAITS ? f : NULL;
}

static bool has_choice(const struct rewriter *r, guint from, guint to)
{
    for (guint i = from; i < to; i++) {
        const struct function *const f =
            rewrite_word(r, i)->var < 0 ? rewrite_function(r, i) : NULL;
        if (rewrite_is(r, i, "?") || (f && f->facts & HAS_CHOICE) ||
            (i + 1 < to && (rewrite_is_pair(r, i, '&', '&') || rewrite_is_pair(r, i, '|', '|'))))
            return true;
    }
    return false;
}

// True if a comma stands there that separates no arguments: what is left of it is done first.
static bool has_comma(const struct rewriter *r, guint from, guint to)
{
    bool is_found = false;
    for (guint i = from; i < to; i++) {
        if (!rewrite_is(r, i, ",")) continue;
        const guint open = rewrite_before(r, i, from);
        is_found |=
            open == i || rewrite_is(r, open, "[") ||
            (rewrite_is(r, open, "(") && (open == from || !rewrite_is_operand(r, open - 1)));
    }
    return is_found;
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
        if (has_choice(r, range.from, i) || has_choice(r, behind, range.to) ||
            has_comma(r, range.from, i))
            rewrite_refuse(r, "a shuffle, a vote or a barrier that depends on a condition");
        if (f) {
            rewrite_read_call(p, parent, f, i + 1, behind, made);
        } else {
            struct range parts[4] = {{0, 0}};
            rewrite_read_arguments(p, parent, i + 1, behind, parts, G_N_ELEMENTS(parts));
            struct node *const n = rewrite_add_node(r, parent, NODE_EXCHANGE);
            memcpy(n->parts, parts, sizeof parts);
            n->exchange = exchange_at(r, i);
            r->has_warp = true;
            const struct word word = {"0", 1, 0, -1, n->exchange->take ? n->order : -1};
            g_array_append_val(made, word);
        }
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
        if (*w->text == ';') rewrite_refuse(r, "a statement within an expression");
        if (rewrite_is_pair(r, i, '<', ':') || rewrite_is_pair(r, i, '<', '%'))
            rewrite_refuse(r, "two marks for one bracket");
        if (!rewrite_is_name(r, i)) {
            const bool begins =
                i == from || !rewrite_is_operand(r, i - 1) || rewrite_is(r, i - 1, "return");
            if (*w->text == '[' && begins) rewrite_refuse(r, "a lambda");
            continue;
        }
        const char *const why = rewrite_why_refused(w->text, w->length);
        if (why) rewrite_refuse(r, why);
        const struct function *const f = rewrite_function(r, i);
        const int var = find_name(p, parent, i, from);
        if (var < 0 && f && f->why_not) rewrite_refuse(r, f->why_not);
        rewrite_word(r, i)->var = var;
        rewrite_read_member(r, i);
    }
    return rewrite_expand(p, parent, (struct range){from, to});
}
