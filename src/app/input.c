#include "app/input.h"

#include <glib.h>
#include <string.h>

enum { MAX_KEYS = 9 };

struct row {
    const char *shown, *help;
    void (*act)(struct app *a, int arg);  // NULL: the row is a section's title
    struct {
        const char *name;
        int arg;
    } keys[MAX_KEYS];
};

// To add a key: a row here, and its action in app.c. Nothing else.
static const struct row rows[] = {
    {.help = "Kernel"},
    {"1 … 9",
     "variant of the filter",
     app_choose_variant,
     {{"1", 0}, {"2", 1}, {"3", 2}, {"4", 3}, {"5", 4}, {"6", 5}, {"7", 6}, {"8", 7}, {"9", 8}}},
    {"← →", "previous, next variant", app_step_variant, {{"Left", -1}, {"Right", 1}}},
    {"f F", "next, previous filter", app_step_filter, {{"f", 1}, {"F", -1}}},
    {"↑ ↓", "radius by one", app_step_radius, {{"Up", 1}, {"Down", -1}}},
    {"PgUp PgDn", "radius by eight", app_step_radius, {{"PgUp", 8}, {"PgDn", -8}}},
    {", .", "previous, next other parameter", app_step_param, {{",", -1}, {".", 1}}},
    {"< >", "less, more of it", app_change_param, {{"<", -1}, {">", 1}}},
    {"u", "unroll: compile for this radius", app_toggle_unroll, {{"u", 0}}},
    {"Backspace", "undo the last change", app_undo, {{"Backspace", 0}}},
    {.help = "Block of threads"},
    {"[ ]", "halve, double its width", app_scale_block_width, {{"[", -1}, {"]", 1}}},
    {"{ }", "halve, double its height", app_scale_block_height, {{"{", -1}, {"}", 1}}},
    {"b B", "next, previous common shape", app_step_block, {{"b", 1}, {"B", -1}}},
    {.help = "Measure"},
    {"l", "bars of all variants", app_toggle_bars, {{"l", 0}}},
    {"p", "sweep over the radius", app_toggle_sweep, {{"p", 0}}},
    {"t", "heat map over block shapes", app_toggle_heat, {{"t", 0}}},
    {"Return", "adopt the heat map's best", app_ask_best, {{"Return", 0}}},
    {"g", "block grid, tile and halo under the cursor", app_toggle_grid, {{"g", 0}}},
    {.help = "Compare"},
    {"c", "two pictures, A and B", app_toggle_compare, {{"c", 0}}},
    {"x", "keys act on the other one", app_swap_sides, {{"x", 0}}},
    {"Tab", "hold: flip A and B", app_set_flipped, {{"Tab", 1}}},
    {"d", "difference, amplified", app_toggle_difference, {{"d", 0}}},
    {.help = "Picture"},
    {"z Z", "fit the window, zoom in (wheel, drag)", app_zoom, {{"z", 0}, {"Z", 1}}},
    {"n N", "next, previous picture", app_step_picture, {{"n", 1}, {"N", -1}}},
    {"s", "screenshot, with its settings and times", app_ask_screenshot, {{"s", 0}}},
    {"S", "comparison sheet of all variants", app_ask_sheet, {{"S", 0}}},
    {"space", "freeze; in a tour: go on", app_toggle_frozen, {{"space", 0}}},
    {"r", "reload the kernels", app_ask_reload, {{"r", 0}}},
    {.help = "Screen"},
    {"i", "path: interop or staged", app_toggle_staged, {{"i", 0}}},
    {"v", "vsync", app_toggle_vsync, {{"v", 0}}},
    {"o", "overlay", app_toggle_bare, {{"o", 0}}},
    {"+ -", "larger, smaller text", app_scale_text, {{"+", 1}, {"=", 1}, {"-", -1}}},
    {"k", "dark or light", app_toggle_theme, {{"k", 0}}},
    {"F11", "full screen", app_toggle_fullscreen, {{"F11", 0}}},
    {"h F1", "this help", app_toggle_help, {{"h", 0}, {"F1", 0}}},
    {"Esc", "close what is open; leave the full screen; quit", app_close, {{"Esc", 0}}},
    {"q", "quit", app_ask_quit, {{"q", 0}}},
};

static const struct row *find(const char *key, int *arg)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int k = 0; k < MAX_KEYS && rows[i].keys[k].name; k++)
            if (!strcmp(rows[i].keys[k].name, key)) {
                *arg = rows[i].keys[k].arg;
                return &rows[i];
            }
    return NULL;
}

static int filter_of_key(const struct filter_list *filters, const char *key)
{
    for (int i = 0; i < MIN(filters->count, APP_MAX_FILTERS); i++)
        if (filters->filters[i].key && filters->filters[i].key == key[0] && !key[1]) return i;
    return -1;
}

bool input_press(struct app *a, const char *key)
{
    int arg;
    const struct app_mark before = app_mark(a);
    const struct row *row = find(key, &arg);
    const int filter = row ? -1 : filter_of_key(a->filters, key);
    if (!row && filter < 0) return false;
    if (row)
        row->act(a, arg);
    else
        a->sides[a->side].filter = filter;
    app_record(a, &before);
    return true;
}

void input_release(struct app *a, const char *key)
{
    if (!strcmp(key, "Tab")) app_set_flipped(a, 0);
}

bool input_is_key(const char *key, const struct filter_list *filters)
{
    int arg;
    return find(key, &arg) || (filters && filter_of_key(filters, key) >= 0);
}

bool input_check(const struct filter_list *filters, struct error *err)
{
    for (int i = 0; i < MIN(filters->count, APP_MAX_FILTERS); i++) {
        const struct filter *f = &filters->filters[i];
        const char key[] = {f->key, '\0'};
        if (!f->key) continue;
        if (input_is_key(key, NULL))
            return error_set(err, "%s:1: key %c is the viewer's own; choose another", f->path,
                             f->key);
        const int first = filter_of_key(filters, key);
        if (first != i)
            return error_set(err, "%s:1: key %c is taken by filter %s", f->path, f->key,
                             filters->filters[first].name);
    }
    return true;
}

char **input_script(const char *text, const struct filter_list *filters, struct error *err)
{
    char **keys = g_strsplit_set(text, " \t\n", -1);
    int kept = 0;
    for (int i = 0; keys[i]; i++) {
        if (!*keys[i]) {
            g_free(keys[i]);
            continue;
        }
        keys[kept++] = keys[i];
        if (input_is_key(keys[i], filters)) continue;
        error_set(err, "unknown key '%s'; tilescope --help lists them", keys[i]);
        while (keys[++i]) keys[kept++] = keys[i];
        keys[kept] = NULL;
        g_strfreev(keys);
        return NULL;
    }
    keys[kept] = NULL;
    return keys;
}

int input_help(struct overlay_help *help, int max)
{
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows) && count < max; i++)
        help[count++] = (struct overlay_help){rows[i].shown, rows[i].help};
    return count;
}

char *input_help_text(void)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (!rows[i].act) continue;
        const int pad = 12 - (int)g_utf8_strlen(rows[i].shown, -1);
        g_string_append_printf(text, "  %s%*s%s\n", rows[i].shown, pad, "", rows[i].help);
    }
    return g_string_free(text, FALSE);
}
