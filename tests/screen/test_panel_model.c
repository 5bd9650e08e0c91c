// The panels' contents: what they want measured, what they show of it, and what a click on them
// means.
#include "unit.h"

#include <math.h>

#include "base/hash.h"
#include "draw/bars.h"
#include "draw/plot.h"
#include "folder.h"
#include "frame/recording.h"
#include "screen/panel_model.h"
#include "screen/panel_view.h"

CLOSER(recording, recording_destroy)

// The last two are legal for few blocks.
static const char source[] = "//! filter \"Mean\" key m\n"
                             "#include \"kernel.h\"\n"
                             "//! param radius 3 [0, 40] pixels\n"
                             "//! param c 5 [-9, 9] bias\n"
                             "//! reference out\n"
                             "__host__ __device__ int zero() { return 0; }\n"
                             "//! variant naive 32x8\n"
                             "__global__ void mean_naive() {}\n"
                             "//! variant shared 16x16 shared=(bw + 2*radius) * (bh + 2*radius)\n"
                             "__global__ void mean_shared() {}\n"
                             "//! variant wide 64x2 multiple_of=64\n"
                             "__global__ void mean_wide() {}\n"
                             "//! variant fixed 128x1 block=fixed\n"
                             "__global__ void mean_fixed() {}\n";

static const char plain_source[] = "//! filter \"Invert\" key e\n"
                                   "#include \"kernel.h\"\n"
                                   "//! variant quick 32x8\n"
                                   "__global__ void invert_quick() {}\n";

static const struct device gpu = {.id = "cuda:0",
                                  .name = "Test, \"GPU\"",
                                  .driver = "driver 1",
                                  .arch = "sm_90",
                                  .is_gpu = true,
                                  .multiprocessors = 100,
                                  .clock_mhz = 1000,
                                  .max_threads = 512,
                                  .max_block_width = 1024,
                                  .max_block_height = 1024,
                                  .max_grid_width = 1 << 30,
                                  .max_grid_height = 65535,
                                  .max_shared_bytes = 6000};

enum { NAIVE, SHARED, WIDE, FIXED };
enum { GRID = 1 << OVERLAY_GRID, BARS = 1 << OVERLAY_BARS };
enum { SWEEP = 1 << OVERLAY_SWEEP, HEAT = 1 << OVERLAY_HEAT };

// A wide range, which is the axis of its own, and no radius.
static const char work_source[] = "//! filter \"Work\"\n"
                                  "#include \"kernel.h\"\n"
                                  "//! param n 1024 [2, 1073741824] items\n"
                                  "//! param m 2 [1, 9] times\n"
                                  "//! variant naive 32x8\n"
                                  "__global__ void work_naive() {}\n"
                                  "//! variant fast 32x8\n"
                                  "__global__ void work_fast() {}\n";

// A lab whose arrays grow with n, but not with m.
static const char lab_source[] = "//! lab \"Twice\"\n#include \"lab.h\"\n"
                                 "//! param n 1024 [1, 4096] numbers\n"
                                 "//! param m 2 [1, 9] times\n"
                                 "//! array x int in [n] noise 0, 9\n"
                                 "//! array y int out [n] shown 0, 9\n"
                                 "//! reference y\n__host__ __device__ int zero() { return 0; }\n"
                                 "//! variant naive 256x1\n__global__ void twice_naive() {}\n";

// A lab that is smaller on a CPU.
static const char sized_source[] = "//! lab \"Square\"\n#include \"lab.h\"\n"
                                   "//! param rows 4096 cpu=512 [1, 9999] rows\n"
                                   "//! param columns 4096 cpu=512 [1, 9999] columns\n"
                                   "//! param m 2 [1, 9] times\n"
                                   "//! array x int in [rows][columns] noise 0, 9\n"
                                   "//! array y int out [rows][columns] shown 0, 9\n"
                                   "//! reference y\n__host__ __device__ int zero() { return 0; }\n"
                                   "//! variant naive 256x1\n__global__ void square_naive() {}\n";

// Made anew for each test.
static struct filter mean, invert, work, lab, sized;
static struct panel_model_facts facts;
static struct results *results;
static struct panel_model *model;
static const struct overlay_panels *panels;  // of the model, and what the open ones show
static const struct bars *bars;
static const struct plot *sweep;
static const struct plot_heat *heat;

static void choose(int variant, int radius, int width, int height)
{
    facts.choice.variant = &mean.variants[variant];
    facts.choice.settings.params.v[0] = radius;
    facts.choice.settings.block_width = width;
    facts.choice.settings.block_height = height;
}

// Its first variant, as it is by default.
static void use(const struct filter *f)
{
    facts.choice = (struct choice){f, f->variants, {.params = filter_defaults(f)}};
}

static int set_up(void **state)
{
    const struct {
        struct filter *filter;
        const char *path, *text;
    } files[] = {{&mean, "kernels/mean.cu", source},
                 {&invert, "kernels/invert.cu", plain_source},
                 {&work, "kernels/work.cu", work_source},
                 {&lab, "kernels/twice.cu", lab_source},
                 {&sized, "kernels/square.cu", sized_source}};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        must(filter_parse(files[i].filter, files[i].path, files[i].text, NULL, &err));
    facts = (struct panel_model_facts){
        .choice = {.filter = &mean}, .device = &gpu, .picture = planes_shape(641, 479, 3)};
    facts.choice.settings.params = filter_defaults(&mean);
    results = results_create();
    model = panel_model_create();
    panels = panel_model_update(model, results, NULL);
    choose(SHARED, 5, 0, 0);
    return 0;
}

static int tear_down(void **state)
{
    panel_model_destroy(model);
    results_destroy(results);
    filter_finish(&mean);
    filter_finish(&invert);
    filter_finish(&work);
    filter_finish(&lab);
    filter_finish(&sized);
    return 0;
}

static uint64_t hash_panels(void)
{
    uint64_t hash = 0;
    for (int i = 0; i < OVERLAY_PANELS; i++) {
        const uint64_t each = panel_view_hash(panels, (enum overlay_panel)i);
        hash = HASH_VALUE(hash, each);
    }
    return hash;
}

// True if something that is drawn has changed.
static bool make_panels(void)
{
    const uint64_t before = hash_panels();
    panel_model_update(model, results, NULL);
    bars = panels->bars;
    sweep = panels->sweep;
    heat = panels->heat ? panels->heat->heats : NULL;
    return hash_panels() != before;
}

