// Shapes of launches: grids that always cover the picture, and refusals with their numbers.
#include "unit.h"

#include <limits.h>

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

// One variant of a filter, of one pass or two.
static struct filter with_passes(const char *first, const char *second)
{
    g_autofree char *more =
        second ? g_strdup_printf("//! variant shared %s\n__global__ void more() {}\n", second)
               : NULL;
    g_autofree char *text =
        g_strdup_printf("//! filter \"T\"\n//! param radius 3 [0, 64]\n"
                        "//! param c 5 [-128, 127]\n//! param sigma float 0 [0, 9]\n"
                        "//! variant shared %s\n__global__ void k() {}\n%s",
                        first, more ? more : "");
    return parsed(text);
}

// A launch, and its last pass's grid and shared bytes, or why it is refused, whatever the picture.
struct row {
    const char *passes[2];
    struct settings settings;
    const char *refused;
    int width, height;
    int grid_width, grid_height;
    size_t shared_bytes;
};

#define DEFAULT         .settings = {.params = {{3, 5, 0}}}
#define BLOCK(w, h)     .settings = {{{3, 5, 0}}, w, h, false}
#define PARAMS(r, c, s) .settings = {.params = {{r, c, s}}}

static void assert_plan(const struct row *r, const struct kernel_facts *facts,
                        const struct device *device)
{
    OWNED(filter_finish) struct filter f = with_passes(r->passes[0], r->passes[1]);
    const struct choice c = {&f, f.variants, r->settings};
    const struct planes picture = planes_shape(MAX(r->width, 1), MAX(r->height, 1), 3);
    struct launch_plan plan, before;
    err.text[0] = '\0';
    memset(&plan, 0xA5, sizeof plan);
    before = plan;
    const bool is_good = launch_plan(&plan, &c, picture, device, facts, &err);
    assert_string_equal(err.text, r->refused ? r->refused : "");
    assert_int_equal(is_good, !r->refused);
    assert_int_equal(launch_plan(&plan, &c, picture, device, facts, NULL), is_good);
    if (!is_good) {
        assert_memory_equal(&plan, &before, sizeof plan);
    } else {
        const struct launch_config *last = &plan.passes[plan.pass_count - 1].config;
        int width, height;
        assert_int_equal(plan.pass_count, f.variants[0].pass_count);
        launch_block(f.variants, &r->settings, &width, &height);
        assert_true(plan.passes[0].config.block_width == width &&
                    plan.passes[0].config.block_height == height);
        if (last->grid_width != r->grid_width || last->grid_height != r->grid_height ||
            last->shared_bytes != r->shared_bytes)
            fail_msg("%s: a grid of %dx%d, %zu bytes", r->passes[0], last->grid_width,
                     last->grid_height, last->shared_bytes);
    }
}

// ---- grids ----

static void assert_covers(int pixels, int blocks, int step)
{
    if ((long long)blocks * step < pixels || (long long)(blocks - 1) * step >= pixels)
        fail_msg("%d blocks of %d pixels over %d pixels", blocks, step, pixels);
}

TEST(grids_cover_and_no_more)
{
    OWNED(filter_finish) struct filter f = with_passes("32x8", NULL);
    struct pass *pass = &f.variants[0].passes[0];
    GRand *random = g_rand_new_with_seed(2026);
    for (int round = 0; round < 20000; round++) {
        const int top = round % 3 ? 200 : PLANES_MAX_SIDE + 1;
        const struct planes picture = planes_shape(g_rand_int_range(random, 1, top),
                                                   g_rand_int_range(random, 1, top), 1 + round % 3);
        const int bw = g_rand_int_range(random, 1, 1025);
        const int bh = g_rand_int_range(random, 1, 1024 / bw + 1);
        struct launch_plan plan;
        pass->each_x = g_rand_int_range(random, 1, round % 5 ? 20 : 1025);
        pass->each_y = g_rand_int_range(random, 1, round % 7 ? 20 : 1025);
        const struct choice c = {&f, f.variants, {.block_width = bw, .block_height = bh}};
        assert_true(launch_plan(&plan, &c, picture, &gpu, NULL, NULL));
        assert_int_equal(plan.passes[0].config.block_width, bw);
        assert_int_equal(plan.passes[0].config.block_height, bh);
        assert_covers(picture.width, plan.passes[0].config.grid_width, bw * pass->each_x);
        assert_covers(picture.height, plan.passes[0].config.grid_height, bh * pass->each_y);
    }
    g_rand_free(random);
}

