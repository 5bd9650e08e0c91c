#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "measure/figures.h"
#include "screen/panel_model_parts.h"

double panel_model_shown(double value)
{
    return value > 0 ? g_ascii_strtod(number_three(value).text, NULL) : 0;
}

static double median_of(const struct result *r)
{
    return r->ms.count ? panel_model_shown(r->ms.median) : 0;
}

static const char *skip_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return g_str_has_prefix(text, word) && text[length] == ' ' ? text + length + 1 : text;
}

char *panel_model_where(const struct panel_model *p, const struct results *s)
{
    return results_recording(s)
               ? g_strdup_printf(" on %s, recorded", p->facts.device->name)
               : g_strdup(device_has_gpu_times(p->facts.device) ? "" : " on this CPU");
}

// ---- bars ----

// True if the quartiles of the fastest and of another one leave it to chance which is faster.
static bool is_alike(const struct panel_point *fastest, const struct panel_point *other)
{
    const struct result *a = &fastest->result, *b = &other->result;
    return a->ms.count && b->ms.count && b->check != CHECK_WRONG &&
           figures_compare(a->ms, b->ms) != FIGURES_FIRST_IS_FASTER;
}

// Until there is a new figure, the old one stays, with its block and settings.
static void keep_old(struct bar *b, const struct bars *bars)
{
    const struct bar *old = bars->rows, *end = bars->rows + bars->count;
    while (old < end && strcmp(old->name, b->name) != 0) old++;
    if (old == end || old->ms <= 0 || old->state == BARS_REFUSED) return;
    const struct bar now = *b;
    *b = *old;
    memcpy(b->key, now.key, sizeof b->key);
    b->is_present = now.is_present;
    b->is_stale = true;
}

// Writes how a settled time that is right differs from the baseline.
static void write_change(struct panel_model *p, const struct panel_point *point, struct bar *b)
{
    const struct baseline_subject subject = {point->choice, p->facts.picture, p->facts.device};
    const struct result *r = &point->result;
    if (r->state != RESULT_DONE || r->check == CHECK_WRONG) return;
    baseline_write_change(p->facts.baseline, &subject, r->ms, b->change, sizeof b->change);
    p->bars.has_baseline |= *b->change != '\0';
}

static void fill_bar(struct panel_model *p, const struct results *s, const struct bars *old,
                     int variant)
{
    static const enum bars_state states[] = {[RESULT_UNKNOWN] = BARS_UNKNOWN,
                                             [RESULT_MEASURING] = BARS_MEASURING,
                                             [RESULT_DONE] = BARS_DONE};
    struct bar *b = &p->bars.rows[variant];
    const struct panel_point *point = &panel_model_points(p, OVERLAY_BARS)[variant];
    const struct choice *c = &point->choice;
    const struct result *r = &point->result;
    if (variant < 9) g_snprintf(b->key, sizeof b->key, "%d", variant + 1);
    g_strlcpy(b->name, c->variant->name, sizeof b->name);
    b->is_expert = c->variant->is_expert;
    b->is_floor = c->variant->is_floor;
    g_strlcpy(b->settings, p->bars.settings, sizeof b->settings);
    b->sectors = p->facts.lens.sectors[variant];
    g_strlcpy(b->memory, p->facts.lens.figures[variant], sizeof b->memory);
    if (p->bars.is_by_sectors && p->facts.lens.has_failed[variant])
        g_strlcpy(b->memory, "not counted", sizeof b->memory);
    g_strlcpy(b->block, launch_write_block(c->variant, &c->settings).text, sizeof b->block);
    b->is_present = c->variant == p->facts.choice.variant;
    if (r->state == RESULT_REFUSED) {  // the row already has these names
        b->state = BARS_REFUSED;
        g_strlcpy(b->reason, skip_word(skip_word(r->reason, c->filter->name), b->name),
                  sizeof b->reason);
        return;
    }
    b->state = r->check == CHECK_WRONG ? BARS_WRONG : states[r->state];
    b->ms = median_of(r);
    b->is_pending = !r->is_settled;
    if (b->ms > 0 && !p->bars.is_by_sectors)
        b->over_naive = panel_model_shown(figures_speed_up(r->ms.median, results_naive_ms(s, c)));
    else if (!p->bars.is_by_sectors)
        keep_old(b, old);
    write_change(p, point, b);
}

