// Comparison sheets: pictures scaled by their rules, differences counted, and a page on which
// every cell stays in its place whatever its texts are.
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "device/backend.h"
#include "draw/sheet.h"
#include "folder.h"

static char *folder;       // for sheets
static GPtrArray *kept;    // the memory of a test: pixels, and sheets that borrow their pictures
static GPtrArray *sheets;  // of a test, with pictures of their own
static struct filter mean, lab;

static void sheet_free(void *sheet)
{
    sheet_finish(sheet);
    free(sheet);
}

static const char turn[] = "//! lab \"Turn\"\n#include \"lab.h\"\n"
                           "//! param rows 90 [1, 300] rows of a\n"
                           "//! param columns 160 [1, 300] of a\n"
                           "//! param words 1 [1, 1000] of w\n"
                           "//! array a float in [rows][columns] noise 0, 255\n"
                           "//! array w int in [words] counted\n"
                           "//! array b float out [columns][rows] shown -9, rows signed\n"
                           "//! reference b\n__host__ __device__ double zero() { return 0; }\n"
                           "//! variant naive 32x8\n__global__ void turn_naive() {}\n";

static int set_up(void **state)
{
    static const char *const names[] = {"naive", "texture", "shared", "running"};
    kept = g_ptr_array_new_with_free_func(free);
    sheets = g_ptr_array_new_with_free_func(sheet_free);
    folder = g_dir_make_tmp("tilescope-sheet-XXXXXX", NULL);
    mean = (struct filter){.name = "mean",
                           .title = "Mean",
                           .params = {{.name = "radius", .value = 3, .max = 64, .step = 1}},
                           .param_count = 1,
                           .variant_count = G_N_ELEMENTS(names)};
    arrays_add_pictures(&mean);
    for (int i = 0; i < mean.variant_count; i++) {
        struct variant *v = &mean.variants[i];
        g_strlcpy(v->name, names[i], sizeof v->name);
        v->passes[0] = (struct pass){.block_width = 32, .block_height = 8};
        v->pass_count = 1;
    }
    must(filter_parse(&lab, "turn.cu", turn, NULL, &err));
    return 0;
}

static int tear_down(void **state)
{
    filter_finish(&lab);
    g_ptr_array_unref(sheets);
    g_ptr_array_unref(kept);
    file_remove_all(folder);
    g_clear_pointer(&folder, g_free);
    return 0;
}

static struct image make(int width, int height, int planes)
{
    struct image image = {0};
    must(image_init(&image, width, height, planes, &err));
    g_ptr_array_add(kept, image.planes.pixels);
    return image;
}

static struct image make_plain(int width, int height, int red, int green, int blue)
{
    struct image image = make(width, height, 3);
    const int colour[] = {red, green, blue};
    for (int p = 0; p < 3; p++)
        for (int y = 0; y < height; y++)
            memset(planes_row(image.planes, p, y), colour[p], (size_t)width);
    return image;
}

static struct sheet *sheet_new(void)
{
    struct sheet *s = calloc(1, sizeof *s);
    g_ptr_array_add(sheets, s);
    return s;
}

// Its pictures are borrowed.
static struct sheet *bare_sheet(void)
{
    struct sheet *s = calloc(1, sizeof *s);
    g_ptr_array_add(kept, s);
    return s;
}

static struct stats_summary times(double ms)
{
    return (struct stats_summary){31, ms, ms * 0.99, ms * 1.01};
}

// Cells of one picture, which is borrowed.
static void fill_cells(struct sheet *s, int count, struct planes picture)
{
    *s = (struct sheet){.count = count, .planned = count, .picture = picture, .title = "Mean"};
    for (int i = 0; i < count; i++) {
        s->cells[i] = (struct sheet_cell){.picture = {picture}, .ms = times(i + 1)};
        g_snprintf(s->cells[i].label, sizeof s->cells[i].label, "%d variant", i);
        g_strlcpy(s->cells[i].time, "0.412 ms", sizeof s->cells[i].time);
    }
}

// ---- pictures on a page ----

static struct image draw(const struct sheet *sheet)
{
    struct image page = {0};
    must(sheet_draw(&page, sheet, &err));
    g_ptr_array_add(kept, page.planes.pixels);
    assert_int_equal(page.planes.width, SHEET_WIDTH);
    assert_in_range(page.planes.height, 700, 4500);  // from one cell to 24
    return page;
}