static bool update(void)
{
    panel_model_want(model, &facts, results);
    return make_panels();
}

static bool open_panels(unsigned open)
{
    facts.open = open;
    return update();
}

// The cursor's place.
static void point_at(enum overlay_panel panel, int index, double value)
{
    panel_model_point(model, &(struct overlay_hit){panel, index, value});
    update();
}

static int count_wanted(void)
{
    int done, wanted;
    results_progress(results, &done, &wanted);
    return wanted;
}

static struct choice next_of(int skip)
{
    struct choice point;
    if (!results_next(results, skip, &point)) fail_msg("no candidate %d", skip);
    return point;
}

static struct choice point_of(int variant, int radius, int width, int height)
{
    struct choice point = {&mean, &mean.variants[variant], facts.choice.settings};
    point.settings.params.v[0] = radius;
    point.settings.block_width = width;
    point.settings.block_height = height;
    return point;
}

static void check(struct choice point, int max)
{
    results_check(results, &point, (struct image_difference){.count = max > 0, .max = max});
}

// So many samples that count.
static void sample(struct choice point, int count, double ms)
{
    for (int i = 0; i < STATS_DROPPED + count; i++) results_add(results, &point, ms);
}

static void settle(struct choice point, double ms)
{
    check(point, 0);
    results_begin(results, &point);
    sample(point, STATS_WINDOW, ms);
}

// The copy that the present choice is compared with becomes known.
static void settle_copy(double ms)
{
    settle(choice_copy_of(&facts.choice), ms);
}

// Everything that is wanted becomes known.
static void measure_all(void)
{
    struct choice point;
    while (results_next(results, 0, &point)) {
        const double r = 2 * point.settings.params.v[0] + 1;
        const int variant = (int)(point.variant - mean.variants);
        settle(point, variant == FIXED ? 0.3 : (0.01 + 0.001 * point.settings.block_width) * r * r);
    }
}

// A click's change.
static struct panel_model_change change;

static bool click(enum overlay_panel panel, int index, double value)
{
    const struct overlay_hit hit = {panel, index, value};
    return panel_model_click(model, &facts.choice, &hit, &change);
}

static void expect_block(int width, int height)
{
    assert_int_equal(change.choice.settings.block_width, width);
    assert_int_equal(change.choice.settings.block_height, height);
}

// ---- what is wanted ----

#define WITH_PANELS(name) TEST_WITH(name, set_up, tear_down)

WITH_PANELS(closed_panels_want_only_naive)
{
    open_panels(GRID);
    assert_int_equal(count_wanted(), 1);
    assert_ptr_equal(next_of(0).variant, &mean.variants[NAIVE]);
    use(&invert);
    update();
    assert_int_equal(count_wanted(), 0);  // no naive variant
}

WITH_PANELS(bars_come_before_sweeps)
{
    choose(SHARED, 5, 32, 8);
    open_panels(SWEEP | BARS);
    assert_ptr_equal(next_of(0).variant, &mean.variants[NAIVE]);
    for (int i = 1; i < 4; i++) {
        assert_ptr_equal(next_of(i).variant, &mean.variants[i]);
        assert_int_equal(next_of(i).settings.params.v[0], 5);
    }
    assert_int_equal(next_of(4).settings.params.v[0], 0);  // the sweep's first radius
}

// Legal ones of 9 x 7 blocks; (bw + 10) * (bh + 10) bytes and 512 threads bound them.
static int count_legal_blocks(void)
{
    int count = 0;
    for (int w = 4; w <= 1024; w *= 2)
        for (int h = 1; h <= 64; h *= 2)
            count += w * h <= 512 && (w + 10) * (h + 10) <= (int)gpu.max_shared_bytes;
    return count;
}

WITH_PANELS(the_heat_map_wants_what_is_legal)
{
    open_panels(HEAT);
    const int legal = count_legal_blocks();
    assert_in_range(legal, 20, 40);
    assert_int_equal(count_wanted(), 1 + legal);
    choose(FIXED, 5, 0, 0);
    update();
    assert_int_equal(count_wanted(), 2);  // naive, and the one shape
}

WITH_PANELS(the_last_opened_is_measured_first)
{
    open_panels(HEAT);
    open_panels(HEAT | SWEEP);
    assert_int_equal(next_of(1).settings.params.v[0], 0);
    open_panels(SWEEP);
    open_panels(HEAT | SWEEP);
    assert_int_equal(next_of(1).settings.params.v[0], 5);
    assert_true(panels->opened[OVERLAY_HEAT] > panels->opened[OVERLAY_SWEEP]);
}

WITH_PANELS(forgotten_wishes_are_wished_again)
{
    open_panels(BARS);
    const int before = count_wanted();
    results_forget(results);
    update();
    assert_int_equal(count_wanted(), before);
}

// ---- bars ----

WITH_PANELS(bars_say_with_which_block)
{
    choose(NAIVE, 5, 8, 4);
    open_panels(BARS);
    assert_int_equal(bars->count, 4);
    assert_string_equal(bars->rows[NAIVE].block, "8×4");
    assert_string_equal(bars->rows[SHARED].block, "8×4");
    assert_string_equal(bars->rows[WIDE].block, "64×2");  // the present one is illegal for it
    assert_string_equal(bars->rows[FIXED].block, "128×1");
    assert_string_equal(bars->rows[WIDE].key, "3");
    for (int i = 0; i < 4; i++) assert_int_equal(bars->rows[i].is_present, i == NAIVE);
    assert_string_equal(bars->title, "Variants at radius 5 · c 5, ms a launch");
    assert_string_equal(bars->naive_block, "32×8");
}

WITH_PANELS(refused_bars_have_a_reason)
{
    choose(WIDE, 40, 8, 4);
    open_panels(BARS);
    assert_int_equal(bars->rows[WIDE].state, BARS_REFUSED);
    assert_string_equal(bars->rows[WIDE].reason,
                        "needs a block width that is a multiple of 64, not 8");
    assert_int_equal(bars->rows[SHARED].state, BARS_REFUSED);  // in its default block too
    assert_non_null(strstr(bars->rows[SHARED].reason, "shared memory"));
    const struct choice naive = point_of(NAIVE, 40, 8, 4);
    results_refuse(results, &naive, "3 s a launch: too slow");
    update();
    assert_int_equal(bars->rows[NAIVE].state, BARS_REFUSED);
    assert_string_equal(bars->rows[NAIVE].reason, "3 s a launch: too slow");
}

