// viewer_jobs.c -- the table of all jobs, and the small ones: keys of --keys, what follows the
// user's state, the baseline, the menus over the picture, and dropped files; and work in the
// background.
#include <glib.h>
#include <string.h>

#include "measure/figures.h"
#include "viewer/viewer.h"

// ---- work ----

static gpointer run_work(gpointer data)
{
    struct work *w = data;
    w->run(w->user);
    g_atomic_int_set(&w->is_done, TRUE);
    return NULL;
}

void work_begin(struct work *w, const char *name, void (*run)(void *user), void *user)
{
    *w = (struct work){.run = run, .user = user};
    w->thread = g_thread_new(name, run_work, w);
}

bool work_end(struct work *w, bool is_waiting)
{
    if (!w->thread || (!is_waiting && !g_atomic_int_get(&w->is_done))) return false;
    g_thread_join(g_steal_pointer(&w->thread));
    return true;
}

// ---- keys ----
// Plays --keys, each key when the effect of the last one is on the screen, measured and checked. A
// q at the end always ends.

static const gint64 PATIENCE_US = 20000000;  // for settled times, and for a window to be seen

struct keys_job {
    char **script;  // NULL: it was not read yet, or there is none
    int at;         // the next key
    gint64 since_us;
};

static void press_keys(void *job, struct viewer *v)
{
    struct keys_job *k = job;
    const gint64 now = g_get_monotonic_time();
    bool is_compiling = false;
    if (!k->script && v->options->keys)  // view_command.c has checked it
        k->script = input_script(v->options->keys, &v->kernels.filters, NULL);
    for (int i = 0; i < v->now.sides; i++)
        is_compiling |= viewer_facts(v, i)->is_compiling || viewer_facts(v, i)->report.is_generic;
    // A compiler comes back some time, or is stopped, however slow the machine is.
    if (!k->since_us || is_compiling) k->since_us = now;
    v->input.keys_left = k->script ? g_strv_length(k->script + k->at) : 0;
    if (!v->input.keys_left || jobs_are_busy(v->jobs)) return;
    const bool is_pending = viewer_has_request(v) || !viewer_is_settled(v);
    if (is_pending && now - k->since_us < PATIENCE_US) return;
    const char *const key = k->script[k->at++];
    v->input.keys_left--;
    if (v->input.keys_left || strcmp(key, "q") != 0)
        viewer_press(v, key, false);
    else
        v->input.is_closing = true;  // even where a letter is typed: nobody is there to close that
    k->since_us = now;
}

static void finish_keys(void *job)
{
    g_strfreev(((struct keys_job *)job)->script);
}

static const struct job_type keys_job = {
    .size = sizeof(struct keys_job), .step = {[JOB_PRESSES] = press_keys}, .finish = finish_keys};

// ---- window and stage ----
// Brings panes, path, vsync, full screen and zoom to the user's state, and takes back in the state
// what cannot be, with a note.

// The last request for vsync.
struct follow_job {
    bool has_vsync, was_told_vsync;
};

static void follow(void *job, struct viewer *v)
{
    struct follow_job *f = job;
    struct error err = {""};
    if (!stage_set_panes(v->stage, app_sides(&v->app), &err)) {
        app_toggle_compare(&v->app);
        viewer_note(v, "%s", err.text);
    }
    if (!stage_set_staged(v->stage, v->app.is_staged, &err)) {
        v->app.is_staged = !v->app.is_staged;
        viewer_note(v, "%s", err.text);
    }
    const bool was_told = f->was_told_vsync;
    if (!was_told || f->has_vsync != v->app.has_vsync) {
        f->was_told_vsync = true;
        f->has_vsync = v->app.has_vsync;
        const enum window_vsync now = window_set_vsync(v->screen.window, f->has_vsync);
        v->screen.vsync = now;
        if (was_told && now != (f->has_vsync ? WINDOW_VSYNC_ON : WINDOW_VSYNC_OFF))
            viewer_note(v, "the driver %s",
                        now == WINDOW_VSYNC_UNKNOWN ? "does not let vsync be chosen"
                        : now == WINDOW_VSYNC_ON    ? "keeps vsync on"
                                                    : "keeps vsync off");
    }
    window_set_fullscreen(v->screen.window, v->app.is_fullscreen);
    const int steps = viewer_take(v, INPUT_ZOOM);
    if (steps) viewer_zoom(v, steps);
}

