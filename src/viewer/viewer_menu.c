// viewer_menu.c -- the job of the menus (app/menu.h): the tours that the program comes with, and
// the steps of the open one.
#include <glib.h>
#include <string.h>

#include "tour/tour_list.h"
#include "viewer/viewer.h"

struct menu_job {
    enum app_menu shown;  // in the last turn
    struct tour_list tours;
    char **rows;  // ends with NULL
    struct menu_view view;
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
    tour_list_load(&m->tours, folder, &v->filters);
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

static void step(void *job, struct viewer *v)
{
    struct menu_job *m = job;
    if (viewer_take(v, INPUT_CHOOSE) && m->shown == v->app.menu && m->shown) choose(m, v);
    v->needs_caption |= m->shown != v->app.menu;
    if (v->app.menu == APP_MENU_TOURS && m->shown != v->app.menu) read_tours(m, v);
    m->shown = v->app.menu;
    v->app.menu_count = m->shown == APP_MENU_TOURS   ? m->tours.count
                        : m->shown == APP_MENU_STEPS ? v->tour.step_count
                                                     : 0;
}

// ---- rows ----

static char *write_tour(const struct tour_entry *e)
{
    return e->title
               ? g_strdup_printf("%s · %d step%s", e->title, e->steps, e->steps == 1 ? "" : "s")
               : g_strdup_printf("%s cannot be read", e->name);
}

// The first line of its first caption.
static char *write_step(struct viewer *v, const struct tour_step *s)
{
    char *line = g_strndup(s->name, strcspn(s->name, "\n"));
    char *text = tour_figure_fill(*line ? line : "(without a caption)", viewer_find_figure, v);
    g_free(line);
    return text;
}

static char **write_rows(const struct menu_job *m, struct viewer *v)
{
    GPtrArray *rows = g_ptr_array_new();
    for (int i = 0; i < v->app.menu_count; i++)
        g_ptr_array_add(rows, m->shown == APP_MENU_TOURS ? write_tour(&m->tours.entries[i])
                                                         : write_step(v, &v->tour.steps[i]));
    g_ptr_array_add(rows, NULL);
    return (char **)g_ptr_array_free(rows, FALSE);
}

static void write_menu(void *job, struct viewer *v)
{
    struct menu_job *m = job;
    v->content.menu = NULL;
    if (!m->shown || m->shown != v->app.menu) return;
    const bool is_tours = m->shown == APP_MENU_TOURS;
    g_strfreev(m->rows);
    m->rows = write_rows(m, v);
    m->view = (struct menu_view){.title = is_tours ? "Tours" : v->tour.title,
                                 .foot = v->app.menu_count
                                             ? "↑ ↓ or a number: choose · Return: go · Esc: close"
                                             : "There is none in the folder tours · Esc: close",
                                 .rows = (const char *const *)m->rows,
                                 .count = v->app.menu_count,
                                 .row = v->app.menu_row,
                                 .now = is_tours ? -1 : v->app.tour_step};
    v->content.menu = &m->view;
}

const struct job_type menu_job = {.size = sizeof(struct menu_job),
                                  .step = {[JOB_PRESSES] = step, [JOB_WRITES] = write_menu},
                                  .finish = finish};
