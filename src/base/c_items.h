// c_items.h -- finds the functions, kernels, structs, enums and macros of a C or CUDA C++ text,
// each with the comment directly above it.
//
// It takes any text and compiles nothing; it finds no item without a closing brace. It looks into
// namespaces and extern "C" { }, but not into structs.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { C_ITEM_SCOPE = 96 };
enum c_item_kind { C_ITEM_FUNCTION, C_ITEM_KERNEL, C_ITEM_STRUCT, C_ITEM_ENUM, C_ITEM_MACRO };

struct c_item {
    enum c_item_kind kind;
    const char *name;  // borrowed from the text, not terminated
    size_t name_length;
    const char *start;         // whole lines, from the comment on
    size_t length;             // without the last newline
    int line;                  // of its start, from 1
    const char *head;          // where the definition begins, below its comment
    int head_line, body_line;  // of head, and of the opening brace; 0: a macro
    char scope[C_ITEM_SCOPE];  // the namespaces around it, "course::"; empty: none
};

// Kernels are functions that are __global__. An enum's name is empty.
struct c_items {
    struct c_item *list;  // owned, in the text's order
    int count;
};

void c_items_find(struct c_items *items, const char *text);
void c_items_finish(struct c_items *items);  // accepts a zeroed list

// True if the word is the name of the item, or a name in an enum.
bool c_item_defines(const struct c_item *item, const char *word, size_t length);
