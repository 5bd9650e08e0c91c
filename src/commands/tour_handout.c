#include "commands/tour_handout.h"

#include <glib.h>
#include <string.h>

#include "app/input.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/wall.h"
#include "filter/launch.h"
#include "lens/traces.h"
#include "measure/figures.h"

struct choice tour_handout_shown(const struct tour_handout *h)
{
    return app_chosen(h->app, h->app->side);
}

const char *tour_handout_letter(const struct tour_handout *h, int side)
{
    static const char *const letters[] = {"A", "B"};
    return app_sides(h->app) > 1 ? letters[side] : "";
}

static const struct choice *point(const struct tour_handout *h, guint index)
{
    return &g_array_index(h->points, struct choice, index);
}

// ---- times and counts ----

enum { MOMENT_US = 200 };  // between looks at a queue, or at a compiler

bool tour_handout_measure(struct tour_handout *h, struct error *err)
{
    enum backend_state state = BACKEND_IDLE;
    double then_s = wall_s();
    while (state != BACKEND_FAILED && !signals_came() && h->left_s > 0) {
        int done, wanted;
        results_progress(h->results, &done, &wanted);
        if (state == BACKEND_IDLE && done == wanted) break;
        const bool is_queued = state == BACKEND_BUSY || engine_measure(h->engine);
        if (is_queued) state = engine_poll(h->engine, err);
        if (state != BACKEND_FAILED) g_usleep(MOMENT_US);
        // With an empty queue it waits for a compiler, which is no part of the budget (bench.h).
        const double now_s = wall_s();
        if (is_queued) h->left_s -= now_s - then_s;
        then_s = now_s;
    }
    if (state == BACKEND_BUSY) {
        engine_leave(h->engine);
        backend_wait(h->headless.backend, NULL);
        engine_poll(h->engine, NULL);
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

// Measures a choice, the one that it is compared with, and the table's rows. A choice that cannot
// be measured is refused in the results.
static bool measure(struct tour_handout *h, const struct choice *shown, struct error *err)
{
    g_autoptr(GArray) wishes = g_array_new(FALSE, FALSE, sizeof(struct results_wish));
    struct choice naive;
    add_wish(wishes, *shown);
    if (choice_naive_of(shown, &naive)) add_wish(wishes, naive);
    add_wish(wishes, choice_copy_of(shown));
    for (guint i = 0; i < h->points->len; i++) add_wish(wishes, *point(h, i));
    results_want(h->results, (struct results_wish *)(void *)wishes->data,
                 h->recording ? 0 : (int)wishes->len);
    return tour_handout_measure(h, err);
}

static const struct lens_result *find_block(void *user, const struct tracing_request *asked,
                                            struct error *why)
{
    const struct tour_handout *h = user;
    struct tracing_request request = *asked;
    request.choice = choice_normal(&asked->choice);
    const struct traces_found found = traces_wait(h->traces, &request, NULL);
    if (why && found.why) error_set(why, "%s", found.why);
    return found.result;
}

static bool plan(void *user, const struct choice *point, struct frame *frame, struct error *why)
{
    const struct tour_handout *h = user;
    const struct launch_build build = launch_build(point);
    enum builder_state state;
    *frame = (struct frame){.backend = h->headless.backend, .choice = *point};
    while ((state = builder_get(h->builder, point->filter, &build, &frame->module, why)) ==
           BUILDER_BUILDING)
        g_usleep(MOMENT_US);
    return state == BUILDER_READY && frame_plan(frame, h->headless.picture.planes, why);
}

// The source of figures while a choice is shown.
static struct tour_source source_of(struct tour_handout *h, const struct choice *shown)
{
    return (struct tour_source){.shown = *shown,
                                .picture = h->headless.picture.planes,
                                .device = backend_device(h->headless.backend),
                                .results = h->results,
                                .user = h,
                                .block = find_block,
                                .plan = plan};
}

const struct lens_result *tour_handout_block(struct tour_handout *h, const struct choice *c,
                                             struct error *why)
{
    const struct tour_source source = source_of(h, c);
    const struct tracing_request request = tour_value_block(&source, c);
    return find_block(h, &request, why);
}

// ---- texts ----

static struct tour_value find_value(void *user, const struct tour_figure *figure)
{
    return tour_value_find(user, figure);
}

static void add_point(struct tour_handout *h, const struct choice *c)
{
    const struct choice normal = choice_normal(c);
    for (guint i = 0; i < h->points->len; i++)
        if (choice_is_same(point(h, i), &normal)) return;
    g_array_append_val(h->points, normal);
}

// Writes the captions and claims that were shown since the last call, with their figures.
static bool write_said(struct tour_handout *h, struct error *err)
{
    const struct choice now = tour_handout_shown(h);
    struct tour_source source = source_of(h, &now);
    for (guint i = 0; i < h->said->len; i++) {
        const struct tour_line *line = h->said->pdata[i];
        struct tour_figure figures[TOUR_MAX_FIGURES];
        const int count = line->kind == TOUR_CLAIM
                              ? claim_figures(&line->claim, figures, TOUR_MAX_FIGURES)
                              : tour_figure_list(line->text, figures, TOUR_MAX_FIGURES);
        for (int k = 0; k < count; k++) {
            struct choice points[TOUR_VALUE_POINTS];
            const int found = tour_value_points(&source, &figures[k], points);
            for (int m = 0; m < found; m++) add_point(h, &points[m]);
        }
    }
    if (!measure(h, &now, err)) return false;
    source = source_of(h, &now);
    for (guint i = 0; i < h->said->len; i++) {
        const struct tour_line *line = h->said->pdata[i];
        const struct claim *claim = line->kind == TOUR_CLAIM ? &line->claim : NULL;
        g_autofree char *text = claim ? tour_figure_fill(claim->sentence, find_value, &source)
                                      : tour_value_fill(&source, line->text, find_value, &source);
        if (claim) {
            struct claim_finding found =
                claim_judge(claim, find_value, &source,
                            device_has_gpu_times(results_device(source.results, source.device)));
            if (found.verdict == CLAIM_PENDING && !*found.why)
                g_strlcpy(found.why, "not measured within the budget", sizeof found.why);
            tour_page_add_claim(&h->page, text, &found);
            g_string_append_printf(h->claims, "%2d  %s %s%s%s%s%s\n", h->page.step,
                                   claim_mark(found.verdict), text, *found.figures ? ": " : "",
                                   found.figures, *found.why ? " · " : "", found.why);
            h->failures += found.verdict == CLAIM_FAILS && !claim_is_about_time(claim);
        } else {
            tour_page_add_caption(&h->page, text);
        }
    }
    g_ptr_array_set_size(h->said, 0);
    return true;
}

// ---- the table ----

static void add_table(struct tour_handout *h)
{
    static const char *const titles[] = {"variant", "ms",      "middle half", "% of copy",
                                         "× naive", "sectors", "conflicts",   "result"};
    static const struct tour_figure figures[] = {
        {.kind = TOUR_MS},
        {.kind = TOUR_COPY},
        {.kind = TOUR_SPEED_UP, .other = "naive"},
        {TOUR_COUNTER, TOUR_SECTORS, -1, -1, "", "", "", ""},
        {TOUR_COUNTER, TOUR_CONFLICTS, -1, -1, "", "", "", ""},
    };
    const struct choice now = tour_handout_shown(h), normal = choice_normal(&now);
    const struct choice timed = results_timed(h->results, &now);
    char ms[128] = "ms";  // "ms at n 16777216" where a recorded time is of another size
    struct rows rows = rows_begin();
    int shown = -1;
    filter_add_changed(ms, sizeof ms, now.filter, &timed.settings.params, &now.settings.params,
                       " at ");
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
        rows_add_column(&rows, ROWS_WORDS, i == 1 ? ms : titles[i]);
    for (guint i = 0; i < h->points->len; i++) {
        const struct choice *c = point(h, i);
        const struct tour_source source = source_of(h, c);
        const struct result known = results_get(h->results, c);
        // "shared", or "shared · radius 9 · unroll off" where these are not as shown.
        char label[64] = "", spread[64] = "", check[RESULT_CHECK_WORDS] = "";
        text_append(label, sizeof label, "%s", c->variant->name);
        for (int k = 0; k < c->filter->param_count; k++) {
            const double value = c->settings.params.v[k];
            if (c->filter == now.filter && value == now.settings.params.v[k]) continue;
            text_append(label, sizeof label, " · %s %s", c->filter->params[k].name,
                        filter_write_value(&c->filter->params[k], value).text);
        }
        if (c->settings.is_unrolled != now.settings.is_unrolled)
            text_append(label, sizeof label, " · unroll %s",
                        c->settings.is_unrolled ? "on" : "off");
        if (known.state == RESULT_DONE) figures_write_quartiles(spread, sizeof spread, known.ms);
        if (known.state == RESULT_REFUSED) text_copy(check, sizeof check, "not measured");
        if (known.check != CHECK_UNKNOWN)
            result_check_write(check, sizeof check, c, known.check, known.difference);
        rows_add(&rows, label);
        for (size_t k = 0; k < G_N_ELEMENTS(figures); k++) {
            const struct tour_value value = tour_value_find(&source, &figures[k]);
            rows_add(&rows, value.known == TOUR_KNOWN ? value.text : "");
            if (figures[k].kind == TOUR_MS) rows_add(&rows, spread);
        }
        rows_add(&rows, check);
        if (choice_is_same(c, &normal)) shown = (int)i;
    }
    tour_page_add_table(&h->page, &rows, shown);
}

// ---- commands ----

// Appends all params, since another device has other defaults, and the block. has_all: with all
// values of the table, as in "--param n_f=1,16".
static void append_settings(GString *text, const struct tour_handout *h, const struct choice *now,
                            bool has_all)
{
    const struct settings s = choice_normal(now).settings;
    for (int i = 0; i < now->filter->param_count; i++) {
        const struct param *p = &now->filter->params[i];
        g_autoptr(GString) values = g_string_new(NULL);
        g_string_append_printf(values, ",%s,",
                               filter_write_value(p, now->settings.params.v[i]).text);
        for (guint k = 0; has_all && k < h->points->len; k++) {
            g_autofree char *known = g_strdup_printf(
                ",%s,", filter_write_value(p, point(h, k)->settings.params.v[i]).text);
            if (!strstr(values->str, known)) g_string_append(values, known + 1);
        }
        g_string_append_printf(text, " --param %s=%.*s", p->name, (int)values->len - 2,
                               values->str + 1);
    }
    if (s.block_width)
        g_string_append_printf(text, " --block %dx%d", s.block_width, s.block_height);
}

// ---- a step ----

static bool end_step(struct tour_handout *h, struct error *err)
{
    if (!write_said(h, err)) return false;
    for (int side = 0; side < app_sides(h->app); side++) {
        const struct choice c = app_chosen(h->app, side);
        add_point(h, &c);
        if (!measure(h, &c, err)) return false;
    }
    if (h->is_plain) return true;
    if (!tour_handout_draw(h, err)) return false;
    add_table(h);
    tour_handout_add_source(h);
    const struct choice now = tour_handout_shown(h);
    g_autoptr(GString) bench = g_string_new("tilescope bench");
    g_autoptr(GString) lens = g_string_new("tilescope lens"), variants = g_string_new(",");
    bool has_both = false;
    if (filter_has_picture(now.filter)) g_string_append_printf(bench, " %s", h->subject);
    if (h->device) g_string_append_printf(bench, " --device %s", h->device);
    for (guint i = 0; i < h->points->len; i++) {
        g_autofree char *known = g_strdup_printf(",%s,", point(h, i)->variant->name);
        if (!strstr(variants->str, known)) g_string_append(variants, known + 1);
        has_both |= point(h, i)->settings.is_unrolled != now.settings.is_unrolled;
    }
    g_string_append_printf(bench, " --filter %s --variant %.*s", now.filter->name,
                           (int)variants->len - 2, variants->str + 1);
    append_settings(bench, h, &now, true);
    if (has_both || now.settings.is_unrolled)
        g_string_append_printf(bench, " --unroll %s", has_both ? "both" : "on");
    g_string_append(bench, h->data);
    if (filter_has_picture(now.filter)) g_string_append_printf(lens, " %s --filter", h->subject);
    g_string_append_printf(lens, " %s --variant %s", now.filter->name, now.variant->name);
    append_settings(lens, h, &now, false);
    g_string_append_printf(lens, " --lines%s", h->data);
    g_autofree char *view =
        g_strdup_printf("tilescope view --script %s --from %d%s", h->script, h->page.step, h->data);
    tour_page_add_commands(&h->page, (char *[]){view, bench->str, lens->str, NULL});
    return true;
}

static void press_key(struct tour_handout *h, const char *key)
{
    enum input_request ignored;
    if (!key) return;
    input_press(h->app, key, &ignored);
    tour_handout_step_lens(h);
}

static bool play_step(struct tour_handout *h, int index, struct error *err)
{
    const struct tour *t = &h->tour;
    const struct tour_step *step = &t->steps[index];
    bool is_good = true;
    g_array_set_size(h->points, 0);
    for (int i = step->first; is_good && i < step->first + step->count; i++) {
        struct tour_line *line = &t->lines[i];
        switch (line->kind) {
        case TOUR_KEYS:
            for (char *const *key = line->keys; *key; key++) press_key(h, *key);
            break;
        case TOUR_CAPTION:
            is_good = write_said(h, err);
            if (is_good && *line->text) g_ptr_array_add(h->said, line);
            break;
        case TOUR_CLAIM:
            g_ptr_array_add(h->said, line);
            break;
        case TOUR_SHOW:
            for (int n = 0; n < TOUR_OPENING_KEYS; n++)
                press_key(h, tour_opening_key(line->pointer.place, h->app));
            break;
        case TOUR_NOTE:
        case TOUR_WAIT_SPACE:
        case TOUR_WAIT_SECONDS:
        case TOUR_WAIT_SETTLED:
            break;
        }
    }
    is_good = is_good && end_step(h, err);
    g_autoptr(GString) settings = g_string_new(NULL);
    for (int side = 0; side < app_sides(h->app); side++) {
        const struct choice c = app_chosen(h->app, side);
        const char *const letter = tour_handout_letter(h, side);
        const struct params_text params = filter_write_params(c.filter, &c.settings.params);
        g_string_append_printf(settings, "%s%s%s%s · %s%s%s · %s%s%s", side ? " | " : "", letter,
                               *letter ? ": " : "", c.filter->title, c.variant->name,
                               *params.text ? " · " : "", params.text,
                               c.variant->library.function ? "" : "block ",
                               launch_write_block(c.variant, &c.settings).text,
                               c.settings.is_unrolled ? " · unroll on" : "");
    }
    tour_page_end_step(&h->page, t->step_count, settings->str, h->remark);
    g_clear_pointer(&h->remark, g_free);
    return is_good;
}

bool tour_handout_make(struct tour_handout *h, struct error *err)
{
    struct backend *const backend = h->headless.backend;
    h->builder = builder_create(backend);
    references_open(&h->references, backend, h->builder);
    h->results = results_create();
    results_set_recording(h->results, h->recording);
    h->engine = engine_create(backend, h->builder, h->results, &h->references);
    h->traces = traces_create(backend_include(backend), true);
    h->app = g_new(struct app, 1);
    h->panels = panel_model_create();
    h->pictures = g_array_new(FALSE, FALSE, sizeof(struct tour_handout_seen));
    h->sources = g_array_new(FALSE, FALSE, sizeof(struct tour_handout_seen));
    h->parts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    h->said = g_ptr_array_new();
    h->points = g_array_new(FALSE, FALSE, sizeof(struct choice));
    app_init(h->app, &h->headless.filters, 1);
    h->app->has_tour = true;
    bool is_good = engine_set_picture(h->engine, h->headless.picture.planes, err);
    for (int i = 0; i < h->tour.step_count && is_good; i++) is_good = play_step(h, i, err);
    panel_model_destroy(h->panels);
    g_array_free(h->points, TRUE);
    g_array_free(h->pictures, TRUE);
    g_array_free(h->sources, TRUE);
    g_hash_table_destroy(h->parts);
    g_ptr_array_free(h->said, TRUE);
    g_free(h->app);
    engine_destroy(h->engine);
    results_destroy(h->results);
    references_close(&h->references);
    builder_destroy(h->builder);
    traces_destroy(h->traces);
    return is_good;
}
