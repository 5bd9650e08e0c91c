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
//     22 % of copy       1.55× naive 32×8                    speed
//     footer
//
// A lab's pictures show an array each; the first one is the lab's first in array. They have no
// details, because an array is equally busy everywhere.
//
// A sheet has the picture itself with the time of a device copy, and the variants of one filter; or
// A, B and their difference. All cells are compared with the one copy that the sheet names, and
// with the naive variant, if that is on the sheet. The fastest is marked where the screen would say
// so: it is not wrong, and no other one's quartiles overlap its own. Without a GPU, counts stand
// first, and nothing is compared by time.
//
// Text is large enough to be read at half the size. The module does not measure, and the caller
// chooses the cells. One thread at a time.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/image.h"
#include "base/stats.h"
#include "draw/legend.h"
#include "filter/choice.h"
#include "frame/results.h"

enum { SHEET_MAX_CELLS = 24, SHEET_WIDTH = 1920 };
enum { SHEET_DETAIL = 32 };  // pixels on each side of a detail
enum sheet_kind { SHEET_VARIANTS, SHEET_PAIR };

// Texts are UTF-8 and may be empty.
struct sheet_cell {
    struct choice choice;  // filter NULL: the picture itself, or a difference
    struct image picture;  // no pixels: none
    struct image detail;   // SHEET_DETAIL a side; no pixels: none
    enum color_map map;    // of a grey picture
    bool is_difference;    // scaled down by the largest value, so that one pixel stays to be seen
    struct stats_summary ms;  // count 0: none
    char name[64];            // "shared", "A": in the file's text chunks
    char label[64];           // "3 shared"
    char note[192];           // "32×8"; in a pair "radius 5 · block 32×8 · unroll on"
    char time[32];            // "0.412 ms"
    char spread[64];          // "0.409–0.418"
    char memory[64];          // "2.88 sectors per pixel"; the owner may fill it in
    char speed[96];           // "3.4× naive 32×8 · 74 % of copy"
    char tag[24];             // "fastest"
    enum result_check check;
    struct image_difference difference;  // when WRONG
    char reason[256];                    // refused: in the picture's place
};

struct sheet {
    enum sheet_kind kind;
    char title[192], detail[192], device[128], date[128], footer[256];
    char subject[96];      // a lab's array: "b: float 160×90"
    struct legend legend;  // its scale; it stands after the detail
    char made[32];         // the date alone
    bool is_by_counts;     // the times are no GPU's: small, and without bars
    double floor_ms;       // a mark on every bar: the copy, which no time can pass; 0: none
    struct sheet_cell cells[SHEET_MAX_CELLS];
    int count;
    int planned;            // cells that there will be
    struct planes picture;  // the shape of the whole one
    bool has_memory;        // cells may have such a text; set it before the first result
    bool has_detail;
    int detail_left, detail_top;  // pixels of the whole picture
};

// variants: how many will be added; 2 for a pair. A lab's pictures have the shape of the array that
// this choice shows; array: -1 for the first one that it writes. picture: the shape of the others.
void sheet_begin(struct sheet *sheet, enum sheet_kind kind, const struct choice *choice, int array,
                 struct planes picture, int variants);
// Then sets what the choice reads, borrowed host memory: the picture, or a lab's first in array.
// It fills the first cell, which a pair lacks, and chooses the detail of a picture.
void sheet_set_input(struct sheet *sheet, struct planes picture);
// Frees the pictures and zeroes the sheet; accepts a zeroed one.
void sheet_finish(struct sheet *sheet);

// Adds a choice's cell; the first of a pair is A. Borrows its filter until sheet_complete(). array:
// a lab's, which the cell shows. If it has another shape than the sheet's pictures, the cell is
// refused.
struct sheet_cell *sheet_add(struct sheet *sheet, const struct choice *choice, int array);
// Sets a cell's whole picture (host memory, copied) and times. Without memory for the picture, the
// cell is refused. A refused cell stays so.
void sheet_set_result(struct sheet *sheet, struct sheet_cell *cell, struct planes picture,
                      struct stats_summary ms);
void sheet_set_check(struct sheet_cell *cell, struct image_difference difference);
void sheet_refuse(struct sheet_cell *cell, const char *why);  // shows the first line of why
// |a - b|, amplified so that its largest value is white; a and b have one shape.
void sheet_add_difference(struct sheet *sheet, struct planes a, struct planes b);

// Facts about all cells.
struct sheet_page {
    const struct device *device;  // whose times they are
    const char *picture_name;     // or its path; unused for a lab
    struct stats_summary copy;    // one sample: its quartiles are not known
    const char *samples;          // "cold samples, in turns"
    const char *times;  // "NVIDIA H200, recorded 28 Nov 2026"; NULL or empty: measured now
};
// Writes the page's texts and compares the cells.
void sheet_complete(struct sheet *sheet, const struct sheet_page *page);

// A picture as cairo draws it, a grey one through the map; the caller destroys it.
cairo_surface_t *sheet_surface(struct planes picture, enum color_map map);

// Makes a copy as small as the picture will be on this sheet, so that the whole one can be freed.
// is_max: a pixel is the largest value of its area, else its average.
bool sheet_shrink(struct image *small, const struct sheet *sheet, struct planes picture,
                  bool is_max, struct error *err);
// Draws the page, which the caller frees.
bool sheet_draw(struct image *page, const struct sheet *sheet, struct error *err);
// Writes it as a PNG with these text chunks and those of the cells, under another name first, so
// that a failure keeps an existing file.
bool sheet_save(const struct sheet *sheet, const char *path, const struct image_text *texts,
                int text_count, struct error *err);
