#include "frame/workspace.h"

#include <glib.h>
#include <string.h>

#include "frame/library_frame.h"

// A picture of other planes than prepare= wants is refused before it needs anything.
static bool has_own_pictures(const struct filter *f, const struct variant *v, struct planes picture)
{
    if (!*v->prepare) return false;
    const int planes = f->untimed[filter_untimed(f, v->prepare)].planes;
    return !planes || planes == picture.count;
}

static struct workspace_needs needs_of(const struct filter *f, const struct variant *v,
                                       struct planes picture)
{
    const size_t own = has_own_pictures(f, v, picture) ? 2 * planes_bytes(picture) : 0;
    const size_t pixels = (size_t)picture.width * (size_t)picture.height * (size_t)picture.count;
    return (struct workspace_needs){.scratch_bytes = v->pass_count > 1 ? 4 * pixels : 0,
                                    .own_bytes = own};
}

void workspace_add_needs(struct workspace_needs *needs, const struct filter *f,
                         const struct variant *v, struct planes picture)
{
    const struct workspace_needs more = needs_of(f, v, picture);
    needs->scratch_bytes = MAX(needs->scratch_bytes, more.scratch_bytes);
    needs->own_bytes = MAX(needs->own_bytes, more.own_bytes);
}

size_t workspace_bytes(struct planes picture, int pairs, struct workspace_needs needs)
{
    return (size_t)pairs * (2 * planes_bytes(picture) + needs.own_bytes) + needs.scratch_bytes;
}

size_t workspace_held(const struct workspace *w)
{
    return w->backend ? workspace_bytes(w->picture, w->pairs, w->reserved) + w->arrays_reserved : 0;
}

// Copies what is in the first pair into the others.
static bool spread(struct workspace *w, void *memory, size_t one, struct error *err)
{
    unsigned char *const first = memory;
    const size_t all = one * (size_t)w->pairs;
    for (size_t done = one; done < all; done *= 2)
        if (!backend_copy(w->backend, first + done, first, MIN(done, all - done), err))
            return false;
    return true;
}

bool workspace_init(struct workspace *w, struct backend *b, struct planes picture, int pairs,
                    struct error *err)
{
    struct workspace made = {.backend = b, .picture = planes_at(picture, NULL), .pairs = pairs};
    const size_t bytes = planes_bytes(picture) * (size_t)pairs;
    if (!picture.pixels) {
        *w = made;
        return true;
    }
    if (backend_alloc(b, bytes, &made.sources, err) &&
        backend_alloc(b, bytes, &made.targets, err) &&
        backend_alloc(b, FRAME_WEIGHTS_BYTES, &made.weights, err) &&
        backend_upload(b, planes_at(picture, made.sources), picture, err) &&
        spread(&made, made.sources, planes_bytes(picture), err)) {
        *w = made;
        return true;
    }
    backend_wait(b, NULL);
    workspace_finish(&made);
    return false;
}

void workspace_finish(struct workspace *w)
{
    void *const all[] = {w->sources, w->targets, w->scratch, w->own, w->weights, w->arrays};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) backend_free(w->backend, all[i]);
    *w = (struct workspace){0};
}

static bool reserve(struct workspace *w, size_t bytes, size_t times, void **memory, size_t *had,
                    struct error *err)
{
    void *larger;
    if (bytes <= *had) return true;
    if (!backend_alloc(w->backend, bytes * times, &larger, err)) return false;
    backend_free(w->backend, *memory);
    *memory = larger;
    *had = bytes;
    return true;
}

static void forget_own(struct workspace *w)
{
    w->own_filling = (struct workspace_filling){.filter = NULL};
}

bool workspace_reserve(struct workspace *w, struct workspace_needs needs, struct error *err)
{
    const size_t own_before = w->reserved.own_bytes;
    const bool is_there =
        reserve(w, needs.scratch_bytes, 1, &w->scratch, &w->reserved.scratch_bytes, err) &&
        reserve(w, needs.own_bytes, (size_t)w->pairs, &w->own, &w->reserved.own_bytes, err);
    if (w->reserved.own_bytes != own_before) forget_own(w);
    return is_there;
}

static bool has_weights(const struct workspace *w, const struct frame *frame)
{
    const struct param_values *params = &frame->choice.settings.params;
    return !frame->choice.filter->weights || (w->weights_module == frame->module &&
                                              !memcmp(&w->weights_params, params, sizeof *params));
}

// Whether the choice's own source is there: that of another variant will do, if one kernel made it.
static bool has_own(const struct workspace *w, const struct choice *c)
{
    const struct workspace_filling *own = &w->own_filling;
    return own->filter == c->filter && !strcmp(own->variant->prepare, c->variant->prepare) &&
           !memcmp(&own->params, &c->settings.params, sizeof own->params);
}

static bool is_first_good(const struct workspace *w, struct error *err)
{
    return !w->first_prepared || w->first_prepared(w->data, err);
}

// Memory that is filled: the workspace hears of it if that is cancelled.
static struct frame_memory watched(struct workspace *w, struct frame_memory memory)
{
    memory.is_cut = &w->is_cut;
    return memory;
}

// ---- arrays ----

void workspace_drop_arrays(struct workspace *w)
{
    if (!w->arrays) return;
    backend_free(w->backend, w->arrays);
    w->arrays = NULL;
    w->arrays_reserved = 0;
    w->filling = (struct workspace_filling){.filter = NULL};
}

