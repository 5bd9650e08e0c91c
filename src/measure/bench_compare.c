// This file is long because reading, pairing and telling share the columns of a case.
#include "measure/bench_compare.h"

#include <cjson/cJSON.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/rows.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/text.h"
#include "measure/figures.h"

// ---- files ----

// The reader's place in a file.
struct file_reader {
    const char *path;
    int row;  // from 1; 0: before the rows
    struct error *err;
};

static bool refuse(const struct file_reader *r, const char *what)
{
    if (r->row) return error_set(r->err, "'%s': row %d: %s", r->path, r->row, what);
    return error_set(r->err, "'%s' is not a benchmark of tilescope: %s", r->path, what);
}

static const cJSON *member(const cJSON *json, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(json, name);
}

// kind is "cold" or "hot".
static bool read_times(const struct file_reader *r, const cJSON *row, const char *kind,
                       struct stats_summary *ms)
{
    g_autofree char *members = g_strdup_printf("%s_median_ms%%g %s_lower_quartile_ms%%g "
                                               "%s_upper_quartile_ms%%g %s_count%%d",
                                               kind, kind, kind, kind);
    *ms = (struct stats_summary){0};
    const char *wrong =
        rows_read_members(row, members, &ms->median, &ms->lower, &ms->upper, &ms->count);
    if (wrong) return refuse(r, wrong);
    if (!ms->count) *ms = (struct stats_summary){0};
    return !ms->count || (ms->lower > 0 && ms->lower <= ms->median && ms->median <= ms->upper) ||
           refuse(r, "its quartiles do not lie around its median");
}

// picture: its size, which a lab's arrays take the place of.
static bool read_row(const struct file_reader *r, const cJSON *json, const char *picture,
                     struct bench_file_row *row)
{
    struct stats_summary hot;
    char check[64];
    int width, height;
    if (!cJSON_IsObject(json)) return refuse(r, "it is not an object");
    const char *wrong = rows_read_members(
        json, "filter%s variant%s params%s unroll%s arrays%s check%s block_width%d block_height%d",
        row->parts[BENCH_FILE_FILTER], sizeof *row->parts, row->parts[BENCH_FILE_VARIANT],
        sizeof *row->parts, row->parts[BENCH_FILE_PARAMS], sizeof *row->parts,
        row->parts[BENCH_FILE_UNROLL], sizeof *row->parts, row->parts[BENCH_FILE_SIZE],
        sizeof *row->parts, check, sizeof check, &width, &height);
    // The axis is the member between the other params and the block, whatever its name is.
    const cJSON *params = member(json, "params"), *axis = params ? params->next : NULL;
    if (axis && strcmp(axis->string, "block_width") != 0) {
        g_autofree char *name = terminal_clean(axis->string);
        row->has_value = cJSON_IsNumber(axis) && isfinite(axis->valuedouble);
        row->value = row->has_value ? axis->valuedouble : 0;
        if (!row->has_value && !cJSON_IsNull(axis)) wrong = "a figure is not a number";
        text_copy_line(row->axis, sizeof row->axis, name);
    }
    if (wrong) return refuse(r, wrong);
    if (!read_times(r, json, "cold", &row->ms) || !read_times(r, json, "hot", &hot)) return false;
    if (!row->parts[BENCH_FILE_VARIANT][0]) return refuse(r, "it names no variant");
    if (width) g_snprintf(row->parts[BENCH_FILE_BLOCK], BENCH_FILE_WORDS, "%d×%d", width, height);
    row->is_wrong = g_str_has_prefix(check, "wrong");
    row->is_hot = !row->ms.count;
    if (row->is_hot) row->ms = hot;
    if (!row->parts[BENCH_FILE_SIZE][0])
        g_strlcpy(row->parts[BENCH_FILE_SIZE], picture, BENCH_FILE_WORDS);
    return true;
}

