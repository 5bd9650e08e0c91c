// This file is long because all words of the bands follow from the same facts.
#include "viewer/caption.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "draw/legend.h"
#include "screen/baseline.h"
#include "measure/figures.h"
#include "screen/block_text.h"
#include "screen/overlay.h"

static bool has_time(const struct pane_facts *f)
{
    return f->known.ms.count && f->known.ms.median > 0;
}

static bool is_wrong(const struct pane_facts *f)
{
    return f->known.check == CHECK_WRONG;
}

// Finds the block of the naive variant that the shown one is compared with. False: there is none,
// or the shown result is wrong, which is no faster way to the right one.
static bool find_naive(const struct pane_facts *f, struct choice *naive)
{
    return f->naive_ms > 0 && !is_wrong(f) && choice_naive_of(&f->choice, naive);
}

// 0: not known.
static double gb_per_s(const struct pane_facts *f)
{
    return figures_gb_per_s(f->known.ms.median, &f->timed.choice, f->timed.picture);
}

static bool has_baseline(const struct pane_facts *f)
{
    return f->baseline && f->baseline->ms.count;
}

// By how much the shown time differs from the baseline's; empty: it does not compare. False: the
// two are not clearly different.
static bool write_change(char *text, size_t size, const struct pane_facts *f)
{
    const struct baseline_subject subject = {f->timed.choice, f->timed.picture, f->timed.device};
    text[0] = '\0';
    return !has_time(f) || is_wrong(f) ||
           baseline_write_change(f->baseline, &subject, f->known.ms, text, size);
}

// "baseline mean naive · radius 3 · 32×8, 0.412 ms", and why it does not compare.
static void write_baseline(char *text, size_t size, const struct pane_facts *f)
{
    const struct baseline_subject subject = {f->timed.choice, f->timed.picture, f->timed.device};
    char name[BASELINE_WORDS], differences[64], ms[32];
    baseline_write_name(f->baseline, name, sizeof name);
    baseline_write_differences(f->baseline, &subject, differences, sizeof differences);
    figures_write_ms(ms, sizeof ms, f->baseline->ms);
    text_join(text, size, " · ", "baseline %s, %s", name, ms);
    if (*differences) text_append(text, size, ": not comparable, other %s", differences);
}

// 0: an array has no pixels.
static double gpix_per_s(const struct pane_facts *f)
{
    return figures_gpix_per_s(f->known.ms.median,
                              arrays_picture(f->choice.filter, f->timed.picture));
}

static void write_rate(char *text, size_t size, const struct pane_facts *f)
{
    if (gpix_per_s(f) > 0)
        figures_add(text, size, "   ", gpix_per_s(f), FIGURES_GPIX);
    else
        figures_add(text, size, "   ", gb_per_s(f), FIGURES_GB);
}

// The place where a time that is not recorded was measured.
static const char *here(const struct pane_facts *f)
{
    return f->device->is_gpu ? " on this GPU" : " on this CPU";
}

void caption_add_size(char *text, size_t size, const struct pane_facts *f)
{
    const struct planes picture = arrays_picture(f->choice.filter, f->timed.picture);
    const char *before = "at ";
    if (!f->timed.is_recorded) return;
    if (picture.width && !planes_is_same_shape(picture, f->picture)) {
        text_append(text, size, "%s%d×%d %s", before, picture.width, picture.height,
                    picture.count == 1 ? "grey" : "colour");
        before = ", ";
    }
    filter_add_changed(text, size, f->choice.filter, &f->timed.choice.settings.params,
                       &f->choice.settings.params, before);
}

