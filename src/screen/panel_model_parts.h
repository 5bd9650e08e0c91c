// panel_model_parts.h -- what the parts of the panels' model share; for panel_*.c only.
#ifndef PANEL_MODEL_PARTS_H
#define PANEL_MODEL_PARTS_H

#include "draw/bars.h"
#include "draw/plot.h"
#include "measure/sweep.h"
#include "screen/panel_model.h"

enum {
    PANEL_MODEL_RADII = 16,
    PANEL_MODEL_SIDES = 16,
    PANEL_MODEL_CELLS = PANEL_MODEL_SIDES * PANEL_MODEL_SIDES
};
enum { PANEL_MODEL_TITLE = 160 };

// The present choice, as it was at the last update; filter NULL: none yet.
struct panel_model_choice {
    struct panel_model_facts facts;
    struct settings settings;  // facts.settings points here
};

struct panel_model_axes {
    int radii[PANEL_MODEL_RADII], radius_count;  // ascending; none: a filter without
    int widths[PANEL_MODEL_SIDES], heights[PANEL_MODEL_SIDES], columns, rows;
};

// Contents have no pointers and no indeterminate bytes: they are compared as memory.
struct panel_model_sweep {
    char title[PANEL_MODEL_TITLE], caption[PANEL_MODEL_TITLE], floor_label[64];
    struct plot_point points[FILTER_MAX_VARIANTS][PANEL_MODEL_RADII];
    char labels[FILTER_MAX_VARIANTS][FILTER_NAME];
    int counts[FILTER_MAX_VARIANTS], curves;
    bool has_wrong[FILTER_MAX_VARIANTS];
    int present;
    double xs[PANEL_MODEL_RADII];
    bool is_pending[PANEL_MODEL_RADII];  // a variant may yet turn out to be the fastest
    int x_count;
    double floor, mark;
};

struct panel_model_heat {
    char title[PANEL_MODEL_TITLE], caption[PANEL_MODEL_TITLE], note[200];
    int widths[PANEL_MODEL_SIDES], heights[PANEL_MODEL_SIDES], columns, rows;
    double cells[PANEL_MODEL_CELLS];
    bool pending[PANEL_MODEL_CELLS], wrong[PANEL_MODEL_CELLS];
    int present, cursor;
};

struct panel_model {
    struct panel_model_choice choice;
    struct panel_model_axes axes;
    struct results_wish *wishes;  // of the choice
    int wish_count;
    unsigned results_version;
    unsigned opened;  // counts openings
    bool is_changed;  // the choice, or the copy's time, since the last update
    bool is_pointed;  // likewise the cursor
    struct overlay_hit cursor;
    bool has_cursor;

    char bars_filter[FILTER_NAME];  // whose bars they are
    struct bars bars;
    struct panel_model_sweep sweep;
    struct panel_model_heat heat;
    char grid[1024];

    // The contents as overlay.h wants them; they point into this struct.
    struct overlay_panels panels;
    struct plot sweep_plot, heat_plot;
    struct plot_curves curves;
    struct plot_curve curve[FILTER_MAX_VARIANTS];
    struct plot_heat heat_map;
    struct plot_marks marks;
};

// ---- points of a choice ----

struct choice panel_model_present_point(const struct panel_model_choice *c);
struct choice panel_model_bar_point(const struct panel_model_choice *c, int variant);
struct choice panel_model_sweep_point(const struct panel_model_choice *c, int variant, int radius);
struct choice panel_model_heat_point(const struct panel_model_choice *c, int width, int height);
// Whether launch planning lets a point through.
bool panel_model_is_legal(const struct panel_model_choice *c, const struct choice *point,
                          struct error *err);
int panel_model_radius(const struct panel_model_choice *c);  // the present one; -1: none

// ---- contents ----

void panel_model_fill_bars(const struct panel_model *p, const struct results *s, struct bars *bars);
void panel_model_fill_sweep(const struct panel_model *p, const struct results *s,
                            struct panel_model_sweep *sweep);
void panel_model_fill_heat(const struct panel_model *p, const struct results *s,
                           struct panel_model_heat *heat);

// The cells as plots draw them; without marks.
struct plot_heat panel_model_heat_map(const struct panel_model_heat *heat);
// The sweep's curves as they are in p, drawn for a screen or for paper.
struct plot_curves panel_model_curves(const struct panel_model *p, struct plot_curve *curves);

#endif
