// This file is long because all formats write the same cells.
#include "measure/bench_report.h"

#include <cjson/cJSON.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/figure.h"
#include "measure/figures.h"
#include "measure/subject.h"

// What a column's text is made from.
struct cell {
    const struct bench_row *row;
    const struct bench_about *about;
    const char *axis;
};

enum field {
    // Texts.
    FILTER,
    VARIANT,
    PARAMS,
    BLOCK,
    UNROLL,
    COLD_QUARTILES,
    HOT_QUARTILES,
    CHECK,
    REASON,
    RESULT,
    DEVICE,
    DRIVER,
    DATE,
    ARRAYS,
    // Numbers.
    AXIS,
    BLOCK_WIDTH,
    BLOCK_HEIGHT,
    COLD,
    COLD_LOWER,
    COLD_UPPER,
    COLD_COUNT,
    HOT,
    HOT_LOWER,
    HOT_UPPER,
    HOT_COUNT,
    COPY,
    NAIVE,
    GPIX_PER_S,
    GB_PER_S,
    PERCENT_OF_COPY,
    OVER_NAIVE,
    WIDTH,
    HEIGHT,
    PLANES,
    CLOCK_MHZ,
};

static bool is_number(enum field field)
{
    return field >= AXIS;
}

// ---- texts ----

// All params but the axis.
static void append_params(GString *text, const struct cell *c)
{
    const struct bench_row *row = c->row;
    const struct filter *f = row->filter;
    for (int i = 0; f && i < f->param_count; i++) {
        char value[FILTER_VALUE];
        if (!strcmp(f->params[i].name, c->axis)) continue;
        filter_write_value(&f->params[i], row->settings.params.v[i], value);
        g_string_append_printf(text, "%s%s=%s", text->len ? " " : "", f->params[i].name, value);
    }
}

static void append_check(GString *text, const struct bench_row *row)
{
    char check[64] = "reference";
    if (row->reason[0] || !row->filter) return;
    const struct choice choice = {row->filter, filter_variant(row->filter, row->variant),
                                  row->settings};
    if (choice.variant) result_write_check(check, sizeof check, &choice, row->check);
    g_string_append(text, check);
    if (row->check >= CHECK_NEAR) g_string_append_printf(text, ", max %d", row->wrong_by);
}

static const char *unroll_of(const struct bench_row *row)
{
    if (!row->filter || row->is_host || !filter_can_unroll(row->filter)) return "";
    return row->settings.is_unrolled ? "on" : "off";
}

static void append_arrays(GString *text, const struct bench_row *row)
{
    if (!row->filter || !row->filter->is_lab) return;
    char *arrays = subject_of_arrays(row->filter, &row->settings.params);
    g_string_append(text, arrays);
    g_free(arrays);
}

static void append_quartiles(GString *text, struct stats_summary times)
{
    char quartiles[64];
    figures_write_quartiles(quartiles, sizeof quartiles, times);
    g_string_append(text, quartiles);
}

static void append_text(GString *text, const struct cell *c, enum field field)
{
    const struct bench_row *row = c->row;
    const char *const plain[AXIS] = {
        [FILTER] = row->filter ? row->filter->name : "",
        [VARIANT] = row->variant,
        [UNROLL] = unroll_of(row),
        [REASON] = row->reason,
        [RESULT] = row->reason,
        [DEVICE] = c->about->device->name,
        [DRIVER] = c->about->device->driver,
        [DATE] = c->about->date,
    };
    if (field == COLD_QUARTILES) append_quartiles(text, row->times[BENCH_TIMER_COLD]);
    if (field == HOT_QUARTILES) append_quartiles(text, row->times[BENCH_TIMER_HOT]);
    if (field == PARAMS) append_params(text, c);
    if (field == CHECK || field == RESULT) append_check(text, row);
    if (field == ARRAYS) append_arrays(text, row);
    if (field == BLOCK && row->block_width)
        g_string_append_printf(text, "%d×%d", row->block_width, row->block_height);
    if (plain[field]) g_string_append(text, plain[field]);
}

