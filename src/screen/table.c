#include "screen/table.h"

#include <glib.h>

#include "base/rows.h"
#include "base/stats.h"
#include "device/trace.h"
#include "draw/bars.h"
#include "draw/lens_view.h"
#include "draw/plot.h"

static void add_column(struct rows *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add_column(struct rows *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *title = g_strdup_vprintf(format, args);
    va_end(args);
    rows_add_column(table, ROWS_WORDS, title);
}

// Empty where it is not known. A mark makes it words, which no sum and no chart takes for a figure.
static void add_figure(struct rows *table, double value, const char *mark)
{
    if (value <= 0)
        rows_add(table, mark);
    else
        rows_add_format(table, *mark ? "%.6g %s" : "%.6g", value, mark);
}

// ---- bars ----

static char *write_bars(const struct bars *bars)
{
    static const char *const states[] = {[BARS_UNKNOWN] = "not measured",
                                         [BARS_MEASURING] = "not settled",
                                         [BARS_DONE] = "",
                                         [BARS_WRONG] = "wrong",
                                         [BARS_REFUSED] = "refused"};
    struct rows table = rows_begin();
    add_column(&table, "variant");
    add_column(&table, "block");
    add_column(&table, bars->is_by_sectors ? "ms on this CPU" : "ms");
    if (!bars->is_by_sectors) add_column(&table, "× naive %s", bars->naive_block);
    if (bars->has_baseline) add_column(&table, "against the baseline");
    if (*bars->memory_unit) add_column(&table, "%s", bars->memory_unit);
    add_column(&table, "settings");
    add_column(&table, "state");
    for (const struct bar *bar = bars->rows; bar < bars->rows + bars->count; bar++) {
        rows_add(&table, bar->name);
        rows_add(&table, bar->block);
        add_figure(&table, bar->ms, bar->state == BARS_WRONG ? "wrong" : "");
        if (!bars->is_by_sectors) add_figure(&table, bar->over_naive, "");
        if (bars->has_baseline) rows_add(&table, bar->change);
        if (*bars->memory_unit) rows_add(&table, bar->memory);
        rows_add(&table, *bar->settings ? bar->settings : bars->settings);
        const bool is_settled = bar->state != BARS_DONE || !bar->is_pending;
        const bool has_reason = bar->state == BARS_REFUSED && *bar->reason;
        rows_add(&table,
                 has_reason ? bar->reason : states[is_settled ? bar->state : BARS_MEASURING]);
    }
    return rows_end_tabs(&table);
}

// ---- plots ----

// A column for each curve, as a chart takes them.
static char *write_curves(const struct plot_curves *c)
{
    struct rows table = rows_begin();
    g_autoptr(GArray) xs = g_array_new(FALSE, FALSE, sizeof(double));
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->curves[i].count; k++)
            g_array_append_val(xs, c->curves[i].points[k].x);
    g_array_sort(xs, stats_compare);
    add_column(&table, "%s", c->x_label);
    for (int i = 0; i < c->count; i++)
        if (c->curves[i].count) add_column(&table, "%s, %s", c->curves[i].label, c->y_label);
    for (guint i = 0; i < xs->len; i++) {
        const double x = g_array_index(xs, double, i);
        if (i && x == g_array_index(xs, double, i - 1)) continue;
        rows_add_format(&table, "%.10g", x);
        for (int k = 0; k < c->count; k++) {
            const struct plot_curve *const curve = &c->curves[k];
            int at = 0;
            while (at < curve->count && curve->points[at].x != x) at++;
            if (at < curve->count)
                add_figure(&table, curve->points[at].y, curve->points[at].is_wrong ? "wrong" : "");
            else if (curve->count)
                rows_add(&table, "");
        }
    }
    return rows_end_tabs(&table);
}

static char *write_heat(const struct plot_heat *h)
{
    struct rows table = rows_begin();
    add_column(&table, "ms, block height down, width across");
    for (int i = 0; i < h->columns; i++) add_column(&table, "%d", h->widths[i]);
    for (int row = 0; row < h->rows; row++) {
        rows_add_format(&table, "%d", h->heights[row]);
        for (int cell = row * h->columns; cell < (row + 1) * h->columns; cell++) {
            const struct plot_cell *c = &h->cells[cell];
            if (c->ms == PLOT_REFUSED)
                rows_add(&table, "refused");
            else
                add_figure(&table, c->ms,
                           c->is_wrong     ? "wrong"
                           : c->is_pending ? "not settled"
                                           : "");
        }
    }
    return rows_end_tabs(&table);
}

// ---- panels ----

char *table_of_panels(const struct overlay_panels *panels, const char **name)
{
    static const char *const titles[] = {[OVERLAY_GRID] = "the block",
                                         [OVERLAY_BARS] = "the bars",
                                         [OVERLAY_SWEEP] = "the curves",
                                         [OVERLAY_HEAT] = "the heat map"};
    const bool are_open[] = {[OVERLAY_GRID] = panels->grid,
                             [OVERLAY_BARS] = panels->bars,
                             [OVERLAY_SWEEP] = panels->sweep && panels->sweep->curves,
                             [OVERLAY_HEAT] = panels->heat && panels->heat->heat_count};
    enum overlay_panel last = OVERLAY_PANELS;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (are_open[i] && (last == OVERLAY_PANELS || panels->opened[i] > panels->opened[last]))
            last = (enum overlay_panel)i;
    *name = last == OVERLAY_PANELS ? NULL : titles[last];
    if (last == OVERLAY_GRID)  // labels and values have tabs between them
        return g_strconcat(panels->grid, "\n", NULL);
    if (last == OVERLAY_BARS) return write_bars(panels->bars);
    if (last == OVERLAY_SWEEP) return write_curves(panels->sweep->curves);
    return last == OVERLAY_HEAT ? write_heat(panels->heat->heats) : NULL;
}

// ---- the lens ----

char *table_of_lens(const struct lens_view *view)
{
    if (!view || !view->has_request || *view->message) return NULL;
    const struct lens_request *q = &view->request;
    // The turn that serves a lane, or the sector that it touches; NULL: the space has neither.
    static const char *const names[] = {[TRACE_GLOBAL] = "sector",
                                        [TRACE_SHARED] = "wavefront",
                                        [TRACE_CONSTANT] = NULL,
                                        [TRACE_TEXTURE] = "sector"};
    const char *place = names[q->space];
    struct lens_sectors sectors;
    struct lens_turns turns;
    struct rows table = rows_begin();
    model_sectors(q, &sectors);
    model_turns(q, &turns);
    add_column(&table, "lane");
    add_column(&table, "byte of %s", *view->memory ? view->memory : "memory");
    if (place) add_column(&table, "%s", place);
    if (q->space == TRACE_SHARED) add_column(&table, "first bank");
    const signed char *places = q->space == TRACE_SHARED ? turns.of_lane : sectors.of_lane;
    for (int lane = 0; lane < MODEL_LANES; lane++) {
        if (!(q->active >> lane & 1)) continue;
        rows_add_format(&table, "%d", lane);
        rows_add_format(&table, "%llu", q->address[lane] - view->beginning);
        if (place) rows_add_format(&table, "%d", 1 + places[lane]);
        if (q->space == TRACE_SHARED) rows_add_format(&table, "%d", model_bank(q, lane));
    }
    return rows_end_tabs(&table);
}
