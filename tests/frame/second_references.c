#include "second_references.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "filter/launch.h"

// ---- filters ----

// One output pixel is wanted: of a plane, at x and y. `values` are the params, in the file's order.
struct wanted {
    const struct filter *filter;
    const struct param_values *values;
    struct planes in;
    int plane, x, y;
};

static int at(const struct wanted *w, int x, int y)
{
    x = x < 0 ? 0 : x >= w->in.width ? w->in.width - 1 : x;
    y = y < 0 ? 0 : y >= w->in.height ? w->in.height - 1 : y;
    return planes_row(w->in, w->plane, y)[x];
}

static int number(const struct wanted *w, const char *name)
{
    const int index = filter_param(w->filter, name);
    if (index < 0) g_error("%s has no param '%s'; see second_references.c", w->filter->name, name);
    return (int)w->values->v[index];
}

static long window_sum(const struct wanted *w, int radius)
{
    long sum = 0;
    for (int y = w->y - radius; y <= w->y + radius; y++)
        for (int x = w->x - radius; x <= w->x + radius; x++) sum += at(w, x, y);
    return sum;
}

static int mean(const struct wanted *w)
{
    const int radius = number(w, "radius");
    const long area = (2L * radius + 1) * (2 * radius + 1);
    return (int)((window_sum(w, radius) + area / 2) / area);
}

static int threshold(const struct wanted *w)
{
    const int radius = number(w, "radius"), c = number(w, "c");
    const long area = (2L * radius + 1) * (2 * radius + 1);
    return window_sum(w, radius) - c * area < at(w, w->x, w->y) * area ? 255 : 0;
}

// The weights that test_weights checks.
static int gaussian(const struct wanted *w)
{
    int weights[WEIGHTS_MAX];
    const int radius = number(w, "radius");
    long sum = 0;
    filter_fill_weights(w->filter, w->values, weights);
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum +=
                (long)(weights[radius + dy] * weights[radius + dx]) * at(w, w->x + dx, w->y + dy);
    return (int)((sum + (1 << 23)) >> 24);
}

static int flip(const struct wanted *w)
{
    enum { X, Y, BOTH };
    const int axis = number(w, "axis");
    const int x = axis == X || axis == BOTH ? w->in.width - 1 - w->x : w->x;
    const int y = axis == Y || axis == BOTH ? w->in.height - 1 - w->y : w->y;
    return at(w, x, y);
}

static int invert(const struct wanted *w)
{
    return 255 - at(w, w->x, w->y);
}

static const struct known {
    const char *name;
    int (*pixel)(const struct wanted *w);
} known[] = {{"flip", flip},
             {"gaussian", gaussian},
             {"invert", invert},
             {"mean", mean},
             {"threshold", threshold}};

static const struct known *find_known(const struct filter *f)
{
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (!strcmp(known[i].name, f->name)) return &known[i];
    return NULL;
}

// The corners, and what random numbers lead to.
static void choose_pixel(struct wanted *w, int turn, GRand *random)
{
    w->plane = turn % w->in.count;
    w->x = turn & 1 ? w->in.width - 1 : 0;
    w->y = turn & 2 ? w->in.height - 1 : 0;
    if (turn >= 4 && turn % 3 != 1) w->x = g_rand_int_range(random, 0, w->in.width);
    if (turn >= 4 && turn % 3 != 2) w->y = g_rand_int_range(random, 0, w->in.height);
}

static void compare_pixel(const struct known *k, const struct wanted *w, struct planes made,
                          struct image_difference *found)
{
    const int difference = ABS(planes_row(made, w->plane, w->y)[w->x] - k->pixel(w));
    if (difference > found->max)
        *found = (struct image_difference){
            .count = found->count, .max = difference, .x = w->x, .y = w->y, .plane = w->plane};
    found->count += difference > 0;
}

