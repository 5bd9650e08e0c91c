#include "commands/tour_record.h"

#include <glib.h>
#include <string.h>

#include "base/signals.h"
#include "filter/launch.h"
#include "frame/frame.h"
#include "lens/traces.h"
#include "frame/engine.h"

struct tour_record {
    struct backend *backend;
    struct planes picture;
    struct builder *builder;
    struct references references;
    struct results *results;
    struct engine *engine;
    struct traces *traces;
    double left_s;  // of the budget
};

struct tour_record *tour_record_open(struct backend *backend, struct planes picture,
                                     struct recording *recording, double budget_s,
                                     struct error *err)
{
    struct tour_record *r = g_new0(struct tour_record, 1);
    r->backend = backend;
    r->picture = picture;
    r->left_s = budget_s;
    r->builder = builder_create(backend);
    references_open(&r->references, backend, r->builder);
    r->results = results_create();
    results_set_recording(r->results, recording);
    r->engine = engine_create(backend, r->builder, r->results, &r->references);
    r->traces = traces_create(backend_include(backend), true);
    if (engine_set_picture(r->engine, picture, err)) return r;
    tour_record_close(r);
    return NULL;
}

void tour_record_close(struct tour_record *r)
{
    if (!r) return;
    engine_destroy(r->engine);
    results_destroy(r->results);
    references_close(&r->references);
    builder_destroy(r->builder);
    traces_destroy(r->traces);
    g_free(r);
}

const struct results *tour_record_results(const struct tour_record *r)
{
    return r->results;
}

// ---- times ----

enum { MOMENT_US = 200 };  // between looks at a queue, or at a compiler

// Measures until the wishes are done or refused, or the budget is spent.
static bool measure_wishes(struct tour_record *r, struct error *err)
{
    const gint64 start = g_get_monotonic_time();
    enum backend_state state = BACKEND_IDLE;
    double spent_s = 0;
    while (state != BACKEND_FAILED && !signals_came() && spent_s < r->left_s) {
        int done, wanted;
        results_progress(r->results, &done, &wanted);
        if (state == BACKEND_IDLE && done == wanted) break;
        if (state == BACKEND_BUSY || engine_measure(r->engine)) state = engine_poll(r->engine, err);
        if (state != BACKEND_FAILED) g_usleep(MOMENT_US);
        spent_s = (double)(g_get_monotonic_time() - start) * 1e-6;
    }
    r->left_s -= spent_s;
    if (state == BACKEND_BUSY) {
        engine_leave(r->engine);
        backend_wait(r->backend, NULL);
        engine_poll(r->engine, NULL);
    }
    if (signals_came()) return error_set(err, "cancelled");
    return state != BACKEND_FAILED;
}

// Choices of the same params are measured in turns. Others follow: a lab's arrays are made anew for
// each change of its params.
static void add_wish(GArray *wishes, struct choice point)
{
    struct results_wish wish = {.point = point};
    bool is_known = false;
    for (guint i = 0; i < wishes->len && !is_known; i++) {
        const struct results_wish *other = &g_array_index(wishes, struct results_wish, i);
        const struct choice *c = &other->point;
        is_known = c->filter == point.filter &&
                   !memcmp(&c->settings.params, &point.settings.params, sizeof c->settings.params);
        wish.group = is_known ? other->group : MAX(wish.group, other->group + 1);
    }
    if (wishes->len < RESULTS_BOUND - 1) g_array_append_val(wishes, wish);
}

bool tour_record_measure(struct tour_record *r, const struct choice *shown,
                         const struct choice *also, int also_count, struct error *err)
{
    g_autoptr(GArray) wishes = g_array_new(FALSE, FALSE, sizeof(struct results_wish));
    struct choice naive;
    add_wish(wishes, *shown);
    if (choice_naive_of(shown, &naive)) add_wish(wishes, naive);
    add_wish(wishes, choice_copy_of(shown));
    for (int i = 0; i < also_count; i++) add_wish(wishes, also[i]);
    const guint count = results_recording(r->results) ? 0 : wishes->len;
    results_want(r->results, (struct results_wish *)(void *)wishes->data, (int)count);
    return measure_wishes(r, err);
}

const struct overlay_panels *tour_record_fill(struct tour_record *r, struct panel_model *panels,
                                              const struct panel_model_facts *facts,
                                              struct error *err)
{
    panel_model_want(panels, facts, r->results);
    return measure_wishes(r, err) ? panel_model_update(panels, r->results, NULL) : NULL;
}

// ---- counts ----

const struct lens_result *tour_record_block(struct tour_record *r, const struct choice *c,
                                            struct error *why)
{
    const struct choice normal = choice_normal(c);
    const struct tour_source source = tour_record_source(r, &normal);
    struct tracing_request request = tour_value_block(&source, &normal);
    request.picture = r->picture;
    const struct traces_found found = traces_wait(r->traces, &request, NULL);
    if (why && found.why) error_set(why, "%s", found.why);
    return found.result;
}

// ---- what figures are found with ----

static const struct lens_result *find_block(void *user, const struct choice *point,
                                            struct error *why)
{
    return tour_record_block(user, point, why);
}

static bool find_kernels(void *user, const struct choice *point, struct tour_kernels *k,
                         struct error *why)
{
    struct tour_record *r = user;
    const struct launch_build build = launch_build(point->filter, &point->settings);
    struct frame frame = {.backend = r->backend, .choice = *point};
    enum builder_state state;
    while ((state = builder_get(r->builder, point->filter, build.params, &frame.module, why)) ==
           BUILDER_BUILDING)
        g_usleep(MOMENT_US);
    return state == BUILDER_READY && frame_plan(&frame, r->picture, why) &&
           tour_value_kernels(&frame, k, why);
}

struct tour_source tour_record_source(struct tour_record *r, const struct choice *shown)
{
    return (struct tour_source){.shown = *shown,
                                .picture = r->picture,
                                .device = backend_device(r->backend),
                                .results = r->results,
                                .user = r,
                                .block = find_block,
                                .kernels = find_kernels};
}