WITH_PANELS(bars_follow_the_results)
{
    open_panels(BARS);
    assert_int_equal(bars->rows[NAIVE].state, BARS_UNKNOWN);
    settle(point_of(NAIVE, 5, 0, 0), 1.414213);
    sample(point_of(SHARED, 5, 0, 0), 1, 0.5);
    assert_true(update());
    assert_false(update());
    assert_int_equal(bars->rows[NAIVE].state, BARS_DONE);
    assert_int_equal(bars->rows[SHARED].state, BARS_MEASURING);
    assert_true(bars->rows[NAIVE].ms == 1.41);  // the digits that are shown
    assert_true(bars->rows[NAIVE].over_naive == 1);
    assert_true(bars->rows[SHARED].over_naive == 2.83);
    assert_int_equal(bars_best(bars), -1);  // one that is settled is not the best of any
}

WITH_PANELS(a_wrong_bar_wins_nothing)
{
    open_panels(BARS);
    settle(point_of(NAIVE, 5, 0, 0), 3);
    settle(point_of(SHARED, 5, 0, 0), 2);
    settle(point_of(WIDE, 5, 0, 0), 1);
    update();
    assert_int_equal(bars_best(bars), -1);  // the last variant may be faster
    const struct choice fixed = point_of(FIXED, 5, 0, 0);
    sample(fixed, 1, 1);
    update();
    assert_int_equal(bars->rows[FIXED].state, BARS_MEASURING);
    assert_int_equal(bars_best(bars), -1);
    results_begin(results, &fixed);
    sample(fixed, 1, 4);
    update();
    assert_int_equal(bars_best(bars), WIDE);  // it is measured, but known to be slower
    results_refuse(results, &fixed, "too slow");
    update();
    assert_int_equal(bars_best(bars), WIDE);
    assert_true(bars->rows[WIDE].over_naive == 3);
    check(point_of(WIDE, 5, 0, 0), 255);
    assert_true(update());
    assert_int_equal(bars->rows[WIDE].state, BARS_WRONG);
    assert_true(bars->rows[WIDE].ms == 1 && bars->rows[WIDE].over_naive == 0);
    assert_false(bars->rows[WIDE].is_pending);
    assert_int_equal(bars_best(bars), SHARED);
    const struct choice wide = point_of(WIDE, 5, 0, 0);
    results_begin(results, &wide);  // measured anew: wrong still, but not settled
    sample(wide, 1, 1);
    update();
    assert_true(bars->rows[WIDE].state == BARS_WRONG && bars->rows[WIDE].is_pending);
    assert_int_equal(bars_best(bars), SHARED);
    check(point_of(NAIVE, 5, 0, 0), 1);  // nor is it a measure for others
    update();
    assert_true(bars->rows[SHARED].over_naive == 0);
    assert_int_equal(bars_best(bars), -1);
}

// The middle half of its times lies between these two.
static void settle_around(struct choice point, double lower, double upper)
{
    check(point, 0);
    results_begin(results, &point);
    for (int i = 0; i < STATS_DROPPED + STATS_WINDOW; i++)
        results_add(results, &point, i % 2 ? lower : upper);
}

// If chance decides, each has a star, whoever is ahead just now.
WITH_PANELS(who_is_alike_shares_the_star)
{
    open_panels(BARS);
    settle_around(point_of(NAIVE, 5, 0, 0), 2, 2.2);
    settle_around(point_of(SHARED, 5, 0, 0), 0.9, 1.1);
    settle_around(point_of(WIDE, 5, 0, 0), 1, 1.2);
    settle_around(point_of(FIXED, 5, 0, 0), 3, 3.3);
    update();
    const int best = bars_best(bars), other = best == SHARED ? WIDE : SHARED;
    assert_true(best == SHARED || best == WIDE);
    assert_true(bars->rows[other].is_alike && !bars->rows[best].is_alike);
    assert_false(bars->rows[NAIVE].is_alike || bars->rows[FIXED].is_alike);
    check(point_of(other, 5, 0, 0), 255);
    update();
    assert_false(bars->rows[other].is_alike);
}

WITH_PANELS(figures_wait_for_the_update)
{
    open_panels(BARS);
    settle(point_of(NAIVE, 5, 0, 0), 3);
    assert_false(panel_model_want(model, &facts, results));
    assert_int_equal(bars->rows[NAIVE].state, BARS_UNKNOWN);
    assert_true(make_panels());
    assert_int_equal(bars->rows[NAIVE].state, BARS_DONE);
    choose(SHARED, 6, 0, 0);  // what is shown is no longer of the choice
    assert_true(panel_model_want(model, &facts, results));
    assert_false(panel_model_want(model, &facts, results));
    assert_true(make_panels());
}

WITH_PANELS(equal_figures_are_not_drawn_again)
{
    open_panels(BARS | SWEEP | HEAT);
    settle(point_of(SHARED, 5, 0, 0), 0.41204);
    assert_true(update());
    assert_false(update());
    settle(point_of(SHARED, 5, 0, 0), 0.41199);
    assert_false(update());
    settle(point_of(SHARED, 5, 0, 0), 0.41301);
    assert_true(update());
}

WITH_PANELS(the_last_figure_stays_grey)
{
    open_panels(BARS);
    measure_all();
    update();
    const double ms = bars->rows[SHARED].ms;
    assert_true(ms > 0);
    assert_true(bars_best(bars) >= 0);
    choose(SHARED, 6, 0, 0);
    update();
    assert_true(bars->rows[SHARED].is_stale);
    assert_true(bars->rows[SHARED].ms == ms);
    assert_string_equal(bars->rows[SHARED].settings, "radius 5 · c 5");
    assert_string_equal(bars->settings, "radius 6 · c 5");
    choose(SHARED, 6, 8, 8);
    facts.choice.settings.is_unrolled = true;
    update();
    assert_string_equal(bars->rows[SHARED].settings, "radius 5 · c 5");  // of the figure
    assert_string_equal(bars->rows[SHARED].block, "16×16");
    assert_string_equal(bars->settings, "radius 6 · c 5 · unroll on");
    facts.choice.settings.is_unrolled = false;
    choose(SHARED, 6, 0, 0);
    update();
    assert_int_equal(bars_best(bars), -1);
    settle(point_of(SHARED, 6, 0, 0), 2 * ms);
    update();
    assert_false(bars->rows[SHARED].is_stale);
    assert_true(bars->rows[NAIVE].is_stale);
    // Another filter's times are no earlier times of these.
    use(&invert);
    update();
    assert_int_equal(bars->count, 1);
    assert_true(bars->rows[0].ms == 0);
}

