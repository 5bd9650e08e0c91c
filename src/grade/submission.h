// submission.h -- a student's file, joined with what is given: the lab's or filter's own
// parameters, arrays and title.
//
// A submission is a whole kernel file, so that it runs in the viewer, too. Only its kernels and
// what they use are taken: the lines of its title, goals, params, arrays and references are
// blanked out, and ours are read in front, with the types that our kernels give them. No line
// moves, so that messages name the student's own lines. A reference's function stays, unused.
//
//     folder/kernels/    our headers, the student's text
//     folder/given.txt   our lines
//     folder/work/       room for the compiler, the only place that the sandbox may write to
//
// This module compiles and runs nothing. Our reference is not in the folder.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/filter.h"

struct submission {
    char *folder, *name;   // owned; name: the base name of the student's file
    struct filter filter;  // the given one, with the student's variants
    char *notes;           // what was ignored, a line each; owned
    double trial_s;  // a processor's time for a trial and, up to 5 s, for loading; 0: usual limits
    bool may_be_open;  // it may run where the system cannot shut it in
};

enum { SUBMISSION_MAX_BYTES = 256 << 10 };

// Reads the student's file and makes the folder. headers: where kernel.h is. False: err is
// "name:line: why", and nothing stays.
bool submission_open(struct submission *s, const struct filter *given, const char *path,
                     const char *headers, struct error *err);
// The same for a text, as if a file of that name held it.
bool submission_open_text(struct submission *s, const struct filter *given, const char *name,
                          const char *text, const char *headers, struct error *err);
void submission_close(struct submission *s);  // removes the folder; accepts a zeroed one

// Refuses what an honest student may write, but would be counted wrongly or read in another way by
// another compiler: control characters but tabs and ends of lines, words that the log does not see
// or that tell devices apart, and functions that call themselves, unless another one shares their
// name. It protects nobody: a text that hides such a word can do no harm in the sandbox
// (sandbox.h). False: err is "name:line: why".
bool submission_check_text(const char *name, const char *text, struct error *err);

// True if a variant is made of kernels that do all their work in the part that is measured. False:
// err says what it is.
bool submission_can_be_graded(const struct submission *s, const struct variant *v,
                              struct error *err);

// Reads what submission_open has put into a folder, in the process that compiles it. The caller
// finishes the filter.
bool submission_read(struct filter *f, const char *folder, const char *given_name,
                     const char *file_name, struct error *err);

// The compiler's headers in a folder: kernel.h is among them. The caller frees it.
char *submission_include(const char *folder);

// A file to begin with: all of the given one but its kernels. The caller frees it.
char *submission_skeleton(const struct filter *given);
