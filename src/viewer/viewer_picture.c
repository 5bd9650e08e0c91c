// viewer_picture.c -- the pictures that the window goes through: their list, the shown one, and the
// job that reads the next one beside the frames. The old one stays meanwhile, with its name.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "viewer/picture_load.h"
#include "viewer/viewer.h"

// For the first picture that can be read, from goal on.
struct search {
    int goal, at, step;    // step: 1 or -1
    struct error skipped;  // what is wrong with those before; empty: nothing
};

// ---- the shown one ----

struct state_picture viewer_picture(const struct viewer *v)
{
    return (struct state_picture){v->pictures[v->picture], v->picture_sha256, v->is_grey};
}

static bool show(struct viewer *v, int index, struct picture_file *file, struct error *err)
{
    if (!stage_set_picture(v->stage, &file->image, err))
        return error_prefix(err, "%s: ", v->pictures[index]);
    v->picture = index;
    v->picture_version++;
    g_free(v->picture_name);
    g_free(v->picture_sha256);
    v->picture_name = g_filename_display_basename(v->pictures[index]);
    v->picture_sha256 = g_steal_pointer(&file->sha256);
    char *title = g_strdup_printf("%s – Tilescope", v->picture_name);
    window_set_title(v->window, title);
    g_free(title);
    return true;
}

// ---- searching ----

// False: there is none left to try.
static bool pass_over(struct search *s, const struct viewer *v, const struct error *why)
{
    const int count = v->app.picture_count;
    char *all = s->skipped.text;
    if (!strstr(all, why->text))  // a picture may be named twice
        text_append(all, sizeof s->skipped.text, "%s%s", *all ? "; " : "", why->text);
    s->at = (s->at + s->step + count) % count;
    return s->at != s->goal && s->at != v->picture;
}

static void end_search(struct search *s, struct viewer *v)
{
    v->app.picture = MAX(v->picture, 0);
    if (!*s->skipped.text) return;
    error_prefix(&s->skipped, "skipped: ");
    viewer_note(v, s->skipped.text);
}

bool viewer_load_picture(struct viewer *v, int index, struct error *err)
{
    struct search s = {.goal = index, .at = index, .step = 1};
    struct error why;
    bool is_shown;
    do {
        struct picture_file file = {.sha256 = NULL};
        is_shown = picture_file_read(&file, v->pictures[s.at], v->is_grey, &why) &&
                   show(v, s.at, &file, &why);
        picture_file_finish(&file);
    } while (!is_shown && pass_over(&s, v, &why));
    if (!is_shown) *err = s.skipped;
    end_search(&s, v);
    return is_shown;
}

bool viewer_set_pictures(struct viewer *v, char **pictures, struct error *err)
{
    char **before = v->pictures;
    const int picture = v->picture;
    v->pictures = pictures;
    v->picture = -1;
    v->app.picture_count = (int)g_strv_length(pictures);
    if (viewer_load_picture(v, 0, err)) {
        g_strfreev(before);
        v->has_dropped = true;
        return true;
    }
    v->pictures = before;
    v->picture = v->app.picture = picture;
    v->app.picture_count = (int)g_strv_length(before);
    return false;
}

// ---- the job ----

struct picture_job {
    struct picture_load *load;  // of search.at; NULL: nothing is read
    struct search search;
    unsigned picture_version;  // when the search began: the list is the same
};

static void begin(struct picture_job *j, struct viewer *v)
{
    const int count = v->app.picture_count, goal = v->app.picture;
    const int ahead = (goal - v->picture + count) % count;
    if (!ahead) return;
    j->search = (struct search){.goal = goal, .at = goal, .step = ahead <= count / 2 ? 1 : -1};
    j->picture_version = v->picture_version;
    j->load = picture_load_begin(v->pictures[goal], v->is_grey);
}

// What was read for a wish that has changed since is dropped.
static void end(struct picture_job *j, struct viewer *v)
{
    struct picture_file file = {.sha256 = NULL};
    struct error why;
    struct search *s = &j->search;
    const bool is_wanted = s->goal == v->app.picture && j->picture_version == v->picture_version;
    const bool is_read = picture_load_end(g_steal_pointer(&j->load), &file, &why);
    const bool is_shown = is_wanted && is_read && show(v, s->at, &file, &why);
    picture_file_finish(&file);
    if (!is_wanted) return;
    if (!is_shown && pass_over(s, v, &why))
        j->load = picture_load_begin(v->pictures[s->at], v->is_grey);
    else
        end_search(s, v);
}

static void step(void *job, struct viewer *v)
{
    struct picture_job *j = job;
    if (j->load && picture_load_is_done(j->load)) end(j, v);
    if (!j->load) begin(j, v);
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
}

const struct job_type picture_job = {.size = sizeof(struct picture_job),
                                     .step = {[JOB_FOLLOWS] = step},
                                     .is_busy = is_busy,
                                     .finish = finish};
