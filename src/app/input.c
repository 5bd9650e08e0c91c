#include "app/input.h"

#include <glib.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/data.h"

enum { MAX_KEYS = 9 };

struct row {
    const char *shown, *help;  // shown NULL: the row is a section's title; both: it has no key
    void (*act)(struct app *a, int arg);
    void (*once)(struct app *a);
    struct {
        const char *name;
        int arg;
        const char *does;         // where the row's keys do different things; NULL: the row's help
        enum input_request asks;  // in place of the action
    } keys[MAX_KEYS];
    const char *also;  // what else people call it, for the palette
    // An action in place of the request. False: it had nothing to do, and the key asks.
    bool (*unless)(struct app *a);
    const char *name;  // of a switch, in a saved state; NULL: there is none
    size_t offset;     // of the switch in struct app; where there is no action, the key flips it
    bool is_covered;   // what it opens is not seen while the lens has the whole window
};

#define SWITCH(word, member) .name = word, .offset = offsetof(struct app, member)
#define VIEW(word, member)   SWITCH(word, member), .is_covered = true

// To add a key: a row here, and its action in app.c. To add a switch: a bool in struct app, and a
// row here. To add a request: a row here, and the job of the viewer that takes it.
static const struct row rows[] = {
    {.help = "Kernel"},
    {"1 … 9", "variant of the filter or lab", app_choose_variant,
     .keys = {{"1", .does = "first variant"},
              {"2", .arg = 1},
              {"3", .arg = 2},
              {"4", .arg = 3},
              {"5", .arg = 4},
              {"6", .arg = 5},
              {"7", .arg = 6},
              {"8", .arg = 7},
              {"9", .arg = 8}}},
    {"← →", "previous, next variant", app_step_variant,
     .keys = {{"Left", -1, .does = "previous variant"}, {"Right", 1, .does = "next variant"}}},
    {"/", "find anything by typing", palette_open, .keys = {{"/", .arg = APP_MENU_ALL}},
     .also = "search palette menu command filter lab"},
    {"f F", "next, previous filter or lab", app_step_filter,
     .keys = {{"f", 1, .does = "next filter or lab"}, {"F", -1, .does = "previous filter or lab"}}},
    {"↑ ↓", "radius, or the chosen axis, by one", app_step_axis,
     .keys = {{"Up", 1, .does = "increase the radius, or the chosen axis"},
              {"Down", -1, .does = "decrease the radius, or the chosen axis"}},
     .also = "parameter size n"},
    {"PgUp PgDn", "the same by eight", app_step_axis,
     .keys = {{"PgUp", 8, .does = "increase the radius, or the chosen axis, by eight"},
              {"PgDn", -8, .does = "decrease the radius, or the chosen axis, by eight"}},
     .also = "parameter size n"},
    {", .", "choose what ↑ ↓ and the sweep change", app_step_param,
     .keys = {{",", -1, .does = "previous parameter for ↑ ↓ and the sweep"},
              {".", 1, .does = "next parameter for ↑ ↓ and the sweep"}},
     .also = "axis choose"},
    {"< >", "less, more of it", app_change_param,
     .keys = {{"<", -1, .does = "decrease the chosen parameter"},
              {">", 1, .does = "increase the chosen parameter"}}},
    {"#", "type its value, then Return", .once = palette_open_value, .keys = {{.name = "#"}},
     .also = "set number parameter radius"},
    {"u", "unroll: compile for these params", .once = app_toggle_unroll, .keys = {{.name = "u"}},
     .also = "constant literal loop template"},
    {"Backspace", "undo the last change", .once = app_undo, .keys = {{.name = "Backspace"}},
     .also = "back revert"},
    {.help = "Block of threads"},
    {"[ ]", "halve, double the block's width", app_scale_block,
     .keys = {{"[", -1, .does = "halve the block's width"},
              {"]", 1, .does = "double the block's width"}},
     .also = "size threads blockDim"},
    {"{ }", "halve, double the block's height", app_scale_block,
     .keys = {{"{", -2, .does = "halve the block's height"},
              {"}", 2, .does = "double the block's height"}},
     .also = "size threads blockDim"},
    {"b B", "next, previous common shape of block", app_step_block,
     .keys = {{"b", 1, .does = "next common shape of block"},
              {"B", -1, .does = "previous common shape of block"}},
     .also = "size threads blockDim"},
    {.help = "Measure"},
    {"l", "bars of all variants", .keys = {{.name = "l"}}, VIEW("bars", has_bars),
     .also = "times compare chart benchmark fastest"},
    {"p", "sweep over the radius, or the chosen axis", .once = app_toggle_sweep,
     .keys = {{.name = "p"}}, VIEW("sweep", has_sweep), .also = "curve graph plot time size"},
    {"Y", "roofline: what bounds each variant", .once = app_toggle_roof, .keys = {{.name = "Y"}},
     VIEW("roofline", has_roof), .also = "bandwidth limit bottleneck intensity memory bound"},
    {"t", "heat map over block shapes", .keys = {{.name = "t"}}, VIEW("heat", has_heat),
     .also = "autotuning tune best fastest size"},
    {"Return", "adopt the heat map's best", .keys = {{"Return", .asks = INPUT_BEST}},
     .also = "tune block shape fastest"},
    {"Ctrl+T", "times of a recorded GPU, or of this device",
     .keys = {{"Ctrl+T", .asks = INPUT_TIMES}}, .also = "recording card device H200 H100 recorded"},
    {"P", "remember this time and show others as ± %", .keys = {{"P", .asks = INPUT_BASELINE}},
     .also = "baseline pin compare reference speedup percent"},
    {"g", "the pixel under the cursor, and its block", .keys = {{.name = "g"}},
     VIEW("grid", has_grid), .also = "grid threadIdx blockIdx thread warp lane occupancy"},
    {.help = "Source"},
    {"E", "the kernel; its changes; its machine code", .once = app_turn_source,
     .keys = {{.name = "E"}}, VIEW("source", has_source),
     .also = "source code diff SASS PTX assembly instructions disassembly"},
    {SWITCH("changes", has_changes)},
    {SWITCH("machine", has_machine)},
    {"( )", "scroll it (wheel)", app_scroll_pages,
     .keys = {{"(", -1, .does = "scroll the kernel up"},
              {")", 1, .does = "scroll the kernel down"}},
     .also = "source code"},
    {"M", "memory lens: what a warp touches; whole window", .once = app_turn_lens,
     .keys = {{.name = "M"}}, SWITCH("lens", has_lens),
     .also = "coalescing coalesced bank conflicts sectors cache lines transactions requests "
             "shared global loads stores"},
    {SWITCH("lens_full", has_full_lens)},
    {"j J", "lens: next, previous memory instruction", app_step_lens,
     .keys = {{"j", 1 + LENS_INSTRUCTION, .does = "lens: next memory instruction"},
              {"J", -1 - LENS_INSTRUCTION, .does = "lens: previous memory instruction"}},
     .also = "load store request"},
    {"; :", "next, previous execution of it (wheel)", app_step_lens,
     .keys = {{";", 1 + LENS_INSTANCE, .does = "lens: next execution"},
              {":", -1 - LENS_INSTANCE, .does = "lens: previous execution"}},
     .also = "request instruction iteration loop"},
    {"' \"", "next, previous warp", app_step_lens,
     .keys = {{"'", 1 + LENS_WARP, .does = "lens: next warp"},
              {"\"", -1 - LENS_WARP, .does = "lens: previous warp"}}},
    {"!", "lens: play all warps, then the next instruction", .once = app_toggle_play,
     .keys = {{.name = "!"}}, SWITCH("playing", is_playing), .also = "autoplay animate automatic"},
    {"W", "its whole launch, in place of the block", .once = app_toggle_whole,
     .keys = {{"W", .does = "lens: the whole launch, in place of the block"}},
     SWITCH("whole", has_whole[APP_A]), .also = "totals grid all blocks counters Nsight"},
    {SWITCH("whole_b", has_whole[APP_B])},
    {"&", "requests, warps, blocks that touch a sector", .once = app_turn_sharing,
     .keys = {{"&", .does = "lens: requests, warps, blocks that touch a sector"}},
     VIEW("sector_requests", has_sharing[SHARING_REQUESTS]),
     .also = "sharing halo reuse waste heat map memory traffic"},
    {SWITCH("sector_warps", has_sharing[SHARING_WARPS])},
    {SWITCH("sector_blocks", has_sharing[SHARING_BLOCKS])},
    {.help = "Compare"},
    {"c", "two pictures, A and B", .once = app_toggle_compare, .keys = {{.name = "c"}},
     SWITCH("comparing", is_comparing), .also = "split side by side"},
    {"x", "keys act on the other one", .once = app_swap_sides,
     .keys = {{"x", .does = "keys act on the other picture"}}, .also = "swap side active"},
    {"Tab", "hold: flip A and B", app_set_flipped, .keys = {{"Tab", .arg = 1}},
     .also = "blink swap"},
    {"d", "difference, amplified", .once = app_toggle_difference, .keys = {{.name = "d"}},
     VIEW("difference", has_difference), .also = "error subtract"},
    {.help = "Tour"},
    {"D", "tours to choose from", palette_open, .keys = {{"D", .arg = APP_MENU_TOURS}},
     .also = "lecture lesson demonstration"},
    {"G", "steps of the tour, to go to one", palette_open, .keys = {{"G", .arg = APP_MENU_STEPS}}},
    {"I O", "a step back, a step ahead",
     .keys = {{"I", .does = "a step of the tour back", .asks = INPUT_STEP_BACK},
              {"O", .does = "a step of the tour ahead", .asks = INPUT_STEP}},
     .also = "previous next"},
    {"0", "return to its step and settings",
     .keys = {{"0", .does = "return to the tour's step and settings", .asks = INPUT_RETURN}}},
    {.help = "Picture"},
    {"z Z", "fit the window, zoom in (wheel, drag)", .once = app_fit,
     .keys = {{"z", .does = "fit the picture into the window"},
              {"Z", .does = "zoom in (wheel)", .asks = INPUT_ZOOM}},
     .also = "reset enlarge pixels"},
    {"n N", "next, previous picture, or array of a lab", app_step_picture,
     .keys = {{"n", 1, .does = "next picture, or array of a lab"},
              {"N", -1, .does = "previous picture, or array of a lab"}},
     .also = "image input output"},
    {"Ctrl+0", "all of a large picture, or a reduced copy",
     .keys = {{"Ctrl+0", .asks = INPUT_EXTENT}},
     .also = "whole full resolution size smaller faster"},
    {"s", "screenshot, with its settings and times", .keys = {{"s", .asks = INPUT_SCREENSHOT}},
     .also = "save png image"},
    {"S", "comparison sheet of all variants", .keys = {{"S", .asks = INPUT_SHEET}},
     .also = "save png image slide"},
    {"Ctrl+C", "copy the window, and the panel's table", .keys = {{"Ctrl+C", .asks = INPUT_COPY}},
     .also = "clipboard csv spreadsheet export"},
    {"space", "freeze; in a tour: go on", .keys = {{"space", .asks = INPUT_GO_ON}},
     .unless = app_freeze, SWITCH("frozen", is_frozen), .also = "pause stop continue"},
    {"r", "reload the kernels", .keys = {{"r", .asks = INPUT_RELOAD}},
     .also = "compile again files"},
    {.help = "Screen"},
    {"i", "path: interop or staged", .keys = {{.name = "i"}}, SWITCH("staged", is_staged),
     .also = "OpenGL copy host zero"},
    {"v", "vsync", .keys = {{.name = "v"}}, SWITCH("vsync", has_vsync), .also = "frames rate fps"},
    {"o", "overlay", .keys = {{.name = "o"}}, SWITCH("bare", is_bare), .also = "hide bands panels"},
    {"+ -", "larger, smaller text; the pace while the lens plays", app_scale_text,
     .keys = {{"+", 1, .does = "larger text"}, {"=", .arg = 1}, {"-", -1, .does = "smaller text"}},
     .also = "font size scale"},
    {"k", "dark or light", .keys = {{.name = "k"}}, SWITCH("light", is_light),
     .also = "theme colours black white"},
    {"F11", "full screen", .keys = {{.name = "F11"}}, SWITCH("fullscreen", is_fullscreen),
     .also = "maximize"},
    {"h F1", "this help, its next page", .once = app_turn_help,
     .keys = {{"h", .does = "help: all keys"}, {.name = "F1"}}, SWITCH("help", has_help),
     .also = "shortcuts manual"},
    {"Esc", "close, leave full screen; twice: quit", .keys = {{"Esc", .asks = INPUT_QUIT}},
     .unless = app_close},
    {"q", "quit", .keys = {{"q", .asks = INPUT_QUIT}}, .also = "exit leave end"},
};

