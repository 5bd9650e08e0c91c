// scene.h -- the layers of the scene, painted one over the other. Lengths are pixels, but metres in
// the mountains.
#ifndef SCENE_H
#define SCENE_H

#include "canvas.h"

enum { WATER = 668 };  // row of the far shore, and the horizon

void paint_mountains(struct canvas *c);
void paint_shore(struct canvas *c);  // forest and cabin across the lake
void paint_bank(struct canvas *c);   // where the viewer stands: pines, reeds, a jetty

#endif
