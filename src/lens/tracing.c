#include "lens/tracing.h"

#include <glib.h>
#include <string.h>

#include "device/trace.h"
#include "filter/launch.h"
#include "frame/frame.h"
#include "frame/workspace.h"
#include "lens/counting.h"
#include "lens/sharing.h"
#include "lens/traced_block.h"

// The most of the device's own time that uncounted launches may take: prepare=, and passes before
// the last.
static const double PATIENCE_MS = 60000;

struct tracing {
    struct backend *backend;  // NULL: it failed; the next request opens one
    char *include;            // the folder with kernel.h
    enum share share;
    struct filter *filter;     // a copy of what module is of; NULL: there is none
    unsigned filters_version;  // when it was compiled
    struct module *module;
    char only[FILTER_NAME];  // the one variant that it has; empty: all
    GHashTable *chains;      // of its sites, to struct trace_chain
    struct workspace workspace;
    unsigned picture_version;  // that the workspace holds
    // All passes but the last have run in whole for `ready`, and would leave the same again.
    bool is_ready;
    struct choice ready;
};

// A request while it runs.
struct work {
    bool needs_all;    // the passes before each must run in whole; else only the blocks of reach
    int workers;       // blocks that are traced at the same time
    bool is_too_long;  // a block is, for its part of the memory
    struct traced_block_reach reach;
    struct tracing *t;
    const struct tracing_request *request;
    struct tracing_watch *watch;
    struct frame frame;
    struct frame_memory memory;
    struct lens_result *result;
};

// ---- the device ----

static bool open_device(struct tracing *t, struct error *err)
{
    if (t->backend) return true;
    t->backend = backend_open("cpu", NULL, 0, err);
    if (t->backend) backend_set_include(t->backend, t->include);
    return t->backend != NULL;
}

static void drop_module(struct tracing *t)
{
    if (t->module) backend_unload(t->backend, t->module);
    t->module = NULL;
    g_clear_pointer(&t->filter, filter_free);
    g_hash_table_remove_all(t->chains);
    workspace_forget(&t->workspace);
    t->is_ready = false;
}

static void close_device(struct tracing *t)
{
    if (!t->backend) return;
    backend_wait(t->backend, NULL);
    drop_module(t);
    workspace_finish(&t->workspace);
    backend_close(t->backend);
    t->backend = NULL;
}

struct tracing *tracing_create(const char *include, enum share share, struct error *err)
{
    struct tracing *t = g_new0(struct tracing, 1);
    t->include = g_strdup(include);
    t->share = share;
    t->chains = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    if (open_device(t, err)) return t;
    tracing_destroy(t);
    return NULL;
}

