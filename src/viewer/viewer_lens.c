// viewer_lens.c -- the job of the memory lens: asks for traces of the block under the cursor, and
// says what they show. lens/tracer.h traces beside the picture.
//
// A side's result is of a choice and a pixel. If either is another one now, the result is stale
// until the next one is there, and everything that is made from it says so. Where only the pixel is
// another one, this begins after a moment (lens_wish.h).
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "filter/launch.h"
#include "screen/lens_model.h"
#include "viewer/lens_blocks.h"
#include "viewer/lens_subject.h"
#include "viewer/lens_whole.h"
#include "viewer/viewer.h"

static const gint64 KEPT_US = 2 * G_USEC_PER_SEC;  // a device that nobody needs

struct lens_job {
    gint64 blocks_unused_us;  // since then nobody needs them; 0: somebody does
    gint64 whole_unused_us;   // likewise
    struct lens_subject subject;
    struct lens_blocks *blocks;
    struct lens_whole *whole;
    struct lens_wish now[APP_SIDES];  // what each side shows in this turn
    bool has_place[APP_SIDES];        // it is the block under the cursor
    struct lens_wait waits[APP_SIDES];
    struct lens_view views[APP_SIDES];
    struct lens_cursor shown[APP_SIDES];  // the request of the block that is there
    // What the bars show: of each variant of the active side's filter, planned for its wish.
    struct lens_wish planned;
    struct choice variants[FILTER_MAX_VARIANTS];
    int lane;  // under the cursor; -1: none
};

static void open_lens(void *job, const struct options *options)
{
    struct lens_job *l = job;
    char *include = options_include_folder(options);
    l->blocks = lens_blocks_create(include);
    l->whole = lens_whole_create(include);
    l->lane = -1;
    g_free(include);
}

static void finish(void *job)
{
    struct lens_job *l = job;
    lens_blocks_destroy(l->blocks);
    lens_whole_destroy(l->whole);
    lens_subject_finish(&l->subject);
}

// ---- what is wanted ----

static void follow_picture(struct lens_job *l, const struct viewer *v)
{
    if (!lens_subject_has_new_picture(&l->subject, v)) return;
    lens_blocks_drain(l->blocks);
    lens_whole_drain(l->whole);
    lens_subject_take_picture(&l->subject, v);
}

static void want(struct lens_job *l, int slot, const struct lens_wish *w)
{
    lens_blocks_want(l->blocks, slot, w, l->subject.picture.planes);
}

static void want_sides(struct lens_job *l, const struct viewer *v)
{
    for (int i = 0; i < v->now.sides; i++) {
        if (!v->app.has_lens && i != v->app.side) continue;  // the block panel is about one
        want(l, i, &l->now[i]);
    }
}

// The block of the bars: the present one where the variant can have it.
static void plan_variants(struct lens_job *l, const struct viewer *v)
{
    const struct lens_wish *w = &l->now[v->app.side];
    const struct caption_facts *now = viewer_facts(v, v->app.side);
    const struct filter *f = w->choice.filter;
    struct launch_plan plan;
    struct error ignored;
    if (lens_wish_is_same_launch(&l->planned, w)) return;
    l->planned = *w;
    for (int i = 0; i < f->variant_count; i++) {
        struct choice *c = &l->variants[i];
        *c = w->choice;
        c->variant = &f->variants[i];
        if (!launch_plan(&plan, c, now->picture, now->device, NULL, &ignored))
            *c = choice_of_variant(&w->choice, c->variant);
    }
}

static void forget_figures(struct viewer *v)
{
    memset(v->lens_figures, 0, sizeof v->lens_figures);
    memset(v->lens_counts, 0, sizeof v->lens_counts);
    memset(v->lens_has_failed, 0, sizeof v->lens_has_failed);
    v->lens_unit[0] = '\0';
}

static void show_figures(const struct lens_job *l, struct viewer *v, int variant,
                         const struct lens_wish *w)
{
    const int slot = LENS_BLOCKS_VARIANTS + variant;
    v->lens_has_failed[variant] = lens_blocks_failure(l->blocks, slot, w) != NULL;
    if (!lens_blocks_has(l->blocks, slot, w)) return;
    const struct lens_result *r = lens_blocks_result(l->blocks, slot);
    v->lens_counts[variant] = r->launch;
    if (!v->app.has_bars || !v->app.has_lens) return;
    lens_model_write_figure(r, v->lens_figures[variant], sizeof v->lens_figures[variant]);
    lens_model_write_unit(r, v->lens_unit, sizeof v->lens_unit);
}

