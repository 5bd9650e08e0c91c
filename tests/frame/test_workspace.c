// The memory that frames work in: what it holds, when it grows, and what is brought into it once.
#include "on_device.h"

#include "base/image.h"
#include "device/backend_impl.h"
#include "endless.h"
#include "frame/workspace.h"

enum { WIDTH = 67, HEIGHT = 45 };

// The CPU device, which counts what is brought to it and launched on it.
static struct backend_impl counting;
static const struct backend_impl *cpu;
static int uploads, launches;
static size_t copied;  // bytes

static bool count_upload(struct backend *b, void *to, const void *host, size_t bytes,
                         struct error *why)
{
    uploads++;
    return cpu->upload(b, to, host, bytes, why);
}

static bool count_launch(struct backend *b, const struct launch *l, struct error *why)
{
    launches++;
    return cpu->launch(b, l, why);
}

static bool count_copy(struct backend *b, void *to, const void *from, size_t bytes,
                       struct error *why)
{
    copied += bytes;
    return cpu->copy(b, to, from, bytes, why);
}

struct world {
    struct filter_list filters;
    struct backend *backend;
    struct image picture;
    struct workspace workspace;
    struct frame frame;
};

static int open_world(void **state)
{
    struct world *w = g_new0(struct world, 1);
    *state = w;
    must(filter_list_load(&w->filters, TILESCOPE_KERNELS, NULL, &err));
    w->backend = open_device("cpu");
    cpu = w->backend->impl;
    counting = *cpu;
    counting.upload = count_upload;
    counting.launch = count_launch;
    counting.copy = count_copy;
    w->backend->impl = &counting;
    assert_true(image_init(&w->picture, WIDTH, HEIGHT, 3, NULL));
    image_fill_noise(w->picture.planes, 1);
    return 0;
}

static void forget_frame(struct world *w)
{
    backend_unload(w->backend, (struct module *)w->frame.module);
    w->frame = (struct frame){0};
}

static int close_world(void **state)
{
    g_autofree struct world *w = *state;
    backend_wait(w->backend, NULL);
    forget_frame(w);
    workspace_finish(&w->workspace);
    backend_close(w->backend);
    image_finish(&w->picture);
    filter_list_finish(&w->filters);
    return 0;
}

static void init(struct world *w, int pairs)
{
    must(workspace_init(&w->workspace, w->backend, w->picture.planes, pairs, &err));
}

static void plan_of(struct world *w, const struct filter *f, const char *variant)
{
    forget_frame(w);
    w->frame =
        (struct frame){.backend = w->backend,
                       .choice = {f, filter_variant(f, variant), {.params = filter_defaults(f)}},
                       .module = frame_build(w->backend, f, (struct build){.params = NULL}, &err)};
    must(w->frame.module && frame_plan(&w->frame, w->picture.planes, &err));
}

static void plan(struct world *w, const char *filter, const char *variant)
{
    plan_of(w, filter_find(&w->filters, filter), variant);
}

static void expect(struct world *w, int brought, int launched)
{
    uploads = launches = 0;
    must(workspace_prepare(&w->workspace, &w->frame, &err));
    assert_int_equal(uploads, brought);
    assert_int_equal(launches, launched);
}

// ---- tests ----

#define IN_WORLD(name) TEST_OF(struct world *w, name, open_world, close_world)

IN_WORLD(every_source_holds_the_picture)
{
    OWNED(image_finish) struct image back = {0};
    init(w, 5);
    assert_true(image_init(&back, WIDTH, HEIGHT, 3, NULL));
    for (int pair = 0; pair < 5; pair++) {
        const struct frame_memory m = workspace_memory(&w->workspace, &w->workspace.layout, pair);
        const struct planes source = planes_at(w->picture.planes, m.arrays);
        assert_true(m.arrays && !m.own && !m.shared && !m.target.pixels);
        image_fill_noise(back.planes, 2);
        assert_true(backend_download(w->backend, back.planes, source, NULL));
        assert_int_equal(image_compare(back.planes, w->picture.planes).count, 0);
    }
}

