// Which lines two texts have in common: against every common subsequence of short texts.
#include "unit.h"

#include "base/diff.h"

#include <stdlib.h>

enum { MOST = 8 };
static const char *const words[] = {"a", "b", "c"};

// The longest common subsequence, by trying every choice of lines of a.
static int longest_of(const char *const *a, int a_count, const char *const *b, int b_count)
{
    int longest = 0;
    for (unsigned chosen = 0; chosen < 1u << a_count; chosen++) {
        int length = 0, at = 0;
        for (int i = 0; i < a_count; i++) {
            if (!(chosen & 1u << i)) continue;
            while (at < b_count && strcmp(a[i], b[at]) != 0) at++;
            if (at++ >= b_count) length = -MOST;
            length++;
        }
        if (length > longest) longest = length;
    }
    return longest;
}

TEST(common_lines_are_the_longest)
{
    srand(1);
    for (int turn = 0; turn < 2000; turn++) {
        const char *a[MOST], *b[MOST], *kept[MOST];
        bool a_kept[MOST], b_kept[MOST];
        const int a_count = rand() % (MOST + 1), b_count = rand() % (MOST + 1);
        for (int i = 0; i < a_count; i++) a[i] = words[rand() % 3];
        for (int i = 0; i < b_count; i++) b[i] = words[rand() % 3];
        diff_lines(a, a_count, b, b_count, a_kept, b_kept);
        int count = 0, at = 0;
        for (int i = 0; i < a_count; i++)
            if (a_kept[i]) kept[count++] = a[i];
        for (int i = 0; i < b_count; i++)
            if (b_kept[i]) {
                assert_true(at < count);
                assert_string_equal(b[i], kept[at++]);
            }
        assert_int_equal(at, count);
        assert_int_equal(count, longest_of(a, a_count, b, b_count));
    }
}
