// test_stage -- frames through a real window: every path shows what the reference says, nothing
// holds the loop up, a launch owns what it touches, and what it costs.
// test_stage DEVICE [TESTS]; 77: no display, or no such device. TESTS is a pattern, as a_*.
//
// Prints its figures; on a GPU, those that are promised are asserted.
#include "unit.h"

#include <GL/glew.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/watchdog.h"
#include "device/backend_impl.h"
#include "filter/axis.h"
#include "frame/frame.h"
#include "frame/reference.h"
#include "gl/display.h"
#include "gl/interop.h"
#include "gl/window.h"
#include "folder.h"
#include "held_thread.h"
#include "frame/results.h"
#include "viewer/stage.h"

static const gint64 PATIENCE_US = 300000000;  // only what hangs takes as long

static const char *device = "cpu";
static bool is_gpu;
static struct window *window;
static struct display *display;
static struct filter_list filters;
static struct backend *reference_host;
static struct references references;
static atomic_bool is_gate_shut;
static atomic_bool is_gate_stuck, has_come_back;
static atomic_int waiting;                  // threads in the gate
static atomic_int steps_begun, steps_left;  // of the kernel whose blocks come one by one
static atomic_int gate_thread;              // the last one that came there

static void on_key(void *user, const char *key) {}

static void on_event(void *user) {}

static struct image noise(int width, int height, int planes, unsigned seed)
{
    struct image image = {0};
    assert_true(image_init(&image, width, height, planes, &err));
    image_fill_noise(image.planes, seed);
    return image;
}

static struct stage *opened;  // by the test that runs now,
static gint64 opened_us;      // then
static struct image lent;     // to it

static void close_stage(void)
{
    stage_close(opened);
    image_finish(&lent);
    opened = NULL;
}

static PFNGLTEXSUBIMAGE3DPROC upload_as_always;
static int lost_uploads;

static void GLAPIENTRY lose_upload(GLenum target, GLint level, GLint x, GLint y, GLint z,
                                   GLsizei width, GLsizei height, GLsizei depth, GLenum format,
                                   GLenum type, const void *pixels)
{
    lost_uploads++;
}

// Textures stay as they are. OpenGL is not asked for what it would refuse: a driver may do it all
// the same, and one that reads behind the end of a buffer does not come back.
static void lose_uploads(bool are_lost)
{
    lost_uploads = 0;
    if (!upload_as_always) upload_as_always = glTexSubImage3D;
    glTexSubImage3D = are_lost ? lose_upload : upload_as_always;
}

// The stage is closed first: its launches write into the display.
static int clean_up(void **state)
{
    close_stage();
    lose_uploads(false);
    atomic_store(&is_gate_shut, false);
    atomic_store(&is_gate_stuck, false);
    atomic_store(&has_come_back, false);
    atomic_store(&steps_left, INT_MAX);
    return 0;
}

static struct watchdog *patience;  // of the stages that are opened from now on

// Closes the one that was opened before.
static struct stage *open_stage_with(const char *path, int most_unrolled)
{
    close_stage();
    const struct stage_options options = {.device = device,
                                          .path = path,
                                          .include_folder = TILESCOPE_KERNELS,
                                          .display = display,
                                          .endless = patience,
                                          .most_unrolled = most_unrolled};
    struct stage *s = stage_open(&options, &err);
    must(s);
    opened_us = g_get_monotonic_time();
    return opened = s;
}

static struct stage *open_stage(const char *path)
{
    return open_stage_with(path, 0);
}

static void set_picture(struct stage *s, int width, int height, int planes, unsigned seed)
{
    struct image image = noise(width, height, planes, seed);
    must(stage_set_picture(s, image.planes, &err));
    assert_ptr_equal(s->host.picture.pixels, image.planes.pixels);
    image_finish(&lent);
    lent = image;
}

static void set_panes(struct stage *s, int count)
{
    must(stage_set_panes(s, count, &err));
}

static void open_second_pane(struct stage *s)
{
    set_panes(s, 2);
}

static void close_second_pane(struct stage *s)
{
    set_panes(s, 1);
}

static struct pane_facts facts_of(const struct stage *s, int pane)
{
    struct pane_facts facts = {0};
    pane_facts(&s->panes[pane], &facts);
    return facts;
}

static struct stage *open_on(const char *path, int width, int height, int planes, unsigned seed)
{
    struct stage *s = open_stage(path);
    set_picture(s, width, height, planes, seed);
    return s;
}

enum { LARGE_SEED = 4 };

// As large as on a lecture's screen; the emulator would take seconds for that.
static struct planes set_large_picture(struct stage *s)
{
    set_picture(s, is_gpu ? 1920 : 96, is_gpu ? 1080 : 54, 3, LARGE_SEED);
    return s->host.picture;
}

static struct choice choice_of(const char *filter, const char *variant, int radius)
{
    const struct filter *f = filter_find(&filters, filter);
    struct choice choice = {.filter = f,
                            .variant = filter_variant(f, variant),
                            .settings = {.params = filter_defaults(f)}};
    if (filter_radius(f) >= 0) choice.settings.params.v[filter_radius(f)] = radius;
    return choice;
}

static struct choice small_lab(void)
{
    struct choice lab = choice_of("transpose", "shared", 0);
    lab.settings.params.v[0] = 64;
    return lab;
}

static void draw(void)
{
    static const unsigned char nothing[4];
    const struct overlay_pixels overlay = {.pixels = nothing, .width = 1, .height = 1, .stride = 4};
    int width, height;
    window_size(window, &width, &height);
    const struct planes shape = display_shape(display);
    const struct display_scene scene = {
        .place = viewport_place(
            (struct viewport){0},
            (struct viewport_sizes){width, height, shape.width, shape.height, 0, 0, 0, 0})};
    display_draw(display, &scene, overlay, true, width, height);
    window_swap(window);
}

static void expect_patience(void)
{
    if (g_get_monotonic_time() - opened_us > PATIENCE_US) fail_msg("what it waits for never comes");
}

