#include "screen/panel_layout.h"

#include <math.h>
#include <stdbool.h>

enum { LEFT, RIGHT, COLUMNS, PER_COLUMN = 2, NARROW = 640 };

// From top to bottom.
static const enum overlay_panel slots[COLUMNS][PER_COLUMN] = {
    [LEFT] = {OVERLAY_GRID, OVERLAY_BARS},
    [RIGHT] = {OVERLAY_SWEEP, OVERLAY_HEAT},
};

// Sizes of the texts, from the wished one to the smallest that can be read from the last row.
enum { FACTORS = 7 };
static const double factors[FACTORS] = {1, 0.92, 0.85, 0.78, 0.72, 0.66, 0.6};
static const double smallest = 0.6;

static const double alone = 1.4;  // times its share of the width: a panel whose text was squeezed

struct plan {
    const struct panel_layout_wish *wishes;
    struct paint_box area;
    double window[PANEL_LAYOUT_AXES], gap;
    unsigned shown;  // one bit a panel
    double factor[COLUMNS];
    double sizes[PANEL_LAYOUT_AXES][OVERLAY_PANELS];
};

static bool is_shown(const struct plan *p, enum overlay_panel panel)
{
    return p->shown & 1u << panel;
}

static double least(const struct plan *p, enum panel_layout_axis axis, enum overlay_panel panel,
                    double factor)
{
    return p->wishes[panel].least[axis] * p->wishes[panel].em * factor;
}

static double wanted(const struct plan *p, enum panel_layout_axis axis, enum overlay_panel panel,
                     double factor)
{
    const struct panel_layout_wish *w = &p->wishes[panel];
    return fmax(least(p, axis, panel, factor),
                fmax(w->wanted[axis] * w->em * factor, w->share[axis] * p->window[axis]));
}

// Shrinks all sizes in proportion to what they have above their least, until they fit.
static void shrink(double *sizes, const double *leasts, int count, double room)
{
    double total = 0, spare = 0;
    for (int i = 0; i < count; i++) {
        total += sizes[i];
        spare += sizes[i] - leasts[i];
    }
    const double part = spare > 0 ? fmin(1, fmax(0, total - room) / spare) : 0;
    for (int i = 0; i < count; i++) sizes[i] -= part * (sizes[i] - leasts[i]);
}

// ---- a column's heights ----

static bool set_heights(struct plan *p, int column, double factor)
{
    double sizes[PER_COLUMN] = {0}, leasts[PER_COLUMN] = {0};
    double room = p->area.height - p->gap, needed = 0;
    for (int i = 0; i < PER_COLUMN; i++) {
        if (!is_shown(p, slots[column][i])) continue;
        sizes[i] = wanted(p, PANEL_LAYOUT_DOWN, slots[column][i], factor);
        leasts[i] = least(p, PANEL_LAYOUT_DOWN, slots[column][i], factor);
        needed += leasts[i];
        room -= p->gap;
    }
    if (needed > room) return false;
    shrink(sizes, leasts, PER_COLUMN, room);
    for (int i = 0; i < PER_COLUMN; i++) p->sizes[PANEL_LAYOUT_DOWN][slots[column][i]] = sizes[i];
    p->factor[column] = factor;
    return true;
}

// Finds the largest text that fits, from that factor on.
static bool fit_heights(struct plan *p, int column, int first)
{
    for (int i = first; i < FACTORS; i++)
        if (set_heights(p, column, factors[i])) return true;
    return false;
}

// ---- both columns' widths ----

