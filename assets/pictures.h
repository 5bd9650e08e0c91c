// pictures.h -- the sample pictures, painted by arithmetic alone: no photograph, no font.
#ifndef PICTURES_H
#define PICTURES_H

#include "base/planes.h"

enum { PICTURE_WIDTH = 1920, PICTURE_HEIGHT = 1080 };

// A mountain lake at dusk, with detail in every pixel. to: three planes of that size.
void make_scene(struct planes to);

// A test chart: what a filter does to edges, lines, frequencies, letters and the picture's border.
void make_chart(struct planes to);

#endif