// A turn. It waits for a moment if there is no new picture, for something on another thread.
static bool step(struct stage *s, const struct choice *choices, bool is_frozen)
{
    const bool is_new = stage_step(s, choices, is_frozen, 8);
    expect_patience();
    if (!is_new) g_usleep(1000);
    return is_new;
}

// A frame may be late on a busy machine; PATIENCE_US is its bound.
static void expect_no_trouble(const struct stage *s, int pane)
{
    const struct trouble *trouble = &s->panes[pane].trouble;
    if (trouble->kind && trouble->kind != TROUBLE_LATE) fail_msg("%s", trouble->text);
}

// Turns until a picture made with the choice is shown; returns the milliseconds of the longest
// turn.
static double show(struct stage *s, const struct choice *choice)
{
    for (double longest = 0;; g_usleep(1000)) {
        const gint64 start = g_get_monotonic_time();
        window_poll(window);
        const bool is_new = stage_step(s, choice, false, 8);
        if (is_new) draw();
        longest = MAX(longest, (double)(g_get_monotonic_time() - start) / 1000);
        if (is_new) return longest;
        expect_no_trouble(s, 0);
        expect_patience();
    }
}

static struct image run_reference(const struct choice *choice, struct planes in)
{
    struct reference reference;
    struct image made = noise(in.width, in.height, in.count, 0);
    assert_true(reference_wait(&reference, &references, choice->filter, &choice->settings.params));
    reference_run(&reference, made.planes, in, 0);
    return made;
}

// A layer's texture against the reference, every pixel.
static void expect_layer(const struct stage *s, int layer, const struct choice *choice)
{
    const struct planes in = s->host.picture;
    OWNED(image_finish) struct image expected = run_reference(choice, in);
    OWNED(image_finish) struct image shown = noise(in.width, in.height, in.count, 1);
    display_read(display, layer, shown.planes);
    assert_int_equal(image_compare(shown.planes, expected.planes).count, 0);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static const char *const *paths(void)
{
    static const char *const gpu[] = {"auto", "staged", NULL}, *const cpu[] = {"cpu", "staged",
                                                                               NULL};
    return is_gpu ? gpu : cpu;
}

#define ON_STAGE(name) TEST_WITH(name, NULL, clean_up)

// A frame of another choice each time, none of them ever stale: one stream for map, launch and
// unmap.
ON_STAGE(every_path_shows_each_choice_at_once)
{
    static const char *const variants[] = {"naive", "texture", "shared"};
    for (const char *const *path = paths(); *path; path++) {
        struct stage *s = open_on(*path, 71, 47, 3, 5);
        for (int i = 0; i < 18; i++) {
            const struct choice choice = i % 3 == 2 ? choice_of("invert", "vector", 0)
                                                    : choice_of("mean", variants[i / 3 % 3], i % 7);
            show(s, &choice);
            expect_layer(s, 0, &choice);
        }
    }
}

ON_STAGE(pictures_of_every_size_are_shown_right)
{
    static const int sizes[][3] = {{1, 1, 1},     {1, 37, 3},    {41, 1, 3},
                                   {301, 203, 3}, {301, 203, 1}, {1921, 7, 1}};
    for (const char *const *path = paths(); *path; path++) {
        struct stage *s = open_stage(*path);
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            const struct choice choice = choice_of("mean", "shared", 3);
            set_picture(s, sizes[i][0], sizes[i][1], sizes[i][2], (unsigned)i);
            show(s, &choice);
            expect_layer(s, 0, &choice);
        }
        const struct choice choice = choice_of("mean", "shared", 3);
        set_large_picture(s);
        show(s, &choice);
        expect_layer(s, 0, &choice);
    }
}

// Turns until the pane's time and the copy's are known.
static void measure(struct stage *s, const struct choice *choice)
{
    struct pane_facts facts = {0};
    while (!facts.known.ms.count || facts.copy_ms <= 0) {
        step(s, choice, false);
        expect_no_trouble(s, 0);
        facts = facts_of(s, 0);
    }
}

// The figures of the last choice are not those of one that cannot run. Only a copy of as many bytes
// is the same for both.
ON_STAGE(an_illegal_launch_keeps_the_picture_and_has_no_figures)
{
    struct stage *s = open_on("auto", 67, 45, 1, 9);
    struct choice good[] = {choice_of("mean", "naive", 2),
                            choice_of("transpose", "read_columns", 0)};
    good[1].settings.params.v[0] = 64;
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        struct choice bad = good[i];
        const bool has_picture = filter_has_picture(bad.filter);
        measure(s, &good[i]);
        bad.settings.block_width = bad.settings.block_height = 64;
        if (!has_picture) bad.settings.params.v[0] = 128;
        for (int turn = 0; turn < 10; turn++) stage_step(s, &bad, false, 8);
        const struct pane_facts facts = facts_of(s, 0);
        assert_false(facts.is_current);
        assert_int_equal(s->panes[0].trouble.kind, TROUBLE_REFUSED);
        assert_non_null(strstr(s->panes[0].trouble.text, "4096 threads"));
        assert_int_equal(facts.known.ms.count, 0);
        assert_int_equal(facts.report.facts.max_threads, 0);
        assert_string_equal(facts.report.occupancy.limiter, "");
        assert_int_equal(facts.copy_ms > 0, has_picture);
        if (has_picture) expect_layer(s, 0, &good[i]);
        show(s, &good[i]);
        assert_string_equal(s->panes[0].trouble.text, "");
    }
}

// Turns until both pictures are settled and compared.
static struct image_difference show_both(struct stage *s, const struct choice *choices)
{
    struct image_difference found = {0};
    do {
        window_poll(window);
        if (step(s, choices, false)) draw();
        for (int i = 0; i < STAGE_PANES; i++) expect_no_trouble(s, i);
    } while (!stage_is_settled(s) || !stage_difference(s, &found));
    return found;
}

// Turns until the picture is settled.
static struct pane_facts settle(struct stage *s, const struct choice *choice, bool is_frozen)
{
    struct pane_facts facts = {0};
    for (bool is_settled = false; !is_settled;) {
        step(s, choice, is_frozen);
        expect_no_trouble(s, 0);
        is_settled = stage_is_settled(s);  // first: a check may end meanwhile
        facts = facts_of(s, 0);
    }
    return facts;
}

