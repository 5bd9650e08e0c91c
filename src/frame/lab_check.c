#include "frame/lab_check.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "frame/lab.h"
#include "frame/references.h"

static const size_t PIECE_BYTES = 16 << 20;

// ---- the in arrays in host memory ----

bool lab_data_is_of(const struct lab_data *data, const struct frame *frame)
{
    const struct choice *c = &frame->choice;
    return data->lab == c->filter &&
           !memcmp(&data->params, &c->settings.params, sizeof data->params);
}

bool lab_data_begin(struct lab_data *data, const struct frame *frame, struct error *err)
{
    lab_data_finish(data);
    unsigned char *const memory = g_try_malloc(frame->arrays.bytes);
    if (!memory) return error_set(err, "no memory for a copy of the arrays");
    *data = (struct lab_data){.memory = memory,
                              .layout = frame->arrays,
                              .lab = frame->choice.filter,
                              .params = frame->choice.settings.params};
    return true;
}

bool lab_data_step(struct lab_data *data, const struct frame *frame,
                   const struct frame_memory *memory, bool *is_complete, struct error *err)
{
    while (data->array < data->lab->array_count &&
           (data->lab->arrays[data->array].kind != ARRAY_IN ||
            data->done == data->layout.places[data->array].bytes)) {
        data->array++;
        data->done = 0;
    }
    *is_complete = data->array == data->lab->array_count;
    if (*is_complete) return true;
    const struct array_place *place = &data->layout.places[data->array];
    const size_t bytes = MIN(PIECE_BYTES, place->bytes - data->done);
    const size_t at = place->offset + data->done;
    data->done += bytes;
    return backend_read(frame->backend, data->memory + at,
                        (const unsigned char *)memory->arrays + at, bytes, err);
}

void lab_data_finish(struct lab_data *data)
{
    g_free(data->memory);
    *data = (struct lab_data){0};
}

// ---- elements of the out arrays ----

lab_reference *lab_check_reference(struct backend *host, const struct module *references,
                                   const char *array)
{
    char *name = g_strconcat("reference_", array, NULL);
    void *const address = backend_function(host, references, name);
    lab_reference *function = NULL;
    memcpy(&function, &address, sizeof address);  // C has no cast between the two
    g_free(name);
    return function;
}

bool lab_check_init(struct lab_check *check, const struct frame *frame, const struct lab_data *data,
                    struct backend *host, const struct module *references)
{
    const struct filter *lab = frame->choice.filter;
    bool has_any = false;
    *check = (struct lab_check){.lab = lab, .layout = frame->arrays, .data = data};
    check->host = host;
    check->module = references;
    memcpy(check->params, frame->params, sizeof check->params);
    for (int i = 0; i < lab->array_count; i++) {
        if (!lab->arrays[i].has_reference) continue;
        check->references[i] = lab_check_reference(host, references, lab->arrays[i].name);
        has_any |= check->references[i] != NULL;
    }
    return has_any;
}

// ---- reading ----

// The first elements, the last ones, and others between.
static long long place_of_run(int run, long long count, GRand *random)
{
    const long long last = MAX(count - LAB_CHECK_RUN, 0);
    if (run == 0 || last == 0) return MIN(run * (long long)LAB_CHECK_RUN, last);
    return run == 1 ? last : (long long)(g_rand_double(random) * (double)last);
}

static bool read_run(const struct lab_check_run *run, unsigned char *values,
                     const struct frame *frame, const struct frame_memory *memory,
                     struct error *err)
{
    const size_t bytes = array_type_bytes(frame->choice.filter->arrays[run->array].type);
    return backend_read(frame->backend, values,
                        (const unsigned char *)memory->arrays +
                            frame->arrays.places[run->array].offset + (size_t)run->first * bytes,
                        (size_t)run->count * bytes, err);
}

static bool look_behind(struct lab_check *check, const struct frame *frame,
                        const struct frame_memory *memory, struct error *err)
{
    enum { MOST_BYTES = 512 };
    check->written_behind = 0;
    for (int i = 0; i < check->lab->array_count; i++) {
        unsigned char behind[MOST_BYTES];
        size_t end;
        const size_t begin = lab_behind(frame, i, &end), bytes = MIN(end - begin, sizeof behind);
        if (bytes && !backend_read(frame->backend, behind,
                                   (const unsigned char *)memory->arrays + begin, bytes, err))
            return false;
        for (size_t k = 0; k < bytes && !check->written_behind; k++)
            if (behind[k] != FRAME_POISON) check->written_behind = i + 1;
    }
    return true;
}

