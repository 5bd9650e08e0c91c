// test_tracer -- the lens beside the picture: newer requests, hostile kernels, results that stay.
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/image.h"
#include "device/headers.h"
#include "endless.h"
#include "lens/tracer.h"
#include "folder.h"

static const char kernels[] =
    "//! filter \"Planted\"\n"
    "#include \"kernel.h\"\n"
    "NO_PARAMS;\n"
    "#ifndef STRIDE\n"
    "#define STRIDE 1\n"
    "#endif\n"
    "#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)\n"
    "#define IS_INSIDE (X < out.width && Y < out.height)\n"
    "//! variant naive 32x8\n"
    "KERNEL(planted_naive) { if (IS_INSIDE) out.pixels[Y * out.pitch + X] = load(in, X, Y); }\n"
    "//! variant strided 32x8\n"
    "KERNEL(planted_strided) { if (IS_INSIDE) out.pixels[Y * out.pitch + X] = load(in, X * STRIDE, "
    "Y); }\n"
    "//! variant endless 32x8\n"
    "KERNEL(planted_endless) { for (;;) out.pixels[0] = load(in, X, Y); }\n"
    "//! variant second 32x8\n"
    "KERNEL(planted_first) { for (volatile int go = 1; go;) ; }\n"
    "//! variant second 32x8\n"
    "KERNEL(planted_second) { if (IS_INSIDE) out.pixels[Y * out.pitch + X] = 1; }\n"
    "//! variant faulty 32x8\n"
    "KERNEL(planted_faulty) { *(volatile int *)(out.pixels + (1ull << 44)) = X; }\n";

struct bench {
    struct tracer *tracer;
    struct filter filter;
    unsigned filters_version, picture_version;
    struct image picture;
};

static int set_up(void **state)
{
    struct bench *b = g_new0(struct bench, 1);
    struct error err = {""};
    if (!filter_parse(&b->filter, "planted.cu", kernels, &err)) fail_msg("%s", err.text);
    assert_true(image_init(&b->picture, 70, 50, 1, &err));
    image_fill_noise(b->picture.planes, 1);
    b->tracer = tracer_create(TILESCOPE_KERNELS, SHARE_BLOCKS);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    tracer_destroy(b->tracer);
    filter_finish(&b->filter);
    image_finish(&b->picture);
    g_free(b);
    return 0;
}

static unsigned int ask(struct bench *b, const char *variant, bool is_whole)
{
    const struct tracing_request r = {
        .picture = b->picture.planes,
        .filters_version = b->filters_version,
        .picture_version = ++b->picture_version,
        .is_whole = is_whole,
        .choice = {.filter = &b->filter, .variant = filter_variant(&b->filter, variant)}};
    assert_non_null(r.choice.variant);
    return tracer_ask(b->tracer, &r);
}

static enum tracer_state wait_for(const struct bench *b, struct tracer_progress *progress)
{
    enum tracer_state state;
    while ((state = tracer_poll(b->tracer, progress)) == TRACER_BUILDING || state == TRACER_TRACING)
        g_usleep(1000);
    return state;
}

static struct lens_result *take_result(const struct bench *b, unsigned int number)
{
    struct tracer_progress progress;
    if (wait_for(b, &progress) != TRACER_DONE) fail_msg("%s", progress.why.text);
    struct lens_result *result = tracer_take(b->tracer);
    assert_non_null(result);
    assert_int_equal(result->number, number);
    assert_null(tracer_take(b->tracer));
    return result;
}

static void expect_result(const struct bench *b, unsigned int number)
{
    lens_result_free(take_result(b, number));
}

static void the_newest_request_is_answered(void **state)
{
    struct bench *b = *state;
    struct tracer_progress progress;
    assert_int_equal(tracer_poll(b->tracer, &progress), TRACER_IDLE);
    unsigned int number = 0;
    for (int i = 0; i < 5; i++) number = ask(b, "naive", i % 2);
    assert_int_equal(number, 5);
    expect_result(b, 5);
}

static void a_request_can_be_cancelled(void **state)
{
    struct bench *b = *state;
    struct tracer_progress progress;
    endless_skip();
    ask(b, "second", true);  // its first pass never ends
    while (tracer_poll(b->tracer, &progress) != TRACER_TRACING) g_usleep(1000);
    tracer_drain(b->tracer);
    assert_int_equal(tracer_poll(b->tracer, &progress), TRACER_IDLE);
    ask(b, "second", false);
    while (tracer_poll(b->tracer, &progress) != TRACER_TRACING) g_usleep(1000);
    expect_result(b, ask(b, "naive", true));
}

// Each CPU device has a thread with its queue.
static int count_devices(void)
{
    GDir *tasks = g_dir_open("/proc/self/task", 0, NULL);
    const char *task;
    int count = 0;
    while ((task = g_dir_read_name(tasks))) {
        char *path = g_build_filename("/proc/self/task", task, "comm", NULL), *name = NULL;
        if (g_file_get_contents(path, &name, NULL, NULL)) count += g_str_equal(name, "cpu queue\n");
        g_free(path);
        g_free(name);
    }
    g_dir_close(tasks);
    return count;
}