// It is never given out as a new one. Four times in a row are enough, and the kernel is not to
// blame.
ON_STAGE(a_picture_that_the_window_has_not_taken_is_shown_again)
{
    const struct choice before = choice_of("invert", "naive", 0),
                        after[] = {choice_of("mean", "naive", 1), small_lab()};
    for (const char *const *path = paths(); *path; path++) {
        struct stage *s = open_on(*path, 67, 45, 3, 5);
        for (size_t i = 0; i < 2 * G_N_ELEMENTS(after); i++) {
            const struct choice *choice = &after[i / 2];
            const bool is_lost_once = i % 2 == 0;
            const unsigned shown_again = settle(s, &before, false).shown_again;
            lose_uploads(true);
            while (is_lost_once ? !lost_uploads : !s->panes[0].trouble.kind)
                assert_false(step(s, choice, is_lost_once));
            lose_uploads(false);
            const struct pane_facts facts = facts_of(s, 0);
            assert_int_equal(facts.shown_again, shown_again + (is_lost_once ? 1 : 4));
            assert_false(facts.is_current);
            if (!is_lost_once) {
                assert_non_null(strstr(s->panes[0].trouble.text, "The window does not show"));
                settle(s, &before, false);
            }
            assert_int_equal(settle(s, choice, is_lost_once).known.check, CHECK_EXACT);
            if (choice == after) expect_layer(s, 0, choice);
        }
    }
}

ON_STAGE(two_panes_show_their_own_choices_and_how_they_differ)
{
    for (const char *const *path = paths(); *path; path++) {
        struct stage *s = open_on(*path, 71, 47, 3, 5);
        struct choice choices[] = {choice_of("mean", "shared", 2), choice_of("mean", "naive", 2)};
        show(s, choices);
        set_panes(s, 2);
        assert_int_equal(show_both(s, choices).count, 0);
        set_panes(s, 1);  // the second pane is opened again, and compared anew
        choices[1] = choice_of("gaussian", "separable", 6);
        set_panes(s, 2);
        const struct image_difference found = show_both(s, choices);
        OWNED(image_finish) struct image first = run_reference(&choices[0], s->host.picture);
        OWNED(image_finish) struct image second = run_reference(&choices[1], s->host.picture);
        const struct image_difference expected = image_compare(first.planes, second.planes);
        assert_true(expected.count > 0);
        assert_int_equal(found.count, expected.count);
        assert_int_equal(found.max, expected.max);
        double copy_ms = 0;
        for (int i = 0; i < STAGE_PANES; i++) {
            const struct pane_facts facts = facts_of(s, i);
            assert_int_equal(facts.known.check, CHECK_EXACT);
            if (i) assert_true(facts.copy_ms == copy_ms);  // one copy for both
            copy_ms = facts.copy_ms;
            assert_true(copy_ms > 0);
            expect_layer(s, i, &choices[i]);
        }
        set_picture(s, 101, 63, 1, 7);  // while both are open
        assert_true(show_both(s, choices).count > 0);
        for (int i = 0; i < STAGE_PANES; i++) expect_layer(s, i, &choices[i]);
        set_panes(s, 1);
        show(s, choices);
        expect_layer(s, 0, &choices[0]);
        assert_false(stage_difference(s, &(struct image_difference){0}));
    }
}

ON_STAGE(the_trouble_of_one_pane_leaves_the_other)
{
    struct stage *s = open_on("auto", 67, 45, 1, 9);
    struct choice choices[] = {choice_of("mean", "shared", 2), choice_of("mean", "naive", 2)};
    set_panes(s, 2);
    show_both(s, choices);
    choices[1].settings.block_width = choices[1].settings.block_height = 64;
    choices[0].settings.params.v[filter_radius(choices[0].filter)] = 5;
    do step(s, choices, false);
    while (!stage_is_settled(s));
    assert_string_equal(s->panes[0].trouble.text, "");
    assert_int_equal(s->panes[1].trouble.kind, TROUBLE_REFUSED);
    assert_non_null(strstr(s->panes[1].trouble.text, "4096 threads"));
    expect_layer(s, 0, &choices[0]);
}

// ---- a launch that does not come back ----

// Kernels of the CPU find this function in the test. A thread waits in it, where a signal cannot
// take it out of the kernel, until its launch has been interrupted a few times: so the launch ends
// only if somebody cancels it and waits for it.
void gate_pass(void);

void gate_pass(void)
{
    enum { INTERRUPTS = 5 };
    if (!atomic_load(&is_gate_shut)) return;
    atomic_store(&gate_thread, gettid());
    atomic_fetch_add(&waiting, 1);
    const bool is_stuck = atomic_load(&is_gate_stuck);
    for (int i = 0; i < INTERRUPTS && !is_stuck; i++) pause();
    while (atomic_load(&is_gate_stuck)) g_usleep(1000);
    if (is_stuck) atomic_store(&has_come_back, true);
    atomic_fetch_sub(&waiting, 1);
}

// Each block of another kernel takes one of the steps that the test gives.
void gate_step(void);

void gate_step(void)
{
    const int step = atomic_fetch_add(&steps_begun, 1);
    while (step >= atomic_load(&steps_left)) g_usleep(1000);
}

static const char gate_text[] =
    "//! filter \"Gate\"\n"
    "#include \"kernel.h\"\n"
    "extern \"C\" __device__ void gate_pass(void), gate_step(void);\n"
    "#define FILL \\\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x; \\\n"
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y; \\\n"
    "    if (x < out.width && y < out.height) out.pixels[y * out.pitch + x] = 7;\n"
    "//! variant plain 8x8\n"
    "__global__ void gate_plain(plane out)\n"
    "{\n"
    "    if (!blockIdx.x && !blockIdx.y && !threadIdx.x && !threadIdx.y) gate_pass();\n"
    "    FILL\n"
    "}\n"
    "//! variant bad 8x8\n"
    "__global__ void gate_bad()\n"
    "{\n"
    "    if (threadIdx.x == 0) __syncthreads();\n"
    "    else __syncthreads();\n"
    "}\n"
    "//! variant steps 8x8\n"
    "__global__ void gate_steps(plane out)\n"
    "{\n"
    "    if (threadIdx.x == 0 && threadIdx.y == 0) gate_step();\n"
    "    FILL\n"
    "}\n"
    "//! variant free 8x8\n"
    "__global__ void gate_free(plane out) { FILL }\n";

