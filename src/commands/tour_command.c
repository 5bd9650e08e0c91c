// tour_command.c -- `tilescope tour`: plays a tour without a window, judges its claims, and writes
// the hand-out; and `tilescope tours`: those that the program comes with.
#include <glib.h>
#include <string.h>

#include "base/file.h"
#include "base/image.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/tour_handout.h"
#include "frame/recording.h"
#include "tour/tour_list.h"

static const char SAMPLE[] = "scene.png";

// ---- what is played ----

static bool load_picture(struct tour_handout *h, struct error *err)
{
    const struct options *o = h->options;
    struct headless *headless = &h->headless;
    const char *given = o->pictures[1];
    const bool is_gpu = backend_device(headless->backend)->is_gpu, is_sample = !given && !o->size;
    if (!command_load_picture(&headless->picture, o, given, err)) return false;
    if (is_sample && !is_gpu) {  // kernels on the CPU take a hundred times as long
        struct image small;
        if (!image_reduce(&small, headless->picture.planes, 4, err)) return false;
        image_finish(&headless->picture);
        headless->picture = small;
    }
    const struct planes p = headless->picture.planes;
    g_autofree char *name = g_path_get_basename(given ? given : SAMPLE),
                    *quoted = g_shell_quote(name);
    h->picture_words = command_describe_picture(p, o->size ? "noise" : name);
    h->subject = given || (is_sample && is_gpu)
                     ? g_strdup_printf("%s%s", quoted, o->is_grey ? " --grey" : "")
                     : g_strdup_printf("--size %dx%d", p.width, p.height);
    return true;
}

static enum outcome prepare(struct tour_handout *h, struct error *err)
{
    const struct options *o = h->options;
    struct filter_list *filters = &h->headless.filters;
    const char *const *words = (const char *const *)o->pictures;
    if (!words[0] || (words[1] && words[2]))
        return command_misuse(err,
                              "tour wants one tour, and perhaps a picture: tilescope tour FILE");
    if (words[1] && o->size)
        return command_misuse(err, "tour wants a picture or --size WxH, not both");
    if (o->report && !g_str_has_suffix(o->report, ".html") && !g_str_has_suffix(o->report, ".htm"))
        return command_misuse(err, "cannot write '%s': it ends in none of .html .htm", o->report);
    g_autofree char *include = options_include_folder(o);
    if (!command_load_filters(filters, o, NULL, err) || !headers_load(&h->headers, include, err) ||
        !(h->path = command_find_tour(o, o->pictures[0], filters, err)) ||
        !tour_load(&h->tour, h->path, filters, err) ||
        (o->report && !command_can_write(o->report, err)) ||
        !(h->headless.backend = command_open_device(o, filters, err)) || !load_picture(h, err))
        return OUTCOME_REFUSED;
    // With --times, or where there is no GPU.
    const bool is_gpu = backend_device(h->headless.backend)->is_gpu;
    g_autofree char *times = recording_find_shown(o->times || !is_gpu ? o->times : "off", err);
    if (times) h->recording = recording_open(times, include, err);
    return err->text[0] ? OUTCOME_REFUSED : OUTCOME_DONE;
}

// ---- the page ----

// times: whose they are; empty: this GPU's.
static void add_facts(struct tour_handout *h, const char *times)
{
    const struct device *d = backend_device(h->headless.backend);
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%-d %B %Y"),
                    *file = g_path_get_basename(h->path);
    const struct {
        const char *name, *value;
    } facts[] = {
        {"Machine", d->name},
        {d->is_gpu ? "Driver" : "Compiler", d->driver},
        {"Times", *times ? times : NULL},
        {"Picture", h->picture_words},
        {"Tour", file},
        {"Counts", "of the block in the middle: sectors of 32 bytes, per pixel or element; "
                   "conflicts of the banks of shared memory"},
        {"Made", date},
        {"With", "Tilescope " TILESCOPE_VERSION},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(facts); i++)
        if (facts[i].value) tour_page_add_fact(&h->page, facts[i].name, facts[i].value);
}