static bool reserve_arrays(struct workspace *w, size_t bytes, struct error *err)
{
    const size_t all = bytes * (size_t)w->pairs;
    w->arrays_bytes = bytes;
    if (all <= w->arrays_reserved) return true;
    void *larger;
    workspace_drop_arrays(w);  // first: the two together may not fit
    if (!backend_alloc(w->backend, all, &larger, err)) return false;
    w->arrays = larger;
    w->arrays_reserved = all;
    return true;
}

bool workspace_reserve_arrays(struct workspace *w, const struct arrays_layout *layout,
                              struct error *err)
{
    w->filling = (struct workspace_filling){.filter = NULL};
    if (!reserve_arrays(w, layout->bytes, err)) return false;
    w->layout = *layout;
    return true;
}

static bool fill(struct workspace *w, const struct frame *frame, struct error *err)
{
    if (!workspace_reserve_arrays(w, &frame->arrays, err)) return false;
    for (int pair = 0; pair < w->pairs; pair++) {
        const struct frame_memory memory = watched(w, workspace_arrays(w, pair));
        if (!frame_fill(frame, &memory, err)) return false;
    }
    w->filling.filter = frame->choice.filter;
    w->filling.params = frame->choice.settings.params;
    return true;
}

static bool prepare_arrays(struct workspace *w, const struct frame *frame, struct error *err)
{
    const struct choice *c = &frame->choice;
    const bool is_filled =
        w->filling.filter == c->filter &&
        !memcmp(&w->filling.params, &c->settings.params, sizeof w->filling.params);
    if (!is_filled && !c->variant) return workspace_reserve_arrays(w, &frame->arrays, err);
    if (!is_filled && !fill(w, frame, err)) return false;
    w->layout = frame->arrays;
    if (!c->variant || w->filling.variant == c->variant) return true;
    w->filling.variant = NULL;  // any variant may write over what was prepared for another
    if (!*c->variant->prepare) return true;
    for (int pair = 0; pair < w->pairs; pair++) {
        const struct frame_memory memory = watched(w, workspace_arrays(w, pair));
        if (!frame_prepare(frame, &memory, err)) return false;
        if (pair == 0 && !is_first_good(w, err)) return false;
    }
    w->filling.variant = c->variant;
    return true;
}

struct frame_memory workspace_arrays(const struct workspace *w, int pair)
{
    return (struct frame_memory){.arrays =
                                     (unsigned char *)w->arrays + (size_t)pair * w->arrays_bytes};
}

// ---- both ----

struct frame workspace_copy(const struct workspace *w)
{
    return (struct frame){.backend = w->backend, .arrays = w->layout};
}

struct frame_memory workspace_copy_memory(const struct workspace *w, int pair)
{
    return w->layout.count ? workspace_arrays(w, pair) : workspace_memory(w, pair);
}

static bool prepare_picture(struct workspace *w, const struct frame *frame, struct error *err)
{
    const struct choice *c = &frame->choice;
    w->layout.count = 0;
    if (!workspace_reserve(w, needs_of(c->filter, c->variant, w->picture), err)) return false;
    const bool has_all = !*c->variant->prepare || has_own(w, c);
    if (has_weights(w, frame) && has_all) return true;

    const struct frame_memory memory = watched(w, workspace_memory(w, 0));
    w->weights_module = NULL;
    if (!has_all) forget_own(w);
    if (!frame_prepare(frame, &memory, err) || !is_first_good(w, err)) return false;
    if (!has_all && !spread(w, w->own, w->reserved.own_bytes, err)) return false;
    if (!has_all)
        w->own_filling = (struct workspace_filling){c->filter, c->variant, c->settings.params};
    w->weights_module = frame->module;
    w->weights_params = c->settings.params;
    return true;
}

bool workspace_prepare(struct workspace *w, const struct frame *frame, struct error *err)
{
    const bool is_lab = frame->choice.filter->is_lab;
    if (atomic_exchange(&w->is_cut, false)) workspace_forget(w);
    if (!(is_lab ? prepare_arrays : prepare_picture)(w, frame, err)) return false;
    const struct frame_memory memory = workspace_of(w, frame);
    return library_frame_warm_up(frame, &memory, err);
}

void workspace_forget_weights(struct workspace *w)
{
    w->weights_module = NULL;
}

void workspace_forget(struct workspace *w)
{
    workspace_forget_weights(w);
    forget_own(w);
    w->filling = (struct workspace_filling){.filter = NULL};
}

struct frame_memory workspace_memory(const struct workspace *w, int pair)
{
    const size_t at = (size_t)pair * planes_bytes(w->picture);
    unsigned char *const own = w->own;
    return (struct frame_memory){
        .source = planes_at(w->picture, (unsigned char *)w->sources + at),
        .target = planes_at(w->picture, (unsigned char *)w->targets + at),
        .scratch = w->scratch,
        .own = own ? own + (size_t)pair * w->reserved.own_bytes : NULL,
        .weights = w->weights,
    };
}

struct frame_memory workspace_of(const struct workspace *w, const struct frame *frame)
{
    return frame->choice.filter->is_lab ? workspace_arrays(w, 0) : workspace_memory(w, 0);
}
