// test_backend -- the promises of backend.h, on one device. test_backend DEVICE; 77: no such
// device.
#include "on_device.h"

#include <stdio.h>

#include "base/image.h"
#include "filter/filter.h"
#include "frame/frame.h"

static const char *device = "cpu";

static int set_up(void **state)
{
    *state = open_device(device);
    return 0;
}

static int tear_down(void **state)
{
    backend_close(*state);
    return 0;
}

// A picture on the device, filled from the host.
struct lot {
    struct image host;
    struct planes planes;
};

static struct lot make_lot(struct backend *b, int width, int height, int planes, unsigned seed)
{
    struct lot lot = {0};
    must(image_init(&lot.host, width, height, planes, &err));
    image_fill_noise(lot.host.planes, seed);
    lot.planes = planes_at(lot.host.planes, allocate(b, planes_bytes(lot.host.planes)));
    must(backend_upload(b, lot.planes, lot.host.planes, &err));
    return lot;
}

static void free_lot(struct backend *b, struct lot *lot)
{
    backend_free(b, lot->planes.pixels);
    image_finish(&lot->host);
}

static void expect_content(struct backend *b, struct planes on_device, struct planes expected)
{
    OWNED(image_finish) struct image back = {0};
    must(image_init(&back, expected.width, expected.height, expected.count, &err));
    must(backend_download(b, back.planes, on_device, &err));
    const struct image_difference d = image_compare(back.planes, expected);
    assert_int_equal(d.count, 0);
}

// ---- sources ----

static struct filter parse(const char *source)
{
    struct filter f = {0};
    must(filter_parse(&f, "planted.cu", source, NULL, &err));
    return f;
}

#define PLACE                                                  \
    "#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)\n" \
    "#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)\n" \
    "#define IS_INSIDE (X < in.width && Y < in.height)\n"

static const char two_passes[] =
    "//! filter \"Two passes\"\n"
    "//! param add 5 [-100, 100] added in the second pass\n"
    "//! param scale 2 [0, 8] multiplied in the first\n"
    "#include \"kernel.h\"\n" PLACE "//! variant both 16x4\n"
    "__global__ void first(plane in, unsigned int *scratch, float scale)\n"
    "{\n"
    "    if (IS_INSIDE) scratch[Y * in.width + X] = (unsigned int)(load(in, X, Y) * scale);\n"
    "}\n"
    "//! variant both 8x8\n"
    "__global__ void second(plane out, plane in, unsigned int *scratch, int add)\n"
    "{\n"
    "    if (!IS_INSIDE) return;\n"  // the neighbour's word: passes must not overlap
    "    const unsigned int word = scratch[Y * in.width + in.width - 1 - X];\n"
    "    out.pixels[Y * out.pitch + X] = (unsigned char)(word + add);\n"
    "}\n";

static const char out_of_bounds[] = "//! filter \"Out of bounds\"\n"
                                    "#include \"kernel.h\"\n"
                                    "//! variant naive 32x8\n"
                                    "__global__ void planted_fault(plane out)\n"
                                    "{\n"
                                    "    *(volatile int *)(out.pixels + (1ull << 44)) = 1;\n"
                                    "}\n";

static const char weighted[] =
    "//! filter \"Weighted\"\n"
    "//! weights gaussian\n"
    "//! param radius 2 [0, 64] pixels\n"
    "//! param sigma float 1 [0, 64] pixels\n"
    "#include \"kernel.h\"\n" PLACE "__constant__ int constant_weights[129];\n"
    "//! variant both 32x4\n"
    "__global__ void weighted(plane out, plane in, const int *weights)\n"
    "{\n"
    "    const int word = Y % 2 ? constant_weights[X % 5] : weights[X % 5];\n"
    "    if (IS_INSIDE) out.pixels[Y * out.pitch + X] = (unsigned char)word;\n"
    "}\n";

