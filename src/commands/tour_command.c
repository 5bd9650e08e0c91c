// tour_command.c -- `tilescope tour`: plays a tour without a window, judges its claims, and writes
// the hand-out.
#include <glib.h>
#include <string.h>

#include "base/file.h"
#include "base/image.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/tour_handout.h"
#include "tour/tour_list.h"

// One run. Zeroed: nothing is open.
struct run {
    const struct options *options;
    struct headless headless;
    struct tour tour;
    struct headers headers;
    struct tour_record *record;
    struct tour_page page;
    char *path;           // of the tour
    char *script;         // the same in a command: "banks", "'mine.tour'"
    char *data;           // " --data 'course'" in a command; empty: the program's own
    char *picture_words;  // "scene.png, 480×270 colour"
    char *subject;        // the same in a command
};

// ---- what is played ----

static bool check_words(const struct options *o, struct error *err)
{
    const char *const *words = (const char *const *)o->pictures;
    if (!words[0] || (words[1] && words[2]))
        return error_set(err, "tour wants one tour, and perhaps a picture: tilescope tour FILE");
    if (words[1] && o->size) return error_set(err, "tour wants a picture or --size WxH, not both");
    return !o->report || g_str_has_suffix(o->report, ".html") ||
           g_str_has_suffix(o->report, ".htm") ||
           error_set(err, "cannot write '%s': it ends in none of .html .htm", o->report);
}

// The word that a student types: the name of a tour of the program, or of a file, wherever it lies.
static char *script_words(const char *path, const struct options *o)
{
    char *folder = options_tour_folder(o), *real_folder = g_canonicalize_filename(folder, NULL);
    char *real = g_canonicalize_filename(path, NULL), *of = g_path_get_dirname(real);
    char *name = g_path_get_basename(path);
    const bool is_own = !strcmp(of, real_folder) && g_str_has_suffix(name, ".tour");
    if (is_own) *strrchr(name, '.') = '\0';
    char *words = is_own ? g_strdup(tour_list_short_name(name)) : g_shell_quote(name);
    g_free(name);
    g_free(of);
    g_free(real);
    g_free(real_folder);
    g_free(folder);
    return words;
}

// Every fourth pixel: kernels on the CPU take a hundred times as long.
static bool shrink(struct image *image, struct error *err)
{
    enum { STEP = 4 };
    const struct planes from = image->planes;
    struct image small = {0};
    if (!image_init(&small, from.width / STEP, from.height / STEP, from.count, err)) return false;
    for (int plane = 0; plane < from.count; plane++)
        for (int y = 0; y < small.planes.height; y++)
            for (int x = 0; x < small.planes.width; x++)
                planes_row(small.planes, plane, y)[x] = planes_row(from, plane, y * STEP)[x * STEP];
    image_finish(image);
    *image = small;
    return true;
}

static bool load_picture(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    const char *given = o->pictures[1];
    char *sample = options_sample("scene.png");
    const bool is_gpu = backend_device(r->headless.backend)->is_gpu;
    bool is_there;
    if (o->size) {
        int width, height;
        is_there = choice_read_picture_size(o->size, &width, &height, err) &&
                   image_init(&r->headless.picture, width, height, 1, err);
        if (is_there) image_fill_noise(r->headless.picture.planes, 1);
    } else {
        is_there = image_load(&r->headless.picture, given ? given : sample, o->is_grey, err) &&
                   (given || is_gpu || shrink(&r->headless.picture, err));
    }
    if (is_there) {
        const struct planes p = r->headless.picture.planes;
        char *name = g_path_get_basename(given ? given : sample), *quoted = g_shell_quote(name);
        r->picture_words = g_strdup_printf("%s, %d×%d %s", o->size ? "noise" : name, p.width,
                                           p.height, p.count == 1 ? "grey" : "colour");
        const bool is_file = given || (!o->size && is_gpu);
        r->subject = is_file ? g_strdup_printf("%s%s", quoted, o->is_grey ? " --grey" : "")
                             : g_strdup_printf("--size %dx%d", p.width, p.height);
        g_free(name);
        g_free(quoted);
    }
    g_free(sample);
    return is_there &&
           image_init(&r->headless.result, r->headless.picture.planes.width,
                      r->headless.picture.planes.height, r->headless.picture.planes.count, err);
}