void tracing_destroy(struct tracing *t)
{
    if (!t) return;
    close_device(t);
    g_hash_table_destroy(t->chains);
    g_free(t->include);
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

// Compiles one variant, because that is soon there. If another one follows, all of the file's may,
// and they are compiled together. The version tells of headers, whose text the filter does not
// hold.
static bool build(struct tracing *t, const struct tracing_request *r, struct tracing_watch *watch,
                  struct error *err)
{
    const char *const name = r->choice.variant->name;
    const bool is_same_file = t->module && t->filters_version == r->filters_version &&
                              filter_has_same_text(t->filter, r->choice.filter);
    if (is_same_file && (!*t->only || !strcmp(t->only, name))) return true;
    drop_module(t);
    atomic_store(&watch->is_building, true);
    const struct build how = {.is_traced = true, .cancel = &watch->cancel_build};
    t->module = is_same_file ? frame_build(t->backend, r->choice.filter, how, err)
                             : frame_build_one(t->backend, &r->choice, how, err);
    atomic_store(&watch->is_building, false);
    g_strlcpy(t->only, is_same_file ? "" : name, sizeof t->only);
    if (t->module) t->filter = filter_copy(r->choice.filter);
    t->filters_version = r->filters_version;
    return t->module != NULL;
}

// Brings the picture. Empties the workspace first if its old and new memory might not fit together,
// since it frees what is too small only after it has allocated the larger.
static bool bring_memory(struct tracing *t, const struct tracing_request *r, struct error *err)
{
    struct arrays_layout layout;
    struct workspace *const w = &t->workspace;
    if (!arrays_plan(&layout, &r->choice, r->picture, err)) return false;
    const bool is_picture = layout.places[ARRAYS_IN].picture.width > 0;  // the caller gives it
    const struct planes wanted = is_picture ? r->picture : (struct planes){.pixels = NULL};
    const bool is_there =
        w->backend &&
        (!wanted.pixels || (w->pictures.memory && t->picture_version == r->picture_version &&
                            planes_is_same_shape(w->picture, wanted)));
    const size_t arrays = is_picture ? 0 : layout.bytes;
    const bool is_enough = layout.shared_bytes <= w->shared.bytes &&
                           layout.own_bytes <= w->own.bytes && arrays <= w->arrays.bytes;
    const size_t more = arrays + layout.own_bytes + layout.shared_bytes;
    if (is_there && (is_enough || workspace_held(w) + more <= share_memory_bytes(t->share)))
        return true;
    t->is_ready = false;
    workspace_finish(w);
    if (!workspace_init(w, t->backend, wanted, 1, err)) return false;
    t->picture_version = r->picture_version;
    return true;
}

// Waits for the queue; a request that is cancelled ends soon.
static bool wait_for_queue(struct work *w, bool has_limit, struct error *err)
{
    enum { MOMENT_US = 200 };
    struct backend *b = w->t->backend;
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
    struct tracing *t = w->t;
    const struct tracing_request *r = w->request;
    const struct variant *v = r->choice.variant;
    if (v->library.function)
        return error_set(err, "%s is a library's: what it reads and writes is not known", v->name);
    if (!share_fits(t->share, &r->choice, r->picture, err) || !build(t, r, w->watch, err) ||
        !bring_memory(t, r, err))
        return false;
    struct choice own = r->choice;  // of the filter's copy, which stays when the caller's is gone
    own.filter = t->filter;
    own.variant = t->filter->variants + (v - r->choice.filter->variants);
    own.settings.is_unrolled = false;
    w->frame = (struct frame){.backend = t->backend,
                              .choice = own,
                              .module = t->module,
                              .is_traced = true,
                              .multiprocessors = r->multiprocessors};
    if (!frame_plan(&w->frame, t->workspace.picture, err) ||
        !workspace_prepare(&t->workspace, &w->frame, err))
        return false;
    w->memory = workspace_of(&t->workspace, &w->frame);
    return (!arrays_are_in_place(&own) || frame_poison(&w->frame, &w->memory, err)) &&
           wait_for_queue(w, true, err);
}

// ---- source lines ----

// Learns the source lines of sites that are new. False: nobody can say them, and err says why.
static bool learn_chains(struct tracing *t, const unsigned int *sites, int count, struct error *err)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof *sites);
    for (int i = 0; i < count; i++)
        if (!g_hash_table_contains(t->chains, GUINT_TO_POINTER(sites[i])))
            g_array_append_val(list, sites[i]);
    g_autofree struct trace_chain *chains = g_new0(struct trace_chain, list->len + 1);
    const unsigned int *const unknown = (const unsigned int *)(const void *)list->data;
    const bool is_known = !list->len || backend_find_lines(t->backend, t->module, unknown,
                                                           (int)list->len, chains, err);
    for (guint i = 0; is_known && i < list->len; i++)
        g_hash_table_insert(t->chains, GUINT_TO_POINTER(unknown[i]),
                            g_memdup2(&chains[i], sizeof chains[i]));
    return is_known;
}

static void name_site(struct tracing *t, unsigned int site, struct trace_chain *chain)
{
    struct error ignored;
    learn_chains(t, &site, 1, &ignored);
    const struct trace_chain *known = g_hash_table_lookup(t->chains, GUINT_TO_POINTER(site));
    if (known) *chain = *known;
}

// Fills a pass. Without source lines there are still its counts.
static void fill_pass(struct work *w, struct counting *c, struct lens_pass *pass)
{
    int count;
    struct error err = {""};
    const struct counting_row *rows = counting_rows(c, &count);
    g_autofree unsigned int *sites = g_new(unsigned int, count + 1);
    for (int i = 0; i < count; i++) sites[i] = rows[i].site;
    if (!learn_chains(w->t, sites, count, &err))
        g_strlcpy(w->result->no_lines, err.text, sizeof w->result->no_lines);
    counting_fill(c, w->t->chains, pass);
    for (int i = 0; i < pass->race_count; i++)  // a barrier makes no request: no row has its site
        if (pass->races[i].race.barrier.waiting)
            name_site(w->t, pass->races[i].race.barrier.site, &pass->races[i].barrier_chain);
}

// ---- a pass ----

