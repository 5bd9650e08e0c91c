// What each action does to the state, at its limits too, and what a reload keeps.
#include "unit.h"

#include <glib.h>
#include <string.h>

#include "app/app.h"
#include "app/docks.h"

// "mean radius=3:0:64,c=5:-128:127 naive shared": a filter in few words. A param whose name begins
// with f_ is a float.
static struct filter made(const char *words)
{
    struct filter f = {0};
    char **all = g_strsplit(words, " ", -1);
    g_strlcpy(f.name, all[0], sizeof f.name);
    for (char **word = all + 1; *word; word++) {
        char *equals = strchr(*word, '=');
        if (equals) {
            struct param *p = &f.params[f.param_count++];
            *equals = '\0';
            g_strlcpy(p->name, *word, sizeof p->name);
            p->is_float = g_str_has_prefix(*word, "f_");
            char **numbers = g_strsplit(equals + 1, ":", 3);
            p->value = g_ascii_strtod(numbers[0], NULL);
            p->min = g_ascii_strtod(numbers[1], NULL);
            p->max = g_ascii_strtod(numbers[2], NULL);
            g_strfreev(numbers);
            continue;
        }
        struct variant *v = &f.variants[f.variant_count++];
        g_strlcpy(v->name, *word, sizeof v->name);
        v->pass_count = 1;
        v->passes[0] = (struct pass){
            .block_width = 32, .block_height = 8, .each_x = 1, .each_y = 1, .multiple_of = 1};
    }
    g_strfreev(all);
    return f;
}

struct world {
    struct filter filters[3];
    struct filter_list list;
    struct app app;
};

static void world_init(struct world *w)
{
    w->filters[0] = made("gaussian radius=4:0:64 f_sigma=1.5:0:12 naive shared");
    w->filters[1] = made("invert naive vector");
    w->filters[2] = made("mean radius=3:2:64 naive texture shared");
    w->list = (struct filter_list){w->filters, 3};
    app_init(&w->app, &w->list, 3);
}

static void test_first_state(void **state)
{
    struct world w;
    world_init(&w);
    assert_int_equal(w.app.sides[0].filter, 0);
    assert_string_equal(app_filter(&w.app)->name, "gaussian");
    assert_string_equal(app_variant(&w.app)->name, "naive");
    assert_true(app_settings(&w.app)->params.v[0] == 4);
    assert_true(app_settings(&w.app)->params.v[1] == 1.5);
    assert_true(w.app.sides[0].choices[2].settings.params.v[0] == 3);
    assert_int_equal(app_settings(&w.app)->block_width, 0);
    assert_true(w.app.text_scale == 1);
    assert_false(w.app.has_help || w.app.is_frozen || w.app.is_bare);
    assert_string_equal(w.app.note, "");
}

// They stand in one place.
static void test_the_roofline_and_the_sweep_take_turns(void **state)
{
    struct world w;
    world_init(&w);
    w.app.sides[0].filter = 2;
    app_toggle_roof(&w.app);
    assert_string_equal(w.app.note, "");
    app_toggle_sweep(&w.app);
    assert_true(w.app.has_sweep && !w.app.has_roof);
    assert_string_equal(w.app.note, "the sweep takes the roofline's place");
    app_toggle_roof(&w.app);
    assert_true(w.app.has_roof && !w.app.has_sweep);
    assert_string_equal(w.app.note, "the roofline takes the sweep's place");
    w.app.note[0] = '\0';
    app_toggle_roof(&w.app);
    app_toggle_sweep(&w.app);
    assert_string_equal(w.app.note, "");
}

static void test_variants(void **state)
{
    struct world w;
    world_init(&w);
    w.app.sides[0].filter = 2;
    app_choose_variant(&w.app, 2);
    assert_string_equal(app_variant(&w.app)->name, "shared");
    assert_string_equal(w.app.note, "");
    app_choose_variant(&w.app, 3);
    assert_string_equal(app_variant(&w.app)->name, "shared");
    assert_string_equal(w.app.note, "mean has 3 variants");
    app_step_variant(&w.app, 1);
    assert_string_equal(app_variant(&w.app)->name, "naive");
    app_step_variant(&w.app, -1);
    assert_string_equal(app_variant(&w.app)->name, "shared");
    for (int i = 0; i < 7; i++) app_step_variant(&w.app, -1);
    assert_string_equal(app_variant(&w.app)->name, "texture");
}

