#include "frame/workspace.h"

#include <glib.h>
#include <string.h>

void workspace_add_needs(struct arrays_layout *most, const struct arrays_layout *layout)
{
    if (!most->count) *most = *layout;
    most->bytes = MAX(most->bytes, layout->bytes);
    most->own_bytes = MAX(most->own_bytes, layout->own_bytes);
    most->shared_bytes = MAX(most->shared_bytes, layout->shared_bytes);
}

size_t workspace_bytes(const struct arrays_layout *layout, int pairs)
{
    return (size_t)pairs * (layout->bytes + layout->own_bytes) + layout->shared_bytes;
}

size_t workspace_held(const struct workspace *w)
{
    return w->pictures.bytes + w->arrays.bytes + w->own.bytes + w->shared.bytes;
}

// ---- memory ----

static bool is_of_picture(const struct arrays_layout *layout)
{
    return layout->places[ARRAYS_IN].picture.width > 0;
}

// Copies what is in the first pair into the others.
static bool spread(struct workspace *w, const struct workspace_room *room, size_t one,
                   struct error *err)
{
    unsigned char *const first = room->memory;
    const size_t all = one * (size_t)w->pairs;
    for (size_t done = one; done < all; done *= 2)
        if (!backend_copy(w->backend, first + done, first, MIN(done, all - done), err))
            return false;
    return true;
}

// *is_new: what was there is lost.
static bool reserve(struct workspace *w, struct workspace_room *room, size_t bytes, bool *is_new,
                    struct error *err)
{
    void *larger;
    *is_new = bytes > room->bytes;
    if (!*is_new) return true;
    if (!backend_alloc(w->backend, bytes, &larger, err)) return false;
    backend_free(w->backend, room->memory);
    *room = (struct workspace_room){larger, bytes};
    return true;
}

bool workspace_init(struct workspace *w, struct backend *b, struct planes picture, int pairs,
                    struct error *err)
{
    struct workspace made = {.backend = b, .picture = planes_at(picture, NULL), .pairs = pairs};
    bool is_new;
    arrays_plan(&made.layout, &(struct choice){.filter = NULL}, picture, NULL);
    if (!picture.pixels ||
        (reserve(&made, &made.pictures, made.layout.bytes * (size_t)pairs, &is_new, err) &&
         backend_upload(b, planes_at(picture, made.pictures.memory), picture, err) &&
         spread(&made, &made.pictures, made.layout.bytes, err))) {
        *w = made;
        return true;
    }
    backend_wait(b, NULL);
    workspace_finish(&made);
    return false;
}

void workspace_finish(struct workspace *w)
{
    void *const all[] = {w->pictures.memory, w->arrays.memory, w->own.memory, w->shared.memory};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) backend_free(w->backend, all[i]);
    *w = (struct workspace){0};
}

void workspace_drop_arrays(struct workspace *w)
{
    if (!w->arrays.memory) return;
    backend_free(w->backend, w->arrays.memory);
    w->arrays = (struct workspace_room){.memory = NULL};
    w->filling = (struct workspace_filling){.filter = NULL};
}

bool workspace_reserve(struct workspace *w, const struct arrays_layout *layout, struct error *err)
{
    const size_t all = layout->bytes * (size_t)w->pairs;
    bool is_new;
    if (!is_of_picture(layout)) {
        if (all > w->arrays.bytes) workspace_drop_arrays(w);  // the two together may not fit
        if (!reserve(w, &w->arrays, all, &is_new, err)) return false;
    }
    if (!reserve(w, &w->shared, layout->shared_bytes, &is_new, err)) return false;
    if (is_new) w->filling.module = NULL;
    if (!reserve(w, &w->own, layout->own_bytes * (size_t)w->pairs, &is_new, err)) return false;
    if (is_new) w->filling.variant = NULL;
    w->layout = *layout;
    return true;
}

struct frame_memory workspace_memory(const struct workspace *w, const struct arrays_layout *layout,
                                     int pair)
{
    unsigned char *const arrays = is_of_picture(layout) ? w->pictures.memory : w->arrays.memory;
    unsigned char *const own = w->own.memory;
    return (struct frame_memory){
        .arrays = arrays ? arrays + (size_t)pair * layout->bytes : NULL,
        .own = layout->own_bytes ? own + (size_t)pair * layout->own_bytes : NULL,
        .shared = w->shared.memory,
    };
}

struct frame_memory workspace_of(const struct workspace *w, const struct frame *frame)
{
    return workspace_memory(w, &frame->arrays, 0);
}

// ---- what is in it ----

bool workspace_prepare(struct workspace *w, const struct frame *frame, struct error *err)
{
    if (atomic_exchange(&w->is_cut, false)) workspace_forget(w);
    if (!workspace_reserve(w, &frame->arrays, err)) return false;
    const struct choice *c = &frame->choice;
    struct workspace_filling *const is = &w->filling;
    struct frame_memory memory = workspace_of(w, frame);
    const bool is_same =
        is->filter == c->filter && !memcmp(&is->params, &c->settings.params, sizeof is->params);
    const bool has_constants = !c->filter->has_constants || is->module == frame->module;
    memory.is_cut = &w->is_cut;  // the workspace hears of it if this is cancelled
    if (!is_same) *is = (struct workspace_filling){.filter = NULL};
    if (!c->variant) return true;
    // Variants share a prepared source if the same kernel prepares it. In a lab, any other variant
    // may write over what was prepared.
    const struct variant *v = c->variant, *by = is->variant;
    const bool has_prepared = !*v->prepare || by == v ||
                              (by && frame->arrays.own_bytes && !strcmp(by->prepare, v->prepare));
    if (is_same && has_constants && has_prepared) {
        if (!*v->prepare) is->variant = NULL;
        return frame_warm_up(frame, &memory, err);
    }
    if ((!is_same || !has_constants) && !frame_fill(frame, &memory, err)) return false;
    *is = (struct workspace_filling){c->filter, c->settings.params, frame->module, is->variant};
    if (!has_prepared) {
        is->variant = NULL;
        if (!frame_prepare(frame, &memory, err)) return false;
        is->variant = v;
    }
    return (is_of_picture(&frame->arrays) || spread(w, &w->arrays, frame->arrays.bytes, err)) &&
           spread(w, &w->own, frame->arrays.own_bytes, err) && frame_warm_up(frame, &memory, err);
}

void workspace_forget_weights(struct workspace *w)
{
    w->filling.module = NULL;
}

void workspace_forget(struct workspace *w)
{
    w->filling = (struct workspace_filling){.filter = NULL};
}