// ---- numbers ----

// NAN: there is none.
static double axis_of(const struct cell *c)
{
    const struct bench_row *row = c->row;
    const int index = row->filter ? filter_param(row->filter, c->axis) : -1;
    return index < 0 ? NAN : row->settings.params.v[index];
}

// Of numbers that count or measure, 0 means that there is none.
static double number_of(const struct cell *c, enum field field)
{
    const struct bench_row *row = c->row;
    const struct stats_summary *cold = &row->times[BENCH_TIMER_COLD];
    const struct stats_summary *hot = &row->times[BENCH_TIMER_HOT];
    const struct planes picture = c->about->picture;
    const double ms = bench_ms(row);
    const struct choice choice = {.filter = row->filter, .settings = row->settings};
    const bool lab = row->filter && row->filter->is_lab;
    const bool is_wrong = row->check == CHECK_WRONG;  // and so no faster way to the right result
    const double numbers[] = {
        [AXIS] = axis_of(c),
        [BLOCK_WIDTH] = row->block_width,
        [BLOCK_HEIGHT] = row->block_height,
        [COLD] = cold->median,
        [COLD_LOWER] = cold->lower,
        [COLD_UPPER] = cold->upper,
        [COLD_COUNT] = cold->count,
        [HOT] = hot->median,
        [HOT_LOWER] = hot->lower,
        [HOT_UPPER] = hot->upper,
        [HOT_COUNT] = hot->count,
        [COPY] = row->copy_ms,
        [NAIVE] = row->naive_ms,
        [GPIX_PER_S] = lab ? 0 : figures_gpix_per_s(ms, picture),
        [GB_PER_S] = figures_gb_per_s(ms, &choice, picture),
        [PERCENT_OF_COPY] = figures_percent_of_copy(ms, row->copy_ms),
        [OVER_NAIVE] = is_wrong ? 0 : figures_speed_up(ms, row->naive_ms),
        [WIDTH] = lab ? 0 : picture.width,
        [HEIGHT] = lab ? 0 : picture.height,
        [PLANES] = lab ? 0 : picture.count,
        [CLOCK_MHZ] = c->about->device->clock_mhz,
    };
    return numbers[field] > 0 || field == AXIS ? numbers[field] : NAN;
}

// ---- columns ----

struct column {
    const char *title;  // with its unit; of the axis, the unit alone
    enum field field;
    bool is_whole;
    bool is_time;  // for people, a time of a wrong result says so
};

// To add a figure: a row in one of these, or in both.
static const struct column for_people[] = {
    {"filter", .field = FILTER},
    {"variant", .field = VARIANT},
    {"params", .field = PARAMS},
    {" px", .field = AXIS, .is_whole = true},
    {"block", .field = BLOCK},
    {"unroll", .field = UNROLL},
    {"cold ms", .field = COLD, .is_time = true},
    {"quartiles ms", .field = COLD_QUARTILES},
    {"n", .field = COLD_COUNT, .is_whole = true},
    {"hot ms", .field = HOT, .is_time = true},
    {"quartiles ms", .field = HOT_QUARTILES},
    {"n", .field = HOT_COUNT, .is_whole = true},
    {FIGURES_GPIX, .field = GPIX_PER_S},
    {FIGURES_GB, .field = GB_PER_S},
    {FIGURES_COPY, .field = PERCENT_OF_COPY},
    {FIGURES_NAIVE, .field = OVER_NAIVE},
    {"result", .field = RESULT},
};

