// viewer_picture.c -- the pictures that the window goes through: their list, the shown one and how
// much of it the window works on, and the job that reads the next one in the background. The old
// one stays meanwhile, with its name. A screenshot that is dropped restores what it shows.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "viewer/viewer.h"

static const long long LARGE = 1000000;  // pixels; a reduced copy has no more
static const gint64 SLOW_US = 300000;    // a file that takes longer is told of

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

// ---- how much of a picture: the rule ----

bool viewer_extent_is_reduced(enum extent extent)
{
    return extent == EXTENT_TRIED || extent == EXTENT_REDUCED || extent == EXTENT_USERS_REDUCED;
}

enum extent viewer_extent_after(enum extent now, const struct extent_facts *facts)
{
    switch (now) {
    case EXTENT_NEW:
        return facts->limit_ms <= 0 ? EXTENT_USERS_WHOLE
               : facts->has_copy    ? EXTENT_TRIED
                                    : EXTENT_WHOLE;
    case EXTENT_TRIED:
        if (facts->whole_ms <= 0) return now;
        return facts->whole_ms <= facts->limit_ms ? EXTENT_WHOLE : EXTENT_REDUCED;
    case EXTENT_WHOLE:
        return facts->has_copy && facts->whole_ms > facts->limit_ms ? EXTENT_REDUCED : now;
    case EXTENT_REDUCED:
    case EXTENT_USERS_WHOLE:
    case EXTENT_USERS_REDUCED:
        break;
    }
    return now;
}

static long long count_pixels(struct planes p, int factor)
{
    return (long long)((p.width - 1) / factor + 1) * ((p.height - 1) / factor + 1);
}

int viewer_extent_factor(struct planes whole)
{
    int factor = 1;
    while (count_pixels(whole, factor) > LARGE) factor++;
    return factor;
}

static struct extent_facts facts_of(const struct viewer *v, const struct image *reduced)
{
    return (struct extent_facts){.has_copy =
                                     reduced->planes.pixels && !v->stage->host.device->is_gpu,
                                 .limit_ms = v->options->reduce_above_ms};
}

static bool is_to_be_reduced(const struct viewer *v, enum extent extent,
                             const struct extent_facts *facts)
{
    return viewer_extent_is_reduced(extent) && !v->extent.is_held && facts->has_copy;
}

bool viewer_need_whole(struct viewer *v)
{
    v->extent.is_needed = true;
    return !v->extent.is_reduced || v->extent.has_failed;
}

