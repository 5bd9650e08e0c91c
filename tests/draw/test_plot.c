// Plots: everything stays in its box, each curve and cell shows, and files are whole or not there.
#include "unit.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "draw/plot_parts.h"

#include "canvas.h"

enum { WIDTH = 700, HEIGHT = 500, INSET = 50 };

static const struct plot_point slow[] = {{1, 0.457, 0.45, 0.46, false},
                                         {4, 2.352, 2.3, 2.4, false},
                                         {16, 26.5, 20, 30, false},
                                         {64, 388, 0, 0, false}};
static const struct plot_point fast[] = {
    {0, 0.04, 0.04, 0.04, false}, {1, 0.058, 0.05, 0.06, false}, {64, 0.098, 0.09, 0.1, false}};

#define CURVE(name, list, number, kind)                               \
    {                                                                 \
        .label = name, .points = list, .count = number, .style = kind \
    }

static const struct plot_curve two_curves[] = {CURVE("naive", slow, 4, 0),
                                               CURVE("running", fast, 3, 1)};

static struct plot_curves make_curves(const struct plot_curve *curves, int count)
{
    return (struct plot_curves){.x_label = "radius, pixels",
                                .y_label = "time per launch, ms",
                                .curves = curves,
                                .count = count,
                                .floor = 0.0333,
                                .floor_label = "device copy, 0.0333 ms"};
}

static struct plot plot_of(const struct plot_curves *curves)
{
    return (struct plot){.title = "t", .caption = "c", .curves = curves};
}

static struct plot compact_plot(const struct plot_curves *curves)
{
    return (struct plot){.title = "", .caption = "", .curves = curves, .is_compact = true};
}

static struct plot map_of(const struct plot_heat *heat)
{
    return (struct plot){.title = "t", .caption = "c", .heats = heat, .heat_count = 1};
}

static struct plot compact_map(const struct plot_heat *heat)
{
    return (struct plot){
        .title = "", .caption = "", .heats = heat, .heat_count = 1, .is_compact = true};
}

// ---- drawing into memory ----

// Draws into a box inside a transparent canvas, and says where what is.
static struct canvas draw_at(struct plot plot, bool is_light, int width, int height,
                             struct plot_places *places)
{
    struct canvas c = canvas_open(width + 2 * INSET, height + 2 * INSET, 14, is_light);
    *places = plot_draw(&c.paint, (struct paint_box){INSET, INSET, width, height}, &plot);
    assert_int_equal(cairo_status(c.paint.cairo), CAIRO_STATUS_SUCCESS);
    return c;
}

static struct canvas draw(struct plot plot, bool is_light, int width, int height)
{
    struct plot_places places;
    return draw_at(plot, is_light, width, height, &places);
}

static uint32_t pixel_at(const struct canvas *c, int x, int y)
{
    return canvas_row(c, y)[x];
}

// Pixels that something was drawn on, within or outside of the box.
static long count_drawn(const struct canvas *c, bool is_inside)
{
    const int width = c->paint.width, height = c->paint.height;
    long count = 0;
    for (int y = 0; y < height; y++) {
        const uint32_t *const row = canvas_row(c, y);
        for (int x = 0; x < width; x++) {
            const bool is_in = x >= INSET && x < width - INSET && y >= INSET && y < height - INSET;
            count += is_in == is_inside && row[x] != 0;
        }
    }
    return count;
}

static void assert_in_box(struct plot plot, int width, int height)
{
    for (int is_light = 0; is_light < 2; is_light++) {
        OWNED(canvas_close) struct canvas c = draw(plot, is_light, width, height);
        assert_true(count_drawn(&c, true) > 1000);
        assert_int_equal(count_drawn(&c, false), 0);
    }
}

static long difference(struct plot a, struct plot b)
{
    OWNED(canvas_close) struct canvas one = draw(a, true, WIDTH, HEIGHT);
    OWNED(canvas_close) struct canvas other = draw(b, true, WIDTH, HEIGHT);
    return canvas_difference(&one, &other, 0);
}

// ---- curves ----

// A plot that has nothing to show says why, in whole lines that stay in the room it asks for.
TEST(a_sentence_takes_the_lines_that_it_needs)
{
    enum { EM = 20, LEAST_EMS = 27 };
    OWNED(canvas_close) struct canvas c = canvas_open(WIDTH, HEIGHT, EM, false);
    const struct plot plot = {.title = "Transpose: roofline",
                              .caption = "no roofline at rows 512, columns 512: the recorded times "
                                         "are of rows 4096, columns 4096. Set that size to see it.",
                              .is_compact = true};
    canvas_clear(&c);
    plot_draw(&c.paint, (struct paint_box){0, 0, LEAST_EMS * EM, PLOT_SENTENCE_EMS * EM}, &plot);
    int lines = 0;
    bool was_empty = true;
    for (int y = 0; y < HEIGHT; y++) {
        bool is_empty = true;
        for (int x = 0; x < WIDTH; x++) is_empty &= !canvas_row(&c, y)[x];
        lines += was_empty && !is_empty && y > 1.7 * EM - 4;
        was_empty = is_empty;
        if (y >= PLOT_SENTENCE_EMS * EM) assert_true(is_empty);
    }
    assert_in_range(lines, 2, PLOT_SENTENCE_LINES);
}

