// bench_command.c -- `tilescope bench`: a sweep measured, as a table on stdout and as a plot.
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/image.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "device/backend.h"
#include "draw/bench_plot.h"
#include "draw/plot.h"
#include "measure/bench.h"
#include "measure/bench_report.h"
#include "measure/subject.h"
#include "measure/sweep.h"

enum { DEFAULT_WIDTH = 1920, DEFAULT_HEIGHT = 1080, BAR = 24 };

static const double BENCH_GRACE_S = 30;  // after Ctrl-C, to print what is finished

// The state of one run, released as a whole.
struct run {
    const struct options *options;
    struct filter_list filters;
    struct sweep sweep;
    struct image picture;
    char *picture_name;
    int width, height;  // of noise; 0: the picture is a file, or labs need none
    struct backend *backend;
    struct bench_result result;
    struct terminal_progress progress;
};

// ---- what is asked for ----

static bool check_size(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    if (o->pictures[0] && (o->size || o->pictures[1]))
        return error_set(err, "bench wants one picture, one lab, or --size WxH");
    if (o->pictures[0]) return true;
    r->width = DEFAULT_WIDTH;
    r->height = DEFAULT_HEIGHT;
    return !o->size || choice_read_picture_size(o->size, &r->width, &r->height, err);
}

static bool needs_picture(const struct run *r)
{
    for (int i = 0; i < r->sweep.count; i++)
        if (filter_has_picture(r->sweep.cases[i].filter)) return true;
    return false;
}

// Labs alone need no picture, and none is made.
static bool check_picture(struct run *r, struct error *err)
{
    if (needs_picture(r)) return true;
    const char *word = r->options->pictures[0];
    if ((word && !command_find_lab(&r->filters, word)) || r->options->size)
        return error_set(err, "labs have no picture: IMAGE and --size do not go with them");
    r->width = r->height = 0;
    return true;
}

static bool build_sweep(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    const struct filter *lab = command_find_lab(&r->filters, o->pictures[0]);
    if (lab && o->filter && strcmp(o->filter, lab->name) != 0)
        return error_set(err, "%s is a lab: --filter %s does not go with it", lab->name, o->filter);
    const struct sweep_axes axes = {.filter = lab ? lab->name : o->filter,
                                    .variant = o->variant,
                                    .radius = o->radius,
                                    .block = o->block,
                                    .unroll = o->unroll,
                                    .sweep = o->sweep,
                                    .params = o->params};
    return sweep_build(&r->sweep, &r->filters, &axes, err) &&
           (!o->plot || bench_plot_check(&r->sweep, err));
}

static bool load_picture(struct run *r, struct error *err)
{
    if (r->width || !needs_picture(r)) {
        r->picture_name = g_strdup("noise");
        return true;
    }
    const char *path = r->options->pictures[0];
    char *name = g_path_get_basename(path);
    r->picture_name = g_utf8_make_valid(name, -1);
    g_free(name);
    return image_load(&r->picture, path, r->options->is_grey, err);
}

// ---- running ----

static bool step(void *data, const struct bench_progress *p)
{
    struct run *r = data;
    if (terminal_progress_is_due(&r->progress)) {
        char bar[BAR * 3 + 1] = "";
        for (int i = 0; r->progress.is_terminal && i < BAR; i++)
            g_strlcat(bar, i < (int)(p->fraction * BAR) ? "█" : "░", sizeof bar);
        terminal_progress_show(&r->progress, "%s %3.0f %%  %.0f s left  %s", bar, p->fraction * 100,
                               ceil(p->left_s), p->what);
    }
    return signals_came();
}

static bool measure(struct run *r, struct error *err)
{
    const struct planes noise = planes_shape(MAX(r->width, 1), MAX(r->height, 1), 1);
    struct bench_job job = {.backend = r->backend,
                            .sweep = &r->sweep,
                            .picture = r->width ? noise : r->picture.planes,
                            .budget_s = r->options->budget_s,
                            .with_host = r->options->with_cpu,
                            .step = step,
                            .data = r};
    char what[64] = "the arrays of a lab";
    if (job.picture.width)
        g_snprintf(what, sizeof what, "%d×%d pixels", job.picture.width, job.picture.height);
    if (!command_has_memory(what, backend_device(r->backend), (double)bench_job_device_bytes(&job),
                            (double)bench_job_host_bytes(&job), err))
        return false;  // rather than fail half way, or bring the machine down
    if (r->width && !image_init(&r->picture, r->width, r->height, 1, err)) return false;
    if (r->width) image_fill_noise(r->picture.planes, 1);
    job.picture = r->picture.planes;
    bench_run(&job, &r->result);
    terminal_progress_end(&r->progress);
    return true;
}

// ---- the end ----

static bool has_measured(const struct bench_result *result)
{
    for (int i = 0; i < result->count; i++)
        if (result->rows[i].filter && bench_ms(&result->rows[i]) > 0) return true;
    return false;
}

