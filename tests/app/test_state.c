// The state as text: what is written is read back exactly, and what cannot be is refused in one
// line, with the app as it was.
#include "unit.h"

#include <cjson/cJSON.h>
#include <glib/gstdio.h>

#include "app/state.h"
#include "base/rows.h"
#include "folder.h"
#include "texts.h"

static struct app app, same;  // of the test that runs

static int load(void **state)
{
    static const char *const files[][2] = {
        {"flip.cu", "//! filter \"Flip\"\n//! param axis x [x, y, both] which way\n" NAIVE},
        {"gaussian.cu", "//! filter \"Gaussian\"\n//! param radius 3 [0, 64] pixels\n"
                        "//! param sigma float 0 [0, 12.5] width\n"
                        "//! param c 0 [-9, 9] bias\n" NAIVE ANOTHER("shared")},
        {"mean.cu", "//! filter \"Mean\"\n//! param radius 3 [0, 64]\n" NAIVE ANOTHER("texture")},
        {"plain.cu", "//! filter \"Plain\"\n" NAIVE},
        {"turn.cu", "//! lab \"Turn\"\n//! param n 9 [1, 99] side\n"
                    "//! array a float in [n][n] noise 0, 255\n"
                    "//! array b float out [n][n] shown 0, 255\n" NAIVE},
    };
    return parse_filters(&filters, files, G_N_ELEMENTS(files));
}

// Two sides that differ from each other and from the defaults in all there is.
static void make_app(struct app *a)
{
    app_init(a, &filters, 3);
    a->is_comparing = a->has_compared = true;
    a->side = APP_B;
    a->sides[APP_A].filter = 1;
    a->sides[APP_A].choices[1] = (struct app_choice){.variant = 1,
                                                     .settings = {.params.v = {17, 1.1},
                                                                  .block_width = 7,
                                                                  .block_height = 5,
                                                                  .is_unrolled = true},
                                                     .axis = "c"};
    a->sides[APP_B].filter = 0;
    a->sides[APP_B].choices[0] = (struct app_choice){.settings.params.v = {2}};
    a->divider = 0.3;
    a->text_scale = 1.375;
    a->viewport = (struct viewport){.zoom = 7.25, .x = -0.1, .y = 1.0 / 3};
    a->has_bars = a->is_light = a->is_staged = true;
    a->baseline = (struct baseline){.filter = "mean",
                                    .variant = "gone",
                                    .params = "radius 3",
                                    .block = "32×8",
                                    .size = "64×48 grey",
                                    .device = "NVIDIA H200",
                                    .ms = {31, 0.5, 0.25, 0.75}};
}

static char *text_of(const struct app *a)
{
    struct state_picture picture = {.name = (char *)"a b \"평균\".png", .is_grey = true};
    return state_write(a, &picture);
}

static bool writes(const struct app *a, const char *part)
{
    g_autofree char *text = text_of(a);
    return strstr(text, part);
}

static void read_back(struct app *a, const char *text)
{
    OWNED(state_picture_finish) struct state_picture picture = {0};
    app_init(a, &filters, 3);
    if (!state_read(a, &picture, text, "shot.png", &err)) fail_msg("%s\n%s", err.text, text);
}

// Refused with exactly that message, and nothing changed.
static void assert_refused(const char *text, const char *message)
{
    static struct app fresh, before;
    struct state_picture picture = {.name = (char *)"kept"};
    err.text[0] = '\0';
    app_init(&fresh, &filters, 3);
    before = fresh;
    if (state_read(&fresh, &picture, text, "shot.png", &err)) fail_msg("accepted: %s", text);
    assert_memory_equal(&fresh, &before, sizeof fresh);
    assert_string_equal(picture.name, "kept");
    assert_null(strchr(err.text, '\n'));
    if (message) assert_string_equal(err.text, message);
}

static void assert_same_choice(const struct app *a, const struct app *b, int side)
{
    const struct app_side *p = &a->sides[side], *q = &b->sides[side];
    assert_int_equal(p->filter, q->filter);
    const struct app_choice *x = &p->choices[p->filter], *y = &q->choices[q->filter];
    assert_int_equal(x->variant, y->variant);
    assert_int_equal(app_axis(a, side), app_axis(b, side));
    assert_int_equal(x->settings.block_width, y->settings.block_width);
    assert_int_equal(x->settings.block_height, y->settings.block_height);
    assert_int_equal(x->settings.is_unrolled, y->settings.is_unrolled);
    for (int i = 0; i < filters.filters[p->filter].param_count; i++)
        assert_true(x->settings.params.v[i] == y->settings.params.v[i]);
}

