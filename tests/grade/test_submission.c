// test_submission -- which texts a submission may have, what is taken of it, and what of ours.
#include "desk.h"

static bool open_text(struct desk *d, const char *given, const char *text)
{
    g_autofree char *path = g_build_filename(d->folder, "Team 7.cu", NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    submission_close(&d->submission);
    const bool is_open = submission_open(&d->submission, filter_find(&d->list, given), path,
                                         TILESCOPE_KERNELS, &err);
    return is_open;
}

static const char other_arrays[] =
    "//! lab \"Mine\" key Z\n"
    "//! param rows 7 [7, 8] of mine\n"
    "//! array b out [rows]\n"
    "#include \"lab.h\"\n"
    "//! reference b\n"
    "__host__ __device__ double own(long long i) { return 7; }\n"
    "//! variant one 32x8\n"
    "__global__ void one(double rows, int *b) { b[0] = rows; }\n"
    "//! variant two 64x1 of two<2> each=2x1\n"
    "template <int N> __global__ void two(float *b, const float4 *a) { b[0] = N; }\n";

#define AT_DESK(name) TEST_OF(struct desk *d, name, NULL, NULL)

AT_DESK(ours_and_theirs_are_joined)
{
    const struct submission *s = &d->submission;
    must(open_text(d, "transpose", other_arrays));
    const struct filter *f = &s->filter;
    assert_string_equal(f->name, "transpose");
    assert_string_equal(f->title, "Transpose");
    assert_int_equal(f->param_count, 2);
    assert_false(f->params[0].is_float);
    assert_int_equal(f->params[0].max, d->given->params[0].max);
    assert_int_equal(f->array_count, 3);
    assert_int_equal(f->arrays[1].type, ARRAY_FLOAT);
    assert_int_equal(f->variant_count, 2);
    assert_string_equal(f->variants[1].name, "two");
    assert_string_equal(f->variants[1].passes[0].entry, "two_2");
    assert_false(filter_has_reference(f));
    assert_string_equal(s->notes, "the params of the file: not transpose's, and ignored\n"
                                  "the arrays of the file: not transpose's, and ignored\n"
                                  "the reference of the file: not transpose's, and ignored\n");
}

// Also for one that was saved with a byte order mark.
AT_DESK(what_is_in_comments_is_left_out)
{
    const struct submission *s = &d->submission;
    const char *const text = "\xef\xbb\xbf/* #include \"lab.h\" */\n"
                             "#include \"lab.h\"\n"
                             "/* my first try\n"
                             "//! array a float in [rows][columns] noise 0, 255\n"
                             "//! array more float out [rows]\n"
                             "//! variant first 32x\n"
                             "__global__ void first() {}\n"
                             "//! param rows 7 [7, 8] */\n"
                             "//! variant one 32x8\n"
                             "__global__ void one() {}\n";
    must(open_text(d, "transpose", text));
    assert_int_equal(s->filter.variant_count, 1);
    assert_int_equal(s->filter.array_count, 3);
    assert_string_equal(s->notes, "");
    assert_string_equal(s->filter.source, text + strlen("\xef\xbb\xbf"));
}

// So that a compiler names them as the student does.
AT_DESK(lines_stay_where_they_are)
{
    const struct submission *s = &d->submission;
    assert_true(open_text(d, "transpose", other_arrays));
    g_auto(GStrv) is = g_strsplit(s->filter.source, "\n", -1),
                  was = g_strsplit(other_arrays, "\n", -1);
    assert_int_equal(g_strv_length(is), g_strv_length(was));
    for (int i = 0; was[i]; i++) {
        const bool is_ours = i < 3 || i == 4;  // title, param, array; reference
        assert_string_equal(is[i], is_ours ? "" : was[i]);
    }
    assert_false(open_text(
        d, "transpose", "#include \"lab.h\"\n\n//! variant one 32x\n__global__ void one() {}\n"));
    assert_string_equal(err.text, "Team 7.cu:3: expected: //! variant name WxH");
}

// Kernels may have other types than those of the lab, and any order of arguments.
AT_DESK(some_are_refused)
{
    g_autofree char *long_line = g_strnfill(5000, 'x');
    g_autofree char *long_name = g_strconcat("//! variant one 32x8 of ", long_line, "<2>\n", NULL);
    g_autofree char *long_include = g_strconcat("#include \"lab.h\" //", long_line, "\n", NULL);
    const struct {
        const char *text, *why;
    } rows[] = {
        {"", "Team 7.cu:1: no line: //! variant name WxH (tilescope adopt proposes notes)"},
        {"#include \"lab.h\"\n",
         "Team 7.cu:1: no line: //! variant name WxH (tilescope adopt proposes notes)"},
        {"#include \"lab.h\"\nasm(\"\");\n", "Team 7.cu:2: 'asm' is not counted"},
        {"//! variant one 32x8\n", "Team 7.cu:1: the variant line has no kernel below it"},
        {"//! variant one 32x8\n__global__ void one()\n{\n    if (1) {\n}\n",
         "Team 7.cu:1: the variant line has no kernel below it: a } is missing"},
        {"\n//! variant one 32x8\n__global__ void one(int row) {}\n",
         "Team 7.cu:3: 'one' wants 'row', which is no param and no array of the file; did you mean "
         "'rows'?"},
        {"//! variant one 32x8\n__global__ void one(int *rows) {}\n",
         "Team 7.cu:2: 'rows' of 'one' is a param, so it cannot be a pointer"},
        {"//! variant one 32x8\n__global__ void one(float a) {}\n",
         "Team 7.cu:2: 'a' of 'one' is an array, so it must be a pointer"},
        {"//! variant one 32x8\n__global__ void one(plane in) {}\n", "'one' wants 'in'"},
        {"//! variant one 32x8 of two<2>\n__global__ void one() {}\n",
         "Team 7.cu:1: there is no kernel 'two'"},
        {"//! variant one 32x8\ntemplate <int n> __global__ void one() {}\n",
         "Team 7.cu:2: 'one' is a template: name an instantiation"},
        {"//! params rows 7 [7, 8]\n", "Team 7.cu:1: unknown directive 'params'"},
        {long_name, "Team 7.cu:1: "},
        {long_include, "Team 7.cu:1: no line"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct submission *s = &d->submission;
        err.text[0] = '\0';
        if (open_text(d, "transpose", rows[i].text)) fail_msg("%s", rows[i].text);
        if (!strstr(err.text, rows[i].why)) fail_msg("'%s' is not in '%s'", rows[i].why, err.text);
        assert_null(s->folder);
    }
}

// All steps before the sandbox take a text of this size in no time.
TEST(long_texts_are_refused)
{
    g_autofree char *text = g_strnfill(SUBMISSION_MAX_BYTES + 1, ';');
    assert_false(open_text(*state, "transpose", text));
    assert_string_equal(err.text, "Team 7.cu is larger than 256 KB");
}

AT_DESK(all_work_is_timed)
{
    const struct submission *s = &d->submission;
    assert_true(open_text(d, "transpose",
                          "#include \"lab.h\"\n//! untimed 32x8\n__global__ void first() {}\n"
                          "//! variant one 32x8 prepare=first\n__global__ void one() {}\n"
                          "//! variant two 32x8\n__global__ void two() {}\n"));
    assert_false(submission_can_be_graded(s, &s->filter.variants[0], &err));
    assert_non_null(strstr(err.text, "Team 7.cu: variant 'one' has prepare= or finish="));
    assert_true(submission_can_be_graded(s, &s->filter.variants[1], &err));
}

// A lecturer's file may say the types itself; a student's kernel may take others.
TEST(types_are_those_of_the_given_file)
{
    static const char given_text[] = "//! lab \"Own\"\n"
                                     "//! param n  int 8 [1, 64]\n"
                                     "//! param k 1 [0, 2]\n"
                                     "//! param way other [one, other]\n"
                                     "//! array a  unsigned  char in [n] noise 0, 9\n"
                                     "//! array b out [n]\n"
                                     "//! variant naive 32x1\n"
                                     "__global__ void naive(float *b, float k) {}\n";
    OWNED(filter_finish) struct filter given;
    struct submission s;
    must(filter_parse(&given, "own.cu", given_text, NULL, &err));
    if (!submission_open_text(&s, &given, "mine.cu",
                              "//! variant one 32x1\n"
                              "__global__ void one(float n, int k, const int *a, int4 *b) {}\n",
                              TILESCOPE_KERNELS, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < given.param_count; i++)
        assert_int_equal(s.filter.params[i].is_float, given.params[i].is_float);
    assert_true(given.params[1].is_float && !given.params[0].is_float);
    assert_int_equal(s.filter.arrays[0].type, ARRAY_BYTE);
    assert_int_equal(s.filter.arrays[1].type, ARRAY_FLOAT);
    submission_close(&s);
}

// A skeleton is a submission, and the viewer takes it for a kernel file.
AT_DESK(a_skeleton_is_whole)
{
    for (int i = 0; i < d->list.count; i++) {
        const struct submission *s = &d->submission;
        OWNED(filter_finish) struct filter f;
        const struct filter *given = &d->list.filters[i];
        g_autofree char *text = submission_skeleton(given);
        must(filter_parse(&f, "skeleton.cu", text, NULL, &err));
        assert_true(filter_has_reference(&f) && !f.key);
        if (!open_text(d, given->name, text)) fail_msg("%s: %s", given->name, err.text);
        assert_string_equal(s->notes, "");
        assert_int_equal(s->filter.variant_count, 1);
    }
}

TEST(kernels_are_allowed)
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
        "extern __shared__ float s[];\nextern /* */ __shared__ __align__(16) char t[];",
        "extern \"C\" __global__ void k(float *b) { b[0] = 1'000; }",
        "template <int N> __device__ int f(int i) { return i + f<N / 2>(i); }\n"
        "template <> __device__ int f<0>(int i) { return i; }",
        "__device__ float f(float x) { return x; }\n"
        "__device__ float f(float2 v) { return f(v.x) + f(v.y); }",
        "struct pair { int a, b; __device__ pair(int i) : a(i), b(i) {} };\n"
        "__device__ int f(int i) { auto add = [=](int j) { return i + j; }; return add(1); }",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        must(submission_check_text("a.cu", texts[i], &err));
    }
}

TEST(others_are_refused_by_name)
{
    static const struct {
        const char *text, *refusal;
    } rows[] = {
        {"\nasm(\"nop\");", "a.cu:2: 'asm' is not counted; write it in CUDA C"},
        {"\nas\\\nm(\"nop\");", "a.cu:2: 'asm' is not counted"},
        {"#define A asm\nA(\"nop\");", "a.cu:1: 'asm' is not counted"},
        {"__asm__ volatile (\"nop\");", "a.cu:1: '__asm__' is not counted"},
        {"__asm(\"nop\");", "a.cu:1: '__asm' is not counted"},
        {"extern float s[];", "a.cu:1: 'extern' names something outside of the file; a kernel may "
                              "be extern \"C\", and shared memory whose size is known at launch "
                              "extern __shared__"},
        {"memcpy(out, in, n);", "a.cu:1: 'memcpy' is not counted; assign the elements"},
        {"__device__ int f(int i) { return 1'000 + '{'; }\nint g(int i) { return g(i - 1); }",
         "a.cu:2: 'g' calls itself"},
        {"template <class... T> __device__ int f(int i, T... t) { return f(t...) + i; }",
         "a.cu:1: 'f' calls itself"},
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
        err.text[0] = '\0';
        assert_false(submission_check_text("a.cu", rows[i].text, &err));
        if (!g_str_has_prefix(err.text, rows[i].refusal))
            fail_msg("'%s' is not '%s'", err.text, rows[i].refusal);
    }
}

SUITE("submission", desk_set_up, desk_tear_down)
