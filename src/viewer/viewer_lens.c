// viewer_lens.c -- the job of the memory lens: asks for traces of the block under the cursor, and
// says what they show. lens/tracer.h traces beside the picture.
//
// A side's result is of a choice and a pixel. If either is another one now, the result is stale
// until the next one is there, and everything that is made from it says so.
//
// This file is long because asking, stepping and telling share one state: what each side wants,
// what was found for it, and where its cursor stands.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "filter/lab_block.h"
#include "filter/launch.h"
#include "frame/lab.h"
#include "lens/report.h"
#include "lens/tracer.h"
#include "screen/lens_model.h"
#include "viewer/lens_whole.h"
#include "viewer/viewer.h"

static const gint64 REST_US = 40000;  // a cursor that stays so long rests

// What a trace is of.
struct wish {
    struct choice choice;
    unsigned filters_version, picture_version;
    int x, y;
    int multiprocessors;  // of the GPU that shows the choice; 0: the CPU does
};

struct side {
    struct lens_result *result;  // owned; NULL: none yet
    struct wish made, failed;    // of the result; of what failed last: no filter, nothing did
    char why[512];               // it failed
    struct lens_cursor cursor;
    struct lens_view view;
};

// A variant as the bars show it.
struct variant_figures {
    struct wish made, failed;
    char text[24];
    struct bound_counts counts;
};

// What is asked for: a side's number, or that of a variant behind them.
enum { SLOT_VARIANTS = APP_SIDES, SLOTS = SLOT_VARIANTS + FILTER_MAX_VARIANTS };

struct lens_job {
    char *include;
    struct tracer *tracer;  // NULL: the lens was never opened
    struct lens_whole *whole;
    struct side sides[APP_SIDES];
    struct wish now[APP_SIDES];  // what each side shows in this turn
    bool has_place[APP_SIDES];   // it is the block under the cursor
    struct wish asked;
    int asked_slot;                                        // -1: nothing runs
    struct variant_figures variants[FILTER_MAX_VARIANTS];  // of the active side's filter
    unsigned asked_number;
    struct tracer_progress progress;
    enum tracer_state state;
    // A copy of the stage's picture, so that it stays while it is traced.
    struct image picture;
    const unsigned char *copied_from;
    int copied_index;
    unsigned picture_version;
    bool is_new_picture;
    // Where the cursor rested last, in the picture; none: in the middle.
    int seen_x, seen_y, x, y;
    bool has_rested;
    gint64 moved_us;
    int lane;  // under the cursor; -1: none
};

static void open_lens(void *job, const struct options *options)
{
    struct lens_job *l = job;
    l->include = options_include_folder(options);
    l->whole = lens_whole_create(l->include);
    l->asked_slot = l->lane = -1;
}

static void finish(void *job)
{
    struct lens_job *l = job;
    tracer_destroy(l->tracer);
    lens_whole_destroy(l->whole);
    for (int i = 0; i < APP_SIDES; i++) result_free(l->sides[i].result);
    image_finish(&l->picture);
    g_free(l->include);
}

// ---- what is wanted ----

static void follow_picture(struct lens_job *l, const struct viewer *v)
{
    const struct planes now = stage_picture(v->stage);
    struct image copy = {0};
    struct error ignored;
    if (now.pixels == l->copied_from && v->picture == l->copied_index) return;
    if (!image_init(&copy, now.width, now.height, now.count, &ignored)) return;
    image_copy(copy.planes, now);
    if (l->tracer) tracer_drain(l->tracer);
    lens_whole_drain(l->whole);
    l->asked_slot = -1;
    image_finish(&l->picture);
    l->picture = copy;
    l->copied_from = now.pixels;
    l->copied_index = v->picture;
    l->picture_version++;
    l->is_new_picture = true;
    l->has_rested = false;
}

// The pixel under the cursor, once it rests over the picture.
static void follow_cursor(struct lens_job *l, const struct viewer *v)
{
    const struct pointer *p = &v->pointer;
    const gint64 now = g_get_monotonic_time();
    int x, y;
    if (p->x != l->seen_x || p->y != l->seen_y) l->moved_us = now;
    l->seen_x = p->x;
    l->seen_y = p->y;
    if (!p->is_inside || p->is_away || p->is_down || now - l->moved_us < REST_US) return;
    if (!viewport_pixel_at(v->app.viewport, viewer_sizes(v), p->x + 0.5, p->y + 0.5, &x, &y))
        return;
    l->x = x;
    l->y = y;
    l->has_rested = true;
}

