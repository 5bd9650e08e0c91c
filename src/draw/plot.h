// plot.h -- draws curves of time over a param and heat maps of time over block shapes, into a cairo
// context or into a file.
//
//     title                                      title
//     caption                                    caption
//     ms │        ○── naive                      shared            block height
//        │     ○╱   □── shared                   │ 0.9  0.7  0.6 │
//        │  ○╱□─□╱                               │ 0.8 [0.4] ▒▒▒ │  [best]  ▒ refused
//        │- - - - - - - device copy              block width
//           radius
//
// Both axes of curves are logarithmic, so that a cost of r^2 is a straight line; a value of 0
// stands where 1/2 would. With values below 0, the x axis is linear. Curves differ in label and
// marker as well as in colour; a dashed curve is the unrolled twin of the plain one of its style.
//
// The time of a wrong result is a cross instead of a marker, or a cell without a colour whose
// cross leaves the figure free. It is never the lowest and never the best.
//
// A compact plot is for the screen: it has one row of heading, axes without names and one row of
// key, and it marks the present choice.
//
// It does not measure, and the caller chooses the contents. It borrows everything; one thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "draw/paint.h"

enum { PLOT_MAX_CURVES = 24, PLOT_MAX_HEATS = 12, PLOT_STYLES = 40 };

struct plot_point {
    double x, y;          // y in ms, above 0
    double lower, upper;  // quartiles; 0: none
    bool is_wrong;        // the launch of this time left a wrong result
};

struct plot_curve {
    char label[64];
    const struct plot_point *points;  // x ascending
    int count;                        // 0: the curve is not drawn
    bool is_emphasised;               // thicker, and before all others
    int style;                        // of its colour and marker: 0 ... PLOT_STYLES - 1
    bool is_dashed;
};

struct plot_curves {
    const char *x_label, *y_label;
    const struct plot_curve *curves;
    int count;                        // at most PLOT_MAX_CURVES
    double floor;                     // a level that no curve can pass; 0: none
    const struct plot_point *floors;  // or such a line, x ascending; both: a roof, whose label is
                                      // above the level
    int floor_count;                  // 0: none
    const char *floor_label;
    const char *floor_short;  // where that label has no room over a roof; NULL: it is cut
    const double *xs;         // all places, ascending, so that the axis does not wait for points
    int x_count;              // 0: the places of the points
    bool has_crossings;       // rings where another curve becomes the lowest, or the emphasised one
                              // crosses
    bool has_mark;            // a line at mark_x, the present choice
    double mark_x;
};

// A cell's value if it has no time.
#define PLOT_UNKNOWN 0.0
#define PLOT_REFUSED (-1.0)

struct plot_cell {
    double ms;        // or one of those
    bool is_pending;  // not settled: a figure without a colour
    bool is_wrong;    // its result is
    bool is_alike;    // not clearly slower than the best
};

// Cells of a heat map, counted along the rows; -1: none.
struct plot_marks {
    int present, cursor;
    const char *note;  // about the cursor's cell, in place of the key; empty: the key
};

struct plot_heat {
    char title[64];
    const int *widths, *heights;  // of blocks, ascending
    int columns, rows;
    const struct plot_cell *cells;   // rows * columns, the lowest height first
    const struct plot_marks *marks;  // NULL: none
    bool is_unranked;                // the times are of no GPU: no cell is the best
};

struct plot {
    const char *title, *caption;
    const struct plot_curves *curves;  // or
    const struct plot_heat *heats;     // panels of one scale; or neither: only the heading
    int heat_count;                    // at most PLOT_MAX_HEATS
    bool is_compact;
};

// The place where a plot was drawn, for plot_find_*: the area between the axes of curves, or the
// cells of the first heat map.
struct plot_places {
    double left, top, right, bottom;
    int columns, rows;                    // of the heat map; 0: curves
    double x_low, x_high, y_low, y_high;  // of curves: logarithms; those of x unless is_linear
    bool is_linear;
};

// A plot without curves and heat maps says why: its caption takes up to so many lines below its
// title, and all together so many ems.
enum { PLOT_SENTENCE_LINES = 3, PLOT_SENTENCE_EMS = 6 };

// Draws into the box, without a background.
struct plot_places plot_draw(const struct paint *paint, struct paint_box box,
                             const struct plot *plot);

// The index of a value on an ascending axis. A new value is added: there must be room.
int plot_axis_add(int *values, int *count, int value);

// The fastest cell that is settled and right, or -1. There is none in an unranked map, or as long
// as a pending cell may turn out to be as fast.
int plot_best_cell(const struct plot_heat *heat);

// "best 0.412 ms at 32×8", or, where chance may decide, "lowest 0.412 ms at 32×8, 3 not clearly
// slower". The cell is plot_best_cell().
void plot_write_best(const struct plot_heat *heat, int cell, char *text, size_t size);

// A fingerprint of a plot's contents.
uint64_t plot_hash(const struct plot *plot);

// The cell under a point, or -1.
int plot_find_cell(const struct plot_places *places, double x, double y);
// Finds the value of x under a point in or close to the curves' area; false: the point is far away.
bool plot_find_x(const struct plot_places *places, double x, double y, double *value);

// The colour of a style, for other displays of the same variant.
struct paint_color plot_style_color(bool is_light, int style);

// Checks that a path ends in .svg, .pdf or .png.
bool plot_check_path(const char *path, struct error *err);

// Draws on white paper into a file. It is written under another name first, so that a failure keeps
// an existing file.
bool plot_save(const struct plot *plot, const char *path, struct error *err);
