// The words on the screen and in screenshots: digits, units, what is left out, and whole
// characters.
#include "unit.h"

#include "measure/baseline.h"
#include "screen/overlay.h"
#include "viewer/caption.h"

struct world {
    struct filter filter;
    struct device device;
    struct pane_facts facts;
    struct overlay_content content;
    struct image_texts texts;
};

static struct world *world_new(void)
{
    static struct world world;  // of the last call, which is forgotten
    struct world *w = &world;
    image_texts_finish(&w->texts);
    *w = (struct world){{{0}}};
    w->filter = (struct filter){
        .name = "mean",
        .title = "Mean",
        .params = {{.name = "radius", .value = 3, .max = 64}},
        .param_count = 1,
        .variants = {{.name = "shared",
                      .passes = {{.block_width = 32, .block_height = 8}},
                      .pass_count = 1},
                     {.name = "naive",
                      .passes = {{.block_width = 32, .block_height = 8}},
                      .pass_count = 1}},
        .variant_count = 2,
    };
    arrays_add_pictures(&w->filter);
    w->filter.arrays[ARRAYS_OUT].has_reference = true;
    g_strlcpy(w->device.name, "NVIDIA H200", sizeof w->device.name);
    g_strlcpy(w->device.driver, "driver 580.159, CUDA 13.0", sizeof w->device.driver);
    w->facts = (struct pane_facts){
        .choice = {&w->filter, &w->filter.variants[0], {.params = {{5}}}},
        .device = &w->device,
        .picture = planes_shape(8000, 8000, 1),
        .picture_name = "scene.png",
        .path = INTEROP_MAPPED,
        .is_current = true,
        .known = {.ms = {.count = 61, .median = 0.412, .lower = 0.4091, .upper = 0.4178},
                  .is_settled = true,
                  .check = CHECK_EXACT},
        .copy_ms = 0.305,
        .naive_ms = 1.41,
        .frame_ms = {.count = 9, .median = 16.68},
        .host_ms = {.count = 9, .median = 0.0561},
        .vsync = "on",
        .report = {.repeats = 1,
                   .facts = {.registers = 40, .max_threads = 1024},
                   .shared_bytes = {3502},
                   .occupancy = {.threads = 1536, .max_threads = 2048, .limiter = "registers"}},
    };
    return w;
}

static const struct overlay_content *written(struct world *w)
{
    caption_write(&w->content, &w->facts);
    return &w->content;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in '%s'", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part)) fail_msg("'%s' is in '%s'", part, text);
}

static const char *chunk(struct world *w, const char *key)
{
    const char *found = NULL;
    caption_list(&w->texts, &w->facts);
    for (int i = 0; i < w->texts.count; i++) {
        if (strcmp(w->texts.texts[i].key, key)) continue;
        if (found) fail_msg("two chunks '%s'", key);
        found = w->texts.texts[i].text;
    }
    return found;
}

// NULL: there is none.
static void assert_chunk(struct world *w, const char *key, const char *value)
{
    const char *found = chunk(w, key);
    if (!found != !value) fail_msg("chunk '%s': '%s', not '%s'", key, found, value);
    if (value) assert_string_equal(found, value);
}

// ---- the overlay ----

static void test_a_baseline(void **state)
{
    struct world *w = world_new();
    const struct baseline_subject subject = {w->facts.choice, w->facts.picture, w->facts.device};
    struct baseline pinned = baseline_pin(&subject, (struct stats_summary){61, 0.2, 0.19, 0.21});
    w->facts.baseline = &pinned;
    assert_has(written(w)->sides[0].speed, "   +106 % against the baseline");
    assert_has(written(w)->sides[0].detail, " · baseline mean shared · radius 5 · 32×8, 0.200 ms");
    assert_chunk(w, "baseline", "mean shared · radius 5 · 32×8, 0.200 ms");
    assert_chunk(w, "against_baseline", "+106 %");

    pinned.ms.upper = 1;  // as slow as the shown one, at times
    assert_has(written(w)->sides[0].speed, "   not clearly different from the baseline");
    assert_chunk(w, "against_baseline", "unclear");

    w->facts.picture = planes_shape(640, 480, 1);  // nothing is said of another size
    assert_has_not(written(w)->sides[0].speed, "baseline");
    assert_has(written(w)->sides[0].detail, "0.200 ms: not comparable, other size");
    assert_chunk(w, "against_baseline", NULL);
    pinned.ms.count = 0;
    assert_has_not(written(w)->sides[0].detail, "baseline");
    assert_chunk(w, "baseline", NULL);
}

