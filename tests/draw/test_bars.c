// Bars are as long as their part of the longest time, in whatever room the columns leave them.
#include "unit.h"

#include <stdlib.h>

#include "draw/bars.h"
#include "draw/plot.h"

#include "canvas.h"

enum { BASE = 17, MARGIN = 20 };

// As many columns as there are: blocks, changes against a baseline, what the lens has counted.
static struct bars full(void)
{
    static const struct {
        const char *name, *block, *memory, *change;
        double ms;
    } rows[] = {{"copy", "256×1", "0.250", "unclear", 2},
                {"write_columns", "32×8", "1.12", "+1100 %", 20},
                {"read_columns", "32×8", "1.12", "+101 %", 4},
                {"shared", "32×8", "0.250 · 0.969", "+400 %", 10}};
    struct bars bars = {.title = "Variants at rows 512 · columns 512, ms a launch",
                        .has_baseline = true,
                        .memory_unit = "sectors · conflicts",
                        .count = G_N_ELEMENTS(rows)};
    for (int i = 0; i < bars.count; i++) {
        struct bar *b = &bars.rows[i];
        b->ms = rows[i].ms;
        b->sectors = atof(rows[i].memory);
        b->state = BARS_DONE;
        g_snprintf(b->key, sizeof b->key, "%d", i + 1);
        g_strlcpy(b->name, rows[i].name, sizeof b->name);
        g_strlcpy(b->block, rows[i].block, sizeof b->block);
        g_strlcpy(b->memory, rows[i].memory, sizeof b->memory);
        g_strlcpy(b->change, rows[i].change, sizeof b->change);
    }
    return bars;
}

// The pixels that the bar of each row is long.
static void measure(const struct bars *bars, int width, int *lengths)
{
    const int height = (int)(BASE * bars_height(bars->count));
    OWNED(canvas_close)
    struct canvas c = canvas_open(width + 2 * MARGIN, height + 2 * MARGIN, BASE, false);
    bars_draw(&c.paint, (struct paint_box){MARGIN, MARGIN, width, height}, bars);
    for (int i = 0; i < bars->count; i++) {
        const uint32_t color = canvas_pixel(plot_style_color(false, i));
        lengths[i] = 0;
        for (int y = 0; y < height + 2 * MARGIN; y++)
            lengths[i] = MAX(lengths[i], canvas_count(&c, color, y, y + 1));
    }
}

TEST(bars_have_room)
{
    static const int widths[] = {1200, 800, 566, 480, 420};
    for (size_t w = 0; w < 2 * G_N_ELEMENTS(widths); w++) {
        struct bars bars = full();
        bars.is_by_sectors = w >= G_N_ELEMENTS(widths);
        int lengths[BARS_MAX];
        const int width = widths[w % G_N_ELEMENTS(widths)];
        measure(&bars, width, lengths);
        for (int i = 0; i < bars.count; i++) {
            const struct bar *b = &bars.rows[i], *longest = &bars.rows[1];
            const double part =
                bars.is_by_sectors ? b->sectors / longest->sectors : b->ms / longest->ms;
            const int wanted = (int)(lengths[1] * part);
            if (lengths[1] < 3 * BASE || lengths[i] < wanted - 2 || lengths[i] > wanted + 2)
                fail_msg("%d wide: bar %d is %d of %d pixels", width, i, lengths[i], lengths[1]);
        }
    }
}

TEST(a_floor_is_not_the_fastest)
{
    struct bars bars = full();
    assert_int_equal(bars_best(&bars), 0);
    bars.rows[0].is_floor = true;
    assert_int_equal(bars_best(&bars), 2);
    bars.rows[0].state = BARS_UNKNOWN;  // whatever comes of it
    assert_int_equal(bars_best(&bars), 2);
}

// The last column in which two pictures of the bars differ, between two heights in sizes of text.
static int find_difference(const struct bars *a, const struct bars *b, int width, double from,
                           double to)
{
    const int height = (int)(BASE * bars_height(a->count));
    const struct paint_box box = {MARGIN, MARGIN, width, height};
    OWNED(canvas_close)
    struct canvas c = canvas_open(width + 2 * MARGIN, height + 2 * MARGIN, BASE, false);
    OWNED(canvas_close)
    struct canvas d = canvas_open(width + 2 * MARGIN, height + 2 * MARGIN, BASE, false);
    int last = -1;
    bars_draw(&c.paint, box, a);
    bars_draw(&d.paint, box, b);
    for (int y = MARGIN + (int)(from * BASE); y < MARGIN + to * BASE; y++) {
        const uint32_t *one = canvas_row(&c, y), *other = canvas_row(&d, y);
        for (int x = 0; x < width + 2 * MARGIN; x++)
            if (one[x] != other[x]) last = MAX(last, x);
    }
    return last;
}

// They end where the figures below them end.
TEST(heads_are_above_their_columns)
{
    static const int widths[] = {1200, 800, 600};
    for (size_t w = 0; w < G_N_ELEMENTS(widths); w++) {
        struct bars bars = full(), other;
        bars.memory_unit[0] = bars.title[1] = '\0';  // they would be set otherwise, too
        other = bars;
        other.has_baseline = false;
        const int baseline = find_difference(&bars, &other, widths[w], 0, 1.7);
        other = bars;
        other.rows[1].change[0] = '\0';
        const int change = find_difference(&bars, &other, widths[w], 1.8, 6);
        assert_in_range(baseline, change - 3, change + 3);
        other = bars = full();
        g_strlcpy(other.rows[3].memory, "0.250 · 0.96_", sizeof other.rows[3].memory);
        const int memory = find_difference(&bars, &other, widths[w], 1.8, 9);
        if (memory < 0) continue;  // there is no room for the column
        other = bars;
        other.memory_unit[strlen(other.memory_unit) - 1] = '_';
        const int unit = find_difference(&bars, &other, widths[w], 0, 1.7);
        assert_in_range(unit, memory - 4, memory + 4);
    }
}

// The unit is written in short where it would take the title's room: without its last letter, the
// title is shorter, but not smaller.
TEST(a_unit_leaves_the_title_its_size)
{
    struct bars bars = full(), brief;
    bars.has_baseline = false;
    bars.count = 1;
    brief = bars;
    g_strlcpy(bars.memory_unit, "sectors · conflicts per element", sizeof bars.memory_unit);
    assert_int_equal(find_difference(&bars, &brief, 566, 0, 1.7), -1);
    assert_true(find_difference(&bars, &brief, 1200, 0, 1.7) > 0);
}

// Beside heads that leave it little room, it takes two lines. Its last letter is seen.
TEST(a_long_title_is_whole)
{
    static const int widths[] = {1200, 800, 566};
    for (size_t w = 0; w < G_N_ELEMENTS(widths); w++) {
        struct bars bars = full(), other;
        g_strlcpy(bars.title,
                  "Variants at radius 15 · sigma 2.50, ms a launch on NVIDIA H200, recorded",
                  sizeof bars.title);
        g_strlcpy(bars.memory_unit, "sectors · conflicts per pixel", sizeof bars.memory_unit);
        g_strlcpy(bars.naive_block, "32×8", sizeof bars.naive_block);
        for (int i = 0; i < bars.count; i++) bars.rows[i].over_naive = 1.23;
        other = bars;
        other.title[strlen(other.title) - 1] = '_';
        assert_true(find_difference(&bars, &other, widths[w], 0, 1.7) > 0);
    }
}
