// test_display -- what a scene looks like, read back from the window pixel by pixel. 77: no
// display.
//
// The window is SIDE x SIDE, and pictures are put into it at whole sizes, so that every expectation
// is exact.
#include "unit.h"

#include <GL/glew.h>
#include <math.h>
#include <stdio.h>

#include "draw/digits.h"
#include "gl/display.h"
#include "gl/window.h"
#include "draw/contrast.h"
#include "folder.h"

enum { SIDE = 640 };

static struct window *window;
static struct display *display;
static const unsigned char clear_pixel[4];
static const struct overlay_pixels no_overlay = {
    .pixels = clear_pixel, .width = 1, .height = 1, .stride = 4};

static void on_key(void *user, const char *key) {}

static void on_event(void *user) {}

// ---- pictures ----

static GPtrArray *kept;  // pixels of all images of a test

static struct image make_image(int width, int height, int planes)
{
    struct image image = {0};
    must(image_init(&image, width, height, planes, &err));
    g_ptr_array_add(kept, image.planes.pixels);
    return image;
}

static struct image make_noise(int width, int height, int planes, unsigned seed)
{
    struct image image = make_image(width, height, planes);
    image_fill_noise(image.planes, seed);
    return image;
}

static struct image make_flat(int width, int height, int planes, int value)
{
    struct image image = make_image(width, height, planes);
    for (int plane = 0; plane < planes; plane++)
        for (int y = 0; y < height; y++)
            memset(planes_row(image.planes, plane, y), value, (size_t)width);
    return image;
}

static void load(int layer, struct image image)
{
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, display_buffer(display, layer));
    glBufferSubData(GL_PIXEL_UNPACK_BUFFER, 0, (GLsizeiptr)planes_bytes(image.planes),
                    image.planes.pixels);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    display_show(display, layer);
}

static void set_shape(struct image like, int layers)
{
    must(display_set_shape(display, planes_at(like.planes, NULL), layers, &err));
}

static void load_one(struct image image)
{
    set_shape(image, 1);
    load(0, image);
}

static void load_two(struct image a, struct image b)
{
    set_shape(a, 2);
    load(0, a);
    load(1, b);
}

// ---- looking ----

static struct paint_box place_at(double left, double top, double pixel)
{
    const struct planes shape = display_shape(display);
    return (struct paint_box){left, top, pixel * shape.width, pixel * shape.height};
}

static struct image capture(int width, int height)
{
    struct image shot = {0};
    must(display_capture(display, &shot, width, height, &err));
    g_ptr_array_add(kept, shot.planes.pixels);
    return shot;
}

static struct image look_at_size(struct display_scene scene, int width, int height)
{
    window_poll(window);
    display_draw(display, &scene, no_overlay, true, width, height);
    return capture(width, height);
}

static struct image look(struct display_scene scene)
{
    return look_at_size(scene, SIDE, SIDE);
}

// A colour, or a grey written three times.
static unsigned at(struct image image, int x, int y)
{
    const int last = image.planes.count - 1;
    return (unsigned)planes_row(image.planes, 0, y)[x] << 16 |
           (unsigned)planes_row(image.planes, MIN(1, last), y)[x] << 8 |
           planes_row(image.planes, MIN(2, last), y)[x];
}

static void expect_colour(struct image shot, int x, int y, unsigned colour)
{
    if (at(shot, x, y) != colour)
        fail_msg("(%d, %d) is %06x instead of %06x", x, y, at(shot, x, y), colour);
}

// The picture in whole pixels from (left, top), black around it.
static void expect_picture(struct image shot, struct image image, int left, int top, int pixel)
{
    for (int y = 0; y < shot.planes.height; y++)
        for (int x = 0; x < shot.planes.width; x++) {
            const int px = (int)floor((x - left) / (double)pixel);
            const int py = (int)floor((y - top) / (double)pixel);
            const bool is_inside =
                px >= 0 && py >= 0 && px < image.planes.width && py < image.planes.height;
            expect_colour(shot, x, y, is_inside ? at(image, px, py) : 0);
        }
}

static long count_differences(struct image a, struct image b)
{
    long count = 0;
    for (int y = 0; y < a.planes.height; y++)
        for (int x = 0; x < a.planes.width; x++) count += at(a, x, y) != at(b, x, y);
    return count;
}

static int no_gl_error(void **state)
{
    g_ptr_array_set_size(kept, 0);
    return glGetError() == GL_NO_ERROR ? 0 : -1;
}

// ---- one picture ----

#define ON_DISPLAY(name) TEST_WITH(name, NULL, no_gl_error)

ON_DISPLAY(a_picture_is_shown_exactly)
{
    static const struct {
        int width, height, planes, left, top, pixel;
    } cases[] = {{SIDE, SIDE, 3, 0, 0, 1},  {SIDE, SIDE, 1, 0, 0, 1},  {331, 337, 3, 154, 151, 1},
                 {1, 1, 1, 300, 17, 9},     {1, 1, 3, 639, 639, 1},    {213, 97, 1, 0, 174, 3},
                 {31, 29, 3, -101, 55, 17}, {7, 5, 1, -700, -333, 192}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct image image = make_noise(cases[i].width, cases[i].height, cases[i].planes, 7);
        load_one(image);
        struct image shot = look(
            (struct display_scene){.place = place_at(cases[i].left, cases[i].top, cases[i].pixel)});
        expect_picture(shot, image, cases[i].left, cases[i].top, cases[i].pixel);
    }
}

