// viewer_panels.c -- the panels' way through the viewer: what they show, what the mouse means in
// them, the block grid under the cursor, and what bounds a kernel.
#include <assert.h>
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "frame/recording.h"
#include "lens/bound.h"
#include "lens/model.h"
#include "lens/traced_block.h"
#include "measure/figures.h"
#include "screen/block_text.h"
#include "viewer/viewer.h"

// ---- what bounds a kernel ----

// The counts of the launch that is timed, from those of the shown one. A recorded one of a picture
// of another size has as many more as it has blocks; of arrays of another size nothing is known.
static struct bound_counts count_as_timed(const struct pane_facts *f,
                                          const struct pane_times *timed,
                                          struct bound_counts counts)
{
    const double bytes = figures_bytes(&f->choice, f->picture);
    if (!timed->is_recorded || !counts.is_known) return counts;
    const bool has_params = !memcmp(&timed->choice.settings.params, &f->choice.settings.params,
                                    sizeof f->choice.settings.params);
    if (!has_params || bytes <= 0) return (struct bound_counts){.is_known = false};
    const double ratio = figures_bytes(&timed->choice, timed->picture) / bytes;
    counts.sectors *= ratio;
    counts.wavefronts *= ratio;
    counts.requests *= ratio;
    counts.l1_clocks *= ratio;
    counts.instructions *= ratio;
    return counts;
}

// Writes what bounds the kernel of a side. It follows from the side's times and a block that was
// traced for the side, or from the roofline's counts of the present variant.
static void write_bound(struct viewer *v, int side)
{
    const struct pane_facts *f = viewer_facts(v, side);
    const struct viewer_lens_side *lens = &v->lens.sides[side];
    const struct choice shown = viewer_choice(v, side);
    struct overlay_side *words = &v->screen.content.sides[side];
    struct bound_counts counts = {0};
    words->bound[0] = '\0';
    if (!f->is_current || f->is_refused) return;
    if (lens->counts)
        counts = lens->counts->launch;
    else if (side == v->app.side)
        counts = v->lens.variants.counts[shown.variant - shown.filter->variants];
    if (lens->counts) counts.instructions = v->source.instructions[side];
    const struct device *device = f->has_gpu_times ? f->timed.device : f->device;
    const struct bound b =
        bound_find(&(struct bound_facts){.device = device,
                                         .ms = f->known.is_settled ? f->known.ms.median : 0,
                                         .copy_ms = f->copy_ms,
                                         .bytes = figures_bytes(&f->timed.choice, f->timed.picture),
                                         .counts = count_as_timed(f, &f->timed, counts),
                                         .foreign_rules = model_foreign_rules(device)});
    bound_write(&b, words->bound, sizeof words->bound);
    if (b.by == BOUND_NEITHER && v->source.loops[side] && *v->source.loops[side])
        text_append(words->bound, sizeof words->bound, " · %s", v->source.loops[side]);
}

// ---- every turn ----

// The facts about the pixel under the cursor or, while the cursor is elsewhere, the one on which it
// rested last.
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

