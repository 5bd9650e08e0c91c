// The engine on the real CPU backend with the real builder: settling, comparing, refusing,
// cancelling, reloading; and the pixels, which must equal the reference every time.
#include "on_device.h"

#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/image.h"
#include "device/backend_impl.h"
#include "frame/reference.h"
#include "endless.h"
#include "frame/agreement.h"
#include "held_thread.h"
#include "frame/engine.h"

enum { WIDTH = 67, HEIGHT = 45, PATIENCE_S = 300 };

// What all worlds share. A device that has stopped is opened anew.
static struct filter_list filters;
static struct backend *device;
static const struct backend_impl *impl;  // the device's own

struct world {
    struct filter_list own;    // of a test that frees its filters
    struct filter planted[2];  // of a test's own text
    const struct filter *mean, *gaussian, *invert;
    struct backend *backend;
    struct builder *builder;
    struct references references;
    struct results *results;
    struct engine *engine;
    struct image picture, result, expected;
    struct planes target;
    struct settings settings;
};

static int open_shared(void **state)
{
    must(filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err));
    return 0;
}

static int close_shared(void **state)
{
    backend_close(device);
    return 0;
}

static void finish_pictures(const struct world *of)
{
    struct world w = *of;
    image_finish(&w.picture);
    image_finish(&w.result);
    image_finish(&w.expected);
    backend_free(w.backend, w.target.pixels);
}

static void show(struct world *w, int width, int height, int planes)
{
    const struct world old = *w;
    void *memory;
    assert_true(image_init(&w->picture, width, height, planes, NULL));
    assert_true(image_init(&w->result, width, height, planes, NULL));
    assert_true(image_init(&w->expected, width, height, planes, NULL));
    image_fill_noise(w->picture.planes, (unsigned int)width);
    assert_true(backend_alloc(w->backend, planes_bytes(w->picture.planes), &memory, NULL));
    w->target = planes_at(w->picture.planes, memory);
    must(engine_set_picture(w->engine, w->picture.planes, &err));
    finish_pictures(&old);  // borrowed until now
    results_forget(w->results);
}

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    *state = w;
    w->mean = filter_find(&filters, "mean");
    w->gaussian = filter_find(&filters, "gaussian");
    w->invert = filter_find(&filters, "invert");
    if (!device) device = open_device("cpu");
    impl = device->impl;
    w->backend = device;
    w->builder = builder_create(w->backend);
    w->results = results_create();
    references_open(&w->references, w->backend, w->builder);
    w->engine = engine_create(w->backend, w->builder, w->results, &w->references);
    w->settings.params = filter_defaults(w->mean);
    show(w, WIDTH, HEIGHT, 1);
    return 0;
}

static int close_world(void **state)
{
    g_autofree struct world *w = *state;
    engine_destroy(w->engine);
    results_destroy(w->results);
    references_close(&w->references);
    builder_destroy(w->builder);
    finish_pictures(w);
    device->impl = impl;
    if (!backend_wait(device, NULL)) {
        backend_close(device);
        device = NULL;
    }
    filter_list_finish(&w->own);
    for (int i = 0; i < 2; i++) filter_finish(&w->planted[i]);
    return 0;
}

static const struct filter *plant(struct world *w, const char *path, const char *source)
{
    struct filter *f = &w->planted[w->planted[0].source != NULL];
    must(filter_parse(f, path, source, NULL, &err));
    return f;
}

static gint64 now_s(void)
{
    return g_get_monotonic_time() / G_USEC_PER_SEC;
}

// Asks until the module is compiled.
static enum engine_choice choose(struct world *w, const struct filter *f, const char *variant)
{
    const struct variant *v = filter_variant(f, variant);
    assert_non_null(v);
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end; g_usleep(2000)) {
        const enum engine_choice s =
            engine_choose(w->engine, &(struct choice){f, v, w->settings}, &err);
        if (s != ENGINE_WAITS) return s;
    }
    fail_msg("%s is never compiled", f->name);
    return ENGINE_WAITS;
}

// Until its own module is there, unless it is unrolled.
static void choose_well(struct world *w, const struct filter *f, const char *variant)
{
    for (;; g_usleep(2000)) {
        if (choose(w, f, variant) != ENGINE_READY) fail_msg("%s: %s", variant, err.text);
        if (!w->engine->report.is_generic || (w->settings.is_unrolled && filter_can_unroll(f)))
            return;
    }
}

static void await_idle(struct world *w)
{
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end; g_usleep(100)) {
        const enum backend_state state = engine_poll(w->engine, &err);
        if (state == BACKEND_FAILED) fail_msg("%s", err.text);
        if (state == BACKEND_IDLE) return;
    }
    fail_msg("a frame never ends");
}

// One frame, over poison.
static void frame(struct world *w)
{
    assert_true(backend_fill(w->backend, w->target.pixels, 0xA5, planes_bytes(w->target), NULL));
    must(engine_begin(w->engine, w->target, &err));
    await_idle(w);
}

static void frames(struct world *w, int count)
{
    while (count-- > 0) frame(w);
}

// And until fibers had nothing against it: the next frame is the first that is timed.
static void choose_judged(struct world *w, const struct filter *f, const char *variant)
{
    choose_well(w, f, variant);
    while (w->engine->shown.is_strict && w->engine->check < ENGINE_UNCHECKED) frame(w);
}

static void assert_pixels(struct world *w, const struct filter *f)
{
    assert_true(backend_download(w->backend, w->result.planes, w->target, NULL));
    struct reference reference;
    assert_true(reference_wait(&reference, &w->references, f, &w->settings.params));
    reference_run(&reference, w->expected.planes, w->picture.planes, 0);
    const struct image_difference d = image_compare(w->result.planes, w->expected.planes);
    if (d.count)
        fail_msg("%s: %ld pixels differ, by %d at %d,%d of plane %d", f->name, d.count, d.max, d.x,
                 d.y, d.plane);
}

// The record's figures of the shown choice, if one was chosen.
static struct stats_summary shown_ms(const struct world *w)
{
    const struct choice shown = engine_shown(w->engine);
    return w->engine->shown.module ? results_get(w->results, &shown).ms : (struct stats_summary){0};
}

static double naive_ms(const struct world *w)
{
    const struct choice shown = engine_shown(w->engine);
    return w->engine->shown.module ? results_naive_ms(w->results, &shown) : 0;
}

static double copy_ms(const struct world *w)
{
    const struct choice shown = engine_shown(w->engine);
    return w->engine->shown.module ? results_copy_ms(w->results, &shown) : 0;
}

static struct choice point_of(const struct world *w, const struct filter *f, const char *variant)
{
    const struct variant *v = filter_variant(f, variant);
    assert_non_null(v);
    return (struct choice){f, v, w->settings};
}

static void want_naive_of(struct world *w, const struct filter *f, const char *variant)
{
    const struct choice shown = point_of(w, f, variant);
    struct results_wish wish = {.group = 0};
    assert_true(choice_naive_of(&shown, &wish.point));
    results_want(w->results, &wish, 1);
}

static struct result result(const struct world *w, struct choice point)
{
    return results_get(w->results, &point);
}

// ---- measuring ----

static double predict(struct world *w, const struct filter *f, const char *variant)
{
    const struct choice point = point_of(w, f, variant);
    return results_predict(w->results, &point);
}

#define IN_WORLD(name) TEST_OF(struct world *w, name, open_world, close_world)

IN_WORLD(nothing_is_known_at_first)
{
    assert_false(engine_is_settled(w->engine) || w->engine->report.is_generic);
    assert_string_equal(w->engine->report.occupancy.limiter, "");
    assert_true(predict(w, w->mean, "naive") == 0);
    assert_int_equal(engine_poll(w->engine, NULL), BACKEND_IDLE);
    engine_leave(w->engine);
    struct engine *bare = engine_create(w->backend, w->builder, w->results, &w->references);
    assert_int_equal(engine_poll(bare, NULL), BACKEND_IDLE);  // without a picture, too
    engine_leave(bare);
    engine_destroy(bare);
}

