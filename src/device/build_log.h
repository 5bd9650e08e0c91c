// build_log.h -- a compiler's errors about a kernel file, in one form for both backends:
//
//     mean.cu:37:16: expected ';' before '}' token
//         sum += load(in, x, y)
//                              ^
//
// The log shows a file's short name, because the compiler may have read a copy elsewhere. It quotes
// the line from the text that was compiled, because the file may have changed since.
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

// Adds an error, unless the log holds the same words. If the compiler misses a name that
// device_text.h left out with the host's code, the message says so, and the log takes no other
// error of that line. line and column (in bytes) count from 1; 0 means not known. more holds
// further lines of the message, or is NULL.
void build_log_add(struct build_log *log, const char *path, int line, int column,
                   const char *message, const char *more);

// A compiler's lines, as regular expressions with named groups: path, line, column and text.
struct build_log_form {
    // A message's first line. The group `error` matches only in an error. A `note` belongs to the
    // error before it; an error at the `end` of the file has no line.
    const char *first;
    // A line that says where the text uses a template: the last error's, or the next one's if the
    // group `before` matches.
    const char *user;
    const char *noise;  // a line to skip; NULL: there are none
    // Further lines belong to the message. They are indented by two and end with the source line
    // and a caret, with as many blanks before it as the column has bytes.
    bool has_more;
};

// Writes the log to err, cut after the last error that fits. False: the log is empty, and err is
// untouched.
bool build_log_take(const struct build_log *log, struct error *err);

// Reads all errors from a compiler's output `said` and writes them to err in the same way. The user
// wrote the kernel file and the headers beside it: an error in a template of another header is
// reported at the user's line that uses the template.
bool build_log_tell(const struct build *build, const struct headers *headers,
                    const struct build_log_form *form, const char *said, struct error *err);
