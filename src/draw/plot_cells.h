// plot_cells.h -- the cells of a heat map: their colours, figures and marks; for plot*.c only.
//
//     │ 0.9 │ 0.7 │ a colour by the time, and the time as a figure, which stays in its cell
//     │ ▒▒▒ │  –  │ refused, and not known
//     │  ╳  │ [ ] │ wrong, and the best
//
// All figures of one map have one size. Where three digits do not fit, two are written; where those
// cannot be read, none.
#ifndef PLOT_CELLS_H
#define PLOT_CELLS_H

#include "draw/plot_parts.h"

// The times of all maps of a plot, as logarithms; low above high: there are none.
struct plot_scale {
    double low, high;
};

struct plot_scale plot_cells_scale(const struct plot_heat *heats, int count);
struct paint_color plot_cells_color(const struct plot_pen *pen,
                                    double speed);  // 0 … 1, the fastest
bool plot_cells_is_wrong(const struct plot_heat *heat, int cell);
// Whether it is plot_best_cell(), which may be -1, or alike.
bool plot_cells_is_best(const struct plot_heat *heat, int best, int cell);

// How a map's figures are written.
struct plot_cells_figures {
    double size;    // one for all, at which none leaves its cell; 0: they are left out
    bool is_short;  // "4.1" and ".058" in place of "4.12" and "0.0581"
};

struct plot_cells_figures plot_cells_choose_figures(const struct plot_pen *pen,
                                                    const struct plot_heat *heat,
                                                    struct paint_box cell);
void plot_cells_write_figure(char *text, size_t size, double ms, bool is_short);

void plot_cells_draw(const struct plot_pen *pen, const struct plot_scale *scale,
                     const struct plot_heat *heat, int cell, struct paint_box box,
                     struct plot_cells_figures figures);

// The marks, as they stand in a cell and in the key.
void plot_cells_draw_hatching(const struct plot_pen *pen, struct paint_box box);
void plot_cells_draw_cross(const struct plot_pen *pen, struct paint_box box);
void plot_cells_draw_best(const struct plot_pen *pen, struct paint_box box);
// What is chosen: an outline and a dog-ear, light within dark to be seen over any fill.
void plot_cells_draw_present(const struct plot_pen *pen, struct paint_box box);

#endif
