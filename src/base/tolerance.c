#include "base/tolerance.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

const char *const tolerance_units[] = {[TOLERANCE_NONE] = "",
                                       [TOLERANCE_RELATIVE] = "relative",
                                       [TOLERANCE_ABSOLUTE] = "absolute",
                                       [TOLERANCE_ULP] = "ulp"};

// The position of a float among all floats in ascending order; both zeros are at 0.
static int64_t rank_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

double tolerance_error(struct tolerance t, double is, double wanted)
{
    if (is == wanted || (isnan(is) && isnan(wanted))) return 0;
    if (!isfinite(is) || !isfinite(wanted)) return INFINITY;
    switch (t.unit) {
    case TOLERANCE_NONE:
        break;
    case TOLERANCE_RELATIVE:
        return fabs(is - wanted) / fmax(fabs(wanted), (double)FLT_MIN);
    case TOLERANCE_ABSOLUTE:
        return fabs(is - wanted);
    case TOLERANCE_ULP:
        return fabs((double)(rank_of((float)is) - rank_of((float)wanted)));
    }
    return INFINITY;
}

// "3.2e-7" where C writes "3.2e-07".
static void append_number(char *text, size_t size, int digits, double value)
{
    char number[32];
    g_snprintf(number, sizeof number, "%.*g", digits, value);
    char *const e = strchr(number, 'e');
    if (e && e[2] == '0') memmove(e + 2, e + 3, strlen(e + 3) + 1);
    text_append(text, size, "%s", number);
}

void tolerance_append(char *text, size_t size, struct tolerance t)
{
    text_append(text, size, "%s", t.unit ? "within " : "exact");
    if (t.unit == TOLERANCE_ABSOLUTE) text_append(text, size, "±");
    if (t.unit) append_number(text, size, 6, t.most);
    if (t.unit == TOLERANCE_ULP) text_append(text, size, " ulp");
}

void tolerance_append_found(char *text, size_t size, struct tolerance t, double error)
{
    tolerance_append(text, size, t);
    if (!t.unit) return;
    text_append(text, size, ", max ");
    append_number(text, size, t.unit == TOLERANCE_ULP ? 9 : 3, error);
}
