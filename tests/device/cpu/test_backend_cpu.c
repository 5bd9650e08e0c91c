#include "unit.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own_time.h"
#include "device/backend.h"
#include "endless.h"
#include "held_thread.h"
#include "folder.h"

static struct error err;  // of the last call; tests run one after the other

static void must(bool is_done)
{
    if (!is_done) fail_msg("%s", err.text);
}

static struct backend *open_cpu(void)
{
    char reasons[1024];
    struct backend *b = backend_open("cpu", reasons, sizeof reasons, &err);
    must(b != NULL);
    backend_set_include(b, TILESCOPE_KERNELS);
    return b;
}

static int set_up(void **state)
{
    *state = open_cpu();
    return 0;
}

static int tear_down(void **state)
{
    backend_close(*state);
    return 0;
}

static struct module *compile(struct backend *b, const char *path, const char *source,
                              const char *const *entries, const char *params)
{
    int count = 0;
    while (entries[count]) count++;
    const struct build build = {
        .path = path, .source = source, .entries = entries, .entry_count = count, .params = params};
    return backend_compile(b, &build, &err);
}

static struct module *compile_text(struct backend *b, const char *source)
{
    return compile(b, "some dir/text.cu", source, (const char *const[]){"k", NULL}, NULL);
}

static struct module *compile_file(struct backend *b, const char *name, const char *const *entries,
                                   const char *params)
{
    char *path = g_build_filename(TILESCOPE_SOURCE_DIR, name, NULL), *source;
    assert_true(g_file_get_contents(path, &source, NULL, NULL));
    struct module *m = compile(b, path, source, entries, params);
    must(m != NULL);
    g_free(source);
    g_free(path);
    return m;
}

// ---- facts ----

static void test_device(void **state)
{
    const struct device *d = backend_device(*state);
    assert_string_equal(d->id, "cpu");
    assert_non_null(strstr(d->name, " thread"));
    assert_true(d->driver[0] != '\0');
    assert_false(d->is_gpu);
    assert_true(d->multiprocessors >= 1);
    assert_int_equal(d->max_threads, 1024);
    assert_true(d->max_shared_bytes >= 200 * 1024);
}

static void test_thread_count_is_chosen(void **state)
{
    g_setenv("TILESCOPE_THREADS", "5", TRUE);
    struct backend *b = open_cpu();
    assert_int_equal(backend_device(b)->multiprocessors, 5);
    assert_non_null(strstr(backend_device(b)->name, "(5 threads)"));
    backend_close(b);
    g_unsetenv("TILESCOPE_THREADS");
}

// ---- pictures ----

struct pictures {
    struct planes host, in, out;
    unsigned char *result;
};

static struct pictures make_pictures(struct backend *b, int width, int height, int planes)
{
    struct pictures p;
    void *in, *out;
    const struct planes shape = planes_shape(width, height, planes);
    p.host = planes_at(shape, g_malloc(planes_bytes(shape)));
    p.result = g_malloc(planes_bytes(shape));
    for (size_t i = 0; i < planes_bytes(shape); i++)
        p.host.pixels[i] = (unsigned char)(i * i / 7 ^ i >> 3);
    must(backend_alloc(b, planes_bytes(shape), &in, &err));
    must(backend_alloc(b, planes_bytes(shape), &out, &err));
    assert_int_equal((uintptr_t)in % 512, 0);
    p.in = planes_at(shape, in);
    p.out = planes_at(shape, out);
    must(backend_upload(b, p.in, p.host, &err));
    must(backend_fill(b, p.out.pixels, 0xa5, planes_bytes(shape), &err));
    return p;
}

static void free_pictures(struct backend *b, struct pictures *p)
{
    backend_free(b, p->in.pixels);
    backend_free(b, p->out.pixels);
    g_free(p->host.pixels);
    g_free(p->result);
}

struct size {
    int width, height;
};
static const struct size sizes[] = {{1, 1}, {41, 1}, {67, 45}};
static const struct size blocks[] = {{8, 8}, {7, 5}, {128, 1}, {32, 32}};

static struct launch make_launch(const struct module *m, int entry, const struct pictures *p,
                                 struct size block, int each, const int *params)
{
    const int across = block.width * each;
    return (struct launch){
        .module = m,
        .entry = entry,
        .config = {.grid_width = (p->in.width + across - 1) / across,
                   .grid_height = (p->in.height + block.height - 1) / block.height,
                   .block_width = block.width,
                   .block_height = block.height},
        .out = p->out,
        .in = p->in,
        .params = params,
        .params_bytes = sizeof *params};
}

static void run(struct backend *b, const struct launch *launch, struct pictures *p)
{
    must(backend_fill(b, p->out.pixels, 0xa5, planes_bytes(p->out), &err));
    must(backend_launch(b, launch, &err));
    must(backend_wait(b, &err));
    must(backend_download(b, planes_at(p->out, p->result), p->out, &err));
}

static void expect_pictures(const struct pictures *p, const unsigned char *wanted, const char *what)
{
    const struct planes got = planes_at(p->out, p->result);
    for (int plane = 0; plane < got.count; plane++)
        for (int y = 0; y < got.height; y++)
            if (memcmp(planes_row(got, plane, y), wanted + (planes_row(got, plane, y) - p->result),
                       (size_t)got.width))
                fail_msg("%s, %dx%d: plane %d, row %d differs", what, got.width, got.height, plane,
                         y);
}

static void mean_slowly(struct planes in, int radius, unsigned char *to)
{
    const int area = (2 * radius + 1) * (2 * radius + 1);
    for (int plane = 0; plane < in.count; plane++)
        for (int y = 0; y < in.height; y++)
            for (int x = 0; x < in.width; x++) {
                int sum = 0;
                for (int v = y - radius; v <= y + radius; v++)
                    for (int u = x - radius; u <= x + radius; u++)
                        sum += planes_row(in, plane,
                                          CLAMP(v, 0, in.height - 1))[CLAMP(u, 0, in.width - 1)];
                to[planes_row(in, plane, y) - in.pixels + x] =
                    (unsigned char)((sum + area / 2) / area);
            }
}

