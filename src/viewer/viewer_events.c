// viewer_events.c -- what the user does: keys and mouse change the app's state, and ask for things
// that jobs take.
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/listing.h"
#include "viewer/viewer.h"

enum { WHEEL_LINES = 3 };
enum { DRAG_PIXELS = 4 };  // a hand that clicks moves less

static const double ZOOM_STEP = 1.25;
static const double ASK_MS = 1000;  // launches predicted to be longer are asked about

// ---- keys ----

// A launch that would take seconds is held back until its key is pressed a second time, unless it
// is sure. Times of other variants hold it back only where it cannot be stopped.
static bool is_held_back(struct viewer *v, const struct app *before, const char *key, bool is_sure)
{
    const struct choice point = app_chosen(&v->app, v->app.side);
    const double ms = results_predict(v->stage->host.results, &point);
    if (ms <= MAX(ASK_MS, v->input.allowed_ms)) return false;
    for (int side = 0; side < app_sides(before); side++) {
        const struct choice shown = app_chosen(before, side);
        if (choice_is_same(&shown, &point)) return false;  // nothing new begins
    }
    const struct device *device = viewer_facts(v, v->app.side)->device;
    const bool is_known = results_has_variant(v->stage->host.results, &point);
    if (!is_known && !device->is_gpu) return false;
    if (is_sure || !strcmp(v->input.held, key)) {
        v->input.allowed_ms = 1.5 * ms;
        v->input.held[0] = '\0';
        return false;
    }
    v->app = *before;
    viewer_note(v, "%s %.1f s a frame%s: press %s again to run it",
                is_known ? "predicted to take" : "may take up to", ms / 1000,
                device->has_watchdog ? ", the driver may stop it" : "", key);
    g_strlcpy(v->input.held, key, sizeof v->input.held);
    return true;
}

// Ends an action, which key names in case it has to be repeated.
static void end_action(struct viewer *v, const struct app *before, const char *key, bool is_sure)
{
    v->screen.needs_words = v->screen.needs_draw = true;
    if (is_held_back(v, before, key, is_sure)) return;
    v->input.held[0] = '\0';
    // The typed value stays next to the answer to it until the next key.
    if (v->app.note[0] && v->app.menu != APP_MENU_VALUE) viewer_note(v, "%s", v->app.note);
}

static void begin_action(struct viewer *v)
{
    v->app.note[0] = '\0';
    v->notes.text[0] = '\0';
    v->screen.needs_words = true;
}

void viewer_press(struct viewer *v, const char *key, bool is_sure)
{
    const struct app before = v->app;
    enum input_request asked;
    begin_action(v);
    if (!input_press(&v->app, key, &asked)) return;
    v->input.asked[asked]++;
    if (asked == INPUT_BASELINE) v->input.to_pin = app_chosen(&v->app, v->app.side);
    v->input.is_closing |= asked == INPUT_QUIT;
    end_action(v, &before, key, is_sure);
}

static void on_key(void *user, const char *key)
{
    struct viewer *v = user;
    v->input.presses++;
    viewer_press(v, key, false);
}

static void on_released(void *user, const char *key)
{
    struct viewer *v = user;
    if (!strcmp(key, "Tab"))
        app_set_flipped(&v->app, 0);  // the only key that acts while it is held
    v->screen.needs_draw = v->screen.needs_words = true;
}

// ---- docks ----

static bool find_dock(const struct viewer *v, int x, int y, struct overlay_dock_hit *hit)
{
    return x >= 0 && overlay_find_dock(v->screen.overlay, x + 0.5, y + 0.5, hit);
}

static int side_of(enum overlay_dock dock)
{
    return dock == OVERLAY_SOURCE_A || dock == OVERLAY_LENS_A ? APP_A : APP_B;
}

