// The overlay's promises, read back from its pixels: what changes, what is legible, what fits.

#include "unit.h"

#include "draw/bars.h"
#include "draw/lens_view.h"
#include "draw/listing.h"
#include "draw/plot.h"
#include "screen/overlay_parts.h"

#include "draw/contrast.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// --- contents such as a lecture shows ---

#define SET(field, text) snprintf((field), sizeof(field), "%s", (text))

enum { VARIANTS = 5, RADII = 6, PRESENT = 2, BEST = 4, CELLS = 63, BEST_CELL = 22, NOW_CELL = 12 };
struct sample_panels {
    struct bars bars;
    struct plot_point points[VARIANTS][RADII];
    struct plot_curve list[VARIANTS];
    double xs[RADII];
    struct plot_cell cells[CELLS];
    struct plot_curves curves;
    struct plot_marks marks;
    struct plot_heat map;
    struct plot sweep, heat;
    char grid[256];
};

enum { ALL_PANELS = (1 << OVERLAY_PANELS) - 1 };

// One picture.
static struct overlay_content sample_content(void)
{
    struct overlay_content c = {.scale = 1,
                                .sides = {{.is_settled = true, .badge = OVERLAY_BADGE_GOOD}}};
    SET(c.sides[0].title, "Mean · shared · radius 5 · block 32×8 · unroll off");
    SET(c.device, "NVIDIA H200");
    SET(c.sides[0].time, "0.412 ms");
    SET(c.sides[0].spread, "0.409–0.418 ms");
    SET(c.sides[0].speed, "155 Gpix/s   74 % of copy   3.4× naive");
    SET(c.sides[0].badge_text, "exact");
    SET(c.sides[0].detail, "310 GB/s · occupancy 75 % (registers) · 40 registers · 3.4 KB shared");
    SET(c.status, "interop: PBO mapped, zero copy · 16.7 ms a frame · vsync on");
    SET(c.hint, "h  help");
    return c;
}

// Two that are compared.
static struct overlay_content sample_pair(void)
{
    struct overlay_content c = sample_content();
    c.is_comparing = true;
    c.sides[1] = c.sides[0];
    SET(c.sides[1].title, "Gaussian · separable · radius 15 · sigma 2.50 · block 128×8");
    SET(c.sides[1].time, "0.0412 ms");
    SET(c.pair.difference, "max |A − B| = 12   3.40 % of pixels");
    SET(c.pair.ratio, "B 10.0× as fast as A");
    c.pair.active = 1;
    c.pair.divider = 300;
    return c;
}

static const char *const variant_names[] = {"naive", "texture", "shared", "separable", "running"};

static const int block_widths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const int block_heights[] = {1, 2, 4, 8, 16, 32, 64};

static bool is_refused_cell(int cell)
{
    return block_widths[cell % 9] * block_heights[cell / 9] > 1024;
}

static void fill_bars(struct bars *bars)
{
    SET(bars->title, "Variants at radius 5, ms a launch");
    bars->count = VARIANTS + 1;
    for (int i = 0; i < VARIANTS; i++) {
        bars->rows[i] = (struct bar){.ms = 1.6 / (i + 1), .state = BARS_DONE, .over_naive = i + 1};
        snprintf(bars->rows[i].key, sizeof bars->rows[i].key, "%d", i + 1);
        SET(bars->rows[i].name, variant_names[i]);
        SET(bars->rows[i].block, "32×8");
    }
    bars->rows[PRESENT].is_present = true;
    bars->rows[VARIANTS].state = BARS_REFUSED;
    SET(bars->rows[VARIANTS].name, "fast");
    SET(bars->rows[VARIANTS].reason, "needs a block width that is a multiple of 32, not 8");
}

// Fills all panels; contents borrow from p.
static void sample_fill_panels(struct sample_panels *p)
{
    *p = (struct sample_panels){.grid = "block 1, 2 of 60×135\nthreads\t32×8 = 256\nidle\tnone"};
    fill_bars(&p->bars);
    for (int i = 0; i < VARIANTS; i++) {
        SET(p->list[i].label, variant_names[i]);
        p->list[i].points = p->points[i];
        p->list[i].count = RADII;
        p->list[i].style = i;
        p->list[i].is_emphasised = i == PRESENT;
        for (int k = 0; k < RADII; k++)
            p->points[i][k] = (struct plot_point){1 << k, 0.1 * (1 << k) / (i + 1), 0, 0, false};
    }
    for (int k = 0; k < RADII; k++) p->xs[k] = 1 << k;
    p->curves = (struct plot_curves){.x_label = "radius",
                                     .y_label = "ms",
                                     .curves = p->list,
                                     .count = VARIANTS,
                                     .floor = 0.01,
                                     .floor_label = "device copy 0.0100",
                                     .xs = p->xs,
                                     .x_count = RADII,
                                     .has_crossings = true,
                                     .has_mark = true,
                                     .mark_x = 8};
    p->sweep = (struct plot){.title = "Mean: ms over radius",
                             .caption = "measuring",
                             .curves = &p->curves,
                             .is_compact = true};
    for (int i = 0; i < CELLS; i++)
        p->cells[i].ms = is_refused_cell(i) ? PLOT_REFUSED : 1 + i * 0.01;
    p->cells[BEST_CELL].ms = 0.5;
    p->marks = (struct plot_marks){NOW_CELL, -1, ""};
    p->map = (struct plot_heat){.widths = block_widths,
                                .heights = block_heights,
                                .columns = 9,
                                .rows = 7,
                                .cells = p->cells,
                                .marks = &p->marks};
    p->heat = (struct plot){.title = "shared, radius 5: ms over block",
                            .caption = "best 0.500",
                            .heats = &p->map,
                            .heat_count = 1,
                            .is_compact = true};
}

// The longest words that are usual on a CPU and with Gaussian blur; each ends in 1.
static void sample_use_long_words(struct overlay_content *c, struct sample_panels *p)
{
    SET(c->device, "Intel(R) Xeon(R) Processor, threads 1");
    SET(c->status, "interop: PBO mapped, zero copy · 16.7 ms a frame · vsync on · shore.png 1");
    SET(c->hint, "h  help 1");
    for (int side = 0; side <= c->is_comparing; side++) {
        struct overlay_side *s = &c->sides[side];
        SET(s->title,
            c->is_comparing
                ? "Gaussian · separable · radius 15 · sigma 2.50 · block 128×1"
                : "Gaussian · separable · radius 15 · sigma 2.50 · block 128×8 · unroll 1");
        SET(s->time, "0.0412 ms 1");
        SET(s->spread, "0.0409–0.0411");
        SET(s->speed, "155 Gpix/s   74.1 % of copy   3.41× naive 32×1");
        SET(s->badge_text, "exact 1");
        SET(s->detail, "310 GB/s · occupancy 75 % (registers) · 40 registers · 3.41 KB shared, 1");
    }
    SET(c->pair.difference, "max |A − B| = 12   3.40 % of pixels 1");
    SET(c->pair.ratio, "B 10.0× as fast as A, but wrong 1");
    SET(p->bars.title, "Variants at radius 15 · sigma 2.50, ms a launch 1");
    SET(p->bars.naive_block, "128×1");
    p->sweep.caption = "radius 15: separable fastest, 0.0411";
    p->sweep.title = "Gaussian blur: ms over radius 1";
    p->heat.title = "separable, radius 15: ms over block 1";
    p->heat.caption = "best 0.0412 at 1024×1";
    SET(p->grid, "block 12, 21 of 60×135\nthreads\t128×8 = 1024\ntile\t158×38 = 6004 bytes\nhalo\t"
                 "81 % of it\nidle\tnone\nreads a pixel\t5.86 instead of 961, 1");
}

// Opens these panels and closes the others; open: one bit each.
static void sample_open_panels(struct overlay_content *c, const struct sample_panels *p,
                               unsigned open)
{
    c->panels.grid = open & 1u << OVERLAY_GRID ? p->grid : NULL;
    c->panels.bars = open & 1u << OVERLAY_BARS ? &p->bars : NULL;
    c->panels.sweep = open & 1u << OVERLAY_SWEEP ? &p->sweep : NULL;
    c->panels.heat = open & 1u << OVERLAY_HEAT ? &p->heat : NULL;
}

// Contents of docks, of which the overlay borrows all.
enum { LINES = 60 };
static struct listing_line lines[LINES];
static struct listing listings[2];
static struct lens_view lenses[2];

static void sample_fill_docks(void)
{
    for (int i = 0; i < LINES; i++)
        lines[i] = (struct listing_line){.text = "    const int x = blockIdx.x * blockDim.x;",
                                         .number = i + 1,
                                         .file = "mean.cu"};
    for (int i = 0; i < 2; i++) {
        listings[i] = (struct listing){
            .title = "mean.cu · shared", .lines = lines, .count = LINES, .hash = 1};
        lenses[i] =
            (struct lens_view){.totals = "per pixel: 50.0 B wanted",
                               .has_request = true,
                               .lane = -1,
                               .request = {.active = 0xffffffff, .bytes = 4, .kind = TRACE_LOAD}};
        snprintf(lenses[i].title, sizeof lenses[i].title, "Memory · block 1, %d", i);
        for (unsigned lane = 0; lane < MODEL_LANES; lane++)
            lenses[i].request.address[lane] = 8 * lane;
    }
}

static void open_docks(struct overlay_content *c, int sources, int count)
{
    c->is_comparing = sources == 2 || count == 2;
    for (int i = 0; i < 2; i++) {
        c->docks.source[i] = i < sources ? &listings[i] : NULL;
        c->docks.lens[i] = i < count ? &lenses[i] : NULL;
    }
}

// --- drawing, and looking at it ---

// Each test begins with an overlay that has drawn nothing, and with full panels.
static struct overlay *o;
static struct sample_panels panels;
static GPtrArray *kept;  // the pixels of screenshots

// A copy of what an overlay holds, to compare with after the next update. It lasts until the test
// ends.
struct screenshot {
    uint32_t *pixels;
    int width, height;
};

static struct screenshot take_shot(void)
{
    const struct overlay_pixels p = overlay_pixels(o);
    const size_t row_bytes = 4 * (size_t)p.width;
    struct screenshot shot = {g_malloc(row_bytes * (size_t)p.height), p.width, p.height};
    g_ptr_array_add(kept, shot.pixels);
    for (int y = 0; y < p.height; y++)
        memcpy(shot.pixels + (size_t)y * (size_t)p.width, p.pixels + (size_t)y * (size_t)p.stride,
               row_bytes);
    return shot;
}

// The pixels themselves, until the next update.
static struct screenshot look(void)
{
    const struct overlay_pixels p = overlay_pixels(o);
    assert_int_equal(p.stride, 4 * p.width);
    return (struct screenshot){(uint32_t *)(void *)(uintptr_t)p.pixels, p.width, p.height};
}

static struct screenshot draw_fresh(const struct overlay_content *content, int width, int height)
{
    struct overlay *const usual = o;
    o = overlay_create();
    assert_non_null(o);
    overlay_update(o, content, width, height);
    const struct screenshot shot = take_shot();
    overlay_destroy(o);
    o = usual;
    return shot;
}

static uint32_t screenshot_at(struct screenshot s, int x, int y)
{
    return s.pixels[(size_t)y * (size_t)s.width + (size_t)x];
}

static bool is_row_same(struct screenshot a, struct screenshot b, int y)
{
    const size_t start = (size_t)y * (size_t)a.width;
    return memcmp(a.pixels + start, b.pixels + start, 4 * (size_t)a.width) == 0;
}

static struct screenshot draw(const struct overlay_content *content, int width, int height)
{
    overlay_update(o, content, width, height);
    return look();
}

// How many pixels of a box differ.
static long count_changes(struct screenshot a, struct screenshot b, struct paint_box box)
{
    long count = 0;
    for (int y = box.top; y < box.top + box.height; y++)
        for (int x = box.left; x < box.left + box.width; x++)
            count += screenshot_at(a, x, y) != screenshot_at(b, x, y);
    return count;
}