static struct filter_list gate_list;

static bool load_gate(void)
{
    char *folder = folder_make();
    g_free(folder_file(folder, "gate.cu", gate_text));
    const bool is_good = filter_list_load(&gate_list, folder, NULL, &err);
    folder_end(folder);
    return is_good;
}

static struct choice gate(void)
{
    const struct filter *f = &gate_list.filters[0];
    return (struct choice){
        .filter = f, .variant = f->variants, .settings = {.params = filter_defaults(f)}};
}

// Turns until a launch of one of the choices waits in the gate.
static void run_into_gate(struct stage *s, const struct choice *choices)
{
    opened_us = g_get_monotonic_time();
    atomic_store(&is_gate_shut, true);
    while (!atomic_load(&waiting)) step(s, choices, false);
}

static void wait_until_current(struct stage *s, const struct choice *choices, int pane)
{
    struct pane_facts facts = {0};
    while (!facts.is_current) {
        step(s, choices, false);
        facts = facts_of(s, pane);
    }
}

static void change_picture(struct stage *s)
{
    set_picture(s, 101, 63, 3, 8);
}

static void change_path(struct stage *s)
{
    assert_true(stage_set_staged(s, s->host.path != INTEROP_STAGED, &err));
}

ON_STAGE(another_path_is_timed_and_checked_anew)
{
    const struct choice choice = choice_of("mean", "shared", 2);
    struct stage *s = open_on("auto", 71, 47, 3, 5);
    const struct pane_facts before = settle(s, &choice, false);
    assert_int_equal(before.known.check, CHECK_EXACT);
    assert_true(before.known.ms.count >= STATS_SETTLED);
    change_path(s);
    const struct pane_facts facts = facts_of(s, 0);
    assert_int_not_equal(facts.path, before.path);
    assert_false(facts.is_current);
    assert_int_equal(facts.known.check, CHECK_UNKNOWN);
    assert_int_equal(facts.known.ms.count, 0);
    assert_int_equal(settle(s, &choice, false).known.check, CHECK_EXACT);
}

// The check of a frozen lab needs a frame, and its reference may still be compiled. A time will
// never be known better.
ON_STAGE(what_is_frozen_is_checked_and_then_rests)
{
    struct choice choices[] = {choice_of("mean", "shared", 2), small_lab()};
    choices[1].settings.params.v[0] = 67;
    choices[1].settings.params.v[1] = 45;
    for (size_t i = 0; i < G_N_ELEMENTS(choices); i++) {
        struct stage *s = open_on("auto", 71, 47, 3, 5);
        const struct pane_facts facts = settle(s, &choices[i], true);
        assert_int_equal(facts.known.check, CHECK_EXACT);
        assert_false(facts.known.is_settled);
        while (step(s, &choices[i], true)) continue;  // one that was begun before
        for (int k = 0; k < 10; k++) assert_false(stage_step(s, &choices[i], true, 8));
    }
}

// A check that has ended is not known before the next turn.
ON_STAGE(what_is_settled_is_checked)
{
    const struct choice choice = choice_of("mean", "shared", 2);
    struct stage *s = open_on("auto", 71, 47, 3, 5);
    do {
        stage_step(s, &choice, true, 8);
        expect_patience();
        g_usleep(100000);
    } while (!stage_is_settled(s));
    const struct pane_facts facts = facts_of(s, 0);
    assert_int_equal(facts.known.check, CHECK_EXACT);
}

// Before the first pane's frames, nobody knows the shape of both.
ON_STAGE(what_waits_for_a_pane_that_cannot_run_is_settled)
{
    struct choice choices[] = {choice_of("transpose", "read_columns", 0),
                               choice_of("transpose", "read_columns", 0)};
    choices[0].settings.block_width = choices[0].settings.block_height = 64;
    struct stage *s = open_on("auto", 71, 47, 3, 5);
    set_panes(s, 2);
    while (!stage_is_settled(s)) step(s, choices, false);
    assert_int_equal(s->panes[0].trouble.kind, TROUBLE_REFUSED);
    assert_int_equal(s->panes[1].trouble.kind, TROUBLE_NONE);
    choices[0].settings.block_width = choices[0].settings.block_height = 8;
    for (int i = 0; i < STAGE_PANES; i++) {
        choices[i].settings.params.v[0] = 64;
        choices[i].settings.params.v[1] = 32;
    }
    show_both(s, choices);
}

static void adopt_when_compiled(struct stage *s)
{
    while (stage_reloaded(s, &err) == BUILDER_BUILDING) {
        expect_patience();
        g_usleep(100);
    }
    assert_int_equal(stage_reloaded(s, &err), BUILDER_READY);
    stage_adopt(s);
}

static void begin_reload(struct stage *s)
{
    stage_reload(s, (const struct filter *[]){filter_find(&filters, "mean"), NULL});
}

static void reload(struct stage *s)
{
    begin_reload(s);
    adopt_when_compiled(s);
}

static void close_and_open(struct stage *s)
{
    close_stage();
    assert_int_equal(atomic_load(&waiting), 0);
    open_on("auto", 67, 45, 1, 9);
}

// The stage goes on with the good choice in all panes, and shows what the reference says.
static void expect_good(struct stage *s, const struct choice *good, int panes)
{
    const struct choice choices[] = {*good, *good};
    for (int i = 0; i < panes; i++) {
        wait_until_current(s, choices, i);
        expect_layer(s, i, good);
    }
}

#define AT_GATE(name) TEST_WITH(gate_##name, NULL, clean_up)