static void test_a_full_caption(void **state)
{
    struct world *w = world_new();
    const struct overlay_content *c = written(w);
    const struct overlay_side *side = &c->sides[0];
    assert_string_equal(side->title, "Mean · shared · radius 5 · block 32×8 · unroll off");
    assert_string_equal(side->time, "0.412 ms");
    assert_has(side->spread, "0.409–0.418");
    assert_string_equal(side->speed, "155 Gpix/s   74.0 % of copy   3.42× naive 32×8");
    assert_true(side->is_settled);
    assert_int_equal(side->badge, OVERLAY_BADGE_GOOD);
    assert_string_equal(side->badge_text, "exact");
    assert_string_equal(side->detail, "311 GB/s · occupancy 75 % (registers) · 40 registers · "
                                      "3502 B shared · 8000×8000 grey · 61 samples");
    assert_string_equal(c->device, "NVIDIA H200");
    assert_string_equal(
        c->status,
        "interop: PBO mapped, zero copy · scene.png · 16.7 ms a frame · host 0.06 ms · vsync on");
    assert_string_equal(c->hint, "h  help");
}

// A slow kernel on the CPU has small rates. Screen and file may not disagree, and the file has all
// the digits that the screen has. Pixels are counted once, and bytes by plane.
static void test_times_and_rates(void **state)
{
    static const struct {
        int width, height, planes;
        struct stats_summary ms;
        double copy_ms, naive_ms;
        const char *time, *spread, *speed, *detail, *gpix_per_s, *gb_per_s, *percent;
    } rows[] = {
        {1,
         1,
         3,
         {61, 0.00204, 0.002, 0.0021},
         0.00102,
         0.00102,
         "0.00204 ms",
         "0.00200–0.00210",
         "0.000490 Gpix/s   50.0 % of copy   0.500× naive 32×8",
         "1×1 colour",
         "0.000490196",
         "0.00294118",
         "50"},
        {32768,
         32768,
         3,
         {9, 123456.7, 123000, 124000},
         4.61,
         1e7,
         "123457 ms",
         "123000–124000",
         "0.00870 Gpix/s   0.00373 % of copy   81.0× naive 32×8",
         "0.0522 GB/s",
         "0.00869732",
         "0.0521839",
         "0.0037341"},
        {320,
         200,
         3,
         {61, 32.8, 32.8, 32.8},
         0.0196,
         0,
         "32.8 ms",
         "32.8–32.8",
         "0.00195 Gpix/s   0.0598 % of copy",
         "0.0117 GB/s",
         "0.00195122",
         "0.0117073",
         "0.0597561"},
        {1000,
         500,
         3,
         {61, 1.5, 1.5, 1.5},
         0,
         0,
         "1.50 ms",
         "1.50–1.50",
         "0.333 Gpix/s",
         "2.00 GB/s",
         "0.333333",
         "2",
         NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct world *w = world_new();
        w->facts.picture = planes_shape(rows[i].width, rows[i].height, rows[i].planes);
        w->facts.known.ms = rows[i].ms;
        w->facts.copy_ms = rows[i].copy_ms;
        w->facts.naive_ms = rows[i].naive_ms;
        const struct overlay_side *side = &written(w)->sides[0];
        assert_string_equal(side->time, rows[i].time);
        assert_has(side->spread, rows[i].spread);
        assert_string_equal(side->speed, rows[i].speed);
        assert_has(side->detail, rows[i].detail);
        assert_chunk(w, "planes", "3");
        assert_chunk(w, "gpix_per_s", rows[i].gpix_per_s);
        assert_chunk(w, "gb_per_s", rows[i].gb_per_s);
        assert_chunk(w, "percent_of_copy", rows[i].percent);
    }
}

static void test_what_is_not_known_is_left_out(void **state)
{
    static const char *const unknown[] = {"copy_ms", "percent_of_copy", "naive_ms", "frame_ms",
                                          "host_ms"};
    struct world *w = world_new();
    w->facts.copy_ms = w->facts.naive_ms = 0;
    w->facts.report.facts.registers = 0;
    w->facts.report.occupancy = (struct occupancy){.limiter = ""};
    w->facts.frame_ms = w->facts.host_ms = (struct stats_summary){.count = 0};
    const struct overlay_side *side = &written(w)->sides[0];
    assert_string_equal(side->speed, "155 Gpix/s");
    assert_string_equal(side->detail, "311 GB/s · 3502 B shared · 8000×8000 grey · 61 samples");
    assert_string_equal(w->content.status, "interop: PBO mapped, zero copy · scene.png · vsync on");
    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) assert_chunk(w, unknown[i], NULL);

    w->facts.known.ms = (struct stats_summary){0};
    w->facts.known.is_settled = false;
    written(w);  // nothing of before may stay
    assert_string_equal(side->time, "");
    assert_string_equal(side->spread, "");
    assert_string_equal(side->speed, "measuring …");
    w->facts.is_frozen = true;
    assert_string_equal(written(w)->sides[0].speed, "frozen: not measured");
    w->facts.is_compiling = true;
    assert_string_equal(written(w)->sides[0].speed, "compiling …");
    w->facts.is_refused = true;
    assert_string_equal(written(w)->sides[0].speed, "not measured");
    assert_string_equal(side->detail, "3502 B shared · 8000×8000 grey");
    assert_false(side->is_settled);
    assert_chunk(w, "kernel_ms", NULL);
    assert_chunk(w, "settled", "no");
}

