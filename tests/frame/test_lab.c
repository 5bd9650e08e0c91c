// test_lab -- how the arrays of labs are filled, painted and compared, on one device. test_lab
// DEVICE; 77: no such device.
#include "on_device.h"

#include <math.h>
#include <stdio.h>

#include "base/image.h"
#include "frame/frame.h"
#include "frame/check.h"

static const char *device = "cpu";

enum { NOISE, REALS, BYTES, ORDER, COUNT, TWICE, SQUARE, LETTER, ARRAYS };

static const char source[] =
    "//! lab \"Planted\"\n"
    "//! param rows    1 [1, 65536]\n"
    "//! param columns 1 [1, 65536]\n"
    "//! param low     0 [-2147483648, 2147483647]\n"
    "//! param high    0 [-2147483648, 2147483647]\n"
    "//! array noise int           in [rows*columns] noise low, high\n"
    "//! array reals float         in [rows*columns] noise low, high\n"
    "//! array bytes unsigned char in [rows*columns] noise 0, 255\n"
    "//! array order unsigned int  in [rows*columns] permutation\n"
    "//! array count  in [rows*columns] counted\n"
    "//! array twice  out [rows*columns] shown low, high\n"
    "//! array square out [rows][columns] shown low, high\n"
    "//! array letter float in [rows][columns] letter low, high\n"
    "#include \"lab.h\"\n"
    "//! reference twice\n"
    "__host__ __device__ double twice_reference(const int *count, long long i)\n"
    "{\n"
    "    return 2 * count[i];\n"
    "}\n"
    "//! reference square\n"
    "__host__ __device__ double square_reference(const int *count, int columns, long long i)\n"
    "{\n"
    "    return count[i] % columns;\n"
    "}\n"
    "//! variant naive 64x1 domain=rows*columns\n"
    "__global__ void naive(int *twice, float *square, const int *count, int rows, int columns)\n"
    "{\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= rows * columns) return;\n"
    "    twice[i] = count[i] + count[i];\n"
    "    square[i] = (float)(i % columns);\n"
    "}\n";

struct world {
    struct backend *backend;
    struct references references;
    struct checker *checker;
    struct filter lab;
    struct module *module;
};

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    *state = w;
    w->backend = open_device(device);
    references_open(&w->references, w->backend, NULL);
    w->checker = checker_create();
    must(filter_parse(&w->lab, "planted.cu", source, NULL, &err));
    w->module = frame_build(w->backend, &w->lab, (struct build){.params = NULL}, &err);
    must(w->module);
    return 0;
}

static int close_world(void **state)
{
    g_autofree struct world *w = *state;
    checker_destroy(w->checker);
    references_close(&w->references);
    backend_unload(w->backend, w->module);
    backend_close(w->backend);
    filter_finish(&w->lab);
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
    const struct settings settings = {.params = {{rows, columns, low, high}}};
    struct work work = {.world = w,
                        .frame = {.backend = w->backend,
                                  .choice = {&w->lab, w->lab.variants, settings},
                                  .module = w->module}};
    must(frame_plan(&work.frame, (struct planes){.pixels = NULL}, &err) &&
         backend_alloc(w->backend, work.frame.arrays.bytes, &work.memory.arrays, &err) &&
         frame_fill(&work.frame, &work.memory, &err) && backend_wait(w->backend, &err));
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
    const size_t bytes = work->frame.arrays.places[array].bytes;
    void *host = g_malloc(bytes);
    must(backend_read(work->world->backend, host, address(work, array), bytes, &err));
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

TEST(noise)
{
    static const int ranges[][2] = {{-100, 100}, {0, 0}, {7, 8}, {-15, 15}, {INT_MIN, INT_MAX}};
    static const int counts[] = {1, 33, 1000, 20011};
    for (size_t r = 0; r < G_N_ELEMENTS(ranges); r++)
        for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
            const int low = ranges[r][0], high = ranges[r][1], count = counts[c];
            OWNED(close_work) struct work work = open_work(*state, 1, count, low, high);
            int *noise = copied(&work, NOISE), equal = 0;
            g_autofree float *reals = copied(&work, REALS);
            assert_noise(noise, count, low, high);
            for (int i = 0; i < count; i++) {
                equal += reals[i] == (float)noise[i];
                assert_true(reals[i] >= (float)low && reals[i] <= (float)high);
                assert_true(high == INT_MAX || reals[i] == (float)(int)reals[i]);
            }
            if (low < high && count >= 1000) assert_true(equal < count);  // each has its own
            g_free(noise);
        }
}

