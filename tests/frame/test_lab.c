// test_lab -- how the arrays of labs are filled, painted and compared, on one device. test_lab
// DEVICE; 77: no such device.
#include "unit.h"

#include <limits.h>
#include <stdio.h>

#include "base/image.h"
#include "frame/frame.h"
#include "frame/check.h"

static const char *device = "cpu";

enum { NOISE, OTHER, REALS, BYTES, ORDER, COUNT, TWICE, SQUARE, ARRAYS };

static const char source[] =
    "//! lab \"Planted\"\n"
    "#include \"lab.h\"\n"
    "struct params {\n"
    "    int rows;     //! 1 [1, 65536]\n"
    "    int columns;  //! 1 [1, 65536]\n"
    "    int low;      //! 0 [-2147483648, 2147483647]\n"
    "    int high;     //! 0 [-2147483648, 2147483647]\n"
    "};\n"
    "struct arrays {\n"
    "    const int *noise;            //! in [rows*columns] noise low, high\n"
    "    const int *other;            //! in [rows*columns] noise low, high\n"
    "    const float *reals;          //! in [rows*columns] noise low, high\n"
    "    const unsigned char *bytes;  //! in [rows*columns] noise 0, 255\n"
    "    const unsigned int *order;   //! in [rows*columns] permutation\n"
    "    const int *count;            //! in [rows*columns] counted\n"
    "    int *twice;     //! out [rows*columns] shown low, high\n"
    "    float *square;  //! out [rows][columns] shown low, high\n"
    "};\n"
    "REFERENCE(twice)\n"
    "{\n"
    "    return 2 * d.count[i];\n"
    "}\n"
    "REFERENCE(square)\n"
    "{\n"
    "    return d.count[i] % p.columns;\n"
    "}\n"
    "//! variant naive 64x1 domain=rows*columns\n"
    "KERNEL(naive)\n"
    "{\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= p.rows * p.columns) return;\n"
    "    d.twice[i] = d.count[i] + d.count[i];\n"
    "    d.square[i] = (float)(i % p.columns);\n"
    "}\n";

struct world {
    struct backend *backend, *host;
    struct filter lab;
    struct module *module, *references;
};

static struct backend *open_device(const char *name)
{
    char reasons[1024];
    struct error err = {""};
    struct backend *b = backend_open(name, reasons, sizeof reasons, &err);
    if (!b) fail_msg("%s", err.text);
    backend_set_include(b, TILESCOPE_KERNELS);
    return b;
}

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    struct error err = {""};
    *state = w;
    w->backend = open_device(device);
    w->host = backend_device(w->backend)->is_gpu ? open_device("cpu") : w->backend;
    if (!filter_parse(&w->lab, "planted.cu", source, &err)) fail_msg("%s", err.text);
    w->module = frame_compile(w->backend, &w->lab, "", &err);
    if (!w->module) fail_msg("%s", err.text);
    w->references = w->host == w->backend ? w->module : frame_compile(w->host, &w->lab, "", &err);
    if (!w->references) fail_msg("%s", err.text);
    return 0;
}

static int close_world(void **state)
{
    struct world *w = *state;
    if (w->host != w->backend) {
        backend_unload(w->host, w->references);
        backend_close(w->host);
    }
    backend_unload(w->backend, w->module);
    backend_close(w->backend);
    filter_finish(&w->lab);
    g_free(w);
    return 0;
}

// A planned frame and its arrays.
struct work {
    struct world *world;
    struct frame frame;
    struct frame_memory memory;
};

static struct work open_work(struct world *w, int rows, int columns, int low, int high)
{
    struct error err = {""};
    const struct settings settings = {.params = {{rows, columns, low, high}}};
    struct work work = {.world = w,
                        .frame = {.backend = w->backend,
                                  .choice = {&w->lab, w->lab.variants, settings},
                                  .module = w->module}};
    if (!frame_plan(&work.frame, (struct planes){.pixels = NULL}, &err) ||
        !backend_alloc(w->backend, work.frame.arrays.bytes, &work.memory.arrays, &err) ||
        !frame_fill(&work.frame, &work.memory, &err) || !backend_wait(w->backend, &err))
        fail_msg("%s", err.text);
    return work;
}

static void close_work(struct work *work)
{
    backend_free(work->world->backend, work->memory.arrays);
}

static void *address(const struct work *work, int array)
{
    return (unsigned char *)work->memory.arrays + work->frame.arrays.places[array].offset;
}