static size_t max_events(const struct work *w, int pass)
{
    const struct share_launch launch = {.memory_bytes = workspace_held(&w->t->workspace),
                                        .shared_bytes =
                                            w->frame.plan.passes[pass].config.shared_bytes,
                                        .workers = w->workers,
                                        .is_whole = w->request->is_whole,
                                        .has_sectors = w->result->sharing != NULL};
    return share_max_events(w->t->share, &launch);
}

// Runs passes in whole, because later ones read their results.
static bool run_passes(struct work *w, int from, int to, struct error *err)
{
    if (from == to) return true;
    for (int pass = from; pass < to; pass++)
        if (!frame_run_pass(&w->frame, &w->memory, pass, NULL, err)) return false;
    return wait_for_queue(w, true, err);
}

// Runs those blocks of the first pass that the traced one needs.
static bool run_blocks(struct work *w, struct error *err)
{
    struct traced_block_reach *const r = &w->reach;
    for (int y = r->top; y < r->top + r->rows; y++)
        for (int x = r->left; x < r->left + r->columns; x++) {
            const struct trace trace = traced_block_trace(r, x, y, max_events(w, 0));
            if (!frame_run_pass(&w->frame, &w->memory, 0, &trace, err) ||
                !wait_for_queue(w, false, err))
                return false;
        }
    return true;
}

static bool run_counted(struct work *w, int pass, struct counting *c, struct error *err)
{
    if (!frame_run_pass(&w->frame, &w->memory, pass, counting_trace(c), err) ||
        !wait_for_queue(w, false, err))
        return false;
    return !counting_is_full(c) ||
           error_set(err, "%s: a block makes too many requests to be shown one by one",
                     w->frame.choice.variant->passes[pass].kernel);
}

// The launch's domain along one axis, in units of a block's part of it, which an edge may cut.
static double times_of(long long domain, long long of_block, int block)
{
    return (double)domain / (double)MIN(of_block, domain - block * of_block);
}

static bool trace_pass(struct work *w, int pass, struct error *err)
{
    const struct launch_plan *plan = &w->frame.plan;
    const struct launch_pass *const planned = &plan->passes[pass];
    const struct launch_tile tile = planned->tile, domain = planned->domain;
    const struct launch_config *config = &planned->config;
    const bool is_whole = w->request->is_whole;
    const int x = (int)CLAMP(w->request->x / tile.columns, 0, config->grid_width - 1);
    const int y = (int)CLAMP(w->request->y / tile.rows, 0, config->grid_height - 1);
    struct sharing *const sectors =
        w->result->sharing ? sharing_create(w->result->memory, w->result->memory_count) : NULL;
    const struct counting_setup setup = {.config = *config,
                                         .is_whole = is_whole,
                                         .block_x = x,
                                         .block_y = y,
                                         .memory = w->result->memory,
                                         .memory_count = w->result->memory_count,
                                         .max_events = max_events(w, pass),
                                         .workers = w->workers,
                                         .is_too_long = &w->is_too_long,
                                         .watch = w->watch,
                                         .sharing = sectors};
    struct counting *c = counting_create(&setup);
    bool is_counted = run_counted(w, pass, c, err);
    while (is_counted && !counting_is_settled(c))
        is_counted = (w->needs_all ? run_passes(w, 0, pass, err) : run_blocks(w, err)) &&
                     run_counted(w, pass, c, err);
    const struct lens_outside *const outside = counting_outside(c);
    if (is_counted) {
        struct lens_pass *to = &w->result->passes[w->result->pass_count++];
        *to = (struct lens_pass){.config = *config,
                                 .times = is_whole ? 1
                                                   : times_of(domain.columns, tile.columns, x) *
                                                         times_of(domain.rows, tile.rows, y) *
                                                         times_of(domain.layers, tile.layers, 0),
                                 .warp_times = is_whole ? 1 : traced_block_warps(planned, x, y),
                                 .block_x = x,
                                 .block_y = y};
        g_strlcpy(to->kernel, w->frame.choice.variant->passes[pass].kernel, sizeof to->kernel);
        fill_pass(w, c, to);
        if (sectors) sharing_add(w->result->sharing, sectors);
    } else if (outside && !atomic_load(&w->watch->cancel)) {  // it may be why the launch failed
        struct lens_outside o = *outside;
        name_site(w->t, o.site, &o.chain);
        lens_result_write_outside(&o, err->text, sizeof err->text);
    }
    counting_destroy(c);
    sharing_destroy(sectors);
    return is_counted;
}

// ---- all passes ----

