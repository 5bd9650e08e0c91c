#include "base/suggest.h"

#include <glib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_LETTERS = 31 };

// The number of mistakes between two words of at most MAX_LETTERS letters: the optimal string
// alignment distance, row by row. rows[i % 3] holds those between i letters of a and all starts
// of b.
static int count_mistakes(const char *a, const char *b)
{
    int rows[3][MAX_LETTERS + 1];
    const int m = (int)strlen(a), n = (int)strlen(b);
    for (int j = 0; j <= n; j++) rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3];
        const int *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            row[j] = MIN(last[j - 1] + (a[i - 1] != b[j - 1]), MIN(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

bool suggest(struct error *err, const char *word, const char *names)
{
    const size_t letters = strlen(word) - strspn(word, "-");
    if (!err || strlen(word) > MAX_LETTERS) return false;
    int fewest = MAX(1, (int)letters / 3) + 1;
    const char *nearest = NULL;
    g_auto(GStrv) list = g_strsplit_set(names, " ,", -1);
    for (char **name = list; *name; name++) {
        if (!**name || strlen(*name) > MAX_LETTERS) continue;
        const int mistakes = count_mistakes(word, *name);
        if (mistakes >= fewest || mistakes >= (int)letters) continue;
        fewest = mistakes;
        nearest = *name;
    }
    if (nearest) text_append(err->text, sizeof err->text, "; did you mean '%s'?", nearest);
    return false;
}

bool suggest_known(struct error *err, const char *word, const void *structs, int count, size_t size)
{
    if (!err || !count) return false;
    g_autoptr(GString) names = g_string_new(structs);
    for (int i = 1; i < count; i++)
        g_string_append_printf(names, ", %s", (const char *)structs + (size_t)i * size);
    text_append(err->text, sizeof err->text, "; known are %s", names->str);
    suggest(err, word, names->str);
    return false;
}