// Neighbours have nothing to do with each other, and each value comes about as often as any other.
TEST(noise_is_even)
{
    OWNED(close_work) struct work work = open_work(*state, 256, 1000, 0, 1);
    g_autofree unsigned char *bytes = copied(&work, BYTES);
    int *coins = copied(&work, NOISE), of_value[256] = {0}, equal = 0;
    for (int i = 0; i < 256000; i++) of_value[bytes[i]]++;
    for (int i = 0; i < 256; i++) assert_in_range(of_value[i], 800, 1200);
    for (int i = 1; i < 256000; i++) equal += coins[i] == coins[i - 1];
    assert_in_range(equal, 126000, 130000);
    g_free(coins);
}

static const char *const drawn_letter[10] = {
    "..........",  //
    "..######..",  //
    "..######..",  //
    "..##......",  //
    "..#####...",  //
    "..#####...",  //
    "..##......",  //
    "..##......",  //
    "..##......",  //
    "..........",
};

// It fills an array of any shape, in two ranges that do not meet.
TEST(letter)
{
    static const int shapes[][2] = {{10, 10}, {1, 1}, {33, 67}, {100, 7}, {3, 1000}, {512, 300}};
    static const int ranges[][2] = {{0, 255}, {-100, 100}, {5, 6}, {INT_MIN, 0}};
    for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++)
        for (size_t r = 0; r < G_N_ELEMENTS(ranges); r++) {
            const int rows = shapes[s][0], columns = shapes[s][1];
            const double low = ranges[r][0], high = ranges[r][1], middle = (low + high) / 2;
            OWNED(close_work)
            struct work work = open_work(*state, rows, columns, ranges[r][0], ranges[r][1]);
            g_autofree float *values = copied(&work, LETTER);
            for (int i = 0; i < rows * columns; i++) {
                const int row = i / columns, column = i % columns;
                const bool is_inside = drawn_letter[row * 10 / rows][column * 10 / columns] == '#';
                const double value = (double)values[i];
                const double above = is_inside ? value - middle : middle - value;
                if (value != rint(value) || above < (high - low) / 7 || above > high - middle)
                    fail_msg("%g at (%d, %d) of %d×%d", value, column, row, columns, rows);
            }
        }
}

// A kernel that takes an element of a wrong place is found out, wherever it takes it from: inside
// of the letter and outside, the elements differ as those of noise do.
TEST(letter_has_no_equal_places)
{
    enum { ROWS = 96, COLUMNS = 160, FARTHEST = 66 };
    OWNED(close_work) struct work work = open_work(*state, ROWS, COLUMNS, 0, 255);
    g_autofree float *values = copied(&work, LETTER);
    for (int down = 0; down <= FARTHEST; down++)
        for (int across = -FARTHEST; across <= FARTHEST; across++) {
            int count = 0, equal = 0;
            for (int y = 0; y + down < ROWS; y++)
                for (int x = MAX(0, -across); x < COLUMNS && x + across < COLUMNS; x++, count++)
                    equal += values[y * COLUMNS + x] == values[(y + down) * COLUMNS + x + across];
            if ((down || across) && equal > count / 50)
                fail_msg("%d of %d are equal %d to the right and %d down", equal, count, across,
                         down);
        }
}

TEST(permutations)
{
    static const int counts[] = {1, 2, 3, 4, 5, 16, 17, 31, 32, 33, 1000, 4096, 4097, 20011, 65536};
    for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
        const int count = counts[c];
        OWNED(close_work) struct work work = open_work(*state, 1, count, 0, 0);
        g_autofree unsigned int *order = copied(&work, ORDER);
        g_autofree char *is_met = g_malloc0((gsize)count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            assert_true(order[i] < (unsigned int)count);
            if (is_met[order[i]]++) fail_msg("%u twice in %d", order[i], count);
            kept += order[i] == (unsigned int)i;
        }
        assert_true(kept < 3 + count / 100);  // a shuffle leaves one in its place, about
    }
}

