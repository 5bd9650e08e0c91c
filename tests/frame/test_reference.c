// The references of filters against numbers worked out by hand and against OpenCV, who has none,
// and the sampling that judges kernels. test_kernels compares each reference with a loop, on all
// pixels of small pictures, and on samples of the rest.
#include "on_device.h"

#include "base/image.h"
#include "filter/filter.h"
#include "frame/check.h"

static const unsigned char three[3][3] = {{0, 10, 20}, {30, 41, 50}, {60, 70, 255}};

static struct image image_of_three(void)
{
    struct image image;
    assert_true(image_init(&image, 3, 3, 1, NULL));
    memset(image.planes.pixels, 200, planes_bytes(image.planes));  // padding must not be read
    for (int y = 0; y < 3; y++) memcpy(planes_row(image.planes, 0, y), three[y], 3);
    return image;
}

// What every test needs: a cpu backend that compiles, the tree's filters, and small pictures.
struct world {
    struct image in, out;
    struct backend *backend;
    struct references references;
    struct checker *checker;
    struct filter_list filters;
};

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    *state = w;
    w->backend = open_device("cpu");
    references_open(&w->references, w->backend, NULL);
    w->checker = checker_create();
    w->in = image_of_three();
    w->out = image_of_three();
    must(filter_list_load(&w->filters, TILESCOPE_KERNELS, NULL, &err));
    return 0;
}

static int close_world(void **state)
{
    g_autofree struct world *w = *state;
    checker_destroy(w->checker);
    references_close(&w->references);
    backend_close(w->backend);
    filter_list_finish(&w->filters);
    image_finish(&w->in);
    image_finish(&w->out);
    return 0;
}

static struct reference reference_of(const struct world *w, const char *name,
                                     struct param_values values)
{
    struct reference reference;
    const struct filter *f = filter_find(&w->filters, name);
    assert_non_null(f);
    assert_true(reference_wait(&reference, &w->references, f, &values));
    return reference;
}

static void run(const struct world *w, const char *filter, double radius)
{
    const struct reference reference = reference_of(w, filter, (struct param_values){{radius}});
    memset(w->out.planes.pixels, 0xEE, planes_bytes(w->out.planes));
    reference_run(&reference, w->out.planes, w->in.planes, 0);
}

// Nothing is written behind the rows.
static void assert_pixels(struct planes planes, const unsigned char wanted[3][3])
{
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < planes.pitch; x++) {
            const int is = planes_row(planes, 0, y)[x], should = x < 3 ? wanted[y][x] : 0xEE;
            if (is != should) fail_msg("(%d, %d): %d, not %d", x, y, is, should);
        }
}

#define IN_WORLD(name) TEST_OF(struct world *w, name, NULL, NULL)

IN_WORLD(mean_of_three_by_three)
{
    run(w, "mean", 0);
    assert_pixels(w->out.planes, three);

    // radius 1, clamped: corner (0,0) is 4*0 + 2*10 + 2*30 + 41 = 121, 121 / 9 = 13.4 → 13;
    // (1,0) is 2*(0 + 10 + 20) + 30 + 41 + 50 = 181 → 20.1; (2,0) is 4*20 + 2*10 + 2*50 + 41 = 241
    // → 26.8; (0,1) is 2*(0 + 30 + 60) + 10 + 41 + 70 = 301 → 33.4; (1,1) is 536 → 59.6; (2,1) is
    // 2*(20 + 50 + 255) + 10 + 41 + 70 = 771 → 85.7; (0,2) is 4*60 + 2*30 + 2*70 + 41 = 481 → 53.4;
    // (1,2) is 2*(60 + 70 + 255) + 30 + 41 + 50 = 891 → 99; (2,2) is 4*255 + 2*70 + 2*50 + 41 =
    // 1301 → 144.6
    const unsigned char one[3][3] = {{13, 20, 27}, {33, 60, 86}, {53, 99, 145}};
    run(w, "mean", 1);
    assert_pixels(w->out.planes, one);

    // radius 64 at (1,1): columns and rows count 64, 1, 64 times: 64*64*(0 + 20 + 60 + 255) +
    // 64*(10 + 30 + 50 + 70) + 41 = 1382441, of 129*129 = 16641: 83.07
    run(w, "mean", 64);
    assert_int_equal(planes_row(w->out.planes, 0, 1)[1], 83);
    // at (0,0): 65, 1, 63 times: 65*65*0 + 65*(10 + 30) + 65*63*(20 + 60) + 41 + 63*(50 + 70) +
    // 63*63*255 = 1349896: 81.1
    assert_int_equal(planes_row(w->out.planes, 0, 0)[0], 81);
    // at (2,2): 63, 1, 65 times: 63*63*0 + 63*(10 + 30) + 63*65*(20 + 60) + 41 + 65*(50 + 70) +
    // 65*65*255 = 1415336: 85.05
    assert_int_equal(planes_row(w->out.planes, 0, 2)[2], 85);
}

