// viewer_sheet.c -- the comparison sheet of what the window shows: all variants of the filter, each
// shown, measured and checked in its turn; or A and B, and how they differ.
//
//     collecting: a cell a turn or more, as fast as times settle ──▶ writing, on a thread
//
// A change of what is shown gives the sheet up.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "app/state.h"
#include "draw/sheet.h"
#include "viewer/viewer.h"

enum { MAX_CELLS = FILTER_MAX_VARIANTS + 1 };

static const double SLOWEST_MS = 1000;  // a launch that takes longer gets a cell without a picture

struct sheet_job {
    struct sheet sheet;
    struct sheet_cell cells[MAX_CELLS];
    struct image pictures[MAX_CELLS], details[MAX_CELLS];
    int count;  // of cells
    bool has_detail;
    int detail_left, detail_top;

    bool is_collecting, is_pair, is_asked;
    int side, variant, picture;      // shown now
    struct choice users[APP_SIDES];  // what the user had chosen when it began

    struct caption_texts texts;
    char *path;
    GThread *thread;  // NULL: collecting
    gint is_done;
    struct error err;
};

static void finish(void *job)
{
    struct sheet_job *a = job;
    if (a->thread) g_thread_join(a->thread);
    for (int i = 0; i < MAX_CELLS; i++) {
        image_finish(&a->pictures[i]);
        image_finish(&a->details[i]);
    }
    g_free(a->path);
    *a = (struct sheet_job){0};
}

// ---- cells ----

// A picture goes into its cell as small as it is shown there, with its detail at full size.
static bool put_picture(struct sheet_job *a, int index, int cell_count, struct planes picture,
                        struct error *err)
{
    struct sheet_cell *cell = &a->cells[index];
    struct image *detail = &a->details[index];
    if (!sheet_shrink(&a->pictures[index], picture, cell_count, err)) return false;
    cell->picture = a->pictures[index].planes;
    if (!a->has_detail) return true;
    sheet_set_detail(cell, picture, a->detail_left, a->detail_top);
    if (!image_init(detail, SHEET_DETAIL, SHEET_DETAIL, picture.count, err)) return false;
    image_copy(detail->planes, cell->detail);
    cell->detail = detail->planes;
    return true;
}

static void set_reason(struct sheet_cell *cell, const char *text)
{
    g_strlcpy(cell->reason, text, MIN(sizeof cell->reason, strcspn(text, "\n") + 1));
}

// What a side of the window shows now, with its times, or the trouble with it.
static void fill_cell(struct sheet_job *a, struct viewer *v, int side, int pane, int cell_count)
{
    struct sheet_cell *cell = &a->cells[a->count];
    const struct stage_trouble *trouble = stage_trouble(v->stage, pane);
    const struct caption_facts facts = viewer_facts(v, side);
    struct image shown = {0};
    struct error err = {""};
    int width, height;
    launch_block(facts.variant, facts.settings, &width, &height);
    g_snprintf(cell->note, sizeof cell->note, "%d×%d", width, height);
    if (trouble->text[0]) {
        set_reason(cell, trouble->text);
    } else if (!image_init(&shown, facts.picture.width, facts.picture.height, facts.picture.count,
                           &err)) {
        set_reason(cell, err.text);
    } else {
        display_read(v->display, pane, shown.planes);
        if (!put_picture(a, a->count, cell_count, shown.planes, &err)) set_reason(cell, err.text);
        sheet_set_times(cell, facts.report.ms, facts.report.copy_ms, facts.report.naive_ms);
        if (facts.check == CAPTION_CHECKED) sheet_set_check(cell, facts.difference);
    }
    image_finish(&shown);
    a->count++;
}

// A and B may differ in anything: so each says its own.
static void note_params(struct sheet_cell *cell, const struct caption_facts *f)
{
    char *block = g_strdup(cell->note);
    filter_write_params(f->filter, &f->settings->params, cell->note, sizeof cell->note);
    if (cell->note[0]) g_strlcat(cell->note, " · ", sizeof cell->note);
    g_strlcat(cell->note, block, sizeof cell->note);
    if (f->settings->is_unrolled) g_strlcat(cell->note, " · unroll", sizeof cell->note);
    g_free(block);
}

