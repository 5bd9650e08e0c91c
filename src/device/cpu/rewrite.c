#include "device/cpu/rewrite.h"

#include "device/cache.h"
#include "device/cpu/rewrite_parts.h"

struct file {
    struct c_items *items;  // of the source first, then of its headers
    int count;
    struct rewriter all;                 // what all of its kernels have in common
    GHashTable *done;                    // by kernel: what it needs, or "kept" on fibers
    GStrvBuilder *kept, *names, *where;  // of struct rewritten
};

// What a kernel needs of a block: each is a condition. A kernel that HAS_STRIPS needs nothing, but
// runs faster in strips that suit the block's width, because neither rows nor blocks run as one.
static const char ROWS_ARE_WARPS[] = " && blockDim.x % 32 == 0",
                  ALL_ARE_WARPS[] = " && blockDim.x * blockDim.y % 32 == 0", HAS_STRIPS[] = "";

// r begins with the words of the kernel's definition.
static void write_function(GString *to, const struct rewriter *r, const struct c_item *item,
                           const char *body, unsigned known, const char *needs)
{
    const char *const head = item->head;
    guint name = 0;
    if (rewrite_is(r, 0, "template")) {
        const guint end = rewrite_behind_angles(r, 1, r->words->len, "") - 1;
        g_string_append_len(to, head, rewrite_word(r, end)->text + 1 - head);
        g_string_append_c(to, '\n');
    }
    while (rewrite_word(r, name)->text != item->name) name++;
    const char *const open = rewrite_word(r, name + 1)->text;
    const guint close = rewrite_behind(r, name + 1, r->words->len) - 1;
    g_string_append_printf(
        to,
        "static EMULATOR_INSIDE inline void emulator_fast_%.*s%.*s\n{\n    {\n"
        "    const emulator_blocks emulator_all(%s%s);\n"
        "    const uint3 blockIdx = emulator_all.index();\n"
        "    const dim3 blockDim = emulator_all.size(), gridDim = ::gridDim;\n"
        "    (void)blockIdx, (void)gridDim;\n"
        "    constexpr unsigned EMULATOR_LANES = %s;\n",
        (int)item->name_length, item->name, (int)(rewrite_word(r, close)->text + 1 - open), open,
        known & KNOWS_BLOCK ? "1" : "emulator_turn.most", known & KNOWS_ROWS ? "" : ", true",
        needs == HAS_STRIPS ? "EMULATOR_STRIP" : "EMULATOR_WARP");
    // The compiler cannot know that pointers to dynamic shared memory do not change.
    for (guint i = 0; i < r->tiles->len; i++) {
        const struct c_token tile = g_array_index(r->tiles, struct cuda_tile, i).name;
        g_autofree char *own = g_strndup(tile.start, tile.length);
        bool is_hidden = false;  // by an argument of the kernel
        for (guint k = 0; k < r->vars->len; k++) {
            const struct var *const v = rewrite_var(r, (int)k);
            is_hidden |= !v->home && !strcmp(v->name, own);
        }
        if (!is_hidden)
            g_string_append_printf(to, "    auto *const %s = ::%s;\n    (void)%s;\n", own, own,
                                   own);
    }
    int depth = 0;  // indentation of the body's lines
    g_auto(GStrv) lines = g_strsplit(body, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (!**line) continue;
        const bool closes = **line == '}';
        g_string_append_printf(to, "%*s%s\n", 4 * MAX(depth - closes, 0) + 4, "", *line);
        for (const char *at = *line; *at; at++) depth += (*at == '{') - (*at == '}');
    }
    g_string_append(to, "    }\n}\n\n");
}

// Once all functions and macros are known, which may be called before they are defined.
static void add_knowledge(const struct rewriter *all, const struct c_items *items)
{
    for (int i = 0; i < items->count; i++) {
        const struct c_item *const item = &items->list[i];
        if (item->kind == C_ITEM_KERNEL || item->kind == C_ITEM_ENUM) continue;
        struct function *const f = rewrite_find_function(all, item->name, item->name_length);
        if (f) f->facts |= rewrite_knowledge(all, item->head, item->start + item->length);
    }
}