void panel_model_fill_bars(struct panel_model *p, const struct results *s)
{
    const struct filter *f = p->facts.choice.filter;
    struct bars *bars = &p->bars, old = p->bars;
    const struct choice timed = results_timed(s, &p->facts.choice);
    struct choice naive;
    if (strcmp(p->bars_filter, f->name) != 0) old.count = 0;
    g_strlcpy(p->bars_filter, f->name, sizeof p->bars_filter);
    memset(bars, 0, sizeof *bars);
    text_copy(bars->settings, sizeof bars->settings,
              filter_write_params(f, &timed.settings.params).text);
    if (p->facts.choice.settings.is_unrolled)
        text_join(bars->settings, sizeof bars->settings, " · ", "unroll on");
    bars->is_by_sectors = !device_has_gpu_times(p->facts.device);
    const char *unit = *p->facts.lens.unit ? p->facts.lens.unit : "counting …";
    g_snprintf(bars->title, sizeof bars->title, "Variants %s %s, %s", *bars->settings ? "at" : "of",
               *bars->settings ? bars->settings : f->title,
               bars->is_by_sectors ? unit : "ms a launch");
    if (!bars->is_by_sectors && results_recording(s))
        text_append(bars->title, sizeof bars->title, " on %s, recorded", p->facts.device->name);
    if (!bars->is_by_sectors && choice_naive_of(&p->facts.choice, &naive))
        g_strlcpy(bars->naive_block, launch_write_block(naive.variant, &naive.settings).text,
                  sizeof bars->naive_block);
    bars->count = MIN(f->variant_count, BARS_MAX);
    g_strlcpy(bars->memory_unit, p->facts.lens.unit, sizeof bars->memory_unit);
    for (int i = 0; i < bars->count; i++) fill_bar(p, s, &old, i);
    const int best = bars_best(&p->bars);
    const struct panel_point *const points = panel_model_points(p, OVERLAY_BARS);
    for (int i = 0; i < p->bars.count && best >= 0; i++)
        p->bars.rows[i].is_alike =
            i != best && !p->bars.rows[i].is_floor && is_alike(&points[best], &points[i]);
}

// ---- sweep ----

// Counts what a panel has measured.
struct progress {
    int done, wanted;
    char refusal[200];  // of the first launch that planning let through
    char wrong[200];    // a wrong result; empty: none
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

static void fill_curve(struct panel_model *p, int variant, struct progress *progress)
{
    struct plot_curve *curve = &p->sweep.curve[variant];
    const char *name = p->facts.choice.filter->variants[variant].name;
    const char *axis = p->axes.param->name;
    bool has_wrong = false;
    curve->points = p->sweep.points[variant];
    curve->style = variant;
    for (int i = 0; i < p->axes.stop_count; i++) {
        const int value = p->axes.stops[i];
        const struct panel_point *point =
            panel_model_points(p, OVERLAY_SWEEP) + variant * p->axes.stop_count + i;
        const struct result *r = &point->result;
        if (!point->is_legal || point->timed_at != value) continue;
        const bool is_wrong = r->check == CHECK_WRONG;
        count(progress, r);
        if (r->state == RESULT_REFUSED && !progress->refusal[0])
            g_snprintf(progress->refusal, sizeof progress->refusal, "%s at %s %d: %s", name, axis,
                       value, r->reason);
        if (is_wrong && !progress->wrong[0])
            g_snprintf(progress->wrong, sizeof progress->wrong, "%s at %s %d: wrong", name, axis,
                       value);
        if (r->state != RESULT_DONE || r->ms.median <= 0) continue;
        has_wrong |= is_wrong;
        // Member by member, as the overlay compares points as they lie in memory.
        struct plot_point *at = &p->sweep.points[variant][curve->count++];
        at->x = value;
        at->y = panel_model_shown(r->ms.median);
        at->lower = panel_model_shown(r->ms.lower);
        at->upper = panel_model_shown(r->ms.upper);
        at->is_wrong = is_wrong;
    }
    curve->is_emphasised = &p->facts.choice.filter->variants[variant] == p->facts.choice.variant;
    g_snprintf(curve->label, sizeof curve->label, "%s%s", name, has_wrong ? ", wrong" : "");
}

// Names the fastest variant at a value, of those with a right result, once all are measured there.
static void tell_value(struct panel_model *p, int value)
{
    const int stops = p->axes.stop_count;
    bool is_ranked = device_has_gpu_times(p->facts.device);
    const struct panel_point *best = NULL;
    for (int i = 0; i < p->sweep.curves.count * stops; i++) {
        const struct panel_point *point = &panel_model_points(p, OVERLAY_SWEEP)[i];
        const struct result *r = &point->result;
        if (p->axes.stops[i % stops] != value || point->timed_at != value) continue;
        if (!point->is_legal || r->check == CHECK_WRONG) continue;
        is_ranked &= is_known(r);
        if (point->choice.variant->is_floor || median_of(r) <= 0) continue;
        if (!best || median_of(r) < median_of(&best->result)) best = point;
    }
    g_snprintf(p->sweep.caption, sizeof p->sweep.caption, "%s %d", p->axes.param->name, value);
    if (best && is_ranked)
        text_append(p->sweep.caption, sizeof p->sweep.caption, ": %s fastest, %s",
                    best->choice.variant->name, number_three(best->result.ms.median).text);
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
        g_snprintf(caption, size, "unroll %s", p->facts.choice.settings.is_unrolled ? "on" : "off");
    }
}

