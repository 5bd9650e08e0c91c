#include "screen/panel_view.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "draw/bars.h"

// The sizes of the panels' texts in base sizes, then lengths in ems. A lecture looks at the bars;
// curves and cells need room more than size.
static const double text_size = 0.86, bars_size = 0.92, plot_size = 0.78;
static const double squeezed = 0.45;  // of a text's size at scale 1: the least of a lone panel
static const double padding = 0.75, gap = 0.55, line_height = 1.42, column_gap = 1.2;

// ---- text in lines ----

// Cuts a line of the grid's text behind its label. Returns the value; empty: it is a heading.
static const char *cut_value(char *line)
{
    char *const tab = strchr(line, '\t');
    if (tab) *tab = '\0';
    return tab ? tab + 1 : "";
}

static void draw_text(const struct panel_view *b, const struct paint *paint, struct paint_box box)
{
    const double em = paint->base, value = box.left + (b->labels + column_gap) * em;
    const struct paint_color color = paint->theme->text;
    g_auto(GStrv) lines = g_strsplit(b->content.grid, "\n", -1);
    double middle = box.top + line_height / 2 * em;
    for (char **line = lines; *line; line++, middle += line_height * em) {
        const char *const words = cut_value(*line);
        paint_write_within(paint, *line, em, *words ? PAINT_NORMAL : PAINT_BOLD, box.left, middle,
                           *words ? value - box.left : box.width, color);
        paint_write_within(paint, words, em, PAINT_BOLD, value, middle,
                           box.left + box.width - value, color);
    }
}

// ---- where they lie ----

enum axis { ACROSS, DOWN, AXES };

// The size that a panel wants: if there is room, the larger of its ems and its share.
struct wish {
    unsigned opened;      // 0: closed; the largest was opened last
    double em;            // pixels: the size of its text
    double least_em;      // where it is alone; with less the panel hides
    double least[AXES];   // in ems; with less the panel hides
    double wanted[AXES];  // in ems
    double share[AXES];   // of the window
};

enum { LEFT, RIGHT, COLUMNS, PER_COLUMN = 2, NARROW = 640 };

// From top to bottom.
static const enum overlay_panel slots[COLUMNS][PER_COLUMN] = {
    [LEFT] = {OVERLAY_GRID, OVERLAY_BARS},
    [RIGHT] = {OVERLAY_SWEEP, OVERLAY_HEAT},
};

// Texts become smaller in these steps, down to the least that can be read from the last row. A
// panel that is alone goes on, and is wider than its share of the width then.
static const double step = 0.92, smallest = 0.6, alone = 1.4;

struct plan {
    const struct wish *wishes;
    struct paint_box area;
    double window[AXES], gap;
    unsigned shown;  // one bit a panel
    double factor;   // of the texts' sizes
    double sizes[AXES][OVERLAY_PANELS];
};

static bool is_shown(const struct plan *p, enum overlay_panel panel)
{
    return p->shown & 1u << panel;
}

static double least(const struct plan *p, enum axis axis, enum overlay_panel panel)
{
    return p->wishes[panel].least[axis] * p->wishes[panel].em * p->factor;
}

static double wanted(const struct plan *p, enum axis axis, enum overlay_panel panel)
{
    const struct wish *w = &p->wishes[panel];
    const double share = p->factor < smallest && axis == ACROSS ? alone : 1;
    return fmax(least(p, axis, panel), fmax(w->wanted[axis] * w->em * p->factor,
                                            share * w->share[axis] * p->window[axis]));
}

// How much of what is wanted beyond the least there is room for, from 0 to 1.
static double part_of(double least, double wanted, double room)
{
    return wanted > least ? fmax(0, fmin(1, (room - least) / (wanted - least))) : 0;
}

