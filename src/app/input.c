#include "app/input.h"

#include <glib.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "app/docks.h"
#include "app/entry.h"
#include "app/menu.h"
#include "base/data.h"

enum { MAX_KEYS = 9 };

struct row {
    const char *shown, *help;  // shown NULL: the row is a section's title; both: it is no key's
    void (*act)(struct app *a, int arg);
    void (*once)(struct app *a);
    struct {
        const char *name;
        int arg;
        enum input_request asks;  // in place of the action
    } keys[MAX_KEYS];
    // An action in place of the request. False: it had nothing to do, and the key asks.
    bool (*unless)(struct app *a);
    const char *name;  // of a switch, in a saved state; NULL: there is none
    size_t offset;     // of the switch in struct app; where there is no action, the key flips it
};

#define KEY(word, number)           \
    {                               \
        .name = word, .arg = number \
    }
#define ASK(word, request)            \
    {                                 \
        .name = word, .asks = request \
    }
#define SWITCH(word, member) .name = word, .offset = offsetof(struct app, member)

// To add a key: a row here, and its action in app.c. To add a switch: a bool in struct app, and a
// row here. To add a request: a row here, and the job of the viewer that takes it.
static const struct row rows[] = {
    {.help = "Kernel"},
    {"1 … 9", "variant of the filter or lab", app_choose_variant,
     .keys = {KEY("1", 0), KEY("2", 1), KEY("3", 2), KEY("4", 3), KEY("5", 4), KEY("6", 5),
              KEY("7", 6), KEY("8", 7), KEY("9", 8)}},
    {"← →", "previous, next variant", app_step_variant, .keys = {KEY("Left", -1), KEY("Right", 1)}},
    {"/", "filters and labs to choose from", .once = menu_toggle_filters, .keys = {KEY("/", 0)}},
    {"f F", "next, previous filter or lab", app_step_filter, .keys = {KEY("f", 1), KEY("F", -1)}},
    {"↑ ↓", "radius, or the chosen axis, by one", app_step_axis,
     .keys = {KEY("Up", 1), KEY("Down", -1)}},
    {"PgUp PgDn", "the same by eight", app_step_axis, .keys = {KEY("PgUp", 8), KEY("PgDn", -8)}},
    {", .", "choose what ↑ ↓ and the sweep change", app_step_param,
     .keys = {KEY(",", -1), KEY(".", 1)}},
    {"< >", "less, more of it", app_change_param, .keys = {KEY("<", -1), KEY(">", 1)}},
    {"#", "type its value, then Return", .once = entry_toggle, .keys = {KEY("#", 0)}},
    {"u", "unroll: compile for these params", .once = app_toggle_unroll, .keys = {KEY("u", 0)}},
    {"Backspace", "undo the last change", .once = app_undo, .keys = {KEY("Backspace", 0)}},
    {.help = "Block of threads"},
    {"[ ]", "halve, double the block's width", app_scale_block_width,
     .keys = {KEY("[", -1), KEY("]", 1)}},
    {"{ }", "halve, double the block's height", app_scale_block_height,
     .keys = {KEY("{", -1), KEY("}", 1)}},
    {"b B", "next, previous common shape of block", app_step_block,
     .keys = {KEY("b", 1), KEY("B", -1)}},
    {.help = "Measure"},
    {"l", "bars of all variants", .keys = {KEY("l", 0)}, SWITCH("bars", has_bars)},
    {"p", "sweep over the radius, or the chosen axis", .once = app_toggle_sweep,
     .keys = {KEY("p", 0)}, SWITCH("sweep", has_sweep)},
    {"Y", "roofline: what bounds each variant", .once = app_toggle_roof, .keys = {KEY("Y", 0)},
     SWITCH("roofline", has_roof)},
    {"t", "heat map over block shapes", .keys = {KEY("t", 0)}, SWITCH("heat", has_heat)},
    {"Return", "adopt the heat map's best", .keys = {ASK("Return", INPUT_BEST)}},
    {"P", "remember this time and show others as ± %", .keys = {ASK("P", INPUT_BASELINE)}},
    {"g", "the pixel under the cursor, and its block", .keys = {KEY("g", 0)},
     SWITCH("grid", has_grid)},
    {.help = "Source"},
    {"E", "the kernel beside the picture; its changes", .once = docks_turn_source,
     .keys = {KEY("E", 0)}, SWITCH("source", has_source)},
    {SWITCH("changes", has_changes)},
    {"( )", "scroll it (wheel)", docks_scroll, .keys = {KEY("(", -1), KEY(")", 1)}},
    {"M", "memory lens: what a warp touches", .keys = {KEY("M", 0)}, SWITCH("lens", has_lens)},
    {"j J", "lens: next, previous memory instruction", docks_step_instruction,
     .keys = {KEY("j", 1), KEY("J", -1)}},
    {"; :", "next, previous execution of it (wheel)", docks_step_instance,
     .keys = {KEY(";", 1), KEY(":", -1)}},
    {"' \"", "next, previous warp", docks_step_warp, .keys = {KEY("'", 1), KEY("\"", -1)}},
    {"W", "its whole launch, in place of the block", .once = docks_toggle_whole,
     .keys = {KEY("W", 0)}, SWITCH("whole", has_whole[APP_A])},
    {SWITCH("whole_b", has_whole[APP_B])},
    {.help = "Compare"},
    {"c", "two pictures, A and B", .once = app_toggle_compare, .keys = {KEY("c", 0)},
     SWITCH("comparing", is_comparing)},
    {"x", "keys act on the other one", .once = app_swap_sides, .keys = {KEY("x", 0)}},
    {"Tab", "hold: flip A and B", app_set_flipped, .keys = {KEY("Tab", 1)}},
    {"d", "difference, amplified", .once = app_toggle_difference, .keys = {KEY("d", 0)},
     SWITCH("difference", has_difference)},
    {.help = "Tour"},
    {"D", "tours to choose from", .once = menu_toggle_tours, .keys = {KEY("D", 0)}},
    {"G", "steps of the tour, to go to one", .once = menu_toggle_steps, .keys = {KEY("G", 0)}},
    {"I O", "a step back, a step ahead", .keys = {ASK("I", INPUT_STEP_BACK), ASK("O", INPUT_STEP)}},
    {"0", "return to its step and settings", .keys = {ASK("0", INPUT_RETURN)}},
    {.help = "Picture"},
    {"z Z", "fit the window, zoom in (wheel, drag)", .once = app_fit,
     .keys = {KEY("z", 0), ASK("Z", INPUT_ZOOM)}},
    {"n N", "next, previous picture, or array of a lab", app_step_picture,
     .keys = {KEY("n", 1), KEY("N", -1)}},
    {"s", "screenshot, with its settings and times", .keys = {ASK("s", INPUT_SCREENSHOT)}},
    {"S", "comparison sheet of all variants", .keys = {ASK("S", INPUT_SHEET)}},
    {"Ctrl+C", "copy the window, and the panel's table", .keys = {ASK("Ctrl+C", INPUT_COPY)}},
    {"space", "freeze; in a tour: go on", .keys = {ASK("space", INPUT_GO_ON)}, .unless = app_freeze,
     SWITCH("frozen", is_frozen)},
    {"r", "reload the kernels", .keys = {ASK("r", INPUT_RELOAD)}},
    {.help = "Screen"},
    {"i", "path: interop or staged", .keys = {KEY("i", 0)}, SWITCH("staged", is_staged)},
    {"v", "vsync", .keys = {KEY("v", 0)}, SWITCH("vsync", has_vsync)},
    {"o", "overlay", .keys = {KEY("o", 0)}, SWITCH("bare", is_bare)},
    {"+ -", "larger, smaller text", app_scale_text,
     .keys = {KEY("+", 1), KEY("=", 1), KEY("-", -1)}},
    {"k", "dark or light", .keys = {KEY("k", 0)}, SWITCH("light", is_light)},
    {"F11", "full screen", .keys = {KEY("F11", 0)}, SWITCH("fullscreen", is_fullscreen)},
    {"h F1", "this help, its next page", .once = app_turn_help, .keys = {KEY("h", 0), KEY("F1", 0)},
     SWITCH("help", has_help)},
    {"Esc", "close, leave full screen; twice: quit", .keys = {ASK("Esc", INPUT_QUIT)},
     .unless = app_close},
    {"q", "quit", .keys = {ASK("q", INPUT_QUIT)}},
};

