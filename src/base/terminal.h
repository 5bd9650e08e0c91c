// terminal.h -- all that the program writes to a terminal goes through here, because some of it
// comes from files: names, titles, a compiler's words.
//
// Control characters but newlines and tabs, invalid UTF-8, and characters that reorder or hide text
// become U+FFFD. So no file can move the cursor, or make a line look like another one.
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdio.h>

void terminal_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Goes back to the beginning of the present line, which is erased.
void terminal_erase_line(FILE *to);

// A text as terminal_print would write it. The caller frees it.
char *terminal_clean(const char *text);

#endif