// What a kernel is compared with moves what a picture has, and not what lies between its rows.
IN_WORLD(a_copy_moves_the_pixels_alone)
{
    init(w, 1);
    w->frame = (struct frame){.backend = w->backend,
                              .choice = {.filter = filter_find(&w->filters, "mean")}};
    must(frame_plan(&w->frame, w->picture.planes, &err));
    const struct frame_memory memory = workspace_of(&w->workspace, &w->frame);
    copied = 0;
    must(frame_run(&w->frame, &memory, &err));
    assert_in_range(copied, WIDTH * HEIGHT * 3, WIDTH * HEIGHT * 3 + 127);
}

IN_WORLD(memory_grows_and_stays)
{
    init(w, 2);
    plan(w, "mean", "naive");
    expect(w, 0, 0);
    assert_null(w->workspace.shared.memory);
    plan(w, "mean", "separable");
    expect(w, 0, 0);
    const void *scratch = w->workspace.shared.memory;
    const struct arrays_layout separable = w->frame.arrays;
    assert_non_null(scratch);
    assert_int_equal(separable.places[ARRAYS_SCRATCH].bytes, 4 * WIDTH * HEIGHT * 3);
    assert_int_equal(w->workspace.shared.bytes, separable.shared_bytes);
    plan(w, "mean", "naive");
    expect(w, 0, 0);
    assert_ptr_equal(w->workspace.shared.memory, scratch);
    struct arrays_layout needs = w->frame.arrays;
    needs.own_bytes = 1;
    workspace_add_needs(&needs, &separable);
    const size_t pairs = 2 * 2 * planes_bytes(w->picture.planes);
    assert_int_equal(workspace_bytes(&needs, 2), pairs + 2 + separable.shared_bytes);
    assert_int_equal(workspace_held(&w->workspace), pairs + separable.shared_bytes);
}

IN_WORLD(an_own_source_is_made_once)
{
    OWNED(image_finish) struct image first = {0}, last = {0};
    init(w, 3);
    plan(w, "flip", "words_rgb24");
    expect(w, 0, 1);
    expect(w, 0, 0);
    plan(w, "flip", "shared_rgb24");
    expect(w, 0, 0);
    w->frame.choice.settings.params.v[0] = 1;  // the kernel might read it
    expect(w, 0, 1);
    workspace_forget(&w->workspace);
    expect(w, 0, 1);
    assert_true(image_init(&first, WIDTH, HEIGHT, 3, NULL));
    assert_true(image_init(&last, WIDTH, HEIGHT, 3, NULL));
    const struct planes source = w->workspace.picture;
    void *const one = workspace_memory(&w->workspace, &w->workspace.layout, 0).own;
    void *const three = workspace_memory(&w->workspace, &w->workspace.layout, 2).own;
    assert_true(backend_wait(w->backend, NULL));
    assert_true(backend_download(w->backend, first.planes, planes_at(source, one), NULL));
    assert_true(backend_download(w->backend, last.planes, planes_at(source, three), NULL));
    const size_t packed = (size_t)(3 * WIDTH + 3) / 4 * 4 * HEIGHT;
    assert_memory_equal(first.planes.pixels, last.planes.pixels, packed);
    for (int plane = 0; plane < 3; plane++)
        assert_int_equal(last.planes.pixels[plane], planes_row(w->picture.planes, plane, 0)[0]);
}

static const char endless[] = "//! filter \"Endless\"\n"
                              "#include \"kernel.h\"\n"
                              "//! untimed 32x8\n"
                              "__global__ void stay(plane out)\n"
                              "{\n    *(volatile unsigned char *)out.pixels = 77;\n"
                              "    for (volatile int i = 0;; i++) continue;\n}\n"
                              "//! untimed 32x8\n"
                              "__global__ void back() {}\n"
                              "//! variant naive 32x8 prepare=stay finish=back\n"
                              "__global__ void endless_naive() {}\n";

