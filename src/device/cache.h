// cache.h -- keeps compiled kernels in the user's cache folder, by the hash of all that made them.
//
// The folder is $XDG_CACHE_HOME/tilescope or ~/.cache/tilescope. TILESCOPE_CACHE names another one;
// empty, it turns the cache off ("TILESCOPE_CACHE= tilescope ..." starts cold). An entry is written
// under another name and renamed, so that no program reads half of it, and carries a hash, so that
// a damaged one is not taken. What another user owns or may write is not taken either: an entry, or
// a folder, in which case the cache is off (`tilescope devices` says so). The CACHE_ENTRIES that
// were used last are kept. Other files in the folder are left alone. Any thread may call.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { CACHE_ENTRIES = 1000 };  // of 20 to 300 kB

// SHA-256 in hex over all texts up to a NULL; the boundaries between texts count. The caller frees
// it.
char *cache_key(const char *first, ...) __attribute__((sentinel));

// The folder, which exists then. NULL: the cache is off, and why says why. The caller frees it.
char *cache_folder(struct error *why);

// The path of an entry; the folder exists, the entry may not. Asking counts as using the entry.
// NULL: the cache is off. The caller frees it.
char *cache_path(const char *key, const char *suffix);

// Reads an entry; the caller frees its bytes. What comes back is what was checked, whatever becomes
// of the file. False: there is none.
bool cache_read(const char *key, const char *suffix, void **bytes, size_t *size);

// Writes an entry, which nobody else may write. A folder that cannot be written is not an error.
void cache_write(const char *key, const char *suffix, const void *bytes, size_t size);