static void test_settled_is_settled_and_current(void **state)
{
    struct world *w = world_new();
    for (int i = 0; i < 4; i++) {
        w->facts.is_current = i & 1;
        w->facts.known.is_settled = i & 2;
        assert_int_equal(written(w)->sides[0].is_settled, i == 3);
        assert_chunk(w, "settled", i == 3 ? "yes" : "no");
        assert_chunk(w, "current", i & 1 ? "yes" : "no");
        assert_string_equal(w->content.sides[0].time, "0.412 ms");
        for (int k = 0; !w->facts.is_current && k < w->texts.count; k++)
            assert_null(strstr(w->texts.texts[k].key, "_ms"));  // no times of another picture
    }
}

// What is told at once. Other numbers alone may wait until they can be read.
static void test_what_is_news(void **state)
{
    struct world *w = world_new();
    const struct pane_facts told = w->facts;
    struct pane_facts *now = &w->facts;
    assert_false(caption_is_news(&told, now));
    now->known.ms.count = 60;
    now->known.ms.median = 0.5;
    now->naive_ms = 2;
    now->copy_ms = 1;
    now->frame_ms.median = now->host_ms.median = 3;
    assert_false(caption_is_news(&told, now));
    const struct pane_facts others = *now;
    for (int i = 0; i < 9; i++) {
        *now = others;
        if (i == 0) now->is_current = false;
        if (i == 1) now->is_refused = true;
        if (i == 2) now->is_empty = true;
        if (i == 3) now->is_compiling = true;
        if (i == 4) now->known.check = CHECK_UNKNOWN;
        if (i == 5) now->known.is_settled = false;
        if (i == 6) now->report.is_generic = true;
        if (i == 7) now->known.ms = (struct stats_summary){0};
        if (i == 8) now->naive_ms = 0;
        assert_true(caption_is_news(&told, now) && caption_is_news(now, &told));
    }
}

static void test_repeats_unroll_and_frozen(void **state)
{
    struct world *w = world_new();
    w->facts.choice.settings.is_unrolled = true;
    w->facts.choice.settings.block_width = 7;
    w->facts.choice.settings.block_height = 5;
    w->facts.report.repeats = 64;
    w->facts.report.is_generic = true;
    w->facts.is_frozen = true;
    w->facts.vsync = "unknown";
    const struct overlay_content *c = written(w);
    assert_string_equal(c->sides[0].title, "Mean · shared · radius 5 · block 7×5 · unroll on");
    assert_has(c->sides[0].detail, "61 samples of 64 launches");
    assert_has(c->sides[0].detail, "compiling");
    assert_has(c->status, "frozen");
    assert_has(c->status, "vsync unknown");
    assert_chunk(w, "unroll", "on");
    assert_chunk(w, "block", "7x5");
    assert_chunk(w, "launches_per_sample", "64");
}

static void test_params(void **state)
{
    struct world *w = world_new();
    w->filter.params[1] = (struct param){.name = "sigma", .is_float = true};
    w->filter.param_count = 2;
    w->facts.choice.settings.params.v[1] = 1.25;
    assert_string_equal(written(w)->sides[0].title,
                        "Mean · shared · radius 5 · sigma 1.25 · block 32×8 · unroll off");
    assert_chunk(w, "radius", "5");
    assert_chunk(w, "sigma", "1.25");
    w->filter.param_count = 0;
    assert_string_equal(written(w)->sides[0].title, "Mean · shared · block 32×8");
    assert_chunk(w, "radius", NULL);

    w->filter.param_count = FILTER_MAX_PARAMS;
    for (int i = 0; i < FILTER_MAX_PARAMS; i++) {
        g_snprintf(w->filter.params[i].name, FILTER_NAME, "a_param_with_the_longest_name_%d", i);
        w->facts.choice.settings.params.v[i] = -1.23456e-7;
    }
    assert_true(g_utf8_validate(written(w)->sides[0].title, -1, NULL));
    assert_chunk(w, "a_param_with_the_longest_name_7", "-0.000000123456");
    assert_chunk(w, "host_ms", "0.0561");
}

