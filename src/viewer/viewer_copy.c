// viewer_copy.c -- the job that copies the window to the clipboard (gl/clipboard.h): the picture of
// a screenshot, and beside it the table of the panel that was opened last, or else of the lens. A
// thread of its own makes the PNG, so that the picture does not wait for it.
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "gl/clipboard.h"
#include "screen/table.h"
#include "viewer/saving.h"
#include "viewer/viewer.h"

struct copy_job {
    struct clipboard *clipboard;  // NULL: nothing was copied yet
    GThread *thread;              // makes the PNG; NULL: none is made
    gint is_done;
    struct image image;
    struct image_texts texts;
    char *table;             // NULL: nothing that is open has one
    const char *table_name;  // "the bars"
    GBytes *png;             // when it is done; NULL: err says why
    struct error err;
};

// ---- what is copied ----

static gpointer make_png(gpointer data)
{
    struct copy_job *j = data;
    unsigned char *bytes;
    size_t size;
    if (image_encode(j->image.planes, j->texts.texts, j->texts.count, &bytes, &size, &j->err))
        j->png = g_bytes_new_with_free_func(bytes, size, free, bytes);
    g_atomic_int_set(&j->is_done, TRUE);
    return NULL;
}

static bool is_due(const struct copy_job *j, const struct viewer *v)
{
    return v->input.asked[INPUT_COPY] && !j->thread && viewer_shows_chosen(v);
}

static void find_table(struct copy_job *j, const struct viewer *v)
{
    j->table = table_of_panels(&v->screen.content.panels, &j->table_name);
    if (j->table) return;
    j->table = table_of_lens(v->screen.content.docks.lens[v->app.side]);
    j->table_name = "the lens";
}

static void begin(void *job, struct viewer *v)
{
    struct copy_job *j = job;
    if (!is_due(j, v)) return;
    viewer_take(v, INPUT_COPY);
    if (!viewer_capture(v, &j->image)) return;
    saving_list(&j->texts, v);
    find_table(j, v);
    j->err.text[0] = '\0';
    j->is_done = FALSE;
    j->thread = g_thread_new("copying", make_png, j);
}

static void tell(const struct copy_job *j, struct viewer *v)
{
    char text[160];
    g_snprintf(text, sizeof text, "copied the window%s%s%s", j->table ? ", and " : "",
               j->table ? j->table_name : "", j->table ? " as a table" : "");
    viewer_note(v, j->err.text[0] ? j->err.text : text);
}

static void offer(struct copy_job *j)
{
    struct clipboard_offer made = {.png = j->png};
    if (!j->clipboard) j->clipboard = clipboard_open(&j->err);
    if (!j->clipboard) return;
    if (j->table) made.table = g_bytes_new(j->table, strlen(j->table));
    clipboard_offer(j->clipboard, &made, &j->err);
    if (made.table) g_bytes_unref(made.table);
}

static void clear(struct copy_job *j)
{
    image_finish(&j->image);
    image_texts_finish(&j->texts);
    g_clear_pointer(&j->table, g_free);
    g_clear_pointer(&j->png, g_bytes_unref);
}

static void follow(struct copy_job *j, struct viewer *v, bool is_waiting)
{
    if (!j->thread || (!is_waiting && !g_atomic_int_get(&j->is_done))) return;
    g_thread_join(g_steal_pointer(&j->thread));
    if (j->png) offer(j);
    tell(j, v);
    clear(j);
}

// ---- turn by turn ----

// The window is drawn in this turn, and without a note.
static void step(void *job, struct viewer *v)
{
    struct copy_job *j = job;
    follow(j, v, false);
    if (j->clipboard) clipboard_poll(j->clipboard);
    if (!is_due(j, v)) return;
    v->notes.text[0] = '\0';
    v->screen.needs_words = v->screen.needs_draw = true;
}

static bool is_busy(const void *job)
{
    return ((const struct copy_job *)job)->thread;
}

static void end(void *job, struct viewer *v)
{
    follow(job, v, true);
}

static void finish(void *job)
{
    struct copy_job *j = job;
    clipboard_close(j->clipboard);
}

const struct job_type copy_job = {
    .size = sizeof(struct copy_job),
    .step = {[JOB_SHOWS] = step, [JOB_DRAWN] = begin, [JOB_ENDS] = end},
    .is_busy = is_busy,
    .finish = finish};