static void test_filters_wrap_and_remember(void **state)
{
    struct world w;
    world_init(&w);
    app_choose_variant(&w.app, 1);
    app_step_axis(&w.app, 5);
    app_scale_block_width(&w.app, 1);
    app_toggle_unroll(&w.app);
    app_step_filter(&w.app, -1);
    assert_string_equal(app_filter(&w.app)->name, "mean");
    assert_int_equal(w.app.sides[0].choices[2].variant, 0);
    assert_true(app_settings(&w.app)->params.v[0] == 3);
    assert_int_equal(app_settings(&w.app)->block_width, 0);
    assert_false(app_settings(&w.app)->is_unrolled);
    app_step_axis(&w.app, 1);
    app_step_filter(&w.app, 1);
    assert_string_equal(app_filter(&w.app)->name, "gaussian");
    assert_string_equal(app_variant(&w.app)->name, "shared");
    assert_true(app_settings(&w.app)->params.v[0] == 9);
    assert_int_equal(app_settings(&w.app)->block_width, 64);
    assert_true(app_settings(&w.app)->is_unrolled);
    app_step_filter(&w.app, 2);
    assert_true(app_settings(&w.app)->params.v[0] == 4);
    app_step_filter(&w.app, -300);
    assert_string_equal(app_filter(&w.app)->name, "mean");
}

static void test_other_params(void **state)
{
    struct world w;
    world_init(&w);
    struct filter axis = made("flip radius=1:0:2 axis=0:0:2 c=5:-128:127 naive");
    g_strlcpy(axis.params[1].names[0], "x", sizeof axis.params[1].names[0]);
    g_strlcpy(axis.params[1].names[1], "y", sizeof axis.params[1].names[1]);
    g_strlcpy(axis.params[1].names[2], "both", sizeof axis.params[1].names[2]);
    axis.params[1].name_count = 3;
    w.filters[2] = axis;
    double *const v = w.app.sides[0].choices[2].settings.params.v;
    v[0] = 1, v[1] = 0, v[2] = 5;

    app_change_param(&w.app, 1);  // of gaussian: sigma, whatever was chosen before
    assert_true(app_settings(&w.app)->params.v[0] == 4);
    assert_true(app_settings(&w.app)->params.v[1] == 1.5 + 12.0 / 256);
    for (int i = 0; i < 300; i++) app_change_param(&w.app, -1);
    assert_true(app_settings(&w.app)->params.v[1] == 0);

    w.app.sides[0].filter = 2;
    w.app.sides[0].param = 0;  // the radius is not among them
    app_change_param(&w.app, -1);
    assert_true(v[0] == 1 && v[1] == 2 && v[2] == 5);  // names go round
    assert_non_null(strstr(w.app.note, "axis both"));
    app_change_param(&w.app, 1);
    assert_true(v[1] == 0);
    app_step_param(&w.app, 1);
    app_change_param(&w.app, 1);
    assert_true(v[1] == 0 && v[2] == 6);
    for (int i = 0; i < 200; i++) app_change_param(&w.app, 1);
    assert_true(v[2] == 127);
    app_step_param(&w.app, 1);  // round, over the radius
    app_change_param(&w.app, 1);
    assert_true(v[0] == 1 && v[1] == 1);
    app_step_param(&w.app, -1);
    app_step_param(&w.app, -1);
    app_change_param(&w.app, -1);
    assert_true(v[2] == 126);

    w.app.sides[0].filter = 1;
    app_step_param(&w.app, 1);
    assert_string_equal(w.app.note, "invert has no other parameter");
    w.app.note[0] = '\0';
    app_change_param(&w.app, 1);
    assert_string_equal(w.app.note, "invert has no other parameter");
}

static void test_radius(void **state)
{
    struct world w;
    world_init(&w);
    w.app.sides[0].filter = 2;  // limits 2 and 64
    double *radius = &app_settings(&w.app)->params.v[0];
    app_step_axis(&w.app, -1);
    app_step_axis(&w.app, -1);
    assert_true(*radius == 2);
    app_step_axis(&w.app, -8);
    assert_true(*radius == 2);
    app_step_axis(&w.app, 8);
    assert_true(*radius == 10);
    for (int i = 0; i < 7; i++) app_step_axis(&w.app, 8);
    assert_true(*radius == 64);
    app_step_axis(&w.app, 1);
    assert_true(*radius == 64);
    app_step_axis(&w.app, -8);
    assert_true(*radius == 56);
    assert_string_equal(w.app.note, "");
    w.app.sides[0].filter = 1;
    app_step_axis(&w.app, 1);
    assert_string_equal(w.app.note, "invert has no radius");
    assert_true(app_settings(&w.app)->params.v[0] == 0);
}

// A filter with a radius and a lab without one, each of whole numbers and others.
static void axes_init(struct world *w)
{
    w->filters[0] = made("threshold radius=3:0:64 c=5:-128:127 naive");
    w->filters[1] = made("matvec f_scale=1:0:2 rows=64:1:32768 kind=0:0:1 m=8:2:64 naive shared");
    g_strlcpy(w->filters[1].params[2].names[0], "x", FILTER_NAME);
    g_strlcpy(w->filters[1].params[2].names[1], "y", FILTER_NAME);
    w->filters[1].params[2].name_count = 2;
    w->filters[2] = made("invert naive vector");
    w->list = (struct filter_list){w->filters, 3};
    app_init(&w->app, &w->list, 3);
}

