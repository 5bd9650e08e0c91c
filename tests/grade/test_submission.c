// test_submission -- which texts a submission may have, what is taken of it, and what of ours.
#include "desk.h"

static bool open_text(struct desk *d, const char *given, const char *text, struct error *err)
{
    char *path = g_build_filename(d->folder, "Team 7.cu", NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    submission_close(&d->submission);
    const bool is_open =
        submission_open(&d->submission, filter_find(&d->list, given), path, TILESCOPE_KERNELS, err);
    g_free(path);
    return is_open;
}

static const char other_arrays[] = "//! lab \"Mine\" key Z\n"
                                   "#include \"lab.h\"\n"
                                   "struct params { int n; };\n"
                                   "struct arrays {\n"
                                   "    float *b;\n"
                                   "};\n"
                                   "REFERENCE(b) { return 7; }\n"
                                   "//! variant one 32x8\n"
                                   "KERNEL(one) { d.b[0] = p.rows; }\n"
                                   "//! variant two 64x1 each=2x1\n"
                                   "KERNEL(two) { d.b[0] = 2; }\n";

static void ours_and_theirs_are_joined(void **state)
{
    struct desk *d = *state;
    const struct submission *s = &d->submission;
    struct error err = {""};
    if (!open_text(d, "transpose", other_arrays, &err)) fail_msg("%s", err.text);
    assert_string_equal(s->filter.name, "transpose");
    assert_string_equal(s->filter.title, "Transpose");
    assert_int_equal(s->filter.param_count, 2);
    assert_int_equal(s->filter.array_count, 3);
    assert_int_equal(s->filter.variant_count, 2);
    assert_string_equal(s->filter.variants[1].name, "two");
    assert_false(filter_has_reference(&s->filter));
    assert_string_equal(s->notes, "struct params of the file is not transpose's and was ignored\n"
                                  "struct arrays of the file is not transpose's and was ignored\n"
                                  "REFERENCE of the file is not transpose's and was ignored\n");
}

// Also for one that was saved with a byte order mark.
static void what_is_in_comments_is_left_out(void **state)
{
    struct desk *d = *state;
    const struct submission *s = &d->submission;
    struct error err = {""};
    const char *const text = "\xef\xbb\xbf/* #include \"lab.h\" */\n"
                             "#include \"lab.h\"\n"
                             "/* my first try\n"
                             "struct arrays {\n"
                             "    const float *a;  //! in [rows][columns] noise 0, 255\n"
                             "    float *more;  //! out [rows]\n"
                             "};\n"
                             "//! variant first 32x\n"
                             "KERNEL(first) {}\n"
                             "*/\n"
                             "//! variant one 32x8\n"
                             "KERNEL(one) {}\n";
    if (!open_text(*state, "transpose", text, &err)) fail_msg("%s", err.text);
    assert_int_equal(s->filter.variant_count, 1);
    assert_int_equal(s->filter.array_count, 3);
    assert_string_equal(s->notes, "");
    assert_true(
        g_str_has_prefix(s->filter.source, "/* #include \"lab.h\" */\n#include \"given.h\""));
}

// So that a compiler names them as the student does.
static void lines_stay_where_they_are(void **state)
{
    struct desk *d = *state;
    const struct submission *s = &d->submission;
    struct error err = {""};
    assert_true(open_text(d, "transpose", other_arrays, &err));
    char **lines = g_strsplit(s->filter.source, "\n", -1);
    assert_string_equal(lines[0], "");
    assert_string_equal(lines[1], "#include \"given.h\"");
    assert_string_equal(lines[6], "");
    assert_string_equal(lines[8], "KERNEL(one) { d.b[0] = p.rows; }");
    g_strfreev(lines);
    assert_false(open_text(d, "transpose",
                           "#include \"lab.h\"\n\n//! variant one 32x\nKERNEL(one) {}\n", &err));
    assert_string_equal(err.text, "Team 7.cu:3: expected: //! variant name WxH");
}

static void some_are_refused(void **state)
{
    struct desk *d = *state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"//! variant one 32x8\nKERNEL(one) {}\n",
         "Team 7.cu:1: the file does not include \"lab.h\""},
        {"#include \"lab.h\"\n", "no line: //! variant name WxH"},
        {"#include \"lab.h\"\nasm(\"\");\n", "Team 7.cu:2: 'asm' is not counted"},
        {"#include \"lab.h\"\n#define PAD \\\nstruct arrays { \\\n"
         "const float *pad;  //! in [rows] noise 0, 255\n//! variant one 32x8\nKERNEL(one) {}\n",
         "Team 7.cu declares params or arrays beside those of transpose"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct submission *s = &d->submission;
        struct error err = {""};
        assert_false(open_text(d, "transpose", rows[i].text, &err));
        if (!strstr(err.text, rows[i].why)) fail_msg("'%s' is not in '%s'", rows[i].why, err.text);
        assert_null(s->folder);
    }
}

// All steps before the sandbox take a text of this size in no time.
static void long_texts_are_refused(void **state)
{
    struct error err = {""};
    char *text = g_strnfill(SUBMISSION_MAX_BYTES + 1, ';');
    assert_false(open_text(*state, "transpose", text, &err));
    assert_string_equal(err.text, "Team 7.cu is larger than 256 KB");
    g_free(text);
}

static void all_work_is_timed(void **state)
{
    struct desk *d = *state;
    const struct submission *s = &d->submission;
    struct error err = {""};
    assert_true(open_text(d, "transpose",
                          "#include \"lab.h\"\n//! untimed 32x8\nKERNEL(a) {}\n"
                          "//! variant one 32x8 prepare=a\nKERNEL(one) {}\n"
                          "//! variant two 32x8\nKERNEL(two) {}\n",
                          &err));
    assert_false(submission_can_be_graded(s, &s->filter.variants[0], &err));
    assert_non_null(strstr(err.text, "Team 7.cu: variant 'one' has prepare= or finish="));
    assert_true(submission_can_be_graded(s, &s->filter.variants[1], &err));
}

// A skeleton is a submission, and the viewer takes it for a kernel file.
static void a_skeleton_is_whole(void **state)
{
    struct desk *d = *state;
    for (int i = 0; i < d->list.count; i++) {
        const struct submission *s = &d->submission;
        struct filter f;
        struct error err = {""};
        const struct filter *given = &d->list.filters[i];
        char *text = submission_skeleton(given);
        if (!filter_parse(&f, "skeleton.cu", text, &err)) fail_msg("%s", err.text);
        assert_true(filter_has_reference(&f) && !f.key);
        filter_finish(&f);
        if (!open_text(d, given->name, text, &err)) fail_msg("%s: %s", given->name, err.text);
        assert_string_equal(s->notes, "");
        assert_int_equal(s->filter.variant_count, 1);
        g_free(text);
    }
}

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
        if (!submission_check_text("a.cu", texts[i], &err)) fail_msg("%s", err.text);
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
        assert_false(submission_check_text("a.cu", rows[i].text, &err));
        if (!g_str_has_prefix(err.text, rows[i].refusal))
            fail_msg("'%s' is not '%s'", err.text, rows[i].refusal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_allowed),
        cmocka_unit_test(others_are_refused_by_name),
        cmocka_unit_test(ours_and_theirs_are_joined),
        cmocka_unit_test(what_is_in_comments_is_left_out),
        cmocka_unit_test(lines_stay_where_they_are),
        cmocka_unit_test(some_are_refused),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(all_work_is_timed),
        cmocka_unit_test(a_skeleton_is_whole),
    };
    return cmocka_run_group_tests(tests, desk_set_up, desk_tear_down);
}
