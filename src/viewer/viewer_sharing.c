// viewer_sharing.c -- what the lens has found, on the picture: outlines of what a request touches,
// and the job that shows how many requests, warps or blocks touch each sector of an array
// (lens/sharing.h), in place of a side's picture, with a legend that names the sector under the
// cursor.
//
// For a lab, the sectors are those of the shown array; for a filter, those of the memory that the
// lens's request touches, or else of its input. A pixel has the colour of the sector that it lies
// in.
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "lens/sharing.h"
#include "screen/lens_model.h"
#include "viewer/viewer.h"

// The layout of a picture's pixels in a piece of memory. A pixel stands for each × each elements.
struct pixel_layout {
    int width, height, each;
    size_t pitch, element_bytes;
    struct array_record record;  // if the elements are fields of records
};

// The map drawn over a side.
struct drawn {
    struct tracing_request of;  // filter NULL: nothing is
    enum sharing_by by;
    int memory;  // index into the result's
    struct pixel_layout layout;
};

struct sharing_side {  // the job has one for each side
    struct drawn drawn;
    struct sharing *of_block;  // of drawn.of, where that is a block; owned
    unsigned int most;         // the largest count
    struct legend legend;      // low empty: there is none
};

static const char *const nouns[] = {
    [SHARING_REQUESTS] = "request", [SHARING_WARPS] = "warp", [SHARING_BLOCKS] = "block"};

// ---- where ----

// The name of the memory that the lens's request touches, if the picture can show that.
static const char *find_name(const struct viewer *v, int side)
{
    const struct pane_facts *now = viewer_facts(v, side);
    const struct filter *f = now->choice.filter;
    const struct lens_result *r = v->lens.sides[side].result;
    struct lens_cursor cursor = v->lens.cursors[side];
    if (!filter_has_picture(f)) return f->arrays[now->array].name;
    const struct lens_step *step = r ? lens_model_find(r, &cursor) : NULL;
    for (int lane = 0; step && lane < MODEL_LANES; lane++) {
        const struct lens_memory *m = lens_result_memory_at(r, &step->request, lane);
        if (m && (m->shape.width || !strcmp(m->name, "scratch"))) return m->name;
    }
    return "in";
}

static bool find_layout(struct pixel_layout *l, const struct viewer *v, int side,
                        const struct lens_memory *m)
{
    const struct pane_facts *now = viewer_facts(v, side);
    const struct pane_array shown = pane_shown_array(now);
    const bool is_picture = m->shape.width > 0;
    const size_t bytes = (size_t)(is_picture ? lens_result_pixel_bytes(m) : m->element_bytes);
    if (filter_has_picture(now->choice.filter))
        *l = (struct pixel_layout){now->picture.width,
                                   now->picture.height,
                                   1,
                                   is_picture ? (size_t)m->shape.pitch
                                              : bytes * (size_t)now->picture.width,
                                   bytes,
                                   {.count = 0}};
    else
        *l = (struct pixel_layout){shown.picture.width,
                                   shown.picture.height,
                                   shown.step,
                                   bytes * (size_t)shown.columns / (size_t)MAX(m->record.count, 1),
                                   bytes,
                                   m->record};
    return l->width > 0;
}

// The offset at which a pixel's elements of one of its rows begin.
static size_t offset_of(const struct pixel_layout *l, int x, int y, int row)
{
    const int at = x * l->each, count = MAX(l->record.count, 1);
    return (size_t)(y * l->each + row) * l->pitch + (size_t)(at / count) * l->element_bytes +
           (size_t)l->record.fields[at % count].offset;
}

static unsigned int count_at(const struct sharing_array *a, const struct pixel_layout *l,
                             enum sharing_by by, int x, int y)
{
    unsigned int most = 0;
    for (int row = 0; row < l->each; row++)
        most = MAX(
            most, sharing_most(a, by, offset_of(l, x, y, row), (size_t)l->each * l->element_bytes));
    return most;
}

// ---- drawing ----

enum { MOST_LINEAR = 8 };  // a scale of larger counts is logarithmic

static void draw(struct sharing_side *s, struct viewer *v, int side, const struct sharing_array *a)
{
    const struct planes shape = display_shape(v->screen.display);
    const struct pixel_layout *l = &s->drawn.layout;
    const int width = MIN(l->width, shape.width), height = MIN(l->height, shape.height);
    g_autofree unsigned char *counts = g_malloc0((size_t)shape.width * (size_t)shape.height);
    s->most = sharing_most(a, s->drawn.by, 0, a->count * MODEL_SECTOR_BYTES);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const unsigned int count = count_at(a, l, s->drawn.by, x, y);
            // On the scale, 0 to 1. Counts that lie far apart are told from each other by how many
            // times as large they are: 1, 2, 4 and 8 are as far from each other.
            const double place = s->most <= MOST_LINEAR ? (double)count / MAX(s->most, 1)
                                 : count                ? (1 + log2(count)) / (1 + log2(s->most))
                                                        : 0;
            counts[(size_t)y * (size_t)shape.width + (size_t)x] =
                (unsigned char)lround(255 * place);
        }
    display_set_counts(v->screen.display, side, counts);
    v->screen.needs_draw = true;
}