void panel_model_fill_sweep(struct panel_model *p, const struct results *s)
{
    struct panel_model_sweep *sweep = &p->sweep;
    const char *title = p->facts.choice.filter->title;
    const struct param *axis = p->axes.param;
    int value;
    struct progress progress = {.done = 0};
    g_autofree char *where = panel_model_where(p, s);
    memset(sweep, 0, sizeof *sweep);
    sweep->plot = (struct plot){.title = sweep->title,
                                .caption = sweep->caption,
                                .curves = axis ? &sweep->curves : NULL,
                                .is_compact = true};
    if (!axis) {
        g_snprintf(sweep->title, sizeof sweep->title, "%s has no radius to sweep", title);
        return;
    }
    g_snprintf(sweep->title, sizeof sweep->title, "%s: ms over %s%s", title, axis->name, where);
    struct plot_curves *c = &sweep->curves;
    const bool is_ranked = device_has_gpu_times(p->facts.device);  // a CPU's copy is no floor
    const double copy_ms =
        p->axes.has_one_copy && is_ranked ? results_copy_ms(s, &p->facts.choice) : 0;
    for (int i = 0; i < p->axes.stop_count; i++) sweep->xs[i] = p->axes.stops[i];
    g_snprintf(sweep->floor_label, sizeof sweep->floor_label, "device copy%s%s",
               p->axes.has_one_copy ? " " : "",
               p->axes.has_one_copy ? number_three(copy_ms).text : "");
    // The copies of a lab that moves other bytes at each value, as far as they are measured.
    int floors = 0;
    for (int i = 0; i < p->axes.stop_count && !p->axes.has_one_copy && is_ranked; i++) {
        const struct panel_point *point = &panel_model_points(p, OVERLAY_SWEEP)[i];
        const double floor = panel_model_shown(results_copy_ms(s, &point->choice));
        if (floor > 0 && point->timed_at == p->axes.stops[i]) {
            sweep->floors[floors].x = p->axes.stops[i];
            sweep->floors[floors++].y = floor;
        }
    }
    // Member by member: the overlay compares plots as they lie in memory.
    c->x_label = axis->name;
    c->y_label = "ms";
    c->curves = sweep->curve;
    c->count = p->facts.choice.filter->variant_count;
    c->floor = panel_model_shown(copy_ms);
    c->floor_label = sweep->floor_label;
    c->floors = sweep->floors;
    c->floor_count = floors;
    c->xs = sweep->xs;
    c->x_count = p->axes.stop_count;
    c->has_crossings = is_ranked;
    c->has_mark = true;
    c->mark_x = p->axes.timed_at;
    for (int i = 0; i < c->count; i++) fill_curve(p, i, &progress);
    if (p->has_cursor && panel_model_is_at(p, &p->cursor, &value))
        tell_value(p, value);
    else
        tell_progress(p, &progress, sweep->caption, sizeof sweep->caption);
}

// ---- heat map ----

static void fill_cell(struct panel_model *p, const struct results *s, int cell,
                      struct progress *progress)
{
    struct plot_cell *at = &p->heat.cells[cell];
    const struct panel_point *point = &panel_model_points(p, OVERLAY_HEAT)[cell];
    const struct result *r = &point->result;
    at->ms = PLOT_REFUSED;
    if (!point->is_legal) return;
    count(progress, r);
    if (r->state == RESULT_REFUSED && !results_recording(s)) return;
    const double ms = median_of(r);
    at->ms = ms > 0 ? ms : PLOT_UNKNOWN;
    at->is_pending = !is_known(r);
    at->is_wrong = r->check == CHECK_WRONG;
    if (at->is_wrong)
        g_snprintf(progress->wrong, sizeof progress->wrong, "wrong at %d×%d",
                   point->choice.settings.block_width, point->choice.settings.block_height);
}

