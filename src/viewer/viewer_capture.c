// viewer_capture.c -- saving files, and the jobs that take what the window shows: a screenshot, a
// copy for the clipboard with the table of the panel that was opened last, or else of the lens, and
// a sheet.
//
// This file is long because all three save, and need the whole picture for it.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "base/terminal.h"
#include "draw/sheet.h"
#include "screen/lens_model.h"
#include "screen/table.h"
#include "viewer/viewer.h"

// ---- files ----

// Writes `what` to a path that was free, with text chunks.
typedef bool saving_write(const void *what, const char *path, const struct image_texts *texts,
                          struct error *err);

// A file that is written in the background. It gets a free name in the folder for screenshots, and
// carries the settings and the times of the moment when its writing began. The job that saves owns
// the struct; {0} saves nothing.
struct saving {
    struct work work;
    saving_write *write;  // on the thread
    const void *what;     // borrowed until the end
    const char *folder, *ending;
    char *path;  // owned; when it has ended
    struct image_texts texts;
    struct error err;  // empty: the file was written
};

// Writes at once, to a free path in that folder, or in the present one if it is NULL:
// tilescope-DATE-TIMEending, with -2, -3 ... if that exists. Of two programs that choose one path,
// the later one takes the next.
static void save(void *saving)
{
    struct saving *s = saving;
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *stem = g_date_time_format(now, "tilescope-%Y%m%d-%H%M%S");
    for (int i = 1; !s->path; i++) {
        g_autofree char *name = i == 1 ? g_strdup_printf("%s%s", stem, s->ending)
                                       : g_strdup_printf("%s-%d%s", stem, i, s->ending);
        s->path = s->folder ? g_build_filename(s->folder, name, NULL) : g_strdup(name);
        s->err.text[0] = '\0';
        const bool is_free = !g_file_test(s->path, G_FILE_TEST_EXISTS);
        if (is_free && (s->write(s->what, s->path, &s->texts, &s->err) ||
                        !g_file_test(s->path, G_FILE_TEST_EXISTS)))
            break;
        g_clear_pointer(&s->path, g_free);  // or somebody else was faster
    }
}

void saving_tell(struct viewer *v, const char *path, const struct error *err)
{
    if (err->text[0]) {
        terminal_print(stderr, "tilescope: %s\n", err->text);
        viewer_note(v, "%s", err->text);
        v->notes.is_failed = true;
        return;
    }
    puts(path);  // as it is, for scripts
    fflush(stdout);
    viewer_note(v, "saved %s", path);
}

// The settings and the times that such a file carries, as they are now.
static void list_texts(struct image_texts *texts, const struct viewer *v)
{
    const struct state_picture picture = viewer_picture(v);
    g_autofree char *state = state_write(&v->app, &picture);
    caption_list(texts, viewer_facts(v, v->app.side));
    image_texts_add(texts, STATE_KEY, state);  // for --restore
}

static void saving_begin(struct saving *s, struct viewer *v, const char *ending,
                         saving_write *write, const void *what)
{
    list_texts(&s->texts, v);
    s->write = write;
    s->what = what;
    s->folder = v->options->shots;
    s->ending = ending;
    work_begin(&s->work, "saving", save, s);
}

// True once, when the file is written or has failed, and the user has been told. is_waiting: waits
// for that.
static bool saving_end(struct saving *s, struct viewer *v, bool is_waiting)
{
    if (!work_end(&s->work, is_waiting)) return false;
    saving_tell(v, s->path, &s->err);
    g_free(s->path);
    image_texts_finish(&s->texts);
    *s = (struct saving){.path = NULL};
    return true;
}

// Labs have no reduced copy.
static bool need_whole(struct viewer *v)
{
    return !viewer_is_of_pictures(v) || viewer_need_whole(v);
}

// ---- a sweep ----

// The source of a sweep's file.
struct sweep_file {
    const struct viewer *viewer;
    struct panel_model_about about;
};

static bool write_sweep(const void *what, const char *path, const struct image_texts *unused,
                        struct error *err)
{
    const struct sweep_file *f = what;
    const struct viewer *v = f->viewer;
    (void)unused;
    return panel_model_save(v->panels, v->stage->host.results, &f->about, path, err);
}

// Saves the sweep as CSV and SVG.
static void save_sweep(struct viewer *v)
{
    static const char *const endings[] = {"-sweep.csv", "-sweep.svg"};
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    const struct sweep_file file = {v, {.picture_name = v->pictures.name, .date = date}};
    for (int i = 0; i < 2; i++) {
        struct saving s = {
            .write = write_sweep, .what = &file, .folder = v->options->shots, .ending = endings[i]};
        save(&s);
        saving_tell(v, s.path, &s.err);
        g_free(s.path);
    }
}