TEST(curves_stay_in_their_box)
{
    const struct plot_curves curves = make_curves(two_curves, 2);
    const struct plot plot = {.title = "Mean", .caption = "NVIDIA H200", .curves = &curves};
    assert_in_box(plot, WIDTH, HEIGHT);
    assert_in_box(plot, 301, 227);
}

// A range of sizes, and one with values below 0: as many points as a window's sweep may have.
TEST(any_range_stays_in_its_box)
{
    static const double firsts[] = {0, -31};
    struct plot_point points[64];
    double xs[64];
    for (size_t i = 0; i < G_N_ELEMENTS(firsts); i++) {
        for (int k = 0; k < 64; k++) {
            xs[k] = firsts[i] < 0 ? firsts[i] + k : ldexp(1, k / 2) * (k % 2 ? 1.5 : 1);
            points[k] = (struct plot_point){xs[k], 1 + k, 0, 0, false};
        }
        const struct plot_curve curve = CURVE("naive", points, 64, 0);
        struct plot_curves curves = make_curves(&curve, 1);
        curves.xs = xs;
        curves.x_count = 64;
        curves.has_mark = curves.has_crossings = true;
        curves.mark_x = xs[40];
        assert_in_box(plot_of(&curves), WIDTH, HEIGHT);
        assert_in_box(compact_plot(&curves), WIDTH, HEIGHT);
    }
}

// The cursor finds its value on either kind of axis.
TEST(an_axis_below_zero_is_linear)
{
    const struct plot_places linear = {
        .left = 100, .right = 300, .bottom = 100, .x_low = -50, .x_high = 50, .is_linear = true};
    const struct plot_places logarithms = {
        .left = 100, .right = 300, .bottom = 100, .x_low = 0, .x_high = 20};
    double value;
    assert_true(plot_find_x(&linear, 150, 50, &value) && fabs(value + 25) < 1e-9);
    assert_true(plot_find_x(&linear, 200, 50, &value) && fabs(value) < 1e-9);
    assert_true(plot_find_x(&logarithms, 200, 50, &value) && fabs(value - 1024) < 1e-6);
}

TEST(every_curve_shows)
{
    const struct plot_curve hidden[] = {CURVE("naive", slow, 4, 0), CURVE("running", fast, 0, 1)};
    struct plot_curves both = make_curves(two_curves, 2), one = make_curves(hidden, 2);
    const struct plot a = plot_of(&both);
    const struct plot b = plot_of(&one);
    assert_true(difference(a, b) > 500);
    assert_int_equal(difference(a, a), 0);
    struct plot_curves bare = both;
    bare.floor = 0;
    assert_true(difference(a, plot_of(&bare)) > 200);
}

static struct canvas draw_style(int style, bool is_dashed)
{
    const struct plot_curve curve = {
        .label = "same", .points = slow, .count = 4, .style = style, .is_dashed = is_dashed};
    const struct plot_curves curves = make_curves(&curve, 1);
    return draw(plot_of(&curves), true, WIDTH, HEIGHT);
}

// The pixels that differ clearly, with or without their colour.
static long count_differing(const struct canvas *a, const struct canvas *b, bool has_colour)
{
    long count = 0;
    for (int y = 0; y < HEIGHT + 2 * INSET; y++) {
        const uint32_t *const row = canvas_row(a, y), *const other_row = canvas_row(b, y);
        for (int x = 0; x < WIDTH + 2 * INSET; x++) {
            const uint32_t one = row[x], other = other_row[x];
            if (one == other) continue;
            int apart = abs((int)(one >> 24) - (int)(other >> 24));
            for (int i = 0; i < 24 && has_colour; i += 8)
                apart = MAX(apart, abs((int)(one >> i & 255) - (int)(other >> i & 255)));
            count += apart > 40;
        }
    }
    return count;
}

