// unit.h -- cmocka, with what must be included before it, and what nearly every test uses. Every
// unit test includes it first.
#ifndef UNIT_H
#define UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <string.h>

#endif
