// overlay_samples.h -- contents for the overlay's test: words, figures and panels
// such as a lecture shows.
#ifndef OVERLAY_SAMPLES_H
#define OVERLAY_SAMPLES_H

#include <stdio.h>

#include "draw/bars.h"
#include "draw/plot.h"
#include "screen/overlay.h"

#define SET(field, text) snprintf((field), sizeof(field), "%s", (text))

struct overlay_content sample_content(void);  // one picture
struct overlay_content sample_pair(void);     // two that are compared

enum { VARIANTS = 5, RADII = 6, PRESENT = 2, BEST = 4, CELLS = 63, BEST_CELL = 22, NOW_CELL = 12 };
struct sample_panels {
    struct bars bars;
    struct plot_point points[VARIANTS][RADII];
    struct plot_curve list[VARIANTS];
    double xs[RADII], cells[CELLS];
    struct plot_curves curves;
    struct plot_marks marks;
    struct plot_heat map;
    struct plot sweep, heat;
    char grid[256];
};

// Fills all panels; contents borrow from p.
void sample_fill_panels(struct sample_panels *p);

// The longest words that are usual on a CPU and with Gaussian blur; each ends in 1.
void sample_use_long_words(struct overlay_content *c, struct sample_panels *p);

// Opens these panels and closes the others; open: one bit each.
enum { ALL_PANELS = (1 << OVERLAY_PANELS) - 1 };
void sample_open_panels(struct overlay_content *c, const struct sample_panels *p, unsigned open);

#endif
