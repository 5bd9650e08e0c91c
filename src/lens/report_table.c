#include <string.h>

#include "base/number.h"
#include "lens/report_parts.h"

enum { GAP = 2, SECTOR_BYTES = MODEL_SECTOR_BYTES };

// ---- a grid of texts, the first column to the left ----

struct grid {
    GPtrArray *cells;  // row after row, owned
    int columns;
};

static struct grid grid_begin(const char *const *headings, int count)
{
    struct grid g = {g_ptr_array_new_with_free_func(g_free), count};
    for (int i = 0; i < count; i++) g_ptr_array_add(g.cells, g_strdup(headings[i]));
    return g;
}

static void grid_add(struct grid *g, const char *text)
{
    g_ptr_array_add(g->cells, g_strdup(text));
}

static void grid_add_number(struct grid *g, unsigned long long value)
{
    g_ptr_array_add(g->cells, g_strdup_printf("%llu", value));
}

static void grid_add_ratio(struct grid *g, double value)
{
    char text[32];
    number_three(text, sizeof text, value);
    grid_add(g, text);
}

static const char *cell(const struct grid *g, int row, int column)
{
    return g->cells->pdata[row * g->columns + column];
}

// 0: nothing is in the column but its heading, and it is left out.
static int width_of(const struct grid *g, int rows, int column)
{
    int width = 0;
    for (int row = 1; row < rows; row++)
        width = MAX(width, (int)g_utf8_strlen(cell(g, row, column), -1));
    return width ? MAX(width, (int)g_utf8_strlen(cell(g, 0, column), -1)) : 0;
}

static void grid_end(struct grid *g, GString *text)
{
    const int rows = (int)g->cells->len / g->columns;
    for (int row = 0; row < rows; row++) {
        GString *line = g_string_new(NULL);
        for (int column = 0; column < g->columns; column++) {
            const char *words = cell(g, row, column);
            const int width = width_of(g, rows, column);
            const int pad = width - (int)g_utf8_strlen(words, -1);
            if (!width) continue;
            if (column == 0)
                g_string_append_printf(line, "%s%*s", words, pad, "");
            else
                g_string_append_printf(line, "%*s%s", GAP + pad, "", words);
        }
        g_string_append_printf(text, "%s\n", g_strchomp(line->str));
        g_string_free(line, TRUE);
    }
    g_ptr_array_unref(g->cells);
}

// ---- one variant ----

static const char *const headings[] = {"",      "requests",   "lanes", "bytes",     "sectors",
                                       "ideal", "wavefronts", "ideal", "conflicts", "words"};

// Lanes are a request's; the others are sums.
static void add_counts(struct grid *g, enum trace_space space, const struct lens_counts *c)
{
    for (int i = 0; i < REPORT_FIGURES; i++) {
        const enum report_figure figure = (enum report_figure)i;
        if (!report_has(space, figure))
            grid_add(g, "");
        else if (figure == REPORT_LANES)
            grid_add_ratio(g, (double)c->lanes / (double)c->requests);
        else
            grid_add_number(g, report_value(c, figure));
    }
}

static void append_accesses(GString *text, const struct lens_pass *p)
{
    struct grid g = grid_begin(headings, G_N_ELEMENTS(headings));
    for (int space = 0; space < LENS_RESULT_SPACES; space++)
        for (int kind = TRACE_LOAD; kind < LENS_RESULT_KINDS; kind++) {
            const struct lens_counts *c = &p->counts[space][kind];
            if (!c->requests) continue;
            char name[64];
            g_snprintf(name, sizeof name, "%s %s", lens_result_space_name((enum trace_space)space),
                       lens_result_kind_name((enum trace_kind)kind));
            grid_add(&g, name);
            add_counts(&g, (enum trace_space)space, c);
        }
    grid_end(&g, text);
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
    struct grid g = grid_begin(headings, G_N_ELEMENTS(headings));
    for (int i = 0; i < p->line_count; i++) {
        GString *name = g_string_new(NULL);
        append_line_name(name, &p->lines[i]);
        grid_add(&g, name->str);
        g_string_free(name, TRUE);
        add_counts(&g, p->lines[i].space, &p->lines[i].counts);
    }
    g_string_append_c(text, '\n');
    grid_end(&g, text);
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
static void add_case(struct grid *g, const struct lens_result *result)
{
    const struct lens_sums s = lens_result_sum(result);
    grid_add_number(g, s.memory.wanted_bytes);
    grid_add_number(g, s.memory.sectors * SECTOR_BYTES);
    grid_add_ratio(g, s.each.sectors);
    grid_add_number(g, s.memory.requests);
    if (s.shared.requests) {
        grid_add_number(g, s.shared.wavefronts);
        grid_add_number(g, model_conflicts(&s.shared));
    } else {
        grid_add(g, "");
        grid_add(g, "");
    }
    if (s.constant.requests)
        grid_add_number(g, s.constant.words);
    else
        grid_add(g, "");
}

static bool is_of_one_block(const struct report *r)
{
    int i = 0;
    while (i < r->case_count && !r->cases[i].result) i++;
    return i < r->case_count && !r->cases[i].result->is_whole;
}

void report_append_comparison(GString *text, const struct report *r)
{
    const char *const each =
        r->cases[0].choice.filter->is_lab ? "sectors per element" : "sectors per pixel";
    const char *const columns[] = {"",         "bytes wanted", "bytes fetched", each,
                                   "requests", "wavefronts",   "conflicts",     "constant words"};
    struct grid g = grid_begin(columns, G_N_ELEMENTS(columns));
    append_title(text, r);
    if (is_of_one_block(r))
        g_string_append_printf(text, "Of one block of each; %s: of the launch.\n", each);
    g_string_append_c(text, '\n');
    for (int i = 0; i < r->case_count; i++) {
        if (!r->cases[i].result) continue;
        grid_add(&g, r->cases[i].choice.variant->name);
        add_case(&g, r->cases[i].result);
    }
    grid_end(&g, text);
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
