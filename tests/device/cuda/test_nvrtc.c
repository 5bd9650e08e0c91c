// NVRTC without a GPU: every kernel file compiles for old and new architectures, and what the
// compiler says reaches a person as build_log.h has it.
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "device/cuda/nvrtc.h"
#include "filter/launch.h"
#include "folder.h"

enum { NEWEST_MAJOR = 13, GENERIC = -1 };

// The kernels ask whether the architecture is 80 or newer: the oldest one meets a small radius as a
// literal, and 90 a radius that is not known, the least and the greatest. The others meet one file,
// a lab with global, shared and constant memory.
static const struct {
    int arch, radius;
    const char *only;  // NULL: all files
} targets[] = {{.arch = 75, .radius = 3},
               {.arch = 80, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 86, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 89, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 90, .radius = GENERIC},
               {.arch = 90, .radius = 0},
               {.arch = 90, .radius = 64},
               {.arch = 100, .radius = GENERIC, .only = "constants.cu"},
               {.arch = 120, .radius = GENERIC, .only = "constants.cu"}};

static struct header header_list[] = {{"some/where/kernel.h", "struct params;\n"},
                                      {"some/where/other.h", "#include \"kernel.h\"\n"}};
static const struct headers headers = {header_list, G_N_ELEMENTS(header_list)};

// NULL: not on this machine, and the test is skipped.
static struct nvrtc *open_or_skip(void)
{
    struct error err = {""};
    struct nvrtc *n = nvrtc_open(NEWEST_MAJOR, &err);
    if (!n) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    return n;
}

static char *read_file(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL), *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_free(path);
    return text;
}

static bool compile_text(const char *source, struct nvrtc_job job, struct error *err)
{
    struct nvrtc *n = open_or_skip();
    if (!job.path) job.path = "dir/try.cu";
    if (!job.headers) job.headers = &headers;
    if (!job.arch) job.arch = 90;
    job.source = source;
    void *binary = NULL;
    size_t size = 0;
    const bool is_done = nvrtc_compile(n, &job, &binary, &size, err);
    assert_int_equal(is_done, binary != NULL);
    assert_int_equal(is_done, size > 0);
    g_free(binary);
    nvrtc_close(n);
    return is_done;
}

static void assert_refused(const char *source, struct nvrtc_job job, const char *log)
{
    struct error err = {""};
    assert_false(compile_text(source, job, &err));
    assert_string_equal(err.text, log);
}

// ---- what the tree holds ----

static bool is_supported(const struct nvrtc *n, int arch)
{
    const int *archs;
    const int count = nvrtc_archs(n, &archs);
    for (int i = 0; i < count; i++)
        if (archs[i] == arch) return true;
    return false;
}

static void compile_for(const struct nvrtc *n, const struct nvrtc_job *job)
{
    struct error err = {""};
    void *binary = NULL;
    size_t size = 0;
    if (!nvrtc_compile(n, job, &binary, &size, &err))
        fail_msg("sm_%d, params %s: %s", job->arch, job->params, err.text);
    assert_true(size > 64);
    assert_memory_equal(binary, "\177ELF", 4);
    g_free(binary);
}

// The params of a kernel file, its radius as a literal; empty: no int to unroll.
static struct launch_build params_of(const struct nvrtc_job *job, int radius)
{
    struct filter f;
    char *path = g_build_filename(TILESCOPE_KERNELS, job->path, NULL);
    struct error err = {""};
    if (!filter_parse(&f, path, job->source, &err)) fail_msg("%s", err.text);
    struct settings s = {.params = filter_defaults(&f), .is_unrolled = radius >= 0};
    if (filter_radius(&f) >= 0) s.params.v[filter_radius(&f)] = radius;
    const struct launch_build build = launch_build(&f, &s);
    filter_finish(&f);
    g_free(path);
    return build;
}

static int compile_everywhere(const struct nvrtc *n, struct nvrtc_job job)
{
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        const char *const only = targets[i].only;
        if (!is_supported(n, targets[i].arch) || (only && strcmp(only, job.path))) continue;
        job.arch = targets[i].arch;
        const struct launch_build build = params_of(&job, targets[i].radius);
        job.params = *build.params ? build.params : NULL;
        compile_for(n, &job);
        count++;
    }
    return count;
}

