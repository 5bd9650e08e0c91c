#include "filter/block_info.h"

#include <glib.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/figure.h"

// How far a block reads beyond what it writes.
struct reach {
    int across, down;
};

static int radius_of(const struct block_info_facts *f)
{
    const int index = filter_radius(f->filter);
    return index < 0 ? 0 : (int)f->settings->params.v[index];
}

// ---- what a pass reads ----

// What a pass writes and asks for at some radius and in some block.
struct sample {
    int radius;
    long long columns, rows, bytes;
};

static bool take_sample(const struct block_info_facts *f, int pass, const struct settings *s,
                        struct sample *sample)
{
    struct launch_plan plan;
    const int index = filter_radius(f->filter);
    *sample = (struct sample){.radius = index < 0 ? 0 : (int)s->params.v[index]};
    if (!launch_plan(&plan, &(struct choice){f->filter, f->variant, *s}, f->picture, f->device,
                     NULL, NULL))
        return false;
    sample->columns = plan.tiles[pass].columns;
    sample->rows = plan.tiles[pass].rows;
    sample->bytes = (long long)plan.passes[pass].shared_bytes;
    return true;
}

// The same launch with a neighbouring radius, and a block of another height where it may have one.
static bool take_neighbour(const struct block_info_facts *f, int pass, struct sample *sample)
{
    struct settings s = *f->settings;
    int width, height;
    const int index = filter_radius(f->filter);
    if (index < 0) return false;
    s.params.v[index] += s.params.v[index] > 0 ? -1 : 1;
    launch_block(f->variant, &s, &width, &height);
    s.block_width = width;
    s.block_height = height > 1 ? height - 1 : 2;
    if (take_sample(f, pass, &s, sample)) return true;
    s.block_width = f->settings->block_width;
    s.block_height = f->settings->block_height;
    return take_sample(f, pass, &s, sample);
}

// The kinds of tile: which sides have a halo, and how many bytes a pixel takes.
static const struct tile {
    int across, down, pixel_bytes;
} tiles[] = {{1, 1, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 4}, {1, 0, 4}, {0, 1, 4}, {0, 0, 1}};

static bool is_tile(const struct tile *t, const struct sample *s)
{
    return s->bytes == (s->columns + 2LL * s->radius * t->across) *
                           (s->rows + 2LL * s->radius * t->down) * t->pixel_bytes;
}

// Two kinds of tile may have the same size by chance, but not in a neighbouring launch too.
static const struct tile *find_tile(const struct block_info_facts *f, int pass,
                                    const struct sample *here)
{
    struct sample there;
    const bool has_neighbour = take_neighbour(f, pass, &there);
    for (size_t i = 0; i < G_N_ELEMENTS(tiles); i++)
        if (is_tile(&tiles[i], here) && (!has_neighbour || is_tile(&tiles[i], &there)))
            return &tiles[i];
    return NULL;
}

static struct reach find_reach(const struct block_info_facts *f, int pass, const struct sample *s,
                               enum block_info_reading *reading)
{
    const struct pass *p = &f->variant->passes[pass];
    const struct tile *tile = p->shared.count ? find_tile(f, pass, s) : NULL;
    const bool is_direct =
        f->variant->pass_count == 1 && !p->shared.count && !p->columns.count && !p->rows.count;
    *reading = tile ? BLOCK_INFO_TILE : is_direct ? BLOCK_INFO_TAPS : BLOCK_INFO_LEAST;
    if (tile) return (struct reach){s->radius * tile->across, s->radius * tile->down};
    return (struct reach){s->radius, s->radius};
}

// ---- a pass ----

static struct block_info_box within(struct block_info_box b, struct planes picture)
{
    b.width = MIN(b.width, picture.width - b.left);
    b.height = MIN(b.height, picture.height - b.top);
    return b;
}

static struct block_info_box grown(struct block_info_box b, struct reach reach)
{
    return (struct block_info_box){b.left - reach.across, b.top - reach.down,
                                   b.width + 2 * reach.across, b.height + 2 * reach.down};
}

static double pixels_of(struct block_info_box b)
{
    return (double)b.width * b.height;
}

