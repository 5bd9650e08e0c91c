// unit.h -- cmocka, with what must be included before it, and what nearly every test uses. Every
// unit test includes it first.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

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
