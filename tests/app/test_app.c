// What keys and actions do to the state, at its limits too, and what a reload keeps.
#include "unit.h"

#include <stdlib.h>

#include "app/input.h"
#include "filter/axis.h"

// "mean radius=3:0:64 c=5:-128:127 naive shared": a filter in few words. A param whose name begins
// with f_ is a float; the names of values follow its limits, as in axis=0:0:1:x/y. A variant whose
// name begins with fixed is written for its block.
static struct filter made(const char *words)
{
    struct filter f = {0};
    arrays_add_pictures(&f);
    g_auto(GStrv) all = g_strsplit(words, " ", -1);
    g_strlcpy(f.name, all[0], sizeof f.name);
    for (char **word = all + 1; *word; word++) {
        char *equals = strchr(*word, '=');
        if (equals) {
            struct param *p = &f.params[f.param_count++];
            *equals = '\0';
            g_strlcpy(p->name, *word, sizeof p->name);
            p->is_float = g_str_has_prefix(*word, "f_");
            g_auto(GStrv) parts = g_strsplit(equals + 1, ":", 4);
            p->value = g_ascii_strtod(parts[0], NULL);
            p->min = g_ascii_strtod(parts[1], NULL);
            p->max = g_ascii_strtod(parts[2], NULL);
            p->step = 1;
            g_auto(GStrv) names = g_strsplit(parts[3] ? parts[3] : "", "/", -1);
            for (char **name = names; *name; name++)
                g_strlcpy(p->names[p->name_count++], *name, sizeof p->names[0]);
            continue;
        }
        struct variant *v = &f.variants[f.variant_count++];
        g_strlcpy(v->name, *word, sizeof v->name);
        v->pass_count = 1;
        v->passes[0] = (struct pass){.block_width = 32,
                                     .block_height = 8,
                                     .each_x = 1,
                                     .each_y = 1,
                                     .multiple_of = 1,
                                     .is_fixed = g_str_has_prefix(*word, "fixed")};
    }
    return f;
}

// A list that is made of a line for each filter.
struct files {
    struct filter filters[8];
    struct filter_list list;
};

static void make_files(struct files *files, const char *lines)
{
    g_auto(GStrv) all = g_strsplit(lines, "\n", -1);
    memset(files, 0, sizeof *files);
    files->list = (struct filter_list){files->filters, (int)g_strv_length(all)};
    for (int i = 0; all[i]; i++) files->filters[i] = made(all[i]);
}

// The state of each test, which begins anew.
static struct app state_of_test;
static struct app *const a = &state_of_test;
static struct files first;
enum { GAUSSIAN, INVERT, MEAN, FLIP, THRESHOLD, MATVEC, BOXED };

static int set_up(void **state)
{
    make_files(&first, "gaussian radius=4:0:64 f_sigma=1.5:0:12 naive shared\n"
                       "invert naive vector\n"
                       "mean radius=3:2:64 naive texture shared\n"
                       "flip radius=1:0:2 axis=0:0:2:x/y/both c=5:-128:127 naive\n"
                       "threshold radius=3:0:64 c=5:-128:127 naive\n"
                       "matvec f_scale=1:0:2 rows=64:1:32768 kind=0:0:1:x/y m=8:2:64 naive shared\n"
                       "boxed naive fixed");
    app_init(a, &first.list, 3);
    return 0;
}

// "mean shared 60 8x4 unroll": what is chosen on the side that keys act on, with "@c" for another
// axis than the filter's own, and what is open. Valid until the next one.
static const char *told(void)
{
    static char text[300];
    const struct settings *s = app_settings(a);
    const struct filter *f = app_filter(a);
    const int axis = app_axis(a, a->side);
    const struct {
        bool is_on;
        const char *word;
    } switches[] = {{s->is_unrolled, "unroll"},
                    {a->has_sweep, "sweep"},
                    {a->has_roof, "roof"},
                    {a->has_source, "source"},
                    {a->has_changes, "changes"},
                    {a->has_machine, "machine"},
                    {a->is_comparing, a->side ? "B" : "A"},
                    {a->has_difference, "difference"},
                    {a->has_lens, "lens"},
                    {app_is_covered(a), "full"},
                    {a->has_bars, "bars"},
                    {a->has_help, "help"},
                    {a->is_staged, "staged"},
                    {a->has_vsync, "vsync"},
                    {a->is_bare, "bare"},
                    {a->is_light, "light"},
                    {a->is_frozen, "frozen"}};
    g_autoptr(GString) all = g_string_new(NULL);
    g_string_append_printf(all, "%s %s", f->name, app_variant(a)->name);
    for (int i = 0; i < f->param_count; i++) g_string_append_printf(all, " %g", s->params.v[i]);
    if (s->block_width) g_string_append_printf(all, " %dx%d", s->block_width, s->block_height);
    if (axis != axis_find(f, NULL)) g_string_append_printf(all, " @%s", f->params[axis].name);
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++)
        if (switches[i].is_on) g_string_append_printf(all, " %s", switches[i].word);
    g_strlcpy(text, all->str, sizeof text);
    return text;
}

