// The rules against what an H200 counted for an access of one warp. A part of patterns-h200.csv
// begins with its space and the accesses that its columns have. A row has the element of lane l,
// which lanes are active, and for each access that was counted two numbers: requests and sectors,
// wavefronts and conflicts of shared memory, or requests and conflicts of constants. A few more
// cases, worked out by hand, are what the pictures need.
#include "unit.h"

#include <stdlib.h>

#include "filter/expr.h"
#include "lens/model.h"

enum { PICTURE_PITCH = 1024, FIRST_ACCESS = 2 };

static int kind_of(const char *access)
{
    if (g_str_has_prefix(access, "ld ")) return TRACE_LOAD;
    return g_str_has_prefix(access, "st ") ? TRACE_STORE : TRACE_ATOMIC;
}

static int space_of(const char *name)
{
    static const char *const names[] = {[TRACE_GLOBAL] = "global",
                                        [TRACE_SHARED] = "shared",
                                        [TRACE_CONSTANT] = "constant",
                                        [TRACE_TEXTURE] = "texture"};
    for (int i = 0; i < (int)G_N_ELEMENTS(names); i++)
        if (!g_strcmp0(names[i], name)) return i;
    return -1;
}

// Arithmetic on the number of a lane, l.
static unsigned long long value_of(const char *text, int lane)
{
    static const struct expr_scope scope = {.names = {"l"}, .name_count = 1};
    const double values[] = {lane};
    struct expr e = {.count = 0};
    long long value = 0;
    if (!expr_compile(&e, text, &scope, &err) || !expr_eval(&e, values, &value, &err))
        fail_msg("'%s': %s", text, err.text);
    return (unsigned long long)value;
}

// The element, or "x;y" of a texture.
static unsigned long long element(const char *text, int lane)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", 2);
    const unsigned long long y = parts[1] ? value_of(parts[1], lane) : 0;
    const unsigned long long at = value_of(parts[0], lane) + PICTURE_PITCH * y;
    return at;
}

static struct lens_request request_of(int space, const char *access, char **row)
{
    struct lens_request r = {.kind = (unsigned char)kind_of(access),
                             .space = (unsigned char)space,
                             .bytes = (unsigned char)atoi(strchr(access, ' '))};
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        r.address[lane] = r.bytes * element(row[0], lane);
        if (!strcmp(row[1], "all") || value_of(row[1], lane)) r.active |= 1u << lane;
    }
    // The compiler saw one address, and let one lane add up what the others had.
    if (r.kind == TRACE_ATOMIC && !strcmp(row[0], "0")) r.active = 1;
    return r;
}

static char *count(int space, const char *access, char **row)
{
    const struct lens_request r = request_of(space, access, row);
    struct lens_counts c = {0};
    model_count(&r, &c);
    unsigned long long first = c.requests, second = c.sectors;
    if (space == TRACE_SHARED) first = c.wavefronts, second = model_conflicts(&c);
    // One request more is the kernel's own, for its parameters.
    if (space == TRACE_CONSTANT) first = c.words + 1, second = c.words - 1;
    return g_strdup_printf("%llu/%llu", first, second);
}

TEST(patterns_of_an_h200)
{
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(TILESCOPE_SOURCE_DIR "/tests/lens/patterns-h200.csv", &text,
                                    NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_auto(GStrv) head = NULL;
    int accesses = 0;
    for (int i = 0; *lines[i]; i++) {
        g_auto(GStrv) row = g_strsplit(lines[i], ",", -1);
        if (space_of(row[0]) >= 0) {
            g_strfreev(head);
            head = g_steal_pointer(&row);
            continue;
        }
        assert_int_equal(g_strv_length(row), g_strv_length(head));
        for (int k = FIRST_ACCESS; row[k]; k++) {
            if (!*row[k]) continue;  // it was not counted
            g_autofree char *found = count(space_of(head[0]), head[k], row);
            if (strcmp(found, row[k]) != 0)
                fail_msg("line %d, %s %s: %s, but the H200 counted %s", i + 1, head[0], head[k],
                         found, row[k]);
            accesses++;
        }
    }
    assert_int_equal(accesses, 323);
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

// Counts in the order of struct lens_counts: requests, lanes, bytes that are wanted, distinct
// bytes; sectors, lines, the fewest sectors; wavefronts, the fewest; words.
static const struct {
    int space, kind, bytes;
    const char *address;
    unsigned int active;
    struct lens_counts wanted;
} cases[] = {
    // The compiler does not know what the data chose: 32 lanes that count in one bin take 32 turns.
    // An H200 counted 65 536 sectors for 2 048 warps of the histogram lab with equal bytes.
    {TRACE_GLOBAL, TRACE_ATOMIC, 4, "0", ~0u, {1, 32, 128, 4, 32, 32, 1, 0, 0, 0}},
    {TRACE_SHARED, TRACE_ATOMIC, 4, "0", ~0u, {1, 32, 128, 4, 0, 0, 0, 32, 1, 0}},
    // Bytes are counted once.
    {TRACE_GLOBAL, TRACE_LOAD, 4, "64", ~0u, {1, 32, 128, 4, 1, 1, 1, 0, 0, 0}},
    // A warp's 128 bytes that begin 16 bytes after a line: five sectors, where four would do.
    {TRACE_GLOBAL, TRACE_LOAD, 4, "16+4*l", ~0u, {1, 32, 128, 128, 5, 2, 4, 0, 0, 0}},
    {TRACE_GLOBAL, TRACE_STORE, 1, "512*l", 0xff, {1, 8, 8, 8, 8, 8, 1, 0, 0, 0}},
    // Quads of which one lane is active are requests all the same.
    {TRACE_TEXTURE, TRACE_LOAD, 1, "l", 0x00010021, {3, 3, 3, 3, 3, 3, 3, 0, 0, 0}},
    {TRACE_SHARED, TRACE_STORE, 4, "8*l", ~0u, {1, 32, 128, 128, 0, 0, 0, 2, 1, 0}},
    // Nobody asks for nothing.
    {TRACE_GLOBAL, TRACE_LOAD, 4, "4*l", 0, {0}},
    {TRACE_SHARED, TRACE_LOAD, 4, "4*l", 0, {0}},
    {TRACE_CONSTANT, TRACE_LOAD, 4, "4*l", 0, {0}},
    {TRACE_TEXTURE, TRACE_LOAD, 4, "4*l", 0, {0}},
};

TEST(requests_by_hand)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct lens_request r = request(cases[i].space, cases[i].kind, cases[i].bytes,
                                              cases[i].address, cases[i].active);
        const struct lens_counts *w = &cases[i].wanted;
        struct lens_counts c = {0};
        model_count(&r, &c);
        if (memcmp(&c, w, sizeof c) != 0)
            fail_msg("case %zu: %llu requests, %llu lanes, %llu of %llu bytes, %llu sectors of "
                     "%llu, %llu lines, %llu wavefronts of %llu",
                     i, c.requests, c.lanes, c.bytes, c.wanted_bytes, c.sectors, c.ideal_sectors,
                     c.lines, c.wavefronts, c.ideal_wavefronts);
        struct lens_counts sum = c;
        for (int k = 0; k < 2; k++) model_count(&r, &sum);
        model_add(&sum, &c);
        const unsigned long long *all = (const void *)&sum, *one = (const void *)&c;
        for (size_t k = 0; k < sizeof c / sizeof *one; k++) assert_int_equal(all[k], 4 * one[k]);
        assert_int_equal(model_conflicts(&c), w->wavefronts - w->ideal_wavefronts);
    }
}

