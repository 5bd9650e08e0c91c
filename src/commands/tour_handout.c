#include "commands/tour_handout.h"

#include <glib.h>
#include <string.h>

#include "app/input.h"
#include "commands/tour_handout_parts.h"
#include "filter/launch.h"

int tour_handout_point_count(const struct tour_handout *h)
{
    return h->points ? (int)h->points->len : 0;
}

const struct choice *tour_handout_point(const struct tour_handout *h, int index)
{
    return &g_array_index(h->points, struct choice, index);
}

struct choice tour_handout_shown(const struct tour_handout *h, int side)
{
    return app_chosen(h->app, side);
}

static struct choice shown(const struct tour_handout *h)
{
    return tour_handout_shown(h, h->app->side);
}

int tour_handout_sides(const struct tour_handout *h)
{
    return app_sides(h->app);
}

const char *tour_handout_letter(const struct tour_handout *h, int side)
{
    static const char *const letters[] = {"A", "B"};
    return tour_handout_sides(h) > 1 ? letters[side] : "";
}

// ---- texts ----

static struct tour_value find_value(void *user, const struct tour_figure *figure)
{
    return tour_value_find(user, figure);
}

static void add_point(struct tour_handout *h, const struct choice *c)
{
    const struct choice normal = choice_normal(c);
    for (int i = 0; i < tour_handout_point_count(h); i++)
        if (choice_is_same(tour_handout_point(h, i), &normal)) return;
    g_array_append_val(h->points, normal);
}

static bool measure(struct tour_handout *h, const struct choice *shown, struct error *err)
{
    return tour_record_measure(h->setup.record, shown, (struct choice *)(void *)h->points->data,
                               tour_handout_point_count(h), err);
}

static void add_points(struct tour_handout *h, const struct tour_source *source,
                       const struct tour_line *line)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    const int count = line->kind == TOUR_CLAIM
                          ? claim_figures(&line->claim, figures, TOUR_MAX_FIGURES)
                          : tour_figure_list(line->text, figures, TOUR_MAX_FIGURES);
    for (int i = 0; i < count; i++) {
        struct choice points[TOUR_VALUE_POINTS];
        const int found = tour_value_points(source, &figures[i], points);
        for (int k = 0; k < found; k++) add_point(h, &points[k]);
    }
}

static void write_claim(struct tour_handout *h, const struct claim *claim,
                        struct tour_source *source)
{
    const struct claim_finding found =
        claim_judge(claim, find_value, source, source->device->is_gpu);
    const bool is_late = found.verdict == CLAIM_PENDING && !*found.why;
    const char *const why = is_late ? "not measured within the budget" : found.why;
    struct tour_page_claim *c = g_new(struct tour_page_claim, 1);
    *c = (struct tour_page_claim){.verdict = found.verdict,
                                  .sentence = tour_figure_fill(claim->sentence, find_value, source),
                                  .figures = g_strdup(found.figures),
                                  .why = g_strdup(why)};
    g_ptr_array_add(h->page->claims, c);
    h->failures += found.verdict == CLAIM_FAILS && !claim_is_about_time(claim);
}

// The captions and claims that the audience has seen since the last time, with their figures.
static bool write_said(struct tour_handout *h, struct error *err)
{
    const struct choice now = shown(h);
    struct tour_source source = tour_record_source(h->setup.record, &now);
    for (guint i = 0; i < h->said->len; i++) add_points(h, &source, h->said->pdata[i]);
    if (!measure(h, &now, err)) return false;
    source = tour_record_source(h->setup.record, &now);
    for (guint i = 0; i < h->said->len; i++) {
        const struct tour_line *line = h->said->pdata[i];
        if (line->kind == TOUR_CLAIM)
            write_claim(h, &line->claim, &source);
        else
            g_ptr_array_add(h->page->captions, tour_figure_fill(line->text, find_value, &source));
    }
    g_ptr_array_set_size(h->said, 0);
    return true;
}

