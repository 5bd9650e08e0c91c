#include "measure/bench_compare.h"

#include <glib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "measure/figures.h"

// ---- pairs ----

static char *key_of(const struct bench_file_row *r)
{
    return g_strdup_printf("%s\t%s\t%s\t%s\t%.17g\t%d\t%d\t%s\t%s", r->filter, r->variant,
                           r->params, r->axis, r->value, r->block_width, r->block_height, r->unroll,
                           r->size);
}

static enum bench_compare_verdict verdict_of(const struct bench_file_row *a,
                                             const struct bench_file_row *b)
{
    if (!a->ms.count || !b->ms.count || a->is_hot != b->is_hot) return BENCH_COMPARE_UNTIMED;
    if (a->is_wrong || b->is_wrong) return BENCH_COMPARE_WRONG;
    switch (figures_compare(a->ms, b->ms)) {
    case FIGURES_EQUAL:
    case FIGURES_UNCLEAR:
        return BENCH_COMPARE_UNCLEAR;
    case FIGURES_FIRST_IS_FASTER:
        return BENCH_COMPARE_SLOWER;
    case FIGURES_SECOND_IS_FASTER:
        break;
    }
    return BENCH_COMPARE_FASTER;
}

static struct bench_compare_pair pair_of(const struct bench_file_row *a,
                                         const struct bench_file_row *b)
{
    struct bench_compare_pair p = {a, b, BENCH_COMPARE_UNTIMED, 0, 0, 0};
    if (!a || !b) return p;
    p.verdict = verdict_of(a, b);
    if (p.verdict == BENCH_COMPARE_UNTIMED) return p;
    p.ratio = b->ms.median / a->ms.median;
    p.lower = b->ms.lower / a->ms.upper;
    p.upper = b->ms.upper / a->ms.lower;
    return p;
}

// The first row of each key.
static GHashTable *rows_by_key(const struct bench_file *f)
{
    GHashTable *rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int i = f->count - 1; i >= 0; i--)
        g_hash_table_replace(rows, key_of(&f->rows[i]), &f->rows[i]);
    return rows;
}

void bench_compare_init(struct bench_compare *c, const struct bench_file *a,
                        const struct bench_file *b)
{
    GHashTable *left = rows_by_key(b);  // of b's rows, those that a has not met
    *c =
        (struct bench_compare){a, b, g_new0(struct bench_compare_pair, a->count + b->count + 1), 0};
    for (int i = 0; i < a->count; i++) {
        char *key = key_of(&a->rows[i]);
        c->pairs[c->count++] = pair_of(&a->rows[i], g_hash_table_lookup(left, key));
        g_hash_table_remove(left, key);
        g_free(key);
    }
    for (int i = 0; i < b->count; i++) {
        char *key = key_of(&b->rows[i]);
        if (g_hash_table_remove(left, key)) c->pairs[c->count++] = pair_of(NULL, &b->rows[i]);
        g_free(key);
    }
    g_hash_table_destroy(left);
}

void bench_compare_finish(struct bench_compare *c)
{
    g_free(c->pairs);
    *c = (struct bench_compare){.count = 0};
}

// ---- cells ----

enum column {
    FILTER,
    VARIANT,
    PARAMS,
    BLOCK,
    UNROLL,
    A_MS,
    A_SPREAD,
    B_MS,
    B_SPREAD,
    RATIO,
    RATIO_SPREAD,
    VERDICT,
    COLUMNS
};

static const struct {
    const char *title;
    bool is_number;
} columns[COLUMNS] = {
    [FILTER] = {"filter", false},      [VARIANT] = {"variant", false},
    [PARAMS] = {"params", false},      [BLOCK] = {"block", false},
    [UNROLL] = {"unroll", false},      [A_MS] = {"a ms", true},
    [A_SPREAD] = {"quartiles", true},  [B_MS] = {"b ms", true},
    [B_SPREAD] = {"quartiles", true},  [RATIO] = {"b/a", true},
    [RATIO_SPREAD] = {"spread", true}, [VERDICT] = {"", false},
};

enum { CELL = BENCH_FILE_WORDS + BENCH_FILE_NAME };

struct row_cells {
    char cells[COLUMNS][CELL];
};

// "radius=3" behind the other params.
static void write_params(const struct bench_file_row *row, char *text, size_t size)
{
    const char *unit = g_str_has_suffix(row->axis, "_px") ? "_px" : "";
    text_copy(text, size, row->params);
    if (row->has_value)
        text_append(text, size, "%s%.*s=%.10g", *text ? " " : "",
                    (int)(strlen(row->axis) - strlen(unit)), row->axis, row->value);
}

static void write_verdict(char *text, size_t size, const struct bench_compare_pair *p)
{
    static const char *const words[] = {[BENCH_COMPARE_FASTER] = "▲ b is faster",
                                        [BENCH_COMPARE_SLOWER] = "▼ b is slower",
                                        [BENCH_COMPARE_UNCLEAR] = "within the spread",
                                        [BENCH_COMPARE_UNTIMED] = "no time"};
    if (!p->a || !p->b)
        g_snprintf(text, size, "only in %s", p->a ? "a" : "b");
    else if (p->verdict == BENCH_COMPARE_WRONG)
        g_snprintf(text, size, "✗ %s wrong",
                   p->a->is_wrong && p->b->is_wrong ? "both are"
                   : p->a->is_wrong                 ? "a is"
                                                    : "b is");
    else
        g_strlcpy(text, words[p->verdict], size);
}

static void write_times(char *ms, char *spread, const struct bench_file_row *row)
{
    if (!row || !row->ms.count) return;
    number_three(ms, CELL, row->ms.median);
    figures_write_quartiles(spread, CELL, row->ms);
}

