// Where the arrays of a lab lie, and which shapes there cannot be.
#include "unit.h"

#include <math.h>

#include "filter/choice.h"
#include "filter/files.h"

// n, m and c are the params.
static struct filter lab_of(const char *arrays)
{
    g_autofree char *source =
        g_strconcat("//! lab \"Lab\"\n"
                    "//! param n 1 [-2147483648, 2147483647]\n"
                    "//! param m 1 [-2147483648, 2147483647]\n"
                    "//! param c float 1 [0, 9]\n"
                    "",
                    arrays, "//! variant naive 8x8\n__global__ void k() {}\n", NULL);
    return parsed(source);
}

static bool plan(struct arrays_layout *layout, const struct filter *f, double n, double m)
{
    const struct choice choice = {.filter = f, .settings = {.params = {{n, m, 1}}}};
    return arrays_plan(layout, &choice, (struct planes){0}, &err);
}

static struct arrays_layout planned(const struct filter *f, double n, double m)
{
    struct arrays_layout layout;
    if (!plan(&layout, f, n, m)) fail_msg("%g %g: %s", n, m, err.text);
    assert_int_equal(layout.count, f->array_count);
    return layout;
}

static void assert_not_planned(const char *arrays, double n, double m, const char *message)
{
    OWNED(filter_finish) struct filter f = lab_of(arrays);
    struct arrays_layout layout, before;
    err.text[0] = '\0';
    memset(&layout, 0xA5, sizeof layout);
    before = layout;
    if (plan(&layout, &f, n, m)) fail_msg("%s", arrays);
    assert_string_equal(err.text, message);
    assert_memory_equal(&layout, &before, sizeof layout);
}

// ---- records ----

// The fields of a struct, as "name type offset …, bytes of each".
static void assert_record(const char *structs, const char *wanted)
{
    g_autofree char *arrays =
        g_strdup_printf("%s\n//! array p P out [n][m]\n//! array q P in [4] noise 0, 1\n", structs);
    OWNED(filter_finish) struct filter f = lab_of(arrays);
    const struct array_record *const r = &f.arrays[0].record;
    g_autoptr(GString) is = g_string_new(NULL);
    for (int i = 0; i < r->count; i++)
        g_string_append_printf(is, "%s %s %d, ", r->fields[i].name,
                               array_types[r->fields[i].type].name, r->fields[i].offset);
    g_string_append_printf(is, "%d", r->bytes);
    assert_string_equal(is->str, wanted);
    const struct arrays_layout l = planned(&f, 3, 5);
    assert_int_equal(l.places[0].bytes, 15 * r->bytes);
    assert_int_equal(l.places[0].count, 15 * r->count);
    assert_int_equal(l.places[0].rows, 3);
    assert_int_equal(l.places[0].columns, 5 * r->count);
    for (int i = 0; i < l.places[0].count; i++) {  // each element's first and last byte are its own
        const size_t at = array_offset(&f.arrays[0], &l.places[0], i);
        const size_t bytes = array_types[array_type_at(&f.arrays[0], i)].bytes;
        assert_int_equal(at % bytes, 0);
        assert_int_equal(array_record_index(r, at), i);
        assert_int_equal(array_record_index(r, at + bytes - 1), i);
    }
}