static int count_changed_rows(struct screenshot a, struct screenshot b)
{
    int rows = 0;
    for (int y = 0; y < a.height; y++) rows += !is_row_same(a, b, y);
    return rows;
}

static int alpha_of(uint32_t pixel)
{
    return (int)(pixel >> 24);
}

// Opacity of the darkest to lightest thing drawn in these rows.
static int max_alpha(struct screenshot s, int top, int bottom)
{
    int alpha = 0;
    for (int y = top; y < bottom; y++)
        for (int x = 0; x < s.width; x++)
            if (alpha_of(screenshot_at(s, x, y)) > alpha) alpha = alpha_of(screenshot_at(s, x, y));
    return alpha;
}

static void check_premultiplied(struct screenshot s)
{
    for (size_t i = 0; i < (size_t)s.width * (size_t)s.height; i++)
        for (int channel = 0; channel < 3; channel++)
            assert_true((int)(s.pixels[i] >> 8 * channel & 255) <= alpha_of(s.pixels[i]));
}

// --- contrast ---

// A pixel's luminance over a grey picture of that value, 0 ... 255.
static double luminance(uint32_t pixel, double picture)
{
    const double through = picture * (1 - alpha_of(pixel) / 255.0);
    return contrast_luminance(((pixel >> 16 & 255) + through) / 255,
                              ((pixel >> 8 & 255) + through) / 255,
                              ((pixel & 255) + through) / 255);
}

// The contrast that the strongest pixels of a box have with its background, which is taken from its
// first pixel. A glyph's core reaches the full colour of its text.
static double text_contrast(struct screenshot s, struct paint_box box, double picture)
{
    const uint32_t first = screenshot_at(s, box.left, box.top);
    const double background = luminance(first, picture);
    double best = 1;
    for (int y = box.top; y < box.top + box.height; y++)
        for (int x = box.left; x < box.left + box.width; x++) {
            const uint32_t pixel = screenshot_at(s, x, y);
            if (pixel != first)
                best = fmax(best, contrast_of(luminance(pixel, picture), background));
        }
    return best;
}

static int upper_band_bottom(struct screenshot s)
{
    int y = 0;
    while (y < s.height && alpha_of(screenshot_at(s, 0, y)) > 0) y++;
    return y;
}

static int lower_band_top(struct screenshot s)
{
    int y = s.height;
    while (y > 0 && alpha_of(screenshot_at(s, 0, y - 1)) > 0) y--;
    return y;
}

// The least of a box's contrast over black, grey and white pictures.
static double worst_contrast(struct screenshot s, struct paint_box box)
{
    double worst = INFINITY;
    for (int picture = 0; picture <= 255; picture += 51)
        worst = fmin(worst, text_contrast(s, box, picture));
    return worst;
}

// --- windows ---

static const int lecture_sizes[][2] = {{800, 600}, {1280, 720}, {1920, 1080}};

// A window that a lecture may have, at a scale.
static const struct lecture {
    int size[2], scale;
} lectures[] = {{{800, 600}, 1},   {{800, 600}, 2},   {{800, 600}, 4},
                {{1280, 720}, 1},  {{1280, 720}, 2},  {{1280, 720}, 4},
                {{1920, 1080}, 1}, {{1920, 1080}, 2}, {{1920, 1080}, 4}};
static const struct lecture *const last_lecture = lectures + sizeof lectures / sizeof *lectures - 1;

// Every size at every scale, but for one so large that its many pixels take long: what they prove
// at one scale they prove at all.
static const int window_sizes[][2] = {{640, 480},   {800, 600},   {1280, 720},
                                      {1920, 1080}, {320, 200},   {801, 1203},
                                      {1283, 331},  {2560, 1440}, {1, 1}};
static const double text_scales[] = {1, 2, 4};

static bool is_too_huge(const int *size, double scale)
{
    return size[0] > 1920 && scale != 1;
}

static int set_up(void **state)
{
    o = overlay_create();
    kept = g_ptr_array_new_with_free_func(g_free);
    sample_fill_panels(&panels);
    sample_fill_docks();
    return o ? 0 : -1;
}

static int tear_down(void **state)
{
    overlay_destroy(o);
    g_ptr_array_unref(kept);
    return 0;
}

// --- what changes ---

static long damage_area(struct overlay_pixels p)
{
    long area = 0;
    for (int i = 0; i < p.damage_count; i++) area += (long)p.damage[i].width * p.damage[i].height;
    return area;
}

// The damage lies in the window, and nothing has changed outside of it.
static void check_outside_damage(struct overlay_pixels p, struct screenshot before,
                                 struct screenshot after)
{
    long changes = count_changes(before, after, (struct paint_box){0, 0, p.width, p.height});
    for (int i = 0; i < p.damage_count; i++) {
        const struct paint_box b = p.damage[i];
        assert_true(b.left >= 0 && b.left + b.width <= p.width);
        assert_true(b.top >= 0 && b.top + b.height <= p.height);
        changes -= count_changes(before, after, b);  // none overlap
    }
    assert_int_equal(changes, 0);
}

// These go through all of the drawing, or draw odd contents. test_overlay brief runs only these, as
// the sanitizers make a test of all the others cost three times as much; test_overlay pixels runs
// only the others.
#define OF_MEMORY(name) TEST_WITH(memory_##name, set_up, tear_down)

OF_MEMORY(reports_changes_and_only_those)
{
    struct overlay_content c = sample_content();
    assert_true(overlay_update(o, &c, 640, 480));
    assert_int_equal(overlay_pixels(o).damage_count, 1);
    assert_int_equal(damage_area(overlay_pixels(o)), 640 * 480);
    assert_false(overlay_update(o, &c, 640, 480));
    assert_int_equal(overlay_pixels(o).damage_count, 0);

    // Bytes behind a text's end are not content.
    memset(c.sides[0].title + strlen(c.sides[0].title) + 1, 'x', 20);
    assert_false(overlay_update(o, &c, 640, 480));
    assert_true(overlay_update(o, &c, 641, 480));
    assert_int_equal(overlay_pixels(o).width, 641);
}

// Draws a change. Outside of the damage nothing may change, the whole must be what a fresh overlay
// draws, and the same content again draws nothing.
static void check_step(const struct overlay_content *c, const char *change)
{
    const struct screenshot before = take_shot();
    if (!overlay_update(o, c, 801, 603)) fail_msg("%s changed nothing", change);
    const struct overlay_pixels p = overlay_pixels(o);
    const struct screenshot after = look(), fresh = draw_fresh(c, 801, 603);
    assert_true(p.damage_count > 0);
    assert_true(count_changed_rows(before, after) > 0);
    check_outside_damage(p, before, after);
    if (count_changed_rows(after, fresh)) fail_msg("%s: other pixels than drawn anew", change);
    assert_false(overlay_update(o, c, 801, 603));
    g_ptr_array_set_size(kept, 0);  // a test has many steps
}

