// signature.h -- reads the declaration of a function in a CUDA C++ text, up to its body.
//
// It works on tokens and knows no types: `float4 *__restrict__ a` is an argument `a` of type float4
// that is a pointer. A template's parameter may stand as a type, too.
#pragma once

#include <stdbool.h>

#include "base/c_items.h"

enum { SIGNATURE_MAX_ARGUMENTS = 24, SIGNATURE_NAME = 64, SIGNATURE_TEMPLATE = 256 };

struct signature_argument {
    char name[SIGNATURE_NAME];  // empty: it has none
    char type[SIGNATURE_NAME];  // "unsigned int": without const, and without what marks pointers
    int stars;                  // more than one: a pointer to pointers
    bool is_pointer, is_const;  // arrays and functions are pointers; const: the target is
};

struct signature {
    char name[SIGNATURE_NAME];
    char bounds[SIGNATURE_NAME];          // of __launch_bounds__(…); empty: none
    char parameters[SIGNATURE_TEMPLATE];  // "int N, class T" of a template; empty: it is none
    bool is_device;                       // it says __device__
    struct signature_argument arguments[SIGNATURE_MAX_ARGUMENTS];
    int argument_count;
    int alignment;  // of a struct: what it asks for; 0: its members'
};

// Reads the members of a struct of that name, of the text's or CUDA's, as arguments; those of an
// array are v_0, v_1 … Its functions are passed over. False: there is none, or it has other
// members than numbers and pointers.
bool signature_read_members(struct signature *s, const char *text, const char *name);
// The declaration of that struct in a text, without its comments; NULL: there is none.
char *signature_struct_text(const char *text, const char *name);

// False: it is no function, or has too many arguments or too long a name; s may still have its
// name.
bool signature_read(struct signature *s, const struct c_item *item);
