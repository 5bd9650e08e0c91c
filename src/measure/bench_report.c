#include "measure/bench_report.h"

#include <glib.h>
#include <string.h>

#include "base/number.h"
#include "base/rows.h"
#include "measure/figures.h"

// ---- subjects ----

static bool is_moved(const struct array *a)
{
    return a->kind != ARRAY_SCRATCH && a->extent == ARRAY_EXPRESSED;
}

static bool plan(struct arrays_layout *layout, const struct choice *lab)
{
    return arrays_plan(layout, lab, (struct planes){0}, NULL);
}

static void add_part(GString *text, const char *name, const char *between, const char *words)
{
    g_string_append_printf(text, "%s%s%s%s", text->len ? " · " : "", name, between, words);
}

// What the launches of a lab, whose last case is this one, have in common.
static void add_lab(GString *text, const struct sweep *s, const struct choice *last)
{
    const struct filter *lab = last->filter;
    const struct param_values *now = &last->settings.params;
    struct arrays_layout layout, other;
    bool is_same = plan(&layout, last);  // all arrays keep their sizes
    unsigned changed = 0;                // params, as bits
    for (const struct choice *c = s->cases; c < s->cases + s->count; c++) {
        if (c->filter != lab) continue;
        is_same = is_same && plan(&other, c);
        for (int k = 0; k < lab->array_count && is_same; k++)
            is_same =
                !is_moved(&lab->arrays[k]) || !memcmp(layout.places[k].sides, other.places[k].sides,
                                                      sizeof other.places[k].sides);
        for (int i = 0; i < lab->param_count; i++)
            changed |= (unsigned)(c->settings.params.v[i] != now->v[i]) << i;
    }
    for (int i = 0; is_same && i < lab->array_count; i++)
        if (is_moved(&lab->arrays[i]))
            add_part(text, lab->arrays[i].name, ": ",
                     array_write_shape(&lab->arrays[i], &layout.places[i]).text);
    for (int i = 0; !is_same && i < lab->param_count; i++)
        if (!(changed >> i & 1) && strcmp(lab->params[i].name, s->axis) != 0)
            add_part(text, lab->params[i].name, " ",
                     filter_write_value(&lab->params[i], now->v[i]).text);
}

char *bench_report_subject(const struct sweep *s, struct planes p, const char *picture_name)
{
    GString *text = g_string_new(NULL);
    g_autoptr(GString) labs = g_string_new(NULL);
    const struct choice *lab = NULL;
    bool has_picture = false, has_several = false;
    for (const struct choice *c = s->cases; c < s->cases + s->count; c++) {
        const bool is_lab = !filter_has_picture(c->filter);
        has_picture |= !is_lab;
        has_several |= is_lab && lab && lab->filter != c->filter;
        if (is_lab) lab = c;
    }
    if (has_several)
        g_string_append(labs, "several labs");
    else if (lab)
        add_lab(labs, s, lab);
    if (has_picture)
        g_string_append_printf(text, "%d×%d %s %s", p.width, p.height,
                               p.count == 1 ? "grey" : "colour", picture_name);
    g_string_append_printf(text, "%s%s", text->len && labs->len ? "; " : "", labs->str);
    return g_string_free(text, FALSE);
}

// The sizes of a lab's in and out arrays as its file writes them, "a[512][64] b[64][512]".
static char *arrays_of(const struct choice *c)
{
    struct arrays_layout layout;
    GString *text = g_string_new(NULL);
    const struct filter *const lab = c->filter;
    const bool is_planned = lab && plan(&layout, c);
    for (int i = 0; is_planned && i < lab->array_count; i++) {
        const struct array *a = &lab->arrays[i];
        if (!is_moved(a)) continue;
        g_string_append_printf(text, "%s%s", text->len ? " " : "", a->name);
        for (int d = 0; d < a->dimensions; d++)
            g_string_append_printf(text, "[%lld]", layout.places[i].sides[d]);
    }
    return g_string_free(text, FALSE);
}

// ---- words ----

// The unit that follows the name of a sweep's axis: the radius counts pixels, others have none.
static const char *unit_of(const char *axis, const char *unit)
{
    return strcmp(axis, "radius") ? "" : unit;
}

char *bench_report_axis(const struct param *axis)
{
    const char *help = *unit_of(axis->name, "px") ? "pixels" : axis->help;
    return g_strdup_printf("%s%s%s", axis->name, *help ? ", " : "", help);
}

char *bench_report_line(const struct bench_about *about)
{
    return g_strdup_printf("%s%s%s · %.10s", about->device->name, *about->subject ? " · " : "",
                           about->subject, about->date);
}

// ---- columns ----

