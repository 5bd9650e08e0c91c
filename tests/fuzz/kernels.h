// kernels.h -- the filters that the program comes with, read once.
#pragma once

#include "filter/filter.h"
#include "fuzz.h"

static inline const struct filter_list *kernels(void)
{
    static struct filter_list list;
    struct error err = {""};
    if (!list.count && !filter_list_load(&list, TILESCOPE_KERNELS, TILESCOPE_KERNELS, &err))
        g_error("%s", err.text);
    return &list;
}
