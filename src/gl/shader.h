// shader.h -- compiles and links a pair of GLSL files.
#pragma once

#include "base/error.h"

// Loads NAME.vert and NAME.frag from a folder. Returns GL's name of the program, or 0: err then
// holds the compiler's log with lines "file:line: what" and the source's line below each. word: a
// macro that the fragment shader gets behind its first line; NULL: none. Needs a current GL
// context.
unsigned int shader_load(const char *folder, const char *name, const char *word, struct error *err);
