#include "tour/tour_value.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "filter/launch.h"
#include "frame/recording.h"
#include "measure/figures.h"
#include "tour/tour.h"

// ---- values ----

static struct tour_value pending(void)
{
    return (struct tour_value){.known = TOUR_PENDING};
}

static struct tour_value never(const char *why)
{
    struct tour_value v = {.known = TOUR_NEVER};
    text_copy_line(v.why, sizeof v.why, why);
    return v;
}

static struct tour_value measured(double number, double low, double high)
{
    struct tour_value v = {.known = TOUR_KNOWN, .number = number, .low = low, .high = high};
    g_strlcpy(v.text, number_three(number).text, sizeof v.text);
    return v;
}

// Counts are whole and written as such.
static struct tour_value number_of(double number)
{
    struct tour_value v = measured(number, number, number);
    if (number == floor(number)) g_snprintf(v.text, sizeof v.text, "%.0f", number);
    return v;
}

static struct tour_value name_of(const char *name)
{
    struct tour_value v = {.known = TOUR_KNOWN};
    text_copy(v.text, sizeof v.text, name);
    return v;
}

// ---- launches ----

// Finds a launch: a variant as it is shown, or in its default block, with the figure's value.
static bool find_point(const struct tour_source *s, const char *name, const struct tour_figure *f,
                       struct choice *point, struct error *why)
{
    const struct filter *filter = s->shown.filter;
    const struct variant *variant = *name ? filter_variant(filter, name) : s->shown.variant;
    struct launch_plan plan;
    if (!variant) return error_set(why, "%s has no variant '%s'", filter->name, name);
    *point = choice_of_variant(&s->shown, variant);
    if (*f->value && !tour_figure_set(f, filter, &point->settings, why)) return false;
    return launch_plan(&plan, point, s->picture, s->device, NULL, why);
}

// Finds the launch that a speed-up is compared with. The shown variant is compared with naive as in
// the headline, even if it is naive in another block.
static bool find_other(const struct tour_source *s, const struct tour_figure *f,
                       struct choice *other, struct error *why)
{
    struct choice point, naive;
    if (*f->variant || strcmp(f->other, "naive") != 0)
        return find_point(s, f->other, f, other, why);
    if (!find_point(s, "", f, &point, why)) return false;
    if (!choice_naive_of(&point, &naive))
        return error_set(why, "%s has no variant 'naive'", point.filter->name);
    *other = naive;
    return true;
}

int tour_value_points(const struct tour_source *s, const struct tour_figure *f,
                      struct choice points[TOUR_VALUE_POINTS])
{
    if (!tour_figure_has_launch(f)) return 0;
    int count = find_point(s, f->variant, f, &points[0], NULL);
    if (f->kind == TOUR_SPEED_UP) count += find_other(s, f, &points[count], NULL);
    return count;
}

// ---- times ----

// False: there is no time, and v says why, or that it comes.
static bool find_result(const struct tour_source *s, const struct choice *point, struct result *r,
                        struct tour_value *v)
{
    struct error why = {""};
    *r = results_get(s->results, point);
    *v = pending();
    if (r->state == RESULT_DONE) return true;
    if (r->state == RESULT_REFUSED) {
        error_set(&why, "%s: %s", point->variant->name, r->reason);
        *v = never(why.text);
    }
    return false;
}

// A time, or its ratio to naive's or the copy's. One whose result is wrong is marked, and not
// compared with others.
static struct tour_value find_time(const struct tour_source *s, const struct tour_figure *f,
                                   const struct choice *point)
{
    const bool is_speed_up = f->kind == TOUR_SPEED_UP;
    struct error why = {""};
    struct tour_value v;
    struct choice other_point;
    struct result r, other = {.check = CHECK_UNKNOWN};
    if (is_speed_up && !find_other(s, f, &other_point, &why)) return never(why.text);
    if (!find_result(s, point, &r, &v)) return v;
    if (is_speed_up && !find_result(s, &other_point, &other, &v)) return v;
    if (f->kind == TOUR_COPY) {
        const double ms = results_copy_ms(s->results, point);
        if (ms <= 0) return pending();
        other.ms = (struct stats_summary){1, ms, ms, ms};
    }
    double (*const ratio)(double, double) =
        is_speed_up ? figures_speed_up : figures_percent_of_copy;
    v = f->kind == TOUR_MS
            ? measured(r.ms.median, r.ms.lower, r.ms.upper)
            : measured(ratio(r.ms.median, other.ms.median), ratio(r.ms.upper, other.ms.lower),
                       ratio(r.ms.lower, other.ms.upper));
    v.is_wrong = r.check == CHECK_WRONG || other.check == CHECK_WRONG;
    if (v.is_wrong && f->kind == TOUR_MS) g_strlcat(v.text, " (wrong)", sizeof v.text);
    if (v.is_wrong && is_speed_up) text_copy(v.text, sizeof v.text, "(wrong)");
    return v;
}

