// band.h -- the rows of text over the top and the bottom of the picture.
//
// With one picture:
//     TITLE    Mean · shared · radius 5 · block 32×8                           NVIDIA H200
//     TIME     0.412 ms (o)  0.409–0.418  155 Gpix/s  74 % of copy               (v) exact
//     DETAIL   310 GB/s · occupancy 75 % (registers)   bound by memory: 86 % of a copy's …
//     STATUS   interop: PBO mapped, zero copy · vsync on                           h  help
//
// With two pictures that are compared, in two columns:
//     TITLE    ┌───┐ Mean · naive · radius 5  (v) exact │ ███ Mean · shared · …   (v) exact
//     TIME     │ A │ 1.41 ms  45.4 Gpix/s               │ █B█ 0.412 ms  155 Gpix/s
//     DETAIL   └───┘ 1.40–1.42 · occupancy 75 %         │ keys 0.409–0.418 · occupancy 75 %
//     VERDICT                             (v) identical │ B 3.42× as fast as A
//     STATUS   NVIDIA H200 · interop: PBO mapped, zero copy · vsync on             h  help
//
// Where that is too narrow for the type, the speed has a row of its own, the device goes into the
// status row, and the details of two pictures take their column's whole width:
//     TITLE    Mean · shared · radius 5              ┌───┐ Mean · naive · radius 5     │ ███ Mean …
//     TIME     0.412 ms (o)  0.409–0.418  (v) exact  │ A │ 1.41 ms        (v) exact    │ █B█ 0.4…
//     SPEED    155 Gpix/s   74 % of copy             └───┘ 45.4 Gpix/s   32 % of copy  │     155…
//     DETAIL   310 GB/s · occupancy 75 %             310 GB/s · occupancy 75 %         │ 310 GB/…
//
// Each row has a fixed height and each figure its own place, so that nothing jumps while numbers
// run. Texts never overlap: a row that is too wide is set smaller in both columns, then loses
// parts, so that the others may be larger, then ends in an ellipsis. The bands follow the text
// scale until they would take half of the window or lose a figure; from there on they grow slowly.
// Unsettled figures are grey and marked with a clock (o). A badge's symbol says what its colour
// says. Keys act on the side whose letter is in a filled box.
#ifndef BAND_H
#define BAND_H

#include <stdint.h>

#include "draw/paint.h"
#include "screen/overlay.h"

enum band { BAND_TITLE, BAND_TIME, BAND_SPEED, BAND_DETAIL, BAND_VERDICT, BAND_STATUS, BAND_ROWS };

// The parts: each row's left and right one, and the columns' letters. Without a right part the left
// one is as wide as the window.
enum { BAND_LETTER = 2 * BAND_ROWS, BAND_PARTS = BAND_LETTER + 2 };

static inline int band_part(enum band band, int side)
{
    return 2 * (int)band + side;
}

struct bands;

// The bands show what content holds at each call; it must outlive them.
struct bands *bands_create(PangoContext *context, const struct overlay_content *content);
void bands_destroy(struct bands *bands);  // accepts NULL

// Lays the texts out. Fills in where each part lies; empty: the window does not show it.
void bands_place(struct bands *bands, const struct paint *paint,
                 struct paint_box boxes[BAND_PARTS]);

// A fingerprint of what a part draws in its box.
uint64_t bands_hash(const struct bands *bands, int part);
void bands_draw(const struct bands *bands, const struct paint *paint, int part);

#endif
