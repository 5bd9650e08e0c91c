// Shapes of launches: grids that always cover the picture, and refusals with their numbers.
#include "unit.h"

#include <limits.h>
#include <stdlib.h>

#include "filter/files.h"
#include "filter/launch.h"

// Roughly a GPU.
static const struct device gpu = {.multiprocessors = 132,
                                  .max_threads = 1024,
                                  .max_block_width = 1024,
                                  .max_block_height = 1024,
                                  .max_grid_width = INT_MAX,
                                  .max_grid_height = 65535,
                                  .max_shared_bytes = 49152};

static const struct filter mean = {
    .name = "mean",
    .params = {{.name = "radius", .value = 3, .max = 64},
               {.name = "c", .value = 5, .min = -128, .max = 127},
               {.name = "sigma", .is_float = true, .max = 9}},
    .param_count = 3,
    .arrays = {{.name = "in", .kind = ARRAY_IN, .extent = ARRAY_PICTURE},
               {.name = "out", .kind = ARRAY_OUT, .extent = ARRAY_PICTURE}},
    .array_count = 2,
};
static const struct filter plain = {
    .name = "invert",
    .arrays = {{.name = "in", .kind = ARRAY_IN, .extent = ARRAY_PICTURE},
               {.name = "out", .kind = ARRAY_OUT, .extent = ARRAY_PICTURE}},
    .array_count = 2,
};

static struct variant one_pass(int width, int height)
{
    return (struct variant){.name = "shared",
                            .passes = {{.block_width = width,
                                        .block_height = height,
                                        .each_x = 1,
                                        .each_y = 1,
                                        .multiple_of = 1}},
                            .pass_count = 1};
}

static void compile(struct expr *e, const char *text)
{
    struct error err = {""};
    if (!filter_compile(&mean, e, text, &err)) fail_msg("%s", err.text);
}

static struct settings block(int width, int height)
{
    return (struct settings){.params = {{3, 5, 0}}, .block_width = width, .block_height = height};
}