#define STEP(change)             \
    do {                         \
        change;                  \
        check_step(&c, #change); \
    } while (0)

OF_MEMORY(partial_drawing_equals_fresh_drawing)
{
    static const struct overlay_help help[] = {{NULL, "Keys"}, {"a B", "do"}, {"1 … 9", "more"}};
    struct overlay_content c = sample_content();
    overlay_update(o, &c, 801, 603);
    STEP(SET(c.sides[0].time, "12.9 ms"));
    STEP(SET(c.sides[0].title, "Invert · vector"));
    STEP(SET(c.device, ""));
    STEP(SET(c.sides[0].spread, "12.1–13.0 ms"));
    STEP(c.sides[0].is_settled = false);
    STEP(c.sides[0].badge = OVERLAY_BADGE_BAD);
    STEP(SET(c.sides[0].badge_text, "max |diff| = 3"));
    STEP(SET(c.sides[0].detail, "other details"));
    STEP(SET(c.status, "staged"));
    STEP(SET(c.message, "saved tilescope.png"));
    STEP(c.tone = OVERLAY_REFUSED);
    STEP(SET(c.message, "block 64×32 has 2048 threads, this GPU allows 1024"));
    STEP(c.tone = OVERLAY_BROKEN);
    STEP(SET(c.message, "does not compile\na.cu(1): error\n   x\n   ^"));
    STEP(SET(c.sides[0].time, "1.05 ms"));
    STEP(c.is_hidden = true);
    STEP(c.is_light = true);
    STEP(c.is_hidden = false);
    c.help = help;
    STEP(c.help_count = 3);
    STEP(c.help_count = 2);
    c.help = NULL;
    STEP(c.help_count = 0);
    STEP(SET(c.message, ""));
    STEP(c.scale = 1.5);
    STEP(SET(c.sides[0].speed, "a speed so long that the whole row and the details must shrink"));
    STEP(SET(c.sides[0].speed, ""));
    c.sides[0].badge = OVERLAY_BADGE_PENDING;
    STEP(c.scale = 0.7);
    STEP(sample_open_panels(&c, &panels, 1u << OVERLAY_SWEEP));
    STEP(sample_open_panels(&c, &panels, ALL_PANELS));
    STEP(panels.bars.rows[0].ms = 3);
    panels.cells[0].ms = 0.2;
    STEP(panels.curves.mark_x = 2);
    STEP(SET(panels.grid, "block 1, 2 of 60×135\none\tlonger value that widens the panel"));
    STEP(SET(c.message, "a refusal over panels,\nin two parts"));
    SET(c.message, "a larger refusal over the panels, of more words than the other one");
    STEP(panels.cells[1].ms = 0.1);
    STEP(SET(c.message, ""));
    STEP(c.is_light = !c.is_light);
    c.panels.opened[OVERLAY_BARS] = 7;
    STEP(c.scale = 2);
    STEP(c.panels.opened[OVERLAY_HEAT] = 8);
    c.help = help;
    STEP(c.help_count = 3);
    c.help = NULL;
    STEP(c.help_count = 0);
    SET(c.status, "");
    SET(c.hint, "");
    STEP(c.scale = 1);
    STEP(sample_open_panels(&c, &panels, 0));
    SET(c.message, "saved x.png");
    STEP(c.tone = OVERLAY_NOTE);
    // The note makes room for the bars.
    STEP(sample_open_panels(&c, &panels, 1u << OVERLAY_BARS));
    // And the bars for words.
    STEP(SET(c.caption, "Each pixel of the naive kernel reads 49 neighbours.\nShared: once"));
    STEP(SET(c.caption, "Fewer"));
    STEP(c.is_hidden = true);
    c.is_hidden = false;
    c = sample_pair();
    STEP(SET(c.caption, "Two of them"));
    STEP(c.pair.divider = 302.7);
    STEP(c.pair.is_flipped = true);
    STEP(c.pair.active = 0);
    STEP(SET(c.sides[1].time, "0.0419 ms"));
    STEP(SET(c.sides[0].speed, "a longer speed   of several parts   that do not all fit"));
    STEP(c.sides[1].is_settled = false);
    c.sides[1].badge = OVERLAY_BADGE_BAD;
    STEP(SET(c.sides[1].badge_text, "max |diff| = 17"));
    SET(c.pair.difference, "identical");
    STEP(c.pair.verdict = OVERLAY_BADGE_GOOD);
    SET(c.pair.ratio, "measuring");
    STEP(c.pair.is_ratio_pending = true);
    STEP(SET(c.pair.shown, "|A − B| ×21"));
    STEP(sample_open_panels(&c, &panels, ALL_PANELS));
    STEP(SET(c.message, "sheet: 2 of 5"));
    STEP(SET(c.pair.shown, ""));
    sample_open_panels(&c, &panels, 1u << OVERLAY_HEAT);
    STEP(c.pair.divider = 2);
    c.help = help;
    STEP(c.help_count = 3);
    c.help = NULL, c.help_count = 0;
    STEP(c.is_light = !c.is_light);
    SET(c.caption, "");
    STEP(SET(c.device, "another"));
    // Everywhere at once.
    sample_open_panels(&c, &panels, 1u << OVERLAY_SWEEP | 1u << OVERLAY_BARS);
    SET(c.sides[0].title, "one");
    SET(c.sides[1].detail, "two");
    SET(c.message, "three");
    SET(c.status, "four");
    STEP(c.pair.divider = 500);
    STEP(c.is_comparing = false);
}

OF_MEMORY(docks_are_drawn_in_parts_as_anew)
{
    static const struct paint_box mark = {100.5, 200, 40, 3}, other = {130, 203, 9, 20};
    struct overlay_content c = {.scale = 1};
    SET(c.sides[0].title, "Mean · shared");
    SET(c.sides[0].time, "0.412 ms");
    overlay_update(o, &c, 801, 603);
    STEP(open_docks(&c, 1, 0));
    STEP(listings[0].first = 20);
    STEP(open_docks(&c, 1, 1));
    c.marks = (struct overlay_marks){.boxes = {mark, other}};
    STEP(c.marks.count = 2);
    STEP(lenses[0].lane = 7);
    c.marks.count = 1;
    STEP(lenses[0].is_stale = true);
    SET(lines[20].figures, "8 × 1.0/1.0 s");
    listings[0].figure_columns = 13;
    STEP(listings[0].hash = 2);
    STEP(open_docks(&c, 2, 2));
    STEP(listings[1].is_active = true);
    STEP(c.is_light = true);
    STEP(SET(c.message, "saved a.png"));
    STEP(SET(c.message, ""));
    c.tone = OVERLAY_REFUSED;
    STEP(SET(c.message, "needs 66.6 KB of shared memory, the device allows 48 KB"));
    STEP(c.tone = OVERLAY_BROKEN);
    STEP(SET(c.caption, "Each pixel reads 49 neighbours."));
    STEP(c.scale = 2);
    STEP(SET(c.message, ""));
    STEP(c.is_hidden = true);
    c.is_hidden = false;
    STEP(open_docks(&c, 0, 1));
    STEP(SET(lenses[0].message, "no C++ compiler found"));
    STEP(open_docks(&c, 0, 0));
}

#define OF_PIXELS(name) TEST_WITH(pixels_##name, set_up, tear_down)

OF_PIXELS(little_is_drawn_for_a_new_time_or_divider)
{
    for (unsigned open = 0; open <= ALL_PANELS; open += ALL_PANELS) {
        struct overlay_content c = sample_content();
        sample_open_panels(&c, &panels, open);
        overlay_update(o, &c, 1920, 1080);
        SET(c.sides[0].time, "0.398 ms");
        assert_true(overlay_update(o, &c, 1920, 1080));
        const struct overlay_pixels p = overlay_pixels(o);
        assert_int_equal(p.damage_count, 1);
        assert_int_equal(p.damage[0].width, 1920);
        assert_in_range(p.damage[0].top, 40, 80);
        assert_in_range(p.damage[0].height, 40, 90);
    }
    struct overlay_content c = sample_pair();
    overlay_update(o, &c, 1920, 1080);
    c.pair.divider += 5;
    assert_true(overlay_update(o, &c, 1920, 1080));
    assert_true(damage_area(overlay_pixels(o)) < 1920 * 1080 / 200);
}

OF_PIXELS(what_is_hidden_draws_nothing_but_the_message)
{
    struct overlay_hit hit;
    struct overlay_content c = {0};
    assert_false(overlay_find(o, 10, 10, &hit));
    assert_int_equal(max_alpha(draw(&c, 67, 45), 0, 45), 0);  // nothing to say
    overlay_destroy(NULL);
    c = sample_content();
    sample_open_panels(&c, &panels, ALL_PANELS);
    draw(&c, 1280, 720);
    assert_true(overlay_find(o, 60, 600, &hit));
    c.is_hidden = true;
    assert_int_equal(max_alpha(draw(&c, 1280, 720), 0, 720), 0);
    for (int x = 0; x < 1280; x += 40)
        for (int y = 0; y < 720; y += 40) assert_false(overlay_find(o, x, y, &hit));

    c.tone = OVERLAY_REFUSED;
    SET(c.message, "needs 65 552 bytes of shared memory, this GPU allows 49 152");
    const struct screenshot s = draw(&c, 640, 480);
    assert_int_equal(alpha_of(screenshot_at(s, 320, 0)), 0);
    assert_int_equal(alpha_of(screenshot_at(s, 320, 479)), 0);
    assert_int_equal(alpha_of(screenshot_at(s, 0, 240)), 0);
    assert_true(alpha_of(screenshot_at(s, 320, 240)) > 200);
}

// --- what is legible ---

OF_PIXELS(bands_let_a_fifth_of_the_picture_through)
{
    struct overlay_content c = sample_content();
    for (int light = 0; light <= 1; light++) {
        c.is_light = light;
        c.message[0] = '\0';
        const struct screenshot s = draw(&c, 1280, 720);
        assert_in_range(alpha_of(screenshot_at(s, 1, 1)), 255 * 75 / 100, 255 * 88 / 100);
        assert_int_equal(screenshot_at(s, 1, 1), screenshot_at(s, 1278, 718));
        assert_int_equal(max_alpha(s, upper_band_bottom(s), lower_band_top(s)), 0);
        c.tone = OVERLAY_REFUSED;
        SET(c.message, "refused");
        check_premultiplied(draw(&c, 643, 481));
    }
}

OF_PIXELS(text_has_contrast_over_any_picture)
{
    static const enum overlay_tone tones[] = {OVERLAY_NOTE, OVERLAY_REFUSED, OVERLAY_BROKEN};
    for (int light = 0; light <= 1; light++) {
        struct overlay_content c = sample_content();
        c.is_light = light;
        struct screenshot s = draw(&c, 1280, 720);
        const int bottom = upper_band_bottom(s), third = bottom / 3;
        const struct paint_box boxes[] = {{0, 0, 640, third},
                                          {900, 0, 380, third},
                                          {0, third, 300, third},
                                          {320, third, 580, third},
                                          {0, 2 * third + 8, 1280, bottom - 2 * third - 8},
                                          {0, lower_band_top(s), 1280, 720 - lower_band_top(s)}};
        for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
            assert_true(worst_contrast(s, boxes[i]) >= 7);

        sample_open_panels(&c, &panels, ALL_PANELS);
        s = draw(&c, 1280, 720);
        for (int i = 0; i < OVERLAY_PANELS; i++) {
            struct paint_box box;
            assert_true(overlay_box(o, OVERLAY_PANEL, i, &box));
            const struct paint_box title = {box.left + 6, box.top + 4, box.width / 3 - 6, 32};
            assert_true(worst_contrast(s, title) >= 7);
        }
        sample_open_panels(&c, &panels, 0);

        // Unsettled: visibly weaker, still legible.
        c.sides[0].is_settled = false;
        s = draw(&c, 1280, 720);
        const double grey = worst_contrast(s, boxes[2]);
        assert_true(grey >= 3);
        assert_true(grey < 7);
        assert_true(worst_contrast(s, boxes[3]) >= 3);

        for (size_t i = 0; i < sizeof tones / sizeof *tones; i++) {
            c.tone = tones[i];
            SET(c.message, "mmm mmm mmm mmm mmm\nmmm mmm");
            s = draw(&c, 1280, 720);
            int top = bottom;  // first row of the panel, two pixels inside of its outline
            while (alpha_of(screenshot_at(s, 640, top)) == 0) top++;
            assert_true(worst_contrast(s, (struct paint_box){600, top + 3, 80, 677 - top}) >= 7);
        }
    }
}

// The pixels that are background in only one of them: a change of shape, not only of colour.
static long count_changed_shapes(struct screenshot a, struct screenshot b, struct paint_box box)
{
    const uint32_t background = screenshot_at(a, box.left + 6, box.top + 3);
    long count = 0;
    for (int y = box.top; y < box.top + box.height; y++)
        for (int x = box.left; x < box.left + box.width; x++)
            count +=
                (screenshot_at(a, x, y) == background) != (screenshot_at(b, x, y) == background);
    return count;
}

// Settled or not, right or wrong must show in shapes, not in colours: compare only which pixels
// differ from their background.
OF_PIXELS(states_differ_without_colour)
{
    static const struct {
        bool is_settled;
        enum overlay_badge badge;
    } states[] = {{true, OVERLAY_BADGE_GOOD},
                  {false, OVERLAY_BADGE_GOOD},
                  {false, OVERLAY_BADGE_BAD},
                  {false, OVERLAY_BADGE_PENDING}};
    struct overlay_content c = sample_content();
    struct screenshot before = {0};
    SET(c.sides[0].badge_text, "same words");
    for (int i = 0; i < 4; i++) {
        c.sides[0].is_settled = states[i].is_settled;
        c.sides[0].badge = states[i].badge;
        const struct screenshot now = draw_fresh(&c, 1280, 720);
        if (i)
            assert_true(count_changed_shapes(before, now, (struct paint_box){0, 0, 1280, 110}) >
                        100);
        before = now;
    }
}

OF_MEMORY(any_script_draws_ink)
{
    static const char *const names[] = {"평균 필터.png", "ガウスぼかし.png", "Ü ñ ø", "\xff\xfe?"};
    struct overlay_content c = {.scale = 1};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        SET(c.sides[0].title, names[i]);
        const struct screenshot s = draw(&c, 640, 480);
        assert_true(worst_contrast(s, (struct paint_box){0, 0, 640, upper_band_bottom(s)}) >= 4);
    }
}

// --- what fits ---

// Nothing but background in a band's outermost columns.
static void check_margins(struct screenshot s)
{
    for (int y = 0; y < s.height; y++) {
        assert_int_equal(screenshot_at(s, 1, y), screenshot_at(s, 0, y));
        assert_int_equal(screenshot_at(s, s.width - 1, y), screenshot_at(s, 0, y));
        assert_int_equal(screenshot_at(s, s.width - 2, y), screenshot_at(s, 0, y));
    }
}

static void fill(char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) text[i] = i % 9 == 8 ? ' ' : 'W';
    text[size - 1] = '\0';
}

static void fill_side(struct overlay_side *words)
{
    fill(words->title, sizeof words->title);
    fill(words->time, sizeof words->time);
    fill(words->spread, sizeof words->spread);
    fill(words->speed, sizeof words->speed);
    fill(words->badge_text, sizeof words->badge_text);
    fill(words->detail, sizeof words->detail);
    words->badge = OVERLAY_BADGE_BAD;
}

// How many rows of pixels another last digit of each text changes. All digits have one width, so it
// moves nothing else. A picture has other digits in all texts whose numbers, from 1 on, have one
// bit in common: so the pictures in which a pixel changes say whose it is.
static void digit_heights(struct overlay_content *c, const int *size, char *const *texts, int count,
                          int *heights)
{
    overlay_update(o, c, size[0], size[1]);
    const struct screenshot before = take_shot();
    const size_t pixels = (size_t)before.width * (size_t)before.height;
    g_autofree unsigned char *numbers = g_malloc0(pixels);
    g_autofree char **ends = g_new(char *, (gsize)count);
    for (int i = 0; i < count; i++) assert_non_null(ends[i] = strrchr(texts[i], '1'));
    for (int bit = 0; count >> bit; bit++) {
        for (int i = 0; i < count; i++) *ends[i] = (i + 1) >> bit & 1 ? '7' : '1';
        if (c->help)
            c->hint[0] ^= 1;  // the overlay borrows its rows; the hint says that one is new
        const struct screenshot now = draw(c, size[0], size[1]);
        for (size_t i = 0; i < pixels; i++)
            numbers[i] |= (unsigned char)((now.pixels[i] != before.pixels[i]) << bit);
    }
    for (int i = 0; i < count; i++) *ends[i] = '1';
    memset(heights, 0, (size_t)count * sizeof *heights);
    for (size_t row = 0; row < pixels; row += (size_t)before.width) {
        bool is_there[256] = {false};
        for (size_t x = 0; x < (size_t)before.width; x++) is_there[numbers[row + x]] = true;
        for (int i = 1; i < 256; i++) {
            if (is_there[i] && i > count) fail_msg("a pixel is of no text");
            if (is_there[i]) heights[i - 1]++;
        }
    }
    g_ptr_array_set_size(kept, 0);
}

