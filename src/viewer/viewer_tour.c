// viewer_tour.c -- the job that plays a tour (tour/tour_play.h): it presses the keys, goes to
// steps, and shows the words. The tour's file is watched, and read again when it was saved. It
// names tours and steps for the palette. This file is long because all of it moves one tour.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "tour/tour_list.h"
#include "tour/tour_value.h"
#include "viewer/viewer.h"
#include "viewer/watch.h"

enum { LINES_A_TURN = 100 };

// The settings that a tour had at a step, to go back to: a saved state (app/state.h), the choices
// that it leaves out because they were not on the screen, the requests on which the lens stood, and
// how far the tour had been played. The pinned baseline is a part of the state, so that a tour's P
// pins again. {0} is a valid nothing.
struct tour_mark {
    char *state;  // owned; NULL: there is no mark
    struct app_side sides[APP_SIDES];
    bool has_compared;
    unsigned filters_version;  // that the sides are of
    int picture;
    struct lens_cursor lens_cursors[APP_SIDES];
    struct app_lens lens;  // the steps from there, which wait for the block to be traced
    struct tour_play play;
    char *told;  // owned; as tour_job's
};

struct tour_job {
    char *path;  // of the open tour; NULL: none is open
    struct tour_play play;
    struct tour_mark start, *steps;  // at the beginning, and at the end of each step
    int step_count;
    char *told;  // owned: the state in which the last caption or claim was read; NULL: none was
    struct watch *watch;
    char trouble[1024];  // the file was saved and cannot be read
    bool is_reloaded;    // which is told once its keys are pressed
    struct tour_list list;
    char **names, **step_names;  // end with NULL
    enum app_menu listed;        // what is open over the picture, in the last turn
};

// ---- marks ----

static void clear_mark(struct tour_mark *m)
{
    g_free(m->state);
    g_free(m->told);
    *m = (struct tour_mark){.state = NULL};
}

static char *write_state(const struct viewer *v)
{
    return state_write(&v->app, &(struct state_picture){.is_grey = v->pictures.is_grey});
}

static void set_mark(struct tour_mark *m, const struct viewer *v, const struct tour_play *play)
{
    clear_mark(m);
    m->state = write_state(v);
    memcpy(m->sides, v->app.sides, sizeof m->sides);
    m->has_compared = v->app.has_compared;
    m->filters_version = v->kernels.version;
    m->picture = v->app.picture;
    memcpy(m->lens_cursors, v->lens.cursors, sizeof m->lens_cursors);
    m->lens = v->app.lens;
    m->play = *play;
    m->play.is_hurrying = false;
}

void viewer_take_settings(struct viewer *v, struct app *next)
{
    const struct app *now = &v->app;
    next->is_light = now->is_light;
    next->is_bare = now->is_bare;
    next->is_fullscreen = now->is_fullscreen;
    next->text_scale = now->text_scale;
    next->has_vsync = now->has_vsync;
    next->has_tour = now->has_tour;
    next->tour_steps = now->tour_steps;
    next->tour_step = now->tour_step;
    next->is_saved_broken = now->is_saved_broken;
    v->app = *next;
    v->input.held[0] = '\0';
    v->lens.line.line = 0;
    v->screen.needs_words = v->screen.needs_draw = true;
}

// All settings become those that a window opens with.
static void reset_settings(struct viewer *v)
{
    const struct choice_words none = {.filter = NULL};
    struct choice first;
    struct app next;
    app_init(&next, v->app.filters, v->app.picture_count);
    if (choice_read(&first, &none, v->app.filters, NULL))
        next.sides[APP_A].filter = (int)(first.filter - v->app.filters->filters);
    next.picture = v->app.picture;
    next.is_staged = v->app.is_staged;
    viewer_take_settings(v, &next);
    memset(v->lens.cursors, 0, sizeof v->lens.cursors);
    memset(&v->lens.pair, 0, sizeof v->lens.pair);
}