// The two rows of a change take both paths.
AT_GATE(a_launch_is_over_before_what_it_touches_goes)
{
    static const struct {
        void (*change)(struct stage *s);
        int before, after;  // panes
    } changes[] = {{change_picture, 1, 1},   {change_picture, 2, 2},
                   {open_second_pane, 1, 2}, {close_second_pane, 2, 1},
                   {change_path, 1, 1},      {change_path, 2, 2},
                   {reload, 1, 1},           {reload, 2, 2},
                   {close_and_open, 1, 1},   {close_and_open, 2, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        const struct choice good = choice_of("mean", "shared", 2);
        struct stage *s = open_on(paths()[(i + i / 2) % 2], 71, 47, 1, 5);
        show(s, &good);
        set_panes(s, changes[i].before);
        // With two panes the launch is the second one's.
        const struct choice choices[] = {changes[i].before > 1 ? good : gate(), gate()};
        run_into_gate(s, choices);
        changes[i].change(s);
        assert_int_equal(atomic_load(&waiting), 0);
        atomic_store(&is_gate_shut, false);
        expect_good(opened, &good, changes[i].after);
    }
}

AT_GATE(another_choice_waits_for_the_launch_in_hand)
{
    for (const char *const *path = paths(); *path; path++) {
        const struct choice good = choice_of("mean", "shared", 2), endless = gate();
        struct stage *s = open_on(*path, 71, 47, 1, 5);
        run_into_gate(s, &endless);
        expect_good(s, &good, 1);
        assert_int_equal(atomic_load(&waiting), 0);
        atomic_store(&is_gate_shut, false);
    }
}

// It is left behind, and never writes into the buffer again, which is no longer its own.
static void let_go_of_gate(void)
{
    held_thread_expect_pause(gate_thread);
    atomic_store(&is_gate_shut, false);
    atomic_store(&is_gate_stuck, false);
    held_thread_expect_pause(gate_thread);
    assert_false(atomic_load(&has_come_back));
    atomic_store(&waiting, 0);
}

// Each pane goes on with its good choice, is checked again, and nobody is blamed: what was known of
// the results went with the device. A save that was being compiled is adopted all the same. A
// reload stops the device, because the launch of the old sources cannot be ended, and their filters
// go.
AT_GATE(a_launch_that_cannot_be_stopped_never_comes_back)
{
    static const struct {
        const char *path;
        int before, after;  // panes
        void (*change)(struct stage *s);
    } rows[] = {{"cpu", 1, 1, NULL},          {"staged", 1, 1, NULL},
                {"auto", 2, 2, NULL},         {"auto", 2, 1, close_second_pane},
                {"auto", 1, 1, begin_reload}, {"auto", 1, 1, reload}};
    const struct choice good[] = {choice_of("mean", "naive", 2), choice_of("mean", "shared", 2)};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct filter *old = filter_copy(gate().filter);
        const struct choice stuck = {
            .filter = old, .variant = old->variants, .settings = {.params = filter_defaults(old)}};
        const struct choice choices[] = {rows[i].before > 1 ? good[0] : stuck, stuck};
        struct stage *s = open_on(rows[i].path, 71, 47, 1, 5);
        set_panes(s, rows[i].before);
        if (rows[i].before > 1) show_both(s, good);
        atomic_store(&is_gate_stuck, true);
        run_into_gate(s, choices);
        if (rows[i].change) rows[i].change(s);
        if (rows[i].change == reload) g_clear_pointer(&old, filter_free);
        for (int pane = 0; pane < rows[i].after; pane++) {
            wait_until_current(s, good, pane);
            expect_layer(s, pane, &good[pane]);
        }
        if (rows[i].change == begin_reload) adopt_when_compiled(s);
        while (!stage_is_settled(s)) step(s, good, false);
        for (int pane = 0; pane < rows[i].after; pane++) {
            assert_int_equal(s->panes[pane].trouble.kind, TROUBLE_NONE);
            assert_int_equal(facts_of(s, pane).known.check, CHECK_EXACT);
            expect_layer(s, pane, &good[pane]);
        }
        let_go_of_gate();
        close_stage();
        if (old) filter_free(old);
    }
}

// A variant in the bars, say. It is refused, and the shown one goes on.
AT_GATE(what_stops_the_device_beside_the_shown_choice_is_refused)
{
    const struct choice good = choice_of("mean", "shared", 2),
                        later = choice_of("mean", "naive", 2);
    struct results_wish bad = {.point = gate()};
    bad.point.variant++;
    struct stage *s = open_on("auto", 67, 45, 1, 9);
    struct result found = {.state = RESULT_UNKNOWN};
    while (found.state != RESULT_REFUSED) {
        results_want(s->host.results, &bad, 1);
        step(s, &good, false);
        expect_no_trouble(s, 0);
        found = results_get(s->host.results, &bad.point);
    }
    assert_true(g_str_has_prefix(found.reason, "gate.cu: gate_bad: not all threads reach line "));
    expect_good(s, &good, 1);
    results_want(s->host.results, &bad, 1);
    expect_good(s, &later, 1);
    assert_int_equal(results_get(s->host.results, &bad.point).state, RESULT_REFUSED);
}

// Turns until the first pane's frame is late.
static void step_until_late(struct stage *s, const struct choice *choice)
{
    while (s->panes[0].trouble.kind != TROUBLE_LATE) step(s, choice, false);
}

// One turn, in which one more block of the kernel with steps may end.
static void step_one_block(struct stage *s, const struct choice *choice)
{
    if (atomic_load(&steps_begun) > atomic_load(&steps_left)) atomic_fetch_add(&steps_left, 1);
    step(s, choice, false);
}

// Turns for so long of the device's own time that a frame without a picture would be late if none
// of its blocks ended.
static void step_unblamed(struct stage *s, const struct choice *choice)
{
    struct frame frame = {.choice = *choice};
    while (!stage_plan(s, choice, &frame, &err)) step(s, choice, false);
    const double begin_ms = backend_work(frame.backend).own_ms;
    while (backend_work(frame.backend).own_ms - begin_ms < 1300) {
        step_one_block(s, choice);
        assert_int_equal(s->panes[0].trouble.kind, TROUBLE_NONE);
    }
}

