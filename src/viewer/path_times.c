#include "viewer/path_times.h"

#include <string.h>

static bool is_of(const struct path_times *p, const struct pane_facts *now)
{
    return p->vsync && !strcmp(p->vsync, now->vsync) && choice_is_same(&p->choice, &now->choice) &&
           planes_is_same_shape(p->picture, now->picture);
}

void path_times_note(struct path_times *p, const struct pane_facts *now)
{
    const bool is_settled =
        now->frame_ms.count >= STATS_SETTLED && now->host_ms.count >= STATS_SETTLED;
    if (!is_of(p, now))
        *p = (struct path_times){
            .choice = now->choice, .picture = now->picture, .vsync = now->vsync};
    if (now->is_current && is_settled)
        p->times[now->path] = (struct tour_screen_times){now->frame_ms, now->host_ms};
}
