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

// Adds a fact. Behind the first word of B's keys stands b: "lens_b_where".
static void add(cJSON *facts, int side, const char *key, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
static void add(cJSON *facts, int side, const char *key, const char *format, ...)
{
    const int word = (int)strcspn(key, "_");
    g_autofree char *name = g_strdup_printf("%.*s%s%s", word, key, side ? "_b" : "", key + word);
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args), *valid = g_utf8_make_valid(text, -1);
    va_end(args);
    cJSON_AddStringToObject(facts, name, valid);
}

// Adds where something was drawn last, if it was.
static void add_box(cJSON *facts, const struct viewer *v, int side, const char *key,
                    enum overlay_region region, int index)
{
    struct paint_box box;
    if (overlay_box(v->screen.overlay, region, index, &box))
        add(facts, side, key, "%.0f %.0f %.0f %.0f", box.left, box.top, box.width, box.height);
}

// Adds the words of a side's legend and docks, and where they are.
static void add_side(cJSON *facts, const struct viewer *v, int side)
{
    const struct legend *legend = &v->screen.content.legends[side];
    const struct lens_view *lens = v->screen.content.docks.lens[side];
    const struct lens_place *drawn = overlay_lens(v->screen.overlay, side);
    const struct listing *listing = v->screen.content.docks.source[side];
    add_box(facts, v, side, "legend_box", OVERLAY_LEGEND, side);
    if (legend->low[0])
        add(facts, side, "legend", "%s%s%s … %s", legend->side, *legend->side ? " " : "",
            legend->low, legend->high);
    if (*legend->note) add(facts, side, "sharing", "%s", legend->note);
    if (lens) {
        add(facts, side, "lens", "%s", lens->title);
        add(facts, side, "lens_where", "%s", lens->where);
        if (*lens->message)
            add(facts, side, "lens_totals", "%s", lens->message);
        else
            add(facts, side, "lens_totals", "%s%s%s", lens->totals, *lens->conflicts ? " · " : "",
                lens->conflicts);
        add(facts, side, "lens_request", "%s", lens->request_words);
        add(facts, side, "lens_stale", "%s", lens->is_stale ? "yes" : "no");
        if (*lens->moved) add(facts, side, "lens_moved", "%s", lens->moved);
        if (drawn->rows)
            add(facts, side, "lens_rows", "%d of %d, %d alike", drawn->shown_rows, drawn->rows,
                drawn->repeats);
        if (*lens->caveat) add(facts, side, "lens_caveat", "%s", lens->caveat);
        add_box(facts, v, side, "lens_box", OVERLAY_DOCK, OVERLAY_LENS_A + side);
    }
    if (side == APP_A && v->source.marked.line)
        add(facts, side, "marked", "%s:%d", v->source.marked.file, v->source.marked.line);
    if (!listing) return;
    add(facts, side, "source", "%s", listing->title);
    add(facts, side, "source_about", "%s", listing->about);
    add(facts, side, "source_lines", "%d", listing->count);
    add_box(facts, v, side, "source_box", OVERLAY_DOCK, OVERLAY_SOURCE_A + side);
}

static void add_facts(cJSON *facts, const struct viewer *v)
{
    static const char *const boxes[] = {[OVERLAY_GRID] = "grid_box",
                                        [OVERLAY_BARS] = "bars_box",
                                        [OVERLAY_SWEEP] = "sweep_box",
                                        [OVERLAY_HEAT] = "heat_box"};
    static const char *const pointed[] = {
        [OVERLAY_POINTED_NONE] = "",     [OVERLAY_POINTED_PANEL] = "panel",
        [OVERLAY_POINTED_DOCK] = "dock", [OVERLAY_POINTED_LINE] = "line",
        [OVERLAY_POINTED_SPOT] = "spot",
    };
    static const char *const edited[] = {
        "", [EDITED_DUE] = "checking", [EDITED_TRYING] = "checking", [EDITED_TRIED] = "checked"};
    const struct overlay_content *c = &v->screen.content;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const char *const printed = v->stage->panes[v->app.side].printed;
    const gpointer state = g_hash_table_lookup(v->kernels.edited, now->choice.filter->name);
    OWNED(image_texts_finish) struct image_texts texts = {0};
    int done, wanted;
    caption_list(&texts, now);
    for (int i = 0; i < texts.count; i++)
        cJSON_AddStringToObject(facts, texts.texts[i].key, texts.texts[i].text);
    results_progress(v->stage->host.results, &done, &wanted);
    g_autoptr(GString) figures = g_string_new(NULL);  // what the bars say of each variant's memory
    for (int i = 0; i < FILTER_MAX_VARIANTS; i++)
        if (*v->lens.variants.figures[i])
            g_string_append_printf(figures, "%s%s", figures->len ? " | " : "",
                                   v->lens.variants.figures[i]);
    g_autoptr(GString) numbers = g_string_new(NULL);
    for (int i = 0; i < c->numbers.count; i++)
        g_string_append_printf(numbers, "%s%.9g", i ? " " : "", c->numbers.values[i]);
    rows_add_members(facts,
                     "other_sizes%s message%s noted%s caption%s printed%s pointed%s "
                     "stage_settled%s lens_figures%s bound%s numbers%s",
                     edited[GPOINTER_TO_INT(state)], c->message,
                     v->notes.text,  // though it may have gone from the screen
                     c->caption, printed ? printed : "", pointed[c->pointer.kind],
                     viewer_is_settled(v) ? "yes" : "no", figures->str, c->sides[v->app.side].bound,
                     numbers->str);
    if (v->app.tour_steps)
        add(facts, 0, "tour_step", "%d of %d", v->app.tour_step + 1, v->app.tour_steps);
    if (v->tour.play)
        add(facts, 0, "tour_waits", "%s", tour_play_is_at_end(v->tour.play) ? "yes" : "no");
    if (c->menu && c->menu->count)
        add(facts, 0, "menu_row", "%s", c->menu->rows[c->menu->row].name);
    if (c->menu && c->menu->why) add(facts, 0, "menu_why", "%s", c->menu->why);
    if (c->panels.grid) add(facts, 0, "grid", "%s", c->panels.grid);
    if (c->panels.sweep) add(facts, 0, "sweep_caption", "%s", c->panels.sweep->caption);
    add(facts, 0, "measured", "%d", done);
    add(facts, 0, "to_measure", "%d", wanted);
    add(facts, 0, "shown_again", "%u", now->shown_again);
    add(facts, 0, "keys_left", "%ld", v->input.keys_left);
    add(facts, 0, "lens_marks", "%d", c->marks.count);
    for (int i = 0; i < OVERLAY_PANELS; i++) add_box(facts, v, 0, boxes[i], OVERLAY_PANEL, i);
    add_box(facts, v, 0, "menu_box", OVERLAY_MENU, 0);
    for (int side = 0; side < APP_SIDES; side++) add_side(facts, v, side);
    if (!v->now.pair.is_difference_known) return;
    add(facts, 0, "difference_max", "%d", v->now.pair.difference.max);
    add(facts, 0, "difference_count", "%ld", v->now.pair.difference.count);
}

static char *dump_text(const struct viewer *v, unsigned serial)
{
    const struct state_picture picture = viewer_picture(v);
    cJSON *json = state_json(&v->app, &picture);
    add_facts(cJSON_AddObjectToObject(json, "facts"), v);
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
