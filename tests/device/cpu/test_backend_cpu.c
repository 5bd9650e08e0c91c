#include "on_device.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own_time.h"
#include "endless.h"
#include "held_thread.h"
#include "folder.h"

static int set_up(void **state)
{
    *state = open_device("cpu");
    return 0;
}

static int tear_down(void **state)
{
    backend_close(*state);
    return 0;
}

// In front of a kernel's body, which begins in line 2.
#define HEAD "#include \"kernel.h\"\n__global__ void k(unsigned int *scratch)"

static struct module *compile_well(struct backend *b, const char *source)
{
    struct module *m = compile_one(b, source, "k");
    must(m != NULL);
    return m;
}

// ---- facts ----

TEST(device)
{
    const struct device *d = backend_device(*state);
    assert_string_equal(d->id, "cpu");
    assert_non_null(strstr(d->name, " thread"));
    assert_true(d->driver[0] != '\0');
    assert_false(d->is_gpu);
    assert_true(d->multiprocessors >= 1);
    assert_int_equal(d->max_threads, 1024);
    assert_true(d->max_shared_bytes >= 200 * 1024);
    char *before = unit_set("TILESCOPE_THREADS", "5");
    OWNED(close_backend) struct backend *b = open_device("cpu");
    unit_restore("TILESCOPE_THREADS", before);
    assert_int_equal(backend_device(b)->multiprocessors, 5);
    assert_non_null(strstr(backend_device(b)->name, "(5 threads)"));
}

// ---- a kernel and what it runs on ----

struct size {
    int width, height;
};

static struct rig make_rig(struct backend *b, const char *source, struct size size,
                           struct size block)
{
    static const int one = 1;  // of the kernel's params
    struct rig r =
        rig_make(b, compile_one(b, source, "k"), planes_shape(size.width, size.height, 1),
                 (struct launch_config){(size.width + block.width - 1) / block.width,
                                        (size.height + block.height - 1) / block.height,
                                        block.width, block.height, 0});
    for (size_t i = 0; i < planes_bytes(r.launch.in); i++)  // it is the host's memory, too
        r.launch.in.pixels[i] = (unsigned char)(i * i / 7 ^ i >> 3);
    r.launch.params = &one;
    return r;
}

static void run(const struct rig *r)
{
    must(rig_runs(r));
}

static const struct size line = {32, 1}, small = {67, 45}, square = {8, 8}, rows_of_32 = {32, 2};

// A literal of the build replaces what the launch says.
TEST(params_of_the_build)
{
    static const char source[] = "//! param adds 1 [0, 9]\n"
                                 "#include \"kernel.h\"\n"
                                 "__global__ void k(unsigned int *scratch, int adds)\n"
                                 "{ scratch[threadIdx.x] = adds; }\n";
    OWNED(rig_free) struct rig r = make_rig(*state, source, line, line);
    struct module *unrolled = compile_with(*state, source, "k", (struct build){.params = "{3}"});
    must(unrolled != NULL);
    run(&r);
    assert_int_equal(r.scratch[31], 1);
    r.launch.module = unrolled;
    run(&r);
    assert_int_equal(r.scratch[31], 3);
    backend_unload(*state, unrolled);
}

// ---- compiling ----

#define SHOWN "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n" HEAD " {\n"

