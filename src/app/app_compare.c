// Two pictures that are compared: which of them there are, and which one keys change.
#include "app/app.h"

#include <glib.h>

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
