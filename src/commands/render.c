// render.c -- `tilescope render`: one picture through one variant, without a window; or --sheet:
// all variants of a filter over one picture, or of a lab, each measured in turns with the others
// and with a device copy (bench.h), run, checked, and set side by side (sheet.h).
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/state.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/headless.h"
#include "draw/legend.h"
#include "draw/sheet.h"
#include "lens/traces.h"
#include "measure/bench.h"
#include "screen/lens_model.h"
#include "viewer/caption.h"

// Loads the filters, takes the name that stands before a picture, and, for a lab, opens the device,
// whose defaults it has. USAGE, REFUSED or DONE.
static enum outcome open_choice(struct headless *r, struct options *o, const struct filter **f,
                                struct error *err)
{
    if (!command_load_filters(&r->filters, o, NULL, err)) return OUTCOME_REFUSED;
    if (!command_take_name(&r->filters, o, err) ||
        !(*f = choice_read_filter(&r->filters, o->filter, err)))
        return OUTCOME_USAGE;
    const bool is_lab = !filter_has_picture(*f);
    if (o->pictures[0] && is_lab)
        return command_misuse(err, "%s is a lab, which has no picture: tilescope render %s",
                              (*f)->name, (*f)->name);
    if (o->pictures[0] && o->pictures[1])
        return command_misuse(err, "render wants one picture, or one lab");
    if (!is_lab && o->array) return command_misuse(err, "%s has no arrays", (*f)->name);
    r->array = o->array ? command_find_array(*f, o->array, err) : -1;
    if (o->array && r->array < 0) return OUTCOME_USAGE;
    return !is_lab || (r->backend = command_open_device(o, &r->filters, err)) ? OUTCOME_DONE
                                                                              : OUTCOME_REFUSED;
}

// path NULL: the sample picture.
static bool load_picture(struct headless *r, const char *path, bool is_grey, struct error *err)
{
    r->picture_path = path ? g_strdup(path) : options_sample("scene.png");
    if (!image_load(&r->picture, r->picture_path, is_grey, err)) return false;
    r->picture_sha256 = image_checksum(r->picture_path);
    r->is_grey = is_grey;
    return true;
}

// Reads the choice, the array and the picture from a screenshot's settings.
static bool restore(struct headless *r, const struct options *o, struct choice *s,
                    struct error *err)
{
    g_autofree struct app *a = g_new(struct app, 1);
    OWNED(state_picture_finish) struct state_picture picture = {0};
    struct error changed = {""};
    g_autofree char *path = NULL;
    app_init(a, &r->filters, 1);
    bool is_good = state_load(a, &picture, o->restore, err);
    const bool is_lab = is_good && !filter_has_picture(app_filter(a));
    if (is_lab && o->pictures[0])
        is_good = error_set(err, "'%s' was made of a lab, which has no picture", o->restore);
    else if (is_good && !is_lab)  // another picture may be given
        is_good = (path = o->pictures[0] ? g_strdup(o->pictures[0])
                                         : command_find_picture(o, &picture, &changed, err)) &&
                  load_picture(r, path, o->is_grey || picture.is_grey, err);
    *s = app_chosen(a, a->side);
    r->array = app_array(a, a->side);
    return is_good;
}

// Adds the text chunks that name a choice and the device.
static void describe(const struct headless *r, const struct choice *s, struct image_texts *texts)
{
    const struct planes shape = r->result.planes;
    const struct array *shown = &s->filter->arrays[arrays_shown(s, r->array)];
    const bool is_picture = filter_has_picture(s->filter);
    const struct legend legend = legend_of(s, r->array, NULL);
    const struct state_picture of = {r->picture_path, r->picture_sha256, r->is_grey, NULL};
    g_autofree struct app *a = g_new(struct app, 1);
    app_init(a, &r->filters, 1);
    app_take(a, APP_A, s);
    if (!is_picture) g_strlcpy(app_side_choice(a, APP_A)->array, shown->name, ARRAYS_NAME);
    g_autofree char *picture = is_picture ? g_path_get_basename(r->picture_path) : NULL;
    g_autofree char *state = state_write(a, &of);
    caption_add_choice(texts, s, backend_device(r->backend), picture, shown, &legend);
    caption_add(texts, "size", "%dx%d", shape.width, shape.height);
    image_texts_add(texts, STATE_KEY, state);
}

