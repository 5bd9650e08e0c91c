#include "viewer/restart.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/state.h"
#include "base/file.h"
#include "base/rows.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "frame/results.h"
#include "viewer/viewer.h"

// ---- arguments ----

// A later option replaces an earlier one. With --resume, an empty tour is none.
char **restart_arguments(char *const *argv, const struct restart *with)
{
    const bool has_no_tour = with->state_path && !with->script;
    const char *const options[][2] = {{"--path", with->path},
                                      {"--size", with->size},
                                      {"--file", with->file},
                                      {"--resume", with->state_path},
                                      {"--script", has_no_tour ? "" : with->script},
                                      {"--from", with->from},
                                      {"--times", with->times}};
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_strv_builder_add_many(words, argv[0], "view", NULL);
    char *const *at = argv + 1;
    if (*at && !strcmp(*at, "view")) at++;
    for (; *at && strcmp(*at, "--") != 0; at++) g_strv_builder_add(words, *at);
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        if (!options[i][1]) continue;
        g_autofree char *word = g_strdup_printf("%s=%s", options[i][0], options[i][1]);
        g_strv_builder_add(words, word);
    }
    g_strv_builder_addv(words, (const char **)at);
    if (with->dropped) g_strv_builder_addv(words, (const char **)with->dropped);
    return g_strv_builder_end(words);
}

// ---- the state ----
// Behind the mark, as --dump-state writes it (state.h), with three facts: the picture's index, the
// note, and the FILTER/VARIANTs that are to be avoided, one a line.

// Returns the file's path, or NULL: the new process begins as this one did.
static char *write_state(struct viewer *v, const char *note, bool is_endless)
{
    char *path = NULL;
    g_autofree char *source = NULL;
    struct choice endless;
    const struct filter_list *list = &v->kernels.filters;  // may be newer than what runs
    const guint before = v->pictures.has_dropped ? g_strv_length(v->options->pictures) : 0;
    g_auto(GStrv) avoided = results_avoided(v->stage->host.results);
    // The new process avoids the endless kernel until the user chooses it, unless the file was
    // saved since and may have been mended.
    if (is_endless && stage_find_running(v->stage, &endless) && endless.filter >= list->filters &&
        endless.filter < list->filters + list->count &&
        (source = file_read_text(endless.filter->path, NULL)) &&
        g_str_has_prefix(endless.filter->source, source)) {  // it may have proposed notes behind it
        const guint count = g_strv_length(avoided);
        avoided = g_renew(char *, avoided, count + 2);
        avoided[count] = g_strdup_printf("%s/%s", endless.filter->name, endless.variant->name);
        avoided[count + 1] = NULL;
    }
    g_autofree char *picture = g_strdup_printf("%d", (int)before + v->pictures.shown),
                    *avoid = g_strjoinv("\n", avoided);
    cJSON *json = state_json(&v->app, &(struct state_picture){.is_grey = v->pictures.is_grey});
    cJSON *facts = cJSON_AddObjectToObject(json, "facts");
    rows_add_members(facts, "picture%s note%s avoid%s", picture, note, avoid);
    g_autofree char *state = rows_print_json(json);
    g_autofree char *marked = g_strconcat(RESTART_MARK, state, NULL);
    const int made = g_file_open_tmp("tilescope-XXXXXX.state", &path, NULL);
    if (made >= 0) close(made);
    if (made >= 0 && !file_write(path, marked, strlen(marked), NULL)) {
        g_unlink(path);
        g_clear_pointer(&path, g_free);
    }
    return path;
}

