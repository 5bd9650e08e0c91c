// test_traces -- the record of traces: what is traced first, what stays, what goes, and what
// hostile kernels do to it.
#include "on_device.h"

#include <time.h>

#include "base/image.h"
#include "device/headers.h"
#include "endless.h"
#include "folder.h"
#include "lens/traces.h"

static const char kernels[] =
    "//! filter \"Planted\"\n"
    "#include \"kernel.h\"\n"
    "#ifndef STRIDE\n"
    "#define STRIDE 1\n"
    "#endif\n"
    "#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)\n"
    "#define IS_INSIDE (X < out.width && Y < out.height)\n"
    "//! variant naive 32x8\n"
    "__global__ void planted_naive(plane out, plane in)\n"
    "{ if (IS_INSIDE) out.pixels[Y * out.pitch + X] = load(in, X, Y); }\n"
    "//! variant bright 32x8\n"
    "__global__ void planted_bright(plane out, plane in)\n"
    "{ if (IS_INSIDE && load(in, X, Y)) out.pixels[Y * out.pitch + X] = 1; }\n"
    "//! untimed 1x1\n"
    "__global__ void stay() { for (volatile int go = 1; go;) continue; }\n"
    "//! untimed 1x1\n"
    "__global__ void leave() {}\n"
    "//! variant waiting 32x8 prepare=stay finish=leave\n"
    "__global__ void planted_waiting(plane out)\n"
    "{ if (IS_INSIDE) out.pixels[Y * out.pitch + X] = 1; }\n"
    "//! variant endless 32x8\n"
    "__global__ void planted_endless(plane out, plane in)\n"
    "{ for (;;) out.pixels[0] = load(in, X, Y); }\n"
    "//! variant parted 32x8\n"
    "__global__ void planted_parted()\n"
    "{\n"
    "    if (X < 5) __syncthreads();\n"
    "    __syncthreads();\n"
    "}\n"
    "//! variant strided 32x8\n"
    "__global__ void planted_strided(plane out, plane in)\n"
    "{ if (IS_INSIDE) out.pixels[Y * out.pitch + X] = load(in, X * STRIDE, Y); }\n"
    "//! variant faulty 32x8\n"
    "__global__ void planted_faulty(plane out)\n"
    "{ *(volatile int *)(out.pixels + (1ull << 44)) = X; }\n";

struct bench {
    struct traces *traces;
    struct filter filter;
    struct image picture;
    struct traces_scene scene;
};

static int set_up(void **state)
{
    struct bench *b = g_new0(struct bench, 1);
    must(filter_parse(&b->filter, "planted.cu", kernels, NULL, &err));
    assert_true(image_init(&b->picture, 70, 50, 1, &err));
    image_fill_noise(b->picture.planes, 1);
    b->scene = (struct traces_scene){b->picture.planes, 1, 1};
    b->traces = traces_create(TILESCOPE_KERNELS, false);
    alarm(300);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    g_autofree struct bench *b = *state;
    alarm(0);
    traces_destroy(b->traces);
    filter_finish(&b->filter);
    image_finish(&b->picture);
    return 0;
}

static struct tracing_request block_of(const struct bench *b, const char *variant, int x)
{
    const struct tracing_request r = {
        .picture_version = b->scene.picture_version,
        .filters_version = b->scene.filters_version,
        .x = x,
        .choice = {.filter = &b->filter, .variant = filter_variant(&b->filter, variant)}};
    assert_non_null(r.choice.variant);
    return r;
}

static enum traces_state state_of(const struct bench *b, const struct tracing_request *r,
                                  enum traces_use use)
{
    return traces_get(b->traces, r, use).state;
}

static bool is_running(const struct bench *b, const struct tracing_request *r, enum traces_use use)
{
    const enum traces_state state = state_of(b, r, use);
    return state == TRACES_BUILDING || state == TRACES_TRACING;
}

static struct traces_found poll(struct bench *b, const struct tracing_request *r,
                                enum traces_use use)
{
    traces_want(b->traces, r, use);
    traces_poll(b->traces, &b->scene);
    return traces_get(b->traces, r, use);
}

// Wants it until it is there, or has failed.
static struct traces_found wait_for(struct bench *b, const struct tracing_request *r,
                                    enum traces_use use)
{
    for (;; g_usleep(1000)) {
        const struct traces_found found = poll(b, r, use);
        if (found.why || found.result) return found;
    }
}

// Wants a request again and again, and before it others that it does not wait for.
struct wanted {
    const struct tracing_request *request;
    enum traces_use use;
};

static void wait_among(struct bench *b, const struct wanted *all, size_t count)
{
    const struct wanted *const last = &all[count - 1];
    for (; state_of(b, last->request, last->use) != TRACES_DONE; g_usleep(1000)) {
        for (size_t i = 0; i < count; i++) traces_want(b->traces, all[i].request, all[i].use);
        traces_poll(b->traces, &b->scene);
    }
}

