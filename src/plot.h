// plot.h -- curves of time over radius, and heat maps of time over block shapes: into any cairo
// context, or into a file.
//
//     title                                      title
//     caption                                    caption
//     ms │        ○── naive                      shared            block height
//        │     ○╱   □── shared                   │ 0.9  0.7  0.6 │
//        │  ○╱□─□╱                               │ 0.8 [0.4] ▒▒▒ │  [best]  ▒ refused
//        │- - - - - - - device copy              block width
//           radius
//
// Both axes of curves are logarithmic, so that a cost of r^2 is a straight line; a radius of 0 is
// set where 1/2 would be. Curves tell apart by their label, marker and dash as well as by colour.
//
// Does not measure and does not choose what is shown. Borrows everything; one thread.
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>

#include "error.h"
#include "paint.h"

enum { PLOT_MAX_CURVES = 24, PLOT_MAX_HEATS = 12 };

struct plot_point {
    double x, y;          // y in ms, above 0
    double lower, upper;  // quartiles; 0: none
};

struct plot_curve {
    char label[64];
    const struct plot_point *points;  // x ascending
    int count;                        // 0: the curve is not drawn
};

struct plot_curves {
    const char *x_label, *y_label;
    const struct plot_curve *curves;
    int count;     // at most PLOT_MAX_CURVES
    double floor;  // a level that no curve can pass; 0: none
    const char *floor_label;
};

// What a cell holds instead of a time.
#define PLOT_UNKNOWN 0.0
#define PLOT_REFUSED (-1.0)

struct plot_heat {
    char title[64];
    const int *widths, *heights;  // of blocks, ascending
    int columns, rows;
    const double *cells;  // ms, rows * columns, the lowest height first
};

struct plot {
    const char *title, *caption;
    const struct plot_curves *curves;  // or
    const struct plot_heat *heats;     // panels of one scale
    int heat_count;                    // at most PLOT_MAX_HEATS
};

// Draws into the box, without a background.
void plot_draw(const struct paint *paint, struct paint_box box, const struct plot *plot);

// Whether a path ends in .svg, .pdf or .png.
bool plot_is_path(const char *path);

// Draws on white paper into a file, which is written beside and renamed: a failure leaves an
// existing one as it was.
bool plot_save(const struct plot *plot, const char *path, struct error *err);

#endif
