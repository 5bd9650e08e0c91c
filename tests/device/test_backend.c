// test_backend -- the promises of backend.h, on one device. test_backend DEVICE; 77: no such
// device.
#include "unit.h"

#include <stdio.h>

#include "base/image.h"
#include "device/backend.h"
#include "filter/filter.h"
#include "frame/frame.h"

static const char *device = "cpu";

static struct backend *open_device(void)
{
    char reasons[1024];
    struct error err = {""};
    struct backend *b = backend_open(device, reasons, sizeof reasons, &err);
    if (!b) fail_msg("%s", err.text);
    backend_set_include(b, TILESCOPE_KERNELS);
    return b;
}

static int open_fixture(void **state)
{
    *state = open_device();
    return 0;
}

static int close_fixture(void **state)
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
    struct error err = {""};
    void *memory;
    assert_true(image_init(&lot.host, width, height, planes, &err));
    image_fill_noise(lot.host.planes, seed);
    assert_true(backend_alloc(b, planes_bytes(lot.host.planes), &memory, &err));
    lot.planes = planes_at(lot.host.planes, memory);
    assert_true(backend_upload(b, lot.planes, lot.host.planes, &err));
    return lot;
}

static void free_lot(struct backend *b, struct lot *lot)
{
    backend_free(b, lot->planes.pixels);
    image_finish(&lot->host);
}

static void expect_content(struct backend *b, struct planes on_device, struct planes expected)
{
    struct image back = {0};
    struct error err = {""};
    assert_true(image_init(&back, expected.width, expected.height, expected.count, &err));
    assert_true(backend_download(b, back.planes, on_device, &err));
    const struct image_difference d = image_compare(back.planes, expected);
    image_finish(&back);
    assert_int_equal(d.count, 0);
}

// ---- sources ----

static struct filter parse(const char *source)
{
    struct filter f = {0};
    struct error err = {""};
    if (!filter_parse(&f, "planted.cu", source, &err)) fail_msg("%s", err.text);
    return f;
}

static const char two_passes[] =
    "//! filter \"Two passes\"\n"
    "#include \"kernel.h\"\n"
    "struct params {\n"
    "    int add;      //! 5 [-100, 100] added in the second pass\n"
    "    float scale;  //! 2 [0, 8] multiplied in the first\n"
    "};\n"
    "//! variant both 16x4\n"
    "KERNEL(first)\n"
    "{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
    "threadIdx.y;\n"
    "    if (x < in.width && y < in.height)\n"
    "        scratch[y * in.width + x] = (unsigned int)(load(in, x, y) * p.scale);\n"
    "}\n"
    "//! variant both 8x8\n"
    "KERNEL(second)\n"
    "{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
    "threadIdx.y;\n"
    "    if (x < in.width && y < in.height)  // the neighbour's word: passes must not overlap\n"
    "        out.pixels[y * out.pitch + x] = (unsigned char)(scratch[y * in.width + in.width - 1 - "
    "x] + p.add);\n"
    "}\n";

static const char out_of_bounds[] = "//! filter \"Out of bounds\"\n"
                                    "#include \"kernel.h\"\n"
                                    "NO_PARAMS;\n"
                                    "//! variant naive 32x8\n"
                                    "KERNEL(planted_fault)\n"
                                    "{\n"
                                    "    *(volatile int *)(out.pixels + (1ull << 44)) = 1;\n"
                                    "}\n";

static const char weighted[] =
    "//! filter \"Weighted\"\n"
    "//! weights gaussian\n"
    "#include \"kernel.h\"\n"
    "struct params {\n"
    "    int radius;   //! 2 [0, 64] pixels\n"
    "    float sigma;  //! 1 [0, 64] pixels\n"
    "};\n"
    "__constant__ int constant_weights[129];\n"
    "//! variant both 32x4\n"
    "KERNEL(weighted)\n"
    "{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
    "threadIdx.y;\n"
    "    if (x < out.width && y < out.height)\n"
    "        out.pixels[y * out.pitch + x] = (unsigned char)(y % 2 ? constant_weights[x % 5] : "
    "weights[x % 5]);\n"
    "}\n";