// Scrolls, or steps through requests. False: it was over no dock.
static bool wheel_dock(struct viewer *v, int steps)
{
    struct overlay_dock_hit hit;
    if (!find_dock(v, v->input.pointer.x, v->input.pointer.y, &hit)) return false;
    if (hit.dock != OVERLAY_LENS_A && hit.dock != OVERLAY_LENS_B)
        app_scroll_lines(&v->app, side_of(hit.dock), -WHEEL_LINES * steps);
    else if (app_is_playing(&v->app))
        for (int i = 0; i < abs(steps); i++) viewer_press(v, steps > 0 ? "+" : "-", false);
    else if (side_of(hit.dock) == v->app.side)
        v->app.lens.steps[LENS_REQUEST] -= steps;
    v->screen.needs_words = true;
    return true;
}

// Keys act on that side, and the lens goes to the source line. False: it was on no dock.
static bool click_dock(struct viewer *v)
{
    struct overlay_dock_hit hit;
    if (!find_dock(v, v->input.pointer.x, v->input.pointer.y, &hit)) return false;
    if (side_of(hit.dock) >= app_sides(&v->app)) return true;  // gone since it was drawn
    const struct listing_line *line = hit.line;
    app_choose_side(&v->app, side_of(hit.dock));
    if (!line || !line->number) return true;
    v->source.marked.line = line->number;
    g_strlcpy(v->source.marked.file, line->file, sizeof v->source.marked.file);
    v->screen.needs_words = true;
    if (!v->app.has_lens) return true;
    v->lens.line.line = line->number;
    g_strlcpy(v->lens.line.file, line->file, sizeof v->lens.line.file);
    return true;
}

// ---- mouse ----

void viewer_zoom(struct viewer *v, int steps)
{
    const struct pointer *p = &v->input.pointer;
    const struct viewport_sizes sizes = viewer_sizes(v);
    const double x = p->is_inside ? p->x + 0.5 : sizes.window_width / 2.0;
    const double y = p->is_inside ? p->y + 0.5 : sizes.window_height / 2.0;
    v->app.viewport = viewport_zoom(v->app.viewport, sizes, pow(ZOOM_STEP, steps), x, y);
    v->screen.needs_draw = v->screen.needs_words = true;
}

// The cursor is there now, if it is not negative: it has left the window. True: something that is
// drawn has changed.
static bool move(struct viewer *v, int x, int y)
{
    struct pointer *p = &v->input.pointer;
    struct app *a = &v->app;
    const struct viewport_sizes sizes = viewer_sizes(v);
    int dx = x - p->x, dy = y - p->y;
    p->is_inside = x >= 0;
    if (!p->is_inside) return false;
    if (dx || dy) p->moved_us = g_get_monotonic_time();
    p->x = x;
    p->y = y;
    if (p->is_down && !p->is_dragging) {
        dx = x - p->down_x;
        dy = y - p->down_y;
        p->is_dragging = abs(dx) + abs(dy) >= DRAG_PIXELS;
    }
    if (p->is_dragging) a->viewport = viewport_pan(a->viewport, sizes, dx, dy);
    if (!a->is_comparing || p->is_pinned || p->is_away || p->is_down) return p->is_dragging;
    const double divider = CLAMP((x + 0.5) / sizes.window_width, 0, 1);
    const bool is_moved = divider != a->divider;
    a->divider = divider;
    return is_moved;
}

static void show_cursor(struct viewer *v)
{
    const int divider = (int)(v->app.divider * viewer_sizes(v).window_width);
    const bool is_split = v->app.is_comparing && !v->app.has_difference;
    const bool is_near = abs(v->input.pointer.x - divider) < 8;
    window_set_cursor(v->screen.window, v->input.pointer.is_dragging ? WINDOW_HAND
                                        : is_split && is_near        ? WINDOW_RESIZE_ACROSS
                                                                     : WINDOW_ARROW);
}

static bool is_listing(const struct viewer *v)
{
    return v->app.menu != APP_MENU_NONE && v->app.menu != APP_MENU_VALUE;
}

