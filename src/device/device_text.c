#include "device/device_text.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "base/c_tokens.h"

// A declaration at the file's own level, while it is being read.
struct declaration {
    const char *start;  // NULL: none is read
    struct c_token first, before, name;
    bool is_kernel, is_instance;      // instance: template class box<float>;
    int angles;                       // open ones in template <…>; -1: behind it
    bool is_for_device, is_for_host;  // one of its words says so
    bool is_constant, is_type, has_parentheses, has_value;
    bool is_wanted;   // it declares the wanted name
    int parentheses;  // open ones
};

struct reader {
    struct c_tokens tokens;
    char *text;  // the text that is kept
    const char *source, *calls;
    GHashTable *words;  // of devices, and macros of the file and its headers that hold one
    GHashTable *hosts;  // types that were left out
    struct declaration now;
    struct c_token wanted;  // a name; none: {0}
    struct c_braces braces;
    char *hint;  // set if a declaration left out declares it
};

static bool is_one_of(struct c_token token, const char *const *words)
{
    while (*words && !c_token_is(token, *words)) words++;
    return *words;
}

static bool is_in(GHashTable *words, struct c_token token)
{
    g_autofree char *word =
        token.kind == C_TOKEN_WORD ? g_strndup(token.start, token.length) : NULL;
    return word && g_hash_table_contains(words, word);
}

// Where the reader is behind the token.
static bool is_host_word(const struct reader *r, struct c_token token)
{
    static const char *const words[] = {"std", "FILE", "thrust", "rand", "srand", NULL};
    struct c_tokens behind = r->tokens;
    return (is_one_of(token, words) && !c_tokens_skip_std(token, &behind)) ||
           (r->hosts && is_in(r->hosts, token)) ||
           (!c_token_is(token, "cudaTextureObject_t") &&
            !c_token_is(token, "cudaSurfaceObject_t") && token.kind == C_TOKEN_WORD &&
            token.length > 4 && !strncmp(token.start, "cuda", 4) &&
            g_ascii_isupper(token.start[4]));
}

// ---- lines that begin with # ----

// Blanks from start, which lies before where the reader is, to the end of the line and of its
// comments.
static void leave_line_out(struct reader *r, const char *start)
{
    for (struct c_tokens ahead = r->tokens;; r->tokens = ahead) {
        const struct c_token token = c_tokens_next(&ahead);
        if (!token.is_directive || !token.kind || token.kind == C_TOKEN_DIRECTIVE) break;
    }
    for (; start < r->tokens.at; start++)
        if (*start != '\n') r->text[start - r->source] = ' ';
}

// Reports about the text name its own lines, and not those of "#line 7" or "# 7".
static void leave_place_out(struct reader *r, struct c_token token)
{
    struct c_tokens behind = r->tokens;
    const struct c_token word = c_tokens_directive(token, &behind);
    if (!c_token_is(word, "line") && (!word.kind || !g_ascii_isdigit(*word.start))) return;
    r->tokens = behind;
    leave_line_out(r, token.start);
}

// ---- declarations ----

static bool is_kept(const struct declaration *d, bool has_body)
{
    static const char *const words[] = {"typedef", "using", "namespace", "asm", NULL};
    if (d->is_instance) return false;  // whoever uses it makes it
    if (d->is_for_device || is_one_of(d->first, (const char *const[]){"template", NULL}))
        return d->is_for_device || (!d->has_parentheses && !d->is_for_host);
    if (d->is_for_host) return false;
    if (is_one_of(d->first, words) || (d->is_type && !d->has_parentheses)) return true;
    return d->is_constant && (!has_body || d->has_value) && !(d->has_parentheses && !d->has_value);
}

// Everything becomes blank except newlines and lines that begin with #; of these, pragmas go, too:
// clang takes `#pragma unroll` only in a function.
static void leave_out(struct reader *r, const char *start, const char *end)
{
    bool is_pragma = false;
    struct c_tokens tokens = c_tokens_of(start);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind && token.start < end;) {
        struct c_tokens behind = tokens;
        if (token.kind == C_TOKEN_DIRECTIVE)
            is_pragma = c_token_is(c_tokens_directive(token, &behind), "pragma");
        for (size_t i = 0; (!token.is_directive || is_pragma) && i < token.length; i++)
            if (token.start[i] != '\n') r->text[token.start - r->source + (long)i] = ' ';
    }
}

