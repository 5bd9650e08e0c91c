#include "device/cuda/nvrtc.h"

#include "device/build_log.h"
#include "device/cache.h"
#include "device/cuda/shared_object.h"
#include "device/device_text.h"
#include "device/library_words.h"

#include <dlfcn.h>
#include <glib.h>
#include <string.h>

// The part of NVRTC's C interface that is used here, declared by hand: machines without a toolkit
// lack its header, and this module's header has the same name. Results are enum nvrtcResult; 0 is
// success.
struct translator {
    int major, minor;
    int arch;    // of the target
    int oldest;  // oldest architecture that it makes code for
    bool is_ptx_wanted;
    int nearest;  // the newest of those that are not newer than the target's; 0: there is none
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
    {"nvrtcVersion", offsetof(struct translator, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(struct translator, num_archs)},
    {"nvrtcGetSupportedArchs", offsetof(struct translator, get_archs)},
    {"nvrtcCreateProgram", offsetof(struct translator, create)},
    {"nvrtcCompileProgram", offsetof(struct translator, compile)},
    {"nvrtcDestroyProgram", offsetof(struct translator, destroy)},
    {"nvrtcGetCUBINSize", offsetof(struct translator, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(struct translator, cubin)},
    {"nvrtcGetPTXSize", offsetof(struct translator, ptx_size)},
    {"nvrtcGetPTX", offsetof(struct translator, ptx)},
    {"nvrtcGetProgramLogSize", offsetof(struct translator, log_size)},
    {"nvrtcGetProgramLog", offsetof(struct translator, log)},
    {"nvrtcGetErrorString", offsetof(struct translator, error_string)},
};

// ---- finding the library ----

// path is where the library was found; NULL: the dynamic linker found it by name.
static void *find_library(int newest_major, char **path, struct error *err)
{
    const char *chosen = g_getenv("TILESCOPE_NVRTC");
    void *library = NULL;
    if (chosen && !g_file_test(chosen, G_FILE_TEST_IS_DIR)) {
        *path = g_strdup(chosen);
        library = shared_object_open(chosen);
    } else {
        library = shared_object_find(chosen, "libnvrtc", newest_major, path);
    }
    if (!library && chosen)
        error_set(err,
                  "cannot load NVRTC, CUDA's run-time compiler: TILESCOPE_NVRTC names '%s', which "
                  "is neither a libnvrtc.so nor a folder with libnvrtc.so.%d or .%d",
                  chosen, newest_major, SHARED_OBJECT_OLDEST_MAJOR);
    if (!library && !chosen)
        error_set(err,
                  "cannot load NVRTC, CUDA's run-time compiler: no libnvrtc.so.%d to .%d among the "
                  "system's libraries, in CUDA_HOME, CUDA_PATH, CONDA_PREFIX, /usr/local/cuda* or "
                  "Python's packages; install the CUDA toolkit or `pip install "
                  "nvidia-cuda-nvrtc`, or name its folder in TILESCOPE_NVRTC",
                  newest_major, SHARED_OBJECT_OLDEST_MAJOR);
    return library;
}

static struct translator *open_version(int newest_major, int arch, struct error *err)
{
    struct translator *n = g_new0(struct translator, 1);
    g_autofree char *path = NULL;
    void *const library = find_library(newest_major, &path, err);
    bool is_good = library != NULL;
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(symbols); i++) {
        void *const address = dlsym(library, symbols[i].name);
        memcpy((char *)n + symbols[i].offset, &address, sizeof address);
        is_good = address || error_set(err, "cannot load NVRTC: '%s' has no function %s",
                                       path ? path : "libnvrtc", symbols[i].name);
    }
    int count = 0;
    if (is_good && (n->version(&n->major, &n->minor) || n->num_archs(&count)))
        is_good = error_set(err, "NVRTC does not tell its version");
    g_autofree int *archs = g_new0(int, (gsize)count + 1);  // ascending: 75, 80 ...
    if (is_good && n->get_archs(archs))
        is_good = error_set(err, "NVRTC does not tell its architectures");
    if (!is_good) {
        g_free(n);
        return NULL;
    }
    n->arch = arch;
    n->oldest = archs[0];
    for (int i = 0; i < count; i++)
        if (archs[i] <= arch) n->nearest = MAX(n->nearest, archs[i]);
    // NVRTC opens its builtins by bare name when it first compiles, which fails if NVRTC was found
    // by path, or if this process may open nothing by then. Once they are loaded, the bare name is
    // known.
    g_autofree char *name = g_strdup_printf("libnvrtc-builtins.so.%d.%d", n->major, n->minor);
    g_autofree char *folder = path ? g_path_get_dirname(path) : g_strdup("");
    g_autofree char *builtins = g_build_filename(folder, name, NULL);
    shared_object_open(builtins);
    return n;
}

struct translator *nvrtc_open(const struct build_target *target, struct error *err)
{
    struct error why = {""};
    struct translator *n = open_version(target->newest_major, target->arch, &why);
    int major = n ? n->major : 0;
    while (n && !n->nearest) {
        if (!*why.text)
            error_set(&why, "no code for sm_%d: NVRTC %d.%d makes code from sm_%d on", target->arch,
                      n->major, n->minor, n->oldest);
        g_free(n);
        n = --major >= SHARED_OBJECT_OLDEST_MAJOR ? open_version(major, target->arch, NULL) : NULL;
    }
    if (!n) error_set(err, "%s", why.text);
    if (n) n->is_ptx_wanted = target->wants_ptx;
    return n;
}

void nvrtc_close(struct translator *n)
{
    g_free(n);
}

// ---- options ----

// Asks for machine code if NVRTC knows the GPU, unless PTX is wanted, else for PTX of the nearest
// older arch, which the driver of every later GPU can translate.
static bool wants_ptx(const struct translator *n)
{
    return n->is_ptx_wanted || n->nearest != n->arch;
}

// Ends with NULL; g_strfreev frees it.
static char **options_for(const struct translator *n, const struct build *build,
                          const struct headers *headers)
{
    GPtrArray *list = g_ptr_array_new();
    g_ptr_array_add(list, g_strdup_printf("--gpu-architecture=%s_%d",
                                          wants_ptx(n) ? "compute" : "sm", n->nearest));
    // Without this NVRTC raises RLIMIT_STACK of the whole process while it compiles.
    g_ptr_array_add(list, g_strdup("--modify-stack-limit=false"));
    // A product and a sum are rounded one after the other, as by references and the CPU device; a
    // kernel that wants them rounded once says fmaf().
    g_ptr_array_add(list, g_strdup("--fmad=false"));
    // Functions of a struct say nothing about the device where a whole program was written for
    // both.
    if (build->calls) g_ptr_array_add(list, g_strdup("--device-as-default-execution-space"));
    // For profilers. NVRTC 13.0 copies paths into its PTX as they are, and ptxas cannot read `bad`.
    static const char bad[] = "\"\\";
    bool has_bad = strpbrk(build->path, bad);
    for (int i = 0; i < headers->count; i++) has_bad |= strpbrk(headers->list[i].path, bad) != NULL;
    if (!has_bad) g_ptr_array_add(list, g_strdup("-lineinfo"));
    if (build->params)
        g_ptr_array_add(list, g_strconcat("--define-macro=PARAMS=", build->params, NULL));
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

// Stands in front of a file's text. NVRTC has no headers of the C library, so this has what kernels
// use of them. A kernel becomes a device function, which the code behind the file calls from
// kernels of its own (kernels/launch.h); launch bounds belong to those.
static const char words[] = "typedef unsigned char uchar, uint8_t;\n"
                            "typedef signed char int8_t;\n"
                            "typedef unsigned short ushort, uint16_t;\n"
                            "typedef short int16_t;\n"
                            "typedef unsigned int uint, uint32_t;\n"
                            "typedef int int32_t;\n"
                            "typedef unsigned long ulong, uint64_t, uintptr_t;\n"
                            "typedef long int64_t, intptr_t, ptrdiff_t;\n"
                            "#define INFINITY __int_as_float(0x7f800000)\n"
                            "#define FLT_MAX 3.402823466e+38f\n"
                            "#define FLT_MIN 1.175494351e-38f\n"
                            "#define FLT_EPSILON 1.192092896e-7f\n"
                            "#define INT_MAX 2147483647\n"
                            "#define INT_MIN (-INT_MAX - 1)\n"
                            "#define UINT_MAX 4294967295u\n"
                            "#define LLONG_MAX 9223372036854775807ll\n"
                            "#define LLONG_MIN (-LLONG_MAX - 1)\n"
                            "#define ULLONG_MAX 18446744073709551615ull\n"
                            "#define CHAR_BIT 8\n"
                            "#define NAN __int_as_float(0x7fffffff)\n"
                            "#define DBL_MAX 1.7976931348623157e+308\n"
                            "#define DBL_MIN 2.2250738585072014e-308\n"
                            "#define DBL_EPSILON 2.2204460492503131e-16\n"
                            "#define M_PI 3.14159265358979323846\n"
                            "#undef __global__\n"
                            "#define __global__ __device__ __forceinline__\n"
                            "#undef __launch_bounds__\n"
                            "#define __launch_bounds__(...)\n";

static char *whole_text(const struct build *build, const struct headers *headers)
{
    if (!build->calls) return g_strdup(build->source);
    g_autofree char *own = device_text_named(build->path, build->source, build->calls, headers);
    return g_strdup_printf("%s%s%s%s\n#line 1 \"" BUILD_LOG_CALLS "\"\n%s", words, library_words,
                           headers->before, own, build->calls);
}

char *nvrtc_key(const struct translator *n, const struct build *build,
                const struct headers *headers)
{
    g_autofree char *version = g_strdup_printf("nvrtc %d.%d", n->major, n->minor);
    g_auto(GStrv) list = options_for(n, build, headers);
    g_autofree char *options = g_strjoinv(" ", list);
    g_autofree char *contract = headers_key(headers);
    g_autofree char *text = whole_text(build, headers);
    return cache_key(version, options, build->path, text, contract, NULL);
}

// ---- the log ----

// A message is at a line, at the end of the file, or from the later stages, which know no line.
// Warnings have these forms too and end the message before them. An error inside a macro's argument
// comes each time that the macro uses the argument; the log drops the copies.
static const struct build_log_form form = {
    .first = "^(?:(?<path>.+)\\((?<line>\\d+)\\): |(?<end>At end of source: )"
             "|(?:ptxas|nvrtc|nvvm)\\b.*?)"
             "(?:(?<error>(?:catastrophic |internal )?error|fatal)|(?<note>note)"
             "|warning|remark|info)(?: #[0-9A-Z-]+)?\\s*: (?<text>.*)$",
    // "detected during instantiation of "void sum()" at line 8 of dir/try.cu"
    .user = " at line (?<line>\\d+) of (?<path>.+)$",
    .noise = "^\\s*$|^Remark: | detected in the compilation of "
             "|^Compilation (aborted|terminated)|^ptxas .* aborted due to errors",
    .has_more = true,
};

bool nvrtc_compile(const struct translator *n, const struct build *build,
                   const struct headers *headers, struct build_code *code, struct error *err)
{
    g_auto(GStrv) options = options_for(n, build, headers);
    void *program = NULL;
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < headers->count; i++) {
        const struct header *const h = &headers->list[i];
        const char *const calls = h->is_users ? build->calls : NULL;
        g_ptr_array_add(texts, device_text_named(h->path, h->text, calls, headers));
        g_ptr_array_add(names, g_path_get_basename(h->path));
    }
    g_autofree char *text = whole_text(build, headers);
    int result = n->create(&program, text, build->path, headers->count,
                           (const char *const *)texts->pdata, (const char *const *)names->pdata);
    if (result == 0)
        result = n->compile(program, (int)g_strv_length(options), (const char *const *)options);
    const bool is_ptx = wants_ptx(n);
    size_t size = 0;
    if (result == 0) result = (is_ptx ? n->ptx_size : n->cubin_size)(program, &size);
    g_autofree char *bytes = g_malloc(size);
    const bool is_done = result == 0 && size && !(is_ptx ? n->ptx : n->cubin)(program, bytes);
    if (is_done) *code = (struct build_code){g_steal_pointer(&bytes), size};
    size = 0;
    if (!program || n->log_size(program, &size) != 0) size = 0;
    g_autofree char *log = g_malloc0(size + 1);
    if (size > 0) n->log(program, log);
    if (!is_done && !build_log_tell(build, headers, &form, log, err))
        error_set(err, "cannot compile '%s': NVRTC: %s", build->path, n->error_string(result));
    if (program) n->destroy(&program);
    return is_done;
}