// An array in host memory. The caller frees it.
static void *copied(const struct work *work, int array)
{
    struct error err = {""};
    const size_t bytes = work->frame.arrays.places[array].bytes;
    void *host = g_malloc(bytes);
    if (!backend_read(work->world->backend, host, address(work, array), bytes, &err))
        fail_msg("%s", err.text);
    return host;
}

// ---- filling ----

static void assert_noise(const int *values, long long count, int low, int high)
{
    int least = INT_MAX, most = INT_MIN;
    for (long long i = 0; i < count; i++) {
        least = MIN(least, values[i]);
        most = MAX(most, values[i]);
    }
    if (least < low || most > high) fail_msg("%d ... %d in [%d, %d]", least, most, low, high);
    if (count < 1000) return;
    // Both ends are met, or nearly so where there are more values than elements.
    const double span = (double)high - low, slack = span < 100 ? 0 : span / 50;
    assert_true(least <= low + slack);
    assert_true(most >= high - slack);
}

static void test_noise(void **state)
{
    static const int ranges[][2] = {{-100, 100}, {0, 0}, {7, 8}, {-15, 15}, {INT_MIN, INT_MAX}};
    static const int counts[] = {1, 33, 1000, 20011};
    for (size_t r = 0; r < G_N_ELEMENTS(ranges); r++)
        for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
            const int low = ranges[r][0], high = ranges[r][1], count = counts[c];
            struct work work = open_work(*state, 1, count, low, high);
            int *noise = copied(&work, NOISE), *other = copied(&work, OTHER);
            float *reals = copied(&work, REALS);
            assert_noise(noise, count, low, high);
            if (low < high && count >= 1000)  // each array has noise of its own
                assert_memory_not_equal(noise, other, sizeof *noise * (size_t)count);
            for (int i = 0; i < count; i++) {
                assert_true(reals[i] >= (float)low && reals[i] <= (float)high);
                assert_true(high == INT_MAX || reals[i] == (float)(int)reals[i]);
            }
            g_free(noise);
            g_free(other);
            g_free(reals);
            close_work(&work);
        }
}

// Neighbours have nothing to do with each other, and each value comes about as often as any other.
static void test_noise_is_even(void **state)
{
    struct work work = open_work(*state, 256, 1000, 0, 1);
    unsigned char *bytes = copied(&work, BYTES);
    int *coins = copied(&work, NOISE), of_value[256] = {0}, equal = 0;
    for (int i = 0; i < 256000; i++) of_value[bytes[i]]++;
    for (int i = 0; i < 256; i++) assert_in_range(of_value[i], 800, 1200);
    for (int i = 1; i < 256000; i++) equal += coins[i] == coins[i - 1];
    assert_in_range(equal, 126000, 130000);
    g_free(bytes);
    g_free(coins);
    close_work(&work);
}

static void test_permutations(void **state)
{
    static const int counts[] = {1, 2, 3, 4, 5, 16, 17, 31, 32, 33, 1000, 4096, 4097, 20011, 65536};
    for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
        const int count = counts[c];
        struct work work = open_work(*state, 1, count, 0, 0);
        unsigned int *order = copied(&work, ORDER);
        char *is_met = g_malloc0((gsize)count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            assert_true(order[i] < (unsigned int)count);
            if (is_met[order[i]]++) fail_msg("%u twice in %d", order[i], count);
            kept += order[i] == (unsigned int)i;
        }
        assert_true(kept < 3 + count / 100);  // a shuffle leaves one in its place, about
        g_free(is_met);
        g_free(order);
        close_work(&work);
    }
}

static void test_counted(void **state)
{
    struct work work = open_work(*state, 31, 33, 0, 0);
    int *count = copied(&work, COUNT);
    for (int i = 0; i < 31 * 33; i++) assert_int_equal(count[i], i);
    g_free(count);
    close_work(&work);
}

// ---- painting ----

static int grey_of(double value, double low, double high)
{
    if (value <= low) return 0;
    if (value >= high) return 255;
    const double grey = (value - low) * 255 / (high - low), below = (double)(int)grey;
    if (grey - below == 0.5) return (int)below + (int)below % 2;
    return (int)(grey + 0.5);
}

