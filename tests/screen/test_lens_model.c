// The lens's words about a block: the cursor's steps, words, figures of lines, and places.
#include "unit.h"

#include "screen/lens_model.h"

#include "screen/panel_model.h"

// Two warps that each load a picture twice through a function, store shared memory with conflicts
// and store the picture. The second warp's upper half is not active.
enum { WARPS = 2, STEPS_A_WARP = 4, LINES = 3, PITCH = 256, IN = 4096, OUT = 1 << 20 };

// Each test begins with that block, with a cursor at its first step, and with a view without a
// lane.
static struct block {
    struct lens_result result;
    struct lens_step steps[WARPS * STEPS_A_WARP];
    struct lens_line lines[LINES];
} b;
static struct lens_cursor cursor;
static struct lens_view view;

static struct lens_request request_of(int warp, int number)
{
    struct lens_request q = {.active = warp ? 0xffff : 0xffffffff, .bytes = 1};
    q.site = number < 2 ? 10 : 10 * (unsigned)number;
    q.kind = number < 2 ? TRACE_LOAD : TRACE_STORE;
    q.space = number == 2 ? TRACE_SHARED : TRACE_GLOBAL;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        q.address[lane] = number == 2   ? 8ull * 4 * (unsigned)lane
                          : number == 3 ? OUT + (unsigned)(warp * PITCH + lane)
                                        : IN + (unsigned)(warp * PITCH + 33 * lane * number + lane);
    return q;
}

static int fill(void **state)
{
    b = (struct block){
        .lines = {{.chain = {.places = {{"kernel.h", 53}, {"mean.cu", 27}}, .count = 2}},
                  {.chain = {.places = {{"mean.cu", 30}}, .count = 1}, .space = TRACE_SHARED},
                  {.chain = {.places = {{"mean.cu", 31}}, .count = 1}}},
        .result = {
            .pass_count = 1,
            .memory = {{.name = "in", .address = IN, .bytes = 16 * PITCH, .element_bytes = 1},
                       {.name = "out", .address = OUT, .bytes = 16 * PITCH, .element_bytes = 1}},
            .memory_count = 2}};
    for (int m = 0; m < 2; m++) {
        b.result.memory[m].shape = planes_shape(200, 16, 1);
        assert_int_equal(b.result.memory[m].shape.pitch, PITCH);
    }
    struct lens_pass *p = &b.result.passes[0];
    for (int i = 0; i < WARPS * STEPS_A_WARP; i++) {
        const int number = i % STEPS_A_WARP, line = MAX(0, number - 1);
        struct lens_step *s = &b.steps[i];
        *s = (struct lens_step){.warp = i / STEPS_A_WARP,
                                .instance = number == 1,
                                .line = line,
                                .request = request_of(i / STEPS_A_WARP, number)};
        model_count(&s->request, &b.lines[line].counts);
        model_count(&s->request, &p->counts[s->request.space][s->request.kind]);
    }
    p->config = (struct launch_config){1, 1, 32, WARPS, 0};
    p->steps = b.steps;
    p->step_count = WARPS * STEPS_A_WARP;
    p->lines = b.lines;
    p->line_count = LINES;
    p->block_x = 5;
    p->block_y = 3;
    p->times = 10;  // of 48 pixels a block
    b.result.elements = 480;
    cursor = (struct lens_cursor){0};
    view = (struct lens_view){.lane = -1};
    return 0;
}

// ---- the cursor ----

static void expect_at(struct lens_cursor *at, int step)
{
    const struct lens_step *found = lens_model_find(&b.result, at);
    assert_non_null(found);
    assert_int_equal(found - b.steps, step);
}

TEST_WITH(steps_go_round, fill, NULL)
{
    static const struct {
        enum lens_way way;
        int steps, wanted;
    } rows[] = {{LENS_INSTRUCTION, 0, 0}, {LENS_INSTRUCTION, 1, 2},  {LENS_INSTRUCTION, 1, 3},
                {LENS_INSTRUCTION, 1, 0}, {LENS_INSTANCE, 1, 1},     {LENS_INSTANCE, 1, 0},
                {LENS_INSTANCE, -1, 1},   {LENS_REQUEST, 1, 2},      {LENS_WARP, 1, 6},
                {LENS_REQUEST, 2, 4},     {LENS_INSTRUCTION, -1, 7}, {LENS_WARP, 1, 3},
                {LENS_WARP, -3, 7}};
    expect_at(&cursor, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        lens_model_go(&b.result, &cursor, rows[i].way, rows[i].steps);
        expect_at(&cursor, rows[i].wanted);
    }
}

