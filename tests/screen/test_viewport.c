// test_viewport -- fit, zoom and pan over windows and pictures of awkward sizes.
#include "unit.h"

#include <math.h>

#include "screen/viewport.h"

static const struct viewport_sizes sizes[] = {{1, 1, 1, 1, 0, 0, 0, 0},
                                              {1, 1, 4000, 3000, 0, 0, 0, 0},
                                              {1920, 1080, 1, 1, 0, 0, 0, 0},
                                              {1920, 1080, 32768, 1, 0, 0, 0, 0},
                                              {1920, 1080, 1, 32768, 0, 0, 0, 0},
                                              {1, 1, 32768, 1, 0, 0, 0, 0},
                                              {1920, 1080, 1920, 1080, 0, 0, 0, 0},
                                              {1280, 720, 1920, 1080, 0, 0, 0, 0},
                                              {641, 479, 1920, 1080, 0, 0, 0, 0},
                                              {1920, 1080, 641, 479, 0, 0, 0, 0},
                                              {3840, 2160, 17, 31, 0, 0, 0, 0},
                                              {7, 1000, 331, 337, 0, 0, 0, 0},
                                              {1919, 1079, 1920, 1080, 0, 0, 0, 0}};

static const struct viewport_sizes *const end_of_sizes = sizes + sizeof sizes / sizeof *sizes;

static const double epsilon = 1e-6;

// Window pixels that one pixel of the picture takes; a side of less than 1 is drawn as 1.
static double pixel_size(struct viewport viewport, struct viewport_sizes s)
{
    const struct paint_box place = viewport_place(viewport, s);
    return fmin(place.width / s.picture_width, place.height / s.picture_height);
}

static void expect_near(double value, double expected)
{
    if (fabs(value - expected) > epsilon) fail_msg("%.9g instead of %.9g", value, expected);
}

// A walk of zooms and pans that pushes against every limit.
static struct viewport walk(struct viewport viewport, struct viewport_sizes s, int step)
{
    static const struct {
        double factor, dx, dy;
    } moves[] = {{1.25, 30, -7}, {2, -1e5, 3},      {1, 1e7, -1e7},
                 {7, 0.5, 0.25}, {0.3, -13, 1e6},   {1e9, -1e9, -1e9},
                 {0.9, 11, 17},  {1e-3, -1e7, 1e7}, {3, -77, 5}};
    const int i = step % (int)(sizeof moves / sizeof *moves);
    viewport =
        viewport_zoom(viewport, s, moves[i].factor, s.window_width * 0.3, s.window_height * 0.9);
    return viewport_pan(viewport, s, moves[i].dx, moves[i].dy);
}

// ---- place ----

TEST(a_zeroed_lens_fits)
{
    for (const struct viewport_sizes *s = sizes; s < end_of_sizes; s++) {
        const struct paint_box p = viewport_place((struct viewport){0}, *s);
        const double across = (double)s->window_width / s->picture_width;
        const double down = (double)s->window_height / s->picture_height;
        const double size = fmin(across, down);
        expect_near(p.width, fmax(1, size * s->picture_width));
        expect_near(p.height, fmax(1, size * s->picture_height));
        expect_near(pixel_size((struct viewport){0}, *s), size);
        assert_true(fabs(p.left + p.width / 2 - s->window_width / 2.0) <= 0.5 + epsilon);
        assert_true(fabs(p.top + p.height / 2 - s->window_height / 2.0) <= 0.5 + epsilon);
        const struct paint_box one = viewport_place((struct viewport){.zoom = 1}, *s);
        assert_memory_equal(&one, &p, sizeof p);
    }
}

static void expect_side_within(double start, double length, int window)
{
    assert_true(length >= 1);
    assert_true(start == floor(start));
    if (length > window) {  // the first and the last window pixel show the picture
        assert_true(start < 0.5 + epsilon);
        assert_true(start + length > window - 0.5 - epsilon);
    } else {  // in the middle
        assert_true(fabs(start + length / 2 - window / 2.0) <= 0.5 + epsilon);
    }
}