static struct image painted(struct work *work, int array, const struct array_scale *scale)
{
    struct error err = {""};
    struct backend *const b = work->world->backend;
    struct image image = {0};
    void *memory;
    frame_show(&work->frame, array, scale);
    const struct planes shape = frame_picture(&work->frame);
    assert_true(image_init(&image, shape.width, shape.height, shape.count, &err));
    assert_true(backend_alloc(b, planes_bytes(shape), &memory, &err));
    work->memory.target = planes_at(shape, memory);
    if (!backend_fill(b, memory, 77, planes_bytes(shape), &err) ||
        !frame_finish(&work->frame, &work->memory, &err) || !backend_wait(b, &err) ||
        !backend_download(b, image.planes, work->memory.target, &err))
        fail_msg("%s", err.text);
    work->memory.target = (struct planes){.pixels = NULL};
    backend_free(b, memory);
    return image;
}

// Each pixel is the first of its step × step elements; behind the last there is nothing.
static void assert_painted(struct work *work, int array, int columns, int step)
{
    const struct array_place *place = &work->frame.arrays.places[array];
    void *elements = copied(work, array);
    struct image image = painted(work, array, NULL);
    for (int y = 0; y < image.planes.height; y++)
        for (int x = 0; x < image.planes.width; x++) {
            const long long i = (long long)y * step * columns + (long long)x * step;
            const double value = i < place->count
                                     ? array_value(work->world->lab.arrays[array].type, elements, i)
                                     : (double)place->low;
            const int grey = grey_of(value, (double)place->low, (double)place->high);
            if (planes_row(image.planes, 0, y)[x] != grey)
                fail_msg("%s: %d, not %d, at (%d, %d)", work->world->lab.arrays[array].name,
                         planes_row(image.planes, 0, y)[x], grey, x, y);
        }
    image_finish(&image);
    g_free(elements);
}

static void test_shapes_of_pictures(void **state)
{
    static const struct {
        int rows, columns, array, width, height;
    } shapes[] = {
        {1, 1, SQUARE, 1, 1},        {33, 67, SQUARE, 67, 33},    {4096, 1, SQUARE, 64, 64},
        {1, 4096, TWICE, 4096, 1},   {1, 4097, TWICE, 4096, 2},   {1, 10000, NOISE, 4096, 3},
        {4097, 9, SQUARE, 189, 196}, {3, 10000, SQUARE, 3334, 1}, {10000, 4, SQUARE, 200, 200},
        {1, 65536, SQUARE, 4096, 1}, {1, 8193, SQUARE, 2731, 1},  {50, 100, TWICE, 4096, 2},
    };
    struct world *w = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        struct frame frame = {.backend = w->backend,
                              .choice = {&w->lab,
                                         w->lab.variants,
                                         {.params = {{shapes[i].rows, shapes[i].columns, 0, 255}}}},
                              .module = w->module};
        assert_true(frame_plan(&frame, (struct planes){.pixels = NULL}, NULL));
        frame_show(&frame, shapes[i].array, NULL);
        const struct planes picture = frame_picture(&frame);
        assert_int_equal(picture.count, 1);
        assert_int_equal(picture.width, shapes[i].width);
        assert_int_equal(picture.height, shapes[i].height);
    }
}

static void test_rows_are_rows(void **state)
{
    struct work work = open_work(*state, 33, 67, 0, 255);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    assert_painted(&work, SQUARE, 67, 1);
    struct image image = painted(&work, SQUARE, NULL);
    assert_int_equal(planes_row(image.planes, 0, 0)[66], 66);
    assert_int_equal(planes_row(image.planes, 0, 32)[1], 1);
    image_finish(&image);
    image = painted(&work, SQUARE, &(struct array_scale){-255, 255});
    assert_int_equal(planes_row(image.planes, 0, 0)[66], grey_of(66, -255, 255));
    image_finish(&image);
    close_work(&work);
}

static void test_vectors_are_wrapped(void **state)
{
    struct work work = open_work(*state, 1, 10000, -510, 510);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    for (int array = NOISE; array < SQUARE; array++) assert_painted(&work, array, 4096, 1);
    struct image image = painted(&work, TWICE, NULL);
    static const int wanted[] = {128, 128, 128, 129, 130};  // (2i + 510) / 4, halves to even
    for (int i = 0; i < 5; i++) assert_int_equal(planes_row(image.planes, 0, 0)[i], wanted[i]);
    assert_int_equal(planes_row(image.planes, 0, 1)[0], 255);
    assert_int_equal(planes_row(image.planes, 0, 2)[10000 - 8192 - 1], 255);
    assert_int_equal(planes_row(image.planes, 0, 2)[10000 - 8192], 0);
    image_finish(&image);
    close_work(&work);
}

