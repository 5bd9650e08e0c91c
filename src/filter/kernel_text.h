// kernel_text.h -- the text that a variant consists of: its kernels, and what they use of their
// file and of the shared headers.
//
// Parts stand in this order: the variant's passes, its untimed kernels, then functions, structs,
// enums and macros in the order in which they are first used, those of the file before those of
// headers. A library's variant has its line in place of passes, and the file's references.
//
// It reads no files, but the texts that the filter and the headers hold, which are those that run.
#pragma once

#include "device/headers.h"
#include "filter/filter.h"

enum kernel_text_kind { KERNEL_TEXT_PASS, KERNEL_TEXT_UNTIMED, KERNEL_TEXT_HELPER };

struct kernel_text_part {
    enum kernel_text_kind kind;
    char name[FILTER_ENTRY];
    const char *path;   // of its file; borrowed, as is start
    const char *start;  // whole lines, with the comment above it, not terminated
    size_t length;
    int line;        // of its start, from 1
    int head, body;  // lines from its start to where it is declared, and to what its braces enclose
};

struct kernel_text {
    struct kernel_text_part *parts;  // owned
    int count;
};

// Filter and headers must outlive the parts. Headers that the file does not include do not count.
void kernel_text_find(struct kernel_text *t, const struct filter *f, const struct variant *v,
                      const struct headers *headers);
// A key of everything in the file and its headers that a launch of the variant depends on: the
// notes, and the code except for the bodies of other variants' kernels. Comments and blanks do not
// count. Two texts share one with a chance of 2^-64. The caller frees it.
char *kernel_text_key(const struct filter *f, const struct variant *v,
                      const struct headers *headers);
void kernel_text_finish(struct kernel_text *t);  // accepts a zeroed one
