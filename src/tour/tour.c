#include "tour/tour.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "app/input.h"
#include "base/file.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

struct tour_reader {
    const struct filter_list *filters;
    GArray *lines;
    char *title;
    struct error *err;
};

// ---- lines ----

// Reads the title, which stands before anything else, and once.
static bool read_title(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    (void)line;
    if (r->title || r->lines->len) return error_set(r->err, "a title is a tour's first line");
    if (!*rest) return error_set(r->err, "the title is empty");
    r->title = g_strdup(rest);
    return true;
}

// \n begins a new line.
static bool read_caption(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    g_auto(GStrv) parts = g_strsplit(rest, "\\n", -1);
    for (char **part = parts; *part; part++) g_strstrip(*part);
    line->kind = TOUR_CAPTION;
    line->text = g_strjoinv("\n", parts);
    return tour_figure_check(line->text, r->filters, r->err);
}

static bool read_claim(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    line->kind = TOUR_CLAIM;
    return claim_read(&line->claim, rest, r->filters, r->err);
}

static bool read_note(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    line->kind = TOUR_NOTE;
    line->text = g_strdup(rest);
    return tour_figure_check(rest, r->filters, r->err);
}

static bool read_wait(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    char *end;
    line->kind = *rest ? TOUR_WAIT_SECONDS : TOUR_WAIT_SPACE;
    line->seconds = g_ascii_strtod(rest, &end);
    if (*rest && (end == rest || *end || !(line->seconds >= 0) || !isfinite(line->seconds)))
        return error_set(r->err, "'wait %s' is not understood: wait (for space), or wait SECONDS",
                         rest);
    return true;
}

static bool read_pause(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    line->kind = TOUR_WAIT_SETTLED;
    return !strcmp(rest, "settled") ||
           error_set(r->err, "'pause %s' is not understood: pause settled", rest);
}

// ---- what the eye is drawn to ----

// To add a place: a name here, and below its key and switch; viewer_tour_figures.c marks it.
static const char *const places[] = {
    [TOUR_NOWHERE] = "",  [TOUR_BARS] = "bars",           [TOUR_SWEEP] = "sweep",
    [TOUR_HEAT] = "heat", [TOUR_BLOCK] = "block",         [TOUR_SOURCE] = "source",
    [TOUR_LENS] = "lens", [TOUR_LENS_FULL] = "lens full", [TOUR_SHARING] = "sharing"};

static const struct {
    const char *key, *name;
} openings[] = {
    [TOUR_BARS] = {"l", "bars"},           [TOUR_SWEEP] = {"p", "sweep"},
    [TOUR_HEAT] = {"t", "heat"},           [TOUR_BLOCK] = {"g", "grid"},
    [TOUR_SOURCE] = {"E", "source"},       [TOUR_LENS] = {"M", "lens"},
    [TOUR_LENS_FULL] = {"M", "lens_full"}, [TOUR_SHARING] = {"&", "sector_requests"},
    [TOUR_SOURCE_LINE] = {"E", "source"},  [TOUR_SPOT] = {NULL, NULL},
};

const char *tour_opening_key(enum tour_place place, struct app *app)
{
    const char *const first = place == TOUR_SHARING ? tour_opening_key(TOUR_LENS, app) : NULL;
    const char *const name = openings[place].name;
    if (first || !name) return first;
    const bool is_seen = app_is_covered(app) == (place == TOUR_LENS_FULL);
    return is_seen && *input_switch(app, name) ? NULL : openings[place].key;
}

static bool read_show(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    line->kind = TOUR_SHOW;
    if (g_str_has_prefix(rest, "line ")) {
        gint64 number;
        if (!g_ascii_string_to_signed(rest + 5, 10, 1, 1000000, &number, NULL))
            return error_set(r->err, "'show line %s' is not understood: show line 12, say",
                             rest + 5);
        line->pointer = (struct tour_pointer){.place = TOUR_SOURCE_LINE, .line = (int)number};
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        if (!strcmp(places[i], rest)) {
            line->pointer.place = (enum tour_place)i;
            return true;
        }
    error_set(
        r->err,
        "'show %s' is not understood: show bars, sweep, heat, block, source, lens, lens full, "
        "sharing, or line 12",
        rest);
    return suggest(r->err, rest, "bars sweep heat block source lens sharing line");
}

// Pixels, or parts of the picture in percent: 640,80 or 50%, 25%
static bool read_spot(struct tour_reader *r, struct tour_line *line, const char *rest)
{
    struct tour_pointer *p = &line->pointer;
    g_auto(GStrv) parts = text_match("([\\d.]{1,15})(%?),\\s*([\\d.]{1,15})\\2", rest);
    const bool is_good = parts && number_read(parts[0], &p->x) && number_read(parts[2], &p->y) &&
                         p->x <= 1e6 && p->y <= 1e6;
    if (!is_good)
        return error_set(r->err, "'spot %s' is not understood: spot X,Y, or spot 50%%,25%%", rest);
    line->kind = TOUR_SHOW;
    p->place = TOUR_SPOT;
    p->is_relative = *parts[1];
    p->x /= p->is_relative ? 100 : 1;
    p->y /= p->is_relative ? 100 : 1;
    return true;
}

// ---- all lines ----

// To add a word: a row here, and what tour_play.c does with it.
static const struct {
    const char *word;
    bool (*read)(struct tour_reader *r, struct tour_line *line, const char *rest);
} words[] = {{"title", read_title}, {"caption", read_caption}, {"claim", read_claim},
             {"note", read_note},   {"show", read_show},       {"spot", read_spot},
             {"wait", read_wait},   {"pause", read_pause}};

static bool read_line(struct tour_reader *r, const char *text, int number)
{
    struct tour_line line = {.number = number};
    const size_t length = strcspn(text, " \t");
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strlen(words[i].word) != length || strncmp(words[i].word, text, length) != 0) continue;
        const bool is_good = words[i].read(r, &line, text + length + strspn(text + length, " \t"));
        if (words[i].read != read_title) g_array_append_val(r->lines, line);
        return is_good;  // the whole is freed when it is not good
    }
    line.kind = TOUR_KEYS;
    line.keys = input_script(text, r->filters, r->err);
    g_array_append_val(r->lines, line);
    if (line.keys) return true;
    // A word that is no key may have been meant for one of the words above.
    g_autofree char *word = g_strndup(text, length);
    if (length > 1 && !input_is_key(word, r->filters))
        suggest(r->err, word, "title caption claim note show spot wait pause");
    return false;
}