// The values of each layer in its own colours; their difference is grey.
ON_DISPLAY(values_are_shown_in_the_colours_of_a_map)
{
    const struct color_map_table ramp = color_map_table(COLOR_MAP_RAMP);
    struct image a = make_noise(64, 64, 1, 3), b = make_flat(64, 64, 1, 77);
    load_two(a, b);
    struct display_scene scene = {.place = place_at(0, 0, 1),
                                  .mode = DISPLAY_SPLIT,
                                  .divider = 32,
                                  .maps = {COLOR_MAP_RAMP, COLOR_MAP_GREY}};
    struct image shot = look(scene);
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 30; x++) {
            const unsigned char *c = ramp.colors[planes_row(a.planes, 0, y)[x]];
            expect_colour(shot, x, y, (unsigned)(c[0] << 16 | c[1] << 8 | c[2]));
        }
    expect_colour(shot, 50, 7, 0x4d4d4d);
    scene.mode = DISPLAY_DIFFERENCE;
    shot = look(scene);
    for (int x = 0; x < 64; x++)
        expect_colour(shot, x, 9, 0x10101u * (unsigned)abs(planes_row(a.planes, 0, 9)[x] - 77));
}

// Counts are shown in place of one side's picture, the largest of those under a window pixel, and
// no value is printed in them. A difference is of the pictures.
ON_DISPLAY(counts_are_shown_in_place_of_a_picture)
{
    const struct color_map_table ramp = color_map_table(COLOR_MAP_RAMP);
    const unsigned char *low = ramp.colors[0], *high = ramp.colors[200];
    const unsigned int none = (unsigned)(low[0] << 16 | low[1] << 8 | low[2]);
    const unsigned int most = (unsigned)(high[0] << 16 | high[1] << 8 | high[2]);
    static unsigned char counts[64 * 64];
    struct image a = make_flat(64, 64, 1, 10), b = make_flat(64, 64, 1, 77);
    counts[64 * 9 + 5] = 200;
    load_two(a, b);
    assert_false(display_has_counts(display, 0) || display_has_counts(display, 7));
    display_set_counts(display, 0, counts);
    assert_true(display_has_counts(display, 0) && !display_has_counts(display, 1));
    struct display_scene scene = {.place = place_at(0, 0, 1), .mode = DISPLAY_SPLIT, .divider = 32};
    struct image shot = look(scene);
    expect_colour(shot, 5, 9, most);
    expect_colour(shot, 6, 9, none);
    expect_colour(shot, 50, 9, 0x4d4d4d);
    scene.mode = DISPLAY_DIFFERENCE;
    expect_colour(look(scene), 5, 9, 0x434343);
    scene = (struct display_scene){.place = {0, 0, 16, 16}};
    expect_colour(look(scene), 1, 2, most);
    scene = (struct display_scene){.place = place_at(-180, -360, 48), .has_values = true};
    shot = look(scene);
    for (int x = 0; x < 48; x++) expect_colour(shot, 60 + x, 96, most);
    display_set_counts(display, 0, NULL);
    scene = (struct display_scene){.place = place_at(0, 0, 1)};
    expect_colour(look(scene), 5, 9, 0x0a0a0a);
    display_set_counts(display, 1, counts);
    load_two(a, b);
    assert_false(display_has_counts(display, 1));
}

// Single precision has no room for 32768 pixels of 192 window pixels each.
ON_DISPLAY(the_far_end_of_a_large_zoom_is_exact)
{
    GLint limit;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    const int length = MIN(limit, PLANES_MAX_SIDE);
    const int left = SIDE - 192 * length;
    struct image image = make_noise(length, 1, 1, 3);
    load_one(image);
    struct image shot = look((struct display_scene){.place = place_at(left, 100, 192)});
    expect_picture(shot, image, left, 100, 192);
}

ON_DISPLAY(a_picture_thinner_than_a_window_pixel_is_seen)
{
    const int sizes[][2] = {{8000, 1}, {1, 8000}, {3000, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct image image = make_flat(sizes[i][0], sizes[i][1], 1, 200);
        load_one(image);
        const struct viewport_sizes s = {SIDE, SIDE, sizes[i][0], sizes[i][1], 0, 0, 0, 0};
        struct image shot =
            look((struct display_scene){.place = viewport_place((struct viewport){0}, s)});
        expect_colour(shot, SIDE / 2, SIDE / 2, 0xc8c8c8);
    }
}

ON_DISPLAY(small_pictures_are_means)
{
    struct image image = make_image(4 * SIDE, 4 * SIDE, 1);
    for (int y = 0; y < 4 * SIDE; y++)
        for (int x = 0; x < 4 * SIDE; x++)
            planes_row(image.planes, 0, y)[x] = (x + y) % 2 ? 255 : 0;
    load_one(image);
    struct image shot = look((struct display_scene){.place = place_at(0, 0, 0.25)});
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) assert_in_range(at(shot, x, y) & 255, 126, 129);
}

