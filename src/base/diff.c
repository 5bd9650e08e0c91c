#include "base/diff.h"

#include <glib.h>
#include <string.h>

void diff_lines(const char *const *a, int a_count, const char *const *b, int b_count, bool *a_kept,
                bool *b_kept)
{
    // longest[i * across + j]: of the lines from i and from j on.
    const size_t across = (size_t)b_count + 1;
    g_autofree int *longest = g_new0(int, ((size_t)a_count + 1) * across);
    for (int i = a_count - 1; i >= 0; i--)
        for (int j = b_count - 1; j >= 0; j--) {
            int *here = &longest[(size_t)i * across + (size_t)j];
            *here = !strcmp(a[i], b[j]) ? here[across + 1] + 1 : MAX(here[across], here[1]);
        }
    memset(a_kept, 0, (size_t)a_count * sizeof *a_kept);
    memset(b_kept, 0, (size_t)b_count * sizeof *b_kept);
    for (int i = 0, j = 0; i < a_count && j < b_count;) {
        const int *here = &longest[(size_t)i * across + (size_t)j];
        const bool is_same = !strcmp(a[i], b[j]);
        if (is_same) a_kept[i] = b_kept[j] = true;
        const bool is_gone = !is_same && here[across] >= here[1];
        i += is_same || is_gone;
        j += is_same || !is_gone;
    }
}
