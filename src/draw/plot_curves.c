#include "draw/plot_parts.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

// The colours of styles: those of Okabe and Ito (told apart by the colour-blind), darkened for
// paper and lightened for a screen, then two more. There are five markers, so that colour and
// marker together do not repeat.
struct style {
    struct paint_color on_light, on_dark;
};

static const struct style styles[] = {
    {PAINT_RGB(0xc44e00), PAINT_RGB(0xff8a3c)}, {PAINT_RGB(0x0063a8), PAINT_RGB(0x5db8f5)},
    {PAINT_RGB(0x00785a), PAINT_RGB(0x2fd0a2)}, {PAINT_RGB(0xa8407f), PAINT_RGB(0xf099cc)},
    {PAINT_RGB(0x8a6500), PAINT_RGB(0xf0c84a)}, {PAINT_RGB(0x333333), PAINT_RGB(0xe0e0e0)},
    {PAINT_RGB(0x6038b0), PAINT_RGB(0xb8a0ff)}, {PAINT_RGB(0x8c1c2c), PAINT_RGB(0xff9b9b)},
};

static const double twin_dash[] = {0.6, 0.35};  // ems

enum marker { DISC, SQUARE, TRIANGLE, DIAMOND, WEDGE, MARKERS };

_Static_assert(PLOT_STYLES == G_N_ELEMENTS(styles) * MARKERS, "each style is one of its kind");

// A label right of the area, moved so that it covers no other.
struct label {
    const struct plot_curve *curve;
    double curve_x, curve_y;  // of its end
    double y;                 // the middle of the label's line
};

// ---- curves ----

struct paint_color plot_style_color(bool is_light, int style)
{
    const struct style *colors = &styles[style % (int)G_N_ELEMENTS(styles)];
    return is_light ? colors->on_light : colors->on_dark;
}

// Polygons, in parts of an em, whose first corner is turned from the top; without corners, a disc.
static const struct {
    int corners;
    double size, turned;
} markers[MARKERS] = {[DISC] = {0, 0.324, 0},
                      [SQUARE] = {4, 0.432, G_PI / 4},
                      [TRIANGLE] = {3, 0.45, 0},
                      [DIAMOND] = {4, 0.45, 0},
                      [WEDGE] = {3, 0.45, G_PI}};

static void draw_marker(const struct paint *paint, int style, double x, double y,
                        struct paint_color color)
{
    cairo_t *cairo = paint->cairo;
    const int marker = style % MARKERS, corners = markers[marker].corners;
    const double size = markers[marker].size * paint->base;
    cairo_new_path(cairo);
    if (!corners) cairo_arc(cairo, x, y, size, 0, 2 * G_PI);
    for (int i = 0; i < corners; i++) {
        const double angle = markers[marker].turned + 2 * G_PI * i / corners;
        cairo_line_to(cairo, x + size * sin(angle), y - size * cos(angle));
    }
    paint_set_color(paint, color);
    cairo_fill(cairo);
}

// Traces a curve's stretches between right points or, if is_wrong, those that a wrong point ends.
static void trace_curve(cairo_t *cairo, const struct plot_places *a, const struct plot_curve *curve,
                        bool is_wrong)
{
    bool is_drawn = false;  // up to this point
    cairo_new_path(cairo);
    for (int i = 1; i < curve->count; i++) {
        const struct plot_point *from = &curve->points[i - 1], *to = &curve->points[i];
        const bool was_drawn = is_drawn;
        is_drawn = (from->is_wrong || to->is_wrong) == is_wrong;
        if (!is_drawn) continue;
        if (!was_drawn) cairo_move_to(cairo, plot_place_x(a, from->x), plot_place_y(a, from->y));
        cairo_line_to(cairo, plot_place_x(a, to->x), plot_place_y(a, to->y));
    }
}

