// The key table: every key does something, none means two things, and help knows them all.
#include "unit.h"

#include "app/input.h"
#include "texts.h"

static int load(void **state)
{
    static const char *const files[][2] = {
        {"kernels/invert.cu", "//! filter \"Invert\" key e\n" NAIVE},
        {"kernels/mean.cu",
         "//! filter \"Mean\" key m\n//! param radius 20 [0, 64]\n" NAIVE ANOTHER("texture")
             ANOTHER("shared")}};
    return parse_filters(&filters, files, G_N_ELEMENTS(files));
}

static struct app ready(void)
{
    struct app a;
    app_init(&a, &filters, 3);
    a.sides[0].filter = 1;
    a.sides[0].choices[1].variant = 1;
    a.viewport.zoom = 2;
    return a;
}

static enum input_request asked;

static bool press(struct app *a, const char *key)
{
    return input_press(a, key, &asked);
}

// Everything of the state that a key may change, padding left out, and what was asked for.
static char *state_of(struct app *a)
{
    const struct settings *s = app_settings(a);
    return g_strdup_printf("%d %d %g %dx%d %d %d %d %d %d %d %d %g %d %d %s "
                           "| %d %d %d | %d %d %d %d %d %d %d %d | %d %d %g",
                           a->sides[a->side].filter, app_side_choice(a, a->side)->variant,
                           s->params.v[0], s->block_width, s->block_height, s->is_unrolled,
                           a->picture, a->is_staged, a->has_vsync, a->is_frozen, a->is_bare,
                           a->is_light, a->text_scale, asked, a->has_help, a->note, a->is_comparing,
                           a->side, a->has_difference, a->has_bars, a->has_sweep, a->has_roof,
                           a->has_heat, a->has_grid, a->has_source, a->has_lens, app_sharing(a),
                           a->menu, a->is_fullscreen, a->viewport.zoom);
}

TEST(every_key_reaches_an_action)
{
    int count = 0;
    for (const char *key; (key = input_key(count)); count++) {
        struct app a = ready();
        if (!strcmp(key, "2")) a.sides[0].choices[1].variant = 0;
        asked = INPUT_NOTHING;
        g_autofree char *before = state_of(&a);
        assert_true(input_is_key(key, NULL));
        assert_true(press(&a, key));
        g_autofree char *after = state_of(&a);
        if (!strcmp(before, after)) fail_msg("key %s changes nothing: %s", key, after);
    }
    assert_true(count > 50);
}

TEST(a_key_is_the_first)
{
    struct app a = ready();
    assert_false(a.is_used);
    assert_true(press(&a, "h") && a.is_used);
}

TEST(help_has_pages)
{
    struct app a = ready();
    a.help_pages = 2;
    for (int i = 0; i < 2; i++) {
        assert_true(press(&a, "h") && a.has_help && a.help_page == 0);
        assert_true(press(&a, "h") && a.has_help && a.help_page == 1);
        assert_true(press(&a, i ? "Esc" : "h") && !a.has_help);
    }
    assert_true(press(&a, "h") && a.help_page == 0);
}

TEST(esc_asks_once)
{
    struct app a = ready();
    assert_true(press(&a, "Esc") && asked == INPUT_NOTHING);
    assert_string_equal(a.note, "Esc again to quit");
    press(&a, "Up");  // anything else means no
    assert_true(press(&a, "Esc") && asked == INPUT_NOTHING);
    press(&a, "e");  // a filter's key, too
    assert_true(press(&a, "Esc") && asked == INPUT_NOTHING);
    assert_false(press(&a, "Home"));  // and one that means nothing
    assert_true(press(&a, "Esc") && asked == INPUT_NOTHING);
    assert_true(press(&a, "Esc") && asked == INPUT_QUIT);
}

TEST(esc_never_ends_a_tour)
{
    struct app a = ready();
    press(&a, "Esc");
    a.has_tour = a.has_bars = true;
    for (int i = 0; i < 3; i++) assert_true(press(&a, "Esc") && asked == INPUT_NOTHING);
    assert_false(a.has_bars);
    assert_true(press(&a, "q") && asked == INPUT_QUIT);
}

