// viewer_panels.c -- the panels' way through the viewer: what they show, what the mouse means in
// them, the block grid under the cursor, and what they save.
#include <assert.h>
#include <glib.h>

#include "base/text.h"
#include "filter/block_info.h"
#include "lens/traced_block.h"
#include "screen/block_text.h"
#include "viewer/viewer.h"

// ---- every turn ----

// About the pixel under the cursor; while it is elsewhere, that on which it rested last.
static struct block_info_facts block_facts(const struct viewer *v)
{
    const struct viewport_sizes sizes = viewer_sizes(v);
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const struct pointer *p = &v->input.pointer;
    struct block_info_facts facts = {.choice = now->choice,
                                     .device = now->device,
                                     .picture = now->picture,
                                     .shared_bytes = now->report.shared_bytes,
                                     .occupancy = now->report.occupancy,
                                     .x = v->lens.x,
                                     .y = v->lens.y};
    if (p->is_inside && !p->is_away) {
        int x, y;
        if (viewport_pixel_at(v->app.viewport, sizes, p->x + 0.5, p->y + 0.5, &x, &y)) {
            facts.x = x;
            facts.y = y;
        }
    }
    return facts;
}

bool viewer_find_element(const struct viewer *v, int side, const struct block_info_facts *facts,
                         struct block_info *b, struct error *err)
{
    const int array = arrays_shown(&facts->choice, viewer_facts(v, side)->array);
    return block_info_find(b, facts, array, err);
}

// Writes what a side shows. While two labs are compared, the other side's array may have another
// shape: its element is the one under the same pixel, if there is one.
static void look(struct viewer *v, int side, struct block_info_facts facts,
                 const struct block_info *shown, struct block_text_values *values)
{
    const struct pane_facts *now = viewer_facts(v, side);
    const size_t size = sizeof values->shown[side];
    char *const text = values->shown[side];
    struct block_info b;
    struct error unused;
    facts.choice = now->choice;
    if (filter_has_picture(now->choice.filter) ||
        !viewer_find_element(v, side, &facts, &b, &unused)) {
        text_append(text, size, "–");
        return;
    }
    v->stage->panes[side].element = b.index;
    if (b.row != shown->row || b.column != shown->column) {
        block_text_write_name(text, size, &b, now->choice.filter);
        text_append(text, size, ": ");
    }
    if (now->report.element_index == b.index)
        text_append(text, size, "%.9g", now->report.element);
    else if (*text)
        text_append(text, size, "…");
}

// True if the block that was traced last is this one, in the last pass.
static bool is_traced(const struct viewer *v, const struct block_info *b)
{
    if (!v->lens.block) return false;
    const struct lens_pass *last = &v->lens.block->passes[v->lens.block->pass_count - 1];
    return last->block_x == b->block_column && last->block_y == b->block_row &&
           last->config.block_width == b->config.block_width;
}

// The element of an array, its value when the stage has read it, and who writes it.
static void write_lab_grid(struct viewer *v, char *text, size_t size)
{
    const struct block_info_facts facts = block_facts(v);
    struct block_text_values values = {.is_pair = v->now.sides > 1};
    struct block_info b;
    struct error err = {""};
    if (!viewer_find_element(v, v->app.side, &facts, &b, &err)) {
        block_text_write(text, size, NULL, &facts, NULL, err.text);
        return;
    }
    if (b.has_block && is_traced(v, &b)) {
        const struct block_info_writer writer = traced_block_writer(
            v->lens.block, facts.choice.filter->arrays[b.array].name, b.index, 0);
        block_info_see(&b, &writer);
    }
    for (int i = 0; i < v->now.sides; i++) look(v, i, facts, &b, &values);
    block_text_write(text, size, &b, &facts, &values, NULL);
    if (b.covered_width)
        v->screen.grid = (struct display_grid){.width = b.covered_width,
                                               .height = b.covered_height,
                                               .column = facts.x / b.covered_width,
                                               .row = facts.y / b.covered_height};
}

// "160, 112, 116", a byte a plane.
static void write_bytes(char *text, size_t size, const unsigned char *bytes, int count)
{
    for (int i = 0; i < count; i++) text_append(text, size, "%s%d", i ? ", " : "", bytes[i]);
}

