// What is left of a whole program for a device's compiler. No line of it moves.
#include "unit.h"

#include <string.h>

#include "device/device_text.h"

static char *text_of(const char *source)
{
    static struct header list[] = {{"kernels/kernel.h", "", false},
                                   {"a/own.h", "#define OWN __host__ __device__\n", true}};
    const struct headers headers = {.list = list, .count = 2};
    char *text = device_text(source, "a( b( add(", &headers);
    assert_int_equal(strlen(text), strlen(source));
    for (size_t i = 0; source[i]; i++)
        if (text[i] != source[i] && (text[i] != ' ' || source[i] == '\n'))
            fail_msg("'%s' became '%s'", source, text);
    return text;
}

// Blanks of the same number stand in place of what goes.
static void assert_kept(const char *source)
{
    g_autofree char *text = text_of(source);
    assert_string_equal(text, source);
}

static void assert_left(const char *source, const char *words)
{
    char *text = text_of(source), *last = text + strlen(text);
    while (last > text && g_ascii_isspace(last[-1])) *--last = '\0';
    g_auto(GStrv) left = g_regex_split_simple("\\s+", g_strchug(text), 0, 0);
    g_autofree char *joined = g_strjoinv(" ", left);
    assert_string_equal(joined, words);
    g_free(text);
}

// A struct's own functions that call the host, or check something as they compile.
TEST(functions_of_structs)
{
    assert_left("template <class T> struct box { T a; void fill() { a = rand(); } };",
                "template <class T> struct box { T a; };");
    assert_left("template <int n> struct box { float *a; box() { static_assert(n > 0, \"\"); "
                "cudaMalloc(&a, n); } int of() { return n; } };",
                "template <int n> struct box { float *a; int of() { return n; } };");
}

