// The words on the screen and in screenshots. golden/caption.txt has what each case says, as far as
// an earlier one does not say it: digits, units, what is left out. What stands behind == is told
// from the first case of one picture, or of a pair, and what stands behind -- from the case before
// it.
#include "golden.h"

#include "screen/baseline.h"
#include "screen/overlay.h"
#include "viewer/caption.h"

struct world {
    struct filter filter;
    struct device device;
    struct pane_facts facts;
    struct caption_pair pair;
    bool is_pair;  // the pair is what is shown
    struct overlay_content content;
    struct image_texts texts;
};

// "key: text" of one picture, and of a pair: of the first case, and of the world's last.
static GPtrArray *firsts[2], *lasts[2];

static struct world *world_new(void)
{
    for (int i = 0; i < 2; i++) g_clear_pointer(&lasts[i], g_ptr_array_unref);
    static struct world world;  // of the last call, which is forgotten
    struct world *w = &world;
    image_texts_finish(&w->texts);
    *w = (struct world){{{0}}};
    w->filter = (struct filter){
        .name = "mean",
        .title = "Mean",
        .params = {{.name = "radius", .value = 3, .max = 64, .step = 1}},
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
    w->device.is_gpu = true;
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

// ---- what is said ----

static GString *said;  // of all cases

static void put(GPtrArray *lines, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void put(GPtrArray *lines, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_ptr_array_add(lines, g_strchomp(g_strdup_vprintf(format, args)));
    va_end(args);
}

static void put_side(GPtrArray *lines, const struct overlay_content *c, int i)
{
    const struct overlay_side *side = &c->sides[i];
    const struct legend *legend = &c->legends[i];
    const char name = (char)('A' + i);
    put(lines, "%c title: %s", name, side->title);
    put(lines, "%c time: %s, %s%s", name, side->time, side->spread,
        side->is_settled ? "" : ", not settled");
    put(lines, "%c speed: %s", name, side->speed);
    put(lines, "%c detail: %s", name, side->detail);
    put(lines, "%c badge: %d %s", name, (int)side->badge, side->badge_text);
    put(lines, "%c legend: %s %s %s", name, legend->side, legend->low, legend->high);
}

// The shown array; and times of the device itself, unless the case has others.
static void complete(struct pane_facts *f)
{
    f->array = arrays_shown(&f->choice, f->array);
    if (f->timed.is_recorded) return;
    f->timed = (struct pane_times){.device = f->device, .picture = f->picture, .choice = f->choice};
    f->has_gpu_times = f->device->is_gpu;
}

// The texts of the file go on one line, as those of the overlay do not follow from them.
static GPtrArray *list_lines(struct world *w)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    const struct overlay_content *c = &w->content;
    complete(&w->facts);
    for (int i = 0; i < 2 && w->is_pair; i++) complete(&w->pair.sides[i]);
    if (w->is_pair)
        caption_write_pair(&w->content, &w->pair);
    else
        caption_write(&w->content, &w->facts);
    assert_int_equal(c->is_comparing, w->is_pair);
    put_side(lines, c, 0);
    if (w->is_pair) put_side(lines, c, 1);
    g_auto(GStrv) status = g_strsplit(c->status, "\n", -1);
    g_autofree char *shown = g_strjoinv(" · ", status);
    put(lines, "status: %s, %s, %s", shown, c->device, c->hint);
    if (w->is_pair)
        put(lines, "pair: %d %s, %s%s, %s, %d", (int)c->pair.verdict, c->pair.difference,
            c->pair.ratio, c->pair.is_ratio_pending ? " …" : "", c->pair.shown, c->pair.active);
    if (w->is_pair) return lines;
    caption_list(&w->texts, &w->facts);
    assert_string_equal(w->texts.texts[0].text, "Tilescope " TILESCOPE_VERSION);
    for (int i = 1; i < w->texts.count; i++)
        put(lines, "file %s: %s", w->texts.texts[i].key, w->texts.texts[i].text);
    return lines;
}

static bool has_key(const GPtrArray *lines, const char *line)
{
    const size_t length = strcspn(line, ":") + 1;
    int count = 0;
    for (guint i = 0; i < lines->len; i++)
        count += !strncmp(g_ptr_array_index(lines, i), line, length);
    if (count > 1) fail_msg("two of '%s'", line);
    return count;
}

static void say(struct world *w, const char *name)
{
    GPtrArray *lines = list_lines(w), **first = &firsts[w->is_pair], **last = &lasts[w->is_pair];
    const GPtrArray *before = *last ? *last : *first;
    g_autoptr(GString) file = g_string_new(NULL);
    g_string_append_printf(said, "%s %s\n", *last ? "--" : "==", name);
    for (guint i = 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i);
        const bool is_new = !before || !g_ptr_array_find_with_equal_func((GPtrArray *)before, line,
                                                                         g_str_equal, NULL);
        has_key(lines, line);
        if (is_new && before && g_str_has_prefix(line, "file "))
            g_string_append_printf(file, "; %s", line + strlen("file "));
        else if (is_new)
            g_string_append_printf(said, "%s\n", line);
    }
    for (guint i = 0; before && i < before->len; i++) {
        const char *line = g_ptr_array_index(before, i);
        if (!has_key(lines, line))
            g_string_append_printf(file, "; no %.*s", (int)strcspn(line, ":") - 5, line + 5);
    }
    if (file->len) g_string_append_printf(said, "file: %s\n", file->str + 2);
    if (!*first) *first = g_ptr_array_ref(lines);
    g_clear_pointer(last, g_ptr_array_unref);
    *last = lines;
}

static struct caption_pair *pair_of(struct world *w)
{
    w->is_pair = true;
    w->pair = (struct caption_pair){.sides = {w->facts, w->facts}, .active = 1};
    w->pair.sides[0].known.ms = (struct stats_summary){61, 1.41, 1.40, 1.42};
    w->pair.is_difference_known = true;
    return &w->pair;
}

static void say_alone(struct world *w, const char *name)
{
    w->is_pair = false;
    say(w, name);
}

// ---- one picture ----

static void say_the_baseline(void)
{
    struct world *w = world_new();
    const struct baseline_subject subject = {w->facts.choice, w->facts.picture, w->facts.device};
    struct baseline pinned = baseline_pin(&subject, (struct stats_summary){61, 0.2, 0.19, 0.21});
    w->facts.baseline = &pinned;
    say(w, "a baseline");
    pair_of(w);
    say(w, "a baseline beside a pair, which has narrow columns");
    pinned.ms.upper = 1;
    say(w, "a baseline that is as slow at times, beside a pair");
    say_alone(w, "a baseline that is as slow at times");
    w->facts.picture = planes_shape(640, 480, 1);
    say(w, "a baseline of another size");
    pinned.ms.count = 0;
    say(w, "another size without a baseline");
}

// A slow kernel on the CPU has small rates. Screen and file may not disagree, and the file has all
// the digits that the screen has. Pixels are counted once, and bytes by plane.
static void say_times_and_rates(void)
{
    static const struct {
        const char *name;
        int width, height;
        struct stats_summary ms;
        double copy_ms, naive_ms;
    } rows[] = {
        {"the smallest picture", 1, 1, {61, 0.00204, 0.002, 0.0021}, 0.00102, 0.00102},
        {"the largest picture", 32768, 32768, {9, 123456.7, 123000, 124000}, 4.61, 1e7},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct world *w = world_new();
        w->facts.picture = planes_shape(rows[i].width, rows[i].height, 3);
        w->facts.known.ms = rows[i].ms;
        w->facts.copy_ms = rows[i].copy_ms;
        w->facts.naive_ms = rows[i].naive_ms;
        say(w, rows[i].name);
    }
}

static void say_what_is_not_known(void)
{
    struct world *w = world_new();
    w->facts.copy_ms = w->facts.naive_ms = 0;
    w->facts.report.facts.registers = 0;
    w->facts.report.occupancy = (struct occupancy){.limiter = ""};
    w->facts.frame_ms = w->facts.host_ms = (struct stats_summary){.count = 0};
    say(w, "only a time is known");
    w->facts.known.ms = (struct stats_summary){0};
    w->facts.known.is_settled = false;
    say(w, "nothing is known");
    w->facts.is_frozen = true;
    say(w, "frozen without a time");
    w->facts.is_compiling = true;
    say(w, "compiling");
    w->facts.is_refused = true;
    say(w, "refused");
    w = world_new();
    w->facts.is_current = false;
    w->facts.is_refused = true;
    say(w, "a library that is not here, with its recorded time");
    w = world_new();
    w->facts.known.is_settled = false;
    say(w, "not settled");
}

static void say_a_reduced_picture(void)
{
    struct world *w = world_new();
    w->facts.picture = planes_shape(1000, 750, 3);
    w->facts.whole = planes_shape(4000, 3000, 3);
    say(w, "a reduced picture");
    pair_of(w);
    say(w, "a reduced picture in a pair");
}

static void say_settings(void)
{
    struct world *w = world_new();
    w->facts.choice.settings.is_unrolled = true;
    w->facts.choice.settings.block_width = 7;
    w->facts.choice.settings.block_height = 5;
    w->facts.report.repeats = 64;
    w->facts.report.is_generic = true;
    w->facts.is_frozen = true;
    w->facts.vsync = "unknown";
    say(w, "unrolled, in another block, with short launches, frozen");
    w = world_new();
    w->filter.params[1] = (struct param){.name = "sigma", .is_float = true};
    w->filter.param_count = 2;
    w->facts.choice.settings.params.v[1] = 1.25;
    say(w, "two params");
    w->filter.param_count = 0;
    say(w, "no params");
    for (int path = INTEROP_STAGED; path <= INTEROP_CPU; path++) {
        w = world_new();
        w->facts.path = (enum interop_path)path;
        say(w, interop_path_name(w->facts.path));
    }
    w->facts.lacks_gpu = true;
    say(w, "no GPU");
}

static void say_badges(void)
{
    static const struct {
        const char *name;
        enum result_check check;
        bool is_refused, is_empty;
        double done;
    } rows[] = {{"wrong", CHECK_WRONG, 0, 0, 0},
                {"exact, with a check that goes on", CHECK_EXACT, 0, 0, 0.374},
                {"a check begins", CHECK_UNKNOWN, 0, 0, 0},
                {"a check goes on", CHECK_UNKNOWN, 0, 0, 0.374},
                {"refused with a picture", CHECK_UNKNOWN, 1, 0, 0.374},
                {"refused without a picture", CHECK_UNKNOWN, 1, 1, 0.374},
                {"no reference", CHECK_IMPOSSIBLE, 0, 0, 0}};
    struct world *w = world_new();
    w->facts.known.difference = (struct image_difference){.count = 3, .max = 17};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        w->facts.known.check = rows[i].check;
        w->facts.is_refused = rows[i].is_refused;
        w->facts.is_empty = rows[i].is_empty;
        w->facts.check_done = rows[i].done;
        say(w, rows[i].name);
    }
    w->filter.tolerance = (struct tolerance){TOLERANCE_RELATIVE, 1e-6};
    w->facts.known.check = CHECK_NEAR;
    w->facts.known.difference = (struct image_difference){.error = 3.2e-7};
    say(w, "within a tolerance");
    w->facts.known.difference.error = 0;
    say(w, "within a tolerance, and the same");
    w->facts.known.check = CHECK_WRONG;
    w->facts.known.difference = (struct image_difference){.count = 1, .max = 1, .error = 2e-6};
    say(w, "not within a tolerance");
    w->facts.known.check = CHECK_IMPOSSIBLE;
    g_strlcpy(w->facts.known.unchecked, "the reference has not come back",
              sizeof w->facts.known.unchecked);
    say(w, "a reference that has not come back");
}

