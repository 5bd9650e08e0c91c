#include "tour/tour_figure.h"

#include <glib.h>
#include <string.h>

#include "base/suggest.h"
#include "lens/lens_result.h"

#define UNROLL "unroll"
#define PATH   "path"

// To add a figure: a row here, a line in docs/tours.md, and its value in tour_value.c. Any other
// word is a param.
static const struct row {
    const char *name;
    enum tour_figure_kind kind;
    enum tour_counter counter;
    int fewest, most;        // variants that it names behind a colon
    bool has_value;          // it may stand at another value of a param
    const char *unit, *one;  // behind a number, and behind "1"
} rows[] = {
    {"ms", TOUR_MS, 0, 0, 1, true, " ms", " ms"},
    {"naive", TOUR_SPEED_UP, 0, 0, 0, true, "×", "×"},
    {"x", TOUR_SPEED_UP, 0, 1, 2, true, "×", "×"},
    {"copy", TOUR_COPY, 0, 0, 1, false, " % of copy", " % of copy"},
    {"registers", TOUR_REGISTERS, 0, 0, 1, true, " registers", " register"},
    {"shared", TOUR_SHARED, 0, 0, 1, true, " bytes", " byte"},
    {"occupancy", TOUR_OCCUPANCY, 0, 0, 1, true, " %", " %"},
    {"sectors", TOUR_COUNTER, TOUR_SECTORS, 0, 1, true, " sectors", " sector"},
    {"ideal_sectors", TOUR_COUNTER, TOUR_IDEAL_SECTORS, 0, 1, true, " sectors", " sector"},
    {"wanted", TOUR_COUNTER, TOUR_WANTED, 0, 1, true, " bytes", " byte"},
    {"fetched", TOUR_COUNTER, TOUR_FETCHED, 0, 1, true, " bytes", " byte"},
    {"requests", TOUR_COUNTER, TOUR_REQUESTS, 0, 1, true, " requests", " request"},
    {"wavefronts", TOUR_COUNTER, TOUR_WAVEFRONTS, 0, 1, true, " wavefronts", " wavefront"},
    {"ideal_wavefronts", TOUR_COUNTER, TOUR_IDEAL_WAVEFRONTS, 0, 1, true, " wavefronts",
     " wavefront"},
    {"conflicts", TOUR_COUNTER, TOUR_CONFLICTS, 0, 1, true, " conflicts", " conflict"},
    {"sectors/request", TOUR_COUNTER, TOUR_SECTORS_A_REQUEST, 0, 1, true, " sectors a request",
     " sector a request"},
    {"wavefronts/request", TOUR_COUNTER, TOUR_WAVEFRONTS_A_REQUEST, 0, 1, true,
     " wavefronts a request", " wavefront a request"},
    {"words/request", TOUR_COUNTER, TOUR_WORDS_A_REQUEST, 0, 1, true, " words a request",
     " word a request"},
    {"frame", TOUR_FRAME, 0, 0, 0, true, " ms a frame", " ms a frame"},
    {"host", TOUR_HOST, 0, 0, 0, true, " ms of the host", " ms of the host"},
    {"device", TOUR_DEVICE, 0, 0, 0, false, "", ""},
    {"filter", TOUR_FILTER, 0, 0, 0, false, "", ""},
    {"variant", TOUR_VARIANT, 0, 0, 0, false, "", ""},
};

// ---- a word ----