static struct launch_plan planned(const struct variant *v, const struct settings *s,
                                  struct planes picture)
{
    struct launch_plan plan;
    struct error err = {""};
    if (!launch_plan(&plan, &(struct choice){&mean, v, *s}, picture, &gpu, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(plan.pass_count, v->pass_count);
    return plan;
}

static void assert_refused_on(const struct device *device, const struct variant *v,
                              const struct settings *s, struct planes picture,
                              const struct kernel_facts *facts, const char *message)
{
    struct launch_plan plan, before;
    memset(&plan, 0xA5, sizeof plan);
    before = plan;
    struct error err = {""};
    assert_false(launch_plan(&plan, &(struct choice){&mean, v, *s}, picture, device, facts, &err));
    assert_string_equal(err.text, message);
    assert_memory_equal(&plan, &before, sizeof plan);
    assert_false(launch_plan(&plan, &(struct choice){&mean, v, *s}, picture, device, facts, NULL));
}

static void assert_not_planned(const struct variant *v, const struct settings *s,
                               const char *message)
{
    assert_refused_on(&gpu, v, s, planes_shape(67, 45, 1), NULL, message);
}

// ---- grids ----

static void assert_covers(int pixels, int blocks, int step)
{
    if ((long long)blocks * step < pixels || (long long)(blocks - 1) * step >= pixels)
        fail_msg("%d blocks of %d pixels over %d pixels", blocks, step, pixels);
}

static void test_grids_cover_and_no_more(void **state)
{
    GRand *random = g_rand_new_with_seed(2026);
    for (int round = 0; round < 20000; round++) {
        const int top = round % 3 ? 200 : PLANES_MAX_SIDE + 1;
        const struct planes picture = planes_shape(g_rand_int_range(random, 1, top),
                                                   g_rand_int_range(random, 1, top), 1 + round % 3);
        const int bw = g_rand_int_range(random, 1, 1025);
        const int bh = g_rand_int_range(random, 1, 1024 / bw + 1);
        struct variant v = one_pass(32, 8);
        v.passes[0].each_x = g_rand_int_range(random, 1, round % 5 ? 20 : 1025);
        v.passes[0].each_y = g_rand_int_range(random, 1, round % 7 ? 20 : 1025);
        const struct settings s = block(bw, bh);
        const struct launch_config config = planned(&v, &s, picture).passes[0];
        assert_int_equal(config.block_width, bw);
        assert_int_equal(config.block_height, bh);
        assert_covers(picture.width, config.grid_width, bw * v.passes[0].each_x);
        assert_covers(picture.height, config.grid_height, bh * v.passes[0].each_y);
    }
    g_rand_free(random);
}

static void test_known_grids(void **state)
{
    static const struct {
        int width, height, bw, bh, each_x, each_y, grid_width, grid_height;
    } rows[] = {{1, 1, 32, 8, 1, 1, 1, 1},
                {32, 8, 32, 8, 1, 1, 1, 1},
                {33, 9, 32, 8, 1, 1, 2, 2},
                {31, 7, 32, 8, 1, 1, 1, 1},
                {640, 480, 32, 8, 1, 1, 20, 60},
                {67, 45, 7, 5, 1, 1, 10, 9},
                {513, 1, 32, 8, 16, 1, 2, 1},
                {512, 1, 32, 8, 16, 1, 1, 1},
                {1, 1, 1, 1, 1024, 1024, 1, 1},
                {32768, 32768, 1, 1, 1, 1, 32768, 32768},
                {32768, 32768, 1024, 1, 1024, 1, 1, 32768}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct variant v = one_pass(32, 8);
        v.passes[0].each_x = rows[i].each_x;
        v.passes[0].each_y = rows[i].each_y;
        const struct settings s = block(rows[i].bw, rows[i].bh);
        const struct launch_config config =
            planned(&v, &s, planes_shape(rows[i].width, rows[i].height, 3)).passes[0];
        assert_int_equal(config.grid_width, rows[i].grid_width);
        assert_int_equal(config.grid_height, rows[i].grid_height);
        assert_int_equal(config.shared_bytes, 0);
    }
}

// A block that writes what a formula says, whatever its threads.
static void test_blocks_of_a_formula(void **state)
{
    struct variant v = one_pass(64, 1);
    compile(&v.passes[0].columns, "8*bw - 2*radius");
    compile(&v.passes[0].rows, "min(height, 10) + c");
    struct settings s = block(0, 0);
    s.params.v[0] = 64;
    s.params.v[1] = 5;
    struct launch_config config = planned(&v, &s, planes_shape(385, 31, 1)).passes[0];
    assert_int_equal(config.grid_width, 2);
    assert_int_equal(config.grid_height, 3);
    config = planned(&v, &s, planes_shape(384, 30, 1)).passes[0];
    assert_int_equal(config.grid_width, 1);
    assert_int_equal(config.grid_height, 2);
    v.passes[0].rows = (struct expr){0};
    assert_int_equal(planned(&v, &s, planes_shape(384, 30, 1)).passes[0].grid_height, 30);

    compile(&v.passes[0].rows, "radius - 64");
    assert_not_planned(&v, &s, "rows= gives 0 pixels");
    compile(&v.passes[0].columns, "-9223372036854775807");
    assert_not_planned(&v, &s, "columns= gives -9223372036854775807 pixels");
    compile(&v.passes[0].columns, "9223372036854775807");
    compile(&v.passes[0].rows, "9223372036854775807");
    config = planned(&v, &s, planes_shape(32768, 32768, 1)).passes[0];
    assert_int_equal(config.grid_width, 1);
    assert_int_equal(config.grid_height, 1);
}

// The grids of the march, in the kernel files that use it: on an H200, and on devices with hardly
// any multiprocessors.
static void test_grids_of_the_march(void **state)
{
    static const struct {
        int multiprocessors, width, height, radius, grid_width, grid_height;
    } rows[] = {{132, 8000, 8000, 3, 17, 77},  {132, 8000, 8000, 16, 17, 46},
                {132, 8000, 8000, 64, 21, 36}, {132, 1920, 1080, 3, 4, 68},
                {132, 1, 1, 0, 1, 1},          {2, 1920, 1080, 3, 4, 5},
                {1, 8000, 8000, 3, 17, 1},     {0, 67, 45, 64, 1, 1}};
    static const char *const names[] = {"mean", "threshold"};
    struct filter_list list;
    struct error err = {""};
    if (!filter_list_load(&list, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
        const struct filter *f = filter_find(&list, names[i % 2]);
        const struct planes picture = planes_shape(rows[i / 2].width, rows[i / 2].height, 1);
        struct choice c = {f, filter_variant(f, "running"), {.params = filter_defaults(f)}};
        struct device device = gpu;
        struct launch_plan plan;
        c.settings.params.v[filter_radius(f)] = rows[i / 2].radius;
        device.multiprocessors = rows[i / 2].multiprocessors;
        if (!launch_plan(&plan, &c, picture, &device, NULL, &err)) fail_msg("%s", err.text);
        assert_int_equal(plan.passes[0].grid_width, rows[i / 2].grid_width);
        assert_int_equal(plan.passes[0].grid_height, rows[i / 2].grid_height);
    }
    filter_list_finish(&list);
}

static void test_grid_limits(void **state)
{
    struct device small = gpu;
    small.max_grid_width = 10;
    small.max_grid_height = 9;
    const struct variant v = one_pass(7, 5);
    const struct settings s = block(0, 0);
    struct launch_plan plan;
    assert_true(launch_plan(&plan, &(struct choice){&mean, &v, s}, planes_shape(70, 45, 1), &small,
                            NULL, NULL));
    assert_refused_on(&small, &v, &s, planes_shape(71, 45, 1), NULL,
                      "a grid of 11×9 blocks; the device allows 10×9");
    assert_refused_on(&small, &v, &s, planes_shape(70, 46, 1), NULL,
                      "a grid of 10×10 blocks; the device allows 10×9");
}

// ---- blocks ----

static void test_default_block(void **state)
{
    struct variant v = one_pass(32, 8);
    const struct {
        struct settings s;
        int width, height;
    } rows[] = {
        {block(0, 0), 32, 8}, {block(16, 0), 16, 8}, {block(0, 4), 32, 4}, {block(7, 5), 7, 5}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        int width, height;
        launch_block(&v, &rows[i].s, &width, &height);
        assert_int_equal(width, rows[i].width);
        assert_int_equal(height, rows[i].height);
        const struct launch_config config =
            planned(&v, &rows[i].s, planes_shape(67, 45, 1)).passes[0];
        assert_int_equal(config.block_width, rows[i].width);
        assert_int_equal(config.block_height, rows[i].height);
    }
}

static void test_refused_blocks(void **state)
{
    const struct variant v = one_pass(32, 8);
    const struct {
        struct settings s;
        const char *message;
    } rows[] = {
        {block(-1, 8), "block -1×8 has no threads"},
        {block(8, -8), "block 8×-8 has no threads"},
        {block(32, 33), "block 32×33 has 1056 threads, the device allows 1024"},
        {block(1024, 1024), "block 1024×1024 has 1048576 threads, the device allows 1024"},
        {block(1025, 1), "block 1025×1: the device allows at most 1024×1024"},
        {block(1, 1025), "block 1×1025: the device allows at most 1024×1024"},
        {block(1 << 20, 1 << 20), "block 1048576×1048576: the device allows at most 1024×1024"},
        {block(INT_MAX, INT_MAX),
         "block 2147483647×2147483647: the device allows at most 1024×1024"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_not_planned(&v, &rows[i].s, rows[i].message);
    const struct settings largest = block(32, 32);
    planned(&v, &largest, planes_shape(67, 45, 1));
}

static void test_registers_limit_threads(void **state)
{
    const struct variant v = one_pass(32, 8);
    const struct kernel_facts facts[] = {{.registers = 100, .max_threads = 640}};
    struct settings s = block(32, 20);
    struct launch_plan plan;
    assert_true(launch_plan(&plan, &(struct choice){&mean, &v, s}, planes_shape(9, 9, 1), &gpu,
                            facts, NULL));
    s = block(32, 21);
    assert_refused_on(&gpu, &v, &s, planes_shape(9, 9, 1), facts,
                      "block 32×21 has 672 threads; with 100 registers each, 640 fit");
    assert_true(launch_plan(&plan, &(struct choice){&mean, &v, s}, planes_shape(9, 9, 1), &gpu,
                            NULL, NULL));
}

static void test_multiple_of(void **state)
{
    struct variant v = one_pass(32, 8);
    v.passes[0].multiple_of = 32;
    struct settings s = block(64, 3);
    planned(&v, &s, planes_shape(67, 45, 1));
    s = block(48, 4);
    assert_not_planned(&v, &s, "shared needs a block width that is a multiple of 32, not 48");
    s = block(1, 32);
    assert_not_planned(&v, &s, "shared needs a block width that is a multiple of 32, not 1");
}

static void test_fixed_blocks(void **state)
{
    struct variant v = one_pass(16, 4);
    v.passes[0].is_fixed = true;
    struct settings s = block(0, 0);
    assert_int_equal(planned(&v, &s, planes_shape(67, 45, 1)).passes[0].block_width, 16);
    s = block(16, 4);
    assert_int_equal(planned(&v, &s, planes_shape(67, 45, 1)).passes[0].grid_height, 12);
    static const int others[][2] = {{32, 4}, {16, 8}, {4, 16}, {0, 8}, {8, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        s = block(others[i][0], others[i][1]);
        assert_not_planned(&v, &s, "shared is written for blocks of 16×4");
    }
}

// What prepare= makes decides on which pictures the variant works, and how their planes lie.
static struct filter with_own_pictures(const char *options)
{
    char *text =
        g_strdup_printf("//! filter \"T\"\nstruct params {\n    int radius;  //! 3 [0, 64]\n"
                        "};\n//! variant four 32x8 each=4x1 prepare=there finish=back\n"
                        "KERNEL(four)\n//! untimed 16x16 %s\nKERNEL(there)\n"
                        "//! untimed 64x2\nKERNEL(back)\n",
                        options);
    struct filter f = parsed(text);
    g_free(text);
    return f;
}

static void test_own_pictures(void **state)
{
    static const struct {
        const char *options;
        int planes, pitch;
        const char *refused;
    } rows[] = {
        {"", 1, 0, NULL},
        {"", 3, 0, NULL},
        {"planes=3", 3, 0, NULL},
        {"planes=3", 1, 0, "mean four works on colour pictures"},
        {"planes=1", 3, 0, "mean four works on grey pictures"},
        {"pitch=(3*width + 3) / 4 * 4", 3, 388, NULL},
        {"pitch=width + 128*radius", 3, 513, NULL},
        {"pitch=width", 3, 0, "pitch= gives 129 bytes; a row has 387, and room for 819"},
        {"pitch=820", 3, 0, "pitch= gives 820 bytes; a row has 387, and room for 819"},
        {"pitch=819", 3, 819, NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct filter f = with_own_pictures(rows[i].options);
        struct launch_plan plan;
        struct error err = {""};
        const struct choice c = {&f, f.variants, {.params = {{3}}}};
        const bool is_good =
            launch_plan(&plan, &c, planes_shape(129, 45, rows[i].planes), &gpu, NULL, &err);
        assert_string_equal(err.text, rows[i].refused ? rows[i].refused : "");
        assert_true(filter_is_interleaved(&f, f.variants) ==
                    (strstr(rows[i].options, "pitch") != NULL));
        if (is_good) {
            assert_int_equal(plan.pitch, rows[i].pitch);
            assert_int_equal(plan.passes[0].grid_width, 2);
            assert_int_equal(plan.prepare.grid_width, 9);
            assert_int_equal(plan.finish.grid_height, 23);
        }
        filter_finish(&f);
    }
}

// One pass keeps its shape, the other follows the choice.
static void test_fixed_beside_free(void **state)
{
    struct variant v = one_pass(32, 8);
    v.passes[1] = (struct pass){.block_width = 64,
                                .block_height = 1,
                                .each_x = 1,
                                .each_y = 16,
                                .is_fixed = true,
                                .multiple_of = 1};
    v.pass_count = 2;
    const struct settings s = block(7, 5);
    const struct launch_plan plan = planned(&v, &s, planes_shape(67, 45, 1));
    assert_int_equal(plan.passes[0].block_width, 7);
    assert_int_equal(plan.passes[0].grid_width, 10);
    assert_int_equal(plan.passes[1].block_width, 64);
    assert_int_equal(plan.passes[1].block_height, 1);
    assert_int_equal(plan.passes[1].grid_width, 2);
    assert_int_equal(plan.passes[1].grid_height, 3);
}

static void test_a_later_pass_refuses(void **state)
{
    struct variant v = one_pass(32, 8);
    v.passes[1] = v.passes[0];
    v.passes[1].multiple_of = 8;
    v.pass_count = 2;
    const struct settings s = block(7, 5);
    assert_not_planned(&v, &s, "shared needs a block width that is a multiple of 8, not 7");
    const struct kernel_facts facts[] = {{.max_threads = 1024, .registers = 20},
                                         {.max_threads = 128, .registers = 255}};
    const struct settings wide = block(32, 8);
    assert_refused_on(&gpu, &v, &wide, planes_shape(9, 9, 1), facts,
                      "block 32×8 has 256 threads; with 255 registers each, 128 fit");
}

// ---- shared memory ----

static size_t shared_of(const char *expression, struct settings s, struct planes picture)
{
    struct variant v = one_pass(32, 8);
    compile(&v.passes[0].shared, expression);
    return planned(&v, &s, picture).passes[0].shared_bytes;
}

static void test_shared_knows_all_names(void **state)
{
    struct settings s = block(16, 4);
    s.params = (struct param_values){{7, -100, 2.5}};
    const struct planes picture = planes_shape(203, 117, 3);
    assert_int_equal(shared_of("bw", s, picture), 16);
    assert_int_equal(shared_of("bh", s, picture), 4);
    assert_int_equal(shared_of("width", s, picture), 203);
    assert_int_equal(shared_of("height", s, picture), 117);
    assert_int_equal(shared_of("multiprocessors", s, picture), 132);
    assert_int_equal(shared_of("radius", s, picture), 7);
    assert_int_equal(shared_of("-c", s, picture), 100);
    assert_int_equal(shared_of("sigma * 4", s, picture), 8);
    assert_int_equal(shared_of("(bw + 2*radius) * (bh + 2*radius)", s, picture), 30 * 18);
    const struct settings defaults = block(0, 0);
    assert_int_equal(shared_of("(bw + 2*radius) * (bh + 2*radius)", defaults, picture), 38 * 14);
}

static void test_refused_shared(void **state)
{
    struct variant v = one_pass(32, 8);
    struct settings s = block(32, 32);
    compile(&v.passes[0].shared, "(bw + 2*radius) * (bh + 2*radius) * 4");
    s.params.v[0] = 64;
    assert_not_planned(&v, &s,
                       "needs 102400 B of shared memory per block, the device allows 49152 B");
    compile(&v.passes[0].shared, "c");
    s.params.v[1] = -1;
    assert_not_planned(&v, &s, "shared= gives -1 bytes");
    compile(&v.passes[0].shared, "64 / c");
    s.params.v[1] = 0;
    assert_not_planned(&v, &s, "'64 / c' divides by zero");
    const struct kernel_facts facts[] = {{.max_threads = 1024, .static_shared_bytes = 1152}};
    compile(&v.passes[0].shared, "9223372036854775807");
    assert_refused_on(&gpu, &v, &s, planes_shape(9, 9, 1), facts,
                      "needs 9223372036854776959 B of shared memory per block, the device allows "
                      "49152 B");
    compile(&v.passes[0].shared, "width * height * bw * bh * 4");
    assert_refused_on(&gpu, &v, &s, planes_shape(32768, 32768, 3), NULL,
                      "needs 4398046511104 B of shared memory per block, the device allows 49152 "
                      "B");
}

static void test_shared_to_the_last_byte(void **state)
{
    struct variant v = one_pass(32, 8);
    const struct settings s = block(0, 0);
    const struct kernel_facts facts[] = {{.max_threads = 1024, .static_shared_bytes = 1152}};
    struct launch_plan plan;
    compile(&v.passes[0].shared, "49152");
    assert_int_equal(planned(&v, &s, planes_shape(9, 9, 1)).passes[0].shared_bytes, 49152);
    compile(&v.passes[0].shared, "49153");
    assert_not_planned(&v, &s,
                       "needs 49153 B of shared memory per block, the device allows 49152 B");
    compile(&v.passes[0].shared, "48000");
    assert_true(launch_plan(&plan, &(struct choice){&mean, &v, s}, planes_shape(9, 9, 1), &gpu,
                            facts, NULL));
    assert_int_equal(plan.passes[0].shared_bytes, 48000);  // the dynamic part alone
    compile(&v.passes[0].shared, "48001");
    assert_refused_on(&gpu, &v, &s, planes_shape(9, 9, 1), facts,
                      "needs 49153 B of shared memory per block, the device allows 49152 B");
}

// ---- params ----

static void test_params_are_checked(void **state)
{
    const struct variant v = one_pass(32, 8);
    struct settings s = block(0, 0);
    s.params.v[0] = 65;
    assert_not_planned(&v, &s, "radius 65 is outside [0, 64] of mean");
    s.params.v[0] = 2.5;
    assert_not_planned(&v, &s, "radius 2.5 of mean is not a whole number");
}

static void test_taps(void **state)
{
    struct settings s = block(0, 0);
    static const double taps[][2] = {{0, 1}, {1, 9}, {3, 49}, {64, 16641}};
    for (size_t i = 0; i < G_N_ELEMENTS(taps); i++) {
        s.params.v[0] = taps[i][0];
        assert_true(launch_taps(&mean, &s) == taps[i][1]);
        assert_true(launch_taps(&plain, &s) == 1);
    }
}

static double work_of(const struct filter *f, double a, double b)
{
    return launch_work(f, &(struct settings){.params = {{a, b}}});
}

static void test_work_grows_with_the_numbers(void **state)
{
    struct settings s = block(0, 0);
    s.params.v[0] = 7;
    assert_true(launch_work(&mean, &s) == 225);  // by the radius alone
    assert_true(launch_work(&plain, &s) == 1);

    struct filter f = parsed("//! filter \"F\"\nstruct params {\n    int n;  //! 4 [0, 64] a\n"
                             "    float x;  //! 0 [0, 9] b\n};\n//! variant v 32x8\nKERNEL(v)\n");
    assert_true(work_of(&f, 6, 9) == 2 * work_of(&f, 3, 2));
    assert_true(work_of(&f, 0, 0) == work_of(&f, 1, 0));
    filter_finish(&f);

    // A vector: by its elements, and by the number that is not of its size.
    f = parsed("//! lab \"L\"\n#include \"lab.h\"\nstruct params {\n"
               "    int n;  //! 4 [1, 1048576] a\n    int m;  //! 2 [1, 64] b\n};\n"
               "struct arrays {\n    const int *x;  //! in [n] noise 0, 9\n"
               "    int *y;  //! out [n] shown 0, 9\n};\nREFERENCE(y)\n"
               "//! variant v 256x1\nKERNEL(v)\n");
    assert_true(work_of(&f, 4096, 2) == 4 * work_of(&f, 1024, 2));
    assert_true(work_of(&f, 4096, 6) == 3 * work_of(&f, 4096, 2));
    assert_true(work_of(&f, 1048576, 64) == 64 * work_of(&f, 1048576, 1));
    filter_finish(&f);

    // A matrix: each element may cost a row.
    f = parsed("//! lab \"L\"\n#include \"lab.h\"\nstruct params {\n"
               "    int n;  //! 4 [1, 8192] a\n};\n"
               "struct arrays {\n    const int *x;  //! in [n][n] noise 0, 9\n"
               "    int *y;  //! out [n][n] shown 0, 9\n};\nREFERENCE(y)\n"
               "//! variant v 32x8\nKERNEL(v)\n");
    assert_true(work_of(&f, 512, 0) == 8 * work_of(&f, 256, 0));
    filter_finish(&f);
}

// ---- labs ----

static const char lab_source[] = "//! lab \"Lab\"\n"
                                 "int n; //! 100 [1, 2147483647]\n"
                                 "int m; //! 40 [-9, 65536]\n"
                                 "struct arrays {\n"
                                 "const int *a; //! in [n] counted\n"
                                 "float *b; //! out [2][m + 10][n]\n"
                                 "int *s; //! out [1]\n"
                                 "};\n"
                                 "//! variant shape 32x8\nKERNEL(shape)\n"
                                 "//! variant vector 64x1 domain=n shared=width + 1000*height\n"
                                 "KERNEL(vector)\n"
                                 "//! variant both 64x1 domain=m, n each=2x4\nKERNEL(both)\n"
                                 "//! variant blocks 64x1 domain=n columns=bw*bh\nKERNEL(blocks)\n"
                                 "//! variant device 64x1 domain=multiprocessors*bw\n"
                                 "KERNEL(device)\n"
                                 "//! variant around 64x2 prepare=before finish=after block=fixed\n"
                                 "KERNEL(around)\n"
                                 "//! variant passes 32x1 domain=1\nKERNEL(first)\n"
                                 "//! variant passes 256x1 domain=n*m\nKERNEL(second)\n"
                                 "//! untimed 16x16 domain=n, m\nKERNEL(before)\n"
                                 "//! untimed 128x1\nKERNEL(after)\n";

// One choice of the lab, planned for no picture at all.
static bool plan_lab(struct launch_plan *plan, const struct filter *lab, const char *variant,
                     struct settings settings, struct error *err)
{
    const struct choice choice = {lab, filter_variant(lab, variant), settings};
    assert_non_null(choice.variant);
    return launch_plan(plan, &choice, (struct planes){.pixels = NULL}, &gpu, NULL, err);
}

static void test_domains(void **state)
{
    static const struct {
        const char *variant;
        int bw, bh, grid_width, grid_height;
    } rows[] = {
        {"shape", 0, 0, 4, 13},  // 100 columns, 2 * 50 rows
        {"shape", 10, 100, 10, 1}, {"vector", 0, 0, 2, 1},   {"vector", 1, 8, 100, 1},
        {"both", 0, 0, 1, 25},     {"both", 4, 4, 5, 7},     {"blocks", 0, 0, 2, 1},
        {"blocks", 7, 5, 3, 1},    {"device", 0, 0, 132, 1}, {"device", 33, 1, 132, 1},
        {"around", 0, 0, 2, 50},   {"passes", 0, 0, 1, 1},
    };
    struct filter lab = parsed(lab_source);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct launch_plan plan;
        struct error err = {""};
        const struct settings s = {
            .params = filter_defaults(&lab), .block_width = rows[i].bw, .block_height = rows[i].bh};
        if (!plan_lab(&plan, &lab, rows[i].variant, s, &err)) fail_msg("%s", err.text);
        assert_int_equal(plan.passes[0].grid_width, rows[i].grid_width);
        assert_int_equal(plan.passes[0].grid_height, rows[i].grid_height);
    }
    filter_finish(&lab);
}

static void test_untimed_plans(void **state)
{
    struct filter lab = parsed(lab_source);
    struct launch_plan plan;
    struct settings s = {.params = filter_defaults(&lab)};
    static const struct launch_config none;
    assert_true(plan_lab(&plan, &lab, "around", s, NULL));
    assert_int_equal(plan.prepare.grid_width, 7);
    assert_int_equal(plan.prepare.grid_height, 3);
    assert_int_equal(plan.prepare.block_width, 16);
    assert_int_equal(plan.finish.grid_width, 1);
    assert_int_equal(plan.finish.grid_height, 100);
    assert_true(plan_lab(&plan, &lab, "vector", s, NULL));
    assert_memory_equal(&plan.prepare, &none, sizeof none);
    assert_int_equal(plan.passes[0].shared_bytes, 1100);
    s.block_width = 64;  // the block's shape is the passes', not that of untimed kernels
    s.block_height = 2;
    assert_true(plan_lab(&plan, &lab, "around", s, NULL));
    assert_int_equal(plan.prepare.block_width, 16);
    filter_finish(&lab);
}

static void test_refused_labs(void **state)
{
    static const struct {
        const char *variant;
        double n, m;
        const char *message;
    } rows[] = {
        {"both", 100, 0, "domain= gives 0×100 threads"},
        {"both", 100, -9, "domain= gives -9×100 threads"},
        {"passes", 2147483647, 2, "domain= gives 4294967294×1 threads"},
        {"shape", 2147483647, 40, "b has a side of 2147483647; an array holds 1 to 2^31 elements"},
        {"vector", 60000, 1, "needs 61000 B of shared memory per block, the device allows 49152 B"},
        {"around", 1, 65536, "a grid of 1×65546 blocks; the device allows 2147483647×65535"},
    };
    struct filter lab = parsed(lab_source);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct launch_plan plan, before;
        struct error err = {""};
        memset(&plan, 0xA5, sizeof plan);
        before = plan;
        const struct settings s = {.params = {{rows[i].n, rows[i].m}}};
        if (plan_lab(&plan, &lab, rows[i].variant, s, &err)) fail_msg("%s", rows[i].message);
        assert_string_equal(err.text, rows[i].message);
        assert_memory_equal(&plan, &before, sizeof plan);
    }
    filter_finish(&lab);
}

// An int cannot count 2^31 threads: one less would leave out the last element.
static void test_no_element_is_left_out(void **state)
{
    static const char source[] = "//! lab \"Lab\"\nint n; //! 1 [1, 1073741824]\n"
                                 "struct arrays {\nunsigned char *b; //! out [2*n]\n};\n"
                                 "//! variant naive 64x1\nKERNEL(naive)\n";
    struct filter lab = parsed(source);
    struct launch_plan plan;
    struct error err = {""};
    const struct settings less = {.params = {{1073741823}}}, all = {.params = {{1073741824}}};
    assert_true(plan_lab(&plan, &lab, "naive", less, &err));
    assert_false(plan_lab(&plan, &lab, "naive", all, &err));
    assert_string_equal(err.text, "a grid for 2^31 rows or columns; domain= can ask for fewer");
    filter_finish(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids_cover_and_no_more),
        cmocka_unit_test(test_known_grids),
        cmocka_unit_test(test_blocks_of_a_formula),
        cmocka_unit_test(test_grids_of_the_march),
        cmocka_unit_test(test_grid_limits),
        cmocka_unit_test(test_default_block),
        cmocka_unit_test(test_refused_blocks),
        cmocka_unit_test(test_registers_limit_threads),
        cmocka_unit_test(test_multiple_of),
        cmocka_unit_test(test_fixed_blocks),
        cmocka_unit_test(test_own_pictures),
        cmocka_unit_test(test_fixed_beside_free),
        cmocka_unit_test(test_a_later_pass_refuses),
        cmocka_unit_test(test_shared_knows_all_names),
        cmocka_unit_test(test_refused_shared),
        cmocka_unit_test(test_shared_to_the_last_byte),
        cmocka_unit_test(test_params_are_checked),
        cmocka_unit_test(test_taps),
        cmocka_unit_test(test_work_grows_with_the_numbers),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_untimed_plans),
        cmocka_unit_test(test_refused_labs),
        cmocka_unit_test(test_no_element_is_left_out),
    };
    return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
