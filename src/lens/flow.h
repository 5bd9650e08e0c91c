// flow.h -- a kernel's control-flow graph, learned from what its threads did.
//
// A node is a basic block; an edge says that some thread went from one to the other. The threads
// of all blocks add edges, and none is removed. Where lanes part, some of them meet again early
// and others late, as on a GPU since Volta, whose compiler places a barrier at each join:
//
//     A ─▶ B ─▶ X ─▶ Z     if (a && b) X; else Y; Z;
//     │    ▼         ▲     Lanes that part behind A meet in Y first, and all of them in Z.
//     └──▶ Y ────────┘
//
// A graph that lacks an edge may have a join that is too early. flow_find_joins() tells when a join
// that was used has changed.
//
// One thread at a time.
#pragma once

#include <stdbool.h>

#include "device/trace.h"

struct flow;

// Nodes are numbered as they are met; these two are always there.
enum {
    FLOW_EXIT,   // the thread has ended
    FLOW_ENTRY,  // what a thread does before its first basic block
};

// Where lanes meet again that part behind a node. FLOW_EXIT: there is no such place.
struct flow_join {
    int first;  // the first node that two paths from it share, before the loop's next round
    int head;   // of the innermost loop around the node: its next round begins here
    int last;   // the first node that all paths to the end lead through
};

struct flow *flow_create(void);
void flow_destroy(struct flow *f);  // accepts NULL

// Adds the path of a thread, or all edges of another graph. True: there was something new.
bool flow_learn(struct flow *f, struct trace_thread thread);
bool flow_merge(struct flow *to, const struct flow *from);

// The node that a thread reaches from `node` when it enters `site`. That edge must be learned.
int flow_next(const struct flow *f, int node, unsigned int site);

// Finds the joins anew; flow_join needs it after each change. False: a join that flow_join has
// given since flow_forget is now another.
bool flow_find_joins(struct flow *f);
struct flow_join flow_join(struct flow *f, int node);
void flow_forget(struct flow *f);
