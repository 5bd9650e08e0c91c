// The param that a sweep goes through: which one it is, its steps and its stops.
#include "unit.h"

#include "filter/axis.h"

static struct param ranged(double min, double max, double step)
{
    return (struct param){.name = "n", .value = min, .min = min, .max = max, .step = step};
}

// A filter of those params.
static struct filter parsed(const char *params)
{
    struct filter f;
    g_autofree char *text = g_strdup_printf("//! filter \"F\"\n#include \"kernel.h\"\n%s"
                                            "//! variant naive 32x8\n__global__ void naive() {}\n",
                                            params);
    must(filter_parse(&f, "f.cu", text, NULL, &err));
    return f;
}

TEST(whose_axis_it_is)
{
    OWNED(filter_finish)
    struct filter f = parsed("//! param sigma float 0 [0, 9] a\n//! param kind x [x, y] b\n"
                             "//! param one 1 [1, 1] c\n//! param n 8 [1, 4096] d\n"
                             "//! param m 2 [0, 64] e\n");
    assert_int_equal(axis_find(&f, NULL), 3);
    assert_int_equal(axis_find(&f, NULL), 3);
    assert_int_equal(axis_find(&f, "m"), 4);
    static const char *const others[] = {"", "sigma", "kind", "one", "gone"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) assert_int_equal(axis_find(&f, others[i]), 3);
    assert_false(axis_can_be(&f, -1) || axis_can_be(&f, 5));
    filter_finish(&f);
    f = parsed("//! param c 5 [-9, 9] a\n//! param radius 3 [0, 64] b\n");
    assert_int_equal(axis_find(&f, NULL), 1);  // the radius before all others
    assert_int_equal(axis_find(&f, "c"), 0);
    filter_finish(&f);
    f = parsed("//! param sigma float 0 [0, 9] a\n");
    assert_int_equal(axis_find(&f, NULL), -1);
    assert_int_equal(axis_find(&f, "sigma"), -1);
}

// A param of steps has no other values, whichever key or sweep asks.
TEST(steps)
{
    static const struct {
        double min, max, by, from;
        int step;
        double to;
    } rows[] = {
        {0, 64, 1, 3, 1, 4},
        {0, 64, 1, 60, 8, 64},
        {2, 64, 1, 2, -1, 2},
        {-128, 127, 1, 0, -8, -8},
        {1, 256, 1, 100, 1, 101},
        {1, 257, 1, 100, 1, 200},
        {1, 4096, 1, 1, 1, 2},
        {1, 4096, 1, 3000, 1, 4096},
        {1, 4096, 1, 4096, -1, 2048},
        {1, 4096, 1, 4096, -8, 512},
        {1, 4096, 1, 3, -8, 1},
        {0, 65536, 1, 0, 1, 1},
        {0, 65536, 1, 1, -1, 0},
        {0, 65536, 1, 0, 8, 1},
        {64, 16384, 1, 64, 1, 65},
        {64, 16385, 1, 64, 1, 128},
        {-1000, 70000, 1, 0, 1, 1},
        {1, 1 << 30, 1, 1 << 30, 8, 1 << 30},
        {32, 4096, 32, 64, 1, 96},
        {32, 4096, 32, 64, -1, 32},
        {32, 4096, 32, 32, -1, 32},
        {32, 4096, 32, 64, 8, 320},
        {32, 4096, 32, 4096, 1, 4096},
        {32, 100, 32, 96, 1, 96},
        {32, 100, 32, 96, 8, 96},
        {-6, 6, 4, -2, 1, 2},
        {-6, 7, 4, 6, 1, 6},
        {32, 65536, 32, 32, 1, 64},
        {32, 65536, 32, 96, 1, 192},
        {32, 65536, 32, 96, -1, 32},
        {32, 65536, 32, 65536, 1, 65536},
        {100, 30000, 99, 100, 1, 199},
        {0, 65536, 512, 0, 1, 512},
        {0, 65536, 512, 512, -1, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct param p = ranged(rows[i].min, rows[i].max, rows[i].by);
        const double to = axis_step(&p, rows[i].from, rows[i].step);
        if (to != rows[i].to)
            fail_msg("[%g, %g step %g] from %g by %d: %g", p.min, p.max, p.step, rows[i].from,
                     rows[i].step, to);
    }
}

static void assert_stops(const int *stops, int count, const char *wanted)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < count; i++) g_string_append_printf(text, "%s%d", i ? " " : "", stops[i]);
    assert_string_equal(text->str, wanted);
}