// A variable of a type that cannot be written anew need not name a function of it. What is written
// stands behind the file's text, where a macro or an overload may mean something else.
static const char *why_not_words(const struct rewriter *r, const struct c_item *item)
{
    const char *const end = item->start + item->length;
    struct c_tokens tokens = c_tokens_of(item->head);
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind && token.start < end;) {
        const struct function *const f = rewrite_named(r, token);
        if (!f) continue;
        if (f->why_not && (f->item->kind == C_ITEM_STRUCT || !f->item->name_length))
            return f->why_not;
        if (f->last >= end && f->last < end + strlen(end) && !f->is_one)
            return "a name that means something else below the kernel";
    }
    return NULL;
}

// True if an operator takes a reference to a number, or to a T. mark: its first one. That an
// assignment such as += changes its left side is seen where it is used.
static bool changes_number(struct c_tokens tokens, struct c_token mark)
{
    const bool is_assignment = !strchr("=<>!", *mark.start);
    struct c_token token, before = {.kind = C_TOKEN_END};
    bool is_const = false, is_left = false;
    for (; (token = c_tokens_next_code(&tokens)).kind; before = token) {
        if (token.kind == C_TOKEN_MARK && strchr("{;", *token.start)) break;
        is_const = (is_const || c_token_is(token, "const")) &&
                   !(token.kind == C_TOKEN_MARK && strchr("(,", *token.start));
        is_left = (is_left && !c_token_is(token, ",")) ||
                  (is_assignment && c_token_is(token, "(") && c_token_is(before, "="));
        if (!c_token_is(token, "&") || before.kind != C_TOKEN_WORD || is_const || is_left) continue;
        if (rewrite_is_number(before) || before.length == 1) return true;
    }
    return false;
}

// Of what is no item, only the words are known.
static const char *why_not_file(const char *text, const struct c_items *items)
{
    struct c_tokens tokens = c_tokens_of(text);
    struct c_token before = {.kind = C_TOKEN_END};
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind; before = token) {
        bool is_known = !rewrite_is_place(token);
        if (c_token_is(before, "operator") && c_token_is(token, ",")) return "an operator, (comma)";
        if (c_token_is(before, "operator") && changes_number(tokens, token))
            return "an operator that may change a number";
        for (int i = 0; i < items->count && !is_known; i++)
            is_known = (size_t)(token.start - items->list[i].start) < items->list[i].length;
        if (!is_known) return "a union or a lambda of the file that uses threadIdx";
    }
    return NULL;
}

// Adds the kernel's text and returns NULL, or returns why it stays on fibers.
static const char *rewrite_kernel(GString *to, const struct file *file, const struct c_item *item,
                                  const char **needs)
{
    struct rewriter r = file->all;
    r.words = g_array_new(FALSE, TRUE, sizeof(struct word));
    r.vars = g_array_new(FALSE, TRUE, sizeof(struct var));
    r.changes = g_array_new(FALSE, TRUE, sizeof(struct change));
    r.checks = g_array_new(FALSE, TRUE, sizeof(struct load));
    r.others = g_array_new(FALSE, TRUE, sizeof(struct use));
    r.strings = g_string_chunk_new(1024);
    r.nodes = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *body = NULL;
    if (!r.why_not && *item->scope) r.why_not = "a namespace";
    if (!r.why_not) r.why_not = why_not_words(&r, item);
    if (!r.why_not && rewrite_read(&r, item)) body = rewrite_write_kernel(&r);
    unsigned known = rewrite_knowledge(&r, item->head, item->start + item->length);
    if (body && (r.has_warp || r.root->has_barrier || !rewrite_stores_evenly(&r)))
        known |= KNOWS_BLOCK;
    if (r.has_warp)
        *needs = known & KNOWS_ROWS ? ROWS_ARE_WARPS : ALL_ARE_WARPS;
    else if (known & KNOWS_BLOCK && known & KNOWS_ROWS)
        *needs = HAS_STRIPS;
    if (body && !r.why_not) write_function(to, &r, item, body, known, *needs);
    g_array_free(r.words, TRUE);
    g_array_free(r.vars, TRUE);
    g_array_free(r.changes, TRUE);
    g_array_free(r.checks, TRUE);
    g_array_free(r.others, TRUE);
    g_string_chunk_free(r.strings);
    g_ptr_array_free(r.nodes, TRUE);
    return r.why_not;
}