// Polls until a request that nobody wants is in that state.
static void poll_until(struct bench *b, const struct tracing_request *r, enum traces_use use,
                       enum traces_state state)
{
    for (; state_of(b, r, use) != state; g_usleep(1000)) traces_poll(b->traces, &b->scene);
}

static const struct lens_result *trace(struct bench *b, const struct tracing_request *r,
                                       enum traces_use use)
{
    const struct traces_found found = wait_for(b, r, use);
    if (found.why) fail_msg("%s", found.why);
    return found.result;
}

#define WITH_RECORD(name) TEST_OF(struct bench *b, name, set_up, tear_down)

WITH_RECORD(what_was_traced_is_found)
{
    const struct tracing_request left = block_of(b, "naive", 0), right = block_of(b, "naive", 40);
    assert_int_equal(state_of(b, &left, TRACES_STEPS), TRACES_UNKNOWN);
    assert_false(traces_poll(b->traces, &b->scene));
    assert_false(traces_are_busy(b->traces));
    traces_want(b->traces, &left, TRACES_STEPS);
    assert_int_equal(state_of(b, &left, TRACES_STEPS), TRACES_WAITING);
    traces_poll(b->traces, &b->scene);
    assert_true(traces_are_busy(b->traces));
    assert_int_equal(trace(b, &left, TRACES_STEPS)->passes[0].block_x, 0);
    wait_among(b, (struct wanted[]){{&left, TRACES_STEPS}, {&right, TRACES_STEPS}}, 2);
    assert_false(traces_are_busy(b->traces));
    const struct lens_result *r = traces_get(b->traces, &left, TRACES_STEPS).result;
    assert_true(r && r->passes[0].block_x == 0 && r->passes[0].step_count > 0);
    r = traces_get(b->traces, &right, TRACES_STEPS).result;
    assert_true(r && r->passes[0].block_x == 1 && r->passes[0].step_count > 0);
}

WITH_RECORD(a_block_and_a_launch_are_traced_at_the_same_time)
{
    const struct tracing_request block = block_of(b, "naive", 0);
    struct tracing_request whole = block_of(b, "waiting", 0);
    endless_skip();
    whole.is_whole = true;
    traces_want(b->traces, &whole, TRACES_FIGURE);
    traces_poll(b->traces, &b->scene);
    assert_true(is_running(b, &whole, TRACES_FIGURE));
    trace(b, &block, TRACES_STEPS);
    assert_true(is_running(b, &whole, TRACES_FIGURE));
    assert_int_equal(state_of(b, &block, TRACES_COUNTS), TRACES_DONE);
}

// What runs before the one that waits never ends by itself: only after a minute of processor time.
// The first waits for a compiler whose object serves the second, and then it must not run.
WITH_RECORD(what_is_wanted_more_comes_first)
{
    const clock_t begin = clock();
    const struct tracing_request waiting = block_of(b, "waiting", 0),
                                 naive = block_of(b, "naive", 0), other = block_of(b, "naive", 40);
    endless_skip();
    traces_want(b->traces, &waiting, TRACES_COUNTS);
    traces_poll(b->traces, &b->scene);
    assert_true(is_running(b, &waiting, TRACES_COUNTS));
    traces_want(b->traces, &waiting, TRACES_COUNTS);
    traces_want(b->traces, &other, TRACES_COUNTS);
    traces_poll(b->traces, &b->scene);
    assert_int_equal(state_of(b, &other, TRACES_COUNTS), TRACES_WAITING);
    wait_among(b,
               (struct wanted[]){{&waiting, TRACES_COUNTS},
                                 {&other, TRACES_COUNTS},  // or it is forgotten in two seconds
                                 {&naive, TRACES_STEPS}},
               3);
    assert_int_equal(state_of(b, &other, TRACES_COUNTS), TRACES_WAITING);
    trace(b, &other, TRACES_COUNTS);  // nobody wants the one that waits any more
    assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
}

WITH_RECORD(what_nobody_wants_is_cancelled)
{
    const struct tracing_request waiting = block_of(b, "waiting", 0);
    endless_skip();
    traces_want(b->traces, &waiting, TRACES_STEPS);
    traces_poll(b->traces, &b->scene);
    assert_true(traces_are_busy(b->traces));
    traces_poll(b->traces, &b->scene);
    assert_false(traces_are_busy(b->traces));
}

