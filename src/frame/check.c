#include "frame/check.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/wall.h"

static const size_t PIECE_BYTES = 16 << 20;

// The processor time, in milliseconds, that a reference may take for one pixel or element before it
// counts as endless. The slowest of the program's own takes half a second: one bin of 2^30 bytes.
enum { LIMIT_MS = 3000 };

// A frame's inputs, copied to host memory. Arrays are laid out as on the device, but only the in
// arrays are copied. {0}: nothing.
struct inputs {
    struct planes picture;  // borrowed
    unsigned char *memory;
    struct arrays_layout layout;
    const struct filter *filter;
    struct param_values params;
    int array;    // the one that is being copied; all before it are there
    size_t done;  // of its bytes
};

struct checker {
    GThreadPool *pool;  // of one thread
    GMutex lock;
    GCond changed;
    enum checker_state state;  // RUNNING: the thread has it, or will soon
    atomic_bool stop;          // the running check's result no longer matters
    struct inputs inputs;
    struct reference reference;
    struct tolerance tolerances[ARRAYS_MAX][ARRAYS_MAX_FIELDS];  // of each field of an array's
    int fields[ARRAYS_MAX];
    struct check_sample samples[CHECK_MOST + CHECK_LINES];
    int count;
    int needed;          // of them; the others, on lines, are compared while there is time
    int written_behind;  // the number of an array from 1, behind which something was written; or 0
    int answers;         // so many samples were compared before: they keep what was wanted
    bool keeps_answers;
    struct planes pair[2];          // pixels NULL: the samples are compared
    atomic_uint steps;              // samples compared so far
    struct image_difference found;  // the thread's, until the state says that it is there
    struct error failure;           // the same
};

// ---- what a frame began with ----

static void finish_inputs(struct inputs *inputs)
{
    g_free(inputs->memory);
    *inputs = (struct inputs){.memory = NULL};
}

// The bytes up to the end of the last in array that is no picture.
static size_t inputs_bytes(const struct frame *frame)
{
    size_t bytes = 0;
    for (int i = 0; i < frame->arrays.count; i++)
        if (array_is_filled(&frame->choice.filter->arrays[i]))
            bytes = frame->arrays.places[i].offset + frame->arrays.places[i].bytes;
    return bytes;
}

// Copies the next piece of the inputs, or all of them. WAITS: there is more to copy.
static enum checker_state bring_inputs(struct checker *c, const struct checker_task *task,
                                       struct error *err)
{
    const struct frame *frame = task->frame;
    const struct param_values *params = &frame->choice.settings.params;
    struct inputs *inputs = &c->inputs;
    if (inputs->filter != frame->choice.filter ||
        memcmp(&inputs->params, params, sizeof *params) != 0 ||
        inputs->picture.pixels != task->source.pixels) {
        const size_t bytes = inputs_bytes(frame);
        finish_inputs(inputs);
        c->answers = 0;
        unsigned char *const memory = bytes ? g_try_malloc(bytes) : NULL;
        if (bytes && !memory) return CHECKER_IMPOSSIBLE;
        *inputs = (struct inputs){.picture = task->source,
                                  .memory = memory,
                                  .layout = frame->arrays,
                                  .filter = frame->choice.filter,
                                  .params = *params};
    }
    do {
        while (inputs->array < inputs->layout.count &&
               (!array_is_filled(&inputs->filter->arrays[inputs->array]) ||
                inputs->done == inputs->layout.places[inputs->array].bytes)) {
            inputs->array++;
            inputs->done = 0;
        }
        if (inputs->array == inputs->layout.count) return CHECKER_RUNNING;
        const struct array_place *place = &inputs->layout.places[inputs->array];
        const size_t bytes = MIN(PIECE_BYTES, place->bytes - inputs->done);
        const size_t at = place->offset + inputs->done;
        inputs->done += bytes;
        if (!backend_read(frame->backend, inputs->memory + at,
                          (const unsigned char *)task->memory->arrays + at, bytes, err))
            return CHECKER_LOST;
    } while (task->most_bytes > 0);
    return CHECKER_WAITS;
}