// ---- one picture ----

static enum outcome render_picture(struct options *o, const char *output, struct error *err)
{
    OWNED(headless_finish) struct headless r = {.array = -1, .is_once = true};
    struct choice s;
    OWNED(image_texts_finish) struct image_texts t = {0};
    OWNED(image_finish) struct image picture = {0};
    if (o->restore) {
        if (!command_load_filters(&r.filters, o, NULL, err) || !restore(&r, o, &s, err))
            return OUTCOME_REFUSED;
    } else {
        const struct filter *f;
        const enum outcome outcome = open_choice(&r, o, &f, err);
        if (outcome != OUTCOME_DONE) return outcome;
        const struct choice_words words = options_words(o);
        if (!choice_read(&s, &words, &r.filters, err)) return OUTCOME_USAGE;
        if (filter_has_picture(f) && !load_picture(&r, o->pictures[0], o->is_grey, err))
            return OUTCOME_REFUSED;
    }
    if ((!r.backend && !(r.backend = command_open_device(o, &r.filters, err))) ||
        !headless_run(&r, &s, err))
        return OUTCOME_REFUSED;
    // A lab's array is written in its colours.
    const struct planes from = r.result.planes;
    const enum color_map map = s.filter->arrays[arrays_shown(&s, r.array)].map;
    const struct color_map_table table = color_map_table(map);
    const bool is_mapped = map != COLOR_MAP_GREY;
    if (!image_init(&picture, from.width, from.height, is_mapped ? 3 : from.count, err))
        return OUTCOME_REFUSED;
    if (!is_mapped) image_copy(picture.planes, from);
    for (int plane = 0; is_mapped && plane < 3; plane++)
        for (int y = 0; y < from.height; y++)
            for (int x = 0; x < from.width; x++)
                planes_row(picture.planes, plane, y)[x] =
                    table.colors[planes_row(from, 0, y)[x]][plane];
    describe(&r, &s, &t);
    if (!image_save(picture.planes, output, t.texts, t.count, err)) return OUTCOME_REFUSED;
    terminal_print(stdout, "%s: %s %s, %d×%d, %.3f ms (one cold launch) on %s\n", output,
                   s.filter->name, s.variant->name, r.result.planes.width, r.result.planes.height,
                   r.kernel_ms, backend_device(r.backend)->name);
    return OUTCOME_DONE;
}

enum outcome command_render_headless(const struct options *o, const char *output, struct error *err)
{
    struct options one = *o;
    one.pictures = (char *[]){o->pictures[0], NULL};
    return render_picture(&one, output, err);
}

// ---- a sheet of all variants ----

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