// While bars or the roofline are open, all variants are traced, one after the other.
static void want_variants(struct lens_job *l, struct viewer *v)
{
    forget_figures(v);
    if (!(v->app.has_bars && v->app.has_lens) && !v->app.has_roof) return;
    plan_variants(l, v);
    for (int i = 0; i < l->planned.choice.filter->variant_count; i++) {
        struct lens_wish w = l->now[v->app.side];
        w.choice = l->variants[i];
        want(l, LENS_BLOCKS_VARIANTS + i, &w);
        show_figures(l, v, i, &w);
    }
}

// ---- whole launches ----

static void drop_whole(struct lens_job *l, struct viewer *v, int side)
{
    lens_whole_drop(l->whole, side);
    v->app.has_whole[side] = v->app.runs_whole[side] = false;
}

// A launch is of what the user chose, which a sheet, say, does not change.
static void follow_whole_of(struct lens_job *l, struct viewer *v, int side)
{
    struct lens_wish now = l->now[side];
    now.choice = app_chosen(&v->app, side);
    lens_whole_follow(l->whole, side, &v->app.has_whole[side], &now, l->subject.picture.planes);
    v->app.runs_whole[side] = lens_whole_is_pending(l->whole, side);
}

static void follow_whole(struct lens_job *l, struct viewer *v)
{
    v->needs_caption |= lens_whole_poll(l->whole);
    for (int i = 0; i < APP_SIDES; i++)
        if (i < v->now.sides)
            follow_whole_of(l, v, i);
        else
            drop_whole(l, v, i);
}

// NULL: a side does not have it, or shows something else than the user chose.
static const struct lens_result *whole_of(const struct lens_job *l, const struct viewer *v,
                                          int side)
{
    const struct choice shown = viewer_choice(v, side), chosen = app_chosen(&v->app, side);
    return choice_is_same(&shown, &chosen) ? lens_whole_result(l->whole, side) : NULL;
}

// ---- closing ----

static void hide_lens(struct lens_job *l, struct viewer *v)
{
    for (int i = 0; i < APP_SIDES; i++) {
        v->lens[i] = (struct viewer_lens){0};
        drop_whole(l, v, i);
    }
    forget_figures(v);
}

// Whether it has been unused for so long that nobody is likely to come back to it.
static bool is_over(gint64 *unused_us, bool is_used)
{
    const gint64 now = g_get_monotonic_time();
    if (is_used || !*unused_us) *unused_us = is_used ? 0 : now;
    return !is_used && now - *unused_us >= KEPT_US;
}

// Blocks that were traced stay for KEPT_US, for whoever opens the lens again.
static void close_unused(struct lens_job *l, struct viewer *v, bool needs_blocks)
{
    if (!v->app.has_lens) hide_lens(l, v);
    if (!needs_blocks) lens_blocks_stop(l->blocks);
    if (is_over(&l->whole_unused_us, v->app.has_lens)) lens_whole_close(l->whole);
    if (is_over(&l->blocks_unused_us, needs_blocks)) lens_blocks_close(l->blocks);
}

// ---- the cursor in the requests ----

// Steps that are asked for before the block is there wait for it.
static void go(struct lens_job *l, struct viewer *v)
{
    const int side = v->app.side;
    const struct lens_wish *w = &l->now[side];
    struct lens_cursor *cursor = &v->lens_cursors[side];
    const bool is_there = lens_blocks_has(l->blocks, side, w);
    const struct lens_result *r = lens_blocks_result(l->blocks, side);
    if (!is_there && !lens_blocks_failure(l->blocks, side, w)) return;
    for (int way = 0; way < LENS_WAYS; way++) {
        if (v->app.lens_steps[way] && is_there)
            lens_model_go(r, cursor, (enum lens_way)way, v->app.lens_steps[way]);
        v->app.lens_steps[way] = 0;
    }
    if (v->lens_line.line && is_there)
        lens_model_go_to_line(r, cursor, v->lens_line.file, v->lens_line.line);
    v->lens_line.line = 0;
}