static void drop(struct sharing_side *s, struct viewer *v, int side)
{
    g_clear_pointer(&s->of_block, sharing_destroy);
    s->drawn.of.choice.filter = NULL;
    memset(&s->legend, 0, sizeof s->legend);
    if (!display_has_counts(v->screen.display, side)) return;
    display_set_counts(v->screen.display, side, NULL);
    v->screen.needs_draw = true;
}

// False: there is nothing to draw, and unshared may say why.
static bool find(struct drawn *d, const struct viewer *v, int side, char unshared[128])
{
    const struct viewer_lens_side *lens = &v->lens.sides[side];
    const struct lens_result *r = lens->shared;
    if (side >= v->now.sides || !r) return false;
    const char *name = find_name(v, side);
    memset(d, 0, sizeof *d);
    d->of = lens->shared_of;
    d->by = app_sharing(&v->app);
    while (d->memory < r->memory_count && strcmp(r->memory[d->memory].name, name)) d->memory++;
    const bool is_known = d->memory < r->memory_count && r->memory[d->memory].bytes;
    if (!is_known) g_snprintf(unshared, 128, "%s is not in global memory", name);
    return is_known && find_layout(&d->layout, v, side, &r->memory[d->memory]);
}

// ---- words ----

static void append_count(char *text, size_t size, unsigned int count, enum sharing_by by)
{
    text_append(text, size, "%u %s%s", count, nouns[by], count == 1 ? "" : "s");
}

// Names the sector under the cursor; sectors, where a pixel stands for many elements.
static void write_note(struct legend *legend, const struct sharing_side *s, const struct viewer *v,
                       const char *name, const struct sharing_array *a)
{
    const struct drawn *d = &s->drawn;
    const struct pixel_layout *l = &d->layout;
    const struct pointer *p = &v->input.pointer;
    char *const note = legend->note;
    const size_t size = sizeof legend->note;
    int x, y;
    if (!p->is_inside || p->is_away ||
        !viewport_pixel_at(v->app.viewport, viewer_sizes(v), p->x + 0.5, p->y + 0.5, &x, &y) ||
        x >= l->width || y >= l->height) {
        if (a->group == 1)
            text_append(note, size, "%s, by sectors of %d bytes", name, MODEL_SECTOR_BYTES);
        else
            text_append(note, size, "%s, too large for each sector: by %zu bytes", name,
                        a->group * MODEL_SECTOR_BYTES);
        return;
    }
    const size_t sector = offset_of(l, x, y, 0) / MODEL_SECTOR_BYTES,
                 first = sector - sector % a->group;
    if (l->each > 1)
        text_append(note, size, "%s, sectors from %zu: up to ", name, first);
    else if (a->group > 1)
        text_append(note, size, "%s, sectors %zu to %zu: ", name, first, sharing_last(a, first));
    else
        text_append(note, size, "%s, sector %zu: ", name, first);
    append_count(note, size, count_at(a, l, d->by, x, y), d->by);
    if (d->by == SHARING_BLOCKS) return;
    const enum sharing_by of = (enum sharing_by)(d->by + 1);
    text_append(note, size, " of ");
    append_count(note, size, count_at(a, l, of, x, y), of);
}

// ---- the job ----

static void show(struct sharing_side *s, struct viewer *v, int side)
{
    struct viewer_lens_side *lens = &v->lens.sides[side];
    struct drawn now;
    if (!find(&now, v, side, lens->unshared)) {
        drop(s, v, side);
        return;
    }
    const bool is_whole = now.of.is_whole;
    if (!tracing_is_same(&now.of, &s->drawn.of)) {
        g_clear_pointer(&s->of_block, sharing_destroy);
        if (!is_whole) s->of_block = sharing_of_block(lens->shared);
    }
    const struct sharing *sharing = is_whole ? lens->shared->sharing : s->of_block;
    if (!sharing) {
        text_copy(lens->unshared, sizeof lens->unshared, "there is no memory to count it");
        drop(s, v, side);
        s->drawn.of = now.of;
        return;
    }
    const struct sharing_array *a = &sharing->arrays[now.memory];
    // A display of another shape has lost its counts.
    const bool is_drawn = tracing_is_same(&now.of, &s->drawn.of) && now.by == s->drawn.by &&
                          now.memory == s->drawn.memory &&
                          display_has_counts(v->screen.display, side);
    s->drawn = now;
    if (!is_drawn) draw(s, v, side, a);
    struct legend *legend = &s->legend;
    *legend = (struct legend){.map = COLOR_MAP_RAMP, .low = "untouched", .zero = -1};
    append_count(legend->high, sizeof legend->high, s->most, now.by);
    if (a->group == 1)
        text_append(legend->high, sizeof legend->high, " a sector");
    else
        text_append(legend->high, sizeof legend->high, " for %zu sectors", a->group);
    if (s->most > MOST_LINEAR)  // the line on the bar
        text_append(legend->high, sizeof legend->high, ", line at %.0f", sqrt(s->most / 2.0));
    if (s->most > MOST_LINEAR) legend->zero = 0.5;
    if (v->now.sides > 1) legend->side[0] = (char)('A' + side);
    write_note(legend, s, v, lens->shared->memory[now.memory].name, a);
}

