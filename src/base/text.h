// text.h -- writes texts into places of a fixed size, and takes them apart.
#pragma once

#include <stddef.h>
#include <stdint.h>

// These take UTF-8, and the size of the whole place. What does not fit is cut at a whole letter.
void text_copy(char *text, size_t size, const char *from);
void text_copy_line(char *text, size_t size, const char *from);  // the first one
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What the groups of a pattern (PCRE) match, if it matches all of a text but blanks before it; a
// group that is not there is "". NULL: it does not match. g_strfreev() frees them.
char **text_match(const char *pattern, const char *text);

// How long a text stays on the screen that nobody asked for: until it is noticed and read.
int64_t text_reading_us(const char *text);
