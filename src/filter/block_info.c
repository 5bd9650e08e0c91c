#include "filter/block_info.h"

#include <glib.h>
#include <math.h>

#include "base/figure.h"
#include "base/text.h"

enum { WARP_LANES = 32 };

// ---- the block ----

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
}

static int radius_of(const struct choice *c)
{
    const int index = filter_radius(c->filter);
    return index < 0 ? 0 : (int)c->settings.params.v[index];
}

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

// A filter's window is square, and a block may read more than its pixels need.
static int find_reach(const struct block_info_facts *f)
{
    const int radius = radius_of(&f->choice);
    int across = 0, down = 0;
    for (int i = 0; f->touched && i < f->choice.variant->pass_count; i++) {
        across += reach_across(&f->touched[i]);
        down += reach_down(&f->touched[i]);
    }
    return MIN(radius, MAX(across, down));
}

// Which pixels are whose is the kernel's affair where a block shares them out.
static void find_thread(struct block_info *b, const struct block_info_facts *f)
{
    const struct block_info_pass *last = &b->passes[b->pass_count - 1];
    const struct pass *written = &f->choice.variant->passes[b->pass_count - 1];
    const int x = CLAMP(f->x, 0, f->picture.width - 1), y = CLAMP(f->y, 0, f->picture.height - 1);
    b->thread_x = last->is_shared_out ? -1 : (x - last->covers.left) / written->each_x;
    b->thread_y = last->is_shared_out ? -1 : (y - last->covers.top) / written->each_y;
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
    found.reach = find_reach(f);
    *b = found;
    return true;
}

// ---- words ----

static void add_figure(GString *w, double value)
{
    char text[32];
    figure_three(text, sizeof text, value);
    if (value == floor(value))
        g_string_append_printf(w, "%.0f", value);
    else
        g_string_append(w, text);
}

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

void block_info_write_thread(char *text, size_t size, const struct launch_config *block, int x,
                             int y)
{
    const int thread = y * block->block_width + x;
    text_append(text, size, "\nthread\t%d, %d · warp %d, lane %d", x, y, thread / WARP_LANES,
                thread % WARP_LANES);
}

static void write_place(GString *w, const struct block_info *b, const struct block_info_facts *f)
{
    const struct block_info_pass *last = &b->passes[b->pass_count - 1];
    char thread[96] = "";
    g_string_append_printf(w, "\nblock\t%d, %d of %d×%d", b->column, b->row,
                           last->config.grid_width, last->config.grid_height);
    if (f->picture.count > 1 && !filter_is_interleaved(f->choice.filter, f->choice.variant))
        g_string_append_printf(w, " in %d planes", f->picture.count);
    if (b->thread_x >= 0)
        block_info_write_thread(thread, sizeof thread, &last->config, b->thread_x, b->thread_y);
    g_string_append(w, thread);
    g_string_append_printf(w, "\nthreads\t%d×%d = %d", last->config.block_width,
                           last->config.block_height,
                           last->config.block_width * last->config.block_height);
}

// Until a block is traced it may be less than what it covers.
static void write_writes(GString *w, const struct block_info *b, const struct block_info_facts *f)
{
    const struct block_info_box *covers = &b->passes[b->pass_count - 1].covers;
    const struct block_info_box *writes =
        f->touched ? &f->touched[b->pass_count - 1].writes : covers;
    if (!f->touched && b->passes[b->pass_count - 1].is_shared_out)
        g_string_append_printf(w, "\nwrites\tup to %d×%d pixels", covers->width, covers->height);
    else
        g_string_append_printf(w, "\nwrites\t%d×%d pixels from %d, %d",
                               MIN(writes->width, f->picture.width - writes->left),
                               MIN(writes->height, f->picture.height - writes->top), writes->left,
                               writes->top);
}