static const char *axis_of(const struct app *a)
{
    return app_side_filter(a, a->side)->params[app_axis(a, a->side)].name;
}

static void test_the_axis_is_chosen(void **state)
{
    struct world w;
    axes_init(&w);
    double *const v = w.app.sides[0].choices[0].settings.params.v;
    assert_string_equal(axis_of(&w.app), "radius");
    app_change_param(&w.app, 1);  // of c, without being the axis
    assert_true(v[0] == 3 && v[1] == 6);
    assert_string_equal(axis_of(&w.app), "radius");
    app_step_param(&w.app, 1);
    assert_string_equal(axis_of(&w.app), "c");
    assert_non_null(strstr(w.app.note, "c 6"));
    app_step_axis(&w.app, 8);
    app_change_param(&w.app, 1);  // of the same
    assert_true(v[0] == 3 && v[1] == 15);
    app_step_param(&w.app, 1);
    assert_string_equal(axis_of(&w.app), "radius");
    app_step_axis(&w.app, -1);
    assert_true(v[0] == 2 && v[1] == 15);
    app_step_param(&w.app, -1);
    assert_string_equal(axis_of(&w.app), "c");

    w.app.sides[0].filter = 1;  // each filter has its own
    assert_string_equal(axis_of(&w.app), "rows");
    w.app.sides[0].filter = 0;
    assert_string_equal(axis_of(&w.app), "c");
    w.app.sides[0].filter = 2;
    assert_int_equal(app_axis(&w.app, 0), -1);
}

static void test_what_is_no_axis_leaves_it(void **state)
{
    struct world w;
    axes_init(&w);
    w.app.sides[0].filter = 1;
    double *const v = w.app.sides[0].choices[1].settings.params.v;
    assert_string_equal(axis_of(&w.app), "rows");  // the first whole number
    app_step_param(&w.app, 1);
    assert_non_null(strstr(w.app.note, "rows 64"));  // from scale, with which the list begins
    app_step_param(&w.app, 1);
    assert_non_null(strstr(w.app.note, "kind x"));
    assert_string_equal(axis_of(&w.app), "rows");
    app_change_param(&w.app, 1);
    app_step_axis(&w.app, 1);
    assert_true(v[1] == 128 && v[2] == 1);
    app_step_param(&w.app, 1);
    assert_string_equal(axis_of(&w.app), "m");
    app_step_axis(&w.app, 1);
    assert_true(v[1] == 128 && v[3] == 9);
    app_step_param(&w.app, 1);
    app_change_param(&w.app, 1);
    assert_true(v[0] == 1 + 2.0 / 256);
    assert_string_equal(axis_of(&w.app), "m");
}

static void test_a_wide_axis_doubles(void **state)
{
    struct world w;
    axes_init(&w);
    w.app.sides[0].filter = 1;
    double *const rows = &app_settings(&w.app)->params.v[1];
    app_step_axis(&w.app, 1);
    assert_true(*rows == 128);
    app_step_axis(&w.app, 8);
    assert_true(*rows == 1024);
    app_step_axis(&w.app, -1);
    assert_true(*rows == 512);
    for (int i = 0; i < 9; i++) app_step_axis(&w.app, 8);
    assert_true(*rows == 32768);
    for (int i = 0; i < 9; i++) app_step_axis(&w.app, -8);
    assert_true(*rows == 1);
}

static void test_the_axis_survives_a_reload(void **state)
{
    static struct world w, now, gone;  // megabytes
    axes_init(&w);
    axes_init(&now);
    app_step_param(&w.app, 1);
    now.filters[0] = made("threshold c=5:-128:127 edge=0:0:9 radius=3:0:64 naive");
    app_adopt(&w.app, &w.list, &now.list);
    assert_string_equal(axis_of(&w.app), "c");
    axes_init(&gone);
    gone.filters[0] = made("threshold edge=0:0:9 radius=3:0:64 f_c=1:0:2 naive");
    app_adopt(&w.app, &now.list, &gone.list);
    assert_string_equal(axis_of(&w.app), "radius");
}

// A click may come for a side that has just gone.
static void test_only_a_side_that_is_there_is_chosen(void **state)
{
    struct world w;
    world_init(&w);
    app_choose_side(&w.app, APP_B);
    assert_int_equal(w.app.side, APP_A);
    app_toggle_compare(&w.app);
    app_choose_side(&w.app, APP_A);
    assert_int_equal(w.app.side, APP_A);
    app_choose_side(&w.app, APP_B);
    assert_int_equal(w.app.side, APP_B);
}

