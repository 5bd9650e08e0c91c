// viewer_dump.c -- the job of --dump-state: a file that says what the window shows, for tests. It
// is written after the drawing, when the overlay's words were written and something changed.
#include <glib.h>
#include <string.h>

#include "app/state.h"
#include "viewer/viewer.h"

enum { MAX_FACTS = CAPTION_MAX_TEXTS + 16 };

struct dump {
    struct image_text facts[MAX_FACTS];
    int count;
    char values[16][64];
    int value_count;
};

static void add_text(struct dump *d, const char *key, const char *text)
{
    d->facts[d->count++] = (struct image_text){key, text};
}

static void add_ms(struct dump *d, const char *key, double ms)
{
    char *text = d->values[d->value_count++];
    g_snprintf(text, sizeof d->values[0], "%.3f", ms);
    add_text(d, key, text);
}

static void add_number(struct dump *d, const char *key, long number)
{
    char *text = d->values[d->value_count++];
    g_snprintf(text, sizeof d->values[0], "%ld", number);
    add_text(d, key, text);
}

// Where each panel was drawn last: "left top width height".
static void add_boxes(struct dump *d, const struct overlay *overlay)
{
    static const char *const names[] = {[OVERLAY_GRID] = "grid_box",
                                        [OVERLAY_BARS] = "bars_box",
                                        [OVERLAY_SWEEP] = "sweep_box",
                                        [OVERLAY_HEAT] = "heat_box"};
    struct overlay_box box;
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        if (!overlay_panel_box(overlay, (enum overlay_panel)i, &box)) continue;
        char *text = d->values[d->value_count++];
        g_snprintf(text, sizeof d->values[0], "%d %d %d %d", box.left, box.top, box.width,
                   box.height);
        add_text(d, names[i], text);
    }
}

static char *dump_text(const struct viewer *v)
{
    const struct state_picture picture = {v->pictures[v->picture], v->is_grey};
    struct caption_texts texts;
    struct dump d = {.count = 0};
    int done, wanted;
    caption_list(&texts, viewer_facts(v, v->app.side));
    memcpy(d.facts, texts.texts, (size_t)texts.count * sizeof d.facts[0]);
    d.count = texts.count;
    results_progress(stage_results(v->stage), &done, &wanted);
    add_text(&d, "message", v->content.message);
    add_text(&d, "stage_settled", viewer_is_settled(v) ? "yes" : "no");
    add_number(&d, "measured", done);
    add_number(&d, "to_measure", wanted);
    add_number(&d, "keys_left", v->keys_left);
    add_ms(&d, "longest_turn_ms", turn_times_longest_ms(&v->turn_times));
    add_ms(&d, "overlay_ms", turn_times_overlay_ms(&v->turn_times));
    add_boxes(&d, v->overlay);
    if (v->now.is_difference_known) {
        add_number(&d, "difference_max", v->now.difference.max);
        add_number(&d, "difference_count", v->now.difference.count);
    }
    return state_dump(&v->app, &picture, d.facts, d.count);
}

struct dump_job {
    unsigned version;  // of the content that was written last
    char *written;
};

static void write_dump(struct dump_job *d, struct viewer *v)
{
    GError *why = NULL;
    if (!v->options->dump_state || !v->stage || !v->now.sides) return;
    char *text = dump_text(v);
    if (d->written && !strcmp(text, d->written)) {
        g_free(text);
        return;
    }
    g_free(d->written);
    d->written = text;
    if (g_file_set_contents(v->options->dump_state, text, -1, &why)) return;
    viewer_note(v, why->message);
    v->is_failed = true;
    g_clear_error(&why);
}

static void step(void *job, struct viewer *v)
{
    struct dump_job *d = job;
    if (d->version == v->content_version) return;
    d->version = v->content_version;
    write_dump(d, v);
}

static void end(void *job, struct viewer *v)
{
    write_dump(job, v);
}

static void finish(void *job)
{
    struct dump_job *d = job;
    g_free(d->written);
}

const struct job_type dump_job = {.size = sizeof(struct dump_job),
                                  .phase = JOB_TELLS,
                                  .step = step,
                                  .end = end,
                                  .finish = finish};