// The first and last column and row of a colour's pixels: left, top, right, bottom. False: it has
// none.
static bool find_colour(struct planes v, int red, int green, int blue, int at[4])
{
    at[0] = v.width, at[1] = v.height, at[2] = -1, at[3] = -1;
    for (int y = 0; y < v.height; y++) {
        const unsigned char *const reds = planes_row(v, 0, y), *const greens = planes_row(v, 1, y),
                                   *const blues = planes_row(v, 2, y);
        for (int x = 0; x < v.width; x++) {
            if (greens[x] != green || reds[x] != red || blues[x] != blue) continue;
            at[0] = MIN(at[0], x), at[2] = MAX(at[2], x);
            at[1] = MIN(at[1], y), at[3] = MAX(at[3], y);
        }
    }
    return at[2] >= 0;
}

// By the definition, with every source pixel's share.
static double average(struct planes from, int plane, int x, int y, int width, int height)
{
    const double left = (double)x * from.width / width, right = (x + 1.0) * from.width / width;
    const double top = (double)y * from.height / height, bottom = (y + 1.0) * from.height / height;
    double sum = 0;
    for (int v = (int)top; v < fmin(bottom, from.height); v++)
        for (int u = (int)left; u < fmin(right, from.width); u++) {
            const double w = fmax(0, fmin(right, u + 1) - fmax(left, u));
            const double h = fmax(0, fmin(bottom, v + 1) - fmax(top, v));
            sum += w * h * planes_row(from, plane, v)[u];
        }
    return sum / ((right - left) * (bottom - top));
}

static struct choice choice_of(int variant, double radius)
{
    return (struct choice){&mean, &mean.variants[variant], {.params.v = {radius}}};
}

static void begin(struct sheet *s, enum sheet_kind kind, struct planes picture, int variants)
{
    const struct choice c = choice_of(0, 3);
    sheet_begin(s, kind, &c, -1, picture, variants);
    sheet_set_input(s, picture);
}

#define WITH_SHEET(name) TEST_WITH(name, set_up, tear_down)

// A picture is kept as small as it is on the page, and one of them shows that the page looks the
// same.
WITH_SHEET(averages)
{
    static const struct {
        int width, height, planes;
    } sizes[] = {{1021, 707, 3}, {2030, 31, 1}, {450, 1300, 3}, {203, 117, 3},
                 {5000, 1, 1},   {30000, 1, 1}, {1, 300, 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct sheet *s = sheet_new();
        struct image from = make(sizes[i].width, sizes[i].height, sizes[i].planes);
        image_fill_noise(from.planes, 5);
        begin(s, SHEET_VARIANTS, from.planes, 4);
        const struct planes to = s->cells[0].picture.planes;
        assert_true(to.width < 700);
        for (int k = 0; k < 40; k++) {
            const int x = k * 31 % to.width, y = k * 17 % to.height, p = k % to.count;
            const double wanted = average(from.planes, p, x, y, to.width, to.height);
            if (fabs(planes_row(to, p, y)[x] - wanted) > 0.5 + 1e-6)
                fail_msg("%d,%d of %dx%d: %d is not %g", x, y, to.width, to.height,
                         planes_row(to, p, y)[x], wanted);
        }
        if (i) continue;
        struct sheet *whole = bare_sheet(), *small = bare_sheet();
        fill_cells(whole, 5, from.planes);
        fill_cells(small, 5, to);
        small->picture = from.planes;
        const struct image one = draw(whole), other = draw(small);
        assert_int_equal(image_compare(one.planes, other.planes).count, 0);
    }
}

// Each pixel has a colour of its own.
WITH_SHEET(enlarged_pixels_are_squares)
{
    struct sheet *sheet = bare_sheet();
    struct image from = make(5, 3, 3);
    int at[4], side = 0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++) {
            planes_row(from.planes, 0, y)[x] = 255;
            planes_row(from.planes, 1, y)[x] = (unsigned char)(50 * x);
            planes_row(from.planes, 2, y)[x] = (unsigned char)(200 + 20 * y);
        }
    fill_cells(sheet, 2, from.planes);
    sheet->cells[1].picture = (struct image){{0}};
    const struct image page = draw(sheet);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++) {
            int left, top, last[4];
            assert_true(find_colour(page.planes, 255, 50 * x, 200 + 20 * y, last));
            if (!side) memcpy(at, last, sizeof at);
            side = at[2] - at[0] + 1;
            left = at[0] + x * side, top = at[1] + y * side;
            assert_true(side > 100);
            assert_int_equal(last[0], left);
            assert_int_equal(last[1], top);
            assert_int_equal(last[2], left + side - 1);
            assert_int_equal(last[3], top + side - 1);
            assert_int_equal(planes_row(page.planes, 1, top + side / 2)[left + side / 2], 50 * x);
        }
}

