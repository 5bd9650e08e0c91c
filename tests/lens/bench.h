// bench.h -- what tests of traced choices share: the kernels, a picture of noise and the tracing.
// Whatever fails ends the test.
#pragma once

#include <glib.h>

#include "base/image.h"
#include "filter/filter.h"
#include "lens/tracing.h"

struct bench {
    struct tracing *tracing;
    struct filter_list filters;
    struct tracing_watch watch;
    struct image picture;
    unsigned picture_version;
    GPtrArray *results;
    atomic_bool is_told;  // by a kernel
};

// The parameters' defaults are those of the CPU.
void bench_open(struct bench *b, int width, int height, int planes);
void bench_close(struct bench *b);

void bench_make_picture(struct bench *b, int width, int height, int planes);

// A whole launch with the defaults.
struct tracing_request bench_request(const struct bench *b, const char *filter,
                                     const char *variant);
// The bench owns the result.
const struct lens_result *bench_trace(struct bench *b, const struct tracing_request *r);

// For cmocka, on the heap: a bench with a grey picture of 512×512.
int bench_set_up(void **state);
int bench_tear_down(void **state);