static int digit_height(struct overlay_content *c, char *text, const int *size)
{
    int rows;
    digit_heights(c, size, &text, 1, &rows);
    return rows;
}

// On a narrow window the device goes first: then its text no longer changes any pixel.
OF_PIXELS(the_title_outlives_the_device)
{
    static const int sizes[][2] = {{240, 800}, {1280, 720}};
    struct overlay_content c = sample_content();
    SET(c.sides[0].title, "Mean · shared · radius 5 · block 32×1");
    SET(c.device, "NVIDIA H201");
    for (int is_wide = 0; is_wide <= 1; is_wide++) {
        assert_int_equal(digit_height(&c, c.device, sizes[is_wide]) > 0, is_wide);
        assert_true(digit_height(&c, c.sides[0].title, sizes[is_wide]) > 0);
    }
}

enum { SECTIONS = 5, PER_SECTION = 8, HELP_LINES = SECTIONS * PER_SECTION };

// Figures are all of one width: changing the last one of a row moves nothing else. If the row were
// cut or missing, no pixel would change. Larger text makes pages: each row is on one of them, and
// larger than at scale 1.
OF_PIXELS(every_help_row_is_drawn_to_its_end)
{
    static const int sizes[][2] = {{640, 480}, {1280, 720}};
    char keys[HELP_LINES][32], texts[HELP_LINES][64], *ends[2 * HELP_LINES];
    int heights[2 * HELP_LINES], count = HELP_LINES;
    struct overlay_help rows[HELP_LINES];
    for (int i = 0; i < HELP_LINES; i++) {
        const bool is_title = i % PER_SECTION == 0;
        snprintf(keys[i], sizeof keys[i], i % 8 == 3 ? "PgUp PgDn 1" : "q 1");
        snprintf(texts[i], sizeof texts[i], i % 3 ? "halve, double the block's width 1" : "more 1");
        rows[i] = (struct overlay_help){is_title ? NULL : keys[i], texts[i]};
        ends[i] = texts[i];
        if (!is_title) ends[count++] = keys[i];
    }
    SET(texts[20], "a longer row makes all pages a little smaller 1");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct overlay_content c = sample_content();
        int usual, large = 0, seen[HELP_LINES] = {0};
        c.help = rows;
        c.help_count = HELP_LINES;
        digit_heights(&c, sizes[s], ends, count, heights);
        for (int i = 0; i < count; i++) assert_in_range(heights[i], 3, 60);
        assert_int_equal(overlay_help_pages(o), 1);
        usual = heights[1];
        const struct screenshot all = look();
        // The panel ends inside the window: only the scrim touches its edge.
        for (int x = 0; x < all.width; x++) {
            assert_int_equal(screenshot_at(all, x, 0), screenshot_at(all, 0, 0));
            assert_int_equal(screenshot_at(all, x, all.height - 1), screenshot_at(all, 0, 0));
        }
        check_margins(all);
        c.scale = 3;
        for (int pages = 1; c.help_page < pages && s > 0; c.help_page++) {
            digit_heights(&c, sizes[s], ends, HELP_LINES, heights);
            for (int i = 0; i < HELP_LINES; i++) {
                seen[i] += heights[i] > 0;
                if (!heights[i] || i % PER_SECTION == 0) continue;
                if (!large) large = heights[i];
                assert_int_equal(heights[i], large);
            }
            pages = overlay_help_pages(o);
        }
        if (s == 0) continue;
        assert_true(large > 1.4 * usual);
        for (int i = 0; i < HELP_LINES; i++)
            if (seen[i] != 1) fail_msg("%d wide: row %d is on %d pages", sizes[s][0], i, seen[i]);
        assert_in_range(c.help_page, 2, SECTIONS);
    }
}

// A log's lines are cut to what fits: more of them no longer change anything.
OF_MEMORY(long_logs_are_cut)
{
    struct overlay_content c = sample_content();
    c.tone = OVERLAY_BROKEN;
    SET(c.message, "mean.cu does not compile");
    for (int i = 0; i < 60; i++) strcat(c.message, "\nmean.cu(41): error: ';'");
    const struct screenshot many = draw_fresh(&c, 640, 480);
    for (int i = 0; i < 60; i++) strcat(c.message, "\nmean.cu(52): warning");
    const struct screenshot more = draw_fresh(&c, 640, 480);
    assert_int_equal(count_changed_rows(many, more), 0);
    memcpy(strchr(c.message, '\n') + 1, "moan", 4);
    const struct screenshot other = draw_fresh(&c, 640, 480);
    assert_true(count_changed_rows(more, other) > 3);
}

// But not the compiler's first words, which may end with the mended ones.
OF_MEMORY(a_logs_head_is_whole)
{
    struct overlay_content c = sample_content();
    c.tone = OVERLAY_BROKEN;
    open_docks(&c, 1, 0);
    SET(c.message, "transpose.cu:97:5: 'turn_squar' was not declared in this scope; did you mean "
                   "'turn_square'?\n    turn_squar(b, a, columns, rows, PLAIN);\n    ^");
    const struct screenshot one = draw_fresh(&c, 1280, 720);
    memcpy(strstr(c.message, "square'?"), "spooky", 6);
    const struct screenshot other = draw_fresh(&c, 1280, 720);
    assert_true(count_changed_rows(one, other) > 3);
}

OF_MEMORY(every_size_and_scale_survives)
{
    static const struct overlay_help help[] = {{NULL, "Keys"}, {"PgUp PgDn", "radius by eight"}};
    static const double scales[] = {0.5, 1, 2.5, 4, 0, -1, 1000};
    for (int size = 1; size <= 64; size += size < 8 ? 1 : 7)
        for (int other = 1; other <= 64; other += 21)
            for (int what = 0; what < 5; what++) {
                struct overlay_content c = sample_content();
                c.scale = scales[(size + other + what) % 7];
                c.tone = what < 3 ? (enum overlay_tone)what : OVERLAY_NOTE;
                c.sides[0].badge = (enum overlay_badge)(what % 4);
                if (what < 3) SET(c.message, "a headline of words\nand more\nlines of text");
                if (what == 4) c.help = help, c.help_count = 2;
                overlay_update(o, &c, size, other);
                assert_int_equal(overlay_pixels(o).width, size);
                assert_int_equal(overlay_pixels(o).height, other);
                const struct screenshot s = look();
                check_premultiplied(s);
            }
}

OF_PIXELS(text_grows_with_its_scale)
{
    struct overlay_content c = sample_content();
    int last = 0;
    for (double scale = 0.5; scale <= 4; scale += 0.5) {
        c.scale = scale;
        const struct screenshot s = draw(&c, 1920, 1080);
        const int height = upper_band_bottom(s);
        assert_true(height > last);
        last = height;
    }
}

// --- panels ---

// --- what keeps clear of what ---

// Draws a scene. Panels, legends and the caption are in the room that bands and docks leave, and
// none lies over another. The last panel shows if any does, and a line tells of hidden ones.
// Returns one bit for each panel that is shown.
static unsigned check_scene(const struct overlay_content *c, const int *size)
{
    static const struct {
        enum overlay_region region;
        int count;
    } kinds[] = {{OVERLAY_PANEL, OVERLAY_PANELS + 1}, {OVERLAY_LEGEND, 2}, {OVERLAY_CAPTION, 1}};
    const void *const contents[] = {c->panels.grid, c->panels.bars, c->panels.sweep,
                                    c->panels.heat};
    const struct screenshot s = draw(c, size[0], size[1]);
    const struct paint_box room = overlay_room(o);
    struct paint_box boxes[OVERLAY_PANELS + 4];
    unsigned shown = 0, open = 0;
    int count = 0, last = 0;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int i = 0; i < kinds[kind].count; i++) {
            struct paint_box *box = &boxes[count];
            if (!overlay_box(o, kinds[kind].region, i, box)) continue;
            if (!paint_is_inside(*box, room) || box->left <= 0 || box->left + box->width >= size[0])
                fail_msg("%dx%d at %g: %zu, %d leaves its room", size[0], size[1], c->scale, kind,
                         i);
            for (int k = 0; k < count; k++)
                if (paint_has_overlap(boxes[k], *box))
                    fail_msg("%dx%d at %g: %zu, %d lies over another", size[0], size[1], c->scale,
                             kind, i);
            count++;
            if (kind > 0 || i == OVERLAY_PANELS) continue;
            assert_true(alpha_of(screenshot_at(s, box->left + box->width / 2, box->top + 2)) > 200);
            shown |= 1u << i;
        }
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        if (!contents[i]) continue;
        if (!open || c->panels.opened[i] >= c->panels.opened[last]) last = i;
        open |= 1u << i;
    }
    if (shown) assert_true(shown & 1u << last);
    const bool has_more = overlay_box(o, OVERLAY_PANEL, OVERLAY_PANELS, &boxes[0]);
    if ((shown == open || room.height >= 40) && has_more != (shown != open))
        fail_msg("%dx%d at %g: %x of %x, room %g", size[0], size[1], c->scale, shown, open,
                 room.height);
    return shown;
}

static const char long_caption[] =
    "Running sums cost the same at every radius: each thread adds what enters the window and "
    "takes away what leaves it. So the time over the radius is a flat line, and at radius 64, "
    "where the naive kernel needs 16 641 reads a pixel, it needs 4: up and down, 1";

// A long caption leaves room for the panel that was opened last, too.
OF_PIXELS(panels_keep_to_their_places)
{
    for (size_t i = 0; i < sizeof window_sizes / sizeof *window_sizes; i++)
        for (size_t k = 0; k < sizeof text_scales / sizeof *text_scales; k++)
            for (int turn = 0; turn < 2 * OVERLAY_PANELS; turn++) {
                const int *size = window_sizes[i], last = turn / 2, has_caption = turn % 2;
                const bool is_lecture = i >= 1 && i <= 3 && text_scales[k] >= 1;
                if (is_too_huge(size, text_scales[k]) || (has_caption && !is_lecture && last))
                    continue;
                struct overlay_content c = sample_content();
                c.scale = text_scales[k];
                c.panels.opened[last] = 9;
                c.legends[0] =
                    (struct legend){COLOR_MAP_SIGNED, "", "−2147483648", "2147483647", 0.5};
                sample_open_panels(&c, &panels, ALL_PANELS);
                if (has_caption) sample_use_long_words(&c, &panels);
                if (has_caption) SET(c.caption, long_caption);
                const unsigned shown = check_scene(&c, size);
                struct paint_box legend;
                if (is_lecture) assert_true(shown);
                if (size[0] < 640) assert_int_equal(shown & (shown - 1), 0);
                if (has_caption) continue;
                if (size[0] >= 1280 && size[1] >= 720 && text_scales[k] <= 1)
                    assert_int_equal(shown, ALL_PANELS);
                if (size[0] >= 640 && size[1] >= 480) assert_true(shown || text_scales[k] > 1);
                if (is_lecture && text_scales[k] == 1)
                    assert_true(overlay_box(o, OVERLAY_LEGEND, 0, &legend));
            }
}

// A note makes the legend higher, and as wide as the note is. Where that is too much, all of it is
// smaller.
OF_PIXELS(a_legend_has_room_for_its_note)
{
    static const int sizes[][2] = {{1280, 720}, {1920, 1080}};
    for (int i = 0; i < 2; i++)
        for (int scale = 1; scale <= 2; scale++) {
            struct overlay_content c = sample_content();
            struct paint_box plain, noted;
            c.scale = scale;
            c.legends[0] = (struct legend){COLOR_MAP_RAMP, "", "0", "6 blocks a sector", -1, ""};
            overlay_update(o, &c, sizes[i][0], sizes[i][1]);
            assert_true(overlay_box(o, OVERLAY_LEGEND, 0, &plain));
            SET(c.legends[0].note, "in, sector 123456789: 4096 requests of 1024 warps");
            assert_true(overlay_update(o, &c, sizes[i][0], sizes[i][1]));
            assert_true(overlay_box(o, OVERLAY_LEGEND, 0, &noted));
            assert_true(noted.height > plain.height);
            assert_true(scale > 1 || noted.height > 1.5 * plain.height);
            assert_true(scale > 1 || noted.width > plain.width);
            assert_in_range(noted.width, 1, sizes[i][0] / 2);
        }
}

