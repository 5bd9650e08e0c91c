#include "grade/translator.h"

#include <elf.h>
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "filter/filter.h"
#include "grade/sandbox.h"
#include "grade/submission.h"
#include "grade/wire.h"

enum { MAX_BYTES = 64 << 20, MACHINE_CUDA = 190, CPU_S = 5 };
static const size_t MEMORY_BYTES = (size_t)2 << 30;

// ---- what comes out ----

static bool is_cubin(const struct build_code *code)
{
    Elf64_Ehdr head;
    if (code->size < sizeof head) return false;
    memcpy(&head, code->bytes, sizeof head);
    return !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
           head.e_machine == MACHINE_CUDA && head.e_shoff <= code->size &&
           (size_t)head.e_shnum * head.e_shentsize <= code->size - head.e_shoff;
}

static bool is_ptx(const struct build_code *code)
{
    const char *const text = code->bytes;
    return code->size && !text[code->size - 1] && strlen(text) == code->size - 1 &&
           g_utf8_validate(text, -1, NULL) && strstr(text, "\n.version ") &&
           strstr(text, "\n.target ");
}

bool translator_is_code(const struct build_code *code)
{
    return code->size <= MAX_BYTES && (is_cubin(code) || is_ptx(code));
}

// ---- the side of the one that asks ----

static void enter_child(gpointer unused)
{
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signals_release();
}

static bool spawn(const struct translator_words *w, const struct build_target *target, GPid *pid,
                  int *from, struct error *err)
{
    char arch[16], major[16];
    g_snprintf(arch, sizeof arch, "%d", target->arch);
    g_snprintf(major, sizeof major, "%d", target->newest_major);
    const char *const argv[] = {w->program, "--grade-translator",
                                w->folder,  w->given,
                                w->name,    w->may_be_open ? "open" : "shut",
                                arch,       major,
                                NULL};
    GError *why = NULL;
    const bool is_started = g_spawn_async_with_pipes(
        w->folder, (char **)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
        enter_child, NULL, pid, NULL, from, NULL, &why);
    if (!is_started) error_set(err, "cannot run NVRTC apart: %s", why->message);
    g_clear_error(&why);
    return is_started;
}

// A text or code, which the caller frees. False: there is neither.
static bool receive(int from, struct wire_head *head, struct build_code *code)
{
    if (!wire_read(from, head, sizeof *head) || head->bytes > MAX_BYTES) return false;
    code->size = head->bytes;
    code->bytes = g_malloc0(code->size + 1);
    return wire_read(from, code->bytes, code->size);
}

bool translator_run(const struct translator_words *words, const struct build_target *target,
                    struct build_code *code, struct error *err)
{
    struct wire_head head = {.kind = WIRE_FAILED};
    GPid pid = 0;
    int from = -1, status = 0;
    *code = (struct build_code){.bytes = NULL};
    if (!spawn(words, target, &pid, &from, err)) return false;
    const bool has_answered = receive(from, &head, code);
    close(from);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (has_answered && head.kind == WIRE_DONE && translator_is_code(code)) return true;
    if (!has_answered)
        error_set(err, "%s",
                  WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU
                      ? "NVRTC took too much time to compile it"
                      : "NVRTC ended before it had compiled it");
    else if (head.kind == WIRE_DONE)
        error_set(err, "NVRTC has made no code of it that a GPU could load");
    else
        error_set_log(err, code->bytes);
    g_clear_pointer(&code->bytes, g_free);
    return false;
}

// ---- the process ----

static bool enter_sandbox(const char *folder, bool may_be_open, struct error *err)
{
    const char *const readable[] = {folder, NULL};
    char missing[SANDBOX_MISSING];
    const struct sandbox sandbox = {
        .readable = readable, .cpu_s = CPU_S, .memory_bytes = MEMORY_BYTES, .file_bytes = 0};
    return sandbox_enter(&sandbox, missing) || may_be_open ||
           error_set(err, "this system cannot shut NVRTC in: it lacks %s", missing);
}

static bool translate(const struct translator *t, char *const words[TRANSLATOR_WORDS],
                      struct build_code *code, struct error *err)
{
    struct filter f = {.path = NULL};
    char *include = submission_include(words[0]);
    const bool is_done = submission_read(&f, words[0], words[1], words[2], err) &&
                         backend_translate(t, &(struct build){.path = f.path, .source = f.source},
                                           include, code, err);
    filter_finish(&f);
    g_free(include);
    return is_done;
}

bool translator_serve(char *const words[TRANSLATOR_WORDS], struct error *err)
{
    const struct build_target target = {.arch = atoi(words[4]), .newest_major = atoi(words[5])};
    struct build_code code = {.bytes = NULL};
    signal(SIGXCPU, SIG_DFL);
    struct translator *t = backend_translator(&target, err);
    const bool is_done = t && enter_sandbox(words[0], !strcmp(words[3], "open"), err) &&
                         translate(t, words, &code, err);
    const bool is_said = is_done
                             ? wire_send(STDOUT_FILENO, WIRE_DONE, code.bytes, code.size)
                             : wire_send(STDOUT_FILENO, WIRE_FAILED, err->text, strlen(err->text));
    g_free(code.bytes);
    backend_translator_free(t);
    return is_done && is_said;
}
