#include <glib.h>
#include <math.h>

#include "commands/tour_handout.h"
#include "draw/bars.h"
#include "draw/legend.h"
#include "draw/lens_view.h"
#include "draw/plot.h"
#include "draw/sheet.h"
#include "frame/recording.h"
#include "lens/sharing.h"
#include "screen/source_model.h"

enum { WIDTH = 760 };  // CSS pixels
static const double EM = 14, MARGIN = 10, PLOT_HEIGHT = 460;
static const double SCALE = 2;  // pixels a CSS pixel: sharp in print

// ---- on paper of one width, dark on white ----

static struct paint begin_drawing(double height, struct paint_box *box)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(SCALE * WIDTH), (int)(SCALE * height));
    cairo_surface_set_device_scale(surface, SCALE, SCALE);
    *box = (struct paint_box){MARGIN, MARGIN, WIDTH - 2 * MARGIN, height - 2 * MARGIN};
    return paint_open(surface, WIDTH, (int)height, EM);
}

static void end_drawing(struct tour_handout *h, const char *words, struct paint *paint)
{
    GByteArray *bytes = g_byte_array_new();
    cairo_surface_t *surface = cairo_get_target(paint->cairo);
    paint_close(paint);
    cairo_surface_write_to_png_stream(surface, paint_append, bytes);
    cairo_surface_destroy(surface);
    tour_page_add_picture(&h->page, words, bytes, WIDTH);
}

// ---- the picture ----

// A picture as a PNG that fits a page. *width: its width there. Whole factors make pixels larger,
// so that they stay square and sharp. A picture of one row, such as a vector's, becomes a ribbon.
static GByteArray *make_png_of(struct planes picture, enum color_map map, double *width)
{
    static const double least = 240, highest = 320, ribbon = 24;
    const double fit = fmin(WIDTH / (double)picture.width, highest / picture.height);
    const double scale = fit >= 1 ? fmax(1, floor(fmin(fit, least / picture.width))) : fit;
    const int across = (int)fmax(1, round(scale * picture.width));
    const int down = (int)fmax(ribbon, round(scale * picture.height));
    GByteArray *bytes = g_byte_array_new();
    cairo_surface_t *from = sheet_surface(picture, map);
    cairo_surface_t *to = cairo_image_surface_create(CAIRO_FORMAT_RGB24, across, down);
    cairo_t *cairo = cairo_create(to);
    const double x = (double)across / picture.width, y = (double)down / picture.height;
    cairo_scale(cairo, x, y);
    cairo_set_source_surface(cairo, from, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo),
                             x >= 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_paint(cairo);
    cairo_destroy(cairo);
    cairo_surface_write_to_png_stream(to, paint_append, bytes);
    cairo_surface_destroy(to);
    cairo_surface_destroy(from);
    *width = across;
    return bytes;
}

static void remark(struct tour_handout *h, char *text)
{
    g_free(h->remark);
    h->remark = text;
}

static void draw_picture(struct tour_handout *h, int side)
{
    struct headless *r = &h->headless;
    const struct choice c = app_chosen(h->app, side);
    const int array = arrays_shown(&c, app_array(h->app, side));
    const struct array *shown = &c.filter->arrays[array];
    const bool is_wrong = results_get(h->results, &c).check == CHECK_WRONG;
    // All variants make the same picture, in any block.
    const struct tour_handout_seen now = {
        {.filter = c.filter, .settings.params = c.settings.params}, array, h->page.step};
    const struct tour_handout_seen *before = NULL;
    struct error err = {""};
    for (guint i = 0; i < h->pictures->len && !is_wrong && !before; i++) {
        const struct tour_handout_seen *p =
            &g_array_index(h->pictures, struct tour_handout_seen, i);
        if (p->array == array && choice_is_same(&now.choice, &p->choice)) before = p;
    }
    if (before) {
        if (before->step != h->page.step)
            remark(h, g_strdup_printf("The picture is that of step %d.", before->step));
        return;
    }
    r->array = array;
    if (!headless_run(r, &c, &err)) {
        remark(h, g_strdup(err.text));
        return;
    }
    const char *letter = tour_handout_letter(h, side), *colon = *letter ? ": " : "";
    const struct legend scale = legend_of(&c, array, NULL);
    double width;
    GByteArray *png = make_png_of(r->result.planes, shown->map, &width);
    g_autofree char *words =
        filter_has_picture(c.filter)
            ? g_strdup_printf("%s%sthe picture that %s writes", letter, colon, c.variant->name)
            : g_strdup_printf("%s%sarray %s as a picture, its values from %s to %s", letter, colon,
                              shown->name, scale.low, scale.high);
    tour_page_add_picture(&h->page, words, png, width);
    if (!is_wrong) g_array_append_val(h->pictures, now);
}

// ---- panels ----

