// band.h -- the four rows of text over the top and bottom of the picture.
//
//     BAND_TITLE   Mean · shared · radius 5 · block 32×8                       NVIDIA H200
//     BAND_TIME    0.412 ms (o)  0.409–0.418 ms  155 Gpix/s  74 % of copy      (v) exact
//     BAND_DETAIL  310 GB/s · occupancy 75 % (registers)
//     BAND_STATUS  interop: PBO mapped, zero copy · vsync on                   h help
//
// A row has a fixed height and every figure its own place, so nothing jumps while numbers run.
// A row that is too wide is set smaller, then cut with an ellipsis: texts never overlap.
// Unsettled figures are grey and marked with a clock (o); the badge's symbol says what its colour
// does.
//
// Does not decide which rows are shown or where: overlay.c does.
#ifndef BAND_H
#define BAND_H

#include "overlay.h"
#include "paint.h"

enum band { BAND_TITLE, BAND_TIME, BAND_DETAIL, BAND_STATUS, BAND_COUNT };

struct bands;

// Draws what content holds at each call; it must outlive the bands.
struct bands *bands_create(PangoContext *context, const struct overlay_content *content);
void bands_destroy(struct bands *bands);  // accepts NULL

// The bands whose text, colour or symbol differs, one bit each.
unsigned bands_compare(const struct overlay_content *a, const struct overlay_content *b);

bool bands_has_text(const struct bands *bands, enum band band);
int bands_height(enum band band, double base);  // rows of pixels

// Lays a band's texts out for a window; true when the bands below it must follow with theirs.
bool bands_place(struct bands *bands, const struct paint *paint, enum band band);
void bands_draw(const struct bands *bands, const struct paint *paint, enum band band, int top);

#endif