// The pixel, the block that writes it, and what that reads.
static void write_block_grid(struct viewer *v, char *text, size_t size)
{
    struct block_info_facts facts = block_facts(v);
    struct block_text_values values = {.is_pair = v->now.sides > 1};
    struct block_info b;
    struct error err = {""};
    // The pixel's values in the picture, and in what each side shows of it.
    const struct planes source = v->stage->host.picture;
    const bool has_values = planes_is_same_shape(source, facts.picture);
    unsigned char bytes[3];
    for (int i = 0; i < source.count && has_values; i++)
        bytes[i] = planes_row(source, i, facts.y)[facts.x];
    if (has_values) write_bytes(values.in, sizeof values.in, bytes, source.count);
    for (int i = 0; i < v->now.sides && has_values; i++) {
        if (!viewer_facts(v, i)->is_current) continue;
        display_read_pixel(v->screen.display, i, facts.x, facts.y, bytes);
        write_bytes(values.shown[i], sizeof values.shown[i], bytes, source.count);
    }
    facts.untouched = v->lens.no_block;
    if (!viewer_find_element(v, v->app.side, &facts, &b, &err)) {
        block_text_write(text, size, NULL, &facts, has_values ? &values : NULL, err.text);
        return;
    }
    v->screen.grid = (struct display_grid){.width = b.covered_width,
                                           .height = b.covered_height,
                                           .column = (int)b.block_column,
                                           .row = (int)b.block_row};
    if (v->lens.block && v->lens.block->has_touched && is_traced(v, &b)) {
        const struct block_info_writer writer =
            traced_block_writer(v->lens.block, "out", facts.x, facts.y);
        b.thread = block_info_thread_of(&writer, &b.config);
        facts.touched = v->lens.block->touched;
        v->screen.grid.halo = block_info_halo(&facts.choice, facts.touched);
    }
    block_text_write(text, size, &b, &facts, has_values ? &values : NULL, NULL);
}

static void want(struct viewer *v)
{
    enum { MOST = TOUR_MAX_FIGURES * TOUR_VALUE_POINTS };
    static_assert(MOST < (int)PANEL_MODEL_ALSO, "all figures of a tour and a naive one are wanted");
    const struct app *a = &v->app;
    const struct pane_facts *now = viewer_facts(v, a->side);
    const struct pane_times timed = viewer_times_of_all(v, now);
    const struct choice other = viewer_choice(v, a->side == APP_A ? APP_B : APP_A);
    struct panel_model_facts facts = {
        .choice = now->choice,
        .device = timed.device,
        .picture = timed.picture,
        .open = (unsigned)a->has_grid << OVERLAY_GRID | (unsigned)a->has_bars << OVERLAY_BARS |
                (unsigned)(a->has_sweep || a->has_roof) << OVERLAY_SWEEP |
                (unsigned)a->has_heat << OVERLAY_HEAT,
        .lens = v->lens.variants,
        .baseline = &a->baseline,
        .has_roof = a->has_roof};
    for (int i = 0; i < FILTER_MAX_VARIANTS; i++)
        facts.lens.counts[i] = viewer_count_as_timed(now, &timed, facts.lens.counts[i]);
    if (now->choice.filter == app_filter(a))  // a key may have chosen another one since
        g_strlcpy(facts.axis, app_side_choice(&v->app, a->side)->axis, sizeof facts.axis);
    // Each side says how it stands against its naive variant.
    if (a->is_comparing && choice_naive_of(&other, &facts.also[0])) facts.also_count = 1;
    facts.also_count += viewer_told(v, &facts.choice, facts.also + facts.also_count, MOST);
    v->screen.needs_words |= panel_model_want(v->panels, &facts, v->stage->host.results);
}

// The values of a short array over its picture. Of two pictures, a divider would cut them.
static void write_numbers(struct viewer *v)
{
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const struct filter *f = now->choice.filter;
    struct overlay_numbers *n = &v->screen.content.numbers;
    const int array = arrays_shown(&now->choice, now->array), count = now->report.number_count;
    struct arrays_layout layout;
    struct error ignored;
    int step;
    double across, down;
    _Static_assert((int)ENGINE_NUMBERS == OVERLAY_NUMBERS, "as many are read as are shown");
    memset(n, 0, sizeof *n);
    if (!count || v->now.sides > 1 || filter_has_picture(f) || !now->is_current ||
        !arrays_plan(&layout, &now->choice, now->picture, &ignored) ||
        layout.places[array].count != count)
        return;
    const struct viewport_box place = viewer_place(v, &across, &down);
    n->count = count;
    n->digits = array_types[f->arrays[array].type].is_real && count > 1 ? 4 : 9;
    n->first = (struct paint_box){place.left, place.top, across, down};
    array_picture(&f->arrays[array], &layout.places[array], &n->columns, &step);
    memcpy(n->values, now->report.numbers, (size_t)count * sizeof *n->values);
}

