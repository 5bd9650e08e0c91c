#include "filter/reference.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/exact.h"

enum { WEIGHTS = REFERENCE_PARAMS };  // where the values hold the weights, behind the params

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
    double real[REFERENCE_WEIGHTS] = {0}, sum = 0;
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

// The window's sum, each pixel times its row's and its column's weight, over 2^24 and rounded.
static int gaussian(struct planes in, int plane, int x, int y, const double *values)
{
    const int radius = (int)values[0];
    const double *const weights = values + WEIGHTS + radius;  // the centre's
    long sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum += (long)(weights[dy] * weights[dx]) * at(in, plane, x + dx, y + dy);
    return (int)((sum + (1 << 23)) >> 24);
}

static void find_gaussian_weights(double *values)
{
    int weights[REFERENCE_WEIGHTS];
    reference_weights((int)values[0], values[1], weights);
    for (int i = 0; i <= 2 * (int)values[0]; i++) values[WEIGHTS + i] = weights[i];
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

// A pixel has (2 * radius + 1)^2 taps: 4 million at this radius, a few milliseconds.
enum { MAX_RADIUS = 1024, MAX_GAUSSIAN_RADIUS = REFERENCE_WEIGHTS / 2 };

// A param that a reference reads, and the values that it is written for.
struct wanted {
    const char *name;
    bool is_float;
    double min, max;
};

// To add a filter: its function above, and a row here. The name is the kernel file's.
static const struct row {
    const char *filter;
    reference_pixel *pixel;
    struct wanted params[REFERENCE_PARAMS];  // in the order of its values
    void (*prepare)(double *values);         // adds what all pixels share, behind them; or NULL
} references[] = {
    {"flip", flip, {{"axis", false, 0, 2}}, NULL},
    {"gaussian",
     gaussian,
     {{"radius", false, 0, MAX_GAUSSIAN_RADIUS}, {"sigma", true, 0, HUGE_VAL}},
     find_gaussian_weights},
    {"invert", invert, {{NULL, false, 0, 0}}, NULL},
    {"mean", mean, {{"radius", false, 0, MAX_RADIUS}}, NULL},
    {"threshold",
     threshold,
     {{"radius", false, 0, MAX_RADIUS}, {"c", false, -HUGE_VAL, HUGE_VAL}},
     NULL},
};

// ---- running them ----

static bool serves(const struct wanted *w, const struct filter *f)
{
    const int index = filter_param(f, w->name);
    if (index < 0) return false;
    const struct param *p = &f->params[index];
    return p->is_float == w->is_float && p->min >= w->min && p->max <= w->max;
}

static const struct row *find_row(const struct filter *f)
{
    const struct row *row = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(references); i++)
        if (!strcmp(references[i].filter, f->name)) row = &references[i];
    for (int i = 0; row && i < REFERENCE_PARAMS && row->params[i].name; i++)
        if (!serves(&row->params[i], f)) return NULL;
    return row;
}

bool reference_exists(const struct filter *f)
{
    for (int i = 0; i < f->array_count; i++)
        if (f->arrays[i].has_reference) return true;
    return find_row(f);
}

bool reference_prepare(struct reference *r, const struct filter *f,
                       const struct param_values *values)
{
    const struct row *row = find_row(f);
    if (!row) return false;
    *r = (struct reference){.pixel = row->pixel};
    for (int i = 0; i < REFERENCE_PARAMS && row->params[i].name; i++)
        r->values[i] = values->v[filter_param(f, row->params[i].name)];
    if (row->prepare) row->prepare(r->values);
    return true;
}

struct job {
    const struct reference *reference;
    struct planes out, in;
};

static int pixel_of(const struct reference *r, struct planes in, int plane, int x, int y)
{
    return r->pixel(in, plane, x, y, r->values);
}

static void run_row(gpointer row, gpointer data)
{
    const struct job *job = data;
    const int index = GPOINTER_TO_INT(row) - 1;
    const int plane = index / job->in.height, y = index % job->in.height;
    unsigned char *out = planes_row(job->out, plane, y);
    for (int x = 0; x < job->in.width; x++)
        out[x] = (unsigned char)pixel_of(job->reference, job->in, plane, x, y);
}

void reference_run(const struct reference *r, struct planes out, struct planes in)
{
    reference_run_on(r, out, in, (int)g_get_num_processors());
}

void reference_run_on(const struct reference *r, struct planes out, struct planes in, int threads)
{
    struct job job = {r, out, in};
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

struct image_difference reference_sample(const struct reference *r, struct planes out,
                                         struct planes in, const struct reference_samples *s)
{
    struct image_difference found = {0};
    GRand *random = g_rand_new_with_seed(s->seed);
    for (int i = 0; i < s->count && !(s->stop && atomic_load(s->stop)); i++) {
        const int plane = i % in.count, turn = i / in.count;
        const bool is_corner = turn < 4, is_far = turn & 8;
        int x = g_rand_int_range(random, 0, in.width), y = g_rand_int_range(random, 0, in.height);
        if (is_corner || turn % 8 == 4) x = (is_corner ? turn & 1 : is_far) ? in.width - 1 : 0;
        if (is_corner || turn % 8 == 5) y = (is_corner ? turn & 2 : is_far) ? in.height - 1 : 0;
        if (s->rows) y = s->rows->y[(turn + turn / 8) % REFERENCE_ROWS];
        const int difference = ABS(planes_row(out, plane, y)[x] - pixel_of(r, in, plane, x, y));
        if (difference > found.max)
            found = (struct image_difference){found.count, difference, x, y, plane};
        found.count += difference > 0;
    }
    g_rand_free(random);
    return found;
}