#define HUGE_NUMBER "9223372036854775807"
#define TILE        "(bw + 2*radius) * (bh + 2*radius)"
#define BY_FORMULA  "64x1 columns=8*bw-2*radius rows=min(height, 10)+c"
#define TOO_MUCH(b) "needs " b " B of shared memory per block, the device allows 49152 B"

TEST(known_launches)
{
    static const char most[] = "block 1048576×1048576: the device allows at most 1024×1024";
    static const char fixed[] = "shared is written for blocks of 16×4";
    static const struct row rows[] = {
        {{"32x8"}, DEFAULT, NULL, 1, 1, 1, 1, 0},
        {{"32x8"}, DEFAULT, NULL, 32, 8, 1, 1, 0},
        {{"32x8"}, DEFAULT, NULL, 33, 9, 2, 2, 0},
        {{"32x8"}, DEFAULT, NULL, 31, 7, 1, 1, 0},
        {{"32x8"}, DEFAULT, NULL, 640, 480, 20, 60, 0},
        {{"32x8 each=16x1"}, DEFAULT, NULL, 513, 1, 2, 1, 0},
        {{"32x8 each=16x1"}, DEFAULT, NULL, 512, 1, 1, 1, 0},
        {{"32x8 each=1024x1024"}, BLOCK(1, 1), NULL, 1, 1, 1, 1, 0},
        {{"32x8"}, BLOCK(1, 1), NULL, 32768, 32768, 32768, 32768, 0},
        {{"32x8 each=1024x1"}, BLOCK(1024, 1), NULL, 32768, 32768, 1, 32768, 0},
        // Blocks that write what a formula says, whatever their threads.
        {{BY_FORMULA}, PARAMS(64, 5, 0), NULL, 385, 31, 2, 3, 0},
        {{BY_FORMULA}, PARAMS(64, 5, 0), NULL, 384, 30, 1, 2, 0},
        {{"64x1 columns=8*bw-2*radius"}, PARAMS(64, 5, 0), NULL, 384, 30, 1, 30, 0},
        {{"64x1 columns=" HUGE_NUMBER " rows=" HUGE_NUMBER}, DEFAULT, NULL, 32768, 32768, 1, 1, 0},
        {{"64x1 rows=radius-3"}, DEFAULT, "rows= gives 0 pixels"},
        {{"64x1 columns=-" HUGE_NUMBER}, DEFAULT, "columns= gives -" HUGE_NUMBER " pixels"},
        // Blocks of the variant, and chosen ones.
        {{"32x8"}, BLOCK(16, 0), NULL, 67, 45, 5, 6, 0},
        {{"32x8"}, BLOCK(0, 4), NULL, 67, 45, 3, 12, 0},
        {{"32x8"}, BLOCK(7, 5), NULL, 67, 45, 10, 9, 0},
        {{"32x8"}, BLOCK(32, 32), NULL, 67, 45, 3, 2, 0},
        {{"32x8"}, BLOCK(-1, 8), "block -1×8 has no threads"},
        {{"32x8"}, BLOCK(8, -8), "block 8×-8 has no threads"},
        {{"32x8"}, BLOCK(32, 33), "block 32×33 has 1056 threads, the device allows 1024"},
        {{"32x8"},
         BLOCK(1024, 1024),
         "block 1024×1024 has 1048576 threads, the device allows 1024"},
        {{"32x8"}, BLOCK(1025, 1), "block 1025×1: the device allows at most 1024×1024"},
        {{"32x8"}, BLOCK(1, 1025), "block 1×1025: the device allows at most 1024×1024"},
        {{"32x8"}, BLOCK(1 << 20, 1 << 20), most},
        {{"32x8 multiple_of=32"}, BLOCK(64, 3), NULL, 67, 45, 2, 15, 0},
        {{"32x8 multiple_of=32"},
         BLOCK(48, 4),
         "shared needs a block width that is a multiple of 32, not 48"},
        {{"16x4 block=fixed"}, DEFAULT, NULL, 67, 45, 5, 12, 0},
        {{"16x4 block=fixed"}, BLOCK(16, 4), NULL, 67, 45, 5, 12, 0},
        {{"16x4 block=fixed"}, BLOCK(32, 4), fixed},
        {{"16x4 block=fixed"}, BLOCK(16, 8), fixed},
        {{"16x4 block=fixed"}, BLOCK(4, 16), fixed},
        {{"16x4 block=fixed"}, BLOCK(0, 8), fixed},
        {{"16x4 block=fixed"}, BLOCK(8, 0), fixed},
        // One pass keeps its shape, the other follows the choice. Any of them may refuse.
        {{"32x8", "64x1 each=1x16 block=fixed"}, BLOCK(7, 5), NULL, 67, 45, 2, 3, 0},
        {{"32x8", "64x4 multiple_of=8"},
         BLOCK(7, 5),
         "shared needs a block width that is a multiple of 8, not 7"},
        // Shared memory, whose formula knows all names.
        {{"16x4 shared=bw"}, DEFAULT, NULL, 9, 9, 1, 3, 16},
        {{"16x4 shared=bh"}, DEFAULT, NULL, 9, 9, 1, 3, 4},
        {{"16x4 shared=width"}, DEFAULT, NULL, 9, 7, 1, 2, 9},
        {{"16x4 shared=height"}, DEFAULT, NULL, 9, 7, 1, 2, 7},
        {{"16x4 shared=multiprocessors"}, DEFAULT, NULL, 9, 9, 1, 3, 132},
        {{"16x4 shared=radius"}, PARAMS(7, 5, 0), NULL, 9, 9, 1, 3, 7},
        {{"16x4 shared=-c"}, PARAMS(7, -100, 0), NULL, 9, 9, 1, 3, 100},
        {{"16x4 shared=sigma * 4"}, PARAMS(7, 5, 2.5), NULL, 9, 9, 1, 3, 8},
        {{"32x8 shared=" TILE}, BLOCK(16, 4), NULL, 9, 9, 1, 3, 22 * 10},
        {{"32x8 shared=" TILE}, DEFAULT, NULL, 9, 9, 1, 2, 38 * 14},
        {{"32x32 shared=" TILE " * 4"}, PARAMS(64, 5, 0), TOO_MUCH("102400")},
        {{"32x8 shared=c"}, PARAMS(3, -1, 0), "shared= gives -1 bytes"},
        {{"32x8 shared=64 / c"}, PARAMS(3, 0, 0), "'64 / c' divides by zero"},
        {{"32x32 shared=width * height * bw * bh * 4"},
         DEFAULT,
         TOO_MUCH("4398046511104"),
         32768,
         32768},
        {{"32x8 shared=49152"}, DEFAULT, NULL, 9, 9, 1, 2, 49152},
        {{"32x8 shared=49153"}, DEFAULT, TOO_MUCH("49153")},
        // Params.
        {{"32x8"}, PARAMS(65, 5, 0), "radius 65 is outside [0, 64] of mean"},
        {{"32x8"}, PARAMS(2.5, 5, 0), "radius 2.5 of mean is not a whole number"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) assert_plan(&rows[i], NULL, &gpu);
}

// What the compiler knows of each pass limits threads and shared memory.
// Whole strips if there are any, else the widest that fit.
TEST(strips_of_blocks)
{
    static const int rows[][2] = {{32, 0}, {64, 0}, {96, 0}, {100, 0}, {48, 16}, {16, 16}, {20, 16},
                                  {8, 8},  {24, 8}, {40, 8}, {12, 8},  {7, 0},   {1, 0}};
    OWNED(filter_finish) struct filter f = with_passes("16x16", NULL);
    struct choice c = {&f, f.variants, {.params = filter_defaults(&f)}};
    assert_int_equal(launch_build(&c).lanes, 16);  // the variant's own block
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        c.settings.block_width = rows[i][0];
        assert_int_equal(launch_build(&c).lanes, rows[i][1]);
    }
    OWNED(filter_finish) struct filter fixed = with_passes("8x8 block=fixed", NULL);
    c = (struct choice){&fixed, fixed.variants, {.block_width = 32}};
    assert_int_equal(launch_build(&c).lanes, 8);
}

