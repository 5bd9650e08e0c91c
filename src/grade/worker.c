#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/data.h"
#include "base/signals.h"
#include "frame/frame.h"
#include "grade/proctor.h"
#include "device/sandbox.h"
#include "grade/submission.h"
#include "frame/trials.h"
#include "grade/wire.h"

static const unsigned long long MAX_EVENTS = 400ull << 20;  // of a launch
static const size_t MAX_COMPILER_BYTES = (size_t)1 << 30;
enum { MAX_COMPILER_S = 5 };
enum { FOLDER, GIVEN, NAME, VARIANT, TRUST };  // words

struct worker {
    char *const *words;
    char missing[2 * SANDBOX_MISSING];  // of the sandbox
    unsigned char *shared;              // both halves
    struct filter filter;
    const struct variant *variant;
    struct backend *backend;
    struct module *module;
    void *arrays;
    GByteArray *message;
    unsigned long long events;  // of the launch
    bool is_full;
};

static bool answer(enum wire_kind kind, const void *payload, size_t bytes)
{
    return wire_send(STDOUT_FILENO, kind, payload, bytes);
}

static bool answer_text(enum wire_kind kind, const char *text)
{
    return answer(kind, text, strlen(text));
}

// ---- compiling ----

// A function of the submission may run as soon as it is loaded.
static void before_load(void *unused)
{
    char missing[SANDBOX_MISSING];  // the seal will lack the same
    (void)unused;
    sandbox_close(missing);
}

// Runs other programs, and looks for a signal to this process meanwhile, to end them first.
static bool compile(struct worker *w, bool is_to_run, struct error *err)
{
    g_autofree char *include = submission_include(w->words[FOLDER]);
    signals_block();
    w->backend = backend_open("cpu", NULL, 0, err);
    if (w->backend) {
        backend_set_include(w->backend, include);
        const struct build_guard guard = {.before_load = before_load,
                                          .is_never_loaded = !is_to_run,
                                          .compiler_s = MAX_COMPILER_S,
                                          .compiler_bytes = MAX_COMPILER_BYTES};
        w->module = frame_build(w->backend, &w->filter,
                                (struct build){.is_traced = true, .guard = &guard}, err);
    }
    if (w->module && is_to_run) {
        char missing[SANDBOX_MISSING];
        sandbox_seal(missing);
        if (*missing && *w->missing) g_strlcat(w->missing, ", ", sizeof w->missing);
        g_strlcat(w->missing, missing, sizeof w->missing);
    }
    signals_release();
    return w->module != NULL;
}

// ---- logs ----

static bool send_block(void *data, int worker, const struct trace_block *block)
{
    (void)worker;  // TILESCOPE_THREADS is 1
    struct worker *w = data;
    struct wire_block head = {.block = *block};
    head.block.threads = NULL;
    const int threads = MIN(block->width * block->height, WIRE_MAX_THREADS);
    g_byte_array_set_size(w->message, sizeof head);
    for (int i = 0; i < threads; i++) {
        const struct trace_thread *t = &block->threads[i];
        head.events[i] = (uint32_t)t->count;
        w->events += t->count;
        if (t->count)
            g_byte_array_append(w->message, (const guint8 *)t->events,
                                (guint)(t->count * sizeof *t->events));
    }
    memcpy(w->message->data, &head, sizeof head);
    w->is_full = w->events > MAX_EVENTS;
    return !w->is_full && answer(WIRE_BLOCK, w->message->data, w->message->len);
}

// ---- a trial ----

static bool run_trial(struct worker *w, const struct trial *trial, struct error *err)
{
    struct frame frame = {.backend = w->backend,
                          .choice = {&w->filter, w->variant, {.params = trial->params}},
                          .module = w->module,
                          .multiprocessors = TRIALS_MULTIPROCESSORS};
    w->is_full = false;
    backend_free(w->backend, w->arrays);
    w->arrays = NULL;
    if (!frame_plan(&frame, trial_picture(trial), err)) return false;
    const size_t own = frame.arrays.own_bytes;
    if (!trial_layout(trial, &w->filter, &frame.arrays, err)) return false;
    const size_t bytes = frame.arrays.bytes;
    frame.arrays.own_bytes = own;
    if (bytes > WIRE_HALF) return error_set(err, "the arrays take %zu bytes", bytes);
    if (!backend_alloc(w->backend, bytes + own, &w->arrays, err)) return false;
    const struct frame_memory memory = {.arrays = w->arrays,
                                        .own = (unsigned char *)w->arrays + bytes};
    struct wire_memory list[WIRE_MAX_MEMORY] = {{.bytes = 0}};
    int count = 0;
    for (int i = 0; i < frame.arrays.count; i++) {
        if (!frame.arrays.places[i].bytes) continue;
        struct wire_memory *m = &list[count++];
        m->address = (unsigned long long)frame_planes(&frame, &memory, i).pixels;
        m->bytes = frame.arrays.places[i].bytes;
        g_strlcpy(m->name, w->filter.arrays[i].name, sizeof m->name);
    }
    if (!backend_write(w->backend, w->arrays, w->shared, bytes, err) ||
        !answer(WIRE_MEMORY, list, sizeof *list * (size_t)count) ||
        !frame_bring_constants(&frame, &memory, err) || !frame_prepare(&frame, &memory, err))
        return false;
    struct trace trace = {
        .block = send_block, .data = w, .only_x = -1, .max_events = WIRE_MAX_EVENTS};
    for (int i = 0; i < w->filter.array_count; i++)
        array_limit_word(&w->filter.arrays[i].record, &trace.struct_word);
    for (int pass = 0; pass < frame.plan.pass_count; pass++) {
        const struct launch_config *const config = &frame.plan.passes[pass].config;
        w->events = 0;
        if (!answer(WIRE_PASS, config, sizeof *config) ||
            !frame_run_pass(&frame, &memory, pass, &trace, err) || !backend_wait(w->backend, err))
            return false;
        if (w->is_full)
            return error_set(err, "%s: does far too much: it was stopped after %llu steps",
                             w->variant->passes[pass].kernel, w->events);
    }
    return backend_read(w->backend, w->shared + WIRE_HALF, w->arrays, bytes, err);
}