// ---- two pictures ----

static void say_pairs(void)
{
    struct world *w = world_new();
    pair_of(w)->is_difference_shown = true;
    for (int i = 0; i < 3; i++) {
        w->pair.difference.max = (const int[]){12, 100, 255}[i];
        say(w, "a difference that is shown");
    }
    w->facts.copy_ms = w->facts.naive_ms = 0;
    w->facts.choice.settings.is_unrolled = true;
    pair_of(w);
    say(w, "a pair before anything else is measured, unrolled");
}

static void say_how_pairs_differ(void)
{
    static const struct {
        int planes;
        long count;
        int max;
    } rows[] = {{1, 2176000, 12}, {3, 2176000, 12}, {1, 64000000, 255}, {1, 63999, 1},
                {3, 2, 9},        {1, 1, 3},        {3, 1, 3}};
    struct world *w = world_new();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        w->facts.picture = planes_shape(8000, 8000, rows[i].planes);
        pair_of(w)->difference =
            (struct image_difference){.count = rows[i].count, .max = rows[i].max};
        say(w, "a pair that differs");
    }
    w = world_new();
    pair_of(w)->is_difference_known = false;
    say(w, "a pair that is being compared");
    for (int side = 0; side < 2; side++) {
        pair_of(w)->is_difference_known = false;
        w->pair.sides[side].is_refused = true;
        say(w, "a side that is refused");
    }
}

