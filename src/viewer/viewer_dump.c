// viewer_dump.c -- the job of --dump-state: a file that says what the window shows, for tests and
// other scripts (docs/scripting.md). It is written after the drawing, when the overlay's words were
// written and something changed.
#include <glib.h>
#include <string.h>

#include "app/state.h"
#include "base/file.h"
#include "draw/lens_view.h"
#include "draw/listing.h"
#include "draw/plot.h"
#include "viewer/saving.h"
#include "viewer/viewer.h"

// Where each panel, menu and legend was drawn last: "left top width height".
static void add_boxes(struct image_texts *facts, const struct overlay *overlay)
{
    static const char *const names[] = {[OVERLAY_GRID] = "grid_box",
                                        [OVERLAY_BARS] = "bars_box",
                                        [OVERLAY_SWEEP] = "sweep_box",
                                        [OVERLAY_HEAT] = "heat_box"};
    struct overlay_box box;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (overlay_panel_box(overlay, (enum overlay_panel)i, &box))
            caption_add(facts, names[i], "%d %d %d %d", box.left, box.top, box.width, box.height);
    if (overlay_menu_box(overlay, &box))
        caption_add(facts, "menu_box", "%d %d %d %d", box.left, box.top, box.width, box.height);
    for (int i = 0; i < 2; i++)
        if (overlay_legend_box(overlay, i, &box))
            caption_add(facts, i ? "legend_b_box" : "legend_box", "%d %d %d %d", box.left, box.top,
                        box.width, box.height);
}

static void add_lens(struct image_texts *facts, const struct viewer *v, int side)
{
    static const char *const names[][7] = {{"lens", "lens_where", "lens_totals", "lens_request",
                                            "lens_stale", "lens_box", "lens_caveat"},
                                           {"lens_b", "lens_b_where", "lens_b_totals",
                                            "lens_b_request", "lens_b_stale", "lens_b_box",
                                            "lens_b_caveat"}};
    const struct lens_view *view = v->screen.content.docks.lens[side];
    struct overlay_box box;
    if (!view) return;
    image_texts_add(facts, names[side][0], view->title);
    image_texts_add(facts, names[side][1], view->where);
    if (*view->message)
        image_texts_add(facts, names[side][2], view->message);
    else
        caption_add(facts, names[side][2], "%s%s%s", view->totals, *view->conflicts ? " · " : "",
                    view->conflicts);
    image_texts_add(facts, names[side][3], view->request_words);
    image_texts_add(facts, names[side][4], view->is_stale ? "yes" : "no");
    if (*view->caveat) image_texts_add(facts, names[side][6], view->caveat);
    if (overlay_dock_box(v->overlay, side ? OVERLAY_LENS_B : OVERLAY_LENS_A, &box))
        caption_add(facts, names[side][5], "%d %d %d %d", box.left, box.top, box.width, box.height);
}

static void add_legends(struct image_texts *facts, const struct legend legends[2])
{
    for (int i = 0; i < 2; i++)
        if (legends[i].low[0])
            caption_add(facts, i ? "legend_b" : "legend", "%s%s%s … %s", legends[i].side,
                        *legends[i].side ? " " : "", legends[i].low, legends[i].high);
}

// What the source docks show: title, words beside it, and how many lines.
static void add_source(struct image_texts *facts, const struct viewer *v)
{
    static const char *const names[][4] = {
        {"source", "source_about", "source_lines", "source_box"},
        {"source_b", "source_b_about", "source_b_lines", "source_b_box"}};
    struct overlay_box box;
    for (int i = 0; i < 2; i++) {
        add_lens(facts, v, i);
        const struct listing *listing = v->screen.content.docks.source[i];
        if (!listing) continue;
        image_texts_add(facts, names[i][0], listing->title);
        image_texts_add(facts, names[i][1], listing->about);
        caption_add(facts, names[i][2], "%d", listing->count);
        if (overlay_dock_box(v->overlay, i ? OVERLAY_SOURCE_B : OVERLAY_SOURCE_A, &box))
            caption_add(facts, names[i][3], "%d %d %d %d", box.left, box.top, box.width,
                        box.height);
    }
}

// What the bars say of each variant's memory.
static void add_lens_figures(struct image_texts *facts, const struct viewer *v)
{
    GString *all = g_string_new(NULL);
    for (int i = 0; i < FILTER_MAX_VARIANTS; i++)
        if (*v->lens.figures[i])
            g_string_append_printf(all, "%s%s", all->len ? " | " : "", v->lens.figures[i]);
    image_texts_add(facts, "lens_figures", all->str);
    g_string_free(all, TRUE);
}

static const char *pointed_name(enum overlay_pointed kind)
{
    static const char *const names[] = {
        [OVERLAY_POINTED_NONE] = "",     [OVERLAY_POINTED_PANEL] = "panel",
        [OVERLAY_POINTED_DOCK] = "dock", [OVERLAY_POINTED_LINE] = "line",
        [OVERLAY_POINTED_SPOT] = "spot",
    };
    return names[kind];
}