// ---- what the device knows ----

// Takes the largest number of all passes, but the occupancy of the first one.
static struct tour_value find_kernels(const struct tour_source *s, const struct tour_figure *f,
                                      const struct choice *point)
{
    struct error why = {""};
    struct frame frame;
    int registers = 0;
    size_t shared_bytes = 0;
    const bool is_known = s->device->is_gpu && s->plan;
    if (!is_known && f->kind == TOUR_SHARED) {
        // The bytes that a launch asks for. Only a GPU's compiler knows those that a kernel
        // declares.
        struct launch_plan plan;
        if (!launch_plan(&plan, point, s->picture, s->device, NULL, &why)) return never(why.text);
        for (int i = 0; i < plan.pass_count; i++)
            shared_bytes = MAX(shared_bytes, plan.passes[i].config.shared_bytes);
        return shared_bytes
                   ? number_of((double)shared_bytes)
                   : never("no GPU: nobody knows the shared arrays that the kernel declares");
    }
    if (!is_known) return never("no GPU: a CPU has no such figure");
    if (!s->plan(s->user, point, &frame, &why)) return *why.text ? never(why.text) : pending();
    const struct launch_pass *passes = frame.plan.passes;
    error_set(&why, "%s is a library's: its kernels are not known", point->variant->name);
    if (!frame.plan.pass_count) return never(why.text);
    const struct kernel_facts *facts = backend_facts(frame.module) + frame.first_entry;
    for (int i = 0; i < frame.plan.pass_count; i++) {
        registers = MAX(registers, facts[i].registers);
        shared_bytes =
            MAX(shared_bytes, passes[i].config.shared_bytes + facts[i].static_shared_bytes);
    }
    if (f->kind == TOUR_REGISTERS) return number_of(registers);
    if (f->kind == TOUR_SHARED) return number_of((double)shared_bytes);
    const struct occupancy o =
        backend_occupancy(frame.backend, frame.module, frame.first_entry, &passes->config);
    return o.max_threads ? number_of(round(100.0 * o.threads / o.max_threads))
                         : never("the driver does not say it");
}

// ---- counters ----

// NAN: there is nothing to divide by.
static double ratio(double number, double by)
{
    return by > 0 ? number / by : NAN;
}

static double count(const struct lens_sums *s, enum tour_counter counter)
{
    const struct lens_counts *m = &s->memory, *shared = &s->shared, *constant = &s->constant;
    const double counts[] = {
        [TOUR_SECTORS] = s->each.sectors,
        [TOUR_IDEAL_SECTORS] = s->each.ideal_sectors,
        [TOUR_WANTED] = s->each.wanted_bytes,
        [TOUR_FETCHED] = s->each.sectors * MODEL_SECTOR_BYTES,
        [TOUR_REQUESTS] = (double)m->requests,
        [TOUR_WAVEFRONTS] = (double)shared->wavefronts,
        [TOUR_IDEAL_WAVEFRONTS] = (double)shared->ideal_wavefronts,
        [TOUR_CONFLICTS] = (double)model_conflicts(shared),
        [TOUR_SECTORS_A_REQUEST] = ratio((double)m->sectors, (double)m->requests),
        [TOUR_WAVEFRONTS_A_REQUEST] = ratio((double)shared->wavefronts, (double)shared->requests),
        [TOUR_WORDS_A_REQUEST] = ratio((double)constant->words, (double)constant->requests),
    };
    return counts[counter];
}

