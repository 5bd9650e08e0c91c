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

void difference_write(const struct difference *d, const char *array,
                      const struct array_place *place, struct error *what)
{
    char at[64], is[64];
    if (place->picture.width) {
        error_set(what,
                  "the picture is wrong: %lld samples differ, the most at x %lld, y %lld, by %.0f",
                  d->count, d->worst % place->columns,
                  d->worst / place->columns % place->picture.height, d->most);
        return;
    }
    if (place->rows > 1)
        g_snprintf(at, sizeof at, "row %lld, column %lld", d->first / place->columns,
                   d->first % place->columns);
    else
        g_snprintf(at, sizeof at, "element %lld", d->first);
    g_snprintf(is, sizeof is, "is %.9g", d->is);
    error_set(what, "%s is wrong: at %s it %s and should be %.9g (%lld of %lld elements are wrong)",
              array, at, d->is_untouched ? "is not written" : is, d->wanted, d->count, d->of);
}