// ---- sweep ----

WITH_PANELS(the_sweep_goes_through_radii_within_limits)
{
    static const double radii[] = {0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32};
    open_panels(SWEEP);
    const struct plot_curves *c = sweep->curves;
    assert_int_equal(c->x_count, 12);
    assert_memory_equal(c->xs, radii, sizeof radii);
    assert_true(c->has_mark && c->mark_x == 5);
    choose(SHARED, 37, 0, 0);
    update();
    assert_int_equal(c->x_count, 12);
    assert_true(c->xs[11] == 37);
}

WITH_PANELS(the_sweep_grows_with_what_is_measured)
{
    settle_copy(0.0333);
    choose(SHARED, 5, 8, 8);
    open_panels(SWEEP);
    const struct plot_curves *c = sweep->curves;
    assert_int_equal(c->count, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(c->curves[i].count, 0);
    assert_non_null(strstr(sweep->caption, "measuring, 0 of "));
    settle(point_of(SHARED, 5, 8, 8), 1);
    settle(point_of(SHARED, 4, 16, 16), 1);  // the present variant has the present block
    settle(point_of(NAIVE, 4, 0, 0), 3);
    sample(point_of(NAIVE, 6, 0, 0), 2, 4);
    update();
    assert_int_equal(c->curves[SHARED].count, 1);
    assert_int_equal(c->curves[NAIVE].count, 1);
    assert_true(c->curves[NAIVE].points[0].x == 4 && c->curves[NAIVE].points[0].y == 3);
    assert_true(c->curves[SHARED].is_emphasised && !c->curves[NAIVE].is_emphasised);
    assert_true(c->floor == 0.0333);
    measure_all();
    update();
    assert_int_equal(c->curves[NAIVE].count, 12);
    assert_int_equal(c->curves[SHARED].count, 12);
    assert_string_equal(sweep->caption, "unroll off");
    choose(SHARED, 5, 0, 0);
    update();
    measure_all();
    update();
    assert_int_equal(c->curves[SHARED].count, 11);  // at radius 32 the tile is too large
}

WITH_PANELS(wrong_points_are_marked)
{
    open_panels(SWEEP);
    settle(point_of(NAIVE, 4, 0, 0), 3);
    settle(point_of(SHARED, 4, 0, 0), 1);
    check(point_of(SHARED, 4, 0, 0), 9);
    point_at(OVERLAY_SWEEP, -1, 4);
    const struct plot_curve *curves = sweep->curves->curves;
    assert_true(curves[SHARED].points[0].is_wrong && !curves[NAIVE].points[0].is_wrong);
    assert_string_equal(curves[SHARED].label, "shared, wrong");
    assert_string_equal(curves[NAIVE].label, "naive");
    assert_string_equal(sweep->caption, "radius 4");  // others are not measured yet
    settle(point_of(WIDE, 4, 0, 0), 4);
    settle(point_of(FIXED, 4, 0, 0), 5);
    update();
    assert_string_equal(sweep->caption, "radius 4: naive fastest, 3.00");
    mean.variants[NAIVE].is_floor = true;
    update();
    assert_string_equal(sweep->caption, "radius 4: wide fastest, 4.00");
    mean.variants[NAIVE].is_floor = false;
    panel_model_point(model, NULL);
    measure_all();
    update();
    assert_string_equal(sweep->caption, "shared at radius 4: wrong");
}

WITH_PANELS(no_radius_no_sweep)
{
    use(&invert);
    open_panels(SWEEP);
    assert_null(sweep->curves);
    assert_string_equal(sweep->title, "Invert has no radius to sweep");
    assert_int_equal(count_wanted(), 0);
    const struct panel_model_about about = {"", ""};
    assert_false(panel_model_has_sweep(model));
    assert_false(panel_model_save(model, results, &about, "/nowhere/a.csv", &err));
    assert_string_equal(err.text, "cannot write '/nowhere/a.csv': there is no sweep");
}

// ---- any axis ----

static void sweep_over(const char *axis)
{
    g_strlcpy(facts.axis, axis, sizeof facts.axis);
    open_panels(SWEEP);
}

WITH_PANELS(the_sweep_goes_over_the_chosen_axis)
{
    static const double values[] = {-9, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8};
    sweep_over("c");
    assert_string_equal(sweep->title, "Mean: ms over c");
    assert_string_equal(sweep->curves->x_label, "c");
    assert_int_equal(sweep->curves->x_count, G_N_ELEMENTS(values));
    assert_memory_equal(sweep->curves->xs, values, sizeof values);
    assert_true(sweep->curves->mark_x == 5);
    const struct choice first = next_of(1);  // behind naive, to compare with
    assert_true(first.settings.params.v[0] == 5 && first.settings.params.v[1] == -9);
    struct choice point = point_of(NAIVE, 5, 0, 0);
    point.settings.params.v[1] = -4;
    settle(point, 2);
    results_check(results, &point, (struct image_difference){.count = 1, .max = 1});
    update();
    assert_true(sweep->curves->curves[NAIVE].points[0].x == -4);
    measure_all();
    update();
    assert_string_equal(sweep->caption, "naive at c -4: wrong");
    // Another axis is another sweep at once.
    g_strlcpy(facts.axis, "radius", sizeof facts.axis);
    assert_true(panel_model_want(model, &facts, results));
    make_panels();
    assert_string_equal(sweep->title, "Mean: ms over radius");
}

WITH_PANELS(a_value_below_zero_is_chosen)
{
    sweep_over("c");
    static const double values[][2] = {{-8.6, -9}, {-1, -1}, {0.2, 0}, {99, 9}};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        assert_true(click(OVERLAY_SWEEP, -1, values[i][0]));
        assert_true(change.choice.settings.params.v[0] == 5);
        assert_true(change.choice.settings.params.v[1] == values[i][1]);
    }
    assert_false(click(OVERLAY_SWEEP, -1, -INFINITY));
}

