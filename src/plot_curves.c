#include "plot_parts.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_TICKS = 32 };

// How curves differ, by index: colours of Okabe and Ito (told apart by the colour-blind), darkened
// for paper and lightened for a screen; markers and dashes of other periods, so that a pair does
// not repeat soon.
struct style {
    struct paint_color on_light, on_dark;
};

#define RGB(hex)                                                                        \
    {                                                                                   \
        ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0, 1 \
    }

static const struct style styles[] = {
    {RGB(0xc44e00), RGB(0xff8a3c)}, {RGB(0x0063a8), RGB(0x5db8f5)}, {RGB(0x00785a), RGB(0x2fd0a2)},
    {RGB(0xa8407f), RGB(0xf099cc)}, {RGB(0x8a6500), RGB(0xf0c84a)}, {RGB(0x333333), RGB(0xe0e0e0)},
};

static const double dashes[][2] = {{0, 0}, {10, 4}, {4, 3}, {1.5, 3}};

enum marker { DISC, SQUARE, TRIANGLE, DIAMOND, WEDGE, MARKERS };

// The area between the axes, and what of the data lies in it.
struct area {
    double left, top, right, bottom;
    double x_low, x_high, y_low, y_high;  // logarithms
};

// A label beside the area, moved so that it covers no other.
struct label {
    const char *text;
    double x, y;              // of its end, the middle of its line
    double curve_x, curve_y;  // of the curve's end
    int curve;
};

// ---- scales ----

static double log_x(double x)
{
    return x > 0 ? log2(x) : -1;
}

static double place_x(const struct area *a, double x)
{
    return a->left + (log_x(x) - a->x_low) / (a->x_high - a->x_low) * (a->right - a->left);
}

static double place_y(const struct area *a, double y)
{
    return a->bottom - (log10(y) - a->y_low) / (a->y_high - a->y_low) * (a->bottom - a->top);
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void fit(struct area *a, const struct plot_curves *c)
{
    a->x_low = a->y_low = INFINITY;
    a->x_high = a->y_high = -INFINITY;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->curves[i].count; k++) {
            const struct plot_point *p = &c->curves[i].points[k];
            widen(&a->x_low, &a->x_high, log_x(p->x));
            widen(&a->y_low, &a->y_high, log10(p->y));
            if (p->lower > 0) widen(&a->y_low, &a->y_high, log10(p->lower));
            if (p->upper > 0) widen(&a->y_low, &a->y_high, log10(p->upper));
        }
    if (a->x_low > a->x_high) a->x_low = a->x_high = a->y_low = a->y_high = 0;
    if (c->floor > 0) widen(&a->y_low, &a->y_high, log10(c->floor));
    if (a->x_high - a->x_low < 1) a->x_high += 0.5, a->x_low -= 0.5;
    const double margin = fmax(0.08, 0.05 * (a->y_high - a->y_low));
    a->y_low -= margin;
    a->y_high += margin;
}

// ---- axes ----

// Room that the labels of the y axis want beside it.
static double y_labels_width(const struct plot_pen *pen, const struct area *a)
{
    double width = 0;
    for (int power = (int)floor(a->y_low); power <= a->y_high; power++) {
        char text[32];
        g_snprintf(text, sizeof text, "%.10g", 5 * pow(10, power));
        width = fmax(width, plot_text_width(pen, text, pen->em, PANGO_WEIGHT_NORMAL));
    }
    return width + 0.6 * pen->em;
}

static void draw_y_tick(const struct plot_pen *pen, const struct area *a, double value,
                        bool is_labelled)
{
    const struct paint_theme *theme = pen->paint->theme;
    struct paint_color line = theme->grey;
    line.alpha = is_labelled ? 0.28 : 0.12;
    const double y = place_y(a, value);
    plot_line(pen, a->left, y, a->right, y, 1, line);
    if (!is_labelled) return;
    char text[32];
    g_snprintf(text, sizeof text, "%.10g", value);
    plot_text(pen, text, pen->em, PANGO_WEIGHT_NORMAL, a->left - 0.5 * pen->em, y, PLOT_RIGHT,
              theme->text);
}

