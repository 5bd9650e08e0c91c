#include "device/cpu/cuda_text.h"

#include <stdint.h>
#include <string.h>

// A declaration, extern __shared__ TYPE NAME[]SIDES;
struct dynamic {
    GString *type, *sides;  // sides: of arrays of arrays
    struct c_token name;
    const char *end;  // behind the semicolon
    bool is_shared;
};

static void add_word(GString *words, struct c_token word)
{
    g_string_append_printf(words, "%s%.*s", words->len ? " " : "", (int)word.length, word.start);
}

// Reads what stands behind extern. False: it is no such declaration.
static bool read_dynamic(struct dynamic *d, struct c_tokens *tokens)
{
    struct c_token token, before = {.kind = C_TOKEN_END};
    int parentheses = 0;
    g_string_truncate(d->type, 0);
    g_string_truncate(d->sides, 0);
    d->is_shared = false;
    while ((token = c_tokens_next_code(tokens)).kind && !c_token_is(token, "[")) {
        if (c_token_is(token, ";") || c_token_is(token, "{")) return false;
        const bool is_alignment = c_token_is(token, "__align__") || c_token_is(token, "alignas") ||
                                  c_token_is(token, "__attribute__");
        const bool is_inside = parentheses > 0;
        parentheses += c_token_is(token, "(") - c_token_is(token, ")");
        d->is_shared |= c_token_is(token, "__shared__");
        if (is_inside || parentheses || is_alignment || c_token_is(token, ")") ||
            c_token_is(token, "__shared__"))
            continue;
        if (before.kind) add_word(d->type, before);
        before = token;
    }
    d->name = before;
    if (!d->is_shared || !d->type->len || !c_token_is(c_tokens_next_code(tokens), "]"))
        return false;
    while ((token = c_tokens_next_code(tokens)).kind && !c_token_is(token, ";"))
        add_word(d->sides, token);
    d->end = tokens->at;
    return token.kind;
}

// Where the reader is among braces, and what these enclose.
struct place {
    int depth;                     // of braces; those of namespaces and extern "C" do not count
    struct c_token first, before;  // of the declaration that is read
    bool is_namespace;
    uint64_t namespaces;  // a bit for each that does not count, the innermost lowest: it is one
};

static void go_on(struct place *p, struct c_token token)
{
    const bool is_transparent =
        p->is_namespace || (c_token_is(p->first, "extern") && p->before.kind == C_TOKEN_STRING);
    const bool ends = c_token_is(token, ";") || c_token_is(token, "{") || c_token_is(token, "}");
    const bool is_counted = p->depth || !is_transparent;
    if (c_token_is(token, "{") && !is_counted) p->namespaces = p->namespaces << 1 | p->is_namespace;
    if (c_token_is(token, "}") && !p->depth) p->namespaces >>= 1;
    if (c_token_is(token, "{") && is_counted) p->depth++;
    if (c_token_is(token, "}") && p->depth) p->depth--;
    if (!p->first.kind) p->first = token;
    p->before = token;
    p->is_namespace |= c_token_is(token, "namespace");
    if (ends) *p = (struct place){.depth = p->depth, .namespaces = p->namespaces};
}

char *cuda_text(const char *source, GArray *tiles)
{
    GString *all = g_string_new(NULL);
    struct c_tokens tokens = c_tokens_of(source);
    const char *copied = source;  // up to here
    struct place place = {.depth = 0};
    struct dynamic d = {.type = g_string_new(NULL), .sides = g_string_new(NULL)};
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind != C_TOKEN_END;) {
        struct c_tokens ahead = tokens;
        if (token.is_directive) continue;
        if (c_token_is(token, "extern") && read_dynamic(&d, &ahead)) {
            const char *const type = d.type->str, *const sides = d.sides->str;
            const int length = (int)d.name.length;
            g_string_append_len(all, copied, token.start - copied);
            if (place.depth)
                g_string_append_printf(
                    all, "EMULATOR_UNUSED %s (*const %.*s)%s = (%s (*)%s)EMULATOR_TILE_START;",
                    type, length, d.name.start, sides, type, sides);
            else
                g_string_append_printf(all,
                                       "extern EMULATOR_TILE %s (*const %.*s)%s EMULATOR_IS_TILE;",
                                       type, length, d.name.start, sides);
            if (tiles && !place.depth && !place.namespaces) {
                const struct cuda_tile tile = {d.name, strstr(type, "unsigned char") != NULL};
                guint i = 0;
                while (i < tiles->len &&
                       !c_token_is_same(g_array_index(tiles, struct cuda_tile, i).name, d.name))
                    i++;
                if (i == tiles->len) g_array_append_val(tiles, tile);
            }
            for (const char *at = token.start; at < d.end; at++)
                if (*at == '\n') g_string_append_c(all, '\n');
            copied = d.end;
            tokens = ahead;
            place = (struct place){.depth = place.depth, .namespaces = place.namespaces};
        } else {
            go_on(&place, token);
        }
    }
    g_string_free(d.type, TRUE);
    g_string_free(d.sides, TRUE);
    g_string_append(all, copied);
    return g_string_free(all, FALSE);
}

