#include "app/palette.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { PAGE = 8 };  // rows

void palette_open(struct app *a, int menu)
{
    if (menu == APP_MENU_STEPS && !a->tour_steps) {
        g_strlcpy(a->note, "no tour is open; D lists them", sizeof a->note);
        return;
    }
    a->menu = (enum app_menu)menu;
    a->menu_row = menu == APP_MENU_STEPS ? a->tour_step
                  : menu == APP_MENU_ALL ? a->sides[a->side].filter
                                         : 0;
    *a->typed = '\0';
    a->has_help = false;  // which would cover it
}

// ---- rows ----

static void free_row(struct palette_row *row)
{
    g_free(row->name);
    g_free(row->group);
}

void palette_finish(struct palette *p)
{
    for (int i = 0; i < p->count; i++) free_row(&p->rows[i]);
    g_free(p->rows);
    *p = (struct palette){.rows = NULL};
}

void palette_add(struct palette *p, struct palette_row row)
{
    if (p->count == p->room) {
        p->room = 2 * p->room + 64;
        p->rows = g_renew(struct palette_row, p->rows, p->room);
    }
    p->rows[p->count++] = row;
}

static void add_variants(struct palette *p, const struct app *a, int filter)
{
    const struct filter *f = &a->filters->filters[filter];
    const bool is_present = filter == a->sides[a->side].filter;
    for (int i = 0; i < f->variant_count; i++) {
        const struct variant *v = &f->variants[i];
        palette_add(p, (struct palette_row){
                           .kind = PALETTE_VARIANT,
                           .filter = filter,
                           .index = i,
                           .name = g_strdup_printf("%s: %s", f->title, v->name),
                           .group = g_strdup_printf("%svariant%s%s", v->is_expert ? "expert " : "",
                                                    *v->note ? " · " : "", v->note),
                           .key = {is_present && i < 9 ? (char)('1' + i) : '\0'},
                           .also = f->name,
                           .is_present = is_present && v == app_variant(a)});
    }
}

void palette_add_first(struct palette *p, const struct app *a)
{
    if (a->menu != APP_MENU_ALL) return;
    for (int i = 0; i < MIN(a->filters->count, APP_MAX_FILTERS); i++) {
        const struct filter *f = &a->filters->filters[i];
        palette_add(p, (struct palette_row){.kind = PALETTE_FILTER,
                                            .filter = i,
                                            .name = g_strdup(f->title),
                                            .group = g_strdup(filter_kind(f)),
                                            .key = {f->key},
                                            .also = f->name,
                                            .is_present = i == a->sides[a->side].filter});
    }
    add_variants(p, a, a->sides[a->side].filter);
    const struct filter *f = app_filter(a);
    const struct settings s = app_chosen(a, a->side).settings;
    for (int i = 0; i < f->param_count; i++) {
        const struct value_text value = filter_write_value(&f->params[i], s.params.v[i]);
        palette_add(p, (struct palette_row){
                           .kind = PALETTE_PARAM,
                           .index = i,
                           .name = g_strdup_printf("%s = %s", f->params[i].name, value.text),
                           .group = g_strdup_printf("parameter · %s", f->params[i].help)});
    }
}

// Rows that the viewer has not named yet are there, too: keys may come at once.
static void add_named(struct palette *p, const struct app *a, enum palette_kind kind, int count,
                      char *const *names)
{
    for (int i = 0; i < count; i++) {
        const char *name = names && *names ? *names++ : "";
        const bool is_step = kind == PALETTE_STEP, is_among_others = a->menu == APP_MENU_ALL;
        palette_add(p, (struct palette_row){.kind = kind,
                                            .index = i,
                                            .name = is_step ? g_strdup_printf("%d  %s", i + 1, name)
                                                            : g_strdup(name),
                                            .group = g_strdup(!is_among_others ? ""
                                                              : is_step        ? "step"
                                                                               : "tour"),
                                            .is_present = is_step && i == a->tour_step});
    }
}

void palette_add_last(struct palette *p, const struct app *a)
{
    const bool is_all = a->menu == APP_MENU_ALL;
    if (is_all)
        palette_add(
            p, (struct palette_row){.kind = PALETTE_MACHINE,
                                    .name = g_strdup("machine code"),
                                    .group = g_strdup(a->no_machine ? a->no_machine : "Source"),
                                    .also = "SASS PTX assembly instructions disassembly kernel",
                                    .is_grey = a->no_machine != NULL});
    if (is_all || a->menu == APP_MENU_STEPS)
        add_named(p, a, PALETTE_STEP, a->tour_steps, a->step_names);
    if (is_all || a->menu == APP_MENU_TOURS)
        add_named(p, a, PALETTE_TOUR,
                  a->tour_names ? (int)g_strv_length((char **)a->tour_names) : 0, a->tour_names);
    for (int i = 0; is_all && i < MIN(a->filters->count, APP_MAX_FILTERS); i++)
        if (i != a->sides[a->side].filter) add_variants(p, a, i);
}

// ---- what is typed ----

enum { NAME_BEGINS, WORD_BEGINS, GROUP_BEGINS, OCCURS, MISSES };

