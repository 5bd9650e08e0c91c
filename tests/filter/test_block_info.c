// The block under a pixel: where it is, what it reads, and what is said of it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <math.h>
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

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
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
    assert_box(found(&f).passes[0].writes, 16, 4, 16, 4);
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
    assert_box(found(&fa).passes[0].writes, 0, 8, 100, 8);
    const struct block_info_facts fb = make_facts(&b, &radius_5, 99, 33);
    assert_box(found(&fb).passes[0].covers, 0, 32, 432, 16);
    assert_box(found(&fb).passes[0].writes, 0, 32, 432, 16);  // at most
    assert_int_equal(found(&fb).passes[0].reading, BLOCK_INFO_LEAST);
    assert_box(found(&fb).passes[0].reads, -5, 27, 442, 26);
}

static void test_idle_threads(void **state)
{
    (void)state;
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    const struct block_info_pass p = found(&f).passes[0];  // 4 x 9 blocks: 128 x 72
    assert_true(is_near(p.idle_right, 28 / 32.0));
    assert_true(is_near(p.idle_bottom, 2 / 8.0));
    assert_true(is_near(p.idle, 1 - 7000 / 9216.0));
}

// Threads of 16 x 2 pixels: 7 of the one block's 8 columns have some, 35 of 9 blocks' 36 rows.
static void test_idle_threads_of_many_pixels(void **state)
{
    (void)state;
    struct pass each = make_pass(8, 4, "");
    each.each_x = 16;
    each.each_y = 2;
    const struct variant v = make_variant(each);
    const struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    const struct block_info_pass p = found(&f).passes[0];
    assert_true(is_near(p.idle_right, 1 / 8.0));
    assert_true(is_near(p.idle_bottom, 1 / 4.0));
    assert_true(is_near(p.idle, 1 - 245 / 288.0));
}

// Block 3, 8 covers 32 x 8 pixels from 96, 64, of which 4 x 6 are in the picture.
static void test_the_block_at_the_corner(void **state)
{
    (void)state;
    char text[1024];
    const struct variant tile = make_variant(make_pass(32, 8, "(bw + 2*radius) * (bh + 2*radius)")),
                         naive = make_variant(make_pass(32, 8, ""));
    struct block_info_facts f = make_facts(&tile, &radius_5, 99, 69);
    struct block_info b = found(&f);
    assert_box(b.passes[0].covers, 96, 64, 32, 8);
    assert_box(b.passes[0].writes, 96, 64, 4, 6);
    assert_box(b.passes[0].reads, 91, 59, 42, 18);  // the whole tile: 756 loads for 24 pixels
    assert_true(is_near(b.passes[0].loads, 31.5));
    block_info_write(text, sizeof text, &b, &f);
    assert_true(g_str_has_prefix(text, "block 3, 8 of 4×9\n"
                                       "threads\t32×8 = 256\n"
                                       "writes\t4×6 pixels from 96, 64\n"
                                       "reads\t42×18 pixels, a halo of 5\n"
                                       "loads a pixel\t31.5, naive 121\n"));
    f.choice.variant = &naive;  // 4 x 6 threads read 5 pixels to each side
    b = found(&f);
    assert_box(b.passes[0].reads, 91, 59, 14, 16);
    assert_true(is_near(b.passes[0].loads, 121));
}

// How far the source pixels are that a result depends on, whichever pass reads them.
static void test_the_reach_of_all_passes(void **state)
{
    (void)state;
    struct variant v = make_variant(make_pass(32, 8, "(bw + 2*radius) * bh"));
    const struct variant naive = make_variant(make_pass(32, 8, "")),
                         copy = make_variant(make_pass(32, 8, "bw * bh"));
    v.passes[v.pass_count++] = make_pass(32, 8, "4 * bw * (bh + 2*radius)");
    struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
    assert_int_equal(found(&f).reach, 5);
    f.choice.variant = &naive;
    assert_int_equal(found(&f).reach, 5);
    f.choice.variant = &copy;
    assert_int_equal(found(&f).reach, 0);
    f.choice.filter = &invert;
    f.choice.variant = &naive;
    assert_int_equal(found(&f).reach, 0);
}

