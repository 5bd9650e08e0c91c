// test_attacks -- no submission reads a file, leaves one, or goes on for ever, and all get a grade:
// as root, and then as an ordinary user, who tries every call of the system and what may be loaded,
// and some of the texts that end before that or get a grade.
//
// Secrets lie in several places: the folder of temporary files, that of the submission, a home,
// /opt and the environment. No word of them may come out, in any form.
#include "desk.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attacks.h"
#include "base/file.h"
#include "grade/grading.h"
#include "grade/proctor.h"
#include "device/sandbox.h"

#define WORD "CANARY"

static const char above_mark[] = "ABOVE", body_mark[] = "BODY";
static const char base[] =
    "#include \"lab.h\"\nABOVE\n//! variant mine 32x8\n"
    "__global__ void transpose_mine(float *b, const float *a, int rows, int columns)\n{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    const int y = blockIdx.y * blockDim.y + threadIdx.y;\n    (void)x, (void)y;\n"
    "    BODY\n}\n";
static const char right_body[] =
    "if (x < rows && y < columns) b[y * rows + x] = a[x * columns + y];";

enum { PLACES = 4 };

static const double ENDLESS_S = 0.2;  // what does not end is stopped after that
static size_t step = 1;               // only each so many of a list's texts are tried

struct attack {
    struct desk *desk;
    char *made;
    char *secrets[PLACES];
    int next;                // place
    const char *no_sandbox;  // why there is none; NULL: there is one
};

static char *write_secret(const char *folder)
{
    char *path = g_build_filename(folder, "secret.txt", NULL);
    assert_true(g_file_set_contents(path, WORD "_word = 42;\n", -1, NULL));
    g_chmod(path, 0644);
    return path;
}

static int set_up(void **state)
{
    static const char *const below[] = {"home", "submissions"};
    struct attack *a = g_new0(struct attack, 1);
    a->no_sandbox = *state;
    *state = a;
    desk_set_up((void **)&a->desk);
    a->made = g_build_filename(a->desk->folder, "made", NULL);
    a->secrets[0] = write_secret(a->desk->folder);
    for (size_t i = 0; i < G_N_ELEMENTS(below); i++) {
        g_autofree char *inside = g_build_filename(a->desk->folder, below[i], NULL);
        assert_int_equal(g_mkdir(inside, 0755), 0);
        a->secrets[1 + i] = write_secret(inside);
        if (i == 0) g_setenv("HOME", inside, TRUE);
    }
    char opt[] = "/opt/tilescope-attacks-XXXXXX";
    a->secrets[3] = g_mkdtemp_full(opt, 0755) ? write_secret(opt) : g_strdup(a->secrets[0]);
    g_setenv("CANARY_NAME", WORD, TRUE);
    g_setenv("CUDA_VISIBLE_DEVICES", "", TRUE);  // no goal of time: what is right here is slow
    return 0;
}

// Nothing else lies in the folders.
static int tear_down(void **state)
{
    g_autofree struct attack *a = *state;
    assert_false(g_file_test(a->made, G_FILE_TEST_EXISTS));
    for (int i = 0; i < PLACES; i++) {
        g_autofree char *folder = g_path_get_dirname(a->secrets[i]);
        g_unlink(a->secrets[i]);
        if (strcmp(folder, a->desk->folder) != 0) g_rmdir(folder);
        g_free(a->secrets[i]);
    }
    assert_int_equal(g_rmdir(a->desk->folder), 0);
    desk_tear_down((void **)&a->desk);
    g_free(a->made);
    return 0;
}

// ---- texts ----

static char *replaced(const char *text, const char *mark, const char *with)
{
    GString *all = g_string_new(text);
    g_string_replace(all, mark, with, 0);
    return g_string_free(all, FALSE);
}

static const char *next_secret(struct attack *d)
{
    return d->secrets[d->next++ % PLACES];
}

