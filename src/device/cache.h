// cache.h -- keeps compiled kernels in the user's cache folder, each under a hash of everything
// that made it.
//
// The folder is $XDG_CACHE_HOME/tilescope or ~/.cache/tilescope. TILESCOPE_CACHE names another one;
// empty, it turns the cache off ("TILESCOPE_CACHE= tilescope ..." starts cold). An entry is written
// under another name and then renamed, so that no program reads half of it. It carries a hash, so
// that a damaged one is ignored. An entry that another user owns or may write is ignored, too; if
// that holds for the folder, the cache is off (`tilescope devices` says so). The CACHE_ENTRIES that
// were used last are kept. Other files in the folder are left alone. Any thread may call.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { CACHE_ENTRIES = 2000, CACHE_PATIENCE_S = 60 };  // 30 kB on average

// SHA-256 in hex over all texts up to a NULL; the boundaries between texts count. The caller frees
// it.
char *cache_key(const char *first, ...) __attribute__((sentinel));

// Makes the folder if need be and returns its path. NULL: the cache is off, and `why` says why. The
// caller frees it.
char *cache_folder(struct error *why);

// The path of an entry; the folder exists, the entry may not. Asking counts as using the entry.
// NULL: the cache is off. The caller frees it.
char *cache_path(const char *key, const char *suffix);

// Reads an entry and checks the hash of what it read; the caller frees it. False: there is none.
bool cache_read(const char *key, const char *suffix, void **bytes, size_t *size);

// The same, but if there is none, it waits for as long as somebody else makes it, at most
// patience_s seconds, and no longer once *cancel is true, which may be NULL, or a signal has come
// (base/signals.h). False: the caller is to make the entry, and then to close *turn, a descriptor
// with which others wait; -1: nobody does.
bool cache_await(const char *key, const char *suffix, double patience_s, const atomic_bool *cancel,
                 void **bytes, size_t *size, int *turn);

// Writes an entry that nobody else may write. A folder that cannot be written is no error.
void cache_write(const char *key, const char *suffix, const void *bytes, size_t size);
