// text.h -- writes texts into buffers of a fixed size, and matches patterns.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A few words.
struct words {
    char text[64];
};

// These take UTF-8 and the size of the whole buffer. They cut a text that does not fit after a
// whole letter.
void text_copy(char *text, size_t size, const char *from);
void text_copy_line(char *text, size_t size, const char *from);  // the first line only
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds words to a list, with `between` before them unless they are the first. No words add nothing.
void text_join(char *text, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Returns what the groups of a pattern (PCRE) match if it matches a whole text, apart from blanks
// in front; a missing group is "". NULL: it does not match. g_strfreev() frees them.
char **text_match(const char *pattern, const char *text);

// How long a text that nobody asked for stays on the screen: time to notice and read it.
int64_t text_reading_us(const char *text);
