// lens_command.c -- `tilescope lens`: traces variants and prints what the hardware would count.
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "filter/launch.h"
#include "frame/machine_text.h"
#include "lens/issue.h"
#include "lens/report.h"
#include "lens/traces.h"

// One run. Zeroed: nothing is open.
struct lens {
    struct options options;  // where a word that names a filter or lab is one of --filter
    struct filter_list filters;
    struct choice choice;
    struct image picture;
    char *subject;
    bool needs_picture;
    int width, height;     // of --size
    int x, y;              // of --block-at
    struct device device;  // a launch is the one that the window would show there
    struct traces *traces;
    struct report_case cases[FILTER_MAX_VARIANTS];
    int case_count;
};

// ---- what to trace ----

static enum outcome choose(struct lens *l, struct error *err)
{
    struct options *o = &l->options;
    if (o->is_all && o->variant)
        return command_misuse(err, "--all takes all variants: --variant does not go with it");
    struct build_target asked;
    if (o->arch && !machine_text_read_arch(o->arch, &asked, err)) return OUTCOME_USAGE;
    if (o->size && !choice_read_picture_size(o->size, &l->width, &l->height, err))
        return OUTCOME_USAGE;
    if (!command_load_filters(&l->filters, o, NULL, err)) return OUTCOME_REFUSED;
    filter_list_use_cpu(&l->filters);  // the lens runs kernels there
    if (!command_take_name(&l->filters, o, err)) return OUTCOME_USAGE;
    const struct choice_words words = options_words(o);
    if (!choice_read(&l->choice, &words, &l->filters, err)) return OUTCOME_USAGE;
    l->needs_picture = filter_has_picture(l->choice.filter);
    if (!l->needs_picture && (o->pictures[0] || o->size))
        return command_misuse(err, "%s is a lab, which has no picture", l->choice.filter->name);
    if (o->pictures[0] && (o->pictures[1] || o->size))
        return command_misuse(err, "lens wants one picture, or --size WxH, not both");
    return OUTCOME_DONE;
}

static bool read_block(struct lens *l, struct error *err)
{
    const char *text = l->options.block_at;
    const struct planes p = l->picture.planes;
    int across, down;
    if (!text) return true;
    g_auto(GStrv) parts = text_match("(\\d{1,9}),(\\d{1,9})", text);
    if (!parts)
        return error_set(err, "block-at '%s' is not understood; expected X,Y, such as 100,50",
                         text);
    l->x = atoi(parts[0]);
    l->y = atoi(parts[1]);
    if (l->needs_picture)
        return (l->x < p.width && l->y < p.height) ||
               error_set(err, "block-at %d,%d is outside of the picture's %d×%d pixels", l->x, l->y,
                         p.width, p.height);
    // The domain is the chosen variant's, even for --all: others may have domains of their own.
    if (!l->device.multiprocessors || !launch_domain(&l->choice, p, &l->device, &across, &down))
        return true;  // tracing says why
    return (l->x < across && l->y < down) ||
           error_set(err, "block-at %d,%d is outside of %s's domain of %d×%d", l->x, l->y,
                     l->choice.variant->name, across, down);
}

// ---- tracing ----

// Counts the instructions of what was traced, where --arch asks for them.
static bool count_instructions(const struct lens *l, struct report_case *one, struct error *err)
{
    struct build_target target = machine_text_target(&l->device);
    struct machine_text made;
    const struct variant *const v = one->choice.variant;
    if (!l->options.arch || !one->result || v->library.function) return true;
    machine_text_read_arch(l->options.arch, &target, NULL);
    g_autofree char *include = options_include_folder(&l->options);
    const struct launch_build build = launch_build(&one->choice);
    const struct translation asked = {
        .build.params = build.params, .include = include, .target = target};
    if (!machine_text_make(&made, one->choice.filter, &asked, NULL, err)) return false;
    for (int i = 0; i < one->result->pass_count; i++) {
        OWNED(machine_code_finish) struct machine_code code = {.count = 0};
        machine_code_read(&code, made.text, v->passes[i].entry, NULL);
        one->instructions[i] = issue_count(&code, &one->result->passes[i], one->result->is_whole);
    }
    g_free(made.text);
    if (*made.why_no_sass.text) return error_set(err, "%s", made.why_no_sass.text);
    return true;
}

