#include "filter/launch.h"

#include <glib.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "filter/axis.h"

static int count_blocks(long long pixels, long long of_block)
{
    return (int)((pixels - 1) / of_block) + 1;
}

bool launch_is_fixed(const struct variant *v)
{
    for (int i = 0; i < v->pass_count; i++)
        if (!v->passes[i].is_fixed) return false;
    return true;
}

static int pass_width(const struct pass *p, const struct settings *s)
{
    return p->is_fixed || !s->block_width ? p->block_width : s->block_width;
}

static int pass_height(const struct pass *p, const struct settings *s)
{
    return p->is_fixed || !s->block_height ? p->block_height : s->block_height;
}

// The values of names in the expressions of a pass, in the order of enum filter_word.
struct values {
    double v[FILTER_WORDS + FILTER_MAX_PARAMS];
};

static struct values values_of(const struct pass *p, const struct settings *s,
                               struct planes picture, const struct device *d)
{
    struct values values = {{[FILTER_BW] = pass_width(p, s),
                             [FILTER_BH] = pass_height(p, s),
                             [FILTER_WIDTH] = picture.width,
                             [FILTER_HEIGHT] = picture.height,
                             [FILTER_MULTIPROCESSORS] = d->multiprocessors}};
    memcpy(values.v + FILTER_WORDS, s->params.v, sizeof s->params.v);
    return values;
}

// Sets value, unless there is no expression.
static bool evaluate(const struct expr *e, const struct values *values, long long *value,
                     struct error *err)
{
    return !e->count || expr_eval(e, values->v, value, err);
}

// The domain of a pass is its domain=, or else the columns and rows of the first out array (of one
// plane, if that is a picture). A vector has one row.
static bool find_domain(struct launch_tile *domain, const struct pass *p, const struct choice *c,
                        struct planes picture, const struct values *values, struct error *err)
{
    if (p->domain[0].count) {
        if (!evaluate(&p->domain[0], values, &domain->columns, err) ||
            !evaluate(&p->domain[1], values, &domain->rows, err) ||
            !evaluate(&p->domain[2], values, &domain->layers, err))
            return false;
        if (domain->layers < 1 || domain->layers > INT_MAX)
            return error_set(err, "domain= gives %lld layers of threads", domain->layers);
        return (domain->columns >= 1 && domain->columns <= INT_MAX && domain->rows >= 1 &&
                domain->rows <= INT_MAX) ||
               error_set(err, "domain= gives %lld×%lld threads", domain->columns, domain->rows);
    }
    struct arrays_layout layout;
    if (!arrays_plan(&layout, c, picture, err)) return false;
    const struct array_place *place = &layout.places[arrays_first(c->filter, ARRAY_OUT)];
    *domain = (struct launch_tile){place->columns, place->rows, 1};
    if (place->picture.width) {
        *domain = (struct launch_tile){place->columns, place->picture.height, picture.count};
        return true;
    }
    return (place->rows <= INT_MAX && place->columns * place->rows == place->count) ||
           error_set(err, "a grid for 2^31 rows or columns; domain= can ask for fewer");
}

bool launch_uses_multiprocessors(const struct variant *v)
{
    for (const struct pass *p = v->passes; p < v->passes + v->pass_count; p++)
        if (expr_uses(&p->domain[0], FILTER_MULTIPROCESSORS) ||
            expr_uses(&p->domain[1], FILTER_MULTIPROCESSORS) ||
            expr_uses(&p->columns, FILTER_MULTIPROCESSORS) ||
            expr_uses(&p->rows, FILTER_MULTIPROCESSORS))
            return true;
    return false;
}

bool launch_domain(const struct choice *c, struct planes picture, const struct device *d,
                   int *across, int *down)
{
    if (!c->variant->pass_count) return false;
    const struct pass *p = &c->variant->passes[c->variant->pass_count - 1];
    const struct values values = values_of(p, &c->settings, picture, d);
    struct launch_tile domain = {0};
    if (!find_domain(&domain, p, c, picture, &values, NULL)) return false;
    *across = (int)domain.columns;
    *down = (int)domain.rows;
    return true;
}

