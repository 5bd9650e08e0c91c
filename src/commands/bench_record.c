// bench_record.c -- `tilescope bench --record FILE`: every variant of every filter and lab over its
// parameters, with and without unroll, and over common blocks, for computers that lack this device
// (frame/recording.h). The file is written after each sweep, and what it has is not measured again,
// so that a run that was stopped goes on where it was.
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/signals.h"
#include "base/terminal.h"
#include "base/wall.h"
#include "commands/commands.h"
#include "filter/axis.h"
#include "frame/recording.h"
#include "measure/bench.h"
#include "measure/sweep.h"

static const char blocks[] = "32x4,32x8,32x16,32x32,16x16,8x8,64x4,64x8,128x2,"
                             "64x1,128x1,256x1,512x1,1024x1";

// The part of a filter that is measured: its axis, that unrolled, its blocks, or another int.
enum kind { VALUES, UNROLLED, BLOCKS, OTHER };

struct part {
    const struct filter *filter;
    enum kind kind;
    int param;  // that is swept; -1: none
};

struct session {
    const struct options *options;
    struct filter_list filters;
    struct backend *backend;
    struct image picture;
    struct recording *recording;
    struct terminal_progress progress;
    double start_s;
    GArray *parts;   // struct part
    int done, over;  // parts; and cases that were not reached
    bool is_caught;  // a launch does not end
};

// ---- what is measured ----

static void add_number(GString *list, double value)
{
    g_string_append_printf(list, "%s%.10g", list->len ? "," : "", value);
}

// The values that the window's keys and its sweep reach; in a wide range up to a multiple of the
// default. A compiler's work on an unrolled radius grows with its square.
static char *values_of(const struct param *p, enum kind kind)
{
    enum { WIDE_UP_TO = 256, UNROLLED_UP_TO = 16, TIMES_DEFAULT = 4 };
    const double all_up_to = kind == UNROLLED ? 8 : 16;
    int stops[AXIS_MAX_STOPS];
    GString *list = g_string_new(NULL);
    const int count = axis_stops(p, (int)p->value, stops);
    const bool is_wide = axis_step(p, all_up_to, 1) > all_up_to + p->step;
    const double limit = kind == UNROLLED ? fmax(p->value, UNROLLED_UP_TO)
                         : is_wide        ? fmax(TIMES_DEFAULT * p->value, WIDE_UP_TO)
                                          : p->max;
    for (double value = p->min; !is_wide && value <= fmin(fmin(p->max, limit), all_up_to);
         value += p->step)
        add_number(list, value);
    for (int i = 0; i < count; i++)
        if (stops[i] <= limit && (is_wide || stops[i] > all_up_to)) add_number(list, stops[i]);
    return g_string_free(list, FALSE);
}

// The values of the part's param and, along the axis, all values of the params that name theirs.
static char **params_of(const struct part *part)
{
    const struct filter *f = part->filter;
    GStrvBuilder *params = g_strv_builder_new();
    for (int i = 0; i < f->param_count && part->kind != BLOCKS; i++) {
        const struct param *p = &f->params[i];
        g_autofree char *values = i == part->param                       ? values_of(p, part->kind)
                                  : p->name_count && part->kind != OTHER ? g_strdup("all")
                                                                         : NULL;
        if (!values) continue;
        g_autofree char *pair = g_strconcat(p->name, "=", values, NULL);
        g_strv_builder_add(params, pair);
    }
    char **all = g_strv_builder_end(params);
    g_strv_builder_unref(params);
    return all;
}

static void add_part(struct session *s, const struct filter *f, enum kind kind, int param)
{
    const struct part part = {f, kind, param};
    g_array_append_val(s->parts, part);
}

// ---- measuring ----

static bool step(void *data, const struct bench_progress *p)
{
    struct session *s = data;
    if (terminal_progress_is_due(&s->progress))
        terminal_progress_show(&s->progress, "%3.0f %%  %.0f s left at most  %s",
                               100 * (s->done + p->fraction) / s->parts->len,
                               ceil(s->options->budget_s - (wall_s() - s->start_s)), p->what);
    return signals_came();
}

