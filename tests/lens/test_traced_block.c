// test_traced_block -- what the block panel says of traced blocks, worked out by hand.
#include "unit.h"

#include "bench.h"
#include "lens/traced_block.h"

enum { WIDTH = 100, HEIGHT = 70 };

static void assert_box(struct block_info_box box, struct block_info_box wanted)
{
    if (box.left != wanted.left || box.top != wanted.top || box.width != wanted.width ||
        box.height != wanted.height)
        fail_msg("%d×%d from %d, %d, not %d×%d from %d, %d", box.width, box.height, box.left,
                 box.top, wanted.width, wanted.height, wanted.left, wanted.top);
}

static const struct lens_result *trace(struct bench *b, const char *filter, const char *variant,
                                       int planes, int x, int y, int width, int height)
{
    struct tracing_request r = bench_request(b, filter, variant);
    bench_make_picture(b, WIDTH, HEIGHT, planes);
    r.is_whole = false;
    r.x = x;
    r.y = y;
    r.choice.settings.block_width = width;
    r.choice.settings.block_height = height;
    return bench_trace(b, &r);
}

#define ON_BENCH(name) TEST_OF(struct bench *b, name, NULL, NULL)

// At radius 3, in blocks of 32x8.
ON_BENCH(blocks_touch_what_they_should)
{
    static const struct {
        const char *filter, *variant;
        int planes, x, y, pass;
        struct block_info_box reads, writes;
        int pixels_read, pixels_written, loads, idle;
    } rows[] = {
        // In the middle: 38 x 14 pixels, 49 taps each.
        {"mean", "naive", 1, 40, 20, 0, {29, 13, 38, 14}, {32, 16, 32, 8}, 532, 256, 12544, 0},
        {"mean", "texture", 1, 40, 20, 0, {29, 13, 38, 14}, {32, 16, 32, 8}, 532, 256, 12544, 0},
        {"mean", "shared", 1, 40, 20, 0, {29, 13, 38, 14}, {32, 16, 32, 8}, 532, 256, 532, 0},
        // The first block: the picture's edge cuts what it reads, but a tile is loaded whole.
        {"mean", "shared", 1, 0, 0, 0, {0, 0, 35, 11}, {0, 0, 32, 8}, 385, 256, 532, 0},
        // The last one writes 4 x 6 pixels; 256 - 24 threads have none.
        {"mean", "naive", 1, 99, 69, 0, {93, 61, 7, 9}, {96, 64, 4, 6}, 63, 24, 1176, 232},
        {"mean", "shared", 1, 99, 69, 0, {93, 61, 7, 9}, {96, 64, 4, 6}, 63, 24, 532, 232},
        {"mean", "separable", 1, 40, 20, 0, {29, 16, 38, 8}, {32, 16, 32, 8}, 304, 256, 304, 0},
        {"mean", "separable", 1, 40, 20, 1, {32, 13, 32, 14}, {32, 16, 32, 8}, 448, 256, 448, 0},
        {"invert", "naive", 3, 40, 20, 0, {32, 16, 32, 8}, {32, 16, 32, 8}, 256, 256, 256, 0},
        // Sixteen pixels a thread: the picture has 100 of 512, which 7 of 32 threads write.
        {"invert", "vector", 3, 40, 20, 0, {0, 16, 100, 8}, {0, 16, 100, 8}, 800, 800, 800, 200},
        // Mirrored: what block 1, 2 writes comes from 36 ... 67.
        {"flip", "naive", 1, 40, 20, 0, {36, 16, 32, 8}, {32, 16, 32, 8}, 256, 256, 256, 0},
        {"flip", "naive_rgb24", 3, 40, 20, 0, {36, 16, 32, 8}, {32, 16, 32, 8}, 256, 256, 256, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct block_info_touched touched[FILTER_MAX_PASSES];
        const struct lens_result *r =
            trace(b, rows[i].filter, rows[i].variant, rows[i].planes, rows[i].x, rows[i].y, 32, 8);
        assert_true(traced_block_touched(touched, r));
        const struct block_info_touched *t = &touched[rows[i].pass];
        print_message("%s %s at %d, %d\n", rows[i].filter, rows[i].variant, rows[i].x, rows[i].y);
        assert_box(t->reads, rows[i].reads);
        assert_box(t->writes, rows[i].writes);
        assert_int_equal(t->pixels_read, rows[i].pixels_read);
        assert_int_equal(t->pixels_written, rows[i].pixels_written);
        assert_int_equal(t->loads, rows[i].loads);
        assert_int_equal(t->threads, 256);
        assert_int_equal(t->idle, rows[i].idle);
    }
}

// It shares the columns of 8 pixels out among its 64 threads, and its 100 pixels a row among 7.
ON_BENCH(a_marching_block_is_known_too)
{
    struct block_info_touched t;
    const struct lens_result *r = trace(b, "mean", "running", 1, 40, 20, 64, 1);
    assert_true(traced_block_touched(&t, r));
    assert_int_equal(t.writes.left, 0);
    assert_int_equal(t.writes.width, WIDTH);
    assert_int_equal(t.reads.width, WIDTH);
    assert_int_equal(t.pixels_written, t.writes.width * t.writes.height);
    assert_true(t.reads.height >= t.writes.height);
    assert_true(t.loads >= (double)t.pixels_read);
}

// Which pixels or elements of its block a thread writes is as the kernel's text says it.
ON_BENCH(the_trace_tells_who_writes)
{
    static const struct {
        const char *filter, *variant;
        int planes, x, y;     // of a pixel, or a row and a column of b
        int threads, thread;  // that write it
    } rows[] = {
        {"mean", "naive", 1, 8, 4, 1, 4 * 32 + 8},
        {"mean", "naive", 1, 40, 3, 0, 0},  // another block's
        {"invert", "vector", 1, 40, 3, 1, 3 * 32 + 2},
        {"gaussian", "fast", 1, 4, 0, 1, 1},      // as the tensor cores lay out a row
        {"flip", "words_rgb24", 3, 4, 1, 1, 35},  // bytes 12 ... 14, of word 3
        {"flip", "words_rgb24", 3, 1, 0, 2, 0},   // bytes 3 ... 5, of words 0 and 1
        {"transpose", "shared", 1, 0, 1, 1, 32},
        {"transpose", "shared", 1, 5, 17, 1, 37},
        {"transpose", "vector", 1, 0, 1, 1, 16},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct lens_result *r =
            trace(b, rows[i].filter, rows[i].variant, rows[i].planes, 0, 0, 0, 0);
        const struct filter *f = filter_find(&b->filters, rows[i].filter);
        const long long columns = filter_has_picture(f) ? 0 : (long long)f->params[0].value;
        const struct block_info_writer w =
            filter_has_picture(f) ? traced_block_writer(r, "out", rows[i].x, rows[i].y)
                                  : traced_block_writer(r, "b", rows[i].y * columns + rows[i].x, 0);
        print_message("%s %s at %d, %d\n", rows[i].filter, rows[i].variant, rows[i].x, rows[i].y);
        assert_int_equal(w.threads, rows[i].threads);
        if (w.threads) assert_int_equal(w.thread, rows[i].thread);
    }
}

ON_BENCH(what_is_not_one_block_of_a_picture_is_refused)
{
    struct block_info_touched t[FILTER_MAX_PASSES];
    const struct lens_result *r = trace(b, "sum", "modulo", 1, 0, 0, 0, 0);
    assert_false(traced_block_touched(t, r));
}

// Blocks of 8x8x8 threads have 16 warps, two a layer. An edge of the domain leaves some.
TEST(the_domain_cuts_layers)
{
    static const struct {
        struct launch_tile domain;
        int x, y;
        double times;
    } rows[] = {
        {{64, 64, 16}, 0, 0, 128},
        {{64, 64, 10}, 0, 0, 64 + 64 * 4 / 16.0},
        {{64, 60, 9}, 0, 0, (56 * 16 + 8 * 8 + 56 * 2 + 8 * 1) / 16.0},
        {{64, 60, 9}, 0, 7, (56 * 16 + 8 * 8 + 56 * 2 + 8 * 1) / 8.0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct launch_pass p = {.config = {.grid_width = 8,
                                                 .grid_height = 8,
                                                 .grid_depth = 2,
                                                 .block_width = 8,
                                                 .block_height = 64,
                                                 .block_depth = 8},
                                      .tile = {8, 8, 8},
                                      .domain = rows[i].domain};
        const double times = traced_block_warps(&p, rows[i].x, rows[i].y);
        if (times != rows[i].times) fail_msg("%g, not %g", times, rows[i].times);
    }
}

SUITE("traced_block", bench_set_up, bench_tear_down)