IN_WORLD(settles)
{
    show(w, WIDTH, HEIGHT, 3);
    choose_judged(w, w->mean, "shared");
    for (int i = 1; i <= STATS_DROPPED + STATS_SETTLED; i++) {
        frame(w);
        const int counted = MAX(0, i - STATS_DROPPED);
        assert_int_equal(shown_ms(w).count, counted);
        assert_int_equal(engine_is_settled(w->engine), counted >= STATS_SETTLED);
    }
    assert_pixels(w, w->mean);
    frames(w, 80);
    const struct engine_report r = w->engine->report;
    const struct stats_summary ms = shown_ms(w);
    assert_int_equal(ms.count, STATS_WINDOW);
    assert_true(ms.lower > 0 && ms.lower <= ms.median && ms.median <= ms.upper);
    assert_true(copy_ms(w) > 0 && copy_ms(w) < ms.median);
    assert_true(predict(w, w->mean, "shared") == ms.median && predict(w, w->invert, "naive") == 0);
    assert_true(w->engine->report.launch_ms > 0);
    assert_int_equal(r.shared_bytes[0], (32 + 6) * (8 + 6));
    assert_int_equal(r.facts.max_threads, backend_device(w->backend)->max_threads);
    assert_pixels(w, w->mean);
}

// The CPU device with an occupancy of its own, which counts how often it is asked for it.
static struct backend_impl counting;
static int occupancy_queries;

static struct occupancy count_occupancy(struct backend *b, const struct module *m, int entry,
                                        const struct launch_config *config)
{
    occupancy_queries++;
    return (struct occupancy){entry, config->block_width * config->block_height, "queries"};
}

IN_WORLD(occupancy_is_asked_once_for_a_choice)
{
    counting = *w->backend->impl;
    counting.occupancy = count_occupancy;
    w->backend->impl = &counting;
    occupancy_queries = 0;
    assert_int_equal(w->engine->report.occupancy.max_threads, 0);
    assert_int_equal(occupancy_queries, 0);
    choose_judged(w, w->mean, "shared");
    occupancy_queries = 1;  // of its own module
    for (int i = 0; i < 100; i++) {
        if (i % 20 == 0) frame(w);
        choose_well(w, w->mean, "shared");
        const struct occupancy found = w->engine->report.occupancy;
        assert_int_equal(found.threads,
                         w->mean->variants[0].pass_count + w->mean->variants[1].pass_count);
        assert_int_equal(found.max_threads, 32 * 8);
        assert_string_equal(found.limiter, "queries");
    }
    assert_int_equal(occupancy_queries, 1);
    w->settings.block_width = w->settings.block_height = 4;
    choose_well(w, w->mean, "shared");
    assert_int_equal(w->engine->report.occupancy.max_threads, 16);
    assert_int_equal(occupancy_queries, 2);
}

// A launch of a few microseconds cannot be told from the clock's own steps.
IN_WORLD(short_kernels_are_repeated)
{
    show(w, 1, 1, 1);
    choose_well(w, w->invert, "naive");
    frame(w);
    assert_int_equal(w->engine->report.repeats, 1);
    // Beside other work the first samples may be long.
    for (int i = 0; i < 1000 && w->engine->report.repeats == 1; i++) frame(w);
    assert_in_range(w->engine->report.repeats, 2, 64);
    w->settings.params = filter_defaults(w->invert);
    assert_pixels(w, w->invert);

    show(w, 301, 203, 1);  // a long one is not
    w->settings.params = filter_defaults(w->mean);
    w->settings.params.v[filter_radius(w->mean)] = 16;
    choose_judged(w, w->mean, "naive");
    frames(w, 6);
    assert_true(shown_ms(w).median > 0.2);
    assert_int_equal(w->engine->report.repeats, 1);
    assert_pixels(w, w->mean);
}

IN_WORLD(naive_is_measured_beside_another)
{
    choose_judged(w, w->mean, "shared");
    want_naive_of(w, w->mean, "shared");
    frames(w, 10);
    assert_true(naive_ms(w) == 0);
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end && naive_ms(w) == 0;) {
        frame(w);
        assert_pixels(w, w->mean);  // it runs into memory of its own
    }
    const double measured_ms = naive_ms(w);
    assert_true(measured_ms > 0 && measured_ms < 1000);
    // Remembered for the other variants of the same radius, not for another radius.
    choose_judged(w, w->mean, "texture");
    assert_true(naive_ms(w) == measured_ms);
    w->settings.params.v[filter_radius(w->mean)] = 4;
    choose_judged(w, w->mean, "texture");
    assert_true(naive_ms(w) == 0);
}

IN_WORLD(naive_is_its_own_measure)
{
    const struct choice naive = point_of(w, w->mean, "naive");
    choose_judged(w, w->mean, "naive");
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end && naive_ms(w) == 0;) {
        frame(w);  // until it is checked, it may be wrong
        assert_int_equal(naive_ms(w) > 0,
                         engine_is_settled(w->engine) && result(w, naive).check == CHECK_EXACT);
    }
    assert_true(naive_ms(w) > 0);
    assert_true(naive_ms(w) == shown_ms(w).median);
}

IN_WORLD(times_start_anew_with_a_choice)
{
    choose_judged(w, w->mean, "naive");
    frames(w, 15);
    choose_judged(w, w->mean, "naive");  // the same: nothing is forgotten
    assert_int_equal(shown_ms(w).count, 12);
    w->settings.block_width = 7;
    w->settings.block_height = 5;
    choose_judged(w, w->mean, "naive");
    assert_int_equal(shown_ms(w).count, 0);
    frames(w, 4);
    assert_int_equal(shown_ms(w).count, 1);
    assert_pixels(w, w->mean);
    choose_judged(w, w->mean, "texture");
    assert_int_equal(shown_ms(w).count, 0);
    assert_true(copy_ms(w) > 0);  // the picture is the same
}

// Packed pixels are made anew for another picture, and kept while others run.
IN_WORLD(packed_pixels_are_of_this_picture)
{
    const struct filter *flip = filter_find(&filters, "flip");
    static const int shapes[][2] = {{67, 45}, {33, 9}, {67, 45}, {203, 117}, {1, 1}};
    static const char *const variants[] = {"words_rgb24", "vector", "naive_rgb24", "shared_rgb24"};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        show(w, shapes[i][0], shapes[i][1], 3);
        for (size_t k = 0; k < 2 * G_N_ELEMENTS(variants); k++) {
            w->settings = (struct settings){.params = filter_defaults(flip)};
            w->settings.params.v[0] = (double)(k % 3);
            choose_well(w, flip, variants[k % 4]);
            frames(w, 1 + (int)k % 3);
            assert_pixels(w, flip);
        }
    }
}

// ---- refusing ----

IN_WORLD(a_refused_choice_leaves_the_old_running)
{
    choose_judged(w, w->mean, "shared");
    frames(w, 5);
    const struct settings good = w->settings;
    w->settings.block_width = 1024;
    w->settings.block_height = 1024;
    assert_int_equal(choose(w, w->mean, "shared"), ENGINE_REFUSED);
    assert_string_equal(err.text, "block 1024×1024 has 1048576 threads, the device allows 1024");
    assert_int_equal(shown_ms(w).count, 2);
    frame(w);
    assert_int_equal(shown_ms(w).count, 3);
    w->settings = good;
    assert_pixels(w, w->mean);
    choose_judged(w, w->mean, "shared");
    assert_int_equal(shown_ms(w).count, 3);
}

