#include <glib.h>
#include <string.h>

#include "base/file.h"
#include "draw/bench_plot.h"
#include "frame/recording.h"
#include "screen/panel_model_parts.h"

bool panel_model_has_sweep(const struct panel_model *p)
{
    return !p->facts.has_roof && p->sweep.curves.x_count > 0;
}

bool panel_model_save(const struct panel_model *p, const struct results *s,
                      const struct panel_model_about *about, const char *path, struct error *err)
{
    if (!panel_model_has_sweep(p))
        return error_set(err, "cannot write '%s': there is no sweep", path);
    const struct panel_model_facts *f = &p->facts;
    const struct panel_point *points = panel_model_points(p, OVERLAY_SWEEP);
    const struct recording *const recording = results_recording(s);
    const int count = f->choice.filter->variant_count * p->axes.stop_count;
    OWNED(bench_finish) struct bench_result result = {.count = 0};
    g_autofree struct choice *cases = g_new(struct choice, count);
    g_autofree const struct panel_point **of_case = g_new(const struct panel_point *, count);
    struct sweep sweep = {.cases = cases};
    for (int i = 0; i < count; i++) {
        if (points[i].timed_at != p->axes.stops[i % p->axes.stop_count]) continue;
        of_case[sweep.count] = &points[i];
        cases[sweep.count++] = results_timed(s, &points[i].choice);
    }
    g_strlcpy(sweep.axis, p->axes.param->name, sizeof sweep.axis);
    bench_known(&result, s, &sweep, device_has_gpu_times(f->device));
    for (int i = 0; i < sweep.count; i++)  // what planning refuses is not known to the results
        if (!of_case[i]->is_legal)
            g_strlcpy(result.rows[result.count - sweep.count + i].reason, of_case[i]->result.reason,
                      sizeof result.rows->reason);
    const char *name = recording ? "noise" : about->picture_name;
    g_autofree char *subject = bench_report_subject(&sweep, f->picture, name);
    const struct bench_about of = {.device = f->device,
                                   .picture = f->picture,
                                   .picture_name = name,
                                   .subject = subject,
                                   .date = recording ? recording->date : about->date,
                                   .is_recorded = recording != NULL,
                                   .is_of_frames = true};
    if (!g_str_has_suffix(path, ".csv")) return bench_plot_save(path, &sweep, &result, &of, err);
    g_autofree char *text = bench_report("csv", &result, &of);
    return file_write(path, text, strlen(text), err);
}
