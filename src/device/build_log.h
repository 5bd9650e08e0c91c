// build_log.h -- a compiler's errors about a kernel file, in one form for both backends:
//
//     mean.cu:37:16: expected ';' before '}' token
//         sum += load(in, x, y)
//                              ^
//
// A file goes by its short name, because the compiler may have been given a copy elsewhere. The
// line is quoted from the text that was compiled; the file may have changed since.
//
// It does not read compilers' output: compiler.c and nvrtc.c know their formats. One thread uses a
// log.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/headers.h"

// The name of the code behind a file (build.calls).
#define BUILD_LOG_CALLS "launch"

struct build_log;

// A log of this build and its headers, which are borrowed until the log is freed.
struct build_log *build_log_create(const struct build *build, const struct headers *headers);
void build_log_free(struct build_log *log);  // accepts NULL

// The short name of "kernels/filters/mean.cu" is "mean.cu". It is valid as long as path.
const char *build_log_name(const char *path);

// True for a file that the user has written: the kernel file, or a header beside it. An error in a
// template of another header is told where the user's text needs that template.
bool build_log_is_users(const struct build_log *log, const char *path);

// Adds an error, unless the log holds the same words. If it is a name that was left out with the
// host's code (device_text.h), the message says so, and no other error of that line is added. line
// and column (in bytes) count from 1; 0 means not known. more holds further lines of the message,
// or is NULL.
void build_log_add(struct build_log *log, const char *path, int line, int column,
                   const char *message, const char *more);

// Writes the log to err, cut after the last error that fits. False: the log is empty, and err is
// untouched.
bool build_log_take(const struct build_log *log, struct error *err);
