// test_menu_view -- menus and what draws the eye: in windows of all sizes they lie inside, and the
// marked row is among those that are shown.
#include "unit.h"

#include <math.h>

#include "canvas.h"
#include "screen/overlay_parts.h"

enum { ROWS = 40 };
static const char long_row[] =
    "a caption that is much longer than the widest of all windows is wide, "
    "and which goes on and on until at last it ends about here";

static struct menu_view make_menu(struct menu_row *rows, int count, int row)
{
    for (int i = 0; i < count; i++)
        rows[i] = (struct menu_row){.name = i % 7 == 3 ? long_row : "a row",
                                    .group = i % 5 == 3 ? long_row : "its group",
                                    .key = i % 3 ? "" : "PgDn",
                                    .is_present = i == 2};
    return (struct menu_view){.title = "What a tile is for",
                              .foot = "Return: go",
                              .rows = rows,
                              .count = count,
                              .row = row};
}

// True if anything was drawn in a box of the canvas.
static bool has_ink(const struct canvas *c, struct paint_box box)
{
    const int left = (int)box.left, top = (int)box.top;
    for (int y = top; y < top + (int)box.height; y++)
        for (int x = left; x < left + (int)box.width; x++)
            if (canvas_row(c, y)[x] != canvas_row(c, top)[left]) return true;
    return false;
}

static void check_menu(struct canvas *c, int count, int row)
{
    struct menu_row rows[ROWS];
    const struct menu_view menu = make_menu(rows, count, row);
    const struct paint_box area = {10, 10, c->paint.width - 20, c->paint.height - 20};
    struct menu_place place = {.first = 7};
    menu_view_place(&place, &c->paint, &menu, area);
    assert_true(paint_is_inside(place.box, area));
    assert_true(place.shown >= 1 && place.first >= 0);
    assert_true(row >= place.first && row < place.first + place.shown);
    assert_true(count == 0 || place.first + place.shown <= count);
    menu_view_draw(&place, &c->paint, &menu);
    assert_true(has_ink(c, place.box));
}

TEST(menus_fit_and_show_their_row)
{
    static const struct {
        int width, height;
        double scale;
    } windows[] = {{1920, 1080, 1}, {1280, 720, 2}, {800, 600, 4}, {640, 360, 1}, {320, 200, 4}};
    static const int counts[][2] = {{ROWS, 0}, {ROWS, ROWS - 1}, {ROWS, 17},
                                    {3, 1},    {1, 0},           {0, 0}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        const double plain = fmin(windows[i].height / 38.0, windows[i].width / 50.0);
        OWNED(canvas_close)
        struct canvas c =
            canvas_open(windows[i].width, windows[i].height,
                        fmin(plain * windows[i].scale, windows[i].height / 10.0), i % 2);
        c.paint.plain = plain;
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
            check_menu(&c, counts[k][0], counts[k][1]);
    }
}

// As long as the marked row is among those that are shown, they stay, and each is found where it is
// drawn. With fewer rows the top stays.
TEST(rows_stay_where_they_are)
{
    const struct paint_box area = {10, 10, 780, 380};
    struct menu_row rows[ROWS];
    OWNED(canvas_close) struct canvas c = canvas_open(800, 400, 16, false);
    struct menu_view menu = make_menu(rows, ROWS, ROWS - 1);
    struct menu_place place = {.first = 0};
    menu_view_place(&place, &c.paint, &menu, area);
    const struct menu_place last = place;
    assert_int_equal(place.first + place.shown, ROWS);
    menu.row = place.first;
    menu_view_place(&place, &c.paint, &menu, area);
    assert_int_equal(place.first, last.first);
    menu.row--;
    menu_view_place(&place, &c.paint, &menu, area);
    assert_int_equal(place.first, last.first - 1);
    const double height = (place.box.top + place.box.height - place.top) / place.shown;
    for (int i = 0; i < place.shown; i++) {
        const double y = place.top + 0.8 * height * (i + 0.5);
        const int row = menu_view_row_at(&place, place.box.left + 50, y);
        assert_true(row >= place.first && row <= place.first + i);
    }
    assert_int_equal(menu_view_row_at(&place, place.box.left + 50, place.top + 1), place.first);
    assert_int_equal(menu_view_row_at(&place, place.box.left + 50, place.top - 1), -1);
    assert_int_equal(menu_view_row_at(&place, place.box.left - 1, place.top + 1), -1);
    assert_int_equal(
        menu_view_row_at(&place, place.box.left + 50, place.box.top + place.box.height - 1), -1);
    menu = make_menu(rows, 2, 1);
    menu_view_place(&place, &c.paint, &menu, area);
    assert_true(place.box.top == last.box.top && place.box.width == last.box.width);
    assert_true(place.box.height < last.box.height && place.shown == 2);
}

