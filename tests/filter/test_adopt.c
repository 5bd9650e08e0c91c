// The notes that are proposed for files that have none, and that each of them is a lab.
#include "unit.h"

#include "filter/adopt.h"
#include "filter/filter.h"

// The notes; the caller frees both.
static char *proposed(const char *source, char **guesses)
{
    char *notes = adopt_propose("x.cu", "", source, guesses, &err);
    if (!notes) fail_msg("%s\n%s", err.text, source);
    return notes;
}

// Notes are good if the file with them behind it is read.
static void assert_notes(const char *source, const char *wanted)
{
    OWNED(filter_finish) struct filter f;
    g_autofree char *guesses = NULL, *notes = proposed(source, &guesses);
    g_autofree char *all = g_strconcat("//! lab \"x\"\n", wanted, NULL),
                    *whole = g_strconcat(source, "\n", notes, NULL);
    assert_string_equal(notes, all);
    if (!filter_parse(&f, "x.cu", whole, NULL, &err)) fail_msg("%s\n%s", err.text, whole);
}

static void assert_guess(const char *source, const char *guess)
{
    g_autofree char *guesses = NULL, *line = g_strconcat(guess, "\n", NULL);
    g_free(proposed(source, &guesses));
    if (!strstr(guesses, line)) fail_msg("'%s' is not in:\n%s", guess, guesses);
}

// The notes have these words.
static void assert_words(const char *source, const char *words)
{
    g_autofree char *guesses = NULL, *notes = proposed(source, &guesses);
    if (!strstr(notes, words)) fail_msg("'%s' is not in:\n%s\n%s", words, source, notes);
}

static void assert_none(const char *source, const char *why)
{
    char *guesses;
    err.text[0] = '\0';
    assert_null(adopt_propose("x.cu", "", source, &guesses, &err));
    assert_string_equal(err.text, why);
    assert_null(guesses);
    assert_null(adopt_propose("x.cu", "", source, &guesses, NULL));
}

// With what the file includes.
static void assert_beside(const char *beside, const char *source, const char *wanted)
{
    g_autofree char *guesses = NULL;
    g_autofree char *notes = adopt_propose("x.cu", beside, source, &guesses, &err);
    if (!notes) fail_msg("%s\n%s", err.text, source);
    g_autofree char *all = g_strconcat("//! lab \"x\"\n", wanted, NULL);
    assert_string_equal(notes, all);
}

#define X "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define Y "int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
#define N "//! param n 1048576 cpu=65536 [1, 67108864]\n"

TEST(coefficients)
{
#define SUM                                                                         \
    "__global__ void k(float *out, const float *in, int n)\n{\n" X                  \
    "    float sum = 0;\n    for (int t = -RADIUS; t <= RADIUS; t++)\n"             \
    "        if (i + t >= 0 && i + t < n) sum += in[i + t] * weight[RADIUS + t];\n" \
    "    if (i < n) out[i] = sum;\n}\n"
    const char *const sizes[] = {"2 * RADIUS + 1", "LENGTH", "3][SIDE", "(1 << 3) + 1u"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        char *source = g_strconcat("#define RADIUS 4\n#define LENGTH (2 * RADIUS + 1)  // taps\n"
                                   "const int SIDE = 1 + 2;\n"
                                   "__constant__ float weight[",
                                   sizes[i], "];\n", SUM, NULL);
        assert_notes(source, N "//! array out float out [n] shown 0, 1020\n"
                               "//! array in float in [n] noise 0, 255\n"
                               "//! array weight float constant [9] noise 0, 1\n"
                               "//! variant k 256x1 of k domain=n\n");
        assert_guess(source, "weight[9] is noise from 0 to 1: whoever launches fills it");
        g_free(source);
    }
    // What nobody uses, what has values, and what no note can fill.
    assert_notes("#define RADIUS 1\n__constant__ float other[9], x[3];\n"
                 "__constant__ float weight[] = {1, 2, 1};\n" SUM,
                 N "//! array out float out [n] shown 0, 255\n"
                   "//! array in float in [n] noise 0, 255\n"
                   "//! variant k 256x1 of k domain=n\n");
    assert_guess("__constant__ table weight[3];\n#define RADIUS 1\n" SUM,
                 "weight stays as it begins: no note can fill it");
    assert_guess("__constant__ float weight[2 + 0x7];\n#define RADIUS 1\n" SUM,
                 "weight stays as it begins: no note can fill it");
    assert_guess("__constant__ float weight[UNKNOWN];\n#define RADIUS 1\n" SUM,
                 "weight stays as it begins: no note can fill it");
#undef SUM
}

// Sums of products of matrices are far beyond their elements.
TEST(products)
{
    assert_notes("__global__ void k(float *C, const float *A, const float *B, int n)\n{\n" X Y
                 "    if (i >= n || j >= n) return;\n    float sum = 0;\n"
                 "    for (int k = 0; k < n; k++) sum += A[j * n + k] * B[k * n + i];\n"
                 "    C[j * n + i] = sum;\n}\n",
                 "//! param n 1024 cpu=128 [1, 8192]\n"
                 "//! array C float out [n][n] shown 8128 * n, 24384 * n\n"
                 "//! array A float in [n][n] noise 0, 255\n"
                 "//! array B float in [n][n] noise 0, 255\n"
                 "//! variant k 16x16 of k domain=n, n\n");
    // Neither a product of one array's element nor one that is not summed is one of matrices.
    assert_notes("__global__ void k(float *c, const float *a, const float *b, int n)\n{\n" X
                 "    if (i < n) c[i] += 2 * a[i], c[i] = a[i] * b[i];\n}\n",
                 N "//! array c_before float in [n] noise 0, 255\n"
                   "//! array c float out [n] from c_before shown 0, 65025\n"
                   "//! array a float in [n] noise 0, 255\n"
                   "//! array b float in [n] noise 0, 255\n"
                   "//! variant k 256x1 of k domain=n\n");
}