// A thread has `each` pixels a side. It has none if its first pixel is beyond the picture.
static double idle_part(int picture, int each, int threads, int blocks)
{
    const int busy = (picture - 1) / each + 1;
    return 1 - (double)busy / ((double)threads * blocks);
}

static void find_idle(struct block_info_pass *p, const struct pass *pass, struct planes picture)
{
    const struct launch_config *c = &p->config;
    const double right = idle_part(picture.width, pass->each_x, c->block_width, c->grid_width);
    const double bottom = idle_part(picture.height, pass->each_y, c->block_height, c->grid_height);
    p->idle_right = right * c->grid_width;
    p->idle_bottom = bottom * c->grid_height;
    p->idle = 1 - (1 - right) * (1 - bottom);
}

static bool find_pass(struct block_info_pass *p, const struct block_info_facts *f, int pass,
                      const struct launch_plan *plan, struct reach *reach)
{
    struct sample s;
    if (!take_sample(f, pass, f->settings, &s)) return false;
    const struct pass *written = &f->variant->passes[pass];
    *p = (struct block_info_pass){.config = plan->passes[pass],
                                  .is_shared_out = written->columns.count || written->rows.count};
    const int x = CLAMP(f->x, 0, f->picture.width - 1), y = CLAMP(f->y, 0, f->picture.height - 1);
    // A block may be said to write more pixels than any picture has.
    const int columns = (int)MIN(s.columns, G_MAXINT / 4), rows = (int)MIN(s.rows, G_MAXINT / 4);
    *reach = find_reach(f, pass, &s, &p->reading);
    p->covers = (struct block_info_box){x / columns * columns, y / rows * rows, columns, rows};
    p->writes = p->is_shared_out ? p->covers : within(p->covers, f->picture);
    p->reads = grown(p->reading == BLOCK_INFO_TILE ? p->covers : p->writes, *reach);
    p->halo = pixels_of(p->reads) / pixels_of(p->writes) - 1;
    p->loads = p->reading == BLOCK_INFO_TAPS ? launch_taps(f->filter, f->settings) : 1 + p->halo;
    if (!p->is_shared_out) find_idle(p, written, f->picture);
    return true;
}

bool block_info_find(struct block_info *b, const struct block_info_facts *f, struct error *err)
{
    struct launch_plan plan;
    struct block_info found = {.pass_count = f->variant->pass_count};
    struct reach all = {0, 0}, reach;
    const struct choice choice = {f->filter, f->variant, *f->settings};
    if (!launch_plan(&plan, &choice, f->picture, f->device, NULL, err)) return false;
    for (int i = 0; i < found.pass_count; i++) {
        if (!find_pass(&found.passes[i], f, i, &plan, &reach)) return false;
        all.across += reach.across;
        all.down += reach.down;
    }
    const struct block_info_pass *last = &found.passes[found.pass_count - 1];
    found.column = last->covers.left / last->covers.width;
    found.row = last->covers.top / last->covers.height;
    found.reach = MIN(radius_of(f), MAX(all.across, all.down));  // a filter's window is square
    *b = found;
    return true;
}

// ---- words ----

// A text that is being written.
struct words {
    char *text;
    size_t size;
};

