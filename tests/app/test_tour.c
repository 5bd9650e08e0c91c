// test_tour -- reading a script, refusing what is wrong with it by line, filling captions, and
// playing it by a clock of our own.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "app/tour.h"

static struct error err;
static struct filter_list filters;

static int set_up(void **state)
{
    (void)state;
    if (!filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    filter_list_finish(&filters);
    return 0;
}

static struct tour parse(const char *text)
{
    struct tour t;
    if (!tour_parse(&t, "dir/a.tour", text, &filters, &err)) fail_msg("%s", err.text);
    return t;
}

static void test_steps(void **state)
{
    (void)state;
    struct tour t = parse("\xef\xbb\xbf# a lecture\r\n"
                          "\n"
                          "  m 3 Up\tUp  \r\n"
                          "caption   교실: {ms} ms\\n second line  \r\n"
                          "\t# indented\n"
                          "wait\n"
                          "wait 2.5\n"
                          "pause   settled\n"
                          "caption\n"
                          "q");
    static const enum tour_kind kinds[] = {TOUR_KEYS,         TOUR_CAPTION,      TOUR_WAIT_SPACE,
                                           TOUR_WAIT_SECONDS, TOUR_WAIT_SETTLED, TOUR_CAPTION,
                                           TOUR_KEYS};
    static const int lines[] = {3, 4, 6, 7, 8, 9, 10};
    assert_int_equal(t.count, G_N_ELEMENTS(kinds));
    for (int i = 0; i < t.count; i++) {
        assert_int_equal(t.steps[i].kind, kinds[i]);
        assert_int_equal(t.steps[i].line, lines[i]);
    }
    assert_int_equal(g_strv_length(t.steps[0].keys), 4);
    assert_string_equal(t.steps[0].keys[3], "Up");
    assert_string_equal(t.steps[1].caption, "교실: {ms} ms\nsecond line");
    assert_true(t.steps[3].seconds == 2.5);
    assert_string_equal(t.steps[5].caption, "");
    tour_finish(&t);
    assert_null(t.steps);
}

static void test_mistakes_are_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } mistakes[] = {
        {"3\nUpp\n", "a.tour:2: unknown key 'Upp'"},
        {"captions hello\n", "a.tour:1: unknown key 'captions'"},
        {"\n\nwait for it\n", "a.tour:3: 'wait for it' is not understood"},
        {"wait -1\n", "a.tour:1: 'wait -1' is not understood"},
        {"wait nan\n", "a.tour:1: 'wait nan' is not understood"},
        {"wait inf\n", "a.tour:1: 'wait inf' is not understood"},
        {"wait 2s\n", "a.tour:1: 'wait 2s' is not understood"},
        {"pause\n", "a.tour:1: 'pause ' is not understood"},
        {"pause done\n", "a.tour:1: 'pause done' is not understood"},
        {"caption {speed}\n", "a.tour:1: there is no figure {speed}"},
        {"caption {}\n", "a.tour:1: there is no figure {}"},
        {"caption {ms:}\n", "a.tour:1: there is no figure {ms:}"},
        {"caption {x}\n", "a.tour:1: there is no figure {x}"},
        {"caption {radius:naive}\n", "a.tour:1: there is no figure {radius:naive}"},
        {"caption {radios}\n", "a.tour:1: there is no figure {radios}"},
        {"caption {radius@c=3}\n", "a.tour:1: there is no figure {radius@c=3}"},
        {"caption {ms@}\n", "a.tour:1: there is no figure {ms@}"},
        {"caption {ms@=3}\n", "a.tour:1: there is no figure {ms@=3}"},
        {"caption {ms@c}\n", "a.tour:1: there is no figure {ms@c}"},
        {"caption {@c=3}\n", "a.tour:1: there is no figure {@c=3}"},
        {"caption {ms@blur=3}\n", "a.tour:1: no filter has a param 'blur'"},
        {"caption {ms@radius=65}\n", "a.tour:1: radius 65 is outside [0, 64] of "},
        {"caption {ms@radius=x}\n", "a.tour:1: radius 'x' is not a number"},
        {"caption {ms:naive/shared}\n", "a.tour:1: there is no figure {ms:naive/shared}"},
        {"caption {x:naive/}\n", "a.tour:1: there is no figure {x:naive/}"},
        {"3\ncaption {ms:shard}\n", "a.tour:2: no filter has a variant 'shard'"},
        {"caption {x:shared/nave}\n", "a.tour:1: no filter has a variant 'nave'"},
        {"caption {ms\n", "a.tour:1: a brace has no partner"},
        {"caption ms}\n", "a.tour:1: a brace has no partner"},
        {"caption fine\ncaption \xff\n", "a.tour: this is not UTF-8"},
        {"", "a.tour: there is no step"},
        {"# nothing\n\n", "a.tour: there is no step"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        struct tour t = {.count = 77};
        err.text[0] = '\0';
        assert_false(tour_parse(&t, "a.tour", mistakes[i].text, &filters, &err));
        if (!g_str_has_prefix(err.text, mistakes[i].message))
            fail_msg("not '%s' but '%s'", mistakes[i].message, err.text);
        assert_null(strchr(err.text, '\n'));
        assert_int_equal(t.count, 77);
    }
}

