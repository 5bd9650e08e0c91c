#include "grade/timekeeper.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/image.h"
#include "base/stats.h"
#include "base/wall.h"
#include "device/process.h"
#include "frame/translator.h"
#include "frame/workspace.h"
#include "grade/expected.h"
#include "grade/wire.h"
#include "frame/bench_timer.h"

// ---- the stopwatch ----

enum { TARGET = 31, DROPPED = 1 };  // samples
static const double BUDGET_S = 20, CLOCKS_UP_S = 0.25;

// One measurement.
struct run {
    const struct stopwatch *watch;
    struct image picture;  // pixels NULL: there are other arrays
    struct module *our_module, *module;
    struct frame ours, frame, copy;
    struct workspace workspace;  // where our own variant has run, once
    struct bench_timer *timer;
    double expected_ms, expected_copy_ms;
    GArray *samples, *copies;
};

// ---- before ----

// Prepares all that comes before the first launch of theirs.
static enum stopwatch_outcome begin(struct run *r, struct error *why)
{
    const struct stopwatch *w = r->watch;
    const struct param_values params = filter_defaults(w->submitted);
    const bool is_gpu = backend_device(w->backend)->is_gpu;
    const struct planes shape =
        arrays_picture(w->given, is_gpu ? planes_shape(3840, 2160, 1) : planes_shape(640, 360, 1));
    if (shape.width && !image_init(&r->picture, shape.width, shape.height, 1, why))
        return STOPWATCH_FAILED;
    if (shape.width) image_fill_noise(r->picture.planes, 1);
    // Ours is the first variant of the given file that takes this size.
    r->our_module = frame_build(w->backend, w->given, (struct build){.params = NULL}, why);
    bool is_planned = false;
    for (int i = 0; r->our_module && i < w->given->variant_count && !is_planned; i++) {
        r->ours = (struct frame){.backend = w->backend,
                                 .choice = {w->given, &w->given->variants[i], {.params = params}},
                                 .module = r->our_module};
        is_planned = frame_plan(&r->ours, r->picture.planes, why);
    }
    if (!is_planned || !workspace_init(&r->workspace, w->backend, r->picture.planes, 1, why) ||
        !workspace_prepare(&r->workspace, &r->ours, why))
        return STOPWATCH_FAILED;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->ours);
    if (!frame_poison(&r->ours, &memory, why) || !frame_run(&r->ours, &memory, why) ||
        !frame_finish(&r->ours, &memory, why) || !backend_wait(w->backend, why))
        return STOPWATCH_FAILED;
    r->module = frame_build(w->backend, w->submitted, (struct build){.guard = w->guard}, why);
    r->copy = (struct frame){.backend = w->backend};
    r->frame = (struct frame){.backend = w->backend,
                              .choice = {w->submitted, w->variant, {.params = params}},
                              .module = r->module};
    if (!r->module || !frame_plan(&r->frame, r->picture.planes, why)) return STOPWATCH_REFUSED;
    r->timer = bench_timer_create(w->backend, r->picture.planes, &r->frame.arrays, NULL, NULL, why);
    return r->timer ? STOPWATCH_TIMED : STOPWATCH_FAILED;
}

// ---- samples ----

static bool sample_copy(struct run *r, struct error *why)
{
    double ms;
    int launches;
    if (!bench_timer_sample_fresh(r->timer, &r->copy, &r->expected_copy_ms, &ms, &launches, why))
        return false;
    if (ms > 0) g_array_append_val(r->copies, ms);
    return true;
}

// Reads both, some megabytes at a time, since arrays may be larger than the host's memory. Where
// there is a tolerance, ours and theirs may be off by it to either side.
static bool compare_array(const struct run *r, const struct frame_memory *theirs, int array,
                          struct difference *d, struct error *why)
{
    enum { PIECE_BYTES = 16 << 20 };
    struct backend *b = r->watch->backend;
    const struct frame_memory memory = workspace_of(&r->workspace, &r->ours);
    const struct array *a = &r->watch->given->arrays[array];
    const struct array_place *place = &r->ours.arrays.places[array];
    const unsigned char *const our_bytes = frame_array(&r->ours, &memory, array);
    const unsigned char *const their_bytes = frame_array(&r->ours, theirs, array);
    long long k = 0;  // element
    g_autofree unsigned char *ours = g_malloc(2 * (size_t)PIECE_BYTES);
    unsigned char *const is = ours + PIECE_BYTES;
    bool is_read = true;
    for (size_t at = 0; at < place->bytes && is_read; at += PIECE_BYTES) {
        const size_t bytes = MIN(place->bytes - at, (size_t)PIECE_BYTES);
        is_read = backend_read(b, ours, our_bytes + at, bytes, why) &&
                  backend_read(b, is, their_bytes + at, bytes, why);
        const bool is_same = is_read && !memcmp(ours, is, bytes);
        for (size_t begin;
             is_read && k < place->count && (begin = array_offset(a, place, k) - at) < bytes; k++) {
            if (is_same) continue;
            struct tolerance t = filter_tolerance(r->watch->given, NULL, a, k);
            const enum array_type type = array_type_at(a, k);
            t.most *= 2;
            difference_add(d, t, k, array_value(type, is + begin, 0),
                           array_value(type, ours + begin, 0));
        }
    }
    return is_read;
}