static bool draw_panels(struct tour_handout *h, struct error *err)
{
    const struct app *a = h->app;
    struct panel_model_facts facts = {
        .choice = tour_handout_shown(h),
        .device = results_device(h->results, backend_device(h->headless.backend)),
        .picture = h->recording ? h->recording->picture : h->headless.picture.planes};
    if (a->has_bars) facts.open |= 1u << OVERLAY_BARS;
    if (a->has_sweep) facts.open |= 1u << OVERLAY_SWEEP;
    if (a->has_heat) facts.open |= 1u << OVERLAY_HEAT;
    if (!facts.open) return true;
    const int axis = app_axis(a, a->side);
    if (axis >= 0) g_strlcpy(facts.axis, facts.choice.filter->params[axis].name, FILTER_NAME);
    for (int i = 0; facts.open & 1u << OVERLAY_BARS && i < facts.choice.filter->variant_count;
         i++) {
        const struct choice c = panel_model_bar(&facts.choice, i, facts.picture, facts.device);
        const struct lens_result *block = tour_handout_block(h, &c, NULL);
        if (!block) continue;
        facts.lens.sectors[i] = lens_result_sum(block).each.sectors;
        lens_model_write_sums(block, facts.lens.figures[i], sizeof facts.lens.figures[i], false);
        lens_model_write_unit(block, facts.lens.unit, sizeof facts.lens.unit);
    }
    panel_model_want(h->panels, &facts, h->results);
    if (!tour_handout_measure(h, err)) return false;
    const struct overlay_panels *p = panel_model_update(h->panels, h->results, NULL);
    const struct plot *const plots[] = {p->sweep, p->heat};
    struct paint paint;
    struct paint_box box;
    if (p->bars) {
        paint = begin_drawing(bars_height(p->bars->count) * EM + 2 * MARGIN, &box);
        bars_draw(&paint, box, p->bars);
        end_drawing(h, p->bars->title, &paint);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(plots); i++) {
        if (!plots[i]) continue;
        paint = begin_drawing(PLOT_HEIGHT, &box);
        plot_draw(&paint, box, plots[i]);
        end_drawing(h, plots[i]->title, &paint);
    }
    return true;
}

// ---- the lens ----

// As the window's lens does (viewer_lens.c).
static void follow(struct tour_handout *h, bool has_gone)
{
    struct app *a = h->app;
    struct lens_pair_now now = {.cursors = h->cursors, .active = a->side, .has_gone = has_gone};
    if (a->lens.is_new) memset(h->cursors, 0, sizeof h->cursors);
    a->lens.is_new = false;
    if (!a->has_lens) {
        memset(&h->pair, 0, sizeof h->pair);
        return;
    }
    for (int i = 0; i < app_sides(a); i++) {
        const struct choice c = app_chosen(a, i);
        now.results[i] = tour_handout_block(h, &c, NULL);
        now.variants[i] = c.variant;
        if (!now.results[i]) return;
    }
    lens_pair_follow(&h->pair, &now);
}

// Moves the cursor of the side on which keys act, as they have asked.
void tour_handout_step_lens(struct tour_handout *h)
{
    struct app *a = h->app;
    bool has_gone = false;
    follow(h, false);
    for (int way = 0; way < LENS_WAYS; way++) {
        const struct choice c = tour_handout_shown(h);
        const struct lens_result *block =
            a->lens.steps[way] ? tour_handout_block(h, &c, NULL) : NULL;
        if (block)
            lens_model_go(block, &h->cursors[a->side], (enum lens_way)way, a->lens.steps[way]);
        has_gone |= block != NULL;
        a->lens.steps[way] = 0;
    }
    if (has_gone) follow(h, true);
}

static void add_lens(struct tour_handout *h, int side)
{
    static const double heading = 9, heading_of_banks = 7, row = 1.6, words = 1.5;  // ems
    const struct choice c = app_chosen(h->app, side);
    struct error why = {""};
    const struct lens_result *block = tour_handout_block(h, &c, &why);
    struct lens_view view = {.lane = -1};
    if (!block) {
        remark(h, g_strdup_printf("The memory lens: %s", why.text));
        return;
    }
    lens_model_write_caveat(&view, backend_device(h->headless.backend), c.variant);
    const char *letter = tour_handout_letter(h, side);
    g_autofree char *name = g_strconcat(letter, *letter ? " · " : "", "Memory", NULL);
    lens_model_write(&view, block, &h->cursors[side], name);
    // It is as high as its rows of banks, or of lines of 128 bytes in two columns. A race takes up
    // to two lines of words.
    const bool has_banks = view.has_request && view.request.space == TRACE_SHARED;
    struct lens_turns turns = {.count = 0};
    struct lens_counts counts = {0};
    if (has_banks)
        model_turns(&view.request, &turns);
    else if (view.has_request && view.request.space != TRACE_CONSTANT)
        model_count(&view.request, &counts);
    const double rows = has_banks ? turns.count : ceil((double)counts.lines / 2);
    const double ems = (has_banks ? heading_of_banks : heading) + row * fmin(rows, MODEL_LANES) +
                       words * ((*view.caveat ? 1 : 0) + (*view.fault ? 2 : 0));
    struct lens_place place = {.em = 0.8 * EM};
    struct paint paint = begin_drawing(ems * place.em + 2 * MARGIN, &place.box);
    lens_view_draw(&view, &paint, &place);
    end_drawing(h, *view.request_words ? view.request_words : view.title, &paint);
}

