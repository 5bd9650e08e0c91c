// render_sheet.c -- `tilescope render --sheet`: all variants of a filter over one picture, or of a
// lab, each measured in turns with the others and with a device copy (bench.h), run, checked, and
// set side by side (sheet.h).
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/headless.h"
#include "draw/sheet.h"
#include "lens/traces.h"
#include "measure/bench.h"
#include "screen/lens_model.h"

// The state of one sheet, released as a whole.
struct work {
    struct headless headless;
    struct sweep sweep;
    struct bench_result measured;
    struct sheet sheet;
    struct traces *traces;  // without a GPU: counts stand first; NULL: none
    const struct options *options;
    const struct filter *filter;
    int rendered, wrong;
};

// ---- what is asked for ----

static bool add_case(struct work *w, const char *variant, struct error *err)
{
    struct choice_words one = options_words(w->options);
    struct choice s;
    one.variant = variant;
    if (!choice_read(&s, &one, &w->headless.filters, err)) return false;
    for (int i = 0; i < w->sweep.count; i++)
        if (w->sweep.cases[i].variant == s.variant) return true;
    w->sweep.cases[w->sweep.count++] = s;
    return true;
}

// A list of variants as --variant has it; without one, all of the filter.
static bool list_cases(struct work *w, struct error *err)
{
    const struct filter *const f = w->filter;
    const char *const wanted = w->options->variant;
    bool is_good = true;
    w->sweep = (struct sweep){.cases = g_new0(struct choice, FILTER_MAX_VARIANTS),
                              .groups = g_new0(int, FILTER_MAX_VARIANTS),
                              .group_count = 1};
    if (!wanted || !strcmp(wanted, "all")) {
        for (int i = 0; i < f->variant_count && is_good; i++)
            is_good = add_case(w, f->variants[i].name, err);
        return is_good;
    }
    g_auto(GStrv) names = g_strsplit(wanted, ",", -1);
    for (char **name = names; *name && is_good; name++) is_good = add_case(w, *name, err);
    return is_good && (names[0] || add_case(w, "", err));
}

// ---- cells ----

// The row of a case, or of the copy if c is NULL.
static const struct bench_row *row_of(const struct work *w, const struct choice *c)
{
    for (int i = 0; i < w->measured.count; i++) {
        const struct bench_row *row = &w->measured.rows[i];
        if (!row->filter == !c && !strcmp(row->variant, c ? c->variant->name : "copy")) return row;
    }
    return NULL;
}

// Counts of the block in the middle; those that cannot be known are left out.
static void count(struct work *w, const struct choice *c, struct sheet_cell *cell)
{
    const struct planes picture = w->headless.picture.planes;
    const struct tracing_request request = {
        .choice = *c, .picture = picture, .x = picture.width / 2, .y = picture.height / 2};
    const struct traces_found found = traces_wait(w->traces, &request, NULL);
    if (found.result) lens_model_write_sums(found.result, cell->memory, sizeof cell->memory, true);
}

// The picture is made once more; the check is that of the measured results.
static void fill_cell(struct work *w, const struct choice *c)
{
    struct headless *r = &w->headless;
    const struct bench_row *row = row_of(w, c);
    struct sheet_cell *cell = sheet_add(&w->sheet, c, r->array);
    struct error why = {""};
    if (!row || row->reason[0]) {
        sheet_refuse(cell, row ? row->reason : "not measured");
    } else if (!headless_run(r, c, &why)) {
        sheet_refuse(cell, why.text);
    } else {
        sheet_set_result(&w->sheet, cell, r->result.planes, row->times[BENCH_TIMER_COLD]);
        if (w->traces) count(w, c, cell);
        cell->check = row->check;
        cell->difference = row->wrong_by;
        w->rendered++;
        w->wrong += row->check == CHECK_WRONG;
    }
}

static bool fill_cells(struct work *w, struct error *err)
{
    struct headless *r = &w->headless;
    const struct choice *cases = w->sweep.cases;
    const struct bench_row *copy = row_of(w, NULL);
    double copy_ms = 0;  // of a lab's copy, which stands in the rows of the others
    for (int i = 0; i < w->measured.count && copy_ms <= 0; i++)
        copy_ms = w->measured.rows[i].copy_ms;
    const struct sheet_page page = {
        .device = backend_device(r->backend),
        .picture_name = r->picture_path,
        .samples = "cold samples, in turns",
        .copy = copy ? copy->times[BENCH_TIMER_COLD]
                     : (struct stats_summary){copy_ms > 0, copy_ms, copy_ms, copy_ms}};
    if (!device_has_gpu_times(page.device))
        w->traces = traces_create(backend_include(r->backend), true);
    sheet_begin(&w->sheet, SHEET_VARIANTS, &cases[0], r->array, r->picture.planes, w->sweep.count);
    if (!filter_has_picture(w->filter)) {
        // Its in array, as the first variant that runs leaves it.
        const int shown = r->array;
        bool is_done = false;
        r->array = arrays_first(w->filter, ARRAY_IN);
        for (int i = 0; i < w->sweep.count && r->array >= 0 && !is_done; i++)
            is_done = headless_run(r, &cases[i], NULL);
        if (is_done) sheet_set_input(&w->sheet, r->result.planes);
        r->array = shown;
    } else {
        sheet_set_input(&w->sheet, r->picture.planes);
    }
    w->sheet.has_memory = w->traces != NULL;
    for (int i = 0; i < w->sweep.count; i++) fill_cell(w, &cases[i]);
    sheet_complete(&w->sheet, &page);
    return w->rendered || error_set(err, "no variant can be shown: %s", w->sheet.cells[1].reason);
}

// ---- the sheet ----

static enum outcome make(struct work *w, struct options *o, const char *output, struct error *err)
{
    struct headless *r = &w->headless;
    const enum outcome opened = headless_open(r, o, &w->filter, err);
    if (opened != OUTCOME_DONE) return opened;
    w->options = o;
    if (!list_cases(w, err)) return OUTCOME_USAGE;
    if (!command_can_write(output, err) ||
        (filter_has_picture(w->filter) &&
         !headless_load_picture(r, o->pictures[0], o->is_grey, err)) ||
        (!r->backend && !(r->backend = command_open_device(o, &r->filters, err))))
        return OUTCOME_REFUSED;
    const struct bench_job job = {.backend = r->backend,
                                  .sweep = &w->sweep,
                                  .picture = r->picture.planes,
                                  .budget_s = o->budget_s};
    bench_run(&job, &w->measured);
    if (w->measured.failure[0]) error_set(err, "%s", w->measured.failure);
    if (w->measured.failure[0] || !fill_cells(w, err)) return OUTCOME_REFUSED;
    OWNED(image_texts_finish) struct image_texts t = {0};
    headless_describe(r, &w->sweep.cases[0], &t);
    const bool is_saved = sheet_save(&w->sheet, output, t.texts, t.count, err);
    if (is_saved)
        terminal_print(stdout, "%s: %d of %d variants of %s on %s\n", output, w->rendered,
                       w->sweep.count, w->sweep.cases[0].filter->name,
                       backend_device(r->backend)->name);
    return is_saved && command_all_right(w->wrong, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

enum outcome headless_sheet(struct options *o, const char *output, struct error *err)
{
    g_autofree struct work *w = g_new0(struct work, 1);
    const enum outcome outcome = make(w, o, output, err);
    sheet_finish(&w->sheet);
    traces_destroy(w->traces);
    bench_finish(&w->measured);
    sweep_finish(&w->sweep);
    headless_finish(&w->headless);
    return outcome;
}
