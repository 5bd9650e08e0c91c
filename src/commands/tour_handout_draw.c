#include <glib.h>

#include "commands/tour_drawing.h"
#include "commands/tour_handout_parts.h"
#include "draw/legend.h"
#include "filter/launch.h"
#include "screen/source_model.h"

static struct choice shown(const struct tour_handout *h)
{
    return tour_handout_shown(h, h->app->side);
}

// ---- the picture ----

static void add_drawing(struct tour_handout *h, const char *words, GByteArray *png)
{
    tour_page_add_picture(h->page, words, png, TOUR_DRAWING_WIDTH);
}

static bool is_wrong(const struct tour_handout *h, const struct choice *c)
{
    return results_get(tour_record_results(h->setup.record), c).check == CHECK_WRONG;
}

// All variants make the same picture.
static const struct seen_picture *find_picture(const struct tour_handout *h, const struct choice *c,
                                               int array)
{
    for (guint i = 0; i < h->pictures->len; i++) {
        const struct seen_picture *p = &g_array_index(h->pictures, struct seen_picture, i);
        struct choice other = *c;
        other.variant = p->choice.variant;
        other.settings.block_width = p->choice.settings.block_width;
        other.settings.block_height = p->choice.settings.block_height;
        other.settings.is_unrolled = p->choice.settings.is_unrolled;
        if (p->array == array && choice_is_same(&other, &p->choice)) return p;
    }
    return NULL;
}

static char *picture_words(const struct tour_handout *h, const struct choice *c, int array,
                           int side)
{
    const char *letter = tour_handout_letter(h, side), *colon = *letter ? ": " : "";
    if (!c->filter->is_lab)
        return g_strdup_printf("%s%sthe picture that %s writes", letter, colon, c->variant->name);
    const struct legend scale = legend_of(c, array, NULL);
    return g_strdup_printf("%s%sarray %s as a picture, its values from %s to %s", letter, colon,
                           c->filter->arrays[array].name, scale.low, scale.high);
}

static void remark(struct tour_handout *h, char *text)
{
    g_free(h->page->remark);
    h->page->remark = text;
}

static void draw_picture(struct tour_handout *h, int side)
{
    struct headless *r = h->setup.headless;
    const struct choice c = tour_handout_shown(h, side);
    const int array = c.filter->is_lab ? arrays_shown(c.filter, app_array(h->app, side)) : -1;
    const struct seen_picture *before = is_wrong(h, &c) ? NULL : find_picture(h, &c, array);
    struct image picture = {0};
    struct error err = {""};
    if (before) {
        if (before->step != h->step)
            remark(h, g_strdup_printf("The picture is that of step %d.", before->step));
        return;
    }
    r->array = array;
    if (headless_run(r, &c, &err) && headless_picture(r, &c, &picture, &err)) {
        const struct seen_picture now = {c, array, h->step};
        char *words = picture_words(h, &c, array, side);
        double width;
        GByteArray *png = tour_drawing_picture(picture.planes, &width);
        tour_page_add_picture(h->page, words, png, width);
        g_array_append_val(h->pictures, now);
        g_free(words);
    } else {
        remark(h, g_strdup(err.text));
    }
    image_finish(&picture);
}

// ---- panels ----

// The block of the bars: the present one where the variant can have it.
static struct choice bar_point(const struct tour_handout *h, const struct choice *now,
                               const struct variant *variant)
{
    const struct headless *r = h->setup.headless;
    struct choice c = *now;
    struct launch_plan plan;
    c.variant = variant;
    return launch_plan(&plan, &c, r->picture.planes, backend_device(r->backend), NULL, NULL)
               ? c
               : choice_of_variant(now, variant);
}

static void count_for_bars(struct tour_handout *h, struct panel_model_facts *facts)
{
    const struct filter *f = facts->choice.filter;
    for (int i = 0; i < f->variant_count; i++) {
        const struct choice c = bar_point(h, &facts->choice, &f->variants[i]);
        const struct lens_result *block = tour_record_block(h->setup.record, &c, NULL);
        if (!block) continue;
        lens_model_write_figure(block, facts->memory[i], sizeof facts->memory[i]);
        lens_model_write_unit(block, facts->memory_unit, sizeof facts->memory_unit);
    }
}

static unsigned open_panels(const struct tour_handout *h)
{
    const struct app *a = h->app;
    return (a->has_bars || h->place == TOUR_BARS ? 1u << OVERLAY_BARS : 0) |
           (a->has_sweep || h->place == TOUR_SWEEP ? 1u << OVERLAY_SWEEP : 0) |
           (a->has_heat || h->place == TOUR_HEAT ? 1u << OVERLAY_HEAT : 0);
}

