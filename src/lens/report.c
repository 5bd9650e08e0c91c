#include "lens/report.h"

#include <cjson/cJSON.h>
#include <glib.h>
#include <math.h>

#include "base/number.h"
#include "base/rows.h"

// ---- figures ----

// The figures of an access, in the order of columns.
enum figure {
    REQUESTS,
    LANES,
    BYTES,  // distinct ones
    SECTORS,
    IDEAL_SECTORS,
    WAVEFRONTS,
    IDEAL_WAVEFRONTS,
    CONFLICTS,
    WORDS,
    FIGURES
};

enum { ALL = ~0, LINES = 1 << TRACE_GLOBAL | 1 << TRACE_TEXTURE, BANKS = 1 << TRACE_SHARED };

// spaces, as bits: the model has a rule for the figure. json_spaces: JSON has it for their
// accesses.
static const struct {
    const char *name, *heading;
    int spaces, json_spaces;
} figures[FIGURES] = {
    [REQUESTS] = {"requests", "requests", ALL, ALL},
    [LANES] = {"lanes", "lanes", ALL, 0},
    [BYTES] = {"bytes", "bytes", ALL, 1 << TRACE_GLOBAL},
    [SECTORS] = {"sectors", "sectors", LINES, LINES},
    [IDEAL_SECTORS] = {"ideal_sectors", "ideal", LINES, 0},
    [WAVEFRONTS] = {"wavefronts", "wavefronts", BANKS, BANKS},
    [IDEAL_WAVEFRONTS] = {"ideal_wavefronts", "ideal", BANKS, 0},
    [CONFLICTS] = {"conflicts", "conflicts", BANKS, BANKS},
    [WORDS] = {"words", "words", 1 << TRACE_CONSTANT, 1 << TRACE_CONSTANT},
};

static unsigned long long value_of(const struct lens_counts *c, int figure)
{
    const unsigned long long values[FIGURES] = {
        [REQUESTS] = c->requests,
        [LANES] = c->lanes,
        [BYTES] = c->bytes,
        [SECTORS] = c->sectors,
        [IDEAL_SECTORS] = c->ideal_sectors,
        [WAVEFRONTS] = c->wavefronts,
        [IDEAL_WAVEFRONTS] = c->ideal_wavefronts,
        [CONFLICTS] = model_conflicts(c),
        [WORDS] = c->words,
    };
    return values[figure];
}

// ---- a table ----

// An empty cell where it is not known.
static void add_number(struct rows *r, unsigned long long value, bool is_known)
{
    if (is_known)
        rows_add_format(r, "%llu", value);
    else
        rows_add(r, "");
}

// ---- one variant ----

// The first column has words, the others figures.
static struct rows begin_figures(void)
{
    struct rows r = rows_begin();
    rows_add_column(&r, ROWS_WORDS, "");
    for (int i = 0; i < FIGURES; i++) rows_add_column(&r, ROWS_NUMBER, figures[i].heading);
    return r;
}

// Lanes are given for one request; the other figures are sums.
static void add_counts(struct rows *rows, enum trace_space space, const struct lens_counts *c)
{
    for (int i = 0; i < FIGURES; i++) {
        if (i == LANES)
            rows_add(rows, number_three((double)c->lanes / (double)c->requests).text);
        else
            add_number(rows, value_of(c, i), figures[i].spaces >> space & 1);
    }
}

