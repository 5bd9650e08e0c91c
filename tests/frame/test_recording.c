// Times of another device: what a file keeps, for which texts and choices they are found again,
// what the results show of them, and files that hold something else.
#include "unit.h"

#include "base/file.h"
#include "folder.h"
#include "frame/recording.h"
#include "frame/results.h"

CLOSER(recording, recording_destroy)
CLOSER(results, results_destroy)

static const char text[] =
    "//! filter \"Two\"\n"
    "//! param radius 3 [0, 64]\n"
    "#include \"kernel.h\"\n"
    "__device__ int once(int a) { return a; }\n"
    "__device__ int twice(int a) { return 2 * a; }\n"
    "//! reference out\n"
    "__host__ __device__ int two_reference(plane in, int x, int y) { return load(in, x, y); }\n"
    "// The first one.\n"
    "//! variant naive 32x8\n"
    "__global__ void two_naive(plane out, plane in) { out.pixels[0] = once(1); }\n"
    "//! variant other 16x16\n"
    "__global__ void two_other(plane out, plane in) { out.pixels[0] = twice(2); }\n";
static const char lab_text[] =
    "//! lab \"Line\"\n"
    "//! param n 65536 cpu=4096 [256, 1048576]\n"
    "#include \"lab.h\"\n"
    "//! array a in [n] counted\n"
    "//! array b out [n]\n"
    "//! variant naive 256x1\n"
    "__global__ void line_naive(float *b, const float *a, int n) { b[0] = a[0]; }\n";

static const struct device card = {.name = "NVIDIA H200",
                                   .arch = "sm_90",
                                   .driver = "driver 580",
                                   .is_gpu = true,
                                   .max_threads = 1024,
                                   .max_shared_bytes = 232448,
                                   .memory_bytes = (size_t)150 << 30};

struct world {
    char *folder, *path;
    struct filter filter, lab;
    struct recording *recording;
};

static struct filter *parse(struct filter *f, const char *path, const char *source)
{
    must(filter_parse(f, path, source, NULL, &err));
    return f;
}

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    w->folder = folder_make();
    w->path = folder_file(w->folder, "card.json", NULL);
    parse(&w->filter, "two.cu", text);
    parse(&w->lab, "line.cu", lab_text);
    w->recording = recording_create(&card, planes_shape(1920, 1080, 3), "2026-11-23T10:00:00+01:00",
                                    TILESCOPE_KERNELS);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    g_autofree struct world *w = *state;
    recording_destroy(w->recording);
    filter_finish(&w->filter);
    filter_finish(&w->lab);
    folder_end(w->folder);
    g_free(w->path);
    return 0;
}

static struct choice point(const struct filter *f, int variant)
{
    return (struct choice){
        .filter = f, .variant = &f->variants[variant], .settings.params = filter_defaults(f)};
}

static struct stats_summary ms(double median)
{
    return (struct stats_summary){31, median, median * 0.5, median * 2};
}

static void assert_found(struct recording *r, struct choice c, double median)
{
    struct stats_summary found = {0};
    assert_int_equal(recording_find(r, &c, &found), RECORDING_FOUND);
    assert_int_equal(found.count, 31);
    assert_true(found.median == median && found.lower == median * 0.5);
}

static void assert_state(struct recording *r, struct choice c, enum recording_state wanted)
{
    struct stats_summary untouched = ms(77);
    assert_int_equal(recording_find(r, &c, &untouched), wanted);
    assert_true(untouched.median == 77);
}

// Saves it and reads it again.
static struct recording *again(struct world *w)
{
    assert_true(recording_save(w->recording, w->path, &err));
    struct recording *r = recording_load(w->path, TILESCOPE_KERNELS, &err);
    must(r);
    return r;
}

#define IN_WORLD(name) TEST_OF(struct world *w, name, open_world, close_world)

