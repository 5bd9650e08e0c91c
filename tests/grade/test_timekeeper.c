// test_timekeeper -- a time counts only if the result at that size is right, and a kernel that does
// not end there ends with its process. The CPU takes the place of a GPU, at its own sizes.
#include "desk.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/signals.h"
#include "grade/timekeeper.h"

#define KERNEL(arguments)                                             \
    "//! variant mine 32x8\n__global__ void mine(" arguments ")\n{\n" \
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"      \
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
#define TRANSPOSE KERNEL("float *b, const float *a, float *t, int rows, int columns")
#define INVERT    KERNEL("plane out, plane in")

// ---- in this process ----

static enum stopwatch_outcome measure_here(struct desk *d, const char *name,
                                           struct tolerance tolerance, const char *text,
                                           struct error *why)
{
    enum { SIZE = 96 };
    double ratio = 0;
    struct submission *s = desk_open(d, name, text);
    struct filter given = *filter_find(&d->list, name);  // borrows what that owns
    given.tolerance = tolerance;
    for (int i = 0; i < s->filter.param_count; i++) s->filter.params[i].value = SIZE;
    const struct stopwatch watch = {.backend = backend_open("cpu", NULL, 0, why),
                                    .given = &given,
                                    .submitted = &s->filter,
                                    .variant = &s->filter.variants[0]};
    g_autofree char *include = submission_include(s->folder);
    backend_set_include(watch.backend, include);
    const enum stopwatch_outcome outcome = stopwatch_measure(&watch, &ratio, why);
    assert_true(outcome != STOPWATCH_TIMED || ratio > 0);
    backend_close(watch.backend);
    return outcome;
}

// A transpose of a square of 96 that runs some code first, and writes what is asked for at row 1,
// column 95.
static enum stopwatch_outcome measure_with(struct desk *d, const char *first, const char *value,
                                           struct tolerance tolerance, struct error *why)
{
    char *text = g_strdup_printf("#include \"lab.h\"\nstatic __device__ int launches;\n" TRANSPOSE
                                 "    if (x >= rows || y >= columns) return;\n    %s\n"
                                 "    const float right = a[x * columns + y];\n"
                                 "    b[y * rows + x] = x == 95 && y == 1 ? %s : right;\n}\n",
                                 first, value);
    const enum stopwatch_outcome outcome = measure_here(d, "transpose", tolerance, text, why);
    g_free(text);
    return outcome;
}

TEST(a_result_must_be_right_in_each_launch)
{
    static const char wrong[] = "at the size that is timed b is wrong: at row ";
    static const struct {
        const char *first, *value, *why;  // why: it begins so; NULL: it is timed
    } rows[] = {
        {"", "right", NULL},
        {"", "7.5f", "at the size that is timed b is wrong: at row 1, column 95 it is 7.5"},
        {"if (launches > 3) return;\n    if (x == 95 && y == 95) atomicAdd(&launches, 1);", "right",
         wrong},
        // It does its work only where an earlier launch has counted in the scratch array.
        {"if (t[0] < rows * columns) { atomicAdd(&t[0], 1.0f); return; }", "right", wrong},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct error why = {""};
        const enum stopwatch_outcome outcome =
            measure_with(*state, rows[i].first, rows[i].value, (struct tolerance){0}, &why);
        assert_int_equal(outcome, rows[i].why ? STOPWATCH_REFUSED : STOPWATCH_TIMED);
        if (rows[i].why && !g_str_has_prefix(why.text, rows[i].why)) fail_msg("%s", why.text);
        if (i == 1) assert_non_null(strstr(why.text, "(1 of 9216 elements are wrong)"));
    }
}

// What is compared with may itself be off by the tolerance, to the other side.
TEST(two_results_may_be_twice_as_far_apart)
{
    const struct tolerance half = {TOLERANCE_ABSOLUTE, 0.5};
    struct error why = {""};
    assert_int_equal(measure_with(*state, "", "right + 1", half, &why), STOPWATCH_TIMED);
    assert_int_equal(measure_with(*state, "", "right + 1.25f", half, &why), STOPWATCH_REFUSED);
    if (!strstr(why.text, "(1 of 9216 elements are wrong)")) fail_msg("%s", why.text);
}

