// test_allowed -- which texts and symbols a submission may have.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

#include "base/c_tokens.h"
#include "grade/allowed.h"

static struct header list[] = {{.path = "kernels/kernel.h", .text = ""},
                               {.path = "kernels/lab.h", .text = ""}};
static const struct headers headers = {list, 2};

static void kernels_are_allowed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "#include \"lab.h\"\n#define N 4\n#pragma unroll\nfor (;;) __syncthreads();",
        "// asm, extern, ## and %: in a comment\n\"asm ??\"",
        "#define SUM(a, \\\n    b) ((a) + (b))\nint a = 7 % 2, b = a ? a : 1;",
        "__shared__ float s[32]; atomicAdd(s, 1.0f); __syncwarp(); __shfl_xor_sync(~0u, 1, 1);",
        "  #  include \"kernel.h\"\n",
        "__host__ __device__ __forceinline__ int f(const float *__restrict__ a);",
        "__global__ __launch_bounds__(256) __align__(8) __shared__ __constant__ __noinline__",
        "// a note that goes \\\n on\nint targ\\\net[4], alias; if (a[b[0]]) R = 'R';",
        "#define STEP 4\r\n#define SUM(a) \\\r\n    (a)\r\n#undef STEP",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct error err = {""};
        if (!allowed_text("a.cu", texts[i], &headers, &err)) fail_msg("%s", err.text);
    }
}

static void others_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *refusal;
    } rows[] = {
        {"\nasm(\"nop\");", "a.cu:2: 'asm' "},
        {"__asm__ volatile (\"nop\");", "a.cu:1: '__asm__' "},
        {"extern int open();", "a.cu:1: 'extern' "},
        {"__attribute__((constructor)) void f(void);", "a.cu:1: '__attribute__' "},
        {"int x = emulator_log;", "a.cu:1: 'emulator_log' "},
        {"#define J(a, b) a##b", "a.cu:1: '##' "},
        {"%:include \"/etc/passwd\"", "a.cu:1: '%:' "},
        {"\?\?=include \"/etc/passwd\"", "a.cu:1: '\?\?' "},
        {"#include \"/etc/passwd\"", "a.cu:1: '\"/etc/passwd\"' "},
        {"#include <stdio.h>", "a.cu:1: '<' "},
        {"#include NAME", "a.cu:1: 'NAME' "},
        {"#include \"kernel.h.gz\"", "a.cu:1: '\"kernel.h.gz\"' "},
        {"# include_next \"lab.h\"", "a.cu:1: '# include_next' "},
        {"#line 7 \"other.cu\"", "a.cu:1: '#line' "},
        {"#pragma GCC optimize(\"O0\")", "a.cu:1: '#pragma' "},
        {"_Pragma(\"unroll\")", "a.cu:1: '_Pragma' "},
        {"\nint emul\\\nator_log;\nasm();", "a.cu:2: 'emulator_log' "},
        {"/**/ #include \"/etc/passwd\"", "a.cu:1: '\"/etc/passwd\"' "},
        {"as\\ \nm(\"nop\");", "a.cu:1: '\\' has blanks behind it"},
        {"// x \\\n/*\nasm(\"nop\");\n// \\\n*/", "a.cu:3: 'asm' "},
        {"/* *\\\n/ asm(\"nop\"); /* */", "a.cu:1: 'asm' "},
        {"/\\\n* \" */ asm(\"nop\");", "a.cu:1: 'asm' "},
        {"a\\\n\\\r\nsm(\"nop\");", "a.cu:1: 'asm' "},
        {"char a[] = \"abc\\\r\n\"; asm(\"nop\"); \"x\"", "a.cu:1: 'asm' "},
        {"char a[] = R\"(\")\"; asm(\"nop\"); \"x\"", "a.cu:1: 'R' begins a raw text"},
        {"char a[] = u8\\\nR\"(\")\"; asm(\"nop\"); \"x\"", "a.cu:1: 'u8R' begins a raw text"},
        {"#define A ', asm(\"nop\")\n", "a.cu:1: ''' is not closed"},
        {"#define A \", asm('n')\n", "a.cu:1: '\"' is not closed"},
        {"#ifdef __cplusplus\n#endif", "a.cu:1: '__cplusplus' tells devices apart"},
        {"if (__GNUC__) return;", "a.cu:1: '__GNUC__' tells devices apart"},
        {"#if defined __x86_64 || __clang_major__\n#endif",
         "a.cu:1: '__x86_64' tells devices apart"},
        {"#if linux\n#endif", "a.cu:1: 'linux' tells devices apart"},
        {"\n[[gnu::no_sanitize_thread]] void f(void);", "a.cu:2: 'gnu' "},
        {"[[__gnu__::__noinline__]] void f(void);", "a.cu:1: '__gnu__' "},
        {"#define unused no_sanitize_thread", "a.cu:1: 'unused' is not to be defined"},
        {"# define __device__", "a.cu:1: '__device__' is not to be defined"},
        {"#undef threadIdx", "a.cu:1: 'threadIdx' is not to be defined"},
        {"#define _Thread_local", "a.cu:1: '_Thread_local' is not to be defined"},
        {"#define static", "a.cu:1: 'static' is not to be defined"},
        {"memcpy(d.out, d.in, p.n);", "a.cu:1: 'memcpy' is not counted"},
        {"#ifdef __CUDACC__\n#endif", "a.cu:1: '__CUDACC__' "},
        {"const float __seg_fs *a;", "a.cu:1: '__seg_fs' is not a word of CUDA"},
        {"__volatile int a;", "a.cu:1: '__volatile' is not a word of CUDA"},
        {"static void _sub_I_00099_0(void) {}", "a.cu:1: '_sub_I_00099_0' "},
        {"int emul\\\r\nator_log;", "a.cu:1: 'emulator_log' "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct error err = {""};
        assert_false(allowed_text("a.cu", rows[i].text, &headers, &err));
        if (!g_str_has_prefix(err.text, rows[i].refusal))
            fail_msg("'%s' is not '%s'", err.text, rows[i].refusal);
    }
}