static enum outcome play(struct tour_handout *h, struct error *err)
{
    const struct options *o = h->options;
    h->left_s = o->budget_s;
    // The word that a student types: the name of a tour of the program, or of a file, wherever it
    // lies.
    g_autofree char *folder = options_folder(o, "tours"), *file = g_path_get_basename(h->path);
    g_autofree char *own = g_canonicalize_filename(folder, NULL),
                    *real = g_canonicalize_filename(h->path, NULL);
    g_autofree char *of = g_path_get_dirname(real);
    const bool is_own = !strcmp(of, own) && g_str_has_suffix(file, ".tour");
    if (is_own) *strrchr(file, '.') = '\0';
    h->script = is_own ? g_strdup(tour_list_short_name(file)) : g_shell_quote(file);
    h->device = o->device;
    h->is_plain = !o->report;
    h->claims = g_string_new(NULL);
    if (o->data) {
        g_autofree char *name = g_path_get_basename(o->data), *quoted = g_shell_quote(name);
        h->data = g_strconcat(" --data ", quoted, NULL);
    } else {
        h->data = g_strdup("");
    }
    char times[256] = "";
    if (h->recording)
        text_append(times, sizeof times, "%s; pictures: %d×%d %s", h->recording->about,
                    h->recording->picture.width, h->recording->picture.height,
                    h->recording->picture.count == 1 ? "grey" : "colour");
    else if (!backend_device(h->headless.backend)->is_gpu)
        g_strlcpy(times, "of the CPU: they say nothing about a GPU", sizeof times);
    tour_page_init(&h->page, h->tour.title);
    add_facts(h, times);
    const bool is_made = tour_handout_make(h, err);
    if (signals_came()) return OUTCOME_INTERRUPTED;
    if (!is_made) return OUTCOME_REFUSED;
    if (h->recording && h->claims->len) terminal_print(stdout, "times: %s\n", times);
    terminal_print(stdout, "%s", h->claims->str);
    if (o->report) {
        g_autofree char *html = tour_page_html(&h->page);
        if (!file_write(o->report, html, strlen(html), err)) return OUTCOME_REFUSED;
    }
    const int n = h->failures;
    if (n)
        error_set(err, "%d claim%s about counts do%s not hold", n, n == 1 ? "" : "s",
                  n == 1 ? "es" : "");
    return n ? OUTCOME_REFUSED : OUTCOME_DONE;
}

static enum outcome play_tour(const struct options *o, struct error *err)
{
    g_autofree struct tour_handout *h = g_new0(struct tour_handout, 1);
    h->options = o;
    enum outcome outcome = prepare(h, err);
    if (outcome == OUTCOME_DONE) outcome = play(h, err);
    tour_page_finish(&h->page);
    recording_destroy(h->recording);
    tour_finish(&h->tour);
    headers_finish(&h->headers);
    headless_finish(&h->headless);
    if (h->claims) g_string_free(h->claims, TRUE);
    g_free(h->script);
    g_free(h->data);
    g_free(h->subject);
    g_free(h->path);
    g_free(h->picture_words);
    return outcome;
}

const struct command command_tour = {
    .name = "tour",
    .options = OPTIONS_TOUR,
    .run = play_tour,
    .usage = "tour NAME|FILE",
    .summary = "a tour's claims, and its hand-out as one HTML file",
    .about =
        "Plays a tour without a window, over IMAGE or a sample: a file, or one that `tilescope\n"
        "tours` lists. It prints its claims with this machine's figures and, with --report,\n"
        "writes a hand-out: every step's picture, drawings, figures, kernel and commands, as\n"
        "one HTML file. On a CPU, labs have small arrays and the sample picture is smaller.\n\n"
        "A claim about time may fail, since machines differ; one about counts that does not\n"
        "hold exits with 1.",
};

// ---- the list of them ----

static enum outcome tours(const struct options *o, struct error *err)
{
    OWNED(filter_list_finish) struct filter_list filters = {0};
    OWNED(tour_list_finish) struct tour_list list = {0};
    if (!command_load_filters(&filters, o, NULL, err)) return OUTCOME_REFUSED;
    g_autofree char *folder = options_folder(o, "tours");
    tour_list_load(&list, folder, options_lends_tours(o), &filters);
    bool is_good = true;  // else some of them cannot be read
    int width = 0;
    for (const struct tour_entry *e = list.entries; e < list.entries + list.count; e++)
        if (e->title) width = MAX(width, (int)g_utf8_strlen(e->name, -1));
    for (const struct tour_entry *e = list.entries; e < list.entries + list.count; e++) {
        const int pad = width - (int)g_utf8_strlen(e->name, -1);
        if (e->title)
            terminal_print(stdout, "%s%*s  %s, %d step%s\n", e->name, pad, "", e->title, e->steps,
                           e->steps == 1 ? "" : "s");
        else
            terminal_print(stderr, "tilescope: %s\n", e->why);
        is_good &= e->title != NULL;
    }
    if (list.left_out)
        terminal_print(stderr,
                       "tilescope: %d of the program's tours are left out: '%s' does not have "
                       "their labs\n",
                       list.left_out, o->data);
    return is_good ? OUTCOME_DONE : OUTCOME_REFUSED;
}

const struct command command_tours = {
    .name = "tours",
    .options = OPTIONS_TOURS,
    .run = tours,
    .usage = "tours",
    .summary = "the tours that the program comes with",
    .about = "Lists the tours that D shows in the window, with their steps. Without a\n"
             "window, tilescope tour NAME plays one.",
};