static void write_pass_reads(GString *w, const struct block_info_touched *t)
{
    const int across = reach_across(t), down = reach_down(t);
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

static void write_reads(GString *w, const struct block_info_touched *touched, int passes)
{
    for (int i = 0; i < passes; i++) {
        if (passes == 1)
            g_string_append(w, "\nreads\t");
        else
            g_string_append_printf(w, "\npass %d reads\t", i + 1);
        write_pass_reads(w, &touched[i]);
    }
}

static void write_loads(GString *w, const struct block_info_facts *f, int passes)
{
    const double taps = launch_taps(f->choice.filter, &f->choice.settings);
    double loads = 0;
    for (int i = 0; i < passes; i++)
        loads += f->touched[i].loads / (double)MAX(f->touched[i].pixels_written, 1);
    g_string_append(w, "\nloads a pixel\t");
    add_figure(w, loads);
    if (taps > 1 && fabs(loads - taps) > 1e-9) g_string_append_printf(w, ", naive %.0f", taps);
}

static void write_halo(GString *w, const struct block_info_touched *touched, int passes)
{
    g_string_append(w, "\nhalo\t");
    for (int i = 0; i < passes; i++) {
        const double written = (double)MAX(touched[i].pixels_written, 1);
        const double beyond = (double)touched[i].pixels_read / written - 1;
        g_string_append_printf(w, "%s+%.0f %%", i ? ", " : "", 100 * MAX(beyond, 0));
    }
    g_string_append(w, " of the pixels");
}

static void write_idle(GString *w, const struct block_info_touched *last)
{
    if (last->idle)
        g_string_append_printf(w, "\nidle threads\t%d of the block's %d", last->idle,
                               last->threads);
    else
        g_string_append(w, "\nidle threads\tnone");
}

static void write_touched(GString *w, const struct block_info *b, const struct block_info_facts *f)
{
    if (!f->touched) {
        if (f->untouched) g_string_append_printf(w, "\nreads\t%s", f->untouched);
        return;
    }
    write_reads(w, f->touched, b->pass_count);
    write_loads(w, f, b->pass_count);
    if (radius_of(&f->choice) > 0) write_halo(w, f->touched, b->pass_count);
    write_idle(w, &f->touched[b->pass_count - 1]);
}

void block_info_write_shared(char *text, size_t size, const size_t *bytes, int passes, bool is_gpu)
{
    size_t total = 0, used = 0;
    text[0] = '\0';
    for (int i = 0; i < passes; i++) total += bytes[i];
    if (!total && !is_gpu) return;
    for (int i = 0; i < passes && used < size; i++)
        used += (size_t)g_snprintf(text + used, size - used, "%s%zu B", i ? ", " : "", bytes[i]);
}

void block_info_write_resources(char *text, size_t size, const struct block_info_facts *f)
{
    char shared[64];
    block_info_write_shared(shared, sizeof shared, f->shared_bytes, f->choice.variant->pass_count,
                            f->device->is_gpu);
    text[0] = '\0';
    if (*shared) text_append(text, size, "\nshared\t%s a block", shared);
    if (f->occupancy.max_threads)
        text_append(text, size, "\noccupancy\t%d %%, limited by %s",
                    100 * f->occupancy.threads / f->occupancy.max_threads, f->occupancy.limiter);
}

void block_info_write_unknown(char *text, size_t size, const struct block_info_facts *f,
                              const struct error *why)
{
    GString *w = g_string_new(NULL);
    write_pixel(w, f);
    g_string_append_printf(w, "\nblock\t%s", why->text);
    text_copy(text, size, w->str);
    g_string_free(w, TRUE);
}

void block_info_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *f)
{
    char resources[256];
    GString *w = g_string_new(NULL);
    write_pixel(w, f);
    write_place(w, b, f);
    write_writes(w, b, f);
    write_touched(w, b, f);
    block_info_write_resources(resources, sizeof resources, f);
    g_string_append(w, resources);
    text_copy(text, size, w->str);
    g_string_free(w, TRUE);
}
