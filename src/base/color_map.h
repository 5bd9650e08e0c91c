// color_map.h -- the colours in which an array's values are shown.
//
// Maps are evenly spaced for the eye: equal steps of a value are equal steps of lightness, along
// straight lines in the Oklab space (Björn Ottosson, 2020). Both maps can be told apart with any
// kind of colour blindness, because their colours run from blue to yellow or orange.
#pragma once

#include <stdbool.h>

// To add a map: its control points in color_map.c.
enum color_map {
    COLOR_MAP_GREY,
    COLOR_MAP_RAMP,    // from dark blue over green to light yellow
    COLOR_MAP_SIGNED,  // the middle is white, lower values are blue and higher ones brown
    COLOR_MAPS
};

const char *color_map_name(enum color_map map);  // as a kernel file writes it
bool color_map_find(enum color_map *map, const char *name);

enum { COLOR_MAP_STEPS = 256 };

// The red, green and blue of each grey from 0 to 255.
struct color_map_table {
    unsigned char colors[COLOR_MAP_STEPS][3];
};
struct color_map_table color_map_table(enum color_map map);