// A name without a file, a line, and the compiler's words. The line itself is shown with a caret;
// it is of the text that was compiled, since no file of that name is there.
static const struct {
    const char *source, *start, *part;
} refused[] = {
    {HEAD "\n{\n    return 1 +;\n}\n", "text.cu:4:", "expected"},
    {HEAD "\n{ unknown_name++; }\n", "text.cu:3:3: ", "unknown_name"},
    {"#include \"nowhere.h\"\n", "text.cu:1:10: \"nowhere.h\" is not one",
     "\n    #include \"nowhere.h\"\n             ^"},
    // Two mistakes make two lines.
    {HEAD " {\n    one();\n    two();\n}\n", "text.cu:3:5: ", "\ntext.cu:4:5: "},
    {SHOWN "int i = nowhere;\n}\n", "text.cu:4:", "\n    int i = nowhere;\n            ^"},
    {SHOWN "\tint i =\tnowhere;\n}\n", "text.cu:4:", "\n    int i =    nowhere;\n               ^"},
    {SHOWN "      int i = 1; /* \xc3\xa4 \xed\x95\x9c */ nowhere = i;\n}\n", "text.cu:4:",
     "\n    int i = 1; /* \xc3\xa4 \xed\x95\x9c */ nowhere = i;\n                          ^"},
    {SHOWN "MIN(nowhere,\\\n    1);\n}\n", "text.cu:4:", "\n    MIN(nowhere,\\\n    "},
    // The host's code is left out.
    {"int twice(int x) { return 2 * x; }\n" HEAD " { scratch[0] = twice(1); }\n",
     "text.cu:3:", "; it is host code (line 1): mark it __device__\n    "},
    // A word that there is nowhere.
    {HEAD " { scratch[0] = __no_such_word(1); }\n", "text.cu:2:", ""},
    // CUDA has no mixed signs, and no atomics on bytes, and C++ does not convert pointers.
    {HEAD " { scratch[0] = __dp4a((int)scratch[1], scratch[2], 0); }\n", "text.cu:2:", ""},
    {HEAD " { atomicAdd((unsigned char *)scratch, 1); }\n", "text.cu:2:", ""},
    {HEAD " { int *p = scratch; *p = 0; }\n", "text.cu:2:", ""},
    {"#include \"kernel.h\"\n__global__ void other() {}\n", "text.cu: ", "there is no kernel 'k'"},
    {"extern \"C\" __device__ int nowhere(void);\n" HEAD " { nowhere(); }\n",
     "text.cu: ", "nowhere"},
    // Threads that wait have stacks of 256 KB.
    {HEAD " { volatile char local[300 * 1024]; local[threadIdx.x] = 1; }\n",
     "text.cu:", "frame size"},
};

TEST(mistakes_do_not_compile)
{
    static const char *const never[] = {"\033", "kernel.c", "some dir", ".so"};
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        err.text[0] = '\0';
        assert_null(compile_one(*state, refused[i].source, "k"));
        if (!g_str_has_prefix(err.text, refused[i].start) || !strstr(err.text, refused[i].part))
            fail_msg("not '%s ... %s' but: %s", refused[i].start, refused[i].part, err.text);
        for (size_t k = 0; k < G_N_ELEMENTS(never); k++) assert_null(strstr(err.text, never[k]));
    }
}

// An error in a header names the header, and shows its line. A header includes only headers, too.
TEST(compile_error_in_header)
{
    static const struct {
        const char *header, *start, *end;  // header NULL: kernel.h is not there
    } cases[] = {
        {NULL, "cannot compile 'some dir/text.cu': cannot read '", ": No such file or directory"},
        {"\n  int a = nowhere;\n", "kernel.h:2:11: ", "\n    int a = nowhere;\n            ^"},
        {"#include \"more.inc\"\n", "kernel.h:1:10: \"more.inc\" is not one", ""},
    };
    char *folder = folder_make();
    g_free(folder_file(folder, "more.inc", ""));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_free(folder_file(folder, "kernel.h", cases[i].header));
        backend_set_include(*state, folder);
        assert_null(compile_one(*state, "#include \"kernel.h\"\n", "k"));
        backend_set_include(*state, TILESCOPE_KERNELS);
        must(g_str_has_prefix(err.text, cases[i].start) &&
             g_str_has_suffix(err.text, cases[i].end));
    }
    folder_end(folder);
}

TEST(long_log_is_cut_at_a_line)
{
    g_autoptr(GString) source = g_string_new(HEAD " {\n");
    for (int i = 0; i < 90; i++)
        g_string_append_printf(source, "    name_that_is_nowhere_%d = 1;  // \xc3\xa4%300s\n", i,
                               "");
    g_string_append(source, "}\n");
    assert_null(compile_one(*state, source->str, "k"));
    assert_true(g_str_has_prefix(err.text, "text.cu:3:5: "));
    assert_non_null(strstr(err.text, "\n    name_that_is_nowhere_5 = 1;"));
    assert_true(g_utf8_validate(err.text, -1, NULL));
    assert_true(g_str_has_suffix(err.text, "\n... and more"));
    assert_true(strlen(err.text) > sizeof err.text / 2);
}

