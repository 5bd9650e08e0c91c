// golden.h -- compares a text with a file of tests/golden, which holds what was accepted.
//
// After a wanted change of words, this writes the files anew, and `git diff` shows what became of
// them:
//
//     TILESCOPE_RENEW=1 ctest --test-dir build/ci -R NAME
#pragma once

#include "unit.h"

static inline void golden_expect(const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(TILESCOPE_SOURCE_DIR, "tests/golden", name, NULL),
                    *kept = NULL;
    if (g_getenv("TILESCOPE_RENEW")) assert_true(g_file_set_contents(path, text, -1, NULL));
    if (!g_file_get_contents(path, &kept, NULL, NULL)) fail_msg("cannot read %s", path);
    g_auto(GStrv) is = g_strsplit(text, "\n", -1), was = g_strsplit(kept, "\n", -1);
    for (int i = 0; is[i] || was[i]; i++)
        if (g_strcmp0(is[i], was[i]) != 0)
            fail_msg("line %d of %s:\n    '%s'\nis now\n    '%s'", i + 1, name,
                     was[i] ? was[i] : "(its end)", is[i] ? is[i] : "(the end)");
}
