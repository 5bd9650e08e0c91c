// viewer_lens.c -- the job of the memory lens: asks for traces of the block under the cursor, and
// says what they show (lens/traces.h).
//
// This file is long because following, asking, telling and writing share what is kept of a side.
//
// A side's result is of a choice and a pixel. If either is another one now, the result is stale
// until the next one is there, and everything that is made from it says so. Where only the pixel is
// another one, this begins after a moment.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "lens/traces.h"
#include "screen/lens_model.h"
#include "viewer/viewer.h"

// A cursor that stays so long rests. A hand that goes on moves it every 8 to 16 ms.
static const gint64 REST_US = 25000;
static const int64_t MOMENT_US = 75000;  // with that rest before it, a tenth of a second

// The lens of a side.
struct lens_side {
    struct tracing_request block;            // that it is about in this turn
    bool has_place;                          // it is the block under the cursor
    struct tracing_request shown;            // the newest traced one; filter NULL: none
    struct tracing_request whole;            // the launch that was asked for; filter NULL: none
    struct traces_found of_block, of_whole;  // in this turn
    const struct lens_result *result;        // of what is shown
    struct lens_wait wait;
    struct lens_cursor cursor;  // the request of the shown block
    struct lens_view view;
};

struct lens_job {
    const struct traces *traces;
    int x, y;         // where the cursor rested last, in the picture
    bool has_rested;  // false: the middle counts
    bool is_reduced;  // that picture was shown so
    bool may_rest;    // it has moved, and rests if it stays for some milliseconds
    struct lens_side sides[APP_SIDES];
    bool has_gone;  // a side has gone steps that the other one has not followed yet
    int gone_side;  // which
    int lane;       // under the cursor; -1: none
    gint64 due_us;  // of its next step by itself; 0: it does not play
};

// ---- the cursor ----

// A step of the lens that plays waits for its block, so that none is passed over.
static void step_play(struct lens_job *l, struct viewer *v, gint64 now)
{
    const gint64 period = (gint64)(G_USEC_PER_SEC / app_play_rate(&v->app));
    if (!app_is_playing(&v->app)) {
        l->due_us = 0;
        return;
    }
    // It begins, or the period may have become shorter.
    if (!l->due_us || l->due_us > now + period) l->due_us = now + period;
    if (now < l->due_us || v->app.lens.steps[LENS_ROUND] || v->app.has_help) return;
    v->app.lens.steps[LENS_ROUND] = 1;
    v->screen.needs_words = true;
    l->due_us = now + period;
}

// Finds the pixel under the cursor, once it rests over the picture. This comes before the stage
// waits for its device, so that no time of a rest is lost.
static void follow_cursor(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    const struct pointer *p = &v->input.pointer;
    const gint64 now = g_get_monotonic_time();
    const bool is_over = p->is_inside && !p->is_away && !p->is_down;
    int x, y;
    step_play(l, v, now);
    l->may_rest = is_over && now - p->moved_us < REST_US;
    if (v->app.has_lens && l->may_rest) v->screen.pace.awaited_us = p->moved_us;
    if (!is_over || l->may_rest ||
        !viewport_pixel_at(v->app.viewport, viewer_sizes(v), p->x + 0.5, p->y + 0.5, &x, &y))
        return;
    l->x = x;
    l->y = y;
    l->is_reduced = v->extent.is_reduced;
    l->has_rested = true;
}

// The block to trace for a side: the one where the cursor rested last, or else the middle one. A
// lab's block is not always known (has_place false); then it is the first one.
static struct tracing_request find_request_at(const struct viewer *v, int side, bool *has_place)
{
    const struct pane_facts *now = viewer_facts(v, side);
    struct tracing_request r = {.choice = viewer_choice(v, side),
                                .filters_version = v->kernels.version,
                                .picture_version = viewer_pixels_version(v),
                                .x = v->lens.x,
                                .y = v->lens.y};
    const struct block_info_facts facts = {
        .choice = now->choice, .device = now->device, .picture = now->picture, .x = r.x, .y = r.y};
    struct block_info b;
    if (now->device->is_gpu) r.multiprocessors = now->device->multiprocessors;
    *has_place = filter_has_picture(r.choice.filter);
    if (*has_place) return r;
    // Finds the place of the pixel's element in the domain of the lab's launch.
    *has_place = block_info_find(&b, &facts, now->array, NULL) && b.has_block;
    r.x = *has_place ? b.domain_x : 0;
    r.y = *has_place ? b.domain_y : 0;
    return r;
}

