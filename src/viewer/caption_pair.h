// caption_pair.h -- writes what is between two pictures: how they differ, and which is faster.
#ifndef CAPTION_PAIR_H
#define CAPTION_PAIR_H

struct caption_pair;
struct overlay_pair;

// By how much a shown difference is amplified: the largest is white.
double caption_pair_gain(const struct caption_pair *pair);

// Writes the verdict, the ratio and what is shown of the difference. Leaves the active side and
// the place of the divider as they are.
void caption_pair_write(struct overlay_pair *content, const struct caption_pair *pair);

#endif
