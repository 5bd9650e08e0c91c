// viewer_dump.c -- the job of --dump-state: a file that says what the window shows, for tests and
// other scripts (docs/scripting.md). It is written after the drawing, when the overlay's words were
// written and something changed.
#include <glib.h>
#include <string.h>

#include "app/state.h"
#include "base/file.h"
#include "base/rows.h"
#include "draw/lens_view.h"
#include "draw/listing.h"
#include "draw/plot.h"
#include "viewer/viewer.h"

// The key of a side's fact: "lens_box", and of the side B "lens_b_box".
static const char *key_of(char key[32], const char *name, int side, const char *fact)
{
    g_snprintf(key, 32, "%s%s%s", name, side ? "_b" : "", fact);
    return key;
}

// Where something was drawn last.
static void add_box(struct image_texts *facts, const char *name, int side, struct paint_box box)
{
    char key[32];
    caption_add(facts, key_of(key, name, side, "_box"), "%.0f %.0f %.0f %.0f", box.left, box.top,
                box.width, box.height);
}

// Adds the words of a side's legend and docks, and where they are.
static void add_side(struct image_texts *facts, const struct viewer *v, int side)
{
    const struct legend *legend = &v->screen.content.legends[side];
    const struct lens_view *lens = v->screen.content.docks.lens[side];
    const struct listing *listing = v->screen.content.docks.source[side];
    struct paint_box box;
    char key[32];
    if (overlay_box(v->screen.overlay, OVERLAY_LEGEND, side, &box))
        add_box(facts, "legend", side, box);
    if (legend->low[0])
        caption_add(facts, key_of(key, "legend", side, ""), "%s%s%s … %s", legend->side,
                    *legend->side ? " " : "", legend->low, legend->high);
    if (*legend->note) image_texts_add(facts, key_of(key, "sharing", side, ""), legend->note);
    if (lens) {
        image_texts_add(facts, key_of(key, "lens", side, ""), lens->title);
        image_texts_add(facts, key_of(key, "lens", side, "_where"), lens->where);
        key_of(key, "lens", side, "_totals");
        if (*lens->message)
            image_texts_add(facts, key, lens->message);
        else
            caption_add(facts, key, "%s%s%s", lens->totals, *lens->conflicts ? " · " : "",
                        lens->conflicts);
        image_texts_add(facts, key_of(key, "lens", side, "_request"), lens->request_words);
        image_texts_add(facts, key_of(key, "lens", side, "_stale"), lens->is_stale ? "yes" : "no");
        const struct lens_place *drawn = overlay_lens(v->screen.overlay, side);
        if (*lens->moved) image_texts_add(facts, key_of(key, "lens", side, "_moved"), lens->moved);
        if (drawn->rows) {
            key_of(key, "lens", side, "_rows");
            caption_add(facts, key, "%d of %d, %d alike", drawn->shown_rows, drawn->rows,
                        drawn->repeats);
        }
        key_of(key, "lens", side, "_caveat");
        if (*lens->caveat) image_texts_add(facts, key, lens->caveat);
        if (overlay_box(v->screen.overlay, OVERLAY_DOCK, side ? OVERLAY_LENS_B : OVERLAY_LENS_A,
                        &box))
            add_box(facts, "lens", side, box);
    }
    if (side == APP_A && v->source.marked.line)
        caption_add(facts, "marked", "%s:%d", v->source.marked.file, v->source.marked.line);
    if (!listing) return;
    image_texts_add(facts, key_of(key, "source", side, ""), listing->title);
    image_texts_add(facts, key_of(key, "source", side, "_about"), listing->about);
    caption_add(facts, key_of(key, "source", side, "_lines"), "%d", listing->count);
    if (overlay_box(v->screen.overlay, OVERLAY_DOCK, side ? OVERLAY_SOURCE_B : OVERLAY_SOURCE_A,
                    &box))
        add_box(facts, "source", side, box);
}