static void append_accesses(GString *text, const struct lens_pass *p)
{
    struct rows r = begin_figures();
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

// A line is "mean.cu:27 > kernel.h:41  global load 1 B".
static void append_lines(GString *text, const struct lens_pass *p)
{
    struct rows r = begin_figures();
    for (const struct lens_line *line = p->lines; line < p->lines + p->line_count; line++) {
        g_autoptr(GString) name = g_string_new(line->chain.count ? "" : "?");
        for (int i = line->chain.count; i-- > 0;)
            g_string_append_printf(name, "%s:%d%s", line->chain.places[i].file,
                                   line->chain.places[i].line, i ? " > " : "");
        g_string_append_printf(name, "  %s %s %d B", lens_result_space_name(line->space),
                               lens_result_kind_name(line->kind), line->bytes);
        rows_add(&r, name->str);
        add_counts(&r, line->space, &line->counts);
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

static void append_title(GString *text, const struct report *r)
{
    const struct choice *c = &r->cases[0].choice;
    const struct params_text params = filter_write_params(c->filter, &c->settings.params);
    g_string_append(text, c->filter->name);
    if (!r->is_comparison) g_string_append_printf(text, " %s", c->variant->name);
    if (*params.text) g_string_append_printf(text, ", %s", params.text);
    if (*r->subject) g_string_append_printf(text, ", %s", r->subject);
    g_string_append(text, ", counted by the rules of sm_90");
    bool has_grid = false;  // that follows the multiprocessors
    for (int i = 0; i < r->case_count && r->threads; i++)
        has_grid |= launch_uses_multiprocessors(r->cases[i].choice.variant);
    if (has_grid)
        g_string_append_printf(text, ", with the grid of %d multiprocessors: this CPU's threads",
                               r->threads);
    g_string_append_c(text, '\n');
}

static void append_table(GString *text, const struct report *r)
{
    const struct lens_result *result = r->cases[0].result;
    append_title(text, r);
    for (int i = 0; i < result->pass_count; i++) {
        const struct lens_pass *p = &result->passes[i];
        const struct launch_config *c = &p->config;
        g_string_append_printf(text, "\n%s: ", p->kernel);
        const bool is_picture = result->memory_count && result->memory[0].shape.width;
        const bool is_deep = c->grid_depth > 1 && !is_picture;
        const int layers = c->block_depth;
        if (!result->is_whole)
            g_string_append_printf(text, "block %d, %d%s of ", p->block_x, p->block_y,
                                   is_deep ? ", 0" : "");
        const bool has_planes = is_picture && result->is_whole && c->grid_depth > 1;
        g_string_append_printf(
            text, "%s blocks of %s threads%s\n",
            launch_write_shape(c->grid_width, c->grid_height, is_picture ? 1 : c->grid_depth).text,
            launch_write_shape(c->block_width, c->block_height / layers, layers).text,
            has_planes ? ", in 3 planes" : "");
        append_accesses(text, p);
        if (r->cases[0].instructions[i] > 0 && !*r->cases[0].choice.variant->compiled)
            g_string_append_printf(text, "at least %.0f instructions of warps\n",
                                   floor(r->cases[0].instructions[i]));
        if (r->has_lines) append_lines(text, p);
    }
    append_compiled(text, r->cases[0].choice.variant);
    append_faults(text, &r->cases[0], "\n");
}

// ---- several variants ----

// A line for each variant, with its costs over all passes. One of them tells why a variant is
// faster.
static void append_comparison(GString *text, const struct report *r)
{
    const char *const each =
        filter_has_picture(r->cases[0].choice.filter) ? "sectors per pixel" : "sectors per element";
    const char *const columns[] = {"",         "bytes wanted", "bytes fetched", each,
                                   "requests", "wavefronts",   "conflicts",     "constant words"};
    struct rows rows = rows_begin();
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        rows_add_column(&rows, i ? ROWS_NUMBER : ROWS_WORDS, columns[i]);
    append_title(text, r);
    int first = 0;
    while (first < r->case_count - 1 && !r->cases[first].result) first++;
    if (r->cases[first].result && !r->cases[first].result->is_whole)
        g_string_append_printf(text, "Of one block of each; %s: of the launch.\n", each);
    g_string_append_c(text, '\n');
    for (int i = 0; i < r->case_count; i++) {
        if (!r->cases[i].result) continue;
        const struct lens_sums s = lens_result_sum(r->cases[i].result);
        rows_add(&rows, r->cases[i].choice.variant->name);
        rows_add_format(&rows, "%llu", s.memory.wanted_bytes);
        rows_add_format(&rows, "%llu", s.memory.sectors * MODEL_SECTOR_BYTES);
        rows_add(&rows, number_three(s.each.sectors).text);
        rows_add_format(&rows, "%llu", s.memory.requests);
        add_number(&rows, s.shared.wavefronts, s.shared.requests);
        add_number(&rows, model_conflicts(&s.shared), s.shared.requests);
        add_number(&rows, s.constant.words, s.constant.requests);
    }
    rows_end_text(&rows, text);
    for (int i = 0; i < r->case_count; i++)
        if (!r->cases[i].result)
            g_string_append_printf(text, "%s: %s\n", r->cases[i].choice.variant->name,
                                   r->cases[i].refused);
    for (int i = 0; i < r->case_count; i++) append_compiled(text, r->cases[i].choice.variant);
    for (int i = 0; i < r->case_count; i++) {
        g_autofree char *name = g_strdup_printf("\n%s: ", r->cases[i].choice.variant->name);
        append_faults(text, &r->cases[i], name);
    }
}

// ---- JSON ----

static void add_figure(cJSON *json, const struct lens_counts *c, int figure)
{
    cJSON_AddNumberToObject(json, figures[figure].name, (double)value_of(c, figure));
}

static void add_place(cJSON *json, const struct trace_place *place)
{
    rows_add_members(json, "file%s line%d", place->file, place->line);
}

// "file" and "line" are those of the access; "inlined_into" leads to the kernel's own.
static void add_chain(cJSON *json, const struct trace_chain *chain)
{
    if (chain->count) add_place(json, &chain->places[0]);
    if (chain->count < 2) return;
    cJSON *into = cJSON_AddArrayToObject(json, "inlined_into");
    for (int i = 1; i < chain->count; i++) add_place(rows_add_object(into), &chain->places[i]);
}

static cJSON *race_json(const struct lens_race *race)
{
    cJSON *json = cJSON_CreateObject();
    bool is_tile;
    const int at = races_place(&race->race, &is_tile);
    rows_add_members(json, "space%s array%s word%d", lens_result_space_name(TRACE_SHARED),
                     is_tile ? "tile" : "static", at / MODEL_WORD_BYTES);
    cJSON *accesses_json = cJSON_AddArrayToObject(json, "accesses");
    for (int i = 0; i < 2; i++) {
        cJSON *one = rows_add_object(accesses_json);
        add_chain(one, &race->chain[i]);
        rows_add_members(one, "op%s thread%d", lens_result_kind_name(race->race.kind[i]),
                         race->race.thread[i]);
    }
    return json;
}

static cJSON *pass_json(const struct report_case *of, int pass)
{
    const struct lens_result *const result = of->result;
    const struct lens_pass *const p = &result->passes[pass];
    cJSON *json = cJSON_CreateObject();
    const int grid[] = {p->config.grid_width, p->config.grid_height, p->config.grid_depth};
    cJSON_AddStringToObject(json, "kernel", p->kernel);
    cJSON_AddItemToObject(json, "grid", cJSON_CreateIntArray(grid, 3));
    const int layers = p->config.block_depth;
    const int block[] = {p->config.block_width, p->config.block_height / layers, layers};
    cJSON_AddItemToObject(json, "block", cJSON_CreateIntArray(block, layers > 1 ? 3 : 2));
    if (!result->is_whole)
        cJSON_AddItemToObject(json, "block_at",
                              cJSON_CreateIntArray((const int[]){p->block_x, p->block_y}, 2));
    for (int k = 0; k < LENS_RESULT_ACCESSES; k++) {
        const struct lens_access_name *a = &lens_result_accesses[k];
        const struct lens_counts *c = &p->counts[a->space][a->kind];
        if (a->kind == TRACE_ATOMIC && !c->requests) continue;  // they are rare
        cJSON *one = cJSON_AddObjectToObject(json, a->name);
        for (int i = 0; i < FIGURES; i++)
            if (figures[i].json_spaces >> a->space & 1) add_figure(one, c, i);
    }
    if (of->instructions[pass] > 0)
        cJSON_AddNumberToObject(json, "instructions", floor(of->instructions[pass]));
    cJSON *lines = cJSON_AddArrayToObject(json, "lines");
    for (const struct lens_line *line = p->lines; line < p->lines + p->line_count; line++) {
        cJSON *one = rows_add_object(lines);
        add_chain(one, &line->chain);
        rows_add_members(one, "space%s op%s bytes_a_lane%d", lens_result_space_name(line->space),
                         lens_result_kind_name(line->kind), line->bytes);
        for (int i = 0; i < FIGURES; i++)
            if (figures[i].spaces >> line->space & 1) add_figure(one, &line->counts, i);
    }
    cJSON *outside = cJSON_AddArrayToObject(json, "outside");
    for (const struct lens_outside *o = p->outside; o < p->outside + p->outside_count; o++) {
        const int axes = o->has_layers ? 3 : 2;
        cJSON *one = rows_add_object(outside);
        add_chain(one, &o->chain);
        cJSON_AddStringToObject(one, "op", lens_result_kind_name(o->kind));
        cJSON_AddItemToObject(one, "block", cJSON_CreateIntArray(o->block, axes));
        cJSON_AddItemToObject(one, "thread", cJSON_CreateIntArray(o->thread, axes));
        rows_add_members(one, "array%s byte%g array_bytes%g", o->array, (double)o->at,
                         (double)o->array_bytes);
    }
    cJSON *races = cJSON_AddArrayToObject(json, "races");
    for (int i = 0; i < p->race_count; i++) cJSON_AddItemToArray(races, race_json(&p->races[i]));
    return json;
}

static void add_json_case(cJSON *json, const struct report_case *one)
{
    cJSON_AddStringToObject(json, "variant", one->choice.variant->name);
    if (!one->result) {
        cJSON_AddStringToObject(json, "refused", one->refused);
        return;
    }
    if (*one->choice.variant->compiled)
        cJSON_AddStringToObject(json, "compiled", one->choice.variant->compiled);
    cJSON *passes = cJSON_AddArrayToObject(json, "passes");
    for (int i = 0; i < one->result->pass_count; i++)
        cJSON_AddItemToArray(passes, pass_json(one, i));
}

// ---- CSV ----

// Nsight Compute's names for the figures that it has, too. It counts atomics with and without a
// result apart, which a trace cannot tell.
static const struct {
    enum trace_space space;
    enum trace_kind kind;
    enum figure figure;
    const char *name;
} metrics[] = {
    {TRACE_GLOBAL, TRACE_LOAD, REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {TRACE_GLOBAL, TRACE_LOAD, SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {TRACE_GLOBAL, TRACE_STORE, REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {TRACE_GLOBAL, TRACE_STORE, SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {TRACE_SHARED, TRACE_LOAD, WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {TRACE_SHARED, TRACE_LOAD, CONFLICTS,
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {TRACE_SHARED, TRACE_STORE, WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {TRACE_SHARED, TRACE_STORE, CONFLICTS,
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {TRACE_TEXTURE, TRACE_LOAD, REQUESTS, "l1tex__t_requests_pipe_tex_mem_texture.sum"},
    {TRACE_TEXTURE, TRACE_LOAD, SECTORS, "l1tex__t_sectors_pipe_tex_mem_texture.sum"},
};

static void add_metric(struct rows *csv, const char *kernel, const struct trace_chain *chain,
                       const char *name, unsigned long long value)
{
    const struct trace_place *place = chain && chain->count ? &chain->places[0] : NULL;
    rows_add(csv, kernel);
    rows_add(csv, place ? place->file : "");
    add_number(csv, place ? (unsigned)place->line : 0, place);
    rows_add(csv, name);
    rows_add_format(csv, "%llu", value);
}

static void add_csv_pass(struct rows *csv, const struct report *r, const struct lens_pass *p)
{
    for (size_t i = 0; i < G_N_ELEMENTS(metrics); i++) {
        const struct lens_counts *c = &p->counts[metrics[i].space][metrics[i].kind];
        add_metric(csv, p->kernel, NULL, metrics[i].name, value_of(c, metrics[i].figure));
    }
    for (int k = 0; k < p->outside_count; k++) {
        const struct lens_outside *o = &p->outside[k];
        char name[64];
        g_snprintf(name, sizeof name, "%s outside of %s", o->kind == TRACE_LOAD ? "load" : "store",
                   o->array[0] ? o->array : "all arrays");
        add_metric(csv, p->kernel, &o->chain, name, 1);
    }
    for (int k = 0; k < 2 * p->race_count; k++) {  // each access of a race, with the other's name
        const struct trace_chain *chain = p->races[k / 2].chain;
        const struct trace_chain *one = &chain[k % 2], *other = &chain[1 - k % 2];
        char name[128] = "race with ?";
        if (other->count)
            g_snprintf(name, sizeof name, "race with %s:%d", other->places[0].file,
                       other->places[0].line);
        add_metric(csv, p->kernel, one, name, 1);
    }
    for (int k = 0; r->has_lines && k < p->line_count; k++) {
        const struct lens_line *line = &p->lines[k];
        for (size_t i = 0; i < G_N_ELEMENTS(metrics); i++)
            if (metrics[i].space == line->space && metrics[i].kind == line->kind)
                add_metric(csv, p->kernel, &line->chain, metrics[i].name,
                           value_of(&line->counts, metrics[i].figure));
    }
}

char *report_write(const struct report *r, enum report_format format)
{
    if (format == REPORT_CSV) {
        static const char *const titles[] = {"Kernel Name", "File", "Line", "Metric Name",
                                             "Metric Value"};
        struct rows csv = rows_begin();
        for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
            rows_add_column(&csv, ROWS_WORDS, titles[i]);
        for (int i = 0; i < r->case_count; i++) {
            const struct lens_result *result = r->cases[i].result;
            for (int k = 0; result && k < result->pass_count; k++)
                add_csv_pass(&csv, r, &result->passes[k]);
        }
        return rows_end_csv(&csv);
    }
    if (format == REPORT_TABLE) {
        GString *text = g_string_new(NULL);
        (r->is_comparison ? append_comparison : append_table)(text, r);
        return g_string_free(text, FALSE);
    }
    cJSON *json = cJSON_CreateObject();
    rows_add_members(json, "model%s filter%s", "sm_90", r->cases[0].choice.filter->name);
    cJSON *variants = r->is_comparison ? cJSON_AddArrayToObject(json, "variants") : NULL;
    for (int i = 0; i < r->case_count && variants; i++) {
        cJSON *one = rows_add_object(variants);
        add_json_case(one, &r->cases[i]);
    }
    if (!variants) add_json_case(json, &r->cases[0]);
    return rows_print_json(json);
}
