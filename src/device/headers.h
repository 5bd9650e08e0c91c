// headers.h -- reads the headers that kernel files may include: each *.h beside kernel.h, and those
// in the file's own folder. It refuses a file that includes or calls what it must not.
//
// NVRTC gets their text, and the cache keys of both backends cover it. A C++ compiler would also
// find other files, and the keys would miss a change in those.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/c_tokens.h"
#include "base/error.h"

struct build;  // backend.h

struct header {
    char *path;  // kernels include its base name
    char *text;
    bool is_users;  // it lies beside the user's file, and may hold host code (device_text.h)
};

// Owns what it points to.
struct headers {
    struct header *list;  // kernel.h first, then the others by name
    int count;
    char before[256];  // set by headers_check(): includes what the file's text calls, as prints.h
};

// Fails when a file cannot be read or kernel.h is missing.
bool headers_load(struct headers *h, const char *folder, struct error *err);
void headers_finish(struct headers *h);  // accepts a zeroed list
// Adds headers of the file's own folder that it, or a header so added, includes in quotes.
void headers_add_users(struct headers *h, const char *path, const char *source);
// The texts of these, each behind what it includes itself. The caller frees it.
char *headers_text_beside(const char *path, const char *source);

// Finds the header that kernels include by this name; NULL: there is none.
const struct header *headers_find(const struct headers *h, const char *name, size_t length);
// Finds the header that the line that begins with the token includes; NULL: it includes none.
const struct header *headers_included(const struct headers *h, struct c_token token,
                                      struct c_tokens behind);

// Checks what the build's file and each header that it reaches include and, if build->inexact is
// set, that they do not call functions whose last bits differ between devices. It does not know
// which lines an #if leaves out, except those of an `#if 0`.
bool headers_check(struct headers *h, const struct build *build, struct error *err);

// True if a text uses one of the words. It adds each macro whose text holds one of them to `words`.
bool headers_uses(const char *text, GHashTable *words);

// A hash over all names and texts. The caller frees it.
char *headers_key(const struct headers *h);