static bool plan_pass(struct launch_pass *planned, const struct pass *p, const struct choice *c,
                      struct planes picture, const struct device *d,
                      const struct kernel_facts *facts, struct error *err)
{
    struct values values = values_of(p, &c->settings, picture, d);
    struct launch_tile domain = {0};
    if (!find_domain(&domain, p, c, picture, &values, err)) return false;
    values.v[FILTER_WIDTH] = (double)domain.columns;
    values.v[FILTER_HEIGHT] = (double)domain.rows;
    const int bw = pass_width(p, &c->settings), bh = pass_height(p, &c->settings);
    struct launch_tile tile = {(long long)bw * p->each_x, (long long)bh * p->each_y,
                               p->block_depth};
    long long shared = 0;
    const struct words block = launch_write_shape(bw, bh, p->block_depth);
    if (bw % p->multiple_of)
        return error_set(err, "%s needs a block width that is a multiple of %d, not %d",
                         c->variant->name, p->multiple_of, bw);
    if (bw > d->max_block_width || bh > d->max_block_height)
        return error_set(err, "block %s: the device allows at most %d×%d", block.text,
                         d->max_block_width, d->max_block_height);
    const int rows = bh * p->block_depth, threads = bw * rows;
    if (threads > d->max_threads)
        return error_set(err, "block %s has %d threads, the device allows %d", block.text, threads,
                         d->max_threads);
    if (facts && threads > facts->max_threads)
        return error_set(err, "block %s has %d threads; with %d registers each, %d fit", block.text,
                         threads, facts->registers, facts->max_threads);
    if (!evaluate(&p->columns, &values, &tile.columns, err) ||
        !evaluate(&p->rows, &values, &tile.rows, err) ||
        !evaluate(&p->shared, &values, &shared, err))
        return false;
    if (tile.columns < 1) return error_set(err, "columns= gives %lld pixels", tile.columns);
    if (tile.rows < 1) return error_set(err, "rows= gives %lld pixels", tile.rows);
    if (shared < 0) return error_set(err, "shared= gives %lld bytes", shared);
    const long long fixed = facts ? (long long)facts->static_shared_bytes : 0;
    if (shared > (long long)d->max_shared_bytes - fixed)
        return error_set(err, "needs %llu B of shared memory per block, the device allows %zu B",
                         (unsigned long long)shared + (unsigned long long)fixed,
                         d->max_shared_bytes);

    // No picture has a longer side, and areas do not overflow.
    tile.columns = MIN(tile.columns, INT_MAX);
    tile.rows = MIN(tile.rows, INT_MAX);
    *planned = (struct launch_pass){
        .config = {.grid_width = count_blocks(domain.columns, tile.columns),
                   .grid_height = count_blocks(domain.rows, tile.rows),
                   .grid_depth = count_blocks(domain.layers, tile.layers),
                   .block_width = bw,
                   .block_height = rows,
                   .block_depth = p->block_depth,
                   .shared_bytes = (size_t)shared},
        .tile = tile,
        .domain = domain,
    };
    const int across = planned->config.grid_width, down = planned->config.grid_height;
    const int layers = planned->config.grid_depth;
    if (layers > d->max_grid_height)
        return error_set(err, "a grid of %d layers; the device allows %d", layers,
                         d->max_grid_height);
    return (across <= d->max_grid_width && down <= d->max_grid_height) ||
           error_set(err, "a grid of %d×%d blocks; the device allows %d×%d", across, down,
                     d->max_grid_width, d->max_grid_height);
}

