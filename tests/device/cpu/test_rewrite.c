// test_rewrite -- kernels that are written anew give the same bits as on fibers, and what is not
// understood says why.
//
//     test_rewrite [SECONDS [SEED]]     goes on with random kernels for so long (at least one file)
//
// Random kernels are made of what CUDA defines: all that threads exchange goes through barriers or
// shuffles, and numbers are unsigned.
#include "on_device.h"

#include <stdlib.h>

#include "base/image.h"
#include "device/cpu/rewrite.h"
#include "device/headers.h"
#include "folder.h"
#include "frame/frame.h"

static int seconds;
static unsigned first_seed = 1;

// ---- reasons ----

static void rewrite_text(struct rewritten *w, const char *text)
{
    OWNED(headers_finish) struct headers headers = {.list = NULL};
    must(headers_load(&headers, TILESCOPE_KERNELS, &err));
    g_autofree char *calls = calls_of(text);
    rewrite(w, text, calls, &headers);
}

#define LAB                                                                               \
    "//! lab \"Own\"\n//! param n 64 [1, 4096]  numbers\n//! array a in [n] noise 0, 9\n" \
    "//! array b out [n] shown 0, 9\n#include \"lab.h\"\n"

// A kernel's body, or in place of it the value of a function that the kernel calls: words that a
// kernel may not use, its functions may not, either.
TEST(what_is_not_understood_says_why)
{
    static const struct {
        const char *body, *value, *why;
    } rows[] = {
        {"if (threadIdx.x < 7) __syncthreads(); b[0] = a[0];", NULL,
         "a barrier where a condition depends on the thread"},
        {"for (int i = 0; i < threadIdx.x; i++) __syncthreads(); b[0] = a[0];", NULL,
         "a barrier in a loop whose bound depends on the thread"},
        {"for (int i = 0; i < n; i++) { __syncthreads(); if (a[i] > 3) break; } b[0] = a[0];", NULL,
         "break beside a barrier or a shuffle"},
        {"b[0] = a[0] > 3 ? __shfl_sync(~0u, 1, 0) : 0;", NULL,
         "a shuffle, a vote or a barrier that depends on a condition"},
        {"b[0] = __syncthreads_or(a[0]);", NULL, "it counts threads at a barrier"},
        {"extern int other; b[0] = a[0];", NULL,
         "a declaration of a type or of something else in its body"},
        {"goto end; end: b[0] = a[0];", NULL, "goto"},
        {"struct { int v; } own = {a[0]}; b[0] = own.v;", NULL,
         "a declaration of a type or of something else in its body"},
        {"auto [x, y] = int2{a[0], 3}; b[0] = x + y;", NULL, "a structured binding"},
        {"const int(*rows)[4] = (const int(*)[4])a; b[0] = rows[1][2];", NULL,
         "a pointer to an array or to a function"},
        {"enum { A = 3 } own = A; b[0] = own;", NULL,
         "an enum with a variable, or with a variable's name"},
        {"[[maybe_unused]] const int own = 3; b[0] = a[0];", NULL, NULL},
        {"auto f = [&](int i) { return a[i]; }; b[0] = f(0);", NULL, "a lambda"},
        {"b[0] = 1 + [](int i) { return i + threadIdx.x; }(a[0]);", NULL, "a lambda"},
        {NULL, "[x] { return x + (int)threadIdx.x; }()",
         "a lambda in a function that uses threadIdx"},
        {NULL, "x; const int gridDim = 3; return x + gridDim",
         "a function with a variable named blockDim or gridDim"},
        {NULL, "[x] { return x + 1; }()", NULL},
        {NULL, "__syncthreads_or(x)", "it counts threads at a barrier"},
        {NULL, "(int)__reduce_add_sync(~0u, (unsigned)x)", "a warp's reduction in one word"},
        {NULL, "(int)__match_any_sync(~0u, x)", "__match_any_sync"},
        {NULL, "(int)__activemask()", "it asks which lanes are there"},
        {NULL, "x + 1", NULL},
    };
    OWNED(rewritten_finish) struct rewritten named;
    rewrite_text(&named, "//! lab \"Own\"\n//! param gridDim 64 [1, 4096]  numbers\n"
                         "//! array b out [gridDim] shown 0, 9\n#include \"lab.h\"\n"
                         "//! variant naive 32x1\n__global__ void own(int *b, int gridDim)\n"
                         "{\n    b[0] = gridDim;\n}\n");
    assert_non_null(*named.kept);
    assert_string_equal(named.kept[1], "an argument named blockDim or gridDim");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        const char *const value = rows[i].value, *const why = rows[i].why;
        g_autofree char *text = g_strconcat(
            LAB "static __device__ int own_value(int x) { return ", value ? value : "x",
            "; }\n//! variant naive 32x1\n__global__ void own(int *b, const int *a, int n)\n{\n   "
            " ",
            value ? "b[threadIdx.x] = own_value(a[threadIdx.x]);" : rows[i].body, "\n}\n", NULL);
        rewrite_text(&w, text);
        if (!*w.names != !!why) fail_msg("%s", text);
        if (why) assert_string_equal(w.kept[0], "own");
        if (why) assert_string_equal(w.kept[1], why);
        if (why) assert_null(strstr(w.calls, "emulator_fast_own"));
    }
}