TEST(what_keys_ask_for)
{
    static const struct {
        const char *key;
        enum input_request asks;
    } rows[] = {{"s", INPUT_SCREENSHOT}, {"S", INPUT_SHEET},   {"r", INPUT_RELOAD},
                {"Return", INPUT_BEST},  {"Z", INPUT_ZOOM},    {"z", INPUT_NOTHING},
                {"Esc", INPUT_NOTHING},  {"q", INPUT_QUIT},    {"space", INPUT_NOTHING},
                {"e", INPUT_NOTHING},    {"_", INPUT_NOTHING}, {"I", INPUT_STEP_BACK},
                {"O", INPUT_STEP},       {"0", INPUT_RETURN},  {"Ctrl+0", INPUT_EXTENT}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct app a = ready();
        press(&a, rows[i].key);
        if (asked != rows[i].asks) fail_msg("%s asks for %d", rows[i].key, asked);
    }
    struct app a = ready();
    a.has_tour = true;
    press(&a, "space");
    assert_true(asked == INPUT_GO_ON && !a.is_frozen);
}

// Whatever is open, and whatever can be opened over that. Only where something is typed, a
// q is a letter of it.
TEST(q_quits_from_everywhere)
{
    for (int i = 0; input_key(i); i++)
        for (int k = 0; input_key(k); k++) {
            struct app a = ready();
            a.has_tour = true;
            a.tour_steps = 3;
            press(&a, input_key(i));
            press(&a, input_key(k));
            const bool is_typed = a.menu != APP_MENU_NONE;
            assert_true(press(&a, "q"));
            if ((asked == INPUT_QUIT) == is_typed)
                fail_msg("%s %s q asks for %d", input_key(i), input_key(k), asked);
            if (is_typed) assert_string_equal(a.typed + strlen(a.typed) - 1, "q");
        }
}

// Every switch is one bool of its own, and the names are those of the files that there are.
TEST(switches_have_names)
{
    static const char *const names[] = {
        "bars",    "sweep",           "roofline",     "heat",          "grid",      "source",
        "changes", "machine",         "lens",         "lens_full",     "playing",   "whole",
        "whole_b", "sector_requests", "sector_warps", "sector_blocks", "comparing", "difference",
        "frozen",  "staged",          "vsync",        "bare",          "light",     "fullscreen",
        "help"};
    struct app a = ready();
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_string_equal(input_switch_name((int)i), names[i]);
        bool *on = input_switch(&a, names[i]);
        assert_non_null(on);
        assert_false(*on);
        *on = true;
    }
    assert_null(input_switch_name(G_N_ELEMENTS(names)));
    assert_true(a.has_bars && a.has_sweep && a.has_roof && a.has_heat && a.has_grid &&
                a.has_source && a.has_changes && a.has_machine && a.has_lens &&
                a.has_whole[APP_A] && a.has_whole[APP_B] && a.has_sharing[0] && a.has_sharing[1] &&
                a.has_sharing[2] && a.is_comparing && a.has_difference && a.is_frozen &&
                a.is_staged && a.has_vsync && a.is_bare && a.is_light && a.is_fullscreen &&
                a.has_help);
    assert_null(input_switch(&a, "radius"));
    assert_null(input_switch(&a, ""));
}

TEST(other_keys_mean_nothing)
{
    static const char *const none[] = {"",      "_",    "10",    "12", "up",   "UP",
                                       "Shift", "F2",   " ",     "ff", "left", "e2",
                                       "mean",  "Esc ", "Space", "↑",  "Q"};
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++) {
        struct app a = ready();
        asked = INPUT_NOTHING;
        g_autofree char *before = state_of(&a);
        assert_false(input_is_key(none[i], &filters));
        assert_false(press(&a, none[i]));
        g_autofree char *after = state_of(&a);
        assert_string_equal(before, after);
    }
}

TEST(filters_have_keys)
{
    struct app a = ready();
    assert_false(input_is_key("e", NULL));
    assert_true(input_is_key("e", &filters));
    assert_true(press(&a, "e"));
    assert_int_equal(a.sides[0].filter, 0);
    assert_true(press(&a, "m"));
    assert_int_equal(a.sides[0].filter, 1);
    assert_int_equal(a.sides[0].choices[1].variant, 1);
    assert_false(press(&a, "_"));
}

// There is no room for the choices of more; their keys must not reach beyond it.
TEST(more_filters_than_there_is_room_for)
{
    enum { COUNT = APP_MAX_FILTERS + 3 };
    g_autofree struct filter *many = g_new(struct filter, COUNT);
    for (int i = 0; i < COUNT; i++) {
        many[i] = filters.filters[1];
        many[i].key = 0;
    }
    many[APP_MAX_FILTERS - 1].key = 'Q';
    many[APP_MAX_FILTERS].key = '_';
    const struct filter_list list = {many, COUNT};
    struct app a;
    app_init(&a, &list, 1);
    assert_true(press(&a, "Q"));
    assert_int_equal(a.sides[0].filter, APP_MAX_FILTERS - 1);
    assert_false(press(&a, "_"));
    assert_false(input_is_key("_", &list));
    assert_int_equal(a.sides[0].filter, APP_MAX_FILTERS - 1);
}

