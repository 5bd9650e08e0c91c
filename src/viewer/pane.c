#include "viewer/pane.h"

#include <string.h>

#include "base/text.h"
#include "base/watchdog.h"
#include "frame/recording.h"

static const double LATE_MS = 1000;  // the user is told of a first frame that takes longer, and it
                                     // is blamed if no block of it ends for longer
static const double LEFT_MS = 2000;  // a late frame that was left is waited for
enum { MOST_TRIES = 4 };             // until the user is told that the window shows another picture

// ---- life ----

void pane_init(struct pane *p, const struct pane_host *host, int layer)
{
    *p = (struct pane){.host = host, .layer = layer, .array = -1, .shown_array = -1, .element = -1};
}

void pane_finish(struct pane *p)
{
    pane_close(p);
    image_finish(&p->seen);
    g_clear_pointer(&p->printed, g_free);
}

bool pane_open(struct pane *p, struct error *err)
{
    const struct pane_host *h = p->host;
    p->engine = engine_create(h->backend, h->builder, h->results, &h->references);
    if (!h->picture.pixels) return true;
    if (engine_set_picture(p->engine, h->picture, err) && pane_take_buffer(p, err)) return true;
    pane_close(p);
    return false;
}

static void take_prints(struct pane *p)
{
    if (!p->engine->printed) return;
    g_free(p->printed);
    p->printed = g_steal_pointer(&p->engine->printed);
    p->prints++;
}

void pane_close(struct pane *p)
{
    if (p->engine) pane_end_frame(p);
    if (p->engine) take_prints(p);
    engine_destroy(p->engine);
    interop_destroy(p->interop);
    p->engine = NULL;
    p->interop = NULL;
    p->shown = 0;
}

void pane_forget_picture(struct pane *p)
{
    p->shown = 0;
    p->choice.filter = NULL;
}

bool pane_set_picture(struct pane *p, struct error *err)
{
    if (!p->engine) return error_set(err, "there is no device");
    if (!engine_set_picture(p->engine, p->host->picture, err)) return false;
    pane_forget_picture(p);
    return true;
}

void pane_release_buffer(struct pane *p)
{
    interop_destroy(p->interop);
    p->interop = NULL;
    p->shown = 0;
}

bool pane_take_buffer(struct pane *p, struct error *err)
{
    const struct pane_host *h = p->host;
    if (!p->engine) return error_set(err, "there is no device");
    struct interop *made = interop_create(h->backend, h->path, display_buffer(h->display, p->layer),
                                          planes_at(h->shape, NULL), h->watchdog, err);
    if (!made) return false;
    interop_destroy(p->interop);
    p->interop = made;
    return true;
}

static void set_trouble(struct pane *p, enum trouble_kind kind, const char *text)
{
    p->trouble.kind = kind;
    text_copy(p->trouble.text, sizeof p->trouble.text, text);
}

static void forget_late(struct pane *p)
{
    if (p->trouble.kind == TROUBLE_LATE) set_trouble(p, TROUBLE_NONE, "");
}

static bool can_cancel(const struct pane *p)
{
    return backend_can_cancel(p->host->backend);
}

static bool is_busy(const struct pane *p)
{
    return p->engine && engine_is_busy(p->engine);
}

static bool was_left(const struct pane *p)
{
    return p->engine->state == ENGINE_LEFT;
}

void pane_end_frame(struct pane *p)
{
    if (!is_busy(p)) return;
    engine_leave(p->engine);
    // If an endless kernel cannot be stopped, only the watchdog ends the wait.
    if (!can_cancel(p)) watchdog_begin(p->host->endless);
    backend_wait(p->host->backend, NULL);
    watchdog_end(p->host->endless);
    engine_poll(p->engine, NULL);
    if (p->lent.pixels) interop_return(p->interop, false, NULL);
    p->lent.pixels = NULL;
    forget_late(p);
}