// Pictures are made smaller by any factor, and larger by whole ones. Two cells of a page are 884
// pixels wide side by side, or 1808 one below the other, and as high as the picture wants. A line
// at their edge covers the outermost pixels.
WITH_SHEET(fit)
{
    static const struct {
        int width, height, wanted_width, wanted_height;
    } rows[] = {{1920, 1080, 882, 495}, {1, 1, 882, 882},    {883, 10, 1766, 20},
                {30000, 1, 1806, 1},    {1, 10000, 1, 882},  {1, 300, 2, 600},
                {443, 221, 443, 221},   {442, 221, 882, 440}};
    struct sheet *sheet = bare_sheet();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        int at[4];
        struct image picture = make_plain(rows[i].width, rows[i].height, 255, 0, 255);
        fill_cells(sheet, 2, picture.planes);
        sheet->cells[1].picture = (struct image){{0}};
        const struct image page = draw(sheet);
        assert_true(find_colour(page.planes, 255, 0, 255, at));
        assert_int_equal(at[2] - at[0] + 1, rows[i].wanted_width);
        assert_int_equal(at[3] - at[1] + 1, rows[i].wanted_height);
    }
}

WITH_SHEET(the_colours_of_a_map)
{
    static const enum color_map maps[] = {COLOR_MAP_SIGNED, COLOR_MAP_GREY};
    struct sheet *sheet = bare_sheet();
    struct image picture = make(256, 1, 1);
    int at[4];
    for (int x = 0; x < 256; x++) planes_row(picture.planes, 0, 0)[x] = (unsigned char)x;
    fill_cells(sheet, 1, picture.planes);
    for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
        const struct color_map_table table = color_map_table(maps[i]);
        const unsigned char *const first = table.colors[0];
        sheet->cells[0].map = maps[i];
        const struct image page = draw(sheet);
        if (!i) assert_true(find_colour(page.planes, first[0], first[1], first[2], at));
        for (int x = 0; x < 256; x++)
            for (int p = 0; p < 3; p++)
                assert_int_equal(planes_row(page.planes, p, at[1])[at[0] + 7 * x],
                                 table.colors[x][p]);
    }
}

// ---- cells ----

static struct device device = {.name = "Test GPU", .driver = "driver 1", .is_gpu = true};

// A complete sheet of the first variants with these times, 0: refused; one bit for each that is
// wrong.
static struct sheet *sheet_of(enum sheet_kind kind, const struct stats_summary *ms, int count,
                              unsigned wrong)
{
    struct sheet *s = sheet_new();
    struct image picture = make(203, 117, 3);
    const struct sheet_page page = {&device, "/a/b.png", {31, 0.25, 0.24, 0.26}, "samples"};
    begin(s, kind, picture.planes, count);
    for (int i = 0; i < count; i++) {
        const struct choice c = choice_of(i, kind == SHEET_PAIR ? 3 + i : 5);
        struct sheet_cell *cell = sheet_add(s, &c, -1);
        if (!ms[i].count) {
            sheet_refuse(cell, "too slow\nby far");
            continue;
        }
        sheet_set_result(s, cell, picture.planes, ms[i]);
        sheet_set_check(cell, (struct image_difference){.count = wrong >> i & 1, .max = 12});
    }
    if (kind == SHEET_PAIR) sheet_add_difference(s, picture.planes, picture.planes);
    sheet_complete(s, &page);
    return s;
}