static bool read_all(struct file_reader *r, const cJSON *json, struct bench_file *f)
{
    const cJSON *device = member(json, "device"), *rows = member(json, "rows"),
                *size = member(json, "picture");
    char picture[BENCH_FILE_WORDS] = "";
    if (!cJSON_IsObject(json)) return refuse(r, "it is not a JSON object");
    if (!cJSON_IsObject(device)) return refuse(r, "it names no device");
    const char *wrong = rows_read_members(json, "tilescope%s date%s", f->program, sizeof f->program,
                                          f->date, sizeof f->date);
    if (!wrong)
        wrong = rows_read_members(device, "name%s driver%s", f->device, sizeof f->device, f->driver,
                                  sizeof f->driver);
    if (wrong) return refuse(r, wrong);
    if (size) {
        char name[96];
        int width, height, planes;
        wrong = rows_read_members(size, "name%s width%d height%d planes%d", name, sizeof name,
                                  &width, &height, &planes);
        if (wrong) return refuse(r, wrong);
        g_snprintf(picture, sizeof picture, "%d×%d %s", width, height,
                   planes == 1 ? "grey" : "colour");
        text_append(f->subject, sizeof f->subject, "%s %s", picture, name);
    }
    if (!cJSON_IsArray(rows)) return refuse(r, "it has no rows");
    const int count = cJSON_GetArraySize(rows);
    if (count > BENCH_FILE_MAX_ROWS) return refuse(r, "it has too many rows");
    f->rows = g_new0(struct bench_file_row, count + 1);
    for (const cJSON *row = rows->child; row; row = row->next) {
        r->row = f->count + 1;
        if (!read_row(r, row, picture, &f->rows[f->count++])) return false;
    }
    return true;
}

bool bench_file_parse(struct bench_file *f, const char *path, const char *text, struct error *err)
{
    struct bench_file found = {.count = 0};
    struct file_reader r = {.path = path, .err = err};
    if (!g_utf8_validate(text, -1, NULL)) return refuse(&r, "it is not UTF-8 text");
    cJSON *json = cJSON_Parse(text);
    const bool is_read = read_all(&r, json, &found);
    cJSON_Delete(json);
    if (is_read)
        *f = found;
    else
        bench_file_finish(&found);
    return is_read;
}

bool bench_file_load(struct bench_file *f, const char *path, struct error *err)
{
    g_autofree char *text = file_read_text(path, err);
    return text && bench_file_parse(f, path, text, err);
}

void bench_file_finish(struct bench_file *f)
{
    g_free(f->rows);
    *f = (struct bench_file){.count = 0};
}

// ---- pairs ----

// The columns by which rows are told apart, and one that tells no rows apart: it can be named.
enum { DEVICE_PART = BENCH_FILE_PARTS, PARTS };
static const char key_parts[PARTS][8] = {
    [BENCH_FILE_FILTER] = "filter", [BENCH_FILE_VARIANT] = "variant",
    [BENCH_FILE_PARAMS] = "params", [BENCH_FILE_BLOCK] = "block",
    [BENCH_FILE_UNROLL] = "unroll", [BENCH_FILE_SIZE] = "size",
    [DEVICE_PART] = "device"};

static bool is_copy(const struct bench_file_row *r)
{
    return !r->parts[BENCH_FILE_FILTER][0];
}

// A row without the ignored columns; the caller frees it. A copy pairs with copies.
static char *key_of(const struct bench_file_row *r, unsigned int ignored)
{
    GString *key = g_string_new(is_copy(r) ? "copy" : "");
    for (int part = 0; part < BENCH_FILE_PARTS; part++) {
        if (ignored & 1u << part) continue;
        g_string_append_printf(key, "\t%s", r->parts[part]);
        if (part == BENCH_FILE_PARAMS)
            g_string_append_printf(key, "\t%s\t%.17g", r->axis, r->value);
    }
    return g_string_free(key, FALSE);
}

static bool read_ignored(unsigned int *ignored, const char *text, struct error *err)
{
    bool is_good = true;
    *ignored = 0;
    g_auto(GStrv) names = g_strsplit(text ? text : "", ",", -1);
    for (char **name = names; is_good && *name; name++) {
        int part = 0;
        while (part < PARTS && strcmp(key_parts[part], g_strstrip(*name)) != 0) part++;
        *ignored |= 1u << part;
        if (part < PARTS) continue;
        is_good = error_set(err, "compare has no column '%s' to ignore", *name);
        suggest_known(err, *name, key_parts, PARTS, sizeof key_parts[0]);
    }
    return is_good;
}

static struct bench_compare_pair pair_of(const struct bench_file_row *a,
                                         const struct bench_file_row *b)
{
    struct bench_compare_pair p = {a, b, BENCH_COMPARE_UNTIMED, 0, 0, 0};
    if (!a || !b || !a->ms.count || !b->ms.count || a->is_hot != b->is_hot) return p;
    const enum figures_order order = figures_compare(a->ms, b->ms);
    p.verdict = a->is_wrong || b->is_wrong          ? BENCH_COMPARE_WRONG
                : order == FIGURES_FIRST_IS_FASTER  ? BENCH_COMPARE_SLOWER
                : order == FIGURES_SECOND_IS_FASTER ? BENCH_COMPARE_FASTER
                                                    : BENCH_COMPARE_UNCLEAR;
    p.ratio = b->ms.median / a->ms.median;
    p.lower = b->ms.lower / a->ms.upper;
    p.upper = b->ms.upper / a->ms.lower;
    return p;
}