// Takes a sample, and compares one of its launches; the kernel cannot know which.
static enum stopwatch_outcome sample_theirs(struct run *r, struct error *why)
{
    double ms;
    int launches;
    if (!bench_timer_sample_fresh(r->timer, &r->frame, &r->expected_ms, &ms, &launches, why))
        return STOPWATCH_REFUSED;
    const struct frame_memory memory =
        bench_timer_launched(r->timer, g_random_int_range(0, launches));
    if (ms > 0) g_array_append_val(r->samples, ms);
    // Every element of out arrays that have a reference, or every pixel, must be as ours.
    const struct filter *given = r->watch->given;
    for (int i = 0; i < given->array_count; i++) {
        const struct array_place *place = &r->ours.arrays.places[i];
        struct difference d = {.of = place->count};
        if (!given->arrays[i].has_reference) continue;
        if (!compare_array(r, &memory, i, &d, why)) return STOPWATCH_FAILED;
        if (!d.count) continue;
        difference_write(&d, &given->arrays[i], place, why);
        error_prefix(why, "at the size that is timed ");
        return STOPWATCH_REFUSED;
    }
    return STOPWATCH_TIMED;
}

static double median_of(GArray *samples)
{
    const guint dropped = samples->len > DROPPED ? DROPPED : 0;
    return stats_summarize_all((double *)(void *)samples->data + dropped,
                               (int)(samples->len - dropped))
        .median;
}

static enum stopwatch_outcome sample_all(struct run *r, double *ratio, struct error *why)
{
    const double up_s = wall_s() + CLOCKS_UP_S;  // a GPU runs at its full clock after some work
    while (backend_device(r->watch->backend)->is_gpu && wall_s() < up_s)
        if (!sample_copy(r, why)) return STOPWATCH_FAILED;
    g_array_set_size(r->copies, 0);
    watchdog_begin(r->watch->watchdog);
    const double end_s = wall_s() + BUDGET_S;
    while (r->samples->len < TARGET && (wall_s() < end_s || !r->samples->len)) {
        if (!sample_copy(r, why)) return STOPWATCH_FAILED;
        const enum stopwatch_outcome outcome = sample_theirs(r, why);
        if (outcome != STOPWATCH_TIMED) return outcome;
    }
    const double copy_ms = median_of(r->copies);
    if (!(copy_ms > 0)) error_set(why, "a copy could not be measured");
    *ratio = copy_ms > 0 ? median_of(r->samples) / copy_ms : 0;
    return copy_ms > 0 ? STOPWATCH_TIMED : STOPWATCH_FAILED;
}

enum stopwatch_outcome stopwatch_measure(const struct stopwatch *w, double *ratio,
                                         struct error *why)
{
    struct run r = {.watch = w,
                    .samples = g_array_new(FALSE, FALSE, sizeof(double)),
                    .copies = g_array_new(FALSE, FALSE, sizeof(double))};
    enum stopwatch_outcome outcome = begin(&r, why);
    if (outcome == STOPWATCH_TIMED) outcome = sample_all(&r, ratio, why);
    watchdog_end(w->watchdog);
    bench_timer_destroy(r.timer);
    backend_wait(w->backend, NULL);
    backend_unload(w->backend, r.module);
    backend_unload(w->backend, r.our_module);
    workspace_finish(&r.workspace);
    image_finish(&r.picture);
    g_array_unref(r.samples);
    g_array_unref(r.copies);
    return outcome;
}

// ---- the grader's side ----

// Own time; measuring alone has BUDGET_S.
static const double START_S = 300, LAUNCHES_S = 90;

