// replay.h -- puts the threads of a traced launch together again as warps.
//
// The emulator runs one thread after the other; a GPU runs 32 at a time. Lanes that do the same run
// together. Where they part, each group runs alone up to the node where their paths meet (flow.h),
// and there they go on together. The result is the requests of each warp, in an order in which a
// GPU may make them.
//
// A GPU's compiler knows all paths through a kernel; the replay knows only those that some thread
// has taken. A path that is seen late may show that lanes met too early before. Then
// replay_is_settled says so, and the launch has to be traced once more:
//
//     do {
//         forget what the visitor has been told;
//         trace the launch, with replay_block() for each block;
//     } while (!replay_is_settled(r));
//
// It ends, because each round knows more paths than the one before. A second round is rare.
//
// replay_block may be called on several threads at once, each with a worker number of its own.
#pragma once

#include <string.h>

#include "device/trace.h"
#include "lens/model.h"

// One request, and where in its block it was made.
struct replay_step {
    int warp;
    int instance;  // how many requests of this site the warp has made before
    struct lens_request request;
};

typedef void replay_visitor(void *data, int worker, const struct replay_step *step);

struct replay;

struct replay *replay_create(replay_visitor *visit, void *data);
void replay_destroy(struct replay *r);  // accepts NULL

// Gives the visitor all requests of a block: warp after warp, each in its order.
void replay_block(struct replay *r, int worker, const struct trace_block *block);

// The key of an access: all of its event but the address. Accesses of several lanes with one key
// are one request.
static inline unsigned long long replay_key(const struct trace_event *e)
{
    unsigned long long key;
    _Static_assert(offsetof(struct trace_event, site) + sizeof key == sizeof *e, "all of it");
    memcpy(&key, &e->site, sizeof key);
    return key;
}

// After a launch. True: the requests were right. False: trace the launch again.
bool replay_is_settled(struct replay *r);
