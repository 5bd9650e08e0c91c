// fuzz.h -- what a fuzzer needs. libFuzzer calls each program's FuzzerTestOneInput with inputs that
// it changes until something new happens in the code under test; sanitizers and assertions judge.
//
// To add one: fuzz_<name>.c, and a few small inputs to begin with in corpus/<name>/.
#pragma once

#include <assert.h>
#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// As a text that ends exactly at its memory's end. The caller frees it.
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = g_malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

// A refusal says why, in valid UTF-8.
static inline void fuzz_check_refusal(const struct error *err)
{
    assert(err->text[0]);
    assert(g_utf8_validate(err->text, -1, NULL));
}

// A file in memory with a path; the caller closes it.
int fuzz_file(const uint8_t *data, size_t size, char *path, size_t path_size);