TEST(facts_and_grids_limit_launches)
{
    static const struct kernel_facts facts[] = {
        {.registers = 100, .max_threads = 640, .static_shared_bytes = 1152},
        {.registers = 255, .max_threads = 128}};
    static const struct row rows[] = {
        {{"32x8"}, BLOCK(32, 20), NULL, 9, 9, 1, 1, 0},
        {{"32x8"}, BLOCK(32, 21), "block 32×21 has 672 threads; with 100 registers each, 640 fit"},
        {{"32x8", "32x8"},
         BLOCK(32, 8),
         "block 32×8 has 256 threads; with 255 registers each, 128 fit"},
        {{"32x8 shared=48000"}, DEFAULT, NULL, 9, 9, 1, 2, 48000},  // the dynamic part alone
        {{"32x8 shared=48001"}, DEFAULT, TOO_MUCH("49153")},
        {{"32x8 shared=" HUGE_NUMBER}, DEFAULT, TOO_MUCH("9223372036854776959")},
    };
    static const struct row large[] = {
        {{"7x5"}, DEFAULT, NULL, 70, 45, 10, 9, 0},
        {{"7x5"}, DEFAULT, "a grid of 11×9 blocks; the device allows 10×9", 71, 45},
        {{"7x5"}, DEFAULT, "a grid of 10×10 blocks; the device allows 10×9", 70, 46},
    };
    struct device small = gpu;
    small.max_grid_width = 10;
    small.max_grid_height = 9;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) assert_plan(&rows[i], facts, &gpu);
    for (size_t i = 0; i < G_N_ELEMENTS(large); i++) assert_plan(&large[i], NULL, &small);
}

