// test_table -- what panels and the lens show, as a spreadsheet gets it: names first, one figure a
// field, and no figure without its mark where it is wrong or not settled.
#include "unit.h"

#include "device/trace.h"
#include "draw/bars.h"
#include "draw/lens_view.h"
#include "draw/plot.h"
#include "screen/table.h"

static void expect(const struct overlay_panels *panels, const char *name, const char *table)
{
    const char *found;
    g_autofree char *text = table_of_panels(panels, &found);
    assert_string_equal(found, name);
    assert_string_equal(text, table);
}

static const struct bars *make_bars(void)
{
    static const struct bars bars = {
        .settings = "radius 5",
        .naive_block = "32×8",
        .rows = {{.key = "1",
                  .name = "naive",
                  .block = "32×8",
                  .ms = 1.41,
                  .over_naive = 1,
                  .state = BARS_DONE},
                 {.key = "2",
                  .name = "shared",
                  .block = "32×8",
                  .ms = 0.412,
                  .over_naive = 3.42,
                  .state = BARS_MEASURING,
                  .settings = "radius 4",
                  .is_stale = true},
                 {.key = "3", .name = "bad", .block = "32×8", .ms = 0.1, .state = BARS_WRONG},
                 {.key = "4",
                  .name = "fast",
                  .block = "32×8",
                  .state = BARS_REFUSED,
                  .reason = "needs\ta\nGPU"},
                 {.key = "5", .name = "late", .block = "64×1"}},
        .count = 5,
        .has_baseline = true,
        .memory_unit = "sectors per pixel"};
    return &bars;
}

TEST(bars)
{
    const struct overlay_panels panels = {.bars = make_bars()};
    expect(&panels, "the bars",
           "variant\tblock\tms\t× naive 32×8\tagainst the baseline\tsectors per pixel\tsettings\t"
           "state\n"
           "naive\t32×8\t1.41\t1\t\t\tradius 5\t\n"
           "shared\t32×8\t0.412\t3.42\t\t\tradius 4\tnot settled\n"
           "bad\t32×8\t0.1 wrong\t\t\t\tradius 5\twrong\n"
           "fast\t32×8\t\t\t\t\tradius 5\tneeds a GPU\n"
           "late\t64×1\t\t\t\t\tradius 5\tnot measured\n");
}

TEST(curves_and_cells)
{
    static const struct plot_point a[] = {{.x = 0, .y = 0.5}, {.x = 16, .y = 12.5}},
                                   b[] = {{.x = 8, .y = 0.25, .is_wrong = true},
                                          {.x = 16, .y = 1e-7}};
    static const struct plot_curve list[] = {{.label = "naive", .points = a, .count = 2},
                                             {.label = "refused"},
                                             {.label = "tile", .points = b, .count = 2}};
    const struct plot_curves curves = {
        .x_label = "radius", .y_label = "ms", .curves = list, .count = 3};
    const struct plot sweep = {.curves = &curves};
    const int widths[] = {8, 16}, heights[] = {1, 2};
    const struct plot_cell cells[] = {{.ms = 0.5, .is_wrong = true},
                                      {.ms = PLOT_REFUSED},
                                      {.ms = PLOT_UNKNOWN, .is_pending = true},
                                      {.ms = 0.25, .is_pending = true}};
    const struct plot_heat heats[] = {
        {.widths = widths, .heights = heights, .columns = 2, .rows = 2, .cells = cells}};
    const struct plot heat = {.heats = heats, .heat_count = 1};
    struct overlay_panels panels = {.sweep = &sweep, .heat = &heat, .bars = make_bars()};
    panels.opened[OVERLAY_SWEEP] = 7;
    panels.opened[OVERLAY_HEAT] = 6;
    expect(&panels, "the curves",
           "radius\tnaive, ms\ttile, ms\n"
           "0\t0.5\t\n"
           "8\t\t0.25 wrong\n"
           "16\t12.5\t1e-07\n");
    panels.opened[OVERLAY_HEAT] = 8;
    expect(&panels, "the heat map",
           "ms, block height down, width across\t8\t16\n"
           "1\t0.5 wrong\trefused\n"
           "2\tnot settled\t0.25 not settled\n");
    panels.grid = "block\t3, 4";
    panels.opened[OVERLAY_GRID] = 9;
    expect(&panels, "the block", "block\t3, 4\n");
}

TEST(nothing_is_open)
{
    const struct plot empty = {.title = "invert has no radius to sweep"};
    const struct overlay_panels panels = {.sweep = &empty};
    const struct lens_view none = {.message = "no C++ compiler"};
    const char *name;
    assert_null(table_of_panels(&panels, &name));
    assert_null(name);
    assert_null(table_of_lens(NULL));
    assert_null(table_of_lens(&none));
}

// Lanes 0 and 2 of a warp: of an array they touch sectors, in shared memory they wait for a bank.
TEST(lens)
{
    struct lens_view view = {.has_request = true,
                             .memory = "in",
                             .beginning = 4096,
                             .request = {.address = {[0] = 4100, [2] = 4096 + 4 * 33},
                                         .active = 5,
                                         .kind = TRACE_LOAD,
                                         .space = TRACE_GLOBAL,
                                         .bytes = 4}};
    g_autofree char *text = table_of_lens(&view);
    assert_string_equal(text, "lane\tbyte of in\tsector\n0\t4\t1\n2\t132\t2\n");
    g_free(text);
    view.request.space = TRACE_SHARED;
    view.memory[0] = '\0';
    view.beginning = 0;
    view.request.address[0] = 4;
    view.request.address[2] = 4 * 33;
    text = table_of_lens(&view);
    assert_string_equal(text,
                        "lane\tbyte of memory\twavefront\tfirst bank\n0\t4\t1\t1\n2\t132\t2\t1\n");
}