static struct frame make_frame(struct backend *b, const struct filter *f)
{
    struct error err = {""};
    struct module *m = frame_compile(b, f, "", &err);
    if (!m) fail_msg("%s", err.text);
    return (struct frame){
        .backend = b, .choice = {f, &f->variants[0], {.params = filter_defaults(f)}}, .module = m};
}

static void plan(struct frame *frame, struct planes picture)
{
    struct error err = {""};
    if (!frame_plan(frame, picture, &err)) fail_msg("%s", err.text);
}

// ---- memory ----

static void memory_survives_the_round_trip(void **state)
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

static void too_much_memory_is_refused_and_leaves_no_error_behind(void **state)
{
    struct backend *b = *state;
    struct error err = {""};
    void *memory = &err;
    assert_false(backend_alloc(b, (size_t)1 << 50, &memory, &err));
    assert_ptr_equal(memory, &err);
    assert_non_null(strstr(err.text, "memory"));

    struct filter f = parse(two_passes);  // the next launch must not answer for it
    struct lot in = make_lot(b, 67, 45, 1, 1), out = make_lot(b, 67, 45, 1, 2);
    void *shared;
    assert_true(backend_alloc(b, 2 * WEIGHTS_BYTES + 4 * 67 * 45, &shared, &err));
    const struct frame_memory on = {
        .arrays = in.planes.pixels, .shared = shared, .target = out.planes};
    struct frame frame = make_frame(b, &f);
    plan(&frame, in.planes);
    assert_true(frame_run(&frame, &on, &err));
    assert_true(backend_wait(b, &err));
    backend_unload(b, (struct module *)frame.module);
    backend_free(b, shared);
    free_lot(b, &in);
    free_lot(b, &out);
    filter_finish(&f);
}

// ---- the queue ----

static void passes_run_in_order_and_params_arrive(void **state)
{
    struct backend *b = *state;
    struct error err = {""};
    struct filter f = parse(two_passes);
    struct lot in = make_lot(b, 203, 117, 3, 3), out = make_lot(b, 203, 117, 3, 4);
    void *shared;
    assert_true(backend_alloc(b, 2 * WEIGHTS_BYTES + 4 * 203 * 117 * 3, &shared, &err));
    const struct frame_memory memory = {
        .arrays = in.planes.pixels, .shared = shared, .target = out.planes};
    struct frame frame = make_frame(b, &f);
    for (int round = 0; round < 5; round++) {
        frame.choice.settings.params.v[0] = round * 20 - 40;
        frame.choice.settings.params.v[1] = 0.5 * round;
        plan(&frame, in.planes);
        assert_true(frame_run(&frame, &memory, &err));
        for (int plane = 0; plane < 3; plane++)
            for (int y = 0; y < 117; y++)
                for (int x = 0; x < 203; x++)
                    planes_row(out.host.planes, plane, y)[x] =
                        (unsigned char)((int)(planes_row(in.host.planes, plane, y)[202 - x] * 0.5 *
                                              round) +
                                        round * 20 - 40);
        expect_content(b, out.planes, out.host.planes);
    }
    backend_unload(b, (struct module *)frame.module);
    backend_free(b, shared);
    free_lot(b, &in);
    free_lot(b, &out);
    filter_finish(&f);
}