// The whole submission. Each takes the next of the secret files.
static char *text_of(struct attack *d, const char *above, const char *body)
{
    g_autofree char *parent = g_strdup_printf("%d", (int)getpid());
    g_autoptr(GString) doubled =
        g_string_new("struct t0 {};\ntemplate <class a, class b> struct p {};\n");
    for (int i = 1; i <= 40; i++)
        g_string_append_printf(doubled, "using t%d = p<t%d, t%d>;\n", i, i - 1, i - 1);
    const char *const marks[][2] = {{above_mark, above},       {body_mark, body},
                                    {"INSIDE_CALL", calls[3]}, {"PARENT", parent},
                                    {"ANSWERED", "for (;;)"},  {"DOUBLED", doubled->str},
                                    {"MADE", d->made},         {"SECRET", next_secret(d)}};
    GString *text = g_string_new(base);
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        g_string_replace(text, marks[i][0], marks[i][1], 0);
    return g_string_free(text, FALSE);
}

static bool holds(const void *bytes, size_t size)
{
    return size && memmem(bytes, size, WORD "_word", strlen(WORD "_word"));
}

// The same in memory that processes share; only pages that one of them has touched are read, since
// each of the others would have to be made.
static bool holds_in_shared(const unsigned char *bytes, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = size / page;
    g_autofree unsigned char *is_there = g_malloc(count);
    bool is_found = false;
    assert_int_equal(mincore((void *)bytes, size, is_there), 0);
    for (size_t i = 0, end; i < count; i = end + 1) {
        for (end = i; end < count && is_there[end] & 1;) end++;
        is_found |= holds(bytes + i * page, (end - i) * page);
    }
    return is_found;
}

static void expect_no_secret(const char *text, const char *submission)
{
    if (strstr(text, WORD "_word") || strstr(text, WORD "_NAME=") || strstr(text, "root:x:"))
        fail_msg("%s: %s", submission, text);
}

// Neither secrets nor bytes that a terminal obeys.
static void expect_clean(const char *text, const char *submission)
{
    expect_no_secret(text, submission);
    assert_true(g_utf8_validate(text, -1, NULL));
    for (const char *c = text; *c; c++)
        if (g_ascii_iscntrl(*c) && *c != '\n' && *c != '\t') fail_msg("%s: %s", submission, text);
}

// ---- the whole grade ----

// Its points; all of its reports are clean. A trial may take trial_s of a processor's time.
static int grade(struct attack *d, const char *text, double trial_s, struct grade *result)
{
    g_autofree char *folder = g_path_get_dirname(d->secrets[2]),
                    *path = g_build_filename(folder, "mine.cu", NULL);
    assert_true(file_write(path, text, strlen(text), &err));
    const struct grading_request request = {.given = d->desk->given,
                                            .path = path,
                                            .include = TILESCOPE_KERNELS,
                                            .program = TILESCOPE_PROGRAM,
                                            .seed = 7,
                                            .trial_s = trial_s};
    if (!grading_run(&request, result, &err)) fail_msg("%s: %s", text, err.text);
    char *reports[] = {grade_report_table(result), grade_report_json(result)};
    for (size_t i = 0; i < G_N_ELEMENTS(reports); i++) {
        expect_clean(reports[i], text);
        g_free(reports[i]);
    }
    g_unlink(path);
    return result->score;
}

// Looks once for all tests. Their state: why a submission cannot be shut in; NULL: it can be.
static int look_for_sandbox(void **state)
{
    struct desk *d;
    desk_set_up((void **)&d);
    desk_open_with(d, "");
    const struct variant *variant = &d->submission.filter.variants[0];
    struct proctor *p = proctor_start(TILESCOPE_PROGRAM, &d->submission, variant, &err);
    char missing[2 * SANDBOX_MISSING] = "";
    const bool is_shut = p && proctor_load(p, missing, sizeof missing, &err);
    proctor_stop(p);
    desk_tear_down((void **)&d);
    if (!is_shut) print_error("a submission that does nothing is not loaded: %s\n", err.text);
    *state = *missing ? g_strdup(missing) : NULL;
    return is_shut ? 0 : -1;
}

