// test_proctor -- nothing of a submission runs before the process that runs it is sealed, whatever
// its text could be made to hold.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

#include "grade/proctor.h"
#include "grade/sandbox.h"

struct desk {
    struct filter_list list;
    struct submission submission;
    char *made;  // the file that code of the object tries to make
};

static int set_up(void **state)
{
    struct error err = {""};
    struct desk *d = g_new0(struct desk, 1);
    if (!filter_list_load(&d->list, TILESCOPE_KERNELS, NULL, &err)) fail_msg("%s", err.text);
    const struct filter *given = filter_find(&d->list, "transpose");
    char *text = submission_skeleton(given);
    if (!submission_open_text(&d->submission, given, "mine.cu", text, TILESCOPE_KERNELS, &err))
        fail_msg("%s", err.text);
    d->made = g_build_filename(d->submission.folder, "work", "made", NULL);
    g_free(text);
    *state = d;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *d = *state;
    submission_close(&d->submission);
    filter_list_finish(&d->list);
    g_free(d->made);
    g_free(d);
    return 0;
}

// Puts more text into the file that is compiled, behind the back of what has read it.
static void add_text(const struct desk *d, const char *format)
{
    gchar *text = NULL;
    char *include = submission_include(d->submission.folder),
         *path = g_build_filename(include, "mine.cu", NULL);
    char **parts = g_strsplit(format, "MADE", -1), *more = g_strjoinv(d->made, parts);
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    char *all = g_strconcat(text, more, NULL);
    assert_true(g_file_set_contents(path, all, -1, NULL));
    g_free(all);
    g_free(more);
    g_strfreev(parts);
    g_free(path);
    g_free(include);
    g_free(text);
}

// Whether it is compiled and loaded. The file is not there in either case. *has_refused: what was
// compiled is at fault.
static bool gets_far(const struct desk *d, bool *has_refused, struct error *err)
{
    char missing[2 * SANDBOX_MISSING];
    struct proctor *p =
        proctor_start(TILESCOPE_PROGRAM, &d->submission, &d->submission.filter.variants[0], err);
    if (!p) fail_msg("%s", err->text);
    const bool is_loaded = proctor_compile(p, err) && proctor_seal(p, missing, sizeof missing, err);
    *has_refused = proctor_has_refused(p);
    proctor_stop(p);
    assert_false(g_file_test(d->made, G_FILE_TEST_EXISTS));
    return is_loaded;
}

static void what_is_honest_is_loaded(void **state)
{
    struct error err = {""};
    bool has_refused;
    add_text(*state, "__constant__ int table[4];\nstatic const int more[2] = {1, 2};\n"
                     "int same(int i);\nint same(int i) { return i; }\n"
                     "EMULATOR_EXPORT int f(int i);\n"
                     "int f(int i) { return table[i] + more[i] + same(i); }\n"
                     "__shared__ float s[4];\nEMULATOR_EXPORT float g(int i);\n"
                     "float g(int i) { return s[i] += 1; }\n");
    if (!gets_far(*state, &has_refused, &err)) fail_msg("%s", err.text);
    assert_false(has_refused);
}

// What does not compile may be the compiler's fault, or that of a full disk.
static void what_does_not_compile_may_not_be_at_fault(void **state)
{
    struct error err = {""};
    bool has_refused;
    add_text(*state, "int f(void) { return nothing; }\n");
    assert_false(gets_far(*state, &has_refused, &err));
    assert_false(has_refused);
}

static void refuse(struct desk *d, const char *text, const char *why)
{
    struct error err = {""};
    bool has_refused;
    add_text(d, text);
    assert_false(gets_far(d, &has_refused, &err));
    assert_true(has_refused);
    if (!strstr(err.text, why)) fail_msg("%s", err.text);
}

static const char runs_when_loaded[] = "runs when it is loaded, before any kernel";

static void a_function_of_the_system_is_not_loaded(void **state)
{
    refuse(*state,
           "int open(const char *, int, ...);\n"
           "__attribute__((constructor)) static void f(void) { open(\"MADE\", 65, 384); }\n",
           "a kernel uses 'open', which CUDA does not have");
}

// It calls nothing, so that its symbols are in order.
static void no_constructor_runs(void **state)
{
    refuse(*state,
           "static volatile int x;\n__attribute__((constructor)) static void f(void) "
           "{ *(volatile int *)0 = x; }\n",
           runs_when_loaded);
}

static void no_destructor_runs(void **state)
{
    refuse(*state,
           "static volatile int x;\n__attribute__((destructor)) static void f(void) "
           "{ x = 1; }\n",
           runs_when_loaded);
}

static void no_function_of_the_linker_runs(void **state)
{
    refuse(*state, "static volatile int x;\nvoid _init(void);\nvoid _init(void) { x = 1; }\n",
           runs_when_loaded);
}

static void nothing_chooses_a_function(void **state)
{
    refuse(*state,
           "static int one(void) { return 1; }\nstatic int (*choose(void))(void) "
           "{ return one; }\nstatic int f(void) __attribute__((ifunc(\"choose\")));\n"
           "EMULATOR_EXPORT int g(void);\nint g(void) { return f(); }\n",
           runs_when_loaded);
}

static void nothing_is_kept_between_launches(void **state)
{
    refuse(*state,
           "static __device__ int launches;\nEMULATOR_EXPORT int g(void);\n"
           "int g(void) { return launches++; }\n",
           "the variable 'launches' keeps its value from one launch to the next");
}

static void nothing_is_kept_in_a_function(void **state)
{
    refuse(*state,
           "EMULATOR_EXPORT int g(void);\nint g(void) { static int seen = 4; return seen++; }\n",
           "keeps its value from one launch to the next");
}

static void all_functions_are_in_the_kernels(void **state)
{
    refuse(*state,
           "static int one(void) { return 1; }\nstatic int two(void) { return 2; }\n"
           "EMULATOR_EXPORT int g(int i);\n"
           "int g(int i) { int (*const chosen[])(void) = {one, two}; return chosen[i](); }\n",
           "is called by its address or by itself: what it reads and writes cannot be counted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_functions_are_in_the_kernels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_honest_is_loaded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_compile_may_not_be_at_fault, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_function_of_the_system_is_not_loaded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_constructor_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_destructor_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_function_of_the_linker_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_chooses_a_function, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_kept_between_launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_kept_in_a_function, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
