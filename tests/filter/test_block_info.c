// The block under a pixel: where it is, and how far it reads.
#include "unit.h"

#include "filter/block_info.h"

static const struct device gpu = {.is_gpu = true,
                                  .max_threads = 1024,
                                  .max_block_width = 1024,
                                  .max_block_height = 1024,
                                  .max_grid_width = 1 << 30,
                                  .max_grid_height = 65535,
                                  .max_shared_bytes = 49152};

static struct filter mean = {.name = "mean",
                             .params = {{.name = "radius", .value = 3, .min = 0, .max = 64}},
                             .param_count = 1};

static void compile(struct expr *e, const char *text)
{
    struct error err = {""};
    if (text[0] && !filter_compile(&mean, e, text, &err)) fail_msg("%s", err.text);
}

static struct pass make_pass(int width, int height, const char *shared)
{
    struct pass p = {
        .block_width = width, .block_height = height, .each_x = 1, .each_y = 1, .multiple_of = 1};
    compile(&p.shared, shared);
    return p;
}

static struct variant make_variant(struct pass pass)
{
    return (struct variant){.name = "v", .passes = {pass}, .pass_count = 1};
}

static const size_t no_shared[FILTER_MAX_PASSES];

static struct block_info_facts make_facts(const struct variant *v, const struct settings *s, int x,
                                          int y)
{
    return (struct block_info_facts){.choice = {&mean, v, *s},
                                     .device = &gpu,
                                     .picture = planes_shape(100, 70, 1),
                                     .shared_bytes = no_shared,
                                     .x = x,
                                     .y = y};
}

static struct block_info found(const struct block_info_facts *f)
{
    struct block_info b;
    struct error err = {""};
    if (!block_info_find(&b, f, &err)) fail_msg("%s", err.text);
    return b;
}

static void assert_box(struct block_info_box b, int left, int top, int width, int height)
{
    assert_int_equal(b.left, left);
    assert_int_equal(b.top, top);
    assert_int_equal(b.width, width);
    assert_int_equal(b.height, height);
}

static const struct settings radius_5 = {.params = {{5}}};

// ---- where ----

