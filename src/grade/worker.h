// worker.h -- the process that compiles a submission and runs it, shut in by sandbox.h.
//
// It does what the messages of wire.h ask, and judges nothing: it hands every block's log and what
// the arrays hold to the grader, because a kernel could reach whatever is in its process.
#ifndef WORKER_H
#define WORKER_H

#include "base/error.h"

// Takes over the process until its stdin ends. words: the folder of a submission, the given file's
// name, the submission's, the variant's. False: err.
bool worker_run(char *const words[4], struct error *err);

#endif