// The process prints the outcome, the ratio, and why.
enum stopwatch_outcome timekeeper_measure(const struct timekeeper *t, double *ratio,
                                          struct error *why)
{
    const struct submission *s = t->submission;
    const double limit_s = t->limit_s > 0 ? t->limit_s : LAUNCHES_S;
    char limit[G_ASCII_DTOSTR_BUF_SIZE];
    const char *const words[] = {"--grade-stopwatch",
                                 s->folder,
                                 t->given->path,
                                 t->given->name,
                                 s->name,
                                 t->variant->name,
                                 t->device,
                                 s->may_be_open ? "open" : "shut",
                                 g_ascii_dtostr(limit, sizeof limit, limit_s),
                                 NULL};
    // What CUDA and the search for its libraries read, and nothing else: a GPU may read all memory
    // of its process, which holds the environment.
    g_auto(GStrv) environment = wire_environment(
        s, "PATH HOME LD_LIBRARY_PATH CONDA_PREFIX VIRTUAL_ENV XDG_CACHE_HOME TILESCOPE_CACHE "
           "TILESCOPE_NVRTC TILESCOPE_KERNEL_FLAGS CC CUDA_ NVIDIA_ ASAN_ UBSAN_ TSAN_");
    const struct process process = {.command = (char *const[]){(char *)t->program, NULL},
                                    .arguments = words,
                                    .environment = environment,
                                    .limit_s = START_S + limit_s};
    g_autofree char *said = NULL;
    process_run(&process, &said, why);
    if (!said) return STOPWATCH_FAILED;
    char *end = said, *rest;
    const guint64 outcome = g_ascii_strtoull(said, &end, 10);
    *ratio = g_ascii_strtod(end, &rest);
    const bool is_said =
        g_ascii_isdigit(*said) && outcome <= STOPWATCH_FAILED && rest > end && *rest == ' ';
    error_set_log(why, is_said ? rest + 1 : "the process that takes it has crashed");
    return is_said ? (enum stopwatch_outcome)outcome : STOPWATCH_FAILED;
}

// ---- the process ----

static void write_answer(GString *answer, enum stopwatch_outcome outcome, double ratio,
                         const char *why)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_printf(answer, "%d %s %s", (int)outcome, g_ascii_dtostr(text, sizeof text, ratio),
                    why);
}

static void end_endless(void *limit_s)
{
    g_autofree char *why =
        g_strdup_printf("the kernel did not end within %s s", (const char *)limit_s);
    g_autoptr(GString) answer = g_string_new(NULL);
    write_answer(answer, STOPWATCH_REFUSED, 0, why);
    wire_write(STDOUT_FILENO, answer->str, answer->len);
    kill(getpid(), SIGKILL);  // closing the device would wait for the kernel
}

// Has another process compile the text for a GPU.
static bool translate(void *translation, const struct build *build,
                      const struct build_target *target, struct build_code *code, struct error *err)
{
    struct translation t = *(const struct translation *)translation;
    t.build = *build;
    t.target = *target;
    return translator_run(&t, code, err);
}

bool timekeeper_serve(char *const words[TIMEKEEPER_WORDS], GString *answer, struct error *err)
{
    enum { FOLDER, GIVEN, GIVEN_NAME, NAME, VARIANT, DEVICE, TRUST, LIMIT };
    g_autofree char *include = submission_include(words[FOLDER]);
    OWNED(filter_finish) struct filter given = {.path = NULL}, submitted = given;
    struct translation translation = {.program = "/proc/self/exe",
                                      .include = include,
                                      .readable = words[FOLDER],
                                      .may_be_open = !strcmp(words[TRUST], "open")};
    const struct build_guard guard = {.data = &translation, .translate = translate};
    struct stopwatch w = {.given = &given, .submitted = &submitted, .guard = &guard};
    enum stopwatch_outcome outcome = STOPWATCH_FAILED;
    double ratio = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // the grader wants the answer
    g_autofree char *text = file_read_text(words[GIVEN], err);
    if (text && filter_parse(&given, words[GIVEN], text, NULL, err) &&
        submission_read(&submitted, words[FOLDER], words[GIVEN_NAME], words[NAME], err)) {
        struct filter_list lists[] = {{.filters = &given, .count = 1},
                                      {.filters = &submitted, .count = 1}};
        for (size_t i = 0; i < G_N_ELEMENTS(lists) && !strcmp(words[DEVICE], "cpu"); i++)
            filter_list_use_cpu(&lists[i]);
        w.variant = filter_variant(&submitted, words[VARIANT]);
        if (w.variant || error_set(err, "there is no variant '%s'", words[VARIANT]))
            w.backend = backend_open(words[DEVICE], NULL, 0, err);
    }
    if (w.backend) {
        backend_set_include(w.backend, include);
        w.watchdog = watchdog_create((int)(1000 * g_ascii_strtod(words[LIMIT], NULL)), end_endless,
                                     words[LIMIT]);
        outcome = stopwatch_measure(&w, &ratio, err);
        watchdog_destroy(w.watchdog);
    }
    write_answer(answer, outcome, ratio, err->text);
    backend_close(w.backend);
    return true;
}