// ---- samples ----

// A plane of a picture, or an array: rows of elements, one behind the other.
struct area {
    int array, columns;
    long long first, elements;
};

// Returns the first element of a run: at a corner, at an edge between two corners, or anywhere.
// *span is the length from which its samples are taken. At the left and the right edge they are
// neighbours; elsewhere they lie apart, so that they come from many blocks.
static long long choose_run(const struct area *a, int number, GRand *random, int *span)
{
    enum { LAST_CORNER = 3 };
    const bool is_corner = number <= LAST_CORNER, is_far = number & 8;
    const bool is_side = is_corner || number % 8 == 4, is_end = is_corner || number % 8 == 5;
    *span = is_side ? CHECK_RUN : CLAMP(a->columns, CHECK_RUN, CHECK_SPAN);
    const long long rows = a->elements / a->columns, end = a->elements - *span;
    const int last = MAX(a->columns - *span, 0);
    int x = g_rand_int_range(random, 0, last + 1);
    long long y = (long long)(g_rand_double(random) * (double)MAX(rows - 2, 1)) + (rows > 2);
    if (is_side) x = (is_corner ? number & 1 : is_far) ? last : 0;
    if (is_end) y = (is_corner ? number & 2 : is_far) ? rows - 1 : 0;
    return number == LAST_CORNER ? end : MIN(y * a->columns + x, end);
}

static void add_sample(struct checker *c, int array, long long index, double is)
{
    struct check_sample *s = &c->samples[c->count++];  // it may keep what was wanted
    s->array = array;
    s->index = index;
    s->is = is;
}

// Takes elements of an area, each a step behind the last, as many as there is room for.
static bool take_line(struct checker *c, const struct checker_task *task, const struct area *a,
                      long long from, int step, long long elements, int room, struct error *err)
{
    const int span = step == 1 ? CHECK_SPAN : 1;
    for (long long at = 0; at < MIN(elements, room); at += span) {
        const int count = (int)MIN(span, MIN(elements, room) - at);
        const long long index = a->first + from + at * step;
        double values[CHECK_SPAN];
        if (!frame_read(task->frame, task->memory, a->array, index, count, values, err))
            return false;
        for (int k = 0; k < count; k++) add_sample(c, a->array, index + k, values[k]);
    }
    return true;
}

// A row of an area, and a column if its elements need not be fetched from a GPU one by one.
static bool take_lines(struct checker *c, const struct checker_task *task, const struct area *a,
                       int room, GRand *random, struct error *err)
{
    const int rows = (int)MIN(a->elements / a->columns, G_MAXINT);
    const bool is_near = !backend_device(task->frame->backend)->is_gpu;
    const long long row = g_rand_int_range(random, 0, rows);
    const int column = g_rand_int_range(random, 0, a->columns);
    return take_line(c, task, a, row * a->columns, 1, a->columns, room / 2, err) &&
           (!is_near || take_line(c, task, a, column, a->columns, rows, room / 2, err));
}

