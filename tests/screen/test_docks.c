// Docks in the overlay: what changes is drawn as if all were drawn anew, and what lies under the
// mouse stays known.
#include "unit.h"

#include "screen/overlay.h"

#include <stdio.h>

#include "draw/lens_view.h"
#include "draw/listing.h"

enum { WIDTH = 801, HEIGHT = 603, LINES = 60 };

// Each test begins with these, and with an overlay that has drawn nothing.
static struct world {
    struct listing_line lines[LINES];
    struct listing listings[2];
    struct lens_view lenses[2];
    struct overlay_content content;
} w;
static struct overlay *o;

#define SET(field, text) snprintf((field), sizeof(field), "%s", (text))

static int set_up(void **state)
{
    w = (struct world){.content.scale = 1};
    o = overlay_create();
    for (int i = 0; i < LINES; i++)
        w.lines[i] = (struct listing_line){.text = "    const int x = blockIdx.x * blockDim.x;",
                                           .number = i + 1,
                                           .file = "mean.cu"};
    for (int i = 0; i < 2; i++) {
        w.listings[i] = (struct listing){
            .title = "mean.cu · shared", .lines = w.lines, .count = LINES, .hash = 1};
        struct lens_view *v = &w.lenses[i];
        snprintf(v->title, sizeof v->title, "Memory · block 1, %d", i);
        SET(v->totals, "per pixel: 50.0 B wanted");
        v->has_request = true;
        v->lane = -1;
        v->request = (struct lens_request){.active = 0xffffffff, .bytes = 4, .kind = TRACE_LOAD};
        for (unsigned lane = 0; lane < MODEL_LANES; lane++) v->request.address[lane] = 8 * lane;
    }
    SET(w.content.sides[0].title, "Mean · shared");
    SET(w.content.sides[0].time, "0.412 ms");
    return o ? 0 : -1;
}

static int tear_down(void **state)
{
    overlay_destroy(o);
    return 0;
}

static void expect_as_fresh(const char *change)
{
    struct overlay *fresh = overlay_create();
    overlay_update(o, &w.content, WIDTH, HEIGHT);
    overlay_update(fresh, &w.content, WIDTH, HEIGHT);
    const struct overlay_pixels a = overlay_pixels(o), b = overlay_pixels(fresh);
    for (int y = 0; y < HEIGHT; y++)
        if (memcmp(a.pixels + y * a.stride, b.pixels + y * b.stride, 4 * WIDTH) != 0)
            fail_msg("%s: row %d differs", change, y);
    overlay_update(o, &w.content, WIDTH, HEIGHT);
    assert_int_equal(overlay_pixels(o).damage_count, 0);
    overlay_destroy(fresh);
}

static void set_docks(int sources, int lenses)
{
    w.content.is_comparing = sources == 2 || lenses == 2;
    for (int i = 0; i < 2; i++) {
        w.content.docks.source[i] = i < sources ? &w.listings[i] : NULL;
        w.content.docks.lens[i] = i < lenses ? &w.lenses[i] : NULL;
    }
}

#define STEP(change)              \
    do {                          \
        change;                   \
        expect_as_fresh(#change); \
    } while (0)

static void what_changes_is_drawn_as_if_all_were(void **state)
{
    static const struct overlay_mark mark = {100.5, 200, 40, 3}, other = {130, 203, 9, 20};
    struct overlay_content *c = &w.content;
    expect_as_fresh("the beginning");
    STEP(set_docks(1, 0));
    STEP(w.listings[0].first = 20);
    STEP(set_docks(1, 1));
    c->marks = (struct overlay_marks){.boxes = {mark, other}};
    STEP(c->marks.count = 2);
    STEP(w.lenses[0].lane = 7);
    c->marks.count = 1;
    STEP(w.lenses[0].is_stale = true);
    SET(w.lines[20].figures, "8 × 1.0/1.0 s");
    w.listings[0].figure_columns = 13;
    STEP(w.listings[0].hash = 2);
    STEP(set_docks(2, 2));
    STEP(w.listings[1].is_active = true);
    STEP(c->is_light = true);
    STEP(SET(c->message, "saved a.png"));
    STEP(SET(c->caption, "Each pixel reads 49 neighbours."));
    STEP(c->scale = 2);
    STEP(c->is_hidden = true);
    c->is_hidden = false;
    STEP(set_docks(0, 1));
    STEP(SET(w.lenses[0].message, "no C compiler found"));
    STEP(set_docks(0, 0));
}

static int count_lanes(struct overlay_box box)
{
    unsigned found = 0;
    for (int y = box.top; y < box.top + box.height; y += 4)
        for (int x = box.left; x < box.left + box.width; x += 2) {
            const int lane = overlay_lane_at(o, x, y);
            if (lane >= 0) found |= 1u << lane;
        }
    return __builtin_popcount(found);
}

// Also when something else is drawn.
static void lanes_and_lines_stay_known(void **state)
{
    struct overlay_box lens, source;
    enum overlay_dock dock;
    set_docks(1, 1);
    for (int turn = 0; turn < 3; turn++) {
        snprintf(w.content.sides[0].time, sizeof w.content.sides[0].time, "0.41%d ms", turn);
        overlay_update(o, &w.content, WIDTH, HEIGHT);
        assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_LENS_A, &lens));
        assert_int_equal(count_lanes(lens), MODEL_LANES);
        assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_SOURCE_A, &source));
        const struct listing_line *line =
            overlay_line_at(o, source.left + 60, source.top + source.height / 2);
        assert_true(line > w.lines && line < w.lines + LINES);
        assert_true(overlay_find_dock(o, source.left + 1, source.top + 1, &dock));
        assert_int_equal(dock, OVERLAY_SOURCE_A);
        const struct overlay_box room = overlay_room(o);
        assert_false(overlay_find_dock(o, room.left + 1, room.top + 1, &dock));
        assert_true(room.left + room.width == source.left);
        assert_true(room.top + room.height == lens.top);
    }
}