static void find_lane(struct lens_job *l, struct viewer *v)
{
    const int lane = v->pointer.is_inside
                         ? overlay_lane_at(v->overlay, v->pointer.x + 0.5, v->pointer.y + 0.5)
                         : -1;
    v->needs_caption |= lane != l->lane;
    l->lane = lane;
}

static bool find_stale(struct lens_job *l, int side)
{
    const struct lens_wish *w = &l->now[side];
    const bool is_late = lens_wait_is_long(&l->waits[side], w, g_get_monotonic_time());
    if (lens_blocks_has(l->blocks, side, w)) return false;
    return is_late || !lens_blocks_has_launch(l->blocks, side, w) ||
           lens_blocks_failure(l->blocks, side, w);
}

// The block that is there may be of another launch. It has the user's request in its own way, but
// does not change it: it may be a tour's step's, whose launch is still traced.
static const struct lens_step *find_request(struct lens_job *l, struct viewer *v, int side)
{
    const struct lens_result *r = lens_blocks_result(l->blocks, side);
    l->shown[side] = v->lens_cursors[side];
    const struct lens_step *step = r ? lens_model_find(r, &l->shown[side]) : NULL;
    if (lens_blocks_has_launch(l->blocks, side, &l->now[side]))
        v->lens_cursors[side] = l->shown[side];
    return step;
}

static void tell(struct lens_job *l, struct viewer *v, int side)
{
    const struct lens_wish *w = &l->now[side];
    const struct lens_result *r = lens_blocks_result(l->blocks, side);
    const struct lens_step *step = find_request(l, v, side);
    const bool is_stale = find_stale(l, side);
    v->needs_caption |= is_stale != v->lens[side].is_stale;
    v->lens[side] = (struct viewer_lens){
        .result = r,
        .whole = whole_of(l, v, side),
        .now = step ? &r->passes[l->shown[side].pass].lines[step->line].chain : NULL,
        .has_text = lens_blocks_has_text(l->blocks, side, w),
        .is_stale = is_stale,
        .is_pending = is_stale && !lens_blocks_failure(l->blocks, side, w)};
}

// For the block panel, which needs no more than a block of the active side's launch: the block says
// itself which one it is.
static void tell_block(const struct lens_job *l, struct viewer *v)
{
    const int side = v->app.side;
    const struct lens_wish *w = &l->now[side];
    const struct lens_result *r = lens_blocks_result(l->blocks, side);
    const bool is_known = lens_blocks_has_launch(l->blocks, side, w);
    const char *why = lens_blocks_failure(l->blocks, side, w);
    v->block = is_known ? r : NULL;
    text_copy_line(v->no_block, sizeof v->no_block,
                   why ? why : lens_blocks_state_words(l->blocks, side));
}

// A cursor that comes to rest waits for its block.
static bool is_block_awaited(const struct lens_job *l, const struct viewer *v)
{
    if (l->subject.may_rest) return true;
    for (int i = 0; i < v->now.sides; i++)
        if (!lens_blocks_has(l->blocks, i, &l->now[i]) &&
            !lens_blocks_failure(l->blocks, i, &l->now[i]))
            return true;
    return false;
}

// Before the stage waits for its device, so that no time of a rest is lost.
static void follow_cursor(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    lens_subject_follow_cursor(&l->subject, v);
    if (v->app.has_lens && l->subject.may_rest) draw_pace_await(&v->pace, l->subject.moved_us);
}

static void step(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    v->block = NULL;
    lens_subject_place(&l->subject, display_shape(v->display), &v->rest_x, &v->rest_y);
    draw_pace_await(&v->pace, 0);
    // A lab's panel tells what the lens has found, and asks for nothing.
    const bool has_panel =
        v->app.has_grid && (v->app.has_lens || !viewer_choice(v, v->app.side).filter->is_lab);
    const bool needs_blocks = v->app.has_lens || has_panel || v->app.has_roof;
    close_unused(l, v, needs_blocks);
    if (!needs_blocks) return;
    follow_picture(l, v);
    lens_subject_follow_cursor(&l->subject, v);
    v->needs_caption |= lens_blocks_poll(l->blocks);
    for (int i = 0; i < APP_SIDES; i++)
        if (i < v->now.sides || i == v->app.side)
            l->now[i] = lens_subject_wish(&l->subject, v, i, &l->has_place[i]);
    want_sides(l, v);
    if (has_panel) tell_block(l, v);
    if (v->app.has_lens) follow_whole(l, v);
    want_variants(l, v);
    if (!v->app.has_lens) return;
    go(l, v);
    find_lane(l, v);
    for (int i = 0; i < APP_SIDES; i++)
        if (i < v->now.sides)
            tell(l, v, i);
        else
            v->lens[i] = (struct viewer_lens){0};
    if (is_block_awaited(l, v)) draw_pace_await(&v->pace, l->subject.moved_us);
}