TEST(the_picture_never_leaves_the_window)
{
    for (const struct viewport_sizes *s = sizes; s < end_of_sizes; s++) {
        struct viewport viewport = {0};
        for (int step = 0; step < 200; step++) {
            viewport = walk(viewport, *s, step);
            const struct paint_box p = viewport_place(viewport, *s);
            expect_side_within(p.left, p.width, s->window_width);
            expect_side_within(p.top, p.height, s->window_height);
        }
    }
}

TEST(a_lens_of_another_window_is_brought_within_the_limits)
{
    for (const struct viewport_sizes *from = sizes; from < end_of_sizes; from++) {
        struct viewport viewport = {0};
        for (int step = 0; step < 6; step++) viewport = walk(viewport, *from, step);
        for (const struct viewport_sizes *s = sizes; s < end_of_sizes; s++) {
            const struct paint_box p = viewport_place(viewport, *s);
            expect_side_within(p.left, p.width, s->window_width);
            expect_side_within(p.top, p.height, s->window_height);
        }
    }
    const struct viewport wild = {1e300, -1e300, 1e300};
    const struct paint_box p = viewport_place(wild, sizes[7]);
    expect_side_within(p.left, p.width, 1280);
    expect_side_within(p.top, p.height, 720);
}

// ---- zoom ----

TEST(what_lies_under_the_point_stays_there)
{
    const struct viewport_sizes s = {1280, 720, 1920, 1080, 0, 0, 0, 0};
    const double points[][2] = {{640, 360}, {200.5, 500.25}, {1000, 100}, {639.5, 1}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct viewport viewport = viewport_zoom((struct viewport){0}, s, 4, 640, 360);
        struct paint_box p = viewport_place(viewport, s);
        const double x = (points[i][0] - p.left) / p.width, y = (points[i][1] - p.top) / p.height;
        for (int step = 0; step < 12; step++) {  // there and back: errors do not add up
            viewport =
                viewport_zoom(viewport, s, step < 6 ? 1.7 : 1 / 1.7, points[i][0], points[i][1]);
            p = viewport_place(viewport, s);
            assert_true(fabs(p.left + x * p.width - points[i][0]) <= 1 + epsilon);
            assert_true(fabs(p.top + y * p.height - points[i][1]) <= 1 + epsilon);
        }
        expect_near(viewport.zoom, 4);
    }
}

TEST(a_pixel_grows_to_the_limit_and_no_further)
{
    for (const struct viewport_sizes *s = sizes; s < end_of_sizes; s++) {
        const double fitted = pixel_size((struct viewport){0}, *s);
        const struct viewport far = viewport_zoom((struct viewport){0}, *s, 1e12, 0, 0);
        expect_near(pixel_size(far, *s), fmax(fitted, VIEWPORT_LARGEST_PIXEL));
        const struct viewport back = viewport_zoom(far, *s, 1e-12, 5, 5);
        const struct paint_box p = viewport_place(back, *s),
                               q = viewport_place((struct viewport){0}, *s);
        assert_true(back.zoom == 1);
        expect_near(p.left, q.left);
        expect_near(p.top, q.top);
    }
}

// ---- pan ----

TEST(panning_moves_by_window_pixels)
{
    const struct viewport_sizes s = {1281, 719, 1920, 1080, 0, 0, 0, 0};
    struct viewport viewport = viewport_zoom((struct viewport){0}, s, 5.3, 333, 222);
    const struct paint_box before = viewport_place(viewport, s);
    for (int i = 0; i < 10; i++) viewport = viewport_pan(viewport, s, -3, 2);
    const struct paint_box after = viewport_place(viewport, s);
    expect_near(after.left - before.left, -30);
    expect_near(after.top - before.top, 20);
    expect_near(after.width, before.width);
}

TEST(panning_ends_at_the_edge_and_turns_back_at_once)
{
    const struct viewport_sizes s = {1280, 720, 1920, 1080, 0, 0, 0, 0};
    struct viewport viewport = viewport_zoom((struct viewport){0}, s, 3, 640, 360);
    viewport = viewport_pan(viewport, s, 1e6, 1e6);
    assert_true(viewport_place(viewport, s).left == 0 && viewport_place(viewport, s).top == 0);
    viewport = viewport_pan(viewport, s, -10, -20);
    assert_true(viewport_place(viewport, s).left == -10 && viewport_place(viewport, s).top == -20);
}

