// traced_device.h -- the CPU device on which the lens traces: a filter that was compiled to be
// traced, the memory that its kernels run in, and the source lines of its instructions.
//
// It does not run a kernel. One thread makes all calls, and they wait.
#ifndef TRACED_DEVICE_H
#define TRACED_DEVICE_H

#include <glib.h>
#include <stdatomic.h>

#include "device/backend.h"
#include "filter/choice.h"
#include "frame/workspace.h"
#include "lens/share.h"
#include "lens/tracing.h"

struct traced_device {
    struct backend *backend;  // NULL: it failed; the next request opens one
    char *include;            // the folder with kernel.h
    enum share share;
    struct filter *filter;     // what module is of; NULL: there is none
    unsigned filters_version;  // when it was compiled
    struct module *module;
    GHashTable *chains;  // of its sites, to struct trace_chain
    struct workspace workspace;
    unsigned picture_version;  // that the workspace holds
    // All passes but the last have run in whole for this one, and would leave the same again.
    bool is_ready;
    struct choice ready;
};

// False: there is no device or no C compiler, and err says why.
bool traced_device_init(struct traced_device *d, const char *include, enum share share,
                        struct error *err);
void traced_device_finish(struct traced_device *d);
bool traced_device_open(struct traced_device *d, struct error *err);  // anew, if it was closed
void traced_device_close(struct traced_device *d);                    // it has failed

// The version (tracing.h) tells of headers, whose text the filter does not hold.
bool traced_device_must_build(const struct traced_device *d, const struct filter *f,
                              unsigned filters_version);
bool traced_device_build(struct traced_device *d, const struct filter *f, unsigned filters_version,
                         atomic_bool *cancel, struct error *err);
// The same choice of the filter's copy, which stays when the caller's is gone.
struct choice traced_device_choice(const struct traced_device *d, const struct choice *c);

// Brings the picture, and makes room for what the choice needs beside it.
bool traced_device_bring(struct traced_device *d, const struct tracing_request *request,
                         struct error *err);

// Learns the source lines of sites that are new. False: nobody can say them, and err says why.
bool traced_device_learn(struct traced_device *d, const unsigned int *sites, int count,
                         struct error *err);
// NULL: it is not known.
const struct trace_chain *traced_device_chain(const struct traced_device *d, unsigned int site);

#endif