// A row, or its titles, on the way into the table: each column is declared where its cell is made.
struct table {
    struct rows rows;
    const struct bench_result *result;
    const struct bench_about *about;
    bool has_unroll, has_run;  // has_run: also columns that are the same in every row
    bool is_title;
};

static void add(struct table *t, enum rows_kind kind, const char *title, const char *text)
{
    if (t->is_title)
        rows_add_column(&t->rows, kind, title);
    else
        rows_add(&t->rows, text);
}

static void add_words(struct table *t, const char *title, const char *text)
{
    add(t, ROWS_WORDS, title, text);
}

static void add_owned(struct table *t, const char *title, char *text)
{
    add_words(t, title, text);
    g_free(text);
}

// In numbers that count or measure, 0 means that there is none.
static void add_number(struct table *t, const char *title, double value)
{
    char text[32] = "";
    if (value > 0) g_snprintf(text, sizeof text, "%.6g", value);
    add(t, ROWS_NUMBER, title, text);
}

// The median, the quartiles and the number of the samples that are called so: "cold_", or nothing.
static void add_times(struct table *t, const char *called, const struct stats_summary *ms)
{
    static const char *const titles[] = {"median_ms", "lower_quartile_ms", "upper_quartile_ms",
                                         "count"};
    const double figures[] = {ms->median, ms->lower, ms->upper, ms->count};
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++) {
        g_autofree char *title = g_strconcat(called, titles[i], NULL);
        add_number(t, title, figures[i]);
    }
}

static void add_three(struct table *t, const char *title, double value, bool is_wrong)
{
    char text[40] = "";
    if (value > 0)
        g_snprintf(text, sizeof text, "%s%s", is_wrong ? "✗ " : "", number_three(value).text);
    add(t, ROWS_NUMBER, title, text);
}

static char *check_of(const struct table *t, const struct bench_row *row)
{
    char words[RESULT_CHECK_WORDS], wrong[RESULT_CHECK_WORDS];
    const struct choice *c = &row->choice;
    if ((row->reason[0] && bench_ms(row) <= 0) || !c->filter) return g_strdup("");
    if (t->about->is_recorded) return g_strdup("right when recorded");
    if (row->is_unchecked) return g_strdup("unchecked (budget)");
    if (!c->variant) return g_strdup("reference");
    result_check_write(words, sizeof words, c, row->check, row->wrong_by);
    if (row->check != CHECK_WRONG) return g_strdup(words);
    result_check_write_wrong(wrong, sizeof wrong, c, row->wrong_by);
    return row->wrong_by.is_outside || c->filter->tolerance.unit
               ? g_strdup_printf("%s, %s", words, wrong)
               : g_strdup_printf("%s, max %d", words, row->wrong_by.max);
}

static const char *unroll_of(const struct table *t, const struct bench_row *row)
{
    const struct choice *c = &row->choice;
    const bool has_both = c->variant && filter_can_unroll(c->filter);
    return !t->has_unroll || !has_both ? "" : c->settings.is_unrolled ? "on" : "off";
}

// A wrong result is no faster way to the right one.
static double over_naive(const struct bench_row *row)
{
    return row->check == CHECK_WRONG ? 0 : figures_speed_up(bench_ms(row), row->naive_ms);
}

static double gpix_of(const struct table *t, const struct bench_row *row)
{
    return figures_gpix_per_s(bench_ms(row), arrays_picture(row->choice.filter, t->about->picture));
}

static double gb_of(const struct table *t, const struct bench_row *row)
{
    return figures_gb_per_s(bench_ms(row), &row->choice, t->about->picture);
}

static void add_names(struct table *t, const struct bench_row *row, const char *unit)
{
    const struct filter *f = row->choice.filter;
    const double *values = row->choice.settings.params.v;
    add_words(t, "filter", f ? f->name : "");
    add_words(t, "variant", row->name);
    const char *axis = *t->result->axis ? t->result->axis : "radius";
    const int index = f ? filter_param(f, axis) : -1;
    GString *others = g_string_new(NULL);  // all params but the axis
    for (int i = 0; f && i < f->param_count; i++)
        if (i != index)
            g_string_append_printf(others, "%s%s=%s", others->len ? " " : "", f->params[i].name,
                                   filter_write_value(&f->params[i], values[i]).text);
    add_owned(t, "params", g_string_free(others, FALSE));
    g_autofree char *title = g_strconcat(axis, unit_of(axis, unit), NULL);
    char text[32] = "";
    if (index >= 0) g_snprintf(text, sizeof text, "%.10g", values[index]);
    add(t, ROWS_NUMBER, title, text);
}