// The last ones are the same in every row. csv has no place for them but columns; json leaves them
// out of its rows.
static const struct column for_programs[] = {
    {"filter", .field = FILTER},
    {"variant", .field = VARIANT},
    {"params", .field = PARAMS},
    {"_px", .field = AXIS},
    {"block_width", .field = BLOCK_WIDTH},
    {"block_height", .field = BLOCK_HEIGHT},
    {"unroll", .field = UNROLL},
    {"cold_median_ms", .field = COLD},
    {"cold_lower_quartile_ms", .field = COLD_LOWER},
    {"cold_upper_quartile_ms", .field = COLD_UPPER},
    {"cold_count", .field = COLD_COUNT},
    {"hot_median_ms", .field = HOT},
    {"hot_lower_quartile_ms", .field = HOT_LOWER},
    {"hot_upper_quartile_ms", .field = HOT_UPPER},
    {"hot_count", .field = HOT_COUNT},
    {"copy_median_ms", .field = COPY},
    {"naive_median_ms", .field = NAIVE},
    {"gpix_per_s", .field = GPIX_PER_S},
    {"gb_per_s", .field = GB_PER_S},
    {"percent_of_copy", .field = PERCENT_OF_COPY},
    {"speedup_over_naive", .field = OVER_NAIVE},
    {"check", .field = CHECK},
    {"reason", .field = REASON},
    {"arrays", .field = ARRAYS},
    {"width", .field = WIDTH},
    {"height", .field = HEIGHT},
    {"planes", .field = PLANES},
    {"device", .field = DEVICE},
    {"driver", .field = DRIVER},
    {"clock_mhz", .field = CLOCK_MHZ},
    {"date", .field = DATE},
};
enum { OF_A_ROW = G_N_ELEMENTS(for_programs) - 7 };

const char *bench_report_unit(const char *axis, const char *unit)
{
    return strcmp(axis, "radius") ? "" : unit;
}

char *bench_report_axis(const struct param *axis)
{
    const char *help = *bench_report_unit(axis->name, "px") ? "pixels" : axis->help;
    return g_strdup_printf("%s%s%s", axis->name, *help ? ", " : "", help);
}

static void write_title(GString *text, const struct column *column, const char *axis)
{
    const bool is_axis = column->field == AXIS;
    g_string_assign(text, is_axis ? axis : column->title);
    if (is_axis) g_string_append(text, bench_report_unit(axis, column->title));
}

static const char *axis_name(const struct bench_result *r)
{
    return *r->axis ? r->axis : "radius";
}

// The cell's text; numbers to six digits, or three when they are for people. Emptied before.
static void write_cell(GString *text, const struct column *column, const struct cell *c,
                       bool is_exact)
{
    g_string_truncate(text, 0);
    if (!is_number(column->field)) {
        append_text(text, c, column->field);
        return;
    }
    char three[32];
    const double value = number_of(c, column->field);
    if (isnan(value)) return;
    figure_three(three, sizeof three, value);
    if (column->is_time && !is_exact && c->row->check == CHECK_WRONG) g_string_append(text, "✗ ");
    if (is_exact || column->is_whole)
        g_string_append_printf(text, column->field == AXIS ? "%.10g" : "%.6g", value);
    else
        g_string_append(text, three);
}

// ---- table and markdown ----

char *bench_report_line(const struct bench_about *about)
{
    return g_strdup_printf("%s%s%s · %.10s", about->device->name, *about->subject ? " · " : "",
                           about->subject, about->date);
}

// Of labs alone, every group has buffers of its own.
static void append_buffers(GString *text, const struct bench_result *r)
{
    if (!r->pairs) {
        g_string_append(text, "cold: copies of the arrays in turn, as many as fill the cache three "
                              "times; hot: one; n samples of\n0.2 ms or more. Of the cold median: "
                              "GB/s (of what is needed of the arrays), ");
        return;
    }
    g_string_append_printf(
        text,
        "cold: %d pair%s of buffers in turn, %.3g MB; hot: one pair; n samples of 0.2 ms or more.\n"
        "Of the cold median: Gpix/s (of pixels), GB/s (each sample read once and written once), ",
        r->pairs, r->pairs == 1 ? "" : "s", (double)r->pairs * (double)r->pair_bytes * 1e-6);
}

static void append_heading(GString *text, const struct bench_result *r, const struct bench_about *a)
{
    const struct device *d = a->device;
    g_string_append_printf(text, "%s (%s%s%s, %s", d->name, d->id, d->arch[0] ? ", " : "", d->arch,
                           d->driver);
    if (d->clock_mhz) g_string_append_printf(text, ", up to %d MHz", d->clock_mhz);
    g_string_append_printf(text, ")\n%s%s%s\n", a->subject, *a->subject ? ", " : "", a->date);
    append_buffers(text, r);
    g_string_append_printf(
        text,
        "%s\n(a device copy's time over it), %s (naive's time over it, in its own "
        "block), of the same turns.\n\n",
        FIGURES_COPY, FIGURES_NAIVE);
}