AT_GATE(only_what_never_came_back_is_late)
{
    for (const char *const *path = paths(); *path; path++) {
        const struct choice good = choice_of("mean", "shared", 2), endless = gate();
        struct stage *s = open_on(*path, 71, 47, 1, 5);
        show(s, &endless);
        run_into_gate(s, &endless);
        step_unblamed(s, &endless);  // its picture is shown
        set_picture(s, 67, 45, 1, 9);
        run_into_gate(s, &endless);
        step_until_late(s, &endless);
        assert_non_null(strstr(s->panes[0].trouble.text, "gate plain has not come back for "));
        expect_good(s, &good, 1);
        assert_int_equal(s->panes[0].trouble.kind, TROUBLE_NONE);
        atomic_store(&is_gate_shut, false);
    }
}

// It is held for longer than one may take that is not late.
AT_GATE(a_launch_without_a_processor_is_not_late)
{
    const struct choice endless = gate();
    struct stage *s = open_on("auto", 67, 45, 1, 9);
    run_into_gate(s, &endless);
    const struct held_thread held = held_thread_hold(gate_thread);
    for (const gint64 end = g_get_monotonic_time() + 1500000; g_get_monotonic_time() < end;) {
        step(s, &endless, false);
        if (s->panes[0].trouble.kind) fail_msg("%s", s->panes[0].trouble.text);
    }
    held_thread_let_go(held);
    step_until_late(s, &endless);
    atomic_store(&is_gate_shut, false);
}

// A large picture on a CPU. What has got stuck is blamed, until it goes on.
AT_GATE(a_launch_whose_blocks_end_is_not_blamed)
{
    struct choice steps = gate();
    steps.variant = filter_variant(steps.filter, "steps");
    struct stage *s = open_on("auto", 1003, 717, 3, 5);
    atomic_store(&steps_begun, 0);
    atomic_store(&steps_left, 0);
    step_unblamed(s, &steps);
    assert_true(facts_of(s, 0).running_s >= 1);
    assert_false(stage_is_settled(s));
    step_until_late(s, &steps);
    assert_true(facts_of(s, 0).running_s == 0);
    while (s->panes[0].trouble.kind) step_one_block(s, &steps);
    assert_true(facts_of(s, 0).running_s >= 2);
    atomic_store(&steps_left, INT_MAX);
    wait_until_current(s, &steps, 0);
    assert_int_equal(s->panes[0].trouble.kind, TROUBLE_NONE);
    assert_true(facts_of(s, 0).running_s == 0);
}

AT_GATE(a_late_launch_that_was_ended_is_tried_again)
{
    static void (*const changes[])(struct stage *) = {change_path, open_second_pane};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        const struct choice choices[] = {gate(), gate()};
        struct stage *s = open_on("auto", 67, 45, 1, 9);
        run_into_gate(s, choices);
        step_until_late(s, choices);
        changes[i](s);
        assert_int_equal(atomic_load(&waiting), 0);
        atomic_store(&is_gate_shut, false);
        wait_until_current(s, choices, 0);
        assert_int_equal(s->panes[0].trouble.kind, TROUBLE_NONE);
    }
}

// ---- a launch that nothing can stop, as on a GPU ----

static atomic_int woken;

// What the program does then ends the process; here the launch ends, so that the wait does.
static void wake(void *user)
{
    atomic_fetch_add(&woken, 1);
    atomic_store(&is_gate_shut, false);
    atomic_store(&is_gate_stuck, false);
}

// The functions of the stage's device, which become a test's own: it may change them.
static struct backend_impl *own_impl(struct stage *s, const struct choice *shown)
{
    static struct backend_impl impl;  // lives as long as the device
    struct frame frame;
    const struct launch_build build = launch_build(shown);
    const struct module *ignored;
    // The builder, on another thread, uses the device until the last module is there.
    while (builder_get(s->host.builder, shown->filter, &build, &ignored, &err) == BUILDER_BUILDING)
        g_usleep(1000);
    assert_true(stage_plan(s, shown, &frame, &err));
    impl = *frame.backend->impl;
    frame.backend->impl = &impl;
    return &impl;
}

// The stage's device cannot cancel any more, and a launch is in the gate.
static struct stage *open_into_gate(const struct choice *choices)
{
    const struct choice good = choice_of("mean", "shared", 2);
    struct stage *s = open_on("auto", 71, 47, 1, 5);
    settle(s, &good, false);  // or its check, on another thread, uses the device, too
    own_impl(s, &good)->cancel = NULL;
    atomic_store(&woken, 0);
    atomic_store(&is_gate_stuck, true);
    run_into_gate(s, choices);
    return s;
}

static void end_patience(void)
{
    close_stage();
    watchdog_destroy(patience);
    patience = NULL;
}

AT_GATE(every_wait_for_an_endless_launch_is_watched)
{
    static void (*const changes[])(struct stage *) = {change_picture, open_second_pane, change_path,
                                                      reload, close_and_open};
    const struct choice good = choice_of("mean", "shared", 2), choices[] = {gate(), gate()};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        patience = watchdog_create(20, wake, NULL);
        struct stage *s = open_into_gate(choices);
        changes[i](s);
        assert_int_equal(atomic_load(&woken), 1);
        expect_good(opened, &good, 1);
        end_patience();
    }
}

// The window tells of the launch in its way, and waits for it once, watched: where another choice
// is shown, and where kernels were saved. A GPU takes new code only between two launches.
AT_GATE(an_endless_launch_in_the_way_is_told_of_and_watched)
{
    const struct choice good = choice_of("mean", "shared", 2), stuck = gate();
    for (int reloads = 0; reloads < 2; reloads++) {
        const struct choice *next = reloads ? &stuck : &good;
        patience = watchdog_create(20, wake, NULL);
        struct stage *s = open_into_gate(&stuck);
        const char *said = s->panes[0].trouble.text;
        step_until_late(s, &stuck);
        assert_non_null(strstr(said, "save a mended kernel, or choose another"));
        assert_int_equal(atomic_load(&woken), 0);
        if (reloads) begin_reload(s);
        for (int i = 0; i < 2; i++) stage_step(s, next, false, 8);
        assert_int_equal(s->panes[0].trouble.kind, TROUBLE_LATE);
        assert_non_null(strstr(said, "gate plain has not come back for "));
        assert_non_null(strstr(said, "the program starts again in a moment"));
        while (atomic_load(&is_gate_stuck)) step(s, next, false);
        assert_int_equal(atomic_load(&woken), 1);
        if (reloads) adopt_when_compiled(s);
        expect_good(s, &good, 1);
        assert_int_equal(atomic_load(&woken), 1);
        assert_int_equal(s->panes[0].trouble.kind, TROUBLE_NONE);
        end_patience();
    }
}