TEST(records)
{
    assert_record("struct P { float x, y; int kind; };", "x float 0, y float 4, kind int 8, 12");
    assert_record("typedef struct { /* one */ double price; int volume;\nchar side; } P;",
                  "price double 0, volume int 8, side char 12, 16");
    assert_record("struct P {\n    float x;  // a; b }\n    int k;  // its kind, or {\n};",
                  "x float 0, k int 4, 8");
    assert_record("struct __align__(16) P { float x, y, z; };",
                  "x float 0, y float 4, z float 8, 16");
    assert_record("struct P { bool is; float3 at; short s[2]; };",
                  "is unsigned char 0, at.x float 4, at.y float 8, at.z float 12, s_0 short 16, "
                  "s_1 short 18, 20");
    assert_record("struct V { float4 v; bool on; };\nstruct P { int i; V a; half h; };",
                  "i int 0, a.v.x float 16, a.v.y float 20, a.v.z float 24, a.v.w float 28, "
                  "a.on unsigned char 32, h half 48, 64");
    assert_record("struct P { uchar4 c; char d; double2 e; };",
                  "c.x unsigned char 0, c.y unsigned char 1, c.z unsigned char 2, "
                  "c.w unsigned char 3, d char 4, e.x double 16, e.y double 24, 32");
    OWNED(filter_finish)
    struct filter f = lab_of("struct P { float x; int k; };\n//! array p P out [n] shown 0, 9\n"
                             "//! array a float out [n][m] shown 0, 9\n");
    const struct arrays_layout l = planned(&f, 1000, 2);
    char text[64];
    int columns, step;
    assert_string_equal(array_write_shape(&f.arrays[0], &l.places[0]).text, "P 1000");
    array_write_element("p", &f.arrays[0].record, -1, 7, text, sizeof text);
    assert_string_equal(text, "p[3].k");
    array_write_element("a", &f.arrays[1].record, 7, 5, text, sizeof text);
    assert_string_equal(text, "a[7][5]");
    assert_string_equal(array_npy(&f.arrays[0]).text, "|V8");
    // A row of the picture holds whole records.
    OWNED(filter_finish)
    struct filter three = lab_of("struct P { int x, y, z; };\n//! array p P out [n] shown 0, 9\n");
    const struct arrays_layout of_three = planned(&three, 1000, 1);
    array_picture(&three.arrays[0], &of_three.places[0], &columns, &step);
    assert_int_equal(columns, 63);
}

TEST(structs_of_other_things_are_refused)
{
    static const char else_is_in[] = "P is more than numbers: it has a bit field, ";
    static const char *const rows[][2] = {
        {"struct P { int a : 3; float b; };", else_is_in},
        {"struct P { float a; virtual void f() { a = 1; } };", else_is_in},
        {"struct P { void f() { } };", else_is_in},
        {"struct P { float a = f(1); };", else_is_in},
        {"struct P { float a[K]; };", else_is_in},
        {"struct P { union { int a; float b; }; };", else_is_in},
        {"typedef struct { float a[2 * 3]; } P;", else_is_in},
        {"struct P : Q { float a; };", else_is_in},
        {"union P { int a; float b; };", else_is_in},
        {"struct P { float b; static int a; };", else_is_in},
        {"struct P { float a; P *next; };", "P has a pointer 'next'"},
        {"struct P { float a; P in; };", "lies too deep, or has too long a name"},
        {"struct P { float a[17]; };", "P has more than 16 numbers"},
        {"struct P { enum e a; };", "'a' is no number and no struct of numbers"},
        {"struct Q { float a; };", "such as unsigned char, half and double\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        err.text[0] = 0;
        OWNED(filter_finish) struct filter f;
        g_autofree char *text =
            g_strdup_printf("%s\n//! lab \"L\"\n//! array p P out [4] shown 0, 9\n", rows[i][0]);
        assert_false(filter_parse(&f, "l.cu", text, NULL, &err));
        g_autofree char *line = g_strconcat(err.text, "\n", NULL);
        if (!strstr(line, rows[i][1])) fail_msg("%s: %s", rows[i][0], err.text);
    }
}

// ---- places ----

#define FIVE                                                  \
    "//! array a unsigned char in [n] counted\n"              \
    "//! array b int in [n][m] noise -n, m\n"                 \
    "//! array x unsigned int out [2][m][n] shown m, n + m\n" \
    "//! array t float scratch [n + m]\n"                     \
    "//! array s float out [1]\n"

static void assert_apart(const struct filter *f, const struct arrays_layout *l)
{
    size_t end = 0;
    for (int i = 0; i < l->count; i++) {
        const struct array_place *place = &l->places[i];
        assert_int_equal(place->offset % 512, 0);
        assert_true(place->offset >= end);
        assert_true(place->offset - end < 512);
        assert_int_equal(place->bytes, (size_t)place->count * array_types[f->arrays[i].type].bytes);
        assert_int_equal(place->count, place->rows * place->columns);
        end = place->offset + place->bytes;
    }
    assert_int_equal(l->copy_offset % 512, 0);
    assert_true(l->copy_offset >= end && l->copy_offset - end < 512);
    assert_true(l->bytes >= l->copy_offset + l->copy_bytes);
    assert_int_equal(l->bytes % 512, 0);
}

TEST(places)
{
    OWNED(filter_finish) struct filter f = lab_of(FIVE);
    struct arrays_layout l = planned(&f, 511, 3);
    static const long long counts[] = {511, 1533, 3066, 514, 1}, rows[] = {1, 511, 6, 1, 1};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(l.places[i].count, counts[i]);
        assert_int_equal(l.places[i].rows, rows[i]);
    }
    assert_int_equal(l.places[2].columns, 511);
    assert_true(l.in_bytes == 511 + 4 * 1533);
    assert_true(l.out_bytes == 4 * 3066 + 4);
    assert_int_equal(l.copy_bytes, (511 + 4 * 1533 + 4 * 3066 + 4) / 2);
    for (int n = 1; n < 2000; n += 37)
        for (int m = 1; m < 300; m += 41) {
            l = planned(&f, n, m);
            assert_apart(&f, &l);
        }
}