// Presses keys as the viewer does; "Up*3" is pressed three times. The note is the last key's.
static void press(const char *keys)
{
    g_auto(GStrv) all = g_strsplit(keys, " ", -1);
    enum input_request asked;
    for (char **key = all; *key && **key; key++) {
        char *times = strchr(*key, '*');
        int count = times ? atoi(times + 1) : 1;
        if (times) *times = '\0';
        while (count-- > 0) {
            memset(a->note, 0, sizeof a->note);
            assert_true(input_press(a, *key, &asked));
        }
    }
}

// A note that ends with * is how it begins; NULL: any.
static void assert_note(const char *note)
{
    if (note && g_str_has_suffix(note, "*"))
        assert_true(!strncmp(a->note, note, strlen(note) - 1));
    else if (note)
        assert_string_equal(a->note, note);
}

#define IN_WORLD(name) TEST_WITH(name, set_up, NULL)

IN_WORLD(what_keys_do)
{
    static const struct {
        int filter;
        const char *keys, *told, *note;
    } rows[] = {
        {GAUSSIAN, "", "gaussian naive 4 1.5", ""},
        // variants
        {MEAN, "3", "mean shared 3", ""},
        {MEAN, "3 4", "mean shared 3", "mean has 3 variants"},
        {MEAN, "3 Right", "mean naive 3", ""},
        {MEAN, "Left*8", "mean texture 3", ""},
        // filters go round, and remember
        {GAUSSIAN, "2 Up*5 ] u F", "boxed naive", ""},
        {GAUSSIAN, "2 Up*5 ] u F ] f", "gaussian shared 9 1.5 64x8 unroll", ""},
        {GAUSSIAN, "F ] f F*701", "boxed naive 64x8", ""},
        // an axis goes by ones, within its limits, or by doubling
        {MEAN, "Down", "mean naive 2", ""},
        {MEAN, "Down*2", "mean naive 2", ""},
        {MEAN, "PgDn", "mean naive 2", ""},
        {MEAN, "PgDn PgUp", "mean naive 10", ""},
        {MEAN, "PgDn PgUp*8", "mean naive 64", ""},
        {MEAN, "PgUp*8 Up", "mean naive 64", ""},
        {MEAN, "PgUp*8 PgDn", "mean naive 56", ""},
        {MATVEC, "Up", "matvec naive 1 128 0 8", ""},
        {MATVEC, "Up PgUp", "matvec naive 1 1024 0 8", ""},
        {MATVEC, "Up PgUp Down", "matvec naive 1 512 0 8", ""},
        {MATVEC, "Up PgUp Down PgUp*9", "matvec naive 1 32768 0 8", ""},
        {MATVEC, "PgUp*9 PgDn*9", "matvec naive 1 1 0 8", ""},
        // other params: floats by a 256th, names go round, and the filter's own axis is none of
        // them
        {GAUSSIAN, ">", "gaussian naive 4 1.54688", NULL},
        {GAUSSIAN, "> <*300", "gaussian naive 4 0", NULL},
        {FLIP, "<", "flip naive 1 2 5", "axis both*"},
        {FLIP, "< >", "flip naive 1 0 5", "axis x*"},
        {FLIP, "< > . >", "flip naive 1 0 6 @c", NULL},
        {FLIP, "< > . >*200", "flip naive 1 0 127 @c", NULL},
        // what is chosen becomes the axis, if it can be; each filter has its own
        {THRESHOLD, ">", "threshold naive 3 6", NULL},
        {THRESHOLD, "> .", "threshold naive 3 6 @c", "c 6*"},
        {THRESHOLD, "> . PgUp", "threshold naive 3 14 @c", NULL},
        {THRESHOLD, "> . PgUp >", "threshold naive 3 15 @c", NULL},
        {THRESHOLD, "> . PgUp > .", "threshold naive 3 15", NULL},
        {THRESHOLD, "> . PgUp > . Down", "threshold naive 2 15", NULL},
        {THRESHOLD, "> . PgUp > . Down ,", "threshold naive 2 15 @c", NULL},
        {THRESHOLD, ". f", "matvec naive 1 64 0 8", NULL},
        {THRESHOLD, ". f F", "threshold naive 3 5 @c", NULL},
        {MATVEC, ".", "matvec naive 1 64 0 8",
         "rows 64*"},  // from scale, with which the list begins
        {MATVEC, ". .", "matvec naive 1 64 0 8", "kind x*"},
        {MATVEC, ". . > Up", "matvec naive 1 128 1 8", NULL},
        {MATVEC, ". . > Up .", "matvec naive 1 128 1 8 @m", NULL},
        {MATVEC, ". . > Up . Up", "matvec naive 1 128 1 9 @m", NULL},
        {MATVEC, ". . > Up . Up . >", "matvec naive 1.00781 128 1 9 @m", NULL},
        // blocks
        {GAUSSIAN, "]", "gaussian naive 4 1.5 64x8", ""},
        {GAUSSIAN, "]*10", "gaussian naive 4 1.5 1024x8", ""},
        {GAUSSIAN, "]*10 }*9", "gaussian naive 4 1.5 1024x1024", ""},
        {GAUSSIAN, "]*10 }*9 [*12", "gaussian naive 4 1.5 1x1024", ""},
        {GAUSSIAN, "]*10 }*9 [*12 {*12", "gaussian naive 4 1.5 1x1", ""},
        {GAUSSIAN, "]*10 }*9 [*12 {*12 }", "gaussian naive 4 1.5 1x2", ""},
        {GAUSSIAN, "] f", "invert naive", ""},
        {GAUSSIAN, "[ {", "gaussian naive 4 1.5 16x4", ""},
        {GAUSSIAN, "b", "gaussian naive 4 1.5 16x16", ""},
        {GAUSSIAN, "b B", "gaussian naive 4 1.5 32x8", ""},
        {BOXED, "] 2", "boxed fixed", ""},
        {BOXED, "] 2 ]", "boxed fixed", "fixed is written for blocks of 32×8"},
        {BOXED, "] 2 2 Right", "boxed naive 64x8", ""},  // once more: nothing is forgotten
        // undo goes back change by change; the text's size is none
        {GAUSSIAN, "Up f 2 + Backspace", "invert naive", ""},
        {GAUSSIAN, "Up f 2 + Backspace*2", "gaussian naive 5 1.5", ""},
        {GAUSSIAN, "Up f 2 + Backspace*3", "gaussian naive 4 1.5", ""},
        {GAUSSIAN, "Up f 2 + Backspace*4", "gaussian naive 4 1.5", "nothing to undo"},
        {GAUSSIAN, "Right*67 Backspace*64", "gaussian shared 4 1.5", ""},  // it remembers so many
        {GAUSSIAN, "Right*67 Backspace*65", "gaussian shared 4 1.5", "nothing to undo"},
        // B begins as A; closed, the one that keys acted on stays, and the other one is kept
        {GAUSSIAN, "Up*3 c", "gaussian naive 7 1.5 B", ""},
        {GAUSSIAN, "Up*3 c 2 x", "gaussian naive 7 1.5 A", ""},
        {GAUSSIAN, "d", "gaussian naive 4 1.5 B difference", ""},
        {GAUSSIAN, "c 2 d c", "gaussian shared 4 1.5", ""},
        {GAUSSIAN, "c 2 d c c", "gaussian naive 4 1.5 B", ""},
        // roofline and sweep stand in one place
        {MEAN, "Y", "mean naive 3 roof", ""},
        {MEAN, "Y p", "mean naive 3 sweep", "the sweep takes the roofline's place"},
        {MEAN, "Y p Y", "mean naive 3 roof", "the roofline takes the sweep's place"},
        {MEAN, "Y Y p", "mean naive 3 sweep", ""},
        // the source has four states, and the lens is closed before it
        {MEAN, "E M Esc", "mean naive 3 source", ""},
        {MEAN, "E M Esc Esc", "mean naive 3", ""},
        {MEAN, "E", "mean naive 3 source", ""},
        {MEAN, "E E", "mean naive 3 source changes", ""},
        {MEAN, "E E E", "mean naive 3 source machine", ""},
        {MEAN, "E E E E", "mean naive 3", ""},
        {MEAN, "E E E Esc", "mean naive 3", ""},
        {MEAN, "E E Esc", "mean naive 3", ""},
        // the lens has three states, and what it hides comes back
        {MEAN, "M", "mean naive 3 lens", ""},
        {MEAN, "M M", "mean naive 3 lens full", ""},
        {MEAN, "M M M", "mean naive 3", ""},
        {MEAN, "M M Esc", "mean naive 3 lens", ""},
        {MEAN, "M M Esc Esc", "mean naive 3", ""},
        {MEAN, "l M M", "mean naive 3 lens full bars", ""},
        {MEAN, "M M l", "mean naive 3 lens bars", ""},
        {MEAN, "l M M l", "mean naive 3 lens bars", ""},
        {MEAN, "l M M l l", "mean naive 3 lens", ""},
        {MEAN, "M M E", "mean naive 3 source lens", ""},
        {MEAN, "E M M E", "mean naive 3 source lens", ""},
        {MEAN, "l M M Esc Esc", "mean naive 3 lens", ""},
        // switches
        {MEAN, "u i v o k space", "mean naive 3 unroll staged vsync bare light frozen", ""},
        {MEAN, "u u i i v v o o k k space space", "mean naive 3", ""},
        {MEAN, "h", "mean naive 3 help", ""},
        {MEAN, "F1", "mean naive 3 help", ""},
        {MEAN, "h Esc F1 Esc", "mean naive 3", ""},
        // what cannot be done on a filter without params
        {INVERT, "3", "invert naive", "invert has 2 variants"},
        {INVERT, "Up", "invert naive", "invert has no radius"},
        {INVERT, ".", "invert naive", "invert has no other parameter"},
        {INVERT, ">", "invert naive", "invert has no other parameter"},
        {INVERT, "u", "invert naive", "invert has no whole number to unroll"},
        {INVERT, "p", "invert naive", "invert has no radius to sweep"},
        {INVERT, "Tab", "invert naive", "there is one picture; c compares two"},
        {INVERT, "x", "invert naive", "there is one picture; c compares two"},
        {INVERT, ")", "invert naive", "E opens the source"},
        {INVERT, "'", "invert naive", "M opens the memory lens"},
        {INVERT, "W", "invert naive", "M opens the memory lens"},
        {INVERT, "Backspace", "invert naive", "nothing to undo"},
    };
    static struct app before;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        set_up(NULL);
        a->sides[0].filter = rows[i].filter;
        before = *a;
        before.is_used = true;
        press(rows[i].keys);
        if (strcmp(told(), rows[i].told) != 0) fail_msg("%s: %s", rows[i].keys, told());
        assert_note(rows[i].note);
        if (rows[i].filter != INVERT) continue;
        memset(a->note, 0, sizeof a->note);
        assert_memory_equal(a, &before, sizeof before);
    }
}