struct image_difference second_reference_differs(const struct filter *f,
                                                 const struct param_values *values,
                                                 struct planes made, struct planes in,
                                                 double max_taps)
{
    const struct known *k = find_known(f);
    struct image_difference found = {0};
    struct wanted w = {.filter = f, .values = values, .in = in};
    const double taps = launch_taps(f, &(struct settings){.params = *values});
    const int pixels = in.width * in.height;
    if (!k) return found;
    if (taps * pixels * in.count <= max_taps) {
        for (w.plane = 0; w.plane < in.count; w.plane++)
            for (w.y = 0; w.y < in.height; w.y++)
                for (w.x = 0; w.x < in.width; w.x++) compare_pixel(k, &w, made, &found);
        return found;
    }
    GRand *random = g_rand_new_with_seed(1);
    for (int turn = 0; turn < CLAMP((int)(max_taps / taps), 8, 1000); turn++) {
        choose_pixel(&w, turn, random);
        compare_pixel(k, &w, made, &found);
    }
    g_rand_free(random);
    return found;
}

// ---- labs ----

static long long param(const struct lab_values *v, const char *name)
{
    const int index = filter_param(v->lab, name);
    if (index < 0) g_error("%s has no param '%s'; see second_references.c", v->lab->name, name);
    return (long long)v->params->v[index];
}

static int find(const struct lab_values *v, const char *name)
{
    const int index = arrays_find(v->lab, name);
    if (index < 0) g_error("%s has no array '%s'; see second_references.c", v->lab->name, name);
    return index;
}

static const void *in(const struct lab_values *v, const char *name)
{
    return v->in[find(v, name)];
}

static const double *out(const struct lab_values *v, const char *name)
{
    return v->expected[find(v, name)];
}

static bool is_access(const struct lab_values *v)
{
    const double *b = out(v, "b");
    const float *at = (const float *)in(v, "a") + param(v, "offset");
    for (long long left = param(v, "n"); left > 0; left--, at += param(v, "stride"))
        if (*b++ != (double)*at) return false;
    return true;
}

// Differences of prefix sums. prefix[i] is the sum of the i numbers before i, modulo 2^32.
static unsigned int *prefix_sums(const int *numbers, long long count)
{
    unsigned int *prefix = g_new(unsigned int, (gsize)count + 1);
    prefix[0] = 0;
    for (long long i = 0; i < count; i++) prefix[i + 1] = prefix[i] + (unsigned int)numbers[i];
    return prefix;
}

static bool is_banks(const struct lab_values *v)
{
    enum { THREADS = 256, STARTS = 2048 };
    const long long n = param(v, "n"), words = param(v, "words"), stride = param(v, "stride");
    g_autofree unsigned int *prefix = prefix_sums(in(v, "a"), n + STARTS + words);
    for (long long i = 0, start = 0; i < n; i++, start = (start + stride) % STARTS) {
        if (i % THREADS == 0) start = 0;
        const long long first = i - i % THREADS + start;
        if (out(v, "s")[i] != (double)(int)(prefix[first + words] - prefix[first])) return false;
    }
    return true;
}

// For x = 1 the coefficients' sum, for -1 that with every other sign turned, for 0 the last one.
static bool is_constants(const struct lab_values *v)
{
    const long long steps = param(v, "steps"), distinct = param(v, "distinct");
    const float *x = in(v, "x");
    for (long long i = 0; i < param(v, "n"); i++) {
        long long sum = 0;
        const long long sign = (long long)x[i];
        for (long long k = steps - 1, factor = 1; k >= 0; k--, factor *= sign)
            sum += factor * ((k + i % distinct) % 256);
        if (out(v, "y")[i] != (double)sum) return false;
    }
    return true;
}

static bool is_histogram(const struct lab_values *v)
{
    long long bins[256] = {0};
    const unsigned char *x = in(v, "x");
    for (long long i = 0; i < param(v, "n"); i++) bins[x[i]]++;
    for (int i = 0; i < 256; i++)
        if (out(v, "bins")[i] != (double)bins[i]) return false;
    return true;
}