static const char broken_source[] =
    "//! filter \"Broken\"\n#include \"kernel.h\"\n"
    "//! variant naive 32x8\n__global__ void broken_naive()\n{\n    oops;\n}\n";

IN_WORLD(a_kernel_that_does_not_compile)
{
    const struct filter *broken = plant(w, "broken.cu", broken_source);
    choose_well(w, w->mean, "naive");
    frame(w);
    for (int i = 0; i < 2; i++) {
        err.text[0] = '\0';
        assert_int_equal(choose(w, broken, "naive"), ENGINE_BROKEN);
        assert_non_null(strstr(err.text, "broken.cu:6"));
        assert_non_null(strstr(err.text, "oops"));
    }
    frame(w);
    assert_pixels(w, w->mean);
}

// Written anew, all threads of a strip write before any of them reads.
static const char racy_source[] =
    "//! filter \"Racy\"\n#include \"kernel.h\"\n"
    "//! reference out\n__host__ __device__ int racy_reference(plane in, int x, int y)\n{\n"
    "    return load(in, x ^ 1, y);\n}\n"
    "//! variant naive 32x1\n__global__ void racy_naive(plane out, plane in)\n{\n"
    "    __shared__ int row[32];\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    row[threadIdx.x] = load(in, x, y);\n"
    "    if (x >= out.width || y >= out.height) return;\n"
    "    out.pixels[y * out.pitch + x] = (unsigned char)row[threadIdx.x ^ 1];\n}\n";

IN_WORLD(a_race_does_not_become_right)
{
    const struct filter *const racy = plant(w, "racy.cu", racy_source);
    choose_judged(w, racy, "naive");
    frames(w, STATS_DROPPED + STATS_SETTLED);
    assert_true(w->engine->shown.is_strict);
    assert_int_equal(result(w, point_of(w, racy, "naive")).check, CHECK_WRONG);
    assert_true(engine_is_settled(w->engine));
    w->engine->shown.is_strict = false;  // as it would be without its first frames
    frame(w);
    assert_pixels(w, racy);
}

// Nothing says what is right. Fast code that gives something else than fibers is not shown for
// long, unless the kernel gives something else each time.
IN_WORLD(without_a_reference_fibers_are_right)
{
    static const char *const sources[] = {
        // A thread finds what the one before it has written, or what all have.
        "//! lab \"Racy\"\n#include \"lab.h\"\n//! array y out [32] shown 0, 99\n"
        "//! variant naive 32x1\n__global__ void racy_naive(int *y)\n{\n"
        "    __shared__ int row[32];\n    row[threadIdx.x] = 0;\n    __syncthreads();\n"
        "    row[threadIdx.x] = 7;\n    y[threadIdx.x] = row[threadIdx.x ^ 1];\n}\n",
        "//! lab \"Clock\"\n#include \"lab.h\"\n//! array y out [32] shown 0, 99\n"
        "//! variant naive 32x1\n__global__ void clock_naive(int *y)\n{\n"
        "    y[threadIdx.x] = (int)clock64();\n}\n"};
    for (int i = 0; i < 2; i++) {
        const struct filter *const f = plant(w, "unchecked.cu", sources[i]);
        w->settings.params = filter_defaults(f);
        choose_well(w, f, "naive");
        frames(w, STATS_DROPPED + STATS_SETTLED + 4);
        assert_true(engine_is_settled(w->engine));
        assert_true(backend_is_fast(w->engine->shown.module));
        assert_int_equal(w->engine->shown.is_strict, i == 0);
        assert_string_equal(result(w, point_of(w, f, "naive")).unchecked,
                            i ? "the file has no reference" : AGREEMENT_LACKS);
    }
}

// ---- at rest ----

// As if the last round had taken 50 ms, and ended so long ago.
static bool rests_after(struct world *w, int ms)
{
    w->engine->round_ended_us = g_get_monotonic_time() - 1000LL * ms;
    w->engine->round_begun_us = w->engine->round_ended_us - 50000;
    return engine_may_rest(w->engine);
}

IN_WORLD(what_is_known_rests)
{
    enum { AN_HOUR_MS = 3600000 };
    choose_judged(w, w->mean, "shared");
    assert_false(rests_after(w, 0));
    while (w->engine->check < ENGINE_CHECKED || !engine_is_settled(w->engine)) frame(w);
    assert_true(rests_after(w, -AN_HOUR_MS));
    assert_false(rests_after(w, 450));
    want_naive_of(w, w->mean, "shared");
    assert_false(rests_after(w, -AN_HOUR_MS));
    results_want(w->results, NULL, 0);
    assert_true(rests_after(w, -AN_HOUR_MS));
    w->engine->wanted_element = 0;
    assert_false(rests_after(w, -AN_HOUR_MS));
    w->engine->wanted_element = -1;
    engine_show(w->engine, w->engine->shown.shown_array, &(struct array_scale){1, 2});
    assert_false(rests_after(w, -AN_HOUR_MS));
    frame(w);
    assert_true(rests_after(w, -AN_HOUR_MS));
    engine_restart(w->engine);
    assert_false(rests_after(w, -AN_HOUR_MS));
}

// ---- unrolled ----

IN_WORLD(unrolled_is_generic_first)
{
    choose_judged(w, w->mean, "naive");
    frames(w, 15);
    assert_true(engine_is_settled(w->engine));

    w->settings.is_unrolled = true;
    bool was_generic = false, is_literal = false;
    for (const gint64 end = now_s() + PATIENCE_S; !is_literal && now_s() < end;) {
        choose_well(w, w->mean, "naive");  // never waits for the compiler
        frame(w);
        assert_pixels(w, w->mean);
        const struct engine_report r = w->engine->report;
        was_generic |= r.is_generic;
        is_literal = !r.is_generic;
        if (r.is_generic) assert_false(engine_is_settled(w->engine));
    }
    assert_true(was_generic && is_literal);
    assert_int_equal(shown_ms(w).count, 0);  // what was measured before is not of this module
    frames(w, 15);
    assert_true(engine_is_settled(w->engine));
    assert_pixels(w, w->mean);

    // Known by now: no generic frame between.
    w->settings.is_unrolled = false;
    choose_well(w, w->mean, "naive");
    w->settings.is_unrolled = true;
    choose_well(w, w->mean, "naive");
    assert_false(w->engine->report.is_generic);
    w->settings.params = filter_defaults(w->invert);  // without a radius it means nothing
    choose_well(w, w->invert, "vector");
    assert_false(w->engine->report.is_generic);
}

// On a CPU a block of another width wants other strips. Meanwhile those that are there run.
IN_WORLD(strips_of_another_block_are_not_timed)
{
    choose_judged(w, w->mean, "shared");
    frames(w, 15);
    assert_true(engine_is_settled(w->engine));
    w->settings.block_width = w->settings.block_height = 16;
    assert_int_equal(choose(w, w->mean, "shared"), ENGINE_READY);
    assert_true(w->engine->report.is_generic && backend_is_fast(w->engine->shown.module));
    frames(w, 15);
    assert_int_equal(shown_ms(w).count, 0);
    assert_pixels(w, w->mean);
    choose_well(w, w->mean, "shared");
    frames(w, 15);
    assert_true(engine_is_settled(w->engine));
    assert_pixels(w, w->mean);
    // A kernel that has none runs in what is there.
    choose_judged(w, w->mean, "naive");
    w->settings.block_width = w->settings.block_height = 8;
    assert_int_equal(choose(w, w->mean, "naive"), ENGINE_READY);
    assert_false(w->engine->report.is_generic);
}

// ---- cancelling ----

// For the kernel below: one block passes it, and those behind it only when it is open.
static atomic_int came_to_gate;
static atomic_bool is_gate_open;

