#include "app/tour.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "app/input.h"
#include "base/file.h"

static const double KEY_SECONDS = 0.25;  // between keys

// ---- figures ----

// To add a figure: a row here, a line in tour.h, and the viewer writes it.
static const struct {
    const char *name;
    enum tour_figure_kind kind;
    int variants;  // it may name behind its colon; 0: no colon
} figure_names[] = {
    // any other word is a param
    {"ms", TOUR_MS, 0},         {"ms:", TOUR_MS, 1},          {"naive", TOUR_SPEED_UP, 0},
    {"x:", TOUR_SPEED_UP, 2},   {"copy", TOUR_COPY, 0},       {"device", TOUR_DEVICE, 0},
    {"filter", TOUR_FILTER, 0}, {"variant", TOUR_VARIANT, 0},
};

// "V" is other in a speed-up and variant in a time, "V/W" is both.
static void set_variants(struct tour_figure *f, const char *names)
{
    const size_t first = strcspn(names, "/");
    char *left = g_strndup(names, first);
    const bool has_both = names[first] == '/';
    char *of_left = f->kind == TOUR_SPEED_UP && !has_both ? f->other : f->variant;
    g_strlcpy(of_left, left, FILTER_NAME);
    if (has_both) g_strlcpy(f->other, names + first + 1, FILTER_NAME);
    g_free(left);
}

// Without what stands behind an @.
static bool read_plain(const char *word, struct tour_figure *f)
{
    const char *const colon = strchr(word, ':');
    const size_t length = colon ? (size_t)(colon - word) + 1 : strlen(word);
    for (size_t i = 0; i < G_N_ELEMENTS(figure_names); i++) {
        const char *const name = figure_names[i].name;
        if (strlen(name) != length || strncmp(name, word, length)) continue;
        *f = (struct tour_figure){.kind = figure_names[i].kind};
        if (f->kind == TOUR_SPEED_UP) g_strlcpy(f->other, "naive", FILTER_NAME);
        if (!colon) return true;
        const char *const slash = strchr(colon, '/');
        if (!colon[1] || (slash && (figure_names[i].variants < 2 || !slash[1]))) return false;
        set_variants(f, colon + 1);
        return true;
    }
    *f = (struct tour_figure){.kind = TOUR_PARAM};
    return !colon && g_strlcpy(f->param, word, sizeof f->param) < sizeof f->param;
}

// "P=5", for a figure that has a time.
static bool read_value(const char *pair, struct tour_figure *f)
{
    const size_t length = strcspn(pair, "=");
    if ((f->kind != TOUR_MS && f->kind != TOUR_SPEED_UP) || !pair[length] || !length) return false;
    if (length >= sizeof f->param) return false;
    g_strlcpy(f->param, pair, length + 1);
    return g_strlcpy(f->value, pair + length + 1, sizeof f->value) < sizeof f->value;
}

// The word between braces.
static bool read_figure(const char *word, struct tour_figure *f)
{
    char **parts = g_strsplit(word, "@", 2);
    const bool is_good =
        parts[0] && read_plain(parts[0], f) && (!parts[1] || read_value(parts[1], f));
    g_strfreev(parts);
    return is_good;
}

enum part { PART_END, PART_TEXT, PART_FIGURE, PART_WRONG };

// The next part of a caption: a letter (or a brace written twice), or what is between two braces.
static enum part next_part(const char **at, GString *word)
{
    g_string_truncate(word, 0);
    const char c = **at;
    if (!c) return PART_END;
    if ((c == '{' || c == '}') && (*at)[1] == c) {
        g_string_append_c(word, c);
        *at += 2;
        return PART_TEXT;
    }
    if (c != '{') {
        g_string_append_c(word, c);
        (*at)++;
        return c == '}' ? PART_WRONG : PART_TEXT;
    }
    const char *const end = *at + strcspn(*at, "}");
    g_string_append_len(word, *at + 1, end - *at - 1);
    *at = *end ? end + 1 : end;
    return *end ? PART_FIGURE : PART_WRONG;
}