WITH_PANELS(a_wide_axis_goes_by_doubling)
{
    use(&work);
    facts.choice.settings.params.v[0] = 1000;
    open_panels(SWEEP | HEAT);
    const struct plot_curves *c = sweep->curves;
    assert_string_equal(sweep->title, "Work: ms over n");
    assert_string_equal(panels->heat->title, "naive, n 1000 · m 2: ms over block");
    assert_int_equal(c->x_count, 31);  // 2 ... 2^30, and the present one
    assert_true(c->xs[0] == 2 && c->xs[9] == 1000 && c->xs[30] == 1 << 30);
    const struct overlay_hit hit = {OVERLAY_SWEEP, -1, 17.7e6};
    assert_true(panel_model_click(model, &facts.choice, &hit, &change));
    assert_true(change.choice.settings.params.v[0] == 1 << 24);  // the nearest one that is measured
    assert_true(panel_model_point(model, &hit));
    update();
    assert_string_equal(sweep->caption, "n 16777216");
    const struct overlay_hit same = {OVERLAY_SWEEP, -1, 17.8e6};
    assert_false(panel_model_point(model, &same));
}

WITH_PANELS(a_long_sweep_tells_its_progress)
{
    use(&work);
    open_panels(SWEEP);
    assert_string_equal(sweep->caption, "measuring, 0 of 60");
    for (int i = 0; i < 12; i++) settle(next_of(0), 1);
    update();
    assert_string_equal(sweep->caption, "measuring, 12 of 60");
}

static void use_lab(const char *axis)
{
    use(&lab);
    g_strlcpy(facts.axis, axis, sizeof facts.axis);
}

// If a lab's bytes change along the axis, a copy is measured at each value: the floor is a line.
WITH_PANELS(the_floor_of_a_lab)
{
    use_lab("m");
    settle_copy(0.25);
    open_panels(SWEEP);
    const struct plot_curves *c = sweep->curves;
    assert_true(c->floor == 0.25 && !c->floor_count);
    use_lab("n");
    update();
    assert_true(c->floor == 0 && c->floor_count == 1);  // the present one is known
    assert_true(c->floors[0].x == 1024 && c->floors[0].y == 0.25);
    struct choice point;
    int copies = 0;
    while (results_next(results, 0, &point)) {
        copies += !point.variant;
        results_add(results, &point, point.variant ? 4 : point.settings.params.v[0] / 1e3);
        if (point.variant) check(point, 0);
    }
    update();
    assert_int_equal(copies % (STATS_SETTLED + STATS_DROPPED), 0);
    assert_int_equal(c->floor_count, 13);  // 1 ... 4096
    assert_true(c->floors[0].x == 1 && c->floors[0].y == 1e-3);
    assert_true(c->floors[10].x == 1024 && c->floors[10].y == 0.25);
    assert_true(c->floors[12].x == 4096 && c->floors[12].y == 4.1);
    assert_string_equal(c->floor_label, "device copy");
}

static int count_copies(void)
{
    struct choice point;
    int copies = 0;
    for (int i = 0; results_next(results, i, &point); i++) copies += !point.variant;
    return copies;
}

// While the present choice is refused, its copy is wanted as those of the other values are.
WITH_PANELS(the_floor_of_a_lab_that_is_refused)
{
    use_lab("n");
    const struct choice copy = choice_copy_of(&facts.choice);
    open_panels(SWEEP);
    const struct plot_curves *c = sweep->curves;
    assert_int_equal(count_copies(), 13);
    settle(copy, 0.5);
    assert_int_equal(count_copies(), 12);
    update();
    assert_int_equal(c->floor_count, 1);
    assert_true(c->floors[0].x == 1024 && c->floors[0].y == 0.5);
    results_forget(results);
    use_lab("m");
    update();
    assert_int_equal(count_copies(), 1);  // for the whole sweep
    settle(copy, 0.5);
    update();
    assert_true(c->floor == 0.5);
}

// Saves the sweep's data and its plot. Returns the data, which the caller frees.
static char *save(const struct panel_model_about *about)
{
    char *folder = folder_make(), *text, *plot;
    g_autofree char *csv = g_build_filename(folder, "a.csv", NULL);
    g_autofree char *svg = g_build_filename(folder, "a.svg", NULL);
    must(panel_model_save(model, results, about, csv, &err));
    must(panel_model_save(model, results, about, svg, &err));
    assert_true(g_file_get_contents(csv, &text, NULL, NULL));
    assert_true(g_file_get_contents(svg, &plot, NULL, NULL));
    assert_true(g_str_has_prefix(plot, "<?xml"));
    g_free(plot);
    folder_end(folder);
    return text;
}

WITH_PANELS(a_labs_sweep_is_saved)
{
    use_lab("n");
    open_panels(SWEEP);
    struct choice point;
    while (results_next(results, 0, &point)) {
        results_add(results, &point, point.variant ? 4 : 1);
        if (point.variant) check(point, 0);
    }
    update();
    g_autofree char *text = save(&(struct panel_model_about){"a.png", "2026-01-02 03:04"});
    assert_non_null(strstr(text, ",check,reason,arrays,width,height,planes,picture,device,"));
    assert_non_null(strstr(text, "\ntwice,naive,m=2,4096,256,1,off,4,4,4,"));
    assert_non_null(strstr(text, ",25,1,exact,,x[4096] y[4096],,,,,"));
    assert_null(strstr(text, "a.png"));
}

// A recorded time of another value stands at that value, once, and of other params with these.
WITH_PANELS(a_recorded_sweep_is_saved_once)
{
    OWNED(close_recording)
    struct recording *recording =
        recording_create(&gpu, facts.picture, "2026-11-23T10:00:00+01:00", TILESCOPE_KERNELS);
    use(&sized);
    facts.choice.settings.params.v[0] = facts.choice.settings.params.v[1] = 512;
    results_set_recording(results, recording);
    const struct choice recorded = results_timed(results, &facts.choice);
    recording_add(recording, &recorded, (struct stats_summary){31, 0.5, 0.5, 0.5});
    sweep_over("rows");
    g_autofree char *text = save(&(struct panel_model_about){"a.png", "2026-01-02 03:04"});
    g_auto(GStrv) parts = g_strsplit(text, "\nsquare,naive,columns=4096 m=2,4096,", -1);
    assert_int_equal(g_strv_length(parts), 2);
    assert_true(g_str_has_prefix(parts[1], "256,1,off,0.5,0.5,0.5,31,"));
    assert_null(strstr(text, "512"));
    results_set_recording(results, NULL);
}

