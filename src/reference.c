#include "reference.h"

#include <glib.h>
#include <string.h>

static int at(struct view in, int plane, int x, int y)
{
    return view_row(in, plane, CLAMP(y, 0, in.height - 1))[CLAMP(x, 0, in.width - 1)];
}

// ---- one slow, obvious function a filter ----

// The window's mean, rounded half up.
static int mean(struct view in, int plane, int x, int y, const double *values)
{
    const int radius = (int)values[0];
    const long area = (2L * radius + 1) * (2 * radius + 1);
    long sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) sum += at(in, plane, x + dx, y + dy);
    return (int)((sum + area / 2) / area);
}

static int invert(struct view in, int plane, int x, int y, const double *values)
{
    (void)values;
    return 255 - at(in, plane, x, y);
}

// To add a filter: its function above, its row here. The name is that of the kernel file.
static const struct {
    const char *filter;
    reference_pixel *pixel;
} references[] = {
    {"invert", invert},
    {"mean", mean},
};

// ---- running them ----

reference_pixel *reference_find(const char *filter)
{
    for (size_t i = 0; i < G_N_ELEMENTS(references); i++)
        if (!strcmp(references[i].filter, filter)) return references[i].pixel;
    return NULL;
}

struct job {
    reference_pixel *pixel;
    struct view out, in;
    const double *values;
};

static void run_row(gpointer row, gpointer data)
{
    const struct job *job = data;
    const int index = GPOINTER_TO_INT(row) - 1;
    const int plane = index / job->in.height, y = index % job->in.height;
    unsigned char *out = view_row(job->out, plane, y);
    for (int x = 0; x < job->in.width; x++)
        out[x] = (unsigned char)job->pixel(job->in, plane, x, y, job->values);
}

void reference_run(reference_pixel *pixel, struct view out, struct view in,
                   const struct param_values *values)
{
    struct job job = {pixel, out, in, values->v};
    GThreadPool *pool = g_thread_pool_new(run_row, &job, (gint)g_get_num_processors(), TRUE, NULL);
    for (int row = 0; row < in.height * in.planes; row++)
        g_thread_pool_push(pool, GINT_TO_POINTER(row + 1), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
}

struct image_difference reference_sample(reference_pixel *pixel, struct view out, struct view in,
                                         const struct param_values *values, int samples,
                                         unsigned int seed)
{
    struct image_difference found = {0};
    GRand *random = g_rand_new_with_seed(seed);
    for (int i = 0; i < samples; i++) {
        const int plane = i % in.planes, turn = i / in.planes;
        const bool is_corner = turn < 4, is_far = turn & 8;
        int x = g_rand_int_range(random, 0, in.width), y = g_rand_int_range(random, 0, in.height);
        if (is_corner || turn % 8 == 4) x = (is_corner ? turn & 1 : is_far) ? in.width - 1 : 0;
        if (is_corner || turn % 8 == 5) y = (is_corner ? turn & 2 : is_far) ? in.height - 1 : 0;
        const int difference = ABS(view_row(out, plane, y)[x] - pixel(in, plane, x, y, values->v));
        if (difference > found.max)
            found = (struct image_difference){found.count, difference, x, y, plane};
        found.count += difference > 0;
    }
    g_rand_free(random);
    return found;
}
