// test_palette -- what is typed over the picture: what it finds and in which order, what keys do
// meanwhile, and values.
#include "unit.h"

#include "app/input.h"
#include "texts.h"

static int load(void **state)
{
    static const char *const files[][2] = {
        {"invert.cu", "//! filter \"Invert\" key e\n" NAIVE},
        {"mean.cu", "//! filter \"Mean\" key m\n//! param radius 5 [0, 64] pixels on each side\n"
                    "// One thread a pixel.\n" NAIVE "// Stages a tile.\n" ANOTHER("shared")},
        {"sums.cu", "//! lab \"Sliding sum\" key L\n//! array a float out [9]\n" NAIVE
                    "// A copy of the meant means.\n" ANOTHER("copies_tile")}};
    return parse_filters(&filters, files, G_N_ELEMENTS(files));
}

static enum input_request asked;

static void press_all(struct app *a, const char *keys)
{
    g_auto(GStrv) names = g_strsplit(keys, " ", -1);
    for (int i = 0; names[i]; i++)
        if (!input_press(a, names[i], &asked)) fail_msg("%s of %s", names[i], keys);
}

static struct app ready(const char *keys)
{
    struct app a;
    app_init(&a, &filters, 1);
    press_all(&a, keys);
    return a;
}

// ---- finding ----

// The names that are found, with bars between them.
static char *found_names(const struct app *a)
{
    OWNED(palette_finish) struct palette p = input_palette(a);
    GString *names = g_string_new(NULL);
    for (int i = 0; i < p.count; i++)
        g_string_append_printf(names, "%s%s", i ? " | " : "", p.rows[i].name);
    return g_string_free(names, FALSE);
}

static void assert_finds(const char *typed, const char *wanted)
{
    struct app a = ready("/");
    g_strlcpy(a.typed, typed, sizeof a.typed);
    g_autofree char *names = found_names(&a);
    if (!g_str_has_prefix(names, wanted) || (!*wanted && *names))
        fail_msg("'%s' finds %s", typed, names);
}

TEST(what_words_find)
{
    assert_finds("", "Invert | Mean | Sliding sum | Invert: naive | first variant | previous");
    // Names that begin so, then words that do, then those of the group, and then the rest.
    assert_finds("mean", "Mean | Mean: naive | Mean: shared | Sliding sum: copies_tile");
    assert_finds("ME", "Mean | memory lens: what a warp touches; whole window | Mean: naive");
    assert_finds("tile", "Sliding sum: copies_tile | Mean: shared");
    assert_finds("naive", "Invert: naive | Mean: naive | Sliding sum: naive");
    assert_finds("naive mean", "Mean: naive");
    assert_finds("  mean   nai ", "Mean: naive");
    assert_finds("sum lab", "Sliding sum");
    assert_finds("sums", "Sliding sum | Sliding sum: naive | Sliding sum: copies_tile");
    assert_finds("lidin", "Sliding sum | ");
    // As people call it.
    assert_finds("coalescing", "memory lens: what a warp touches");
    assert_finds("bank conflicts", "memory lens: what a warp touches");
    assert_finds("baseline", "remember this time and show others as ± %");
    assert_finds("next variant", "next variant");
    assert_finds("previous block", "previous common shape of block");
    assert_finds("nothing is called so", "");
    assert_finds("mean mean nothing", "");
}

// Each of them does what its key does, and stands in the list once.
TEST(every_key_is_found)
{
    struct app a = ready("/");
    OWNED(palette_finish) struct palette p = input_palette(&a);
    for (int i = 0; input_key(i); i++) {
        static const char *const twins = "2 3 4 5 6 7 8 9 = F1";  // of the first one, of + and h
        int count = 0;
        for (int k = 0; k < p.count; k++)
            count += p.rows[k].kind == PALETTE_ACTION && !strcmp(p.rows[k].key, input_key(i));
        g_auto(GStrv) found = g_strsplit(twins, " ", -1);
        const bool is_twin = g_strv_contains((const char *const *)found, input_key(i));
        if (count != !is_twin) fail_msg("%d rows for key %s", count, input_key(i));
    }
    for (int i = 0; i < p.count; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(p.rows[i].name, p.rows[k].name)) fail_msg("%s twice", p.rows[i].name);
}