void pass_gate(void);
void pass_gate(void)
{
    const bool is_first = atomic_fetch_add(&came_to_gate, 1) == 0;
    while (!is_first && !atomic_load(&is_gate_open)) g_usleep(100);
}

static const char gated_source[] = "//! filter \"Gated\"\n#include \"kernel.h\"\n"
                                   "extern \"C\" __device__ void pass_gate(void);\n"
                                   "//! variant naive 32x8\n__global__ void gated_naive()\n{\n"
                                   "    if (threadIdx.x == 0 && threadIdx.y == 0) pass_gate();\n"
                                   "}\n";

// At once, with a block that has begun, and with two.
IN_WORLD(cancel_and_go_on)
{
    show(w, WIDTH, HEIGHT, 3);
    choose_well(w, plant(w, "gated.cu", gated_source), "naive");
    for (int i = 0; i < 3; i++) {
        atomic_store(&came_to_gate, 0);
        atomic_store(&is_gate_open, false);
        assert_true(engine_begin(w->engine, w->target, NULL));
        while (atomic_load(&came_to_gate) < i) g_usleep(100);
        assert_int_equal(engine_poll(w->engine, NULL), BACKEND_BUSY);
        engine_leave(w->engine);
        atomic_store(&is_gate_open, true);
        await_idle(w);
        assert_int_equal(shown_ms(w).count, 0);
    }
    show(w, WIDTH, HEIGHT, 3);
    w->settings.params.v[filter_radius(w->mean)] = 2;
    choose_judged(w, w->mean, "naive");
    frames(w, STATS_DROPPED + 2);
    assert_int_equal(shown_ms(w).count, 2);  // the cancelled ones do not count
    assert_pixels(w, w->mean);
    engine_leave(w->engine);  // nothing is in hand
    frame(w);
    assert_int_equal(shown_ms(w).count, 3);
    assert_pixels(w, w->mean);
}

IN_WORLD(a_new_choice_waits_for_the_frame_in_hand)
{
    show(w, 640, 480, 3);
    w->settings.params.v[filter_radius(w->mean)] = 64;
    choose_well(w, w->mean, "naive");
    assert_true(engine_begin(w->engine, w->target, NULL));
    w->settings.params.v[filter_radius(w->mean)] = 1;
    const struct choice other = point_of(w, w->mean, "naive");
    assert_int_equal(engine_choose(w->engine, &other, NULL), ENGINE_WAITS);
    engine_leave(w->engine);
    await_idle(w);
    choose_well(w, w->mean, "naive");
    frame(w);
    assert_pixels(w, w->mean);
}

static const char endless_source[] = "//! filter \"Endless\"\n#include \"kernel.h\"\n"
                                     "//! variant naive 32x8\n__global__ void endless_naive()\n{\n"
                                     "    volatile int i = 1;\n    while (i) i = 1;\n}\n";

IN_WORLD(destroy_while_busy)
{
    endless_skip();
    choose_well(w, plant(w, "endless.cu", endless_source), "naive");
    assert_true(engine_begin(w->engine, w->target, NULL));
    engine_destroy(w->engine);  // else it waits for ever
    w->engine = NULL;
    engine_destroy(NULL);
}

// ---- beside the picture ----

// Frames of what was chosen, each of which must equal the reference, until all that is wanted is
// done or refused.
static void measure_all(struct world *w, const struct filter *f, const struct results_wish *wishes,
                        int count)
{
    if (wishes) results_want(w->results, wishes, count);
    int done = 0, wanted = 1;
    for (const gint64 end = now_s() + PATIENCE_S; done < wanted && now_s() < end;) {
        frame(w);
        assert_pixels(w, f);
        results_progress(w->results, &done, &wanted);
    }
    assert_int_equal(done, wanted);
}

static void settle(struct world *w, const struct filter *f, const char *variant)
{
    choose_judged(w, f, variant);
    frames(w, STATS_DROPPED + STATS_SETTLED);
    assert_true(engine_is_settled(w->engine));
}

static struct results_wish wish_of(const struct world *w, const struct filter *f,
                                   const char *variant, int radius)
{
    struct results_wish wish = {.point = point_of(w, f, variant)};
    wish.point.settings.params.v[filter_radius(f)] = radius;
    return wish;
}

// Weights are many points' and the shown frame's in turns, in memory and in `__constant__`.
IN_WORLD(points_of_other_weights_leave_the_picture_alone)
{
    static const char *const shown[] = {"constant", "separable", "naive"};
    for (int planes = 1; planes <= 3; planes += 2) {
        struct results_wish wishes[3 * 3];
        int count = 0;
        show(w, WIDTH, HEIGHT, planes);
        w->settings = (struct settings){.params = filter_defaults(w->gaussian)};
        for (int radius = 0; radius <= 4; radius += 2)  // quick enough on any machine
            for (size_t i = 0; i < G_N_ELEMENTS(shown); i++)
                wishes[count++] = wish_of(w, w->gaussian, shown[i], radius);
        settle(w, w->gaussian, shown[planes / 2]);
        assert_pixels(w, w->gaussian);
        measure_all(w, w->gaussian, wishes, count);
        for (int i = 0; i < count; i++) {
            const struct result r = result(w, wishes[i].point);
            assert_int_equal(r.state, RESULT_DONE);
            assert_true(r.ms.count >= STATS_SETTLED && r.ms.median > 0);
        }
        frame(w);
        assert_pixels(w, w->gaussian);
    }
}

// Two runners on the same modules, in turns, each with weights of its own.
IN_WORLD(runners_share_modules)
{
    const int radius = filter_radius(w->gaussian);
    w->settings.params = filter_defaults(w->gaussian);
    w->settings.params.v[radius] = 9;
    const struct results_wish wish = wish_of(w, w->gaussian, "constant", 1);
    settle(w, w->gaussian, "constant");
    results_want(w->results, &wish, 1);
    frame(w);
    assert_int_not_equal(result(w, wish.point).state, RESULT_UNKNOWN);
    assert_pixels(w, w->gaussian);
    struct world other = *w;
    other.picture = other.result = other.expected = (struct image){0};
    other.target.pixels = NULL;
    other.engine = engine_create(w->backend, w->builder, w->results, NULL);
    show(&other, HEIGHT, WIDTH, 1);
    other.settings.params.v[radius] = 3;
    choose_judged(&other, w->gaussian, "constant");
    for (int i = 0; i < 3; i++) {
        frame(w);
        assert_pixels(w, w->gaussian);
        frame(&other);
        assert_pixels(&other, w->gaussian);
    }
    engine_destroy(other.engine);
    finish_pictures(&other);
}

IN_WORLD(points_wait_until_the_frame_is_settled)
{
    const struct results_wish wish = wish_of(w, w->mean, "separable", 2);
    results_want(w->results, &wish, 1);
    choose_judged(w, w->mean, "naive");
    frames(w, STATS_DROPPED + STATS_SETTLED - 1);
    assert_int_equal(result(w, wish.point).state, RESULT_UNKNOWN);
    assert_int_equal(result(w, point_of(w, w->mean, "naive")).state, RESULT_MEASURING);
    assert_false(result(w, point_of(w, w->mean, "naive")).is_settled);
    frame(w);
    assert_true(result(w, point_of(w, w->mean, "naive")).is_settled);
    assert_true(result(w, point_of(w, w->mean, "naive")).ms.median == shown_ms(w).median);
    measure_all(w, w->mean, NULL, 0);
    assert_int_equal(result(w, wish.point).state, RESULT_DONE);
    assert_int_equal(shown_ms(w).count, CLAMP(shown_ms(w).count, STATS_SETTLED, STATS_WINDOW));
}

static void pretend(struct world *w, struct choice point, double ms)
{
    results_begin(w->results, &point);
    results_check(w->results, &point, (struct image_difference){0});
    for (int i = 0; i < STATS_DROPPED + STATS_SETTLED; i++) results_add(w->results, &point, ms);
}