// Copies are measured with each part, and one of them is kept.
static void add(struct recording *recording, const struct choice *point, struct stats_summary ms)
{
    struct stats_summary known;
    if (recording_find(recording, point, &known) != RECORDING_FOUND)
        recording_add(recording, point, ms);
}

// False: no result could be compared with its reference; in the rest of the run none could either.
static bool add_rows(struct session *s, const struct bench_result *result, struct error *err)
{
    int right = 0, unknown = 0;
    for (int i = 0; i < result->count; i++) {
        const struct bench_row *row = &result->rows[i];
        const struct stats_summary cold = row->times[BENCH_TIMER_COLD];
        const bool is_right = row->check == CHECK_EXACT || row->check == CHECK_NEAR;
        const struct choice *point = &row->choice;
        s->over += row->is_over_budget || row->is_unchecked;
        right += is_right;
        unknown += row->check == CHECK_IMPOSSIBLE && point->filter &&
                   filter_has_reference(point->filter) && cold.count;
        if (!cold.count || (point->filter && !is_right)) continue;
        add(s->recording, point, cold);
        if (!point->filter || row->copy_ms <= 0 || filter_has_picture(point->filter)) continue;
        const struct choice copy = choice_copy_of(point);
        add(s->recording, &copy,
            (struct stats_summary){cold.count, row->copy_ms, row->copy_ms, row->copy_ms});
    }
    return right || !unknown ||
           error_set(err, "nothing can be recorded: no C++ compiler can make the references, with "
                          "which results are compared");
}

// False: it was stopped, or the device has failed.
static bool measure(struct session *s, const struct part *part, struct error *err)
{
    const struct filter *f = part->filter;
    struct sweep sweep;
    struct bench_result result = {.count = 0};
    const double left_s = s->start_s + s->options->budget_s - wall_s();
    bool is_good = true;
    if (left_s <= 0) {
        s->over++;
        return true;
    }
    g_auto(GStrv) params = params_of(part);
    const struct sweep_axes axes = {.filter = f->name,
                                    .params = params,
                                    .block = part->kind == BLOCKS ? blocks : NULL,
                                    .unroll = part->kind == UNROLLED ? "on" : "off"};
    if (!sweep_build(&sweep, &s->filters, &axes, err)) return false;
    int count = 0;
    for (int i = 0; i < sweep.count; i++) {  // cases that the recording has are left out
        struct stats_summary ms;
        if (recording_find(s->recording, &sweep.cases[i], &ms) == RECORDING_FOUND) continue;
        sweep.cases[count++] = sweep.cases[i];
    }
    sweep.count = count;
    const struct bench_job job = {
        .backend = s->backend,
        .sweep = &sweep,
        .picture = filter_has_picture(f) ? s->picture.planes : (struct planes){0},
        // Sweeps that need less leave their part to those that follow.
        .budget_s = fmin(left_s, 3 * left_s / ((int)s->parts->len - s->done)),
        .step = step,
        .data = s};
    if (sweep.count) bench_run(&job, &result);
    s->is_caught = result.is_caught;
    if (result.failure[0]) is_good = error_set(err, "%s: %s", f->name, result.failure);
    if (is_good && !result.is_stopped) {
        is_good =
            add_rows(s, &result, err) && recording_save(s->recording, s->options->record, err);
    }
    is_good &= !result.is_stopped;
    bench_finish(&result);
    sweep_finish(&sweep);
    return is_good;
}

// ---- the run ----