// The thread of a lab that writes the element shown at a pixel. Where that is not known it is the
// first one.
static bool find_lab_place(const struct viewer *v, int side, int *x, int *y)
{
    const struct caption_facts *now = viewer_facts(v, side);
    const struct filter *lab = now->choice.filter;
    const struct block_info_facts facts = {
        .choice = now->choice, .device = now->device, .picture = now->picture, .x = *x, .y = *y};
    struct lab_block_view view = {.array = arrays_shown(lab, now->array)};
    struct arrays_layout layout;
    struct lab_block b;
    struct error ignored;
    *x = *y = 0;
    if (!arrays_plan(&layout, lab, &now->choice.settings.params, &ignored)) return false;
    lab_picture(&lab->arrays[view.array], &layout.places[view.array], &view.columns, &view.step);
    if (!lab_block_find(&b, &facts, view, &ignored) || !b.has_block) return false;
    *x = (int)b.block_column * b.config.block_width + b.thread_x;
    *y = (int)b.block_row * b.config.block_height + b.thread_y;
    return true;
}

static struct wish wish_of(struct lens_job *l, const struct viewer *v, int side)
{
    const struct planes shape = display_shape(v->display);
    struct wish w = {.choice = viewer_choice(v, side),
                     .filters_version = v->filters_version,
                     .picture_version = l->picture_version,
                     .x = l->has_rested ? l->x : shape.width / 2,
                     .y = l->has_rested ? l->y : shape.height / 2};
    const struct device *device = viewer_facts(v, side)->device;
    if (device && device->is_gpu) w.multiprocessors = device->multiprocessors;
    l->has_place[side] = !w.choice.filter->is_lab || find_lab_place(v, side, &w.x, &w.y);
    return w;
}

static bool is_same(const struct wish *a, const struct wish *b)
{
    return a->choice.filter && choice_is_same(&a->choice, &b->choice) &&
           a->filters_version == b->filters_version && a->picture_version == b->picture_version &&
           a->x == b->x && a->y == b->y;
}

// ---- asking ----

static void ask(struct lens_job *l, int side, const struct wish *w)
{
    const struct tracing_request request = {.choice = w->choice,
                                            .picture = l->picture.planes,
                                            .is_new_picture = l->is_new_picture,
                                            .x = w->x,
                                            .y = w->y,
                                            .multiprocessors = w->multiprocessors};
    if (!l->tracer) l->tracer = tracer_create(l->include);
    l->asked_number = tracer_ask(l->tracer, &request);
    l->is_new_picture = false;
    l->asked = *w;
    l->asked_slot = side;
}

static void keep_figures(struct lens_job *l, const struct lens_result *result)
{
    struct variant_figures *f = &l->variants[l->asked_slot - SLOT_VARIANTS];
    lens_model_write_figure(result, f->text, sizeof f->text);
    f->counts = result->launch;
    f->made = l->asked;
}

static void keep_result(struct lens_job *l, struct lens_result *result)
{
    if (result->number == l->asked_number && l->asked_slot < SLOT_VARIANTS) {
        struct side *s = &l->sides[l->asked_slot];
        result_free(s->result);
        s->result = g_steal_pointer(&result);
        s->made = l->asked;
        s->failed.choice.filter = NULL;
        l->asked_slot = -1;
    } else if (result->number == l->asked_number) {
        keep_figures(l, result);
        l->asked_slot = -1;
    }
    result_free(result);
}

static void keep_failure(struct lens_job *l)
{
    if (l->asked_slot < SLOT_VARIANTS) {
        struct side *s = &l->sides[l->asked_slot];
        text_copy(s->why, sizeof s->why, l->progress.why.text);
        s->failed = l->asked;
    } else {
        l->variants[l->asked_slot - SLOT_VARIANTS].failed = l->asked;
    }
    l->asked_slot = -1;
}

// True: there is something new to say.
static bool poll(struct lens_job *l)
{
    const enum tracer_state before = l->state;
    if (!l->tracer || l->asked_slot < 0) return false;
    l->state = tracer_poll(l->tracer, &l->progress);
    if (l->state == TRACER_FAILED) {
        keep_failure(l);
        return true;
    }
    struct lens_result *result = l->state == TRACER_DONE ? tracer_take(l->tracer) : NULL;
    const bool is_new = result || l->state != before;
    if (result) keep_result(l, result);
    return is_new;
}

// One slot at a time; its newer wish takes the place of its older one. A side's takes that of a
// variant.
static void ask_for(struct lens_job *l, int slot, const struct wish *made,
                    const struct wish *failed, const struct wish *w)
{
    const bool is_asked = l->asked_slot == slot && is_same(&l->asked, w);
    const bool is_free =
        l->asked_slot < 0 || l->asked_slot == slot || l->asked_slot >= SLOT_VARIANTS;
    if (!is_same(made, w) && !is_same(failed, w) && !is_asked && is_free) ask(l, slot, w);
}

