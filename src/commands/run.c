// run.c -- `tilescope run`: a lab, once, without a window.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/launch_watch.h"
#include "commands/run_files.h"
#include "frame/checker.h"
#include "frame/lab_rounding.h"
#include "frame/reference.h"
#include "measure/results.h"

// One run. Zeroed: nothing is open.
struct run {
    const struct options *options;
    struct filter_list filters;
    struct backend *backend;
    struct references references;
    struct choice choice;
    struct run_files files;
    struct module *module;
    struct frame frame;
    struct frame_memory memory;
    struct checker *checker;
    double ms;
    bool has_check;
    struct image_difference found;
    const struct array_input *reason;  // whose floats explain what was found; NULL: none do
};

// ---- what to run ----

static enum outcome choose(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    struct choice_words words = options_words(o);
    words.filter = o->pictures[0];
    if (!o->pictures[0] || o->pictures[1]) {
        error_set(err, "run wants one lab: tilescope run LAB");
        return OUTCOME_USAGE;
    }
    if (!command_load_filters(&r->filters, o, err)) return OUTCOME_REFUSED;
    if (!(r->backend = command_open_device(o, err))) return OUTCOME_REFUSED;
    if (!backend_device(r->backend)->is_gpu) filter_list_use_cpu(&r->filters);
    if (!choice_read(&r->choice, &words, &r->filters, err)) return OUTCOME_USAGE;
    if (r->choice.filter->is_lab) return run_files_open(&r->files, o, &r->choice, err);
    error_set(err, "%s is a filter, not a lab: tilescope render runs it", r->choice.filter->name);
    return OUTCOME_USAGE;
}

// ---- one run ----

// The references read a copy of the in arrays.
static bool check_memory(const struct run *r, struct error *err)
{
    const struct arrays_layout *layout = &r->files.layout;
    return command_has_memory("the arrays", backend_device(r->backend), (double)layout->bytes,
                              layout->in_bytes, err);
}

static bool plan(struct run *r, struct error *err)
{
    const struct choice *c = &r->choice;
    const struct launch_build build = launch_build(c->filter, &c->settings);
    const struct planes none = {.pixels = NULL};
    if (!check_memory(r, err)) return false;
    r->module = frame_compile(r->backend, c->filter, build.params, err);
    r->frame = (struct frame){.backend = r->backend, .choice = *c, .module = r->module};
    return r->module && frame_plan(&r->frame, none, err) &&
           backend_alloc(r->backend, r->frame.arrays.bytes, &r->memory.arrays, err) &&
           run_files_fill(&r->files, &r->frame, &r->memory, err);
}

static bool launch(struct run *r, struct error *err)
{
    struct backend *b = r->backend;
    return frame_prepare(&r->frame, &r->memory, err) && frame_poison(&r->frame, &r->memory, err) &&
           backend_mark(b, 0, err) && frame_run(&r->frame, &r->memory, err) &&
           backend_mark(b, 1, err) && frame_finish(&r->frame, &r->memory, err) &&
           launch_watch_wait(b, err) && backend_elapsed(b, 0, 1, &r->ms, err);
}

// A REFERENCE may take minutes: 256 bins of 2^30 bytes.
static bool await_check(struct run *r, struct error *err)
{
    enum checker_state state;
    struct terminal_progress progress;
    terminal_progress_begin(&progress, stderr, r->options->is_quiet);
    while ((state = checker_result(r->checker, &r->found, err)) == CHECKER_RUNNING) {
        if (signals_came()) return error_set(err, "stopped while the result was checked");
        g_usleep(1000);
        if (terminal_progress_is_due(&progress))
            terminal_progress_show(&progress, "checking %s %s  %3.0f %%  (Ctrl-C stops)",
                                   r->choice.filter->name, r->choice.variant->name,
                                   100 * checker_progress(r->checker));
    }
    terminal_progress_end(&progress);
    return state == CHECKER_DONE;
}

static bool compare(struct run *r, struct error *err)
{
    const struct checker_task task = {.references = &r->references,
                                      .frame = &r->frame,
                                      .memory = &r->memory,
                                      .keeps_answers = true};
    enum checker_begun begun;
    references_open(&r->references, r->backend, NULL);
    r->checker = checker_create();
    do {
        if (!checker_begin(r->checker, &task, &begun, err)) return false;
        if (begun == CHECKER_WAITS) g_usleep(1000);
    } while (begun == CHECKER_WAITS);
    if (begun == CHECKER_IMPOSSIBLE) return true;
    r->has_check = await_check(r, err);
    return r->has_check;
}

