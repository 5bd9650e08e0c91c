#include "measure/bench_compare.h"

#include <glib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "measure/figures.h"

// ---- pairs ----

// The columns that keep rows apart. DEVICE never does; it can be named all the same.
enum { FILTER_PART, VARIANT_PART, PARAMS_PART, BLOCK_PART, UNROLL_PART, SIZE_PART, DEVICE_PART };
static const char key_parts[][8] = {
    [FILTER_PART] = "filter", [VARIANT_PART] = "variant", [PARAMS_PART] = "params",
    [BLOCK_PART] = "block",   [UNROLL_PART] = "unroll",   [SIZE_PART] = "size",
    [DEVICE_PART] = "device"};
enum { PARTS = G_N_ELEMENTS(key_parts) };

static bool is_copy(const struct bench_file_row *r)
{
    return !r->filter[0];
}

// What remains of a row without the ignored columns; the caller frees it. A copy pairs with copies.
static char *key_of(const struct bench_file_row *r, unsigned int ignored)
{
    GString *key = g_string_new(is_copy(r) ? "copy" : "");
    for (int part = 0; part < PARTS; part++) {
        if (ignored & 1u << part) continue;
        g_string_append_c(key, '\t');
        if (part == FILTER_PART) g_string_append(key, r->filter);
        if (part == VARIANT_PART) g_string_append(key, r->variant);
        if (part == PARAMS_PART)
            g_string_append_printf(key, "%s\t%s\t%.17g", r->params, r->axis, r->value);
        if (part == BLOCK_PART)
            g_string_append_printf(key, "%d\t%d", r->block_width, r->block_height);
        if (part == UNROLL_PART) g_string_append(key, r->unroll);
        if (part == SIZE_PART) g_string_append(key, r->size);
    }
    return g_string_free(key, FALSE);
}

static bool read_ignored(unsigned int *ignored, const char *text, struct error *err)
{
    bool is_good = true;
    *ignored = 0;
    char **names = g_strsplit(text ? text : "", ",", -1);
    for (char **name = names; is_good && *name; name++) {
        int part = 0;
        while (part < PARTS && strcmp(key_parts[part], g_strstrip(*name)) != 0) part++;
        *ignored |= 1u << part;
        if (part < PARTS) continue;
        is_good = error_set(err, "compare has no column '%s' to ignore", *name);
        suggest_known(err, *name, key_parts, PARTS, sizeof key_parts[0]);
    }
    g_strfreev(names);
    return is_good;
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

static void free_queue(gpointer queue)
{
    g_queue_free(queue);
}

// The rows of each key, in their order: a queue of struct bench_file_row.
static GHashTable *rows_by_key(const struct bench_file *f, unsigned int ignored)
{
    GHashTable *rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_queue);
    for (int i = 0; i < f->count; i++) {
        char *key = key_of(&f->rows[i], ignored);
        GQueue *queue = g_hash_table_lookup(rows, key);
        if (!queue) g_hash_table_insert(rows, g_strdup(key), queue = g_queue_new());
        g_queue_push_tail(queue, &f->rows[i]);
        g_free(key);
    }
    return rows;
}

// The first row that is like r and left; NULL: there is none.
static const struct bench_file_row *take_row(GHashTable *left, const struct bench_file_row *r,
                                             unsigned int ignored)
{
    char *key = key_of(r, ignored);
    GQueue *queue = g_hash_table_lookup(left, key);
    g_free(key);
    return queue ? g_queue_pop_head(queue) : NULL;
}

static void pair_rows(struct bench_compare *c, unsigned int ignored)
{
    GHashTable *left = rows_by_key(c->b, ignored);  // of b's rows, those that a has not met
    for (int i = 0; i < c->a->count; i++) {
        const struct bench_file_row *row = &c->a->rows[i];
        c->pairs[c->count++] = pair_of(row, take_row(left, row, ignored));
    }
    for (int i = 0; i < c->b->count; i++) {
        const struct bench_file_row *row = take_row(left, &c->b->rows[i], ignored);
        if (row) c->pairs[c->count++] = pair_of(NULL, row);
    }
    g_hash_table_destroy(left);
}

