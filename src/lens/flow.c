#include "lens/flow.h"

#include <glib.h>

enum { NONE = -1 };
enum way { BACK, FORTH, WAYS };  // along edges

struct node {
    unsigned int site;
    int edge[WAYS];  // the newest that leads from here this way, or NONE
    struct flow_join join;
    bool is_used;  // the join was given to somebody
};

struct edge {
    int end[WAYS];   // where it leads
    int next[WAYS];  // the next one that leads this way from the same node, or NONE
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
    const struct node node = {site, {NONE, NONE}, {FLOW_EXIT, FLOW_EXIT, FLOW_EXIT}, false};
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

static bool add_edge(struct flow *f, int from, int to)
{
    for (int i = node_at(f, from)->edge[FORTH]; i != NONE; i = edge_at(f, i)->next[FORTH])
        if (edge_at(f, i)->end[FORTH] == to) return false;
    struct node *const source = node_at(f, from), *const target = node_at(f, to);
    const struct edge edge = {{from, to}, {target->edge[BACK], source->edge[FORTH]}};
    source->edge[FORTH] = target->edge[BACK] = (int)f->edges->len;
    g_array_append_val(f->edges, edge);
    return true;
}

static int find_next(const struct flow *f, int node, unsigned int site)
{
    for (int i = node_at(f, node)->edge[FORTH]; i != NONE; i = edge_at(f, i)->next[FORTH]) {
        const int to = edge_at(f, i)->end[FORTH];
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
        int ends[] = {edge_at(from, i)->end[BACK], edge_at(from, i)->end[FORTH]};
        for (int k = 0; k < 2; k++)
            if (ends[k] > FLOW_ENTRY) ends[k] = node_of_site(to, node_at(from, ends[k])->site);
        is_new |= add_edge(to, ends[0], ends[1]);
    }
    return is_new;
}

// ---- an order of the nodes ----

// Nodes in postorder, from the entry along the edges or from the exit against them.
struct order {
    int *nodes;
    int *number;  // a node's place among them, or NONE: it is not reached
    int count;
};

// The stack holds nodes, and the edge that each will follow next.
static struct order order_nodes(const struct flow *f, int start, enum way way)
{
    const int count = (int)f->nodes->len;
    struct order o = {g_new(int, count), g_new(int, count), 0};
    g_autofree int *stack = g_new(int, count), *edge = g_new(int, count);
    g_autofree bool *is_seen = g_new0(bool, count);
    for (int i = 0; i < count; i++) o.number[i] = NONE;
    int depth = 0;
    for (int node = start; node != NONE;) {
        if (!is_seen[node]) {
            is_seen[node] = true;
            edge[node] = node_at(f, node)->edge[way];
            stack[depth++] = node;
        }
        const int i = edge[node];
        if (i == NONE) {
            o.number[node] = o.count;
            o.nodes[o.count++] = node;
            depth--;
        } else {
            edge[node] = edge_at(f, i)->next[way];
        }
        const int far = i == NONE ? NONE : edge_at(f, i)->end[way];
        node = far != NONE && !is_seen[far] ? far : depth ? stack[depth - 1] : NONE;
    }
    return o;
}

static void free_order(struct order *o)
{
    g_free(o->nodes);
    g_free(o->number);
}

// ---- the last join ----

// Post-dominators are the dominators of the graph with all edges turned round, from the exit. The
// algorithm is that of K. D. Cooper, T. J. Harvey and K. Kennedy, "A Simple, Fast Dominance
// Algorithm" (2001): in an order in which most nodes come after their dominators, take for each
// the nearest common one of its neighbours, until nothing changes.
static void find_last(const struct flow *f, struct flow_join *joins)
{
    const int count = (int)f->nodes->len;
    struct order o = order_nodes(f, FLOW_EXIT, BACK);
    g_autofree int *known = g_new(int, count);  // joins, or NONE
    for (int i = 0; i < count; i++) known[i] = NONE;
    known[FLOW_EXIT] = FLOW_EXIT;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int k = o.count - 2; k >= 0; k--) {  // the exit is the last
            const int node = o.nodes[k];
            int join = NONE;
            for (int i = node_at(f, node)->edge[FORTH]; i != NONE; i = edge_at(f, i)->next[FORTH]) {
                int to = edge_at(f, i)->end[FORTH];
                if (known[to] == NONE) continue;
                if (join == NONE) join = to;
                while (join != to) {  // goes to the nearest node that both lead through
                    while (o.number[join] < o.number[to]) join = known[join];
                    while (o.number[to] < o.number[join]) to = known[to];
                }
            }
            is_changed |= join != known[node];
            known[node] = join;
        }
    }
    for (int i = 0; i < count; i++) joins[i].last = known[i] == NONE ? FLOW_EXIT : known[i];
    free_order(&o);
}

