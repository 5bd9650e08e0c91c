#include "lens/replay.h"

#include <glib.h>
#include <stdatomic.h>

#include "lens/flow.h"

enum { LANES = MODEL_LANES, MAX_WARPS = 32 };

// How many requests of a site the replayed warp has made.
struct visits {
    unsigned int warp;  // the number of that warp, since the count of an older one is void
    int count;
};

struct worker {
    struct flow *flow;     // all edges that this worker knows
    unsigned int version;  // of the common graph that it has seen
    bool is_stale;         // a join that was used has changed
    unsigned int warp;     // warps that were begun
    GHashTable *visits;    // of each site
    GArray *groups;        // of the warp, as a stack
};

struct replay {
    replay_visitor *visit;
    void *data;
    GMutex lock;          // of common
    struct flow *common;  // the edges that the workers have told each other
    atomic_uint version;  // changes with common
    struct worker workers[TRACE_MAX_WORKERS];
};

// Lanes that run together. Each group is a part of one below it on the stack.
struct group {
    unsigned int lanes;
    int stop;  // the node where they wait for others
    int last;  // the node they were in together
};

// A warp while it is replayed.
struct warp {
    struct replay *replay;
    struct worker *worker;
    struct replay_step step;
    const struct trace_event *at[LANES], *end[LANES];
    unsigned int lanes;  // that have events
    int node[LANES];     // where a lane is going to
};

struct replay *replay_create(replay_visitor *visit, void *data)
{
    struct replay *r = g_new0(struct replay, 1);
    r->visit = visit;
    r->data = data;
    g_mutex_init(&r->lock);
    r->common = flow_create();
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        r->workers[i].flow = flow_create();
        r->workers[i].visits = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        r->workers[i].groups = g_array_new(FALSE, FALSE, sizeof(struct group));
    }
    return r;
}

void replay_destroy(struct replay *r)
{
    if (!r) return;
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        flow_destroy(r->workers[i].flow);
        g_hash_table_destroy(r->workers[i].visits);
        g_array_free(r->workers[i].groups, TRUE);
    }
    flow_destroy(r->common);
    g_mutex_clear(&r->lock);
    g_free(r);
}

// ---- requests ----

static int first_lane(unsigned int lanes)
{
    return __builtin_ctz(lanes);
}

// Makes the request of these lanes' next accesses, which are alike, and goes past them.
static void make_request(struct warp *w, unsigned int lanes)
{
    const struct trace_event *first = w->at[first_lane(lanes)];
    struct lens_request *r = &w->step.request;
    r->active = lanes;
    r->site = first->site;
    r->kind = first->kind;
    r->space = first->space;
    r->bytes = first->bytes;
    for (unsigned int left = lanes; left; left &= left - 1) {
        const int lane = first_lane(left);
        r->address[lane] = w->at[lane]++->address;
    }
    struct visits *v = g_hash_table_lookup(w->worker->visits, GUINT_TO_POINTER(r->site));
    if (!v) {
        v = g_new0(struct visits, 1);
        g_hash_table_insert(w->worker->visits, GUINT_TO_POINTER(r->site), v);
    }
    if (v->warp != w->worker->warp) *v = (struct visits){w->worker->warp, 0};
    w->step.instance = v->count++;
    w->replay->visit(w->replay->data, (int)(w->worker - w->replay->workers), &w->step);
}

// ---- inside a basic block ----

static unsigned int lanes_with_key(const struct warp *w, unsigned int lanes, unsigned long long key)
{
    unsigned int found = 0;
    for (unsigned int left = lanes; left; left &= left - 1)
        if (replay_key(w->at[first_lane(left)]) == key) found |= left & -left;
    return found;
}

