// test_menu -- what keys do in an open menu, and outside of it.
#include "unit.h"

#include "app/entry.h"
#include "app/menu.h"

static struct app with_menu(int rows)
{
    struct app a = {.menu_count = rows, .tour_steps = rows, .tour_step = 2};
    menu_toggle_tours(&a);
    return a;
}

static void press(struct app *a, const char *key, int row, enum input_request wanted)
{
    enum input_request asked;
    assert_true(menu_press(a, key, &asked));
    if (a->menu_row != row) fail_msg("%s goes to row %d, not %d", key, a->menu_row, row);
    assert_int_equal(asked, wanted);
}

static void test_rows(void **state)
{
    struct app a = with_menu(12);
    press(&a, "Up", 0, INPUT_NOTHING);
    press(&a, "Down", 1, INPUT_NOTHING);
    press(&a, "PgDn", 9, INPUT_NOTHING);
    press(&a, "PgDn", 11, INPUT_NOTHING);
    press(&a, "Down", 11, INPUT_NOTHING);
    press(&a, "PgUp", 3, INPUT_NOTHING);
    press(&a, "1", 0, INPUT_NOTHING);
    press(&a, "2", 11, INPUT_NOTHING);  // twelve
    press(&a, "3", 2, INPUT_NOTHING);   // there is no row 123
    press(&a, "0", 2, INPUT_NOTHING);   // nor 0, nor 30
    press(&a, "Down", 3, INPUT_NOTHING);
    press(&a, "1", 0, INPUT_NOTHING);
    press(&a, "Return", 0, INPUT_CHOOSE);
    assert_int_equal(a.menu, APP_MENU_TOURS);
    press(&a, "Esc", 0, INPUT_NOTHING);
    assert_int_equal(a.menu, APP_MENU_NONE);
}

// Before the viewer has counted them.
static void test_keys_that_follow_the_list_of_steps_at_once(void **state)
{
    struct app a = {.tour_steps = 5, .tour_step = 2};
    menu_toggle_steps(&a);
    press(&a, "Down", 3, INPUT_NOTHING);
    press(&a, "5", 4, INPUT_NOTHING);
}

static void test_nothing_to_choose(void **state)
{
    struct app a = with_menu(0);
    press(&a, "Down", 0, INPUT_NOTHING);
    press(&a, "1", 0, INPUT_NOTHING);
    press(&a, "Return", 0, INPUT_NOTHING);
    menu_toggle_steps(&a);
    assert_string_equal(a.note, "no tour is open; D lists them");
    assert_int_equal(a.menu, APP_MENU_TOURS);
}

static void test_other_keys_pass(void **state)
{
    struct app a = with_menu(3);
    enum input_request asked;
    assert_false(menu_press(&a, "q", &asked));
    assert_false(menu_press(&a, "space", &asked));
    menu_toggle_steps(&a);  // in place of the other one
    assert_int_equal(a.menu, APP_MENU_STEPS);
    assert_int_equal(a.menu_row, 2);  // the present step
    menu_toggle_steps(&a);
    assert_int_equal(a.menu, APP_MENU_NONE);
    assert_false(menu_press(&a, "Up", &asked));
    assert_false(menu_press(&a, "Return", &asked));
}

// ---- with filters ----

#define ONE_PASS                                                                             \
    {                                                                                        \
        {                                                                                    \
            .block_width = 32, .block_height = 8, .each_x = 1, .each_y = 1, .multiple_of = 1 \
        }                                                                                    \
    }

static struct filter files[] = {
    {.name = "invert",
     .key = 'e',
     .variants = {{.name = "naive", .passes = ONE_PASS, .pass_count = 1}},
     .variant_count = 1},
    {.name = "mean",
     .key = 'm',
     .params = {{.name = "radius", .value = 5, .max = 64}},
     .param_count = 1,
     .variants = {{.name = "naive", .passes = ONE_PASS, .pass_count = 1}},
     .variant_count = 1},
};
static const struct filter_list filters = {files, 2};