// Adds the headers that a text includes, each behind those that it includes. begun guards against a
// header that includes itself.
static void find_headers(GPtrArray *texts, GHashTable *begun, const char *source,
                         const struct headers *headers)
{
    struct c_tokens tokens = c_tokens_of(source);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        const struct header *const header = headers_included(headers, token, tokens);
        if (header && g_hash_table_add(begun, header->text)) {
            char *const text = cuda_text_without_nvcc(header->text);
            find_headers(texts, begun, text, headers);
            g_ptr_array_add(texts, text);
        }
    }
}

// Rewrites the kernel that a line of the calls launches, unless an earlier line did.
static void rewrite_line(GString *text, GString *calls, const struct file *file, const char *line)
{
    const char *const at = g_str_has_prefix(line, "LAUNCH_") ? strstr(line, ", ::") : NULL;
    const size_t length = at ? strcspn(at + 4, "<(") : 0;
    g_autofree char *name = at ? g_strndup(at + 4, length) : NULL;
    const struct c_item *item = NULL;
    for (int i = 0; name && i < file->items[0].count; i++)
        if (file->items[0].list[i].kind == C_ITEM_KERNEL &&
            c_item_defines(&file->items[0].list[i], name, length))
            item = &file->items[0].list[i];
    const char *done = item ? g_hash_table_lookup(file->done, name) : "kept";
    if (!done) {
        const char *needs = "";
        const char *const why = rewrite_kernel(text, file, item, &needs);
        if (why)
            g_strv_builder_add_many(file->kept, name, why, NULL);
        else
            g_strv_builder_add(file->names, name);
        if (!why && *needs)
            g_strv_builder_add_many(
                file->where, name,
                needs == ROWS_ARE_WARPS
                    ? "where a block's width is no multiple of 32: its lanes wait"
                    : "where a block's width times height is no multiple of 32: its lanes wait",
                NULL);
        done = why ? "kept" : needs;
        g_hash_table_insert(file->done, g_strdup(name), (gpointer)done);
    }
    if (!strcmp(done, "kept")) {
        g_string_append_printf(calls, "%s\n", line);
        return;
    }
    // "LAUNCH_ARRAYS(symbol, , ::scale<32>(…))": the call with the kernel's other name.
    const char *const symbol = strchr(line, '(') + 1;
    if (done == HAS_STRIPS)
        g_string_append_printf(calls, "EMULATOR_EXPORT void strips_%.*s() {}\n",
                               (int)strcspn(symbol, ","), symbol);
    const char *const call = at + 2, *const end = strrchr(line, ')');
    const char *const own = g_strstr_len(call, -1, name);
    g_string_append_len(calls, line, call - line);
    g_string_append_printf(calls,
                           "{ if (!emulator_turn.is_strict%s) { emulator_turn.left = 0; "
                           "::emulator_fast_%s%.*s; } else %.*s; })\n",
                           done, name, (int)(end - own - (long)length), own + length,
                           (int)(end - call), call);
}