static void ask_for_sides(struct lens_job *l, const struct viewer *v)
{
    for (int i = 0; i < v->now.sides; i++) {
        if (!v->app.has_lens && i != v->app.side) continue;  // the block panel is about one
        ask_for(l, i, &l->sides[i].made, &l->sides[i].failed, &l->now[i]);
    }
}

// The block of the bars: the present one where the variant can have it.
static struct wish wish_of_variant(const struct lens_job *l, const struct viewer *v, int variant)
{
    struct wish w = l->now[v->app.side];
    const struct caption_facts *now = viewer_facts(v, v->app.side);
    const struct choice shown = w.choice;
    struct launch_plan plan;
    struct error ignored;
    w.choice.variant = &shown.filter->variants[variant];
    if (!launch_plan(&plan, &w.choice, now->picture, now->device, NULL, &ignored))
        w.choice = choice_of_variant(&shown, w.choice.variant);
    return w;
}

static void forget_figures(struct viewer *v)
{
    memset(v->lens_figures, 0, sizeof v->lens_figures);
    memset(v->lens_counts, 0, sizeof v->lens_counts);
    v->lens_unit[0] = '\0';
}

// While bars or the roofline are open, all variants are traced, one after the other.
static void ask_for_variants(struct lens_job *l, struct viewer *v)
{
    const struct filter *f = viewer_choice(v, v->app.side).filter;
    const bool has_bars = v->app.has_bars && v->app.has_lens;
    forget_figures(v);
    if (!has_bars && !v->app.has_roof) return;
    for (int i = 0; i < f->variant_count; i++) {
        const struct wish w = wish_of_variant(l, v, i);
        const struct variant_figures *known = &l->variants[i];
        if (l->asked_slot < 0) ask_for(l, SLOT_VARIANTS + i, &known->made, &known->failed, &w);
        if (!is_same(&known->made, &w)) continue;
        v->lens_counts[i] = known->counts;
        if (has_bars) g_strlcpy(v->lens_figures[i], known->text, sizeof v->lens_figures[i]);
    }
    const struct side *s = &l->sides[v->app.side];
    if (s->result && has_bars) lens_model_write_unit(s->result, v->lens_unit, sizeof v->lens_unit);
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
    const struct wish *w = &l->now[side];
    const struct lens_whole_wish now = {.choice = app_chosen(&v->app, side),
                                        .filters_version = w->filters_version,
                                        .picture_version = w->picture_version,
                                        .picture = l->picture.planes,
                                        .multiprocessors = w->multiprocessors};
    lens_whole_follow(l->whole, side, &v->app.has_whole[side], &now);
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

static void close_lens(struct lens_job *l, struct viewer *v)
{
    if (l->tracer && l->asked_slot >= 0) tracer_cancel(l->tracer);
    l->asked_slot = -1;
    hide_lens(l, v);
}

// ---- the cursor in the requests ----

// Steps that are asked for before the block is there wait for it.
static void go(struct lens_job *l, struct viewer *v)
{
    struct side *s = &l->sides[v->app.side];
    const struct wish *w = &l->now[v->app.side];
    const bool is_there = s->result && is_same(&s->made, w);
    if (!is_there && !is_same(&s->failed, w)) return;
    for (int way = 0; way < APP_LENS_WAYS; way++) {
        if (v->app.lens_steps[way] && is_there)
            lens_model_go(s->result, &s->cursor, (enum lens_way)way, v->app.lens_steps[way]);
        v->app.lens_steps[way] = 0;
    }
    if (v->lens_line.line && is_there)
        lens_model_go_to_line(s->result, &s->cursor, v->lens_line.file, v->lens_line.line);
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

static void tell(struct lens_job *l, struct viewer *v, int side)
{
    struct side *s = &l->sides[side];
    const struct wish *w = &l->now[side];
    const bool is_stale = !is_same(&s->made, w);
    const struct lens_step *step = s->result ? lens_model_find(s->result, &s->cursor) : NULL;
    v->lens[side] = (struct viewer_lens){
        .result = s->result,
        .whole = whole_of(l, v, side),
        .now = step ? &s->result->passes[s->cursor.pass].lines[step->line].chain : NULL,
        .is_stale = is_stale,
        .is_pending = is_stale && !is_same(&s->failed, w)};
}

static const char *state_words(const struct lens_job *l, int side)
{
    return l->asked_slot != side         ? "waiting …"
           : l->state == TRACER_BUILDING ? "compiling …"
                                         : "tracing …";
}

// The same choice, whatever pixel it was of: the block says itself which one it is.
static bool is_of_choice(const struct wish *made, struct wish now)
{
    now.x = made->x;
    now.y = made->y;
    return is_same(made, &now);
}

// For the block panel, which needs no more than the active side's block.
static void tell_block(const struct lens_job *l, struct viewer *v)
{
    const struct side *s = &l->sides[v->app.side];
    const struct wish *w = &l->now[v->app.side];
    const bool is_known = s->result && s->result->has_touched && is_of_choice(&s->made, *w);
    v->block = is_known ? s->result : NULL;
    text_copy_line(v->no_block, sizeof v->no_block,
                   is_same(&s->failed, w) ? s->why : state_words(l, v->app.side));
}

static void step(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    v->block = NULL;
    const bool has_panel = v->app.has_grid && !viewer_choice(v, v->app.side).filter->is_lab;
    if (!v->app.has_lens && !has_panel && !v->app.has_roof) {
        close_lens(l, v);
        return;
    }
    follow_picture(l, v);
    follow_cursor(l, v);
    v->needs_caption |= poll(l);
    for (int i = 0; i < APP_SIDES; i++)
        if (i < v->now.sides || i == v->app.side) l->now[i] = wish_of(l, v, i);
    ask_for_sides(l, v);
    if (has_panel) tell_block(l, v);
    if (!v->app.has_lens) {
        hide_lens(l, v);
        ask_for_variants(l, v);
        return;
    }
    follow_whole(l, v);
    ask_for_variants(l, v);
    go(l, v);
    find_lane(l, v);
    for (int i = 0; i < APP_SIDES; i++)
        if (i < v->now.sides)
            tell(l, v, i);
        else
            v->lens[i] = (struct viewer_lens){0};
}

// Keys of a script wait until the lens shows what they have changed.
static bool is_busy(const void *job)
{
    const struct lens_job *l = job;
    return l->asked_slot >= 0 || lens_whole_is_busy(l->whole);
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
    struct side *s = &l->sides[side];
    struct lens_view *view = &s->view;
    const struct wish w = l->now[side];
    const char *letter = v->now.sides > 1 ? letters[side] : "";
    memset(view, 0, sizeof *view);
    view->lane = v->app.side == side ? l->lane : -1;
    view->is_stale = v->lens[side].is_stale;
    view->is_active = v->now.sides > 1 && v->app.side == side;
    if (s->result) lens_model_write(view, s->result, &s->cursor, letter);
    if (s->result && !view->is_stale)
        write_caveat(view, v, side, w.choice.variant, l->has_place[side]);
    if (!s->result)
        g_snprintf(view->title, sizeof view->title, "%s%sMemory", letter, *letter ? " · " : "");
    if (is_same(&s->failed, &w)) {
        text_append(view->title, sizeof view->title, " · not traced");
        text_copy(view->message, sizeof view->message, s->why);
    } else if (view->is_stale) {
        text_append(view->title, sizeof view->title, " · %s", state_words(l, side));
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
    const struct choice choice = viewer_choice(v, side);
    lens_model_write_whole(view, whole, report_count_pixels(&choice, l->picture.planes));
    if (*view->message)
        text_append(view->message, sizeof view->message, "\n%s%s%s", view->totals,
                    *view->conflicts ? " · " : "", view->conflicts);
}

// Beside the time that it explains.
static void write_detail(const struct lens_job *l, struct viewer *v, int side)
{
    struct overlay_side *words = &v->content.sides[side];
    char text[100] = "";
    if (!v->lens[side].result || v->lens[side].is_stale) return;
    lens_model_write_short(l->sides[side].result, text, sizeof text);
    if (*text)
        text_append(words->detail, sizeof words->detail, "%s%s", *words->detail ? " · " : "", text);
}

static void write_lens(void *job, struct viewer *v)
{
    struct lens_job *l = job;
    memset(&v->content.marks, 0, sizeof v->content.marks);
    for (int i = 0; i < APP_SIDES; i++) {
        const bool is_shown = v->app.has_lens && i < v->now.sides;
        v->content.docks.lens[i] = is_shown ? &l->sides[i].view : NULL;
        if (is_shown) write_view(l, v, i);
        if (is_shown) write_whole(l, v, i, &l->sides[i].view);
        if (is_shown) write_detail(l, v, i);
        if (i < v->now.sides) viewer_write_bound(v, i);
    }
    struct side *active = &l->sides[v->app.side];
    if (!v->app.has_lens || !active->view.has_request || active->view.is_stale) return;
    viewer_mark_request(v, v->app.side, &active->view.request, &active->cursor);
    if (!v->content.marks.count)
        text_append(active->view.request_words, sizeof active->view.request_words,
                    " · not in the picture");
}

const struct job_type lens_job = {.size = sizeof(struct lens_job),
                                  .open = open_lens,
                                  .step = {[JOB_SHOWS] = step, [JOB_WRITES] = write_lens},
                                  .is_busy = is_busy,
                                  .finish = finish};