// As many as a plot may have, each with an unrolled twin; neighbours differ without colour, too.
TEST(styles_are_told_apart)
{
    struct canvas drawn[PLOT_MAX_CURVES];
    for (int i = 0; i < PLOT_MAX_CURVES; i++) drawn[i] = draw_style(i, false);
    for (int i = 0; i < PLOT_MAX_CURVES; i++)
        for (int k = 0; k < i; k++) {
            if (count_differing(&drawn[i], &drawn[k], true) < 40)
                fail_msg("styles %d and %d look alike", k, i);
            if (i - k < 5 && count_differing(&drawn[i], &drawn[k], false) < 10)
                fail_msg("styles %d and %d look alike without colour", k, i);
        }
    for (int i = 0; i < PLOT_MAX_CURVES; i++) canvas_close(&drawn[i]);
}

TEST(a_dashed_twin_has_the_same_colour)
{
    for (int i = 0; i < PLOT_MAX_CURVES; i++) {
        OWNED(canvas_close) struct canvas plain = draw_style(i, false);
        OWNED(canvas_close) struct canvas dashed = draw_style(i, true);
        const uint32_t pixel = canvas_pixel(plot_style_color(true, i));
        const int whole = canvas_count(&plain, pixel, 0, HEIGHT + 2 * INSET);
        const int parts = canvas_count(&dashed, pixel, 0, HEIGHT + 2 * INSET);
        assert_in_range(parts, whole / 3, whole - 1);
        assert_true(count_differing(&plain, &dashed, false) > 100);
    }
}

static bool is_bright(uint32_t pixel)
{
    return (pixel >> 8 & 255) > 120;
}

// The line of the present choice stops for the floor's label if neither side has room for it.
TEST(no_line_crosses_the_label_of_the_floor)
{
    struct plot_curves curves = make_curves(two_curves, 2);
    curves.has_mark = true;
    const struct plot plot = {.title = "t", .caption = "c", .curves = &curves, .is_compact = true};
    for (curves.mark_x = 1; curves.mark_x <= 64; curves.mark_x++) {
        struct plot_places p;
        OWNED(canvas_close) struct canvas surface = draw_at(plot, false, 330, 240, &p);
        const double part = (log2(curves.mark_x) - p.x_low) / (p.x_high - p.x_low);
        const int x = (int)(p.left + part * (p.right - p.left));
        const int bottom = (int)(p.bottom);
        int lines = 0, letters = 0;  // rows in which the pixel is bright; those of the label
        for (int y = bottom - 11; y < bottom - 2; y++) {
            lines += is_bright(pixel_at(&surface, x, y));
            for (int beside = x - 5; beside <= x + 5; beside++)
                letters += abs(beside - x) > 1 && is_bright(pixel_at(&surface, beside, y));
        }
        if (lines == 9 && letters) fail_msg("the line of %g crosses the label", curves.mark_x);
    }
}

// Curves may be below the copies: short launches whose arrays lie in a cache.
TEST(the_label_of_the_floor_lies_on_no_curve)
{
    for (double floor = 0.03; floor < 0.2; floor += 0.01) {
        const struct plot_point line[] = {{.x = 0, .y = floor}, {.x = 64, .y = 3 * floor}};
        struct plot_curves curves = make_curves(two_curves, 2);
        struct plot_places p;
        long letters = 0;
        curves.floor = 0;
        curves.floors = line;
        curves.floor_count = 2;
        curves.floor_label = "";
        OWNED(canvas_close)
        struct canvas bare = draw_at(compact_plot(&curves), false, 330, 240, &p);
        curves.floor_label = "device copy";
        OWNED(canvas_close)
        struct canvas full = draw_at(compact_plot(&curves), false, 330, 240, &p);
        for (int y = 0; y < 240 + 2 * INSET; y++)
            for (int x = 0; x < 330 + 2 * INSET; x++) {
                if (pixel_at(&bare, x, y) == pixel_at(&full, x, y)) continue;
                letters++;
                if (pixel_at(&bare, x, y) >> 24 > 200) fail_msg("on a curve over %g", floor);
            }
        assert_true(letters > 100);
    }
}

// A cross in place of the marker: other pixels are covered, and a wrong point is nobody's rival.
TEST(wrong_points_are_crossed)
{
    struct plot_point wrong[3];
    memcpy(wrong, fast, sizeof fast);
    wrong[1].is_wrong = true;
    const struct plot_curve list[] = {CURVE("naive", slow, 4, 0), CURVE("running", wrong, 3, 1)};
    struct plot_curves right = make_curves(two_curves, 2), crossed = make_curves(list, 2);
    const struct plot b = plot_of(&crossed);
    assert_true(difference(plot_of(&right), b) > 50);
    assert_in_box(b, WIDTH, HEIGHT);

    static const struct plot_point flat[] = {{1, 1, 0, 0, false}, {4, 1, 0, 0, false}};
    struct plot_point rising[] = {{1, 0.5, 0, 0, false}, {4, 2, 0, 0, false}};
    static const double xs[] = {1, 4};
    const struct plot_curve crossing[] = {CURVE("flat", flat, 2, 0), CURVE("rising", rising, 2, 1)};
    struct plot_curves c = make_curves(crossing, 2);
    c.xs = xs;
    c.x_count = 2;
    long rings[2];
    for (int i = 0; i < 2; i++) {
        struct plot_curves ringed = c;
        rising[1].is_wrong = i;
        ringed.has_crossings = true;
        rings[i] = difference(plot_of(&ringed), plot_of(&c));
    }
    assert_true(rings[0] > 20);
    assert_int_equal(rings[1], 0);
}