static const struct row *find(const char *key, int *index)
{
    *index = 0;
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
    // A view that is open behind the lens is shown again, and not closed.
    const bool was_covered = row->is_covered && app_is_covered(a);
    if (was_covered) a->has_full_lens = false;
    if (was_covered && *switch_of(row, a)) return INPUT_NOTHING;
    if (row->act)
        row->act(a, row->keys[key].arg);
    else if (row->once)
        row->once(a);
    else
        *switch_of(row, a) ^= true;
    return INPUT_NOTHING;
}

// ---- the palette ----

struct palette input_palette(const struct app *a)
{
    struct palette p = {.rows = NULL};
    palette_add_first(&p, a);
    if (a->menu == APP_MENU_ALL) {
        // Each key that does something else is a row. A row's group is the title above it.
        const char *group = "";
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
            const struct row *r = &rows[i];
            if (r->help && !r->shown) group = r->help;
            for (int k = 0; k < MAX_KEYS && r->keys[k].name; k++) {
                const char *name = r->keys[k].does ? r->keys[k].does : r->help;
                if (k > 0 && !r->keys[k].does) continue;  // it does what the first one does
                struct palette_row row = {.kind = PALETTE_ACTION,
                                          .name = g_strdup(name),
                                          .group = g_strdup(group),
                                          .also = r->also};
                g_strlcpy(row.key, r->keys[k].name, sizeof row.key);
                palette_add(&p, row);
            }
        }
    }
    palette_add_last(&p, a);
    palette_match(&p, a->typed);
    return p;
}

