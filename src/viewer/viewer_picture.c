// viewer_picture.c -- the pictures that the window goes through: their list, the shown one, and the
// job that reads the next one in the background. The old one stays meanwhile, with its name. A
// screenshot that is dropped restores what it shows.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "viewer/viewer.h"

static const gint64 SLOW_US = 300000;  // a file that takes longer is told of

// ---- reading a file ----

// A picture's file, and its checksum: of a large one that takes seconds.
struct picture_load {
    struct work work;
    char *path;
    bool is_grey, is_dropped;
    char *settings;        // that a dropped screenshot carries; NULL: it is a picture
    struct image image;    // no pixels: err says why
    struct image reduced;  // no pixels: it is small, or there is no memory
    char *sha256;          // image_checksum()'s
    struct error err;
};

static void read_file(void *load)
{
    struct picture_load *l = load;
    if (l->is_dropped && (l->settings = state_find(l->path, NULL))) return;
    if (!image_load(&l->image, l->path, l->is_grey, &l->err)) return;
    l->sha256 = image_checksum(l->path);
    const int factor = viewer_extent_factor(l->image.planes);
    if (factor > 1) image_reduce(&l->reduced, l->image.planes, factor, NULL);
}

// Waits for it; accepts NULL.
static void free_load(struct picture_load *l)
{
    if (!l) return;
    work_end(&l->work, true);
    image_finish(&l->image);
    image_finish(&l->reduced);
    g_free(l->settings);
    g_free(l->sha256);
    g_free(l->path);
    g_free(l);
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
                                  v->pictures.is_grey, v->times.name};
}

// Waits for the file. False: its err says why it is not shown.
static bool show(struct search *s, struct viewer *v, struct picture_load *file)
{
    struct viewer_pictures *p = &v->pictures;
    work_end(&file->work, true);
    if (!file->image.planes.pixels) return false;
    if (!viewer_begin_extent(v, &file->image, &file->reduced, &file->err))
        return error_prefix(&file->err, "%s: ", file->path);
    image_finish(&p->whole);
    image_finish(&p->reduced);
    p->whole = file->image;
    p->reduced = file->reduced;
    file->image = file->reduced = (struct image){0};
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
    g_autofree char *title = g_strdup_printf("%s – Tilescope", p->name);
    window_set_title(v->screen.window, title);
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
    struct picture_load *l = g_new0(struct picture_load, 1);
    l->path = g_strdup(list_of(s, v)[s->at]);
    l->is_grey = v->pictures.is_grey;
    l->is_dropped = s->dropped != NULL;
    work_begin(&l->work, "picture", read_file, l);
    return l;
}