static void write_speed(struct overlay_side *c, const struct pane_facts *f, bool is_column)
{
    const double ms = f->known.ms.median;
    struct choice naive;
    char change[32];
    if (!has_time(f)) {
        g_strlcpy(c->speed,
                  f->is_refused     ? "not measured"
                  : f->is_compiling ? "compiling …"
                  : f->is_frozen    ? "frozen: not measured"
                                    : "measuring …",
                  sizeof c->speed);
        return;
    }
    if (c->has_counts_first) {  // which the lens's job writes
        figures_write_ms(c->speed, sizeof c->speed, f->known.ms);
        text_append(c->speed, sizeof c->speed, "%s%s", here(f),
                    f->known.is_settled ? ""
                    : f->is_frozen      ? ", not settled"
                                        : ", measuring");
        if (*f->timed.missing) {
            text_append(c->speed, sizeof c->speed, "   %s", f->timed.missing);
            return;
        }
        write_change(change, sizeof change, f);
        if (*change)
            text_append(c->speed, sizeof c->speed, "   %s vs baseline on this CPU", change);
        return;
    }
    figures_write_ms(c->time, sizeof c->time, f->known.ms);
    figures_write_quartiles(c->spread, sizeof c->spread, f->known.ms);
    caption_add_size(c->speed, sizeof c->speed, f);  // first, as the last parts may go
    if (is_column)
        write_rate(c->detail, sizeof c->detail, f);
    else
        write_rate(c->speed, sizeof c->speed, f);
    const bool is_clear = write_change(change, sizeof change, f);
    if (*change && is_column) text_join(c->speed, sizeof c->speed, "   ", "%s vs baseline", change);
    figures_add(c->speed, sizeof c->speed, "   ", figures_percent_of_copy(ms, f->copy_ms),
                FIGURES_COPY);
    if (find_naive(f, &naive)) {
        char unit[80] = FIGURES_NAIVE " ";
        g_strlcat(unit, launch_write_block(naive.variant, &naive.settings).text, sizeof unit);
        figures_add(c->speed, sizeof c->speed, "   ", figures_speed_up(ms, f->naive_ms), unit);
    }
    if (*change && !is_column)
        text_join(c->speed, sizeof c->speed, "   ", "%s%s the baseline",
                  is_clear ? change : "not clearly different", is_clear ? " against" : " from");
}

// Adds how far a running check is: a lab's may take minutes.
static void append_share(char *text, size_t size, const struct pane_facts *f)
{
    if (f->check_done > 0) text_append(text, size, " %.0f %%", 100 * f->check_done);
}

static void write_badge(struct overlay_side *c, const struct pane_facts *f)
{
    static const struct {
        enum overlay_badge badge;
        const char *text;
    } badges[] = {[CHECK_IMPOSSIBLE] = {OVERLAY_BADGE_NONE, ""},
                  [CHECK_UNKNOWN] = {OVERLAY_BADGE_PENDING, "checking"},
                  [CHECK_EXACT] = {OVERLAY_BADGE_GOOD, ""},
                  [CHECK_NEAR] = {OVERLAY_BADGE_GOOD, ""},
                  [CHECK_WRONG] = {OVERLAY_BADGE_BAD, "wrong"}};
    c->badge = f->is_refused ? OVERLAY_BADGE_NONE : badges[f->known.check].badge;
    text_copy(c->badge_text, sizeof c->badge_text,
              !f->is_refused ? badges[f->known.check].text
              : f->is_empty  ? "no picture"
                             : "last good picture");
    if (!*c->badge_text)
        result_check_write(c->badge_text, sizeof c->badge_text, &f->choice, f->known.check,
                           f->known.difference);
    if (c->badge == OVERLAY_BADGE_PENDING) append_share(c->badge_text, sizeof c->badge_text, f);
    if (c->badge == OVERLAY_BADGE_BAD)
        result_check_write_wrong(c->badge_text, sizeof c->badge_text, &f->choice,
                                 f->known.difference);
}

// Writes the resources that limit how many blocks run at once.
static void write_resources(char *text, size_t size, const struct pane_facts *f)
{
    const struct engine_report *r = &f->report;
    const struct occupancy *o = &r->occupancy;
    char shared[64];
    block_text_write_shared(shared, sizeof shared, r->shared_bytes, f->choice.variant->pass_count,
                            f->device->is_gpu);
    if (o->max_threads)
        text_join(text, size, " · ", "occupancy %d %% (%s)", 100 * o->threads / o->max_threads,
                  o->limiter);
    if (r->facts.registers) text_join(text, size, " · ", "%d registers", r->facts.registers);
    if (*shared) text_join(text, size, " · ", "%s shared", shared);
    if (r->is_generic)
        text_join(text, size, " · ", "compiling %s",
                  f->choice.settings.is_unrolled ? "for these params" : "faster code");
}