static const char printing[] =
    "//! filter \"Printing\"\n"
    "//! param times 0 [0, 1000] how often each thread prints more\n"
    "#include <stdio.h>\n"
    "#include \"kernel.h\"\n" PLACE "#define SAY(...) printf(__VA_ARGS__)\n"
    "//! variant naive 32x4\n"
    "__global__ void printing(plane out, plane in, int times)\n"
    "{\n"
    "    if (IS_INSIDE) out.pixels[Y * out.pitch + X] = (unsigned char)load(in, X, Y);\n"
    "    if (X == 33 && Y == 5) {\n"
    "        const char *const word = X > 3 ? \"a word\" : \"none\";\n"
    "        SAY(\"%s %5.2f|\", word, 1.5f);\n"
    "        SAY(\"%d %u %c %llx %-3hhd|%d\\n\", -1, 7u, 'k', 1ll << 40, (short)9, 2.5);\n"
    "    }\n"
    "    for (int i = 0; i < times; i++) SAY(\"again\\n\");\n"
    "}\n";

// A filter that is compiled, and what it runs on.
struct filter_rig {
    struct backend *backend;
    struct filter filter;
    struct frame frame;
    struct lot in, out;
    struct frame_memory memory;
};

static void make_rig(struct filter_rig *r, struct backend *b, const char *source, int planes)
{
    *r = (struct filter_rig){.backend = b, .filter = parse(source)};
    struct module *m = frame_build(b, &r->filter, (struct build){.params = NULL}, &err);
    must(m != NULL);
    r->frame = (struct frame){
        .backend = b,
        .choice = {&r->filter, &r->filter.variants[0], {.params = filter_defaults(&r->filter)}},
        .module = m};
    r->in = make_lot(b, 203, 117, planes, 3);
    r->out = make_lot(b, 203, 117, planes, 4);
    r->memory = (struct frame_memory){
        .arrays = r->in.planes.pixels,
        .shared = allocate(b, 2 * WEIGHTS_BYTES + 4 * 203 * 117 * (size_t)planes),
        .target = r->out.planes};
}

static void free_rig(struct filter_rig *r)
{
    backend_unload(r->backend, (struct module *)r->frame.module);
    backend_free(r->backend, r->memory.shared);
    free_lot(r->backend, &r->in);
    free_lot(r->backend, &r->out);
    filter_finish(&r->filter);
}

static void run(struct filter_rig *r)
{
    must(frame_plan(&r->frame, r->in.planes, &err));
    must(frame_fill(&r->frame, &r->memory, &err));
    must(frame_run(&r->frame, &r->memory, &err));
}

// ---- memory ----

#define ON_DEVICE(name) TEST_WITH(name, set_up, tear_down)

ON_DEVICE(memory_survives_the_round_trip)
{
    static const int shapes[][3] = {
        {1, 1, 1}, {1, 37, 3}, {41, 1, 1}, {203, 117, 3}, {640, 480, 1}};
    struct backend *b = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        struct lot lot = make_lot(b, shapes[i][0], shapes[i][1], shapes[i][2], (unsigned)i);
        assert_int_equal((uintptr_t)lot.planes.pixels % 512, 0);
        expect_content(b, lot.planes, lot.host.planes);
        free_lot(b, &lot);
    }
}

ON_DEVICE(too_much_memory_is_refused_and_leaves_no_error_behind)
{
    void *memory = &err;
    static const size_t sizes[] = {(size_t)1 << 50, SIZE_MAX / 4, SIZE_MAX - 100};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        assert_false(backend_alloc(*state, sizes[i], &memory, &err));
        assert_ptr_equal(memory, &err);
        assert_non_null(strstr(err.text, "memory"));
    }

    struct filter_rig r;  // the next launch must not answer for it
    make_rig(&r, *state, two_passes, 1);
    run(&r);
    must(backend_wait(*state, &err));
    free_rig(&r);
}

// ---- the queue ----

ON_DEVICE(passes_run_in_order_and_params_arrive)
{
    struct filter_rig r;
    make_rig(&r, *state, two_passes, 3);
    for (int round = 0; round < 5; round++) {
        const int add = round * 20 - 40;
        r.frame.choice.settings.params.v[0] = add;
        r.frame.choice.settings.params.v[1] = 0.5 * round;
        run(&r);
        for (int plane = 0; plane < 3; plane++)
            for (int y = 0; y < 117; y++) {
                const unsigned char *from = planes_row(r.in.host.planes, plane, y);
                for (int x = 0; x < 203; x++)
                    planes_row(r.out.host.planes, plane, y)[x] =
                        (unsigned char)((int)(from[202 - x] * 0.5 * round) + add);
            }
        expect_content(*state, r.out.planes, r.out.host.planes);
    }
    free_rig(&r);
}