void pane_adopt(struct pane *p)
{
    if (p->engine) engine_adopt(p->engine, p->host->builder);
    pane_forget_picture(p);
}

// ---- choice and trouble ----

void pane_blame(struct pane *p, enum trouble_kind kind, const char *text)
{
    set_trouble(p, kind, text);
    p->shown = 0;
}

// Leaves the running frame, which is no longer wanted.
static void leave(struct pane *p)
{
    if (!is_busy(p)) return;
    if (!was_left(p)) p->left_us = g_get_monotonic_time();
    engine_leave(p->engine);
}

// Forgets the times: what comes now is something else.
static void forget_times(struct pane *p)
{
    p->frame_ms.seen = 0;
    p->host_ms.seen = 0;
    p->last_picture_us = 0;
}

void pane_choose(struct pane *p, const struct choice *choice, bool is_frozen)
{
    const struct pane_host *h = p->host;
    const char *refusal = p->layer > 0 ? h->refusal : NULL;
    const struct array_scale scale = h->scale ? *h->scale : (struct array_scale){1, 0};
    const bool is_same = choice_is_same(&p->choice, choice);
    p->is_frozen = is_frozen;
    if (!is_same) forget_times(p);
    if (!is_same) g_clear_pointer(&p->printed, g_free);
    if (is_same && p->array == p->shown_array && p->scale.low == scale.low &&
        p->scale.high == scale.high && p->refusal == refusal)
        return;
    p->choice = *choice;
    p->shown_array = p->array;
    p->scale = scale;
    p->refusal = refusal;
    p->shown = 0;
    set_trouble(p, refusal ? TROUBLE_REFUSED : TROUBLE_NONE, refusal ? refusal : "");
    p->tries = 0;
    leave(p);
}

void pane_make_way(struct pane *p)
{
    if (!is_busy(p) || can_cancel(p)) return;
    forget_late(p);  // another message says what is waited for
    leave(p);
}

// ---- frames ----

// The device stopped. This is not the present choice's fault if it ran a choice that was left, or a
// point.
static enum pane_turn stop(const struct pane *p, bool is_left)
{
    struct choice unused;
    bool is_point;
    engine_find_culprit(p->engine, &unused, &is_point);
    return is_left || is_point ? PANE_LOST : PANE_FAULTED;
}

// The first pane's frames decide the shape of both. A lab's array goes into any grey one.
static bool fits(const struct pane *p)
{
    const struct planes shape = p->host->shape;
    const struct array *shown = &p->choice.filter->arrays[arrays_shown(&p->choice, p->array)];
    return planes_is_same_shape(frame_picture(&p->engine->shown), shape) ||
           (p->layer > 0 && shown->extent == ARRAY_EXPRESSED && shape.count == 1);
}

static void begin_watch(struct pane *p)
{
    p->begin_us = g_get_monotonic_time();
    p->begun_work = p->ended_work = backend_work(p->host->backend);
    p->running_s = 0;
}

static enum pane_turn begin_frame(struct pane *p, struct error *err)
{
    if (backend_poll(p->host->backend, err) == BACKEND_FAILED) return PANE_LOST;
    const struct module *before = p->engine->shown.module;
    const enum engine_choice chosen = engine_choose(p->engine, &p->choice, err);
    if (p->engine->shown.module != before) forget_times(p);
    if (chosen == ENGINE_BROKEN) set_trouble(p, TROUBLE_BROKEN, err->text);
    if (chosen == ENGINE_REFUSED) set_trouble(p, TROUBLE_REFUSED, err->text);
    if (chosen != ENGINE_READY) return PANE_RESTS;
    engine_show(p->engine, arrays_shown(&p->choice, p->array), p->host->scale);
    if (!fits(p)) return p->layer ? PANE_RESTS : PANE_RESHAPES;
    if (!p->shown) p->engine->check = ENGINE_UNSEEN;
    if (engine_may_rest(p->engine)) {
        p->last_picture_us = g_get_monotonic_time();  // a rest is no part of a frame's time
        return PANE_RESTS;
    }
    const bool is_new = p->engine->check <= ENGINE_FIRST;
    const gint64 start = g_get_monotonic_time();
    if (!interop_lend(p->interop, is_new, &p->lent, err)) return PANE_FAULTED;
    p->host_us = (double)(g_get_monotonic_time() - start);
    p->begun = p->version + is_new;
    begin_watch(p);
    if (engine_begin(p->engine, p->lent, err)) {
        p->host_us += 1000 * p->engine->report.launch_ms;
        return PANE_BUSY;
    }
    pane_end_frame(p);
    if (backend_poll(p->host->backend, NULL) == BACKEND_FAILED) return PANE_FAULTED;
    pane_blame(p, TROUBLE_REFUSED, err->text);  // only this launch
    return PANE_RESTS;
}