// A picture that was large becomes small before its next frame, as beside a lens.
ON_DISPLAY(a_picture_that_becomes_small_stays)
{
    const struct image image = make_flat(1000, 667, 3, 0x63);
    load_two(image, image);
    for (int i = 0; i < 20; i++) {
        const bool is_small = i >= 10;
        const double pixel = is_small ? 0.17 : 0.62;
        if (i < 9) load(0, image), load(1, image);
        const struct image shot = look((struct display_scene){
            .place = place_at(0, 0, pixel), .mode = DISPLAY_SPLIT, .divider = 500 * pixel});
        expect_colour(shot, 50, 50, 0x636363);
        expect_colour(shot, 150, 50, 0x636363);
    }
}

// Something of the picture is seen, however small it is; the outline of a block lies over all of it
// then.
ON_DISPLAY(every_size_of_window_is_drawn)
{
    enum { PICTURE = 0x636363, OUTLINE = 0xffc24a };
    const int sizes[][2] = {{1, 1}, {1, 640}, {640, 1}, {3, 5}};
    struct image image = make_flat(331, 337, 3, 0x63);
    load_two(image, image);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (int mode = DISPLAY_ONE; mode <= DISPLAY_DIFFERENCE; mode++)
            for (int has_grid = 0; has_grid < 2; has_grid++) {
                const struct viewport_sizes s = {sizes[i][0], sizes[i][1], 331, 337, 0, 0, 0, 0};
                struct display_scene scene = {.place = viewport_place((struct viewport){0}, s),
                                              .mode = (enum display_mode)mode,
                                              .divider = 1000,
                                              .has_values = true};
                if (has_grid) scene.grid = (struct display_grid){32, 8, 1, 1, 3};
                struct image shot = look_at_size(scene, s.window_width, s.window_height);
                const unsigned plain = mode == DISPLAY_DIFFERENCE ? 0 : PICTURE;
                expect_colour(shot, (int)scene.place.left, (int)scene.place.top,
                              has_grid ? OUTLINE : plain);
            }
}

// ---- two pictures ----

// Or, swapped, B left and A right.
ON_DISPLAY(a_split_shows_a_left_and_b_right_of_the_divider)
{
    const double dividers[] = {-100, 0, 1, 200, 333.5, 639, 640, 1e6};
    struct image a = make_noise(SIDE, SIDE, 3, 1), b = make_noise(SIDE, SIDE, 3, 2);
    load_two(a, b);
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(dividers); i++) {
        const double divider = dividers[i / 2];
        const bool is_swapped = i % 2;
        struct image shot = look((struct display_scene){.place = place_at(0, 0, 1),
                                                        .mode = DISPLAY_SPLIT,
                                                        .layer = is_swapped,
                                                        .divider = divider});
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const double away = x + 0.5 - divider;
                const struct image expected = (away < 0) != is_swapped ? a : b;
                if (fabs(away) >= 2) expect_colour(shot, x, y, at(expected, x, y));
            }
    }
}

static int brightness(unsigned colour)
{
    return (int)((colour >> 16) + (colour >> 8 & 255) + (colour & 255)) / 3;
}

ON_DISPLAY(the_divider_is_seen_on_black_and_on_white)
{
    for (int value = 0; value <= 255; value += 51) {
        struct image image = make_flat(SIDE, SIDE, 3, value);
        load_two(image, image);
        struct image shot = look((struct display_scene){
            .place = place_at(0, 0, 1), .mode = DISPLAY_SPLIT, .divider = 300});
        int low = 255, high = 0;
        for (int x = 298; x < 302; x++) {
            low = MIN(low, brightness(at(shot, x, 50)));
            high = MAX(high, brightness(at(shot, x, 50)));
        }
        assert_true(low < 40 && high > 215);
    }
}

static bool has_divider(struct image shot, int x, int y)
{
    int high = 0;
    for (int i = x - 2; i < x + 2; i++) high = MAX(high, brightness(at(shot, i, y)));
    return high > 215;
}

// Beside the picture, too, but not in the bands above and below it.
ON_DISPLAY(the_divider_is_seen_between_its_rows)
{
    struct image image = make_flat(SIDE / 4, SIDE / 4, 3, 0);
    load_two(image, image);
    for (int divider = 20; divider < SIDE; divider += 300) {
        struct image shot = look((struct display_scene){.place = {0, 0, SIDE / 4, SIDE / 4},
                                                        .mode = DISPLAY_SPLIT,
                                                        .divider = divider,
                                                        .divider_top = 40,
                                                        .divider_bottom = 400});
        assert_true(has_divider(shot, divider, 40) && has_divider(shot, divider, 399));
        assert_false(has_divider(shot, divider, 39) || has_divider(shot, divider, 400));
    }
}

static unsigned amplified(unsigned a, unsigned b, int gain)
{
    unsigned found = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int one = (int)(a >> shift & 255), other = (int)(b >> shift & 255);
        found |= (unsigned)MIN(255, gain * ABS(one - other)) << shift;
    }
    return found;
}

