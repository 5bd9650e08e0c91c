#include "filter/lab_block.h"

#include <glib.h>

#include "base/text.h"

// Vectors are written by blocks in a row, whatever the rows of their picture.
static void find_block(struct lab_block *b, const struct array *a, const struct pass *p,
                       const struct launch_tile *tile)
{
    const bool is_vector = a->dimensions == 1;
    const long long x = is_vector ? b->index : b->column, y = is_vector ? 0 : b->row;
    b->has_block = a->kind == ARRAY_OUT && !p->domain[0].count;
    if (!b->has_block) return;
    b->block_column = x / tile->columns;
    b->block_row = y / tile->rows;
    const bool is_plain = !p->columns.count && !p->rows.count;
    b->thread_x = is_plain ? (int)(x % tile->columns / p->each_x) : -1;
    b->thread_y = is_plain ? (int)(y % tile->rows / p->each_y) : -1;
}

bool lab_block_find(struct lab_block *b, const struct block_info_facts *facts,
                    struct lab_block_view view, struct error *err)
{
    struct launch_plan plan;
    struct arrays_layout layout;
    const struct choice *c = &facts->choice;
    const struct array *a = &c->filter->arrays[view.array];
    if (!launch_plan(&plan, c, facts->picture, facts->device, NULL, err) ||
        !arrays_plan(&layout, c->filter, &c->settings.params, err))
        return false;
    const struct array_place *place = &layout.places[view.array];
    const int last = plan.pass_count - 1;
    const long long at =
        (long long)facts->y * view.step * view.columns + (long long)facts->x * view.step;
    *b = (struct lab_block){.array = view.array, .config = plan.passes[last]};
    b->index = CLAMP(at, 0, place->count - 1);
    b->row = b->index / place->columns;
    b->column = b->index % place->columns;
    const struct launch_tile *tile = &plan.tiles[last];
    find_block(b, a, &c->variant->passes[last], tile);
    const bool is_folded = a->dimensions > 1 && view.columns != place->columns;
    if (!b->has_block || view.step > 1 || is_folded || tile->columns > view.columns) return true;
    b->covered_width = (int)tile->columns;
    b->covered_height = a->dimensions == 1 ? 1 : (int)MIN(tile->rows, place->rows);
    return true;
}

static void write_element(char *text, size_t size, const struct lab_block *b,
                          const struct block_info_facts *facts, const double *value)
{
    const struct array *a = &facts->choice.filter->arrays[b->array];
    if (a->dimensions == 1)
        text_append(text, size, "%s[%lld]", a->name, b->index);
    else
        text_append(text, size, "%s[%lld][%lld]", a->name, b->row, b->column);
    if (value) text_append(text, size, " = %.9g", *value);
}

void lab_block_write(char *text, size_t size, const struct lab_block *b,
                     const struct block_info_facts *facts, const double *value)
{
    const struct launch_config *s = &b->config;
    char resources[128];
    text[0] = '\0';
    write_element(text, size, b, facts, value);
    if (b->has_block && b->config.grid_height > 1)
        text_append(text, size, "\nblock\t%lld, %lld", b->block_column, b->block_row);
    else if (b->has_block)
        text_append(text, size, "\nblock\t%lld", b->block_column);
    if (b->has_block && b->thread_x >= 0)
        text_append(text, size, ", thread %d, %d", b->thread_x, b->thread_y);
    text_append(text, size, "\ngrid\t%d×%d blocks", s->grid_width, s->grid_height);
    text_append(text, size, "\nthreads\t%d×%d = %d", s->block_width, s->block_height,
                s->block_width * s->block_height);
    block_info_write_resources(resources, sizeof resources, facts);
    text_append(text, size, "%s", resources);
}