static void draw_curve(const struct paint *paint, const struct plot_places *a,
                       const struct plot_curve *curve)
{
    const struct paint_color color = plot_style_color(paint->theme->is_light, curve->style);
    const double scaled[] = {twin_dash[0] * paint->base, twin_dash[1] * paint->base};
    cairo_set_dash(paint->cairo, scaled, curve->is_dashed ? 2 : 0, 0);
    cairo_set_line_width(paint->cairo, (curve->is_emphasised ? 4 : 2) * paint->base / 15);
    paint_set_color(paint, color);
    trace_curve(paint->cairo, a, curve, false);
    cairo_stroke(paint->cairo);
    paint_set_color(paint, paint_fade(color, 0.35));
    trace_curve(paint->cairo, a, curve, true);
    cairo_stroke(paint->cairo);
    cairo_set_dash(paint->cairo, NULL, 0, 0);
    const struct paint_color faint = paint_fade(color, 0.7);
    for (int i = 0; i < curve->count; i++) {
        const struct plot_point *p = &curve->points[i];
        const double x = plot_place_x(a, p->x), y = plot_place_y(a, p->y);
        const bool has_quartiles = p->lower > 0 && p->upper > 0;
        const double top = has_quartiles ? plot_place_y(a, p->upper) : y;
        const double bottom = has_quartiles ? plot_place_y(a, p->lower) : y;
        if (bottom - top >= 0.9 * paint->base) {  // else they are behind the marker
            const double half = 0.25 * paint->base;
            paint_line(paint, x, top, x, bottom, 1.2, faint);
            paint_line(paint, x - half, top, x + half, top, 1.2, faint);
            paint_line(paint, x - half, bottom, x + half, bottom, 1.2, faint);
        }
        if (p->is_wrong)
            paint_symbol(paint, PAINT_CROSS, x, y, 0.9 * paint->base, color);
        else
            draw_marker(paint, curve->style, x, y, color);
    }
}

// The lowest place of a curve's lines and markers between two places across, or y if that is lower.
static double lowest_between(const struct plot_places *a, const struct plot_curve *curve,
                             double left, double right, double y)
{
    for (int i = 0; i < curve->count; i++) {
        const struct plot_point *p = &curve->points[i], *before = &curve->points[MAX(i - 1, 0)];
        const double x0 = plot_place_x(a, before->x), x1 = plot_place_x(a, p->x);
        const double y0 = plot_place_y(a, before->y), y1 = plot_place_y(a, p->y);
        if (x1 < left || x0 > right) continue;
        const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
        y = fmax(y, y1 + slope * (CLAMP(left, x0, x1) - x1));
        y = fmax(y, y1 + slope * (CLAMP(right, x0, x1) - x1));
    }
    return y;
}

