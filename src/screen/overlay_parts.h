// overlay_parts.h -- the parts of the overlay, and what overlay.c (draws what has changed) and
// overlay_layout.c (says where things lie) share.
#pragma once

#include "draw/lens_view.h"
#include "draw/listing.h"
#include "draw/paint.h"
#include "screen/menu_view.h"
#include "screen/overlay.h"
#include "screen/panel_view.h"

// band.c -- the rows of text over the top and the bottom of the picture.
//
// With one picture:
//     TITLE    Mean · shared · radius 5 · block 32×8                           NVIDIA H200
//     TIME     0.412 ms (o)  0.409–0.418  155 Gpix/s  74 % of copy               (v) exact
//     DETAIL   310 GB/s · occupancy 75 % (registers)   bound by memory: 86 % of a copy's …
//     STATUS   interop: PBO mapped, zero copy · vsync on                           h  help
//
// With two pictures that are compared, in two columns:
//     TITLE    ┌───┐ Mean · naive · radius 5  (v) exact │ ███ Mean · shared · …   (v) exact
//     TIME     │ A │ 1.41 ms  45.4 Gpix/s               │ █B█ 0.412 ms  155 Gpix/s
//     DETAIL   └───┘ 1.40–1.42 · occupancy 75 %         │ keys 0.409–0.418 · occupancy 75 %
//     VERDICT                             (v) identical │ B 3.42× as fast as A
//     STATUS   NVIDIA H200 · interop: PBO mapped, zero copy · vsync on             h  help
//
// Where that is too narrow for the type, the speed has a row of its own, the device goes into the
// status row, and the details of two pictures take their column's whole width:
//     TITLE    Mean · shared · radius 5              ┌───┐ Mean · naive · radius 5     │ ███ Mean …
//     TIME     0.412 ms (o)  0.409–0.418  (v) exact  │ A │ 1.41 ms        (v) exact    │ █B█ 0.4…
//     SPEED    155 Gpix/s   74 % of copy             └───┘ 45.4 Gpix/s   32 % of copy  │     155…
//     DETAIL   310 GB/s · occupancy 75 %             310 GB/s · occupancy 75 %         │ 310 GB/…
//
// Each row has a fixed height and each figure its own place, so that nothing jumps while numbers
// run. Texts never overlap: a row that is too wide is set smaller in both columns, then loses
// parts, so that the others may be larger, then ends in an ellipsis. The bands follow the text
// scale until they would take half of the window or lose a figure; from there on they grow slowly.
// Unsettled figures are grey and marked with a clock (o). A badge's symbol says what its colour
// says. Keys act on the side whose letter is in a filled box.

enum band { BAND_TITLE, BAND_TIME, BAND_SPEED, BAND_DETAIL, BAND_VERDICT, BAND_STATUS, BAND_ROWS };

// The parts: each row's left and right one, and the columns' letters. Without a right part the left
// one is as wide as the window.
enum { BAND_LETTER = 2 * BAND_ROWS, BAND_PARTS = BAND_LETTER + 2 };

static inline int band_part(enum band band, int side)
{
    return 2 * (int)band + side;
}

struct bands;

// The bands show what content holds at each call; it must outlive them.
struct bands *bands_create(PangoContext *context, const struct overlay_content *content);
void bands_destroy(struct bands *bands);  // accepts NULL

// Lays the texts out. Fills in where each part lies; empty: the window does not show it.
void bands_place(struct bands *bands, const struct paint *paint,
                 struct paint_box boxes[BAND_PARTS]);

// A fingerprint of what a part draws in its box.
uint64_t bands_hash(const struct bands *bands, int part);
void bands_draw(const struct bands *bands, const struct paint *paint, int part);

// tags.c -- letters or a few words in rounded boxes, which say which picture is which.
//
//     upper band  ───────────┬───────────       difference:  ───────────────────────
//     in the picture     [A] │ [B]                               [|A − B| ×21]
//                            │ divider
//
// Keys act on the side with the filled box. It does not decide what is shown; overlay.c does.

enum tag { TAG_LEFT, TAG_RIGHT, TAG_SHOWN, TAG_COUNT };

// Draws words into a box, as large as its height allows: ink on the colour of text, or text on what
// is below.
void tags_draw_box(const struct paint *paint, const char *text, struct paint_box box,
                   bool is_filled);

// Says where the tags lie; a box without a width is not drawn.
void tags_place(const struct paint *paint, const struct overlay_pair *pair, struct paint_box area,
                struct paint_box boxes[TAG_COUNT]);

void tags_draw(const struct paint *paint, const struct overlay_pair *pair, enum tag tag,
               struct paint_box box);

// message.c -- words over the picture: a note, a refusal with its reason, a compiler's log or a
// lecture's caption.
//
//     ┌──────────────────────────────────┐   ┌───────────────────────────────────────┐
//     │▌ (/)  needs 66 KB of shared      │   │▌ /!\ mean.cu does not compile         │
//     │▌      memory, the GPU allows 48  │   │▌     mean.cu(41): error: expected ";" │
//     └──────────────────────────────────┘   │▌         sum += x                     │
//                                            │▌     …                                │
//                                            └───────────────────────────────────────┘
//
// The first line is a headline, except in a caption, which has one size. Text becomes smaller until
// it fits; what still does not fit is cut with an ellipsis.