bool lens_wait_is_long(struct lens_wait *wait, const struct tracing_request *now, int64_t now_us)
{
    if (!tracing_is_same(&wait->block, now)) *wait = (struct lens_wait){*now, now_us};
    return now_us - wait->since_us >= MOMENT_US;
}

// ---- what is known ----

static bool has_lens(const struct viewer *v, int side)
{
    return v->app.has_lens && side < v->now.sides;
}

// A lab's panel tells what the lens has found, and asks for nothing.
static bool has_panel(const struct viewer *v)
{
    return v->app.has_grid &&
           (v->app.has_lens || filter_has_picture(viewer_choice(v, v->app.side).filter));
}

static bool has_figures(const struct viewer *v)
{
    return v->app.has_bars && (v->app.has_lens || !viewer_facts(v, v->app.side)->has_gpu_times);
}

// Without a GPU, counts stand where times would.
static bool has_headline(const struct viewer *v, int side)
{
    return side < v->now.sides && !viewer_facts(v, side)->has_gpu_times;
}

static bool has_variants(const struct viewer *v)
{
    return has_figures(v) || v->app.has_roof;
}

static bool has_launch(const struct lens_side *s)
{
    return tracing_is_same_launch(&s->shown, &s->block);
}

static const char *words_of(enum traces_state state)
{
    return state == TRACES_BUILDING  ? "compiling …"
           : state == TRACES_TRACING ? "tracing …"
                                     : "waiting …";
}

static bool is_pending(const struct traces_found *found)
{
    return !found->result && !found->why;
}

// ---- what is wanted ----

// The trace that the bars show for a variant of the active side's filter.
static struct tracing_request variant_of(const struct lens_job *l, const struct viewer *v, int i)
{
    struct tracing_request r = l->sides[v->app.side].block;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    r.choice = panel_model_bar(&r.choice, i, now->picture, now->device);
    return r;
}

static int count_variants(const struct lens_job *l, const struct viewer *v)
{
    return has_variants(v) ? l->sides[v->app.side].block.choice.filter->variant_count : 0;
}

// The shown trace stays until the block is there. While bars or the roofline are open, all variants
// are traced, one after the other.
static void want_all(struct lens_job *l, struct viewer *v)
{
    for (int i = 0; i < APP_SIDES; i++) {
        struct lens_side *s = &l->sides[i];
        if (has_lens(v, i) || has_headline(v, i) ||
            (i == v->app.side && (has_panel(v) || has_variants(v)))) {
            s->block = find_request_at(v, i, &s->has_place);
            traces_want(v->lens.traces, &s->block, TRACES_STEPS);
            if (traces_get(l->traces, &s->shown, TRACES_STEPS).result)
                traces_want(v->lens.traces, &s->shown, TRACES_STEPS);
        }
        // A whole launch is of the user's choice, which a job such as the sheet does not change. It
        // is wanted no longer when the user chooses something else.
        struct tracing_request whole = s->block;
        whole.choice = app_chosen(&v->app, i);
        whole.is_whole = true;
        if (!has_lens(v, i) || (s->whole.choice.filter && !tracing_is_same(&s->whole, &whole)))
            v->app.has_whole[i] = false;
        s->whole = v->app.has_whole[i] ? whole : (struct tracing_request){.is_whole = true};
        const bool has_sectors = app_sharing(&v->app) < SHARING_COUNTS;
        if (v->app.has_whole[i])
            traces_want(v->lens.traces, &whole, has_sectors ? TRACES_STEPS : TRACES_COUNTS);
    }
    for (int i = 0; i < count_variants(l, v); i++) {
        const struct tracing_request r = variant_of(l, v, i);
        traces_want(v->lens.traces, &r, TRACES_COUNTS);
    }
}

// ---- what the other jobs are told ----

static void tell_variants(const struct lens_job *l, struct viewer *v)
{
    struct panel_model_lens *told = &v->lens.variants;
    memset(told, 0, sizeof *told);
    for (int i = 0; i < count_variants(l, v); i++) {
        const struct tracing_request request = variant_of(l, v, i);
        const struct traces_found found = traces_get(l->traces, &request, TRACES_COUNTS);
        told->has_failed[i] = found.why != NULL;
        if (!found.result) continue;
        told->counts[i] = found.result->launch;
        if (!has_figures(v)) continue;
        told->sectors[i] = lens_result_sum(found.result).each.sectors;
        lens_model_write_sums(found.result, told->figures[i], sizeof told->figures[i], false);
        lens_model_write_unit(found.result, told->unit, sizeof told->unit);
    }
}

