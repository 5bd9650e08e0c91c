#include "filter/reference.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static int at(struct planes in, int plane, int x, int y)
{
    return planes_row(in, plane, CLAMP(y, 0, in.height - 1))[CLAMP(x, 0, in.width - 1)];
}

// ---- a slow, obvious function for each filter ----

// The window's mean, rounded half up.
static int mean(struct planes in, int plane, int x, int y, const double *values)
{
    const int radius = (int)values[0];
    const long area = (2L * radius + 1) * (2 * radius + 1);
    long sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += at(in, plane, x + dx, y + dy);
    return (int)((sum + area / 2) / area);
}

// Rounds down, then gives one more to the weight that lacks most. The two sides are equal, so the
// centre takes the next even number.
void reference_weights(int radius, double sigma, int *weights)
{
    double real[65], sum = 0;
    if (sigma == 0) sigma = 0.3 * (radius - 1) + 0.8;
    for (int i = 1; i <= radius; i++) sum += real[i] = exp(-(i / sigma) * (i / sigma) / 2);
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

// The window's sum, each pixel times its row's and its column's weight, over 2^24 and rounded.
static int gaussian(struct planes in, int plane, int x, int y, const double *values)
{
    const int radius = (int)values[0];
    const double *const weights = values + FILTER_MAX_PARAMS + radius;  // the centre's
    long sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum += (long)(weights[dy] * weights[dx]) * at(in, plane, x + dx, y + dy);
    return (int)((sum + (1 << 23)) >> 24);
}

static void find_gaussian_weights(double *values)
{
    int weights[129];
    reference_weights((int)values[0], values[1], weights);
    for (int i = 0; i <= 2 * (int)values[0]; i++) values[FILTER_MAX_PARAMS + i] = weights[i];
}

static int flip(struct planes in, int plane, int x, int y, const double *values)
{
    enum { FLIP_X, FLIP_Y, FLIP_BOTH };
    const int axis = (int)values[0];
    if (axis == FLIP_X || axis == FLIP_BOTH) x = in.width - 1 - x;
    if (axis == FLIP_Y || axis == FLIP_BOTH) y = in.height - 1 - y;
    return at(in, plane, x, y);
}

// White where S / A - c < p.
static int threshold(struct planes in, int plane, int x, int y, const double *values)
{
    const int radius = (int)values[0], c = (int)values[1];
    const long area = (2L * radius + 1) * (2 * radius + 1);
    long sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += at(in, plane, x + dx, y + dy);
    return sum - c * area < at(in, plane, x, y) * area ? 255 : 0;
}

static int invert(struct planes in, int plane, int x, int y, const double *values)
{
    (void)values;
    return 255 - at(in, plane, x, y);
}

// To add a filter: its function above, and a row here. The name is the kernel file's.
static const struct {
    const char *filter;
    reference_pixel *pixel;
    void (*prepare)(double *values);  // adds what all pixels share, behind the params; or NULL
} references[] = {
    {"flip", flip, NULL},           {"gaussian", gaussian, find_gaussian_weights},
    {"invert", invert, NULL},       {"mean", mean, NULL},
    {"threshold", threshold, NULL},
};

// ---- running them ----

reference_pixel *reference_find(const char *filter)
{
    for (size_t i = 0; i < G_N_ELEMENTS(references); i++)
        if (!strcmp(references[i].filter, filter)) return references[i].pixel;
    return NULL;
}

struct values {
    double v[FILTER_MAX_PARAMS + 129];
};

static struct values prepare(reference_pixel *pixel, const struct param_values *params)
{
    struct values values = {{0}};
    memcpy(values.v, params->v, sizeof params->v);
    for (size_t i = 0; i < G_N_ELEMENTS(references); i++)
        if (references[i].pixel == pixel && references[i].prepare) references[i].prepare(values.v);
    return values;
}

struct job {
    reference_pixel *pixel;
    struct planes out, in;
    const double *values;
};

static void run_row(gpointer row, gpointer data)
{
    const struct job *job = data;
    const int index = GPOINTER_TO_INT(row) - 1;
    const int plane = index / job->in.height, y = index % job->in.height;
    unsigned char *out = planes_row(job->out, plane, y);
    for (int x = 0; x < job->in.width; x++)
        out[x] = (unsigned char)job->pixel(job->in, plane, x, y, job->values);
}

void reference_run(reference_pixel *pixel, struct planes out, struct planes in,
                   const struct param_values *values)
{
    reference_run_on(pixel, out, in, values, (int)g_get_num_processors());
}

void reference_run_on(reference_pixel *pixel, struct planes out, struct planes in,
                      const struct param_values *values, int threads)
{
    const struct values prepared = prepare(pixel, values);
    struct job job = {pixel, out, in, prepared.v};
    GThreadPool *pool = g_thread_pool_new(run_row, &job, threads, TRUE, NULL);
    for (int row = 0; row < in.height * in.count; row++)
        g_thread_pool_push(pool, GINT_TO_POINTER(row + 1), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
}

struct reference_rows reference_choose_rows(int height, unsigned int seed)
{
    struct reference_rows rows = {{0, height - 1}};
    GRand *random = g_rand_new_with_seed(seed);
    for (int i = 2; i < REFERENCE_ROWS; i++) rows.y[i] = g_rand_int_range(random, 0, height);
    g_rand_free(random);
    return rows;
}

struct image_difference reference_sample(reference_pixel *pixel, struct planes out,
                                         struct planes in, const struct param_values *values,
                                         const struct reference_rows *rows, int samples,
                                         unsigned int seed)
{
    const struct values prepared = prepare(pixel, values);
    struct image_difference found = {0};
    GRand *random = g_rand_new_with_seed(seed);
    for (int i = 0; i < samples; i++) {
        const int plane = i % in.count, turn = i / in.count;
        const bool is_corner = turn < 4, is_far = turn & 8;
        int x = g_rand_int_range(random, 0, in.width), y = g_rand_int_range(random, 0, in.height);
        if (is_corner || turn % 8 == 4) x = (is_corner ? turn & 1 : is_far) ? in.width - 1 : 0;
        if (is_corner || turn % 8 == 5) y = (is_corner ? turn & 2 : is_far) ? in.height - 1 : 0;
        if (rows) y = rows->y[(turn + turn / 8) % REFERENCE_ROWS];
        const int difference =
            ABS(planes_row(out, plane, y)[x] - pixel(in, plane, x, y, prepared.v));
        if (difference > found.max)
            found = (struct image_difference){found.count, difference, x, y, plane};
        found.count += difference > 0;
    }
    g_rand_free(random);
    return found;
}