// Every cell is compared with the one copy and the one naive that are on the sheet.
WITH_SHEET(cells)
{
    const struct stats_summary ms[] = {times(1.41), {61, 0.412, 0.409, 0.4186}, {0}};
    struct sheet *s = sheet_of(SHEET_VARIANTS, ms, 3, 0);
    const struct sheet_cell *copy = &s->cells[0], *naive = copy + 1, *texture = copy + 2;
    assert_int_equal(s->count, 4);
    assert_string_equal(s->title, "Mean · radius 5");
    assert_string_equal(s->detail, "b.png · 203×117 colour");
    assert_string_equal(s->device, "Test GPU");
    assert_non_null(strstr(s->footer, "at least 31 samples. Mark: a device copy, 0.250 ms. "));
    assert_true(s->floor_ms == 0.25);
    assert_string_equal(copy->label, "copy");
    assert_string_equal(copy->time, "0.250 ms");
    assert_string_equal(copy->spread, "0.240–0.260");
    assert_string_equal(naive->speed, "1.00× naive 32×8 · 17.7 % of copy");
    assert_string_equal(texture->label, "2 texture");
    assert_string_equal(texture->note, "32×8");
    assert_string_equal(texture->time, "0.412 ms");
    assert_string_equal(texture->spread, "0.409–0.419");
    assert_string_equal(texture->speed, "3.42× naive 32×8 · 60.7 % of copy");
    assert_int_equal(texture->check, CHECK_EXACT);
    assert_string_equal(texture[1].reason, "too slow");
    assert_string_equal(texture[1].speed, "");

    s = sheet_of(SHEET_VARIANTS, ms, 2, 2);  // texture is wrong
    assert_int_equal(s->cells[2].check, CHECK_WRONG);
    assert_string_equal(s->cells[2].speed, "max |diff| = 12 · 60.7 % of copy");
    s = sheet_of(SHEET_VARIANTS, ms, 2, 1);  // naive is, and nothing to compare with
    assert_string_equal(s->cells[2].speed, "60.7 % of copy");
}