ON_DEVICE(weights_arrive_in_both_memories)
{
    static const int words[1000];
    static const char name[] = "constant_weights";
    struct filter_rig r;
    make_rig(&r, *state, weighted, 3);
    for (int turn = 0; turn < 3; turn++) {
        int wanted[WEIGHTS_MAX];
        r.frame.choice.settings.params.v[1] = 0.7 + turn;
        filter_gaussian(wanted, 2, 0.7 + turn);
        run(&r);
        for (int plane = 0; plane < 3; plane++)
            for (int y = 0; y < 117; y++)
                for (int x = 0; x < 203; x++)
                    planes_row(r.out.host.planes, plane, y)[x] = (unsigned char)wanted[x % 5];
        expect_content(*state, r.out.planes, r.out.host.planes);
    }
    r.frame.choice.settings.params.v[1] = -1;
    assert_false(frame_plan(&r.frame, r.in.planes, &err));
    assert_string_equal(err.text, "sigma -1 is outside [0, 64] of planted");

    // An array of another size is refused, and one that is not there needs nothing.
    must(backend_set_constant(*state, r.frame.module, "no_such_array", words, 4, &err));
    must(backend_set_constant(*state, r.frame.module, name, words, 129 * 4, &err));
    assert_false(backend_set_constant(*state, r.frame.module, name, words, sizeof words, &err));
    assert_true(g_str_has_prefix(err.text, "'constant_weights' holds "));  // sanitizers add some
    assert_true(g_str_has_suffix(err.text, " bytes; the program fills 4000"));
    free_rig(&r);
}

ON_DEVICE(copies_and_marks_follow_the_queue)
{
    struct backend *b = *state;
    struct lot from = make_lot(b, 640, 480, 3, 5), to = make_lot(b, 640, 480, 3, 6);
    const size_t bytes = planes_bytes(to.planes);
    double whole, first, second;
    must(backend_mark(b, 0, &err));
    must(backend_copy(b, to.planes.pixels, from.planes.pixels, bytes, &err));
    must(backend_mark(b, 1, &err));
    must(backend_copy(b, from.planes.pixels, to.planes.pixels, bytes, &err));
    must(backend_mark(b, 2, &err));
    must(backend_wait(b, &err));
    assert_int_equal(backend_poll(b, &err), BACKEND_IDLE);
    must(backend_elapsed(b, 0, 1, &first, &err));
    must(backend_elapsed(b, 1, 2, &second, &err));
    must(backend_elapsed(b, 0, 2, &whole, &err));
    assert_true(first > 0 && second > 0 && whole < 1000);
    assert_true(whole >= 0.9 * (first + second) && whole <= 1.1 * (first + second) + 0.01);
    expect_content(b, to.planes, from.host.planes);

    // Freeing waits for work in hand, and so does closing, behind this test.
    for (int i = 0; i < 50; i++)
        must(backend_copy(b, to.planes.pixels, from.planes.pixels, bytes, &err));
    free_lot(b, &from);
    free_lot(b, &to);
}

// ---- refusals ----

ON_DEVICE(launches_beyond_the_device_are_refused)
{
    static const struct {
        int width, height;
        const char *name;
    } wrong[] = {{1025, 1, "1025×1"}, {33, 32, "33×32"}, {64, 64, "64×64"}};
    struct backend *b = *state;
    OWNED(rig_free)
    struct rig r = rig_make(
        b,
        compile_one(
            b, "#include \"kernel.h\"\n__global__ void k(unsigned int *scratch) { *scratch = 1; }",
            "k"),
        planes_shape(64, 64, 1), (struct launch_config){1, 1, 0, 0, 0});
    struct launch_config *const config = &r.launch.config;
    int word = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        config->block_width = wrong[i].width;
        config->block_height = wrong[i].height;
        assert_false(rig_runs(&r));
        assert_non_null(strstr(err.text, wrong[i].name));
    }
    config->block_width = config->block_height = 8;
    config->shared_bytes = backend_device(b)->max_shared_bytes + 1;
    assert_false(rig_runs(&r));
    assert_non_null(strstr(err.text, "shared memory"));
    must(backend_wait(b, &err));  // and nothing of it lingers
    must(backend_read(b, &word, r.scratch, sizeof word, &err));
    assert_int_equal(word, 0);
    config->shared_bytes--;
    must(rig_runs(&r));
}