TEST(counted)
{
    OWNED(close_work) struct work work = open_work(*state, 31, 33, 0, 0);
    g_autofree int *count = copied(&work, COUNT);
    for (int i = 0; i < 31 * 33; i++) assert_int_equal(count[i], i);
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
    struct backend *const b = work->world->backend;
    struct image image = {0};
    void *memory;
    frame_show(&work->frame, array, scale);
    const struct planes shape = frame_picture(&work->frame);
    assert_true(image_init(&image, shape.width, shape.height, shape.count, &err));
    assert_true(backend_alloc(b, planes_bytes(shape), &memory, &err));
    work->memory.target = planes_at(shape, memory);
    must(backend_fill(b, memory, 77, planes_bytes(shape), &err) &&
         frame_finish(&work->frame, &work->memory, &err) && backend_wait(b, &err) &&
         backend_download(b, image.planes, work->memory.target, &err));
    work->memory.target = (struct planes){.pixels = NULL};
    backend_free(b, memory);
    return image;
}

// Each pixel is the first of its step × step elements; behind the last there is nothing.
static void assert_painted(struct work *work, int array, int columns, int step)
{
    const struct array_place *place = &work->frame.arrays.places[array];
    g_autofree void *elements = copied(work, array);
    OWNED(image_finish) struct image image = painted(work, array, NULL);
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
}