WITH_PANELS(the_sweep_of_an_axis_is_saved)
{
    use(&work);
    open_panels(SWEEP);
    struct choice point;
    while (results_next(results, 0, &point)) settle(point, 1);
    update();
    g_autofree char *text = save(&(struct panel_model_about){"a.png", "2026-01-02 03:04"});
    assert_true(g_str_has_prefix(text, "filter,variant,params,n,block_width,"));
    assert_non_null(strstr(text, "\nwork,naive,m=2,16777216,32,8,off,1,1,1,61,"));
}

// ---- heat map ----

static int cell_at(int width, int height)
{
    for (int i = 0; i < heat->columns * heat->rows; i++)
        if (heat->widths[i % heat->columns] == width && heat->heights[i / heat->columns] == height)
            return i;
    fail_msg("no cell %d×%d", width, height);
    return 0;
}

WITH_PANELS(the_heat_map_shows_what_is_known)
{
    open_panels(HEAT);
    const struct plot *plot = panels->heat;
    assert_int_equal(heat->columns, 9);
    assert_int_equal(heat->rows, 7);
    assert_true(heat->cells[cell_at(1024, 64)].ms == PLOT_REFUSED);
    assert_true(heat->cells[cell_at(4, 1)].ms == PLOT_UNKNOWN);
    assert_int_equal(heat->marks->present, cell_at(16, 16));  // the default
    sample(point_of(SHARED, 5, 8, 8), 1, 0.7);
    settle(point_of(SHARED, 5, 32, 4), 0.8);
    const struct choice slow = point_of(SHARED, 5, 4, 1);
    results_refuse(results, &slow, "too slow");
    update();
    assert_true(heat->cells[cell_at(8, 8)].ms == 0.7);
    assert_true(heat->cells[cell_at(8, 8)].is_pending);
    assert_true(heat->cells[cell_at(32, 4)].ms == 0.8);
    assert_false(heat->cells[cell_at(32, 4)].is_pending);
    assert_true(heat->cells[cell_at(4, 1)].ms == PLOT_REFUSED);
    measure_all();
    update();
    assert_non_null(strstr(plot->caption, "best "));
}

// What was not recorded could have run: only a block that the device refuses is hatched.
WITH_PANELS(a_block_that_was_not_recorded_is_not_refused)
{
    OWNED(close_recording)
    struct recording *recording =
        recording_create(&gpu, facts.picture, "2026-11-23T10:00:00+01:00", TILESCOPE_KERNELS);
    const struct choice recorded = point_of(NAIVE, 5, 32, 8);
    recording_add(recording, &recorded, (struct stats_summary){31, 0.5, 0.5, 0.5});
    results_set_recording(results, recording);
    choose(NAIVE, 5, 0, 0);
    open_panels(HEAT);
    assert_string_equal(panels->heat->title, "naive, radius 5 · c 5: ms over block");
    assert_string_equal(panels->heat->caption, "best 0.500 ms at 32×8 on Test, \"GPU\", recorded");
    assert_true(heat->cells[cell_at(32, 8)].ms == 0.5);
    assert_true(heat->cells[cell_at(16, 8)].ms == PLOT_UNKNOWN);
    assert_true(heat->cells[cell_at(1024, 64)].ms == PLOT_REFUSED);
    point_at(OVERLAY_HEAT, cell_at(16, 8), -1);
    assert_string_equal(heat->marks->note, "16×8: no time of it was recorded");
    facts.has_roof = true;
    open_panels(SWEEP);
    assert_string_equal(sweep->title, "Mean: GB/s over memory traffic on Test, \"GPU\", recorded");
    results_set_recording(results, NULL);
}

WITH_PANELS(a_wrong_cell_wins_nothing)
{
    open_panels(HEAT);
    settle(point_of(SHARED, 5, 8, 8), 0.5);
    check(point_of(SHARED, 5, 8, 8), 40);
    point_at(OVERLAY_HEAT, cell_at(8, 8), -1);
    assert_true(heat->cells[cell_at(8, 8)].is_wrong);
    assert_string_equal(heat->marks->note, "8×8: wrong, max |diff| = 40");
    assert_false(panel_model_best(model, &change));
    assert_string_equal(change.note, "no block shape is known to be the best yet");
    settle(point_of(SHARED, 5, 16, 4), 0.01);
    update();
    assert_false(panel_model_best(model, &change));  // others are not measured yet
    measure_all();
    update();
    assert_true(panel_model_best(model, &change));
    expect_block(16, 4);
}

WITH_PANELS(the_cursor_asks_for_the_reason)
{
    open_panels(HEAT);
    struct overlay_hit hit = {OVERLAY_HEAT, cell_at(512, 8), -1};
    assert_true(panel_model_point(model, &hit));
    assert_true(update());
    assert_non_null(strstr(heat->marks->note, "4096 threads"));
    assert_int_equal(heat->marks->cursor, hit.index);
    assert_false(panel_model_point(model, &hit));
    assert_false(update());
    hit.index = cell_at(4, 2);
    panel_model_point(model, &hit);
    update();
    assert_string_equal(heat->marks->note, "4×2: not measured yet");
    settle(point_of(SHARED, 5, 4, 2), 0.5);
    settle(point_of(SHARED, 5, 0, 0), 1);
    update();
    assert_string_equal(heat->marks->note, "4×2: 0.500 ms, 2.00× as fast as now");
    panel_model_point(model, NULL);
    update();
    assert_string_equal(heat->marks->note, "");
}

// ---- clicks ----

WITH_PANELS(a_bar_chooses_its_variant)
{
    choose(NAIVE, 5, 8, 4);
    open_panels(BARS);
    assert_true(click(OVERLAY_BARS, WIDE, -1));
    assert_ptr_equal(change.choice.variant, &mean.variants[WIDE]);
    assert_int_equal(change.choice.settings.block_width, 0);  // the block that the bar is of
    assert_true(click(OVERLAY_BARS, SHARED, -1));
    assert_ptr_equal(change.choice.variant, &mean.variants[SHARED]);
    assert_int_equal(change.choice.settings.block_width, 8);
    assert_true(change.choice.settings.params.v[0] == 5);
    assert_false(click(OVERLAY_BARS, -1, -1));
    assert_string_equal(change.note, "");
    assert_false(click(OVERLAY_HEAT, 0, -1));  // it was closed, but is drawn until the next frame
}

