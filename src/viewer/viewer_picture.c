// viewer_picture.c -- the pictures that the window goes through: their list, the shown one, and the
// job that reads the next one beside the frames. The old one stays meanwhile, with its name.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "viewer/viewer.h"

static const gint64 SLOW_US = 300000;  // a file that takes longer is told of

// ---- reading a file ----

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

static gpointer read_file(gpointer data)
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
    l->thread = g_thread_new("picture", read_file, l);
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

// ---- the shown one ----

// For the first picture that can be read, from goal on.
struct search {
    char **dropped;        // the list that it goes through; owned; NULL: the window's
    int goal, at, step;    // step: 1 or -1
    struct error skipped;  // what is wrong with those before; empty: nothing
};

static char **list_of(const struct search *s, const struct viewer *v)
{
    return s->dropped ? s->dropped : v->pictures.list;
}

struct state_picture viewer_picture(const struct viewer *v)
{
    return (struct state_picture){v->pictures.list[v->pictures.shown], v->pictures.sha256,
                                  v->pictures.is_grey};
}

static bool show(struct search *s, struct viewer *v, struct picture_file *file, struct error *err)
{
    struct viewer_pictures *p = &v->pictures;
    if (!stage_set_picture(v->stage, &file->image, err))
        return error_prefix(err, "%s: ", list_of(s, v)[s->at]);
    if (s->dropped) {  // they take the list's place
        g_strfreev(p->list);
        p->list = g_steal_pointer(&s->dropped);
        v->app.picture_count = (int)g_strv_length(p->list);
        p->has_dropped = true;
    }
    p->shown = s->at;
    p->version++;
    g_free(p->name);
    g_free(p->sha256);
    p->name = g_filename_display_basename(p->list[p->shown]);
    p->sha256 = g_steal_pointer(&file->sha256);
    char *title = g_strdup_printf("%s – Tilescope", p->name);
    window_set_title(v->window, title);
    g_free(title);
    return true;
}

// ---- searching ----

// False: there is none left to try.
static bool pass_over(struct search *s, const struct viewer *v, const struct error *why)
{
    const int count = (int)g_strv_length(list_of(s, v));
    char *all = s->skipped.text;
    if (!strstr(all, why->text))  // a picture may be named twice
        text_append(all, sizeof s->skipped.text, "%s%s", *all ? "; " : "", why->text);
    s->at = (s->at + s->step + count) % count;
    return s->at != s->goal && (s->dropped || s->at != v->pictures.shown);
}

static void end_search(struct search *s, struct viewer *v)
{
    if (!s->dropped) v->app.picture = MAX(v->pictures.shown, 0);
    g_clear_pointer(&s->dropped, g_strfreev);
    if (!*s->skipped.text) return;
    error_prefix(&s->skipped, "skipped: ");
    viewer_note(v, s->skipped.text);
}

static struct picture_load *begin_load(const struct search *s, const struct viewer *v)
{
    return picture_load_begin(list_of(s, v)[s->at], v->pictures.is_grey);
}

bool viewer_load_picture(struct viewer *v, int index, struct error *err)
{
    struct search s = {.goal = index, .at = index, .step = 1};
    struct error why;
    bool is_shown;
    do {
        struct picture_file file = {.sha256 = NULL};
        is_shown = picture_load_end(begin_load(&s, v), &file, &why) && show(&s, v, &file, &why);
        picture_file_finish(&file);
    } while (!is_shown && pass_over(&s, v, &why));
    if (!is_shown) *err = s.skipped;
    end_search(&s, v);
    return is_shown;
}

// ---- the job ----

struct picture_job {
    struct picture_load *load;  // of search.at; NULL: nothing is read
    gint64 since_us;
    struct search search;
    unsigned picture_version;  // when the search began: the list is the same
};

static void begin(struct picture_job *j, struct viewer *v)
{
    const int count = v->app.picture_count, goal = v->app.picture;
    const int ahead = (goal - v->pictures.shown + count) % count;
    if (!v->pictures.dropped && !ahead) return;
    if (v->pictures.dropped)
        j->search = (struct search){.dropped = g_steal_pointer(&v->pictures.dropped), .step = 1};
    else
        j->search = (struct search){.goal = goal, .at = goal, .step = ahead <= count / 2 ? 1 : -1};
    j->picture_version = v->pictures.version;
    j->load = begin_load(&j->search, v);
    j->since_us = g_get_monotonic_time();
}

// What was read for a wish that has changed since is thrown away.
static void end(struct picture_job *j, struct viewer *v)
{
    struct picture_file file = {.sha256 = NULL};
    struct error why;
    struct search *s = &j->search;
    const bool was_dropped = s->dropped != NULL;
    const bool was_wanted =
        !v->pictures.dropped &&
        (was_dropped || (s->goal == v->app.picture && j->picture_version == v->pictures.version));
    const bool is_read = picture_load_end(g_steal_pointer(&j->load), &file, &why);
    const bool is_shown = was_wanted && is_read && show(s, v, &file, &why);
    picture_file_finish(&file);
    v->screen.needs_words = true;
    if (!was_wanted) {
        g_clear_pointer(&s->dropped, g_strfreev);
    } else if (!is_shown && pass_over(s, v, &why)) {
        j->load = begin_load(s, v);
        j->since_us = g_get_monotonic_time();
    } else {
        char text[64];
        end_search(s, v);
        g_snprintf(text, sizeof text, "%d pictures: n goes through them", v->app.picture_count);
        if (is_shown && was_dropped && !viewer_is_of_pictures(v))
            viewer_note(v, "filters show the picture; this is a lab");
        else if (is_shown && was_dropped && v->app.picture_count > 1 && !viewer_has_note(v))
            viewer_note(v, text);
    }
}

static void step(void *job, struct viewer *v)
{
    struct picture_job *j = job;
    if (j->load && picture_load_is_done(j->load)) end(j, v);
    if (!j->load) begin(j, v);
}

static void write_words(void *job, struct viewer *v)
{
    const struct picture_job *j = job;
    if (!j->load || g_get_monotonic_time() - j->since_us < SLOW_US) return;
    char *name = g_filename_display_basename(list_of(&j->search, v)[j->search.at]);
    char *text = g_strdup_printf("reading '%s' …", name);
    viewer_set_message(v, OVERLAY_NOTE, text);
    g_free(text);
    g_free(name);
}

static bool is_busy(const void *job)
{
    return ((const struct picture_job *)job)->load;
}

static void finish(void *job)
{
    struct picture_job *j = job;
    struct picture_file file = {.sha256 = NULL};
    struct error unused;
    if (j->load && picture_load_end(j->load, &file, &unused)) picture_file_finish(&file);
    g_strfreev(j->search.dropped);
}

const struct job_type picture_job = {.size = sizeof(struct picture_job),
                                     .step = {[JOB_FOLLOWS] = step, [JOB_WRITES] = write_words},
                                     .is_busy = is_busy,
                                     .finish = finish};
