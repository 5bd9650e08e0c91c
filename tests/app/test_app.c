// What each action does to the state, at its limits too, and what a reload keeps.
#include "unit.h"

#include "app/app.h"

// "mean radius=3:0:64,c=5:-128:127 naive shared": a filter in few words. A param whose name begins
// with f_ is a float.
static struct filter made(const char *words)
{
    struct filter f = {0};
    arrays_add_pictures(&f);
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
    struct app app;
    struct filter filters[3], next[4];
    struct filter_list list, next_list;
};

// The state of each test, which begins anew.
static struct world w;
static struct app *const a = &w.app;

static int set_up(void **state)
{
    memset(&w, 0, sizeof w);
    w.filters[0] = made("gaussian radius=4:0:64 f_sigma=1.5:0:12 naive shared");
    w.filters[1] = made("invert naive vector");
    w.filters[2] = made("mean radius=3:2:64 naive texture shared");
    w.list = (struct filter_list){w.filters, 3};
    app_init(a, &w.list, 3);
    return 0;
}

// "mean shared 60 8x4 unroll": what is chosen on the side that keys act on. Valid until the next
// one.
static const char *told(void)
{
    static char text[200];
    const struct settings *s = app_settings(a);
    const int length =
        g_snprintf(text, sizeof text, "%s %s", app_filter(a)->name, app_variant(a)->name);
    GString *rest = g_string_new(NULL);
    for (int i = 0; i < app_filter(a)->param_count; i++)
        g_string_append_printf(rest, " %g", s->params.v[i]);
    if (s->block_width) g_string_append_printf(rest, " %dx%d", s->block_width, s->block_height);
    if (s->is_unrolled) g_string_append(rest, " unroll");
    g_strlcpy(text + length, rest->str, sizeof text - (size_t)length);
    g_string_free(rest, TRUE);
    return text;
}

static void test_first_state(void **state)
{
    assert_string_equal(told(), "gaussian naive 4 1.5");
    assert_true(a->sides[0].choices[2].settings.params.v[0] == 3);
    assert_true(a->text_scale == 1);
    assert_false(a->has_help || a->is_frozen || a->is_bare);
    assert_string_equal(a->note, "");
}

// They stand in one place.
static void test_the_roofline_and_the_sweep_take_turns(void **state)
{
    a->sides[0].filter = 2;
    app_toggle_roof(a);
    assert_string_equal(a->note, "");
    app_toggle_sweep(a);
    assert_true(a->has_sweep && !a->has_roof);
    assert_string_equal(a->note, "the sweep takes the roofline's place");
    app_toggle_roof(a);
    assert_true(a->has_roof && !a->has_sweep);
    assert_string_equal(a->note, "the roofline takes the sweep's place");
    a->note[0] = '\0';
    app_toggle_roof(a);
    app_toggle_sweep(a);
    assert_string_equal(a->note, "");
}

// On a filter without params, with one picture: there is a note, and nothing else changes.
static void test_what_cannot_be_done_is_noted(void **state)
{
    static const struct {
        void (*act)(struct app *a, int arg);
        void (*once)(struct app *a);
        int arg;
        const char *note;
    } rows[] = {
        {app_choose_variant, NULL, 2, "invert has 2 variants"},
        {app_step_axis, NULL, 1, "invert has no radius"},
        {app_step_param, NULL, 1, "invert has no other parameter"},
        {app_change_param, NULL, 1, "invert has no other parameter"},
        {app_step_picture, NULL, 1, "there is one picture"},
        {app_set_flipped, NULL, 1, "there is one picture; c compares two"},
        {app_scroll_pages, NULL, 1, "E opens the source"},
        {app_step_warp, NULL, 1, "M opens the memory lens"},
        {NULL, app_toggle_whole, 0, "M opens the memory lens"},
        {NULL, app_swap_sides, 0, "there is one picture; c compares two"},
        {NULL, app_toggle_unroll, 0, "invert has no whole number to unroll"},
        {NULL, app_toggle_sweep, 0, "invert has no radius to sweep"},
        {NULL, app_undo, 0, "nothing to undo"},
    };
    static struct app before;
    a->sides[0].filter = 1;
    a->picture_count = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        memset(a->note, 0, sizeof a->note);
        before = *a;
        if (rows[i].act) rows[i].act(a, rows[i].arg);
        if (rows[i].once) rows[i].once(a);
        assert_string_equal(a->note, rows[i].note);
        memset(a->note, 0, sizeof a->note);
        assert_memory_equal(a, &before, sizeof before);
    }
}