// The grids of the march, in the kernel files that use it: on an H200, and on devices with hardly
// any multiprocessors.
TEST(grids_of_the_march)
{
    static const struct {
        int multiprocessors, width, height, radius, grid_width, grid_height;
    } rows[] = {{132, 8000, 8000, 3, 17, 77},  {132, 8000, 8000, 16, 17, 46},
                {132, 8000, 8000, 64, 21, 36}, {132, 1920, 1080, 3, 4, 68},
                {132, 1, 1, 0, 1, 1},          {2, 1920, 1080, 3, 4, 5},
                {1, 8000, 8000, 3, 17, 1},     {0, 67, 45, 64, 1, 1}};
    static const char *const names[] = {"mean", "threshold"};
    OWNED(filter_list_finish) struct filter_list list;
    must(filter_list_load(&list, TILESCOPE_KERNELS, NULL, &err));
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
        const struct filter *f = filter_find(&list, names[i % 2]);
        const struct planes picture = planes_shape(rows[i / 2].width, rows[i / 2].height, 1);
        struct choice c = {f, filter_variant(f, "running"), {.params = filter_defaults(f)}};
        struct device device = gpu;
        struct launch_plan plan;
        c.settings.params.v[filter_radius(f)] = rows[i / 2].radius;
        device.multiprocessors = rows[i / 2].multiprocessors;
        must(launch_plan(&plan, &c, picture, &device, NULL, &err));
        assert_int_equal(plan.passes[0].config.grid_width, rows[i / 2].grid_width);
        assert_int_equal(plan.passes[0].config.grid_height, rows[i / 2].grid_height);
    }
}

