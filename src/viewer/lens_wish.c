#include "viewer/lens_wish.h"

static const int64_t MOMENT_US = 75000;  // with the cursor's rest before it, a tenth of a second

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

struct tracing_request lens_wish_request(const struct lens_wish *w, struct planes picture)
{
    return (struct tracing_request){.choice = w->choice,
                                    .filters_version = w->filters_version,
                                    .picture = picture,
                                    .picture_version = w->picture_version,
                                    .x = w->x,
                                    .y = w->y,
                                    .multiprocessors = w->multiprocessors};
}

bool lens_wait_is_long(struct lens_wait *wait, const struct lens_wish *now, int64_t now_us)
{
    if (!lens_wish_is_same(&wait->wish, now)) *wait = (struct lens_wait){*now, now_us};
    return now_us - wait->since_us >= MOMENT_US;
}