WITH_RECORD(a_figure_is_wanted_once)
{
    const struct tracing_request one = block_of(b, "naive", 0), other = block_of(b, "bright", 0);
    traces_want(b->traces, &one, TRACES_FIGURE);
    traces_want(b->traces, &other, TRACES_FIGURE);
    poll_until(b, &one, TRACES_FIGURE, TRACES_DONE);
    poll_until(b, &other, TRACES_FIGURE, TRACES_DONE);
    const struct lens_result *r = traces_get(b->traces, &one, TRACES_FIGURE).result;
    assert_int_equal(r->passes[0].step_count, 0);
    assert_int_equal(state_of(b, &one, TRACES_STEPS), TRACES_WAITING);
    assert_true(trace(b, &one, TRACES_STEPS)->passes[0].step_count > 0);
}

// Figures stay, and so do blocks for somebody who comes back soon.
WITH_RECORD(what_nobody_wants_goes)
{
    const struct tracing_request block = block_of(b, "naive", 0), figure = block_of(b, "bright", 0);
    trace(b, &figure, TRACES_FIGURE);
    trace(b, &block, TRACES_STEPS);
    traces_poll(b->traces, &b->scene);
    assert_int_equal(state_of(b, &block, TRACES_STEPS), TRACES_DONE);
    poll_until(b, &block, TRACES_STEPS, TRACES_UNKNOWN);
    assert_int_equal(state_of(b, &figure, TRACES_FIGURE), TRACES_DONE);
    trace(b, &block, TRACES_STEPS);  // the device is opened anew

    b->scene.picture_version++;
    poll_until(b, &figure, TRACES_FIGURE, TRACES_UNKNOWN);
}

WITH_RECORD(few_blocks_keep_their_steps)
{
    enum { COUNT = 5 };
    struct tracing_request shown = block_of(b, "naive", 0), blocks[COUNT];
    trace(b, &shown, TRACES_STEPS);
    for (int i = 0; i < COUNT; i++) {
        int have = 0;
        blocks[i] = block_of(b, "bright", 0);
        blocks[i].y = 8 * i;
        wait_among(b, (struct wanted[]){{&shown, TRACES_STEPS}, {&blocks[i], TRACES_STEPS}}, 2);
        for (int k = 0; k <= i; k++) have += state_of(b, &blocks[k], TRACES_STEPS) == TRACES_DONE;
        assert_in_range(have, 1, SHARE_MAX_BLOCKS);
        assert_int_equal(state_of(b, &shown, TRACES_STEPS), TRACES_DONE);
    }
}

// They are counted in another trace, and go once nobody wants them.
WITH_RECORD(a_launch_keeps_its_sectors_while_they_are_wanted)
{
    struct tracing_request whole = block_of(b, "naive", 0);
    whole.is_whole = true;
    assert_null(trace(b, &whole, TRACES_COUNTS)->sharing);
    assert_int_equal(state_of(b, &whole, TRACES_STEPS), TRACES_WAITING);
    assert_non_null(trace(b, &whole, TRACES_STEPS)->sharing);
    assert_int_equal(state_of(b, &whole, TRACES_COUNTS), TRACES_DONE);
    poll(b, &whole, TRACES_COUNTS);
    assert_null(poll(b, &whole, TRACES_COUNTS).result->sharing);
    assert_int_equal(state_of(b, &whole, TRACES_STEPS), TRACES_WAITING);
}

static unsigned long long count_stores(struct bench *b, int x)
{
    const struct tracing_request r = block_of(b, "bright", x);
    return trace(b, &r, TRACES_COUNTS)->passes[0].counts[TRACE_GLOBAL][TRACE_STORE].requests;
}

WITH_RECORD(a_picture_is_copied)
{
    const struct tracing_request old = block_of(b, "naive", 40);
    assert_true(count_stores(b, 0) > 0);
    for (int y = 0; y < 50; y++) memset(planes_row(b->picture.planes, 0, y), 0, 70);
    assert_true(count_stores(b, 40) > 0);
    b->scene.picture_version++;
    traces_want(b->traces, &old, TRACES_STEPS);
    traces_poll(b->traces, &b->scene);
    assert_int_equal(state_of(b, &old, TRACES_STEPS), TRACES_WAITING);
    assert_false(traces_are_busy(b->traces));  // it is of a picture that is gone
    assert_int_equal(count_stores(b, 0), 0);
}

