#include "viewer/screenshot.h"

#include <glib.h>
#include <string.h>

struct screenshot {
    struct image image;
    struct caption_texts texts;
    char *path;
    GThread *thread;
    gint is_done;
    struct error err;
};

char *screenshot_free_path(const char *folder, const char *ending)
{
    GDateTime *now = g_date_time_new_now_local();
    char *stem = g_date_time_format(now, "tilescope-%Y%m%d-%H%M%S");
    g_date_time_unref(now);
    char *path = NULL;
    for (int i = 1; !path; i++) {
        char *name = i == 1 ? g_strdup_printf("%s%s", stem, ending)
                            : g_strdup_printf("%s-%d%s", stem, i, ending);
        path = folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
        g_free(name);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) g_clear_pointer(&path, g_free);
    }
    g_free(stem);
    return path;
}

static gpointer work(gpointer data)
{
    struct screenshot *s = data;
    image_save(s->image.planes, s->path, s->texts.texts, s->texts.count, &s->err);
    g_atomic_int_set(&s->is_done, TRUE);
    return NULL;
}

struct screenshot *screenshot_begin(struct image *image, const struct caption_texts *texts,
                                    const char *folder)
{
    struct screenshot *s = g_new0(struct screenshot, 1);
    s->image = *image;
    *image = (struct image){0};
    caption_copy(&s->texts, texts);
    s->path = screenshot_free_path(folder, ".png");
    s->thread = g_thread_new("shot", work, s);
    return s;
}

bool screenshot_end(struct screenshot *s, bool is_waiting, char *path, size_t size,
                    struct error *err)
{
    if (!is_waiting && !g_atomic_int_get(&s->is_done)) return false;
    g_thread_join(s->thread);
    *err = s->err;
    g_strlcpy(path, s->path, size);
    image_finish(&s->image);
    g_free(s->path);
    g_free(s);
    return true;
}
