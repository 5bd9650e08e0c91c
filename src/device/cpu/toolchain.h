// toolchain.h -- lists the files that a C compiler reads and runs, for a process that may open
// nothing else.
//
// The compiler is asked for its folders. Of a folder of libraries only the libraries in it are
// listed, not what lies below.
#ifndef TOOLCHAIN_H
#define TOOLCHAIN_H

#include "base/error.h"

// command: the compiler and its first arguments. The list ends with NULL; g_strfreev frees it.
// NULL: the compiler does not answer, and err says why.
char **toolchain_files(char *const *command, struct error *err);

#endif
