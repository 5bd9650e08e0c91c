// grade_command.c -- `tilescope grade`: grades a student's file, or writes one to begin with.
#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/commands.h"
#include "frame/translator.h"
#include "grade/grading.h"
#include "grade/proctor.h"
#include "grade/submission.h"
#include "grade/timekeeper.h"

// A grader tells the two apart: 1 is a bad submission, 2 is anything else.
enum { OUTCOME_NOT_PASSED = OUTCOME_REFUSED, OUTCOME_NOT_GRADED = OUTCOME_USAGE };

static enum outcome grade_file(const struct options *o, const struct filter *given,
                               struct error *err)
{
    OWNED(grade_finish) struct grade grade = {.count = 0};
    g_autofree char *include = options_include_folder(o);
    struct grading_request request = {.given = given,
                                      .path = o->pictures[0],
                                      .variant = o->variant,
                                      .include = include,
                                      .program = "/proc/self/exe",  // runs the submission
                                      .may_be_open = o->without_sandbox};
    long long unused;
    guint64 seed = g_random_int();
    struct stat one, other;
    FILE *file = file_open(o->pictures[0], &unused, err);
    if (file) fclose(file);
    bool is_graded = file;
    if (is_graded && o->json && !stat(o->json, &one) && !stat(o->pictures[0], &other) &&
        one.st_dev == other.st_dev && one.st_ino == other.st_ino)
        is_graded = error_set(err, "'%s' is the submission, which --json would overwrite", o->json);
    is_graded = is_graded && (!o->json || command_can_write(o->json, err));
    if (is_graded && o->seed &&
        !g_ascii_string_to_unsigned(o->seed, 10, 0, G_MAXUINT32, &seed, NULL))
        is_graded = error_set(err, "seed '%s' is not a number from 0 to %u", o->seed, G_MAXUINT32);
    request.seed = (unsigned int)seed;
    is_graded = is_graded && grading_run(&request, &grade, err) && !signals_came();
    if (is_graded) {
        g_autofree char *table = grade_report_table(&grade),
                        *json = o->json ? grade_report_json(&grade) : NULL;
        terminal_print(stdout, "%s", table);
        is_graded = !fflush(stdout) &&  // main() says why
                    (!json || file_write(o->json, json, strlen(json), err));
    }
    // The report has what there is to say; what a signal has cancelled is not worth a line.
    if (is_graded || signals_came()) err->text[0] = '\0';
    return signals_came()             ? OUTCOME_INTERRUPTED
           : !is_graded               ? (enum outcome)OUTCOME_NOT_GRADED
           : grade.score == grade.max ? OUTCOME_DONE
                                      : (enum outcome)OUTCOME_NOT_PASSED;
}

static enum outcome grade(const struct options *o, struct error *err)
{
    OWNED(filter_list_finish) struct filter_list filters = {.count = 0};
    if (o->skeleton && (o->against || o->pictures[0]))
        return command_misuse(err, "--skeleton stands alone: tilescope grade --skeleton LAB");
    if (!o->skeleton && (!o->pictures[0] || o->pictures[1]))
        return command_misuse(err, "grade wants one file: tilescope grade FILE --against LAB");
    if (!o->skeleton && !o->against)
        return command_misuse(err, "--against says which filter or lab the file is to solve");
    const struct filter *given = NULL;
    if (command_load_filters(&filters, o, NULL, err))
        given = choice_read_filter(&filters, o->skeleton ? o->skeleton : o->against, err);
    if (!given) return OUTCOME_USAGE;
    if (!o->skeleton) return grade_file(o, given, err);
    g_autofree char *text = submission_skeleton(given);
    terminal_print(stdout, "%s", text);
    return OUTCOME_DONE;
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
        "if it does not end. Every result must be exact, or within the lab's tolerance, at\n"
        "awkward sizes that a seed draws. Where there is a GPU, a right kernel also runs there,\n"
        "outside the sandbox, for goals about time. A system without Landlock or seccomp has no\n"
        "sandbox, and then nothing is graded unless --without-sandbox is given: the kernel can\n"
        "then do what you can.\n\n"
        "It exits with 0 if every test has passed, 1 if one has not, 2 if it could not grade.",
};

enum outcome command_part(int argc, char **argv, bool *is_part)
{
    static const struct {
        const char *name;
        int words;
        bool (*serve)(char *const *words, GString *answer, struct error *err);
    } parts[] = {{"--grade-worker", WORKER_WORDS, worker_run},
                 {"--grade-stopwatch", TIMEKEEPER_WORDS, timekeeper_serve},
                 {"--translator", TRANSLATOR_WORDS, translator_serve}};
    struct error err = {""};
    size_t i = 0;
    while (i < G_N_ELEMENTS(parts) && (argc < 2 || strcmp(parts[i].name, argv[1]) != 0)) i++;
    *is_part = i < G_N_ELEMENTS(parts);
    if (!*is_part || argc - 2 != parts[i].words) return OUTCOME_USAGE;
    g_autoptr(GString) answer = g_string_new(NULL);
    const bool is_done = parts[i].serve(argv + 2, answer, &err);
    terminal_print(is_done ? stdout : stderr, "%s", is_done ? answer->str : err.text);
    return is_done ? OUTCOME_DONE : OUTCOME_REFUSED;
}