// Writes what a side shows. While two labs are compared, the other side's array may have another
// shape: its element is the one under the same pixel, if there is one.
static void look(struct viewer *v, int side, struct block_info_facts facts,
                 const struct block_info *shown, struct block_text_values *values)
{
    const struct pane_facts *now = viewer_facts(v, side);
    const size_t size = sizeof values->shown[side];
    char *const text = values->shown[side];
    struct block_info b;
    facts.choice = now->choice;
    if (filter_has_picture(now->choice.filter) || !block_info_find(&b, &facts, now->array, NULL)) {
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

// "160, 112, 116", a byte a plane.
static void write_bytes(char *text, size_t size, const unsigned char *bytes, int count)
{
    for (int i = 0; i < count; i++) text_join(text, size, ", ", "%d", bytes[i]);
}

// The pixel's values in the picture, and in what each side shows of it. False: they are not known.
static bool read_pixel(const struct viewer *v, const struct block_info_facts *facts,
                       struct block_text_values *values)
{
    const struct planes source = v->stage->host.picture;
    unsigned char bytes[3];
    if (!planes_is_same_shape(source, facts->picture)) return false;
    for (int i = 0; i < source.count; i++) bytes[i] = planes_row(source, i, facts->y)[facts->x];
    write_bytes(values->in, sizeof values->in, bytes, source.count);
    for (int i = 0; i < v->now.sides; i++) {
        if (!viewer_facts(v, i)->is_current) continue;
        display_read_pixel(v->screen.display, i, facts->x, facts->y, bytes);
        write_bytes(values->shown[i], sizeof values->shown[i], bytes, source.count);
    }
    return true;
}

// The pixel or element, its values, the block that writes it, and what that reads of a picture. The
// value of an element comes when the stage has read it.
static void write_grid(struct viewer *v, char *text, size_t size)
{
    struct block_info_facts facts = block_facts(v);
    struct block_text_values values = {.is_pair = v->now.sides > 1};
    struct block_info b;
    struct error err = {""};
    const struct lens_result *block = v->lens.block;
    const struct filter *f = facts.choice.filter;
    const bool is_picture = filter_has_picture(f);
    const bool has_pixel = is_picture && read_pixel(v, &facts, &values);
    facts.untouched = v->lens.no_block;
    if (!block_info_find(&b, &facts, viewer_facts(v, v->app.side)->array, &err)) {
        block_text_write(text, size, NULL, &facts, has_pixel ? &values : NULL, err.text);
        return;
    }
    for (int i = 0; i < v->now.sides && !is_picture; i++) look(v, i, facts, &b, &values);
    const struct lens_pass *last = block ? &block->passes[block->pass_count - 1] : NULL;
    if (b.has_block && last && last->block_x == b.block_column && last->block_y == b.block_row &&
        last->config.block_width == b.config.block_width) {  // it is this one that was traced
        const struct block_info_writer writer =
            traced_block_writer(block, f->arrays[b.array].name, is_picture ? facts.x : b.index,
                                is_picture ? facts.y : 0);
        if (!is_picture) {
            block_info_see(&b, &writer);
        } else if (block->has_touched) {
            b.thread = block_info_thread_of(&writer, &b.config);
            facts.touched = block->touched;
        }
    }
    if (b.covered_width)
        v->screen.grid = (struct display_grid){
            .width = b.covered_width,
            .height = b.covered_height,
            .column = facts.x / b.covered_width,
            .row = facts.y / b.covered_height,
            .halo = facts.touched ? block_info_halo(&facts.choice, facts.touched) : 0};
    block_text_write(text, size, &b, &facts, has_pixel || !is_picture ? &values : NULL, NULL);
}

static void want(struct viewer *v)
{
    enum { MOST = TOUR_MAX_FIGURES * TOUR_VALUE_POINTS };
    static_assert(MOST < (int)PANEL_MODEL_ALSO, "all figures of a tour and a naive one are wanted");
    const struct app *a = &v->app;
    const struct pane_facts *now = viewer_facts(v, a->side);
    const struct results *results = v->stage->host.results;
    struct pane_times timed = now->timed;
    // A recording's, of its picture and sizes, also where it has none of this choice.
    if (results_recording(results)) {
        timed.device = results_device(results, now->device);
        timed.picture = results_recording(results)->picture;
        timed.choice = results_timed(results, &now->choice);
    }
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
        facts.lens.counts[i] = count_as_timed(now, &timed, facts.lens.counts[i]);
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
    const struct pane_array shown = pane_shown_array(now);
    const int count = now->report.number_count;
    struct overlay_numbers *n = &v->screen.content.numbers;
    double across, down;
    _Static_assert((int)ENGINE_NUMBERS == OVERLAY_NUMBERS, "as many are read as are shown");
    memset(n, 0, sizeof *n);
    if (!count || v->now.sides > 1 || filter_has_picture(now->choice.filter) || !now->is_current ||
        shown.place.count != count)
        return;
    const struct paint_box place = viewer_place(v, &across, &down);
    n->count = count;
    n->digits = array_has_reals(shown.array) && count > 1 ? 4 : 9;
    n->first = (struct paint_box){place.left, place.top, across, down};
    n->columns = shown.columns;
    memcpy(n->values, now->report.numbers, (size_t)count * sizeof *n->values);
}

// With the headline, so that both show one moment.
static void write_panels(void *job, struct viewer *v)
{
    char text[1024] = "";
    (void)job;
    // While the block panel is closed, nothing is found out and no element is read.
    v->screen.grid = (struct display_grid){0};
    for (int i = 0; i < STAGE_PANES; i++) v->stage->panes[i].element = -1;
    if (v->app.has_grid) write_grid(v, text, sizeof text);
    for (int i = 0; i < v->now.sides; i++) write_bound(v, i);
    v->screen.content.panels = *panel_model_update(v->panels, v->stage->host.results, text);
    write_numbers(v);
    double across, down;
    const struct paint_box place = viewer_place(v, &across, &down);
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
    const struct app_mark before = app_mark(&v->app);
    if (viewer_choice(v, v->app.side).filter != app_filter(&v->app)) return;
    if (is_good) {
        choice->variant = (int)(change->choice.variant - change->choice.filter->variants);
        choice->settings = change->choice.settings;
        app_record(&v->app, &before);
    }
    if (!is_good && change->note[0]) viewer_note(v, "%s", change->note);
}

// A click is on what is drawn, which keys in the same turn may have left behind: then it hit
// nothing.
bool viewer_click_panels(struct viewer *v)
{
    struct overlay_hit hit;
    struct panel_model_change change;
    if (!find(v, &hit)) return false;
    const struct choice present = viewer_choice(v, v->app.side);
    adopt(v, panel_model_click(v->panels, &present, &hit, &change), &change);
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
    struct panel_model_change change;
    panel_model_update(v->panels, v->stage->host.results, NULL);
    adopt(v, panel_model_best(v->panels, &change), &change);
}

const struct job_type panels_job = {.step = {[JOB_SHOWS] = step, [JOB_WRITES] = write_panels}};
