// band_cells.c -- the table of the bands' texts: where each comes from, its row and its size.
#include "screen/band_parts.h"

#include <stddef.h>

#define OF_SIDE(field) offsetof(struct overlay_side, field), CELL_EACH
#define OF_BOTH(field) offsetof(struct overlay_content, field)
// clang-format off
#define LEFT(row) {BAND_##row, false}
#define RIGHT(row) {BAND_##row, true}
#define EVERYWHERE(spot) {spot, spot, spot, spot}
#define MEDIUM PAINT_MEDIUM
#define NORMAL PAINT_NORMAL
#define BOLD   PAINT_BOLD

// The spots are those of FORM_ONE, FORM_PAIR, FORM_NARROW_ONE and FORM_NARROW_PAIR.
const struct cell_kind cell_kinds[CELL_COUNT] = {
    [TITLE] = {OF_SIDE(title), EVERYWHERE(LEFT(TITLE)), 1.00, 0.0, MEDIUM, false, false},
    [DEVICE] = {OF_BOTH(device), 0, {RIGHT(TITLE), LEFT(STATUS), LEFT(STATUS), LEFT(STATUS)},
                0.90, 1.5, NORMAL, false, false},
    [TIME] = {OF_SIDE(time), EVERYWHERE(LEFT(TIME)), 2.00, 0.0, BOLD, true, false},
    [SPREAD] = {OF_SIDE(spread), {LEFT(TIME), LEFT(DETAIL), LEFT(TIME), LEFT(TIME)},
                0.85, 0.0, NORMAL, true, true},
    [SPEED] = {OF_SIDE(speed), {LEFT(TIME), LEFT(TIME), LEFT(SPEED), LEFT(SPEED)},
               1.00, 1.4, MEDIUM, true, true},
    [BADGE] = {OF_SIDE(badge_text), {RIGHT(TIME), RIGHT(TITLE), RIGHT(TIME), RIGHT(TIME)},
               1.00, 1.4, BOLD, false, true},
    [DETAIL] = {OF_SIDE(detail), EVERYWHERE(LEFT(DETAIL)), 0.82, 1.2, NORMAL, false, false},
    [BOUND] = {OF_SIDE(bound), EVERYWHERE(RIGHT(DETAIL)), 0.82, 1.2, MEDIUM, false, false},
    [DIFFERENCE] = {OF_BOTH(pair.difference), 0, EVERYWHERE(RIGHT(VERDICT)),
                    1.15, 0.0, BOLD, false, true},
    [RATIO] = {OF_BOTH(pair.ratio), 1, EVERYWHERE(LEFT(VERDICT)), 1.15, 0.0, BOLD, false, true},
    [STATUS] = {OF_BOTH(status), 0, EVERYWHERE(LEFT(STATUS)), 0.85, 1.2, NORMAL, false, false},
    [HINT] = {OF_BOTH(hint), 0, EVERYWHERE(RIGHT(STATUS)), 0.85, 1.5, MEDIUM, false, false},
};
// clang-format on

const char *cell_text(const struct overlay_content *c, int side, int cell)
{
    const struct cell_kind *kind = &cell_kinds[cell];
    const void *owner = kind->column == CELL_EACH ? (const void *)&c->sides[side] : c;
    return (const char *)owner + kind->text;
}

enum overlay_badge cell_badge(const struct overlay_content *c, int side, int cell)
{
    if (cell == BADGE) return c->sides[side].badge;
    if (cell == DIFFERENCE) return c->pair.verdict;
    if (cell == RATIO && c->pair.is_ratio_pending) return OVERLAY_BADGE_PENDING;
    return OVERLAY_BADGE_NONE;
}

bool cell_is_shown(const struct overlay_content *c, int side, int cell)
{
    return *cell_text(c, side, cell) || cell_badge(c, side, cell) != OVERLAY_BADGE_NONE;
}