static bool set_heights(struct plan *p, int column)
{
    double room = p->area.height - p->gap, leasts = 0, wants = 0;
    for (int i = 0; i < PER_COLUMN; i++) {
        if (!is_shown(p, slots[column][i])) continue;
        leasts += least(p, DOWN, slots[column][i]);
        wants += wanted(p, DOWN, slots[column][i]);
        room -= p->gap;
    }
    for (int i = 0; i < PER_COLUMN; i++) {
        const double low = least(p, DOWN, slots[column][i]);
        const double high = wanted(p, DOWN, slots[column][i]);
        p->sizes[DOWN][slots[column][i]] = low + part_of(leasts, wants, room) * (high - low);
    }
    return leasts <= room;
}

static bool set_widths(struct plan *p)
{
    double leasts[COLUMNS] = {0}, wants[COLUMNS] = {0}, room = p->area.width - p->gap;
    for (int c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < PER_COLUMN; i++) {
            if (!is_shown(p, slots[c][i])) continue;
            leasts[c] = fmax(leasts[c], least(p, ACROSS, slots[c][i]));
            wants[c] = fmax(wants[c], wanted(p, ACROSS, slots[c][i]));
        }
        if (wants[c] > 0) room -= p->gap;
    }
    const double all = leasts[LEFT] + leasts[RIGHT];
    const double part = part_of(all, wants[LEFT] + wants[RIGHT], room);
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < PER_COLUMN; i++)
            p->sizes[ACROSS][slots[c][i]] =
                fmin(leasts[c] + part * (wants[c] - leasts[c]), wanted(p, ACROSS, slots[c][i]));
    return all <= room;
}

static enum overlay_panel oldest_of(const struct plan *p)
{
    int oldest = -1;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (is_shown(p, (enum overlay_panel)i) &&
            (oldest < 0 || p->wishes[i].opened < p->wishes[oldest].opened))
            oldest = i;
    return (enum overlay_panel)oldest;
}

// Finds the largest text that fits.
static bool fit(struct plan *p)
{
    const bool is_alone = __builtin_popcount(p->shown) == 1;
    const struct wish *only = &p->wishes[oldest_of(p)];
    const double end = is_alone ? fmin(smallest, only->least_em / only->em) : smallest;
    for (p->factor = 1; p->factor >= end; p->factor *= step) {
        const bool fits_left = set_heights(p, LEFT), fits_right = set_heights(p, RIGHT);
        if (set_widths(p) && fits_left && fits_right) return true;
    }
    return false;
}

// ---- what they want ----

static bool is_open(const struct overlay_panels *c, enum overlay_panel panel)
{
    const void *const contents[] = {[OVERLAY_GRID] = c->grid,
                                    [OVERLAY_BARS] = c->bars,
                                    [OVERLAY_SWEEP] = c->sweep,
                                    [OVERLAY_HEAT] = c->heat};
    return contents[panel] != NULL;
}

// The line about hidden panels says how to make text smaller, so it grows little with the text.
static double more_size(const struct paint *paint)
{
    return fmin(0.8 * paint->base, 1.2 * paint->plain);
}

// Air gives way before text does.
static double air_around(const struct paint *paint)
{
    return round(gap * fmin(paint->base, 1.5 * paint->plain));
}

static struct wish plot_wish(const struct plot *plot, const struct paint *paint)
{
    const bool is_sentence = plot && !plot->curves && !plot->heats;
    const double words = plot && *plot->caption ? PLOT_SENTENCE_EMS : 1.4;
    return (struct wish){.em = plot_size * paint->base,
                         .least_em = squeezed * plot_size * paint->plain,
                         .least = {27, is_sentence ? words + 2 * padding : 15},
                         .share = {0.40, is_sentence ? 0 : 0.42}};
}

