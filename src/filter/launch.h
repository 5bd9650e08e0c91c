// launch.h -- computes grids and shared bytes from a variant, a block and a picture, or says why
// the launch is illegal. It is arithmetic only, uses no device and launches nothing.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"
#include "filter/choice.h"
#include "filter/filter.h"

// Pixels that one block writes.
struct launch_tile {
    long long columns, rows, layers;
};

struct launch_pass {
    struct launch_config config;
    struct launch_tile tile;
    struct launch_tile domain;  // what the blocks divide among them
};

// The launches of all passes of a variant over a picture.
struct launch_plan {
    struct launch_pass passes[FILTER_MAX_PASSES];
    int pass_count;
    struct launch_config prepare, finish;  // of the untimed kernels; {0}: none
    int pitch;  // bytes of a row of interleaved planes; 0: planes lie as in planes.h
};

// Fills the plan. A lab's launches have a domain of their own and ignore the picture. It refuses,
// with the numbers, what the device cannot launch: too many threads, too much shared memory, a
// width that is no multiple of multiple_of, another shape for a fixed block, a grid beyond the
// limits, a picture with more or fewer planes than the kernel is written for, a library without a
// GPU. facts has an entry for each pass, or is NULL before compiling (then registers do not count).
bool launch_plan(struct launch_plan *plan, const struct choice *c, struct planes picture,
                 const struct device *device, const struct kernel_facts *facts, struct error *err);

// The block of threads that a variant is to run with: the chosen one, or its first pass's default.
// If all passes are fixed, launch_plan refuses any other one. A library has none: 0 by 0.
void launch_block(const struct variant *v, const struct settings *s, int *width, int *height);
// Writes threads or blocks for people: "32×8", or "8×8×2" where there are layers.
struct words launch_write_shape(int width, int height, int layers);
// Writes the same block for people: "32×8", or "library".
struct words launch_write_block(const struct variant *v, const struct settings *s);

// True if a variant is written for one block only, so that the choice of a block changes no pass.
bool launch_is_fixed(const struct variant *v);

// True if a variant's domain or tiles depend on the number of multiprocessors.
bool launch_uses_multiprocessors(const struct variant *v);

// The threads that a variant's last pass wants across and down; for a picture, its pixels. False:
// its domain= cannot be computed, or it is a library's.
bool launch_domain(const struct choice *c, struct planes picture, const struct device *d,
                   int *across, int *down);

// How many taps a direct filter reads for a pixel: (2 radius + 1)^2, or 1 without a radius.
double launch_taps(const struct filter *f, const struct settings *s);

// An upper bound on how the time of a launch grows; only ratios mean something. It counts the taps
// of a filter with a radius, or the elements of a lab's arrays, each with a row if the result is a
// matrix. It grows in proportion with every other whole number.
double launch_work(const struct filter *f, const struct settings *s);

// What a choice's filter is compiled for (struct build in backend.h): any params, or if unrolled a
// C initializer of struct launch_params with its ints as literals; and the width of strips that
// suits the choice's block, if its variant has strips (frame.h).
struct launch_build {
    char params[FILTER_LITERALS];  // "{5, given.sigma}"; empty: any
    int lanes;
    const struct variant *variant;
};
struct launch_build launch_build(const struct choice *c);
// The filter's calls without those of other variants' passes, for g_free. v NULL: of all variants'.
char *launch_calls(const struct filter *f, const struct variant *v);
