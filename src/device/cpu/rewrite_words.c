// Words, names and expressions of a kernel.
#include "device/cpu/rewrite_parts.h"

// ---- words ----

const char *const rewrite_own_types[] = {"unsigned", "signed", "int",  "char",   "short", "long",
                                         "float",    "double", "bool", "size_t", "auto",  NULL};

const char *const rewrite_places[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};

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

bool rewrite_is_step(const struct rewriter *r, guint i)
{
    return rewrite_is_pair(r, i, '+', '+') || rewrite_is_pair(r, i, '-', '-');
}

bool rewrite_is_any_token(struct c_token token, const char *const *words)
{
    while (*words && !c_token_is(token, *words)) words++;
    return *words;
}

bool rewrite_has_small_letter(const char *word, size_t length)
{
    bool is_found = false;
    for (size_t i = 0; i < length; i++) is_found |= g_ascii_islower(word[i]);
    return is_found;
}

const struct cuda_tile *rewrite_tile(const struct rewriter *r, const char *text, size_t length)
{
    for (guint i = 0; i < r->tiles->len; i++) {
        const struct cuda_tile *const tile = &g_array_index(r->tiles, struct cuda_tile, i);
        if (tile->name.length == length && !strncmp(tile->name.start, text, length)) return tile;
    }
    return NULL;
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

// True for the bracket that ends (int), (float *) or (name), but not (variable). (NAME) may be a
// constant or a cast: then `unknown` is returned.
static bool ends_cast(const struct rewriter *r, guint i, bool unknown)
{
    const guint open = rewrite_before(r, i, 0);
    if (open == i) return false;
    const struct word *const only = rewrite_word(r, open + 1);
    if (open > 0 && rewrite_is_name(r, open - 1)) return false;  // of a call
    if (rewrite_is(r, i - 1, "*")) return true;
    bool is_type = i == open + 2 && (unknown || rewrite_has_small_letter(only->text, only->length));
    for (guint k = open + 1; k < i; k++) {
        if (!rewrite_is_name(r, k) || rewrite_word(r, k)->var >= 0) return false;
        is_type |= rewrite_is_any(r, k, rewrite_own_types);
    }
    return is_type;
}

static bool is_operand(const struct rewriter *r, guint i, bool may_be_cast)
{
    const char first = *rewrite_word(r, i)->text;
    return first == '\0' || g_ascii_isalnum(first) || strchr("_].", first) ||
           (first == ')' && !ends_cast(r, i, may_be_cast));
}

bool rewrite_is_operand(const struct rewriter *r, guint i)
{
    return is_operand(r, i, false);
}

bool rewrite_may_be_unary(const struct rewriter *r, guint i, guint from)
{
    return i == from || !is_operand(r, i - 1, true);
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

guint rewrite_behind_angles(const struct rewriter *r, guint i, guint to, const char *stops)
{
    int depth = 0;
    for (guint at = i; at < to && rewrite_find(r, at, at + 1, stops) > at; at++) {
        depth += rewrite_is(r, at, "<") - rewrite_is(r, at, ">");
        if (!depth) return at + 1;
    }
    return i;
}

guint rewrite_open_call(const struct rewriter *r, guint i, guint to)
{
    const guint at = rewrite_is(r, i + 1, "<") ? rewrite_behind_angles(r, i + 1, to, ";&|") : i + 1;
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
        struct word word = {token.start, (unsigned)token.length, -1, -1};
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

// ---- tokens of a file ----

bool rewrite_is_place(struct c_token token)
{
    return rewrite_is_any_token(token, rewrite_places);
}

bool rewrite_is_number(struct c_token token)
{
    g_autofree char *word = g_strndup(token.start, token.length);
    return rewrite_is_any_token(token, rewrite_own_types) ||
           g_regex_match_simple("^(u?(char|short|int|long|longlong|int\\d+_t)|float|double)[1-4]?$",
                                word, 0, 0);
}

// ---- names ----

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
    bool is_taken = g_strv_contains(rewrite_places, var.name);
    for (guint i = 0; i < r->vars->len && !is_taken; i++)
        is_taken = !strcmp(rewrite_var(r, (int)i)->name, var.name);
    if (is_taken) {
        g_autofree char *other = g_strdup_printf("%s_%u", var.name, r->vars->len);
        var.shown = g_string_chunk_insert(r->strings, other);
    }
    g_array_append_val(r->vars, var);
    return (int)r->vars->len - 1;
}

// ---- expressions ----

// The exchange that a word stands for; NULL: none. fast_words.h has the functions in `take`.
const struct exchange *rewrite_exchange_of(const char *word, size_t length)
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

static const struct exchange *exchange_at(const struct rewriter *r, guint i)
{
    return rewrite_exchange_of(rewrite_word(r, i)->text, rewrite_word(r, i)->length);
}

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
            const struct word word = {"0", 1, -1, n->exchange->take ? n->order : -1};
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
        const char *const why = rewrite_why_refused(w->text, w->length, true);
        if (why) rewrite_refuse(r, why);
        const struct function *const f = rewrite_function(r, i);
        const int var = find_name(p, parent, i, from);
        if (var < 0 && f && f->why_not) rewrite_refuse(r, f->why_not);
        rewrite_word(r, i)->var = var;
        rewrite_read_member(r, i);
    }
    return rewrite_expand(p, parent, (struct range){from, to});
}