// Plans a kernel that runs before or after the timed ones; name empty: none.
static bool plan_untimed(struct launch_config *config, const char *name, const struct choice *c,
                         struct planes picture, const struct device *d, struct error *err)
{
    struct launch_pass planned;
    if (!*name) return true;
    const struct pass *p = &c->filter->untimed[filter_untimed(c->filter, name)];
    if (!plan_pass(&planned, p, c, picture, d, NULL, err)) return false;
    *config = planned.config;
    return true;
}

bool launch_plan(struct launch_plan *plan, const struct choice *c, struct planes picture,
                 const struct device *device, const struct kernel_facts *facts, struct error *err)
{
    const struct settings *s = &c->settings;
    const struct library_function *const library = c->variant->library.function;
    const struct pass *const own = &c->variant->passes[0];
    int width, height;
    struct launch_plan found = {.pass_count = c->variant->pass_count};
    if (!filter_check(c->filter, &s->params, err)) return false;
    if (s->block_width < 0 || s->block_height < 0)
        return error_set(err, "block %d×%d has no threads", s->block_width, s->block_height);
    // A fixed pass keeps its block while the others follow the choice. If no pass follows it, the
    // choice is refused.
    launch_block(c->variant, s, &width, &height);
    if (library && (width || height))
        return error_set(err, "%s is a library's, and takes no block", c->variant->name);
    if (!library && launch_is_fixed(c->variant) &&
        (width != own->block_width || height != own->block_height))
        return error_set(err, "%s is written for blocks of %d×%d", c->variant->name,
                         own->block_width, own->block_height);
    if (library && !device->is_gpu)  // refuse before opening it
        return error_set(err, "%s needs a CUDA GPU and %s", c->variant->name, library->object);
    const int first = c->variant->library.arguments[0];
    if (library && s->params.v[first] < library->least)
        return error_set(err, "%s needs a %s of at least %d", c->variant->name,
                         c->filter->params[first].name, library->least);
    for (int i = 0; i < found.pass_count; i++)
        if (!plan_pass(&found.passes[i], &c->variant->passes[i], c, picture, device,
                       facts ? &facts[i] : NULL, err))
            return false;
    if (*c->variant->prepare) {
        // The pictures that prepare= makes and the passes write must fit into the room of planar
        // ones.
        const struct pass *p = &c->filter->untimed[filter_untimed(c->filter, c->variant->prepare)];
        const struct values values = values_of(p, s, picture, device);
        const long long row = (long long)picture.width * picture.count;
        const long long most = (long long)planes_bytes(picture) / MAX(picture.height, 1);
        long long pitch = 0;
        if (p->planes && p->planes != picture.count)
            return error_set(err, "%s %s works on %s pictures", c->filter->name, c->variant->name,
                             p->planes == 1 ? "grey" : "colour");
        if (!evaluate(&p->pitch, &values, &pitch, err)) return false;
        if (p->pitch.count && (pitch < row || pitch > most))
            return error_set(err, "pitch= gives %lld bytes; a row has %lld, and room for %lld",
                             pitch, row, most);
        found.pitch = (int)pitch;
    }
    if (!plan_untimed(&found.prepare, c->variant->prepare, c, picture, device, err) ||
        !plan_untimed(&found.finish, c->variant->finish, c, picture, device, err))
        return false;
    for (int i = 0; found.pitch && i < found.pass_count; i++)
        found.passes[i].config.grid_depth = found.passes[i].domain.layers = 1;
    *plan = found;
    return true;
}

void launch_block(const struct variant *v, const struct settings *s, int *width, int *height)
{
    *width = s->block_width ? s->block_width : v->passes[0].block_width;
    *height = s->block_height ? s->block_height : v->passes[0].block_height;
}

struct words launch_write_shape(int width, int height, int layers)
{
    struct words w;
    g_snprintf(w.text, sizeof w.text, layers > 1 ? "%d×%d×%d" : "%d×%d", width, height, layers);
    return w;
}

