// viewer_show.c -- what is on the screen: the scene, and the words and figures over it.
#include <glib.h>
#include <string.h>

#include "viewer/caption.h"
#include "viewer/viewer.h"

// ---- words ----

struct caption_facts viewer_facts(struct viewer *v, int side)
{
    struct choice *const shown = &v->shown[side];
    *shown = viewer_choice(v, side);
    struct caption_facts facts = {.filter = shown->filter,
                                  .variant = shown->variant,
                                  .settings = &shown->settings,
                                  .picture_name = v->picture_name,
                                  .is_frozen = v->app.is_frozen,
                                  .vsync = v->vsync};
    stage_facts(v->stage, side, &facts);
    return facts;
}

static void set_message(struct overlay_content *c, enum overlay_tone tone, const char *text)
{
    g_strlcpy(c->message, text, sizeof c->message);
    c->tone = tone;
}

// The trouble of either side; that of the second names it.
static bool write_trouble(struct viewer *v)
{
    const int count = v->app.is_comparing ? STAGE_PANES : 1;
    for (int i = 0; i < count; i++) {
        const struct stage_trouble *trouble = stage_trouble(v->stage, i);
        if (!trouble->text[0]) continue;
        char text[4096];
        g_snprintf(text, sizeof text, "%s%s", count == 1 ? "" : i ? "B: " : "A: ", trouble->text);
        set_message(&v->content, trouble->tone, text);
        return true;
    }
    return false;
}

static void write_message(struct viewer *v)
{
    v->content.message[0] = '\0';
    if (v->reload_trouble[0])
        set_message(&v->content, OVERLAY_BROKEN, v->reload_trouble);
    else if (v->shader_trouble[0])
        set_message(&v->content, OVERLAY_BROKEN, v->shader_trouble);
    else if (!write_trouble(v) && v->note[0])
        set_message(&v->content, OVERLAY_NOTE, v->note);
}

// The first line of why this is not the best device or path of all.
static void append_reason(struct overlay_content *c, const char *reasons)
{
    const size_t used = strlen(c->status);
    if (!*reasons) return;
    char **lines = g_strsplit(reasons, "\n", 2);
    g_snprintf(c->status + used, sizeof c->status - used, " · %s", lines[0]);
    g_strfreev(lines);
}

// Differences are spread over the whole range, so that the largest is white.
static double gain_of(struct viewer *v)
{
    struct image_difference found;
    return stage_difference(v->stage, &found) && found.max ? 255.0 / found.max : 1;
}

static void write_bands(struct viewer *v)
{
    if (v->app.is_comparing) {
        struct caption_pair pair = {.sides = {viewer_facts(v, 0), viewer_facts(v, 1)},
                                    .active = v->app.side,
                                    .is_difference_shown = v->app.has_difference,
                                    .gain = gain_of(v)};
        pair.is_difference_known = stage_difference(v->stage, &pair.difference);
        caption_write_pair(&v->content, &pair);
    } else {
        const struct caption_facts facts = viewer_facts(v, v->app.side);
        caption_write(&v->content, &facts);
    }
}

void viewer_write(struct viewer *v)
{
    struct overlay_content *c = &v->content;
    write_bands(v);
    append_reason(c, stage_reasons(v->stage));
    write_message(v);
    viewer_write_tour(v);
    c->help = v->app.has_help ? v->help : NULL;
    c->help_count = v->help_count;
    c->is_hidden = v->app.is_bare;
    c->is_light = v->app.is_light;
    c->scale = v->app.text_scale;
    v->caption_us = g_get_monotonic_time();
    v->needs_caption = false;
    viewer_dump(v);
}

// ---- the picture ----

static struct display_scene scene_of(struct viewer *v)
{
    const struct app *a = &v->app;
    const struct viewport_sizes sizes = viewer_sizes(v);
    struct display_scene scene = {.place = viewport_place(a->viewport, sizes), .has_values = true};
    if (v->has_block) scene.grid = v->scene_grid;
    if (!a->is_comparing) return scene;
    scene.mode = a->has_difference ? DISPLAY_DIFFERENCE : DISPLAY_SPLIT;
    scene.layer = a->is_flipped;
    scene.divider = a->divider * sizes.window_width;
    if (a->has_difference) scene.gain = gain_of(v);
    return scene;
}

void viewer_draw(struct viewer *v)
{
    int width, height;
    window_size(v->window, &width, &height);
    const bool takes_screenshot = v->asked[INPUT_SCREENSHOT] && !v->screenshot;
    if (takes_screenshot) v->note[0] = '\0';
    const gint64 start = g_get_monotonic_time();
    if (takes_screenshot || v->needs_caption) viewer_write(v);
    const struct display_scene scene = scene_of(v);
    v->content.pair.divider = scene.divider;
    v->content.pair.is_flipped = scene.layer;
    const bool is_new = overlay_update(v->overlay, &v->content, width, height);
    v->turn_times.overlay_ms += (double)(g_get_monotonic_time() - start) / 1000;
    if (!is_new && !v->needs_draw && !takes_screenshot) {
        g_usleep(1000);
        return;
    }
    if (takes_screenshot && v->options->is_clean) {
        display_draw(v->display, &scene, (struct overlay_pixels){0}, false, width, height);
        viewer_take_screenshot(v, width, height);
    }
    display_draw(v->display, &scene, overlay_pixels(v->overlay), is_new, width, height);
    if (takes_screenshot && !v->options->is_clean) viewer_take_screenshot(v, width, height);
    window_swap(v->window);
    v->needs_draw = false;
}