// A key's whole words are read in a lecture: its last letter is drawn.
TEST(names_become_smaller_before_they_are_cut)
{
    struct canvas canvases[2];
    static const char *const names[] = {"memory lens: what a warp touches; whole windoW",
                                        "memory lens: what a warp touches; whole windom"};
    for (int i = 0; i < 2; i++) {
        struct canvas *c = &canvases[i];
        struct menu_row row = {.name = names[i], .group = "Source", .key = "M"};
        const struct menu_view menu = {.title = "Find", .foot = "", .rows = &row, .count = 1};
        struct menu_place place = {.first = 0};
        *c = canvas_open(1280, 720, 720 / 38.0 * 2, false);
        c->paint.plain = 720 / 38.0;
        menu_view_place(&place, &c->paint, &menu, (struct paint_box){29, 29, 1222, 662});
        menu_view_draw(&place, &c->paint, &menu);
    }
    assert_true(canvas_difference(&canvases[0], &canvases[1], 0) > 0);
    for (int i = 0; i < 2; i++) canvas_close(&canvases[i]);
}

// A number keeps its noun, and words of a narrow caption become smaller before one is broken.
TEST(a_caption_breaks_no_word)
{
    struct message m;
    OWNED(canvas_close) struct canvas c = canvas_open(1280, 720, 720 / 38.0 * 2, false);
    c.paint.plain = 720 / 38.0;
    message_init(&m, c.context);
    for (double width = 350; width < 450; width += 10) {
        message_place(&m, &c.paint, "one after the other: 32 wavefronts a request = 32",
                      OVERLAY_LECTURE, (struct paint_box){0, 0, width, 678}, MESSAGE_MIDDLE);
        const char *const text = pango_layout_get_text(m.head);
        for (int i = 1; i < pango_layout_get_line_count(m.head); i++)
            if (text[pango_layout_get_line_readonly(m.head, i)->start_index - 1] != ' ')
                fail_msg("a word is broken in %g pixels", width);
    }
    message_finish(&m);
}

// The count stands at the right of a short title's row.
TEST(they_say_how_many_rows_there_are)
{
    struct menu_row rows[ROWS];
    OWNED(canvas_close) struct canvas c = canvas_open(800, 600, 16, false);
    struct menu_view menu = make_menu(rows, ROWS, 0);
    struct menu_place place = {.first = 0};
    menu.title = "Tours";
    menu_view_place(&place, &c.paint, &menu, (struct paint_box){10, 10, 780, 580});
    menu_view_draw(&place, &c.paint, &menu);
    const struct paint_box box = {place.box.left + place.box.width - 4 * place.em,
                                  place.box.top + place.em, 3 * place.em, 1.8 * place.em};
    assert_true(has_ink(&c, box));
    menu.count = 0;
    menu_view_place(&place, &c.paint, &menu, (struct paint_box){10, 10, 780, 580});
    assert_string_equal(place.counted, "");
}

TEST(what_it_draws_is_in_its_hash)
{
    struct menu_row rows[ROWS], others[ROWS];
    const struct menu_view menu = make_menu(rows, 9, 4);
    struct menu_view other = make_menu(others, 9, 4);
    const uint64_t hash = menu_view_hash(&menu);
    assert_int_equal(menu_view_hash(NULL), 0);
    assert_true(hash && menu_view_hash(&other) == hash);
    other.row = 5;
    assert_true(menu_view_hash(&other) != hash);
    other = menu;
    other.title = "else";
    assert_true(menu_view_hash(&other) != hash);
    other = menu;
    other.rows = others;
    for (int part = 0; part < 5; part++) {
        memcpy(others, rows, sizeof others);
        if (part == 0) others[8].name = "else";
        if (part == 1) others[8].group = "else";
        if (part == 2) others[8].key = "else";
        if (part == 3) others[8].is_present = true;
        if (part == 4) others[8].is_grey = true;
        assert_true(menu_view_hash(&other) != hash);
    }
}

// The frame is about the box and leaves it free; a ring is round about its point.
TEST(pointers_lie_about_their_place)
{
    OWNED(canvas_close) struct canvas c = canvas_open(400, 300, 16, false);
    const struct paint_box about = {100, 80, 120, 20}, point = {300, 200, 1, 1};
    for (int kind = OVERLAY_POINTED_PANEL; kind <= OVERLAY_POINTED_SPOT; kind++) {
        const struct overlay_pointer p = {.kind = (enum overlay_pointed)kind};
        const bool is_ring = kind == OVERLAY_POINTED_SPOT;
        const struct paint_box inner = is_ring ? paint_inset(point, -8) : about;
        const struct paint_box box = pointer_view_place(&p, &c.paint, is_ring ? point : about);
        assert_true(paint_is_inside(inner, box));
        if (is_ring) assert_true(box.width == box.height);
        cairo_set_operator(c.paint.cairo, CAIRO_OPERATOR_CLEAR);
        cairo_paint(c.paint.cairo);
        cairo_set_operator(c.paint.cairo, CAIRO_OPERATOR_OVER);
        pointer_view_draw(&p, &c.paint, box);
        assert_true(has_ink(&c, box));
        if (has_ink(&c, inner)) fail_msg("a pointer of kind %d covers its place", kind);
        assert_false(has_ink(&c, (struct paint_box){0, 0, box.left, 300}));
    }
}