static bool take_samples(struct checker *c, const struct checker_task *task, GRand *random,
                         struct error *err)
{
    _Static_assert((int)CHECK_SPAN <= (int)FRAME_READ_MOST, "a run is read at once");
    struct area areas[ARRAYS_MAX + PLANES_MAX_PLANES];
    int area_count = 0;
    for (int i = 0; i < task->frame->arrays.count; i++) {
        const struct array_place *place = &task->frame->arrays.places[i];
        const int planes = MAX(place->picture.count, 1);
        const long long elements = place->count / planes;
        for (int plane = 0; c->reference.elements[i] && plane < planes; plane++)
            areas[area_count++] = (struct area){i, place->columns, plane * elements, elements};
    }
    const int runs = (task->samples ? task->samples : CHECK_SAMPLES) / CHECK_RUN;
    c->count = 0;
    for (int run = 0; run < runs; run++) {
        const struct area *a = &areas[run % area_count];
        const long long number = run / area_count;
        const bool is_small = a->elements <= (long long)CHECK_RUN * (runs / area_count);
        int span = CHECK_RUN;
        const long long at =
            is_small ? number * CHECK_RUN : choose_run(a, (int)number, random, &span);
        double values[CHECK_SPAN];
        span = (int)CLAMP(a->elements - at, 0, span);
        if (span &&
            !frame_read(task->frame, task->memory, a->array, a->first + at, span, values, err))
            return false;
        for (int k = 0, count = MIN(span, CHECK_RUN); k < count; k++) {  // one in each part
            const int offset = g_rand_int_range(random, k * span / count, (k + 1) * span / count);
            add_sample(c, a->array, a->first + at + offset, values[offset]);
        }
    }
    c->needed = c->count;
    for (int i = 0; i < area_count && task->has_lines; i++)
        if (areas[i].elements > MAX((long long)CHECK_RUN * (runs / area_count), areas[i].columns) &&
            !take_lines(c, task, &areas[i], CHECK_LINES / area_count, random, err))
            return false;
    return true;
}

static bool look_behind(struct checker *c, const struct frame *frame,
                        const struct frame_memory *memory, struct error *err)
{
    enum { MOST_BYTES = 512 };
    c->written_behind = 0;
    for (int i = 0; i < frame->arrays.count; i++) {
        unsigned char behind[MOST_BYTES];
        const struct array_place *place = &frame->arrays.places[i];
        const size_t bytes = array_end(place) - place->offset - place->bytes;
        const unsigned char *const at = frame_array(frame, memory, i);
        if (!bytes || !at) continue;
        if (!backend_read(frame->backend, behind, at + place->bytes, bytes, err)) return false;
        for (size_t k = 0; k < bytes && !c->written_behind; k++)
            if (behind[k] != FRAME_POISON + i) c->written_behind = i + 1;
    }
    return true;
}

// ---- comparing ----

static void compare(void *data)
{
    struct checker *c = data;
    const double begun_ms = wall_thread_ms();
    struct image_difference *found = &c->found;
    const struct inputs *inputs = &c->inputs;
    const void *arrays[ARRAYS_MAX] = {NULL};
    for (int i = 0; i < inputs->layout.count; i++) {
        const struct array_place *place = &inputs->layout.places[i];
        arrays[i] = place->picture.width ? (const void *)&inputs->picture
                    : place->is_shared   ? (const void *)c->reference.weights
                    : inputs->memory     ? (const void *)(inputs->memory + place->offset)
                                         : NULL;
    }
    for (int i = 0; i < c->count && !atomic_load(&c->stop); i++) {
        struct check_sample *s = &c->samples[i];
        if (i >= c->needed && wall_thread_ms() - begun_ms > CHECK_LINES_MS) break;
        atomic_fetch_add(&c->steps, 1);
        if (i >= c->answers)
            s->wanted = c->reference.elements[s->array](arrays, c->reference.params, s->index);
        const struct tolerance t = c->tolerances[s->array][s->index % c->fields[s->array]];
        const double error = tolerance_error(t, s->is, s->wanted), before = found->error;
        found->error = fmax(error, before);
        if ((s->is_right = error <= t.most)) continue;
        const double difference = fabs(s->is - s->wanted);
        const int largest = difference < 1 ? 1 : difference < G_MAXINT ? (int)difference : G_MAXINT;
        const struct array_place *place = &inputs->layout.places[s->array];
        const long long row = s->index / place->columns, height = place->picture.height;
        found->count++;
        if (largest < found->max || (largest == found->max && error <= before)) continue;
        found->max = largest;
        found->x = (int)(s->index % place->columns);
        found->y = (int)(height ? row % height : row);
        found->plane = height ? (int)(row / height) : s->array;
    }
}