WITH_PANELS(a_cell_chooses_its_block)
{
    open_panels(HEAT);
    assert_true(click(OVERLAY_HEAT, cell_at(64, 2), -1));
    assert_ptr_equal(change.choice.variant, &mean.variants[SHARED]);
    expect_block(64, 2);
    assert_false(click(OVERLAY_HEAT, cell_at(1024, 1), -1));
    assert_non_null(strstr(change.note, "1024 threads"));
    assert_false(panel_model_best(model, &change));
    assert_non_null(strstr(change.note, "no block"));
    measure_all();
    settle(point_of(SHARED, 5, 4, 4), 0.6);
    update();
    assert_true(panel_model_best(model, &change));
    expect_block(4, 4);
}

// A pending cell may become the best one unless it already shows a longer time.
WITH_PANELS(a_pending_cell_may_win)
{
    open_panels(HEAT);
    measure_all();
    settle(point_of(SHARED, 5, 4, 4), 0.6);
    const struct choice pending = point_of(SHARED, 5, 4, 8);
    results_begin(results, &pending);
    update();
    assert_false(panel_model_best(model, &change));
    sample(pending, 1, 0.5);
    update();
    assert_false(panel_model_best(model, &change));
    results_begin(results, &pending);
    sample(pending, 1, 0.7);
    update();
    assert_true(panel_model_best(model, &change));
    assert_int_equal(change.choice.settings.block_height, 4);
    results_refuse(results, &pending, "too slow");
    update();
    assert_true(panel_model_best(model, &change));
}

WITH_PANELS(the_sweep_chooses_a_radius)
{
    open_panels(SWEEP);
    static const double values[][2] = {{0, 0}, {6.6, 7}, {40.4, 40}, {64, 40}};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        assert_true(click(OVERLAY_SWEEP, -1, values[i][0]));
        assert_true(change.choice.settings.params.v[0] == values[i][1]);
        assert_ptr_equal(change.choice.variant, &mean.variants[SHARED]);
    }
    assert_false(click(OVERLAY_SWEEP, -1, -1));
}

// ---- the grid's text ----

WITH_PANELS(the_grid_has_its_text)
{
    panel_model_update(model, results, "a\tb");
    open_panels(GRID);
    assert_string_equal(panels->grid, "a\tb");
    panel_model_update(model, results, "a\tc");
    assert_string_equal(panels->grid, "a\tc");
    open_panels(0);
    assert_null(panels->grid);
}

// ---- files ----

WITH_PANELS(the_sweep_is_saved)
{
    const struct panel_model_about about = {"a, \"b\".png", "2026-01-02 03:04"};
    settle_copy(0.05);
    open_panels(SWEEP);
    measure_all();
    check(point_of(SHARED, 1, 0, 0), 3);
    update();
    g_autofree char *text = save(&about);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    assert_int_equal(g_strv_length(lines), 1 + 1 + 4 * 12 + 1);  // with the copy
    assert_true(g_str_has_prefix(lines[0], "filter,variant,params,radius_px,block_width,"));
    assert_true(g_str_has_prefix(lines[1], ",copy,,,,,,0.05,0.05,0.05,61,0.05,"));
    assert_true(g_str_has_prefix(
        lines[3], "mean,naive,c=5,1,32,8,off,0.09,0.09,0.09,61,0.05,0.09,3.41154,20.4693,55.5556,1,"
                  "exact,,,641,479,3,\"a, \"\"b\"\".png\",\"Test, \"\"GPU\"\"\",driver 1,"));
    assert_non_null(strstr(lines[0], ",speedup_over_naive,check,reason,"));
    assert_true(g_str_has_prefix(lines[2 + 12 + 1], "mean,shared,c=5,1,16,16,off,"));
    assert_non_null(strstr(lines[2 + 12 + 1], ",55.5556,,\"wrong, max 3\",,,641,"));  // no speed-up
    assert_non_null(
        strstr(lines[2 + 12 + 11], "mean,shared,c=5,32,16,16,off,,,,,0.05,42.25,,,,,,"));
    assert_non_null(strstr(lines[2 + 12 + 11], "shared memory"));
    assert_false(panel_model_save(model, results, &about, "/no/such/folder/a.csv", &err));
    assert_non_null(strstr(err.text, "cannot write '/no/such/folder/a.csv': "));
}

// ---- the roofline ----

// Counts of a launch over 641×479 pixels of three planes.
static struct bound_counts counts_of(double moved, double shared_ms)
{
    return (struct bound_counts){.is_known = true,
                                 .sectors = moved * 2 * 641 * 479 * 3 / 32,
                                 .wavefronts =
                                     shared_ms * 1e3 * gpu.clock_mhz * gpu.multiprocessors,
                                 .requests = 0.5};
}

static void open_roof(void)
{
    facts.has_roof = true;
    settle_copy(0.5);
    open_panels(SWEEP);
}

// It takes the sweep's place, wants what the bars want, and tells of what is known.
WITH_PANELS(the_roofline_has_a_point_for_each_variant)
{
    open_roof();
    assert_int_equal(count_wanted(), 4);
    facts.lens.counts[NAIVE] = counts_of(16, 0);
    facts.lens.counts[SHARED] = counts_of(2, 0.75);
    facts.lens.counts[WIDE] = counts_of(1, 0);
    settle(point_of(NAIVE, 5, 0, 0), 4);
    settle(point_of(SHARED, 5, 0, 0), 1);
    settle(point_of(WIDE, 5, 0, 0), 0.625);
    update();
    assert_string_equal(sweep->caption, "measuring and counting, 3 of 4");
    const struct plot_curve *curves = sweep->curves->curves;
    const struct plot_point *naive = curves[NAIVE].points, *shared = curves[SHARED].points;
    const double ceiling = sweep->curves->floor;
    assert_true(naive->x == 16 && shared->x == 2 && curves[WIDE].points->x == 1);
    assert_true(fabs(shared->y / naive->y - 4) < 0.05);
    assert_true(fabs(curves[WIDE].points->y / ceiling - 0.8) < 0.01);
    assert_true(fabs(shared->upper / shared->y - 4. / 3) < 0.05);  // what its wavefronts leave
    assert_true(naive->upper == 0 && curves[FIXED].count == 0);
    const double doublings[] = {1, 2, 4, 8, 16}, quarters[] = {1, 1.25, 1.5, 1.75, 2};
    assert_int_equal(sweep->curves->x_count, 5);
    assert_memory_equal(sweep->curves->xs, doublings, sizeof doublings);
    facts.lens.counts[NAIVE] = counts_of(1.1, 0);
    update();
    assert_int_equal(sweep->curves->x_count, 5);
    assert_memory_equal(sweep->curves->xs, quarters, sizeof quarters);
    facts.lens.counts[NAIVE] = counts_of(16, 0);
    update();
    assert_true(curves[SHARED].is_emphasised && !curves[NAIVE].is_emphasised);
    const struct plot_point *slope = sweep->curves->floors;
    assert_true(slope[0].x == 1 && slope[0].y == ceiling);
    assert_true(fabs(slope[1].x * slope[1].y / ceiling - 1) < 0.01);
    facts.lens.counts[FIXED] = counts_of(3, 0);
    settle(point_of(FIXED, 5, 0, 0), 2);
    update();
    assert_string_equal(sweep->caption,
                        "memory 50 % to 100 % · shared memory 75 % · memory traffic "
                        "2.00× the minimum");
    struct device other = gpu;
    g_strlcpy(other.arch, "sm_86", sizeof other.arch);
    facts.device = &other;
    update();
    assert_string_equal(strrchr(sweep->caption, ','), ", by the rules of sm_90");
}

