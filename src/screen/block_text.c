#include "screen/block_text.h"

#include <glib.h>
#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "lens/model.h"

void block_text_write_shared(char *text, size_t size, const size_t *bytes, int passes, bool is_gpu)
{
    size_t total = 0;
    text[0] = '\0';
    for (int i = 0; i < passes; i++) total += bytes[i];
    if (!total && !is_gpu) return;
    if (passes == 1) {
        g_snprintf(text, size, "%zu B", bytes[0]);
        return;
    }
    for (int i = 0; i < passes; i++)
        if (bytes[i])
            text_join(text, size, ", ", "pass %d %zu B", i + 1, bytes[i]);
        else
            text_join(text, size, ", ", "pass %d none", i + 1);
}

// ---- what it reads and writes of a picture ----

static void write_pass_reads(GString *w, const struct block_info_touched *t)
{
    const int across = block_info_reach(t).across, down = block_info_reach(t).down;
    if (!t->reads.width) {
        g_string_append(w, "no pixels");
        return;
    }
    g_string_append_printf(w, "%d×%d pixels", t->reads.width, t->reads.height);
    if (across && across == down)
        g_string_append_printf(w, ", a halo of %d", across);
    else if (across && down)
        g_string_append_printf(w, ", %d to the side, %d up or down", across, down);
    else if (across)
        g_string_append_printf(w, ", %d to each side", across);
    else if (down)
        g_string_append_printf(w, ", %d up and down", down);
}

static void write_touched(GString *w, const struct block_info_facts *f)
{
    const int passes = f->choice.variant->pass_count;
    if (!f->touched) {
        if (f->untouched) g_string_append_printf(w, "\nreads\t%s", f->untouched);
        return;
    }
    const struct block_info_box *writes = &f->touched[passes - 1].writes;
    g_string_append_printf(w, "\nwrites\t%d×%d pixels from %d, %d", writes->width, writes->height,
                           writes->left, writes->top);
    for (int i = 0; i < passes; i++) {
        if (passes == 1)
            g_string_append(w, "\nreads\t");
        else
            g_string_append_printf(w, "\npass %d reads\t", i + 1);
        write_pass_reads(w, &f->touched[i]);
    }
    const double taps = launch_taps(f->choice.filter, &f->choice.settings);
    double loads = 0;
    for (int i = 0; i < passes; i++)
        loads += f->touched[i].loads / (double)MAX(f->touched[i].pixels_written, 1);
    g_string_append(w, "\nloads a pixel\t");
    if (loads == floor(loads))
        g_string_append_printf(w, "%.0f", loads);
    else
        g_string_append(w, number_three(loads).text);
    if (taps > 1 && fabs(loads - taps) > 1e-9) g_string_append_printf(w, ", naive %.0f", taps);
    if (taps > 1) {
        g_string_append(w, "\nhalo\t");
        for (int i = 0; i < passes; i++) {
            const double written = (double)MAX(f->touched[i].pixels_written, 1);
            const double beyond = (double)f->touched[i].pixels_read / written - 1;
            g_string_append_printf(w, "%s+%.0f %%", i ? ", " : "", 100 * MAX(beyond, 0));
        }
        g_string_append(w, " of the pixels");
    }
    const struct block_info_touched *last = &f->touched[passes - 1];
    if (last->idle)
        g_string_append_printf(w, "\nidle threads\t%d of the block's %d", last->idle,
                               last->threads);
    else
        g_string_append(w, "\nidle threads\tnone");
}

// ---- all of it ----

void block_text_write_name(char *text, size_t size, const struct block_info *b,
                           const struct filter *lab)
{
    const struct array *a = &lab->arrays[b->array];
    const bool is_flat = a->dimensions == 1;
    array_write_element(a->name, &a->record, is_flat ? -1 : b->row, is_flat ? b->index : b->column,
                        text, size);
}

static void write_values(GString *w, const struct block_text_values *v, bool is_picture)
{
    static const char *const sides[] = {" A", " B"};
    if (*v->in) g_string_append_printf(w, "\nin\t%s", v->in);
    for (int i = 0; i <= v->is_pair; i++)
        g_string_append_printf(w, "\n%s%s\t%s", is_picture ? "out" : "value",
                               v->is_pair ? sides[i] : "", *v->shown[i] ? v->shown[i] : "…");
}

static void write_block(GString *w, const struct block_info *b, const struct block_info_facts *f)
{
    const int across = b->config.grid_width, down = b->config.grid_height;
    const bool is_picture = filter_has_picture(f->choice.filter);
    const int grid_layers = is_picture ? 1 : b->config.grid_depth;
    const int layers = b->config.block_depth, rows = b->config.block_height / layers;
    const struct words grid = launch_write_shape(across, down, grid_layers);
    if (!b->has_block)
        g_string_append_printf(w, "\ngrid\t%s blocks", grid.text);
    else if (down > 1 || grid_layers > 1 || is_picture)
        g_string_append_printf(w, "\nblock\t%lld, %lld of %s", b->block_column, b->block_row,
                               grid.text);
    else
        g_string_append_printf(w, "\nblock\t%lld of %d", b->block_column, across);
    if (is_picture && f->picture.count > 1 &&
        !filter_is_interleaved(f->choice.filter, f->choice.variant))
        g_string_append_printf(w, " in %d planes", f->picture.count);
    const int thread = b->thread.y * b->config.block_width + b->thread.x;
    if (b->thread.x >= 0) {
        g_string_append_printf(w, layers > 1 ? "\nthread\t%d, %d, %d" : "\nthread\t%d, %d",
                               b->thread.x, b->thread.y % rows, b->thread.y / rows);
        g_string_append_printf(w, " · warp %d, lane %d", thread / MODEL_LANES,
                               thread % MODEL_LANES);
    }
    g_string_append_printf(w, "\nthreads\t%s = %d",
                           launch_write_shape(b->config.block_width, rows, layers).text,
                           b->config.block_width * b->config.block_height);
    if (is_picture) write_touched(w, f);
    char shared[64];  // this and the occupancy may be unknown on a CPU
    block_text_write_shared(shared, sizeof shared, f->shared_bytes, f->choice.variant->pass_count,
                            f->device->is_gpu);
    if (*shared) g_string_append_printf(w, "\nshared\t%s a block", shared);
    if (f->occupancy.max_threads)
        g_string_append_printf(w, "\noccupancy\t%d %%, limited by %s",
                               100 * f->occupancy.threads / f->occupancy.max_threads,
                               f->occupancy.limiter);
}

void block_text_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *f, const struct block_text_values *values,
                      const char *why)
{
    g_autoptr(GString) w = g_string_new(NULL);
    const bool is_picture = filter_has_picture(f->choice.filter);
    char name[64];
    g_snprintf(name, sizeof name, "pixel %d, %d", CLAMP(f->x, 0, f->picture.width - 1),
               CLAMP(f->y, 0, f->picture.height - 1));
    if (b && !is_picture) block_text_write_name(name, sizeof name, b, f->choice.filter);
    g_string_append(w, name);
    if (values) write_values(w, values, is_picture);
    if (b)
        write_block(w, b, f);
    else
        g_string_append_printf(w, "\nblock\t%s", why);
    text_copy(text, size, w->str);
}
