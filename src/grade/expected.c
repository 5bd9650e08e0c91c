#include "grade/expected.h"

#include <glib.h>
#include <string.h>

#include "base/image.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "grade/difference.h"

struct expected {
    const struct filter *given;
    struct backend *backend;
    struct references references;
    struct module *module;
    struct trial trial;
    struct arrays_layout layout;  // of a lab
    struct image picture;         // of a filter
    unsigned char *before;        // of a lab: what the trial begins with
};

struct expected *expected_create(const struct filter *given, const char *include, struct error *err)
{
    char reasons[1024];
    struct expected *e = g_new0(struct expected, 1);
    e->given = given;
    e->backend = backend_open("cpu", reasons, sizeof reasons, err);
    if (e->backend) {
        backend_set_include(e->backend, include);
        references_open(&e->references, e->backend, NULL);
        e->module = frame_compile(e->backend, given, "", err);
    }
    if (e->module && filter_has_reference(given)) return e;
    if (e->module) error_set(err, "%s has no REFERENCE to compare with", given->name);
    expected_destroy(e);
    return NULL;
}

void expected_destroy(struct expected *e)
{
    if (!e) return;
    references_close(&e->references);
    if (e->module) backend_unload(e->backend, e->module);
    backend_close(e->backend);
    image_finish(&e->picture);
    g_free(e->before);
    g_free(e);
}

// ---- before ----

static void fill_rubbish(unsigned char *bytes, size_t begin, size_t end, unsigned int seed)
{
    for (size_t i = begin; i < end; i++)
        bytes[i] = (unsigned char)(((unsigned int)i + seed) * 2654435761u >> 24);
}

// All but the in arrays.
static void fill_beside(struct expected *e)
{
    size_t at = 0;
    for (int i = 0; i < e->layout.count; i++) {
        const struct array_place *place = &e->layout.places[i];
        const bool is_in = e->given->arrays[i].kind == ARRAY_IN;
        fill_rubbish(e->before, at, place->offset + (is_in ? 0 : place->bytes), e->trial.seed);
        at = place->offset + place->bytes;
    }
    fill_rubbish(e->before, at, e->layout.bytes, e->trial.seed);
}

static void turn_noise(struct expected *e, int array)
{
    const struct array_place *place = &e->layout.places[array];
    const size_t bytes = array_type_bytes(e->given->arrays[array].type);
    const size_t first = e->trial.seed % (size_t)place->count * bytes;
    unsigned char *const at = e->before + place->offset;
    unsigned char *const copy = g_memdup2(at, place->bytes);
    memcpy(at, copy + first, place->bytes - first);
    memcpy(at + place->bytes - first, copy, first);
    g_free(copy);
}

// A variant of the given file, since a frame has one; some do not take all sizes.
static bool plan(const struct expected *e, struct frame *frame, struct error *err)
{
    const struct planes none = {.pixels = NULL};
    for (int i = 0; i < e->given->variant_count; i++) {
        *frame = (struct frame){.backend = e->backend,
                                .choice = {.filter = e->given,
                                           .variant = &e->given->variants[i],
                                           .settings = {.params = e->trial.params}},
                                .module = e->module};
        if (frame_plan(frame, none, err)) return true;
    }
    return false;
}

static bool fill_arrays(struct expected *e, struct error *err)
{
    struct frame frame;
    void *arrays = NULL;
    if (!plan(e, &frame, err) || !backend_alloc(e->backend, e->layout.bytes, &arrays, err))
        return false;
    frame.arrays = e->layout;
    const struct frame_memory memory = {.arrays = arrays};
    const bool is_filled = frame_fill(&frame, &memory, err) &&
                           backend_read(e->backend, e->before, arrays, e->layout.bytes, err);
    backend_free(e->backend, arrays);
    return is_filled;
}

static bool begin_lab(struct expected *e, void *memory, size_t most, struct error *err)
{
    if (!trial_layout(&e->trial, e->given, &e->layout, err)) return false;
    if (e->layout.bytes > most)
        return error_set(err, "the arrays of a trial take %zu bytes", e->layout.bytes);
    g_free(e->before);
    e->before = g_malloc0(e->layout.bytes);
    if (!fill_arrays(e, err)) return false;
    for (int i = 0; i < e->given->array_count; i++)
        if (e->given->arrays[i].kind == ARRAY_IN && e->given->arrays[i].fill == ARRAY_NOISE)
            turn_noise(e, i);
    fill_beside(e);
    memcpy(memory, e->before, e->layout.bytes);
    return true;
}

static bool begin_filter(struct expected *e, void *memory, size_t most, struct error *err)
{
    const struct trial *t = &e->trial;
    image_finish(&e->picture);
    if (!image_init(&e->picture, t->width, t->height, t->planes, err)) return false;
    image_fill_noise(e->picture.planes, t->seed);
    const size_t bytes = planes_bytes(e->picture.planes);
    if (bytes > most) return error_set(err, "the picture of a trial takes %zu bytes", bytes);
    memcpy(memory, e->picture.planes.pixels, bytes);
    return true;
}

