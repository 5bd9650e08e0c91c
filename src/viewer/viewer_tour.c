// viewer_tour.c -- the job that plays a tour (tour/tour_play.h): it presses the keys, goes to
// steps, and shows the words. The tour's file is watched, and read again when it was saved. It
// names tours and steps for the palette.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "tour/tour_list.h"
#include "tour/tour_value.h"
#include "viewer/tour_marks.h"
#include "viewer/viewer.h"
#include "viewer/watch.h"

enum { LINES_A_TURN = 100 };

struct tour_job {
    char *path;  // of the open tour; NULL: none is open
    struct tour_play play;
    struct tour_mark start, *steps;  // at the beginning, and at the end of each step
    int step_count;
    struct watch *watch;
    char trouble[1024];  // the file was saved and cannot be read
    bool is_reloaded;    // which is told once its keys are pressed
    struct tour_list list;
    char **names, **step_names;  // end with NULL
    enum app_menu listed;        // what is open over the picture, in the last turn
};

static void clear_marks(struct tour_job *j)
{
    tour_marks_clear(&j->start);
    for (int i = 0; i < j->step_count; i++) tour_marks_clear(&j->steps[i]);
    g_clear_pointer(&j->steps, g_free);
    j->step_count = 0;
}

static void finish(void *job)
{
    struct tour_job *j = job;
    clear_marks(j);
    watch_destroy(j->watch);
    g_free(j->path);
    tour_list_finish(&j->list);
    g_strfreev(j->names);
    g_strfreev(j->step_names);
}

// ---- names ----

static void name_tours(struct tour_job *j, struct viewer *v)
{
    char *folder = options_tour_folder(v->options);
    tour_list_finish(&j->list);
    tour_list_load(&j->list, folder, options_lends_tours(v->options), &v->filters);
    g_free(folder);
    g_strfreev(j->names);
    j->names = g_new0(char *, j->list.count + 1);
    for (int i = 0; i < j->list.count; i++) {
        const struct tour_entry *e = &j->list.entries[i];
        j->names[i] = e->title ? g_strdup_printf("%s · %d step%s", e->title, e->steps,
                                                 e->steps == 1 ? "" : "s")
                               : g_strdup_printf("%s cannot be read", e->name);
    }
    v->app.tour_names = j->names;
}

// Of what a step runs. Nothing is measured or counted for a name.
static struct tour_value find_chosen(void *user, const struct tour_figure *figure)
{
    const struct tour_source *source = user;
    const bool is_chosen = figure->kind >= TOUR_DEVICE;
    return is_chosen && source->shown.filter ? tour_value_find(source, figure)
                                             : (struct tour_value){.known = TOUR_PENDING};
}

// The first line of a step's first caption. Its figures are those of its own settings, not of the
// present ones.
static void name_steps(struct tour_job *j, struct viewer *v)
{
    g_strfreev(j->step_names);
    j->step_names = g_new0(char *, v->tour.file.step_count + 1);
    for (int i = 0; i < v->tour.file.step_count; i++) {
        const char *name = v->tour.file.steps[i].name;
        struct tour_source source = {.shown = tour_marks_choice(&j->start, v, i),
                                     .device = viewer_facts(v, 0)->device};
        char *line = g_strndup(name, strcspn(name, "\n"));
        j->step_names[i] =
            tour_figure_fill(*line ? line : "(without a caption)", find_chosen, &source);
        g_free(line);
    }
    v->app.step_names = j->step_names;
}

// Tours are read each time that they are listed.
static void name_what_is_listed(struct tour_job *j, struct viewer *v)
{
    const enum app_menu menu = v->app.menu;
    v->app.tour_names = j->names;
    v->app.step_names = j->step_names;
    if (menu == j->listed) return;
    j->listed = menu;
    if (menu == APP_MENU_ALL || menu == APP_MENU_TOURS) name_tours(j, v);
    if (j->path && (menu == APP_MENU_ALL || menu == APP_MENU_STEPS)) name_steps(j, v);
    v->screen.needs_words = true;
}

// ---- beginning ----

