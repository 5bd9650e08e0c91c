// viewer_capture.c -- saving files, and the jobs that take what the window shows: a screenshot, and
// a copy for the clipboard (gl/clipboard.h), beside which there is the table of the panel that was
// opened last, or else of the lens. Threads of their own make the PNGs, so that the picture does
// not wait for it.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "base/terminal.h"
#include "gl/clipboard.h"
#include "screen/table.h"
#include "viewer/viewer.h"

// ---- files ----

char *saving_write_free(const char *folder, const char *ending, saving_write *write,
                        const void *what, const struct image_texts *texts, struct error *err)
{
    GDateTime *now = g_date_time_new_now_local();
    char *stem = g_date_time_format(now, "tilescope-%Y%m%d-%H%M%S"), *path = NULL;
    g_date_time_unref(now);
    for (int i = 1; !path; i++) {
        char *name = i == 1 ? g_strdup_printf("%s%s", stem, ending)
                            : g_strdup_printf("%s-%d%s", stem, i, ending);
        path = folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
        g_free(name);
        err->text[0] = '\0';
        const bool is_free = !g_file_test(path, G_FILE_TEST_EXISTS);
        if (is_free && (write(what, path, texts, err) || !g_file_test(path, G_FILE_TEST_EXISTS)))
            break;
        g_clear_pointer(&path, g_free);  // or somebody else was faster
    }
    g_free(stem);
    return path;
}

void saving_tell(struct viewer *v, const char *path, const struct error *err)
{
    char text[1100];
    if (err->text[0]) {
        terminal_print(stderr, "tilescope: %s\n", err->text);
        viewer_note(v, err->text);
        v->notes.is_failed = true;
        return;
    }
    g_snprintf(text, sizeof text, "saved %s", path);
    puts(path);  // as it is, for scripts
    fflush(stdout);
    viewer_note(v, text);
}

static gpointer save(gpointer data)
{
    struct saving *s = data;
    s->path = saving_write_free(s->folder, s->ending, s->write, s->what, &s->texts, &s->err);
    g_atomic_int_set(&s->is_done, TRUE);
    return NULL;
}

void saving_list(struct image_texts *texts, const struct viewer *v)
{
    const struct state_picture picture = viewer_picture(v);
    char *state = state_write(&v->app, &picture);
    caption_list(texts, viewer_facts(v, v->app.side));
    caption_add_state(texts, state);
    g_free(state);
}

void saving_begin(struct saving *s, struct viewer *v, const char *ending)
{
    saving_list(&s->texts, v);
    s->folder = v->options->shots;
    s->ending = ending;
    s->thread = g_thread_new("saving", save, s);
}

bool saving_end(struct saving *s, struct viewer *v, bool is_waiting)
{
    if (!s->thread || (!is_waiting && !g_atomic_int_get(&s->is_done))) return false;
    g_thread_join(s->thread);
    saving_tell(v, s->path, &s->err);
    g_free(s->path);
    image_texts_finish(&s->texts);
    *s = (struct saving){.thread = NULL};
    return true;
}

// ---- what the window shows ----

// A sheet shows what is not the user's, and a screenshot would restore something else.
static bool is_due(const struct viewer *v, enum input_request request, const GThread *thread)
{
    return v->input.asked[request] && !thread && viewer_shows_chosen(v);
}

// The window is drawn in this turn.
static void draw_without_note(struct viewer *v)
{
    v->notes.text[0] = '\0';
    v->screen.needs_words = v->screen.needs_draw = true;
}

// What was drawn and is not yet swapped. False: the user is told why.
static bool capture(struct viewer *v, struct image *image)
{
    struct error err = {""};
    const struct viewport_sizes sizes = viewer_sizes(v);
    if (v->options->is_clean) viewer_paint(v, false, false);
    const bool is_good =
        display_capture(v->display, image, sizes.window_width, sizes.window_height, &err);
    if (v->options->is_clean) viewer_paint(v, true, false);
    if (!is_good) saving_tell(v, NULL, &err);
    return is_good;
}

// ---- a screenshot ----

struct screenshot_job {
    struct saving saving;
    struct image image;  // that is being saved
};

static void follow_saving(struct screenshot_job *s, struct viewer *v, bool is_waiting)
{
    if (saving_end(&s->saving, v, is_waiting)) image_finish(&s->image);
}

static void step_screenshot(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    follow_saving(s, v, false);
    if (is_due(v, INPUT_SCREENSHOT, s->saving.thread)) draw_without_note(v);
}

