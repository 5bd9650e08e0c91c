// The lens's picture of a request: what is drawn of each space, and where lanes are found.
#include "unit.h"

#include "draw/lens_parts.h"

#include "canvas.h"

enum { WIDTH = 960, HEIGHT = 320 };

static int count(const struct canvas *c, uint32_t color)
{
    return canvas_count(c, color, 0, HEIGHT);
}

// Lanes that are `apart` bytes apart.
static struct lens_view view_of(enum trace_space space, int bytes, unsigned long long apart)
{
    struct lens_view v = {.title = "Memory · block 5, 3",
                          .where = "warp 0 of 8",
                          .totals = "per pixel: 50 B wanted",
                          .request_words = "global load",
                          .has_request = true,
                          .lane = -1,
                          .request = {.active = 0xffffffff,
                                      .space = (unsigned char)space,
                                      .kind = TRACE_LOAD,
                                      .bytes = (unsigned char)bytes}};
    for (unsigned lane = 0; lane < MODEL_LANES; lane++)
        v.request.address[lane] = 1024 + apart * lane;
    return v;
}

// As narrow as a lens becomes, and so many ems high.
static struct lens_place narrow_place(double em, double height)
{
    return (struct lens_place){.box = {100, 20, 36 * em, height * em}, .em = em};
}

static const struct lens_place usual = {.box = {100, 20, WIDTH - 120, HEIGHT - 40}, .em = 18};

static struct canvas draw(const struct lens_view *v, struct lens_place *place)
{
    struct canvas c = canvas_open(WIDTH, HEIGHT, 25, false);
    lens_view_draw(v, &c.paint, place);
    return c;
}

static const uint32_t first_fill = 0xff86ccff, conflict = 0xffff7b72;

TEST(it_stays_in_its_box)
{
    static const enum trace_space spaces[] = {TRACE_GLOBAL, TRACE_SHARED, TRACE_CONSTANT,
                                              TRACE_TEXTURE};
    OWNED(canvas_close) struct canvas c = canvas_open(WIDTH, HEIGHT, 25, false);
    for (int bytes = 1; bytes <= 16; bytes *= 2)
        for (unsigned long long apart = 0; apart <= 512; apart = apart ? 2 * apart : 1)
            for (size_t i = 0; i < G_N_ELEMENTS(spaces); i++) {
                struct lens_place place = usual;
                const struct lens_view v = view_of(spaces[i], bytes, apart);
                c.paint.theme = paint_theme(bytes == 4);
                canvas_clear(&c);
                lens_view_draw(&v, &c.paint, &place);
                const uint32_t *const above = canvas_row(&c, 19);
                const uint32_t *const below = canvas_row(&c, HEIGHT - 20);
                for (int x = 0; x < WIDTH; x++) assert_true(above[x] == 0 && below[x] == 0);
                for (int y = 0; y < HEIGHT; y++) {
                    const uint32_t *const row = canvas_row(&c, y);
                    assert_true(row[99] == 0 && row[WIDTH - 20] == 0);
                }
                assert_true(count(&c, first_fill) > 200 || spaces[i] == TRACE_SHARED);
            }
}

