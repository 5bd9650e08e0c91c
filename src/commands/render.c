// render.c -- `tilescope render`: one picture through one variant, without a window.
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/state.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/headless.h"

// ---- what to run ----

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
                  headless_load_picture(r, path, o->is_grey || picture.is_grey, err);
    *s = app_chosen(a, a->side);
    r->array = app_array(a, a->side);
    return is_good;
}

static enum outcome prepare(struct headless *r, struct options *o, struct choice *s,
                            struct error *err)
{
    const struct filter *f;
    if (o->restore)
        return command_load_filters(&r->filters, o, NULL, err) && restore(r, o, s, err)
                   ? OUTCOME_DONE
                   : OUTCOME_REFUSED;
    const enum outcome outcome = headless_open(r, o, &f, err);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct choice_words words = options_words(o);
    if (!choice_read(s, &words, &r->filters, err)) return OUTCOME_USAGE;
    return !filter_has_picture(f) || headless_load_picture(r, o->pictures[0], o->is_grey, err)
               ? OUTCOME_DONE
               : OUTCOME_REFUSED;
}

// ---- one picture ----

static enum outcome render_picture(struct options *o, const char *output, struct error *err)
{
    OWNED(headless_finish) struct headless r = {.array = -1};
    struct choice s;
    OWNED(image_texts_finish) struct image_texts t = {0};
    OWNED(image_finish) struct image picture = {0};
    const enum outcome outcome = prepare(&r, o, &s, err);
    if (outcome != OUTCOME_DONE) return outcome;
    if ((!r.backend && !(r.backend = command_open_device(o, &r.filters, err))) ||
        !headless_run(&r, &s, err) || !headless_picture(&r, &s, &picture, err))
        return OUTCOME_REFUSED;
    headless_describe(&r, &s, &t);
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
    if (o->is_sheet) return headless_sheet(&named, o->output, err);
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
