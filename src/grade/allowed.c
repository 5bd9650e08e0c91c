#include "grade/allowed.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "device/build_log.h"

struct refusal {
    const char *word, *why;
};

// A word that ends with * stands for all that begin like it.
static const struct refusal words[] = {
    {"asm", "is not C"},
    {"__asm*", "is not C"},
    {"extern", "names something outside of the file; shared memory whose size is known at launch "
               "is called tile"},
    {"__attribute*", "is not CUDA C"},
    {"__declspec", "is not CUDA C"},
    {"__builtin*", "is the C compiler's own"},
    {"__atomic_*", "is the C compiler's own; CUDA says atomicAdd"},
    {"__sync_*", "is the C compiler's own; CUDA says atomicAdd"},
    {"__tsan*", "is the grader's own"},
    {"__sanitizer*", "is the grader's own"},
    {"__has_*", "asks the C compiler about files"},
    {"_Pragma", "is not needed; write #pragma unroll"},
    {"memcpy", "is not counted; assign the elements"},
    {"memset", "is not counted; assign the elements"},
    {"memmove", "is not counted; assign the elements"},
    {"memcmp", "is not counted; compare the elements"},
    {"__CUDA*", "tells devices apart; a kernel is the same on each"},
    {"emulator_*", "is the grader's own"},
    {"EMULATOR_*", "is the grader's own"},
};

static const char *const directives[] = {
    "define", "undef", "if",    "ifdef",   "ifndef", "else",
    "elif",   "endif", "error", "include", "pragma",
};

struct scan {
    const char *name;
    const struct headers *headers;
    struct error *err;
};

static bool refuse(const struct scan *s, int line, const char *start, size_t length,
                   const char *why)
{
    return error_set(s->err, "%s:%d: '%.*s' %s", s->name, line, (int)length, start, why);
}

static bool is_like(struct c_token token, const char *pattern)
{
    const size_t length = strlen(pattern);
    if (pattern[length - 1] != '*') return c_token_is(token, pattern);
    return token.length >= length - 1 && !strncmp(token.start, pattern, length - 1);
}

static bool is_word_allowed(const struct scan *s, struct c_token token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (is_like(token, words[i].word))
            return refuse(s, token.line, token.start, token.length, words[i].why);
    return true;
}

// ---- lines that begin with # ----

static bool is_header(const struct scan *s, struct c_token token)
{
    for (int i = 0; i < s->headers->count; i++) {
        const char *const base = build_log_name(s->headers->list[i].path);
        if (token.kind == C_TOKEN_STRING && token.length == strlen(base) + 2 &&
            !strncmp(token.start + 1, base, token.length - 2))
            return true;
    }
    return refuse(s, token.line, token.start, token.length,
                  "is not one of the headers that a kernel file may include");
}

static bool is_directive_allowed(const struct scan *s, struct c_token token, struct c_tokens after)
{
    const char *word = token.start + 1;
    size_t length = token.length - 1;
    for (; length && g_ascii_isspace(*word); length--) word++;
    const struct c_token next = c_tokens_next(&after);
    for (size_t i = 0; i < G_N_ELEMENTS(directives); i++) {
        if (strlen(directives[i]) != length || strncmp(directives[i], word, length)) continue;
        if (!strcmp(directives[i], "include")) return is_header(s, next);
        return strcmp(directives[i], "pragma") != 0 || c_token_is(next, "unroll") ||
               refuse(s, token.line, token.start, token.length, "is allowed with unroll only");
    }
    return refuse(s, token.line, token.start, token.length, "is not allowed");
}

// ---- the text ----

// Two marks side by side that the preprocessor reads as one: ## makes a word of two, and %: is #.
static bool is_pair_allowed(const struct scan *s, struct c_token token)
{
    static const char *const pairs[] = {"##", "%:", "??"};
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        if (!strncmp(token.start, pairs[i], 2))
            return refuse(s, token.line, token.start, 2, "is not allowed");
    return true;
}

static bool is_of_word(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

// Whether the line ends behind this backslash, as compilers see it.
static bool joins_lines(const char *backslash)
{
    return *backslash == '\\' && backslash[1 + strspn(backslash + 1, " \t\r\v\f")] == '\n';
}

// Compilers join lines also within // comments, and where blanks stand behind the backslash. The
// scan of tokens sees neither.
static bool has_no_hidden_join(const struct scan *s, const char *text)
{
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;)
        for (const char *c = token.start; c < token.start + token.length; c++)
            if (token.kind == C_TOKEN_COMMENT && token.start[1] == '/' && joins_lines(c))
                return refuse(s, token.line, c, 1, "continues a comment on the next line");
    int line = 1;
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        if (joins_lines(c) && c[1] != '\n' && strncmp(c + 1, "\r\n", 2) != 0)
            return refuse(s, line, c, 1, "has blanks behind it");
    }
    return true;
}

// A line that goes on in the middle of a word would hide the word.
static bool has_no_split_word(const struct scan *s, const char *text)
{
    int line = 1;
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        const char *const end = c + 1 + (c[0] == '\\' && c[1] == '\r');
        if (*c == '\\' && *end == '\n' && c > text && is_of_word(c[-1]) && is_of_word(end[1]))
            return refuse(s, line, c, 1, "splits a word");
    }
    return true;
}

bool allowed_text(const char *name, const char *text, const struct headers *headers,
                  struct error *err)
{
    const struct scan s = {name, headers, err};
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        const bool is_good = token.kind == C_TOKEN_WORD   ? is_word_allowed(&s, token)
                             : token.kind == C_TOKEN_MARK ? is_pair_allowed(&s, token)
                             : token.kind == C_TOKEN_DIRECTIVE
                                 ? is_directive_allowed(&s, token, tokens)
                                 : true;
        if (!is_good) return false;
    }
    return has_no_split_word(&s, text) && has_no_hidden_join(&s, text);
}

// ---- what was compiled ----

bool allowed_symbol(const char *symbol)
{
    static const char *const known[] = {
        "emulator_*",
        "_ITM_*",
        "__gmon_start__",
        "__cxa_finalize",
        "__tls_get_addr",
        "threadIdx",
        "blockIdx",
        "blockDim",
        "gridDim",
        "tile",
        "memcpy",
        "memset",
        "memmove",
        "memcmp",
        "fma",
        "fmaf",
        "sqrt",
        "sqrtf",
        "floorf",
        "ceilf",
        "truncf",
        "rintf",
        "__stack_chk_fail",
    };
    const size_t length = strcspn(symbol, "@ ");  // "memcpy@GLIBC_2.14"
    const struct c_token token = {.kind = C_TOKEN_WORD, .start = symbol, .length = length};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (is_like(token, known[i])) return true;
    return false;
}