// Every cell of the table: rows of columns, the titles first. Freed as one chunk of strings.
struct table {
    GPtrArray *texts;
    int rows, columns;
    bool is_shown[G_N_ELEMENTS(for_people)];
};

static const char *at(const struct table *t, int row, int column)
{
    return t->texts->pdata[row * t->columns + column];
}

// A column is not shown if all its cells are empty or say "off".
static bool says_something(const struct table *t, int column)
{
    for (int row = 1; row < t->rows; row++)
        if (at(t, row, column)[0] && strcmp(at(t, row, column), "off") != 0) return true;
    return false;
}

static struct table make_table(const struct bench_result *r, const struct bench_about *about)
{
    struct table t = {
        g_ptr_array_new_with_free_func(g_free), r->count + 1, G_N_ELEMENTS(for_people), {false}};
    GString *text = g_string_new(NULL);
    for (int i = 0; i < t.columns; i++) {
        write_title(text, &for_people[i], axis_name(r));
        g_ptr_array_add(t.texts, g_strdup(text->str));
    }
    for (int row = 0; row < r->count; row++)
        for (int i = 0; i < t.columns; i++) {
            write_cell(text, &for_people[i], &(struct cell){&r->rows[row], about, axis_name(r)},
                       false);
            g_ptr_array_add(t.texts, g_strdup(text->str));
        }
    g_string_free(text, TRUE);
    for (int i = 0; i < t.columns; i++) t.is_shown[i] = says_something(&t, i);
    return t;
}

static int width_of(const struct table *t, int column)
{
    glong most = 0;
    for (int row = 0; row < t->rows; row++) most = MAX(most, g_utf8_strlen(at(t, row, column), -1));
    return (int)most;
}

// Numbers to the right, words to the left.
static void append_aligned(GString *text, const struct table *t, int row, int column, int width)
{
    const char *cell = at(t, row, column);
    const int padding = width - (int)g_utf8_strlen(cell, -1);
    if (is_number(for_people[column].field))
        g_string_append_printf(text, "%*s%s  ", padding, "", cell);
    else
        g_string_append_printf(text, "%s%*s  ", cell, padding, "");
}

// The last column is open; a reason takes the place of the figures.
static void append_line(GString *text, const struct table *t, int row, const int *widths,
                        bool has_reason)
{
    const int last = t->columns - 1;
    for (int i = 0; i < last; i++) {
        if (has_reason && for_people[i].field == COLD) break;
        if (t->is_shown[i]) append_aligned(text, t, row, i, widths[i]);
    }
    g_string_append(text, at(t, row, last));
    while (text->len && text->str[text->len - 1] == ' ') g_string_truncate(text, text->len - 1);
    g_string_append_c(text, '\n');
}

static void append_table(GString *text, const struct table *t, const struct bench_result *r)
{
    int widths[G_N_ELEMENTS(for_people)];
    for (int i = 0; i < t->columns; i++) widths[i] = width_of(t, i);
    for (int row = 0; row < t->rows; row++)
        append_line(text, t, row, widths, row && r->rows[row - 1].reason[0]);
}

static void append_markdown(GString *text, const struct table *t)
{
    for (int row = 0; row < t->rows; row++) {
        for (int i = 0; i < t->columns; i++)
            if (t->is_shown[i]) {
                char **parts = g_strsplit(at(t, row, i), "|", -1);
                char *cell = g_strjoinv("\\|", parts);
                g_string_append_printf(text, "| %s ", cell);
                g_free(cell);
                g_strfreev(parts);
            }
        g_string_append(text, "|\n");
        for (int i = 0; i < t->columns && !row; i++)
            if (t->is_shown[i])
                g_string_append(text, is_number(for_people[i].field) ? "|---:" : "|---");
        if (!row) g_string_append(text, "|\n");
    }
}

