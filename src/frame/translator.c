#include "frame/translator.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "device/process.h"
#include "device/sandbox.h"

// Processor time for what takes 2 s; and, shut in, for the small file of a student.
enum { CPU_S = 30, SHUT_CPU_S = 5 };
enum { MAX_BYTES = 64 << 20, MACHINE_CUDA = 190 };
static const size_t SHUT_MEMORY_BYTES = (size_t)2 << 30;

// ---- what comes out ----

bool translator_is_code(const struct build_code *code)
{
    const char *const text = code->bytes;
    Elf64_Ehdr head = {.e_machine = 0};
    if (code->size > MAX_BYTES) return false;
    if (code->size >= sizeof head) memcpy(&head, code->bytes, sizeof head);
    const bool is_cubin = !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
                          head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == MACHINE_CUDA &&
                          head.e_shoff <= code->size &&
                          (size_t)head.e_shnum * head.e_shentsize <= code->size - head.e_shoff;
    const bool is_ptx = code->size && !text[code->size - 1] && strlen(text) == code->size - 1 &&
                        g_utf8_validate(text, -1, NULL) && strstr(text, "\n.version ") &&
                        strstr(text, "\n.target ");
    return is_cubin || is_ptx;
}

// ---- the process ----

// A file holds what is asked for: path, source, calls, params, include, the only folder that may be
// read, whether it may be open, and the target. Code is printed in base64, or the compiler's log.
#define REQUEST "(ssssssbiib)"

static const char *text_of(const char *text)
{
    return text ? text : "";
}

bool translator_run_here(const struct translation *t, struct build_code *code, struct error *err)
{
    char missing[SANDBOX_MISSING];
    const struct sandbox sandbox = {.readable = (const char *const[]){t->readable, NULL},
                                    .cpu_s = SHUT_CPU_S,
                                    .memory_bytes = SHUT_MEMORY_BYTES};
    struct translator *nvrtc = backend_translator(&t->target, err);
    bool is_done = nvrtc != NULL;
    if (is_done && t->readable && !sandbox_enter(&sandbox, missing) && !t->may_be_open)
        is_done = error_set(err, "this system cannot shut NVRTC in: it lacks %s", missing);
    is_done = is_done && backend_translate(nvrtc, &t->build, t->include, code, err);
    backend_translator_free(nvrtc);
    return is_done;
}

bool translator_serve(char *const words[TRANSLATOR_WORDS], GString *answer, struct error *err)
{
    struct translation t = {.program = NULL};
    struct build_code code = {.bytes = NULL};
    g_autofree char *bytes = NULL;
    gsize size = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    g_file_get_contents(words[0], &bytes, &size, NULL);
    g_autoptr(GVariant) request =
        g_variant_new_from_data(G_VARIANT_TYPE(REQUEST), bytes, size, FALSE, NULL, NULL);
    g_variant_get(request, "(&s&s&s&s&s&sbiib)", &t.build.path, &t.build.source, &t.build.calls,
                  &t.build.params, &t.include, &t.readable, &t.may_be_open, &t.target.arch,
                  &t.target.newest_major, &t.target.wants_ptx);
    if (!*t.build.params) t.build.params = NULL;
    if (!*t.readable) t.readable = NULL;
    if (!translator_run_here(&t, &code, err)) return false;
    g_autofree char *text = g_base64_encode(code.bytes, code.size);
    g_string_append(answer, text);
    g_free(code.bytes);
    return true;
}

bool translator_run(const struct translation *t, struct build_code *code, struct error *err)
{
    const struct build *const b = &t->build;
    g_autofree char *path = NULL, *said = NULL;
    g_autoptr(GVariant) request = g_variant_ref_sink(
        g_variant_new(REQUEST, b->path, b->source, text_of(b->calls), text_of(b->params),
                      t->include, text_of(t->readable), t->may_be_open, t->target.arch,
                      t->target.newest_major, t->target.wants_ptx));
    const int file = g_file_open_tmp("tilescope-XXXXXX", &path, NULL);
    const struct process process = {
        .command = (char *const[]){(char *)t->program, "--translator", path, NULL},
        .arguments = (const char *const[]){NULL},
        .cancel = t->cancel,
        .cpu_s = t->readable ? SHUT_CPU_S : CPU_S,
        .max_output = (MAX_BYTES + 2) / 3 * 4};
    bool is_done =
        (file >= 0 || error_set(err, "cannot run NVRTC apart: there is no room for its file")) &&
        file_write(path, g_variant_get_data(request), g_variant_get_size(request), err) &&
        process_run(&process, &said, err);
    if (file >= 0) close(file);
    if (file >= 0) g_unlink(path);
    *code = (struct build_code){.bytes = NULL};
    if (is_done) {
        code->bytes = g_base64_decode(said, &code->size);
        is_done = translator_is_code(code) ||
                  error_set(err, "NVRTC has made no code of it that a GPU could load");
    } else if (said && *said) {
        error_set_log(err, said);
    } else if (said) {
        error_set(err, "NVRTC ended before it had compiled it: it may take %d s", process.cpu_s);
    }
    if (!is_done) g_clear_pointer(&code->bytes, g_free);
    return is_done;
}