static void test_variants(void **state)
{
    a->sides[0].filter = 2;
    app_choose_variant(a, 2);
    assert_string_equal(told(), "mean shared 3");
    assert_string_equal(a->note, "");
    app_choose_variant(a, 3);
    assert_string_equal(told(), "mean shared 3");
    assert_string_equal(a->note, "mean has 3 variants");
    app_step_variant(a, 1);
    assert_string_equal(told(), "mean naive 3");
    for (int i = 0; i < 8; i++) app_step_variant(a, -1);
    assert_string_equal(told(), "mean texture 3");
}

static void test_filters_wrap_and_remember(void **state)
{
    app_choose_variant(a, 1);
    app_step_axis(a, 5);
    app_scale_block_width(a, 1);
    app_toggle_unroll(a);
    app_step_filter(a, -1);
    assert_string_equal(told(), "mean naive 3");
    app_step_axis(a, 1);
    app_step_filter(a, 1);
    assert_string_equal(told(), "gaussian shared 9 1.5 64x8 unroll");
    app_step_filter(a, 2);
    assert_string_equal(told(), "mean naive 4");
    app_step_filter(a, -300);
    assert_string_equal(told(), "mean naive 4");
}

static void test_other_params(void **state)
{
    struct filter axis = made("flip radius=1:0:2 axis=0:0:2 c=5:-128:127 naive");
    g_strlcpy(axis.params[1].names[0], "x", sizeof axis.params[1].names[0]);
    g_strlcpy(axis.params[1].names[1], "y", sizeof axis.params[1].names[1]);
    g_strlcpy(axis.params[1].names[2], "both", sizeof axis.params[1].names[2]);
    axis.params[1].name_count = 3;
    w.filters[2] = axis;
    double *const v = a->sides[0].choices[2].settings.params.v;
    v[0] = 1, v[1] = 0, v[2] = 5;

    app_change_param(a, 1);  // of gaussian: sigma, whatever was chosen before
    assert_string_equal(told(), "gaussian naive 4 1.54688");
    for (int i = 0; i < 300; i++) app_change_param(a, -1);
    assert_string_equal(told(), "gaussian naive 4 0");

    a->sides[0].filter = 2;
    a->sides[0].param = 0;  // the radius is not among them
    app_change_param(a, -1);
    assert_string_equal(told(), "flip naive 1 2 5");  // names go round
    assert_non_null(strstr(a->note, "axis both"));
    app_change_param(a, 1);
    assert_string_equal(told(), "flip naive 1 0 5");
    app_step_param(a, 1);
    app_change_param(a, 1);
    assert_string_equal(told(), "flip naive 1 0 6");
    for (int i = 0; i < 200; i++) app_change_param(a, 1);
    assert_string_equal(told(), "flip naive 1 0 127");
    app_step_param(a, 1);  // round, over the radius
    app_change_param(a, 1);
    assert_string_equal(told(), "flip naive 1 1 127");
    app_step_param(a, -1);
    app_step_param(a, -1);
    app_change_param(a, -1);
    assert_string_equal(told(), "flip naive 1 1 126");
}

// A filter with a radius and a lab without one, each of whole numbers and others.
static void axes_init(struct world *v)
{
    v->filters[0] = made("threshold radius=3:0:64 c=5:-128:127 naive");
    v->filters[1] = made("matvec f_scale=1:0:2 rows=64:1:32768 kind=0:0:1 m=8:2:64 naive shared");
    g_strlcpy(v->filters[1].params[2].names[0], "x", FILTER_NAME);
    g_strlcpy(v->filters[1].params[2].names[1], "y", FILTER_NAME);
    v->filters[1].params[2].name_count = 2;
    v->filters[2] = made("invert naive vector");
    v->list = (struct filter_list){v->filters, 3};
    app_init(&v->app, &v->list, 3);
}

