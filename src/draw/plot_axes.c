#include <glib.h>
#include <math.h>

#include "draw/plot_parts.h"

enum { MAX_TICKS = 72 };

// ---- scales ----

static double scale_x(const struct plot_places *a, double x)
{
    if (a->is_linear) return x;
    return x > 0 ? log2(x) : -1;
}

double plot_place_x(const struct plot_places *a, double x)
{
    return a->left + (scale_x(a, x) - a->x_low) / (a->x_high - a->x_low) * (a->right - a->left);
}

double plot_place_y(const struct plot_places *a, double y)
{
    return a->bottom - (log10(y) - a->y_low) / (a->y_high - a->y_low) * (a->bottom - a->top);
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

void plot_fit_area(struct plot_places *a, const struct plot_curves *c)
{
    a->is_linear = false;
    for (int i = 0; i < c->x_count; i++) a->is_linear |= c->xs[i] < 0;
    for (int i = 0; i < c->count; i++)
        a->is_linear |= c->curves[i].count && c->curves[i].points[0].x < 0;
    a->x_low = a->y_low = INFINITY;
    a->x_high = a->y_high = -INFINITY;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->curves[i].count; k++) {
            const struct plot_point *p = &c->curves[i].points[k];
            widen(&a->x_low, &a->x_high, scale_x(a, p->x));
            widen(&a->y_low, &a->y_high, log10(p->y));
            if (p->lower > 0) widen(&a->y_low, &a->y_high, log10(p->lower));
            if (p->upper > 0) widen(&a->y_low, &a->y_high, log10(p->upper));
        }
    for (int i = 0; i < c->x_count; i++) widen(&a->x_low, &a->x_high, scale_x(a, c->xs[i]));
    if (a->x_low > a->x_high) a->x_low = a->x_high = 0;
    if (a->y_low > a->y_high) a->y_low = a->y_high = 0;
    if (c->floor > 0) widen(&a->y_low, &a->y_high, log10(c->floor));
    for (int i = 0; i < c->floor_count; i++) widen(&a->y_low, &a->y_high, log10(c->floors[i].y));
    if (a->x_high - a->x_low < 1) a->x_high += 0.5, a->x_low -= 0.5;
    const double margin = fmax(0.08, 0.05 * (a->y_high - a->y_low));
    a->y_low -= margin;
    a->y_high += margin;
}

// ---- axes ----

// The values that have labels at the y axis.
struct y_labels {
    double values[MAX_TICKS];
    int count;
};

static bool is_in_range(const struct plot_places *a, double value)
{
    return log10(value) >= a->y_low && log10(value) <= a->y_high;
}

// Adds labels at so many hundredths of each power of ten, where they are in the range and no other
// one is near.
static void add_y_labels(struct y_labels *l, const struct paint *paint, const struct plot_places *a,
                         int hundredths)
{
    static const double least_step = 1.6;  // ems
    for (int power = (int)floor(a->y_low); power <= a->y_high; power++) {
        const double value = hundredths * pow(10, power - 2);
        bool is_free = is_in_range(a, value) && l->count < MAX_TICKS;
        for (int i = 0; i < l->count; i++)
            is_free &= fabs(plot_place_y(a, l->values[i]) - plot_place_y(a, value)) >=
                       least_step * paint->base;
        if (is_free) l->values[l->count++] = value;
    }
}