// Lines at 1, 2, 5; labelled as far as there is room.
static void draw_y_axis(const struct plot_pen *pen, const struct area *a, const char *label)
{
    const double decade = (a->bottom - a->top) / (a->y_high - a->y_low);
    const bool has_all = decade > 11 * pen->em, has_some = decade > 5.5 * pen->em;
    for (int power = (int)floor(a->y_low); power <= a->y_high; power++)
        for (int digit = 1; digit < 10; digit++) {
            const double value = digit * pow(10, power);
            if (log10(value) < a->y_low || log10(value) > a->y_high) continue;
            const bool is_labelled = digit == 1 || (has_some && (digit == 2 || digit == 5)) ||
                                     (has_all && (digit == 3 || digit == 7));
            draw_y_tick(pen, a, value, is_labelled);
        }
    plot_text_within(pen, label, pen->em, PANGO_WEIGHT_NORMAL, a->left, a->top - 1.1 * pen->em,
                     a->right - a->left, pen->paint->theme->text);
}

// The xs of all curves.
static int collect_ticks(const struct plot_curves *c, double *ticks)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->curves[i].count; k++) {
            int at = 0;
            while (at < count && ticks[at] != c->curves[i].points[k].x) at++;
            if (at == count && count < MAX_TICKS) ticks[count++] = c->curves[i].points[k].x;
        }
    return count;
}

static bool is_power_of_two(double x)
{
    return x == 0 || log2(x) == floor(log2(x));
}

// Powers of two always, others where they do not touch a neighbour.
static void draw_x_axis(const struct plot_pen *pen, const struct area *a,
                        const struct plot_curves *c)
{
    const struct paint_theme *theme = pen->paint->theme;
    double ticks[MAX_TICKS], taken[MAX_TICKS];
    const int count = collect_ticks(c, ticks);
    int used = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < count; i++) {
            if (is_power_of_two(ticks[i]) != (turn == 0)) continue;
            const double x = place_x(a, ticks[i]);
            bool is_free = true;
            for (int k = 0; k < used; k++) is_free &= fabs(taken[k] - x) > 1.9 * pen->em;
            plot_line(pen, x, a->bottom, x, a->bottom + (is_free ? 0.4 : 0.2) * pen->em, 1,
                      theme->grey);
            if (!is_free) continue;
            char text[32];
            g_snprintf(text, sizeof text, "%g", ticks[i]);
            plot_text(pen, text, pen->em, PANGO_WEIGHT_NORMAL, x, a->bottom + 1.1 * pen->em,
                      PLOT_CENTER, theme->text);
            taken[used++] = x;
        }
    plot_line(pen, a->left, a->bottom, a->right, a->bottom, 1.2, theme->grey);
    plot_text(pen, c->x_label, pen->em, PANGO_WEIGHT_NORMAL, (a->left + a->right) / 2,
              a->bottom + 2.6 * pen->em, PLOT_CENTER, theme->text);
}

// ---- curves ----

static struct paint_color color_of(const struct plot_pen *pen, int curve)
{
    const struct style *style = &styles[curve % (int)G_N_ELEMENTS(styles)];
    return pen->is_light ? style->on_light : style->on_dark;
}

static void trace_polygon(cairo_t *cairo, double x, double y, double size, int corners,
                          double turned)
{
    cairo_new_path(cairo);
    for (int i = 0; i < corners; i++) {
        const double angle = turned + 2 * G_PI * i / corners;
        cairo_line_to(cairo, x + size * sin(angle), y - size * cos(angle));
    }
    cairo_close_path(cairo);
}