bool restart_read(struct viewer *v, const char *path, struct error *err)
{
    OWNED(state_picture_finish) struct state_picture unused = {0};
    struct app read;
    g_autofree char *whole = file_read_text(path, err);
    if (!whole) return false;
    if (!g_str_has_prefix(whole, RESTART_MARK))
        return error_set(err, "cannot read '%s': no restart of the program wrote it", path);
    g_unlink(path);
    const char *text = whole + strlen(RESTART_MARK);
    cJSON *json = cJSON_Parse(text), *facts = cJSON_GetObjectItem(json, "facts");
    const char *picture = cJSON_GetStringValue(cJSON_GetObjectItem(facts, "picture"));
    const char *note = cJSON_GetStringValue(cJSON_GetObjectItem(facts, "note"));
    const char *avoid = cJSON_GetStringValue(cJSON_GetObjectItem(facts, "avoid"));
    app_init(&read, v->app.filters, v->app.picture_count);
    const int shown = picture ? atoi(picture) : 0;
    const bool is_good =
        (shown >= 0 && shown < v->app.picture_count) || error_set(err, "'%s' holds no state", path);
    const bool is_read = is_good && state_read(&read, &unused, text, path, err);
    if (is_read) {
        v->app = read;
        v->app.picture = shown;
        if (avoid) v->kernels.avoided = g_strsplit(avoid, "\n", -1);
        if (note) viewer_note(v, "%s", note);
    }
    cJSON_Delete(json);
    return is_read;
}

// ---- starting again ----

// The caught thread holds no lock that is needed here: it is in the driver. path: along another one
// than now; NULL: an endless kernel is why.
static void start_again(struct viewer *v, const char *path, const char *note)
{
    char size[32] = "", step[16];
    const bool is_shown = v->stage && v->now.sides;
    if (is_shown) {
        const struct viewport_sizes sizes = viewer_sizes(v);
        g_snprintf(size, sizeof size, "%dx%d", sizes.window_width, sizes.window_height);
    }
    char *state = is_shown ? write_state(v, note, !path) : NULL;
    // The tour's file may have been saved since, and what cannot be read would end the lecture.
    OWNED(tour_finish) struct tour tour = {0};
    const bool has_tour = state && v->tour.path &&
                          tour_load(&tour, v->tour.path, &v->kernels.filters, NULL) &&
                          v->app.tour_step < tour.step_count;
    g_snprintf(step, sizeof step, "%d", v->app.tour_step + 1);
    const struct restart with = {.path = path,
                                 .size = *size ? size : NULL,
                                 .file = state ? v->kernels.file : NULL,
                                 .state_path = state,
                                 .script = has_tour ? v->tour.path : NULL,
                                 .from = has_tour ? step : NULL,
                                 .times = state && v->times.is_chosen ? viewer_times_word(v) : NULL,
                                 .dropped =
                                     state && v->pictures.has_dropped ? v->pictures.list : NULL};
    char *own = NULL;
    gsize length = 0;
    GPtrArray *argv = g_ptr_array_new();
    g_file_get_contents("/proc/self/cmdline", &own, &length, NULL);
    for (gsize at = 0; at < length; at += strlen(own + at) + 1) g_ptr_array_add(argv, own + at);
    if (!argv->len) g_ptr_array_add(argv, "tilescope");
    g_ptr_array_add(argv, NULL);
    char **next = restart_arguments((char **)argv->pdata, &with);
    fflush(NULL);
    execv("/proc/self/exe", next);
    _exit(EXIT_FAILURE);
}

void restart_staged(void *viewer)
{
    struct viewer *v = viewer;
    terminal_print(stderr,
                   "tilescope: the driver has kept the window's buffer for %d s: starting again "
                   "with --path staged\n",
                   RESTART_LIMIT_MS / 1000);
    v->app.is_staged = true;
    start_again(v, "staged", "started again: the driver had kept the window's buffer");
}

void restart_from_endless(void *viewer)
{
    struct viewer *v = viewer;
    if (v->input.is_closing) {
        terminal_print(stderr, "tilescope: a kernel does not come back, and a GPU cannot stop it: "
                               "ending without waiting for it\n");
        fflush(NULL);
        signals_release();  // a signal that has come ends the process here
        _exit(v->notes.is_failed ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    terminal_print(stderr, "tilescope: a kernel does not come back, and a GPU cannot stop it: "
                           "starting again\n");
    start_again(v, NULL, "started again: a GPU cannot stop an endless kernel");
}
