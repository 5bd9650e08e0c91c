#include "app/menu.h"

#include <glib.h>
#include <string.h>

#include "app/entry.h"

enum { PAGE = 8 };  // rows

static void toggle(struct app *a, enum app_menu menu)
{
    a->menu = a->menu == menu ? APP_MENU_NONE : menu;
    a->menu_row = a->menu_typed = 0;
}

void menu_toggle_tours(struct app *a)
{
    toggle(a, APP_MENU_TOURS);
}

void menu_toggle_filters(struct app *a)
{
    toggle(a, APP_MENU_FILTERS);
    a->menu_row = a->sides[a->side].filter;
    a->menu_count = MIN(a->filters->count, APP_MAX_FILTERS);
}

void menu_toggle_steps(struct app *a)
{
    if (!a->tour_steps) {
        g_strlcpy(a->note, "no tour is open; D lists them", sizeof a->note);
        return;
    }
    toggle(a, APP_MENU_STEPS);
    a->menu_row = a->tour_step;
    a->menu_count = a->tour_steps;
}

static bool move(struct app *a, const char *key)
{
    static const struct {
        const char *key;
        int rows;
    } moves[] = {{"Up", -1}, {"Down", 1}, {"PgUp", -PAGE}, {"PgDn", PAGE}};
    for (size_t i = 0; i < G_N_ELEMENTS(moves); i++) {
        if (strcmp(moves[i].key, key) != 0) continue;
        a->menu_row = CLAMP(a->menu_row + moves[i].rows, 0, MAX(0, a->menu_count - 1));
        a->menu_typed = 0;
        return true;
    }
    return false;
}

// "1" and then "2" is row 12, where there are so many.
static bool type(struct app *a, const char *key)
{
    if (!g_ascii_isdigit(key[0]) || key[1]) return false;
    const int digit = key[0] - '0', both = 10 * a->menu_typed + digit;
    a->menu_typed = both <= a->menu_count ? both : digit;
    if (a->menu_typed > 0 && a->menu_typed <= a->menu_count) a->menu_row = a->menu_typed - 1;
    return true;
}

bool menu_press(struct app *a, const char *key, enum input_request *asked)
{
    *asked = INPUT_NOTHING;
    if (a->menu == APP_MENU_NONE) return false;
    if (a->menu == APP_MENU_VALUE) {
        entry_press(a, key);
        return true;
    }
    if (!strcmp(key, "Esc")) {
        a->menu = APP_MENU_NONE;
        return true;
    }
    if (!strcmp(key, "Return")) {
        if (a->menu_count && a->menu == APP_MENU_FILTERS) {
            a->sides[a->side].filter = a->menu_row;
            a->menu = APP_MENU_NONE;
        } else if (a->menu_count) {
            *asked = INPUT_CHOOSE;
        }
        return true;
    }
    return move(a, key) || type(a, key);
}
