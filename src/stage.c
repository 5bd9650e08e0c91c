#include "stage.h"

#include <glib.h>
#include <string.h>

#include "builder.h"
#include "checker.h"
#include "choose.h"
#include "interop.h"
#include "runner.h"

struct stage {
    struct stage_options options;
    char *include_folder, *device_word, *path_word;
    struct chosen chosen;
    struct builder *builder, *next_builder;
    const struct filter *next_filter;
    struct runner *runner;
    struct interop *interop;
    struct checker *checker;
    struct image picture;

    struct stage_wish wish;
    bool has_wish, is_in_flight, is_flight_stale;
    bool is_current, is_checked, is_faulted;
    struct stage_trouble trouble;

    double host_us;  // CPU: to map, launch once and unmap
    gint64 last_picture_us;
    struct stats frame_ms, host_ms;
};

// ---- device ----

static bool open_device(struct stage *s, struct error *err)
{
    if (!choose_device(&s->chosen, s->device_word, s->path_word, err)) return false;
    backend_set_include(s->chosen.backend, s->include_folder);
    s->builder = builder_create(s->chosen.backend);
    s->runner = runner_create(s->chosen.backend, s->builder);
    return true;
}

static void close_device(struct stage *s)
{
    runner_destroy(s->runner);
    builder_destroy(s->next_builder);
    builder_destroy(s->builder);
    interop_destroy(s->interop);
    backend_close(s->chosen.backend);
    s->runner = NULL;
    s->builder = s->next_builder = NULL;
    s->interop = NULL;
    s->chosen.backend = NULL;
}

struct stage *stage_open(const struct stage_options *options, struct error *err)
{
    struct stage *s = g_new0(struct stage, 1);
    s->options = *options;
    s->include_folder = g_strdup(options->include_folder);
    s->device_word = g_strdup(options->device);
    s->path_word = g_strdup(options->path);
    s->checker = checker_create();
    if (open_device(s, err)) return s;
    stage_close(s);
    return NULL;
}

void stage_close(struct stage *s)
{
    if (!s) return;
    close_device(s);
    checker_destroy(s->checker);
    image_finish(&s->picture);
    g_free(s->include_folder);
    g_free(s->device_word);
    g_free(s->path_word);
    g_free(s);
}

static bool has_trouble(const struct stage *s)
{
    return s->trouble.text[0] != '\0';
}

static void set_trouble(struct stage *s, enum overlay_tone tone, const char *text)
{
    s->trouble.tone = tone;
    g_strlcpy(s->trouble.text, text, sizeof s->trouble.text);
}

static bool lend_buffer(struct stage *s, enum interop_path path, struct error *err)
{
    struct interop *made =
        interop_create(s->chosen.backend, path, display_buffer(s->options.display),
                       view_at(s->picture.view, NULL), err);
    if (!made) return false;
    interop_destroy(s->interop);
    s->interop = made;
    s->chosen.path = path;
    return true;
}

// Along the chosen path; where a picture's buffer cannot be mapped after all, staged.
static bool lend_any(struct stage *s, struct error *err)
{
    if (lend_buffer(s, s->chosen.path, err)) return true;
    if (s->chosen.path != INTEROP_MAPPED) return false;
    g_strlcpy(s->chosen.reasons, err->text, sizeof s->chosen.reasons);
    s->chosen.has_interop = false;
    return lend_buffer(s, INTEROP_STAGED, err);
}

// Ends the frame in hand whatever it is: afterwards the queue is idle and GL has its buffer back.
static void land(struct stage *s)
{
    if (!s->is_in_flight) return;
    runner_cancel(s->runner);
    backend_wait(s->chosen.backend, NULL);
    runner_poll(s->runner, NULL);
    interop_return(s->interop, false, NULL);
    s->is_in_flight = false;
}

// The device of the command line again, else the CPU; with its runner, and the picture if there is
// one.
static bool reopen(struct stage *s, struct error *err)
{
    if (!open_device(s, err)) {
        g_free(s->device_word);
        g_free(s->path_word);
        s->device_word = g_strdup("cpu");
        s->path_word = NULL;
        if (!open_device(s, err)) return false;
    }
    return !s->picture.view.pixels ||
           (runner_set_picture(s->runner, s->picture.view, err) &&
            display_renew_buffer(s->options.display, err) && lend_any(s, err));
}