// A device whose compiler is a shell script that knows its version; NULL: nothing. It goes to
// a folder of its own, for folder_end.
static struct backend *open_with_compiler(const char *script, char **folder)
{
    g_autofree char *text = g_strdup_printf("#!/bin/sh\n[ $1 = --version ] && %s\n", script);
    *folder = folder_make();
    g_autofree char *path = folder_file(*folder, "cc", script ? text : NULL);
    if (script) assert_int_equal(g_chmod(path, 0700), 0);
    g_setenv("CC", path, TRUE);
    return open_device("cpu");
}

TEST(no_compiler)
{
    char *before = unit_set("CC", NULL), *folder;
    struct backend *b = open_with_compiler(NULL, &folder);
    assert_string_equal(backend_device(b)->driver, "no C++ compiler");
    assert_null(compile_one(b, HEAD " { }\n", "k"));
    g_autofree char *wanted = g_strdup_printf("no C++ compiler found: CC names '%s/cc'", folder);
    assert_string_equal(err.text, wanted);
    unit_restore("CC", before);
    backend_close(b);
    folder_end(folder);
}

// A compiler names a folder of a thousand libraries in several ways: each is opened once only.
TEST(compiler_files_are_listed_once)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char *before = unit_set("LD_LIBRARY_PATH", NULL);  // the compiler's own folders may be in it
    g_auto(GStrv) files = backend_compiler_files(&err);
    unit_restore("LD_LIBRARY_PATH", before);
    must(files != NULL);
    bool has_libc = false;
    for (char **file = files; *file; file++) {
        g_autofree char *folder = g_path_get_dirname(*file), *name = g_path_get_basename(*file);
        char *real = realpath(folder, NULL);
        if (g_str_has_suffix(name, ".so") &&
            !g_hash_table_add(seen, g_build_filename(real, name, NULL)))
            fail_msg("%s is listed twice", *file);
        has_libc |= !strcmp(name, "libc.so");
        free(real);
    }
    assert_true(has_libc);
}

// A compiler that never compiles.
TEST(a_compiler_that_hangs_is_stopped)
{
    char *before = unit_set("CC", NULL), *folder;
    struct backend *b = open_with_compiler("exec echo hangs 1.0\nexec sleep 1000", &folder);
    assert_string_equal(backend_device(b)->driver, "hangs 1.0");
    const atomic_bool cancel = true;
    assert_null(compile_with(b, HEAD " { scratch[3] = 141592; }\n", "k",
                             (struct build){.cancel = &cancel}));
    assert_non_null(strstr(err.text, "/cc' was stopped: it was cancelled"));
    unit_restore("CC", before);
    backend_close(b);
    folder_end(folder);
}

// gcc, where the package of its C++ is missing.
TEST(a_compiler_without_cxx)
{
    char *before = unit_set("CC", NULL), *folder;
    struct backend *b = open_with_compiler(
        "exec echo 'gcc (Debian 12.2.0-14) 12.2.0'\n"
        "echo \"gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\"\n"
        "echo compilation terminated. >&2\nexit 1",
        &folder);
    assert_null(compile_one(b, HEAD " { scratch[3] = 1; }\n", "k"));
    assert_string_equal(err.text, "text.cu: the C++ compiler failed: it has no C++: install g++");
    assert_null(backend_compiler_files(&err));
    assert_true(g_str_has_suffix(err.text, "failed: it has no C++: install g++"));
    unit_restore("CC", before);
    backend_close(b);
    folder_end(folder);
}

TEST(large_local_arrays)
{
    static const char kernel[] =
        HEAD " {\n"
             "    volatile unsigned char local[100 * 1024];\n"
             "    local[threadIdx.x] = 1;\n"
             "    __syncthreads();\n"
             "    for (int i = 0; i < (int)sizeof local; i++) local[i] = 7;\n"
             "    scratch[threadIdx.x] = local[threadIdx.x];\n"
             "}\n";
    OWNED(rig_free)
    struct rig r = make_rig(*state, kernel, (struct size){128, 1}, (struct size){128, 1});
    run(&r);
    for (int i = 0; i < 128; i++) assert_int_equal(r.scratch[i], 7);
}

// ---- the cache ----

// A cache of this test's own; returns what leave_cache takes.
static char *enter_cache(void)
{
    char *folder = folder_make(), *before = unit_set("TILESCOPE_CACHE", folder);
    g_free(folder);
    return before;
}