// The row of a case, or of the copy if c is NULL.
static const struct bench_row *row_of(const struct work *w, const struct choice *c)
{
    for (int i = 0; i < w->measured.count; i++) {
        const struct bench_row *row = &w->measured.rows[i];
        if (row->choice.variant == (c ? c->variant : NULL)) return row;
    }
    return NULL;
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
        if (w->traces) {  // counts of the block in the middle; what cannot be known is left out
            const struct planes picture = r->picture.planes;
            const struct tracing_request request = {
                .choice = *c, .picture = picture, .x = picture.width / 2, .y = picture.height / 2};
            const struct lens_result *block = traces_wait(w->traces, &request, NULL).result;
            if (block) lens_model_write_sums(block, cell->memory, sizeof cell->memory, true);
        }
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

static enum outcome make(struct work *w, struct options *o, const char *output, struct error *err)
{
    struct headless *r = &w->headless;
    const enum outcome opened = open_choice(r, o, &w->filter, err);
    if (opened != OUTCOME_DONE) return opened;
    w->options = o;
    // A list of variants as --variant has it; without one, all of the filter.
    bool is_good = true, is_all = !o->variant || !strcmp(o->variant, "all");
    g_auto(GStrv) names = g_strsplit(is_all ? "" : o->variant, ",", -1);
    w->sweep = (struct sweep){.cases = g_new0(struct choice, FILTER_MAX_VARIANTS)};
    for (int i = 0; is_all && is_good && i < w->filter->variant_count; i++)
        is_good = add_case(w, w->filter->variants[i].name, err);
    for (char **name = names; *name && is_good; name++) is_good = add_case(w, *name, err);
    if (!is_good || (!is_all && !names[0] && !add_case(w, "", err))) return OUTCOME_USAGE;
    if (!command_can_write(output, err) ||
        (filter_has_picture(w->filter) && !load_picture(r, o->pictures[0], o->is_grey, err)) ||
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
    describe(r, &w->sweep.cases[0], &t);
    const bool is_saved = sheet_save(&w->sheet, output, t.texts, t.count, err);
    if (is_saved)
        terminal_print(stdout, "%s: %d of %d variants of %s on %s\n", output, w->rendered,
                       w->sweep.count, w->sweep.cases[0].filter->name,
                       backend_device(r->backend)->name);
    return is_saved && command_all_right(w->wrong, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome render_sheet(struct options *o, const char *output, struct error *err)
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

// ---- the command ----

static enum outcome render(const struct options *o, struct error *err)
{
    struct options named = *o;
    if (o->restore ? o->pictures[0] && o->pictures[1] : !o->pictures[0] && !o->file)
        return command_misuse(
            err, "render wants one picture, or one lab: tilescope render IMAGE -o OUT.png");
    g_autofree char *wanted = g_path_get_basename(o->output ? o->output : "");
    const char *const ending = strrchr(wanted, '.');
    const bool has_ending = ending && ending > wanted && ending[1];  // "." and ".." have none
    if (has_ending && g_ascii_strcasecmp(ending, ".png"))
        return command_misuse(err, "cannot write '%s': a PNG file is written, not %s", o->output,
                              ending);
    if (!o->output && !o->restore)
        return command_misuse(err, "render wants to know where to: -o OUT.png");
    if (o->is_sheet) return render_sheet(&named, o->output, err);
    // A restored picture goes into the present folder, under a name that is not the screenshot's.
    g_autofree char *name = o->restore ? g_path_get_basename(o->restore) : g_strdup("");
    char *const end = strrchr(name, '.');
    if (end && end != name) *end = '\0';
    g_autofree char *output =
        o->output ? g_strdup(o->output) : g_strconcat(name, "-restored.png", NULL);
    return render_picture(&named, output, err);
}

const struct command command_render = {
    .name = "render",
    .options = OPTIONS_RENDER,
    .run = render,
    .usage = "render [NAME] [IMAGE] -o OUT",
    .summary = "one picture, or with --sheet all variants, no window",
    .about =
        "Runs one variant once over a picture and writes the result as PNG: grey for a grey\n"
        "picture, RGB for a colour one, of the same size. NAME is a filter's or a lab's. Of a\n"
        "lab, what it writes, or --array, is the picture: a pixel is an element, so that its\n"
        "scale is the text chunk 'shown' and no part of the picture; --sheet draws it.\n\n"
        "With --sheet, every variant of the filter or lab (or --variant a,b) is measured,\n"
        "checked and set side by side on one page for a slide; a result that is wrong exits\n"
        "with 1. With --restore SHOT.png [IMAGE], what a screenshot's settings say, on its\n"
        "picture.",
};
