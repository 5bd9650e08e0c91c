// bench_needs.h -- the memory that a run of bench.h needs, so that it can be refused before it
// allocates any.
#ifndef BENCH_NEEDS_H
#define BENCH_NEEDS_H

#include <stddef.h>

#include "frame/workspace.h"
#include "measure/bench.h"

// On the device, and on the host. Host copies of a lab's in arrays, which a check may do without,
// do not count.
size_t bench_needs_device_bytes(const struct bench_job *job);
size_t bench_needs_host_bytes(const struct bench_job *job);

// What the cases of pictures share on the device beside the picture and its target.
struct workspace_needs bench_needs_workspace(const struct bench_job *job);

#endif
