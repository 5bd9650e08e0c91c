// viewer_menu.c -- the job of the menus (app/menu.h): the tours that the program comes with, the
// steps of the open one, the filters and labs; and of a value that is typed (app/entry.h).
#include <glib.h>
#include <string.h>

#include "app/entry.h"
#include "tour/tour_list.h"
#include "tour/tour_value.h"
#include "viewer/tour_marks.h"
#include "viewer/viewer.h"

struct menu_job {
    enum app_menu shown;  // in the last turn
    struct tour_list tours;
    char **rows;  // ends with NULL
    struct menu_view view;
    char title[160], foot[160];
};

static void finish(void *job)
{
    struct menu_job *m = job;
    tour_list_finish(&m->tours);
    g_strfreev(m->rows);
}

// They are read each time that the menu is opened.
static void read_tours(struct menu_job *m, const struct viewer *v)
{
    char *folder = options_tour_folder(v->options);
    tour_list_finish(&m->tours);
    tour_list_load(&m->tours, folder, options_lends_tours(v->options), &v->filters);
    g_free(folder);
}

// ---- choosing ----

static void choose_tour(const struct menu_job *m, struct viewer *v, int row)
{
    const struct tour_entry *e = &m->tours.entries[row];
    if (e->title) {
        g_free(v->tour_path);
        v->tour_path = g_strdup(e->path);
        v->app.menu = APP_MENU_NONE;
    } else {
        viewer_note(v, e->why);
    }
}

static void choose(const struct menu_job *m, struct viewer *v)
{
    const int row = v->app.menu_row;
    if (row >= v->app.menu_count) return;
    if (v->app.menu == APP_MENU_TOURS) {
        choose_tour(m, v, row);
    } else {
        v->tour_goal = row + 1;
        v->app.menu = APP_MENU_NONE;
    }
}

static int count_rows(const struct menu_job *m, const struct viewer *v)
{
    switch (m->shown) {
    case APP_MENU_TOURS:
        return m->tours.count;
    case APP_MENU_STEPS:
        return v->tour.step_count;
    case APP_MENU_FILTERS:
        return MIN(v->filters.count, APP_MAX_FILTERS);
    case APP_MENU_NONE:
    case APP_MENU_VALUE:
        break;
    }
    return 0;
}

// A tour may be saved with fewer steps while they are listed.
static void follow_rows(const struct menu_job *m, struct viewer *v)
{
    v->app.menu_count = count_rows(m, v);
    v->app.menu_row = CLAMP(v->app.menu_row, 0, MAX(0, v->app.menu_count - 1));
}

static void step(void *job, struct viewer *v)
{
    struct menu_job *m = job;
    if (viewer_take(v, INPUT_CHOOSE) && m->shown == v->app.menu && m->shown) choose(m, v);
    v->needs_caption |= m->shown != v->app.menu;
    if (v->app.menu == APP_MENU_TOURS && m->shown != v->app.menu) read_tours(m, v);
    m->shown = v->app.menu;
    follow_rows(m, v);
}

// ---- rows ----

static char *write_tour(const struct tour_entry *e)
{
    return e->title
               ? g_strdup_printf("%s · %d step%s", e->title, e->steps, e->steps == 1 ? "" : "s")
               : g_strdup_printf("%s cannot be read", e->name);
}

// Of what a step runs. Nothing is measured or counted for a list.
static struct tour_value find_chosen(void *user, const struct tour_figure *figure)
{
    const struct tour_source *source = user;
    const bool is_chosen = figure->kind >= TOUR_DEVICE;
    return is_chosen && source->shown.filter ? tour_value_find(source, figure)
                                             : (struct tour_value){.known = TOUR_PENDING};
}

// The first line of its first caption. Its figures are those of its own settings, not of the
// present ones.
static char *write_step(const struct viewer *v, int step)
{
    const struct tour_step *s = &v->tour.steps[step];
    struct tour_source source = {.shown = tour_marks_choice(v->tour_start, v, step),
                                 .device = viewer_facts(v, 0)->device};
    char *line = g_strndup(s->name, strcspn(s->name, "\n"));
    char *text = tour_figure_fill(*line ? line : "(without a caption)", find_chosen, &source);
    g_free(line);
    return text;
}

static char *write_filter(const struct filter *f)
{
    const char key[] = {f->key, '\0'};
    return g_strdup_printf("%s%s%s%s", f->title, f->is_lab ? " lab" : "", f->key ? " · " : "", key);
}

static char *write_row(const struct menu_job *m, struct viewer *v, int row)
{
    switch (m->shown) {
    case APP_MENU_TOURS:
        return write_tour(&m->tours.entries[row]);
    case APP_MENU_STEPS:
        return write_step(v, row);
    case APP_MENU_FILTERS:
        return write_filter(&v->filters.filters[row]);
    case APP_MENU_NONE:
    case APP_MENU_VALUE:
        break;
    }
    return g_strdup("");
}

static char **write_rows(const struct menu_job *m, struct viewer *v)
{
    GPtrArray *rows = g_ptr_array_new();
    for (int i = 0; i < v->app.menu_count; i++) g_ptr_array_add(rows, write_row(m, v, i));
    g_ptr_array_add(rows, NULL);
    return (char **)g_ptr_array_free(rows, FALSE);
}

static void write_title(struct menu_job *m, const struct viewer *v)
{
    static const char *const titles[] = {
        [APP_MENU_TOURS] = "Tours", [APP_MENU_FILTERS] = "Filters and labs"};
    if (m->shown == APP_MENU_VALUE)
        entry_write(&v->app, m->title, sizeof m->title);
    else
        g_strlcpy(m->title, m->shown == APP_MENU_STEPS ? v->tour.title : titles[m->shown],
                  sizeof m->title);
}

static void write_foot(struct menu_job *m, const struct viewer *v)
{
    char limits[2 * FILTER_VALUE + 8];
    if (m->shown == APP_MENU_VALUE) {
        entry_write_limits(&v->app, limits, sizeof limits);
        g_snprintf(m->foot, sizeof m->foot, "%s · Return: set · Esc: close", limits);
    } else {
        g_strlcpy(m->foot,
                  v->app.menu_count   ? "↑ ↓ or a number: choose · Return: go · Esc: close"
                  : m->tours.left_out ? "There are none for the labs of your folder · Esc: close"
                                      : "There are none in the folder tours · Esc: close",
                  sizeof m->foot);
    }
}

// The row in bold.
static int present_row(const struct app *a)
{
    return a->menu == APP_MENU_STEPS     ? a->tour_step
           : a->menu == APP_MENU_FILTERS ? a->sides[a->side].filter
                                         : -1;
}

static void write_menu(void *job, struct viewer *v)
{
    struct menu_job *m = job;
    v->content.menu = NULL;
    if (!m->shown || m->shown != v->app.menu) return;
    g_strfreev(m->rows);
    follow_rows(m, v);  // another job may have changed them in this turn
    m->rows = write_rows(m, v);
    write_title(m, v);
    write_foot(m, v);
    m->view = (struct menu_view){.title = m->title,
                                 .foot = m->foot,
                                 .why = m->shown == APP_MENU_VALUE ? v->app.note : NULL,
                                 .rows = (const char *const *)m->rows,
                                 .count = v->app.menu_count,
                                 .row = v->app.menu_row,
                                 .now = present_row(&v->app)};
    v->content.menu = &m->view;
}

const struct job_type menu_job = {.size = sizeof(struct menu_job),
                                  .step = {[JOB_PRESSES] = step, [JOB_WRITES] = write_menu},
                                  .finish = finish};