// Keys of a script wait until the lens shows what they have changed.
static bool is_busy(const void *job)
{
    const struct lens_job *l = job;
    return lens_blocks_is_busy(l->blocks) || lens_whole_is_busy(l->whole);
}

// ---- words ----

static void write_caveat(struct lens_view *view, const struct viewer *v, int side,
                         const struct variant *variant, bool has_place)
{
    const struct device *device = viewer_facts(v, side)->device;
    if (!has_place)
        text_copy(view->caveat, sizeof view->caveat,
                  "the first block: which one writes the element under the cursor is not known");
    lens_model_write_caveat(view, device, variant);
}

static void write_view(struct lens_job *l, struct viewer *v, int side)
{
    static const char *const letters[] = {"A", "B"};
    struct lens_view *view = &l->views[side];
    const struct lens_wish *w = &l->now[side];
    const struct lens_result *r = lens_blocks_result(l->blocks, side);
    const char *letter = v->now.sides > 1 ? letters[side] : "";
    const char *why = lens_blocks_failure(l->blocks, side, w);
    memset(view, 0, sizeof *view);
    view->lane = v->app.side == side ? l->lane : -1;
    view->is_stale = v->lens[side].is_stale;
    view->is_active = v->now.sides > 1 && v->app.side == side;
    if (r) lens_model_write(view, r, &l->shown[side], letter);
    if (r && !view->is_stale) write_caveat(view, v, side, w->choice.variant, l->has_place[side]);
    if (!r) g_snprintf(view->title, sizeof view->title, "%s%sMemory", letter, *letter ? " · " : "");
    if (why) {
        text_append(view->title, sizeof view->title, " · not traced");
        text_copy(view->message, sizeof view->message, why);
    } else if (view->is_stale) {
        text_append(view->title, sizeof view->title, " · %s",
                    lens_blocks_state_words(l->blocks, side));
    }
}

// The launch in place of the block. Where only the block failed, it stands below the reason.
static void write_whole(const struct lens_job *l, const struct viewer *v, int side,
                        struct lens_view *view)
{
    const struct lens_result *whole = v->lens[side].whole;
    const char *why = lens_whole_failure(l->whole, side);
    lens_whole_append_state(l->whole, side, view->title, sizeof view->title);
    if (*why) {
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

// Beside the time that it explains.
static void write_detail(struct viewer *v, int side)
{
    struct overlay_side *words = &v->content.sides[side];
    char text[100] = "";
    if (!v->lens[side].result || v->lens[side].is_stale) return;
    lens_model_write_short(v->lens[side].result, text, sizeof text);
    if (*text)
        text_append(words->detail, sizeof words->detail, "%s%s", *words->detail ? " · " : "", text);
}

static void write_lens(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    memset(&v->content.marks, 0, sizeof v->content.marks);
    for (int i = 0; i < APP_SIDES; i++) {
        const bool is_shown = v->app.has_lens && i < v->now.sides;
        v->content.docks.lens[i] = is_shown ? &l->views[i] : NULL;
        if (is_shown) write_view(l, v, i);
        if (is_shown) write_whole(l, v, i, &l->views[i]);
        if (is_shown) write_detail(v, i);
        if (i < v->now.sides) viewer_write_bound(v, i);
    }
    struct lens_view *active = &l->views[v->app.side];
    if (!v->app.has_lens || !active->has_request || active->is_stale) return;
    viewer_mark_request(v, v->app.side, &active->request, &l->shown[v->app.side]);
    if (!v->content.marks.count)
        text_append(active->request_words, sizeof active->request_words, " · not in the picture");
}

const struct job_type lens_job = {
    .size = sizeof(struct lens_job),
    .open = open_lens,
    .step = {[JOB_FOLLOWS] = follow_cursor, [JOB_SHOWS] = step, [JOB_WRITES] = write_lens},
    .is_busy = is_busy,
    .finish = finish};