// False: there is no mark, or (after a reload of kernels) its state cannot be any more.
static bool read_mark(const struct tour_mark *m, const struct viewer *v, struct app *next)
{
    OWNED(state_picture_finish) struct state_picture unused = {0};
    if (!m->state) return false;
    app_init(next, v->app.filters, v->app.picture_count);
    if (!state_read(next, &unused, m->state, "the tour's step", NULL)) return false;
    if (m->filters_version == v->kernels.version) {
        memcpy(next->sides, m->sides, sizeof next->sides);
        next->has_compared = m->has_compared;
    }
    return true;
}

static bool restore_mark(const struct tour_mark *m, struct viewer *v, struct tour_play *play)
{
    struct app next;
    if (!read_mark(m, v, &next)) return false;
    // Since the mark was made, other pictures may have been dropped.
    next.picture = m->picture < v->app.picture_count ? m->picture : v->app.picture;
    next.lens = m->lens;
    viewer_take_settings(v, &next);
    memcpy(v->lens.cursors, m->lens_cursors, sizeof v->lens.cursors);
    memset(&v->lens.pair, 0, sizeof v->lens.pair);
    *play = m->play;
    return true;
}

// True if the user has chosen something else to run since then, or it is there no more.
static bool has_left(const struct tour_mark *m, const struct viewer *v)
{
    struct app then;
    if (!m->state) return false;
    if (!read_mark(m, v, &then)) return true;
    for (int side = 0; side < app_sides(&v->app); side++) {
        const struct choice was = app_chosen(&then, side), is = app_chosen(&v->app, side);
        if (!choice_is_same(&was, &is)) return true;
    }
    return false;
}

// Words tell of the choice with which the last of their lines was read, whatever is pressed after
// it. It is found by names in reloaded kernels.
static void find_told(struct tour_job *j, struct viewer *v)
{
    if (!v->tour.told.filter || v->tour.told_version != v->kernels.version) {
        const struct tour_mark mark = {.state = j->told, .filters_version = v->kernels.version - 1};
        struct app then;
        v->tour.told = (struct choice){.filter = NULL};
        if (read_mark(&mark, v, &then)) v->tour.told = app_chosen(&then, then.side);
    }
    v->tour.told_version = v->kernels.version;
}

static void set_told(struct tour_job *j, struct viewer *v, const char *told)
{
    char *const next = g_strdup(told);
    g_free(j->told);
    j->told = next;
    v->tour.told.filter = NULL;
    find_told(j, v);
}

static void clear_marks(struct tour_job *j)
{
    clear_mark(&j->start);
    for (int i = 0; i < j->step_count; i++) clear_mark(&j->steps[i]);
    g_clear_pointer(&j->steps, g_free);
    j->step_count = 0;
}

static void finish(void *job)
{
    struct tour_job *j = job;
    clear_marks(j);
    watch_destroy(j->watch);
    g_free(j->path);
    g_free(j->told);
    tour_list_finish(&j->list);
    g_strfreev(j->names);
    g_strfreev(j->step_names);
}

// ---- names ----

static void name_tours(struct tour_job *j, struct viewer *v)
{
    g_autofree char *folder = options_folder(v->options, "tours");
    tour_list_finish(&j->list);
    tour_list_load(&j->list, folder, options_lends_tours(v->options), &v->kernels.filters);
    g_strfreev(j->names);
    j->names = g_new0(char *, j->list.count + 1);
    for (int i = 0; i < j->list.count; i++) {
        const struct tour_entry *e = &j->list.entries[i];
        j->names[i] = e->title ? g_strdup_printf("%s · %d step%s", e->title, e->steps,
                                                 e->steps == 1 ? "" : "s")
                               : g_strdup_printf("%s cannot be read", e->name);
    }
}

// Finds the figures of a step's name. Nothing is measured or counted for a name.
static struct tour_value find_chosen(void *user, const struct tour_figure *figure)
{
    const struct tour_source *source = user;
    return !tour_figure_is_measured(figure) && source->shown.filter
               ? tour_value_find(source, figure)
               : (struct tour_value){.known = TOUR_PENDING};
}

