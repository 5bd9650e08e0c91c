// Which arguments kernels and references may take, which of them a line means, and the text
// through which the host calls them (kernels/launch.h).
#include "unit.h"

#include "filter/files.h"

#define LAB                                                                  \
    "//! lab \"Sum\"\n//! param n 64 [1, 99]\n//! param alpha 2 [0, 9]\n"    \
    "//! param Tile int 2.0 [1, 9]\n//! array a float in [n] noise 0, 255\n" \
    "//! array b float out [n]\n"
#define FILTER "//! filter \"Mean\"\n//! weights gaussian\n//! param radius 3 [0, 64]\n" SIGMA
#define SIGMA  "//! param sigma 0 [0, 64]\n"
#define V      "//! variant naive 32x8\n"
#define K      V "__global__ void k"

// ---- the whole text ----

TEST(calls_of_a_lab)
{
    struct filter f =
        parsed(LAB "//! array t scratch [n]\n"
                   "//! reference b\n"
                   "__host__ __device__ double at(const float *a, long long i, int n) { }\n"
                   "//! variant naive 256x1\n"
                   "__global__ void __launch_bounds__(256, 2)\n"
                   "naive(float alpha, int n, const float *a, float *b) {}\n"
                   "//! variant tiled 16x16 of tiled<16, float4> shared=4*bw\n"
                   "//! variant tiled 16x16 of naive\n"
                   "template <int N, class T> __global__ void tiled(T *b, uint2 *t, int Tile) {}\n"
                   "//! untimed 8x8\n"
                   "__global__ void clear() {}\n"
                   "__global__ void other(double x) {}\n");
    assert_string_equal(f.calls,
                        "#define LAUNCH_LAB\n"
                        "#include \"launch.h\"\n"
                        "struct launch_params { int n; float alpha; int Tile; };\n"
                        "struct launch_arrays { void *a; void *b; void *t; };\n"
                        "REFERENCE_ARRAYS(b, ::at(launch_pointer{d.a}, i, p.n))\n"
                        "LAUNCH_ARRAYS(naive, LAUNCH_BOUNDS(256, 2), ::naive(p.alpha, p.n, "
                        "launch_pointer{d.a}, launch_pointer{d.b}))\n"
                        "LAUNCH_ARRAYS(tiled_16_float4, , ::tiled<16, float4>(launch_pointer{d.b}, "
                        "launch_pointer{d.t}, p.Tile))\n"
                        "LAUNCH_ARRAYS(clear, , ::clear())\n");
    assert_int_equal(f.arrays[2].type, ARRAY_UINT);
    assert_variants(&f, "naive: naive 256x1\n"
                        "tiled: tiled_16_float4 16x16 shared=4*bw | naive 16x16\n");
    assert_string_equal(f.variants[1].passes[0].kernel, "tiled<16, float4>");
    assert_int_equal(filter_untimed(&f, "clear"), 0);
    struct filter *copy = filter_copy(&f);
    assert_string_equal(copy->calls, f.calls);
    filter_free(copy);
    filter_finish(&f);
    assert_null(f.calls);
}

TEST(calls_of_a_filter)
{
    OWNED(filter_finish)
    struct filter f = parsed(
        FILTER
        "//! reference out\n"
        "__device__ int at(int y, int x, plane in, const int *weights, int radius) { }\n" V
        "__global__ void rows(unsigned int *scratch, plane in, float sigma) {}\n" V
        "__global__ void columns(plane out, const unsigned *scratch, const int *weights) {}\n");
    assert_string_equal(f.calls, "#include \"launch.h\"\n"
                                 "struct launch_params { int radius; float sigma; };\n"
                                 "REFERENCE_PICTURE(out, ::at(y, x, in, weights, p.radius))\n"
                                 "LAUNCH_PICTURE(rows, , ::rows(scratch, in, p.sigma))\n"
                                 "LAUNCH_PICTURE(columns, , ::columns(out, scratch, weights))\n");
    filter_finish(&f);
    f = parsed("//! filter \"F\"\n" V "__global__ void k(plane out) {}\n");
    assert_string_equal(f.calls, "#include \"launch.h\"\nstruct launch_params { int none; };\n"
                                 "LAUNCH_PICTURE(k, , ::k(out))\n");
}

