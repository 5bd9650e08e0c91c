// render_sheet.c -- `tilescope render --sheet`: all variants of a filter over one picture, each
// measured in turns with the others and with a device copy (bench.h), run, checked, and set side by
// side (sheet.h).
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/state.h"
#include "commands/commands.h"
#include "commands/headless.h"
#include "draw/sheet.h"
#include "measure/bench.h"

static const double BUDGET_S = 20;  // of measuring; a GPU takes a second or two

enum { SAMPLES = 1024 };  // of each result, for the reference

// What one sheet holds, released as a whole. Cell 0 is the picture itself, with the copy's time;
// cell i + 1 belongs to case i.
struct work {
    struct headless headless;
    struct sweep sweep;
    struct bench_result measured;
    struct sheet_cell cells[FILTER_MAX_VARIANTS + 1];
    struct image pictures[FILTER_MAX_VARIANTS + 1], details[FILTER_MAX_VARIANTS + 1];
    bool has_detail;
    int detail_left, detail_top;
    int rendered, wrong;
};

// ---- what is asked for ----

static bool add_case(struct work *w, const struct options *o, const char *variant,
                     struct error *err)
{
    struct choice_words one = options_words(o);
    struct choice s;
    one.variant = variant;
    if (!choice_read(&s, &one, &w->headless.filters, err)) return false;
    for (int i = 0; i < w->sweep.count; i++)
        if (w->sweep.cases[i].variant == s.variant) return true;
    w->sweep.cases[w->sweep.count++] =
        (struct sweep_case){.filter = s.filter, .variant = s.variant, .settings = s.settings};
    return true;
}

// A list of variants as --variant has it; without one, all of the filter.
static bool list_cases(struct work *w, const struct options *o, struct error *err)
{
    struct choice_words any = options_words(o);
    struct choice s;
    bool is_good = true;
    any.variant = NULL;
    if (!choice_read(&s, &any, &w->headless.filters, err)) return false;
    w->sweep =
        (struct sweep){.cases = g_new0(struct sweep_case, FILTER_MAX_VARIANTS), .group_count = 1};
    if (!o->variant || !strcmp(o->variant, "all")) {
        for (int i = 0; i < s.filter->variant_count && is_good; i++)
            is_good = add_case(w, o, s.filter->variants[i].name, err);
        return is_good;
    }
    char **names = g_strsplit(o->variant, ",", -1);
    for (char **name = names; *name && is_good; name++) is_good = add_case(w, o, *name, err);
    if (!names[0]) is_good = add_case(w, o, "", err);
    g_strfreev(names);
    return is_good;
}

// Better known before the measuring than after it.
static bool check_folder(const char *output, struct error *err)
{
    char *folder = g_path_get_dirname(output);
    const bool is_there = access(folder, W_OK | X_OK) == 0;
    if (!is_there) error_set(err, "cannot write '%s': %s", output, g_strerror(errno));
    g_free(folder);
    return is_there;
}

// ---- cells ----

// A result goes into its cell as small as it is shown there, with its detail at full size.
static bool put_picture(struct work *w, int index, struct planes picture, struct error *err)
{
    struct image *detail = &w->details[index];
    struct sheet_cell *cell = &w->cells[index], whole = {0};
    if (!sheet_shrink(&w->pictures[index], picture, w->sweep.count + 1, err)) return false;
    cell->picture = w->pictures[index].planes;
    if (!w->has_detail) return true;
    sheet_set_detail(&whole, picture, w->detail_left, w->detail_top);
    if (!image_init(detail, SHEET_DETAIL, SHEET_DETAIL, picture.count, err)) return false;
    image_copy(detail->planes, whole.detail);
    sheet_set_detail(cell, picture, w->detail_left, w->detail_top);
    cell->detail = detail->planes;
    return true;
}

static const struct bench_row *row_of(const struct work *w, const struct sweep_case *c)
{
    for (int i = 0; i < w->measured.count; i++) {
        const struct bench_row *row = &w->measured.rows[i];
        const char *name = c ? c->variant->name : "copy";
        if (!row->filter == !c && !strcmp(row->variant, name)) return row;
    }
    return NULL;
}

// Of the naive on this page, so that the two cells agree; else of the one measured beside it.
static double naive_ms(const struct work *w, const struct bench_row *row)
{
    for (int i = 0; i < w->sweep.count; i++) {
        const struct bench_row *other = row_of(w, &w->sweep.cases[i]);
        if (other && !strcmp(other->variant, "naive") && bench_ms(other) > 0)
            return bench_ms(other);
    }
    return row->naive_ms;
}

