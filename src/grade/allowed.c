#include "grade/allowed.h"

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"

struct refusal {
    const char *word, *why;
};

#define TELLS_DEVICES "tells devices apart; a kernel is the same on each"

// A word that ends with * stands for all that begin like it.
static const struct refusal words[] = {
    {"asm", "is not C"},
    {"__asm*", "is not C"},
    {"extern", "names something outside of the file; shared memory whose size is known at launch "
               "is called tile"},
    {"__attribute*", "is not CUDA C"},
    {"__declspec", "is not CUDA C"},
    {"gnu", "is the C compiler's own"},
    {"__gnu__", "is the C compiler's own"},
    {"clang", "is the C compiler's own"},
    {"_Clang", "is the C compiler's own"},
    {"no_sanitize*", "is the C compiler's own"},
    {"disable_sanitizer*", "is the C compiler's own"},
    {"__builtin*", "is the C compiler's own"},
    {"__atomic_*", "is the C compiler's own; CUDA says atomicAdd"},
    {"__sync_*", "is the C compiler's own; CUDA says atomicAdd"},
    {"__tsan*", "is the grader's own"},
    {"_sub_I_*", "is the C compiler's own"},
    {"tsan*", "is the grader's own"},
    {"sancov*", "is the grader's own"},
    {"__sanitizer*", "is the grader's own"},
    {"__has_*", "asks the C compiler about files"},
    {"_Pragma", "is not needed; write #pragma unroll"},
    {"memcpy", "is not counted; assign the elements"},
    {"memset", "is not counted; assign the elements"},
    {"memmove", "is not counted; assign the elements"},
    {"memcmp", "is not counted; compare the elements"},
    {"__CUDA*", TELLS_DEVICES},
    {"__cplusplus", TELLS_DEVICES},
    {"__clang*", TELLS_DEVICES},
    {"__x86*", TELLS_DEVICES},
    {"__amd64", TELLS_DEVICES},
    {"__linux", TELLS_DEVICES},
    {"__unix", TELLS_DEVICES},
    {"linux", TELLS_DEVICES},
    {"unix", TELLS_DEVICES},
    {"emulator_*", "is the grader's own"},
    {"EMULATOR_*", "is the grader's own"},
};

// CUDA's words of this form. All others are names of what compiles for one of the devices.
static const char *const underlined[] = {
    "__global__",      "__host__",     "__device__",        "__shared__",   "__constant__",
    "__forceinline__", "__noinline__", "__launch_bounds__", "__restrict__", "__align__",
};

// And of the others. What a device does not have of them does not compile there.
static const char *const functions[] = {
    "__activemask", "__all_sync",      "__any_sync",  "__assume",       "__ballot_sync",
    "__brev",       "__brevll",        "__byte_perm", "__clz",          "__clzll",
    "__cvta_*",     "__dadd_*",        "__ddiv_*",    "__dmul_*",       "__double2*",
    "__double_*",   "__dp2a_*",        "__dp4a",      "__drcp_*",       "__dsqrt_*",
    "__dsub_*",     "__fadd_*",        "__fdiv_*",    "__fdividef",     "__ffs",
    "__ffsll",      "__float2*",       "__float_*",   "__fma_*",        "__fmaf_*",
    "__fmul_*",     "__fns",           "__frcp_*",    "__frsqrt_*",     "__fsqrt_*",
    "__fsub_*",     "__funnelshift_*", "__hadd",      "__int2*",        "__int_*",
    "__isShared",   "__ldca",          "__ldcg",      "__ldcs",         "__ldcv",
    "__ldg",        "__ldlu",          "__ll2*",      "__longlong_*",   "__match_*",
    "__mul24",      "__mul64hi",       "__mulhi",     "__nanosleep",    "__popc",
    "__popcll",     "__reduce_*",      "__restrict",  "__rhadd",        "__sad",
    "__saturatef",  "__shfl_*",        "__stcg",      "__stcs",         "__stwb",
    "__stwt",       "__syncthreads*",  "__syncwarp",  "__threadfence*", "__uhadd",
    "__uint2*",     "__uint_*",        "__ull2*",     "__umul24",       "__umul64hi",
    "__umulhi",     "__urhadd",        "__usad",      "__vabs*",        "__vadd*",
    "__vavg*",      "__vcmp*",         "__vhadd*",    "__vi*",          "__vmax*",
    "__vmin*",      "__vneg*",         "__vsad*",     "__vset*",        "__vsub*",
};

// What CUDA's words are made of on the CPU. A macro of such a name would make something else of
// them.
static const char *const fixed[] = {
    "__*",       "_Thread_local", "_Generic", "auto",     "break",   "case",       "char",
    "const",     "continue",      "default",  "do",       "double",  "else",       "enum",
    "float",     "for",           "goto",     "if",       "inline",  "int",        "long",
    "register",  "restrict",      "return",   "short",    "signed",  "sizeof",     "static",
    "struct",    "switch",        "typedef",  "union",    "void",    "unsigned",   "volatile",
    "while",     "threadIdx",     "blockIdx", "tile",     "used",    "blockDim",   "gridDim",
    "unused",    "always_inline", "flatten",  "coverage", "aligned", "visibility", "noinline",
    "tls_model", "section",
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

static bool is_one_of(struct c_token token, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_like(token, patterns[i])) return true;
    return false;
}

