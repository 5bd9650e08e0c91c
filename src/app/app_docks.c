// The actions for what stands beside the picture: a second picture, and the docks of source and
// lens.
#include "app/app.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/overlay.h"

static void note_pace(struct app *a)
{
    const double rate = app_play_rate(a);
    g_snprintf(a->note, sizeof a->note,
               "the lens plays: %g step%s a second; + - change that, ! stops", rate,
               rate == 1 ? "" : "s");
}

void app_scale_text(struct app *a, int step)
{
    if (app_is_playing(a)) {
        a->play_pace = CLAMP(a->play_pace + step, -2, 4);
        note_pace(a);
        return;
    }
    a->text_scale = CLAMP(a->text_scale + 0.125 * step, OVERLAY_MIN_SCALE, OVERLAY_MAX_SCALE);
}

void app_turn_source(struct app *a)
{
    const bool is_last = a->has_source && a->has_machine;
    a->has_machine = a->has_source && a->has_changes;
    a->has_changes = a->has_source && !a->has_machine && !is_last;
    a->has_source = !is_last;
}

void app_show_machine(struct app *a)
{
    if (a->no_machine) {
        g_strlcpy(a->note, a->no_machine, sizeof a->note);
        return;
    }
    a->has_source = a->has_machine = true;
    a->has_changes = a->has_full_lens = false;
}

void app_scroll_lines(struct app *a, int side, int lines)
{
    struct app_scroll *s = &a->scrolls[side];
    s->first = CLAMP(MIN(s->first, s->last) + lines, 0, s->last);
}

void app_scroll_pages(struct app *a, int pages)
{
    if (a->has_source)
        app_scroll_lines(a, a->side, pages * MAX(1, a->scrolls[a->side].page));
    else
        g_strlcpy(a->note, "E opens the source", sizeof a->note);
}

void app_close_lens(struct app *a)
{
    if (a->has_lens) a->lens.closed_on = app_chosen(a, a->side).variant;
    a->has_lens = a->has_full_lens = a->is_playing = false;
}

void app_turn_lens(struct app *a)
{
    if (app_is_covered(a)) {
        memset(a->has_sharing, 0, sizeof a->has_sharing);
        app_close_lens(a);
    } else {
        a->has_full_lens = a->has_lens;
        if (!a->has_lens && a->lens.closed_on != app_chosen(a, a->side).variant)
            a->lens = (struct app_lens){.is_new = true};
        a->has_lens = true;
    }
}

bool app_is_covered(const struct app *a)
{
    return a->has_lens && a->has_full_lens;
}

static bool needs_lens(struct app *a)
{
    if (!a->has_lens) g_strlcpy(a->note, "M opens the memory lens", sizeof a->note);
    return a->has_lens;
}

void app_step_lens(struct app *a, int way)
{
    if (needs_lens(a)) a->lens.steps[abs(way) - 1] += way > 0 ? 1 : -1;
}

void app_toggle_play(struct app *a)
{
    if (!needs_lens(a)) return;
    a->is_playing ^= true;
    if (a->is_playing) note_pace(a);
}

bool app_is_playing(const struct app *a)
{
    return a->has_lens && a->is_playing;
}

double app_play_rate(const struct app *a)
{
    return ldexp(1, a->play_pace);
}

void app_toggle_whole(struct app *a)
{
    if (!needs_lens(a)) return;
    a->has_whole[a->side] ^= true;
    a->runs_whole[a->side] = a->has_whole[a->side];
}

enum sharing_by app_sharing(const struct app *a)
{
    int by = 0;
    while (by < SHARING_COUNTS && !(a->has_lens && a->has_sharing[by])) by++;
    return (enum sharing_by)by;
}

void app_turn_sharing(struct app *a)
{
    if (!needs_lens(a)) return;
    const int next = (app_sharing(a) + 1) % (SHARING_COUNTS + 1);
    memset(a->has_sharing, 0, sizeof a->has_sharing);
    if (next < SHARING_COUNTS) a->has_sharing[next] = true;
}

// ---- two pictures that are compared ----

// B begins as A is, and is the one that keys change: A stays to be compared with.
static void open_compare(struct app *a)
{
    a->is_comparing = true;
    if (!a->has_compared) a->sides[APP_B] = a->sides[APP_A];
    a->has_compared = true;
    a->side = APP_B;
}

void app_toggle_compare(struct app *a)
{
    if (!a->is_comparing) {
        open_compare(a);
        return;
    }
    a->is_comparing = a->is_flipped = a->has_difference = false;
    a->undo_count = 0;  // sides may change places
    if (a->side == APP_A) return;
    const struct app_side other = a->sides[APP_A];
    a->sides[APP_A] = a->sides[APP_B];
    a->sides[APP_B] = other;
    a->side = APP_A;
}

void app_choose_side(struct app *a, int side)
{
    if (side >= app_sides(a)) return;
    if (side != a->side && a->menu == APP_MENU_VALUE) a->menu = APP_MENU_NONE;
    a->side = side;
}

void app_swap_sides(struct app *a)
{
    if (a->is_comparing)
        app_choose_side(a, a->side == APP_A ? APP_B : APP_A);
    else
        g_strlcpy(a->note, "there is one picture; c compares two", sizeof a->note);
}

void app_set_flipped(struct app *a, int is_flipped)
{
    a->is_flipped = is_flipped && a->is_comparing;
    if (!a->is_comparing && is_flipped)
        g_strlcpy(a->note, "there is one picture; c compares two", sizeof a->note);
}

void app_toggle_difference(struct app *a)
{
    if (!a->is_comparing) open_compare(a);
    a->has_difference = !a->has_difference;
}
