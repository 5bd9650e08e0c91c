#include "viewer/restart.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/state.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "frame/results.h"
#include "viewer/viewer.h"

// ---- arguments ----

// "--name value" counts as two words, "--name=value" as one.
static int words_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0) return 0;
    return argument[length] == '=' ? 1 : argument[length] ? 0 : 2;
}

static int replaced_words(const char *argument, const struct restart *with)
{
    static const char *const played[] = {"--keys", "--script", "--from", "--resume"};
    int words = with->path ? words_of(argument, "--path") : 0;
    if (!words && with->size) words = words_of(argument, "--size");
    for (size_t i = 0; !words && with->state_path && i < G_N_ELEMENTS(played); i++)
        words = words_of(argument, played[i]);
    return words;
}

static void add_option(GPtrArray *words, const char *name, const char *value)
{
    if (value) g_ptr_array_add(words, g_strdup_printf("%s=%s", name, value));
}

char **restart_arguments(char *const *argv, const struct restart *with)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, g_strdup(argv[0]));
    g_ptr_array_add(words, g_strdup("view"));
    add_option(words, "--path", with->path);
    add_option(words, "--size", with->size);
    add_option(words, "--resume", with->state_path);
    add_option(words, "--script", with->script);
    add_option(words, "--from", with->from);
    char *const *at = argv + 1;
    if (*at && !strcmp(*at, "view")) at++;
    bool has_options = true;  // up to "--"
    while (*at) {
        has_options &= strcmp(*at, "--") != 0;
        int skipped = has_options ? replaced_words(*at, with) : 0;
        if (!skipped) g_ptr_array_add(words, g_strdup(*at++));
        while (skipped-- > 0 && *at) at++;
    }
    for (char *const *picture = with->dropped; picture && *picture; picture++)
        g_ptr_array_add(words, g_strdup(*picture));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

// ---- the state ----
// The picture's index and the note on one line; "avoid FILTER/VARIANT" lines; what state.h writes.

// A kernel that has been saved since may have been mended.
static bool is_as_saved(const struct filter *f)
{
    struct error ignored;
    char *text = file_read_text(f->path, &ignored);
    const bool is_same = text && !strcmp(text, f->source);
    g_free(text);
    return is_same;
}

// What keeps the device, where that is an endless kernel and not the driver.
static bool find_endless(const struct viewer *v, struct choice *endless)
{
    const struct filter_list *list = &v->filters;  // may be newer than what runs
    return stage_find_running(v->stage, endless) && endless->filter >= list->filters &&
           endless->filter < list->filters + list->count && is_as_saved(endless->filter);
}

// What has kept a device must not do so again, unless it is chosen.
static char *write_avoided(const struct viewer *v, bool is_endless)
{
    struct choice endless;
    GString *lines = g_string_new(NULL);
    char **names = results_avoided(v->stage->host.results);
    for (char **name = names; *name; name++) g_string_append_printf(lines, "avoid %s\n", *name);
    if (is_endless && find_endless(v, &endless))
        g_string_append_printf(lines, "avoid %s/%s\n", endless.filter->name, endless.variant->name);
    g_strfreev(names);
    return g_string_free(lines, FALSE);
}

// Returns the file's path, or NULL: the new process begins as this one did.
static char *write_state(struct viewer *v, const char *note, bool is_endless)
{
    char *path = NULL;
    const guint before = v->pictures.has_dropped ? g_strv_length(v->options->pictures) : 0;
    char *state = state_write(&v->app, &(struct state_picture){.is_grey = v->pictures.is_grey});
    char *avoided = write_avoided(v, is_endless);
    char *text =
        g_strdup_printf("%u %s\n%s%s", before + (guint)v->pictures.shown, note, avoided, state);
    const int file = g_file_open_tmp("tilescope-XXXXXX.state", &path, NULL);
    if (file >= 0) close(file);
    if (file >= 0 && !g_file_set_contents(path, text, -1, NULL)) {
        g_unlink(path);
        g_clear_pointer(&path, g_free);
    }
    g_free(text);
    g_free(avoided);
    g_free(state);
    return path;
}