static void check_means(struct backend *b, const struct module *m, struct pictures *p, int radius,
                        const char *what)
{
    unsigned char *wanted = g_malloc0(planes_bytes(p->in));
    mean_slowly(p->host, radius, wanted);
    for (int entry = 0; entry < 3; entry++)
        for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
            struct launch launch = make_launch(m, entry, p, blocks[i], 1, &radius);
            if (entry == 2)
                launch.config.shared_bytes = (size_t)(blocks[i].width + 2 * radius) *
                                             (size_t)(blocks[i].height + 2 * radius);
            run(b, &launch, p);
            expect_pictures(p, wanted, what);
        }
    g_free(wanted);
}

static const char *const mean_entries[] = {"mean_naive", "mean_texture", "mean_shared", NULL};

static void test_mean(void **state)
{
    static const int radii[] = {0, 1, 7, 64};
    struct backend *b = *state;
    struct module *m = compile_file(b, "kernels/filters/mean.cu", mean_entries, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(radii); k++) {
            // The biggest case is slow under sanitizers: one plane of it is enough.
            const int planes = sizes[i].height > 1 && radii[k] > 7 ? 1 : 3;
            struct pictures p = make_pictures(b, sizes[i].width, sizes[i].height, planes);
            check_means(b, m, &p, radii[k], "mean");
            free_pictures(b, &p);
        }
    }
    backend_unload(b, m);
}

static void test_unrolled_mean(void **state)
{
    struct backend *b = *state;
    struct module *m = compile_file(b, "kernels/filters/mean.cu", mean_entries, "{3}");
    struct pictures p = make_pictures(b, 67, 45, 3);
    check_means(b, m, &p, 3, "unrolled mean");

    // The radius is the literal: what the launch says no longer matters.
    unsigned char *wanted = g_malloc0(planes_bytes(p.in));
    const int other = 5;
    mean_slowly(p.host, 3, wanted);
    const struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &other);
    run(b, &launch, &p);
    expect_pictures(&p, wanted, "radius from the build");
    g_free(wanted);
    free_pictures(b, &p);
    backend_unload(b, m);
}

static void test_invert(void **state)
{
    static const char *const entries[] = {"invert_naive", "invert_vector", NULL};
    struct backend *b = *state;
    struct module *m = compile_file(b, "kernels/filters/invert.cu", entries, NULL);
    const int none = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct pictures p = make_pictures(b, sizes[i].width, sizes[i].height, 3);
        unsigned char *wanted = g_malloc(planes_bytes(p.in));
        for (size_t k = 0; k < planes_bytes(p.in); k++)
            wanted[k] = (unsigned char)(255 - p.host.pixels[k]);
        for (int entry = 0; entry < 2; entry++)
            for (size_t k = 0; k < G_N_ELEMENTS(blocks); k++) {
                const struct launch launch =
                    make_launch(m, entry, &p, blocks[k], entry ? 16 : 1, &none);
                run(b, &launch, &p);
                expect_pictures(&p, wanted, entries[entry]);
            }
        g_free(wanted);
        free_pictures(b, &p);
    }
    backend_unload(b, m);
}

// ---- compiling ----

static void expect_refused(struct backend *b, const char *source, const char *start,
                           const char *part)
{
    err.text[0] = '\0';
    assert_null(compile_text(b, source));
    if (!g_str_has_prefix(err.text, start) || !strstr(err.text, part))
        fail_msg("not '%s ... %s' but: %s", start, part, err.text);
    assert_null(strchr(err.text, '\033'));
    assert_null(strstr(err.text, "kernel.c"));
}

#define HEAD "#include \"kernel.h\"\nNO_PARAMS;\n"

static void test_compile_errors_have_file_and_line(void **state)
{
    struct backend *b = *state;
    expect_refused(b, HEAD "KERNEL(k)\n{\n    return 1 +;\n}\n",
                   "text.cu:5:", "expected expression");
    expect_refused(b, HEAD "KERNEL(k) { unknown_name++; }\n", "text.cu:3:13: ", "unknown_name");
    expect_refused(b, "#include \"nowhere.h\"\n", "text.cu:1:10: \"nowhere.h\" is not one",
                   "\n    #include \"nowhere.h\"\n             ^");
    // two mistakes, two lines
    expect_refused(b, HEAD "KERNEL(k) {\n    one();\n    two();\n}\n",
                   "text.cu:4:5: ", "\ntext.cu:5:5: ");
}