TEST(stops)
{
    static const struct {
        double min, max, by;
        int present;
        const char *stops, *powers;
    } rows[] = {
        {0, 64, 1, 5, "0 1 2 3 4 5 6 8 12 16 24 32 48 64", "1 2 4 8 16 32 64"},
        {2, 20, 1, 3, "2 3 4 6 8 12 16", "2 4 8 16"},
        {3, 3, 1, 3, "3", "3"},
        {5, 7, 1, 6, "5 6", "5"},
        {-9, 9, 1, 7, "-9 -8 -6 -4 -3 -2 -1 0 1 2 3 4 6 7 8", "-8 -4 -2 -1 0 1 2 4 8"},
        {1, 1024, 1, 16, "1 2 4 8 16 32 64 128 256 512 1024", "1 2 4 8 16 32 64 128 256 512 1024"},
        {3, 2000, 1, 100, "3 4 8 16 32 64 100 128 256 512 1024", "4 8 16 32 64 128 256 512 1024"},
        {32, 4096, 32, 96, "32 64 96 128 192 256 384 512 768 1024 1536 2048 3072 4096",
         "32 64 128 256 512 1024 2048 4096"},
        {32, 65536, 32, 96, "32 64 96 128 256 512 1024 2048 4096 8192 16384 32768 65536",
         "32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536"},
        {3, 20, 5, 13, "3 8 13", "3 8 13"},
        {-6, 6, 4, 2, "-6 -2 2 6", "-6 -2 2"},
        {5, 7, 2, 5, "5", "5"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct param p = ranged(rows[i].min, rows[i].max, rows[i].by);
        int stops[AXIS_MAX_STOPS];
        assert_stops(stops, axis_stops(&p, rows[i].present, stops), rows[i].stops);
        assert_stops(stops, axis_powers(&p, stops), rows[i].powers);
    }
}

TEST(stops_of_the_widest_ranges)
{
    int stops[AXIS_MAX_STOPS];
    struct param p = ranged(1, 1 << 30, 1);
    assert_int_equal(axis_stops(&p, 1000, stops), 32);
    assert_int_equal(stops[31], 1 << 30);
    p = ranged(INT_MIN, INT_MAX, 1);
    assert_in_range(axis_stops(&p, 1000, stops), 60, AXIS_MAX_STOPS);
    assert_int_equal(stops[0], INT_MIN);
    assert_in_range(axis_powers(&p, stops), 60, AXIS_MAX_STOPS);
}

TEST(snap)
{
    static const int stops[] = {1, 2, 4, 8, 100, 128};
    static const double wide[][2] = {{0, 1}, {1.4, 1}, {3.2, 4}, {11, 8}, {111, 100}, {9999, 128}};
    struct param p = ranged(1, 65536, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(wide); i++)
        assert_int_equal(axis_snap(&p, stops, G_N_ELEMENTS(stops), wide[i][0]), wide[i][1]);
    p = ranged(-5, 50, 1);
    assert_int_equal(axis_snap(&p, stops, G_N_ELEMENTS(stops), 6.6), 7);
    assert_int_equal(axis_snap(&p, stops, G_N_ELEMENTS(stops), -3.2), -3);
    assert_int_equal(axis_snap(&p, stops, G_N_ELEMENTS(stops), 64), 50);
    p = ranged(32, 4096, 32);
    assert_int_equal(axis_snap(&p, (const int[]){32, 64}, 2, 95.2), 64);
    assert_int_equal(axis_snap(&p, (const int[]){32, 64}, 2, 96.4), 96);
    assert_int_equal(axis_snap(&p, (const int[]){32, 64}, 2, 1), 32);
}