// Through the warps that make a request, then through the instructions.
TEST_WITH(a_round_goes_through_all, fill, NULL)
{
    static const int wanted[] = {4, 2, 6, 3, 7, 0, 4};
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        lens_model_go(&b.result, &cursor, LENS_ROUND, 1);
        expect_at(&cursor, wanted[i]);
    }
    cursor = (struct lens_cursor){.site = 10, .instance = 1};
    lens_model_go(&b.result, &cursor, LENS_ROUND, 1);
    expect_at(&cursor, 5);
    b.result.passes[1] = b.result.passes[0];
    b.result.pass_count = 2;
    cursor = (struct lens_cursor){.warp = 1, .site = 30};
    lens_model_go(&b.result, &cursor, LENS_ROUND, 2);
    assert_true(cursor.pass == 1 && cursor.warp == 1 && cursor.site == 10);
    b.result.passes[0].step_count = 0;
    cursor = (struct lens_cursor){0};
    lens_model_go(&b.result, &cursor, LENS_ROUND, 3);
}

TEST_WITH(another_block_keeps_the_instruction, fill, NULL)
{
    struct lens_cursor many = {.warp = 1, .site = 10, .instance = 48};
    expect_at(&many, 5);
    struct lens_cursor gone = {.pass = 3, .warp = 1, .site = 77};
    expect_at(&gone, 4);
    struct lens_cursor far = {.warp = 9};
    expect_at(&far, 0);
    b.result.passes[0].step_count = 0;
    assert_null(lens_model_find(&b.result, &far));
    lens_model_go(&b.result, &far, LENS_INSTRUCTION, 1);
    lens_model_go(&b.result, &far, LENS_WARP, 1);
}

TEST_WITH(lines_lead_to_requests, fill, NULL)
{
    cursor.warp = 1;
    assert_true(lens_model_go_to_line(&b.result, &cursor, "mean.cu", 31));
    expect_at(&cursor, 3);
    assert_true(lens_model_go_to_line(&b.result, &cursor, "kernel.h", 53));
    expect_at(&cursor, 0);
    assert_false(lens_model_go_to_line(&b.result, &cursor, "kernel.h", 27));
}

// ---- corresponding requests ----

// The same kernel with nothing but the stores of the first warp.
static void use_stores(struct lens_result *r, struct lens_step few[2])
{
    for (int i = 0; i < 2; i++) {
        few[i] = b.steps[2 + i];
        few[i].request.site = 7 + (unsigned)i;
    }
    r->passes[0].steps = few;
    r->passes[0].step_count = 2;
}

// The same kernel without the first of two loads, and with one warp.
TEST_WITH(requests_correspond_by_array_and_kind, fill, NULL)
{
    static struct lens_step few[2];
    struct lens_result other = b.result;
    struct lens_access access;
    use_stores(&other, few);
    other.passes[0].config.block_height = 1;
    struct lens_cursor at = {.warp = 1, .site = 30}, there = {.site = 7};
    assert_true(lens_pair_access(&b.result, &at, &access));
    assert_string_equal(access.array, "out");
    assert_true(access.kind == TRACE_STORE && access.number == 0 && access.warp == 1);
    assert_true(lens_pair_go(&other, &there, &access));
    assert_int_equal(there.site, 8);
    assert_int_equal(there.warp, 0);
    at = (struct lens_cursor){.site = 20};
    assert_true(lens_pair_access(&b.result, &at, &access));
    assert_true(access.space == TRACE_SHARED);
    assert_string_equal(access.array, "");
    assert_true(lens_pair_go(&other, &there, &access));
    assert_int_equal(there.site, 7);
    // One kernel may read an array as a texture.
    few[0].request = b.steps[0].request;
    few[0].request.space = TRACE_TEXTURE;
    at = (struct lens_cursor){.site = 10};
    assert_true(lens_pair_access(&b.result, &at, &access));
    assert_true(lens_pair_go(&other, &there, &access));
    assert_int_equal(there.site, 10);
    few[0] = b.steps[2];
    few[0].request.site = 7;
    there = (struct lens_cursor){.site = 7};
    // There is no load: it stays.
    at = (struct lens_cursor){.site = 10, .instance = 1};
    assert_true(lens_pair_access(&b.result, &at, &access));
    assert_int_equal(access.instance, 1);
    assert_false(lens_pair_go(&other, &there, &access));
    assert_int_equal(there.site, 7);
    // Back, to the same execution, and of two such instructions to the same one.
    assert_true(lens_pair_go(&b.result, &there, &access));
    expect_at(&there, 1);
    b.steps[1].request.site = 11;
    b.steps[1].instance = 0;
    at = (struct lens_cursor){.site = 11};
    assert_true(lens_pair_access(&b.result, &at, &access));
    assert_int_equal(access.number, 1);
    there = (struct lens_cursor){0};
    assert_true(lens_pair_go(&b.result, &there, &access));
    expect_at(&there, 1);
    other.passes[0].step_count = 0;
    assert_false(lens_pair_access(&other, &there, &access));
}