// Compiles every file of a folder by one of the functions above; returns how often.
static int compile_folder(const char *name, int *files,
                          int (*compile)(const struct nvrtc *n, struct nvrtc_job job))
{
    struct nvrtc *n = open_or_skip();
    struct headers all;
    char *path = g_build_filename(TILESCOPE_KERNELS, name, NULL);
    GDir *folder = g_dir_open(path, 0, NULL);
    int compiles = 0;
    assert_true(folder && headers_load(&all, TILESCOPE_KERNELS, NULL));
    for (const char *file; (file = g_dir_read_name(folder));) {
        if (!g_str_has_suffix(file, ".cu")) continue;
        char *source = read_file(path, file);
        compiles += compile(n, (struct nvrtc_job){.path = file, .source = source, .headers = &all});
        g_free(source);
        (*files)++;
    }
    g_dir_close(folder);
    g_free(path);
    headers_finish(&all);
    nvrtc_close(n);
    return compiles;
}

static void test_filters_compile(void **state)
{
    int files = 0;
    const int compiles = compile_folder("filters", &files, compile_everywhere);
    print_message("%d files, %d compiles\n", files, compiles);
    assert_true(files >= 2);
    assert_true(compiles >= files * 3);  // sm_90's, which every supported NVRTC knows
}

// A lab has no radius: those architectures that ask for it, and 90.
static int compile_lab(const struct nvrtc *n, struct nvrtc_job job)
{
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        const char *const only = targets[i].only;
        job.arch = targets[i].arch;
        const bool is_asked =
            only ? !strcmp(only, job.path) : job.arch == 90 && targets[i].radius == GENERIC;
        if (!is_asked || !is_supported(n, job.arch)) continue;
        compile_for(n, &job);
        count++;
    }
    return count;
}

static void test_labs_compile(void **state)
{
    int files = 0;
    const int compiles = compile_folder("labs", &files, compile_lab);
    assert_true(compiles >= files);
    assert_true(files >= 2);
}

// ---- the log ----

static void test_error_names_file_line_and_column(void **state)
{
    assert_refused("#include \"kernel.h\"\n"
                   "__global__ void k(int *a)\n"
                   "{\n"
                   "    a[0] = nothing;\n"
                   "}\n",
                   (struct nvrtc_job){.path = "a dir/b\xc3\xa4(3).cu"},
                   "b\xc3\xa4(3).cu:4:12: identifier \"nothing\" is undefined\n"
                   "    a[0] = nothing;\n"
                   "           ^");
}

static void test_caret_stands_below_tabs_and_wide_letters(void **state)
{
    assert_refused("__global__ void k(int *a)\n"
                   "{\n"
                   "\ta[0] =\tone;\n"
                   "      a[1] = 0; /* \xc3\xa4 \xed\x95\x9c */ two;\n"
                   "}\n",
                   (struct nvrtc_job){0},
                   "try.cu:3:9: identifier \"one\" is undefined\n"
                   "    a[0] =    one;\n"
                   "              ^\n"
                   "try.cu:4:30: identifier \"two\" is undefined\n"
                   "    a[1] = 0; /* \xc3\xa4 \xed\x95\x9c */ two;\n"
                   "                         ^");
}

static void test_long_messages_keep_their_lines(void **state)
{
    assert_refused("struct a {};\n"
                   "__global__ void k(struct a *a) { *a + 1; }\n",
                   (struct nvrtc_job){0},
                   "try.cu:2:37: no operator \"+\" matches these operands\n"
                   "    operand types are: a + int\n"
                   "    __global__ void k(struct a *a) { *a + 1; }\n"
                   "                                        ^");
}

static void test_errors_come_without_warnings(void **state)
{
    assert_refused("__global__ void k(int *a)\n"
                   "{\n"
                   "    int unused;\n"
                   "    a = one;\n"
                   "    a = two;\n"
                   "}\n",
                   (struct nvrtc_job){0},
                   "try.cu:4:9: identifier \"one\" is undefined\n"
                   "    a = one;\n"
                   "        ^\n"
                   "try.cu:5:9: identifier \"two\" is undefined\n"
                   "    a = two;\n"
                   "        ^");
}

static void test_error_in_header_names_header(void **state)
{
    struct header wrong = {"x/\"y\"/kernel.h", "\n__device__ int a = b;\n"};
    assert_refused("\n\n#include \"kernel.h\"\n",
                   (struct nvrtc_job){.headers = &(struct headers){&wrong, 1}},
                   "kernel.h:2:20: identifier \"b\" is undefined\n"
                   "    __device__ int a = b;\n"
                   "                       ^");
}

static void test_headers_include_each_other(void **state)
{
    struct error err = {""};
    assert_true(compile_text("#include \"other.h\"\n__global__ void k(struct params *p) {}\n",
                             (struct nvrtc_job){0}, &err));
}

static void test_error_at_end_of_file(void **state)
{
    assert_refused("__global__ void k(int *a)\n{\n", (struct nvrtc_job){0},
                   "try.cu:2: expected a \"}\" at the end of the file\n    {");
}

