#include "lens/counting.h"

#include <stdatomic.h>
#include <string.h>

#include "lens/alike.h"
#include "lens/races.h"
#include "lens/replay.h"
#include "lens/share.h"
#include "lens/sharing.h"

struct counting {
    struct counting_setup setup;
    struct trace trace;
    size_t blocks;       // of the launch
    atomic_size_t done;  // of them
    struct replay *replay;
    struct worker {
        GHashTable *rows;     // struct counting_row, by key_of
        GHashTable *classes;  // struct class, by what is alike
        GHashTable *present;  // rows of the present block's class, or else rows
        struct class *last;   // of the last block that was handed over; NULL: it has none
        GArray *outside;      // struct lens_outside, of each site the first
        struct races *races;  // NULL: none of its blocks has shared memory
        GHashTable *warps;    // of its block, for sharing
    } workers[TRACE_MAX_WORKERS];
    GArray *rows;   // struct counting_row, of all workers by rising key, once all is settled
    GArray *steps;  // of one block; NULL: the whole launch is counted
    bool is_full;
    bool has_classes;  // steps and sectors are those of each block
    struct trace_piece *pieces;
};

// Blocks that are alike (alike.h). The first one is counted, for all of them. There is a limit
// because each block would be a class where data decides what blocks do.
enum { MAX_CLASSES = 256 };
struct class
{
    struct alike alike;  // of which GLib hashes the first 64 bits
    GHashTable *rows;    // of one block
    unsigned long long blocks;
};

// ---- accesses outside ----

enum {
    NEAR_BYTES = 4096,   // and more lies between any two pieces of a trial (trials.h)
    FAR_BYTES = 1 << 30  // an index that went wrong leads so far; farther away, an address did
};

static bool is_inside(unsigned long long at, int bytes, size_t all)
{
    return at <= all && (unsigned)bytes <= all - at;
}

// Tells where the access lies: behind the piece that begins before it, or else just before the next
// one. A wild access belongs to the nearest piece; far from all, it has only an address. Others
// that are near no piece are to variables of the file: false.
static bool find_global(const struct lens_memory *memory, int count, const struct trace_event *e,
                        struct lens_outside *o)
{
    const struct lens_memory *before = NULL, *next = NULL;
    for (int i = 0; i < count; i++) {
        const struct lens_memory *m = &memory[i];
        if (m->address > e->address) {
            if (!next || m->address < next->address) next = m;
            continue;
        }
        if (is_inside(e->address - m->address, e->bytes, m->bytes)) return false;
        if (!before || m->address > before->address) before = m;
    }
    const unsigned long long most = e->is_wild ? FAR_BYTES : NEAR_BYTES;
    const unsigned long long at = before ? e->address - before->address : 0;
    const unsigned long long behind = before && at > before->bytes ? at - before->bytes : 0;
    if (before && behind >= most) before = NULL;
    if (next && next->address - e->address > most) next = NULL;
    const bool is_next = next && (!before || (e->is_wild && next->address - e->address < behind));
    const struct lens_memory *const near = is_next ? next : before;
    *o = (struct lens_outside){.at = (long long)e->address, .element_bytes = e->bytes};
    if (!near) return e->is_wild;
    *o = (struct lens_outside){.at = (long long)(e->address - near->address),
                               .array_bytes = near->bytes,
                               .element_bytes = near->element_bytes};
    memcpy(o->array, near->name, sizeof o->array);
    return true;
}

bool counting_finds_outside(const struct trace_block *block, int thread,
                            const struct trace_event *e, const struct lens_memory *memory,
                            int memory_count, struct lens_outside *o)
{
    if (e->kind == TRACE_FLOW) return false;
    if (e->space == TRACE_SHARED) {
        if (is_inside(e->address, e->bytes, block->shared_bytes)) return false;
        *o = (struct lens_outside){.array = "tile",
                                   .at = (long long)(e->address - block->static_bytes),
                                   .array_bytes = block->shared_bytes - block->static_bytes,
                                   .element_bytes = e->bytes};
    } else if (e->space != TRACE_GLOBAL || !find_global(memory, memory_count, e, o)) {
        return false;
    }
    o->site = e->site;
    o->kind = (enum trace_kind)e->kind;
    const int row = thread / block->width, rows = block->height / MAX(block->layers, 1);
    const int threads[] = {thread % block->width, row % rows, row / rows};
    const int blocks[] = {block->x, block->y, block->z};
    memcpy(o->thread, threads, sizeof threads);
    memcpy(o->block, blocks, sizeof blocks);
    o->has_layers = block->layers > 1 || block->grid_layers > 1;
    return true;
}