static void test_badges(void **state)
{
    static const struct {
        enum result_check check;
        bool is_refused, is_empty;
        double done;
        enum overlay_badge badge;
        const char *text, *chunk;
    } rows[] = {
        {CHECK_WRONG, 0, 0, 0, OVERLAY_BADGE_BAD, "max |diff| = 17", "wrong"},
        {CHECK_EXACT, 0, 0, 0, OVERLAY_BADGE_GOOD, "exact", "exact"},
        {CHECK_EXACT, 0, 0, 0.374, OVERLAY_BADGE_GOOD, "exact", "exact"},
        {CHECK_UNKNOWN, 0, 0, 0, OVERLAY_BADGE_PENDING, "checking", "checking"},
        {CHECK_UNKNOWN, 0, 0, 0.374, OVERLAY_BADGE_PENDING, "checking 37 %", "checking 37 %"},
        {CHECK_UNKNOWN, 1, 0, 0.374, OVERLAY_BADGE_NONE, "last good picture", "checking 37 %"},
        {CHECK_UNKNOWN, 1, 1, 0.374, OVERLAY_BADGE_NONE, "no picture", "checking 37 %"},
        {CHECK_NO_REFERENCE, 0, 0, 0, OVERLAY_BADGE_NONE, "not checked", "not checked"},
    };
    struct world *w = world_new();
    w->facts.known.difference = (struct image_difference){.count = 3, .max = 17};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        w->facts.known.check = rows[i].check;
        w->facts.is_refused = rows[i].is_refused;
        w->facts.is_empty = rows[i].is_empty;
        w->facts.check_done = rows[i].done;
        assert_string_equal(written(w)->sides[0].badge_text, rows[i].text);
        assert_int_equal(w->content.sides[0].badge, rows[i].badge);
        assert_chunk(w, "check", rows[i].chunk);
    }
    g_strlcpy(w->facts.known.unchecked, "the REFERENCE has not come back",
              sizeof w->facts.known.unchecked);
    assert_has(written(w)->sides[0].detail, " · the REFERENCE has not come back");
}

static void test_paths(void **state)
{
    static const char *const names[] = {"interop", "staged", "cpu"}, *const shown[] = {
                                                                         "interop", "staged",
                                                                         "kernels run on the CPU"};
    struct world *w = world_new();
    for (int path = INTEROP_MAPPED; path <= INTEROP_CPU; path++) {
        w->facts.path = (enum interop_path)path;
        assert_true(g_str_has_prefix(written(w)->status, shown[path]));
        assert_chunk(w, "path", names[path]);
    }
    w->facts.lacks_gpu = true;
    assert_true(g_str_has_prefix(written(w)->status, "No NVIDIA GPU: kernels run on the CPU · "));
}

// Messages, help and appearance are another's.
static void test_only_the_bands_are_written(void **state)
{
    struct world *w = world_new();
    g_strlcpy(w->content.message, "refused", sizeof w->content.message);
    w->content.tone = OVERLAY_BROKEN;
    w->content.help_count = 7;
    w->content.is_hidden = w->content.is_light = true;
    w->content.scale = 2.5;
    written(w);
    assert_string_equal(w->content.message, "refused");
    assert_int_equal(w->content.tone, OVERLAY_BROKEN);
    assert_int_equal(w->content.help_count, 7);
    assert_true(w->content.is_hidden && w->content.is_light && w->content.scale == 2.5);
}

// ---- text chunks ----

