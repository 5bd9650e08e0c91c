#include "measure/figures.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

// ---- rates and ratios ----

// A million in a millisecond is a thousand million in a second.
static double rate(double count, double ms)
{
    return ms > 0 ? count / ms * 1e-6 : 0;
}

double figures_gpix_per_s(double ms, struct planes picture)
{
    return rate((double)picture.width * picture.height, ms);
}

double figures_bytes(const struct choice *c, struct planes picture)
{
    struct arrays_layout layout;
    return arrays_plan(&layout, c, picture, NULL) ? layout.taken_bytes : 0;
}

double figures_gb_per_s(double ms, const struct choice *c, struct planes picture)
{
    return rate(figures_bytes(c, picture), ms);
}

double figures_percent_of_copy(double ms, double copy_ms)
{
    return ms > 0 ? 100 * copy_ms / ms : 0;
}

double figures_speed_up(double ms, double other_ms)
{
    return ms > 0 ? other_ms / ms : 0;
}

double figures_gain(int largest)
{
    return largest > 0 ? 255.0 / largest : 1;
}

// ---- comparison ----

static struct number ratio_of(struct stats_summary a, struct stats_summary b)
{
    return number_three(fmax(a.median / b.median, b.median / a.median));
}

enum figures_order figures_compare(struct stats_summary a, struct stats_summary b)
{
    if (!strcmp(ratio_of(a, b).text, "1.00")) return FIGURES_EQUAL;
    if (a.lower <= b.upper && b.lower <= a.upper) return FIGURES_UNCLEAR;
    return a.median < b.median ? FIGURES_FIRST_IS_FASTER : FIGURES_SECOND_IS_FASTER;
}

// ---- words ----

void figures_write_ms(char *text, size_t size, struct stats_summary ms)
{
    text[0] = '\0';
    if (ms.count && ms.median > 0) g_snprintf(text, size, "%s ms", number_three(ms.median).text);
}

void figures_write_quartiles(char *text, size_t size, struct stats_summary ms)
{
    text[0] = '\0';
    if (ms.count)
        g_snprintf(text, size, "%s–%s", number_three(ms.lower).text, number_three(ms.upper).text);
}

void figures_write_gain(char *text, size_t size, double gain)
{
    g_snprintf(text, size, gain < 10 ? "%.1f" : "%.0f", gain);
}

// "% of copy" is written apart from its number, "× naive" is not.
void figures_add(char *text, size_t size, const char *between, double value, const char *unit)
{
    const size_t used = strlen(text);
    if (value <= 0) return;
    g_snprintf(text + used, size - used, "%s%s%s%s", used ? between : "", number_three(value).text,
               g_str_has_prefix(unit, "×") ? "" : " ", unit);
}

void figures_write_comparison(char *text, size_t size, struct figures_side a, struct figures_side b)
{
    const enum figures_order order = figures_compare(a.ms, b.ms);
    const bool is_first = order == FIGURES_FIRST_IS_FASTER;
    const struct figures_side fast = is_first ? a : b, slow = is_first ? b : a;
    if (order != FIGURES_EQUAL && order != FIGURES_UNCLEAR) {
        g_snprintf(text, size, "%s %s× as fast as %s%s", fast.name, ratio_of(a.ms, b.ms).text,
                   slow.name, fast.is_wrong ? ", but wrong" : "");
        return;
    }
    g_strlcpy(text, order == FIGURES_EQUAL ? "equally fast" : "no clear difference in time", size);
    if (a.is_wrong && b.is_wrong)
        g_strlcat(text, ", but both are wrong", size);
    else if (a.is_wrong || b.is_wrong)
        text_append(text, size, ", but %s is wrong", a.is_wrong ? a.name : b.name);
}