static void weights_arrive_in_both_memories(void **state)
{
    struct backend *b = *state;
    struct error err = {""};
    struct filter f = parse(weighted);
    struct lot in = make_lot(b, 67, 45, 3, 3), out = make_lot(b, 67, 45, 3, 4);
    struct frame frame = make_frame(b, &f);
    struct frame_memory memory = {.arrays = in.planes.pixels, .target = out.planes};
    assert_true(backend_alloc(b, WEIGHTS_BYTES, &memory.shared, &err));
    for (int turn = 0; turn < 3; turn++) {
        int wanted[WEIGHTS_MAX];
        frame.choice.settings.params.v[1] = 0.7 + turn;
        weights_gaussian(wanted, 2, 0.7 + turn);
        plan(&frame, in.planes);
        assert_true(frame_fill(&frame, &memory, &err));
        assert_true(frame_run(&frame, &memory, &err));
        for (int plane = 0; plane < 3; plane++)
            for (int y = 0; y < 45; y++)
                for (int x = 0; x < 67; x++)
                    planes_row(in.host.planes, plane, y)[x] = (unsigned char)wanted[x % 5];
        expect_content(b, out.planes, in.host.planes);
    }
    frame.choice.settings.params.v[1] = -1;
    assert_false(frame_plan(&frame, in.planes, &err));
    assert_string_equal(err.text, "sigma -1 is outside [0, 64] of planted");
    backend_free(b, memory.shared);
    backend_unload(b, (struct module *)frame.module);
    free_lot(b, &in);
    free_lot(b, &out);
    filter_finish(&f);
}

static void constants_of_another_size(void **state)
{
    struct backend *b = *state;
    struct error err = {""};
    struct filter f = parse(weighted);
    struct lot in = make_lot(b, 5, 5, 1, 3);
    struct frame frame = make_frame(b, &f);
    static const int words[1000];
    const char *const name = "constant_weights";
    assert_true(backend_set_constant(b, frame.module, "no_such_array", words, 4, &err));
    assert_true(backend_set_constant(b, frame.module, name, words, 129 * 4, &err));
    assert_false(backend_set_constant(b, frame.module, name, words, sizeof words, &err));
    assert_true(g_str_has_prefix(err.text, "'constant_weights' holds "));  // sanitizers add some
    assert_true(g_str_has_suffix(err.text, " bytes; the program fills 4000"));
    backend_unload(b, (struct module *)frame.module);
    free_lot(b, &in);
    filter_finish(&f);
}

static void copies_and_marks_follow_the_queue(void **state)
{
    struct backend *b = *state;
    struct error err = {""};
    struct lot from = make_lot(b, 640, 480, 3, 5), to = make_lot(b, 640, 480, 3, 6);
    double whole, first, second;
    assert_true(backend_mark(b, 0, &err));
    assert_true(
        backend_copy(b, to.planes.pixels, from.planes.pixels, planes_bytes(to.planes), &err));
    assert_true(backend_mark(b, 1, &err));
    assert_true(
        backend_copy(b, from.planes.pixels, to.planes.pixels, planes_bytes(to.planes), &err));
    assert_true(backend_mark(b, 2, &err));
    assert_true(backend_wait(b, &err));
    assert_int_equal(backend_poll(b, &err), BACKEND_IDLE);
    assert_true(backend_elapsed(b, 0, 1, &first, &err));
    assert_true(backend_elapsed(b, 1, 2, &second, &err));
    assert_true(backend_elapsed(b, 0, 2, &whole, &err));
    assert_true(first > 0 && second > 0 && whole < 1000);
    assert_true(whole >= 0.9 * (first + second) && whole <= 1.1 * (first + second) + 0.01);
    expect_content(b, to.planes, from.host.planes);
    free_lot(b, &from);
    free_lot(b, &to);
}

static void closing_waits_for_work_in_hand(void **state)
{
    struct backend *b = open_device();
    struct error err = {""};
    struct lot from = make_lot(b, 640, 480, 3, 7), to = make_lot(b, 640, 480, 3, 8);
    for (int i = 0; i < 50; i++)
        assert_true(
            backend_copy(b, to.planes.pixels, from.planes.pixels, planes_bytes(to.planes), &err));
    free_lot(b, &from);
    free_lot(b, &to);
    backend_close(b);
}

// ---- refusals ----