ON_DISPLAY(a_difference_is_exact_and_amplified)
{
    for (int planes = 1; planes <= 3; planes += 2)
        for (int gain = 0; gain <= 16; gain = gain ? 16 * gain : 1) {
            struct image a = make_noise(SIDE, SIDE, planes, 1);
            struct image b = make_noise(SIDE, SIDE, planes, 2);
            load_two(a, b);
            struct image shot = look((struct display_scene){
                .place = place_at(0, 0, 1), .mode = DISPLAY_DIFFERENCE, .gain = gain});
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++)
                    expect_colour(shot, x, y, amplified(at(a, x, y), at(b, x, y), MAX(gain, 1)));
        }
}

// However small the picture is shown: a mean would hide it.
ON_DISPLAY(one_wrong_pixel_is_seen_in_the_difference)
{
    enum { WIDTH = 2499, HEIGHT = 1499 };
    const int wrong[][2] = {{0, 0}, {WIDTH - 1, HEIGHT - 1}, {1234, 1345}, {1250, 1}};
    struct image a = make_flat(WIDTH, HEIGHT, 1, 100), b = make_flat(WIDTH, HEIGHT, 1, 100);
    set_shape(a, 2);
    load(0, a);
    const struct viewport_sizes s = {SIDE, SIDE, WIDTH, HEIGHT, 0, 0, 0, 0};
    const struct paint_box place = viewport_place((struct viewport){0}, s);
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        unsigned char *pixel = planes_row(b.planes, 0, wrong[i][1]) + wrong[i][0];
        *pixel = 250;
        load(1, b);
        *pixel = 100;
        struct image shot =
            look((struct display_scene){.place = place, .mode = DISPLAY_DIFFERENCE, .gain = 1});
        const int x = (int)(place.left + (wrong[i][0] + 0.5) * place.width / WIDTH);
        const int y = (int)(place.top + (wrong[i][1] + 0.5) * place.height / HEIGHT);
        expect_colour(shot, x, y, 0x969696);
        long lit = 0;
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++) lit += at(shot, column, row) != 0;
        assert_in_range(lit, 1, 4);  // the window pixels that it touches
    }
}

// ---- layers ----

ON_DISPLAY(layer_b_comes_and_goes_and_a_stays)
{
    struct image a = make_noise(SIDE, SIDE, 3, 1), b = make_noise(SIDE, SIDE, 3, 2);
    load_one(a);
    const unsigned buffer = display_buffer(display, 0);
    for (int turn = 0; turn < 4; turn++) {
        const bool has_b = turn % 2;
        assert_true(display_set_layers(display, has_b ? 2 : 1, &err));
        assert_true(display_set_layers(display, has_b ? 2 : 1, &err));
        if (has_b) load(1, b);
        for (int layer = 0; layer < 2; layer++) {  // where there is no B: A
            struct image shot =
                look((struct display_scene){.place = place_at(0, 0, 1), .layer = layer});
            assert_int_equal(count_differences(shot, layer && has_b ? b : a), 0);
        }
        assert_int_equal(display_buffer(display, 0), buffer);
        if (has_b) assert_int_not_equal(display_buffer(display, 1), buffer);
    }
}

// Black would say that nothing differs.
ON_DISPLAY(a_layer_not_shown_yet_is_hatched)
{
    struct image a = make_flat(SIDE, SIDE, 1, 0);
    set_shape(a, 2);
    load(0, a);
    for (int mode = DISPLAY_ONE; mode <= DISPLAY_DIFFERENCE; mode++) {
        struct image shot = look((struct display_scene){.place = place_at(0, 0, 1),
                                                        .mode = (enum display_mode)mode,
                                                        .layer = mode == DISPLAY_ONE,
                                                        .divider = -9});
        for (int x = 10; x < 100; x++) assert_int_not_equal(at(shot, x, 50), 0);
        assert_int_not_equal(at(shot, 48, 50), at(shot, 52, 50));
    }
}

ON_DISPLAY(a_renewed_buffer_keeps_the_picture)
{
    struct image a = make_noise(SIDE, SIDE, 3, 1), b = make_noise(SIDE, SIDE, 3, 2);
    struct image read = make_image(SIDE, SIDE, 3);
    load_two(a, b);
    assert_true(display_renew_buffer(display, 1, &err));
    for (int layer = 0; layer < 2; layer++) {
        display_read(display, layer, read.planes);
        assert_int_equal(image_compare(read.planes, layer ? b.planes : a.planes).count, 0);
    }
    load(1, a);  // and the fresh one works
    display_read(display, 1, read.planes);
    assert_int_equal(image_compare(read.planes, a.planes).count, 0);
}

ON_DISPLAY(a_shape_beyond_the_limit_leaves_everything)
{
    GLint limit;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    struct image a = make_noise(SIDE, SIDE, 1, 1);
    load_one(a);
    assert_false(display_set_shape(display, planes_shape(limit + 1, 1, 1), 2, &err));
    assert_non_null(strstr(err.text, "at most"));
    // There is no B still: A is shown in its place.
    struct image shot = look((struct display_scene){.place = place_at(0, 0, 1), .layer = 1});
    assert_int_equal(count_differences(shot, a), 0);
}

