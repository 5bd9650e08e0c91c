// Listings: how lines become rows, how they scroll, and their colours.
#include "unit.h"

#include "draw/listing.h"

#include <math.h>

#include "draw/code.h"
#include "canvas.h"
#include "contrast.h"

// ---- rows ----

static const char *const texts[] = {
    "",
    "short",
    "    const int tile_width = blockDim.x + 2 * radius, tile_height = blockDim.y + 2;",
    "// größer als ein Wort – und noch einige Wörter mehr, damit es nicht in eine Zeile passt",
    "withoutanyblankinallofthisverylongnamewhichmustbecutsomewherebecauseitdoesnotfitatall",
    "                                        deep(indentation, that, leaves, little, room);",
    "ends with blanks                                                                      "};
enum { TEXTS = G_N_ELEMENTS(texts) };

static struct listing make_listing(struct listing_line *lines, int count)
{
    for (int i = 0; i < count; i++)
        lines[i] = (struct listing_line){.text = texts[i % TEXTS], .number = i + 1};
    return (struct listing){.lines = lines, .count = count, .hash = (uint64_t)count};
}

// All rows of a line hold all its letters, blanks at their ends left out, and fit.
static void check_rows(const struct listing_view *v)
{
    int row = 0;
    for (int i = 0; i < v->listing->count; i++) {
        const char *text = v->listing->lines[i].text;
        int at = 0;
        assert_int_equal(v->rows[row].line, i);
        assert_int_equal(v->rows[row].indent, 0);
        for (; row < v->row_count && v->rows[row].line == i; row++) {
            const struct listing_row *r = &v->rows[row];
            for (; at < r->start; at++) assert_int_equal(text[at], ' ');
            at = r->start + r->length;
            assert_true(g_utf8_validate(text + r->start, r->length, NULL));
            assert_true(r->indent + g_utf8_strlen(text + r->start, r->length) <= v->columns);
        }
        assert_int_equal(strspn(text + at, " "), strlen(text + at));
    }
    assert_int_equal(row, v->row_count);
}

TEST(rows_hold_all_letters)
{
    OWNED(canvas_close) struct canvas c = canvas_open(800, 600, 20, false);
    struct listing_line lines[TEXTS];
    const struct listing listing = make_listing(lines, TEXTS);
    OWNED(listing_finish) struct listing_view v = {0};
    for (int width = 60; width < 800; width += 7) {
        listing_place(&v, &c.paint, &listing, (struct paint_box){0, 0, width, 400}, 12);
        check_rows(&v);
    }
}

// Between code and a line's figures is room for a triangle and a blank.
TEST(code_leaves_room_for_figures)
{
    enum { FIGURES = 12, ROOM = 4 };
    OWNED(canvas_close) struct canvas c = canvas_open(800, 600, 20, false);
    struct listing_line lines[TEXTS];
    struct listing listing = make_listing(lines, TEXTS);
    OWNED(listing_finish) struct listing_view v = {0};
    listing.figure_columns = FIGURES;
    for (int i = 0; i < TEXTS; i++) strcpy(lines[i].figures, "392 × 1.9 s");
    for (int width = 300; width < 800; width += 7) {
        listing_place(&v, &c.paint, &listing, (struct paint_box){0, 0, width, 400}, 12);
        for (int row = 0; row < v.row_count; row++) {
            const struct listing_row *r = &v.rows[row];
            const char *text = lines[r->line].text + r->start;
            const long most = r->start ? v.columns : v.columns - FIGURES - ROOM;
            assert_true(r->indent + g_utf8_strlen(text, r->length) <= most);
        }
    }
}

TEST(scrolling_ends_with_the_last_line)
{
    OWNED(canvas_close) struct canvas c = canvas_open(800, 600, 20, false);
    struct listing_line lines[200];
    struct listing listing = make_listing(lines, 200);
    OWNED(listing_finish) struct listing_view v = {0};
    const struct paint_box box = {100, 50, 500, 400};
    listing.first = 1000;
    listing_place(&v, &c.paint, &listing, box, 12);
    const struct listing_scroll end = listing_scrolled(&v);
    assert_int_equal(v.rows[v.first_row + v.shown_rows - 1].line, 199);
    assert_true(end.page > 1 && end.last < 200);
    for (listing.first = 0; listing.first < end.last; listing.first += 17) {
        listing_place(&v, &c.paint, &listing, box, 12);
        assert_int_equal(listing_scrolled(&v).first, listing.first);
        assert_int_equal(v.rows[v.first_row].start, 0);
    }
    listing.count = 3;
    listing.hash = 3;
    listing_place(&v, &c.paint, &listing, box, 12);
    assert_int_equal(listing_scrolled(&v).last, 0);
    assert_int_equal(listing_line_at(&v, 300, 449), -1);
    assert_int_equal(listing_line_at(&v, 300, 50 + 3 * 12), 0);
    assert_int_equal(listing_line_at(&v, 99, 50 + 3 * 12), -1);
}

TEST(size_makes_columns_fit)
{
    OWNED(canvas_close) struct canvas c = canvas_open(800, 600, 20, false);
    struct listing_line lines[TEXTS];
    const struct listing listing = make_listing(lines, TEXTS);
    OWNED(listing_finish) struct listing_view v = {0};
    for (int columns = 40; columns <= 80; columns += 4) {
        const double em = floor(listing_size(790, columns));
        listing_place(&v, &c.paint, &listing, (struct paint_box){0, 0, 790, 400}, em);
        assert_true(v.columns >= columns - 3);  // letters are rounded to pixels
    }
}