static void test_all_chunks(void **state)
{
    struct world *w = world_new();
    static const char *const wanted[][2] = {
        {"Software", "Tilescope " TILESCOPE_VERSION},
        {"filter", "mean"},
        {"variant", "shared"},
        {"radius", "5"},
        {"block", "32x8"},
        {"unroll", "off"},
        {"device", "NVIDIA H200"},
        {"driver", "driver 580.159, CUDA 13.0"},
        {"path", "interop"},
        {"picture", "scene.png"},
        {"size", "8000x8000"},
        {"planes", "1"},
        {"vsync", "on"},
        {"frozen", "no"},
        {"current", "yes"},
        {"check", "exact"},
        {"settled", "yes"},
        {"kernel_ms", "0.412000"},
        {"kernel_ms_q1", "0.409100"},
        {"kernel_ms_q3", "0.417800"},
        {"samples", "61"},
        {"launches_per_sample", "1"},
        {"gpix_per_s", "155.34"},
        {"gb_per_s", "310.68"},
        {"copy_ms", "0.305000"},
        {"percent_of_copy", "74.0291"},
        {"naive_ms", "1.410000"},
        {"naive_block", "32x8"},
        {"frame_ms", "16.680"},
        {"host_ms", "0.0561"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) assert_chunk(w, wanted[i][0], wanted[i][1]);
    assert_int_equal(w->texts.count, G_N_ELEMENTS(wanted));
}

// ---- two pictures ----

static struct caption_pair pair_of(struct world *w)
{
    struct caption_pair pair = {.sides = {w->facts, w->facts}, .active = 1};
    pair.sides[0].known.ms = (struct stats_summary){61, 1.41, 1.40, 1.42};
    pair.is_difference_known = true;
    return pair;
}

static const struct overlay_content *written_pair(struct world *w, const struct caption_pair *pair)
{
    caption_write_pair(&w->content, pair);
    return &w->content;
}

static void test_a_pair_has_the_words_of_both(void **state)
{
    struct world *w = world_new();
    struct caption_pair pair = pair_of(w);
    const struct overlay_content *c = written_pair(w, &pair);
    assert_true(c->is_comparing);
    assert_int_equal(c->pair.active, 1);
    assert_string_equal(c->sides[0].title, "Mean · shared · radius 5 · block 32×8");
    assert_string_equal(c->sides[0].time, "1.41 ms");
    assert_string_equal(c->sides[1].time, "0.412 ms");
    assert_string_equal(c->sides[1].speed, "74.0 % of copy   3.42× naive 32×8");
    assert_has(c->sides[1].detail, "155 Gpix/s · occupancy 75 % (registers)");
    assert_string_equal(c->device, "NVIDIA H200");
    assert_string_equal(c->pair.difference, "identical");
    assert_int_equal(c->pair.verdict, OVERLAY_BADGE_GOOD);
    assert_string_equal(c->pair.ratio, "B 3.42× as fast as A");
    assert_false(c->pair.is_ratio_pending);
    assert_string_equal(c->pair.shown, "");
    assert_false(written(w)->is_comparing);
    assert_string_equal(w->content.sides[0].time, "0.412 ms");
}

// In few words, and first: a narrow column loses its last parts. The rate stands with the details,
// before anything else is measured, too.
static void test_a_column_is_narrow(void **state)
{
    struct world *w = world_new();
    const struct baseline_subject subject = {w->facts.choice, w->facts.picture, w->facts.device};
    struct baseline pinned = baseline_pin(&subject, (struct stats_summary){61, 0.2, 0.19, 0.21});
    w->facts.baseline = &pinned;
    struct caption_pair pair = pair_of(w);
    assert_string_equal(written_pair(w, &pair)->sides[1].speed,
                        "+106 % vs baseline   74.0 % of copy   3.42× naive 32×8");
    pinned.ms.upper = 1;
    assert_has(written_pair(w, &pair)->sides[1].speed, "unclear vs baseline   74.0 % of copy");
    w->facts.baseline = NULL;
    w->facts.copy_ms = w->facts.naive_ms = 0;
    w->facts.choice.settings.is_unrolled = true;
    pair = pair_of(w);
    assert_string_equal(written_pair(w, &pair)->sides[1].speed, "");
    assert_has(w->content.sides[1].detail, "155 Gpix/s · occupancy 75 % (registers)");
    assert_has(w->content.sides[1].title, "unroll on");
}

static void test_how_a_pair_differs(void **state)
{
    static const struct {
        int planes;
        long count;
        int max;
        const char *text;
    } rows[] = {{1, 2176000, 12, "max |A − B| = 12   3.40 % of pixels"},
                {3, 2176000, 12, "max |A − B| = 12   1.13 % of samples"},
                {1, 64000000, 255, "max |A − B| = 255   100 % of pixels"},
                {1, 63999, 1, "max |A − B| = 1   63999 pixels"},
                {3, 2, 9, "max |A − B| = 9   2 samples"},
                {1, 1, 3, "max |A − B| = 3   1 pixel"},
                {3, 1, 3, "max |A − B| = 3   1 sample"}};
    struct world *w = world_new();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        w->facts.picture = planes_shape(8000, 8000, rows[i].planes);
        struct caption_pair pair = pair_of(w);
        pair.difference = (struct image_difference){.count = rows[i].count, .max = rows[i].max};
        assert_string_equal(written_pair(w, &pair)->pair.difference, rows[i].text);
        assert_int_equal(w->content.pair.verdict, OVERLAY_BADGE_NONE);
        pair.is_difference_known = false;
        assert_string_equal(written_pair(w, &pair)->pair.difference, "comparing");
        assert_int_equal(w->content.pair.verdict, OVERLAY_BADGE_PENDING);
        pair.sides[i % 2].is_current = false;
        pair.sides[i % 2].is_refused = true;  // there will be nothing to compare with
        assert_string_equal(written_pair(w, &pair)->pair.difference, "not compared");
        assert_int_equal(w->content.pair.verdict, OVERLAY_BADGE_NONE);
    }
}