// ---- checking ----

#define PLANES "(plane out, plane in)\n{\n"
#define PIXEL                                                    \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n" \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"

// At radius 0 the mean is the picture itself.
static const char wrong_source[] =
    "//! filter \"Mean\"\n#include \"kernel.h\"\n"
    "//! param radius 0 [0, 8] pixels\n"
    "//! reference out\n"
    "__host__ __device__ int mean_reference(plane in, int x, int y) { return load(in, x, y); }\n"
    "//! variant naive 32x8\n__global__ void mean_naive" PLANES PIXEL
    "    if (x >= out.width || y >= out.height) return;\n"
    "    out.pixels[y * out.pitch + x] = (unsigned char)load(in, x, y);\n}\n"
    "//! variant flipped 32x8\n__global__ void mean_flipped" PLANES PIXEL
    "    if (x >= out.width || y >= out.height) return;\n"
    "    out.pixels[y * out.pitch + x] = (unsigned char)(load(in, x, y) ^ 4);\n}\n"
    "//! variant nothing 32x8\n__global__ void mean_nothing() {}\n";

// Where nothing is written, the target still holds what another variant left there.
IN_WORLD(points_are_checked)
{
    const struct filter *wrong = plant(w, "mean.cu", wrong_source);
    show(w, WIDTH, HEIGHT, 3);
    w->settings.params.v[0] = 0;
    settle(w, wrong, "naive");
    struct results_wish wishes[] = {{.point = point_of(w, wrong, "naive")},
                                    {.point = point_of(w, wrong, "nothing")},
                                    {.point = point_of(w, wrong, "flipped")}};
    wishes[0].point.settings.block_width = wishes[0].point.settings.block_height = 7;
    measure_all(w, wrong, wishes, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(result(w, wishes[i].point).state, RESULT_DONE);
    assert_int_equal(result(w, wishes[0].point).check, CHECK_EXACT);
    assert_int_equal(result(w, wishes[1].point).check, CHECK_WRONG);
    assert_int_equal(result(w, wishes[2].point).check, CHECK_WRONG);
    assert_int_equal(result(w, wishes[2].point).difference.max, 4);
    assert_int_equal(result(w, point_of(w, wrong, "naive")).check, CHECK_EXACT);

    // The frames' own target: the picture must not stay that of the choice before.
    frame(w);
    choose_well(w, wrong, "nothing");
    assert_true(engine_begin(w->engine, w->target, NULL));
    await_idle(w);
    assert_true(backend_download(w->backend, w->result.planes, w->target, NULL));
    assert_true(image_compare(w->result.planes, w->picture.planes).count > WIDTH * HEIGHT);
}

// ---- shown frames ----

// Frames, until what is shown is checked, or cannot be.
static void check_frames(struct world *w)
{
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end; g_usleep(1000)) {
        if (w->engine->check <= ENGINE_DUE) frame(w);
        engine_poll(w->engine, NULL);
        if (w->engine->check > ENGINE_CHECKING) return;
    }
    fail_msg("a frame is never checked");
}

IN_WORLD(shown_frames_are_checked)
{
    static const struct {
        const char *variant;
        enum result_check check;
    } rows[] = {{"naive", CHECK_EXACT},
                {"flipped", CHECK_WRONG},
                {"nothing", CHECK_WRONG},
                {"naive", CHECK_EXACT}};
    const struct filter *wrong = plant(w, "mean.cu", wrong_source);
    show(w, WIDTH, HEIGHT, 3);
    w->settings.params.v[0] = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct choice point = point_of(w, wrong, rows[i].variant);
        results_check(w->results, &point, (struct image_difference){0});  // it was right once
        choose_well(w, wrong, rows[i].variant);
        assert_int_equal(w->engine->check, ENGINE_UNSEEN);
        check_frames(w);
        assert_int_equal(w->engine->check, ENGINE_CHECKED);
        assert_int_equal(result(w, point).check, rows[i].check);
    }
    results_forget(w->results);
    engine_poll(w->engine, NULL);
    check_frames(w);
    assert_int_equal(result(w, point_of(w, wrong, "naive")).check, CHECK_EXACT);
    const struct references references = w->references;
    w->references = (struct references){NULL};  // nobody compiles them
    w->engine->check = ENGINE_UNSEEN;
    check_frames(w);
    assert_int_equal(w->engine->check, ENGINE_UNCHECKED);
    w->references = references;
}

IN_WORLD(first_frames_are_kept)
{
    show(w, WIDTH, HEIGHT, 3);
    for (int i = 0; i < 6; i++) {
        if (i % 3 == 0) choose_well(w, w->mean, i ? "shared" : "naive");
        if (i == 5) w->engine->check = ENGINE_UNSEEN;
        const bool is_first = i % 3 == 0 || i == 5;
        assert_int_equal(w->engine->check == ENGINE_UNSEEN, is_first);
        frame(w);
        assert_true(backend_download(w->backend, w->result.planes, w->target, NULL));
        if (is_first)
            assert_int_equal(image_compare(w->engine->kept.planes, w->result.planes).count, 0);
        assert_true(w->engine->check > ENGINE_FIRST);
    }
}

// Its check would take a quarter of an hour.
static const char slow_lab_source[] =
    "//! lab \"Slow\"\n#include \"lab.h\"\n"
    "//! param n 3000 [1, 9000] numbers\n"
    "//! array x in [n] noise 0, 9\n"
    "//! array y out [n] shown 0, 18\n"
    "//! reference y\n"
    "__host__ __device__ double slow_reference(const int *x, long long i)\n"
    "{\n    for (volatile long long k = 0; k < 1000000000; k++) continue;\n"
    "    return 2 * x[i];\n}\n"
    "//! variant naive 256x1\n"
    "__global__ void slow_naive(int *y, const int *x, int n)\n"
    "{\n    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = 2 * x[i];\n}\n";

IN_WORLD(the_check_of_what_is_shown_comes_first)
{
    const struct filter *slow = plant(w, "slow.cu", slow_lab_source);
    w->settings.params = filter_defaults(slow);
    const struct choice lab = point_of(w, slow, "naive");
    choose_well(w, slow, "naive");
    for (const gint64 end = now_s() + PATIENCE_S;
         w->engine->check != ENGINE_CHECKING && now_s() < end;)
        frame(w);
    assert_int_equal(w->engine->check, ENGINE_CHECKING);
    w->settings.params = filter_defaults(w->mean);
    choose_well(w, w->mean, "naive");
    check_frames(w);
    assert_int_equal(result(w, point_of(w, w->mean, "naive")).check, CHECK_EXACT);
    assert_int_equal(result(w, lab).check, CHECK_UNKNOWN);
}

// ---- files without a reference ----

#define ELEMENT \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n"

static const char unchecked_lab_source[] =
    "//! lab \"Twice\"\n#include \"lab.h\"\n"
    "//! param n 3000 [1, 9000] numbers\n"
    "//! array x in [n] noise 0, 9\n"
    "//! array y out [n] shown 0, 18\n"
    "//! array t scratch [n]\n"
    "//! variant naive 256x1\n"
    "__global__ void twice_naive(int *y, const int *x, int n)\n{\n" ELEMENT
    "    y[i] = 2 * x[i];\n}\n"
    "//! variant same 128x1 prepare=twice_prepare\n"
    "__global__ void twice_same(int *y, const int *x, const int *t, int n)\n{\n" ELEMENT
    "    y[i] = t[i] + x[i];\n}\n"
    "//! untimed 256x1\n"
    "__global__ void twice_prepare(int *t, const int *x, int n)\n{\n" ELEMENT
    "    t[i] = x[i];\n}\n";