static void fill(struct row_cells *r, const struct bench_compare_pair *p)
{
    const struct bench_file_row *row = p->a ? p->a : p->b;
    memset(r, 0, sizeof *r);
    g_strlcpy(r->cells[FILTER], row->filter, CELL);
    g_strlcpy(r->cells[VARIANT], row->variant, CELL);
    write_params(row, r->cells[PARAMS], CELL);
    if (row->block_width)
        g_snprintf(r->cells[BLOCK], CELL, "%d×%d", row->block_width, row->block_height);
    if (!strcmp(row->unroll, "on")) g_strlcpy(r->cells[UNROLL], "on", CELL);
    write_times(r->cells[A_MS], r->cells[A_SPREAD], p->a);
    write_times(r->cells[B_MS], r->cells[B_SPREAD], p->b);
    if (p->ratio > 0) {
        char lower[32], upper[32];
        number_three(r->cells[RATIO], CELL, p->ratio);
        number_three(lower, sizeof lower, p->lower);
        number_three(upper, sizeof upper, p->upper);
        g_snprintf(r->cells[RATIO_SPREAD], CELL, "%s–%s", lower, upper);
    }
    write_verdict(r->cells[VERDICT], CELL, p);
}

// ---- the report ----

static void append_run(GString *text, const char *letter, const char *name,
                       const struct bench_file *f)
{
    g_string_append_printf(text, "%s  %s: %s, %s%s%s, tilescope %s, %s\n", letter, name, f->device,
                           f->driver, *f->subject ? ", " : "", f->subject, f->program, f->date);
}

static void append_differences(GString *text, const struct bench_file *a,
                               const struct bench_file *b)
{
    const struct {
        const char *what, *a, *b;
    } parts[] = {{"devices", a->device, b->device},
                 {"drivers", a->driver, b->driver},
                 {"pictures", a->subject, b->subject},
                 {"versions of tilescope", a->program, b->program}};
    const gsize before = text->len;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strcmp(parts[i].a, parts[i].b) != 0)
            g_string_append_printf(
                text, "%s%s", text->len > before ? ", " : "The runs differ in: ", parts[i].what);
    if (text->len > before) g_string_append(text, ".\n");
}

static void append_cells(GString *text, const struct row_cells *r, const int *widths)
{
    for (int i = 0; i < COLUMNS; i++) {
        const int padding = widths[i] - (int)g_utf8_strlen(r->cells[i], -1);
        if (!widths[i]) continue;
        if (columns[i].is_number)
            g_string_append_printf(text, "%*s%s  ", padding, "", r->cells[i]);
        else
            g_string_append_printf(text, "%s%*s  ", r->cells[i], padding, "");
    }
    while (text->len && text->str[text->len - 1] == ' ') g_string_truncate(text, text->len - 1);
    g_string_append_c(text, '\n');
}

// A column whose cells are all empty is left out.
static void find_widths(const struct bench_compare *c, int widths[COLUMNS])
{
    struct row_cells row;
    for (int k = 0; k < c->count; k++) {
        fill(&row, &c->pairs[k]);
        for (int i = 0; i < COLUMNS; i++)
            widths[i] = MAX(widths[i], (int)g_utf8_strlen(row.cells[i], -1));
    }
    for (int i = 0; i < COLUMNS; i++)
        if (widths[i]) widths[i] = MAX(widths[i], (int)g_utf8_strlen(columns[i].title, -1));
}

static void append_table(GString *text, const struct bench_compare *c)
{
    struct row_cells row;
    int widths[COLUMNS] = {0};
    find_widths(c, widths);
    for (int i = 0; i < COLUMNS; i++) g_strlcpy(row.cells[i], columns[i].title, CELL);
    append_cells(text, &row, widths);
    for (int k = 0; k < c->count; k++) {
        fill(&row, &c->pairs[k]);
        append_cells(text, &row, widths);
    }
}

static void append_summary(GString *text, const struct bench_compare *c)
{
    int kinds[BENCH_COMPARE_UNTIMED + 1] = {0}, only_a = 0, only_b = 0;
    for (int i = 0; i < c->count; i++) {
        const struct bench_compare_pair *p = &c->pairs[i];
        if (p->a && p->b)
            kinds[p->verdict]++;
        else
            *(p->a ? &only_a : &only_b) += 1;
    }
    g_string_append_printf(text, "\nb is faster in %d, slower in %d; %d within the spread",
                           kinds[BENCH_COMPARE_FASTER], kinds[BENCH_COMPARE_SLOWER],
                           kinds[BENCH_COMPARE_UNCLEAR]);
    if (kinds[BENCH_COMPARE_WRONG])
        g_string_append_printf(text, ", %d wrong", kinds[BENCH_COMPARE_WRONG]);
    if (kinds[BENCH_COMPARE_UNTIMED])
        g_string_append_printf(text, ", %d without a time", kinds[BENCH_COMPARE_UNTIMED]);
    g_string_append_printf(text, "; %d only in a, %d only in b.\n", only_a, only_b);
}

char *bench_compare_report(const struct bench_compare *c, const char *a_name, const char *b_name)
{
    GString *text = g_string_new(NULL);
    append_run(text, "a", a_name, c->a);
    append_run(text, "b", b_name, c->b);
    append_differences(text, c->a, c->b);
    g_string_append(text,
                    "Cold medians and quartiles, ms a launch. b is faster or slower where the "
                    "quartiles do not\noverlap and the ratio is not 1.00; else the difference is "
                    "within the spread.\n\n");
    append_table(text, c);
    append_summary(text, c);
    return g_string_free(text, FALSE);
}
