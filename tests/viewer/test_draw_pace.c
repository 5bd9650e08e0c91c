// Which frames are drawn: every one by a graphics card; by the processor those that show another
// choice, and 5 a second of the rest.
#include "unit.h"

#include "viewer/draw_pace.h"

static const int64_t MS = 1000;
static const unsigned first[] = {1, 0}, second[] = {2, 0}, pair[] = {2, 1};

// A frame was drawn, and another one of the choice is there.
static struct draw_pace drawn(int64_t start_us, int64_t end_us)
{
    struct draw_pace p = {0};
    draw_pace_add(&p, first);
    draw_pace_drawn(&p, start_us, end_us);
    draw_pace_add(&p, first);
    return p;
}

// How many frames are drawn of those that come each millisecond of a second.
static int count_drawn(bool is_gpu)
{
    struct draw_pace p = {0};
    int count = 0;
    for (int i = 0; i < 1000; i++) {
        draw_pace_add(&p, first);
        if (!draw_pace_is_due(&p, is_gpu, i * MS)) continue;
        draw_pace_drawn(&p, i * MS, i * MS);
        count++;
    }
    return count;
}

TEST(only_the_processor_leaves_out_frames)
{
    assert_int_equal(count_drawn(true), 1000);
    assert_in_range(count_drawn(false), 4, 6);
}

TEST(the_first_frame_of_a_choice_is_drawn_at_once)
{
    struct draw_pace p = {0};
    draw_pace_add(&p, first);
    assert_true(draw_pace_is_due(&p, false, 1));
    draw_pace_drawn(&p, 1, 1);
    draw_pace_add(&p, first);
    assert_false(draw_pace_is_due(&p, false, 2));
    draw_pace_add(&p, second);
    assert_true(draw_pace_is_due(&p, false, 2));
    draw_pace_drawn(&p, 2, 2);
    draw_pace_add(&p, pair);
    assert_true(draw_pace_is_due(&p, false, 3));
}

TEST(no_frame_is_forgotten)
{
    struct draw_pace p = {0};
    assert_false(draw_pace_is_due(&p, true, 100 * MS));
    draw_pace_add(&p, first);
    draw_pace_drawn(&p, 100 * MS, 100 * MS);
    assert_false(draw_pace_is_due(&p, true, 200 * MS));
    draw_pace_add(&p, first);
    assert_false(draw_pace_is_due(&p, false, 101 * MS));
    assert_true(draw_pace_is_due(&p, false, 300 * MS));
}

TEST(slow_drawing_leaves_time_to_the_kernels)
{
    struct draw_pace p = drawn(0, 80 * MS);
    assert_false(draw_pace_is_due(&p, false, 319 * MS));
    assert_true(draw_pace_is_due(&p, false, 320 * MS));
    assert_true(draw_pace_is_due(&p, true, 81 * MS));
}

// Something is awaited since a time of 1000 ms.
static bool is_put_off(int64_t drawn_ms, int64_t took_ms, int64_t now_ms)
{
    struct draw_pace p = drawn((drawn_ms - took_ms) * MS, drawn_ms * MS);
    p.awaited_us = 1000 * MS;
    return draw_pace_is_put_off(&p, now_ms * MS);
}

TEST(slow_drawing_is_put_off_for_what_is_awaited)
{
    assert_true(is_put_off(990, 70, 1001));
    assert_true(is_put_off(990, 70, 1099));
    assert_false(is_put_off(990, 70, 1100));
    assert_false(is_put_off(990, 2, 1001));
    assert_true(is_put_off(800, 70, 1049));
    assert_false(is_put_off(800, 70, 1050));
}

TEST(what_nobody_awaits_and_another_choice_are_drawn)
{
    struct draw_pace p = drawn(900 * MS, 970 * MS);
    assert_false(draw_pace_is_put_off(&p, 1001 * MS));
    p.awaited_us = 1000 * MS;
    assert_true(draw_pace_is_put_off(&p, 1001 * MS));
    draw_pace_add(&p, second);
    assert_false(draw_pace_is_put_off(&p, 1001 * MS));
}