// The panels do not run it again.
AT_GATE(what_never_came_back_runs_only_where_it_is_chosen)
{
    const struct choice stuck = gate();
    struct choice good = stuck;
    good.variant = filter_variant(stuck.filter, "free");
    const struct results_wish wish = {.point = stuck};
    struct stage *s = open_on("auto", 71, 47, 1, 5);
    results_avoid(s->host.results, "gate/plain");
    results_want(s->host.results, &wish, 1);
    atomic_store(&is_gate_shut, true);
    const struct pane_facts facts = settle(s, &good, false);
    assert_int_equal(atomic_load(&waiting), 0);
    assert_string_equal(facts.known.unchecked, "the file has no reference");
    assert_int_equal(results_get(s->host.results, &stuck).state, RESULT_REFUSED);
    run_into_gate(s, &stuck);  // chosen
    atomic_store(&is_gate_shut, false);
}

// ---- a picture for which there is no memory ----

static int allocs_left;
static bool (*alloc_as_always)(struct backend *b, size_t bytes, void **memory, struct error *err);

static bool alloc_while_there_is_memory(struct backend *b, size_t bytes, void **memory,
                                        struct error *why)
{
    if (allocs_left-- > 0) return alloc_as_always(b, bytes, memory, why);
    return error_set(why, "no memory");
}

static void expect_picture_refused(struct stage *s, const struct choice *shown, int allocs)
{
    err.text[0] = '\0';
    OWNED(image_finish) struct image image = noise(101, 63, 3, 8);
    struct backend_impl *const impl = own_impl(s, shown);
    alloc_as_always = impl->alloc;
    impl->alloc = alloc_while_there_is_memory;
    allocs_left = allocs;
    assert_false(stage_set_picture(s, image.planes, &err));
    assert_string_equal(err.text, "no memory");
    impl->alloc = alloc_as_always;
}

// So does one that comes while a lab is shown, whose shape the window keeps.
ON_STAGE(a_picture_without_memory_leaves_the_old_one_checked)
{
    static const struct {
        int panes, allocs;
        bool is_lab;
    } rows[] = {{1, 0, false}, {1, 0, true}, {2, 0, false}, {2, 1, false}};
    const struct choice choices[] = {choice_of("mean", "shared", 2),
                                     choice_of("invert", "naive", 0)};
    struct choice lab = choice_of("transpose", "shared", 0);
    lab.settings.params.v[0] = lab.settings.params.v[1] = 512;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct stage *s = open_on("auto", 71, 47, 1, 5);
        settle(s, choices, false);
        set_panes(s, rows[i].panes);
        if (rows[i].panes == 2) show_both(s, choices);
        if (rows[i].is_lab) show(s, &lab);
        expect_picture_refused(s, rows[i].is_lab ? &lab : choices, rows[i].allocs);
        assert_int_equal(s->host.picture.width, 71);
        assert_true(planes_is_same_shape(facts_of(s, 0).picture, display_shape(display)));
        assert_int_equal(settle(s, choices, false).known.check, CHECK_EXACT);
        expect_layer(s, 0, choices);
    }
}

// Those of the choice before are of another kernel.
ON_STAGE(what_a_frame_takes_is_of_the_choice)
{
    const struct choice choices[] = {choice_of("mean", "naive", 4),
                                     choice_of("invert", "naive", 0)};
    struct stage *s = open_on("auto", 71, 47, 1, 5);
    struct pane_facts facts = {0};
    settle(s, &choices[0], false);  // its code does not change any more
    while (facts.frame_ms.count < STATS_SETTLED || facts.host_ms.count < STATS_SETTLED) {
        show(s, &choices[0]);
        facts = facts_of(s, 0);
    }
    show(s, &choices[1]);
    facts = facts_of(s, 0);
    assert_true(facts.frame_ms.count == 0 && facts.host_ms.count <= 1);
}

// After a fault even the CPU may not open again: a picture or a saved kernel then finds no timer.
ON_STAGE(a_pane_without_a_device_refuses_all_and_keeps_nobody_waiting)
{
    const struct choice choice = choice_of("mean", "naive", 1);
    const struct pane_host host = {.display = display};
    struct pane pane, *p = &pane;
    pane_init(p, &host, 0);
    assert_false(pane_set_picture(p, &err));
    assert_string_equal(err.text, "there is no device");
    err.text[0] = '\0';
    assert_false(pane_take_buffer(p, &err));
    assert_string_equal(err.text, "there is no device");
    pane_choose(p, &choice, false);
    assert_int_equal(pane_step(p, 8, &err), PANE_RESTS);
    assert_true(pane_is_settled(p));
    pane_adopt(p);
    pane_finish(p);
}

ON_STAGE(the_drawing_gpu_is_taken)
{
    struct device_choice c;
    assert_true(device_choice_make(&c, is_gpu ? NULL : "cpu", NULL, NULL, &err));
    printf("taken: %s, path %s%s%s\n", backend_device(c.backend)->id, interop_path_name(c.path),
           c.reasons[0] ? ", because " : "", c.reasons);
    if (is_gpu && c.has_interop) {
        char id[16];
        g_snprintf(id, sizeof id, "cuda:%d", interop_drawing_device(&err));
        assert_string_equal(id, backend_device(c.backend)->id);
        assert_int_equal(c.path, INTEROP_MAPPED);
    } else {
        assert_string_not_equal(c.path == INTEROP_CPU ? "cpu" : c.reasons, "");
    }
    backend_close(c.backend);
}

