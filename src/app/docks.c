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

static void step_lens(struct app *a, int way, int steps)
{
    if (a->has_lens)
        a->lens_steps[way] += steps;
    else
        g_strlcpy(a->note, "M opens the memory lens", sizeof a->note);
}

void docks_step_instruction(struct app *a, int steps)
{
    step_lens(a, APP_LENS_INSTRUCTION, steps);
}

void docks_step_instance(struct app *a, int steps)
{
    step_lens(a, APP_LENS_INSTANCE, steps);
}

void docks_step_warp(struct app *a, int steps)
{
    step_lens(a, APP_LENS_WARP, steps);
}

bool docks_close(struct app *a)
{
    const bool was_open = a->has_source || a->has_lens;
    if (a->has_lens)
        a->has_lens = false;
    else
        a->has_source = a->has_changes = false;
    return was_open;
}