static void check_result(struct work *w, const struct sweep_case *c, struct sheet_cell *cell)
{
    const struct headless *r = &w->headless;
    reference_pixel *pixel = reference_find(c->filter->name);
    if (!pixel) return;
    const struct image_difference found = reference_sample(
        pixel, r->result.planes, r->picture.planes, &c->settings.params, SAMPLES, 1);
    sheet_set_check(cell, found);
    w->wrong += found.count > 0;
}

static bool fill_cell(struct work *w, int index, struct error *err)
{
    struct headless *r = &w->headless;
    const struct sweep_case *c = &w->sweep.cases[index];
    const struct bench_row *row = row_of(w, c);
    struct sheet_cell *cell = &w->cells[index + 1];
    struct error why = {""};
    g_snprintf(cell->label, sizeof cell->label, "%d %s",
               (int)(c->variant - c->filter->variants) + 1, c->variant->name);
    if (!row || row->reason[0]) {
        g_strlcpy(cell->reason, row ? row->reason : "not measured", sizeof cell->reason);
        return true;
    }
    if (!headless_run(r, &(struct choice){c->filter, c->variant, c->settings}, &why)) {
        g_strlcpy(cell->reason, why.text, MIN(sizeof cell->reason, strcspn(why.text, "\n") + 1));
        return true;
    }
    g_snprintf(cell->note, sizeof cell->note, "%d×%d", row->block_width, row->block_height);
    sheet_set_times(cell, row->times[BENCH_TIMER_COLD], row->copy_ms, naive_ms(w, row));
    check_result(w, c, cell);
    w->rendered++;
    return put_picture(w, index + 1, r->result.planes, err);
}

static bool fill_cells(struct work *w, struct error *err)
{
    const struct bench_row *copy = row_of(w, NULL);
    const struct planes picture = w->headless.picture.planes;
    w->has_detail = sheet_find_detail(picture, &w->detail_left, &w->detail_top);
    for (int i = 0; i < w->sweep.count; i++)
        if (!fill_cell(w, i, err)) return false;
    if (!w->rendered) return error_set(err, "no variant can be shown: %s", w->cells[1].reason);
    g_strlcpy(w->cells[0].label, "copy", sizeof w->cells[0].label);
    g_strlcpy(w->cells[0].note, "the picture", sizeof w->cells[0].note);
    if (copy) sheet_set_times(&w->cells[0], copy->times[BENCH_TIMER_COLD], 0, 0);
    g_strlcpy(w->cells[0].speed, "the floor: read and write once", sizeof w->cells[0].speed);
    sheet_mark_best(w->cells + 1, w->sweep.count);
    return put_picture(w, 0, picture, err);
}

// ---- the page ----

static int least_samples(const struct work *w)
{
    int least = 0;
    for (int i = 0; i < w->measured.count; i++) {
        const int count = w->measured.rows[i].times[BENCH_TIMER_COLD].count;
        if (count && (!least || count < least)) least = count;
    }
    return least;
}

static void write_title(struct sheet *s, const struct sweep_case *c)
{
    char params[160];
    filter_write_params(c->filter, &c->settings.params, params, sizeof params);
    g_snprintf(s->title, sizeof s->title, "%s%s%s", c->filter->title, *params ? " · " : "", params);
}

static void write_page(struct sheet *s, const struct work *w, const struct headless_texts *t,
                       const char *date)
{
    const struct planes shape = w->headless.picture.planes;
    const struct device *d = backend_device(w->headless.backend);
    const struct sweep_case *c = &w->sweep.cases[0];
    char *name = g_filename_display_name(t->picture_name);
    *s = (struct sheet){.cells = w->cells, .count = w->sweep.count + 1};
    s->floor_ms = w->cells[0].ms;
    write_title(s, c);
    g_snprintf(s->detail, sizeof s->detail, "%s · %d×%d %s%s", name, shape.width, shape.height,
               shape.count == 1 ? "grey" : "colour",
               c->settings.is_unrolled ? " · compiled for this radius" : "");
    g_strlcpy(s->device, d->name, sizeof s->device);
    g_snprintf(s->date, sizeof s->date, "%s · %s", d->driver, date);
    g_snprintf(s->footer, sizeof s->footer,
               "%sMedians and quartiles of at least %d cold samples, in turns. Mark on the bars: a "
               "%s copy. Tilescope %s",
               d->is_gpu ? "" : "Times of a CPU, not of a GPU. ", least_samples(w),
               d->is_gpu ? "device" : "memory", TILESCOPE_VERSION);
    g_free(name);
}

