// test_tour -- reading a script, refusing what is wrong with it by line, its steps, filling its
// texts, and playing it by a clock of our own.
#include "unit.h"

#include "filters.h"
#include "tour/tour_list.h"
#include "tour/tour_play.h"
#include "folder.h"

static struct tour parse(const char *text)
{
    struct tour t;
    must(tour_parse(&t, "dir/a.tour", text, &filters, &err));
    return t;
}

TEST(lines)
{
    struct tour t = parse("# a lecture\r\n"
                          "\n"
                          "  title  Of memory \r\n"
                          "  m 3 Up\tUp  \r\n"
                          "caption   교실: {ms} ms\\n second line  \r\n"
                          "\t# indented\n"
                          "wait\n"
                          "wait 2.5\n"
                          "pause   settled\n"
                          "caption\n"
                          "claim {ms:shared} < 1.5 {ms:naive}: a tile beats naive\n"
                          "note say {variant}\n"
                          "show lens\n"
                          "show lens full\n"
                          "show sharing\n"
                          "show line 12\n"
                          "spot 640,80\n"
                          "spot 50%, 25.5%\n"
                          "show\n"
                          "q");
    static const enum tour_kind kinds[] = {
        TOUR_KEYS,         TOUR_CAPTION, TOUR_WAIT_SPACE, TOUR_WAIT_SECONDS,
        TOUR_WAIT_SETTLED, TOUR_CAPTION, TOUR_CLAIM,      TOUR_NOTE,
        TOUR_SHOW,         TOUR_SHOW,    TOUR_SHOW,       TOUR_SHOW,
        TOUR_SHOW,         TOUR_SHOW,    TOUR_SHOW,       TOUR_KEYS};
    static const int numbers[] = {4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    assert_string_equal(t.title, "Of memory");
    assert_int_equal(t.count, G_N_ELEMENTS(kinds));
    for (int i = 0; i < t.count; i++) {
        assert_int_equal(t.lines[i].kind, kinds[i]);
        assert_int_equal(t.lines[i].number, numbers[i]);
    }
    assert_int_equal(g_strv_length(t.lines[0].keys), 4);
    assert_string_equal(t.lines[0].keys[3], "Up");
    assert_string_equal(t.lines[1].text, "교실: {ms} ms\nsecond line");
    assert_true(t.lines[3].seconds == 2.5);
    assert_string_equal(t.lines[5].text, "");
    assert_string_equal(t.lines[6].claim.sentence, "a tile beats naive");
    assert_string_equal(t.lines[7].text, "say {variant}");
    assert_int_equal(t.lines[8].pointer.place, TOUR_LENS);
    assert_int_equal(t.lines[9].pointer.place, TOUR_LENS_FULL);
    assert_int_equal(t.lines[10].pointer.place, TOUR_SHARING);
    assert_int_equal(t.lines[11].pointer.line, 12);
    assert_true(t.lines[12].pointer.x == 640 && !t.lines[12].pointer.is_relative);
    assert_true(t.lines[13].pointer.y == 0.255 && t.lines[13].pointer.is_relative);
    assert_int_equal(t.lines[14].pointer.place, TOUR_NOWHERE);
    tour_finish(&t);
    assert_null(t.lines);
}

TEST(steps_end_with_waits_for_space)
{
    static const struct {
        const char *text;
        int starts[4], steps;
        const char *names[4];
    } cases[] = {
        {"3", {0}, 1, {""}},
        {"wait", {0}, 1, {""}},
        {"caption a {ms}\nwait\n", {0}, 1, {"a {ms}"}},
        {"3\ncaption a\nwait 2\ncaption b\nwait\nwait\ncaption c\nq", {0, 5, 6}, 3, {"a", "", "c"}},
        {"caption a\nwait\ncaption\nq", {0}, 1, {"a"}},
        {"caption a\\nb {ms}\nwait\ncaption c {radius}. d. {ms}. e.\n",
         {0, 2},
         2,
         {"a", "c {radius}. d."}},
        {"caption a {ms}\nclaim {ms} > 1: {ms}\nclaim {ms} > 1: b\nwait\n", {0}, 1, {"b"}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        OWNED(tour_finish) struct tour t = parse(cases[i].text);
        assert_int_equal(t.step_count, cases[i].steps);
        assert_string_equal(t.title, "a.tour");
        for (int k = 0; k < t.step_count; k++) {
            assert_int_equal(t.steps[k].first, cases[i].starts[k]);
            assert_string_equal(t.steps[k].name, cases[i].names[k]);
            const struct tour_play p = {.tour = &t, .line = t.steps[k].first};
            assert_int_equal(tour_play_step(&p), k);
        }
        const struct tour_play over = {.tour = &t, .line = t.count};
        assert_int_equal(tour_play_step(&over), t.step_count - 1);
    }
}

TEST(mistakes_are_refused_by_line)
{
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
        {"captoin hello\n", "a.tour:1: unknown key 'captoin'; tilescope --help lists them; did you "
                            "mean 'caption'?"},
        {"3\ntitle late\n", "a.tour:2: a title is a tour's first line"},
        {"title a\ntitle b\n", "a.tour:2: a title is a tour's first line"},
        {"title\n3\n", "a.tour:1: the title is empty"},
        {"title a\n", "a.tour: there is no step"},
        {"note {speed}\n", "a.tour:1: there is no figure {speed}"},
        {"claim {ms} < \n", "a.tour:1: a claim is A < B: SENTENCE"},
        {"show bar\n", "a.tour:1: 'show bar' is not understood: show bars, sweep, heat, block, "
                       "source, lens, lens full, sharing, or line 12; did you mean 'bars'?"},
        {"show line\n", "a.tour:1: 'show line' is not understood"},
        {"show line 0\n", "a.tour:1: 'show line 0' is not understood"},
        {"show line x\n", "a.tour:1: 'show line x' is not understood"},
        {"spot\n", "a.tour:1: 'spot ' is not understood"},
        {"spot 3\n", "a.tour:1: 'spot 3' is not understood"},
        {"spot 3,-1\n", "a.tour:1: 'spot 3,-1' is not understood"},
        {"spot 3,nan\n", "a.tour:1: 'spot 3,nan' is not understood"},
        {"spot 3,4 5\n", "a.tour:1: 'spot 3,4 5' is not understood"},
        {"spot 3%,4\n", "a.tour:1: 'spot 3%,4' is not understood"},
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
        {"caption {ms@unroll=maybe}\n", "a.tour:1: unroll is on or off, not 'maybe'"},
        {"caption {ms@blur=3}\n", "a.tour:1: no filter has a param 'blur'"},
        {"caption {ms@radius=65}\n", "a.tour:1: radius 65 is outside [0, 64] of "},
        {"caption {ms@radius=x}\n", "a.tour:1: radius 'x' is not a number"},
        {"caption {ms:naive/shared}\n", "a.tour:1: there is no figure {ms:naive/shared}"},
        {"caption {x:naive/}\n", "a.tour:1: there is no figure {x:naive/}"},
        {"3\ncaption {ms:shard}\n",
         "a.tour:2: no filter has a variant 'shard'; did you mean 'shared'?"},
        {"caption {x:shared/nave}\n", "a.tour:1: no filter has a variant 'nave'"},
        {"caption {conflict:shared}\n", "a.tour:1: there is no figure {conflict:shared}"},
        {"caption {conflicts:shared/naive}\n", "a.tour:1: there is no figure {conflicts:"},
        {"caption {copy@c=3}\n", "a.tour:1: there is no figure {copy@c=3}"},
        {"caption {ms@path=staged}\n", "a.tour:1: no filter has a param 'path'"},
        {"caption {host@path=cpu}\n", "a.tour:1: the screen's times may stand at path=interop or"},
        {"caption {frame@radius=3}\n", "a.tour:1: the screen's times may stand at path=interop or"},
        {"caption {global_load.ms}\n", "a.tour:1: there is no figure {global_load.ms}"},
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

// All of them could not be measured at once.
TEST(a_crowd_of_figures_is_refused)
{
    OWNED(tour_finish) struct tour t;
    g_autoptr(GString) text = g_string_new("caption {ms}\n");
    for (int i = 0; i < (TOUR_MAX_FIGURES - 1) / 2; i++)
        g_string_append(text, "claim {ms:naive} > {ms:shared}: a tile pays\n");
    g_string_append(text, "claim {ms} > 3: it fits\ncaption {ms}\nnote {ms} {ms} {ms}\n");
    t = parse(text->str);
    g_string_replace(text, "it fits", "{ms} is one too much", 1);
    assert_false(tour_parse(&t, "a.tour", text->str, &filters, &err));
    assert_string_equal(err.text, "a.tour:17: a caption and the claims below it have more than 32 "
                                  "figures: begin another caption");
}

TEST(files)
{
    OWNED(tour_finish) struct tour t;
    assert_false(tour_load(&t, "/nowhere/a.tour", &filters, &err));
    assert_string_equal(err.text, "cannot read '/nowhere/a.tour': No such file or directory");
    char *folder = folder_make(), *path = folder_file(folder, "a.tour", NULL);
    assert_true(g_file_set_contents(path,
                                    "3\n\0"
                                    "4\n",
                                    5, NULL));
    assert_false(tour_load(&t, path, &filters, &err));
    assert_true(g_str_has_suffix(err.text, "a.tour': it is not text"));
    g_free(folder_file(folder, "a.tour", "3\n4\n"));
    assert_true(tour_load(&t, path, &filters, &err));
    assert_int_equal(t.count, 2);
    folder_end(folder);
    g_free(path);
}

// The tours that come with the program.
TEST(own_tours_parse)
{
    static const char folder_name[] = TILESCOPE_SOURCE_DIR "/tours";
    g_autoptr(GDir) folder = g_dir_open(folder_name, 0, NULL);
    int count = 0;
    assert_non_null(folder);
    for (const char *name; (name = g_dir_read_name(folder)); count++) {
        OWNED(tour_finish) struct tour t;
        g_autofree char *path = g_build_filename(folder_name, name, NULL);
        must(tour_load(&t, path, &filters, &err));
        int captions = 0, waits = 0;
        for (int i = 0; i < t.count; i++) {
            captions += t.lines[i].kind == TOUR_CAPTION && *t.lines[i].text;
            waits += t.lines[i].kind == TOUR_WAIT_SPACE;
        }
        assert_string_not_equal(t.title, name);
        assert_true(captions >= 5);
        assert_true(waits >= 5);
    }
    assert_true(count >= 1);
}

TEST(lists)
{
    OWNED(tour_list_finish) struct tour_list list;
    g_autofree char *folder = folder_make();
    g_free(folder_file(folder, "b.tour", "title Of b\ncaption x\nwait\ncaption y\n"));
    g_free(folder_file(folder, "a.tour", "Upp\n"));
    g_free(folder_file(folder, "a.txt", "3\n"));
    tour_list_load(&list, folder, false, &filters);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.entries[0].name, "a");
    assert_null(list.entries[0].title);
    assert_non_null(strstr(list.entries[0].why, "a.tour:1: unknown key 'Upp'"));
    assert_string_equal(list.entries[1].title, "Of b");
    assert_int_equal(list.entries[1].steps, 2);
    assert_int_equal(list.left_out, 0);
    tour_list_finish(&list);
    tour_list_load(&list, folder, true, &filters);  // not the user's: what does not fit is left out
    assert_int_equal(list.count, 1);
    assert_string_equal(list.entries[0].name, "b");
    assert_int_equal(list.left_out, 1);
    tour_list_finish(&list);
    file_remove_all(folder);
    tour_list_load(&list, folder, false, &filters);
    assert_int_equal(list.count, 0);
}

// ---- captions ----

// Writes what was asked for; "texture" is not measured yet, and "running" cannot be.
static struct tour_value find_figure(void *user, const struct tour_figure *f)
{
    static const char *const kinds[] = {[TOUR_MS] = "ms",           [TOUR_SPEED_UP] = "x",
                                        [TOUR_COPY] = "copy",       [TOUR_REGISTERS] = "registers",
                                        [TOUR_SHARED] = "shared",   [TOUR_OCCUPANCY] = "occupancy",
                                        [TOUR_COUNTER] = "counter", [TOUR_DEVICE] = "device",
                                        [TOUR_FILTER] = "filter",   [TOUR_VARIANT] = "variant",
                                        [TOUR_PARAM] = ""};
    const char *at = *f->value ? "@" : "", *is = *f->value ? "=" : "";
    struct tour_value v = {.known = !strcmp(f->variant, "texture")   ? TOUR_PENDING
                                    : !strcmp(f->variant, "running") ? TOUR_NEVER
                                                                     : TOUR_KNOWN};
    ++*(int *)user;
    g_strlcpy(v.why, "not known without a GPU", sizeof v.why);
    g_snprintf(v.text, sizeof v.text, "<%s%s%s%s%s|%s|%s>", kinds[f->kind], at, f->param, is,
               f->value, f->variant, f->other);
    return v;
}

TEST(captions_are_filled)
{
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
        {"{ms:running} ms", "– ms", 1},
        {"It waits: {ms:running} ms, not {ms:naive}. So\nall: {ms:running}.",
         "It waits: not known without a GPU. So\nall: not known without a GPU.", 3},
        {"It waits: {ms:naive} ms, not {ms:running}; 1.5 times.\nyes",
         "It waits: not known without a GPU.\nyes", 2},
        {"a\nb: c: {ms:running}", "a\nb: c: not known without a GPU", 1},
        {"a: b\n{ms:running} ms", "a: b\n– ms", 1},
        {"{copy:shared}{registers:naive}{shared}", "<copy|shared|><registers|naive|><shared||>", 3},
        {"{sectors/request:shared@radius=2}", "<counter@radius=2|shared|>", 1},
        {"{shared_load.wavefronts}{occupancy}", "<counter||><occupancy||>", 2},
        {"{{ms}} }}{{", "{ms} }{", 0},
        {"{{{ms}}}", "{<ms||>}", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int asked = 0;
        g_autofree char *text = tour_figure_fill(cases[i].caption, find_figure, &asked);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(asked, cases[i].asked);
        struct tour_figure figures[8];
        assert_int_equal(tour_figure_list(cases[i].caption, figures, 8), cases[i].asked);
        assert_int_equal(tour_figure_list(cases[i].caption, figures, 1), MIN(1, cases[i].asked));
    }
}

// ---- playing ----

static void expect_turn(struct tour_play *p, double now_s, bool is_settled, const char *key)
{
    const char *pressed = tour_play_turn(p, now_s, false, is_settled);
    if (key)
        assert_string_equal(pressed, key);
    else
        assert_null(pressed);
}

TEST(playing)
{
    OWNED(tour_finish)
    struct tour t = parse("3 Up\ncaption one\nwait 2\npause settled\ncaption\nwait\nq\n");
    struct tour_play p = {.tour = &t};
    expect_turn(&p, 100, true, "3");
    expect_turn(&p, 100.01, true, NULL);  // not so fast
    expect_turn(&p, 101, true, "Up");
    assert_null(tour_play_caption(&p));
    expect_turn(&p, 101, true, NULL);
    assert_string_equal(tour_play_caption(&p), "one");
    expect_turn(&p, 102, true, NULL);  // the wait begins
    expect_turn(&p, 103.9, true, NULL);
    assert_int_equal(p.line, 2);
    expect_turn(&p, 104, true, NULL);
    assert_int_equal(p.line, 3);
    expect_turn(&p, 104.1, true, NULL);  // settled may be that of the last picture
    assert_int_equal(p.line, 3);
    expect_turn(&p, 104.2, false, NULL);
    assert_int_equal(p.line, 3);
    expect_turn(&p, 105, true, NULL);
    assert_int_equal(p.line, 4);
    expect_turn(&p, 105.1, true, NULL);
    assert_null(tour_play_caption(&p));
    for (int i = 0; i < 5; i++) expect_turn(&p, 200 + i, true, NULL);
    assert_int_equal(p.line, 5);
    assert_true(tour_play_go_on(&p));
    assert_false(tour_play_is_over(&p));
    expect_turn(&p, 300, true, "q");
    assert_true(tour_play_is_over(&p));
    expect_turn(&p, 301, true, NULL);
    assert_false(tour_play_go_on(&p));
}

TEST(space_cuts_waits_short)
{
    OWNED(tour_finish) struct tour t = parse("wait 1000\npause settled\nUp\n");
    struct tour_play p = {.tour = &t};
    for (int i = 0; i < 2; i++) {
        expect_turn(&p, 10 + i, false, NULL);
        assert_true(tour_play_go_on(&p));
    }
    expect_turn(&p, 12, false, "Up");
}

// Whoever presses it while a step is still played has not pressed it in vain, and skips nothing.
TEST(space_ends_a_step_early)
{
    OWNED(tour_finish)
    struct tour t = parse("3 Up\nwait 1000\npause settled\ncaption one\nwait\nDown\nwait\n");
    struct tour_play p = {.tour = &t};
    expect_turn(&p, 10, false, "3");
    assert_true(tour_play_go_on(&p));
    assert_false(tour_play_go_on(&p));
    expect_turn(&p, 10, false, "Up");
    for (int i = 0; i < 9; i++) expect_turn(&p, 10, false, NULL);
    assert_true(tour_play_is_at_end(&p));
    assert_int_equal(tour_play_step(&p), 0);
    assert_string_equal(tour_play_caption(&p), "one");
    assert_true(tour_play_go_on(&p));
    expect_turn(&p, 10, false, "Down");
}

TEST(a_step_is_skipped_to_without_keys)
{
    OWNED(tour_finish)
    struct tour t = parse("3 Up\ncaption one\nwait\nDown\ncaption two\nshow bars\nwait\nUp\n");
    struct tour_play p = {.tour = &t};
    tour_play_skip(&p, 1);
    expect_turn(&p, 10, false, NULL);
    assert_true(tour_play_is_at_end(&p));
    assert_int_equal(tour_play_step(&p), 1);
    assert_string_equal(tour_play_caption(&p), "two");
    assert_int_equal(p.pointer.place, TOUR_BARS);
    assert_true(tour_play_go_on(&p));
    expect_turn(&p, 11, false, "Up");
    p = (struct tour_play){.tour = &t};
    tour_play_skip(&p, 2);  // it has no wait
    assert_true(tour_play_is_over(&p));
}

TEST(what_is_shown)
{
    OWNED(tour_finish)
    struct tour t = parse("claim {ms} > 1: early\ncaption one\nclaim {x:shared} > 1: first\n"
                          "claim {ms:naive} > 1: second\nspot 3,4\nwait\ncaption two\nwait\n");
    struct tour_play p = {.tour = &t};
    struct tour_figure figures[8];
    expect_turn(&p, 1, true, NULL);
    assert_int_equal(tour_play_next_claim(&p, -1), 0);  // without a caption
    for (int i = 0; i < 4; i++) expect_turn(&p, 1, true, NULL);
    assert_string_equal(tour_play_caption(&p), "one");
    assert_int_equal(tour_play_next_claim(&p, -1), 2);
    assert_int_equal(tour_play_next_claim(&p, 2), 3);
    assert_int_equal(tour_play_next_claim(&p, 3), -1);
    assert_int_equal(tour_play_figures(&p, figures, 8), 2);
    assert_int_equal(tour_play_figures(&p, figures, 1), 1);
    assert_int_equal(p.pointer.place, TOUR_SPOT);
    assert_false(tour_play_is_at_end(&p));
    expect_turn(&p, 1, true, NULL);
    assert_true(tour_play_is_at_end(&p));
    assert_int_equal(tour_play_step(&p), 0);
    assert_true(tour_play_go_on(&p));
    assert_int_equal(tour_play_step(&p), 1);
    assert_int_equal(p.pointer.place, TOUR_NOWHERE);  // it belongs to its step
    assert_true(tour_play_awaits_caption(&p));
    expect_turn(&p, 1, true, NULL);
    assert_false(tour_play_awaits_caption(&p));
    assert_int_equal(tour_play_next_claim(&p, -1), -1);
}

// Nothing is waited for but the end of the step that is the goal.
TEST(hurrying)
{
    OWNED(tour_finish)
    struct tour t = parse("caption one\nwait\n3 Up\nwait 9\npause settled\nwait\ncaption three\n"
                          "4\nwait\n5\nwait\n");
    struct tour_play p = {.tour = &t};
    g_autoptr(GString) keys = g_string_new(NULL);
    tour_play_hurry(&p, 2);
    for (int i = 0; i < 20; i++) {
        const char *key = tour_play_turn(&p, 1, false, false);
        if (key) g_string_append(keys, key);
        assert_true(!tour_play_caption(&p) || tour_play_step(&p) == 2);  // no other step's words
    }
    assert_string_equal(keys->str, "3Up4");
    assert_int_equal(tour_play_step(&p), 2);
    assert_true(tour_play_is_at_end(&p));
    assert_false(p.is_hurrying);
    assert_string_equal(tour_play_caption(&p), "three");
    tour_play_hurry(&p, 3);  // out of a wait
    assert_string_equal(tour_play_turn(&p, 1, false, false), "5");
}

SUITE("tour", set_up, NULL)