// ---- block grid ----

// Blocks of 8x4 pixels of 4 window pixels: a dark line ends a block, a light one begins the next.
ON_DISPLAY(lines_lie_between_blocks_and_nowhere_else)
{
    enum { PIXEL = 4, LEFT = 20, TOP = 12 };
    for (int value = 0; value <= 255; value += 85) {
        struct image image = make_flat(100, 101, 3, value);
        load_one(image);
        struct image shot = look(
            (struct display_scene){.place = place_at(LEFT, TOP, PIXEL), .grid = {8, 4, -1, -1, 0}});
        for (int y = 0; y < 101 * PIXEL; y++)
            for (int x = 0; x < 100 * PIXEL; x++) {
                const int column = x % 32, row = y % 16;
                const bool is_last = (column == 31 && x < 399) || (row == 15 && y < 403);
                const bool is_first = (column == 0 && x > 0) || (row == 0 && y > 0);
                const int shown = brightness(at(shot, LEFT + x, TOP + y));
                if (!is_last && !is_first) assert_int_equal(shown, value);
                if (is_last && value > 100) assert_true(shown < value - 30);
                if (is_first && !is_last && value < 100) assert_true(shown > value + 30);
            }
        expect_colour(shot, LEFT - 1, TOP + 20, 0);
    }
}

ON_DISPLAY(lines_do_not_drown_the_picture)
{
    struct image image = make_flat(SIDE, SIDE, 1, 128);
    load_one(image);
    for (int block = 1; block <= 64; block *= 2) {
        struct image shot = look(
            (struct display_scene){.place = place_at(0, 0, 1), .grid = {block, block, -1, -1, 0}});
        double change = 0;
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) change += abs(brightness(at(shot, x, y)) - 128);
        change /= SIDE * SIDE;
        assert_true(change < 20);
        assert_true(block < 8 || change > 1);
    }
}

ON_DISPLAY(the_block_and_its_tile_stand_out)
{
    struct image image = make_flat(SIDE, SIDE, 3, 120);
    load_one(image);
    // Block (2, 3) of 10x10 pixels, 8 window pixels each: 160 ... 240 by 240 ... 320; its tile 16
    // more.
    struct image shot =
        look((struct display_scene){.place = place_at(0, 0, 8), .grid = {10, 10, 2, 3, 2}});
    expect_colour(shot, 200, 280, 0x787878);  // inside
    expect_colour(shot, 150, 300, 0x787878);  // halo
    assert_true(brightness(at(shot, 100, 100)) < 100);
    assert_true(brightness(at(shot, 100, 100)) > 60);
    int amber = 0, light = 0, dark = 0;
    for (int y = 250; y < 310; y++)
        amber += (at(shot, 163, y) >> 16) > (at(shot, 163, y) & 255) + 90;
    for (int y = 224; y < 336; y++) {
        light += brightness(at(shot, 143, y)) > 215;
        dark += brightness(at(shot, 143, y)) < 40;
    }
    assert_int_equal(amber, 60);
    assert_int_equal(light + dark, 112);
    assert_true(light > 40 && dark > 20);
}

ON_DISPLAY(the_tile_and_idle_threads_are_drawn_beyond_the_picture)
{
    struct image image = make_flat(20, 20, 1, 120);
    load_one(image);
    // 200 ... 400; block (1, 1) is 360 ... 520: pixels without a picture from 400 on.
    struct image shot =
        look((struct display_scene){.place = place_at(200, 200, 10), .grid = {16, 16, 1, 1, 3}});
    long lit = 0;
    for (int y = 410; y < 510; y++)
        for (int x = 410; x < 510; x++) lit += at(shot, x, y) != 0;
    assert_in_range(lit, 2000, 6000);
    assert_int_not_equal(at(shot, 517, 450), 0);            // the block's outline
    assert_true(at(shot, 551, 450) || at(shot, 551, 462));  // the tile's
    expect_colour(shot, 600, 600, 0);
}

// ---- values ----

static struct digits masks;

// Ink of a window pixel, 0 ... 1: the way from the pixel's colour to that of its number.
static double ink_at(struct image shot, int x, int y, unsigned paper)
{
    const double ground = brightness(paper);
    const double end = brightness(at(shot, x, y)) > ground ? 255 : 0;
    return end == ground ? 0 : (brightness(at(shot, x, y)) - ground) / (end - ground);
}

// How well a digit's mask, box of height pixels around (x, y), fits what is seen there: 1 is best.
static double match(struct image shot, unsigned paper, int digit, double x, double y, double height)
{
    double both = 0, seen = 1e-9, drawn = 1e-9;
    const double width = height * masks.width / masks.height;
    const unsigned char *mask = masks.alpha + (size_t)digit * (size_t)(masks.width * masks.height);
    for (int row = (int)ceil(y - height / 2); row < y + height / 2 - 0.5; row++)
        for (int column = (int)ceil(x - width / 2); column < x + width / 2 - 0.5; column++) {
            const double u = (column + 0.5 - x) / width + 0.5, v = (row + 0.5 - y) / height + 0.5;
            const double a = ink_at(shot, column, row, paper);
            const double b =
                mask[(int)(v * masks.height) * masks.width + (int)(u * masks.width)] / 255.0;
            both += a * b;
            seen += a * a;
            drawn += b * b;
        }
    return both / sqrt(seen * drawn);
}

