// test_submission -- what is taken of a student's file, and what of ours.
#include "unit.h"

#include "base/file.h"
#include "grade/submission.h"
#include "folder.h"

struct desk {
    struct filter_list list;
    char *folder, *path;
};

static int set_up(void **state)
{
    struct error err = {""};
    struct desk *d = g_new0(struct desk, 1);
    if (!filter_list_load(&d->list, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    d->folder = g_dir_make_tmp("tilescope-submission-XXXXXX", NULL);
    d->path = g_build_filename(d->folder, "Team 7.cu", NULL);
    *state = d;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *d = *state;
    filter_list_finish(&d->list);
    folder_remove(d->folder);
    g_free(d->folder);
    g_free(d->path);
    g_free(d);
    return 0;
}

static bool open_text(struct desk *d, struct submission *s, const char *given, const char *text,
                      struct error *err)
{
    assert_true(g_file_set_contents(d->path, text, -1, NULL));
    return submission_open(s, filter_find(&d->list, given), d->path, TILESCOPE_KERNELS, err);
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
    struct submission s;
    struct error err = {""};
    if (!open_text(d, &s, "transpose", other_arrays, &err)) fail_msg("%s", err.text);
    assert_string_equal(s.filter.name, "transpose");
    assert_string_equal(s.filter.title, "Transpose");
    assert_int_equal(s.filter.param_count, 2);
    assert_int_equal(s.filter.array_count, 3);
    assert_int_equal(s.filter.variant_count, 2);
    assert_string_equal(s.filter.variants[1].name, "two");
    assert_false(filter_has_reference(&s.filter));
    assert_string_equal(s.notes, "struct params of the file is not transpose's and was ignored\n"
                                 "struct arrays of the file is not transpose's and was ignored\n"
                                 "REFERENCE of the file is not transpose's and was ignored\n");
    submission_close(&s);
}

// Also for one that was saved with a byte order mark.
static void what_is_in_comments_is_left_out(void **state)
{
    struct submission s;
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
    if (!open_text(*state, &s, "transpose", text, &err)) fail_msg("%s", err.text);
    assert_int_equal(s.filter.variant_count, 1);
    assert_int_equal(s.filter.array_count, 3);
    assert_string_equal(s.notes, "");
    assert_true(
        g_str_has_prefix(s.filter.source, "/* #include \"lab.h\" */\n#include \"given.h\""));
    submission_close(&s);
}

// So that a compiler names them as the student does.
static void lines_stay_where_they_are(void **state)
{
    struct desk *d = *state;
    struct submission s;
    struct error err = {""};
    assert_true(open_text(d, &s, "transpose", other_arrays, &err));
    char **lines = g_strsplit(s.filter.source, "\n", -1);
    assert_string_equal(lines[0], "");
    assert_string_equal(lines[1], "#include \"given.h\"");
    assert_string_equal(lines[6], "");
    assert_string_equal(lines[8], "KERNEL(one) { d.b[0] = p.rows; }");
    g_strfreev(lines);
    submission_close(&s);
    assert_false(open_text(d, &s, "transpose",
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
        struct submission s;
        struct error err = {""};
        assert_false(open_text(d, &s, "transpose", rows[i].text, &err));
        if (!strstr(err.text, rows[i].why)) fail_msg("'%s' is not in '%s'", rows[i].why, err.text);
        assert_null(s.folder);
    }
}

// All steps before the sandbox take a text of this size in no time.
static void long_texts_are_refused(void **state)
{
    struct submission s;
    struct error err = {""};
    char *text = g_strnfill(SUBMISSION_MAX_BYTES + 1, ';');
    assert_false(open_text(*state, &s, "transpose", text, &err));
    assert_string_equal(err.text, "Team 7.cu is larger than 256 KB");
    g_free(text);
}

static void all_work_is_timed(void **state)
{
    struct submission s;
    struct error err = {""};
    assert_true(open_text(*state, &s, "transpose",
                          "#include \"lab.h\"\n//! untimed 32x8\nKERNEL(a) {}\n"
                          "//! variant one 32x8 prepare=a\nKERNEL(one) {}\n"
                          "//! variant two 32x8\nKERNEL(two) {}\n",
                          &err));
    assert_false(submission_can_be_graded(&s, &s.filter.variants[0], &err));
    assert_non_null(strstr(err.text, "Team 7.cu: variant 'one' has prepare= or finish="));
    assert_true(submission_can_be_graded(&s, &s.filter.variants[1], &err));
    submission_close(&s);
}

// A skeleton is a submission, and the viewer takes it for a kernel file.
static void a_skeleton_is_whole(void **state)
{
    struct desk *d = *state;
    for (int i = 0; i < d->list.count; i++) {
        struct submission s;
        struct filter f;
        struct error err = {""};
        const struct filter *given = &d->list.filters[i];
        char *text = submission_skeleton(given);
        if (!filter_parse(&f, "skeleton.cu", text, &err)) fail_msg("%s", err.text);
        assert_true(filter_has_reference(&f) && !f.key);
        filter_finish(&f);
        if (!open_text(d, &s, given->name, text, &err)) fail_msg("%s: %s", given->name, err.text);
        assert_string_equal(s.notes, "");
        assert_int_equal(s.filter.variant_count, 1);
        submission_close(&s);
        g_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ours_and_theirs_are_joined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_in_comments_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_stay_where_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(some_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_texts_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_work_is_timed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_skeleton_is_whole, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
