#include "grade/same_result.h"

#include <glib.h>
#include <string.h>

#include "frame/frame.h"
#include "frame/workspace.h"
#include "grade/difference.h"

struct same_result {
    struct backend *backend;
    struct module *module;
    struct frame frame;
    struct workspace workspace;
};

// ---- running ----

static bool plan(struct same_result *r, const struct same_result_setup *setup,
                 const struct variant *v, struct error *why)
{
    r->frame = (struct frame){
        .backend = setup->backend,
        .choice = {.filter = setup->given, .variant = v, .settings = {.params = setup->params}},
        .module = r->module,
    };
    return frame_plan(&r->frame, setup->picture, why);
}

// The first variant that takes this size.
static bool plan_any(struct same_result *r, const struct same_result_setup *setup,
                     struct error *why)
{
    for (int i = 0; i < setup->given->variant_count; i++)
        if (plan(r, setup, &setup->given->variants[i], why)) return true;
    return false;
}

static bool run(struct same_result *r, const struct same_result_setup *setup, struct error *why)
{
    r->module = frame_compile(r->backend, setup->given, "", why);
    if (!r->module || !plan_any(r, setup, why) ||
        !workspace_init(&r->workspace, r->backend, setup->picture, 1, why) ||
        !workspace_prepare(&r->workspace, &r->frame, why))
        return false;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->frame);
    return frame_poison(&r->frame, &memory, why) && frame_run(&r->frame, &memory, why) &&
           frame_finish(&r->frame, &memory, why) && backend_wait(r->backend, why);
}

struct same_result *same_result_create(const struct same_result_setup *setup, struct error *why)
{
    struct same_result *r = g_new0(struct same_result, 1);
    r->backend = setup->backend;
    if (run(r, setup, why)) return r;
    same_result_destroy(r);
    return NULL;
}

void same_result_destroy(struct same_result *r)
{
    if (!r) return;
    backend_wait(r->backend, NULL);
    workspace_finish(&r->workspace);
    if (r->module) backend_unload(r->backend, r->module);
    g_free(r);
}

// ---- comparing ----

// Both pieces lie at that offset of an array.
static void compare_piece(struct difference *d, const struct array *a,
                          const struct array_place *place, const unsigned char *ours,
                          const unsigned char *theirs, size_t offset, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += array_type_bytes(a->type)) {
        const long long i = array_index(a, place, offset + at);
        if (i >= 0 && difference_add(d, i, array_value(a->type, theirs + at, 0),
                                     array_value(a->type, ours + at, 0)))
            d->is_untouched = false;  // the poison may be right by chance
    }
}

// Reads both, some megabytes at a time, since arrays may be larger than the host's memory.
static bool compare_array(const struct same_result *ours, const struct frame_memory *theirs,
                          int array, struct difference *d, struct error *why)
{
    enum { PIECE_BYTES = 16 << 20 };
    const struct frame_memory memory = workspace_of(&ours->workspace, &ours->frame);
    const struct array_place *place = &ours->frame.arrays.places[array];
    const unsigned char *const from[] = {frame_array(&ours->frame, &memory, array),
                                         frame_array(&ours->frame, theirs, array)};
    unsigned char *const pieces = g_malloc(2 * (size_t)PIECE_BYTES);
    bool is_read = true;
    for (size_t at = 0; at < place->bytes && is_read; at += PIECE_BYTES) {
        const size_t bytes = MIN(place->bytes - at, (size_t)PIECE_BYTES);
        is_read = backend_read(ours->backend, pieces, from[0] + at, bytes, why) &&
                  backend_read(ours->backend, pieces + PIECE_BYTES, from[1] + at, bytes, why);
        if (is_read && memcmp(pieces, pieces + PIECE_BYTES, bytes))
            compare_piece(d, &ours->frame.choice.filter->arrays[array], place, pieces,
                          pieces + PIECE_BYTES, at, bytes);
    }
    g_free(pieces);
    return is_read;
}

enum same_result_verdict same_result_compare(const struct same_result *ours,
                                             const struct frame_memory *theirs, struct error *why)
{
    const struct filter *f = ours->frame.choice.filter;
    for (int i = 0; i < f->array_count; i++) {
        const struct array_place *place = &ours->frame.arrays.places[i];
        struct difference d = {.of = place->count};
        if (!f->arrays[i].has_reference) continue;
        if (!compare_array(ours, theirs, i, &d, why)) return SAME_RESULT_NOT_KNOWN;
        if (!d.count) continue;
        difference_write(&d, f->arrays[i].name, place, why->text, sizeof why->text);
        return SAME_RESULT_NO;
    }
    return SAME_RESULT_YES;
}
