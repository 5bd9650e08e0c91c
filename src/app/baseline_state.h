// baseline_state.h -- the pinned baseline as a part of a saved state; for state.c.
#ifndef BASELINE_STATE_H
#define BASELINE_STATE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "measure/baseline.h"

void baseline_state_write(cJSON *json, const struct baseline *b);  // nothing if none is pinned
// False: it is no result with its time, and b is untouched.
bool baseline_state_read(struct baseline *b, const cJSON *json);

#endif