TEST(many_long_labels)
{
    struct plot_curve list[PLOT_MAX_CURVES];
    for (int i = 0; i < PLOT_MAX_CURVES; i++) {
        list[i] = (struct plot_curve){.points = slow, .count = 1 + i % 4};
        memset(list[i].label, 'W', sizeof list[i].label - 1);
        list[i].label[sizeof list[i].label - 1] = '\0';
    }
    const struct plot_curves curves = make_curves(list, PLOT_MAX_CURVES);
    const struct plot plot = {
        .title = "A",
        .caption = "long, long, long, long, long, long, long, long, long, long, long, "
                   "long, long, long, long, long, long, long",
        .curves = &curves};
    assert_in_box(plot, WIDTH, HEIGHT);
}

TEST(degenerate_curves)
{
    static const struct plot_point zero[] = {{0, 1, 1, 1, false}},
                                   flat[] = {{3, 2, 0, 0, false}, {3.5, 2, 0, 0, false}};
    static const struct plot_point wide[] = {{1, 1e-4, 0, 0, false}, {64, 1e5, 0, 0, false}};
    const struct plot_curve lists[][1] = {{CURVE("zero", zero, 1, 0)},
                                          {CURVE("flat", flat, 2, 0)},
                                          {CURVE("wide", wide, 2, 0)},
                                          {CURVE("none", zero, 0, 0)}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        for (int has_floor = 0; has_floor < 2; has_floor++) {
            struct plot_curves curves = make_curves(lists[i], 1);
            if (!has_floor) curves.floor = 0;
            assert_in_box(plot_of(&curves), WIDTH, HEIGHT);
        }
}

// How many lines of text stand left of the area.
static int count_y_labels(struct plot plot, int width, int height)
{
    struct plot_places places;
    OWNED(canvas_close) struct canvas surface = draw_at(plot, false, width, height, &places);
    int count = 0;
    bool was_text = false;
    for (int y = INSET; y < (int)(places.bottom) + 5; y++) {
        bool is_text = false;
        for (int x = INSET; x < (int)places.left - 2; x++) is_text |= pixel_at(&surface, x, y) != 0;
        count += is_text && !was_text;
        was_text = is_text;
    }
    return count;
}

// However near to each other the points are.
TEST(the_y_axis_has_labels)
{
    for (double spread = 1.001; spread < 1e4; spread = 1 + 2 * (spread - 1))
        for (double from = 0.00123; from < 2000; from *= 37) {
            const struct plot_point points[] = {{1, from, 0, 0, false},
                                                {2, from * spread, 0, 0, false}};
            const struct plot_curve curve = CURVE("naive", points, 2, 0);
            struct plot_curves curves = make_curves(&curve, 1);
            curves.floor = 0;
            const struct plot plot = compact_plot(&curves);
            const int count = count_y_labels(plot, 400, 200);
            if (count < 2) fail_msg("%d labels from %g to %g", count, from, from * spread);
            assert_in_box(plot, 400, 200);
        }
}

// Its short form where there is little room, and never over the axis.
TEST(the_label_of_a_roof_stays_over_it)
{
    static const struct plot_point slope[] = {{1, 4023, 0, 0, false}, {8, 503, 0, 0, false}};
    for (int width = 200; width <= 800; width += 60) {
        struct plot_places places;
        struct plot_curves curves = make_curves(two_curves, 2);
        curves.floor = 4023;
        curves.floors = slope;
        curves.floor_count = 2;
        curves.floor_label = "";
        const struct plot plot = compact_plot(&curves);
        OWNED(canvas_close) struct canvas bare = draw_at(plot, false, width, 300, &places);
        curves.floor_label = "device copy 4023 GB/s; sloping: if no cache helped";
        curves.floor_short = "device copy 4023 GB/s";
        OWNED(canvas_close) struct canvas labelled = draw_at(plot, false, width, 300, &places);
        long changed = 0;
        for (int y = 0; y < 300 + 2 * INSET; y++)
            for (int x = 0; x < width + 2 * INSET; x++) {
                if (pixel_at(&bare, x, y) == pixel_at(&labelled, x, y)) continue;
                changed++;
                assert_true(x > places.left && x < places.right);
            }
        if (width > 400) assert_true(changed > 100);
    }
}

// ---- heat maps ----

static const int widths[] = {8, 32, 128}, heights[] = {1, 8};
static const struct plot_cell cells[] = {{0.9}, {0.7}, {0.8}, {0.6}, {0.4}, {PLOT_REFUSED}};

static struct plot_heat make_heat(const struct plot_cell *values)
{
    return (struct plot_heat){"shared", widths, heights, 3, 2, values};
}

// Pixels of the outline's colour, and the middle of them.
static long find_outline(const struct canvas *surface, double *x, double *y)
{
    long count = 0;
    *x = *y = 0;
    for (int row = 0; row < HEIGHT - 50 + 2 * INSET; row++)  // above the key
        for (int column = 0; column < WIDTH + 2 * INSET; column++) {
            const uint32_t pixel = pixel_at(surface, column, row);
            const int red = pixel >> 16 & 255, blue = pixel & 255;
            if ((pixel >> 24) < 255 || red < 200 || blue > 20) continue;
            count++;
            *x += column;
            *y += row;
        }
    *x /= (double)MAX(count, 1);
    *y /= (double)MAX(count, 1);
    return count;
}

TEST(the_best_cell_is_outlined)
{
    for (int best = 0; best < 6; best++) {
        struct plot_cell values[6] = {{1}, {1.1}, {1.2}, {1.3}, {1.4}, {1.5}};
        double x, y;
        values[best].ms = 0.5;
        const struct plot_heat heat = make_heat(values);
        OWNED(canvas_close) struct canvas surface = draw(map_of(&heat), true, WIDTH, HEIGHT);
        assert_true(find_outline(&surface, &x, &y) > 100);
        assert_int_equal((int)((x - INSET - 36) / ((WIDTH - 42) / 3.0)), best % 3);
        assert_int_equal(y < INSET + 56 + (HEIGHT - 56) / 2.0 ? 1 : 0, best / 3);
    }
}

TEST(refused_cells_are_hatched)
{
    struct plot_cell measured[6], unknown[6];
    memcpy(measured, cells, sizeof cells);
    memcpy(unknown, cells, sizeof cells);
    measured[5].ms = 0.9;
    unknown[5].ms = PLOT_UNKNOWN;
    const struct plot_heat heats[] = {make_heat(cells), make_heat(measured), make_heat(unknown)};
    const struct plot plots[] = {map_of(&heats[0]), map_of(&heats[1]), map_of(&heats[2])};
    assert_true(difference(plots[0], plots[1]) > 2000);
    assert_true(difference(plots[0], plots[2]) > 500);
    assert_true(difference(plots[1], plots[2]) > 2000);
}

TEST(wrong_cells_are_crossed_and_never_the_best)
{
    struct plot_cell wrong[6], all[6];
    memcpy(wrong, cells, sizeof cells);
    memcpy(all, cells, sizeof cells);
    wrong[4].is_wrong = true;
    for (int i = 0; i < 6; i++) all[i].is_wrong = true;
    const struct plot_heat right = make_heat(cells), crossed = make_heat(wrong),
                           hopeless = make_heat(all);
    assert_int_equal(plot_best_cell(&right), 4);
    assert_int_equal(plot_best_cell(&crossed), 3);
    assert_int_equal(plot_best_cell(&hopeless), -1);
    const struct plot b = map_of(&crossed);
    const struct plot c = map_of(&hopeless);
    assert_true(difference(map_of(&right), b) > 2000);
    assert_true(difference(b, c) > 2000);
    assert_in_box(b, WIDTH, HEIGHT);
    assert_in_box(c, WIDTH, HEIGHT);
}

TEST(alike_cells_are_marked_as_the_best)
{
    struct plot_cell some[6], wrong[6];
    char text[96];
    memcpy(some, cells, sizeof cells);
    some[3].is_alike = true;
    memcpy(wrong, some, sizeof some);
    wrong[3].is_wrong = true;
    const struct plot_heat alone = make_heat(cells), alike = make_heat(some),
                           crossed = make_heat(wrong);
    plot_write_best(&alone, 4, text, sizeof text);
    assert_int_equal(strncmp(text, "best 0", 6), 0);
    plot_write_best(&alike, 4, text, sizeof text);
    assert_int_equal(strncmp(text, "lowest 0", 8), 0);
    assert_string_equal(strrchr(text, ','), ", 1 more not clearly slower");
    plot_write_best(&crossed, 4, text, sizeof text);
    assert_int_equal(strncmp(text, "best 0", 6), 0);
    assert_int_equal(plot_best_cell(&alike), 4);
    const struct plot a = map_of(&alone);
    const struct plot b = map_of(&alike);
    assert_true(difference(a, b) > 100);
    assert_int_not_equal(plot_hash(&a), plot_hash(&b));
}

enum { ONLY_WIDTH = 240, ONLY_HEIGHT = 200 };

// Around the middle of the only cell, away from its edges.
static const int only_left = INSET + 70, only_right = INSET + 220;
static const int only_top = INSET + 40, only_bottom = INSET + 140;

static struct canvas draw_only_cell(double ms, bool is_wrong, bool is_pending)
{
    static const int side[] = {8};
    const struct plot_cell cell = {.ms = ms, .is_pending = is_pending, .is_wrong = is_wrong};
    const struct plot_heat heat = {
        .widths = side, .heights = side, .columns = 1, .rows = 1, .cells = &cell};
    return draw(compact_map(&heat), false, ONLY_WIDTH, ONLY_HEIGHT);
}

static bool is_ink(uint32_t pixel)
{
    return (pixel >> 24) > 200 && (pixel & 255) > 220;
}

TEST(figures_of_cells)
{
    static const struct {
        double ms;
        const char *three, *two;
    } rows[] = {{4.123, "4.12", "4.1"},        {0.0581, "0.0581", ".058"}, {0.4, "0.400", ".40"},
                {0.00412, "0.00412", ".0041"}, {0.0996, "0.0996", ".10"},  {9.94, "9.94", "9.9"},
                {9.96, "9.96", "10"},          {12.3, "12.3", "12"},       {99.4, "99.4", "99"},
                {99.6, "99.6", "99.6"},        {1234, "1234", "1234"}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char text[32];
        plot_write_figure(text, sizeof text, rows[i].ms, false);
        assert_string_equal(text, rows[i].three);
        plot_write_figure(text, sizeof text, rows[i].ms, true);
        assert_string_equal(text, rows[i].two);
    }
}

// The figures of a panel at 1920×1080, and of narrower ones, below 0.01 ms: three digits where they
// can be read, else two, else none.
TEST(figures_fit_their_cells)
{
    static const int across[] = {4, 8, 16}, up[] = {1};
    const struct plot_cell values[] = {{0.00412}, {0.00999}, {0.0123}};
    const struct plot_heat heat = {"", across, up, 3, 1, values};
    OWNED(canvas_close) struct canvas c = canvas_open(1, 1, 14, false);
    bool is_short = false, is_none = false;
    for (double width = 80; width >= 4; width--) {
        const struct plot_figures figures =
            plot_choose_figures(&c.paint, &heat, (struct paint_box){0, 0, width, 30});
        if (width == 80) assert_true(figures.size == 14 && !figures.is_short);
        if (is_none) assert_true(figures.size == 0);
        if (is_short && figures.size > 0) assert_true(figures.is_short);
        is_short |= figures.is_short;
        is_none |= figures.size == 0;
        for (int i = 0; i < 3 && figures.size > 0; i++) {
            char text[32];
            plot_write_figure(text, sizeof text, values[i].ms, figures.is_short);
            assert_true(paint_measure(&c.paint, text, figures.size, PAINT_NORMAL) <= width);
        }
    }
    assert_true(is_short && is_none);
}

// In the low cells of a window of large text, figures are as high as the cells let them be.
TEST(figures_of_low_cells_are_large)
{
    static const int across[] = {4}, up[] = {1};
    const struct plot_cell short_one = {0.197}, long_one = {0.0342};
    const struct plot_heat three = {"", across, up, 1, 1, &short_one};
    const struct plot_heat four = {"", across, up, 1, 1, &long_one};
    OWNED(canvas_close) struct canvas c = canvas_open(1, 1, 22, false);
    const struct paint_box cell = {0, 0, 57, 22};
    assert_true(plot_choose_figures(&c.paint, &three, cell).size > 17);
    assert_false(plot_choose_figures(&c.paint, &four, cell).is_short);
}

// The key's colours are steps, of which none is exactly that of a cell.
static bool is_alike(uint32_t a, uint32_t b)
{
    for (int shift = 0; shift < 32; shift += 8)
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > 6) return false;
    return true;
}

