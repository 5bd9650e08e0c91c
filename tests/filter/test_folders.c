// Folders of kernel files, and those of this tree.
#include "unit.h"

#include <glib/gstdio.h>
#include <stdio.h>

#include "filter/choice.h"
#include "filter/files.h"
#include "folder.h"

// ---- folders ----

static void put(const char *folder, const char *name, const char *text, gssize size)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    assert_true(g_file_set_contents(path, text, size, NULL));
}

static struct filter_list loaded(const char *folder)
{
    struct filter_list list;
    must(filter_list_load(&list, folder, NULL, &err));
    return list;
}

// message: "%s" is the folder.
static void assert_folder_refused(const char *folder, const char *message)
{
    g_autofree char *whole = g_strdup_printf(message, folder);
    struct filter_list list = {(struct filter *)1, 42};
    err.text[0] = '\0';
    assert_false(filter_list_load(&list, folder, NULL, &err));
    assert_string_equal(err.text, whole);
    assert_int_equal(list.count, 42);
    assert_ptr_equal(list.filters, (struct filter *)1);
}

#define IN_FOLDER(name) TEST_WITH(name, folder_set_up, folder_tear_down)

IN_FOLDER(a_folder_is_sorted)
{
    static const char *const names[] = {"zoom", "invert", "b2", "mean", "a", "b10", "flip"};
    static const char *const sorted[] = {"a", "b10", "b2", "flip", "invert", "mean", "zoom"};
    char name[32];
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        snprintf(name, sizeof name, "%s.cu", names[i]);
        put(*state, name, MEAN NAIVE, -1);
    }
    put(*state, ".hidden.cu", "oops", -1);
    put(*state, "kernel.h", "oops", -1);
    put(*state, "mean.cu~", "oops", -1);
    put(*state, "mean.cuh", "oops", -1);
    OWNED(filter_list_finish) struct filter_list list = loaded(*state);
    assert_int_equal(list.count, G_N_ELEMENTS(sorted));
    for (int i = 0; i < list.count; i++) {
        assert_string_equal(list.filters[i].name, sorted[i]);
        assert_ptr_equal(filter_find(&list, sorted[i]), &list.filters[i]);
    }
    assert_null(filter_find(&list, "kernel"));
    assert_null(filter_find(&list, ""));
    filter_list_finish(&list);
    assert_int_equal(list.count, 0);
}

#define PART_USER                                   \
    MEAN "#include \"part.h\"\n"                    \
         "//! param radius 3 [0, 64]\n"             \
         "//! variant naive 32x8 shared=part * 2\n" \
         "__global__ void mean_naive() {}\n"

IN_FOLDER(lets_of_a_header)
{
    put(*state, "part.h", "// A comment, and //! no directive.\n//! let part = bw + radius\r\n",
        -1);
    put(*state, "a.cu", PART_USER, -1);
    put(*state, "b.cu", MEAN "#include \"nowhere.h\"\n#include \"../part.h\"\n" NAIVE, -1);
    OWNED(filter_list_finish) struct filter_list list = loaded(*state);
    static const double values[] = {32, 8, 640, 480, 132, 5};
    long long value;
    assert_int_equal(list.filters[0].let_count, 1);
    assert_string_equal(list.filters[0].lets[0].expr.text, "bw + radius");
    const struct pass *naive = &list.filters[0].variants[0].passes[0];
    assert_true(expr_eval(&naive->shared, values, &value, NULL));
    assert_int_equal(value, 74);
    assert_int_equal(list.filters[1].let_count, 0);
}

IN_FOLDER(bad_lets_of_a_header)
{
    static const struct {
        const char *header, *place, *message;
    } bad[] = {
        {"\n//! let part = 2*x\n", "part.h:2", "let part: unknown name 'x' in '2*x'"},
        {"//! let part = 2\n//! let part = 3", "part.h:2", "a second let 'part'"},
        {"//! variant second 32x8\n", "part.h:1",
         "a header may hold no directive but let and untimed"},
        {"//! untimed 8x8\n", "part.h:1", "the untimed line has no kernel below it"},
        {"//! let part = 1\n//! untimed 8x8\n__global__ void mean_naive() {}\n", "a.cu:5",
         "a second kernel 'mean_naive'"},
        {"//!let", "part.h:1", "expected: //! let name = EXPR"},
        {"//! let part\xff = 2", "part.h:1", "not UTF-8 text"},
        {"// //! let part = 2\n", "a.cu:4", "shared=: unknown name 'part' in 'part * 2'"},
    };
    put(*state, "a.cu", PART_USER, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        put(*state, "part.h", bad[i].header, -1);
        g_autofree char *message = g_strdup_printf("%%s/%s: %s", bad[i].place, bad[i].message);
        assert_folder_refused(*state, message);
    }
}