static enum outcome conclude(const struct run *r)
{
    const struct bench_result *result = &r->result;
    struct error err = {""};
    int wrong = 0;
    for (int i = 0; i < result->count; i++) wrong += result->rows[i].check == CHECK_WRONG;
    if (result->failure[0])
        error_set(&err, "%s", result->failure);
    else if (command_all_right(wrong, &err) && !result->is_stopped && !has_measured(result))
        error_set(&err, "nothing of this could be measured");
    if (err.text[0]) return command_fail(OUTCOME_REFUSED, &err);
    return result->is_stopped ? OUTCOME_INTERRUPTED : OUTCOME_DONE;
}

// One lab is described; of several there is too much to say.
static char *describe_labs(const struct sweep *s)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(struct param_values));
    const struct filter *lab = NULL;
    char *text = NULL;
    for (int i = 0; i < s->count && !text; i++) {
        const struct choice *c = &s->cases[i];
        if (filter_has_picture(c->filter)) continue;
        if (lab && lab != c->filter) text = g_strdup("several labs");
        lab = c->filter;
        g_array_append_val(values, c->settings.params);
    }
    if (!text && lab)
        text = subject_of_lab(lab, (const struct param_values *)(void *)values->data,
                              (int)values->len, s->axis);
    g_array_free(values, TRUE);
    return text ? text : g_strdup("");
}

static char *describe_subject(const struct run *r)
{
    char *picture =
        needs_picture(r) ? subject_of_picture(r->picture.planes, r->picture_name) : g_strdup("");
    char *labs = describe_labs(&r->sweep);
    char *text = g_strconcat(picture, *picture && *labs ? "; " : "", labs, NULL);
    g_free(picture);
    g_free(labs);
    return text;
}

static enum outcome report(struct run *r)
{
    struct error err = {""};
    GDateTime *now = g_date_time_new_now_local();
    char *date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%S%:z");
    char *subject = describe_subject(r);
    const struct bench_about about = {.device = backend_device(r->backend),
                                      .picture = r->picture.planes,
                                      .picture_name = r->picture_name,
                                      .subject = subject,
                                      .date = date};
    char *text = bench_report(r->options->format, &r->result, &about);
    terminal_print(stdout, "%s", text);
    fflush(stdout);
    enum outcome outcome = conclude(r);
    if (r->options->plot && has_measured(&r->result) &&
        !bench_plot_save(r->options->plot, &r->sweep, &r->result, &about, &err))
        outcome = command_fail(OUTCOME_REFUSED, &err);
    g_free(text);
    g_free(subject);
    g_free(date);
    g_date_time_unref(now);
    return outcome;
}

static void finish(struct run *r)
{
    bench_finish(&r->result);
    backend_close(r->backend);
    image_finish(&r->picture);
    g_free(r->picture_name);
    sweep_finish(&r->sweep);
    filter_list_finish(&r->filters);
}

static enum outcome prepare(struct run *r, struct error *err)
{
    const char *plot = r->options->plot;
    if (!check_size(r, err) || (plot && !plot_check_path(plot, err))) return OUTCOME_USAGE;
    if (!command_load_filters(&r->filters, r->options, NULL, err)) return OUTCOME_REFUSED;
    if (!build_sweep(r, err) || !check_picture(r, err)) return OUTCOME_USAGE;
    bool is_ready = (!plot || command_can_write(plot, err)) && load_picture(r, err) &&
                    (r->backend = command_open_device(r->options, err));
    if (is_ready && !backend_device(r->backend)->is_gpu) {  // where labs have other defaults
        filter_list_use_cpu(&r->filters);
        sweep_finish(&r->sweep);
        is_ready = build_sweep(r, err);
    }
    return is_ready ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome bench(const struct options *o)
{
    struct run r = {.options = o};
    struct error err = {""};
    terminal_progress_begin(&r.progress, stderr, o->is_quiet);
    signals_hold(BENCH_GRACE_S);
    enum outcome outcome = prepare(&r, &err);
    if (outcome == OUTCOME_DONE && !measure(&r, &err)) outcome = OUTCOME_REFUSED;
    outcome = outcome == OUTCOME_DONE ? report(&r) : command_fail(outcome, &err);
    if (r.result.is_caught) {  // whoever closes the device would wait for the launch
        fflush(NULL);
        _exit((int)outcome);
    }
    finish(&r);
    return outcome;
}

const struct command command_bench = {
    .name = "bench",
    .options = OPTIONS_BENCH,
    .run = bench,
    .usage = "bench [IMAGE|LAB]",
    .summary = "every variant measured, cold and hot, against a device copy",
    .about =
        "Measures every combination of what is named, cold (buffers rotate over three times the\n"
        "L2 cache) and hot, in turns with each other and with a device copy, and checks every\n"
        "output. What cannot be measured (an illegal block, too slow for the budget) is a row\n"
        "with the reason. Without options: all variants of mean. Params keep their defaults\n"
        "unless --param, --radius or --sweep says otherwise; several values of several params\n"
        "are measured in every combination. The budget bounds the checks, too: what they do not\n"
        "reach is \"unchecked (budget)\". On stderr, progress: a bar, or elsewhere a line every\n"
        "ten seconds. Ctrl-C prints what is finished and exits with 130; wrong results exit\n"
        "with 1.",
};
