#include "device/inexact.h"

#include <string.h>

// Each with an f is a function of floats, too. cpu/cuda_words.h has words for the common ones.
static const char *const names[] = {
    "exp",    "exp2",   "exp10",   "expm1",   "log",     "log2",    "log10", "log1p",     "sin",
    "cos",    "tan",    "asin",    "acos",    "atan",    "atan2",   "sinh",  "cosh",      "tanh",
    "asinh",  "acosh",  "atanh",   "pow",     "cbrt",    "rcbrt",   "rsqrt", "hypot",     "erf",
    "erfc",   "sincos", "lgamma",  "tgamma",  "normcdf", "sinpi",   "cospi", "sincospi",  "rhypot",
    "norm3d", "norm4d", "rnorm3d", "rnorm4d", "erfinv",  "erfcinv", "erfcx", "normcdfinv"};
static const char *const fast[] = {"__expf",    "__exp10f",   "__logf",   "__log2f",    "__log10f",
                                   "__powf",    "__sinf",     "__cosf",   "__tanf",     "__tanhf",
                                   "__sincosf", "__fdividef", "fdividef", "__frsqrt_rn"};

struct inexact inexact_begin(void)
{
    const struct c_token none = {.kind = C_TOKEN_END, .start = ""};
    return (struct inexact){.own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                            .before = {none, none}};
}

void inexact_end(struct inexact *reader)
{
    g_hash_table_destroy(reader->own);
}

// A variable may well be called log: those of doubles are functions where they are called.
static bool is_inexact(const char *word, bool is_call)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i < G_N_ELEMENTS(fast); i++)
        if (!strcmp(word, fast[i])) return true;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const size_t own = strlen(names[i]);
        if (strncmp(word, names[i], own) != 0) continue;
        if ((length == own && is_call) || (length == own + 1 && word[own] == 'f')) return true;
    }
    return false;
}

// Behind a type, or "#define", it is a new name.
static bool is_declared(struct c_token before, bool is_directive)
{
    static const char *const statements[] = {"return", "else", "do", "case", "throw"};
    if (is_directive) return before.kind == C_TOKEN_DIRECTIVE;
    for (size_t i = 0; i < G_N_ELEMENTS(statements); i++)
        if (c_token_is(before, statements[i])) return false;
    return before.kind == C_TOKEN_WORD;
}

static bool is_member(const struct c_token before[2])
{
    return c_token_is(before[0], ".") || (c_token_is(before[0], ">") && c_token_is(before[1], "-"));
}

bool inexact_take(struct inexact *reader, struct c_token token, struct c_tokens tokens)
{
    const struct c_token before[2] = {reader->before[0], reader->before[1]};
    struct c_token behind;
    if (token.kind == C_TOKEN_COMMENT) return false;
    reader->before[1] = before[0];
    reader->before[0] = token;
    if (token.kind != C_TOKEN_WORD) return false;
    do behind = c_tokens_next(&tokens);
    while (behind.kind == C_TOKEN_COMMENT);
    g_autofree char *word = g_strndup(token.start, token.length);
    bool is_found = is_inexact(word, c_token_is(behind, "("));
    if (is_found && is_declared(before[0], token.is_directive))
        g_hash_table_add(reader->own, g_strdup(word));
    is_found = is_found && !is_member(before) && !g_hash_table_contains(reader->own, word);
    return is_found;
}
