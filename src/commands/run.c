// run.c -- `tilescope run`: a lab, once, without a window, with files for its arrays.
//
// Everything that can be refused is refused before the lab runs, except what the elements
// themselves say. Outputs appear together at the end, when all of them are written.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/headless.h"
#include "frame/array_file.h"
#include "frame/check.h"
#include "frame/reference.h"
#include "frame/results.h"

enum { RUN_MAX_OUTPUTS = 16 };

struct run_output {
    int array;
    enum array_form form;
    const char *path;  // the options own it
};

// One run. Zeroed: nothing is open.
struct run {
    const struct options *options;
    struct filter_list filters;
    struct backend *backend;
    struct references references;
    struct choice choice;
    struct array_input inputs[ARRAYS_MAX];
    struct run_output outputs[RUN_MAX_OUTPUTS];
    int input_count, output_count;
    struct arrays_layout layout;  // of the choice's arrays
    struct module *module;
    struct frame frame;
    struct frame_memory memory;
    struct checker *checker;
    double ms;
    bool has_check;
    struct image_difference found;
    const struct array_input *reason;  // whose floats explain what was found; NULL: none do
};

// ---- --in and --out, each NAME=FILE ----

// The array that a pair names, and its file; -1: err says what is wrong.
static int read_pair(const struct filter *lab, const char *option, const char *pair,
                     const char **path, struct error *err)
{
    const char *const sign = strchr(pair, '=');
    if (!sign || sign == pair || !sign[1]) {
        error_set(err, "'%s' is not understood; expected %s NAME=FILE", pair, option);
        return -1;
    }
    g_autofree char *name = g_strndup(pair, (gsize)(sign - pair));
    const int array = command_find_array(lab, name, err);
    *path = sign + 1;
    return array;
}

// ---- outputs ----

// Where a file is or would be, without links; NULL: its folder is not there. The caller frees it.
static char *real_place(const char *path)
{
    char *real = realpath(path, NULL);
    if (real) return real;
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    char *real_folder = realpath(folder, NULL);
    char *place = real_folder ? g_build_filename(real_folder, name, NULL) : NULL;
    free(real_folder);
    return place;
}

static enum outcome add_output(struct run *r, const char *pair, struct error *err)
{
    const struct filter *const lab = r->choice.filter;
    struct run_output out = {.array = -1};
    if ((out.array = read_pair(lab, "--out", pair, &out.path, err)) < 0) return OUTCOME_USAGE;
    if (lab->arrays[out.array].kind == ARRAY_SCRATCH)
        return command_misuse(err, "%s is scratch of %s: it holds no result",
                              lab->arrays[out.array].name, lab->name);
    if (r->output_count == RUN_MAX_OUTPUTS)
        return command_misuse(err, "--out is given more than %d times", RUN_MAX_OUTPUTS);
    if (!array_file_form(&out.form, lab, out.array, out.path, err)) return OUTCOME_USAGE;
    for (int i = 0; i < r->output_count; i++) {
        char *a = real_place(r->outputs[i].path), *b = real_place(out.path);
        const bool is_same = a && b && !strcmp(a, b);
        free(a);
        free(b);
        if (is_same) return command_misuse(err, "two arrays would go into '%s'", out.path);
    }
    if (!command_can_write(out.path, err)) return OUTCOME_REFUSED;
    r->outputs[r->output_count++] = out;
    return OUTCOME_DONE;
}

// ---- inputs ----

static enum outcome add_input(struct run *r, const char *pair, struct error *err)
{
    const struct filter *const lab = r->choice.filter;
    const char *path;
    enum array_form form;
    const int array = read_pair(lab, "--in", pair, &path, err);
    if (array < 0) return OUTCOME_USAGE;
    if (lab->arrays[array].kind != ARRAY_IN)
        return command_misuse(err, "%s is not an in array of %s", lab->arrays[array].name,
                              lab->name);
    for (int i = 0; i < r->input_count; i++)
        if (r->inputs[i].array == array)
            return command_misuse(err, "--in is given twice for %s", lab->arrays[array].name);
    if (!array_file_form(&form, lab, array, path, err)) return OUTCOME_USAGE;
    if (!array_input_open(&r->inputs[r->input_count], lab, array, path, err))
        return OUTCOME_REFUSED;
    r->input_count++;
    return OUTCOME_DONE;
}