// ---- while the launch runs ----

// Keys are in the order of rows.
static guint64 key_of(const struct counting_row *row)
{
    return (guint64)row->site << 24 | (guint64)row->kind << 16 | (guint64)row->space << 8 |
           row->bytes;
}

static struct counting_row *find_row(GHashTable *rows, const struct counting_row *like)
{
    G_STATIC_ASSERT(sizeof(gpointer) == sizeof(guint64));
    const gpointer key = (gpointer)(gsize)key_of(like);
    struct counting_row *row = g_hash_table_lookup(rows, key);
    if (row) return row;
    row = g_new(struct counting_row, 1);
    *row = (struct counting_row){like->site, like->kind, like->space, like->bytes, {0}};
    g_hash_table_insert(rows, key, row);
    return row;
}

static void add_rows(GHashTable *to, GHashTable *rows, unsigned long long times)
{
    GHashTableIter iter;
    gpointer row;
    g_hash_table_iter_init(&iter, rows);
    while (g_hash_table_iter_next(&iter, NULL, &row))
        model_add_times(&find_row(to, row)->counts, &((const struct counting_row *)row)->counts,
                        times);
}

static GHashTable *new_rows(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static gboolean is_same_class(gconstpointer a, gconstpointer b)
{
    const struct alike *const one = &((const struct class *)a)->alike;
    const struct alike *const other = &((const struct class *)b)->alike;
    return one->low == other->low && one->high == other->high;
}

static void free_class(gpointer class)
{
    g_hash_table_destroy(((struct class *)class)->rows);
    g_free(class);
}

static void visit(void *data, int worker, const struct replay_step *step)
{
    struct counting *c = data;
    const struct lens_request *const r = &step->request;
    const struct counting_row like = {r->site, r->kind, r->space, r->bytes, {0}};
    model_count(r, &find_row(c->workers[worker].present, &like)->counts);
    if (c->setup.sharing) sharing_count(c->setup.sharing, c->workers[worker].warps, step->warp, r);
    if (!c->steps || c->is_full) return;
    const struct lens_step kept = {step->warp, step->instance, 0, step->request};
    g_array_append_val(c->steps, kept);
    c->is_full = c->steps->len == SHARE_MAX_STEPS;
}

static void look_outside(const struct counting_setup *s, GArray *found,
                         const struct trace_block *block)
{
    for (int t = 0; t < block->width * block->height; t++)
        for (size_t i = 0; i < block->threads[t].count; i++) {
            struct lens_outside o;
            guint known = 0;
            if (!counting_finds_outside(block, t, &block->threads[t].events[i], s->memory,
                                        s->memory_count, &o))
                continue;
            while (known < found->len &&
                   g_array_index(found, struct lens_outside, known).site != o.site)
                known++;
            if (known == found->len) g_array_append_val(found, o);
        }
}

// True: the block needs no counting, since one that is alike was counted.
static bool is_counted(struct worker *w, const struct alike *alike)
{
    const struct class like = {.alike = *alike};
    struct class *class = g_hash_table_lookup(w->classes, &like);
    w->last = class;
    if (class) class->blocks++;
    if (class || g_hash_table_size(w->classes) == MAX_CLASSES) return class != NULL;
    class = g_new(struct class, 1);
    *class = (struct class){*alike, new_rows(), 1};
    g_hash_table_add(w->classes, class);
    w->last = class;
    w->present = class->rows;
    return false;
}

static bool is_going_on(struct counting *c)
{
    const size_t done = atomic_fetch_add(&c->done, 1) + 1;
    atomic_store(&c->setup.watch->permille, (unsigned int)(1000 * done / c->blocks));
    return !atomic_load(&c->setup.watch->cancel);
}

// Counts a block that did what the last one did, without its events.
static bool take_same(void *data, int worker)
{
    struct counting *c = data;
    struct class *const class = c->workers[worker].last;
    if (!class || atomic_load(&c->setup.watch->cancel)) return false;
    class->blocks++;
    is_going_on(c);
    return true;
}

// Looks for races in shared memory alone, which blocks do not share: each worker does it by itself.
static bool take_block(void *data, int worker, const struct trace_block *block)
{
    struct counting *c = data;
    const struct counting_setup *s = &c->setup;
    struct worker *w = &c->workers[worker];
    struct alike alike;
    const bool is_inside =
        s->memory && !block->is_cut && alike_find(block, s->memory, s->memory_count, &alike);
    w->present = w->rows;
    w->last = NULL;
    if (!is_inside && (s->memory || block->is_cut)) look_outside(s, w->outside, block);
    if (block->is_cut) return false;
    if (!c->has_classes || !is_inside || !is_counted(w, &alike)) {
        if (s->sharing) g_hash_table_remove_all(w->warps);
        replay_block(c->replay, worker, block);
        if (s->memory && block->shared_bytes) {
            if (!w->races) w->races = races_create();
            races_add_block(w->races, block);
        }
    }
    return is_going_on(c);
}

struct counting *counting_create(const struct counting_setup *s)
{
    struct counting *c = g_new0(struct counting, 1);
    c->setup = *s;
    c->trace = (struct trace){.block = take_block,
                              .data = c,
                              .only_x = s->is_whole ? -1 : s->block_x,
                              .only_y = s->block_y,
                              .max_events = s->max_events,
                              .workers = s->workers,
                              .is_too_long = s->is_too_long};
    c->blocks = s->is_whole ? (size_t)s->config.grid_width * (size_t)s->config.grid_height *
                                  (size_t)s->config.grid_depth
                            : 1;
    c->replay = replay_create(visit, c);
    c->rows = g_array_new(FALSE, FALSE, sizeof(struct counting_row));
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        c->workers[i].rows = new_rows();
        c->workers[i].classes =
            g_hash_table_new_full(g_int64_hash, is_same_class, free_class, NULL);
        c->workers[i].outside = g_array_new(FALSE, FALSE, sizeof(struct lens_outside));
        c->workers[i].warps = g_hash_table_new(NULL, NULL);
    }
    if (!s->is_whole) c->steps = g_array_new(FALSE, FALSE, sizeof(struct lens_step));
    c->pieces = g_new(struct trace_piece, s->memory_count);
    c->trace.pieces = c->pieces;
    for (int i = 0; s->memory && i < s->memory_count; i++) {
        c->pieces[c->trace.piece_count++] =
            (struct trace_piece){s->memory[i].address, s->memory[i].bytes};
        array_limit_word(&s->memory[i].record, &c->trace.struct_word);
    }
    c->has_classes = s->is_whole && s->memory && !s->sharing;
    if (c->has_classes) c->trace.same = take_same;
    return c;
}