static const char *axis_of(void)
{
    return app_side_filter(a, a->side)->params[app_axis(a, a->side)].name;
}

// Steps of the axis, so many times each, and where they lead.
struct steps {
    int step, times;
    double value;
};

static void assert_steps(const struct steps *rows, size_t count)
{
    const double *value = &app_settings(a)->params.v[app_axis(a, a->side)];
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < rows[i].times; k++) app_step_axis(a, rows[i].step);
        if (*value != rows[i].value) fail_msg("row %zu leads to %g", i, *value);
    }
    assert_string_equal(a->note, "");
}

static void test_an_axis_goes_by_ones_or_by_doubling(void **state)
{
    static const struct steps radius[] = {{-1, 1, 2}, {-1, 1, 2}, {-8, 1, 2}, {8, 1, 10},
                                          {8, 7, 64}, {1, 1, 64}, {-8, 1, 56}};
    static const struct steps rows[] = {
        {1, 1, 128}, {8, 1, 1024}, {-1, 1, 512}, {8, 9, 32768}, {-8, 9, 1}};
    w.app.sides[0].filter = 2;  // limits 2 and 64
    assert_steps(radius, G_N_ELEMENTS(radius));
    axes_init(&w);
    w.app.sides[0].filter = 1;
    assert_steps(rows, G_N_ELEMENTS(rows));
}

static void test_the_axis_is_chosen(void **state)
{
    axes_init(&w);
    assert_string_equal(axis_of(), "radius");
    app_change_param(a, 1);  // of c, without being the axis
    assert_string_equal(told(), "threshold naive 3 6");
    assert_string_equal(axis_of(), "radius");
    app_step_param(a, 1);
    assert_string_equal(axis_of(), "c");
    assert_non_null(strstr(a->note, "c 6"));
    app_step_axis(a, 8);
    app_change_param(a, 1);  // of the same
    assert_string_equal(told(), "threshold naive 3 15");
    app_step_param(a, 1);
    assert_string_equal(axis_of(), "radius");
    app_step_axis(a, -1);
    assert_string_equal(told(), "threshold naive 2 15");
    app_step_param(a, -1);
    assert_string_equal(axis_of(), "c");

    a->sides[0].filter = 1;  // each filter has its own
    assert_string_equal(axis_of(), "rows");
    a->sides[0].filter = 0;
    assert_string_equal(axis_of(), "c");
    a->sides[0].filter = 2;
    assert_int_equal(app_axis(a, 0), -1);
}

static void test_what_is_no_axis_leaves_it(void **state)
{
    axes_init(&w);
    a->sides[0].filter = 1;
    assert_string_equal(axis_of(), "rows");  // the first whole number
    app_step_param(a, 1);
    assert_non_null(strstr(a->note, "rows 64"));  // from scale, with which the list begins
    app_step_param(a, 1);
    assert_non_null(strstr(a->note, "kind x"));
    assert_string_equal(axis_of(), "rows");
    app_change_param(a, 1);
    app_step_axis(a, 1);
    assert_string_equal(told(), "matvec naive 1 128 1 8");
    app_step_param(a, 1);
    assert_string_equal(axis_of(), "m");
    app_step_axis(a, 1);
    assert_string_equal(told(), "matvec naive 1 128 1 9");
    app_step_param(a, 1);
    app_change_param(a, 1);
    assert_string_equal(told(), "matvec naive 1.00781 128 1 9");
    assert_string_equal(axis_of(), "m");
}

static void test_the_axis_survives_a_reload(void **state)
{
    static struct world now, gone;
    axes_init(&w);
    axes_init(&now);
    app_step_param(a, 1);
    now.filters[0] = made("threshold c=5:-128:127 edge=0:0:9 radius=3:0:64 naive");
    app_adopt(a, &w.list, &now.list);
    assert_string_equal(axis_of(), "c");
    axes_init(&gone);
    gone.filters[0] = made("threshold edge=0:0:9 radius=3:0:64 f_c=1:0:2 naive");
    app_adopt(a, &now.list, &gone.list);
    assert_string_equal(axis_of(), "radius");
}