static bool has_word(const char *text, const char *beginning)
{
    for (const char *at = text; (at = strstr(at, beginning)); at++)
        if (at == text || !g_ascii_isalnum(at[-1])) return true;
    return false;
}

// The rank of a row for all words, which are in lower case and end with NULL.
static int find_rank(const struct palette_row *row, char *const *words)
{
    g_autofree char *name = g_utf8_casefold(row->name, -1),
                    *group = g_utf8_casefold(row->group, -1);
    g_autofree char *also = g_utf8_casefold(row->also ? row->also : "", -1);
    int rank = NAME_BEGINS;
    for (bool is_first = true; *words; words++, is_first = false) {
        int each = MISSES;
        if (is_first ? g_str_has_prefix(name, *words) : has_word(name, *words))
            each = NAME_BEGINS;
        else if (has_word(name, *words) || has_word(also, *words))
            each = WORD_BEGINS;
        else if (has_word(group, *words))
            each = GROUP_BEGINS;
        else if (strstr(name, *words) || strstr(also, *words) || strstr(group, *words))
            each = OCCURS;
        rank = MAX(rank, each);
    }
    return rank;
}

static int compare(const void *a, const void *b)
{
    return ((const struct palette_row *)a)->order - ((const struct palette_row *)b)->order;
}

void palette_match(struct palette *p, const char *typed)
{
    g_autofree char *folded = g_utf8_casefold(typed, -1);
    g_auto(GStrv) words = g_strsplit(folded, " ", -1);
    const int all = p->count;
    for (int i = 0; i < all; i++) p->rows[i].order = find_rank(&p->rows[i], words) * all + i;
    if (all) qsort(p->rows, (size_t)all, sizeof *p->rows, compare);
    while (p->count && p->rows[p->count - 1].order >= MISSES * all) free_row(&p->rows[--p->count]);
}

// ---- keys ----

static void type(struct app *a, const char *key)
{
    const size_t length = strlen(a->typed);
    const char *text = strcmp(key, "space") != 0 ? key : " ";
    if (!strcmp(key, "Backspace")) {
        if (length) a->typed[length - 1] = '\0';
    } else if (g_ascii_isprint(text[0]) && !text[1]) {
        g_strlcat(a->typed, text, sizeof a->typed);
    } else {
        return;
    }
    a->menu_row = 0;
}

bool palette_press(struct app *a, const struct palette *p, const char *key, int *chosen)
{
    static const struct {
        const char *key;
        int rows;
    } moves[] = {{"Up", -1}, {"Down", 1}, {"PgUp", -PAGE}, {"PgDn", PAGE}};
    const int row = CLAMP(a->menu_row, 0, MAX(0, p->count - 1));
    *chosen = -1;
    if (!strcmp(key, "F11") || !strcmp(key, "Ctrl+C")) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(moves); i++)
        if (!strcmp(moves[i].key, key)) {
            a->menu_row = CLAMP(row + moves[i].rows, 0, MAX(0, p->count - 1));
            return true;
        }
    if (!strcmp(key, "Return")) *chosen = p->count ? row : -1;
    if (!strcmp(key, "Esc") || *chosen >= 0)
        a->menu = APP_MENU_NONE;
    else
        type(a, key);
    return true;
}

// ---- values ----

static const struct param *param_of(const struct app *a)
{
    return &app_filter(a)->params[app_param(a)];
}

void palette_open_value(struct app *a)
{
    if (app_param(a) < 0)
        g_snprintf(a->note, sizeof a->note, "%s has no parameter", app_filter(a)->name);
    else
        a->menu = APP_MENU_VALUE;
    *a->typed = '\0';
}

void palette_press_value(struct app *a, const char *key)
{
    const size_t length = strlen(a->typed);
    const bool is_typed = !key[1] && (g_ascii_isalnum(*key) || strchr("._+-", *key));
    if (!strcmp(key, "Return") && length) {
        const struct filter *f = app_filter(a);
        struct param_values values = app_settings(a)->params;
        struct error err;
        if (filter_set_param(f, &values, param_of(a)->name, a->typed, &err) &&
            filter_check(f, &values, &err)) {
            app_settings(a)->params = values;
            a->menu = APP_MENU_NONE;
        } else {
            g_strlcpy(a->note, err.text, sizeof a->note);
        }
    } else if (!strcmp(key, "Esc") || !strcmp(key, "Return")) {
        a->menu = APP_MENU_NONE;
    } else if (!strcmp(key, "Backspace") && length)
        a->typed[length - 1] = '\0';
    else if (is_typed)
        g_strlcat(a->typed, key, FILTER_VALUE);
    else
        g_snprintf(a->note, sizeof a->note, "%s cannot be typed here", key);
}

void palette_write_value(const struct app *a, char *text, size_t size)
{
    g_snprintf(text, size, "%s = %s_", param_of(a)->name, a->typed);
}

void palette_write_limits(const struct app *a, char *text, size_t size)
{
    const struct param *p = param_of(a);
    g_snprintf(text, size, "%s to %s", filter_write_value(p, p->min).text,
               filter_write_value(p, p->max).text);
    if (p->step != 1) text_append(text, size, " in steps of %g", p->step);
}
