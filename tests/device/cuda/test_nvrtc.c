// NVRTC without a GPU: every kernel file compiles for old and new architectures, and what the
// compiler says reaches a person as build_log.h has it.
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "device/cuda/nvrtc.h"
#include "filter/launch.h"
#include "folder.h"

enum { NEWEST_MAJOR = 13, NEWER_THAN_12 = 100, GENERIC = -1 };

// The kernels ask whether the architecture is 80 or newer: the oldest one meets a small radius as a
// literal, and 90 a radius that is not known, the least and the greatest. The others meet one file,
// a lab with global, shared and constant memory, or for the oldest a filter.
static const struct {
    int arch, radius;
    const char *only;  // NULL: all files
} targets[] = {{.arch = 75, .radius = GENERIC, .only = "mean.cu"},
               {.arch = 75, .radius = 3},
               {.arch = 80, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 86, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 89, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 90, .radius = GENERIC},
               {.arch = 90, .radius = 0},
               {.arch = 90, .radius = 64},
               {.arch = 100, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 120, .radius = GENERIC, .only = "constants.cu"}};

static struct header header_list[] = {{"some/where/kernel.h", "struct plane;\n"},
                                      {"some/where/other.h", "#include \"kernel.h\"\n"}};
static const struct headers headers = {header_list, G_N_ELEMENTS(header_list)};

// Not on this machine: the test is skipped.
static struct translator *open_or_skip(int arch)
{
    struct translator *n =
        nvrtc_open(&(struct build_target){.arch = arch, .newest_major = NEWEST_MAJOR}, &err);
    if (!n) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    return n;
}

static bool compile_text(const char *source, struct build build, const struct headers *with)
{
    struct translator *n = open_or_skip(90);
    g_autofree void *bytes = NULL;
    struct build_code code = {.bytes = NULL};
    if (!build.path) build.path = "dir/try.cu";
    build.source = source;
    const bool is_done = nvrtc_compile(n, &build, with, &code, &err);
    bytes = code.bytes;
    assert_int_equal(is_done, code.bytes != NULL);
    assert_int_equal(is_done, code.size > 0);
    nvrtc_close(n);
    return is_done;
}

static void assert_refused(const char *source, struct build build, const struct headers *with,
                           const char *log)
{
    assert_false(compile_text(source, build, with));
    assert_string_equal(err.text, log);
}

// ---- what the tree holds ----

// Compiles for an architecture. False: this NVRTC does not know it, and makes PTX.
static bool compile_for(int arch, const struct build *build, const struct headers *all)
{
    struct translator *n = open_or_skip(arch);
    struct build_code code = {.bytes = NULL};
    if (!nvrtc_compile(n, build, all, &code, &err))
        fail_msg("sm_%d, params %s: %s", arch, build->params, err.text);
    assert_true(code.size > 64);
    const bool is_code = !memcmp(code.bytes, "\177ELF", 4);
    assert_true(is_code || arch >= NEWER_THAN_12);
    g_free(code.bytes);
    nvrtc_close(n);
    return is_code;
}

// The params of a kernel file, its radius as a literal; empty: no int to unroll.
static struct launch_build params_of(const struct filter *f, int radius)
{
    struct settings s = {.params = filter_defaults(f), .is_unrolled = radius >= 0};
    if (filter_radius(f) >= 0) s.params.v[filter_radius(f)] = radius;
    return launch_build(&(struct choice){f, f->variants, s});
}

// A lab has no radius: those architectures that ask for it, and 90.
static int compile_everywhere(const struct filter *f, const char *file, const struct headers *all)
{
    struct build build = {.path = file, .source = f->source, .calls = f->calls};
    const bool is_lab = !filter_has_picture(f);
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        const char *const only = targets[i].only;
        const int arch = targets[i].arch, radius = targets[i].radius;
        if (only ? strcmp(only, build.path) : is_lab && (arch != 90 || radius != GENERIC)) continue;
        const struct launch_build params = params_of(f, radius);
        build.params = !is_lab && *params.params ? params.params : NULL;
        count += compile_for(arch, &build, all);
    }
    return count;
}