static void lay_out(struct panel_view *b, const struct paint *paint, struct paint_box area)
{
    const struct overlay_panels *c = &b->content;
    // Rounded to steps of two ems, so that running figures do not move the panel's edge, with a
    // little room, because letters are rounded to pixels.
    const double ems = fmax(b->headings, b->labels + column_gap + b->values);
    const double width = 2 * ceil((ems + 0.4) / 2) + 2 * padding;
    const double bars = bars_height(c->bars ? c->bars->count : 0);
    struct wish wishes[] = {
        [OVERLAY_GRID] = {.em = text_size * paint->base,
                          .least_em = squeezed * text_size * paint->plain,
                          .least = {width, line_height * b->lines + 2 * padding}},
        [OVERLAY_BARS] = {.em = bars_size * paint->base,
                          .least_em = squeezed * bars_size * paint->plain,
                          .least = {34, 0.8 * bars + 2 * padding},
                          .wanted = {0, bars + 2 * padding},
                          .share = {0.46, 0}},
        [OVERLAY_SWEEP] = plot_wish(c->sweep, paint),
        [OVERLAY_HEAT] = plot_wish(c->heat, paint)};
    for (int i = 0; i < OVERLAY_PANELS; i++)  // open ones have an order even if all have opened 0
        wishes[i].opened = is_open(c, (enum overlay_panel)i) ? c->opened[i] + 1 : 0;
    const double air = air_around(paint);
    const double right = area.left + area.width, bottom = area.top + area.height;
    struct plan p = {
        .wishes = wishes, .area = area, .window = {(int)area.width, paint->height}, .gap = air};
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (wishes[i].opened) p.shown |= 1u << i;
    // The panel that was opened first hides first.
    while (p.shown && ((__builtin_popcount(p.shown) > 1 && (int)area.width < NARROW) || !fit(&p)))
        p.shown &= ~(1u << oldest_of(&p));
    for (int k = 0; k < COLUMNS; k++)
        for (int i = 0; i < PER_COLUMN; i++) {
            const enum overlay_panel panel = slots[k][i];
            const double across = floor(p.sizes[ACROSS][panel]);
            const double down = floor(p.sizes[DOWN][panel]);
            b->places[panel] = (struct panel_place){.em = wishes[panel].em * p.factor};
            if (is_shown(&p, panel))
                b->places[panel].box = (struct paint_box){
                    .left = k == LEFT ? ceil(area.left + air) : floor(right - air - across),
                    .top = i == 0 ? ceil(area.top + air) : floor(bottom - air - down),
                    .width = across,
                    .height = down};
        }
}

static int count_hidden(const struct panel_view *b)
{
    int count = 0;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        count += is_open(&b->content, (enum overlay_panel)i) && paint_is_empty(b->places[i].box);
    return count;
}

static bool is_on_panel(const struct panel_view *b, struct paint_box box)
{
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (paint_has_overlap(box, b->places[i].box)) return true;
    return false;
}

// Makes room for the line below the panels. If that would hide the last of them, the line goes to
// the right of it, as large as there is room.
static void place_more(struct panel_view *b, const struct paint *paint, struct paint_box area)
{
    const double line = round(1.5 * more_size(paint)), air = round(gap * paint->plain);
    const double size = more_size(paint), side = air_around(paint);
    const struct panel_view without = *b;
    struct paint_box less = area, box;
    less.height -= line + air;
    lay_out(b, paint, less);
    if (!is_on_panel(b, area)) *b = without;
    const bool has_shown = is_on_panel(b, area);
    if (!has_shown && less.height < air) return;
    const int count = count_hidden(b);
    g_snprintf(b->more, sizeof b->more, "%d %spanel%s: %s", count, has_shown ? "more " : "",
               count == 1 ? "" : "s",
               paint->base > paint->plain ? "smaller text with -" : "they need a larger window");
    const double words = paint_measure(paint, b->more, size, PAINT_MEDIUM) + 2 * padding * size;
    box = (struct paint_box){area.left + side, floor(area.top + area.height - line - air),
                             ceil(fmin(words, area.width - 2 * side)), line};
    if (is_on_panel(b, box)) box.left = floor(area.left + area.width - side - box.width);
    for (int i = 0; i < OVERLAY_PANELS && is_on_panel(b, box); i++) {
        const struct paint_box *shown = &b->places[i].box;
        if (paint_is_empty(*shown)) continue;
        box.left = shown->left + shown->width + side;
        box.width = area.left + area.width - side - box.left;
    }
    b->more_box = box;
}

