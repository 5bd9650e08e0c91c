// All changes of what is shown (device, path, picture, panes, shape) end the frames of all panes,
// and go back in one order if they fail.
#include "viewer/stage.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "frame/check.h"
#include "frame/frame.h"
#include "frame/results.h"
#include "screen/panel_model.h"

// Room for a sweep, with modules of each variant, and for what else is wanted. A sweep measures its
// stops in turns, and with less room would compile them again in each turn. Each module of a CPU
// keeps a file open.
enum { MOST_UNROLLED = 8 * PANEL_MODEL_STOPS };

// Stands for the device after a fault, if not even the CPU can be opened.
static const struct device no_device = {.id = "none", .name = "no device"};

// ---- device ----

static bool open_panes(struct stage *s, struct error *err)
{
    for (int i = 0; i < s->pane_count; i++)
        if (!pane_open(&s->panes[i], err)) return false;
    return true;
}

static bool open_device(struct stage *s, struct error *err)
{
    struct pane_host *h = &s->host;
    if (!device_choice_make(&s->chosen, s->options.device, s->options.path, h->watchdog, err))
        return false;
    h->backend = s->chosen.backend;
    h->device = backend_device(h->backend);
    h->path = s->chosen.path;
    backend_set_include(h->backend, s->options.include_folder);
    backend_give_way(h->backend);
    h->builder = builder_create(h->backend);
    if (s->changed[0]) s->next = builder_create(h->backend);  // the lost device had begun one
    references_open(&h->references, h->backend, h->builder);
    return true;
}

static void end_frames(struct stage *s)
{
    for (int i = 0; i < s->pane_count; i++) pane_end_frame(&s->panes[i]);
}

// All frames end before the first pane closes, which waits for the whole queue: a kernel of the
// other pane may never end by itself.
static void close_device(struct stage *s)
{
    end_frames(s);
    for (int i = 0; i < s->pane_count; i++) pane_close(&s->panes[i]);
    builder_destroy(s->next);
    builder_destroy(s->host.builder);  // with old ones of the references' host
    references_close(&s->host.references);
    backend_close(s->host.backend);
    s->host.builder = s->next = NULL;
    s->host.backend = NULL;
    s->host.device = &no_device;
    results_forget_device(s->host.results);
}

struct stage *stage_open(const struct stage_options *options, struct error *err)
{
    struct stage *s = g_new0(struct stage, 1);
    s->options = *options;
    if (!s->options.most_unrolled) s->options.most_unrolled = MOST_UNROLLED;
    s->host = (struct pane_host){.display = options->display,
                                 .watchdog = options->watchdog,
                                 .endless = options->endless,
                                 .results = results_create()};
    s->differ = checker_create();
    pane_init(&s->panes[0], &s->host, 0);
    s->pane_count = 1;
    if (open_device(s, err) && open_panes(s, err)) return s;
    stage_close(s);
    return NULL;
}

void stage_close(struct stage *s)
{
    if (!s) return;
    close_device(s);
    for (int i = 0; i < s->pane_count; i++) pane_finish(&s->panes[i]);
    checker_destroy(s->differ);
    for (int i = 0; i < STAGE_PANES; i++) image_finish(&s->differing[i]);
    results_destroy(s->host.results);
    g_free(s);
}

static bool take_buffers(struct stage *s, struct error *err)
{
    for (int i = 0; i < s->pane_count; i++)
        if (!pane_take_buffer(&s->panes[i], err)) return false;
    return true;
}

// Takes the panes' buffers along the chosen path, or staged if they cannot be mapped after all.
static bool take_buffers_anyhow(struct stage *s, struct error *err)
{
    if (take_buffers(s, err)) return true;
    if (s->host.path != INTEROP_MAPPED) return false;
    g_strlcpy(s->chosen.reasons, err->text, sizeof s->chosen.reasons);
    s->chosen.has_interop = false;
    s->host.path = INTEROP_STAGED;
    return take_buffers(s, err);
}

// Opens the device of the command line again, else the CPU, and the panes on it.
static bool reopen(struct stage *s, struct error *err)
{
    if (!open_device(s, err)) {
        s->options.device = "cpu";
        s->options.path = NULL;
        if (!open_device(s, err)) return false;
    }
    for (int i = 0; i < s->pane_count && s->host.picture.pixels; i++)
        if (!display_renew_buffer(s->host.display, i, err)) return false;
    return open_panes(s, err);
}

