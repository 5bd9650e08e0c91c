#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/figure.h"
#include "measure/figures.h"
#include "screen/panel_model_parts.h"

// As it is shown: what differs only in further digits is the same content.
static double shown(double value)
{
    char text[32];
    if (value <= 0) return 0;
    figure_three(text, sizeof text, value);
    return g_ascii_strtod(text, NULL);
}

static double median_of(const struct result *r)
{
    return r->ms.count ? shown(r->ms.median) : 0;
}

static void write_block(const struct choice *point, char *text, size_t size)
{
    int width, height;
    launch_block(point->variant, &point->settings, &width, &height);
    g_snprintf(text, size, "%d×%d", width, height);
}

static const char *skip_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return g_str_has_prefix(text, word) && text[length] == ' ' ? text + length + 1 : text;
}

// The row already says whose reason it is.
static void set_reason(char *reason, size_t size, const char *text, const struct filter *f,
                       const char *variant)
{
    g_strlcpy(reason, skip_word(skip_word(text, f->name), variant), size);
}

// ---- bars ----

// What a figure is of, but for the variant and its block: "radius 5 · c 3 · unroll on".
static void write_settings(const struct panel_model_choice *c, char *text, size_t size)
{
    filter_write_params(c->facts.filter, &c->settings.params, text, size);
    if (c->settings.is_unrolled) g_strlcat(text, *text ? " · unroll on" : "unroll on", size);
}

static const struct bar *old_bar(const struct panel_model *p, const char *name)
{
    if (strcmp(p->bars_filter, p->choice.facts.filter->name) != 0) return NULL;
    for (int i = 0; i < p->bars.count; i++)
        if (!strcmp(p->bars.rows[i].name, name)) return &p->bars.rows[i];
    return NULL;
}

// Until there is a figure, the one before it stays to be seen, with its block and settings.
static void keep_old(struct bar *b, const struct bar *old)
{
    if (!old || old->ms <= 0 || old->state == BARS_REFUSED) return;
    const struct bar now = *b;
    *b = *old;
    memcpy(b->key, now.key, sizeof b->key);
    b->is_present = now.is_present;
    b->is_stale = true;
}

static enum bars_state state_of(const struct result *r)
{
    static const enum bars_state states[] = {[RESULT_UNKNOWN] = BARS_UNKNOWN,
                                             [RESULT_MEASURING] = BARS_MEASURING,
                                             [RESULT_DONE] = BARS_DONE,
                                             [RESULT_REFUSED] = BARS_REFUSED};
    if (r->state != RESULT_REFUSED && r->check == CHECK_WRONG) return BARS_WRONG;
    return states[r->state];
}

static void measure_bar(const struct panel_model *p, const struct results *s,
                        const struct choice *point, struct bar *b)
{
    const struct result r = results_get(s, point);
    const double naive_ms = results_naive_ms(s, point);
    b->state = state_of(&r);
    if (b->state == BARS_REFUSED) {
        set_reason(b->reason, sizeof b->reason, r.reason, point->filter, b->name);
        return;
    }
    b->ms = median_of(&r);
    if (b->ms > 0)
        b->over_naive = shown(figures_speed_up(r.ms.median, naive_ms));
    else
        keep_old(b, old_bar(p, b->name));
}

static void fill_bar(const struct panel_model *p, const struct results *s, int variant,
                     const char *settings, struct bar *b)
{
    const struct panel_model_choice *c = &p->choice;
    const struct choice point = panel_model_bar_point(c, variant);
    struct error err = {""};
    if (variant < 9) g_snprintf(b->key, sizeof b->key, "%d", variant + 1);
    g_strlcpy(b->name, point.variant->name, sizeof b->name);
    g_strlcpy(b->settings, settings, sizeof b->settings);
    write_block(&point, b->block, sizeof b->block);
    b->is_present = point.variant == c->facts.variant;
    if (panel_model_is_legal(c, &point, &err)) {
        measure_bar(p, s, &point, b);
        return;
    }
    b->state = BARS_REFUSED;
    set_reason(b->reason, sizeof b->reason, err.text, c->facts.filter, b->name);
}