// The words of a comparison are figures.h's.
static void say_who_is_faster(void)
{
    struct world *w = world_new();
    for (int side = 0; side < 2; side++) {
        pair_of(w)->sides[side].known.is_settled = false;
        say(w, "a side that is not settled");
        pair_of(w)->sides[side].known.ms = (struct stats_summary){0};
        say(w, "a side without a time");
        w->pair.sides[side].is_refused = true;
        say(w, "a side that will never have a time");
    }
    w->facts.known.check = CHECK_WRONG;
    w->facts.known.difference = (struct image_difference){.count = 9, .max = 3};
    say_alone(w, "a wrong result has no speed-up");
    pair_of(w);
    say(w, "a wrong result wins nothing");
    w->pair.sides[1].known.check = CHECK_EXACT;
    say(w, "a right one wins");
}

// ---- labs ----

// A lab with two arrays of 40 x 50 floats, the second of which is written.
static void make_lab(struct world *w)
{
    w->filter.array_count = 2;
    const char *const names[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        struct array *a = &w->filter.arrays[i];
        *a = (struct array){.type = ARRAY_FLOAT, .kind = i ? ARRAY_OUT : ARRAY_IN, .dimensions = 2};
        g_strlcpy(a->name, names[i], sizeof a->name);
        assert_true(filter_compile(&w->filter, &a->shape[0], "40", &err) &&
                    filter_compile(&w->filter, &a->shape[1], "10*radius", &err));
    }
    w->facts.picture = planes_shape(50, 40, 1);
    w->facts.array = -1;
}

