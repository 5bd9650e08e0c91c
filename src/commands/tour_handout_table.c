#include <glib.h>
#include <string.h>

#include "base/text.h"
#include "commands/tour_handout_parts.h"
#include "measure/figures.h"

static struct choice shown(const struct tour_handout *h)
{
    return tour_handout_shown(h, h->app->side);
}

// ---- the table ----

// "shared", or "shared · radius 9 · unroll off" where these are not as shown.
static void write_label(const struct choice *c, const struct choice *now, char *text, size_t size)
{
    text_append(text, size, "%s", c->variant->name);
    for (int i = 0; i < c->filter->param_count; i++) {
        char value[FILTER_VALUE];
        if (c->filter == now->filter && c->settings.params.v[i] == now->settings.params.v[i])
            continue;
        filter_write_value(&c->filter->params[i], c->settings.params.v[i], value);
        text_append(text, size, " · %s %s", c->filter->params[i].name, value);
    }
    if (c->settings.is_unrolled != now->settings.is_unrolled)
        text_append(text, size, " · unroll %s", c->settings.is_unrolled ? "on" : "off");
}

static void write_value(const struct tour_source *source, struct tour_figure figure, char *text,
                        size_t size)
{
    const struct tour_value value = tour_value_find(source, &figure);
    if (value.known == TOUR_KNOWN) text_copy(text, size, value.text);
}

static void add_row(struct tour_handout *h, const struct choice *c)
{
    const struct choice now = shown(h);
    const struct choice normal = choice_normal(&now);
    const struct tour_source source = tour_record_source(h->setup.record, c);
    const struct result known = results_get(tour_record_results(h->setup.record), c);
    struct tour_page_row row = {.is_shown = choice_is_same(c, &normal)};
    write_label(c, &now, row.variant, sizeof row.variant);
    write_value(&source, (struct tour_figure){.kind = TOUR_MS}, row.time, sizeof row.time);
    if (known.state == RESULT_DONE)
        figures_write_quartiles(row.spread, sizeof row.spread, known.ms);
    if (known.state == RESULT_REFUSED) text_copy(row.check, sizeof row.check, "not measured");
    if (known.check != CHECK_UNKNOWN)
        text_copy(row.check, sizeof row.check, result_check_name(known.check));
    write_value(&source, (struct tour_figure){.kind = TOUR_COPY}, row.copy, sizeof row.copy);
    write_value(&source, (struct tour_figure){.kind = TOUR_SPEED_UP, .other = "naive"}, row.naive,
                sizeof row.naive);
    const struct tour_figure sectors = {TOUR_COUNTER, TOUR_SECTORS, -1, -1, "", "", "", ""};
    const struct tour_figure conflicts = {TOUR_COUNTER, TOUR_CONFLICTS, -1, -1, "", "", "", ""};
    write_value(&source, sectors, row.sectors, sizeof row.sectors);
    write_value(&source, conflicts, row.conflicts, sizeof row.conflicts);
    g_array_append_val(h->page->rows, row);
}

// ---- commands ----

static bool has_point_elsewhere(const struct tour_handout *h, const struct choice *now, int param)
{
    for (int i = 0; i < tour_handout_point_count(h); i++)
        if (tour_handout_point(h, i)->settings.params.v[param] != now->settings.params.v[param])
            return true;
    return false;
}

// "--param n_f=1,16", with all values of the table.
static void append_param(GString *text, const struct tour_handout *h, const struct choice *now,
                         int param)
{
    const struct param *p = &now->filter->params[param];
    char value[FILTER_VALUE];
    GString *values = g_string_new(NULL);
    filter_write_value(p, now->settings.params.v[param], value);
    g_string_append_printf(values, ",%s,", value);
    for (int i = 0; i < tour_handout_point_count(h) && has_point_elsewhere(h, now, param); i++) {
        char *known;
        filter_write_value(p, tour_handout_point(h, i)->settings.params.v[param], value);
        known = g_strdup_printf(",%s,", value);
        if (!strstr(values->str, known)) g_string_append_printf(values, "%s,", value);
        g_free(known);
    }
    g_string_append_printf(text, " --param %s=%.*s", p->name, (int)values->len - 2,
                           values->str + 1);
    g_string_free(values, TRUE);
}

// All of them: another device has other defaults.
static void append_params(GString *text, const struct tour_handout *h, const struct choice *now,
                          bool has_all)
{
    const struct tour_handout none = {.points = NULL};
    for (int i = 0; i < now->filter->param_count; i++)
        append_param(text, has_all ? h : &none, now, i);
}

static void append_block(GString *text, const struct choice *now)
{
    const struct choice normal = choice_normal(now);
    if (normal.settings.block_width)
        g_string_append_printf(text, " --block %dx%d", normal.settings.block_width,
                               normal.settings.block_height);
}

static void append_unroll(GString *text, const struct tour_handout *h, const struct choice *now)
{
    bool has_both = false;
    for (int i = 0; i < tour_handout_point_count(h); i++)
        has_both |= tour_handout_point(h, i)->settings.is_unrolled != now->settings.is_unrolled;
    if (has_both || now->settings.is_unrolled)
        g_string_append_printf(text, " --unroll %s", has_both ? "both" : "on");
}

static char *bench_command(const struct tour_handout *h)
{
    const struct choice now = shown(h);
    GString *text = g_string_new("tilescope bench");
    GString *variants = g_string_new(",");
    if (!now.filter->is_lab) g_string_append_printf(text, " %s", h->setup.subject);
    if (h->setup.device) g_string_append_printf(text, " --device %s", h->setup.device);
    for (int i = 0; i < tour_handout_point_count(h); i++) {
        char *known = g_strdup_printf(",%s,", tour_handout_point(h, i)->variant->name);
        if (!strstr(variants->str, known)) g_string_append(variants, known + 1);
        g_free(known);
    }
    g_string_append_printf(text, " --filter %s --variant %.*s", now.filter->name,
                           (int)variants->len - 2, variants->str + 1);
    append_params(text, h, &now, true);
    append_block(text, &now);
    append_unroll(text, h, &now);
    g_string_append(text, h->setup.data);
    g_string_free(variants, TRUE);
    return g_string_free(text, FALSE);
}

// In the window, at this step.
static char *view_command(const struct tour_handout *h)
{
    return g_strdup_printf("tilescope view --script %s --from %d%s", h->setup.script, h->step,
                           h->setup.data);
}

static char *lens_command(const struct tour_handout *h)
{
    const struct choice now = shown(h);
    GString *text = g_string_new("tilescope lens");
    if (now.filter->is_lab)
        g_string_append_printf(text, " %s", now.filter->name);
    else
        g_string_append_printf(text, " %s --filter %s", h->setup.subject, now.filter->name);
    g_string_append_printf(text, " --variant %s", now.variant->name);
    append_params(text, h, &now, false);
    append_block(text, &now);
    g_string_append_printf(text, " --lines%s", h->setup.data);
    return g_string_free(text, FALSE);
}

// ---- all of it ----

void tour_handout_add_rows(struct tour_handout *h)
{
    for (int i = 0; i < tour_handout_point_count(h); i++) add_row(h, tour_handout_point(h, i));
}

void tour_handout_add_commands(struct tour_handout *h)
{
    g_ptr_array_add(h->page->commands, view_command(h));
    g_ptr_array_add(h->page->commands, bench_command(h));
    g_ptr_array_add(h->page->commands, lens_command(h));
}
