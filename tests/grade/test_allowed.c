// test_allowed -- which texts and symbols a submission may have.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

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
        {"\nint emul\\\nator_log;", "a.cu:2: '\\' splits a word"},
        {"/**/ #include \"/etc/passwd\"", "a.cu:1: '\"/etc/passwd\"' "},
        {"as\\ \nm(\"nop\");", "a.cu:1: '\\' has blanks behind it"},
        {"// x \\\n/*\nasm(\"nop\");\n// \\\n*/", "a.cu:1: '\\' continues a comment"},
        {"memcpy(d.out, d.in, p.n);", "a.cu:1: 'memcpy' is not counted"},
        {"#ifdef __CUDACC__\n#endif", "a.cu:1: '__CUDACC__' "},
        {"int emul\\\r\nator_log;", "a.cu:1: '\\' splits a word"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct error err = {""};
        assert_false(allowed_text("a.cu", rows[i].text, &headers, &err));
        if (!g_str_has_prefix(err.text, rows[i].refusal))
            fail_msg("'%s' is not '%s'", err.text, rows[i].refusal);
    }
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_allowed),
        cmocka_unit_test(others_are_refused_by_name),
        cmocka_unit_test(only_words_of_cuda_are_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
