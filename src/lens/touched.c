#include "lens/touched.h"

#include <glib.h>
#include <string.h>

// Pixels of a row, side by side.
struct span {
    int x, y, count;
    double pixels;  // how many of them the access is, where a pixel has several bytes
};

// A set of pixels: first its box is found, then what is in it.
struct set {
    struct block_info_box box;
    unsigned char *has;  // row after row of the box; NULL: it is still growing
    long long count;
};

// What a pass does, while its requests are gone through.
struct pass_sets {
    const struct lens_result *result;
    const struct lens_pass *pass;
    struct planes picture;
    struct set read, written;
    double loads;
    unsigned char writes[32 * 32];  // of each thread, whether it writes
};

// ---- places ----

static bool cut(struct span *s, const struct planes *picture)
{
    const int inside = MIN(s->count, picture->width - s->x);
    if (inside <= 0 || s->y >= picture->height) return false;
    s->pixels = s->pixels * inside / s->count;
    s->count = inside;
    return true;
}

// False: the lane touches no pixel of the first plane.
static bool find_span(struct span *s, const struct pass_sets *p, const struct lens_request *r,
                      int lane)
{
    const struct lens_memory *m = lens_result_memory_at(p->result, r, lane);
    if (!m || !strcmp(m->name, "weights")) return false;
    const unsigned long long at = r->address[lane] - m->address;
    const bool is_scratch = !m->shape.width;
    const int pixel_bytes = is_scratch ? m->element_bytes : lens_result_pixel_bytes(m);
    const unsigned long long pitch = is_scratch
                                         ? (unsigned long long)(pixel_bytes * p->picture.width)
                                         : (unsigned long long)m->shape.pitch;
    const int first = (int)(at % pitch), last = first + r->bytes - 1;
    *s = (struct span){.x = first / pixel_bytes,
                       .y = (int)(at / pitch),
                       .count = last / pixel_bytes - first / pixel_bytes + 1,
                       .pixels = (double)r->bytes / pixel_bytes};
    return cut(s, &p->picture);
}

// ---- sets ----

static void grow(struct set *set, const struct span *s)
{
    struct block_info_box *b = &set->box;
    if (!b->width) *b = (struct block_info_box){s->x, s->y, s->count, 1};
    const int right = MAX(b->left + b->width, s->x + s->count);
    const int bottom = MAX(b->top + b->height, s->y + 1);
    b->left = MIN(b->left, s->x);
    b->top = MIN(b->top, s->y);
    b->width = right - b->left;
    b->height = bottom - b->top;
}

static void mark(struct set *set, const struct span *s)
{
    const struct block_info_box *b = &set->box;
    unsigned char *row = set->has + (size_t)(s->y - b->top) * (size_t)b->width + (s->x - b->left);
    for (int i = 0; i < s->count; i++) {
        set->count += !row[i];
        row[i] = 1;
    }
}

static void add(struct set *set, const struct span *s)
{
    if (set->has)
        mark(set, s);
    else
        grow(set, s);
}

static void fix(struct set *set)
{
    set->has = g_malloc0((size_t)set->box.width * (size_t)set->box.height + 1);
}

// ---- a pass ----

static void add_step(struct pass_sets *p, const struct lens_step *step)
{
    const struct lens_request *r = &step->request;
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        struct span s;
        if (!find_span(&s, p, r, lane)) continue;
        add(r->kind == TRACE_LOAD ? &p->read : &p->written, &s);
        if (r->kind == TRACE_LOAD)
            p->loads += s.pixels;
        else
            p->writes[step->warp * MODEL_LANES + lane] = 1;
    }
}

static void add_steps(struct pass_sets *p)
{
    for (int i = 0; i < p->pass->step_count; i++) add_step(p, &p->pass->steps[i]);
}

static struct block_info_touched touch(const struct lens_result *r, const struct lens_pass *pass,
                                       struct planes picture)
{
    struct pass_sets p = {.result = r, .pass = pass, .picture = picture};
    const int threads = pass->config.block_width * pass->config.block_height;
    int busy = 0;
    add_steps(&p);
    fix(&p.read);
    fix(&p.written);
    p.loads = 0;
    add_steps(&p);
    for (int i = 0; i < threads; i++) busy += p.writes[i];
    g_free(p.read.has);
    g_free(p.written.has);
    return (struct block_info_touched){.reads = p.read.box,
                                       .writes = p.written.box,
                                       .pixels_read = p.read.count,
                                       .pixels_written = p.written.count,
                                       .loads = p.loads,
                                       .threads = threads,
                                       .idle = threads - busy};
}

bool touched_find(struct block_info_touched *touched, const struct lens_result *r)
{
    if (r->is_whole || !r->memory_count || !r->memory[0].shape.width) return false;
    for (int i = 0; i < r->pass_count; i++)
        touched[i] = touch(r, &r->passes[i], r->memory[0].shape);
    return true;
}

// ---- who writes ----

static void add_writer(struct block_info_writer *w, int thread)
{
    if (w->threads && w->thread == thread) return;
    if (!w->threads) w->thread = thread;
    w->threads++;
}

// Of bytes at an offset in a piece of memory.
static struct block_info_writer find_writer(const struct lens_result *r,
                                            const struct lens_memory *memory,
                                            unsigned long long offset, int bytes)
{
    struct block_info_writer w = {0};
    const struct lens_pass *p = &r->passes[r->pass_count - 1];
    const unsigned long long first = memory->address + offset;
    for (int i = 0; i < p->step_count; i++) {
        const struct lens_request *q = &p->steps[i].request;
        if (q->kind == TRACE_LOAD) continue;
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const bool is_there = lens_result_memory_at(r, q, lane) == memory;
            if (is_there && q->address[lane] < first + (unsigned long long)bytes &&
                first < q->address[lane] + q->bytes)
                add_writer(&w, p->steps[i].warp * MODEL_LANES + lane);
        }
    }
    return w;
}

static const struct lens_memory *memory_named(const struct lens_result *r, const char *name)
{
    for (int i = 0; i < r->memory_count; i++)
        if (!strcmp(r->memory[i].name, name)) return &r->memory[i];
    return NULL;
}

struct block_info_writer touched_pixel_writer(const struct lens_result *r, int x, int y)
{
    const struct lens_memory *out = memory_named(r, "out");
    if (!out || !out->shape.width) return (struct block_info_writer){0};
    const int bytes = lens_result_pixel_bytes(out);
    return find_writer(r, out,
                       (unsigned long long)y * (unsigned long long)out->shape.pitch +
                           (unsigned long long)(x * bytes),
                       bytes);
}

struct block_info_writer touched_element_writer(const struct lens_result *r, const char *array,
                                                long long index)
{
    const struct lens_memory *m = memory_named(r, array);
    if (!m) return (struct block_info_writer){0};
    return find_writer(r, m, (unsigned long long)index * (unsigned long long)m->element_bytes,
                       m->element_bytes);
}