// Compiles every file of a folder, each so often at least.
static void compile_folder(const char *name, int least)
{
    OWNED(headers_finish) struct headers all;
    g_autofree char *path = g_build_filename(TILESCOPE_KERNELS, name, NULL);
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    int files = 0;
    nvrtc_close(open_or_skip(90));
    assert_true(folder && headers_load(&all, TILESCOPE_KERNELS, NULL));
    for (const char *file; (file = g_dir_read_name(folder));) {
        if (!g_str_has_suffix(file, ".cu")) continue;
        g_autofree char *one = g_build_filename(path, file, NULL), *source = NULL;
        OWNED(filter_finish) struct filter f;
        assert_true(g_file_get_contents(one, &source, NULL, NULL));
        must(filter_parse(&f, one, source, NULL, &err));
        assert_true(compile_everywhere(&f, file, &all) >= least);
        files++;
    }
    assert_true(files >= 2);
}

TEST(kernel_files_compile)
{
    compile_folder("filters", 3);  // sm_90's, which every supported NVRTC knows
    compile_folder("labs", 1);
}

// A text with printf needs nothing of the driver's: its records are a variable of the module.
TEST(printf_compiles)
{
    static const char source[] =
        "//! lab \"Says\"\n//! param n 9 [1, 9] numbers\n//! array a out [n]\n"
        "#include <cstdio>\n#define SAY(...) printf(__VA_ARGS__)\n"
        "__host__ __device__ void both(int i) { printf(\"both %d\", i); }\n"
        "//! variant naive 32x1\n"
        "__global__ void says(int *a, int n)\n"
        "{\n    const char *word = n > 3 ? \"more\" : \"less\";\n    both(n);\n"
        "    SAY(\"plain\\n\");\n"
        "    SAY(\"%s %d %u %f %p %c %lu\", word, 1, 2u, 1.5f, a, 'c', sizeof n);\n"
        "    a[0] = printf(\"%g %hd %d %llu\", 2.5, (short)1, true, 1ull);\n}\n";
    OWNED(headers_finish) struct headers all;
    OWNED(filter_finish) struct filter f;
    struct build_code code = {.bytes = NULL};
    struct translator *n = open_or_skip(90);
    must(filter_parse(&f, "says.cu", source, NULL, &err));
    const struct build build = {.path = "says.cu", .source = f.source, .calls = f.calls};
    assert_true(headers_load(&all, TILESCOPE_KERNELS, &err));
    must(headers_check(&all, &build, &err));
    assert_string_equal(all.before, "#include \"prints.h\"\n");
    must(nvrtc_compile(n, &build, &all, &code, &err));
    assert_non_null(memmem(code.bytes, code.size, "tilescope_prints", 16));
    assert_null(memmem(code.bytes, code.size, "vprintf", 7));
    g_free(code.bytes);
    // Who wants none of them says so as ever.
    static const char off[] = "#define printf(...) ((void)0)\n__device__ void f() { printf(1); }\n";
    const struct build silent = {.path = "off.cu", .source = off, .calls = ""};
    must(nvrtc_compile(n, &silent, &all, &code, &err));
    g_free(code.bytes);
    static const char wrong[] = "struct pair { int a, b; };\n__device__ void f(pair p)\n"
                                "{ printf(\"%d\", p); }\n";
    const struct build no_number = {.path = "wrong.cu", .source = wrong, .calls = ""};
    assert_false(nvrtc_compile(n, &no_number, &all, &code, &err));
    assert_true(g_str_has_prefix(err.text, "wrong.cu:3:3: no instance of function template"));
    nvrtc_close(n);
}

// ---- the log ----

