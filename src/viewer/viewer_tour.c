// viewer_tour.c -- the job that plays a tour (tour/tour_play.h): it presses the keys and shows the
// words.
#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "viewer/tour_blocks.h"
#include "viewer/viewer.h"

struct tour_job {
    struct tour_play play;
    struct tour_blocks *blocks;
    // What the blocks are of.
    const unsigned char *pixels;
    int picture;
    unsigned filters_version;
};

static void open_blocks(void *job, const struct options *options)
{
    struct tour_job *j = job;
    char *include = options_include_folder(options);
    j->blocks = tour_blocks_create(include);
    g_free(include);
}

static void finish(void *job)
{
    struct tour_job *j = job;
    tour_blocks_destroy(j->blocks);
}

// ---- turn by turn ----

static void follow_blocks(struct tour_job *j, struct viewer *v)
{
    const struct planes now = stage_picture(v->stage);
    v->tour_blocks = j->blocks;
    v->needs_caption |= tour_blocks_poll(j->blocks);
    if (j->pixels == now.pixels && j->picture == v->picture &&
        j->filters_version == v->filters_version)
        return;
    tour_blocks_begin(j->blocks, now);
    j->pixels = now.pixels;
    j->picture = v->picture;
    j->filters_version = v->filters_version;
}

static void step(void *job, struct viewer *v)
{
    struct tour_job *j = job;
    struct tour_play *play = &j->play;
    if (!v->app.has_tour || !v->now.sides) return;
    play->tour = &v->tour;
    v->told = play;
    follow_blocks(j, v);
    if (viewer_take(v, INPUT_GO_ON)) tour_play_go_on(play);
    const int before = play->line;
    const bool is_settled =
        viewer_is_settled(v) && viewer_has_figures(v) && !jobs_are_busy(v->jobs);
    const char *key = tour_play_turn(play, (double)g_get_monotonic_time() / 1e6, is_settled);
    if (key) viewer_press(v, key);
    v->needs_caption |= before != play->line;
    if (!tour_play_is_over(play)) return;
    v->app.has_tour = false;
    viewer_note(v, "the tour is over");
}

// ---- words ----

static void append_claim(char *text, size_t size, const struct claim *claim, struct viewer *v)
{
    const bool is_gpu = viewer_facts(v, v->app.side)->device->is_gpu;
    const struct claim_finding found = claim_judge(claim, viewer_find_figure, v, is_gpu);
    char *line = claim_write(claim, &found, viewer_find_figure, v);
    text_append(text, size, "%s%s", *text ? "\n" : "", line);
    g_free(line);
}

static void write_words(void *job, struct viewer *v)
{
    const struct tour_play *play = &((struct tour_job *)job)->play;
    struct overlay_content *c = &v->content;
    if (v->app.has_tour) g_strlcpy(c->hint, "space  goes on", sizeof c->hint);
    if (!play->tour) return;
    const char *caption = tour_play_caption(play);
    char *text = tour_figure_fill(caption ? caption : "", viewer_find_figure, v);
    text_copy(c->caption, sizeof c->caption, text);
    g_free(text);
    for (int i = -1; (i = tour_play_next_claim(play, i)) >= 0;)
        append_claim(c->caption, sizeof c->caption, &play->tour->lines[i].claim, v);
}

const struct job_type tour_job = {.size = sizeof(struct tour_job),
                                  .open = open_blocks,
                                  .step = {[JOB_PRESSES] = step, [JOB_WRITES] = write_words},
                                  .finish = finish};