IN_WORLD(a_file_keeps_what_was_measured)
{
    struct choice c = point(&w->filter, 0), copy = choice_copy_of(&c);
    recording_add(w->recording, &c, ms(0.5));
    recording_add(w->recording, &copy, ms(0.25));
    c.settings.block_width = c.settings.block_height = 8;
    recording_add(w->recording, &c, ms(4));
    c.settings.is_unrolled = true;
    recording_add(w->recording, &c, ms(8));
    struct choice few = c;
    few.settings.params.v[0] = 9;
    recording_add(w->recording, &few, (struct stats_summary){5, 3, 2, 4});
    OWNED(close_recording) struct recording *r = again(w);
    assert_string_equal(r->device.name, "NVIDIA H200");
    assert_true(r->device.is_gpu);
    assert_true(r->device.memory_bytes == (size_t)150 << 30);
    assert_int_equal(r->picture.width, 1920);
    assert_int_equal(r->picture.count, 3);
    assert_string_equal(r->about, "NVIDIA H200, recorded 23 Nov 2026");
    assert_found(r, point(&w->filter, 0), 0.5);
    assert_found(r, copy, 0.25);
    assert_found(r, c, 8);
    struct stats_summary found;
    assert_int_equal(recording_find(r, &few, &found), RECORDING_FOUND);
    assert_int_equal(found.count, 5);
    c.settings.is_unrolled = false;
    assert_found(r, c, 4);
    // The default block may be written out.
    c.settings.block_width = 32;
    assert_found(r, c, 0.5);
    // For anything else there is no time.
    c.settings.params.v[0] = 4;
    assert_state(r, c, RECORDING_LACKS);
    assert_state(r, point(&w->filter, 1), RECORDING_LACKS);
    assert_state(r, point(&w->lab, 0), RECORDING_LACKS);
}

// Each change of the text, and whether the two variants still have their times.
IN_WORLD(times_are_of_one_text)
{
    static const struct {
        const char *from, *to;
        bool naive, other;
    } changes[] = {
        {"The first one", "Another comment", true, true},
        {"once(1); }", "once( 1 ) ; /* so */ }", true, true},
        {"once(1)", "once(3)", false, true},
        {"twice(2)", "twice(3)", true, false},
        {"{ return a; }", "{ return a + 0; }", false, false},  // it stands outside the kernels
        {"32x8", "16x8", false, true},
        {"radius 3", "radius 4", false, false},
    };
    for (int i = 0; i < 2; i++) {
        const struct choice c = point(&w->filter, i);
        recording_add(w->recording, &c, ms(1));
    }
    OWNED(close_recording) struct recording *r = again(w);
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_auto(GStrv) parts = g_strsplit(text, changes[i].from, 2);
        g_autofree char *changed = g_strjoinv(changes[i].to, parts);
        OWNED(filter_finish) struct filter f;
        parse(&f, "two.cu", changed);
        for (int k = 0; k < 2; k++) {
            struct choice c = point(&f, k);
            struct stats_summary found;
            const bool is_kept = k ? changes[i].other : changes[i].naive;
            c.settings.params.v[0] = 3;
            const enum recording_state is = recording_find(r, &c, &found);
            if (is != (is_kept ? RECORDING_FOUND : RECORDING_EDITED))
                fail_msg("%s: variant %d is %d", changes[i].to, k, is);
        }
        recording_forget_texts(r);
    }
}

IN_WORLD(times_of_another_text_give_way)
{
    OWNED(filter_finish) struct filter f;
    g_auto(GStrv) parts = g_strsplit(text, "once(1)", 2);
    g_autofree char *changed = g_strjoinv("once(5)", parts);
    parse(&f, "two.cu", changed);
    struct choice c = point(&w->filter, 0);
    recording_add(w->recording, &c, ms(1));
    c.settings.params.v[0] = 9;
    recording_add(w->recording, &c, ms(9));
    c.filter = &f;
    c.variant = &f.variants[0];
    recording_add(w->recording, &c, ms(2));
    assert_found(w->recording, c, 2);
    assert_state(w->recording, point(&f, 0), RECORDING_LACKS);
    assert_state(w->recording, point(&w->filter, 0), RECORDING_EDITED);
}

// However long names of params are.
IN_WORLD(names_have_all_params)
{
    g_autoptr(GString) long_text = g_string_new("//! filter \"Long\"\n#include \"kernel.h\"\n");
    for (int i = 0; i < FILTER_MAX_PARAMS; i++)
        g_string_append_printf(long_text, "//! param a_name_of_thirty_one_letters_%d 1 [0, 9]\n",
                               i);
    g_string_append(long_text, "//! variant naive 32x8\n"
                               "__global__ void long_naive(plane out) { out.pixels[0] = 1; }\n");
    OWNED(filter_finish) struct filter f;
    parse(&f, "long.cu", long_text->str);
    struct choice c = point(&f, 0);
    recording_add(w->recording, &c, ms(1));
    c.settings.params.v[FILTER_MAX_PARAMS - 1] = 2;
    assert_state(w->recording, c, RECORDING_LACKS);
    recording_add(w->recording, &c, ms(2));
    assert_found(w->recording, c, 2);
    assert_found(w->recording, point(&f, 0), 1);
}

