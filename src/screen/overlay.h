// overlay.h -- the text over the picture, drawn with cairo and pango into memory.
//
// Readable from the back of a lecture hall: sizes follow the window's height and the text scale; no
// information is in a colour alone. Drawn again only where its content or size changes.
//
// Does not know GL, filters or timing: it is handed text, bars and plots. One thread.
#ifndef OVERLAY_H
#define OVERLAY_H

#include <stdbool.h>

enum overlay_badge {
    OVERLAY_BADGE_NONE,
    OVERLAY_BADGE_PENDING,
    OVERLAY_BADGE_GOOD,
    OVERLAY_BADGE_BAD
};
enum overlay_tone { OVERLAY_NOTE, OVERLAY_REFUSED, OVERLAY_BROKEN };  // of the message

// A row of the help screen; a row without keys is a section's title.
struct overlay_help {
    const char *keys, *text;
};

// Panels between the bands; panel_layout.h says where. What they show is borrowed until the next
// update.
enum overlay_panel { OVERLAY_GRID, OVERLAY_BARS, OVERLAY_SWEEP, OVERLAY_HEAT, OVERLAY_PANELS };

struct overlay_panels {
    const char *grid;                 // lines; "label<tab>value" makes two columns. NULL: closed
    const struct bars *bars;          // and so on
    const struct plot *sweep, *heat;  // compact ones
    unsigned opened[OVERLAY_PANELS];  // the largest was opened last: it stays where not all fit
};

// What is under a point of the window.
struct overlay_hit {
    enum overlay_panel panel;
    int index;     // the bar's row, or the heat map's cell; -1: none of them
    double value;  // on the sweep's x axis; negative: none
};

// One picture's words in the upper band; figures that are not settled are greyed.
struct overlay_side {
    char title[192];  // "Mean · shared · radius 5 · block 32×8 · unroll off"
    char time[32];    // "0.412 ms": the largest text
    char spread[64];  // "0.409–0.418"
    char speed[160];  // "155 Gpix/s   74 % of copy   3.4× naive"; parts are left out at the end
    bool is_settled;  // false: time, spread and speed are greyed
    enum overlay_badge badge;
    char badge_text[64];
    char detail[192];  // "310 GB/s · occupancy 75 % (registers) · 40 registers"
};

// What is said of two pictures, A and B, that are compared.
struct overlay_pair {
    int active;  // the side that keys act on: 0 or 1
    // In the band, at the left and at the right of the middle:
    char difference[96];         // "max |A − B| = 12   3.4 % of pixels"
    enum overlay_badge verdict;  // its symbol; GOOD: identical
    char ratio[96];              // "B 3.40× as fast as A"
    bool is_ratio_pending;
    // In the picture:
    double divider;   // window pixels; the letters stand at both sides of it
    bool is_flipped;  // B is the left one
    char shown[48];   // "|A − B| ×21": in place of the letters; may be empty
};

// What to show; every text is UTF-8 and may be empty.
struct overlay_content {
    // Upper band: one picture, or two side by side; band.h draws it.
    struct overlay_side sides[2];  // only the first, unless there is a pair
    bool is_comparing;
    struct overlay_pair pair;
    char device[128];

    // Lower band, one line:  interop: PBO mapped, zero copy · 16.7 ms a frame · vsync on     h help
    char status[256], hint[64];

    // A panel over the picture: a refusal with its reason (few words, large), or a compiler's log
    // (many lines of code and carets, in a fixed-width font, cut to what fits with a last line
    // "…").
    char message[4096];
    enum overlay_tone tone;

    // A lecture's words, large, at the lower middle; up to about 400 characters, newlines kept.
    // Panels keep clear of them.
    char caption[512];

    struct overlay_panels panels;

    const struct overlay_help *help;  // help screen, over everything else; NULL: closed
    int help_count;

    bool is_hidden;  // bands and panels are not drawn; message and caption still are
    bool is_light;   // theme: dark text on light bands, or light on dark
    double scale;    // of the text: 0.5 ... 4; 1 suits 1080 rows in a seminar room
};

struct overlay_box {
    int left, top, width, height;  // pixels
};

struct overlay;

enum { OVERLAY_DAMAGE = 48 };

// Premultiplied BGRA (cairo's ARGB32), rows top first, stride bytes apart; valid until the next
// call.
struct overlay_pixels {
    const unsigned char *pixels;
    int width, height, stride;
    struct overlay_box damage[OVERLAY_DAMAGE];  // what changed with the last update; none overlap
    int damage_count;
};

struct overlay *overlay_create(void);     // NULL: no memory
void overlay_destroy(struct overlay *o);  // accepts NULL

// Draws content for a window of that size, 1x1 and up. True when pixels changed.
bool overlay_update(struct overlay *o, const struct overlay_content *content, int width,
                    int height);
struct overlay_pixels overlay_pixels(const struct overlay *o);

// The panel that was drawn at a point of the window; false: there is none, but picture or band.
bool overlay_find(const struct overlay *o, double x, double y, struct overlay_hit *hit);

// Where a panel was drawn; false: nowhere.
bool overlay_panel_box(const struct overlay *o, enum overlay_panel panel, struct overlay_box *box);

#endif