static bool draw_panels(struct tour_handout *h, struct error *err)
{
    struct panel_model_facts facts = {.choice = shown(h),
                                      .device = backend_device(h->setup.headless->backend),
                                      .picture = h->setup.headless->picture.planes,
                                      .open = open_panels(h)};
    if (!facts.open) return true;
    facts.copy_ms = tour_record_copy_ms(h->setup.record, &facts.choice);
    const int axis = app_axis(h->app, h->app->side);
    if (axis >= 0) g_strlcpy(facts.axis, facts.choice.filter->params[axis].name, FILTER_NAME);
    if (facts.open & 1u << OVERLAY_BARS) count_for_bars(h, &facts);
    if (!tour_record_fill(h->setup.record, h->panels, &facts, err)) return false;
    const struct overlay_panels *p = panel_model_panels(h->panels);
    if (p->bars) add_drawing(h, p->bars->title, tour_drawing_bars(p->bars));
    if (p->sweep) add_drawing(h, p->sweep->title, tour_drawing_plot(p->sweep));
    if (p->heat) add_drawing(h, p->heat->title, tour_drawing_plot(p->heat));
    return true;
}

// ---- the lens ----

// What keys have asked of it. Its result is that of the side on which they act.
void tour_handout_step_lens(struct tour_handout *h)
{
    struct app *a = h->app;
    for (int way = 0; way < LENS_WAYS; way++) {
        const struct choice c = shown(h);
        const struct lens_result *block =
            a->lens_steps[way] ? tour_record_block(h->setup.record, &c, NULL) : NULL;
        if (block)
            lens_model_go(block, &h->cursors[a->side], (enum lens_way)way, a->lens_steps[way]);
        a->lens_steps[way] = 0;
    }
}

static void draw_lens(struct tour_handout *h, int side)
{
    const struct choice c = tour_handout_shown(h, side);
    struct error why = {""};
    const struct lens_result *block = tour_record_block(h->setup.record, &c, &why);
    struct lens_view view = {.lane = -1};
    if (!block) {
        remark(h, g_strdup_printf("The memory lens: %s", why.text));
        return;
    }
    lens_model_write_caveat(&view, backend_device(h->setup.headless->backend), c.variant);
    lens_model_write(&view, block, &h->cursors[side], tour_handout_letter(h, side));
    add_drawing(h, *view.request_words ? view.request_words : view.title, tour_drawing_lens(&view));
}

// ---- the source ----

static struct seen_source *find_source(const struct tour_handout *h, const struct variant *v)
{
    for (guint i = 0; i < h->sources->len; i++) {
        struct seen_source *s = h->sources->pdata[i];
        if (s->variant == v) return s;
    }
    return NULL;
}

// Whether a part is of the filter's own file and new. Headers are long, and the same for all.
static bool is_new_part(struct tour_handout *h, const char *heading, const char *file)
{
    return g_str_has_prefix(heading, file) && g_hash_table_add(h->parts, g_strdup(heading));
}

static GArray *new_lines(struct tour_handout *h, const struct listing *l, const char *path)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    char *file = g_path_get_basename(path);
    bool is_new = true;
    for (int i = 0; i < l->count; i++) {
        const bool is_heading = l->lines[i].mark == LISTING_HEADING;
        if (is_heading) is_new = is_new_part(h, l->lines[i].text, file);
        if (is_heading && is_new && i > 0) g_array_append_val(lines, l->lines[i - 1]);
        if (is_new) g_array_append_val(lines, l->lines[i]);
        const bool is_next = i + 1 < l->count && l->lines[i + 1].mark == LISTING_HEADING;
        if (is_new && is_next) g_array_set_size(lines, lines->len - 1);  // the blank above it
    }
    g_free(file);
    return lines;
}

static void add_source(struct tour_handout *h)
{
    const struct choice c = shown(h);
    struct seen_source *s = find_source(h, c.variant);
    if (s) {
        h->page->source_step = s->step;
        return;
    }
    const struct source_model_facts facts = {.filter = c.filter,
                                             .variant = c.variant,
                                             .headers = h->setup.headers,
                                             .letter = "",
                                             .has_changes = h->app->has_changes};
    s = g_new0(struct seen_source, 1);
    s->variant = c.variant;
    s->step = h->step;
    s->model = source_model_create();
    source_model_update(s->model, &facts);
    s->lines = new_lines(h, source_model_listing(s->model), c.filter->path);
    h->page->source = *source_model_listing(s->model);
    h->page->source.lines = (const struct listing_line *)(const void *)s->lines->data;
    h->page->source.count = (int)s->lines->len;
    g_ptr_array_add(h->sources, s);
}

void tour_handout_free_source(void *data)
{
    struct seen_source *s = data;
    source_model_destroy(s->model);
    g_array_free(s->lines, TRUE);
    g_free(s);
}

// ---- all of it ----

bool tour_handout_draw(struct tour_handout *h, struct error *err)
{
    const bool has_lens = h->app->has_lens || h->place == TOUR_LENS;
    for (int side = 0; side < tour_handout_sides(h); side++) draw_picture(h, side);
    if (!draw_panels(h, err)) return false;
    for (int side = 0; side < tour_handout_sides(h) && has_lens; side++) draw_lens(h, side);
    add_source(h);
    return true;
}