// Rows of b are added up, each as many times as a number of a says.
static bool is_matmul(const struct lab_values *v)
{
    const long long n = param(v, "n");
    const float *a = in(v, "a"), *b = in(v, "b");
    g_autofree long long *sums = g_new(long long, (gsize)n);
    for (long long row = 0; row < n; row++) {
        memset(sums, 0, sizeof *sums * (size_t)n);
        for (long long k = 0; k < n; k++)
            for (long long i = 0; i < n; i++)
                sums[i] += (long long)a[row * n + k] * (long long)b[k * n + i];
        for (long long i = 0; i < n; i++)
            if (out(v, "c")[row * n + i] != (double)sums[i]) return false;
    }
    return true;
}

// Column after column.
static bool is_matvec(const struct lab_values *v)
{
    const long long rows = param(v, "rows"), columns = param(v, "columns");
    const float *a = in(v, "a"), *x = in(v, "x");
    g_autofree long long *sums = g_new0(long long, (gsize)rows);
    for (long long j = 0; j < columns; j++)
        for (long long i = 0; i < rows; i++)
            sums[i] += (long long)a[i * columns + j] * (long long)x[j];
    for (long long i = 0; i < rows; i++)
        if (out(v, "y")[i] != (double)sums[i]) return false;
    return true;
}

// All digits of x + x / j fit into 64 bits, so that the sum is rounded once, to float.
static bool is_records(const struct lab_values *v)
{
    const float *x = in(v, "in");
    for (long long i = 0; i < param(v, "n") * param(v, "fields"); i++) {
        float grown = x[i];
        for (int j = 2; j <= param(v, "m"); j++)
            grown =
                (float)((long double)grown + (long double)grown * (long double)(1.0f / (float)j));
        if (out(v, "out")[i] != (double)grown) return false;
    }
    return true;
}

static bool is_scan(const struct lab_values *v)
{
    const long long n = param(v, "n");
    g_autofree unsigned int *prefix = prefix_sums(in(v, "a"), n);
    for (long long i = 0; i < n; i++)
        if (out(v, "b")[i] != (double)(int)prefix[i + 1]) return false;
    return true;
}

static bool is_sliding(const struct lab_values *v)
{
    const long long n = param(v, "n"), n_f = param(v, "n_f");
    g_autofree unsigned int *prefix = prefix_sums(in(v, "x"), n);
    for (long long i = 0; i < n; i++) {
        const unsigned int sum = prefix[MIN(i + n_f + 1, n)] - prefix[MAX(i - n_f, 0)];
        if (out(v, "s")[i] != (double)(int)sum) return false;
    }
    return true;
}

// Row after row: its largest number, and then all powers, added up once.
static bool is_softmax(const struct lab_values *v)
{
    const long long rows = param(v, "rows"), columns = param(v, "columns");
    const float *a = in(v, "a");
    const double *b = out(v, "b");
    for (long long row = 0; row < rows; row++, a += columns, b += columns) {
        double most = -INFINITY, sum = 0;
        for (long long k = 0; k < columns; k++) most = fmax(most, (double)a[k]);
        for (long long k = 0; k < columns; k++) sum += exp((double)a[k] - most);
        for (long long k = 0; k < columns; k++) {
            const double wanted = exp((double)a[k] - most) / sum;
            if (!(fabs(b[k] - wanted) <= 1e-12 * wanted)) return false;
        }
    }
    return true;
}

// Each number adds itself to its neighbours.
static bool is_stencil(const struct lab_values *v)
{
    const long long n = param(v, "n"), planes = param(v, "planes"), count = n * n * planes;
    const float *a = in(v, "a");
    g_autofree long long *sums = g_new0(long long, (gsize)count);
    for (long long i = 0; i < count; i++) {
        const long long number = (long long)a[i], x = i % n, y = i / n % n;
        sums[i] -= 6 * number;
        if (x > 0) sums[i - 1] += number;
        if (x < n - 1) sums[i + 1] += number;
        if (y > 0) sums[i - n] += number;
        if (y < n - 1) sums[i + n] += number;
        if (i >= n * n) sums[i - n * n] += number;
        if (i + n * n < count) sums[i + n * n] += number;
    }
    for (long long i = 0; i < count; i++)
        if (out(v, "b")[i] != (double)sums[i]) return false;
    return true;
}

