// tour_list.h -- the tours of a folder: its .tour files, by name.
//
// A tour that cannot be read is in the list, too, with the reason.
#ifndef TOUR_LIST_H
#define TOUR_LIST_H

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
};

// Reads all tours of a folder. One that is not there has none.
void tour_list_load(struct tour_list *l, const char *folder, const struct filter_list *filters);
void tour_list_finish(struct tour_list *l);  // accepts a zeroed one

#endif
