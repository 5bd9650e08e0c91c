#include "lens/flow.h"

#include <glib.h>

enum { NONE = -1 };

struct node {
    unsigned int site;
    int out, in;  // the newest edges from here and to here, or NONE
    int join;
    bool is_used;  // the join was given to somebody
};

struct edge {
    int from, to;
    int next_out, next_in;  // the next of the same node, or NONE
};

struct flow {
    GArray *nodes, *edges;
    GHashTable *index;  // site to number
};

static struct node *node_at(const struct flow *f, int i)
{
    return &g_array_index(f->nodes, struct node, i);
}

static struct edge *edge_at(const struct flow *f, int i)
{
    return &g_array_index(f->edges, struct edge, i);
}

static int add_node(struct flow *f, unsigned int site)
{
    const struct node node = {site, NONE, NONE, FLOW_EXIT, false};
    g_array_append_val(f->nodes, node);
    return (int)f->nodes->len - 1;
}

struct flow *flow_create(void)
{
    struct flow *f = g_new0(struct flow, 1);
    f->nodes = g_array_new(FALSE, FALSE, sizeof(struct node));
    f->edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
    f->index = g_hash_table_new(NULL, NULL);
    add_node(f, 0);  // FLOW_EXIT
    add_node(f, 0);  // FLOW_ENTRY
    return f;
}

void flow_destroy(struct flow *f)
{
    if (!f) return;
    g_array_free(f->nodes, TRUE);
    g_array_free(f->edges, TRUE);
    g_hash_table_destroy(f->index);
    g_free(f);
}

// ---- learning ----

static int node_of_site(struct flow *f, unsigned int site)
{
    const gpointer key = GUINT_TO_POINTER(site);
    gpointer found;
    if (g_hash_table_lookup_extended(f->index, key, NULL, &found)) return GPOINTER_TO_INT(found);
    const int node = add_node(f, site);
    g_hash_table_insert(f->index, key, GINT_TO_POINTER(node));
    return node;
}

static bool has_edge(const struct flow *f, int from, int to)
{
    for (int i = node_at(f, from)->out; i != NONE; i = edge_at(f, i)->next_out)
        if (edge_at(f, i)->to == to) return true;
    return false;
}

static bool add_edge(struct flow *f, int from, int to)
{
    if (has_edge(f, from, to)) return false;
    struct node *const source = node_at(f, from), *const target = node_at(f, to);
    const struct edge edge = {from, to, source->out, target->in};
    source->out = target->in = (int)f->edges->len;
    g_array_append_val(f->edges, edge);
    return true;
}

static int find_next(const struct flow *f, int node, unsigned int site)
{
    for (int i = node_at(f, node)->out; i != NONE; i = edge_at(f, i)->next_out) {
        const int to = edge_at(f, i)->to;
        if (to != FLOW_EXIT && node_at(f, to)->site == site) return to;
    }
    return NONE;
}

int flow_next(const struct flow *f, int node, unsigned int site)
{
    const int next = find_next(f, node, site);
    g_assert(next != NONE);
    return next;
}

bool flow_learn(struct flow *f, struct trace_thread thread)
{
    bool is_new = false;
    int node = FLOW_ENTRY;
    for (size_t i = 0; i < thread.count; i++) {
        if (thread.events[i].kind != TRACE_FLOW) continue;
        int next = find_next(f, node, thread.events[i].site);
        if (next == NONE) {
            next = node_of_site(f, thread.events[i].site);
            is_new |= add_edge(f, node, next);
        }
        node = next;
    }
    return add_edge(f, node, FLOW_EXIT) || is_new;
}

bool flow_merge(struct flow *to, const struct flow *from)
{
    bool is_new = false;
    for (int i = 0; i < (int)from->edges->len; i++) {
        int ends[] = {edge_at(from, i)->from, edge_at(from, i)->to};
        for (int k = 0; k < 2; k++)
            if (ends[k] > FLOW_ENTRY) ends[k] = node_of_site(to, node_at(from, ends[k])->site);
        is_new |= add_edge(to, ends[0], ends[1]);
    }
    return is_new;
}