// Goes the steps that were asked for on the active side. Before its block is there, they wait.
// False: there were none.
static bool go(const struct lens_job *l, struct viewer *v)
{
    const struct lens_side *s = &l->sides[v->app.side];
    const struct lens_result *found = s->of_block.result;
    struct lens_cursor *cursor = &v->lens.cursors[v->app.side];
    bool has_gone = false;
    if (!has_lens(v, v->app.side) || is_pending(&s->of_block)) return false;
    for (int way = 0; way < LENS_WAYS; way++) {
        has_gone |= v->app.lens.steps[way] != 0;
        if (v->app.lens.steps[way] && found)
            lens_model_go(found, cursor, (enum lens_way)way, v->app.lens.steps[way]);
        v->app.lens.steps[way] = 0;
    }
    has_gone |= v->lens.line.line != 0;
    if (v->lens.line.line && found)
        lens_model_go_to_line(found, cursor, v->lens.line.file, v->lens.line.line);
    v->lens.line.line = 0;
    return has_gone;
}

// Another kernel's lens stays on its kind of request, and the other side follows a step, once the
// blocks of all sides are there.
static void follow(struct lens_job *l, struct viewer *v, bool has_gone)
{
    if (has_gone) l->gone_side = v->app.side;
    l->has_gone |= has_gone;
    struct lens_pair_now now = {.version = v->kernels.version,
                                .cursors = v->lens.cursors,
                                .active = l->gone_side,
                                .has_gone = l->has_gone};
    bool has_all = true;
    for (int i = 0; i < v->now.sides; i++) {
        now.results[i] = l->sides[i].of_block.result;
        now.variants[i] = l->sides[i].block.choice.variant;
        has_all &= now.results[i] != NULL;
    }
    if (v->app.lens.is_new) {
        memset(v->lens.cursors, 0, sizeof v->lens.cursors);
        memset(&v->lens.pair, 0, sizeof v->lens.pair);
        v->app.lens.is_new = false;
    }
    if (v->app.has_lens && !has_all) return;
    if (v->app.has_lens)
        lens_pair_follow(&v->lens.pair, &now);
    else
        memset(&v->lens.pair, 0, sizeof v->lens.pair);
    l->has_gone = false;
}

// Tells whose sectors are shown: the block's, or those of the whole launch, once they are counted.
static void tell_shared(const struct lens_job *l, struct viewer_lens_side *now, int side)
{
    const struct lens_side *s = &l->sides[side];
    const bool is_whole = s->whole.choice.filter != NULL;
    const struct traces_found found =
        is_whole ? traces_get(l->traces, &s->whole, TRACES_STEPS) : s->of_block;
    now->shared_of = is_whole ? s->whole : s->shown;
    if (tracing_is_same_launch(&now->shared_of, &s->block) && (is_whole || !now->is_stale))
        now->shared = is_whole ? found.result : s->result;
    if (found.why && !now->shared)
        text_copy_line(now->unshared, sizeof now->unshared, "not counted");
    else if (!now->shared && found.state == TRACES_TRACING && is_whole)
        g_snprintf(now->unshared, sizeof now->unshared, "%d %%", found.percent);
    else if (!now->shared)
        text_copy(now->unshared, sizeof now->unshared, words_of(found.state));
}

static void tell_side(struct lens_job *l, struct viewer *v, int side)
{
    struct lens_side *s = &l->sides[side];
    struct viewer_lens_side now = {.result = NULL};
    if (has_lens(v, side)) {
        const struct choice shown = viewer_choice(v, side), chosen = app_chosen(&v->app, side);
        const bool is_late = lens_wait_is_long(&s->wait, &s->block, g_get_monotonic_time());
        now.result = s->result;
        now.whole = choice_is_same(&shown, &chosen) ? s->of_whole.result : NULL;
        // Finds the request that is shown. The traced block may be of another launch than the
        // wanted one. It then shows its own request, but leaves the user's cursor alone, which may
        // be for the launch that is still traced.
        s->cursor = v->lens.cursors[side];
        const struct lens_step *request =
            now.result ? lens_model_find(now.result, &s->cursor) : NULL;
        if (now.result && has_launch(s)) v->lens.cursors[side] = s->cursor;
        if (request) now.now = &now.result->passes[s->cursor.pass].lines[request->line].chain;
        now.has_text = now.result && s->shown.filters_version == s->block.filters_version;
        now.is_stale = !s->of_block.result && (is_late || s->of_block.why || !has_launch(s));
        now.is_pending = now.is_stale && !s->of_block.why;
        now.counts = now.is_stale ? NULL : now.result;
        if (app_sharing(&v->app) < SHARING_COUNTS) tell_shared(l, &now, side);
    }
    if (has_headline(v, side)) {
        if (s->of_block.result) now.counts = s->of_block.result;
        now.is_pending = is_pending(&s->of_block);
    }
    v->screen.needs_words |= now.is_stale != v->lens.sides[side].is_stale;
    v->lens.sides[side] = now;
    v->app.runs_whole[side] = v->app.has_whole[side] && is_pending(&s->of_whole);
}