static int forget_sandbox(void **state)
{
    g_free(*state);
    return 0;
}

static void skip_without_sandbox(const struct attack *d)
{
    if (!d->no_sandbox) return;
    print_message("skipped: no sandbox here, or sanitizers: %s\n", d->no_sandbox);
    skip();
}

// All points that there are, but those of goals if it is not meant to reach them.
static void expect_right(struct attack *d, const char *text, bool has_goals)
{
    OWNED(grade_finish) struct grade result;
    const int points = grade(d, text, 1, &result);
    int lost = 0;
    for (int i = 0; i < result.count; i++) {
        const struct grade_test *t = &result.tests[i];
        const bool may_fail = !has_goals && g_str_has_prefix(t->name, "goal: sectors");
        if (t->state == GRADE_FAILED) lost += t->points;
        if (t->state == GRADE_FAILED && !may_fail) fail_msg("%s: %s", t->name, t->output);
        if (t->state == GRADE_PASSED && may_fail) fail_msg("%s: it has passed", t->name);
    }
    assert_int_equal(points, result.max - lost);
    assert_int_equal(result.score == result.max, has_goals);
    assert_true(points >= 75);
}

TEST_WITH(what_is_right_gets_all_points, set_up, tear_down)
{
    skip_without_sandbox(*state);
    g_autofree char *text = text_of(*state, "", right_body);
    expect_right(*state, text, false);
    g_free(text);
    assert_true(
        g_file_get_contents(TILESCOPE_SOURCE_DIR "/tests/grade/right.cu", &text, NULL, NULL));
    expect_right(*state, text, true);
}

TEST_WITH(cheats_get_no_points_for_it, set_up, tear_down)
{
    skip_without_sandbox(*state);
    for (size_t i = 0; i < G_N_ELEMENTS(cheats); i += step) {
        OWNED(grade_finish) struct grade result;
        g_autofree char *text = text_of(*state, cheats[i].above, cheats[i].body);
        const int points = grade(*state, text, ENDLESS_S, &result);
        if (points > 5) fail_msg("%d points for %s %s", points, cheats[i].above, cheats[i].body);
    }
}

// ---- past the reader of texts ----

// The text gets to the compiler behind the back of what reads it.
static const struct submission *open_behind(struct attack *d, const char *text)
{
    g_autofree char *honest = text_of(d, "", right_body);
    struct submission *s = desk_open(d->desk, "transpose", honest);
    desk_write(d->desk, text);
    s->trial_s = 1;
    return s;
}

static struct proctor *start(const char *program, const struct submission *s)
{
    struct proctor *p = proctor_start(program, s, &s->filter.variants[0], &err);
    must(p);
    return p;
}

// What the compiler has left holds no secret.
static void expect_clean_work(const struct submission *s, const char *text)
{
    g_autofree char *work = g_build_filename(s->folder, "work", NULL);
    g_autoptr(GDir) dir = g_dir_open(work, 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree gchar *bytes = NULL;
        gsize size = 0;
        g_autofree char *path = g_build_filename(work, name, NULL);
        if (g_file_get_contents(path, &bytes, &size, NULL) && holds(bytes, size))
            fail_msg("%s is in what was made of %s", name, text);
    }
}

// Else the text would attack nothing.
static void expect_compiled(const char *said, const char *text)
{
    if (strstr(said, "the variant line has no kernel below it")) fail_msg("%s: %s", text, said);
}

static void expect_not_loaded(struct attack *d, const char *program, const char *above)
{
    err.text[0] = '\0';
    char missing[2 * SANDBOX_MISSING] = "", *text = text_of(d, above, right_body);
    const struct submission *s = open_behind(d, text);
    struct proctor *p = start(program, s);
    if (proctor_load(p, missing, sizeof missing, &err)) fail_msg("%s is loaded", above);
    expect_compiled(err.text, text);
    expect_no_secret(err.text, text);
    expect_clean_work(s, text);
    proctor_stop(p);
    g_free(text);
}