// ---- a screenshot, and a copy ----
// If a picture is shown reduced, its whole is shown first until it is settled.

struct capture_job {
    struct saving saving;  // of a screenshot; of a copy, its texts and what makes it
    struct image image;
    struct viewer_subject subject;
    bool is_waiting;         // for the whole of that,
    bool is_to_be_measured;  // with all that panels want
    bool is_copy;
    char *table;             // of a copy; NULL: nothing that is open has one
    const char *table_name;  // "the bars"
    GBytes *png;             // of a copy, when it is done; NULL: err says why
};

// A sheet shows choices that are not the user's: a screenshot would restore something else then.
static enum input_request find_due(const struct capture_job *c, const struct viewer *v)
{
    if (c->saving.work.thread || c->is_waiting || !viewer_shows_chosen(v)) return INPUT_NOTHING;
    return v->input.asked[INPUT_SCREENSHOT] ? INPUT_SCREENSHOT
           : v->input.asked[INPUT_COPY]     ? INPUT_COPY
                                            : INPUT_NOTHING;
}

// The window is drawn in this turn.
static void draw_without_note(struct viewer *v)
{
    v->notes.text[0] = '\0';
    v->screen.needs_words = v->screen.needs_draw = true;
}

static bool write_image(const void *image, const char *path, const struct image_texts *texts,
                        struct error *err)
{
    return image_save(((const struct image *)image)->planes, path, texts->texts, texts->count, err);
}

static void make_png(void *job)
{
    struct capture_job *c = job;
    struct saving *s = &c->saving;
    unsigned char *bytes;
    size_t size;
    if (image_encode(c->image.planes, s->texts.texts, s->texts.count, &bytes, &size, &s->err))
        c->png = g_bytes_new_with_free_func(bytes, size, free, bytes);
}

// Reads the drawing that is not yet swapped.
static void take_capture(void *job, struct viewer *v)
{
    struct capture_job *c = job;
    const enum input_request due = find_due(c, v);
    if (!due) return;
    viewer_take(v, due);
    struct error err = {""};
    const struct viewport_sizes sizes = viewer_sizes(v);
    if (v->options->is_clean) viewer_paint(v, false, false);
    const bool is_good = display_capture(v->screen.display, &c->image, sizes.window_width,
                                         sizes.window_height, &err);
    if (v->options->is_clean) viewer_paint(v, true, false);
    if (!is_good) {
        saving_tell(v, NULL, &err);
        return;
    }
    c->is_copy = due == INPUT_COPY;
    if (!c->is_copy) {
        saving_begin(&c->saving, v, ".png", write_image, &c->image);
        if (v->app.has_sweep && panel_model_has_sweep(v->panels)) save_sweep(v);
        return;
    }
    list_texts(&c->saving.texts, v);
    c->table = table_of_panels(&v->screen.content.panels, &c->table_name);
    if (!c->table) {
        c->table = table_of_lens(v->screen.content.docks.lens[v->app.side]);
        c->table_name = "the lens";
    }
    work_begin(&c->saving.work, "copying", make_png, c);
}

static void follow_capture(struct capture_job *c, struct viewer *v, bool is_waiting)
{
    struct error *err = &c->saving.err;
    if (!c->is_copy) {
        if (saving_end(&c->saving, v, is_waiting)) image_finish(&c->image);
        return;
    }
    if (!work_end(&c->saving.work, is_waiting)) return;
    g_autoptr(GBytes) table = c->table ? g_bytes_new(c->table, strlen(c->table)) : NULL;
    if (c->png && !v->exchange)
        error_set(err, "no clipboard: the X server takes no other connection");
    else if (c->png)
        exchange_offer(v->exchange, c->png, table, err);
    if (err->text[0])
        viewer_note(v, "%s", err->text);
    else
        viewer_note(v, "copied the window%s%s%s", table ? ", and " : "", table ? c->table_name : "",
                    table ? " as a table" : "");
    image_texts_finish(&c->saving.texts);
    image_finish(&c->image);
    g_clear_pointer(&c->table, g_free);
    g_clear_pointer(&c->png, g_bytes_unref);
    c->saving = (struct saving){.path = NULL};
}

// Waits for the whole picture and, if the copy's figures were there, for those of the whole.
static void wait_for_whole(struct capture_job *c, struct viewer *v)
{
    const bool is_whole = need_whole(v);
    if (!c->is_waiting && is_whole) return;
    if (!c->is_waiting) {
        c->subject = viewer_subject_of(v);
        c->is_to_be_measured = v->now.is_measured;
    }
    bool is_ready = viewer_is_settled(v);
    for (int i = 0; i < v->now.sides; i++)  // a frame that is late may still come
        is_ready &= v->stage->panes[i].trouble.kind != TROUBLE_LATE;
    c->is_waiting = !is_whole || !is_ready || (c->is_to_be_measured && !v->now.is_measured);
    v->screen.needs_words = true;
    if (viewer_has_subject(v, &c->subject)) return;
    viewer_note(v, "%s given up: something else is shown",
                v->input.asked[INPUT_SCREENSHOT] ? "screenshot" : "copy");
    viewer_take(v, INPUT_SCREENSHOT);
    viewer_take(v, INPUT_COPY);
    c->is_waiting = false;
}

