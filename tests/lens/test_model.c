// The rules against what an H200 counted: patterns-h200.csv has a row for each access of one warp.
// A few more cases, worked out by hand, are what the pictures need.
#include "unit.h"

#include <stdlib.h>

#include "filter/expr.h"
#include "lens/model.h"

enum { COLUMNS = 10, PICTURE_PITCH = 1024 };

struct row {
    char *field[COLUMNS];
    int line;
};

static int kind_of(const char *op)
{
    if (!strcmp(op, "ld")) return TRACE_LOAD;
    return strcmp(op, "st") ? TRACE_ATOMIC : TRACE_STORE;
}

static int space_of(const char *space)
{
    static const char *const names[] = {[TRACE_GLOBAL] = "global",
                                        [TRACE_SHARED] = "shared",
                                        [TRACE_CONSTANT] = "constant",
                                        [TRACE_TEXTURE] = "texture"};
    int i = 0;
    while (strcmp(names[i], space)) i++;
    return i;
}

// Arithmetic on the number of a lane, l.
static unsigned long long value_of(const char *text, int lane)
{
    static const struct expr_scope scope = {.names = {"l"}, .name_count = 1};
    const double values[] = {lane};
    struct expr e = {.count = 0};
    struct error err = {""};
    long long value = 0;
    if (!expr_compile(&e, text, &scope, &err) || !expr_eval(&e, values, &value, &err))
        fail_msg("'%s': %s", text, err.text);
    return (unsigned long long)value;
}

// The element, or "x;y" of a texture.
static unsigned long long element(const char *text, int lane)
{
    char **parts = g_strsplit(text, ";", 2);
    const unsigned long long y = parts[1] ? value_of(parts[1], lane) : 0;
    const unsigned long long at = value_of(parts[0], lane) + PICTURE_PITCH * y;
    g_strfreev(parts);
    return at;
}

static struct lens_request request_of(const struct row *row)
{
    struct lens_request r = {.kind = (unsigned char)kind_of(row->field[1]),
                             .space = (unsigned char)space_of(row->field[0]),
                             .bytes = (unsigned char)atoi(row->field[2])};
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        r.address[lane] = r.bytes * element(row->field[4], lane);
        if (!strcmp(row->field[5], "all") || value_of(row->field[5], lane)) r.active |= 1u << lane;
    }
    // The compiler saw one address, and let one lane add up what the others had.
    if (r.kind == TRACE_ATOMIC && !strcmp(row->field[4], "0")) r.active = 1;
    return r;
}

// An empty field was not counted.
static void assert_field(const struct row *row, int column, unsigned long long found)
{
    const char *expected = row->field[column];
    if (!*expected || strtoull(expected, NULL, 10) == found) return;
    fail_msg("line %d, column %d: %llu, but the H200 counted %s", row->line, column + 1, found,
             expected);
}

static void check(const struct row *row)
{
    const struct lens_request r = request_of(row);
    struct lens_counts c = {0};
    model_count(&r, &c);
    if (r.space == TRACE_CONSTANT) {  // one request more is the kernel's own, for its parameters
        assert_field(row, 6, c.words + 1);
        assert_field(row, 9, c.words - 1);
        return;
    }
    assert_field(row, 6, c.requests);
    assert_field(row, 7, c.sectors);
    assert_field(row, 8, c.wavefronts);
    assert_field(row, 9, model_conflicts(&c));
}

static void test_patterns_of_an_h200(void **state)
{
    char *text;
    assert_true(g_file_get_contents(TILESCOPE_SOURCE_DIR "/tests/lens/patterns-h200.csv", &text,
                                    NULL, NULL));
    char **lines = g_strsplit(text, "\n", -1);
    int rows = 0;
    for (int i = 1; lines[i] && *lines[i]; i++) {
        char **fields = g_strsplit(lines[i], ",", -1);
        assert_int_equal(g_strv_length(fields), COLUMNS);
        struct row row = {.line = i + 1};
        memcpy(row.field, fields, sizeof row.field);
        check(&row);
        g_strfreev(fields);
        rows++;
    }
    g_strfreev(lines);
    g_free(text);
    assert_int_equal(rows, 323);
}

// ---- by hand ----

static struct lens_request request(int space, int kind, int bytes, const char *address,
                                   unsigned int active)
{
    struct lens_request r = {.kind = (unsigned char)kind,
                             .space = (unsigned char)space,
                             .bytes = (unsigned char)bytes,
                             .active = active};
    for (int lane = 0; lane < MODEL_LANES; lane++) r.address[lane] = value_of(address, lane);
    return r;
}

static struct lens_counts count(const struct lens_request *r)
{
    struct lens_counts c = {0};
    model_count(r, &c);
    return c;
}

// What the data chose is not known to the compiler: 32 lanes that count in one bin take 32 turns.
// An H200 counted 65 536 sectors for 2 048 warps of the histogram lab with equal bytes.
static void test_lanes_on_one_address_of_the_data_follow_each_other(void **state)
{
    const struct lens_request global = request(TRACE_GLOBAL, TRACE_ATOMIC, 4, "0", ~0u);
    const struct lens_request shared = request(TRACE_SHARED, TRACE_ATOMIC, 4, "0", ~0u);
    assert_int_equal(count(&global).sectors, 32);
    assert_int_equal(count(&shared).wavefronts, 32);
}

static void test_nobody_asks_for_nothing(void **state)
{
    const struct lens_counts none = {0};
    for (int space = TRACE_GLOBAL; space <= TRACE_TEXTURE; space++) {
        const struct lens_request r = request(space, TRACE_LOAD, 4, "4*l", 0);
        const struct lens_counts c = count(&r);
        assert_memory_equal(&c, &none, sizeof c);
    }
}