static void draw_marker(const struct plot_pen *pen, enum marker marker, double x, double y,
                        struct paint_color color)
{
    const double size = 0.36 * pen->em;
    switch (marker) {
    case DISC:
    case MARKERS:
        cairo_new_path(pen->cairo);
        cairo_arc(pen->cairo, x, y, 0.9 * size, 0, 2 * G_PI);
        break;
    case SQUARE:
        trace_polygon(pen->cairo, x, y, 1.2 * size, 4, G_PI / 4);
        break;
    case TRIANGLE:
        trace_polygon(pen->cairo, x, y, 1.25 * size, 3, 0);
        break;
    case DIAMOND:
        trace_polygon(pen->cairo, x, y, 1.25 * size, 4, 0);
        break;
    case WEDGE:
        trace_polygon(pen->cairo, x, y, 1.25 * size, 3, G_PI);
        break;
    }
    plot_set_color(pen, color);
    cairo_fill(pen->cairo);
}

static void draw_quartiles(const struct plot_pen *pen, const struct area *a,
                           const struct plot_point *p, struct paint_color color)
{
    if (p->lower <= 0 || p->upper <= 0) return;
    const double x = place_x(a, p->x), top = place_y(a, p->upper), bottom = place_y(a, p->lower);
    if (bottom - top < 0.9 * pen->em) return;  // behind the marker
    const double half = 0.25 * pen->em;
    color.alpha = 0.7;
    plot_line(pen, x, top, x, bottom, 1.2, color);
    plot_line(pen, x - half, top, x + half, top, 1.2, color);
    plot_line(pen, x - half, bottom, x + half, bottom, 1.2, color);
}

static void draw_curve(const struct plot_pen *pen, const struct area *a,
                       const struct plot_curve *curve, int index)
{
    const struct paint_color color = color_of(pen, index);
    const double unit = pen->em / 15;
    const double *dash = dashes[index % (int)G_N_ELEMENTS(dashes)];
    const double scaled[2] = {dash[0] * unit, dash[1] * unit};
    cairo_set_dash(pen->cairo, scaled, dash[0] > 0 ? 2 : 0, 0);
    cairo_set_line_width(pen->cairo, 2 * unit);
    plot_set_color(pen, color);
    cairo_new_path(pen->cairo);
    for (int i = 0; i < curve->count; i++)
        cairo_line_to(pen->cairo, place_x(a, curve->points[i].x), place_y(a, curve->points[i].y));
    cairo_stroke(pen->cairo);
    cairo_set_dash(pen->cairo, NULL, 0, 0);
    for (int i = 0; i < curve->count; i++) {
        const struct plot_point *p = &curve->points[i];
        draw_quartiles(pen, a, p, color);
        draw_marker(pen, (enum marker)(index % MARKERS), place_x(a, p->x), place_y(a, p->y), color);
    }
}

static void draw_floor(const struct plot_pen *pen, const struct area *a,
                       const struct plot_curves *c)
{
    if (c->floor <= 0) return;
    const struct paint_theme *theme = pen->paint->theme;
    const double y = place_y(a, c->floor), dash[] = {0.55 * pen->em, 0.35 * pen->em};
    cairo_set_dash(pen->cairo, dash, 2, 0);
    plot_line(pen, a->left, y, a->right, y, 1.5, theme->text);
    cairo_set_dash(pen->cairo, NULL, 0, 0);
    plot_text(pen, c->floor_label, 0.9 * pen->em, PANGO_WEIGHT_NORMAL, a->left + 0.5 * pen->em,
              y + 0.8 * pen->em, PLOT_LEFT, theme->text);
}

// ---- labels ----

// Highest first.
static int by_height(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return (x->curve_y > y->curve_y) - (x->curve_y < y->curve_y);
}

// Labels that stand one below the other, as near to their curves as they can.
struct stack {
    int count;
    double top;  // of its first label
};