// ---- joins ----

// Post-dominators are the dominators of the graph with all edges turned round, from the exit. The
// algorithm is that of K. D. Cooper, T. J. Harvey and K. Kennedy, "A Simple, Fast Dominance
// Algorithm" (2001): in an order in which most nodes come after their dominators, take for each
// the nearest common one of its neighbours, until nothing changes.
struct search {
    const struct flow *f;
    int *order;   // the nodes that reach the exit, each after those it leads to from the exit
    int *number;  // a node's place in order, or NONE
    int *join;    // or NONE: not known yet
    int count;
};

// Numbers the nodes in postorder, against the edges. The stack holds nodes, and the edge that each
// will follow next.
static void number_nodes(struct search *s)
{
    const int nodes = (int)s->f->nodes->len;
    int *const stack = g_new(int, nodes), *const edge = g_new(int, nodes);
    bool *const is_seen = g_new0(bool, nodes);
    int depth = 0;
    stack[depth++] = FLOW_EXIT;
    edge[FLOW_EXIT] = node_at(s->f, FLOW_EXIT)->in;
    is_seen[FLOW_EXIT] = true;
    while (depth) {
        const int node = stack[depth - 1], i = edge[node];
        if (i == NONE) {
            s->number[node] = s->count;
            s->order[s->count++] = node;
            depth--;
            continue;
        }
        edge[node] = edge_at(s->f, i)->next_in;
        const int from = edge_at(s->f, i)->from;
        if (is_seen[from]) continue;
        is_seen[from] = true;
        edge[from] = node_at(s->f, from)->in;
        stack[depth++] = from;
    }
    g_free(stack);
    g_free(edge);
    g_free(is_seen);
}

// The nearest node that both lead through.
static int nearest(const struct search *s, int a, int b)
{
    while (a != b) {
        while (s->number[a] < s->number[b]) a = s->join[a];
        while (s->number[b] < s->number[a]) b = s->join[b];
    }
    return a;
}

static int join_of(const struct search *s, int node)
{
    int join = NONE;
    for (int i = node_at(s->f, node)->out; i != NONE; i = edge_at(s->f, i)->next_out) {
        const int to = edge_at(s->f, i)->to;
        if (s->join[to] != NONE) join = join == NONE ? to : nearest(s, join, to);
    }
    return join;
}

static void search_joins(struct search *s)
{
    s->join[FLOW_EXIT] = FLOW_EXIT;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int i = s->count - 2; i >= 0; i--) {  // the exit is the last
            const int node = s->order[i], join = join_of(s, node);
            is_changed |= join != s->join[node];
            s->join[node] = join;
        }
    }
}

bool flow_find_joins(struct flow *f)
{
    const int nodes = (int)f->nodes->len;
    struct search s = {f, g_new(int, nodes), g_new(int, nodes), g_new(int, nodes), 0};
    for (int i = 0; i < nodes; i++) s.number[i] = s.join[i] = NONE;
    number_nodes(&s);
    search_joins(&s);
    bool is_same = true;
    for (int i = 0; i < nodes; i++) {
        const int join = s.join[i] == NONE ? FLOW_EXIT : s.join[i];
        is_same &= join == node_at(f, i)->join || !node_at(f, i)->is_used;
        node_at(f, i)->join = join;
    }
    g_free(s.order);
    g_free(s.number);
    g_free(s.join);
    return is_same;
}

int flow_join(struct flow *f, int node)
{
    node_at(f, node)->is_used = true;
    return node_at(f, node)->join;
}

void flow_forget(struct flow *f)
{
    for (int i = 0; i < (int)f->nodes->len; i++) node_at(f, i)->is_used = false;
}