// True if the window holds this picture. OpenGL may leave an upload out, and show the picture
// before.
static bool is_in_window(struct pane *p, struct planes made)
{
    if (!made.pixels) return true;  // it is left unchecked
    if (!image_fit(&p->seen, made, NULL)) return false;
    display_read(p->host->display, p->layer, p->seen.planes);
    for (int plane = 0; plane < made.count; plane++)
        for (int y = 0; y < made.height; y++)
            if (memcmp(planes_row(made, plane, y), planes_row(p->seen.planes, plane, y),
                       (size_t)made.width) != 0)
                return false;
    return true;
}

static enum pane_turn present_frame(struct pane *p, bool is_left, struct error *err)
{
    struct display *display = p->host->display;
    const bool was_empty = !display_has_picture(display, p->layer);
    const gint64 start = g_get_monotonic_time();
    p->lent.pixels = NULL;
    if (!interop_return(p->interop, !is_left, err)) return stop(p, is_left);
    const gint64 now = g_get_monotonic_time();
    p->host_us += (double)(now - start);
    if (is_left) return PANE_RESTS;
    display_show(display, p->layer);
    if (p->begun != p->version && !is_in_window(p, p->engine->kept.planes)) {
        if (was_empty) display_hide(display, p->layer);
        p->shown = 0;
        p->shown_again++;
        if (++p->tries < MOST_TRIES) return PANE_RESTS;
        p->tries = 0;
        set_trouble(p, TROUBLE_REFUSED,
                    "The window does not show what the kernel has made.\n"
                    "Another path (i) may do so.");
        return PANE_RESTS;
    }
    p->shown = p->version = p->begun;
    p->tries = 0;
    set_trouble(p, TROUBLE_NONE, "");
    if (p->last_picture_us) stats_add(&p->frame_ms, (double)(now - p->last_picture_us) / 1000);
    p->last_picture_us = now;
    stats_add(&p->host_ms, p->host_us / 1000);
    return PANE_PRESENTED;
}

static double ms_since(gint64 us)
{
    return (double)(g_get_monotonic_time() - us) / 1000;
}

// Blames a frame of which no block has ended for long: it may be caught in an endless loop, unless
// it is known to take long. Notes how long a frame runs whose blocks still end. A frame that was
// left, or a point behind a shown picture, needs no watch if the device can cancel it.
static void watch_frame(struct pane *p)
{
    char text[256];
    const struct choice running = engine_running(p->engine);
    const struct backend_work work = backend_work(p->host->backend);
    const double ms = ms_since(p->begin_us);
    if (work.blocks != p->ended_work.blocks) p->ended_work = work;
    p->running_s = 0;
    if ((was_left(p) || p->shown) && can_cancel(p)) return;
    if (work.own_ms - p->ended_work.own_ms >= (p->shown ? 4 * LATE_MS : LATE_MS) &&
        ms_since(p->begin_us) >= 4 * results_predict(p->host->results, &running)) {
        g_snprintf(text, sizeof text, "%s %s has not come back for %.0f s\n%s",
                   running.filter->name, running.variant->name, ms / 1000,
                   can_cancel(p) ? "It may never: mend the kernel, or choose another variant."
                   : was_left(p) ? "A GPU cannot stop it: the program starts again in a moment."
                                 : "A GPU cannot stop it: save a mended kernel, or choose another "
                                   "variant, and the program starts again.");
        set_trouble(p, TROUBLE_LATE, text);
        return;
    }
    forget_late(p);
    if (p->ended_work.blocks != p->begun_work.blocks && ms >= LATE_MS) p->running_s = ms / 1000;
}

