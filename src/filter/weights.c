#include "filter/weights.h"

#include <math.h>

#include "base/exact.h"

// Both sides are equal, so the centre must be even: it is rounded up, and the sides share the rest.
void weights_gaussian(int *weights, int radius, double sigma)
{
    if (sigma <= 0) sigma = 0.3 * (radius - 1) + 0.8;
    double exact[WEIGHTS_MAX_RADIUS + 1] = {1};
    int sides[WEIGHTS_MAX_RADIUS + 1] = {0};
    double side = 0;
    for (int i = 1; i <= radius; i++) {
        const double distance = i / sigma;
        side += exact[i] = exact_exp_minus(distance * distance / 2);
    }
    const int centre = 2 * (int)ceil(WEIGHTS_SUM / 2 / (1 + 2 * side));
    int rest = (WEIGHTS_SUM - centre) / 2;
    const double scale = rest > 0 ? rest / side : 0;
    for (int i = 1; i <= radius; i++) {
        exact[i] *= scale;
        sides[i] = (int)exact[i];
        rest -= sides[i];
    }
    // Rounding down has left a rest: the weights that lost most get one more. Of equals, the one
    // nearer to the centre comes first, so that they keep falling.
    while (rest-- > 0) {
        int most = 1;
        for (int i = 2; i <= radius; i++)
            if (exact[i] - sides[i] > exact[most] - sides[most]) most = i;
        sides[most]++;
    }

    weights[radius] = centre;
    for (int i = 1; i <= radius; i++) weights[radius - i] = weights[radius + i] = sides[i];
}