TEST(round_trip)
{
    make_app(&app);
    g_autofree char *text = text_of(&app);
    assert_null(strchr(text, '\n'));
    read_back(&same, text);
    assert_same_choice(&app, &same, APP_A);
    assert_same_choice(&app, &same, APP_B);
    assert_int_equal(same.side, APP_B);
    assert_true(same.is_comparing && same.has_compared && same.has_bars && same.is_light &&
                same.is_staged);
    assert_true(same.is_used);
    assert_false(same.has_help || same.has_sweep || same.is_frozen || same.is_bare);
    assert_true(same.divider == 0.3 && same.text_scale == 1.375);
    assert_true(same.viewport.zoom == 7.25 && same.viewport.x == -0.1 &&
                same.viewport.y == 1.0 / 3);
    g_autofree char *again = text_of(&same);
    assert_string_equal(again, text);
}

TEST(the_shown_array)
{
    make_app(&app);
    app.sides[APP_B].filter = 4;
    assert_false(writes(&app, "\"array\""));  // none was chosen
    app_step_picture(&app, 1);
    assert_int_equal(app_array(&app, APP_B), 0);
    assert_true(writes(&app, "\"array\":\"a\""));
    g_autofree char *text = text_of(&app);
    read_back(&same, text);
    assert_int_equal(app_array(&same, APP_B), 0);
    assert_int_equal(app_array(&same, APP_A), -1);
    assert_refused("{\"format\": 1, \"sides\": [{\"filter\": \"mean\", \"variant\": \"naive\", "
                   "\"array\": \"b\"}]}",
                   "'shot.png' was made with array 'b', which this build does not have");
}

// The filter's own is not written, so that builds that know no other read the file.
TEST(only_a_chosen_axis_is_written)
{
    make_app(&app);
    assert_true(writes(&app, "\"sweep_axis\":\"c\""));
    g_strlcpy(app.sides[APP_A].choices[1].axis, "radius", FILTER_NAME);
    assert_false(writes(&app, "sweep_axis"));
}

TEST(one_side)
{
    app_init(&app, &filters, 1);
    app.sides[APP_A].filter = 2;
    app.sides[APP_A].choices[2].variant = 1;
    g_autofree char *text = text_of(&app);
    assert_null(strstr(text, "gaussian"));  // the side that is not shown is not told
    read_back(&same, text);
    assert_same_choice(&app, &same, APP_A);
    assert_int_equal(app_side_choice(&same, APP_A)->settings.block_width, 0);
    assert_false(same.has_compared);
}

// Whatever switch or number there is, alone: changed in the text, it is changed in the app.
TEST(every_switch)
{
    make_app(&app);
    g_autofree char *text = text_of(&app);
    int switches = 0, numbers = 0;
    const cJSON *item;
    cJSON *json = cJSON_Parse(text);
    cJSON_ArrayForEach(item, json)
    {
        const bool is_number =
            cJSON_IsNumber(item) && strcmp(item->string, "format") && strcmp(item->string, "side");
        if ((!cJSON_IsBool(item) && !is_number) || !strcmp(item->string, "comparing")) continue;
        cJSON *changed = cJSON_Duplicate(json, true);
        cJSON_ReplaceItemInObjectCaseSensitive(changed, item->string,
                                               is_number ? cJSON_CreateNumber(0.625)
                                                         : cJSON_CreateBool(!cJSON_IsTrue(item)));
        char *wanted = cJSON_PrintUnformatted(changed);
        OWNED(state_picture_finish) struct state_picture picture = {0};
        app_init(&same, &filters, 1);
        assert_true(state_read(&same, &picture, wanted, "", NULL));
        g_autofree char *found = state_write(&same, &picture);
        assert_string_equal(found, wanted);
        assert_string_not_equal(found, text);
        switches += !is_number;
        numbers += is_number;
        cJSON_free(wanted);
        cJSON_Delete(changed);
    }
    assert_int_equal(numbers, 7);
    assert_in_range(switches, 16, 40);
    cJSON_Delete(json);
}

#define SIDE "{\"filter\":\"mean\",\"variant\":\"naive\"}"