// What prepare= makes decides on which pictures the variant works, and how their planes lie.
static struct filter with_own_pictures(const char *options)
{
    g_autofree char *text = g_strdup_printf(
        "//! filter \"T\"\n//! param radius 3 [0, 64]\n"
        "//! variant four 32x8 each=4x1 prepare=there finish=back\n"
        "__global__ void four() {}\n//! untimed 16x16 %s\n__global__ void there() {}\n"
        "//! untimed 64x2\n__global__ void back() {}\n",
        options);
    return parsed(text);
}

TEST(own_pictures)
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
        OWNED(filter_finish) struct filter f = with_own_pictures(rows[i].options);
        struct launch_plan plan;
        err.text[0] = '\0';
        const struct choice c = {&f, f.variants, {.params = {{3}}}};
        const bool is_good =
            launch_plan(&plan, &c, planes_shape(129, 45, rows[i].planes), &gpu, NULL, &err);
        assert_string_equal(err.text, rows[i].refused ? rows[i].refused : "");
        assert_true(filter_is_interleaved(&f, f.variants) ==
                    (strstr(rows[i].options, "pitch") != NULL));
        if (is_good) {
            assert_int_equal(plan.pitch, rows[i].pitch);
            assert_int_equal(plan.passes[0].config.grid_width, 2);
            assert_int_equal(plan.prepare.grid_width, 9);
            assert_int_equal(plan.finish.grid_height, 23);
        }
    }
}

// ---- work ----

static double work_of(const struct filter *f, double a, double b)
{
    return launch_work(f, &(struct settings){.params = {{a, b}}});
}

TEST(work_grows_with_the_numbers)
{
    static const double taps[][2] = {{0, 1}, {1, 9}, {3, 49}, {7, 225}, {64, 16641}};
    OWNED(filter_finish) struct filter f = with_passes("32x8", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(taps); i++) {  // by the radius alone
        assert_true(launch_taps(&f, &(struct settings){.params = {{taps[i][0]}}}) == taps[i][1]);
        assert_true(work_of(&f, taps[i][0], 9) == taps[i][1]);
    }
    filter_finish(&f);
    f = parsed("//! filter \"F\"\n//! variant v 32x8\n__global__ void v() {}\n");
    assert_true(work_of(&f, 7, 0) == 1);
    assert_true(launch_taps(&f, &(struct settings){.params = {{7}}}) == 1);
    filter_finish(&f);
    f = parsed("//! filter \"F\"\n//! param n 4 [0, 64] a\n"
               "//! param x float 0 [0, 9] b\n//! variant v 32x8\n__global__ void v() {}\n");
    assert_true(work_of(&f, 6, 9) == 2 * work_of(&f, 3, 2));
    assert_true(work_of(&f, 0, 0) == work_of(&f, 1, 0));
    filter_finish(&f);

    // A vector: by its elements, and by the number that is not of its size.
    f = parsed("//! lab \"L\"\n#include \"lab.h\"\n"
               "//! param n 4 [1, 1048576] a\n//! param m 2 [1, 64] b\n"
               "//! array x int in [n] noise 0, 9\n"
               "//! array y int out [n] shown 0, 9\n//! reference y\n__device__ double y_at() {}\n"
               "//! variant v 256x1\n__global__ void v() {}\n");
    assert_true(work_of(&f, 4096, 2) == 4 * work_of(&f, 1024, 2));
    assert_true(work_of(&f, 4096, 6) == 3 * work_of(&f, 4096, 2));
    assert_true(work_of(&f, 1048576, 64) == 64 * work_of(&f, 1048576, 1));
    filter_finish(&f);

    // A matrix: each element may cost a row.
    f = parsed(
        "//! lab \"L\"\n#include \"lab.h\"\n"
        "//! param n 4 [1, 8192] a\n"
        "//! array x int in [n][n] noise 0, 9\n"
        "//! array y int out [n][n] shown 0, 9\n//! reference y\n__device__ double y_at() {}\n"
        "//! variant v 32x8\n__global__ void v() {}\n");
    assert_true(work_of(&f, 512, 0) == 8 * work_of(&f, 256, 0));
}

// ---- labs ----