char *tour_fill(const char *caption, tour_write_figure *write, void *user)
{
    GString *text = g_string_new(NULL), *word = g_string_new(NULL);
    struct tour_figure figure;
    char value[192];
    for (enum part part; (part = next_part(&caption, word)) != PART_END;) {
        if (part != PART_FIGURE)
            g_string_append(text, word->str);
        else if (read_figure(word->str, &figure) && write(user, &figure, value, sizeof value))
            g_string_append(text, value);
        else
            g_string_append(text, "…");
    }
    g_string_free(word, TRUE);
    return g_string_free(text, FALSE);
}

int tour_figures(const char *caption, struct tour_figure *figures, int max)
{
    int count = 0;
    GString *word = g_string_new(NULL);
    for (enum part part; (part = next_part(&caption, word)) != PART_END && count < max;)
        if (part == PART_FIGURE && read_figure(word->str, &figures[count])) count++;
    g_string_free(word, TRUE);
    return count;
}

// ---- reading ----

struct reader {
    const struct filter_list *filters;
    GArray *steps;
    struct error *err;
};

static bool is_variant(const struct filter_list *filters, const char *name)
{
    for (int i = 0; i < filters->count; i++)
        if (filter_variant(&filters->filters[i], name)) return true;
    return false;
}

static bool has_param(const struct filter_list *filters, const char *name)
{
    for (int i = 0; i < filters->count; i++)
        if (filter_param(&filters->filters[i], name) >= 0) return true;
    return false;
}

// Whether some filter has the param with that value; err is the last one's that has it.
static bool check_value(const struct reader *r, const struct tour_figure *f)
{
    if (!has_param(r->filters, f->param))
        return error_set(r->err, "no filter has a param '%s'", f->param);
    for (int i = 0; i < r->filters->count; i++) {
        const struct filter *filter = &r->filters->filters[i];
        struct param_values values = filter_defaults(filter);
        if (filter_param(filter, f->param) >= 0 &&
            filter_set_param(filter, &values, f->param, f->value, r->err) &&
            filter_check(filter, &values, r->err))
            return true;
    }
    return false;
}

static bool check_figure(const struct reader *r, const char *word)
{
    struct tour_figure f;
    if (!read_figure(word, &f) || (f.kind == TOUR_PARAM && !has_param(r->filters, f.param)))
        return error_set(r->err,
                         "there is no figure {%s}: ms, ms:V, naive, x:V, x:V/W, copy, device, "
                         "filter, variant or a param such as radius are meant, or {{ for a brace",
                         word);
    if (*f.value && !check_value(r, &f)) return false;
    const char *const names[] = {f.variant, f.other};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (*names[i] && !is_variant(r->filters, names[i]))
            return error_set(r->err, "no filter has a variant '%s'", names[i]);
    return true;
}

static bool check_caption(const struct reader *r, const char *caption)
{
    bool is_good = true;
    GString *word = g_string_new(NULL);
    for (enum part part; is_good && (part = next_part(&caption, word)) != PART_END;) {
        if (part == PART_WRONG)
            is_good = error_set(r->err, "a brace has no partner; {{ and }} are braces");
        else if (part == PART_FIGURE)
            is_good = check_figure(r, word->str);
    }
    g_string_free(word, TRUE);
    return is_good;
}

// \n begins a new line.
static bool read_caption(struct reader *r, struct tour_step *step, const char *rest)
{
    char **lines = g_strsplit(rest, "\\n", -1);
    for (char **line = lines; *line; line++) g_strstrip(*line);
    step->kind = TOUR_CAPTION;
    step->caption = g_strjoinv("\n", lines);
    g_strfreev(lines);
    return check_caption(r, step->caption);
}

static bool read_wait(struct reader *r, struct tour_step *step, const char *rest)
{
    char *end;
    step->kind = *rest ? TOUR_WAIT_SECONDS : TOUR_WAIT_SPACE;
    step->seconds = g_ascii_strtod(rest, &end);
    if (*rest && (end == rest || *end || !(step->seconds >= 0) || !isfinite(step->seconds)))
        return error_set(r->err, "'wait %s' is not understood: wait (for space), or wait SECONDS",
                         rest);
    return true;
}

static bool read_pause(struct reader *r, struct tour_step *step, const char *rest)
{
    step->kind = TOUR_WAIT_SETTLED;
    return !strcmp(rest, "settled") ||
           error_set(r->err, "'pause %s' is not understood: pause settled", rest);
}

static bool read_keys(struct reader *r, struct tour_step *step, const char *line)
{
    step->kind = TOUR_KEYS;
    step->keys = input_script(line, r->filters, r->err);
    return step->keys != NULL;
}

