#include "screen/table.h"

#include <glib.h>
#include <string.h>

#include "device/trace.h"
#include "draw/bars.h"
#include "draw/lens_view.h"
#include "draw/plot.h"

// Fields have no tabs and line breaks of their own.
static void add_field(GString *table, const char *field)
{
    const gsize before = table->len;
    g_string_append(table, field);
    g_strdelimit(table->str + before, "\t\r\n", ' ');
    g_string_append_c(table, '\t');
}

static void add_formatted(GString *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add_formatted(GString *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *field = g_strdup_vprintf(format, args);
    va_end(args);
    add_field(table, field);
    g_free(field);
}

static void end_row(GString *table)
{
    table->str[table->len - 1] = '\n';
}

// Empty where it is not known. A mark makes it words, which no sum and no chart takes for a figure.
static void add_figure(GString *table, double value, const char *mark)
{
    if (value <= 0)
        add_field(table, mark);
    else
        add_formatted(table, *mark ? "%.6g %s" : "%.6g", value, mark);
}

// ---- bars ----

static const char *state_of(const struct bar *bar)
{
    static const char *const states[] = {[BARS_UNKNOWN] = "not measured",
                                         [BARS_MEASURING] = "not settled",
                                         [BARS_DONE] = "",
                                         [BARS_WRONG] = "wrong",
                                         [BARS_REFUSED] = "refused"};
    if (bar->state == BARS_REFUSED && *bar->reason) return bar->reason;
    return bar->state == BARS_DONE && bar->is_pending ? states[BARS_MEASURING] : states[bar->state];
}

static void add_bar(GString *table, const struct bars *bars, const struct bar *bar)
{
    add_field(table, bar->name);
    add_field(table, bar->block);
    add_figure(table, bar->ms, bar->state == BARS_WRONG ? "wrong" : "");
    add_figure(table, bar->over_naive, "");
    if (bars->has_baseline) add_field(table, bar->change);
    if (*bars->memory_unit) add_field(table, bar->memory);
    add_field(table, *bar->settings ? bar->settings : bars->settings);
    add_field(table, state_of(bar));
    end_row(table);
}

static char *write_bars(const struct bars *bars)
{
    GString *table = g_string_new("variant\tblock\tms\t");
    add_formatted(table, "× naive %s", bars->naive_block);
    if (bars->has_baseline) add_field(table, "against the baseline");
    if (*bars->memory_unit) add_field(table, bars->memory_unit);
    add_field(table, "settings");
    add_field(table, "state");
    end_row(table);
    for (int i = 0; i < bars->count; i++) add_bar(table, bars, &bars->rows[i]);
    return g_string_free(table, FALSE);
}

// ---- plots ----

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The places of all points, ascending, each once.
static GArray *find_places(const struct plot_curves *c)
{
    GArray *xs = g_array_new(FALSE, FALSE, sizeof(double));
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->curves[i].count; k++)
            g_array_append_val(xs, c->curves[i].points[k].x);
    g_array_sort(xs, compare_numbers);
    for (guint i = xs->len; i-- > 1;)
        if (g_array_index(xs, double, i) == g_array_index(xs, double, i - 1))
            g_array_remove_index(xs, i);
    return xs;
}

static void add_point(GString *table, const struct plot_curve *curve, double x)
{
    for (int i = 0; i < curve->count; i++)
        if (curve->points[i].x == x) {
            add_figure(table, curve->points[i].y, curve->points[i].is_wrong ? "wrong" : "");
            return;
        }
    add_field(table, "");
}

// A column for each curve, as a chart takes them.
static char *write_curves(const struct plot_curves *c)
{
    GString *table = g_string_new(NULL);
    GArray *xs = find_places(c);
    add_field(table, c->x_label);
    for (int i = 0; i < c->count; i++)
        if (c->curves[i].count) add_formatted(table, "%s, %s", c->curves[i].label, c->y_label);
    end_row(table);
    for (guint i = 0; i < xs->len; i++) {
        const double x = g_array_index(xs, double, i);
        add_formatted(table, "%.10g", x);
        for (int k = 0; k < c->count; k++)
            if (c->curves[k].count) add_point(table, &c->curves[k], x);
        end_row(table);
    }
    g_array_free(xs, TRUE);
    return g_string_free(table, FALSE);
}

