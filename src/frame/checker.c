#include "frame/checker.h"

#include <glib.h>

enum { PIXELS = 512 };

struct checker {
    GThread *thread;
    GMutex lock;
    GCond changed;
    bool is_closing, is_asked;
    enum checker_state state;
    atomic_bool stop;  // the running check's result no longer matters
    struct check_inputs inputs;
    struct check check;
    bool keeps_answers;
    struct planes pair[2];  // pixels NULL: the check is compared
    atomic_uint steps;
    struct image_difference found;
    struct error failure;
};

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
        bool is_good = true;
        if (c->pair[0].pixels)
            found = image_compare(c->pair[0], c->pair[1]);
        else
            is_good = check_compare(&c->check, &c->stop, &c->steps, &found, &failure);
        g_mutex_lock(&c->lock);
        const bool is_whole = !atomic_load(&c->stop);
        c->found = found;
        c->failure = failure;
        c->is_asked = false;
        c->state = !is_whole ? CHECKER_NONE : is_good ? CHECKER_DONE : CHECKER_FAILED;
        c->check.has_answers = c->keeps_answers && is_whole && is_good;
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
    c->check.inputs = &c->inputs;
    c->thread = g_thread_new("checker", work, c);
    return c;
}

void checker_destroy(struct checker *c)
{
    if (!c) return;
    checker_forget(c);
    g_mutex_lock(&c->lock);
    c->is_closing = true;
    g_cond_broadcast(&c->changed);
    g_mutex_unlock(&c->lock);
    g_thread_join(c->thread);
    g_mutex_clear(&c->lock);
    g_cond_clear(&c->changed);
    g_free(c);
}

static void drain(struct checker *c)
{
    g_mutex_lock(&c->lock);
    atomic_store(&c->stop, true);
    while (c->is_asked) g_cond_wait(&c->changed, &c->lock);
    c->state = CHECKER_NONE;
    g_mutex_unlock(&c->lock);
}

static void ask(struct checker *c, struct planes a, struct planes b)
{
    g_mutex_lock(&c->lock);
    atomic_store(&c->stop, false);
    atomic_store(&c->steps, 0);
    c->pair[0] = a;
    c->pair[1] = b;
    c->is_asked = true;
    c->state = CHECKER_RUNNING;
    g_cond_broadcast(&c->changed);
    g_mutex_unlock(&c->lock);
}

void checker_begin_pair(struct checker *c, struct planes a, struct planes b)
{
    drain(c);
    c->keeps_answers = false;
    ask(c, a, b);
}

// WAITS: some are missing.
static enum checker_state bring_inputs(struct checker *c, const struct checker_task *task,
                                       struct error *err)
{
    bool is_complete = false;
    if (!check_inputs_is_of(&c->inputs, task->frame) ||
        c->inputs.picture.pixels != task->source.pixels) {
        c->check.has_answers = false;
        if (!check_inputs_begin(&c->inputs, task->frame, NULL)) return CHECKER_IMPOSSIBLE;
        c->inputs.picture = task->source;
    }
    do {
        if (!check_inputs_step(&c->inputs, task->frame, task->memory, &is_complete, err))
            return CHECKER_LOST;
    } while (task->most_bytes > 0 && !is_complete);
    return is_complete ? CHECKER_RUNNING : CHECKER_WAITS;
}

enum checker_state checker_begin(struct checker *c, const struct checker_task *task,
                                 struct error *err)
{
    const struct choice *choice = &task->frame->choice;
    const unsigned int seed = task->keeps_answers ? 1 : g_random_int();
    const int pixels = task->pixels ? task->pixels : PIXELS;
    struct reference reference;
    if (task->most_bytes > 0 && (double)check_inputs_bytes(task->frame) > task->most_bytes)
        return CHECKER_IMPOSSIBLE;
    if (!task->references) return CHECKER_IMPOSSIBLE;
    const enum builder_state built =
        reference_get(&reference, task->references, choice->filter, &choice->settings.params);
    if (built != BUILDER_READY)
        return built == BUILDER_BUILDING ? CHECKER_WAITS : CHECKER_IMPOSSIBLE;
    drain(c);
    const enum checker_state brought = bring_inputs(c, task, err);
    if (brought != CHECKER_RUNNING) return brought;
    c->check.reference = reference;
    c->keeps_answers = task->keeps_answers;
    c->check.has_answers &= task->keeps_answers;
    if (task->result.pixels && filter_has_picture(choice->filter))
        check_take(&c->check, task->result, pixels, seed);
    else if (!check_read(&c->check, task->frame, task->memory, pixels, seed, err))
        return CHECKER_LOST;
    ask(c, (struct planes){.pixels = NULL}, (struct planes){.pixels = NULL});
    return CHECKER_RUNNING;
}

enum checker_state checker_begin_now(struct checker *c, const struct checker_task *task,
                                     struct error *err)
{
    enum checker_state begun;
    while ((begun = checker_begin(c, task, err)) == CHECKER_WAITS) g_usleep(1000);
    return begun;
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
    const double done = c->state == CHECKER_RUNNING && !c->pair[0].pixels
                            ? (double)atomic_load(&c->steps) / MAX(c->check.count, 1)
                            : 0;
    g_mutex_unlock(&c->lock);
    return done;
}

const struct check *checker_check(const struct checker *c)
{
    return &c->check;
}

void checker_forget(struct checker *c)
{
    drain(c);
    check_inputs_finish(&c->inputs);
    c->check.has_answers = false;
}