// For people a column says as much as fits, and a reason takes the place of the figures.
static void add_for_people(struct table *t, const struct bench_row *row)
{
    static const char *const titles[] = {"cold ms", "hot ms"};
    const bool is_wrong = row->check == CHECK_WRONG;
    add_names(t, row, " px");
    add_words(t, "block", bench_row_block(row).text);
    add_words(t, "unroll", unroll_of(t, row));
    if (row->reason[0]) {
        rows_add_rest(&t->rows, row->reason);
        return;
    }
    for (int i = 0; i < BENCH_TIMER_BUFFERS; i++) {
        char quartiles[64];
        figures_write_quartiles(quartiles, sizeof quartiles, row->times[i]);
        add_three(t, titles[i], row->times[i].median, is_wrong);
        add_words(t, "quartiles ms", quartiles);
        add_number(t, "n", row->times[i].count);
    }
    add_three(t, FIGURES_GPIX, gpix_of(t, row), false);
    add_three(t, FIGURES_GB, gb_of(t, row), false);
    add_three(t, FIGURES_COPY, figures_percent_of_copy(bench_ms(row), row->copy_ms), false);
    add_three(t, FIGURES_NAIVE, over_naive(row), false);
    add_owned(t, "result", check_of(t, row));
}

// csv has no place but columns for what is the same in every row; json leaves it out of its rows.
static void add_for_programs(struct table *t, const struct bench_row *row)
{
    const struct device *d = t->about->device;
    const struct choice *c = &row->choice;
    const struct planes picture = arrays_picture(c->filter, t->about->picture);
    add_names(t, row, "_px");
    add_number(t, "block_width", row->block_width);
    add_number(t, "block_height", row->block_height);
    add_words(t, "unroll", unroll_of(t, row));
    add_times(t, t->about->is_of_frames ? "" : "cold_", &row->times[BENCH_TIMER_COLD]);
    if (!t->about->is_of_frames) add_times(t, "hot_", &row->times[BENCH_TIMER_HOT]);
    add_number(t, "copy_median_ms", row->copy_ms);
    add_number(t, "naive_median_ms", row->naive_ms);
    add_number(t, "gpix_per_s", gpix_of(t, row));
    add_number(t, "gb_per_s", gb_of(t, row));
    add_number(t, "percent_of_copy", figures_percent_of_copy(bench_ms(row), row->copy_ms));
    add_number(t, "speedup_over_naive", over_naive(row));
    add_owned(t, "check", check_of(t, row));
    add_words(t, "reason", row->reason);
    add_owned(t, "arrays", arrays_of(c));
    if (!t->has_run) return;
    add_number(t, "width", picture.width);
    add_number(t, "height", picture.height);
    add_number(t, "planes", picture.count);
    add_words(t, "picture", picture.width ? t->about->picture_name : "");
    add_words(t, "device", d->name);
    add_words(t, "driver", d->driver);
    add_number(t, "clock_mhz", d->clock_mhz);
    add_words(t, "date", t->about->date);
}

static struct rows make_rows(const struct bench_result *r, const struct bench_about *about,
                             void (*add_row)(struct table *, const struct bench_row *),
                             bool has_run)
{
    static const struct bench_row none = {.name = ""};
    struct table t = {.rows = rows_begin(),
                      .result = r,
                      .about = about,
                      .has_unroll = add_row == add_for_programs,
                      .has_run = has_run,
                      .is_title = true};
    for (int i = 0; i < r->count; i++) t.has_unroll |= r->rows[i].choice.settings.is_unrolled;
    add_row(&t, &none);
    t.is_title = false;
    for (int i = 0; i < r->count; i++) add_row(&t, &r->rows[i]);
    return t.rows;
}

// ---- the best ----

static bool is_candidate(const struct bench_row *row)
{
    return row->choice.variant && !row->choice.variant->is_floor &&
           row->times[BENCH_TIMER_COLD].count && row->check != CHECK_WRONG && !row->is_unchecked;
}

// "best: shared 32×8, 0.412 ms", of a GPU's cases that compute the same.
static void append_best(GString *text, const struct bench_result *r, const struct device *device)
{
    const struct bench_row *best = NULL;
    int candidates = 0, alike = 0;
    char ms[32];
    for (int i = 0; i < r->count; i++) {
        const struct bench_row *row = &r->rows[i];
        if (!is_candidate(row)) continue;
        candidates++;
        if (best && (row->choice.filter != best->choice.filter ||
                     memcmp(&row->choice.settings.params, &best->choice.settings.params,
                            sizeof row->choice.settings.params)))
            return;
        if (!best || bench_ms(row) < bench_ms(best)) best = row;
    }
    if (candidates < 2 || !device_has_gpu_times(device)) return;
    for (int i = 0; i < r->count; i++)
        alike += is_candidate(&r->rows[i]) && &r->rows[i] != best &&
                 figures_compare(best->times[BENCH_TIMER_COLD],
                                 r->rows[i].times[BENCH_TIMER_COLD]) != FIGURES_FIRST_IS_FASTER;
    figures_write_ms(ms, sizeof ms, best->times[BENCH_TIMER_COLD]);
    g_string_append_printf(text, "\nbest: %s", best->name);
    if (best->block_width) g_string_append_printf(text, " %s", bench_row_block(best).text);
    if (best->choice.settings.is_unrolled) g_string_append(text, " unrolled");
    g_string_append_printf(text, ", %s", ms);
    if (alike) g_string_append_printf(text, "; %d more within the spread", alike);
    g_string_append(text, "\n");
}