// The picture itself, with the floor of all times.
static void fill_source(struct sheet_job *a, struct viewer *v, int cell_count)
{
    struct sheet_cell *cell = &a->cells[a->count];
    struct error err = {""};
    const struct live_timer_report report = viewer_facts(v, v->app.side).report;
    g_strlcpy(cell->label, "copy", sizeof cell->label);
    g_strlcpy(cell->note, "the picture", sizeof cell->note);
    const struct stats_summary copy = {.median = report.copy_ms,
                                       .lower = report.copy_ms,
                                       .upper = report.copy_ms,
                                       .count = report.copy_ms > 0};
    sheet_set_times(cell, copy, 0, 0);
    cell->spread[0] = '\0';
    g_strlcpy(cell->speed, "the floor: read and write once", sizeof cell->speed);
    if (!put_picture(a, a->count, cell_count, stage_picture(v->stage), &err))
        set_reason(cell, err.text);
    a->sheet.floor_ms = report.copy_ms;
    a->count++;
}

static void fill_difference(struct sheet_job *a, struct viewer *v)
{
    struct sheet_cell *cell = &a->cells[a->count];
    const struct planes shape = planes_at(stage_picture(v->stage), NULL);
    struct image pictures[2] = {{{0}}}, difference = {0};
    struct sheet_difference found;
    struct error err = {""};
    bool is_good = true;
    for (int i = 0; i < 2 && is_good; i++) {
        is_good = image_init(&pictures[i], shape.width, shape.height, shape.count, &err);
        if (is_good) display_read(v->display, i, pictures[i].planes);
    }
    is_good = is_good &&
              sheet_subtract(&difference, pictures[0].planes, pictures[1].planes, &found, &err) &&
              put_picture(a, a->count, 3, difference.planes, &err);
    if (is_good)
        sheet_set_difference(cell, a->pictures[a->count].planes, found);
    else
        set_reason(cell, err.text);
    image_finish(&pictures[0]);
    image_finish(&pictures[1]);
    image_finish(&difference);
    a->count++;
}

// ---- the page ----

static void write_title(struct sheet *s, const struct caption_facts *f, bool is_pair)
{
    char params[160];
    filter_write_params(f->filter, &f->settings->params, params, sizeof params);
    g_snprintf(s->title, sizeof s->title, "%s%s%s", is_pair ? "A and B" : f->filter->title,
               *params && !is_pair ? " · " : "", is_pair ? "" : params);
}

static void write_page(struct sheet_job *a, struct viewer *v)
{
    struct sheet *s = &a->sheet;
    const struct caption_facts f = viewer_facts(v, v->app.side);
    GDateTime *now = g_date_time_new_now_local();
    char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    char *name = g_filename_display_name(v->picture_name);
    s->cells = a->cells;
    s->count = a->count;
    write_title(s, &f, a->is_pair);
    g_snprintf(s->detail, sizeof s->detail, "%s · %d×%d %s%s", name, f.picture.width,
               f.picture.height, f.picture.count == 1 ? "grey" : "colour",
               f.settings->is_unrolled ? " · compiled for this radius" : "");
    g_strlcpy(s->device, f.device->name, sizeof s->device);
    g_snprintf(s->date, sizeof s->date, "%s · %s", f.device->driver, date);
    g_snprintf(s->footer, sizeof s->footer,
               "%sMedians and quartiles of at least %d launches of the frames shown. Tilescope %s",
               f.device->is_gpu ? "" : "Times of a CPU, not of a GPU. ", STATS_SETTLED,
               TILESCOPE_VERSION);
    g_free(name);
    g_free(date);
    g_date_time_unref(now);
}

static gpointer save(gpointer data)
{
    struct sheet_job *a = data;
    sheet_save(&a->sheet, a->path, a->texts.texts, a->texts.count, &a->err);
    g_atomic_int_set(&a->is_done, TRUE);
    return NULL;
}

static void begin_saving(struct sheet_job *a, struct viewer *v)
{
    for (int i = 0; i < APP_SIDES; i++) viewer_show(v, i, NULL);
    a->is_collecting = false;
    const int first = a->is_pair ? 0 : 1;  // not the copy
    sheet_mark_best(a->cells + first, a->count - first);
    write_page(a, v);
    viewer_texts(v, &a->texts);
    a->path = screenshot_free_path(v->options->shots, "-sheet.png");
    a->thread = g_thread_new("sheet", save, a);
}

// ---- turn by turn ----

static void begin(struct sheet_job *a, struct viewer *v)
{
    if (a->is_collecting || a->thread) return;
    if (v->app.is_frozen) {
        viewer_note(v, "no sheet while frozen: nothing is measured");
        return;
    }
    a->is_collecting = true;
    a->is_pair = v->app.is_comparing;
    a->side = v->app.side;
    a->picture = v->picture;
    for (int i = 0; i < APP_SIDES; i++) a->users[i] = viewer_users_choice(v, i);
    a->has_detail = sheet_find_detail(stage_picture(v->stage), &a->detail_left, &a->detail_top);
    if (!a->is_pair) fill_source(a, v, app_filter(&v->app)->variant_count + 1);
}

