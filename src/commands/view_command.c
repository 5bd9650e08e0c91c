// view_command.c -- `tilescope view`: opens the window and all that is behind it, or says why it
// cannot.
#include <glib.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "app/state.h"
#include "base/image.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/watchdog.h"
#include "commands/commands.h"
#include "device/backend.h"
#include "viewer/restart.h"
#include "viewer/viewer.h"

// Facts that are known before there is a window.
struct opening {
    struct options options;  // where a word that names a filter or lab is one of --filter
    char *script, *include;  // its tour's file, and the folder with kernel.h; owned
    int width, height;
    bool has_display;
    struct watchdog *watchdog, *endless;  // of the driver; of kernels that cannot be stopped
};

static bool restore(struct viewer *v, struct error *err)
{
    OWNED(state_picture_finish) struct state_picture picture = {0};
    const struct options *o = v->options;
    bool is_good = !o->restore || state_load(&v->app, &picture, o->restore, err);
    if (is_good && !v->pictures.list) {
        char **const list = o->pictures[0] ? g_strdupv(o->pictures) : g_new0(char *, 3);
        v->pictures.list = list;
        v->pictures.is_grey = o->is_grey || picture.is_grey;
        if (!list[0] && picture.name) {  // the screenshot's own
            struct error changed = {""};
            list[0] = command_find_picture(o, &picture, &changed, err);
            viewer_note(v, "%s", changed.text);
            is_good = list[0];
        } else if (!list[0]) {
            list[0] = options_sample("scene.png");
            list[1] = options_sample("chart.png");
        }
    }
    g_free(v->times.restored);
    v->times.restored = g_steal_pointer(&picture.times);
    if (is_good) v->app.picture_count = (int)g_strv_length(v->pictures.list);
    const bool is_resumed = is_good && (!o->resume || restart_read(v, o->resume, err));
    v->app.has_tour = v->tour.file.count > 0;
    // The divider stays until a click takes it up.
    v->input.pointer.is_pinned = v->app.is_comparing;
    return is_resumed;
}

// The user's state as options and restored files say; the rest are defaults.
static bool begin_state(struct viewer *v, struct error *err)
{
    struct choice selection;
    const struct choice_words words = options_words(v->options);
    if (!choice_read(&selection, &words, &v->kernels.filters, err)) return false;
    struct app *a = &v->app;
    app_init(a, &v->kernels.filters, 1);
    app_take(a, APP_A, &selection);
    a->is_bare = v->options->is_bare;
    a->is_light = v->options->is_light;
    a->text_scale = v->options->text_scale;
    a->is_staged = v->options->path && !strcmp(v->options->path, "staged");
    return restore(v, err);
}

static bool load_tour(struct viewer *v, struct opening *opening, struct error *err)
{
    const struct options *o = v->options;
    guint64 step = 1;
    if (o->from && !o->script) return error_set(err, "--from STEP is for --script TOUR");
    if (!o->script) return true;
    opening->script = command_find_tour(o, o->script, &v->kernels.filters, err);
    if (!opening->script) return false;
    opening->options.script = opening->script;
    if (!tour_load(&v->tour.file, o->script, &v->kernels.filters, err)) return false;
    if (o->from &&
        !g_ascii_string_to_unsigned(o->from, 10, 1, (guint64)v->tour.file.step_count, &step, NULL))
        return error_set(err, "'%s' has steps 1 to %d, not '%s'", o->script,
                         v->tour.file.step_count, o->from);
    return true;
}