// To add a step: a row here, and what tour_turn does with it.
static const struct {
    const char *word;
    bool (*read)(struct reader *r, struct tour_step *step, const char *rest);
} words[] = {{"caption", read_caption}, {"wait", read_wait}, {"pause", read_pause}};

static bool read_step(struct reader *r, const char *line, int number)
{
    struct tour_step step = {.line = number};
    const size_t length = strcspn(line, " \t");
    bool is_good = false, is_known = false;
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !is_known; i++) {
        is_known = strlen(words[i].word) == length && !strncmp(words[i].word, line, length);
        if (is_known)
            is_good = words[i].read(r, &step, line + length + strspn(line + length, " \t"));
    }
    if (!is_known) is_good = read_keys(r, &step, line);
    g_array_append_val(r->steps, step);  // the whole is freed when it is not good
    return is_good;
}

bool tour_parse(struct tour *t, const char *path, const char *text,
                const struct filter_list *filters, struct error *err)
{
    struct reader r = {filters, g_array_new(FALSE, FALSE, sizeof(struct tour_step)), err};
    bool is_good = true;
    char **lines = NULL;
    if (!g_utf8_validate(text, -1, NULL))
        is_good = error_set(err, "%s: this is not UTF-8 text", path);
    else
        lines = g_strsplit(g_str_has_prefix(text, "\xef\xbb\xbf") ? text + 3 : text, "\n", -1);
    for (int i = 0; is_good && lines[i]; i++) {
        const char *line = g_strstrip(lines[i]);
        is_good = !*line || *line == '#' || read_step(&r, line, i + 1) ||
                  error_prefix(err, "%s:%d: ", path, i + 1);
    }
    if (is_good && r.steps->len == 0) is_good = error_set(err, "%s: there is no step in it", path);
    g_strfreev(lines);
    struct tour made = {.count = (int)r.steps->len};
    made.steps = (struct tour_step *)(void *)g_array_free(r.steps, FALSE);
    if (is_good)
        *t = made;
    else
        tour_finish(&made);
    return is_good;
}

bool tour_load(struct tour *t, const char *path, const struct filter_list *filters,
               struct error *err)
{
    char *text = file_read_text(path, err);
    const bool is_good = text && tour_parse(t, path, text, filters, err);
    g_free(text);
    return is_good;
}

void tour_finish(struct tour *t)
{
    for (int i = 0; i < t->count; i++) {
        g_strfreev(t->steps[i].keys);
        g_free(t->steps[i].caption);
    }
    g_free(t->steps);
    *t = (struct tour){0};
}

// ---- playing ----

bool tour_is_over(const struct tour_play *p)
{
    return p->step == p->tour->count;
}

static void end_step(struct tour_play *p)
{
    p->step++;
    p->key = 0;
    p->is_waiting = false;
}

static const char *next_key(struct tour_play *p, const struct tour_step *step, double now_s)
{
    if (p->key > 0 && now_s - p->since_s < KEY_SECONDS) return NULL;
    const char *key = step->keys[p->key++];
    p->since_s = now_s;
    if (!step->keys[p->key]) end_step(p);
    return key;
}

const char *tour_turn(struct tour_play *p, double now_s, bool is_settled)
{
    if (tour_is_over(p)) return NULL;
    const struct tour_step *step = &p->tour->steps[p->step];
    const bool is_first = !p->is_waiting;
    switch (step->kind) {
    case TOUR_KEYS:
        return next_key(p, step, now_s);
    case TOUR_CAPTION:
        p->caption = *step->caption ? step->caption : NULL;
        end_step(p);
        return NULL;
    case TOUR_WAIT_SPACE:
    case TOUR_WAIT_SECONDS:
    case TOUR_WAIT_SETTLED:
        break;
    }
    p->is_waiting = true;
    if (is_first) p->since_s = now_s;
    // What the last key did must have begun before its times can be settled: not in its own turn.
    if (step->kind == TOUR_WAIT_SETTLED && is_settled && !is_first) end_step(p);
    if (step->kind == TOUR_WAIT_SECONDS && now_s - p->since_s >= step->seconds) end_step(p);
    return NULL;
}

bool tour_go_on(struct tour_play *p)
{
    if (!p->is_waiting) return false;
    end_step(p);
    return true;
}