// Sets the params that the files fix, and then checks that the files fit to all of them. A param
// that --param or another file gives differently is refused.
static bool agree(struct run *r, struct error *err)
{
    struct choice *const choice = &r->choice;
    const char *set_by[FILTER_MAX_PARAMS] = {NULL};  // the option or file that has set each param
    double *const values = choice->settings.params.v;
    for (char *const *pair = r->options->params; pair && *pair; pair++) {
        g_autofree char *name = g_strndup(*pair, strcspn(*pair, "="));
        const int param = filter_param(choice->filter, name);
        if (param >= 0) set_by[param] = "--param";
    }
    for (int i = 0; i < r->input_count; i++) {
        const struct array_input *in = &r->inputs[i];
        for (int k = 0; k < in->fixed_count; k++) {
            const int param = in->fixed[k].param;
            const struct param *p = &choice->filter->params[param];
            if (set_by[param] && values[param] != in->fixed[k].value)
                return error_set(err, "%s is %s by '%s', and %s by '%s'", p->name,
                                 filter_write_value(p, in->fixed[k].value).text, in->path,
                                 filter_write_value(p, values[param]).text, set_by[param]);
            set_by[param] = in->path;
            values[param] = in->fixed[k].value;
        }
        if (!filter_check(choice->filter, &choice->settings.params, err))
            return error_prefix(err, "cannot read '%s': ", in->path);
    }
    if (!arrays_plan(&r->layout, choice, (struct planes){0}, err)) return false;
    for (int i = 0; i < r->input_count; i++)
        if (!array_input_check(&r->inputs[i], &r->layout.places[r->inputs[i].array], err))
            return false;
    return true;
}

// ---- what to run ----

static enum outcome choose(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    struct choice_words words = options_words(o);
    words.filter = o->pictures[0];
    if (!o->pictures[0] || o->pictures[1])
        return command_misuse(err, "run wants one lab: tilescope run LAB");
    if (!command_load_filters(&r->filters, o, NULL, err) ||
        !(r->backend = command_open_device(o, &r->filters, err)))
        return OUTCOME_REFUSED;
    if (!choice_read(&r->choice, &words, &r->filters, err)) return OUTCOME_USAGE;
    if (filter_has_picture(r->choice.filter))
        return command_misuse(err, "%s is a filter, not a lab: tilescope render runs it",
                              r->choice.filter->name);
    enum outcome outcome = OUTCOME_DONE;
    for (char *const *pair = o->ins; outcome == OUTCOME_DONE && pair && *pair; pair++)
        outcome = add_input(r, *pair, err);
    for (char *const *pair = o->outs; outcome == OUTCOME_DONE && pair && *pair; pair++)
        outcome = add_output(r, *pair, err);
    if (outcome == OUTCOME_DONE && !agree(r, err)) return OUTCOME_REFUSED;
    return outcome;
}

// ---- one run ----

// Compares the result with the reference, which may take minutes: 256 bins of 2^30 bytes.
static bool check(struct run *r, struct error *err)
{
    const struct checker_task task = {.references = &r->references,
                                      .frame = &r->frame,
                                      .memory = &r->memory,
                                      .has_lines = true,
                                      .keeps_answers = true};
    enum checker_state state;
    struct terminal_progress progress;
    if (!filter_has_reference(r->choice.filter)) return true;
    references_open(&r->references, r->backend, NULL);
    if (!r->references.has_own_host) r->references.module = r->module;
    r->checker = checker_create();
    const enum checker_state begun = checker_begin_now(r->checker, &task, err);
    if (begun != CHECKER_RUNNING) return begun == CHECKER_IMPOSSIBLE;
    terminal_progress_begin(&progress, stderr, r->options->is_quiet);
    while ((state = checker_result(r->checker, &r->found, err)) == CHECKER_RUNNING &&
           !signals_came()) {
        g_usleep(1000);
        if (terminal_progress_is_due(&progress))
            terminal_progress_show(&progress, "checking %s %s  %3.0f %%  (Ctrl-C stops)",
                                   r->choice.filter->name, r->choice.variant->name,
                                   100 * checker_progress(r->checker));
    }
    terminal_progress_end(&progress);
    if (state == CHECKER_RUNNING) return error_set(err, "stopped while the result was checked");
    r->has_check = state == CHECKER_DONE;
    // A float sum of other numbers than the lab's own filling depends on the order of its
    // additions.
    if (r->found.count && !r->found.is_outside && checker_rounding_explains(r->checker))
        for (int i = r->input_count - 1; i >= 0; i--)
            if (r->inputs[i].has_unusual) r->reason = &r->inputs[i];
    return r->has_check;
}

// ---- what came of it ----

static void print_result(const struct run *r)
{
    char check[RESULT_CHECK_WORDS];
    const struct choice *c = &r->choice;
    const struct array_input *reason = r->reason;
    result_check_write(check, sizeof check, c,
                       r->has_check ? result_check_of(c, r->found) : CHECK_IMPOSSIBLE, r->found);
    terminal_print(stdout, "%s %s, %s: %.3f ms (one cold launch) on %s, %s\n", c->filter->name,
                   c->variant->name, filter_write_params(c->filter, &c->settings.params).text,
                   r->ms, backend_device(r->backend)->name, reason ? "not exact" : check);
    if (reason)
        terminal_print(
            stdout,
            "%s differs from the reference, most at %d of row %d by less than %lld: with "
            "other floats than small whole numbers, as in '%s', sums depend on their order\n",
            c->filter->arrays[r->found.plane].name, r->found.x, r->found.y, r->found.max + 1LL,
            reason->path);
}