static void expect_no_device(void)
{
    alarm(300);
    while (count_devices()) g_usleep(1000);
    alarm(0);
}

static void a_tracer_at_rest_keeps_no_device(void **state)
{
    struct bench *b = *state;
    struct tracer_progress progress;
    tracer_rest(b->tracer);  // of nothing
    ask(b, "naive", false);
    assert_int_equal(wait_for(b, &progress), TRACER_DONE);
    assert_int_equal(count_devices(), 1);
    tracer_rest(b->tracer);
    tracer_rest(b->tracer);
    assert_null(tracer_take(b->tracer));
    expect_no_device();
    expect_result(b, ask(b, "naive", false));

    endless_skip();
    ask(b, "second", true);  // its first pass never ends
    while (tracer_poll(b->tracer, &progress) != TRACER_TRACING) g_usleep(1000);
    tracer_rest(b->tracer);
    assert_int_equal(tracer_poll(b->tracer, &progress), TRACER_IDLE);
    expect_no_device();
    tracer_rest(b->tracer);
    expect_result(b, ask(b, "naive", true));
}

static void endless_kernels_are_given_up(void **state)
{
    struct bench *b = *state;
    struct tracer_progress progress;
    for (int is_whole = 0; is_whole < 2; is_whole++) {
        ask(b, "endless", is_whole);
        assert_int_equal(wait_for(b, &progress), TRACER_FAILED);
        if (!g_str_has_prefix(progress.why.text, "planted.cu: planted_endless: block (") ||
            !strstr(progress.why.text, ") is too long to be traced: it was stopped after "))
            fail_msg("%s", progress.why.text);
        expect_result(b, ask(b, "naive", is_whole));
    }
}

// ---- headers that are saved ----

static char *copy_headers(void)
{
    char *folder = g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
    struct headers headers;
    struct error err = {""};
    if (!headers_load(&headers, TILESCOPE_KERNELS, &err)) fail_msg("%s", err.text);
    for (int i = 0; i < headers.count; i++) {
        char *name = g_path_get_basename(headers.list[i].path);
        char *path = g_build_filename(folder, name, NULL);
        assert_true(g_file_set_contents(path, headers.list[i].text, -1, NULL));
        g_free(path);
        g_free(name);
    }
    headers_finish(&headers);
    return folder;
}

static void save_stride(const char *folder, int stride)
{
    char *path = g_build_filename(folder, "kernel.h", NULL), *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    char *longer = g_strdup_printf("#define STRIDE %d\n%s", stride, text);
    assert_true(g_file_set_contents(path, longer, -1, NULL));
    g_free(longer);
    g_free(text);
    g_free(path);
}

static double trace_sectors(struct bench *b)
{
    struct lens_result *r = take_result(b, ask(b, "strided", false));
    const double sectors = (double)r->passes[0].counts[TRACE_GLOBAL][TRACE_LOAD].sectors;
    lens_result_free(r);
    return sectors;
}

// The filter's own text stays the same.
static void a_saved_header_is_compiled_anew(void **state)
{
    struct bench *b = *state;
    char *folder = copy_headers();
    tracer_destroy(b->tracer);
    b->tracer = tracer_create(folder, SHARE_BLOCKS);
    const double before = trace_sectors(b);
    save_stride(folder, 8);
    assert_true(trace_sectors(b) == before);  // nobody has read it yet
    b->filters_version++;
    assert_true(trace_sectors(b) > before);
    folder_remove(folder);
    g_free(folder);
}

static bool has_sanitizer;  // which listens from the beginning

static void faults_are_survived(void **state)
{
    struct bench *b = *state;
    struct tracer_progress progress;
    if (has_sanitizer) {
        print_message("skipped: a sanitizer reports faults itself\n");
        skip();
    }
    static const int numbers[] = {SIGSEGV, SIGBUS};  // cmocka listens while a test runs
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) signal(numbers[i], SIG_DFL);
    ask(b, "faulty", false);
    assert_int_equal(wait_for(b, &progress), TRACER_FAILED);
    if (!g_str_has_prefix(
            progress.why.text,
            "outside: planted.cu:21: thread (0, 0) of block (0, 0) writes address 0x"))
        fail_msg("%s", progress.why.text);
    expect_result(b, ask(b, "naive", false));
}

static void no_compiler_is_one_line(void **state)
{
    struct bench *b = *state;
    struct tracer_progress progress;
    char *before = g_strdup(g_getenv("CC"));
    g_setenv("CC", "no-such-compiler", TRUE);
    ask(b, "naive", false);
    assert_int_equal(wait_for(b, &progress), TRACER_FAILED);
    assert_string_equal(progress.why.text, "no C compiler found: CC names 'no-such-compiler'");
    if (before)
        g_setenv("CC", before, TRUE);
    else
        g_unsetenv("CC");
    g_free(before);
}

int main(void)
{
    struct sigaction action;
    has_sanitizer = sigaction(SIGSEGV, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_request_is_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_saved_header_is_compiled_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_request_can_be_cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tracer_at_rest_keeps_no_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(endless_kernels_are_given_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_are_survived, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_compiler_is_one_line, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
