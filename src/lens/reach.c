#include "lens/reach.h"

#include <glib.h>
#include <string.h>

#include "lens/memory_list.h"

// Bytes of memory, from begin up to end.
struct span {
    unsigned long long begin, end;
};

struct reach {
    const struct lens_result *result;
    GArray *written;  // spans, by the blocks that ran
    bool is_sorted;   // and those that touch are one
};

struct reach *reach_create(const struct lens_result *result)
{
    struct reach *r = g_new0(struct reach, 1);
    r->result = result;
    r->written = g_array_new(FALSE, FALSE, sizeof(struct span));
    return r;
}

void reach_destroy(struct reach *r)
{
    if (!r) return;
    g_array_unref(r->written);
    g_free(r);
}

// ---- which blocks ----

// Pixels from left to right and from top to bottom, both included; right -1: none.
struct box {
    int left, top, right, bottom;
};

static void grow(struct box *box, int x, int y)
{
    if (box->right < 0) *box = (struct box){x, y, x, y};
    box->left = MIN(box->left, x);
    box->top = MIN(box->top, y);
    box->right = MAX(box->right, x);
    box->bottom = MAX(box->bottom, y);
}

static struct box read_scratch(const struct reach *r, const struct lens_pass *reader)
{
    const struct planes *picture = &r->result->memory[0].shape;
    struct box box = {.right = -1};
    for (int i = 0; i < reader->step_count; i++) {
        const struct lens_request *q = &reader->steps[i].request;
        for (int lane = 0; lane < MODEL_LANES; lane++) {
            const struct lens_memory *m = lens_result_memory_at(r->result, q, lane);
            if (!m || strcmp(m->name, "scratch") != 0 || q->kind == TRACE_STORE) continue;
            const unsigned long long word = (q->address[lane] - m->address) / 4;
            const unsigned long long row = word / (unsigned long long)picture->width;
            if (row < (unsigned long long)picture->height)
                grow(&box, (int)(word % (unsigned long long)picture->width), (int)row);
        }
    }
    return box;
}

// The blocks between two pixels of a row or column: first and how many.
static void find_range(int from, int to, long long of_block, int blocks, int *first, int *count)
{
    *first = (int)MIN(from / of_block, blocks - 1);
    *count = (int)MIN(to / of_block, blocks - 1) - *first + 1;
}

struct reach_blocks reach_find(const struct reach *r, const struct lens_pass *reader,
                               const struct launch_config *config, struct launch_tile tile)
{
    const struct box box = read_scratch(r, reader);
    struct reach_blocks b = {.columns = 0};
    if (box.right < 0) return b;
    find_range(box.left, box.right, tile.columns, config->grid_width, &b.left, &b.columns);
    find_range(box.top, box.bottom, tile.rows, config->grid_height, &b.top, &b.rows);
    return b;
}

// ---- what they write ----

static void take_event(struct reach *r, const struct trace_event *e)
{
    const struct span span = {e->address, e->address + e->bytes};
    if (e->kind == TRACE_STORE && e->space == TRACE_GLOBAL) g_array_append_val(r->written, span);
}

static bool take_block(void *data, int worker, const struct trace_block *block)
{
    (void)worker;
    struct reach *r = data;
    for (int i = 0; i < block->width * block->height; i++)
        for (size_t k = 0; k < block->threads[i].count; k++)
            take_event(r, &block->threads[i].events[k]);
    r->is_sorted = false;
    return true;
}

struct trace reach_trace(struct reach *r, int x, int y, size_t max_events)
{
    return (struct trace){
        .block = take_block, .data = r, .only_x = x, .only_y = y, .max_events = max_events};
}

// ---- whether it is all ----

static gint compare_begins(gconstpointer a, gconstpointer b)
{
    const struct span *one = a, *other = b;
    return (one->begin > other->begin) - (one->begin < other->begin);
}

// 0: they have a byte in common.
static gint compare_places(gconstpointer a, gconstpointer b)
{
    const struct span *one = a, *other = b;
    return (one->begin >= other->end) - (one->end <= other->begin);
}

static void sort_written(struct reach *r)
{
    struct span *const all = (struct span *)r->written->data;
    guint count = 0;
    g_array_sort(r->written, compare_begins);
    for (guint i = 0; i < r->written->len; i++)
        if (count && all[i].begin <= all[count - 1].end)
            all[count - 1].end = MAX(all[count - 1].end, all[i].end);
        else
            all[count++] = all[i];
    g_array_set_size(r->written, count);
    r->is_sorted = true;
}

static bool is_written(const struct reach *r, struct span wanted)
{
    guint found;
    if (!g_array_binary_search(r->written, &wanted, compare_places, &found)) return false;
    const struct span *s = &g_array_index(r->written, struct span, found);
    return s->begin <= wanted.begin && wanted.end <= s->end;
}

static bool has_all(const struct reach *r, const struct lens_request *q)
{
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        const struct lens_memory *m = lens_result_memory_at(r->result, q, lane);
        if (!m || memory_list_is_given(m)) continue;
        if (!is_written(r, (struct span){q->address[lane], q->address[lane] + q->bytes}))
            return false;
    }
    return true;
}

bool reach_is_complete(struct reach *r, const struct lens_pass *reader)
{
    if (!r->is_sorted) sort_written(r);
    for (int i = 0; i < reader->step_count; i++)
        if (reader->steps[i].request.kind != TRACE_STORE && !has_all(r, &reader->steps[i].request))
            return false;
    return true;
}
