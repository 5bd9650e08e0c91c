#include "grade/same_result.h"

#include <glib.h>
#include <string.h>

#include "base/image.h"
#include "frame/frame.h"
#include "frame/workspace.h"
#include "grade/difference.h"

// One of the two, with memory of its own. Zeroed: nothing has run.
struct run {
    struct module *module;
    struct frame frame;
    struct workspace workspace;
};

// ---- running ----

static bool plan(struct run *u, const struct same_result *r, const struct filter *f,
                 const struct variant *v, struct error *why)
{
    u->frame = (struct frame){
        .backend = r->backend,
        .choice = {.filter = f, .variant = v, .settings = {.params = r->params}},
        .module = u->module,
    };
    return frame_plan(&u->frame, r->picture, why);
}

// Of the given file the first variant that takes this size.
static bool plan_any(struct run *u, const struct same_result *r, const struct filter *f,
                     struct error *why)
{
    for (int i = 0; i < f->variant_count; i++)
        if (plan(u, r, f, &f->variants[i], why)) return true;
    return false;
}

static struct frame_memory memory_of(const struct run *u)
{
    return workspace_of(&u->workspace, &u->frame);
}

// v: NULL for any.
static bool prepare(struct run *u, const struct same_result *r, const struct filter *f,
                    const struct variant *v, struct error *why)
{
    u->module = frame_compile(r->backend, f, "", why);
    return u->module && (v ? plan(u, r, f, v, why) : plan_any(u, r, f, why)) &&
           workspace_init(&u->workspace, r->backend, r->picture, 1, why) &&
           workspace_prepare(&u->workspace, &u->frame, why);
}

static bool run(const struct run *u, struct error *why)
{
    const struct frame_memory memory = memory_of(u);
    return frame_poison(&u->frame, &memory, why) && frame_run(&u->frame, &memory, why) &&
           frame_finish(&u->frame, &memory, why) && backend_wait(u->frame.backend, why);
}

// What it leaves in the last of some launches: one that only the first of them fills is wrong.
static bool run_often(const struct run *u, struct error *why)
{
    enum { LAUNCHES = 10 };
    for (int i = 0; i < LAUNCHES; i++)
        if (!run(u, why)) return false;
    return true;
}

static void finish(struct run *u, struct backend *b)
{
    backend_wait(b, NULL);
    workspace_finish(&u->workspace);
    if (u->module) backend_unload(b, u->module);
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
static bool compare_array(const struct run *ours, const struct run *theirs, int array,
                          struct difference *d, struct error *why)
{
    enum { PIECE_BYTES = 16 << 20 };
    struct backend *const b = ours->frame.backend;
    const enum array_type type = ours->frame.choice.filter->arrays[array].type;
    const struct array_place *place = &ours->frame.arrays.places[array];
    const unsigned char *const from[] = {memory_of(ours).arrays, memory_of(theirs).arrays};
    unsigned char *const pieces = g_malloc(2 * (size_t)PIECE_BYTES);
    bool is_read = true;
    for (size_t at = 0; at < place->bytes && is_read; at += PIECE_BYTES) {
        const size_t bytes = MIN(place->bytes - at, (size_t)PIECE_BYTES);
        const size_t element = array_type_bytes(type), offset = place->offset + at;
        is_read = backend_read(b, pieces, from[0] + offset, bytes, why) &&
                  backend_read(b, pieces + PIECE_BYTES, from[1] + offset, bytes, why);
        if (is_read && memcmp(pieces, pieces + PIECE_BYTES, bytes))
            compare_piece(d, type, pieces, pieces + PIECE_BYTES, (long long)(at / element),
                          (long long)(bytes / element));
    }
    g_free(pieces);
    return is_read;
}

static enum same_result_verdict compare_arrays(const struct run *ours, const struct run *theirs,
                                               struct error *why)
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

static bool download(const struct run *u, struct image *picture, struct error *why)
{
    const struct planes p = u->frame.picture;
    return image_init(picture, p.width, p.height, p.count, why) &&
           backend_download(u->frame.backend, picture->planes, memory_of(u).target, why);
}

static enum same_result_verdict compare_pictures(const struct run *ours, const struct run *theirs,
                                                 struct error *why)
{
    struct image wanted = {.planes = {.pixels = NULL}}, is = wanted;
    enum same_result_verdict verdict = SAME_RESULT_NOT_KNOWN;
    if (download(ours, &wanted, why) && download(theirs, &is, why)) {
        const struct image_difference d = image_compare(is.planes, wanted.planes);
        verdict = d.count ? SAME_RESULT_NO : SAME_RESULT_YES;
        if (d.count) difference_write_picture(&d, why->text, sizeof why->text);
    }
    image_finish(&wanted);
    image_finish(&is);
    return verdict;
}

// All memory is taken before anything runs, so that theirs holds no result of ours.
enum same_result_verdict same_result_check(const struct same_result *r, struct error *why)
{
    struct run ours = {.module = NULL}, theirs = ours;
    enum same_result_verdict verdict = SAME_RESULT_NOT_KNOWN;
    if (prepare(&ours, r, r->given, NULL, why) &&
        prepare(&theirs, r, r->submitted, r->variant, why) && run(&ours, why))
        verdict = !run_often(&theirs, why) ? SAME_RESULT_NO
                  : r->given->is_lab       ? compare_arrays(&ours, &theirs, why)
                                           : compare_pictures(&ours, &theirs, why);
    finish(&theirs, r->backend);
    finish(&ours, r->backend);
    return verdict;
}