// The line itself, of the text that was compiled (no file of that name is there), and a caret.
static void test_compile_errors_show_the_line(void **state)
{
    static const struct {
        const char *line, *shown, *name;
    } lines[] = {
        {"int i = nowhere;", "\n    int i = nowhere;\n            ^", "nowhere"},
        {"\tint i =\tnowhere;", "\n    int i =    nowhere;\n               ^", "nowhere"},
        {"      int i = 1; /* \xc3\xa4 \xed\x95\x9c */ nowhere = i;",
         "\n    int i = 1; /* \xc3\xa4 \xed\x95\x9c */ nowhere = i;\n                          ^",
         "nowhere"},
        {"MIN(nowhere,\\\n    1);", "\n    MIN(nowhere,\\\n    ", "nowhere"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        char *source = g_strdup_printf(HEAD "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
                                            "KERNEL(k) {\n%s\n}\n",
                                       lines[i].line);
        expect_refused(*state, source, "text.cu:5:", lines[i].shown);
        assert_non_null(strstr(strchr(err.text, ' '), lines[i].name));
        assert_null(strstr(err.text, "some dir"));
        g_free(source);
    }
}

// An error in a header names the header, and shows its line.
static void test_compile_error_in_header(void **state)
{
    struct backend *b = *state;
    char *folder = g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
    char *header = g_build_filename(folder, "kernel.h", NULL);
    assert_true(g_file_set_contents(header, "\n  int a = nowhere;\n", -1, NULL));
    backend_set_include(b, folder);
    assert_null(compile_text(b, "#include \"kernel.h\"\n"));
    backend_set_include(b, TILESCOPE_KERNELS);
    assert_true(g_str_has_prefix(err.text, "kernel.h:2:11: "));
    assert_true(g_str_has_suffix(err.text, "\n    int a = nowhere;\n            ^"));
    // nor does a header include what is no header
    char *more = g_build_filename(folder, "more.inc", NULL);
    assert_true(g_file_set_contents(more, "", -1, NULL));
    assert_true(g_file_set_contents(header, "#include \"more.inc\"\n", -1, NULL));
    backend_set_include(b, folder);
    assert_null(compile_text(b, "#include \"kernel.h\"\n"));
    backend_set_include(b, TILESCOPE_KERNELS);
    assert_true(g_str_has_prefix(err.text, "kernel.h:1:10: \"more.inc\" is not one"));
    folder_remove(folder);
    g_free(more);
    g_free(header);
    g_free(folder);
}

static void test_long_log_is_cut_at_a_line(void **state)
{
    GString *source = g_string_new(HEAD "KERNEL(k) {\n");
    for (int i = 0; i < 90; i++)
        g_string_append_printf(source, "    name_that_is_nowhere_%d = 1;  // \xc3\xa4%300s\n", i,
                               "");
    g_string_append(source, "}\n");
    expect_refused(*state, source->str, "text.cu:4:5: ", "\n    name_that_is_nowhere_5 = 1;");
    assert_true(g_str_has_suffix(err.text, "\n... and more"));
    assert_true(strlen(err.text) > sizeof err.text / 2);
    g_string_free(source, TRUE);
}

static void test_unknown_words_do_not_compile(void **state)
{
    struct backend *b = *state;
    static const char *const bodies[] = {
        "scratch[0] = __activemask();",
        "scratch[0] = __no_such_word(1);",
        "scratch[0] = clock();",
        "scratch[0] = __dp4a((int)scratch[1], scratch[2], 0);",  // no mixed signs in CUDA
        "atomicAdd(out.pixels, 1);",                             // no atomics on bytes
        "int *p = scratch; *p = 0;",                             // C++ does not convert that
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        char *source = g_strdup_printf(HEAD "KERNEL(k) { %s }\n", bodies[i]);
        expect_refused(b, source, "text.cu:3:", "");
        g_free(source);
    }
}

static void test_missing_entries(void **state)
{
    struct backend *b = *state;
    expect_refused(b, HEAD "KERNEL(other) { }\n", "text.cu: ", "there is no kernel 'k'");
    expect_refused(b, HEAD "int nowhere(void);\nKERNEL(k) { nowhere(); }\n",
                   "text.cu: ", "nowhere");
    assert_null(strstr(err.text, ".so"));
}

static void test_no_compiler(void **state)
{
    char *before = g_strdup(g_getenv("CC"));
    g_setenv("CC", "/nonexistent/cc", TRUE);
    struct backend *b = open_cpu();
    assert_string_equal(backend_device(b)->driver, "no C compiler");
    assert_null(compile_text(b, HEAD "KERNEL(k) { }\n"));
    assert_string_equal(err.text, "no C compiler found: CC names '/nonexistent/cc'");
    backend_close(b);
    if (before)
        g_setenv("CC", before, TRUE);
    else
        g_unsetenv("CC");
    g_free(before);
}

// A compiler names a folder of a thousand libraries in several ways: each is opened once only.
static void test_compiler_files_are_listed_once(void **state)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char *more = g_strdup(g_getenv("LD_LIBRARY_PATH"));
    g_unsetenv("LD_LIBRARY_PATH");  // the compiler's own folders may be in it
    char **files = backend_compiler_files(&err);
    if (more) g_setenv("LD_LIBRARY_PATH", more, TRUE);
    must(files != NULL);
    bool has_libc = false;
    for (char **file = files; *file; file++) {
        char *folder = g_path_get_dirname(*file), *name = g_path_get_basename(*file);
        char *real = realpath(folder, NULL);
        if (g_str_has_suffix(name, ".so") &&
            !g_hash_table_add(seen, g_build_filename(real, name, NULL)))
            fail_msg("%s is listed twice", *file);
        has_libc |= !strcmp(name, "libc.so");
        free(real);
        g_free(name);
        g_free(folder);
    }
    assert_true(has_libc);
    g_strfreev(files);
    g_free(more);
    g_hash_table_destroy(seen);
}

// A compiler that knows its version and never compiles.
static void test_a_compiler_that_hangs_is_stopped(void **state)
{
    static const char script[] = "#!/bin/sh\n[ $1 = --version ] && exec echo hangs 1.0\n"
                                 "exec sleep 1000\n";
    char *before = g_strdup(g_getenv("CC")), *folder = g_dir_make_tmp("tilescope-XXXXXX", NULL);
    char *path = g_build_filename(folder, "cc", NULL);
    assert_true(g_file_set_contents(path, script, -1, NULL));
    assert_int_equal(g_chmod(path, 0700), 0);
    g_setenv("CC", path, TRUE);
    struct backend *b = open_cpu();
    assert_string_equal(backend_device(b)->driver, "hangs 1.0");
    const atomic_bool cancel = true;
    const struct build build = {.path = "text.cu",
                                .source = HEAD "KERNEL(k) { scratch[3] = 141592; }\n",
                                .entries = (const char *const[]){"k"},
                                .entry_count = 1,
                                .cancel = &cancel};
    assert_null(backend_compile(b, &build, &err));
    assert_non_null(strstr(err.text, "/cc' was stopped: it was cancelled"));
    backend_close(b);
    if (before)
        g_setenv("CC", before, TRUE);
    else
        g_unsetenv("CC");
    folder_remove(folder);
    g_free(path);
    g_free(folder);
    g_free(before);
}