// Other jobs are told what follows from this turn's wishes and results, in any order.
static void step(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    const struct traces_scene scene = {v->stage->host.picture, viewer_pixels_version(v),
                                       v->kernels.version};
    l->traces = v->lens.traces;
    // The pixel on which the cursor rested is elsewhere in the reduced copy, and a launch that was
    // asked for is asked for again, of the other pixels.
    if (l->is_reduced != v->extent.is_reduced) {
        const int factor = viewer_extent_factor(v->pictures.whole.planes);
        l->x = l->is_reduced ? l->x * factor + factor / 2 : l->x / factor;
        l->y = l->is_reduced ? l->y * factor + factor / 2 : l->y / factor;
        l->is_reduced = v->extent.is_reduced;
        for (int i = 0; i < APP_SIDES; i++) l->sides[i].whole.choice.filter = NULL;
    }
    const struct planes shape = display_shape(v->screen.display);
    // A headline without the lens is of one block.
    const bool is_still = has_headline(v, v->app.side) && !v->app.has_lens && !v->app.has_grid;
    const bool is_seen = l->has_rested && !is_still && l->x < shape.width && l->y < shape.height;
    v->lens.x = is_seen ? l->x : shape.width / 2;
    v->lens.y = is_seen ? l->y : shape.height / 2;
    want_all(l, v);
    v->screen.needs_words |= traces_poll(v->lens.traces, &scene);
    for (int i = 0; i < APP_SIDES; i++) {  // what is traced of a side
        struct lens_side *s = &l->sides[i];
        s->of_block = traces_get(l->traces, &s->block, TRACES_STEPS);
        s->of_whole = traces_get(l->traces, &s->whole, TRACES_COUNTS);
        if (s->of_block.result) s->shown = s->block;
        s->result = traces_get(l->traces, &s->shown, TRACES_STEPS).result;
        if (!s->result) s->shown.choice.filter = NULL;
    }
    follow(l, v, false);  // a step in another kernel begins where its lens now stands
    follow(l, v, go(l, v));
    for (int i = 0; i < APP_SIDES; i++) tell_side(l, v, i);
    tell_variants(l, v);
    // The block panel needs no more than a block of the active side's launch: the block says itself
    // which one it is.
    const struct lens_side *active = &l->sides[v->app.side];
    const struct traces_found *block = &active->of_block;
    v->lens.block = has_panel(v) && has_launch(active) ? active->result : NULL;
    text_copy_line(v->lens.no_block, sizeof v->lens.no_block,
                   block->why ? block->why : words_of(block->state));
    struct overlay_dock_hit hit = {.lane = -1};
    if (v->app.has_lens && v->input.pointer.is_inside)
        overlay_find_dock(v->screen.overlay, v->input.pointer.x + 0.5, v->input.pointer.y + 0.5,
                          &hit);
    v->screen.needs_words |= hit.lane != l->lane;
    l->lane = hit.lane;
    bool is_awaited = l->may_rest;  // a cursor that comes to rest waits for its block
    for (int i = 0; i < v->now.sides; i++) is_awaited |= is_pending(&l->sides[i].of_block);
    v->screen.pace.awaited_us = v->app.has_lens && is_awaited ? v->input.pointer.moved_us : 0;
}

// Keys of a script wait until the lens shows what they have changed.
static bool is_busy(const void *job)
{
    const struct lens_job *l = job;
    return l->traces && traces_are_busy(l->traces);
}

// ---- words ----

