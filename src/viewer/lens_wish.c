#include "viewer/lens_wish.h"

bool lens_wish_is_same_launch(const struct lens_wish *a, const struct lens_wish *b)
{
    return a->choice.filter && b->choice.filter && choice_is_same(&a->choice, &b->choice) &&
           a->filters_version == b->filters_version && a->picture_version == b->picture_version &&
           a->multiprocessors == b->multiprocessors;
}

bool lens_wish_is_same(const struct lens_wish *a, const struct lens_wish *b)
{
    return lens_wish_is_same_launch(a, b) && a->x == b->x && a->y == b->y;
}