// ---- other forms of a text ----

// Appends the lines behind #else, and of those before it and of #else only their ends.
static gboolean keep_else(const GMatchInfo *match, GString *to, gpointer unused)
{
    g_autofree char *before = g_match_info_fetch(match, 1), *kept = g_match_info_fetch(match, 2);
    (void)unused;
    for (const char *at = before; *at; at++)
        if (*at == '\n') g_string_append_c(to, '\n');
    g_string_append(to, kept);
    return FALSE;
}

char *cuda_text_without_nvcc(const char *source)
{
#define NVCC  "defined\\h*\\(\\h*__CUDACC__\\h*\\)(?:\\h*&&[^|?\n]*)?"
#define LINES "(?:(?!\\h*#\\h*(?:if|el|endif)).*+\n)*+"
    if (!strstr(source, "__CUDACC__")) return g_strdup(source);
    g_autofree char *joined = c_tokens_join_lines(source),
                    *text = c_tokens_blank_comments(joined, true);
    g_autoptr(GRegex) regex =
        g_regex_new("^(\\h*#\\h*(?:ifdef\\h+__CUDACC__|if\\h+" NVCC ")\\h*\n" LINES
                    "(?:\\h*#\\h*else\\h*\n)?)(" LINES ")\\h*#\\h*endif\\h*$",
                    G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
    char *const kept = g_regex_replace_eval(regex, text, -1, 0, 0, keep_else, NULL, NULL);
    return kept ? kept : g_strdup(source);
}

char *cuda_text_unroll(const char *text, const char *from)
{
    // GCC would also unroll loops whose end it does not know; a name in capitals is a constant.
    g_autoptr(GRegex) regex = g_regex_new("#\\h*pragma\\h+unroll\\h*(?://.*)?(?=\\n\\s*for\\s*"
                                          "\\([^;]*;[^;<>]*[<>][^;a-z]*;)",
                                          G_REGEX_RAW, 0, NULL);
    char *const unrolled = g_regex_replace_literal(regex, text, -1, (int)(from - text),
                                                   "#pragma GCC unroll 8", 0, NULL);
    return unrolled ? unrolled : g_strdup(text);
}

char *cuda_text_divide(const char *text, bool *is_own)
{
    GString *all = g_string_new(NULL);
    const char *copied = text;
    struct c_tokens tokens = c_tokens_of(text);
    struct c_token before = {.kind = C_TOKEN_END}, second = before;  // second: before that
    bool is_declaration = false;  // of an index, mostly, which the compiler finds once
    // It divides in a way of its own, has raw strings, shows what it computes, or has bit-fields:
    // an unsigned one is an int where it is divided, which a template does not see.
    *is_own |= strstr(text, "R\"") || strstr(text, "assert");
    for (struct c_token token; (token = c_tokens_next_code(&tokens)).kind;
         second = before, before = token) {
        struct c_tokens ahead = tokens;
        const struct c_token next = c_tokens_next_code(&ahead);
        const bool is_sign = !token.is_directive && c_token_is(token, "/");
        bool is_known = !c_token_is(next, "(");  // a number, or a constant's name in capitals
        for (size_t i = 0; next.kind == C_TOKEN_WORD && i < next.length; i++)
            is_known &= !g_ascii_islower(next.start[i]);
        *is_own |= (is_sign && c_token_is(before, "operator")) ||
                   (token.is_directive && c_token_is(token, "#"));
        *is_own |= c_token_is(token, ":") && before.kind == C_TOKEN_WORD && is_known &&
                   next.kind != C_TOKEN_MARK && second.kind == C_TOKEN_WORD &&
                   !c_token_is(second, "case");
        is_declaration |= c_token_is(token, "=") && before.kind == C_TOKEN_WORD;
        is_declaration &= !strchr(";{}", *token.start);
        if (!is_sign || is_known || is_declaration) continue;
        g_string_append_len(all, copied, token.start - copied);
        g_string_append(all, "/ emulator_sign ");
        copied = token.start;
    }
    g_string_append(all, copied);
    if (*is_own) g_string_assign(all, text);
    return g_string_free(all, FALSE);
}
