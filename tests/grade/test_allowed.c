// test_allowed -- which texts a submission may have.
#include "unit.h"

#include "grade/allowed.h"

static void kernels_are_allowed(void **state)
{
    static const char *const texts[] = {
        "",
        "#include \"lab.h\"\n#define N 4\n#pragma unroll\nfor (;;) __syncthreads();",
        "// asm, extern, ## and %: in a comment\n\"asm memcpy\"",
        "#define SUM(a, \\\n    b) ((a) + (b))\nint a = 7 % 2, b = a ? a : 1;",
        "#define STEP 4\r\n#define SUM(a) \\\r\n    (a)\r\n#undef STEP",
        "#define NAME(a, b) a##b\nint used, gnu, asmfoo;",
        "int f(int f2);\n// not f(1)\nint f(int i) { return i; }\nint g(int i) { return f(f(i)); }",
        "__device__ int f(struct s s) { return s.f + \"f()\"[0]; }",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct error err = {""};
        if (!allowed_text("a.cu", texts[i], &err)) fail_msg("%s", err.text);
    }
}

static void others_are_refused_by_name(void **state)
{
    static const struct {
        const char *text, *refusal;
    } rows[] = {
        {"\nasm(\"nop\");", "a.cu:2: 'asm' is not counted; write it in CUDA C"},
        {"\nas\\\nm(\"nop\");", "a.cu:2: 'asm' is not counted"},
        {"#define A asm\nA(\"nop\");", "a.cu:1: 'asm' is not counted"},
        {"__asm__ volatile (\"nop\");", "a.cu:1: '__asm__' is not counted"},
        {"__asm(\"nop\");", "a.cu:1: '__asm' is not counted"},
        {"extern __shared__ float s[];",
         "a.cu:1: 'extern' names something outside of the file; shared memory whose size is known "
         "at launch is called tile"},
        {"memcpy(d.out, d.in, p.n);", "a.cu:1: 'memcpy' is not counted; assign the elements"},
        {"\nint mem\\\ncpy;\nasm();", "a.cu:2: 'memcpy' is not counted"},
        {"#ifdef __CUDACC__\n#endif",
         "a.cu:1: '__CUDACC__' tells devices apart; a kernel is the same on each"},
        {"#define ARCH __CUDA_ARCH__", "a.cu:1: '__CUDA_ARCH__' tells devices apart"},
        {"\n\f", "a.cu:2: the file has a control character (0x0c): save it as plain text"},
        {"\v#include \"a.h\"", "a.cu:1: the file has a control character (0x0b)"},
        {"// \rint a;", "a.cu:1: the file has a control character (0x0d)"},
        {"\x1b[2J", "a.cu:1: the file has a control character (0x1b)"},
        {"\b", "a.cu:1: the file has a control character (0x08)"},
        {"\x7f", "a.cu:1: the file has a control character (0x7f)"},
        {"\x01", "a.cu:1: the file has a control character (0x01)"},
        {"\n// f(1)\n__device__ int f(int i)\n{\n    return i ? f(i - 1) : 0;\n}",
         "a.cu:5: 'f' calls itself"},
        {"static int f(int i) { return i; }\nstatic int g(int i) { return i ? g (f(i)) : 0; }",
         "a.cu:2: 'g' calls itself"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct error err = {""};
        assert_false(allowed_text("a.cu", rows[i].text, &err));
        if (!g_str_has_prefix(err.text, rows[i].refusal))
            fail_msg("'%s' is not '%s'", err.text, rows[i].refusal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_allowed),
        cmocka_unit_test(others_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
