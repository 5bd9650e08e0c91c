// compiler_log.h -- reads what GCC or clang says about a kernel file.
#ifndef COMPILER_LOG_H
#define COMPILER_LOG_H

#include "device/build_log.h"

// Adds the errors, "path:line:column: error: message [-Wname]", to a log. An error in a template of
// a header that is not the user's goes to the line of the user's that needs the template.
void compiler_log_read(struct build_log *log, const char *said);

#endif
