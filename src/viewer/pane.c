// This file is long because one set of flags says what a frame may do: begin, end, be blamed.
#include "viewer/pane.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "base/watchdog.h"
#include "measure/figures.h"
#include "measure/live_timer.h"
#include "viewer/caption.h"

static const double LATE_MS = 1000;  // a first frame that takes longer is told of, and one of which
                                     // no block ends for longer is blamed
static const double LEFT_MS = 2000;  // what is late is waited for, after it was left
enum { MOST_TRIES = 4 };             // until a window that shows another picture is told of

struct pane {
    const struct pane_host *host;
    int layer;
    struct live_timer *timer;  // NULL: no device
    struct interop *interop;
    struct image seen;  // what the window held after the last first frame of a choice
    int tries;          // frames in a row that it did not hold

    struct choice choice;
    int array, shown_array;  // of a lab; -1: the first one that it writes
    bool is_beside_lab;      // what the choice was last held against,
    bool has_common_scale;   // and painted with
    struct array_scale scale;
    bool has_choice, is_frozen;
    bool has_frame, is_frame_stale;  // stale: begun for a choice that was left
    bool is_compiling;               // the choice waits for its module
    bool is_measuring;               // other choices, while this one is refused
    bool is_waiting_for_shape;
    bool is_current;  // what is shown was made with the choice
    unsigned version;
    unsigned shown_again;  // frames that the window did not take over
    struct trouble trouble;

    gint64 begin_us;            // of the frame in hand, or of what is measured
    gint64 left_us;             // when it became stale
    bool has_ended;             // some of its blocks have
    unsigned long long blocks;  // of the device, when one had ended last,
    double ended_ms;            // and the device's own time then
    double running_s;           // the frame's, told of while its blocks end; 0: it is not
    double host_us;             // CPU: to map, launch once and unmap
    gint64 last_picture_us;
    struct stats frame_ms, host_ms;
};

// ---- life ----

struct pane *pane_create(const struct pane_host *host, int layer)
{
    struct pane *p = g_new0(struct pane, 1);
    p->host = host;
    p->layer = layer;
    p->array = p->shown_array = -1;
    return p;
}

void pane_destroy(struct pane *p)
{
    if (!p) return;
    pane_close(p);
    image_finish(&p->seen);
    g_free(p);
}

bool pane_open(struct pane *p, struct error *err)
{
    const struct pane_host *h = p->host;
    p->timer = live_timer_create(h->backend, h->builder, h->results);
    live_timer_set_references(p->timer, &h->references);
    if (!h->picture.pixels) return true;
    if (live_timer_set_picture(p->timer, h->picture, err) && pane_take_buffer(p, err)) return true;
    pane_close(p);
    return false;
}

void pane_close(struct pane *p)
{
    if (p->timer) pane_end_frame(p);
    live_timer_destroy(p->timer);
    interop_destroy(p->interop);
    p->timer = NULL;
    p->interop = NULL;
    p->has_frame = p->is_measuring = p->is_current = false;
}

static void show_anew(struct pane *p)
{
    p->tries = 0;
    if (p->timer) live_timer_show_anew(p->timer);
}

void pane_forget_picture(struct pane *p)
{
    p->is_current = p->has_choice = false;
    show_anew(p);
}

bool pane_set_picture(struct pane *p, struct error *err)
{
    if (!p->timer) return error_set(err, "there is no device");
    if (!live_timer_set_picture(p->timer, p->host->picture, err)) return false;
    pane_forget_picture(p);
    return true;
}

void pane_release_buffer(struct pane *p)
{
    interop_destroy(p->interop);
    p->interop = NULL;
    p->is_current = false;
    show_anew(p);
}

