// panels_parts.h -- what the parts of the panels share; for panels*.c only.
#ifndef PANELS_PARTS_H
#define PANELS_PARTS_H

#include "bars.h"
#include "panels.h"
#include "plot.h"
#include "sweep.h"

enum { PANELS_RADII = 16, PANELS_SIDES = 16, PANELS_CELLS = PANELS_SIDES * PANELS_SIDES };
enum { PANELS_TITLE = 160 };

// The present choice, as it was at the last update; filter NULL: none yet.
struct panels_choice {
    struct panels_facts facts;
    struct settings settings;  // facts.settings points here
};

struct panels_axes {
    int radii[PANELS_RADII], radius_count;  // ascending; none: a filter without
    int widths[PANELS_SIDES], heights[PANELS_SIDES], columns, rows;
};

// Contents have no pointers and no indeterminate bytes: they are compared as memory.
struct panels_sweep {
    char title[PANELS_TITLE], caption[PANELS_TITLE], floor_label[64];
    struct plot_point points[FILTER_MAX_VARIANTS][PANELS_RADII];
    char labels[FILTER_MAX_VARIANTS][FILTER_NAME];
    int counts[FILTER_MAX_VARIANTS], curves;
    int present;
    double xs[PANELS_RADII];
    int x_count;
    double floor, mark;
};

struct panels_heat {
    char title[PANELS_TITLE], caption[PANELS_TITLE], note[200];
    int widths[PANELS_SIDES], heights[PANELS_SIDES], columns, rows;
    double cells[PANELS_CELLS];
    bool pending[PANELS_CELLS];
    int present, cursor;
};

struct panels {
    struct panels_choice choice;
    struct panels_axes axes;
    struct survey_wish *wishes;  // of the choice
    int wish_count;
    unsigned survey_version;
    unsigned opened;  // counts openings
    bool is_pointed;  // the cursor moved since the last update
    struct overlay_hit cursor;
    bool has_cursor;

    char bars_filter[FILTER_NAME];  // whose bars they are
    struct bars bars;
    struct panels_sweep sweep;
    struct panels_heat heat;
    char grid[1024];

    // The contents as overlay.h wants them; they point into this struct.
    struct overlay_board board;
    struct plot sweep_plot, heat_plot;
    struct plot_curves curves;
    struct plot_curve curve[FILTER_MAX_VARIANTS];
    struct plot_heat heat_map;
    struct plot_marks marks;
};

// ---- points of a choice ----

struct survey_point panels_present_point(const struct panels_choice *c);
struct survey_point panels_bar_point(const struct panels_choice *c, int variant);
struct survey_point panels_sweep_point(const struct panels_choice *c, int variant, int radius);
struct survey_point panels_heat_point(const struct panels_choice *c, int width, int height);
// Whether launch planning lets a point through.
bool panels_is_legal(const struct panels_choice *c, const struct survey_point *point,
                     struct error *err);
int panels_radius(const struct panels_choice *c);  // the present one; -1: the filter has none

// ---- contents ----

void panels_fill_bars(const struct panels *p, const struct survey *s, struct bars *bars);
void panels_fill_sweep(const struct panels *p, const struct survey *s, struct panels_sweep *sweep);
void panels_fill_heat(const struct panels *p, const struct survey *s, struct panels_heat *heat);
int panels_best_cell(const struct panels_heat *heat);  // -1: none is settled

// The sweep's curves as they are in p, drawn for a screen or for paper.
struct plot_curves panels_curves(const struct panels *p, struct plot_curve *curves);

#endif