bool viewer_load_picture(struct viewer *v, int index, struct error *err)
{
    struct search s = {.goal = index, .at = index, .step = 1};
    bool is_shown = false;
    for (bool is_left = true; is_left && !is_shown;) {
        struct picture_load *file = begin_load(&s, v);
        is_shown = show(&s, v, file);
        is_left = is_shown || pass_over(&s, v, &file->err);
        free_load(file);
    }
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
    char *restored_sha256;     // of a screenshot's picture, which is looked for; NULL: of none
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

// ---- a screenshot ----

// Shows the picture that settings were made with, if it is in the list or where --restore looks.
static void find_picture(struct picture_job *j, struct viewer *v, const char *shot,
                         struct state_picture *picture)
{
    struct viewer_pictures *p = &v->pictures;
    struct error err = {""};
    if (!picture->name) return;
    if (!g_strcmp0(picture->sha256, p->sha256) && picture->is_grey == p->is_grey) return;
    int i = 0;
    for (; p->list[i]; i++) {
        g_autofree char *name = g_path_get_basename(p->list[i]);
        if (!strcmp(name, picture->name)) break;
    }
    if (!p->list[i]) {
        g_autofree char *samples = options_sample("");
        char *const found[] = {state_find_picture(picture, shot, samples, &err), NULL};
        if (*found) p->dropped = g_strdupv((char **)found);
        if (*err.text) viewer_note(v, err.text);
        g_free(*found);
        if (!p->dropped) return;
    } else if (i == p->shown) {  // it has changed
        p->dropped = g_strdupv(p->list + i);
    }
    if (p->list[i]) v->app.picture = i;
    p->is_grey = picture->is_grey;
    j->restored_sha256 = g_steal_pointer(&picture->sha256);  // it is computed as it is read
}

// As --restore does.
static void restore(struct picture_job *j, struct viewer *v, const struct picture_load *shot)
{
    struct app next;
    struct state_picture picture = {0};
    struct error err = {""};
    g_autofree char *name = g_filename_display_basename(shot->path);
    app_init(&next, v->app.filters, v->app.picture_count);
    if (!state_read(&next, &picture, shot->settings, name, &err)) {
        viewer_note(v, err.text);
        return;
    }
    next.picture = v->app.picture;
    next.is_staged = v->app.is_staged;
    viewer_take_settings(v, &next);
    v->input.pointer.is_pinned = next.is_comparing;
    g_snprintf(err.text, sizeof err.text, "restored '%s'", name);
    viewer_note(v, err.text);
    viewer_restore_times(v, picture.times);
    find_picture(j, v, shot->path, &picture);
    state_picture_finish(&picture);
}

// Throws away a picture that the user no longer wants.
static void end(struct picture_job *j, struct viewer *v)
{
    struct picture_load *file = g_steal_pointer(&j->load);
    struct search *s = &j->search;
    const bool was_dropped = s->dropped != NULL;
    const bool was_wanted =
        !v->pictures.dropped &&
        (was_dropped || (s->goal == v->app.picture && j->picture_version == v->pictures.version));
    const bool is_shot = was_wanted && file->settings;
    const bool is_shown = was_wanted && !is_shot && show(s, v, file);
    v->screen.needs_words = true;
    if (is_shown && j->restored_sha256 && g_strcmp0(j->restored_sha256, v->pictures.sha256))
        viewer_note(v, "the picture has changed since the screenshot was made");
    if (is_shown || !was_wanted) g_clear_pointer(&j->restored_sha256, g_free);
    if (is_shot) restore(j, v, file);
    if (!was_wanted || is_shot) {
        g_clear_pointer(&s->dropped, g_strfreev);
    } else if (!is_shown && pass_over(s, v, &file->err)) {
        j->load = begin_load(s, v);
        j->since_us = g_get_monotonic_time();
    } else {
        char text[64];
        end_search(s, v);
        g_clear_pointer(&j->restored_sha256, g_free);
        g_snprintf(text, sizeof text, "%d pictures: n goes through them", v->app.picture_count);
        if (is_shown && was_dropped && !viewer_is_of_pictures(v))
            viewer_note(v, "filters show the picture; this is a lab");
        else if (is_shown && was_dropped && v->app.picture_count > 1 && !viewer_has_note(v))
            viewer_note(v, text);
    }
    free_load(file);
}

static void step(void *job, struct viewer *v)
{
    struct picture_job *j = job;
    if (j->load && work_end(&j->load->work, false)) end(j, v);
    if (!j->load) begin(j, v);
}

static void write_words(void *job, struct viewer *v)
{
    const struct picture_job *j = job;
    if (!j->load || g_get_monotonic_time() - j->since_us < SLOW_US) return;
    g_autofree char *name = g_filename_display_basename(j->load->path);
    g_autofree char *text = g_strdup_printf("reading '%s' …", name);
    viewer_set_message(v, OVERLAY_NOTE, text);
}

static bool is_busy(const void *job)
{
    return ((const struct picture_job *)job)->load;
}

static void finish(void *job)
{
    struct picture_job *j = job;
    free_load(j->load);
    g_free(j->restored_sha256);
    g_strfreev(j->search.dropped);
}

const struct job_type picture_job = {.size = sizeof(struct picture_job),
                                     .step = {[JOB_FOLLOWS] = step, [JOB_WRITES] = write_words},
                                     .is_busy = is_busy,
                                     .finish = finish};
