#include "filter/lab_block.h"

#include <glib.h>

// How the threads that a pass wants lie over an array.
enum order {
    ORDER_UNKNOWN,
    ORDER_ROWS,    // a row of threads for each row of the array
    ORDER_TURNED,  // a column of threads for each row
    ORDER_LINEAR,  // one behind the other, as the elements lie in memory
};

// Other params, which no two shapes have in common by chance.
static struct choice change_params(const struct choice *c)
{
    struct choice other = *c;
    for (int i = 0; i < c->filter->param_count; i++) {
        const struct param *p = &c->filter->params[i];
        double *value = &other.settings.params.v[i];
        const double step = *value + 2 * i + 3 <= p->max ? 2 * i + 3 : -(2 * i + 3);
        if (!p->is_float && *value + step >= p->min) *value += step;
    }
    return other;
}

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
    const struct choice other = change_params(c);
    const struct pass *last = &c->variant->passes[c->variant->pass_count - 1];
    if (c->filter->arrays[array].kind != ARRAY_OUT || last->has_own_order) return ORDER_UNKNOWN;
    if (!last->domain[0].count)
        return c->filter->arrays[array].dimensions == 1 ? ORDER_LINEAR : ORDER_ROWS;
    const unsigned fits = orders_of(c, d, array) & orders_of(&other, d, array);
    if (fits & 1u << ORDER_LINEAR) return ORDER_LINEAR;  // so is a vector's one row
    if (fits & 1u << ORDER_ROWS) return ORDER_ROWS;
    return fits & 1u << ORDER_TURNED ? ORDER_TURNED : ORDER_UNKNOWN;
}

static void find_block(struct lab_block *b, enum order order, const struct variant *v,
                       const struct launch_tile *tile)
{
    const long long xs[] = {
        [ORDER_ROWS] = b->column, [ORDER_TURNED] = b->row, [ORDER_LINEAR] = b->index};
    const long long ys[] = {[ORDER_ROWS] = b->row, [ORDER_TURNED] = b->column, [ORDER_LINEAR] = 0};
    b->has_block = order != ORDER_UNKNOWN;
    if (!b->has_block) return;
    b->block_column = xs[order] / tile->columns;
    b->block_row = ys[order] / tile->rows;
    b->thread = block_info_thread_at(v, xs[order] % tile->columns, ys[order] % tile->rows);
    b->domain_x = (int)xs[order];
    b->domain_y = (int)ys[order];
}

// Finds the pixels that a block covers in a picture whose pixels are the array's elements.
static void find_cover(struct lab_block *b, enum order order, const struct launch_tile *tile,
                       const struct array_place *place, int columns)
{
    const bool is_turned = order == ORDER_TURNED;
    const long long across = is_turned ? tile->rows : tile->columns;
    const long long down = order == ORDER_LINEAR ? 1 : is_turned ? tile->columns : tile->rows;
    const bool is_whole = place->rows == 1 || order != ORDER_LINEAR || columns % across == 0;
    if (!b->has_block || across > columns || !is_whole) return;
    b->covered_width = (int)across;
    b->covered_height = (int)MIN(down, order == ORDER_LINEAR ? 1 : place->rows);
}

bool lab_block_find(struct lab_block *b, const struct block_info_facts *facts,
                    struct lab_block_view view, struct error *err)
{
    struct launch_plan plan;
    struct arrays_layout layout;
    const struct choice *c = &facts->choice;
    const struct array *a = &c->filter->arrays[view.array];
    if (c->variant->library.function)
        return error_set(err, "%s is a library's: its blocks are not known", c->variant->name);
    if (!launch_plan(&plan, c, facts->picture, facts->device, NULL, err) ||
        !arrays_plan(&layout, c, facts->picture, err))
        return false;
    const struct array_place *place = &layout.places[view.array];
    const int last = plan.pass_count - 1;
    const long long x = (long long)MAX(facts->x, 0) * view.step;
    const long long y = (long long)MAX(facts->y, 0) * view.step;
    const long long at = y * view.columns + x;
    *b = (struct lab_block){.array = view.array, .config = plan.passes[last]};
    if (x >= view.columns || at >= place->count)
        return error_set(err, "%s has no element here", a->name);
    b->index = at;
    b->row = b->index / place->columns;
    b->column = b->index % place->columns;
    const struct launch_tile *tile = &plan.tiles[last];
    const enum order order = find_order(c, facts->device, view.array);
    find_block(b, order, c->variant, tile);
    const bool is_folded = a->dimensions > 1 && view.columns != place->columns;
    if (view.step == 1 && !is_folded) find_cover(b, order, tile, place, view.columns);
    return true;
}

void lab_block_see(struct lab_block *b, const struct block_info_writer *w)
{
    b->thread = block_info_thread_of(w, &b->config);
    b->has_block = w->threads > 0;
    if (!b->has_block) b->covered_width = b->covered_height = 0;
}