bool pane_take_buffer(struct pane *p, struct error *err)
{
    const struct pane_host *h = p->host;
    if (!p->timer) return error_set(err, "there is no device");
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

// Where an endless kernel cannot be stopped, only the watchdog ends the wait.
static void wait_for_queue(struct pane *p)
{
    if (!can_cancel(p)) watchdog_begin(p->host->endless);
    backend_wait(p->host->backend, NULL);
    watchdog_end(p->host->endless);
}

void pane_end_frame(struct pane *p)
{
    if (!p->has_frame && !p->is_measuring) return;
    live_timer_cancel(p->timer);
    wait_for_queue(p);
    live_timer_poll(p->timer, NULL);
    if (p->has_frame) interop_return(p->interop, false, NULL);
    p->has_frame = p->is_measuring = false;
    forget_late(p);
}

void pane_adopt(struct pane *p)
{
    if (p->timer) live_timer_adopt(p->timer, p->host->builder);
    p->has_choice = p->is_current = false;
    show_anew(p);
}

// ---- choice and trouble ----

void pane_blame(struct pane *p, enum trouble_kind kind, const char *text)
{
    set_trouble(p, kind, text);
    p->is_current = false;
}

static bool is_painted_alike(const struct pane *p)
{
    const struct array_scale *scale = p->host->scale;
    if (p->array != p->shown_array || p->has_common_scale != (scale != NULL)) return false;
    return !scale || (p->scale.low == scale->low && p->scale.high == scale->high);
}

// What runs is no longer wanted.
static void leave(struct pane *p)
{
    if (!p->is_frame_stale) p->left_us = g_get_monotonic_time();
    p->is_frame_stale = true;
}

// Nothing that was measured is of what comes.
static void forget_times(struct pane *p)
{
    stats_reset(&p->frame_ms);
    stats_reset(&p->host_ms);
    p->last_picture_us = 0;
}

void pane_choose(struct pane *p, const struct choice *choice, bool is_frozen)
{
    const bool is_same = p->has_choice && choice_is_same(&p->choice, choice);
    p->is_frozen = is_frozen;
    if (!is_same) forget_times(p);
    if (is_same && is_painted_alike(p) && p->is_beside_lab == p->host->is_lab) return;
    p->shown_array = p->array;
    p->has_common_scale = p->host->scale != NULL;
    if (p->has_common_scale) p->scale = *p->host->scale;
    p->is_beside_lab = p->host->is_lab;
    p->choice = *choice;
    p->has_choice = true;
    p->is_current = p->is_waiting_for_shape = false;
    set_trouble(p, TROUBLE_NONE, "");
    show_anew(p);
    if (!p->has_frame && !p->is_measuring) return;
    leave(p);
    live_timer_cancel(p->timer);
}

void pane_make_way(struct pane *p)
{
    if ((!p->has_frame && !p->is_measuring) || can_cancel(p)) return;
    forget_late(p);  // who waits now is told something else
    leave(p);
}

// ---- frames ----

// Neither a choice that was left nor one that was measured beside it is the present one's fault.
static enum pane_turn stop(const struct pane *p)
{
    struct choice unused;
    bool is_beside;
    live_timer_find_culprit(p->timer, &unused, &is_beside);
    return p->is_frame_stale || is_beside ? PANE_LOST : PANE_FAULTED;
}

bool pane_find_running(const struct pane *p, struct choice *running)
{
    if (!p->has_frame && !p->is_measuring) return false;
    *running = live_timer_running(p->timer);
    return running->variant != NULL;
}

bool pane_find_culprit(const struct pane *p, struct choice *culprit)
{
    bool unused;
    return p->timer && live_timer_find_culprit(p->timer, culprit, &unused);
}

// A frame could not be begun: the device is lost, or only this launch is refused.
static enum pane_turn refuse_frame(struct pane *p, const struct error *err)
{
    pane_end_frame(p);
    if (backend_poll(p->host->backend, NULL) == BACKEND_FAILED) return PANE_FAULTED;
    set_trouble(p, TROUBLE_REFUSED, err->text);
    p->is_current = false;
    return PANE_RESTS;
}

static bool can_begin(struct pane *p, struct error *err)
{
    const struct module *before = pane_module(p);
    const enum live_timer_state state = live_timer_choose(p->timer, &p->choice, err);
    p->is_compiling = state == LIVE_TIMER_COMPILING;
    if (pane_module(p) != before) forget_times(p);
    switch (state) {
    case LIVE_TIMER_COMPILING:
        return false;
    case LIVE_TIMER_BROKEN:
        set_trouble(p, TROUBLE_BROKEN, err->text);
        return false;
    case LIVE_TIMER_REFUSED:
        set_trouble(p, TROUBLE_REFUSED, err->text);
        return false;
    case LIVE_TIMER_READY:
        return true;
    }
    return false;
}

// The first pane's frames decide the shape of both. A lab's array goes into any grey one.
static enum pane_turn fit_shape(struct pane *p)
{
    const struct filter *f = p->choice.filter;
    if (f->is_lab)
        live_timer_show(p->timer, arrays_shown(f, p->array),
                        p->has_common_scale ? &p->scale : NULL);
    const struct planes shape = p->host->shape;
    const bool is_same = planes_is_same_shape(live_timer_shape(p->timer), shape);
    if (p->layer == 0) return is_same ? PANE_BUSY : PANE_RESHAPES;
    p->is_waiting_for_shape = false;
    if (f->is_lab != p->host->is_lab)
        set_trouble(p, TROUBLE_REFUSED, "A picture and an array cannot be compared.");
    else if (is_same || (f->is_lab && shape.count == 1))
        return PANE_BUSY;
    else
        p->is_waiting_for_shape = true;
    return PANE_RESTS;
}

static void begin_watch(struct pane *p)
{
    const struct backend_work work = backend_work(p->host->backend);
    p->begin_us = g_get_monotonic_time();
    p->blocks = work.blocks;
    p->ended_ms = work.own_ms;
    p->has_ended = false;
    p->running_s = 0;
}

static enum pane_turn begin_frame(struct pane *p, struct error *err)
{
    struct planes target;
    if (backend_poll(p->host->backend, err) == BACKEND_FAILED) return PANE_LOST;
    if (!can_begin(p, err)) return PANE_RESTS;
    const enum pane_turn fits = fit_shape(p);
    if (fits != PANE_BUSY) return fits;
    const gint64 start = g_get_monotonic_time();
    if (!interop_lend(p->interop, live_timer_is_unseen(p->timer), &target, err))
        return PANE_FAULTED;
    p->host_us = (double)(g_get_monotonic_time() - start);
    p->has_frame = true;
    p->is_frame_stale = false;
    begin_watch(p);
    if (!live_timer_begin(p->timer, target, err)) return refuse_frame(p, err);
    p->host_us += 1000 * live_timer_launch_ms(p->timer);
    return PANE_BUSY;
}

static void count_frame(struct pane *p)
{
    const gint64 now = g_get_monotonic_time();
    if (p->last_picture_us) stats_add(&p->frame_ms, (double)(now - p->last_picture_us) / 1000);
    p->last_picture_us = now;
    stats_add(&p->host_ms, p->host_us / 1000);
}

// OpenGL may leave an upload out, and show the picture before.
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

// The window still shows another picture.
static enum pane_turn show_again(struct pane *p, bool was_empty)
{
    if (was_empty) display_hide(p->host->display, p->layer);
    p->is_current = false;
    p->shown_again++;
    live_timer_show_anew(p->timer);
    if (++p->tries < MOST_TRIES) return PANE_RESTS;
    p->tries = 0;
    set_trouble(p, TROUBLE_REFUSED,
                "The window does not show what the kernel has made.\nAnother path (i) may do so.");
    return PANE_RESTS;
}

static enum pane_turn present_frame(struct pane *p, struct error *err)
{
    struct planes made;
    const bool is_good = !p->is_frame_stale;
    const bool was_empty = !display_has_picture(p->host->display, p->layer);
    const bool is_new = live_timer_was_first(p->timer, &made);
    const gint64 start = g_get_monotonic_time();
    p->has_frame = false;
    forget_late(p);
    if (!interop_return(p->interop, is_good, err)) return stop(p);
    p->host_us += (double)(g_get_monotonic_time() - start);
    if (!is_good) {
        show_anew(p);
        return PANE_RESTS;
    }
    display_show(p->host->display, p->layer);
    if (is_new && !is_in_window(p, made)) return show_again(p, was_empty);
    p->version += is_new;
    p->tries = 0;
    p->is_current = true;
    set_trouble(p, TROUBLE_NONE, "");
    count_frame(p);
    return PANE_PRESENTED;
}

// Short frames are waited for, so that they are drawn in the same turn; long ones are not. Polling
// without a pause takes a processor from the kernels that run on it.
static enum backend_state wait_for_frame(struct pane *p, double limit_ms, struct error *err)
{
    const gint64 start = g_get_monotonic_time();
    enum backend_state state = live_timer_poll(p->timer, err);
    while (state == BACKEND_BUSY && (double)(g_get_monotonic_time() - start) < limit_ms * 1000) {
        if (g_get_monotonic_time() - start > 50) g_usleep(100);
        state = live_timer_poll(p->timer, err);
    }
    return state;
}

static bool wants_frame(const struct pane *p)
{
    if (!p->interop || !p->has_choice) return false;
    switch (p->trouble.kind) {
    case TROUBLE_NONE:
    case TROUBLE_BROKEN:  // a reload may have mended it
        return !p->is_frozen || !p->is_current || live_timer_check(p->timer) == LIVE_TIMER_DUE;
    case TROUBLE_REFUSED:
    case TROUBLE_LATE:
    case TROUBLE_FAULTED:
        break;
    }
    return false;
}

static double ms_since(gint64 us)
{
    return (double)(g_get_monotonic_time() - us) / 1000;
}

static const char *way_out(const struct pane *p)
{
    if (can_cancel(p)) return "It may never: mend the kernel, or choose another variant.";
    return p->is_frame_stale ? "A GPU cannot stop it: the program starts again in a moment."
                             : "A GPU cannot stop it: save a mended kernel, or choose another "
                               "variant, and the program starts again.";
}

// A kernel of which no block has ended for long may be caught in an endless loop. One that is known
// to take long is not. What was left, and what runs beside a shown picture, is soon ended, unless
// the device cannot do that.
static bool is_late(const struct pane *p, const struct choice *running, double silent_ms)
{
    return silent_ms >= (p->is_current ? 4 * LATE_MS : LATE_MS) &&
           ms_since(p->begin_us) >= 4 * results_predict(p->host->results, running);
}

// Blames a late frame, and tells of one whose blocks still end.
static void watch_frame(struct pane *p)
{
    char text[256];
    const struct choice running = live_timer_running(p->timer);
    const struct backend_work work = backend_work(p->host->backend);
    const double ms = ms_since(p->begin_us);
    if (work.blocks != p->blocks) {
        p->has_ended = true;
        p->blocks = work.blocks;
        p->ended_ms = work.own_ms;
    }
    p->running_s = 0;
    if ((p->is_frame_stale || p->is_current) && can_cancel(p)) return;
    if (is_late(p, &running, work.own_ms - p->ended_ms)) {
        g_snprintf(text, sizeof text, "%s %s has not come back for %.0f s\n%s",
                   running.filter->name, running.variant->name, ms / 1000, way_out(p));
        set_trouble(p, TROUBLE_LATE, text);
        return;
    }
    forget_late(p);
    if (p->has_ended && ms >= LATE_MS) p->running_s = ms / 1000;
}

// What was left and cannot be stopped keeps the chosen one from the device. The window waits for it
// once more, under the watchdog.
static enum pane_turn keep_waiting(struct pane *p)
{
    watch_frame(p);
    const bool is_in_the_way = p->is_frame_stale && p->trouble.kind == TROUBLE_LATE;
    if (!is_in_the_way || ms_since(p->left_us) < LEFT_MS) return PANE_BUSY;
    pane_end_frame(p);
    return PANE_RESTS;
}

// Panels wait for other choices than the refused one, which has no frame to measure them beside.
static enum pane_turn measure(struct pane *p, double limit_ms, struct error *err)
{
    if (!p->is_measuring) {
        p->is_frame_stale = false;
        begin_watch(p);
        p->is_measuring = live_timer_measure(p->timer);
    }
    if (!p->is_measuring) return PANE_RESTS;
    const enum backend_state state = wait_for_frame(p, limit_ms, err);
    p->is_measuring = state == BACKEND_BUSY;
    if (p->is_measuring) return p->is_frame_stale ? keep_waiting(p) : PANE_BUSY;
    forget_late(p);
    return state == BACKEND_FAILED ? stop(p) : PANE_RESTS;
}

enum pane_turn pane_step(struct pane *p, double limit_ms, struct error *err)
{
    if (p->timer && !p->has_frame && !p->is_measuring) live_timer_poll(p->timer, NULL);
    if (p->is_measuring || (p->interop && p->trouble.kind == TROUBLE_REFUSED && !p->is_frozen))
        return measure(p, limit_ms, err);
    if (!p->has_frame) {
        const enum pane_turn turn = wants_frame(p) ? begin_frame(p, err) : PANE_RESTS;
        if (turn != PANE_BUSY) return turn;
    }
    switch (wait_for_frame(p, limit_ms, err)) {
    case BACKEND_BUSY:
        return keep_waiting(p);
    case BACKEND_IDLE:
        return present_frame(p, err);
    case BACKEND_FAILED:
        break;
    }
    p->has_frame = false;
    forget_late(p);
    return stop(p);
}

// ---- what there is to say ----

const struct module *pane_module(const struct pane *p)
{
    return p->timer ? live_timer_module(p->timer) : NULL;
}

struct planes pane_shape(const struct pane *p)
{
    return live_timer_shape(p->timer);
}

double pane_bytes(const struct pane *p)
{
    return figures_bytes(&p->choice, p->host->picture);
}

void pane_show_array(struct pane *p, int array)
{
    p->array = array;
}

int pane_array(const struct pane *p)
{
    return p->array;
}

void pane_look(struct pane *p, long long element)
{
    if (p->timer) live_timer_look(p->timer, element);
}

unsigned pane_version(const struct pane *p)
{
    return p->is_current ? p->version : 0;
}

const struct trouble *pane_trouble(const struct pane *p)
{
    return &p->trouble;
}

void pane_change_path(struct pane *p)
{
    p->is_current = false;
    if (p->trouble.kind == TROUBLE_REFUSED) set_trouble(p, TROUBLE_NONE, "");
    p->tries = 0;
    if (p->timer) live_timer_restart(p->timer);
    forget_times(p);
}

// A frozen picture's time is settled as far as it will ever be.
bool pane_is_settled(const struct pane *p)
{
    if (p->trouble.kind || !p->interop) return true;
    if (!p->is_current || live_timer_check(p->timer) < LIVE_TIMER_UNCHECKED) return false;
    return (p->is_frozen && !p->has_frame) || live_timer_report(p->timer).is_settled;
}

bool pane_waits_for_shape(const struct pane *p)
{
    return p->is_waiting_for_shape;
}

// As it is recorded, but right only when what is shown is.
static void write_check(const struct pane *p, struct caption_facts *facts)
{
    const struct choice choice = p->is_current ? live_timer_shown(p->timer) : p->choice;
    const struct result known = results_get(p->host->results, &choice);
    const bool is_checked = p->is_current && live_timer_check(p->timer) == LIVE_TIMER_CHECKED;
    const bool is_right = known.check == CHECK_EXACT || known.check == CHECK_NEAR;
    facts->check = is_right && !is_checked ? CHECK_UNKNOWN : known.check;
    facts->difference = known.difference;
    g_strlcpy(facts->unchecked, known.unchecked, sizeof facts->unchecked);
}

void pane_facts(const struct pane *p, struct caption_facts *facts)
{
    facts->device = p->host->device;
    facts->picture = planes_at(p->host->shape, NULL);
    facts->array = p->array;
    facts->has_common_scale = p->has_common_scale;
    facts->scale = p->scale;
    facts->path = p->host->path;
    if (p->timer) facts->report = live_timer_report(p->timer);
    facts->is_current = p->is_current;
    facts->shown_again = p->shown_again;
    facts->is_compiling = p->is_compiling;
    facts->running_s = p->has_frame && !p->is_frame_stale ? p->running_s : 0;
    facts->is_refused = !p->is_current && p->trouble.kind;
    facts->is_empty = !display_has_picture(p->host->display, p->layer);
    facts->frame_ms = stats_summarize(&p->frame_ms);
    facts->host_ms = stats_summarize(&p->host_ms);
    if (p->choice.filter) write_check(p, facts);
}