struct words launch_write_block(const struct variant *v, const struct settings *s)
{
    int width, height;
    launch_block(v, s, &width, &height);
    return v->library.function ? (struct words){"library"}
                               : launch_write_shape(width, height, v->passes[0].block_depth);
}

double launch_taps(const struct filter *f, const struct settings *s)
{
    const int radius = filter_radius(f);
    if (radius < 0) return 1;
    const double side = 2 * s->params.v[radius] + 1;
    return side * side;
}

// Counts the elements of all arrays. If the first out array is a matrix, each costs a row of a
// square of that size. 0: some array cannot be made.
static double elements_of(const struct filter *f, const struct param_values *values)
{
    const struct choice choice = {.filter = f, .settings.params = *values};
    struct arrays_layout layout;
    double count = 0;
    if (!arrays_plan(&layout, &choice, (struct planes){0}, NULL)) return 0;
    for (int i = 0; i < layout.count; i++) count += (double)layout.places[i].count;
    const int out = arrays_first(f, ARRAY_OUT);
    const bool is_matrix = out >= 0 && f->arrays[out].dimensions > 1;
    return is_matrix ? count * sqrt((double)layout.places[out].count) : count;
}

double launch_work(const struct filter *f, const struct settings *s)
{
    if (filter_radius(f) >= 0) return launch_taps(f, s);
    const double elements = elements_of(f, &s->params);
    double work = fmax(elements, 1);
    for (int i = 0; i < f->param_count; i++) {
        struct param_values other = s->params;
        other.v[i] += other.v[i] < f->params[i].max ? 1 : -1;
        const bool is_of_shape = elements_of(f, &other) != elements;
        if (axis_can_be(f, i) && !is_of_shape) work *= fmax(fabs(s->params.v[i]), 1);
    }
    return work;
}

// The widest strips that rows of the block are made of, or else that fit into them.
static int lanes_of(int width)
{
    int lanes = 32;
    while (lanes > 8 && (width < lanes || (width % 8 == 0 && width % lanes))) lanes /= 2;
    return width < 8 || lanes == 32 ? 0 : lanes;
}

struct launch_build launch_build(const struct choice *c)
{
    const struct filter *const f = c->filter;
    const struct settings *const s = &c->settings;
    struct launch_build build = {.variant = c->variant};
    if (c->variant->pass_count) build.lanes = lanes_of(pass_width(c->variant->passes, s));
    if (!s->is_unrolled || !filter_can_unroll(f)) return build;
    g_autoptr(GString) all = g_string_new("{");
    for (int i = 0; i < f->param_count; i++) {
        g_string_append(all, i ? ", " : "");
        if (f->params[i].is_float)
            g_string_append_printf(all, "given.%s", f->params[i].name);
        else
            g_string_append_printf(all, "%d", (int)s->params.v[i]);
    }
    g_string_append_c(all, '}');
    g_strlcpy(build.params, all->str, sizeof build.params);
    return build;
}

// A line calls one kernel (launch.h of the kernels): "LAUNCH_PICTURE(mean_naive, …".
static bool is_called_by(const char *line, const char *entry)
{
    const char *const symbol = strchr(line, '(') + 1;
    const size_t length = strlen(entry);
    return !strncmp(symbol, entry, length) && symbol[length] == ',';
}

char *launch_calls(const struct filter *f, const struct variant *v)
{
    g_auto(GStrv) lines = g_strsplit(f->calls, "\n", -1);
    GString *calls = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        bool is_wanted = !g_str_has_prefix(*line, "LAUNCH_");
        for (int i = 0; !is_wanted && v && i < v->pass_count; i++)
            is_wanted = is_called_by(*line, v->passes[i].entry);
        for (int i = 0; !is_wanted && i < f->untimed_count; i++)
            is_wanted = is_called_by(*line, f->untimed[i].entry);
        if (is_wanted) g_string_append_printf(calls, "%s\n", *line);
    }
    return g_string_free(calls, FALSE);
}