static bool is_in_key(const struct canvas *surface, uint32_t color)
{
    for (int y = HEIGHT - 20; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (is_alike(pixel_at(surface, INSET + x, INSET + y), color)) return true;
    return false;
}

// A corner of the cell in the middle, where no figure is.
static uint32_t fill_of_middle(const struct canvas *surface, const struct plot_places *places)
{
    const double width = places->right - places->left;
    return pixel_at(surface, (int)(places->left + width / 3 + 8), (int)(places->top + 8));
}

// Times that are ten times as long have the same colours and other figures.
TEST(the_key_has_the_range_and_the_colours)
{
    struct plot_cell values[2][6] = {{{0}}};
    struct canvas surfaces[2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 6; k++) values[i][k].ms = (i ? 10 : 1) * (0.2 + 0.1 * ((k + 1) % 5));
        values[i][4].ms = i ? 1 : 0.1;
        const struct plot_heat heat = make_heat(values[i]);
        struct plot_places places;
        surfaces[i] = draw_at(compact_map(&heat), false, WIDTH, HEIGHT, &places);
        assert_true(is_in_key(&surfaces[i], fill_of_middle(&surfaces[i], &places)));
    }
    assert_true(canvas_difference(&surfaces[0], &surfaces[1], INSET + HEIGHT - 20) > 20);
    for (int i = 0; i < 2; i++) canvas_close(&surfaces[i]);
}