// After a device fault: a fresh context of the same device where the driver gives one, else the
// CPU. The wish that faulted is not run again until it changes.
static void recover(struct stage *s, const char *what)
{
    struct error err = {""};
    char text[4096], before[16];
    g_strlcpy(before, backend_device(s->chosen.backend)->id, sizeof before);
    s->is_in_flight = false;
    close_device(s);
    if (reopen(s, &err)) {
        const char *now = backend_device(s->chosen.backend)->id;
        g_snprintf(text, sizeof text, "%s stopped: %s\n%s %s; change something to go on.", before,
                   what, now, strcmp(now, before) ? "goes on in its place" : "was started afresh");
        set_trouble(s, OVERLAY_REFUSED, text);
    } else {
        set_trouble(s, OVERLAY_REFUSED, err.text);
    }
    s->is_faulted = true;
    s->is_current = false;
}

// ---- picture and path ----

static bool adopt_shape(struct stage *s, struct view shape, struct error *err)
{
    interop_destroy(s->interop);  // before its buffer goes
    s->interop = NULL;
    return display_set_shape(s->options.display, shape, err);
}

bool stage_set_picture(struct stage *s, struct image *image, struct error *err)
{
    land(s);
    checker_drain(s->checker);
    if (!runner_set_picture(s->runner, image->view, err)) return false;
    struct image old = s->picture;
    const bool is_shown = adopt_shape(s, view_at(image->view, NULL), err);
    if (is_shown) s->picture = *image;
    struct error ignored = {""};
    const bool is_lent = (is_shown || old.view.pixels) && lend_any(s, is_shown ? err : &ignored);
    if (!is_shown) {
        if (old.view.pixels) runner_set_picture(s->runner, old.view, NULL);
        return false;
    }
    *image = (struct image){0};
    image_finish(&old);
    s->is_current = s->is_checked = s->is_faulted = false;
    s->has_wish = false;
    stats_reset(&s->frame_ms);
    return is_lent;
}

bool stage_set_staged(struct stage *s, bool is_staged, struct error *err)
{
    const enum interop_path path = is_staged               ? INTEROP_STAGED
                                   : s->chosen.has_interop ? INTEROP_MAPPED
                                                           : INTEROP_CPU;
    if (path == s->chosen.path) return true;
    if (!is_staged && backend_device(s->chosen.backend)->is_gpu && !s->chosen.has_interop)
        return error_set(err, "interop does not work here: %s", s->chosen.reasons);
    land(s);
    stats_reset(&s->frame_ms);
    stats_reset(&s->host_ms);
    return lend_buffer(s, path, err);
}

// ---- frames ----

static bool is_same_wish(const struct stage_wish *a, const struct stage_wish *b)
{
    return a->filter == b->filter && a->variant == b->variant &&
           launch_is_same(&a->settings, &b->settings);
}

static void take_wish(struct stage *s, const struct stage_wish *wish)
{
    const bool is_same = s->has_wish && is_same_wish(&s->wish, wish);
    s->wish = *wish;
    s->has_wish = true;
    if (is_same) return;
    s->is_current = s->is_checked = s->is_faulted = false;
    s->trouble.text[0] = '\0';
    checker_forget(s->checker);
    if (!s->is_in_flight) return;
    s->is_flight_stale = true;
    runner_cancel(s->runner);
}

static double now_us(void)
{
    return (double)g_get_monotonic_time();
}

// True when a frame is under way afterwards.
static bool take_off(struct stage *s)
{
    struct error err = {""};
    struct view target;
    const enum runner_state state =
        runner_choose(s->runner, s->wish.filter, s->wish.variant, &s->wish.settings, &err);
    if (state == RUNNER_REFUSED)
        set_trouble(s, strchr(err.text, '\n') ? OVERLAY_BROKEN : OVERLAY_REFUSED, err.text);
    if (state != RUNNER_READY) return false;
    const double start = now_us();
    if (!interop_lend(s->interop, &target, &err)) {
        recover(s, err.text);
        return false;
    }
    s->host_us = now_us() - start;
    s->is_in_flight = true;
    s->is_flight_stale = false;
    if (!runner_begin(s->runner, target, &err)) {
        land(s);
        if (backend_poll(s->chosen.backend, NULL) == BACKEND_FAILED)
            recover(s, err.text);
        else
            set_trouble(s, OVERLAY_REFUSED, err.text);
        s->is_faulted = true;
        return false;
    }
    s->host_us += 1000 * runner_launch_ms(s->runner);
    return true;
}

static void check(struct stage *s)
{
    // Read back from the texture: so it is what the window shows, whatever path it came.
    s->is_checked = true;
    const struct view buffer = checker_buffer(s->checker, view_at(s->picture.view, NULL));
    if (!buffer.pixels) return;
    display_read(s->options.display, buffer);
    checker_begin(s->checker, s->wish.filter, s->picture.view, &s->wish.settings.params);
}

static void count_frame(struct stage *s)
{
    const gint64 now = g_get_monotonic_time();
    if (s->last_picture_us) stats_add(&s->frame_ms, (double)(now - s->last_picture_us) / 1000);
    s->last_picture_us = now;
    stats_add(&s->host_ms, s->host_us / 1000);
}