// Two kernels of which the second makes no load.
TEST_WITH(a_pair_stays_together, fill, NULL)
{
    static const struct variant variants[3];
    static struct lens_step few[2];
    struct lens_result other = b.result;
    struct lens_cursor cursors[2] = {{.site = 30}, {.site = 7}};
    struct lens_pair pair;
    memset(&pair, 0, sizeof pair);
    use_stores(&other, few);
    struct lens_pair_now now = {.results = {&b.result, &other},
                                .variants = {&variants[0], &variants[1]},
                                .cursors = cursors,
                                .active = 1};
    lens_pair_follow(&pair, &now);  // new ones: the second goes to the first one's store
    assert_true(cursors[0].site == 30 && cursors[1].site == 8);
    now.has_gone = true;
    cursors[1].site = 7;
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 20 && cursors[1].site == 7);
    now.active = 0;
    cursors[0].site = 10;
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 10 && cursors[1].site == 7);
    // Another kernel stays on its own kind of request, or goes to that of the other side.
    now.has_gone = false;
    now.variants[1] = &variants[2];
    cursors[1].site = 1;
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 10 && cursors[1].site == 7);
    now.results[0] = &other;
    now.variants[0] = &variants[2];
    cursors[0].site = 8;
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 7 && cursors[1].site == 7);
    now.active = 1;  // nothing but the side
    cursors[0].site = 8;
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 8 && cursors[1].site == 7);
}

// Where nothing is compared, the next kernel's lens stays on the kind of request, too.
TEST_WITH(one_lens_stays_on_its_kind_of_request, fill, NULL)
{
    static const struct variant variants[2];
    static struct lens_step few[2];
    struct lens_result other = b.result;
    struct lens_cursor cursors[2] = {{.site = 30}, {.site = 1}};
    struct lens_pair pair;
    memset(&pair, 0, sizeof pair);
    use_stores(&other, few);
    struct lens_pair_now now = {
        .results = {&b.result}, .variants = {&variants[0]}, .cursors = cursors};
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 30 && cursors[1].site == 1);
    now.results[0] = &other;
    now.variants[0] = &variants[1];
    cursors[0].site = 7;
    lens_pair_follow(&pair, &now);
    assert_true(cursors[0].site == 8 && cursors[1].site == 1);
}

// ---- words ----