// The lanes whose access is next. A lane may leave one out, for example if it went to memory of its
// own. So an access must wait while another lane makes it later in this basic block.
static unsigned int next_lanes(const struct warp *w, unsigned int lanes)
{
    const unsigned int alike = lanes_with_key(w, lanes, replay_key(w->at[first_lane(lanes)]));
    if (alike == lanes) return lanes;
    for (unsigned int left = lanes; left; left &= left - 1) {
        const unsigned long long key = replay_key(w->at[first_lane(left)]);
        const unsigned int together = lanes_with_key(w, lanes, key);
        bool must_wait = false;
        for (unsigned int others = lanes & ~together; others; others &= others - 1) {
            const int lane = first_lane(others);
            const struct trace_event *e = w->at[lane] + 1;
            while (e < w->end[lane] && e->kind != TRACE_FLOW && replay_key(e) != key) e++;
            must_wait |= e < w->end[lane] && e->kind != TRACE_FLOW;
        }
        if (!must_wait) return together;
    }
    return alike;
}

// Lets the lanes go through the node they are at.
static void go_through(struct warp *w, unsigned int lanes, int node)
{
    if (node != FLOW_ENTRY)
        for (unsigned int left = lanes; left; left &= left - 1) w->at[first_lane(left)]++;
    for (;;) {
        unsigned int with_access = 0;
        for (unsigned int left = lanes; left; left &= left - 1) {
            const int lane = first_lane(left);
            if (w->at[lane] < w->end[lane] && w->at[lane]->kind != TRACE_FLOW)
                with_access |= left & -left;
        }
        if (!with_access) break;
        make_request(w, next_lanes(w, with_access));
    }
    int next = FLOW_EXIT;
    unsigned int site = 0;  // that leads to next; most lanes go where the one before them went
    for (unsigned int left = lanes; left; left &= left - 1) {
        const int lane = first_lane(left);
        const bool has_ended = w->at[lane] == w->end[lane];
        if (!has_ended && (next == FLOW_EXIT || w->at[lane]->site != site)) {
            site = w->at[lane]->site;
            next = flow_next(w->worker->flow, node, site);
        }
        w->node[lane] = has_ended ? FLOW_EXIT : next;
    }
}

// ---- warps ----

static unsigned int lanes_at(const struct warp *w, unsigned int lanes, int node)
{
    unsigned int found = 0;
    for (unsigned int left = lanes; left; left &= left - 1)
        if (w->node[first_lane(left)] == node) found |= left & -left;
    return found;
}

static void push(struct warp *w, unsigned int lanes, int stop, int last)
{
    const struct group group = {lanes, stop, last};
    g_array_append_val(w->worker->groups, group);
}

static bool is_stop(const struct worker *w, int node)
{
    bool is_found = node == FLOW_EXIT;
    for (guint i = 0; i < w->groups->len && !is_found; i++)
        is_found = g_array_index(w->groups, struct group, i).stop == node;
    return is_found;
}

// Lanes that have ended, or wait for others where a group stops.
static unsigned int waiting_lanes(const struct warp *w, unsigned int lanes)
{
    unsigned int found = 0;
    for (unsigned int left = lanes; left;) {
        const int node = w->node[first_lane(left)];
        const unsigned int together = lanes_at(w, left, node);
        if (is_stop(w->worker, node)) found |= together;
        left &= ~together;
    }
    return found;
}

static void run_groups(struct warp *w)
{
    GArray *const groups = w->worker->groups;
    for (int lane = 0; lane < LANES; lane++) w->node[lane] = FLOW_ENTRY;
    push(w, w->lanes, FLOW_EXIT, FLOW_ENTRY);
    while (groups->len) {
        struct group *g = &g_array_index(groups, struct group, groups->len - 1);
        const unsigned int lanes = g->lanes & ~waiting_lanes(w, g->lanes);
        if (!lanes) {
            g_array_set_size(groups, groups->len - 1);
            continue;
        }
        const int node = w->node[first_lane(lanes)];
        if (lanes_at(w, lanes, node) == lanes) {
            g->last = node;
            go_through(w, lanes, node);
            continue;
        }
        // Parts lanes that go to different nodes. The part of the lowest lane runs first. Parts
        // stop where two paths meet, and the lanes that have met there go on. Others wait for them
        // at the next round of the loop, or where all paths meet.
        const int last = g->last;
        const struct flow_join join = flow_join(w->worker->flow, last);
        if (!is_stop(w->worker, join.last)) push(w, lanes, join.last, last);
        if (!is_stop(w->worker, join.head)) push(w, lanes, join.head, last);
        struct group parts[LANES];
        int count = 0;
        unsigned int left = lanes & ~waiting_lanes(w, lanes);
        for (left &= ~lanes_at(w, left, join.first); left;) {
            const int next = w->node[first_lane(left)];
            parts[count++] = (struct group){lanes_at(w, left, next), join.first, next};
            left &= ~lanes_at(w, left, next);
        }
        while (count--) push(w, parts[count].lanes, parts[count].stop, parts[count].last);
    }
}

