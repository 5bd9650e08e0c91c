// sheet_parts.h -- shared by the files of the sheet; for sheet*.c and their test only.
#ifndef SHEET_PARTS_H
#define SHEET_PARTS_H

#include "draw/paint.h"
#include "draw/sheet.h"

// ---- sheet_page.c: where things are, and how they are drawn ----

void sheet_size(const struct sheet *sheet, int *width, int *height);  // pixels
// Draws it, paper included, from the origin on.
void sheet_draw(cairo_t *cairo, const struct sheet *sheet);
bool sheet_save_page(const struct sheet *sheet, const char *path, const struct image_text *texts,
                     int text_count, struct error *err);
// Makes a copy as small as it will be on this sheet, so that the whole picture can be freed. is_max
// as in sheet_scale().
bool sheet_shrink(struct image *small, const struct sheet *sheet, struct planes picture,
                  bool is_max, struct error *err);

// ---- sheet_picture.c: pixels ----

// The size at which a whole picture fits into a box: smaller by any factor, larger only by whole
// ones, so that its pixels stay square and sharp. At least 1x1.
void sheet_fit(struct planes picture, int box_width, int box_height, int *width, int *height);

// Plain averages of the areas, in the file's values as the filters do it, or (is_max) the largest
// value of each area. `to` has the wanted shape and the same planes.
void sheet_scale(struct planes to, struct planes from, bool is_max);

// The picture as cairo draws it, a grey one through the map; the caller destroys it.
cairo_surface_t *sheet_surface(struct planes picture, enum color_map map);

// Finds the square of SHEET_DETAIL with the most contrast between neighbours, where a filter
// changes most. False: the picture is too small for a detail to show more than the whole.
bool sheet_find_detail(struct planes picture, int *left, int *top);

struct sheet_difference {
    long pixels;  // that differ in any plane
    int max;      // the largest value
    double gain;  // figures_gain(): the factor of the picture's values
};
bool sheet_subtract(struct image *difference, struct planes a, struct planes b,
                    struct sheet_difference *found, struct error *err);

#endif