// Each legend of a pair stands in its own part of the picture, wherever the divider is, and a
// caption at the lower middle.
OF_PIXELS(words_keep_to_their_places)
{
    static const char *const captions[] = {
        "", "naive takes 1.41 ms, shared 0.412 ms:\n3.42 times as fast.",
        "Running sums cost the same at every radius: each thread adds what enters the window and "
        "takes away what leaves it.\n그래서 반지름이 커져도 시간은 그대로입니다. "
        "実行時間は半径に依存しない。"};
    static const double dividers[] = {-9, 0.1, 0.5, 0.9, 2};
    for (size_t i = 0; i < sizeof window_sizes / sizeof *window_sizes; i++)
        for (size_t k = 0; k < sizeof text_scales / sizeof *text_scales; k++)
            for (int turn = 0; turn < 11; turn++) {
                const int width = window_sizes[i][0], height = window_sizes[i][1];
                const double scale = text_scales[k], part = dividers[turn / 2 % 5];
                struct overlay_content c = turn < 10 ? sample_pair() : sample_content();
                struct paint_box box;
                if (is_too_huge(window_sizes[i], scale)) continue;
                c.scale = scale;
                SET(c.caption, captions[turn % 3]);
                c.legends[0] = (struct legend){COLOR_MAP_GREY, "A", "0", "255", -1};
                if (turn < 10)
                    c.legends[1] = (struct legend){COLOR_MAP_SIGNED, "B", "−328", "328", 0.5};
                c.pair.divider = part * width;
                c.pair.is_flipped = turn % 2;
                check_scene(&c, window_sizes[i]);
                const struct paint_box room = overlay_room(o);
                for (int legend = 0; legend < 2 && turn < 10; legend++) {
                    const bool is_right = legend != turn % 2;
                    const bool is_there = overlay_box(o, OVERLAY_LEGEND, legend, &box);
                    if (part == 0.5 && i >= 1 && i <= 3 && !*c.caption) assert_true(is_there);
                    if (!is_there) continue;
                    if (is_right) assert_true(box.left >= c.pair.divider);
                    if (!is_right) assert_true(box.left + box.width <= c.pair.divider);
                }
                const bool has_caption = overlay_box(o, OVERLAY_CAPTION, 0, &box);
                if (!*c.caption) assert_false(has_caption);
                if (!*c.caption || scale > 2 || width < 640 || height < 480) continue;
                assert_true(has_caption);
                assert_true(box.top + box.height > room.top + room.height - height / 20 * scale);
                assert_in_range(2 * box.left + box.width, width - 2, width + 2);
                assert_true(box.width <= 0.7 * width || scale > 1 || width < height * 3 / 2);
            }
}

// If there is no room around the panels, the note stands between them.
OF_PIXELS(notes_keep_clear_of_panels)
{
    for (size_t i = 0; i < sizeof lecture_sizes / sizeof *lecture_sizes; i++)
        for (unsigned open = 0; open <= ALL_PANELS; open++)
            for (int turn = 0; turn < 4; turn++) {
                struct overlay_content c = turn % 2 ? sample_pair() : sample_content();
                const int height = lecture_sizes[i][1];
                struct paint_box note, panel;
                if (i != 1 && open != ALL_PANELS) continue;
                if (turn / 2) SET(c.caption, "words that are low");
                SET(c.message, "saved tilescope-1.png");
                if (turn < 2)
                    SET(panels.grid, "block 30, 57 of 60×135 in 3 planes\nthreads\t32×8 = 256\n"
                                     "writes\t32×8 pixels from 960, 456\nreads\t38×14 pixels, a "
                                     "halo of 3\nloads a pixel\t49\nhalo\t+108 % of the pixels");
                sample_open_panels(&c, &panels, open);
                check_scene(&c, lecture_sizes[i]);
                assert_true(overlay_box(o, OVERLAY_MESSAGE, 0, &note));
                assert_true(note.width > 100 && paint_is_inside(note, overlay_room(o)));
                for (int k = 0; k < OVERLAY_PANELS; k++)
                    if (overlay_box(o, OVERLAY_PANEL, k, &panel))
                        assert_false(paint_has_overlap(panel, note));
                if (!open && turn < 2) assert_true(note.top > height * 8 / 10);
                if (i && open & 1u << OVERLAY_BARS) assert_true(note.top < height * 4 / 10);
            }
}

// Alone, of a pair, or over the memory lens, which leaves little height; and where not even one
// panel fits.
OF_PIXELS(what_is_left_out_is_said)
{
    int without = 0;
    for (const struct lecture *at = lectures; at <= last_lecture; at++)
        for (int kind = 0; kind < 3; kind++) {
            struct overlay_content c = kind == 1 ? sample_pair() : sample_content();
            if (kind == 2) open_docks(&c, 0, 1);
            sample_use_long_words(&c, &panels);
            c.scale = at->scale;
            sample_open_panels(&c, &panels, ALL_PANELS);
            c.panels.opened[kind == 2 ? OVERLAY_GRID : OVERLAY_BARS] = 9;
            if (kind == 2)
                c.panels.grid = "pixel 960, 540\nin\t160\nout\t165\nblock\t30, 67\nthread\t0, 4\n"
                                "threads\t256\nwrites\t32\nreads\t38\nloads\t49\nhalo\t+108 %\n"
                                "idle\tnone";
            assert_true(check_scene(&c, at->size));
        }
    for (int height = 60; height < 400; height += 12) {
        struct overlay_content c = sample_content();
        sample_open_panels(&c, &panels, ALL_PANELS);
        without += !check_scene(&c, (int[]){700, height}) && overlay_room(o).height >= 40;
    }
    assert_true(without > 0);
}

static struct paint_box grid_box(const struct overlay_content *c)
{
    struct paint_box box = {0};
    overlay_update(o, c, 1280, 720);
    assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_GRID, &box));
    return box;
}

// The panel stays if there is another one, or if it would cover the block there, too.
OF_PIXELS(the_block_under_the_cursor_stays_in_sight)
{
    struct overlay_content c = sample_content();
    sample_open_panels(&c, &panels, 1 << OVERLAY_GRID | 1 << OVERLAY_BARS);
    const struct paint_box left = grid_box(&c);
    assert_true(left.left + left.width < 640);
    c.panels.pointed = (struct paint_box){left.left, left.top, 8, 4};
    const struct paint_box right = grid_box(&c);
    assert_int_equal(right.left + right.width, 1280 - left.left);
    assert_int_equal(right.top, left.top);
    c.panels.pointed.left += left.width;
    assert_int_equal(grid_box(&c).left, left.left);
    c.panels.pointed = (struct paint_box){0, left.top, 1280, 4};
    assert_int_equal(grid_box(&c).left, left.left);
    c.panels.pointed.width = 100;
    sample_open_panels(&c, &panels, ALL_PANELS);
    assert_int_equal(grid_box(&c).left, left.left);
}

// The log becomes smaller instead.
OF_PIXELS(a_log_in_large_text_leaves_the_bands)
{
    struct overlay_content c = sample_content();
    struct paint_box log;
    c.scale = 4;
    c.tone = OVERLAY_BROKEN;
    SET(c.message, "mean.cu:29: error: identifier \"sums\" is undefined\n"
                   "    sums += load(in, x, y);\n    ^\n1 error detected");
    overlay_update(o, &c, 800, 600);
    assert_true(overlay_box(o, OVERLAY_MESSAGE, 0, &log));
    assert_true(paint_is_inside(log, overlay_room(o)));
}

OF_PIXELS(a_panel_is_drawn_again_with_its_content)
{
    struct overlay_content c = sample_content();
    sample_open_panels(&c, &panels, ALL_PANELS);
    overlay_update(o, &c, 1280, 720);
    assert_false(overlay_update(o, &c, 1280, 720));
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        struct paint_box box;
        assert_true(overlay_box(o, OVERLAY_PANEL, i, &box));
        const struct screenshot before = take_shot();
        assert_false(overlay_update(o, &c, 1280, 720));
        panels.grid[6] += i == OVERLAY_GRID;
        panels.bars.rows[0].ms += i == OVERLAY_BARS ? 0.4 : 0;
        panels.points[0][0].y *= i == OVERLAY_SWEEP ? 3 : 1;
        panels.cells[0].ms += i == OVERLAY_HEAT ? 2 : 0;
        assert_true(overlay_update(o, &c, 1280, 720));
        const struct overlay_pixels p = overlay_pixels(o);
        assert_int_equal(p.damage_count, 1);
        assert_memory_equal(&p.damage[0], &box, sizeof box);
        const struct screenshot after = look();
        check_outside_damage(p, before, after);
        assert_true(count_changes(before, after, box) > 20);
    }
}

// Flips one bit at a time, in place, of all that two plots show.
OF_PIXELS(plots_are_told_apart_by_all_they_show)
{
    char texts[6][16] = {"title", "caption", "x", "y", "floor", "note"};
    int widths[9], heights[7];
    struct sample_panels *p = &panels;
    memcpy(widths, p->map.widths, sizeof widths);
    memcpy(heights, p->map.heights, sizeof heights);
    p->sweep.title = p->heat.title = texts[0];
    p->sweep.caption = p->heat.caption = texts[1];
    p->curves.x_label = texts[2], p->curves.y_label = texts[3], p->curves.floor_label = texts[4];
    p->map.widths = widths, p->map.heights = heights;
    p->marks.note = texts[5];
    void *const shown[] = {texts[0],
                           texts[1],
                           texts[2],
                           texts[3],
                           texts[4],
                           texts[5],
                           &p->sweep.is_compact,
                           &p->points[VARIANTS - 1][RADII - 1].upper,
                           p->list[VARIANTS - 1].label,
                           &p->list[0].is_emphasised,
                           &p->list[0].count,
                           &p->xs[RADII - 1],
                           &p->curves.floor,
                           &p->curves.has_crossings,
                           &p->curves.has_mark,
                           &p->curves.mark_x,
                           p->map.title,
                           &widths[8],
                           &heights[6],
                           &p->cells[CELLS - 1].ms,
                           &p->cells[CELLS - 1].is_pending,
                           &p->cells[CELLS - 1].is_wrong,
                           &p->marks.present,
                           &p->marks.cursor};
    const uint64_t sweep = plot_hash(&p->sweep), heat = plot_hash(&p->heat);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        unsigned char *byte = shown[i];
        *byte ^= 1;
        if (plot_hash(&p->sweep) == sweep && plot_hash(&p->heat) == heat) fail_msg("place %zu", i);
        *byte ^= 1;
        assert_true(plot_hash(&p->sweep) == sweep && plot_hash(&p->heat) == heat);
    }
}

// The pixels of one colour in a box: how many, and where their middle is.
struct blob {
    long count;
    double x, y;
};

static struct blob find_color(struct screenshot s, struct paint_box box, struct paint_color color)
{
    const int wanted[] = {(int)lround(255 * color.blue), (int)lround(255 * color.green),
                          (int)lround(255 * color.red)};
    struct blob blob = {0, 0, 0};
    for (int y = box.top; y < box.top + box.height; y++)
        for (int x = box.left; x < box.left + box.width; x++) {
            bool is_near = true;
            for (int i = 0; i < 3; i++)
                is_near &= abs((int)(screenshot_at(s, x, y) >> 8 * i & 255) - wanted[i]) <= 1;
            if (!is_near) continue;
            blob.count++;
            blob.x += x;
            blob.y += y;
        }
    blob.x /= blob.count ? (double)blob.count : 1;
    blob.y /= blob.count ? (double)blob.count : 1;
    return blob;
}

