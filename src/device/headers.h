// headers.h -- reads the headers that kernel files may include: each *.h beside kernel.h, and those
// in the file's own folder. It refuses a file that includes or calls what it must not.
//
// NVRTC is given their text, and the cache keys of both backends cover it. A C++ compiler would
// find other files, too, and a change in one of those would go unnoticed.
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
    bool has_prints;  // headers_check(): the kernels call printf, so that the text needs prints.h
};

// Fails when a file cannot be read or kernel.h is missing.
bool headers_load(struct headers *h, const char *folder, struct error *err);
void headers_finish(struct headers *h);  // accepts a zeroed list
// Adds what a file, and what it adds, includes in quotes from the file's own folder.
void headers_add_users(struct headers *h, const char *path, const char *source);

// The one that kernels include by these bytes; NULL: there is none.
const struct header *headers_find(const struct headers *h, const char *name, size_t length);
// The one that is included by the line that begins with the token; NULL: it is another line.
const struct header *headers_included(const struct headers *h, struct c_token token,
                                      struct c_tokens behind);

// Looks at the build's file and at each header that it reaches, for what they include and, where
// build->inexact says so, for functions whose last bits differ between devices. It reads texts as
// they stand: it does not know which lines an #if leaves out, except those of an `#if 0`.
bool headers_check(struct headers *h, const struct build *build, struct error *err);

// True if a text uses one of the words. Macros whose text holds one of them become words, too.
bool headers_uses(const char *text, GHashTable *words);

// A hash over all names and texts. The caller frees it.
char *headers_key(const struct headers *h);