static bool is_sum(const struct lab_values *v)
{
    const long long n = param(v, "n");
    g_autofree unsigned int *prefix = prefix_sums(in(v, "a"), n);
    return out(v, "s")[0] == (double)(int)prefix[n];
}

static bool is_transpose(const struct lab_values *v)
{
    const float *a = in(v, "a");
    const long long rows = param(v, "rows"), columns = param(v, "columns");
    for (long long row = 0; row < rows; row++)
        for (long long column = 0; column < columns; column++)
            if (out(v, "b")[column * rows + row] != (double)*a++) return false;
    return true;
}

// To add a lab: a row.
static const struct row {
    const char *lab;
    bool (*is_right)(const struct lab_values *v);
} rows[] = {
    {"access", is_access},       {"banks", is_banks},     {"constants", is_constants},
    {"histogram", is_histogram}, {"matmul", is_matmul},   {"matvec", is_matvec},
    {"records", is_records},     {"scan", is_scan},       {"sliding", is_sliding},
    {"softmax", is_softmax},     {"stencil", is_stencil}, {"sum", is_sum},
    {"transpose", is_transpose},
};

static const struct row *row_of(const struct filter *lab)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (!strcmp(rows[i].lab, lab->name)) return &rows[i];
    return NULL;
}

bool second_reference_is_known(const struct filter *f)
{
    return find_known(f) || row_of(f);
}

bool second_reference_is_right(const struct lab_values *values)
{
    const struct row *row = row_of(values->lab);
    return !row || row->is_right(values);
}

// ---- what they take ----

// Arithmetic over the params. The first row of a lab counts that is for this variant; "": for the
// reference, NULL: for all. Other labs take as many steps as there are elements.
static const struct {
    const char *lab, *variant, *steps;
} steps[] = {
    {"banks", NULL, "n*words"},
    {"constants", NULL, "n*steps"},
    {"histogram", "", "n*256"},
    {"histogram", NULL, "n"},
    {"matmul", NULL, "n*n*n/8"},  // the inner loop does nothing but multiply and add
    {"records", NULL, "n*fields*m"},
    {"scan", "", "n*n/32"},  // n*n/2 additions, many at a time
    {"scan", NULL, "n"},
    {"sliding", "", "n*(2*n_f + 1)"},  // these three read each window as a whole,
    {"sliding", "naive", "n*(2*n_f + 1)"},
    {"sliding", "shared", "n*(2*n_f + 1)"},
    {"sliding", "running", "n*(2*n_f + 1)/8"},  // this shares most of it, the others need none
    {"sliding", NULL, "n"},
    {"softmax", "", "5*rows*columns*columns"},  // an exponential takes as long as a few additions
    {"softmax", "naive", "rows*columns"},
    {"softmax", NULL, "rows*(columns + 2000)"},  // a row's threads exchange what they have
};

double second_reference_steps(const struct lab_values *v, const struct variant *variant)
{
    double scope[FILTER_WORDS + FILTER_MAX_PARAMS] = {0}, elements = 0;
    struct expr e;
    struct error err = {""};
    long long count;
    memcpy(scope + FILTER_WORDS, v->params->v, sizeof v->params->v);
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        const char *const name = steps[i].variant;
        if (strcmp(steps[i].lab, v->lab->name) != 0) continue;
        if (name && strcmp(name, variant ? variant->name : "") != 0) continue;
        if (!filter_compile_shape(v->lab, &e, steps[i].steps, &err) ||
            !expr_eval(&e, scope, &count, &err))
            g_error("%s: %s; see second_references.c", v->lab->name, err.text);
        return (double)count;
    }
    for (int i = 0; i < v->layout.count; i++) elements += (double)v->layout.places[i].count;
    return elements;
}