// ---- colours ----

static double contrast(struct paint_color a, struct paint_color b)
{
    return contrast_of(contrast_luminance(a.red, a.green, a.blue),
                       contrast_luminance(b.red, b.green, b.blue));
}

// A tint over a panel, as listing.c lays it.
static struct paint_color tinted(struct paint_color panel, struct paint_color tint)
{
    const double part = 0.15;
    return (struct paint_color){panel.red + part * (tint.red - panel.red),
                                panel.green + part * (tint.green - panel.green),
                                panel.blue + part * (tint.blue - panel.blue), 1};
}

TEST(colours_can_be_read)
{
    for (int light = 0; light < 2; light++)
        for (int kind = 0; kind < CODE_KINDS; kind++) {
            const struct paint_theme *t = paint_theme(light);
            const struct paint_color color = code_color((enum code_kind)kind, light);
            assert_true(contrast(color, t->panel) >= 5.5);
            assert_true(contrast(color, tinted(t->panel, t->good)) >= 4.5);
            assert_true(contrast(color, tinted(t->panel, t->bad)) >= 4.5);
        }
}

TEST(words_have_their_kinds)
{
    static const char text[] = "#define A 1\n"
                               "const int x = threadIdx.x; // y\n"
                               "//! variant\n"
                               "atomicAdd(\"s\", uint4, atom)";
    static const char wanted[] = "ddddddd   n\n"
                                 "kkkkk ttt     ccccccccc    ////\n"
                                 "!!!!!!!!!!!\n"
                                 "ccccccccc nnn  ttttt       ";
    static const char letters[] = {
        [CODE_PLAIN] = ' ', [CODE_COMMENT] = '/', [CODE_LAUNCH] = '!',    [CODE_KEYWORD] = 'k',
        [CODE_TYPE] = 't',  [CODE_NUMBER] = 'n',  [CODE_DIRECTIVE] = 'd', [CODE_CUDA] = 'c'};
    unsigned char kinds[sizeof text];
    char found[sizeof text] = "";
    code_classify(text, sizeof text - 1, kinds);
    for (size_t i = 0; i < sizeof text - 1; i++)
        found[i] = text[i] == '\n' ? '\n' : letters[kinds[i]];
    assert_string_equal(found, wanted);
}

// There is a long name, too, in a column of a pair.
TEST(what_is_said_about_it_is_whole)
{
    struct listing_line lines[TEXTS];
    struct listing listing = make_listing(lines, TEXTS);
    OWNED(listing_finish) struct listing_view v = {0};
    struct canvas drawn[2];
    strcpy(listing.title, "B · transpose.cu · read_columns");
    strcpy(listing.about, "requests × sectors or wavefronts / fewest");
    for (int i = 0; i < 2; i++) {
        drawn[i] = canvas_open(640, 200, 20, false);
        listing_place(&v, &drawn[i].paint, &listing, (struct paint_box){0, 0, 640, 200}, 20);
        listing_draw(&v, &drawn[i].paint);
        listing.about[strlen(listing.about) - 1] = '_';
    }
    assert_memory_not_equal(canvas_row(&drawn[0], 0), canvas_row(&drawn[1], 0), 4 * 640 * 200);
    canvas_close(&drawn[0]);
    canvas_close(&drawn[1]);
}

// The last row of a line that takes several is coloured as its first one.
TEST(a_line_at_fault_is_coloured_as_a_whole)
{
    enum { WIDTH = 300, HEIGHT = 400, EM = 12 };
    for (int i = 0; i < 2; i++) {
        OWNED(canvas_close) struct canvas c = canvas_open(WIDTH, HEIGHT, EM, false);
        struct listing_line line = {.text = texts[2], .number = 1};
        *(i ? &line.is_at_fault : &line.is_marked) = true;
        const struct listing listing = {.lines = &line, .count = 1, .hash = 1};
        OWNED(listing_finish) struct listing_view v = {0};
        struct paint_box box;
        listing_place(&v, &c.paint, &listing, (struct paint_box){0, 0, WIDTH, HEIGHT}, EM);
        listing_draw(&v, &c.paint);
        assert_true(v.row_count > 2 && listing_line_box(&v, 0, &box));
        const int x = (int)(box.left + box.width) - 2, bottom = (int)(box.top + box.height);
        const uint32_t colour = canvas_row(&c, (int)box.top + 2)[x];
        assert_int_equal(canvas_row(&c, bottom - 2)[x], colour);
        assert_int_not_equal(canvas_row(&c, bottom + 4)[x], colour);
    }
}

// What is drawn next is not cut to its box, be the listing short or one with a scroll bar.
TEST(it_leaves_no_clip)
{
    struct listing_line lines[TEXTS];
    const int counts[] = {1, TEXTS};
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct listing listing = make_listing(lines, counts[i]);
        OWNED(listing_finish) struct listing_view v = {0};
        OWNED(canvas_close) struct canvas c = canvas_open(640, 600, 20, false);
        double left, top, right, bottom;
        listing_place(&v, &c.paint, &listing, (struct paint_box){100, 0, 400, 300}, 20);
        assert_int_equal(v.row_count > v.shown_rows, i);
        listing_draw(&v, &c.paint);
        cairo_clip_extents(c.paint.cairo, &left, &top, &right, &bottom);
        assert_true(left == 0 && top == 0 && right == 640 && bottom == 600);
    }
}
