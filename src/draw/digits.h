// digits.h -- the ten digits as alpha masks, for shaders that print numbers.
//
// Drawn once with pango, bold and all equally wide. Does not know GL.
#ifndef DIGITS_H
#define DIGITS_H

// Ten masks of width x height bytes one after the other, rows top first: 0 clear, 255 ink. Their
// outermost pixels are clear. Owns alpha; {0} is a valid nothing.
struct digits {
    int width, height;
    unsigned char *alpha;
};

// height: of a mask, pixels, at least 8; the digit itself takes DIGITS_INK of it, in its middle.
#define DIGITS_INK 0.8
void digits_init(struct digits *digits, int height);
void digits_finish(struct digits *digits);

#endif