// ---- conflicts ----

static void assert_keys(char first, char second, const char *left, const char *message)
{
    struct filter two[] = {filters.filters[0], filters.filters[1]};
    two[0].key = first;
    two[1].key = second;
    struct filter_list list = {two, 2};
    err.text[0] = '\0';
    assert_int_equal(input_settle_keys(&list, &err), !message);
    assert_string_equal(err.text, message ? message : "");
    const char kept[] = {two[0].key ? two[0].key : '-', two[1].key ? two[1].key : '-', '\0'};
    assert_string_equal(kept, left);
}

TEST(a_key_is_one_filters)
{
    assert_keys('e', 'm', "em", NULL);
    assert_keys(0, 0, "--", NULL);
    assert_keys('m', 'Q', "mQ", NULL);
    assert_keys('_', 0, "_-", NULL);
    assert_keys('e', 'e', "e-",
                "kernels/mean.cu:1: key e is filter invert's: filter mean has none");
    for (int i = 0; input_key(i); i++) {
        const char *key = input_key(i);
        if (key[1]) continue;
        char message[100];
        g_snprintf(message, sizeof message,
                   "kernels/invert.cu:1: key %c is the viewer's own: filter invert has none",
                   key[0]);
        assert_keys(key[0], 'm', "-m", message);
    }
}

// Files of the user's own give way, though they come before in the list.
TEST(what_comes_with_the_program_keeps_its_key)
{
    struct filter labs[] = {filters.filters[0], filters.filters[0], filters.filters[0],
                            filters.filters[0]};
    const char *const names[] = {"a_copy", "my", "transpose", "your"};
    char *const paths[] = {"d/labs/a_copy.cu", "d/labs/my.cu", "d/labs/transpose.cu",
                           "d/labs/your.cu"};
    for (int i = 0; i < 4; i++) {
        g_strlcpy(labs[i].name, names[i], sizeof labs[i].name);
        labs[i].path = paths[i];
        labs[i].arrays[ARRAYS_IN].extent = ARRAY_EXPRESSED;  // a lab
        labs[i].key = 'T';
    }
    struct filter_list list = {labs, 3};
    assert_false(input_settle_keys(&(struct filter_list){labs + 1, 2}, &err));
    assert_string_equal(err.text, "d/labs/my.cu:1: key T is lab transpose's: lab my has none");
    assert_true(labs[2].key == 'T' && !labs[1].key);
    labs[1].key = 'T';
    list.count = 4;
    assert_false(input_settle_keys(&list, &err));
    assert_string_equal(err.text, "d/labs/a_copy.cu:1: key T is lab transpose's: lab a_copy has "
                                  "none, nor have 2 more files");
    assert_true(labs[2].key == 'T' && !labs[0].key && !labs[1].key && !labs[3].key);
    assert_true(input_settle_keys(&list, &err));
}

TEST(the_trees_filters_have_no_conflict)
{
    OWNED(filter_list_finish) struct filter_list list;
    assert_true(filter_list_load(&list, TILESCOPE_KERNELS, NULL, NULL));
    must(input_settle_keys(&list, &err));
}

// ---- scripts ----

static void assert_script(const char *text, const char *joined)
{
    g_auto(GStrv) script = input_script(text, &filters, &err);
    must(script);
    g_autofree char *again = g_strjoinv(",", script);
    assert_string_equal(again, joined);
}

static void assert_no_script(const char *text, const char *message)
{
    err.text[0] = '\0';
    assert_null(input_script(text, &filters, &err));
    assert_string_equal(err.text, message);
    assert_null(input_script(text, &filters, NULL));
}

TEST(scripts)
{
    assert_script("3 Up Up s q", "3,Up,Up,s,q");
    assert_script("", "");
    assert_script("  \t\n ", "");
    assert_script("  space   e\tm\nPgDn  ", "space,e,m,PgDn");
    assert_no_script("3 Up up q", "unknown key 'up'; tilescope --help lists them");
    assert_no_script("  Q 1  2 ", "unknown key 'Q'; tilescope --help lists them");
    assert_no_script("1 2 3 \xc3\xa9", "unknown key '\xc3\xa9'; tilescope --help lists them");
    assert_no_script("3,Up", "unknown key '3,Up'; tilescope --help lists them");
    assert_null(input_script("e", NULL, &err));
}