// Compiles a kernel file whose lines 3 and on are these. err is empty where it was compiled.
static void compile_behind_head(struct backend *b, const char *lines)
{
    g_autofree char *source =
        g_strdup_printf("//! filter \"Planted\"\n#include \"kernel.h\"\n%s\n"
                        "//! variant naive 32x8\n"
                        "__global__ void planted(plane out) { out.pixels[0] = 0; }\n",
                        lines);
    OWNED(filter_finish) struct filter f = parse(source);
    err.text[0] = '\0';
    const struct module *m = frame_build(b, &f, (struct build){.params = NULL}, &err);
    backend_unload(b, (struct module *)m);
}

// An error names file and line. A compiler would find each of these files. An include of a file
// that lies neither beside kernel.h nor beside the user's is left out, and refused where it cannot
// be.
ON_DEVICE(kernels_include_only_the_headers)
{
#define UNLESS_LEFT_OUT(guard) "\n#ifdef " guard "\n#error it is included\n#endif"
    static const struct {
        const char *lines, *start;  // of what is said; empty: it compiles
    } rows[] = {
        {"__device__ int a = ;", "planted.cu:3:"},
        {"#include <math.h>" UNLESS_LEFT_OUT("M_E"), ""},
        {"# \tinclude  <math.h>  // later" UNLESS_LEFT_OUT("M_E"), ""},
        {"#  include \"filters/../lab.h\"" UNLESS_LEFT_OUT("LAB_H"), ""},
        {"#include \"device/build_log.h\"" UNLESS_LEFT_OUT("BUILD_LOG_CALLS"), ""},
        {"#if 0\n#else\n#include <math.h>\n#endif" UNLESS_LEFT_OUT("M_E"), ""},
        {"#if 0\n#include <math.h>\n#define N NAME\n#include N\n#endif", ""},
        {"#define NAME <math.h>\n#include NAME", "planted.cu:4:10: NAME is not one of the headers"},
        {"#if 0\n#if 1\n#endif\n#elif 1\n#include NAME\n#endif", "planted.cu:7:10: NAME is not"},
        {"#if 0 || 1\n#include NAME\n#endif", "planted.cu:4:10: NAME is not one of"},
        {"#ifdef NOTHING\n#include NAME\n#endif", "planted.cu:4:10: NAME is not one of"},
        {"#include <math.h" UNLESS_LEFT_OUT("M_E"), ""},
        {"#include \\\n<math.h>" UNLESS_LEFT_OUT("M_E"), ""},
        {"# /* */ include <math.h>" UNLESS_LEFT_OUT("M_E"), ""},
        // These stay, and so does what NAME above stands for.
        {"#include_next <math.h>", "planted.cu:3:15: <math.h> is not one of the headers"},
        {"#import <math.h>", "planted.cu:3:9: <math.h> is not one of the headers"},
        {"#inc\\\nlude <math.h>", "planted.cu:3:10: <math.h> is not one of the headers"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        compile_behind_head(*state, rows[i].lines);
        if (*rows[i].start ? !g_str_has_prefix(err.text, rows[i].start) : *err.text)
            fail_msg("%s: %s", rows[i].lines, err.text);
    }
}

TEST(unknown_names_are_refused)
{
    static const char *const names[] = {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0x", "cpu0"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_false(backend_is_name(names[i]));
        assert_null(backend_open(names[i], NULL, 0, &err));
        assert_non_null(strstr(err.text, names[i]));
    }
    assert_true(backend_is_name("cuda:99"));
    assert_null(backend_open("cuda:99", NULL, 0, &err));
    assert_non_null(strstr(err.text, "cuda:99"));
}

// ---- faults: the GPU's only, an emulated one would take the program along ----

// The same device on a fresh context; where the driver refuses one to this process, the CPU.
static struct backend *open_again(void)
{
    struct backend *b = backend_open(device, NULL, 0, &err);
    if (!b) {
        printf("no fresh context: %s\n", err.text);
        assert_true(err.text[0]);
        return open_device("cpu");
    }
    backend_set_include(b, TILESCOPE_KERNELS);
    return b;
}

// ---- printf ----

ON_DEVICE(what_kernels_print_is_there_once)
{
    struct filter_rig r;
    make_rig(&r, *state, printing, 1);
    assert_true(backend_has_prints(*state, r.frame.module));
    assert_null(backend_take_prints(*state, r.frame.module));
    for (int i = 0; i < 2; i++) {
        run(&r);
        g_autofree char *text = backend_take_prints(*state, r.frame.module);
        assert_string_equal(text, "block (1, 1, 0) thread (1, 1, 0): a word  1.50|"
                                  "-1 7 k 10000000000 9  |[double 2.5]\n");
        assert_null(backend_take_prints(*state, r.frame.module));
    }
    expect_content(*state, r.out.planes, r.in.host.planes);
    free_rig(&r);
}

ON_DEVICE(a_gpus_code_is_kept_as_it_was_loaded)
{
    struct filter_rig r;
    make_rig(&r, *state, two_passes, 1);
    const struct build_code *const code = backend_loaded_code(r.frame.module);
    if (backend_device(*state)->is_gpu) {
        // A cubin, or PTX for a GPU that is newer than NVRTC.
        assert_non_null(code);
        assert_true(code->size > 100);
        assert_true(!memcmp(code->bytes, "\177ELF", 4) || strstr(code->bytes, ".version "));
    } else {
        assert_null(code);
    }
    free_rig(&r);
}

ON_DEVICE(prints_are_bounded)
{
    struct filter_rig r;
    make_rig(&r, *state, printing, 3);
    r.frame.choice.settings.params.v[0] = 50;
    run(&r);
    g_autofree char *text = backend_take_prints(*state, r.frame.module);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const guint count = g_strv_length(lines);
    // Of each of 7x30 blocks, in three planes, and in each plane the two of one pixel.
    const long calls = 3L * (7 * 30 * 32 * 4 * 50 + 2);
    g_autofree char *rest = g_strdup_printf("… and %ld more calls of printf", calls - 200);
    assert_in_range(count, 200, 202);  // a pixel's two make one line, and the last is empty
    assert_string_equal(lines[count - 2], rest);
    for (guint i = 0; i + 2 < count; i++) assert_true(g_str_has_prefix(lines[i], "block ("));
    free_rig(&r);
}

ON_DEVICE(printf_costs_nothing_where_no_kernel_calls_it)
{
    struct filter_rig r;
    g_autofree char *host = g_strconcat("#define CHECK(x) if (!(x)) printf(\"no %s\\n\", #x)\n"
                                        "int main(void) { CHECK(1); printf(\"host\\n\"); }\n",
                                        two_passes, NULL);
    make_rig(&r, *state, host, 1);
    assert_false(backend_has_prints(*state, r.frame.module));
    run(&r);
    assert_null(backend_take_prints(*state, r.frame.module));
    free_rig(&r);
}

// The last: a driver may refuse the device for a while after a fault.
TEST(a_fault_is_told_and_another_device_goes_on)
{
    OWNED(close_backend) struct backend *b = open_device(device);
    if (!backend_device(b)->is_gpu) {
        puts("skipped: a wild write on the cpu device is a wild write of the program");
        backend_close(b);
        skip();
    }
    struct filter_rig r;
    make_rig(&r, b, out_of_bounds, 1);
    run(&r);
    assert_false(backend_wait(b, &err));
    assert_int_equal(backend_poll(b, &err), BACKEND_FAILED);
    assert_true(err.text[0]);
    printf("told: %s\n", err.text);
    free_rig(&r);
    backend_close(b);

    b = open_again();
    make_rig(&r, b, two_passes, 1);
    expect_content(b, r.in.planes, r.in.host.planes);
    free_rig(&r);
}

int main(int argc, char **argv)
{
    if (argc > 1) device = argv[1];
    struct backend *b = backend_open(device, NULL, 0, &err);
    if (!b) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    printf("%s, %s\n", backend_device(b)->name, backend_device(b)->driver);
    backend_close(b);
    return unit_run("backend", NULL, NULL);
}
