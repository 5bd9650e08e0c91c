#include "viewer/lens_blocks.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "lens/tracer.h"

struct slot {
    struct lens_result *result;     // owned; NULL: none yet
    struct lens_wish made, failed;  // of the result; of what failed last: no filter, nothing did
    char why[512];                  // it failed
};

struct lens_blocks {
    char *include;
    struct tracer *tracer;  // NULL: nothing was ever asked for
    bool is_at_rest;
    struct slot slots[LENS_BLOCKS_SLOTS];
    int running;            // a slot; -1: nothing runs
    struct lens_wish wish;  // that runs
    unsigned number;
    struct tracer_progress progress;
    enum tracer_state state;
};

struct lens_blocks *lens_blocks_create(const char *include)
{
    struct lens_blocks *b = g_new0(struct lens_blocks, 1);
    b->include = g_strdup(include);
    b->running = -1;
    return b;
}

void lens_blocks_destroy(struct lens_blocks *b)
{
    if (!b) return;
    tracer_destroy(b->tracer);
    for (int i = 0; i < LENS_BLOCKS_SLOTS; i++) lens_result_free(b->slots[i].result);
    g_free(b->include);
    g_free(b);
}

// ---- asking ----

static void ask(struct lens_blocks *b, int slot, const struct lens_wish *w, struct planes picture)
{
    const struct tracing_request request = lens_wish_request(w, picture);
    if (!b->tracer) b->tracer = tracer_create(b->include, SHARE_BLOCKS);
    b->is_at_rest = false;
    b->number = tracer_ask(b->tracer, &request);
    b->wish = *w;
    b->running = slot;
}

void lens_blocks_want(struct lens_blocks *b, int slot, const struct lens_wish *w,
                      struct planes picture)
{
    const bool is_asked = b->running == slot && lens_wish_is_same(&b->wish, w);
    const bool is_free = b->running < 0 || b->running == slot ||
                         (slot < LENS_BLOCKS_VARIANTS && b->running >= LENS_BLOCKS_VARIANTS);
    if (is_asked || !is_free || lens_blocks_has(b, slot, w) || lens_blocks_failure(b, slot, w))
        return;
    ask(b, slot, w, picture);
}

void lens_blocks_stop(struct lens_blocks *b)
{
    if (b->running >= 0) tracer_cancel(b->tracer);
    b->running = -1;
}

void lens_blocks_close(struct lens_blocks *b)
{
    if (!b->tracer || b->is_at_rest) return;
    for (int i = 0; i < LENS_BLOCKS_SLOTS; i++) lens_result_free(b->slots[i].result);
    memset(b->slots, 0, sizeof b->slots);
    tracer_rest(b->tracer);
    b->is_at_rest = true;
    b->running = -1;
}

void lens_blocks_drain(struct lens_blocks *b)
{
    if (b->tracer) tracer_drain(b->tracer);
    b->running = -1;
}

// ---- what comes of it ----

static void keep_result(struct lens_blocks *b, struct lens_result *result)
{
    struct slot *s = &b->slots[b->running];
    lens_result_free(s->result);
    s->result = result;
    s->made = b->wish;
    s->failed.choice.filter = NULL;
    if (b->running >= LENS_BLOCKS_VARIANTS) lens_result_drop_steps(result);
    b->running = -1;
}

static void keep_failure(struct lens_blocks *b)
{
    struct slot *s = &b->slots[b->running];
    text_copy(s->why, sizeof s->why, b->progress.why.text);
    s->failed = b->wish;
    b->running = -1;
}

bool lens_blocks_poll(struct lens_blocks *b)
{
    const enum tracer_state before = b->state;
    if (b->running < 0) return false;
    b->state = tracer_poll(b->tracer, &b->progress);
    if (b->state == TRACER_FAILED) {
        keep_failure(b);
        return true;
    }
    struct lens_result *result = b->state == TRACER_DONE ? tracer_take(b->tracer) : NULL;
    if (result && result->number == b->number) keep_result(b, g_steal_pointer(&result));
    lens_result_free(result);
    return b->running < 0 || b->state != before;
}

bool lens_blocks_is_busy(const struct lens_blocks *b)
{
    return b->running >= 0;
}

const struct lens_result *lens_blocks_result(const struct lens_blocks *b, int slot)
{
    return b->slots[slot].result;
}

bool lens_blocks_has(const struct lens_blocks *b, int slot, const struct lens_wish *w)
{
    return b->slots[slot].result && lens_wish_is_same(&b->slots[slot].made, w);
}

bool lens_blocks_has_launch(const struct lens_blocks *b, int slot, const struct lens_wish *w)
{
    return b->slots[slot].result && lens_wish_is_same_launch(&b->slots[slot].made, w);
}

bool lens_blocks_has_text(const struct lens_blocks *b, int slot, const struct lens_wish *w)
{
    return b->slots[slot].result && b->slots[slot].made.filters_version == w->filters_version;
}

const char *lens_blocks_failure(const struct lens_blocks *b, int slot, const struct lens_wish *w)
{
    return lens_wish_is_same(&b->slots[slot].failed, w) ? b->slots[slot].why : NULL;
}

const char *lens_blocks_state_words(const struct lens_blocks *b, int slot)
{
    return b->running != slot            ? "waiting …"
           : b->state == TRACER_BUILDING ? "compiling …"
                                         : "tracing …";
}
