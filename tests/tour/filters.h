// filters.h -- the filters that the tests of tours read theirs against: those of the program.
//
// Each test includes it once; set_up is for its group.
#pragma once

#include "filter/filter.h"

static struct filter_list filters;

static int set_up(void **state)
{
    must(filter_list_load(&filters, TILESCOPE_KERNELS, NULL, &err));
    return 0;
}