// Threads that wait have stacks of 256 KB.
static void test_large_local_arrays(void **state)
{
    struct backend *b = *state;
    static const char kernel[] = "KERNEL(k) {\n"
                                 "    volatile unsigned char local[%d * 1024];\n"
                                 "    local[threadIdx.x] = 1;\n"
                                 "    __syncthreads();\n"
                                 "    for (int i = 0; i < (int)sizeof local; i++) local[i] = 7;\n"
                                 "    scratch[threadIdx.x] = local[threadIdx.x];\n"
                                 "}\n";
    char *fits = g_strdup_printf(kernel, 100), *text = g_strconcat(HEAD, fits, NULL);
    struct module *m = compile_text(b, text);
    must(m != NULL);
    struct pictures p = make_pictures(b, 128, 1, 1);
    const int none = 0;
    unsigned *scratch;
    must(backend_alloc(b, planes_bytes(p.in) * 4, (void **)&scratch, &err));
    struct launch launch = make_launch(m, 0, &p, blocks[2], 1, &none);
    launch.scratch = scratch;
    must(backend_launch(b, &launch, &err));
    must(backend_wait(b, &err));
    for (int i = 0; i < 128; i++) assert_int_equal(scratch[i], 7);
    backend_free(b, scratch);
    free_pictures(b, &p);
    backend_unload(b, m);
    g_free(text);
    g_free(fits);

    char *large = g_strdup_printf(kernel, 300);
    text = g_strconcat(HEAD, large, NULL);
    expect_refused(b, text, "text.cu:", "frame size");
    g_free(text);
    g_free(large);
}

static int count_files(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    int count = 0;
    while (g_dir_read_name(dir)) count++;
    g_dir_close(dir);
    return count;
}

// Spoils all files of a folder, and removes them the second time.
static void spoil(const char *folder, bool is_removed)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir));) {
        char *path = g_build_filename(folder, name, NULL);
        if (is_removed)
            g_unlink(path);
        else
            assert_true(g_file_set_contents(path, "spoilt", -1, NULL));
        g_free(path);
    }
    g_dir_close(dir);
}

static void compile_and_drop(struct backend *b, const char *source)
{
    struct module *m = compile_text(b, source);
    must(m != NULL);
    assert_int_equal(backend_facts(m)->max_threads, 1024);
    backend_unload(b, m);
}

static void test_cache(void **state)
{
    struct backend *b = *state;
    char *before = g_strdup(g_getenv("TILESCOPE_CACHE"));
    char *folder = g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
    g_setenv("TILESCOPE_CACHE", folder, TRUE);
    compile_and_drop(b, HEAD "KERNEL(k) { scratch[0] = 1; }\n");
    assert_int_equal(count_files(folder), 1);
    compile_and_drop(b, HEAD "KERNEL(k) { scratch[0] = 1; }\n");
    assert_int_equal(count_files(folder), 1);
    compile_and_drop(b, HEAD "KERNEL(k) { scratch[0] = 2; }\n");
    assert_int_equal(count_files(folder), 2);
    spoil(folder, false);
    compile_and_drop(b, HEAD "KERNEL(k) { scratch[0] = 1; }\n");
    spoil(folder, true);
    g_rmdir(folder);

    g_setenv("TILESCOPE_CACHE", "", TRUE);  // none
    compile_and_drop(b, HEAD "KERNEL(k) { scratch[0] = 1; }\n");
    if (before)
        g_setenv("TILESCOPE_CACHE", before, TRUE);
    else
        g_unsetenv("TILESCOPE_CACHE");
    g_free(before);
    g_free(folder);
}

// The only file of the cache.
static char *kept_file(void)
{
    const char *const folder = g_getenv("TILESCOPE_CACHE");
    GDir *dir = g_dir_open(folder, 0, NULL);
    char *path = g_build_filename(folder, g_dir_read_name(dir), NULL);
    assert_null(g_dir_read_name(dir));
    g_dir_close(dir);
    return path;
}

static char *enter_own_cache(void)
{
    char *before = g_strdup(g_getenv("TILESCOPE_CACHE"));
    char *folder = g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
    g_setenv("TILESCOPE_CACHE", folder, TRUE);
    g_free(folder);
    return before;
}

static void leave_own_cache(char *before)
{
    char *path = kept_file();
    g_unlink(path);
    g_rmdir(g_getenv("TILESCOPE_CACHE"));
    if (before)
        g_setenv("TILESCOPE_CACHE", before, TRUE);
    else
        g_unsetenv("TILESCOPE_CACHE");
    g_free(path);
    g_free(before);
}

static void compile_in(struct backend *b, const char *folder, const char *file)
{
    const char *const entries[] = {"k"};
    char *path = g_build_filename(folder, file, NULL);
    char *header = g_build_filename(folder, "kernel.h", NULL);
    const struct build build = {.path = path,
                                .source = HEAD "KERNEL(k) { scratch[0] = 3; }\n",
                                .entries = entries,
                                .entry_count = 1};
    assert_true(g_file_test(header, G_FILE_TEST_EXISTS));
    backend_set_include(b, folder);
    struct module *m = backend_compile(b, &build, &err);
    must(m != NULL);
    backend_unload(b, m);
    g_free(header);
    g_free(path);
}