TEST(conflicts_are_red_and_only_they)
{
    static const struct {
        int bytes;
        unsigned long long apart;
        bool has_conflict;
    } rows[] = {{4, 4, false}, {4, 8, true},  {4, 128, true},  {4, 0, false},
                {1, 1, false}, {8, 8, false}, {16, 16, false}, {4, 132, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lens_place place = usual;
        const struct lens_view v = view_of(TRACE_SHARED, rows[i].bytes, rows[i].apart);
        OWNED(canvas_close) struct canvas c = draw(&v, &place);
        assert_true(count(&c, first_fill) > 50);
        assert_int_equal(count(&c, conflict) > 50, rows[i].has_conflict);
    }
}

TEST(stale_has_no_colours)
{
    struct lens_place place = usual;
    struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
    v.is_stale = true;
    OWNED(canvas_close) struct canvas c = draw(&v, &place);
    assert_int_equal(count(&c, first_fill), 0);
}

// True if another last digit of a text of the view changes a pixel.
static bool is_whole(const struct lens_view *view, char *text, double em, double height)
{
    struct lens_place place = narrow_place(em, height);
    char *const end = strrchr(text, '1');
    OWNED(canvas_close) struct canvas before = draw(view, &place);
    assert_true(place.lanes.height > em);
    *end = '7';
    OWNED(canvas_close) struct canvas after = draw(view, &place);
    *end = '1';
    return canvas_difference(&before, &after, 0) > 0;
}

// As narrow and as low as it becomes, while the whole launch runs, too.
TEST(words_are_whole_in_a_narrow_view)
{
    for (int em = 10; em <= 20; em++)
        for (double height = 13; height < 16; height += 2.5) {
            struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
            strcpy(v.title, "B · Memory · block 30, 93 · whole launch: 21 %");
            strcpy(v.where, "warp 0 of 8 · round 1 of 81 · gaussian.cu:139 > kernel.h:41");
            strcpy(v.totals, "per element: 4100 B wanted · 16900 B fetched by requests · 528 "
                             "sectors where 80.1 would do");
            strcpy(v.request_words,
                   "global load · in · 32 lanes × 1 B · 2 sectors where 1 would do");
            char *const texts[] = {v.title, v.where, v.totals, v.request_words};
            for (int i = 0; i < 4; i++)
                if (!is_whole(&v, texts[i], em, height)) fail_msg("em %d: cut: %s", em, texts[i]);
        }
}

// The totals have two lines before they are much smaller than the words below, if nothing is wrong.
TEST(totals_are_as_large_as_the_words)
{
    for (int em = 10; em <= 20; em++) {
        struct lens_place place = narrow_place(em, 13);
        struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
        OWNED(canvas_close) struct canvas c = draw(&v, &place);
        const double top = place.lanes.top;
        strcpy(v.totals, "per element: 8.00 B wanted · 36.0 B fetched by requests · 1.12 sectors "
                         "where 0.250 would do");
        lens_view_draw(&v, &c.paint, &place);
        assert_true(place.lanes.top > top + em);
        v.request.bytes = 16;
        for (unsigned lane = 0; lane < MODEL_LANES; lane++) v.request.address[lane] = 16 * lane;
        lens_view_draw(&v, &c.paint, &place);
        // Of the first line of memory, though three more have no room.
        const int below = (int)(place.lanes.top + place.lanes.height) + 1;
        assert_true(canvas_count(&c, first_fill, below, HEIGHT) > em);
    }
}

// Long words of the request get a second line, where lanes and a line of memory have room below.
TEST(long_words_of_a_request_have_two_lines)
{
    for (int em = 10; em <= 20; em += 5) {
        struct lens_place low = narrow_place(em, 8), high = narrow_place(em, 13);
        struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
        OWNED(canvas_close) struct canvas c = draw(&v, &high);
        const double top = high.lanes.top;
        lens_view_draw(&v, &c.paint, &low);
        const double low_top = low.lanes.top;
        strcpy(v.request_words, "global load · a · 32 lanes × 4 B · 4 sectors of 32 bytes where 4 "
                                "would do · array a is not shown (n shows it)");
        lens_view_draw(&v, &c.paint, &high);
        assert_true(high.lanes.top > top + em);
        lens_view_draw(&v, &c.paint, &low);
        assert_true(low.lanes.top == low_top);
    }
}

// In a pair's dock at text scale 2, the sectors are there below all words.
TEST(sectors_are_there_below_all_words)
{
    struct lens_place place = {.box = {0, 0, 640, 279}, .em = 640.0 / 36};
    struct lens_view v = view_of(TRACE_GLOBAL, 4, 128);
    strcpy(v.title, "B · Memory · block 513, 0");
    strcpy(v.where, "warp 0 of 8 · round 1 of 1 · access.cu:87 > access.cu:13");
    strcpy(v.totals, "per element: 8.00 B wanted · 64.0 B fetched by requests · 2.00 sectors "
                     "where 0.250 would do");
    strcpy(v.caveat, "the first block: which one writes the element under the cursor is not known");
    strcpy(v.request_words, "global load · a · 32 lanes × 4 B · 32 sectors of 32 bytes where 4 "
                            "would do · array a is not shown (n shows it)");
    OWNED(canvas_close) struct canvas c = draw(&v, &place);
    const int below = (int)(place.lanes.top + place.lanes.height) + 1;
    assert_true(canvas_count(&c, first_fill, below, HEIGHT) > place.em);
}

// The lines that do not fit are only counted, in the last line that does.
TEST(addresses_are_whole_in_a_narrow_view)
{
    for (int em = 10; em <= 20; em += 5) {
        struct canvas c[2];
        for (unsigned i = 0; i < 2; i++) {
            struct lens_place place = narrow_place(em, 13);
            struct lens_view v = view_of(TRACE_GLOBAL, 16, 16);
            strcpy(v.memory, "b");
            for (unsigned lane = 0; lane < MODEL_LANES; lane++)
                v.request.address[lane] = 1000064 + 128 * i + 16 * lane;
            c[i] = draw(&v, &place);
        }
        assert_true(canvas_difference(&c[0], &c[1], 0) > 0);
        for (int i = 0; i < 2; i++) canvas_close(&c[i]);
    }
}

TEST(addresses_say_what_they_count)
{
    static const struct {
        const char *memory;
        int element_bytes;
        unsigned long long address;
        const char *words;
    } cases[] = {
        {"a", 4, 4096 + 525312, "a[131328]"},
        {"a", 12, 4096 + 128, "byte 128 of a"},  // which is in the middle of an element
        {"in", 0, 4096 + 128, "byte 128 of in"},
        {"", 0, 4096, "0x1000"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lens_view v = {.beginning = 4096, .element_bytes = cases[i].element_bytes};
        char words[64];
        strcpy(v.memory, cases[i].memory);
        lens_view_write_address(&v, cases[i].address, words, sizeof words);
        assert_string_equal(words, cases[i].words);
    }
}

// With all that may stand above them.
TEST(lanes_stay_in_a_low_view)
{
    for (int em = 10; em <= 20; em++) {
        struct lens_place place = narrow_place(em, 13);
        struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
        strcpy(v.title, "B · Memory · block 30, 93 · whole launch: 21 %");
        strcpy(v.where, "warp 0 of 8 · round 1 of 81 · gaussian.cu:139 > kernel.h:41");
        strcpy(v.fault, "race: threads 1, 0 and 2, 0, which no barrier orders, "
                        " touch the same word: mean.cu:94 > kernel.h:44 and mean.cu:98");
        strcpy(v.caveat, "an H200's texture unit serves quads");
        strcpy(v.totals, "per element: 8.00 B wanted · 36.0 B fetched by requests · 1.12 sectors "
                         "where 0.250 would do");
        struct canvas c = draw(&v, &place);
        canvas_close(&c);
        assert_true(place.lanes.height > em);
        assert_true(place.lanes.top + place.lanes.height <= place.box.top + place.box.height);
    }
}

// A caveat that is too long for one line gets a second one where there is room, for it to be read.
TEST(a_long_caveat_has_two_lines)
{
    double tops[2][2];
    for (int is_long = 0; is_long <= 1; is_long++)
        for (int is_low = 0; is_low <= 1; is_low++) {
            struct lens_place place = narrow_place(14, is_low ? 10 : 16);
            struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
            strcpy(v.caveat, is_long ? "the first block: which one writes the element under the "
                                       "cursor is not known · counts as written; the GPU's "
                                       "compiler runs the ragged turn of a loop first, by itself"
                                     : "counts as written");
            struct canvas c = draw(&v, &place);
            canvas_close(&c);
            tops[is_low][is_long] = place.lanes.top;
        }
    assert_true(tops[0][1] > tops[0][0]);
    assert_true(tops[1][1] == tops[1][0]);
}

// In a dock beside the source, at text scale 2, a race has lines of its full size, before anything
// else gets a second one.
TEST(a_fault_is_large)
{
    struct lens_place place = {.box = {0, 0, 640, 215}, .em = 16.5};
    struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
    strcpy(v.totals, "per element: 8.00 B wanted · 8.00 B fetched by requests · 0.250 sectors "
                     "where 0.250 would do");
    strcpy(v.conflicts, "block: 0 conflicts");
    strcpy(v.fault,
           "race: bad.cu:22 (load of thread 127) and bad.cu:21 (store of thread 128) touch "
           "word 128 of __shared__ arrays: put __syncthreads() between lines 21 and 22");
    OWNED(canvas_close) struct canvas c = draw(&v, &place);
    const uint32_t red = canvas_pixel(c.paint.theme->bad);
    int lines = 0, widest = 0;
    bool was_red = false;
    for (int y = 0; y < HEIGHT; y++) {
        const bool is_red = canvas_count(&c, red, y, y + 1) > 0;
        int right = 0;
        for (int x = 0; x < WIDTH; x++)
            if (canvas_row(&c, y)[x] == red) right = x;
        lines += is_red && !was_red;
        widest = MAX(widest, right);
        was_red = is_red;
    }
    assert_int_equal(lines, 3);
    assert_true(widest < 600 && place.lanes.height > 0);
}

TEST(lanes_are_found)
{
    struct lens_place place = usual;
    struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
    assert_int_equal(lens_view_lane_at(&place, 300, 100), -1);
    OWNED(canvas_close) struct canvas c = draw(&v, &place);
    const struct paint_box row = place.lanes;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        assert_int_equal(lens_view_lane_at(&place, row.left + (lane + 0.5) * row.width / 32,
                                           row.top + row.height / 2),
                         lane);
    assert_int_equal(lens_view_lane_at(&place, row.left + 5, row.top - 1), -1);
    v.has_request = false;
    lens_view_draw(&v, &c.paint, &place);
    assert_int_equal(lens_view_lane_at(&place, row.left + 5, row.top + 1), -1);
}

// ---- the whole window ----

TEST(rows_fit_their_room)
{
    for (int count = 1; count <= MODEL_LANES; count++)
        for (double room = 40; room < 1000; room *= 1.3) {
            const struct lens_rows all = lens_request_rows(count, room, 20, true);
            const struct lens_rows some = lens_request_rows(count, room, 20, false);
            assert_int_equal(all.shown, count);
            assert_true(count * all.step <= room + 1e-9 && all.step <= LENS_FULL_ROW * 20);
            assert_true(some.step == LENS_ROW_HEIGHT * 20 && some.shown * some.step <= room);
            // Without room for all, there is some for the words about the others.
            if (some.shown < count && room >= some.step)
                assert_true((some.shown + 1) * some.step <= room);
        }
}

static void draw_full(const struct lens_view *v, struct lens_place *place, bool is_light)
{
    OWNED(canvas_close) struct canvas c = canvas_open(1280, 720, 38, is_light);
    place->is_full = true;
    lens_view_draw(v, &c.paint, place);
}

// With all that may stand above them, at text scale 2 in a window of 1280×720, alone and beside
// another lens or a caption: 15 pixels each.
TEST(every_wavefront_of_a_conflict_has_a_row)
{
    static const struct lens_place places[] = {
        {.box = {0, 0, 1280, 720}, .em = 27},
        {.box = {0, 0, 640, 720}, .em = 17},
        {.box = {0, 0, 1280, 720}, .em = 24, .beside = 384},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        for (int is_crowded = 0; is_crowded <= 1; is_crowded++) {
            struct lens_place place = places[i];
            struct lens_view v = view_of(TRACE_SHARED, 4, 128);
            strcpy(v.conflicts, "block: 992 conflicts");
            if (is_crowded) {
                strcpy(v.title, "B · Transpose · shared · block 30, 93 · whole launch: 21 %");
                strcpy(v.where, "warp 0 of 8 · round 1 of 81 · transpose.cu:139 > kernel.h:41");
                strcpy(v.totals, "per element: 8.00 B wanted · 36.0 B fetched by requests · 1.12 "
                                 "sectors where 0.250 would do");
                strcpy(v.caveat, "counts as written; the GPU's compiler merges loads");
            }
            draw_full(&v, &place, is_crowded);
            assert_int_equal(place.rows, 32);
            assert_int_equal(place.shown_rows, 32);
            assert_int_equal(place.repeats, 32);
            if (place.row_height < 15) fail_msg("place %d: rows of %g", (int)i, place.row_height);
        }
}

// A wrong result and how a lecture goes on are seen, which bands say elsewhere.
TEST(a_full_lens_shows_what_bands_would)
{
    struct lens_place place = {
        .box = {0, 0, WIDTH, HEIGHT}, .em = 18, .is_full = true, .beside = 300, .hint = 30};
    struct lens_view v = view_of(TRACE_GLOBAL, 4, 4);
    OWNED(canvas_close) struct canvas plain = draw(&v, &place);
    const uint32_t red = canvas_pixel(plain.paint.theme->bad);
    assert_int_equal(count(&plain, red), 0);
    v.is_wrong = true;
    strcpy(v.hint, "4 of 9   space  goes on");
    OWNED(canvas_close) struct canvas marked = draw(&v, &place);
    assert_true(count(&marked, red) > 50);
    assert_true(canvas_difference(&plain, &marked, HEIGHT - 30) > 100);
}

// Rows of pixels in which a lane's cell, which is bright, has dark ink.
static int ink_height(const struct canvas *c, const struct lens_place *place, int lane)
{
    const struct paint_box row = place->lanes;
    const double middle = row.left + (lane + 0.5) * row.width / MODEL_LANES;
    int found = 0;
    for (int y = (int)row.top; y < row.top + row.height; y++) {
        bool has_ink = false;
        for (int x = (int)middle - 5; x <= middle + 5; x++)
            has_ink |= (canvas_row(c, y)[x] >> 8 & 0xff) < 0x60;
        found += has_ink;
    }
    return found;
}

// Where cells are narrow, as of two lenses side by side, few numbers are written, but large ones.
TEST(no_number_is_small)
{
    for (int is_narrow = 0; is_narrow <= 1; is_narrow++) {
        struct lens_place place = {
            .box = {100, 0, is_narrow ? 450 : 800, HEIGHT}, .em = 18, .is_full = true};
        const struct lens_view v = view_of(TRACE_GLOBAL, 4, 32);
        OWNED(canvas_close) struct canvas c = draw(&v, &place);
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const bool is_written = !is_narrow || lane % 8 == 0 || lane == MODEL_LANES - 1;
            const int height = ink_height(&c, &place, lane);
            if (lane % 8 == 1 || lane % 8 == 7 || lane == MODEL_LANES - 2) continue;
            if (is_written ? height < 7 : height > 0) fail_msg("lane %d has %d", lane, height);
        }
    }
}

// Lanes 31 and 0 are in neighbouring banks. The number of lane 31, wider than its cell, would lie
// on that of lane 0: without lane 31, the picture is another one in its own cell alone.
TEST(numbers_lie_on_no_other)
{
    struct lens_place place = {.box = {100, 0, 450, HEIGHT}, .em = 18, .is_full = true};
    struct lens_view v = view_of(TRACE_SHARED, 4, 4);
    for (int lane = 0; lane < MODEL_LANES; lane++) v.request.address[lane] += 15 * 4;
    OWNED(canvas_close) struct canvas all = draw(&v, &place);
    v.request.active &= ~(1u << 31);
    OWNED(canvas_close) struct canvas but_one = draw(&v, &place);
    int first = WIDTH, last = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (canvas_row(&all, y)[x] != canvas_row(&but_one, y)[x])
                first = MIN(first, x), last = MAX(last, x);
    assert_in_range(last - first, 3, 10);
}

TEST(only_equal_wavefronts_have_a_bracket)
{
    static const struct {
        unsigned long long apart;
        int rows, repeats;
    } rows[] = {{4, 1, 0}, {8, 2, 2}, {64, 16, 16}, {132, 1, 0}, {0, 1, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lens_place place = {.box = {0, 0, 1280, 720}, .em = 20};
        const struct lens_view v = view_of(TRACE_SHARED, 4, rows[i].apart);
        draw_full(&v, &place, false);
        assert_int_equal(place.rows, rows[i].rows);
        assert_int_equal(place.repeats, rows[i].repeats);
    }
}

// Of a sector of 32 bytes, the part that lanes want has its colour.
TEST(used_bytes_have_a_colour)
{
    long wanted[2];
    for (int is_scattered = 0; is_scattered <= 1; is_scattered++) {
        struct lens_place place = {.box = {0, 0, WIDTH, HEIGHT}, .em = 10, .is_full = true};
        const struct lens_view v = view_of(TRACE_GLOBAL, 4, is_scattered ? 128 : 4);
        OWNED(canvas_close) struct canvas c = draw(&v, &place);
        assert_true(place.lanes.height > 10 && place.lanes.top < HEIGHT / 2);
        wanted[is_scattered] = 0;
        const uint32_t *const row = canvas_row(&c, HEIGHT - 70);  // through the bytes
        for (int x = 0; x < WIDTH; x++)
            wanted[is_scattered] += row[x] == first_fill || row[x] == 0xffffb17a ||
                                    row[x] == 0xff9be58b || row[x] == 0xfff5a3cb ||
                                    row[x] == 0xffcbaeff || row[x] == 0xffffe08a;
    }
    assert_true(wanted[0] > 0.9 * WIDTH);
    assert_true(wanted[1] > 0.05 * WIDTH && wanted[1] < 0.2 * WIDTH);
}
