#include "measure/bench_report.h"

#include <cjson/cJSON.h>
#include <glib.h>
#include <string.h>

#include "base/csv.h"
#include "measure/bench_columns.h"
#include "measure/figures.h"

static const char *axis_name(const struct bench_result *r)
{
    return *r->axis ? r->axis : "radius";
}

// ---- table ----

char *bench_report_line(const struct bench_about *about)
{
    return g_strdup_printf("%s%s%s · %.10s", about->device->name, *about->subject ? " · " : "",
                           about->subject, about->date);
}

// Of labs alone, every group has buffers of its own.
static void append_buffers(GString *text, const struct bench_result *r, size_t l2_bytes)
{
    if (!r->pairs) {
        g_string_append(text,
                        "cold: copies of the arrays in turn, as many as fill the cache three "
                        "times (1024 at most);\nhot: one; n samples of 0.2 ms or more. Of the "
                        "cold median: GB/s (of what is needed of the arrays), ");
        return;
    }
    const double bytes = (double)r->pairs * (double)r->pair_bytes;
    g_string_append_printf(
        text,
        "cold: %d pair%s of buffers in turn, %.3g MB%s; hot: one pair; n samples of 0.2 ms or "
        "more.\n"
        "Of the cold median: Gpix/s (of pixels), GB/s (each sample read once and written once), ",
        r->pairs, r->pairs == 1 ? "" : "s", bytes * 1e-6,
        bytes <= (double)l2_bytes ? ", which fit in the cache" : "");
}

static void append_heading(GString *text, const struct bench_result *r, const struct bench_about *a)
{
    const struct device *d = a->device;
    g_string_append_printf(text, "%s (%s%s%s, %s", d->name, d->id, d->arch[0] ? ", " : "", d->arch,
                           d->driver);
    if (d->clock_mhz) g_string_append_printf(text, ", up to %d MHz", d->clock_mhz);
    g_string_append_printf(text, ")\n%s%s%s\n", a->subject, *a->subject ? ", " : "", a->date);
    append_buffers(text, r, d->l2_bytes);
    g_string_append_printf(
        text,
        "%s\n(a device copy's time over it), %s (naive's time over it, in its own "
        "block), of the same turns.\n\n",
        FIGURES_COPY, FIGURES_NAIVE);
}

// Every cell of the table: rows of columns, the titles first. Freed as one chunk of strings.
struct table {
    GPtrArray *texts;
    int rows;
    struct bench_columns columns;
    bool is_shown[BENCH_COLUMNS_MOST];
};

static const char *at(const struct table *t, int row, int column)
{
    return t->texts->pdata[row * t->columns.count + column];
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
        g_ptr_array_new_with_free_func(g_free), r->count + 1, bench_columns_for_people, {false}};
    GString *text = g_string_new(NULL);
    for (int i = 0; i < t.columns.count; i++) {
        bench_columns_write_title(text, &t.columns.list[i], axis_name(r));
        g_ptr_array_add(t.texts, g_strdup(text->str));
    }
    for (int row = 0; row < r->count; row++)
        for (int i = 0; i < t.columns.count; i++) {
            bench_columns_write_cell(text, &t.columns.list[i],
                                     &(struct bench_cell){&r->rows[row], about, axis_name(r)},
                                     false);
            g_ptr_array_add(t.texts, g_strdup(text->str));
        }
    g_string_free(text, TRUE);
    for (int i = 0; i < t.columns.count; i++) t.is_shown[i] = says_something(&t, i);
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
    if (bench_columns_is_number(&t->columns.list[column]))
        g_string_append_printf(text, "%*s%s  ", padding, "", cell);
    else
        g_string_append_printf(text, "%s%*s  ", cell, padding, "");
}

// The last column is open; a reason takes the place of the figures.
static void append_line(GString *text, const struct table *t, int row, const int *widths,
                        bool has_reason)
{
    const int last = t->columns.count - 1;
    for (int i = 0; i < last; i++) {
        if (has_reason && t->columns.list[i].is_time) break;
        if (t->is_shown[i]) append_aligned(text, t, row, i, widths[i]);
    }
    g_string_append(text, at(t, row, last));
    while (text->len && text->str[text->len - 1] == ' ') g_string_truncate(text, text->len - 1);
    g_string_append_c(text, '\n');
}

static void append_table(GString *text, const struct table *t, const struct bench_result *r)
{
    int widths[BENCH_COLUMNS_MOST];
    for (int i = 0; i < t->columns.count; i++) widths[i] = width_of(t, i);
    for (int row = 0; row < t->rows; row++)
        append_line(text, t, row, widths, row && r->rows[row - 1].reason[0]);
}

// ---- csv ----

static void append_csv(GString *text, const struct bench_result *r, const struct bench_about *about)
{
    const struct bench_columns all = bench_columns_for_programs;
    GString *cell = g_string_new(NULL);
    for (int row = -1; row < r->count; row++) {  // the titles come first
        for (int i = 0; i < all.count; i++) {
            if (row < 0)
                bench_columns_write_title(cell, &all.list[i], axis_name(r));
            else
                bench_columns_write_cell(cell, &all.list[i],
                                         &(struct bench_cell){&r->rows[row], about, axis_name(r)},
                                         true);
            csv_append(text, cell->str);
        }
        csv_end_line(text);
    }
    g_string_free(cell, TRUE);
}

// ---- json ----

static cJSON *row_json(const struct bench_cell *cell)
{
    cJSON *json = cJSON_CreateObject();
    GString *text = g_string_new(NULL), *title = g_string_new(NULL);
    for (int i = 0; i < bench_columns_for_programs.count; i++) {
        const struct bench_column *column = &bench_columns_for_programs.list[i];
        if (column->is_of_run) continue;
        bench_columns_write_title(title, column, cell->axis);
        bench_columns_write_cell(text, column, cell, true);
        if (!text->len)
            cJSON_AddNullToObject(json, title->str);
        else if (bench_columns_is_number(column))
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
        cJSON_AddItemToArray(rows,
                             row_json(&(struct bench_cell){&r->rows[i], about, axis_name(r)}));
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
        append_table(text, &t, r);
        g_ptr_array_free(t.texts, TRUE);
    }
    return g_string_free(text, FALSE);
}
