// sweep_parts.h -- what the parts of a sweep share; for sweep*.c only.
#ifndef SWEEP_PARTS_H
#define SWEEP_PARTS_H

#include "measure/sweep.h"

// The parts of a list, which the caller frees with g_strfreev. NULL: it is given but names nothing,
// which is refused; err names the axis.
char **sweep_split(const char *axis, const char *text, struct error *err);

#endif
