// viewer_sheet.c -- the comparison sheet of what the window shows: all variants of the filter, each
// shown, measured and checked in its turn; or A and B, and how they differ. Before the variants of
// a lab, its first in array is shown, for the sheet's first cell.
//
//     collecting: a cell a turn or more, as fast as times settle ──▶ writing, on a thread
//
// A change of what is shown gives the sheet up.
#include <glib.h>
#include <string.h>

#include "draw/sheet.h"
#include "screen/lens_model.h"
#include "viewer/viewer.h"

enum { INPUT = -1 };

static const double SLOWEST_MS = 1000;  // a launch that takes longer gets a cell without a picture

struct sheet_job {
    struct sheet sheet;
    bool is_collecting, is_pair, is_asked;
    unsigned picture_version;        // of all cells
    int side, variant;               // shown now; variant INPUT: the in array of a lab
    struct choice users[APP_SIDES];  // what the user had chosen when it began
    int arrays[APP_SIDES];
    struct saving saving;
};

static void finish(void *job)
{
    struct sheet_job *a = job;
    sheet_finish(&a->sheet);
    *a = (struct sheet_job){0};
}

// ---- cells ----

// What a pane of the window shows; false: no memory.
static bool read_pane(struct viewer *v, int pane, struct image *shown, struct error *err)
{
    const struct planes shape = display_shape(v->display);
    if (!image_init(shown, shape.width, shape.height, shape.count, err)) return false;
    display_read(v->display, pane, shown->planes);
    return true;
}

// What a side of the window shows now, with its times, or the trouble with it.
static void fill_cell(struct sheet_job *a, struct viewer *v, int side, int pane)
{
    const struct pane_facts *facts = viewer_facts(v, side);
    const struct trouble *trouble = &v->stage->panes[pane].trouble;
    struct sheet_cell *cell = sheet_add(&a->sheet, &facts->choice, facts->array);
    struct image picture = {0};
    struct error err = {""};
    if (trouble->kind) {
        sheet_refuse(cell, trouble->text);
    } else if (!read_pane(v, pane, &picture, &err)) {
        sheet_refuse(cell, err.text);
    } else {
        sheet_set_result(&a->sheet, cell, picture.planes, facts->known.ms);
        if (v->lens.sides[side].result && !v->lens.sides[side].is_stale)
            lens_model_write_short(v->lens.sides[side].result, cell->memory, sizeof cell->memory);
        if (facts->known.check >= CHECK_EXACT) sheet_set_check(cell, facts->known.difference);
    }
    image_finish(&picture);
}

// ---- the file ----

static bool write_sheet(const void *sheet, const char *path, const struct image_texts *texts,
                        struct error *err)
{
    return sheet_save(sheet, path, texts->texts, texts->count, err);
}

static void begin_saving(struct sheet_job *a, struct viewer *v)
{
    const struct pane_facts *f = viewer_facts(v, a->is_pair ? APP_A : a->side);
    const double copy_ms = f->copy_ms;
    const struct sheet_page page = {.device = f->device,
                                    .picture_name = v->pictures.name,
                                    .copy = {copy_ms > 0, copy_ms, copy_ms, copy_ms},
                                    .samples = "samples of the frames shown"};
    a->is_collecting = false;
    sheet_complete(&a->sheet, &page);
    a->saving.write = write_sheet;
    a->saving.what = &a->sheet;
    saving_begin(&a->saving, v, "-sheet.png");
}

// ---- turn by turn ----

static void begin(struct sheet_job *a, struct viewer *v)
{
    if (a->is_collecting || a->saving.thread) return;
    if (v->app.is_frozen) {
        viewer_note(v, "no sheet while frozen: nothing is measured");
        return;
    }
    a->is_collecting = true;
    a->is_pair = v->app.is_comparing;
    a->side = v->app.side;
    a->picture_version = v->pictures.version;
    for (int i = 0; i < APP_SIDES; i++) {
        a->users[i] = app_chosen(&v->app, i);
        a->arrays[i] = app_array(&v->app, i);
    }
    const int first = a->is_pair ? APP_A : a->side;
    const struct choice *choice = &a->users[first];
    const enum sheet_kind kind = a->is_pair ? SHEET_PAIR : SHEET_VARIANTS;
    const int count = a->is_pair ? STAGE_PANES : choice->filter->variant_count;
    const struct planes picture = arrays_picture(choice->filter, v->stage->host.picture);
    if (picture.width)
        sheet_begin(&a->sheet, kind, picture, count);
    else
        sheet_begin_lab(&a->sheet, kind, choice, a->arrays[first], count);
    a->sheet.has_memory = v->app.has_lens;
    a->variant = picture.width || a->is_pair ? 0 : INPUT;
}

