// viewer_marks.c -- outlines on the picture what a request of the lens touches, or says why not.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "screen/lens_model.h"
#include "viewer/viewer.h"

// Pixels of one row, side by side.
struct pixels {
    long long x, y, count;
};

// The pixels in which the picture shows what a lane touches. False: it does not.
static bool find_pixel(const struct viewer *v, int side, const struct lens_request *q, int lane,
                       struct pixels *at)
{
    struct lens_spot place;
    const struct pane_facts *now = viewer_facts(v, side);
    const struct filter *f = now->choice.filter;
    if (!lens_model_place(v->lens.sides[side].result, q, lane, &place)) return false;
    const struct lens_memory *memory = place.memory;
    *at = (struct pixels){place.x, place.y, place.count};
    if (filter_has_picture(f)) {
        if (memory->shape.width) return true;
        // Words of scratch are outlined as the pixels that they belong to.
        at->y = at->x / now->picture.width;
        at->x %= now->picture.width;
        return !strcmp(memory->name, "scratch") && at->y < now->picture.height;
    }
    const int array = arrays_shown(&now->choice, now->array);
    struct arrays_layout layout;
    struct error ignored;
    int columns, each;
    if (strcmp(memory->name, f->arrays[array].name) != 0 ||
        !arrays_plan(&layout, &now->choice, now->picture, &ignored))
        return false;
    array_picture(&f->arrays[array], &layout.places[array], &columns, &each);
    at->y = at->x / columns / each;
    at->x = at->x % columns / each;
    at->count = MAX(1, at->count / each);
    return true;
}

static int compare_pixels(const void *a, const void *b)
{
    const struct pixels *p = a, *q = b;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static void add_request(GArray *pixels, const struct viewer *v, int side,
                        const struct lens_request *q, unsigned int lanes)
{
    struct pixels at;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        if (q->active & lanes & 1u << lane && find_pixel(v, side, q, lane, &at))
            g_array_append_val(pixels, at);
}

// Neighbours in a row have one outline.
static void outline(struct overlay_marks *marks, const struct viewer *v, const GArray *all)
{
    const struct pixels *pixels = (const struct pixels *)all->data;
    double width, height;
    const struct viewport_box place = viewer_place(v, &width, &height);
    for (guint i = 0; i < all->len && marks->count < OVERLAY_MARKS;) {
        const struct pixels *first = &pixels[i];
        long long end = first->x;
        for (; i < all->len && pixels[i].y == first->y && pixels[i].x <= end; i++)
            end = MAX(end, pixels[i].x + pixels[i].count);
        marks->boxes[marks->count++] = (struct paint_box){place.left + (double)first->x * width,
                                                          place.top + (double)first->y * height,
                                                          (double)(end - first->x) * width, height};
    }
}

// Where the picture shows nothing of the request: why, and how to see it.
static void write_unseen(struct lens_view *view, const struct viewer *v)
{
    const struct lens_request *q = &view->request;
    const struct choice choice = viewer_choice(v, v->app.side);
    const struct filter *f = choice.filter;
    const struct lens_result *r = v->lens.sides[v->app.side].result;
    struct lens_spot spot = {.memory = NULL};
    for (int lane = 0; lane < MODEL_LANES && !spot.memory; lane++)
        if (q->active & 1u << lane) lens_model_place(r, q, lane, &spot);
    const int shown = arrays_shown(&choice, viewer_array(v, v->app.side));
    const int array = spot.memory ? arrays_find(f, spot.memory->name) : -1;
    if (array >= 0 && array != shown && !filter_has_picture(f))
        text_append(view->request_words, sizeof view->request_words,
                    " · array %s is not shown (n shows it)", spot.memory->name);
    else
        text_append(view->request_words, sizeof view->request_words,
                    " · the picture shows nothing of it");
}

void viewer_mark_request(struct viewer *v, struct lens_view *view, const struct lens_cursor *cursor)
{
    const int side = v->app.side;
    const struct lens_request *q = &view->request;
    g_autoptr(GArray) pixels = g_array_new(FALSE, FALSE, sizeof(struct pixels));
    const struct lens_pass *p = &v->lens.sides[side].result->passes[cursor->pass];
    if (q->space != TRACE_SHARED && q->space != TRACE_CONSTANT)
        add_request(pixels, v, side, q, q->active);
    else  // of memory that the picture does not show: what those lanes write in this pass
        for (int i = 0; i < p->step_count; i++)
            if (p->steps[i].warp == cursor->warp && p->steps[i].request.kind != TRACE_LOAD)
                add_request(pixels, v, side, &p->steps[i].request, q->active);
    g_array_sort(pixels, compare_pixels);
    outline(&v->screen.content.marks, v, pixels);
    if (!v->screen.content.marks.count) write_unseen(view, v);
}
