// kernel_text.h -- the text that a variant consists of: its kernels, and what they use of their
// file and of the shared headers.
//
// Parts stand in this order: the variant's passes, its untimed kernels, the file's struct params
// and struct arrays, then functions, structs, enums and macros in the order in which they are first
// used, those of the file before those of headers. What KERNEL() itself is made of is left out. A
// library's variant has its line in place of passes, and the file's REFERENCEs.
//
// It reads the texts that the filter and the headers hold, which are those that run, and no files.
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include "device/headers.h"
#include "filter/filter.h"

// ---- definitions ----

// Where the functions, kernels, structs, enums and macros of a C text stand, each with the comment
// directly above it. It reads any text and compiles nothing: what has no closing brace is not
// found.
enum c_item_kind { C_ITEM_FUNCTION, C_ITEM_KERNEL, C_ITEM_STRUCT, C_ITEM_ENUM, C_ITEM_MACRO };

struct c_item {
    enum c_item_kind kind;
    const char *name;  // borrowed from the text, not terminated
    size_t name_length;
    const char *start;  // whole lines, from the comment on
    size_t length;      // without the last line's end
    int line;           // of its start, from 1
};

// Kernels are KERNEL(name) and REFERENCE(name). An enum's name is empty.
struct c_items {
    struct c_item *list;  // owned, in the text's order
    int count;
};

void c_items_find(struct c_items *items, const char *text);
void c_items_finish(struct c_items *items);  // accepts a zeroed list

// True if the word is the name of the item, or a name in an enum.
bool c_item_defines(const struct c_item *item, const char *word, size_t length);

// ---- a variant ----

enum kernel_text_kind { KERNEL_TEXT_PASS, KERNEL_TEXT_UNTIMED, KERNEL_TEXT_HELPER };

struct kernel_text_part {
    enum kernel_text_kind kind;
    char name[FILTER_ENTRY];
    const char *path;   // of its file; borrowed, as the text is
    const char *start;  // whole lines, with the comment above it, not terminated
    size_t length;
    int line;  // of its start, from 1
};

struct kernel_text {
    struct kernel_text_part *parts;  // owned
    int count;
};

// Filter and headers must outlive the parts. Headers that the file does not include are not looked
// into.
void kernel_text_find(struct kernel_text *t, const struct filter *f, const struct variant *v,
                      const struct headers *headers);
void kernel_text_finish(struct kernel_text *t);  // accepts a zeroed one

#endif