// Names each step by its subject. Its figures are not those of the present settings, but those that
// the step has if only the tour presses keys from the start on, provided that the start can be
// read.
static void name_steps(struct tour_job *j, struct viewer *v)
{
    const struct tour *t = &v->tour.file;
    struct tour_source source = {.results = v->stage->host.results,
                                 .device = viewer_facts(v, 0)->device};
    struct app a;
    enum input_request unused;
    const bool is_known = read_mark(&j->start, v, &a);
    if (is_known) a.has_tour = true;
    g_strfreev(j->step_names);
    j->step_names = g_new0(char *, t->step_count + 1);
    for (int i = 0; i < t->step_count; i++) {
        const struct tour_step *step = &t->steps[i];
        for (int k = step->first; is_known && k < step->first + step->count; k++)
            for (char **key = t->lines[k].keys; key && *key; key++) input_press(&a, *key, &unused);
        if (is_known) source.shown = app_chosen(&a, a.side);
        j->step_names[i] = tour_figure_fill(*step->name ? step->name : "(without a caption)",
                                            find_chosen, &source);
    }
}

// ---- beginning ----

// Plays the viewer's tour from its first line, with the present settings.
static void begin(struct tour_job *j, struct viewer *v)
{
    clear_marks(j);
    set_told(j, v, NULL);
    j->play = (struct tour_play){.tour = &v->tour.file};
    j->step_count = v->tour.file.step_count;
    j->steps = g_new0(struct tour_mark, j->step_count);
    v->app.has_tour = true;
    v->app.tour_steps = v->tour.file.step_count;
    set_mark(&j->start, v, &j->play);
    v->tour.play = &j->play;
    j->listed = APP_MENU_NONE;  // its steps are named anew
    v->screen.needs_words = true;
}

static void open_path(struct tour_job *j, struct viewer *v, const char *path)
{
    g_free(j->path);
    j->path = g_strdup(path);
    watch_destroy(j->watch);
    j->watch = watch_create(path);
    j->trouble[0] = '\0';
    v->tour.path = j->path;
    begin(j, v);
}

// Opens the command line's tour, which was read before there was a window. If the program started
// again, it goes on with the settings that it had, and the tour begins with those of a new window.
static void open_first(struct tour_job *j, struct viewer *v)
{
    struct tour_mark present = {.state = NULL};
    struct tour_play unused;
    const int step = v->options->from ? atoi(v->options->from) - 1 : 0;  // view_command.c checks it
    if (j->path || !v->options->script) return;
    if (v->options->resume) {
        set_mark(&present, v, &j->play);
        reset_settings(v);
    }
    open_path(j, v, v->options->script);
    if (v->options->resume) {
        restore_mark(&present, v, &unused);
        clear_mark(&present);
        tour_play_skip(&j->play, step);
    } else if (step > 0) {
        tour_play_hurry(&j->play, step);
    }
}

// Opens a tour that was chosen or dropped, with the settings of a new window. The palette's tour
// may have been chosen before the tours were listed.
static void open_chosen(struct tour_job *j, struct viewer *v)
{
    struct error err = {""};
    struct tour next = {0};
    if (viewer_take(v, INPUT_TOUR) && v->app.chosen < j->list.count) {
        const struct tour_entry *e = &j->list.entries[v->app.chosen];
        if (e->title) {
            g_free(v->tour.wanted);
            v->tour.wanted = g_strdup(e->path);
        } else {
            viewer_note(v, "%s", e->why);
        }
    }
    g_autofree char *path = g_steal_pointer(&v->tour.wanted);
    if (!path) return;
    if (tour_load(&next, path, &v->kernels.filters, &err)) {
        tour_finish(&v->tour.file);
        v->tour.file = next;
        reset_settings(v);
        open_path(j, v, path);
    } else {
        viewer_note(v, "%s", err.text);
    }
}

// ---- going to a step ----

static void tell_note(const struct tour_job *j, struct viewer *v, const struct tour_line *line,
                      int step)
{
    if (line->kind != TOUR_NOTE) return;
    g_autofree char *text = tour_figure_fill(line->text, viewer_find_present, v);
    terminal_print(stderr, "%d of %d: %s\n", step + 1, j->step_count, text);
}

