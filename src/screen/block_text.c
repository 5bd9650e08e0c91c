#include "screen/block_text.h"

#include <glib.h>
#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "lens/model.h"

// Frees w.
static void hand_over(GString *w, char *text, size_t size)
{
    text_copy(text, size, w->str);
    g_string_free(w, TRUE);
}

// ---- of any block ----

// A thread of a block, and where the hardware has it.
static void write_thread(GString *w, const struct launch_config *block, struct block_info_thread at)
{
    const int thread = at.y * block->block_width + at.x;
    if (at.x < 0) return;
    g_string_append_printf(w, "\nthread\t%d, %d · warp %d, lane %d", at.x, at.y,
                           thread / MODEL_LANES, thread % MODEL_LANES);
}

static void write_threads(GString *w, const struct launch_config *block)
{
    g_string_append_printf(w, "\nthreads\t%d×%d = %d", block->block_width, block->block_height,
                           block->block_width * block->block_height);
}

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
    for (int i = 0; i < passes; i++) {
        text_append(text, size, "%spass %d ", i ? ", " : "", i + 1);
        if (bytes[i])
            text_append(text, size, "%zu B", bytes[i]);
        else
            text_append(text, size, "none");
    }
}

// A CPU may have none of these.
static void write_resources(GString *w, const struct block_info_facts *f)
{
    char shared[64];
    block_text_write_shared(shared, sizeof shared, f->shared_bytes, f->choice.variant->pass_count,
                            f->device->is_gpu);
    if (*shared) g_string_append_printf(w, "\nshared\t%s a block", shared);
    if (f->occupancy.max_threads)
        g_string_append_printf(w, "\noccupancy\t%d %%, limited by %s",
                               100 * f->occupancy.threads / f->occupancy.max_threads,
                               f->occupancy.limiter);
}

// ---- a pixel of a picture ----

static void write_values(GString *w, const char *label, const unsigned char *values, int count)
{
    g_string_append_printf(w, "\n%s\t", label);
    for (int i = 0; i < count; i++) g_string_append_printf(w, "%s%d", i ? ", " : "", values[i]);
    if (!count) g_string_append(w, "…");
}

static void write_pixel(GString *w, const struct block_info_facts *f)
{
    static const char *const labels[] = {"out A", "out B"};
    const struct block_info_pixel *p = f->pixel;
    const int count = MIN(f->picture.count, BLOCK_INFO_PLANES);
    g_string_append_printf(w, "pixel %d, %d", CLAMP(f->x, 0, f->picture.width - 1),
                           CLAMP(f->y, 0, f->picture.height - 1));
    if (!p) return;
    write_values(w, "in", p->in, count);
    for (int i = 0; i <= p->is_pair; i++)
        write_values(w, p->is_pair ? labels[i] : "out", p->out[i], p->has_out[i] ? count : 0);
}

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
    char text[32];
    number_three(text, sizeof text, loads);
    if (loads == floor(loads))
        g_string_append_printf(w, "%.0f", loads);
    else
        g_string_append(w, text);
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

void block_text_write_unknown(char *text, size_t size, const struct block_info_facts *f,
                              const struct error *why)
{
    GString *w = g_string_new(NULL);
    write_pixel(w, f);
    g_string_append_printf(w, "\nblock\t%s", why->text);
    hand_over(w, text, size);
}

void block_text_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *f)
{
    GString *w = g_string_new(NULL);
    write_pixel(w, f);
    g_string_append_printf(w, "\nblock\t%lld, %lld of %d×%d", b->block_column, b->block_row,
                           b->config.grid_width, b->config.grid_height);
    if (f->picture.count > 1 && !filter_is_interleaved(f->choice.filter, f->choice.variant))
        g_string_append_printf(w, " in %d planes", f->picture.count);
    write_thread(w, &b->config, b->thread);
    write_threads(w, &b->config);
    write_touched(w, f);
    write_resources(w, f);
    hand_over(w, text, size);
}

// ---- an element of an array ----

void block_text_write_name(char *text, size_t size, const struct block_info *b,
                           const struct filter *lab)
{
    const struct array *a = &lab->arrays[b->array];
    if (a->dimensions == 1)
        g_snprintf(text, size, "%s[%lld]", a->name, b->index);
    else
        g_snprintf(text, size, "%s[%lld][%lld]", a->name, b->row, b->column);
}

void block_text_write_element(char *text, size_t size, const struct block_info *b,
                              const struct block_info_facts *facts,
                              const struct block_text_values *values)
{
    GString *w = g_string_new(NULL);
    static const char *const labels[] = {"value A", "value B"};
    char name[64];
    block_text_write_name(name, sizeof name, b, facts->choice.filter);
    g_string_append(w, name);
    for (int i = 0; i <= values->is_pair; i++) {
        g_string_append_printf(w, "\n%s\t", values->is_pair ? labels[i] : "value");
        char value[32];
        if (*values->names[i]) g_string_append_printf(w, "%s: ", values->names[i]);
        if (values->values[i]) g_snprintf(value, sizeof value, "%.9g", *values->values[i]);
        g_string_append(w, values->is_absent[i] ? "–" : values->values[i] ? value : "…");
    }
    const struct launch_config *config = &b->config;
    if (!b->has_block)
        g_string_append_printf(w, "\ngrid\t%d×%d blocks", config->grid_width, config->grid_height);
    else if (config->grid_height > 1)
        g_string_append_printf(w, "\nblock\t%lld, %lld of %d×%d", b->block_column, b->block_row,
                               config->grid_width, config->grid_height);
    else
        g_string_append_printf(w, "\nblock\t%lld of %d", b->block_column, config->grid_width);
    if (b->has_block) write_thread(w, config, b->thread);
    write_threads(w, &b->config);
    write_resources(w, facts);
    hand_over(w, text, size);
}
