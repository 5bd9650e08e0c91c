// Weights against a second way to compute them, against the curve they round, and against what
// every variant relies on.
#include "unit.h"

#include <math.h>

#include "base/exact.h"
#include "base/image.h"
#include "filter/filter.h"

static const double sigmas[] = {0,   1e-300, 1e-9, 0.05, 0.1, 0.29,  0.3,  0.5, 0.8, 1,    1.1, 1.7,
                                2.6, 3.3,    5,    7.77, 10,  15.25, 24.5, 32,  40,  53.1, 63,  64};

static void fill(int *weights, int radius, double sigma)
{
    for (int i = 0; i < WEIGHTS_MAX; i++) weights[i] = -7;
    filter_gaussian(weights, radius, sigma);
}

TEST(exact_exponential)
{
    assert_true(exact_exp_minus(0) == 1);
    assert_true(exact_exp_minus(1e300) == 0);
    for (double x = 1e-6; x < 700; x *= 1.01)
        if (fabs(exact_exp_minus(x) / exp(-x) - 1) > 1e-11) fail_msg("e^-%g", x);
}

// Rounds down, then gives one more to the weight that lacks most. The two sides are equal, so the
// centre takes the next even number.
static void fill_again(int radius, double sigma, int *weights)
{
    double real[WEIGHTS_MAX] = {0}, sum = 0;
    if (sigma == 0) sigma = 0.3 * (radius - 1) + 0.8;
    for (int i = 1; i <= radius; i++)
        sum += real[i] = exact_exp_minus((i / sigma) * (i / sigma) / 2);
    const int centre = (int)ceil(4096 / (1 + 2 * sum) / 2) * 2;
    const int side = (4096 - centre) / 2;
    int given = 0;
    for (int i = 1; i <= radius; i++) {
        real[i] = sum > 0 ? real[i] / sum * side : 0;
        given += weights[radius + i] = (int)floor(real[i]);
    }
    for (; given < side; given++) {
        int most = 1;
        for (int i = 2; i <= radius; i++)
            if (real[i] - weights[radius + i] > real[most] - weights[radius + most]) most = i;
        weights[radius + most]++;
    }
    weights[radius] = centre;
    for (int i = 1; i <= radius; i++) weights[radius - i] = weights[radius + i];
}

static void assert_weights(int radius, double sigma)
{
    int w[WEIGHTS_MAX], sum = 0;
    fill(w, radius, sigma);
    for (int i = 0; i <= 2 * radius; i++) {
        sum += w[i];
        const int inner = i < radius ? i + 1 : i - 1;
        if (w[i] < 0 || w[i] != w[2 * radius - i] || (i != radius && w[i] > w[inner]))
            fail_msg("radius %d sigma %g: weight %d is %d", radius, sigma, i, w[i]);
    }
    if (sum != WEIGHTS_SUM) fail_msg("radius %d sigma %g: the sum is %d", radius, sigma, sum);
    for (int i = 2 * radius + 1; i < WEIGHTS_MAX; i++) assert_int_equal(w[i], -7);

    int again[WEIGHTS_MAX];
    memcpy(again, w, sizeof again);
    fill_again(radius, sigma, again);
    if (memcmp(again, w, sizeof again)) fail_msg("radius %d sigma %g: others", radius, sigma);
}

TEST(sums_shapes_and_a_second_way)
{
    for (int radius = 0; radius <= WEIGHTS_MAX_RADIUS; radius++) {
        for (size_t i = 0; i < G_N_ELEMENTS(sigmas); i++) assert_weights(radius, sigmas[i]);
        for (double sigma = 0.07; sigma < 64; sigma *= 1.0613) assert_weights(radius, sigma);
    }
}

TEST(known_ones)
{
    int w[WEIGHTS_MAX];
    fill(w, 0, 0);
    assert_int_equal(w[0], 4096);
    fill(w, 64, 1e-3);
    assert_int_equal(w[64], 4096);
    assert_int_equal(w[63], 0);
    // e^-0.5 = 0.6065: 4096 / 2.2131 = 1850.8, up to 1852; 1122 on each side.
    fill(w, 1, 1);
    assert_int_equal(w[1], 1852);
    assert_int_equal(w[0], 1122);
    // Zero means 0.3 (radius - 1) + 0.8.
    int zero[WEIGHTS_MAX];
    fill(zero, 5, 0);
    fill(w, 5, 2);
    assert_memory_equal(zero, w, sizeof w);
}

// ---- against the filter of real numbers ----

static double curve(int i, double sigma)
{
    return exp(-(i / sigma) * (i / sigma) / 2);
}

static double real_filter(struct planes in, int x, int y, int radius, double sigma)
{
    double sum = 0, weight = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            const double w = curve(dx, sigma) * curve(dy, sigma);
            const int row = CLAMP(y + dy, 0, in.height - 1);
            sum += w * planes_row(in, 0, row)[CLAMP(x + dx, 0, in.width - 1)];
            weight += w;
        }
    return sum / weight;
}

// With whole weights, over 2^24 and rounded, as the kernels have it.
static int filter(struct planes in, int x, int y, int radius, double sigma)
{
    int weights[WEIGHTS_MAX];
    long long sum = 1 << 23;
    fill(weights, radius, sigma);
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum +=
                (long long)weights[radius + dy] * weights[radius + dx] *
                planes_row(in, 0, CLAMP(y + dy, 0, in.height - 1))[CLAMP(x + dx, 0, in.width - 1)];
    return (int)(sum >> 24);
}

// Half noise, half an edge of the full range: where rounded weights err most.
TEST(results_lie_within_a_grey_level)
{
    enum { SIDE = 24 };
    static const int radii[] = {1, 2, 5, 13, 32, 64};
    OWNED(image_finish) struct image in;
    assert_true(image_init(&in, SIDE, SIDE, 1, NULL));
    image_fill_noise(in.planes, 5);
    for (int y = SIDE / 2; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) planes_row(in.planes, 0, y)[x] = x < SIDE / 2 ? 0 : 255;
    for (size_t r = 0; r < G_N_ELEMENTS(radii); r++)
        for (size_t s = 3; s < G_N_ELEMENTS(sigmas); s += 2)
            for (int y = 0; y < SIDE; y += 3)
                for (int x = 1; x < SIDE; x += 5) {
                    const double real = real_filter(in.planes, x, y, radii[r], sigmas[s]);
                    const int is = filter(in.planes, x, y, radii[r], sigmas[s]);
                    if (fabs(is - real) > 1)
                        fail_msg("radius %d sigma %g at (%d, %d): %d, really %g", radii[r],
                                 sigmas[s], x, y, is, real);
                }
}