// ---- help ----

// The keys that the help shows, each once. The caller frees the set.
static GHashTable *find_shown(void)
{
    struct input_help help;
    GHashTable *shown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    input_help(&help, &filters);
    for (int i = 0; i < help.count; i++) {
        g_auto(GStrv) keys = g_strsplit(help.rows[i].keys ? help.rows[i].keys : "", " ", -1);
        for (char **key = keys; *key; key++)
            if (**key && !g_hash_table_add(shown, g_strdup(*key))) fail_msg("%s twice", *key);
    }
    return shown;
}

TEST(help_shows_every_key_once)
{
    static const char *const arrows[][2] = {
        {"Left", "←"}, {"Right", "→"}, {"Up", "↑"}, {"Down", "↓"}};
    g_autoptr(GHashTable) shown = find_shown();
    for (int i = 0; input_key(i); i++) {
        const char *key = input_key(i);
        for (int k = 0; k < i; k++) assert_string_not_equal(key, input_key(k));
        for (size_t k = 0; k < G_N_ELEMENTS(arrows); k++)
            if (!strcmp(key, arrows[k][0])) key = arrows[k][1];
        // "1 … 9" shows those between, and + is = without a shift.
        if (!strchr("2345678=", *key) && !g_hash_table_contains(shown, key))
            fail_msg("%s is not in the help", key);
    }
}

TEST(help_rows)
{
    struct input_help help;
    input_help(&help, &filters);
    const struct overlay_help *rows = help.rows;
    const int count = help.count;
    g_autofree char *text = input_help_text(&filters);
    assert_non_null(strstr(text, "the block's width"));
    assert_in_range(count, 20, G_N_ELEMENTS(help.rows));
    assert_null(rows[0].keys);  // begins with a section
    int sections = 0, lines = 0;
    for (int i = 0; i < count; i++) {
        assert_true(rows[i].text[0]);
        sections += !rows[i].keys;
        if (!rows[i].keys && i > 0) assert_non_null(rows[i - 1].keys);  // none is empty
        if (rows[i].keys) assert_non_null(strstr(text, rows[i].text));
    }
    assert_non_null(rows[count - 1].keys);
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    assert_int_equal(lines, count - sections);
    for (int i = 0; i < filters.count; i++) {  // each has the last rows
        const struct overlay_help *row = &rows[count - filters.count + i];
        assert_true(row->keys[0] == filters.filters[i].key && !row->keys[1]);
        assert_string_equal(row->text, filters.filters[i].title);
    }

    // One column: every help text starts at the same place.
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);
    for (int i = 0, line = 0; i < count; i++) {
        if (!rows[i].keys) continue;
        const char *at = strstr(all[line], rows[i].text);
        assert_non_null(at);
        assert_int_equal(g_utf8_strlen(all[line], at - all[line]), 14);
        line++;
    }
}

// The keys that the table of docs/keys.md names in backticks. The caller frees the set.
static GHashTable *read_keys_of_page(void)
{
    g_autofree char *page = NULL;
    GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    assert_true(g_file_get_contents(TILESCOPE_SOURCE_DIR "/docs/keys.md", &page, NULL, NULL));
    const char *table = strstr(page, "| keys |");
    assert_non_null(table);
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    for (char **line = lines + 2; **line == '|'; line++) {
        g_auto(GStrv) cells = g_strsplit(*line, "|", 3), words = g_strsplit(cells[1], "`", -1);
        for (int i = 1; words[0] && words[i - 1] && words[i]; i += 2)
            g_hash_table_add(keys, g_strdup(words[i]));
    }
    return keys;
}

// The page has the keys of the help and no others; of filters and labs it says more elsewhere.
TEST(the_page_names_all_keys)
{
    g_autoptr(GHashTable) keys = read_keys_of_page(), shown = find_shown();
    GHashTableIter iter;
    for (int i = 0; i < filters.count; i++)
        assert_true(g_hash_table_add(keys, g_strdup((const char[]){filters.filters[i].key, '\0'})));
    g_hash_table_add(keys, g_strdup("…"));
    g_hash_table_iter_init(&iter, keys);
    for (gpointer key; g_hash_table_iter_next(&iter, &key, NULL);)
        if (!g_hash_table_remove(shown, key)) fail_msg("%s is not in the help", (char *)key);
    g_hash_table_iter_init(&iter, shown);
    for (gpointer key; g_hash_table_iter_next(&iter, &key, NULL);)
        fail_msg("%s is not in docs/keys.md", (char *)key);
}

SUITE("input", load, NULL)
