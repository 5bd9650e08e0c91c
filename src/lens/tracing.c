#include "lens/tracing.h"

#include <glib.h>
#include <string.h>

#include "device/trace.h"
#include "filter/launch.h"
#include "frame/frame.h"
#include "frame/workspace.h"
#include "lens/counting.h"
#include "lens/launch_counts.h"
#include "lens/memory_list.h"
#include "lens/reach.h"
#include "lens/report.h"
#include "lens/touched.h"
#include "lens/traced_device.h"

// What runs beside the counting, passes before the last and prepare=, may take so much of the
// device's own time.
static const double PATIENCE_MS = 60000;

struct tracing {
    struct traced_device device;
};

// A request while it runs.
struct work {
    bool is_ready;               // the passes before each are there, from the request before
    bool needs_all;              // or must run in whole
    struct reach *reach;         // else: NULL, or of the first pass only
    struct reach_blocks blocks;  // run
    struct traced_device *device;
    const struct tracing_request *request;
    struct tracing_watch *watch;
    struct frame frame;
    struct frame_memory memory;
    struct lens_result *result;
};

struct tracing *tracing_create(const char *include, enum share share, struct error *err)
{
    struct tracing *t = g_new0(struct tracing, 1);
    if (traced_device_init(&t->device, include, share, err)) return t;
    tracing_destroy(t);
    return NULL;
}

void tracing_destroy(struct tracing *t)
{
    if (!t) return;
    traced_device_finish(&t->device);
    g_free(t);
}

// ---- requests ----

bool tracing_is_same_launch(const struct tracing_request *a, const struct tracing_request *b)
{
    return a->choice.filter && choice_is_same(&a->choice, &b->choice) &&
           a->filters_version == b->filters_version && a->picture_version == b->picture_version &&
           a->multiprocessors == b->multiprocessors;
}

bool tracing_is_same(const struct tracing_request *a, const struct tracing_request *b)
{
    return tracing_is_same_launch(a, b) && a->is_whole == b->is_whole &&
           (a->is_whole || (a->x == b->x && a->y == b->y));
}

// ---- what a request needs ----

bool tracing_must_build(const struct tracing *t, const struct tracing_request *request)
{
    return traced_device_must_build(&t->device, request->choice.filter, request->filters_version);
}

bool tracing_build(struct tracing *t, const struct tracing_request *request,
                   struct tracing_watch *watch, struct error *err)
{
    return traced_device_build(&t->device, request->choice.filter, request->filters_version,
                               &watch->cancel, err);
}

// Waits for the queue; a request that is cancelled ends soon.
static bool wait_for_queue(struct work *w, bool has_limit, struct error *err)
{
    enum { MOMENT_US = 200 };
    struct backend *b = w->device->backend;
    const double begin_ms = backend_work(b).own_ms;
    enum backend_state state;
    bool is_late = false;
    while ((state = backend_poll(b, err)) == BACKEND_BUSY) {
        is_late |= has_limit && backend_work(b).own_ms - begin_ms > PATIENCE_MS;
        if (is_late || atomic_load(&w->watch->cancel)) backend_cancel(b);
        g_usleep(MOMENT_US);
    }
    if (is_late)
        return error_set(err, "%s takes too long on the CPU to be traced",
                         w->frame.choice.variant->name);
    if (atomic_load(&w->watch->cancel)) return error_set(err, "cancelled");
    return state == BACKEND_IDLE;
}

static bool prepare(struct work *w, struct error *err)
{
    struct traced_device *d = w->device;
    const struct tracing_request *r = w->request;
    const struct variant *v = r->choice.variant;
    if (v->library.function)
        return error_set(err, "%s is a library's: what it reads and writes is not known", v->name);
    if (!share_fits(d->share, &r->choice, r->picture, err) ||
        !traced_device_build(d, r->choice.filter, r->filters_version, &w->watch->cancel, err) ||
        !traced_device_bring(d, r, err))
        return false;
    w->frame = (struct frame){.backend = d->backend,
                              .choice = traced_device_choice(d, &r->choice),
                              .module = d->module,
                              .multiprocessors = r->multiprocessors};
    if (!frame_plan(&w->frame, d->workspace.picture, err) ||
        !workspace_prepare(&d->workspace, &w->frame, err))
        return false;
    w->memory = workspace_of(&d->workspace, &w->frame);
    return wait_for_queue(w, true, err);
}

// ---- a pass ----

// The block that has a pixel among its own.
static int block_at(int at, long long of_block, int blocks)
{
    return (int)CLAMP(at / of_block, 0, blocks - 1);
}

static size_t max_events(const struct work *w, int pass)
{
    const struct share_launch launch = {
        .memory_bytes = workspace_held(&w->device->workspace),
        .shared_bytes = w->frame.plan.passes[pass].shared_bytes,
        .workers = MIN(backend_device(w->device->backend)->multiprocessors, TRACE_MAX_WORKERS),
        .is_whole = w->request->is_whole};
    return share_max_events(w->device->share, &launch);
}