// A variant that is refused, as one of packed pixels on a grey picture, does not stop the others.
static bool trace(struct lens *l, struct error *err)
{
    const struct filter *f = l->choice.filter;
    bool is_any = false;
    for (int i = 0; i < f->variant_count && !signals_came(); i++) {
        struct report_case *one = &l->cases[l->case_count];
        if (!l->options.is_all && &f->variants[i] != l->choice.variant) continue;
        *one = (struct report_case){.choice = choice_of_variant(&l->choice, &f->variants[i])};
        const struct tracing_request request = {.choice = one->choice,
                                                .picture = l->picture.planes,
                                                .is_whole = !l->options.block_at,
                                                .x = l->x,
                                                .y = l->y,
                                                .multiprocessors = l->device.multiprocessors};
        struct terminal_progress shown;
        terminal_progress_begin(&shown, stderr, l->options.is_quiet);
        const struct traces_found found = traces_wait(l->traces, &request, &shown);
        terminal_progress_end(&shown);
        one->result = found.result;
        one->refused = found.why;
        if (one->refused) error_set_log(err, one->refused);
        if (!count_instructions(l, one, err)) return false;
        is_any |= !one->refused;
        l->case_count++;
    }
    return is_any;
}

// ---- what came of it ----

static void print(const struct lens *l)
{
    const char *format = l->options.format;
    const struct report report = {
        .subject = l->subject ? l->subject : "",
        .threads = l->device.is_gpu ? 0 : l->device.multiprocessors,
        .cases = l->cases,
        .case_count = l->case_count,
        .is_comparison = l->options.is_all,
        .has_lines = l->options.has_lines,
    };
    g_autofree char *text = report_write(&report, !format || !strcmp(format, "table") ? REPORT_TABLE
                                                  : !strcmp(format, "json")           ? REPORT_JSON
                                                                                      : REPORT_CSV);
    terminal_print(stdout, "%s", text);
    const struct lens_result *first = l->cases[0].result;
    if (l->options.has_lines && first && first->no_lines[0])
        terminal_print(stderr, "tilescope: %s\n", first->no_lines);
}

static enum outcome lens(const struct options *o, struct error *err)
{
    g_autofree struct lens *l = g_new0(struct lens, 1);
    l->options = *o;
    enum outcome outcome = choose(l, err);
    if (outcome == OUTCOME_DONE && l->needs_picture) {
        const char *path = l->options.pictures[0];
        // If it is too large, it is refused before it takes memory.
        const bool is_loaded =
            (!o->size ||
             share_fits(SHARE_ALONE, &l->choice, planes_shape(l->width, l->height, 1), err)) &&
            command_load_picture(&l->picture, o, path, err);
        g_autofree char *name =
            o->size ? g_strdup("noise") : g_path_get_basename(path ? path : "scene.png");
        if (is_loaded)
            l->subject =
                command_describe_picture(l->picture.planes, g_strdelimit(name, "\n\t", '?'));
        else
            outcome = OUTCOME_REFUSED;
    }
    if (outcome == OUTCOME_DONE) {
        l->device = backend_best();
        if (!read_block(l, err)) outcome = OUTCOME_USAGE;
    }
    if (outcome == OUTCOME_DONE) {
        g_autofree char *include = options_include_folder(o);
        l->traces = traces_create(include, true);
        if (trace(l, err))
            print(l);
        else
            outcome = OUTCOME_REFUSED;
        if (signals_came()) outcome = OUTCOME_INTERRUPTED;
        if (outcome == OUTCOME_DONE) err->text[0] = '\0';  // the report has what was refused
    }
    traces_destroy(l->traces);
    image_finish(&l->picture);
    g_free(l->subject);
    filter_list_finish(&l->filters);
    return outcome;
}

const struct command command_lens = {
    .name = "lens",
    .options = OPTIONS_LENS,
    .run = lens,
    .usage = "lens [NAME] [IMAGE]",
    .summary = "what a kernel asks of memory, counted as the hardware does",
    .about =
        "Runs a variant on the CPU, with every access logged, and counts requests, sectors, bank\n"
        "conflicts and constant words as an H200 does: those of its counters, without a GPU. The\n"
        "whole launch is counted, or one block (--block-at). `ideal` is what the same bytes would\n"
        "take side by side, or without conflicts. It needs a C++ compiler.",
};