// Takes as many round digits as there is room for. If these are few, because all points lie within
// one digit, finer steps follow.
static struct y_labels choose_y_labels(const struct paint *paint, const struct plot_places *a)
{
    static const int digits[] = {1, 2, 5, 3, 7, 4, 6, 8, 9}, steps[] = {50, 10, 5};
    enum { FEW = 3 };
    struct y_labels labels = {.count = 0};
    for (size_t i = 0; i < G_N_ELEMENTS(digits); i++)
        add_y_labels(&labels, paint, a, 100 * digits[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(steps) && labels.count < FEW; i++)
        for (int at = 100; at < 1000; at += steps[i]) add_y_labels(&labels, paint, a, at);
    return labels;
}

double plot_y_labels_width(const struct paint *paint, const struct plot_places *a)
{
    const struct y_labels labels = choose_y_labels(paint, a);
    double width = 0;
    for (int i = 0; i < labels.count; i++) {
        char text[32];
        g_snprintf(text, sizeof text, "%.10g", labels.values[i]);
        width = fmax(width, paint_measure(paint, text, paint->base, PAINT_NORMAL));
    }
    return width + 0.6 * paint->base;
}

static void draw_y_line(const struct paint *paint, const struct plot_places *a, double value,
                        double opacity)
{
    const double y = plot_place_y(a, value);
    paint_line(paint, a->left, y, a->right, y, 1, paint_fade(paint->theme->grey, opacity));
}

// Draws a line at every digit of every decade, and a stronger one where there is a label.
static void draw_y_axis(const struct paint *paint, const struct plot_places *a)
{
    const struct y_labels labels = choose_y_labels(paint, a);
    for (int power = (int)floor(a->y_low); power <= a->y_high; power++)
        for (int digit = 1; digit < 10; digit++)
            if (is_in_range(a, digit * pow(10, power)))
                draw_y_line(paint, a, digit * pow(10, power), 0.12);
    for (int i = 0; i < labels.count; i++) {
        char text[32];
        g_snprintf(text, sizeof text, "%.10g", labels.values[i]);
        draw_y_line(paint, a, labels.values[i], 0.18);
        paint_write(paint, text, paint->base, PAINT_NORMAL, a->left - 0.5 * paint->base,
                    plot_place_y(a, labels.values[i]), PAINT_RIGHT, paint->theme->text);
    }
}

// The labels below the x axis; none overlaps another.
struct ticks {
    double xs[MAX_TICKS];
    double taken[MAX_TICKS + 1], halves[MAX_TICKS + 1];  // the middles of labels, and half of each
    int count, taken_count;
};

static void add_tick(struct ticks *t, double x)
{
    int at = 0;
    while (at < t->count && t->xs[at] != x) at++;
    if (at == t->count && t->count < MAX_TICKS) t->xs[t->count++] = x;
}

static bool is_power_of_two(double x)
{
    return x == 0 || log2(fabs(x)) == floor(log2(fabs(x)));
}

// Writes large powers of two as such: "2²⁴" says more than "16777216", in less room.
static void write_x(char *text, size_t size, double value)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const int power = value > 1024 && is_power_of_two(value) ? (int)log2(value) : 0;
    if (power)
        g_snprintf(text, size, "2%s%s", digits[power / 10], digits[power % 10]);
    else
        g_snprintf(text, size, "%.10g", value);
}

static void draw_tick(const struct paint *paint, const struct plot_places *a, struct ticks *t,
                      double value)
{
    const double em = paint->base, x = plot_place_x(a, value);
    bool is_free = true;
    char text[32];
    write_x(text, sizeof text, value);
    const double half = paint_measure(paint, text, em, PAINT_NORMAL) / 2;
    for (int i = 0; i < t->taken_count; i++)
        is_free &= fabs(t->taken[i] - x) > fmax(1.9 * em, half + t->halves[i] + 0.3 * em);
    paint_line(paint, x, a->bottom, x, a->bottom + (is_free ? 0.4 : 0.2) * em, 1,
               paint->theme->grey);
    if (!is_free) return;
    paint_write(paint, text, em, PAINT_NORMAL, x, a->bottom + 1.1 * em, PAINT_CENTER,
                paint->theme->text);
    t->taken[t->taken_count] = x;
    t->halves[t->taken_count++] = half;
}

// Labels powers of two first, then others where they do not touch a neighbour.
void plot_draw_axes(const struct paint *paint, const struct plot_places *a,
                    const struct plot_curves *c, bool is_compact)
{
    draw_y_axis(paint, a);
    const struct paint_theme *theme = paint->theme;
    const double em = paint->base;
    struct ticks ticks = {.count = 0};
    for (int i = 0; i < c->x_count; i++) add_tick(&ticks, c->xs[i]);
    for (int i = 0; i < c->count && !c->x_count; i++)
        for (int k = 0; k < c->curves[i].count; k++) add_tick(&ticks, c->curves[i].points[k].x);
    if (c->has_mark) {  // a line through the area and its value in a box below
        const double x = plot_place_x(a, c->mark_x), y = a->bottom + 1.1 * em;
        char text[32];
        paint_line(paint, x, a->top, x, a->bottom + 0.4 * em, fmax(1.5, em / 9),
                   paint_fade(theme->text, 0.75));
        write_x(text, sizeof text, c->mark_x);
        const double width = paint_measure(paint, text, em, PAINT_BOLD) + 0.7 * em;
        const struct paint_box box = {x - width / 2, y - 0.7 * em, width, 1.4 * em};
        paint_fill_box(paint, box, 0.3 * em, theme->text);
        paint_write(paint, text, em, PAINT_BOLD, x, y, PAINT_CENTER, theme->ink);
        ticks.taken[0] = x;
        ticks.halves[0] = width / 2;
        ticks.taken_count = 1;
    }
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < ticks.count; i++)
            if (is_power_of_two(ticks.xs[i]) == (turn == 0))
                draw_tick(paint, a, &ticks, ticks.xs[i]);
    paint_line(paint, a->left, a->bottom, a->right, a->bottom, 1.2, theme->grey);
    if (is_compact) {
        paint_write(paint, c->x_label, em, PAINT_NORMAL, a->right + 1.4 * em, a->bottom + 1.1 * em,
                    PAINT_LEFT, theme->text);
        return;
    }
    paint_write(paint, c->x_label, em, PAINT_NORMAL, (a->left + a->right) / 2, a->bottom + 2.6 * em,
                PAINT_CENTER, theme->text);
    paint_write_within(paint, c->y_label, em, PAINT_NORMAL, a->left, a->top - 1.1 * em,
                       a->right - a->left, theme->text);
}
