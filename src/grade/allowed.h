// allowed.h -- what the text of a submission may hold: CUDA C, and headers of this program.
//
// The C compiler that compiles kernels for the CPU knows more than CUDA does: assembler,
// attributes, and functions of the operating system. A kernel never needs them, but a cheat may.
// The sandbox would stop such a kernel; this module refuses it before it is compiled, and says why.
//
// Control characters but tabs and ends of lines are refused: compilers read them in different ways.
// Words with two underlines are refused but for CUDA's: among them are the C compiler's own. It
// expands no macros: what would make a word out of two is refused, too.
#ifndef ALLOWED_H
#define ALLOWED_H

#include <stdbool.h>

#include "base/error.h"
#include "device/headers.h"

// name: of the file, for messages. False: err is "name:line: why".
bool allowed_text(const char *name, const char *text, const struct headers *headers,
                  struct error *err);

// Whether a compiled kernel may take a symbol from outside of its object: what CUDA's words are
// made of on the CPU, and C's exact arithmetic.
bool allowed_symbol(const char *symbol);

// Whether a function that is left in an object beside the kernels is this program's, which has a
// section of its own, or the C compiler's.
bool allowed_function(const char *name, const char *section);

#endif