// A lab's copy moves its arrays, of which its notes tell.
IN_WORLD(the_copy_of_a_lab_is_that_of_its_arrays)
{
    const struct choice c = point(&w->lab, 0), copy = choice_copy_of(&c);
    recording_add(w->recording, &copy, ms(0.5));
    assert_state(w->recording, copy, RECORDING_LACKS);
    recording_add(w->recording, &c, ms(1));
    assert_found(w->recording, copy, 0.5);
    OWNED(filter_finish) struct filter f;
    g_auto(GStrv) parts = g_strsplit(lab_text, "b out [n]", 2);
    g_autofree char *changed = g_strjoinv("b out [2*n]", parts);
    parse(&f, "line.cu", changed);
    const struct choice other = point(&f, 0);
    assert_state(w->recording, choice_copy_of(&other), RECORDING_EDITED);
}

// A lab may be called as a picture's copy is.
IN_WORLD(copies_are_told_apart)
{
    static const char copy_text[] =
        "//! lab \"Copy\"\n#include \"lab.h\"\n"
        "//! array a in [64] counted\n//! array b out [64]\n"
        "//! variant naive 64x1\n"
        "__global__ void copy_naive(float *b, const float *a) { b[0] = a[0]; }\n";
    OWNED(filter_finish) struct filter f;
    parse(&f, "copy.cu", copy_text);
    const struct choice c = point(&f, 0), own = choice_copy_of(&c), none = {.filter = NULL};
    recording_add(w->recording, &c, ms(1));
    recording_add(w->recording, &own, ms(2));
    assert_state(w->recording, none, RECORDING_LACKS);
    recording_add(w->recording, &none, ms(4));
    assert_found(w->recording, own, 2);
    assert_found(w->recording, none, 4);
}

// A lab that begins with a CPU's sizes has the times of a GPU's.
IN_WORLD(results_show_them)
{
    OWNED(close_results) struct results *s = results_create();
    struct choice c = point(&w->lab, 0), copy = choice_copy_of(&c);
    recording_add(w->recording, &c, ms(1));
    recording_add(w->recording, &copy, ms(0.5));
    c.settings.params.v[0] = 8192;
    recording_add(w->recording, &c, ms(0.25));
    c.settings.params.v[0] = 4096;
    results_add(s, &c, 100);
    assert_null(results_recording(s));
    assert_ptr_equal(results_device(s, &card), &card);
    results_set_recording(s, w->recording);
    assert_string_equal(results_device(s, NULL)->name, "NVIDIA H200");
    struct result r = results_get(s, &c);
    assert_int_equal(r.state, RESULT_DONE);
    assert_true(r.ms.median == 1 && r.is_settled);
    assert_true(results_timed(s, &c).settings.params.v[0] == 65536);
    assert_true(results_copy_ms(s, &c) == 0.5);
    assert_true(results_naive_ms(s, &c) == 1);
    c.settings.params.v[0] = 8192;
    assert_true(results_get(s, &c).ms.median == 0.25);
    c.settings.params.v[0] = 16384;
    r = results_get(s, &c);
    assert_int_equal(r.state, RESULT_REFUSED);
    assert_string_equal(r.reason, "no time of it was recorded");
    // What was measured here is there as before.
    c.settings.params.v[0] = 4096;
    assert_int_equal(results_measured(s, &c).state, RESULT_MEASURING);
    results_set_recording(s, NULL);
    assert_int_equal(results_get(s, &c).state, RESULT_MEASURING);
}

// ---- files ----

static const char good[] =
    "{\"date\":\"2026\",\"device\":{\"name\":\"A\",\"arch\":\"\",\"driver\":\"d\",\"is_gpu\":true,"
    "\"multiprocessors\":1,\"clock_mhz\":1,\"max_threads\":1,\"max_block_width\":1,"
    "\"max_block_height\":1,\"max_grid_width\":1,\"max_grid_height\":1,\"max_shared_bytes\":1,"
    "\"memory_bytes\":1,\"l2_bytes\":1},\"picture\":{\"width\":9,\"height\":9,\"planes\":3},"
    "\"texts\":{\"a/b\":\"0\"},\"cold_ms\":{\"copy\":{\"of a picture\":[2,1,3,31]}}}";