ON_STAGE(a_refused_probe_leaves_no_error_behind)
{
    struct backend *b = backend_open(device, NULL, 0, &err);
    assert_non_null(b);
    // A buffer that is none: registering must fail, and the queue must not hear of it.
    assert_null(interop_create(b, INTEROP_MAPPED, 0xdead, planes_shape(16, 16, 1), NULL, &err));
    assert_true(err.text[0]);
    assert_true(backend_wait(b, &err));
    backend_close(b);
    while (glGetError() != GL_NO_ERROR) {
    }
    struct stage *s = open_on("auto", 67, 45, 1, 3);
    const struct choice choice = choice_of("mean", "naive", 1);
    show(s, &choice);
    expect_layer(s, 0, &choice);
}

// What it is is printed; that it is known is asserted, and on a GPU what is promised.
ON_STAGE(the_cost_of_a_frame_is_known)
{
    for (const char *const *path = paths(); *path; path++) {
        struct stage *s = open_stage(*path);
        const struct choice choice = choice_of("invert", "naive", 0);
        const struct planes shape = set_large_picture(s);
        settle(s, &choice, false);
        for (int i = 0; i < (is_gpu ? 100 : 10); i++) show(s, &choice);
        const struct pane_facts facts = facts_of(s, 0);
        printf("%d×%d colour, %s: map + launch + unmap %.4f ms of CPU, kernel %.4f ms, frame %.2f "
               "ms, copy %.4f ms\n",
               shape.width, shape.height, interop_path_name(facts.path), facts.host_ms.median,
               facts.known.ms.median, facts.frame_ms.median, facts.copy_ms);
        assert_true(facts.host_ms.median > 0 && facts.copy_ms > 0);
        assert_true(facts.known.ms.median > 0 && facts.frame_ms.median > facts.known.ms.median);
        if (is_gpu && facts.path == INTEROP_MAPPED) assert_true(facts.host_ms.median < 0.1);
    }
}

static struct choice unrolled(int radius)
{
    struct choice choice = choice_of("gaussian", "shared", radius);  // the fastest to compile
    choice.settings.is_unrolled = true;
    return choice;
}

ON_STAGE(a_new_radius_never_holds_up_a_frame)
{
    struct stage *s = open_stage("auto");
    double longest = 0;
    set_large_picture(s);
    for (int radius = 0; radius <= (is_gpu ? 64 : 2); radius++) {
        const struct choice choice = unrolled(radius);
        for (int i = 0; i < 10; i++) {
            const double ms = show(s, &choice);
            if (radius) longest = MAX(longest, ms);
        }
    }
    printf("longest turn while the radius changes with unroll on: %.1f ms\n", longest);
    if (is_gpu) assert_true(longest < 50);
}

static bool is_loaded(const struct stage *s, const struct choice *choice)
{
    struct frame frame;
    err.text[0] = '\0';
    const bool is_there = stage_plan(s, choice, &frame, &err);
    assert_string_equal(err.text, "");
    return is_there;
}

// Panes that are frozen ask for no module, and theirs is the oldest.
ON_STAGE(modules_that_were_left_are_unloaded)
{
    enum { MOST_UNROLLED = 2, WALK = 4 };
    struct stage *s = open_stage_with("auto", MOST_UNROLLED);
    const struct choice shown[] = {unrolled(0), unrolled(1)};
    set_picture(s, 67, 45, 1, 6);
    set_panes(s, 2);
    while (!is_loaded(s, &shown[0]) || !is_loaded(s, &shown[1])) step(s, shown, false);
    show_both(s, shown);
    for (int radius = 2; radius < WALK; radius++) {
        const struct choice other = unrolled(radius);
        while (!is_loaded(s, &other)) g_usleep(1000);
        do stage_step(s, shown, true, 8);
        while (is_loaded(s, &other));
    }
    show_both(s, shown);
    for (int i = 0; i < STAGE_PANES; i++) expect_layer(s, i, &shown[i]);
}

// A sweep measures its stops in turns: modules that it has no room for would be loaded in each.
ON_STAGE(unrolled_sweeps_have_room)
{
    const struct stage *const s = open_stage("auto");
    for (int i = 0; i < filters.count; i++) {
        const struct filter *const f = &filters.filters[i];
        for (int k = 0; k < f->param_count && filter_can_unroll(f); k++) {
            int stops[AXIS_MAX_STOPS];
            const int count = axis_stops(&f->params[k], (int)filter_defaults(f).v[k], stops);
            if (axis_can_be(f, k) && count * f->variant_count > s->options.most_unrolled)
                fail_msg("%s: %d modules of %s", f->title, count * f->variant_count,
                         f->params[k].name);
        }
    }
}

static bool find_device(void)
{
    struct device found[8];
    char reasons[1024];
    int count;
    backend_list(found, 8, &count, reasons, sizeof reasons);
    for (int i = 0; i < count; i++) {
        if (!g_str_has_prefix(found[i].id, device)) continue;
        is_gpu = found[i].is_gpu;
        return true;
    }
    return error_set(&err, "no device %s: %s", device, reasons);
}

static bool open_all(void)
{
    const struct window_handler handler = {.key = on_key, .exposed = on_event, .closing = on_event};
    bool has_display;
    if (!find_device()) return false;
    GThread *warm_up = g_thread_new("warm-up", backend_warm_up, NULL);
    window = window_open("test_stage", 160, 120, &handler, &has_display, &err);
    if (window) display = display_create(TILESCOPE_SOURCE_DIR "/shaders", &err);
    g_thread_join(warm_up);
    if (!display) return false;
    window_set_vsync(window, false);
    printf("%s\n", window_renderer(window));
    if (!(reference_host = backend_open("cpu", NULL, 0, &err))) return false;
    backend_set_include(reference_host, TILESCOPE_KERNELS);
    references_open(&references, reference_host, NULL);
    return filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err) && load_gate();
}

int main(int argc, char **argv)
{
    if (argc > 1) device = argv[1];
    if (argc > 2) cmocka_set_test_filter(argv[2]);
    if (!open_all()) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    if (is_gpu) cmocka_set_skip_filter("gate_*");  // its kernel cannot call the test
    const int failed = unit_run("stage", NULL, NULL);
    display_destroy(display);
    window_close(window);
    references_close(&references);
    backend_close(reference_host);
    return failed;
}