// ---- arguments ----

// Each kernel is called so.
TEST(arguments)
{
    static const struct {
        const char *arguments, *call;
    } rows[] = {
        {"", ""},
        {"void", ""},
        {"int n", "p.n"},
        {"unsigned n, double alpha", "p.n, p.alpha"},
        {"const int &n, size_t Tile = 3", "p.n, p.Tile"},
        {"float *b, int n, const float *a", "launch_pointer{d.b}, p.n, launch_pointer{d.a}"},
        {"const float4 *__restrict__ a", "launch_pointer{d.a}"},
        {"float b[], const float (*a)[32]", "launch_pointer{d.b}, launch_pointer{d.a}"},
        {"int n, int n", "p.n, p.n"},  // for the compiler to refuse
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source = g_strdup_printf(LAB K "(%s) {}\n", rows[i].arguments);
        g_autofree char *call = g_strdup_printf("\nLAUNCH_ARRAYS(k, , ::k(%s))\n", rows[i].call);
        OWNED(filter_finish) struct filter f = parsed(source);
        if (!g_str_has_suffix(f.calls, call)) fail_msg("%s%s", call, f.calls);
    }
}

TEST(bad_arguments)
{
    static const char unread[] = "the arguments of 'k' cannot be read: there are at most 24, with "
                                 "names and types of less than 64 letters";
    static const struct mistake bad[] = {
        {"int m", "'k' wants 'm', which is no param and no array of the file"},
        {"int alpah", "'k' wants 'alpah', which is no param and no array of the file; did you mean "
                      "'alpha'?"},
        {"int tile",
         "'k' wants 'tile', which is no param and no array of the file; did you mean 'Tile'?"},
        {"int i", "'k' wants 'i', which is no param and no array of the file"},
        {"plane in",
         "'k' wants 'in', which is no param and no array of the file; did you mean 'n'?"},
        {"float a", "'a' of 'k' is an array, so it must be a pointer"},
        {"const float &a", "'a' of 'k' is an array, so it must be a pointer"},
        {"int *n", "'n' of 'k' is a param, so it cannot be a pointer"},
        {"int n[1]", "'n' of 'k' is a param, so it cannot be a pointer"},
        {"int (*n)(int)", "'n' of 'k' is a param, so it cannot be a pointer"},
        {"int n, float *", "'k' has an argument without a name"},
        {"int n, float", "'k' has an argument without a name"},
        {"int n, ...", "'k' has an argument without a name"},
        {"int n, int (", unread},
        {"int a_name_that_is_longer_than_the_sixty_three_letters_that_there_are_for_it", unread},
        {"int n, int n, int n, int n, int n, int n, int n, int n, int n, int n, int n, int n, "
         "int n, int n, int n, int n, int n, int n, int n, int n, int n, int n, int n, int n, int "
         "n",
         unread},
    };
    assert_mistakes(LAB K "(", bad, G_N_ELEMENTS(bad), ") {}\n", 8);
    static const struct mistake of_filters[] = {
        {"plane to", "'k' wants 'to', which is no param and no array of the file"},
        {"plane inn", "'k' wants 'inn', which is no param and no array of the file; did you mean "
                      "'in'?"},
        {"int x", "'k' wants 'x', which is no param and no array of the file"},
    };
    assert_mistakes(FILTER K "(", of_filters, G_N_ELEMENTS(of_filters), ") {}\n", 6);
    static const struct mistake of_references[] = {
        {"const float *a, int k", "'at' wants 'k', which is no param and no array of the file"},
        {"const float a", "'a' of 'at' is an array, so it must be a pointer"},
    };
    assert_mistakes(LAB "//! reference b\n__device__ double at(", of_references,
                    G_N_ELEMENTS(of_references), ") {}\n", 8);
    static const struct mistake of_two[] = {
        {"//! array i int in [n] counted\n//! reference b\n__device__ double at(int i) {}\n",
         "'i' of 'at' has a meaning of its own there; give the array another name"},
        {"//! param i 3 [0, 9]\n//! reference b\n__device__ double at(int i) {}\n",
         "'i' of 'at' has a meaning of its own there; give the param another name"},
    };
    assert_mistakes(LAB, of_two, G_N_ELEMENTS(of_two), K "() {}\n", 9);
    assert_refused(FILTER "//! param out 3 [0, 9]\n" K "(int out) {}\n", 7,
                   "'out' of 'k' has a meaning of its own there; give the param another name");
    assert_refused(FILTER "//! reference out\nint at(plane in) {}\n", 6,
                   "'at' is a reference, so it must be __host__ __device__");
    assert_refused(FILTER "//! reference out\n__device__ int at(plane in, plane out) {}\n", 6,
                   "'at' wants 'out', which is no param and no array of the file");
}