// As many bytes as the launch must move are read and written by the copy: half of them each.
TEST(a_copy_of_little)
{
    OWNED(filter_finish) struct filter f = lab_of("//! array b unsigned char out [1]\n");
    const struct arrays_layout l = planned(&f, 1, 1);
    assert_int_equal(l.copy_bytes, 1);
    assert_int_equal(l.bytes, 1024);
}

// A strided read needs a part of its array, and a copy of all would be slower than the launch.
TEST(a_part_that_is_read)
{
    OWNED(filter_finish)
    struct filter f = lab_of("//! array a float in [n * m] reads [n] noise 0, 9\n"
                             "//! array all int in [m] counted\n"
                             "//! array b float out [n]\n");
    const struct arrays_layout l = planned(&f, 1000, 8);
    assert_true(l.in_bytes == 4 * 8000 + 4 * 8);
    assert_true(l.least_bytes == 4 * 1000 + 4 * 8 + 4 * 1000);
    assert_int_equal(l.copy_bytes, (4 * 1000 + 4 * 8 + 4 * 1000) / 2);
    assert_true(arrays_move_alike(&f, &(struct param_values){{1000, 8, 1}},
                                  &(struct param_values){{1000, 8, 9}}));
    assert_not_planned("//! array a int in [n] reads [m] counted\n//! array b int out [1]\n", 9, 10,
                       "a reads 10 of its 9 elements");
    assert_not_planned("//! array a int in [n] reads [m] counted\n//! array b int out [1]\n", 9, 0,
                       "a reads 0 of its 9 elements");
    assert_not_planned("//! array a int in [n] reads [1/m] counted\n//! array b int out [1]\n", 9,
                       0, "what is read of a: '1/m' divides by zero");
}

TEST(ranges)
{
    OWNED(filter_finish) struct filter f = lab_of(FIVE);
    const struct arrays_layout l = planned(&f, 30, 20);
    static const long long ranges[][2] = {{0, 255}, {-30, 20}, {20, 50}, {0, 255}, {0, 255}};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(l.places[i].low, ranges[i][0]);
        assert_int_equal(l.places[i].high, ranges[i][1]);
    }
    filter_finish(&f);
    f = lab_of(
        "//! array a int in [1] noise -2147483647 - 1, 2147483647\n//! array b int out [1]\n");
    const struct arrays_layout widest = planned(&f, 1, 1);
    assert_int_equal(widest.places[0].low, INT_MIN);
    assert_int_equal(widest.places[0].high, INT_MAX);
}

// ---- refusals ----

