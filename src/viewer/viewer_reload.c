// viewer_reload.c -- the job that reads saved sources again, kernels and shaders, also on request,
// and has edited kernels tried at two awkward sizes, beside the picture (frame/edges.h).
//
// The old kernels run until the new ones are compiled. What does not compile is a trouble that is
// shown, and the last good sources go on. All of a compiler's log stays until the user chooses
// something else, and its first line until the file is mended.
//
// Trying begins when such a file is shown and checked, and is given up when the file is edited
// again. The results know what it finds, and so the badge says it.
#include <glib.h>
#include <string.h>

#include "frame/edges.h"
#include "viewer/viewer.h"
#include "viewer/watch.h"

struct reload_job {
    struct watch *kernel_watch, *shader_watch;
    struct watch *file_watch;  // of the file beside the folder's, or of the one to open; NULL: none
    char *to_open;             // a dropped file that has not run yet; NULL: there is none
    bool is_to_open;           // it is new, or was saved
    bool opens;                // `next` holds it
    bool is_wanted;            // begins when the reload in hand has ended
    struct filter_list next;   // read, and being compiled; empty: nothing is
    struct error notice;       // about keys of theirs
    char kernel_trouble[4096], shader_trouble[4096];
    struct choice troubled;  // the user's choice when the kernels' trouble came
    bool is_read;            // the user has chosen something else since then
    char *gone;              // a filter on the screen that has no file any more, or NULL
    struct work work;
    struct edges *edges;  // that the work runs; NULL: none
    int told;             // how many of its variants are known
};

static void open_watches(void *job, const struct options *options)
{
    struct reload_job *r = job;
    g_autofree char *kernels = options_kernel_folder(options),
                    *shaders = options_folder(options, "shaders");
    r->kernel_watch = watch_create(kernels);
    r->shader_watch = watch_create(shaders);
    if (options->file) r->file_watch = watch_create(options->file);
}

static void finish(void *job)
{
    struct reload_job *r = job;
    watch_destroy(r->kernel_watch);
    watch_destroy(r->shader_watch);
    watch_destroy(r->file_watch);
    g_free(r->to_open);
    filter_list_finish(&r->next);
    g_free(r->gone);
    if (r->edges) atomic_store(&r->edges->stop, true);
    work_end(&r->work, true);
    edges_destroy(r->edges);
}

// ---- edited kernels ----

static void set_state(struct viewer *v, const struct filter *f, enum viewer_edited state)
{
    g_hash_table_insert(v->kernels.edited, g_strdup(f->name), GINT_TO_POINTER(state));
}

static bool is_in_state(const struct viewer *v, const struct filter *f, enum viewer_edited state)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(v->kernels.edited, f->name)) == (int)state;
}

// Tries edited kernels in the background.
static void try_edges(void *job, struct viewer *v)
{
    struct reload_job *r = job;
    if (r->edges) {
        const struct filter *f = r->edges->filter;
        const bool is_over = work_end(&r->work, false);
        const bool is_wanted = is_in_state(v, f, EDITED_TRYING);
        if (!is_wanted) atomic_store(&r->edges->stop, true);
        for (; is_wanted && r->told < atomic_load(&r->edges->tried); r->told++) {
            const int at = (r->edges->first + r->told) % f->variant_count;
            const struct edges_found *found = &r->edges->found[at];
            const struct choice tried = {f, &f->variants[at], r->edges->settings};
            if (!*found->where) continue;
            results_doubt(v->stage->host.results, &tried, found->where);
            v->screen.needs_words = true;
            if (*found->why) viewer_note(v, "%s", found->why);
        }
        if (is_over && is_wanted) set_state(v, f, EDITED_TRIED);
        if (is_over) g_clear_pointer(&r->edges, edges_destroy);
    }
    for (int side = 0; side < v->now.sides && !r->edges; side++) {
        const struct pane_facts *facts = viewer_facts(v, side);
        if (!facts->is_current || facts->known.check < CHECK_EXACT ||
            !is_in_state(v, facts->choice.filter, EDITED_DUE))
            continue;
        set_state(v, facts->choice.filter, EDITED_TRYING);
        r->edges = edges_create(v->stage->options.include_folder, &facts->choice);
        r->told = 0;
        work_begin(&r->work, "edges", edges_run, r->edges);
    }
}

// ---- kernels ----

static void set_trouble(struct reload_job *r, struct viewer *v, const struct error *err)
{
    g_strlcpy(r->kernel_trouble, err->text, sizeof r->kernel_trouble);
    r->troubled = app_chosen(&v->app, v->app.side);
    r->is_read = false;
    v->app.is_saved_broken = true;
    viewer_end_note(v);
}