OF_PIXELS(what_is_found_is_what_is_drawn)
{
    struct paint_box box;
    struct overlay_hit hit;
    for (int light = 0; light <= 1; light++)
        for (double scale = 0.75; scale <= 1.5; scale += 0.25) {
            struct overlay_content c = sample_content();
            c.is_light = light;
            c.scale = scale;
            sample_open_panels(&c, &panels, ALL_PANELS);
            const struct screenshot s = draw(&c, 1701, 1003);

            // Every bar has its curve's colour, and is as long as its time.
            double length = 0;
            assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_BARS, &box));
            for (int i = 0; i < VARIANTS; i++) {
                const struct blob bar = find_color(s, box, plot_style_color(light, i));
                assert_true(overlay_find(o, bar.x, bar.y, &hit));
                assert_int_equal(hit.panel, OVERLAY_BARS);
                assert_int_equal(hit.index, i);
                const double area = (double)bar.count;
                if (!i) length = area;
                assert_true(fabs(area * (i + 1) / length - 1) < 0.12);
            }
            assert_true(overlay_find(o, box.left + 9, box.top + 3, &hit));  // the title
            assert_int_equal(hit.index, -1);

            assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_HEAT, &box));
            static const struct paint_color outlines[] = {{1.0, 0.62, 0.25, 1}, {0.83, 0.30, 0, 1}};
            struct paint_box above_key = box;
            above_key.height = box.height * 8 / 10;
            const struct blob best = find_color(s, above_key, outlines[light]);
            assert_true(best.count > 100);
            assert_true(overlay_find(o, best.x, best.y, &hit));
            assert_int_equal(hit.panel, OVERLAY_HEAT);
            assert_int_equal(hit.index, BEST_CELL);

            // The line of the present radius: the column with most pixels of text colour.
            assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_SWEEP, &box));
            int line = box.left, most = 0;
            for (int x = box.left + 4; x < box.left + box.width - 4; x++) {
                int count = 0;
                for (int y = box.top; y < box.top + box.height; y++) {
                    const int value = (int)(screenshot_at(s, x, y) >> 8 & 255);
                    count += light ? value < 110 : value > 150;
                }
                if (count > most) most = count, line = x;
            }
            assert_true(overlay_find(o, line, box.top + box.height / 2.0, &hit));
            assert_int_equal(hit.panel, OVERLAY_SWEEP);
            assert_true(fabs(hit.value - 8) < 0.25);
            assert_true(overlay_find(o, box.left + box.width - 3, box.top + 3, &hit));
            assert_true(hit.value < 0);
        }
}

// Every cell of the map is found once, and nothing outside it.
OF_MEMORY(cells_are_found)
{
    struct paint_box box;
    struct overlay_hit hit;
    struct overlay_content c = sample_content();
    long seen[CELLS] = {0}, beside = 0;
    sample_open_panels(&c, &panels, 1u << OVERLAY_HEAT);
    overlay_update(o, &c, 1280, 720);
    assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_HEAT, &box));
    for (int y = box.top; y < box.top + box.height; y += 2)
        for (int x = box.left; x < box.left + box.width; x += 2) {
            assert_true(overlay_find(o, x, y, &hit));
            assert_in_range(hit.index + 1, 0, CELLS);
            ++*(hit.index < 0 ? &beside : &seen[hit.index]);
        }
    assert_true(beside > 250);
    for (int i = 0; i < CELLS; i++) assert_in_range(seen[i], seen[0] * 9 / 10, seen[0] * 11 / 10);
    assert_false(overlay_find(o, box.left - 1, box.top + 9, &hit));
    assert_false(overlay_find(o, box.left + box.width, box.top + 9, &hit));
}

static void check_shapes(const struct overlay_content *c, enum overlay_panel panel,
                         const char *change)
{
    struct paint_box box;
    const struct screenshot before = take_shot();
    overlay_update(o, c, 1280, 720);
    const struct screenshot after = take_shot();
    assert_true(overlay_box(o, OVERLAY_PANEL, panel, &box));
    if (count_changed_shapes(before, after, box) <= 20) fail_msg("only colours: %s", change);
}

#define TELL(panel, change)               \
    do {                                  \
        change;                           \
        check_shapes(&c, panel, #change); \
    } while (0)

OF_PIXELS(panels_tell_without_colour)
{
    struct overlay_content c = sample_content();
    struct bar *rows = panels.bars.rows;
    sample_open_panels(&c, &panels, ALL_PANELS);
    overlay_update(o, &c, 1280, 720);
    TELL(OVERLAY_BARS, rows[PRESENT].is_present = false);
    TELL(OVERLAY_BARS, rows[1].is_stale = true);
    rows[1].is_stale = false;
    TELL(OVERLAY_BARS, rows[1].state = BARS_WRONG);
    TELL(OVERLAY_BARS, rows[1].state = BARS_REFUSED);
    TELL(OVERLAY_BARS, rows[BEST].state = BARS_MEASURING);
    TELL(OVERLAY_HEAT, panels.cells[20].is_wrong = true);
    TELL(OVERLAY_HEAT, panels.cells[20].ms = PLOT_REFUSED);
    TELL(OVERLAY_HEAT, panels.cells[20].ms = PLOT_UNKNOWN);
    TELL(OVERLAY_HEAT, panels.marks.note = "a reason");
}

static long count_ink(struct screenshot s, struct paint_box box)
{
    long count = 0;
    for (int y = box.top; y < box.top + box.height; y++)
        for (int x = box.left; x < box.left + box.width; x++) count += screenshot_at(s, x, y) != 0;
    return count;
}

// Many rows, long words, empty maps: nothing leaves its panel.
OF_MEMORY(strange_panels_stay_in_their_boxes)
{
    static const int sizes[][2] = {{1280, 720}, {700, 500}, {400, 300}, {90, 70}};
    panels.bars.count = BARS_MAX;
    for (int i = 0; i < BARS_MAX; i++) {
        struct bar *b = &panels.bars.rows[i];
        fill(b->name, sizeof b->name);
        fill(b->reason, sizeof b->reason);
        b->ms = i % 3 ? 1e-7 : 123456;
        b->over_naive = 1e9;
        b->state = (enum bars_state)(i % 5);
    }
    fill(panels.grid, sizeof panels.grid);
    panels.grid[100] = '\n';
    panels.grid[150] = '\t';
    for (int turn = 0; turn < 3; turn++) {
        if (turn == 1) panels.bars.count = 0, panels.map.columns = 0, panels.curves.count = 0;
        if (turn == 2) panels.sweep.curves = NULL, panels.grid[0] = '\0';
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (unsigned open = 1; open <= ALL_PANELS; open++) {
                // In a large window each keeps to its place, with others or alone.
                if (!i && open != ALL_PANELS && open & (open - 1)) continue;
                struct overlay_content c = {.scale = 1};
                sample_open_panels(&c, &panels, open);
                const struct screenshot s = draw(&c, sizes[i][0], sizes[i][1]);
                struct paint_box box;
                check_premultiplied(s);
                long ink = count_ink(s, (struct paint_box){0, 0, s.width, s.height});
                for (int k = 0; k <= OVERLAY_PANELS; k++)
                    if (overlay_box(o, OVERLAY_PANEL, k, &box)) ink -= count_ink(s, box);
                assert_int_equal(ink, 0);  // none overlap
            }
    }
}

// --- two pictures ---

static bool is_blank(struct screenshot s, int left, int right, int top, int bottom)
{
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            if (screenshot_at(s, x, y) != screenshot_at(s, 1, 1)) return false;
    return true;
}

// Nothing leaves the window. Neither column of a pair leaves its half, and in it the badge, whose
// disc is the first thing of that colour in its column, stands free.
OF_PIXELS(texts_stay_in_their_columns)
{
    for (size_t i = 0; i < sizeof window_sizes / sizeof *window_sizes - 1; i++)
        for (size_t k = 0; k < sizeof text_scales / sizeof *text_scales; k++)
            for (int turn = 0; turn < 4; turn++) {
                const bool is_pair = turn % 2, is_long = turn / 2;
                const int width = window_sizes[i][0], height = window_sizes[i][1];
                const int middle = width / 2;
                struct overlay_content c = is_pair ? sample_pair() : sample_content();
                char *const texts[] = {c.device, c.status, c.hint, c.pair.difference, c.pair.ratio};
                const size_t text_sizes[] = {sizeof c.device, sizeof c.status, sizeof c.hint,
                                             sizeof c.pair.difference, sizeof c.pair.ratio};
                if (is_too_huge(window_sizes[i], text_scales[k])) continue;
                c.scale = text_scales[k];
                c.pair.divider = width / 3.0;
                for (int side = 0; side < 2 && is_long; side++) fill_side(&c.sides[side]);
                for (int text = 0; text < 5 && is_long; text++) fill(texts[text], text_sizes[text]);
                const struct screenshot s = draw(&c, width, height);
                const int bottom = upper_band_bottom(s);
                assert_true(bottom <= lower_band_top(s));
                check_margins(s);
                if (!is_pair) continue;
                assert_true(bottom > 0);
                assert_true(is_blank(s, middle - 3, middle, 0, bottom));
                const int free_x =
                    middle + 3 +
                    (int)(fmin(width / 120.0, height / 67.0) * fmin(text_scales[k], 1));
                if (!is_blank(s, free_x, free_x + 1, 0, bottom))
                    fail_msg("%d wide at %g, long %d: x %d", width, text_scales[k], is_long,
                             free_x);
                for (int side = 0; side < 2 && !is_long && width >= 640; side++) {
                    const struct blob disc =
                        find_color(s, (struct paint_box){side * middle, 0, middle, bottom},
                                   paint_theme(false)->good);
                    if (!disc.count) continue;  // the window is too low
                    const double radius = sqrt((double)disc.count / G_PI) + 1;
                    const int edge = (int)(disc.x - 1.4 * radius);
                    assert_true(is_blank(s, edge - 3, edge, (int)(disc.y - radius),
                                         (int)(disc.y + radius)));
                }
            }
}

OF_PIXELS(both_columns_tell_their_own)
{
    struct overlay_content c = sample_pair();
    const struct screenshot all = draw_fresh(&c, 1280, 720);
    for (int side = 0; side < 2; side++) {
        struct overlay_side *words = &c.sides[side];
        char *const texts[] = {words->title, words->time,       words->spread,
                               words->speed, words->badge_text, words->detail};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            const char first = texts[i][0];
            texts[i][0] = first == '9' ? '8' : '9';
            const struct screenshot other = draw_fresh(&c, 1280, 720);
            assert_true(count_changes(all, other, (struct paint_box){640 * side, 0, 640, 720}) > 3);
            texts[i][0] = first;
        }
    }
}

// Parts that are left out leave their room to the others.
OF_PIXELS(what_loses_a_part_is_as_large_as_without_it)
{
    static const int size[] = {1280, 720};
    struct overlay_content c = sample_pair();
    struct overlay_side *words = &c.sides[1];
    char much[64];
    fill(much, sizeof much);
    SET(c.sides[0].speed, "");
    SET(words->speed, "45.1 % of copy   2.3× naive");
    const int height = digit_height(&c, words->speed, size);
    assert_true(height > 6);
    snprintf(words->speed, sizeof words->speed, "45.1 %% of copy   2.3× naive   %s%s", much, much);
    assert_int_equal(digit_height(&c, words->speed, size), height);
}

OF_PIXELS(the_side_of_keys_is_marked_without_colour)
{
    struct overlay_content c = sample_pair();
    for (int light = 0; light <= 1; light++) {
        c.is_light = light;
        const struct paint_color text = paint_theme(light)->text;
        for (c.pair.active = 0; c.pair.active < 2; c.pair.active++) {
            const struct screenshot s = draw(&c, 1280, 720);
            const int bottom = upper_band_bottom(s);
            long filled[2];
            for (int side = 0; side < 2; side++)
                filled[side] =
                    find_color(s, (struct paint_box){640 * side + 8, 0, 70, bottom * 2 / 3}, text)
                        .count;
            assert_true(filled[c.pair.active] > 2 * filled[!c.pair.active]);
        }
    }
}