// The viewer's tour is played from its first line, with the present settings.
static void begin(struct tour_job *j, struct viewer *v)
{
    clear_marks(j);
    j->play = (struct tour_play){.tour = &v->tour.file};
    j->step_count = v->tour.file.step_count;
    j->steps = g_new0(struct tour_mark, j->step_count);
    v->app.has_tour = true;
    v->app.tour_steps = v->tour.file.step_count;
    tour_marks_set(&j->start, v, &j->play);
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

// view_command.c has checked --from.
static int first_step(const struct viewer *v)
{
    return v->options->from ? atoi(v->options->from) - 1 : 0;
}

// The settings are those with which the program started again, and those of a new window are the
// tour's beginning.
static void resume(struct tour_job *j, struct viewer *v)
{
    struct tour_mark present = {.state = NULL};
    struct tour_play unused;
    tour_marks_set(&present, v, &j->play);
    tour_marks_reset(v);
    open_path(j, v, v->options->script);
    tour_marks_restore(&present, v, &unused);
    tour_marks_clear(&present);
    tour_play_skip(&j->play, first_step(v));
}

// What the command line says was read before there was a window.
static void open_first(struct tour_job *j, struct viewer *v)
{
    if (j->path || !v->options->script) return;
    if (v->options->resume) {
        resume(j, v);
        return;
    }
    open_path(j, v, v->options->script);
    if (first_step(v) > 0) tour_play_hurry(&j->play, first_step(v));
}

// The palette's tour. It may have been chosen before the tours were listed.
static void take_chosen(struct tour_job *j, struct viewer *v)
{
    if (!viewer_take(v, INPUT_TOUR) || v->app.chosen >= j->list.count) return;
    const struct tour_entry *e = &j->list.entries[v->app.chosen];
    if (!e->title) {
        viewer_note(v, e->why);
        return;
    }
    g_free(v->tour.wanted);
    v->tour.wanted = g_strdup(e->path);
}

// What was chosen or dropped begins with the settings of a new window.
static void open_chosen(struct tour_job *j, struct viewer *v)
{
    struct error err = {""};
    struct tour next = {0};
    take_chosen(j, v);
    char *path = g_steal_pointer(&v->tour.wanted);
    if (!path) return;
    if (tour_load(&next, path, &v->filters, &err)) {
        tour_finish(&v->tour.file);
        v->tour.file = next;
        tour_marks_reset(v);
        open_path(j, v, path);
    } else {
        viewer_note(v, err.text);
    }
    g_free(path);
}

// ---- notes ----

static void tell_note(const struct tour_job *j, struct viewer *v, const struct tour_line *line,
                      int step)
{
    if (line->kind != TOUR_NOTE) return;
    char *text = tour_figure_fill(line->text, viewer_find_figure, v);
    terminal_print(stderr, "%d of %d: %s\n", step + 1, j->step_count, text);
    g_free(text);
}

static void tell_notes(const struct tour_job *j, struct viewer *v, int step)
{
    const struct tour_step *s = &v->tour.file.steps[step];
    for (int i = s->first; i < s->first + s->count; i++)
        tell_note(j, v, &v->tour.file.lines[i], step);
}

// ---- going to a step ----

// The settings become those of the last step before it that was played, and the lines between are
// hurried through.
static void go_to(struct tour_job *j, struct viewer *v, int step)
{
    int known = step;
    v->app.has_tour = true;
    while (known >= 0 && !tour_marks_restore(&j->steps[known], v, &j->play)) known--;
    if (known == step) tell_notes(j, v, step);
    if (known < 0) tour_marks_restore(&j->start, v, &j->play);
    if (known < step) tour_play_hurry(&j->play, step);
    v->screen.needs_words = true;
}

// Behind the last step's wait one goes back to that.
static void step_by(struct tour_job *j, struct viewer *v, int steps)
{
    const bool is_over = tour_play_is_over(&j->play) && j->steps[j->step_count - 1].state;
    const int goal = tour_play_step(&j->play) + (is_over && steps < 0 ? 0 : steps);
    if (goal < 0)
        viewer_note(v, "this is the tour's first step");
    else if (goal >= j->step_count)
        viewer_note(v, "this is the tour's last step");
    else
        go_to(j, v, goal);
}

static void return_to_step(struct tour_job *j, struct viewer *v)
{
    const int step = tour_play_step(&j->play);
    if (j->steps[step].state)
        go_to(j, v, step);
    else
        viewer_note(v, "the step is still being played");
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
    if (steps) step_by(j, v, steps);
    if (is_back) return_to_step(j, v);
    if (is_on && v->app.has_tour) tour_play_go_on(&j->play);
}

// ---- a saved file ----

// The step with the same words that is nearest, or else the one of that number.
static int find_step(const struct tour *t, const char *name, int number)
{
    int best = -1;
    for (int i = 0; i < t->step_count && *name; i++)
        if (!strcmp(t->steps[i].name, name) && (best < 0 || ABS(i - number) < ABS(best - number)))
            best = i;
    return best >= 0 ? best : MIN(number, t->step_count - 1);
}

static void take_tour(struct tour_job *j, struct viewer *v, struct tour *next)
{
    const int number = tour_play_step(&j->play);
    const int step = find_step(next, v->tour.file.steps[number].name, number);
    struct tour_play unused;
    tour_marks_restore(&j->start, v, &unused);
    tour_finish(&v->tour.file);
    v->tour.file = *next;
    begin(j, v);
    tour_play_hurry(&j->play, step);
    j->is_reloaded = true;
}

static void follow_file(struct tour_job *j, struct viewer *v)
{
    struct error err = {""};
    struct tour next = {0};
    if (!j->watch || !watch_has_changed(j->watch)) return;
    if (tour_load(&next, j->path, &v->filters, &err)) take_tour(j, v, &next);
    g_strlcpy(j->trouble, err.text, sizeof j->trouble);
    v->screen.needs_words = true;
}

// ---- turn by turn ----

// A step's settings are those with which its wait begins.
static void mark_step(struct tour_job *j, const struct viewer *v)
{
    const struct tour_play *p = &j->play;
    if (v->tour.file.lines[p->line].kind == TOUR_WAIT_SPACE && !p->is_waiting)
        tour_marks_set(&j->steps[tour_play_step(p)], v, p);
}

// Of the steps that it hurries through, only the goal's notes are told.
static void play_line(struct tour_job *j, struct viewer *v)
{
    struct tour_play *p = &j->play;
    const int before = p->line, step = tour_play_step(p);
    const bool is_told = !p->is_hurrying || step == p->goal, was_at_end = tour_play_is_at_end(p);
    const bool is_settled =
        !p->is_hurrying && viewer_is_settled(v) && viewer_has_figures(v) && !jobs_are_busy(v->jobs);
    mark_step(j, v);
    const char *key = tour_play_turn(p, (double)g_get_monotonic_time() / 1e6, is_settled);
    if (key) viewer_press(v, key, true);
    viewer_point_tour(v, &p->pointer);
    if (before == p->line && was_at_end == tour_play_is_at_end(p)) return;
    v->screen.needs_words = true;
    if (is_told && before != p->line) tell_note(j, v, &v->tour.file.lines[before], step);
}

// A baseline is pinned when its time is there, if that can be.
static bool is_pinning(const struct viewer *v)
{
    return v->input.asked[INPUT_BASELINE] && !(viewer_is_settled(v) && viewer_shows_chosen(v));
}

// A turn may take long where the processor is busy, so that it hurries within one. What a key asks
// for is done before the next key.
static void play(struct tour_job *j, struct viewer *v)
{
    int most = LINES_A_TURN;
    if (is_pinning(v)) return;
    do play_line(j, v);
    while (j->play.is_hurrying && !viewer_has_request(v) && --most);
}

static void step(void *job, struct viewer *v)
{
    struct tour_job *j = job;
    if (!v->now.sides) return;
    name_what_is_listed(j, v);
    open_first(j, v);
    open_chosen(j, v);
    follow_file(j, v);
    answer_keys(j, v);
    if (!j->path) return;
    viewer_note_path(v);
    if (v->app.has_tour && v->app.menu == APP_MENU_NONE) play(j, v);
    if (j->is_reloaded && !j->play.is_hurrying) viewer_note(v, "tour reloaded");
    j->is_reloaded &= j->play.is_hurrying;
    v->app.tour_step = tour_play_step(&j->play);
    if (!v->app.has_tour || !tour_play_is_over(&j->play)) return;
    v->app.has_tour = false;
    viewer_note(v, "the tour is over");
}

// ---- words ----

static void append_claim(char *text, size_t size, const struct claim *claim, struct viewer *v)
{
    const bool is_gpu = viewer_facts(v, v->app.side)->device->is_gpu;
    const struct claim_finding found = claim_judge(claim, viewer_find_figure, v, is_gpu);
    char *line = claim_write(claim, &found, viewer_find_figure, v);
    text_append(text, size, "%s%s", *text ? "\n" : "", line);
    g_free(line);
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
    if (j->play.is_waiting && tour_marks_has_left(&j->steps[v->app.tour_step], v)) {
        g_snprintf(c->caption, sizeof c->caption, "You have left step %d. 0 goes back.",
                   v->app.tour_step + 1);
        return;
    }
    const char *caption = tour_play_caption(&j->play);
    char *text = tour_figure_fill(caption ? caption : "", viewer_find_figure, v);
    text_copy(c->caption, sizeof c->caption, text);
    g_free(text);
    for (int i = -1; (i = tour_play_next_claim(&j->play, i)) >= 0;)
        append_claim(c->caption, sizeof c->caption, &v->tour.file.lines[i].claim, v);
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