TEST(errors_name_file_line_and_column)
{
    static const struct {
        const char *source, *log;
    } texts[] = {
        {"#include \"kernel.h\"\n"
         "__global__ void k(int *a)\n"
         "{\n"
         "    a[0] = nothing;\n"
         "}\n",
         "try.cu:4:12: identifier \"nothing\" is undefined\n"
         "    a[0] = nothing;\n"
         "           ^"},
        // The caret stands below tabs and wide letters.
        {"__global__ void k(int *a)\n"
         "{\n"
         "\ta[0] =\tone;\n"
         "      a[1] = 0; /* \xc3\xa4 \xed\x95\x9c */ two;\n"
         "}\n",
         "try.cu:3:9: identifier \"one\" is undefined\n"
         "    a[0] =    one;\n"
         "              ^\n"
         "try.cu:4:30: identifier \"two\" is undefined\n"
         "    a[1] = 0; /* \xc3\xa4 \xed\x95\x9c */ two;\n"
         "                         ^"},
        // Long messages keep their lines.
        {"struct a {};\n"
         "__global__ void k(struct a *a) { *a + 1; }\n",
         "try.cu:2:37: no operator \"+\" matches these operands\n"
         "    operand types are: a + int\n"
         "    __global__ void k(struct a *a) { *a + 1; }\n"
         "                                        ^"},
        // Errors come without warnings.
        {"__global__ void k(int *a)\n"
         "{\n"
         "    int unused;\n"
         "    a = one;\n"
         "    a = two;\n"
         "}\n",
         "try.cu:4:9: identifier \"one\" is undefined\n"
         "    a = one;\n"
         "        ^\n"
         "try.cu:5:9: identifier \"two\" is undefined\n"
         "    a = two;\n"
         "        ^"},
        {"__global__ void k(int *a)\n{\n",
         "try.cu:2: expected a \"}\" at the end of the file\n    {"},
        // An error of a later stage names the file.
        {"__device__ int f(void);\n__global__ void k(int *a) { *a = f(); }\n",
         "try.cu: Unresolved extern function '_Z1fv'"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        assert_refused(texts[i].source, (struct build){.path = NULL}, &headers, texts[i].log);
    assert_false(compile_text("__global__ void k() { nothing; }",
                              (struct build){.path = "a dir/b\xc3\xa4(3).cu"}, &headers));
    assert_true(g_str_has_prefix(err.text, "b\xc3\xa4(3).cu:1:23: identifier"));
}

TEST(error_in_header_names_header)
{
    struct header wrong = {.path = "x/\"y\"/kernel.h", .text = "\n__device__ int a = b;\n"};
    assert_refused("\n\n#include \"kernel.h\"\n", (struct build){.path = NULL},
                   &(struct headers){&wrong, 1},
                   "kernel.h:2:20: identifier \"b\" is undefined\n"
                   "    __device__ int a = b;\n"
                   "                       ^");
}

// One line tells all, although the compiler goes on about that line.
TEST(host_code_is_named)
{
    assert_false(compile_text("#include <vector>\n"
                              "__global__ void k(int *a)\n"
                              "{\n"
                              "    std::vector<int> x;\n"
                              "}\n",
                              (struct build){.calls = "struct calls { int k; };"}, &headers));
    assert_string_equal(
        err.text, "try.cu:4:10: namespace \"std\" has no member \"vector\"; kernels have of "
                  "std:: only what CUDA has, as std::min, std::size_t or std::numeric_limits\n"
                  "    std::vector<int> x;\n"
                  "         ^");
}

// The program's own headers refuse where the user's text asks too much of them.
TEST(error_in_template_names_its_user)
{
    struct header own = {.path = "x/own.h",
                         .text =
                             "struct one { __device__ int operator()(int *a) { return *a; } };\n"
                             "template <class T> __device__ int call(T t) { return one()(t); }\n"
                             "template <int n> __device__ int inner()\n"
                             "{\n"
                             "    static_assert(n < 4, \"too many\");\n"
                             "    return n;\n"
                             "}\n"
                             "template <int n> __device__ int outer() { return inner<n>(); }\n"};
    assert_false(compile_text("#include \"own.h\"\n"
                              "__global__ void k(int *a)\n"
                              "{\n"
                              "    a[0] = outer<3>();\n"
                              "    a[1] = outer<5>();\n"
                              "    a[2] = call(2.5f);\n"
                              "}\n",
                              (struct build){.path = NULL}, &(struct headers){&own, 1}));
    assert_string_equal(err.text,
                        "try.cu:5: static assertion failed with \"too many\"\n"
                        "    a[1] = outer<5>();\n"
                        "try.cu:6: function \"one::operator()\" cannot be called with the given "
                        "argument list\n"
                        "    a[2] = call(2.5f);");
}

TEST(good_files_compile)
{
    static const struct build given = {.params = "{5, given.b}"}, none = {.params = NULL};
    err = (struct error){"untouched"};
    // Headers include each other, and a warning is no error.
    assert_true(compile_text("#include \"other.h\"\n__global__ void k(struct plane *p) {}\n", none,
                             &headers));
    assert_true(compile_text("__global__ void k(int *a) { int unused; }\n"
                             "__device__ int f(void) {}\n",
                             none, &headers));
    // PARAMS is defined only when they are given.
    assert_true(compile_text("#ifndef PARAMS\n#error\n#endif\nstruct pair { int a; float b; };\n"
                             "__global__ void k(struct pair given, float *to)\n"
                             "{ const struct pair p = PARAMS; *to = p.a + p.b; }\n",
                             given, &headers));
    assert_true(compile_text("#ifdef PARAMS\n#error\n#endif\n__global__ void k(int *a) { *a = 1; }",
                             none, &headers));
    assert_string_equal(err.text, "untouched");
}

// ---- what is compiled ----

// No compiler knows this GPU: it gets PTX. References and the CPU device round twice, so a right
// kernel must, too.
TEST(newer_gpus_get_ptx_and_only_fmaf_rounds_once)
{
    static const struct {
        const char *source;
        bool has_fma;
    } kernels[] = {{"__global__ void k(float *a, float x) { *a = *a * x + 1.5f; }", false},
                   {"__global__ void k(float *a, float x) { *a = fmaf(*a, x, 1.5f); }", true}};
    struct translator *n = open_or_skip(999);
    for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
        const struct build build = {.path = "try.cu", .source = kernels[i].source};
        struct build_code code = {.bytes = NULL};
        assert_true(nvrtc_compile(n, &build, &headers, &code, &err));
        assert_non_null(memchr(code.bytes, '\0', code.size));
        assert_non_null(strstr(code.bytes, ".target sm_"));
        assert_int_equal(strstr(code.bytes, "fma.rn.f32") != NULL, kernels[i].has_fma);
        g_free(code.bytes);
    }
    nvrtc_close(n);
}

TEST(key_covers_all_that_matters)
{
    struct header changed[] = {header_list[0], {.path = header_list[1].path, .text = ""}};
    const struct headers other = {changed, G_N_ELEMENTS(changed)}, fewer = {header_list, 1};
    const struct {
        struct build build;
        const struct headers *headers;
        int arch;
    } cases[] = {
        {{.path = "a.cu", .source = "source", .params = "{5}"}, &headers, 90},
        {{.path = "b.cu", .source = "source", .params = "{5}"}, &headers, 90},
        {{.path = "a.cu", .source = "sourcf", .params = "{5}"}, &headers, 90},
        {{.path = "a.cu", .source = "source", .params = "{5}"}, &other, 90},
        {{.path = "a.cu", .source = "source", .params = "{5}"}, &fewer, 90},
        {{.path = "a.cu", .source = "source", .params = "{5}"}, &headers, 80},
        {{.path = "a.cu", .source = "source", .params = "{6}"}, &headers, 90},
        {{.path = "a.cu", .source = "source"}, &headers, 90},
        {{.path = "a.cu", .source = "source", .params = "{5}"}, &headers, 90},  // the first again
    };
    enum { LAST = G_N_ELEMENTS(cases) - 1 };
    char *keys[LAST + 1];
    for (int i = 0; i <= LAST; i++) {
        struct translator *n = open_or_skip(cases[i].arch);
        keys[i] = nvrtc_key(n, &cases[i].build, cases[i].headers);
        for (int j = 0; j < i; j++)
            assert_int_equal(!strcmp(keys[i], keys[j]), i == LAST && j == 0);
        nvrtc_close(n);
    }
    for (int i = 0; i <= LAST; i++) g_free(keys[i]);
}

// ---- finding it ----

// A library that makes code for newer GPUs only, as 13 does beside 12.
static const char newer[] =
    "int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 9; return 0; }\n"
    "int nvrtcGetNumSupportedArchs(int *count) { *count = 1; return 0; }\n"
    "int nvrtcGetSupportedArchs(int *archs) { *archs = 900; return 0; }\n"
    "#define OTHER(name) int name(void) { return 1; }\n"
    "OTHER(nvrtcCreateProgram) OTHER(nvrtcCompileProgram) OTHER(nvrtcDestroyProgram)\n"
    "OTHER(nvrtcGetCUBINSize) OTHER(nvrtcGetCUBIN) OTHER(nvrtcGetPTXSize) OTHER(nvrtcGetPTX)\n"
    "OTHER(nvrtcGetProgramLogSize) OTHER(nvrtcGetProgramLog) OTHER(nvrtcGetErrorString)\n";

// The path of the NVRTC that this process has loaded.
static char *path_of_real(void)
{
    g_autofree char *maps = NULL;
    assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
    const char *name = strstr(maps, "/libnvrtc.so"), *start = name;
    assert_non_null(name);
    while (*start != ' ') start--;
    return g_strndup(start + 1, strcspn(start + 1, "\n"));
}

TEST(an_older_library_stands_in_for_older_gpus)
{
    nvrtc_close(open_or_skip(90));
    char *folder = folder_make();
    g_autofree char *real = path_of_real(), *second = folder_file(folder, "libnvrtc.so.12", NULL);
    g_free(folder_library(folder, "libnvrtc.so.13", newer));
    assert_int_equal(symlink(real, second), 0);
    char *before = unit_set("TILESCOPE_NVRTC", folder);
    const struct build build = {.path = "try.cu", .source = "__global__ void k(int *a) {}"};
    err.text[0] = '\0';
    assert_true(compile_for(90, &build, &headers) && !*err.text);
    assert_null(nvrtc_open(&(struct build_target){.arch = 10, .newest_major = NEWEST_MAJOR}, &err));
    assert_string_equal(err.text, "no code for sm_10: NVRTC 13.9 makes code from sm_900 on");
    unit_restore("TILESCOPE_NVRTC", before);
    folder_end(folder);
}

static void assert_not_opened(const char *chosen, const char *text)
{
    char *before = unit_set("TILESCOPE_NVRTC", chosen);
    assert_null(nvrtc_open(&(struct build_target){.arch = 90, .newest_major = NEWEST_MAJOR}, &err));
    unit_restore("TILESCOPE_NVRTC", before);
    assert_non_null(strstr(err.text, "cannot load NVRTC, CUDA's run-time compiler: "));
    assert_non_null(strstr(err.text, text));
}

TEST(missing_library_is_named)
{
    assert_not_opened("/nowhere", "TILESCOPE_NVRTC names '/nowhere'");
    assert_not_opened(TILESCOPE_KERNELS, TILESCOPE_KERNELS);                          // a folder
    assert_not_opened(TILESCOPE_KERNELS "/kernel.h", TILESCOPE_KERNELS "/kernel.h");  // no library
}