IN_WORLD(gaussian)
{
    run(w, "gaussian", 0);
    assert_pixels(w->out.planes, three);

    // radius 1, sigma 0 = 0.8: e^-0.78125 = 0.457833, 4096 / 1.915666 = 2138.2, up to 2140; 978 on
    // each side. At (1,1) the rows give 978 * (0 + 20) + 2140 * 10 = 40960, 978 * 80 + 2140 * 41 =
    // 165980 and 978 * 315 + 2140 * 70 = 457870: 978 * 498830 + 2140 * 165980 over 2^24 is 50.25.
    run(w, "gaussian", 1);
    assert_int_equal(planes_row(w->out.planes, 0, 1)[1], 50);
}

// Nobody waits for kernels that are not called.
IN_WORLD(kernels_are_not_compiled_beside_it)
{
    static struct filter f;  // the builder knows it by its address
    const void *arrays[ARRAYS_MAX] = {NULL};
    struct reference reference;
    must(filter_parse(&f, "half.cu",
                      "//! lab \"Half\"\n//! array y float out [100] shown 0, 255\n"
                      "//! variant wrong 32x1\n"
                      "__global__ void wrong(float *y) { y[0] = nowhere; }\n"
                      "//! reference y\n__host__ __device__ float y_of(int i) { return i; }\n",
                      NULL, &err));
    const struct param_values none = filter_defaults(&f);
    assert_true(reference_wait(&reference, &w->references, &f, &none));
    assert_true(reference.elements[arrays_find(&f, "y")](arrays, reference.params, 7) == 7);
    filter_finish(&f);
}

