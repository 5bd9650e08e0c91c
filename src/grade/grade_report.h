// grade_report.h -- a grade as text: a table for a terminal, JSON for an autograder.
//
// The JSON has the fields that Gradescope reads (score, output, and tests with name, score,
// max_score, status and output), and beside them max_score of all, file, against, variant and seed.
// output holds the notes. The module does not print.
#ifndef GRADE_REPORT_H
#define GRADE_REPORT_H

#include "grade/grading.h"

// The caller frees them.
char *grade_report_table(const struct grade *g);
char *grade_report_json(const struct grade *g);

#endif
