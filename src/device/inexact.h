// inexact.h -- finds functions whose last bits differ between devices: those of the C library and
// of CUDA that are not rounded correctly, as expf, and CUDA's fast ones.
//
// It goes by words. A member of such a name is none of them, and neither is a name that the text
// itself declares.
#pragma once

#include <glib.h>

#include "base/c_tokens.h"

// Where a reader of a text's tokens stands.
struct inexact {
    GHashTable *own;           // names that the text declares
    struct c_token before[2];  // the last ones, the last one first
};
struct inexact inexact_begin(void);
void inexact_end(struct inexact *reader);

// Takes the text's next token, behind which `tokens` stands. True: such a function is named there.
bool inexact_take(struct inexact *reader, struct c_token token, struct c_tokens tokens);