static struct tour_value find_counter(const struct tour_source *s, const struct tour_figure *f,
                                      const struct choice *point)
{
    struct error why = {""};
    const struct tracing_request request = tour_value_block(s, point);
    const struct lens_result *block = s->block(s->user, &request, &why);
    if (!block) return *why.text ? never(why.text) : pending();
    const struct lens_sums sums = lens_result_sum_of(block, f->space, f->access);
    const double number = count(&sums, f->counter);
    error_set(&why, "%s makes no such access", point->variant->name);
    if (isnan(number)) return never(why.text);
    struct tour_value v = number_of(number);
    if (f->counter <= TOUR_FETCHED)
        v.each = filter_has_picture(point->filter) ? " per pixel" : " per element";
    return v;
}

struct tracing_request tour_value_block(const struct tour_source *s, const struct choice *point)
{
    struct tracing_request request = {.choice = *point, .picture = s->picture};
    int across = 0, down = 0;
    if (s->device->is_gpu) request.multiprocessors = s->device->multiprocessors;
    launch_domain(point, s->picture, s->device, &across, &down);
    request.x = across / 2;
    request.y = down / 2;
    return request;
}

// ---- all ----

static struct tour_value find_param(const struct tour_source *s, const char *name)
{
    const struct filter *f = s->shown.filter;
    const int index = filter_param(f, name);
    struct error why = {""};
    if (index < 0) filter_refuse_param(f, name, &why);
    if (index < 0) return never(why.text);
    const double value = s->shown.settings.params.v[index];
    struct tour_value v = number_of(value);
    text_copy(v.text, sizeof v.text, filter_write_value(&f->params[index], value).text);
    return v;
}

struct tour_value tour_value_find(const struct tour_source *s, const struct tour_figure *f)
{
    struct error why = {""};
    struct choice point = s->shown;
    struct tour_screen_times times;
    const struct recording *const recording = s->results ? results_recording(s->results) : NULL;
    const struct stats_summary *const ms = f->kind == TOUR_FRAME ? &times.frame : &times.host;
    if (tour_figure_has_launch(f) && !find_point(s, f->variant, f, &point, &why))
        return never(why.text);
    const bool is_ratio = f->kind == TOUR_SPEED_UP || f->kind == TOUR_COPY;
    if (is_ratio && !device_has_gpu_times(results_device(s->results, s->device)))
        return never("not known without a GPU");
    switch (f->kind) {
    case TOUR_MS:
    case TOUR_SPEED_UP:
    case TOUR_COPY:
        return find_time(s, f, &point);
    case TOUR_REGISTERS:
    case TOUR_SHARED:
    case TOUR_OCCUPANCY:
        return find_kernels(s, f, &point);
    case TOUR_COUNTER:
        return find_counter(s, f, &point);
    case TOUR_FRAME:
    case TOUR_HOST:
        if (!s->screen) return never("not known without a window");
        if (!s->screen(s->user, f->value, &times, &why))
            return *why.text ? never(why.text) : pending();
        return measured(ms->median, ms->lower, ms->upper);
    case TOUR_DEVICE:
        return name_of(recording ? recording->about : s->device->name);
    case TOUR_FILTER:
        return name_of(s->shown.filter->name);
    case TOUR_VARIANT:
        return name_of(s->shown.variant->name);
    case TOUR_PARAM:
        return find_param(s, f->param);
    }
    return pending();
}

char *tour_value_fill(const struct tour_source *s, const char *text, tour_figure_find *find,
                      void *user)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    bool has_time = false;
    const int count = tour_figure_list(text, figures, TOUR_MAX_FIGURES);
    for (int i = 0; i < count; i++) has_time |= figures[i].kind == TOUR_MS;
    g_autofree char *filled = tour_figure_fill(text, find, user);
    const bool is_of_gpu = device_has_gpu_times(results_device(s->results, s->device));
    return has_time && !is_of_gpu
               ? g_strconcat(filled, "\nTimes of this CPU: they say nothing about a GPU.", NULL)
               : g_steal_pointer(&filled);
}
