// The block under a pixel: where it is, what it reads, and what is said of it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

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
static struct filter invert = {.name = "invert"};

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
    (void)state;
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
        assert_box(b.passes[0].covers, 32 * rows[i].column, 8 * rows[i].row, 32, 8);
    }
}

static void test_the_chosen_block(void **state)
{
    (void)state;
    struct settings s = radius_5;
    s.block_width = 16;
    s.block_height = 4;
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_facts f = make_facts(&v, &s, 17, 4);
    assert_box(found(&f).passes[0].covers, 16, 4, 16, 4);
}

static void test_pixels_that_are_not_the_threads(void **state)
{
    (void)state;
    struct pass each = make_pass(8, 4, ""), columns = make_pass(64, 1, "");
    each.each_x = 16;
    each.each_y = 2;
    compile(&columns.columns, "8*bw - 16*radius");
    compile(&columns.rows, "16");
    const struct variant a = make_variant(each), b = make_variant(columns);
    const struct block_info_facts fa = make_facts(&a, &radius_5, 99, 9);
    assert_box(found(&fa).passes[0].covers, 0, 8, 128, 8);
    assert_false(found(&fa).passes[0].is_shared_out);
    const struct block_info_facts fb = make_facts(&b, &radius_5, 99, 33);
    assert_box(found(&fb).passes[0].covers, 0, 32, 432, 16);
    assert_true(found(&fb).passes[0].is_shared_out);
}

// How far the source pixels are that a result depends on, whichever pass reads them.
static void test_the_reach_of_all_passes(void **state)
{
    (void)state;
    struct variant v = make_variant(make_pass(32, 8, ""));
    v.passes[v.pass_count++] = make_pass(32, 8, "");
    struct block_info_touched touched[] = {
        {.reads = {27, 16, 42, 8}, .writes = {32, 16, 32, 8}},
        {.reads = {32, 11, 32, 18}, .writes = {32, 16, 32, 8}},
    };
    struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
    assert_int_equal(found(&f).reach, 0);  // not known
    f.touched = touched;
    assert_int_equal(found(&f).reach, 5);
    touched[0].reads = touched[0].writes;
    touched[1].reads = (struct block_info_box){32, 0, 32, 21};  // cut by the upper edge
    touched[1].writes = (struct block_info_box){32, 0, 32, 16};
    assert_int_equal(found(&f).reach, 5);
    touched[1].reads.height = 40;  // more than the radius: a mirrored pixel, say
    assert_int_equal(found(&f).reach, 5);
    touched[1].reads.width = 0;
    assert_int_equal(found(&f).reach, 0);
}

static void test_what_is_refused(void **state)
{
    (void)state;
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

// ---- words ----

static void test_words_of_one_pass(void **state)
{
    (void)state;
    char text[1024];
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_touched touched = {.reads = {27, 11, 42, 18},
                                               .writes = {32, 16, 32, 8},
                                               .pixels_read = 756,
                                               .pixels_written = 256,
                                               .loads = 756,
                                               .threads = 256};
    struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
    f.picture = planes_shape(100, 70, 3);
    f.occupancy = (struct occupancy){1536, 2048, "registers"};
    f.touched = &touched;
    static const size_t shared[] = {42 * 18 + 44};
    f.shared_bytes = shared;
    const struct block_info_pixel pixel = {
        .in = {1, 2, 3}, .out = {{4, 5, 255}, {9}}, .has_out = {true, false}};
    f.pixel = &pixel;
    const struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_string_equal(text, "pixel 40, 20\n"
                              "in\t1, 2, 3\n"
                              "out\t4, 5, 255\n"
                              "block\t1, 2 of 4×9 in 3 planes\n"
                              "thread\t8, 4 · warp 4, lane 8\n"
                              "threads\t32×8 = 256\n"
                              "writes\t32×8 pixels from 32, 16\n"
                              "reads\t42×18 pixels, a halo of 5\n"
                              "loads a pixel\t2.95, naive 121\n"
                              "halo\t+195 % of the pixels\n"
                              "idle threads\tnone\n"
                              "shared\t800 B a block\n"
                              "occupancy\t75 %, limited by registers");
}

static void test_words_of_passes(void **state)
{
    (void)state;
    char text[1024];
    struct variant v = make_variant(make_pass(32, 8, ""));
    v.passes[v.pass_count++] = make_pass(32, 8, "");
    const struct block_info_touched touched[] = {
        {{27, 16, 42, 8}, {32, 16, 32, 8}, 336, 256, 336, 256, 0},
        {{32, 11, 32, 18}, {32, 16, 32, 8}, 576, 256, 576, 256, 28},
    };
    struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
    static const size_t shared[] = {42 * 8, 4 * 32 * 18};
    f.shared_bytes = shared;
    f.touched = touched;
    const struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "\npass 1 reads\t42×8 pixels, 5 to each side\n"
                                 "pass 2 reads\t32×18 pixels, 5 up and down\n"
                                 "loads a pixel\t3.56, naive 121\n"
                                 "halo\t+31 %, +125 % of the pixels\n"
                                 "idle threads\t28 of the block's 256\n"
                                 "shared\t336 B, 2304 B a block"));
    assert_null(strstr(text, "occupancy"));
}

