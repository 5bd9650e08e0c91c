#include "frame/reference.h"

#include <assert.h>
#include <glib.h>
#include <string.h>

#include "filter/launch.h"

// Of one pixel, a few milliseconds: a check ends between two of them.
static const double MAX_TAPS = 4.2e6;

static bool is_too_slow(const struct filter *f, const struct param_values *values)
{
    return launch_taps(f, &(struct settings){.params = *values}) > MAX_TAPS;
}

enum builder_state reference_get(struct reference *r, const struct references *from,
                                 const struct filter *f, const struct param_values *values)
{
    const struct module *module = NULL;
    struct reference found = {.pixel = NULL};
    if (!f->has_reference || is_too_slow(f, values)) return BUILDER_FAILED;
    const enum builder_state state = references_get(from, f, &module);
    if (state != BUILDER_READY) return state;
    void *const address = backend_function(from->host, module, "reference_out");
    if (!address) return BUILDER_FAILED;
    found.host = from->host;
    found.module = module;
    memcpy(&found.pixel, &address, sizeof address);  // C has no cast between the two
    filter_pack(f, values, found.params);
    filter_fill_weights(f, values, found.weights);
    *r = found;
    return state;
}

bool reference_wait(struct reference *r, const struct references *from, const struct filter *f,
                    const struct param_values *values)
{
    return f->has_reference && references_wait(from, f) &&
           reference_get(r, from, f, values) == BUILDER_READY;
}

// ---- running it ----

struct job {
    const struct reference *reference;
    struct planes out, in;
};

static int pixel_of(const struct reference *r, struct planes in, int plane, int x, int y)
{
    return r->pixel(&in, plane, r->weights, r->params, x, y);
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

// ---- samples ----

struct sample {
    int x, y, plane;
};

static struct sample choose(const struct reference_samples *s, struct planes in, int i,
                            GRand *random)
{
    const int plane = i % in.count, turn = i / in.count;
    const bool is_corner = turn < 4, is_far = turn & 8;
    int x = g_rand_int_range(random, 0, in.width), y = g_rand_int_range(random, 0, in.height);
    if (is_corner || turn % 8 == 4) x = (is_corner ? turn & 1 : is_far) ? in.width - 1 : 0;
    if (is_corner || turn % 8 == 5) y = (is_corner ? turn & 2 : is_far) ? in.height - 1 : 0;
    if (s->rows) y = s->rows->y[(turn + turn / 8) % REFERENCE_ROWS];
    return (struct sample){x, y, plane};
}

struct sampling {
    const struct reference *reference;
    struct planes out, in;
    const struct reference_samples *samples;
    GRand *random;
    atomic_uint steps;
    struct image_difference found;
};

static void compare_samples(void *data)
{
    struct sampling *s = data;
    const struct reference *r = s->reference;
    const atomic_bool *stop = s->samples->stop;
    for (int i = 0; i < s->samples->count && !(stop && atomic_load(stop)); i++) {
        atomic_fetch_add(&s->steps, 1);
        const struct sample at = choose(s->samples, s->in, i, s->random);
        const int wanted = pixel_of(r, s->in, at.plane, at.x, at.y);
        const int difference = ABS(planes_row(s->out, at.plane, at.y)[at.x] - wanted);
        if (difference > s->found.max)
            s->found = (struct image_difference){.count = s->found.count,
                                                 .max = difference,
                                                 .x = at.x,
                                                 .y = at.y,
                                                 .plane = at.plane};
        s->found.count += difference > 0;
    }
}

bool reference_sample(const struct reference *r, struct planes out, struct planes in,
                      const struct reference_samples *samples, struct image_difference *found,
                      struct error *err)
{
    struct sampling s = {.reference = r,
                         .out = out,
                         .in = in,
                         .samples = samples,
                         .random = g_rand_new_with_seed(samples->seed)};
    const struct host_call call = {.name = "the REFERENCE",
                                   .run = compare_samples,
                                   .data = &s,
                                   .steps = &s.steps,
                                   .limit_ms = REFERENCES_LIMIT_MS,
                                   .stop = samples->stop};
    const bool is_good = backend_call(r->host, r->module, &call, err);
    g_rand_free(s.random);
    if (is_good) *found = s.found;
    return is_good;
}