static void set_range(struct world *w, int array, const char *low, const char *high)
{
    struct array *a = &w->filter.arrays[array];
    assert_true(filter_compile(&w->filter, &a->low, low, &err) &&
                filter_compile(&w->filter, &a->high, high, &err));
}

// Greys may stand for many elements each. A is of radius 5, B of radius 6.
static void say_labs(void)
{
    struct world *w = world_new();
    struct array_scale scale;
    make_lab(w);
    say(w, "a lab");
    w->facts.array = 0;
    say(w, "the other array of a lab");
    struct pass *const pass =
        &w->filter.variants[w->facts.choice.variant - w->filter.variants].passes[0];
    pass->arrays = 2;
    say(w, "an array that the variant does not take");
    pass->arrays = 0;
    w->facts.array = -1;
    pair_of(w);
    say(w, "labs with one picture");
    w->pair.difference = (struct image_difference){.count = 1, .max = 3};
    say(w, "labs with two pictures");
    set_range(w, 0, "0", "7");
    set_range(w, 1, "-radius", "10*radius");
    say_alone(w, "a lab with a scale");
    struct caption_pair *p = pair_of(w);
    p->sides[1].choice.settings.params.v[0] = 6;
    say(w, "labs of other shapes");
    assert_true(choice_common_scale(&p->sides[0].choice, -1, &p->sides[1].choice, 1, &scale));
    for (int i = 0; i < 2; i++) {
        p->sides[i].has_common_scale = true;
        p->sides[i].scale = scale;
    }
    say(w, "labs with a common scale");
    p->is_difference_shown = true;
    p->difference = (struct image_difference){.count = 1, .max = 51};
    say(w, "the difference of labs with a common scale");
    assert_false(choice_common_scale(&p->sides[0].choice, 0, &p->sides[1].choice, 1, &scale));
    p->sides[0].array = 0;
    p->sides[0].has_common_scale = p->sides[1].has_common_scale = false;
    say(w, "the difference of labs with scales of their own");
    p->is_difference_shown = false;
    say(w, "labs with scales of their own");
}