// ---- blocks ----

// Learns the paths of a warp's lanes. True: all lanes do the same.
static bool learn_warp(struct flow *f, const struct trace_block *b, int number, bool *is_new)
{
    const struct trace_thread *threads = b->threads + number * LANES;
    const int count = MIN(LANES, b->width * b->height - number * LANES);
    const struct trace_thread *newest = NULL;
    bool is_uniform = true;
    for (int lane = 0; lane < count; lane++) {
        if (!threads[lane].count) continue;
        bool is_alike = newest && newest->count == threads[lane].count;
        for (size_t i = 0; i < threads[lane].count && is_alike; i++)
            is_alike = replay_key(&newest->events[i]) == replay_key(&threads[lane].events[i]);
        if (is_alike) continue;
        is_uniform = !newest;
        newest = &threads[lane];
        *is_new |= flow_learn(f, *newest);
    }
    return is_uniform;
}

void replay_block(struct replay *r, int worker, const struct trace_block *block)
{
    struct warp w = {.replay = r, .worker = &r->workers[worker]};
    const int threads = block->width * block->height, warps = (threads + LANES - 1) / LANES;
    bool is_uniform[MAX_WARPS], has_news = false;
    for (int i = 0; i < warps; i++) is_uniform[i] = learn_warp(w.worker->flow, block, i, &has_news);
    // Workers exchange the edges that they have learned.
    if (has_news || w.worker->version != atomic_load(&r->version)) {
        g_mutex_lock(&r->lock);
        if (flow_merge(r->common, w.worker->flow)) atomic_fetch_add(&r->version, 1);
        flow_merge(w.worker->flow, r->common);
        w.worker->version = atomic_load(&r->version);
        g_mutex_unlock(&r->lock);
        w.worker->is_stale |= !flow_find_joins(w.worker->flow);
    }
    for (int i = 0; i < warps; i++) {
        w.step.warp = i;
        w.lanes = 0;
        for (int lane = 0; lane < LANES && i * LANES + lane < threads; lane++) {
            const struct trace_thread thread = block->threads[i * LANES + lane];
            if (!thread.count) continue;
            w.lanes |= 1u << lane;
            w.at[lane] = thread.events;
            w.end[lane] = thread.events + thread.count;
        }
        w.worker->warp++;
        if (!w.lanes) continue;
        if (!is_uniform[i]) {
            run_groups(&w);
            continue;
        }
        // All lanes do the same: their requests follow without a look at the graph.
        const int first = first_lane(w.lanes);
        for (const struct trace_event *e = w.at[first]; e < w.end[first];) {
            const struct trace_event *const before = e;
            while (e < w.end[first] && e->kind == TRACE_FLOW) e++;
            for (unsigned int left = w.lanes; left; left &= left - 1)
                w.at[first_lane(left)] += e - before;
            for (; e < w.end[first] && e->kind != TRACE_FLOW; e++) make_request(&w, w.lanes);
        }
    }
}

bool replay_is_settled(struct replay *r)
{
    bool is_settled = true;
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) flow_merge(r->common, r->workers[i].flow);
    for (int i = 0; i < TRACE_MAX_WORKERS; i++) {
        struct worker *w = &r->workers[i];
        flow_merge(w->flow, r->common);
        is_settled &= flow_find_joins(w->flow) && !w->is_stale;
        flow_forget(w->flow);
        w->is_stale = false;
    }
    return is_settled;
}