void counting_destroy(struct counting *c)
{
    if (!c) return;
    replay_destroy(c->replay);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        g_hash_table_destroy(c->workers[i].rows);
        g_hash_table_destroy(c->workers[i].classes);
        g_array_unref(c->workers[i].outside);
        g_hash_table_destroy(c->workers[i].warps);
        races_destroy(c->workers[i].races);
    }
    g_array_unref(c->rows);
    if (c->steps) g_array_unref(c->steps);
    g_free(c->pieces);
    g_free(c);
}

const struct trace *counting_trace(const struct counting *c)
{
    return &c->trace;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const guint64 first = key_of(a), second = key_of(b);
    return (first > second) - (first < second);
}

bool counting_is_settled(struct counting *c)
{
    if (replay_is_settled(c->replay)) {
        // Adds up what the workers have counted, in the rows of the first one.
        GHashTable *const all = c->workers[0].rows;
        GHashTableIter iter;
        gpointer at;
        for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
            if (i) add_rows(all, c->workers[i].rows, 1);
            g_hash_table_iter_init(&iter, c->workers[i].classes);
            while (g_hash_table_iter_next(&iter, &at, NULL))
                add_rows(all, ((struct class *)at)->rows, ((struct class *)at)->blocks);
        }
        g_hash_table_iter_init(&iter, all);
        while (g_hash_table_iter_next(&iter, NULL, &at)) g_array_append_vals(c->rows, at, 1);
        g_array_sort(c->rows, compare_rows);
        return true;
    }
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        g_hash_table_remove_all(c->workers[i].rows);
        g_hash_table_remove_all(c->workers[i].classes);
        c->workers[i].last = NULL;
        g_array_set_size(c->workers[i].outside, 0);
        g_clear_pointer(&c->workers[i].races, races_destroy);
    }
    if (c->setup.sharing) sharing_clear(c->setup.sharing);
    if (c->steps) g_array_set_size(c->steps, 0);
    c->is_full = false;
    atomic_store(&c->done, 0);
    return false;
}

