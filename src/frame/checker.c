#include "frame/checker.h"

#include <glib.h>
#include <string.h>

enum { SAMPLES = 512 };

struct checker {
    GThread *thread;
    GMutex lock;
    GCond changed;
    bool is_closing, is_asked;
    enum checker_state state;
    struct image result_copy, other_copy;
    atomic_bool stop;                  // the running check's result no longer matters
    enum { PICTURE, PAIR, LAB } kind;  // pair: compare with the other result
    struct lab_check lab;
    struct reference reference;
    struct planes source;
    struct reference_samples samples;
    struct reference_rows rows;
    atomic_uint steps;  // of a lab's check
    struct image_difference found;
    struct error failure;
};

static bool compare(struct checker *c, struct image_difference *found, struct error *err)
{
    switch (c->kind) {
    case LAB:
        return lab_check_compare(&c->lab, &c->stop, &c->steps, found, err);
    case PAIR:
        *found = image_compare(c->result_copy.planes, c->other_copy.planes);
        return true;
    case PICTURE:
        break;
    }
    return reference_sample(&c->reference, c->result_copy.planes, c->source, &c->samples, found,
                            err);
}

static gpointer work(gpointer data)
{
    struct checker *c = data;
    g_mutex_lock(&c->lock);
    while (!c->is_closing) {
        if (!c->is_asked) {
            g_cond_wait(&c->changed, &c->lock);
            continue;
        }
        g_mutex_unlock(&c->lock);
        struct image_difference found = {0};
        struct error failure = {""};
        const bool is_good = compare(c, &found, &failure);
        g_mutex_lock(&c->lock);
        c->found = found;
        c->failure = failure;
        c->is_asked = false;
        c->state = atomic_load(&c->stop) ? CHECKER_NONE : is_good ? CHECKER_DONE : CHECKER_FAILED;
        g_cond_broadcast(&c->changed);
    }
    g_mutex_unlock(&c->lock);
    return NULL;
}

struct checker *checker_create(void)
{
    struct checker *c = g_new0(struct checker, 1);
    g_mutex_init(&c->lock);
    g_cond_init(&c->changed);
    c->thread = g_thread_new("checker", work, c);
    return c;
}

void checker_destroy(struct checker *c)
{
    if (!c) return;
    g_mutex_lock(&c->lock);
    c->is_closing = true;
    atomic_store(&c->stop, true);
    g_cond_broadcast(&c->changed);
    g_mutex_unlock(&c->lock);
    g_thread_join(c->thread);
    image_finish(&c->result_copy);
    image_finish(&c->other_copy);
    g_mutex_clear(&c->lock);
    g_cond_clear(&c->changed);
    g_free(c);
}

void checker_drain(struct checker *c)
{
    checker_forget(c);
    g_mutex_lock(&c->lock);
    while (c->is_asked) g_cond_wait(&c->changed, &c->lock);
    g_mutex_unlock(&c->lock);
}

static struct planes buffer_of(struct image *image, struct planes shape)
{
    const struct planes have = image->planes;
    if (have.pixels && have.width == shape.width && have.height == shape.height &&
        have.count == shape.count)
        return have;
    image_finish(image);
    struct error ignored = {""};
    image_init(image, shape.width, shape.height, shape.count, &ignored);
    return image->planes;
}

struct planes checker_buffer(struct checker *c, struct planes shape)
{
    checker_drain(c);
    return buffer_of(&c->result_copy, shape);
}

struct planes checker_other(struct checker *c, struct planes shape)
{
    checker_drain(c);
    return buffer_of(&c->other_copy, shape);
}

static void ask(struct checker *c)
{
    atomic_store(&c->stop, false);
    atomic_store(&c->steps, 0);
    c->is_asked = true;
    c->state = CHECKER_RUNNING;
    g_cond_broadcast(&c->changed);
}

struct reference_samples checker_samples(const struct reference_rows *rows)
{
    return (struct reference_samples){.count = SAMPLES, .seed = g_random_int(), .rows = rows};
}

void checker_begin(struct checker *c, const struct reference *reference, struct planes source,
                   const struct reference_samples *samples)
{
    g_mutex_lock(&c->lock);
    c->kind = PICTURE;
    c->reference = *reference;
    c->source = source;
    c->samples = *samples;
    c->samples.stop = &c->stop;
    if (samples->rows) {
        c->rows = *samples->rows;
        c->samples.rows = &c->rows;
    }
    ask(c);
    g_mutex_unlock(&c->lock);
}

void checker_begin_pair(struct checker *c)
{
    g_mutex_lock(&c->lock);
    c->kind = PAIR;
    ask(c);
    g_mutex_unlock(&c->lock);
}

void checker_begin_lab(struct checker *c, const struct lab_check *check)
{
    checker_drain(c);
    g_mutex_lock(&c->lock);
    c->kind = LAB;
    c->lab = *check;
    ask(c);
    g_mutex_unlock(&c->lock);
}

enum checker_state checker_result(struct checker *c, struct image_difference *result,
                                  struct error *err)
{
    g_mutex_lock(&c->lock);
    const enum checker_state state = c->state;
    if (state == CHECKER_DONE) *result = c->found;
    if (state == CHECKER_FAILED) error_set(err, "%s", c->failure.text);
    g_mutex_unlock(&c->lock);
    return state;
}

double checker_progress(struct checker *c)
{
    g_mutex_lock(&c->lock);
    const double done = c->state == CHECKER_RUNNING && c->kind == LAB
                            ? (double)atomic_load(&c->steps) / MAX(lab_check_count(&c->lab), 1)
                            : 0;
    g_mutex_unlock(&c->lock);
    return done;
}

void checker_forget(struct checker *c)
{
    g_mutex_lock(&c->lock);
    atomic_store(&c->stop, true);
    c->state = CHECKER_NONE;
    g_mutex_unlock(&c->lock);
}