// As the screen compares A and B: by quartiles that do not overlap, and among right results.
WITH_SHEET(who_is_fastest)
{
    static const struct {
        struct stats_summary ms[4];
        unsigned wrong;
        const char *tags[4];
    } rows[] = {
        {{{9, 4, 3.9, 4.1}, {9, 2, 1.9, 2.1}, {9, 1, 0.9, 1.1}, {9, 3, 3, 3}},
         0,
         {"", "", "fastest", ""}},
        {{{9, 4, 3.9, 4.1}, {9, 1.1, 1, 1.3}, {9, 1, 0.9, 1.05}, {9, 3, 3, 3}},
         0,
         {"", "among the fastest", "among the fastest", ""}},
        {{{9, 4, 3.9, 4.1}, {9, 2, 1.9, 2.1}, {9, 0.1, 0.1, 0.1}, {9, 3, 3, 3}},
         4,
         {"", "fastest", "", ""}},
        {{{9, 1, 0.5, 4}, {9, 2, 1.9, 2.1}, {0}, {9, 3, 3, 3.1}}, 0, {"", "", "", ""}},
        {{{9, 1, 0.5, 4}, {9, 2, 1.9, 2.1}, {0}, {0}}, 0, {"", "", "", ""}},
        {{{9, 1, 1, 1}, {9, 2, 2, 2}, {0}, {0}}, 1, {"", "", "", ""}},
        {{{0}, {0}, {0}, {0}}, 0, {"", "", "", ""}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sheet *s = sheet_of(SHEET_VARIANTS, rows[i].ms, 4, rows[i].wrong);
        assert_string_equal(s->cells[0].tag, "");
        for (int k = 0; k < 4; k++)
            if (strcmp(s->cells[k + 1].tag, rows[i].tags[k]) != 0)
                fail_msg("row %zu: variant %d is '%s'", i, k, s->cells[k + 1].tag);
    }
    mean.variants[2].is_floor = true;
    const struct sheet *s = sheet_of(SHEET_VARIANTS, rows[0].ms, 4, 0);
    mean.variants[2].is_floor = false;
    assert_string_equal(s->cells[2].tag, "fastest");
    assert_string_equal(s->cells[3].tag, "");
}

// A CPU's times are there, and compare nothing.
WITH_SHEET(without_a_gpu)
{
    const struct stats_summary ms[] = {times(1.41), times(0.412)};
    device.is_gpu = false;
    const struct sheet *s = sheet_of(SHEET_VARIANTS, ms, 2, 2);
    const struct sheet *pair = sheet_of(SHEET_PAIR, ms, 2, 0);
    device.is_gpu = true;
    assert_true(s->is_by_counts && pair->is_by_counts);
    assert_string_equal(s->cells[1].time, "1.41 ms");
    for (int i = 0; i < 3; i++) assert_string_equal(s->cells[i].tag, "");
    assert_string_equal(s->cells[1].speed, "");
    assert_string_equal(s->cells[2].speed, "max |diff| = 12");
    assert_null(strstr(s->footer, "copy"));
    assert_true(g_str_has_prefix(s->footer, "Times of a CPU. "));
    assert_string_equal(pair->title, "A and B");
    assert_string_equal(pair->cells[1].tag, "");
}

WITH_SHEET(a_pair)
{
    const struct stats_summary ms[] = {{9, 8.49, 8.4, 8.6}, {9, 14.4, 14, 15}};
    struct sheet *s = sheet_of(SHEET_PAIR, ms, 2, 0);
    assert_int_equal(s->count, 3);
    assert_string_equal(s->title, "A and B: A 1.70× as fast as B");
    assert_string_equal(s->cells[0].label, "A mean naive");
    assert_string_equal(s->cells[0].note, "radius 3 · block 32×8 · unroll off");
    assert_string_equal(s->cells[1].label, "B mean texture");
    assert_string_equal(s->cells[1].note, "radius 4 · block 32×8 · unroll off");
    assert_string_equal(s->cells[0].speed, "2.94 % of copy");  // the faster has the higher one
    assert_string_equal(s->cells[1].speed, "1.74 % of copy");
    assert_string_equal(s->cells[0].tag, "faster");
    assert_string_equal(s->cells[1].tag, "");
    assert_string_equal(s->cells[2].label, "|A − B|");
    assert_string_equal(s->cells[2].time, "no difference");

    s = sheet_of(SHEET_PAIR, ms, 2, 1);
    assert_string_equal(s->title, "A and B: A 1.70× as fast as B, but wrong");
    assert_string_equal(s->cells[0].tag, "");
    const struct stats_summary near[] = {{9, 8.49, 8, 9}, {9, 8.9, 8.5, 9}};
    s = sheet_of(SHEET_PAIR, near, 2, 0);
    assert_string_equal(s->title, "A and B: no clear difference in time");
    assert_string_equal(s->cells[0].tag, "");
    s = sheet_of(SHEET_PAIR, near, 2, 2);
    assert_string_equal(s->title, "A and B: no clear difference in time, but B is wrong");
    s = sheet_of(SHEET_PAIR, (struct stats_summary[2]){{0}, {9, 1, 1, 1}}, 2, 0);
    assert_string_equal(s->title, "A and B");
}

static struct sheet *difference_of(struct planes a, struct planes b)
{
    struct sheet *s = sheet_new();
    begin(s, SHEET_PAIR, a, 2);
    sheet_add_difference(s, a, b);
    assert_true(s->cells[0].is_difference);
    assert_string_equal(s->cells[0].label, "|A − B|");
    return s;
}

WITH_SHEET(differences)
{
    struct image a = make(203, 117, 3), b = make(203, 117, 3);
    image_fill_noise(a.planes, 1);
    image_copy(b.planes, a.planes);
    const struct sheet *s = difference_of(a.planes, b.planes);
    assert_string_equal(s->cells[0].time, "no difference");
    assert_string_equal(s->cells[0].note, "");
    for (int p = 0; p < 3; p++) planes_row(b.planes, p, 50)[7] ^= 1;  // one pixel, in all planes
    planes_row(b.planes, 1, 116)[202] = (unsigned char)(planes_row(a.planes, 1, 116)[202] ^ 16);
    s = difference_of(a.planes, b.planes);
    const struct planes d = s->cells[0].picture.planes;
    assert_int_equal(planes_row(d, 1, 116)[202], 255);  // amplified as on the screen: 255 of 16
    assert_int_equal(planes_row(d, 2, 50)[7], 16);
    assert_int_equal(planes_row(d, 0, 0)[0], 0);
    assert_string_equal(s->cells[0].time, "max 16");
    assert_string_equal(s->cells[0].speed, "2 pixels differ");
    assert_string_equal(s->cells[0].note, "amplified 16×");
}

static int brightest(struct planes v)
{
    int found = 0;
    for (int y = 0; y < v.height; y++)
        for (int x = 0; x < v.width; x++) found = MAX(found, planes_row(v, 0, y)[x]);
    return found;
}

// It is made smaller for its cell.
WITH_SHEET(a_difference_of_one_pixel_stays_to_be_seen)
{
    for (int at = 0; at < 2030; at += 97) {
        struct image a = make(2030, 117, 1), b = make(2030, 117, 1);
        planes_row(b.planes, 0, at % 117)[at] = 1;
        struct sheet *s = difference_of(a.planes, b.planes);
        assert_true(s->cells[0].picture.planes.width < 1000);
        assert_int_equal(brightest(s->cells[0].picture.planes), 255);
        assert_string_equal(s->cells[0].speed, "1 pixel differs");
    }
}

WITH_SHEET(many_differences_are_counted_in_groups)
{
    struct image a = make(1234, 1000, 1), b = make(1234, 1000, 1);
    for (int y = 0; y < 1000; y++) memset(planes_row(b.planes, 0, y), 255, 1234);
    const struct sheet *s = difference_of(a.planes, b.planes);
    assert_string_equal(s->cells[0].speed, "1\u202f234\u202f000 pixels differ");
    assert_string_equal(s->cells[0].note, "");  // it is as large as can be
}

WITH_SHEET(details)
{
    static const struct {
        int x, y, value;
    } spots[] = {{300, 180, 9}, {33, 20, 255}};  // the second has more contrast
    struct image image = make(403, 217, 3);
    for (size_t i = 0; i < G_N_ELEMENTS(spots); i++) {
        struct sheet *s = sheet_new();
        planes_row(image.planes, 2, spots[i].y)[spots[i].x] = (unsigned char)spots[i].value;
        begin(s, SHEET_VARIANTS, image.planes, 1);
        assert_true(s->has_detail);
        assert_in_range(spots[i].x, s->detail_left, s->detail_left + SHEET_DETAIL - 1);
        assert_in_range(spots[i].y, s->detail_top, s->detail_top + SHEET_DETAIL - 1);
        const struct planes detail = s->cells[0].detail.planes;
        const unsigned char *row = planes_row(detail, 2, spots[i].y - s->detail_top);
        assert_int_equal(row[spots[i].x - s->detail_left], spots[i].value);
        assert_int_equal(detail.width, SHEET_DETAIL);
    }
    struct sheet *s = sheet_new();
    begin(s, SHEET_VARIANTS, make(67, 217, 3).planes, 1);
    assert_false(s->has_detail);
}

// ---- labs ----

static const struct sheet_page page_of_lab = {&device, NULL, {31, 0.25, 0.24, 0.26}, "samples"};

static struct choice turned(int rows)
{
    return (struct choice){&lab, &lab.variants[0], {.params.v = {rows, 160, 1}}};
}

WITH_SHEET(a_sheet_of_a_lab)
{
    struct sheet *s = sheet_new();
    const struct choice c = turned(90);
    struct image input = make(160, 90, 1), shown = make(90, 160, 1);
    sheet_begin(s, SHEET_VARIANTS, &c, -1, (struct planes){0}, 1);
    assert_true(s->picture.width == 90 && s->picture.height == 160);
    sheet_set_input(s, input.planes);
    sheet_set_result(s, sheet_add(s, &c, -1), shown.planes, times(0.5));
    sheet_complete(s, &page_of_lab);
    assert_string_equal(s->detail, "b: float 160×90");
    assert_string_equal(s->cells[0].note, "a: float 90×160 · 0 … 255");
    assert_string_equal(s->legend.low, "−9");
    assert_string_equal(s->legend.high, "90");
    assert_true(fabs(s->legend.zero - 9.0 / 99) < 1e-9);
    assert_int_equal(s->cells[1].map, COLOR_MAP_SIGNED);
    assert_int_equal(s->cells[0].map, COLOR_MAP_GREY);
    assert_int_equal(s->cells[0].picture.planes.width, 160);  // in a shape of its own
    assert_string_equal(s->cells[1].speed, "1.00× naive 32×8 · 50.0 % of copy");
    assert_null(s->cells[1].detail.planes.pixels);
    sheet_finish(s);
    sheet_begin(s, SHEET_VARIANTS, &c, 0, (struct planes){0}, 1);
    assert_string_equal(s->subject, "a: float 90×160");
}

WITH_SHEET(an_array_of_another_shape_is_refused)
{
    struct sheet *s = sheet_new();
    const struct choice a = turned(90), b = turned(91);
    struct image shown = make(90, 160, 1);
    sheet_begin(s, SHEET_PAIR, &a, -1, (struct planes){0}, 2);
    sheet_set_result(s, sheet_add(s, &a, -1), shown.planes, times(0.5));
    struct sheet_cell *other = sheet_add(s, &b, -1);
    sheet_set_result(s, other, shown.planes, times(0.25));
    sheet_complete(s, &page_of_lab);
    assert_string_equal(
        s->cells[0].note,
        "b: float 160×90 · rows 90 · columns 160 · words 1 · block 32×8 · unroll off");
    assert_string_equal(other->reason,
                        "b: float 160×91 is not of the sheet's shape, b: float 160×90");
    assert_string_equal(other->time, "");
    assert_string_equal(s->cells[0].tag, "");  // there is nothing to be faster than
}

// The copy of the sheet is A's.
WITH_SHEET(a_copy_of_other_bytes_is_no_floor)
{
    struct sheet *s = sheet_new();
    const struct choice a = turned(90);
    struct choice b = a;
    struct image shown = make(90, 160, 1);
    b.settings.params.v[2] = 1000;
    sheet_begin(s, SHEET_PAIR, &a, -1, (struct planes){0}, 2);
    sheet_set_result(s, sheet_add(s, &a, -1), shown.planes, times(0.5));
    sheet_set_result(s, sheet_add(s, &b, -1), shown.planes, times(1));
    sheet_complete(s, &page_of_lab);
    assert_string_equal(s->cells[0].speed, "50.0 % of copy");
    assert_string_equal(s->cells[1].speed, "");
}

// ---- the page ----

// Each picture alone in its colour: none is lost, covered or outside of the page.
WITH_SHEET(every_cell_is_there)
{
    static const int counts[] = {1, 2, 5, 24};
    struct sheet *sheet = bare_sheet();
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct image plain = make_plain(203, 117, 0, 0, 255), pictures[24];
        int last[4] = {0};
        fill_cells(sheet, counts[i], plain.planes);
        for (int k = 0; k < counts[i]; k++) {
            pictures[k] = make_plain(203, 117, 255, 10 * k, 255);
            sheet->cells[k].picture = pictures[k];
        }
        struct image page = draw(sheet);
        for (int k = 0; k < counts[i]; k++) {
            int at[4];
            assert_true(find_colour(page.planes, 255, 10 * k, 255, at));
            assert_true(at[0] > 40 && at[2] < SHEET_WIDTH - 40 && at[3] < page.planes.height - 180);
            // of the picture's shape, and behind the one before
            assert_in_range((at[3] - at[1]) * 203, (at[2] - at[0]) * 117 - 500,
                            (at[2] - at[0]) * 117 + 500);
            if (k) assert_true(at[0] > last[2] || at[1] > last[3] + 100);
            memcpy(last, at, sizeof last);
        }
    }
}

