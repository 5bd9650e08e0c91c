#include "grade/inspection.h"

#include <glib.h>

#include "base/text.h"
#include "lens/counting.h"
#include "lens/races.h"

// The logs of a pass may have to be read several times; they are counted once.
struct pass_counting {
    struct counting *counting;
    bool is_settled;
};

struct inspection {
    const struct filter *filter;
    struct trial trial;
    struct planes picture;  // its shape; {0}: there is none
    struct lens_memory memory[WIRE_MAX_MEMORY];
    int memory_count;
    struct races *races;  // NULL: not looked for
    struct finding bounds;
    const struct trace_block *block;  // that is looked at, and the number of its thread
    int thread;
    struct tracing_watch watch;
    struct pass_counting passes[FILTER_MAX_PASSES];
    int pass;  // the present one; -1: none has begun
};

struct inspection *inspection_create(const struct filter *f, const struct trial *trial)
{
    struct inspection *i = g_new0(struct inspection, 1);
    i->filter = f;
    i->trial = *trial;
    i->picture = arrays_picture(f, trial_picture(trial));
    i->pass = -1;
    return i;
}

void inspection_destroy(struct inspection *i)
{
    if (!i) return;
    for (int k = 0; k < FILTER_MAX_PASSES; k++) counting_destroy(i->passes[k].counting);
    races_destroy(i->races);
    g_free(i);
}

// ---- accesses outside ----

// Races are looked for in small arrays only: no honest trial has a larger piece.
enum { MAX_WATCHED_BYTES = 1 << 20 };

// A filter's pictures are its first two pieces of memory.
enum { PICTURE_IN, PICTURE_OUT, PICTURES };

void inspection_take_memory(struct inspection *i, const struct wire_memory *list, int count)
{
    const struct filter *f = i->filter;
    for (int k = 0; k < count; k++) {
        struct lens_memory *m = &i->memory[k];
        *m = (struct lens_memory){.address = list[k].address, .bytes = list[k].bytes};
        m->element_bytes = k < f->array_count ? (int)array_step(&f->arrays[k]) : 4;
        g_strlcpy(m->name, list[k].name, sizeof m->name);
    }
    i->memory_count = count;
    i->pass = -1;
    if (i->trial.is_counted || i->races) return;
    i->races = races_create();
    for (int k = 0; k < count; k++)
        if (list[k].bytes <= MAX_WATCHED_BYTES)
            races_watch(i->races, list[k].address, list[k].bytes);
}

static const char *verb_of(enum trace_kind kind)
{
    return kind == TRACE_LOAD ? "reads" : "writes";
}

// An access to a picture must stay in a row. Rows are padded to a multiple of 16 bytes, where words
// may reach; what follows up to the pitch, and below the last row, is nobody's.
static void look_beside_rows(struct inspection *i, const struct trace_event *e)
{
    enum { PADDED_TO = 16 };
    const struct planes p = i->picture;
    const unsigned long long width = (unsigned)p.width,
                             padded = (width + PADDED_TO - 1) / PADDED_TO * PADDED_TO;
    for (int k = 0; k < MIN(PICTURES, i->memory_count); k++) {
        const struct lens_memory *m = &i->memory[k];
        const unsigned long long at = e->address - m->address, in_plane = at % p.plane_bytes;
        const bool is_in_row =
            in_plane / (unsigned)p.pitch < (unsigned)p.height &&
            in_plane % (unsigned)p.pitch + e->bytes <= (e->bytes > 1 ? padded : width);
        if (at >= m->bytes || is_in_row) continue;
        i->bounds = (struct finding){.site = {e->site}, .site_count = 1};
        g_snprintf(i->bounds.what, sizeof i->bounds.what,
                   "thread (%d, %d) of block (%d, %d) %s beside the rows of %s, at byte %llu of "
                   "%zu",
                   i->thread % i->block->width, i->thread / i->block->width, i->block->x,
                   i->block->y, verb_of((enum trace_kind)e->kind), m->name, at, m->bytes);
    }
}

static void look_at(struct inspection *i, const struct trace_event *e)
{
    struct lens_outside o;
    bool is_in_a_piece = false;  // only variables of the file lie in none of them
    for (int k = 0; k < i->memory_count; k++)
        is_in_a_piece |= e->address - i->memory[k].address < i->memory[k].bytes;
    if (counting_finds_outside(i->block, i->thread, e, i->memory, i->memory_count, &o)) {
        i->bounds = (struct finding){.site = {e->site}, .site_count = 1};
        lens_result_append_outside(&o, i->bounds.what, sizeof i->bounds.what);
    } else if (e->space == TRACE_GLOBAL && e->kind != TRACE_LOAD && !is_in_a_piece) {
        i->bounds = (struct finding){.site = {e->site}, .site_count = 1};
        g_strlcpy(i->bounds.what,
                  "it writes a variable of the file, which keeps its value from one launch to the "
                  "next: keep it in shared memory or in an array",
                  sizeof i->bounds.what);
    } else if (i->picture.width && e->space == TRACE_GLOBAL) {
        look_beside_rows(i, e);
    }
}

