// error.h -- the message of a refusal by a file, a driver or a compiler.
//
// The function that knows the reason writes the message once and names the attempt and the object
// ("cannot open 'a.png': No such file or directory"). Callers may put words in front of it, but do
// not reword it. This module does not print and does not end the process: the commands do.
#pragma once

#include <stdbool.h>

struct error {
    char text[6144];  // UTF-8; empty: no error. Large enough for a compiler's log.
};

// All of these accept NULL for err and return false, so that a function refuses in one statement.

// Formats the message. It is one line: a newline in a file's name becomes "?".
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Sets a message of several lines: a compiler's log.
bool error_set_log(struct error *err, const char *log);

// Puts a text in front of the message that err holds.
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// OWNED(filter_finish) struct filter f = {0}; calls filter_finish(&f) on every way out of the
// block.
#define OWNED(finish) __attribute__((cleanup(finish)))
