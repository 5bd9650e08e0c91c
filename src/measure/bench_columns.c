#include "measure/bench_columns.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "measure/figures.h"
#include "measure/subject.h"

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

bool bench_columns_is_number(const struct bench_column *column)
{
    return column->field >= AXIS;
}

// ---- texts ----

// All params but the axis.
static void append_params(GString *text, const struct bench_cell *c)
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
    if (row->reason[0] || !row->filter) return;
    const bool is_variant = filter_variant(row->filter, row->variant) != NULL;
    g_string_append(text, row->is_unchecked ? "unchecked (budget)"
                          : is_variant      ? result_check_name(row->check)
                                            : "reference");
    if (row->wrong_by.is_outside)
        g_string_append_printf(text, ", writes behind %s",
                               row->filter->arrays[row->wrong_by.plane].name);
    else if (row->check >= CHECK_NEAR)
        g_string_append_printf(text, ", max %d", row->wrong_by.max);
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

static void append_text(GString *text, const struct bench_cell *c, enum field field)
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
static double axis_of(const struct bench_cell *c)
{
    const struct bench_row *row = c->row;
    const int index = row->filter ? filter_param(row->filter, c->axis) : -1;
    return index < 0 ? NAN : row->settings.params.v[index];
}

// Of numbers that count or measure, 0 means that there is none.
static double number_of(const struct bench_cell *c, enum field field)
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

// To add a figure: a row in one of these, or in both.
static const struct bench_column for_people[] = {
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

// csv has no place but columns for what is the same in every row; json leaves it out of its rows.
static const struct bench_column for_programs[] = {
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
    {"width", .field = WIDTH, .is_of_run = true},
    {"height", .field = HEIGHT, .is_of_run = true},
    {"planes", .field = PLANES, .is_of_run = true},
    {"device", .field = DEVICE, .is_of_run = true},
    {"driver", .field = DRIVER, .is_of_run = true},
    {"clock_mhz", .field = CLOCK_MHZ, .is_of_run = true},
    {"date", .field = DATE, .is_of_run = true},
};

G_STATIC_ASSERT(G_N_ELEMENTS(for_people) <= BENCH_COLUMNS_MOST);
G_STATIC_ASSERT(G_N_ELEMENTS(for_programs) <= BENCH_COLUMNS_MOST);
const struct bench_columns bench_columns_for_people = {for_people, G_N_ELEMENTS(for_people)};
const struct bench_columns bench_columns_for_programs = {for_programs, G_N_ELEMENTS(for_programs)};

const char *bench_columns_unit(const char *axis, const char *unit)
{
    return strcmp(axis, "radius") ? "" : unit;
}

char *bench_columns_axis(const struct param *axis)
{
    const char *help = *bench_columns_unit(axis->name, "px") ? "pixels" : axis->help;
    return g_strdup_printf("%s%s%s", axis->name, *help ? ", " : "", help);
}

void bench_columns_write_title(GString *text, const struct bench_column *column, const char *axis)
{
    const bool is_axis = column->field == AXIS;
    g_string_assign(text, is_axis ? axis : column->title);
    if (is_axis) g_string_append(text, bench_columns_unit(axis, column->title));
}

void bench_columns_write_cell(GString *text, const struct bench_column *column,
                              const struct bench_cell *c, bool is_exact)
{
    g_string_truncate(text, 0);
    if (!bench_columns_is_number(column)) {
        append_text(text, c, (enum field)column->field);
        return;
    }
    char three[32];
    const double value = number_of(c, (enum field)column->field);
    if (isnan(value)) return;
    number_three(three, sizeof three, value);
    if (column->is_time && !is_exact && c->row->check == CHECK_WRONG) g_string_append(text, "✗ ");
    if (is_exact || column->is_whole)
        g_string_append_printf(text, column->field == AXIS ? "%.10g" : "%.6g", value);
    else
        g_string_append(text, three);
}