// To undo brings a change back, not what was looked at meanwhile.
static void test_undo_leaves_the_shown_array(void **state)
{
    struct world w;
    axes_init(&w);
    struct filter *lab = &w.filters[1];
    *lab = (struct filter){.is_lab = true, .variant_count = 2, .array_count = 2};
    lab->arrays[0] = (struct array){.name = "a", .kind = ARRAY_IN};
    lab->arrays[1] = (struct array){.name = "b", .kind = ARRAY_OUT};
    w.app.sides[0].filter = 1;
    const struct app_mark mark = app_mark(&w.app);
    app_choose_variant(&w.app, 1);
    app_record(&w.app, &mark);
    app_step_picture(&w.app, 1);
    app_undo(&w.app);
    assert_int_equal(app_chosen(&w.app, APP_A).variant - lab->variants, 0);
    assert_int_equal(app_array(&w.app, APP_A), 0);
    assert_int_equal(app_array(&w.app, APP_B), -1);
}

// A file that is added may come before the lab, and arrays may change places.
static void test_the_shown_array_survives_a_reload(void **state)
{
    struct world w, now;
    axes_init(&w);
    axes_init(&now);
    struct filter *lab = &w.filters[1];
    *lab = (struct filter){.is_lab = true, .variant_count = 1, .array_count = 2};
    g_strlcpy(lab->name, "turn", sizeof lab->name);
    lab->arrays[0] = (struct array){.name = "a", .kind = ARRAY_IN};
    lab->arrays[1] = (struct array){.name = "b", .kind = ARRAY_OUT};
    now.filters[2] = *lab;
    now.filters[2].arrays[0] = lab->arrays[1];
    now.filters[2].arrays[1] = lab->arrays[0];
    w.app.sides[0].filter = 1;
    app_adopt(&w.app, &w.list, &w.list);
    assert_int_equal(app_array(&w.app, APP_A), -1);
    app_step_picture(&w.app, 1);
    assert_int_equal(app_array(&w.app, APP_A), 0);
    assert_int_equal(app_array(&w.app, APP_B), -1);
    app_adopt(&w.app, &w.list, &now.list);
    assert_int_equal(w.app.sides[0].filter, 2);
    assert_int_equal(app_array(&w.app, APP_A), 1);
    now.filters[2].arrays[1].name[0] = 'c';
    app_adopt(&w.app, &w.list, &now.list);
    assert_int_equal(app_array(&w.app, APP_A), -1);
}

static void assert_block(struct app *a, int width, int height)
{
    assert_int_equal(app_settings(a)->block_width, width);
    assert_int_equal(app_settings(a)->block_height, height);
}

static void test_block_sides(void **state)
{
    struct world w;
    world_init(&w);
    app_scale_block_width(&w.app, 1);  // from the variant's default
    assert_block(&w.app, 64, 8);
    for (int i = 0; i < 9; i++) app_scale_block_width(&w.app, 1);
    assert_block(&w.app, 1024, 8);
    for (int i = 0; i < 9; i++) app_scale_block_height(&w.app, 1);
    assert_block(&w.app, 1024, 1024);
    for (int i = 0; i < 12; i++) app_scale_block_width(&w.app, -1);
    assert_block(&w.app, 1, 1024);
    for (int i = 0; i < 12; i++) app_scale_block_height(&w.app, -1);
    assert_block(&w.app, 1, 1);
    app_scale_block_height(&w.app, 1);
    assert_block(&w.app, 1, 2);
    *app_settings(&w.app) = (struct settings){.block_width = 7, .block_height = 600};
    app_scale_block_width(&w.app, -1);
    app_scale_block_height(&w.app, 1);
    assert_block(&w.app, 3, 1024);
    w.app.sides[0].filter = 2;
    assert_block(&w.app, 0, 0);
}

static void test_common_blocks(void **state)
{
    struct world w;
    world_init(&w);
    int seen[64][2], count = 0;
    do {
        app_step_block(&w.app, 1);
        const struct settings *s = app_settings(&w.app);
        for (int i = 0; i < count; i++)
            assert_false(seen[i][0] == s->block_width && seen[i][1] == s->block_height);
        seen[count][0] = s->block_width;
        seen[count++][1] = s->block_height;
        assert_in_range(s->block_width * s->block_height, 32, 1024);
        assert_true(count < 64);
    } while (app_settings(&w.app)->block_width != 32 || app_settings(&w.app)->block_height != 8);
    assert_true(count > 8);
    for (int i = count - 2; i >= 0; i--) {  // back the same way
        app_step_block(&w.app, -1);
        assert_block(&w.app, seen[i][0], seen[i][1]);
    }
    for (int step = -1; step <= 1; step += 2) {  // from a shape that is none of them
        *app_settings(&w.app) = (struct settings){.block_width = 7, .block_height = 5};
        app_step_block(&w.app, step);
        assert_int_not_equal(app_settings(&w.app)->block_width, 7);
        assert_in_range(app_settings(&w.app)->block_width, 8, 1024);
    }
}

