#include "lens/counting.h"

#include <glib.h>
#include <stdatomic.h>
#include <string.h>

#include "lens/bounds.h"
#include "lens/races.h"
#include "lens/replay.h"
#include "lens/share.h"

struct counting {
    struct trace trace;
    struct tracing_watch *watch;
    size_t blocks;       // of the launch
    atomic_size_t done;  // of them
    struct replay *replay;
    struct totals *totals[TRACE_MAX_WORKERS];  // merged into the first at the end
    const struct lens_memory *memory;          // NULL: no faults are looked for
    int memory_count;
    struct bounds *bounds[TRACE_MAX_WORKERS];  // NULL: no block of its was looked at
    struct races *races[TRACE_MAX_WORKERS];    // NULL: none of its blocks has shared memory
    GArray *steps;                             // of one block; NULL: the whole launch is counted
    bool is_full;
};

// ---- while the launch runs ----

static void visit(void *data, int worker, const struct replay_step *step)
{
    struct counting *c = data;
    totals_add(c->totals[worker], &step->request);
    if (!c->steps || c->is_full) return;
    const struct lens_step kept = {step->warp, step->instance, 0, step->request};
    g_array_append_val(c->steps, kept);
    c->is_full = c->steps->len == SHARE_MAX_STEPS;
}

static void look_outside(struct counting *c, int worker, const struct trace_block *block)
{
    if (!c->bounds[worker]) c->bounds[worker] = g_new0(struct bounds, 1);
    bounds_add_block(c->bounds[worker], block, c->memory, c->memory_count);
}

// A block shares no memory but global memory with others, so each worker looks for races by itself.
static bool take_block(void *data, int worker, const struct trace_block *block)
{
    struct counting *c = data;
    if (block->is_cut) {
        look_outside(c, worker, block);
        return false;
    }
    replay_block(c->replay, worker, block);
    if (c->memory) look_outside(c, worker, block);
    if (c->memory && block->shared_bytes) {
        if (!c->races[worker]) c->races[worker] = races_create();
        races_add_block(c->races[worker], block);
    }
    const size_t done = atomic_fetch_add(&c->done, 1) + 1;
    atomic_store(&c->watch->permille, (unsigned int)(1000 * done / c->blocks));
    return !atomic_load(&c->watch->cancel);
}

struct counting *counting_create(const struct counting_setup *s)
{
    struct counting *c = g_new0(struct counting, 1);
    c->trace = (struct trace){.block = take_block,
                              .data = c,
                              .only_x = s->is_whole ? -1 : s->block_x,
                              .only_y = s->block_y,
                              .max_events = s->max_events};
    c->watch = s->watch;
    c->memory = s->memory;
    c->memory_count = s->memory_count;
    c->blocks = s->is_whole ? (size_t)s->config.grid_width * (size_t)s->config.grid_height *
                                  (size_t)s->depth
                            : 1;
    c->replay = replay_create(visit, c);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) c->totals[i] = totals_create();
    if (!s->is_whole) c->steps = g_array_new(FALSE, FALSE, sizeof(struct lens_step));
    return c;
}

static void forget_faults(struct counting *c)
{
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        races_destroy(c->races[i]);
        c->races[i] = NULL;
        g_clear_pointer(&c->bounds[i], g_free);
    }
}

void counting_destroy(struct counting *c)
{
    if (!c) return;
    replay_destroy(c->replay);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) totals_destroy(c->totals[i]);
    forget_faults(c);
    if (c->steps) g_array_unref(c->steps);
    g_free(c);
}

const struct trace *counting_trace(const struct counting *c)
{
    return &c->trace;
}

bool counting_is_settled(struct counting *c)
{
    if (replay_is_settled(c->replay)) {
        for (int i = 1; i < TRACE_MAX_WORKERS; i++) totals_merge(c->totals[0], c->totals[i]);
        return true;
    }
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) totals_clear(c->totals[i]);
    forget_faults(c);
    if (c->steps) g_array_set_size(c->steps, 0);
    c->is_full = false;
    atomic_store(&c->done, 0);
    return false;
}

bool counting_is_full(const struct counting *c)
{
    return c->is_full;
}

// Which worker has had a block depends on how busy the machine is, so the first block is named.
static bool is_of_earlier_block(const struct lens_outside *a, const struct lens_outside *b)
{
    return a->block_y < b->block_y || (a->block_y == b->block_y && a->block_x < b->block_x);
}

const struct lens_outside *counting_outside(const struct counting *c)
{
    const struct lens_outside *first = NULL;
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        const struct bounds *b = c->bounds[i];
        if (b && b->count && (!first || is_of_earlier_block(&b->found[0], first)))
            first = &b->found[0];
    }
    return first;
}

const struct totals_row *counting_rows(struct counting *c, int *count)
{
    return totals_rows(c->totals[0], count);
}

// ---- what came of it ----

static int compare_chains(const struct trace_chain *a, const struct trace_chain *b)
{
    for (int i = 0; i < a->count && i < b->count; i++) {
        const struct trace_place *one = &a->places[a->count - 1 - i];
        const struct trace_place *other = &b->places[b->count - 1 - i];
        const int files = strcmp(one->file, other->file);
        if (files || one->line != other->line) return files ? files : one->line - other->line;
    }
    return a->count - b->count;
}