// Writes the shape of the shown picture, or of the shown array with its name.
static void write_shape(char *text, size_t size, const struct pane_facts *f)
{
    const struct pane_array shown = pane_shown_array(f);
    if (filter_has_picture(f->choice.filter)) {
        text_join(text, size, " · ", "%d×%d %s", f->picture.width, f->picture.height,
                  f->picture.count == 1 ? "grey" : "colour");
    } else if (shown.place.columns) {
        text_join(text, size, " · ", "%s: %s", shown.array->name,
                  array_write_shape(shown.array, &shown.place).text);
        if (!arrays_are_taken(f->choice.filter, f->choice.variant, f->array))
            text_append(text, size, " (%s does not take it: n shows others)",
                        f->choice.variant->name);
    }
}

// A column is narrow: it leaves out what is usual, and the rate stands with its details.
static void write_side(struct overlay_side *c, const struct pane_facts *f, bool is_column)
{
    const int samples = f->known.ms.count;
    const bool is_unrolled = f->choice.settings.is_unrolled;
    char local[32];
    *c = (struct overlay_side){.is_settled = f->known.is_settled,
                               .has_counts_first = !f->has_gpu_times};
    text_append(c->title, sizeof c->title, "%s · %s", f->choice.filter->title,
                f->choice.variant->name);
    text_join(c->title, sizeof c->title, " · ", "%s",
              filter_write_params(f->choice.filter, &f->choice.settings.params).text);
    text_append(c->title, sizeof c->title, " · %s%s",
                f->choice.variant->library.function ? "" : "block ",
                launch_write_block(f->choice.variant, &f->choice.settings).text);
    if (choice_can_unroll(&f->choice) && (is_unrolled || !is_column))
        text_append(c->title, sizeof c->title, " · unroll %s", is_unrolled ? "on" : "off");
    write_speed(c, f, is_column);
    write_badge(c, f);
    if (f->timed.is_recorded && f->has_gpu_times && f->timed.local_ms.count) {
        figures_write_ms(local, sizeof local, f->timed.local_ms);
        text_join(c->detail, sizeof c->detail, " · ", "%s%s", local, here(f));
    }
    if (!is_column && !c->has_counts_first && gpix_per_s(f) > 0)
        figures_add(c->detail, sizeof c->detail, " · ", gb_per_s(f), FIGURES_GB);
    if (f->whole.width)
        text_join(c->detail, sizeof c->detail, " · ", "showing %d×%d of %d×%d", f->picture.width,
                  f->picture.height, f->whole.width, f->whole.height);
    if (f->whole.width && !is_column)
        text_append(c->detail, sizeof c->detail, " %s · Ctrl+0 for all of it",
                    f->picture.count == 1 ? "grey" : "colour");
    write_resources(c->detail, sizeof c->detail, f);
    if (is_column) return;
    if (!f->whole.width) write_shape(c->detail, sizeof c->detail, f);
    if (samples) text_append(c->detail, sizeof c->detail, " · %d samples", samples);
    if (samples && f->report.repeats > 1 && !f->timed.is_recorded)
        text_append(c->detail, sizeof c->detail, " of %d launches", f->report.repeats);
    if (has_baseline(f)) write_baseline(c->detail, sizeof c->detail, f);
    text_join(c->detail, sizeof c->detail, " · ", "%s", f->known.unchecked);
}

static struct legend own_legend(const struct pane_facts *f)
{
    return legend_of(&f->choice, f->array, f->has_common_scale ? &f->scale : NULL);
}