// Is there ink beside a number that is `width` wide, where one of three digits would have some?
static bool has_ink_beside(struct image shot, unsigned paper, double x, double y, double width,
                           double height)
{
    const double widest = 2.9 * height * masks.width / masks.height;
    for (int row = (int)(y - height / 3); row < y + height / 3; row++)
        for (int column = (int)(x - widest / 2); column < x + widest / 2; column++)
            if (fabs(column + 0.5 - x) > width / 2 && ink_at(shot, column, row, paper) > 0.5)
                return true;
    return false;
}

// A reader that knows the digits' shapes finds this number there, and no other one.
static void expect_number(struct image shot, unsigned paper, double x, double y, double height,
                          int number)
{
    const double advance = height * masks.width / masks.height;
    char text[4];
    const int count = g_snprintf(text, sizeof text, "%d", number);
    for (int i = 0; i < count; i++) {
        const double left = x + (i - (count - 1) / 2.0) * advance;
        const double wanted = match(shot, paper, text[i] - '0', left, y, height);
        if (wanted <= 0.8) fail_msg("digit %d of %d is not there", i, number);
        for (int digit = 0; digit < 10; digit++)
            if (digit != text[i] - '0' && match(shot, paper, digit, left, y, height) >= wanted)
                fail_msg("digit %d of %d looks as %d", i, number, digit);
    }
    assert_false(has_ink_beside(shot, paper, x, y, count * advance, height));
}

// Rows of the window from the first to the last with ink in a pixel's box, as the digit is drawn.
static double find_height(struct image shot, unsigned paper, int left, int top, int side)
{
    int first = side, last = -1;
    for (int y = 1; y < side; y++)
        for (int x = 1; x < side; x++)
            if (ink_at(shot, left + x, top + y, paper) > 0.25) {
                first = MIN(first, y);
                last = y;
            }
    return last < 0 ? 0 : (last + 1 - first) / DIGITS_INK;
}

static double luminance(unsigned colour)
{
    return contrast_luminance((colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                              (colour & 255) / 255.0);
}

// 16x16 pixels of all values, 40 window pixels each.
ON_DISPLAY(every_value_is_printed_readably)
{
    enum { PIXEL = SIDE / 16 };
    struct image image = make_image(16, 16, 1);
    for (int i = 0; i < 256; i++) planes_row(image.planes, 0, i / 16)[i % 16] = (unsigned char)i;
    load_one(image);
    struct image shot =
        look((struct display_scene){.place = place_at(0, 0, PIXEL), .has_values = true});
    const double height = find_height(shot, 0x080808, 8 * PIXEL, 0, PIXEL);
    assert_true(height * DIGITS_INK >= 10);
    for (int i = 0; i < 256; i++) {
        const int left = i % 16 * PIXEL, top = i / 16 * PIXEL;
        const unsigned paper = 0x010101u * (unsigned)i;
        expect_number(shot, paper, left + PIXEL / 2.0, top + PIXEL / 2.0, height, i);
        double darkest = 1, lightest = 0;
        for (int y = top + 2; y < top + PIXEL; y++)
            for (int x = left + 2; x < left + PIXEL; x++) {
                darkest = fmin(darkest, luminance(at(shot, x, y)));
                lightest = fmax(lightest, luminance(at(shot, x, y)));
            }
        assert_true(contrast_of(lightest, darkest) > 4);
    }
}

ON_DISPLAY(values_are_printed_only_where_there_is_room)
{
    for (int planes = 1; planes <= 3; planes += 2) {
        const int least = planes == 1 ? DISPLAY_VALUE_PIXEL_GREY : DISPLAY_VALUE_PIXEL_COLOUR;
        struct image image = make_noise(10, 10, planes, 5);
        load_one(image);
        for (int pixel = least - 1; pixel <= least; pixel++) {
            const struct paint_box place = place_at(5, 5, pixel);
            struct image plain = look((struct display_scene){.place = place});
            struct image shot = look((struct display_scene){.place = place, .has_values = true});
            const long changed = count_differences(plain, shot);
            if (pixel >= least)
                assert_true(changed > 10 * 10 * 50);
            else
                assert_int_equal(changed, 0);
        }
    }
}

ON_DISPLAY(colour_has_red_green_and_blue_below_each_other)
{
    enum { PIXEL = 64 };
    struct image image = make_noise(10, 10, 3, 11);
    for (int plane = 0; plane < 3; plane++)  // 88: one with a known height
        planes_row(image.planes, plane, 0)[0] = 88;
    load_one(image);
    struct image shot =
        look((struct display_scene){.place = place_at(0, 0, PIXEL), .has_values = true});
    // Two heights from the top of the first number's ink to that of the third.
    const double all = find_height(shot, 0x585858, 0, 0, PIXEL) * DIGITS_INK;
    const double height = all / (2 + DIGITS_INK);
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 10; x++)
            for (int plane = 0; plane < 3; plane++)
                expect_number(shot, at(image, x, y), (x + 0.5) * PIXEL,
                              (y + 0.5) * PIXEL + (plane - 1) * floor(height + 0.5),
                              floor(height + 0.5), planes_row(image.planes, plane, y)[x]);
}

