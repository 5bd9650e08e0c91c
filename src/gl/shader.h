// shader.h -- compiles and links a pair of GLSL files.
#pragma once

#include "base/error.h"

// Returns the program's name, or 0: err then holds the compiler's log with lines "file:line: what"
// and the source's line below each. word: is defined in the fragment shader, from its second line
// on; NULL: none. Needs a current GL context.
unsigned int shader_load(const char *vertex_path, const char *fragment_path, const char *word,
                         struct error *err);