// Texts of any length and kind change nothing but their own cell.
static void assert_texts_stay_in_their_cell(enum sheet_kind kind)
{
    struct sheet *sheet = bare_sheet();
    struct image picture = make_plain(203, 117, 0, 0, 255);
    fill_cells(sheet, 4, picture.planes);
    sheet->kind = kind;
    struct image before = draw(sheet);
    struct sheet_cell *c = &sheet->cells[1];
    memset(c->label, 'W', sizeof c->label - 1);
    memset(c->time, 'W', sizeof c->time - 1);
    memset(c->spread, 'W', sizeof c->spread - 1);
    memset(c->speed, 'W', sizeof c->speed - 1);
    memset(c->note, 'W', sizeof c->note - 1);
    g_strlcpy(c->tag, "fastest", sizeof c->tag);
    c->check = CHECK_WRONG;
    for (int is_refused = 0; is_refused < 2; is_refused++) {
        if (is_refused) memset(c->reason, 'W', sizeof c->reason - 1);
        struct image after = draw(sheet);
        int changed = 0;
        for (int y = 0; y < after.planes.height; y++)
            for (int x = 0; x < after.planes.width; x++)
                for (int p = 0; p < 3; p++) {
                    if (planes_row(before.planes, p, y)[x] == planes_row(after.planes, p, y)[x])
                        continue;
                    changed++;
                    assert_in_range(x, SHEET_WIDTH / 2, SHEET_WIDTH - 50);  // two columns
                    assert_in_range(y, 100, 152 + 500 + 162 + (kind == SHEET_PAIR ? 34 : 0));
                }
        assert_true(changed > 1000);
    }
}