static void tell_cell(struct panel_model *p, const struct results *s, int cell, int present)
{
    struct panel_model_heat *h = &p->heat;
    const struct choice *point = &panel_model_points(p, OVERLAY_HEAT)[cell].choice;
    const struct result *r = &panel_model_points(p, OVERLAY_HEAT)[cell].result;
    const int width = point->settings.block_width, height = point->settings.block_height;
    const double now = present >= 0 ? h->cells[present].ms : 0, ms = h->cells[cell].ms;
    const bool is_ranked = device_has_gpu_times(p->facts.device);
    if (ms == PLOT_REFUSED) {
        g_strlcpy(h->note, r->reason, sizeof h->note);
    } else if (ms == PLOT_UNKNOWN && results_recording(s)) {
        g_snprintf(h->note, sizeof h->note, "%d×%d: %s", width, height, r->reason);
    } else if (ms == PLOT_UNKNOWN) {
        g_snprintf(h->note, sizeof h->note, "%d×%d: not measured yet", width, height);
    } else if (h->cells[cell].is_wrong) {
        char wrong[RESULT_CHECK_WORDS];
        result_check_write_wrong(wrong, sizeof wrong, point, r->difference);
        g_snprintf(h->note, sizeof h->note, "%d×%d: %s%s", width, height,
                   r->difference.elsewhere ? "" : "wrong, ", wrong);
    } else {
        g_snprintf(h->note, sizeof h->note,
                   is_ranked && now > 0 && !h->cells[present].is_wrong
                       ? "%d×%d: %s ms, %s× as fast as now"
                       : "%d×%d: %s ms",
                   width, height, number_three(ms).text, number_three(now / ms).text);
    }
}

void panel_model_fill_heat(struct panel_model *p, const struct results *s)
{
    struct panel_model_heat *h = &p->heat;
    const char *variant = p->facts.choice.variant->name;
    const int cells = p->axes.columns * p->axes.rows;
    const bool is_over_map = p->has_cursor && p->cursor.panel == OVERLAY_HEAT;
    struct progress progress = {.done = 0};
    g_autofree char *where = panel_model_where(p, s);
    const struct panel_model_axes *a = &p->axes;
    int width, height, present = cells - 1;  // ends at -1: it is none of them
    launch_block(p->facts.choice.variant, &p->facts.choice.settings, &width, &height);
    while (present >= 0 &&
           (a->widths[present % a->columns] != width || a->heights[present / a->columns] != height))
        present--;
    memset(h, 0, sizeof *h);
    h->marks = (struct plot_marks){.present = present, .cursor = -1, .note = h->note};
    if (is_over_map && p->cursor.index < cells) h->marks.cursor = p->cursor.index;
    h->map = (struct plot_heat){.widths = a->widths,
                                .heights = a->heights,
                                .columns = a->columns,
                                .rows = a->rows,
                                .cells = h->cells,
                                .is_unranked = !device_has_gpu_times(p->facts.device),
                                .marks = &h->marks};
    h->plot = (struct plot){.title = h->title,
                            .caption = h->caption,
                            .heats = &h->map,
                            .heat_count = 1,
                            .is_compact = true};
    const struct choice timed = results_timed(s, &p->facts.choice);
    const struct params_text params = filter_write_params(timed.filter, &timed.settings.params);
    g_snprintf(h->title, sizeof h->title, "%s%s%s: ms over block%s", variant,
               *params.text ? ", " : "", params.text, results_recording(s) ? "" : where);
    for (int i = 0; i < cells; i++) fill_cell(p, s, i, &progress);
    const int best = plot_best_cell(&h->map);
    const struct panel_point *const points = panel_model_points(p, OVERLAY_HEAT);
    for (int i = 0; i < cells && best >= 0; i++)
        h->cells[i].is_alike =
            i != best && h->cells[i].ms > 0 && is_alike(&points[best], &points[i]);
    if (progress.done == progress.wanted && best >= 0)
        plot_write_best(&h->map, best, h->caption, sizeof h->caption);
    else
        tell_progress(p, &progress, h->caption, sizeof h->caption);
    if (!progress.wanted) g_strlcpy(h->caption, "none", sizeof h->caption);
    if (results_recording(s)) text_append(h->caption, sizeof h->caption, "%s", where);
    if (h->marks.cursor >= 0) tell_cell(p, s, h->marks.cursor, h->marks.present);
}