static void leave_cache(char *before)
{
    file_remove_all(g_getenv("TILESCOPE_CACHE"));
    unit_restore("TILESCOPE_CACHE", before);
}

// Writes a text over each entry of the cache, unless it is NULL, and says how many there are.
static int write_over_files(const char *text)
{
    const char *const folder = g_getenv("TILESCOPE_CACHE");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    int count = 0;
    for (const char *name; (name = g_dir_read_name(dir));) {
        if (!strcmp(name, "turns")) continue;
        count++;
        g_autofree char *path = g_build_filename(folder, name, NULL);
        FILE *file = text ? fopen(path, "wb") : NULL;  // of the same inode
        if (text) assert_true(file && fputs(text, file) >= 0 && !fclose(file));
    }
    return count;
}

static void expect_files(int count)
{
    assert_int_equal(write_over_files(NULL), count);
}

static void compile_and_drop(struct backend *b, const char *source)
{
    struct module *m = compile_well(b, source);
    assert_int_equal(backend_facts(m)->max_threads, 1024);
    backend_unload(b, m);
}

TEST(cache)
{
    static const char one[] = HEAD " { scratch[0] = 1; }\n";
    char *before = enter_cache();
    compile_and_drop(*state, one);
    expect_files(1);
    compile_and_drop(*state, one);
    expect_files(1);
    write_over_files("spoilt");
    compile_and_drop(*state, one);
    compile_and_drop(*state, HEAD " { scratch[0] = 2; }\n");
    expect_files(2);
    leave_cache(before);
    before = unit_set("TILESCOPE_CACHE", "");  // none
    compile_and_drop(*state, one);
    unit_restore("TILESCOPE_CACHE", before);
}

static void compile_in(struct backend *b, const char *folder, const char *file, bool is_traced)
{
    g_autofree char *path = g_build_filename(folder, file, NULL);
    backend_set_include(b, folder);
    struct module *m = compile_with(b, HEAD " { scratch[0] = 3; }\n", "k",
                                    (struct build){.path = path, .is_traced = is_traced});
    must(m != NULL);
    backend_unload(b, m);
}

TEST(a_copied_folder_is_not_compiled_again)
{
    struct backend *b = *state;
    char *before = enter_cache(), *folder = folder_make();
    g_autofree char *copy = folder_file(folder, "kernels", NULL);  // the same texts at another path
    assert_int_equal(symlink(TILESCOPE_KERNELS, copy), 0);
    compile_in(b, TILESCOPE_KERNELS, "text.cu", false);
    compile_in(b, copy, "copy.cu", false);
    expect_files(1);
    compile_in(b, TILESCOPE_KERNELS, "text.cu", true);
    compile_in(b, copy, "text.cu", true);
    expect_files(2);
    compile_in(b, copy, "copy.cu", true);  // a trace says in which file a line stands
    expect_files(3);
    backend_set_include(b, TILESCOPE_KERNELS);
    folder_end(folder);
    leave_cache(before);
}

static void spoil_files(void *unused)
{
    assert_int_equal(write_over_files("no kernel"), 2);
}

// Another program may write over the file of a kernel that runs, or a disk may lose it. And what
// was checked is what is loaded: the second kernel's file is spoilt between the two.
TEST(what_is_loaded_no_longer_needs_its_file)
{
    static const struct build_guard guard = {.before_load = spoil_files};
    char *before = enter_cache();
    OWNED(rig_free) struct rig r = make_rig(*state, HEAD " { scratch[0] = 77; }\n", line, square);
    assert_int_equal(write_over_files(""), 1);
    run(&r);
    assert_int_equal(r.scratch[0], 77);

    struct module *guarded =
        compile_with(*state, HEAD " { scratch[0] = 78; }\n", "k", (struct build){.guard = &guard});
    must(guarded != NULL);
    r.launch.module = guarded;
    run(&r);
    assert_int_equal(r.scratch[0], 78);
    backend_unload(*state, guarded);
    leave_cache(before);
}