static enum outcome prepare(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    struct headless *h = &r->headless;
    char *include = options_include_folder(o);
    if (!check_words(o, err)) {
        g_free(include);
        return OUTCOME_USAGE;
    }
    bool is_good = command_load_filters(&h->filters, o, NULL, err) &&
                   headers_load(&r->headers, include, err) &&
                   (r->path = command_find_tour(o, o->pictures[0], &h->filters, err)) &&
                   tour_load(&r->tour, r->path, &h->filters, err) &&
                   (!o->report || command_can_write(o->report, err)) &&
                   (h->backend = command_open_device(o, err));
    if (is_good && !backend_device(h->backend)->is_gpu) filter_list_use_cpu(&h->filters);
    is_good = is_good && load_picture(r, err);
    is_good =
        is_good && (r->record = tour_record_open(h->backend, h->picture.planes, o->budget_s, err));
    g_free(include);
    return is_good ? OUTCOME_DONE : OUTCOME_REFUSED;
}

// ---- the page's head ----

static void add_facts(struct run *r)
{
    const struct device *d = backend_device(r->headless.backend);
    GDateTime *now = g_date_time_new_now_local();
    char *date = g_date_time_format(now, "%-d %B %Y"), *file;
    file = g_path_get_basename(r->path);
    tour_page_add_fact(&r->page, "Machine", d->name);
    tour_page_add_fact(&r->page, d->is_gpu ? "Driver" : "Compiler", d->driver);
    if (!d->is_gpu)
        tour_page_add_fact(&r->page, "Times", "of the CPU: they say nothing about a GPU");
    tour_page_add_fact(&r->page, "Picture", r->picture_words);
    tour_page_add_fact(&r->page, "Tour", file);
    tour_page_add_fact(&r->page, "Counts",
                       "of the block in the middle: sectors of 32 bytes, per pixel or element; "
                       "conflicts of the banks of shared memory");
    tour_page_add_fact(&r->page, "Made", date);
    tour_page_add_fact(&r->page, "With", "Tilescope " TILESCOPE_VERSION);
    g_free(file);
    g_free(date);
    g_date_time_unref(now);
}

static enum outcome play(struct run *r, struct error *err)
{
    const struct options *o = r->options;
    r->script = script_words(r->path, o);
    r->data = g_strdup("");
    if (o->data) {
        char *name = g_path_get_basename(o->data), *quoted = g_shell_quote(name);
        g_free(r->data);
        r->data = g_strconcat(" --data ", quoted, NULL);
        g_free(quoted);
        g_free(name);
    }
    const struct tour_handout_setup setup = {.tour = &r->tour,
                                             .headless = &r->headless,
                                             .record = r->record,
                                             .headers = &r->headers,
                                             .subject = r->subject,
                                             .script = r->script,
                                             .data = r->data,
                                             .device = o->device,
                                             .is_plain = !o->report};
    tour_page_init(&r->page, r->tour.title);
    add_facts(r);
    GString *claims = g_string_new(NULL);
    int failures;
    const bool is_made = tour_handout_make(&setup, &r->page, claims, &failures, err);
    if (is_made && !signals_came()) terminal_print(stdout, "%s", claims->str);
    g_string_free(claims, TRUE);
    if (signals_came()) return OUTCOME_INTERRUPTED;
    if (!is_made) return OUTCOME_REFUSED;
    if (o->report) {
        char *html = tour_page_html(&r->page);
        const bool is_saved = file_write(o->report, html, strlen(html), err);
        g_free(html);
        if (!is_saved) return OUTCOME_REFUSED;
    }
    if (!failures) return OUTCOME_DONE;
    error_set(err, "%d claim%s about counts do%s not hold", failures, failures == 1 ? "" : "s",
              failures == 1 ? "es" : "");
    return OUTCOME_REFUSED;
}

static void finish(struct run *r)
{
    tour_page_finish(&r->page);
    tour_record_close(r->record);
    tour_finish(&r->tour);
    headers_finish(&r->headers);
    headless_finish(&r->headless);
    g_free(r->path);
    g_free(r->script);
    g_free(r->data);
    g_free(r->picture_words);
    g_free(r->subject);
    g_free(r);
}

static enum outcome play_tour(const struct options *o)
{
    struct run *r = g_new0(struct run, 1);
    struct error err = {""};
    r->options = o;
    signals_hold(COMMAND_GRACE_S);
    enum outcome outcome = prepare(r, &err);
    if (outcome == OUTCOME_DONE) outcome = play(r, &err);
    if (outcome != OUTCOME_DONE) command_fail(outcome, &err);
    finish(r);
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