static void test_a_copied_folder_is_not_compiled_again(void **state)
{
    struct backend *b = *state;
    char *before = enter_own_cache();
    char *folder = g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
    char *copy = g_build_filename(folder, "kernels", NULL);  // the same texts at another path
    assert_int_equal(symlink(TILESCOPE_KERNELS, copy), 0);
    compile_in(b, TILESCOPE_KERNELS, "text.cu");
    compile_in(b, copy, "copy.cu");
    assert_int_equal(count_files(g_getenv("TILESCOPE_CACHE")), 1);
    backend_set_include(b, TILESCOPE_KERNELS);
    assert_int_equal(g_unlink(copy), 0);
    assert_int_equal(g_rmdir(folder), 0);
    g_free(copy);
    g_free(folder);
    leave_own_cache(before);
}

// What a kernel leaves in the first word of scratch; 0: it fails.
static unsigned first_word(struct backend *b, const struct module *m)
{
    struct pictures p = make_pictures(b, 32, 1, 1);
    const int none = 0;
    unsigned *scratch;
    must(backend_alloc(b, planes_bytes(p.in) * 4, (void **)&scratch, &err));
    struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &none);
    launch.scratch = scratch;
    must(backend_launch(b, &launch, &err));
    const unsigned word = backend_wait(b, &err) ? scratch[0] : 0;
    backend_free(b, scratch);
    free_pictures(b, &p);
    return word;
}

// Another program may write over the file of a kernel that runs, or a disk may lose it.
static void test_what_is_loaded_no_longer_needs_its_file(void **state)
{
    struct backend *b = *state;
    char *before = enter_own_cache();
    struct module *m = compile_text(b, HEAD "KERNEL(k) { scratch[0] = 77; }\n");
    must(m != NULL);
    char *path = kept_file();
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(first_word(b, m), 77);
    backend_unload(b, m);
    g_free(path);
    leave_own_cache(before);
}

// Called when the entry is checked and not yet loaded.
static void replace_entry(void *text)
{
    char *path = kept_file();
    assert_true(g_file_set_contents(path, text, -1, NULL));
    g_free(path);
}

static void test_what_was_checked_is_what_is_loaded(void **state)
{
    struct backend *b = *state;
    char *before = enter_own_cache();
    const char *const entries[] = {"k"};
    const struct build_guard guard = {.data = "no kernel", .before_load = replace_entry};
    const struct build build = {.path = "text.cu",
                                .source = HEAD "KERNEL(k) { scratch[0] = 78; }\n",
                                .entries = entries,
                                .entry_count = 1,
                                .guard = &guard};
    struct module *m = backend_compile(b, &build, &err);
    must(m != NULL);
    assert_int_equal(first_word(b, m), 78);
    backend_unload(b, m);
    leave_own_cache(before);
}

// Its name in the process is free again, and the next object may get it.
static void test_each_object_is_loaded_for_itself(void **state)
{
    struct backend *b = *state;
    struct module *kept = NULL;
    for (unsigned i = 1; i <= 5; i++) {
        char *text = g_strdup_printf(HEAD "KERNEL(k) { scratch[0] = %u; }\n", i);
        struct module *m = compile_text(b, text);
        must(m != NULL);
        assert_int_equal(first_word(b, m), i);
        if (i == 2)
            kept = m;
        else
            backend_unload(b, m);
        g_free(text);
    }
    assert_int_equal(first_word(b, kept), 2);
    backend_unload(b, kept);
}

// ---- the queue ----

// A library for kernels, in which each thread waits while the gate is shut, and from which no
// signal makes it return. The test knows one thread that came there.
static int gate[2] = {-1, -1};
static atomic_int noted;
static atomic_bool has_come_back;

void note_thread(void);
void note_thread(void)
{
    int none = 0;
    atomic_compare_exchange_strong(&noted, &none, gettid());
}

void pass_gate(void);
void pass_gate(void)
{
    char byte;
    note_thread();
    if (read(gate[0], &byte, 1) == 0) atomic_store(&has_come_back, true);
}

static void shut_gate(void)
{
    if (gate[0] >= 0) close(gate[0]);
    assert_int_equal(pipe(gate), 0);
    atomic_store(&has_come_back, false);
}

static void open_gate(void)
{
    close(gate[1]);
}

static void run_noted(struct backend *b, const struct launch *launch)
{
    atomic_store(&noted, 0);
    must(backend_launch(b, launch, &err));
    while (!atomic_load(&noted)) g_usleep(100);
}

// Its first thread in each row adds a number.
static const char gated_source[] = "#include \"kernel.h\"\n"
                                   "struct params { int adds; };\n"
                                   "void pass_gate(void);\n"
                                   "KERNEL(k) {\n"
                                   "    pass_gate();\n"
                                   "    if (threadIdx.x == 0) atomicAdd(&scratch[0], p.adds);\n"
                                   "    out.pixels[0] = in.pixels[0];\n"
                                   "}\n";

static double now_ms(void)
{
    return (double)g_get_monotonic_time() / 1e3;
}