// Begins a frame, or for a refused choice a round of points alone, for which panels wait.
static enum pane_turn begin(struct pane *p, struct error *err)
{
    engine_poll(p->engine, NULL);  // a check may have ended
    if (!p->interop) return PANE_RESTS;
    if (p->trouble.kind == TROUBLE_REFUSED && !p->is_frozen) {
        begin_watch(p);
        return engine_measure(p->engine) ? PANE_BUSY : PANE_RESTS;
    }
    // A reload may have mended what is broken.
    const bool can_run = p->trouble.kind == TROUBLE_NONE || p->trouble.kind == TROUBLE_BROKEN;
    const bool is_due = !p->is_frozen || !p->shown || p->engine->check == ENGINE_DUE;
    return p->choice.filter && can_run && is_due ? begin_frame(p, err) : PANE_RESTS;
}

enum pane_turn pane_step(struct pane *p, double limit_ms, struct error *err)
{
    if (!p->engine) return PANE_RESTS;
    p->engine->wanted_element = p->element;
    if (!is_busy(p)) {
        const enum pane_turn turn = begin(p, err);
        if (turn != PANE_BUSY) return turn;
    }
    const bool is_left = was_left(p);
    const gint64 start = g_get_monotonic_time();
    enum backend_state queue = engine_poll(p->engine, err);
    // Short frames are waited for, so that they are drawn in the same turn; long ones are not.
    // Polling without a pause takes a processor from the kernels that run on it.
    while (queue == BACKEND_BUSY && ms_since(start) < limit_ms) {
        if (g_get_monotonic_time() - start > 50) g_usleep(100);
        queue = engine_poll(p->engine, err);
    }
    take_prints(p);
    if (queue == BACKEND_BUSY) {
        if (!p->lent.pixels && !was_left(p)) return PANE_BUSY;
        watch_frame(p);
        // A frame that was left and cannot be stopped keeps the device from the chosen one. The
        // window waits for it once more, under the watchdog.
        const bool is_in_the_way = was_left(p) && p->trouble.kind == TROUBLE_LATE;
        if (!is_in_the_way || ms_since(p->left_us) < LEFT_MS) return PANE_BUSY;
        pane_end_frame(p);
        return PANE_RESTS;
    }
    forget_late(p);
    if (queue == BACKEND_IDLE) return p->lent.pixels ? present_frame(p, is_left, err) : PANE_RESTS;
    p->lent.pixels = NULL;
    return stop(p, is_left);
}

// ---- what there is to say ----

void pane_change_path(struct pane *p)
{
    p->shown = 0;
    if (p->trouble.kind == TROUBLE_REFUSED) set_trouble(p, TROUBLE_NONE, "");
    p->tries = 0;
    if (p->engine) engine_restart(p->engine);
    forget_times(p);
}

// A frozen picture's time is settled as far as it will ever be.
bool pane_is_settled(const struct pane *p)
{
    if (p->trouble.kind || !p->interop) return true;
    if (!p->shown || p->engine->check < ENGINE_UNCHECKED) return false;
    return (p->is_frozen && !is_busy(p)) || engine_is_settled(p->engine);
}

bool pane_waits_for_shape(const struct pane *p)
{
    if (!p->layer || !p->engine || p->trouble.kind || !p->engine->shown.module) return false;
    const struct choice known = engine_shown(p->engine);
    return choice_is_same(&known, &p->choice) && !fits(p);
}

