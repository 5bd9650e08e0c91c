#include "filter/directives_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

bool directives_has_let(const struct filter *f, const char *name)
{
    for (int i = 0; i < f->let_count; i++)
        if (!strcmp(f->lets[i].name, name)) return true;
    return false;
}

bool directives_read_let(struct reader *r, const char *text)
{
    struct filter *f = r->f;
    char name[64];
    int used = 0;
    if (sscanf(text, " %63[a-zA-Z0-9_] = %n", name, &used) != 1 || !used)
        return directives_fail(r, "expected: //! let name = EXPR");
    if (!directives_is_name(name))
        return directives_fail(r, "let '%s' is not a lower-case name", name);
    if (filter_is_word(name))
        return directives_fail(r, "let '%s' means something else in expressions", name);
    if (filter_param(f, name) >= 0) return directives_fail(r, "let '%s' is also a param", name);
    if (directives_has_let(f, name)) return directives_fail(r, "a second let '%s'", name);
    if (f->let_count == FILTER_MAX_LETS)
        return directives_fail(r, "more than %d lets", FILTER_MAX_LETS);
    if (strlen(text + used) >= EXPR_TEXT)
        return directives_fail(r, "let %s is longer than %d characters", name, EXPR_TEXT - 1);

    r->let_places[f->let_count] = g_strdup_printf("%s:%d", r->path, r->line);
    struct expr_let *let = &f->lets[f->let_count++];
    g_strlcpy(let->name, name, sizeof let->name);
    g_strlcpy(let->expr.text, text + used, sizeof let->expr.text);
    return true;
}

// One may name those above it: an expression knows compiled lets only.
bool directives_compile_lets(struct reader *r)
{
    for (int i = 0; i < r->f->let_count; i++) {
        struct expr_let *let = &r->f->lets[i];
        struct error why = {""};
        if (!let->expr.count && !filter_compile(r->f, &let->expr, let->expr.text, &why))
            return error_set(r->err, "%s: let %s: %s", r->let_places[i], let->name, why.text);
    }
    return true;
}

// ---- headers ----

static bool read_header_line(struct reader *r, char *line)
{
    char word[32] = "";
    int used = 0;
    if (!g_str_has_prefix(line, "//!")) return true;
    if (!g_utf8_validate(line, -1, NULL)) return directives_fail(r, "not UTF-8 text");
    sscanf(line, "//! %31s%n", word, &used);
    if (strcmp(word, "let")) return directives_fail(r, "a header may hold no directive but let");
    return directives_read_let(r, g_strchomp(line) + used);
}

// The path of a header, which may not be there. The caller frees it.
static char *find_header(const struct reader *r, const char *name)
{
    char *folder = g_path_get_dirname(r->path);
    char *header = g_build_filename(folder, name, NULL);
    g_free(folder);
    if (!r->headers || g_file_test(header, G_FILE_TEST_EXISTS)) return header;
    g_free(header);
    return g_build_filename(r->headers, name, NULL);
}

bool directives_read_header(struct reader *r, const char *name)
{
    const char *const path = r->path;
    const int line = r->line;
    char *header = find_header(r, name), *text = file_read_text(header, NULL);
    bool is_good = true;
    if (text) {
        char **lines = g_strsplit(text, "\n", -1);
        r->path = header;
        r->line = 1;
        for (char **at = lines; is_good && *at; at++, r->line++) is_good = read_header_line(r, *at);
        g_strfreev(lines);
    }
    r->path = path;
    r->line = line;
    g_free(text);
    g_free(header);
    return is_good;
}