// data/README.md says what the file holds, and where it comes from.
TEST(opencv_agrees)
{
    enum { WIDTH = 48, HEIGHT = 40 };
    static const struct {
        const char *filter;
        struct param_values values;
    } tiles[] = {
        {"gaussian", {{1, 0.8}}},  {"gaussian", {{2, 1.1}}},  {"gaussian", {{3, 0.6}}},
        {"gaussian", {{4, 1.7}}},  {"gaussian", {{7, 2.6}}},  {"gaussian", {{12, 6}}},
        {"gaussian", {{16, 5.3}}}, {"gaussian", {{31, 9.8}}}, {"mean", {{1}}},
        {"mean", {{2}}},           {"mean", {{5}}},           {"mean", {{16}}},
    };
    OWNED(image_finish) struct image all, out;
    must(image_load(&all, TILESCOPE_SOURCE_DIR "/tests/data/opencv.png", true, &err));
    assert_int_equal(all.planes.width, WIDTH);
    assert_int_equal(all.planes.height, HEIGHT * (1 + G_N_ELEMENTS(tiles)));
    struct planes tile = all.planes;
    tile.height = HEIGHT;
    assert_true(image_init(&out, WIDTH, HEIGHT, 1, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(tiles); i++) {
        const struct reference reference = reference_of(*state, tiles[i].filter, tiles[i].values);
        reference_run(&reference, out.planes, tile, 0);
        const struct planes theirs =
            planes_at(tile, planes_row(all.planes, 0, HEIGHT * (int)(i + 1)));
        const struct image_difference d = image_compare(out.planes, theirs);
        if (d.max > 1)
            fail_msg("%s of radius %g: off by %d at (%d, %d)", tiles[i].filter,
                     tiles[i].values.v[0], d.max, d.x, d.y);
    }
}

// ---- which files have one ----

static struct filter parsed(const char *fields, const char *reference)
{
    struct filter f;
    g_autofree char *text =
        g_strdup_printf("//! filter \"T\"\n%s#include \"kernel.h\"\n"
                        "%s%s//! variant naive 32x8\n__global__ void k() {}\n",
                        strstr(fields, "sigma") ? "//! weights gaussian\n" : "", fields, reference);
    must(filter_parse(&f, "tried.cu", text, NULL, &err));
    return f;
}

static void assert_has_none(const struct world *w, const struct filter *f, double value)
{
    struct reference reference;
    assert_false(reference_wait(&reference, &w->references, f, &(struct param_values){{value}}));
}

TEST(files_without)
{
    static const char radius[] = "//! param radius 3 [0, 40000] h\n";
    const struct references *from = &((const struct world *)*state)->references;
    struct reference reference;
    OWNED(filter_finish) struct filter none = parsed(radius, "");
    assert_false(filter_has_reference(&none));
    assert_has_none(*state, &none, 3);

    OWNED(filter_finish)
    struct filter broken =
        parsed(radius, "//! reference out\n__host__ __device__ int zero() { return nothing; }\n");
    assert_true(filter_has_reference(&broken));
    assert_has_none(*state, &broken, 3);

    OWNED(filter_finish)
    struct filter wide =
        parsed(radius,
               "//! reference out\n"
               "__host__ __device__ int same(plane in, int x, int y) { return load(in, x, y); }\n");
    const struct param_values values = {{1024}};
    assert_true(reference_wait(&reference, from, &wide, &values));
    assert_has_none(*state, &wide, 1025);  // a pixel of such windows takes too long
    const struct references nobody = {0};
    assert_int_equal(reference_get(&reference, &nobody, &wide, &values), BUILDER_FAILED);
}

// Weights belong to params of some name, not of some place.
IN_WORLD(weights_go_by_name)
{
    struct filter f =
        parsed("//! param sigma float 0 [0, 1e9] h\n//! param radius 3 [0, 64] h\n",
               "//! reference out\n__host__ __device__ int weight(const int *weights)\n"
               "{\n    return weights[0] + 256 * (weights[1] != weights[0]);\n}\n");
    const struct param_values values = {{1e9, 8}};
    struct reference reference;
    assert_true(reference_wait(&reference, &w->references, &f, &values));
    reference_run(&reference, w->out.planes, w->in.planes, 0);
    // A sigma without end weighs all 17 alike, but for the rounding: 4096 / 17 = 240.9.
    assert_in_range(planes_row(w->out.planes, 0, 1)[1], 240, 241);
    filter_finish(&f);
}

// ---- sampling ----

// A picture and what the mean of it is, in host memory, which is the CPU device's.
struct sampled {
    const struct world *world;
    struct image in, out;
    struct frame frame;
};

static struct sampled sampled_picture(const struct world *w, int width, int height, int planes,
                                      double radius)
{
    const struct filter *mean = filter_find(&w->filters, "mean");
    struct sampled s = {
        .world = w,
        .frame = {.backend = w->backend, .choice = {mean, mean->variants, {.params = {{radius}}}}}};
    const struct reference reference = reference_of(w, "mean", (struct param_values){{radius}});
    assert_true(image_init(&s.in, width, height, planes, NULL));
    assert_true(image_init(&s.out, width, height, planes, NULL));
    image_fill_noise(s.in.planes, 3);
    image_fill_noise(s.out.planes, 4);
    reference_run(&reference, s.out.planes, s.in.planes, 0);
    assert_true(arrays_plan(&s.frame.arrays, &s.frame.choice, s.in.planes, NULL));
    return s;
}

static void sampled_finish(struct sampled *s)
{
    checker_forget(s->world->checker);
    image_finish(&s->in);
    image_finish(&s->out);
}

static struct image_difference compare(const struct sampled *s, int samples, bool keeps_answers)
{
    const struct frame_memory memory = {.target = s->out.planes};
    const struct checker_task task = {.references = &s->world->references,
                                      .frame = &s->frame,
                                      .memory = &memory,
                                      .source = s->in.planes,
                                      .samples = samples,
                                      .keeps_answers = keeps_answers};
    struct checker *const c = s->world->checker;
    struct image_difference found = {0};
    enum checker_state state;
    if (checker_begin_now(c, &task, &err) != CHECKER_RUNNING) fail_msg("%s", err.text);
    while ((state = checker_result(c, &found, &err)) == CHECKER_RUNNING) g_usleep(20);
    if (state != CHECKER_DONE) fail_msg("%s", err.text);
    return found;
}

// Small ones are compared as a whole.
IN_WORLD(sample_of_an_exact_picture)
{
    static const struct {
        int width, height, planes, samples;
    } shapes[] = {{1, 1, 1, 1}, {1, 37, 3, 111}, {41, 1, 1, 41}, {67, 45, 3, CHECK_SAMPLES}};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        int count;
        OWNED(sampled_finish)
        struct sampled s =
            sampled_picture(w, shapes[i].width, shapes[i].height, shapes[i].planes, 2);
        for (int seed = 0; seed < 9; seed++) {
            const struct image_difference found = compare(&s, 0, false);
            assert_int_equal(found.count, 0);
            assert_int_equal(found.max, 0);
            checker_samples(w->checker, &count);
            assert_int_equal(count, shapes[i].samples);
        }
    }
}