// After a device fault: a fresh context of the same device where the driver gives one, else the
// CPU. The choice that faulted is not run again. One that did not goes on, unless the user should
// know that it does so on another device.
static void recover(struct stage *s, struct pane *pane, bool has_faulted, const char *what)
{
    struct error err = {""};
    char text[4096], before[16];
    struct choice culprit;
    bool unused;
    g_strlcpy(before, s->host.device->id, sizeof before);
    for (int i = 0; i < s->pane_count; i++)  // or it runs again when a panel wants it
        if (s->panes[i].engine && engine_find_culprit(s->panes[i].engine, &culprit, &unused))
            results_blame(s->host.results, &culprit, what);
    close_device(s);
    if (!reopen(s, &err)) {
        pane_blame(pane, TROUBLE_FAULTED, err.text);
        return;
    }
    const char *now = s->host.device->id;
    if (!has_faulted && !strcmp(now, before)) return;
    const bool is_other = strcmp(now, before) != 0;
    const struct filter *const f = pane->choice.filter;
    g_snprintf(text, sizeof text, "%s stopped: %s\n%s%s", before, what, is_other ? now : "",
               is_other ? " goes on in its place. " : "");
    g_autofree char *file = f && f->guesses ? g_path_get_basename(f->path) : NULL;
    if (file)
        text_append(text, sizeof text,
                    "The sizes of its arrays are guessed: correct what tilescope adopt %s -o "
                    "%s writes. ",
                    file, file);
    text_append(text, sizeof text, "Fix the file and save it, or choose another variant.");
    pane_blame(pane, TROUBLE_FAULTED, text);
}

// ---- picture, path, panes ----

static bool adopt_shape(struct stage *s, struct error *err)
{
    for (int i = 0; i < s->pane_count; i++) pane_release_buffer(&s->panes[i]);
    return display_set_shape(s->host.display, planes_at(s->host.shape, NULL), s->pane_count, err);
}

// shape is that of the shown picture or array.
static bool give_picture(struct stage *s, struct planes picture, struct planes shape,
                         struct error *err)
{
    s->host.picture = picture;
    s->host.shape = planes_at(shape, NULL);
    for (int i = 0; i < s->pane_count; i++)
        if (!pane_set_picture(&s->panes[i], err)) return false;
    return adopt_shape(s, err) && take_buffers_anyhow(s, err);
}

// If the panes cannot return to the old picture, the device is opened anew, which frees its memory.
bool stage_set_picture(struct stage *s, struct planes picture, struct error *err)
{
    const struct planes before = s->host.picture, shape = s->host.shape;
    struct error ignored;
    end_frames(s);
    if (give_picture(s, picture, picture, err)) {
        results_forget(s->host.results);
        return true;
    }
    if (before.pixels && give_picture(s, before, shape, &ignored)) return false;
    s->host.picture = before;
    s->host.shape = shape;
    for (int i = 0; i < s->pane_count; i++) pane_forget_picture(&s->panes[i]);
    if (!before.pixels) return false;
    close_device(s);
    if (!reopen(s, &ignored)) pane_blame(&s->panes[0], TROUBLE_FAULTED, ignored.text);
    return false;
}

bool stage_set_staged(struct stage *s, bool is_staged, struct error *err)
{
    const enum interop_path before = s->host.path;
    if (!s->host.backend && is_staged != (before == INTEROP_STAGED))
        return error_set(err, "there is no device");
    const enum interop_path path = is_staged               ? INTEROP_STAGED
                                   : s->chosen.has_interop ? INTEROP_MAPPED
                                                           : INTEROP_CPU;
    if (path == before) return true;
    if (!is_staged && s->host.device->is_gpu && !s->chosen.has_interop)
        return error_set(err, "interop does not work here: %s", s->chosen.reasons);
    end_frames(s);
    s->host.path = path;
    for (int i = 0; i < s->pane_count; i++) pane_change_path(&s->panes[i]);
    if (take_buffers(s, err)) return true;
    struct error ignored = {""};
    s->host.path = before;
    take_buffers(s, &ignored);
    return false;
}

bool stage_set_panes(struct stage *s, int count, struct error *err)
{
    if (count == s->pane_count) return true;
    if (count == 2 && !s->host.backend) return error_set(err, "there is no device to compare on");
    if (count == 2) {
        end_frames(s);
        if (!display_set_layers(s->host.display, 2, err)) return false;
        pane_init(&s->panes[1], &s->host, 1);
        s->pane_count = 2;
        if (pane_open(&s->panes[1], err)) return true;
    }
    end_frames(s);
    pane_finish(&s->panes[1]);
    s->pane_count = 1;
    s->turn = 0;
    s->differ_versions[1] = 0;  // another second pane counts anew
    display_set_layers(s->host.display, 1, NULL);
    return count == 1;
}

// ---- frames ----

// Gives the panes buffers of a new frame's shape. The old picture goes with its buffers.
static void reshape(struct stage *s, struct pane *pane)
{
    struct error err = {""}, ignored;
    const struct planes before = s->host.shape;
    end_frames(s);
    s->host.shape = frame_picture(&pane->engine->shown);
    if (adopt_shape(s, &err) && take_buffers_anyhow(s, &err)) return;
    s->host.shape = before;
    if (adopt_shape(s, &ignored)) take_buffers_anyhow(s, &ignored);
    pane_blame(pane, TROUBLE_REFUSED, err.text);
}