static void write_settings(struct tour_handout *h)
{
    GString *text = g_string_new(NULL);
    for (int side = 0; side < tour_handout_sides(h); side++) {
        const struct choice c = tour_handout_shown(h, side);
        char params[256], block[32];
        launch_write_block(c.variant, &c.settings, block, sizeof block);
        filter_write_params(c.filter, &c.settings.params, params, sizeof params);
        g_string_append_printf(
            text, "%s%s%s%s · %s%s%s · %s%s%s", side ? " | " : "", tour_handout_letter(h, side),
            *tour_handout_letter(h, side) ? ": " : "", c.filter->title, c.variant->name,
            *params ? " · " : "", params, c.variant->library.function ? "" : "block ", block,
            c.settings.is_unrolled ? " · unroll on" : "");
    }
    g_free(h->page->settings);
    h->page->settings = g_string_free(text, FALSE);
}

// ---- a step ----

static bool measure_sides(struct tour_handout *h, struct error *err)
{
    bool is_good = true;
    for (int side = 0; side < tour_handout_sides(h) && is_good; side++) {
        const struct choice c = tour_handout_shown(h, side);
        add_point(h, &c);
        is_good = measure(h, &c, err);
    }
    return is_good;
}

static bool end_step(struct tour_handout *h, struct error *err)
{
    if (!write_said(h, err) || !measure_sides(h, err)) return false;
    write_settings(h);
    if (h->setup.is_plain) return true;
    if (!tour_handout_draw(h, err)) return false;
    tour_handout_add_rows(h);
    tour_handout_add_commands(h);
    return true;
}

static void press(struct tour_handout *h, char *const *keys)
{
    for (; *keys; keys++) {
        enum input_request ignored;
        input_press(h->app, *keys, &ignored);
        tour_handout_step_lens(h);
    }
}

static bool play_line(struct tour_handout *h, const struct tour_line *line, struct error *err)
{
    switch (line->kind) {
    case TOUR_KEYS:
        press(h, line->keys);
        break;
    case TOUR_CAPTION:
        if (!write_said(h, err)) return false;
        if (*line->text) g_ptr_array_add(h->said, (struct tour_line *)line);
        break;
    case TOUR_CLAIM:
        g_ptr_array_add(h->said, (struct tour_line *)line);
        break;
    case TOUR_SHOW:
        h->place = line->pointer.place;
        break;
    case TOUR_NOTE:
    case TOUR_WAIT_SPACE:
    case TOUR_WAIT_SECONDS:
    case TOUR_WAIT_SETTLED:
        break;
    }
    return true;
}

static bool play_step(struct tour_handout *h, struct tour_page *page, int index, struct error *err)
{
    const struct tour *t = h->setup.tour;
    const struct tour_step *step = &t->steps[index];
    h->step = index + 1;
    h->page = tour_page_add_step(page);
    h->place = TOUR_NOWHERE;
    g_array_set_size(h->points, 0);
    for (int i = step->first; i < step->first + step->count; i++)
        if (!play_line(h, &t->lines[i], err)) return false;
    return end_step(h, err);
}

struct tour_handout *tour_handout_make(const struct tour_handout_setup *setup,
                                       struct tour_page *page, struct error *err)
{
    struct tour_handout *h = g_new0(struct tour_handout, 1);
    h->setup = *setup;
    h->app = g_new(struct app, 1);
    app_init(h->app, &setup->headless->filters, 1);
    h->app->has_tour = true;
    h->panels = panel_model_create();
    h->points = g_array_new(FALSE, FALSE, sizeof(struct choice));
    h->pictures = g_array_new(FALSE, FALSE, sizeof(struct seen_picture));
    h->sources = g_ptr_array_new_with_free_func(tour_handout_free_source);
    h->parts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    h->said = g_ptr_array_new();
    bool is_good = true;
    for (int i = 0; i < setup->tour->step_count && is_good; i++)
        is_good = play_step(h, page, i, err);
    if (is_good) return h;
    tour_handout_free(h);
    return NULL;
}

void tour_handout_free(struct tour_handout *h)
{
    if (!h) return;
    panel_model_destroy(h->panels);
    g_array_free(h->points, TRUE);
    g_array_free(h->pictures, TRUE);
    g_ptr_array_free(h->sources, TRUE);
    g_hash_table_destroy(h->parts);
    g_ptr_array_free(h->said, TRUE);
    g_free(h->app);
    g_free(h);
}

int tour_handout_failures(const struct tour_handout *h)
{
    return h->failures;
}