ON_DISPLAY(each_side_prints_its_own_values)
{
    enum { PIXEL = 64 };
    struct image a = make_noise(10, 10, 1, 1), b = make_noise(10, 10, 1, 2);
    load_two(a, b);
    struct display_scene scene = {.place = place_at(0, 0, PIXEL), .has_values = true};
    struct image left = look(scene);
    scene.layer = 1;
    struct image right = look(scene);
    scene.mode = DISPLAY_SPLIT;
    scene.layer = 0;
    scene.divider = 320;
    struct image shot = look(scene);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (x < 318 || x >= 322) expect_colour(shot, x, y, at(x < 320 ? left : right, x, y));
}

ON_DISPLAY(a_difference_prints_itself_without_gain)
{
    enum { PIXEL = 64, GAIN = 3 };
    struct image a = make_noise(10, 10, 1, 1), b = make_noise(10, 10, 1, 2);
    planes_row(a.planes, 0, 0)[0] = 100;  // 88: one with a known height
    planes_row(b.planes, 0, 0)[0] = 12;
    load_two(a, b);
    struct image shot = look((struct display_scene){.place = place_at(0, 0, PIXEL),
                                                    .mode = DISPLAY_DIFFERENCE,
                                                    .gain = GAIN,
                                                    .has_values = true});
    const double height = find_height(shot, 0xffffff, 0, 0, PIXEL);
    for (int i = 0; i < 100; i++) {
        const int x = i % 10, y = i / 10;
        const int value = abs((int)planes_row(a.planes, 0, y)[x] - planes_row(b.planes, 0, y)[x]);
        const unsigned paper = 0x010101u * (unsigned)MIN(255, GAIN * value);
        expect_number(shot, paper, (x + 0.5) * PIXEL, (y + 0.5) * PIXEL, height, value);
    }
}

// ---- overlay, capture ----

// Below it, the same frame is the same picture.
ON_DISPLAY(the_overlay_lies_over_everything)
{
    g_autofree unsigned char *pixels = g_malloc0(SIDE * SIDE * 4);
    for (int x = 0; x < SIDE; x++) memcpy(pixels + 4 * (3 * SIDE + x), "\x10\x20\x30\xff", 4);
    const struct overlay_pixels overlay = {
        .pixels = pixels, .width = SIDE, .height = SIDE, .stride = 4 * SIDE};
    struct image image = make_noise(16, 16, 1, 1);
    load_two(image, image);
    const struct display_scene scene = {.place = place_at(0, 0, 40),
                                        .mode = DISPLAY_SPLIT,
                                        .divider = 320,
                                        .has_values = true,
                                        .grid = {4, 4, 1, 1, 1}};
    display_draw(display, &scene, overlay, true, SIDE, SIDE);
    struct image shot = capture(SIDE, SIDE), bare = look(scene);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            expect_colour(shot, x, y, y == 3 ? 0x302010 : at(bare, x, y));
}

// The texture keeps the rest of what it had.
ON_DISPLAY(only_dirty_boxes_of_an_overlay_are_taken)
{
    static const struct paint_box dirty[] = {{3, 5, 7, 11}, {600, 0, 40, 1}, {0, 639, 640, 1}};
    g_autofree uint32_t *pixels = g_new(uint32_t, SIDE * SIDE);
    struct overlay_pixels overlay = {.pixels = (unsigned char *)pixels,
                                     .width = SIDE,
                                     .height = SIDE,
                                     .stride = 4 * SIDE,
                                     .damage = dirty,
                                     .damage_count = 3};
    const struct display_scene empty = {0};
    for (int i = 0; i < SIDE * SIDE; i++) pixels[i] = 0xff0000ff;
    display_draw(display, &empty, no_overlay, true, SIDE, SIDE);
    display_draw(display, &empty, overlay, true, SIDE, SIDE);  // a new size: all
    for (unsigned i = 0; i < SIDE * SIDE; i++) pixels[i] = 0xff000000 | i;
    display_draw(display, &empty, overlay, true, SIDE, SIDE);
    struct image shot = capture(SIDE, SIDE);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const bool is_dirty =
                (x >= 3 && x < 10 && y >= 5 && y < 16) || (x >= 600 && y == 0) || y == 639;
            expect_colour(shot, x, y, is_dirty ? (unsigned)(y * SIDE + x) : 0x0000ff);
        }
}

