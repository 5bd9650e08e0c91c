#include "filter/weights.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// e^-x for x >= 0: halved until ten terms of its series give every bit that counts, then squared
// back.
static double exp_minus(double x)
{
    int halvings = 0;
    if (x > 745) return 0;  // below the smallest double
    for (; x > 0.125; x /= 2) halvings++;
    double sum = 1, term = 1;
    for (int i = 1; i <= 10; i++) sum += term *= -x / i;
    while (halvings-- > 0) sum *= sum;
    return sum;
}

// Shares out what rounding down has left: one more to those that it took most from, the nearer to
// the centre first, so that they go on falling.
static void share_rest(int *sides, const double *exact, int radius, int rest)
{
    while (rest-- > 0) {
        int most = 1;
        for (int i = 2; i <= radius; i++)
            if (exact[i] - sides[i] > exact[most] - sides[most]) most = i;
        sides[most]++;
    }
}

// Both sides weigh the same, so the centre must be even: rounded up, and the sides to what is left.
static void fill_gaussian(int *weights, const double *values)
{
    const int radius = (int)values[0];
    // Zero: the sigma that OpenCV finds for a radius.
    const double sigma = values[1] > 0 ? values[1] : 0.3 * (radius - 1) + 0.8;
    double exact[WEIGHTS_MAX_RADIUS + 1] = {1};
    int sides[WEIGHTS_MAX_RADIUS + 1] = {0};
    double side = 0;
    for (int i = 1; i <= radius; i++) {
        const double distance = i / sigma;
        side += exact[i] = exp_minus(distance * distance / 2);
    }
    const int centre = 2 * (int)ceil(WEIGHTS_SUM / 2 / (1 + 2 * side));
    int rest = (WEIGHTS_SUM - centre) / 2;
    const double scale = rest > 0 ? rest / side : 0;
    for (int i = 1; i <= radius; i++) {
        exact[i] *= scale;
        sides[i] = (int)exact[i];
        rest -= sides[i];
    }
    share_rest(sides, exact, radius, rest);

    weights[radius] = centre;
    for (int i = 1; i <= radius; i++) weights[radius - i] = weights[radius + i] = sides[i];
}

// To add a kind: its function above, its row here, its name below; src/reference.c computes it
// again.
static const struct weights_kind kinds[] = {
    {"gaussian", {"radius", "sigma"}, fill_gaussian},
};

const char *weights_names(void)
{
    return "gaussian";
}

const struct weights_kind *weights_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    return NULL;
}