// The rows of each key, in their order: a queue of struct bench_file_row.
static GHashTable *rows_by_key(const struct bench_file *f, unsigned int ignored)
{
    GHashTable *rows =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_queue_free);
    for (int i = 0; i < f->count; i++) {
        g_autofree char *key = key_of(&f->rows[i], ignored);
        GQueue *queue = g_hash_table_lookup(rows, key);
        if (!queue) g_hash_table_insert(rows, g_strdup(key), queue = g_queue_new());
        g_queue_push_tail(queue, &f->rows[i]);
    }
    return rows;
}

bool bench_compare_init(struct bench_compare *c, const struct bench_file *a,
                        const struct bench_file *b, const char *ignore, struct error *err)
{
    unsigned int ignored;
    const int most = a->count + (b ? b->count : 0) + 1;
    if (!read_ignored(&ignored, ignore, err)) return false;
    *c = (struct bench_compare){a, b ? b : a, ignore, g_new0(struct bench_compare_pair, most), 0};
    g_autoptr(GHashTable) left = rows_by_key(c->b, ignored);  // those that a has not met
    for (int i = 0; i < a->count; i++) {
        g_autofree char *key = key_of(&a->rows[i], ignored);
        GQueue *const alike = g_hash_table_lookup(left, key);
        if (b)
            c->pairs[c->count++] = pair_of(&a->rows[i], alike ? g_queue_pop_head(alike) : NULL);
        else if (g_queue_peek_head(alike) != &a->rows[i])
            c->pairs[c->count++] = pair_of(g_queue_peek_head(alike), &a->rows[i]);
    }
    for (int i = 0; b && i < b->count; i++) {
        g_autofree char *key = key_of(&b->rows[i], ignored);
        const struct bench_file_row *const row = g_queue_pop_head(g_hash_table_lookup(left, key));
        if (row) c->pairs[c->count++] = pair_of(NULL, row);
    }
    return true;
}

// The fewest columns without which some case is in both files; 0: there is none.
static unsigned int find_ignored(const struct bench_file *a, const struct bench_file *b)
{
    for (int wanted = 1; wanted <= PARTS; wanted++)
        for (unsigned int set = 1; set < 1u << DEVICE_PART; set++) {
            if (__builtin_popcount(set) != wanted) continue;
            g_autoptr(GHashTable) rows = rows_by_key(b, set);
            for (int i = 0; i < a->count; i++) {
                g_autofree char *key = key_of(&a->rows[i], set);
                if (!is_copy(&a->rows[i]) && g_hash_table_contains(rows, key)) return set;
            }
        }
    return 0;
}

bool bench_compare_check(const struct bench_compare *c, struct error *err)
{
    for (int i = 0; i < c->count; i++)
        if (c->pairs[i].a && c->pairs[i].b && !is_copy(c->pairs[i].a)) return true;
    if (c->a == c->b && c->ignore) return error_set(err, "no cases differ in %s alone", c->ignore);
    const unsigned int set = find_ignored(c->a, c->b);
    if (!set) return error_set(err, "one of the runs has no case: there is nothing to compare");
    g_autoptr(GString) names = g_string_new(NULL);
    for (int part = 0; part < PARTS; part++)
        if (set >> part & 1)
            g_string_append_printf(names, "%s%s", names->len ? "," : "", key_parts[part]);
    error_set(err, "the runs have no case in common; --ignore %s pairs cases that differ in it",
              names->str);
    return false;
}

void bench_compare_finish(struct bench_compare *c)
{
    g_free(c->pairs);
    *c = (struct bench_compare){.count = 0};
}

// ---- cells ----

// The part that tells the row from others, as one of the first columns.
static char *name_of(const struct bench_file_row *row, int part)
{
    const char *unit = g_str_has_suffix(row->axis, "_px") ? "_px" : "", *words = row->parts[part];
    const int axis_length = (int)(strlen(row->axis) - strlen(unit));
    if (part != BENCH_FILE_PARAMS || !row->has_value) return g_strdup(words);
    return g_strdup_printf("%s%s%.*s=%.10g", words, *words ? " " : "", axis_length, row->axis,
                           row->value);  // "radius=3" behind the other params
}

