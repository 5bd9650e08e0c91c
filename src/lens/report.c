#include "lens/report.h"

#include <string.h>

#include "base/rows.h"
#include "lens/report_parts.h"

// ---- figures ----

enum { ALL = ~0, LINES = 1 << TRACE_GLOBAL | 1 << TRACE_TEXTURE, BANKS = 1 << TRACE_SHARED };

// spaces: those in which the model has a rule for it.
static const struct {
    const char *name;
    int spaces;
} figures[REPORT_FIGURES] = {
    [REPORT_REQUESTS] = {"requests", ALL},
    [REPORT_LANES] = {"lanes", ALL},
    [REPORT_BYTES] = {"bytes", ALL},
    [REPORT_SECTORS] = {"sectors", LINES},
    [REPORT_IDEAL_SECTORS] = {"ideal_sectors", LINES},
    [REPORT_WAVEFRONTS] = {"wavefronts", BANKS},
    [REPORT_IDEAL_WAVEFRONTS] = {"ideal_wavefronts", BANKS},
    [REPORT_CONFLICTS] = {"conflicts", BANKS},
    [REPORT_WORDS] = {"words", 1 << TRACE_CONSTANT},
};

bool report_has(enum trace_space space, enum report_figure figure)
{
    return figures[figure].spaces >> space & 1;
}

const char *report_name(enum report_figure figure)
{
    return figures[figure].name;
}

unsigned long long report_value(const struct lens_counts *c, enum report_figure figure)
{
    const unsigned long long values[REPORT_FIGURES] = {
        [REPORT_REQUESTS] = c->requests,
        [REPORT_LANES] = c->lanes,
        [REPORT_BYTES] = c->bytes,
        [REPORT_SECTORS] = c->sectors,
        [REPORT_IDEAL_SECTORS] = c->ideal_sectors,
        [REPORT_WAVEFRONTS] = c->wavefronts,
        [REPORT_IDEAL_WAVEFRONTS] = c->ideal_wavefronts,
        [REPORT_CONFLICTS] = model_conflicts(c),
        [REPORT_WORDS] = c->words,
    };
    return values[figure];
}

// ---- CSV ----

// What Nsight Compute calls the figures that it has, too. Of atomics it counts those with a result
// and those without apart, which a trace does not tell.
static const struct {
    enum trace_space space;
    enum trace_kind kind;
    enum report_figure figure;
    const char *name;
} metrics[] = {
    {TRACE_GLOBAL, TRACE_LOAD, REPORT_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {TRACE_GLOBAL, TRACE_LOAD, REPORT_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {TRACE_GLOBAL, TRACE_STORE, REPORT_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {TRACE_GLOBAL, TRACE_STORE, REPORT_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {TRACE_SHARED, TRACE_LOAD, REPORT_WAVEFRONTS,
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {TRACE_SHARED, TRACE_LOAD, REPORT_CONFLICTS,
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {TRACE_SHARED, TRACE_STORE, REPORT_WAVEFRONTS,
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {TRACE_SHARED, TRACE_STORE, REPORT_CONFLICTS,
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {TRACE_TEXTURE, TRACE_LOAD, REPORT_REQUESTS, "l1tex__t_requests_pipe_tex_mem_texture.sum"},
    {TRACE_TEXTURE, TRACE_LOAD, REPORT_SECTORS, "l1tex__t_sectors_pipe_tex_mem_texture.sum"},
};

static void add_metric(struct rows *csv, const char *kernel, const struct trace_chain *chain,
                       const char *name, unsigned long long value)
{
    const struct trace_place *place = chain && chain->count ? &chain->places[0] : NULL;
    rows_add(csv, kernel);
    rows_add(csv, place ? place->file : "");
    if (place)
        rows_add_format(csv, "%d", place->line);
    else
        rows_add(csv, "");
    rows_add(csv, name);
    rows_add_format(csv, "%llu", value);
}

// Each access of a race is a row that names the other.
static void add_race(struct rows *csv, const char *kernel, const struct lens_race *race)
{
    for (int i = 0; i < 2; i++) {
        const struct trace_chain *chain = &race->chain[i], *other = &race->chain[1 - i];
        char name[128] = "race with ?";
        if (other->count)
            g_snprintf(name, sizeof name, "race with %s:%d", other->places[0].file,
                       other->places[0].line);
        add_metric(csv, kernel, chain, name, 1);
    }
}

static void add_outside(struct rows *csv, const char *kernel, const struct lens_outside *o)
{
    char name[64];
    g_snprintf(name, sizeof name, "%s outside of %s", o->kind == TRACE_LOAD ? "load" : "store",
               o->array[0] ? o->array : "all arrays");
    add_metric(csv, kernel, &o->chain, name, 1);
}

static void add_pass(struct rows *csv, const struct report *r, const struct lens_pass *p)
{
    for (size_t i = 0; i < G_N_ELEMENTS(metrics); i++) {
        const struct lens_counts *c = &p->counts[metrics[i].space][metrics[i].kind];
        add_metric(csv, p->kernel, NULL, metrics[i].name, report_value(c, metrics[i].figure));
    }
    for (int k = 0; k < p->outside_count; k++) add_outside(csv, p->kernel, &p->outside[k]);
    for (int k = 0; k < p->race_count; k++) add_race(csv, p->kernel, &p->races[k]);
    for (int k = 0; r->has_lines && k < p->line_count; k++) {
        const struct lens_line *line = &p->lines[k];
        for (size_t i = 0; i < G_N_ELEMENTS(metrics); i++)
            if (metrics[i].space == line->space && metrics[i].kind == line->kind)
                add_metric(csv, p->kernel, &line->chain, metrics[i].name,
                           report_value(&line->counts, metrics[i].figure));
    }
}

static char *write_csv(const struct report *r)
{
    static const char *const titles[] = {"Kernel Name", "File", "Line", "Metric Name",
                                         "Metric Value"};
    struct rows csv = rows_begin();
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++) rows_add_column(&csv, ROWS_WORDS, titles[i]);
    for (int i = 0; i < r->case_count; i++) {
        const struct lens_result *result = r->cases[i].result;
        for (int k = 0; result && k < result->pass_count; k++)
            add_pass(&csv, r, &result->passes[k]);
    }
    return rows_end_csv(&csv);
}

// ---- all ----

double report_count_pixels(const struct choice *choice, struct planes picture)
{
    struct arrays_layout layout;
    return arrays_plan(&layout, choice, picture, NULL)
               ? (double)layout.places[arrays_first_out(choice->filter)].count
               : 1;
}

static char *write_table(const struct report *r)
{
    GString *text = g_string_new(NULL);
    if (r->is_comparison)
        report_append_comparison(text, r);
    else
        report_append_table(text, r);
    return g_string_free(text, FALSE);
}

char *report_write(const struct report *r, enum report_format format)
{
    switch (format) {
    case REPORT_TABLE:
        return write_table(r);
    case REPORT_JSON:
        return report_write_json(r);
    case REPORT_CSV:
        return write_csv(r);
    }
    return NULL;
}
