// flow.h -- a kernel's control-flow graph, learned from what its threads did.
//
// A node is a basic block; an edge says that some thread went from one to the other. Edges only
// ever come in addition, over all threads of all blocks. Where lanes part, they meet again at the
// join of the node that they part from: its immediate post-dominator, the first node that every
// way from there to the end leads through.
//
// A graph that lacks an edge may have a join that is too early. Whoever has used a join is told
// when it changes.
//
// One thread at a time.
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>

#include "device/trace.h"

struct flow;

// Nodes are numbered as they are met; these two are always there.
enum {
    FLOW_EXIT,   // the thread has ended
    FLOW_ENTRY,  // what a thread does before its first basic block
};

struct flow *flow_create(void);
void flow_destroy(struct flow *f);  // accepts NULL

// Adds the way of a thread, and all edges of another graph. True: there was something new.
bool flow_learn(struct flow *f, struct trace_thread thread);
bool flow_merge(struct flow *to, const struct flow *from);

// The node that a thread goes to from another when it enters a site. The edge has been learned.
int flow_next(const struct flow *f, int node, unsigned int site);

// Finds the joins anew; flow_join needs it after each change. False: a join that flow_join has
// given since flow_forget is now another.
bool flow_find_joins(struct flow *f);
int flow_join(struct flow *f, int node);  // FLOW_EXIT: nowhere
void flow_forget(struct flow *f);

#endif
