#include "draw/lens_view.h"

#include <glib.h>
#include <math.h>

#include "draw/lens_parts.h"

// In ems of the text.
static const double padding = 0.7, title_height = 2.1, line_height = 1.5;

// Words that are too long for one line get more, as many as they may have.
static void write_words(struct lens_canvas *c, const char *text, enum paint_weight weight,
                        struct paint_color color, int most)
{
    const double width = c->right - c->left, room = c->bottom - c->top;
    const double step = line_height * c->em;
    const double all = paint_measure(c->paint, text, 0.85 * c->em, weight);
    int lines = 1;
    // A line that ends with a long word leaves some of its width free.
    while (lines < most && all > (lines > 1 ? lines - 0.15 : 1) * width &&
           room >= (lines + 1) * step)
        lines++;
    if (lines > 1)
        paint_write_lines(c->paint, text,
                          paint_fit(c->paint, text, c->em, weight, (lines - 0.15) * width, 0.62),
                          weight, c->left, c->top + 0.3 * c->em, width, lines, color);
    else if (room >= step)
        paint_write_fitting(c->paint, text, c->em, weight, c->left, c->top + step / 2, width, 0.62,
                            color);
    c->top += lines * step;
}

// True if there is room for so many lines above the lanes.
static bool has_room(const struct lens_canvas *c, int lines)
{
    return c->top + lines * line_height * c->em + lens_request_room(c) <= c->bottom;
}

// In two lines, unless a fault, lanes or memory need the room.
static void write_totals(struct lens_canvas *c, bool has_where)
{
    const struct lens_view *v = c->view;
    const bool is_full = c->place->is_full;
    const int below = 2 + 3 * !!*v->fault + !!*v->caveat + !has_where;
    const bool has_two = (*v->conflicts && !*v->fault && !is_full) || has_room(c, 2 + below);
    const bool has_all = *v->conflicts && (has_two || !*v->fault);
    g_autofree char *all =
        g_strconcat(v->totals, has_all ? " · " : "", has_all ? v->conflicts : "", NULL);
    if (!is_full || has_room(c, 1 + below))
        write_words(c, all, PAINT_SEMIBOLD, lens_request_text_color(c), has_two ? 2 : 1);
}

// ---- all of it ----

void lens_view_draw(const struct lens_view *view, const struct paint *paint,
                    struct lens_place *place)
{
    const struct paint_box box = place->box;
    const double em = place->em, air = padding * em;
    struct lens_canvas c = {.view = view,
                            .paint = paint,
                            .place = place,
                            .em = em,
                            .left = box.left + air,
                            .right = box.left + box.width - air - place->beside,
                            .top = box.top,
                            .bottom = box.top + box.height - air / 2 - place->below};
    const struct paint_color color = lens_request_text_color(&c), bad = paint->theme->bad;
    place->lanes = (struct paint_box){0, 0, 0, 0};
    place->rows = place->shown_rows = place->repeats = 0;
    paint_fill_box(paint, box, 0, paint_fade(paint->theme->panel, 1));
    paint_clip(paint, box);
    paint_line(paint, box.left, box.top, box.left + box.width, box.top, fmax(2, em / 8),
               paint->theme->edge);
    // The request's place stands behind the title or, without room there, above its words.
    const double title = paint_measure(paint, view->title, 1.1 * em, PAINT_BOLD);
    const double where = paint_measure(paint, view->where, 0.7 * em, PAINT_MEDIUM);
    const bool has_where = title + 2 * em + where <= c.right - c.left;
    paint_heading(paint, (struct paint_box){c.left, c.top, c.right - c.left, title_height * em}, em,
                  view->title, has_where ? view->where : "", view->is_active,
                  view->is_wrong ? bad : color);
    if (place->hint > 0) {
        const double room = (place->beside > 0 ? place->beside : box.width) - 2 * air;
        const double size =
            paint_fit(paint, view->hint, 0.7 * place->hint, PAINT_MEDIUM, room, 0.5);
        paint_write(paint, view->hint, size, PAINT_MEDIUM, box.left + box.width - air,
                    box.top + box.height - place->hint / 2, PAINT_RIGHT, paint->theme->text);
    }
    c.top += (title_height + 0.2) * em;
    if (*view->message) {
        const struct paint_font font = {.size = em, .weight = PAINT_MEDIUM};
        paint_text_wrap(paint->layout, view->message, font, c.right - c.left);
        paint_text_limit(paint->layout, c.bottom - c.top);
        paint_text_at_top(paint, paint->layout, c.left, c.top, paint->theme->text);
        paint_text_limit(paint->layout, -1);
    } else {
        if (*view->totals) write_totals(&c, has_where);
        if (*view->fault)
            write_words(&c, view->fault, PAINT_SEMIBOLD, view->is_stale ? color : bad,
                        has_room(&c, 4) ? 3 : 2);
        if (*view->caveat && (!place->is_full || has_room(&c, 2 + !has_where)))
            write_words(&c, view->caveat, PAINT_NORMAL, color,
                        has_room(&c, 4 + !has_where) ? 2 : 1);
        if (view->has_request) {
            if (!has_where && (place->is_full || has_room(&c, 2)))
                write_words(&c, view->where, PAINT_MEDIUM, color, 1);
            // In a dock, lanes and a line of memory below them need two lines more than banks do.
            const enum trace_space space = (enum trace_space)view->request.space;
            const bool has_lines = !place->is_full && space != TRACE_SHARED;
            write_words(&c, view->request_words, PAINT_NORMAL, color,
                        has_room(&c, has_lines ? 4 : 2) ? 2 : 1);
            lens_request_draw(&c);
        }
    }
    cairo_restore(paint->cairo);
}
