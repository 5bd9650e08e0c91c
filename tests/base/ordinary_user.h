// ordinary_user.h -- for tests of files that may not be read or written: root may, whatever their
// mode is. Define _GNU_SOURCE, and include cmocka.h before.
#pragma once

#include <unistd.h>

// Whoever is root is nobody until the end, and owns the folder and what he puts into it.
static inline void ordinary_user_begin(const char *folder)
{
    enum { NOBODY = 65534 };
    if (getuid()) return;
    assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
    assert_int_equal(setresuid(NOBODY, NOBODY, 0), 0);
}

static inline void ordinary_user_end(void)
{
    uid_t real, effective, saved;
    assert_int_equal(getresuid(&real, &effective, &saved), 0);
    assert_int_equal(setresuid(saved, saved, saved), 0);
}