// ---- messages ----

// False: nobody listens any more.
static bool take_message(struct worker *w, const struct wire_head *head, const void *payload)
{
    struct error err = {""};
    if (head->kind == WIRE_LINES) {
        const int count = (int)(head->bytes / sizeof(unsigned int));
        g_autofree struct trace_chain *chains = g_new0(struct trace_chain, count + 1);
        return compile(w, false, &err) &&
                       backend_find_lines(w->backend, w->module, payload, count, chains, &err)
                   ? answer(WIRE_CHAINS, chains, sizeof *chains * (size_t)count)
                   : answer_text(WIRE_FAILED, err.text);
    }
    const bool is_done =
        head->kind == WIRE_LOAD ? compile(w, true, &err) : run_trial(w, payload, &err);
    return answer_text(is_done ? WIRE_DONE : WIRE_FAILED, is_done ? w->missing : err.text);
}

bool worker_run(char *const words[WORKER_WORDS], GString *none, struct error *err)
{
    (void)none;
    struct worker *w = g_new0(struct worker, 1);
    *w = (struct worker){.words = words, .message = g_byte_array_new()};
    // It may read the submission, our headers, and the compiler. The emulator itself reserves much
    // memory.
    g_autofree char *work = g_build_filename(words[FOLDER], "work", NULL);
    g_auto(GStrv) files = backend_compiler_files(err);
    g_autoptr(GPtrArray) readable = g_ptr_array_new_with_free_func(g_free);
    for (char **file = files; file && *file; file++) g_ptr_array_add(readable, g_strdup(*file));
    g_ptr_array_add(readable, data_path("src/device/cpu"));
    g_ptr_array_add(readable, data_path("src/device/trace.h"));
    g_ptr_array_add(readable, g_strdup(words[FOLDER]));
    g_ptr_array_add(readable, NULL);
    const struct sandbox sandbox = {.writable = work,
                                    .readable = (const char *const *)readable->pdata,
                                    .cpu_s = 300,
                                    .memory_bytes = (size_t)3 << 30,
                                    .file_bytes = (size_t)64 << 20};
    const bool is_shut = sandbox_enter(&sandbox, w->missing);
    bool is_good = files && (is_shut || !strcmp(words[TRUST], "open"));
    if (files && !is_good)
        error_set(err,
                  "this system cannot shut a submission in: it lacks: %s; see --without-sandbox",
                  w->missing);
    if (is_good)
        w->shared = mmap(NULL, 2 * (size_t)WIRE_HALF, PROT_READ | PROT_WRITE, MAP_SHARED,
                         WIRE_MEMORY_FD, 0);
    if (is_good && w->shared == MAP_FAILED)
        is_good = error_set(err, "no memory is shared with the grader");
    is_good = is_good &&
              submission_read(&w->filter, words[FOLDER], words[GIVEN], words[NAME], err) &&
              ((w->variant = filter_variant(&w->filter, words[VARIANT])) ||
               error_set(err, "there is no variant '%s'", words[VARIANT]));
    if (!is_good) answer_text(WIRE_FAILED, err->text);
    struct wire_head head;
    bool is_heard = is_good;
    while (is_heard && wire_read(STDIN_FILENO, &head, sizeof head)) {
        g_autofree void *payload = g_malloc0(MAX(head.bytes, sizeof(struct trial)));
        is_heard = wire_read(STDIN_FILENO, payload, head.bytes) && take_message(w, &head, payload);
    }
    return is_good;  // the process ends, and with it all that it has opened
}