TEST_WITH(a_compiler_reads_no_secret, set_up, tear_down)
{
    skip_without_sandbox(*state);
    for (size_t i = 0; i < G_N_ELEMENTS(compiled_above); i += step)
        expect_not_loaded(*state, TILESCOPE_PROGRAM, compiled_above[i]);
}

// One of them takes all of the time that a compiler has. The others get less, but more than there
// is for loading.
TEST_WITH(bombs_end, set_up, tear_down)
{
    struct attack *d = *state;
    skip_without_sandbox(d);
    g_autofree char *hurried = g_build_filename(d->desk->folder, "hurried", NULL);
    assert_true(g_file_set_contents(
        hurried, "#!/bin/sh\nulimit -t 2\nexec " TILESCOPE_PROGRAM " \"$@\"\n", -1, NULL));
    g_chmod(hurried, 0755);
    for (size_t i = 0; i < G_N_ELEMENTS(bombs); i += step)
        expect_not_loaded(d, i == ENDLESS_BOMB ? TILESCOPE_PROGRAM : hurried, bombs[i]);
    g_unlink(hurried);
}

static void expect_nothing_reached(struct attack *d, struct proctor *p, const char *text)
{
    if (holds_in_shared(p->before, 2 * (size_t)WIRE_HALF)) fail_msg("%s reads a secret", text);
    for (int i = 0; i < PLACES; i++) assert_true(g_file_test(d->secrets[i], G_FILE_TEST_EXISTS));
    assert_false(g_file_test(d->made, G_FILE_TEST_EXISTS));
}

// Runs it with so many rows, of one column. False: it is not loaded, or does not run to its end,
// and err says why.
static bool run_once(struct attack *d, struct proctor *p, int rows)
{
    struct trial trial = {.params = filter_defaults(d->desk->given)};
    char missing[2 * SANDBOX_MISSING] = "";
    trial.params.v[0] = rows;
    trial.params.v[1] = 1;
    return proctor_load(p, missing, sizeof missing, &err) && proctor_run(p, &trial, NULL, &err);
}

// The calls, from 0 on, and then those that are not tried outside; NULL behind the last.
static const char *call_at(size_t i)
{
    if (i < G_N_ELEMENTS(calls)) return calls[i];
    i -= G_N_ELEMENTS(calls);
    return i < G_N_ELEMENTS(untried_calls) ? untried_calls[i] : NULL;
}

// A kernel that makes the call whose number, from 1 on, there are rows.
static char *text_of_calls(struct attack *d)
{
    g_autoptr(GString) body = g_string_new("switch (rows) {\n");
    for (size_t i = 0; call_at(i); i++) {
        g_autofree char *text = replaced(call_at(i), "SECRET", next_secret(d));
        g_string_append_printf(body, "    case %zu: %s break;\n", i + 1, text);
    }
    g_string_append(body, "    }");
    return text_of(d, "", body->str);
}

// A call that the sandbox lets through would keep the kernel for ever.
static void expect_no_call(struct attack *d, const struct submission *s, int rows, const char *call)
{
    err.text[0] = '\0';
    struct proctor *p = start(TILESCOPE_PROGRAM, s);
    const bool has_run = run_once(d, p, rows);
    expect_no_secret(err.text, call);
    if (!has_run && !strstr(err.text, "asked the operating system"))
        fail_msg("%s: %s", call, err.text);
    expect_nothing_reached(d, p, call);
    proctor_stop(p);
}

// Each call has a process of its own, and all are compiled once.
TEST_WITH(a_kernel_reaches_nothing, set_up, tear_down)
{
    skip_without_sandbox(*state);
    g_autofree char *text = text_of_calls(*state);
    const struct submission *s = open_behind(*state, text);
    for (size_t i = 0; call_at(i); i++) expect_no_call(*state, s, (int)i + 1, call_at(i));
}

// ---- the same without a sandbox ----

