#include "frame/check.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const size_t PIECE_BYTES = 16 << 20;

// ---- what a frame began with ----

bool check_inputs_is_of(const struct check_inputs *inputs, const struct frame *frame)
{
    const struct choice *c = &frame->choice;
    return inputs->filter == c->filter &&
           !memcmp(&inputs->params, &c->settings.params, sizeof inputs->params);
}

size_t check_inputs_bytes(const struct frame *frame)
{
    size_t bytes = 0;
    for (int i = 0; i < frame->arrays.count; i++)
        if (array_is_filled(&frame->choice.filter->arrays[i]))
            bytes = frame->arrays.places[i].offset + frame->arrays.places[i].bytes;
    return bytes;
}

bool check_inputs_begin(struct check_inputs *inputs, const struct frame *frame, struct error *err)
{
    const size_t bytes = check_inputs_bytes(frame);
    check_inputs_finish(inputs);
    unsigned char *const memory = bytes ? g_try_malloc(bytes) : NULL;
    if (bytes && !memory) return error_set(err, "no memory for a copy of the arrays");
    *inputs = (struct check_inputs){.memory = memory,
                                    .layout = frame->arrays,
                                    .filter = frame->choice.filter,
                                    .params = frame->choice.settings.params};
    return true;
}

bool check_inputs_step(struct check_inputs *inputs, const struct frame *frame,
                       const struct frame_memory *memory, bool *is_complete, struct error *err)
{
    while (inputs->array < inputs->layout.count &&
           (!array_is_filled(&inputs->filter->arrays[inputs->array]) ||
            inputs->done == inputs->layout.places[inputs->array].bytes)) {
        inputs->array++;
        inputs->done = 0;
    }
    *is_complete = inputs->array == inputs->layout.count;
    if (*is_complete) return true;
    const struct array_place *place = &inputs->layout.places[inputs->array];
    const size_t bytes = MIN(PIECE_BYTES, place->bytes - inputs->done);
    const size_t at = place->offset + inputs->done;
    inputs->done += bytes;
    return backend_read(frame->backend, inputs->memory + at,
                        (const unsigned char *)memory->arrays + at, bytes, err);
}

void check_inputs_finish(struct check_inputs *inputs)
{
    g_free(inputs->memory);
    *inputs = (struct check_inputs){.memory = NULL};
}

// ---- pixels ----

// rows: the only ones to look at; NULL: all.
static void choose_pixels(struct check *check, struct planes in, const int *rows, int count,
                          GRand *random)
{
    check->written_behind = 0;
    check->count = count;
    for (int i = 0; i < count; i++) {
        const int plane = i % in.count, turn = i / in.count;
        const bool is_corner = turn < 4, is_far = turn & 8;
        int x = g_rand_int_range(random, 0, in.width), y = g_rand_int_range(random, 0, in.height);
        if (is_corner || turn % 8 == 4) x = (is_corner ? turn & 1 : is_far) ? in.width - 1 : 0;
        if (is_corner || turn % 8 == 5) y = (is_corner ? turn & 2 : is_far) ? in.height - 1 : 0;
        if (rows) y = rows[(turn + turn / 8) % CHECK_ROWS];
        check->samples[i].array = ARRAYS_OUT;
        check->samples[i].index = ((long long)plane * in.height + y) * in.width + x;
    }
}

static int row_of(const struct check_sample *s, struct planes picture)
{
    return (int)(s->index / picture.width);  // of all planes
}

void check_take(struct check *check, struct planes result, int count, unsigned int seed)
{
    GRand *random = g_rand_new_with_seed(seed);
    choose_pixels(check, result, NULL, count, random);
    for (int i = 0; i < count; i++) {
        struct check_sample *s = &check->samples[i];
        const int row = row_of(s, result);
        s->is =
            planes_row(result, row / result.height, row % result.height)[s->index % result.width];
    }
    g_rand_free(random);
}

static bool read_rows(struct check *check, const struct frame *frame, struct planes target,
                      int count, GRand *random, struct error *err)
{
    int rows[CHECK_ROWS] = {0, target.height - 1};
    unsigned char *const row = g_malloc((size_t)target.width);
    bool is_good = true;
    for (int i = 2; i < CHECK_ROWS; i++) rows[i] = g_rand_int_range(random, 0, target.height);
    choose_pixels(check, target, rows, count, random);
    for (int i = 0; i < CHECK_ROWS * target.count && is_good; i++) {
        const int plane = i % target.count, y = rows[i / target.count];
        is_good = backend_read(frame->backend, row, planes_row(target, plane, y),
                               (size_t)target.width, err);
        for (int k = 0; k < count && is_good; k++) {
            struct check_sample *s = &check->samples[k];
            if (row_of(s, target) == plane * target.height + y)
                s->is = row[s->index % target.width];
        }
    }
    g_free(row);
    return is_good;
}

// ---- elements ----

static bool read_run(struct check *check, const struct frame *frame,
                     const struct frame_memory *memory, int array, long long first,
                     struct error *err)
{
    _Static_assert((int)CHECK_RUN <= (int)FRAME_READ_MOST, "a run is read at once");
    const int count = (int)MIN(CHECK_RUN, frame->arrays.places[array].count - first);
    double values[CHECK_RUN];
    if (!frame_read(frame, memory, array, first, count, values, err)) return false;
    for (int i = 0; i < count; i++) {
        struct check_sample *s = &check->samples[check->count++];
        s->array = array;
        s->index = first + i;
        s->is = values[i];
    }
    return true;
}