// A level over a sloping line is a roof: what is above it is free, and its label stands above the
// level's right end. Else the label stands below the left end of the line, and of the curves there.
static void draw_floor(const struct paint *paint, const struct plot_places *a,
                       const struct plot_curves *c)
{
    if (c->floor <= 0 && !c->floor_count) return;
    const struct paint_theme *theme = paint->theme;
    const struct plot_curve slope = {.points = c->floors, .count = c->floor_count};
    const double dash[] = {0.55 * paint->base, 0.35 * paint->base};
    const double y = plot_place_y(a, c->floor > 0 ? c->floor : c->floors[0].y);
    const double size = 0.9 * paint->base, air = 0.5 * paint->base;
    const double width = paint_measure(paint, c->floor_label, size, PAINT_NORMAL);
    double x = a->left + air;
    cairo_set_dash(paint->cairo, dash, 2, 0);
    if (c->floor > 0) paint_line(paint, a->left, y, a->right, y, 1.5, theme->text);
    paint_set_color(paint, theme->text);
    cairo_set_line_width(paint->cairo, 1.5);
    trace_curve(paint->cairo, a, &slope, false);
    cairo_stroke(paint->cairo);
    cairo_set_dash(paint->cairo, NULL, 0, 0);
    if (c->floor > 0 && c->floor_count > 0) {
        const double room = a->right - a->left - paint->base;
        const char *text = width > room && c->floor_short ? c->floor_short : c->floor_label;
        const double words = fmin(room, paint_measure(paint, text, size, PAINT_NORMAL));
        paint_write_within(paint, text, size, PAINT_NORMAL, a->right - air - words,
                           y - 0.8 * paint->base, room, theme->text);
        return;
    }
    // The label does not lie across the line of the present choice. It moves to the right of that
    // line or, without room there, has the background put back, so that the line ends above it.
    const double mark = c->has_mark ? plot_place_x(a, c->mark_x) : a->left;
    const bool is_across = mark > x - air && mark < x + width + air;
    if (is_across && mark + width + 2 * air < a->right) {
        x = mark + air;
    } else if (is_across) {
        const double top = y + 0.3 * paint->base;
        cairo_set_operator(paint->cairo, CAIRO_OPERATOR_SOURCE);
        paint_fill_box(paint, (struct paint_box){mark - air, top, 2 * air, a->bottom - 1 - top}, 0,
                       theme->panel);
        cairo_set_operator(paint->cairo, CAIRO_OPERATOR_OVER);
    }
    double below = lowest_between(a, &slope, x, x + width, y);
    for (int i = 0; i < c->count; i++)
        below = lowest_between(a, &c->curves[i], x - air, x + width + air, below);
    paint_write(paint, c->floor_label, size, PAINT_NORMAL, x, below + 0.8 * paint->base, PAINT_LEFT,
                theme->text);
}

// ---- crossings ----

static const double noise = 0.009;  // log10 of 2 %: curves that are nearer do not cross, they touch

// A curve's right result there; NULL: it has none.
static const struct plot_point *point_at(const struct plot_curve *curve, double x)
{
    for (int i = 0; i < curve->count; i++)
        if (curve->points[i].x == x && !curve->points[i].is_wrong) return &curve->points[i];
    return NULL;
}

static bool is_lowest(const struct plot_curves *c, double x, double y)
{
    for (int i = 0; i < c->count; i++) {
        const struct plot_point *p = point_at(&c->curves[i], x);
        if (p && p->y < y) return false;
    }
    return true;
}

// Rings the point where two curves cross between neighbouring xs, as straight lines on these axes.
// It must be where the lowest curve changes, or one of the two is emphasised.
static void draw_crossing(const struct paint *paint, const struct plot_places *a,
                          const struct plot_curves *c, int j, int k, int i)
{
    const struct plot_curve *one = &c->curves[j], *other = &c->curves[k];
    const double from = c->xs[i - 1], to = c->xs[i];
    const struct plot_point *a0 = point_at(one, from), *a1 = point_at(one, to);
    const struct plot_point *b0 = point_at(other, from), *b1 = point_at(other, to);
    if (!a0 || !a1 || !b0 || !b1) return;
    if (!one->is_emphasised && !other->is_emphasised &&
        !(is_lowest(c, from, fmin(a0->y, b0->y)) && is_lowest(c, to, fmin(a1->y, b1->y))))
        return;
    const double before = log10(a0->y / b0->y), after = log10(a1->y / b1->y);
    if (before * after >= 0 || fmin(fabs(before), fabs(after)) < noise) return;
    const double part = before / (before - after);
    const double y0 = plot_place_y(a, a0->y), y1 = plot_place_y(a, a1->y);
    const double x0 = plot_place_x(a, from), x1 = plot_place_x(a, to);
    cairo_t *cairo = paint->cairo;
    cairo_new_path(cairo);
    cairo_arc(cairo, x0 + part * (x1 - x0), y0 + part * (y1 - y0), 0.55 * paint->base, 0, 2 * G_PI);
    paint_set_color(paint, paint->theme->text);
    cairo_set_line_width(cairo, 0.14 * paint->base);
    cairo_stroke(cairo);
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

// Stacks that touch become one, at the mean of the places that their labels want. At last, labels
// that have left the area come back into it.
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

// If the curve ends at the area's edge, a dotted line leads to it from a label that was moved. A
// line to a curve that ends before would run through others, so its marker stands at the label.
static void draw_labels(const struct paint *paint, const struct plot_places *a,
                        const struct plot_curves *c, double room)
{
    struct label labels[PLOT_MAX_CURVES];
    const double em = paint->base, dots[] = {1, 2}, x = a->right + 1.4 * em;
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        const struct plot_curve *curve = &c->curves[i];
        if (!curve->count) continue;
        const struct plot_point *last = &curve->points[curve->count - 1];
        const double y = plot_place_y(a, last->y);
        labels[count++] = (struct label){curve, plot_place_x(a, last->x), y, y};
    }
    const double step = fmin(1.2 * em, (a->bottom - a->top) / fmax(count, 1));
    spread(labels, count, step, a->top, a->bottom - 0.6 * em);
    for (const struct label *l = labels; l < labels + count; l++) {
        const struct paint_color color = plot_style_color(paint->theme->is_light, l->curve->style);
        const double from = l->curve_x + 0.5 * em;
        const bool is_far = fabs(l->y - l->curve_y) > 0.3 * em;
        if (l->curve_x + em < a->right) {
            draw_marker(paint, l->curve->style, x - 0.55 * em, l->y, color);
        } else if (is_far || x - 0.25 * em - from > em) {
            cairo_set_dash(paint->cairo, dots, 2, 0);
            paint_line(paint, from, l->curve_y, x - 0.25 * em, l->y, 1, paint_fade(color, 0.55));
            cairo_set_dash(paint->cairo, NULL, 0, 0);
        }
        paint_write_within(paint, l->curve->label, em,
                           l->curve->is_emphasised ? PAINT_BOLD : PAINT_SEMIBOLD, x, l->y, room,
                           color);
    }
}