// Writes all files before the first one takes its place.
static bool write_files(const struct run *r, struct error *err)
{
    const struct frame *const frame = &r->frame;
    struct file_output begun[RUN_MAX_OUTPUTS];
    int count = 0, failed = -1;  // failed: err is about that one, without its path
    bool is_good = true;
    for (int i = 0; i < r->output_count && is_good; i++) {
        const struct run_output *out = &r->outputs[i];
        if (!(is_good = file_begin(&begun[i], out->path, err))) break;
        count++;
        is_good =
            array_output_write(frame, &r->memory, out->array, out->form, begun[i].stream, err);
        if (!is_good) failed = i;
    }
    for (int i = 0; i < count; i++)
        if (!file_end(&begun[i], is_good, is_good || i == failed ? err : NULL)) is_good = false;
    for (int i = 0; is_good && i < count; i++) {
        const int array = r->outputs[i].array;
        const struct array *a = &frame->choice.filter->arrays[array];
        terminal_print(stdout, "%s: %s, %s\n", r->outputs[i].path, a->name,
                       array_write_shape(a, &frame->arrays.places[array]).text);
    }
    return is_good;
}

static bool run_once(struct run *r, struct error *err)
{
    const struct choice *c = &r->choice;
    const struct launch_build build = launch_build(c);
    const struct arrays_layout *layout = &r->layout;
    if (!command_has_memory("the arrays", backend_device(r->backend), (double)layout->bytes,
                            layout->in_bytes, err))  // the references read a copy of the in arrays
        return false;
    r->module = frame_build_one(r->backend, c, (struct build){.params = build.params}, err);
    r->frame = (struct frame){.backend = r->backend, .choice = *c, .module = r->module};
    if (!r->module || !frame_plan(&r->frame, (struct planes){.pixels = NULL}, err) ||
        !backend_alloc(r->backend, r->frame.arrays.bytes, &r->memory.arrays, err))
        return false;
    int in_count = 0;
    for (int i = 0; i < c->filter->array_count; i++)
        in_count += c->filter->arrays[i].kind == ARRAY_IN;
    if (r->input_count < in_count && !frame_fill(&r->frame, &r->memory, err)) return false;
    for (int i = 0; i < r->input_count; i++)
        if (!array_input_read(&r->inputs[i], &r->frame, &r->memory, err)) return false;
    if (!frame_prepare(&r->frame, &r->memory, err) ||
        !headless_launch(&r->frame, &r->memory, &r->ms, err) || !check(r, err))
        return false;
    print_result(r);
    const char *const name = r->choice.variant->name;
    const char *const array = r->choice.filter->arrays[r->found.plane].name;
    if (r->found.is_outside)
        return error_set(err, "%s is wrong: it writes behind %s; the memory lens names the line",
                         name, array);
    if (r->found.count && !r->reason) {
        char by[RESULT_CHECK_WORDS] = "";
        g_snprintf(by, sizeof by, " by %d", r->found.max);
        if (r->choice.filter->tolerance.unit) {
            text_copy(by, sizeof by, ", ");
            result_check_write_wrong(by + 2, sizeof by - 2, &r->choice, r->found);
        }
        return error_set(err, "%s is wrong: %s differs at %d of row %d%s", name, array, r->found.x,
                         r->found.y, by);
    }
    return write_files(r, err);
}

static enum outcome run(const struct options *o, struct error *err)
{
    struct run r = {.options = o};
    enum outcome outcome = choose(&r, err);
    if (outcome == OUTCOME_DONE && !run_once(&r, err)) outcome = OUTCOME_REFUSED;
    checker_destroy(r.checker);  // it may still call the module's references
    if (r.backend) {
        backend_wait(r.backend, NULL);
        backend_free(r.backend, r.memory.arrays);
        backend_unload(r.backend, r.module);
    }
    references_close(&r.references);
    backend_close(r.backend);
    for (int i = 0; i < r.input_count; i++) array_input_finish(&r.inputs[i]);
    filter_list_finish(&r.filters);
    return outcome;
}

const struct command command_run = {
    .name = "run",
    .options = OPTIONS_RUN,
    .run = run,
    .usage = "run LAB",
    .summary = "one run of a lab, with files for its arrays, no window",
    .about =
        "Runs one variant of a lab once, and compares elements of what it writes with the lab's\n"
        "reference; a result that is wrong exits with 1.\n\n"
        "--in fills an array from a file, else the lab fills it; --out writes an in or out\n"
        "array. Both may be given several times. A .npy file is NumPy's, of format 1.0; a .bin\n"
        "holds what the lab's file line says. Params that a file fixes come from it. If\n"
        "anything is refused or the result is wrong, no file is written.",
};