// Shown or measured in the background, a file without a reference is not checked.
static void assert_nothing_is_checked(struct world *w, const char *source)
{
    const struct filter *unchecked = plant(w, "unchecked.cu", source);
    w->settings.params = filter_defaults(unchecked);
    choose_well(w, unchecked, "naive");
    const struct results_wish wish = {.point = point_of(w, unchecked, "same")};
    results_want(w->results, &wish, 1);
    while (result(w, wish.point).state != RESULT_DONE) frame(w);
    for (int i = 0; i < 2; i++) {
        const struct result r = result(w, point_of(w, unchecked, i ? "same" : "naive"));
        assert_int_equal(r.check, CHECK_IMPOSSIBLE);
        assert_string_equal(r.unchecked, "the file has no reference");
    }
}

IN_WORLD(files_without_a_reference)
{
    const char *reference = strstr(wrong_source, "//! reference");
    g_autofree char *head = g_strndup(wrong_source, (gsize)(reference - wrong_source));
    g_autofree char *source =
        g_strconcat(head, strstr(reference, "//! variant naive"),
                    "//! variant same 16x4\n__global__ void mean_same" PLANES PIXEL
                    "    if (x < out.width && y < out.height)\n"
                    "        out.pixels[y * out.pitch + x] = (unsigned char)load(in, x, y);\n}\n",
                    NULL);
    show(w, WIDTH, HEIGHT, 3);
    assert_nothing_is_checked(w, source);
    assert_nothing_is_checked(w, unchecked_lab_source);
}

// What naive took long ago does not stay its figure while others are shown.
IN_WORLD(naive_is_measured_again)
{
    settle(w, w->mean, "shared");
    const struct results_wish wish = {.point = point_of(w, w->mean, "naive"), .is_kept = true};
    results_want(w->results, &wish, 1);
    const struct choice shared = point_of(w, w->mean, "shared");
    results_check(w->results, &shared, (struct image_difference){0});
    pretend(w, wish.point, 300);
    assert_true(naive_ms(w) == 300);
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end && naive_ms(w) == 300;) {
        frame(w);
        assert_pixels(w, w->mean);
    }
    assert_true(naive_ms(w) > 0 && naive_ms(w) < 300);
    assert_int_equal(result(w, wish.point).state, RESULT_DONE);  // all the time
}

IN_WORLD(points_of_other_blocks_and_filters)
{
    const struct filter *broken = plant(w, "broken.cu", broken_source);
    show(w, WIDTH, HEIGHT, 3);
    struct results_wish wishes[] = {
        wish_of(w, w->mean, "shared", 3),
        wish_of(w, w->mean, "shared", 3),
        wish_of(w, w->mean, "shared", 3),
        wish_of(w, w->mean, "running", 3),
        {.point = {.filter = broken, .variant = broken->variants}},
        {.point = point_of(w, w->invert, "vector"), .group = 1},
    };
    wishes[0].point.settings.block_width = 7;
    wishes[0].point.settings.block_height = 5;
    wishes[1].point.settings.block_width = 32;  // the default one
    wishes[1].point.settings.block_height = 8;
    wishes[2].point.settings.block_width = wishes[2].point.settings.block_height = 1024;
    wishes[3].point.settings.block_width = 8;
    wishes[3].point.settings.block_height = 8;
    wishes[5].point.settings.params = filter_defaults(w->invert);
    settle(w, w->mean, "shared");
    measure_all(w, w->mean, wishes, (int)G_N_ELEMENTS(wishes));
    assert_int_equal(result(w, wishes[0].point).state, RESULT_DONE);
    assert_true(result(w, wishes[0].point).ms.count == STATS_SETTLED);
    assert_true(result(w, wishes[1].point).ms.median == shown_ms(w).median);
    assert_string_equal(result(w, wishes[2].point).reason,
                        "block 1024×1024 has 1048576 threads, the device allows 1024");
    assert_string_equal(result(w, wishes[3].point).reason, "running is written for blocks of 64×1");
    assert_non_null(strstr(result(w, wishes[4].point).reason, "broken.cu:6"));
    assert_null(strchr(result(w, wishes[4].point).reason, '\n'));
    assert_int_equal(result(w, wishes[5].point).state, RESULT_DONE);
}

// Copies of other sizes than the shown one, between launches that fill the same arrays.
IN_WORLD(copies_of_a_lab_are_points)
{
    const struct filter *lab = filter_find(&filters, "transpose");
    struct results_wish wishes[5];
    for (int i = 0; i < 5; i++) {
        struct choice point = {
            lab, filter_variant(lab, "shared"), {.params = filter_defaults(lab)}};
        point.settings.params.v[0] = 100;
        point.settings.params.v[1] = i / 2 == 1 ? 90 : 30;  // quick enough on any machine
        wishes[i].point = i % 2 ? point : choice_copy_of(&point);
        wishes[i].group = i / 3;
        wishes[i].is_kept = false;
    }
    settle(w, w->mean, "shared");
    measure_all(w, w->mean, wishes, 5);
    for (int i = 0; i < 5; i++) {
        const struct result r = result(w, wishes[i].point);
        assert_int_equal(r.state, RESULT_DONE);
        assert_int_equal(r.check, i % 2 ? CHECK_EXACT : CHECK_IMPOSSIBLE);
        assert_true(r.ms.median > 0);
    }
}

// Packed beside planar and the other way round, and two packed ones of different params. A packed
// result is checked as the picture that it becomes.
IN_WORLD(packed_points)
{
    const struct filter *flip = filter_find(&filters, "flip");
    static const char *const variants[] = {"vector", "words_rgb24", "naive_rgb24", "shared_rgb24"};
    show(w, WIDTH, HEIGHT, 3);
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
        struct results_wish wishes[3 * 4];
        int count = 0;
        for (int axis = 0; axis < 3; axis++)
            for (size_t k = 0; k < G_N_ELEMENTS(variants); k++) {
                w->settings = (struct settings){.params = {{axis}}, .block_width = 16};
                wishes[count++] = (struct results_wish){.point = point_of(w, flip, variants[k])};
            }
        results_forget(w->results);
        w->settings = (struct settings){.params = {{(double)(i % 3)}}};
        settle(w, flip, variants[i]);
        measure_all(w, flip, wishes, count);
        for (int k = 0; k < count; k++) {
            assert_int_equal(result(w, wishes[k].point).state, RESULT_DONE);
            assert_int_equal(result(w, wishes[k].point).check, CHECK_EXACT);
        }
    }
    show(w, WIDTH, HEIGHT, 1);  // a grey picture is not packed: refused, and the picture goes on
    const struct results_wish wish = {.point = point_of(w, flip, "words_rgb24")};
    settle(w, flip, "vector");
    measure_all(w, flip, &wish, 1);
    assert_int_equal(result(w, wish.point).state, RESULT_REFUSED);
}

static struct backend_impl watching;
static const struct backend_impl *watched;
static void *largest;  // of what is allocated
static size_t largest_bytes;
static bool is_full_with_it;  // beside it there is room for nothing

static bool watch_alloc(struct backend *b, size_t bytes, void **memory, struct error *why)
{
    if (is_full_with_it && largest) return error_set(why, "no room for %zu B", bytes);
    if (!watched->alloc(b, bytes, memory, why)) return false;
    if (bytes > largest_bytes) largest_bytes = bytes, largest = *memory;
    return true;
}

static void watch_free(struct backend *b, void *memory)
{
    if (memory == largest) largest = NULL;
    watched->free(b, memory);
}