static void step_capture(void *job, struct viewer *v)
{
    struct capture_job *c = job;
    follow_capture(c, v, false);
    if (v->input.asked[INPUT_SCREENSHOT] || v->input.asked[INPUT_COPY]) wait_for_whole(c, v);
    if (find_due(c, v)) draw_without_note(v);
}

static void write_words(void *job, struct viewer *v)
{
    const struct capture_job *c = job;
    if (c->is_waiting)
        viewer_set_message(
            v, OVERLAY_NOTE,
            "the screenshot waits for the whole picture; another choice gives it up");
}

static bool is_capturing(const void *job)
{
    const struct capture_job *c = job;
    return c->is_waiting || c->saving.work.thread;
}

// A screenshot may be asked for in the turn in which the user quits.
static void end_capture(void *job, struct viewer *v)
{
    struct capture_job *c = job;
    struct error err;
    follow_capture(c, v, true);
    if (v->now.sides && find_due(c, v) == INPUT_SCREENSHOT && window_is_visible(v->screen.window)) {
        draw_without_note(v);
        viewer_draw(v);
        follow_capture(c, v, true);
    }
    if (!viewer_take(v, INPUT_SCREENSHOT)) return;
    error_set(&err, "no screenshot: the window %s",
              c->is_waiting            ? "did not yet show the whole picture"
              : viewer_shows_chosen(v) ? "was not visible"
                                       : "showed something else");
    saving_tell(v, NULL, &err);
}

const struct job_type capture_job = {.size = sizeof(struct capture_job),
                                     .step = {[JOB_SHOWS] = step_capture,
                                              [JOB_WRITES] = write_words,
                                              [JOB_DRAWN] = take_capture,
                                              [JOB_ENDS] = end_capture},
                                     .is_busy = is_capturing};

// ---- a sheet ----
// The comparison sheet of what the window shows: all variants of the filter, each shown, measured
// and checked in its turn; or A and B, and how they differ. Before the variants of a lab, its first
// in array is shown, for the sheet's first cell.
//
//     collecting: a cell a turn or more, as fast as times settle ──▶ writing, on a thread
//
// A change of what is shown gives the sheet up.

enum { INPUT = -1 };

static const double SLOWEST_MS = 1000;  // a launch that takes longer gets a cell without a picture

struct sheet_job {
    struct sheet sheet;
    bool is_collecting, is_begun, is_asked;  // it begins when the whole picture is shown
    struct viewer_subject of;
    int variant;  // shown now; INPUT: the in array of a lab
    struct saving saving;
};

static void finish_sheet(void *job)
{
    struct sheet_job *a = job;
    sheet_finish(&a->sheet);
    *a = (struct sheet_job){0};
}

// Reads the picture of a pane. False: there is no memory.
static bool read_pane(struct viewer *v, int pane, struct image *shown, struct error *err)
{
    const struct planes shape = display_shape(v->screen.display);
    if (!image_init(shown, shape.width, shape.height, shape.count, err)) return false;
    display_read(v->screen.display, pane, shown->planes);
    return true;
}

// Adds the picture that a side shows now, with its times, or the trouble with it.
static void fill_cell(struct sheet_job *a, struct viewer *v, int side, int pane)
{
    const struct pane_facts *facts = viewer_facts(v, side);
    const struct trouble *trouble = &v->stage->panes[pane].trouble;
    struct sheet_cell *cell = sheet_add(&a->sheet, &facts->choice, facts->array);
    OWNED(image_finish) struct image picture = {0};
    struct error err = {""};
    if (trouble->kind) {
        sheet_refuse(cell, trouble->text);
    } else if (!read_pane(v, pane, &picture, &err)) {
        sheet_refuse(cell, err.text);
    } else {
        // A time of this device has no place among recorded ones.
        const bool is_lacking = facts->timed.is_recorded && !facts->has_gpu_times;
        sheet_set_result(&a->sheet, cell, picture.planes,
                         is_lacking ? (struct stats_summary){0} : facts->known.ms);
        const struct lens_result *counts = v->lens.sides[side].counts;
        if (counts) lens_model_write_sums(counts, cell->memory, sizeof cell->memory, true);
        if (facts->known.check >= CHECK_EXACT) sheet_set_check(cell, facts->known.difference);
    }
}

