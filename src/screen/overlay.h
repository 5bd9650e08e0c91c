// overlay.h -- draws the text over the picture into memory, with cairo and pango.
//
// It can be read from the back of a lecture hall: sizes follow the window's height and the text
// scale, and no information is in a colour alone. Each region is drawn again when a fingerprint of
// its content, place, theme or size changes; the caller reports no changes.
//
// It does not know GL, filters or timing: it takes text, bars and plots. One thread.
#pragma once

#include <stdbool.h>

#include "draw/legend.h"
#include "screen/menu_view.h"

// The scale of the text. 1 suits 1080 rows in a seminar room.
#define OVERLAY_MIN_SCALE 0.5
#define OVERLAY_MAX_SCALE 4.0

enum overlay_badge {
    OVERLAY_BADGE_NONE,
    OVERLAY_BADGE_PENDING,
    OVERLAY_BADGE_GOOD,
    OVERLAY_BADGE_BAD
};
// Of the message; the last one is the caption's.
enum overlay_tone { OVERLAY_NOTE, OVERLAY_REFUSED, OVERLAY_BROKEN, OVERLAY_LECTURE };

// A row of the help screen; a row without keys is a section's title.
struct overlay_help {
    const char *keys, *text;
};

// Panels between the bands; panel_view.h says where. The overlay borrows what they show until the
// next update.
enum overlay_panel { OVERLAY_GRID, OVERLAY_BARS, OVERLAY_SWEEP, OVERLAY_HEAT, OVERLAY_PANELS };

struct overlay_panels {
    const char *grid;          // lines; "label<tab>value" makes two columns. NULL: closed
    struct paint_box pointed;  // what grid is about; no width: nothing
    const struct bars *bars;   // NULL: closed
    const struct plot *sweep, *heat;
    unsigned opened[OVERLAY_PANELS];  // the largest was opened last and hides last
};

// Columns of text right of the picture or below it, which leave it less room (dock_layout.h).
enum overlay_dock {
    OVERLAY_SOURCE_A,
    OVERLAY_SOURCE_B,
    OVERLAY_LENS_A,
    OVERLAY_LENS_B,
    OVERLAY_DOCKS
};

struct overlay_docks {
    const struct listing *source[2];  // of each side; NULL: closed
    const struct lens_view *lens[2];
    bool is_lens_full;  // lenses have the whole window: neither bands nor picture are seen
};

// Boxes over the picture that outline pixels.
enum { OVERLAY_MARKS = 32 };
struct overlay_marks {
    struct paint_box boxes[OVERLAY_MARKS];
    int count;
};

// The values of a short array, over the elements of its picture.
enum { OVERLAY_NUMBERS = 64 };
struct overlay_numbers {
    int count, columns;      // of the picture
    int digits;              // the most that are written of a value
    struct paint_box first;  // the box of the first element; the others follow it in rows
    double values[OVERLAY_NUMBERS];
};

// A mark that draws the eye: a frame about a panel, a dock, or a line of a source dock; or a ring
// about a point of the window.
enum overlay_pointed {
    OVERLAY_POINTED_NONE,
    OVERLAY_POINTED_PANEL,
    OVERLAY_POINTED_DOCK,
    OVERLAY_POINTED_LINE,
    OVERLAY_POINTED_SPOT
};
struct overlay_pointer {
    enum overlay_pointed kind;
    int index;    // of the panel or dock
    int line;     // of the dock's listing, from 0
    double x, y;  // of the spot
};

// The contents of a panel at a point of the window.
struct overlay_hit {
    enum overlay_panel panel;
    int index;     // the bar's row, or the heat map's cell; -1: none of them
    double value;  // on the sweep's x axis; -INFINITY: none
};

// One picture's words in the upper band.
struct overlay_side {
    char title[192];  // "Mean · shared · radius 5 · block 32×8 · unroll off"
    char time[32];    // "0.412 ms": the largest text
    char spread[64];  // "0.409–0.418"
    char speed[160];  // "155 Gpix/s   74 % of copy   3.4× naive 32×8"; the last parts may go
    bool is_settled;  // false: time, spread and speed are grey
    // Without a GPU, counts stand in time and spread, and the time in speed, which is grey.
    bool has_counts_first;
    enum overlay_badge badge;
    char badge_text[64];
    char bound[320];   // "bound by memory: 86 % of a copy's rate"; parts behind it may go
    char detail[192];  // "310 GB/s · occupancy 75 % (registers) · 40 registers"
};