// A cell in words, for the text chunks; the caller frees it.
static char *cell_words(const struct sheet_cell *cell)
{
    if (cell->reason[0]) return g_strdup_printf("refused: %s", cell->reason);
    return g_strdup_printf("%s (%s), %s, %s", cell->time, cell->spread, cell->speed,
                           cell->badge_text[0] ? cell->badge_text : "not checked");
}

static bool save(const struct work *w, const char *output, struct error *err)
{
    const struct sweep_case *c = &w->sweep.cases[0];
    struct image_text texts[HEADLESS_MAX_TEXTS + FILTER_MAX_VARIANTS + 2];
    char *keys[FILTER_MAX_VARIANTS], *words[FILTER_MAX_VARIANTS];
    struct headless_texts t;
    struct sheet sheet;
    GDateTime *now = g_date_time_new_now_local();
    char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    int count = 0;
    headless_describe(&w->headless, &(struct choice){c->filter, c->variant, c->settings}, &t);
    for (int i = 0; i < t.count; i++) texts[count++] = t.texts[i];
    texts[count++] = (struct image_text){"sheet", "yes"};
    texts[count++] = (struct image_text){"date", date};
    for (int i = 0; i < w->sweep.count; i++) {
        keys[i] = g_strdup_printf("result %s", w->sweep.cases[i].variant->name);
        words[i] = cell_words(&w->cells[i + 1]);
        texts[count++] = (struct image_text){keys[i], words[i]};
    }
    write_page(&sheet, w, &t, date);
    const bool is_saved = sheet_save(&sheet, output, texts, count, err);
    for (int i = 0; i < w->sweep.count; i++) g_free(keys[i]), g_free(words[i]);
    headless_texts_finish(&t);
    g_free(date);
    g_date_time_unref(now);
    return is_saved;
}

// ---- the whole ----

static enum outcome prepare(struct work *w, const struct options *o, const char *picture,
                            const char *output, struct error *err)
{
    struct headless *r = &w->headless;
    if (!headless_load_filters(r, o, err)) return OUTCOME_REFUSED;
    if (!list_cases(w, o, err)) return OUTCOME_USAGE;
    return check_folder(output, err) && headless_load_picture(r, picture, o->is_grey, err) &&
                   headless_open_device(r, o, err)
               ? OUTCOME_DONE
               : OUTCOME_REFUSED;
}

static bool measure(struct work *w, struct error *err)
{
    const struct bench_job job = {.backend = w->headless.backend,
                                  .sweep = &w->sweep,
                                  .picture = w->headless.picture.planes,
                                  .budget_s = BUDGET_S};
    if (!bench_run(&job, &w->measured, err)) return false;
    return !w->measured.failure[0] || error_set(err, "%s", w->measured.failure);
}

static void finish(struct work *w)
{
    for (size_t i = 0; i < G_N_ELEMENTS(w->pictures); i++) {
        image_finish(&w->pictures[i]);
        image_finish(&w->details[i]);
    }
    bench_finish(&w->measured);
    sweep_finish(&w->sweep);
    headless_finish(&w->headless);
    g_free(w);
}

enum outcome headless_sheet(const struct options *o, const char *picture, const char *output)
{
    struct work *w = g_new0(struct work, 1);
    struct error err = {""};
    enum outcome outcome = prepare(w, o, picture, output, &err);
    if (outcome == OUTCOME_DONE) {
        const bool is_saved = measure(w, &err) && fill_cells(w, &err) && save(w, output, &err);
        outcome = is_saved ? OUTCOME_DONE : OUTCOME_REFUSED;
        if (is_saved)
            printf("%s: %d of %d variants of %s on %s\n", output, w->rendered, w->sweep.count,
                   w->sweep.cases[0].filter->name, backend_device(w->headless.backend)->name);
        if (is_saved && w->wrong) {
            error_set(&err, "%d result%s differ%s from the reference", w->wrong,
                      w->wrong == 1 ? "" : "s", w->wrong == 1 ? "s" : "");
            outcome = OUTCOME_REFUSED;
        }
    }
    finish(w);
    return outcome == OUTCOME_DONE ? outcome : command_fail(outcome, &err);
}