// The difference is left out where there is no memory for the pictures.
static void collect_pair(struct sheet_job *a, struct viewer *v)
{
    struct image pictures[STAGE_PANES] = {{{0}}};
    if (!v->now.is_settled) return;
    for (int i = 0; i < STAGE_PANES; i++) fill_cell(a, v, i, i);
    const bool is_refused = a->sheet.cells[0].reason[0] || a->sheet.cells[1].reason[0];
    if (v->now.pair.is_difference_known && !is_refused && read_pane(v, 0, &pictures[0], NULL) &&
        read_pane(v, 1, &pictures[1], NULL))
        sheet_add_difference(&a->sheet, pictures[0].planes, pictures[1].planes);
    for (int i = 0; i < STAGE_PANES; i++) image_finish(&pictures[i]);
    begin_saving(a, v);
}

// Shows a lab's input and then the next variant, and takes each when it has settled. A choice that
// is refused has no input on the screen.
static void collect_variant(struct sheet_job *a, struct viewer *v)
{
    struct viewer_override *shown = &v->overrides[a->side];
    const struct choice *users = &a->users[a->side];
    const int count = users->filter->variant_count;
    struct image picture = {0};
    char text[64];
    if (a->is_asked && (!v->now.is_settled || v->lens.sides[a->side].is_pending)) return;
    if (a->is_asked && a->variant != INPUT)
        fill_cell(a, v, a->side, 0);
    else if (a->is_asked && !v->stage->panes[0].trouble.kind && read_pane(v, 0, &picture, NULL))
        sheet_set_input(&a->sheet, picture.planes);
    image_finish(&picture);
    a->variant += a->is_asked;
    shown->shows_input = a->is_asked = a->variant == INPUT;
    if (a->is_asked) return;
    if (a->variant == count) {  // what the file says of itself is the user's choice
        shown->choice.filter = NULL;
        if (viewer_is_settled(v)) begin_saving(a, v);
        return;
    }
    g_snprintf(text, sizeof text, "sheet: %d of %d", a->variant + 1, count);
    viewer_note(v, text);
    const struct choice next = choice_of_variant(users, &users->filter->variants[a->variant]);
    // What would take too long is refused. The variant that the user looks at is shown anyway.
    const struct results *results = v->stage->host.results;
    const double ms = results_predict(results, &next);
    a->is_asked = next.variant == users->variant || ms <= SLOWEST_MS;
    if (a->is_asked) {
        shown->choice = next;
        return;
    }
    g_snprintf(text, sizeof text, "not run: it would take %s %.1f s",
               results_has_variant(results, &next) ? "about" : "up to", ms / 1000);
    sheet_refuse(sheet_add(&a->sheet, &next, a->arrays[a->side]), text);
    a->variant++;
}

static bool is_as_it_was(struct sheet_job *a, struct viewer *v, int side)
{
    const struct choice now = app_chosen(&v->app, side);
    return choice_is_same(&now, &a->users[side]) && app_array(&v->app, side) == a->arrays[side];
}

static void step(void *job, struct viewer *v)
{
    struct sheet_job *a = job;
    if (viewer_take(v, INPUT_SHEET)) begin(a, v);
    if (saving_end(&a->saving, v, false)) finish(a);
    if (!a->is_collecting) return;
    const bool is_same_view = v->app.is_comparing == a->is_pair && !v->app.is_frozen &&
                              v->pictures.version == a->picture_version &&
                              (a->is_pair || v->app.side == a->side);
    const bool is_same = a->is_pair ? is_as_it_was(a, v, APP_A) && is_as_it_was(a, v, APP_B)
                                    : is_as_it_was(a, v, a->side);
    if (!is_same_view || !is_same) {
        memset(v->overrides, 0, sizeof v->overrides);
        viewer_note(v, "sheet given up: something else is shown");
        finish(a);
    } else if (a->is_pair)
        collect_pair(a, v);
    else
        collect_variant(a, v);
}

static bool is_busy(const void *job)
{
    const struct sheet_job *a = job;
    return a->is_collecting || a->saving.thread;
}

// One that is being written is waited for; one that is not complete is forgotten.
static void end(void *job, struct viewer *v)
{
    struct sheet_job *a = job;
    if (saving_end(&a->saving, v, true)) finish(a);
}

const struct job_type sheet_job = {.size = sizeof(struct sheet_job),
                                   .step = {[JOB_SHOWS] = step, [JOB_ENDS] = end},
                                   .is_busy = is_busy,
                                   .finish = finish};