static void test_words_of_a_block_that_is_not_traced(void **state)
{
    (void)state;
    char text[1024], small[20];
    struct pass march = make_pass(64, 1, "");
    compile(&march.columns, "8*bw - 16*radius");
    compile(&march.rows, "16");
    const struct variant v = make_variant(make_pass(32, 8, "")), running = make_variant(march);
    struct block_info_facts f = make_facts(&v, &radius_5, 99, 69);
    f.untouched = "being traced";
    struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_string_equal(text, "pixel 99, 69\n"
                              "block\t3, 8 of 4×9\n"
                              "thread\t3, 5 · warp 5, lane 3\n"
                              "threads\t32×8 = 256\n"
                              "writes\t4×6 pixels from 96, 64\n"
                              "reads\tbeing traced\n"
                              "shared\t0 B a block");
    f.choice.variant = &running;
    f.untouched = NULL;
    b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "writes\tup to 432×16 pixels\nshared"));
    assert_null(strstr(text, "thread\t"));                 // it shares its pixels out
    for (size_t size = 1; size <= sizeof small; size++) {  // cut at a whole letter, not beyond
        block_info_write(small, size, &b, &f);
        assert_true(strlen(small) < size && g_utf8_validate(small, -1, NULL));
    }
}

// A thread that writes several pixels, in blocks that are not as wide as a warp.
static void test_the_thread_of_a_pixel(void **state)
{
    (void)state;
    struct pass each = make_pass(8, 4, "");
    each.each_x = 16;
    each.each_y = 2;
    const struct variant v = make_variant(each);
    const struct block_info_facts f = make_facts(&v, &radius_5, 99, 13);
    char text[1024];
    const struct block_info b = found(&f);
    assert_int_equal(b.thread_x, 6);
    assert_int_equal(b.thread_y, 2);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "\nthread\t6, 2 · warp 0, lane 22\n"));
}

static void test_words_of_two_that_are_compared(void **state)
{
    (void)state;
    char text[1024];
    const struct variant v = make_variant(make_pass(32, 8, ""));
    struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    const struct block_info_pixel pixel = {
        .in = {7}, .out = {{8}, {9}}, .has_out = {true, false}, .is_pair = true};
    const struct error why = {"a library's"};
    f.pixel = &pixel;
    block_info_write_unknown(text, sizeof text, &f, &why);
    assert_string_equal(text, "pixel 0, 0\nin\t7\nout A\t8\nout B\t…\nblock\ta library's");
}

static void test_words_of_a_block_without_reads(void **state)
{
    (void)state;
    char text[1024];
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_touched touched = {
        .writes = {0, 0, 32, 8}, .pixels_written = 256, .threads = 256};
    struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    f.choice.filter = &invert;
    f.touched = &touched;
    const struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "\nreads\tno pixels\nloads a pixel\t0\nidle threads\tnone"));
}

// A CPU knows only what a launch asks for: none of that does not mean that there is none.
static void test_shared_memory_of_a_cpu(void **state)
{
    (void)state;
    char text[64];
    static const size_t none[] = {0, 0}, some[] = {304, 0};
    block_info_write_shared(text, sizeof text, none, 2, false);
    assert_string_equal(text, "");
    block_info_write_shared(text, sizeof text, none, 1, true);
    assert_string_equal(text, "0 B");
    block_info_write_shared(text, sizeof text, some, 2, false);
    assert_string_equal(text, "304 B, 0 B");
}

// Every variant there is, at every radius: the block holds its pixel and its numbers hold together.
static void test_all_kernels(void **state)
{
    (void)state;
    struct filter_list filters;
    struct error err = {""};
    if (!filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    int count = 0;
    for (int i = 0; i < filters.count; i++)
        for (int k = 0; !filters.filters[i].is_lab && k < filters.filters[i].variant_count; k++)
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
                for (int n = 0; n < b.pass_count; n++) {
                    const struct block_info_box *c = &b.passes[n].covers;
                    assert_true(c->left <= 640 && 640 < c->left + c->width);
                    assert_true(c->top <= 301 && 301 < c->top + c->height);
                }
                count++;
            }
    assert_true(count > 50);
    filter_list_finish(&filters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_block_of_a_pixel),
        cmocka_unit_test(test_the_chosen_block),
        cmocka_unit_test(test_pixels_that_are_not_the_threads),
        cmocka_unit_test(test_the_reach_of_all_passes),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_words_of_one_pass),
        cmocka_unit_test(test_words_of_passes),
        cmocka_unit_test(test_words_of_a_block_that_is_not_traced),
        cmocka_unit_test(test_the_thread_of_a_pixel),
        cmocka_unit_test(test_words_of_two_that_are_compared),
        cmocka_unit_test(test_words_of_a_block_without_reads),
        cmocka_unit_test(test_shared_memory_of_a_cpu),
        cmocka_unit_test(test_all_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