static void write_view(struct lens_job *l, struct viewer *v, int side)
{
    struct lens_side *s = &l->sides[side];
    struct lens_view *view = &s->view;
    const struct lens_result *r = v->lens.sides[side].result;
    const struct choice shown = viewer_choice(v, side);
    const struct overlay_side *words = &v->screen.content.sides[side];
    char name[sizeof view->title] = "";
    if (v->now.sides > 1) text_append(name, sizeof name, "%c · ", "AB"[side]);
    memset(view, 0, sizeof *view);
    // In a window of its own, nothing else says which kernel this is, and whether it is wrong.
    if (app_is_covered(&v->app)) {
        text_append(name, sizeof name, "%s · %s", shown.filter->title, shown.variant->name);
        view->is_wrong = words->badge == OVERLAY_BADGE_BAD;
        if (words->badge != OVERLAY_BADGE_GOOD && *words->badge_text)
            text_append(name, sizeof name, " · %s%s",
                        view->is_wrong                          ? "✗ "
                        : words->badge == OVERLAY_BADGE_PENDING ? "… "
                                                                : "",
                        words->badge_text);
        text_copy(view->hint, sizeof view->hint, v->screen.content.hint);
    } else {
        text_append(name, sizeof name, "Memory");
    }
    view->lane = v->app.side == side ? l->lane : -1;
    view->is_stale = v->lens.sides[side].is_stale;
    view->is_active = v->now.sides > 1 && v->app.side == side;
    if (r) lens_model_write(view, r, &s->cursor, name);
    if (r && !view->is_stale && !s->has_place)
        text_copy(view->caveat, sizeof view->caveat,
                  "the first block: which one writes the element under the cursor is not known");
    if (r && !view->is_stale)
        lens_model_write_caveat(view, viewer_facts(v, side)->device, s->block.choice.variant);
    if (!r) text_copy(view->title, sizeof view->title, name);
    if (s->of_block.why) {
        text_append(view->title, sizeof view->title, " · not traced");
        text_copy(view->message, sizeof view->message, s->of_block.why);
    } else if (view->is_stale) {
        text_append(view->title, sizeof view->title, " · %s", words_of(s->of_block.state));
    }
}

// Writes the whole launch's figures in place of the block's, or below the reason if only the block
// failed.
static void write_whole(const struct lens_job *l, const struct viewer *v, int side,
                        struct lens_view *view)
{
    const struct lens_result *whole = v->lens.sides[side].whole;
    const struct traces_found *found = &l->sides[side].of_whole;
    const char *why = found->why;
    if (found->state == TRACES_TRACING)
        text_append(view->title, sizeof view->title, " · whole launch: %d %%", found->percent);
    else if (v->app.runs_whole[side])
        text_append(view->title, sizeof view->title, " · whole launch: %s", words_of(found->state));
    if (why) {
        text_copy(view->totals, sizeof view->totals, "whole launch: ");
        text_append(view->totals, sizeof view->totals, "%.*s", (int)strcspn(why, "\n"), why);
        view->conflicts[0] = '\0';
    }
    if (!whole) return;
    lens_model_write_whole(view, whole);
    if (*view->message)
        text_append(view->message, sizeof view->message, "\n%s%s%s", view->totals,
                    *view->conflicts ? " · " : "", view->conflicts);
}

static void write_lens(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    struct overlay_content *c = &v->screen.content;
    memset(&c->marks, 0, sizeof c->marks);
    c->docks.is_lens_full = app_is_covered(&v->app);
    for (int i = 0; i < APP_SIDES; i++) {
        const struct viewer_lens_side *lens = &v->lens.sides[i];
        const bool is_shown = has_lens(v, i);
        c->docks.lens[i] = is_shown ? &l->sides[i].view : NULL;
        if (is_shown) write_view(l, v, i);
        if (is_shown) write_whole(l, v, i, &l->sides[i].view);
        if (is_shown && *lens->unshared)
            text_append(l->sides[i].view.title, sizeof l->sides[i].view.title, " · sectors: %s",
                        lens->unshared);
        const struct traces_found *found = &l->sides[i].of_block;
        const bool has_counts_first = c->sides[i].has_counts_first && i < v->now.sides;
        if (has_counts_first && found->result)  // where a GPU's time stands
            lens_model_write_headline(found->result, &c->sides[i], v->now.sides == 1);
        else if (has_counts_first)
            text_copy(c->sides[i].time, sizeof c->sides[i].time,
                      found->why ? "not counted" : "counting …");
        if (is_shown && lens->counts && !c->sides[i].has_counts_first) {  // next to its time
            char *detail = c->sides[i].detail, text[100] = "";
            lens_model_write_sums(lens->counts, text, sizeof text, true);
            if (*text)
                text_append(detail, sizeof c->sides[i].detail, "%s%s", *detail ? " · " : "", text);
        }
    }
    struct lens_side *side = &l->sides[v->app.side];
    struct lens_view *active = &side->view;
    if (!v->app.has_lens || !active->has_request || active->is_stale || app_is_covered(&v->app))
        return;
    viewer_mark_request(v, active, &side->cursor);
}

const struct job_type lens_job = {
    .size = sizeof(struct lens_job),
    .step = {[JOB_FOLLOWS] = follow_cursor, [JOB_SHOWS] = step, [JOB_WRITES] = write_lens},
    .is_busy = is_busy};