// False: a filter is missing that is on the screen or whose file is still there. Others may go.
static bool are_still_there(struct reload_job *r, const struct viewer *v, struct error *err)
{
    const struct app *a = &v->app;
    for (int i = 0; i < v->kernels.filters.count && r->next.mistakes; i++) {
        const struct filter *f = &v->kernels.filters.filters[i];
        if (!filter_find(&r->next, f->name) && g_file_test(f->path, G_FILE_TEST_EXISTS))
            return error_set_log(err, r->next.mistakes);
    }
    for (int side = 0; side < app_sides(a) && !r->opens; side++) {
        const struct filter *f = app_side_filter(a, side);
        if (filter_find(&r->next, f->name)) continue;
        g_autofree char *name = g_path_get_basename(f->path);
        r->gone = g_strdup(f->name);
        return error_set(err, "%s is gone: its kernels run on as they were", name);
    }
    return true;
}

static void begin_reload(struct reload_job *r, struct viewer *v)
{
    struct error err = {""};
    r->opens = r->is_to_open;
    r->is_wanted = r->is_to_open = false;
    const char *const file = r->opens ? r->to_open : v->kernels.file;
    r->notice.text[0] = '\0';
    g_clear_pointer(&r->gone, g_free);
    g_autofree char *folder = options_kernel_folder(v->options);
    g_autofree char *headers = options_include_folder(v->options);
    const bool is_loaded = filter_list_load(&r->next, folder, headers, &err) &&
                           (!file || filter_list_add(&r->next, file, headers, &err));
    if (is_loaded && !viewer_facts(v, 0)->device->is_gpu) filter_list_use_cpu(&r->next);
    if (is_loaded) input_settle_keys(&r->next, &r->notice);
    const bool is_good = is_loaded && are_still_there(r, v, &err);
    if (!is_good) {
        filter_list_finish(&r->next);
        set_trouble(r, v, &err);
        return;
    }
    const struct filter *shown[STAGE_PANES] = {NULL};
    for (int side = 0; side < app_sides(&v->app); side++) {
        shown[side] = filter_find(&r->next, app_side_filter(&v->app, side)->name);
        if (r->opens && (!shown[side] || side == v->app.side)) shown[side] = &r->next.filters[0];
    }
    stage_reload(v->stage, shown);
}

void viewer_note_guesses(struct viewer *v, const struct filter *f)
{
    if (!f->guesses) return;
    g_autofree char *file = g_path_get_basename(f->path), *word = g_shell_quote(file);
    const char *const name = strpbrk(file, " '()&;") ? word : file;
    g_autofree char *how = g_strdup_printf(" · tilescope adopt %s writes it down", name);
    const size_t room = sizeof v->notes.text - MIN(strlen(how), sizeof v->notes.text / 2);
    g_autofree char *guesses = g_strchomp(g_strdup(f->guesses));
    g_auto(GStrv) lines = g_strsplit(guesses, "\n", -1);
    g_autoptr(GString) all = g_string_new("guessed: ");
    // What kernels run over comes last, and is the likeliest to be wrong.
    for (guint last = g_strv_length(lines), i = last; i-- > 0;) {
        const bool has_room = all->len + strlen(lines[i]) + strlen("; …; ") < room;
        g_string_append_printf(all, "%s%s", i + 1 < last ? "; " : "", has_room ? lines[i] : "…");
        if (!has_room) break;
    }
    viewer_note(v, "%s%s", all->str, how);
}

// The user's state is that of the new kernels before the stage waits for the old ones: if an
// endless one makes the program start again, the mended one is shown then.
static void adopt(struct reload_job *r, struct viewer *v)
{
    char note[sizeof v->notes.text] = "kernels reloaded";
    if (r->notice.text[0]) g_snprintf(note, sizeof note, "kernels reloaded; %s", r->notice.text);
    const struct choice before[APP_SIDES] = {app_chosen(&v->app, 0), app_chosen(&v->app, 1)};
    // A baseline that is not pinned yet would be a time of the old kernels. If one is pinned, the
    // request lets it go.
    if (!v->app.baseline.ms.count && viewer_take(v, INPUT_BASELINE))
        g_strlcat(note, ": no baseline is pinned", sizeof note);
    OWNED(filter_list_finish) struct filter_list old = v->kernels.filters;
    v->kernels.filters = r->next;
    v->kernels.version++;
    r->next = (struct filter_list){0};
    memset(v->overrides, 0, sizeof v->overrides);
    app_adopt(&v->app, &old, &v->kernels.filters);
    if (r->opens) {  // on the side that keys act on
        const struct filter *const f = &v->kernels.filters.filters[0];
        const struct choice choice = {f, &f->variants[0], {.params = filter_defaults(f)}};
        g_free(v->kernels.file);
        v->kernels.file = g_steal_pointer(&r->to_open);
        app_take(&v->app, v->app.side, &choice);
        g_snprintf(note, sizeof note, "%s is shown", f->title);
    }
    // A variant that was shown may have another name now, or be another one.
    for (int i = app_sides(&v->app) - 1; i >= 0; i--) {
        const struct choice now = app_chosen(&v->app, i);
        const char *const was = before[i].variant->name;
        if (!r->opens && !filter_variant(now.filter, was))
            g_snprintf(note, sizeof note, "kernels reloaded: %s is gone, %s is shown", was,
                       now.variant->name);
    }
    stage_adopt(v->stage);
    panel_model_forget(v->panels);
    // Kernels that have changed are to be tried. So are those that were edited before: their
    // headers may have changed.
    for (int i = 0; i < v->kernels.filters.count; i++) {
        const struct filter *f = &v->kernels.filters.filters[i], *was = filter_find(&old, f->name);
        if (was && filter_has_same_text(f, was) &&
            !g_hash_table_contains(v->kernels.edited, f->name))
            continue;
        set_state(v, f, EDITED_DUE);
        for (int k = 0; k < f->variant_count; k++) {
            const struct choice any = {.filter = f, .variant = &f->variants[k]};
            results_doubt(v->stage->host.results, &any, NULL);
        }
    }
    r->kernel_trouble[0] = '\0';
    v->app.is_saved_broken = false;
    if (v->kernels.filters.mistakes) {
        g_strlcat(note, "; left out: ", sizeof note);
        g_strlcat(note, v->kernels.filters.mistakes, sizeof note);
    }
    viewer_note(v, "%s", note);
    if (r->opens) viewer_note_guesses(v, &v->kernels.filters.filters[0]);
}