// Why a word that begins with two underlines is not CUDA's. NULL: it is, or begins otherwise.
static const char *why_foreign(struct c_token token)
{
    if (token.length < 2 || strncmp(token.start, "__", 2) != 0) return NULL;
    if (is_one_of(token, underlined, G_N_ELEMENTS(underlined))) return NULL;
    if (token.length >= 5 && !strncmp(token.start + token.length - 2, "__", 2))
        return TELLS_DEVICES;
    return is_one_of(token, functions, G_N_ELEMENTS(functions)) ? NULL : "is not a word of CUDA";
}

static bool is_word_allowed(const struct scan *s, struct c_token token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (is_like(token, words[i].word))
            return refuse(s, token.line, token.start, token.length, words[i].why);
    const char *const why = why_foreign(token);
    return !why || refuse(s, token.line, token.start, token.length, why);
}

// ---- lines that begin with # ----

static bool is_header(const struct scan *s, struct c_token token)
{
    if (token.kind == C_TOKEN_STRING && token.length > 2 &&
        headers_find(s->headers, token.start + 1, token.length - 2))
        return true;
    return refuse(s, token.line, token.start, token.length,
                  "is not one of the headers that a kernel file may include");
}

static bool is_macro_allowed(const struct scan *s, struct c_token name)
{
    return !is_one_of(name, fixed, G_N_ELEMENTS(fixed)) ||
           refuse(s, name.line, name.start, name.length, "is not to be defined");
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
        if (!strcmp(directives[i], "define") || !strcmp(directives[i], "undef"))
            return is_macro_allowed(s, next);
        return strcmp(directives[i], "pragma") != 0 || c_token_is(next, "unroll") ||
               refuse(s, token.line, token.start, token.length, "is allowed with unroll only");
    }
    return refuse(s, token.line, token.start, token.length, "is not allowed");
}

// ---- the text ----

// Two marks side by side that the preprocessor reads as one: ## makes a word of two, and %: is #.
// A backslash that joins no lines begins a letter's number.
static bool is_pair_allowed(const struct scan *s, struct c_token token)
{
    static const char *const pairs[] = {"##", "%:", "??", "\\"};
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        if (!strncmp(token.start, pairs[i], strlen(pairs[i])))
            return refuse(s, token.line, token.start, strlen(pairs[i]), "is not allowed");
    return true;
}

// A text that its line ends leaves the rest of the line to the preprocessor, but not to this scan.
static bool is_string_allowed(const struct scan *s, struct c_token token)
{
    const bool is_closed = token.length > 1 && token.start[token.length - 1] == token.start[0];
    return is_closed || refuse(s, token.line, token.start, 1, "is not closed");
}

// R"(...)" ends elsewhere than other texts.
static bool begins_raw_text(struct c_token word)
{
    return word.start[word.length - 1] == 'R' && word.start[word.length] == '"';
}

static bool is_token_allowed(const struct scan *s, struct c_token token, struct c_tokens after)
{
    switch (token.kind) {
    case C_TOKEN_WORD:
        if (begins_raw_text(token))
            return refuse(s, token.line, token.start, token.length, "begins a raw text");
        return is_word_allowed(s, token);
    case C_TOKEN_STRING:
        return is_string_allowed(s, token);
    case C_TOKEN_DIRECTIVE:
        return is_directive_allowed(s, token, after);
    case C_TOKEN_MARK:
        return is_pair_allowed(s, token);
    case C_TOKEN_NUMBER:
    case C_TOKEN_COMMENT:
    case C_TOKEN_END:
        break;
    }
    return true;
}

// Compilers disagree about what other control characters are: blanks, ends of lines, or neither.
static bool is_plain(const struct scan *s, const char *text)
{
    int line = 1;
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        if (g_ascii_iscntrl(*c) && *c != '\n' && *c != '\t' && strncmp(c, "\r\n", 2) != 0)
            return error_set(s->err,
                             "%s:%d: the file has a control character (0x%02x): save it as "
                             "plain text",
                             s->name, line, (unsigned int)*c);
    }
    return true;
}

// Compilers also join lines where blanks stand behind the backslash, but not all of them do.
static bool has_clear_joins(const struct scan *s, const char *text)
{
    int line = 1;
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        const char *const end = c + 1 + strspn(c + 1, " \t\r");
        if (*c == '\\' && *end == '\n' && end > c + 1 && strncmp(c + 1, "\r\n", 2) != 0)
            return refuse(s, line, c, 1, "has blanks behind it");
    }
    return true;
}

bool allowed_text(const char *name, const char *text, const struct headers *headers,
                  struct error *err)
{
    const struct scan s = {name, headers, err};
    if (!is_plain(&s, text) || !has_clear_joins(&s, text)) return false;
    char *joined = c_tokens_join_lines(text);
    struct c_tokens tokens = c_tokens_of(joined);
    struct c_token token;
    do token = c_tokens_next(&tokens);
    while (token.kind != C_TOKEN_END && is_token_allowed(&s, token, tokens));
    g_free(joined);
    return token.kind == C_TOKEN_END;
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
    return is_one_of(token, known, G_N_ELEMENTS(known));
}

// Constructors, of which compiled.c allows one.
bool allowed_function(const char *name, const char *section)
{
    static const char *const known[] = {"_sub_I_*", "tsan.*", "sancov.*"};
    const struct c_token token = {.kind = C_TOKEN_WORD, .start = name, .length = strlen(name)};
    return !strcmp(section, "emulator_text") || is_one_of(token, known, G_N_ELEMENTS(known));
}