TEST(shapes_of_pictures)
{
    static const struct {
        int rows, columns, array, width, height;
    } shapes[] = {
        {1, 1, SQUARE, 1, 1},        {33, 67, SQUARE, 67, 33},    {4096, 1, SQUARE, 64, 64},
        {1, 4096, TWICE, 64, 64},    {1, 4097, TWICE, 128, 33},   {1, 10000, NOISE, 128, 79},
        {4097, 9, SQUARE, 189, 196}, {3, 10000, SQUARE, 3334, 1}, {10000, 4, SQUARE, 200, 200},
        {1, 65536, SQUARE, 4096, 1}, {1, 8193, SQUARE, 2731, 1},  {50, 100, TWICE, 128, 40},
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

TEST(rows_are_rows)
{
    OWNED(close_work) struct work work = open_work(*state, 33, 67, 0, 255);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    assert_painted(&work, SQUARE, 67, 1);
    OWNED(image_finish) struct image image = painted(&work, SQUARE, NULL);
    assert_int_equal(planes_row(image.planes, 0, 0)[66], 66);
    assert_int_equal(planes_row(image.planes, 0, 32)[1], 1);
    image_finish(&image);
    image = painted(&work, SQUARE, &(struct array_scale){-255, 255});
    assert_int_equal(planes_row(image.planes, 0, 0)[66], grey_of(66, -255, 255));
}

TEST(vectors_are_wrapped)
{
    OWNED(close_work) struct work work = open_work(*state, 1, 10000, -510, 510);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    for (int array = NOISE; array < SQUARE; array++) assert_painted(&work, array, 128, 1);
    OWNED(image_finish) struct image image = painted(&work, TWICE, NULL);
    static const int wanted[] = {128, 128, 128, 129, 130};  // (2i + 510) / 4, halves to even
    for (int i = 0; i < 5; i++) assert_int_equal(planes_row(image.planes, 0, 0)[i], wanted[i]);
    assert_int_equal(planes_row(image.planes, 0, 1)[0], 192);
    assert_int_equal(planes_row(image.planes, 0, 78)[10000 - 78 * 128 - 1], 255);
    assert_int_equal(planes_row(image.planes, 0, 78)[10000 - 78 * 128], 0);
}

TEST(large_pictures_have_steps)
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

TEST(a_range_of_one_value)
{
    OWNED(close_work) struct work work = open_work(*state, 1, 64, 6, 6);
    assert_true(frame_run(&work.frame, &work.memory, NULL));
    OWNED(image_finish) struct image image = painted(&work, TWICE, NULL);
    for (int i = 0; i < 64; i++)
        assert_int_equal(planes_row(image.planes, 0, i / 8)[i % 8], 2 * i <= 6 ? 0 : 255);
}

// ---- comparing ----

static struct image_difference compared_with(struct work *work, bool has_lines)
{
    struct image_difference found = {0};
    struct checker *const c = work->world->checker;
    enum checker_state state;
    const struct checker_task task = {.references = &work->world->references,
                                      .frame = &work->frame,
                                      .memory = &work->memory,
                                      .has_lines = has_lines};
    if (checker_begin_now(c, &task, &err) != CHECKER_RUNNING) fail_msg("%s", err.text);
    while ((state = checker_result(c, &found, &err)) == CHECKER_RUNNING) g_usleep(20);
    if (state != CHECKER_DONE) fail_msg("%s", err.text);
    assert_true(checker_progress(c) == 0);
    return found;
}

static struct image_difference compared(struct work *work)
{
    return compared_with(work, false);
}

static void run_over_poison(struct work *work)
{
    assert_true(frame_poison(&work->frame, &work->memory, NULL));
    assert_true(frame_run(&work->frame, &work->memory, NULL));
}

static const char gathering_source[] =
    "//! lab \"Gathering\"\n"
    "//! param n 1 [1, 8000000]\n"
    "//! array a   in [n] noise -9, 70000\n"
    "//! array b   in [n] noise 0, 255\n"
    "//! array sum out [n] shown 0, 255\n"
    "//! array c   in [n] noise 0, 9\n"
    "#include \"lab.h\"\n"
    "//! reference sum\n"
    "__host__ __device__ int gathered(const int *a, const unsigned char *b, const float *c,\n"
    "                                 int n, long long i)\n"
    "{\n    return a[i] + 2 * b[n - 1 - i] + 3 * (int)c[i / 2];\n}\n"
    "//! variant naive 64x1\n"
    "__global__ void gather(const int *a, const unsigned char *b, const float *c, int n,\n"
    "                       int *sum)\n"
    "{\n    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) sum[i] = gathered(a, b, c, n, i);\n}\n";

// The reference reads what the device has been filled with, of arrays that are copied in pieces,
// too, and of other params after each other.
TEST(the_in_arrays_are_copied)
{
    static const int counts[] = {31, 5000001, 777};
    struct world w = *(struct world *)*state;
    must(filter_parse(&w.lab, "gathering.cu", gathering_source, NULL, &err));
    must((w.module = frame_build(w.backend, &w.lab, (struct build){.params = NULL}, &err)));
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        OWNED(close_work) struct work work = open_work(&w, counts[i], 0, 0, 0);
        run_over_poison(&work);
        assert_int_equal(compared(&work).count, 0);
    }
    checker_forget(w.checker);
    backend_unload(w.backend, w.module);
    filter_finish(&w.lab);
}

static void write_wrong(struct work *work, int array, size_t offset, size_t bytes)
{
    static const unsigned char wrong[4] = {0x11, 0x22, 0x33, 0x44};
    unsigned char *const at = (unsigned char *)address(work, array) + offset;
    must(backend_write(work->world->backend, at, wrong, bytes, &err));
}

// Of what is compared as a whole, one wrong element is one difference, with its place.
static void assert_each_is_found(struct work *work)
{
    for (int array = TWICE; array <= SQUARE; array++) {
        const struct array_place *place = &work->frame.arrays.places[array];
        const long long step = MAX(1, place->count / 7);
        for (long long i = place->count - 1; i >= 0; i -= step) {
            assert_true(frame_run(&work->frame, &work->memory, NULL));
            write_wrong(work, array, 4 * (size_t)i, 4);
            const struct image_difference found = compared(work);
            assert_int_equal(found.count, 1);
            assert_int_equal(found.plane, array);
            assert_int_equal(found.x, i % place->columns);
            assert_int_equal(found.y, i / place->columns);
            // 0x44332211 is 1144201745, or 716.53 as a float.
            assert_int_equal(found.max,
                             array == TWICE ? 1144201745 - 2 * i : (int)(716.53 - (double)found.x));
        }
    }
}

// Where all elements are right, too. Behind an array of whole 512 bytes the next one follows.
static void assert_what_is_behind_is_found(struct work *work)
{
    for (int array = 0; array < ARRAYS; array++) {
        const struct array_place *place = &work->frame.arrays.places[array];
        if (place->offset + place->bytes == array_end(place)) continue;
        run_over_poison(work);
        assert_int_equal(compared(work).count, 0);
        write_wrong(work, array, place->bytes, 1);
        const struct image_difference found = compared(work);
        assert_int_equal(found.count, 1);
        assert_true(found.is_outside);
        assert_int_equal(found.plane, array);
    }
}

// Whatever the seed.
static void assert_both_ends_are_looked_at(struct work *work)
{
    for (int array = TWICE; array <= SQUARE; array++)
        for (int end = 0; end < 2; end++) {
            run_over_poison(work);
            const long long last = work->frame.arrays.places[array].count - 1;
            write_wrong(work, array, end ? 4 * (size_t)last : 0, 4);
            for (int i = 0; i < 9; i++) {
                const struct image_difference found = compared(work);
                assert_true(found.count >= 1);
                assert_int_equal(found.plane, array);
            }
        }
}

TEST(what_is_wrong_is_found)
{
    static const int shapes[][2] = {{1, 1}, {1, 2},  {1, 31}, {8, 4},   {3, 11},
                                    {8, 8}, {5, 13}, {4, 64}, {1, 513}, {31, 33}};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        const int count = shapes[i][0] * shapes[i][1];
        OWNED(close_work) struct work work = open_work(*state, shapes[i][0], shapes[i][1], 0, 255);
        assert_true(frame_poison(&work.frame, &work.memory, NULL));
        assert_true(compared(&work).count > 0);
        run_over_poison(&work);
        assert_int_equal(compared(&work).count, 0);
        if (2 * count <= CHECK_SAMPLES) assert_each_is_found(&work);
        assert_what_is_behind_is_found(&work);
        assert_both_ends_are_looked_at(&work);
    }
}