static bool write_image(const void *image, const char *path, const struct image_texts *texts,
                        struct error *err)
{
    return image_save(((const struct image *)image)->planes, path, texts->texts, texts->count, err);
}

static void take_screenshot(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    if (!is_due(v, INPUT_SCREENSHOT, s->saving.thread)) return;
    viewer_take(v, INPUT_SCREENSHOT);
    if (!capture(v, &s->image)) return;
    s->saving.write = write_image;
    s->saving.what = &s->image;
    saving_begin(&s->saving, v, ".png");
    if (v->app.has_sweep && panel_model_has_sweep(v->panels)) viewer_save_sweep(v);
}

static bool is_saving(const void *job)
{
    return ((const struct screenshot_job *)job)->saving.thread;
}

// A screenshot may be asked for in the turn in which the user quits.
static void end_screenshot(void *job, struct viewer *v)
{
    struct screenshot_job *s = job;
    struct error err;
    follow_saving(s, v, true);
    if (is_due(v, INPUT_SCREENSHOT, NULL) && v->now.sides && window_is_visible(v->window)) {
        draw_without_note(v);
        viewer_draw(v);
        follow_saving(s, v, true);
    }
    if (!viewer_take(v, INPUT_SCREENSHOT)) return;
    error_set(&err, "no screenshot: the window %s",
              viewer_shows_chosen(v) ? "was not visible" : "showed something else");
    saving_tell(v, NULL, &err);
}

const struct job_type screenshot_job = {
    .size = sizeof(struct screenshot_job),
    .step =
        {[JOB_SHOWS] = step_screenshot, [JOB_DRAWN] = take_screenshot, [JOB_ENDS] = end_screenshot},
    .is_busy = is_saving};

// ---- a copy ----

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

static void take_copy(void *job, struct viewer *v)
{
    struct copy_job *j = job;
    if (!is_due(v, INPUT_COPY, j->thread)) return;
    viewer_take(v, INPUT_COPY);
    if (!capture(v, &j->image)) return;
    saving_list(&j->texts, v);
    j->table = table_of_panels(&v->screen.content.panels, &j->table_name);
    if (!j->table) {
        j->table = table_of_lens(v->screen.content.docks.lens[v->app.side]);
        j->table_name = "the lens";
    }
    j->err.text[0] = '\0';
    j->is_done = FALSE;
    j->thread = g_thread_new("copying", make_png, j);
}

static void follow_copy(struct copy_job *j, struct viewer *v, bool is_waiting)
{
    char text[160];
    if (!j->thread || (!is_waiting && !g_atomic_int_get(&j->is_done))) return;
    g_thread_join(g_steal_pointer(&j->thread));
    if (j->png && !j->clipboard) j->clipboard = clipboard_open(&j->err);
    if (j->png && j->clipboard) {
        struct clipboard_offer made = {.png = j->png};
        if (j->table) made.table = g_bytes_new(j->table, strlen(j->table));
        clipboard_offer(j->clipboard, &made, &j->err);
        if (made.table) g_bytes_unref(made.table);
    }
    g_snprintf(text, sizeof text, "copied the window%s%s%s", j->table ? ", and " : "",
               j->table ? j->table_name : "", j->table ? " as a table" : "");
    viewer_note(v, j->err.text[0] ? j->err.text : text);
    image_finish(&j->image);
    image_texts_finish(&j->texts);
    g_clear_pointer(&j->table, g_free);
    g_clear_pointer(&j->png, g_bytes_unref);
}

static void step_copy(void *job, struct viewer *v)
{
    struct copy_job *j = job;
    follow_copy(j, v, false);
    if (j->clipboard) clipboard_poll(j->clipboard);
    if (is_due(v, INPUT_COPY, j->thread)) draw_without_note(v);
}

static bool is_copying(const void *job)
{
    return ((const struct copy_job *)job)->thread;
}

static void end_copy(void *job, struct viewer *v)
{
    follow_copy(job, v, true);
}

static void finish_copy(void *job)
{
    clipboard_close(((struct copy_job *)job)->clipboard);
}

const struct job_type copy_job = {
    .size = sizeof(struct copy_job),
    .step = {[JOB_SHOWS] = step_copy, [JOB_DRAWN] = take_copy, [JOB_ENDS] = end_copy},
    .is_busy = is_copying,
    .finish = finish_copy};