static void test_pictures(void **state)
{
    struct world w;
    world_init(&w);
    app_step_picture(&w.app, -1);
    assert_int_equal(w.app.picture, 2);
    app_step_picture(&w.app, 1);
    assert_int_equal(w.app.picture, 0);
    assert_string_equal(w.app.note, "");
    app_init(&w.app, &w.list, 1);
    app_step_picture(&w.app, 1);
    assert_int_equal(w.app.picture, 0);
    assert_string_equal(w.app.note, "there is one picture");
}

static void test_text_scale(void **state)
{
    struct world w;
    world_init(&w);
    app_scale_text(&w.app, 1);
    assert_true(w.app.text_scale > 1 && w.app.text_scale < 1.5);
    for (int i = 0; i < 100; i++) app_scale_text(&w.app, 1);
    assert_true(w.app.text_scale == 4);
    for (int i = 0; i < 100; i++) app_scale_text(&w.app, -1);
    assert_true(w.app.text_scale == 0.5);
    app_scale_text(&w.app, 1);
    assert_true(w.app.text_scale > 0.5);
}

static void test_unroll_needs_a_radius(void **state)
{
    struct world w;
    world_init(&w);
    w.app.sides[0].filter = 1;
    app_toggle_unroll(&w.app);
    assert_false(app_settings(&w.app)->is_unrolled);
    assert_string_equal(w.app.note, "invert has no whole number to unroll");
}

static void test_closing_begins_with_the_help(void **state)
{
    struct world w;
    world_init(&w);
    w.app.has_help = w.app.has_bars = true;
    assert_true(app_close(&w.app));
    assert_true(!w.app.has_help && w.app.has_bars);
    assert_true(app_close(&w.app));
    assert_false(w.app.has_bars);
}

// ---- reload ----

static void adopt(struct world *w, struct filter_list *list)
{
    app_adopt(&w->app, w->app.filters, list);
    assert_ptr_equal(w->app.filters, list);
    assert_in_range(w->app.sides[0].filter, 0, list->count - 1);
    for (int i = 0; i < list->count; i++) {
        const struct filter *f = &list->filters[i];
        struct error err = {""};
        assert_in_range(w->app.sides[0].choices[i].variant, 0, f->variant_count - 1);
        if (!filter_check(f, &w->app.sides[0].choices[i].settings.params, &err))
            fail_msg("%s", err.text);
    }
}

static void choose_all(struct world *w)
{
    world_init(w);
    w->app.sides[0].choices[0] =
        (struct app_choice){.variant = 1, .settings = {{{7, 2.5}}, 16, 16, true}};
    w->app.sides[0].choices[1] =
        (struct app_choice){.variant = 1, .settings = {{{0}}, 8, 4, false}};
    w->app.sides[0].choices[2] =
        (struct app_choice){.variant = 2, .settings = {{{60}}, 0, 0, false}};
    w->app.sides[0].filter = 2;
    w->app.picture = 1;
    w->app.is_frozen = w->app.is_light = w->app.is_staged = true;
}

static void test_adopt_the_same(void **state)
{
    struct world w, again;
    choose_all(&w);
    world_init(&again);
    adopt(&w, &again.list);
    assert_string_equal(app_filter(&w.app)->name, "mean");
    assert_string_equal(app_variant(&w.app)->name, "shared");
    assert_true(app_settings(&w.app)->params.v[0] == 60);
    assert_true(w.app.sides[0].choices[0].settings.params.v[1] == 2.5);
    assert_true(w.app.sides[0].choices[0].settings.is_unrolled);
    assert_int_equal(w.app.sides[0].choices[0].settings.block_width, 16);
    assert_int_equal(w.app.sides[0].choices[1].settings.block_height, 4);
    assert_int_equal(w.app.picture, 1);
    assert_true(w.app.is_frozen && w.app.is_light && w.app.is_staged);
}

static void test_adopt_keeps_by_name(void **state)
{
    struct world w;
    choose_all(&w);
    struct filter now[] = {
        made("blur radius=1:0:9 naive"),
        made("flip axis=0:0:2 naive"),
        made("gaussian f_sigma=1:0:2 edge=4:0:9 radius=4:0:5 shared constant naive"),
        made("mean c=5:-9:9 radius=3:0:64 running naive separable shared"),
    };
    struct filter_list list = {now, 4};
    adopt(&w, &list);
    assert_string_equal(app_filter(&w.app)->name, "mean");
    assert_string_equal(app_variant(&w.app)->name, "shared");
    assert_int_equal(w.app.sides[0].choices[3].variant, 3);
    assert_true(app_settings(&w.app)->params.v[0] == 5);
    assert_true(app_settings(&w.app)->params.v[1] == 60);
    const struct app_choice *gaussian = &w.app.sides[0].choices[2];
    assert_int_equal(gaussian->variant, 0);            // shared
    assert_true(gaussian->settings.params.v[0] == 2);  // sigma 2.5, the limit shrank
    assert_true(gaussian->settings.params.v[1] == 4);  // new
    assert_true(gaussian->settings.params.v[2] == 5);  // radius 7, the limit shrank
    assert_true(gaussian->settings.is_unrolled);
    assert_true(w.app.sides[0].choices[0].settings.params.v[0] == 1);  // new filters start afresh
    assert_int_equal(w.app.sides[0].choices[0].settings.block_width, 0);
    assert_int_equal(w.app.sides[0].choices[1].settings.block_width, 0);
}