void panel_view_place(struct panel_view *b, const struct paint *paint,
                      const struct overlay_panels *content, struct paint_box area)
{
    b->content = *content;
    b->more[0] = '\0';
    b->more_box = (struct paint_box){0, 0, 0, 0};
    if (content->grid) {
        g_auto(GStrv) lines = g_strsplit(content->grid, "\n", -1);
        const double size = 20;
        b->labels = b->values = b->headings = 0;
        b->lines = (int)g_strv_length(lines);
        for (char **line = lines; *line; line++) {
            const char *const words = cut_value(*line);
            double *width = *words ? &b->labels : &b->headings;
            const enum paint_weight weight = *words ? PAINT_NORMAL : PAINT_BOLD;
            *width = fmax(*width, paint_measure(paint, *line, size, weight) / size);
            b->values = fmax(b->values, paint_measure(paint, words, size, PAINT_BOLD) / size);
        }
    }
    lay_out(b, paint, area);
    if (count_hidden(b)) place_more(b, paint, area);
    // Moves the grid's panel to the other side if it covers the pixels that it is about, and if
    // these and all panels are clear of it there.
    const struct paint_box pointed = b->content.pointed;
    struct paint_box *grid = &b->places[OVERLAY_GRID].box, aside = *grid;
    aside.left = floor(2 * area.left + area.width - grid->left - grid->width);
    if (!paint_has_overlap(*grid, pointed) || paint_has_overlap(aside, pointed)) return;
    for (int i = OVERLAY_GRID + 1; i < OVERLAY_PANELS; i++)
        if (paint_has_overlap(aside, b->places[i].box)) return;
    *grid = aside;
}

// ---- drawing ----

uint64_t panel_view_hash(const struct overlay_panels *c, enum overlay_panel panel)
{
    if (!is_open(c, panel)) return 0;
    if (panel == OVERLAY_GRID) return hash_text(0, c->grid);
    if (panel == OVERLAY_BARS) return HASH_VALUE(0, *c->bars);
    return plot_hash(panel == OVERLAY_SWEEP ? c->sweep : c->heat);
}

void panel_view_draw(struct panel_view *b, const struct paint *paint, enum overlay_panel panel)
{
    const struct panel_place *place = &b->places[panel];
    struct paint own = *paint;
    const struct paint_box inside = paint_inset(place->box, padding * place->em);
    own.base = place->em;
    paint_panel(paint, place->box, place->em, paint->theme->panel.alpha);
    paint_clip(paint, place->box);
    if (panel == OVERLAY_GRID)
        draw_text(b, &own, inside);
    else if (panel == OVERLAY_BARS)
        bars_draw(&own, inside, b->content.bars);
    else
        b->plots[panel] =
            plot_draw(&own, inside, panel == OVERLAY_SWEEP ? b->content.sweep : b->content.heat);
    cairo_restore(paint->cairo);
}

void panel_view_draw_more(const struct panel_view *b, const struct paint *paint)
{
    const struct paint_theme *t = paint->theme;
    const struct paint_box box = b->more_box;
    const double size = more_size(paint), air = padding * size;
    paint_fill_box(paint, box, 0.4 * size, t->panel);
    paint_write_fitting(paint, b->more, size, PAINT_MEDIUM, box.left + air,
                        box.top + box.height / 2, box.width - 2 * air, 0.5, t->text);
}

// ---- finding ----

bool panel_view_find(const struct panel_view *b, double x, double y, struct overlay_hit *hit)
{
    int panel = 0;
    while (panel < OVERLAY_PANELS && !paint_has_point(b->places[panel].box, x, y)) panel++;
    if (panel == OVERLAY_PANELS) return false;
    *hit =
        (struct overlay_hit){.panel = (enum overlay_panel)panel, .index = -1, .value = -INFINITY};
    const struct panel_place *place = &b->places[panel];
    if (panel == OVERLAY_BARS)
        hit->index = bars_find(paint_inset(place->box, padding * place->em), place->em,
                               b->content.bars, x, y);
    if (panel == OVERLAY_HEAT) hit->index = plot_find_cell(&b->plots[panel], x, y);
    if (panel == OVERLAY_SWEEP && !plot_find_x(&b->plots[panel], x, y, &hit->value))
        hit->value = -INFINITY;
    return true;
}
