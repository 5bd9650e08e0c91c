// viewer_show.c -- what is on the screen: the scene, and the words and figures over it.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "viewer/viewer.h"

// ---- words ----

void viewer_set_message(struct viewer *v, enum overlay_tone tone, const char *text)
{
    struct overlay_content *c = &v->screen.content;
    if (c->message[0]) return;
    text_copy(c->message, sizeof c->message, text);
    c->tone = tone;
}

// The trouble of either side; while two are compared it says whose it is.
static void write_trouble(struct viewer *v)
{
    for (int i = 0; i < v->now.sides; i++) {
        const struct trouble *trouble = &v->stage->panes[i].trouble;
        const enum overlay_tone tone =
            trouble->kind == TROUBLE_BROKEN ? OVERLAY_BROKEN : OVERLAY_REFUSED;
        char text[4096];
        if (!trouble->kind) continue;
        g_snprintf(text, sizeof text, "%s%s",
                   v->now.sides == 1 ? ""
                   : i               ? "B: "
                                     : "A: ",
                   trouble->text);
        viewer_set_message(v, tone, text);
    }
}

// On a CPU, whose blocks are seen to end.
static void write_running(struct viewer *v)
{
    for (int i = 0; i < v->now.sides; i++) {
        const struct pane_facts *f = viewer_facts(v, i);
        char text[160];
        if (f->running_s <= 0) continue;
        g_snprintf(text, sizeof text, "%s %s is still running (%.0f s): large %s are slow on a CPU",
                   f->choice.filter->name, f->choice.variant->name, f->running_s,
                   filter_has_picture(f->choice.filter) ? "pictures" : "arrays");
        viewer_set_message(v, OVERLAY_NOTE, text);
    }
}

// The first line of why this is not the best path of all. Without a GPU there is no other.
static void append_reason(struct viewer *v)
{
    const char *reasons = v->stage->chosen.reasons;
    if (*reasons && !viewer_facts(v, 0)->lacks_gpu)
        overlay_add_status(&v->screen.content, "%.*s", (int)strcspn(reasons, "\n"), reasons);
}

static void write_content(struct viewer *v)
{
    struct overlay_content *c = &v->screen.content;
    c->message[0] = c->caption[0] = '\0';
    viewer_write_pointer(v);
    if (v->now.sides == 1)
        caption_write(c, &v->now.pair.sides[0]);
    else
        caption_write_pair(c, &v->now.pair);
    append_reason(v);
    jobs_step(v->jobs, JOB_WRITES, v);
    write_trouble(v);
    viewer_set_message(v, OVERLAY_NOTE, viewer_has_note(v) ? v->notes.text : "");
    write_running(v);
    c->is_hidden = v->app.is_bare;
    c->is_light = v->app.is_light;
    c->scale = v->app.text_scale;
    v->screen.written = v->now;
    v->screen.written_us = g_get_monotonic_time();
    v->screen.version++;
    v->screen.needs_words = false;
}

// ---- the picture ----

static struct display_scene scene_of(const struct viewer *v, bool has_overlay)
{
    const struct app *a = &v->app;
    struct viewport_sizes sizes = viewer_sizes(v);
    if (!has_overlay) sizes.left = sizes.right = sizes.top = sizes.bottom = 0;
    struct display_scene scene = {.place = viewport_place(a->viewport, sizes),
                                  .grid = v->screen.grid,
                                  .has_values = viewer_is_of_pictures(v)};
    for (int i = 0; i < v->now.sides; i++) scene.maps[i] = caption_map(&v->now.pair.sides[i]);
    if (!a->is_comparing) return scene;
    scene.mode = a->has_difference ? DISPLAY_DIFFERENCE : DISPLAY_SPLIT;
    scene.layer = a->is_flipped;
    scene.divider = a->divider * sizes.window_width;
    scene.divider_top = sizes.top;
    scene.divider_bottom = sizes.window_height - sizes.bottom;
    if (a->has_difference) scene.gain = caption_gain(&v->now.pair);
    return scene;
}

void viewer_paint(struct viewer *v, bool has_overlay, bool is_new)
{
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct display_scene scene = scene_of(v, has_overlay);
    const struct overlay_pixels pixels =
        has_overlay ? overlay_pixels(v->overlay) : (struct overlay_pixels){0};
    display_draw(v->display, &scene, pixels, is_new, sizes.window_width, sizes.window_height);
}

static bool update_overlay(struct viewer *v)
{
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct display_scene scene = scene_of(v, true);
    const gint64 start = g_get_monotonic_time();
    if (v->screen.needs_words) write_content(v);
    v->screen.content.pair.divider = scene.divider;
    v->screen.content.pair.is_flipped = scene.layer;
    const bool is_new =
        overlay_update(v->overlay, &v->screen.content, sizes.window_width, sizes.window_height);
    v->app.help_pages = overlay_help_pages(v->overlay);
    v->screen.times.overlay_ms += (double)(g_get_monotonic_time() - start) / 1000;
    return is_new;
}

static bool is_frame_due(const struct viewer *v)
{
    return draw_pace_is_due(&v->screen.pace, viewer_facts(v, 0)->device->is_gpu,
                            g_get_monotonic_time());
}

// A choice that is settled needs few frames more: the processor rests for as long as one of a
// display takes.
static void rest(const struct viewer *v)
{
    const bool is_busy = !v->now.is_settled || !v->now.is_measured || v->screen.pace.awaited_us;
    g_usleep(is_busy ? 1000 : 16000);
}

void viewer_draw(struct viewer *v)
{
    const gint64 start = g_get_monotonic_time();
    if (!v->screen.needs_draw && draw_pace_is_put_off(&v->screen.pace, start)) {
        g_usleep(1000);
        return;
    }
    const bool is_new = update_overlay(v);
    if (!is_new && !v->screen.needs_draw && !is_frame_due(v)) {
        rest(v);
        return;
    }
    viewer_paint(v, true, is_new);
    jobs_step(v->jobs, JOB_DRAWN, v);
    window_swap(v->window);
    v->screen.needs_draw = false;
    draw_pace_drawn(&v->screen.pace, start, g_get_monotonic_time());
}