static void test_adopt_without_the_variant(void **state)
{
    struct world w;
    choose_all(&w);
    struct filter now[] = {made("mean radius=3:0:64 texture naive")};
    struct filter_list list = {now, 1};
    adopt(&w, &list);
    assert_string_equal(app_variant(&w.app)->name, "texture");
    assert_true(app_settings(&w.app)->params.v[0] == 60);
}

static void test_adopt_without_the_filter(void **state)
{
    struct world w;
    choose_all(&w);
    struct filter now[] = {made("zoom naive"), made("zoom2 naive")};
    struct filter_list list = {now, 2};
    adopt(&w, &list);
    assert_int_equal(w.app.sides[0].filter, 0);
    assert_string_equal(app_variant(&w.app)->name, "naive");
    app_step_variant(&w.app, 1);
    app_step_filter(&w.app, -1);
    assert_string_equal(app_filter(&w.app)->name, "zoom2");

    struct world back;  // and back again
    world_init(&back);
    adopt(&w, &back.list);
    assert_string_equal(app_filter(&w.app)->name, "gaussian");
    assert_true(app_settings(&w.app)->params.v[0] == 4);
}

// Unrolled, and then there is nothing to unroll: u could not switch it off.
static void test_adopt_without_the_radius(void **state)
{
    struct world w;
    choose_all(&w);
    struct filter now[] = {made("gaussian f_sigma=1:0:12 naive")};
    struct filter_list list = {now, 1};
    adopt(&w, &list);
    assert_false(app_settings(&w.app)->is_unrolled);
    assert_true(app_settings(&w.app)->params.v[0] == 2.5);
}

// A value between whole numbers would be refused for ever: no key changes such a param.
static void test_adopt_when_a_float_becomes_an_int(void **state)
{
    struct world w;
    world_init(&w);
    w.filters[0] = made("gaussian f_sigma=1.5:0:12 naive");
    app_init(&w.app, &w.list, 1);
    app_settings(&w.app)->params.v[0] = 2.75;
    struct filter now[] = {made("gaussian f_sigma=1:0:12 naive")};
    now[0].params[0].is_float = false;
    struct filter_list list = {now, 1};
    adopt(&w, &list);
    assert_true(app_settings(&w.app)->params.v[0] == 3);
}

static void test_adopt_many(void **state)
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
    struct world w;
    app_init(&w.app, &old, 1);
    app_step_filter(&w.app, -1);
    assert_int_equal(w.app.sides[0].filter, APP_MAX_FILTERS - 1);
    app_step_variant(&w.app, 1);
    app_adopt(&w.app, &old, &new);
    assert_string_equal(app_filter(&w.app)->name, "f63");
    assert_string_equal(app_variant(&w.app)->name, "shared");
    for (int i = 0; i < APP_MAX_FILTERS; i++) {
        assert_true(w.app.sides[0].choices[i].settings.params.v[0] == 3);
        assert_in_range(w.app.sides[0].choices[i].variant, 0, 1);
    }
    g_free(old.filters);
    g_free(new.filters);
}

static void test_a_fixed_variant_has_its_own_block(void **state)
{
    struct world w;
    world_init(&w);
    struct app *a = &w.app;
    w.filters[0].variants[1].passes[0].is_fixed = true;
    app_settings(a)->block_width = app_settings(a)->block_height = 16;
    app_choose_variant(a, 1);
    assert_int_equal(app_settings(a)->block_width, 0);
    app_scale_block_width(a, 1);
    assert_int_equal(app_settings(a)->block_width, 0);
    assert_string_equal(a->note, "shared is written for blocks of 32×8");
    app_choose_variant(a, 1);  // once more: nothing is forgotten
    app_step_variant(a, 1);
    assert_int_equal(app_settings(a)->block_width, 16);
    assert_int_equal(app_settings(a)->block_height, 16);
}

// ---- undo ----

// As input.c does with every key.
static void change(struct app *a, void (*action)(struct app *, int), int arg)
{
    const struct app_mark before = app_mark(a);
    action(a, arg);
    app_record(a, &before);
}

static void undo(struct app *a, int unused)
{
    (void)unused;
    app_undo(a);
}

