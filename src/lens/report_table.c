#include <string.h>

#include "base/number.h"
#include "base/rows.h"
#include "lens/report_parts.h"

enum { SECTOR_BYTES = MODEL_SECTOR_BYTES };

// The first column has words, the others figures.
static struct rows begin(const char *const *headings, int count)
{
    struct rows r = rows_begin();
    for (int i = 0; i < count; i++) rows_add_column(&r, i ? ROWS_NUMBER : ROWS_WORDS, headings[i]);
    return r;
}

static void add_ratio(struct rows *r, double value)
{
    char text[32];
    number_three(text, sizeof text, value);
    rows_add(r, text);
}

// ---- one variant ----

static const char *const headings[] = {"",      "requests",   "lanes", "bytes",     "sectors",
                                       "ideal", "wavefronts", "ideal", "conflicts", "words"};

// Lanes are a request's; the others are sums.
static void add_counts(struct rows *rows, enum trace_space space, const struct lens_counts *c)
{
    for (int i = 0; i < REPORT_FIGURES; i++) {
        const enum report_figure figure = (enum report_figure)i;
        if (!report_has(space, figure))
            rows_add(rows, "");
        else if (figure == REPORT_LANES)
            add_ratio(rows, (double)c->lanes / (double)c->requests);
        else
            rows_add_format(rows, "%llu", report_value(c, figure));
    }
}

static void append_accesses(GString *text, const struct lens_pass *p)
{
    struct rows r = begin(headings, G_N_ELEMENTS(headings));
    for (int space = 0; space < LENS_RESULT_SPACES; space++)
        for (int kind = TRACE_LOAD; kind < LENS_RESULT_KINDS; kind++) {
            const struct lens_counts *c = &p->counts[space][kind];
            if (!c->requests) continue;
            char name[64];
            g_snprintf(name, sizeof name, "%s %s", lens_result_space_name((enum trace_space)space),
                       lens_result_kind_name((enum trace_kind)kind));
            rows_add(&r, name);
            add_counts(&r, (enum trace_space)space, c);
        }
    rows_end_text(&r, text);
}

// "mean.cu:27 > kernel.h:41  global load 1 B"
static void append_line_name(GString *name, const struct lens_line *line)
{
    for (int i = line->chain.count; i-- > 0;)
        g_string_append_printf(name, "%s:%d%s", line->chain.places[i].file,
                               line->chain.places[i].line, i ? " > " : "");
    if (!line->chain.count) g_string_append(name, "?");
    g_string_append_printf(name, "  %s %s %d B", lens_result_space_name(line->space),
                           lens_result_kind_name(line->kind), line->bytes);
}

static void append_lines(GString *text, const struct lens_pass *p)
{
    struct rows r = begin(headings, G_N_ELEMENTS(headings));
    for (int i = 0; i < p->line_count; i++) {
        GString *name = g_string_new(NULL);
        append_line_name(name, &p->lines[i]);
        rows_add(&r, name->str);
        g_string_free(name, TRUE);
        add_counts(&r, p->lines[i].space, &p->lines[i].counts);
    }
    g_string_append_c(text, '\n');
    rows_end_text(&r, text);
}

static void append_faults(GString *text, const struct report_case *one, const char *before)
{
    for (int i = 0; one->result && i < lens_result_fault_count(one->result); i++) {
        char words[320];
        lens_result_write_fault(one->result, i, words, sizeof words);
        g_string_append_printf(text, "%s%s\n", before, words);
    }
}

static void append_compiled(GString *text, const struct variant *v)
{
    if (*v->compiled)
        g_string_append_printf(text, "\n%s: counts as written; the GPU's compiler %s\n", v->name,
                               v->compiled);
}

static bool follows_multiprocessors(const struct report *r)
{
    for (int i = 0; i < r->case_count; i++)
        if (launch_uses_multiprocessors(r->cases[i].choice.variant)) return true;
    return false;
}