// True if a list is under the cursor. row: the one there; -1: none, or it has changed since it was
// drawn.
static bool find_row(const struct viewer *v, int x, int y, int *row)
{
    const bool is_over = overlay_find_menu(v->screen.overlay, x, y, row);
    if (!is_listing(v) || !v->screen.content.menu || *row < 0) return is_listing(v) && is_over;
    OWNED(palette_finish) struct palette now = input_palette(&v->app);
    if (*row >= now.count ||
        strcmp(now.rows[*row].name, v->screen.content.menu->rows[*row].name) != 0)
        *row = -1;
    return is_over;
}

static void on_moved(void *user, int x, int y)
{
    struct viewer *v = user;
    if (!v->screen.display) return;
    const bool was_inside = v->input.pointer.is_inside;
    struct overlay_dock_hit dock;
    int row;
    const bool is_over_menu = find_row(v, x, y, &row);
    // The row under the cursor is marked, until keys or the wheel mark another one.
    if (is_over_menu && row >= 0 && (x != v->input.pointer.x || y != v->input.pointer.y)) {
        v->app.menu_row = row;
        v->screen.needs_words = true;
    }
    v->input.pointer.is_away = is_over_menu || find_dock(v, x, y, &dock);
    v->screen.needs_draw |= move(v, x, y) || v->app.has_grid;
    v->screen.needs_draw |= was_inside != v->input.pointer.is_inside;
    v->screen.needs_words |= v->app.has_grid || (v->app.has_lens && v->input.pointer.is_dragging);
    viewer_point_panels(v);
    show_cursor(v);
}

static void on_button(void *user, enum window_button button, bool is_down, int x, int y)
{
    struct viewer *v = user;
    struct pointer *p = &v->input.pointer;
    if (!v->screen.display || button != WINDOW_LEFT) return;
    on_moved(v, x, y);
    if (!is_down) {
        if (p->is_down && !p->is_dragging && v->app.is_comparing) p->is_pinned = !p->is_pinned;
        p->is_down = p->is_dragging = false;
    } else if (is_listing(v)) {  // a click chooses the row under it, or closes the list
        int row;
        v->input.presses++;
        if (!find_row(v, x, y, &row)) {
            viewer_press(v, "Esc", false);
        } else if (row >= 0) {
            v->app.menu_row = row;
            viewer_press(v, "Return", false);
        }
    } else {
        const struct app before = v->app;
        v->input.presses++;
        begin_action(v);
        v->app.is_leaving = false;
        if (!click_dock(v) && !viewer_click_panels(v)) {
            p->is_down = true;
            p->is_dragging = false;
            p->down_x = p->x;
            p->down_y = p->y;
        }
        end_action(v, &before, "click", false);
    }
    show_cursor(v);
}

static void on_wheel(void *user, int steps, int x, int y)
{
    struct viewer *v = user;
    if (!v->screen.display) return;
    on_moved(v, x, y);
    v->input.presses += (unsigned)abs(steps);
    if (is_listing(v))
        for (int i = 0; i < abs(steps); i++) viewer_press(v, steps > 0 ? "Up" : "Down", false);
    else if (!wheel_dock(v, steps))
        viewer_zoom(v, steps);
    v->screen.needs_draw = v->screen.needs_words = true;
}

static void on_exposed(void *user)
{
    struct viewer *v = user;
    v->screen.needs_draw = v->screen.needs_words = true;
}

// This is the last moment with a GL context, so everything that lives in it is freed.
static void on_closing(void *user)
{
    struct viewer *v = user;
    v->input.is_closing = true;
    stage_close(v->stage);
    display_destroy(v->screen.display);
    v->stage = NULL;
    v->screen.display = NULL;
}

struct window_handler viewer_handler(struct viewer *v)
{
    return (struct window_handler){.user = v,
                                   .key = on_key,
                                   .released = on_released,
                                   .moved = on_moved,
                                   .button = on_button,
                                   .wheel = on_wheel,
                                   .exposed = on_exposed,
                                   .closing = on_closing};
}