static void add_facts(struct image_texts *facts, const struct viewer *v)
{
    int done, wanted;
    caption_list(facts, viewer_facts(v, v->app.side));
    results_progress(v->stage->host.results, &done, &wanted);
    image_texts_add(facts, "message", v->screen.content.message);
    image_texts_add(facts, "noted", v->notes.text);  // though it may have gone from the screen
    image_texts_add(facts, "caption", v->screen.content.caption);
    if (v->app.tour_steps)
        caption_add(facts, "tour_step", "%d of %d", v->app.tour_step + 1, v->app.tour_steps);
    if (v->tour.play)
        caption_add(facts, "tour_waits", "%s", tour_play_is_at_end(v->tour.play) ? "yes" : "no");
    if (v->screen.content.menu && v->screen.content.menu->count)
        image_texts_add(facts, "menu_row",
                        v->screen.content.menu->rows[v->screen.content.menu->row].name);
    if (v->screen.content.menu && v->screen.content.menu->why)
        image_texts_add(facts, "menu_why", v->screen.content.menu->why);
    if (v->screen.content.panels.grid)
        image_texts_add(facts, "grid", v->screen.content.panels.grid);
    image_texts_add(facts, "pointed", pointed_name(v->screen.content.pointer.kind));
    caption_add(facts, "stage_settled", "%s", viewer_is_settled(v) ? "yes" : "no");
    caption_add(facts, "measured", "%d", done);
    caption_add(facts, "to_measure", "%d", wanted);
    caption_add(facts, "shown_again", "%u", viewer_facts(v, v->app.side)->shown_again);
    caption_add(facts, "keys_left", "%ld", v->input.keys_left);
    caption_add(facts, "longest_turn_ms", "%.3f", turn_times_longest_ms(&v->screen.times));
    caption_add(facts, "overlay_ms", "%.3f", turn_times_overlay_ms(&v->screen.times));
    add_boxes(facts, v->overlay);
    add_legends(facts, v->screen.content.legends);
    add_source(facts, v);
    add_lens_figures(facts, v);
    image_texts_add(facts, "bound", v->screen.content.sides[v->app.side].bound);
    if (v->screen.content.panels.sweep)
        image_texts_add(facts, "sweep_caption", v->screen.content.panels.sweep->caption);
    caption_add(facts, "lens_marks", "%d", v->screen.content.marks.count);
    if (v->now.pair.is_difference_known) {
        caption_add(facts, "difference_max", "%d", v->now.pair.difference.max);
        caption_add(facts, "difference_count", "%ld", v->now.pair.difference.count);
    }
}

static char *dump_text(const struct viewer *v, unsigned serial)
{
    const struct state_picture picture = viewer_picture(v);
    struct state_note notes[VIEWER_NOTED];
    struct state_told told = {.serial = serial, .presses = v->input.presses, .notes = notes};
    struct image_texts facts = {0};
    add_facts(&facts, v);
    for (unsigned i = v->notes.count - MIN(v->notes.count, VIEWER_NOTED); i < v->notes.count; i++) {
        const struct viewer_noted *noted = &v->notes.last[i % VIEWER_NOTED];
        notes[told.note_count++] = (struct state_note){noted->serial, noted->text};
    }
    told.facts = facts.texts;
    told.fact_count = facts.count;
    char *text = state_dump(&v->app, &picture, &told);
    image_texts_finish(&facts);
    return text;
}

struct dump_job {
    unsigned version;  // of the content that was written last
    char *written;
    bool is_told;  // that it cannot be written; the next picture would say so again
};

static void write_dump(void *job, struct viewer *v)
{
    struct dump_job *d = job;
    struct error err = {""};
    if (!v->options->dump_state || !v->stage || !v->now.sides) return;
    char *text = dump_text(v, v->notes.dumps);
    const bool is_new = !d->written || strcmp(text, d->written);
    g_free(text);
    if (!is_new) return;
    text = dump_text(v, ++v->notes.dumps);
    g_free(d->written);
    d->written = text;
    if (file_write(v->options->dump_state, text, strlen(text), &err)) return;
    if (!d->is_told) saving_tell(v, v->options->dump_state, &err);
    d->is_told = true;
}

static void step(void *job, struct viewer *v)
{
    struct dump_job *d = job;
    if (d->version == v->screen.version) return;
    d->version = v->screen.version;
    write_dump(d, v);
}

static void finish(void *job)
{
    struct dump_job *d = job;
    g_free(d->written);
}

const struct job_type dump_job = {.size = sizeof(struct dump_job),
                                  .step = {[JOB_TELLS] = step, [JOB_ENDS] = write_dump},
                                  .finish = finish};
