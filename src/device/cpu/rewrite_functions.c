// What the functions, structs and macros of a file do, by their words.
#include "device/cpu/rewrite_parts.h"

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

struct function *rewrite_named(const struct rewriter *r, struct c_token token)
{
    return token.kind == C_TOKEN_WORD ? rewrite_find_function(r, token.start, token.length) : NULL;
}

static const struct {
    const char *why;
    bool is_only_of_kernels;  // not of the functions that they call
    const char *words[12];
} refused[] = {
    {"it counts threads at a barrier",
     false,
     {"__syncthreads_count", "__syncthreads_or", "__syncthreads_and"}},
    {"it asks which lanes are there", false, {"__activemask"}},
    {"__match_any_sync", false, {"__match_any_sync"}},
    {"__match_all_sync", false, {"__match_all_sync"}},
    {"a warp's reduction in one word",
     false,
     {"__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync",
      "__reduce_or_sync", "__reduce_xor_sync"}},
    {"asm", false, {"asm"}},
    {"goto", false, {"goto"}},
    {"try", false, {"try"}},
    {"a static variable", false, {"static"}},
    {"printf, whose lines keep their order", false, {"printf"}},
    {"cooperative groups",
     false,
     {"thread_block", "this_thread_block", "tiled_partition", "coalesced_threads", "this_grid",
      "this_cluster"}},
    {"an operator that is a word",
     false,
     {"and", "or", "not", "xor", "compl", "bitand", "bitor", "and_eq", "or_eq", "xor_eq",
      "not_eq"}},
    {"assert", true, {"assert"}},
    {"an operator of its own", true, {"operator"}},
    {"decltype", true, {"decltype"}},  // an array's element has another type than a variable
    {"a barrier within an expression", true, {"__syncthreads"}},
    {"a statement within an expression", true, {"for", "while", "do", "if", "switch"}},
};

const char *rewrite_why_refused(const char *word, size_t length, bool is_in_kernel)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        for (const char *const *one = refused[i].words; *one; one++)
            if (strlen(*one) == length && !strncmp(*one, word, length) &&
                (is_in_kernel || !refused[i].is_only_of_kernels))
                return refused[i].why;
    return NULL;
}

const char *rewrite_macro_body(const struct c_item *item)
{
    const char *const behind = item->name + item->name_length;
    const char *const close = *behind == '(' ? strchr(behind, ')') : NULL;
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
               is_known = is_number
                              ? !c_token_is(token, "0")
                              : is_word && !rewrite_has_small_letter(token.start, token.length);
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
    const char *const why = rewrite_why_refused(token.start, token.length, false);
    if (why && s->is_in_body) f->why_not = why;
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

// Which place, barrier, exchange, line or choice a word stands for.
static unsigned facts_of_words(const struct c_item *item, const struct seen *s)
{
    const struct c_token token = s->token;
    const bool is_mark = token.kind == C_TOKEN_MARK;
    unsigned facts = 0;
    if (rewrite_is_place(token)) facts |= USES_PLACE;
    if (c_token_is(token, "threadIdx")) facts |= USES_THREAD;
    if (c_token_is(token, "__syncthreads")) facts |= HAS_BARRIER;
    if (rewrite_exchange_of(token.start, token.length)) facts |= HAS_WARP;
    if (!s->is_macro && token.kind == C_TOKEN_DIRECTIVE && !c_token_is(token, "#pragma"))
        facts |= HAS_LINES;
    if (!s->is_macro) return facts;
    const bool is_pair = is_mark && c_token_is_same(token, s->before);
    if (is_applied(item, s)) facts |= CHANGES_ARGUMENTS;
    if (rewrite_why_refused(token.start, token.length, true) ||
        (is_mark && strchr("?{", *token.start)) || (is_pair && strchr("&|", *token.start)))
        facts |= HAS_CHOICE;
    return facts;
}

// Goes behind the token.
static void go_on(struct seen *s)
{
    const struct c_token token = s->token, before = s->before;
    const bool is_word = token.kind == C_TOKEN_WORD && !c_token_is(token, "return"),
               is_name = c_token_is(s->last, "(") && before.kind == C_TOKEN_WORD && !s->is_called,
               ends_cast = !s->is_macro && (c_token_is(before, "*") || is_name ||
                                            rewrite_is_any_token(before, rewrite_own_types));
    s->depth += c_token_is(token, "{") - c_token_is(token, "}");
    s->brackets += c_token_is(token, "(") - c_token_is(token, ")");
    s->is_in_body |= c_token_is(token, "{");
    if (c_token_is(token, "("))
        s->is_called = before.kind == C_TOKEN_WORD && !c_token_is(before, "return");
    s->is_operand = is_word || token.kind == C_TOKEN_NUMBER || c_token_is(token, "]") ||
                    (c_token_is(token, ")") && !ends_cast);
    s->last = before;
    s->before = token;
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
            s.is_operand = false;  // it is the first of the body
        s.is_const = (s.is_const || c_token_is(token, "const")) &&
                     !(token.kind == C_TOKEN_MARK && strchr("(,;{}", *token.start));
        find_reasons(f, &s);
        f->facts |= facts_of_words(f->item, &s) | facts_of_memory(f->item, &s) |
                    facts_of_numbers(f->item, &s);
        if (s.is_in_body && s.depth)
            g_string_append_printf(body, "%.*s ", (int)token.length, token.start);
        go_on(&s);
    }
    f->is_rank = !strcmp(body->str, "return threadIdx . y * blockDim . x + threadIdx . x ; } ") ||
                 !strcmp(body->str, "return threadIdx . x + threadIdx . y * blockDim . x ; } ");
    if (is_macro && f->facts & WAITS) f->why_not = "a macro that waits";
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
                const struct function *const used = rewrite_named(r, token);
                if (!used || used == f) continue;
                f->is_clashing |= f->item->kind == C_ITEM_FUNCTION && !used->is_one &&
                                  used->text == f->text && used->last > f->end;
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
            if (f->facts & (USES_PLACE | WAITS) && !f->why_not && f->is_clashing)
                f->why_not = "a name that means something else below a function";
            if (f->facts & USES_PLACE && !(f->facts & WAITS) && !f->why_not)
                f->why_not = f->why_no_copy;
            if (f->item->kind == C_ITEM_STRUCT && f->facts & (USES_PLACE | WAITS) && !f->why_not)
                f->why_not = "a struct whose functions use threadIdx or wait";
            is_changed |= before.facts != f->facts || before.why_not != f->why_not;
        }
    }
}
