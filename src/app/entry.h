// entry.h -- a value that is typed: of the chosen parameter, as in "# 37 Return".
//
// While it is open, it takes all keys: characters are typed, Backspace takes one back, Return sets
// the value, Esc leaves it as it was. A value that the parameter refuses stays open, with a note
// that says why.
#ifndef ENTRY_H
#define ENTRY_H

#include <stddef.h>

#include "app/app.h"

void entry_toggle(struct app *a);  // opens it; notes when nothing has parameters
void entry_press(struct app *a, const char *key);

// "radius = 37_", and what it may be, such as "0 to 64".
void entry_write(const struct app *a, char *text, size_t size);
void entry_write_limits(const struct app *a, char *text, size_t size);

#endif
