// traces.h -- the one record of traces: what the lens has counted of blocks and whole launches, or
// why it cannot.
//
//     traces_want(t, &request, use);      as long as it is needed, before each poll
//     is_new = traces_poll(t, &scene);    once a turn
//     found = traces_get(t, &request, use);
//
// A poll takes what was traced and begins what is wanted most. One block and one whole launch are
// traced at the same time, each on a thread of its own. A request that is wanted more takes the
// place of the running one. So does the next request, once nobody wants the running one.
//
// A result that nobody has wanted for two seconds is freed. So are the devices, once they are idle
// for as long. Most memory is taken by a block's steps: of blocks that nobody wants, only the last
// few keep them.
//
// It knows no side and no cursor. One thread makes all calls. Only traces_wait waits, but a poll
// with a new picture may take some milliseconds.
#pragma once

#include <stdbool.h>

#include "base/planes.h"
#include "base/terminal.h"
#include "lens/lens_result.h"
#include "lens/tracing.h"

struct traces;

// What a trace is for; those above are traced first.
enum traces_use {
    TRACES_STEPS,   // its requests are shown one by one; of a whole launch, its sectors
    TRACES_COUNTS,  // only counts: the result may have no steps
    TRACES_FIGURE,  // likewise, and it is wanted until the picture or the kernels change
};

// include: the folder with kernel.h. A command traces alone: it wants only blocks or only whole
// launches, its picture stays as it is, and all that it gets has steps. A window's picture is
// copied.
struct traces *traces_create(const char *include, bool is_alone);
void traces_destroy(struct traces *t);  // accepts NULL

// The request's picture does not matter. If its versions are not those of the next poll's scene, it
// is not traced.
void traces_want(struct traces *t, const struct tracing_request *request, enum traces_use use);

struct traces_scene {
    struct planes picture;  // borrowed by the call
    unsigned picture_version, filters_version;
};
bool traces_poll(struct traces *t, const struct traces_scene *scene);  // true: there is news
bool traces_are_busy(const struct traces *t);                          // something is traced

enum traces_state {
    TRACES_UNKNOWN,  // nobody wants it
    TRACES_WAITING,
    TRACES_BUILDING,  // its kernels are compiled
    TRACES_TRACING,
    TRACES_DONE,
    TRACES_FAILED,
};

struct traces_found {
    enum traces_state state;
    const struct lens_result *result;  // of DONE, else NULL; valid until the next poll, or
                                       // as long as it is a figure's
    const char *why;                   // of FAILED, else NULL: a line or a compiler's log
    int percent;                       // of TRACING
};
struct traces_found traces_get(const struct traces *t, const struct tracing_request *request,
                               enum traces_use use);

// For a command: waits until a figure is there, or a signal ends the program (signals.h). The
// request has its picture. shown displays how far it is; may be NULL.
struct traces_found traces_wait(struct traces *t, const struct tracing_request *request,
                                struct terminal_progress *shown);