// A float sum of other numbers than the lab's own filling depends on the order of its additions.
static bool find_reason(struct run *r, struct error *err)
{
    const struct array_input *unusual = run_files_unusual(&r->files);
    bool is_explained = false;
    if (r->found.count == 0 || r->found.is_outside || !unusual) return true;
    if (!lab_rounding_explains(&r->frame, &r->memory, checker_check(r->checker), &is_explained,
                               err))
        return false;
    if (is_explained) r->reason = unusual;
    return true;
}

static bool check(struct run *r, struct error *err)
{
    return (!filter_has_reference(r->choice.filter) || compare(r, err)) && find_reason(r, err);
}

// ---- what came of it ----

static void print_result(const struct run *r)
{
    char params[256];
    const struct choice *c = &r->choice;
    const struct array_input *reason = r->reason;
    const enum result_check found = !r->has_check        ? CHECK_NO_REFERENCE
                                    : r->found.count > 0 ? CHECK_WRONG
                                                         : CHECK_EXACT;
    filter_write_params(c->filter, &c->settings.params, params, sizeof params);
    terminal_print(stdout, "%s %s, %s: %.3f ms (one cold launch) on %s, %s\n", c->filter->name,
                   c->variant->name, params, r->ms, backend_device(r->backend)->name,
                   reason ? "not exact" : result_check_name(found));
    if (reason)
        terminal_print(
            stdout,
            "%s differs from the reference, most at %d of row %d by less than %lld: with "
            "other floats than small whole numbers, as in '%s', sums depend on their order\n",
            c->filter->arrays[r->found.plane].name, r->found.x, r->found.y, r->found.max + 1LL,
            reason->path);
}

static bool is_right(const struct run *r, struct error *err)
{
    const char *const name = r->choice.variant->name,
                      *array = r->choice.filter->arrays[r->found.plane].name;
    if (r->found.is_outside)
        return error_set(err, "%s is wrong: it writes behind %s; the memory lens names the line",
                         name, array);
    return r->found.count == 0 || r->reason ||
           error_set(err, "%s is wrong: %s differs at %d of row %d by %d", name, array, r->found.x,
                     r->found.y, r->found.max);
}

static void finish(struct run *r)
{
    if (r->backend) {
        backend_wait(r->backend, NULL);
        backend_free(r->backend, r->memory.arrays);
        backend_unload(r->backend, r->module);
    }
    checker_destroy(r->checker);
    references_close(&r->references);
    backend_close(r->backend);
    run_files_finish(&r->files);
    filter_list_finish(&r->filters);
}

static bool run_once(struct run *r, struct error *err)
{
    if (!plan(r, err)) return false;
    struct watchdog *watch = launch_watch_begin(&r->choice);
    const bool is_launched = launch(r, err);
    launch_watch_end(watch);
    if (!is_launched || !check(r, err)) return false;
    print_result(r);
    return is_right(r, err) && run_files_write(&r->files, &r->frame, &r->memory, err);
}

static enum outcome run(const struct options *o)
{
    struct run r = {.options = o};
    struct error err = {""};
    signals_hold(COMMAND_GRACE_S);
    enum outcome outcome = choose(&r, &err);
    if (outcome == OUTCOME_DONE && !run_once(&r, &err)) outcome = OUTCOME_REFUSED;
    finish(&r);
    return outcome == OUTCOME_DONE ? outcome : command_fail(outcome, &err);
}

static const char about[] =
    "Runs one variant of a lab once, and compares elements of what it writes with the lab's\n"
    "reference; a result that is wrong exits with 1.\n\n"
    "--in fills an array from a file, else the lab fills it; --out writes an in or out array. "
    "Both\n"
    "may be given several times. A .npy file is NumPy's, of format 1.0; a .bin holds what the\n"
    "lab's file line says. Params that a file fixes come from it. If anything is refused or the\n"
    "result is wrong, no file is written.";

enum outcome command_run_lab(int argc, char **argv)
{
    const struct command_help help = {"tilescope run LAB [OPTION…]", about, NULL};
    return command_run(OPTIONS_RUN, argc, argv, &help, run);
}