static const char lab_source[] =
    "//! lab \"Lab\"\n"
    "//! param n 100 [1, 2147483647]\n"
    "//! param m 40 [-9, 65536]\n"
    "//! array a int in [n] counted\n"
    "//! array b float out [2][m + 10][n]\n"
    "//! array s int out [1]\n"
    "//! variant shape 32x8\n__global__ void shape() {}\n"
    "//! variant vector 64x1 domain=n shared=width + 1000*height\n"
    "__global__ void vector() {}\n"
    "//! variant both 64x1 domain=m, n each=2x4\n__global__ void both() {}\n"
    "//! variant blocks 64x1 domain=n columns=bw*bh\n__global__ void blocks() {}\n"
    "//! variant device 64x1 domain=multiprocessors*bw\n"
    "__global__ void device() {}\n"
    "//! variant around 64x2 prepare=before finish=after block=fixed\n"
    "__global__ void around() {}\n"
    "//! variant passes 32x1 domain=1\n__global__ void first() {}\n"
    "//! variant passes 256x1 domain=n*m\n__global__ void second() {}\n"
    "//! variant volume 8x4x16 domain=n, m, 2*m\n__global__ void volume() {}\n"
    "//! untimed 16x16 domain=n, m\n__global__ void before() {}\n"
    "//! untimed 128x1\n__global__ void after() {}\n";

// One choice of the lab, planned for no picture at all.
static bool plan_lab(struct launch_plan *plan, const struct filter *lab, const char *variant,
                     struct settings settings)
{
    const struct choice choice = {lab, filter_variant(lab, variant), settings};
    assert_non_null(choice.variant);
    return launch_plan(plan, &choice, (struct planes){.pixels = NULL}, &gpu, NULL, &err);
}

TEST(domains)
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
    OWNED(filter_finish) struct filter lab = parsed(lab_source);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct launch_plan plan;
        const struct settings s = {
            .params = filter_defaults(&lab), .block_width = rows[i].bw, .block_height = rows[i].bh};
        must(plan_lab(&plan, &lab, rows[i].variant, s));
        assert_int_equal(plan.passes[0].config.grid_width, rows[i].grid_width);
        assert_int_equal(plan.passes[0].config.grid_height, rows[i].grid_height);
    }
}

TEST(untimed_plans)
{
    OWNED(filter_finish) struct filter lab = parsed(lab_source);
    struct launch_plan plan;
    struct settings s = {.params = filter_defaults(&lab)};
    static const struct launch_config none;
    assert_true(plan_lab(&plan, &lab, "around", s));
    assert_int_equal(plan.prepare.grid_width, 7);
    assert_int_equal(plan.prepare.grid_height, 3);
    assert_int_equal(plan.prepare.block_width, 16);
    assert_int_equal(plan.finish.grid_width, 1);
    assert_int_equal(plan.finish.grid_height, 100);
    assert_true(plan_lab(&plan, &lab, "vector", s));
    assert_memory_equal(&plan.prepare, &none, sizeof none);
    assert_int_equal(plan.passes[0].config.shared_bytes, 1100);
    s.block_width = 64;  // the block's shape is the passes', not that of untimed kernels
    s.block_height = 2;
    assert_true(plan_lab(&plan, &lab, "around", s));
    assert_int_equal(plan.prepare.block_width, 16);
}

static void assert_calls(const struct filter *lab, const char *variant, const char *symbols)
{
    const struct variant *v = lab->variants;
    while (variant && strcmp(v->name, variant) != 0) v++;
    g_autofree char *calls = launch_calls(lab, variant ? v : NULL);
    g_autoptr(GString) found = g_string_new(NULL);
    for (const char *at = calls; (at = strstr(at, "LAUNCH_ARRAYS(")); at++) {
        const char *const symbol = strchr(at, '(') + 1;
        g_string_append_printf(found, "%.*s ", (int)strcspn(symbol, ","), symbol);
    }
    assert_string_equal(found->str, symbols);
    assert_non_null(strstr(calls, "struct launch_params {"));
}

