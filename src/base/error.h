// error.h -- one message for whatever was refused: a file, a driver, a compiler.
//
// The place that knows fills it once, naming the attempt and the object
// ("cannot open 'a.png': No such file or directory"); callers may prefix, never reword.
// Does not print and does not end the process: commands print, main.c exits.
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

struct error {
    char text[6144];  // UTF-8; empty: no error. Roomy, because compilers' logs travel in it.
};

// Formats the message; err may be NULL. Always returns false, so that a refusal is one statement.
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts text in front of the message that err holds. Always returns false.
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