// ---- what is read ----

static void test_tiles_are_recognized(void **state)
{
    (void)state;
    static const struct {
        const char *shared;
        int across, down;
    } rows[] = {{"(bw + 2*radius) * (bh + 2*radius)", 5, 5},
                {"(bw + 2*radius) * bh", 5, 0},
                {"4 * bw * (bh + 2*radius)", 0, 5},
                {"bw * (bh + 2*radius)", 0, 5},
                {"4 * (bw + 2*radius) * (bh + 2*radius)", 5, 5},
                {"bw * bh", 0, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct variant v = make_variant(make_pass(32, 8, rows[i].shared));
        const struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
        const struct block_info_pass p = found(&f).passes[0];
        assert_int_equal(p.reading, BLOCK_INFO_TILE);
        assert_box(p.reads, 32 - rows[i].across, 16 - rows[i].down, 32 + 2 * rows[i].across,
                   8 + 2 * rows[i].down);
        assert_true(is_near(p.loads, p.reads.width * p.reads.height / 256.0));
        assert_true(is_near(p.halo, p.loads - 1));
    }
}

// 4 * 8 * (bh + 24) bytes are as many as (8 + 24) * (bh + 24).
static void test_tiles_of_one_size_are_told_apart(void **state)
{
    (void)state;
    const struct settings s = {.params = {{12}}};
    const struct variant v = make_variant(make_pass(8, 8, "4 * bw * (bh + 2*radius)"));
    const struct block_info_facts f = make_facts(&v, &s, 0, 0);
    assert_box(found(&f).passes[0].reads, 0, -12, 8, 32);
}

static void test_radius_0_has_no_halo(void **state)
{
    (void)state;
    const struct settings s = {.params = {{0}}};
    const struct variant v = make_variant(make_pass(32, 8, "(bw + 2*radius) * (bh + 2*radius)"));
    const struct block_info_facts f = make_facts(&v, &s, 0, 0);
    assert_box(found(&f).passes[0].reads, 0, 0, 32, 8);
    assert_true(is_near(found(&f).passes[0].loads, 1));
}

static void test_direct_kernels_read_every_tap(void **state)
{
    (void)state;
    const struct variant v = make_variant(make_pass(32, 8, ""));
    const struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    assert_int_equal(found(&f).passes[0].reading, BLOCK_INFO_TAPS);
    assert_true(is_near(found(&f).passes[0].loads, 121));
    struct block_info_facts plain = f;
    plain.choice.filter = &invert;
    assert_true(is_near(found(&plain).passes[0].loads, 1));
    assert_box(found(&plain).passes[0].reads, 0, 0, 32, 8);
}

static void test_other_shared_memory_is_not_guessed(void **state)
{
    (void)state;
    const struct variant v = make_variant(make_pass(32, 8, "1024 + 48*bw"));
    const struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    assert_int_equal(found(&f).passes[0].reading, BLOCK_INFO_LEAST);
    assert_true(is_near(found(&f).passes[0].loads, 42 * 18 / 256.0));
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

static void test_words_of_a_tile(void **state)
{
    (void)state;
    char text[1024];
    const struct variant v = make_variant(make_pass(32, 8, "(bw + 2*radius) * (bh + 2*radius)"));
    struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
    f.picture = planes_shape(100, 70, 3);
    f.occupancy = (struct occupancy){1536, 2048, "registers"};
    static const size_t shared[] = {42 * 18 + 44};
    f.shared_bytes = shared;
    const struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_string_equal(text, "block 1, 2 of 4×9 in 3 planes\n"
                              "threads\t32×8 = 256\n"
                              "writes\t32×8 pixels from 32, 16\n"
                              "reads\t42×18 pixels, a halo of 5\n"
                              "loads a pixel\t2.95, naive 121\n"
                              "halo\t+195 % of the pixels\n"
                              "idle threads\t24.0 %: 88 % at the right, 25 % at the bottom\n"
                              "shared\t800 B a block\n"
                              "occupancy\t75 %, limited by registers");
}

static void test_words_of_passes(void **state)
{
    (void)state;
    char text[1024];
    struct variant v = make_variant(make_pass(32, 8, "(bw + 2*radius) * bh"));
    v.passes[v.pass_count++] = make_pass(32, 8, "4 * bw * (bh + 2*radius)");
    struct block_info_facts f = make_facts(&v, &radius_5, 40, 20);
    f.picture = planes_shape(128, 72, 1);
    static const size_t shared[] = {42 * 8, 4 * 32 * 18};
    f.shared_bytes = shared;
    const struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "\npass 1 reads\t42×8 pixels, 5 to each side\n"
                                 "pass 2 reads\t32×18 pixels, 5 up and down\n"
                                 "loads a pixel\t3.56, naive 121\n"
                                 "halo\t+31 %, +125 % of the pixels\n"
                                 "idle threads\tnone\n"
                                 "shared\t336 B, 2304 B a block"));
    assert_null(strstr(text, "occupancy"));
}