static enum outcome prepare(struct session *s, struct error *err)
{
    const struct options *o = s->options;
    int width, height;
    const char *const other = o->pictures[0] ? "IMAGE or LAB"
                              : o->variant   ? "--variant"
                              : o->radius    ? "--radius"
                              : o->block     ? "--block"
                              : o->unroll    ? "--unroll"
                              : o->sweep     ? "--sweep"
                              : o->params    ? "--param"
                              : o->format    ? "--format"
                              : o->plot      ? "--plot"
                              : o->with_cpu  ? "--cpu"
                              : o->times     ? "--times"
                                             : NULL;
    if (other) return command_misuse(err, "--record measures all: %s does not go with it", other);
    if (!bench_noise_size(o, &width, &height, err)) return OUTCOME_USAGE;
    if (!command_load_filters(&s->filters, o, NULL, err) ||
        !(s->backend = command_open_device(o, &s->filters, err)) ||
        !image_init(&s->picture, width, height, 3, err))
        return OUTCOME_REFUSED;
    image_fill_noise(s->picture.planes, 1);
    // Goes on with an existing file, if it is this device's.
    const struct device *device = backend_device(s->backend);
    g_autofree char *headers = options_include_folder(o);
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%S%:z");
    if (!command_can_write(o->record, err)) return OUTCOME_REFUSED;
    const bool is_new = !g_file_test(o->record, G_FILE_TEST_EXISTS);
    s->recording = is_new ? recording_create(device, s->picture.planes, date, headers)
                          : recording_load(o->record, headers, err);
    if (!s->recording) return OUTCOME_REFUSED;
    const struct device *known = &s->recording->device;
    const struct planes picture = s->recording->picture;
    bool is_good = true;
    if (strcmp(known->name, device->name) != 0 || strcmp(known->driver, device->driver) != 0)
        is_good = error_set(err, "'%s' was recorded on %s (%s): name another file", o->record,
                            known->name, known->driver);
    else if (picture.width != width || picture.height != height)
        is_good = error_set(err, "'%s' was recorded of %d×%d: name another file", o->record,
                            picture.width, picture.height);
    return is_good ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome record(struct session *s, struct error *err)
{
    struct sweep all;  // reads the list of filters
    const struct sweep_axes axes = {.filter = s->options->filter ? s->options->filter : "all",
                                    .params = NULL};
    if (!sweep_build(&all, &s->filters, &axes, err)) return OUTCOME_USAGE;
    for (int i = 0; i < s->filters.count; i++) {
        const struct filter *f = &s->filters.filters[i];
        bool is_chosen = !s->options->filter;
        for (int k = 0; k < all.count; k++) is_chosen |= all.cases[k].filter == f;
        if (!is_chosen) continue;
        const int axis = axis_find(f, NULL);
        add_part(s, f, VALUES, axis);
        if (filter_can_unroll(f)) add_part(s, f, UNROLLED, axis);
        add_part(s, f, BLOCKS, -1);
        for (int k = 0; k < f->param_count; k++)
            if (k != axis && axis_can_be(f, k)) add_part(s, f, OTHER, k);
    }
    sweep_finish(&all);
    for (; s->done < (int)s->parts->len; s->done++)
        if (!measure(s, &g_array_index(s->parts, struct part, s->done), err))
            return err->text[0] ? OUTCOME_REFUSED : OUTCOME_INTERRUPTED;
    terminal_progress_end(&s->progress);
    if (s->over)
        terminal_print(stderr,
                       "tilescope: %d cases were not reached within %g s: the same command "
                       "goes on\n",
                       s->over, s->options->budget_s);
    return OUTCOME_DONE;
}

enum outcome bench_record(const struct options *o, bool *is_caught, struct error *err)
{
    struct session s = {
        .options = o, .start_s = wall_s(), .parts = g_array_new(FALSE, FALSE, sizeof(struct part))};
    err->text[0] = '\0';
    terminal_progress_begin(&s.progress, stderr, o->is_quiet);
    enum outcome outcome = prepare(&s, err);
    if (outcome == OUTCOME_DONE) outcome = record(&s, err);
    terminal_progress_end(&s.progress);
    *is_caught = s.is_caught;
    g_array_free(s.parts, TRUE);
    if (s.is_caught) return outcome;
    backend_close(s.backend);
    recording_destroy(s.recording);
    image_finish(&s.picture);
    filter_list_finish(&s.filters);
    return outcome;
}