// ---- steps ----

// The first caption of some lines; "": there is none.
static const char *find_caption(const struct tour *t, int first, int end)
{
    for (int i = first; i < end; i++)
        if (t->lines[i].kind == TOUR_CAPTION && *t->lines[i].text) return t->lines[i].text;
    return "";
}

static bool is_measured(const char *text)
{
    struct tour_figure figures[TOUR_MAX_FIGURES];
    const int count = tour_figure_list(text, figures, TOUR_MAX_FIGURES);
    bool is_found = false;
    for (int i = 0; i < count; i++) is_found |= tour_figure_is_measured(&figures[i]);
    return is_found;
}

// Names a step by its subject, which figures are not: by the sentences of its first caption's first
// line before the first figure that is measured; or by its first claim; or by all of the line.
static char *name_step(const struct tour *t, int first, int end)
{
    const char *const caption = find_caption(t, first, end);
    const size_t length = strcspn(caption, "\n");
    char *name = g_strndup(caption, length);
    while (is_measured(name)) {
        char *const last = g_strrstr(name, ". ");
        name[last ? last + 1 - name : 0] = '\0';
    }
    const char *other = NULL;
    for (int i = first; i < end && length && !*name && !other; i++)
        if (t->lines[i].kind == TOUR_CLAIM && !is_measured(t->lines[i].claim.sentence))
            other = t->lines[i].claim.sentence;
    if (*name) return name;
    g_free(name);
    return other ? g_strdup(other) : g_strndup(caption, length);
}

// ---- figures ----

static bool check_figures(const struct tour_reader *r, const char *path)
{
    struct tour_figure figures[TOUR_MAX_FIGURES + 1];
    int count = 0;
    for (guint i = 0; i < r->lines->len; i++) {
        const struct tour_line *line = &g_array_index(r->lines, struct tour_line, i);
        if (line->kind == TOUR_CAPTION)
            count = tour_figure_list(line->text, figures, G_N_ELEMENTS(figures));
        if (line->kind == TOUR_CLAIM)
            count += claim_figures(&line->claim, figures, G_N_ELEMENTS(figures));
        if (count > TOUR_MAX_FIGURES)
            return error_set(r->err,
                             "%s:%d: a caption and the claims below it have more than %d figures: "
                             "begin another caption",
                             path, line->number, TOUR_MAX_FIGURES);
    }
    return true;
}

// ---- files ----

static bool read_all(struct tour_reader *r, const char *path, const char *text)
{
    bool is_good = true;
    if (!g_utf8_validate(text, -1, NULL))
        return error_set(r->err, "%s: this is not UTF-8 text", path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (int i = 0; is_good && lines[i]; i++) {
        const char *line = g_strstrip(lines[i]);
        is_good = !*line || *line == '#' || read_line(r, line, i + 1) ||
                  error_prefix(r->err, "%s:%d: ", path, i + 1);
    }
    if (is_good && r->lines->len == 0)
        is_good = error_set(r->err, "%s: there is no step in it", path);
    return is_good && check_figures(r, path);
}

bool tour_parse(struct tour *t, const char *path, const char *text,
                const struct filter_list *filters, struct error *err)
{
    struct tour_reader r = {filters, g_array_new(FALSE, FALSE, sizeof(struct tour_line)), NULL,
                            err};
    const bool is_good = read_all(&r, path, text);
    struct tour made = {.count = (int)r.lines->len, .title = r.title};
    made.lines = (struct tour_line *)(void *)g_array_free(r.lines, FALSE);
    if (!is_good) {
        tour_finish(&made);
        return false;
    }
    // Lines behind the last wait that have no caption belong to the step before it.
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct tour_step));
    for (int first = 0, i = 0; i < made.count; i++) {
        if (made.lines[i].kind == TOUR_WAIT_SPACE && !*find_caption(&made, i + 1, made.count))
            i = made.count - 1;
        if (made.lines[i].kind != TOUR_WAIT_SPACE && i < made.count - 1) continue;
        const struct tour_step step = {first, i + 1 - first, name_step(&made, first, i + 1)};
        g_array_append_val(steps, step);
        first = i + 1;
    }
    made.step_count = (int)steps->len;
    made.steps = (struct tour_step *)(void *)g_array_free(steps, FALSE);
    if (!made.title) made.title = g_path_get_basename(path);
    *t = made;
    return true;
}

bool tour_load(struct tour *t, const char *path, const struct filter_list *filters,
               struct error *err)
{
    g_autofree char *text = file_read_text(path, err);
    return text && tour_parse(t, path, text, filters, err);
}

void tour_finish(struct tour *t)
{
    for (int i = 0; i < t->count; i++) {
        g_strfreev(t->lines[i].keys);
        g_free(t->lines[i].text);
        claim_finish(&t->lines[i].claim);
    }
    for (int i = 0; i < t->step_count; i++) g_free(t->steps[i].name);
    g_free(t->lines);
    g_free(t->steps);
    g_free(t->title);
    *t = (struct tour){0};
}