// ---- the thread ----

static void work(gpointer data, gpointer unused)
{
    (void)unused;
    struct checker *c = data;
    const struct host_call call = {.name = "the reference",
                                   .run = compare,
                                   .data = c,
                                   .steps = &c->steps,
                                   .limit_ms = LIMIT_MS,
                                   .stop = &c->stop};
    bool is_good = true;  // else the reference faulted, or did not come back
    c->found = (struct image_difference){0};
    if (c->pair[0].pixels)
        c->found = image_compare(c->pair[0], c->pair[1]);
    else
        is_good = backend_call(c->reference.host, c->reference.module, &call, &c->failure);
    if (is_good && !c->pair[0].pixels && !c->found.count && c->written_behind)
        c->found = (struct image_difference){
            .count = 1, .max = G_MAXINT, .plane = c->written_behind - 1, .is_outside = true};
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    const bool is_whole = !atomic_load(&c->stop);
    if (!c->pair[0].pixels) c->count = (int)atomic_load(&c->steps);
    c->state = !is_whole ? CHECKER_NONE : is_good ? CHECKER_DONE : CHECKER_FAILED;
    c->answers = c->keeps_answers && is_whole && is_good ? c->count : 0;
    g_cond_broadcast(&c->changed);
}

struct checker *checker_create(void)
{
    struct checker *c = g_new0(struct checker, 1);
    g_mutex_init(&c->lock);
    g_cond_init(&c->changed);
    c->pool = g_thread_pool_new(work, NULL, 1, TRUE, NULL);
    return c;
}

void checker_destroy(struct checker *c)
{
    if (!c) return;
    checker_forget(c);
    g_thread_pool_free(c->pool, FALSE, TRUE);
    g_mutex_clear(&c->lock);
    g_cond_clear(&c->changed);
    g_free(c);
}

static void drain(struct checker *c)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    atomic_store(&c->stop, true);
    while (c->state == CHECKER_RUNNING) g_cond_wait(&c->changed, &c->lock);
    c->state = CHECKER_NONE;
}

void checker_forget(struct checker *c)
{
    drain(c);
    finish_inputs(&c->inputs);
    c->answers = 0;
}

// ---- a check ----

static void ask(struct checker *c, struct planes a, struct planes b)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    atomic_store(&c->stop, false);
    atomic_store(&c->steps, 0);
    c->pair[0] = a;
    c->pair[1] = b;
    c->state = CHECKER_RUNNING;
    g_thread_pool_push(c->pool, c, NULL);
}

void checker_begin_pair(struct checker *c, struct planes a, struct planes b)
{
    drain(c);
    c->keeps_answers = false;
    ask(c, a, b);
}

enum checker_state checker_begin(struct checker *c, const struct checker_task *task,
                                 struct error *err)
{
    const struct choice *choice = &task->frame->choice;
    const struct filter *f = choice->filter;
    struct reference reference;
    if (task->most_bytes > 0 && (double)inputs_bytes(task->frame) > task->most_bytes)
        return CHECKER_IMPOSSIBLE;
    if (!task->references) return CHECKER_IMPOSSIBLE;
    const enum builder_state built =
        reference_get(&reference, task->references, f, &choice->settings.params);
    if (built != BUILDER_READY)
        return built == BUILDER_BUILDING ? CHECKER_WAITS : CHECKER_IMPOSSIBLE;
    drain(c);
    const enum checker_state brought = bring_inputs(c, task, err);
    if (brought != CHECKER_RUNNING) return brought;
    c->reference = reference;
    for (int i = 0; i < f->array_count; i++)
        for (int k = 0; k < (c->fields[i] = array_fields(&f->arrays[i])); k++)
            c->tolerances[i][k] = filter_tolerance(f, choice->variant, &f->arrays[i], k);
    c->keeps_answers = task->keeps_answers;
    if (!task->keeps_answers) c->answers = 0;
    g_autoptr(GRand) random = g_rand_new_with_seed(task->keeps_answers ? 1 : g_random_int());
    const bool is_taken =
        take_samples(c, task, random, err) && look_behind(c, task->frame, task->memory, err);
    if (!is_taken) return CHECKER_LOST;
    ask(c, (struct planes){0}, (struct planes){0});
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
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    const enum checker_state state = c->state;
    if (state == CHECKER_DONE) *result = c->found;
    if (state == CHECKER_FAILED) error_set(err, "%s", c->failure.text);
    return state;
}

