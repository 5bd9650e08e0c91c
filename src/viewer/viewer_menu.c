// viewer_menu.c -- the job that shows what is typed over the picture, the palette's rows
// (app/palette.h) or a value (app/entry.h), and the help.
#include <glib.h>
#include <string.h>

#include "app/entry.h"
#include "viewer/viewer.h"

struct menu_job {
    struct palette palette;
    struct menu_row *rows;
    struct menu_view view;
    char title[160], foot[160], why[160];
    enum app_menu shown;
    struct input_help help;
};

static void finish(void *job)
{
    struct menu_job *m = job;
    palette_finish(&m->palette);
    g_free(m->rows);
}

static void step(void *job, struct viewer *v)
{
    const struct menu_job *m = job;
    v->screen.needs_words |= m->shown != v->app.menu;
}

static void write_rows(struct menu_job *m, const struct viewer *v)
{
    const char *const titles[] = {
        [APP_MENU_ALL] = "Find", [APP_MENU_TOURS] = "Tours", [APP_MENU_STEPS] = v->tour.file.title};
    m->palette = input_palette(&v->app);
    m->rows = g_new(struct menu_row, m->palette.count + 1);
    for (int i = 0; i < m->palette.count; i++) {
        const struct palette_row *row = &m->palette.rows[i];
        m->rows[i] = (struct menu_row){row->name, row->group, row->key, row->is_present};
    }
    g_snprintf(m->title, sizeof m->title, "%s: %s_", titles[m->shown], v->app.typed);
    g_strlcpy(m->foot, "Type words · ↑ ↓: choose · Return: go · Esc: close", sizeof m->foot);
    if (!m->palette.count)
        g_strlcpy(m->why, *v->app.typed ? "Nothing has these words." : "There are no tours.",
                  sizeof m->why);
}

static void write_menu(void *job, struct viewer *v)
{
    struct menu_job *m = job;
    struct overlay_content *c = &v->screen.content;
    c->menu = NULL;
    finish(m);
    *m = (struct menu_job){.shown = v->app.menu};
    input_help(&m->help, &v->filters);
    c->help = v->app.has_help ? m->help.rows : NULL;
    c->help_count = m->help.count;
    c->help_page = v->app.help_page;
    if (!m->shown) return;
    if (m->shown == APP_MENU_VALUE) {
        char limits[2 * FILTER_VALUE + 8];
        entry_write(&v->app, m->title, sizeof m->title);
        entry_write_limits(&v->app, limits, sizeof limits);
        g_snprintf(m->foot, sizeof m->foot, "%s · Return: set · Esc: close", limits);
        g_strlcpy(m->why, v->app.note, sizeof m->why);
    } else {
        write_rows(m, v);
    }
    m->view = (struct menu_view){.title = m->title,
                                 .foot = m->foot,
                                 .why = *m->why ? m->why : NULL,
                                 .rows = m->rows,
                                 .count = m->palette.count,
                                 .row = CLAMP(v->app.menu_row, 0, MAX(0, m->palette.count - 1))};
    c->menu = &m->view;
}

const struct job_type menu_job = {.size = sizeof(struct menu_job),
                                  .step = {[JOB_PRESSES] = step, [JOB_WRITES] = write_menu},
                                  .finish = finish};