static void test_undo_goes_back_change_by_change(void **state)
{
    struct world w;
    world_init(&w);
    struct app *a = &w.app;
    change(a, app_step_axis, 2);
    change(a, app_step_filter, 1);
    change(a, app_choose_variant, 1);
    change(a, app_scale_text, 1);  // nothing of the picture: nothing to undo
    assert_int_equal(a->undo_count, 3);
    change(a, undo, 0);
    assert_string_equal(app_variant(a)->name, "naive");
    change(a, undo, 0);
    assert_string_equal(app_filter(a)->name, "gaussian");
    assert_true(app_settings(a)->params.v[0] == 6);
    change(a, undo, 0);
    assert_true(app_settings(a)->params.v[0] == 4);
    assert_true(a->text_scale == 1.125);
    assert_false(a->note[0]);
    change(a, undo, 0);
    assert_string_equal(a->note, "nothing to undo");
}

static void test_undo_remembers_the_last_ones(void **state)
{
    struct world w;
    world_init(&w);
    for (int i = 0; i < APP_UNDOS + 3; i++) change(&w.app, app_choose_variant, (i + 1) % 2);
    assert_int_equal(w.app.undo_count, APP_UNDOS);
    for (int i = 0; i < APP_UNDOS; i++) change(&w.app, undo, 0);
    assert_int_equal(w.app.undo_count, 0);
    assert_string_equal(app_variant(&w.app)->name, "shared");  // three changes from the first
}

// ---- comparing ----

static void test_compare_begins_with_the_same(void **state)
{
    struct world w;
    world_init(&w);
    struct app *a = &w.app;
    app_step_axis(a, 3);
    app_toggle_compare(a);
    assert_true(a->is_comparing);
    assert_int_equal(a->side, APP_B);
    assert_true(app_settings(a)->params.v[0] == 7);
    app_choose_variant(a, 1);
    assert_int_equal(app_side_choice(a, APP_A)->variant, 0);
    app_swap_sides(a);
    assert_int_equal(a->side, APP_A);
    assert_string_equal(app_variant(a)->name, "naive");
}

static void test_closed_the_one_keys_acted_on_stays(void **state)
{
    struct world w;
    world_init(&w);
    struct app *a = &w.app;
    app_toggle_compare(a);
    app_choose_variant(a, 1);
    app_toggle_difference(a);
    app_toggle_compare(a);
    assert_false(a->is_comparing || a->has_difference);
    assert_int_equal(a->side, APP_A);
    assert_string_equal(app_variant(a)->name, "shared");
    app_toggle_compare(a);  // the other one was kept
    assert_string_equal(app_variant(a)->name, "naive");
}

static void test_one_picture_has_no_other_side(void **state)
{
    struct world w;
    world_init(&w);
    app_swap_sides(&w.app);
    assert_int_equal(w.app.side, APP_A);
    assert_true(w.app.note[0]);
    w.app.note[0] = '\0';
    app_set_flipped(&w.app, 1);
    assert_false(w.app.is_flipped);
    assert_true(w.app.note[0]);
}

static void test_difference_opens_the_comparison(void **state)
{
    struct world w;
    world_init(&w);
    app_toggle_difference(&w.app);
    assert_true(w.app.is_comparing && w.app.has_difference);
}

static void test_close_takes_one_at_a_time(void **state)
{
    struct world w;
    world_init(&w);
    struct app *a = &w.app;
    app_toggle_difference(a);
    app_toggle_sweep(a);
    a->has_bars = a->is_fullscreen = true;
    int steps = 0;
    while (app_close(a) && steps < 10) steps++;
    assert_int_equal(steps, 6);  // sweep, bars, difference, comparison, full screen; then it asks
    assert_false(a->is_comparing || a->has_bars || a->has_sweep || a->has_difference ||
                 a->is_fullscreen);
}

static void test_source_has_three_states(void **state)
{
    struct world w;
    world_init(&w);
    const struct app *a = &w.app;
    docks_turn_source(&w.app);
    assert_true(a->has_source && !a->has_changes);
    docks_turn_source(&w.app);
    assert_true(a->has_source && a->has_changes);
    docks_turn_source(&w.app);
    assert_false(a->has_source || a->has_changes);
    docks_turn_source(&w.app);
    docks_turn_source(&w.app);
    assert_true(app_close(&w.app));
    assert_false(a->has_source || a->has_changes);
}

static void test_source_scrolls_within_its_lines(void **state)
{
    struct world w;
    world_init(&w);
    const struct app_scroll *s = &w.app.scrolls[APP_A];
    docks_scroll(&w.app, 1);
    assert_true(w.app.note[0] && s->first == 0);
    docks_turn_source(&w.app);
    w.app.scrolls[APP_A] = (struct app_scroll){.last = 25, .page = 10};
    for (int i = 1; i <= 4; i++) {
        docks_scroll(&w.app, 1);
        assert_true(s->first == MIN(10 * i, 25));
    }
    docks_scroll_lines(&w.app, APP_A, -3);
    assert_true(s->first == 22);
    w.app.scrolls[APP_A].last = 5;  // the text has become shorter, or the window higher
    docks_scroll(&w.app, -1);
    assert_true(s->first == 0);
    docks_scroll_lines(&w.app, APP_B, 1);
    assert_true(w.app.scrolls[APP_B].first == 0);
}