TEST(tours_and_steps)
{
    static char *const tours[] = {"Banks · 4 steps", "broken cannot be read", NULL};
    static char *const steps[] = {"one", NULL};
    struct app a = ready("m");
    a.tour_names = tours;
    a.step_names = steps;
    a.tour_steps = 3;  // two of them have no name yet
    a.tour_step = 2;
    press_all(&a, "D");
    g_autofree char *names = found_names(&a);
    assert_string_equal(names, "Banks · 4 steps | broken cannot be read");
    g_free(names);
    press_all(&a, "b r o Return");
    assert_int_equal(asked, INPUT_TOUR);
    assert_int_equal(a.chosen, 1);
    assert_int_equal(a.menu, APP_MENU_NONE);
    press_all(&a, "G");
    names = found_names(&a);
    assert_string_equal(names, "1  one | 2   | 3  ");
    assert_int_equal(a.menu_row, 2);  // the present step
    struct palette p = {0};
    palette_add_last(&p, &a);
    assert_string_equal(p.rows[0].group, "");  // all are steps
    palette_finish(&p);
    press_all(&a, "Up Return");
    assert_int_equal(asked, INPUT_GO_TO);
    assert_int_equal(a.chosen, 1);
    press_all(&a, "G 3 Return");
    assert_int_equal(a.chosen, 2);
    press_all(&a, "/ 1 space o n e Return");
    assert_int_equal(asked, INPUT_GO_TO);
    assert_int_equal(a.chosen, 0);
    a.tour_steps = 0;
    press_all(&a, "G");
    assert_string_equal(a.note, "no tour is open; D lists them");
    assert_int_equal(a.menu, APP_MENU_NONE);
}

TEST(machine_code_is_grey_where_none_can_be_made)
{
    struct app a = ready("E E E E / m a c h i n e space c o d e");
    OWNED(palette_finish) struct palette there = input_palette(&a);
    assert_string_equal(there.rows[0].name, "machine code");
    assert_false(there.rows[0].is_grey);
    a.has_changes = true;
    press_all(&a, "Return");
    assert_true(a.has_source && a.has_machine && !a.has_changes);
    a = ready("/ m a c h i n e space c o d e");
    a.no_machine = "there is no NVRTC";
    OWNED(palette_finish) struct palette missing = input_palette(&a);
    assert_true(missing.rows[0].is_grey);
    assert_string_equal(missing.rows[0].group, "there is no NVRTC");
    press_all(&a, "Return");
    assert_false(a.has_source || a.has_machine);
    assert_string_equal(a.note, "there is no NVRTC");
}

// ---- keys ----

TEST(what_is_chosen_is_done)
{
    struct app a = ready("/ Down Return");  // the present filter is marked
    assert_string_equal(app_filter(&a)->name, "mean");
    assert_int_equal(a.menu, APP_MENU_NONE);
    press_all(&a, "/ s h a r Return");
    assert_string_equal(app_variant(&a)->name, "shared");
    press_all(&a, "/ s u m space n a i Return");  // of another one
    assert_string_equal(app_filter(&a)->name, "sums");
    press_all(&a, "Backspace");
    assert_string_equal(app_filter(&a)->name, "mean");
    press_all(&a, "/ r a d i u s space = Return");
    assert_int_equal(a.menu, APP_MENU_VALUE);
    assert_string_equal(a.note, "");
    press_all(&a, "9 Return");
    assert_int_equal(app_settings(&a)->params.v[0], 9);
    press_all(&a, "/ b a r s Return");
    assert_true(a.has_bars);
    press_all(&a, "/ s c r e e n s h o t Return");
    assert_int_equal(asked, INPUT_SCREENSHOT);
    press_all(&a, "/ q u i t Backspace Backspace Backspace Backspace v s y n c Return");
    assert_true(a.has_vsync && asked == INPUT_NOTHING);
}

// Whatever a character means elsewhere, it is typed.
TEST(nothing_opens_behind_it)
{
    struct app a = ready("/");
    for (int i = 0; input_key(i); i++) {
        const char *key = input_key(i);
        if (key[1]) continue;
        *a.typed = '\0';
        press_all(&a, key);
        assert_string_equal(a.typed, key);
    }
    press_all(&a, "Tab Left F1 e");
    assert_false(a.has_bars || a.has_help || a.is_comparing || a.is_flipped);
    assert_int_equal(a.sides[0].filter, 0);
    press_all(&a, "F11");
    assert_true(a.is_fullscreen && a.menu == APP_MENU_ALL);
    press_all(&a, "Ctrl+C");
    assert_int_equal(asked, INPUT_COPY);
    press_all(&a, "Esc");
    assert_true(a.menu == APP_MENU_NONE && a.is_fullscreen);
    press_all(&a, "h /");
    assert_false(a.has_help);
}