// ---- filters/ and labs/ ----

#define LAB "//! lab \"Lab\"\n//! array b int out [1]\n" NAIVE

static void make_rooms(const char *folder)
{
    for (int i = 0; i < FILTER_FOLDERS; i++) {
        g_autofree char *room = g_build_filename(folder, filter_folders[i], NULL);
        assert_int_equal(g_mkdir(room, 0700), 0);
    }
}

IN_FOLDER(filters_and_labs_are_one_list)
{
    make_rooms(*state);
    put(*state, "labs/access.cu", LAB, -1);
    put(*state, "filters/mean.cu", MEAN NAIVE, -1);
    put(*state, "labs/sum.cu", LAB, -1);
    put(*state, "own.cu", MEAN NAIVE, -1);
    put(*state, "filters/note.txt", "oops", -1);
    static const char *const sorted[] = {"access", "mean", "own", "sum"};
    OWNED(filter_list_finish) struct filter_list list = loaded(*state);
    assert_int_equal(list.count, G_N_ELEMENTS(sorted));
    for (int i = 0; i < list.count; i++) assert_string_equal(list.filters[i].name, sorted[i]);
    assert_false(filter_has_picture(&list.filters[0]));
    assert_true(filter_has_picture(&list.filters[1]));
    assert_true(g_str_has_suffix(list.filters[3].path, "/labs/sum.cu"));
}