// With the headline, so that both show one moment.
static void write_panels(void *job, struct viewer *v)
{
    char text[1024] = "";
    const struct filter *f = viewer_facts(v, v->app.side)->choice.filter;
    (void)job;
    // While the block panel is closed, nothing is found out and no element is read.
    v->screen.grid = (struct display_grid){0};
    for (int i = 0; i < STAGE_PANES; i++) v->stage->panes[i].element = -1;
    if (v->app.has_grid)
        (filter_has_picture(f) ? write_block_grid : write_lab_grid)(v, text, sizeof text);
    panel_model_set_grid(v->panels, text);
    panel_model_update(v->panels, v->stage->host.results);
    v->screen.content.panels = *panel_model_panels(v->panels);
    write_numbers(v);
    double across, down;
    const struct viewport_box place = viewer_place(v, &across, &down);
    const struct display_grid *g = &v->screen.grid;
    if (g->width)  // the block and its halo
        v->screen.content.panels.pointed =
            (struct paint_box){.left = place.left + across * (g->column * g->width - g->halo),
                               .top = place.top + down * (g->row * g->height - g->halo),
                               .width = across * (g->width + 2 * g->halo),
                               .height = down * (g->height + 2 * g->halo)};
}

// ---- the mouse ----

static bool find(struct viewer *v, struct overlay_hit *hit)
{
    const struct pointer *p = &v->input.pointer;
    return p->is_inside && overlay_find(v->screen.overlay, p->x + 0.5, p->y + 0.5, hit);
}

void viewer_point_panels(struct viewer *v)
{
    struct overlay_hit hit;
    const bool is_over = find(v, &hit);
    v->screen.needs_words |= panel_model_point(v->panels, is_over ? &hit : NULL);
}

// A key of this turn may have chosen another filter than the panels are of.
static void adopt(struct viewer *v, bool is_good, const struct panel_model_change *change)
{
    struct app_choice *choice = app_side_choice(&v->app, v->app.side);
    if (viewer_choice(v, v->app.side).filter != app_filter(&v->app)) return;
    if (is_good) {
        choice->variant = change->variant;
        choice->settings = change->settings;
    }
    if (!is_good && change->note[0]) viewer_note(v, change->note);
}

// A click is on what is drawn, which keys in the same turn may have left behind: then it hit
// nothing.
bool viewer_click_panels(struct viewer *v)
{
    struct overlay_hit hit;
    struct panel_model_change change = {0};
    if (!find(v, &hit)) return false;
    const struct choice choice = viewer_choice(v, v->app.side);
    if (panel_model_are_of(v->panels, &choice))
        adopt(v, panel_model_click(v->panels, &hit, &change), &change);
    return true;
}

static void step(void *job, struct viewer *v)
{
    (void)job;
    want(v);
    if (!viewer_take(v, INPUT_BEST)) return;
    if (!v->app.has_heat) {
        viewer_note(v, "t opens the heat map to choose from");
        return;
    }
    struct panel_model_change change = {0};
    const struct app_mark before = app_mark(&v->app);
    panel_model_update(v->panels, v->stage->host.results);
    adopt(v, panel_model_best(v->panels, &change), &change);
    app_record(&v->app, &before);
}

const struct job_type panels_job = {.step = {[JOB_SHOWS] = step, [JOB_WRITES] = write_panels}};

// ---- files ----

// The source of a sweep's file.
struct sweep_file {
    const struct viewer *viewer;
    struct panel_model_about about;
    bool is_plot;
};

static bool write_sweep(const void *what, const char *path, const struct image_texts *unused,
                        struct error *err)
{
    const struct sweep_file *f = what;
    const struct viewer *v = f->viewer;
    (void)unused;
    return f->is_plot
               ? panel_model_save_plot(v->panels, &f->about, path, err)
               : panel_model_save_csv(v->panels, v->stage->host.results, &f->about, path, err);
}

void viewer_save_sweep(struct viewer *v)
{
    static const char *const endings[] = {"-sweep.csv", "-sweep.svg"};
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    struct sweep_file file = {v, {.picture_name = v->pictures.name, .date = date}, false};
    for (int i = 0; i < 2; i++) {
        struct error err = {""};
        file.is_plot = i > 0;
        g_autofree char *path =
            saving_write_free(v->options->shots, endings[i], write_sweep, &file, NULL, &err);
        saving_tell(v, path, &err);
    }
}