TEST(rows_are_marked)
{
    static char *const tours[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", NULL};
    static const struct {
        const char *keys;
        int row;
    } steps[] = {{"D", 0},     {"Up", 0},   {"Down", 1}, {"PgDn", 9}, {"PgDn", 10},
                 {"Down", 10}, {"PgUp", 2}, {"b", 0},    {"Down", 0}, {"Backspace Down", 1}};
    struct app a = ready("m");
    a.tour_names = tours;
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        press_all(&a, steps[i].keys);
        if (a.menu_row != steps[i].row) fail_msg("%s: row %d", steps[i].keys, a.menu_row);
    }
    a.menu_row = 99;  // there are fewer by now
    press_all(&a, "Up");
    assert_int_equal(a.menu_row, 9);
    press_all(&a, "x Return");  // nothing to choose
    assert_true(asked == INPUT_NOTHING && a.menu == APP_MENU_TOURS);
}

TEST(a_long_line_ends)
{
    struct app a = ready("/");
    for (size_t i = 0; i < 3 * sizeof a.typed; i++) press_all(&a, i % 2 ? "space" : "e");
    assert_int_equal(strlen(a.typed), sizeof a.typed - 1);
}

// ---- values ----

TEST(values)
{
    struct app a = ready("#");
    char text[80];
    assert_string_equal(a.note, "invert has no parameter");
    press_all(&a, "m # 3 6 Backspace 7");
    palette_write_value(&a, text, sizeof text);
    assert_string_equal(text, "radius = 37_");
    palette_write_limits(&a, text, sizeof text);
    assert_string_equal(text, "0 to 64");
    assert_int_equal(app_settings(&a)->params.v[0], 5);
    press_all(&a, "Return");
    assert_int_equal(app_settings(&a)->params.v[0], 37);
    assert_int_equal(a.menu, APP_MENU_NONE);
    press_all(&a, "Backspace");  // one change, undone at once
    assert_int_equal(app_settings(&a)->params.v[0], 5);
    *a.note = '\0';
    press_all(&a, "# 6 5 Return");
    assert_non_null(strstr(a.note, "radius"));
    assert_int_equal(a.menu, APP_MENU_VALUE);
    assert_int_equal(app_settings(&a)->params.v[0], 5);
    *a.note = '\0';
    press_all(&a, "F11");
    assert_string_equal(a.note, "F11 cannot be typed here");
    press_all(&a, "q q q Esc");  // typed, or left alone, but not what they mean elsewhere
    assert_int_equal(a.menu, APP_MENU_NONE);
    assert_int_equal(app_settings(&a)->params.v[0], 5);
}

// A filter may have lost what was typed for.
TEST(a_reload_closes_values)
{
    const struct filter_list less = {filters.filters, 1};
    struct app a = ready("m #");
    app_adopt(&a, &filters, &less);
    assert_int_equal(a.menu, APP_MENU_NONE);
    press_all(&a, "/ PgDn");
    app_adopt(&a, &filters, &less);
    press_all(&a, "m e a n Return");
    assert_int_equal(a.menu, APP_MENU_ALL);  // it is gone
}

// It was typed for a parameter that the other side may not have.
TEST(another_side_closes_what_is_typed)
{
    struct app a = ready("m c e x # 3");
    app_choose_side(&a, APP_A);
    assert_int_equal(a.menu, APP_MENU_VALUE);
    app_choose_side(&a, APP_B);
    assert_int_equal(a.menu, APP_MENU_NONE);
    assert_int_equal(a.side, APP_B);
}

// The third parameter of one filter is none of the next one's, which cannot be an axis either.
TEST(a_filter_of_fewer_parameters)
{
    static const char *const files[][2] = {
        {"warp.cu", "//! filter \"Warp\" key w\n//! param radius 0 [0, 9]\n"
                    "//! param x float 0 [0, 1]\n//! param y float 0 [0, 1]\n" NAIVE},
        {"flip.cu", "//! filter \"Flip\" key X\n//! param angle float 0 [0, 1]\n" NAIVE}};
    OWNED(filter_list_finish) struct filter_list both;
    struct app a;
    char text[80];
    assert_int_equal(parse_filters(&both, files, 2), 0);
    app_init(&a, &both, 1);
    press_all(&a, ". .");
    assert_int_equal(app_param(&a), 2);
    press_all(&a, "X #");
    assert_int_equal(app_param(&a), 0);
    palette_write_value(&a, text, sizeof text);
    assert_string_equal(text, "angle = _");
}

TEST(a_long_value_ends)
{
    struct app a = ready("m #");
    for (int i = 0; i < 3 * FILTER_VALUE; i++) press_all(&a, "9");
    assert_int_equal(strlen(a.typed), FILTER_VALUE - 1);
}

SUITE("palette", load, NULL)