unsigned viewer_pixels_version(const struct viewer *v)
{
    return 2 * v->pictures.version + v->extent.is_reduced;
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
    struct viewer_extent *e = &v->extent;
    work_end(&file->work, true);
    if (!file->image.planes.pixels) return false;
    const struct extent_facts facts = facts_of(v, &file->reduced);
    const bool is_users = e->chosen >= EXTENT_USERS_WHOLE;
    const enum extent chosen = is_users ? e->chosen : viewer_extent_after(EXTENT_NEW, &facts);
    const bool is_reduced = is_to_be_reduced(v, chosen, &facts);
    const struct image *shown = is_reduced ? &file->reduced : &file->image;
    if (!stage_set_picture(v->stage, shown->planes, &file->err))
        return error_prefix(&file->err, "%s: ", file->path);
    e->chosen = chosen;
    e->is_reduced = is_reduced;
    e->has_failed = false;
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

// Goes on to the next picture. False: there is none left to try.
static bool pass_over(struct search *s, const struct viewer *v, const struct error *why)
{
    const int count = (int)g_strv_length(list_of(s, v));
    char *all = s->skipped.text;
    if (!strstr(all, why->text))  // a picture may be named twice
        text_join(all, sizeof s->skipped.text, "; ", "%s", why->text);
    s->at = (s->at + s->step + count) % count;
    return s->at != s->goal && (s->dropped || s->at != v->pictures.shown);
}

static void end_search(struct search *s, struct viewer *v)
{
    if (!s->dropped) v->app.picture = MAX(v->pictures.shown, 0);
    g_clear_pointer(&s->dropped, g_strfreev);
    if (!*s->skipped.text) return;
    viewer_note(v, "skipped: %s", s->skipped.text);
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

// ---- a screenshot ----

// As --restore does. The picture that the settings were made with is shown if it is in the list, or
// where --restore looks.
static void restore(struct picture_job *j, struct viewer *v, const struct picture_load *shot)
{
    struct app next;
    OWNED(state_picture_finish) struct state_picture picture = {0};
    struct viewer_pictures *p = &v->pictures;
    struct error err = {""};
    g_autofree char *name = g_filename_display_basename(shot->path);
    app_init(&next, v->app.filters, v->app.picture_count);
    if (!state_read(&next, &picture, shot->settings, name, &err)) {
        viewer_note(v, "%s", err.text);
        return;
    }
    next.picture = v->app.picture;
    next.is_staged = v->app.is_staged;
    viewer_take_settings(v, &next);
    v->input.pointer.is_pinned = next.is_comparing;
    viewer_note(v, "restored '%s'", name);
    viewer_restore_times(v, picture.times);
    if (!picture.name) return;
    if (!g_strcmp0(picture.sha256, p->sha256) && picture.is_grey == p->is_grey) return;
    int i = 0;
    for (; p->list[i]; i++) {
        g_autofree char *own = g_path_get_basename(p->list[i]);
        if (!strcmp(own, picture.name)) break;
    }
    if (!p->list[i]) {
        g_autofree char *samples = options_sample("");
        char *const found[] = {state_find_picture(&picture, shot->path, samples, &err), NULL};
        if (*found) p->dropped = g_strdupv((char **)found);
        if (*err.text) viewer_note(v, "%s", err.text);
        g_free(*found);
        if (!p->dropped) return;
    } else if (i == p->shown) {  // it has changed
        p->dropped = g_strdupv(p->list + i);
    }
    if (p->list[i]) v->app.picture = i;
    p->is_grey = picture.is_grey;
    j->restored_sha256 = g_steal_pointer(&picture.sha256);  // it is computed as it is read
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
        end_search(s, v);
        g_clear_pointer(&j->restored_sha256, g_free);
        if (is_shown && was_dropped && !viewer_is_of_pictures(v))
            viewer_note(v, "filters show the picture; this is a lab");
        else if (is_shown && was_dropped && v->app.picture_count > 1 && !viewer_has_note(v))
            viewer_note(v, "%d pictures: n goes through them", v->app.picture_count);
    }
    free_load(file);
}

// ---- the whole of it, or its copy ----
// As the rule, the user and the jobs that need the whole will have it.

// While a lab is shown, its results are not forgotten for the sake of a picture.
static void follow_extent(struct viewer *v)
{
    struct viewer_extent *e = &v->extent;
    const struct viewer_pictures *p = &v->pictures;
    const struct extent_facts facts = facts_of(v, &p->reduced);
    struct error err = {""};
    if (viewer_take(v, INPUT_EXTENT) % 2) {
        const char *why_not = v->stage->host.device->is_gpu
                                  ? "a GPU shows all of a picture, however large"
                              : !viewer_is_of_pictures(v) ? "a lab's arrays are never reduced"
                              : !facts.has_copy ? "this picture is small: all of it is shown"
                              : e->is_held || e->is_needed
                                  ? "all of the picture is shown as long as its figures are needed"
                                  : NULL;
        if (!why_not) e->chosen = e->is_reduced ? EXTENT_USERS_WHOLE : EXTENT_USERS_REDUCED;
        viewer_note(v, "%s",
                    why_not         ? why_not
                    : e->is_reduced ? "from now on, all of a picture is shown"
                                    : "from now on, large pictures are shown reduced");
    }
    e->is_held = e->is_needed;
    e->is_needed = e->is_due = false;
    const bool is_reduced = is_to_be_reduced(v, e->chosen, &facts);
    const bool is_put_off = !e->is_held && !viewer_is_of_pictures(v);
    if (is_reduced == e->is_reduced || e->has_failed || is_put_off) return;
    v->screen.needs_words = true;
    e->has_failed =
        !stage_set_picture(v->stage, is_reduced ? p->reduced.planes : p->whole.planes, &err);
    if (e->has_failed)
        viewer_note(v, "%s", err.text);
    else
        e->is_reduced = is_reduced;
}

static void judge_extent(void *job, struct viewer *v)
{
    struct viewer_extent *e = &v->extent;
    struct extent_facts facts = facts_of(v, &v->pictures.reduced);
    (void)job;
    if (e->is_held || !facts.has_copy || !viewer_is_of_pictures(v) || !viewer_shows_chosen(v))
        return;
    // Predicts from this device's own times; of two shown pictures, from the slower one.
    const double ratio = (double)count_pixels(v->pictures.whole.planes, 1) /
                         (double)count_pixels(v->stage->host.picture, 1);
    const struct results *results = v->stage->host.results;
    for (int i = 0; i < v->now.sides && (!e->is_reduced || v->now.is_settled); i++) {
        const struct choice *choice = &viewer_facts(v, i)->choice;
        double ms = 0;
        if (e->is_reduced)
            ms = ratio * results_measured(results, choice).ms.median;
        else if (results_has_variant(results, choice))
            ms = results_predict(results, choice);
        facts.whole_ms = MAX(facts.whole_ms, ms);
    }
    e->chosen = viewer_extent_after(e->chosen, &facts);
    e->is_due = is_to_be_reduced(v, e->chosen, &facts) != e->is_reduced && !e->has_failed;
}

// ---- turn by turn ----

static void step(void *job, struct viewer *v)
{
    struct picture_job *j = job;
    follow_extent(v);
    if (j->load && work_end(&j->load->work, false)) end(j, v);
    const int count = v->app.picture_count, goal = v->app.picture;
    const int ahead = (goal - v->pictures.shown + count) % count;
    if (j->load || (!v->pictures.dropped && !ahead)) return;
    if (v->pictures.dropped)
        j->search = (struct search){.dropped = g_steal_pointer(&v->pictures.dropped), .step = 1};
    else
        j->search = (struct search){.goal = goal, .at = goal, .step = ahead <= count / 2 ? 1 : -1};
    j->picture_version = v->pictures.version;
    j->load = begin_load(&j->search, v);
    j->since_us = g_get_monotonic_time();
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

const struct job_type picture_job = {
    .size = sizeof(struct picture_job),
    .step = {[JOB_FOLLOWS] = step, [JOB_SHOWS] = judge_extent, [JOB_WRITES] = write_words},
    .is_busy = is_busy,
    .finish = finish};