// The words about two pictures, A and B, that are compared.
struct overlay_pair {
    int active;  // the side that keys act on: 0 or 1
    // In the band, at the left and at the right of the middle:
    char difference[96];         // "max |A − B| = 12   3.4 % of pixels"
    enum overlay_badge verdict;  // its symbol; GOOD: identical
    char ratio[96];              // "B 3.40× as fast as A"
    bool is_ratio_pending;
    // In the picture:
    double divider;   // window pixels; the letters stand left and right of it
    bool is_flipped;  // B is the left one
    char shown[48];   // "|A − B| ×21", in place of the letters; may be empty
};

// The contents; every text is UTF-8 and may be empty.
struct overlay_content {
    // Upper band (overlay_parts.h).
    struct overlay_side sides[2];  // the second only if is_comparing
    bool is_comparing;
    struct overlay_pair pair;
    char device[128];

    // Lower band, one line:  interop: PBO mapped, zero copy · 16.7 ms a frame · vsync on     h help
    char status[256], hint[64];  // status: its parts, a line each (overlay_add_status)
    bool is_first;               // nothing was pressed yet: the status names keys to begin with

    // Over the picture: a note, a refusal in a few large words, or a compiler's log in a
    // fixed-width font, which ends with a line "…" where it does not fit.
    char message[4096];
    enum overlay_tone tone;

    // A lecture's words: large, at the lower middle, about 400 characters, with their newlines.
    char caption[1536];

    struct overlay_panels panels;
    struct overlay_docks docks;
    struct overlay_marks marks;
    struct overlay_numbers numbers;

    // The legend of an array's picture, in a free corner; low empty: none. A pair has two, and each
    // stands in its own part of the picture.
    struct legend legends[2];

    struct overlay_pointer pointer;  // draws the eye; kind NONE: nothing
    const struct menu_view *menu;    // over everything but the help; NULL: closed

    const struct overlay_help *help;  // the help screen, over everything else; NULL: closed
    int help_count;
    int help_page;  // of overlay_help_pages(), from 0

    bool is_hidden;  // hides bands and panels, but neither message nor caption
    bool is_light;   // theme: dark text on light bands, or light on dark
    double scale;    // of the text
};

// Adds a part to the status. Add the most wanted one first: without room, the last ones go.
void overlay_add_status(struct overlay_content *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct overlay;

// Premultiplied BGRA (cairo's ARGB32), rows top first, stride bytes apart; valid until the next
// call.
struct overlay_pixels {
    const unsigned char *pixels;
    int width, height, stride;
    const struct paint_box *damage;  // whole pixels that the last update drew; none overlap
    int damage_count;
};

struct overlay *overlay_create(void);     // NULL: no memory
void overlay_destroy(struct overlay *o);  // accepts NULL

// Draws the content for a window of that size, 1x1 and up. Returns whether it drew anything.
bool overlay_update(struct overlay *o, const struct overlay_content *content, int width,
                    int height);
struct overlay_pixels overlay_pixels(const struct overlay *o);

// The window without bands and docks. The help covers it, but does not change it.
struct paint_box overlay_room(const struct overlay *o);

// The number of pages that the help had when it was drawn last; 1 before.
int overlay_help_pages(const struct overlay *o);

// Finds the panel at a point of the window; false: there is none.
bool overlay_find(const struct overlay *o, double x, double y, struct overlay_hit *hit);

// True if the menu is at a point of the window; its row there, or -1: none.
bool overlay_find_menu(const struct overlay *o, double x, double y, int *row);

struct listing_scroll;
struct lens_place;

// Finds the dock at a point of the window, and which part of it is there.
struct overlay_dock_hit {
    enum overlay_dock dock;
    int lane;                         // of a lens; -1: none
    const struct listing_line *line;  // of a source; NULL: none
};
bool overlay_find_dock(const struct overlay *o, double x, double y, struct overlay_dock_hit *hit);
// Where and how a side's lens was drawn last (lens_view.h).
const struct lens_place *overlay_lens(const struct overlay *o, int side);
// How far the lines of a source dock are scrolled; false: it is not drawn.
bool overlay_dock_scroll(const struct overlay *o, enum overlay_dock dock,
                         struct listing_scroll *scroll);

// Finds the place of a region, in whole pixels. index: of the panel (OVERLAY_PANELS: the line about
// those that do not fit), dock or legend; 0 for the others. False: it is not drawn.
enum overlay_region {
    OVERLAY_PANEL,
    OVERLAY_DOCK,
    OVERLAY_LEGEND,
    OVERLAY_CAPTION,
    OVERLAY_MESSAGE,
    OVERLAY_MENU
};
bool overlay_box(const struct overlay *o, enum overlay_region region, int index,
                 struct paint_box *box);