// Traces a block of the second pass behind those blocks of the first that it needs
// (traced_block.h). False: it fails, or these are not all, and the whole first pass must run.
static bool trace_reached(struct work *w, struct error *err)
{
    const struct launch_plan *plan = &w->frame.plan;
    struct lens_result *const r = w->result;
    w->reach = (struct traced_block_reach){.result = r};
    bool is_traced = trace_pass(w, 0, err) && trace_pass(w, 1, err);
    if (is_traced) {
        traced_block_find(&w->reach, &r->passes[1], &plan->passes[0]);
        lens_result_free_pass(&r->passes[--r->pass_count]);
        is_traced = run_blocks(w, err) && trace_pass(w, 1, err) &&
                    traced_block_is_complete(&w->reach, &r->passes[1]);
    }
    if (w->reach.written) g_hash_table_destroy(w->reach.written);
    return is_traced;
}

static bool trace_all(struct work *w, struct error *err)
{
    struct tracing *t = w->t;
    const bool is_whole = w->request->is_whole;
    if (!prepare(w, err)) return false;
    const struct frame *f = &w->frame;
    struct lens_result *const r = w->result = g_new0(struct lens_result, 1);
    r->is_whole = is_whole;
    r->elements = (double)f->arrays.places[arrays_shown(&f->choice, -1)].count;
    for (int i = 0; i < f->arrays.count; i++) {  // the pieces of global memory
        const struct array *a = &f->choice.filter->arrays[i];
        const struct planes p = frame_planes(f, &w->memory, i);
        const size_t packed = (size_t)p.pitch * (size_t)p.height;
        if (!p.pixels) continue;
        struct lens_memory *m = &r->memory[r->memory_count++];
        *m = (struct lens_memory){.address = (unsigned long long)p.pixels,
                                  .bytes = p.plane_bytes == 1 ? packed : f->arrays.places[i].bytes,
                                  .element_bytes = (int)array_step(a),
                                  .record = a->record,
                                  .shape = planes_at(p, NULL)};
        g_strlcpy(m->name, array_words(f->choice.filter, i), sizeof m->name);
    }
    if (is_whole && w->request->has_sectors)
        r->sharing = sharing_create(r->memory, r->memory_count);
    const bool is_ready = t->is_ready && choice_is_same(&t->ready, &f->choice);
    // It is worth while to look for the few blocks that are needed.
    const bool needs_few = !is_whole && !is_ready && !w->needs_all &&
                           f->arrays.places[ARRAYS_OUT].picture.width && f->plan.pass_count == 2;
    w->needs_all = !needs_few;
    t->is_ready = false;
    if (needs_few && !trace_reached(w, err)) return false;
    for (int pass = 0; pass < f->plan.pass_count && !needs_few; pass++) {
        const bool is_behind = !is_whole && pass + 1 < f->plan.pass_count && !is_ready;
        if (!trace_pass(w, pass, err) || (is_behind && !run_passes(w, pass, pass + 1, err)))
            return false;
    }
    r->launch = traced_block_launch(r);
    r->has_touched = traced_block_touched(r->touched, r);
    t->is_ready =
        !is_whole && f->plan.pass_count > 1 && w->needs_all && traced_block_is_written_once(r);
    t->ready = f->choice;
    return true;
}

struct lens_result *tracing_run(struct tracing *t, const struct tracing_request *request,
                                struct tracing_watch *watch, struct error *err)
{
    bool needs_all = false;
    int workers = TRACE_MAX_WORKERS;
    for (;;) {
        if (!open_device(t, err)) return NULL;
        workers = MIN(workers, backend_device(t->backend)->multiprocessors);
        struct work w = {
            .t = t, .request = request, .watch = watch, .needs_all = needs_all, .workers = workers};
        atomic_store(&watch->permille, 0);
        if (trace_all(&w, err)) return w.result;
        // Fewer blocks at a time have longer logs. The block may have read what another choice left
        // in scratch, or may need more blocks.
        const bool is_shared = request->is_whole && w.is_too_long && workers > 1;
        const bool may_do_better =
            (is_shared || (w.result && !w.needs_all)) && !atomic_load(&watch->cancel);
        lens_result_free(w.result);
        t->is_ready = false;
        if (t->backend && backend_poll(t->backend, NULL) == BACKEND_FAILED) close_device(t);
        if (!may_do_better) return NULL;
        if (is_shared)
            workers /= 2;
        else
            needs_all = true;
    }
}
