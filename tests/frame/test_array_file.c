// Files of arrays: their heads, the params that they fix, and whether they fit. No device is
// needed; test_run.sh copies elements.
#include "unit.h"

#include <glib/gstdio.h>

#include "frame/array_file.h"
#include "folder.h"

static const char source[] = "//! lab \"Near\"\n"
                             "//! file .bin n reach x -> n s\n"
                             "//! param n 4 [1, 64] numbers\n"
                             "//! param reach 1 [0, 8] neighbours\n"
                             "//! param scale float 1 [0, 8] of nothing\n"
                             "//! array x int in [n] counted\n"
                             "//! array y unsigned char in [ reach ][n + 1][n] counted\n"
                             "//! array z float in [scale] noise 0, 1\n"
                             "//! array s int out [n]\n"
                             "//! variant naive 32x8\n"
                             "__global__ void near_naive() {}\n";

enum { X, Y, Z, S };

struct world {
    struct filter lab;
    char *folder;
};

static int make_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    must(filter_parse(&w->lab, "labs/near.cu", source, NULL, &err));
    w->folder = g_dir_make_tmp("tilescope-array-file-XXXXXX", NULL);
    *state = w;
    return !w->folder || g_chdir(w->folder);
}

static int end_world(void **state)
{
    g_autofree struct world *w = *state;
    const int failed = g_chdir("/") || !file_remove_all(w->folder);
    filter_finish(&w->lab);
    g_free(w->folder);
    return failed;
}

static void put(const char *path, const void *bytes, size_t size)
{
    assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
}

static void put_npy(const char *path, const struct npy *head, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(npy_write(head, file, NULL));
    for (size_t i = 0; i < bytes; i++) fputc(1, file);
    fclose(file);
}

#define IN_WORLD(name) TEST_OF(struct world *w, name, NULL, NULL)

IN_WORLD(endings_are_forms)
{
    static const struct {
        int array;
        const char *path, *message;  // NULL: it is taken
        enum array_form form;
    } rows[] = {
        {X, "a.npy", NULL, ARRAY_FILE_NPY},
        {X, "a.b/c.bin", NULL, ARRAY_FILE_BIN},
        {S, ".bin", NULL, ARRAY_FILE_BIN},
        {Y, "y.npy", NULL, ARRAY_FILE_NPY},
        {Y, "y.bin", "'y.bin': a .bin of near holds x or s, not y", 0},
        {X, "a.npy.gz", "'a.npy.gz' ends neither in .npy nor in .bin", 0},
        {X, "npy", "'npy' ends neither in .npy nor in .bin", 0},
        {X, "", "'' ends neither in .npy nor in .bin", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        enum array_form form;
        err.text[0] = '\0';
        const bool is_taken = array_file_form(&form, &w->lab, rows[i].array, rows[i].path, &err);
        assert_string_equal(err.text, rows[i].message ? rows[i].message : "");
        assert_int_equal(is_taken, !rows[i].message);
        if (is_taken) assert_int_equal(form, rows[i].form);
    }
}

static struct array_input opened(const struct world *w, int array, const char *path)
{
    struct array_input in = {0};
    must(array_input_open(&in, &w->lab, array, path, &err));
    return in;
}

// Which params a file fixes: those at the front of a .bin, and sides that are a param alone.
IN_WORLD(files_fix_params)
{
    static const gint32 words[] = {3, -7, 1, 2, 3};
    put("x.bin", words, sizeof words);
    OWNED(array_input_finish) struct array_input in = opened(w, X, "x.bin");
    assert_int_equal(in.fixed_count, 2);
    assert_true(in.fixed[0].param == 0 && in.fixed[0].value == 3);
    assert_true(in.fixed[1].param == 1 && in.fixed[1].value == -7);
    assert_int_equal(in.bytes, 12);
    array_input_finish(&in);
    array_input_finish(&in);

    put_npy("y.npy", &(struct npy){"|u1", 3, {2, 6, 5}}, 60);
    in = opened(w, Y, "y.npy");
    assert_int_equal(in.fixed_count, 2);
    assert_true(in.fixed[0].param == 1 && in.fixed[0].value == 2);
    assert_true(in.fixed[1].param == 0 && in.fixed[1].value == 5);
    array_input_finish(&in);

    put_npy("z.npy", &(struct npy){"<f4", 1, {5}}, 20);  // a float is no side
    in = opened(w, Z, "z.npy");
    assert_int_equal(in.fixed_count, 0);
}

static void expect_fit(const struct world *w, int array, const char *path, const char *message)
{
    struct arrays_layout layout;
    err.text[0] = '\0';
    struct choice choice = {.filter = &w->lab, .settings = {.params = filter_defaults(&w->lab)}};
    double *const v = choice.settings.params.v;
    OWNED(array_input_finish) struct array_input in = opened(w, array, path);
    for (int i = 0; i < in.fixed_count; i++) v[in.fixed[i].param] = in.fixed[i].value;
    assert_true(arrays_plan(&layout, &choice, (struct planes){0}, &err));
    assert_int_equal(array_input_check(&in, &layout.places[array], &err), !message[0]);
    assert_string_equal(err.text, message);
}

IN_WORLD(files_must_fit)
{
    static const gint32 words[] = {3, 1, 1, 2, 3, 4};
    put("fits.bin", words, 20);
    put("short.bin", words, 19);
    put("long.bin", words, 24);
    expect_fit(w, X, "fits.bin", "");
    expect_fit(w, X, "short.bin", "cannot read 'short.bin': it ends after 11 of the 12 bytes of x");
    expect_fit(w, X, "long.bin",
               "cannot read 'long.bin': it goes on for 4 bytes after the last element of x");

    put_npy("fits.npy", &(struct npy){"|u1", 3, {2, 6, 5}}, 60);
    put_npy("other.npy", &(struct npy){"|u1", 3, {2, 5, 6}}, 60);
    put_npy("short.npy", &(struct npy){"|u1", 3, {2, 6, 5}}, 59);
    expect_fit(w, Y, "fits.npy", "");
    expect_fit(w, Y, "other.npy",
               "cannot read 'other.npy': its shape is (2, 5, 6), and that of y is (2, 7, 6)");
    expect_fit(w, Y, "short.npy", "cannot read 'short.npy': it ends after 59 of the 60 bytes of y");
}

IN_WORLD(other_files_are_refused)
{
    static const struct {
        struct npy head;
        const char *message;
    } rows[] = {
        {{"<u4", 1, {5}}, "its elements are '<u4', and those of x are '<i4' (int)"},
        {{"<i4", 0, {0}}, "its shape is (), and that of x is [n]"},
        {{"<i4", 8, {1, 1, 1, 1, 1, 1, 1, 1}},
         "its shape is (1, 1, 1, 1, 1, 1, 1, 1), and that of x is [n]"},
    };
    struct array_input in = {.array = 77};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        err.text[0] = '\0';
        put_npy("x.npy", &rows[i].head, 20);
        assert_false(array_input_open(&in, &w->lab, X, "x.npy", &err));
        g_autofree char *message = g_strconcat("cannot read 'x.npy': ", rows[i].message, NULL);
        assert_string_equal(err.text, message);
        assert_int_equal(in.array, 77);
    }
    put("x.bin", "1234567", 7);
    assert_false(array_input_open(&in, &w->lab, X, "x.bin", &err));
    assert_string_equal(err.text, "cannot read 'x.bin': it ends before reach");
}

SUITE("array_file", make_world, end_world)