// A library, say, which the lens refuses: nothing waits for it.
WITH_PANELS(the_roofline_leaves_out_what_cannot_be_counted)
{
    open_roof();
    for (int i = 0; i < 3; i++) facts.lens.counts[i] = counts_of(2, 0);
    measure_all();
    update();
    assert_string_equal(sweep->caption, "measuring and counting, 3 of 4");
    facts.lens.has_failed[3] = true;
    update();
    assert_null(strstr(sweep->caption, "measuring"));
    assert_true(sweep->caption[0] != '\0');
    assert_int_equal(sweep->curves->curves[3].count, 0);
}

// Recorded times are of a GPU's size, and what is counted is smaller: it says so and waits for
// nothing. At the recorded size there is a point.
WITH_PANELS(the_roofline_says_that_times_are_of_another_size)
{
    OWNED(close_recording)
    struct recording *recording =
        recording_create(&gpu, facts.picture, "2026-11-23T10:00:00+01:00", TILESCOPE_KERNELS);
    const struct stats_summary ms = {31, 0.5, 0.5, 0.5};
    use(&sized);
    facts.choice.settings.params.v[0] = facts.choice.settings.params.v[1] = 512;
    const struct choice timed = results_timed(results, &facts.choice);
    results_set_recording(results, recording);
    const struct choice recorded = results_timed(results, &facts.choice);
    assert_false(choice_is_same(&timed, &recorded));
    recording_add(recording, &recorded, ms);
    const struct choice copy = choice_copy_of(&recorded);
    recording_add(recording, &copy, ms);
    facts.has_roof = true;
    open_panels(SWEEP);
    assert_string_equal(sweep->title, "Square: roofline");
    assert_string_equal(
        sweep->caption,
        "no roofline at rows 512, columns 512: the recorded times are of rows 4096, "
        "columns 4096. Set that size to see it.");
    assert_null(sweep->curves);
    facts.choice = recorded;
    facts.lens.counts[0] = counts_of(2, 0);
    update();
    assert_null(strstr(sweep->caption, "no roofline"));
    results_set_recording(results, NULL);
}

static const struct device cpu = {.max_threads = 1024,
                                  .max_block_width = 1024,
                                  .max_block_height = 1024,
                                  .max_grid_width = 1 << 30,
                                  .max_grid_height = 65535,
                                  .max_shared_bytes = 6000};

// A CPU's times are shown, but choose nothing.
WITH_PANELS(a_cpu_ranks_nothing)
{
    facts.device = &cpu;
    facts.open = BARS | SWEEP | HEAT;
    update();
    assert_string_equal(bars->title, "Variants at radius 5 · c 5, counting …");
    g_strlcpy(facts.lens.unit, "sectors · conflicts per pixel", sizeof facts.lens.unit);
    g_strlcpy(facts.lens.figures[NAIVE], "1.12 · 0", sizeof facts.lens.figures[NAIVE]);
    facts.lens.sectors[NAIVE] = 1.12;
    facts.lens.has_failed[WIDE] = true;
    measure_all();
    update();
    assert_string_equal(bars->title, "Variants at radius 5 · c 5, sectors · conflicts per pixel");
    assert_true(bars->is_by_sectors && bars->rows[NAIVE].sectors == 1.12);
    assert_string_equal(bars->rows[WIDE].memory, "not counted");
    assert_string_equal(bars->naive_block, "");
    assert_int_equal(bars_best(bars), -1);
    for (int i = 0; i < 4; i++) {
        assert_true(bars->rows[i].ms > 0 && bars->rows[i].over_naive == 0);
        assert_false(bars->rows[i].is_alike);
    }
    assert_string_equal(sweep->title, "Mean: ms over radius on this CPU");
    assert_false(sweep->curves->has_crossings);
    const struct overlay_hit on_sweep = {OVERLAY_SWEEP, -1, 5}, on_heat = {OVERLAY_HEAT, 0, 0};
    panel_model_point(model, &on_sweep);
    update();
    assert_string_equal(sweep->caption, "radius 5");
    assert_string_equal(panels->heat->title, "shared, radius 5 · c 5: ms over block on this CPU");
    assert_string_equal(panels->heat->caption, "unroll off");
    panel_model_point(model, &on_heat);
    update();
    assert_null(strstr(panels->heat->heats->marks->note, "as fast"));
    assert_int_equal(plot_best_cell(panels->heat->heats), -1);
    assert_false(panel_model_best(model, &change));
    assert_string_equal(change.note, "a CPU's times choose no block for a GPU");
}

// Times of an emulator have no ceilings.
WITH_PANELS(the_roofline_of_an_emulator)
{
    facts.device = &cpu;
    open_roof();
    for (int i = 0; i < 4; i++) facts.lens.counts[i] = counts_of(2, 0.25);
    measure_all();
    update();
    assert_string_equal(sweep->caption, "emulated: no ceilings, and only × needed is a GPU's");
    assert_true(sweep->curves->floor == 0 && sweep->curves->floor_count == 0);
    for (int i = 0; i < 4; i++) assert_true(sweep->curves->curves[i].points->upper == 0);
}

// A click in it means no radius, and there is no sweep to save.
WITH_PANELS(the_roofline_is_no_sweep)
{
    open_roof();
    measure_all();
    assert_false(click(OVERLAY_SWEEP, -1, 4));
    assert_false(panel_model_has_sweep(model));
}
