// paint.h -- colours, text, boxes and small symbols for everything that cairo and pango draw.
//
// Lengths are pixels from the top left. Symbols are shapes, not characters of a font, so that they
// look the same on every machine. All digits have one width, so that a running number does not
// jiggle.
//
// It does not decide what stands where: the callers in draw/ and screen/ do.
#pragma once

#include <pango/pangocairo.h>
#include <stdbool.h>

struct paint_color {
    double red, green, blue, alpha;  // 0 ... 1, not premultiplied
};
// An initializer, from 0xrrggbb.
#define PAINT_RGBA(hex, opacity)                                                              \
    {                                                                                         \
        ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0, opacity \
    }
#define PAINT_RGB(hex) PAINT_RGBA(hex, 1)

// On bands and panels, text has a contrast of at least 7:1 and grey text of 3:1, whatever picture
// is behind them. Grey marks figures that are not settled; size and weight show rank.
struct paint_theme {
    bool is_light;
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
    PangoLayout *layout;  // of paint_text_create(), for the line that is being written
    const struct paint_theme *theme;
    int width, height;
    double base;   // the size of normal text; other sizes are multiples of it
    double plain;  // base at text scale 1, or at a smaller one; only the overlay has a scale
};

// A page that is drawn on a surface in one go, dark on white. Closing it leaves the surface.
struct paint paint_open(cairo_surface_t *surface, int width, int height, double base);
void paint_close(struct paint *paint);
// For cairo's streams: adds to a GByteArray.
cairo_status_t paint_append(void *bytes, const unsigned char *data, unsigned int length);

enum paint_weight {
    PAINT_NORMAL = PANGO_WEIGHT_NORMAL,
    PAINT_MEDIUM = PANGO_WEIGHT_MEDIUM,
    PAINT_SEMIBOLD = PANGO_WEIGHT_SEMIBOLD,
    PAINT_BOLD = PANGO_WEIGHT_BOLD
};

struct paint_font {
    double size;  // pixels an em
    enum paint_weight weight;
    bool is_fixed;  // every character as wide as the next: code
};

// Makes a layout for one line of text, which may be set many times; g_object_unref() frees it.
PangoLayout *paint_text_create(PangoContext *context);

// Sets the text and the font; the line is as wide as its text. Repairs broken UTF-8.
void paint_text_set(PangoLayout *layout, const char *text, struct paint_font font);

// Like paint_text_set, but sets several paragraphs and wraps them at width; negative: no wrapping.
// A number stays with its noun or unit, but not in code.
void paint_text_wrap(PangoLayout *layout, const char *text, struct paint_font font, double width);

void paint_text_cut(PangoLayout *layout, double width);     // ellipsizes each paragraph to width
void paint_text_limit(PangoLayout *layout, double height);  // ellipsizes wrapped text to height
double paint_text_width(PangoLayout *layout);
double paint_text_height(PangoLayout *layout);
void paint_text_at_baseline(const struct paint *paint, PangoLayout *layout, double x,
                            double baseline, struct paint_color color);
void paint_text_at_top(const struct paint *paint, PangoLayout *layout, double x, double top,
                       struct paint_color color);

// Colours the bytes from start to end of the text that a list is for.
void paint_text_color(PangoAttrList *list, struct paint_color color, size_t start, size_t end);

// Writes one line with the middle of its capitals at y, from x, about it or up to it. Returns the
// width.
enum paint_align { PAINT_LEFT, PAINT_CENTER, PAINT_RIGHT };
double paint_write(const struct paint *paint, const char *text, double size,
                   enum paint_weight weight, double x, double y, enum paint_align align,
                   struct paint_color color);
// The same from x, cut where it is wider than room; nothing where room holds no two letters.
double paint_write_within(const struct paint *paint, const char *text, double size,
                          enum paint_weight weight, double x, double y, double room,
                          struct paint_color color);
// The same, but it shrinks to a part of its size before it is cut.
double paint_write_fitting(const struct paint *paint, const char *text, double size,
                           enum paint_weight weight, double x, double y, double room,
                           double least_part, struct paint_color color);
// Writes words from a top left corner, wrapped into so many lines at most, then cut.
void paint_write_lines(const struct paint *paint, const char *text, double size,
                       enum paint_weight weight, double x, double top, double width, int lines,
                       struct paint_color color);
double paint_measure(const struct paint *paint, const char *text, double size,
                     enum paint_weight weight);

// The size at which the text fits into the room: `size` or less, but at least least_part of it.
double paint_fit(const struct paint *paint, const char *text, double size, enum paint_weight weight,
                 double room, double least_part);

// Half the height of a capital letter in ems: the way from a line's middle down to its baseline.
#define PAINT_HALF_CAPITAL 0.36

struct paint_box {
    double left, top, width, height;
};
bool paint_has_point(struct paint_box box, double x, double y);
bool paint_is_empty(struct paint_box box);
bool paint_has_overlap(struct paint_box a, struct paint_box b);
bool paint_is_inside(struct paint_box a, struct paint_box b);  // the whole of a, in b
struct paint_box paint_join(struct paint_box a,
                            struct paint_box b);  // around both; if one is empty: the other
struct paint_box paint_inset(struct paint_box box, double margin);  // negative: larger

struct paint_color paint_fade(struct paint_color color, double alpha);
void paint_set_color(const struct paint *paint, struct paint_color color);
void paint_line(const struct paint *paint, double x0, double y0, double x1, double y1,
                double thickness, struct paint_color color);
void paint_fill_box(const struct paint *paint, struct paint_box box, double rounding,
                    struct paint_color color);
void paint_stroke_box(const struct paint *paint, struct paint_box box, double rounding,
                      double thickness, struct paint_color color);  // inside of the box's edge
// The ground of a panel, with an outline.
void paint_panel(const struct paint *paint, struct paint_box box, double em, double alpha);
// Slanted lines across the box.
void paint_hatch_box(const struct paint *paint, struct paint_box box, double step,
                     struct paint_color color);
// Nothing outside of the box is drawn until cairo_restore().
void paint_clip(const struct paint *paint, struct paint_box box);

// A key's name on a keycap whose middle is at y, from x; "…" and "–" stand alone, between two caps.
double paint_keycap_width(const struct paint *paint, const char *key, double em);
void paint_keycap(const struct paint *paint, const char *key, double em, double x, double y);

// A title and, at the right, words about it, over a line, which is thick where keys act on what is
// below. The title shrinks until both fit.
void paint_heading(const struct paint *paint, struct paint_box box, double em, const char *title,
                   const char *words, bool is_active, struct paint_color color);

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

// Draws a symbol into a square around the centre. Marks on a filled shape have the theme's ink.
void paint_symbol(const struct paint *paint, enum paint_symbol symbol, double center_x,
                  double center_y, double size, struct paint_color color);