// True when the frame that landed is to be shown.
static bool touch_down(struct stage *s)
{
    struct error err = {""};
    const bool is_good = !s->is_flight_stale;
    const double start = now_us();
    s->is_in_flight = false;
    if (!interop_return(s->interop, is_good, &err)) {
        recover(s, err.text);
        return false;
    }
    s->host_us += now_us() - start;
    if (!is_good) return false;
    display_show(s->options.display);
    if (!s->is_checked) check(s);
    s->is_current = true;
    s->trouble.text[0] = '\0';
    count_frame(s);
    return true;
}

// Short frames are waited for, so that they are drawn in the same turn; long ones are not.
static enum backend_state wait_for_frame(struct stage *s, double limit_ms, struct error *err)
{
    const double start = now_us();
    enum backend_state state = runner_poll(s->runner, err);
    while (state == BACKEND_BUSY && now_us() - start < limit_ms * 1000) {
        if (now_us() - start > 500) g_usleep(100);
        state = runner_poll(s->runner, err);
    }
    return state;
}

bool stage_step(struct stage *s, const struct stage_wish *wish, double limit_ms)
{
    struct error err = {""};
    take_wish(s, wish);
    if (!s->interop) return false;
    if (!s->is_in_flight) {
        if (s->is_faulted || (has_trouble(s) && s->trouble.tone == OVERLAY_REFUSED)) return false;
        if (wish->is_frozen && s->is_current) return false;
        if (!take_off(s)) return false;
    }
    switch (wait_for_frame(s, limit_ms, &err)) {
    case BACKEND_BUSY:
        return false;
    case BACKEND_IDLE:
        return touch_down(s);
    case BACKEND_FAILED:
        recover(s, err.text);
        return false;
    }
    return false;
}

// ---- reloading ----

void stage_reload(struct stage *s, const struct filter *filter)
{
    builder_destroy(s->next_builder);
    s->next_builder = builder_create(s->chosen.backend);
    s->next_filter = filter;
}

enum builder_state stage_reloaded(struct stage *s, struct error *err)
{
    const struct module *module;
    if (!s->next_builder) return BUILDER_BUILDING;
    const enum builder_state state = builder_get(s->next_builder, s->next_filter, -1, &module, err);
    if (state != BUILDER_FAILED) return state;
    builder_destroy(s->next_builder);
    s->next_builder = NULL;
    return state;
}

void stage_adopt(struct stage *s)
{
    land(s);
    checker_drain(s->checker);
    runner_adopt(s->runner, s->next_builder);
    builder_destroy(s->builder);
    s->builder = s->next_builder;
    s->next_builder = NULL;
    s->has_wish = s->is_current = false;
}

void stage_prepare(struct stage *s, const struct filter *filter)
{
    const struct module *unused;
    builder_get(s->builder, filter, -1, &unused, NULL);
}

// ---- what there is to say ----

bool stage_is_settled(const struct stage *s)
{
    struct image_difference unused;
    if (has_trouble(s) || s->is_faulted) return true;
    return s->is_current && runner_report(s->runner).is_settled &&
           checker_result(s->checker, &unused) != CHECKER_RUNNING;
}

const struct stage_trouble *stage_trouble(const struct stage *s)
{
    return &s->trouble;
}

const char *stage_reasons(const struct stage *s)
{
    return s->chosen.reasons;
}

void stage_facts(const struct stage *s, struct caption_facts *facts)
{
    facts->device = backend_device(s->chosen.backend);
    facts->picture = view_at(s->picture.view, NULL);
    facts->path = s->chosen.path;
    facts->report = runner_report(s->runner);
    facts->is_current = s->is_current;
    facts->is_refused = !s->is_current && has_trouble(s);
    facts->frame_ms = stats_summarize(&s->frame_ms).median;
    facts->host_ms = stats_summarize(&s->host_ms).median;
    switch (checker_result(s->checker, &facts->difference)) {
    case CHECKER_NONE:
        facts->check = reference_find(s->wish.filter ? s->wish.filter->name : "")
                           ? CAPTION_CHECKING
                           : CAPTION_NO_REFERENCE;
        break;
    case CHECKER_RUNNING:
        facts->check = CAPTION_CHECKING;
        break;
    case CHECKER_DONE:
        facts->check = CAPTION_CHECKED;
        break;
    }
}

double stage_predict_ms(const struct stage *s, const struct stage_wish *wish)
{
    return runner_predict(s->runner, wish->filter, wish->variant, &wish->settings);
}

bool stage_has_watchdog(const struct stage *s)
{
    return backend_device(s->chosen.backend)->has_watchdog;
}