static const struct job_type follow_job = {.size = sizeof(struct follow_job),
                                           .step = {[JOB_FOLLOWS] = follow}};

// ---- the baseline ----
// Pins the present result as the baseline, or lets it go.

static void pin_or_let_go(void *job, struct viewer *v)
{
    (void)job;
    if (!v->input.asked[INPUT_BASELINE] || !v->now.sides) return;
    const struct pane_facts *now = viewer_facts(v, v->app.side);
    const struct choice chosen = app_chosen(&v->app, v->app.side);
    const bool is_as_asked = choice_is_same(&chosen, &v->input.to_pin);
    const bool is_pinned = v->app.baseline.ms.count > 0;
    // Waits until the choice is shown and settled. A frame that is late may still come.
    const bool is_late = v->stage->panes[v->app.side].trouble.kind == TROUBLE_LATE;
    const bool is_measured = !now->is_refused && !viewer_is_settled(v);
    const bool is_coming = !viewer_shows_chosen(v) || is_late || is_measured;
    if (!is_pinned && is_as_asked && is_coming) return;
    viewer_take(v, INPUT_BASELINE);
    const char *reason =  // why it is not pinned
        is_pinned                                  ? "the baseline is no longer pinned"
        : !is_as_asked                             ? "no baseline: something else was chosen"
        : now->is_frozen && !now->known.is_settled ? "frozen: there is no settled time to pin"
        : !now->known.ms.count                     ? "there is no time to pin as the baseline"
        : now->known.check == CHECK_WRONG          ? "a wrong result is no baseline"
                                                   : NULL;
    if (is_pinned) v->app.baseline = (struct baseline){.ms.count = 0};
    if (reason) {
        viewer_note(v, "%s", reason);
        return;
    }
    const struct baseline_subject subject = {now->timed.choice, now->timed.picture,
                                             now->timed.device};
    char name[BASELINE_WORDS], ms[32];
    v->app.baseline = baseline_pin(&subject, now->known.ms);
    baseline_write_name(&v->app.baseline, name, sizeof name);
    figures_write_ms(ms, sizeof ms, now->known.ms);
    viewer_note(v, "baseline: %s, %s%s", name, ms,
                device_has_gpu_times(now->timed.device) ? "" : " on this CPU");
}

static const struct job_type baseline_job = {.step = {[JOB_SHOWS] = pin_or_let_go}};

// ---- what is typed ----
// Shows what is typed over the picture, the palette's rows or a value (app/palette.h), and the
// help.

struct menu_job {
    struct palette palette;
    struct menu_row *rows;
    struct menu_view view;
    char title[160], foot[160], why[160];
    struct input_help help;
};

static void finish_menu(void *job)
{
    struct menu_job *m = job;
    palette_finish(&m->palette);
    g_free(m->rows);
}

static void write_menu(void *job, struct viewer *v)
{
    const char *const titles[] = {
        [APP_MENU_ALL] = "Find", [APP_MENU_TOURS] = "Tours", [APP_MENU_STEPS] = v->tour.file.title};
    struct menu_job *m = job;
    struct overlay_content *c = &v->screen.content;
    c->menu = NULL;
    finish_menu(m);
    *m = (struct menu_job){.rows = NULL};
    input_help(&m->help, &v->kernels.filters);
    c->help = v->app.has_help ? m->help.rows : NULL;
    c->help_count = m->help.count;
    c->help_page = v->app.help_page;
    if (v->app.menu == APP_MENU_NONE) return;
    if (v->app.menu == APP_MENU_VALUE) {
        char limits[2 * FILTER_VALUE + 8];
        palette_write_value(&v->app, m->title, sizeof m->title);
        palette_write_limits(&v->app, limits, sizeof limits);
        g_snprintf(m->foot, sizeof m->foot, "%s · Return: set · Esc: close", limits);
        g_strlcpy(m->why, v->app.note, sizeof m->why);
    } else {
        m->palette = input_palette(&v->app);
        m->rows = g_new(struct menu_row, m->palette.count + 1);
        for (int i = 0; i < m->palette.count; i++) {
            const struct palette_row *row = &m->palette.rows[i];
            m->rows[i] =
                (struct menu_row){row->name, row->group, row->key, row->is_present, row->is_grey};
        }
        g_snprintf(m->title, sizeof m->title, "%s: %s_", titles[v->app.menu], v->app.typed);
        g_strlcpy(m->foot, "Type words · ↑ ↓: choose · Return: go · Esc: close", sizeof m->foot);
        if (!m->palette.count)
            g_strlcpy(m->why, *v->app.typed ? "Nothing has these words." : "There are no tours.",
                      sizeof m->why);
    }
    m->view = (struct menu_view){.title = m->title,
                                 .foot = m->foot,
                                 .why = *m->why ? m->why : NULL,
                                 .rows = m->rows,
                                 .count = m->palette.count,
                                 .row = CLAMP(v->app.menu_row, 0, MAX(0, m->palette.count - 1))};
    c->menu = &m->view;
}

