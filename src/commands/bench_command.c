// bench_command.c -- `tilescope bench`: a sweep measured, as a table on stdout and as a plot; and
// `tilescope compare`: two of these, row by row.
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/image.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "device/backend.h"
#include "draw/bench_plot.h"
#include "draw/plot.h"
#include "frame/recording.h"
#include "measure/bench.h"
#include "measure/bench_compare.h"
#include "measure/bench_report.h"
#include "measure/sweep.h"

enum { BAR = 24 };

// The state of one run, released as a whole.
struct run {
    struct options options;  // where a word that names a filter or lab is one of --filter
    struct filter_list filters;
    struct sweep sweep;
    struct image picture;
    char *picture_name;
    int width, height;            // of noise; 0: the picture is a file, or labs need none
    struct backend *backend;      // NULL: times are a recording's
    struct recording *recording;  // NULL: they are measured
    struct bench_result result;
    struct terminal_progress progress;
};

// ---- what is asked for ----

static bool needs_picture(const struct run *r)
{
    for (int i = 0; i < r->sweep.count; i++)
        if (filter_has_picture(r->sweep.cases[i].filter)) return true;
    return false;
}

bool bench_noise_size(const struct options *o, int *width, int *height, struct error *err)
{
    *width = 1920;
    *height = 1080;
    return !o->size || choice_read_picture_size(o->size, width, height, err);
}

static bool build_sweep(struct run *r, struct error *err)
{
    const struct options *o = &r->options;
    const struct sweep_axes axes = {.filter = options_words(o).filter,
                                    .variant = o->variant,
                                    .radius = o->radius,
                                    .block = o->block,
                                    .unroll = o->unroll,
                                    .sweep = o->sweep,
                                    .params = o->params};
    return sweep_build(&r->sweep, &r->filters, &axes, err) &&
           (!o->plot || bench_plot_check(&r->sweep, err));
}

static enum outcome prepare(struct run *r, struct error *err)
{
    const struct options *o = &r->options;
    if (o->plot && !plot_check_path(o->plot, err)) return OUTCOME_USAGE;
    if (!command_load_filters(&r->filters, o, NULL, err)) return OUTCOME_REFUSED;
    if (!command_take_name(&r->filters, &r->options, err)) return OUTCOME_USAGE;
    const char *word = o->pictures[0];
    if (word && (o->size || o->pictures[1]))
        return command_misuse(err, "bench wants one picture or --size WxH");
    if ((!word && !bench_noise_size(o, &r->width, &r->height, err)) || !build_sweep(r, err))
        return OUTCOME_USAGE;
    g_autofree char *times = recording_find_shown(o->times ? o->times : "off", err);
    if (times) {  // everything is a GPU's then, and this computer's device is not needed
        const char *const other = word          ? "IMAGE"
                                  : o->size     ? "--size"
                                  : o->device   ? "--device"
                                  : o->with_cpu ? "--cpu"
                                                : NULL;
        if (other)
            return command_misuse(err, "--times measures nothing: %s does not go with it", other);
        g_autofree char *headers = options_include_folder(o);
        if ((o->plot && !command_can_write(o->plot, err)) ||
            !(r->recording = recording_open(times, headers, err)))
            return OUTCOME_REFUSED;
        if (needs_picture(r)) r->picture.planes = r->recording->picture;
        r->picture_name = g_strdup("noise");
        return OUTCOME_DONE;
    }
    if (err->text[0]) return OUTCOME_REFUSED;
    if (!needs_picture(r)) {  // labs alone need none, and none is made
        if (word || o->size)
            return command_misuse(err,
                                  "labs have no picture: IMAGE and --size do not go with them");
        r->width = r->height = 0;
    }
    const bool is_noise = r->width || !needs_picture(r);
    g_autofree char *name = is_noise ? g_strdup("noise") : g_path_get_basename(word);
    r->picture_name = g_utf8_make_valid(name, -1);
    if ((o->plot && !command_can_write(o->plot, err)) ||
        (!is_noise && !image_load(&r->picture, word, o->is_grey, err)) ||
        !(r->backend = command_open_device(o, &r->filters, err)))
        return OUTCOME_REFUSED;
    sweep_finish(&r->sweep);  // labs have the device's defaults now
    return build_sweep(r, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
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
                            .budget_s = r->options.budget_s,
                            .with_host = r->options.with_cpu,
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
    if (r->result.has_prints)
        terminal_print(stderr, "tilescope: a kernel with printf is slower than one without\n");
    return true;
}

static void take_recorded(struct run *r)
{
    struct results *s = results_create();
    results_set_recording(s, r->recording);
    bench_known(&r->result, s, &r->sweep, true);
    results_destroy(s);
}

// ---- the end ----

static bool has_measured(const struct bench_result *result)
{
    for (int i = 0; i < result->count; i++)
        if (result->rows[i].choice.filter && bench_ms(&result->rows[i]) > 0) return true;
    return false;
}

static enum outcome report(struct run *r, struct error *err)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%S%:z");
    g_autofree char *subject = bench_report_subject(&r->sweep, r->picture.planes, r->picture_name);
    const struct bench_about about = {.device = r->recording ? &r->recording->device
                                                             : backend_device(r->backend),
                                      .picture = r->picture.planes,
                                      .picture_name = r->picture_name,
                                      .subject = subject,
                                      .date = r->recording ? r->recording->date : date,
                                      .is_recorded = r->recording != NULL};
    g_autofree char *text = bench_report(r->options.format, &r->result, &about);
    terminal_print(stdout, "%s", text);
    fflush(stdout);
    const struct bench_result *result = &r->result;
    int wrong = 0;
    err->text[0] = '\0';
    for (int i = 0; i < result->count; i++) wrong += result->rows[i].check == CHECK_WRONG;
    if (result->failure[0])
        error_set(err, "%s", result->failure);
    else if (command_all_right(wrong, err) && !result->is_stopped && !has_measured(result))
        error_set(err, r->recording ? "nothing of this was recorded"
                                    : "nothing of this could be measured");
    enum outcome outcome = err->text[0]         ? OUTCOME_REFUSED
                           : result->is_stopped ? OUTCOME_INTERRUPTED
                                                : OUTCOME_DONE;
    const struct error concluded = *err;
    if (r->options.plot && has_measured(&r->result) &&
        !bench_plot_save(r->options.plot, &r->sweep, &r->result, &about, err)) {
        if (concluded.text[0]) command_fail(outcome, &concluded);
        outcome = OUTCOME_REFUSED;
    }
    return outcome;
}