IN_WORLD(what_was_stopped_is_brought_again)
{
    OWNED(filter_finish) struct filter stuck;
    endless_skip();
    init(w, 1);
    must(filter_parse(&stuck, "endless.cu", endless, NULL, &err));
    plan_of(w, &stuck, "naive");
    for (int i = 0; i < 2; i++) {
        expect(w, 0, 1);
        const volatile unsigned char *const begun =
            workspace_memory(&w->workspace, &w->workspace.layout, 0).own;
        while (*begun != 77) g_usleep(1000);
        backend_cancel(w->backend);
        assert_true(backend_wait(w->backend, NULL));
        assert_true(backend_fill(w->backend, w->workspace.own.memory, 0, 1, NULL));
        assert_true(backend_wait(w->backend, NULL));
    }
    forget_frame(w);
}

// Stands in the queue's way until everything in it is cancelled.
static void cancel_what_is_prepared(struct world *w, int launched)
{
    OWNED(workspace_finish) struct workspace other = {0};
    struct frame frame = w->frame;
    OWNED(filter_finish) struct filter stuck;
    assert_true(filter_parse(&stuck, "endless.cu", endless, NULL, &err));
    assert_true(workspace_init(&other, w->backend, w->picture.planes, 1, &err));
    w->frame = (struct frame){0};
    plan_of(w, &stuck, "naive");
    assert_true(workspace_prepare(&other, &w->frame, &err));
    const struct frame first = w->frame;
    w->frame = frame;
    expect(w, 0, launched);
    backend_cancel(w->backend);
    assert_true(backend_wait(w->backend, &err));
    backend_unload(w->backend, (struct module *)first.module);
}

IN_WORLD(what_was_dropped_is_brought_again)
{
    endless_skip();
    init(w, 1);
    plan(w, "flip", "words_rgb24");
    cancel_what_is_prepared(w, 1);
    expect(w, 0, 1);
    expect(w, 0, 0);
    cancel_what_is_prepared(w, 0);
    expect(w, 0, 0);  // nothing of it was in the queue
    plan(w, "matvec", "columns");
    cancel_what_is_prepared(w, 3);
    expect(w, 0, 3);
    expect(w, 0, 0);
}

// A variant that prepares nothing may write to the scratch arrays that another has prepared.
IN_WORLD(scratch_is_prepared_again_after_others)
{
    enum { PREPARED = 1, FILLED = 2 };  // one array, and two in arrays
    init(w, 2);
    plan(w, "matvec", "columns");
    copied = 0;
    expect(w, 0, FILLED + PREPARED);
    assert_int_equal(copied, w->frame.arrays.bytes);  // into the second pair
    expect(w, 0, 0);
    plan(w, "matvec", "naive");
    expect(w, 0, 0);
    plan(w, "matvec", "columns");
    expect(w, 0, PREPARED);
    plan(w, "matvec", "shared");
    expect(w, 0, PREPARED);
}

IN_WORLD(weights_are_brought_when_they_change)
{
    init(w, 1);
    plan(w, "gaussian", "naive");
    enum { BOTH = 2 };  // into memory and into the module
    expect(w, BOTH, 0);
    expect(w, 0, 0);
    w->frame.choice.settings.params.v[1] = 2;
    expect(w, BOTH, 0);
    expect(w, 0, 0);
    workspace_forget_weights(&w->workspace);
    expect(w, BOTH, 0);
    plan(w, "gaussian", "naive");
    w->frame.choice.settings.params.v[1] = 3;
    expect(w, BOTH, 0);
}

IN_WORLD(too_large_a_picture_leaves_nothing)
{
    OWNED(workspace_finish) struct workspace refused = {0};
    struct planes large = w->picture.planes;
    large.plane_bytes = (size_t)1 << 40;  // in all, more than any process has addresses
    err.text[0] = '\0';
    assert_false(workspace_init(&refused, w->backend, large, 1 << 20, &err));
    assert_true(err.text[0] && !refused.backend);
    init(w, 1);
    err.text[0] = '\0';
    struct arrays_layout needs = w->workspace.layout;
    needs.shared_bytes = 8;
    needs.own_bytes = (size_t)1 << 60;
    assert_false(workspace_reserve(&w->workspace, &needs, &err));
    assert_true(err.text[0]);
    assert_int_equal(w->workspace.own.bytes, 0);
    plan(w, "mean", "separable");
    expect(w, 0, 0);
}