bool expected_begin(struct expected *e, const struct trial *trial, void *memory, size_t most,
                    struct error *err)
{
    e->trial = *trial;
    return e->given->is_lab ? begin_lab(e, memory, most, err) : begin_filter(e, memory, most, err);
}

// ---- after ----

static bool is_same(const struct expected *e, const unsigned char *after, size_t begin, size_t end)
{
    return !memcmp(e->before + begin, after + begin, end - begin);
}

static struct difference compare_array(const struct expected *e, int array,
                                       const unsigned char *after)
{
    struct reference reference;
    void *pointers[ARRAYS_MAX] = {NULL};
    const struct array_place *place = &e->layout.places[array];
    const bool has_reference =
        reference_find(&reference, e->backend, e->module, e->given, &e->trial.params);
    const size_t bytes = array_type_bytes(e->given->arrays[array].type);
    struct difference found = {.of = place->count};
    for (int i = 0; i < e->given->array_count; i++)
        pointers[i] = e->before + e->layout.places[i].offset;
    for (long long i = 0; has_reference && i < place->count; i++) {
        const double is = array_value(e->given->arrays[array].type, after + place->offset, i);
        const double wanted = reference_value(&reference, pointers, array, place->columns, i);
        const size_t at = place->offset + (size_t)i * bytes;
        if (difference_add(&found, i, is, wanted) && found.count == 1)
            found.is_untouched = is_same(e, after, at, at + bytes);
    }
    return found;
}

static bool is_array_right(const struct expected *e, int array, const unsigned char *after,
                           char *what, size_t size)
{
    const struct array *const a = &e->given->arrays[array];
    if (!a->has_reference) return true;
    const struct difference d = compare_array(e, array, after);
    if (d.count) difference_write(&d, a->name, &e->layout.places[array], what, size);
    return !d.count;
}

// What lies between the arrays, and the in arrays, stay as they were.
static bool is_intact(const struct expected *e, const unsigned char *after, char *what, size_t size)
{
    const struct arrays_layout *l = &e->layout;
    for (int i = 0; i < l->count; i++) {
        const size_t begin = l->places[i].offset, end = begin + l->places[i].bytes;
        const size_t next = i + 1 < l->count ? l->places[i + 1].offset : l->bytes;
        const char *const name = e->given->arrays[i].name;
        const bool is_in = e->given->arrays[i].kind == ARRAY_IN;
        const char *where = i == 0 && !is_same(e, after, 0, begin)    ? "before"
                            : !is_same(e, after, end, next)           ? "behind"
                            : is_in && !is_same(e, after, begin, end) ? "into"
                                                                      : NULL;
        if (!where) continue;
        g_snprintf(what, (gulong)size, "something is written %s %s%s", where, name,
                   is_in && !strcmp(where, "into") ? ", which is only to be read" : "");
        return false;
    }
    return true;
}

static enum expected_verdict verdict_of(bool is_right)
{
    return is_right ? EXPECTED_RIGHT : EXPECTED_WRONG;
}

static bool is_lab_right(const struct expected *e, const unsigned char *after, char *what,
                         size_t size)
{
    for (int i = 0; i < e->given->array_count; i++)
        if (!is_array_right(e, i, after, what, size)) return false;
    return is_intact(e, after, what, size);
}

static enum expected_verdict check_picture(const struct expected *e, const unsigned char *after,
                                           char *what, size_t size)
{
    struct image wanted = {.planes = {.pixels = NULL}};
    struct reference *reference = g_new0(struct reference, 1);
    const struct planes shape = e->picture.planes;
    const bool has_result = reference_wait(reference, &e->references, e->given, &e->trial.params) &&
                            image_init(&wanted, shape.width, shape.height, shape.count, NULL);
    struct image_difference found = {.count = 0};
    if (has_result) {
        reference_run(reference, wanted.planes, shape);
        found = image_compare(planes_at(shape, (unsigned char *)after), wanted.planes);
    }
    g_free(reference);
    image_finish(&wanted);
    if (!has_result) {
        char params[256];
        filter_write_params(e->given, &e->trial.params, params, sizeof params);
        g_snprintf(what, (gulong)size, "the REFERENCE of %s does not run with %s", e->given->name,
                   params);
        return EXPECTED_NOT_KNOWN;
    }
    if (found.count) difference_write_picture(&found, what, size);
    return verdict_of(!found.count);
}

enum expected_verdict expected_check(const struct expected *e, const void *memory, char *what,
                                     size_t size)
{
    if (!e->given->is_lab) return check_picture(e, memory, what, size);
    return verdict_of(is_lab_right(e, memory, what, size));
}