WITH_SHEET(texts_stay_in_their_cell)
{
    assert_texts_stay_in_their_cell(SHEET_VARIANTS);
    assert_texts_stay_in_their_cell(SHEET_PAIR);
}

// Bars are as long as their part of the longest time.
WITH_SHEET(bars)
{
    struct sheet *sheet = bare_sheet();
    struct image picture = make(203, 117, 1);
    fill_cells(sheet, 2, picture.planes);
    sheet->cells[0].ms = times(0.3);
    sheet->cells[1].ms = times(1.2);
    struct image page = draw(sheet);
    int at[4], shorter = 0, longer = 0;
    assert_true(find_colour(page.planes, 0x66, 0x78, 0x8f, at));
    for (int x = 0; x < SHEET_WIDTH; x++) {
        const bool is_bar = planes_row(page.planes, 0, at[1] + 4)[x] == 0x66 &&
                            planes_row(page.planes, 1, at[1] + 4)[x] == 0x78 &&
                            planes_row(page.planes, 2, at[1] + 4)[x] == 0x8f;
        shorter += is_bar && x < SHEET_WIDTH / 2;
        longer += is_bar && x >= SHEET_WIDTH / 2;
    }
    assert_in_range(longer, 700, SHEET_WIDTH / 2);
    assert_in_range(4 * shorter, longer - 4, longer + 4);
}