void panel_model_fill_bars(const struct panel_model *p, const struct results *s, struct bars *bars)
{
    const struct filter *f = p->choice.facts.filter;
    const struct choice present = panel_model_present_point(&p->choice);
    struct choice naive;
    write_settings(&p->choice, bars->settings, sizeof bars->settings);
    if (*bars->settings)
        g_snprintf(bars->title, sizeof bars->title, "Variants at %s, ms a launch", bars->settings);
    else
        g_snprintf(bars->title, sizeof bars->title, "Variants of %s, ms a launch", f->title);
    if (choice_naive_of(&present, &naive))
        write_block(&naive, bars->naive_block, sizeof bars->naive_block);
    bars->count = MIN(f->variant_count, BARS_MAX);
    for (int i = 0; i < bars->count; i++) fill_bar(p, s, i, bars->settings, &bars->rows[i]);
}

// ---- sweep ----

// How far the measuring of a panel is.
struct progress {
    int done, wanted;
    char refusal[200];  // the first of a launch that planning let through
    char wrong[200];    // the first result that is
};

static bool is_known(const struct result *r)
{
    return r->state == RESULT_DONE || r->state == RESULT_REFUSED;
}

static void count(struct progress *progress, const struct result *r)
{
    progress->wanted++;
    progress->done += is_known(r);
}

static void fill_curve(const struct panel_model *p, const struct results *s, int variant,
                       struct panel_model_sweep *sweep, struct progress *progress)
{
    for (int i = 0; i < p->axes.radius_count; i++) {
        const int radius = p->axes.radii[i];
        const struct choice point = panel_model_sweep_point(&p->choice, variant, radius);
        if (!panel_model_is_legal(&p->choice, &point, NULL)) continue;
        const struct result r = results_get(s, &point);
        const bool is_wrong = r.check == CHECK_WRONG;
        count(progress, &r);
        sweep->is_pending[i] |= !is_wrong && !is_known(&r);
        if (r.state == RESULT_REFUSED && !progress->refusal[0])
            g_snprintf(progress->refusal, sizeof progress->refusal, "%s at radius %d: %s",
                       point.variant->name, radius, r.reason);
        if (is_wrong && !progress->wrong[0])
            g_snprintf(progress->wrong, sizeof progress->wrong, "%s at radius %d: wrong",
                       point.variant->name, radius);
        if (r.state != RESULT_DONE || r.ms.median <= 0) continue;
        sweep->has_wrong[variant] |= is_wrong;
        sweep->points[variant][sweep->counts[variant]++] = (struct plot_point){
            radius, shown(r.ms.median), shown(r.ms.lower), shown(r.ms.upper), is_wrong};
    }
}

// The lowest at a radius whose result is right; -1: none, or not all are measured.
static int fastest_at(const struct panel_model_sweep *sweep, int radius, double *ms)
{
    int best = -1;
    for (int i = 0; i < sweep->x_count; i++)
        if (sweep->xs[i] == radius && sweep->is_pending[i]) return -1;
    for (int i = 0; i < sweep->curves; i++)
        for (int k = 0; k < sweep->counts[i]; k++) {
            const struct plot_point *point = &sweep->points[i][k];
            if (point->x != radius || point->is_wrong) continue;
            if (best >= 0 && point->y >= *ms) continue;
            best = i;
            *ms = point->y;
        }
    return best;
}

static void tell_radius(const struct panel_model *p, struct panel_model_sweep *sweep)
{
    const int radius = (int)round(p->cursor.value);
    double ms;
    const int best = fastest_at(sweep, radius, &ms);
    if (best < 0) {
        g_snprintf(sweep->caption, sizeof sweep->caption, "radius %d", radius);
        return;
    }
    char figure[32];
    figure_three(figure, sizeof figure, ms);
    g_snprintf(sweep->caption, sizeof sweep->caption, "radius %d: %s fastest, %s", radius,
               sweep->labels[best], figure);
}