IN_FOLDER(files_with_mistakes_are_left_out)
{
    make_rooms(*state);
    put(*state, "filters/a.cu", MEAN NAIVE "//! oops\n", -1);
    put(*state, "labs/sum.cu", LAB "//! oops\n", -1);
    g_autofree char *mistakes =
        g_strdup_printf("%s/filters/a.cu:6: unknown directive 'oops'; " KNOWN
                        "\n%s/labs/sum.cu:7: unknown directive 'oops'; " KNOWN,
                        (char *)*state, (char *)*state);
    struct filter_list list;
    assert_false(filter_list_load(&list, *state, NULL, &err));
    assert_memory_equal(err.text, mistakes, strlen(err.text));
    assert_int_equal(mistakes[strlen(err.text)], '\n');

    put(*state, "filters/b.cu", MEAN NAIVE, -1);
    put(*state, "z.cu", MEAN NAIVE, -1);
    must(filter_list_load(&list, *state, NULL, &err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.filters[0].name, "b");
    assert_string_equal(list.filters[1].name, "z");
    assert_string_equal(list.mistakes, mistakes);
    filter_list_finish(&list);
    assert_null(list.mistakes);
}

IN_FOLDER(two_files_of_one_name)
{
    static const char *const paths[] = {"labs/mean.cu", "filters/mean.cu", "mean.cu"};
    make_rooms(*state);
    put(*state, "zoom.cu", MEAN NAIVE, -1);
    for (int first = 0; first < 3; first++) {
        const char *const one = paths[first], *const other = paths[(first + 1) % 3];
        g_autofree char *unlinked = g_build_filename(*state, paths[(first + 2) % 3], NULL);
        g_remove(unlinked);
        put(*state, one, strstr(one, "labs") ? LAB : MEAN NAIVE, -1);
        put(*state, other, strstr(other, "labs") ? LAB : MEAN NAIVE, -1);
        struct filter_list list = {0};
        err.text[0] = '\0';
        assert_false(filter_list_load(&list, *state, NULL, &err));
        assert_true(g_str_has_suffix(err.text, "have one name"));
        assert_non_null(strstr(err.text, one));
        assert_non_null(strstr(err.text, other));
        assert_null(list.filters);
    }
}

// In the order of files, another one lies between "a b" and "a_b".
IN_FOLDER(two_files_whose_names_become_one)
{
    make_rooms(*state);
    put(*state, "labs/a b.cu", LAB, -1);
    put(*state, "labs/aX.cu", LAB, -1);
    put(*state, "labs/a_b.cu", LAB, -1);
    struct filter_list list = {0};
    assert_false(filter_list_load(&list, *state, NULL, &err));
    assert_true(g_str_has_suffix(err.text, "have one name"));
    assert_non_null(strstr(err.text, "a b.cu"));
    assert_non_null(strstr(err.text, "a_b.cu"));
}

// A header lies beside the two folders, or beside the file, which comes first.
IN_FOLDER(headers_above_a_lab)
{
    static const char user[] = "//! lab \"Lab\"\n#include \"part.h\"\n"
                               "//! array b int out [part]\n" NAIVE;
    make_rooms(*state);
    put(*state, "part.h", "//! let part = 7\n", -1);
    put(*state, "labs/lab.cu", user, -1);
    for (int part = 7; part < 9; part++) {
        OWNED(filter_list_finish) struct filter_list list = loaded(*state);
        struct arrays_layout layout;
        const struct choice choice = {.filter = &list.filters[0]};
        assert_true(arrays_plan(&layout, &choice, (struct planes){0}, NULL));
        assert_int_equal(layout.places[0].count, part);
        put(*state, "labs/part.h", "//! let part = 8\n", -1);
    }
}

IN_FOLDER(a_folder_with_too_many)
{
    OWNED(filter_list_finish) struct filter_list list;
    char name[32];
    for (int i = 0; i < FILTER_MAX_FILES; i++) {
        snprintf(name, sizeof name, "f%d.cu", i);
        put(*state, name, MEAN NAIVE, -1);
    }
    assert_true(filter_list_load(&list, *state, NULL, NULL));
    assert_int_equal(list.count, FILTER_MAX_FILES);
    put(*state, "more.cu", MEAN NAIVE, -1);
    assert_folder_refused(*state, "the kernel folder '%s' holds more than 64 .cu files");
}

IN_FOLDER(a_folder_without_texts)
{
    assert_folder_refused(*state, "the kernel folder '%s' holds no .cu file");
    assert_folder_refused("/nowhere/at all",
                          "cannot open the kernel folder '%s': No such file or directory");
    static const char text[] = MEAN NAIVE "\0//! variant second 8x8\n__global__ void x() {}\n";
    put(*state, "a.cu", text, sizeof text - 1);
    assert_folder_refused(*state, "cannot read '%s/a.cu': it is not text");
}

// ---- the files of this tree ----

static void assert_note(const struct filter *f, char **lines, int directive)
{
    int first = directive;
    while (first > 0 && g_str_has_prefix(lines[first - 1], "// ")) first--;
    if (directive - first < 1 || directive - first > 3)
        fail_msg("%s:%d: a note of %d lines; one to three are wanted", f->path, directive + 1,
                 directive - first);
}

// A lab's further passes, which clear something say, need no note of their own.
static bool is_first_pass(const struct filter *f, const char *kernel)
{
    for (int v = 0; v < f->variant_count; v++) {
        const struct pass *own = &f->variants[v].passes[*f->before.entry ? 1 : 0];
        g_autofree char *name = g_strdup_printf(" %s(", own->kernel);
        const bool is_first = strstr(kernel, name);
        if (is_first) return true;
    }
    return false;
}

static bool is_named_with_of(const struct filter *f, const char *kernel)
{
    g_autofree char *words = g_strdup_printf(" of %s", kernel);
    return strstr(f->source, words);
}

TEST(the_kernels_of_the_tree)
{
    OWNED(filter_list_finish) struct filter_list list = loaded(TILESCOPE_KERNELS);
    assert_true(list.count >= 2);
    for (int i = 0; i < list.count; i++) {
        const struct filter *f = &list.filters[i];
        if (filter_has_picture(f)) assert_string_equal(f->variants[0].name, "naive");
        g_auto(GStrv) lines = g_strsplit(f->source, "\n", -1);
        int directives = 0, kernels = 0, untimed = 0, passes = 0;
        for (int line = 0; lines[line]; line++) {
            kernels += g_str_has_prefix(lines[line], "__global__ ");
            untimed += g_str_has_prefix(lines[line], "//! untimed ");
            if (!g_str_has_prefix(lines[line], "//! variant ")) continue;
            if (strstr(lines[line], " of ")) continue;  // the kernel stands elsewhere
            directives++;
            const bool is_compiled = g_str_has_prefix(lines[line + 1], "//! compiled ");
            const char *const kernel = lines[line + 1 + is_compiled];
            if (filter_has_picture(f) || is_first_pass(f, kernel)) assert_note(f, lines, line);
            assert_true(g_str_has_prefix(kernel, "__global__ "));
        }
        for (int v = 0; v < f->variant_count; v++) {
            for (int k = *f->before.entry != 0; k < f->variants[v].pass_count; k++)
                passes += !is_named_with_of(f, f->variants[v].passes[k].kernel);
            if (strlen(f->variants[v].note) < 20 ||
                strlen(f->variants[v].note) >= sizeof f->variants[v].note - 1)
                fail_msg("%s: the note of %s does not fit", f->path, f->variants[v].name);
        }
        assert_int_equal(directives, passes);
        // Others stand in headers.
        assert_int_equal(kernels, passes + untimed + (*f->before.entry ? 1 : 0));
        assert_true(untimed <= f->untimed_count);
        for (int p = 0; p < f->param_count; p++) assert_true(f->params[p].help[0]);
        for (int a = 0; a < f->array_count; a++)
            assert_true(f->arrays[a].has_reference == (f->arrays[a].kind == ARRAY_OUT));
    }
}