bool counting_is_full(const struct counting *c)
{
    return c->is_full;
}

// Workers take blocks in any order. So that results do not depend on it, the first block is named.
static bool is_of_earlier_block(const struct lens_outside *a, const struct lens_outside *b)
{
    for (int i = 2; i > 0; i--)
        if (a->block[i] != b->block[i]) return a->block[i] < b->block[i];
    return a->block[0] < b->block[0];
}

const struct lens_outside *counting_outside(const struct counting *c)
{
    const struct lens_outside *first = NULL;
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        const GArray *found = c->workers[i].outside;
        const struct lens_outside *const o = (const struct lens_outside *)(void *)found->data;
        if (found->len && (!first || is_of_earlier_block(o, first))) first = o;
    }
    return first;
}

const struct counting_row *counting_rows(const struct counting *c, int *count)
{
    *count = (int)c->rows->len;
    return (const struct counting_row *)(const void *)c->rows->data;
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

// Orders by the kernel's own lines, and for each of them by those that were inlined.
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

static bool is_same_access(const struct lens_race *race, int i, const struct lens_race *other,
                           int k)
{
    const struct trace_chain *a = &race->chain[i], *b = &other->chain[k];
    if (!a->count || !b->count || race->race.kind[i] != other->race.kind[k]) return false;
    const struct trace_place *one = &a->places[a->count - 1], *two = &b->places[b->count - 1];
    return one->line == two->line && !strcmp(one->file, two->file);
}

// Takes each pair of lines of the kernel once, whichever of them came first.
static void fill_races(struct counting *c, GHashTable *chains, struct lens_pass *pass)
{
    int found;
    struct races *all = races_create();
    for (int i = 0; i < TRACE_MAX_WORKERS; i++)
        if (c->workers[i].races) races_merge(all, c->workers[i].races);
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

// Takes each line and array once, with the first block's access.
static void fill_outside(struct counting *c, GHashTable *chains, struct lens_pass *pass)
{
    pass->outside = g_new0(struct lens_outside, LENS_RESULT_MAX_OUTSIDE);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++)
        for (guint k = 0; k < c->workers[i].outside->len; k++) {
            struct lens_outside o = g_array_index(c->workers[i].outside, struct lens_outside, k);
            struct lens_outside *const end = pass->outside + pass->outside_count;
            struct lens_outside *at = pass->outside;
            o.chain = chain_of(chains, o.site);
            while (at < end && (compare_chains(&at->chain, &o.chain) || at->kind != o.kind ||
                                strcmp(at->array, o.array) != 0))
                at++;
            if (at == end && pass->outside_count == LENS_RESULT_MAX_OUTSIDE) continue;
            if (at == end) pass->outside_count++;
            if (at == end || is_of_earlier_block(&o, at)) *at = o;
        }
}

void counting_fill(struct counting *c, GHashTable *chains, struct lens_pass *pass)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct lens_line));
    for (guint i = 0; i < c->rows->len; i++) {
        const struct counting_row *row = &g_array_index(c->rows, struct counting_row, i);
        const struct lens_line line = {.chain = chain_of(chains, row->site),
                                       .space = (enum trace_space)row->space,
                                       .kind = (enum trace_kind)row->kind,
                                       .bytes = row->bytes,
                                       .counts = row->counts};
        g_array_append_val(lines, line);
        model_add(&pass->counts[row->space][row->kind], &row->counts);
    }
    g_array_sort(lines, compare_lines);
    // Rows of one line are one: a compiler may have made several instructions of it.
    for (guint i = lines->len; i-- > 1;) {
        struct lens_line *line = &g_array_index(lines, struct lens_line, i);
        if (compare_lines(line - 1, line)) continue;
        model_add(&line[-1].counts, &line->counts);
        g_array_remove_index(lines, i);
    }
    fill_races(c, chains, pass);
    fill_outside(c, chains, pass);
    if (c->steps) {
        pass->step_count = (int)c->steps->len;
        pass->steps = (struct lens_step *)g_array_free(c->steps, FALSE);
        c->steps = NULL;
        for (int i = 0; i < pass->step_count; i++) {
            struct lens_step *const s = &pass->steps[i];
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
