#include "filter/block_info.h"

#include <glib.h>

// How the threads that a pass wants lie over an array.
enum order {
    ORDER_UNKNOWN,
    ORDER_ROWS,    // a row of threads for each row of the array
    ORDER_TURNED,  // a column of threads for each row
    ORDER_LINEAR,  // one behind the other, as the elements lie in memory
};

// One bit for each order in which the threads fit the array.
static unsigned orders_of(const struct choice *c, const struct device *d, int array)
{
    struct arrays_layout layout;
    int across, down;
    if (!arrays_plan(&layout, c, (struct planes){0}, NULL) ||
        !launch_domain(c, (struct planes){0}, d, &across, &down))
        return 0;
    const struct array_place *place = &layout.places[array];
    return (unsigned)(across == place->columns && down == place->rows) << ORDER_ROWS |
           (unsigned)(across == place->rows && down == place->columns) << ORDER_TURNED |
           (unsigned)(across == place->count && down == 1) << ORDER_LINEAR;
}

static enum order find_order(const struct choice *c, const struct device *d, int array)
{
    // Tries other params, because two shapes may agree by chance for these.
    struct choice other = *c;
    for (int i = 0; i < c->filter->param_count; i++) {
        const struct param *p = &c->filter->params[i];
        double *value = &other.settings.params.v[i];
        const double far = (2 * i + 3) * p->step, step = *value + far <= p->max ? far : -far;
        if (!p->is_float && *value + step >= p->min) *value += step;
    }

    const struct pass *last = &c->variant->passes[c->variant->pass_count - 1];
    if (filter_has_picture(c->filter)) return ORDER_ROWS;
    if (c->filter->arrays[array].kind != ARRAY_OUT || last->has_own_order) return ORDER_UNKNOWN;
    if (!last->domain[0].count)
        return c->filter->arrays[array].dimensions == 1 ? ORDER_LINEAR : ORDER_ROWS;
    const unsigned fits = orders_of(c, d, array) & orders_of(&other, d, array);
    if (fits & 1u << ORDER_LINEAR) return ORDER_LINEAR;  // also a vector, which is one row
    if (fits & 1u << ORDER_ROWS) return ORDER_ROWS;
    return fits & 1u << ORDER_TURNED ? ORDER_TURNED : ORDER_UNKNOWN;
}

static void find_cover(struct block_info *b, enum order order, const struct launch_tile *tile,
                       const struct array_place *place, int columns)
{
    enum { MOST = G_MAXINT / 4 };  // a block may be said to write more than any picture has
    const bool is_picture = place->picture.width > 0, is_linear = order == ORDER_LINEAR;
    const long long across = order == ORDER_TURNED ? tile->rows : tile->columns;
    const long long down = order == ORDER_TURNED ? tile->columns : tile->rows;
    const bool is_whole = place->rows == 1 || !is_linear || columns % across == 0;
    // A wide block covers some rows of a vector that is wrapped.
    const bool is_wrapped = place->rows == 1 && across > columns && across % columns == 0;
    if ((across > columns && !is_picture && !is_wrapped) || !is_whole) return;
    b->covered_width = (int)MIN(is_wrapped ? columns : across, MOST);
    b->covered_height = is_wrapped  ? (int)MIN(across / columns, MOST)
                        : is_linear ? 1
                                    : (int)MIN(down, is_picture ? MOST : place->rows);
}

bool block_info_find(struct block_info *b, const struct block_info_facts *facts, int array,
                     struct error *err)
{
    struct launch_plan plan;
    struct arrays_layout layout;
    const struct choice *c = &facts->choice;
    const struct array *a = &c->filter->arrays[array];
    int columns, step, x = MAX(facts->x, 0), y = MAX(facts->y, 0);
    if (c->variant->library.function)
        return error_set(err, "%s is a library's: its blocks are not known", c->variant->name);
    if (!launch_plan(&plan, c, facts->picture, facts->device, NULL, err) ||
        !arrays_plan(&layout, c, facts->picture, err))
        return false;
    const struct array_place *place = &layout.places[array];
    array_picture(a, place, &columns, &step);
    if (filter_has_picture(c->filter)) {
        x = MIN(x, MAX(facts->picture.width, 1) - 1);
        y = MIN(y, MAX(facts->picture.height, 1) - 1);
    }
    const long long across = (long long)x * step, index = (long long)y * step * columns + across;
    if (across >= columns || index >= place->count)
        return error_set(err, "%s has no element here", a->name);
    const int last = plan.pass_count - 1;
    *b = (struct block_info){.array = array,
                             .index = index,
                             .row = index / place->columns,
                             .column = index % place->columns,
                             .thread = {-1, -1},
                             .config = plan.passes[last].config};
    const struct pass *const pass = &c->variant->passes[last];
    const struct launch_tile *const tile = &plan.passes[last].tile;
    const enum order order = find_order(c, facts->device, array);
    if (order == ORDER_UNKNOWN) return true;
    const bool is_turned = order == ORDER_TURNED, is_linear = order == ORDER_LINEAR;
    const long long column = is_linear ? b->index : is_turned ? b->row : b->column;
    const long long row = is_linear ? 0 : is_turned ? b->column : b->row;
    b->has_block = true;
    b->block_column = column / tile->columns;
    b->block_row = row / tile->rows;
    b->domain_x = (int)column;
    b->domain_y = (int)row;
    // Without a trace the thread is certain only if each writes one pixel or element, its own.
    if (pass->block_depth == 1 && pass->each_x == 1 && pass->each_y == 1 && !pass->columns.count &&
        !pass->rows.count && !pass->has_own_order)
        b->thread =
            (struct block_info_thread){(int)(column % tile->columns), (int)(row % tile->rows)};
    const bool is_folded = a->dimensions > 1 && columns != place->columns;
    if (step == 1 && !is_folded) find_cover(b, order, tile, place, columns);
    return true;
}

struct block_info_thread block_info_thread_of(const struct block_info_writer *w,
                                              const struct launch_config *block)
{
    return w->threads == 1 ? (struct block_info_thread){w->thread % block->block_width,
                                                        w->thread / block->block_width}
                           : (struct block_info_thread){-1, -1};
}

void block_info_see(struct block_info *b, const struct block_info_writer *w)
{
    b->thread = block_info_thread_of(w, &b->config);
    b->has_block = w->threads > 0;
    if (!b->has_block) b->covered_width = b->covered_height = 0;
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

// The filter's radius limits it, because a block may read more than its pixels need.
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
