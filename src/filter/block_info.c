#include "filter/block_info.h"

#include <glib.h>

// How far a pass reads beyond what it writes, to the farther side: a picture's edge cuts the other.
static int reach_across(const struct block_info_touched *t)
{
    if (!t->reads.width || !t->writes.width) return 0;
    const int right = t->reads.left + t->reads.width - t->writes.left - t->writes.width;
    return MAX(0, MAX(t->writes.left - t->reads.left, right));
}

static int reach_down(const struct block_info_touched *t)
{
    if (!t->reads.width || !t->writes.width) return 0;
    const int bottom = t->reads.top + t->reads.height - t->writes.top - t->writes.height;
    return MAX(0, MAX(t->writes.top - t->reads.top, bottom));
}

static void find_pass(struct block_info_pass *p, const struct block_info_facts *f, int pass,
                      const struct launch_plan *plan)
{
    const struct pass *written = &f->choice.variant->passes[pass];
    const struct launch_tile *tile = &plan->tiles[pass];
    const int x = CLAMP(f->x, 0, f->picture.width - 1), y = CLAMP(f->y, 0, f->picture.height - 1);
    // A block may be said to write more pixels than any picture has.
    const int columns = (int)MIN(tile->columns, G_MAXINT / 4);
    const int rows = (int)MIN(tile->rows, G_MAXINT / 4);
    *p = (struct block_info_pass){
        .config = plan->passes[pass],
        .covers = {x / columns * columns, y / rows * rows, columns, rows},
        .is_shared_out = written->columns.count || written->rows.count,
    };
    if (!f->touched) return;
    p->reach_across = reach_across(&f->touched[pass]);
    p->reach_down = reach_down(&f->touched[pass]);
}

// A filter's window is square, and a block may read more than its pixels need.
static int find_reach(const struct block_info *b, const struct choice *c)
{
    const int radius = filter_radius(c->filter);
    int across = 0, down = 0;
    for (int i = 0; i < b->pass_count; i++) {
        across += b->passes[i].reach_across;
        down += b->passes[i].reach_down;
    }
    return radius < 0 ? 0 : MIN((int)c->settings.params.v[radius], MAX(across, down));
}

static bool has_own_pixels(const struct pass *p)
{
    return p->each_x == 1 && p->each_y == 1 && !p->columns.count && !p->rows.count &&
           !p->has_own_order;
}

struct block_info_thread block_info_thread_at(const struct block_info_facts *f,
                                              const struct launch_config *block, long long x,
                                              long long y)
{
    const struct variant *v = f->choice.variant;
    if (f->writer && f->writer->threads == 1)
        return (struct block_info_thread){f->writer->thread % block->block_width,
                                          f->writer->thread / block->block_width};
    if (f->writer || !has_own_pixels(&v->passes[v->pass_count - 1]))
        return (struct block_info_thread){-1, -1};
    return (struct block_info_thread){(int)x, (int)y};
}

static void find_thread(struct block_info *b, const struct block_info_facts *f)
{
    const struct block_info_pass *last = &b->passes[b->pass_count - 1];
    const int x = CLAMP(f->x, 0, f->picture.width - 1), y = CLAMP(f->y, 0, f->picture.height - 1);
    const struct block_info_thread thread =
        block_info_thread_at(f, &last->config, x - last->covers.left, y - last->covers.top);
    b->thread_x = thread.x;
    b->thread_y = thread.y;
}

bool block_info_find(struct block_info *b, const struct block_info_facts *f, struct error *err)
{
    struct launch_plan plan;
    struct block_info found = {.pass_count = f->choice.variant->pass_count};
    if (f->choice.variant->library.function)
        return error_set(err, "%s is a library's: its blocks are not known",
                         f->choice.variant->name);
    if (!launch_plan(&plan, &f->choice, f->picture, f->device, NULL, err)) return false;
    for (int i = 0; i < found.pass_count; i++) find_pass(&found.passes[i], f, i, &plan);
    const struct block_info_box *last = &found.passes[found.pass_count - 1].covers;
    found.column = last->left / last->width;
    found.row = last->top / last->height;
    find_thread(&found, f);
    found.reach = find_reach(&found, &f->choice);
    *b = found;
    return true;
}
