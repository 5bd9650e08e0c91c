// build_log.h -- a compiler's errors about a kernel file, in one form for both backends:
//
//     mean.cu:37:16: expected ';' before '}' token
//         sum += load(in, x, y)
//                              ^
//
// A file goes by its short name, because the compiler may have been given a copy elsewhere. The
// line is quoted from the text that was compiled; the file may have changed since.
//
// compiler.c and nvrtc.c know the forms of compilers' lines. One thread uses a log.
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

// Adds an error, unless the log holds the same words. If it is a name that was left out with the
// host's code (device_text.h), the message says so, and no other error of that line is added. line
// and column (in bytes) count from 1; 0 means not known. more holds further lines of the message,
// or is NULL.
void build_log_add(struct build_log *log, const char *path, int line, int column,
                   const char *message, const char *more);

// A compiler's lines, as regular expressions whose groups have names: path, line, column and text.
struct build_log_form {
    // A message's first line. Of an error the group `error` is not empty. A `note` belongs to the
    // error before it; an error at the `end` of the file knows no line.
    const char *first;
    // A line that tells where a template is needed; if there is `before`, by the next error.
    const char *user;
    const char *noise;  // a line that tells nothing; NULL: there are none
    // What follows belongs to the message. It is indented by two, and ends with the line of source
    // and a caret, which is preceded by as many blanks as the column has bytes.
    bool has_more;
};

// Writes the log to err, cut after the last error that fits. False: the log is empty, and err is
// untouched.
bool build_log_take(const struct build_log *log, struct error *err);

// The same for all errors that a compiler has told. One in a template of a header that is not the
// user's, who wrote the kernel file and headers beside it, goes to the line of the user's that
// needs it.
bool build_log_tell(const struct build *build, const struct headers *headers,
                    const struct build_log_form *form, const char *said, struct error *err);
