#include "grade/translator.h"

#include <elf.h>
#include <errno.h>
#include <glib.h>
#include <signal.h>
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

bool translator_run(const struct translator_words *w, const struct build_target *target,
                    struct build_code *code, struct error *err)
{
    struct wire_head head = {.kind = WIRE_FAILED};
    GPid pid = 0;
    int from = -1, status = 0;
    char arch[16], major[16];
    g_autoptr(GError) why = NULL;
    g_snprintf(arch, sizeof arch, "%d", target->arch);
    g_snprintf(major, sizeof major, "%d", target->newest_major);
    const char *const argv[] = {w->program, "--grade-translator",
                                w->folder,  w->given,
                                w->name,    w->may_be_open ? "open" : "shut",
                                arch,       major,
                                NULL};
    *code = (struct build_code){.bytes = NULL};
    if (!g_spawn_async_with_pipes(w->folder, (char **)argv, NULL,
                                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
                                  enter_child, NULL, &pid, NULL, &from, NULL, &why))
        return error_set(err, "cannot run NVRTC apart: %s", why->message);
    bool has_answered = wire_read(from, &head, sizeof head) && head.bytes <= MAX_BYTES;
    if (has_answered) {  // a text or code
        code->size = head.bytes;
        code->bytes = g_malloc0(code->size + 1);
        has_answered = wire_read(from, code->bytes, code->size);
    }
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

bool translator_serve(char *const words[TRANSLATOR_WORDS], struct error *err)
{
    enum { FOLDER, GIVEN, NAME, TRUST, ARCH, MAJOR };
    const struct build_target target = {.arch = atoi(words[ARCH]),
                                        .newest_major = atoi(words[MAJOR])};
    const char *const readable[] = {words[FOLDER], NULL};
    const struct sandbox sandbox = {
        .readable = readable, .cpu_s = CPU_S, .memory_bytes = MEMORY_BYTES, .file_bytes = 0};
    struct build_code code = {.bytes = NULL};
    OWNED(filter_finish) struct filter f = {.path = NULL};
    char missing[SANDBOX_MISSING], *include = submission_include(words[FOLDER]);
    signal(SIGXCPU, SIG_DFL);
    struct translator *t = backend_translator(&target, err);
    bool is_done = t != NULL;
    if (is_done && !sandbox_enter(&sandbox, missing) && strcmp(words[TRUST], "open") != 0)
        is_done = error_set(err, "this system cannot shut NVRTC in: it lacks %s", missing);
    is_done =
        is_done && submission_read(&f, words[FOLDER], words[GIVEN], words[NAME], err) &&
        backend_translate(t, &(struct build){.path = f.path, .source = f.source, .calls = f.calls},
                          include, &code, err);
    const bool is_said = is_done
                             ? wire_send(STDOUT_FILENO, WIRE_DONE, code.bytes, code.size)
                             : wire_send(STDOUT_FILENO, WIRE_FAILED, err->text, strlen(err->text));
    g_free(include);
    g_free(code.bytes);
    backend_translator_free(t);
    return is_done && is_said;
}