// A click may come for a side that has just gone.
IN_WORLD(only_a_side_that_is_there_is_chosen)
{
    app_choose_side(a, APP_B);
    assert_int_equal(a->side, APP_A);
    press("c");
    app_choose_side(a, APP_A);
    assert_int_equal(a->side, APP_A);
    app_choose_side(a, APP_B);
    assert_int_equal(a->side, APP_B);
}

static void assert_block(int width, int height)
{
    assert_int_equal(app_settings(a)->block_width, width);
    assert_int_equal(app_settings(a)->block_height, height);
}

IN_WORLD(blocks)
{
    int seen[64][2], count = 0;
    do {
        press("b");
        const struct settings *s = app_settings(a);
        for (int i = 0; i < count; i++)
            assert_false(seen[i][0] == s->block_width && seen[i][1] == s->block_height);
        seen[count][0] = s->block_width;
        seen[count++][1] = s->block_height;
        assert_in_range(s->block_width * s->block_height, 32, 1024);
        assert_true(count < 64);
    } while (app_settings(a)->block_width != 32 || app_settings(a)->block_height != 8);
    assert_true(count > 8);
    for (int i = count - 2; i >= 0; i--) {  // back the same way
        press("B");
        assert_block(seen[i][0], seen[i][1]);
    }
    for (int i = 0; i < 2; i++) {  // from a shape that is none of them
        *app_settings(a) = (struct settings){.block_width = 7, .block_height = 5};
        press(i ? "b" : "B");
        assert_int_not_equal(app_settings(a)->block_width, 7);
        assert_in_range(app_settings(a)->block_width, 8, 1024);
    }
    *app_settings(a) = (struct settings){.block_width = 7, .block_height = 600};
    press("[ }");
    assert_block(3, 1024);
}