// A figure's name, a counter's behind "global_load." and the like, or else that of a param.
static bool read_name(const char *name, struct tour_figure *f, const struct row **row)
{
    const char *plain = name;
    *row = NULL;
    f->space = f->access = -1;
    for (int i = 0; i < LENS_RESULT_ACCESSES; i++) {
        const struct lens_access_name *a = &lens_result_accesses[i];
        const size_t length = strlen(a->name);
        if (!g_str_has_prefix(name, a->name) || name[length] != '.') continue;
        f->space = (int)a->space;
        f->access = (int)a->kind;
        plain = name + length + 1;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (!strcmp(rows[i].name, plain)) *row = &rows[i];
    f->kind = *row ? (*row)->kind : TOUR_PARAM;
    if (*row) f->counter = (*row)->counter;
    if (f->space >= 0) return f->kind == TOUR_COUNTER;
    return *row || g_strlcpy(f->param, name, sizeof f->param) < sizeof f->param;
}

// "V", or "V/W". Of a speed-up one name alone is the other's.
static bool read_variants(const char *names, struct tour_figure *f, const struct row *row)
{
    g_auto(GStrv) parts = g_strsplit(names, "/", -1);
    const int count = (int)g_strv_length(parts);
    bool is_good = count >= MAX(1, row->fewest) && count <= row->most;
    for (int i = 0; is_good && i < count; i++)
        is_good = *parts[i] && strlen(parts[i]) < FILTER_NAME;
    if (is_good && f->kind == TOUR_SPEED_UP) g_strlcpy(f->other, parts[count - 1], FILTER_NAME);
    if (is_good && (f->kind != TOUR_SPEED_UP || count > 1))
        g_strlcpy(f->variant, parts[0], FILTER_NAME);
    return is_good;
}

// "P=5"
static bool read_value(const char *pair, struct tour_figure *f)
{
    const size_t length = strcspn(pair, "=");
    if (!pair[length] || !length || length >= sizeof f->param) return false;
    g_strlcpy(f->param, pair, length + 1);
    return g_strlcpy(f->value, pair + length + 1, sizeof f->value) < sizeof f->value;
}

// NAME[:V[/W]][@P=VALUE]
static bool read_word(const char *word, struct tour_figure *f)
{
    g_auto(GStrv) halves = g_strsplit(word, "@", 2),
                  parts = g_strsplit(*halves ? *halves : "", ":", 2);
    const char *name = *parts ? *parts : "", *variants = *parts ? parts[1] : NULL;
    const char *value = *halves ? halves[1] : NULL;
    const struct row *row;
    *f = (struct tour_figure){.kind = TOUR_PARAM};
    bool is_good = read_name(name, f, &row);
    if (is_good && f->kind == TOUR_SPEED_UP) g_strlcpy(f->other, "naive", FILTER_NAME);
    if (is_good && variants) is_good = row && read_variants(variants, f, row);
    if (is_good && !variants) is_good = !row || row->fewest == 0;
    if (is_good && value) is_good = row && row->has_value && read_value(value, f);
    return is_good;
}

// ---- what filters have ----

static bool has_param(const struct filter_list *filters, const char *name)
{
    for (int i = 0; i < filters->count; i++)
        if (filter_param(&filters->filters[i], name) >= 0) return true;
    return false;
}

// Names of variants or params of all filters.
static char *list_names(const struct filter_list *filters, bool is_of_params)
{
    GString *names = g_string_new(NULL);
    for (int i = 0; i < filters->count; i++) {
        const struct filter *f = &filters->filters[i];
        const int count = is_of_params ? f->param_count : f->variant_count;
        for (int k = 0; k < count; k++)
            g_string_append_printf(names, "%s ",
                                   is_of_params ? f->params[k].name : f->variants[k].name);
    }
    return g_string_free(names, FALSE);
}

static bool refuse_name(const char *what, const char *name, const struct filter_list *filters,
                        struct error *err)
{
    g_autofree char *names = list_names(filters, !strcmp(what, "param"));
    error_set(err, "no filter has a %s '%s'", what, name);
    suggest(err, name, names);
    return false;
}

bool tour_figure_set(const struct tour_figure *f, const struct filter *filter,
                     struct settings *settings, struct error *err)
{
    const bool is_on = !strcmp(f->value, "on");
    if (strcmp(f->param, UNROLL) != 0)
        return filter_set_param(filter, &settings->params, f->param, f->value, err) &&
               filter_check(filter, &settings->params, err);
    if (!is_on && strcmp(f->value, "off") != 0)
        return error_set(err, "unroll is on or off, not '%s'", f->value);
    settings->is_unrolled = is_on;
    return true;
}

// True if some filter has the param with that value. err is that of the last filter with the param.
static bool check_value(const struct tour_figure *f, const struct filter_list *filters,
                        struct error *err)
{
    const bool is_unroll = !strcmp(f->param, UNROLL);
    if (!tour_figure_has_launch(f))
        return (!strcmp(f->param, PATH) &&
                (!strcmp(f->value, "interop") || !strcmp(f->value, "staged"))) ||
               error_set(err,
                         "the screen's times may stand at path=interop or path=staged, not "
                         "%s=%s",
                         f->param, f->value);
    if (!is_unroll && !has_param(filters, f->param))
        return refuse_name("param", f->param, filters, err);
    for (int i = 0; i < filters->count; i++) {
        const struct filter *filter = &filters->filters[i];
        struct settings settings = {.params = filter_defaults(filter)};
        if ((is_unroll || filter_param(filter, f->param) >= 0) &&
            tour_figure_set(f, filter, &settings, err))
            return true;
    }
    return false;
}

static bool refuse_word(const char *word, const struct filter_list *filters, struct error *err)
{
    g_autofree char *params = list_names(filters, true);
    g_autoptr(GString) names = g_string_new(params);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        g_string_append_printf(names, "%s ", rows[i].name);
    g_autofree char *name = g_strndup(word, strcspn(word, ":@"));
    error_set(
        err,
        "there is no figure {%s}: ms, ms:V, naive, x:V, x:V/W, copy, frame, host, device, "
        "filter, variant, a counter such as sectors:V, or a param such as radius are meant, or {{ "
        "for a brace",
        word);
    suggest(err, name, names->str);
    return false;
}

bool tour_figure_read(struct tour_figure *f, const char *word, const struct filter_list *filters,
                      struct error *err)
{
    if (!read_word(word, f) || (f->kind == TOUR_PARAM && !has_param(filters, f->param)))
        return refuse_word(word, filters, err);
    if (*f->value && !check_value(f, filters, err)) return false;
    const char *const names[] = {f->variant, f->other};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        bool is_known = !*names[i];
        for (int k = 0; k < filters->count; k++)
            is_known |= filter_variant(&filters->filters[k], names[i]) != NULL;
        if (!is_known) return refuse_name("variant", names[i], filters, err);
    }
    return true;
}

