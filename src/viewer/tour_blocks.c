#include "viewer/tour_blocks.h"

#include <glib.h>

#include "base/image.h"
#include "base/text.h"
#include "lens/tracer.h"

struct block {
    struct choice choice;
    struct lens_result *result;  // owned; NULL: it failed, or is being traced
    char why[256];               // it failed
};

struct tour_blocks {
    char *include;
    struct tracer *tracer;  // NULL: nothing was ever asked for
    GArray *blocks;
    int running;  // index; -1: none
    unsigned number;
    unsigned filters_version;
    struct image picture;
    unsigned picture_version;
};

struct tour_blocks *tour_blocks_create(const char *include)
{
    struct tour_blocks *b = g_new0(struct tour_blocks, 1);
    b->include = g_strdup(include);
    b->blocks = g_array_new(FALSE, FALSE, sizeof(struct block));
    b->running = -1;
    return b;
}

static struct block *block_at(const struct tour_blocks *b, int i)
{
    return &g_array_index(b->blocks, struct block, i);
}

static void forget(struct tour_blocks *b)
{
    if (b->tracer) tracer_cancel(b->tracer);
    if (b->tracer) tracer_drain(b->tracer);
    for (guint i = 0; i < b->blocks->len; i++) lens_result_free(block_at(b, (int)i)->result);
    g_array_set_size(b->blocks, 0);
    b->running = -1;
    image_finish(&b->picture);
}

void tour_blocks_destroy(struct tour_blocks *b)
{
    if (!b) return;
    forget(b);
    tracer_destroy(b->tracer);
    g_array_free(b->blocks, TRUE);
    g_free(b->include);
    g_free(b);
}

void tour_blocks_begin(struct tour_blocks *b, struct planes picture, unsigned filters_version)
{
    forget(b);
    b->filters_version = filters_version;
    b->picture_version++;
    if (image_init(&b->picture, picture.width, picture.height, picture.count, NULL))
        image_copy(b->picture.planes, picture);
}

bool tour_blocks_poll(struct tour_blocks *b)
{
    struct tracer_progress progress;
    if (b->running < 0) return false;
    const enum tracer_state state = tracer_poll(b->tracer, &progress);
    struct block *block = block_at(b, b->running);
    struct lens_result *result = state == TRACER_DONE ? tracer_take(b->tracer) : NULL;
    if (state == TRACER_FAILED) text_copy_line(block->why, sizeof block->why, progress.why.text);
    if (result && result->number == b->number) block->result = g_steal_pointer(&result);
    lens_result_free(result);
    if (block->result) lens_result_drop_steps(block->result);
    if (state != TRACER_FAILED && !block->result) return false;
    b->running = -1;
    return true;
}

static void ask(struct tour_blocks *b, const struct tracing_request *request)
{
    struct tracing_request mine = *request;
    const struct block block = {.choice = request->choice};
    if (!b->picture.planes.pixels) return;  // no memory
    mine.filters_version = b->filters_version;
    mine.picture = b->picture.planes;
    mine.picture_version = b->picture_version;
    if (!b->tracer) b->tracer = tracer_create(b->include, SHARE_TOURS);
    b->number = tracer_ask(b->tracer, &mine);
    b->running = (int)b->blocks->len;
    g_array_append_val(b->blocks, block);
}

const struct lens_result *tour_blocks_get(struct tour_blocks *b,
                                          const struct tracing_request *request, struct error *why)
{
    for (guint i = 0; i < b->blocks->len; i++) {
        const struct block *block = block_at(b, (int)i);
        if (!choice_is_same(&block->choice, &request->choice)) continue;
        if (*block->why) error_set(why, "%s: %s", block->choice.variant->name, block->why);
        return block->result;
    }
    if (b->running < 0) ask(b, request);
    return NULL;
}
