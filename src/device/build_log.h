// build_log.h -- what a compiler says about a kernel file, in the one form that people read:
//
//     mean.cu:37:16: expected ';' before '}' token
//         sum += load(in, x, y)
//                              ^
//
// Both backends write it. Files go by their short names: where a compiler was given its copy is of
// no interest. The line is of the text that was compiled, which the file may no longer hold.
//
// Does not read compilers' output: compiler.c and nvrtc.c know their forms. One thread each.
#ifndef BUILD_LOG_H
#define BUILD_LOG_H

#include <stdbool.h>

#include "base/error.h"
#include "device/headers.h"

struct build_log;

// What was compiled; borrowed until the log is freed.
struct build_log_input {
    const char *path, *source;
    const struct header *headers;
    int header_count;
};

struct build_log *build_log_create(const struct build_log_input *input);
void build_log_free(struct build_log *log);  // accepts NULL

// Short name of a file: "kernels/mean.cu" is "mean.cu". Valid as long as path.
const char *build_log_name(const char *path);

// Adds an error. line: from 1, 0: not known. column: in bytes, from 1, 0: not known. more: further
// lines of the message, or NULL. What was said before in the same words is not said again.
void build_log_add(struct build_log *log, const char *path, int line, int column,
                   const char *message, const char *more);

// The whole, cut at an error's end to what an error holds. False and err untouched: there is
// nothing.
bool build_log_take(const struct build_log *log, struct error *err);

#endif