void caption_write(struct overlay_content *c, const struct pane_facts *f)
{
    c->is_comparing = false;
    c->legends[0] = own_legend(f);
    c->legends[1] = (struct legend){0};
    write_side(&c->sides[0], f, false);
    const bool is_recorded = f->timed.is_recorded && f->has_gpu_times;
    text_copy(c->device, sizeof c->device, is_recorded ? f->timed.about : f->device->name);
    char name[48];
    c->status[0] = '\0';
    g_strlcpy(c->hint, "h  help", sizeof c->hint);
    const bool is_told = f->lacks_gpu && f->timed.is_recorded;
    overlay_add_status(c, "%s%s", f->lacks_gpu ? "No NVIDIA GPU: " : "",
                       is_told ? "counts are a GPU's, times are recorded"
                               : interop_path_about(f->path));
    if (f->timed.is_recorded && !f->has_gpu_times)
        overlay_add_status(c, "other times: %s", f->timed.about);
    text_copy(name, sizeof name, f->picture_name);  // a long one leaves room for the rest
    if (arrays_picture(f->choice.filter, f->picture).width)
        overlay_add_status(c, "%s%s", name, strlen(name) < strlen(f->picture_name) ? "…" : "");
    if (c->is_first) {
        static const char *const keys[] = {"/ find anything", "D tours", "M memory lens",
                                           "l all variants"};
        for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) overlay_add_status(c, "%s", keys[i]);
        return;
    }
    if (f->is_frozen) overlay_add_status(c, "frozen");
    if (f->frame_ms.count) overlay_add_status(c, "%.1f ms a frame", f->frame_ms.median);
    if (f->host_ms.count) overlay_add_status(c, "host %.2f ms", f->host_ms.median);
    overlay_add_status(c, "vsync %s", f->vsync);
}

// ---- two pictures ----

double caption_gain(const struct caption_pair *p)
{
    return figures_gain(p->is_difference_known ? p->difference.max : 0);
}

// True: the pixels are the results, so that equal pixels are equal results.
static bool is_of_picture(const struct caption_pair *p)
{
    return filter_has_picture(p->sides[0].choice.filter);
}

// Greys of a lab's arrays may be the same where their elements are not. One of another shape is
// shown as far as it goes.
static void write_difference(struct overlay_pair *c, const struct caption_pair *p)
{
    char share[64];
    if (!p->is_difference_known) {
        const bool is_refused = p->sides[0].is_refused || p->sides[1].is_refused;
        c->verdict = is_refused ? OVERLAY_BADGE_NONE : OVERLAY_BADGE_PENDING;
        g_strlcpy(c->difference, is_refused ? "not compared" : "comparing", sizeof c->difference);
        return;
    }
    const struct array_place a = pane_shown_array(&p->sides[0]).place,
                             b = pane_shown_array(&p->sides[1]).place;
    if (a.columns != b.columns || a.rows != b.rows) {
        c->verdict = OVERLAY_BADGE_NONE;
        g_strlcpy(c->difference, "different shapes", sizeof c->difference);
        return;
    }
    const bool is_same = !p->difference.count;
    c->verdict = is_same && is_of_picture(p) ? OVERLAY_BADGE_GOOD : OVERLAY_BADGE_NONE;
    g_strlcpy(c->difference, is_of_picture(p) ? "identical" : "the same picture",
              sizeof c->difference);
    if (is_same) return;
    // How many: in percent, or, where that is next to nothing, counted. A pixel of a lab may be one
    // of its elements, or stand for many.
    static const char *const units[2][2] = {{"pixel", "pixels"}, {"sample", "samples"}};
    const long count = p->difference.count;
    const struct planes shape = p->sides[0].picture;
    const double percent = 100 * (double)count / shape.width / shape.height / shape.count;
    const char *const *unit = units[shape.count > 1];
    if (!is_of_picture(p))
        g_snprintf(share, sizeof share, "%s %% of the picture", number_three(percent).text);
    else if (percent < 0.1)
        g_snprintf(share, sizeof share, "%ld %s", count, unit[count != 1]);
    else
        g_snprintf(share, sizeof share, "%s %% of %s", number_three(percent).text, unit[1]);
    g_snprintf(c->difference, sizeof c->difference, "max |A − B| = %d   %s", p->difference.max,
               share);
}

// One for both where that is true of both. Greys of arrays with scales of their own have a
// difference, but no unit.
static void write_legends(struct overlay_content *c, const struct caption_pair *p)
{
    struct legend *const legends = c->legends;
    const struct pane_facts *a = &p->sides[0];
    legends[0] = legends[1] = (struct legend){0};
    if (p->is_difference_shown) {
        if (a->has_common_scale)
            legends[0] =
                legend_of_difference((double)(a->scale.high - a->scale.low) / caption_gain(p));
        return;
    }
    for (int side = 0; side < 2; side++) legends[side] = own_legend(&p->sides[side]);
    if (legends[0].map == legends[1].map && !strcmp(legends[0].low, legends[1].low) &&
        !strcmp(legends[0].high, legends[1].high)) {
        legends[1] = (struct legend){0};
        return;
    }
    g_strlcpy(legends[0].side, "A", sizeof legends[0].side);
    g_strlcpy(legends[1].side, "B", sizeof legends[1].side);
}