TEST(what_is_kept)
{
    static const char *const texts[] = {
        "",
        "// a comment\n/* main() { } */\n",
        "#include \"kernel.h\"\n# include \"own.h\"\n#define N 4\n",
        "__global__ void a(int *b) { b[0] = 1; }\n",
        "template <int N> __global__ void a(int *b) { b[0] = N; }\n",
        "static __device__ __forceinline__ int twice(int a) { return 2 * a; }\n",
        "__host__ __device__ double r(long long i) { return i; }\n",
        "__constant__ float weights[9];\n__shared__ int s;\n__device__ int count = 0;\n",
        "const int tile = 16;\nconstexpr int rows() { return 4; }\n",
        "enum { A, B = 2 };\nstruct pair { int a, b; };\ntypedef struct { float x; } vector;\n",
        "using T = float;\ntemplate <class T> struct box { T a[4]; };\n",
        "template <class T, int n> struct alignas(sizeof(T) * n) pack { T of[n]; };\n",
        "struct sum { __device__ int operator()(int a, int b) const { return a + b; } };\n",
        "namespace a {\n__device__ int b;\n}\nnamespace c::d { __device__ int e; }\n",
        "inline namespace v1 {\n__device__ int twice(int a) { return 2 * a; }\n}\n",
        "extern \"C\" {\n__global__ void a() { }\n}\nextern \"C\" __global__ void b() { }\n",
        "#define FN __device__ __forceinline__\nFN int twice(int a) { return 2 * a; }\n",
        "#define DEVICE __device__\n#define FN DEVICE inline\nFN int one() { return 1; }\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) assert_kept(texts[i]);
}

// A C++ compiler for the CPU refuses both words, and the rewriter a static variable.
TEST(static_shared_memory)
{
    assert_left("__device__ void f() { static __shared__ int s[32]; }",
                "__device__ void f() { __shared__ int s[32]; }");
    assert_kept("__device__ void f() { static int s; }");
}

TEST(what_goes)
{
    static const struct {
        const char *source, *left;
    } cases[] = {
        {"#include <stdio.h>\n#include <vector>\n#include \"helper_cuda.h\"\n", ""},
        {"#  include /* of C */ <math.h> /* two\n lines */\n__device__ int a;",
         "__device__ int a;"},
        // Its places would be believed.
        // Functions of a struct that are the host's, but no others.
        {"struct lock { int *at; lock() { cudaMalloc(&at, 4); } ~lock() { cudaFree(at); }\n"
         "__device__ void take() { *at = 1; } int of(int a) { return a; } };",
         "struct lock { int *at; __device__ void take() { *at = 1; } int of(int a) { return a; } "
         "};"},
        {"struct size { int a; size(std::string s) { a = 1; } };", "struct size { int a; };"},
        {"struct all { std::string s; __device__ int f() { return 1; } };",
         "struct all { std::string s; __device__ int f() { return 1; } };"},
        {"#line 1215752191 \"x\"\n__device__ int a;", "__device__ int a;"},
        {"__device__ int a;\n # /**/ line \\\n 9 /*\n*/ \"x\" // why\n#lines",
         "__device__ int a; #lines"},
        {"# 12 \"x\" 3\n__device__ int a() {\n#line 7\n}", "__device__ int a() { }"},
        {"#define F(x) line\n#define line 3\nint main() {\n#line 7\n}",
         "#define F(x) line #define line 3"},
        {"int main(int argc, char **argv) { return 0; }", ""},
        {"static int count;\nfloat *host_data = NULL;\nvoid run(int n);", ""},
        {"void a() { if (1) { } }\n__global__ void b() { }\nint main() { }",
         "__global__ void b() { }"},
        {"template <class T> class all { std::string s; T f() { return 1; } };\n"
         "template class all<float>;\ntemplate void run<int>(int *);\n__device__ int a;",
         "__device__ int a;"},
        {"template class all<float>;\ntemplate void run(int *);\nint host() { return 1; }\n"
         "template __global__ void a(int *);\n__global__ void a(float *b) { }",
         "__global__ void a(float *b) { }"},
        {"class Timer { std::string name; public: Timer() { } };\n__device__ int a;",
         "__device__ int a;"},
        // So is what uses such a type.
        {"struct A { std::vector<int> a; };\nstruct B { A a; };\nB b;\nstruct C { int A_; };",
         "struct C { int A_; };"},
        {"template <typename T> void run(T *a) { kernel<<<1, 2>>>(a); }", ""},
        {"__global__ void c() { }\n__global__ void a() { }", "__global__ void a() { }"},
        {"__global__ void c() {\n#pragma unroll 4\nfor (;;) ;\n#if A\n#endif\n}\n#pragma once",
         "#if A #endif #pragma once"},
        {"template <class T> void run(T *a) { constexpr int n = 3; kernel<n><<<1, 2>>>(a); }", ""},
        {"inline namespace v1 { int host() { return 1; } __device__ int a; }",
         "inline namespace v1 { __device__ int a; }"},
        {"namespace a { int host() { return 1; } }", "namespace a { }"},
        // What CUDA has without std:: is no host code, and needs none.
        {"struct P { std::uint32_t a; };\nusing u = ::std::uint64_t;\ntypedef std :: size_t n;\n"
         "__device__ float f(float a) { return std::exp(a) + cuda::std::min(1.f, a); }",
         "struct P { uint32_t a; }; using u = :: uint64_t; typedef size_t n; "
         "__device__ float f(float a) { return exp(a) + min(1.f, a); }"},
        {"__device__ int f() { return std::min<int>(1, 2) + std::is_same<int, int>::value; }",
         "__device__ int f() { return std::min<int>(1, 2) + std::is_same<int, int>::value; }"},
        {"std::vector<int> all = {1, 2, 3};\n__device__ int a;", "__device__ int a;"},
        {"using namespace std;\nint main() { }", ""},
        {"cudaEvent_t start, stop;\ndim3 grid(1, 2);", ""},
        {"// why\nint main() { /* } */ puts(\"}\"); }\n// end", "// why // end"},
        {"void f() {\n#ifdef FAST\n    a();\n#else\n    b();\n#endif\n}\n__device__ int c;",
         "#ifdef FAST #else #endif __device__ int c;"},
        {"void f() { int a[] = {1, {2}}; }\n__device__ int c;", "__device__ int c;"},
        {"#define CHECK(a) do { if (a) exit(1); } while (0)\nvoid f() { CHECK(cudaFree(0)); }",
         "#define CHECK(a) do { if (a) exit(1); } while (0)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) assert_left(cases[i].source, cases[i].left);
}

// Both ends of a function may stand behind one #if.
TEST(a_whole_sample)
{
    assert_left("#include <stdio.h>\n"
                "#include <cuda_runtime.h>\n"
                "#define TILE 16\n"
                "#define CUDA_CHECK(call) \\\n"
                "    do { call; } while (0)\n"
                "typedef unsigned int uint;\n"
                "struct Options { int n; bool is_quiet; };\n"
                "class Matrix { std::vector<float> data; float *get() { return &data[0]; } };\n"
                "__global__ void add(const float *a, float *b, int n)\n"
                "{\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i < n) b[i] += a[i];\n"
                "}\n"
                "static float *allocate(size_t n) { float *p; cudaMalloc(&p, n); return p; }\n"
                "int main(int argc, char *argv[]) {\n"
                "    add<<<TILE, 256>>>(NULL, NULL, 3);\n"
                "    return 0;\n"
                "}\n",
                "#define TILE 16 #define CUDA_CHECK(call) \\ do { call; } while (0) "
                "typedef unsigned int uint; struct Options { int n; bool is_quiet; }; "
                "__global__ void add(const float *a, float *b, int n) { "
                "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] += a[i]; }");
}

TEST(hostile_texts)
{
    static const char *const texts[] = {
        "}",
        "{",
        "}}}}{{{{",
        "int main() {",
        "void f() { {",
        "/*",
        "\"",
        "'",
        "#",
        "#include",
        "#include <",
        "#include \"",
        "#define",
        "#define A",
        "namespace {",
        "inline namespace",
        "extern \"C\" {",
        "extern \"C\"",
        "template <",
        "struct",
        "class {",
        "<<<>>>",
        ";;;;",
        "\\",
        "#\\\ninclude <a>",
        "inline",
        "inline namespace {",
        "=",
        "a = {",
        "operator",
        "\x80\xff{",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(text_of(texts[i]));
    g_autofree char *deep = g_strnfill(1 << 20, '{');
    g_free(text_of(deep));
}

// ---- names that are not known ----

TEST(hints)
{
    static const char source[] =
        "int twice(int x) { return 2 * x; }\n"
        "template <class T>\n"
        "T thrice(T x) { return 3 * x; }\n"
        "int limit = 3, other[2];\n"
        "struct list { std::vector<int> all; };\n"
        "__global__ void b(int *c) {}\n"
        "__global__ void unused(int *c) {}\n"
        "__device__ int kept(int x) { return x; }\n"
        "texture<float, 1> old;\n"
        "__global__ void a(int *c)\n"
        "{\n"
        "    twice(1), thrice(1), limit, other, list(), unused(c);\n"
        "    std::sort(1, 2), thrust::a::b(1), x::twice, cudaFree(c), cout;\n"
        "    __shfl_xor(1, 2), __all(1), tex1Dfetch(old, 1);\n"
        "    kept(1), nowhere(1), cudax, 7, x;\n"
        "}\n"
        "int main(int argc, char **x) { return nowhere(argc); }\n";
    static const struct {
        const char *at, *hint;
    } rows[] = {
        {"twice(1), ", "it is host code (line 1): mark it __device__"},
        {"thrice(1)", "it is host code (line 2): mark it __device__"},
        {"limit, ", "it is host code (line 4): mark it __device__"},
        {"other, ", "it is host code (line 4): mark it __device__"},
        {"list()", "its declaration (line 5) holds host code and is left out"},
        {"unused(c);", "a kernel (line 7) cannot be called from another: put what both need into a "
                       "__device__ function"},
        {"std::sort", "kernels have of std:: only what CUDA has, as std::min, std::size_t or "
                      "std::numeric_limits"},
        {"sort(1", "kernels have of std:: only what CUDA has, as std::min, std::size_t or "
                   "std::numeric_limits"},
        {"b(1)", "kernels have no libraries of headers, such as Thrust or CUB: write it in the "
                 "kernel"},
        {"twice, ", NULL},  // another scope's
        {"cudaFree", "the host calls it, a kernel cannot"},
        {"cout", "kernels have of std:: only what CUDA has, as std::min, std::size_t or "
                 "std::numeric_limits"},
        {"kept(1)", NULL},
        {"__shfl_xor(",
         "CUDA 9 renamed it: write __shfl_down_sync(0xffffffff, value, 1) and the like"},
        {"__all(", "CUDA 9 renamed it: write __ballot_sync(0xffffffff, predicate) and the like"},
        {"old, 1", "CUDA 12 has no texture references (line 9): give the kernel a "
                   "cudaTextureObject_t"},
        {"nowhere(1)", NULL},
        {"cudax", NULL},
        {"7, ", NULL},
        {"x;\n}", NULL},  // an argument of main's
        {"}\nint main", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const body = strstr(source, "void a("), *const at = strstr(body, rows[i].at);
        const char *start = at;
        int line = 1;
        for (const char *c = source; c < at; c++) line += *c == '\n';
        while (start > source && start[-1] != '\n') start--;
        g_autofree char *hint = device_text_hint(source, "a( b( ", &(struct headers){.count = 0},
                                                 line, (int)(at - start) + 1);
        if (g_strcmp0(hint, rows[i].hint)) fail_msg("'%s': %s", rows[i].at, hint);
    }
    assert_null(device_text_hint(source, "a( ", &(struct headers){.count = 0}, 0, 0));
    assert_null(device_text_hint(source, "a( ", &(struct headers){.count = 0}, 99, 1));
}

TEST(branches_of_an_if_share_their_braces)
{
    assert_left("__global__ void a(int n) {\n#ifdef X\nif (n) {\n#else\nfor (;;) {\n#endif\n} }\n"
                "int main() { return 0; }\n",
                "__global__ void a(int n) { #ifdef X if (n) { #else for (;;) { #endif } }");
    assert_left("int main() {\n#ifdef X\nif (n) {\n#else\nfor (;;) {\n#endif\n} }\n"
                "__global__ void a(int n) { }\n",
                "#ifdef X #else #endif __global__ void a(int n) { }");
    assert_left("#if X\n__global__ void a(int n) {\n#else\n__global__ void a(long n) {\n#endif\n}\n"
                "int main() { }\n",
                "#if X __global__ void a(int n) { #else __global__ void a(long n) { #endif }");
}