// Runs a line of shell in a folder, with the secret there as its input and as its descriptor 3.
// Returns its status; *said: what it says.
static int run_in(const char *folder, const char *line, char **said)
{
    g_autofree char *all = g_strdup_printf("exec 2>&1 0<secret.txt 3<secret.txt; %s", line);
    const char *const argv[] = {"/bin/sh", "-c", all, NULL};
    int status = -1;
    assert_true(g_spawn_sync(folder, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, said, NULL,
                             &status, NULL));
    return status;
}

static char *program_of_calls(const char *folder)
{
    char parent[16];
    GString *text = g_string_new("#include <stdlib.h>\n#include <unistd.h>\n"
                                 "_Alignas(4096) static float zeros[4096];\n"
                                 "int main(int count, char **words)\n{\n    (void)count;\n"
                                 "    float *const b = zeros;\n"
                                 "    switch (atoi(words[1])) {\n");
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
        g_string_append_printf(text, "    case %zu: %s break;\n", i, calls[i]);
    g_string_append(text, "    }\n    return 1;\n}\n");
    g_snprintf(parent, sizeof parent, "%d", (int)getpid());
    g_string_replace(text, "ANSWERED", "_exit(0)", 0);
    g_string_replace(text, "PARENT", parent, 0);
    g_string_replace(text, "MADE", "made", 0);
    g_string_replace(text, "SECRET", "secret.txt", 0);
    char *path = g_build_filename(folder, "calls.c", NULL);
    assert_true(g_file_set_contents(path, text->str, -1, NULL));
    g_string_free(text, TRUE);
    return path;
}

// Each call gets its answer there, so that a sandbox which did nothing would be found out.
TEST(the_same_calls_work_outside)
{
    g_autofree char *folder = g_dir_make_tmp("tilescope-outside-XXXXXX", NULL), *said = NULL;
    g_free(write_secret(folder));
    g_free(program_of_calls(folder));
    if (run_in(folder, "cc -w calls.c -o calls", &said)) fail_msg("%s", said);
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autofree char *line = g_strdup_printf("rm -rf made *.more; ./calls %zu </dev/null", i);
        g_free(said);
        g_free(write_secret(folder));
        if (run_in(folder, line, &said)) fail_msg("fails outside, too: %s", calls[i]);
    }
    assert_true(file_remove_all(folder));
}

TEST(the_same_files_are_read_outside)
{
    char *folder = g_dir_make_tmp("tilescope-outside-XXXXXX", NULL), *said = NULL;
    g_autofree char *path = g_build_filename(folder, "reads.c", NULL);
    g_free(write_secret(folder));
    for (size_t i = 0; i < G_N_ELEMENTS(harmless); i++) {
        if (!strstr(harmless[i].above, "#include")) continue;
        g_autofree char *text = replaced(harmless[i].above, "SECRET", "secret.txt");
        assert_true(g_file_set_contents(path, text, -1, NULL));
        run_in(folder, "cc -x c++ -D__device__= -c reads.c", &said);
        if (!strstr(said, WORD "_word")) fail_msg("%s: %s", harmless[i].above, said);
        g_free(said);
    }
    assert_true(file_remove_all(folder));
    g_free(folder);
}

static void expect_harmless(struct attack *d, const char *above, const char *body)
{
    err.text[0] = '\0';
    g_autofree char *text = text_of(d, above, body ? body : right_body);
    const struct submission *s = open_behind(d, text);
    struct proctor *p = start(TILESCOPE_PROGRAM, s);
    if (!run_once(d, p, 1) && body && !strstr(err.text, "asked the operating system"))
        fail_msg("%s: %s", text, err.text);
    expect_compiled(err.text, text);
    expect_no_secret(err.text, text);
    expect_clean_work(s, text);
    expect_nothing_reached(d, p, text);
    proctor_stop(p);
    assert_false(g_file_test(d->made, G_FILE_TEST_EXISTS));  // it may have tried at its end
}

static void put_back(int kept, int place)
{
    close(place);
    if (kept >= 0) dup2(kept, place), close(kept);
}