static char **take_avoided(char **text)
{
    static const char word[] = "avoid ";
    GPtrArray *names = g_ptr_array_new();
    for (char *end; g_str_has_prefix(*text, word) && (end = strchr(*text, '\n')); *text = end + 1) {
        const char *name = *text + strlen(word);
        g_ptr_array_add(names, g_strndup(name, (gsize)(end - name)));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

void resumed_finish(struct resumed *r)
{
    g_free(r->note);
    g_strfreev(r->avoided);
    *r = (struct resumed){NULL, NULL};
}

bool restart_read(struct app *a, const char *path, struct resumed *resumed, struct error *err)
{
    char *state = NULL, *why = NULL;
    struct state_picture unused = {0};
    struct app read;
    gint64 index = 0;
    char *text = file_read_text(path, err);
    if (!text) return false;
    g_unlink(path);
    if ((state = strchr(text, '\n'))) *state++ = '\0';
    if ((why = strchr(text, ' '))) *why++ = '\0';
    const bool is_good =
        (state && g_ascii_string_to_signed(text, 10, 0, a->picture_count - 1, &index, NULL)) ||
        error_set(err, "'%s' holds no state", path);
    char **avoided = is_good ? take_avoided(&state) : NULL;
    app_init(&read, a->filters, a->picture_count);
    const bool is_read = is_good && state_read(&read, &unused, state, path, err);
    read.picture = (int)index;
    if (is_read) {
        *a = read;
        *resumed = (struct resumed){g_strdup(why), avoided};
    } else {
        g_strfreev(avoided);
    }
    state_picture_finish(&unused);
    g_free(text);
    return is_read;
}

// ---- starting again ----

static char **own_arguments(void)
{
    char *text = NULL;
    gsize length = 0;
    GPtrArray *words = g_ptr_array_new();
    g_file_get_contents("/proc/self/cmdline", &text, &length, NULL);
    for (gsize at = 0; at < length; at += strlen(text + at) + 1)
        g_ptr_array_add(words, g_strdup(text + at));
    if (!words->len) g_ptr_array_add(words, g_strdup("tilescope"));
    g_ptr_array_add(words, NULL);
    g_free(text);
    return (char **)g_ptr_array_free(words, FALSE);
}

// Its file may have been saved since, and what cannot be read would end the lecture.
static bool can_open_tour(const struct viewer *v)
{
    struct tour tour = {0};
    struct error ignored;
    if (!v->tour.path || !tour_load(&tour, v->tour.path, &v->filters, &ignored)) return false;
    const bool has_step = v->app.tour_step < tour.step_count;
    tour_finish(&tour);
    return has_step;
}

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
    const bool has_tour = state && can_open_tour(v);
    g_snprintf(step, sizeof step, "%d", v->app.tour_step + 1);
    const struct restart with = {.path = path,
                                 .size = *size ? size : NULL,
                                 .state_path = state,
                                 .script = has_tour ? v->tour.path : NULL,
                                 .from = has_tour ? step : NULL,
                                 .dropped =
                                     state && v->pictures.has_dropped ? v->pictures.list : NULL};
    char **argv = own_arguments(), **next = restart_arguments(argv, &with);
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

// A signal that has come ends the process here, as it would have later.
static void end_at_once(const struct viewer *v)
{
    terminal_print(stderr, "tilescope: a kernel does not come back, and a GPU cannot stop it: "
                           "ending without waiting for it\n");
    fflush(NULL);
    signals_release();
    _exit(v->notes.is_failed ? EXIT_FAILURE : EXIT_SUCCESS);
}

void restart_from_endless(void *viewer)
{
    struct viewer *v = viewer;
    if (v->is_closing) end_at_once(v);
    terminal_print(stderr, "tilescope: a kernel does not come back, and a GPU cannot stop it: "
                           "starting again\n");
    start_again(v, NULL, "started again: a GPU cannot stop an endless kernel");
}