static void test_the_block_of_a_pixel(void **state)
{
    const struct variant v = make_variant(make_pass(32, 8, ""));
    static const struct {
        int x, y, column, row;
    } rows[] = {{0, 0, 0, 0},   {31, 7, 0, 0},    {32, 8, 1, 1},
                {99, 69, 3, 8}, {500, 500, 3, 8}, {-3, -1, 0, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct block_info_facts f = make_facts(&v, &radius_5, rows[i].x, rows[i].y);
        const struct block_info b = found(&f);
        assert_int_equal(b.column, rows[i].column);
        assert_int_equal(b.row, rows[i].row);
        assert_box(b.covers, 32 * rows[i].column, 8 * rows[i].row, 32, 8);
    }
}

static void test_the_chosen_block(void **state)
{
    struct settings s = radius_5;
    s.block_width = 16;
    s.block_height = 4;
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_facts f = make_facts(&v, &s, 17, 4);
    assert_box(found(&f).covers, 16, 4, 16, 4);
}

static void test_pixels_that_are_not_the_threads(void **state)
{
    struct pass each = make_pass(8, 4, ""), columns = make_pass(64, 1, "");
    each.each_x = 16;
    each.each_y = 2;
    compile(&columns.columns, "8*bw - 16*radius");
    compile(&columns.rows, "16");
    const struct variant a = make_variant(each), b = make_variant(columns);
    const struct block_info_facts fa = make_facts(&a, &radius_5, 99, 9);
    assert_box(found(&fa).covers, 0, 8, 128, 8);
    const struct block_info_facts fb = make_facts(&b, &radius_5, 99, 33);
    assert_box(found(&fb).covers, 0, 32, 432, 16);
}

// How far the source pixels are that a result depends on, whichever pass reads them.
static void test_the_reach_of_all_passes(void **state)
{
    struct variant v = make_variant(make_pass(32, 8, ""));
    v.passes[v.pass_count++] = make_pass(32, 8, "");
    struct block_info_touched touched[] = {
        {.reads = {27, 16, 42, 8}, .writes = {32, 16, 32, 8}},
        {.reads = {32, 11, 32, 18}, .writes = {32, 16, 32, 8}},
    };
    const struct choice c = make_facts(&v, &radius_5, 40, 20).choice;
    assert_int_equal(block_info_halo(&c, touched), 5);
    assert_int_equal(block_info_reach(&touched[0]).across, 5);
    assert_int_equal(block_info_reach(&touched[0]).down, 0);
    assert_int_equal(block_info_reach(&touched[1]).down, 5);
    touched[0].reads = touched[0].writes;
    touched[1].reads = (struct block_info_box){32, 0, 32, 21};  // cut by the upper edge
    touched[1].writes = (struct block_info_box){32, 0, 32, 16};
    assert_int_equal(block_info_halo(&c, touched), 5);
    touched[1].reads.height = 40;  // more than the radius: a mirrored pixel, say
    assert_int_equal(block_info_halo(&c, touched), 5);
    touched[1].reads.width = 0;
    assert_int_equal(block_info_halo(&c, touched), 0);
}

static void test_what_is_refused(void **state)
{
    const struct settings s = {.params = {{5}}, .block_width = 64, .block_height = 32};
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_facts f = make_facts(&v, &s, 0, 0);
    struct block_info b;
    struct error err = {""};
    memset(&b, 0x5a, sizeof b);
    const struct block_info before = b;
    assert_false(block_info_find(&b, &f, &err));
    assert_non_null(strstr(err.text, "2048 threads"));
    assert_memory_equal(&b, &before, sizeof b);
}

static void assert_thread(struct block_info_thread thread, int x, int y)
{
    assert_int_equal(thread.x, x);
    assert_int_equal(thread.y, y);
}

// A thread of one pixel has its own. Which of several pixels are a thread's, the kernel decides,
// and a trace shows.
static void test_the_thread_of_a_pixel(void **state)
{
    const struct block_info_writer one = {1, 11}, several = {2, 11};
    const struct launch_config block = {.block_width = 8, .block_height = 4};
    struct pass each = make_pass(8, 4, "");
    each.each_x = 16;
    each.each_y = 2;
    struct pass turned = make_pass(8, 4, "");
    turned.has_own_order = true;
    const struct variant v = make_variant(each), plain = make_variant(make_pass(8, 4, "")),
                         other = make_variant(turned);
    const struct block_info_facts f = make_facts(&v, &radius_5, 99, 13),
                                  own = make_facts(&plain, &radius_5, 99, 13),
                                  its = make_facts(&other, &radius_5, 99, 13);
    assert_thread(found(&own).thread, 3, 1);
    assert_thread(found(&f).thread, -1, -1);
    assert_thread(found(&its).thread, -1, -1);
    assert_thread(block_info_thread_of(&one, &block), 3, 1);
    assert_thread(block_info_thread_of(&several, &block), -1, -1);
}

// Every variant there is, at every radius: the block holds its pixel and its numbers hold together.
static void test_all_kernels(void **state)
{
    struct filter_list filters;
    struct error err = {""};
    if (!filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    int count = 0;
    for (int i = 0; i < filters.count; i++)
        for (int k = 0;
             filter_has_picture(&filters.filters[i]) && k < filters.filters[i].variant_count; k++)
            for (int radius = 0; radius <= 64; radius += 7) {
                const struct filter *filter = &filters.filters[i];
                struct settings s = {.params = filter_defaults(filter)};
                if (filter_radius(filter) >= 0) s.params.v[filter_radius(filter)] = radius;
                const struct block_info_facts f = {.choice = {filter, &filter->variants[k], s},
                                                   .device = &gpu,
                                                   .picture = planes_shape(641, 479, 3),
                                                   .x = 640,
                                                   .y = 301};
                struct block_info b;
                if (!block_info_find(&b, &f, NULL)) continue;
                assert_true(b.covers.left <= 640 && 640 < b.covers.left + b.covers.width);
                assert_true(b.covers.top <= 301 && 301 < b.covers.top + b.covers.height);
                count++;
            }
    assert_true(count > 50);
    filter_list_finish(&filters);
}

int main(void)
{
    arrays_add_pictures(&mean);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_block_of_a_pixel),
        cmocka_unit_test(test_the_chosen_block),
        cmocka_unit_test(test_pixels_that_are_not_the_threads),
        cmocka_unit_test(test_the_reach_of_all_passes),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_the_thread_of_a_pixel),
        cmocka_unit_test(test_all_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
