// allowed.h -- refuses what an honest student may write in a kernel, but would be counted wrongly
// or read in another way by another compiler.
//
// It says so early and in his words; it protects nobody. A text that hides such a word gets past
// it, and what is compiled can do no harm in the sandbox (sandbox.h).
#ifndef ALLOWED_H
#define ALLOWED_H

#include <stdbool.h>

#include "base/error.h"

// Control characters but tabs and ends of lines, words that the log does not see or that tell
// devices apart, and functions that call themselves. name: of the file, for messages. False: err is
// "name:line: why".
bool allowed_text(const char *name, const char *text, struct error *err);

#endif