bool stage_step(struct stage *s, const struct choice *choices, bool is_frozen, double limit_ms)
{
    bool is_new = false;
    const bool are_unlike = s->pane_count > 1 && filter_has_picture(choices[0].filter) !=
                                                     filter_has_picture(choices[1].filter);
    s->host.refusal = are_unlike ? "A picture and an array cannot be compared." : NULL;
    // The same array of both panes has the same colours for the same values.
    const bool has_scale =
        s->pane_count > 1 && choice_common_scale(&choices[0], s->panes[0].array, &choices[1],
                                                 s->panes[1].array, &s->scale);
    s->host.scale = has_scale ? &s->scale : NULL;
    for (int i = 0; i < s->pane_count; i++) pane_choose(&s->panes[i], &choices[i], is_frozen);
    for (int i = 0; i < s->pane_count; i++) {
        struct error err = {""};
        struct pane *pane = &s->panes[s->turn];
        const enum pane_turn turn = pane_step(pane, limit_ms / s->pane_count, &err);
        switch (turn) {
        case PANE_BUSY:
            return is_new;  // it goes on with the next turn
        case PANE_FAULTED:
        case PANE_LOST:
            recover(s, pane, turn == PANE_FAULTED, err.text);
            return is_new;
        case PANE_RESHAPES:
            reshape(s, pane);
            return is_new;
        case PANE_PRESENTED:
            is_new = true;
            break;
        case PANE_RESTS:
            break;
        }
        // No pane has anything in the queue now.
        const struct module *used[STAGE_PANES] = {NULL};
        for (int k = 0; k < s->pane_count; k++)
            if (s->panes[k].engine) used[k] = s->panes[k].engine->shown.module;
        if (s->host.builder)
            builder_trim(s->host.builder, s->options.most_unrolled, used, s->pane_count);
        s->turn = (s->turn + 1) % s->pane_count;
    }
    return is_new;
}

// ---- reloading ----

void stage_reload(struct stage *s, const struct filter *const filters[STAGE_PANES])
{
    builder_retire(s->host.builder, s->next);
    s->next = s->host.backend ? builder_create(s->host.backend) : NULL;
    memcpy(s->changed, filters, sizeof s->changed);
    for (int i = 0; i < s->pane_count; i++) pane_make_way(&s->panes[i]);
}

enum builder_state stage_reloaded(struct stage *s, struct error *err)
{
    const enum builder_state state = builder_get_all(s->next, s->changed, STAGE_PANES, err);
    if (state != BUILDER_FAILED) return state;
    builder_retire(s->host.builder, s->next);
    s->next = NULL;
    memset(s->changed, 0, sizeof s->changed);
    return state;
}

void stage_adopt(struct stage *s)
{
    results_avoid_none(s->host.results);
    end_frames(s);
    builder_retire(s->next, s->host.builder);
    s->host.builder = s->next;
    s->next = NULL;
    memset(s->changed, 0, sizeof s->changed);
    builder_retire(s->host.builder, references_renew(&s->host.references, s->host.builder));
    results_forget(s->host.results);
    for (int i = 0; i < s->pane_count; i++) pane_adopt(&s->panes[i]);
}

void stage_prepare(struct stage *s, const struct filter *filter, bool is_next)
{
    const struct module *unused;
    if (!s->host.builder) return;
    if (is_next)
        builder_get_first(s->host.builder, filter, NULL, &unused, NULL);
    else
        builder_prepare(s->host.builder, filter);
}

bool stage_plan(const struct stage *s, const struct choice *choice, struct frame *frame,
                struct error *err)
{
    const struct launch_build build = launch_build(choice);
    *frame = (struct frame){.backend = s->host.backend, .choice = *choice};
    if (!s->host.builder) return error_set(err, "there is no device");
    return builder_get(s->host.builder, choice->filter, &build, &frame->module, err) ==
               BUILDER_READY &&
           frame_plan(frame, s->host.picture, err);
}

// ---- what there is to say ----

bool stage_is_settled(const struct stage *s)
{
    const bool is_first_settled = pane_is_settled(&s->panes[0]);
    if (s->pane_count < 2 || !is_first_settled) return is_first_settled;
    // A first pane that cannot run does not make room for the second one.
    const bool is_stopped = s->panes[0].trouble.kind && pane_waits_for_shape(&s->panes[1]);
    return is_stopped || pane_is_settled(&s->panes[1]);
}

bool stage_find_running(const struct stage *s, struct choice *running)
{
    for (int i = 0; i < s->pane_count; i++) {
        const struct engine *engine = s->panes[i].engine;
        if (!engine || !engine_is_busy(engine)) continue;
        *running = engine_running(engine);
        return running->variant != NULL;
    }
    return false;
}

bool stage_difference(struct stage *s, struct image_difference *found)
{
    bool is_new = false;
    for (int i = 0; i < STAGE_PANES; i++) {
        const unsigned version = s->panes[i].shown;
        if (!version) return false;
        is_new |= version != s->differ_versions[i];
    }
    for (int i = 0; i < STAGE_PANES; i++) s->differ_versions[i] = s->panes[i].shown;
    if (is_new) checker_forget(s->differ);
    for (int i = 0; i < STAGE_PANES && is_new; i++) {  // as they are shown
        if (!image_fit(&s->differing[i], s->host.shape, NULL)) return false;
        display_read(s->host.display, i, s->differing[i].planes);
    }
    if (is_new) checker_begin_pair(s->differ, s->differing[0].planes, s->differing[1].planes);
    return checker_result(s->differ, found, NULL) == CHECKER_DONE;
}