static void test_large_pictures_have_steps(void **state)
{
    struct work work = open_work(*state, 7, 9001, 0, 255 * 40);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    assert_painted(&work, SQUARE, 9001, 3);
    close_work(&work);
    work = open_work(*state, 4099, 1030, 0, 255);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    assert_painted(&work, SQUARE, 1030, 2);
    close_work(&work);
}

static void test_a_range_of_one_value(void **state)
{
    struct work work = open_work(*state, 1, 64, 6, 6);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    struct image image = painted(&work, TWICE, NULL);
    for (int i = 0; i < 64; i++)
        assert_int_equal(planes_row(image.planes, 0, 0)[i], 2 * i <= 6 ? 0 : 255);
    image_finish(&image);
    close_work(&work);
}

// ---- comparing ----

// A filled frame whose in arrays are on the host, to be checked.
struct checked {
    struct work work;
    struct check_inputs inputs;
    struct check check;
};

static void open_checked(struct checked *c, struct world *w, int rows, int columns, int low,
                         int high)
{
    struct error err = {""};
    bool is_complete = false;
    *c = (struct checked){.work = open_work(w, rows, columns, low, high),
                          .check.inputs = &c->inputs};
    const struct frame *frame = &c->work.frame;
    assert_true(check_inputs_begin(&c->inputs, frame, &err));
    while (!is_complete)
        if (!check_inputs_step(&c->inputs, frame, &c->work.memory, &is_complete, &err))
            fail_msg("%s", err.text);
    assert_true(check_inputs_is_of(&c->inputs, frame));
    assert_true(reference_find(&c->check.reference, w->host, w->references, &w->lab,
                               &frame->choice.settings.params));
}

static void close_checked(struct checked *c)
{
    check_inputs_finish(&c->inputs);
    check_inputs_finish(&c->inputs);  // what is finished may be finished again
    assert_false(check_inputs_is_of(&c->inputs, &c->work.frame));
    close_work(&c->work);
}

static void run(struct checked *c)
{
    assert_true(frame_run(&c->work.frame, &c->work.memory, NULL));
}

static void poison(struct checked *c)
{
    assert_true(frame_poison(&c->work.frame, &c->work.memory, NULL));
}

// One that is stopped has found nothing.
static struct image_difference compare(struct check *check, const atomic_bool *stop)
{
    struct image_difference found = {0};
    struct error err = {""};
    atomic_uint steps = 0;
    if (!check_compare(check, stop, &steps, &found, &err) && !stop) fail_msg("%s", err.text);
    if (!stop) assert_int_equal(atomic_load(&steps), check->count);
    return found;
}

static struct image_difference compared(struct checked *c, unsigned seed)
{
    struct error err = {""};
    if (!check_read(&c->check, &c->work.frame, &c->work.memory, 0, seed, &err))
        fail_msg("%s", err.text);
    return compare(&c->check, NULL);
}

// The last one is more than one piece of check_inputs_step.
static void test_the_in_arrays_are_copied(void **state)
{
    static const int shapes[][4] = {{31, 67, -7, 70000}, {65536, 70, 0, 9}};
    for (int i = 0; i < 2; i++) {
        struct checked c;
        open_checked(&c, *state, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
        for (int array = NOISE; array <= COUNT; array++) {
            void *host = copied(&c.work, array);
            const struct array_place *place = &c.work.frame.arrays.places[array];
            assert_memory_equal(host, c.inputs.memory + place->offset, place->bytes);
            g_free(host);
        }
        struct frame other = c.work.frame;
        other.choice.settings.params.v[3]++;
        assert_false(check_inputs_is_of(&c.inputs, &other));
        close_checked(&c);
    }
}

static const int counts[][2] = {{1, 1}, {1, 2},  {1, 31},  {8, 4},   {3, 11},
                                {8, 8}, {5, 13}, {4, 128}, {1, 513}, {31, 33}};

// Wherever it lies in a run, one wrong element is one difference, with its place.
static void assert_each_is_found(struct checked *c)
{
    const int columns = (int)c->work.frame.choice.settings.params.v[1];
    for (int i = 0; i < c->check.count; i++) {
        struct check_sample *s = &c->check.samples[i];
        const double kept = s->is;
        const int across = s->array == TWICE ? c->work.frame.arrays.places[TWICE].columns : columns;
        s->is = -9;
        const struct image_difference found = compare(&c->check, NULL);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.plane, s->array);
        assert_int_equal(found.x, s->index % across);
        assert_int_equal(found.y, s->index / across);
        assert_int_equal(found.max, (s->array == TWICE ? 2 * s->index : s->index % columns) + 9);
        s->is = kept;
    }
}

