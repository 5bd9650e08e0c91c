#include "viewer/lens_whole.h"

#include <glib.h>

#include "base/text.h"
#include "lens/tracer.h"

struct whole_side {
    struct lens_wish wish;
    struct lens_result *result;  // owned; NULL: not there
    char why[512];               // it failed
};

struct lens_whole {
    char *include;
    struct tracer *tracer;  // NULL: nothing was ever asked for
    bool is_at_rest;
    struct whole_side sides[APP_SIDES];
    int running;  // a side; -1: nothing runs
    unsigned number;
    struct tracer_progress progress;
    enum tracer_state state;
    int percent;
};

struct lens_whole *lens_whole_create(const char *include)
{
    struct lens_whole *w = g_new0(struct lens_whole, 1);
    w->include = g_strdup(include);
    w->running = -1;
    return w;
}

void lens_whole_destroy(struct lens_whole *w)
{
    if (!w) return;
    tracer_destroy(w->tracer);
    for (int i = 0; i < APP_SIDES; i++) lens_result_free(w->sides[i].result);
    g_free(w->include);
    g_free(w);
}

// ---- asking ----

static void ask(struct lens_whole *w, int side, struct planes picture)
{
    const struct lens_wish *wish = &w->sides[side].wish;
    struct tracing_request request = lens_wish_request(wish, picture);
    request.is_whole = true;
    if (!w->tracer) w->tracer = tracer_create(w->include, SHARE_WHOLE);
    w->is_at_rest = false;
    w->number = tracer_ask(w->tracer, &request);
    w->running = side;
    w->state = TRACER_BUILDING;
    w->percent = 0;
}

static void stop(struct lens_whole *w)
{
    if (w->running >= 0) tracer_cancel(w->tracer);
    w->running = -1;
}

void lens_whole_drop(struct lens_whole *w, int side)
{
    struct whole_side *s = &w->sides[side];
    if (w->running == side) stop(w);
    lens_result_free(s->result);
    *s = (struct whole_side){.result = NULL};
}

void lens_whole_follow(struct lens_whole *w, int side, bool *is_wanted, const struct lens_wish *now,
                       struct planes picture)
{
    struct whole_side *s = &w->sides[side];
    if (s->wish.choice.filter && !lens_wish_is_same_launch(&s->wish, now)) *is_wanted = false;
    if (!*is_wanted) {
        lens_whole_drop(w, side);
        return;
    }
    s->wish = *now;
    if (w->running < 0 && lens_whole_is_pending(w, side)) ask(w, side, picture);
}

void lens_whole_close(struct lens_whole *w)
{
    for (int i = 0; i < APP_SIDES; i++) lens_whole_drop(w, i);
    if (!w->tracer || w->is_at_rest) return;
    tracer_rest(w->tracer);
    w->is_at_rest = true;
}

void lens_whole_drain(struct lens_whole *w)
{
    if (w->tracer) tracer_drain(w->tracer);
    w->running = -1;
}

// ---- what comes of it ----

static bool keep(struct lens_whole *w)
{
    struct lens_result *result = tracer_take(w->tracer);
    const bool is_wanted = result && result->number == w->number;
    if (is_wanted) {
        w->sides[w->running].result = g_steal_pointer(&result);
        w->running = -1;
    }
    lens_result_free(result);
    return is_wanted;
}

bool lens_whole_poll(struct lens_whole *w)
{
    const enum tracer_state state = w->state;
    const int percent = w->percent;
    if (w->running < 0) return false;
    w->state = tracer_poll(w->tracer, &w->progress);
    w->percent = (int)(100 * w->progress.part);
    if (w->state == TRACER_DONE) return keep(w);
    if (w->state == TRACER_FAILED) {
        struct whole_side *s = &w->sides[w->running];
        text_copy(s->why, sizeof s->why, w->progress.why.text);
        w->running = -1;
        return true;
    }
    return w->state != state || w->percent != percent;
}

bool lens_whole_is_busy(const struct lens_whole *w)
{
    return w->running >= 0;
}

bool lens_whole_is_pending(const struct lens_whole *w, int side)
{
    const struct whole_side *s = &w->sides[side];
    return s->wish.choice.filter && !s->result && !*s->why;
}

const struct lens_result *lens_whole_result(const struct lens_whole *w, int side)
{
    return w->sides[side].result;
}

const char *lens_whole_failure(const struct lens_whole *w, int side)
{
    return w->sides[side].why;
}

void lens_whole_append_state(const struct lens_whole *w, int side, char *text, size_t size)
{
    if (!lens_whole_is_pending(w, side)) return;
    if (w->running != side)
        text_append(text, size, " · whole launch: waiting …");
    else if (w->state == TRACER_BUILDING)
        text_append(text, size, " · whole launch: compiling …");
    else
        text_append(text, size, " · whole launch: %d %%", w->percent);
}
