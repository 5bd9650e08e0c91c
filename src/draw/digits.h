// digits.h -- the ten digits as alpha masks, for shaders that print numbers.
//
// Pango draws them once, bold and equally wide. This module does not know GL.
#pragma once

// Ten masks of width x height bytes, one after the other, top row first; 0 is clear, 255 is ink.
// The outermost pixels of each are clear. Owns alpha; {0} is a valid nothing.
struct digits {
    int width, height;
    unsigned char *alpha;
};

// Makes masks of a height of at least 8 pixels; the digit takes DIGITS_INK of it, in the middle.
#define DIGITS_INK 0.8
void digits_init(struct digits *digits, int height);
void digits_finish(struct digits *digits);