static double widest_damage(void)
{
    const struct overlay_pixels p = overlay_pixels(o);
    double widest = 0;
    for (int i = 0; i < p.damage_count; i++)
        if (p.damage[i].width > widest) widest = p.damage[i].width;
    return widest;
}

// Shows a refusal or log while the source is open; returns its width less that of the room.
static double message_beyond_room(enum overlay_tone tone, double scale)
{
    set_docks(1, 0);
    w.content.scale = scale;
    overlay_update(o, &w.content, WIDTH, HEIGHT);
    SET(w.content.message,
        "needs 66.6 KB of shared memory, the device allows 48 KB, and the picture stays");
    w.content.tone = tone;
    overlay_update(o, &w.content, WIDTH, HEIGHT);
    const double beyond = widest_damage() - overlay_room(o).width;
    expect_as_fresh("the message");
    w.content.message[0] = '\0';
    expect_as_fresh("no message");
    return beyond;
}

static void a_refusal_lies_over_docks_that_leave_it_no_width(void **state)
{
    for (int tone = OVERLAY_REFUSED; tone <= OVERLAY_BROKEN; tone++) {
        assert_true(message_beyond_room((enum overlay_tone)tone, 1) <= 0);
        assert_true(message_beyond_room((enum overlay_tone)tone, 2) > 0);
    }
}

// With four docks open, little is left between bands and docks. A refusal
// lies there all the same.
static void a_refusal_leaves_bands_and_docks_free(void **state)
{
    static const int sizes[][2] = {{800, 600}, {1280, 720}, {1920, 1080}};
    set_docks(2, 2);
    for (int i = 0; i < 3; i++)
        for (int scale = 1; scale <= 4; scale *= 2) {
            w.content.message[0] = '\0';
            w.content.scale = scale;
            overlay_update(o, &w.content, sizes[i][0], sizes[i][1]);
            const struct overlay_box room = overlay_room(o);
            SET(w.content.message, "B: npp needs a CUDA GPU and libnppif");
            w.content.tone = OVERLAY_REFUSED;
            overlay_update(o, &w.content, sizes[i][0], sizes[i][1]);
            const struct overlay_pixels p = overlay_pixels(o);
            assert_true(p.damage_count > 0);
            for (int k = 0; k < p.damage_count; k++)
                if (p.damage[k].top < room.top ||
                    p.damage[k].top + p.damage[k].height > room.top + room.height)
                    fail_msg("%d wide at %d: it covers more than the room", sizes[i][0], scale);
        }
}

static void a_frame_leaves_the_status_line_free(void **state)
{
    struct overlay_box lens;
    set_docks(1, 1);
    overlay_update(o, &w.content, WIDTH, HEIGHT);
    w.content.pointer =
        (struct overlay_pointer){.kind = OVERLAY_POINTED_DOCK, .index = OVERLAY_LENS_A};
    overlay_update(o, &w.content, WIDTH, HEIGHT);
    const struct overlay_pixels p = overlay_pixels(o);
    assert_true(overlay_box(o, OVERLAY_DOCK, OVERLAY_LENS_A, &lens));
    assert_true(p.damage_count > 0);
    for (int i = 0; i < p.damage_count; i++)
        assert_true(p.damage[i].top + p.damage[i].height <= lens.top + lens.height);
}

int main(void)
{
    struct CMUnitTest tests[] = {cmocka_unit_test(what_changes_is_drawn_as_if_all_were),
                                 cmocka_unit_test(lanes_and_lines_stay_known),
                                 cmocka_unit_test(a_refusal_lies_over_docks_that_leave_it_no_width),
                                 cmocka_unit_test(a_refusal_leaves_bands_and_docks_free),
                                 cmocka_unit_test(a_frame_leaves_the_status_line_free)};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].setup_func = set_up;
        tests[i].teardown_func = tear_down;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