// ---- the whole ----

struct plot_places plot_draw_curves(const struct paint *paint, struct paint_box box,
                                    const struct plot *plot)
{
    const struct plot_curves *const c = plot->curves;
    const bool is_compact = plot->is_compact;
    const enum paint_weight weight = is_compact ? PAINT_BOLD : PAINT_SEMIBOLD;
    const double em = paint->base;
    double widest = is_compact ? paint_measure(paint, c->x_label, em, PAINT_NORMAL) : 0;
    g_assert(c->count <= PLOT_MAX_CURVES);
    for (int i = 0; i < c->count; i++)
        widest = fmax(widest, paint_measure(paint, c->curves[i].label, em, weight));
    const double room = fmin(widest + 1, 0.4 * box.width);
    struct plot_places a = {.left = box.left,
                            .top = box.top + (is_compact ? 0.4 : 1.9) * em,
                            .right = box.left + box.width - room - 1.4 * em,
                            .bottom = box.top + box.height - (is_compact ? 2.0 : 3.4) * em};
    plot_fit_area(&a, c);
    // The first markers stand clear of the axis.
    a.x_low -= 0.03 * (a.x_high - a.x_low);
    a.x_high += 0.01 * (a.x_high - a.x_low);
    // Room for the floor's label: above a roof, else below the floor.
    const double line = 1.1 * em / (a.bottom - a.top) * (a.y_high - a.y_low);
    if (c->floor > 0 && c->floor_count > 0)
        a.y_high += line;
    else if (c->floor > 0 || c->floor_count > 0)
        a.y_low -= line;
    a.left += fmax(3 * em, plot_y_labels_width(paint, &a));
    plot_draw_axes(paint, &a, c, is_compact);
    draw_floor(paint, &a, c);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < c->count; i++)
            if (c->curves[i].is_emphasised == (turn == 1)) draw_curve(paint, &a, &c->curves[i]);
    for (int i = 1; i < c->x_count && c->has_crossings; i++)
        for (int k = 1; k < c->count && c->xs[i - 1] > 0; k++)  // below, the axis is linear
            for (int j = 0; j < k; j++) draw_crossing(paint, &a, c, j, k, i);
    draw_labels(paint, &a, c, room);
    return a;
}