TEST(calls_of_one_variant)
{
    OWNED(filter_finish)
    struct filter lab =
        parsed("//! lab \"L\"\n//! param n 9 [1, 99]\n//! array y float out [n] shown 0, 9\n"
               "//! variant a 32x1\n__global__ void sum(float *y) {}\n"
               "//! variant ab 32x1 of sum\n"
               "//! variant ab 32x1\n__global__ void sum_more(float *y) {}\n"
               "//! variant c 32x1\n__global__ void sums(float *y) {}\n"
               "//! untimed 32x1\n__global__ void before(float *y) {}\n");
    assert_calls(&lab, "a", "sum before ");
    assert_calls(&lab, "ab", "sum sum_more before ");
    assert_calls(&lab, "c", "sums before ");
    assert_calls(&lab, NULL, "before ");
}

TEST(refused_labs)
{
    static const struct {
        const char *variant;
        double n, m;
        const char *message;
    } rows[] = {
        {"both", 100, 0, "domain= gives 0×100 threads"},
        {"both", 100, -9, "domain= gives -9×100 threads"},
        {"volume", 100, -1, "domain= gives -2 layers of threads"},
        {"passes", 2147483647, 2, "domain= gives 4294967294×1 threads"},
        {"shape", 2147483647, 40, "b has a side of 2147483647; an array holds 1 to 2^31 elements"},
        {"vector", 60000, 1, TOO_MUCH("61000")},
        {"around", 1, 65536, "a grid of 1×65546 blocks; the device allows 2147483647×65535"},
    };
    OWNED(filter_finish) struct filter lab = parsed(lab_source);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct launch_plan plan, before;
        err.text[0] = '\0';
        memset(&plan, 0xA5, sizeof plan);
        before = plan;
        const struct settings s = {.params = {{rows[i].n, rows[i].m}}};
        if (plan_lab(&plan, &lab, rows[i].variant, s)) fail_msg("%s", rows[i].message);
        assert_string_equal(err.text, rows[i].message);
        assert_memory_equal(&plan, &before, sizeof plan);
    }
}

// A user chooses the width and height of a layer, and never how many layers there are.
TEST(layers)
{
    static const struct {
        int bw, bh, width, height, grid_height;
    } rows[] = {{0, 0, 8, 64, 10}, {16, 2, 16, 32, 20}, {1, 64, 1, 1024, 1}};
    OWNED(filter_finish) struct filter lab = parsed(lab_source);
    struct launch_plan plan;
    struct settings s = {.params = filter_defaults(&lab)};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        s.block_width = rows[i].bw;
        s.block_height = rows[i].bh;
        must(plan_lab(&plan, &lab, "volume", s));
        const struct launch_config *const c = &plan.passes[0].config;
        assert_int_equal(c->block_width, rows[i].width);
        assert_int_equal(c->block_height, rows[i].height);
        assert_int_equal(c->block_depth, 16);
        assert_int_equal(c->grid_height, rows[i].grid_height);
        assert_int_equal(c->grid_depth, 5);
    }
    s.block_height = 65;
    assert_false(plan_lab(&plan, &lab, "volume", s));
    assert_string_equal(err.text, "block 1×65×16 has 1040 threads, the device allows 1024");
    must(plan_lab(&plan, &lab, "shape", (struct settings){.params = filter_defaults(&lab)}));
    assert_int_equal(plan.passes[0].config.grid_depth, 1);
}

// An int cannot count 2^31 threads: one less would leave out the last element.
TEST(no_element_is_left_out)
{
    static const char source[] = "//! lab \"Lab\"\n//! param n 1 [1, 1073741824]\n"
                                 "//! array b unsigned char out [2*n]\n"
                                 "//! variant naive 64x1\n__global__ void naive() {}\n";
    OWNED(filter_finish) struct filter lab = parsed(source);
    struct launch_plan plan;
    const struct settings less = {.params = {{1073741823}}}, all = {.params = {{1073741824}}};
    assert_true(plan_lab(&plan, &lab, "naive", less));
    assert_false(plan_lab(&plan, &lab, "naive", all));
    assert_string_equal(err.text, "a grid for 2^31 rows or columns; domain= can ask for fewer");
}