// ---- csv ----

static void append_csv(GString *text, const struct bench_result *r, const struct bench_about *about)
{
    GString *cell = g_string_new(NULL);
    for (int row = -1; row < r->count; row++) {  // the titles come first
        for (size_t i = 0; i < G_N_ELEMENTS(for_programs); i++) {
            if (row < 0)
                write_title(cell, &for_programs[i], axis_name(r));
            else
                write_cell(cell, &for_programs[i],
                           &(struct cell){&r->rows[row], about, axis_name(r)}, true);
            csv_append(text, cell->str);
        }
        csv_end_line(text);
    }
    g_string_free(cell, TRUE);
}

// ---- json ----

static cJSON *row_json(const struct cell *cell)
{
    cJSON *json = cJSON_CreateObject();
    GString *text = g_string_new(NULL), *title = g_string_new(NULL);
    for (int i = 0; i < OF_A_ROW; i++) {
        const struct column *column = &for_programs[i];
        write_title(title, column, cell->axis);
        write_cell(text, column, cell, true);
        if (!text->len)
            cJSON_AddNullToObject(json, title->str);
        else if (is_number(column->field))
            cJSON_AddNumberToObject(json, title->str, g_ascii_strtod(text->str, NULL));
        else
            cJSON_AddStringToObject(json, title->str, text->str);
    }
    g_string_free(title, TRUE);
    g_string_free(text, TRUE);
    return json;
}

static cJSON *device_json(const struct device *d)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "id", d->id);
    cJSON_AddStringToObject(json, "name", d->name);
    cJSON_AddStringToObject(json, "arch", d->arch);
    cJSON_AddStringToObject(json, "driver", d->driver);
    if (d->clock_mhz)
        cJSON_AddNumberToObject(json, "clock_mhz", d->clock_mhz);
    else
        cJSON_AddNullToObject(json, "clock_mhz");
    return json;
}

static cJSON *picture_json(const struct bench_about *about)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", about->picture_name);
    cJSON_AddNumberToObject(json, "width", about->picture.width);
    cJSON_AddNumberToObject(json, "height", about->picture.height);
    cJSON_AddNumberToObject(json, "planes", about->picture.count);
    return json;
}

static void append_json(GString *text, const struct bench_result *r,
                        const struct bench_about *about)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "tilescope", TILESCOPE_VERSION);
    cJSON_AddStringToObject(json, "date", about->date);
    cJSON_AddItemToObject(json, "device", device_json(about->device));
    if (about->picture.width) {
        cJSON_AddItemToObject(json, "picture", picture_json(about));
        cJSON_AddNumberToObject(json, "cold_buffer_pairs", r->pairs);
        cJSON_AddNumberToObject(json, "cold_buffer_bytes",
                                (double)r->pairs * (double)r->pair_bytes);
    }
    cJSON_AddBoolToObject(json, "is_complete", !r->is_stopped && !r->failure[0]);
    cJSON *rows = cJSON_AddArrayToObject(json, "rows");
    for (int i = 0; i < r->count; i++)
        cJSON_AddItemToArray(rows, row_json(&(struct cell){&r->rows[i], about, axis_name(r)}));
    char *printed = cJSON_Print(json);
    g_string_append_printf(text, "%s\n", printed);
    cJSON_free(printed);
    cJSON_Delete(json);
}

char *bench_report(const char *format, const struct bench_result *r,
                   const struct bench_about *about)
{
    GString *text = g_string_new(NULL);
    if (format && !strcmp(format, "csv")) {
        append_csv(text, r, about);
    } else if (format && !strcmp(format, "json")) {
        append_json(text, r, about);
    } else {
        struct table t = make_table(r, about);
        append_heading(text, r, about);
        if (format && !strcmp(format, "markdown"))
            append_markdown(text, &t);
        else
            append_table(text, &t, r);
        g_ptr_array_free(t.texts, TRUE);
    }
    return g_string_free(text, FALSE);
}
