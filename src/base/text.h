// text.h -- reads texts from files, and writes texts into places of a fixed size.
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

#include "base/error.h"

// Reads a file, of which the caller frees the text; size may be NULL. NULL: err says why it cannot
// be read.
char *text_read(const char *path, size_t *size, struct error *err);

// Both take UTF-8, and the size of the whole place. What does not fit is cut at a whole letter.
void text_copy(char *text, size_t size, const char *from);
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