// All of CUDA that kernels have on the CPU: what begins with two underlines and is followed by a
// bracket is a function, or a macro that stands for one.
static void all_functions_of_cuda_are_allowed(void **state)
{
    (void)state;
    char *path = g_build_filename(TILESCOPE_KERNELS, "../src/device/cpu/cuda_words.h", NULL);
    char *text = NULL;
    int count = 0;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    struct c_tokens tokens = c_tokens_of(text);
    for (struct c_token token; (token = c_tokens_next(&tokens)).kind != C_TOKEN_END;) {
        if (token.kind != C_TOKEN_WORD || strncmp(token.start, "__", 2) != 0) continue;
        if (!g_ascii_islower(token.start[2]) || token.start[token.length] != '(') continue;
        char *word = g_strndup(token.start, token.length);
        if (!g_str_has_prefix(word, "__attribute") && !g_str_has_prefix(word, "__builtin_") &&
            !g_str_has_prefix(word, "__atomic_")) {
            if (!allowed_text("a.cu", word, &headers, NULL)) fail_msg("%s", word);
            count++;
        }
        g_free(word);
    }
    assert_true(count > 50);
    g_free(text);
    g_free(path);
}

// A macro of its name would put another attribute in its place.
static void no_attribute_of_ours_can_be_defined(void **state)
{
    (void)state;
    static const char *const headers_of_ours[] = {"cuda_words.h", "trace_words.h"};
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(headers_of_ours); i++) {
        char *path =
                 g_build_filename(TILESCOPE_KERNELS, "../src/device/cpu", headers_of_ours[i], NULL),
             *text = NULL;
        assert_true(g_file_get_contents(path, &text, NULL, NULL));
        for (const char *at = text; (at = strstr(at, "__attribute__((")); at++) {
            struct c_tokens tokens = c_tokens_of(at + strlen("__attribute__"));
            int depth = 0;
            do {
                const struct c_token token = c_tokens_next(&tokens);
                depth += c_token_is(token, "(") - c_token_is(token, ")");
                if (token.kind != C_TOKEN_WORD || depth != 2) continue;
                char *define = g_strdup_printf("#define %.*s x", (int)token.length, token.start);
                if (allowed_text("a.cu", define, &headers, NULL)) fail_msg("%s", define);
                g_free(define);
                count++;
            } while (depth > 0);
        }
        g_free(text);
        g_free(path);
    }
    assert_true(count > 10);
}

static void only_words_of_cuda_are_linked(void **state)
{
    (void)state;
    static const char *const good[] = {"emulator_warp U", "fmaf@GLIBC_2.27 U", "threadIdx U",
                                       "memcpy"};
    static const char *const bad[] = {"open U", "memcpyx", "dlsym@GLIBC_2.34", "fm",
                                      "__libc_start"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) assert_true(allowed_symbol(good[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) assert_false(allowed_symbol(bad[i]));
    assert_true(allowed_function("__tsan_read4", "emulator_text"));
    assert_true(allowed_function("tsan.module_ctor", ".text"));
    assert_false(allowed_function("same.constprop.0", ".text"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_allowed),
        cmocka_unit_test(others_are_refused_by_name),
        cmocka_unit_test(all_functions_of_cuda_are_allowed),
        cmocka_unit_test(no_attribute_of_ours_can_be_defined),
        cmocka_unit_test(only_words_of_cuda_are_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