// The cell of an ignored column has the values of both rows: "off → on".
static void add_name(struct rows *rows, const struct bench_compare_pair *p, int part)
{
    g_autofree char *a = name_of(p->a ? p->a : p->b, part), *b = name_of(p->b ? p->b : p->a, part);
    if (strcmp(a, b) != 0)
        rows_add_format(rows, "%s → %s", *a ? a : "–", *b ? b : "–");
    else
        rows_add(rows, strcmp(a, "off") != 0 ? a : "");
}

static void add_three(struct rows *rows, double value)
{
    rows_add(rows, value > 0 ? number_three(value).text : "");
}

static void add_times(struct rows *rows, const struct bench_file_row *row)
{
    char spread[64] = "";
    if (row) figures_write_quartiles(spread, sizeof spread, row->ms);
    add_three(rows, row && row->ms.count ? row->ms.median : 0);
    rows_add(rows, spread);
}

// ---- the report ----

static void append_table(GString *text, const struct bench_compare *c)
{
    static const char *const figures[] = {"a ms",      "quartiles", "b ms",
                                          "quartiles", "b/a",       "spread"};
    struct rows rows = rows_begin();
    for (int i = 0; i <= BENCH_FILE_UNROLL; i++) rows_add_column(&rows, ROWS_WORDS, key_parts[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(figures); i++)
        rows_add_column(&rows, ROWS_NUMBER, figures[i]);
    rows_add_column(&rows, ROWS_WORDS, "");
    for (int k = 0; k < c->count; k++) {
        const struct bench_compare_pair *p = &c->pairs[k];
        for (int i = 0; i <= BENCH_FILE_UNROLL; i++) add_name(&rows, p, i);
        add_times(&rows, p->a);
        add_times(&rows, p->b);
        add_three(&rows, p->ratio);
        if (p->ratio > 0)
            rows_add_format(&rows, "%s–%s", number_three(p->lower).text,
                            number_three(p->upper).text);
        else
            rows_add(&rows, "");
        static const char *const words[] = {[BENCH_COMPARE_FASTER] = "▲ b is faster",
                                            [BENCH_COMPARE_SLOWER] = "▼ b is slower",
                                            [BENCH_COMPARE_UNCLEAR] = "within the spread",
                                            [BENCH_COMPARE_UNTIMED] = "no time"};
        if (!p->a || !p->b)
            rows_add_format(&rows, "only in %s", p->a ? "a" : "b");
        else if (p->verdict == BENCH_COMPARE_WRONG)
            rows_add_format(&rows, "✗ %s wrong",
                            p->a->is_wrong && p->b->is_wrong ? "both are"
                            : p->a->is_wrong                 ? "a is"
                                                             : "b is");
        else
            rows_add(&rows, words[p->verdict]);
    }
    rows_end_text(&rows, text);
}

char *bench_compare_report(const struct bench_compare *c, const char *a_name, const char *b_name)
{
    GString *text = g_string_new(NULL);
    const int files = b_name ? 2 : 1;
    for (int i = 0; i < files; i++) {
        const struct bench_file *f = i ? c->b : c->a;
        g_string_append_printf(text, "%s  %s: %s, %s%s%s, tilescope %s, %s\n",
                               !b_name ? "a, b"
                               : i     ? "b"
                                       : "a",
                               i ? b_name : a_name, f->device, f->driver, *f->subject ? ", " : "",
                               f->subject, f->program, f->date);
    }
    const struct {
        const char *what, *a, *b;
    } parts[] = {{"devices", c->a->device, c->b->device},
                 {"drivers", c->a->driver, c->b->driver},
                 {"pictures", c->a->subject, c->b->subject},
                 {"versions of tilescope", c->a->program, c->b->program}};
    const gsize before = text->len;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strcmp(parts[i].a, parts[i].b) != 0)
            g_string_append_printf(
                text, "%s%s", text->len > before ? ", " : "The runs differ in: ", parts[i].what);
    if (text->len > before) g_string_append(text, ".\n");
    for (int i = 0; i < files; i++) {
        const char *driver = i ? c->b->driver : c->a->driver;  // a CPU's is its compiler
        if (!strstr(driver, "driver ") && !strstr(driver, "CUDA "))
            g_string_append_printf(text, "%s has times of a CPU: they say nothing about a GPU.\n",
                                   i ? "b" : "a");
    }
    g_string_append(text,
                    "Cold medians and quartiles, ms a launch. b is faster or slower where the "
                    "quartiles do not\noverlap and the ratio is not 1.00; else the difference is "
                    "within the spread.\n\n");
    append_table(text, c);
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
    return g_string_free(text, FALSE);
}