bool bench_compare_init(struct bench_compare *c, const struct bench_file *a,
                        const struct bench_file *b, const char *ignore, struct error *err)
{
    unsigned int ignored;
    if (!read_ignored(&ignored, ignore, err)) return false;
    *c =
        (struct bench_compare){a, b, g_new0(struct bench_compare_pair, a->count + b->count + 1), 0};
    pair_rows(c, ignored);
    return true;
}

// Whether both files have a case that is the same but for these columns.
static bool shares_case(const struct bench_file *a, const struct bench_file *b,
                        unsigned int ignored)
{
    GHashTable *rows = rows_by_key(b, ignored);
    bool is_shared = false;
    for (int i = 0; i < a->count && !is_shared; i++) {
        char *key = key_of(&a->rows[i], ignored);
        is_shared = !is_copy(&a->rows[i]) && g_hash_table_contains(rows, key);
        g_free(key);
    }
    g_hash_table_destroy(rows);
    return is_shared;
}

// The fewest columns without which some case is in both files; 0: there is none.
static unsigned int find_ignored(const struct bench_file *a, const struct bench_file *b)
{
    for (int wanted = 1; wanted <= PARTS; wanted++)
        for (unsigned int set = 1; set < 1u << DEVICE_PART; set++) {
            int count = 0;
            for (int part = 0; part < PARTS; part++) count += set >> part & 1;
            if (count == wanted && shares_case(a, b, set)) return set;
        }
    return 0;
}

bool bench_compare_check(const struct bench_compare *c, struct error *err)
{
    for (int i = 0; i < c->count; i++)
        if (c->pairs[i].a && c->pairs[i].b && !is_copy(c->pairs[i].a)) return true;
    const unsigned int set = find_ignored(c->a, c->b);
    if (!set) return error_set(err, "one of the runs has no case: there is nothing to compare");
    GString *names = g_string_new(NULL);
    for (int part = 0; part < PARTS; part++)
        if (set >> part & 1)
            g_string_append_printf(names, "%s%s", names->len ? "," : "", key_parts[part]);
    error_set(err, "the runs have no case in common; --ignore %s pairs cases that differ in it",
              names->str);
    g_string_free(names, TRUE);
    return false;
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

enum { CELL = 2 * (BENCH_FILE_WORDS + BENCH_FILE_NAME) };

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

static void write_block(char *text, const struct bench_file_row *row)
{
    if (row->block_width) g_snprintf(text, CELL, "%d×%d", row->block_width, row->block_height);
}

// What tells the row from others; empty cells stay.
static void fill_names(char cells[][CELL], const struct bench_file_row *row)
{
    g_strlcpy(cells[FILTER], row->filter, CELL);
    g_strlcpy(cells[VARIANT], row->variant, CELL);
    write_params(row, cells[PARAMS], CELL);
    write_block(cells[BLOCK], row);
    g_strlcpy(cells[UNROLL], row->unroll, CELL);
}

// Where a column was ignored, its cell has the values of both: "off → on".
static void join_names(struct row_cells *r, const struct bench_file_row *b)
{
    char cells[UNROLL + 1][CELL] = {{0}};
    fill_names(cells, b);
    for (int i = FILTER; i <= UNROLL; i++)
        if (strcmp(cells[i], r->cells[i]) != 0)
            text_append(r->cells[i], CELL, "%s → %s", *r->cells[i] ? "" : "–",
                        *cells[i] ? cells[i] : "–");
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
    fill_names(r->cells, row);
    if (p->a && p->b) join_names(r, p->b);
    if (!strcmp(r->cells[UNROLL], "off")) r->cells[UNROLL][0] = '\0';
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