// Warps are whole in some blocks only: the others stay on fibers.
TEST(kernels_of_warps_say_where)
{
    static const char *const rows[][2] = {
        {"b[threadIdx.x] = __shfl_xor_sync(~0u, a[threadIdx.y], 1);",
         "where a block's width is no multiple of 32: its lanes wait"},
        {"b[thread_rank()] = __any_sync(~0u, a[thread_rank()]);",
         "where a block's width times height is no multiple of 32: its lanes wait"},
        {"b[threadIdx.x] = a[threadIdx.y];", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strconcat(
            LAB "//! variant naive 32x1\n__global__ void own(int *b, const int *a, int n)\n{\n",
            rows[i][0], "\n}\n", NULL);
        rewrite_text(&w, text);
        assert_string_equal(*w.names, "own");
        if (*w.where || rows[i][1]) assert_string_equal(w.where[1], rows[i][1]);
    }
}

// What is written in its own way, or means something else where the written text stands.
TEST(odd_texts_say_why)
{
    static const char condition[] = "a shuffle, a vote or a barrier that depends on a condition",
                      number[] = "an operator that may change a number",
                      word[] = "an operator that is a word",
                      barrier[] = "a barrier within an expression",
                      statement[] = "a statement within an expression",
                      struct_why[] = "a struct with a destructor or an assignment of its own",
                      below[] = "a name that means something else below the kernel",
                      reference[] = "a function that waits and takes a reference";
    static const struct {
        const char *before, *body, *below, *why;
    } rows[] = {
        {"", "int v = 255; v and_eq t; b[t] = v;", "", word},
        {"", "const int j = t + 1 bitand 7; b[t] = j;", "", word},
        {"", "int v = 3, x = (v = t, __shfl_sync(~0u, v, 5)); b[t] = x;", "", condition},
        {"", "s[t] = t * 3, __syncwarp(), b[t] = s[t ^ 1];", "", condition},
        {"", "s[t] = t * 3, __syncthreads(), b[t] = s[t ^ 1];", "", barrier},
        {"", "s[t] = t * 3; (void)__syncthreads(); b[t] = s[t ^ 1];", "", barrier},
        {"#define REPEAT(k, n) for (int k = 0; k < n; k++)",
         "int v = t; REPEAT(k, 5) v += __shfl_xor_sync(~0u, v, 1 << k); b[t] = v;", "", condition},
        {"#define REPEAT(k, n) FOR(k, n)\n#define FOR(k, n) for (int k = 0; k < n; k++)",
         "int v = t; REPEAT(k, 5) v += __shfl_xor_sync(~0u, v, 1 << k); b[t] = v;", "", condition},
        {"#define MOST(x, y) ((x) > (y) ? (x) : (y))",
         "b[t] = MOST(t, __shfl_xor_sync(~0u, t, 1));", "", condition},
        {"#define REPEAT(k, n) for (int k = 0; k < n; k++)",
         "REPEAT(k, 5) { s[t] = k; __syncthreads(); b[t] = s[t ^ 1]; } b[0] = 1;", "", statement},
        {"", "int v = t; _Pragma(\"unroll\") for (int k = 1; k < 5; k++) v *= k; b[t] = v;", "",
         statement},
        {"", "int v<:2:> = {t, 3}; b[t] = v<:1:>;", "", "two marks for one bracket"},
        {"typedef int row[4];", "row r = {1, 2, 3, 4}; int *p = r; p[2] = t; b[t] = r[2];", "",
         "an array's type that has a name"},
        {"using row = int[4];", "row r = {1, 2, 3, 4}; int *p = r; p[2] = t; b[t] = r[2];", "",
         "an array's type that has a name"},
        {"struct guard { int *p; __device__ ~guard() { *p += 1; } };",
         "{ guard g = {s + t}; __syncthreads(); } b[t] = s[t];", "", struct_why},
        {"struct own { int v; __device__ own &operator=(const own &o) { v = o.v + 1; return *this; "
         "} };",
         "own o = {t}; __syncthreads(); b[t] = o.v;", "", struct_why},
        {"struct own { int k; };\n"
         "static __device__ void operator>>(const own &o, int &v) { v += o.k; }",
         "own o = {t}; int v = 1; o >> v; b[t] = v;", "", number},
        {"static __device__ void operator+=(int2 &o, int2 &v) { o.x += v.x++; }",
         "int2 o = {t, 1}, v = {2, 3}; o += v; b[t] = o.x + v.x;", "", number},
        {"static __device__ bool operator<=(int2 &o, int v) { return ++o.x > v; }",
         "int2 o = {t, 1}; o <= 3; b[t] = o.x;", "", number},
        {"static __device__ int f(const unsigned char &x) { __syncthreads(); return x; }",
         "int v = t * 9; b[t] = f(v);", "", reference},
        {"static __device__ int f(const float &x) { __syncthreads(); return (int)(x / 2 * 10); }",
         "b[t] = f(n);", "", reference},
        {"static __device__ int f(int x) { constexpr int N = 300; __shared__ int c[N]; c[t_of()] = "
         "x; __syncthreads(); return c[0]; }",
         "b[t] = f(1) + f(2);", "",
         "a function that is called twice, with shared memory of its own size"},
        {"", "const int x = t, x_0 = n * 3; s[x] = 1; b[x] = s[x] + x_0;", "",
         "a variable with the name of one that would be added"},
        {"static constexpr int n_own = 3;", "n--; b[t] = n + n_own;", "",
         "a variable with the name of one that would be added"},
        {"static constexpr int a = 3;\n"
         "static __device__ int wait(int x) { __syncthreads(); return x * a; }",
         "b[t] = wait(t);", "", "an argument with the name of something else"},
        {"#define SIZE 2", "b[t] = SIZE * t;", "#undef SIZE\n#define SIZE 5", below},
        {"", "const int size = 3; b[t] = size;", "#define size 5 + 0 *", below},
        {"static __device__ int kind(long x) { return x * 3; }", "b[t] = kind(t);",
         "static __device__ int kind(int x) { return x * 7; }", below},
        {"static __device__ int kind(long x) { return x * 3; }\n"
         "static __device__ int g() { return kind(3) + threadIdx.x; }\n"
         "static __device__ int kind(int x) { return x * 7; }",
         "b[t] = g();", "", "a name that means something else below a function"},
        {"", "int v = t; __syncthreads(); decltype(v) w = v; w += 3; b[t] = v * 10 + w;", "",
         "decltype"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strconcat(
            LAB "static __device__ int t_of() { return threadIdx.x; }\n", rows[i].before,
            "\n//! variant naive 32x1\n__global__ void k(int *b, const int *a, int n)\n{\n"
            "    __shared__ int s[1024];\n    const int t = threadIdx.x;\n    ",
            rows[i].body, "\n}\n", rows[i].below, "\n", NULL);
        rewrite_text(&w, text);
        if (!*w.kept) fail_msg("%s", text);
        assert_string_equal(w.kept[1], rows[i].why);
    }
}

// What a file has besides functions may use threadIdx unseen.
TEST(a_file_whose_threads_are_told_apart_elsewhere_stays)
{
    static const char struct_why[] = "a struct whose functions use threadIdx or wait",
                      file_why[] = "a union or a lambda of the file that uses threadIdx",
                      comma_why[] = "an operator, (comma)";
    static const char *const rows[][3] = {
        {"struct at { int v = threadIdx.x; };", "at own; b[0] = own.v;", struct_why},
        {"__device__ int x() { return threadIdx.x; }\n"
         "struct at { __device__ int of() const { return x(); } };",
         "at own; b[0] = own.of();", struct_why},
        {"union at { int v; __device__ at() : v(threadIdx.x) {} };", "at own; b[0] = own.v;",
         file_why},
        {"static const auto at = [] __device__ () { return threadIdx.x; };", "b[0] = at();",
         file_why},
        {"struct at { int v; __device__ at operator,(int x) const { return {v * 10 + x}; } };",
         "at own = {a[0]}; at both = (own, a[1]); b[0] = both.v;", comma_why},
        {"struct at { int v; };\n"
         "__device__ at operator , (at own, int x) { return {own.v * 10 + x}; }",
         "at own = {a[0]}; at both = (own, a[1]); b[0] = both.v;", comma_why},
        {"#define AT(name) name##Idx.x", "b[0] = AT(thread);", "a macro that joins words"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strconcat(
            LAB, rows[i][0],
            "\n//! variant naive 32x1\n__global__ void own(int *b, const int *a, int n)\n{\n    ",
            rows[i][1], "\n}\n", NULL);
        rewrite_text(&w, text);
        if (!*w.kept) fail_msg("%s", text);
        assert_string_equal(w.kept[1], rows[i][2]);
    }
}

// Blocks side by side run as one if a kernel knows of a thread's column only where it is in the
// grid, and a block's rows if it knows of a thread only its number in the block.
TEST(blocks_and_rows_that_run_as_one)
{
    static const struct {
        const char *body;
        enum { NONE, BLOCKS, ROWS } as_one;
    } rows[] = {
        {"const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i];", BLOCKS},
        {"int i = threadIdx.x + blockDim.x * blockIdx.x; if (i < n) b[i] = a[blockIdx.y];", BLOCKS},
        {"int i = (int)(blockIdx.x * blockDim.x) + threadIdx.x; if (i < n) b[i] = a[i];", BLOCKS},
        {"int i = (char)(blockIdx.x * blockDim.x) + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"int i = 0.5f + blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"int i = (blockIdx.x * blockDim.x) + threadIdx.x; if (i < n) b[i] = a[threadIdx.y];",
         BLOCKS},
        {"long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = own(a[i]);",
         BLOCKS},
        {"int i = own_column(); if (i < n) b[i] = a[i];", BLOCKS},
        {"int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); if (i < n) b[i] = a[i];", BLOCKS},
        {"int i = 4 * blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"int i = n - blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x * 4; if (i < n) b[i] = a[i];", NONE},
        {"int i = own(blockIdx.x * blockDim.x) + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"int i = own(blockIdx.x * blockDim.x + threadIdx.x); if (i < n) b[i] = a[i];", BLOCKS},
        {"int i = (char)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = blockIdx.x;", NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[n - 1 - i] = a[i * n];",
         BLOCKS},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 2) b[i * n - i] = a[i];", NONE},
        {"int i = blockIdx.x * 32 + threadIdx.x; if (i < n) b[i] = a[i];", NONE},
        {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
         "b[i] = a[i];",
         NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = thread_rank();", NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(b, a[i]);", NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; own_shared[threadIdx.y] = i; "
         "if (i < n) b[i] = own_shared[threadIdx.y];",
         NONE},
        {"__shared__ int s[32]; int i = blockIdx.x * blockDim.x + threadIdx.x; "
         "s[threadIdx.y] = i; if (i < n) b[i] = s[threadIdx.y];",
         NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; __syncthreads(); if (i < n) b[i] = 1;",
         NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x; "
         "int v = __shfl_xor_sync(~0u, i, 1); if (i < n) b[i] = v;",
         NONE},
        {"int i = blockIdx.x * num_threads() + thread_rank(); __syncthreads(); if (i < n) b[i] = "
         "1;",
         ROWS},
        {"int t = (blockDim.x * threadIdx.y) + threadIdx.x; "
         "for (int i = t; i < n; i += blockDim.x * blockDim.y) atomicAdd(b + i, 1);",
         ROWS},
        {"int i = thread_rank() + threadIdx.z * num_threads(); if (i < n) b[i] = blockDim.z;",
         ROWS},
        {"int i = blockIdx.x * num_threads() + thread_rank(); if (i < n) b[i] = threadIdx.y;",
         NONE},
        {"int i = blockIdx.x * num_threads() + thread_rank(); if (i < n) b[i] = blockDim.x;", NONE},
        {"int i = n / blockDim.x * blockDim.y + thread_rank(); if (i < n) b[i] = 1;", NONE},
        {"int i = 3 * threadIdx.y * blockDim.x + threadIdx.x; if (i < n) b[i] = 1;", NONE},
        {"int i = own_column() + thread_rank(); if (i < n) b[i] = 1;", NONE},
        {"int i = TWICE(blockIdx.x * blockDim.x + threadIdx.x); if (i < n) b[i] = 1;", NONE},
        {"int i = TWICE((blockIdx.x * blockDim.x + threadIdx.x)); if (i < n) b[i] = 1;", BLOCKS},
        {"int i = TWICE(thread_rank() + threadIdx.y * blockDim.x + threadIdx.x); b[i] = 1;", NONE},
        {"int i = TWICE(threadIdx.y * blockDim.x + threadIdx.x); b[i % n] = 1;", NONE},
        {"int i = LATER; if (i < n) b[i] = 1;", NONE},
        {"int i = blockIdx.x * blockDim.x + threadIdx.x MORE; if (i < n) b[i] = 1;", NONE},
        {"int i = (char unsigned)blockIdx.x * blockDim.x + threadIdx.x; b[i % n] = 1;", NONE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strconcat(
            LAB "extern __shared__ int own_shared[];\n"
                "#define LATER TWICE(blockIdx.x * blockDim.x + threadIdx.x)\n"
                "#define TWICE(x) (2 * x)\n#define MORE * 2\n"
                "static __device__ int own(int x) { return x; }\n"
                "static __device__ int own_column() "
                "{ return blockIdx.x * blockDim.x + threadIdx.x; }\n"
                "//! variant naive 32x1\n__global__ void k(int *b, const int *a, int n)\n{\n",
            rows[i].body, "\n}\n", NULL);
        rewrite_text(&w, text);
        assert_non_null(*w.names);
        const bool are_blocks = strstr(w.text, "emulator_all(emulator_turn.most)"),
                   are_rows = strstr(w.text, "emulator_all(1, true)");
        if (are_blocks != (rows[i].as_one == BLOCKS) || are_rows != (rows[i].as_one == ROWS))
            fail_msg("%s", rows[i].body);
    }
}

// ---- one file on both engines ----

// The bytes of the result, for g_free.
static unsigned char *run(struct frame frame, struct planes in, size_t *bytes)
{
    const struct filter *const f = frame.choice.filter;
    const int result = in.pixels ? ARRAYS_OUT : arrays_find(f, "b");
    struct frame_memory memory = {.arrays = NULL};
    must(frame_plan(&frame, in, &err));
    must(backend_alloc(frame.backend, frame.arrays.bytes, &memory.arrays, &err));
    must(frame_fill(&frame, &memory, &err) && frame_poison(&frame, &memory, &err));
    if (in.pixels)
        must(backend_upload(frame.backend, frame_planes(&frame, &memory, ARRAYS_IN), in, &err));
    if (!frame_run(&frame, &memory, &err) || !backend_wait(frame.backend, &err))
        fail_msg("%s: %s", frame.choice.variant->name, err.text);
    *bytes = frame.arrays.places[result].bytes;
    unsigned char *const all = g_malloc(*bytes);
    must(backend_read(frame.backend, all, frame_array(&frame, &memory, result), *bytes, &err));
    backend_free(frame.backend, memory.arrays);
    return all;
}

// Of a lab with arrays a and b of n elements, in several shapes, or of a filter with that picture.
// On fibers it runs the object without fast kernels, whose text is as it was written: the fast one
// divides in another way, in both of its kinds of kernels.
static void compare_engines(const char *source, struct planes in, bool has_rows, int lanes)
{
    static const int shapes[][2] = {{32, 1}, {96, 1}, {256, 1}, {40, 1}, {8, 1},  {16, 1},
                                    {8, 8},  {16, 4}, {12, 3},  {20, 3}, {24, 2}, {48, 2}},
                     sizes[] = {1, 31, 257, 1000};
    const size_t count = has_rows ? G_N_ELEMENTS(shapes) : 6;
    OWNED(filter_finish) struct filter f = {.calls = NULL};
    struct backend *const b = open_device("cpu");
    must(filter_parse(&f, "random.cu", source, NULL, &err));
    struct module *const module =
        frame_build(b, &f, (struct build){.is_fast = true, .lanes = lanes}, &err);
    struct module *const plain = frame_build(b, &f, (struct build){.params = NULL}, &err);
    if (!module || !plain || !backend_is_fast(module)) fail_msg("%s\n%s", err.text, source);
    for (int v = 0; v < f.variant_count; v++)
        for (size_t k = 0; k < (in.pixels ? 4 : count * G_N_ELEMENTS(sizes)); k++) {
            struct frame frame = {.backend = b, .module = module};
            struct settings *const settings = &frame.choice.settings;
            frame.choice = (struct choice){&f, &f.variants[v], {.params = filter_defaults(&f)}};
            if (!in.pixels) {
                settings->params.v[filter_param(&f, "n")] = sizes[k / count];
                settings->block_width = shapes[k % count][0];
                settings->block_height = shapes[k % count][1];
            } else if (k > 0) {
                settings->block_width = 4 + 4 * (int)(k * k);
                settings->block_height = 8;
            }
            size_t bytes;
            g_autofree unsigned char *fast = run(frame, in, &bytes);
            frame.is_strict = true;
            frame.module = plain;
            g_autofree unsigned char *strict = run(frame, in, &bytes);
            for (size_t i = 0; i < bytes; i++)
                if (strict[i] != fast[i])
                    fail_msg("%s with blocks of %dx%d and n = %d: byte %zu is %u, on fibers %u\n%s",
                             f.variants[v].name, settings->block_width, settings->block_height,
                             sizes[k / count], i, fast[i], strict[i], source);
        }
    backend_unload(b, module);
    backend_unload(b, plain);
    backend_close(b);
}

// In a body and outside of all, of words and of bytes; n is hidden by the kernels' argument. Names
// of one kernel are none of another's.
TEST(dynamic_shared_memory_has_any_name)
{
    // What declares the memory, what writes to it, and what is read behind a barrier.
    static const char *const kernels[][3] = {
        {"extern __shared__ int sums[];",
         "sums[t] = own; __syncthreads();\n"
         "    for (int w = blockDim.x / 2; w > 0; w /= 2) {\n"
         "        if (t < w) sums[t] += sums[t + w];\n        __syncthreads();\n    }",
         "sums[0]"},
        {"extern __shared__ __align__(16) unsigned char tile[]; int *const words = (int *)tile;",
         "words[t] = own; __syncthreads();", "words[blockDim.x - 1 - t]"},
        {"extern __shared__ int rows[][16];", "rows[t / 16][t % 16] = own; __syncthreads();",
         "t % 16 < 8 ? rows[t / 16][7 - t % 16] : 1"},
        {"", "outside[t] = own; __syncthreads();", "outside[t ^ 3]"},
    };
    // A second time, as each kernel of a file that was put together may bring it along.
    GString *const text = g_string_new(LAB "extern \"C\" {\nextern __shared__ int outside[];\n}\n"
                                           "namespace other { extern __shared__ int inside[]; }\n"
                                           "extern __shared__ int n[];\n"
                                           "extern __shared__ int outside[];\n");
    for (int i = 0; i < (int)G_N_ELEMENTS(kernels); i++)
        g_string_append_printf(
            text,
            "//! variant v%d 32x1 shared=4*(bw+16)\n"
            "__global__ void v%d(int *b, const int *a, int n)\n{\n    %s\n"
            "    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
            "    const int own = i < n ? a[i] : 0;\n    %s\n    if (i < n) b[i] = %s;\n}\n",
            i, i, kernels[i][0], kernels[i][1], kernels[i][2]);
    compare_engines(text->str, (struct planes){.pixels = NULL}, false, 0);
    g_string_free(text, TRUE);
}

// A macro of the thread's place is no number that a strip's threads have in common.
TEST(macros_of_the_place)
{
    compare_engines(LAB "#define TX threadIdx.x\n#define AT (blockIdx.x * blockDim.x + TX)\n"
                        "//! variant places 32x1\n"
                        "__global__ void places(int *b, const int *a, int n)\n{\n"
                        "    const int i = blockIdx.x * blockDim.x + TX, j = 3 * AT + TX;\n"
                        "    if (i < n) b[i] = a[i] + j;\n}\n",
                    (struct planes){.pixels = NULL}, false, 0);
}

// Strips, and the functions that a kernel calls, go on reading the block's own.
TEST(variables_named_as_the_place)
{
    static const char *const bodies[] = {
        ("    if (n > 0) {\n        const int blockDim = 3;\n        s[t] = own;\n"
         "        __syncthreads();\n        if (i < n) b[i] = s[t ^ 1] + blockDim;\n"
         "    }\n"),
        "    const int gridDim = 3;\n    if (i < n) b[i] = place(own) + gridDim;\n",
        ("    for (int blockDim = 0; blockDim < 3; blockDim++)\n"
         "        if (i < n) b[i] = place(own) + blockDim;\n"),
        "    const int sum = wait(own, 5);\n    if (i < n) b[i] = sum;\n"};
    g_autoptr(GString) text =
        g_string_new(LAB "static __device__ int place(int x)\n{\n"
                         "    return x + 10 * gridDim.x + 1000 * blockDim.x + threadIdx.x;\n}\n"
                         "static __device__ int wait(int x, int gridDim)\n{\n    __syncthreads();\n"
                         "    return x + gridDim + place(x);\n}\n");
    for (int i = 0; i < (int)G_N_ELEMENTS(bodies); i++)
        g_string_append_printf(
            text,
            "//! variant k%d 32x1\n__global__ void k%d(int *b, const int *a, int n)\n{\n"
            "    __shared__ int s[1024];\n    const int t = threadIdx.x;\n"
            "    const int i = blockIdx.x * blockDim.x + t, own = i < n ? a[i] : 0;\n"
            "    s[t] = 0;\n%s}\n",
            i, i, bodies[i]);
    compare_engines(text->str, (struct planes){.pixels = NULL}, false, 0);
}

// What is computed from one keeps its value when the variable gets another. One block runs, since
// all blocks share them.
TEST(variables_of_the_file_change)
{
    static const char *const values[] = {"t + c",          "t + kept.c",
                                         "t + later()",    "t + table",
                                         "t + of_class.x", "t + sum_of(way_of(1).most)"};
    g_autoptr(GString) text = g_string_new(
        LAB "struct pair { int c, d; };\nstruct way { int own, most; };\n"
            "static __device__ int list[4], c, more = 1;\n"
            "__device__ pair kept;\nnamespace own { __device__ int table; }\n"
            "using own::table;\ntemplate <class A, class B> struct two { A x; B y; };\n"
            "__device__ two<int, float> of_class;\n"
            "static __device__ int later() { return more; }\n"
            "static __device__ int sum_of(int x) { return x; }\n"
            "static __device__ way way_of(int x)\n{\n    const int most = c + x;\n"
            "    const way w = {x, most};\n    return w;\n}\n"
            "static __device__ void set(int x)\n"
            "{ c = kept.c = more = table = of_class.x = x; list[0] = x; }\n");
    for (int i = 0; i < (int)G_N_ELEMENTS(values); i++)
        g_string_append_printf(
            text,
            "//! variant v%d 32x1 domain=1\n__global__ void v%d(int *b, const int *a, int n)\n{\n"
            "    const int t = threadIdx.x, most = blockDim.x;\n    if (t == 0) set(3);\n"
            "    __syncthreads();\n    const int w = %s;\n    __syncthreads();\n"
            "    if (t == 0) set(5);\n    __syncthreads();\n"
            "    for (int i = t; i < n; i += most) b[i] = w;\n}\n",
            i, i, values[i]);
    compare_engines(text->str, (struct planes){.pixels = NULL}, false, 0);
}

// Only members of which a function's text shows that all threads have the same may bound a loop
// with a barrier. Members of other arguments, and of other functions, may not.
TEST(members_that_all_threads_share)
{
    static const char list[] =
        "const int most = blockDim.x % 7;\n    const int own = (int)threadIdx.x * step;\n"
        "    const struct way w = {own, most, min(most + step, 9)};\n    return w;";
    static const struct {
        const char *body, *use;
        bool is_fast;
    } rows[] = {
        {list, "make(n % 3); for (int k = w.first; k < w.end; k++)", true},
        {list, "make(a[0]); for (int k = w.first; k < w.end; k++)", false},
        {list, "make(n++); for (int k = w.first; k < w.end; k++)", false},
        {list, "make(threadIdx.x); for (int k = w.first; k < w.end; k++)", false},
        {list, "make(n % 3); for (int k = w.first; k < w.x; k++)", false},
        {"const struct way w = {step, (int)threadIdx.x, 3}; return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
        {"const struct way w = {.x = (int)threadIdx.x, .end = 5}; return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
        {"const struct way w = {(int)threadIdx.x, 1, 3}; if (step) return {1, 2, 3}; return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
        {"const int end = threadIdx.x; { const int end = 3; } const struct way w = {1, 2, end};"
         " return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
        {"const int own = (step += threadIdx.x, 3); const struct way w = {own, 1, step};"
         " return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
        {"const int own = threadIdx.x; const struct way w = {own, 1, OWN}; return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
        {"struct way w = {(int)threadIdx.x, 1, 3}; w.end = threadIdx.x; return w;",
         "make(1); for (int k = w.first; k < w.end; k++)", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strdup_printf(
            LAB "#define OWN own\nstruct way {\n    int x, first;\n    int end;\n};\n"
                "static __device__ struct way make(int step)\n{\n    %s\n}\n"
                "//! variant naive 32x1\n__global__ void own(int *b, const int *a, int n)\n{\n"
                "    __shared__ int s[1024];\n    const int t = threadIdx.x;\n"
                "    const int i = blockIdx.x * blockDim.x + t;\n    int sum = 0;\n"
                "    const struct way w = %s {\n        s[t] = w.x + k + sum;\n"
                "        __syncthreads();\n        sum += s[blockDim.x - 1 - t] ^ w.end;\n"
                "        __syncthreads();\n    }\n    if (i < n) b[i] = sum + w.first;\n}\n",
            rows[i].body, rows[i].use);
        rewrite_text(&w, text);
        if (!*w.names == rows[i].is_fast) fail_msg("%s", text);
        if (rows[i].is_fast) compare_engines(text, (struct planes){.pixels = NULL}, false, 0);
    }
}

// What only NVIDIA's compiler reads keeps no kernel on fibers.
TEST(words_for_nvcc)
{
    static const char source[] = LAB "static __device__ int twice(int x)\n{\n    int y = 2 * x;\n"
                                     "#ifdef __CUDACC__\n"
                                     "    asm(\"shl.b32 %0, %1, 1;\" : \"=r\"(y) : \"r\"(x));\n"
                                     "#endif\n    return y;\n}\n"
                                     "//! variant naive 32x1\n"
                                     "__global__ void k(int *b, const int *a, int n)\n{\n"
                                     "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800\n"
                                     "    asm(\"bar.sync 0;\");\n#else\n    __syncthreads();\n"
                                     "#endif\n    if (i < n) b[i] = twice(a[i]);\n}\n";
    OWNED(rewritten_finish) struct rewritten w;
    rewrite_text(&w, source);
    assert_null(*w.kept);
    compare_engines(source, (struct planes){.pixels = NULL}, false, 0);
    g_autofree char *other = g_strconcat("#define __CUDACC__\n", source, NULL);
    OWNED(rewritten_finish) struct rewritten defined;
    rewrite_text(&defined, other);
    assert_string_equal(defined.kept[1], "it defines __CUDACC__");
}

// A fast object finds whole quotients by way of doubles: a multiple of the divisor, and one less,
// are the hardest for it.
TEST(quotients_are_exact)
{
    OWNED(filter_finish) struct filter f = {.calls = NULL};
    must(filter_parse(&f, "own.cu",
                      LAB "//! variant naive 64x1\n"
                          "__global__ void k(int *b, const int *a, int n)\n{\n"
                          "    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i >= n) return;\n"
                          "    const unsigned d = max(1u, i * 2654435761u >> i % 32u);\n"
                          "    const unsigned x = 0xffffffffu - 0xffffffffu % d - i % 2u;\n"
                          "    const int e = max(2, (int)d / 2) * (i % 3u ? 1 : -1), y = (int)x;\n"
                          "    b[i] = x / d ^ (y / e) * 31;\n}\n",
                      NULL, &err));
    struct backend *const b = open_device("cpu");
    struct frame frame = {.backend = b,
                          .module = frame_build(b, &f, (struct build){.is_fast = true}, &err),
                          .choice = {&f, &f.variants[0], {.params = filter_defaults(&f)}}};
    must(frame.module && backend_is_fast(frame.module));
    frame.choice.settings.params.v[filter_param(&f, "n")] = 4096;
    frame.choice.settings.block_width = 64;
    frame.choice.settings.block_height = 1;
    size_t bytes;
    g_autofree unsigned char *all = run(frame, (struct planes){.pixels = NULL}, &bytes);
    for (unsigned i = 0; i < 4096; i++) {
        const unsigned d = MAX(1u, i * 2654435761u >> i % 32u);
        const unsigned x = 0xffffffffu - 0xffffffffu % d - i % 2u;
        const int e = MAX(2, (int)d / 2) * (i % 3u ? 1 : -1), y = (int)x;
        const unsigned is = ((unsigned *)(void *)all)[i];
        assert_int_equal(is, x / d ^ (unsigned)(y / e) * 31u);
    }
    backend_unload(b, (struct module *)frame.module);
    backend_close(b);
}

// A loop whose index a function gives goes around the threads, as one of neighbours does.
TEST(functions_that_give_an_index)
{
    static const char source[] =
        LAB "static __device__ int place(int k, int turn) { return k ^ (k / 8 + turn) % 8; }\n"
            "//! variant naive 32x1\n__global__ void k(int *b, const int *a, int n)\n{\n"
            "    __shared__ int s[1024];\n    const int t = threadIdx.x;\n"
            "    for (int k = t; k < 1024; k += blockDim.x) s[place(k, 3)] = k < n ? a[k] : k;\n"
            "    __syncthreads();\n    const int i = blockIdx.x * blockDim.x + t;\n"
            "    for (int k = t; k < n; k += blockDim.x) b[k] = s[place(k, 5) % 1024];\n}\n";
    OWNED(rewritten_finish) struct rewritten w;
    rewrite_text(&w, source);
    assert_non_null(strstr(w.text, "const int k = k_0 + 1 * (int)emulator_lane;"));
    compare_engines(source, (struct planes){.pixels = NULL}, false, 0);
}

// What a macro's own words change, or name, is found only where it is a parameter of the macro.
// Threads of two layers of a block meet, in a grid of two layers of blocks.
TEST(layers_of_blocks)
{
    compare_engines(
        LAB "//! variant layers 32x1x2 domain=(n + 3) / 4, 1, 4\n"
            "__global__ void layers(int *b, const int *a, int n)\n{\n"
            "    __shared__ int words[2][256];\n"
            "    const int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
            "    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + z;\n"
            "    words[threadIdx.z][threadIdx.x] = i < n ? a[i] * gridDim.z : 0;\n"
            "    __syncthreads();\n"
            "    if (i < n) b[i] = words[1 - threadIdx.z][threadIdx.x] + 1000 * blockDim.z + z;\n"
            "}\n",
        (struct planes){.pixels = NULL}, false, 0);
}

// ---- what the rewriter must see ----

// What stands before a kernel and in it, with @ for a number of its own, and short names.
struct own_kernel {
    const char *before, *body, *domain;  // domain: NULL for a thread a number
};

static void compare_kernels(const struct own_kernel *rows, size_t all)
{
    enum { MOST = 16 };  // of a file's variants
    const size_t count = MIN(all, MOST);
    GString *const text = g_string_new(LAB);
    for (size_t i = 0; i < count; i++) {
        g_autoptr(GString) one = g_string_new(NULL);
        g_string_append_printf(
            one,
            "%s\n//! variant v@ 32x1%s\n__global__ void kernel@(int *b, const int *a, int n)\n{\n"
            "    __shared__ int m[1024];\n    const int t = threadIdx.x;\n"
            "    const int i = blockIdx.x * blockDim.x + t;\n    int sum = 0;\n    %s\n"
            "    if (i < n) b[i] = sum;\n}\n",
            rows[i].before, rows[i].domain ? rows[i].domain : "", rows[i].body);
        g_autofree char *number = g_strdup_printf("%zu", i);
        g_string_replace(one, "@", number, 0);
        g_string_replace(one, "SYNC;", "__syncthreads();", 0);
        g_string_replace(one, "DEVICE", "static __device__", 0);
        g_string_append(text, one->str);
    }
    OWNED(rewritten_finish) struct rewritten w;
    rewrite_text(&w, text->str);
    for (char **kept = w.kept; *kept; kept += 2)
        fail_msg("%s: %s\n%s", kept[0], kept[1], text->str);
    compare_engines(text->str, (struct planes){.pixels = NULL}, false, 0);
    g_string_free(text, TRUE);
    if (all > count) compare_kernels(rows + count, all - count);
}

TEST(macros_that_name_variables)
{
    static const char why[] = "a macro that names a variable of the kernel",
                      head[] = "//! variant naive 32x1\n"
                               "__global__ void k(int *b, const int *a, int n)\n{\n"
                               "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    int sum = 0, r[2] = {1, 2};\n";
    static const struct {
        const char *macro, *body;
    } rows[] = {
        {"ADD(x) sum += (x)", "for (int k = 0; k < n % 5; k++) ADD(a[(i + k) % n]);"},
        {"ADD(x) PLUS(x)\n#define PLUS(x) sum += (x)", "ADD(a[i % n]);"},
        {"MORE sum++", "for (int k = 0; k < n % 5; k++) MORE;"},
        {"SUM sum", "for (int k = 0; k < n % 5; k++) SUM += a[(i + k) % n];"},
        {"R(k) r[k]", "for (int k = 0; k < n % 2; k++) R(k) += a[i % n]; sum = r[0];"},
        {"AT(k) a[(i + (k)) % n]", "sum = AT(1);"},
        {"LESS n--", "LESS; sum = n;"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strconcat(LAB "#define ", rows[i].macro, "\n", head, rows[i].body,
                                            "\n    if (i < n) b[i] = sum;\n}\n", NULL);
        rewrite_text(&w, text);
        if (*w.names) fail_msg("%s", rows[i].macro);
        assert_string_equal(w.kept[1], why);
    }
    static const struct own_kernel others[] = {
        {"#define INC@(x) x++", "for (int k = 0; k < n % 5; k++) INC@(sum);"},
        {"#define INC@(x) PLUS@(x)\n#define PLUS@(x) (--(x))",
         "for (int k = 0; k < n % 5; k++) INC@(sum);"},
        {"#define IN@(k) ((k) >= 0 && (k) < n)",
         "for (int k = -3; k < 3; k++) if (IN@(i + k)) sum += k;"},
        {"#define SAME@(x) (x)", "int u = 0; for (int k = 0; k < n % 5; k++) { SAME@(u)++; sum += "
                                 "u * i; } SAME@(u) = i; sum += u;"},
        {"#define TWICE@ (width * 2)",
         "int width = n % 5; for (int k = 0; k < TWICE@; k++) sum += k * i;"},
    };
    compare_kernels(others, G_N_ELEMENTS(others));
}

TEST(functions_of_a_struct_change_it)
{
    static const char types[] =
        "struct part@ {\n    int v;\n    __device__ void add(int x) { v += x; }\n"
        "    __device__ part@ &operator<<(int x) { v += x + 1; return *this; }\n};\n"
        "struct whole@ {\n    int v;\n    part@ parts[2];\n"
        "    __device__ void add(int x) { v += x; }\n"
        "    __device__ whole@ &operator<<(int x) { v += x + 1; return *this; }\n};\n";
#define CHANGED_BY(call)                                                                 \
    {                                                                                    \
        types, "whole@ own = {1, {{2}, {3}}}; for (int k = 0; k < n % 5; k++) { " call   \
               "; sum += (own.v ^ own.parts[1].v) * i; } sum += own.v + own.parts[1].v;" \
    }
    static const struct own_kernel rows[] = {CHANGED_BY("own.add(k)"), CHANGED_BY("own << k"),
                                             CHANGED_BY("own.parts[1].add(k)"),
                                             CHANGED_BY("own.parts[1] << k")};
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// What changes a variable without its name beside =, or ++.
TEST(variables_that_change_unseen)
{
    static const struct own_kernel rows[] = {
        {"", "int v = 0; for (int k = 0; k < n % 5; k++) { (v)++; sum += v * i; }"},
        {"", "int v = 0; ++(v); v = v; for (int k = 0; k < v; k++) sum += k * i;"},
        {"", "int v = 0, w = 0; (t & 1 ? v : w) = 5; if (v > 3) sum += 100; sum += w;"},
        {"", "int v = 0, w = 0; (t & 1 ? v : w)++; sum = v * 10 + w;"},
        {"DEVICE void bump@(int *p) { *p += 3; }",
         "int v = 0; bump@(&(v)); if (t & 1) bump@(&(v)); sum = v;"},
        {"", "int v = 1; ((unsigned char *)&v)[1] = t; sum = v;"},
        {"", "unsigned v = 1; unsigned char *p = (unsigned char *)&v; p[2] = t; sum = v;"},
        {"template <class T> DEVICE void bump@(T &x) { x += 3; }",
         "int v = 0; bump@<int>(v); if (t & 1) bump@<int>(v); sum = v;"},
        {"template <int N> DEVICE void bump@(int &x) { x += N; }",
         "int v = 0; if (t & 1) bump@<4>(v); sum = v;"},
        {"using ref@ = int &;\nDEVICE void bump@(ref@ x) { x += 3; }",
         "int v = 0; if (t & 1) bump@(v); sum = v;"},
        {"#define REF@ int &\n"
         "DEVICE void bump@(REF@ x) { x += 3; }",
         "int v = 0; if (t & 1) bump@(v); sum = v;"},
        {"DEVICE void bump@(int &x) { x += 3; }\n"
         "#define CALL@(f, x) f(x)",
         "int v = 0; if (t & 1) CALL@(bump@, v); sum = v;"},
        {"#define OP@(x, op) x op", "int v = 0; OP@(v, += t); sum = v;"},
        {"#define OP@(x, op) x op",
         "int v = 0; OP@(v, ++); for (int k = 0; k < 3; k++) { OP@(v, ++); } sum = v;"},
        {"struct S@ { int r[4]; };\nDEVICE void fill@(int *p, int x) { p[1] = x; }",
         "S@ s = {{1, 2, 3, 4}}; fill@(s.r, t); sum = s.r[1] * 10 + s.r[2];"},
        {"struct S@ { int r[4]; };",
         "S@ s = {{1, 2, 3, 4}}; int *p = s.r; p[1] = t; sum = s.r[1] * 10 + s.r[2];"},
        {"struct S@ { int v; template <int N> __device__ void add(int x) { v += N * x; } };",
         "S@ s = {3}; s.add<2>(t); sum = s.v;"},
        {"struct S@ { int v; template <int N> __device__ void add(int x) { v += N * x; } };",
         "S@ s = {3}; s.template add<2>(t); sum = s.v;"},
        {"struct S@ { int v; __device__ void add(int x) { v += x; } };",
         "S@ s = {3}; (s).add(t); sum = s.v;"},
        {"struct S@ { int v; };", "S@ s = {3}; (s).v += t; sum = s.v;"},
        {"struct S@ { int v, w; };\nDEVICE void bump@(int *p, int x) { *p += x; }",
         "S@ s = {3, 4}; bump@(&(s.w), t); sum = s.v * 100 + s.w;"},
        {"struct S@ { int v; };", "S@ s = {3}; int S@::*p = &S@::v; s.*p += t; sum = s.v;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

TEST(operators_that_change_a_struct)
{
    static const struct own_kernel rows[] = {
        {"struct B@ { int v; __device__ void operator()(int x) { v += x; } };\n"
         "struct S@ : B@ { int w; };",
         "S@ s = {{3}, 4}; s(t); sum = s.v;"},
        {"struct S@ { int v; };\nDEVICE S@ &operator<<(S@ &s, int x) { s.v += x; return s; }",
         "S@ s = {3}; s << t; sum = s.v;"},
        {"struct S@ { int v; __device__ void operator<<(int x) { v += x; } }; using A@ = S@;",
         "A@ s = {3}; s << t; sum = s.v;"},
        {"struct S@ { int v; __device__ void operator<<(int x) { v += x; } };",
         "struct S@ s = {3}; s << t; sum = s.v;"},
        {"template <class T> struct S@ { T v; __device__ void operator<<(T x) { v += x; } };",
         "S@<int> s = {3}; s << t; sum = s.v;"},
        {"template <class T> struct S@ { T v; __device__ void operator()(T x) { v += x; } };",
         "S@<int> s = {3}; s(t); sum = s.v;"},
        // As NVIDIA's helper_math.h has them.
        {"DEVICE int3 operator+(int3 a, const int3 &b)\n"
         "{ return make_int3(a.x + b.x, a.y + b.y, a.z + b.z); }\n"
         "DEVICE void operator+=(int3 &a, int3 b) { a = a + b; }\n"
         "DEVICE void operator*=(int3 &a, int b) { a.x *= b; a.y *= b; a.z *= b; }",
         "int3 v = {1, 2, 3}, w = {n, 4, 5}; v += w; w *= t; if (t & 1) v += w; m[t] = w.x; SYNC; "
         "for (int k = 0; k < 3; k++) { v *= k + 1; SYNC; v += w; } sum = v.x * 100 + v.y * 10 + "
         "v.z + m[t ^ 1];"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

TEST(references_that_a_struct_takes)
{
    static const struct own_kernel rows[] = {
        {"struct acc@ { __device__ void add(int &x) const { x += 3; } };",
         "int v = 0; const acc@ o = {}; if (t & 1) o.add(v); sum = v;"},
        {"struct acc@ { int u; __device__ acc@(int &x) : u(x) { x += 3; } };",
         "int v = 0; if (t & 1) { acc@ o = acc@(v); sum += o.u; } sum += v;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

TEST(lambdas_of_the_file)
{
    static const struct own_kernel rows[] = {
        {"static const auto bump@ = [](int &x) { x += 3; };",
         "int v = 0; if (t & 1) bump@(v); sum = v;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// A struct that is kept is made anew by each thread, and what makes it may change the file's
// memory.
TEST(structs_that_are_made)
{
    static const struct own_kernel rows[] = {
        {"__device__ int count@; struct S@ { int v = atomicAdd(&count@, 1); };",
         "if (t == 0 && threadIdx.y == 0) count@ = 0; SYNC; S@ s; m[t] = s.v; SYNC; int all = 0; "
         "for (int k = 0; k < blockDim.x; k++) all += m[k]; sum = all;",
         " domain=1"},
        {"struct S@ { int v = 7; };", "S@ s; s.v += t; SYNC; sum = s.v;"},
        {"struct S@ { int v = 7; };", "S@ s[2]; s[1].v += t; SYNC; sum = s[1].v;"},
        {"struct S@ { int v; __device__ constexpr S@() : v(7) {} };",
         "S@ s; s.v += t; SYNC; sum = s.v;"},
        {"struct S@ { int v = 7; };",
         "S@ s; s.v += t; for (int k = 0; k < n % 7; k++) { m[k] = k; sum += a[(i + k) % "
         "max(n,1)]; s.v += k; } SYNC; sum += s.v;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

TEST(what_a_kept_pointer_points_to)
{
    static const struct own_kernel rows[] = {
        {"struct S@ { int x; };", "S@ s = {1}; S@ *p = &s; SYNC; p->x += t; SYNC; sum = p->x;"},
        {"", "int v = t; int *p = &v; SYNC; *p += 3; SYNC; sum = *p;"},
        {"", "int r[4] = {1, 2, t, 4}; int *p = r + 1; SYNC; p[1] += 3; SYNC; sum = p[1] + p[0];"},
        {"struct S@ { int *p; };",
         "int r[4] = {1, 2, t, 4}; S@ s = {r}; SYNC; s.p[2] += 3; SYNC; sum = s.p[2] + s.p[0];"},
        {"", "int v = t; int *p = &v; sum += __shfl_xor_sync(~0u, t, 1); *p += 3; sum += "
             "__shfl_xor_sync(~0u, sum, 2); sum += *p;"},
        {"", "int v = t; size_t p = (size_t)&v; SYNC; *(int *)p += 5; SYNC; sum = *(int *)p;"},
        {"", "int v = t; int *p = &v; int **q = &p; SYNC; **q += 5; SYNC; sum = v;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// A value read from memory is another one behind the next barrier.
TEST(memory_that_is_read_early)
{
// What is kept in m, or by one thread in a variable, between the two times that it is written.
#define OF_M(value) "m[t] = t; SYNC; const int w = " value "; SYNC; m[t] = 7; SYNC; sum = w;"
#define OF_ONE(begin, value, change, sum)                                                 \
    "if (t == 0) " begin "; SYNC; const int w = " value " + t; SYNC; if (t == 0) " change \
    "; SYNC; sum = " sum ";"
#define OF_G(g) OF_ONE(g " = 3", g, g " = 5", "w"), " domain=1"
#define V       "struct V@ { int *p; };\nDEVICE int get@(V@ v, int x) { "
    static const struct own_kernel rows[] = {
        {"", "__shared__ int total; if (t == 0) total = 0; SYNC; const int w = total + t; SYNC; "
             "atomicAdd(&total, 1); SYNC; sum = w * 100 + total; SYNC; atomicAdd(&total, 1); SYNC; "
             "sum += w;"},
        {"", "__shared__ int base; " OF_ONE("base = 3", "base", "atomicAdd(&base, 5)", "w")},
        {"", "__shared__ int total; total = 2; SYNC; total = 5; const int w = total; sum = w;"},
        {"DEVICE void bump@(int &x) { x += 3; }",
         "__shared__ int base; " OF_ONE("base = 3", "base", "bump@(base)", "w + base")},
        {"struct S@ { int v; __device__ void set(int x) { v = x; } };",
         "__shared__ S@ s; " OF_ONE("s.v = 3", "s.v", "s.set(9)", "w + s.v")},
        {"",
         "__shared__ int base; int *p = &base; " OF_ONE("base = 3", "base", "*p = 9", "w + base")},
        {V "return *(v.p + x); }", "V@ v = {m}; " OF_M("get@(v, t)")},
        {V "return *(v.p + x); }", "const V@ v = {m}; " OF_M("get@(v, 5)")},
        {"", OF_M("(int)*(m + t)")},
        {V "const int y = (int)*(v.p + x); return y; }", "V@ v = {m}; " OF_M("get@(v, t)")},
        {"#define GET@(p) *p", OF_M("GET@(m) + t")},
        {"#define CELL@ *cell", "__shared__ int cell[32]; cell[t & 31] = 3; SYNC; const int w = "
                                "CELL@ + t; SYNC; cell[t & 31] = 7; SYNC; sum = w;"},
        {"struct V@ { int *p; __device__ int own@(int x) const { return p[x]; } };\n"
         "DEVICE int own@(int x) { return x; }",
         "V@ v = {m}; " OF_M("v.own@(t) + own@(1)")},
        {"#define GLOBAL@ static __device__\nGLOBAL@ int g@;", OF_G("g@")},
        {"__device__ int g@(0);", OF_G("g@")},
        {"__device__ struct S@ { int v, w; } g@;", OF_G("g@.v")},
        {"__device__ decltype(3) g@;", OF_G("g@")},
        {"struct V@ { int *p; int n; }; typedef int num@;\n"
         "DEVICE int first@(V@ v) { return (num@)*v.p; }",
         "const V@ v = {m, 1024}; m[t] = t + 2; SYNC; const int w = first@(v) + t; SYNC; m[t] = 0; "
         "SYNC; sum = w + v.n;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
#undef OF_M
#undef OF_ONE
#undef OF_G
#undef V
}

// Threads that have left compute nothing more.
TEST(what_fails_in_a_function)
{
#define LEAVE          "const int d = n - 257; m[t] = t; if (d == 0) return; "
#define BEHIND         "; SYNC; sum = q + m[blockDim.x - 1 - t];"
#define OF_D(value)    LEAVE "const int q = " value BEHIND
#define OF_EVEN(value) "m[t] = t; if (n % 2) return; const int q = " value BEHIND
    static const struct own_kernel rows[] = {
        {"DEVICE int quot@(int x, int y) { return x / y; }", OF_D("quot@(1000, d)")},
        {"DEVICE int quot@(int x, int y) { return x % y; }", OF_D("quot@(1000, d)")},
        {"DEVICE int same@(int x) { return x; }", OF_D("1000 / same@(d)")},
        {"#define Q@(y) (1000 / (y))", OF_D("Q@(d)")},
        {"DEVICE int steps@(int x) { int c = 0; while (x != 0) { x -= 2; c += x & 5; } return c; }",
         OF_EVEN("steps@(n)")},
        {"DEVICE int steps@(int x) { return x == 0 ? 0 : 1 + steps@(x - 2) % 1000003; }",
         OF_EVEN("steps@(n)")},
        {"DEVICE int even@(int x);\n"
         "DEVICE int odd@(int x) { return x == 0 ? 0 : even@(x - 2); }\n"
         "DEVICE int even@(int x) { return x == 0 ? 1 : odd@(x - 2) % 1000; }",
         OF_EVEN("even@(n)")},
        {"DEVICE int checked@(int x) { assert(x != 0); return x * 3; }", OF_D("checked@(d)")},
        {"DEVICE int quot@(int x, int y) { return x / y; }",
         LEAVE "int q = quot@(1000, d) + t" BEHIND " q += 3; SYNC; sum += q;"},
        {"struct W@ { int p, first, end; };\n"
         "DEVICE W@ make@(int x) { const int own = threadIdx.x; const W@ w = {own, 12 / x, 4}; "
         "return w; }",
         LEAVE "const W@ w = make@(d); SYNC; sum = w.first + m[blockDim.x - 1 - t];"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
#undef LEAVE
#undef BEHIND
#undef OF_D
#undef OF_EVEN
}

// A macro's word static, in front of a function, is no static variable.
TEST(numbers_of_16_bits)
{
    static const struct own_kernel rows[] = {
        {"#include \"cuda_bf16.h\"",
         "__nv_bfloat16 v = __float2bfloat16(1.5f); for (int k = 0; k < n % 5; k++) v = v + "
         "__float2bfloat16((float)k); __nv_bfloat16 w = __float2bfloat16((float)t); w += v; SYNC; "
         "w *= v; sum = (int)__bfloat162float(w) + (int)(float)v;"},
        {"#include \"cuda_bf16.h\"",
         "__nv_bfloat16 v = __float2bfloat16(2.0f); v += __float2bfloat16((float)t); const "
         "__nv_bfloat16 u = v; SYNC; v -= u; sum = (int)(float)u * 10 + (int)(float)v;"},
        {"#include \"cuda_fp16.h\"",
         "half v = __float2half(2.0f); v += __float2half((float)t); const half u = v; SYNC; v = v "
         "- u; sum = (int)__half2float(u) * 10 + (int)__half2float(v);"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// Only of a plain list of a struct's own members is known which of them all threads share.
TEST(members_of_other_structs)
{
#define W    "struct W@ { int p, first, end; };\n"
#define OF_B "struct B@ { int p; };\nstruct W@ : B@ { int first, end; };\n"
#define PICK "template <int A, int B> DEVICE int pick@(int x) { return x * A + B; }\n"
#define MADE_OF(list) \
    "DEVICE W@ make@(int x) { const int own = threadIdx.x; const W@ w = {" list "}; return w; }"
#define UP_TO_FIRST "for (int k = 0; k < w.first; k++) sum += k * i + w.end;"
    static const struct own_kernel rows[] = {
        {OF_B MADE_OF("1, own, 5"), "const W@ w = make@(3); " UP_TO_FIRST},
        {OF_B MADE_OF("{1}, own, 5"), "const W@ w = make@(3); " UP_TO_FIRST},
        {W PICK MADE_OF("1, pick@<1, 2>(own), 5"), "const W@ w = make@(3); " UP_TO_FIRST},
        {W PICK MADE_OF("pick@<1, 2>(own), 5, own"),
         "const W@ w = make@(3); for (int k = 0; k < w.end; k++) sum += k * i + w.first;"},
        {W MADE_OF("own, x, x + 1"), "const W@ w = make@(3); const int *p = &w.p; "
                                     "for (int k = 0; k < 3; k++) sum += p[k] * (k + 1);"},
        {W MADE_OF("x, own, x + 1"),
         "const W@ w = make@(3); for (int k = 0; k < 3; k++) sum += (&w.p)[k] * (k + 1);"},
        {W MADE_OF("own, x, 4"),
         "const W@ w = make@(3); { const W@ w = make@(t); sum += w.first; for (int k = 0; k < "
         "w.first; k++) sum += k; } for (int k = 0; k < w.first; k++) sum += k * i + w.end + "
         "w.first;"},
        {"struct W@ { int p; float first; unsigned end; };\n"
         "DEVICE W@ make@(float x) { const int own = threadIdx.x; const W@ w = {own, x * 1.5f, "
         "4u}; return w; }",
         "const W@ w = make@(3.7f); const int j = w.first + t; sum += j; for (unsigned k = 0; k < "
         "w.end; k++) sum += k * i + w.first;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
#undef W
#undef OF_B
#undef PICK
#undef MADE_OF
#undef UP_TO_FIRST
}

// Real numbers are rounded, unsigned ones wrap, and a macro's words may bind less.
TEST(sums_that_do_not_grow_evenly)
{
    static const struct own_kernel rows[] = {
        {"", "const int j = 1.5f * threadIdx.x; sum = j;"},
        {"", "const int j = threadIdx.x * 2.5f; sum = j;"},
        {"", "const int j = threadIdx.x - 0.5f; sum = j;"},
        {"", "const float s = n * -0.5f - 0.25f; const int j = s + threadIdx.x; sum = j;"},
        {"", "m[t] = t; m[t + 512] = t; SYNC; sum = m[(int)(1.5f * threadIdx.x)];"},
        {"", "const float s = -0.5f; sum = a[(int)(threadIdx.x - s) % max(n, 1)]; m[t] = 0; "
             "m[(int)(threadIdx.x + s)] = t * 0 + 3; SYNC; sum += m[t];"},
        {"DEVICE float shift@(int x) { return x * -0.5f; }",
         "const int j = shift@(1) + threadIdx.x; sum = j;"},
        {"#define SHIFT@ -0.5f", "const int j = SHIFT@ + threadIdx.x; sum = j;"},
        {"static constexpr float SHIFT@ = -0.5f;", "const int j = SHIFT@ + threadIdx.x; sum = j;"},
        {"struct S@ { float x; };",
         "const S@ s = {-0.5f}; const int j = s.x + threadIdx.x; sum = j;"},
        {"", "const long j = threadIdx.x - 5u; sum = (int)(j >> 16) + (int)j;"},
        {"", "const size_t j = threadIdx.x - 5; if (j < 100) sum = 1 + (int)j;"},
        {"", "const int r = 5; size_t j = blockIdx.x * blockDim.x + threadIdx.x - r; if (j < n) "
             "sum = 1 + a[j];"},
        {"", "const int *p = a + (threadIdx.x - 5); if (t >= 5 && t < n) sum = *p;"},
        {"#define HALO@ 1 << 1", "const int j = threadIdx.x + HALO@; sum = j;"},
        {"#define TWO@ 1 + 1", "const int j = 3 * TWO@ + threadIdx.x; sum = j;"},
        {"", "int c = (unsigned char)(threadIdx.x * 9); int q = (short)(threadIdx.x * 7000); sum = "
             "c + q;"},
        {"", "const unsigned u = threadIdx.x - 5; const int w = u / 3; const long x = u; sum = w + "
             "(int)(x >> 20);"},
        {"", "m[t] = t; SYNC; const unsigned u = threadIdx.x - 5; if (t >= 5) sum = m[(long)u] + "
             "m[(size_t)(threadIdx.x - 4)];"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// Only what a function takes by reference may change in it: the others bound a loop with a barrier.
TEST(arguments_that_a_function_changes)
{
    static const char wait[] = "for (int k = 0; k < q % 5; k++) { m[t] = k; __syncthreads(); sum "
                               "+= m[t ^ 1] + j; __syncthreads(); }";
    g_autofree char *last = g_strconcat("int j = 0, q = n; set@(j, q); ", wait, NULL),
                    *first = g_strconcat("int j = 0, q = n; set@(q, j, t); ", wait, NULL);
    const struct own_kernel rows[] = {
        {"DEVICE void set@(int &j, int q) { j = q++; }", last},
        {"DEVICE void set@(int q, int &j, const int &z) { j = q + z; }", first},
        {"template <int A, int B> DEVICE int pick@(int x) { return x * A + B; }\n"
         "DEVICE void set@(int q, int &j, int z) { j = q + z; }",
         "int j = 0; set@(pick@<1, 2>(t), j, 3); sum = j;"},
        {"template <class... T> DEVICE void each@(int q, T &...x) { ((x += q), ...); }",
         "int x = 0, y = 1, q = n; each@(q, x, y); each@(t, y, q); sum = x + 10 * y + 100 * q;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// What an expression does that its words hide: addresses, octal numbers, wrapping, conversions.
TEST(values_that_are_not_what_they_seem)
{
    static const char bytes[] = "unsigned char *p = (unsigned char *)m; m[t] = t * 77777; m[t + "
                                "256] = t * 9999; __syncthreads(); for (int k = 0; k < 16; k++) ";
    g_autofree char *deduced = g_strconcat(bytes, "sum += twice@(p[t + k]);", NULL),
                    *chosen = g_strconcat(bytes, "sum += kind@(p[t + k]);", NULL),
                    *size = g_strconcat(bytes, "sum += sizeof(p[t + k]);", NULL),
                    *changed = g_strconcat(bytes, "sum += (bump@(p + t), p[t]);", NULL);
    const struct own_kernel rows[] = {
        {"#define INTO@ +=", "int v = 0; v INTO@ t; sum = v;"},
        {"", "const int *p = m + t; const long d = (long)p - (long)m; sum = d;"},
        {"", "const size_t d = (size_t)(m + t) - (size_t)m; sum = (int)d;"},
        {"", "const size_t j = 4294967290u + threadIdx.x; sum = (int)(j >> 16);"},
        {"", "const size_t j = 0xfffffffa + threadIdx.x; sum = (int)(j >> 16);"},
        {"", "const unsigned u = 0xfffffffa + threadIdx.x; const size_t j = u; sum = j >> 16;"},
        {"", "const unsigned u = n - 5; const size_t j = u + threadIdx.x; sum = (int)(j >> 8);"},
        {"", "for (unsigned k = n - 3; k < 5u; k++) { m[t + k] = k; sum += m[t + k]; }"},
        {"", "const int j = (i + 1, n); sum = j;"},
        {"", "m[t] = t; m[t + 256] = 2 * t; SYNC; sum = m[(t + 1, 3)];"},
        {"", "const int j = 010 * t, k = 1'0 * t; sum = j + k;"},
        {"typedef int *PTR@;", "int v = 1; PTR@ p = (PTR@)&v; *p += t; sum = v;"},
        {"struct V@ { int *p; int n; }; typedef int NUM@;\n"
         "DEVICE int first@(V@ v) { return (NUM@)*v.p; }",
         "const V@ v = {m, 1024}; m[t] = t + 2; SYNC; const int w = first@(v) + t; SYNC; m[t] = 0; "
         "SYNC; sum = w + v.n;"},
        {"struct V@ { int *p; __device__ int operator+(int k) const { return p[k]; } };",
         "V@ v = {m}; m[t] = t; SYNC; const int w = v + t; SYNC; m[t] = 7; SYNC; sum = w;"},
        {"template <class T> DEVICE T twice@(T x) { return x * 2; }", deduced},
        {"DEVICE int kind@(int x) { return x; }\n"
         "DEVICE int kind@(unsigned char x) { return x * 100; }",
         chosen},
        {"", size},
        {"DEVICE int bump@(unsigned char *p) { *p += 1; return *p; }", changed},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// A name means what it means where it stands; a function finds its shared memory as it left it.
TEST(names_and_memory_of_functions)
{
    static const char wait[] = "static constexpr int R@ = 3;\nstatic __device__ int wait@(int x) { "
                               "__syncthreads(); return x * R@; }";
    static const struct own_kernel rows[] = {
        {wait, "const int R@ = 5 + n; sum = wait@(t) + R@;"},
        {wait, "{ int R@ = t; SYNC; R@ += 2; sum = wait@(t) + R@; }"},
        {wait, "for (int R@ = 0; R@ < 3; R@++) sum += wait@(t) + R@;"},
        {"static constexpr int R@ = 3;", "sum += R@ * t; int R@ = 50; sum += R@;"},
        {"static constexpr int R@ = 3;",
         "sum += R@ * t; int R@ = 50 + t; sum += R@; SYNC; sum += R@;"},
        {"DEVICE int last@(bool first, int x) { __shared__ int c[2][4], d; if (first && "
         "threadIdx.x == 0) { c[1][2] = x; d = 5; } SYNC; const int r = c[1][2] + d; SYNC; if "
         "(threadIdx.x == 0) c[1][2]++; SYNC; return r; }",
         "int q = last@(true, n); for (int k = 0; k < 3; k++) q += last@(false, 0) * (k + 1); sum "
         "= q + t;"},
        {"DEVICE int twice@(int x) { __shared__ int s[256]; s[threadIdx.x] = x; SYNC; const int y "
         "= s[threadIdx.x ^ 1]; SYNC; return y; }\n"
         "DEVICE int four@(int x) { return twice@(x) + twice@(x + 1); }",
         "sum = four@(t); sum += four@(i); if (n > 3) sum += twice@(n + t);"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

TEST(enums_in_a_body)
{
    static const struct own_kernel rows[] = {
        {"enum { SIZE@ = 8 };", "enum { SIZE@ = 4 }; m[t] = SIZE@; SYNC; sum = m[t] * 10 + SIZE@;"},
        {"", "enum { SIZE@ = 4 }; m[t] = SIZE@; SYNC; sum = m[t] * 10 + SIZE@;"},
    };
    compare_kernels(rows, G_N_ELEMENTS(rows));
}

// ---- pictures ----

// Coordinates that are in the picture at a loop's ends, and not between them; bounds that are more
// than one; pointers that move.
#define PICTURE(name, sums)                                                                     \
    "//! variant " name " 32x8\n__global__ void " name "(plane out, plane in, int radius)\n{\n" \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                \
    "    if (x >= out.width || y >= out.height) return;\n    int sum = 0;\n" sums               \
    "    out.pixels[y * out.pitch + x] = (unsigned char)sum;\n}\n"

TEST(pictures_of_both_engines_are_equal)
{
    struct image in;
    must(image_init(&in, 131, 67, 1, &err));
    image_fill_noise(in.planes, 1);
    compare_engines(
        "//! filter \"Places\"\n//! param radius 3 [0, 9]  pixels\n#include \"kernel.h\"\n" PICTURE(
            "bent", "    for (int k = 0; k <= 4; k++)\n"
                    "        sum += load(in, x + 40 * (k % 4), y + k * (4 - k) * 9);\n")
            PICTURE(
                "bounded",
                "    for (int k = 0; k < 90 && radius > 2; k++) sum += load(in, x + k, y);\n"
                "    for (int k = 0; k <= (radius > 2 ? 70 : 1); k++) sum += load(in, x, y + k);\n")
                PICTURE("moving",
                        "    const unsigned char *from = in.pixels + y * in.pitch;\n"
                        "    for (int k = 0; k < in.width; k++) sum += *from++ * (k ^ x);\n"),
        in.planes, false, 0);
    image_finish(&in);
}

// The outermost loop that all lanes of a strip go through together is compiled twice: for a whole
// strip by itself, whose sums then stay in registers. No lane may leave in it, nor wait.
TEST(loops_of_whole_strips)
{
    static const struct {
        const char *body;
        int nests;
    } rows[] = {
        {"for (int k = 0; k < n; k++) sum += a[i + k];", 1},
        {"for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) sum += a[i + k * j];", 1},
        {"for (int k = 0; k < n; k++) sum += a[i + k]; for (int k = 0; k < n; k++) sum *= a[i - "
         "k];",
         2},
        {"for (int k = 0; k < i; k++) for (int j = 0; j < n; j++) sum += a[i + j];", 1},
        {"for (int k = 0; k < i; k++) sum += a[k];", 0},
        {"for (int k = 0; k < n; k++) { if (a[i] == k) return; sum += a[k]; }", 0},
        {"for (int k = 0; k < n; k++) { if (a[i] == k) break; sum += a[k]; }", 0},
        {"for (int k = 0; k < n; k++) { if (a[i] == k) continue; sum += a[k]; }", 0},
        {"for (int k = 0; k < n; k++) { __syncthreads(); sum += a[k]; }", 0},
        {"for (int k = 0; k < n; k++) sum += __shfl_xor_sync(~0u, sum, 1);", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *text = g_strconcat(
            LAB "//! variant naive 32x1\n__global__ void k(int *b, const int *a, int n)\n{\n"
                "const int i = blockIdx.x * blockDim.x + threadIdx.x; int sum = 0;\n",
            rows[i].body, "\nb[i] = sum;\n}\n", NULL);
        rewrite_text(&w, text);
        assert_non_null(*w.names);
        int nests = 0;
        for (const char *at = w.text; (at = strstr(at, "emulator_nest = [&]")); at++) nests++;
        if (nests != rows[i].nests) fail_msg("%d: %s", nests, rows[i].body);
    }
}

// A strip of each width is whole in some blocks and cut in others: its bytes are read at once,
// lanes leave it, and take part in a loop for different times.
TEST(strips_of_each_width)
{
    static const char source[] =
        "//! filter \"Tiles\"\n//! param radius 3 [0, 9]  pixels\n#include \"kernel.h\"\n"
        "extern __shared__ unsigned char tile[];\n"
        "//! variant tiles 32x8 shared=(bw + 2*radius) * (bh + 2*radius)\n"
        "__global__ void tiles(plane out, plane in, int radius)\n{\n"
        "    const int width = blockDim.x + 2 * radius, height = blockDim.y + 2 * radius;\n"
        "    const int left = blockIdx.x * blockDim.x - radius;\n"
        "    const int top = blockIdx.y * blockDim.y - radius;\n"
        "    for (int ty = threadIdx.y; ty < height; ty += blockDim.y)\n"
        "        for (int tx = threadIdx.x; tx < width; tx += blockDim.x)\n"
        "            tile[ty * width + tx] = (unsigned char)load(in, left + tx, top + ty);\n"
        "    __syncthreads();\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x >= out.width || y >= out.height || (x ^ y) % 11 == 3) return;\n"
        "    int sum = x ^ threadIdx.y;\n"
        "    for (int dy = 0; dy <= 2 * radius; dy++)\n"
        "        for (int dx = 0; dx <= 2 * radius; dx++)\n"
        "            sum += tile[(threadIdx.y + dy) * width + threadIdx.x + dx] * (dx ^ dy);\n"
        "    __syncthreads();\n"
        "    for (int k = 0; k < (int)threadIdx.x % 5; k++) sum = sum * 3 + load(in, x + k, y);\n"
        "    if (sum % 3) sum += load(in, x, y + 1) + blockDim.x;\n"
        "    out.pixels[y * out.pitch + x] = (unsigned char)(sum ^ sum >> 8);\n}\n";
    OWNED(rewritten_finish) struct rewritten w;
    rewrite_text(&w, source);
    assert_non_null(strstr(w.calls, "strips_tiles"));
    struct image in;
    must(image_init(&in, 131, 67, 1, &err));
    image_fill_noise(in.planes, 1);
    for (int lanes = 0; lanes <= 16; lanes += 8) compare_engines(source, in.planes, false, lanes);
    image_finish(&in);
}

static guint count_files(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    guint count = 0;
    while (g_dir_read_name(dir)) count++;
    return count;
}

// Kernels without strips of a width of their own are compiled once, for any block.
TEST(one_object_without_strips)
{
    static const struct {
        const char *body;
        guint files;  // more, for a narrow block
    } rows[] = {
        {"const int kept = a[i]; s[threadIdx.x] = __shfl_xor_sync(~0u, kept, 1);"
         " __syncthreads(); b[i] = s[0] + kept;",
         0},
        {"s[threadIdx.x] = i; __syncthreads(); b[i] = s[threadIdx.y];", 1},
    };
    char *folder = folder_make(), *before = unit_set("TILESCOPE_CACHE", folder);
    struct backend *const b = open_device("cpu");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OWNED(filter_finish) struct filter f = {.calls = NULL};
        g_autofree char *text = g_strconcat(
            LAB "//! variant naive 32x1\n__global__ void k(int *b, const int *a, int n)\n{\n"
                "__shared__ int s[1024]; const int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
            rows[i].body, "\n}\n", NULL);
        must(filter_parse(&f, "own.cu", text, NULL, &err));
        guint files[2];
        for (int k = 0; k < 2; k++) {
            struct module *const m =
                frame_build(b, &f, (struct build){.is_fast = true, .lanes = 16 * k}, &err);
            must(m && backend_is_fast(m));
            backend_unload(b, m);
            files[k] = count_files(folder);
        }
        assert_int_equal(files[1] - files[0], rows[i].files);
    }
    backend_close(b);
    unit_restore("TILESCOPE_CACHE", before);
    folder_end(folder);
}

// ---- random kernels ----

struct maker {
    GString *text;
    unsigned state;
    int depth, loops;
    bool can_wait;  // all threads of the block are here
    bool is_tiled;  // it knows rows and columns of a block, and no warps
};

static unsigned any(struct maker *m, unsigned below)
{
    m->state = m->state * 1664525u + 1013904223u;
    return (m->state >> 16) % below;
}

static void add_statements(struct maker *m, int count);
static void add(struct maker *m, const char *form, int depth);

static void add_value(struct maker *m, int depth)
{
    static const char *const values[] = {"v0",   "v1",         "v2",         "t",
                                         "i",    "n",          "3u",         "7u",
                                         "r[1]", "r[v0 & 3u]", "blockIdx.x", "num_threads()",
                                         "p.x",  "p.y",        "q.x",        "q.y"};
    static const char *const forms[] = {"(unsigned)a[(@) % (unsigned)n]",
                                        "mix(@, @)",
                                        "((@) % 3u ? @ : @)",
                                        "pair_of(@, @).y",
                                        "quotient(@, 1u + (@) % 7u)",
                                        "(@ + @)",
                                        "(@ - @)",
                                        "(@ * @)",
                                        "(@ ^ @)",
                                        "(@ & @)",
                                        "(@ | @)"};
    if (depth > 2 || any(m, 8) < 3)
        g_string_append(m->text, values[any(m, G_N_ELEMENTS(values))]);
    else
        add(m, forms[any(m, G_N_ELEMENTS(forms))], depth + 1);
}

// Adds a form, in which @ stands for a value, $ for a variable's number, # for the loop's, ~ for a
// number below 32, and {} for a block of statements. Threads may wait in {}; in {?} only some come.
static void add(struct maker *m, const char *form, int depth)
{
    const int loop = m->loops;
    if (strchr(form, '#')) m->loops++;
    for (const char *at = form; *at; at++) {
        const bool could_wait = m->can_wait, is_some = g_str_has_prefix(at, "{?}");
        if (*at == '@') {
            add_value(m, depth);
        } else if (*at == '$') {
            g_string_append_printf(m->text, "v%u", any(m, 3));
        } else if (*at == '#') {
            g_string_append_printf(m->text, "%d", loop);
        } else if (*at == '~' && at[1] != '0') {
            g_string_append_printf(m->text, "%u", any(m, 32));
        } else if (is_some || g_str_has_prefix(at, "{}")) {
            m->can_wait &= !is_some;
            m->depth++;
            g_string_append(m->text, "{\n");
            add_statements(m, 1 + (int)any(m, 3));
            g_string_append(m->text, "}\n");
            m->depth--;
            m->can_wait = could_wait;
            at += is_some ? 2 : 1;
        } else {
            g_string_append_c(m->text, *at);
        }
    }
}

// Those with blocks of statements, those of one level, and among these those that wait.
static const char *const forms[] = {
    "for (int k# = 0; k# < n % 5 + 1; k#++) {}",
    "for (int k# = 0; k# < 4; k#++) {}",
    "if (n % 3 == 1) {}",
    "if (n % 3 == 1) {}else {}",
    "if (@ & 1u) {?}",
    "if (t < n % 41) {?}",
    "if (i < n) {?}else {?}",
    "if (t % (n % 7 + 1) == 1) {\n$ = $ / (t + 1u) + r[t % 4];\n}\n",
    "for (int k# = t; k# < n; k# += num_threads()) $ += a[k#];\n",
    "for (int k# = 0; k# < 4; k#++) {\nif ((t + k#) % 3 == 1) continue;\n$ += a[(i + k#) % "
    "n];\n}\n",
    "for (int k# = 0; k# < 4; k#++) {\nif (k# == n % 4) continue;\n$ += a[(i + k#) % n];\n}\n",
    ("{\nconst int *p = a + t % n;\n"
     "for (int k# = 0; k# < n / 2 - t % n; k#++, p++) $ += *p + p[0];\n}\n"),
    "for (int k# = 0; k# < n; k#++) $ += a[(i + k#) % n] + a[k#];\n",
    "if (q.x % 3u == 1u) {?}",
    "for (int k# = 0; k# < (int)(q.y % 5u); k#++) {?}",
    "for (int k# = 0; k# < 3; k#++) {\nq.x++;\n$ += q.x * k#;\n}\n",
    "{\nconst struct way w# = way_of(n);\n"
    "for (unsigned k# = 0; k# < w#.most; k#++) {}$ += w#.own;\n}\n",
    "{\nconst pair u# = pair_of(n % 3u, @);\nfor (unsigned k# = 0; k# < u#.x; k#++) {?}}\n",
    "{\npair u# = {@, n % 3u};\nunsigned *const to# = &u#.x;\n{}*to# += @;\n$ += u#.x;\n}\n",
};
static const char *const waiting[] = {
    "s[t] = $;\n__syncthreads();\n$ += s[(t + ~) % num_threads()];\n__syncthreads();\n",
    "s[t] = $;\n__syncthreads();\n$ += s[(t + ~ + 37) % num_threads()];\n__syncthreads();\n",
    "$ += __shfl_xor_sync(~0u, $, ~);\n",
    "$ += __shfl_down_sync(~0u, $, ~);\n",
    "$ += __shfl_up_sync(~0u, $, ~);\n",
    "$ += __shfl_sync(~0u, $, ~);\n",
    "$ += __shfl_sync(~0u, $, t * 7 + ~, 16);\n",
    "$ += __shfl_xor_sync(~0u, $, ~, 8);\n",
    "$ ^= (unsigned)(__shfl_up_sync(~0u, $ * 5000000000ull, ~) >> 16);\n",
    "$ ^= (unsigned)(__shfl_down_sync(~0u, $ * 5000000000ull, ~, 4) >> 16);\n",
    "$ += __ballot_sync(~0u, $ & 4);\n",
    "$ += __any_sync(~0u, $ % 61u == ~) + 2 * __all_sync(~0u, $ % 61u != ~);\n",
    "$ = total(s, $);\n",
    "if (t == 0) held = $;\n__syncthreads();\n$ += held;\n__syncthreads();\n",
    "if (t == 0) held = $;\n__syncthreads();\nconst unsigned h# = held + ~u + t;\n"
    "__syncthreads();\nif (t == 0) held ^= 5u;\n__syncthreads();\n$ += h# ^ held;\n"
    "__syncthreads();\n",
};
static const char *const tiles[] = {
    "s[threadIdx.y * blockDim.x + threadIdx.x] = $;\n__syncthreads();\n"
    "$ += s[(t + ~) % num_threads()];\n__syncthreads();\n",
    "s[threadIdx.x * blockDim.y + threadIdx.y] = $;\n__syncthreads();\n"
    "for (int k# = 0; k# < blockDim.x; k#++) $ += s[k# * blockDim.y + threadIdx.y] * k#;\n"
    "for (int k# = 0; k# < 5; k#++) $ += s[(threadIdx.x + k#) % num_threads()] ^ threadIdx.y;\n"
    "__syncthreads();\n",
    "for (int k# = t; k# < 300; k# += num_threads()) s[k#] = a[(i + k#) % n] * (v2 | 1u);\n"
    "__syncthreads();\n$ += s[threadIdx.x + ~];\n__syncthreads();\n",
    "for (int k# = t; k# < 300; k# += num_threads()) s[place(k#)] = k# < n ? a[k#] : k#;\n"
    "__syncthreads();\n$ += s[threadIdx.x + ~];\n__syncthreads();\n",
    "$ = total(s, $);\n",
};
// Of the kernel's own level. What is divided by is never 0 behind it.
static const char *const leaving[] = {
    "if (i >= n) return;\n",
    "if (t % 7 == 3) {\n$ += 1;\n{\nreturn;\n}\nv0 = 0;\n}\n",
    "if (t < n % 9) {\nif (n == 31) return;\n$ += 1;\n}else if (n == 257) return;\n",
    ("const int d# = n - 257;\nif (d# == 0) return;\n"
     "const int q# = 1000 / d#;\nv0 += q# + a[(1000 / d# + t) & 0];\n"),
    ("const int d# = n - 31;\nif (d# == 0) return;\n"
     "const int q# = 1000 / d#;\nv0 += q# + a[(1000 / d# + t) & 0];\n"),
    ("const unsigned d# = n - 257;\nif (d# == 0) return;\n"
     "const unsigned q# = quotient(1000u, d#), e# = quotient(n, d#) + t;\n"
     "v0 += q#;\nv1 += e# + q#;\n"),
};
static const char *const assignments[] = {"v0 = @;\n",
                                          "v1 += @;\n",
                                          "v2 ^= @;\n",
                                          "r[2] = @;\n",
                                          "r[t & 3u] += @;\n",
                                          "p.x += @;\n",
                                          "q.y = n + 3u;\n",
                                          "p = pair_of(@, @);\n",
                                          "q = pair_of(n, 7u);\n",
                                          "turn(p, @);\n",
                                          "turn(q, @);\n",
                                          "put(&p.y, @);\n",
                                          "put(&(q.x), @);\n",
                                          "(q.y)++;\n",
                                          "q = p;\n",
                                          "(t % 3 ? p : q).x ^= @;\n",
                                          "*(unsigned char *)&q.x = (unsigned char)(@);\n"};

static void add_statements(struct maker *m, int count)
{
    for (; count > 0; count--) {
        const unsigned kind = m->depth > 2 ? 0 : any(m, 16);
        if (kind > 11)
            add(m, forms[any(m, G_N_ELEMENTS(forms))], 1);
        else if (kind > 6 && m->can_wait && m->is_tiled)
            add(m, tiles[any(m, G_N_ELEMENTS(tiles))], 1);
        else if (kind > 6 && m->can_wait)
            add(m, waiting[any(m, G_N_ELEMENTS(waiting))], 1);
        else if (kind == 6 && m->depth == 0)
            add(m, leaving[any(m, G_N_ELEMENTS(leaving))], 1);
        else
            add(m, assignments[any(m, G_N_ELEMENTS(assignments))], 0);
    }
}

// Makes of a kernel one without barriers that knows of a thread only where its column is in the
// grid. Its blocks run as one.
static void forget_blocks(GString *text)
{
    static const char *const words[][2] = {
        {" columns=bw*bh", ""},
        {"blockIdx.x * num_threads() + thread_rank()", "column()"},
        {"thread_rank()", "column() % 1021"},
        {"num_threads()", "37"},
        {"blockIdx.x", "5u"},
        {"mix(", "mixed("},
        {"way_of(", "same_way("},
        {"__shared__ unsigned s[1024];\n", ""},
        {"s[t] = 0;\n__syncthreads();\n", ""},
        {" ^ s[0] * 0u", ""}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        g_string_replace(text, words[i][0], words[i][1], 0);
}

static char *make_file(unsigned seed, int kernels)
{
    struct maker m = {.state = seed};
    g_autoptr(GString) all = g_string_new(
        LAB "static __device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"
            "static __device__ unsigned mixed(unsigned x, unsigned y) "
            "{ return x * 31u + (y >> 3); }\n"
            "static __device__ int place(int k) { return k ^ (k / 8) % 8; }\n"
            "static __device__ unsigned mix(unsigned x, unsigned y) "
            "{ return mixed(x, y) + threadIdx.x; }\n"
            "struct pair { unsigned x, y; };\nstruct way { unsigned own, most; };\n"
            "__shared__ unsigned held;\n"
            "static __device__ pair pair_of(unsigned x, unsigned y) "
            "{ const pair p = {x, y ^ 3u}; return p; }\n"
            "static __device__ struct way way_of(int step)\n{\n"
            "const unsigned most = (unsigned)step % 5u;\nconst unsigned own = threadIdx.x + step;\n"
            "const struct way w = {own, most};\nreturn w;\n}\n"
            "static __device__ struct way same_way(int step)\n{\n"
            "const struct way w = {(unsigned)step * 3u, (unsigned)step % 5u};\nreturn w;\n}\n"
            "static __device__ void turn(pair &p, unsigned by) { p.x += by; }\n"
            "static __device__ void put(unsigned *to, unsigned x) { *to ^= x; }\n"
            "static __device__ unsigned quotient(unsigned x, unsigned y) { return x / y; }\n"
            "// The sum over the block.\n"
            "static __device__ unsigned total(unsigned *s, unsigned own)\n{\n"
            "const int t = thread_rank();\nunsigned sum = 0;\ns[t] = own;\n__syncthreads();\n"
            "for (int k = 0; k < num_threads(); k++) sum += s[k];\n__syncthreads();\n"
            "return sum;\n}\n");
    for (int k = 0; k < kernels; k++) {
        m.can_wait = k % 4 < 3;
        m.is_tiled = k % 4 == 0;
        m.loops = 0;
        m.text = g_string_new(NULL);
        g_string_append_printf(m.text,
                               "//! variant v%d 32x1 columns=bw*bh\n"
                               "__global__ void kernel%d(int *b, const int *a, int n)\n{\n"
                               "__shared__ unsigned s[1024];\nconst int t = thread_rank();\n"
                               "const int i = blockIdx.x * num_threads() + thread_rank();\n"
                               "unsigned v0 = t, v1 = a[i %% n], v2 = %s, r[4] = {1, 2, 3, 4};\n"
                               "pair p = {(unsigned)t, 5u}, q = {n %% 4u, 2u};\n"
                               "s[t] = 0;\n__syncthreads();\n",
                               k, k, m.is_tiled ? "threadIdx.y" : "1");
        add_statements(&m, 6);
        g_string_append(m.text, "if (i < n) b[i] = (int)(v0 ^ v1 ^ v2 ^ r[0] ^ r[1] ^ r[2] ^ r[3] "
                                "^ p.x ^ p.y ^ q.x ^ q.y ^ s[0] * 0u);\n}\n");
        if (!m.can_wait) forget_blocks(m.text);
        if (k % 4 == 2) {  // rows run as one
            g_string_replace(m.text, "mix(", "mixed(", 0);
            g_string_replace(m.text, "way_of(", "same_way(", 0);
        }
        g_string_append(all, m.text->str);
        g_string_free(m.text, TRUE);
    }
    return g_string_free(g_steal_pointer(&all), FALSE);
}

TEST(random_kernels_give_the_same_bits)
{
    const gint64 end = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;
    unsigned seed = first_seed;
    int rewritten = 0, blocks = 0, rows = 0, strips = 0;
    do {
        OWNED(rewritten_finish) struct rewritten w;
        g_autofree char *source = make_file(seed, 8);
        rewrite_text(&w, source);
        rewritten += (int)g_strv_length(w.names);
        for (const char *at = w.text; (at = strstr(at, "emulator_all(")); at++) {
            blocks += g_str_has_prefix(at, "emulator_all(emulator_turn.most)");
            rows += g_str_has_prefix(at, "emulator_all(1, true)");
        }
        for (const char *at = w.calls; (at = strstr(at, "void strips_")); at++) strips++;
        for (char **kept = w.kept; *kept; kept += 2) print_message("%s: %s\n", kept[0], kept[1]);
        compare_engines(source, (struct planes){.pixels = NULL}, true, (int)(seed % 3) * 8);
        seed++;
    } while (g_get_monotonic_time() < end);
    print_message(
        "%u files of 8 random kernels: %d written anew, %d to run blocks as one, %d rows, "
        "%d in strips of a width of their own\n",
        seed - first_seed, rewritten, blocks, rows, strips);
    assert_true(blocks >= (int)(seed - first_seed) && rows >= (int)(seed - first_seed));
    assert_true(strips >= (int)(seed - first_seed));
    assert_true(rewritten >= 4 * (int)(seed - first_seed));
}

int main(int argc, char **argv)
{
    seconds = argc > 1 ? atoi(argv[1]) : 0;
    if (argc > 2) first_seed = (unsigned)atoi(argv[2]);
    return unit_run("rewrite", NULL, NULL);
}