// Finds what can be wrong before there is a window. DONE: nothing is.
static enum outcome prepare(struct viewer *v, struct opening *opening, struct error *err)
{
    struct choice selection;
    struct error notice = {""};
    v->jobs = jobs_create(v->options);  // first, so that files that are saved meanwhile are noticed
    const bool is_loaded = command_load_filters(&v->kernels.filters, v->options, &notice, err);
    if (notice.text[0]) command_fail(OUTCOME_DONE, &notice);
    if (is_loaded && v->kernels.filters.mistakes)
        text_append(notice.text, sizeof notice.text, "%sleft out: %s", *notice.text ? "; " : "",
                    v->kernels.filters.mistakes);
    if (notice.text[0]) viewer_note(v, "%s", notice.text);
    v->kernels.file = g_strdup(v->options->file);
    if (!is_loaded) return OUTCOME_REFUSED;
    if (v->kernels.file) {
        const struct filter *f = &v->kernels.filters.filters[0];
        viewer_note_guesses(v, f);
        g_hash_table_insert(v->kernels.edited, g_strdup(f->name), GINT_TO_POINTER(EDITED_DUE));
    }
    opening->options = *v->options;
    struct options *const o = &opening->options;
    v->options = o;
    if (o->resume) {  // restart_arguments(): keys were played, and a tour may be over
        o->keys = NULL;
        if (o->script && !*o->script) o->script = o->from = NULL;
    }
    if (o->restore && o->pictures[0] && filter_find(&v->kernels.filters, o->pictures[0]))
        return command_misuse(err, "--restore says what to run: %s does not go with it",
                              o->pictures[0]);
    if (!command_take_name(&v->kernels.filters, o, err)) return OUTCOME_USAGE;
    const struct choice_words words = options_words(o);
    if (!choice_read(&selection, &words, &v->kernels.filters, err)) return OUTCOME_USAGE;
    g_auto(GStrv) keys = o->keys ? input_script(o->keys, &v->kernels.filters, err) : NULL;
    if (o->keys && !keys) return OUTCOME_USAGE;
    OWNED(image_finish) struct image shot = {0};
    opening->width = 1280;
    opening->height = 720;
    if (o->size && !choice_read_size(o->size, &opening->width, &opening->height))
        return command_misuse(err, "window size '%s' is not understood; expected WxH", o->size);
    if (!o->size && o->restore && image_load(&shot, o->restore, false, NULL)) {
        opening->width = shot.planes.width;  // a restored window has the screenshot's size
        opening->height = shot.planes.height;
    }
    if (o->shots && !g_file_test(o->shots, G_FILE_TEST_IS_DIR)) {
        error_set(err, "the folder for screenshots '%s' is not there", o->shots);
        return OUTCOME_REFUSED;
    }
    if (o->dump_state && !command_can_write(o->dump_state, err)) return OUTCOME_REFUSED;
    if (!load_tour(v, opening, err)) return OUTCOME_REFUSED;
    if (!begin_state(v, err)) return OUTCOME_REFUSED;
    return OUTCOME_DONE;
}

static bool open_stage(struct viewer *v, struct opening *opening, struct error *err)
{
    opening->include = options_include_folder(v->options);
    opening->watchdog = watchdog_create(RESTART_LIMIT_MS, restart_staged, v);
    opening->endless = watchdog_create(RESTART_LIMIT_MS, restart_from_endless, v);
    const struct stage_options options = {.device = v->options->device,
                                          .path = v->options->path,
                                          .include_folder = opening->include,
                                          .watchdog = opening->watchdog,
                                          .endless = opening->endless,
                                          .display = v->screen.display};
    v->stage = stage_open(&options, err);
    v->lens.traces = traces_create(opening->include, false);
    if (!v->stage) return false;
    struct pane_facts facts = {0};
    pane_facts(&v->stage->panes[0], &facts);
    if (!facts.device->is_gpu) {  // labs have other defaults on a CPU, so the state begins again
        filter_list_use_cpu(&v->kernels.filters);
        if (!v->options->resume && !begin_state(v, err)) return false;  // one resumes only once
    }
    if (!viewer_open_times(v, facts.device->is_gpu, err)) return false;
    if (!v->options->times) viewer_restore_times(v, v->times.restored);
    for (char **name = v->kernels.avoided; name && *name; name++)
        results_avoid(v->stage->host.results, *name);
    stage_prepare(v->stage, app_filter(&v->app), true);
    if (!viewer_load_picture(v, v->app.picture, err)) return false;
    for (int i = 0; i < v->kernels.filters.count; i++)  // labs when they are chosen
        if (arrays_picture(&v->kernels.filters.filters[i], v->stage->host.picture).width)
            stage_prepare(v->stage, &v->kernels.filters.filters[i], false);
    return true;
}