// ---- json ----

static cJSON *make_json(const struct bench_result *r, const struct bench_about *about)
{
    const struct device *d = about->device;
    struct rows rows = make_rows(r, about, add_for_programs, false);
    cJSON *json = cJSON_CreateObject();
    rows_add_members(json, "tilescope%s date%s", TILESCOPE_VERSION, about->date);
    cJSON *device = cJSON_AddObjectToObject(json, "device");
    rows_add_members(device, "id%s name%s arch%s driver%s", d->id, d->name, d->arch, d->driver);
    if (d->clock_mhz)
        cJSON_AddNumberToObject(device, "clock_mhz", d->clock_mhz);
    else
        cJSON_AddNullToObject(device, "clock_mhz");
    if (about->picture.width) {
        cJSON *picture = cJSON_AddObjectToObject(json, "picture");
        rows_add_members(picture, "name%s width%d height%d planes%d", about->picture_name,
                         about->picture.width, about->picture.height, about->picture.count);
    }
    if (r->pairs)
        rows_add_members(json, "cold_buffer_pairs%d cold_buffer_bytes%g", r->pairs,
                         (double)r->pairs * (double)r->pair_bytes);
    rows_add_members(json, "is_recorded%i is_complete%i", about->is_recorded,
                     !r->is_stopped && !r->failure[0]);
    cJSON_AddItemToObject(json, "rows", rows_end_json(&rows));
    return json;
}

char *bench_report(const char *format, const struct bench_result *r,
                   const struct bench_about *about)
{
    if (format && !strcmp(format, "json")) return rows_print_json(make_json(r, about));
    const bool is_csv = format && !strcmp(format, "csv");
    struct rows rows = make_rows(r, about, is_csv ? add_for_programs : add_for_people, true);
    if (is_csv) return rows_end_csv(&rows);
    GString *text = g_string_new(NULL);
    const struct device *d = about->device;
    const double bytes = (double)r->pairs * (double)r->pair_bytes;
    bool has_pixels = false;
    for (int i = 0; i < r->count && !has_pixels; i++)
        has_pixels = r->rows[i].choice.filter && filter_has_picture(r->rows[i].choice.filter);
    g_string_append_printf(text, "%s (%s%s%s, %s", d->name, about->is_recorded ? "recorded" : d->id,
                           d->arch[0] ? ", " : "", d->arch, d->driver);
    if (d->clock_mhz) g_string_append_printf(text, ", up to %d MHz", d->clock_mhz);
    g_string_append_printf(text, ")\n%s%s%s\n", about->subject, *about->subject ? ", " : "",
                           about->date);
    if (r->pairs)
        g_string_append_printf(
            text,
            "cold: %d pair%s of buffers in turn, %.3g MB%s; hot: one pair; n samples of 0.2 ms or "
            "more.\nOf the cold median: Gpix/s (of pixels), GB/s (each sample read once and "
            "written once), ",
            r->pairs, r->pairs == 1 ? "" : "s", bytes * 1e-6,
            bytes <= (double)d->l2_bytes ? ", which fit in the cache" : "");
    else if (about->is_recorded)
        g_string_append_printf(text,
                               "recorded there, cold, of results that were right; n samples of "
                               "0.2 ms or more.\nOf the cold median: %sGB/s (of what is needed), ",
                               has_pixels ? "Gpix/s (of pixels), " : "");
    else  // of labs alone, every group has buffers of its own
        g_string_append(text,
                        "cold: copies of the arrays in turn, as many as fill the cache three "
                        "times (1024 at most);\nhot: one; n samples of 0.2 ms or more. Of the "
                        "cold median: GB/s (of what is needed of the arrays), ");
    g_string_append_printf(
        text,
        "%s\n(about the device copy's time over it), %s (naive's time over it, in its own "
        "block)%s.\n\n",
        FIGURES_COPY, FIGURES_NAIVE, about->is_recorded ? "" : ", of the same turns");
    rows_end_text(&rows, text);
    append_best(text, r, d);
    return g_string_free(text, FALSE);
}
