// terminal.h -- cleans everything that the program writes to a terminal, because some of it comes
// from files: names, titles, a compiler's words.
//
// Control characters except newlines and tabs, invalid UTF-8, and characters that reorder or hide
// text become U+FFFD, so no file can move the cursor or make a line look like another one.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

void terminal_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Shows on `to` the progress of long work: on a terminal in one line that is overwritten, elsewhere
// (in a log) in a new line every ten seconds.
struct terminal_progress {
    FILE *to;
    bool is_quiet, is_terminal, has_line;
    gint64 every_us, shown_us;
};
void terminal_progress_begin(struct terminal_progress *p, FILE *to, bool is_quiet);
// True if it is time for the next words, and no signal has come that ends the work.
bool terminal_progress_is_due(struct terminal_progress *p);
void terminal_progress_show(struct terminal_progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void terminal_progress_end(struct terminal_progress *p);  // erases the line

// A text as terminal_print would write it. The caller frees it.
char *terminal_clean(const char *text);
