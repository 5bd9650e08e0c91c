#include "device/cuda/nvrtc.h"

#include "device/build_log.h"
#include "device/cache.h"
#include "device/cuda/shared_object.h"

#include <dlfcn.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

// The part of NVRTC's C interface that is used here, declared by hand: machines without a toolkit
// lack its header, and this module's header has the same name. Results are enum nvrtcResult; 0 is
// success.
struct nvrtc {
    int major, minor;
    int *archs, arch_count;
    int (*version)(int *major, int *minor);
    int (*num_archs)(int *count);
    int (*get_archs)(int *archs);
    int (*create)(void **program, const char *source, const char *name, int header_count,
                  const char *const *headers, const char *const *include_names);
    int (*compile)(void *program, int option_count, const char *const *options);
    int (*destroy)(void **program);
    int (*cubin_size)(void *program, size_t *size);
    int (*cubin)(void *program, char *cubin);
    int (*ptx_size)(void *program, size_t *size);
    int (*ptx)(void *program, char *ptx);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *log);
    const char *(*error_string)(int result);
};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    {"nvrtcVersion", offsetof(struct nvrtc, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(struct nvrtc, num_archs)},
    {"nvrtcGetSupportedArchs", offsetof(struct nvrtc, get_archs)},
    {"nvrtcCreateProgram", offsetof(struct nvrtc, create)},
    {"nvrtcCompileProgram", offsetof(struct nvrtc, compile)},
    {"nvrtcDestroyProgram", offsetof(struct nvrtc, destroy)},
    {"nvrtcGetCUBINSize", offsetof(struct nvrtc, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(struct nvrtc, cubin)},
    {"nvrtcGetPTXSize", offsetof(struct nvrtc, ptx_size)},
    {"nvrtcGetPTX", offsetof(struct nvrtc, ptx)},
    {"nvrtcGetProgramLogSize", offsetof(struct nvrtc, log_size)},
    {"nvrtcGetProgramLog", offsetof(struct nvrtc, log)},
    {"nvrtcGetErrorString", offsetof(struct nvrtc, error_string)},
};

// ---- finding the library ----

static bool set_missing(const char *chosen, int newest_major, struct error *err)
{
    if (chosen)
        return error_set(err,
                         "cannot load NVRTC, CUDA's run-time compiler: TILESCOPE_NVRTC names '%s', "
                         "which is neither a libnvrtc.so nor a folder with libnvrtc.so.%d or .%d",
                         chosen, newest_major, SHARED_OBJECT_OLDEST_MAJOR);
    return error_set(err,
                     "cannot load NVRTC, CUDA's run-time compiler: no libnvrtc.so.%d to .%d "
                     "among the system's libraries, in CUDA_HOME, CUDA_PATH, CONDA_PREFIX, "
                     "/usr/local/cuda* or Python's packages; install the CUDA toolkit or `pip "
                     "install nvidia-cuda-nvrtc`, or name its folder in TILESCOPE_NVRTC",
                     newest_major, SHARED_OBJECT_OLDEST_MAJOR);
}

// path is where the library was found; NULL: the dynamic linker found it by name.
static void *find_library(int newest_major, char **path, struct error *err)
{
    const char *chosen = g_getenv("TILESCOPE_NVRTC");
    void *library = NULL;
    if (chosen && !g_file_test(chosen, G_FILE_TEST_IS_DIR)) {
        *path = g_strdup(chosen);
        library = shared_object_open(chosen);
    } else if (chosen) {
        library = shared_object_find_in(chosen, "libnvrtc", newest_major, path);
    } else {
        library = shared_object_find("libnvrtc", newest_major, path);
    }
    if (!library) set_missing(chosen, newest_major, err);
    return library;
}

static bool resolve(struct nvrtc *n, void *library, const char *path, struct error *err)
{
    for (size_t i = 0; i < G_N_ELEMENTS(symbols); i++) {
        void *const address = dlsym(library, symbols[i].name);
        if (!address)
            return error_set(err, "cannot load NVRTC: '%s' has no function %s",
                             path ? path : "libnvrtc", symbols[i].name);
        memcpy((char *)n + symbols[i].offset, &address, sizeof address);
    }
    return true;
}

static bool read_facts(struct nvrtc *n, struct error *err)
{
    if (n->version(&n->major, &n->minor) || n->num_archs(&n->arch_count))
        return error_set(err, "NVRTC does not tell its version");
    n->archs = g_new0(int, (gsize)n->arch_count + 1);
    return n->get_archs(n->archs) == 0 || error_set(err, "NVRTC does not tell its architectures");
}

// NVRTC opens its builtins by bare name when it first compiles, which fails if NVRTC was found by
// path, or if this process may open nothing by then. Once they are loaded, the bare name is known.
static void preload_builtins(const struct nvrtc *n, const char *path)
{
    char *name = g_strdup_printf("libnvrtc-builtins.so.%d.%d", n->major, n->minor);
    char *folder = path ? g_path_get_dirname(path) : g_strdup("");
    char *builtins = g_build_filename(folder, name, NULL);
    shared_object_open(builtins);
    g_free(builtins);
    g_free(folder);
    g_free(name);
}

struct nvrtc *nvrtc_open(int newest_major, struct error *err)
{
    struct nvrtc *n = g_new0(struct nvrtc, 1);
    char *path = NULL;
    void *const library = find_library(newest_major, &path, err);
    if (!library || !resolve(n, library, path, err) || !read_facts(n, err)) {
        nvrtc_close(n);
        n = NULL;
    } else {
        preload_builtins(n, path);
    }
    g_free(path);
    return n;
}

void nvrtc_close(struct nvrtc *n)
{
    if (!n) return;
    g_free(n->archs);
    g_free(n);
}

int nvrtc_archs(const struct nvrtc *n, const int **archs)
{
    *archs = n->archs;
    return n->arch_count;
}

// ---- options ----

// The newest supported arch that is not newer than the wanted one; 0: there is none.
static int nearest_arch(const struct nvrtc *n, int wanted)
{
    int nearest = 0;
    for (int i = 0; i < n->arch_count; i++)
        if (n->archs[i] <= wanted) nearest = MAX(nearest, n->archs[i]);
    return nearest;
}

bool nvrtc_can_make(const struct nvrtc *n, int arch, struct error *err)
{
    return nearest_arch(n, arch) || error_set(err, "NVRTC %d.%d makes code from sm_%d on", n->major,
                                              n->minor, n->arch_count ? n->archs[0] : 0);
}

struct nvrtc *nvrtc_open_for(int newest_major, int arch, struct error *err)
{
    struct error why = {""};
    struct nvrtc *n = nvrtc_open(newest_major, &why);
    int major = n ? n->major : 0;
    while (n && !nvrtc_can_make(n, arch, NULL)) {
        if (!*why.text && !nvrtc_can_make(n, arch, &why))
            error_prefix(&why, "no code for sm_%d: ", arch);
        nvrtc_close(n);
        n = --major >= SHARED_OBJECT_OLDEST_MAJOR ? nvrtc_open(major, NULL) : NULL;
    }
    if (!n) error_set(err, "%s", why.text);
    return n;
}

// NVRTC 13.0 copies paths into its PTX as they are, and ptxas cannot read these two characters.
static bool can_show_lines(const struct nvrtc_job *job)
{
    static const char bad[] = "\"\\";
    for (int i = 0; i < job->headers->count; i++)
        if (strpbrk(job->headers->list[i].path, bad)) return false;
    return !strpbrk(job->path, bad);
}

// Asks for machine code if NVRTC knows the GPU, else for PTX of the nearest older arch, which the
// driver of every later GPU can translate.
static bool wants_ptx(const struct nvrtc *n, const struct nvrtc_job *job)
{
    return nearest_arch(n, job->arch) != job->arch;
}

// Ends with NULL; g_strfreev frees it.
static char **options_for(const struct nvrtc *n, const struct nvrtc_job *job)
{
    GPtrArray *list = g_ptr_array_new();
    g_ptr_array_add(list, g_strdup_printf("--gpu-architecture=%s_%d",
                                          wants_ptx(n, job) ? "compute" : "sm",
                                          nearest_arch(n, job->arch)));
    // Without it NVRTC raises RLIMIT_STACK of the whole process while it compiles.
    g_ptr_array_add(list, g_strdup("--modify-stack-limit=false"));
    // A product and a sum are rounded one after the other, as by REFERENCE and the CPU device; a
    // kernel that wants them rounded once says fmaf().
    g_ptr_array_add(list, g_strdup("--fmad=false"));
    if (can_show_lines(job)) g_ptr_array_add(list, g_strdup("-lineinfo"));  // for profilers
    if (job->params)
        g_ptr_array_add(list, g_strconcat("--define-macro=PARAMS=", job->params, NULL));
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

// A header's text, preceded by its real path for messages: NVRTC knows only its include name.
static char *header_with_path(const struct header *header)
{
    GString *text = g_string_new("#line 1 \"");
    for (const char *c = header->path; *c; c++) {
        if (*c == '"' || *c == '\\') g_string_append_c(text, '\\');
        g_string_append_c(text, *c);
    }
    g_string_append_printf(text, "\"\n%s", header->text);
    return g_string_free(text, FALSE);
}

char *nvrtc_key(const struct nvrtc *n, const struct nvrtc_job *job)
{
    char *version = g_strdup_printf("nvrtc %d.%d", n->major, n->minor);
    char **list = options_for(n, job), *options = g_strjoinv(" ", list);
    char *headers = headers_key(job->headers);
    char *key = cache_key(version, options, job->path, job->source, headers, NULL);
    g_free(headers);
    g_free(options);
    g_strfreev(list);
    g_free(version);
    return key;
}

// ---- the log ----

// The first line of a message: at a line, at the end of the file, or from the later stages, which
// know no line. Warnings and notes have these forms too and end the message before them.
static const char log_message[] =
    "^(?:(.+)\\((\\d+)\\): |(At end of source: )|(?:ptxas|nvrtc|nvvm)\\b.*?)"
    "((?:catastrophic |internal )?error|fatal|warning|note|remark|info)"
    "(?: #[0-9A-Z-]+)?\\s*: (.*)$";
enum { MESSAGE_PATH = 1, MESSAGE_LINE, MESSAGE_END, MESSAGE_KIND, MESSAGE_TEXT };

// Texts that the compiler adds around its messages.
static const char log_noise[] =
    "^\\s*$|^Remark: | detected in the compilation of "
    "|^Compilation (aborted|terminated)|^ptxas .* aborted due to errors";

// The message that is being read. Below its first line follow, indented by two, further lines of
// it, the line of source, and a caret, which is preceded by as many blanks as the column has bytes.
struct reader {
    const struct nvrtc_job *job;
    struct build_log *log;
    bool is_kept;  // an error, not a warning
    char *path, *message;
    int line, column;
    GPtrArray *more;  // further lines
};

static void end_message(struct reader *r)
{
    g_ptr_array_add(r->more, NULL);
    char *more = g_strjoinv("\n", (char **)r->more->pdata);
    if (r->is_kept)
        build_log_add(r->log, r->path, r->line, r->column, r->message, *more ? more : NULL);
    g_free(more);
    g_ptr_array_set_size(r->more, 0);
    g_clear_pointer(&r->path, g_free);
    g_clear_pointer(&r->message, g_free);
    r->is_kept = false;
    r->line = r->column = 0;
}

static void begin_message(struct reader *r, const GMatchInfo *match)
{
    char **parts = g_match_info_fetch_all(match);
    const bool is_at_end = *parts[MESSAGE_END], has_path = *parts[MESSAGE_PATH];
    end_message(r);
    r->is_kept = strstr(parts[MESSAGE_KIND], "error") || strstr(parts[MESSAGE_KIND], "fatal");
    r->path = g_strdup(has_path ? parts[MESSAGE_PATH] : r->job->path);
    r->message = g_strconcat(parts[MESSAGE_TEXT], is_at_end ? " at the end of the file" : "", NULL);
    r->line = is_at_end ? 1 : atoi(parts[MESSAGE_LINE]);
    for (const char *c = r->job->source; is_at_end && *c; c++) r->line += *c == '\n' && c[1];
    g_strfreev(parts);
}

// The log shows the line of source above the caret by itself.
static void read_more(struct reader *r, const char *line)
{
    enum { INDENT = 2 };
    const size_t blanks = strspn(line, " \t");
    if (!strcmp(line + blanks, "^") && r->more->len) {
        r->column = (int)blanks - INDENT + 1;
        g_ptr_array_remove_index(r->more, r->more->len - 1);
    } else {
        g_ptr_array_add(r->more, g_strconcat("    ", line + blanks, NULL));
    }
}

static void read_line(struct reader *r, const GRegex *first, const char *line)
{
    GMatchInfo *match = NULL;
    if (g_regex_match_simple(log_noise, line, 0, 0)) return;
    if (g_regex_match(first, line, 0, &match))
        begin_message(r, match);
    else
        read_more(r, line);
    g_match_info_free(match);
}

// NVRTC reports an error inside a macro's argument each time that the macro uses the argument. The
// log drops the copies.
static bool tidy_log(const char *raw, const struct nvrtc_job *job, struct error *err)
{
    struct reader r = {.job = job, .more = g_ptr_array_new_with_free_func(g_free)};
    r.log = build_log_create(job->path, job->source, job->headers);
    GRegex *first = g_regex_new(log_message, 0, 0, NULL);
    char *valid = g_utf8_make_valid(raw, -1);
    char **lines = g_strsplit(valid, "\n", -1);
    for (int i = 0; lines[i]; i++) read_line(&r, first, lines[i]);
    end_message(&r);
    const bool has_errors = build_log_take(r.log, err);
    g_strfreev(lines);
    g_free(valid);
    g_ptr_array_free(r.more, TRUE);
    g_regex_unref(first);
    build_log_free(r.log);
    return has_errors;
}

static void set_log(const struct nvrtc *n, void *program, const struct nvrtc_job *job, int result,
                    struct error *err)
{
    size_t size = 0;
    if (n->log_size(program, &size) != 0) size = 0;
    char *raw = g_malloc0(size + 1);
    if (size > 0) n->log(program, raw);
    if (!tidy_log(raw, job, err))
        error_set(err, "cannot compile '%s': NVRTC: %s", job->path, n->error_string(result));
    g_free(raw);
}

// ---- compiling ----

static bool take_binary(const struct nvrtc *n, void *program, bool is_ptx, void **binary,
                        size_t *size)
{
    size_t bytes = 0;
    int result = is_ptx ? n->ptx_size(program, &bytes) : n->cubin_size(program, &bytes);
    if (result != 0 || bytes == 0) return false;
    char *memory = g_malloc(bytes);
    result = is_ptx ? n->ptx(program, memory) : n->cubin(program, memory);
    if (result != 0) {
        g_free(memory);
        return false;
    }
    *binary = memory;
    *size = bytes;
    return true;
}

// Makes an NVRTC program of the job's text and headers; returns NVRTC's result.
static int create_program(const struct nvrtc *n, const struct nvrtc_job *job, void **program)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < job->headers->count; i++) {
        g_ptr_array_add(texts, header_with_path(&job->headers->list[i]));
        g_ptr_array_add(names, g_path_get_basename(job->headers->list[i].path));
    }
    const int result =
        n->create(program, job->source, job->path, job->headers->count,
                  (const char *const *)texts->pdata, (const char *const *)names->pdata);
    g_ptr_array_free(texts, TRUE);
    g_ptr_array_free(names, TRUE);
    return result;
}

bool nvrtc_compile(const struct nvrtc *n, const struct nvrtc_job *job, void **binary, size_t *size,
                   struct error *err)
{
    if (!nvrtc_can_make(n, job->arch, err))
        return error_prefix(err, "cannot compile '%s' for sm_%d: ", job->path, job->arch);

    char **options = options_for(n, job);
    void *program = NULL;
    bool is_done = false;
    int result = create_program(n, job, &program);
    if (result == 0) {
        result = n->compile(program, (int)g_strv_length(options), (const char *const *)options);
        is_done = result == 0 && take_binary(n, program, wants_ptx(n, job), binary, size);
        if (!is_done) set_log(n, program, job, result, err);
        n->destroy(&program);
    } else {
        error_set(err, "cannot compile '%s': NVRTC: %s", job->path, n->error_string(result));
    }
    g_strfreev(options);
    return is_done;
}