// ---- types ----

// An #if may choose one of two kernels of a name: it is the one whose arguments are known.
TEST(kernels_of_one_name)
{
    OWNED(filter_finish) struct filter f;
    static const char source[] = "//! lab \"L\"\n//! array b int out [1]\n"
                                 "//! variant v 32x1 of k(x=2) domain=1\n#if 0\n"
                                 "__global__ void k(int *missing, int x) {}\n#else\n"
                                 "__global__ void k(int *b, int x) {}\n#endif\n";
    if (!filter_parse(&f, "l.cu", source, NULL, &err)) fail_msg("%s", err.text);
    assert_non_null(strstr(f.calls, "launch_pointer{d.b}, 2"));
}

TEST(types_of_arrays)
{
    static const char *const names[ARRAY_TYPES] = {
        [ARRAY_BYTE] = "unsigned char, uchar, uint8_t, uchar4, uchar1",
        [ARRAY_INT] = "int, int32_t, int2, int4",
        [ARRAY_UINT] = "unsigned int, unsigned, uint, uint32_t, uint3",
        [ARRAY_FLOAT] = "float, float2, float3, float4",
        [ARRAY_CHAR] = "char, char4, int8_t",
        [ARRAY_SHORT] = "short",
        [ARRAY_USHORT] = "ushort2",
        [ARRAY_LONG] = "long, long long, longlong2, int64_t",
        [ARRAY_ULONG] = "unsigned long, unsigned long long int, uint64_t",
        [ARRAY_HALF] = "half, __half, half2",
        [ARRAY_DOUBLE] = "double, double2",
        [ARRAY_BFLOAT] = "__nv_bfloat16, nv_bfloat16, __nv_bfloat162"};
    // By the kernel's argument, and by the line.
    static const char *const forms[] = {"//! lab \"L\"\n//! array b out [1]\n" K "(%s *b) {}\n",
                                        "//! lab \"L\"\n//! array b %s out [1]\n" K
                                        "(double *b) {}\n"};
    for (int type = 0; type < ARRAY_TYPES; type++) {
        g_auto(GStrv) all = g_strsplit(names[type], ", ", -1);
        for (char **name = all; *name; name++)
            for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
                g_autoptr(GString) source = g_string_new(forms[i]);
                g_string_replace(source, "%s", *name, 0);
                OWNED(filter_finish) struct filter f = parsed(source->str);
                assert_int_equal(f.arrays[0].type, type);
            }
    }
    static const char *const others[] = {"float5", "float44", "T", "void", "char8", "bool"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autofree char *source =
            g_strdup_printf("//! lab \"L\"\n//! array b out [1]\n" K "(%s *b) {}\n", others[i]);
        g_autofree char *message =
            g_strdup_printf("array 'b' is of type %s; numbers of 8, 16, 32 and 64 bits "
                            "are known, such as unsigned char, half and double, and "
                            "may stand in the line",
                            others[i]);
        assert_refused(source, 2, message);
    }
}