static void add_facts(struct image_texts *facts, const struct viewer *v)
{
    static const char *const panels[] = {[OVERLAY_GRID] = "grid",
                                         [OVERLAY_BARS] = "bars",
                                         [OVERLAY_SWEEP] = "sweep",
                                         [OVERLAY_HEAT] = "heat"};
    static const char *const pointed[] = {
        [OVERLAY_POINTED_NONE] = "",     [OVERLAY_POINTED_PANEL] = "panel",
        [OVERLAY_POINTED_DOCK] = "dock", [OVERLAY_POINTED_LINE] = "line",
        [OVERLAY_POINTED_SPOT] = "spot",
    };
    const struct overlay_content *c = &v->screen.content;
    struct paint_box box;
    int done, wanted;
    caption_list(facts, viewer_facts(v, v->app.side));
    static const char *const edited[] = {
        "", [EDITED_DUE] = "checking", [EDITED_TRYING] = "checking", [EDITED_TRIED] = "checked"};
    const char *const name = viewer_facts(v, v->app.side)->choice.filter->name;
    image_texts_add(facts, "other_sizes",
                    edited[GPOINTER_TO_INT(g_hash_table_lookup(v->kernels.edited, name))]);
    results_progress(v->stage->host.results, &done, &wanted);
    image_texts_add(facts, "message", c->message);
    image_texts_add(facts, "noted", v->notes.text);  // though it may have gone from the screen
    image_texts_add(facts, "caption", c->caption);
    const char *const printed = v->stage->panes[v->app.side].printed;
    image_texts_add(facts, "printed", printed ? printed : "");
    if (v->app.tour_steps)
        caption_add(facts, "tour_step", "%d of %d", v->app.tour_step + 1, v->app.tour_steps);
    if (v->tour.play)
        caption_add(facts, "tour_waits", "%s", tour_play_is_at_end(v->tour.play) ? "yes" : "no");
    if (c->menu && c->menu->count)
        image_texts_add(facts, "menu_row", c->menu->rows[c->menu->row].name);
    if (c->menu && c->menu->why) image_texts_add(facts, "menu_why", c->menu->why);
    if (c->panels.grid) image_texts_add(facts, "grid", c->panels.grid);
    image_texts_add(facts, "pointed", pointed[c->pointer.kind]);
    caption_add(facts, "stage_settled", "%s", viewer_is_settled(v) ? "yes" : "no");
    caption_add(facts, "measured", "%d", done);
    caption_add(facts, "to_measure", "%d", wanted);
    caption_add(facts, "shown_again", "%u", viewer_facts(v, v->app.side)->shown_again);
    caption_add(facts, "keys_left", "%ld", v->input.keys_left);
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (overlay_box(v->screen.overlay, OVERLAY_PANEL, i, &box))
            add_box(facts, panels[i], 0, box);
    if (overlay_box(v->screen.overlay, OVERLAY_MENU, 0, &box)) add_box(facts, "menu", 0, box);
    for (int side = 0; side < APP_SIDES; side++) add_side(facts, v, side);
    g_autoptr(GString) figures = g_string_new(NULL);  // what the bars say of each variant's memory
    for (int i = 0; i < FILTER_MAX_VARIANTS; i++)
        if (*v->lens.variants.figures[i])
            g_string_append_printf(figures, "%s%s", figures->len ? " | " : "",
                                   v->lens.variants.figures[i]);
    image_texts_add(facts, "lens_figures", figures->str);
    image_texts_add(facts, "bound", c->sides[v->app.side].bound);
    if (c->panels.sweep) image_texts_add(facts, "sweep_caption", c->panels.sweep->caption);
    caption_add(facts, "lens_marks", "%d", c->marks.count);
    g_autoptr(GString) numbers = g_string_new(NULL);
    for (int i = 0; i < c->numbers.count; i++)
        g_string_append_printf(numbers, "%s%.9g", i ? " " : "", c->numbers.values[i]);
    image_texts_add(facts, "numbers", numbers->str);
    if (v->now.pair.is_difference_known) {
        caption_add(facts, "difference_max", "%d", v->now.pair.difference.max);
        caption_add(facts, "difference_count", "%ld", v->now.pair.difference.count);
    }
}

static char *dump_text(const struct viewer *v, unsigned serial)
{
    const struct state_picture picture = viewer_picture(v);
    OWNED(image_texts_finish) struct image_texts facts = {0};
    cJSON *json = state_json(&v->app, &picture), *told = cJSON_AddObjectToObject(json, "facts");
    add_facts(&facts, v);
    for (int i = 0; i < facts.count; i++)
        cJSON_AddStringToObject(told, facts.texts[i].key, facts.texts[i].text);
    cJSON_AddNumberToObject(json, "serial", serial);
    cJSON_AddNumberToObject(json, "presses", v->input.presses);
    cJSON_AddItemToObject(json, "notes", cJSON_Duplicate(v->notes.last, true));
    return rows_print_json(json);
}

struct dump_job {
    int64_t written_us;  // when the content was that was written last
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
    if (d->written_us == v->screen.written_us) return;
    d->written_us = v->screen.written_us;
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
