// hash.h -- fingerprints of values, by which a module notices that what it shows has changed.
//
// A fingerprint starts from 0 or another fingerprint and takes in one value after the other. Two
// different contents share one with a chance of 2^-64. Not for untrusted data, not for files.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio
        hash ^= hash >> 32;
    }
    return hash;
}

// The length counts, so that "ab", "c" and "a", "bc" differ. NULL is empty.
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    return hash_bytes(hash_bytes(hash, &length, sizeof length), text, length);
}

// The bytes of an object, with its padding: a difference in padding looks like a change.
#define HASH_VALUE(hash, value) hash_bytes(hash, &(value), sizeof(value))
