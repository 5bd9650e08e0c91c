// palette.h -- finds everything by typing: filters, labs, variants, parameters, actions with their
// keys, tours, and the steps of the open tour.
//
// While it is open, it takes all keys but F11 and Ctrl+C: characters are typed, Backspace takes one
// back, the arrows, PgUp and PgDn mark a row, Return chooses it, Esc closes. input.c does what was
// chosen; its table has the actions. The viewer names the tours and steps.
#pragma once

#include <stdbool.h>

#include "app/app.h"

enum palette_kind {
    PALETTE_FILTER,
    PALETTE_VARIANT,
    PALETTE_PARAM,
    PALETTE_ACTION,
    PALETTE_MACHINE,  // opens the machine code
    PALETTE_TOUR,
    PALETTE_STEP
};

struct palette_row {
    enum palette_kind kind;
    int filter, index;  // the filter; the variant, param, tour or step
    char *name, *group;
    char key[12];      // empty: none
    const char *also;  // what else people call it; borrowed; NULL: nothing
    bool is_present;   // the present filter, variant or step
    bool is_grey;      // cannot be chosen here; the group says why
    int order;         // palette_match()'s
};

// {0} is a valid nothing. It owns its rows' names and groups.
struct palette {
    struct palette_row *rows;
    int count, room;
};

// Lists what an enum app_menu says; notes when no tour is open whose steps it asks for.
void palette_open(struct app *a, int menu);
void palette_finish(struct palette *p);

// Adds a row and takes over its name and group.
void palette_add(struct palette *p, struct palette_row row);
void palette_add_first(struct palette *p, const struct app *a);  // what stands before the actions
void palette_add_last(struct palette *p, const struct app *a);   // and behind them

// Keeps only the rows in which every typed word occurs: in the name, the group, or what else people
// call it. Rows whose names begin with the words come first, then those with words that begin so.
void palette_match(struct palette *p, const char *typed);

// Takes a key while one is open. The row that it chooses is *chosen; -1: none.
bool palette_press(struct app *a, const struct palette *p, const char *key, int *chosen);

// A value that is typed: of the chosen parameter, as in "# 37 Return". While it is open, it takes
// all keys: characters are typed, Backspace takes one back, Return sets the value, Esc leaves it as
// it was. A value that the parameter refuses stays open, with a note that says why.
void palette_open_value(struct app *a);  // opens it; notes when nothing has parameters
void palette_press_value(struct app *a, const char *key);
// "radius = 37_", and what it may be, such as "0 to 64".
void palette_write_value(const struct app *a, char *text, size_t size);
void palette_write_limits(const struct app *a, char *text, size_t size);