static void press_all(struct app *a, const char *keys)
{
    enum input_request asked;
    char **names = g_strsplit(keys, " ", -1);
    for (int i = 0; names[i]; i++) assert_true(input_press(a, names[i], &asked));
    g_strfreev(names);
}

static void test_filters(void **state)
{
    struct app a;
    app_init(&a, &filters, 1);
    press_all(&a, "/");
    assert_int_equal(a.menu, APP_MENU_FILTERS);
    assert_int_equal(a.menu_row, 0);
    press_all(&a, "Down Return");
    assert_string_equal(app_filter(&a)->name, "mean");
    assert_int_equal(a.menu, APP_MENU_NONE);
    press_all(&a, "/ e");  // its own key
    assert_string_equal(app_filter(&a)->name, "invert");
    assert_int_equal(a.menu, APP_MENU_NONE);
    press_all(&a, "/ 2 Return Backspace");
    assert_string_equal(app_filter(&a)->name, "invert");
}

static void test_values(void **state)
{
    struct app a;
    char text[80];
    app_init(&a, &filters, 1);
    press_all(&a, "#");
    assert_string_equal(a.note, "invert has no parameter");
    press_all(&a, "m # 3 6 Backspace 7");
    entry_write(&a, text, sizeof text);
    assert_string_equal(text, "radius = 37_");
    entry_write_limits(&a, text, sizeof text);
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

// A filter may have lost what was typed for, or be gone.
static void test_a_reload_closes_what_names_filters(void **state)
{
    static const struct filter_list less = {files, 1};
    for (const char *const *keys = (const char *const[]){"m #", "/ Down", NULL}; *keys; keys++) {
        struct app a;
        app_init(&a, &filters, 1);
        press_all(&a, *keys);
        app_adopt(&a, &filters, &less);
        assert_int_equal(a.menu, APP_MENU_NONE);
    }
}

// It was typed for a parameter that the other side may not have.
static void test_another_side_closes_what_is_typed(void **state)
{
    struct app a;
    app_init(&a, &filters, 1);
    press_all(&a, "m c e x # 3");
    app_choose_side(&a, APP_A);
    assert_int_equal(a.menu, APP_MENU_VALUE);
    app_choose_side(&a, APP_B);
    assert_int_equal(a.menu, APP_MENU_NONE);
    assert_int_equal(a.side, APP_B);
}

// The third parameter of one filter is none of the next one's, which cannot be an axis either.
static void test_a_filter_of_fewer_parameters(void **state)
{
    static struct filter pair[] = {{.name = "warp",
                                    .key = 'w',
                                    .params = {{.name = "radius", .max = 9},
                                               {.name = "x", .is_float = true},
                                               {.name = "y", .is_float = true}},
                                    .param_count = 3,
                                    .variant_count = 1},
                                   {.name = "flip",
                                    .key = 'X',
                                    .params = {{.name = "angle", .is_float = true}},
                                    .param_count = 1,
                                    .variant_count = 1}};
    static const struct filter_list both = {pair, 2};
    struct app a;
    char text[80];
    app_init(&a, &both, 1);
    press_all(&a, ". .");
    assert_int_equal(app_param(&a), 2);
    press_all(&a, "X #");
    assert_int_equal(app_param(&a), 0);
    entry_write(&a, text, sizeof text);
    assert_string_equal(text, "angle = _");
}

static void test_a_long_value_ends(void **state)
{
    struct app a;
    app_init(&a, &filters, 1);
    press_all(&a, "m #");
    for (int i = 0; i < 3 * FILTER_VALUE; i++) press_all(&a, "9");
    assert_int_equal(strlen(a.typed), FILTER_VALUE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_another_side_closes_what_is_typed),
        cmocka_unit_test(test_a_filter_of_fewer_parameters),
        cmocka_unit_test(test_a_long_value_ends),
        cmocka_unit_test(test_a_reload_closes_what_names_filters),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_keys_that_follow_the_list_of_steps_at_once),
        cmocka_unit_test(test_nothing_to_choose),
        cmocka_unit_test(test_other_keys_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
