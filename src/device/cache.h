// cache.h -- compiled kernels kept in the user's cache folder, found by the hash of all that made
// them.
//
// $XDG_CACHE_HOME/tilescope or ~/.cache/tilescope; TILESCOPE_CACHE names another folder, or none
// when empty ("TILESCOPE_CACHE= tilescope ..." starts cold). Entries are written beside their name
// and renamed, so that programs running at once never read half of one. The CACHE_ENTRIES used last
// stay; other files in the folder are left alone. Any thread.
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_ENTRIES = 1000 };  // of 20 to 300 kB

// SHA-256 in hex over all texts, up to a NULL; text boundaries count. The caller frees it.
char *cache_key(const char *first, ...) __attribute__((sentinel));

// Path of an entry, whether it exists or not; the folder does. To ask for it is to use it. NULL:
// caching is off. The caller frees it.
char *cache_path(const char *key, const char *suffix);

// Bytes of an entry; the caller frees them. False: there is none.
bool cache_read(const char *key, const char *suffix, void **bytes, size_t *size);

// Keeps an entry; a cache that cannot be written is no error.
void cache_write(const char *key, const char *suffix, const void *bytes, size_t size);

#endif