// Kernels say the type of a name before other functions do, wherever they stand.
TEST(types_follow_kernels)
{
    OWNED(filter_finish)
    struct filter f = parsed("//! lab \"L\"\n//! param n 2 [1, 9]\n//! param c 2 [1, 9]\n"
                             "//! param m 2 [1, 9]\n//! param r 0.5 [0, 1]\n"
                             "//! array b out [1]\n//! array a in [1] counted\n"
                             "int g(float n, double c, float *b, const int *a) { }\n"
                             "__global__ void unused(float m) {}\n" K "(int n, int *b) {}\n");
    assert_false(f.params[0].is_float);
    assert_true(f.params[1].is_float);
    assert_true(f.params[2].is_float);
    assert_true(f.params[3].is_float);
    assert_int_equal(f.arrays[0].type, ARRAY_INT);
    assert_int_equal(f.arrays[1].type, ARRAY_INT);
    filter_finish(&f);
    f = parsed("//! lab \"L\"\n//! param n int 2 [1, 9]\n//! param c float 2 [1, 9]\n"
               "//! array b int out [1]\n" K "(float n, int c, float4 *b) {}\n");
    assert_false(f.params[0].is_float);
    assert_true(f.params[1].is_float);
    assert_int_equal(f.arrays[0].type, ARRAY_INT);
}

// ---- which kernel a line means ----

static void assert_calls(const char *source, const char *calls)
{
    OWNED(filter_finish) struct filter f = parsed(source);
    if (!g_str_has_suffix(f.calls, calls)) fail_msg("%s\n%s", calls, f.calls);
}

#define TILED "template <int N, class T = int> __global__ void tiled(T *b) {}\n"

TEST(instantiations)
{
    assert_calls(LAB TILED "//! variant a 8x8 of tiled<8>\n//! variant b 8x8 of tiled<(1 > 0), "
                           "vec<float, 4> > each=2x1\n",
                 "\nLAUNCH_ARRAYS(tiled_8, , ::tiled<8>(launch_pointer{d.b}))\n"
                 "LAUNCH_ARRAYS(tiled_1_0_vec_float_4, , ::tiled<(1 > 0), vec<float, 4> >("
                 "launch_pointer{d.b}))\n");
    // Two variants of one, above it and elsewhere, call it by one name.
    assert_calls(LAB "//! variant a 8x8 of k\n" V "__global__ void k(int n) {}\n"
                     "//! variant c 4x4 of k\n",
                 " };\nLAUNCH_ARRAYS(k, , ::k(p.n))\n");
    // The bounds of a template follow from its arguments.
    assert_calls(LAB "template <int N, int M = 2>\n"
                     "__global__ void __launch_bounds__(N * (M + f(1, 2)), M) k() {}\n"
                     "//! variant a 8x8 of k<8>\n//! variant b 8x8 of k<8, 4>\n",
                 "\ntemplate <int N, int M = 2> struct bounds_k { static constexpr int of[] = "
                 "{N * (M + f(1, 2)), M}; };\n"
                 "LAUNCH_ARRAYS(k_8, LAUNCH_BOUNDS(bounds_k<8>::of[0], bounds_k<8>::of[1]), "
                 "::k<8>())\n"
                 "LAUNCH_ARRAYS(k_8_4, LAUNCH_BOUNDS(bounds_k<8, 4>::of[0], bounds_k<8, 4>::of[1]"
                 "), ::k<8, 4>())\n");
}

TEST(namespaces)
{
    assert_calls(LAB "namespace course {\n//! reference b\n__device__ double at(long long i) { }\n"
                     "namespace {\n" V "__global__ void k(int n) {}\n}\n"
                     "template <int N> __global__ void t() {}\n}\n"
                     "extern \"C\" {\n//! variant b 8x8\n__global__ void c() {}\n}\n"
                     "//! variant c 8x8\nextern \"C\" __global__ void e() {}\n"
                     "//! variant d 8x8 of t<1>\n//! variant e 8x8 of course::t<2>\n"
                     "//! variant f 8x8 of course::k\n",
                 " };\nREFERENCE_ARRAYS(b, ::course::at(i))\n"
                 "LAUNCH_ARRAYS(k, , ::course::k(p.n))\n"
                 "LAUNCH_ARRAYS(c, , ::c())\n"
                 "LAUNCH_ARRAYS(e, , ::e())\n"
                 "LAUNCH_ARRAYS(t_1, , ::course::t<1>())\n"
                 "LAUNCH_ARRAYS(t_2, , ::course::t<2>())\n");
}