void caption_write_pair(struct overlay_content *c, const struct caption_pair *p)
{
    caption_write(c, &p->sides[p->active]);
    for (int side = 0; side < 2; side++) write_side(&c->sides[side], &p->sides[side], true);
    c->is_comparing = true;
    c->pair.active = p->active;
    write_legends(c, p);
    write_difference(&c->pair, p);
    // How they compare in time. Nothing is said where one of them will never have a GPU's.
    const struct pane_facts *a = &p->sides[0], *b = &p->sides[1];
    const bool has_gpu_times = a->has_gpu_times && b->has_gpu_times;
    const bool is_known =
        has_gpu_times && a->known.is_settled && has_time(a) && b->known.is_settled && has_time(b);
    c->pair.ratio[0] = '\0';
    c->pair.is_ratio_pending = has_gpu_times && !a->is_refused && !b->is_refused && !is_known;
    if (c->pair.is_ratio_pending) g_strlcpy(c->pair.ratio, "measuring", sizeof c->pair.ratio);
    if (is_known)
        figures_write_comparison(c->pair.ratio, sizeof c->pair.ratio,
                                 (struct figures_side){"A", a->known.ms, is_wrong(a)},
                                 (struct figures_side){"B", b->known.ms, is_wrong(b)});
    const double gain = caption_gain(p);
    g_strlcpy(c->pair.shown, p->is_difference_shown ? "|A − B|" : "", sizeof c->pair.shown);
    if (!p->is_difference_shown || gain <= 1) return;
    char figure[32];
    figures_write_gain(figure, sizeof figure, gain);
    text_append(c->pair.shown, sizeof c->pair.shown, " ×%s", figure);
}

// ---- text chunks ----

void caption_add(struct image_texts *t, const char *key, const char *format, ...)
{
    char value[CAPTION_VALUE];
    va_list args;
    va_start(args, format);
    g_autofree char *whole = g_strdup_vprintf(format, args), *valid = g_utf8_make_valid(whole, -1);
    va_end(args);
    text_copy(value, sizeof value, valid);
    image_texts_add(t, key, value);
}

// A library has none.
static void add_block(struct image_texts *t, const char *key, const struct choice *c)
{
    int width, height;
    launch_block(c->variant, &c->settings, &width, &height);
    const int layers = c->variant->passes[0].block_depth;
    if (width) caption_add(t, key, layers > 1 ? "%dx%dx%d" : "%dx%d", width, height, layers);
}

// Adds whose the times are, and of what.
static void add_recorded(struct image_texts *t, const struct pane_facts *f)
{
    const struct planes p = arrays_picture(f->choice.filter, f->timed.picture);
    const struct choice *c = &f->timed.choice;
    caption_add(t, "times_from", "%s", f->timed.about);
    if (*f->timed.missing) {
        caption_add(t, "times_missing", "%s", f->timed.missing);
        return;
    }
    caption_add(t, "times_driver", "%s", f->timed.device->driver);
    if (p.width)
        caption_add(t, "times_of", "%dx%d, %d planes", p.width, p.height, p.count);
    else
        caption_add(t, "times_of", "%s", filter_write_params(c->filter, &c->settings.params).text);
    if (f->timed.local_ms.count) caption_add(t, "local_ms", "%.6f", f->timed.local_ms.median);
}