double checker_progress(struct checker *c)
{
    G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&c->lock);
    return c->state == CHECKER_RUNNING && !c->pair[0].pixels
               ? (double)atomic_load(&c->steps) / MAX(c->count, 1)
               : 0;
}

const struct check_sample *checker_samples(const struct checker *c, int *count)
{
    *count = c->count;
    return c->samples;
}

// ---- rounding ----

static const double MOST_ROUNDING = 1e-3;  // of the largest magnitude
enum { FEW = 4 };                          // so few sums may be among the inputs by chance

static double larger(double largest, double value)
{
    return isfinite(value) ? fmax(largest, fabs(value)) : largest;
}

static bool explains_array(const struct checker *c, int array)
{
    // The wanted values that no in array has held yet.
    g_autoptr(GHashTable) missing = g_hash_table_new(g_double_hash, g_double_equal);
    double largest = 0;     // finite magnitude
    long long longest = 0;  // side
    for (int i = 0; i < c->count; i++) {
        if (c->samples[i].array != array) continue;
        largest = larger(largest, c->samples[i].wanted);
        g_hash_table_add(missing, (gpointer)(uintptr_t)&c->samples[i].wanted);
    }
    const bool has_few = g_hash_table_size(missing) < FEW;
    for (int i = 0; i < c->inputs.layout.count; i++) {
        const struct array *a = &c->inputs.filter->arrays[i];
        const struct array_place *place = &c->inputs.layout.places[i];
        if (!array_is_filled(a) || !array_has_reals(a)) continue;
        for (long long k = 0; k < place->count; k++) {
            const enum array_type type = array_type_at(a, k);
            if (!array_types[type].is_real) continue;
            const double value =
                array_value(type, c->inputs.memory + place->offset + array_offset(a, place, k), 0);
            largest = larger(largest, value);
            if (g_hash_table_size(missing)) g_hash_table_remove(missing, &value);
        }
        for (int k = 0; k < a->dimensions; k++) longest = MAX(longest, place->sides[k]);
    }
    const double part = fmin((double)(longest + 1) * 0x1p-24, MOST_ROUNDING);
    bool is_explained = has_few || g_hash_table_size(missing) > 0;
    for (int i = 0; i < c->count && is_explained; i++) {
        const struct check_sample *s = &c->samples[i];
        if (s->array != array || s->is == s->wanted) continue;
        // Any order of an infinite sum is infinite or not a number.
        if (isfinite(s->is))
            is_explained = fabs(s->is - s->wanted) <= part * largest;
        else if (isfinite(s->wanted))
            is_explained = largest * (double)longest > (double)FLT_MAX;
    }
    return is_explained;
}

bool checker_rounding_explains(const struct checker *c)
{
    bool has_seen[ARRAYS_MAX] = {false};
    for (int i = 0; i < c->count; i++) {
        const int array = c->samples[i].array;
        if (c->samples[i].is_right || has_seen[array]) continue;
        has_seen[array] = true;
        const struct array *const a = &c->inputs.filter->arrays[array];
        if (array_type_at(a, c->samples[i].index) != ARRAY_FLOAT || !explains_array(c, array))
            return false;
    }
    return true;
}
