// grading.h -- grades one variant of a submission: what it is tried with, and what came of it.
//
//     submission ──▶ proctor ──▶ worker, in its sandbox
//                       │ logs, elements
//     expected ──────▶ grading ──▶ struct grade
//
// The process that runs the kernels decides nothing: results are compared and requests are counted
// here. This module prints nothing.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/filter.h"

enum grade_state { GRADE_PASSED, GRADE_FAILED, GRADE_NOT_JUDGED };

struct grade_test {
    char *name, *output;  // owned; the output is for the student, and may be empty
    enum grade_state state;
    int points;  // if it passes; not judged: none
};

struct grade {
    char *file, *given, *variant;  // owned; the file's name as a terminal shows it
    unsigned int seed;
    char *notes;  // a line each; owned
    struct grade_test *tests;
    int count, score, max;  // max: of the judged tests; score = max: passed
};

struct grading_request {
    const struct filter *given;
    const char *path;     // of the submission
    const char *variant;  // NULL: the last one of the file
    const char *include;  // where kernel.h is
    const char *program;  // this program's file, to be run again
    unsigned int seed;
    bool may_be_open;  // it runs even where the system cannot shut it in
    double trial_s;    // a processor's time for a trial; 0: the usual limit
};

// False: the grader could not do its work, and err says why. A bad submission is no failure; the
// caller finishes the grade.
bool grading_run(const struct grading_request *request, struct grade *grade, struct error *err);
void grade_finish(struct grade *g);  // accepts a zeroed one

// The grade as text: a table for a terminal, or JSON for an autograder. The JSON has the fields
// that Gradescope reads (score, output, and tests with name, score, max_score, status and output),
// and beside them max_score of all, file, against, variant and seed. output holds the notes. The
// caller frees them.
char *grade_report_table(const struct grade *g);
char *grade_report_json(const struct grade *g);