IN_WORLD(pictures_and_text)
{
    press("N");
    assert_int_equal(a->picture, 2);
    press("n");
    assert_int_equal(a->picture, 0);
    assert_note("");
    a->picture_count = 1;
    press("n");
    assert_int_equal(a->picture, 0);
    assert_note("there is one picture");
    press("+");
    assert_true(a->text_scale > 1 && a->text_scale < 1.5);
    press("- =");
    assert_true(a->text_scale > 1 && a->text_scale < 1.5);
    press("+*100");
    assert_true(a->text_scale == 4);
    press("-*100");
    assert_true(a->text_scale == 0.5);
    press("+");
    assert_true(a->text_scale > 0.5);
}

// ---- reload ----

// Adopts filters, a line for each, and checks that what is chosen of them can be. The old ones may
// be somewhere else by then.
static void reload(const char *lines)
{
    static struct files now, old;
    old.list = *a->filters;
    memcpy(old.filters, a->filters->filters, (size_t)old.list.count * sizeof old.filters[0]);
    old.list.filters = old.filters;
    make_files(&now, lines);
    app_adopt(a, &old.list, &now.list);
    assert_ptr_equal(a->filters, &now.list);
    assert_in_range(a->sides[0].filter, 0, now.list.count - 1);
    for (int i = 0; i < now.list.count; i++) {
        assert_in_range(a->sides[0].choices[i].variant, 0, now.filters[i].variant_count - 1);
        must(filter_check(&now.filters[i], &a->sides[0].choices[i].settings.params, &err));
    }
}

