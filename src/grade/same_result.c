#include "grade/same_result.h"

#include <glib.h>
#include <string.h>

#include "base/image.h"
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

// Both pieces hold elements from number `first` on.
static void compare_piece(struct difference *d, enum array_type type, const unsigned char *ours,
                          const unsigned char *theirs, long long first, long long count)
{
    for (long long i = 0; i < count; i++)
        if (difference_add(d, first + i, array_value(type, theirs, i), array_value(type, ours, i)))
            d->is_untouched = false;  // the poison may be right by chance
}

// Reads both, some megabytes at a time, since arrays may be larger than the host's memory.
static bool compare_array(const struct same_result *ours, const struct frame_memory *theirs,
                          int array, struct difference *d, struct error *why)
{
    enum { PIECE_BYTES = 16 << 20 };
    const enum array_type type = ours->frame.choice.filter->arrays[array].type;
    const struct array_place *place = &ours->frame.arrays.places[array];
    const unsigned char *const from[] = {workspace_arrays(&ours->workspace, 0).arrays,
                                         theirs->arrays};
    unsigned char *const pieces = g_malloc(2 * (size_t)PIECE_BYTES);
    bool is_read = true;
    for (size_t at = 0; at < place->bytes && is_read; at += PIECE_BYTES) {
        const size_t bytes = MIN(place->bytes - at, (size_t)PIECE_BYTES);
        const size_t element = array_type_bytes(type), offset = place->offset + at;
        is_read = backend_read(ours->backend, pieces, from[0] + offset, bytes, why) &&
                  backend_read(ours->backend, pieces + PIECE_BYTES, from[1] + offset, bytes, why);
        if (is_read && memcmp(pieces, pieces + PIECE_BYTES, bytes))
            compare_piece(d, type, pieces, pieces + PIECE_BYTES, (long long)(at / element),
                          (long long)(bytes / element));
    }
    g_free(pieces);
    return is_read;
}

static enum same_result_verdict compare_arrays(const struct same_result *ours,
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

static bool download(const struct same_result *r, struct planes from, struct image *picture,
                     struct error *why)
{
    return image_init(picture, from.width, from.height, from.count, why) &&
           backend_download(r->backend, picture->planes, from, why);
}

static enum same_result_verdict compare_pictures(const struct same_result *ours,
                                                 const struct frame_memory *theirs,
                                                 struct error *why)
{
    struct image wanted = {.planes = {.pixels = NULL}}, is = wanted;
    enum same_result_verdict verdict = SAME_RESULT_NOT_KNOWN;
    if (download(ours, workspace_memory(&ours->workspace, 0).target, &wanted, why) &&
        download(ours, theirs->target, &is, why)) {
        const struct image_difference d = image_compare(is.planes, wanted.planes);
        verdict = d.count ? SAME_RESULT_NO : SAME_RESULT_YES;
        if (d.count) difference_write_picture(&d, why->text, sizeof why->text);
    }
    image_finish(&wanted);
    image_finish(&is);
    return verdict;
}

enum same_result_verdict same_result_compare(const struct same_result *r,
                                             const struct frame_memory *memory, struct error *why)
{
    return (r->frame.choice.filter->is_lab ? compare_arrays : compare_pictures)(r, memory, why);
}
