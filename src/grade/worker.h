// worker.h -- the process that compiles a submission and runs it, shut in by sandbox.h.
//
// It does what the messages of wire.h ask, and judges nothing: it hands every block's log and what
// the arrays hold to the grader, because a kernel could reach whatever is in its process.
#ifndef WORKER_H
#define WORKER_H

#include "base/error.h"

// Takes over the process until its stdin ends. words: the folder of a submission, the given file's
// name, the submission's, the variant's; "shut", or "open" where a system that cannot shut it in is
// put up with. False: err.
enum { WORKER_WORDS = 5 };
bool worker_run(char *const words[WORKER_WORDS], struct error *err);

#endif
