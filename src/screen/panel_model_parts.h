// panel_model_parts.h -- shared by the parts of the panels' model; for panel_*.c only.
#pragma once

#include "draw/bars.h"
#include "draw/plot.h"
#include "measure/sweep.h"
#include "screen/panel_model.h"

enum { PANEL_MODEL_SIDES = 16, PANEL_MODEL_CELLS = PANEL_MODEL_SIDES * PANEL_MODEL_SIDES };
enum { PANEL_MODEL_TITLE = 192 };

// A launch that a panel shows. Its choice is made when the facts change, its result with each
// update.
struct panel_point {
    struct choice choice;
    bool is_legal;  // launch planning lets it through; if not, the result says why
    struct result result;
    int timed_at;  // the value of the axis that its time is of: a recorded one may be of another
};

struct panel_model_axes {
    const struct param *param;                 // of the sweep; NULL: the filter has none
    int index;                                 // of that param
    int timed_at;                              // its value that the present choice's time is of
    int stops[PANEL_MODEL_STOPS], stop_count;  // its values, ascending; none: it has no axis
    bool has_one_copy;  // is the floor of the whole sweep; a lab may move other bytes at each value
    int widths[PANEL_MODEL_SIDES], heights[PANEL_MODEL_SIDES], columns, rows;
};

// The contents of the plots; their pointers stay within the struct. The roofline has the sweep's:
// one point a variant, and a sloping floor.
struct panel_model_sweep {
    char title[PANEL_MODEL_TITLE], caption[PANEL_MODEL_TITLE], floor_label[64], floor_short[32];
    struct plot_point points[FILTER_MAX_VARIANTS][PANEL_MODEL_STOPS];
    double xs[PANEL_MODEL_STOPS];
    struct plot_point floors[PANEL_MODEL_STOPS];  // device copies, if each value moves other bytes
    struct plot_curve curve[FILTER_MAX_VARIANTS];
    struct plot_curves curves;
    struct plot plot;
};

struct panel_model_heat {
    char title[PANEL_MODEL_TITLE], caption[PANEL_MODEL_TITLE], note[200];
    struct plot_cell cells[PANEL_MODEL_CELLS];
    struct plot_marks marks;
    struct plot_heat map;
    struct plot plot;
};

struct panel_model {
    struct panel_model_facts facts;  // of the last panel_model_want(); no filter: none yet
    struct panel_model_axes axes;
    GArray *points;               // struct panel_point, of the open panels
    guint first[OVERLAY_PANELS];  // of each panel's points
    GArray *wishes;               // struct results_wish, of the choice
    unsigned opened;              // counts openings
    struct overlay_hit cursor;
    bool has_cursor, has_cursor_moved;  // moved: since the last update

    char bars_filter[FILTER_NAME];  // whose bars they are
    struct bars bars;
    struct panel_model_sweep sweep;
    struct panel_model_heat heat;
    char grid[1024];

    struct overlay_panels panels;  // the contents as overlay.h wants them
};

// Says where times come from, as in " on this CPU"; empty: from this computer's GPU. The caller
// frees it.
char *panel_model_where(const struct panel_model *p, const struct results *s);

// ---- points of the present choice ----

// An open panel's points: of the bars or the roofline, one a variant; of the sweep, the stops of
// each variant; of the heat map, the cells.
const struct panel_point *panel_model_points(const struct panel_model *p, enum overlay_panel panel);

// Finds the value of the axis that the cursor means; false: it is not over the sweep's curves.
bool panel_model_is_at(const struct panel_model *p, const struct overlay_hit *hit, int *value);

// ---- contents ----

// A figure with the digits that are shown: a difference in further digits is no new content.
double panel_model_shown(double value);

void panel_model_fill_bars(struct panel_model *p, const struct results *s);
void panel_model_fill_sweep(struct panel_model *p, const struct results *s);
void panel_model_fill_heat(struct panel_model *p, const struct results *s);
void panel_model_fill_roof(struct panel_model *p, const struct results *s);