static void append_title(GString *text, const struct report *r)
{
    char params[256];
    const struct choice *c = &r->cases[0].choice;
    filter_write_params(c->filter, &c->settings.params, params, sizeof params);
    g_string_append(text, c->filter->name);
    if (!r->is_comparison) g_string_append_printf(text, " %s", c->variant->name);
    if (*params) g_string_append_printf(text, ", %s", params);
    if (*r->subject) g_string_append_printf(text, ", %s", r->subject);
    g_string_append(text, ", counted by the rules of sm_90");
    if (r->threads && follows_multiprocessors(r))
        g_string_append_printf(text, ", with the grid of %d multiprocessors: this CPU's threads",
                               r->threads);
    g_string_append_c(text, '\n');
}

void report_append_table(GString *text, const struct report *r)
{
    const struct lens_result *result = r->cases[0].result;
    append_title(text, r);
    for (int i = 0; i < result->pass_count; i++) {
        const struct lens_pass *p = &result->passes[i];
        const struct launch_config *c = &p->config;
        g_string_append_printf(text, "\n%s: ", p->kernel);
        if (!result->is_whole)
            g_string_append_printf(text, "block %d, %d of ", p->block_x, p->block_y);
        g_string_append_printf(text, "%d×%d blocks of %d×%d threads%s\n", c->grid_width,
                               c->grid_height, c->block_width, c->block_height,
                               result->is_whole && p->depth > 1 ? ", in 3 planes" : "");
        append_accesses(text, p);
        if (r->has_lines) append_lines(text, p);
    }
    append_compiled(text, r->cases[0].choice.variant);
    append_faults(text, &r->cases[0], "\n");
}

// ---- several variants ----

// What a variant costs in all its passes: one line is the reason why it is faster.
static void add_case(struct rows *rows, const struct lens_result *result)
{
    const struct lens_sums s = lens_result_sum(result);
    rows_add_format(rows, "%llu", s.memory.wanted_bytes);
    rows_add_format(rows, "%llu", s.memory.sectors * SECTOR_BYTES);
    add_ratio(rows, s.each.sectors);
    rows_add_format(rows, "%llu", s.memory.requests);
    if (s.shared.requests) {
        rows_add_format(rows, "%llu", s.shared.wavefronts);
        rows_add_format(rows, "%llu", model_conflicts(&s.shared));
    } else {
        rows_add(rows, "");
        rows_add(rows, "");
    }
    if (s.constant.requests)
        rows_add_format(rows, "%llu", s.constant.words);
    else
        rows_add(rows, "");
}

static bool is_of_one_block(const struct report *r)
{
    int i = 0;
    while (i < r->case_count && !r->cases[i].result) i++;
    return i < r->case_count && !r->cases[i].result->is_whole;
}

void report_append_comparison(GString *text, const struct report *r)
{
    const char *const each = array_is_picture(&r->cases[0].choice.filter->arrays[0])
                                 ? "sectors per pixel"
                                 : "sectors per element";
    const char *const columns[] = {"",         "bytes wanted", "bytes fetched", each,
                                   "requests", "wavefronts",   "conflicts",     "constant words"};
    struct rows rows = begin(columns, G_N_ELEMENTS(columns));
    append_title(text, r);
    if (is_of_one_block(r))
        g_string_append_printf(text, "Of one block of each; %s: of the launch.\n", each);
    g_string_append_c(text, '\n');
    for (int i = 0; i < r->case_count; i++) {
        if (!r->cases[i].result) continue;
        rows_add(&rows, r->cases[i].choice.variant->name);
        add_case(&rows, r->cases[i].result);
    }
    rows_end_text(&rows, text);
    for (int i = 0; i < r->case_count; i++)
        if (!r->cases[i].result)
            g_string_append_printf(text, "%s: %s\n", r->cases[i].choice.variant->name,
                                   r->cases[i].refused);
    for (int i = 0; i < r->case_count; i++) append_compiled(text, r->cases[i].choice.variant);
    for (int i = 0; i < r->case_count; i++) {
        char *name = g_strdup_printf("\n%s: ", r->cases[i].choice.variant->name);
        append_faults(text, &r->cases[i], name);
        g_free(name);
    }
}