// Puts a recording's time in the place of the one that was measured here.
static void take_recorded(const struct pane *p, const struct choice *choice,
                          struct pane_facts *facts)
{
    const struct results *s = p->host->results;
    const struct recording *recording = results_recording(s);
    const struct result recorded = results_get(s, choice);
    struct pane_times *timed = &facts->timed;
    timed->is_recorded = true;
    timed->local_ms = facts->known.ms;
    timed->about = recording->about;
    text_copy(timed->missing, sizeof timed->missing, recorded.reason);
    facts->has_gpu_times = recorded.state == RESULT_DONE;
    if (recorded.state != RESULT_DONE) return;
    timed->device = &recording->device;
    timed->picture = recording->picture;
    timed->choice = results_timed(s, choice);
    // A library that is not here had its time there.
    const bool holds = p->shown || (facts->is_refused && choice->variant->library.function);
    facts->known.ms = holds ? recorded.ms : (struct stats_summary){0};
    facts->known.is_settled = holds;
}

void pane_facts(const struct pane *p, struct pane_facts *facts)
{
    facts->device = p->host->device;
    facts->picture = planes_at(p->host->shape, NULL);
    facts->has_common_scale = p->host->scale != NULL;
    if (p->host->scale) facts->scale = *p->host->scale;
    facts->path = p->host->path;
    facts->report = p->shown ? p->engine->report
                             : (struct engine_report){.occupancy.limiter = "", .element_index = -1};
    if (p->shown && p->engine->check == ENGINE_CHECKING)
        facts->check_done = checker_progress(p->engine->checker);
    facts->is_current = p->shown > 0;
    facts->loaded = p->shown && !facts->report.is_generic && p->engine->shown.module
                        ? backend_loaded_code(p->engine->shown.module)
                        : NULL;
    facts->shown_again = p->shown_again;
    facts->is_compiling = p->engine && p->engine->state == ENGINE_COMPILES;
    facts->running_s = p->lent.pixels && !was_left(p) ? p->running_s : 0;
    facts->is_refused = !p->shown && p->trouble.kind;
    facts->is_empty = !display_has_picture(p->host->display, p->layer);
    facts->frame_ms = stats_summarize(&p->frame_ms, STATS_WINDOW);
    facts->host_ms = stats_summarize(&p->host_ms, STATS_WINDOW);
    const struct results *s = p->host->results;
    facts->timed = (struct pane_times){.device = facts->device, .picture = facts->picture};
    facts->has_gpu_times = device_has_gpu_times(facts->device);
    if (!p->choice.filter) return;
    // A result counts as right only if the shown frame was checked. Only a shown choice has times.
    const struct choice choice = p->shown ? engine_shown(p->engine) : p->choice;
    struct result known = results_measured(s, &choice);
    facts->timed.choice = choice;
    const bool is_right = known.check == CHECK_EXACT || known.check == CHECK_NEAR;
    if (is_right && !(p->shown && p->engine->check == ENGINE_CHECKED)) known.check = CHECK_UNKNOWN;
    if (!p->shown) known.ms = (struct stats_summary){0};
    known.is_settled = p->shown && engine_is_settled(p->engine);
    facts->known = known;
    if (results_recording(s)) take_recorded(p, &choice, facts);
    // A local time is not compared with recorded ones.
    const bool is_lacking = facts->timed.is_recorded && !facts->has_gpu_times;
    facts->copy_ms = is_lacking ? 0 : results_copy_ms(s, &choice);
    facts->naive_ms = facts->known.ms.count && !is_lacking ? results_naive_ms(s, &choice) : 0;
}

struct pane_array pane_shown_array(const struct pane_facts *facts)
{
    struct pane_array a = {.array = &facts->choice.filter->arrays[facts->array]};
    struct arrays_layout layout;
    if (!arrays_plan(&layout, &facts->choice, facts->picture, NULL)) return a;
    a.place = layout.places[facts->array];
    a.picture = array_picture(a.array, &a.place, &a.columns, &a.step);
    return a;
}