static void test_order_and_marks(void **state)
{
    struct backend *b = *state;
    struct module *m = compile_text(b, gated_source);
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    int adds = 1;
    unsigned char pixel;
    unsigned *scratch;
    must(backend_alloc(b, planes_bytes(p.in) * 4, (void **)&scratch, &err));
    must(backend_fill(b, scratch, 0, planes_bytes(p.in) * 4, &err));
    struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &adds);
    launch.scratch = scratch;

    double all_ms, first_ms, copy_ms;
    shut_gate();
    const double begin_ms = now_ms();
    must(backend_mark(b, 0, &err));
    run_noted(b, &launch);
    const double noted_ms = now_ms();
    adds = 0;  // params were copied
    must(backend_mark(b, 1, &err));
    must(backend_copy(b, p.out.pixels, p.in.pixels, planes_bytes(p.in), &err));
    must(backend_mark(b, 2, &err));
    assert_false(backend_elapsed(b, 0, 2, &all_ms, &err));  // not passed yet
    assert_int_equal(backend_poll(b, &err), BACKEND_BUSY);
    const double opened_ms = now_ms();
    open_gate();
    must(backend_wait(b, &err));
    const double end_ms = now_ms();
    assert_int_equal(backend_poll(b, &err), BACKEND_IDLE);
    must(backend_elapsed(b, 0, 1, &first_ms, &err));
    must(backend_elapsed(b, 1, 2, &copy_ms, &err));
    must(backend_elapsed(b, 0, 2, &all_ms, &err));
    const double TICK_MS = 0.002;  // this test's clock has microseconds
    assert_true(first_ms > opened_ms - noted_ms - TICK_MS);
    assert_true(copy_ms > 0 && copy_ms < end_ms - opened_ms + TICK_MS);
    assert_true(all_ms >= first_ms && all_ms < end_ms - begin_ms + TICK_MS);

    assert_int_equal(scratch[0], 9 * 6 * 8);  // blocks, rows of threads
    must(backend_download(b, planes_at(p.out, p.result), p.out, &err));
    assert_memory_equal(p.result, p.host.pixels, planes_bytes(p.host));
    pixel = p.result[0];
    assert_int_equal(pixel, p.host.pixels[0]);
    backend_free(b, scratch);
    free_pictures(b, &p);
    backend_unload(b, m);
}

// More work than the queue holds.
static void test_long_queue(void **state)
{
    struct backend *b = *state;
    struct module *m = compile_text(b, gated_source);
    must(m != NULL);
    struct pictures p = make_pictures(b, 8, 8, 1);
    const int one = 1;
    unsigned *scratch;
    must(backend_alloc(b, planes_bytes(p.in) * 4, (void **)&scratch, &err));
    must(backend_fill(b, scratch, 0, planes_bytes(p.in) * 4, &err));
    struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &one);
    launch.scratch = scratch;
    for (int i = 0; i < 1000; i++) must(backend_launch(b, &launch, &err));
    must(backend_wait(b, &err));
    assert_int_equal(scratch[0], 8000);
    backend_free(b, scratch);
    free_pictures(b, &p);
    backend_unload(b, m);
}

static void test_cancel(void **state)
{
    struct backend *b = *state;
    struct module *m = compile_text(b, gated_source);
    must(m != NULL);
    struct pictures p = make_pictures(b, 1024, 1024, 1);
    const int one = 1;
    unsigned *scratch;
    must(backend_alloc(b, planes_bytes(p.in) * 4, (void **)&scratch, &err));
    must(backend_fill(b, scratch, 0, planes_bytes(p.in) * 4, &err));
    struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &one);
    launch.scratch = scratch;
    shut_gate();
    must(backend_mark(b, 0, &err));
    run_noted(b, &launch);
    must(backend_launch(b, &launch, &err));
    must(backend_mark(b, 1, &err));
    backend_cancel(b);
    open_gate();
    must(backend_wait(b, &err));  // dropped is not failed
    double ms;
    must(backend_elapsed(b, 0, 1, &ms, &err));  // marks are still passed
    assert_true(ms > 0);
    assert_in_range(scratch[0], 0, 8 * backend_device(b)->multiprocessors);  // blocks that ran then

    // and what comes later runs
    must(backend_fill(b, scratch, 0, planes_bytes(p.in) * 4, &err));
    must(backend_launch(b, &launch, &err));
    must(backend_wait(b, &err));
    assert_int_equal(scratch[0], 1024 * 1024 / 8);
    backend_cancel(b);  // of nothing
    must(backend_launch(b, &launch, &err));
    must(backend_wait(b, &err));
    assert_int_equal(scratch[0], 2 * 1024 * 1024 / 8);
    backend_free(b, scratch);
    free_pictures(b, &p);
    backend_unload(b, m);
}

enum { PART_MS = 100, LONG_MS = 2500 };

// How often memory can be filled in a part of the time. Its thread has launched before.
static int count_fills(struct backend *b, void *memory, size_t bytes)
{
    const double begin_ms = backend_work(b).own_ms;
    int fills = 0;
    for (; backend_work(b).own_ms - begin_ms < PART_MS; fills++) {
        must(backend_fill(b, memory, 0, bytes, &err));
        must(backend_wait(b, &err));
    }
    return fills;
}

// Fills are not cancelled, and these take more time than a launch may that was. The launches behind
// them have not begun, and so have not hung. The program without sanitizers shows as much.
static void test_dropped_launches_wait_for_long_fills(void **state)
{
#ifdef __has_feature
#if __has_feature(address_sanitizer)
    print_message("skipped: it takes seconds, and is tested without sanitizers\n");
    skip();
#endif
#endif
    enum { MOST = 8 };  // a part's, so that all of them fit into the queue
    struct backend *b = *state;
    struct module *m = compile_text(b, gated_source);
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int one = 1;
    unsigned *scratch;
    atomic_bool is_cut = false;
    size_t bytes = (size_t)256 << 20;
    int fills;
    struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &one);
    launch.is_cut = &is_cut;
    for (;; bytes *= 2) {
        must(backend_alloc(b, bytes, (void **)&scratch, &err));
        launch.scratch = scratch;
        must(backend_launch(b, &launch, &err));
        must(backend_fill(b, scratch, 0, bytes, &err));  // makes the pages
        must(backend_wait(b, &err));
        fills = count_fills(b, scratch, bytes);
        if (fills <= MOST) break;
        backend_free(b, scratch);
    }
    shut_gate();
    run_noted(b, &launch);  // nothing is filled before it is cancelled
    for (int i = 0; i < LONG_MS / PART_MS * fills; i++)
        must(backend_fill(b, scratch, 0, bytes, &err));
    for (int i = 0; i < 2; i++) must(backend_launch(b, &launch, &err));
    backend_cancel(b);
    open_gate();
    const double cancelled_ms = backend_work(b).own_ms;
    enum backend_state seen;
    while ((seen = backend_poll(b, &err)) == BACKEND_BUSY) g_usleep(1000);
    must(seen == BACKEND_IDLE);
    assert_true(backend_work(b).own_ms - cancelled_ms > 0.6 * LONG_MS);
    assert_int_equal(scratch[0], 0);
    backend_free(b, scratch);
    free_pictures(b, &p);
    backend_unload(b, m);
}