static void end_declaration(struct reader *r, const char *end, bool has_body)
{
    const struct declaration *const d = &r->now;
    // A kernel stays if the code behind the file calls it.
    bool is_called = !d->is_kernel;
    struct c_tokens calls = c_tokens_of(r->calls);
    for (struct c_token token; !is_called && (token = c_tokens_next(&calls)).kind;)
        is_called = c_token_is_same(token, d->name);
    if (d->start && (!is_kept(d, has_body) || !is_called)) {
        const char *const hint =
            d->is_kernel
                ? "a kernel (line %d) cannot be called from another: put what both need into a "
                  "__device__ function"
            : c_token_is(d->first, "texture")
                ? "CUDA 12 has no texture references (line %d): give the kernel a "
                  "cudaTextureObject_t"
            : d->is_type && !d->has_parentheses
                ? "its declaration (line %d) holds host code and is left out"
                : "it is host code (line %d): mark it __device__";
        if (d->is_wanted && !r->hint) r->hint = g_strdup_printf(hint, d->first.line);
        if (d->is_type && !d->has_parentheses && d->name.kind)
            g_hash_table_add(r->hosts, g_strndup(d->name.start, d->name.length));
        leave_out(r, r->now.start, end);
    }
    r->now = (struct declaration){.start = NULL};
}

// Reads to the closing brace. __shared__ also implies static. Of a struct, functions are left out
// that are the host's.
static void read_body(struct reader *r)
{
    const bool is_struct = r->now.is_type && !r->now.has_parentheses;
    struct c_token token, before = {.kind = C_TOKEN_END};
    const char *start = NULL;  // of a member, or of a statement
    bool is_function = false, is_hosts = false, is_devices = false;
    struct c_braces *const braces = &r->braces;
    for (braces->depth = 1; braces->depth && (token = c_tokens_next(&r->tokens)).kind;) {
        const bool is_member = is_struct && braces->depth == 1;
        c_braces_take(braces, token, r->tokens);
        if (token.kind == C_TOKEN_DIRECTIVE) leave_place_out(r, token);
        if (token.is_directive || token.kind == C_TOKEN_COMMENT) continue;
        if (c_token_is(before, "static") && c_token_is(token, "__shared__"))
            memset(r->text + (before.start - r->source), ' ', before.length);
        before = token;
        if (!start) start = token.start;
        is_function |= is_member && c_token_is(token, "(");
        is_hosts |= is_host_word(r, token);
        is_devices |= is_struct && is_in(r->words, token) && !c_token_is(token, "static_assert");
        const int depth = braces->depth;
        struct c_tokens ahead = r->tokens;
        const struct c_token next = c_tokens_next_code(&ahead);  // behind a value of a constructor
        const bool ends =
            c_token_is(token, ";") || (is_function && c_token_is(token, "}") &&
                                       !c_token_is(next, ",") && !c_token_is(next, "{"));
        if (depth > 1 || (depth && !ends)) continue;
        if (depth && is_function && is_hosts && !is_devices) {
            leave_out(r, start, r->tokens.at);
        } else {
            r->now.is_for_host |= is_hosts;
            r->now.is_for_device |= is_devices;
        }
        start = NULL;
        is_function = is_hosts = is_devices = false;
    }
    r->now.is_for_host |= is_hosts;
}

static void read_token(struct reader *r, struct c_token token)
{
    static const char *const types[] = {"struct", "class", "union", "enum", NULL};
    static const char *const attributes[] = {"__align__", "alignas", "__attribute__",
                                             "__launch_bounds__", NULL};
    struct declaration *const d = &r->now;
    const bool opens = c_token_is(token, "{");
    if (!d->start && (c_token_is(token, "}") || c_token_is(token, ";"))) return;
    if (!d->start) *d = (struct declaration){.start = token.start, .first = token};
    if (c_token_is(d->first, "inline") && c_token_is(token, "namespace")) d->first = token;
    if (opens && (c_token_is(d->first, "namespace") ||
                  (c_token_is(d->first, "extern") && d->before.kind == C_TOKEN_STRING))) {
        d->start = NULL;
        return;
    }
    d->is_for_device |= is_in(r->words, token);
    d->is_for_host |= is_host_word(r, token);
    d->is_constant |= c_token_is(token, "const");
    d->is_instance |= c_token_is(d->first, "template") && d->before.start == d->first.start &&
                      !c_token_is(token, "<");
    if (c_token_is(d->first, "template") && !d->is_instance && d->angles >= 0) {
        d->angles += c_token_is(token, "<") - c_token_is(token, ">");
        if (!d->angles && c_token_is(token, ">")) d->angles = -1;
        d->before = token;
        return;
    }
    const bool is_value = d->has_value && !c_token_is(d->before, ",");
    d->is_wanted |= !d->parentheses && !is_value && token.kind == C_TOKEN_WORD &&
                    c_token_is_same(token, r->wanted);
    d->is_type |= !d->has_parentheses && is_one_of(token, types);
    if (!d->has_parentheses && is_one_of(d->before, types)) d->name = token;
    d->has_value |= !d->parentheses && c_token_is(token, "=");
    d->parentheses += c_token_is(token, "(") - c_token_is(token, ")");
    d->is_kernel |= c_token_is(token, "__global__");
    if (c_token_is(token, "(") && d->parentheses == 1 && !is_one_of(d->before, attributes)) {
        if (!d->has_parentheses) d->name = d->before;
        d->has_parentheses = true;
    }
    d->before = token;
    if (opens) {
        read_body(r);
        // A function ends here, anything else at its semicolon.
        if (d->has_parentheses && !d->has_value) end_declaration(r, r->tokens.at, true);
    } else if (c_token_is(token, ";")) {
        end_declaration(r, r->tokens.at, false);
    }
}

