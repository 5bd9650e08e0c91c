// proctor.h -- starts the process that runs a submission (worker.c), watches its time, and reads
// what it says.
//
// It judges nothing, and it believes nothing either: a message with impossible numbers ends the
// process. One thread makes all calls, which wait.
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "grade/inspection.h"
#include "grade/submission.h"

struct proctor {
    const struct submission *submission;
    const struct variant *variant;
    int pid, to, from;
    unsigned char *before, *after;  // WIRE_HALF bytes each: what a trial begins with, and leaves
    double trial_s;                 // a processor's time that a trial may take
    double limit_s, end_s;          // for the present question, and when it is reached; 0: none
    bool is_over;
    const char *why;  // it is over
    GByteArray *payload;
    struct launch_config config;  // of the last PASS of a trial; zeroed: there was none
    struct trace_thread threads[WIRE_MAX_THREADS];
};

// program: this program's file. NULL: it does not start, and err says why.
struct proctor *proctor_start(const char *program, const struct submission *s,
                              const struct variant *variant, struct error *err);
void proctor_stop(struct proctor *p);  // ends the process; accepts NULL

// Compiles, loads the result, and seals the process. False: err is the compiler's log, or says how
// the process ended. note: what the sandbox lacks, or nothing; 2 * SANDBOX_MISSING bytes.
bool proctor_load(struct proctor *p, char *note, size_t size, struct error *err);
// Runs a trial, and hands what its launches do to i; NULL: nobody looks. False: err says why the
// trial has ended; then is_over says whether the process has ended, too.
bool proctor_run(struct proctor *p, const struct trial *trial, struct inspection *i,
                 struct error *err);

// The source lines of sites, found by another process, which loads nothing of the submission.
bool proctor_find_lines(const char *program, const struct submission *s,
                        const struct variant *variant, const unsigned int *sites, int count,
                        struct trace_chain *chains);

// The process itself, in worker.c, until its stdin ends. It does what the messages of wire.h ask,
// and judges nothing: it hands every block's log and what the arrays hold to the grader, because a
// kernel could reach whatever is in its process. words: the folder of a submission, the given
// file's name, the submission's, the variant's; "shut", or "open" if it may run where the
// system cannot shut it in. It answers by messages. False: err.
enum { WORKER_WORDS = 5 };
bool worker_run(char *const words[WORKER_WORDS], GString *none, struct error *err);
