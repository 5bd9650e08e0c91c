// panels.h -- what the panels over the picture show, from the present choice and the survey: bars
// of all variants, a sweep over the radius, a heat map over block shapes, and text about a block.
//
//     a frame     panels_update(p, &facts, survey)       wants, and makes contents anew where the
//                                                        choice, the cursor or the survey changed.
//                                                        Cheap when nothing has; while only numbers
//                                                        run, five times a second are enough
//                 content.board = *panels_board(p)
//                 overlay_update(…)
//     the mouse   overlay_find(o, x, y, &hit) ? panels_point(p, &hit) : panels_point(p, NULL)
//     a click     overlay_find(o, x, y, &hit) && panels_are_of(p, &choice) && panels_click(p, &hit,
//                 &change): adopt the change; not: show change.note, if there is one; in neither
//                 case is it the picture's
//     Enter       panels_best(p, &change): the heat map's best block
//     s           with the sweep open: panels_save_csv(…), panels_save_plot(…)
//
// What is wanted of the survey, in this order: always the naive variant, for "x naive", and what
// the facts add; the bars; the sweep and the heat map, the one opened last first. Closed panels
// want nothing. What launch planning refuses is never wanted and shows at once.
//
// Figures are rounded to the three digits that are shown, so a panel is drawn again when a figure
// changes and not with every sample. Does not measure, draw, or know devices beyond their limits.
// Borrows filters only from update to update. One thread.
#ifndef PANELS_H
#define PANELS_H

#include <stdbool.h>

#include "backend.h"
#include "error.h"
#include "filter.h"
#include "launch.h"
#include "overlay.h"
#include "survey.h"
#include "view.h"

struct panels;

struct panels *panels_create(void);
void panels_destroy(struct panels *p);  // accepts NULL

struct panels_facts {
    const struct filter *filter;  // the present choice
    const struct variant *variant;
    const struct settings *settings;
    const struct device *device;
    struct view picture;  // its shape
    double copy_ms;       // 0: not known
    unsigned open;        // 1u << enum overlay_panel, each
    bool is_stopped;      // what is there stays; nothing but group 0 is wanted
    // Wanted besides, with naive, in group 0: the other side's naive, figures of a caption.
    struct survey_point also[FILTER_MAX_VARIANTS];
    int also_count;
};

// After a reload: the filters of the last update are gone.
void panels_forget(struct panels *p);

// True when something that is drawn changed.
bool panels_update(struct panels *p, const struct panels_facts *facts, struct survey *s);

// Text for OVERLAY_GRID, copied; shown while that panel is open.
void panels_set_grid(struct panels *p, const char *text);

// Valid until the next update or set_grid.
const struct overlay_board *panels_board(const struct panels *p);

// The cursor is there; NULL: over no panel. True: the next update has something to tell about it.
bool panels_point(struct panels *p, const struct overlay_hit *hit);

// The choice that a click means.
struct panels_change {
    int variant;  // of the filter
    struct settings settings;
    char note[200];  // why not; empty: nothing to say
};

// Whether the panels are of that choice: a key may have changed it since the last update.
bool panels_are_of(const struct panels *p, const struct survey_point *choice);

// False: it means nothing, or what cannot be; change has only a note then.
bool panels_click(const struct panels *p, const struct overlay_hit *hit,
                  struct panels_change *change);
bool panels_best(const struct panels *p, struct panels_change *change);

// What is the same for a whole file; texts may be empty.
struct panels_about {
    const char *picture_name, *date;
};

// The sweep's data, one row a variant and radius, times in ms, RFC 4180; and its plot (.svg, .pdf,
// .png). An existing file stays as it was on failure. Only after an update with the sweep open.
bool panels_save_csv(const struct panels *p, const struct survey *s,
                     const struct panels_about *about, const char *path, struct error *err);
bool panels_save_plot(const struct panels *p, const struct panels_about *about, const char *path,
                      struct error *err);

#endif