// Its name in the process is free again, and the next object may get it.
TEST(each_object_is_loaded_for_itself)
{
    struct rig rigs[6];
    for (unsigned i = 1; i <= 5; i++) {
        g_autofree char *text = g_strdup_printf(HEAD " { scratch[0] = %u; }\n", i);
        rigs[i] = make_rig(*state, text, line, square);
        run(&rigs[i]);
        assert_int_equal(rigs[i].scratch[0], i);
        if (i != 2) rig_free(&rigs[i]);
    }
    rigs[2].scratch[0] = 0;
    run(&rigs[2]);
    assert_int_equal(rigs[2].scratch[0], 2);
    rig_free(&rigs[2]);
}

// ---- the queue ----

// A library for kernels, in which each thread waits while the gate is shut, and from which no
// signal makes it return. The test knows one thread that came there. A gate's end that threads wait
// at is never closed: they may be left behind there.
static atomic_int gate = -1;
static int gate_key = -1;
static atomic_int noted;
static atomic_bool has_come_back;

#define NOTE_THREAD "extern \"C\" __device__ void note_thread(void);\n"
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
    if (read(atomic_load(&gate), &byte, 1) == 0) atomic_store(&has_come_back, true);
}

static void shut_gate(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    atomic_store(&gate, ends[0]);
    gate_key = ends[1];
    atomic_store(&has_come_back, false);
}

static void open_gate(void)
{
    close(gate_key);
}

static void run_noted(const struct rig *r)
{
    atomic_store(&noted, 0);
    must(backend_launch(r->backend, &r->launch, &err));
    while (!atomic_load(&noted)) g_usleep(100);
}

// Its first thread in each row adds a number.
static const char gated_source[] = "//! param adds 1 [0, 1]\n"
                                   "#include \"kernel.h\"\n"
                                   "extern \"C\" __device__ void pass_gate(void);\n"
                                   "__global__ void k(plane out, plane in, unsigned int *scratch,"
                                   " int adds)\n"
                                   "{\n"
                                   "    pass_gate();\n"
                                   "    if (threadIdx.x == 0) atomicAdd(&scratch[0], adds);\n"
                                   "    out.pixels[0] = in.pixels[0];\n"
                                   "}\n";

static double now_ms(void)
{
    return (double)g_get_monotonic_time() / 1e3;
}

TEST(order_and_marks)
{
    struct backend *b = *state;
    OWNED(rig_free) struct rig r = make_rig(b, gated_source, small, square);
    const size_t bytes = planes_bytes(r.launch.in);
    int adds = 1;
    r.launch.params = &adds;

    double all_ms, first_ms, copy_ms;
    shut_gate();
    const double begin_ms = now_ms();
    must(backend_mark(b, 0, &err));
    run_noted(&r);
    const double noted_ms = now_ms();
    adds = 0;  // params were copied
    must(backend_mark(b, 1, &err));
    must(backend_copy(b, r.launch.out.pixels, r.launch.in.pixels, bytes, &err));
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

    assert_int_equal(r.scratch[0], 9 * 6 * 8);  // blocks, rows of threads
    assert_memory_equal(r.launch.out.pixels, r.launch.in.pixels, bytes);
}

// More work than the queue holds.
TEST(long_queue)
{
    OWNED(rig_free) struct rig r = make_rig(*state, gated_source, square, square);
    for (int i = 0; i < 1000; i++) must(backend_launch(*state, &r.launch, &err));
    must(backend_wait(*state, &err));
    assert_int_equal(r.scratch[0], 8000);
}

// The second launch writes where the gap of the first one was.
TEST(gaps_of_former_launches_are_open)
{
    enum { BYTES = 32768, GAP = 16384 };
    struct backend *b = *state;
    OWNED(rig_free)
    struct rig r =
        make_rig(b, HEAD " { scratch[8192 * blockIdx.x] = 5; }\n", line, (struct size){16, 1});
    unsigned int *const own = r.launch.scratch, *const memory = allocate(b, 2 * BYTES + GAP);
    struct launch_array array = {"a", (const unsigned char *)memory, BYTES, sizeof *memory, GAP};
    r.launch.scratch = memory;
    r.launch.guarded = &array;
    r.launch.guarded_count = 1;
    for (r.launch.config.grid_width = 1; r.launch.config.grid_width <= 2; array.bytes *= 2) {
        must(backend_launch(b, &r.launch, &err));
        r.launch.config.grid_width++;
    }
    must(backend_wait(b, &err));
    r.launch.scratch = own;
    backend_free(b, memory);
}