IN_WORLD(a_reload_keeps_by_name)
{
    static const struct {
        const char *files, *told;  // of all, and at the end of the chosen one
    } rows[] = {
        {"gaussian radius=4:0:64 f_sigma=1.5:0:12 naive shared\n"
         "invert naive vector\nmean radius=3:2:64 naive texture shared",
         "gaussian shared 7 2.5 16x16 unroll; invert vector 8x4; mean shared 60; mean"},
        // The limits of sigma and radius shrank, and edge is new; new filters start afresh.
        {"blur radius=1:0:9 naive\nflip axis=0:0:2 naive\n"
         "gaussian f_sigma=1:0:2 edge=4:0:9 radius=4:0:5 shared constant naive\n"
         "mean c=5:-9:9 radius=3:0:64 running naive separable shared",
         "blur naive 1; flip naive 0; gaussian shared 2 4 5 16x16 unroll; mean shared 5 60; mean"},
        {"mean radius=3:0:64 texture naive", "mean texture 60; mean"},  // without the variant
        {"zoom naive\nzoom2 naive", "zoom naive; zoom2 naive; zoom"},   // and without the filter
        // Unrolled, and then there is nothing to unroll: u could not switch it off.
        {"gaussian f_sigma=1:0:12 naive", "gaussian naive 2.5 16x16; gaussian"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        set_up(NULL);
        a->sides[0].choices[GAUSSIAN] =
            (struct app_choice){.variant = 1, .settings = {{{7, 2.5}}, 16, 16, true}};
        a->sides[0].choices[INVERT] =
            (struct app_choice){.variant = 1, .settings = {{{0}}, 8, 4, false}};
        a->sides[0].choices[MEAN] =
            (struct app_choice){.variant = 2, .settings = {{{60}}, 0, 0, false}};
        a->sides[0].filter = MEAN;
        a->picture = 1;
        a->is_frozen = a->is_light = a->is_staged = true;
        reload(rows[i].files);
        assert_true(a->is_frozen && a->is_light && a->is_staged);
        a->is_frozen = a->is_light = a->is_staged = false;
        g_autoptr(GString) all = g_string_new(NULL);
        const char *chosen = app_filter(a)->name;
        for (int k = 0; k < a->filters->count; k++) {
            a->sides[0].filter = k;
            g_string_append_printf(all, "%s; ", told());
        }
        g_string_append(all, chosen);
        assert_string_equal(all->str, rows[i].told);
        assert_int_equal(a->picture, 1);
    }
    press("Right F");  // what was not there before can be used
    reload("mean radius=3:0:64 naive");
    assert_string_equal(told(), "mean naive 3");
}

// A value between whole numbers would be refused for ever: no key changes such a param.
IN_WORLD(a_reload_rounds_what_became_whole)
{
    first.filters[INVERT] = made("invert s=1.5:0:12 naive");
    first.filters[INVERT].params[0].is_float = true;
    a->sides[0].filter = INVERT;
    app_settings(a)->params.v[0] = 2.75;
    reload("invert s=1:0:12 naive");
    assert_string_equal(told(), "invert naive 3");
}

IN_WORLD(the_axis_survives_a_reload)
{
    a->sides[0].filter = THRESHOLD;
    press(".");
    reload("threshold c=5:-128:127 edge=0:0:9 radius=3:0:64 naive");
    assert_string_equal(told(), "threshold naive 5 0 3 @c");
    reload("threshold edge=0:0:9 radius=3:0:64 f_c=1:0:2 naive");
    assert_string_equal(told(), "threshold naive 0 3 1");
}

// A lab in matvec's place, with arrays a and b. Undo brings a change back, not what was looked at
// meanwhile; and after a reload a file may come before the lab, and arrays may change places.
IN_WORLD(the_shown_array)
{
    static struct files now;
    struct filter *lab = &first.filters[MATVEC];
    *lab = (struct filter){.name = "turn", .variant_count = 2, .array_count = 2};
    lab->arrays[0] = (struct array){.name = "a", .kind = ARRAY_IN};
    lab->arrays[1] = (struct array){.name = "b", .kind = ARRAY_OUT};
    now = first;
    now.list.filters = now.filters;
    now.filters[BOXED] = *lab;
    now.filters[BOXED].arrays[0] = lab->arrays[1];
    now.filters[BOXED].arrays[1] = lab->arrays[0];
    now.filters[MATVEC] = first.filters[BOXED];
    a->sides[0].filter = MATVEC;
    app_adopt(a, &first.list, &first.list);
    assert_int_equal(app_array(a, APP_A), -1);
    press("2 n Backspace");
    assert_int_equal(app_side_choice(a, APP_A)->variant, 0);
    assert_int_equal(app_array(a, APP_A), 0);
    assert_int_equal(app_array(a, APP_B), -1);
    app_adopt(a, &first.list, &now.list);
    assert_int_equal(a->sides[0].filter, BOXED);
    assert_int_equal(app_array(a, APP_A), 1);
    now.filters[BOXED].arrays[1].name[0] = 'c';
    app_adopt(a, &now.list, &now.list);
    assert_int_equal(app_array(a, APP_A), -1);
}

IN_WORLD(a_reload_of_more_than_there_is_room_for)
{
    enum { COUNT = APP_MAX_FILTERS + 5 };
    struct filter_list old = {g_new0(struct filter, COUNT), COUNT};
    struct filter_list new = {g_new0(struct filter, COUNT), COUNT};
    for (int i = 0; i < COUNT; i++) {
        char words[64];
        g_snprintf(words, sizeof words, "f%02d radius=3:0:64 naive shared", i);
        old.filters[i] = made(words);
        new.filters[COUNT - 1 - i] = made(words);  // the last are the first
    }
    app_init(a, &old, 1);
    press("F");
    assert_int_equal(a->sides[0].filter, APP_MAX_FILTERS - 1);
    press("Right");
    app_adopt(a, &old, &new);
    assert_string_equal(told(), "f63 shared 3");
    for (int i = 0; i < APP_MAX_FILTERS; i++) {
        assert_true(a->sides[0].choices[i].settings.params.v[0] == 3);
        assert_in_range(a->sides[0].choices[i].variant, 0, 1);
    }
    g_free(old.filters);
    g_free(new.filters);
}

// ---- panels and docks ----

IN_WORLD(close_takes_one_at_a_time)
{
    press("d p");  // the difference opens the comparison, too
    a->has_help = a->has_bars = a->is_fullscreen = true;
    assert_true(app_close(a));
    assert_true(!a->has_help && a->has_bars);
    int steps = 0;
    while (app_close(a) && steps < 10) steps++;
    assert_int_equal(steps, 6);  // sweep, bars, difference, comparison, full screen; then it asks
    assert_false(a->is_comparing || a->has_bars || a->has_sweep || a->has_difference ||
                 a->is_fullscreen);
}

IN_WORLD(source_scrolls_within_its_lines)
{
    const struct app_scroll *s = &a->scrolls[APP_A];
    press("E");
    a->scrolls[APP_A] = (struct app_scroll){.last = 25, .page = 10};
    for (int i = 1; i <= 4; i++) {
        press(")");
        assert_true(s->first == MIN(10 * i, 25));
    }
    app_scroll_lines(a, APP_A, -3);
    assert_true(s->first == 22);
    a->scrolls[APP_A].last = 5;  // the text has become shorter, or the window higher
    press("(");
    assert_true(s->first == 0);
    app_scroll_lines(a, APP_B, 1);
    assert_true(a->scrolls[APP_B].first == 0);
}

// A tour that begins in its middle presses keys faster than blocks are traced. Steps wait while the
// lens is closed, and end if it opens on another kernel.
IN_WORLD(lens_steps_wait_for_the_viewer)
{
    static const char *const endings[] = {"M M", "Esc", "Esc E Esc"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        press("1 M");
        a->lens.is_new = false;
        press("'*2 J");
        press(endings[i]);
        assert_false(a->has_lens);
        press("M");
        assert_false(a->lens.is_new);
        assert_true(a->lens.steps[LENS_WARP] == 2 && a->lens.steps[LENS_INSTRUCTION] == -1);
        press(endings[i]);
        press(i == 2 ? "2 E Esc M" : "2 M");
        assert_true(a->has_lens && a->lens.is_new);
        assert_true(!a->lens.steps[LENS_WARP] && !a->lens.steps[LENS_INSTRUCTION]);
        press(endings[i]);
    }
}

IN_WORLD(plus_and_minus_are_the_pace_while_the_lens_plays)
{
    const double scale = a->text_scale;
    press("M ! + +");
    assert_true(app_is_playing(a) && app_play_rate(a) == 4 && a->text_scale == scale);
    assert_note("the lens plays: 4 steps a second; + - change that, ! stops");
    press("-*9");
    assert_true(app_play_rate(a) == 0.25);
    press("Esc +");
    assert_true(!app_is_playing(a) && a->has_lens && a->text_scale > scale);
    press("! M M");
    assert_false(a->has_lens || a->is_playing);
}

// Esc shows the picture again before it closes the lens, and the lens forgets it.
IN_WORLD(sectors_are_counted_in_three_ways)
{
    press("&");
    assert_note("M opens the memory lens");
    assert_int_equal(app_sharing(a), SHARING_COUNTS);
    a->has_lens = true;
    for (int by = 0; by <= SHARING_COUNTS; by++) {
        press("&");
        assert_int_equal(app_sharing(a), by);
    }
    press("& & Esc");
    assert_true(app_sharing(a) == SHARING_COUNTS && a->has_lens);
    press("&");
    a->has_lens = false;  // as a saved state may say
    assert_int_equal(app_sharing(a), SHARING_COUNTS);
    a->has_lens = true;
    press("M M");
    assert_false(a->has_lens || a->has_sharing[SHARING_REQUESTS]);
}

IN_WORLD(whole_launch_is_stopped_first)
{
    a->has_lens = a->has_help = true;
    press("W");
    assert_true(a->has_whole[APP_A] && !a->has_whole[APP_B]);
    assert_true(app_close(a));
    assert_true(!a->has_whole[APP_A] && a->has_help);
    a->has_whole[APP_A] = true;
    a->side = APP_B;
    a->has_whole[APP_B] = a->runs_whole[APP_A] = a->runs_whole[APP_B] = true;
    assert_true(app_close(a));
    assert_true(a->has_whole[APP_A] && !a->has_whole[APP_B]);
    assert_true(app_close(a));
    assert_true(!a->has_whole[APP_A] && a->has_help && a->has_lens);
    assert_true(app_close(a));
    assert_false(a->has_help);
}