// Kernels that never come back, in the ways that there are.
static const char *const endless[] = {
    "for (volatile int i = 0;; i++) continue;",
    "__shared__ int s[32]; for (;;) { s[threadIdx.x % 32]++; __syncthreads(); }",
    "__syncthreads(); if (threadIdx.x == 3) for (volatile int i = 0;; i++) continue;",
    "for (;;) scratch[0] += __shfl_xor_sync(~0u, scratch[1], 1);",
    "while (atomicAdd(&scratch[0], 0) != 12345u) continue;",
};

static void test_endless_kernels_are_cancelled(void **state)
{
    struct backend *b = *state;
    endless_skip();
    alarm(300);  // if anything waits for one of them
    struct pictures p = make_pictures(b, 67, 45, 1);
    unsigned *scratch;
    must(backend_alloc(b, planes_bytes(p.in) * 4, (void **)&scratch, &err));
    must(backend_fill(b, scratch, 0, planes_bytes(p.in) * 4, &err));
    struct module *good = compile_text(b, HEAD "KERNEL(k) { scratch[7] = 1; }\n");
    for (size_t i = 0; i < G_N_ELEMENTS(endless); i++) {
        char *source = g_strdup_printf(HEAD "void note_thread(void);\n"
                                            "KERNEL(k) { note_thread(); %s }\n",
                                       endless[i]);
        struct module *m = compile_text(b, source), *unused = compile_text(b, source);
        must(m && unused && good);
        const int none = 0;
        struct launch launch = make_launch(m, 0, &p, (struct size){32, 2}, 1, &none);
        launch.scratch = scratch;
        run_noted(b, &launch);
        assert_int_equal(backend_poll(b, &err), BACKEND_BUSY);
        backend_unload(b, unused);  // does not wait for it
        const int byte = 'a' + (int)i;
        must(backend_fill(b, p.out.pixels, byte, planes_bytes(p.out), &err));  // nor does this
        backend_cancel(b);
        if (i % 2)
            must(backend_wait(b, &err));
        else
            while (backend_poll(b, &err) == BACKEND_BUSY) g_usleep(1000);
        assert_int_equal(p.out.pixels[planes_bytes(p.out) - 1], byte);

        scratch[7] = 0;
        launch.module = good;
        must(backend_launch(b, &launch, &err));
        must(backend_wait(b, &err));
        assert_int_equal(scratch[7], 1);
        backend_unload(b, m);
        g_free(source);
    }
    alarm(0);
    backend_unload(b, good);
    backend_free(b, scratch);
    free_pictures(b, &p);
}

// It is held for longer than a kernel may wait in a library after it was cancelled.
static void test_a_kernel_without_a_processor_is_waited_for(void **state)
{
    struct backend *b = *state;
    endless_skip();
    struct module *m =
        compile_text(b, "#include \"kernel.h\"\nNO_PARAMS;\n"
                        "void note_thread(void);\n"
                        "KERNEL(k) { note_thread(); for (volatile int i = 0;; i++); }\n");
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int none = 0;
    const struct launch launch = make_launch(m, 0, &p, (struct size){32, 2}, 1, &none);
    run_noted(b, &launch);
    const struct held_thread held = held_thread_hold(noted);
    const double begin_ms = backend_work(b).own_ms;
    backend_cancel(b);
    const gint64 begin = g_get_monotonic_time();
    while (g_get_monotonic_time() - begin < 2500000) {
        if (backend_poll(b, &err) != BACKEND_BUSY) fail_msg("it ended: %s", err.text);
        assert_true(backend_work(b).own_ms - begin_ms < 1000);  // the others end
        g_usleep(1000);
    }
    held_thread_let_go(held);
    must(backend_wait(b, &err));
    free_pictures(b, &p);
    backend_unload(b, m);
}

// What a launch has had, and how many blocks it has run.
static void test_work_is_counted(void **state)
{
    struct backend *b = *state;
    struct module *m =
        compile_text(b, HEAD "KERNEL(k) { for (volatile int i = 0; i < 5000; i++); }\n");
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int none = 0;
    const struct launch launch = make_launch(m, 0, &p, (struct size){32, 2}, 1, &none);
    const struct backend_work before = backend_work(b);
    struct backend_work now;
    unsigned long long launches = 0;
    do {
        must(backend_launch(b, &launch, &err));
        launches++;
        while (backend_poll(b, &err) == BACKEND_BUSY) now = backend_work(b);
        now = backend_work(b);
        assert_int_equal(now.blocks - before.blocks, launches * 3 * 23);
    } while (now.own_ms - before.own_ms < 50);
    free_pictures(b, &p);
    backend_unload(b, m);
}