static const struct job_type menu_job = {
    .size = sizeof(struct menu_job), .step = {[JOB_WRITES] = write_menu}, .finish = finish_menu};

// ---- dropped files ----
// Pictures that are dropped on the window become the list that n goes through, a tour is played,
// and a kernel file shown. What belongs elsewhere is refused with a line that says where.

// To add a kind that the window does not take: its ending, and what takes it.
static const struct {
    const char *ending, *advice;
} elsewhere[] = {
    {".npy", "is an array: tilescope run LAB --in NAME=FILE fills a lab's array from it"},
    {".bin", "is an array: tilescope run LAB --in NAME=FILE fills a lab's array from it"},
};

static void step_exchange(void *job, struct viewer *v)
{
    struct error err = {""};
    (void)job;
    if (!v->exchange) return;
    g_auto(GStrv) files = exchange_poll(v->exchange, &err);
    if (err.text[0]) viewer_note(v, "%s", err.text);
    if (!files) return;
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    v->notes.text[0] = v->input.held[0] = '\0';
    for (char **file = files; *file; file++) {
        char **wanted = NULL;
        const char *advice = NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(elsewhere); i++)
            if (g_str_has_suffix(*file, elsewhere[i].ending)) advice = elsewhere[i].advice;
        if (g_str_has_suffix(*file, ".tour")) wanted = &v->tour.wanted;
        if (g_str_has_suffix(*file, ".cu")) wanted = &v->kernels.dropped_file;
        if (advice) {
            g_autofree char *name = g_filename_display_basename(*file);
            viewer_note(v, "'%s' %s", name, advice);
        } else if (wanted) {
            g_free(*wanted);
            *wanted = g_strdup(*file);
        } else {
            g_strv_builder_add(builder, *file);
        }
    }
    g_auto(GStrv) pictures = g_strv_builder_end(builder);
    if (*pictures) {
        g_strfreev(v->pictures.dropped);
        v->pictures.dropped = g_steal_pointer(&pictures);
    }
    v->screen.needs_words = v->screen.needs_draw = true;
}

static const struct job_type exchange_job = {.step = {[JOB_FOLLOWS] = step_exchange}};

// ---- all of them ----

static const struct job_type *const types[] = {
    &keys_job,   &baseline_job, &menu_job,   &tour_job,    &exchange_job, &picture_job,
    &follow_job, &reload_job,   &lens_job,   &sharing_job, &panels_job,   &sheet_job,
    &times_job,  &capture_job,  &source_job, &dump_job};

enum { COUNT = G_N_ELEMENTS(types) };

struct jobs {
    void *states[COUNT];
};

struct jobs *jobs_create(const struct options *options)
{
    struct jobs *jobs = g_new0(struct jobs, 1);
    for (int i = 0; i < COUNT; i++) {
        jobs->states[i] = g_malloc0(types[i]->size);
        if (types[i]->open) types[i]->open(jobs->states[i], options);
    }
    return jobs;
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs) return;
    for (int i = 0; i < COUNT; i++) {
        if (types[i]->finish) types[i]->finish(jobs->states[i]);
        g_free(jobs->states[i]);
    }
    g_free(jobs);
}

void jobs_step(struct jobs *jobs, enum job_phase phase, struct viewer *v)
{
    for (int i = 0; i < COUNT; i++)
        if (types[i]->step[phase]) types[i]->step[phase](jobs->states[i], v);
}

bool jobs_are_busy(const struct jobs *jobs)
{
    for (int i = 0; i < COUNT; i++)
        if (types[i]->is_busy && types[i]->is_busy(jobs->states[i])) return true;
    return false;
}