// Frames of the transpose, until it is checked.
static void check_lab(struct world *w, const struct filter *lab)
{
    const struct planes picture = w->target;
    void *memory;
    w->settings.params = filter_defaults(lab);
    w->settings.params.v[0] = w->settings.params.v[1] = 512;  // rows and columns
    choose_well(w, lab, "shared");
    const struct planes shape = frame_picture(&w->engine->shown);
    assert_true(backend_alloc(w->backend, planes_bytes(shape), &memory, NULL));
    w->target = planes_at(shape, memory);
    const struct choice shown = point_of(w, lab, "shared");
    for (int i = 0; i < 1000 && result(w, shown).check == CHECK_UNKNOWN; i++) frame(w);
    assert_int_equal(result(w, shown).check, CHECK_EXACT);
    backend_free(w->backend, memory);
    w->target = picture;
}

// By the whole program, in bytes; a constant under a sanitizer.
static size_t allocated(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static bool is_counted(void)
{
    const size_t before = allocated();
    void *const memory = g_malloc(1 << 24);
    const bool has_grown = allocated() > before;
    g_free(memory);
    return has_grown;
}

static void watch_memory(struct world *w)
{
    watched = w->backend->impl;
    watching = *watched;
    watching.alloc = watch_alloc;
    watching.free = watch_free;
    w->backend->impl = &watching;
    largest = NULL;
    largest_bytes = 0;
    is_full_with_it = false;
}

IN_WORLD(arrays_go_with_their_lab)
{
    const struct filter *lab = filter_find(&filters, "transpose");
    watch_memory(w);
    for (int i = 0; i < 2; i++) {
        results_forget(w->results);
        largest_bytes = 0;
        check_lab(w, lab);
        assert_true(largest && largest_bytes > 1 << 20);
        const size_t copied = allocated();
        w->settings.params = filter_defaults(w->mean);
        choose_well(w, w->mean, "naive");
        frame(w);
        assert_null(largest);
        // A compiler's result may be on its way, which takes as much for a while.
        const size_t most = copied - largest_bytes / 4;
        const gint64 end = now_s() + PATIENCE_S;
        while (is_counted() && allocated() >= most && now_s() < end) g_usleep(1000);
        if (is_counted()) assert_true(allocated() < most);
        assert_pixels(w, w->mean);
    }
}

// A lab may take all memory that there is: the kernel that comes after it needs some, too.
IN_WORLD(arrays_make_room)
{
    const struct filter *lab = filter_find(&filters, "transpose");
    watch_memory(w);
    check_lab(w, lab);
    is_full_with_it = true;
    w->settings.params = filter_defaults(w->mean);
    choose_well(w, w->mean, "separable");
    assert_null(largest);
    frame(w);
    assert_pixels(w, w->mean);
}

// Without a frame, nothing is compared with what is done: neither points nor copies go on.
IN_WORLD(without_frames_what_is_done_rests)
{
    int done = 0, wanted = 1;
    struct results_wish wishes[] = {wish_of(w, w->mean, "naive", 4),
                                    wish_of(w, w->mean, "shared", 4)};
    wishes[0].is_kept = wishes[1].is_kept = true;
    results_want(w->results, wishes, 2);
    for (const gint64 end = now_s() + PATIENCE_S; done < wanted && now_s() < end;) {
        if (engine_measure(w->engine)) await_idle(w);
        results_progress(w->results, &done, &wanted);
    }
    for (int i = 0; i < STATS_SETTLED + STATS_DROPPED; i++)  // the copies are complete, too
        if (engine_measure(w->engine)) await_idle(w);
    assert_int_equal(result(w, wishes[0].point).state, RESULT_DONE);
    for (int i = 0; i < 24; i++) assert_false(engine_measure(w->engine));
}

// The copy beside the frames moves as many bytes as they do, whatever is measured without them.
IN_WORLD(without_frames_the_copy_stays_the_frames_own)
{
    const struct filter *lab = filter_find(&filters, "transpose");
    w->settings.params = filter_defaults(lab);
    w->settings.params.v[0] = w->settings.params.v[1] = 30;
    choose_well(w, lab, "read_columns");
    frames(w, STATS_DROPPED + 2);
    const struct choice copy = choice_copy_of(&(struct choice){lab, NULL, w->settings});
    const double before_ms = result(w, copy).ms.median;
    assert_true(before_ms > 0 && copy_ms(w) == before_ms);
    w->settings.params.v[0] = 700;
    const struct results_wish wish = {.point = point_of(w, lab, "read_columns")};
    results_want(w->results, &wish, 1);
    for (int i = 0; i < 40; i++)
        if (engine_measure(w->engine)) await_idle(w);
    assert_int_equal(result(w, wish.point).state, RESULT_DONE);
    assert_true(copy_ms(w) == before_ms && result(w, copy).ms.median == before_ms);
}

IN_WORLD(points_that_seem_too_slow_are_refused)
{
    settle(w, w->mean, "naive");
    const struct results_wish wishes[] = {wish_of(w, w->mean, "separable", 4),
                                          wish_of(w, w->mean, "texture", 4)};
    pretend(w, wish_of(w, w->mean, "separable", 3).point, 600);
    results_want(w->results, wishes, 2);
    // Passed over, while something else is left to measure.
    for (const gint64 end = now_s() + PATIENCE_S;
         now_s() < end && result(w, wishes[1].point).state == RESULT_UNKNOWN;)
        frame(w);
    assert_int_not_equal(result(w, wishes[1].point).state, RESULT_UNKNOWN);
    measure_all(w, w->mean, NULL, 0);
    assert_int_equal(result(w, wishes[1].point).state, RESULT_DONE);
    assert_string_equal(result(w, wishes[0].point).reason, "about 992 ms a launch: too slow here");
    const struct results_wish far = wish_of(w, w->mean, "shared", 5);
    measure_all(w, w->mean, &far, 1);
    assert_string_equal(result(w, far.point).reason, "up to 1.48 s a launch: too slow here");
}

// Computes for seconds at radius 8, on any machine.
static const char late_source[] =
    "//! filter \"Late\"\n#include \"kernel.h\"\n"
    "//! param radius 0 [0, 8] pixels\n"
    "extern \"C\" __device__ int clock_gettime(int clock, long *time);\n"
    "static __device__ double computed_s(void)\n{\n"
    "    long time[2];\n"
    "    clock_gettime(2, time);  // of the whole process\n"
    "    return time[0] + 1e-9 * time[1];\n}\n"
    "//! variant naive 32x8\n__global__ void late_naive(plane out, int radius)\n{\n" PIXEL
    "    const double begin = computed_s();\n"
    "    while (x == 0 && y == 0 && radius == 8 && computed_s() - begin < 3)\n"
    "        for (volatile int i = 0; i < 100000; i++) continue;\n"  // a signal finds its own code
    "    if (x < out.width && y < out.height)\n"
    "        out.pixels[y * out.pitch + x] = 0;\n}\n";

IN_WORLD(points_that_turn_out_too_slow_are_refused)
{
    const struct filter *late = plant(w, "late.cu", late_source);
    settle(w, w->mean, "naive");
    const struct results_wish wish = wish_of(w, late, "naive", 8);
    pretend(w, wish_of(w, late, "naive", 7).point, 0.1);
    measure_all(w, w->mean, &wish, 1);
    const struct result r = result(w, wish.point);
    assert_int_equal(r.state, RESULT_REFUSED);
    assert_true(g_str_has_prefix(r.reason, "about ") || g_str_has_prefix(r.reason, "more than "));
    assert_true(g_str_has_suffix(r.reason, "s a launch: too slow here"));
    frame(w);
    assert_pixels(w, w->mean);
}

// For the kernel below.
static atomic_int held_id, is_let_go;

void note_and_compute(void);
void note_and_compute(void)
{
    if (atomic_load(&held_id)) return;
    atomic_store(&held_id, gettid());
    while (!atomic_load(&is_let_go)) continue;
}

// Its first launch is kept from the processors for longer than a launch that waits or computes may
// take beside a frame.
IN_WORLD(a_point_without_a_processor_is_not_slow)
{
    endless_skip();
    const struct filter *late = plant(w, "late.cu",
                                      "//! filter \"Late\"\n#include \"kernel.h\"\n"
                                      "extern \"C\" __device__ void note_and_compute(void);\n"
                                      "//! variant naive 32x8\n"
                                      "__global__ void late_naive(plane out)\n{\n" PIXEL
                                      "    if (x == 0 && y == 0) note_and_compute();\n"
                                      "    if (x < out.width && y < out.height)\n"
                                      "        out.pixels[y * out.pitch + x] = 0;\n}\n");
    settle(w, w->mean, "separable");
    const struct results_wish wish = {.point = {.filter = late, .variant = late->variants}};
    results_want(w->results, &wish, 1);
    while (!atomic_load(&held_id)) {  // it is compiled beside the first frames
        choose_well(w, w->mean, "separable");
        assert_true(engine_begin(w->engine, w->target, NULL));
        while (!atomic_load(&held_id) && engine_poll(w->engine, NULL) == BACKEND_BUSY) continue;
    }
    const struct held_thread held = held_thread_hold(held_id);
    const gint64 begin = g_get_monotonic_time();
    while (g_get_monotonic_time() - begin < 6000000) {
        assert_int_equal(engine_poll(w->engine, NULL), BACKEND_BUSY);
        assert_int_not_equal(result(w, wish.point).state, RESULT_REFUSED);
        g_usleep(1000);
    }
    atomic_store(&is_let_go, true);
    held_thread_let_go(held);
    await_idle(w);
    measure_all(w, w->mean, NULL, 0);
    assert_int_equal(result(w, wish.point).state, RESULT_DONE);
}

IN_WORLD(points_that_never_end_are_given_up)
{
    endless_skip();
    const struct filter *endless = plant(w, "endless.cu", endless_source);
    settle(w, w->mean, "separable");
    const struct results_wish wishes[] = {
        {.point = {.filter = endless, .variant = endless->variants}},
        wish_of(w, w->mean, "naive", 2)};
    measure_all(w, w->mean, wishes, 2);
    assert_string_equal(result(w, wishes[0].point).reason,
                        "more than 500 ms a launch: too slow here");
    assert_int_equal(result(w, wishes[1].point).state, RESULT_DONE);
    frame(w);
    assert_pixels(w, w->mean);
}

// The device's fault is not the shown choice's.
IN_WORLD(a_point_that_stops_the_device_is_known)
{
    struct choice culprit;
    bool is_point = false;
    const struct filter *bad = plant(w, "bad.cu",
                                     "//! filter \"Bad\"\n#include \"kernel.h\"\n"
                                     "//! variant naive 32x8\n__global__ void bad_naive()\n{\n"
                                     "    if (threadIdx.x == 0) __syncthreads();\n"
                                     "    else __syncthreads();\n}\n");
    settle(w, w->mean, "separable");
    assert_false(engine_find_culprit(w->engine, &culprit, &is_point));
    const struct results_wish wish = {.point = {.filter = bad, .variant = bad->variants}};
    results_want(w->results, &wish, 1);
    enum backend_state polled = BACKEND_IDLE;
    for (const gint64 end = now_s() + PATIENCE_S; polled != BACKEND_FAILED && now_s() < end;) {
        if (polled == BACKEND_IDLE) engine_begin(w->engine, w->target, &err);
        polled = engine_poll(w->engine, &err);
    }
    assert_int_equal(polled, BACKEND_FAILED);
    assert_true(engine_find_culprit(w->engine, &culprit, &is_point));
    assert_true(is_point && choice_is_same(&culprit, &wish.point));
}

// The shown frame's module is one of many that are wanted.
IN_WORLD(unrolled_points_are_compiled_one_after_the_other)
{
    settle(w, w->mean, "naive");
    w->settings.is_unrolled = true;
    struct results_wish wishes[4];
    for (int i = 0; i < 4; i++) wishes[i] = wish_of(w, w->mean, "naive", 5 + i);
    w->settings.is_unrolled = false;
    results_want(w->results, wishes, 4);
    frame(w);
    assert_int_equal(result(w, wishes[0].point).state, RESULT_UNKNOWN);  // never waits for it
    measure_all(w, w->mean, NULL, 0);
    for (int i = 0; i < 4; i++) assert_int_equal(result(w, wishes[i].point).state, RESULT_DONE);
}

IN_WORLD(cancel_while_a_point_is_measured)
{
    settle(w, w->mean, "naive");
    struct results_wish wishes[8];
    for (int i = 0; i < 8; i++) wishes[i] = wish_of(w, w->mean, "separable", i);
    results_want(w->results, wishes, 8);
    for (int polls = 0; polls < 40; polls++) {
        const int before = shown_ms(w).count;
        assert_true(engine_begin(w->engine, w->target, NULL));
        for (int i = 0; i < polls; i++) {
            g_usleep(300);
            engine_poll(w->engine, NULL);
        }
        engine_leave(w->engine);
        await_idle(w);
        assert_in_range(shown_ms(w).count, before, before + 1);
        frame(w);
        assert_pixels(w, w->mean);
    }
}

// ---- what changes beneath ----

IN_WORLD(another_picture)
{
    static const int shapes[][3] = {{1, 37, 3}, {203, 117, 1}, {41, 1, 3}, {1, 1, 1}};
    show(w, WIDTH, HEIGHT, 3);
    const struct results_wish wish = wish_of(w, w->mean, "separable", 5);
    settle(w, w->mean, "shared");
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        results_want(w->results, &wish, 1);
        frame(w);
        show(w, shapes[i][0], shapes[i][1], shapes[i][2]);
        assert_int_equal(shown_ms(w).count, 0);  // the old picture's times are not of this one
        assert_int_equal(result(w, wish.point).state, RESULT_UNKNOWN);
        assert_true(copy_ms(w) == 0);
        choose_well(w, w->mean, "shared");
        assert_int_equal(shown_ms(w).count, 0);
        frames(w, 4);
        assert_int_equal(shown_ms(w).count, 1);
        assert_pixels(w, w->mean);
        results_want(w->results, &wish, 1);  // whose scratch may be larger than what was reserved
        measure_all(w, w->mean, NULL, 0);
    }
}