// In narrow cells too: what another figure changes lies in its own cell.
TEST(figures_stay_in_their_cells)
{
    static const int across[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024}, up[] = {1, 2, 4};
    for (int width = 220; width <= 700; width += 80)
        for (int cell = 0; cell < 27; cell += 4) {
            struct plot_cell values[27] = {{0}};
            for (int i = 0; i < 27; i++) values[i].ms = 0.00412 + 0.0001 * i;
            struct plot_heat heat = {"shared", across, up, 9, 3, values};
            const struct plot plot = {
                .title = "t", .caption = "c", .heats = &heat, .heat_count = 1, .is_compact = true};
            struct plot_places p;
            // Not the slowest or the fastest, on which the colours of all depend.
            values[(cell + 3) % 27].ms = 0.001, values[(cell + 5) % 27].ms = 0.00999;
            OWNED(canvas_close) struct canvas before = draw_at(plot, false, width, 300, &p);
            values[cell].ms = 0.00578;
            OWNED(canvas_close) struct canvas after = draw_at(plot, false, width, 300, &p);
            for (int y = 0; y < 300 + 2 * INSET; y++)
                for (int x = 0; x < width + 2 * INSET; x++)
                    if (pixel_at(&before, x, y) != pixel_at(&after, x, y) &&
                        plot_find_cell(&p, x + 0.5, y + 0.5) != cell)
                        fail_msg("%d pixels wide: cell %d leaves its place", width, cell);
        }
}

