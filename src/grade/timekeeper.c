#include "grade/timekeeper.h"

#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own_time.h"
#include "base/signals.h"
#include "grade/translator.h"
#include "grade/wire.h"

// Of its own time; measuring alone has 20 s (stopwatch.c).
static const double START_S = 300, LAUNCHES_S = 90;

// What the process says: first that it begins to launch, then its answer.
enum message_kind { BEGINS, ANSWER };
struct message {
    enum message_kind kind;
    enum stopwatch_outcome outcome;
    double ratio;
    struct error why;
};

bool timekeeper_has_gpu(void)
{
    enum { MAX_DEVICES = 8 };
    struct device devices[MAX_DEVICES];
    char reasons[1024];
    int count = 0;
    bool is_there = false;
    backend_list(devices, MAX_DEVICES, &count, reasons, sizeof reasons);
    for (int i = 0; i < count; i++) is_there |= devices[i].is_gpu;
    return is_there;
}

// ---- the grader's side ----

static void enter_child(gpointer unused)
{
    (void)unused;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signals_release();
}

// What CUDA and the search for its libraries read. A GPU may read all memory of its process, and
// nothing else of the environment is to be found there.
static char **environment_for(const struct submission *s)
{
    static const char *const kept[] = {
        "PATH",        "HOME",           "LD_LIBRARY_PATH", "CONDA_PREFIX",
        "VIRTUAL_ENV", "XDG_CACHE_HOME", "TILESCOPE_CACHE", "TILESCOPE_NVRTC",
        "CC"};
    static const char *const prefixes[] = {"CUDA_", "NVIDIA_", "ASAN_", "UBSAN_", "TSAN_"};
    char **all = g_new0(char *, 1), **names = g_listenv();
    char *work = g_build_filename(s->folder, "work", NULL);
    for (char **name = names; *name; name++) {
        bool is_kept = false;
        for (size_t i = 0; i < G_N_ELEMENTS(kept); i++) is_kept |= !strcmp(*name, kept[i]);
        for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
            is_kept |= g_str_has_prefix(*name, prefixes[i]);
        if (is_kept) all = g_environ_setenv(all, *name, g_getenv(*name), TRUE);
    }
    all = g_environ_setenv(all, "TMPDIR", work, TRUE);
    g_strfreev(names);
    g_free(work);
    return all;
}

static bool spawn(const struct timekeeper *t, GPid *pid, int *from, struct error *why)
{
    const struct submission *s = t->submission;
    const char *const argv[] = {t->program,
                                "--grade-stopwatch",
                                s->folder,
                                t->given->path,
                                t->given->name,
                                s->name,
                                t->variant->name,
                                t->device,
                                s->may_be_open ? "open" : "shut",
                                NULL};
    char **environment = environment_for(s);
    GError *error = NULL;
    const bool is_started = g_spawn_async_with_pipes(
        NULL, (char **)argv, environment, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
        enter_child, NULL, pid, NULL, from, NULL, &error);
    if (!is_started) error_set(why, "cannot run the stopwatch: %s", error->message);
    g_clear_error(&error);
    g_strfreev(environment);
    return is_started;
}

// 1: a whole message; 0: none until then; -1: the process has ended.
static int receive(int from, struct message *message, struct own_time_limit *limit)
{
    enum { TICK_MS = 100 };
    size_t got = 0;
    while (got < sizeof *message) {
        struct pollfd one = {.fd = from, .events = POLLIN};
        if (signals_came() || own_time_is_over(limit)) return 0;
        if (poll(&one, 1, TICK_MS) <= 0) continue;
        const ssize_t more = read(from, (char *)message + got, sizeof *message - got);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return -1;
        got += (size_t)more;
    }
    message->why.text[sizeof message->why.text - 1] = '\0';
    return 1;
}

