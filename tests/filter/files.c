#include "unit.h"

#include "filter/files.h"

struct filter parsed(const char *source)
{
    struct filter f;
    if (!filter_parse(&f, "kernels/mean.cu", source, NULL, &err))
        fail_msg("%s\n%s", err.text, source);
    return f;
}

void assert_error(const char *path, const char *source, const char *message)
{
    struct filter f, before;
    memset(&f, 0xA5, sizeof f);
    before = f;
    err.text[0] = '\0';
    if (filter_parse(&f, path, source, NULL, &err)) fail_msg("accepted:\n%s", source);
    assert_string_equal(err.text, message);
    assert_memory_equal(&f, &before, sizeof f);
    assert_false(filter_parse(&f, path, source, NULL, NULL));
}

void assert_refused(const char *source, int line, const char *message)
{
    g_autofree char *whole = g_strdup_printf("mean.cu:%d: %s", line, message);
    assert_error("mean.cu", source, whole);
}

void assert_mistakes(const char *before, const struct mistake *mistakes, size_t count,
                     const char *after, int line)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *source = g_strconcat(before, mistakes[i].text, after, NULL);
        assert_refused(source, mistakes[i].line ? mistakes[i].line : line, mistakes[i].message);
    }
}