// Stacks that touch become one, at the mean of where their labels want to be. At last, what has
// left the area comes back.
static void spread(struct label *labels, int count, double step, double top, double bottom)
{
    struct stack stacks[PLOT_MAX_CURVES];
    int last = -1;
    qsort(labels, (size_t)count, sizeof *labels, by_height);
    for (int i = 0; i < count; i++) {
        stacks[++last] = (struct stack){1, labels[i].curve_y};
        for (; last > 0; last--) {
            struct stack *above = &stacks[last - 1], *below = &stacks[last];
            if (above->top + above->count * step <= below->top) break;
            above->top =
                (above->top * above->count + (below->top - above->count * step) * below->count) /
                (above->count + below->count);
            above->count += below->count;
        }
    }
    for (int i = 0, k = 0; i <= last; k += stacks[i++].count)
        for (int n = 0; n < stacks[i].count; n++) labels[k + n].y = stacks[i].top + n * step;
    for (int i = 0; i < count; i++, top += step) labels[i].y = fmax(labels[i].y, top);
    for (int i = count; i-- > 0; bottom -= step) labels[i].y = fmin(labels[i].y, bottom);
}

// Where the label is not beside its curve's end, a dotted line leads there.
static void draw_label(const struct plot_pen *pen, const struct label *l, double room)
{
    struct paint_color color = color_of(pen, l->curve);
    const double em = pen->em, from = l->curve_x + 0.5 * em, to = l->x - 0.25 * em;
    color.alpha = 0.55;
    if (fabs(l->y - l->curve_y) > 0.3 * em || to - from > em) {
        const double dots[] = {1, 2};
        cairo_set_dash(pen->cairo, dots, 2, 0);
        plot_line(pen, from, l->curve_y, to, l->y, 1, color);
        cairo_set_dash(pen->cairo, NULL, 0, 0);
    }
    color.alpha = 1;
    plot_text_within(pen, l->text, em, PANGO_WEIGHT_SEMIBOLD, l->x, l->y, room, color);
}

static void draw_labels(const struct plot_pen *pen, const struct area *a,
                        const struct plot_curves *c, double room)
{
    struct label labels[PLOT_MAX_CURVES];
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        const struct plot_curve *curve = &c->curves[i];
        if (!curve->count) continue;
        const struct plot_point *last = &curve->points[curve->count - 1];
        labels[count++] = (struct label){.text = curve->label,
                                         .x = a->right + 1.4 * pen->em,
                                         .y = place_y(a, last->y),
                                         .curve_x = place_x(a, last->x),
                                         .curve_y = place_y(a, last->y),
                                         .curve = i};
    }
    const double step = fmin(1.2 * pen->em, (a->bottom - a->top) / fmax(count, 1));
    spread(labels, count, step, a->top, a->bottom - 0.6 * pen->em);
    for (int i = 0; i < count; i++) draw_label(pen, &labels[i], room);
}

static double widest_label(const struct plot_pen *pen, const struct plot_curves *c)
{
    double width = 0;
    for (int i = 0; i < c->count; i++)
        width =
            fmax(width, plot_text_width(pen, c->curves[i].label, pen->em, PANGO_WEIGHT_SEMIBOLD));
    return width;
}

void plot_draw_curves(const struct plot_pen *pen, struct paint_box box, const struct plot_curves *c)
{
    const double em = pen->em;
    const double room = fmin(widest_label(pen, c) + 1, 0.4 * box.width);  // for the labels
    g_assert(c->count <= PLOT_MAX_CURVES);
    struct area a = {.left = box.left,
                     .top = box.top + 1.9 * em,
                     .right = box.left + box.width - room - 1.4 * em,
                     .bottom = box.top + box.height - 3.4 * em};
    fit(&a, c);
    a.left += fmax(3 * em, y_labels_width(pen, &a));
    // The first markers stand clear of the axis.
    a.x_low -= 0.03 * (a.x_high - a.x_low);
    a.x_high += 0.01 * (a.x_high - a.x_low);
    // Room below the floor for its label.
    if (c->floor > 0) a.y_low -= 1.1 * em / (a.bottom - a.top) * (a.y_high - a.y_low);
    draw_y_axis(pen, &a, c->y_label);
    draw_x_axis(pen, &a, c);
    draw_floor(pen, &a, c);
    for (int i = 0; i < c->count; i++) draw_curve(pen, &a, &c->curves[i], i);
    draw_labels(pen, &a, c, room);
}
