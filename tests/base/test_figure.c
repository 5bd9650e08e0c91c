// Numbers as people read them: three significant figures, whatever their size.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/figure.h"

static void test_three_figures(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0.00"},
                {0.0412, "0.0412"},
                {0.41249, "0.412"},
                {4.12, "4.12"},
                {41.2, "41.2"},
                {412, "412"},
                {412.4, "412"},
                {1, "1.00"},
                {10, "10.0"},
                {100, "100"},
                {1000, "1000"},
                {0.1, "0.100"},
                {0.001, "0.00100"},
                {0.00051, "0.000510"},
                {0.0000123, "0.0000123"},
                {0.9996, "1.00"},
                {9.996, "10.0"},
                {99.96, "100"},
                {999.6, "1000"},
                {0.09996, "0.100"},
                {0.9994, "0.999"},
                {9.994, "9.99"},
                {60000, "60000"},
                {1234567, "1234567"},
                {9.999, "10.0"},
                {0.00009996, "0.000100"},
                {41234, "41234"},
                {4.123, "4.12"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        figure_three(text, sizeof text, rows[i].value);
        assert_string_equal(text, rows[i].text);
    }
    char small[4];
    figure_three(small, sizeof small, 0.412);
    assert_string_equal(small, "0.4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_figures),
    };
    return cmocka_run_group_tests_name("figure", tests, NULL, NULL);
}
