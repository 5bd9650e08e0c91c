// compiler_log.h -- reads what GCC or clang says about a kernel file.
#ifndef COMPILER_LOG_H
#define COMPILER_LOG_H

#include <stdbool.h>

#include "device/build_log.h"

struct build;  // backend.h

// Writes the errors, "path:line:column: error: message [-Wname]", to err in build_log.h's form. An
// error in a template of a header that is not the user's goes to the line of the user's that needs
// the template. What has no such form is told as it was said; then it returns false: it may not be
// the text that is wrong.
bool compiler_log_tell(const struct build *build, const struct headers *headers, const char *said,
                       struct error *err);

// The remedy where the compiler says that it lacks C++; NULL: it does not say so.
const char *compiler_log_lack(const char *said);

#endif