static void test_files(void **state)
{
    (void)state;
    struct tour t;
    assert_false(tour_load(&t, "/nowhere/a.tour", &filters, &err));
    assert_string_equal(err.text, "cannot read '/nowhere/a.tour': No such file or directory");
    char *folder = g_dir_make_tmp("tour-XXXXXX", NULL);
    char *path = g_build_filename(folder, "a.tour", NULL);
    assert_true(g_file_set_contents(path,
                                    "3\n\0"
                                    "4\n",
                                    5, NULL));
    assert_false(tour_load(&t, path, &filters, &err));
    assert_true(g_str_has_suffix(err.text, "a.tour': it is not text"));
    assert_true(g_file_set_contents(path, "3\n4\n", 4, NULL));
    assert_true(tour_load(&t, path, &filters, &err));
    assert_int_equal(t.count, 2);
    tour_finish(&t);
    g_unlink(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
}

// The tours that come with the program.
static void test_own_tours_parse(void **state)
{
    (void)state;
    static const char folder_name[] = TILESCOPE_SOURCE_DIR "/assets/tours";
    GDir *folder = g_dir_open(folder_name, 0, NULL);
    int count = 0;
    assert_non_null(folder);
    for (const char *name; (name = g_dir_read_name(folder)); count++) {
        struct tour t;
        char *path = g_build_filename(folder_name, name, NULL);
        if (!tour_load(&t, path, &filters, &err)) fail_msg("%s", err.text);
        int captions = 0, waits = 0;
        for (int i = 0; i < t.count; i++) {
            captions += t.steps[i].kind == TOUR_CAPTION && *t.steps[i].caption;
            waits += t.steps[i].kind == TOUR_WAIT_SPACE;
        }
        assert_true(captions >= 5);
        assert_true(waits >= 5);
        tour_finish(&t);
        g_free(path);
    }
    g_dir_close(folder);
    assert_true(count >= 1);
}

// ---- captions ----

// Writes what was asked for; "texture" is not measured yet.
static bool write_figure(void *user, const struct tour_figure *f, char *text, size_t size)
{
    static const char *const kinds[] = {
        [TOUR_MS] = "ms",         [TOUR_SPEED_UP] = "x",    [TOUR_COPY] = "copy",
        [TOUR_DEVICE] = "device", [TOUR_FILTER] = "filter", [TOUR_VARIANT] = "variant",
        [TOUR_PARAM] = ""};
    ++*(int *)user;
    const char *at = *f->value ? "@" : "", *is = *f->value ? "=" : "";
    g_snprintf(text, size, "<%s%s%s%s%s|%s|%s>", kinds[f->kind], at, f->param, is, f->value,
               f->variant, f->other);
    return strcmp(f->variant, "texture") != 0;
}

static void test_captions_are_filled(void **state)
{
    (void)state;
    static const struct {
        const char *caption, *text;
        int asked;
    } cases[] = {
        {"", "", 0},
        {"no figure, 그림 100 %", "no figure, 그림 100 %", 0},
        {"{ms}{copy} {device}", "<ms||><copy||> <device||>", 3},
        {"{filter} {variant} {radius}", "<filter||> <variant||> <radius||>", 3},
        {"{naive}", "<x||naive>", 1},
        {"{ms:shared} {x:shared}", "<ms|shared|> <x||shared>", 2},
        {"{x:shared/naive}", "<x|shared|naive>", 1},
        {"{c} {sigma}", "<c||> <sigma||>", 2},
        {"{ms:shared@radius=64}", "<ms@radius=64|shared|>", 1},
        {"{ms@c=-3} {naive@c=2}", "<ms@c=-3||> <x@c=2||naive>", 2},
        {"{x:shared/naive@axis=both}", "<x@axis=both|shared|naive>", 1},
        {"{ms:texture} ms", "… ms", 1},
        {"{{ms}} }}{{", "{ms} }{", 0},
        {"{{{ms}}}", "{<ms||>}", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int asked = 0;
        char *text = tour_fill(cases[i].caption, write_figure, &asked);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(asked, cases[i].asked);
        struct tour_figure figures[8];
        assert_int_equal(tour_figures(cases[i].caption, figures, 8), cases[i].asked);
        assert_int_equal(tour_figures(cases[i].caption, figures, 1), MIN(1, cases[i].asked));
        g_free(text);
    }
}

// ---- playing ----

static void expect_turn(struct tour_play *p, double now_s, bool is_settled, const char *key)
{
    const char *pressed = tour_turn(p, now_s, is_settled);
    if (key)
        assert_string_equal(pressed, key);
    else
        assert_null(pressed);
}

static void test_playing(void **state)
{
    (void)state;
    struct tour t = parse("3 Up\ncaption one\nwait 2\npause settled\ncaption\nwait\nq\n");
    struct tour_play p = {.tour = &t};
    expect_turn(&p, 100, true, "3");
    assert_false(tour_go_on(&p));
    expect_turn(&p, 100.01, true, NULL);  // not so fast
    expect_turn(&p, 101, true, "Up");
    assert_null(p.caption);
    expect_turn(&p, 101, true, NULL);
    assert_string_equal(p.caption, "one");
    expect_turn(&p, 102, true, NULL);  // the wait begins
    expect_turn(&p, 103.9, true, NULL);
    assert_int_equal(p.step, 2);
    expect_turn(&p, 104, true, NULL);
    assert_int_equal(p.step, 3);
    expect_turn(&p, 104.1, true, NULL);  // settled may be that of the last picture
    assert_int_equal(p.step, 3);
    expect_turn(&p, 104.2, false, NULL);
    assert_int_equal(p.step, 3);
    expect_turn(&p, 105, true, NULL);
    assert_int_equal(p.step, 4);
    expect_turn(&p, 105.1, true, NULL);
    assert_null(p.caption);
    for (int i = 0; i < 5; i++) expect_turn(&p, 200 + i, true, NULL);
    assert_int_equal(p.step, 5);
    assert_true(tour_go_on(&p));
    assert_false(tour_go_on(&p));
    assert_false(tour_is_over(&p));
    expect_turn(&p, 300, true, "q");
    assert_true(tour_is_over(&p));
    expect_turn(&p, 301, true, NULL);
    assert_false(tour_go_on(&p));
    tour_finish(&t);
}

static void test_space_cuts_waits_short(void **state)
{
    (void)state;
    struct tour t = parse("wait 1000\npause settled\nUp\n");
    struct tour_play p = {.tour = &t};
    for (int i = 0; i < 2; i++) {
        assert_false(tour_go_on(&p));
        expect_turn(&p, 10 + i, false, NULL);
        assert_true(tour_go_on(&p));
    }
    expect_turn(&p, 12, false, "Up");
    tour_finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_mistakes_are_refused_by_line),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_own_tours_parse),
        cmocka_unit_test(test_captions_are_filled),
        cmocka_unit_test(test_playing),
        cmocka_unit_test(test_space_cuts_waits_short),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
