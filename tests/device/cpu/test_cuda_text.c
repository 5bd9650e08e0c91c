// What stands in a kernel file's place for a C++ compiler: only dynamic shared memory has another
// form there, and every line is where it was.
#include "unit.h"

#include <stdbool.h>

#include "device/cpu/cuda_text.h"

static void assert_text(const char *source, const char *wanted)
{
    g_autofree char *text = cuda_text(source, NULL);
    int lines = 0;
    assert_string_equal(text, wanted);
    for (const char *at = source; *at; at++) lines += *at == '\n';
    for (const char *at = text; *at; at++) lines -= *at == '\n';
    assert_int_equal(lines, 0);
}

#define TILE(type, name, sides) \
    "extern EMULATOR_TILE " type " (*const " name ")" sides " EMULATOR_IS_TILE;"
#define INNER(type, name, sides)                                                \
    "EMULATOR_UNUSED " type " (*const " name ")" sides " = (" type " (*)" sides \
    ")EMULATOR_TILE_START;"

TEST(declarations)
{
    static const char *const rows[][2] = {
        {"extern __shared__ float s[];", TILE("float", "s", "")},
        {"void f() { extern __shared__ int tile[]; tile[0] = 1; }\n",
         "void f() { " INNER("int", "tile", "") " tile[0] = 1; }\n"},
        {"extern __shared__ unsigned long long s[];", TILE("unsigned long long", "s", "")},
        {"extern __shared__ struct pair s[];", TILE("struct pair", "s", "")},
        {"extern __shared__ vec<float, 4> s[];", TILE("vec < float , 4 >", "s", "")},
        {"extern volatile __shared__ float s[ ] ;", TILE("volatile float", "s", "")},
        {"extern __shared__ float *s[];", TILE("float *", "s", "")},
        // More dimensions.
        {"extern __shared__ float s[][33];", TILE("float", "s", "[ 33 ]")},
        {"extern __shared__ T s[][2 * N][M];", TILE("T", "s", "[ 2 * N ] [ M ]")},
        // Alignments.
        {"extern __shared__ __align__(16) unsigned char s[];", TILE("unsigned char", "s", "")},
        {"extern __align__(sizeof(T)) __shared__ T s[];", TILE("T", "s", "")},
        {"extern __shared__ alignas(alignof(double)) char s[];", TILE("char", "s", "")},
        {"extern __shared__ __attribute__((aligned(16))) char s[];", TILE("char", "s", "")},
        // Over several lines.
        {"extern\n__shared__\nfloat s[];\nint a;\n", TILE("float", "s", "") "\n\n\nint a;\n"},
        {"extern __shared__ float s[]\n    [4];\nint a;\n",
         TILE("float", "s", "[ 4 ]") "\n\nint a;\n"},
        {"extern __shared__ float s[\n][4 // four\n];\nint a;\n",
         TILE("float", "s", "[ 4 ]") "\n\n\nint a;\n"},
        // Comments between.
        {"extern /* ; */ __shared__ /* [ */ float s[/* n */] /* ] */;", TILE("float", "s", "")},
        {"extern __shared__ // dynamic\n float s[];  // as large as it wants\n",
         TILE("float", "s", "") "\n  // as large as it wants\n"},
        {"extern __shared__ /* 1\n2 */ float s[];\n", TILE("float", "s", "") "\n\n"},
        // Several of them.
        {"extern __shared__ int a[]; extern __shared__ int b[];\n",
         TILE("int", "a", "") " " TILE("int", "b", "") "\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) assert_text(rows[i][0], rows[i][1]);
}

// In a function, or in a struct's, and outside of all, whatever namespaces are there.
TEST(scopes)
{
    static const struct {
        const char *before, *after;
        bool is_in_body;
    } rows[] = {
        {"", "", false},
        {"int f() { } ", "", false},
        {"namespace a { ", " }", false},
        {"inline namespace a { namespace { ", " } }", false},
        {"namespace a { int f() { if (1) { } } ", " }", false},
        {"extern \"C\" { ", " }", false},
        {"extern \"C\" { } extern \"C++\" { namespace a::b { } ", " }", false},
        {"} } ", "", false},
        {"#define OPEN {\n", "", false},
        {"const char *a = \"{\"; // {\n", "", false},
        {"namespace a { template <int N> void f() { ", " } }", true},
        {"extern \"C\" __global__ void f() { ", " }", true},
        {"extern \"C\" { void f() { { } ", " } }", true},
        {"struct s { operator int *() { ", " } };", true},
        {"void f() { using namespace a; if (1) { ", " } }", true},
        {"using namespace a; void f() { ", " }", true},
        {"namespace b = a; void f() { ", " }", true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const tile =
            rows[i].is_in_body ? INNER("T", "s", "[ 2 ]") : TILE("T", "s", "[ 2 ]");
        g_autofree char *source =
            g_strconcat(rows[i].before, "extern __shared__ T s[][2];", rows[i].after, NULL);
        g_autofree char *wanted = g_strconcat(rows[i].before, tile, rows[i].after, NULL);
        assert_text(source, wanted);
    }
}

TEST(all_else_stays)
{
    static const char *const texts[] = {
        "",
        "extern",
        "extern __shared__",
        "extern __shared__ float s",
        "extern __shared__ float s[",
        "extern __shared__ float s[]",
        "extern __shared__ s[];",
        "extern __shared__ float s[32];",
        "extern __shared__ float s;",
        "extern float s[];\n",
        "extern const int table[4];\n",
        "extern int f(int a[]);\n",
        "extern \"C\" __global__ void k(float *a) { __shared__ float s[32]; }\n",
        "extern \"C\" {\n__global__ void k(float a[]) { }\n}\n",
        "__shared__ float s[];\n",
        "// extern __shared__ float s[];\n",
        "/* extern __shared__ float s[]; */\n",
        "const char *text = \"extern __shared__ float s[];\";\n",
        "#define TILE extern __shared__ float s[];\n",
        "#define TILE \\\n    extern __shared__ int s[];\n",
        "int external; int my_extern __shared__;\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) assert_text(texts[i], texts[i]);
}

// Only conditions that are decided by __CUDACC__ go, and no line moves.
TEST(what_only_nvcc_reads)
{
    static const char *const rows[][2] = {
        {"#ifdef __CUDACC__\na\n#else\nb\n#endif\nc\n", "\n\n\nb\n\nc\n"},
        {"# if defined( __CUDACC__ ) && __CUDA_ARCH__ >= 800\na\n#endif // b\nc", "\n\n\nc"},
        {"#if defined \\\n(__CUDACC__)\na\n# else // a\nb\n#endif", "\n\n\n\nb\n"},
        {"#ifdef A\n#ifdef __CUDACC__\na\n#else\nb\n#endif\n#else\nc\n#endif",
         "#ifdef A\n\n\n\nb\n\n#else\nc\n#endif"},
        {"int \xe4;\n#ifdef __CUDACC__\n#endif", "int \xe4;\n\n"},
        {"#ifdef __CUDACC__\n#ifdef A\na\n#else\nb\n#endif\n#endif\nc", NULL},
        {"#ifndef __CUDACC__\na\n#endif", NULL},
        {"#if defined(__CUDACC__) || A\na\n#endif", NULL},
        {"#if defined(__CUDACC__) && A ? B : C\na\n#endif", NULL},
        {"#if !defined(__CUDACC__) && A\na\n#endif", NULL},
        {"#if __CUDACC__\na\n#endif", NULL},
        {"#ifdef __CUDACC__\na\n#elif A\nb\n#endif", NULL},
        {"#ifdef __CUDACC_RDC__\na\n#endif\n#endif", NULL},
        {"#ifdef A /* b */\na\n#endif", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = cuda_text_without_nvcc(rows[i][0]);
        assert_string_equal(text, rows[i][1] ? rows[i][1] : rows[i][0]);
    }
    g_autoptr(GString) many = g_string_new("#ifdef __CUDACC__\n");
    for (int i = 0; i < 100000; i++) g_string_append(many, "a\n");
    g_string_append(many, "#endif");
    g_autofree char *none = cuda_text_without_nvcc(many->str);
    assert_int_equal(strspn(none, "\n"), 100001);
}

TEST(loops_to_unroll)
{
    static const char *const rows[][2] = {
        {"#pragma unroll\nfor (int i = 0; i < 8; i++)",
         "#pragma GCC unroll 8\nfor (int i = 0; i < 8; i++)"},
        {"  # pragma  unroll // all\n  for (; i >= STEP / 2; i--)",
         "  #pragma GCC unroll 8\n  for (; i >= STEP / 2; i--)"},
        {"// \xe4\n#pragma unroll\nfor (; i < 8;)",
         "// \xe4\n#pragma GCC unroll 8\nfor (; i < 8;)"},
        {"#pragma unroll\nfor (int i = 0; i < n; i++)", NULL},
        {"#pragma unroll\nfor (int i = 0; i < N && i < n; i++)", NULL},
        {"#pragma unroll\nfor (int i : all)", NULL},
        {"#pragma unroll 4\nfor (int i = 0; i < 8; i++)", NULL},
        {"#pragma unroll\nwhile (i < 8)", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = cuda_text_unroll(rows[i][0], rows[i][0]);
        assert_string_equal(text, rows[i][1] ? rows[i][1] : rows[i][0]);
    }
}

TEST(divisions)
{
    static const char *const rows[][2] = {
        {"(sum + area / 2) / area", "(sum + area / 2) / emulator_sign / area"},
        {"a[i] += a % b / c", "a[i] += a % b / emulator_sign / c"},
        {"a / (2 * b)", "a / emulator_sign / (2 * b)"},
        {"a / f(b) + s.x / *p", "a / emulator_sign / f(b) + s.x / *p"},
        {"a /= b; a / 3u; a / SIDE_2; // a / b", NULL},
        {"#define HALF(a) (a / b)\n\"a / b\"; 'a'", NULL},
        {"const int x = a / b, y = x / c;", NULL},
        {"v operator/(v a, int b) { return a.x / b; }", NULL},
        {"R\"(a\n\" a / b)\";", NULL},
        {"struct s { unsigned f : 5; }; c += own.f / b;", NULL},
        {"case SIDE: c += d ? n::e : 3, a[i] += int n::a / b;",
         "case SIDE: c += d ? n::e : 3, a[i] += int n::a / emulator_sign / b;"},
        {"assert(a / b > 2); c += a / b;", NULL},
        {"#define SHOW(x) printf(#x)\nSHOW(a / b);", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bool is_own = false;
        g_autofree char *text = cuda_text_divide(rows[i][0], &is_own);
        assert_string_equal(text, rows[i][1] ? rows[i][1] : rows[i][0]);
        is_own = true;  // as another text of the same object says
        g_autofree char *same = cuda_text_divide(rows[i][0], &is_own);
        assert_string_equal(same, rows[i][0]);
    }
}