static enum input_request choose(struct app *a, const struct palette_row *chosen)
{
    int key;
    const struct row *action;
    a->chosen = chosen->index;
    switch (chosen->kind) {
    case PALETTE_FILTER:
        a->sides[a->side].filter = chosen->filter;
        break;
    case PALETTE_VARIANT:
        a->sides[a->side].filter = chosen->filter;
        app_choose_variant(a, chosen->index);
        break;
    case PALETTE_PARAM:
        app_choose_param(a, chosen->index);
        *a->note = '\0';
        palette_open_value(a);
        break;
    case PALETTE_ACTION:
        action = find(chosen->key, &key);
        return press_row(a, action, key);
    case PALETTE_MACHINE:
        app_show_machine(a);
        break;
    case PALETTE_TOUR:
        return INPUT_TOUR;
    case PALETTE_STEP:
        return INPUT_GO_TO;
    }
    return INPUT_NOTHING;
}

// False: nothing is open that takes the key.
static bool press_open(struct app *a, const char *key, enum input_request *asked)
{
    int chosen;
    if (a->menu == APP_MENU_NONE) return false;
    if (a->menu == APP_MENU_VALUE) {
        palette_press_value(a, key);
        return true;
    }
    OWNED(palette_finish) struct palette p = input_palette(a);
    const bool is_taken = palette_press(a, &p, key, &chosen);
    if (chosen >= 0) *asked = choose(a, &p.rows[chosen]);
    return is_taken;
}

