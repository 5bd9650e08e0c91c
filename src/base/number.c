#include "base/number.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Prints twice, because rounding may add a digit.
struct number number_three(double value)
{
    struct number n;
    char scientific[32];
    g_snprintf(scientific, sizeof scientific, "%.2e", value);
    const char *e = strchr(scientific, 'e');
    const int exponent = e ? atoi(e + 1) : 0;
    g_snprintf(n.text, sizeof n.text, "%.*f", CLAMP(2 - exponent, 0, 9), value);
    return n;
}

bool number_read(const char *text, double *value)
{
    char *end, *power;
    double number = g_ascii_strtod(text, &end);
    if (end > text && *end == '^') {
        number = pow(number, g_ascii_strtod(end + 1, &power));
        if (power == end + 1) return false;
        end = power;
    }
    if (end == text || *end) return false;
    *value = number;
    return true;
}

char *number_keep_together(const char *text)
{
    static const char no_break_space[] = "\u00a0";
    static const char pattern[] = " (?=× )|(?<=[=<>≤≥≠×]) (?=\\d)|"
                                  "(?<=\\d) (?=(?:ms|µs|s|%|B|[KMG]i?B|GB/s)(?![\\w/]))";
    g_autoptr(GRegex) spaces = g_regex_new(pattern, 0, 0, NULL);
    char *joined = g_regex_replace_literal(spaces, text, -1, 0, no_break_space, 0, NULL);
    return joined ? joined : g_strdup(text);  // it is no UTF-8
}
