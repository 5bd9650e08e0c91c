// sheet.h -- a comparison sheet: pictures with their times in a grid, on white paper, for a slide.
//
//     Mean · radius 5                                          NVIDIA H200   title    device
//     scene.png · 1920×1080 colour                driver 580.159 · 1 June    detail     date
//     ─────────────────────────────────────────────────────────────────────
//     ┌─────────────┐  ┌─────────────┐  ┌─────────────┐
//     │ picture ┌──┐│  │fastest  ┌──┐│  │   refused   │    all of one size, whole, and in the
//     │  ▫      │  ││  │  ▫      │  ││  │  because …  │    corner a detail of it, enlarged
//     └─────────└──┘┘  └─────────└──┘┘  └─────────────┘
//     1 naive  ✓ exact  2 texture ✓ exact  3 shared          label, note   badge
//     █████████████     ████████▒▒▒▒▒     needs 260 KB …     time as a part of the longest | reason
//     1.41 ms 1.40–1.42  0.91 ms 0.90–0.93                   time   spread
//     22 % of copy       1.55× naive                         speed
//     footer
//
// Text is large enough to be read at half the size. Does not measure and does not choose what is
// shown. Borrows everything; one thread.
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "base/stats.h"
#include "draw/paint.h"

enum { SHEET_MAX_CELLS = 24, SHEET_WIDTH = 1920 };
enum { SHEET_DETAIL = 32 };  // pixels on each side of a detail
enum sheet_badge { SHEET_UNCHECKED, SHEET_GOOD, SHEET_BAD };

// Texts are UTF-8 and may be empty.
struct sheet_cell {
    struct planes picture;  // host memory; no pixels: none
    bool is_difference;     // scaled down by the largest value, so that one pixel stays to be seen
    struct planes detail;   // host memory, SHEET_DETAIL a side; no pixels: none
    double detail_left, detail_top, detail_width;  // where it is, in parts of the picture's width
    char label[64];                                // "3 shared"
    char time[32];                                 // "0.412 ms"
    char spread[64];                               // "0.409–0.418"
    char speed[96];                                // "74 % of copy · 3.4× naive"
    char note[96];                                 // "block 32×8"
    double ms;                                     // the bar; 0: none
    bool is_best;                                  // said in words
    enum sheet_badge badge;
    char badge_text[48];  // "exact"
    char reason[256];     // refused: stands where the picture would be
};

struct sheet {
    char title[192], detail[192], device[128], date[128], footer[256];
    double floor_ms;  // a mark on every bar: what no time can pass (the copy); 0: none
    const struct sheet_cell *cells;
    int count;  // 1 ... SHEET_MAX_CELLS
};

// The cell's time, spread, speed and bar, from a summary of milliseconds; 0: not known.
void sheet_set_times(struct sheet_cell *cell, struct stats_summary ms, double copy_ms,
                     double naive_ms);
// Its badge: "exact", or the largest difference.
void sheet_set_check(struct sheet_cell *cell, struct image_difference difference);

// Marks the fastest of the cells that were measured and not found wrong, if there are several.
void sheet_mark_best(struct sheet_cell *cells, int count);

// |a - b|, amplified so that its largest value is white; a and b have one shape. pixels: how many
// differ in any plane.
struct sheet_difference {
    long pixels;
    int max, gain;
};
bool sheet_subtract(struct image *difference, struct planes a, struct planes b,
                    struct sheet_difference *found, struct error *err);
// The cell that shows it: picture, label and what was found, in words.
void sheet_set_difference(struct sheet_cell *cell, struct planes difference,
                          struct sheet_difference found);

// The square of SHEET_DETAIL with the most contrast between neighbours: there a filter does most,
// and a difference has something to show. False: the picture is too small for a detail to show more
// than the whole.
bool sheet_find_detail(struct planes picture, int *left, int *top);
// The cell's detail becomes that square of the picture, which is borrowed.
void sheet_set_detail(struct sheet_cell *cell, struct planes picture, int left, int top);

// A copy as small as it will be on a sheet of so many cells, for letting the whole one go.
bool sheet_shrink(struct image *small, struct planes picture, int cell_count, struct error *err);

void sheet_size(const struct sheet *sheet, int *width, int *height);  // pixels
// Draws it, paper included, from the origin on.
void sheet_draw(cairo_t *cairo, const struct sheet *sheet);
// As a PNG with these text chunks; written beside and renamed.
bool sheet_save(const struct sheet *sheet, const char *path, const struct image_text *texts,
                int text_count, struct error *err);

#endif
