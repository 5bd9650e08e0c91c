// tour_value.h -- finds the value of a tour's figure among what was measured and counted.
//
// The window and the player without one bring their own records; only this module says what a
// figure means. The module does not measure, trace or compile. One thread uses it.
#pragma once

#include "base/planes.h"
#include "filter/choice.h"
#include "frame/frame.h"
#include "lens/tracing.h"
#include "frame/results.h"
#include "tour/tour_figure.h"

// Times of the window's frames of the shown choice, in milliseconds.
struct tour_screen_times {
    struct stats_summary frame, host;
};

// The shown choice, and the functions that know its figures. All is borrowed.
struct tour_source {
    struct choice shown;
    struct planes picture;
    const struct device *device;
    const struct results *results;
    void *user;
    // Counts the block of a request. NULL: not counted yet; or never, and why says so.
    const struct lens_result *(*block)(void *user, const struct tracing_request *request,
                                       struct error *why);
    // Plans a point with its module. False: not compiled yet; or never, and why says so. NULL: the
    // device knows nothing of its kernels.
    bool (*plan)(void *user, const struct choice *point, struct frame *frame, struct error *why);
    // Along a path; empty: the present one. False: not settled yet; or never, and why says so.
    // NULL: there is no window.
    bool (*screen)(void *user, const char *path, struct tour_screen_times *times,
                   struct error *why);
};

struct tour_value tour_value_find(const struct tour_source *s, const struct tour_figure *f);

// Fills a caption (tour_figure_fill). Where its times are a CPU's, a line says so. The caller frees
// it.
char *tour_value_fill(const struct tour_source *s, const char *text, tour_figure_find *find,
                      void *user);

// The launches that a figure is about: none, one or two. A launch that cannot be is not among them.
enum { TOUR_VALUE_POINTS = 2 };
int tour_value_points(const struct tour_source *s, const struct tour_figure *f,
                      struct choice points[TOUR_VALUE_POINTS]);

// The block to trace for a counter: the middle one of the picture or of a lab's domain.
struct tracing_request tour_value_block(const struct tour_source *s, const struct choice *point);
