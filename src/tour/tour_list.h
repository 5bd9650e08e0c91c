// tour_list.h -- the tours of a folder: its .tour files, by name.
//
// A tour that cannot be read is in the list, too, with the reason. If the user has a kernel folder
// of his own, the program lends its tours: the list then has only those whose filters and labs are
// in that folder.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "filter/filter.h"

struct tour_entry {
    char *name, *path;  // "memory-hierarchy"; owned, as all are
    char *title;        // NULL: it cannot be read, and why says why
    int steps;
    char *why;
};

// {0} is a valid nothing.
struct tour_list {
    struct tour_entry *entries;
    int count;
    int left_out;  // lent, and for other filters
};

// Reads all tours of a folder. A missing folder has none.
void tour_list_load(struct tour_list *l, const char *folder, bool is_lent,
                    const struct filter_list *filters);
// Finds a tour: the file `word`, or one in the folder with that name, perhaps without its number.
// Returns its path, which the caller frees. NULL: there is neither.
char *tour_list_find(const char *folder, const char *word, const struct filter_list *filters,
                     struct error *err);
const char *tour_list_short_name(const char *name);  // "banks" of "06_banks"
void tour_list_finish(struct tour_list *l);          // accepts a zeroed one