// ---- labs ----

// A lab with two arrays of 40 x 50 floats, the second of which is written.
static void make_lab(struct world *w)
{
    w->filter.array_count = 2;
    const char *const names[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        struct array *a = &w->filter.arrays[i];
        struct error err = {""};
        *a = (struct array){.type = ARRAY_FLOAT, .kind = i ? ARRAY_OUT : ARRAY_IN, .dimensions = 2};
        g_strlcpy(a->name, names[i], sizeof a->name);
        assert_true(filter_compile(&w->filter, &a->shape[0], "40", &err) &&
                    filter_compile(&w->filter, &a->shape[1], "10*radius", &err));
    }
    w->facts.picture = planes_shape(50, 40, 1);
    w->facts.array = -1;
}

static void test_a_lab_has_arrays_and_no_picture(void **state)
{
    struct world *w = world_new();
    make_lab(w);
    const struct overlay_content *c = written(w);
    assert_has(c->sides[0].speed, "0.0388 GB/s   74.0 % of copy");  // 16 000 bytes
    assert_has(c->sides[0].detail, "b: float 40×50");
    assert_has_not(c->sides[0].detail, "GB/s");
    assert_has_not(c->status, "scene.png");
    assert_chunk(w, "array", "b");
    assert_chunk(w, "gb_per_s", "0.038835");
    assert_chunk(w, "picture", NULL);
    assert_chunk(w, "gpix_per_s", NULL);
    w->facts.array = 0;
    assert_has(written(w)->sides[0].detail, "a: float 40×50");
    assert_chunk(w, "array", "a");
}

// What is compared are greys, which may stand for many elements each.
static void test_how_labs_differ(void **state)
{
    struct world *w = world_new();
    make_lab(w);
    struct caption_pair pair = pair_of(w);
    assert_string_equal(written_pair(w, &pair)->pair.difference, "the same picture");
    assert_int_equal(w->content.pair.verdict, OVERLAY_BADGE_NONE);
    pair.difference = (struct image_difference){.count = 1, .max = 3};
    assert_string_equal(written_pair(w, &pair)->pair.difference,
                        "max |A − B| = 3   0.0500 % of the picture");
    pair.difference = (struct image_difference){0};
    pair.sides[1].choice.settings.params.v[0] = 6;  // 40 x 60
    assert_string_equal(written_pair(w, &pair)->pair.difference, "different shapes");
    assert_int_equal(w->content.pair.verdict, OVERLAY_BADGE_NONE);
}

static void set_range(struct world *w, int array, const char *low, const char *high)
{
    struct error err = {""};
    struct array *a = &w->filter.arrays[array];
    assert_true(filter_compile(&w->filter, &a->low, low, &err) &&
                filter_compile(&w->filter, &a->high, high, &err));
}

static void assert_legend(const struct legend *legend, const char *side, const char *low,
                          const char *high)
{
    assert_string_equal(legend->side, side);
    assert_string_equal(legend->low, low);
    assert_string_equal(legend->high, high);
}