TEST(pictures)
{
    static const char *const names[] = {"a.png",           "a b \"c\".png", "평균 ☃.png",
                                        "\xff\xfe%41.png", "new\nline.png", "bytes:%41"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *path = g_build_filename("/private", names[i], NULL), sum[65];
        memset(sum, "0123456789abcdef"[i], 64);
        sum[64] = '\0';
        struct state_picture picture = {path, sum, i % 2, (char *)"h200"}, found = {0};
        app_init(&app, &filters, 1);
        g_autofree char *text = state_write(&app, &picture);
        assert_true(g_utf8_validate(text, -1, NULL));
        assert_null(strstr(text, "private"));
        assert_true(state_read(&app, &found, text, "", NULL));
        assert_string_equal(found.name, names[i]);
        assert_string_equal(found.sha256, sum);
        assert_string_equal(found.times, "h200");
        assert_int_equal(found.is_grey, i % 2);
        state_picture_finish(&found);
        state_picture_finish(&found);
        g_free(path);
    }
    struct state_picture none = {0}, found = {0};
    g_autofree char *text = state_write(&app, &none);
    assert_null(strstr(text, "\"picture\""));
    assert_true(state_read(&app, &found, text, "", NULL));
    assert_null(found.name);
    // A file that names folders does not lead there.
    assert_true(state_read(&app, &found,
                           "{\"format\":1,\"picture\":\"../../etc/a.png\",\"sides\":[" SIDE "]}",
                           "", NULL));
    assert_string_equal(found.name, "a.png");
    state_picture_finish(&found);
    assert_refused("{\"format\":1,\"sha256\":\"12\",\"sides\":[" SIDE "]}",
                   "'shot.png' cannot be restored: 'sha256' is not 64 hex digits");
}

// Beside the screenshot, then among the samples; the one with the same contents wins.
TEST(finding_the_picture)
{
    static const struct {
        const char *beside, *sample, *message;  // contents, NULL: no file; a part, "" : none
        bool is_sample;                         // that is found
    } rows[] = {
        {"one", NULL, "", false},
        {"another", "one", "", true},
        {"another", NULL, "'평균.png' is not the picture that '", false},
        {NULL, NULL, "'평균.png', which is neither beside it nor here", false},
    };
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, "one", -1);
    const struct state_picture picture = {(char *)"평균.png", sum, false, NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        err.text[0] = '\0';
        char *beside = folder_make(), *samples = folder_make();
        char *shot = folder_file(beside, "shot.png", NULL);
        char *first = folder_file(beside, "평균.png", rows[i].beside);
        char *second = folder_file(samples, "평균.png", rows[i].sample);
        char *found = state_find_picture(&picture, shot, samples, &err);
        assert_int_equal(found != NULL, rows[i].beside != NULL);
        if (found) assert_string_equal(found, rows[i].is_sample ? second : first);
        assert_int_equal(err.text[0] != '\0', *rows[i].message != '\0');
        assert_non_null(strstr(err.text, rows[i].message));
        char *all[] = {found, shot, first, second};
        for (size_t k = 0; k < G_N_ELEMENTS(all); k++) g_free(all[k]);
        folder_end(beside);
        folder_end(samples);
    }
}

// What is not there stays as it was, so that older files are read by newer builds.
TEST(little_is_enough)
{
    struct state_picture picture = {0};
    app_init(&app, &filters, 1);
    app.text_scale = 2;
    app.is_light = true;
    assert_true(state_read(
        &app, &picture, "{\"format\":1,\"sides\":[{\"filter\":\"mean\",\"variant\":\"texture\"}]}",
        "", NULL));
    assert_true(app.text_scale == 2 && app.is_light);
    assert_string_equal(app_filter(&app)->name, "mean");
    assert_string_equal(app_variant(&app)->name, "texture");
    assert_true(app_settings(&app)->params.v[0] == 3);
    assert_null(picture.name);
}

// ---- refusals ----

#define ONE           "[" SIDE "]"
#define MEAN(setting) "[{'filter':'mean','variant':'naive'," setting "}]"

#define PINNED(ms)                                                                                 \
    ",'baseline':{'filter':'m','variant':'v','params':'p','block':'b','size':'s','device':'d'," ms \
    "}"

struct refusal {
    const char *sides, *rest, *what;  // JSON with ' for ", and what is wrong; NULL: in any words
};

static void assert_refusals(const struct refusal *rows, size_t count, const char *message)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *text =
            g_strdup_printf("{'format':1,'sides':%s%s}", rows[i].sides, rows[i].rest);
        g_autofree char *whole = g_strdup_printf(message, rows[i].what ? rows[i].what : "");
        assert_refused(g_strdelimit(text, "'", '"'), rows[i].what ? whole : NULL);
    }
}