// ---- turn by turn ----

static void step(void *job, struct viewer *v)
{
    struct reload_job *r = job;
    struct error err = {""};
    if (!v->now.sides) return;  // the device is not known yet
    const bool is_asked = viewer_take(v, INPUT_RELOAD) > 0;
    if (watch_has_changed(r->shader_watch) || is_asked) {
        g_autofree char *folder = options_folder(v->options, "shaders");
        const bool is_good = display_reload(v->screen.display, folder, &err);
        g_strlcpy(r->shader_trouble, is_good ? "" : err.text, sizeof r->shader_trouble);
        v->screen.needs_draw = v->screen.needs_words = true;
    }
    const struct choice now = app_chosen(&v->app, v->app.side);
    r->is_read |= !choice_is_same(&now, &r->troubled);
    // The filter that has no file may be no longer on the screen: nothing keeps it then.
    bool is_kept = false;
    for (int side = 0; side < app_sides(&v->app); side++)
        is_kept |= !g_strcmp0(app_side_filter(&v->app, side)->name, r->gone);
    r->is_wanted |= watch_has_changed(r->kernel_watch) || is_asked || (r->gone && !is_kept);
    // A file that was dropped takes the other one's place once it runs.
    const bool is_new = v->kernels.dropped_file;
    if (is_new) {
        g_free(r->to_open);
        r->to_open = g_steal_pointer(&v->kernels.dropped_file);
        watch_destroy(r->file_watch);
        r->file_watch = watch_create(r->to_open);
    }
    const bool is_saved = r->file_watch && watch_has_changed(r->file_watch);
    r->is_to_open |= r->to_open && (is_new || is_saved);
    r->is_wanted |= !r->to_open && is_saved;
    if ((r->is_wanted || r->is_to_open) && !r->next.count) begin_reload(r, v);
    if (!r->next.count) return;
    switch (stage_reloaded(v->stage, &err)) {
    case BUILDER_BUILDING:
        return;
    case BUILDER_FAILED:
        filter_list_finish(&r->next);
        set_trouble(r, v, &err);
        return;
    case BUILDER_READY:
        adopt(r, v);
        return;
    }
}

static bool is_busy(const void *job)
{
    const struct reload_job *r = job;
    return r->is_wanted || r->is_to_open || r->next.count || r->edges;
}

// A newer note comes first: it answers a key, and goes in a moment. A trouble that was read gives
// way to all else.
static void write_troubles(void *job, struct viewer *v)
{
    const struct reload_job *r = job;
    bool is_troubled = false;
    viewer_set_message(v, OVERLAY_BROKEN, r->shader_trouble);
    for (int i = 0; i < v->now.sides; i++)
        is_troubled |= v->stage->panes[i].trouble.kind != TROUBLE_NONE;
    if (viewer_has_note(v) || (r->is_read && is_troubled)) return;
    const size_t length = strcspn(r->kernel_trouble, r->is_read ? "\n" : "");
    g_autofree char *told = g_strndup(r->kernel_trouble, length);
    viewer_set_message(v, OVERLAY_BROKEN, told);
}

const struct job_type reload_job = {
    .size = sizeof(struct reload_job),
    .open = open_watches,
    .step = {[JOB_FOLLOWS] = step, [JOB_SHOWS] = try_edges, [JOB_WRITES] = write_troubles},
    .is_busy = is_busy,
    .finish = finish};
