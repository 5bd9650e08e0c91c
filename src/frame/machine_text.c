#include "frame/machine_text.h"

#include <elf.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "device/process.h"

enum { H200 = 90, NEWEST_MAJOR = 15 };  // of CUDA, that is looked for where no driver says

static const double DISASSEMBLER_LIMIT_S = 10;  // it takes less than 1 s

struct build_target machine_text_target(const struct device *device)
{
    struct build_target target = {.arch = H200, .newest_major = NEWEST_MAJOR};
    const char *const cuda = strstr(device->driver, "CUDA ");
    sscanf(device->arch, "sm_%d", &target.arch);
    if (device->is_gpu && cuda) sscanf(cuda, "CUDA %d", &target.newest_major);
    return target;
}

bool machine_text_read_arch(const char *text, struct build_target *target, struct error *err)
{
    const char *const digits = text + (g_str_has_prefix(text, "sm_") ? strlen("sm_") : 0);
    guint64 arch;
    if (!g_ascii_string_to_unsigned(digits, 10, 10, 999, &arch, NULL))
        return error_set(err, "arch '%s' is not understood; expected sm_N, such as sm_86", text);
    target->arch = (int)arch;
    return true;
}

// nvdisasm wants a file that it can seek in. NULL: err.
static char *disassemble(char *program, const struct build_code *code, struct error *err)
{
    g_autofree char *path = NULL, *said = NULL;
    g_autoptr(GError) why = NULL;
    const int file = g_file_open_tmp("tilescope-XXXXXX.cubin", &path, &why);
    if (file >= 0) close(file);
    const struct process process = {.command = (char *const[]){program, NULL},
                                    .arguments = (const char *const[]){"-c", "-gi", path, NULL},
                                    .limit_s = DISASSEMBLER_LIMIT_S,
                                    .max_output = FILE_MAX_TEXT_BYTES};
    const bool is_written =
        file >= 0 && g_file_set_contents(path, code->bytes, (gssize)code->size, &why);
    const bool is_done = is_written && process_run(&process, &said, err);
    if (file >= 0) g_unlink(path);
    if (is_done) return g_steal_pointer(&said);
    if (!is_written || said)
        error_set(err, "%s: %s", program,
                  why                 ? why->message
                  : *g_strstrip(said) ? said
                                      : "it failed");
    return NULL;
}

static bool translate_here(const struct build_target *target, const struct build *build,
                           const char *include, struct build_code *code, struct error *err)
{
    struct translator *t = backend_translator(target, err);
    const bool is_done = t && backend_translate(t, build, include, code, err);
    backend_translator_free(t);
    return is_done;
}

// ---- in a process apart ----
// One file holds the request: path, source, calls, params, include, and the target. The code takes
// its place.

#define REQUEST "(sssssiib)"
enum { CPU_S = 30 };  // for what takes 2 s

bool machine_text_serve(char *const words[MACHINE_TEXT_WORDS], struct error *err)
{
    struct build build = {.path = NULL};
    struct build_target target = {.arch = 0};
    struct build_code code = {.bytes = NULL};
    const char *include;
    g_autofree char *bytes = NULL;
    gsize size = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    g_file_get_contents(words[0], &bytes, &size, NULL);
    g_autoptr(GVariant) request =
        g_variant_new_from_data(G_VARIANT_TYPE(REQUEST), bytes, size, FALSE, NULL, NULL);
    g_variant_get(request, "(&s&s&s&s&siib)", &build.path, &build.source, &build.calls,
                  &build.params, &include, &target.arch, &target.newest_major, &target.wants_ptx);
    if (!*build.params) build.params = NULL;
    const bool is_done = translate_here(&target, &build, include, &code, err) &&
                         file_write(words[0], code.bytes, code.size, err);
    g_free(code.bytes);
    return is_done;
}

static bool translate(const struct build_target *target, const struct build *build,
                      const struct machine_text_words *words, struct build_code *code,
                      struct error *err)
{
    if (words->loaded && !target->wants_ptx) {
        *code = (struct build_code){g_memdup2(words->loaded->bytes, words->loaded->size),
                                    words->loaded->size};
        return true;
    }
    if (!words->cancel) return translate_here(target, build, words->include, code, err);
    g_autofree char *path = NULL, *said = NULL;
    g_autoptr(GVariant) request = g_variant_ref_sink(
        g_variant_new(REQUEST, build->path, build->source, build->calls, words->params,
                      words->include, target->arch, target->newest_major, target->wants_ptx));
    const int file = g_file_open_tmp("tilescope-XXXXXX", &path, NULL);
    const struct process process = {
        .command = (char *const[]){"/proc/self/exe", "--machine-text", path, NULL},
        .arguments = (const char *const[]){NULL},
        .cancel = words->cancel,
        .cpu_s = CPU_S};
    const bool is_done =
        (file >= 0 || error_set(err, "cannot run NVRTC apart: there is no room for its file")) &&
        file_write(path, g_variant_get_data(request), g_variant_get_size(request), err) &&
        process_run(&process, &said, err) &&
        g_file_get_contents(path, (char **)&code->bytes, &code->size, NULL);
    if (said && *said)
        error_set_log(err, said);
    else if (said && !is_done)
        error_set(err, "NVRTC was stopped: it takes more than %d s", CPU_S);
    if (file >= 0) close(file);
    if (file >= 0) g_unlink(path);
    return is_done;
}

// ---- the text ----

bool machine_text_make(struct machine_text *m, const struct filter *f,
                       const struct machine_text_words *words, struct error *err)
{
    struct build_target target = words->target;
    const struct build build = {.path = f->path,
                                .source = f->source,
                                .calls = f->calls,
                                .params = *words->params ? words->params : NULL};
    struct build_code code = {.bytes = NULL};
    g_autofree char *program = target.wants_ptx ? NULL : backend_find_program("nvdisasm");
    *m = (struct machine_text){.text = NULL};
    if (!program && !target.wants_ptx)
        error_set(&m->why_no_sass, "nvdisasm is not installed: it comes with the CUDA toolkit and "
                                   "with `pip install nvidia-cuda-nvdisasm`");
    target.wants_ptx |= !program;
    if (!translate(&target, &build, words, &code, err)) return false;
    if (code.size < SELFMAG || memcmp(code.bytes, ELFMAG, SELFMAG) != 0) {
        if (program)
            error_set(&m->why_no_sass,
                      "this NVRTC is older than sm_%d: a driver would translate "
                      "its PTX",
                      target.arch);
        m->text = code.bytes;
        return true;
    }
    m->text = disassemble(program, &code, &m->why_no_sass);
    g_free(code.bytes);
    if (m->text) return true;
    target.wants_ptx = true;
    const bool is_done = translate(&target, &build, words, &code, err);
    m->text = is_done ? code.bytes : NULL;
    return is_done;
}