static void write_wrong(struct checked *c, int array, size_t offset, size_t bytes)
{
    static const unsigned char wrong[4] = {0x11, 0x22, 0x33, 0x44};
    unsigned char *const at = (unsigned char *)address(&c->work, array) + offset;
    struct error err = {""};
    if (!backend_write(c->work.world->backend, at, wrong, bytes, &err)) fail_msg("%s", err.text);
}

// Where all elements are right, too. Behind an array of whole 512 bytes the next one follows.
static void assert_what_is_behind_is_found(struct checked *c)
{
    for (int array = 0; array < ARRAYS; array++) {
        const struct array_place *place = &c->work.frame.arrays.places[array];
        if (place->offset + place->bytes == array_end(place)) continue;
        poison(c);
        run(c);
        assert_int_equal(compared(c, 1).count, 0);
        write_wrong(c, array, place->bytes, 1);
        const struct image_difference found = compared(c, 1);
        assert_int_equal(found.count, 1);
        assert_true(found.is_outside);
        assert_int_equal(found.plane, array);
    }
}

// Whatever the seed.
static void assert_both_ends_are_looked_at(struct checked *c)
{
    for (int array = TWICE; array <= SQUARE; array++)
        for (int end = 0; end < 2; end++) {
            poison(c);
            run(c);
            const long long last = c->work.frame.arrays.places[array].count - 1;
            write_wrong(c, array, end ? 4 * (size_t)last : 0, 4);
            for (unsigned seed = 1; seed < 10; seed++) {
                const struct image_difference found = compared(c, seed);
                assert_true(found.count >= 1);
                assert_int_equal(found.plane, array);
            }
        }
}

static void test_what_is_wrong_is_found(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct checked c;
        open_checked(&c, *state, counts[i][0], counts[i][1], 0, 255);
        poison(&c);
        assert_true(compared(&c, 1).count > 0);
        run(&c);
        assert_int_equal(compared(&c, 1).count, 0);
        assert_each_is_found(&c);
        assert_what_is_behind_is_found(&c);
        assert_both_ends_are_looked_at(&c);
        close_checked(&c);
    }
}

static void test_seeds_spread_the_runs(void **state)
{
    struct checked c;
    bool is_met[10] = {false};
    open_checked(&c, *state, 300, 1000, 0, 255);
    poison(&c);
    run(&c);
    for (unsigned seed = 1; seed < 20; seed++) {
        assert_int_equal(compared(&c, seed).count, 0);
        assert_int_equal(c.check.count, CHECK_RUNS * CHECK_RUN);
        for (int i = 0; i < c.check.count; i++) {
            const long long index = c.check.samples[i].index;
            assert_true(index >= 0 && index < 300000);
            if (i % CHECK_RUN) assert_int_equal(index, c.check.samples[i - 1].index + 1);
            is_met[index / 30000] = true;
        }
    }
    for (int i = 0; i < 10; i++) assert_true(is_met[i]);
    close_checked(&c);
}

static void test_comparing_can_be_stopped(void **state)
{
    const atomic_bool stop = true, go_on = false;
    struct checked c;
    open_checked(&c, *state, 31, 33, 0, 255);
    poison(&c);
    assert_true(compared(&c, 1).count > 0);
    assert_int_equal(compare(&c.check, &stop).count, 0);
    assert_true(compare(&c.check, &go_on).count > 0);
    close_checked(&c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_noise_is_even),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_shapes_of_pictures),
        cmocka_unit_test(test_rows_are_rows),
        cmocka_unit_test(test_vectors_are_wrapped),
        cmocka_unit_test(test_large_pictures_have_steps),
        cmocka_unit_test(test_a_range_of_one_value),
        cmocka_unit_test(test_the_in_arrays_are_copied),
        cmocka_unit_test(test_what_is_wrong_is_found),
        cmocka_unit_test(test_seeds_spread_the_runs),
        cmocka_unit_test(test_comparing_can_be_stopped),
    };
    struct error err = {""};
    char reasons[1024];
    if (argc > 1) device = argv[1];
    struct backend *b = backend_open(device, reasons, sizeof reasons, &err);
    if (!b) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    backend_close(b);
    return cmocka_run_group_tests_name("lab", tests, open_world, close_world);
}
