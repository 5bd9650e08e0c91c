// lens_command.c -- `tilescope lens`: traces variants and prints what the hardware would count.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/image.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "filter/launch.h"
#include "lens/report.h"
#include "lens/traces.h"

// One run. Zeroed: nothing is open.
struct lens {
    const struct options *options;
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

static bool check_words(struct lens *l, struct error *err)
{
    const struct options *o = l->options;
    if (o->pictures[0] && o->pictures[1])
        return error_set(err, "lens wants one picture, or one lab");
    if (o->pictures[0] && o->size)
        return error_set(err, "lens wants a picture or --size WxH, not both");
    if (o->is_all && o->variant)
        return error_set(err, "--all takes all variants: --variant does not go with it");
    return !o->size || choice_read_picture_size(o->size, &l->width, &l->height, err);
}

static bool choose(struct lens *l, struct error *err)
{
    const struct filter *lab = command_find_lab(&l->filters, l->options->pictures[0]);
    struct choice_words words = options_words(l->options);
    if (lab && words.filter && strcmp(words.filter, lab->name) != 0)
        return error_set(err, "%s is a lab: --filter %s does not go with it", lab->name,
                         words.filter);
    if (lab) words.filter = lab->name;
    if (!choice_read(&l->choice, &words, &l->filters, err)) return false;
    l->needs_picture = !command_find_lab(&l->filters, l->choice.filter->name);
    const bool has_picture = (l->options->pictures[0] && !lab) || l->options->size;
    return l->needs_picture || !has_picture ||
           error_set(err, "%s is a lab, which has no picture", l->choice.filter->name);
}

static bool load_picture(struct lens *l, struct error *err)
{
    const struct options *o = l->options;
    char *sample = options_sample("scene.png");
    const char *path = o->pictures[0] ? o->pictures[0] : sample;
    bool is_there;
    if (o->size) {  // if it is too large, it is refused before it takes memory
        is_there = share_fits(SHARE_ALONE, &l->choice, planes_shape(l->width, l->height, 1), err) &&
                   image_init(&l->picture, l->width, l->height, 1, err);
        if (is_there) image_fill_noise(l->picture.planes, 1);
    } else {
        is_there = image_load(&l->picture, path, o->is_grey, err);
        if (!is_there && filter_find(&l->filters, path))
            text_append(err->text, sizeof err->text, "; for the filter: tilescope lens --filter %s",
                        path);
    }
    if (is_there) {
        const struct planes p = l->picture.planes;
        char *name = o->size ? g_strdup("noise") : g_path_get_basename(path);
        g_strdelimit(name, "\n\t", '?');
        l->subject = g_strdup_printf("%s, %d×%d %s", name, p.width, p.height,
                                     p.count == 1 ? "grey" : "colour");
        g_free(name);
    }
    g_free(sample);
    return is_there;
}

// The first GPU, if there is one, else the CPU.
static void find_device(struct lens *l)
{
    enum { MAX_DEVICES = 8 };
    struct device devices[MAX_DEVICES];
    char reasons[1024];
    int count = 0, found = 0;
    backend_list(devices, MAX_DEVICES, &count, reasons, sizeof reasons);
    while (found < count && !devices[found].is_gpu) found++;
    if (count) l->device = devices[found < count ? found : 0];
}

static bool read_pair(const char *text, int *x, int *y)
{
    gint64 numbers[2];
    if (!g_utf8_validate(text, -1, NULL)) return false;
    char **parts = g_strsplit(text, ",", -1);
    bool is_good = g_strv_length(parts) == 2;
    for (int i = 0; i < 2 && is_good; i++)
        is_good = g_ascii_string_to_signed(parts[i], 10, 0, G_MAXINT, &numbers[i], NULL);
    g_strfreev(parts);
    if (!is_good) return false;
    *x = (int)numbers[0];
    *y = (int)numbers[1];
    return true;
}

// Asks the chosen variant even for --all, since each variant may have a domain of its own.
static bool is_in_lab(const struct lens *l, struct error *err)
{
    int across, down;
    if (!l->device.multiprocessors ||
        !launch_domain(&l->choice, l->picture.planes, &l->device, &across, &down))
        return true;  // tracing says why
    return (l->x < across && l->y < down) ||
           error_set(err, "block-at %d,%d is outside of %s's domain of %d×%d", l->x, l->y,
                     l->choice.variant->name, across, down);
}

static bool read_block(struct lens *l, struct error *err)
{
    const char *text = l->options->block_at;
    const struct planes p = l->picture.planes;
    if (!text) return true;
    if (!read_pair(text, &l->x, &l->y))
        return error_set(err, "block-at '%s' is not understood; expected X,Y, such as 100,50",
                         text);
    if (!l->needs_picture) return is_in_lab(l, err);
    return (l->x < p.width && l->y < p.height) ||
           error_set(err, "block-at %d,%d is outside of the picture's %d×%d pixels", l->x, l->y,
                     p.width, p.height);
}

static enum outcome prepare(struct lens *l, struct error *err)
{
    if (!check_words(l, err)) return OUTCOME_USAGE;
    if (!command_load_filters(&l->filters, l->options, NULL, err)) return OUTCOME_REFUSED;
    filter_list_use_cpu(&l->filters);  // it runs there
    if (!choose(l, err)) return OUTCOME_USAGE;
    l->subject = NULL;
    if (l->needs_picture && !load_picture(l, err)) return OUTCOME_REFUSED;
    find_device(l);
    return read_block(l, err) ? OUTCOME_DONE : OUTCOME_USAGE;
}

// ---- tracing ----

static struct traces_found wait_for(struct lens *l, const struct choice *c)
{
    enum { MOMENT_US = 2000 };
    const struct tracing_request request = {.choice = *c,
                                            .is_whole = !l->options->block_at,
                                            .x = l->x,
                                            .y = l->y,
                                            .multiprocessors = l->device.multiprocessors};
    const struct traces_scene scene = {.picture = l->picture.planes};
    struct terminal_progress shown;
    struct traces_found found = {.state = TRACES_WAITING};
    traces_want(l->traces, &request, TRACES_FIGURE);
    terminal_progress_begin(&shown, stderr, l->options->is_quiet);
    while (!found.result && !found.why && !signals_came()) {
        traces_poll(l->traces, &scene);
        found = traces_get(l->traces, &request, TRACES_FIGURE);
        if (terminal_progress_is_due(&shown))
            terminal_progress_show(&shown, "%s: %d %%", c->variant->name, found.percent);
        if (!found.result && !found.why) g_usleep(MOMENT_US);
    }
    terminal_progress_end(&shown);
    return found;
}

// A variant that is refused, as one of packed pixels on a grey picture, does not stop the others.
static bool trace(struct lens *l, struct error *err)
{
    const struct filter *f = l->choice.filter;
    bool is_any = false;
    for (int i = 0; i < f->variant_count && !signals_came(); i++) {
        struct report_case *one = &l->cases[l->case_count];
        if (!l->options->is_all && &f->variants[i] != l->choice.variant) continue;
        *one = (struct report_case){.choice = choice_of_variant(&l->choice, &f->variants[i])};
        const struct traces_found found = wait_for(l, &one->choice);
        one->result = found.result;
        one->refused = found.result ? NULL : found.why ? found.why : "cancelled";
        if (one->refused) error_set(err, "%s", one->refused);
        is_any |= !one->refused;
        l->case_count++;
    }
    return is_any;
}

// ---- what came of it ----

static void print(const struct lens *l)
{
    const char *format = l->options->format;
    const struct report report = {
        .subject = l->subject ? l->subject : "",
        .threads = l->device.is_gpu ? 0 : l->device.multiprocessors,
        .cases = l->cases,
        .case_count = l->case_count,
        .is_comparison = l->options->is_all,
        .has_lines = l->options->has_lines,
    };
    char *text = report_write(&report, !format || !strcmp(format, "table") ? REPORT_TABLE
                                       : !strcmp(format, "json")           ? REPORT_JSON
                                                                           : REPORT_CSV);
    terminal_print(stdout, "%s", text);
    g_free(text);
    const struct lens_result *first = l->cases[0].result;
    if (l->options->has_lines && first && first->no_lines[0])
        terminal_print(stderr, "tilescope: %s\n", first->no_lines);
}

static void finish(struct lens *l)
{
    traces_destroy(l->traces);
    image_finish(&l->picture);
    g_free(l->subject);
    filter_list_finish(&l->filters);
}

static enum outcome lens(const struct options *o)
{
    struct lens *l = g_new0(struct lens, 1);
    struct error err = {""};
    *l = (struct lens){.options = o};
    signals_hold(COMMAND_GRACE_S);
    enum outcome outcome = prepare(l, &err);
    if (outcome == OUTCOME_DONE) {
        char *include = options_include_folder(o);
        l->traces = traces_create(include, true);
        g_free(include);
        const bool is_done = trace(l, &err);
        if (is_done)
            print(l);
        else
            outcome = OUTCOME_REFUSED;
        if (signals_came()) outcome = OUTCOME_INTERRUPTED;
    }
    if (outcome != OUTCOME_DONE) command_fail(outcome, &err);
    finish(l);
    g_free(l);
    return outcome;
}

const struct command command_lens = {
    .name = "lens",
    .options = OPTIONS_LENS,
    .run = lens,
    .usage = "lens [IMAGE|LAB]",
    .summary = "what a kernel asks of memory, counted as the hardware does",
    .about =
        "Runs a variant on the CPU, with every access logged, and counts requests, sectors, bank\n"
        "conflicts and constant words as an H200 does: those of its counters, without a GPU. The\n"
        "whole launch is counted, or one block (--block-at). `ideal` is what the same bytes would\n"
        "take side by side, or without conflicts. It needs a C compiler.",
};
