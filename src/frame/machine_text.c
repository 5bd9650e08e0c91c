#include "frame/machine_text.h"

#include <elf.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "device/process.h"

enum { H200 = 90, NEWEST_MAJOR = 15 };  // the newest CUDA to look for if no driver names one

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
static char *disassemble(char *program, const struct build_code *code, const atomic_bool *cancel,
                         struct error *err)
{
    g_autofree char *path = NULL, *said = NULL;
    g_autoptr(GError) why = NULL;
    const int file = g_file_open_tmp("tilescope-XXXXXX.cubin", &path, &why);
    if (file >= 0) close(file);
    const struct process process = {.command = (char *const[]){program, NULL},
                                    .arguments = (const char *const[]){"-c", "-gi", path, NULL},
                                    .limit_s = DISASSEMBLER_LIMIT_S,
                                    .cancel = cancel,
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

static bool translate(const struct translation *t, const struct build_code *loaded,
                      struct build_code *code, struct error *err)
{
    if (!loaded || t->target.wants_ptx)
        return t->cancel ? translator_run(t, code, err) : translator_run_here(t, code, err);
    *code = (struct build_code){g_memdup2(loaded->bytes, loaded->size), loaded->size};
    return true;
}

bool machine_text_make(struct machine_text *m, const struct filter *f,
                       const struct translation *asked, const struct build_code *loaded,
                       struct error *err)
{
    struct translation t = *asked;
    const char *const params = asked->build.params;
    t.program = "/proc/self/exe";
    t.build = (struct build){
        .path = f->path, .source = f->source, .calls = f->calls, .params = *params ? params : NULL};
    struct build_code code = {.bytes = NULL};
    g_autofree char *program = t.target.wants_ptx ? NULL : backend_find_program("nvdisasm");
    *m = (struct machine_text){.text = NULL};
    if (!program && !t.target.wants_ptx)
        error_set(&m->why_no_sass, "nvdisasm is not installed: it comes with the CUDA toolkit and "
                                   "with `pip install nvidia-cuda-nvdisasm`");
    t.target.wants_ptx |= !program;
    if (!translate(&t, loaded, &code, err)) return false;
    if (code.size < SELFMAG || memcmp(code.bytes, ELFMAG, SELFMAG) != 0) {
        if (program)
            error_set(&m->why_no_sass,
                      "this NVRTC is older than sm_%d: a driver would translate "
                      "its PTX",
                      t.target.arch);
        m->text = code.bytes;
        return true;
    }
    m->text = disassemble(program, &code, t.cancel, &m->why_no_sass);
    g_free(code.bytes);
    if (m->text) return true;
    if (t.cancel && atomic_load(t.cancel)) return error_set(err, "%s", m->why_no_sass.text);
    t.target.wants_ptx = true;
    const bool is_done = translate(&t, loaded, &code, err);
    m->text = is_done ? code.bytes : NULL;
    return is_done;
}