TEST(sample_finds_a_planted_error)
{
    OWNED(sampled_finish) struct sampled s = sampled_picture(*state, 37, 23, 3, 1);
    for (int plane = 0; plane < 3; plane++) {
        unsigned char *pixel = &planes_row(s.out.planes, plane, 11)[19];
        *pixel ^= 0x40;
        struct image_difference found = {0};
        for (int seed = 0; seed < 90 && !found.count; seed++)
            found = compare(&s, CHECK_MOST, false);
        assert_true(found.count > 0);
        assert_int_equal(found.max, 0x40);
        assert_int_equal(found.x, 19);
        assert_int_equal(found.y, 11);
        assert_int_equal(found.plane, plane);
        *pixel ^= 0x40;
    }
}

// A halo that is wrong shows along one edge, or in one corner of one plane.
TEST(sample_sees_every_edge_and_corner)
{
    static const struct {
        const char *where;
        int x, y, width, height;
    } rows[] = {{"left", 0, 1, 1, 478},        {"right", 639, 1, 1, 478},
                {"top", 1, 0, 638, 1},         {"bottom", 1, 479, 638, 1},
                {"top left", 0, 0, 1, 1},      {"top right", 639, 0, 1, 1},
                {"bottom left", 0, 479, 1, 1}, {"bottom right", 639, 479, 1, 1}};
    OWNED(sampled_finish) struct sampled s = sampled_picture(*state, 640, 480, 3, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int plane = 0; plane < 3; plane++) {
            for (int y = rows[i].y; y < rows[i].y + rows[i].height; y++)
                for (int x = rows[i].x; x < rows[i].x + rows[i].width; x++)
                    planes_row(s.out.planes, plane, y)[x] ^= 1;
            for (int seed = 0; seed < 5; seed++)
                if (!compare(&s, 0, false).count)
                    fail_msg("%s of plane %d: no sample sees it", rows[i].where, plane);
            for (int y = rows[i].y; y < rows[i].y + rows[i].height; y++)
                for (int x = rows[i].x; x < rows[i].x + rows[i].width; x++)
                    planes_row(s.out.planes, plane, y)[x] ^= 1;
        }
}

TEST(sample_is_repeatable_and_spread)
{
    OWNED(sampled_finish) struct sampled s = sampled_picture(*state, 640, 480, 1, 0);
    for (int y = 0; y < 480; y++)
        for (int x = 0; x < 320; x++) planes_row(s.out.planes, 0, y)[x] ^= 1;  // the left half
    const struct image_difference a = compare(&s, 1024, true);
    const struct image_difference b = compare(&s, 1024, true);  // with the same answers
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.x, b.x);
    assert_int_equal(a.y, b.y);
    assert_in_range(a.count, 400, 624);
}

SUITE("reference", open_world, close_world)
