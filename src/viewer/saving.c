#include "viewer/saving.h"

#include <stdio.h>

#include "app/state.h"
#include "base/terminal.h"
#include "viewer/viewer.h"

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

static gpointer work(gpointer data)
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
    s->thread = g_thread_new("saving", work, s);
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