ON_DISPLAY(an_overlay_without_pixels_is_not_drawn_and_kept)
{
    g_autofree uint32_t *pixels = g_new(uint32_t, SIDE * SIDE);
    const struct overlay_pixels overlay = {
        .pixels = (unsigned char *)pixels, .width = SIDE, .height = SIDE, .stride = 4 * SIDE};
    struct image image = make_noise(SIDE, SIDE, 3, 4);
    load_one(image);
    const struct display_scene scene = {.place = place_at(0, 0, 1)};
    for (int i = 0; i < SIDE * SIDE; i++) pixels[i] = 0xff123456;
    display_draw(display, &scene, no_overlay, true, SIDE, SIDE);
    display_draw(display, &scene, overlay, true, SIDE, SIDE);
    for (int has_new = 0; has_new <= 1; has_new++) {
        display_draw(display, &scene, (struct overlay_pixels){0}, has_new, SIDE, SIDE);
        struct image shot = capture(SIDE, SIDE);
        assert_int_equal(count_differences(shot, image), 0);
        display_draw(display, &scene, overlay, false, SIDE, SIDE);
        shot = capture(SIDE, SIDE);
        expect_colour(shot, 0, 0, 0x123456);
        expect_colour(shot, SIDE - 1, SIDE - 1, 0x123456);
    }
}

ON_DISPLAY(without_a_picture_the_window_is_black)
{
    struct image image = make_flat(9, 9, 1, 200);
    load_one(image);
    struct image shot = look((struct display_scene){.mode = DISPLAY_DIFFERENCE});
    for (int i = 0; i < SIDE; i++) expect_colour(shot, i, i, 0);
}

// ---- reload ----

static char *folder;  // a copy of shaders/

static void copy_shader(const char *name, const char *extra)
{
    g_autofree char *from = g_build_filename(TILESCOPE_SOURCE_DIR, "shaders", name, NULL),
                    *text = NULL;
    assert_true(g_file_get_contents(from, &text, NULL, NULL));
    g_autofree char *all = g_strconcat(text, extra, NULL);
    g_free(folder_file(folder, name, all));
}

static const char *const shader_names[] = {"image.vert", "image.frag", "overlay.vert",
                                           "overlay.frag"};

static int make_folder(void **state)
{
    folder = folder_make();
    for (size_t i = 0; i < G_N_ELEMENTS(shader_names); i++) copy_shader(shader_names[i], "");
    return 0;
}

static int remove_folder(void **state)
{
    folder_end(folder);
    if (!display_reload(display, TILESCOPE_SOURCE_DIR "/shaders", &err)) return -1;
    return no_gl_error(state);
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

IN_FOLDER(a_broken_shader_is_told_and_the_old_one_goes_on)
{
    struct image image = make_noise(SIDE, SIDE, 3, 1);
    load_one(image);
    for (size_t i = 0; i < G_N_ELEMENTS(shader_names); i++) {
        err.text[0] = '\0';
        copy_shader(shader_names[i], "\nvec5 not_a_type;\n");
        g_autofree char *path = folder_file(folder, shader_names[i], NULL), *text = NULL;
        assert_true(g_file_get_contents(path, &text, NULL, NULL));
        int line = -1;  // of the added one, counted from 1
        for (const char *c = text; *c; c++) line += *c == '\n';
        g_autofree char *where = g_strdup_printf("%s:%d:", shader_names[i], line + 1);
        assert_false(display_reload(display, folder, &err));
        if (!strstr(err.text, where) || !strstr(err.text, "| vec5 not_a_type;"))
            fail_msg("no '%s' in:\n%s", where, err.text);
        copy_shader(shader_names[i], "");
        struct image shot = look((struct display_scene){.place = place_at(0, 0, 1)});
        assert_int_equal(count_differences(shot, image), 0);
    }
}

IN_FOLDER(a_missing_shader_is_told)
{
    assert_false(display_reload(display, "/nonexistent", &err));
    assert_non_null(strstr(err.text, "/nonexistent/image.vert"));
    assert_null(display_create("/nonexistent", &err));
}

IN_FOLDER(a_changed_shader_is_seen)
{
    struct image image = make_flat(SIDE, SIDE, 3, 9);
    load_one(image);
    g_free(folder_file(folder, "image.frag",
                       "#version 330 core\nout vec4 colour;\n"
                       "void main() { colour = vec4(1.0, 0.0, 1.0, 1.0); }\n"));
    assert_true(display_reload(display, folder, &err));
    struct image shot = look((struct display_scene){.place = place_at(0, 0, 1)});
    expect_colour(shot, 77, 55, 0xff00ff);

    copy_shader("image.frag", "");
    assert_true(display_reload(display, folder, &err));
    shot = look((struct display_scene){.place = place_at(0, 0, 1)});
    expect_colour(shot, 77, 55, 0x090909);
}

static bool open_all(void)
{
    const struct window_handler handler = {.key = on_key, .exposed = on_event, .closing = on_event};
    bool has_display;
    window = window_open("test_display", SIDE, SIDE, &handler, &has_display, &err);
    if (!window) return false;
    window_set_vsync(window, false);
    printf("%s\n", window_renderer(window));
    display = display_create(TILESCOPE_SOURCE_DIR "/shaders", &err);
    return display;
}

int main(void)
{
    if (!open_all()) {
        printf("%s: %s\n", window ? "failed" : "skipped", err.text);
        return window ? 1 : 77;
    }
    kept = g_ptr_array_new_with_free_func(free);
    digits_init(&masks, 96);
    const int failed = unit_run("display", NULL, NULL);
    g_ptr_array_unref(kept);
    digits_finish(&masks);
    display_destroy(display);
    window_close(window);
    return failed;
}