static void add(struct words *w, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add(struct words *w, const char *format, ...)
{
    const size_t used = strlen(w->text);
    va_list args;
    va_start(args, format);
    g_vsnprintf(w->text + used, (gulong)(w->size - used), format, args);
    va_end(args);
}

static void add_figure(struct words *w, double value)
{
    char text[32];
    figure_three(text, sizeof text, value);
    add(w, "%s", text);
}

static void write_title(struct words *w, const struct block_info *b,
                        const struct block_info_facts *f)
{
    const struct block_info_pass *last = &b->passes[b->pass_count - 1];
    add(w, "block %d, %d of %d×%d", b->column, b->row, last->config.grid_width,
        last->config.grid_height);
    if (f->picture.count > 1 && !filter_is_rgb24(f->variant))
        add(w, " in %d planes", f->picture.count);
    add(w, "\nthreads\t%d×%d = %d", last->config.block_width, last->config.block_height,
        last->config.block_width * last->config.block_height);
    if (last->is_shared_out)
        add(w, "\nwrites\tup to %d×%d pixels", last->writes.width, last->writes.height);
    else
        add(w, "\nwrites\t%d×%d pixels from %d, %d", last->writes.width, last->writes.height,
            last->writes.left, last->writes.top);
}

static void write_pass_reads(struct words *w, const struct block_info_pass *p)
{
    const int across = p->covers.left - p->reads.left, down = p->covers.top - p->reads.top;
    add(w, "%s%d×%d pixels", p->is_shared_out ? "up to " : "", p->reads.width, p->reads.height);
    if (across && down)
        add(w, ", a halo of %d", across);
    else if (across)
        add(w, ", %d to each side", across);
    else if (down)
        add(w, ", %d up and down", down);
}

static void write_reads(struct words *w, const struct block_info *b)
{
    for (int i = 0; i < b->pass_count; i++) {
        if (b->pass_count == 1)
            add(w, "\nreads\t");
        else
            add(w, "\npass %d reads\t", i + 1);
        write_pass_reads(w, &b->passes[i]);
    }
}

static void write_loads(struct words *w, const struct block_info *b,
                        const struct block_info_facts *f)
{
    bool is_least = false;
    double loads = 0;
    for (int i = 0; i < b->pass_count; i++) {
        is_least |= b->passes[i].reading == BLOCK_INFO_LEAST;
        loads += b->passes[i].loads;
    }
    add(w, "\nloads a pixel\t%s", is_least ? "at least " : "");
    if (loads == floor(loads))
        add(w, "%.0f", loads);
    else
        add_figure(w, loads);
    if (b->passes[0].reading != BLOCK_INFO_TAPS && radius_of(f) > 0)
        add(w, ", naive %.0f", launch_taps(f->filter, f->settings));
}

static void write_halo(struct words *w, const struct block_info *b)
{
    add(w, "\nhalo\t");
    for (int i = 0; i < b->pass_count; i++)
        add(w, "%s+%.0f %%", i ? ", " : "", 100 * b->passes[i].halo);
    add(w, " of the pixels");
}

static void write_idle(struct words *w, const struct block_info_pass *last)
{
    if (last->is_shared_out) return;
    add(w, "\nidle threads\t");
    if (last->idle <= 0) {
        add(w, "none");
        return;
    }
    add_figure(w, 100 * last->idle);
    add(w, " %%: ");
    if (last->idle_right > 0) add(w, "%.0f %% at the right", 100 * last->idle_right);
    if (last->idle_right > 0 && last->idle_bottom > 0) add(w, ", ");
    if (last->idle_bottom > 0) add(w, "%.0f %% at the bottom", 100 * last->idle_bottom);
}

void block_info_write_shared(char *text, size_t size, const size_t *bytes, int passes, bool is_gpu)
{
    struct words w = {text, size};
    size_t total = 0;
    text[0] = '\0';
    for (int i = 0; i < passes; i++) total += bytes[i];
    if (!total && !is_gpu) return;
    for (int i = 0; i < passes; i++) add(&w, "%s%zu B", i ? ", " : "", bytes[i]);
}

static void write_shared(struct words *w, const struct block_info *b,
                         const struct block_info_facts *f)
{
    char text[64];
    block_info_write_shared(text, sizeof text, f->shared_bytes, b->pass_count, f->device->is_gpu);
    if (*text) add(w, "\nshared\t%s a block", text);
}

void block_info_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *f)
{
    struct words w = {text, size};
    text[0] = '\0';
    write_title(&w, b, f);
    write_reads(&w, b);
    write_loads(&w, b, f);
    if (radius_of(f) > 0) write_halo(&w, b);
    write_idle(&w, &b->passes[b->pass_count - 1]);
    write_shared(&w, b, f);
    if (f->occupancy.max_threads)
        add(&w, "\noccupancy\t%d %%, limited by %s",
            100 * f->occupancy.threads / f->occupancy.max_threads, f->occupancy.limiter);
}
