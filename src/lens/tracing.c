#include "lens/tracing.h"

#include <glib.h>
#include <string.h>

#include "device/trace.h"
#include "filter/axis.h"
#include "filter/launch.h"
#include "frame/frame.h"
#include "frame/workspace.h"
#include "lens/counting.h"
#include "lens/launch_counts.h"
#include "lens/memory_list.h"
#include "lens/reach.h"
#include "lens/touched.h"

// Events of all blocks that are traced at the same time; one takes 16 bytes, and half as much again
// while its thread's log grows.
static const size_t MAX_EVENTS = 24000000;
// What runs beside the counting, passes before the last and prepare=, may take so long.
static const gint64 PATIENCE_US = 60 * G_USEC_PER_SEC;

struct tracing {
    struct backend *backend;  // NULL: it failed; the next request opens one
    char *include;
    struct filter *filter;  // what module is of; NULL: there is none
    struct module *module;
    GHashTable *chains;  // of its sites, to struct trace_chain
    struct workspace workspace;
    bool has_old_picture;  // the workspace holds another than the last request's
    // All passes but the last have run in whole for this one, and would leave the same again.
    bool is_ready;
    struct choice ready;
};

// A request while it runs.
struct work {
    bool is_ready;               // the passes before each are there, from the request before
    bool needs_all;              // or must run in whole
    struct reach *reach;         // else: NULL, or of the first pass only
    struct reach_blocks blocks;  // run
    struct tracing *tracing;
    const struct tracing_request *request;
    struct tracing_watch *watch;
    struct frame frame;
    struct frame_memory memory;
    struct lens_result *result;
};

// ---- the device ----