// Nothing of the cross is drawn in the box around the figure's glyphs.
TEST(a_cross_leaves_the_figure_free)
{
    OWNED(canvas_close) struct canvas wrong = draw_only_cell(0.444, true, false);
    OWNED(canvas_close) struct canvas bare = draw_only_cell(PLOT_UNKNOWN, true, false);
    int left = 1 << 20, right = 0, top = 1 << 20, bottom = 0;
    long crossed = 0, arms = 0;
    for (int y = only_top; y < only_bottom; y++)
        for (int x = only_left; x < only_right; x++) {
            arms += pixel_at(&bare, x, y) != 0;
            if (!is_ink(pixel_at(&wrong, x, y))) continue;
            left = MIN(left, x), right = MAX(right, x), top = MIN(top, y), bottom = MAX(bottom, y);
        }
    assert_true(right - left > 15 && bottom - top > 5);
    assert_true(arms > 100);
    // Where the glyphs leave gaps, the arms of the cell without a figure would show.
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++)
            crossed += pixel_at(&wrong, x, y) && pixel_at(&wrong, x, y) == pixel_at(&bare, x, y);
    assert_int_equal(crossed, 0);
}

// A figure that may change is grey, whatever its result is worth.
TEST(a_wrong_and_pending_cell_is_pale)
{
    long strong[2] = {0};
    for (int is_pending = 0; is_pending < 2; is_pending++) {
        OWNED(canvas_close) struct canvas surface = draw_only_cell(0.444, true, is_pending);
        for (int y = only_top; y < only_bottom; y++)
            for (int x = only_left; x < only_right; x++)
                strong[is_pending] += is_ink(pixel_at(&surface, x, y));
    }
    assert_true(strong[0] > 0);  // how many depends on the machine's font
    assert_int_equal(strong[1], 0);
}