// A click may come for a side that has just gone.
static void test_only_a_side_that_is_there_is_chosen(void **state)
{
    app_choose_side(a, APP_B);
    assert_int_equal(a->side, APP_A);
    app_toggle_compare(a);
    app_choose_side(a, APP_A);
    assert_int_equal(a->side, APP_A);
    app_choose_side(a, APP_B);
    assert_int_equal(a->side, APP_B);
}

// To undo brings a change back, not what was looked at meanwhile.
static void test_undo_leaves_the_shown_array(void **state)
{
    axes_init(&w);
    struct filter *lab = &w.filters[1];
    *lab = (struct filter){.variant_count = 2, .array_count = 2};
    lab->arrays[0] = (struct array){.name = "a", .kind = ARRAY_IN};
    lab->arrays[1] = (struct array){.name = "b", .kind = ARRAY_OUT};
    a->sides[0].filter = 1;
    const struct app_mark mark = app_mark(a);
    app_choose_variant(a, 1);
    app_record(a, &mark);
    app_step_picture(a, 1);
    app_undo(a);
    assert_int_equal(app_chosen(a, APP_A).variant - lab->variants, 0);
    assert_int_equal(app_array(a, APP_A), 0);
    assert_int_equal(app_array(a, APP_B), -1);
}

// A file that is added may come before the lab, and arrays may change places.
static void test_the_shown_array_survives_a_reload(void **state)
{
    static struct world now;
    axes_init(&w);
    axes_init(&now);
    struct filter *lab = &w.filters[1];
    *lab = (struct filter){.variant_count = 1, .array_count = 2};
    g_strlcpy(lab->name, "turn", sizeof lab->name);
    lab->arrays[0] = (struct array){.name = "a", .kind = ARRAY_IN};
    lab->arrays[1] = (struct array){.name = "b", .kind = ARRAY_OUT};
    now.filters[2] = *lab;
    now.filters[2].arrays[0] = lab->arrays[1];
    now.filters[2].arrays[1] = lab->arrays[0];
    a->sides[0].filter = 1;
    app_adopt(a, &w.list, &w.list);
    assert_int_equal(app_array(a, APP_A), -1);
    app_step_picture(a, 1);
    assert_int_equal(app_array(a, APP_A), 0);
    assert_int_equal(app_array(a, APP_B), -1);
    app_adopt(a, &w.list, &now.list);
    assert_int_equal(a->sides[0].filter, 2);
    assert_int_equal(app_array(a, APP_A), 1);
    now.filters[2].arrays[1].name[0] = 'c';
    app_adopt(a, &w.list, &now.list);
    assert_int_equal(app_array(a, APP_A), -1);
}

static void assert_block(int width, int height)
{
    assert_int_equal(app_settings(a)->block_width, width);
    assert_int_equal(app_settings(a)->block_height, height);
}