enum message_height { MESSAGE_HIGH, MESSAGE_MIDDLE, MESSAGE_LOW };  // in its area

struct message {
    PangoLayout *head, *body;  // the first line and the rest
    enum overlay_tone tone;
    struct paint_box box;
    double size;    // pixels an em of the first line
    double base;    // the size of normal text, at most the overlay's; other sizes are multiples
    double frame;   // the base size of its padding and of the air around it
    uint64_t hash;  // of all that it was placed with
};

void message_init(struct message *message, PangoContext *context);
void message_finish(struct message *message);

// Lays text out within area and returns the box that it will cover.
struct paint_box message_place(struct message *message, const struct paint *paint, const char *text,
                               enum overlay_tone tone, struct paint_box area,
                               enum message_height height);

void message_draw(const struct message *message, const struct paint *paint);

// help.c -- the help screen: keys as keycaps with what they do, in titled sections.
//
//     ┌──────────────────────────────────────────────┐
//     │ Kernel                     Picture           │
//     │ ─────────────────────      ───────────────── │
//     │ [1] … [9]   variant        [n] [N]  next     │
//     │ [PgUp]      radius by 8    [space]  freeze   │
//     └──────────────────────────────────────────────┘
//
// It has at most three columns of whole sections. At text scale 1 all of it is one page, in the
// largest font that allows this; larger text makes pages. Spaces separate keys; "…" and "–" stand
// between keycaps.

enum { HELP_COLUMNS = 3, HELP_ROWS = 192 };

// A page's rows in columns, with lengths in ems: column c holds rows [first[c], first[c + 1]).
struct help_plan {
    int columns, first[HELP_COLUMNS + 1];
    double keys[HELP_COLUMNS], text[HELP_COLUMNS], height;
    double size;  // pixels an em
};

// {0} is a valid beginning; there is nothing to free.
struct help {
    const struct overlay_help *rows;
    int count;
    struct {
        double keys, text;  // widths in ems
    } sizes[HELP_ROWS];
    struct help_plan plan;  // of the page that is shown
    int page, pages;
    uint64_t hash;  // of all that it was placed with
};

// Lays the rows out over the whole window; a page beyond the last is the last. They must live until
// they are drawn last.
void help_place(struct help *help, const struct paint *paint, const struct overlay_help *rows,
                int count, int page);

void help_draw(const struct help *help, const struct paint *paint);

// pointer_view.c -- what draws the eye to a place: a bright frame about a box, or a ring about a
// point, each between dark lines, so that it is seen on any picture.

// The box that the frame or ring covers. about: the box that it points to.
struct paint_box pointer_view_place(const struct overlay_pointer *p, const struct paint *paint,
                                    struct paint_box about);
void pointer_view_draw(const struct overlay_pointer *p, const struct paint *paint,
                       struct paint_box box);

// ---- the overlay ----

// The window's regions, in the order in which they are drawn. Each is drawn again on its own.
//
//     0 ┌──────────────────────────┐
//       │ parts of the rows        │  upper band (band.c)
//       ├───────────┬──────────────┤
//       │       TAG │ TAG          │
//       │ [panel]          [panel] │  the picture shows here
//       │         MESSAGE          │
//       │ [panel]          [panel] │
//       │ LEGEND            LEGEND │  or in another corner that is free
//       │       [ CAPTION ]        │  what is above keeps clear of it
//       ├──────────────────────────┤
//       │ parts of the status row  │  lower band
//     h └──────────────────────────┘
//
// A refusal or a log may lie over panels, POINTER surrounds what it points to, and MENU lies over
// all of them. HELP covers everything: while it is open nothing else is drawn.
enum region {
    MARKS = BAND_PARTS,
    TAG,                            // the first of them
    PANEL = TAG + TAG_COUNT,        // the first of them
    MORE = PANEL + OVERLAY_PANELS,  // what panel_view.h says about panels that do not fit
    LEGEND,                         // the first of them
    DOCK = LEGEND + 2,              // the first of them
    POINTER = DOCK + OVERLAY_DOCKS,
    CAPTION,
    MESSAGE,
    MENU,
    HELP,
    REGION_COUNT
};

struct overlay {
    PangoContext *context;
    cairo_surface_t *surface;
    struct bands *bands;
    struct panel_view panel_view;
    struct listing_view listings[2];
    struct lens_place lenses[2];
    struct message message, caption;
    struct help help;
    struct menu_place menu;
    double legend_sizes[2];  // of their texts

    struct overlay_content content;
    struct paint paint;        // the window, and how to draw on it
    struct paint_box between;  // what bands leave
    struct paint_box room;     // what bands and docks leave, which the help covers
    // The place of each region (empty: none), and a fingerprint of its contents.
    struct paint_box boxes[REGION_COUNT];
    uint64_t hashes[REGION_COUNT];
    // The boxes that the last update drew: whole pixels, none over another.
    struct paint_box damage[2 * REGION_COUNT + 1];  // where each was and is, and the window
    int damage_count;
};

// Returns the text size of the numbers over elements, and *width, that of the longest. 0: none is
// drawn, because they would be too small.
double overlay_number_size(const struct overlay *o, double *width);

// Fills in the boxes for the content, the size and the base.
void overlay_lay_out(struct overlay *o);