TEST(bad_kernels)
{
    static const char form[] = "'tiled' is a template: name an instantiation, as in: //! variant "
                               "name WxH of tiled<32>";
    g_autofree char *long_text = g_strnfill(FILTER_ENTRY, '1');
    g_autofree char *long_line = g_strdup_printf("//! variant a 8x8 of tiled<%s>", long_text);
    g_autofree char *long_message = g_strdup_printf("of 'tiled<%s>' is too long", long_text);
    const struct mistake bad[] = {
        {"//! variant a 8x8 of tiled", form},
        {"//! variant a 8x8\n" TILED, form, 10},
        {"//! variant a 8x8 of tilde<8>", "there is no kernel 'tilde'; did you mean 'tiled'?"},
        {"//! variant a 8x8 of nothing", "there is no kernel 'nothing'"},
        {"//! variant a 8x8 of helper", "there is no kernel 'helper'"},
        {"//! variant a 8x8 of course::tiled<8>", "there is no kernel 'course::tiled'"},
        {"//! variant a 8x8 of tiled<8", "of 'tiled<8' has no closing >"},
        {"//! variant a 8x8 of tiled<8> each", "'each' is not understood in a variant line"},
        {"//! variant a 8x8 of tiled<8>each=2x1",
         "expected: of KERNEL, of KERNEL<ARGUMENTS>, and (argument=name)"},
        {"//! variant a 8x8 of", "expected: of KERNEL, of KERNEL<ARGUMENTS>, and (argument=name)"},
        {"//! variant a 8x8 of ", "expected: of KERNEL, of KERNEL<ARGUMENTS>, and (argument=name)"},
        {"//! untimed 8x8 of tiled", form},
        {"//! variant a 8x8 of tiled<8>\n//! variant b 8x8 of tiled<-8>",
         "a second kernel 'tiled_8'", 10},
        {"namespace x {\n" V "__global__ void k() {}\n}\n" V "__global__ void k() {}",
         "a second kernel 'k'", 14},
        {long_line, long_message},
    };
    assert_mistakes(LAB TILED "void helper() {}\n", bad, G_N_ELEMENTS(bad), "\n", 9);
}

// Declarations of all kinds stand around the kernel, which is found.
TEST(odd_declarations)
{
    static const char *const texts[] = {
        "__global__ void k(int n);\n",
        "__global__ void (*chosen)(int n) = 0;\n",
        "typedef void (*call)(int, float);\ncall calls[] = {0, 0};\n",
        "auto twice = [](int n) { return 2 * n; };\n",
        "struct s { int n; s() : n(3) {} ~s() {} operator int() { return n; } } one;\n",
        "int operator+(s a, s b) { return a.n + b.n; }\n",
        "template <> struct t<int> { };\ntemplate struct t<float>;\n",
        "template <class... T> int sum(T... all) { return (all + ...); }\n",
        "#define RUN(name) __global__ void name(int n) {\n",
        "enum class color : int { red, green };\n",
        "using real = float;\nstatic_assert(sizeof(real) == 4, \"{\");\n",
        "const char *text = \"__global__ void k(int n) {\", c = '{';\n",
        "asm(\"{\");\n",
        "int main(int argc, char **argv) { k<<<1, 2>>>(3); }\n",
        "} }\n",
        ") ) >> ;\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *source = g_strconcat(LAB, texts[i], K "(int n) {}\n", texts[i], NULL);
        assert_calls(source, " };\nLAUNCH_ARRAYS(k, , ::k(p.n))\n");
    }
}
