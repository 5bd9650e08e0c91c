// How functions of CUDA C++ are declared, in the many ways there are.
#include "unit.h"

#include "base/signature.h"

// "name <parameters> [bounds] const float* a, int n" of the first function or kernel of a text;
// the caller frees it. NULL: it cannot be read.
static char *described(const char *source)
{
    OWNED(c_items_finish) struct c_items items;
    struct signature s = {""};
    GString *all = g_string_new(NULL);
    c_items_find(&items, source);
    if (!items.count) fail_msg("no item: %s", source);
    const bool is_good = signature_read(&s, &items.list[0]);
    g_string_append(all, s.name);
    if (*s.parameters) g_string_append_printf(all, " <%s>", s.parameters);
    if (*s.bounds) g_string_append_printf(all, " [%s]", s.bounds);
    for (int i = 0; i < s.argument_count; i++) {
        const struct signature_argument *a = &s.arguments[i];
        g_string_append_printf(all, "%s %s%s%s %s", i ? "," : "", a->is_const ? "const " : "",
                               a->type, a->is_pointer ? "*" : "", a->name);
    }
    return g_string_free(all, !is_good);
}

TEST(functions)
{
    static const struct {
        const char *source, *read;
    } rows[] = {
        // None, one, several.
        {"void f() {}", "f"},
        {"void f(void) {}", "f"},
        {"int f(int a) {}", "f int a"},
        {"int f(int a, float b, double) {}", "f int a, float b, double "},
        {"int\nf\n(\nint\na\n)\n{}", "f int a"},
        {"int f(/* c, */ int a, // d)\n float b) {}", "f int a, float b"},
        // Types of several words.
        {"void f(unsigned int a, unsigned *b) {}", "f unsigned int a, unsigned* b"},
        {"void f(struct plane in, const long long n) {}", "f plane in, const long long n"},
        {"void f(std::vector<int, 3> a, T<U<1>, 2> *b) {}", "f std vector a, T* b"},
        {"void f(std::size_t n, const cuda::std::uint8_t *a) {}", "f size_t n, const uint8_t* a"},
        {"void f(typename T::type a) {}", "f T type a"},
        {"void f(int &a, const float4 &b, T &&c) {}", "f int a, const float4 b, T c"},
        // Pointers.
        {"void f(float *a, float* b, float * c, float*d) {}",
         "f float* a, float* b, float* c, float* d"},
        {"void f(const float *a, float const *b, float *const c, const float *const d) {}",
         "f const float* a, const float* b, float* c, const float* d"},
        {"void f(float *__restrict__ a, const volatile int *restrict b) {}",
         "f float* a, const int* b"},
        {"void f(float a[], const int b[4], int c[2][N * (3 + 1)]) {}",
         "f float* a, const int* b, int* c"},
        {"void f(float (*a)[32], const int (*const b)[4]) {}", "f float* a, const int* b"},
        {"void f(int (*a)(int, float *), int b) {}", "f int* a, int b"},
        {"void f(int a(int), int (&b)[3]) {}", "f int a, int* b"},
        // Defaults.
        {"void f(int a = 3, float *b = 0, T c = {1, 2}) {}", "f int a, float* b, T c"},
        {"void f(int a = 1 << 20, int b = (c < d), int e = g(h, i) > 2) {}",
         "f int a, int b, int e"},
        {"void f(const char *a = \"(,\", int b = ',') {}", "f const char* a, int b"},
        // Kernels.
        {"__global__ void k(int a) {}", "k int a"},
        {"extern \"C\" __global__ void k(int a) {}", "k int a"},
        {"__global__ void __launch_bounds__(256) k(int a) {}", "k [256] int a"},
        {"__launch_bounds__(16 * (N + 1), 2) __global__ void k() {}", "k [16 * (N + 1), 2]"},
        {"__global__ __attribute__((used)) void __cluster_dims__(2, 1, 1) k(int a) {}", "k int a"},
        {"__global__ void __maxnreg__(64) k() {}", "k"},
        {"alignas(16) int f(int a) {}", "f int a"},
        // Templates.
        {"template <int N> __global__ void k(int a) {}", "k <int N> int a"},
        {"template <class T, int N = 2, template <class> class V>\nvoid f(V<T> a[N]) {}",
         "f <class T, int N = 2, template <class> class V> V* a"},
        {"template <int N>\n__global__ void __launch_bounds__(N / 2) k(T *a) {}",
         "k <int N> [N / 2] T* a"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *found = described(rows[i].source);
        if (!found) fail_msg("not read: %s", rows[i].source);
        if (strcmp(found, rows[i].read) != 0) fail_msg("%s\n%s", rows[i].source, found);
    }
}

static char *with_arguments(int count)
{
    GString *all = g_string_new("void f(int a0");
    for (int i = 1; i < count; i++) g_string_append_printf(all, ", int a%d", i);
    g_string_append(all, ") {}");
    return g_string_free(all, FALSE);
}

TEST(what_cannot_be_read)
{
    g_autofree char *long_name = g_strnfill(SIGNATURE_NAME, 'x');
    static const char *const forms[] = {"void f(int %s) {}", "void f(%s a) {}", "void %s(int a) {}",
                                        "__global__ void __launch_bounds__(%s) f() {}"};
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        for (int shorter = 0; shorter < 2; shorter++) {
            g_autoptr(GString) source = g_string_new(forms[i]);
            g_string_replace(source, "%s", long_name + shorter, 0);
            g_autofree char *found = described(source->str);
            assert_int_equal(found != NULL, shorter);
        }
    }
    for (int more = 0; more < 2; more++) {
        g_autofree char *source = with_arguments(SIGNATURE_MAX_ARGUMENTS + more);
        g_autofree char *found = described(source);
        assert_int_equal(found != NULL, !more);
    }
    static const char *const others[] = {"struct s { int f(int a); };", "enum e { A };",
                                         "#define F(a) a", "int f(int a {}", "int f(int a, {}"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (described(others[i])) fail_msg("read: %s", others[i]);
}

TEST(members)
{
    static const struct {
        const char *text, *read;  // of S; NULL: it cannot be read
    } rows[] = {
        {"struct S { int a; };", "int a"},
        {"struct S { int a, *b; const float *c; unsigned int d; };",
         "int a, int* b, float* c, unsigned int d"},
        {"typedef struct { double x /* there */, y; } S;", "double x, double y"},
        {"struct R { int a; };\ntypedef struct tag { char c; } S;", "char c"},
        {"struct S { int a[2][2], b [1]; } one;", "int a_0, int a_1, int a_2, int a_3, int b_0"},
        {"struct S {\n  int a;  // first; }\n  char b;  // last\n};", "int a, char b"},
        {"struct S { int a[99999999][99999999]; };", NULL},
        {"struct S { int a[-1]; };", NULL},
        {"struct S { int a[N]; };", NULL},
        {"struct S { int a[2 * 3]; };", NULL},
        {"struct S { int a[2][3 + 1]; };", NULL},
        {"#define N 3\nconstexpr int M = (2u);\nstruct S { int a[N], b[ M ]; };",
         "int a_0, int a_1, int a_2, int b_0, int b_1"},
        {"#define N 3 * 2\nstruct S { int a[N]; };", NULL},
        {"struct S { int a : 3; };", NULL},
        {"struct S { };", ""},
        // Functions are passed over.
        {"struct S { int a; void f() { a = 1; } };", "int a"},
        {"struct S { S() : a{1}, b(2) {} S(int c); ~S() = default; int a; float b; };",
         "int a, float b"},
        {"class S { public: int operator()(int c) const { if (c) { c++; } return c; }\n"
         "S &operator=(const S &o) { a = o.a; return *this; } private: int a; };",
         "int a"},
        {"struct S { __device__ int f(int c) const; };", ""},
        {"struct S { int a; virtual void f() {} };", NULL},
        {"struct S { int a = 1, b{2}; double c = -.5e3; void f() {} float d { }; int e = N - 1; };",
         "int a, int b, double c, float d, int e"},
        {"struct S { int a = f(1, 2); };", NULL},
        {"struct S { int a[2] = {1, 2}; };", NULL},
        {"struct S { int a; void f() {}; void g() noexcept {};; };", "int a"},
        {"struct S { alignas(8) int a; int b; };", NULL},
        {"struct S { int a; int b __attribute__((aligned(8))); };", NULL},
        {"struct S { int b = int(3), c; int d; };", NULL},
        {"struct S { int (*a)[4]; int b; };", NULL},
        {"struct S { int (*f)(int); int b; };", NULL},
        {"struct S { int b; static int f(); };", "int b"},
        {"struct S { static int a; };", NULL},
        {"struct S;", NULL},
        {"struct R { int a; };", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct signature s;
        g_autoptr(GString) all = g_string_new(NULL);
        const bool is_good = signature_read_members(&s, rows[i].text, "S");
        for (int k = 0; is_good && k < s.argument_count; k++)
            g_string_append_printf(all, "%s%s%s %s", k ? ", " : "", s.arguments[k].type,
                                   s.arguments[k].is_pointer ? "*" : "", s.arguments[k].name);
        if (is_good != !!rows[i].read || strcmp(all->str, is_good ? rows[i].read : "") != 0)
            fail_msg("%s: %s", rows[i].text, is_good ? all->str : "not read");
    }
    struct signature s;
    assert_true(signature_read_members(&s, "", "float3") && s.argument_count == 3);
    assert_string_equal(s.arguments[2].type, "float");
    assert_false(signature_read_members(&s, "struct S { int a; };", "S("));  // no name
    g_autofree char *text = signature_struct_text(
        "struct R { int a; };\ntypedef struct { R r; /* r */ } S, *P;\n", "S");
    assert_null(signature_struct_text("", "float3"));
    assert_null(text);
    g_autofree char *one =
        signature_struct_text("typedef struct __align__(8) S { int a; // a\n} T;", "S");
    assert_string_equal(one, "typedef struct __align__(8) S { int a;     \n} T;");
}