// The lens's job writes counts where a GPU's time stands.
static void say_a_cpu(void)
{
    struct world *w = world_new();
    w->device.is_gpu = false;
    say_alone(w, "a CPU");
    w->facts.known.is_settled = false;
    say(w, "a CPU's time that is not settled");
    w = world_new();
    pair_of(w);
    w->device.is_gpu = false;
    say(w, "a pair on a CPU");
}

static void say_recorded_times(void)
{
    static const struct device card = {
        .name = "NVIDIA H100", .driver = "driver 580.159, CUDA 13.0", .is_gpu = true};
    struct world *w = world_new();
    struct pane_times *t = &w->facts.timed;
    w->device.is_gpu = false;
    *t = (struct pane_times){.is_recorded = true,
                             .device = &card,
                             .picture = planes_shape(1920, 1080, 3),
                             .choice = w->facts.choice,
                             .about = "NVIDIA H100, recorded 23 Nov 2026",
                             .local_ms = {.count = 9, .median = 16.6}};
    w->facts.has_gpu_times = true;
    say_alone(w, "recorded times");
    w->facts.picture = planes_shape(1920, 1080, 3);
    say(w, "of the same size as the picture");
    w->facts.picture = planes_shape(8000, 8000, 1);
    w->facts.lacks_gpu = true;
    say(w, "without a GPU");
    w->facts.lacks_gpu = false;
    t->choice.settings.params.v[0] = 9;
    say(w, "of other sizes");
    // A sheet says so, too, in one line.
    char size[96] = "";
    caption_add_size(size, sizeof size, &w->facts);
    assert_string_equal(size, "at 1920×1080 colour, radius 9");
    pair_of(w);
    say(w, "of a pair");
    w->is_pair = false;
    t->local_ms.count = 0;
    say(w, "before the local ones are there");
    w->facts.has_gpu_times = false;
    w->facts.copy_ms = w->facts.naive_ms = 0;
    t->picture = w->facts.picture;
    t->choice = w->facts.choice;
    g_strlcpy(t->missing, "edited since it was recorded: no time", sizeof t->missing);
    say(w, "and none of an edited kernel");
}

static void say_the_first_screen(void)
{
    struct world *w = world_new();
    w->content.is_first = true;
    say_alone(w, "the first screen");
    w->facts.lacks_gpu = true;
    say(w, "the first screen without a GPU");
}