IN_WORLD(adopt_after_a_reload)
{
    assert_true(filter_list_load(&w->own, TILESCOPE_KERNELS, NULL, NULL));
    w->mean = filter_find(&w->own, "mean");
    w->settings.params = filter_defaults(w->mean);
    choose_judged(w, w->mean, "shared");
    want_naive_of(w, w->mean, "shared");
    for (const gint64 end = now_s() + PATIENCE_S; now_s() < end && naive_ms(w) == 0;) frame(w);
    assert_true(naive_ms(w) > 0);
    assert_true(engine_begin(w->engine, w->target, NULL));  // with a frame in hand

    struct filter_list again;
    assert_true(filter_list_load(&again, TILESCOPE_KERNELS, NULL, NULL));
    struct builder *builder = builder_create(w->backend);
    engine_adopt(w->engine, builder);
    results_forget(w->results);
    references_renew(&w->references, builder);
    builder_destroy(w->builder);
    filter_list_finish(&w->own);
    w->builder = builder;
    w->own = again;
    w->mean = filter_find(&w->own, "mean");

    assert_int_equal(engine_poll(w->engine, NULL), BACKEND_IDLE);
    assert_int_equal(shown_ms(w).count, 0);
    assert_false(engine_is_settled(w->engine));
    assert_true(naive_ms(w) == 0);
    assert_true(predict(w, w->mean, "naive") == 0);
    choose_judged(w, w->mean, "shared");
    frames(w, 4);
    assert_int_equal(shown_ms(w).count, 1);
    assert_pixels(w, w->mean);
}

SUITE("engine", open_shared, close_shared)
