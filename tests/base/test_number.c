// Numbers as people read them: three significant figures, whatever their size.
#include "unit.h"

#include "base/number.h"

TEST(three_figures)
{
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(number_three(rows[i].value).text, rows[i].text);
}

TEST(figures_stay_together)
{
    // A tilde stands for a space that no line breaks at.
    static const struct {
        const char *text, *joined;
    } rows[] = {
        {"", ""},
        {"three loads a pixel", "three loads a pixel"},
        {"Here: aos 12.8 ms, soa 1.25 ms.", "Here: aos 12.8~ms, soa 1.25~ms."},
        {"12 sectors, 3 more", "12 sectors, 3 more"},
        {"as long: 1.07 ms > 10 × 0.05 ms", "as long: 1.07~ms >~10~×~0.05~ms"},
        {"1 wavefront a request = 1", "1 wavefront a request =~1"},
        {"10.3×, not > 40", "10.3×, not >~40"},
        {"at 3 × 3 it is 5 µs\n7 %, 4 KiB", "at 3~×~3 it is 5~µs\n7~%, 4~KiB"},
        {"607 wavefronts < 0.5 × 1282 wavefronts", "607 wavefronts <~0.5~×~1282 wavefronts"},
        {"2 basic shapes", "2 basic shapes"},
        {"\xff 5 ms", "\xff 5 ms"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        g_autofree char *text = number_keep_together(rows[i].text);
        g_autoptr(GString) marked = g_string_new(text);
        g_string_replace(marked, "\u00a0", "~", 0);
        assert_string_equal(marked->str, rows[i].joined);
    }
}

TEST(numbers_and_powers)
{
    static const char *const bad[] = {"", "x", "1x", "2^", "2^x", "^2", "2^3^4"};
    double value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(number_read(bad[i], &value));
    assert_true(value == 7);
    assert_true(number_read("-1.5", &value) && value == -1.5);
    assert_true(number_read("2^24", &value) && value == 16777216);
    assert_true(number_read("2^-1", &value) && value == 0.5);
}