// ---- presses ----

bool input_press(struct app *a, const char *key, enum input_request *asked)
{
    int index;
    const struct app_mark before = app_mark(a);
    const bool was_leaving = a->is_leaving;
    const struct row *row = find(key, &index);
    const int filter = row ? -1 : filter_of_key(a->filters, key);
    *asked = INPUT_NOTHING;
    a->is_used = true;
    const bool is_typed = press_open(a, key, asked);
    if (!is_typed && row) *asked = press_row(a, row, index);
    if (!is_typed && filter >= 0) a->sides[a->side].filter = filter;
    if (was_leaving) a->is_leaving = false;  // only the next key can be the second Esc
    app_record(a, &before);
    return is_typed || row || filter >= 0;
}

bool input_is_key(const char *key, const struct filter_list *filters)
{
    int index;
    return find(key, &index) || (filters && filter_of_key(filters, key) >= 0);
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
                         filter_kind(f), f->name);
    return error_set(err, "%s:1: key %s is %s %s's: %s %s has none", f->path, key,
                     filter_kind(*first), (*first)->name, filter_kind(f), f->name);
}

bool input_settle_keys(struct filter_list *filters, struct error *err)
{
    const struct filter *by_first[UCHAR_MAX + 1] = {NULL};
    g_autofree char *ours = data_path("kernels");
    int lost = 0;
    for (int is_later = 0; is_later < 2; is_later++)
        for (int i = 0; i < filters->count; i++) {
            struct filter *f = &filters->filters[i];
            // First those of whose name the program has a file: this one, or a copy's original.
            g_autofree char *name = g_path_get_basename(f->path);
            g_autofree char *folder = g_strconcat(filter_kind(f), "s", NULL);
            g_autofree char *path = g_build_filename(ours, folder, name, NULL);
            if (g_file_test(path, G_FILE_TEST_EXISTS) == (is_later == 0))
                lost += !settle_key(f, by_first, lost ? NULL : err);
        }
    if (lost > 1 && err) {
        g_autofree char *first = g_strdup(err->text);
        error_set(err, "%s, nor have %d more files", first, lost - 1);
    }
    return !lost;
}

char **input_script(const char *text, const struct filter_list *filters, struct error *err)
{
    g_autofree char *words = g_strstrip(g_strdup(text));
    g_auto(GStrv) keys = g_regex_split_simple("\\s+", words, G_REGEX_RAW, 0);
    char **key = keys;
    while (*key && input_is_key(*key, filters)) key++;
    if (!*key) return g_steal_pointer(&keys);
    error_set(err, "unknown key '%s'; tilescope --help lists them", *key);
    return NULL;
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
        if (!has_title) add_row(help, NULL, "Filters and labs");
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
        g_autofree char *help = g_strdup_printf("%s %s", f->title, filter_kind(f));
        if (f->key) add_help(text, (const char[]){f->key, '\0'}, help);
    }
    return g_string_free(text, FALSE);
}
