#include "grade/difference.h"

#include <glib.h>
#include <math.h>

bool difference_add(struct difference *d, long long i, double is, double wanted)
{
    if (is == wanted || (isnan(is) && isnan(wanted))) return false;
    if (!d->count++) {
        d->first = i;
        d->is = is;
        d->wanted = wanted;
    }
    if (fabs(is - wanted) > d->most) {
        d->worst = i;
        d->most = fabs(is - wanted);
    }
    return true;
}

static void write_place(const struct array_place *place, long long element, char *text, size_t size)
{
    if (place->rows > 1)
        g_snprintf(text, (gulong)size, "row %lld, column %lld", element / place->columns,
                   element % place->columns);
    else
        g_snprintf(text, (gulong)size, "element %lld", element);
}

void difference_write(const struct difference *d, const char *array,
                      const struct array_place *place, char *what, size_t size)
{
    char at[64], is[64];
    if (place->picture.width) {
        g_snprintf(what, (gulong)size,
                   "the picture is wrong: %lld samples differ, the most at x %lld, y %lld, by %.0f",
                   d->count, d->worst % place->columns,
                   d->worst / place->columns % place->picture.height, d->most);
        return;
    }
    write_place(place, d->first, at, sizeof at);
    g_snprintf(is, sizeof is, "is %.9g", d->is);
    g_snprintf(what, (gulong)size,
               "%s is wrong: at %s it %s and should be %.9g (%lld of %lld elements are wrong)",
               array, at, d->is_untouched ? "is not written" : is, d->wanted, d->count, d->of);
}
