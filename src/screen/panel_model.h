// panel_model.h -- the contents of the panels over the picture, made from the present choice and
// the results: bars of all variants, a sweep over the radius or another axis or (panel_roof.c) a
// roofline, a heat map over block shapes, and text about a block.
//
// Every turn, panel_model_want() tells the results what is wanted. When the overlay's words are
// written, panel_model_update() makes the contents anew: so headline and panels show one moment.
// A mouse that moves calls panel_model_point(). A click calls panel_model_click() and adopts the
// change, or shows its note. Return calls panel_model_best(). A screenshot with the sweep open
// saves its data and its plot.
//
// It asks the results, in this order, for the naive variant ("× naive") and the choices that the
// facts add; the bars; the sweep and the heat map, the one opened last first. Closed panels want
// nothing. A choice that launch planning refuses is never measured, and shows at once.
//
// Figures are rounded to the three digits that are shown, so a panel is drawn again when a figure
// changes and not with every sample. A time whose result is wrong is marked, and is never the
// fastest or the best. It does not measure, draw, or know devices beyond their limits. It borrows
// filters only until the next update. One thread.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/planes.h"
#include "device/backend.h"
#include "draw/bars.h"
#include "filter/axis.h"
#include "filter/launch.h"
#include "lens/bound.h"
#include "screen/baseline.h"
#include "frame/results.h"
#include "screen/overlay.h"

struct panel_model;

struct panel_model *panel_model_create(void);
void panel_model_destroy(struct panel_model *p);  // accepts NULL

// The lens's counts of each variant.
struct panel_model_lens {
    char figures[FILTER_MAX_VARIANTS][24];  // as the bars show it; empty: none
    char unit[BARS_UNIT];
    double sectors[FILTER_MAX_VARIANTS];              // of the figures; 0: not known
    struct bound_counts counts[FILTER_MAX_VARIANTS];  // for the roofline, as the bars show them
    bool has_failed[FILTER_MAX_VARIANTS];             // the counts cannot be known
};

enum { PANEL_MODEL_STOPS = AXIS_MAX_STOPS, PANEL_MODEL_ALSO = 72 };  // stops: of a sweep

struct panel_model_facts {
    struct choice choice;  // the present one
    const struct device *device;
    struct planes picture;   // its shape
    unsigned open;           // a bit 1u << enum overlay_panel for each
    char axis[FILTER_NAME];  // of the sweep; empty: the filter's own (axis.h)
    // More choices to measure first, with naive: the other side's naive, figures of a caption.
    struct choice also[PANEL_MODEL_ALSO];
    int also_count;
    struct panel_model_lens lens;
    const struct baseline *baseline;  // borrowed until the next call; NULL: none
    bool has_roof;                    // the roofline stands in the sweep's place
};

// The choice that a bar shows: a variant in the present block, if it can have that, or in its own.
struct choice panel_model_bar(const struct choice *present, int variant, struct planes picture,
                              const struct device *device);

// After a reload: the filters of the last update are gone.
void panel_model_forget(struct panel_model *p);

// True if the contents no longer belong to the choice or the cursor: then update them at once.
bool panel_model_want(struct panel_model *p, const struct panel_model_facts *facts,
                      struct results *s);

// Makes the contents of the open panels anew. They are valid until the next update. grid: the text
// for OVERLAY_GRID, copied; NULL: it stays.
const struct overlay_panels *panel_model_update(struct panel_model *p, const struct results *s,
                                                const char *grid);

// Says where the cursor is; NULL: over no panel. True: the next update shows something new.
bool panel_model_point(struct panel_model *p, const struct overlay_hit *hit);

// The choice that a click means.
struct panel_model_change {
    struct choice choice;
    char note[200];  // why not; empty: nothing to say
};

// False: the click means nothing, since a key has changed the present choice after the last update,
// or it means a choice that cannot run; then only the note counts.
bool panel_model_click(const struct panel_model *p, const struct choice *present,
                       const struct overlay_hit *hit, struct panel_model_change *change);
bool panel_model_best(const struct panel_model *p, struct panel_model_change *change);

// Facts about a whole file; texts may be empty.
struct panel_model_about {
    const char *picture_name, *date;
};

// The sweep as `tilescope bench` writes it: its data (.csv), one row a variant and value of the
// axis, or its plot (.svg, .pdf, .png). An existing file stays as it was on failure. Only where the
// last update made a sweep.
bool panel_model_has_sweep(const struct panel_model *p);
bool panel_model_save(const struct panel_model *p, const struct results *s,
                      const struct panel_model_about *about, const char *path, struct error *err);