static void add_times(struct image_texts *t, const struct pane_facts *f)
{
    const struct stats_summary ms = f->known.ms;
    if (f->timed.is_recorded) add_recorded(t, f);
    caption_add(t, "settled", "%s", f->known.is_settled ? "yes" : "no");
    if (!has_time(f)) return;
    caption_add(t, "kernel_ms", "%.6f", ms.median);
    caption_add(t, "kernel_ms_q1", "%.6f", ms.lower);
    caption_add(t, "kernel_ms_q3", "%.6f", ms.upper);
    caption_add(t, "samples", "%d", ms.count);
    if (!f->timed.is_recorded) caption_add(t, "launches_per_sample", "%d", f->report.repeats);
    if (gpix_per_s(f) > 0) caption_add(t, "gpix_per_s", "%.6g", gpix_per_s(f));
    caption_add(t, "gb_per_s", "%.6g", gb_per_s(f));
    if (f->copy_ms > 0) caption_add(t, "copy_ms", "%.6f", f->copy_ms);
    if (f->copy_ms > 0 && f->has_gpu_times)
        caption_add(t, "percent_of_copy", "%.6g", figures_percent_of_copy(ms.median, f->copy_ms));
    struct choice naive;
    if (find_naive(f, &naive)) {
        caption_add(t, "naive_ms", "%.6f", f->naive_ms);
        add_block(t, "naive_block", &naive);
    }
    if (f->frame_ms.count) caption_add(t, "frame_ms", "%.3f", f->frame_ms.median);
    if (f->host_ms.count) caption_add(t, "host_ms", "%.4f", f->host_ms.median);
}

void caption_add_choice(struct image_texts *t, const struct choice *c, const struct device *device,
                        const char *picture, const struct array *array, const struct legend *legend)
{
    caption_add(t, "Software", "Tilescope %s", TILESCOPE_VERSION);
    caption_add(t, "filter", "%s", c->filter->name);
    caption_add(t, "variant", "%s", c->variant->name);
    for (int i = 0; i < c->filter->param_count; i++)
        caption_add(t, c->filter->params[i].name, "%s",
                    filter_write_value(&c->filter->params[i], c->settings.params.v[i]).text);
    add_block(t, "block", c);
    caption_add(t, "unroll", "%s", c->settings.is_unrolled ? "on" : "off");
    caption_add(t, "device", "%s", device->name);
    caption_add(t, "driver", "%s", device->driver);
    caption_add(t, picture ? "picture" : "array", "%s", picture ? picture : array->name);
    if (!picture)
        caption_add(t, "shown", "%s … %s %s", legend->low, legend->high,
                    color_map_name(legend->map));
}

void caption_list(struct image_texts *t, const struct pane_facts *f)
{
    const struct legend legend = own_legend(f);
    const bool has_picture = arrays_picture(f->choice.filter, f->picture).width > 0;
    image_texts_finish(t);
    caption_add_choice(t, &f->choice, f->device, has_picture ? f->picture_name : NULL,
                       &f->choice.filter->arrays[f->array], &legend);
    caption_add(t, "path", "%s", interop_path_name(f->path));
    caption_add(t, "size", "%dx%d", f->picture.width, f->picture.height);
    const struct planes whole = f->whole.width ? f->whole : f->picture;
    caption_add(t, "whole_size", "%dx%d", whole.width, whole.height);
    caption_add(t, "planes", "%d", f->picture.count);
    caption_add(t, "vsync", "%s", f->vsync);
    caption_add(t, "frozen", "%s", f->is_frozen ? "yes" : "no");
    caption_add(t, "current", "%s", f->is_current ? "yes" : "no");
    char check[RESULT_CHECK_WORDS] = "checking";
    if (f->known.check == CHECK_UNKNOWN)
        append_share(check, sizeof check, f);
    else if (f->known.difference.elsewhere)
        result_check_write_wrong(check, sizeof check, &f->choice, f->known.difference);
    else
        result_check_write(check, sizeof check, &f->choice, f->known.check, f->known.difference);
    caption_add(t, "check", "%s", check);
    add_times(t, f);
    char text[CAPTION_VALUE] = "", change[32];
    if (!has_baseline(f)) return;
    write_baseline(text, sizeof text, f);
    caption_add(t, "baseline", "%s", text + strlen("baseline "));
    write_change(change, sizeof change, f);
    if (*change) caption_add(t, "against_baseline", "%s", change);
}

bool caption_is_news(const struct pane_facts *told, const struct pane_facts *now)
{
    const struct result *before = &told->known, *after = &now->known;
    return told->is_current != now->is_current || told->is_refused != now->is_refused ||
           told->is_empty != now->is_empty || told->is_compiling != now->is_compiling ||
           told->timed.device != now->timed.device || told->has_gpu_times != now->has_gpu_times ||
           before->check != after->check || before->is_settled != after->is_settled ||
           told->report.is_generic != now->report.is_generic ||
           !before->ms.count != !after->ms.count || (told->naive_ms > 0) != (now->naive_ms > 0);
}
