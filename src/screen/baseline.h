// baseline.h -- a result that the user has pinned, with which later ones are compared.
//
// It holds only words and figures, so it outlives edits of the kernel, reloads and restarts. A
// result can be compared with it if filter, params, sizes and device are the same; variant, block
// and unroll may differ, because these are what one tunes. Otherwise the module names what differs,
// and gives no figure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/planes.h"
#include "base/stats.h"
#include "filter/choice.h"

struct device;

enum { BASELINE_WORDS = 160 };

struct baseline {
    char filter[FILTER_NAME], variant[FILTER_NAME];
    char params[BASELINE_WORDS];  // "radius 3 · c 5"
    char block[32];               // "32×8 unrolled"
    char size[32];                // of the picture; empty: a lab's follows from its params
    char device[128];
    struct stats_summary ms;  // count 0: nothing is pinned
};

// The subject of a result. The picture is its shape.
struct baseline_subject {
    struct choice choice;
    struct planes picture;
    const struct device *device;
};

struct baseline baseline_pin(const struct baseline_subject *subject, struct stats_summary ms);

// "mean naive · radius 3 · 32×8", at most size bytes.
void baseline_write_name(const struct baseline *b, char *text, size_t size);

// Writes what differs, as in "params, device"; nothing if the two can be compared.
void baseline_write_differences(const struct baseline *b, const struct baseline_subject *subject,
                                char *text, size_t size);

// Writes by how many per cent a time is longer: "+3.4 %", "−12 %", "±0 %"; nothing if there is no
// time, nothing is pinned (also b NULL), or the two cannot be compared. False: they are not clearly
// different (figures_compare()), and the text is "unclear".
bool baseline_write_change(const struct baseline *b, const struct baseline_subject *subject,
                           struct stats_summary ms, char *text, size_t size);
