// grade_command.c -- `tilescope grade`: grades a student's file, or writes one to begin with.
#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "grade/grading.h"
#include "grade/submission.h"
#include "grade/timekeeper.h"
#include "grade/translator.h"
#include "grade/worker.h"

// A grader tells the two apart: 1 is a bad submission, 2 is anything else.
enum { OUTCOME_NOT_PASSED = OUTCOME_REFUSED, OUTCOME_NOT_GRADED = OUTCOME_USAGE };

static bool check_words(const struct options *o, struct error *err)
{
    if (o->skeleton)
        return (!o->against && !o->pictures[0]) ||
               error_set(err, "--skeleton stands alone: tilescope grade --skeleton LAB");
    if (!o->pictures[0] || o->pictures[1])
        return error_set(err, "grade wants one file: tilescope grade FILE --against LAB");
    return o->against || error_set(err, "--against says which filter or lab the file is to solve");
}

static bool is_one_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool check_json(const struct options *o, struct error *err)
{
    if (!o->json) return true;
    if (is_one_file(o->json, o->pictures[0]))
        return error_set(err, "'%s' is the submission, which --json would overwrite", o->json);
    return command_can_write(o->json, err);
}

static bool read_seed(const char *text, unsigned int *seed, struct error *err)
{
    guint64 number = g_random_int();
    if (text && !g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32, &number, NULL))
        return error_set(err, "seed '%s' is not a number from 0 to %u", text, G_MAXUINT32);
    *seed = (unsigned int)number;
    return true;
}

static bool write_reports(const struct options *o, const struct grade *g, struct error *err)
{
    char *table = grade_report_table(g);
    terminal_print(stdout, "%s", table);
    g_free(table);
    if (fflush(stdout)) return false;  // main() says why
    if (!o->json) return true;
    char *json = grade_report_json(g);
    const bool is_written = file_write(o->json, json, strlen(json), err);
    g_free(json);
    return is_written;
}

static enum outcome grade_file(const struct options *o, const struct filter *given,
                               struct error *err)
{
    struct grade grade = {.count = 0};
    char *include = options_include_folder(o);
    struct grading_request request = {.given = given,
                                      .path = o->pictures[0],
                                      .variant = o->variant,
                                      .include = include,
                                      .program = "/proc/self/exe",  // runs the submission
                                      .may_be_open = o->without_sandbox};
    long long unused;
    FILE *file = file_open(o->pictures[0], &unused, err);
    if (file) fclose(file);
    const bool is_graded = file && check_json(o, err) && read_seed(o->seed, &request.seed, err) &&
                           grading_run(&request, &grade, err) && !signals_came() &&
                           write_reports(o, &grade, err);
    const enum outcome outcome = signals_came()             ? OUTCOME_INTERRUPTED
                                 : !is_graded               ? (enum outcome)OUTCOME_NOT_GRADED
                                 : grade_has_passed(&grade) ? OUTCOME_DONE
                                                            : (enum outcome)OUTCOME_NOT_PASSED;
    if (!is_graded && *err->text) command_fail(outcome, err);  // a signal says nothing
    grade_finish(&grade);
    g_free(include);
    return outcome;
}

static enum outcome grade(const struct options *o)
{
    struct filter_list filters = {.count = 0};
    struct error err = {""};
    signals_hold(COMMAND_GRACE_S);
    const struct filter *given = NULL;
    if (check_words(o, &err) && command_load_filters(&filters, o, NULL, &err))
        given = choice_read_filter(&filters, o->skeleton ? o->skeleton : o->against, &err);
    enum outcome outcome = OUTCOME_DONE;
    if (!given) {
        outcome = command_fail(OUTCOME_USAGE, &err);
    } else if (o->skeleton) {
        char *text = submission_skeleton(given);
        terminal_print(stdout, "%s", text);
        g_free(text);
    } else {
        outcome = grade_file(o, given, &err);
    }
    filter_list_finish(&filters);
    return outcome;
}

const struct command command_grade = {
    .name = "grade",
    .options = OPTIONS_GRADE,
    .run = grade,
    .usage = "grade FILE --against LAB",
    .summary = "a student's file: is it exact, what does it ask of memory",
    .about =
        "Grades a student's file: one variant of a filter or lab, the last of the file unless\n"
        "--variant names another. Parameters, arrays and reference are those of --against, not\n"
        "the file's. The file is compiled in a sandbox, which can read the compiler's files\n"
        "only, and its kernel runs there on the CPU, without files and network, and is stopped\n"
        "if it does not end. Every result must be exact, at awkward sizes that a seed draws.\n"
        "Where there is a GPU, an exact kernel also runs there, outside the sandbox, for goals\n"
        "about time. A system without Landlock or seccomp has no sandbox, and then nothing is\n"
        "graded unless --without-sandbox is given: the kernel can then do what you can.\n\n"
        "It exits with 0 if every test has passed, 1 if one has not, 2 if it could not grade.",
};

enum outcome command_grade_worker(int argc, char **argv)
{
    struct error err = {""};
    if (argc != WORKER_WORDS) return OUTCOME_USAGE;
    return worker_run(argv, &err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

enum outcome command_grade_translator(int argc, char **argv)
{
    struct error err = {""};
    if (argc != TRANSLATOR_WORDS) return OUTCOME_USAGE;
    return translator_serve(argv, &err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

enum outcome command_grade_stopwatch(int argc, char **argv)
{
    struct error err = {""};
    if (argc != TIMEKEEPER_WORDS) return OUTCOME_USAGE;
    return timekeeper_serve(argv, &err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}