TEST(cancel)
{
    struct backend *b = *state;
    OWNED(rig_free) struct rig r = make_rig(b, gated_source, (struct size){256, 256}, square);
    double ms;
    shut_gate();
    must(backend_mark(b, 0, &err));
    run_noted(&r);
    must(backend_launch(b, &r.launch, &err));
    must(backend_mark(b, 1, &err));
    backend_cancel(b);
    open_gate();
    must(backend_wait(b, &err));                // dropped is not failed
    must(backend_elapsed(b, 0, 1, &ms, &err));  // marks are still passed
    assert_true(ms > 0);
    assert_in_range(r.scratch[0], 0, 8 * backend_device(b)->multiprocessors);  // ran then

    // and what comes later runs
    r.scratch[0] = 0;
    run(&r);
    assert_int_equal(r.scratch[0], 256 * 256 / 8);
    backend_cancel(b);  // of nothing
    run(&r);
    assert_int_equal(r.scratch[0], 2 * 256 * 256 / 8);
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
TEST(dropped_launches_wait_for_long_fills)
{
#ifdef __has_feature
#if __has_feature(address_sanitizer)
    print_message("skipped: it takes seconds, and is tested without sanitizers\n");
    skip();
#endif
#endif
    enum { MOST = 8 };  // a part's, so that all of them fit into the queue
    struct backend *b = *state;
    OWNED(rig_free) struct rig r = make_rig(b, gated_source, small, square);
    atomic_bool is_cut = false;
    size_t bytes = (size_t)256 << 20;
    unsigned *large;
    int fills;
    run(&r);
    r.launch.is_cut = &is_cut;
    for (;; bytes *= 2) {
        large = allocate(b, bytes);  // makes the pages
        must(backend_wait(b, &err));
        fills = count_fills(b, large, bytes);
        if (fills <= MOST) break;
        backend_free(b, large);
    }
    r.launch.scratch = large;
    shut_gate();
    run_noted(&r);  // nothing is filled before it is cancelled
    for (int i = 0; i < LONG_MS / PART_MS * fills; i++)
        must(backend_fill(b, large, 0, bytes, &err));
    for (int i = 0; i < 2; i++) must(backend_launch(b, &r.launch, &err));
    backend_cancel(b);
    open_gate();
    const double cancelled_ms = backend_work(b).own_ms;
    enum backend_state seen;
    while ((seen = backend_poll(b, &err)) == BACKEND_BUSY) g_usleep(1000);
    must(seen == BACKEND_IDLE);
    assert_true(backend_work(b).own_ms - cancelled_ms > 0.6 * LONG_MS);
    assert_int_equal(large[0], 0);
    backend_free(b, large);
}

// Kernels that never come back, in the ways that there are.
static const char *const endless[] = {
    "for (volatile int i = 0;; i++) continue;",
    "__shared__ int s[32]; for (;;) { s[threadIdx.x % 32]++; __syncthreads(); }",
    "__syncthreads(); if (threadIdx.x == 3) for (volatile int i = 0;; i++) continue;",
    "for (;;) scratch[0] += __shfl_xor_sync(~0u, scratch[1], 1);",
    "while (atomicAdd(&scratch[0], 0) != 12345u) continue;",
};

TEST(endless_kernels_are_cancelled)
{
    struct backend *b = *state;
    endless_skip();
    alarm(300);  // if anything waits for one of them
    struct module *good = compile_well(b, HEAD " { scratch[7] = 1; }\n");
    for (size_t i = 0; i < G_N_ELEMENTS(endless); i++) {
        g_autofree char *source =
            g_strdup_printf(NOTE_THREAD HEAD " { note_thread(); %s }\n", endless[i]);
        OWNED(rig_free) struct rig r = make_rig(b, source, small, rows_of_32);
        struct module *unused = compile_well(b, source);
        const struct planes out = r.launch.out;
        run_noted(&r);
        assert_int_equal(backend_poll(b, &err), BACKEND_BUSY);
        backend_unload(b, unused);                                        // does not wait for it
        must(backend_fill(b, out.pixels, 'a', planes_bytes(out), &err));  // nor does this
        backend_cancel(b);
        if (i % 2)
            must(backend_wait(b, &err));
        else
            while (backend_poll(b, &err) == BACKEND_BUSY) g_usleep(1000);
        assert_int_equal(out.pixels[planes_bytes(out) - 1], 'a');

        r.scratch[7] = 0;
        r.launch.module = good;
        run(&r);
        assert_int_equal(r.scratch[7], 1);
    }
    alarm(0);
    backend_unload(b, good);
}

// It is held for longer than a kernel may wait in a library after it was cancelled.
TEST(a_kernel_without_a_processor_is_waited_for)
{
    struct backend *b = *state;
    endless_skip();
    OWNED(rig_free)
    struct rig r =
        make_rig(b, NOTE_THREAD HEAD " { note_thread(); for (volatile int i = 0;; i++); }\n", small,
                 rows_of_32);
    run_noted(&r);
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
}

// What a launch has had, and how many blocks it has run.
TEST(work_is_counted)
{
    struct backend *b = *state;
    OWNED(rig_free)
    struct rig r =
        make_rig(b, HEAD " { for (volatile int i = 0; i < 5000; i++); }\n", small, rows_of_32);
    const struct backend_work before = backend_work(b);
    struct backend_work now;
    unsigned long long launches = 0;
    do {
        must(backend_launch(b, &r.launch, &err));
        launches++;
        while (backend_poll(b, &err) == BACKEND_BUSY) now = backend_work(b);
        now = backend_work(b);
        assert_int_equal(now.blocks - before.blocks, launches * 3 * 23);
    } while (now.own_ms - before.own_ms < 50);
}

// Interrupts the kernel again and again, as a cancelled one is, and sees in few looks that it
// waits.
static bool wait_with_looks(struct backend *b)
{
    enum { LOOK_US = 25000, MOST = 100 };  // a few more than those looks that give it up
    int looks = 0;
    do {
        do g_usleep(LOOK_US);
        while (!own_time_look((struct own_time_thread){.id = noted}).is_waiting);
        looks++;
    } while (backend_poll(b, &err) == BACKEND_BUSY && looks < 10 * MOST);
    assert_in_range(looks, 2, MOST);
    return backend_wait(b, &err);
}

// It waits in a library, where it cannot be stopped. The device fails, and the program goes on. The
// kernel never does: what it would write to may be gone.
TEST(a_kernel_that_blocks_is_left_behind)
{
    static const char why[] = "text.cu: k cannot be stopped: it waits outside its own code";
    endless_skip();
    for (int i = 0; i < 2; i++) {
        struct backend *b = open_device("cpu");
        struct rig r = make_rig(b, gated_source, small, rows_of_32);
        shut_gate();
        run_noted(&r);
        must(backend_mark(b, 0, &err));
        assert_int_equal(backend_poll(b, &err), BACKEND_BUSY);
        backend_cancel(b);
        assert_false(i ? wait_with_looks(b) : backend_wait(b, &err));
        held_thread_expect_pause(noted);
        assert_string_equal(err.text, why);
        assert_int_equal(backend_poll(b, &err), BACKEND_FAILED);
        assert_false(backend_launch(b, &r.launch, &err));
        rig_free(&r);
        backend_close(b);

        b = open_device("cpu");
        compile_and_drop(b, HEAD " { scratch[0] = 1; }\n");
        backend_close(b);
        open_gate();
        held_thread_expect_pause(noted);
        assert_false(atomic_load(&has_come_back));
    }
}

TEST(divergent_barrier_fails_the_device_but_not_the_program)
{
    OWNED(close_backend) struct backend *b = open_device("cpu");
    struct rig r = make_rig(b,
                            HEAD " {\n"
                                 "    if (threadIdx.x < 3) __syncthreads();\n"
                                 "    __syncthreads();\n}\n",
                            small, square);
    must(backend_launch(b, &r.launch, &err));
    assert_false(backend_wait(b, &err));
    static const char why[] = "text.cu: k: not all threads reach line 3, some wait in line 4";
    assert_string_equal(err.text, why);
    err.text[0] = '\0';
    assert_int_equal(backend_poll(b, &err), BACKEND_FAILED);
    assert_string_equal(err.text, why);
    assert_false(backend_launch(b, &r.launch, &err));
    assert_false(backend_download(b, r.launch.in, r.launch.out, &err));
    rig_free(&r);
    backend_close(b);

    b = open_device("cpu");  // another one works
    compile_and_drop(b, HEAD " { }\n");
}

SUITE("backend_cpu", set_up, tear_down)