IN_WORLD(other_files_are_refused)
{
    static const struct {
        const char *from, *to, *why;
    } cases[] = {
        {"{\"date\"", "[\"date\"", "it is not a JSON object"},
        {"\"A\"", "\"\xff\"", "it is not a JSON object"},
        {"\"texts\"", "\"text\"", "it has no recorded times"},
        {"{\"copy\":{\"of a picture\":[2,1,3,31]}}", "[]", "it has no recorded times"},
        {"{\"of a picture\":[2,1,3,31]}", "[[2,1,3,31]]",
         "a time has no quartiles around its median"},
        {"\"2026\"", "2026", "it has no date"},
        {"\"A\"", "\"\"", "its device is not described"},
        {"\"is_gpu\":true", "\"is_gpu\":1", "its device is not described"},
        {"\"max_threads\":1", "\"max_threads\":1e99", "its device is not described"},
        {"\"max_threads\":1", "\"max_threads\":0", "its device is not described"},
        {"\"l2_bytes\":1", "\"l2_bytes\":-1", "its device is not described"},
        {"\"l2_bytes\":1", "\"l2_bytes\":null", "its device is not described"},
        {"\"l2_bytes\":1", "\"l2_bytes\":1.5", "its device is not described"},
        {"\"width\":9", "\"width\":0", "its picture has no size"},
        {"\"height\":9", "\"height\":1e9", "its picture has no size"},
        {"\"planes\":3", "\"planes\":2", "its picture has no size"},
        {"\"0\"", "0", "a kernel's text has no key"},
        {"[2,1,3,31]", "[2,1]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,1,3,31,0]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,3,3]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,3,3,31]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,1,1e999,31]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[0,0,0,31]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,1,3,0]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,1e-300,3,31]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "[2,1,1e300,31]", "a time has no quartiles around its median"},
        {"[2,1,3,31]", "{}", "a time has no quartiles around its median"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(good, cases[i].from, 2);
        assert_non_null(parts[1]);
        g_autofree char *bad = g_strjoinv(cases[i].to, parts);
        assert_true(file_write(w->path, bad, strlen(bad), NULL));
        assert_null(recording_load(w->path, TILESCOPE_KERNELS, &err));
        if (!g_str_has_suffix(err.text, cases[i].why) || strchr(err.text, '\n'))
            fail_msg("%s: %s", cases[i].to, err.text);
    }
    assert_null(recording_load("/nowhere/card.json", TILESCOPE_KERNELS, &err));
}

// Without its clock, for instance, a device's ceilings would be 0.
IN_WORLD(no_member_may_be_missing)
{
    g_auto(GStrv) members =
        g_strsplit("date name arch driver is_gpu multiprocessors clock_mhz max_threads "
                   "max_block_width max_block_height max_grid_width max_grid_height "
                   "max_shared_bytes memory_bytes l2_bytes width height planes",
                   " ", -1);
    for (char **member = members; *member; member++) {
        g_autofree char *from = g_strdup_printf("\"%s\":", *member);
        g_auto(GStrv) parts = g_strsplit(good, from, 2);
        assert_non_null(parts[1]);
        g_autofree char *bad = g_strjoinv("\"other\":", parts);
        assert_true(file_write(w->path, bad, strlen(bad), NULL));
        if (recording_load(w->path, TILESCOPE_KERNELS, &err)) fail_msg("%s", *member);
    }
}

IN_WORLD(no_part_of_a_file_is_one)
{
    assert_true(file_write(w->path, good, strlen(good), NULL));
    struct recording *r = recording_load(w->path, TILESCOPE_KERNELS, &err);
    must(r);
    recording_destroy(r);
    for (size_t length = 0; length < strlen(good); length++) {
        assert_true(file_write(w->path, good, length, NULL));
        assert_null(recording_load(w->path, TILESCOPE_KERNELS, &err));
    }
}

// A name that is no time's is one that nobody asks for.
IN_WORLD(names_do_not_reach_the_screen)
{
    g_auto(GStrv) parts = g_strsplit(good, "\"A\"", 2);
    g_autofree char *odd = g_strjoinv("\"A\\u001b[2J\\nB\"", parts);
    assert_true(file_write(w->path, odd, strlen(odd), NULL));
    OWNED(close_recording) struct recording *r = recording_load(w->path, TILESCOPE_KERNELS, &err);
    assert_non_null(r);
    assert_null(strchr(r->about, '\x1b'));
    assert_null(strchr(r->about, '\n'));
}

IN_WORLD(words_name_a_file)
{
    g_autofree char *path = recording_find_shown("./card.json", &err);
    assert_string_equal(path, "./card.json");
    assert_null(recording_find_shown("nothing", &err));
    assert_non_null(strstr(err.text, "no times are recorded under the name 'nothing'"));
    g_auto(GStrv) installed = recording_installed();
    for (char **one = installed; *one; one++) {  // those that are there can be read
        OWNED(close_recording) struct recording *r = recording_load(*one, TILESCOPE_KERNELS, &err);
        must(r);
        assert_true(r->device.is_gpu);
    }
}