TEST_WITH(words_tell_the_request, fill, NULL)
{
    view.lane = 3;
    lens_model_write(&view, &b.result, &cursor, "Memory");
    assert_string_equal(view.title, "Memory · block 5, 3");
    assert_string_equal(view.where, "warp 0 of 2 · round 1 of 2 · mean.cu:27 > kernel.h:53");
    assert_string_equal(view.request_words, "global load · in · 32 lanes × 1 B · 1 sector of 32 "
                                            "bytes where 1 would do · lane 3: pixel 3, 0");
    assert_string_equal(view.moved, "fetched 32 B, used 32 B");
    // Of a lab's layers the first is traced; those of a picture are planes.
    const int width = b.result.memory[0].shape.width;
    for (int i = 0; i < 2; i++) {
        b.result.passes[0].config.grid_depth = 3;
        b.result.memory[0].shape.width = i ? width : 0;
        lens_model_write(&view, &b.result, &cursor, "Memory");
        assert_string_equal(view.title, i ? "Memory · block 5, 3" : "Memory · block 5, 3, 0");
        assert_int_equal(view.element_bytes, i ? 0 : 1);
    }
    lens_model_go(&b.result, &cursor, LENS_INSTRUCTION, 1);
    view = (struct lens_view){.lane = -1};
    lens_model_write(&view, &b.result, &cursor, "B · Mean · naive");
    assert_string_equal(view.title, "B · Mean · naive · block 5, 3");
    assert_string_equal(view.request_words, "shared store · 32 lanes × 1 B · 8 wavefronts, 7 of "
                                            "them bank conflicts");
    assert_string_equal(view.moved, "8 wavefronts where 1 would do");
    assert_true(view.has_request);
}

TEST_WITH(races_are_named, fill, NULL)
{
    lens_model_write(&view, &b.result, &cursor, "");
    assert_string_equal(view.fault, "");
    struct lens_race races[] = {
        {.chain = {b.lines[0].chain, b.lines[1].chain},
         .race = {
             .address = 12, .kind = {TRACE_STORE, TRACE_LOAD}, .thread = {0, 40}, .bytes = 4}}};
    b.result.passes[0].races = races;
    b.result.passes[0].race_count = 1;
    lens_model_write(&view, &b.result, &cursor, "");
    assert_string_equal(view.fault, "race: mean.cu:27 (store of thread 0) and mean.cu:30 (load of "
                                    "thread 40) touch tile[3]: put __syncthreads() between "
                                    "lines 27 and 30");
    b.result.passes[0].race_count = 3;
    lens_model_write_whole(&view, &b.result);
    assert_true(g_str_has_suffix(view.fault, " lines 27 and 30 · and 2 more"));
}

// A block has 48 of the launch's pixels; each warp's loads touch 1 sector, and 33 or 17 of them.
TEST_WITH(totals_are_a_pixels, fill, NULL)
{
    char text[100];
    const struct lens_counts global = lens_result_of_space(&b.result.passes[0], TRACE_GLOBAL);
    lens_model_write(&view, &b.result, &cursor, "");
    g_autofree char *wanted =
        g_strdup_printf("%.2f sectors · 0.208 conflicts per pixel", (double)global.sectors / 48);
    lens_model_write_sums(&b.result, text, sizeof text, true);
    assert_string_equal(text, wanted);
    assert_true(g_str_has_prefix(view.totals, "per pixel: 3.00 B wanted · "));
    assert_string_equal(view.conflicts, "block: 10 conflicts");
    g_free(wanted);
    wanted = g_strdup_printf("%.2f · 0.208", (double)global.sectors / 48);
    lens_model_write_sums(&b.result, text, sizeof text, false);
    assert_string_equal(text, wanted);
    lens_model_write_unit(&b.result, text, sizeof text);
    assert_string_equal(text, "sectors · conflicts per pixel");
}

TEST_WITH(a_labs_unit_fits_above_its_column, fill, NULL)
{
    struct panel_model_facts facts;
    b.result.memory[0].shape.width = 0;
    lens_model_write_unit(&b.result, facts.lens.unit, sizeof facts.lens.unit);
    assert_string_equal(facts.lens.unit, "sectors · conflicts per element");
}

TEST_WITH(totals_are_a_whole_launchs, fill, NULL)
{
    lens_model_write(&view, &b.result, &cursor, "");
    b.result.is_whole = true;
    b.result.elements = 12;
    b.result.passes[0].times = 1;
    b.result.passes[0].step_count = 0;
    lens_model_write_whole(&view, &b.result);
    assert_true(g_str_has_prefix(view.totals, "whole launch, per pixel: 12.0 B wanted · "));
    assert_string_equal(view.conflicts, "launch: 10 conflicts");
    b.result.passes[0].counts[TRACE_SHARED][TRACE_STORE].requests = 0;
    lens_model_write_whole(&view, &b.result);
    assert_string_equal(view.conflicts, "");
}

