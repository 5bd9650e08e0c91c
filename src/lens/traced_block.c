#include "lens/traced_block.h"

#include <string.h>

_Static_assert((int)BOUND_SECTOR_BYTES == (int)MODEL_SECTOR_BYTES, "one size of sector");

// ---- what it touches ----

// Pixels of a row, side by side.
struct span {
    int x, y, count;
    double pixels;  // the same in parts of pixels, which may have several bytes
};

// A set of pixels.
struct set {
    struct block_info_box box;
    unsigned char *has;  // row after row of the picture, of which few pages are touched
    long long count;
};

// False: the lane touches no pixel of the first plane.
static bool find_span(struct span *s, const struct lens_result *result,
                      const struct lens_request *r, int lane)
{
    const struct planes picture = result->memory[0].shape;
    const struct lens_memory *m = lens_result_memory_at(result, r, lane);
    if (!m || !strcmp(m->name, "weights")) return false;
    const unsigned long long at = r->address[lane] - m->address;
    const bool is_scratch = !m->shape.width;
    const int pixel_bytes = is_scratch ? m->element_bytes : lens_result_pixel_bytes(m);
    const unsigned long long pitch = is_scratch ? (unsigned long long)(pixel_bytes * picture.width)
                                                : (unsigned long long)m->shape.pitch;
    const int first = (int)(at % pitch), last = first + r->bytes - 1;
    *s = (struct span){.x = first / pixel_bytes, .y = (int)(at / pitch)};
    const int wanted = last / pixel_bytes - s->x + 1;
    s->count = MIN(wanted, picture.width - s->x);
    s->pixels = (double)r->bytes / pixel_bytes * s->count / wanted;
    return s->count > 0 && s->y < picture.height;
}

static void add(struct set *set, const struct span *s, int picture_width)
{
    struct block_info_box *b = &set->box;
    if (!b->width) *b = (struct block_info_box){s->x, s->y, s->count, 1};
    const int right = MAX(b->left + b->width, s->x + s->count);
    const int bottom = MAX(b->top + b->height, s->y + 1);
    b->left = MIN(b->left, s->x);
    b->top = MIN(b->top, s->y);
    b->width = right - b->left;
    b->height = bottom - b->top;
    unsigned char *has = set->has + (size_t)s->y * (size_t)picture_width + s->x;
    for (int i = 0; i < s->count; i++) {
        set->count += !has[i];
        has[i] = 1;
    }
}

bool traced_block_touched(struct block_info_touched *touched, const struct lens_result *r)
{
    if (r->is_whole || !r->memory_count || !r->memory[0].shape.width) return false;
    const struct planes picture = r->memory[0].shape;
    const size_t pixels = (size_t)picture.width * (size_t)picture.height;
    for (int i = 0; i < r->pass_count; i++) {
        const struct lens_pass *p = &r->passes[i];
        const int threads = p->config.block_width * p->config.block_height;
        struct set read = {.has = g_malloc0(pixels)}, written = {.has = g_malloc0(pixels)};
        bool has_written[32 * 32] = {false};  // each thread
        double loads = 0;
        int busy = 0;
        for (int k = 0; k < p->step_count * MODEL_LANES; k++) {
            const struct lens_step *step = &p->steps[k / MODEL_LANES];
            const bool is_load = step->request.kind == TRACE_LOAD;
            bool *const writes = &has_written[step->warp * MODEL_LANES + k % MODEL_LANES];
            struct span s;
            if (!find_span(&s, r, &step->request, k % MODEL_LANES)) continue;
            add(is_load ? &read : &written, &s, picture.width);
            loads += is_load ? s.pixels : 0;
            busy += !is_load && !*writes;
            *writes |= !is_load;
        }
        touched[i] = (struct block_info_touched){.reads = read.box,
                                                 .writes = written.box,
                                                 .pixels_read = read.count,
                                                 .pixels_written = written.count,
                                                 .loads = loads,
                                                 .threads = threads,
                                                 .idle = threads - busy};
        g_free(read.has);
        g_free(written.has);
    }
    return true;
}

// ---- who writes ----

