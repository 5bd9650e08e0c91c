// plot_parts.h -- shared by the parts of a plot; for plot*.c and their test only.
#pragma once

#include "draw/plot.h"

double plot_place_x(const struct plot_places *area, double x);
double plot_place_y(const struct plot_places *area, double y);
// Fits the logarithms to the curves; the caller sets the sides.
void plot_fit_area(struct plot_places *area, const struct plot_curves *curves);
// The room that the labels of the y axis need; its ends must be known.
double plot_y_labels_width(const struct paint *paint, const struct plot_places *area);
void plot_draw_axes(const struct paint *paint, const struct plot_places *area,
                    const struct plot_curves *curves, bool is_compact);

// All figures of a heat map are written alike. If three digits do not fit, two are written; if
// those cannot be read, none.
struct plot_figures {
    double size;    // one for all, at which none leaves its cell; 0: they are left out
    bool is_short;  // "4.1" and ".058" in place of "4.12" and "0.0581"
};
struct plot_figures plot_choose_figures(const struct paint *paint, const struct plot_heat *heat,
                                        struct paint_box cell);
void plot_write_figure(char *text, size_t size, double ms, bool is_short);

struct plot_places plot_draw_curves(const struct paint *paint, struct paint_box box,
                                    const struct plot *plot);
struct plot_places plot_draw_heats(const struct paint *paint, struct paint_box box,
                                   const struct plot *plot);