TEST(refusals)
{
    static const struct refusal unknown[] = {
        {"[{'filter':'sobel','variant':'naive'}]", "", "filter 'sobel'"},
        {"[{'filter':'mean','variant':'fast'}]", "", "variant 'fast'"},
        {MEAN("'params':{'blur':1}"), "", "param 'blur'"},
        {MEAN("'layout':1"), "", "setting 'layout'"},
        {ONE, ",'glow':true", "setting 'glow'"},
        {"[{'filter':'a\\nb\\u0001','variant':'naive'}]", "", "filter 'a?b?'"},
        {"[{'filter':'gaussian','variant':'naive','sweep_axis':'blur'}]", "", "param 'blur'"},
    };
    static const struct refusal bad[] = {
        {MEAN("'params':{'radius':65}"), "", "radius 65 is outside [0, 64] of mean"},
        {MEAN("'params':{'radius':1.5}"), "", "radius 1.5 of mean is not a whole number"},
        {MEAN("'params':{'radius':1e999}"), "", NULL},
        {MEAN("'params':{'radius':'five'}"), "", "radius is not a number"},
        {"[{'filter':'flip','variant':'naive','params':{'axis':1}}]", "", "axis is not a name"},
        {"[{'filter':'flip','variant':'naive','params':{'axis':'z'}}]", "",
         "axis 'z' is not one of x, y, both"},
        {"[{'filter':'gaussian','variant':'naive','sweep_axis':'sigma'}]", "",
         "'sweep_axis' is not a param of whole numbers"},
        {"[{'filter':'gaussian','variant':'naive','sweep_axis':1}]", "",
         "'sweep_axis' is not a param of whole numbers"},
        {"[{'filter':'plain','variant':'naive','unroll':true}]", "",
         "plain has no whole number to unroll"},
        {MEAN("'unroll':1"), "", "'unroll' is not true or false"},
        {MEAN("'params':[1]"), "", "'params' is not an object"},
        {MEAN("'block':[0,8]"), "", "'block' is not a width and a height"},
        {MEAN("'block':[8.5,8]"), "", "'block' is not a width and a height"},
        {MEAN("'block':[8,8,8]"), "", "'block' is not a width and a height"},
        {MEAN("'block':'8x8'"), "", "'block' is not a width and a height"},
        {"[{'filter':'mean'}]", "", "a side is not a filter and its variant"},
        {"[3]", "", "a side is not a filter and its variant"},
        {"[[3]]", "", "a side is not a filter and its variant"},
        {"[]", "", "'sides' is not a list of one or two"},
        {"{}", "", "'sides' is not a list of one or two"},
        {"[" SIDE "," SIDE "," SIDE "]", "", "'sides' is not a list of one or two"},
        {ONE, ",'comparing':true", "'sides' is not a list of two"},
        {"[" SIDE "," SIDE "]", "", "'sides' is not a list of one"},
        {ONE, ",'side':1", "'side' is not 0"},
        {ONE, ",'side':2", "'side' is not 0 or 1"},
        {ONE, ",'light':'yes'", "'light' is not true or false"},
        {ONE, ",'text_scale':9", "text_scale 9 is outside [0.5, 4]"},
        {ONE, ",'text_scale':null", "text_scale is not a number"},
        {ONE, ",'divider':1e999", NULL},
        {ONE, ",'picture':7", "'picture' is not a text"},
        {ONE, ",'picture':'bytes:%zz'", "'picture' is not a file"},
        {ONE, ",'baseline':7", "'baseline' is not a result with its time"},
        {ONE, ",'baseline':{}", "'baseline' is not a result with its time"},
        {ONE, PINNED("'ms':[1,1,1]"), "'baseline' is not a result with its time"},
        {ONE, PINNED("'ms':[2,3,4],'samples':3"), "'baseline' is not a result with its time"},
    };
    assert_refusals(unknown, G_N_ELEMENTS(unknown),
                    "'shot.png' was made with %s, which this build does not have");
    assert_refusals(bad, G_N_ELEMENTS(bad), "'shot.png' cannot be restored: %s");
}