TEST_WITH(what_may_be_loaded_reaches_nothing, set_up, tear_down)
{
    enum { INPUT, THIRD = 3 };
    struct attack *d = *state;
    skip_without_sandbox(d);
    const int input = dup(INPUT), third = dup(THIRD), secret = open(d->secrets[0], O_RDONLY);
    assert_true(secret >= 0);
    for (size_t i = 0; i < G_N_ELEMENTS(harmless); i++) {
        OWNED(grade_finish) struct grade result = {.count = 0};
        assert_int_equal(dup2(secret, INPUT), INPUT);
        assert_int_equal(dup2(secret, THIRD), THIRD);
        expect_harmless(d, harmless[i].above, harmless[i].body);
        if (i % step) continue;
        g_autofree char *text =
            text_of(d, harmless[i].above, harmless[i].body ? harmless[i].body : "");
        const int points = grade(d, text, ENDLESS_S, &result);
        if (points > 5) fail_msg("%d points for %s", points, text);
    }
    close(secret);
    put_back(input, INPUT);
    put_back(third, THIRD);
}

// ---- a system without a sandbox ----

// The grader's status where Landlock does not exist; *said is what it wrote.
static int grade_without_landlock(struct attack *d, const char *option, char **said)
{
    int status = 0;
    g_autofree char *path = g_build_filename(d->desk->folder, "mine.cu", NULL),
                    *text = text_of(d, "", right_body);
    g_autofree char *out = g_build_filename(d->desk->folder, "out", NULL);
    assert_true(file_write(path, text, strlen(text), &err));
    const pid_t child = fork();
    if (!child) {
        const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(38), SCMP_SYS(landlock_create_ruleset), 0);
        if (seccomp_load(filter) || !freopen(out, "w", stdout) || dup2(1, 2) < 0) _exit(99);
        execl(TILESCOPE_PROGRAM, "tilescope", "grade", path, "--against", "transpose", option,
              NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(g_file_get_contents(out, said, NULL, NULL));
    g_unlink(out);
    g_unlink(path);
    return WEXITSTATUS(status);
}

TEST_WITH(without_a_sandbox_nothing_is_graded_unless_asked, set_up, tear_down)
{
    g_autofree char *said = NULL;
    skip_without_sandbox(*state);
    assert_int_equal(grade_without_landlock(*state, NULL, &said), 2);
    assert_non_null(strstr(said, "cannot shut a submission in: it lacks: no files elsewhere "
                                 "(Landlock); see --without-sandbox"));
    g_free(said);
    assert_int_equal(grade_without_landlock(*state, "--without-sandbox", &said), 1);
    assert_non_null(strstr(said, "5 of 5  compiles"));
    assert_non_null(
        strstr(said, "the sandbox of this system lacks: no files elsewhere (Landlock)"));
}

static int run_all(void)
{
    g_autofree char *cache = g_dir_make_tmp("tilescope-cache-XXXXXX", NULL);
    g_setenv("TILESCOPE_CACHE", cache, TRUE);
    const int failures = unit_run("attacks", look_for_sandbox, forget_sandbox);
    file_remove_all(cache);
    return failures;
}

// Nobody's, who has no rights at all. A program of its own: GLib's pools of threads do not outlive
// a fork.
static int run_as_ordinary_user(void)
{
    enum { NOBODY = 65534 };
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)) _exit(1);
        if (access(TILESCOPE_PROGRAM, X_OK) || access(TILESCOPE_KERNELS, R_OK)) {
            print_message("skipped: an ordinary user cannot read this tree\n");
            _exit(0);
        }
        print_message("as an ordinary user:\n");
        execl("/proc/self/exe", "test_attacks", "as it is", NULL);
        _exit(1);
    }
    return waitpid(child, &status, 0) == child ? status : 1;
}

int main(int count, char **unused)
{
    (void)unused;
    if (count > 1) step = 4;
    const int failures = run_all();
    return failures || (!geteuid() && run_as_ordinary_user());
}
