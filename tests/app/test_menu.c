// test_menu -- what keys do in an open menu, and outside of it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

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
    (void)state;
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

static void test_nothing_to_choose(void **state)
{
    (void)state;
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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_nothing_to_choose),
        cmocka_unit_test(test_other_keys_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