TEST(all_words)
{
    said = g_string_new(NULL);
    struct world *w = world_new();
    say(w, "a full caption");
    pair_of(w);
    say(w, "a pair");
    say_alone(w, "and then one picture again");
    say_the_baseline();
    say_times_and_rates();
    say_what_is_not_known();
    say_a_reduced_picture();
    say_settings();
    say_badges();
    say_pairs();
    say_how_pairs_differ();
    say_who_is_faster();
    say_labs();
    say_a_cpu();
    say_recorded_times();
    say_the_first_screen();
    golden_expect("caption.txt", said->str);
    g_string_free(said, TRUE);
    world_new();
    for (int i = 0; i < 2; i++) g_ptr_array_unref(firsts[i]);
}

// ---- what else is promised ----

// What is told at once. Other numbers alone may wait until they can be read.
TEST(what_is_news)
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

// Messages, help and appearance are another's.
TEST(only_the_bands_are_written)
{
    struct world *w = world_new();
    g_strlcpy(w->content.message, "refused", sizeof w->content.message);
    w->content.tone = OVERLAY_BROKEN;
    w->content.help_count = 7;
    w->content.is_hidden = w->content.is_light = true;
    w->content.scale = 2.5;
    caption_write(&w->content, &w->facts);
    assert_string_equal(w->content.message, "refused");
    assert_int_equal(w->content.tone, OVERLAY_BROKEN);
    assert_int_equal(w->content.help_count, 7);
    assert_true(w->content.is_hidden && w->content.is_light && w->content.scale == 2.5);
}

// ---- whole characters ----

static const char *chunk(struct world *w, const char *key)
{
    caption_list(&w->texts, &w->facts);
    for (int i = 0; i < w->texts.count; i++)
        if (!strcmp(w->texts.texts[i].key, key)) return w->texts.texts[i].text;
    return NULL;
}

static void assert_all_utf8(struct world *w)
{
    const struct overlay_content *c = &w->content;
    caption_write(&w->content, &w->facts);
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

TEST(long_names_end_with_a_whole_character)
{
    for (int shift = 0; shift < 4; shift++) {
        struct world *w = world_new();
        g_autoptr(GString) name = g_string_new(NULL);
        g_string_append_len(name, "xyz", shift);
        for (int i = 0; i < 80; i++) g_string_append(name, "写真");
        w->facts.picture_name = name->str;
        g_strlcpy(w->device.name, name->str, sizeof w->device.name);
        g_strlcpy(w->device.driver, name->str, sizeof w->device.driver);
        assert_all_utf8(w);
        const char *picture = chunk(w, "picture");
        assert_in_range(strlen(picture), CAPTION_VALUE - 4, CAPTION_VALUE - 1);
        assert_true(g_str_has_prefix(name->str, picture));
        w->facts.picture_name = "Gau\xdf.png";
        assert_all_utf8(w);
        assert_string_equal(chunk(w, "picture"), "Gau\xef\xbf\xbd.png");
    }
}

TEST(long_titles_end_with_a_whole_character)
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
TEST(the_state_is_one_of_the_texts)
{
    struct world *w = world_new();
    caption_list(&w->texts, &w->facts);
    const int count = w->texts.count;
    g_autofree char *text = g_strnfill(16000, 's');
    image_texts_add(&w->texts, "tilescope-state", text);
    assert_int_equal(w->texts.count, count + 1);
    // The filter may go, with the names of its params, before the file is written.
    const char *const param = w->facts.choice.filter->params[0].name;
    for (int i = 0; i < count; i++) assert_ptr_not_equal(w->texts.texts[i].key, param);
    assert_string_equal(w->texts.texts[1].key, "filter");
    assert_string_equal(w->texts.texts[1].text, "mean");
    assert_string_equal(w->texts.texts[count].key, "tilescope-state");
    assert_ptr_not_equal(w->texts.texts[count].text, text);
    assert_string_equal(w->texts.texts[count].text, text);
}