// The turn and the first bank of each lane. Quads take turns, of which one lane may be active. In a
// column of a tile whose rows are 32 words, every lane wants bank 3. Of sixteen bytes a lane, eight
// lanes make a wavefront, with four banks each.
TEST(lanes_take_turns)
{
    static const struct {
        int space, kind, bytes;
        const char *address;
        unsigned int active;
        int count, ideal, banks;  // banks 0: not of shared memory
        const char *turn, *bank;  // of lane l
    } rows[] = {
        {TRACE_TEXTURE, TRACE_LOAD, 1, "l", 0x00010021, 3, 3, 0, "l/5-l/16", "0"},
        {TRACE_SHARED, TRACE_LOAD, 4, "12+128*l", ~0u, 32, 1, 1, "l", "3"},
        {TRACE_SHARED, TRACE_STORE, 16, "16*l", ~0u, 4, 4, 4, "l/8", "l%8*4"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct lens_request r =
            request(rows[i].space, rows[i].kind, rows[i].bytes, rows[i].address, rows[i].active);
        struct lens_turns turns;
        model_turns(&r, &turns);
        assert_int_equal(turns.count, rows[i].count);
        assert_int_equal(turns.ideal, rows[i].ideal);
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const bool is_active = r.active >> lane & 1;
            assert_int_equal(turns.of_lane[lane],
                             is_active ? (int)value_of(rows[i].turn, lane) : -1);
            if (rows[i].banks) assert_int_equal(model_bank(&r, lane), value_of(rows[i].bank, lane));
        }
        if (rows[i].banks) assert_int_equal(model_banks_a_lane(&r), rows[i].banks);
    }
}

TEST(sectors_rise)
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

TEST(equal_wavefronts_are_one_run)
{
    static const struct {
        const char *address;
        int bytes;
        unsigned int active;
        int runs, longest;
    } rows[] = {{"128*l", 4, ~0u, 1, 32},                      // a column of 32 words
                {"132*l", 4, ~0u, 1, 1},                       // and with a padded row
                {"8*l", 4, ~0u, 1, 2},                         // every second word
                {"4*l + l/16*(124*l - 1984)", 4, ~0u, 2, 15},  // a row's half, then a column's
                {"16*l", 16, ~0u, 1, 4},  // four groups of eight lanes, all banks
                {"128*l", 4, 0, 0, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct lens_request r =
            request(TRACE_SHARED, TRACE_LOAD, rows[i].bytes, rows[i].address, rows[i].active);
        struct lens_turns turns;
        struct lens_run runs[MODEL_LANES];
        model_turns(&r, &turns);
        const int count = model_runs(&r, &turns, runs);
        int longest = 0, next = 0;
        for (int k = 0; k < count; k++) {
            assert_int_equal(runs[k].first, next);
            next += runs[k].count;
            longest = MAX(longest, runs[k].count);
        }
        assert_int_equal(next, turns.count);
        assert_int_equal(count, rows[i].runs);
        assert_int_equal(longest, rows[i].longest);
    }
}

TEST(only_what_was_measured_is_verified)
{
    static const struct device ours = {.arch = "sm_90", .is_gpu = true}, cpu = {.arch = ""};
    static const struct device others[] = {{.arch = "sm_80", .is_gpu = true},
                                           {.arch = "sm_900", .is_gpu = true},
                                           {.arch = "", .is_gpu = true}};
    assert_null(model_foreign_rules(&ours));
    assert_null(model_foreign_rules(&cpu));
    assert_null(model_foreign_rules(NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        assert_string_equal(model_foreign_rules(&others[i]), "sm_90");
}
