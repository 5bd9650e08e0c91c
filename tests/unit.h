// unit.h -- cmocka, with what must be included before it, and what nearly every test uses. Every
// unit test includes it first.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

extern struct error err;  // of the last call; empty when a test begins

static inline void must(bool is_done)
{
    if (!is_done) fail_msg("%s", err.text);
}

// CLOSER(backend, backend_close) defines close_backend for OWNED().
#define CLOSER(type, close)                            \
    static inline void close_##type(struct type **one) \
    {                                                  \
        close(*one);                                   \
    }

// TEST(name) { ... } is a test. A program runs its tests in the order of its file, and needs no
// list of them; one whose tests share a set-up has a SUITE, and one that may have to be skipped a
// main() that calls unit_run().
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                   \
    static void test_##name(void **state);                                                   \
    static void run_##name(void **state)                                                     \
    {                                                                                        \
        err.text[0] = '\0';                                                                  \
        test_##name(state);                                                                  \
    }                                                                                        \
    __attribute__((constructor)) static void add_##name(void)                                \
    {                                                                                        \
        unit_add((struct CMUnitTest){#name, run_##name, set_up, tear_down, NULL}, __LINE__); \
    }                                                                                        \
    static void test_##name(void **state)
// The same of what the set-up leaves in *state: TEST_OF(struct world *w, name, set_up, tear_down)
#define TEST_OF(given, name, set_up, tear_down) \
    static void of_##name(given);               \
    TEST_WITH(name, set_up, tear_down)          \
    {                                           \
        of_##name(*state);                      \
    }                                           \
    static void of_##name(given)

void unit_add(struct CMUnitTest test, int line);
// Runs all of the program, and returns how many have failed. name: of the group, in the log.
int unit_run(const char *name, CMFixtureFunction set_up, CMFixtureFunction tear_down);
#define SUITE(name, set_up, tear_down)            \
    int main(void)                                \
    {                                             \
        return unit_run(name, set_up, tear_down); \
    }

// Sets a variable of the environment, or removes it where the value is NULL. unit_restore takes
// what it returns.
static inline char *unit_set(const char *name, const char *value)
{
    char *before = g_strdup(g_getenv(name));
    if (value)
        g_setenv(name, value, TRUE);
    else
        g_unsetenv(name);
    return before;
}

static inline void unit_restore(const char *name, char *before)
{
    g_free(unit_set(name, before));
    g_free(before);
}