// ---- loops ----

// Lists a node and all that lead to it (BACK), or that it leads to (FORTH), without passing the
// barrier. is_in marks those that are listed already. Returns how many were added.
static int spread(const struct flow *f, int from, int barrier, enum way way, int *list, bool *is_in)
{
    int count = 0;
    if (is_in[from]) return 0;
    is_in[from] = true;
    list[count++] = from;
    for (int k = 0; k < count; k++) {
        if (list[k] == barrier) continue;
        for (int i = node_at(f, list[k])->edge[way]; i != NONE; i = edge_at(f, i)->next[way]) {
            const int far = edge_at(f, i)->end[way];
            if (is_in[far]) continue;
            is_in[far] = true;
            list[count++] = far;
        }
    }
    return count;
}

// An edge to a node that comes later in postorder closes a loop, whose head it leads to. The nodes
// between belong to it. Of the loops around a node the smallest counts.
static void find_heads(const struct flow *f, const struct order *o, struct flow_join *joins)
{
    const int nodes = (int)f->nodes->len;
    g_autofree int *list = g_new(int, nodes), *smallest = g_new(int, nodes);
    g_autofree bool *is_in = g_new(bool, nodes);
    for (int i = 0; i < nodes; i++) smallest[i] = nodes + 1;
    for (int i = 0; i < (int)f->edges->len; i++) {
        const int from = edge_at(f, i)->end[BACK], head = edge_at(f, i)->end[FORTH];
        if (o->number[head] < o->number[from]) continue;
        for (int k = 0; k < nodes; k++) is_in[k] = false;
        is_in[head] = true;
        list[0] = head;
        const int count = 1 + spread(f, from, head, BACK, list + 1, is_in);
        for (int k = 0; k < count; k++) {
            if (count >= smallest[list[k]]) continue;
            smallest[list[k]] = count;
            joins[list[k]].head = head;
        }
    }
}

// ---- the first join ----

// The earliest node, as threads run, that two edges of this node lead to.
static int first_of(const struct flow *f, const struct order *o, int node, int head)
{
    const int nodes = (int)f->nodes->len, none = head == FLOW_EXIT ? NONE : head;
    g_autofree int *list = g_new(int, nodes), *visits = g_new0(int, nodes);
    int first = FLOW_EXIT;
    g_autofree bool *is_in = g_new(bool, nodes);
    for (int i = node_at(f, node)->edge[FORTH]; i != NONE; i = edge_at(f, i)->next[FORTH]) {
        for (int k = 0; k < nodes; k++) is_in[k] = false;
        const int count = spread(f, edge_at(f, i)->end[FORTH], none, FORTH, list, is_in);
        for (int k = 0; k < count; k++) visits[list[k]]++;
    }
    for (int k = 0; k < nodes; k++)
        if (visits[k] > 1 && k != none && o->number[k] > o->number[first]) first = k;
    return first;
}

bool flow_find_joins(struct flow *f)
{
    const int nodes = (int)f->nodes->len;
    g_autofree struct flow_join *joins = g_new0(struct flow_join, nodes);  // FLOW_EXIT
    struct order o = order_nodes(f, FLOW_ENTRY, FORTH);
    find_last(f, joins);
    find_heads(f, &o, joins);
    bool is_same = true;
    for (int i = 0; i < nodes; i++) {
        struct node *node = node_at(f, i);
        const int out = node->edge[FORTH];
        const bool is_fork = out != NONE && edge_at(f, out)->next[FORTH] != NONE;
        if (is_fork) joins[i].first = first_of(f, &o, i, joins[i].head);
        is_same &= !node->is_used ||
                   (joins[i].first == node->join.first && joins[i].head == node->join.head &&
                    joins[i].last == node->join.last);
        node->join = joins[i];
    }
    free_order(&o);
    return is_same;
}

struct flow_join flow_join(struct flow *f, int node)
{
    node_at(f, node)->is_used = true;
    return node_at(f, node)->join;
}

void flow_forget(struct flow *f)
{
    for (int i = 0; i < (int)f->nodes->len; i++) node_at(f, i)->is_used = false;
}