// The picture's ends are what the terms can come to, where they are terms and no more.
TEST(terms)
{
    static const struct {
        const char *stored, *shown;
    } cases[] = {
        {"= a[i] + b[i]", "0, 510"},
        {"= s * a[i] + b[i]", "0, 510"},
        {"= a[i] - b[i]", "-255, 255"},
        {"= -a[i]", "-255, 255"},
        {"= a[i] * b[i] + a[i]", "0, 65280"},
        {"= (a[i] + b[i]) / 2", "0, 255"},
        {"= 0.5f * a[i] + 0.5f * b[i]", "0, 255"},
        {"= sqrtf(a[i])", "0, 255"},
        {"= a[i] > b[i]", "0, 255"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *source = g_strdup_printf(
            "__global__ void k(float *c, const float *a, const float *b, int n, float s)\n{\n" X
            "    if (i < n) c[i] %s;\n}\n",
            cases[i].stored);
        g_autofree char *note = g_strdup_printf("array c float out [n] shown %s\n", cases[i].shown);
        assert_words(source, note);
    }
}

// Types and numbers of a header, whose own #if sees what the file defines above it.
TEST(headers)
{
    static const char header[] = "#ifdef SMALL\ntypedef unsigned char real;\n#else\n"
                                 "typedef float real;\n#endif\n#define COUNT 4096\n";
#define KERNEL "__global__ void k(real *a) {" X "if (i < COUNT) a[i] = i; }\n"
#define NOTES(type)                                      \
    "//! param elements 4096 [4096, 67108864]\n"         \
    "//! array a " type " out [elements] shown 0, 255\n" \
    "//! variant k 256x1 of k domain=elements\n"
    assert_beside(header, KERNEL, NOTES("float"));
    assert_beside(header, "#define SMALL\n" KERNEL, NOTES("unsigned char"));
#undef KERNEL
#undef NOTES
}

// Lines that an #if leaves out are not looked at; if it is not known, all are.
TEST(conditions)
{
#define A "__global__ void a(int *x, int n) {" X "if (i < n) x[i] = 1; }\n"
#define B "__global__ void b(int *x, int n) {" X "if (i < n) x[i] = 2; }\n"
    static const struct {
        const char *source;
        bool has_a, has_b;
    } rows[] = {
        {A B, true, true},
        {"#if 0\n" A "#endif\n" B, false, true},
        {"#if 1\n" A "#else\n" B "#endif\n", true, false},
        {"#define N 2\n#if N == 1\n" A "#elif N == 2\n" B "#else\n" A "#endif\n", false, true},
        {"#define N 2  // two\n#if N > 2\n" A "#elif N >= 2 /* 2 */\n" B "#endif\n", false, true},
        {"#if N\n" A "#else\n" B "#endif\n", false, true},
        {"#ifdef N\n" A "#endif\n#ifndef N\n" B "#endif\n", false, true},
        {"#define N\n#if defined(N)\n" A "#endif\n#if !defined N\n" B "#endif\n", true, false},
        {"#define N\n#undef N\n#ifdef N\n" A "#endif\n" B, false, true},
        {"#ifdef N\n#if 1\n" A "#else\n" A "#endif\n#endif\n" B, false, true},
        {"#if 0\n#define N\n#endif\n#ifdef N\n" A "#endif\n" B, false, true},
        {"#if 0\n/* #endif */\n" A "#endif\n" B, false, true},
        // Not known: names of compilers, sums, and numbers that are none.
        {"#if __CUDA_ARCH__ >= 600\n" A "#else\n" B "#endif\n", true, true},
        {"#ifdef __CUDACC__\n" A "#else\n" B "#endif\n", true, true},
        {"#if X + 1\n" A "#else\n" B "#endif\n", true, true},
        {"#define N M\n#if N == 1\n" A "#else\n" B "#endif\n", true, true},
        {"#if 1\n#define S\n#else\n#endif\n#ifdef S\n" A "#endif\n", true, false},
        {"#if X && Y\n" A "#elif 1\n" B "#else\n" A "#endif\n", true, true},
        {"#endif\n#else\n" A "#elif 0\n" B, true, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *guesses = NULL, *notes = proposed(rows[i].source, &guesses);
        if (!!strstr(notes, " of a ") != rows[i].has_a ||
            !!strstr(notes, " of b ") != rows[i].has_b)
            fail_msg("%s\n%s", rows[i].source, notes);
    }
    assert_none("\n#if 0\n" A "#endif\n",
                "it has no notes, and no kernel that runs without: x.cu:3: an #if leaves out this "
                "kernel");
#undef A
#undef B
}

// Only the host launches.
TEST(launches_in_kernels)
{
#define INNER "__global__ void k(int *x) {" X "x[i] = i << 3; if (!i) k<<<1, 32>>>(x); }\n"
    assert_none(INNER,
                "it has no notes, and no kernel that runs without: x.cu:2: k is left out: "
                "it launches kernels, which only the host can do here: launch them one after "
                "the other");
    assert_guess(INNER "__global__ void l(int *x) {" X "x[i] = i << 3; }\n",
                 "l runs over elements in blocks of 256x1");
#undef INNER
}

// A text consists of letters where the kernel takes them for these.
TEST(letters)
{
    static const struct {
        const char *letter, *noise;
    } rows[] = {{"'a'", "97, 122"},
                {"'A'", "65, 90"},
                {"'0'", "48, 57"},
                {"'-'", "0, 255"},
                {"1", "0, 255"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source =
            g_strdup_printf("__global__ void k(int *bins, const char *text, int n)\n{\n" X
                            "    if (i < n) atomicAdd(&bins[(text[i] - %s) / 4], 1);\n}\n",
                            rows[i].letter);
        g_autofree char *words =
            g_strdup_printf("//! array text char in [n] noise %s\n", rows[i].noise);
        assert_words(source, words);
    }
}

// A block's elements are many more than its threads, whose number is no other one's.
TEST(spans)
{
#define SUM(block)                                                                     \
    "#define ITEMS_PER_THREAD 16\n#define BLOCK_SIZE 128\n"                            \
    "__global__ void k(float *out, const float *in)\n{\n    float sum = 0;\n"          \
    "    const int at = " block " + threadIdx.x;\n"                                    \
    "    for (int t = 0; t < ITEMS_PER_THREAD; t++) sum += in[at + t * BLOCK_SIZE];\n" \
    "    out[at] = sum;\n}\n"
    assert_words(SUM("blockIdx.x * (BLOCK_SIZE * ITEMS_PER_THREAD)"),
                 "//! variant k 128x1 of k domain=elements each=16x1 block=fixed\n");
    assert_words(SUM("ITEMS_PER_THREAD * blockIdx.x * blockDim.x"),
                 "//! variant k 128x1 of k domain=elements each=16x1 block=fixed\n");
    // Nor is a number of blocks.
    assert_words("#define THREADS_BLOCKS 2\n__global__ void k(int *a, int n) {" X "a[i] = n; }\n",
                 "//! variant k 256x1 of k domain=");
    assert_words(SUM("blockIdx.x * (BLOCK_SIZE + 2048)"),
                 "//! variant k 128x1 of k domain=elements block=fixed\n");
    assert_words(SUM("blockIdx.x * (BLOCK_SIZE * 2048)"),
                 "//! variant k 128x1 of k domain=elements block=fixed\n");
#undef SUM
}

// A thread may have two elements of shared memory; which of them is a half of the block has not.
TEST(twice_the_block)
{
    static const struct {
        const char *index;
        int bytes;
    } rows[] = {{"threadIdx.x", 4},
                {"2 * threadIdx.x + 1", 8},
                {"threadIdx.x + blockDim.x", 8},
                {"blockDim.x + threadIdx.x", 8},
                {"threadIdx.x + blockDim.x / 2", 4},
                {"threadIdx.x * blockDim.x / 2", 4},
                {"2 * threadIdx.x", 8}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source = g_strdup_printf("extern __shared__ float s[];\n"
                                                  "__global__ void k(float *b, int n)\n{\n" X
                                                  "    if (i < n) b[i] = s[%s];\n}\n",
                                                  rows[i].index);
        g_autofree char *words = g_strdup_printf(" shared=%d * bw * bh\n", rows[i].bytes);
        assert_words(source, words);
    }
}

// The side of a filter is small.
TEST(filter_sizes)
{
    static const char *const names[] = {"KernelSize", "mask_width", "filterHeight", "n"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *source =
            g_strdup_printf("__global__ void k(float *b, const float *a, int count, int %s)\n{\n" X
                            "    float sum = 0;\n    for (int t = 0; t < %s; t++) sum += t;\n"
                            "    if (i < count) b[i] = a[i] * sum;\n}\n",
                            names[i], names[i]);
        g_autofree char *words =
            g_strdup_printf("//! param %s %d [0, 1024]\n", names[i], i < 3 ? 3 : 100);
        assert_words(source, words);
    }
}

// What something is divided by is never 0.
TEST(divisors)
{
    assert_notes("__global__ void k(int *b, int *c, const int *a, int n)\n{\n" X
                 "    if (i < n) b[i] = i % a[i], c[i] = b[i] / c[i];\n}\n",
                 N "//! array b_before int in [n] noise 0, 255\n"
                   "//! array b int out [n] from b_before shown 0, 255\n"
                   "//! array c_before int in [n] noise 1, 255\n"
                   "//! array c int out [n] from c_before shown 0, 255\n"
                   "//! array a int in [n] noise 1, 255\n"
                   "//! variant k 256x1 of k domain=n\n");
}

TEST(one_dimension)
{
    assert_notes("__global__ void saxpy(int n, float a, float *x, float *y)\n"
                 "{\n" X "    if (i < n) y[i] = a * x[i] + y[i];\n}\nint main() { return 0; }\n",
                 N "//! param a float 1.0 [-1000, 1000]\n"
                   "//! array x float in [n] noise 0, 255\n"
                   "//! array y_before float in [n] noise 0, 255\n"
                   "//! array y float out [n] from y_before shown 0, 510\n"
                   "//! variant saxpy 256x1 of saxpy domain=n\n");
    // A stride over the grid, a bound on the other side, and words of other types.
    assert_notes("__global__ void k(unsigned char *b, const uchar4 *c, size_t n)\n{\n"
                 "    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 64)\n"
                 "        b[4 * i] = c[i].x;\n}\n"
                 "__global__ void l(unsigned char *b, size_t n) {" X "if (n > i) ++b[i]; }\n",
                 N "//! array b_before unsigned char in [n * 4] noise 0, 255\n"
                   "//! array b unsigned char out [n * 4] from b_before shown 0, 255\n"
                   "//! array c unsigned char in [n * 4] noise 0, 255\n"
                   "//! variant k 256x1 of k domain=n\n"
                   "//! variant l 256x1 of l domain=n\n");
    // Nothing says how much there is.
    assert_notes("__global__ void fill(int *a) {" X "a[i] = i; }\n",
                 "//! param elements 1048576 cpu=65536 [256, 67108864 step 256]\n"
                 "//! array a int out [elements] shown 0, 255\n"
                 "//! variant fill 256x1 of fill domain=elements\n");
    // Its own numbers do: they bound an index, and then there are no fewer.
#define FIRST  "__global__ void fill(int *a) {" X "if (i < "
#define SECOND ") a[i] = i; }\n"
    static const struct {
        const char *source, *elements;
    } rows[] = {
        {"#define N 4096\n" FIRST "N" SECOND, "4096 [4096, 67108864]"},
        {"#define N (1 << 20)\n" FIRST "N" SECOND, "1048576 [1048576, 67108864]"},
        {"const int N = 33 * 1024;\n" FIRST "N" SECOND, "33792 [33792, 67108864]"},
        {"#define W 64\nconstexpr int H = 96u;\n" FIRST "W * H" SECOND, "6144 [6144, 67108864]"},
        {"#define N 4096\n" FIRST "N - 3 && i >= 3" SECOND, "4096 [4096, 67108864]"},
        {"#define N 3\n" FIRST "N" SECOND, "1048576 cpu=65536 [256, 67108864 step 256]"},
        {"#define N 99999999999\n" FIRST "N" SECOND, "1048576 cpu=65536 [256, 67108864 step 256]"},
        {FIRST "N" SECOND, "1048576 cpu=65536 [256, 67108864 step 256]"},
        {FIRST "2" SECOND, "1048576 cpu=65536 [256, 67108864 step 256]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *notes = g_strdup_printf("//! param elements %s\n"
                                                 "//! array a int out [elements] shown 0, 255\n"
                                                 "//! variant fill 256x1 of fill domain=elements\n",
                                                 rows[i].elements);
        assert_notes(rows[i].source, notes);
    }
    // A number that multiplies all of an index makes an array longer; what is left bounds none.
    assert_notes("#define CHANNELS 3\n"
                 "__global__ void k(float *b, const float *c, const int *d, int n)\n{\n" X
                 "    int at = i * CHANNELS;\n"
                 "    if (i < n) b[i] = c[at] + c[at + 2] + c[d[i] % n];\n}\n",
                 N "//! array b float out [n] shown 0, 765\n"
                   "//! array c float in [n * 3] noise 0, 255\n"
                   "//! array d int in [n] noise 0, 255\n"
                   "//! variant k 256x1 of k domain=n\n");
    // Values from 0 to 255 are all that index these bins, or as many as a block goes through.
#define HISTOGRAM "__global__ void h(const unsigned char *data, int n, int *bins)\n{\n" X
    assert_notes(HISTOGRAM "if (i < n) atomicAdd(&bins[data[i]], 1);\n}\n",
                 N "//! array data unsigned char in [n] noise 0, 255\n"
                   "//! array bins_before int in [256] noise 0, 0\n"
                   "//! array bins int out [256] from bins_before shown 0, min(n * 2 / 256 + 1, "
                   "2147483647)\n"
                   "//! variant h 256x1 of h domain=n\n");
    assert_notes("#define BINS 4096\n" HISTOGRAM
                 "for (int b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;\n"
                 "for (; i < n; i += 64) { int at = data[i] / 2; bins[at]++; }\n}\n",
                 N "//! array data unsigned char in [n] noise 0, 255\n"
                   "//! array bins_before int in [4096] noise 0, 255\n"
                   "//! array bins int out [4096] from bins_before shown 0, 255\n"
                   "//! variant h 256x1 of h domain=n\n");
    assert_guess(HISTOGRAM "if (i < n) bins[i] = bins[data[i]];\n}\n",
                 "bins[n] is written, and is noise before, since it is read, too");
    assert_guess("__global__ void k(int *out, int *count, int n) {" X
                 "int at = atomicAdd(&count[0], 1); if (i < n) out[at] = i; }",
                 "out[n] is written");
    // Shared memory of vectors.
    assert_guess("__global__ void k(float *b, int n) { extern __shared__ float4 s[];\n" X
                 "if (i < n) b[i] = s[threadIdx.x].x; }",
                 "k runs over n in blocks of 256x1 with 16 shared bytes a thread");
}

// The program knows the layout of structs of numbers.
TEST(structs)
{
    static const char *const known[] = {
        "struct P { float x, y; };",
        "typedef struct { /* at */ float x, y, z; float v[3]; } P;",
        "struct P\n{\n    unsigned char c[2][3], a;\n    unsigned char b;\n} one;",
        "struct Q { int i; };\ntypedef struct p_tag { double x; Q q; } P;",
        "struct P {\n    float x;  // of {1, 2}\n    int i;    // }\n};",
        "struct __align__(16) P { float4 a; bool is; };",
        "#define N 3\nstruct P { float x[N]; };",
        "class P { public: P(float a) : x(a) {} P operator-() { return P(-x); } float x; };",
    };
    static const char *const unknown[] = {
        "struct P { float x; virtual void f() {} };",
        "struct P { float x, y, z; } __attribute__((aligned(16)));",
        "struct P { };",
        "struct P { float x[N]; };",
        "struct P;",
        "struct P { float x : 3; };"};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autofree char *source = g_strdup_printf(
            "%s\n__global__ void k(P *p, const P *q, int n) {" X "if (i < n) p[i] = q[i]; }",
            known[i]);
        assert_notes(source, N "//! array p P out [n] shown 0, 255\n"
                               "//! array q P in [n] noise 0, 255\n"
                               "//! variant k 256x1 of k domain=n\n");
    }
    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
        g_autofree char *source =
            g_strdup_printf("%s\n__global__ void k(P *p, int n) {" X "p[i].x = n; }", unknown[i]);
        g_autofree char *why = g_strdup_printf(
            "it has no notes, and no kernel that runs without: x.cu:2: k is left out: its argument "
            "'p' is "
            "of type P*%s",
            strchr(unknown[i], '{')
                ? ", and P is more than numbers: it has a bit field, union, base, "
                  "attribute, value, virtual function or no constant for a size"
                : "");
        assert_none(source, why);
    }
    static const char *const bad[][2] = {
        {"struct P { float *x; };", "P has a pointer 'x'"},
        {"struct P { float x[17]; };", "P has more than 16 numbers"},
        {"struct P { pair x; };", "'x' is no number and no struct of numbers"},
        {"struct __align__(64) P { float x; };", "P wants an alignment of 64 bytes"},
        {"struct alignas(3) P { float x; };", "P wants an alignment of 3 bytes"},
        {"struct P { P p; };", "'p.p.p.p.p.p.p.p.p.p.p.p.p' lies too deep, or has too long a name"},
        {"struct Q { P p; }; struct P { Q q; };",
         "'q.p.q.p.q.p.q.p.q.p.q.p.q' lies too deep, or has too long a name"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *source =
            g_strdup_printf("%s\n__global__ void k(P *p, int n) {" X "p[i].x = n; }", bad[i][0]);
        g_autofree char *why =
            g_strconcat("it has no notes, and no kernel that runs without: "
                        "x.cu:2: k is left out: its argument 'p' is of type P*, and ",
                        bad[i][1], NULL);
        assert_none(source, why);
    }
    // Members that are added to are read before.
    assert_guess("struct P { float x, y; };\n__global__ void k(P *p, int n) {" X
                 "if (i < n) p[i].x += p[i].y; }",
                 "p[n] is written, and is noise before, since it is read, too");
}

// Types of the file's own stand for others.
TEST(names_of_types)
{
    static const char *const names[][2] = {
        {"typedef unsigned char T;", "unsigned char"},
        {"using T = float;", "float"},
        {"typedef float real;\ntypedef real T;", "float"},
        {"#define T double\n", "double"},
        {"enum class T : unsigned char { off, on };", "unsigned char"},
        {"enum class T { off, on };", "int"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *source = g_strconcat(
            names[i][0],
            "\n__global__ void k(T *b, const T *a, int n) {" X "if (i < n) b[i] = a[i]; }", NULL);
        g_autofree char *line =
            g_strdup_printf("//! array a %s in [n] noise 0, 255\n", names[i][1]);
        assert_words(source, line);
    }
    // One whose name ends in a digit is no vector.
    assert_words("struct Vec3 { float x, y, z; };\n__global__ void k(Vec3 *b, int n) {" X
                 "if (i < n) b[i].x = i; }",
                 "//! array b Vec3 out [n] from b_before");
}

// What main's launch gives to a template.
TEST(launched_templates)
{
#define MAP                                                                                       \
    "struct Plus { __device__ float operator()(float a) const { return a + 1; } };\n"             \
    "struct Scale { float by; __device__ float operator()(float a) const { return a * by; } };\n" \
    "template <class Op> __global__ void map(float *b, const float *a, int n, Op op)\n{\n" X      \
    "if (i < n) b[i] = op(a[i]);\n}\n"
    assert_words(MAP "int main() { map<<<4, 64>>>(b, a, n, Plus()); }",
                 "//! variant map 64x1 of map<Plus> domain=n\n");
    assert_words(MAP "int main() { map<<<4, 64>>>(b, a, n, Scale{3}); }",
                 "//! param op_by float 1.0 [-1000, 1000]\n");
    assert_none(
        MAP "int main() { map<<<4, 64>>>(b, a, n, [] __device__(float x) { return x; }); }",
        "it has no notes, and no kernel that runs without: x.cu:3: map is left out: its argument "
        "'op' is a function: launch it with a struct of the file that has an operator(), "
        "as plus()");
#define TILED                                                                                    \
    "enum class Op { Sum };\n"                                                                   \
    "template <Op op, class T, int TILE, int ROWS = 8> __global__ void t(T *b, const T *a, int " \
    "n)\n"                                                                                       \
    "{\n    int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;\n"     \
    "    for (int r = 0; r < TILE; r += ROWS) b[(j + r) * n + i] = a[(j + r) * n + i];\n}\n"
    assert_words(TILED
                 "const int side = 32;\n"
                 "int main() { t<Op::Sum, int, side><<<dim3(9, 9), dim3(32, 8)>>>(b, a, n); }",
                 "//! array a int in [n][n] noise 0, 255\n"
                 "//! variant t 32x8 of t<Op::Sum, int, 32> domain=n, n each=1x4 block=fixed\n");
    assert_words(
        "enum Op : int { SUM = 1, MAX };\ntemplate <Op op> __global__ void t(float *a, int n)\n"
        "{ " X " if (i < n) a[i] = op; }\nint main() { t<MAX><<<1, 256>>>(a, n); }",
        " of t<MAX> domain=n");
}

// Params that are places are no sides, and so are numbers of main's with a param's name.
TEST(places)
{
#define UPDATE(body) "__global__ void k(float *a, int n, int k) {\n" X Y body "}\n"
    static const char square[] = "//! param n 1024 cpu=128 [1, 8192]\n//! param k 1 [0, 1024]\n"
                                 "//! array a_before float in [n][n] noise 0, 255\n";
    assert_words(UPDATE("if (i < n && j < n)\n"
                        "a[j * n + i] = fminf(a[j * n + i], a[j * n + k] + a[k * n + i]);"),
                 square);
    assert_words(UPDATE("if (j < n) a[j * n + k] /= a[k * n + k]; if (i < n) a[i] += 1;"), square);
    assert_words(UPDATE("int from = 32 * k; if (i < n && j < n) a[j * n + i] += a[from * n + i];"),
                 square);
    // A partner's index bounds nothing.
    assert_words(
        "__global__ void k(float *a, int j, int k) {\n" X "int o = i ^ j;\n"
        "if (o > i && (i & k) == 0) a[i] = a[o];\n}\nint main() { k<<<8, 64>>>(a, j, 2); }",
        "//! param j 1 [0, 1024]\n//! param k 2 [0, 1024]\n"
        "//! param elements 512 [512, 67108864 step 64]\n//! array a_before float in [elements] ");
    // A bool is no size.
    assert_words("__global__ void k(float *a, bool out) {\n" X "a[i] = 1;\n}\n",
                 "//! param out 1 [0, 1]\n");
}

// Copies with a stride or an offset, as the CUDA guides have them, are as long as they reach.
TEST(strides_and_offsets)
{
    static const char copy[] = "__global__ void copy(float *to, const float *from, int s) {\n"
                               "int i = %s;\nto[i] = from[i]; }\n";
    static const char *const cases[][3] = {
        {"(blockIdx.x * blockDim.x + threadIdx.x) * s", "s 2 [1, 32]\n", "elements * s]"},
        {"s * (blockIdx.x * blockDim.x + threadIdx.x)", "s 2 [1, 32]\n", "elements * s]"},
        {"blockIdx.x * blockDim.x + threadIdx.x + s", "s 1 [0, 1024]\n", "elements + s]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(copy, "%s", 2);
        g_autofree char *source = g_strjoin(cases[i][0], parts[0], parts[1], NULL);
        g_autofree char *to = g_strconcat("array to float out [", cases[i][2], NULL);
        assert_words(source, cases[i][1]);
        assert_words(source, to);
        assert_words(source, "domain=elements\n");
    }
    // An argument that bounds the threads is a size as ever.
    assert_words("__global__ void k(float *a, int n) {\n" X "if (i < n) a[i * n] = i; }\n",
                 "array a float out [n][n]");
}

// Numbers of the file alone say what a grid of other sides covers.
TEST(oblong_grids)
{
    static const char source[] =
        "const int mx = 64, my = 16, pencils = 4;\n"
        "__global__ void k(float *f, float *df) {\n"
        "int i = threadIdx.x, j = blockIdx.x * blockDim.y + threadIdx.y, k = blockIdx.y;\n"
        "df[k * mx * my + j * mx + i] = f[k * mx * my + j * mx + i]; }\n"
        "int main() { dim3 grid(my / pencils, 8, 1), block(mx, pencils, 1);\n"
        "k<<<grid, block>>>(f, df); }\n";
    assert_words(source, "//! param elements 8192 [8192, 67108864");
    assert_words(source, "//! variant k 64x4 of k domain=256, 32\n");
}

// Rows with ghost cells, and one element more than a size.
TEST(sides_that_are_wider)
{
    static const char *const rows[] = {"y * (n + 2) + x", "(n + 2) * y + x", "y * pitch + x"};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source =
            g_strconcat("__global__ void life(int *to, const int *from, int n) {\n"
                        "int x = blockIdx.x * blockDim.x + threadIdx.x + 1, pitch = n + 2;\n"
                        "int y = blockIdx.y * blockDim.y + threadIdx.y + 1;\n"
                        "if (x <= n && y <= n) to[",
                        rows[i], "] = from[", rows[i], "]; }\n", NULL);
        assert_words(source, "//! array from int in [n + 2][n + 2] ");
        assert_words(source, " domain=n, n\n");
    }
    assert_words("__global__ void k(const int *scanned, int *b, int n) {\n" X
                 "if (i < n) b[i] = scanned[n] - scanned[i]; }\n",
                 "//! array scanned int in [n + 1] ");
}

// A radius that only the file's numbers tell.
TEST(radius_of_the_file)
{
    assert_words("#define FILTER_RADIUS 2\n"
                 "__constant__ float F[2 * FILTER_RADIUS + 1];\n"
                 "__global__ void k(const float *a, float *b, int r, int n) {\n" X
                 "float sum = 0;\nfor (int k = 0; k < 2 * r + 1; k++)\n"
                 "if (i - r + k >= 0 && i - r + k < n) sum += F[k] * a[i - r + k];\n"
                 "if (i < n) b[i] = sum; }\n",
                 "//! param r 2 [0, 64]\n");
}

// C++ makes no enum of an int by itself.
TEST(enums_by_value)
{
    static const char *const kinds[] = {"enum act { RELU, TANH };",
                                        "enum class act { RELU, TANH };",
                                        "typedef enum { RELU, TANH } act;"};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        OWNED(filter_finish) struct filter f;
        g_autofree char *guesses = NULL;
        g_autofree char *source =
            g_strconcat(kinds[i], "\n__global__ void k(float *x, int n, act how) {\n", X,
                        "if (i < n && how == act::RELU) x[i] = 0; }\n", NULL);
        g_autofree char *notes = proposed(source, &guesses);
        g_autofree char *whole = g_strconcat(source, "\n", notes, NULL);
        if (!filter_parse(&f, "x.cu", whole, NULL, &err)) fail_msg("%s\n%s", err.text, whole);
        if (!strstr(f.calls, "p.n, (act)p.how)")) fail_msg("%s\n%s", f.calls, whole);
    }
}

// A struct may have the name of another kernel's array.
TEST(structs_with_an_array_s_name)
{
    static const char source[] =
        "struct matrix { int rows, columns; float *data; };\n"
        "__global__ void bias(float *b, int n) {\n" X "if (i < n) b[i] += 1; }\n"
        "__global__ void twice(matrix b) {\n" X "if (i < b.rows * b.columns) b.data[i] *= 2; }\n";
    OWNED(filter_finish) struct filter f;
    g_autofree char *guesses = NULL, *notes = proposed(source, &guesses);
    g_autofree char *whole = g_strconcat(source, "\n", notes, NULL);
    if (!filter_parse(&f, "x.cu", whole, NULL, &err)) fail_msg("%s\n%s", err.text, whole);
}

// Shapes of more than one side.
TEST(shapes_of_products)
{
#define SUM3(a, b) "sum += A[" a "] * B[" b "];\n"
#define BATCH(a, b)                                                                                \
    "__global__ void k(const float *A, const float *B, float *C, int batch, int M, int N, int K) " \
    "{\n" X Y "int z = blockIdx.z; if (z >= batch || j >= M || i >= N) return;\n"                  \
    "float sum = 0; for (int k = 0; k < K; k++) " SUM3(a, b) "C[(z * M + j) * N + i] = sum; }\n"
    static const char batch[] = "//! array A float in [batch][M][K] noise 0, 255\n"
                                "//! array B float in [batch][K][N] noise 0, 255\n"
                                "//! array C float out [batch][M][N] shown 8128 * K, 24384 * K\n";
    assert_words(BATCH("z * M * K + j * K + k", "z * K * N + k * N + i"), batch);
    assert_words(BATCH("(z * M + j) * K + k", "(z * K + k) * N + i"), batch);
    // M bounds nothing; the index is a macro, and main has numbers of the same names.
    assert_words(
        "#define AT(row, col, ld) ((row) * (ld) + (col))\n#define BM 64\n"
        "__global__ void k(int M, int N, int K, float *A, float *B, float *C) {\n"
        "int j = threadIdx.x / 16, i = threadIdx.x % 16; float sum = 0;\n"
        "A = &A[blockIdx.y * BM * K]; B = &B[blockIdx.x * BM];\n"
        "C = &C[blockIdx.y * BM * N + blockIdx.x * BM];\n"
        "for (int k = 0; k < K; k++) " SUM3(
            "AT(j, k, K)", "AT(k, i, N)") "C[AT(j, i, N)] = sum; }\nint main() { const int M = "
                                          "512, N = 512, K = 512;\n"
                                          "k<<<dim3(N / BM, M / BM), 256>>>(M, N, K, A, B, C); }",
        "[M][K] from A_before");
    // The window of a filter is small.
    assert_words(
        "__global__ void k(float *b, const float *a, const float *f, int w, int h, int fw)\n{\n" X Y
        "if (i >= w || j >= h) return;\nfloat sum = 0;\n"
        "for (int y = 0; y < fw; y++) for (int x = 0; x < fw; x++)\n"
        "sum += f[y * fw + x] * a[min(j + y, h - 1) * w + min(i + x, w - 1)];\n"
        "b[j * w + i] = sum;\n}\n",
        "//! param fw 15 cpu=7 [1, 64]\n");
    // Of a histogram with a few bins, and where a block goes to the place of each of its elements.
    assert_words(
        "#define BINS 7\n__global__ void k(int *bins, const char *a, int n)\n{\n" X
        "__shared__ int s[BINS]; if (i < n) atomicAdd(&s[a[i] / 4], 1); __syncthreads();\n"
        "for (int t = threadIdx.x; t < BINS; t += blockDim.x) atomicAdd(&bins[t], s[t]);\n}\n",
        "//! array bins int out [7] from bins_before");
    assert_words("__global__ void k(int *b, const int *a, int n)\n{\n" X
                 "int to = a[i] & 1 ? threadIdx.x : 0;\n"
                 "if (i < n) b[blockIdx.x * blockDim.x + to] = a[i];\n}\n",
                 "//! array b int out [n] shown 0, 255\n");
    // A block whose threads write several elements of a wider tile.
    assert_words(
        "#define TILE 32\n#define COARSE 4\n"
        "__global__ void k(float *b, const float *a, int n)\n{\n"
        "int j = blockIdx.y * TILE + threadIdx.y, i = blockIdx.x * TILE * COARSE + threadIdx.x;\n"
        "for (int c = 0; c < COARSE; c++) b[j * n + i + c * TILE] = a[j * n + i + c * TILE];\n}\n",
        "domain=n, n columns=128 block=fixed\n");
    // Surfaces are arrays of what is read and written through them.
    assert_words(
        "__global__ void k(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h)\n{\n" X Y
        "uchar4 v; if (i >= w || j >= h) return;\n"
        "surf2Dread(&v, in, i * 4, j); surf2Dwrite(v, out, i * 4, j);\n}\n",
        "//! array in unsigned char in [h][w * 4] noise 0, 255\n"
        "//! array out_before unsigned char in [h][w * 4] noise 0, 255\n");
    // A mutex begins as 0.
    assert_words("struct Lock { int *mutex; Lock() { cudaMalloc(&mutex, 4); }\n"
                 "__device__ void lock() { while (atomicCAS(mutex, 0, 1)); } };\n"
                 "__global__ void k(Lock lock, float *b, int n) {\n" X
                 "if (i < n) { lock.lock(); b[i] = 1; } }\n",
                 "//! array lock_mutex_before int in [1] noise 0, 0\n");
}

// Numbers of 8, 16 and 64 bits, too.
TEST(types)
{
    static const char *const types[][2] = {
        {"double", "double"},  {"half", "half"},
        {"__half", "half"},    {"char", "char"},
        {"short", "short"},    {"unsigned short", "unsigned short"},
        {"long", "long long"}, {"uint64_t", "unsigned long long"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        g_autofree char *source =
            g_strdup_printf("__global__ void k(%s *y, const %s *x, %s a, int n) {" X
                            "if (i < n) y[i] = a * x[i]; }",
                            types[i][0], types[i][0], types[i][0]);
        g_autofree char *notes = g_strdup_printf(
            "//! param a %s\n" N "//! array y %s out [n] shown 0, 255\n"
            "//! array x %s in [n] noise 0, 255\n//! variant k 256x1 of k domain=n\n",
            i < 3 ? "float 1.0 [-1000, 1000]" : "1 [0, 1024]", types[i][1], types[i][1]);
        assert_notes(source, notes);
    }
}

// A sum begins as 0 and is shown up to what it can be; a counter, up to as many threads as count.
TEST(sums)
{
    assert_words(
        "__global__ void k(float *dot, const float *a, const float *b, int n) {" X
        "float s = 0; for (; i < n; i += 64) s += a[i] * b[i]; atomicAdd(dot, s); }",
        "[1] noise 0, 0\n"
        "//! array dot float out [1] from dot_before shown 0, min(n * 16256, 2147483647)\n");
    assert_words("__global__ void k(int *count, const int *a, int n) {" X
                 "bool is = i < n && a[i] > 7; unsigned m = __ballot_sync(~0u, is);\n"
                 "if (!(threadIdx.x & 31)) atomicAdd(count, __popc(m)); }",
                 "count_before shown 0, min(n, 2147483647)\n");
    assert_words("__global__ void k(int *sums, const int *a, int n) {" X
                 "int s = 0; if (i < n) s += a[i]; sums[blockIdx.x] = s; }",
                 "sums int out [(n + 255) / 256] shown 0, 65280\n");
    assert_words("__global__ void k(int *least, const int *a, int n) {" X
                 "if (i < n) atomicMin(least, a[i]); }",
                 "least_before int in [1] noise 0, 255\n");
}

// What only main's launch, or a value in another name, says of sizes and blocks.
TEST(sizes_from_elsewhere)
{
    assert_words("__global__ void k(float *b, const float *a, int n) {" X
                 "int n2 = n / 2; float2 *c = (float2 *)b; if (i < n2) c[i].x = a[i]; }",
                 "//! param n 1048576 cpu=65536 [256, 67108864 step 256]\n");
    static const char classes[] =
        "__global__ void k(int *s, const int *a, int n, int classes) {" X
        "for (int c = threadIdx.x; c < classes; c += blockDim.x) s[c] = 0;\n"
        "if (i < n) atomicAdd(&s[a[i] %% classes], 1); }\n%s";
    g_autofree char *alone = g_strdup_printf(classes, ""),
                    *launched = g_strdup_printf(classes,
                                                "int main() { k<<<n / 256, 256>>>(s, a, n, 10); }");
    assert_words(alone, "//! param classes 64 cpu=16 [1, 65536]\n");
    assert_words(launched, "//! param classes 10 [1, 65536]\n");
    assert_words("__global__ void k(float *b, const float *a, int n) {" X
                 "float s = 0; for (int t = 0; t < gridDim.x; t++) s += a[t * blockDim.x];\n"
                 "if (i < n) b[i] = s; }",
                 "//! param n 16384 cpu=1024 [1, 1048576]\n");
    assert_words("#define SIDE 1000\n__global__ void k(int *b)\n{\n"
                 "    b[blockIdx.y * gridDim.x + blockIdx.x] = 1;\n}\n"
                 "int main() { dim3 grid(SIDE, SIDE); k<<<grid, 1>>>(b); }",
                 "//! param side 1000 [1000, 8192]\n");
    assert_words("__global__ void k(float *b, const float *a) {" X "b[i] = a[i]; }\n"
                 "int main() { k<<<64, 128>>>(b, a); }",
                 "//! param elements 8192 [8192, 67108864 step 128]\n");
    // Rows come before columns, even where a macro hides the index.
    assert_words("#define AT(x, y) ((y) * w + (x))\n"
                 "__global__ void k(float *b, int w, int h) {" X Y
                 "if (i < w && j < h) b[AT(i, j)] = 1; }",
                 "//! array b float out [h][w] shown 0, 255\n");
    // A block that loads what lies around its tile.
    assert_words(
        "#define TILE 16\n#define MASK 5\n"
        "__global__ void k(float *b, const float *a, int w, int h)\n{\n"
        "    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
        "    if (threadIdx.x < TILE && threadIdx.y < TILE && x < w && y < h)\n"
        "        b[y * w + x] = a[y * w + x];\n}\n"
        "int main() { dim3 block(TILE + MASK - 1, TILE + MASK - 1); k<<<g, block>>>(b); }",
        "k 20x20 of k domain=w, h columns=16 rows=16 block=fixed\n");
    // Numbers in place of blockDim, also without a launch.
    for (int high = 8; high <= 32; high *= 4) {
        g_autofree char *source = g_strdup_printf(
            "__global__ void k(float *b, const float *a, int w, int h)\n{\n"
            "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * %d + threadIdx.y;\n"
            "    if (x < w && y < h) b[y * w + x] = a[y * w + x];\n}\n",
            high);
        assert_words(source, high == 8 ? "k 32x8 of k domain=w, h block=fixed\n"
                                       : "k 32x32 of k domain=w, h block=fixed\n");
    }
    // As high as it is wide, whatever __launch_bounds__ allows.
    static const char *const bounds[][2] = {
        {"#define TILE 16\n__global__ void __launch_bounds__(1024) ", "k 16x16 of"},
        {"#define TILE 32\n__global__ void __launch_bounds__(256) ", "k 32x8 of"},
        {"__global__ void __launch_bounds__(1024) ", "k 32x32 of"},
        {"__global__ void __launch_bounds__(128) ", "k 16x8 of"}};
    for (size_t i = 0; i < G_N_ELEMENTS(bounds); i++) {
        g_autofree char *source = g_strconcat(
            bounds[i][0],
            "k(float *b, int w, int h) {" X Y "if (i < w && j < h) b[j * w + i] = 1; }", NULL);
        assert_words(source, bounds[i][1]);
    }
    // A type's default cannot be deduced.
    assert_words("template <int N, int M = 4, typename T = float>\n"
                 "__global__ void k(T *b, int n) {" X "if (i < n) b[i] = N; }",
                 "of k<16, 4, float>");
}

// Lists that begin at one value and are as long as another.
TEST(lists)
{
    assert_words("struct Node { int first, count; };\n"
                 "__global__ void k(int *b, const Node *nodes, const int *edges, int n) {" X
                 "if (i >= n) return;\nint s = 0;\n"
                 "for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; e++)\n"
                 "    s += edges[e];\nb[i] = s; }",
                 "//! array edges int in [512] noise 0, 255\n");
}

// A texture object is an array of what is read through it.
TEST(textures)
{
    assert_notes("__global__ void k(float *b, cudaTextureObject_t tex, int w, int h)\n{\n" X Y
                 "    if (i < w && j < h) b[j * w + i] = tex2D<unsigned char>(tex, i, j);\n}\n",
                 "//! param w 1024 cpu=128 [1, 8192]\n//! param h 1024 cpu=128 [1, 8192]\n"
                 "//! array b float out [h][w] shown 0, 255\n"
                 "//! array tex unsigned char in [h][w] noise 0, 255\n"
                 "//! variant k 16x16 of k domain=w, h\n");
    assert_words("__global__ void k(float *b, cudaTextureObject_t t, int n)\n{\n" X
                 "    if (i < n) b[i] = tex1Dfetch<int>(t, i);\n}\n",
                 "//! array t int in [n] noise 0, 255\n");
}

// An array that has an element for each block, for each thread of a block, or only one.
TEST(small_arrays)
{
#define BLOCKS "//! array b int out [(n + 127) / 128] shown 0, 255\n"
#define HEAD   "#define BLOCK 128\n__global__ void k(int *b, const int *a, int n) {" X
#define A      "//! array a int in [n] noise 0, 255\n"
    assert_notes(HEAD "__shared__ int s[BLOCK]; s[0] = i < n ? a[i] : 0; b[blockIdx.x] = s[0]; }",
                 N BLOCKS A "//! variant k 128x1 of k domain=n block=fixed\n");
    assert_notes(HEAD "int at = blockIdx.x; if (i < n) b[at] = a[i]; }",
                 N BLOCKS A "//! variant k 128x1 of k domain=n block=fixed\n");
    assert_notes(HEAD "int t = threadIdx.x; if (i < n) b[t] = a[i]; }",
                 N "//! array b int out [128] shown 0, 255\n" A
                   "//! variant k 128x1 of k domain=n block=fixed\n");
    // A variable that goes on is no thread's number.
    assert_notes(HEAD "for (int t = threadIdx.x; i < n; t += BLOCK) b[t] = a[i]; }",
                 N "//! array b int out [n] shown 0, 255\n" A
                   "//! variant k 128x1 of k domain=n block=fixed\n");
    static const char *const ones[] = {"atomicAdd(b, a[i]);", "*b = a[i];", "b[0] = a[i];"};
    for (size_t at = 0; at < G_N_ELEMENTS(ones); at++) {
        g_autofree char *source = g_strconcat(HEAD "if (i < n) ", ones[at], " }", NULL);
        assert_words(source, "array b int out [1]");
    }
    // Twice as many elements as threads.
    assert_notes("__global__ void k(int *b, const int *a) {\n"
                 "int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;\n"
                 "b[blockIdx.x] = a[i] + a[i + blockDim.x]; }",
                 "//! param elements 1048576 cpu=65536 [512, 67108864 step 512]\n"
                 "//! array b int out [(elements + 511) / 512] shown 0, 510\n"
                 "//! array a int in [elements] noise 0, 255\n"
                 "//! variant k 256x1 of k domain=elements each=2x1 block=fixed\n");
    // Both fit: that of more blocks says how long it is.
    assert_notes("__global__ void l(int *b, const int *a) {" X "b[blockIdx.x] = a[i]; }\n"
                 "__global__ void k(int *b, const int *a) {\n"
                 "int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;\n"
                 "b[blockIdx.x] = a[i] + a[i + blockDim.x]; }",
                 "//! param elements 1048576 cpu=65536 [512, 67108864 step 512]\n"
                 "//! array b int out [(elements + 255) / 256] shown 0, 510\n"
                 "//! array a int in [elements] noise 0, 255\n"
                 "//! variant l 256x1 of l domain=elements block=fixed\n"
                 "//! variant k 256x1 of k domain=elements each=2x1 block=fixed\n");
    // A value that is compared says nothing of sizes.
    assert_notes(HEAD "if (i < n && a[i] > limit) b[i] = 1; }\n"
                      "__global__ void l(int *b, const int *a, int n, int limit) {" X
                      "int value = a[i]; if (i < n && value > limit) b[i] = value; }",
                 N "//! param limit 1 [0, 1024]\n//! array b int out [n] shown 0, 255\n" A
                   "//! variant k 128x1 of k domain=n\n//! variant l 128x1 of l domain=n\n");
}

// A block as wide as the tile, whatever main says of another instance of the template.
TEST(tiles_of_a_template)
{
    assert_words("template <int SIDE> __global__ void k(float *c, const float *a, int n) {\n"
                 "__shared__ float tile[SIDE][SIDE];\n"
                 "int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;\n"
                 "tile[threadIdx.y][threadIdx.x] = a[y * n + x]; __syncthreads();\n"
                 "c[y * n + x] = tile[threadIdx.y][threadIdx.x]; }\n"
                 "int main() { int side = 32; dim3 threads(side, side);\n"
                 "if (side == 16) k<16><<<g, threads>>>(c, a, n);\n"
                 "else k<32><<<g, threads>>>(c, a, n); }\n",
                 "//! variant k 16x16 of k<16> domain=n, n");
}

// The matrix product of NVIDIA's programming guide has structs; height and stride are the sides.
TEST(matrices_in_structs)
{
    assert_notes("typedef struct { int width, height, stride; float *of; } Matrix;\n"
                 "__device__ float &at(Matrix M, int x, int y) { return M.of[y * M.stride + x]; }\n"
                 "__global__ void k(Matrix A, Matrix C) {" X Y "at(C, i, j) = at(A, i, j); }\n",
                 "//! param A_width 1024 cpu=128 [16, 8192 step 16]\n"
                 "//! param A_height 1024 cpu=128 [16, 8192 step 16]\n"
                 "//! param A_stride 1024 cpu=128 [16, 8192 step 16]\n"
                 "//! param C_width 1024 cpu=128 [16, 8192 step 16]\n"
                 "//! param C_height 1024 cpu=128 [16, 8192 step 16]\n"
                 "//! param C_stride 1024 cpu=128 [16, 8192 step 16]\n"
                 "//! array A_of float in [A_height][A_stride] noise 0, 255\n"
                 "//! array C_of float out [C_height][C_stride] shown 0, 255\n"
                 "//! variant k 16x16 of k domain=C_stride, C_height\n");
}

// A block for each row has an element for each block.
TEST(rows_of_blocks)
{
    assert_words("__global__ void k(const float *a, float *o, float *mean, int rows, int columns)\n"
                 "{ int row = blockIdx.x; const float *r = a + row * columns;\n"
                 "float sum = 0; for (int i = threadIdx.x; i < columns; i += blockDim.x) {\n"
                 "    sum += r[i]; o[row * columns + i] = r[i]; }\n"
                 "if (threadIdx.x == 0) mean[row] = sum; }\n",
                 "//! array mean float out [rows] ");
}

// NVIDIA's first stencil reads in front of the array that it is given, and behind it.
TEST(halo)
{
#define STENCIL(guard)                                                                     \
    "#define RADIUS 3\n#define BLOCK_SIZE 16\n__global__ void k(const int *a, int *b) {\n" \
    "__shared__ int temp[BLOCK_SIZE + 2 * RADIUS];\n" X guard                              \
    "int at = threadIdx.x + RADIUS; temp[at] = a[i];\n"                                    \
    "if (threadIdx.x < RADIUS) { temp[at - RADIUS] = a[i - RADIUS];\n"                     \
    "    temp[at + BLOCK_SIZE] = a[i + BLOCK_SIZE]; }\n"                                   \
    "__syncthreads(); b[i] = temp[at - RADIUS] + temp[at + RADIUS]; }"
    assert_notes(STENCIL(""), "//! param elements 1048576 cpu=65536 [16, 67108864 step 16]\n"
                              "//! array a int in [elements + 6] noise 0, 255\n"
                              "//! array b int out [elements] shown 0, 510\n"
                              "//! variant k 16x1 of k(a=a + 3) domain=elements block=fixed\n");
    assert_notes(STENCIL("if (i < RADIUS) return;\n"),
                 "//! param elements 1048576 cpu=65536 [16, 67108864 step 16]\n"
                 "//! array a int in [elements] noise 0, 255\n"
                 "//! array b int out [elements] shown 0, 510\n"
                 "//! variant k 16x1 of k domain=elements block=fixed\n");
}

// A thread for each row, without a guard; a row that an element's value chooses; a pointer that
// only moves; and what is taken from a bound.
TEST(rows_of_threads_and_values)
{
    static const char rows[] = "//! param w 1024 cpu=128 [1, 8192]\n"
                               "//! param h 1024 cpu=256 [256, 8192 step 256]\n"
                               "//! param r 3 [0, 64]\n"
                               "//! array in float in [h][w] noise 0, 255\n"
                               "//! array out float out [h][w] shown -255, 255\n"
                               "//! variant k 256x1 of k domain=h\n";
    assert_notes(
        "__global__ void k(float *in, float *out, int w, int h, int r)\n{\n"
        "unsigned int y = blockIdx.x * blockDim.x + threadIdx.x;\nin += y * w; out += y * w;\n"
        "for (int x = 0; x < r; x++) out[x] = in[x];\n"
        "for (int x = r; x < w - r; x++) out[x] = in[x + r] - in[x - r];\n"
        "for (int x = w - r; x < w; x++) out[x] = in[x];\n}",
        rows);
    assert_words(
        "__global__ void k(float *out, const float *in, int width, int height, int radius)\n{\n" X Y
        "if (i >= width || j >= height) return;\nfloat least = in[j * width + i];\n"
        "for (int y = max(0, j - radius); y <= min(height - 1, j + radius); y++)\n"
        "for (int x = max(0, i - radius); x <= min(width - 1, i + radius); x++)\n"
        "least = min(least, in[y * width + x]);\nout[j * width + i] = least; }",
        "//! param radius 3 [0, 64]\n//! array out float out [height][width] shown 0, 255\n"
        "//! array in float in [height][width] noise 0, 255\n//! variant k 16x16 of k "
        "domain=width, height\n");
    assert_words("__global__ void k(int *a, int *b)\n{ *a += 1; *b += 2; }",
                 "//! array b int out [1]");
    assert_words(
        "__global__ void k(float *out, const int *token, const float *table, int n, int c)\n{\n" X
        "if (i < n) { const float *row = table + token[i] * c;\n"
        "for (int j = 0; j < c; j++) out[i * c + j] = row[j]; } }",
        "//! array table float in [256][c] noise 0, 255\n");
    assert_words(
        "__global__ void k(const char *text, int n, const char *word, int m, int *sum)\n{\n" X
        "if (i <= n - m) { bool is_it = true;\n"
        "for (int j = 0; j < m; j++) is_it &= text[i + j] == word[j];\n"
        "if (is_it) atomicAdd(sum, 1); } }",
        "//! param m 100 [0, 1024]\n//! array text char in [n] noise 0, 255\n"
        "//! array word char in [n] noise");
}

// What main says: the block, shared memory, numbers.
TEST(launches)
{
#define K "__global__ void k(float *b, float a, int p, int n) {" X "if (i < n) b[i] = a * p; }\n"
#define B "//! array b float out [n] shown 0, 255\n"
    static const struct {
        const char *launch, *a, *p, *block;
    } rows[] = {
        {"k<<<n / 64, 64>>>(d, 2.5f, 7, n);", "2.5", "7", "64x1"},
        {"k<<<dim3(4), T, 0, s>>>(d, -1, P, n);", "-1.0", "12", "96x1"},
        {"dim3 b(16, 16), g(W / 16); k <<< g, b >>> (d, x, y, n);", "1.0", "1", "256x1"},
        {"k<float> <<<g, 32 * 2, P * sizeof(int)>>>(d, .5, 3, n);", "0.5", "3", "64x1"},
        {"k<<<g, 64>>>(d, 3.0f/1024, 7 * P, n);", "0.002929688", "84", "64x1"},
        {"k<<<g, 64>>>(d, -1.5F / HALF * 2, T, n);", "-6.0", "96", "64x1"},
        {"k<<<g, 64>>>(d, HALF, (int)HALF, n);", "0.5", "1", "64x1"},
        {"k<<<g, 64>>>(d, x + 0.5f, n / 0, n);", "1.0", "1", "64x1"},
        {"k<<<g, 64>>>(d, INFINITY, 1.0 / 0, n);", "1.0", "1", "64x1"},
        {"const float a = 1e30f; k<<<g, 64>>>(d, 2, -0.0f, n);", "2.0", "1", "64x1"},
        {"k<<<1, 2048>>>(d, 2, 3, n);", "2.0", "3", "256x1"},
        {"k<<<", "1.0", "1", "256x1"},
        {"k<<<1>>>(d);", "1.0", "1", "256x1"},
        {"k<<<g, unknown>>>(d, 1e3, 0, n);", "1000.0", "1", "256x1"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source =
            g_strdup_printf(K "const int P = 3 * 4, T = 96;\nconst float HALF = 1.0f / 2;\n"
                              "int main() { %s }\n",
                            rows[i].launch);
        g_autofree char *notes =
            g_strdup_printf("//! param a float %s [-1000, 1000]\n//! param p %s [0, 1024]\n" N B
                            "//! variant k %s of k domain=n\n",
                            rows[i].a, rows[i].p, rows[i].block);
        assert_notes(source, notes);
    }
    assert_words(K "int main() { k<<<9, 64>>>(d, -2.5e4f, 1, n); }",
                 "//! param a float -25000.0 [-25000, 25000]\n");
    assert_words(K "int main() { k<<<9, 64>>>(d, 1, -7, n); }", "//! param p -7 [-7, 1024]\n");
    static const char one_block[] =
        "extern __shared__ float s[];\n__global__ void k(float *b, int n) {\n"
        "int t = threadIdx.x; s[t + n] = 1; b[t] = s[t]; }\n"
        "int main() { k<<<1, 512, 2 * 512 * sizeof(float)>>>(d, 512); }\n";
    assert_notes(one_block, "//! param n 512 [0, 1024]\n//! array b float out [512] shown 0, 255\n"
                            "//! variant k 512x1 of k domain=512 shared=8 * bw * bh block=fixed\n");
    assert_words("__global__ void k(float *b, int n) { extern __shared__ float s[];\n"
                 "int z = blockIdx.z * blockDim.z + threadIdx.z; if (z < n) b[z] = s[0]; }\n"
                 "int main() { k<<<1, dim3(1, 1, 64), 2147483647>>>(b, 5); }",
                 " shared=232448 * bw * bh");  // all that a block may have
    // A struct may hold it, of the template's type.
#define HOLDER                                                                                   \
    "template <class T> struct Tile { __device__ inline operator T *() { extern __shared__ int " \
    "s[]; return (T *)s; } };\n"
    assert_words(HOLDER "__global__ void k(float *b, int n) {\nfloat *s = Tile<float>();\n" X
                        "s[threadIdx.x] = 1; if (i < n) b[i] = s[0]; }",
                 " shared=8 * bw * bh\n");
    assert_words(HOLDER "__global__ void k(float *b, int n) {\n" X "if (i < n) b[i] = 0; }",
                 " of k domain=n\n");
    // Without main: shared memory of the file's own level, loops over all, sides of a plane.
    assert_guess("extern __shared__ double s[];\n__global__ void k(float *b, int n) {" X
                 "if (i < n) b[i] = s[0]; }",
                 "k runs over n in blocks of 256x1 with 8 shared bytes a thread");
    assert_notes("__global__ void k(float *b, const float *x, int n, int m, float xmin) {" X
                 "if (i < n) for (int j = 0; j < n; j++) for (int c = 0; c < m; c++)\n"
                 "b[i] = x[c] + xmin; }",
                 "//! param n 16384 cpu=1024 [1, 1048576]\n//! param m 64 cpu=16 [1, 65536]\n"
                 "//! param xmin float -2.0 [-1000, 1000]\n" B
                 "//! array x float in [m] noise 0, 255\n//! variant k 256x1 of k domain=n\n");
    // A block of one thread, as the first kernels of a book.
    assert_notes("__global__ void k(int *b) { b[blockIdx.x + gridDim.x * blockIdx.y] = 1; }",
                 "//! param side 1024 cpu=128 [1, 8192]\n"
                 "//! array b int out [side][side] shown 0, 255\n"
                 "//! variant k 1x1 of k domain=side, side\n");
}

// Kernels without arguments, or that write nothing; and names that mean two things.
TEST(casts)
{
    static const char *const values[] = {"((const float *)a)[i]", "((float const *)a)[i]",
                                         "static_cast<const float *>(a)[i]"};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        g_autofree char *source =
            g_strdup_printf("__global__ void k(void *b, const void *a, int n)\n{\n" X
                            "    unsigned int *to = reinterpret_cast<unsigned int *>(b);\n"
                            "    if (i < n) to[i] = %s;\n}\n",
                            values[i]);
        assert_notes(source, N "//! array b unsigned int out [n] shown 0, 255\n"
                               "//! array a float in [n] noise 0, 255\n"
                               "//! variant k 256x1 of k domain=n\n");
    }
    assert_notes("__global__ void k(void *b)\n{\n" X "    float4 *to = (float4 *)b;\n"
                 "    to[i] = make_float4(0, 0, 0, 1);\n}\n",
                 "//! param elements 1048576 cpu=65536 [256, 67108864 step 256]\n"
                 "//! array b float out [elements * 4] shown 0, 255\n"
                 "//! variant k 256x1 of k domain=elements\n");
}

// What a function of the file does is not looked at, but it is told how much there is.
TEST(calls)
{
    assert_notes("__device__ int sum_of(const int *a, int n) { return a[n - 1]; }\n"
                 "__global__ void k(int *sum, const int *a, int n)\n{\n"
                 "    int own = sum_of(a, n);\n"
                 "    if (threadIdx.x == 0) atomicAdd(sum, own);\n}\n"
                 "int main() { k<<<4096, 128>>>(s, a, 1 << 24); }\n",
                 "//! param n 1048576 cpu=65536 [128, 67108864 step 128]\n"
                 "//! array sum_before int in [1] noise 0, 0\n"
                 "//! array sum int out [1] from sum_before shown 0, min(n * 255, 2147483647)\n"
                 "//! array a int in [n] noise 0, 255\n//! variant k 128x1 of k domain=n\n");
    assert_words("__global__ void k(int *b, const int *a, int n, int by)\n{\n" X
                 "    if (i < n && a[i] > 7) atomicAdd(b, by);\n}\n",
                 "//! param by 1 [0, 1024]\n");
}

// Where the rows of a sparse matrix begin, and where the last one ends.
TEST(ends_of_rows)
{
    assert_notes("__global__ void k(float *y, const int *row, const float *a, int n)\n{\n" X
                 "    if (i >= n) return;\n    float sum = 0;\n"
                 "    for (int k = row[i]; k < row[i + 1]; k++) sum += a[k];\n"
                 "    y[i] = sum;\n}\n",
                 N "//! array y float out [n] shown 0, 255\n"
                   "//! array row int in [n + 1] noise 0, 255\n"
                   "//! array a float in [512] noise 0, 255\n"
                   "//! variant k 256x1 of k domain=n\n");
}

// A struct that is passed by value stands for its members.
TEST(structs_by_value)
{
    static const char *const matrices[] = {
        "struct M { int width, height; float *at; };",
        "typedef struct\n{\n    int width; /* of a row */\n    int height;\n    float *at;\n} M;",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(matrices); i++) {
        g_autofree char *source =
            g_strdup_printf("%s\n__global__ void k(const M a, M b, int2 by)\n{\n" X Y
                            "    if (i < b.width && j < b.height)\n"
                            "        b.at[j * b.width + i] = a.at[j * b.width + i] + by.x;\n}\n",
                            matrices[i]);
        assert_words(source, "//! array a_at float in [b_height][b_width] noise 0, 255\n"
                             "//! array b_at float out [b_height][b_width] shown 0, 255\n"
                             "//! variant k 16x16 of k domain=b_width, b_height\n");
        assert_words(source, "//! param by_x 1 [0, 1024]\n");
        g_autofree char *guesses = NULL, *notes = proposed(source, &guesses),
                        *whole = g_strconcat(notes, source, NULL);
        OWNED(filter_finish) struct filter f;
        if (!filter_parse(&f, "x.cu", whole, NULL, &err)) fail_msg("%s\n%s", err.text, whole);
        assert_int_equal(f.variants[0].passes[0].arrays, 3);
        assert_non_null(strstr(f.calls,
                               "k({(int)p.a_width, (int)p.a_height, launch_pointer{d.a_at}}"
                               ", {(int)p.b_width, (int)p.b_height, launch_pointer{d.b_at}}"
                               ", {(int)p.by_x, (int)p.by_y})"));
    }
}

// main passes one argument for all members.
TEST(launches_with_structs)
{
    static const char source[] = "struct C { int n; float scale; };\nstruct D { float x, y; };\n"
                                 "__global__ void k(float *b, C c, D d, float by)\n{\n" X
                                 "    if (i < c.n) b[i] = i * c.scale * d.x * by;\n}\n"
                                 "int main() { const int c = 7; k<<<16, 256>>>(b, c, d, 3.0f); }\n";
    assert_words(source, "//! param c_scale float 1.0 [-1000, 1000]\n"
                         "//! param d_x float 1.0 [-1000, 1000]\n"
                         "//! param d_y float 1.0 [-1000, 1000]\n"
                         "//! param by float 3.0 [-1000, 1000]\n");
}

TEST(a_struct_in_itself)
{
    static const char source[] = "struct M { M of; int n; };\n"
                                 "//! variant k 32x1\n__global__ void k(M m, int *b) {}\n";
    OWNED(filter_finish) struct filter f;
    g_autofree char *whole =
        g_strconcat("//! lab \"X\"\n//! array b int out [4] shown 0, 9\n", source, NULL);
    assert_none(source,
                "it has no notes, and no kernel that runs without: x.cu:3: k is left out: its "
                "argument 'm_of' is of type M: give a struct by value numbers and pointers alone");
    assert_false(filter_parse(&f, "x.cu", whole, NULL, &err));
    assert_non_null(strstr(err.text, "_of' is too long"));
}

// Rows that are a pitch apart, in bytes or in elements.
TEST(pitches)
{
    assert_notes("__global__ void k(float *b, size_t pitch, int w, int h)\n{\n" X Y
                 "    if (i < w && j < h) {\n"
                 "        float *row = (float *)((char *)b + j * pitch);\n"
                 "        row[i] = row[i] * 2;\n    }\n}\n",
                 "//! param w 1024 cpu=128 [1, 8192]\n//! param h 1024 cpu=128 [1, 8192]\n"
                 "//! array b_before float in [h][w] noise 0, 255\n"
                 "//! array b float out [h][w] from b_before shown 0, 255\n"
                 "//! variant k 16x16 of k(pitch=w * 4) domain=w, h\n");
    assert_notes("__global__ void k(short *b, int bPitch, const short *a, int aPitch, int w, int h)"
                 "\n{\n" X Y "    if (i < w && j < h) b[j * bPitch + i] = a[j * aPitch + i];\n}\n",
                 "//! param w 1024 cpu=128 [1, 8192]\n//! param h 1024 cpu=128 [1, 8192]\n"
                 "//! array b short out [h][w] shown 0, 255\n"
                 "//! array a short in [h][w] noise 0, 255\n"
                 "//! variant k 16x16 of k(bPitch=w * 1, aPitch=w * 1) domain=w, h\n");
}

// What has the name of one but bounds threads, or multiplies no index.
TEST(no_pitches)
{
    assert_notes("__global__ void k(float *b, int pitch, int h)\n{\n" X Y
                 "    if (i < pitch && j < h) b[j * pitch + i] = i;\n}\n",
                 "//! param pitch 1024 cpu=128 [1, 8192]\n//! param h 1024 cpu=128 [1, 8192]\n"
                 "//! array b float out [h][pitch] shown 0, 255\n"
                 "//! variant k 16x16 of k domain=pitch, h\n");
    assert_words("__global__ void k(float *b, int pitch)\n{\n" X
                 "    if (i < pitch) b[i] = 1;\n}\n",
                 "//! variant k 256x1 of k domain=pitch\n");
    assert_words("__global__ void k(float *b, const float *a, int n, float pitch)\n{\n" X
                 "    if (i < n) b[i] = a[i] * pitch;\n}\n",
                 "//! param pitch float 1.0 [-1000, 1000]\n");
    // A pitch of one kernel that bounds the threads of another.
    assert_words("__global__ void one(float *b, int pitch, int w, int h)\n{\n" X Y
                 "    if (i < w && j < h) b[j * pitch + i] = 1;\n}\n"
                 "__global__ void two(float *b, int pitch)\n{\n" X
                 "    if (i < pitch) b[i] = 1;\n}\n",
                 "//! variant two 256x1 of two domain=pitch\n");
    // Bytes in one kernel, elements in the other.
    const char *const both =
        "__global__ void k(float *b, const float *a, int w, int h, int pitchElements)\n{\n" X Y
        "    if (i < w && j < h) b[j * pitchElements + i] = a[j * pitchElements + i];\n}\n"
        "__global__ void l(float *b, int w, int h, int pitch)\n{\n" X Y
        "    float *row = (float *)(reinterpret_cast<char *>(b) + j * pitch);\n"
        "    if (i < w && j < h) row[i] = 1;\n}\n";
    assert_words(both, " of k(pitchElements=w * 1) domain=w, h\n");
    assert_words(both, " of l(pitch=w * 4) domain=w, h\n");
}

// A thread's place may be its rank in a group.
TEST(groups)
{
    assert_notes("__global__ void k(float *b, int n)\n{\n"
                 "    cg::thread_block t = cg::this_thread_block();\n"
                 "    int i = t.group_index().x * t.size() + t.thread_rank();\n"
                 "    if (i < n) b[i] = 1;\n}\n"
                 "__global__ void l(float *b, int n)\n{\n    auto grid = cg::this_grid();\n"
                 "    for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = 2;\n}\n",
                 N "//! array b float out [n] shown 0, 255\n//! variant k 256x1 of k domain=n\n"
                   "//! variant l 256x1 of l domain=n\n");
}

TEST(other_kernels)
{
    assert_notes("__global__ void hello() { printf(\"%d\", threadIdx.x); }\n"
                 "int main(void) { hello<<<2, 10>>>(); }",
                 "//! array nothing int out [1] shown 0, 255\n"
                 "//! variant hello 10x1 of hello domain=20\n");
    assert_notes("__global__ void k(int *a, int n) {" X "if (i < n) a[i] = 1; }\n"
                 "__global__ void l(float *a, int n) {" X "if (i < n) a[i] = 1; }\n",
                 N
                 "//! array a int out [n] shown 0, 255\n//! array a_2 float out [n] shown 0, 255\n"
                 "//! variant k 256x1 of k domain=n\n//! variant l 256x1 of l(a=a_2) domain=n\n");
}

TEST(two_dimensions)
{
    assert_notes("__global__ void Turn(float *b, const float *a, int width, int height)\n{\n" X Y
                 "    if (i < width && j < height) b[i * height + j] = a[j * width + i];\n}\n",
                 "//! param width 1024 cpu=128 [1, 8192]\n//! param height 1024 cpu=128 [1, 8192]\n"
                 "//! array b float out [width][height] shown 0, 255\n"
                 "//! array a float in [height][width] noise 0, 255\n"
                 "//! variant turn 16x16 of Turn domain=width, height\n");
    // A row of threads for a whole picture.
    assert_guess("__global__ void k(float *o, const float *in, int width, int height) {" X
                 "if (i < width * height) o[i] = in[i]; }",
                 "k runs over width * height in blocks of 256x1");
    // Tiles: no side is compared, so that it is a multiple of them.
    assert_notes("#define TILE_DIM 32\n#define BLOCK_ROWS 8\n"
                 "__global__ void t(float *o, const float *in, int width) {\n"
                 "    int x = blockIdx.x * TILE_DIM + threadIdx.x;\n"
                 "    int y = blockIdx.y * TILE_DIM + threadIdx.y, at = x + width * y;\n"
                 "    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)\n"
                 "        o[at + k * width] = in[at + k * width];\n}\n",
                 "//! param width 1024 cpu=128 [32, 8192 step 32]\n"
                 "//! array o float out [width][width] shown 0, 255\n"
                 "//! array in float in [width][width] noise 0, 255\n"
                 "//! variant t 32x8 of t domain=width, width each=1x4 block=fixed\n");
    // NVIDIA's sample: the grid says how wide the matrix is.
    assert_notes("#define TILE_DIM 32\n#define BLOCK_ROWS 8\n"
                 "__global__ void t(float *o, const float *in) {\n"
                 "    int x = blockIdx.x * TILE_DIM + threadIdx.x;\n"
                 "    int y = blockIdx.y * TILE_DIM + threadIdx.y, w = gridDim.x * TILE_DIM;\n"
                 "    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)\n"
                 "        o[x * w + y + k] = in[(y + k) * w + x];\n}\n",
                 "//! param side 1024 cpu=128 [32, 8192 step 32]\n"
                 "//! array o float out [side][side] shown 0, 255\n"
                 "//! array in float in [side][side] noise 0, 255\n"
                 "//! variant t 32x8 of t domain=side, side each=1x4 block=fixed\n");
    // A picture of four bytes a pixel, and of a size that the file fixes.
    assert_notes("#define W 512\n__global__ void k(unsigned char *o) {" X Y
                 "int at = 4 * (i + j * W);\n"
                 "if (i < W && j < W) { o[at + 1] = o[at + 3] = 1; } }\n",
                 "//! param side 512 [512, 8192]\n"
                 "//! array o unsigned char out [side][side * 4] shown 0, 255\n"
                 "//! variant k 16x16 of k domain=side, side\n");
    // Life: a bool is 0 or 1.
    assert_notes("__global__ void life(bool *o, const bool *in, int w, int h) {" X Y
                 "if (i < w && j < h) o[j * w + i] ^= in[j * w + i]; }\n",
                 "//! param w 1024 cpu=128 [1, 8192]\n//! param h 1024 cpu=128 [1, 8192]\n"
                 "//! array o_before unsigned char in [h][w] noise 0, 1\n"
                 "//! array o unsigned char out [h][w] from o_before shown 0, 1\n"
                 "//! array in unsigned char in [h][w] noise 0, 1\n"
                 "//! variant life 16x16 of life domain=w, h\n");
    // Neighbours around the edge.
    assert_notes("__global__ void k(int *o, const int *in, int w, int h) {" X Y
                 "if (i < w && j < h) o[j * w + i] = in[(j + 1) % h * w + (i + 1) % w]; }\n",
                 "//! param w 1024 cpu=128 [1, 8192]\n//! param h 1024 cpu=128 [1, 8192]\n"
                 "//! array o int out [h][w] shown 0, 255\n"
                 "//! array in int in [h][w] noise 0, 255\n"
                 "//! variant k 16x16 of k domain=w, h\n");
    assert_notes(
        "__global__ void mm(float *C, const float *A, const float *B, int M, int N, int K)\n"
        "{\n" X Y "    float sum = 0;\n    if (j >= M || i >= N) return;\n"
        "    for (int k = 0; k < K; k++) sum += A[j * K + k] * B[k * N + i];\n"
        "    C[j * N + i] = sum;\n}\n",
        "//! param M 1024 cpu=128 [1, 8192]\n//! param N 1024 cpu=128 [1, 8192]\n"
        "//! param K 1024 cpu=128 [1, 8192]\n"
        "//! array C float out [M][N] shown 8128 * K, 24384 * K\n"
        "//! array A float in [M][K] noise 0, 255\n"
        "//! array B float in [K][N] noise 0, 255\n"
        "//! variant mm 16x16 of mm domain=N, M\n");
    // A row a block, reached by a pointer into it.
    assert_notes(
        "__global__ void rows(float *o, const float *a, int N, int C) {\n"
        "    extern __shared__ float s[];\n    const float *row = a + blockIdx.x * C;\n"
        "    float *to = o + blockIdx.x * C;\n"
        "    for (int i = threadIdx.x; i < C; i += blockDim.x) s[0] = to[i] = row[i];\n}\n",
        "//! param N 1024 cpu=256 [256, 8192 step 256]\n//! param C 1024 cpu=128 [1, 8192]\n"
        "//! array o float out [N][C] shown 0, 255\n"
        "//! array a float in [N][C] noise 0, 255\n"
        "//! variant rows 256x1 of rows domain=N * bw shared=4 * bw * bh\n");
}

TEST(blocks_and_templates)
{
#define BODY "(float *a, int n) {" X "if (i < n) a[i] = 1; }\n"
#define REST N "//! array a float out [n] shown 0, 255\n"
    assert_notes("__global__ void __launch_bounds__(128, 2) k" BODY,
                 REST "//! variant k 128x1 of k domain=n block=fixed\n");
    assert_notes("const int threads = 64;\n__global__ void __launch_bounds__(threads) k" BODY,
                 REST "//! variant k 64x1 of k domain=n\n");
    assert_notes("#define THREADS_PER_BLOCK 512\n__global__ void k" BODY,
                 REST "//! variant k 512x1 of k domain=n\n");
    assert_notes("#define TILE 100000\n__global__ void k" BODY,
                 REST "//! variant k 256x1 of k domain=n\n");
    assert_notes("template <typename T, int blockSize, bool isEven, int M = 3>\n"
                 "__global__ void k(T *a, int n, T by) {" X "if (i < n) a[i] = by; }\n",
                 N "//! param by float 1.0 [-1000, 1000]\n//! array a float out [n] shown 0, 255\n"
                   "//! variant k 256x1 of k<float, 256, true> domain=n block=fixed\n");
    assert_notes("__global__ void Add" BODY "namespace m { __global__ void add" BODY "}\n"
                 "__global__ void _under" BODY,
                 REST "//! variant add 256x1 of Add domain=n\n"
                      "//! variant k2_add 256x1 of add domain=n\n"
                      "//! variant k_under 256x1 of _under domain=n\n");
    // Reals are no sides of blocks.
    static const char *const reals[] = {"#define BLOCK_WEIGHT 2.5f",
                                        "const float blockScale = 2.0f;",
                                        "const float tile = 5 / 4.f;"};
    for (size_t i = 0; i < G_N_ELEMENTS(reals); i++) {
        g_autofree char *source =
            g_strconcat(reals[i],
                        "\n__global__ void k(float *b, int n)\n{\n" X
                        "    if (i < n) b[i] = BLOCK_WEIGHT * blockScale * tile;\n}\n",
                        NULL);
        assert_words(source, "//! variant k 256x1 of k domain=n\n");
    }
}

// What is written, in one of the ways that there are.
TEST(outputs)
{
    static const char *const written[] = {
        "b[i] = 1;",
        "b[i + 1] <<= 2;",
        "b[i]++;",
        "--b[i];",
        "*b = 1;",
        "*(b + i) = 1;",
        "atomicAdd(&b[i], 1);",
        "atomicAdd(b + i, 1);",
        "__stcs(b + i, 1);",
        "int *c = b + i; c[2] = 1;",
        "int *c = &b[i], *d = c; d[2] -= 1;",
        "reinterpret_cast<int4 *>(&b[4 * i])[0] = {};",
        "int4 *c = reinterpret_cast<int4 *>(b); c[i].x = 1;",
        "store(b, i);",  // what a pointer is for elsewhere is not known
    };
    static const char *const read[] = {
        "a[i] = b[i];",
        "if (b[i] == 3) a[i] = 1;",
        "if (b[i] <= 3) a[i] = 1;",
        "int *c = b + i; a[i] = c[0];",
        "int c = b[i]; c = 1; a[0] = c;",
        "for (int k = b[i]; k != b[3]; ++k) a[k] = -b[k];",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(written) + G_N_ELEMENTS(read); i++) {
        const bool is_out = i < G_N_ELEMENTS(written);
        g_autofree char *text =
            g_strdup_printf("__global__ void k(int *a, int *b) {" X "a[0] = 0; %s }",
                            is_out ? written[i] : read[i - G_N_ELEMENTS(written)]);
        assert_words(text, is_out ? "array b int out " : "array b int in ");
    }
    assert_guess("__global__ void k(int *a) {" X "a[i] += 1; }",
                 "a[elements] is written, and is noise before, since it is read, too");
    assert_guess("__global__ void k(int *a, int radius, float f, int p) {" X
                 "for (int r = -radius; r <= radius; r++) a[i + r] = f + p; }",
                 "radius is 3");
}

#define Z "int l = blockIdx.z * blockDim.z + threadIdx.z;\n"

TEST(three_dimensions)
{
#define VOLUME                                                                                 \
    "__global__ void k(float *b, const float *a, int width, int height, int depth)\n{\n" X Y Z \
    "    if (i >= width || j >= height || l >= depth) return;\n"
#define SIDES                                                                   \
    "//! param width 64 cpu=16 [1, 512]\n//! param height 64 cpu=16 [1, 512]\n" \
    "//! param depth 64 cpu=16 [1, 512]\n"                                      \
    "//! array b float out [depth][height][width] shown 0, 255\n"               \
    "//! array a float in [depth][height][width] noise 0, 255\n"
    static const char body[] = "    int ll = l > 0 ? l - 1 : 0;\n"
                               "    b[(l * height + j) * width + i] =\n"
                               "        a[(ll * height + j) * width + i];\n}\n";
    static const struct {
        const char *main, *block;
    } rows[] = {
        {"", "8x8x8"},
        {"dim3 grid(w / 16, h / 4, d / 2), block(16, 4, 2);\nk<<<grid, block>>>(b, a, w, h, d);",
         "16x4x2"},
        {"dim3 t = dim3(32, 2, D); k<<<dim3(1, (h + 1) / 2), t, 0>>>(b, a, w, h, d);", "32x2x4"},
        {"dim3 t{4, 4}; k<<<1, t>>>(b, a, w, h, d);", "4x4"},
        {"k<<<1, dim3(16, 16, 16)>>>(b, a, w, h, d);", "8x8x8"},
        {"dim3 t(w, h, 1); k<<<1, t>>>(b, a, w, h, d);", "8x8x8"},
        {"k<<<1, dim3(1, 1, 128)>>>(b, a, w, h, d);", "8x8x8"},
        {"k<<<1, dim3(2000000000, 2000000000, 2000000000)>>>(b, a, w, h, d);", "8x8x8"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *source =
            g_strdup_printf("%s%s#define D 4\nint main() { %s }\n", VOLUME, body, rows[i].main);
        g_autofree char *notes = g_strdup_printf(
            SIDES "//! variant k %s of k domain=width, height, depth\n", rows[i].block);
        assert_notes(source, notes);
    }
    static const struct {
        const char *bounds, *main, *block;
    } bounded[] = {
        {"512", "", "8x8x8"},
        {"256", "", "8x4x8"},
        {"32", "", "8x1x4"},
        {"5", "", "5x1"},
        {"1024", "k<<<1, dim3(8, 4, 2)>>>(b, a, w, h, d);", "8x4x2"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bounded); i++) {
        g_autofree char *source = g_strdup_printf(
            "__global__ void __launch_bounds__(%s) %s%s\nint main() { %s }\n", bounded[i].bounds,
            &VOLUME[sizeof "__global__ void"], body, bounded[i].main);
        g_autofree char *words = g_strdup_printf("//! variant k %s of k ", bounded[i].block);
        assert_words(source, words);
    }
    // Sides in a macro of the file.
    assert_notes("#define AT(x, y, z) ((x) + width * ((y) + height * (z)))\n" VOLUME
                 "    b[AT(i, j, l)] = a[AT(i, j, l)];\n}\n",
                 SIDES "//! variant k 8x8x8 of k domain=width, height, depth\n");
    // A cube, in blocks of the file's own size.
    assert_notes("#define BLOCK 4\n__global__ void k(float *b, int n)\n{\n"
                 "    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + "
                 "threadIdx.y;\n    int z = blockIdx.z * BLOCK + threadIdx.z;\n"
                 "    if (x < n && y < n && z < n) b[z * n * n + y * n + x] = 1;\n}\n",
                 "//! param n 64 cpu=16 [1, 512]\n//! array b float out [n][n][n] shown 0, 255\n"
                 "//! variant k 4x4x4 of k domain=n, n, n block=fixed\n");
    // A layer for each matrix of a batch: only main knows how many there are.
    assert_notes("__global__ void k(const float *q, float *s, int t, int c)\n{\n" X Y
                 "    int h = blockIdx.z;\n    if (i >= t || j >= t) return;\n    float sum = 0;\n"
                 "    for (int k = 0; k < c; k++) sum += q[(h * t + i) * c + k];\n"
                 "    s[(h * t + j) * t + i] = sum;\n}\n",
                 "//! param t 64 cpu=16 [1, 512]\n//! param c 64 cpu=16 [1, 512]\n"
                 "//! param layers 64 cpu=16 [1, 512]\n"
                 "//! array q float in [layers][t][c] noise 0, 255\n"
                 "//! array s float out [layers][t][t] shown 0, 255\n"
                 "//! variant k 16x16 of k domain=t, t, layers\n");
    assert_notes("__global__ void k(float *b, int n)\n{\n" X
                 "    if (i < n) b[blockIdx.z * n + i] = 1;\n}\n",
                 "//! param n 1024 cpu=128 [1, 8192]\n//! param layers 1024 cpu=128 [1, 8192]\n"
                 "//! array b float out [layers][n] shown 0, 255\n"
                 "//! variant k 256x1 of k domain=n, 1, layers\n");
    // A kernel without layers, beside another one: each thread goes through all of them.
    assert_words("__global__ void k(float *b, int nx, int ny, int nz)\n{\n" X Y
                 "    if (i >= nx || j >= ny) return;\n"
                 "    for (int l = 0; l < nz; l++) b[(l * ny + j) * nx + i] = 2;\n}\n"
                 "__global__ void l(float *b, int nx, int ny, int nz)\n{\n" X Y Z
                 "    if (i < nx && j < ny && l < nz) b[(l * ny + j) * nx + i] = 1;\n}\n",
                 "//! variant k 16x16 of k domain=nx, ny\n"
                 "//! variant l 8x8x8 of l domain=nx, ny, nz\n");
    assert_words("__global__ void k(float *b, int n) { " X "if (i < n) b[i] = 2; }\n"
                 "__global__ void l(float *b, int n) { " X
                 "if (i < n) b[blockIdx.z * n + i] = 1; }\n",
                 "//! variant k 256x1 of k domain=n\n"
                 "//! variant l 256x1 of l domain=n, 1, layers\n");
    // Nothing of an array is found by its layer.
    assert_notes("__global__ void k(float *b, int n)\n{\n" X
                 "    if (i < n && blockIdx.z == 0) b[i] = 1;\n}\n",
                 N "//! array b float out [n] shown 0, 255\n//! variant k 256x1 of k domain=n\n");
#undef VOLUME
#undef SIDES
}

TEST(what_is_left_out)
{
#define GOOD "__global__ void good(int *a, int n) { a[n] = 1; }\n"
    static const struct {
        const char *head, *why;
    } bad[] = {
        {"k(cuComplex *a, int n)", "x.cu:2: k is left out: its argument 'a' is of type cuComplex*"},
        {"k(float **rows)",
         "x.cu:2: k is left out: its argument 'rows' is of type float**: give it "
         "one array of all rows, as a[y * width + x]"},
        {"k(struct pair p, int *b)", "x.cu:2: k is left out: its argument 'p' is of type pair"},
        {"j(int *a) { } template <class T> struct vec { T x, y; };\n__global__ void k(vec<int> a)",
         "x.cu:3: k is left out: its argument 'a_x' is of type T: write a struct without a "
         "template in its place"},
        {"j(int *a) { } struct S { float m[N]; };\n__global__ void k(S s, int *b)",
         "x.cu:3: k is left out: its argument 's' is of type S: give a struct by value numbers and "
         "pointers alone"},
        {"k(int *)", "x.cu:2: k is left out: no note can name its argument ''"},
        {"k(float *bw)", "x.cu:2: k is left out: no note can name its argument 'bw'"},
        {"good(int *a)", "x.cu:2: good is left out where it stands again"},
        {"k(int *a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l,"
         "int m)",
         "x.cu:2: k is left out: there would be more than 12 params: move it to a file of its own"},
        {"k(int *b, int *c, int *d, int *e, int *f, int *g, int *h, int *i, int *j, int *k, int *l,"
         "int *m)",
         "x.cu:2: k is left out: there would be more than 12 arrays: move it to a file of its own"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *text = g_strdup_printf(GOOD "__global__ void %s { }\n", bad[i].head);
        assert_guess(text, bad[i].why);
    }
    assert_guess(GOOD "template <class... T> __global__ void k(int *a, T... b) { }\n",
                 "x.cu:2: k is left out: its head cannot be read");
    assert_guess(GOOD "template <class F> __global__ void k(int *a, F f) { *a = f(*a); }\n",
                 "x.cu:2: k is left out: its argument 'f' is a function: launch it with a struct "
                 "of the file "
                 "that has an operator(), as plus()");
    static const char none[] = "it has no notes, and no kernel that runs without: it has no "
                               "__global__ function";
    assert_none("", none);
    assert_none("int main() { }", none);
    assert_none("// __global__ void k(int *a) { }\nconst char *a = \"__global__ \";", none);
    assert_none(
        "__global__ void k(int *a);",
        "it has no notes, and no kernel that runs without: x.cu:1: its kernels have no bodies: "
        "open the file that has them");
    assert_none("#define KERNEL __global__ void\n#define BODY { *a = 1; }\nKERNEL k(int *a) BODY",
                "it has no notes, and no kernel that runs without: x.cu:1: a macro hides "
                "kernels: write __global__ out");
    assert_none(GOOD "/* and\nmore", "its comment in line 2 does not end");
    assert_none(GOOD "/*/", "its comment in line 2 does not end");
    assert_none("__global__ void k(table *a) { }",
                "it has no notes, and no kernel that runs without: x.cu:1: k is left out: its "
                "argument 'a' is of type table*");
}

TEST(many_and_hostile)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 20; i++)
        g_string_append_printf(text, "__global__ void k%d(int *a) { a[0] = %d; }\n", i, i);
    assert_guess(text->str, "x.cu:17: k16 and all behind it are left out: there are 16 before");
    g_string_assign(text, "__global__ void k(int *a, int n) {\n");
    for (int i = 0; i < 1 << 16; i++) g_string_append(text, "i = a[i[a[n < i]]]; if (i < n) (");
    g_string_append(text, "}\n");
    assert_guess(text->str, "n is a size");
    // Long expressions of names that others define were read once for each of their names.
    g_string_assign(text, "__global__ void k(float *a, int n) {\n");
    for (int i = 0; i < 1 << 14; i++) g_string_append(text, "a < n < n x = x ");
    g_string_append(text, "}\n");
    assert_guess(text->str, "k runs over 1 in blocks of 1x1");
    g_string_assign(text, "__global__ void k(int *a) { a[0] = 1; }\n");
    for (int i = 0; i < 257; i++) g_string_append_printf(text, "#define N%d %d\n", i, i + 1);
    assert_guess(text->str, "only the first 256 numbers with a name are looked at");
    g_string_assign(text, "__global__ void k(int *a) { a[0] = 1; }\n");
    for (int i = 0; i < 2000; i++) g_string_append_printf(text, "void f%d() { }\n", i);
    assert_none(text->str, "it has no notes, and no kernel that runs without: it has more than "
                           "2000 functions");
    // Launches and blocks that seem to begin over and over.
    static const char *const begun[] = {"dim3 block ", "block(", "k <<< ", "k<<<1>>>("};
    for (size_t n = 0; n < G_N_ELEMENTS(begun); n++) {
        g_string_assign(text, "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
                              "int main() { k<<<1, block>>>(a); dim3 ");
        for (int i = 0; i < 1 << 14; i++) g_string_append(text, begun[n]);
        assert_guess(text->str, "k runs over 256 in blocks of 256x1");
    }
    // Structs, types and uses of surfaces that seem to begin over and over.
    static const char *const opened[] = {"struct { ", "struct T { ", "typedef ",
                                         "unsigned char x ; ", "surf2Dwrite "};
    for (size_t n = 0; n < G_N_ELEMENTS(opened); n++) {
        g_string_assign(text, "__global__ void k0(int *a) { a[0] = 1; }\n");
        for (int i = 0; i < 12; i++)
            g_string_append_printf(text, "__global__ void k%d(T a, cudaSurfaceObject_t s) { }\n",
                                   i + 1);
        for (int i = 0; i < 1 << 14; i++) g_string_append(text, opened[n]);
        g_string_append(text, "T a s ; surf2D");
        assert_guess(text->str, "k0 runs over 1 in blocks of 1x1");
    }
    static const char *const odd[] = {
        "__global__ void k(int *a) { a[ }",
        "__global__ void k(int *a) { a[blockIdx.x * 9000000000000000000 * blockDim.x] = 1; }",
        "#define N 9e300\n__global__ void k(int *a) { a[blockIdx.x * N + threadIdx.x] = 1; }",
        "__global__ void k(int *a) { a = a; int *a = a; a[a[0]] }",
        "__global__ void k(int *a, int n) { int i = n, n = i; < n; a[i * n] = n < }",
        "__global__ void k(int *a) { *a } = [ a",
        "template <> __global__ void k(int *a) { a[0] = 1; }",
        "template < __global__ void k(int *a) { }",
        "__global__ k { }",
        "#define BLOCK_SIZE\n#define",
        "__global__ void __launch_bounds__() k(int *a) { }",
        "__global__ void k(int *a, ...) { }",
        "// \xe9\n__global__ void k(int *a) { a[0] = 1; }\nint main() { k<<<1, 2>>>(a); }",
        "const int block = ; enum { TILE = 0x10, block = -3 };\n__global__ void k(int *a) { a++; }",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(odd); i++) {
        g_autofree char *guesses = NULL, *notes = adopt_propose("x.cu", "", odd[i], &guesses, &err);
        if (notes) assert_non_null(strstr(notes, "//! variant"));
    }
}