static bool open_device(struct tracing *t, struct error *err)
{
    char reasons[1024];
    if (t->backend) return true;
    t->backend = backend_open("cpu", reasons, sizeof reasons, err);
    if (!t->backend) return false;
    backend_set_include(t->backend, t->include);
    return true;
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

struct tracing *tracing_create(const char *include, struct error *err)
{
    struct tracing *t = g_new0(struct tracing, 1);
    t->include = g_strdup(include);
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

// ---- what a request needs ----

bool tracing_must_build(const struct tracing *t, const struct filter *f)
{
    return !t->module || strcmp(t->filter->path, f->path) != 0 ||
           strcmp(t->filter->source, f->source) != 0;
}

bool tracing_build(struct tracing *t, const struct filter *f, struct tracing_watch *watch,
                   struct error *err)
{
    if (!tracing_must_build(t, f)) return true;
    if (!open_device(t, err)) return false;
    drop_module(t);
    t->module = frame_compile_traced(t->backend, f, &watch->cancel, err);
    if (t->module) t->filter = filter_copy(f);
    return t->module != NULL;
}

// The same choice of the filter's copy, which stays when the caller's is gone.
static struct choice own_choice(const struct tracing *t, const struct choice *c)
{
    struct choice own = *c;
    own.filter = t->filter;
    own.variant = t->filter->variants + (c->variant - c->filter->variants);
    own.settings.is_unrolled = false;
    return own;
}

// The name of what makes a lab's arrays larger.
static const char *size_of(const struct filter *lab)
{
    const int axis = axis_own(lab);
    return axis >= 0 ? lab->params[axis].name : "its parameters";
}

static bool arrays_fit(const struct choice *c, struct error *err)
{
    struct arrays_layout layout;
    if (!arrays_plan(&layout, c->filter, &c->settings.params, err)) return false;
    return layout.bytes <= (size_t)TRACING_MAX_MB << 20 ||
           error_set(err,
                     "the lens works on arrays of up to %d MiB, and these take %zu: make %s "
                     "smaller",
                     TRACING_MAX_MB, layout.bytes >> 20, size_of(c->filter));
}

bool tracing_fits(const struct choice *c, struct planes picture, struct error *err)
{
    struct workspace_needs needs = {.scratch_bytes = 0};
    if (c->filter->is_lab) return arrays_fit(c, err);
    workspace_add_needs(&needs, c->filter, c->variant, picture);
    const size_t bytes = workspace_bytes(picture, 1, needs);
    return bytes <= (size_t)TRACING_MAX_MB << 20 ||
           error_set(err,
                     "the lens works on pictures of up to %d MiB, and %s takes %zu: choose a "
                     "smaller one",
                     TRACING_MAX_MB, c->variant->name, bytes >> 20);
}

static bool bring_picture(struct work *w, struct error *err)
{
    struct tracing *t = w->tracing;
    const bool is_lab = w->request->choice.filter->is_lab;
    const struct planes none = {.pixels = NULL}, picture = is_lab ? none : w->request->picture;
    const bool is_there =
        t->workspace.backend && (is_lab || (t->workspace.sources && !t->has_old_picture &&
                                            planes_is_same_shape(t->workspace.picture, picture)));
    if (is_there) return true;
    t->is_ready = false;
    workspace_finish(&t->workspace);
    if (!workspace_init(&t->workspace, t->backend, picture, 1, err)) return false;
    if (!is_lab) t->has_old_picture = false;
    return true;
}

// Waits for the queue; a request that is cancelled ends soon.
static bool wait_for_queue(struct work *w, bool has_limit, struct error *err)
{
    enum { MOMENT_US = 200 };
    struct backend *b = w->tracing->backend;
    const gint64 begin = g_get_monotonic_time();
    enum backend_state state;
    bool is_late = false;
    while ((state = backend_poll(b, err)) == BACKEND_BUSY) {
        is_late |= has_limit && g_get_monotonic_time() - begin > PATIENCE_US;
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
    struct tracing *t = w->tracing;
    const struct tracing_request *r = w->request;
    const struct variant *v = r->choice.variant;
    if (v->library.function)
        return error_set(err, "%s is a library's: what it reads and writes is not known", v->name);
    if (!tracing_fits(&r->choice, r->picture, err) ||
        !tracing_build(t, r->choice.filter, w->watch, err) || !bring_picture(w, err))
        return false;
    w->frame = (struct frame){.backend = t->backend,
                              .choice = own_choice(t, &r->choice),
                              .module = t->module,
                              .multiprocessors = r->multiprocessors};
    if (!frame_plan(&w->frame, t->workspace.picture, err) ||
        !workspace_prepare(&t->workspace, &w->frame, err))
        return false;
    w->memory = w->frame.choice.filter->is_lab ? workspace_arrays(&t->workspace, 0)
                                               : workspace_memory(&t->workspace, 0);
    return wait_for_queue(w, true, err);
}

// ---- a pass ----

static int depth_of(const struct frame *frame)
{
    return frame->choice.filter->is_lab || frame->plan.pitch ? 1 : frame->picture.count;
}

// The block that has a pixel among its own.
static int block_at(int at, long long of_block, int blocks)
{
    return (int)CLAMP(at / of_block, 0, blocks - 1);
}

static struct counting_setup setup_of(const struct work *w, int pass)
{
    const struct launch_plan *plan = &w->frame.plan;
    const struct launch_config *config = &plan->passes[pass];
    const int workers =
        MIN(backend_device(w->tracing->backend)->multiprocessors, TRACE_MAX_WORKERS);
    return (struct counting_setup){
        .config = *config,
        .depth = depth_of(&w->frame),
        .is_whole = w->request->is_whole,
        .block_x = block_at(w->request->x, plan->tiles[pass].columns, config->grid_width),
        .block_y = block_at(w->request->y, plan->tiles[pass].rows, config->grid_height),
        .finds_races = true,
        .max_events = MAX_EVENTS / (w->request->is_whole ? (size_t)workers : 2),
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
            const struct trace trace = reach_trace(w->reach, x, y, MAX_EVENTS / 2);
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

// Asks for the lines of sites that are new. Without lines the counts are still there.
static void learn_chains(struct work *w, const struct totals_row *rows, int count)
{
    struct tracing *t = w->tracing;
    struct error err = {""};
    GArray *sites = g_array_new(FALSE, FALSE, sizeof(unsigned int));
    for (int i = 0; i < count; i++)
        if (!g_hash_table_contains(t->chains, GUINT_TO_POINTER(rows[i].site)))
            g_array_append_val(sites, rows[i].site);
    struct trace_chain *chains = g_new0(struct trace_chain, sites->len + 1);
    const unsigned int *const list = (const unsigned int *)sites->data;
    if (!sites->len ||
        backend_find_lines(t->backend, t->module, list, (int)sites->len, chains, &err))
        for (guint i = 0; i < sites->len; i++)
            g_hash_table_insert(t->chains, GUINT_TO_POINTER(list[i]),
                                g_memdup2(&chains[i], sizeof chains[i]));
    else
        g_strlcpy(w->result->no_lines, err.text, sizeof w->result->no_lines);
    g_free(chains);
    g_array_unref(sites);
}

static void fill_pass(struct work *w, struct counting *c, struct lens_pass *pass)
{
    int count;
    const struct totals_row *rows = counting_rows(c, &count);
    learn_chains(w, rows, count);
    struct trace_chain *chains = g_new0(struct trace_chain, count + 1);
    for (int i = 0; i < count; i++) {
        const struct trace_chain *known =
            g_hash_table_lookup(w->tracing->chains, GUINT_TO_POINTER(rows[i].site));
        if (known) chains[i] = *known;
    }
    counting_fill(c, chains, pass);
    g_free(chains);
}

// ---- the result ----

static bool trace_pass(struct work *w, int pass, struct error *err)
{
    const struct counting_setup setup = setup_of(w, pass);
    struct counting *c = counting_create(&setup);
    const bool is_counted = count_pass(w, pass, c, err);
    if (is_counted) {
        struct lens_pass *to = &w->result->passes[w->result->pass_count++];
        *to = (struct lens_pass){.config = setup.config,
                                 .depth = setup.depth,
                                 .block_x = setup.block_x,
                                 .block_y = setup.block_y};
        g_strlcpy(to->kernel, w->frame.choice.variant->passes[pass].entry, sizeof to->kernel);
        fill_pass(w, c, to);
    }
    counting_destroy(c);
    return is_counted;
}

static void drop_last_pass(struct lens_result *r)
{
    result_free_pass(&r->passes[--r->pass_count]);
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
           !w->frame.choice.filter->is_lab && w->frame.plan.pass_count == 2;
}

static bool trace_all(struct work *w, struct error *err)
{
    struct tracing *t = w->tracing;
    if (!prepare(w, err)) return false;
    w->result = g_new0(struct lens_result, 1);
    w->result->is_whole = w->request->is_whole;
    memory_list_fill(w->result, &w->frame, &w->memory);
    w->is_ready = t->is_ready && choice_is_same(&t->ready, &w->frame.choice);
    w->needs_all = !needs_few(w);
    t->is_ready = false;
    if (!(w->needs_all ? trace_passes(w, err) : trace_reached(w, err))) return false;
    w->result->launch = launch_counts_find(w->result);
    w->result->written = result_written(w->result);
    w->result->has_touched = touched_find(w->result->touched, w->result);
    t->is_ready = !w->request->is_whole && w->frame.plan.pass_count > 1 && w->needs_all &&
                  memory_list_is_written_once(w->result);
    t->ready = w->frame.choice;
    return true;
}

static void give_up(struct work *w)
{
    struct tracing *t = w->tracing;
    g_clear_pointer(&w->result, result_free);
    if (t->backend && backend_poll(t->backend, NULL) == BACKEND_FAILED) close_device(t);
}

struct lens_result *tracing_run(struct tracing *t, const struct tracing_request *request,
                                struct tracing_watch *watch, struct error *err)
{
    struct work w = {.tracing = t, .request = request, .watch = watch};
    atomic_store(&watch->permille, 0);
    t->has_old_picture |= request->is_new_picture;
    if (trace_all(&w, err)) return w.result;
    // Words of another choice may have led a block astray.
    const bool may_do_better = w.result && !w.needs_all && !atomic_load(&watch->cancel);
    give_up(&w);
    if (!may_do_better) return NULL;
    w = (struct work){.tracing = t, .request = request, .watch = watch, .needs_all = true};
    if (trace_all(&w, err)) return w.result;
    give_up(&w);
    return NULL;
}