TEST(shapes_that_cannot_be)
{
    static const char form[] = "b has a side of %lld; an array holds 1 to 2^31 elements";
    static const struct {
        const char *shape;
        double n, m;
        long long side;
    } bad[] = {
        {"[n]", 0, 1, 0},
        {"[n]", -1, 1, -1},
        {"[n][m]", 5, 0, 0},
        {"[n][m]", 0, 5, 0},
        {"[n][m]", -2, -2, -2},
        {"[n + n + 2]", 2147483647, 1, 4294967296},
        {"[n][m]", 65536, 32769, 32769},
        {"[n][m]", 2147483647, 2, 2},
        {"[n][m][n]", 2048, 1024, 2048},
        {"[n][n][n]", 2147483647, 1, 2147483647},
        {"[n * m]", 2147483647, 2147483647, 4611686014132420609},
        {"[n/m]", 1, 2, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *array = g_strdup_printf("//! array b float out %s\n", bad[i].shape);
        g_autofree char *message = g_strdup_printf(form, bad[i].side);
        assert_not_planned(array, bad[i].n, bad[i].m, message);
    }
    assert_not_planned("//! array b float out [n/m]\n", 1, 0,
                       "the shape of b: 'n/m' divides by zero");
    assert_not_planned("//! array b float out [n*m*n]\n", 2147483647, 2147483647,
                       "the shape of b: 'n*m*n' is too large");
}

TEST(ranges_that_cannot_be)
{
    assert_not_planned("//! array a int in [1] noise n, m\n//! array b int out [1]\n", 3, 2,
                       "a has the range 3, 2");
    assert_not_planned("//! array b int out [1] shown 0, n + 1\n", 2147483647, 1,
                       "b has the range 0, 2147483648");
    assert_not_planned("//! array b int out [1] shown n - 1, 0\n", -2147483648.0, 1,
                       "b has the range -2147483649, 0");
    assert_not_planned("//! array b int out [1] shown 0, 1/n\n", 0, 1,
                       "the range of b: ' 1/n' divides by zero");
}

TEST(the_largest)
{
    OWNED(filter_finish) struct filter f = lab_of("//! array b float out [n][m]\n");
    struct arrays_layout l = planned(&f, 65536, 32768);
    assert_int_equal(l.places[0].count, 1LL << 31);
    assert_int_equal(l.places[0].bytes, 1LL << 33);
    assert_int_equal(l.places[0].rows, 65536);
    l = planned(&f, 2147483647, 1);
    assert_int_equal(l.places[0].rows, INT_MAX);
    assert_int_equal(l.places[0].columns, 1);
    l = planned(&f, 1, 2147483647);
    assert_int_equal(l.places[0].columns, INT_MAX);
}

// ---- words and values ----

TEST(shapes_in_words)
{
    OWNED(filter_finish) struct filter f = lab_of(FIVE);
    const struct arrays_layout l = planned(&f, 4096, 3);
    static const char *const wanted[] = {"unsigned char 4096", "int 4096×3", "unsigned int 6×4096",
                                         "float 4099", "float 1"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(array_write_shape(&f.arrays[i], &l.places[i]).text, wanted[i]);
}

TEST(elements)
{
    static const unsigned char bytes[] = {0, 255};
    static const int ints[] = {INT_MIN, INT_MAX};
    static const unsigned int uints[] = {0, UINT_MAX};
    static const float floats[] = {-0.5f, 16777216.0f};
    assert_true(array_value(ARRAY_BYTE, bytes, 1) == 255);
    assert_true(array_value(ARRAY_INT, ints, 0) == INT_MIN);
    assert_true(array_value(ARRAY_INT, ints, 1) == INT_MAX);
    assert_true(array_value(ARRAY_UINT, uints, 1) == UINT_MAX);
    assert_true(array_value(ARRAY_FLOAT, floats, 0) == -0.5);
    assert_true(array_value(ARRAY_FLOAT, floats, 1) == 16777216);
    static const guint16 halves[] = {0, 0x3c00, 0xc000, 0x7bff, 0x0001, 0xfc00, 0x7e00, 0x5bf8};
    static const double numbers[] = {0, 1, -2, 65504, 0x1p-24, -INFINITY, NAN, 255};
    for (int i = 0; i < 8; i++) {
        const double value = array_value(ARRAY_HALF, halves, i);
        assert_true(value == numbers[i] || (isnan(value) && isnan(numbers[i])));
        assert_true(array_value(ARRAY_DOUBLE, numbers, i) == numbers[i] || isnan(numbers[i]));
    }
    static const guint16 upper[] = {0, 0x3f80, 0xc000, 0x7f7f, 0x0001, 0xff80, 0x7fff, 0x437f};
    static const double uppers[] = {0, 1, -2, 0x1.fep127, 0x1p-133, -INFINITY, NAN, 255};
    for (int i = 0; i < 8; i++) {
        const double value = array_value(ARRAY_BFLOAT, upper, i);
        assert_true(value == uppers[i] || (isnan(value) && isnan(uppers[i])));
    }
    static const signed char chars[] = {-128, 127};
    static const gint16 shorts[] = {-32768, 32767};
    static const gint64 longs[] = {-1, (gint64)1 << 40};
    assert_true(array_value(ARRAY_CHAR, chars, 0) == -128);
    assert_true(array_value(ARRAY_SHORT, shorts, 0) == -32768);
    assert_true(array_value(ARRAY_USHORT, shorts, 0) == 32768);
    assert_true(array_value(ARRAY_LONG, longs, 0) == -1);
    assert_true(array_value(ARRAY_ULONG, longs, 0) == 0x1p64);
    assert_int_equal(array_types[ARRAY_HALF].bytes, 2);
    assert_int_equal(array_types[ARRAY_DOUBLE].bytes, 8);
    assert_int_equal(array_types[ARRAY_BYTE].bytes, 1);
    assert_int_equal(array_types[ARRAY_FLOAT].bytes, 4);
}

// One copy is the floor of both only where a lab moves as many bytes.
TEST(labs_that_move_alike)
{
    OWNED(filter_finish)
    struct filter f = lab_of("//! array a int in [n] counted\n//! array b int out [n]\n");
    struct filter picture = {.name = "mean"};
    const struct param_values few = {{64, 1, 1}}, other = {{64, 9, 2}}, many = {{128, 1, 1}};
    const struct param_values none = {{0, 1, 1}};
    arrays_add_pictures(&picture);
    assert_true(arrays_move_alike(&f, &few, &other));
    assert_false(arrays_move_alike(&f, &few, &many));
    assert_false(arrays_move_alike(&f, &none, &none));
    assert_true(arrays_move_alike(&picture, &few, &many));
}

// In a file of several kernels, each needs what it takes.
TEST(what_a_variant_takes)
{
    OWNED(filter_finish)
    struct filter f = parsed("//! lab \"Lab\"\n"
                             "//! array a int in [1000] noise 0, 9\n"
                             "//! array before int in [300] noise 0, 9\n"
                             "//! array b int out [300] from before\n"
                             "//! array c int out [2]\n//! array t int scratch [5]\n"
                             "//! variant first 8x8 prepare=turn\n"
                             "__global__ void first(int *t, int *b) {}\n"
                             "//! variant second 8x8\n__global__ void second(int *c) {}\n"
                             "//! variant third 8x8 of second(c=b)\n"
                             "//! variant none 8x8\n__global__ void none() {}\n"
                             "//! variant all 8x8\n"
                             "__global__ void all(int *c, int *b, const int *a) {}\n"
                             "//! untimed 8x8\n__global__ void turn(const int *a, int *t) {}\n");
    static const int words[] = {1600, 2, 600, 1602, 1602}, shown[] = {2, 3, 2, 2, 2};
    for (int i = 0; i < f.variant_count; i++) {
        struct arrays_layout layout;
        const struct choice c = {.filter = &f, .variant = &f.variants[i]};
        assert_true(arrays_plan(&layout, &c, (struct planes){0}, &err));
        assert_int_equal((int)layout.taken_bytes, 4 * words[i]);
        assert_int_equal((int)layout.least_bytes, 4 * 1602);
        assert_int_equal(arrays_are_all_taken(&f, c.variant), words[i] == 1602);
        assert_int_equal(arrays_shown(&c, -1), shown[i]);
        assert_int_equal(arrays_shown(&c, 0), 0);
    }
    // Variants of a lab of ours all do the same, and one copy is their floor.
    OWNED(filter_list_finish) struct filter_list list;
    must(filter_list_load(&list, TILESCOPE_KERNELS, NULL, &err));
    for (const struct filter *one = list.filters; one < list.filters + list.count; one++)
        for (const struct variant *v = one->variants; v < one->variants + one->variant_count; v++)
            if (!arrays_are_all_taken(one, v)) fail_msg("%s %s", one->name, v->name);
}