struct block_info_writer traced_block_writer(const struct lens_result *r, const char *array,
                                             long long x, int y)
{
    struct block_info_writer w = {0};
    const struct lens_memory *m = r->memory, *end = m + r->memory_count;
    while (m < end && strcmp(m->name, array) != 0) m++;
    if (m == end) return w;
    const int bytes = m->shape.width ? lens_result_pixel_bytes(m) : m->element_bytes;
    const unsigned long long first = m->address + (unsigned long long)(x * bytes) +
                                     (unsigned long long)y * (unsigned long long)m->shape.pitch;
    const struct lens_pass *p = &r->passes[r->pass_count - 1];
    for (int i = 0; i < p->step_count; i++) {
        const struct lens_request *q = &p->steps[i].request;
        for (int lane = 0; q->kind != TRACE_LOAD && lane < MODEL_LANES; lane++) {
            const int thread = p->steps[i].warp * MODEL_LANES + lane;
            if (lens_result_memory_at(r, q, lane) != m ||
                q->address[lane] >= first + (unsigned long long)bytes ||
                first >= q->address[lane] + q->bytes || (w.threads && w.thread == thread))
                continue;
            if (!w.threads++) w.thread = thread;
        }
    }
    return w;
}

// ---- the whole launch ----

// How many of a block's threads along one axis have an element of the domain.
static int threads_inside(int threads, long long of_block, long long domain, int block)
{
    const long long inside = CLAMP(domain - block * of_block, 0, of_block);
    return (int)((inside * threads + of_block - 1) / of_block);
}

// The warps of a block that have a thread in the domain. Threads are numbered row after row, and
// layer after layer.
static double warps_at(const struct launch_pass *p, int x, int y, int z)
{
    const struct launch_config *c = &p->config;
    const int across = threads_inside(c->block_width, p->tile.columns, p->domain.columns, x);
    const int height = c->block_height / c->block_depth;
    const int down = threads_inside(height, p->tile.rows, p->domain.rows, y);
    const int deep = threads_inside(c->block_depth, p->tile.layers, p->domain.layers, z);
    int warps = 0, last = -1;
    for (int row = 0; row < deep * height; row++)
        for (int column = 0; column < (row % height < down ? across : 0); column++) {
            const int warp = (row * c->block_width + column) / MODEL_LANES;
            warps += warp != last;
            last = warp;
        }
    return warps;
}

// Only the last blocks along each axis differ from the others.
double traced_block_warps(const struct launch_pass *p, int x, int y)
{
    const int right = p->config.grid_width - 1, bottom = p->config.grid_height - 1;
    const int back = p->config.grid_depth - 1;
    double all = 0;
    for (int corner = 0; corner < 8; corner++) {
        const bool is_right = corner & 1, is_bottom = corner & 2, is_back = corner & 4;
        const double blocks =
            (is_right ? 1.0 : right) * (is_bottom ? 1.0 : bottom) * (is_back ? 1.0 : back);
        all +=
            blocks * warps_at(p, is_right ? right : 0, is_bottom ? bottom : 0, is_back ? back : 0);
    }
    return all / MAX(1, warps_at(p, x, y, 0));
}

// Sectors that several loads bring count once; those that are loaded and stored count twice. An L1
// cache begins a request a clock, and gives four sectors a clock (bound.h).
struct bound_counts traced_block_launch(const struct lens_result *r)
{
    const double sectors_a_clock = 4;
    struct bound_counts counts = {.is_known = !r->is_whole && r->pass_count > 0};
    for (int pass = 0; counts.is_known && pass < r->pass_count; pass++) {
        const struct lens_pass *p = &r->passes[pass];
        g_autoptr(GHashTable) loaded = g_hash_table_new(NULL, NULL),
                              stored = g_hash_table_new(NULL, NULL);
        double clocks = 0;
        for (int i = 0; i < p->step_count; i++) {
            const struct lens_request *q = &p->steps[i].request;
            struct lens_counts c = {0};
            struct lens_sectors sectors;
            if (q->space != TRACE_GLOBAL && q->space != TRACE_TEXTURE) continue;
            model_sectors(q, &sectors);
            for (int k = 0; k < sectors.count; k++)
                g_hash_table_add(q->kind == TRACE_LOAD ? loaded : stored,
                                 GSIZE_TO_POINTER(sectors.number[k]));
            model_count(q, &c);
            clocks += MAX(1, (double)c.sectors / sectors_a_clock);
        }
        const struct lens_counts shared = lens_result_of_space(p, TRACE_SHARED);
        const guint sectors = g_hash_table_size(loaded) + g_hash_table_size(stored);
        counts.sectors += p->warp_times * (double)sectors;
        counts.wavefronts += p->warp_times * (double)shared.wavefronts;
        counts.requests += p->warp_times * p->step_count;
        counts.l1_clocks += p->warp_times * clocks;
    }
    return counts;
}

