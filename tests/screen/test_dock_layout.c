// Docks at every window and text scale: whole, apart, readable, and with room for the picture.
#include "unit.h"

#include "screen/dock_layout.h"

#include <math.h>

#include "draw/lens_view.h"
#include "draw/listing.h"

static const int windows[][2] = {{1920, 1080}, {1280, 720}, {800, 600}, {1000, 1400}, {3840, 2160}};

static const struct listing listing;
static const struct lens_view lens;
static const struct overlay_docks one = {.source = {&listing}},
                                  two = {.source = {&listing, &listing}},
                                  with_lens = {.source = {&listing}, .lens = {&lens}},
                                  lens_alone = {.lens = {&lens}},
                                  everything = {.source = {&listing, &listing},
                                                .lens = {&lens, &lens}},
                                  lenses = {.lens = {&lens, &lens}};

static struct dock_plan plan_of(const struct overlay_docks *docks, const int *window, double scale)
{
    const struct paint_box between = {0, 0.15 * window[1], window[0], 0.5 * window[1]};
    const double plain = fmin(window[1] / 38.0, window[0] / 50.0);
    struct dock_plan plan;
    dock_layout_compute(&plan, docks, between, scale * plain, plain, false);
    return plan;
}

static double area_of(struct paint_box box)
{
    return box.width * box.height;
}

static void check_plan(const struct dock_plan *plan, const int *window)
{
    const struct paint_box all = {0, 0.15 * window[1], window[0], 0.5 * window[1]};
    const struct paint_box *boxes = plan->boxes;
    double sum = area_of(plan->room);
    for (int i = 0; i < OVERLAY_DOCKS; i++) {
        if (paint_is_empty(boxes[i])) continue;
        sum += area_of(boxes[i]);
        assert_true(paint_is_inside(boxes[i], all));
        assert_false(paint_has_overlap(boxes[i], plan->room));
        for (int k = 0; k < i; k++) assert_false(paint_has_overlap(boxes[i], boxes[k]));
    }
    assert_true(fabs(sum - area_of(all)) < 1);
    assert_true(area_of(plan->room) >= 0.13 * area_of(all));
}

TEST(docks_and_picture_share_the_window)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        for (double scale = 1; scale <= 4; scale += 0.125) {
            const struct dock_plan single = plan_of(&one, windows[i], scale);
            const struct dock_plan pair = plan_of(&two, windows[i], scale);
            check_plan(&single, windows[i]);
            check_plan(&pair, windows[i]);
            assert_false(paint_is_empty(single.boxes[OVERLAY_SOURCE_A]));
            assert_true(paint_is_empty(single.boxes[OVERLAY_SOURCE_B]));
            assert_false(paint_is_empty(pair.boxes[OVERLAY_SOURCE_B]));
            assert_true(
                fabs(pair.boxes[OVERLAY_SOURCE_A].width - pair.boxes[OVERLAY_SOURCE_B].width) <= 1);
        }
}

// Words over the picture have as much room as the source, whatever the text scale is.
TEST(a_caption_has_room)
{
    for (double scale = 1; scale <= 4; scale += 0.125) {
        const struct paint_box between = {0, 100, 1280, 500};
        struct dock_plan plan;
        dock_layout_compute(&plan, &one, between, scale * 19, 19, true);
        assert_true(plan.room.width >= plan.boxes[OVERLAY_SOURCE_A].width - 1);
        assert_true(plan.em >= 11);
    }
}

// A lens has room for its lines, if in smaller text.
TEST(lenses_have_room)
{
    static const struct overlay_docks *const open[] = {&with_lens, &lens_alone, &everything,
                                                       &lenses};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        for (double scale = 1; scale <= 4; scale += 0.5)
            for (size_t k = 0; k < sizeof open / sizeof *open; k++) {
                const struct dock_plan plan = plan_of(open[k], windows[i], scale);
                const struct paint_box *boxes = plan.boxes;
                check_plan(&plan, windows[i]);
                for (int side = 0; side < 2; side++) {
                    const struct paint_box box = boxes[OVERLAY_LENS_A + side];
                    assert_int_equal(paint_is_empty(box), !open[k]->lens[side]);
                    assert_int_equal(paint_is_empty(boxes[OVERLAY_SOURCE_A + side]),
                                     !open[k]->source[side]);
                    assert_true(box.height >= 12.9 * plan.lens_em || paint_is_empty(box));
                }
            }
}

TEST(text_grows_with_its_scale)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        double before = 0;
        for (double scale = 1; scale <= 4; scale += 0.125) {
            const double em = plan_of(&one, windows[i], scale).em;
            assert_true(em >= 11 && em >= before - 1e-9);
            before = em;
        }
        assert_true(before >= 1.6 * plan_of(&one, windows[i], 1).em);
    }
}

TEST(without_height_there_are_none)
{
    struct dock_plan plan;
    const struct paint_box flat = {0, 100, 1280, 60};
    dock_layout_compute(&plan, &two, flat, 19, 19, false);
    assert_true(paint_is_empty(plan.boxes[OVERLAY_SOURCE_A]));
    assert_true(paint_is_inside(flat, plan.room));
}
