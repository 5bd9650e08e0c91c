#include "base/figure.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

// Prints twice, because rounding may add a digit.
void figure_three(char *text, size_t size, double value)
{
    char scientific[32];
    g_snprintf(scientific, sizeof scientific, "%.2e", value);
    const char *e = strchr(scientific, 'e');
    const int exponent = e ? atoi(e + 1) : 0;
    g_snprintf(text, (gulong)size, "%.*f", CLAMP(2 - exponent, 0, 9), value);
}