void rewrite(struct rewritten *w, const char *whole, const char *calls,
             const struct headers *headers)
{
    g_autofree char *source = cuda_text_without_nvcc(whole);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) begun = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) functions =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) tiles = g_array_new(FALSE, FALSE, sizeof(struct cuda_tile));
    g_autoptr(GStrvBuilder) kept = g_strv_builder_new();
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    g_autoptr(GStrvBuilder) where = g_strv_builder_new();
    find_headers(texts, begun, source, headers);
    struct file file = {.items = g_new0(struct c_items, texts->len + 1),
                        .count = (int)texts->len + 1,
                        .all = {.functions = functions, .tiles = tiles},
                        .done = done,
                        .kept = kept,
                        .names = names,
                        .where = where};
    struct rewriter *const all = &file.all;
    g_free(cuda_text(source, tiles));
    GString *const text = g_string_new("#include \"device/cpu/fast_words.h\"\n"
                                       "#ifdef __CUDACC__\n#error __CUDACC__ is defined\n#endif\n");
    GString *const changed = g_string_new(NULL);
    c_items_find(&file.items[0], source);
    for (guint i = 0; i < texts->len; i++)
        c_items_find(&file.items[i + 1], g_ptr_array_index(texts, i));
    for (int i = 0; i < file.count; i++) {
        const char *const own = i ? g_ptr_array_index(texts, (guint)i - 1) : source;
        rewrite_add_functions(all, &file.items[i]);
        rewrite_add_variables(all, own);
        if (!all->why_not) all->why_not = why_not_file(own, &file.items[i]);
    }
    if (rewrite_find_function(all, "__CUDACC__", strlen("__CUDACC__")))
        all->why_not = "it defines __CUDACC__";
    for (int i = 0; i < file.count; i++) add_knowledge(all, &file.items[i]);
    rewrite_spread(all);
    for (int i = 1; i < file.count; i++) rewrite_write_own(all, text, &file.items[i]);
    rewrite_write_own(all, text, &file.items[0]);
    g_auto(GStrv) lines = g_strsplit(calls, "\n", -1);
    for (char **line = lines; *line; line++) rewrite_line(text, changed, &file, *line);
    for (int i = 0; i < file.count; i++) c_items_finish(&file.items[i]);
    g_free(file.items);
    *w = (struct rewritten){.text = g_string_free(text, FALSE),
                            .calls = g_string_free(changed, FALSE),
                            .kept = g_strv_builder_end(kept),
                            .names = g_strv_builder_end(names),
                            .where = g_strv_builder_end(where)};
}

// "": it compiled, or was not tried.
static char *refusal_of(const char *key)
{
    g_autofree void *bytes = NULL;
    size_t size = 0;
    char *const why = cache_read(key, ".why", &bytes, &size) ? g_strndup(bytes, size) : NULL;
    return why ? why : g_strdup("");
}

static char *refusal_key(const struct rewritten *w, const char *source)
{
    return cache_key("mistake", source, w->text, NULL);
}

// Of "mean.cu:70:24: no such name\n..." it keeps no place, which is not one in the user's file.
void rewritten_keep_refusal(const struct rewritten *w, const char *source, const char *said)
{
    const char *const message = strstr(said, ": "), *const why = message ? message + 2 : said;
    g_autofree char *key = refusal_key(w, source), *known = refusal_of(key);
    if (*why || *known) cache_write(key, ".why", why, strcspn(why, "\n"));
}

void rewritten_tell_refusal(struct rewritten *w, const char *source)
{
    g_autofree char *key = refusal_key(w, source), *why = refusal_of(key);
    if (!*why) return;
    g_autofree char *said = g_strdup_printf("what is written anew fails: %s", why);
    g_autoptr(GStrvBuilder) kept = g_strv_builder_new();
    g_strv_builder_addv(kept, (const char **)w->kept);
    for (char **name = w->names; *name; name++) g_strv_builder_add_many(kept, *name, said, NULL);
    g_strfreev(w->kept);
    g_strfreev(w->names);
    w->kept = g_strv_builder_end(kept);
    w->names = g_new0(char *, 1);
}

void rewritten_finish(struct rewritten *w)
{
    g_free(w->text);
    g_free(w->calls);
    g_strfreev(w->kept);
    g_strfreev(w->names);
    g_strfreev(w->where);
    *w = (struct rewritten){.text = NULL};
}