// ---- what must run before it ----

// The pieces of memory that a pass reads or writes, as bits.
static unsigned int memory_of(const struct lens_result *r, const struct lens_pass *p,
                              bool is_written)
{
    unsigned int found = 0;
    for (int i = 0; i < p->step_count; i++) {
        const struct lens_request *q = &p->steps[i].request;
        const bool writes = q->kind != TRACE_LOAD;
        if (writes != is_written && q->kind != TRACE_ATOMIC) continue;
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const struct lens_memory *m = lens_result_memory_at(r, q, lane);
            if (m) found |= 1u << (m - r->memory);
        }
    }
    return found;
}

bool traced_block_is_written_once(const struct lens_result *r)
{
    for (int i = 0; i < r->pass_count; i++)
        for (int later = i; later < r->pass_count; later++)
            if (memory_of(r, &r->passes[i], false) & memory_of(r, &r->passes[later], true))
                return false;
    return true;
}

// ---- blocks of the first pass ----

// The blocks between two pixels of a row or column: first and how many.
static void find_range(int from, int to, long long of_block, int blocks, int *first, int *count)
{
    *first = (int)MIN(from / of_block, blocks - 1);
    *count = (int)MIN(to / of_block, blocks - 1) - *first + 1;
}

void traced_block_find(struct traced_block_reach *r, const struct lens_pass *reader,
                       const struct launch_pass *p)
{
    const struct planes *picture = &r->result->memory[0].shape;
    int left = G_MAXINT, top = G_MAXINT, right = -1, bottom = -1;  // of the pixels that are read
    r->columns = r->rows = 0;
    for (int i = 0; i < reader->step_count; i++) {
        const struct lens_request *q = &reader->steps[i].request;
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const struct lens_memory *m = lens_result_memory_at(r->result, q, lane);
            if (!m || strcmp(m->name, "scratch") != 0 || q->kind == TRACE_STORE) continue;
            const unsigned long long word = (q->address[lane] - m->address) / 4;
            const unsigned long long width = (unsigned long long)picture->width;
            const int x = (int)(word % width);
            if (word / width >= (unsigned long long)picture->height) continue;
            left = MIN(left, x);
            right = MAX(right, x);
            top = MIN(top, (int)(word / width));
            bottom = MAX(bottom, (int)(word / width));
        }
    }
    if (right < 0) return;
    find_range(left, right, p->tile.columns, p->config.grid_width, &r->left, &r->columns);
    find_range(top, bottom, p->tile.rows, p->config.grid_height, &r->top, &r->rows);
}

static bool take_block(void *data, int worker, const struct trace_block *block)
{
    (void)worker;
    const struct traced_block_reach *r = data;
    for (int i = 0; i < block->width * block->height; i++)
        for (size_t k = 0; k < block->threads[i].count; k++) {
            const struct trace_event *e = &block->threads[i].events[k];
            if (e->kind != TRACE_STORE || e->space != TRACE_GLOBAL) continue;
            for (int byte = 0; byte < e->bytes; byte++)
                g_hash_table_add(r->written, GSIZE_TO_POINTER(e->address + (unsigned)byte));
        }
    return true;
}

struct trace traced_block_trace(struct traced_block_reach *r, int x, int y, size_t max_events)
{
    if (!r->written) r->written = g_hash_table_new(NULL, NULL);
    return (struct trace){
        .block = take_block, .data = r, .only_x = x, .only_y = y, .max_events = max_events};
}

bool traced_block_is_complete(const struct traced_block_reach *r, const struct lens_pass *reader)
{
    for (int i = 0; i < reader->step_count; i++) {
        const struct lens_request *q = &reader->steps[i].request;
        for (int lane = 0; q->kind != TRACE_STORE && lane < MODEL_LANES; lane++) {
            const struct lens_memory *m = lens_result_memory_at(r->result, q, lane);
            if (!m || !strcmp(m->name, "in") || !strcmp(m->name, "weights")) continue;
            for (int byte = 0; byte < q->bytes; byte++)
                if (!r->written ||
                    !g_hash_table_contains(r->written,
                                           GSIZE_TO_POINTER(q->address[lane] + (unsigned)byte)))
                    return false;
        }
    }
    return true;
}