static void tell_progress(const struct panel_model *p, const struct progress *progress,
                          char *caption, size_t size)
{
    if (progress->done < progress->wanted) {
        g_snprintf(caption, size, "measuring, %d of %d", progress->done, progress->wanted);
    } else if (progress->wrong[0]) {
        g_strlcpy(caption, progress->wrong, size);
    } else if (progress->refusal[0]) {
        g_strlcpy(caption, progress->refusal, size);
    } else {
        g_snprintf(caption, size, "unroll %s", p->choice.settings.is_unrolled ? "on" : "off");
    }
}

void panel_model_fill_sweep(const struct panel_model *p, const struct results *s,
                            struct panel_model_sweep *sweep)
{
    const struct panel_model_choice *c = &p->choice;
    struct progress progress = {.done = 0};
    char ms[32];
    if (!p->axes.radius_count) {
        g_snprintf(sweep->title, sizeof sweep->title, "%s has no radius to sweep",
                   c->facts.filter->title);
        return;
    }
    g_snprintf(sweep->title, sizeof sweep->title, "%s: ms over radius", c->facts.filter->title);
    sweep->curves = c->facts.filter->variant_count;
    sweep->present = (int)(c->facts.variant - c->facts.filter->variants);
    sweep->mark = panel_model_radius(c);
    sweep->x_count = p->axes.radius_count;
    for (int i = 0; i < sweep->x_count; i++) sweep->xs[i] = p->axes.radii[i];
    for (int i = 0; i < sweep->curves; i++) {
        g_strlcpy(sweep->labels[i], c->facts.filter->variants[i].name, sizeof sweep->labels[i]);
        fill_curve(p, s, i, sweep, &progress);
    }
    sweep->floor = shown(c->facts.copy_ms);
    figure_three(ms, sizeof ms, c->facts.copy_ms);
    g_snprintf(sweep->floor_label, sizeof sweep->floor_label, "device copy %s", ms);
    if (p->has_cursor && p->cursor.panel == OVERLAY_SWEEP && p->cursor.value >= 0)
        tell_radius(p, sweep);
    else
        tell_progress(p, &progress, sweep->caption, sizeof sweep->caption);
}

struct plot_curves panel_model_curves(const struct panel_model *p, struct plot_curve *curves)
{
    const struct panel_model_sweep *s = &p->sweep;
    for (int i = 0; i < s->curves; i++) {
        curves[i] = (struct plot_curve){
            .points = s->points[i], .count = s->counts[i], .is_emphasised = i == s->present};
        g_snprintf(curves[i].label, sizeof curves[i].label, "%s%s", s->labels[i],
                   s->has_wrong[i] ? ", wrong" : "");
    }
    return (struct plot_curves){.x_label = "radius",
                                .y_label = "ms",
                                .curves = curves,
                                .count = s->curves,
                                .floor = s->floor,
                                .floor_label = s->floor_label,
                                .xs = s->xs,
                                .x_count = s->x_count,
                                .has_crossings = true,
                                .has_mark = true,
                                .mark_x = s->mark};
}

// ---- heat map ----

struct plot_heat panel_model_heat_map(const struct panel_model_heat *h)
{
    return (struct plot_heat){.widths = h->widths,
                              .heights = h->heights,
                              .columns = h->columns,
                              .rows = h->rows,
                              .cells = h->cells,
                              .pending = h->pending,
                              .wrong = h->wrong};
}

static struct choice cell_point(const struct panel_model *p, const struct panel_model_heat *h,
                                int cell)
{
    return panel_model_heat_point(&p->choice, h->widths[cell % h->columns],
                                  h->heights[cell / h->columns]);
}

static void fill_cell(const struct panel_model *p, const struct results *s, int cell,
                      struct panel_model_heat *h, struct progress *progress)
{
    const struct choice point = cell_point(p, h, cell);
    h->cells[cell] = PLOT_REFUSED;
    if (!panel_model_is_legal(&p->choice, &point, NULL)) return;
    const struct result r = results_get(s, &point);
    count(progress, &r);
    if (r.state == RESULT_REFUSED) return;
    const double ms = median_of(&r);
    h->cells[cell] = ms > 0 ? ms : PLOT_UNKNOWN;
    h->pending[cell] = r.state != RESULT_DONE;
    h->wrong[cell] = r.check == CHECK_WRONG;
    if (h->wrong[cell])
        g_snprintf(progress->wrong, sizeof progress->wrong, "wrong at %d×%d",
                   point.settings.block_width, point.settings.block_height);
}