// A is of radius 5, B of radius 6.
static void test_legends_of_a_pair(void **state)
{
    struct world *w = world_new();
    make_lab(w);
    set_range(w, 0, "0", "7");
    set_range(w, 1, "-radius", "10*radius");
    assert_legend(&written(w)->legends[0], "", "−5", "50");
    struct caption_pair pair = pair_of(w);
    struct array_scale scale;
    pair.sides[1].choice.settings.params.v[0] = 6;
    assert_true(choice_common_scale(&pair.sides[0].choice, -1, &pair.sides[1].choice, 1, &scale));
    for (int i = 0; i < 2; i++) {
        pair.sides[i].has_common_scale = true;
        pair.sides[i].scale = scale;
    }
    assert_legend(&written_pair(w, &pair)->legends[0], "", "−6", "60");
    assert_legend(&w->content.legends[1], "", "", "");

    pair.is_difference_shown = true;
    pair.difference = (struct image_difference){.count = 1, .max = 51};
    assert_legend(&written_pair(w, &pair)->legends[0], "", "0", "13.2");  // of 66, a fifth

    assert_false(choice_common_scale(&pair.sides[0].choice, 0, &pair.sides[1].choice, 1, &scale));
    pair.sides[0].array = 0;
    pair.sides[0].has_common_scale = pair.sides[1].has_common_scale = false;
    assert_legend(&written_pair(w, &pair)->legends[0], "", "", "");
    pair.is_difference_shown = false;
    assert_legend(&written_pair(w, &pair)->legends[0], "A", "0", "7");
    assert_legend(&w->content.legends[1], "B", "−6", "60");
    w->facts = pair.sides[1];
    assert_legend(&written(w)->legends[0], "", "−6", "60");
    assert_legend(&w->content.legends[1], "", "", "");
}

static void test_who_of_a_pair_is_faster(void **state)
{
    static const struct {
        struct stats_summary a, b;
        const char *text;
    } rows[] = {{{61, 1, 0.99, 1.01}, {61, 10, 9.9, 10.1}, "A 10.0× as fast as B"},
                {{61, 2, 1.99, 2.01}, {61, 1, 0.99, 1.01}, "B 2.00× as fast as A"},
                {{61, 1, 0.9999, 1.0001}, {61, 1.001, 1.0009, 1.0011}, "equally fast"},
                {{61, 1, 0.7, 1.4}, {61, 1.5, 1.3, 2}, "no clear difference in time"}};
    struct world *w = world_new();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct caption_pair pair = pair_of(w);
        pair.sides[0].known.ms = rows[i].a;
        pair.sides[1].known.ms = rows[i].b;
        assert_string_equal(written_pair(w, &pair)->pair.ratio, rows[i].text);
        assert_false(w->content.pair.is_ratio_pending);
        for (int side = 0; side < 2; side++) {
            struct caption_pair other = pair;
            other.sides[side].known.is_settled = false;
            assert_string_equal(written_pair(w, &other)->pair.ratio, "measuring");
            assert_true(w->content.pair.is_ratio_pending);
            other = pair;
            other.sides[side].is_current = false;
            assert_string_equal(written_pair(w, &other)->pair.ratio, "measuring");
            other.sides[side].is_refused = true;  // and will never have a time
            assert_string_equal(written_pair(w, &other)->pair.ratio, "");
            assert_false(w->content.pair.is_ratio_pending);
        }
    }
}

// A wrong result wins nothing.
static void test_a_wrong_result_wins_nothing(void **state)
{
    struct world *w = world_new();
    w->facts.known.check = CHECK_WRONG;
    w->facts.known.difference = (struct image_difference){.count = 9, .max = 3};
    assert_string_equal(written(w)->sides[0].speed, "155 Gpix/s   74.0 % of copy");
    assert_string_equal(w->content.sides[0].badge_text, "max |diff| = 3");
    struct caption_pair pair = pair_of(w);
    assert_string_equal(written_pair(w, &pair)->pair.ratio, "B 3.42× as fast as A, but wrong");
    pair.sides[1].known.check = CHECK_EXACT;
    assert_string_equal(written_pair(w, &pair)->pair.ratio, "B 3.42× as fast as A");
}

static void test_a_shown_difference_tells_its_gain(void **state)
{
    struct world *w = world_new();
    struct caption_pair pair = pair_of(w);
    pair.is_difference_shown = true;
    pair.difference.max = 12;
    assert_string_equal(written_pair(w, &pair)->pair.shown, "|A − B| ×21");
    pair.difference.max = 100;
    assert_string_equal(written_pair(w, &pair)->pair.shown, "|A − B| ×2.5");
    pair.difference.max = 255;
    assert_string_equal(written_pair(w, &pair)->pair.shown, "|A − B|");
}

// ---- whole characters ----

static void assert_all_utf8(struct world *w)
{
    const struct overlay_content *c = written(w);
    const char *const texts[] = {c->sides[0].title,  c->device,         c->sides[0].time,
                                 c->sides[0].spread, c->sides[0].speed, c->sides[0].badge_text,
                                 c->sides[0].detail, c->status,         c->hint};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        if (!g_utf8_validate(texts[i], -1, NULL)) fail_msg("not UTF-8: '%s'", texts[i]);
    caption_list(&w->texts, &w->facts);
    for (int i = 0; i < w->texts.count; i++)
        if (!g_utf8_validate(w->texts.texts[i].text, -1, NULL))
            fail_msg("%s is not UTF-8: '%s'", w->texts.texts[i].key, w->texts.texts[i].text);
}

