// texts.h -- filters that are parsed from short texts, for the tests of a group.
//
// Each test includes it once. Its own set-up parses them.
#pragma once

#include "filter/filter.h"

#define NAIVE         "//! variant naive 32x8\n__global__ void a() {}\n"
#define ANOTHER(name) "//! variant " name " 32x8\n__global__ void " name "() {}\n"

static struct filter_list filters;

// Each from its file's name and text. 0: all of them are good.
static inline int parse_filters(struct filter_list *l, const char *const files[][2], int count)
{
    bool are_good = true;
    *l = (struct filter_list){g_new0(struct filter, count), count};
    for (int i = 0; i < count; i++)
        are_good &= filter_parse(&l->filters[i], files[i][0], files[i][1], NULL, NULL);
    return !are_good;
}
