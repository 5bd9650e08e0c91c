#include "grade/expected.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/image.h"
#include "frame/frame.h"
#include "frame/reference.h"

bool difference_add(struct difference *d, struct tolerance t, long long i, double is, double wanted)
{
    if (tolerance_error(t, is, wanted) <= t.most) return false;
    if (!d->count++) {
        d->first = i;
        d->is = is;
        d->wanted = wanted;
    }
    if (fabs(is - wanted) > d->most) {
        d->worst = i;
        d->most = fabs(is - wanted);
    }
    return true;
}

void difference_write(const struct difference *d, const struct array *a,
                      const struct array_place *place, struct error *what)
{
    char at[128], is[64];
    if (place->picture.width) {
        error_set(what,
                  "the picture is wrong: %lld samples differ, the most at x %lld, y %lld, by %.0f",
                  d->count, d->worst % place->columns,
                  d->worst / place->columns % place->picture.height, d->most);
        return;
    }
    if (a->record.count)
        array_write_element(a->name, &a->record, place->rows > 1 ? d->first / place->columns : -1,
                            d->first % place->columns, at, sizeof at);
    else if (place->rows > 1)
        g_snprintf(at, sizeof at, "row %lld, column %lld", d->first / place->columns,
                   d->first % place->columns);
    else
        g_snprintf(at, sizeof at, "element %lld", d->first);
    g_snprintf(is, sizeof is, "is %.9g", d->is);
    error_set(what, "%s is wrong: at %s it %s and should be %.9g (%lld of %lld elements are wrong)",
              a->name, at, d->is_untouched ? "is not written" : is, d->wanted, d->count, d->of);
}

struct expected {
    const struct filter *given;
    struct backend *backend;
    struct references references;
    struct reference reference;  // with the params of the trial
    struct module *module;
    struct trial trial;
    struct arrays_layout layout;
    unsigned char *before;  // what the trial begins with
};

struct expected *expected_create(const struct filter *given, const char *include, struct error *err)
{
    struct expected *e = g_new0(struct expected, 1);
    e->given = given;
    e->backend = backend_open("cpu", NULL, 0, err);
    if (e->backend) {
        backend_set_include(e->backend, include);
        references_open(&e->references, e->backend, NULL);
        e->module = frame_build_one(e->backend, &(struct choice){.filter = given},
                                    (struct build){.params = NULL}, err);
        e->references.module = e->module;
    }
    if (e->module && filter_has_reference(given)) return e;
    if (e->module) error_set(err, "%s has no reference to compare with", given->name);
    expected_destroy(e);
    return NULL;
}

void expected_destroy(struct expected *e)
{
    if (!e) return;
    references_close(&e->references);
    if (e->module) backend_unload(e->backend, e->module);
    backend_close(e->backend);
    g_free(e->before);
    g_free(e);
}

// ---- before ----

// A picture of the trial, in a piece of memory with its arrays.
static struct planes picture_in(const struct expected *e, const unsigned char *arrays, int array)
{
    const struct array_place *place = &e->layout.places[array];
    return planes_at(place->picture, (unsigned char *)arrays + place->offset);
}

bool expected_begin(struct expected *e, const struct trial *trial, void *memory, size_t most,
                    struct error *err)
{
    e->trial = *trial;
    if (!trial_layout(&e->trial, e->given, &e->layout, err)) return false;
    if (!reference_wait(&e->reference, &e->references, e->given, &trial->params))
        return error_set(err, "the reference of %s does not run with %s", e->given->name,
                         filter_write_params(e->given, &trial->params).text);
    if (e->layout.bytes > most)
        return error_set(err, "the arrays of a trial take %zu bytes", e->layout.bytes);
    g_free(e->before);
    e->before = g_malloc(e->layout.bytes);
    for (size_t i = 0; i < e->layout.bytes; i++)  // rubbish beside the in arrays
        e->before[i] = (unsigned char)(((unsigned int)i + trial->seed) * 2654435761u >> 24);
    // A frame needs a variant to fill the in arrays: the first of the given file that takes this
    // size.
    struct frame frame;
    void *arrays = NULL;
    bool is_planned = false;
    for (int i = 0; i < e->given->variant_count && !is_planned; i++) {
        frame =
            (struct frame){.backend = e->backend,
                           .choice = {e->given, &e->given->variants[i], {.params = trial->params}},
                           .module = e->module};
        is_planned = frame_plan(&frame, trial_picture(trial), err);
    }
    if (!is_planned || !backend_alloc(e->backend, e->layout.bytes, &arrays, err)) return false;
    frame.arrays = e->layout;
    const struct frame_memory of_frame = {.arrays = arrays};
    const bool is_filled = backend_write(e->backend, arrays, e->before, e->layout.bytes, err) &&
                           frame_fill(&frame, &of_frame, err) &&
                           backend_read(e->backend, e->before, arrays, e->layout.bytes, err);
    backend_free(e->backend, arrays);
    if (!is_filled) return false;
    for (int i = 0; i < e->given->array_count; i++) {
        const struct array *a = &e->given->arrays[i];
        if (a->kind == ARRAY_IN && array_is_noise(a)) {  // turned by the seed
            const struct array_place *place = &e->layout.places[i];
            const size_t first = trial->seed % (place->bytes / array_step(a)) * array_step(a);
            unsigned char *const at = e->before + place->offset;
            g_autofree unsigned char *copy = g_memdup2(at, place->bytes);
            memcpy(at, copy + first, place->bytes - first);
            memcpy(at + place->bytes - first, copy, first);
        }
        if (a->from)
            memcpy(e->before + e->layout.places[i].offset,
                   e->before + e->layout.places[a->from - 1].offset, e->layout.places[i].bytes);
        if (a->kind == ARRAY_IN && filter_has_picture(e->given))
            image_fill_noise(picture_in(e, e->before, i), e->trial.seed);
    }
    memcpy(memory, e->before, e->layout.bytes);
    return true;
}

// ---- after ----

bool expected_check(const struct expected *e, const void *memory, struct error *what)
{
    const unsigned char *const after = memory;
    const void *pointers[ARRAYS_MAX] = {NULL};
    const struct planes picture = picture_in(e, e->before, ARRAYS_IN);
    for (int i = 0; i < e->given->array_count; i++)
        pointers[i] = e->before + e->layout.places[i].offset;
    if (picture.width) pointers[ARRAYS_IN] = &picture;
    for (int i = 0; i < e->given->array_count; i++) {
        const struct array *a = &e->given->arrays[i];
        const struct array_place *place = &e->layout.places[i];
        struct difference d = {.of = place->count};
        for (long long k = 0; a->has_reference && k < place->count; k++) {
            const enum array_type type = array_type_at(a, k);
            const struct tolerance t = filter_tolerance(e->given, NULL, a, k);
            const size_t begin = place->offset + array_offset(a, place, k);
            const double is = array_value(type, after + begin, 0);
            const double wanted = e->reference.elements[i](pointers, e->reference.params, k);
            if (difference_add(&d, t, k, is, wanted) && d.count == 1)
                d.is_untouched = !memcmp(e->before + begin, after + begin, array_types[type].bytes);
        }
        if (!d.count) continue;
        difference_write(&d, a, place, what);
        return false;
    }
    return trial_is_intact(e->given, &e->layout, e->before, after, what);
}
