// viewer_save.c -- what the viewer writes: screenshots, sheets, sweeps, and its state.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "caption.h"
#include "viewer.h"

void viewer_take_shot(struct viewer *v, int width, int height)
{
    struct image image = {0};
    struct error err = {""};
    struct caption_texts texts;
    v->app.wants_screenshot = false;
    if (!display_capture(v->display, &image, width, height, &err)) {
        viewer_note(v, err.text);
        return;
    }
    const struct caption_facts facts = viewer_facts(v, v->app.side);
    caption_list(&texts, &facts);
    v->shot = shot_begin(&image, &texts, v->options->shots);
}

void viewer_end_shot(struct viewer *v, bool is_waiting)
{
    char path[1024], text[1100];
    struct error err = {""};
    if (!v->shot || !shot_end(v->shot, is_waiting, path, sizeof path, &err)) return;
    v->shot = NULL;
    if (err.text[0]) {
        fprintf(stderr, "tilescope: %s\n", err.text);
        viewer_note(v, err.text);
        v->is_failed = true;
        return;
    }
    g_snprintf(text, sizeof text, "saved %s", path);
    puts(path);
    fflush(stdout);
    viewer_note(v, text);
}