// By the kernel's own lines, and for each of them by those that were inlined.
static gint compare_lines(gconstpointer a, gconstpointer b)
{
    const struct lens_line *one = a, *other = b;
    const int chains = compare_chains(&one->chain, &other->chain);
    if (chains) return chains;
    if (one->space != other->space) return (int)one->space - (int)other->space;
    if (one->kind != other->kind) return (int)one->kind - (int)other->kind;
    return one->bytes - other->bytes;
}

static struct trace_chain chain_of(GHashTable *chains, unsigned int site)
{
    const struct trace_chain *known = g_hash_table_lookup(chains, GUINT_TO_POINTER(site));
    return known ? *known : (struct trace_chain){.count = 0};
}

// Rows of one line are one: a compiler may have made several instructions of it.
static GArray *collect_lines(struct totals *totals, GHashTable *chains)
{
    int count;
    const struct totals_row *rows = totals_rows(totals, &count);
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct lens_line));
    for (int i = 0; i < count; i++) {
        const struct lens_line line = {.chain = chain_of(chains, rows[i].site),
                                       .space = (enum trace_space)rows[i].space,
                                       .kind = (enum trace_kind)rows[i].kind,
                                       .bytes = rows[i].bytes,
                                       .counts = rows[i].counts};
        g_array_append_val(all, line);
    }
    g_array_sort(all, compare_lines);
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct lens_line));
    for (guint i = 0; i < all->len; i++) {
        const struct lens_line *line = &g_array_index(all, struct lens_line, i);
        struct lens_line *last =
            lines->len ? &g_array_index(lines, struct lens_line, lines->len - 1) : NULL;
        if (last && !compare_lines(last, line))
            model_add(&last->counts, &line->counts);
        else
            g_array_append_val(lines, *line);
    }
    g_array_unref(all);
    return lines;
}

static bool is_same_access(const struct lens_race *race, int i, const struct lens_race *other,
                           int k)
{
    const struct trace_chain *a = &race->chain[i], *b = &other->chain[k];
    if (!a->count || !b->count || race->race.kind[i] != other->race.kind[k]) return false;
    const struct trace_place *one = &a->places[a->count - 1], *two = &b->places[b->count - 1];
    return one->line == two->line && !strcmp(one->file, two->file);
}

// Each pair of lines of the kernel once, whichever of them came first.
static void fill_races(struct counting *c, GHashTable *chains, struct lens_pass *pass)
{
    int found;
    struct races *all = races_create();
    for (int i = 0; i < TRACE_MAX_WORKERS; i++)
        if (c->races[i]) races_merge(all, c->races[i]);
    const struct race *races = races_found(all, &found);
    pass->races = g_new0(struct lens_race, MIN(found, LENS_RESULT_MAX_RACES) + 1);
    for (int i = 0; i < found && pass->race_count < LENS_RESULT_MAX_RACES; i++) {
        struct lens_race *const race = &pass->races[pass->race_count];
        bool is_named = false;
        race->race = races[i];
        for (int k = 0; k < 2; k++) race->chain[k] = chain_of(chains, races[i].site[k]);
        for (const struct lens_race *other = pass->races; other < race && !is_named; other++)
            is_named = (is_same_access(race, 0, other, 0) && is_same_access(race, 1, other, 1)) ||
                       (is_same_access(race, 0, other, 1) && is_same_access(race, 1, other, 0));
        pass->race_count += !is_named;
    }
    races_destroy(all);
}

// Each line and array once, with the first block's access.
static void fill_outside(struct counting *c, GHashTable *chains, struct lens_pass *pass)
{
    pass->outside = g_new0(struct lens_outside, LENS_RESULT_MAX_OUTSIDE);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++)
        for (int k = 0; c->bounds[i] && k < c->bounds[i]->count; k++) {
            struct lens_outside o = c->bounds[i]->found[k];
            int at = 0;
            o.chain = chain_of(chains, o.site);
            while (at < pass->outside_count &&
                   (compare_chains(&pass->outside[at].chain, &o.chain) ||
                    pass->outside[at].kind != o.kind ||
                    strcmp(pass->outside[at].array, o.array) != 0))
                at++;
            if (at == LENS_RESULT_MAX_OUTSIDE) continue;
            if (at == pass->outside_count || is_of_earlier_block(&o, &pass->outside[at]))
                pass->outside[at] = o;
            pass->outside_count = MAX(pass->outside_count, at + 1);
        }
}

void counting_fill(struct counting *c, GHashTable *chains, struct lens_pass *pass)
{
    for (int space = 0; space < LENS_RESULT_SPACES; space++)
        for (int kind = TRACE_LOAD; kind < LENS_RESULT_KINDS; kind++)
            pass->counts[space][kind] =
                totals_of(c->totals[0], (enum trace_space)space, (enum trace_kind)kind);
    GArray *lines = collect_lines(c->totals[0], chains);
    fill_races(c, chains, pass);
    fill_outside(c, chains, pass);
    if (c->steps) {
        pass->step_count = (int)c->steps->len;
        pass->steps = (struct lens_step *)g_array_free(c->steps, FALSE);
        c->steps = NULL;
        for (struct lens_step *s = pass->steps; s < pass->steps + pass->step_count; s++) {
            guint found = 0;
            const struct lens_line line = {.chain = chain_of(chains, s->request.site),
                                           .space = (enum trace_space)s->request.space,
                                           .kind = (enum trace_kind)s->request.kind,
                                           .bytes = s->request.bytes};
            g_array_binary_search(lines, &line, compare_lines, &found);
            s->line = (int)found;
        }
    }
    pass->line_count = (int)lines->len;
    pass->lines = (struct lens_line *)g_array_free(lines, FALSE);
}