TEST_WITH(lines_have_figures, fill, NULL)
{
    struct lens_figures f;
    char text[28];
    assert_true(lens_model_line(&b.result, "mean.cu", 27, &f));
    assert_int_equal(f.counts.requests, 4);
    assert_true(f.excess > 0 && f.space == TRACE_GLOBAL);
    assert_true(lens_model_line(&b.result, "mean.cu", 30, &f));
    assert_int_equal(f.space, TRACE_SHARED);
    assert_int_equal(f.excess, 10);
    lens_model_write_figures(&f, text, sizeof text);
    assert_string_equal(text, "2 × 6.0/1.0 w 24 l");
    assert_false(lens_model_line(&b.result, "mean.cu", 26, &f));
    assert_false(lens_model_line(&b.result, "kernel.h", 27, &f));
}

// A line multiplies constants by pixels: sectors and words do not belong to one request.
TEST_WITH(kinds_of_memory_are_not_mixed, fill, NULL)
{
    static const struct lens_counts global = {.requests = 4, .sectors = 16, .ideal_sectors = 16},
                                    texture = {.requests = 32,
                                               .lanes = 128,
                                               .sectors = 40,
                                               .ideal_sectors = 38},
                                    constant = {.requests = 6, .words = 192};
    struct lens_figures f;
    char text[28];
    for (int i = 0; i < LINES; i++) b.lines[i].chain = b.lines[2].chain;
    b.lines[0] = (struct lens_line){b.lines[0].chain, TRACE_GLOBAL, TRACE_LOAD, 4, global};
    b.lines[1] = (struct lens_line){b.lines[0].chain, TRACE_CONSTANT, TRACE_LOAD, 4, constant};
    b.lines[2] = (struct lens_line){b.lines[0].chain, TRACE_TEXTURE, TRACE_LOAD, 1, texture};
    assert_true(lens_model_line(&b.result, "mean.cu", 31, &f));
    assert_int_equal(f.excess, 192 - 6);
    lens_model_write_figures(&f, text, sizeof text);
    assert_string_equal(text, "6 × 32.0 words");
    b.lines[1].counts.words = 6;
    assert_true(lens_model_line(&b.result, "mean.cu", 31, &f));
    lens_model_write_figures(&f, text, sizeof text);
    assert_string_equal(text, "32 × 1.2/1.2 s 4 l");
    b.lines[2].counts.sectors = 38;  // no one is further from its ideal: most requests
    assert_true(lens_model_line(&b.result, "mean.cu", 31, &f));
    assert_int_equal(f.space, TRACE_TEXTURE);
}

static void assert_at(const struct lens_spot *at, int x, int y, int count)
{
    assert_int_equal(at->x, x);
    assert_int_equal(at->y, y);
    assert_int_equal(at->count, count);
}

TEST_WITH(lanes_have_places, fill, NULL)
{
    struct lens_spot at;
    assert_true(lens_model_place(&b.result, &b.steps[7].request, 7, &at));
    assert_true(at.memory == &b.result.memory[1]);
    assert_at(&at, 7, 1, 1);
    assert_false(lens_model_place(&b.result, &b.steps[7].request, 16, &at));
    assert_false(lens_model_place(&b.result, &b.steps[2].request, 0, &at));
    b.result.memory[1].shape = (struct planes){0};
    b.result.memory[1].element_bytes = 4;
    assert_true(lens_model_place(&b.result, &b.steps[3].request, 7, &at));
    assert_at(&at, 1, 0, 1);
}

// Three bytes a pixel, side by side: the word at byte 4 belongs to pixels 1 and 2.
TEST_WITH(lanes_have_places_in_packed_pixels, fill, NULL)
{
    struct lens_spot at;
    b.result.memory[1].shape =
        (struct planes){.width = 80, .height = 16, .count = 3, .pitch = PITCH, .plane_bytes = 1};
    assert_true(lens_model_place(&b.result, &b.steps[7].request, 7, &at));
    assert_at(&at, 2, 1, 1);
    b.steps[7].request.bytes = 4;
    assert_true(lens_model_place(&b.result, &b.steps[7].request, 4, &at));
    assert_at(&at, 1, 1, 2);
    b.steps[7].request.address[4] += 240;  // padding
    assert_false(lens_model_place(&b.result, &b.steps[7].request, 4, &at));
}
