// viewer_drop.c -- the job of files that are dropped on the window (gl/drop.h): pictures become the
// list that n goes through, and a tour is played. What belongs elsewhere is refused with a line
// that says where.
#include <glib.h>

#include "gl/drop.h"
#include "viewer/viewer.h"

struct drop_job {
    struct drop *drop;  // NULL: nothing can be dropped
    bool is_open;       // it was tried
};

// To add a kind that the window does not take: its ending, and what takes it.
static const struct {
    const char *ending, *advice;
} elsewhere[] = {
    {".cu", "is a kernel file: it belongs into the folder kernels, or --data DIR; tilescope grade "
            "FILE judges a student's"},
    {".npy", "is an array: tilescope run LAB --in NAME=FILE fills a lab's array from it"},
    {".bin", "is an array: tilescope run LAB --in NAME=FILE fills a lab's array from it"},
};

static void take(struct viewer *v, char *const *files)
{
    GPtrArray *pictures = g_ptr_array_new();
    v->notes.text[0] = v->input.held[0] = '\0';
    for (; *files; files++) {
        const char *advice = NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(elsewhere); i++)
            if (g_str_has_suffix(*files, elsewhere[i].ending)) advice = elsewhere[i].advice;
        if (advice) {
            char *name = g_filename_display_basename(*files);
            char *text = g_strdup_printf("'%s' %s", name, advice);
            viewer_note(v, text);
            g_free(text);
            g_free(name);
        } else if (g_str_has_suffix(*files, ".tour")) {
            g_free(v->tour.wanted);
            v->tour.wanted = g_strdup(*files);
        } else {
            g_ptr_array_add(pictures, g_strdup(*files));
        }
    }
    if (pictures->len) {
        g_strfreev(v->pictures.dropped);
        g_ptr_array_add(pictures, NULL);
        v->pictures.dropped = (char **)g_ptr_array_free(pictures, FALSE);
    } else {
        g_ptr_array_free(pictures, TRUE);
    }
    v->screen.needs_words = v->screen.needs_draw = true;
}

static void step(void *job, struct viewer *v)
{
    struct drop_job *j = job;
    struct error err = {""};
    // A user without XDND misses nothing else, so that there is only a note.
    if (!j->is_open && !(j->drop = drop_open(window_number(v->window), &err)))
        viewer_note(v, err.text);
    j->is_open = true;
    if (!j->drop) return;
    char **files = drop_poll(j->drop, &err);
    if (err.text[0]) viewer_note(v, err.text);
    if (files) take(v, files);
    g_strfreev(files);
}

static void finish(void *job)
{
    struct drop_job *j = job;
    drop_close(j->drop);
}

const struct job_type drop_job = {
    .size = sizeof(struct drop_job), .step = {[JOB_FOLLOWS] = step}, .finish = finish};