// ---- pixels ----

// A picture's pixel can be hit at the window's pixel that contains its middle.
TEST(the_pixel_at_a_place_is_the_one_drawn_there)
{
    for (const struct viewport_sizes *s = sizes; s < end_of_sizes; s++) {
        struct viewport viewport = {0};
        for (int step = 0; step < 30; step++) {
            viewport = walk(viewport, *s, step);
            const struct paint_box p = viewport_place(viewport, *s);
            for (int i = 0; i < 7; i++) {
                const int x = (int)((s->picture_width - 1) * (i / 6.0));
                const int y = (int)((s->picture_height - 1) * (i / 6.0));
                int px = -1, py = -1;
                assert_true(
                    viewport_pixel_at(viewport, *s, p.left + (x + 0.5) * p.width / s->picture_width,
                                      p.top + (y + 0.5) * p.height / s->picture_height, &px, &py));
                assert_int_equal(px, x);
                assert_int_equal(py, y);
            }
        }
    }
}

TEST(outside_of_the_picture_there_is_no_pixel)
{
    const struct viewport_sizes s = {100, 100, 100, 50, 0, 0, 0, 0};  // rows 25 ... 75
    int px = -7, py = -7;
    assert_false(viewport_pixel_at((struct viewport){0}, s, 50, 24.99, &px, &py));
    assert_false(viewport_pixel_at((struct viewport){0}, s, 50, 75, &px, &py));
    assert_false(viewport_pixel_at((struct viewport){0}, s, -0.01, 50, &px, &py));
    assert_false(viewport_pixel_at((struct viewport){0}, s, 100, 50, &px, &py));
    assert_false(viewport_pixel_at((struct viewport){0}, s, NAN, 50, &px, &py));
    assert_true(px == -7 && py == -7);
    assert_true(viewport_pixel_at((struct viewport){0}, s, 0, 25, &px, &py));
    assert_true(px == 0 && py == 0);
    assert_true(viewport_pixel_at((struct viewport){0}, s, 99.99, 74.99, &px, &py));
    assert_true(px == 99 && py == 49);
}

// Bands only move what a window without them, as high as the area between, would show.
TEST(covered_edges_make_the_window_smaller)
{
    enum { TOP = 37, BOTTOM = 21, LEFT = 5, RIGHT = 480 };
    for (const struct viewport_sizes *s = sizes; s < end_of_sizes; s++) {
        struct viewport_sizes covered = *s;
        struct viewport a = {0}, b = {0};
        covered.top = TOP;
        covered.bottom = BOTTOM;
        covered.left = LEFT;
        covered.right = RIGHT;
        covered.window_width += LEFT + RIGHT;
        covered.window_height += TOP + BOTTOM;
        for (int step = 0; step < 20; step++) {
            const double x = s->window_width * 0.3137, y = s->window_height * 0.9071;
            const double factor = step % 3 ? 1.7 : 0.6;
            int px = -1, py = -1, qx = -1, qy = -1;
            a = viewport_pan(viewport_zoom(a, *s, factor, x, y), *s, 11, -7);
            b = viewport_pan(viewport_zoom(b, covered, factor, x + LEFT, y + TOP), covered, 11, -7);
            const struct paint_box p = viewport_place(a, *s), q = viewport_place(b, covered);
            expect_near(q.left, p.left + LEFT);
            expect_near(q.top, p.top + TOP);
            expect_near(q.width, p.width);
            expect_near(q.height, p.height);
            assert_int_equal(viewport_pixel_at(a, *s, x, y, &px, &py),
                             viewport_pixel_at(b, covered, x + LEFT, y + TOP, &qx, &qy));
            assert_true(px == qx && py == qy);
        }
    }
}

// Bands that leave no row to the picture, as in a very low window.
TEST(a_window_of_bands_still_has_a_place)
{
    const struct viewport_sizes s = {64, 20, 640, 480, 15, 5, 0, 0};
    const struct paint_box p = viewport_place((struct viewport){0}, s);
    assert_true(p.width >= 1 && p.height >= 1 && p.top >= 0 && p.top < 20);
}
