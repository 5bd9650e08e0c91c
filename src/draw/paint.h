// paint.h -- colours, text, boxes and small symbols for everything that cairo and pango draw.
//
// Lengths are pixels from the top left. Symbols are shapes, not characters of a font, so that they
// look the same on every machine. All digits have one width, so that a running number does not
// jiggle.
//
// It does not decide what stands where: the callers in draw/ and screen/ do.
#ifndef PAINT_H
#define PAINT_H

#include <pango/pangocairo.h>
#include <stdbool.h>

struct paint_color {
    double red, green, blue, alpha;  // 0 ... 1, not premultiplied
};

// On bands and panels, text has a contrast of at least 7:1 and grey text of 3:1, whatever picture
// is behind them. Grey marks figures that are not settled; size and weight show rank.
struct paint_theme {
    struct paint_color band, panel, scrim;  // under text; scrim: over the picture, around the help
    struct paint_color text, grey;
    struct paint_color good, bad, warning;  // fills of badges and accents of panels
    struct paint_color ink;                 // symbols and text on these fills
    struct paint_color cap, edge;           // a keycap's face and its outline
};
const struct paint_theme *paint_theme(bool is_light);

// A canvas and how to draw on it; everything is borrowed.
struct paint {
    cairo_t *cairo;
    PangoContext *context;  // for the texts of plots; NULL: plots make one for the canvas
    const struct paint_theme *theme;
    int width, height;
    double base;  // the size of normal text; other sizes are multiples of it
};

struct paint_font {
    double size;  // pixels an em
    PangoWeight weight;
    bool is_fixed;  // every character as wide as the next: code
};

// Makes a layout for one line of text, which may be set many times; g_object_unref() frees it.
PangoLayout *paint_text_create(PangoContext *context);

// Sets the text and the font; the line is as wide as its text. Repairs broken UTF-8.
void paint_text_set(PangoLayout *layout, const char *text, struct paint_font font);

// Like paint_text_set, but sets several paragraphs and wraps them at width; negative: no wrapping.
void paint_text_wrap(PangoLayout *layout, const char *text, struct paint_font font, double width);

void paint_text_cut(PangoLayout *layout, double width);     // ellipsizes each paragraph to width
void paint_text_limit(PangoLayout *layout, double height);  // ellipsizes wrapped text to height
double paint_text_width(PangoLayout *layout);
double paint_text_height(PangoLayout *layout);
void paint_text_at_baseline(cairo_t *cairo, PangoLayout *layout, double x, double baseline,
                            struct paint_color color);
void paint_text_at_top(cairo_t *cairo, PangoLayout *layout, double x, double top,
                       struct paint_color color);

// Half the height of a capital letter in ems: the way from a line's middle down to its baseline.
#define PAINT_HALF_CAPITAL 0.36

struct paint_box {
    double left, top, width, height;
};
bool paint_has_point(struct paint_box box, double x, double y);
bool paint_is_inside(struct paint_box a, struct paint_box b);  // the whole of a, in b

void paint_fill_box(cairo_t *cairo, struct paint_box box, double rounding,
                    struct paint_color color);
void paint_stroke_box(cairo_t *cairo, struct paint_box box, double rounding, double thickness,
                      struct paint_color color);

// Slanted lines across the box.
void paint_hatch_box(cairo_t *cairo, struct paint_box box, double step, struct paint_color color);

enum paint_symbol {
    PAINT_CHECK,     // a disc with a check mark: right
    PAINT_CROSS,     // a bare cross: wrong
    PAINT_DOTS,      // three dots: not known yet
    PAINT_CLOCK,     // a hollow clock: still being measured, or no longer current
    PAINT_BARRED,    // a circle with a bar: refused
    PAINT_TRIANGLE,  // with an exclamation mark: broken
    PAINT_ARROW,     // a solid arrow head to the right: the present choice
    PAINT_STAR       // the best
};

// Draws a symbol into a square around the centre; ink is the colour of a mark on a filled shape.
void paint_symbol(cairo_t *cairo, enum paint_symbol symbol, double center_x, double center_y,
                  double size, struct paint_color color, struct paint_color ink);

#endif