static bool write_sheet(const void *sheet, const char *path, const struct image_texts *texts,
                        struct error *err)
{
    return sheet_save(sheet, path, texts->texts, texts->count, err);
}

static void begin_saving(struct sheet_job *a, struct viewer *v)
{
    const struct pane_facts *f = viewer_facts(v, a->of.is_pair ? APP_A : a->of.side);
    const double copy_ms = f->copy_ms;
    char of[96] = "", times[256];
    caption_add_size(of, sizeof of, f);
    g_snprintf(times, sizeof times, "%s%s%s", f->timed.about, *of ? ", " : "", of);
    const struct sheet_page page = {
        .device = results_device(v->stage->host.results, f->device),
        .times = times,
        .picture_name = v->pictures.name,
        .copy = {copy_ms > 0, copy_ms, copy_ms, copy_ms},
        .samples = f->timed.is_recorded ? "cold samples" : "samples of the frames shown"};
    a->is_collecting = false;
    sheet_complete(&a->sheet, &page);
    saving_begin(&a->saving, v, "-sheet.png", write_sheet, &a->sheet);
}

static void begin_cells(struct sheet_job *a, const struct viewer *v)
{
    a->is_begun = true;
    const int first = a->of.is_pair ? APP_A : a->of.side;
    const struct choice *choice = &a->of.choices[first];
    const enum sheet_kind kind = a->of.is_pair ? SHEET_PAIR : SHEET_VARIANTS;
    const int count = a->of.is_pair ? STAGE_PANES : choice->filter->variant_count;
    const struct planes picture = arrays_picture(choice->filter, v->stage->host.picture);
    sheet_begin(&a->sheet, kind, choice, a->of.arrays[first], picture, count);
    if (picture.width) sheet_set_input(&a->sheet, picture);
    a->sheet.has_memory = v->app.has_lens || !viewer_facts(v, a->of.side)->has_gpu_times;
    a->variant = picture.width || a->of.is_pair ? 0 : INPUT;
}

// Adds the cells of A and B and their difference, which is left out if there is no memory for it.
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
    struct viewer_override *shown = &v->overrides[a->of.side];
    const struct choice *users = &a->of.choices[a->of.side];
    const int count = users->filter->variant_count;
    struct image picture = {0};
    char text[64];
    if (a->is_asked && (!v->now.is_settled || v->lens.sides[a->of.side].is_pending)) return;
    if (a->is_asked && a->variant != INPUT)
        fill_cell(a, v, a->of.side, 0);
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
    viewer_note(v, "sheet: %d of %d", a->variant + 1, count);
    const struct choice next = choice_of_variant(users, &users->filter->variants[a->variant]);
    // A variant that would take too long is refused, but not the one that the user looks at.
    const struct results *results = v->stage->host.results;
    const double ms = results_predict(results, &next);
    a->is_asked = next.variant == users->variant || ms <= SLOWEST_MS;
    if (a->is_asked) {
        shown->choice = next;
        return;
    }
    g_snprintf(text, sizeof text, "not run: it would take %s %.1f s",
               results_has_variant(results, &next) ? "about" : "up to", ms / 1000);
    sheet_refuse(sheet_add(&a->sheet, &next, a->of.arrays[a->of.side]), text);
    a->variant++;
}

static bool is_making(const void *job)
{
    const struct sheet_job *a = job;
    return a->is_collecting || a->saving.work.thread;
}

static void step_sheet(void *job, struct viewer *v)
{
    struct sheet_job *a = job;
    if (viewer_take(v, INPUT_SHEET) && !is_making(a)) {
        a->is_collecting = !v->app.is_frozen;
        a->of = viewer_subject_of(v);
        if (v->app.is_frozen) viewer_note(v, "no sheet while frozen: nothing is measured");
    }
    if (saving_end(&a->saving, v, false)) finish_sheet(a);
    if (!a->is_collecting) return;
    const bool is_whole = need_whole(v);
    if (!viewer_has_subject(v, &a->of)) {
        memset(v->overrides, 0, sizeof v->overrides);
        viewer_note(v, "sheet given up: something else is shown");
        finish_sheet(a);
        return;
    }
    if (!is_whole) return;
    if (!a->is_begun) begin_cells(a, v);
    if (a->of.is_pair)
        collect_pair(a, v);
    else
        collect_variant(a, v);
}

// One that is being written is waited for; one that is not complete is forgotten.
static void end_sheet(void *job, struct viewer *v)
{
    struct sheet_job *a = job;
    if (saving_end(&a->saving, v, true)) finish_sheet(a);
}

const struct job_type sheet_job = {.size = sizeof(struct sheet_job),
                                   .step = {[JOB_SHOWS] = step_sheet, [JOB_ENDS] = end_sheet},
                                   .is_busy = is_making,
                                   .finish = finish_sheet};