static bool set_widths(struct plan *p)
{
    double sizes[COLUMNS] = {0}, leasts[COLUMNS] = {0}, room = p->area.width - p->gap;
    for (int c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < PER_COLUMN; i++) {
            const enum overlay_panel panel = slots[c][i];
            if (!is_shown(p, panel)) continue;
            sizes[c] = fmax(sizes[c], wanted(p, PANEL_LAYOUT_ACROSS, panel, p->factor[c]));
            leasts[c] = fmax(leasts[c], least(p, PANEL_LAYOUT_ACROSS, panel, p->factor[c]));
        }
        if (sizes[c] > 0) room -= p->gap;
    }
    if (leasts[LEFT] + leasts[RIGHT] > room) return false;
    shrink(sizes, leasts, COLUMNS, room);
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < PER_COLUMN; i++)
            p->sizes[PANEL_LAYOUT_ACROSS][slots[c][i]] =
                fmin(sizes[c], wanted(p, PANEL_LAYOUT_ACROSS, slots[c][i], p->factor[c]));
    return true;
}

static bool fit(struct plan *p)
{
    for (int i = 0; i < FACTORS; i++) {
        if (!fit_heights(p, LEFT, i) || !fit_heights(p, RIGHT, i)) return false;
        if (set_widths(p)) return true;
    }
    return false;
}

// ---- which ones hide ----

static enum overlay_panel oldest_of(const struct plan *p)
{
    int oldest = -1;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (is_shown(p, (enum overlay_panel)i) &&
            (oldest < 0 || p->wishes[i].opened < p->wishes[oldest].opened))
            oldest = i;
    return (enum overlay_panel)oldest;
}

// A panel that is alone and too large gets smaller text in the whole area, or hides.
static void squeeze(struct plan *p)
{
    const enum overlay_panel panel = oldest_of(p);
    const int column = panel == OVERLAY_GRID || panel == OVERLAY_BARS ? LEFT : RIGHT;
    const double width = p->area.width - 2 * p->gap, height = p->area.height - 2 * p->gap;
    const double factor = fmin(smallest, fmin(width / least(p, PANEL_LAYOUT_ACROSS, panel, 1),
                                              height / least(p, PANEL_LAYOUT_DOWN, panel, 1)));
    if (factor * p->wishes[panel].em < p->wishes[panel].least_em) {
        p->shown = 0;
        return;
    }
    p->factor[column] = factor;
    const double share =
        alone * p->wishes[panel].share[PANEL_LAYOUT_ACROSS] * p->window[PANEL_LAYOUT_ACROSS];
    p->sizes[PANEL_LAYOUT_ACROSS][panel] =
        fmin(width, fmax(share, wanted(p, PANEL_LAYOUT_ACROSS, panel, factor)));
    p->sizes[PANEL_LAYOUT_DOWN][panel] = fmin(height, wanted(p, PANEL_LAYOUT_DOWN, panel, factor));
}

static struct paint_box box_of(const struct plan *p, int column, int slot)
{
    const enum overlay_panel panel = slots[column][slot];
    const double width = floor(p->sizes[PANEL_LAYOUT_ACROSS][panel]),
                 height = floor(p->sizes[PANEL_LAYOUT_DOWN][panel]);
    const double right = p->area.left + p->area.width, bottom = p->area.top + p->area.height;
    return (struct paint_box){
        .left = column == LEFT ? ceil(p->area.left + p->gap) : floor(right - p->gap - width),
        .top = slot == 0 ? ceil(p->area.top + p->gap) : floor(bottom - p->gap - height),
        .width = width,
        .height = height};
}

void panel_layout_compute(const struct panel_layout_wish wishes[OVERLAY_PANELS],
                          struct paint_box area, int window_width, int window_height, double gap,
                          struct panel_layout_place places[OVERLAY_PANELS])
{
    struct plan p = {
        .wishes = wishes, .area = area, .window = {window_width, window_height}, .gap = gap};
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (wishes[i].opened) p.shown |= 1u << i;
    while (__builtin_popcount(p.shown) > 1 && (window_width < NARROW || !fit(&p)))
        p.shown &= ~(1u << oldest_of(&p));
    if (p.shown && !fit(&p)) squeeze(&p);
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < PER_COLUMN; i++) {
            const enum overlay_panel panel = slots[c][i];
            places[panel] = (struct panel_layout_place){.em = wishes[panel].em * p.factor[c]};
            if (is_shown(&p, panel)) places[panel].box = box_of(&p, c, i);
        }
}
