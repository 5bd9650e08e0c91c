#include <glib.h>
#include <string.h>

#include "base/file.h"
#include "base/rows.h"
#include "frame/recording.h"
#include "measure/bench_report.h"
#include "measure/figures.h"
#include "screen/panel_model_parts.h"

// ---- csv ----

// Empty where it is not known.
static void add_number(struct rows *csv, double value, bool is_known)
{
    if (is_known)
        rows_add_format(csv, "%.6g", value);
    else
        rows_add(csv, "");
}

// The axis stands in the middle, with its unit.
static const char titles[] =
    "filter,variant,params,%s%s,block_width,block_height,unroll,"
    "median_ms,lower_quartile_ms,upper_quartile_ms,count,percent_of_copy,speedup_over_naive,"
    "check,reason,width,height,planes,picture,arrays,device,driver,date,recorded";

static void add_point(struct rows *csv, const struct panel_model_facts *f, const struct results *s,
                      const struct panel_model_about *about, const struct panel_point *of)
{
    const struct result *r = &of->result;
    const struct choice *const shown = &of->choice;
    const struct choice timed = results_timed(s, shown), *const point = &timed;
    const struct recording *const recording = results_recording(s);
    char check[RESULT_CHECK_WORDS];
    int width, height;
    launch_block(point->variant, &point->settings, &width, &height);
    rows_add(csv, point->filter->name);
    rows_add(csv, point->variant->name);
    GString *params = g_string_new(NULL);
    for (int i = 0; i < point->filter->param_count; i++) {
        const struct param *p = &point->filter->params[i];
        g_string_append_printf(params, "%s%s=%s", i ? " " : "", p->name,
                               filter_write_value(p, point->settings.params.v[i]).text);
    }
    rows_add(csv, params->str);
    g_string_free(params, TRUE);
    rows_add_format(csv, "%.10g",  // to the last digit of an int
                    point->settings.params.v[axis_find(point->filter, f->axis)]);
    add_number(csv, width, true);
    add_number(csv, height, true);
    rows_add(csv, point->settings.is_unrolled ? "on" : "off");
    const double copy_ms = results_copy_ms(s, shown), naive_ms = results_naive_ms(s, shown);
    const bool is_known = r->ms.count > 0 && r->ms.median > 0;
    add_number(csv, r->ms.median, is_known);
    add_number(csv, r->ms.lower, is_known);
    add_number(csv, r->ms.upper, is_known);
    add_number(csv, r->ms.count, true);
    const bool is_compared = is_known && device_has_gpu_times(f->device);
    add_number(csv, figures_percent_of_copy(r->ms.median, copy_ms), is_compared && copy_ms > 0);
    add_number(csv, figures_speed_up(r->ms.median, naive_ms), is_compared && naive_ms > 0);
    result_check_write(check, sizeof check, point, r->check, r->difference);
    rows_add(csv, check);
    // Why there is no time.
    static const char *const states[] = {[RESULT_UNKNOWN] = "not measured",
                                         [RESULT_MEASURING] = "not settled",
                                         [RESULT_DONE] = "",
                                         [RESULT_REFUSED] = NULL};
    rows_add(csv, states[r->state] ? states[r->state] : r->reason);
    const struct planes p = arrays_picture(point->filter, f->picture);
    g_autofree char *arrays = bench_report_arrays(point->filter, &point->settings.params);
    add_number(csv, p.width, p.width > 0);
    add_number(csv, p.height, p.width > 0);
    add_number(csv, p.count, p.width > 0);
    rows_add(csv, !p.width ? "" : recording ? "noise" : about->picture_name);
    rows_add(csv, arrays);
    rows_add(csv, f->device->name);
    rows_add(csv, f->device->driver);
    rows_add(csv, about->date);
    rows_add(csv, recording ? recording->date : "");
}

bool panel_model_has_sweep(const struct panel_model *p)
{
    return !p->facts.has_roof && p->sweep.curves.x_count > 0;
}

bool panel_model_save_csv(const struct panel_model *p, const struct results *s,
                          const struct panel_model_about *about, const char *path,
                          struct error *err)
{
    if (!panel_model_has_sweep(p))
        return error_set(err, "cannot write '%s': there is no sweep", path);
    struct rows csv = rows_begin();
    const char *const axis = p->axes.param->name;
    g_autofree char *all = g_strdup_printf(titles, axis, bench_report_unit(axis, "_px"));
    g_auto(GStrv) names = g_strsplit(all, ",", -1);
    for (char **name = names; *name; name++) rows_add_column(&csv, ROWS_WORDS, *name);
    for (int i = 0; i < p->facts.choice.filter->variant_count * p->axes.stop_count; i++)
        add_point(&csv, &p->facts, s, about, &panel_model_points(p, OVERLAY_SWEEP)[i]);
    g_autofree char *text = rows_end_csv(&csv);
    return file_write(path, text, strlen(text), err);
}

// ---- plot ----

bool panel_model_save_plot(const struct panel_model *p, const struct panel_model_about *about,
                           const char *path, struct error *err)
{
    struct plot_curve list[FILTER_MAX_VARIANTS];
    char title[PANEL_MODEL_TITLE];
    if (!panel_model_has_sweep(p))
        return error_set(err, "cannot plot to '%s': there is no sweep", path);
    struct plot_curves curves = p->sweep.curves;
    memcpy(list, p->sweep.curve, sizeof list);
    curves.curves = list;
    g_autofree char *x_label = bench_report_axis(p->axes.param);
    curves.x_label = x_label;
    curves.y_label = "time per launch, ms";
    curves.has_mark = curves.has_crossings = false;
    for (int i = 0; i < curves.count; i++) list[i].is_emphasised = false;
    const struct panel_model_facts *f = &p->facts;
    struct param_values values[PANEL_MODEL_STOPS];
    for (int i = 0; i < p->axes.stop_count; i++)
        values[i] = panel_model_points(p, OVERLAY_SWEEP)[i].choice.settings.params;
    g_autofree char *subject =
        arrays_picture(f->choice.filter, f->picture).width
            ? bench_report_picture(f->picture, about->picture_name)
            : bench_report_lab(f->choice.filter, values, p->axes.stop_count, p->axes.param->name);
    g_autofree char *line = bench_report_line(
        &(struct bench_about){.device = f->device, .subject = subject, .date = about->date});
    g_autofree char *caption = g_strdup_printf("%s · unroll %s · medians and quartiles", line,
                                               f->choice.settings.is_unrolled ? "on" : "off");
    g_snprintf(title, sizeof title, "%s: time over %s", f->choice.filter->title,
               p->axes.param->name);
    const struct plot plot = {.title = title, .caption = caption, .curves = &curves};
    return plot_save(&plot, path, err);
}