static void launches_beyond_the_device_are_refused(void **state)
{
    struct backend *b = *state;
    struct error err = {""};
    struct filter f = parse(two_passes);
    struct lot in = make_lot(b, 67, 45, 1, 9), out = make_lot(b, 67, 45, 1, 10);
    const struct frame frame = make_frame(b, &f);
    const int params[2] = {0};
    struct launch l = {
        .module = frame.module,
        .config = {.grid_width = 1, .grid_height = 1, .block_width = 64, .block_height = 64},
        .out = out.planes,
        .in = in.planes,
        .scratch = in.planes.pixels,
        .params = params,
        .params_bytes = sizeof params};
    assert_false(backend_launch(b, &l, &err));
    assert_non_null(strstr(err.text, "64×64"));
    l.config.block_width = l.config.block_height = 8;
    l.config.shared_bytes = (size_t)10 << 20;
    assert_false(backend_launch(b, &l, &err));
    assert_non_null(strstr(err.text, "shared memory"));
    assert_true(backend_wait(b, &err));  // and nothing of it lingers
    expect_content(b, out.planes, out.host.planes);
    backend_unload(b, (struct module *)frame.module);
    free_lot(b, &in);
    free_lot(b, &out);
    filter_finish(&f);
}

static void compile_errors_name_file_and_line(void **state)
{
    struct error err = {""};
    struct filter f = parse("//! filter \"Broken\"\n#include \"kernel.h\"\nNO_PARAMS;\n"
                            "//! variant naive 32x8\nKERNEL(planted_error)\n{\n    int x = ;\n}\n");
    assert_null(frame_compile(*state, &f, "", &err));
    assert_non_null(strstr(err.text, "planted.cu:7"));
    filter_finish(&f);
}

// Each of these files is there, and a C compiler would find it.
static void kernels_include_only_the_headers(void **state)
{
    static const char *const names[] = {"\"filters/../common.h\"", "\"device/trace.h\"",
                                        "\"cuda_words.h\"", "<math.h>"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct error err = {""};
        char *source = g_strdup_printf("//! filter \"Broken\"\n#include \"kernel.h\"\n"
                                       "NO_PARAMS;\n#  include %s\n//! variant naive 32x8\n"
                                       "KERNEL(includes_more) { out.pixels[0] = 0; }\n",
                                       names[i]);
        char *wanted = g_strdup_printf("planted.cu:4:12: %s is not one of the headers", names[i]);
        struct filter f = parse(source);
        assert_null(frame_compile(*state, &f, "", &err));
        assert_ptr_equal(strstr(err.text, wanted), err.text);
        filter_finish(&f);
        g_free(wanted);
        g_free(source);
    }
}

// Compiles a kernel file whose lines 4 and on are these. err is empty where it was compiled.
static struct error compile_behind_head(struct backend *b, const char *lines)
{
    struct error err = {""};
    char *source = g_strdup_printf("//! filter \"Planted\"\n#include \"kernel.h\"\nNO_PARAMS;\n%s\n"
                                   "//! variant naive 32x8\n"
                                   "KERNEL(planted) { out.pixels[0] = 0; }\n",
                                   lines);
    struct filter f = parse(source);
    const struct module *m = frame_compile(b, &f, "", &err);
    backend_unload(b, (struct module *)m);
    filter_finish(&f);
    g_free(source);
    return err;
}