static struct counting_setup setup_of(const struct work *w, int pass)
{
    const struct launch_plan *plan = &w->frame.plan;
    const struct launch_config *config = &plan->passes[pass];
    return (struct counting_setup){
        .config = *config,
        .depth = plan->depth,
        .is_whole = w->request->is_whole,
        .block_x = block_at(w->request->x, plan->tiles[pass].columns, config->grid_width),
        .block_y = block_at(w->request->y, plan->tiles[pass].rows, config->grid_height),
        .finds_faults = true,
        .memory = w->result->memory,
        .memory_count = w->result->memory_count,
        .max_events = max_events(w, pass),
        .watch = w->watch,
    };
}

// Runs passes in whole, for what those behind them read.
static bool run_passes(struct work *w, int from, int to, struct error *err)
{
    if (from == to) return true;
    for (int pass = from; pass < to; pass++)
        if (!frame_run_pass(&w->frame, &w->memory, pass, NULL, err)) return false;
    return wait_for_queue(w, true, err);
}

// Runs those blocks of the first pass that the one under the cursor needs.
static bool run_blocks(struct work *w, struct error *err)
{
    const struct reach_blocks *b = &w->blocks;
    for (int y = b->top; y < b->top + b->rows; y++)
        for (int x = b->left; x < b->left + b->columns; x++) {
            const struct trace trace = reach_trace(w->reach, x, y, max_events(w, 0));
            if (!frame_run_pass(&w->frame, &w->memory, 0, &trace, err) ||
                !wait_for_queue(w, false, err))
                return false;
        }
    return true;
}

static bool run_before(struct work *w, int pass, struct error *err)
{
    return w->reach ? run_blocks(w, err) : run_passes(w, 0, pass, err);
}

static bool count_pass(struct work *w, int pass, struct counting *c, struct error *err)
{
    for (bool is_first = true;; is_first = false) {
        if (!is_first && !run_before(w, pass, err)) return false;
        if (!frame_run_pass(&w->frame, &w->memory, pass, counting_trace(c), err) ||
            !wait_for_queue(w, false, err))
            return false;
        if (counting_is_full(c))
            return error_set(err, "%s: a block makes too many requests to be shown one by one",
                             w->frame.choice.variant->passes[pass].entry);
        if (counting_is_settled(c)) return true;
    }
}

// ---- source lines ----

// Without lines the counts are still there.
static void learn_chains(struct work *w, const struct totals_row *rows, int count)
{
    struct error err = {""};
    unsigned int *sites = g_new(unsigned int, count + 1);
    for (int i = 0; i < count; i++) sites[i] = rows[i].site;
    if (!traced_device_learn(w->device, sites, count, &err))
        g_strlcpy(w->result->no_lines, err.text, sizeof w->result->no_lines);
    g_free(sites);
}

// A barrier makes no request, so that no row has its site.
static void name_barriers(struct work *w, struct lens_pass *pass)
{
    struct error ignored;
    for (int i = 0; i < pass->race_count; i++) {
        struct lens_race *race = &pass->races[i];
        const int count = race->barrier.waiting > 0;
        if (!count || !traced_device_learn(w->device, &race->barrier.site, count, &ignored))
            continue;
        const struct trace_chain *known = traced_device_chain(w->device, race->barrier.site);
        if (known) race->barrier_chain = *known;
    }
}

static void fill_pass(struct work *w, struct counting *c, struct lens_pass *pass)
{
    int count;
    const struct totals_row *rows = counting_rows(c, &count);
    learn_chains(w, rows, count);
    struct trace_chain *chains = g_new0(struct trace_chain, count + 1);
    for (int i = 0; i < count; i++) {
        const struct trace_chain *known = traced_device_chain(w->device, rows[i].site);
        if (known) chains[i] = *known;
    }
    counting_fill(c, chains, pass);
    name_barriers(w, pass);
    g_free(chains);
}

// ---- the result ----

// How much of its domain a block covers along one axis.
static double covered(long long domain, long long of_block, int block)
{
    return (double)MIN(of_block, domain - block * of_block);
}

static double times_of(const struct work *w, int pass, const struct counting_setup *s)
{
    const struct launch_tile tile = w->frame.plan.tiles[pass];
    const struct launch_tile domain = w->frame.plan.domains[pass];
    if (s->is_whole) return 1;
    return (double)domain.columns / covered(domain.columns, tile.columns, s->block_x) *
           (double)domain.rows / covered(domain.rows, tile.rows, s->block_y) * s->depth;
}

static double warp_times_of(const struct work *w, int pass, const struct counting_setup *s)
{
    const struct launch_plan *plan = &w->frame.plan;
    if (s->is_whole) return 1;
    return s->depth *
           launch_counts_warps(&(struct launch_counts_block){.config = s->config,
                                                             .tile = plan->tiles[pass],
                                                             .domain = plan->domains[pass],
                                                             .x = s->block_x,
                                                             .y = s->block_y});
}