// Goes to a step: restores the settings of the last played step up to it, and hurries through the
// lines between.
static void go_to(struct tour_job *j, struct viewer *v, int step)
{
    const struct tour_step *s = &v->tour.file.steps[step];
    int known = step;
    v->app.has_tour = true;
    while (known >= 0 && !restore_mark(&j->steps[known], v, &j->play)) known--;
    for (int i = s->first; known == step && i < s->first + s->count; i++)
        tell_note(j, v, &v->tour.file.lines[i], step);
    set_told(j, v, known < 0 ? NULL : j->steps[known].told);
    if (known < 0) restore_mark(&j->start, v, &j->play);
    if (known < step) tour_play_hurry(&j->play, step);
    v->screen.needs_words = true;
}

static void answer_keys(struct tour_job *j, struct viewer *v)
{
    const int steps = viewer_take(v, INPUT_STEP) - viewer_take(v, INPUT_STEP_BACK);
    const bool is_back = viewer_take(v, INPUT_RETURN) > 0, is_on = viewer_take(v, INPUT_GO_ON) > 0;
    const int goal = viewer_take(v, INPUT_GO_TO) ? v->app.chosen : -1;
    if (!j->path) {
        if (steps || is_back) viewer_note(v, "no tour is open; D lists them");
        return;
    }
    if (goal >= 0 && goal < j->step_count) go_to(j, v, goal);
    // Once the tour is over, a step back leads to the last step.
    const bool is_over = tour_play_is_over(&j->play) && j->steps[j->step_count - 1].state;
    const int by = tour_play_step(&j->play) + (is_over && steps < 0 ? 0 : steps);
    if (steps && by < 0)
        viewer_note(v, "this is the tour's first step");
    else if (steps && by >= j->step_count)
        viewer_note(v, "this is the tour's last step");
    else if (steps)
        go_to(j, v, by);
    const int step = tour_play_step(&j->play);
    if (is_back && j->steps[step].state)
        go_to(j, v, step);
    else if (is_back)
        viewer_note(v, "the step is still being played");
    if (is_on && v->app.has_tour) tour_play_go_on(&j->play);
}

// ---- turn by turn ----

// Reads a saved file, and goes on at the nearest step with the same words, or else at the step of
// the same number.
static void follow_file(struct tour_job *j, struct viewer *v)
{
    struct error err = {""};
    struct tour next = {0};
    struct tour_play unused;
    if (!j->watch || !watch_has_changed(j->watch)) return;
    if (tour_load(&next, j->path, &v->kernels.filters, &err)) {
        const int number = tour_play_step(&j->play);
        const char *name = v->tour.file.steps[number].name;
        int best = -1;
        for (int i = 0; i < next.step_count && *name; i++)
            if (!strcmp(next.steps[i].name, name) &&
                (best < 0 || ABS(i - number) < ABS(best - number)))
                best = i;
        restore_mark(&j->start, v, &unused);
        tour_finish(&v->tour.file);
        v->tour.file = next;
        begin(j, v);
        tour_play_hurry(&j->play, best >= 0 ? best : MIN(number, next.step_count - 1));
        j->is_reloaded = true;
    }
    g_strlcpy(j->trouble, err.text, sizeof j->trouble);
    v->screen.needs_words = true;
}

// A turn may take long on a busy processor, so the tour hurries within one. What a key asks for is
// done before the next key. A baseline is pinned when its time is there, if that can be. While it
// hurries, only the notes of the goal's step are told. What the tour types into a list is typed
// within one turn, so that no key of the user's comes between.
static void play(struct tour_job *j, struct viewer *v)
{
    struct tour_play *p = &j->play;
    int most = LINES_A_TURN;
    if (v->input.asked[INPUT_BASELINE] && !(viewer_is_settled(v) && viewer_shows_chosen(v))) return;
    do {
        const int before = p->line, step = tour_play_step(p);
        const bool is_told = !p->is_hurrying || step == p->goal;
        const bool was_at_end = tour_play_is_at_end(p);
        const bool is_settled = !p->is_hurrying && viewer_is_settled(v) && viewer_has_figures(v) &&
                                !jobs_are_busy(v->jobs);
        // A step's settings are those with which its wait begins.
        const enum tour_kind kind = v->tour.file.lines[p->line].kind;
        if (kind == TOUR_WAIT_SPACE && !p->is_waiting) {
            set_mark(&j->steps[step], v, p);
            j->steps[step].told = g_strdup(j->told);
        }
        g_autofree char *told = kind == TOUR_CAPTION || kind == TOUR_CLAIM ? write_state(v) : NULL;
        if (told) set_told(j, v, told);
        const char *key = tour_play_turn(p, (double)g_get_monotonic_time() / 1e6,
                                         v->app.menu != APP_MENU_NONE, is_settled);
        if (key) viewer_press(v, key, true);
        viewer_point_tour(v, &p->pointer);
        v->screen.needs_words |= before != p->line || was_at_end != tour_play_is_at_end(p);
        if (is_told && before != p->line) tell_note(j, v, &v->tour.file.lines[before], step);
    } while (!tour_play_is_over(p) && --most &&
             (v->app.menu != APP_MENU_NONE || (p->is_hurrying && !viewer_has_request(v))));
}