WITH_RECORD(a_failure_is_said_and_stays)
{
    static const struct {
        const char *variant, *start, *part;
        bool is_whole;
    } failures[] = {
        {"endless", "planted.cu: planted_endless: block (", ") is too long to be traced: it was "},
        {"parted", "planted.cu: planted_parted: not all threads reach line ", "", true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(failures); i++) {
        struct tracing_request bad = block_of(b, failures[i].variant, 0);
        struct tracing_request naive = block_of(b, "naive", 0);
        bad.is_whole = naive.is_whole = failures[i].is_whole;
        const char *why = wait_for(b, &bad, TRACES_STEPS).why;
        assert_non_null(why);
        if (!g_str_has_prefix(why, failures[i].start) || !strstr(why, failures[i].part))
            fail_msg("%s", why);
        assert_int_equal(poll(b, &bad, TRACES_STEPS).state, TRACES_FAILED);
        assert_false(traces_are_busy(b->traces));
        trace(b, &naive, TRACES_STEPS);
    }
}

WITH_RECORD(faults_are_survived)
{
    const struct tracing_request faulty = block_of(b, "faulty", 0), naive = block_of(b, "naive", 0);
    leave_faults();
    const char *why = wait_for(b, &faulty, TRACES_STEPS).why;
    assert_non_null(why);
    if (!g_str_has_prefix(
            why, "outside: planted.cu:36: thread (0, 0) of block (0, 0) writes address 0x"))
        fail_msg("%s", why);
    trace(b, &naive, TRACES_STEPS);
}

WITH_RECORD(no_compiler_is_one_line)
{
    const struct tracing_request r = block_of(b, "naive", 0);
    char *before = unit_set("CC", "no-such-compiler");
    const char *why = wait_for(b, &r, TRACES_STEPS).why;
    assert_non_null(why);
    assert_string_equal(why, "no C++ compiler found: CC names 'no-such-compiler'");
    unit_restore("CC", before);
}

// ---- devices ----

// Each CPU device has a thread with its queue.
static int count_devices(void)
{
    g_autoptr(GDir) tasks = g_dir_open("/proc/self/task", 0, NULL);
    const char *task;
    int count = 0;
    while ((task = g_dir_read_name(tasks))) {
        g_autofree char *path = g_build_filename("/proc/self/task", task, "comm", NULL),
                        *name = NULL;
        if (g_file_get_contents(path, &name, NULL, NULL)) count += g_str_equal(name, "cpu queue\n");
    }
    return count;
}

// What is cancelled ends soon, and what nobody wants for a while keeps no device.
WITH_RECORD(a_record_at_rest_keeps_no_device)
{
    struct tracing_request naive = block_of(b, "naive", 0), waiting = block_of(b, "waiting", 0);
    trace(b, &naive, TRACES_STEPS);
    assert_int_equal(count_devices(), 1);
    for (; count_devices(); g_usleep(1000)) traces_poll(b->traces, &b->scene);
    trace(b, &naive, TRACES_STEPS);

    endless_skip();
    while (poll(b, &waiting, TRACES_STEPS).state != TRACES_TRACING) g_usleep(1000);
    naive.x = 40;
    trace(b, &naive, TRACES_STEPS);  // in its place
    while (poll(b, &waiting, TRACES_STEPS).state != TRACES_TRACING) g_usleep(1000);
    for (; count_devices(); g_usleep(1000)) traces_poll(b->traces, &b->scene);
    trace(b, &naive, TRACES_STEPS);
}

WITH_RECORD(the_newest_request_is_answered)
{
    struct tracing_request r = block_of(b, "naive", 0);
    for (r.y = 0; r.y < 40; r.y += 8) poll(b, &r, TRACES_COUNTS);
    r.y = 32;
    assert_int_equal(trace(b, &r, TRACES_COUNTS)->passes[0].block_y, 4);
    for (r.y = 0; r.y < 32; r.y += 8)
        assert_int_not_equal(state_of(b, &r, TRACES_COUNTS), TRACES_DONE);
}

// ---- headers that are saved ----

static char *copy_headers(void)
{
    char *folder = folder_make();
    OWNED(headers_finish) struct headers headers;
    must(headers_load(&headers, TILESCOPE_KERNELS, &err));
    for (int i = 0; i < headers.count; i++) {
        g_autofree char *name = g_path_get_basename(headers.list[i].path);
        g_free(folder_file(folder, name, headers.list[i].text));
    }
    return folder;
}

static void save_stride(const char *folder, int stride)
{
    g_autofree char *path = folder_file(folder, "kernel.h", NULL), *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_autofree char *longer = g_strdup_printf("#define STRIDE %d\n%s", stride, text);
    g_free(folder_file(folder, "kernel.h", longer));
}

static double trace_sectors(struct bench *b)
{
    b->scene.picture_version++;
    const struct tracing_request r = block_of(b, "strided", 0);
    const struct lens_result *found = trace(b, &r, TRACES_COUNTS);
    return (double)found->passes[0].counts[TRACE_GLOBAL][TRACE_LOAD].sectors;
}

// The filter's own text stays the same.
WITH_RECORD(a_saved_header_is_compiled_anew)
{
    char *folder = copy_headers();
    traces_destroy(b->traces);
    b->traces = traces_create(folder, false);
    const double before = trace_sectors(b);
    save_stride(folder, 8);
    assert_true(trace_sectors(b) == before);  // nobody has read it yet
    b->scene.filters_version++;
    assert_true(trace_sectors(b) > before);
    folder_end(folder);
}