static bool look_behind(struct check *check, const struct frame *frame,
                        const struct frame_memory *memory, struct error *err)
{
    enum { MOST_BYTES = 512 };
    check->written_behind = 0;
    for (int i = 0; i < frame->arrays.count; i++) {
        unsigned char behind[MOST_BYTES];
        const struct array_place *place = &frame->arrays.places[i];
        const size_t bytes = array_end(place) - place->offset - place->bytes;
        if (!bytes) continue;
        const unsigned char *const at = frame_array(frame, memory, i);
        if (!backend_read(frame->backend, behind, at + place->bytes, bytes, err)) return false;
        for (size_t k = 0; k < bytes && !check->written_behind; k++)
            if (behind[k] != FRAME_POISON) check->written_behind = i + 1;
    }
    return true;
}

// Runs of each array: the first elements, the last ones, and others between.
static bool read_elements(struct check *check, const struct frame *frame,
                          const struct frame_memory *memory, GRand *random, struct error *err)
{
    int arrays[ARRAYS_MAX], count = 0;
    for (int i = 0; i < frame->arrays.count; i++)
        if (check->reference.elements[i]) arrays[count++] = i;
    check->count = 0;
    for (int i = 0; i < CHECK_RUNS; i++) {
        const int array = arrays[i % count], run = i / count;
        const long long elements = frame->arrays.places[array].count;
        const long long last = MAX(elements - CHECK_RUN, 0);
        if (run > (elements - 1) / CHECK_RUN) continue;  // earlier runs have them all
        const long long first = run == 0 || last == 0 ? MIN(run * (long long)CHECK_RUN, last)
                                : run == 1            ? last
                                           : (long long)(g_rand_double(random) * (double)last);
        if (!read_run(check, frame, memory, array, first, err)) return false;
    }
    return true;
}

bool check_read(struct check *check, const struct frame *frame, const struct frame_memory *memory,
                int count, unsigned int seed, struct error *err)
{
    GRand *random = g_rand_new_with_seed(seed);
    const struct planes picture = frame_target(frame, memory);
    const bool is_picture = frame->arrays.places[ARRAYS_OUT].picture.width > 0;
    const bool is_good = is_picture ? read_rows(check, frame, picture, count, random, err)
                                    : read_elements(check, frame, memory, random, err);
    g_rand_free(random);
    return is_good && look_behind(check, frame, memory, err);
}

// ---- comparing ----

bool check_sample_is_right(const struct check_sample *s)
{
    return s->is == s->wanted || (isnan(s->is) && isnan(s->wanted));
}

struct comparison {
    struct check *check;
    const atomic_bool *stop;
    atomic_uint *steps;
    struct image_difference found;
};

static void compare(void *data)
{
    struct comparison *c = data;
    struct check *check = c->check;
    const struct check_inputs *inputs = check->inputs;
    const void *arrays[ARRAYS_MAX] = {NULL};
    for (int i = 0; i < inputs->layout.count; i++) {
        const struct array_place *place = &inputs->layout.places[i];
        arrays[i] = place->picture.width ? (const void *)&inputs->picture
                    : place->is_shared   ? (const void *)check->reference.weights
                    : inputs->memory     ? (const void *)(inputs->memory + place->offset)
                                         : NULL;
    }
    for (int i = 0; i < check->count && !(c->stop && atomic_load(c->stop)); i++) {
        struct check_sample *s = &check->samples[i];
        atomic_fetch_add(c->steps, 1);
        if (!check->has_answers)
            s->wanted =
                check->reference.elements[s->array](arrays, check->reference.params, s->index);
        if (check_sample_is_right(s)) continue;
        const double difference = fabs(s->is - s->wanted);
        const int largest = difference < 1 ? 1 : difference < G_MAXINT ? (int)difference : G_MAXINT;
        const struct array_place *place = &inputs->layout.places[s->array];
        const long long row = s->index / place->columns, height = place->picture.height;
        if (largest > c->found.max)
            c->found = (struct image_difference){.count = c->found.count,
                                                 .max = largest,
                                                 .x = (int)(s->index % place->columns),
                                                 .y = (int)(height ? row % height : row),
                                                 .plane = height ? (int)(row / height) : s->array};
        c->found.count++;
    }
}

bool check_compare(struct check *check, const atomic_bool *stop, atomic_uint *steps,
                   struct image_difference *found, struct error *err)
{
    struct comparison c = {.check = check, .stop = stop, .steps = steps};
    const struct host_call call = {.name = "the REFERENCE",
                                   .run = compare,
                                   .data = &c,
                                   .steps = steps,
                                   .limit_ms = CHECK_LIMIT_MS,
                                   .stop = stop};
    if (!backend_call(check->reference.host, check->reference.module, &call, err)) return false;
    *found = c.found;
    if (!found->count && check->written_behind)
        *found = (struct image_difference){
            .count = 1, .max = G_MAXINT, .plane = check->written_behind - 1, .is_outside = true};
    return true;
}

// ---- a checker ----

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
