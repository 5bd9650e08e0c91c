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

static bool needs_lens(struct app *a)
{
    if (!a->has_lens) g_strlcpy(a->note, "M opens the memory lens", sizeof a->note);
    return a->has_lens;
}

void docks_step_instruction(struct app *a, int steps)
{
    if (needs_lens(a)) a->lens_steps[LENS_INSTRUCTION] += steps;
}

void docks_step_instance(struct app *a, int steps)
{
    if (needs_lens(a)) a->lens_steps[LENS_INSTANCE] += steps;
}

void docks_step_warp(struct app *a, int steps)
{
    if (needs_lens(a)) a->lens_steps[LENS_WARP] += steps;
}

void docks_toggle_whole(struct app *a)
{
    if (!needs_lens(a)) return;
    a->has_whole[a->side] ^= true;
    a->runs_whole[a->side] = a->has_whole[a->side];
}

// The active side's, if both run.
bool docks_stop_whole(struct app *a)
{
    const int side = a->runs_whole[a->side] ? a->side : !a->side;
    if (!a->runs_whole[side]) return false;
    a->has_whole[side] = a->runs_whole[side] = false;
    return true;
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
