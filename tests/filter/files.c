#include "unit.h"

#include "filter/files.h"

struct filter parsed(const char *source)
{
    struct filter f;
    if (!filter_parse(&f, "kernels/mean.cu", source, NULL, &err))
        fail_msg("%s\n%s", err.text, source);
    return f;
}

static void add_option(GString *all, const char *name, const char *value)
{
    if (*value) g_string_append_printf(all, " %s=%s", name, value);
}

void assert_variants(const struct filter *f, const char *wanted)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (const struct variant *v = f->variants; v < f->variants + f->variant_count; v++) {
        g_string_append_printf(all, "%s:", v->name);
        for (const struct pass *p = v->passes; p < v->passes + v->pass_count; p++) {
            g_string_append_printf(all, "%s %s %dx%d", p > v->passes ? " |" : "", p->entry,
                                   p->block_width, p->block_height);
            if (p->each_x > 1 || p->each_y > 1)
                g_string_append_printf(all, " each=%dx%d", p->each_x, p->each_y);
            if (p->multiple_of > 1) g_string_append_printf(all, " multiple_of=%d", p->multiple_of);
            add_option(all, "columns", p->columns.text);
            add_option(all, "rows", p->rows.text);
            add_option(all, "shared", p->shared.text);
            add_option(all, "across", p->domain[0].text);
            add_option(all, "down", p->domain[1].text);
            if (p->is_fixed) g_string_append(all, " fixed");
        }
        add_option(all, "prepare", v->prepare);
        add_option(all, "finish", v->finish);
        add_option(all, "note", v->note);
        add_option(all, "compiled", v->compiled);
        g_string_append_printf(all, "%s%s\n", v->is_expert ? " expert" : "",
                               v->is_floor ? " floor" : "");
    }
    assert_string_equal(all->str, wanted);
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
