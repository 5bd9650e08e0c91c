// viewer_marks.c -- outlines on the picture what a request of the lens touches.
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "frame/lab.h"
#include "screen/lens_model.h"
#include "viewer/viewer.h"

// Neighbours in a row.
struct pixels {
    long long x, y, count;
};

// The pixels that a lane's thread writes, for memory that the picture does not show. False: the
// kernel shares its pixels out in its own way.
static bool find_own_pixels(const struct viewer *v, int side, const struct lens_cursor *cursor,
                            int lane, struct pixels *at)
{
    const struct caption_facts *now = viewer_facts(v, side);
    const struct lens_pass *p = &v->lens[side].result->passes[cursor->pass];
    const struct pass *written = &now->choice.variant->passes[cursor->pass];
    const int thread = cursor->warp * MODEL_LANES + lane, across = p->config.block_width;
    if (now->choice.filter->is_lab || written->columns.count || written->rows.count) return false;
    at->x = (p->block_x * (long long)across + thread % across) * written->each_x;
    at->y = (p->block_y * (long long)p->config.block_height + thread / across) * written->each_y;
    at->count = written->each_x;
    return at->x < now->picture.width && at->y < now->picture.height;
}

// The pixels in which the picture shows what a lane touches. False: it does not.
static bool find_pixel(const struct viewer *v, int side, const struct lens_request *q, int lane,
                       struct pixels *at)
{
    const struct lens_memory *memory;
    const struct caption_facts *now = viewer_facts(v, side);
    const struct filter *f = now->choice.filter;
    if (!lens_model_place(v->lens[side].result, q, lane, &memory, &at->x, &at->y)) return false;
    at->count = MAX(1, q->bytes / MAX(1, memory->element_bytes));
    if (!f->is_lab) return memory->shape.width > 0;
    const int array = arrays_shown(f, now->array);
    struct arrays_layout layout;
    struct error ignored;
    int columns, each;
    if (strcmp(memory->name, f->arrays[array].name) != 0 ||
        !arrays_plan(&layout, f, &now->choice.settings.params, &ignored))
        return false;
    lab_picture(&f->arrays[array], &layout.places[array], &columns, &each);
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

static struct overlay_mark mark_of(const struct viewer *v, const struct pixels *first,
                                   long long end)
{
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct viewport_box place = viewport_place(v->app.viewport, sizes);
    const double width = place.width / sizes.picture_width;
    const double height = place.height / sizes.picture_height;
    return (struct overlay_mark){place.left + (double)first->x * width,
                                 place.top + (double)first->y * height,
                                 (double)(end - first->x) * width, height};
}

static bool find(const struct viewer *v, int side, const struct lens_request *q,
                 const struct lens_cursor *cursor, int lane, struct pixels *at)
{
    const bool is_own = q->space == TRACE_SHARED || q->space == TRACE_CONSTANT;
    if (!(q->active & 1u << lane)) return false;
    return is_own ? find_own_pixels(v, side, cursor, lane, at) : find_pixel(v, side, q, lane, at);
}

// Pixels beside each other have one outline.
void viewer_mark_request(struct viewer *v, int side, const struct lens_request *q,
                         const struct lens_cursor *cursor)
{
    struct overlay_marks *marks = &v->content.marks;
    struct pixels pixels[MODEL_LANES];
    int count = 0;
    for (int lane = 0; lane < MODEL_LANES; lane++)
        count += find(v, side, q, cursor, lane, &pixels[count]);
    qsort(pixels, (size_t)count, sizeof pixels[0], compare_pixels);
    for (int i = 0; i < count;) {
        const struct pixels *first = &pixels[i];
        long long end = first->x;
        for (; i < count && pixels[i].y == first->y && pixels[i].x <= end; i++)
            end = MAX(end, pixels[i].x + pixels[i].count);
        marks->boxes[marks->count++] = mark_of(v, first, end);
    }
}