static void test_long_names_end_with_a_whole_character(void **state)
{
    for (int shift = 0; shift < 4; shift++) {
        struct world *w = world_new();
        GString *name = g_string_new(NULL);
        g_string_append_len(name, "xyz", shift);
        for (int i = 0; i < 80; i++) g_string_append(name, "写真");
        w->facts.picture_name = name->str;
        g_strlcpy(w->device.name, name->str, sizeof w->device.name);
        g_strlcpy(w->device.driver, name->str, sizeof w->device.driver);
        assert_all_utf8(w);
        const size_t length = strlen(chunk(w, "picture"));
        assert_in_range(length, CAPTION_VALUE - 4, CAPTION_VALUE - 1);
        assert_true(g_str_has_prefix(name->str, chunk(w, "picture")));
        g_string_free(name, TRUE);
        w->facts.picture_name = "Gau\xdf.png";
        assert_all_utf8(w);
        assert_chunk(w, "picture", "Gau\xef\xbf\xbd.png");
    }
}

static void test_long_titles_end_with_a_whole_character(void **state)
{
    for (int shift = 1; shift < 25; shift++) {
        struct world *w = world_new();
        memset(w->filter.params[0].name, 0, FILTER_NAME);
        for (int i = 0; i < 6; i++) {
            memset(w->filter.params[i].name, 'p', i ? 28 : (size_t)shift);
            w->facts.choice.settings.params.v[i] = 5;
        }
        w->filter.param_count = 6;
        assert_all_utf8(w);
        assert_in_range(strlen(w->content.sides[0].title), 150,
                        sizeof w->content.sides[0].title - 1);
    }
}

// The state travels with the texts, which outlive what they were made from.
static void test_the_state_is_one_of_the_texts(void **state)
{
    struct world *w = world_new();
    caption_list(&w->texts, &w->facts);
    const int count = w->texts.count;
    char *text = g_strnfill(CAPTION_STATE - 1, 's');
    caption_add_state(&w->texts, text);
    assert_int_equal(w->texts.count, count + 1);
    // The filter may go, with the names of its params, before the file is written.
    const char *const param = w->facts.choice.filter->params[0].name;
    for (int i = 0; i < count; i++) assert_ptr_not_equal(w->texts.texts[i].key, param);
    assert_string_equal(w->texts.texts[1].key, "filter");
    assert_string_equal(w->texts.texts[1].text, "mean");
    assert_string_equal(w->texts.texts[count].key, "tilescope-state");
    assert_ptr_not_equal(w->texts.texts[count].text, text);
    assert_string_equal(w->texts.texts[count].text, text);
    g_free(text);
    text = g_strnfill(CAPTION_STATE, 's');  // does not fit: better none than a part
    caption_list(&w->texts, &w->facts);
    caption_add_state(&w->texts, text);
    assert_int_equal(w->texts.count, count);
    g_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_baseline),
        cmocka_unit_test(test_a_full_caption),
        cmocka_unit_test(test_times_and_rates),
        cmocka_unit_test(test_what_is_not_known_is_left_out),
        cmocka_unit_test(test_settled_is_settled_and_current),
        cmocka_unit_test(test_what_is_news),
        cmocka_unit_test(test_repeats_unroll_and_frozen),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_badges),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_only_the_bands_are_written),
        cmocka_unit_test(test_all_chunks),
        cmocka_unit_test(test_a_pair_has_the_words_of_both),
        cmocka_unit_test(test_a_column_is_narrow),
        cmocka_unit_test(test_how_a_pair_differs),
        cmocka_unit_test(test_a_lab_has_arrays_and_no_picture),
        cmocka_unit_test(test_how_labs_differ),
        cmocka_unit_test(test_legends_of_a_pair),
        cmocka_unit_test(test_who_of_a_pair_is_faster),
        cmocka_unit_test(test_a_wrong_result_wins_nothing),
        cmocka_unit_test(test_a_shown_difference_tells_its_gain),
        cmocka_unit_test(test_long_names_end_with_a_whole_character),
        cmocka_unit_test(test_long_titles_end_with_a_whole_character),
        cmocka_unit_test(test_the_state_is_one_of_the_texts),
    };
    return cmocka_run_group_tests_name("caption", tests, NULL, NULL);
}