static void test_lens_steps_wait_for_the_viewer(void **state)
{
    struct world w;
    world_init(&w);
    docks_step_warp(&w.app, 1);
    assert_true(w.app.note[0] && w.app.lens_steps[LENS_WARP] == 0);
    w.app.has_lens = w.app.has_source = true;
    docks_step_warp(&w.app, 1);
    docks_step_warp(&w.app, 1);
    docks_step_instruction(&w.app, -1);
    assert_true(w.app.lens_steps[LENS_WARP] == 2);
    assert_true(w.app.lens_steps[LENS_INSTRUCTION] == -1);
    assert_true(app_close(&w.app));
    assert_true(!w.app.has_lens && w.app.has_source);
    assert_true(app_close(&w.app));
    assert_false(w.app.has_source);
}

static void test_whole_launch_is_stopped_first(void **state)
{
    struct world w;
    world_init(&w);
    docks_toggle_whole(&w.app);
    assert_true(w.app.note[0] && !w.app.has_whole[APP_A]);
    w.app.has_lens = w.app.has_help = true;
    docks_toggle_whole(&w.app);
    assert_true(w.app.has_whole[APP_A] && !w.app.has_whole[APP_B]);
    assert_true(docks_stop_whole(&w.app));
    assert_false(docks_stop_whole(&w.app) || w.app.has_whole[APP_A]);
    w.app.has_whole[APP_A] = true;
    w.app.side = APP_B;
    w.app.has_whole[APP_B] = w.app.runs_whole[APP_A] = w.app.runs_whole[APP_B] = true;
    assert_true(app_close(&w.app));
    assert_true(w.app.has_whole[APP_A] && !w.app.has_whole[APP_B]);
    assert_true(app_close(&w.app));
    assert_true(!w.app.has_whole[APP_A] && w.app.has_help && w.app.has_lens);
    assert_true(app_close(&w.app));
    assert_false(w.app.has_help);
}

static void test_sweep_needs_a_radius(void **state)
{
    struct world w;
    world_init(&w);
    w.app.sides[0].filter = 1;
    app_toggle_sweep(&w.app);
    assert_false(w.app.has_sweep);
    assert_true(w.app.note[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_state),
        cmocka_unit_test(test_the_roofline_and_the_sweep_take_turns),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_filters_wrap_and_remember),
        cmocka_unit_test(test_other_params),
        cmocka_unit_test(test_radius),
        cmocka_unit_test(test_the_axis_is_chosen),
        cmocka_unit_test(test_what_is_no_axis_leaves_it),
        cmocka_unit_test(test_a_wide_axis_doubles),
        cmocka_unit_test(test_the_axis_survives_a_reload),
        cmocka_unit_test(test_only_a_side_that_is_there_is_chosen),
        cmocka_unit_test(test_undo_leaves_the_shown_array),
        cmocka_unit_test(test_the_shown_array_survives_a_reload),
        cmocka_unit_test(test_block_sides),
        cmocka_unit_test(test_common_blocks),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_text_scale),
        cmocka_unit_test(test_unroll_needs_a_radius),
        cmocka_unit_test(test_closing_begins_with_the_help),
        cmocka_unit_test(test_adopt_the_same),
        cmocka_unit_test(test_adopt_keeps_by_name),
        cmocka_unit_test(test_adopt_without_the_variant),
        cmocka_unit_test(test_adopt_without_the_filter),
        cmocka_unit_test(test_adopt_without_the_radius),
        cmocka_unit_test(test_adopt_when_a_float_becomes_an_int),
        cmocka_unit_test(test_adopt_many),
        cmocka_unit_test(test_a_fixed_variant_has_its_own_block),
        cmocka_unit_test(test_undo_goes_back_change_by_change),
        cmocka_unit_test(test_undo_remembers_the_last_ones),
        cmocka_unit_test(test_compare_begins_with_the_same),
        cmocka_unit_test(test_closed_the_one_keys_acted_on_stays),
        cmocka_unit_test(test_one_picture_has_no_other_side),
        cmocka_unit_test(test_difference_opens_the_comparison),
        cmocka_unit_test(test_close_takes_one_at_a_time),
        cmocka_unit_test(test_source_has_three_states),
        cmocka_unit_test(test_source_scrolls_within_its_lines),
        cmocka_unit_test(test_lens_steps_wait_for_the_viewer),
        cmocka_unit_test(test_whole_launch_is_stopped_first),
        cmocka_unit_test(test_sweep_needs_a_radius),
    };
    return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