static void what_is_switched_off_may_include_anything(void **state)
{
    static const char *const good[] = {
        "#if 0\n#include <math.h>\n#endif",
        "# if 0  // later\n#if 1\n#else\n#include <math.h>\n#endif\n#include <x.h>\n# endif",
    };
    static const char *const bad[] = {
        "#if 0\n\n#else\n#include <math.h>\n#endif",
        "#if 0\n#if 1\n#endif\n#elif 1\n#include <math.h>\n#endif",
        "#if 0 || 1\n#include <math.h>\n#endif",
        "#if 0\n#endif\n#include <math.h>",
        "#ifdef NOTHING\n#include <math.h>\n#endif",
        "#include <math.h",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
        assert_string_equal(compile_behind_head(*state, good[i]).text, "");
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        assert_non_null(
            strstr(compile_behind_head(*state, bad[i]).text, "is not one of the headers"));
    assert_non_null(strstr(compile_behind_head(*state, bad[5]).text, "<math.h is not one"));
}

static void unknown_names_are_refused(void **state)
{
    static const char *const names[] = {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0x", "cpu0"};
    char reasons[1024];
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct error err = {""};
        assert_false(backend_is_name(names[i]));
        assert_null(backend_open(names[i], reasons, sizeof reasons, &err));
        assert_non_null(strstr(err.text, names[i]));
    }
    struct error err = {""};
    assert_true(backend_is_name("cuda:99"));
    assert_null(backend_open("cuda:99", reasons, sizeof reasons, &err));
    assert_non_null(strstr(err.text, "cuda:99"));
}

// ---- faults: the GPU's only, an emulated one would take the program along ----

// The same device on a fresh context; where the driver refuses one to this process, the CPU.
static struct backend *open_again(void)
{
    char reasons[1024];
    struct error err = {""};
    struct backend *b = backend_open(device, reasons, sizeof reasons, &err);
    if (!b) {
        printf("no fresh context: %s\n", err.text);
        assert_true(err.text[0]);
        b = backend_open("cpu", reasons, sizeof reasons, &err);
    }
    if (!b) fail_msg("%s", err.text);
    backend_set_include(b, TILESCOPE_KERNELS);
    return b;
}

static void a_fault_is_told_and_another_device_goes_on(void **state)
{
    struct backend *b = open_device();
    if (!backend_device(b)->is_gpu) {
        puts("skipped: a wild write on the cpu device is a wild write of the program");
        backend_close(b);
        skip();
    }
    struct error err = {""};
    struct filter f = parse(out_of_bounds), good = parse(two_passes);
    struct lot in = make_lot(b, 67, 45, 1, 11), out = make_lot(b, 67, 45, 1, 12);
    struct frame frame = make_frame(b, &f);
    plan(&frame, in.planes);
    const struct frame_memory memory = {.arrays = in.planes.pixels, .target = out.planes};
    assert_true(frame_run(&frame, &memory, &err));
    assert_false(backend_wait(b, &err));
    assert_int_equal(backend_poll(b, &err), BACKEND_FAILED);
    assert_true(err.text[0]);
    printf("told: %s\n", err.text);
    backend_unload(b, (struct module *)frame.module);
    free_lot(b, &in);
    free_lot(b, &out);
    backend_close(b);

    b = open_again();
    in = make_lot(b, 67, 45, 1, 13);
    expect_content(b, in.planes, in.host.planes);
    frame = make_frame(b, &good);
    backend_unload(b, (struct module *)frame.module);
    free_lot(b, &in);
    filter_finish(&f);
    filter_finish(&good);
    backend_close(b);
}

int main(int argc, char **argv)
{
    if (argc > 1) device = argv[1];
    char reasons[1024];
    struct error err = {""};
    struct backend *b = backend_open(device, reasons, sizeof reasons, &err);
    if (!b) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    printf("%s, %s\n", backend_device(b)->name, backend_device(b)->driver);
    backend_close(b);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_survives_the_round_trip, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(too_much_memory_is_refused_and_leaves_no_error_behind,
                                        open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(passes_run_in_order_and_params_arrive, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(weights_arrive_in_both_memories, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(constants_of_another_size, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(copies_and_marks_follow_the_queue, open_fixture,
                                        close_fixture),
        cmocka_unit_test(closing_waits_for_work_in_hand),
        cmocka_unit_test_setup_teardown(launches_beyond_the_device_are_refused, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(kernels_include_only_the_headers, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(what_is_switched_off_may_include_anything, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(compile_errors_name_file_and_line, open_fixture,
                                        close_fixture),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(a_fault_is_told_and_another_device_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