static void tell_cell(const struct panel_model *p, const struct results *s,
                      struct panel_model_heat *h)
{
    const struct choice point = cell_point(p, h, h->cursor);
    const int width = point.settings.block_width, height = point.settings.block_height;
    const double now = h->present >= 0 ? h->cells[h->present] : 0, ms = h->cells[h->cursor];
    struct error err = {""};
    char a[32], b[32];
    if (!panel_model_is_legal(&p->choice, &point, &err)) {
        g_strlcpy(h->note, err.text, sizeof h->note);
    } else if (ms == PLOT_REFUSED) {
        g_strlcpy(h->note, results_get(s, &point).reason, sizeof h->note);
    } else if (ms == PLOT_UNKNOWN) {
        g_snprintf(h->note, sizeof h->note, "%d×%d: not measured yet", width, height);
    } else if (h->wrong[h->cursor]) {
        g_snprintf(h->note, sizeof h->note, "%d×%d: wrong, max |diff| = %d", width, height,
                   results_get(s, &point).difference.max);
    } else {
        figure_three(a, sizeof a, ms);
        figure_three(b, sizeof b, now / ms);
        g_snprintf(h->note, sizeof h->note,
                   now > 0 && !h->wrong[h->present] ? "%d×%d: %s ms, %s× as fast as now"
                                                    : "%d×%d: %s ms",
                   width, height, a, b);
    }
}

static void tell_best(const struct panel_model *p, const struct progress *progress,
                      struct panel_model_heat *h)
{
    const struct plot_heat map = panel_model_heat_map(h);
    const int best = plot_best_cell(&map);
    char ms[32];
    if (progress->done < progress->wanted || best < 0) {
        tell_progress(p, progress, h->caption, sizeof h->caption);
        if (best < 0 && !progress->wanted) g_strlcpy(h->caption, "none", sizeof h->caption);
        return;
    }
    figure_three(ms, sizeof ms, h->cells[best]);
    g_snprintf(h->caption, sizeof h->caption, "best %s at %d×%d", ms, h->widths[best % h->columns],
               h->heights[best / h->columns]);
}

static int present_cell(const struct panel_model *p, const struct panel_model_heat *h)
{
    int width, height;
    launch_block(p->choice.facts.variant, &p->choice.settings, &width, &height);
    for (int i = 0; i < h->columns * h->rows; i++)
        if (h->widths[i % h->columns] == width && h->heights[i / h->columns] == height) return i;
    return -1;
}

void panel_model_fill_heat(const struct panel_model *p, const struct results *s,
                           struct panel_model_heat *h)
{
    const struct variant *v = p->choice.facts.variant;
    const int radius = panel_model_radius(&p->choice);
    struct progress progress = {.done = 0};
    if (radius < 0)
        g_snprintf(h->title, sizeof h->title, "%s: ms over block", v->name);
    else
        g_snprintf(h->title, sizeof h->title, "%s, radius %d: ms over block", v->name, radius);
    h->columns = p->axes.columns;
    h->rows = p->axes.rows;
    memcpy(h->widths, p->axes.widths, sizeof h->widths);
    memcpy(h->heights, p->axes.heights, sizeof h->heights);
    for (int i = 0; i < h->columns * h->rows; i++) fill_cell(p, s, i, h, &progress);
    h->present = present_cell(p, h);
    const bool is_pointed = p->has_cursor && p->cursor.panel == OVERLAY_HEAT;
    h->cursor = is_pointed && p->cursor.index < h->columns * h->rows ? p->cursor.index : -1;
    tell_best(p, &progress, h);
    if (h->cursor >= 0) tell_cell(p, s, h);
}
