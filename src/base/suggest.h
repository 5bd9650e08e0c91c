// suggest.h -- finds the name that a misspelt word was probably meant to be.
#pragma once

#include <stddef.h>

#include "base/error.h"

// Adds "; did you mean 'list'?" to err's message where one of the names is near. The nearest one
// may have one mistake in three letters (an option's dashes are none): a letter that is wrong,
// missing, too much, or in its neighbour's place. Names are separated by spaces or commas. Always
// returns false, as error_set() does.
bool suggest(struct error *err, const char *word, const char *names);

// Adds "; known are list, render" too: the names at the front of `count` structs of `size` bytes
// each. Nothing where there are none.
bool suggest_known(struct error *err, const char *word, const void *structs, int count,
                   size_t size);
