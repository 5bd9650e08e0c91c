#include "base/c_tokens.h"

#include <string.h>

#include <glib.h>

struct c_tokens c_tokens_of(const char *text)
{
    return (struct c_tokens){.at = text, .line = 1, .is_first = true};
}

// The length of a backslash and the line's end behind it; 0: there are none here.
static size_t join_length(const char *at)
{
    if (*at != '\\') return 0;
    return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static void skip_space(struct c_tokens *t)
{
    for (; *t->at; t->at++) {
        const size_t join = join_length(t->at);
        const bool is_joined = join > 0;
        if (is_joined) t->at += join - 1;
        if (!is_joined && !g_ascii_isspace(*t->at)) return;
        if (*t->at != '\n') continue;
        t->line++;
        t->is_first = true;
        t->is_directive &= is_joined;
    }
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (g_ascii_isalnum(at[length]) || at[length] == '_') length++;
    return length;
}

// A number goes on through its point, its suffix, the sign of its exponent, and C++'s quotes
// between digits.
static size_t number_length(const char *at)
{
    size_t length = 1;
    for (;; length++) {
        const bool is_sign = (at[length] == '+' || at[length] == '-') &&
                             strchr("eEpP", at[length - 1]) && !g_str_has_prefix(at, "0x");
        const bool is_quote = at[length] == '\'' && g_ascii_isalnum(at[length + 1]);
        if (!at[length] ||
            !(g_ascii_isalnum(at[length]) || at[length] == '.' || is_sign || is_quote))
            return length;
    }
}

static enum c_token_kind kind_of(const struct c_tokens *t)
{
    const char c = t->at[0], next = c ? t->at[1] : '\0';
    if (!c) return C_TOKEN_END;
    if (c == '/' && (next == '/' || next == '*')) return C_TOKEN_COMMENT;
    if (c == '"' || c == '\'') return C_TOKEN_STRING;
    if (c == '#' && t->is_first) return C_TOKEN_DIRECTIVE;
    if (g_ascii_isdigit(c) || (c == '.' && g_ascii_isdigit(next))) return C_TOKEN_NUMBER;
    return g_ascii_isalpha(c) || c == '_' ? C_TOKEN_WORD : C_TOKEN_MARK;
}

static size_t length_of(enum c_token_kind kind, const char *at)
{
    const char *end;
    size_t length = 1;
    switch (kind) {
    case C_TOKEN_END:
        return 0;
    case C_TOKEN_WORD:
        return word_length(at);
    case C_TOKEN_NUMBER:
        return number_length(at);
    case C_TOKEN_STRING:
        while (at[length] && at[length] != '\n' && at[length] != at[0])
            length += at[length] == '\\' && at[length + 1] ? MAX(2, join_length(at + length)) : 1;
        return length + (at[length] == at[0]);
    case C_TOKEN_COMMENT:
        if (at[1] == '/') return strcspn(at, "\n");
        end = strstr(at + 2, "*/");
        return end ? (size_t)(end + 2 - at) : strlen(at);
    case C_TOKEN_DIRECTIVE:
        end = at + 1 + strspn(at + 1, " \t");
        return (size_t)(end - at) + word_length(end);
    case C_TOKEN_MARK:
        break;
    }
    return length;
}

struct c_token c_tokens_next(struct c_tokens *t)
{
    skip_space(t);
    const enum c_token_kind kind = kind_of(t);
    t->is_directive |= kind == C_TOKEN_DIRECTIVE;
    const struct c_token token = {.kind = kind,
                                  .start = t->at,
                                  .length = length_of(kind, t->at),
                                  .line = t->line,
                                  .is_first = t->is_first,
                                  .is_directive = t->is_directive};
    for (const char *end = t->at + token.length; t->at < end; t->at++) t->line += *t->at == '\n';
    t->is_first = t->is_first && kind == C_TOKEN_COMMENT;  // to C a comment is a blank
    return token;
}

struct c_token c_tokens_next_code(struct c_tokens *t)
{
    struct c_token token;
    do token = c_tokens_next(t);
    while (token.kind == C_TOKEN_COMMENT);
    return token;
}

bool c_tokens_skip_std(struct c_token token, struct c_tokens *tokens)
{
    static const char names[] =
        " size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
        " intptr_t uintptr_t min max abs fabs fmin fmax fma fmod floor ceil round trunc rint"
        " sqrt cbrt hypot exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2"
        " sinh cosh tanh erf erfc tgamma lgamma copysign isnan isinf isfinite signbit"
        " lround llround lrint llrint nearbyint remainder fdim ";
    struct c_tokens ahead = *tokens;
    if (!c_token_is(token, "std") && !c_token_is(token, "cuda")) return false;
    for (int i = 0; i < 2; i++)
        if (!c_token_is(c_tokens_next(&ahead), ":")) return false;
    struct c_tokens at = ahead;
    const struct c_token name = c_tokens_next(&at);
    if (c_token_is(token, "cuda")) {
        if (!c_token_is(name, "std") || !c_tokens_skip_std(name, &at)) return false;
        *tokens = at;
        return true;
    }
    g_autofree char *word = g_strdup_printf(" %.*s ", (int)name.length, name.start);
    // CUDA's min is no template.
    const bool is_template = c_token_is(c_tokens_next(&at), "<");
    if (name.kind != C_TOKEN_WORD || is_template || !strstr(names, word)) return false;
    *tokens = ahead;
    return true;
}

struct c_token c_tokens_directive(struct c_token token, struct c_tokens *behind)
{
    const struct c_token none = {.kind = C_TOKEN_END};
    if (token.kind != C_TOKEN_DIRECTIVE) return none;
    const size_t space = 1 + strspn(token.start + 1, " \t");
    token.kind = C_TOKEN_WORD;
    token.start += space;
    token.length -= space;
    if (token.length) return token;
    token = c_tokens_next_code(behind);  // a comment stands between
    return token.is_directive && token.kind != C_TOKEN_DIRECTIVE ? token : none;
}

struct c_token c_tokens_included(struct c_token token, struct c_tokens *behind)
{
    const struct c_token none = {.kind = C_TOKEN_END};
    const struct c_token word = c_tokens_directive(token, behind);
    if (!c_token_is(word, "include") && !c_token_is(word, "include_next") &&
        !c_token_is(word, "import"))
        return none;
    struct c_token name = c_tokens_next_code(behind);
    if (!name.is_directive || name.kind == C_TOKEN_DIRECTIVE) return none;
    if (*name.start == '<') {
        name.kind = C_TOKEN_STRING;
        name.length = strcspn(name.start, ">\n");
        name.length += name.start[name.length] == '>';
        behind->at = name.start + name.length;
    }
    return name;
}

void c_braces_take(struct c_braces *b, struct c_token token, struct c_tokens behind)
{
    if (!token.is_directive) {
        b->depth += c_token_is(token, "{") - c_token_is(token, "}");
        return;
    }
    const struct c_token word = c_tokens_directive(token, &behind);
    if (word.kind && !strncmp(word.start, "if", 2)) {
        if (b->ifs < C_BRACES_MOST) b->before[b->ifs] = b->depth;
        b->ifs++;
    } else if (b->ifs && c_token_is(word, "endif")) {
        b->ifs--;
    } else if (b->ifs && b->ifs <= C_BRACES_MOST && word.kind && !strncmp(word.start, "el", 2)) {
        b->depth = b->before[b->ifs - 1];
    }
}

char *c_tokens_blank_comments(const char *text, bool to_line_ends)
{
    char *blanked = g_strdup(text);
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        for (size_t i = 0; i < token.length; i++)
            if (token.kind == C_TOKEN_COMMENT && (to_line_ends || token.start[1] == '*') &&
                g_ascii_isgraph(token.start[i]))
                blanked[token.start - text + (long)i] = ' ';
    return blanked;
}

char *c_tokens_join_lines(const char *text)
{
    GString *all = g_string_new(NULL);
    int joined = 0;
    for (size_t join; *text; text += MAX(join, 1)) {
        join = join_length(text);
        joined += join > 0;
        if (!join && *text == '\n')
            for (; joined; joined--) g_string_append_c(all, '\n');
        if (!join) g_string_append_c(all, *text);
    }
    for (; joined; joined--) g_string_append_c(all, '\n');
    return g_string_free(all, FALSE);
}

bool c_token_is(struct c_token token, const char *text)
{
    return token.length && *token.start == *text && !strncmp(token.start, text, token.length) &&
           !text[token.length];
}

bool c_token_is_same(struct c_token a, struct c_token b)
{
    return a.length == b.length && !strncmp(a.start, b.start, a.length);
}