static void step(void *job, struct viewer *v)
{
    for (int side = 0; side < APP_SIDES; side++) {
        struct sharing_side *s = (struct sharing_side *)job + side;
        const struct legend before = s->legend;
        show(s, v, side);
        v->screen.needs_words |= memcmp(&before, &s->legend, sizeof before) != 0;
    }
}

static void write_legends(void *job, struct viewer *v)
{
    const struct sharing_side *sides = job;
    if (v->app.is_comparing && v->app.has_difference) return;
    for (int side = 0; side < v->now.sides; side++)
        if (sides[side].legend.low[0]) v->screen.content.legends[side] = sides[side].legend;
}

static void finish(void *job)
{
    struct sharing_side *sides = job;
    for (int side = 0; side < APP_SIDES; side++) sharing_destroy(sides[side].of_block);
}

const struct job_type sharing_job = {.size = APP_SIDES * sizeof(struct sharing_side),
                                     .step = {[JOB_SHOWS] = step, [JOB_WRITES] = write_legends},
                                     .finish = finish};

// ---- outlines ----

// Pixels of one row, side by side.
struct pixels {
    long long x, y, count;
};

static int compare_pixels(const void *a, const void *b)
{
    const struct pixels *p = a, *q = b;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

// Adds the pixels in which the picture shows what some lanes touch.
static void add_request(GArray *pixels, const struct viewer *v, int side,
                        const struct lens_request *q, unsigned int lanes)
{
    const struct pane_facts *now = viewer_facts(v, side);
    const struct pane_array shown = pane_shown_array(now);
    const int width = now->picture.width;
    struct lens_spot spot;
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        if (!(q->active & lanes & 1u << lane) ||
            !lens_model_place(v->lens.sides[side].result, q, lane, &spot))
            continue;
        struct pixels at = {spot.x, spot.y, spot.count};
        const char *name = spot.memory->name;
        bool is_shown = true;
        if (!filter_has_picture(now->choice.filter)) {
            is_shown = shown.columns && !strcmp(name, shown.array->name);
            if (is_shown)
                at = (struct pixels){at.x % shown.columns / shown.step,
                                     at.x / shown.columns / shown.step,
                                     MAX(1, at.count / shown.step)};
        } else if (!spot.memory->shape.width) {  // words of scratch, as the pixels that they are of
            at = (struct pixels){at.x % width, at.x / width, at.count};
            is_shown = !strcmp(name, "scratch") && at.y < now->picture.height;
        }
        if (is_shown) g_array_append_val(pixels, at);
    }
}

void viewer_mark_request(struct viewer *v, struct lens_view *view, const struct lens_cursor *cursor)
{
    const int side = v->app.side;
    const struct lens_request *q = &view->request;
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct pixels));
    const struct lens_pass *p = &v->lens.sides[side].result->passes[cursor->pass];
    if (q->space != TRACE_SHARED && q->space != TRACE_CONSTANT)
        add_request(all, v, side, q, q->active);
    else  // of memory that the picture does not show: what those lanes write in this pass
        for (int i = 0; i < p->step_count; i++)
            if (p->steps[i].warp == cursor->warp && p->steps[i].request.kind != TRACE_LOAD)
                add_request(all, v, side, &p->steps[i].request, q->active);
    // Neighbours in a row have one outline.
    struct overlay_marks *marks = &v->screen.content.marks;
    double width, height;
    const struct paint_box place = viewer_place(v, &width, &height);
    g_array_sort(all, compare_pixels);
    const struct pixels *pixels = (const struct pixels *)all->data;
    for (guint i = 0; i < all->len && marks->count < OVERLAY_MARKS;) {
        const struct pixels *first = &pixels[i];
        long long end = first->x;
        for (; i < all->len && pixels[i].y == first->y && pixels[i].x <= end; i++)
            end = MAX(end, pixels[i].x + pixels[i].count);
        marks->boxes[marks->count++] = (struct paint_box){place.left + (double)first->x * width,
                                                          place.top + (double)first->y * height,
                                                          (double)(end - first->x) * width, height};
    }
    if (marks->count) return;
    // The picture shows nothing of the request: why, and how to see it.
    const struct pane_facts *now = viewer_facts(v, side);
    const struct filter *f = now->choice.filter;
    struct lens_spot spot = {.memory = NULL};
    for (int lane = 0; lane < MODEL_LANES && !spot.memory; lane++)
        if (q->active & 1u << lane) lens_model_place(v->lens.sides[side].result, q, lane, &spot);
    const int array = spot.memory ? arrays_find(f, spot.memory->name) : -1;
    if (array >= 0 && array != now->array && !filter_has_picture(f))
        text_append(view->request_words, sizeof view->request_words,
                    " · array %s is not shown (n shows it)", spot.memory->name);
    else
        text_append(view->request_words, sizeof view->request_words,
                    " · the picture shows nothing of it");
}