static void collect_pair(struct sheet_job *a, struct viewer *v)
{
    struct image_difference unused;
    const bool is_compared = stage_difference(v->stage, &unused);
    if (!stage_is_settled(v->stage)) return;
    for (int i = 0; i < STAGE_PANES; i++) {
        const struct caption_facts f = viewer_facts(v, i);
        g_snprintf(a->cells[a->count].label, sizeof a->cells[0].label, "%s %s %s", i ? "B" : "A",
                   f.filter->name, f.variant->name);
        fill_cell(a, v, i, i, 3);
        note_params(&a->cells[a->count - 1], &f);
    }
    if (is_compared) fill_difference(a, v);
    begin_saving(a, v);
}

static bool is_too_slow(struct sheet_job *a, struct viewer *v, const struct choice *choice)
{
    const double ms = results_predict(stage_results(v->stage), choice);
    if (ms <= SLOWEST_MS) return false;
    g_snprintf(a->cells[a->count].reason, sizeof a->cells[0].reason,
               "not run: it would take about %.1f s", ms / 1000);
    return true;
}

// Shows the next variant, and takes it when it has settled.
static void collect_variant(struct sheet_job *a, struct viewer *v)
{
    const struct choice *users = &a->users[a->side];
    const struct filter *f = users->filter;
    if (a->is_asked && !stage_is_settled(v->stage)) return;
    if (a->is_asked) fill_cell(a, v, a->side, 0, f->variant_count + 1);
    if (a->is_asked) a->variant++;
    a->is_asked = false;
    if (a->variant == f->variant_count) {
        begin_saving(a, v);
        return;
    }
    char text[64];
    g_snprintf(text, sizeof text, "sheet: %d of %d", a->variant + 1, f->variant_count);
    viewer_note(v, text);
    struct choice next = *users;
    next.variant = &f->variants[a->variant];
    if (next.variant != users->variant)
        next.settings.block_width = next.settings.block_height = 0;  // its own shape
    g_snprintf(a->cells[a->count].label, sizeof a->cells[0].label, "%d %s", a->variant + 1,
               next.variant->name);
    a->is_asked = next.variant == users->variant || !is_too_slow(a, v, &next);
    if (a->is_asked) {
        viewer_show(v, a->side, &next);
        return;
    }
    a->count++;
    a->variant++;
}

static bool is_as_it_was(struct sheet_job *a, struct viewer *v, int side)
{
    const struct choice now = viewer_users_choice(v, side);
    return choice_is_same(&now, &a->users[side]);
}

static bool is_given_up(struct sheet_job *a, struct viewer *v)
{
    if (v->app.is_comparing != a->is_pair || v->picture != a->picture || v->app.is_frozen)
        return true;
    if (a->is_pair) return !is_as_it_was(a, v, APP_A) || !is_as_it_was(a, v, APP_B);
    return v->app.side != a->side || !is_as_it_was(a, v, a->side);
}

static void give_up(struct sheet_job *a, struct viewer *v)
{
    for (int i = 0; i < APP_SIDES; i++) viewer_show(v, i, NULL);
    viewer_note(v, "sheet given up: something else is shown");
    finish(a);
}

static void tell(struct sheet_job *a, struct viewer *v)
{
    g_thread_join(a->thread);
    a->thread = NULL;
    viewer_tell_saved(v, a->path, &a->err);
    finish(a);
}

static void step(void *job, struct viewer *v)
{
    struct sheet_job *a = job;
    if (viewer_take(v, INPUT_SHEET)) begin(a, v);
    if (a->thread && g_atomic_int_get(&a->is_done)) tell(a, v);
    if (!a->is_collecting) return;
    if (is_given_up(a, v))
        give_up(a, v);
    else if (a->is_pair)
        collect_pair(a, v);
    else
        collect_variant(a, v);
}

static bool is_busy(const void *job)
{
    const struct sheet_job *a = job;
    return a->is_collecting || a->thread;
}

// One that is being written is waited for; one that is not complete is forgotten.
static void end(void *job, struct viewer *v)
{
    struct sheet_job *a = job;
    if (a->thread) tell(a, v);
}

const struct job_type sheet_job = {.size = sizeof(struct sheet_job),
                                   .phase = JOB_SHOWS,
                                   .step = step,
                                   .is_busy = is_busy,
                                   .end = end,
                                   .finish = finish};