bool tour_figure_has_launch(const struct tour_figure *f)
{
    return f->kind < TOUR_FRAME;
}

bool tour_figure_is_time(const struct tour_figure *f)
{
    return f->kind == TOUR_MS || f->kind == TOUR_SPEED_UP || f->kind == TOUR_COPY ||
           f->kind == TOUR_FRAME || f->kind == TOUR_HOST;
}

bool tour_figure_is_measured(const struct tour_figure *f)
{
    return f->kind < TOUR_DEVICE;
}

bool tour_figure_is_number(const struct tour_figure *f)
{
    return f->kind != TOUR_DEVICE && f->kind != TOUR_FILTER && f->kind != TOUR_VARIANT;
}

const char *tour_figure_unit(const struct tour_figure *f, const char *number)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].kind == f->kind && rows[i].counter == f->counter)
            return strcmp(number, "1") ? rows[i].unit : rows[i].one;
    return "";
}

// ---- texts ----

enum part { PART_END, PART_TEXT, PART_FIGURE, PART_WRONG };

// The next part of a text: a letter, a brace written twice, or a figure between two braces.
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

bool tour_figure_check(const char *text, const struct filter_list *filters, struct error *err)
{
    bool is_good = true;
    struct tour_figure ignored;
    g_autoptr(GString) word = g_string_new(NULL);
    for (enum part part; is_good && (part = next_part(&text, word)) != PART_END;) {
        if (part == PART_WRONG)
            is_good = error_set(err, "a brace has no partner; {{ and }} are braces");
        else if (part == PART_FIGURE)
            is_good = tour_figure_read(&ignored, word->str, filters, err);
    }
    return is_good;
}

int tour_figure_list(const char *text, struct tour_figure *figures, int max)
{
    int count = 0;
    g_autoptr(GString) word = g_string_new(NULL);
    for (enum part part; (part = next_part(&text, word)) != PART_END && count < max;)
        if (part == PART_FIGURE && read_word(word->str, &figures[count])) count++;
    return count;
}

// True if a sentence or line ends with this letter, behind which `next` follows.
static bool is_end(char letter, char next)
{
    return letter == '\n' || (letter == '.' && (!next || next == ' ' || next == '\n'));
}

// Writes why in place of what a sentence tells behind its last colon: "It waits: {a} ms, not {b}."
// becomes "It waits: not known without a GPU." False: no colon stands before the figure.
static bool give_up_sentence(GString *filled, const char *why)
{
    const char *const line = strrchr(filled->str, '\n');
    const char *const colon = g_strrstr(line ? line : filled->str, ": ");
    if (!colon) return false;
    for (const char *at = colon; *at; at++)
        if (is_end(at[0], at[1])) return false;
    g_string_truncate(filled, (gsize)(colon + 2 - filled->str));
    g_string_append(filled, why);
    return true;
}

char *tour_figure_fill(const char *text, tour_figure_find *find, void *user)
{
    static const char *const unknown[] = {[TOUR_PENDING] = "…", [TOUR_NEVER] = "–"};
    GString *filled = g_string_new(NULL);
    g_autoptr(GString) word = g_string_new(NULL);
    bool is_given_up = false;  // the present sentence
    for (enum part part; (part = next_part(&text, word)) != PART_END;) {
        struct tour_figure figure;
        struct tour_value value = {.known = TOUR_PENDING};
        if (part == PART_FIGURE && read_word(word->str, &figure)) value = find(user, &figure);
        if (part == PART_FIGURE && !is_given_up)
            is_given_up = value.known == TOUR_NEVER && give_up_sentence(filled, value.why);
        else if (is_given_up && part == PART_TEXT)
            is_given_up = !is_end(*word->str, *text);
        if (is_given_up) continue;
        g_string_append(filled, part != PART_FIGURE         ? word->str
                                : value.known == TOUR_KNOWN ? value.text
                                                            : unknown[value.known]);
    }
    return g_string_free(filled, FALSE);
}
