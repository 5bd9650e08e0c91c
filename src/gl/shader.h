// shader.h -- compiles and links a pair of GLSL files.
#pragma once

#include "base/error.h"

// Of NAME.vert and NAME.frag in a folder. Returns the program's name, or 0: err then holds the
// compiler's log with lines "file:line: what" and the source's line below each. word: is defined in
// the fragment shader, from its second line on; NULL: none. Needs a current GL context.
unsigned int shader_load(const char *folder, const char *name, const char *word, struct error *err);
