#include <glib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "measure/figures.h"
#include "screen/panel_model_parts.h"

// ---- csv ----

// One row in the making.
struct row {
    const struct panel_model *panels;
    const struct panel_model_about *about;
    struct choice point;
    struct result result;
    double naive_ms;   // 0: nothing to compare with
    const char *note;  // why there is no time
};

// Empty where it is not known.
static void add_number(GString *csv, double value, bool is_known)
{
    char text[32] = "";
    if (is_known) g_snprintf(text, sizeof text, "%.6g", value);
    csv_append(csv, text);
}

static const char titles[] =
    "filter,variant,params,radius_px,block_width,block_height,unroll,"
    "median_ms,lower_quartile_ms,upper_quartile_ms,count,percent_of_copy,speedup_over_naive,"
    "check,reason,width,height,planes,picture,device,driver,date\n";

static void add_params(GString *csv, const struct choice *point)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < point->filter->param_count; i++) {
        char value[FILTER_VALUE];
        filter_write_value(&point->filter->params[i], point->settings.params.v[i], value);
        g_string_append_printf(text, "%s%s=%s", i ? " " : "", point->filter->params[i].name, value);
    }
    csv_append(csv, text->str);
    g_string_free(text, TRUE);
}

static void add_times(GString *csv, const struct row *r)
{
    const struct stats_summary *ms = &r->result.ms;
    const double copy_ms = r->panels->facts.copy_ms;
    const bool is_known = ms->count > 0 && ms->median > 0;
    add_number(csv, ms->median, is_known);
    add_number(csv, ms->lower, is_known);
    add_number(csv, ms->upper, is_known);
    add_number(csv, ms->count, true);
    add_number(csv, figures_percent_of_copy(ms->median, copy_ms), is_known && copy_ms > 0);
    add_number(csv, figures_speed_up(ms->median, r->naive_ms), is_known && r->naive_ms > 0);
    csv_append(csv, result_check_name(r->result.check));
    csv_append(csv, r->note);
}

static void add_row(GString *csv, const struct row *r)
{
    const struct panel_model_facts *f = &r->panels->facts;
    const struct settings *s = &r->point.settings;
    int width, height;
    launch_block(r->point.variant, s, &width, &height);
    csv_append(csv, r->point.filter->name);
    csv_append(csv, r->point.variant->name);
    add_params(csv, &r->point);
    add_number(csv, s->params.v[filter_radius(r->point.filter)], true);
    add_number(csv, width, true);
    add_number(csv, height, true);
    csv_append(csv, s->is_unrolled ? "on" : "off");
    add_times(csv, r);
    add_number(csv, f->picture.width, true);
    add_number(csv, f->picture.height, true);
    add_number(csv, f->picture.count, true);
    csv_append(csv, r->about->picture_name);
    csv_append(csv, f->device->name);
    csv_append(csv, f->device->driver);
    csv_append(csv, r->about->date);
    csv_end_line(csv);
}

static const char *note_of(const struct result *r)
{
    switch (r->state) {
    case RESULT_UNKNOWN:
        return "not measured";
    case RESULT_MEASURING:
        return "not settled";
    case RESULT_REFUSED:
        return r->reason;
    case RESULT_DONE:
        break;
    }
    return "";
}

static void add_point(GString *csv, const struct panel_model *p, const struct results *s,
                      const struct panel_model_about *about, struct choice point)
{
    struct row row = {.panels = p,
                      .about = about,
                      .point = point,
                      .result = results_get(s, &point),
                      .naive_ms = results_naive_ms(s, &point)};
    struct error err = {""};
    row.note = note_of(&row.result);
    if (!panel_model_is_legal(&p->facts, &point, &err)) row.note = err.text;
    add_row(csv, &row);
}

bool panel_model_save_csv(const struct panel_model *p, const struct results *s,
                          const struct panel_model_about *about, const char *path,
                          struct error *err)
{
    GString *csv = g_string_new(titles);
    if (!p->sweep.curves.x_count) {
        g_string_free(csv, TRUE);
        return error_set(err, "cannot write '%s': there is no sweep", path);
    }
    for (int i = 0; i < p->facts.choice.filter->variant_count; i++)
        for (int r = 0; r < p->axes.radius_count; r++)
            add_point(csv, p, s, about, panel_model_sweep_point(&p->facts, i, p->axes.radii[r]));
    const bool is_good = file_write(path, csv->str, csv->len, err);
    g_string_free(csv, TRUE);
    return is_good;
}

// ---- plot ----

static char *paper_caption(const struct panel_model *p, const struct panel_model_about *about)
{
    const struct panel_model_facts *f = &p->facts;
    return g_strdup_printf("%s · %d×%d %s %s · unroll %s · medians and quartiles%s%.10s",
                           f->device->name, f->picture.width, f->picture.height,
                           f->picture.count == 1 ? "grey" : "colour", about->picture_name,
                           p->facts.choice.settings.is_unrolled ? "on" : "off",
                           about->date[0] ? " · " : "", about->date);
}

bool panel_model_save_plot(const struct panel_model *p, const struct panel_model_about *about,
                           const char *path, struct error *err)
{
    struct plot_curve list[FILTER_MAX_VARIANTS];
    char title[PANEL_MODEL_TITLE];
    if (!p->sweep.curves.x_count)
        return error_set(err, "cannot plot to '%s': there is no sweep", path);
    struct plot_curves curves = p->sweep.curves;
    memcpy(list, p->sweep.curve, sizeof list);
    curves.curves = list;
    curves.x_label = "radius, pixels";
    curves.y_label = "time per launch, ms";
    curves.has_mark = curves.has_crossings = false;
    for (int i = 0; i < curves.count; i++) list[i].is_emphasised = false;
    char *caption = paper_caption(p, about);
    g_snprintf(title, sizeof title, "%s: time over radius", p->facts.choice.filter->title);
    const struct plot plot = {.title = title, .caption = caption, .curves = &curves};
    const bool is_good = plot_save(&plot, path, err);
    g_free(caption);
    return is_good;
}