// The active side has the filled letter at the divider.
OF_PIXELS(letters_at_the_divider_follow_the_flip)
{
    struct overlay_content c = sample_pair();
    c.pair.divider = 700;
    for (int turn = 0; turn < 4; turn++) {
        c.pair.active = turn / 2;
        c.pair.is_flipped = turn % 2;
        const struct screenshot s = draw(&c, 1280, 720);
        const int top = upper_band_bottom(s);
        const struct paint_color text = paint_theme(false)->text;
        const struct paint_box left = {700 - 60, top, 60, 60}, right = {700, top, 60, 60};
        const long filled[] = {find_color(s, left, text).count, find_color(s, right, text).count};
        const int expected = c.pair.active != c.pair.is_flipped;
        assert_true(filled[!expected] > 50);
        assert_true(filled[expected] > 1.5 * (double)filled[!expected]);
        assert_int_equal(find_color(s, (struct paint_box){697, top, 6, 60}, text).count, 0);
    }
    for (int x = 0; x <= 1280; x += 20) {  // one that would leave the window is not drawn
        c.pair.divider = x;
        const struct screenshot s = draw(&c, 1280, 720);
        const int top = upper_band_bottom(s);
        for (int y = top; y < top + 60; y++) {
            assert_int_equal(screenshot_at(s, 0, y), 0);
            assert_int_equal(screenshot_at(s, 1279, y), 0);
        }
    }
}

OF_PIXELS(letters_are_not_drawn_on_panels)
{
    struct paint_box box;
    struct overlay_content c = sample_pair();
    sample_open_panels(&c, &panels, 1u << OVERLAY_SWEEP);
    overlay_update(o, &c, 1280, 720);
    assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_SWEEP, &box));
    const struct screenshot before = take_shot();
    for (c.pair.divider = box.left - 60; c.pair.divider < 1280; c.pair.divider += 13) {
        const struct screenshot after = draw(&c, 1280, 720);
        assert_int_equal(count_changes(before, after, box), 0);
    }
}

// --- words of a lecture, and notes ---

OF_PIXELS(captions_are_the_largest_words_but_the_time)
{
    static const int size[] = {1920, 1080};
    struct overlay_content c = sample_content();
    SET(c.sides[0].title, "HH1");
    SET(c.sides[0].time, "111");
    SET(c.caption, "HH1");
    const int caption = digit_height(&c, c.caption, size);
    const int title = digit_height(&c, c.sides[0].title, size);
    assert_true(title > 10);
    assert_true(caption > 1.5 * title);
    assert_true(caption < digit_height(&c, c.sides[0].time, size));
}

OF_PIXELS(captions_are_legible_and_outlive_hidden_bands)
{
    for (int light = 0; light <= 1; light++) {
        struct overlay_content c = {.scale = 1, .is_hidden = true, .is_light = light};
        struct paint_box box;
        SET(c.caption, "mmm mmm mmm\nmmm 1");
        const struct screenshot s = draw(&c, 1280, 720);
        assert_true(overlay_box(o, OVERLAY_CAPTION, 0, &box));
        assert_true(worst_contrast(s, paint_inset(box, 8)) >= 7);
    }
}

// --- every size at every scale ---

enum { MAX_ENDS = 11 };

static void check_ends(struct overlay_content *c, char *const *texts, int count, const int *size,
                       int *heights)
{
    digit_heights(c, size, texts, count, heights);
    for (int i = 0; i < count; i++)
        if (!heights[i]) fail_msg("%dx%d at %g: cut: %s", size[0], size[1], c->scale, texts[i]);
}

static void check_end(struct overlay_content *c, char *text, const int *size)
{
    int height;
    check_ends(c, &text, 1, size, &height);
}

// A status that is too long, with the picture's name in its second part.
static struct overlay_content content_of_long_status(bool is_pair, double scale, const char *name)
{
    struct overlay_content c = is_pair ? sample_pair() : sample_content();
    c.scale = scale;
    SET(c.device, "Intel(R) Xeon(R) Processor (2 threads) 1");
    c.status[0] = '\0';
    overlay_add_status(&c, "kernels run on the CPU");
    overlay_add_status(&c, "%s 1", name);
    overlay_add_status(&c, "948.9 ms a frame");
    overlay_add_status(&c, "host 0.04 ms");
    overlay_add_status(&c, "vsync unknown");
    overlay_add_status(&c, "cuda: no NVIDIA driver (libcuda.so.0 is not there)");
    return c;
}

// A larger scale makes all words of the band larger, not only the air around them. Of a long
// status and of long details, the least needed words make room.
OF_PIXELS(bands_are_whole_at_every_scale)
{
    static const char *const names[] = {"scene.png", "a · name · of · parts.png"};
    enum { TITLE, TIME, SPEED = 3, DETAIL = 5, STATUS = 1 };
    static const int growing[] = {TITLE, TIME, SPEED, DETAIL};
    for (int turn = 0; turn < 6; turn++) {
        const int *size = lecture_sizes[turn / 2], is_pair = turn % 2;
        int heights[MAX_ENDS], usual[MAX_ENDS] = {0}, usual_status = 0;
        for (int scale = 1; scale <= 4; scale *= 2) {
            struct overlay_content c = is_pair ? sample_pair() : sample_content();
            struct overlay_side *side = &c.sides[is_pair];
            sample_use_long_words(&c, &panels);
            SET(side->detail,
                "301 GB/s · occupancy 75 % (registers) · 40 registers · 3.4 KB shared");
            c.scale = scale;
            char *const texts[] = {side->title,      side->time,        side->spread, side->speed,
                                   side->badge_text, side->detail,      c.device,     c.status,
                                   c.hint,           c.pair.difference, c.pair.ratio};
            check_ends(&c, texts, is_pair ? MAX_ENDS : MAX_ENDS - 2, size, heights);
            for (int i = 0; i < 4 && scale == 4 && !is_pair; i++)
                if (heights[growing[i]] < 1.25 * usual[growing[i]])
                    fail_msg("%d wide: no larger: %s", size[0], texts[growing[i]]);
            if (scale == 1) memcpy(usual, heights, sizeof usual);
            for (int i = 1; i >= 0; i--) {
                c = content_of_long_status(is_pair, scale, names[i]);
                check_ends(&c, (char *[]){c.device, c.status}, 2, size, heights);
            }
            if (scale == 1) usual_status = heights[STATUS];
            if (scale == 4 && turn > 1) assert_true(heights[STATUS] > usual_status);
        }
    }
}

// The inner loop is left out where the row would become smaller for it.
OF_PIXELS(the_inner_loop_makes_no_row_smaller)
{
    static const int sizes[][2] = {{1280, 720}, {3840, 720}};
    static const char loop[] = " · inner loop: 27 instructions, 1 global load (SASS for sm_90)";
    for (int is_wide = 0; is_wide <= 1; is_wide++) {
        struct overlay_content c = sample_content();
        struct overlay_side *side = &c.sides[0];
        c.scale = 2;
        SET(side->detail, "51.7 ms on this CPU · 107 GB/s · 31 samples · 2.88 sectors 1");
        SET(side->bound, "bound by instructions or latency: memory 23 %, L1 32 %");
        const int alone = digit_height(&c, side->detail, sizes[is_wide]);
        g_strlcat(side->bound, loop, sizeof side->bound);
        assert_int_equal(digit_height(&c, side->detail, sizes[is_wide]), alone);
        assert_int_equal(digit_height(&c, side->bound, sizes[is_wide]) > 0, is_wide);
    }
}

// Details shrink little, and are a good deal larger in large text; what has no room then is left
// out, part by part from the end.
OF_PIXELS(details_lose_parts_and_stay_large)
{
    static const int size[] = {1920, 1080};
    for (int is_pair = 0; is_pair <= 1; is_pair++) {
        int usual = 0;
        for (int scale = 1; scale <= 4; scale *= 2) {
            struct overlay_content c = is_pair ? sample_pair() : sample_content();
            struct overlay_side *side = &c.sides[is_pair];
            for (int i = 0; i < 2; i++) {
                SET(c.sides[i].speed, "74 % of copy");
                SET(c.sides[i].spread, "");
                SET(c.sides[i].detail, "");
            }
            c.scale = scale;
            SET(side->bound, "the traffic takes 1 % of its time");
            if (scale == 1) usual = digit_height(&c, side->bound, size);
            SET(side->bound,
                "the minimum of memory traffic takes 1 % of its time · M counts the rest");
            SET(side->detail, "25.0 Gpix/s · 348 ms on this CPU · 532 B shared · 31 samples · 3×3");
            const int height = digit_height(&c, side->bound, size);
            if (height < (scale == 1 ? 0.65 * usual : 1.25 * usual))
                fail_msg("pair %d at %d: %d, and %d at scale 1", is_pair, scale, height, usual);
            SET(side->detail, "25.0 Gpix/s · 348 ms on this CPU · 532 B shared · 3 samples · 1");
            if (is_pair) assert_int_equal(digit_height(&c, side->detail, size), 0);
        }
    }
}

OF_PIXELS(panels_are_whole_at_every_scale)
{
    struct sample_panels *p = &panels;
    char title[64] = "separable, radius 15: ms over block 1", best[64] = "best 0.0412 at 1024×1";
    char fastest[64] = "radius 15: separable fastest, 0.0411";
    for (const struct lecture *at = lectures; at <= last_lecture; at++) {
        for (int panel = 0; panel < OVERLAY_PANELS; panel++) {
            struct overlay_content c = sample_content();
            sample_use_long_words(&c, p);
            p->heat.title = title;
            p->heat.caption = best;
            p->sweep.caption = fastest;
            c.scale = at->scale;
            char *const texts[OVERLAY_PANELS][2] = {[OVERLAY_GRID] = {p->grid},
                                                    [OVERLAY_BARS] = {p->bars.title},
                                                    [OVERLAY_SWEEP] = {fastest},
                                                    [OVERLAY_HEAT] = {title, best}};
            sample_open_panels(&c, p, 1u << panel);
            for (int k = 0; k < 2 && texts[panel][k]; k++) check_end(&c, texts[panel][k], at->size);
        }
    }
}

OF_PIXELS(words_over_the_picture_are_whole_at_every_scale)
{
    static const char refusal[] =
        "needs 66.6 KB of shared memory, the device allows 48 KB; a smaller radius or block would "
        "do, and the picture stays as it is 1";
    for (const struct lecture *at = lectures; at <= last_lecture; at++) {
        for (int tone = OVERLAY_NOTE; tone <= OVERLAY_REFUSED; tone++) {
            struct overlay_content c = sample_content();
            c.scale = at->scale;
            c.tone = (enum overlay_tone)tone;
            struct paint_box box;
            SET(c.message, refusal);
            check_end(&c, c.message, at->size);
            // It leaves the figures above it free; a log may need the room.
            SET(c.message, "needs 66.6 KB of shared memory, the device allows 48 KB\nand more");
            overlay_update(o, &c, at->size[0], at->size[1]);
            assert_true(overlay_box(o, OVERLAY_MESSAGE, 0, &box));
            if (!paint_is_inside(box, overlay_room(o)))
                fail_msg("%d wide at %d: tone %d covers a band", at->size[0], at->scale, tone);
        }
        struct overlay_content c = sample_content();
        c.scale = at->scale;
        SET(c.caption, long_caption);
        check_end(&c, c.caption, at->size);
        c.docks.lens[0] = &lenses[0];  // which takes half of the window
        SET(c.caption, "Stride 32: all lanes of a warp ask one bank\n✓ 32 wavefronts = 31");
        check_end(&c, c.caption, at->size);
    }
}