static void test_error_of_later_stage_names_path(void **state)
{
    assert_refused("__device__ int f(void);\n__global__ void k(int *a) { *a = f(); }\n",
                   (struct nvrtc_job){0}, "try.cu: Unresolved extern function '_Z1fv'");
}

static void test_long_log_is_cut_at_a_line(void **state)
{
    GString *source = g_string_new("__global__ void k(int *a)\n{\n");
    for (int i = 0; i < 90; i++)
        g_string_append_printf(source, "    a[%d] = name_that_is_nowhere_%d;  // \xc3\xa4\n", i, i);
    g_string_append(source, "}\n");
    struct error err = {""};
    assert_false(compile_text(source->str, (struct nvrtc_job){0}, &err));
    assert_true(g_str_has_prefix(err.text, "try.cu:3:12: "));
    assert_true(g_str_has_suffix(err.text, "\n... and more"));
    assert_true(g_utf8_validate(err.text, -1, NULL));
    assert_true(strlen(err.text) > sizeof err.text / 2);
    g_string_free(source, TRUE);
}

static void test_warning_does_not_fail(void **state)
{
    struct error err = {"untouched"};
    assert_true(compile_text("__global__ void k(int *a) { int unused; }\n"
                             "__device__ int f(void) {}\n",
                             (struct nvrtc_job){0}, &err));
    assert_string_equal(err.text, "untouched");
}

// ---- what is compiled ----

static void test_params_are_defined_only_when_given(void **state)
{
    struct error err = {""};
    assert_true(compile_text("#ifndef PARAMS\n#error\n#endif\nstruct params { int a; float b; };\n"
                             "__global__ void k(struct params given, float *to)\n"
                             "{ const struct params p = PARAMS; *to = p.a + p.b; }\n",
                             (struct nvrtc_job){.params = "{5, given.b}"}, &err));
    assert_true(compile_text("#ifdef PARAMS\n#error\n#endif\n__global__ void k(int *a) { *a = 1; }",
                             (struct nvrtc_job){0}, &err));
}

// REFERENCE and the CPU device round twice, so a right kernel must, too.
static void test_only_fmaf_rounds_once(void **state)
{
    static const struct {
        const char *source;
        bool has_fma;
    } kernels[] = {{"__global__ void k(float *a, float x) { *a = *a * x + 1.5f; }", false},
                   {"__global__ void k(float *a, float x) { *a = fmaf(*a, x, 1.5f); }", true}};
    struct nvrtc *n = open_or_skip();
    for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
        const struct nvrtc_job job = {
            .path = "try.cu", .source = kernels[i].source, .headers = &headers, .arch = 999};
        struct error err = {""};
        void *text = NULL;  // PTX, since no compiler knows this GPU
        size_t size = 0;
        assert_true(nvrtc_compile(n, &job, &text, &size, &err));
        assert_int_equal(strstr(text, "fma.rn.f32") != NULL, kernels[i].has_fma);
        g_free(text);
    }
    nvrtc_close(n);
}

static void test_newer_arch_gets_ptx_and_older_is_refused(void **state)
{
    struct nvrtc *n = open_or_skip();
    struct nvrtc_job job = {.path = "try.cu",
                            .source = "__global__ void k(int *a) { *a = 1; }",
                            .headers = &headers,
                            .arch = 999};
    struct error err = {""};
    void *binary = NULL;
    size_t size = 0;
    assert_true(nvrtc_compile(n, &job, &binary, &size, &err));
    assert_non_null(memchr(binary, '\0', size));
    assert_non_null(strstr(binary, ".target sm_"));
    g_free(binary);

    binary = NULL;
    job.arch = 30;
    assert_false(nvrtc_compile(n, &job, &binary, &size, &err));
    assert_null(binary);
    assert_non_null(strstr(err.text, "cannot compile 'try.cu' for sm_30: NVRTC "));
    nvrtc_close(n);
}