static void test_block_sides(void **state)
{
    static const struct {
        void (*scale)(struct app *a, int step);
        int step, times, width, height;
    } rows[] = {
        {app_scale_block_width, 1, 1, 64, 8},  // from the variant's default
        {app_scale_block_width, 1, 9, 1024, 8},   {app_scale_block_height, 1, 9, 1024, 1024},
        {app_scale_block_width, -1, 12, 1, 1024}, {app_scale_block_height, -1, 12, 1, 1},
        {app_scale_block_height, 1, 1, 1, 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (int k = 0; k < rows[i].times; k++) rows[i].scale(a, rows[i].step);
        assert_block(rows[i].width, rows[i].height);
    }
    *app_settings(a) = (struct settings){.block_width = 7, .block_height = 600};
    app_scale_block_width(a, -1);
    app_scale_block_height(a, 1);
    assert_block(3, 1024);
    a->sides[0].filter = 2;
    assert_block(0, 0);
}

static void test_common_blocks(void **state)
{
    int seen[64][2], count = 0;
    do {
        app_step_block(a, 1);
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
        app_step_block(a, -1);
        assert_block(seen[i][0], seen[i][1]);
    }
    for (int step = -1; step <= 1; step += 2) {  // from a shape that is none of them
        *app_settings(a) = (struct settings){.block_width = 7, .block_height = 5};
        app_step_block(a, step);
        assert_int_not_equal(app_settings(a)->block_width, 7);
        assert_in_range(app_settings(a)->block_width, 8, 1024);
    }
}

static void test_pictures_and_text(void **state)
{
    app_step_picture(a, -1);
    assert_int_equal(a->picture, 2);
    app_step_picture(a, 1);
    assert_int_equal(a->picture, 0);
    assert_string_equal(a->note, "");
    app_scale_text(a, 1);
    assert_true(a->text_scale > 1 && a->text_scale < 1.5);
    for (int i = 0; i < 100; i++) app_scale_text(a, 1);
    assert_true(a->text_scale == 4);
    for (int i = 0; i < 100; i++) app_scale_text(a, -1);
    assert_true(a->text_scale == 0.5);
    app_scale_text(a, 1);
    assert_true(a->text_scale > 0.5);
}

// ---- reload ----

static void adopt(struct filter_list *list)
{
    app_adopt(a, a->filters, list);
    assert_ptr_equal(a->filters, list);
    assert_in_range(a->sides[0].filter, 0, list->count - 1);
    for (int i = 0; i < list->count; i++) {
        const struct filter *f = &list->filters[i];
        struct error err = {""};
        assert_in_range(a->sides[0].choices[i].variant, 0, f->variant_count - 1);
        if (!filter_check(f, &a->sides[0].choices[i].settings.params, &err))
            fail_msg("%s", err.text);
    }
}

// Adopts filters, a line for each.
static void reload(const char *files)
{
    char **lines = g_strsplit(files, "\n", -1);
    w.next_list = (struct filter_list){w.next, (int)g_strv_length(lines)};
    for (int i = 0; lines[i]; i++) w.next[i] = made(lines[i]);
    g_strfreev(lines);
    adopt(&w.next_list);
}

static void choose_all(void)
{
    a->sides[0].choices[0] =
        (struct app_choice){.variant = 1, .settings = {{{7, 2.5}}, 16, 16, true}};
    a->sides[0].choices[1] = (struct app_choice){.variant = 1, .settings = {{{0}}, 8, 4, false}};
    a->sides[0].choices[2] = (struct app_choice){.variant = 2, .settings = {{{60}}, 0, 0, false}};
    a->sides[0].filter = 2;
    a->picture = 1;
    a->is_frozen = a->is_light = a->is_staged = true;
}

// The choice for a filter, as told() has it.
static const char *told_of(int filter)
{
    a->sides[0].filter = filter;
    return told();
}

static void test_adopt_the_same(void **state)
{
    choose_all();
    reload("gaussian radius=4:0:64 f_sigma=1.5:0:12 naive shared\n"
           "invert naive vector\nmean radius=3:2:64 naive texture shared");
    assert_string_equal(told(), "mean shared 60");
    assert_string_equal(told_of(0), "gaussian shared 7 2.5 16x16 unroll");
    assert_string_equal(told_of(1), "invert vector 8x4");
    assert_int_equal(a->picture, 1);
    assert_true(a->is_frozen && a->is_light && a->is_staged);
}

static void test_adopt_keeps_by_name(void **state)
{
    choose_all();
    reload("blur radius=1:0:9 naive\nflip axis=0:0:2 naive\n"
           "gaussian f_sigma=1:0:2 edge=4:0:9 radius=4:0:5 shared constant naive\n"
           "mean c=5:-9:9 radius=3:0:64 running naive separable shared");
    assert_string_equal(told(), "mean shared 5 60");
    // The limits of sigma and radius shrank, and edge is new.
    assert_string_equal(told_of(2), "gaussian shared 2 4 5 16x16 unroll");
    assert_string_equal(told_of(0), "blur naive 1");  // new filters start afresh
    assert_string_equal(told_of(1), "flip naive 0");
}

static void test_adopt_without_the_variant(void **state)
{
    choose_all();
    reload("mean radius=3:0:64 texture naive");
    assert_string_equal(told(), "mean texture 60");
}

static void test_adopt_without_the_filter(void **state)
{
    choose_all();
    reload("zoom naive\nzoom2 naive");
    assert_string_equal(told(), "zoom naive");
    app_step_variant(a, 1);
    app_step_filter(a, -1);
    assert_string_equal(told(), "zoom2 naive");
    adopt(&w.list);  // and back again
    assert_string_equal(told(), "gaussian naive 4 1.5");
}

static void test_adopt_values_of_another_kind(void **state)
{
    // Unrolled, and then there is nothing to unroll: u could not switch it off.
    choose_all();
    reload("gaussian f_sigma=1:0:12 naive");
    assert_string_equal(told(), "gaussian naive 2.5 16x16");
    // A value between whole numbers would be refused for ever: no key changes such a param.
    set_up(NULL);
    w.filters[1] = made("invert sigma=1.5:0:12 naive");
    w.filters[1].params[0].is_float = true;
    w.app.sides[0].filter = 1;
    app_settings(a)->params.v[0] = 2.75;
    reload("invert sigma=1:0:12 naive");
    assert_string_equal(told(), "invert naive 3");
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
    app_init(a, &old, 1);
    app_step_filter(a, -1);
    assert_int_equal(a->sides[0].filter, APP_MAX_FILTERS - 1);
    app_step_variant(a, 1);
    app_adopt(a, &old, &new);
    assert_string_equal(app_filter(a)->name, "f63");
    assert_string_equal(app_variant(a)->name, "shared");
    for (int i = 0; i < APP_MAX_FILTERS; i++) {
        assert_true(a->sides[0].choices[i].settings.params.v[0] == 3);
        assert_in_range(a->sides[0].choices[i].variant, 0, 1);
    }
    g_free(old.filters);
    g_free(new.filters);
}

static void test_a_fixed_variant_has_its_own_block(void **state)
{
    w.filters[0].variants[1].passes[0].is_fixed = true;
    app_settings(a)->block_width = app_settings(a)->block_height = 16;
    app_choose_variant(a, 1);
    assert_block(0, 0);
    app_scale_block_width(a, 1);
    assert_block(0, 0);
    assert_string_equal(a->note, "shared is written for blocks of 32×8");
    app_choose_variant(a, 1);  // once more: nothing is forgotten
    app_step_variant(a, 1);
    assert_block(16, 16);
}

// ---- undo ----

// As input.c does with every key.
static void change(void (*action)(struct app *, int), int arg)
{
    const struct app_mark before = app_mark(a);
    action(a, arg);
    app_record(a, &before);
}

static void undo(struct app *app, int unused)
{
    (void)unused;
    app_undo(app);
}

static void test_undo_goes_back_change_by_change(void **state)
{
    change(app_step_axis, 2);
    change(app_step_filter, 1);
    change(app_choose_variant, 1);
    change(app_scale_text, 1);  // nothing of the picture: nothing to undo
    assert_int_equal(a->undo_count, 3);
    change(undo, 0);
    assert_string_equal(told(), "invert naive");
    change(undo, 0);
    assert_string_equal(told(), "gaussian naive 6 1.5");
    change(undo, 0);
    assert_string_equal(told(), "gaussian naive 4 1.5");
    assert_true(a->text_scale == 1.125);
    assert_false(a->note[0]);
    change(undo, 0);
    assert_string_equal(a->note, "nothing to undo");
}

static void test_undo_remembers_the_last_ones(void **state)
{
    for (int i = 0; i < APP_UNDOS + 3; i++) change(app_choose_variant, (i + 1) % 2);
    assert_int_equal(a->undo_count, APP_UNDOS);
    for (int i = 0; i < APP_UNDOS; i++) change(undo, 0);
    assert_int_equal(a->undo_count, 0);
    assert_string_equal(app_variant(a)->name, "shared");  // three changes from the first
}

// ---- comparing ----

static void test_compare_begins_with_the_same(void **state)
{
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

static void test_close_takes_one_at_a_time(void **state)
{
    app_toggle_difference(a);  // opens the comparison, too
    assert_true(a->is_comparing && a->has_difference);
    app_toggle_sweep(a);
    a->has_help = a->has_bars = a->is_fullscreen = true;
    assert_true(app_close(a));
    assert_true(!a->has_help && a->has_bars);
    int steps = 0;
    while (app_close(a) && steps < 10) steps++;
    assert_int_equal(steps, 6);  // sweep, bars, difference, comparison, full screen; then it asks
    assert_false(a->is_comparing || a->has_bars || a->has_sweep || a->has_difference ||
                 a->is_fullscreen);
}

static void test_source_has_three_states(void **state)
{
    app_turn_source(a);
    assert_true(a->has_source && !a->has_changes);
    app_turn_source(a);
    assert_true(a->has_source && a->has_changes);
    app_turn_source(a);
    assert_false(a->has_source || a->has_changes);
    app_turn_source(a);
    app_turn_source(a);
    assert_true(app_close(a));
    assert_false(a->has_source || a->has_changes);
}

static void test_source_scrolls_within_its_lines(void **state)
{
    const struct app_scroll *s = &a->scrolls[APP_A];

    app_turn_source(a);
    a->scrolls[APP_A] = (struct app_scroll){.last = 25, .page = 10};
    for (int i = 1; i <= 4; i++) {
        app_scroll_pages(a, 1);
        assert_true(s->first == MIN(10 * i, 25));
    }
    app_scroll_lines(a, APP_A, -3);
    assert_true(s->first == 22);
    a->scrolls[APP_A].last = 5;  // the text has become shorter, or the window higher
    app_scroll_pages(a, -1);
    assert_true(s->first == 0);
    app_scroll_lines(a, APP_B, 1);
    assert_true(a->scrolls[APP_B].first == 0);
}

static void test_lens_steps_wait_for_the_viewer(void **state)
{

    a->has_lens = a->has_source = true;
    app_step_warp(a, 1);
    app_step_warp(a, 1);
    app_step_instruction(a, -1);
    assert_true(a->lens_steps[LENS_WARP] == 2);
    assert_true(a->lens_steps[LENS_INSTRUCTION] == -1);
    assert_true(app_close(a));
    assert_true(!a->has_lens && a->has_source);
    assert_true(app_close(a));
    assert_false(a->has_source);
}

static void test_whole_launch_is_stopped_first(void **state)
{

    a->has_lens = a->has_help = true;
    app_toggle_whole(a);
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

#define IN_WORLD(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_first_state),
        IN_WORLD(test_the_roofline_and_the_sweep_take_turns),
        IN_WORLD(test_what_cannot_be_done_is_noted),
        IN_WORLD(test_variants),
        IN_WORLD(test_filters_wrap_and_remember),
        IN_WORLD(test_other_params),
        IN_WORLD(test_the_axis_is_chosen),
        IN_WORLD(test_what_is_no_axis_leaves_it),
        IN_WORLD(test_an_axis_goes_by_ones_or_by_doubling),
        IN_WORLD(test_the_axis_survives_a_reload),
        IN_WORLD(test_only_a_side_that_is_there_is_chosen),
        IN_WORLD(test_undo_leaves_the_shown_array),
        IN_WORLD(test_the_shown_array_survives_a_reload),
        IN_WORLD(test_block_sides),
        IN_WORLD(test_common_blocks),
        IN_WORLD(test_pictures_and_text),
        IN_WORLD(test_adopt_the_same),
        IN_WORLD(test_adopt_keeps_by_name),
        IN_WORLD(test_adopt_without_the_variant),
        IN_WORLD(test_adopt_without_the_filter),
        IN_WORLD(test_adopt_values_of_another_kind),
        IN_WORLD(test_adopt_many),
        IN_WORLD(test_a_fixed_variant_has_its_own_block),
        IN_WORLD(test_undo_goes_back_change_by_change),
        IN_WORLD(test_undo_remembers_the_last_ones),
        IN_WORLD(test_compare_begins_with_the_same),
        IN_WORLD(test_closed_the_one_keys_acted_on_stays),
        IN_WORLD(test_close_takes_one_at_a_time),
        IN_WORLD(test_source_has_three_states),
        IN_WORLD(test_source_scrolls_within_its_lines),
        IN_WORLD(test_lens_steps_wait_for_the_viewer),
        IN_WORLD(test_whole_launch_is_stopped_first),
    };
    return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