// An access outside may be why the launch failed.
static void blame_outside(struct work *w, const struct counting *c, struct error *err)
{
    struct error ignored;
    const struct lens_outside *const found = counting_outside(c);
    if (!found || atomic_load(&w->watch->cancel)) return;
    struct lens_outside o = *found;
    traced_device_learn(w->device, &o.site, 1, &ignored);
    const struct trace_chain *known = traced_device_chain(w->device, o.site);
    if (known) o.chain = *known;
    lens_result_write_outside(&o, err->text, sizeof err->text);
}

static bool trace_pass(struct work *w, int pass, struct error *err)
{
    const struct counting_setup setup = setup_of(w, pass);
    struct counting *c = counting_create(&setup);
    const bool is_counted = count_pass(w, pass, c, err);
    if (is_counted) {
        struct lens_pass *to = &w->result->passes[w->result->pass_count++];
        *to = (struct lens_pass){.config = setup.config,
                                 .depth = setup.depth,
                                 .times = times_of(w, pass, &setup),
                                 .warp_times = warp_times_of(w, pass, &setup),
                                 .block_x = setup.block_x,
                                 .block_y = setup.block_y};
        g_strlcpy(to->kernel, w->frame.choice.variant->passes[pass].entry, sizeof to->kernel);
        fill_pass(w, c, to);
    } else {
        blame_outside(w, c, err);
    }
    counting_destroy(c);
    return is_counted;
}

static void drop_last_pass(struct lens_result *r)
{
    lens_result_free_pass(&r->passes[--r->pass_count]);
}

static bool trace_passes(struct work *w, struct error *err)
{
    const int passes = w->frame.plan.pass_count;
    for (int pass = 0; pass < passes; pass++) {
        if (!trace_pass(w, pass, err)) return false;
        const bool is_behind = !w->request->is_whole && pass + 1 < passes;
        if (is_behind && !w->is_ready && !run_passes(w, pass, pass + 1, err)) return false;
    }
    return true;
}

// A block of the second pass, behind those blocks of the first that it needs (reach.h).
static bool trace_two_blocks(struct work *w, bool *is_complete, struct error *err)
{
    const struct launch_plan *plan = &w->frame.plan;
    struct lens_result *const r = w->result;
    if (!trace_pass(w, 0, err) || !trace_pass(w, 1, err)) return false;
    w->blocks = reach_find(w->reach, &r->passes[1], &plan->passes[0], plan->tiles[0]);
    drop_last_pass(r);
    if (!run_blocks(w, err) || !trace_pass(w, 1, err)) return false;
    *is_complete = reach_is_complete(w->reach, &r->passes[1]);
    return true;
}

static bool trace_reached(struct work *w, struct error *err)
{
    bool is_complete = false;
    w->reach = reach_create(w->result);
    const bool is_traced = trace_two_blocks(w, &is_complete, err);
    g_clear_pointer(&w->reach, reach_destroy);
    if (!is_traced || is_complete) return is_traced;
    w->needs_all = true;
    while (w->result->pass_count) drop_last_pass(w->result);
    return trace_passes(w, err);
}

// Whether it is worth while to look for the few blocks that are needed.
static bool needs_few(const struct work *w)
{
    return !w->request->is_whole && !w->is_ready && !w->needs_all &&
           w->frame.arrays.places[ARRAYS_OUT].picture.width && w->frame.plan.pass_count == 2;
}

static bool trace_all(struct work *w, struct error *err)
{
    struct traced_device *d = w->device;
    if (!prepare(w, err)) return false;
    w->result = g_new0(struct lens_result, 1);
    w->result->is_whole = w->request->is_whole;
    w->result->elements = report_count_pixels(&w->frame.choice, w->frame.picture);
    memory_list_fill(w->result, &w->frame, &w->memory);
    w->is_ready = d->is_ready && choice_is_same(&d->ready, &w->frame.choice);
    w->needs_all = !needs_few(w);
    d->is_ready = false;
    if (!(w->needs_all ? trace_passes(w, err) : trace_reached(w, err))) return false;
    w->result->launch = launch_counts_find(w->result);
    w->result->has_touched = touched_find(w->result->touched, w->result);
    d->is_ready = !w->request->is_whole && w->frame.plan.pass_count > 1 && w->needs_all &&
                  memory_list_is_written_once(w->result);
    d->ready = w->frame.choice;
    return true;
}

static void give_up(struct work *w)
{
    struct traced_device *d = w->device;
    g_clear_pointer(&w->result, lens_result_free);
    d->is_ready = false;
    if (d->backend && backend_poll(d->backend, NULL) == BACKEND_FAILED) traced_device_close(d);
}

struct lens_result *tracing_run(struct tracing *t, const struct tracing_request *request,
                                struct tracing_watch *watch, struct error *err)
{
    struct work w = {.device = &t->device, .request = request, .watch = watch};
    atomic_store(&watch->permille, 0);
    if (trace_all(&w, err)) return w.result;
    // Words of another choice may have led a block astray.
    const bool may_do_better = w.result && !w.needs_all && !atomic_load(&watch->cancel);
    give_up(&w);
    if (!may_do_better) return NULL;
    w = (struct work){.device = &t->device, .request = request, .watch = watch, .needs_all = true};
    if (trace_all(&w, err)) return w.result;
    give_up(&w);
    return NULL;
}
