// band_parts.h -- shared by band.c (where), band_cells.c (which texts) and band_draw.c.
#ifndef BAND_PARTS_H
#define BAND_PARTS_H

#include "screen/band.h"

// A cell is one text in a row. The cells of a row stand from left to right in this order, or
// against the right edge. To add one: add it here, to cell_kinds and to band.c's cut_order.
enum cell {
    TITLE,
    DEVICE,
    TIME,
    SPREAD,
    SPEED,
    BADGE,
    DETAIL,
    BOUND,
    DIFFERENCE,
    RATIO,
    STATUS,
    HINT,
    CELL_COUNT
};

// How the rows are made up: for one picture or two, in a window that is wide for its type or not.
enum form { FORM_ONE, FORM_PAIR, FORM_NARROW_ONE, FORM_NARROW_PAIR, FORM_COUNT };

struct cell_spot {
    enum band row;
    bool is_right;
};

enum { CELL_EACH = 2 };  // column: either picture has such a text

struct cell_kind {
    size_t text;  // offset in struct overlay_side or overlay_content
    int column;   // left (0), right (1) or CELL_EACH
    struct cell_spot spots[FORM_COUNT];
    double size;  // of the font, in base sizes
    double gap;   // to the cell before it, in base sizes
    enum paint_weight weight;
    bool is_figure;    // grey until settled
    bool is_unbroken;  // loses whole parts, which are three spaces apart, instead of ending in an
                       // ellipsis: half a number is wrong
};
extern const struct cell_kind cell_kinds[CELL_COUNT];

const char *cell_text(const struct overlay_content *c, int side, int cell);
enum overlay_badge cell_badge(const struct overlay_content *c, int side, int cell);  // before it
bool cell_is_shown(const struct overlay_content *c, int side, int cell);

// ---- where they are ----

struct cell_state {
    PangoLayout *layout;
    double size, x, width;  // as drawn, pixels; width includes symbols. 0: not drawn
};

// How much the fonts of a row shrink; the time, its largest text, shrinks after the rest.
struct factors {
    double time, rest;
};

struct bands {
    const struct overlay_content *content;
    enum form form;
    double base, upper_base;  // of the type in the status row, and in the others
    double plain;             // the window's base at text scale 1, or at a smaller one
    int status_parts;         // that are shown; those behind them are left out
    int dropped[2];           // last parts of a column's unbroken texts, in the row in hand
    struct factors factors[BAND_ROWS];
    uint64_t hashes[BAND_ROWS];  // of what each row was placed with
    struct paint_box boxes[BAND_PARTS];
    struct cell_state cells[2][CELL_COUNT];
    double letter_side;  // pixels
};

#define BAND_MARGIN 0.9  // left and right, in base sizes

double bands_base(const struct bands *b, enum band row);  // pixels
// True if the column at a side has the cell in that row; one picture has only the left column.
bool bands_has_cell(const struct bands *b, int side, enum band row, int cell);
bool bands_is_beside_letter(const struct bands *b, enum band row);
double bands_symbol_width(const struct bands *b, int side, int cell, double size);

#endif
