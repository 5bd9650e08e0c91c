#include "viewer/picture_load.h"

#include <glib.h>

void picture_file_finish(struct picture_file *f)
{
    image_finish(&f->image);
    g_free(f->sha256);
    *f = (struct picture_file){.sha256 = NULL};
}

struct picture_load {
    GThread *thread;
    gint is_done;
    char *path;
    bool is_grey, is_good;
    struct picture_file file;
    struct error err;
};

static gpointer work(gpointer data)
{
    struct picture_load *l = data;
    l->is_good = image_load(&l->file.image, l->path, l->is_grey, &l->err);
    if (l->is_good) l->file.sha256 = image_checksum(l->path);
    g_atomic_int_set(&l->is_done, TRUE);
    return NULL;
}

struct picture_load *picture_load_begin(const char *path, bool is_grey)
{
    struct picture_load *l = g_new0(struct picture_load, 1);
    l->path = g_strdup(path);
    l->is_grey = is_grey;
    l->thread = g_thread_new("picture", work, l);
    return l;
}

bool picture_load_is_done(struct picture_load *l)
{
    return g_atomic_int_get(&l->is_done);
}

bool picture_load_end(struct picture_load *l, struct picture_file *f, struct error *err)
{
    g_thread_join(l->thread);
    const bool is_good = l->is_good;
    if (is_good)
        *f = l->file;
    else
        *err = l->err;
    g_free(l->path);
    g_free(l);
    return is_good;
}
