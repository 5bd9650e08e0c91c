#include "filter/block_info.h"

#include <glib.h>

struct block_info_thread block_info_thread_at(const struct variant *v, long long x, long long y)
{
    const struct pass *p = &v->passes[v->pass_count - 1];
    const bool has_own = p->each_x == 1 && p->each_y == 1 && !p->columns.count && !p->rows.count &&
                         !p->has_own_order;
    return has_own ? (struct block_info_thread){(int)x, (int)y}
                   : (struct block_info_thread){-1, -1};
}

struct block_info_thread block_info_thread_of(const struct block_info_writer *w,
                                              const struct launch_config *block)
{
    return w->threads == 1 ? (struct block_info_thread){w->thread % block->block_width,
                                                        w->thread / block->block_width}
                           : (struct block_info_thread){-1, -1};
}

bool block_info_find(struct block_info *b, const struct block_info_facts *f, struct error *err)
{
    struct launch_plan plan;
    const struct variant *v = f->choice.variant;
    const int x = CLAMP(f->x, 0, f->picture.width - 1), y = CLAMP(f->y, 0, f->picture.height - 1);
    if (v->library.function)
        return error_set(err, "%s is a library's: its blocks are not known", v->name);
    if (!launch_plan(&plan, &f->choice, f->picture, f->device, NULL, err)) return false;
    // A block may be said to write more pixels than any picture has.
    const struct launch_tile *tile = &plan.tiles[plan.pass_count - 1];
    const int columns = (int)MIN(tile->columns, G_MAXINT / 4);
    const int rows = (int)MIN(tile->rows, G_MAXINT / 4);
    *b = (struct block_info){.config = plan.passes[plan.pass_count - 1],
                             .covers = {x / columns * columns, y / rows * rows, columns, rows},
                             .column = x / columns,
                             .row = y / rows,
                             .thread = block_info_thread_at(v, x % columns, y % rows)};
    return true;
}

struct block_info_reach block_info_reach(const struct block_info_touched *t)
{
    const struct block_info_box *r = &t->reads, *w = &t->writes;
    if (!r->width || !w->width) return (struct block_info_reach){0, 0};
    const int right = r->left + r->width - w->left - w->width;
    const int bottom = r->top + r->height - w->top - w->height;
    return (struct block_info_reach){MAX(0, MAX(w->left - r->left, right)),
                                     MAX(0, MAX(w->top - r->top, bottom))};
}

// A filter's window is square, and a block may read more than its pixels need.
int block_info_halo(const struct choice *c, const struct block_info_touched *touched)
{
    const int radius = filter_radius(c->filter);
    int across = 0, down = 0;
    for (int i = 0; i < c->variant->pass_count; i++) {
        const struct block_info_reach reach = block_info_reach(&touched[i]);
        across += reach.across;
        down += reach.down;
    }
    return radius < 0 ? 0 : MIN((int)c->settings.params.v[radius], MAX(across, down));
}