// The picture is fitted into what the overlay says that the bands leave.
OF_PIXELS(the_bands_heights_are_told)
{
    static const struct overlay_help help[] = {{NULL, "Keys"}, {"a", "do"}};
    for (const struct lecture *at = lectures; at <= last_lecture; at++) {
        const int width = at->size[0], height = at->size[1];
        struct overlay_content c = sample_content();
        c.scale = at->scale;
        overlay_update(o, &c, width, height);
        const struct paint_box room = overlay_room(o);
        const struct screenshot s = look();
        assert_int_equal(room.top, upper_band_bottom(s));
        assert_int_equal(room.top + room.height, lower_band_top(s));
        assert_true(room.height >= 0.45 * height);
        assert_true(room.left == 0 && room.width == width);
        c.help = help;
        c.help_count = 2;
        overlay_update(o, &c, width, height);
        const struct paint_box same = overlay_room(o);
        assert_true(same.top == room.top && same.height == room.height);
        c.is_hidden = true;
        overlay_update(o, &c, width, height);
        const struct paint_box whole = overlay_room(o);
        assert_true(whole.top == 0 && whole.height == height);
    }
}

// --- docks ---

static int lane_at(int x, int y)
{
    struct overlay_dock_hit hit;
    overlay_find_dock(o, x, y, &hit);
    return hit.lane;
}

static int count_lanes(struct paint_box box)
{
    unsigned found = 0;
    for (int y = box.top; y < box.top + box.height; y += 4)
        for (int x = box.left; x < box.left + box.width; x += 2) {
            const int lane = lane_at(x, y);
            if (lane >= 0) found |= 1u << lane;
        }
    return __builtin_popcount(found);
}

// Also when something else is drawn.
OF_MEMORY(lanes_and_lines_stay_known)
{
    struct paint_box lens, source;
    struct overlay_dock_hit hit;
    struct overlay_content c = sample_content();
    open_docks(&c, 1, 1);
    for (int turn = 0; turn < 3; turn++) {
        snprintf(c.sides[0].time, sizeof c.sides[0].time, "0.41%d ms", turn);
        overlay_update(o, &c, 801, 603);
        assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_LENS_A, &lens));
        assert_int_equal(count_lanes(lens), MODEL_LANES);
        assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_SOURCE_A, &source));
        assert_true(overlay_find_dock(o, source.left + 60, source.top + source.height / 2.0, &hit));
        assert_true(hit.line > lines && hit.line < lines + LINES);
        assert_true(overlay_find_dock(o, source.left + 1, source.top + 1, &hit));
        assert_int_equal(hit.dock, OVERLAY_SOURCE_A);
        assert_null(hit.line);  // the title
        const struct paint_box room = overlay_room(o);
        assert_false(overlay_find_dock(o, room.left + 1, room.top + 1, &hit));
        assert_true(room.left + room.width == source.left);
        assert_true(room.top + room.height == lens.top);
    }
}

// A short array's values stand in its elements, as large as these allow; they are not shown where
// nobody could read them.
OF_PIXELS(numbers_stand_in_their_elements)
{
    struct paint_box legend;
    for (const struct lecture *at = lectures; at <= last_lecture; at++) {
        struct overlay_content c = sample_content();
        c.scale = at->scale;
        SET(c.legends[0].low, "0");
        SET(c.legends[0].high, "255");
        overlay_update(o, &c, at->size[0], at->size[1]);
        const struct screenshot plain = take_shot();
        const struct paint_box room = overlay_room(o);
        const int side = room.height / 2;
        c.numbers = (struct overlay_numbers){
            .count = 4, .columns = 2, .digits = 9, .values = {98647, 3, -1234.5, 1e9}};
        c.numbers.first = (struct paint_box){room.left, room.top, side, side};
        struct screenshot drawn = draw(&c, plain.width, plain.height);
        for (int i = 0; i < 4; i++) {
            const struct paint_box box = {room.left + i % 2 * side, room.top + i / 2 * side, side,
                                          side};
            assert_true(count_changes(plain, drawn, box) > side * side / 30);
        }
        assert_false(overlay_box(o, OVERLAY_LEGEND, 0, &legend));  // it would cover them
        c.numbers.count = c.numbers.columns = 1;                   // a single one is larger
        drawn = draw(&c, plain.width, plain.height);
        assert_true(count_changes(plain, drawn, room) > side * side / 10);
        c.numbers.first.width = 12;
        drawn = draw(&c, plain.width, plain.height);
        assert_int_equal(count_changed_rows(plain, drawn), 0);
        assert_true(overlay_box(o, OVERLAY_LEGEND, 0, &legend));
    }
}

// Air and the source's text give way to it.
OF_PIXELS(a_caption_is_no_smaller_than_the_source)
{
    for (int count = 0; count <= 2; count++)
        for (const struct lecture *at = lectures; at <= last_lecture; at++) {
            struct overlay_content c = sample_content();
            open_docks(&c, count == 2 ? 2 : 1, count);
            c.scale = at->scale;
            SET(c.caption, long_caption);
            overlay_update(o, &c, at->size[0], at->size[1]);
            if (paint_is_empty(o->boxes[CAPTION]) || paint_is_empty(o->boxes[DOCK])) continue;
            if (o->caption.size < o->listings[0].em)
                fail_msg("%d wide at %d: %g and %g", at->size[0], at->scale, o->caption.size,
                         o->listings[0].em);
        }
}

// In a low window at text scale 2, a caption has long lines before it has small words, and the
// panel that a step is about is not much smaller.
OF_PIXELS(a_step_can_be_read_from_the_last_row)
{
    static const char words[] =
        "block: a block a row. Neighbours read neighbours.\nThey meet in shared memory for the "
        "maximum, and again for the sum.\n✓ full sectors: 0.500 sectors < 0.2 × 4 sectors\n"
        "✓ but three times a and once b: 0.500 sectors > 0.45\n✓ no bank twice: 0 conflicts = 0";
    struct overlay_content c = sample_content();
    struct paint_box bars;
    c.scale = 2;
    SET(c.caption, words);
    c.docks.lens[0] = &lenses[0];
    overlay_update(o, &c, 1280, 720);
    assert_true(o->caption.size > 20);
    c.docks.lens[0] = NULL;
    sample_open_panels(&c, &panels, 1u << OVERLAY_BARS);
    overlay_update(o, &c, 1280, 720);
    assert_true(overlay_box(o, OVERLAY_PANEL, OVERLAY_BARS, &bars));
    if (bars.height < 190) fail_msg("bars of %g, words of %g", bars.height, o->caption.size);
}

// A lens that has the window leaves neither bands nor picture, and a caption stands beside it.
OF_PIXELS(a_full_lens_covers_the_window)
{
    struct paint_box box[2], caption;
    for (int count = 1; count <= 2; count++)
        for (int has_caption = 0; has_caption <= 1; has_caption++)
            for (const struct lecture *at = lectures; at <= last_lecture; at++) {
                struct overlay_content c = sample_content();
                open_docks(&c, 1, count);
                c.docks.is_lens_full = true;
                c.scale = at->scale;
                if (has_caption)
                    SET(c.caption, "Stride 32: all lanes of a warp ask one bank\n✓ 32 wavefronts");
                const struct screenshot s = draw(&c, at->size[0], at->size[1]);
                assert_int_equal(overlay_lens(o, count - 1)->hint > 0, has_caption);
                for (int i = 0; i < s.width * s.height; i += 97)
                    assert_true(s.pixels[i] >> 24 == 255);
                for (int i = 0; i < count; i++) {
                    assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_LENS_A + i, &box[i]));
                    assert_int_equal(count_lanes(box[i]), MODEL_LANES);
                    assert_int_equal(box[i].height, s.height);
                }
                assert_int_equal(box[0].left, 0);
                assert_int_equal(box[count - 1].left + box[count - 1].width, s.width);
                assert_false(overlay_box(o, OVERLAY_DOCK, OVERLAY_SOURCE_A, &box[0]));
                assert_int_equal(overlay_box(o, OVERLAY_CAPTION, 0, &caption), has_caption);
                if (has_caption)
                    assert_true(caption.top + caption.height + overlay_lens(o, count - 1)->hint <=
                                s.height);
                for (int y = caption.top; has_caption && y < caption.top + caption.height; y += 3)
                    for (int x = caption.left; x < caption.left + caption.width; x += 3)
                        assert_int_equal(lane_at(x, y), -1);
            }
}

// However small the window is.
OF_MEMORY(a_full_lens_needs_no_room)
{
    static const enum trace_space spaces[] = {TRACE_GLOBAL, TRACE_SHARED, TRACE_CONSTANT};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        for (size_t k = 0; k < sizeof window_sizes / sizeof *window_sizes; k++) {
            struct overlay_content c = sample_content();
            if (window_sizes[k][0] > 1920) continue;
            open_docks(&c, 0, 2);
            c.docks.is_lens_full = true;
            SET(c.caption, long_caption);
            lenses[0].request.space = (unsigned char)spaces[i];
            overlay_update(o, &c, window_sizes[k][0], window_sizes[k][1]);
        }
}

// A refusal or log lies over docks that leave it no width, but it leaves bands free; with four
// docks open, a refusal lies in the room all the same.
OF_PIXELS(refusals_have_room_beside_docks)
{
    struct paint_box box;
    for (int tone = OVERLAY_REFUSED; tone <= OVERLAY_BROKEN; tone++)
        for (int scale = 1; scale <= 2; scale++) {
            struct overlay_content c = sample_content();
            open_docks(&c, 1, 0);
            c.scale = scale;
            c.tone = (enum overlay_tone)tone;
            SET(c.message,
                "needs 66.6 KB of shared memory, the device allows 48 KB, and the picture stays");
            overlay_update(o, &c, 801, 603);
            assert_true(overlay_box(o, OVERLAY_MESSAGE, 0, &box));
            assert_int_equal(box.width > overlay_room(o).width, scale == 2);
        }
    for (const struct lecture *at = lectures; at <= last_lecture; at++) {
        struct overlay_content c = sample_content();
        open_docks(&c, 2, 2);
        c.scale = at->scale;
        c.tone = OVERLAY_REFUSED;
        SET(c.message, "B: npp needs a CUDA GPU and libnppif");
        overlay_update(o, &c, at->size[0], at->size[1]);
        const struct paint_box room = overlay_room(o);
        assert_true(overlay_box(o, OVERLAY_MESSAGE, 0, &box));
        if (box.top < room.top || box.top + box.height > room.top + room.height)
            fail_msg("%d wide at %d: it covers more than the room", at->size[0], at->scale);
    }
}

// Large words become smaller before a log covers what the lecture is about.
OF_PIXELS(a_log_leaves_caption_and_source_free)
{
    struct paint_box box, caption, source;
    struct overlay_content c = sample_content();
    open_docks(&c, 1, 0);
    c.scale = 2;
    c.tone = OVERLAY_BROKEN;
    SET(c.caption, long_caption);
    SET(c.message, "mean.cu:79:29: 'wordz' was not declared in this scope\n    wordz[x]\n    ^");
    overlay_update(o, &c, 1280, 720);
    assert_true(overlay_box(o, OVERLAY_MESSAGE, 0, &box));
    assert_true(overlay_box(o, OVERLAY_CAPTION, 0, &caption));
    assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_SOURCE_A, &source));
    assert_false(paint_has_overlap(box, caption) || paint_has_overlap(box, source));
}

OF_PIXELS(a_frame_leaves_the_status_line_free)
{
    struct paint_box lens;
    struct overlay_content c = sample_content();
    open_docks(&c, 1, 1);
    overlay_update(o, &c, 801, 603);
    c.pointer = (struct overlay_pointer){.kind = OVERLAY_POINTED_DOCK, .index = OVERLAY_LENS_A};
    overlay_update(o, &c, 801, 603);
    const struct overlay_pixels p = overlay_pixels(o);
    assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_LENS_A, &lens));
    assert_true(p.damage_count > 0);
    for (int i = 0; i < p.damage_count; i++)
        assert_true(p.damage[i].top + p.damage[i].height <= lens.top + lens.height);
}

int main(int argc, char **argv)
{
    const char *const part = argc > 1 ? argv[1] : "";
    if (!strcmp(part, "pixels")) cmocka_set_test_filter("pixels_*");
    if (!strcmp(part, "brief")) cmocka_set_test_filter("memory_*");
    return unit_run("overlay", NULL, NULL);
}