static void read_text(struct reader *r, const char *source, const char *calls,
                      const struct headers *headers)
{
    static const char *const words[] = {"__device__", "__global__",    "__constant__", "__shared__",
                                        "constexpr",  "static_assert", "__managed__"};
    r->tokens = c_tokens_of(source);
    r->text = g_strdup(source);
    r->source = source;
    r->calls = calls;
    r->words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) g_hash_table_add(r->words, g_strdup(words[i]));
    r->hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int i = 0; i < headers->count; i++)
        if (headers->list[i].is_users) headers_uses(headers->list[i].text, r->words);
    headers_uses(source, r->words);
    for (struct c_token token; (token = c_tokens_next(&r->tokens)).kind != C_TOKEN_END;) {
        struct c_tokens behind = r->tokens, behind_name = r->tokens;
        if (token.is_directive) c_braces_take(&r->braces, token, r->tokens);
        if (token.kind != C_TOKEN_DIRECTIVE) {
            if (token.kind != C_TOKEN_COMMENT && !token.is_directive) read_token(r, token);
        } else if (c_token_is(c_tokens_directive(token, &behind), "include") &&
                   c_tokens_included(token, &behind_name).kind == C_TOKEN_STRING &&
                   !headers_included(headers, token, r->tokens)) {
            r->tokens = behind_name;
            leave_line_out(r, token.start);
        } else {
            leave_place_out(r, token);
        }
    }
    g_hash_table_destroy(r->words);
    g_hash_table_destroy(r->hosts);
}

// Blanks std:: where CUDA has the name without it.
static void leave_std_out(char *text)
{
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind;)
        if (c_tokens_skip_std(token, &tokens))
            memset((char *)(uintptr_t)token.start, ' ', (size_t)(tokens.at - token.start));
}

char *device_text(const char *source, const char *calls, const struct headers *headers)
{
    struct reader r = {.text = NULL};
    read_text(&r, source, calls, headers);
    leave_std_out(r.text);
    return r.text;
}

char *device_text_named(const char *path, const char *source, const char *calls,
                        const struct headers *headers)
{
    g_autofree char *name = g_strescape(path, NULL),
                    *own = calls ? device_text(source, calls, headers) : NULL;
    return g_strdup_printf("#line 1 \"%s\"\n%s", name, own ? own : source);
}

// ---- names that a device does not know ----

char *device_text_hint(const char *source, const char *calls, const struct headers *headers,
                       int line, int column)
{
    static const struct {
        const char *names[6], *hint;
    } known[] = {
        {{"std", "cout", "cerr", "endl"},
         "kernels have of std:: only what CUDA has, as std::min, std::size_t or "
         "std::numeric_limits"},
        {{"thrust", "cub", "cuda", "nvcuda", "cublas"},
         "kernels have no libraries of headers, such as Thrust or CUB: write it in the kernel"},
        {{"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"},
         "CUDA 9 renamed it: write __shfl_down_sync(0xffffffff, value, 1) and the like"},
        {{"__ballot", "__any", "__all"},
         "CUDA 9 renamed it: write __ballot_sync(0xffffffff, predicate) and the like"},
    };
    const char *at = source;
    for (int i = 1; i < line && at; i++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (!at || line < 1 || column < 1) return NULL;
    at += MIN((size_t)column - 1, strlen(at));
    // The name at that place, or the one that qualifies it: std in std::min.
    struct c_tokens tokens = c_tokens_of(source);
    struct c_token token = c_tokens_next(&tokens), first = token;  // of a qualified name
    int colons = 0;
    for (; token.kind && token.start < at; token = c_tokens_next(&tokens)) {
        if (colons < 2 && token.kind == C_TOKEN_WORD) first = token;
        colons = c_token_is(token, ":") ? colons + 1 : 0;
    }
    if (token.start != at || token.kind != C_TOKEN_WORD) return NULL;
    struct reader r = {.wanted = colons < 2 ? token : first};
    if (r.wanted.kind != C_TOKEN_WORD) return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (is_one_of(r.wanted, known[i].names)) return g_strdup(known[i].hint);
    r.tokens = tokens;
    if (is_host_word(&r, r.wanted)) return g_strdup("the host calls it, a kernel cannot");
    read_text(&r, source, calls, headers);
    g_free(r.text);
    return r.hint;
}