static enum outcome run(struct viewer *v, struct opening *opening, struct error *err)
{
    const enum outcome outcome = prepare(v, opening, err);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct window_handler handler = viewer_handler(v);
    GThread *warm_up = g_thread_new("warm-up", backend_warm_up, NULL);
    v->screen.window = window_open("Tilescope", opening->width, opening->height, &handler,
                                   &opening->has_display, err);
    if (v->screen.window) {
        g_autofree char *shaders = options_folder(v->options, "shaders");
        v->screen.display = display_create(shaders, err);
        v->screen.overlay = overlay_create();
        v->panels = panel_model_create();
    }
    g_thread_join(warm_up);
    const bool is_open = v->screen.display != NULL;
    if (!is_open && !opening->has_display && !v->options->is_probe) {
        terminal_print(stderr, "tilescope: %s: writing the picture to tilescope.png instead\n",
                       err->text);
        err->text[0] = '\0';
        return command_render_headless(v->options, "tilescope.png", err);
    }
    if (!is_open || !open_stage(v, opening, err)) return OUTCOME_REFUSED;
    if (v->options->is_probe) {  // what `devices` needs to know about a window
        struct pane_facts facts = {0};
        pane_facts(&v->stage->panes[0], &facts);
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "renderer", window_renderer(v->screen.window));
        cJSON_AddStringToObject(json, "device", facts.device->id);
        cJSON_AddStringToObject(json, "path", interop_path_name(facts.path));
        command_add_lines(json, "reasons", v->stage->chosen.reasons);
        command_print_json(json);
        return OUTCOME_DONE;
    }
    // Without it only the clipboard and drops are missing, so a note is enough.
    struct error notice;
    v->exchange = exchange_open(window_number(v->screen.window), &notice);
    if (!v->exchange) viewer_note(v, "%s", notice.text);
    viewer_loop(v);
    return v->notes.is_failed ? OUTCOME_REFUSED : OUTCOME_DONE;
}

static enum outcome view(const struct options *o, struct error *err)
{
    // Memory of a window's size, of a compiler or of a trace comes and goes by tens of megabytes.
    // Left to itself, glibc keeps it in pieces that never fit again: large ones after the first was
    // freed, and small ones in a heap for each thread. A window would come to twice its memory.
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
    mallopt(M_ARENA_MAX, 2);
#endif
    g_autofree struct viewer *v = g_new0(struct viewer, 1);
    v->options = o;
    v->notes.last = cJSON_CreateArray();
    v->kernels.edited = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    v->pictures.shown = -1;
    v->screen.needs_draw = v->screen.needs_words = true;
    struct opening opening = {.has_display = false};
    const enum outcome outcome = run(v, &opening, err);
    window_close(v->screen.window);
    watchdog_destroy(opening.watchdog);
    watchdog_destroy(opening.endless);
    overlay_destroy(v->screen.overlay);
    panel_model_destroy(v->panels);
    g_strfreev(v->pictures.list);
    g_strfreev(v->pictures.dropped);
    g_free(v->tour.wanted);
    g_free(v->kernels.file);
    g_free(v->kernels.dropped_file);
    g_strfreev(v->kernels.avoided);
    g_free(opening.script);
    g_free(opening.include);
    image_finish(&v->pictures.whole);
    image_finish(&v->pictures.reduced);
    g_free(v->pictures.name);
    g_free(v->pictures.sha256);
    jobs_destroy(v->jobs);
    exchange_close(v->exchange);
    viewer_close_times(v);
    traces_destroy(v->lens.traces);
    tour_finish(&v->tour.file);
    filter_list_finish(&v->kernels.filters);
    g_hash_table_destroy(v->kernels.edited);
    cJSON_Delete(v->notes.last);
    return outcome;
}

const struct command command_view = {
    .name = "view",
    .options = OPTIONS_VIEW,
    .run = view,
    .usage = "[view] [NAME] [IMAGE…]",
    .summary = "the window, on the filter or lab of that name",
    .about = "Opens a window on the pictures, or on a sample. NAME is a filter's or a lab's; a "
             "file\nof that name is ./NAME. A CUDA file of your own, FILE.cu, may stand in NAME's "
             "place.\n\nKeys:\n",
    .more = command_keys,
};
