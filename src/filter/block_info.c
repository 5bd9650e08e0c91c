#include "filter/block_info.h"

#include <glib.h>
#include <math.h>

#include "base/figure.h"
#include "base/text.h"

// How far a block reads beyond what it writes.
struct reach {
    int across, down;
};

static int radius_of(const struct choice *c)
{
    const int index = filter_radius(c->filter);
    return index < 0 ? 0 : (int)c->settings.params.v[index];
}

// ---- what a pass reads ----

// What a pass writes and asks for at some radius and in some block.
struct sample {
    int radius;
    long long columns, rows, bytes;
};

static struct sample sample_of(const struct choice *c, const struct launch_plan *plan, int pass)
{
    return (struct sample){.radius = radius_of(c),
                           .columns = plan->tiles[pass].columns,
                           .rows = plan->tiles[pass].rows,
                           .bytes = (long long)plan->passes[pass].shared_bytes};
}

static bool plan_choice(struct launch_plan *plan, const struct block_info_facts *f,
                        const struct choice *c, struct error *err)
{
    return launch_plan(plan, c, f->picture, f->device, NULL, err);
}

// The same launch with a neighbouring radius, and a block of another height where it may have one.
static bool take_neighbour(const struct block_info_facts *f, int pass, struct sample *sample)
{
    struct choice c = f->choice;
    struct settings *s = &c.settings;
    struct launch_plan plan;
    const int index = filter_radius(c.filter);
    if (index < 0) return false;
    s->params.v[index] += s->params.v[index] > 0 ? -1 : 1;
    launch_block(c.variant, s, &s->block_width, &s->block_height);
    s->block_height = s->block_height > 1 ? s->block_height - 1 : 2;
    if (!plan_choice(&plan, f, &c, NULL)) {
        s->block_width = f->choice.settings.block_width;
        s->block_height = f->choice.settings.block_height;
        if (!plan_choice(&plan, f, &c, NULL)) return false;
    }
    *sample = sample_of(&c, &plan, pass);
    return true;
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
    const struct pass *p = &f->choice.variant->passes[pass];
    const struct tile *tile = p->shared.count ? find_tile(f, pass, s) : NULL;
    const bool is_direct = f->choice.variant->pass_count == 1 && !p->shared.count &&
                           !p->columns.count && !p->rows.count;
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

static void find_pass(struct block_info_pass *p, const struct block_info_facts *f, int pass,
                      const struct launch_plan *plan, struct reach *reach)
{
    const struct sample s = sample_of(&f->choice, plan, pass);
    const struct pass *written = &f->choice.variant->passes[pass];
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
    p->loads = p->reading == BLOCK_INFO_TAPS ? launch_taps(f->choice.filter, &f->choice.settings)
                                             : 1 + p->halo;
    if (!p->is_shared_out) find_idle(p, written, f->picture);
}

bool block_info_find(struct block_info *b, const struct block_info_facts *f, struct error *err)
{
    struct launch_plan plan;
    struct block_info found = {.pass_count = f->choice.variant->pass_count};
    struct reach all = {0, 0}, reach;
    if (!plan_choice(&plan, f, &f->choice, err)) return false;
    for (int i = 0; i < found.pass_count; i++) {
        find_pass(&found.passes[i], f, i, &plan, &reach);
        all.across += reach.across;
        all.down += reach.down;
    }
    const struct block_info_pass *last = &found.passes[found.pass_count - 1];
    found.column = last->covers.left / last->covers.width;
    found.row = last->covers.top / last->covers.height;
    found.reach =
        MIN(radius_of(&f->choice), MAX(all.across, all.down));  // a filter's window is square
    *b = found;
    return true;
}

// ---- words ----

static void add_figure(GString *w, double value)
{
    char text[32];
    figure_three(text, sizeof text, value);
    g_string_append(w, text);
}

static void write_title(GString *w, const struct block_info *b, const struct block_info_facts *f)
{
    const struct block_info_pass *last = &b->passes[b->pass_count - 1];
    g_string_append_printf(w, "block %d, %d of %d×%d", b->column, b->row, last->config.grid_width,
                           last->config.grid_height);
    if (f->picture.count > 1 && !filter_is_interleaved(f->choice.filter, f->choice.variant))
        g_string_append_printf(w, " in %d planes", f->picture.count);
    g_string_append_printf(w, "\nthreads\t%d×%d = %d", last->config.block_width,
                           last->config.block_height,
                           last->config.block_width * last->config.block_height);
    if (last->is_shared_out)
        g_string_append_printf(w, "\nwrites\tup to %d×%d pixels", last->writes.width,
                               last->writes.height);
    else
        g_string_append_printf(w, "\nwrites\t%d×%d pixels from %d, %d", last->writes.width,
                               last->writes.height, last->writes.left, last->writes.top);
}

static void write_pass_reads(GString *w, const struct block_info_pass *p)
{
    const int across = p->covers.left - p->reads.left, down = p->covers.top - p->reads.top;
    g_string_append_printf(w, "%s%d×%d pixels", p->is_shared_out ? "up to " : "", p->reads.width,
                           p->reads.height);
    if (across && down)
        g_string_append_printf(w, ", a halo of %d", across);
    else if (across)
        g_string_append_printf(w, ", %d to each side", across);
    else if (down)
        g_string_append_printf(w, ", %d up and down", down);
}

static void write_reads(GString *w, const struct block_info *b)
{
    for (int i = 0; i < b->pass_count; i++) {
        if (b->pass_count == 1)
            g_string_append(w, "\nreads\t");
        else
            g_string_append_printf(w, "\npass %d reads\t", i + 1);
        write_pass_reads(w, &b->passes[i]);
    }
}

static void write_loads(GString *w, const struct block_info *b, const struct block_info_facts *f)
{
    bool is_least = false;
    double loads = 0;
    for (int i = 0; i < b->pass_count; i++) {
        is_least |= b->passes[i].reading == BLOCK_INFO_LEAST;
        loads += b->passes[i].loads;
    }
    g_string_append_printf(w, "\nloads a pixel\t%s", is_least ? "at least " : "");
    if (loads == floor(loads))
        g_string_append_printf(w, "%.0f", loads);
    else
        add_figure(w, loads);
    if (b->passes[0].reading != BLOCK_INFO_TAPS && radius_of(&f->choice) > 0)
        g_string_append_printf(w, ", naive %.0f",
                               launch_taps(f->choice.filter, &f->choice.settings));
}

static void write_halo(GString *w, const struct block_info *b)
{
    g_string_append(w, "\nhalo\t");
    for (int i = 0; i < b->pass_count; i++)
        g_string_append_printf(w, "%s+%.0f %%", i ? ", " : "", 100 * b->passes[i].halo);
    g_string_append(w, " of the pixels");
}

static void write_idle(GString *w, const struct block_info_pass *last)
{
    if (last->is_shared_out) return;
    g_string_append(w, "\nidle threads\t");
    if (last->idle <= 0) {
        g_string_append(w, "none");
        return;
    }
    add_figure(w, 100 * last->idle);
    g_string_append_printf(w, " %%: ");
    if (last->idle_right > 0)
        g_string_append_printf(w, "%.0f %% at the right", 100 * last->idle_right);
    if (last->idle_right > 0 && last->idle_bottom > 0) g_string_append(w, ", ");
    if (last->idle_bottom > 0)
        g_string_append_printf(w, "%.0f %% at the bottom", 100 * last->idle_bottom);
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

void block_info_write(char *text, size_t size, const struct block_info *b,
                      const struct block_info_facts *f)
{
    GString *w = g_string_new(NULL);
    char resources[128];
    block_info_write_resources(resources, sizeof resources, f);
    write_title(w, b, f);
    write_reads(w, b);
    write_loads(w, b, f);
    if (radius_of(&f->choice) > 0) write_halo(w, b);
    write_idle(w, &b->passes[b->pass_count - 1]);
    g_string_append(w, resources);
    text_copy(text, size, w->str);
    g_string_free(w, TRUE);
}