// What it means that there is no message.
static enum stopwatch_outcome explain(int got, bool has_begun, double limit_s, struct error *why)
{
    error_set(why, "%s",
              got < 0          ? "the process that takes it has crashed"
              : signals_came() ? "cancelled"
                               : "the device does not come back");
    if (got < 0 || signals_came() || !has_begun) return STOPWATCH_FAILED;
    error_set(why, "the kernel did not end within %g s", limit_s);
    return STOPWATCH_REFUSED;
}

static enum stopwatch_outcome listen_to(const struct timekeeper *t, GPid pid, int from,
                                        double *ratio, struct error *why)
{
    struct message message = {.kind = ANSWER};
    const double limit_s = t->limit_s > 0 ? t->limit_s : LAUNCHES_S;
    bool has_begun = false;
    for (;;) {
        const double left_s = has_begun ? limit_s : START_S;
        struct own_time_limit limit = {.group = pid,
                                       .limit_us = (int64_t)(left_s * G_USEC_PER_SEC)};
        const int got = receive(from, &message, &limit);
        if (got != 1) return explain(got, has_begun, limit_s, why);
        if (message.kind == ANSWER) break;
        has_begun = true;
    }
    *why = message.why;
    *ratio = message.ratio;
    return message.outcome;
}

enum stopwatch_outcome timekeeper_measure(const struct timekeeper *t, double *ratio,
                                          struct error *why)
{
    GPid pid = 0;
    int from = -1;
    if (!spawn(t, &pid, &from, why)) return STOPWATCH_FAILED;
    const enum stopwatch_outcome outcome = listen_to(t, pid, from, ratio, why);
    close(from);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return outcome;
}

// ---- the process ----

static void say_begins(void *unused)
{
    (void)unused;
    const struct message message = {.kind = BEGINS};
    wire_write(STDOUT_FILENO, &message, sizeof message);
}

static void use_cpu(struct filter *f)
{
    struct filter_list list = {.filters = f, .count = 1};
    filter_list_use_cpu(&list);
}

// The text is compiled for a GPU elsewhere.
static bool translate(void *words, const struct build_target *target, struct build_code *code,
                      struct error *err)
{
    return translator_run(words, target, code, err);
}

// The device stays open: the answer comes first, and then the grader ends this process.
bool timekeeper_serve(char *const words[TIMEKEEPER_WORDS], struct error *err)
{
    enum { FOLDER, GIVEN, GIVEN_NAME, NAME, VARIANT, DEVICE, TRUST };
    struct translator_words apart = {"/proc/self/exe", words[FOLDER], words[GIVEN_NAME],
                                     words[NAME], !strcmp(words[TRUST], "open")};
    const struct build_guard guard = {.data = &apart, .translate = translate};
    struct filter given = {.path = NULL}, submitted = given;
    struct stopwatch w = {
        .given = &given, .submitted = &submitted, .guard = &guard, .begin = say_begins};
    struct message answer = {.kind = ANSWER, .outcome = STOPWATCH_FAILED};
    char reasons[2048], *text = file_read_text(words[GIVEN], err);
    if (text && filter_parse(&given, words[GIVEN], text, err) &&
        submission_read(&submitted, words[FOLDER], words[GIVEN_NAME], words[NAME], err)) {
        if (!strcmp(words[DEVICE], "cpu")) {
            use_cpu(&given);
            use_cpu(&submitted);
        }
        w.variant = filter_variant(&submitted, words[VARIANT]);
        if (w.variant || error_set(err, "there is no variant '%s'", words[VARIANT]))
            w.backend = backend_open(words[DEVICE], reasons, sizeof reasons, err);
    }
    if (w.backend) {
        char *include = submission_include(words[FOLDER]);
        backend_set_include(w.backend, include);
        answer.outcome = stopwatch_measure(&w, &answer.ratio, err);
        g_free(include);
    }
    answer.why = *err;
    const bool is_said = wire_write(STDOUT_FILENO, &answer, sizeof answer);
    backend_close(w.backend);
    filter_finish(&given);
    filter_finish(&submitted);
    g_free(text);
    return is_said;
}