static void test_words_of_others(void **state)
{
    (void)state;
    char text[1024], small[20];
    const struct variant v = make_variant(make_pass(32, 8, "")),
                         w = make_variant(make_pass(32, 8, "7"));
    struct block_info_facts f = make_facts(&v, &radius_5, 0, 0);
    struct block_info b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "loads a pixel\t121\n"));
    f.choice.variant = &w;
    b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(strstr(text, "loads a pixel\tat least 2.95, naive 121\n"));
    struct pass march = make_pass(64, 1, "");
    compile(&march.columns, "8*bw - 16*radius");
    compile(&march.rows, "16");
    const struct variant running = make_variant(march);
    f.choice.variant = &running;
    b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_non_null(
        strstr(text, "writes\tup to 432×16 pixels\nreads\tup to 442×26 pixels, a halo"));
    assert_null(strstr(text, "idle"));
    f.choice.variant = &w;
    f.choice.filter = &invert;
    b = found(&f);
    block_info_write(text, sizeof text, &b, &f);
    assert_null(strstr(text, "halo"));
    for (size_t size = 1; size <= sizeof small; size++) {  // cut at a whole letter, not beyond
        block_info_write(small, size, &b, &f);
        assert_true(strlen(small) < size && g_utf8_validate(small, -1, NULL));
    }
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
                    const struct block_info_pass *p = &b.passes[n];
                    assert_true(p->writes.left <= 640 && 640 < p->writes.left + p->writes.width);
                    assert_true(p->is_shared_out || p->writes.left + p->writes.width == 641);
                    assert_true(p->writes.top <= 301 && 301 < p->writes.top + p->writes.height);
                    assert_true(p->loads >= 1 && p->halo >= 0);
                    assert_true(p->idle >= 0 && p->idle < 1);
                    assert_true(p->idle_right >= 0 && p->idle_right < 1);
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
        cmocka_unit_test(test_idle_threads),
        cmocka_unit_test(test_idle_threads_of_many_pixels),
        cmocka_unit_test(test_the_block_at_the_corner),
        cmocka_unit_test(test_the_reach_of_all_passes),
        cmocka_unit_test(test_tiles_are_recognized),
        cmocka_unit_test(test_tiles_of_one_size_are_told_apart),
        cmocka_unit_test(test_radius_0_has_no_halo),
        cmocka_unit_test(test_direct_kernels_read_every_tap),
        cmocka_unit_test(test_other_shared_memory_is_not_guessed),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_words_of_a_tile),
        cmocka_unit_test(test_words_of_passes),
        cmocka_unit_test(test_words_of_others),
        cmocka_unit_test(test_shared_memory_of_a_cpu),
        cmocka_unit_test(test_all_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
