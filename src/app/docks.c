#include "app/docks.h"

#include <glib.h>

void docks_turn_source(struct app *a)
{
    const bool is_last = a->has_source && a->has_changes;
    a->has_changes = a->has_source && !is_last;
    a->has_source = !is_last;
}

void docks_scroll_lines(struct app *a, int side, int lines)
{
    struct app_scroll *s = &a->scrolls[side];
    s->first = CLAMP(MIN(s->first, s->last) + lines, 0, s->last);
}

void docks_scroll(struct app *a, int pages)
{
    if (a->has_source)
        docks_scroll_lines(a, a->side, pages * MAX(1, a->scrolls[a->side].page));
    else
        g_strlcpy(a->note, "E opens the source", sizeof a->note);
}

bool docks_close(struct app *a)
{
    const bool was_open = a->has_source;
    a->has_source = a->has_changes = false;
    return was_open;
}