// In a panel of a small window. Its last letter is seen.
TEST(a_long_note_is_whole)
{
    enum { PANEL_WIDTH = 410, PANEL_HEIGHT = 330 };
    static const char *const notes[] = {
        "needs 266240 B of shared memory per block, the device allows 232448 B",
        "vector needs a block width that is a multiple of 32, not 4",
        "about 3.21 s a launch: too slow here"};
    for (size_t i = 0; i < G_N_ELEMENTS(notes); i++) {
        g_autofree char *other = g_strdup(notes[i]);
        other[strlen(other) - 1] = '_';
        struct plot_marks marks[] = {{.note = notes[i]}, {.note = other}};
        struct canvas drawn[2];
        for (int k = 0; k < 2; k++) {
            struct plot_heat heat = make_heat(cells);
            heat.marks = &marks[k];
            const struct plot plot = compact_map(&heat);
            assert_in_box(plot, PANEL_WIDTH, PANEL_HEIGHT);
            drawn[k] = draw(plot, true, PANEL_WIDTH, PANEL_HEIGHT);
        }
        if (!canvas_difference(&drawn[0], &drawn[1], 0)) fail_msg("'%s' is cut", notes[i]);
        canvas_close(&drawn[0]);
        canvas_close(&drawn[1]);
    }
}

TEST(heat_maps_stay_in_their_box)
{
    static const struct plot_cell nothing[6] = {{0}}, same[6] = {{2}, {2}, {2}, {2}, {2}, {2}};
    static const struct plot_cell refused[6] = {{-1}, {-1}, {-1}, {-1}, {-1}, {-1}};
    const struct plot_cell *const contents[] = {cells, nothing, refused, same};
    struct plot_heat heats[PLOT_MAX_HEATS];
    for (int i = 0; i < PLOT_MAX_HEATS; i++) heats[i] = make_heat(contents[i % 4]);
    for (int count = 0; count <= PLOT_MAX_HEATS; count++) {
        const struct plot plot = {
            .title = "t", .caption = "c", .heats = heats, .heat_count = count};
        if (count) assert_in_box(plot, 900, 600);
        struct canvas c = draw(plot, true, 900, 600);
        canvas_close(&c);
    }
    for (int i = 0; i < 4; i++) {
        assert_in_box(map_of(&heats[i]), WIDTH, HEIGHT);
    }
}

// ---- files ----

TEST(files)
{
    static const struct {
        const char *name, *start, *end;
    } kinds[] = {{"a.svg", "<?xml", "</svg>\n"},
                 {"a.pdf", "%PDF-1.", "%%EOF\n"},
                 {"a.png", "\x89PNG\r\n", "IEND\xae\x42\x60\x82"}};
    g_autofree char *folder = g_dir_make_tmp("tilescope-plot-XXXXXX", NULL);
    assert_non_null(folder);
    const struct plot_curves curves = make_curves(two_curves, 2);
    const struct plot plot = {
        .title = "Mean & <more>", .caption = "größer 模糊", .curves = &curves};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *path = g_build_filename(folder, kinds[i].name, NULL), *data = NULL;
        gsize size;
        assert_true(g_file_set_contents(path, "old", -1, NULL));
        must(plot_save(&plot, path, &err));
        assert_true(g_file_get_contents(path, &data, &size, NULL));
        assert_true(size > 5000);
        assert_memory_equal(data, kinds[i].start, strlen(kinds[i].start));
        assert_memory_equal(data + size - strlen(kinds[i].end), kinds[i].end, strlen(kinds[i].end));
        assert_int_equal(g_unlink(path), 0);
    }
    assert_int_equal(g_rmdir(folder), 0);  // nothing else was left in it
}

TEST(files_that_cannot_be)
{
    const struct plot_curves curves = make_curves(two_curves, 2);
    const struct plot plot = plot_of(&curves);
    static const char *const good[] = {"a.svg", "b.pdf", "folder/c.png", "d.x.svg", "é.png"};
    static const char *const bad[] = {"", "svg", "a.jpg", "a.svg ", "a", "a.png/", "a.PNGx"};
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) assert_true(plot_check_path(good[i], NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) assert_false(plot_check_path(bad[i], NULL));
    assert_false(plot_save(&plot, "/no/such/folder/a.svg", &err));
    assert_non_null(strstr(err.text, "cannot write '/no/such/folder/a.svg': "));
    assert_false(plot_save(&plot, "a.gif", &err));
    assert_string_equal(err.text, "cannot plot to 'a.gif': it ends in none of .svg .pdf .png");
    assert_false(g_file_test("a.gif", G_FILE_TEST_EXISTS));

    g_autofree char *folder = g_dir_make_tmp("tilescope-plot-XXXXXX", NULL);
    g_autofree char *pipe = g_build_filename(folder, "pipe.svg", NULL);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_false(plot_save(&plot, pipe, &err));
    assert_non_null(strstr(err.text, "/pipe.svg': it is not a regular file"));
    assert_int_equal(g_unlink(pipe), 0);
    assert_int_equal(g_rmdir(folder), 0);
}