static const struct row *find(const char *key, int *index)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int k = 0; k < MAX_KEYS && rows[i].keys[k].name; k++)
            if (!strcmp(rows[i].keys[k].name, key)) {
                *index = k;
                return &rows[i];
            }
    return NULL;
}

const char *input_key(int index)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int k = 0; k < MAX_KEYS && rows[i].keys[k].name; k++)
            if (index-- == 0) return rows[i].keys[k].name;
    return NULL;
}

static bool *switch_of(const struct row *row, struct app *a)
{
    return (bool *)(void *)((char *)a + row->offset);
}

const char *input_switch_name(int index)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].name && index-- == 0) return rows[i].name;
    return NULL;
}

bool *input_switch(struct app *a, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].name && !strcmp(rows[i].name, name)) return switch_of(&rows[i], a);
    return NULL;
}

static int filter_of_key(const struct filter_list *filters, const char *key)
{
    for (int i = 0; i < MIN(filters->count, APP_MAX_FILTERS); i++)
        if (filters->filters[i].key && filters->filters[i].key == key[0] && !key[1]) return i;
    return -1;
}

static enum input_request press_row(struct app *a, const struct row *row, int key)
{
    if (row->keys[key].asks)
        return row->unless && row->unless(a) ? INPUT_NOTHING : row->keys[key].asks;
    if (row->act)
        row->act(a, row->keys[key].arg);
    else if (row->once)
        row->once(a);
    else
        *switch_of(row, a) ^= true;
    return INPUT_NOTHING;
}

