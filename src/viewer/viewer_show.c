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

static void write_content(struct viewer *v)
{
    struct overlay_content *c = &v->screen.content;
    const char *reasons = v->stage->chosen.reasons;
    char text[4096];
    c->message[0] = c->caption[0] = '\0';
    viewer_write_pointer(v);
    if (v->now.sides == 1)
        caption_write(c, &v->now.pair.sides[0]);
    else
        caption_write_pair(c, &v->now.pair);
    // Why this is not the best path of all, in a line. Without a GPU there is no other.
    if (*reasons && !viewer_facts(v, 0)->lacks_gpu)
        overlay_add_status(c, "%.*s", (int)strcspn(reasons, "\n"), reasons);
    jobs_step(v->jobs, JOB_WRITES, v);
    for (int i = 0; i < v->now.sides; i++) {  // while two are compared it says whose trouble it is
        static const char *const names[] = {"A: ", "B: "};
        const struct trouble *trouble = &v->stage->panes[i].trouble;
        g_snprintf(text, sizeof text, "%s%s", v->now.sides > 1 ? names[i] : "", trouble->text);
        if (trouble->kind)
            viewer_set_message(
                v, trouble->kind == TROUBLE_BROKEN ? OVERLAY_BROKEN : OVERLAY_REFUSED, text);
    }
    viewer_set_message(v, OVERLAY_NOTE, viewer_has_note(v) ? v->notes.text : "");
    for (int i = 0; i < v->now.sides; i++) {  // on a CPU, whose blocks are seen to end
        const struct pane_facts *f = viewer_facts(v, i);
        g_snprintf(text, sizeof text, "%s %s is still running (%.0f s): large %s are slow on a CPU",
                   f->choice.filter->name, f->choice.variant->name, f->running_s,
                   filter_has_picture(f->choice.filter) ? "pictures" : "arrays");
        if (f->running_s > 0) viewer_set_message(v, OVERLAY_NOTE, text);
    }
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

void viewer_draw(struct viewer *v)
{
    struct viewer_screen *s = &v->screen;
    const gint64 start = g_get_monotonic_time();
    if (!s->needs_draw && draw_pace_is_put_off(&s->pace, start)) {
        g_usleep(1000);
        return;
    }
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct display_scene scene = scene_of(v, true);
    if (s->needs_words) write_content(v);
    s->content.pair.divider = scene.divider;
    s->content.pair.is_flipped = scene.layer;
    const bool is_new =
        overlay_update(v->overlay, &s->content, sizes.window_width, sizes.window_height);
    v->app.help_pages = overlay_help_pages(v->overlay);
    const gint64 now = g_get_monotonic_time();
    s->times.overlay_ms += (double)(now - start) / 1000;
    const bool is_gpu = viewer_facts(v, 0)->device->is_gpu;
    if (!is_new && !s->needs_draw && !draw_pace_is_due(&s->pace, is_gpu, now)) {
        // A choice that is settled needs few frames more: the processor rests for as long as one of
        // a display takes.
        g_usleep(!v->now.is_settled || !v->now.is_measured || s->pace.awaited_us ? 1000 : 16000);
        return;
    }
    viewer_paint(v, true, is_new);
    jobs_step(v->jobs, JOB_DRAWN, v);
    window_swap(v->window);
    s->needs_draw = false;
    draw_pace_drawn(&s->pace, start, g_get_monotonic_time());
}
