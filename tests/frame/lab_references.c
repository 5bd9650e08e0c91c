#include "lab_references.h"

#include <glib.h>
#include <string.h>

static long long param(const struct lab_values *v, const char *name)
{
    const int index = filter_param(v->lab, name);
    if (index < 0) g_error("%s has no param '%s'; see lab_references.c", v->lab->name, name);
    return (long long)v->params->v[index];
}

static int find(const struct lab_values *v, const char *name)
{
    const int index = arrays_find(v->lab, name);
    if (index < 0) g_error("%s has no array '%s'; see lab_references.c", v->lab->name, name);
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

// ---- one function a lab ----

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
    unsigned int *prefix = prefix_sums(in(v, "a"), n + STARTS + words);
    bool is_right = true;
    for (long long i = 0, start = 0; i < n; i++, start = (start + stride) % STARTS) {
        if (i % THREADS == 0) start = 0;
        const long long first = i - i % THREADS + start;
        is_right &= out(v, "s")[i] == (double)(int)(prefix[first + words] - prefix[first]);
    }
    g_free(prefix);
    return is_right;
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
    bool is_right = true;
    for (long long i = 0; i < param(v, "n"); i++) bins[x[i]]++;
    for (int i = 0; i < 256; i++) is_right &= out(v, "bins")[i] == (double)bins[i];
    return is_right;
}

// Rows of b are added up, each as many times as a number of a says.
static bool is_matmul(const struct lab_values *v)
{
    const long long n = param(v, "n");
    const float *a = in(v, "a"), *b = in(v, "b");
    long long *sums = g_new(long long, (gsize)n);
    bool is_right = true;
    for (long long row = 0; row < n; row++) {
        memset(sums, 0, sizeof *sums * (size_t)n);
        for (long long k = 0; k < n; k++)
            for (long long i = 0; i < n; i++)
                sums[i] += (long long)a[row * n + k] * (long long)b[k * n + i];
        for (long long i = 0; i < n; i++) is_right &= out(v, "c")[row * n + i] == (double)sums[i];
    }
    g_free(sums);
    return is_right;
}

// Column after column.
static bool is_matvec(const struct lab_values *v)
{
    const long long rows = param(v, "rows"), columns = param(v, "columns");
    const float *a = in(v, "a"), *x = in(v, "x");
    long long *sums = g_new0(long long, (gsize)rows);
    bool is_right = true;
    for (long long j = 0; j < columns; j++)
        for (long long i = 0; i < rows; i++)
            sums[i] += (long long)a[i * columns + j] * (long long)x[j];
    for (long long i = 0; i < rows; i++) is_right &= out(v, "y")[i] == (double)sums[i];
    g_free(sums);
    return is_right;
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

static bool is_sliding(const struct lab_values *v)
{
    const long long n = param(v, "n"), n_f = param(v, "n_f");
    unsigned int *prefix = prefix_sums(in(v, "x"), n);
    bool is_right = true;
    for (long long i = 0; i < n; i++) {
        const unsigned int sum = prefix[MIN(i + n_f + 1, n)] - prefix[MAX(i - n_f, 0)];
        is_right &= out(v, "s")[i] == (double)(int)sum;
    }
    g_free(prefix);
    return is_right;
}

static bool is_sum(const struct lab_values *v)
{
    const long long n = param(v, "n");
    unsigned int *prefix = prefix_sums(in(v, "a"), n);
    const bool is_right = out(v, "s")[0] == (double)(int)prefix[n];
    g_free(prefix);
    return is_right;
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

// ---- what they take ----

static double steps_of_elements(const struct lab_values *v, const struct variant *variant)
{
    double elements = 0;
    (void)variant;
    for (int i = 0; i < v->layout.count; i++) elements += (double)v->layout.places[i].count;
    return elements;
}

static double steps_of_banks(const struct lab_values *v, const struct variant *variant)
{
    (void)variant;
    return (double)(param(v, "n") * param(v, "words"));
}

static double steps_of_constants(const struct lab_values *v, const struct variant *variant)
{
    (void)variant;
    return (double)(param(v, "n") * param(v, "steps"));
}

static double steps_of_histogram(const struct lab_values *v, const struct variant *variant)
{
    return (double)param(v, "n") * (variant ? 1 : 256);
}

// The inner loop does nothing but multiply and add.
static double steps_of_matmul(const struct lab_values *v, const struct variant *variant)
{
    const double n = (double)param(v, "n");
    (void)variant;
    return n * n * n / 8;
}

static double steps_of_records(const struct lab_values *v, const struct variant *variant)
{
    (void)variant;
    return (double)(param(v, "n") * param(v, "fields") * param(v, "m"));
}

// Some variants read each window as a whole, one shares most of it, and others need no window.
static double steps_of_sliding(const struct lab_values *v, const struct variant *variant)
{
    const char *const name = variant ? variant->name : "naive";
    const double n = (double)param(v, "n"), window = (double)(2 * param(v, "n_f") + 1);
    if (!strcmp(name, "naive") || !strcmp(name, "shared")) return n * window;
    return !strcmp(name, "running") ? n * window / 8 : n;
}

static const struct row {
    const char *lab;
    bool (*is_right)(const struct lab_values *v);
    double (*steps)(const struct lab_values *v, const struct variant *variant);
} rows[] = {
    {"access", is_access, steps_of_elements},
    {"banks", is_banks, steps_of_banks},
    {"constants", is_constants, steps_of_constants},
    {"histogram", is_histogram, steps_of_histogram},
    {"matmul", is_matmul, steps_of_matmul},
    {"matvec", is_matvec, steps_of_elements},
    {"records", is_records, steps_of_records},
    {"sliding", is_sliding, steps_of_sliding},
    {"sum", is_sum, steps_of_elements},
    {"transpose", is_transpose, steps_of_elements},
};

static const struct row *row_of(const struct filter *lab)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (!strcmp(rows[i].lab, lab->name)) return &rows[i];
    return NULL;
}

bool lab_is_known(const struct filter *lab)
{
    return row_of(lab) != NULL;
}

bool lab_reference_is_right(const struct lab_values *values)
{
    const struct row *row = row_of(values->lab);
    return !row || row->is_right(values);
}

double lab_steps(const struct lab_values *values, const struct variant *variant)
{
    const struct row *row = row_of(values->lab);
    return row ? row->steps(values, variant) : steps_of_elements(values, variant);
}