// It waits in a library, where it cannot be stopped. The device fails, and the program goes on. The
// kernel never does: what it would write to may be gone.
static void test_a_kernel_that_blocks_is_left_behind(void **state)
{
    struct backend *b = open_cpu();
    struct module *m = compile_text(b, "#include \"kernel.h\"\nNO_PARAMS;\n"
                                       "void pass_gate(void);\n"
                                       "KERNEL(k) { pass_gate(); out.pixels[0] = 1; }\n");
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int none = 0;
    const struct launch launch = make_launch(m, 0, &p, (struct size){32, 2}, 1, &none);
    shut_gate();
    run_noted(b, &launch);
    must(backend_mark(b, 0, &err));
    assert_int_equal(backend_poll(b, &err), BACKEND_BUSY);
    backend_cancel(b);
    assert_false(backend_wait(b, &err));
    held_thread_expect_pause(noted);
    assert_string_equal(err.text, "text.cu: k cannot be stopped: it waits outside its own code");
    assert_int_equal(backend_poll(b, &err), BACKEND_FAILED);
    assert_false(backend_launch(b, &launch, &err));
    free_pictures(b, &p);
    backend_unload(b, m);
    backend_close(b);

    b = open_cpu();
    m = compile_text(b, HEAD "KERNEL(k) { scratch[0] = 1; }\n");
    must(m != NULL);
    backend_unload(b, m);
    backend_close(b);
    open_gate();
    held_thread_expect_pause(noted);
    assert_false(atomic_load(&has_come_back));
}

// To cancel it interrupts it again and again, and the device looks at it meanwhile: it sees that
// the kernel waits, and gives it up soon.
static void test_a_kernel_that_is_interrupted_still_waits(void **state)
{
    enum { LOOK_US = 25000, MOST = 100 };  // a few more than those looks that give it up
    struct backend *b = open_cpu();
    struct module *m = compile_text(b, "#include \"kernel.h\"\nNO_PARAMS;\n"
                                       "void pass_gate(void);\n"
                                       "KERNEL(k) { pass_gate(); }\n");
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int none = 0;
    const struct launch launch = make_launch(m, 0, &p, (struct size){32, 2}, 1, &none);
    shut_gate();
    run_noted(b, &launch);
    backend_cancel(b);
    int looks = 0;
    do {
        do g_usleep(LOOK_US);
        while (!own_time_look((struct own_time_thread){.id = noted}).is_waiting);
        looks++;
    } while (backend_poll(b, &err) == BACKEND_BUSY && looks < 10 * MOST);
    assert_in_range(looks, 2, MOST);
    free_pictures(b, &p);
    backend_unload(b, m);
    backend_close(b);
    held_thread_expect_pause(noted);
}

static void test_divergent_barrier_fails_the_device_but_not_the_program(void **state)
{
    struct backend *b = open_cpu();
    struct module *m = compile_text(b, HEAD "KERNEL(k) {\n"
                                            "    if (threadIdx.x < 3) __syncthreads();\n"
                                            "    __syncthreads();\n}\n");
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int none = 0;
    const struct launch launch = make_launch(m, 0, &p, blocks[0], 1, &none);
    must(backend_launch(b, &launch, &err));
    assert_false(backend_wait(b, &err));
    static const char why[] = "text.cu: k: not all threads reach line 4, some wait in line 5";
    assert_string_equal(err.text, why);
    err.text[0] = '\0';
    assert_int_equal(backend_poll(b, &err), BACKEND_FAILED);
    assert_string_equal(err.text, why);
    assert_false(backend_launch(b, &launch, &err));
    assert_false(backend_download(b, planes_at(p.out, p.result), p.out, &err));
    free_pictures(b, &p);
    backend_unload(b, m);
    backend_close(b);

    b = open_cpu();  // another one works
    compile_and_drop(b, HEAD "KERNEL(k) { }\n");
    backend_close(b);
}

static void test_illegal_launches_are_refused(void **state)
{
    struct backend *b = *state;
    struct module *m = compile_text(b, HEAD "KERNEL(k) { }\n");
    must(m != NULL);
    struct pictures p = make_pictures(b, 67, 45, 1);
    const int none = 0;
    struct launch launch = make_launch(m, 0, &p, (struct size){1025, 1}, 1, &none);
    assert_false(backend_launch(b, &launch, &err));
    launch = make_launch(m, 0, &p, (struct size){33, 32}, 1, &none);
    assert_false(backend_launch(b, &launch, &err));
    launch = make_launch(m, 0, &p, blocks[0], 1, &none);
    launch.config.shared_bytes = backend_device(b)->max_shared_bytes + 1;
    assert_false(backend_launch(b, &launch, &err));
    launch.config.shared_bytes--;
    must(backend_launch(b, &launch, &err));
    must(backend_wait(b, &err));
    free_pictures(b, &p);
    backend_unload(b, m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_thread_count_is_chosen),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_unrolled_mean),
        cmocka_unit_test(test_invert),
        cmocka_unit_test(test_compile_errors_have_file_and_line),
        cmocka_unit_test(test_compile_errors_show_the_line),
        cmocka_unit_test(test_compile_error_in_header),
        cmocka_unit_test(test_long_log_is_cut_at_a_line),
        cmocka_unit_test(test_unknown_words_do_not_compile),
        cmocka_unit_test(test_large_local_arrays),
        cmocka_unit_test(test_missing_entries),
        cmocka_unit_test(test_no_compiler),
        cmocka_unit_test(test_compiler_files_are_listed_once),
        cmocka_unit_test(test_a_compiler_that_hangs_is_stopped),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_a_copied_folder_is_not_compiled_again),
        cmocka_unit_test(test_each_object_is_loaded_for_itself),
        cmocka_unit_test(test_what_was_checked_is_what_is_loaded),
        cmocka_unit_test(test_what_is_loaded_no_longer_needs_its_file),
        cmocka_unit_test(test_order_and_marks),
        cmocka_unit_test(test_long_queue),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_dropped_launches_wait_for_long_fills),
        cmocka_unit_test(test_endless_kernels_are_cancelled),
        cmocka_unit_test(test_a_kernel_without_a_processor_is_waited_for),
        cmocka_unit_test(test_work_is_counted),
        cmocka_unit_test(test_a_kernel_that_blocks_is_left_behind),
        cmocka_unit_test(test_a_kernel_that_is_interrupted_still_waits),
        cmocka_unit_test(test_divergent_barrier_fails_the_device_but_not_the_program),
        cmocka_unit_test(test_illegal_launches_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