bool input_press(struct app *a, const char *key, enum input_request *asked)
{
    int index;
    const struct app_mark before = app_mark(a);
    const bool was_leaving = a->is_leaving;
    const struct row *row = find(key, &index);
    const int filter = row ? -1 : filter_of_key(a->filters, key);
    const bool is_for_menu = menu_press(a, key, asked);
    const bool is_known = is_for_menu || row || filter >= 0;
    if (!is_for_menu && row) *asked = press_row(a, row, index);
    if (!is_for_menu && filter >= 0) {
        a->sides[a->side].filter = filter;
        if (a->menu == APP_MENU_FILTERS) a->menu = APP_MENU_NONE;
    }
    if (was_leaving) a->is_leaving = false;  // only the next key can be the second Esc
    app_record(a, &before);
    return is_known;
}

void input_release(struct app *a, const char *key)
{
    if (!strcmp(key, "Tab")) app_set_flipped(a, 0);
}

bool input_is_key(const char *key, const struct filter_list *filters)
{
    int index;
    return find(key, &index) || (filters && filter_of_key(filters, key) >= 0);
}

// True if the program comes with a file of that name. It may be this one, or the original of a
// copy.
static bool is_built_in(const struct filter *f)
{
    char *ours = data_path("kernels"), *name = g_path_get_basename(f->path);
    char *path = g_build_filename(ours, filter_folders[f->is_lab], name, NULL);
    const bool is_there = g_file_test(path, G_FILE_TEST_EXISTS);
    g_free(path);
    g_free(name);
    g_free(ours);
    return is_there;
}

static const char *kind_of(const struct filter *f)
{
    return f->is_lab ? "lab" : "filter";
}

// Takes the key from f if it is not free. by_first: the filter that has each key.
static bool settle_key(struct filter *f, const struct filter *by_first[UCHAR_MAX + 1],
                       struct error *err)
{
    const char key[] = {f->key, '\0'};
    const struct filter **first = &by_first[(unsigned char)*key];
    const bool is_own = *key && input_is_key(key, NULL);
    if (!*key || (!is_own && !*first)) {
        *first = f;
        return true;
    }
    f->key = '\0';
    if (is_own)
        return error_set(err, "%s:1: key %s is the viewer's own: %s %s has none", f->path, key,
                         kind_of(f), f->name);
    return error_set(err, "%s:1: key %s is %s %s's: %s %s has none", f->path, key, kind_of(*first),
                     (*first)->name, kind_of(f), f->name);
}

bool input_settle_keys(struct filter_list *filters, struct error *err)
{
    const struct filter *by_first[UCHAR_MAX + 1] = {NULL};
    int lost = 0;
    for (int is_later = 0; is_later < 2; is_later++)
        for (int i = 0; i < filters->count; i++) {
            struct filter *f = &filters->filters[i];
            if (is_built_in(f) == (is_later == 0))
                lost += !settle_key(f, by_first, lost ? NULL : err);
        }
    if (lost > 1 && err) {
        char *first = g_strdup(err->text);
        error_set(err, "%s, nor have %d more files", first, lost - 1);
        g_free(first);
    }
    return !lost;
}

char **input_script(const char *text, const struct filter_list *filters, struct error *err)
{
    char **keys = g_strsplit_set(text, " \t\n", -1);
    int kept = 0;
    for (int i = 0; keys[i]; i++)
        if (*keys[i])
            keys[kept++] = keys[i];
        else
            g_free(keys[i]);
    keys[kept] = NULL;
    for (int i = 0; i < kept; i++) {
        if (input_is_key(keys[i], filters)) continue;
        error_set(err, "unknown key '%s'; tilescope --help lists them", keys[i]);
        g_strfreev(keys);
        return NULL;
    }
    return keys;
}

static void add_row(struct input_help *help, const char *keys, const char *text)
{
    help->rows[help->count++] = (struct overlay_help){keys, text};
}

void input_help(struct input_help *help, const struct filter_list *filters)
{
    G_STATIC_ASSERT(G_N_ELEMENTS(rows) + 1 + APP_MAX_FILTERS <= G_N_ELEMENTS(help->rows));
    help->count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].help) add_row(help, rows[i].shown, rows[i].help);
    bool has_title = false;
    for (int i = 0; i < MIN(filters->count, APP_MAX_FILTERS); i++) {
        const struct filter *f = &filters->filters[i];
        if (!f->key) continue;
        if (!has_title) add_row(help, NULL, "Filter");
        has_title = true;
        help->keys[i][0] = f->key;
        help->keys[i][1] = '\0';
        add_row(help, help->keys[i], f->title);
    }
}

static void add_help(GString *text, const char *shown, const char *help)
{
    const int pad = 12 - (int)g_utf8_strlen(shown, -1);
    g_string_append_printf(text, "  %s%*s%s\n", shown, pad, "", help);
}

char *input_help_text(const struct filter_list *filters)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].shown) add_help(text, rows[i].shown, rows[i].help);
    for (int i = 0; i < filters->count; i++) {
        const struct filter *f = &filters->filters[i];
        char *help = g_strdup_printf("%s %s", f->title, kind_of(f));
        if (f->key) add_help(text, (const char[]){f->key, '\0'}, help);
        g_free(help);
    }
    return g_string_free(text, FALSE);
}
