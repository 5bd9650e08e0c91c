// suggest.h -- finds the name that a misspelt word was probably meant to be.
#pragma once

#include <stddef.h>

#include "base/error.h"

// Adds "; did you mean 'list'?" to err's message if the nearest name has at most one mistake in
// three letters (an option's dashes do not count): a letter that is wrong, missing, too much, or
// swapped with its neighbour. Names are separated by spaces or commas. Always returns false, as
// error_set() does.
bool suggest(struct error *err, const char *word, const char *names);

// Also adds "; known are list, render". The names are the first members of `count` structs of
// `size` bytes each. Adds nothing if there are none.
bool suggest_known(struct error *err, const char *word, const void *structs, int count,
                   size_t size);