TEST(formats)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\"format\":2,\"program\":\"0.9.1\",\"sides\":7}",
         "'shot.png' was made by Tilescope 0.9.1 with settings of format 2; this build reads "
         "format 1"},
        {"{\"format\":2}", "'shot.png' was made by Tilescope (unknown version) with settings of "
                           "format 2; this build reads format 1"},
        {"{\"format\":1}", "'shot.png' cannot be restored: 'sides' is not a list of one or two"},
        {"", "'shot.png' cannot be restored: its settings are not readable"},
        {"{", "'shot.png' cannot be restored: its settings are not readable"},
        {"[1]", "'shot.png' cannot be restored: its settings are not readable"},
        {"{\"format\":\"1\"}", "'shot.png' cannot be restored: its settings are not readable"},
        {"null", "'shot.png' cannot be restored: its settings are not readable"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) assert_refused(rows[i].text, rows[i].message);
}

// Every prefix is refused; every byte changed is refused or read, and never anything else.
TEST(damage)
{
    make_app(&app);
    g_autofree char *text = text_of(&app);
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        g_autofree char *cut = g_strndup(text, i);
        assert_refused(cut, NULL);
    }
    for (size_t i = 0; i < size; i++) {
        OWNED(state_picture_finish) struct state_picture picture = {0};
        err.text[0] = '\0';
        text[i] ^= 0x15;
        app_init(&app, &filters, 3);
        const bool is_read = state_read(&app, &picture, text, "shot.png", &err);
        assert_int_equal(err.text[0] == '\0', is_read);
        assert_null(strchr(err.text, '\n'));
        assert_true(app_side_choice(&app, APP_A)->variant <
                    app_side_filter(&app, APP_A)->variant_count);
        text[i] ^= 0x15;
    }
    // Deep, and long.
    g_autofree char *deep = g_strnfill(20000, '[');
    assert_refused(deep, NULL);
    g_autofree char *blanks = g_strnfill(STATE_MAX_BYTES, ' ');
    g_autofree char *late = g_strconcat("{\"format\":1,\"sides\":[" SIDE "]", blanks, "}", NULL);
    assert_refused(late, "'shot.png' cannot be restored: its settings are not readable");
}

// A name that grows when it is made valid is cut at a whole letter.
TEST(a_name_of_bad_bytes)
{
    struct state_picture picture = {0};
    g_autofree char *name = g_strnfill(70, '\xff');
    name[0] = 'a';
    g_autofree char *text = g_strdup_printf("{\"format\":1,\"sides\":[" SIDE "],\"%s\":1}", name);
    app_init(&app, &filters, 1);
    assert_false(state_read(&app, &picture, text, "shot.png", &err));
    assert_true(g_utf8_validate(err.text, -1, NULL));
}

// ---- files ----

TEST(files)
{
    OWNED(state_picture_finish) struct state_picture picture = {0};
    OWNED(image_finish) struct image image;
    char *folder = folder_make(), *path = folder_file(folder, "평균.png", NULL);
    make_app(&app);
    g_autofree char *text = text_of(&app);
    const struct image_text texts[] = {{"filter", "mean"}, {STATE_KEY, text}};
    assert_true(image_init(&image, 7, 5, 3, NULL));
    assert_true(image_save(image.planes, path, texts, 2, NULL));
    app_init(&same, &filters, 3);
    must(state_load(&same, &picture, path, &err));
    assert_same_choice(&app, &same, APP_A);
    assert_true(picture.is_grey);

    assert_true(image_save(image.planes, path, texts, 1, NULL));
    assert_false(state_load(&same, &picture, path, &err));
    g_autofree char *message = g_strdup_printf("'%s' carries no settings of Tilescope", path);
    assert_string_equal(err.text, message);
    assert_true(g_file_set_contents(path, "words", -1, NULL));
    assert_false(state_load(&same, &picture, path, &err));
    assert_non_null(strstr(err.text, "it is not a PNG file"));
    g_remove(path);
    assert_false(state_load(&same, &picture, path, &err));
    assert_non_null(strstr(err.text, "No such file"));
    folder_end(folder);
    g_free(path);
}

// A dump and a restart add to the state, and it can be restored from them.
TEST(more_than_a_state)
{
    struct state_picture picture = {.name = (char *)"a.png"}, found = {0};
    make_app(&app);
    cJSON *json = state_json(&app, &picture);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(json, "facts"), "check", "exact");
    cJSON_AddNumberToObject(json, "serial", 5);
    cJSON_AddNumberToObject(json, "presses", 9);
    cJSON_AddArrayToObject(json, "notes");
    g_autofree char *text = rows_print_json(json);
    app_init(&same, &filters, 3);
    must(state_read(&same, &found, text, "", &err));
    assert_same_choice(&app, &same, APP_B);
    assert_string_equal(same.note, "");
    state_picture_finish(&found);
}

SUITE("state", load, NULL)