static enum stopwatch_outcome invert(struct desk *d, int width, struct error *why)
{
    g_autofree char *text = g_strdup_printf(
        "#include \"kernel.h\"\n" INVERT "    if (x < in.width && y < in.height && in.width < %d)\n"
        "        out.pixels[y * out.pitch + x] = 255 - in.pixels[y * in.pitch + x];\n}\n",
        width);
    const enum stopwatch_outcome outcome =
        measure_here(d, "invert", (struct tolerance){0}, text, why);
    return outcome;
}

// It does nothing at a size that no trial has.
TEST(every_pixel_is_compared)
{
    struct error why = {""};
    assert_int_equal(invert(*state, 1000, &why), STOPWATCH_TIMED);
    assert_int_equal(invert(*state, 500, &why), STOPWATCH_REFUSED);
    if (!strstr(why.text, "at the size that is timed the picture is wrong"))
        fail_msg("%s", why.text);
}

// ---- in one of its own ----

// A transpose with more code. No process is left behind.
static enum stopwatch_outcome measure(struct desk *d, const char *first, double limit_s,
                                      struct error *why)
{
    double ratio = 0;
    g_autofree char *text =
        g_strdup_printf("#include \"lab.h\"\n"
                        "extern \"C\" __device__ int raise(int);\n" TRANSPOSE "    %s\n"
                        "    if (x < rows && y < columns)\n"
                        "        b[y * rows + x] = a[x * columns + y];\n}\n",
                        first);
    const struct submission *s = desk_open(d, "transpose", text);
    const struct timekeeper t = {.program = TILESCOPE_PROGRAM,
                                 .device = "cpu",
                                 .limit_s = limit_s,
                                 .given = d->given,
                                 .submission = s,
                                 .variant = &s->filter.variants[0]};
    const enum stopwatch_outcome outcome = timekeeper_measure(&t, &ratio, why);
    assert_true(outcome != STOPWATCH_TIMED || ratio > 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return outcome;
}

TEST(what_came_of_it_is_told)
{
    static const struct {
        const char *first;
        double limit_s;
        const char *begin, *holds;  // of why; NULL: it is timed
    } rows[] = {
        {"", 0, NULL, NULL},
        {"if (rows >= 512) return;", 0, "at the size that is timed b is wrong", ""},
        {"int wrong = ;", 0, "mine.cu:8:17: ", "\n    int wrong = ;\n"},
        {"for (volatile int k = 0; rows >= 512;) k = 1;", 0.5,
         "the kernel did not end within 0.5 s", ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct error why = {""};
        const enum stopwatch_outcome outcome =
            measure(*state, rows[i].first, rows[i].limit_s, &why);
        assert_int_equal(outcome, rows[i].begin ? STOPWATCH_REFUSED : STOPWATCH_TIMED);
        if (rows[i].begin &&
            (!g_str_has_prefix(why.text, rows[i].begin) || !strstr(why.text, rows[i].holds)))
            fail_msg("%s", why.text);
    }
}

// Waits until the measuring process has stopped, and ends it after longer than its limit.
static gpointer end_what_stopped(gpointer hold_us)
{
    siginfo_t info = {.si_pid = 0};
    while (waitid(P_ALL, 0, &info, WSTOPPED | WNOWAIT) < 0) g_usleep(1000);
    g_usleep(GPOINTER_TO_UINT(hold_us));
    kill(info.si_pid, SIGKILL);
    return NULL;
}

// It has not had the time that it may take, so nothing is said against the kernel.
TEST(a_process_without_a_processor_is_not_refused)
{
    struct error why = {""};
    GThread *other = g_thread_new("other", end_what_stopped, GUINT_TO_POINTER(4 * G_USEC_PER_SEC));
    const enum stopwatch_outcome outcome =
        measure(*state, "static int is_old; if (rows >= 512 && !is_old++) raise(19);", 3, &why);
    assert_string_equal(why.text, "the process that takes it has crashed");
    assert_int_equal(outcome, STOPWATCH_FAILED);
    g_thread_join(other);
}

TEST(a_signal_ends_the_process)
{
    struct error why = {""};
    const struct timespec none = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    signals_block();
    raise(SIGTERM);
    assert_int_equal(measure(*state, "for (volatile int k = 0; rows >= 512;) k = 1;", 0, &why),
                     STOPWATCH_FAILED);
    assert_int_equal(sigtimedwait(&set, NULL, &none), SIGTERM);
    signals_release();
}

SUITE("timekeeper", desk_set_up, desk_tear_down)