static void test_bytes_are_counted_once(void **state)
{
    const struct lens_request broadcast = request(TRACE_GLOBAL, TRACE_LOAD, 4, "64", ~0u);
    struct lens_counts c = count(&broadcast);
    assert_int_equal(c.lanes, 32);
    assert_int_equal(c.wanted_bytes, 128);
    assert_int_equal(c.bytes, 4);
    assert_int_equal(c.lines, 1);
    assert_int_equal(c.ideal_sectors, 1);

    // A warp's 128 bytes that begin 16 bytes after a line: five sectors, where four would do.
    const struct lens_request shifted = request(TRACE_GLOBAL, TRACE_LOAD, 4, "16+4*l", ~0u);
    c = count(&shifted);
    assert_int_equal(c.bytes, 128);
    assert_int_equal(c.sectors, 5);
    assert_int_equal(c.ideal_sectors, 4);
    assert_int_equal(c.lines, 2);

    const struct lens_request strided = request(TRACE_GLOBAL, TRACE_STORE, 1, "512*l", 0xff);
    c = count(&strided);
    assert_int_equal(c.lanes, 8);
    assert_int_equal(c.bytes, 8);
    assert_int_equal(c.sectors, 8);
    assert_int_equal(c.lines, 8);
    assert_int_equal(c.ideal_sectors, 1);
}

// Quads of which one lane is active are requests all the same.
static void test_texture_quads(void **state)
{
    const struct lens_request r = request(TRACE_TEXTURE, TRACE_LOAD, 1, "l", 0x00010021);
    const struct lens_counts c = count(&r);
    assert_int_equal(c.requests, 3);
    assert_int_equal(c.sectors, 3);
    assert_int_equal(c.bytes, 3);
    struct lens_turns turns;
    model_turns(&r, &turns);
    assert_int_equal(turns.count, 3);
    assert_int_equal(turns.of_lane[0], 0);
    assert_int_equal(turns.of_lane[1], -1);
    assert_int_equal(turns.of_lane[5], 1);
    assert_int_equal(turns.of_lane[16], 2);
}

static void test_sums(void **state)
{
    const struct lens_request r = request(TRACE_SHARED, TRACE_STORE, 4, "8*l", ~0u);
    struct lens_counts c = {0};
    for (int i = 0; i < 3; i++) model_count(&r, &c);
    assert_int_equal(c.requests, 3);
    assert_int_equal(c.wavefronts, 6);
    assert_int_equal(c.ideal_wavefronts, 3);
    assert_int_equal(model_conflicts(&c), 3);
    assert_int_equal(c.sectors, 0);
    struct lens_counts sum = c;
    model_add(&sum, &c);
    assert_int_equal(sum.requests, 6);
    assert_int_equal(sum.bytes, 2 * 3 * 128);
}

// A column of a tile whose rows are 32 words: every lane wants bank 3.
static void test_a_column_is_a_wavefront_a_lane(void **state)
{
    const struct lens_request r = request(TRACE_SHARED, TRACE_LOAD, 4, "12+128*l", ~0u);
    struct lens_turns turns;
    model_turns(&r, &turns);
    assert_int_equal(turns.count, 32);
    assert_int_equal(turns.ideal, 1);
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        assert_int_equal(turns.of_lane[lane], lane);
        assert_int_equal(model_bank(&r, lane), 3);
    }
    assert_int_equal(model_banks_a_lane(&r), 1);
}

// Sixteen bytes a lane: eight lanes a wavefront, four banks each.
static void test_wide_stores_go_in_groups(void **state)
{
    const struct lens_request r = request(TRACE_SHARED, TRACE_STORE, 16, "16*l", ~0u);
    struct lens_turns turns;
    model_turns(&r, &turns);
    assert_int_equal(turns.count, 4);
    assert_int_equal(turns.ideal, 4);
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        assert_int_equal(turns.of_lane[lane], lane / 8);
        assert_int_equal(model_bank(&r, lane), lane % 8 * 4);
    }
    assert_int_equal(model_banks_a_lane(&r), 4);
}

static void test_sectors_rise(void **state)
{
    const struct lens_request r = request(TRACE_GLOBAL, TRACE_LOAD, 8, "1024-8*l", 0x3f);
    struct lens_sectors s;
    model_sectors(&r, &s);  // 984 ... 1031: sectors 30, 31 and 32
    assert_int_equal(s.count, 3);
    const unsigned long long numbers[] = {30, 31, 32};
    const unsigned int used[] = {0xff000000u, 0xffffffffu, 0x000000ffu};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.number[i], numbers[i]);
        assert_int_equal(s.used[i], used[i]);
    }
    const signed char of_lane[] = {2, 1, 1, 1, 1, 0, -1};
    for (int lane = 0; lane < 7; lane++) assert_int_equal(s.of_lane[lane], of_lane[lane]);
}

static void test_only_what_was_measured_is_verified(void **state)
{
    assert_true(model_is_verified("sm_90"));
    assert_false(model_is_verified("sm_80"));
    assert_false(model_is_verified("sm_900"));
    assert_false(model_is_verified(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns_of_an_h200),
        cmocka_unit_test(test_lanes_on_one_address_of_the_data_follow_each_other),
        cmocka_unit_test(test_nobody_asks_for_nothing),
        cmocka_unit_test(test_bytes_are_counted_once),
        cmocka_unit_test(test_texture_quads),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_a_column_is_a_wavefront_a_lane),
        cmocka_unit_test(test_wide_stores_go_in_groups),
        cmocka_unit_test(test_sectors_rise),
        cmocka_unit_test(test_only_what_was_measured_is_verified),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