const struct finding *inspection_bounds(const struct inspection *i)
{
    return &i->bounds;
}

// ---- passes and blocks ----

void inspection_take_pass(struct inspection *i, const struct launch_config *config)
{
    if (i->races) races_begin_launch(i->races);
    i->pass = MIN(i->pass + 1, FILTER_MAX_PASSES - 1);
    struct pass_counting *p = &i->passes[i->pass];
    if (!i->trial.is_counted || p->counting) return;
    const struct counting_setup setup = {.config = *config, .is_whole = true, .watch = &i->watch};
    p->counting = counting_create(&setup);
}

void inspection_take_block(struct inspection *i, const struct trace_block *block)
{
    i->block = block;
    for (int t = i->thread = 0; t < block->width * block->height; i->thread = ++t)
        for (size_t k = 0; k < block->threads[t].count; k++) {
            const struct trace_event *const e = &block->threads[t].events[k];
            if (!i->bounds.site_count && e->kind != TRACE_FLOW) look_at(i, e);
        }
    if (block->is_cut) return;
    if (i->races) races_add_block(i->races, block);
    const struct pass_counting *p = &i->passes[MAX(i->pass, 0)];
    if (!p->counting || p->is_settled) return;
    const struct trace *trace = counting_trace(p->counting);
    trace->block(trace->data, 0, block);
}

// ---- races ----

struct finding inspection_race(struct inspection *i)
{
    int count = 0;
    struct finding f = {.site_count = 0};
    const struct race *r = i->races ? races_found(i->races, &count) : NULL;
    if (!count) return f;
    f.site[0] = r->site[0];
    f.site[1] = r->site[1];
    f.site_count = 2;
    if (r->is_one_block)
        g_snprintf(f.what, sizeof f.what,
                   "one thread %s in %s memory what another %s: ", verb_of(r->kind[0]),
                   r->space == TRACE_SHARED ? "shared" : "global", verb_of(r->kind[1]));
    else
        g_snprintf(f.what, sizeof f.what,
                   "one thread %s what a thread of another block %s: nothing orders two blocks",
                   verb_of(r->kind[0]), verb_of(r->kind[1]));
    if (r->barrier.waiting) {
        f.site[f.site_count++] = r->barrier.site;
        text_append(f.what, sizeof f.what,
                    "not all threads reach a barrier: %d wait, as thread %d; %d never come, as "
                    "thread %d",
                    r->barrier.waiting, r->barrier.first_waiting, r->barrier.missing,
                    r->barrier.first_missing);
    } else if (r->is_one_block) {
        text_append(f.what, sizeof f.what, "%sput __syncthreads() between the two",
                    r->site[0] == r->site[1] ? "give each an element of its own, or " : "");
    }
    return f;
}

// ---- traffic ----

bool inspection_must_repeat(struct inspection *i)
{
    bool is_settled = true;
    for (int k = 0; k < FILTER_MAX_PASSES; k++) {
        struct pass_counting *p = &i->passes[k];
        if (p->counting && !p->is_settled) p->is_settled = counting_is_settled(p->counting);
        is_settled &= !p->counting || p->is_settled;
    }
    return !is_settled;
}

static const struct counting_row *rows_of(const struct inspection *i, int pass, int *count)
{
    *count = 0;
    const struct counting *c = i->passes[pass].counting;
    return c ? counting_rows(c, count) : NULL;
}

struct lens_counts inspection_counts(const struct inspection *i, enum trace_space space)
{
    struct lens_counts sum = {.requests = 0};
    for (int pass = 0; pass < FILTER_MAX_PASSES; pass++) {
        int count;
        const struct counting_row *rows = rows_of(i, pass, &count);
        for (int k = 0; k < count; k++)
            if (rows[k].space == space) model_add(&sum, &rows[k].counts);
    }
    return sum;
}

bool inspection_worst(struct inspection *i, enum trace_space space, unsigned int *site)
{
    unsigned long long most = 0;
    for (int pass = 0; pass < FILTER_MAX_PASSES; pass++) {
        int count;
        const struct counting_row *rows = rows_of(i, pass, &count);
        for (int k = 0; k < count; k++) {
            const unsigned long long excess = model_excess(&rows[k].counts, space);
            if (rows[k].space != space || excess <= most) continue;
            most = excess;
            *site = rows[k].site;
        }
    }
    return most > 0;
}