// The first and last row that differ, or -1.
static void find_changed_rows(struct planes a, struct planes b, int rows[2])
{
    rows[0] = rows[1] = -1;
    for (int y = 0; y < a.height; y++) {
        if (!memcmp(planes_row(a, 0, y), planes_row(b, 0, y), (size_t)a.width)) continue;
        if (rows[0] < 0) rows[0] = y;
        rows[1] = y;
    }
}

// Sectors are as large with conflicts as without, which stand in a line of their own.
WITH_SHEET(counts_have_a_line_each)
{
    static const char *const texts[] = {"", "0.625 sectors",
                                        "0.625 sectors · 0.0625 conflicts per element"};
    struct sheet *sheet = bare_sheet();
    struct image picture = make_plain(203, 117, 0, 0, 255), pages[G_N_ELEMENTS(texts)];
    int sectors[2], conflicts[2];
    fill_cells(sheet, 8, picture.planes);
    sheet->is_by_counts = sheet->has_memory = true;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_strlcpy(sheet->cells[0].memory, texts[i], sizeof sheet->cells[0].memory);
        pages[i] = draw(sheet);
    }
    find_changed_rows(pages[0].planes, pages[1].planes, sectors);
    find_changed_rows(pages[1].planes, pages[2].planes, conflicts);
    assert_true(sectors[0] > 0 && conflicts[0] > sectors[1]);
}

// A refused cell shows its reason and never a picture, nor a time.
WITH_SHEET(refused)
{
    struct sheet *sheet = bare_sheet();
    struct image picture = make_plain(203, 117, 255, 0, 255);
    int at[4];
    fill_cells(sheet, 2, picture.planes);
    sheet->cells[0].picture = (struct image){{0}};
    sheet_refuse(&sheet->cells[0], "블록 128×16 …");
    struct image page = draw(sheet);
    assert_true(find_colour(page.planes, 255, 0, 255, at));
    assert_true(at[0] > SHEET_WIDTH / 2);
    sheet->cells[1].picture = (struct image){{0}};  // no picture at all
    page = draw(sheet);
    assert_false(find_colour(page.planes, 255, 0, 255, at));
}

static void assert_text(const char *path, const char *key, const char *text)
{
    OWNED(image_texts_finish) struct image_texts texts = {0};
    assert_true(image_read_texts(&texts, path, NULL));
    assert_string_equal(image_find_text(&texts, key), text);
}

WITH_SHEET(file)
{
    struct sheet *sheet = bare_sheet();
    struct image picture = make(67, 45, 3);
    OWNED(image_finish) struct image page = {0};
    const struct image_text text = {"filter", "mean"};
    g_autofree char *path = g_build_filename(folder, "a.png", NULL);
    g_autofree char *missing = g_build_filename(folder, "missing", "a.png", NULL);
    fill_cells(sheet, 3, picture.planes);
    g_strlcpy(sheet->title, "평균", sizeof sheet->title);
    g_strlcpy(sheet->cells[1].name, "shared", sizeof sheet->cells[1].name);
    g_strlcpy(sheet->cells[2].name, "B", sizeof sheet->cells[2].name);
    sheet_refuse(&sheet->cells[2], "too slow");
    must(sheet_save(sheet, path, &text, 1, &err) && image_load(&page, path, false, &err));
    assert_int_equal(image_compare(page.planes, draw(sheet).planes).count, 0);
    assert_text(path, "filter", "mean");
    assert_text(path, "sheet", "yes");
    assert_text(path, "result shared", "0.412 ms (), not checked");
    assert_text(path, "result B", "refused: too slow");
    assert_false(sheet_save(sheet, missing, &text, 1, &err));
    assert_non_null(strstr(err.text, missing));

    // A thread writes the file while the kernels may be read again.
    const struct stats_summary ms[] = {times(2), times(1)};
    sheet = sheet_of(SHEET_VARIANTS, ms, 2, 0);
    mean = (struct filter){.param_count = 1};
    must(sheet_save(sheet, path, NULL, 0, &err));
    assert_text(path, "result texture",
                "1.00 ms (0.990–1.01), 2.00× naive 32×8 · 25.0 % of copy, exact");
}