static void add_cell(GString *table, const struct plot_heat *h, int cell)
{
    const bool is_pending = h->pending && h->pending[cell], is_wrong = h->wrong && h->wrong[cell];
    if (h->cells[cell] == PLOT_REFUSED)
        add_field(table, "refused");
    else
        add_figure(table, h->cells[cell], is_wrong ? "wrong" : is_pending ? "not settled" : "");
}

static char *write_heat(const struct plot_heat *h)
{
    GString *table = g_string_new("ms, block height down, width across\t");
    for (int i = 0; i < h->columns; i++) add_formatted(table, "%d", h->widths[i]);
    end_row(table);
    for (int row = 0; row < h->rows; row++) {
        add_formatted(table, "%d", h->heights[row]);
        for (int i = 0; i < h->columns; i++) add_cell(table, h, row * h->columns + i);
        end_row(table);
    }
    return g_string_free(table, FALSE);
}

// ---- panels ----

static bool is_open(const struct overlay_panels *p, enum overlay_panel panel)
{
    switch (panel) {
    case OVERLAY_GRID:
        return p->grid;
    case OVERLAY_BARS:
        return p->bars;
    case OVERLAY_SWEEP:
        return p->sweep && p->sweep->curves;
    case OVERLAY_HEAT:
        return p->heat && p->heat->heat_count;
    case OVERLAY_PANELS:
        break;
    }
    return false;
}

char *table_of_panels(const struct overlay_panels *panels, const char **name)
{
    static const char *const titles[] = {[OVERLAY_GRID] = "the block",
                                         [OVERLAY_BARS] = "the bars",
                                         [OVERLAY_SWEEP] = "the curves",
                                         [OVERLAY_HEAT] = "the heat map"};
    enum overlay_panel last = OVERLAY_PANELS;
    for (int i = 0; i < OVERLAY_PANELS; i++)
        if (is_open(panels, (enum overlay_panel)i) &&
            (last == OVERLAY_PANELS || panels->opened[i] > panels->opened[last]))
            last = (enum overlay_panel)i;
    *name = last == OVERLAY_PANELS ? NULL : titles[last];
    switch (last) {
    case OVERLAY_GRID:
        return g_strconcat(panels->grid, "\n", NULL);  // labels and values have tabs between them
    case OVERLAY_BARS:
        return write_bars(panels->bars);
    case OVERLAY_SWEEP:
        return write_curves(panels->sweep->curves);
    case OVERLAY_HEAT:
        return write_heat(panels->heat->heats);
    case OVERLAY_PANELS:
        break;
    }
    return NULL;
}

// ---- the lens ----

// The turn that serves a lane, or the sector that it touches; NULL: the space has neither.
static const char *place_of(enum trace_space space)
{
    static const char *const places[] = {[TRACE_GLOBAL] = "sector",
                                         [TRACE_SHARED] = "wavefront",
                                         [TRACE_CONSTANT] = NULL,
                                         [TRACE_TEXTURE] = "sector"};
    return places[space];
}

static void add_lane(GString *table, const struct lens_view *view, const signed char *places,
                     int lane)
{
    const struct lens_request *q = &view->request;
    add_formatted(table, "%d", lane);
    add_formatted(table, "%llu", q->address[lane] - view->beginning);
    if (place_of((enum trace_space)q->space)) add_formatted(table, "%d", 1 + places[lane]);
    if (q->space == TRACE_SHARED) add_formatted(table, "%d", model_bank(q, lane));
    end_row(table);
}

char *table_of_lens(const struct lens_view *view)
{
    if (!view || !view->has_request || *view->message) return NULL;
    const struct lens_request *q = &view->request;
    const char *place = place_of((enum trace_space)q->space);
    struct lens_sectors sectors;
    struct lens_turns turns;
    GString *table = g_string_new("lane\t");
    model_sectors(q, &sectors);
    model_turns(q, &turns);
    add_formatted(table, "byte of %s", *view->memory ? view->memory : "memory");
    if (place) add_field(table, place);
    if (q->space == TRACE_SHARED) add_field(table, "first bank");
    end_row(table);
    for (int lane = 0; lane < MODEL_LANES; lane++)
        if (q->active >> lane & 1)
            add_lane(table, view, q->space == TRACE_SHARED ? turns.of_lane : sectors.of_lane, lane);
    return g_string_free(table, FALSE);
}