// Closing the device would wait for the launch that does not end.
static void leave(enum outcome outcome, const struct error *err)
{
    if (*err->text) command_fail(outcome, err);
    fflush(NULL);
    _exit((int)outcome);
}

static enum outcome bench(const struct options *o, struct error *err)
{
    struct run r = {.options = *o};
    if (o->record) {
        const enum outcome outcome = bench_record(o, &r.result.is_caught, err);
        if (r.result.is_caught) leave(outcome, err);
        return outcome;
    }
    terminal_progress_begin(&r.progress, stderr, o->is_quiet);
    enum outcome outcome = prepare(&r, err);
    if (outcome == OUTCOME_DONE && r.recording) take_recorded(&r);
    if (outcome == OUTCOME_DONE)
        outcome = r.recording || measure(&r, err) ? report(&r, err) : OUTCOME_REFUSED;
    if (r.result.is_caught) leave(outcome, err);
    bench_finish(&r.result);
    recording_destroy(r.recording);
    backend_close(r.backend);
    image_finish(&r.picture);
    g_free(r.picture_name);
    sweep_finish(&r.sweep);
    filter_list_finish(&r.filters);
    return outcome;
}

const struct command command_bench = {
    .name = "bench",
    .options = OPTIONS_BENCH,
    .run = bench,
    .grace_s = 30,
    .usage = "bench [NAME] [IMAGE]",
    .summary = "all variants measured, cold and hot, against a device copy",
    .about =
        "Measures every combination of what is named, cold (buffers rotate over three times the\n"
        "L2 cache) and hot, in turns with each other and with a device copy, and checks every\n"
        "output. What cannot be measured (an illegal block, too slow for the budget) is a row\n"
        "with the reason. Without options: all variants of mean. Params keep their defaults\n"
        "unless --param, --radius or --sweep says otherwise; several values of several params\n"
        "are measured in every combination. The budget bounds the checks, too: what they do not\n"
        "reach is \"unchecked (budget)\"; compilers take none of it. --record measures all\n"
        "filters and labs over their axes and common blocks into a file for computers without\n"
        "this device. It takes 540 s unless --budget says otherwise, and goes on where it was\n"
        "stopped. --times reads such a file in place of measuring: rows, plots and what\n"
        "`tilescope compare` reads are those of that device. On stderr, progress: a bar, or\n"
        "elsewhere a line every ten seconds. Ctrl-C prints what is finished and exits with\n"
        "130; wrong results exit with 1.",
};

// ---- two of them ----

static enum outcome compare(const struct options *o, struct error *err)
{
    OWNED(bench_file_finish) struct bench_file a = {.count = 0}, b = a;
    OWNED(bench_compare_finish) struct bench_compare c = {.count = 0};
    const char *const first = o->pictures[0], *const second = first ? o->pictures[1] : NULL;
    if (first && !second && !o->ignore)
        return command_misuse(err, "compare of one file wants --ignore variant, block or unroll: "
                                   "the columns in which its cases differ");
    if (!first || (second && o->pictures[2]))
        return command_misuse(err, "compare wants two files that bench --format json has written");
    if (o->plot && !plot_check_path(o->plot, err)) return OUTCOME_USAGE;
    if ((o->plot && !command_can_write(o->plot, err)) || !bench_file_load(&a, first, err) ||
        (second && !bench_file_load(&b, second, err)))
        return OUTCOME_REFUSED;
    if (!bench_compare_init(&c, &a, second ? &b : NULL, o->ignore, err)) return OUTCOME_USAGE;
    if (!bench_compare_check(&c, err)) return OUTCOME_REFUSED;
    g_autofree char *text = bench_compare_report(&c, first, second);
    terminal_print(stdout, "%s", text);
    return !o->plot || bench_plot_save_compared(o->plot, &c, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

const struct command command_compare = {
    .name = "compare",
    .options = OPTIONS_COMPARE,
    .run = compare,
    .usage = "compare A.json [B.json]",
    .summary = "two runs of bench: what became faster, beyond the spread",
    .about =
        "Compares two benchmarks that `tilescope bench --format json` has written. Rows of the\n"
        "same filter, variant, params, block, unroll and size belong together, but for the\n"
        "columns that --ignore names: --ignore unroll compares a run without --unroll with one\n"
        "that has it. Of one file, --ignore variant compares each case with the first that "
        "differs\n"
        "from it in the variant alone. The table shows the times of both and their ratio with its "
        "spread. A\n"
        "difference counts if the middle halves of the samples, between the quartiles, do not\n"
        "overlap. Rows that only one file has are listed at the end.",
};