// Adds a table in place of the map that the window shows: how many sectors of each array so many
// requests, warps or blocks touch.
static void add_sharing(struct tour_handout *h, int side, enum sharing_by by)
{
    enum { RANGES = 33 };  // of counts: 1, 2, 3 to 4, 5 to 8 and so on
    static const char *const nouns[] = {"requests", "warps", "blocks"};
    const struct choice c = app_chosen(h->app, side);
    const struct lens_result *block = tour_handout_block(h, &c, NULL);
    struct sharing *s = block ? sharing_of_block(block) : NULL;
    if (!s) return;
    const char *letter = tour_handout_letter(h, side);
    const size_t group = s->arrays[0].group;
    unsigned int found[RANGES][LENS_RESULT_MAX_MEMORY] = {{0}};
    struct rows rows = rows_begin();
    g_autofree char *title =
        group > 1 ? g_strdup_printf("%s %s for %zu sectors, in one block", letter, nouns[by], group)
                  : g_strdup_printf("%s %s a sector, in one block", letter, nouns[by]);
    rows_add_column(&rows, ROWS_WORDS, g_strchug(title));
    for (int i = 0; i < s->array_count; i++) {
        const struct sharing_array *a = &s->arrays[i];
        g_autofree char *name =
            g_strconcat(group > 1 ? "groups of " : "sectors of ", block->memory[i].name, NULL);
        rows_add_column(&rows, ROWS_NUMBER, name);
        for (size_t k = 0; k < a->count; k += group) {
            const unsigned int count = a->groups[k / group][by];
            if (count) found[count > 1 ? g_bit_storage(count - 1) : 0][i]++;
        }
    }
    for (int range = 0; range < RANGES; range++) {
        bool has_any = false;
        for (int i = 0; i < s->array_count; i++) has_any |= found[range][i] > 0;
        if (!has_any) continue;
        if (range < 2)
            rows_add_format(&rows, "%d", range + 1);
        else
            rows_add_format(&rows, "%lu to %lu", (1ul << (range - 1)) + 1, 1ul << range);
        for (int i = 0; i < s->array_count; i++)
            if (found[range][i])
                rows_add_format(&rows, "%u", found[range][i]);
            else
                rows_add(&rows, "");
    }
    tour_page_add_table(&h->page, &rows, -1);
    sharing_destroy(s);
}

// ---- the source ----

void tour_handout_add_source(struct tour_handout *h)
{
    const struct choice c = tour_handout_shown(h);
    for (guint i = 0; i < h->sources->len; i++) {
        const struct tour_handout_seen before =
            g_array_index(h->sources, struct tour_handout_seen, i);
        if (before.choice.variant != c.variant) continue;
        tour_page_add_source_of(&h->page, before.step);
        return;
    }
    const struct source_model_facts facts = {.filter = c.filter,
                                             .variant = c.variant,
                                             .headers = &h->headers,
                                             .letter = "",
                                             .has_changes = h->app->has_changes};
    const struct tour_handout_seen now = {c, 0, h->page.step};
    OWNED(source_model_finish) struct source_model model = {.head = 0};
    source_model_update(&model, &facts);
    const struct listing *l = &model.listing;
    g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(struct listing_line));
    g_autofree char *file = g_path_get_basename(c.filter->path);
    bool is_new = true;
    for (int i = 0; i < l->count; i++) {
        const bool is_heading = l->lines[i].mark == LISTING_HEADING;
        // Parts of the filter's own file. Headers are long, and the same for all.
        if (is_heading)
            is_new = g_str_has_prefix(l->lines[i].text, file) &&
                     g_hash_table_add(h->parts, g_strdup(l->lines[i].text));
        if (is_heading && is_new && i > 0) g_array_append_val(lines, l->lines[i - 1]);
        if (is_new) g_array_append_val(lines, l->lines[i]);
        const bool is_next = i + 1 < l->count && l->lines[i + 1].mark == LISTING_HEADING;
        if (is_new && is_next) g_array_set_size(lines, lines->len - 1);  // the blank above it
    }
    tour_page_add_source(&h->page, (const struct listing_line *)(const void *)lines->data,
                         (int)lines->len);
    g_array_append_val(h->sources, now);
}

// ---- all of it ----

bool tour_handout_draw(struct tour_handout *h, struct error *err)
{
    for (int side = 0; side < app_sides(h->app); side++) draw_picture(h, side);
    if (!draw_panels(h, err)) return false;
    follow(h, false);
    const enum sharing_by by = app_sharing(h->app);
    for (int side = 0; side < app_sides(h->app) && h->app->has_lens; side++) {
        add_lens(h, side);
        if (by < SHARING_COUNTS) add_sharing(h, side, by);
    }
    return true;
}
