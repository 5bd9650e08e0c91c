// error.h -- the message of a refusal by a file, a driver or a compiler.
//
// The function that knows the reason writes the message once and names the attempt and the object
// ("cannot open 'a.png': No such file or directory"). Callers may put words in front of it, but do
// not reword it. This module does not print and does not end the process: the commands do.
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

struct error {
    char text[6144];  // UTF-8; empty: no error. Large enough for a compiler's log.
};

// Formats the message; err may be NULL. Always returns false, so that refusing takes one statement.
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts text in front of the message that err holds. Always returns false.
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