static void step(void *job, struct viewer *v)
{
    struct tour_job *j = job;
    if (!v->now.sides) return;
    const enum app_menu menu = v->app.menu;
    if (menu != j->listed) {  // tours are read each time that they are listed
        j->listed = menu;
        if (menu == APP_MENU_ALL || menu == APP_MENU_TOURS) name_tours(j, v);
        if (j->path && (menu == APP_MENU_ALL || menu == APP_MENU_STEPS)) name_steps(j, v);
        v->screen.needs_words = true;
    }
    v->app.tour_names = j->names;
    v->app.step_names = j->step_names;
    open_first(j, v);
    open_chosen(j, v);
    follow_file(j, v);
    answer_keys(j, v);
    if (!j->path) return;
    find_told(j, v);
    viewer_note_path(v);
    const bool is_whole = !v->app.has_tour || viewer_need_whole(v);  // its figures are of that
    if (v->app.has_tour && is_whole && v->app.menu == APP_MENU_NONE) play(j, v);
    if (j->is_reloaded && !j->play.is_hurrying) viewer_note(v, "tour reloaded");
    j->is_reloaded &= j->play.is_hurrying;
    v->app.tour_step = tour_play_step(&j->play);
    if (!v->app.has_tour || !tour_play_is_over(&j->play)) return;
    v->app.has_tour = false;
    viewer_note(v, "the tour is over");
}

static void write_words(void *job, struct viewer *v)
{
    const struct tour_job *j = job;
    struct overlay_content *c = &v->screen.content;
    viewer_set_message(v, OVERLAY_BROKEN, j->trouble);
    if (!j->path) return;
    if (v->app.has_tour)
        g_snprintf(c->hint, sizeof c->hint, "%d of %d   space  goes on", v->app.tour_step + 1,
                   j->step_count);
    if (j->play.is_waiting && has_left(&j->steps[v->app.tour_step], v)) {
        g_snprintf(c->caption, sizeof c->caption, "You have left step %d.\nPress 0 to return.",
                   v->app.tour_step + 1);
        return;
    }
    // The former step's words would have figures of what the next one's keys have chosen.
    c->caption[0] = '\0';
    if (tour_play_awaits_caption(&j->play) && has_left(&j->steps[tour_play_step(&j->play) - 1], v))
        return;
    const char *caption = tour_play_caption(&j->play);
    g_autofree char *text = viewer_fill(v, caption ? caption : "");
    text_copy(c->caption, sizeof c->caption, text);
    const bool has_gpu_times = device_has_gpu_times(
        results_device(v->stage->host.results, viewer_facts(v, v->app.side)->device));
    for (int i = -1; (i = tour_play_next_claim(&j->play, i)) >= 0;) {
        const struct claim *claim = &v->tour.file.lines[i].claim;
        const struct claim_finding found = claim_judge(claim, viewer_find_figure, v, has_gpu_times);
        g_autofree char *line = claim_write(claim, &found, viewer_find_figure, v);
        text_join(c->caption, sizeof c->caption, "\n", "%s", line);
    }
}

// Keys of --keys wait until the step is there that they have asked for.
static bool is_busy(const void *job)
{
    const struct tour_job *j = job;
    return j->path && j->play.is_hurrying;
}

const struct job_type tour_job = {.size = sizeof(struct tour_job),
                                  .step = {[JOB_PRESSES] = step, [JOB_WRITES] = write_words},
                                  .is_busy = is_busy,
                                  .finish = finish};