// One element of each row, as with x == 100, or of each column: few of all, which samples may miss.
TEST(a_wrong_line_is_found)
{
    OWNED(close_work) struct work work = open_work(*state, 90, 300, 0, 255);
    const bool is_gpu = backend_device(work.world->backend)->is_gpu;
    const int columns = work.frame.arrays.places[SQUARE].columns;
    run_over_poison(&work);
    assert_int_equal(compared_with(&work, true).count, 0);
    for (int line = 0; line < (is_gpu ? 1 : 2); line++) {
        const int step = line ? 1 : columns, first = line ? 37 * columns : 100;
        run_over_poison(&work);
        for (int i = 0; i < (line ? columns : 90); i++)
            write_wrong(&work, SQUARE, 4 * (size_t)(first + i * step), 4);
        for (int seed = 1; seed < 40; seed++) {
            g_random_set_seed((guint32)seed);  // of the check's own seed
            assert_true(compared_with(&work, true).count > 0);
        }
    }
}

// A run is read at once, but its samples lie apart, so that they are of many blocks. No part of an
// array and no column is left out.
static void assert_runs_are_spread(struct work *work)
{
    bool is_met[10] = {false}, has_column[300] = {false};
    int count = 0;
    run_over_poison(work);
    for (int seed = 1; seed < 40; seed++) {
        int pieces = 0;
        g_random_set_seed((guint32)seed);  // of the check's own seed
        assert_int_equal(compared(work).count, 0);
        const struct check_sample *samples = checker_samples(work->world->checker, &count);
        assert_int_equal(count, CHECK_SAMPLES);
        for (int i = 0; i < count; i++) {
            const struct array_place *place = &work->frame.arrays.places[samples[i].array];
            const long long index = samples[i].index;
            assert_true(index >= 0 && index < place->count);
            if (i % CHECK_RUN) {
                assert_true(index > samples[i - 1].index);
                assert_true(index - samples[i - i % CHECK_RUN].index < CHECK_SPAN);
            }
            pieces += !(i % CHECK_RUN) || index / 32 > samples[i - 1].index / 32;
            is_met[10 * index / place->count] = true;
            if (samples[i].array == SQUARE) has_column[index % place->columns] = true;
        }
        assert_true(pieces > count / 3);
    }
    for (int i = 0; i < 10; i++) assert_true(is_met[i]);
    for (int i = 0; i < work->frame.arrays.places[SQUARE].columns; i++) assert_true(has_column[i]);
}

TEST(seeds_spread_the_runs)
{
    static const int columns[] = {300, 90};
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
        OWNED(close_work) struct work work = open_work(*state, 1000, columns[i], 0, 255);
        assert_runs_are_spread(&work);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) device = argv[1];
    struct backend *b = backend_open(device, NULL, 0, &err);
    if (!b) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    backend_close(b);
    return unit_run("lab", open_world, close_world);
}