static void test_key_covers_all_that_matters(void **state)
{
    struct nvrtc *n = open_or_skip();
    const struct nvrtc_job base = {"a.cu", "source", &headers, 90, "{5}"};
    struct header changed[] = {header_list[0], {header_list[1].path, ""}};
    enum { JOBS = 8 };
    struct nvrtc_job jobs[JOBS];
    for (int i = 0; i < JOBS; i++) jobs[i] = base;
    jobs[1].path = "b.cu";
    jobs[2].source = "sourcf";
    jobs[3].headers = &(struct headers){changed, G_N_ELEMENTS(changed)};
    jobs[7].headers = &(struct headers){header_list, 1};
    jobs[4].arch = 80;
    jobs[5].params = "{6}";
    jobs[6].params = NULL;
    char *keys[JOBS];
    for (int i = 0; i < JOBS; i++) keys[i] = nvrtc_key(n, &jobs[i]);
    for (int i = 0; i < JOBS; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(keys[i], keys[j]);

    char *again = nvrtc_key(n, &base);
    assert_string_equal(again, keys[0]);
    g_free(again);
    for (int i = 0; i < JOBS; i++) g_free(keys[i]);
    nvrtc_close(n);
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
    char *maps = NULL;
    assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
    const char *name = strstr(maps, "/libnvrtc.so"), *start = name;
    assert_non_null(name);
    while (*start != ' ') start--;
    char *path = g_strndup(start + 1, strcspn(start + 1, "\n"));
    g_free(maps);
    return path;
}

static void test_an_older_library_stands_in_for_older_gpus(void **state)
{
    nvrtc_close(open_or_skip());
    char *real = path_of_real(), *folder = g_dir_make_tmp("tilescope-test-XXXXXX", NULL);
    char *source = g_build_filename(folder, "newer.c", NULL), *said = NULL;
    char *first = g_build_filename(folder, "libnvrtc.so.13", NULL);
    char *second = g_build_filename(folder, "libnvrtc.so.12", NULL);
    char *argv[] = {TILESCOPE_CC, "-shared", "-fPIC", "-w", source, "-o", first, NULL};
    int status = 0;
    assert_true(g_file_set_contents(source, newer, -1, NULL));
    assert_true(g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &said,
                             &status, NULL));
    if (status) fail_msg("%s", said);
    assert_int_equal(symlink(real, second), 0);
    char *before = g_strdup(g_getenv("TILESCOPE_NVRTC"));
    g_setenv("TILESCOPE_NVRTC", folder, TRUE);
    struct error err = {""};
    struct nvrtc *n = nvrtc_open_for(NEWEST_MAJOR, 90, &err);
    assert_non_null(n);
    assert_true(is_supported(n, 90) && !*err.text);
    nvrtc_close(n);
    assert_null(nvrtc_open_for(NEWEST_MAJOR, 10, &err));
    assert_string_equal(err.text, "no code for sm_10: NVRTC 13.9 makes code from sm_900 on");
    if (before)
        g_setenv("TILESCOPE_NVRTC", before, TRUE);
    else
        g_unsetenv("TILESCOPE_NVRTC");
    folder_remove(folder);
    char *files[] = {source, first, second};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) g_free(files[i]);
    g_free(folder);
    g_free(before);
    g_free(real);
    g_free(said);
}

static void assert_not_opened(const char *chosen, const char *text)
{
    char *before = g_strdup(g_getenv("TILESCOPE_NVRTC"));
    g_setenv("TILESCOPE_NVRTC", chosen, TRUE);
    struct error err = {""};
    struct nvrtc *n = nvrtc_open(NEWEST_MAJOR, &err);
    if (before)
        g_setenv("TILESCOPE_NVRTC", before, TRUE);
    else
        g_unsetenv("TILESCOPE_NVRTC");
    g_free(before);
    assert_null(n);
    assert_non_null(strstr(err.text, "cannot load NVRTC, CUDA's run-time compiler: "));
    assert_non_null(strstr(err.text, text));
}

static void test_missing_library_is_named(void **state)
{
    assert_not_opened("/nowhere", "TILESCOPE_NVRTC names '/nowhere'");
    assert_not_opened(TILESCOPE_KERNELS, TILESCOPE_KERNELS);                          // a folder
    assert_not_opened(TILESCOPE_KERNELS "/kernel.h", TILESCOPE_KERNELS "/kernel.h");  // no library
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_compile),
        cmocka_unit_test(test_labs_compile),
        cmocka_unit_test(test_error_names_file_line_and_column),
        cmocka_unit_test(test_caret_stands_below_tabs_and_wide_letters),
        cmocka_unit_test(test_long_messages_keep_their_lines),
        cmocka_unit_test(test_errors_come_without_warnings),
        cmocka_unit_test(test_error_in_header_names_header),
        cmocka_unit_test(test_headers_include_each_other),
        cmocka_unit_test(test_error_at_end_of_file),
        cmocka_unit_test(test_error_of_later_stage_names_path),
        cmocka_unit_test(test_long_log_is_cut_at_a_line),
        cmocka_unit_test(test_warning_does_not_fail),
        cmocka_unit_test(test_params_are_defined_only_when_given),
        cmocka_unit_test(test_only_fmaf_rounds_once),
        cmocka_unit_test(test_newer_arch_gets_ptx_and_older_is_refused),
        cmocka_unit_test(test_key_covers_all_that_matters),
        cmocka_unit_test(test_an_older_library_stands_in_for_older_gpus),
        cmocka_unit_test(test_missing_library_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