bool lab_check_read(struct lab_check *check, const struct frame *frame,
                    const struct frame_memory *memory, unsigned int seed, struct error *err)
{
    GRand *random = g_rand_new_with_seed(seed);
    int arrays[ARRAYS_MAX], count = 0;
    bool is_good = look_behind(check, frame, memory, err);
    for (int i = 0; i < check->lab->array_count; i++)
        if (check->references[i]) arrays[count++] = i;
    check->run_count = 0;
    for (int i = 0; is_good && i < LAB_CHECK_RUNS; i++) {
        struct lab_check_run *run = &check->runs[check->run_count];
        run->array = arrays[i % count];
        const struct array_place *place = &frame->arrays.places[run->array];
        if (i / count > (place->count - 1) / LAB_CHECK_RUN) continue;  // earlier runs have them all
        check->run_count++;
        run->first = place_of_run(i / count, place->count, random);
        run->count = (int)MIN(LAB_CHECK_RUN, place->count - run->first);
        is_good = read_run(run, run->values, frame, memory, err);
    }
    g_rand_free(random);
    return is_good;
}

// ---- comparing ----

static void compare_element(const struct lab_check *check, const struct lab_check_run *run, int at,
                            const void *pointers, struct lab_check_pair *pair,
                            struct image_difference *found)
{
    const struct array_place *place = &check->layout.places[run->array];
    const long long i = run->first + at;
    const double wanted = check->has_answers
                              ? pair->wanted
                              : check->references[run->array](pointers, check->params, i);
    const double is = array_value(check->lab->arrays[run->array].type, run->values, at);
    if (pair) *pair = (struct lab_check_pair){run->array, is, wanted};
    if (is == wanted || (isnan(is) && isnan(wanted))) return;
    const double difference = fabs(is - wanted);
    const int largest = difference < 1 ? 1 : difference < G_MAXINT ? (int)difference : G_MAXINT;
    if (largest > found->max)
        *found = (struct image_difference){.count = found->count,
                                           .max = largest,
                                           .x = (int)(i % place->columns),
                                           .y = (int)(i / place->columns),
                                           .plane = run->array};
    found->count++;
}

struct comparison {
    const struct lab_check *check;
    const atomic_bool *stop;
    atomic_uint *steps;
    struct image_difference found;
};

static void compare(void *data)
{
    struct comparison *c = data;
    const struct lab_check *check = c->check;
    struct lab_check_pair *pair = check->pairs;
    void *pointers[ARRAYS_MAX] = {NULL};
    for (int i = 0; i < check->lab->array_count; i++)
        pointers[i] = check->data->memory + check->data->layout.places[i].offset;
    for (int i = 0; i < check->run_count; i++)
        for (int k = 0; k < check->runs[i].count && !(c->stop && atomic_load(c->stop)); k++) {
            atomic_fetch_add(c->steps, 1);
            compare_element(check, &check->runs[i], k, pointers, pair ? pair++ : NULL, &c->found);
        }
}

bool lab_check_compare(const struct lab_check *check, const atomic_bool *stop, atomic_uint *steps,
                       struct image_difference *found, struct error *err)
{
    struct comparison c = {.check = check, .stop = stop, .steps = steps};
    const struct host_call call = {.name = "the REFERENCE",
                                   .run = compare,
                                   .data = &c,
                                   .steps = steps,
                                   .limit_ms = REFERENCES_LIMIT_MS,
                                   .stop = stop};
    if (!backend_call(check->host, check->module, &call, err)) return false;
    *found = c.found;
    if (!found->count && check->written_behind)
        *found = (struct image_difference){
            .count = 1, .max = G_MAXINT, .plane = check->written_behind - 1, .is_outside = true};
    return true;
}

int lab_check_count(const struct lab_check *check)
{
    int count = 0;
    for (int i = 0; i < check->run_count; i++) count += check->runs[i].count;
    return count;
}
